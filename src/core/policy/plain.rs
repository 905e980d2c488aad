//! Words that are known to do no harm: what a prompt may be made of to be anybody's, and what may stand above it.
//!
//! `core/policy/prompt.rs` comes here once none of its words of harm was found. Harm can be said in more ways than
//! anybody lists, so the list here is the other one: a word that is not on it makes the prompt a person's. It never
//! decides what a prompt asks for.

use std::borrow::Cow;
use std::collections::HashSet;
use std::sync::LazyLock;

use regex::Regex;

static KNOWN: LazyLock<HashSet<&str>> = LazyLock::new(|| {
    let lines = include_str!("plain_words.txt").lines().filter(|line| !line.starts_with("# "));
    lines.flat_map(str::split_whitespace).collect()
});

/// Words that hold a sentence together: a line without any is a heading, a name or a list.
const FRAME: &str = "a an the this that these those it its is are was were be been am i you your we our us my he she \
    they them their who which what when where why how do does did can could should shall may might must would will not \
    no if then than as at by for from in into on to too and or but so of off per via with without has have had all any \
    here there";
static FRAME_WORDS: LazyLock<HashSet<&str>> = LazyLock::new(|| FRAME.split_whitespace().collect());

/// Words a line may have that are no sentence's.
const LABEL_WORDS: usize = 2;
/// Words a name may have that a choice offers.
const NAME_WORDS: usize = 3;

/// What surrounds a word without being part of it, marks of prompt libraries and frames included.
fn is_margin(ch: char) -> bool {
    !ch.is_alphanumeric() && !"$€£¥~\\".contains(ch)
}

/// The parts of a word that stand between its dots, dashes and strokes.
fn parts(word: &str) -> impl Iterator<Item = &str> {
    word.split(|ch: char| !ch.is_alphanumeric()).filter(|part| !part.is_empty())
}

fn is_number(part: &str) -> bool {
    // Versions have letters before or behind: v1, 3rd, 5s.
    let letters = part.trim_matches(|ch: char| ch.is_ascii_digit());
    letters.len() < part.len() && letters.chars().count() <= 2
}

/// Whether a word, without what surrounds it, is known for harmless.
fn is_known(word: &str) -> bool {
    let word = word.to_lowercase();
    let letter = |part: &str| part.len() == 1 && part.chars().all(char::is_alphabetic);
    let known = |part: &str| KNOWN.contains(part) || is_number(part) || letter(part);
    !word.contains(['$', '€', '£', '¥', '~', '\\']) && (known(&word) || parts(&word).all(known))
}

fn words_of(text: &str) -> impl Iterator<Item = &str> {
    text.split_whitespace().map(|word| word.trim_matches(is_margin)).filter(|word| !word.is_empty())
}

/// Whether nothing but harmless words stands here.
pub fn is_plain(text: &str) -> bool {
    words_of(&GIT.replace_all(text, "git")).all(is_known)
}

/// A repository of git's own is made in a folder; any other is a place that programs are fetched from.
static GIT: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)\bgit repo(?:sitory)?\b").expect("the pattern is a constant that a test compiles")
});

/// Whether it may be the name of something: short, and no sentence.
pub fn is_name(text: &str) -> bool {
    let words: Vec<String> = words_of(text).map(str::to_lowercase).collect();
    (1..=NAME_WORDS).contains(&words.len()) && !words.iter().any(|word| FRAME_WORDS.contains(word.as_str()))
}

/// How many words say something, beyond those that only ask to type.
pub fn telling(text: &str) -> usize {
    const ASKING: [&str; 6] = ["enter", "please", "a", "an", "the", "type"];
    words_of(text).filter(|word| !ASKING.contains(&word.to_lowercase().as_str())).count()
}

/// How rows are chosen and sent, as prompt libraries say it below them.
static HINTS: LazyLock<Regex> = LazyLock::new(|| {
    let keys = r"\b(?:return|enter|space|tab)|<\w+>";
    let does = r"submit|select|toggle(?: all)?|move|invert(?: selection)?|confirm|proceed|all|none";
    Regex::new(&format!(
        r"(?i)(?:\buse )?\barrow(?:s|[- ]?keys)(?: to move)?\b|(?:{keys})\s+to\s+(?:{does})\b|\ba:? (?:toggle )?all\b(?:\s*•\s*i invert\b)?|\btype to (?:filter|search)\b"
    ))
    .expect("the pattern is a constant that a test compiles")
});

/// The text without what libraries say of their keys.
pub fn without_hints(text: &str) -> Cow<'_, str> {
    HINTS.replace_all(text, " ")
}

/// What says outright that it explains itself: it announces nothing that is done.
static ANNOUNCED: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)\bwill (?:walk|guide|help|ask|show)(?: you)?\b")
        .expect("the pattern is a constant that a test compiles")
});

/// Whether a line above a prompt may stand there: a sentence of harmless words, or none.
fn line_is_plain(line: &str) -> bool {
    let line = ANNOUNCED.replace_all(line, "");
    let words: Vec<&str> = words_of(&line).filter(|word| word.chars().any(char::is_alphabetic)).collect();
    // Paths and versions are names, whatever they consist of.
    let names = |word: &&&str| word.chars().all(|ch| ch.is_alphabetic() || ch == '\'');
    let spoken: Vec<&&str> = words.iter().filter(names).collect();
    let unknown = spoken.iter().filter(|word| !is_known(word)).count();
    let framed = words.iter().any(|word| FRAME_WORDS.contains(word.to_lowercase().as_str()));
    unknown == 0 || spoken.len() <= LABEL_WORDS || (unknown == 1 && !framed)
}

/// Whether everything printed above a prompt may stand there.
pub fn above(text: &str) -> bool {
    text.lines().all(line_is_plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_words_pass_in_any_dress() {
        for text in [
            "Use TypeScript?",
            "? Would you like your code inside a `src/` directory?",
            "package.json",
            "Create-Vite@5.0.0",
            "│ Pick a colour …",
        ] {
            assert!(is_plain(text), "{text}");
        }
        for text in ["Use insecure registry?", "Use paid plan?", "PID number:", "$ 5", "~", "Alles loeschen?"]
        {
            assert!(!is_plain(text), "{text}");
        }
    }

    #[test]
    fn a_sentence_above_must_be_known_and_a_name_need_not() {
        for text in [
            "This utility will walk you through creating a package.json file.",
            "shop-of-mine",
            "Resolving zlib",
            "added 31 packages, and audited 32 packages in 2s",
        ] {
            assert!(above(text), "{text}");
        }
        for text in [
            "This empties your tables.",
            "It goes over the old one.",
            "The folder will be another one.",
            "Alle Daten sind dann weg.",
        ] {
            assert!(!above(text), "{text}");
        }
    }

    /// A word of harm among the harmless ones would undo them all.
    #[test]
    fn no_word_of_harm_is_known() {
        let harm = "all no not never none nothing everything will going gone lost lose old over back away end burn \
            kill free paid plan pay price trial account user users public private share invite remote server host \
            key token secret password pin card code-sign sign force sudo root yolo bypass unsafe insecure unsigned \
            encryption encrypted disk drive partition dns domain firewall proxy registry telemetry tracking cookies \
            consent licence-key terms downgrade rollback migrate truncate drop wipe erase delete remove reset revert";
        let known: Vec<&str> = harm.split_whitespace().filter(|word| is_known(word)).collect();
        assert!(known.is_empty(), "{known:?}");
    }
}
