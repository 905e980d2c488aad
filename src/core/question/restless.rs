//! What moves in a question by itself: seconds that are counted down, a spinner.
//!
//! `Question::fingerprint` leaves it out: a question whose clock goes on is the one it was, and was answered as often as its
//! clock ticked. Only what can be nothing else is left out; any other word or number makes another question.

use std::borrow::Cow;
use std::sync::LazyLock;

use regex::Regex;

fn pattern(pattern: &str) -> Regex {
    Regex::new(pattern).expect("the pattern is a constant that a test compiles")
}

/// Seconds that are left, in brackets: "(12s)", "[0:12]", "(9 seconds left)". Not minutes and not half past ten: "(5m)" and
/// "(60m)" are two offers.
static BRACKETED: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)\s*[\[(](?:\d{1,4}(?:[.,]\d{1,3})?\s?(?:ms|s|secs?|seconds?)(?:\s(?:left|remaining|to go))?|\d:\d{2}|0?0:\d{2}:\d{2})[\])]",
    )
});
/// The same behind the question's own mark, or a spinner there.
static BEHIND: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)([?:])(?:\s+(?:[|/\\-]|\.{1,3}|…|\d{1,2}:\d{2}:\d{2}))+$|(\?)\s+\d{1,4}\s?(?:s|secs?|seconds?)$",
    )
});
/// The same in words: "Continuing in 9 s".
static AFTER: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"(?i)^(\W*\w+ing\b[^.?!]* in) \d{1,4}\s?(?:s|secs?|seconds?)\b"));
/// The answers of a yes or no at its end: some programs show the one that is chosen so far by its capital.
static CAPITAL: LazyLock<Regex> = LazyLock::new(|| pattern(r"(?i)[\[(]y(?:es)?/no?[\])]$"));
/// A word of glyphs that spinners are made of.
static SPINNER: LazyLock<Regex> = LazyLock::new(|| pattern(r"(^|\s)[⠁-⣿◐◓◑◒◴◷◶◵◰◳◲◱]{1,2}(\s|$)"));

/// Seconds, wherever they stand.
static SECONDS: LazyLock<Regex> = LazyLock::new(|| pattern(r"(?i)\b(\d{1,4})\s?(?:s|secs?|seconds?)\b"));

/// The words without what moves in them.
pub fn at_rest(words: &str) -> Cow<'_, str> {
    let moves = |ch: char| ch.is_ascii_digit() || !ch.is_ascii() || "|/\\-.".contains(ch);
    if !words.contains(moves) {
        return Cow::Borrowed(words);
    }
    let bare = SPINNER.replace_all(words, "$1$2");
    let bare = BRACKETED.replace_all(&bare, "");
    let bare = AFTER.replace(bare.trim(), "$1");
    let bare = BEHIND.replace(bare.trim(), "$1$2");
    let bare = CAPITAL.replace(bare.trim(), |answers: &regex::Captures<'_>| answers[0].to_lowercase());
    if bare.trim() == words { Cow::Borrowed(words) } else { Cow::Owned(bare.trim().to_owned()) }
}

/// Whether these words differ from those before in seconds alone that have been counted down, by so many at most. In one look they
/// may be any number; that they go down with the time is seen in two.
pub fn counts_down(then: &str, now: &str, most: u64) -> bool {
    let parts = |words: &str| {
        let found = SECONDS.captures(words)?;
        let (all, digits) = (found.get(0)?, found.get(1)?);
        let around = (words.get(..all.start())?.to_owned(), words.get(all.end()..)?.to_owned());
        Some((around, digits.as_str().parse::<u64>().ok()?))
    };
    let (Some((then, from)), Some((now, to))) = (parts(then), parts(now)) else { return false };
    then == now && to < from && from - to <= most
}

/// Rows without what moves in them; as they are where that is all they are told apart by.
pub fn rows_at_rest<'a>(labels: &[&'a str]) -> Vec<Cow<'a, str>> {
    let bare: Vec<Cow<'a, str>> = labels.iter().map(|label| at_rest(label)).collect();
    let alike = |at: usize| (0..at).any(|other| bare[other] == bare[at] && labels[other] != labels[at]);
    if (0..bare.len()).any(alike) {
        return labels.iter().map(|label| Cow::Borrowed(*label)).collect();
    }
    bare
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clocks_and_spinners_are_left_out() {
        for words in [
            "Which framework? (20s)",
            "Which framework? (0:07)",
            "Which framework? [9 seconds left]",
            "Which framework?              |",
            "Which framework? \\",
            "Which framework? 12s",
            "Which framework? ...",
            "Which framework? 12:03:59",
            "⠋ Which framework?",
            "Which framework? ◐",
            "Which framework?",
        ] {
            assert_eq!(at_rest(words), "Which framework?", "{words}");
        }
    }

    /// "Continuing in 9 s, press any key to stop" called a person each second.
    #[test]
    fn what_is_counted_down_in_a_sentence_is_left_out() {
        let at = |left: &str| {
            at_rest(&format!("Overwriting the config in {left}. Press Enter to cancel")).into_owned()
        };
        assert_eq!(at("9 s"), at("10 seconds"));
        assert_ne!(at("9 minutes"), at("10 minutes"));
        assert_ne!(at_rest("Delete it in 5 s?"), at_rest("Delete it in 60 s?"));
    }

    /// In the midst of a sentence they are told from other numbers by going down with the time.
    #[test]
    fn seconds_that_go_down_are_a_clock() {
        let at = |left: &str| format!("Pick one, or React is taken in {left}");
        assert!(counts_down(&at("10 s"), &at("9 s"), 1));
        assert!(counts_down(&at("2 seconds"), &at("1 second"), 1));
        for (then, now) in [("9 s", "10 s"), ("60 s", "9 s"), ("9 s", "9 s"), ("9 files", "8 files")] {
            assert!(!counts_down(&at(then), &at(now), 2), "{then} {now}");
        }
        assert!(!counts_down("Keep A for 9 s?", "Drop B for 8 s?", 2));
    }

    /// dialoguer draws its question anew with the chosen answer as a capital, and still waits for Enter: that was another
    /// question, and the first one logged as answered.
    #[test]
    fn the_answer_that_is_chosen_so_far_is_left_out() {
        for words in ["Use TypeScript? [y/n]", "Use TypeScript? [Y/n]", "Use TypeScript? [y/N]"] {
            assert_eq!(at_rest(words), "Use TypeScript? [y/n]");
        }
        assert_ne!(at_rest("Remove A? [y/n]"), at_rest("Remove a? [y/n]"));
    }

    #[test]
    fn other_numbers_and_signs_are_words() {
        for words in [
            "Delete 3 files?",
            "Question 1 of 3: which one?",
            "Use port: 80",
            "Use port (80)?",
            "Allocate 50% of it?",
            "Timeout: 20s",
            "Remove /",
            "Remove * from the list?",
            "Start at: 10:30",
            "Which one? 2",
            "Version (1.2)?",
            "Grant access (5m)?",
            "Grant access (60 minutes)?",
            "Meet (10:30)?",
        ] {
            assert_eq!(at_rest(words), words);
        }
    }

    /// Two offers that differ in their seconds alone changed places, and the first one's answer was given to the other.
    #[test]
    fn rows_keep_what_they_are_told_apart_by() {
        assert_eq!(rows_at_rest(&["Grant (30s)", "Grant (60s)"]), ["Grant (30s)", "Grant (60s)"]);
        assert_eq!(rows_at_rest(&["Wait (30s)", "Go on"]), ["Wait", "Go on"]);
        assert_eq!(rows_at_rest(&["Yes", "Yes"]), ["Yes", "Yes"]);
    }
}
