//! Questions of yes or no: which of them only choose between ways.
//!
//! `core/policy/prompt.rs` comes here once none of its words of harm was found, in the question or above it. A question that
//! names nothing itself is about whatever stands above, and so is one that points there.

use std::collections::HashSet;
use std::sync::LazyLock;

use super::plain::{self, FRAME_WORDS, is_known, words_of};
use crate::core::pattern::Pattern;

fn words(pattern: &str) -> Pattern {
    Pattern::constant(&format!("(?i){pattern}"))
}

/// Whether a row only says yes or no.
pub fn is_answer(option: &str) -> bool {
    ANSWER.is_match(option)
}

static ANSWER: LazyLock<Pattern> =
    LazyLock::new(|| words(r"^[<\[(]?(?:y|n|yes|no|ok|cancel|a|all|q|quit)[>\])]?$"));

/// git asks so for each piece of a patch, which stands above.
pub fn is_hunk(words: &str) -> bool {
    HUNK.is_match(words)
}

static HUNK: LazyLock<Pattern> = LazyLock::new(|| words(r"^(?:\(\d+/\d+\) )?(?:un)?stage this hunk \["));

/// The answers a question of yes or no spells out: "[Y/n]", "(yes/no)", "[y,n,q,?]".
static SPELLED_OUT: LazyLock<Pattern> =
    LazyLock::new(|| words(r"[\[(](?:\w{1,3}|\?)(?:[,/|](?:\w{1,3}|\?))*[\])]"));

/// Whether a yes only chooses a way. `above`: what was printed before it, of which no word is one of harm.
pub fn is_harmless(words: &str, options: &[String], above: &str) -> bool {
    if !HARMLESS.is_match(words) {
        return false;
    }
    let bare = SPELLED_OUT.replace_all(words, " ");
    if is_hunk(words) {
        return plain::is_plain(&bare);
    }
    let about_above = words_of(&bare).any(|word| POINTING.contains(word.to_lowercase().as_str()))
        && above.lines().any(is_no_sentence);
    options.iter().all(|option| is_answer(option))
        && plain::is_plain(&bare)
        && names_something(&bare)
        && !about_above
        && !above.lines().any(is_a_thing)
}

/// Words that name nothing: verbs of choosing, and what stands for another word.
const EMPTY: &str = "use uses used using want wants like likes wish prefer prefers need needs include includes add adds enable \
    enables create creates make makes show shows get gets take takes keep keeps give gives pick picks select selects set up try \
    help support supports \
    yours mine one ones two three first second third next last another other others more less most much many few new same some \
    any each both such just only please here there now later today it's that's what's let's you'd we'd i'd you're we're i'm \
    thing things something anything so kind sort way way's item items entry entries value values choice choices option options \
    yes y n true false ready done right";
static EMPTY_WORDS: LazyLock<HashSet<&str>> = LazyLock::new(|| EMPTY.split_whitespace().collect());

/// Whether a question names what it is about.
fn names_something(question: &str) -> bool {
    words_of(question).map(str::to_lowercase).any(|word| {
        !FRAME_WORDS.contains(word.as_str())
            && !EMPTY_WORDS.contains(word.as_str())
            && !plain::is_letter(&word)
    })
}

/// Words that point at what stands above.
const POINTS: &str = "this that these those it its it's they them their yours your";
static POINTING: LazyLock<HashSet<&str>> = LazyLock::new(|| POINTS.split_whitespace().collect());

/// Whether a line says nothing that is known, but names something.
fn is_no_sentence(line: &str) -> bool {
    let words: Vec<&str> = words_of(line).collect();
    words.len() == 1 || words.iter().any(|word| !is_known(word))
}

/// Whether a line is nothing but files, addresses or shares: whatever a yes does, it may do to those.
fn is_a_thing(line: &str) -> bool {
    let mut words = line.split_whitespace().filter(|word| word.chars().any(char::is_alphanumeric)).peekable();
    words.peek().is_some()
        && words.all(|word| word.trim_end_matches(['.', ':', ',']).contains(['/', '.', ':', '%', '@']))
}

/// Questions of yes or no that only choose between ways. What they speak of is held against `ACTS` as well.
static HARMLESS: LazyLock<Pattern> = LazyLock::new(|| {
    let made = r"(?:a|an|the|some|any|your|new|basic|default|sample|example|simple|git|empty|initial|\W)*\s*(?:project|repo\b|repository|git\b|readme|gitignore|\.gitignore|config\w*|examples?|samples?|tests?|templates?|components?|folders?|director(?:y|ies)|package\.json|tsconfig|workspace|types?|docs?|documentation|skeleton|boilerplate|storybook|dockerfile|changelog|comments?|layout|pages?|routes?)";
    let way = format!(
        r"(?:use|include|add|enable|prefer|need|have|show|display|support|default to|customi[sz]e|configure|set ?up|(?:create|generate|initiali[sz]e|init) {made}|stage this hunk|unstage this hunk)\b"
    );
    words(&format!(
        r"^[^a-z]*(?:\(\d+/\d+\) )?(?:(?:would|do|did) you (?:like|want|prefer|wish)(?: us| me)?(?: to (?:also )?{way}|:? (?:your|a|an|the|some|any|this|(?-i:[A-Z])[\w.]*)\b(?:\W*\w+){{0,10}}\W*$)|(?:do|will) you (?:also )?(?:(?:use|have)\b|(?:need|want|prefer) (?:[^t\s]|t[^o\s]|to\w))|(?:should|shall|can|could) (?:we|i|it|this|the \w+) (?:also )?{way}|(?:want|prefer)(?: to)? {way}|{way}|with \w|(?:is|are) (?:this|it|your \w+|you \w+ing) |does (?:this(?: \w+)?|your \w+|the \w+|it) (?:use|need|have|support|include|target|contain)\b)"
    ))
});
