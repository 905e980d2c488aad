//! What a question keeps of words that change by themselves. `moving.rs` decides what follows; nothing is decided here.

/// What is known of the words of a question that change by themselves.
#[derive(Debug, Clone, Copy, Default)]
pub struct Changes {
    /// When they last did, while it is not to be answered because of that.
    pub last_ms: Option<u64>,
    /// When it was last told with other words than before.
    pub told_ms: u64,
    /// It is what stood still in the end.
    pub stood: bool,
}
