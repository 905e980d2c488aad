//! Which cells have been drawn since a key was typed that answers, and whether a piece of output destroys any of them that
//! nobody has looked at as they stand now.
//!
//! `Overdrawn` keeps one. A program draws a frame from its top to its bottom: a look is due where something that was drawn is
//! destroyed out of that order, for there the next frame begins, or somebody else draws. A look in the middle of a frame ends
//! nothing: what was drawn before it is looked at again once the rest of the frame stands too.

use crate::core::terminal::grid::Size;

use super::effect::Effect;

/// Of each row the column behind the last cell that was drawn; 0: none was.
#[derive(Debug, Default)]
pub(super) struct Drawn {
    ends: Vec<u16>,
    cols: u16,
    regional: bool,
    /// Of each row whether it was drawn in since the last look.
    recent: Vec<bool>,
    /// Something was drawn since the last look …
    fresh: bool,
    /// … and then something else further up: another frame has begun.
    returned: bool,
    /// Something was drawn since a frame last said where it ends.
    unframed: bool,
    /// Where the last thing that was drawn or erased ended.
    last: (u16, u16),
}

impl Drawn {
    pub(super) fn resize(&mut self, size: Size) {
        self.ends.resize(usize::from(size.rows), 0);
        self.recent.resize(usize::from(size.rows), false);
        self.cols = size.cols;
    }

    pub(super) fn clear(&mut self) {
        self.ends.fill(0);
        self.looked();
    }

    /// All of it has just been looked at.
    pub(super) fn looked(&mut self) {
        self.recent.fill(false);
        (self.fresh, self.returned) = (false, false);
    }

    /// Whether something was drawn since the last frame that said where it ends.
    pub(super) fn take_unframed(&mut self) -> bool {
        std::mem::take(&mut self.unframed)
    }

    /// Nothing is known of these rows: they may just have been drawn.
    pub(super) fn all_above(&mut self, row: u16) {
        let above = usize::from(row).min(self.ends.len());
        self.ends[..above].fill(self.cols);
        self.recent[..above].fill(true);
        self.fresh |= above > 0;
    }

    /// The rows in which something was drawn since the last look.
    pub(super) fn recent_rows(&self) -> impl Iterator<Item = usize> + '_ {
        self.recent.iter().enumerate().filter(|(_, recent)| **recent).map(|(row, _)| row)
    }

    /// Cells from the cursor to the end of its row.
    pub(super) fn room(&self, (_, col): (u16, u16)) -> usize {
        usize::from(self.cols.saturating_sub(col))
    }

    fn end(&self, row: u16) -> u16 {
        self.ends.get(usize::from(row)).copied().unwrap_or(0)
    }

    fn any_below(&self, row: u16) -> bool {
        self.ends.iter().skip(usize::from(row) + 1).any(|end| *end > 0)
    }

    /// What scrolls out was seen at the last look, but for what was drawn since.
    fn scrolls_recent(&self) -> bool {
        if self.regional {
            self.recent.contains(&true)
        } else {
            self.recent.first().copied().unwrap_or(false)
        }
    }

    /// Whether some rows scroll by themselves, and which is not known.
    pub(super) fn within(&mut self, regional: bool) {
        self.regional = regional;
    }

    /// The next character may be written into the row below, or scroll: the cursor stands behind the last cell of its row,
    /// or in it, where a character of two cells finds no room.
    fn may_wrap(&self, (_, col): (u16, u16)) -> bool {
        col + 1 >= self.cols
    }

    /// Below this row others scroll out.
    fn is_last(&self, row: u16) -> bool {
        usize::from(row) + 1 >= self.ends.len()
    }

    /// Whether this is a further place of the frame that is being drawn: behind the last one in its row, or below.
    fn goes_on(&self, effect: Effect, (row, col): (u16, u16)) -> bool {
        match effect {
            Effect::Text | Effect::Rest => (row, col) >= self.last,
            Effect::Row => row > self.last.0,
            Effect::None | Effect::Part | Effect::Below | Effect::LineFeed | Effect::Screen | Effect::All => {
                false
            }
        }
    }

    /// Whether the effect destroys something that nobody has looked at as it stands. `at`: the cursor before it.
    pub(super) fn is_hit(&self, effect: Effect, at: (u16, u16)) -> bool {
        let order = self.returned || self.scrolls(effect, at) || !self.goes_on(effect, at);
        self.fresh && order && self.destroys(effect, at)
    }

    /// Whether a text that goes on where it ended scrolls other rows out.
    fn scrolls(&self, effect: Effect, at: (u16, u16)) -> bool {
        effect == Effect::Text && self.may_wrap(at) && (self.is_last(at.0) || self.regional)
    }

    /// Whether something is drawn out of order: what stands there is whole, or whoever draws now is somebody else.
    pub(super) fn is_left(&self, effect: Effect, at: (u16, u16)) -> bool {
        let moves = matches!(effect, Effect::None | Effect::Part | Effect::LineFeed);
        self.is_hit(effect, at) || (self.fresh && !moves && !self.goes_on(effect, at))
    }

    fn destroys(&self, effect: Effect, at: (u16, u16)) -> bool {
        let (row, col) = at;
        match effect {
            Effect::None | Effect::Part => false,
            Effect::Text if self.end(row) > col => true,
            Effect::Text if !self.may_wrap(at) => false,
            Effect::Text if self.scrolls(effect, at) => self.scrolls_recent(),
            Effect::Text => self.end(row + 1) > 0,
            Effect::Rest => self.end(row) > col,
            Effect::Row => self.end(row) > 0,
            Effect::Below => self.end(row) > col || self.any_below(row),
            Effect::LineFeed => (self.is_last(row) || self.regional) && self.scrolls_recent(),
            Effect::Screen | Effect::All => self.ends.iter().any(|end| *end > 0),
        }
    }

    /// What was drawn or erased, with the cursor before and after it.
    pub(super) fn note(&mut self, effect: Effect, before: (u16, u16), after: (u16, u16)) {
        let moves = matches!(effect, Effect::None | Effect::Part | Effect::LineFeed);
        self.returned |= self.fresh && !moves && !self.goes_on(effect, before);
        match effect {
            Effect::None | Effect::Part => return,
            Effect::Text => {
                // Below the last row others scroll out.
                let scrolls = after.0 == before.0 && after.1 < before.1;
                match scrolls {
                    true if self.regional => self.ends.fill(self.cols),
                    true => self.scroll(),
                    false => {}
                }
                self.draw(before.0, if after.0 == before.0 { after.1 } else { self.cols });
                if after.0 != before.0 {
                    self.draw(after.0, after.1);
                }
                (self.fresh, self.unframed) = (true, true);
                self.last = after;
                return;
            }
            Effect::LineFeed if before.0 != after.0 => return,
            // Within a region of the screen it is not known what went.
            Effect::LineFeed if usize::from(before.0) + 1 < self.ends.len() => self.ends.fill(self.cols),
            Effect::LineFeed => {
                self.scroll();
                self.last.0 = self.last.0.saturating_sub(1);
                return;
            }
            Effect::Rest => self.erase(before.0, before.1),
            Effect::Row => self.erase(before.0, 0),
            Effect::Below => {
                self.erase(before.0, before.1);
                (before.0 + 1..).take(self.ends.len()).for_each(|row| self.erase(row, 0));
            }
            Effect::Screen => self.clear(),
            // What was drawn may stand anywhere now.
            Effect::All => self.ends.fill(self.cols),
        }
        self.last = before;
    }

    /// The first row is gone, and a blank one stands behind the others.
    fn scroll(&mut self) {
        self.ends.rotate_left(1);
        self.recent.rotate_left(1);
        if let (Some(end), Some(recent)) = (self.ends.last_mut(), self.recent.last_mut()) {
            (*end, *recent) = (0, false);
        }
    }

    fn erase(&mut self, row: u16, from: u16) {
        if let Some(drawn) = self.ends.get_mut(usize::from(row)) {
            *drawn = (*drawn).min(from);
        }
        if from == 0
            && let Some(recent) = self.recent.get_mut(usize::from(row))
        {
            *recent = false;
        }
    }

    fn draw(&mut self, row: u16, end: u16) {
        if let Some(drawn) = self.ends.get_mut(usize::from(row)) {
            *drawn = (*drawn).max(end);
        }
        if let Some(recent) = self.recent.get_mut(usize::from(row)) {
            *recent = true;
        }
    }
}
