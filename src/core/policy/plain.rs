//! Words that are known to do no harm: what a prompt may be made of to be anybody's.
//!
//! `core/policy/prompt.rs` and `core/policy/above.rs` come here once none of its words of harm was found. Harm can be
//! said in more ways than anybody lists, so the list here is the other one: a word that is not on it makes the prompt a
//! person's. It never decides what a prompt asks for.

use std::borrow::Cow;
use std::collections::HashSet;
use std::sync::LazyLock;

use crate::core::pattern::Pattern;

static KNOWN: LazyLock<HashSet<&str>> = LazyLock::new(|| {
    let lines = include_str!("plain_words.txt").lines().filter(|line| !line.starts_with("# "));
    lines.flat_map(str::split_whitespace).collect()
});

/// Words that hold a sentence together: a line without any is a heading, a name or a list.
const FRAME: &str = "a an the this that these those it its is are was were be been am i you your we our us my he she \
    they them their who which what when where why how do does did can could should shall may might must would will not \
    no if then than as at by for from in into on to too and or but so of off per via with without has have had all any \
    here there";
pub static FRAME_WORDS: LazyLock<HashSet<&str>> = LazyLock::new(|| FRAME.split_whitespace().collect());

/// What surrounds a word without being part of it, marks of prompt libraries and frames included.
fn is_margin(ch: char) -> bool {
    !ch.is_alphanumeric() && !"$€£¥~\\".contains(ch)
}

/// The parts of a word that stand between its dots, dashes and strokes.
pub fn parts(word: &str) -> impl Iterator<Item = &str> {
    word.split(|ch: char| !ch.is_alphanumeric()).filter(|part| !part.is_empty())
}

fn is_number(part: &str) -> bool {
    // Versions have letters before or behind: v1, 3rd, 5s.
    let letters = part.trim_matches(|ch: char| ch.is_ascii_digit());
    letters.len() < part.len() && letters.chars().count() <= 2
}

pub fn is_letter(part: &str) -> bool {
    part.len() == 1 && part.chars().all(char::is_alphabetic)
}

/// Whether a word, without what surrounds it, is known for harmless.
pub fn is_known(word: &str) -> bool {
    let word = word.to_lowercase();
    let known = |part: &str| KNOWN.contains(part) || is_number(part) || is_letter(part);
    !word.contains(['$', '€', '£', '¥', '~', '\\']) && (known(&word) || parts(&word).all(known))
}

pub fn words_of(text: &str) -> impl Iterator<Item = &str> {
    text.split_whitespace().map(|word| word.trim_matches(is_margin)).filter(|word| !word.is_empty())
}

/// Whether nothing but harmless words stands here.
pub fn is_plain(text: &str) -> bool {
    words_of(&GIT.replace_all(text, "git")).all(is_known)
}

/// A repository of git's own is made in a folder; any other is a place that programs are fetched from.
static GIT: LazyLock<Pattern> = LazyLock::new(|| Pattern::constant(r"(?i)\bgit repo(?:sitory)?\b"));

/// Whether a row may be the name of something nobody has heard of: one word, written as a name is. What else may stand
/// in a row says what it does, in whichever language.
pub fn is_name(text: &str) -> bool {
    let words: Vec<&str> = words_of(text).collect();
    let [word] = words.as_slice() else { return false };
    let capitalised = word.starts_with(|ch: char| ch.is_ascii_uppercase());
    capitalised && !FRAME_WORDS.contains(word.to_lowercase().as_str())
}

/// Rows that leave a question open. Their words are harmful in other company ("nothing is kept", "not sure? delete
/// it"), so it is the whole row that is known: beside harmless ways to do a thing, it says to do none of them, which
/// takes nothing away.
static OPEN: LazyLock<Pattern> = LazyLock::new(|| {
    Pattern::constant(
        r"(?i)^(?:nothing|none)(?: yet| for now| of (?:these|them|the above))?$|^not (?:yet|now|sure(?: yet)?)$|^(?:i )?(?:don't|do not) know(?: yet)?$|^(?:skip|later|undecided|no preference|(?:decide|choose|ask me|maybe) later|skip (?:for now|this|it))$",
    )
});

/// Whether a row only leaves the question open.
pub fn leaves_open(label: &str) -> bool {
    OPEN.is_match(label.trim().trim_end_matches('.'))
}

/// How many words say something, beyond those that only ask to type.
pub fn telling(text: &str) -> usize {
    const ASKING: [&str; 6] = ["enter", "please", "a", "an", "the", "type"];
    words_of(text).filter(|word| !ASKING.contains(&word.to_lowercase().as_str())).count()
}

/// How rows are chosen and sent, as prompt libraries say it below them.
static HINTS: LazyLock<Pattern> = LazyLock::new(|| {
    let keys = r"\b(?:return|enter|space|tab)|<\w+>";
    let does = r"submit|select|toggle(?: all)?|move|invert(?: selection)?|confirm|proceed|all|none";
    // Without a "to" only what is done with rows.
    let brief = r"submit|select|choose|toggle|confirm";
    let arrows = r"[↑↓][↑↓←→/, ]*(?:arrows? )?(?:to )?(?:move|navigate|select|choose|scroll)";
    let leaves = r"(?:esc(?:ape)?|q|ctrl[-+]c)(?: to)?[: ] ?(?:cancel|quit|exit|go back|back)";
    Pattern::constant(&format!(
        r"(?i){arrows}\b|(?:{keys})[: ] ?(?:{brief})\b|\b{leaves}\b|(?:\buse )?\barrow(?:s|[- ]?keys)(?: to move)?\b|(?:{keys})(?:/ctrl\+a\|r)?\s+to\s+(?:{does})\b(?: \(all\|rev\))?|\ba:? (?:toggle )?all\b(?:\s*•\s*i invert\b)?|⏎ (?:{does})\b|\btype to (?:filter|search)\b|\(disabled\)|- This option is disabled\b"
    ))
});

/// Whether libraries use this word of their keys. Anywhere else it is not known.
pub fn is_of_keys(word: &str) -> bool {
    ["submit", "toggle", "invert", "selection", "confirm", "proceed"].contains(&word.to_lowercase().as_str())
}

/// The text without what libraries say of their keys.
pub fn without_hints(text: &str) -> Cow<'_, str> {
    HINTS.replace_all(text, " ")
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
