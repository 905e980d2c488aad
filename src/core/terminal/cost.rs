//! What a terminal's work costs: cells, not bytes, since eight bytes can touch every cell of a screen.
//!
//! `Screen::feed_some` counts it and stops where a caller's budget is used up. No clock: the same bytes cost the
//! same on every machine.

/// Work done for a program's output, in cells: one for each byte read, for each cell written, moved or erased,
/// for each row moved, and for each cell packed on its way into the history.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Cost(pub u64);

impl Cost {
    /// What one turn may cost where others wait: below a millisecond on a slow core (a cell costs one to
    /// ten nanoseconds, `cargo bench --bench speed` says which how much).
    pub const STEP: Cost = Cost(64 * 1024);
    /// No bound.
    pub const UNBOUNDED: Cost = Cost(u64::MAX);
}

impl std::ops::AddAssign for Cost {
    fn add_assign(&mut self, more: Cost) {
        self.0 = self.0.saturating_add(more.0);
    }
}
