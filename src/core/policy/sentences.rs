//! A message taken apart: an order and its object stand in one sentence, or in one item of a list.
//!
//! `guard.rs` weighs each by itself. Pure.

use std::sync::LazyLock;

use crate::core::pattern::Pattern;

/// Its sentences and items, each in one line.
pub fn sentences(message: &str) -> Vec<String> {
    let mut found = vec![String::new()];
    for line in message.lines().map(str::trim) {
        let item = line.is_empty() || LISTED.is_match(line);
        if item {
            found.push(String::new());
        }
        for part in line.split_inclusive(['.', '!', '?', ';']) {
            // "2.0", "crates.io": a sentence ends before a blank.
            let begins = part.starts_with(char::is_whitespace);
            match found.last_mut().filter(|one| !begins || !one.ends_with(['.', '!', '?', ';'])) {
                Some(one) => one.push_str(part),
                None => found.push(part.trim_start().to_owned()),
            }
        }
        if let Some(one) = found.last_mut() {
            one.push(' ');
        }
    }
    found
}

/// How an item of a list begins.
static LISTED: LazyLock<Pattern> = LazyLock::new(|| Pattern::constant(r"^(?:[-*•◦·+–]|\d{1,3}[.)])\s"));
