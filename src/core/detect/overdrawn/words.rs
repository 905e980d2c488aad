//! The words of which one stands in every request for consent.
//!
//! `Overdrawn` searches output for them, and rows where no two of their letters were written together.

use std::sync::LazyLock;

use regex::bytes::Regex;

use crate::core::terminal::grid::Row;

/// One of these stands in every request for consent of a program that is described: in a row that grants it, or in its
/// words. `every_request_has_one_of_the_words` holds the recordings against it.
pub(super) static WORDS: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new("Yes|No,|llow|pprove|Reject|onfirm|[Tt]rust|roceed|mplement|plan")
        .expect("the pattern is a constant")
});

pub(super) fn has_word(row: &Row) -> bool {
    WORDS.is_match(row.text().as_bytes())
}
