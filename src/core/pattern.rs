//! Regular expressions that are held against lines of a screen, with frames, arrows and bullets among their words.
//!
//! Profiles (`core/profile/`) and the rules of detection (`core/detect/`) are written in them. They mean exactly what
//! `regex` says they mean; nothing is matched here that it would not match.
//!
//! A word boundary `\b` of Unicode makes `regex` leave its automaton at the first character outside ASCII, for an
//! engine that takes 50 times as long: a frame drawn around a dialog is made of such characters. Where a line holds no
//! letter or digit outside ASCII, a boundary of ASCII stands at the same places, and the automaton goes on.

use std::borrow::Cow;
use std::sync::OnceLock;

use regex::{Captures, Error, Regex, RegexBuilder, RegexSet, SetMatches};
use serde::{Deserialize, Deserializer, de::Error as _};

/// Bytes a compiled pattern of a profile may take, which is somebody's file.
const SIZE_LIMIT: usize = 1 << 20;

/// A regular expression, compiled when it is made.
#[derive(Debug, Clone)]
pub struct Pattern {
    text: Box<str>,
    /// With boundaries of ASCII.
    quick: Regex,
    /// With those of Unicode, once a line needs them; none where the pattern has no boundary.
    exact: Option<OnceLock<Regex>>,
}

impl Pattern {
    /// One that somebody wrote into a profile.
    pub fn new(text: &str) -> Result<Pattern, Error> {
        Pattern::built(text, |text| RegexBuilder::new(text).size_limit(SIZE_LIMIT).build())
    }

    /// One that the program itself brings along.
    pub fn constant(text: &str) -> Pattern {
        Pattern::built(text, Regex::new).expect("the pattern is a constant that a test compiles")
    }

    fn built(text: &str, build: fn(&str) -> Result<Regex, Error>) -> Result<Pattern, Error> {
        let bounded = in_ascii(text);
        let quick = build(bounded.as_deref().unwrap_or(text))?;
        Ok(Pattern { text: text.into(), quick, exact: bounded.map(|_| OnceLock::new()) })
    }

    pub fn is_match(&self, text: &str) -> bool {
        self.over(text).is_match(text)
    }

    /// The first group, or the whole match if there is no group.
    pub fn capture<'t>(&self, text: &'t str) -> Option<&'t str> {
        let found = self.captures(text)?;
        found.get(1).or_else(|| found.get(0)).map(|group| group.as_str())
    }

    pub fn captures<'t>(&self, text: &'t str) -> Option<Captures<'t>> {
        self.over(text).captures(text)
    }

    pub fn find(&self, text: &str) -> Option<std::ops::Range<usize>> {
        self.over(text).find(text).map(|found| found.range())
    }

    pub fn replace_all<'t>(&self, text: &'t str, by: &str) -> Cow<'t, str> {
        self.over(text).replace_all(text, by)
    }

    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The form that is exact for this text.
    fn over(&self, text: &str) -> &Regex {
        match &self.exact {
            Some(exact) if !has_ascii_words(text) => exact.get_or_init(|| {
                Regex::new(&self.text)
                    .expect("it differs from the form that was compiled by its boundaries alone")
            }),
            _ => &self.quick,
        }
    }
}

/// Several at once, of which any may match.
#[derive(Debug)]
pub struct PatternSet {
    quick: RegexSet,
    /// As they are written, for the first text that needs them so.
    exact: OnceLock<RegexSet>,
    written: Box<[String]>,
}

impl PatternSet {
    /// Those that the program itself brings along.
    pub fn constant<S: AsRef<str>>(patterns: &[S]) -> PatternSet {
        let written: Box<[String]> = patterns.iter().map(|text| text.as_ref().to_owned()).collect();
        let bounded = written.iter().map(|text| in_ascii(text).unwrap_or_else(|| text.clone()));
        PatternSet { quick: compiled(bounded), exact: OnceLock::new(), written }
    }

    pub fn is_match(&self, text: &str) -> bool {
        self.over(text).is_match(text)
    }

    /// The indices of those that match, in order.
    pub fn matches(&self, text: &str) -> SetMatches {
        self.over(text).matches(text)
    }

    fn over(&self, text: &str) -> &RegexSet {
        if has_ascii_words(text) {
            return &self.quick;
        }
        self.exact.get_or_init(|| compiled(self.written.iter().cloned()))
    }
}

fn compiled(patterns: impl Iterator<Item = String>) -> RegexSet {
    RegexSet::new(patterns).expect("the patterns are constants that a test compiles")
}

/// The pattern with each `\b` and `\B` of Unicode as one of ASCII; none if it has none.
fn in_ascii(pattern: &str) -> Option<String> {
    let (mut bounded, mut found) = (String::with_capacity(pattern.len()), false);
    let mut rest = pattern.chars().peekable();
    while let Some(ch) = rest.next() {
        let escaped = (ch == '\\').then(|| rest.next()).flatten();
        match escaped {
            // `\b{start}` and the like are words' ends, of which the engine knows no quick form here.
            Some(bound @ ('b' | 'B')) if rest.peek() != Some(&'{') => {
                found = true;
                bounded.push_str(&format!("(?-u:\\{bound})"));
            }
            Some(escaped) => bounded.extend([ch, escaped]),
            None => bounded.push(ch),
        }
    }
    found.then_some(bounded)
}

/// Whether no letter, digit, mark or joiner of the text is outside ASCII. What is not known for a sign counts as one.
fn has_ascii_words(text: &str) -> bool {
    text.is_ascii() || text.chars().all(|ch| ch.is_ascii() || is_sign(ch))
}

/// Frames, blocks, shapes, arrows, ticks, bullets, dashes, quotes, signs of mathematics and pictures: ranges without
/// anything that Unicode counts among the characters of a word.
fn is_sign(ch: char) -> bool {
    matches!(ch,
        '\u{2500}'..='\u{2bff}'
        | '\u{2190}'..='\u{245f}'
        | '\u{2010}'..='\u{203e}'
        | '\u{a0}'..='\u{a9}' | '\u{ab}'..='\u{b1}' | '\u{bb}' | '\u{bf}' | '\u{d7}'
        | '\u{3000}'..='\u{3004}' | '\u{3008}'..='\u{3020}'
        | '\u{e0a0}'..='\u{e0d7}'
        | '\u{ff01}'..='\u{ff0f}' | '\u{ff1a}'..='\u{ff20}'
        | '\u{1f300}'..='\u{1faff}')
}

impl<'de> Deserialize<'de> for Pattern {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Pattern, D::Error> {
        let text = String::deserialize(deserializer)?;
        Pattern::new(&text).map_err(|error| D::Error::custom(first_line(&error.to_string())))
    }
}

/// The last line of a regex error names the cause; the lines above draw a picture of it.
fn first_line(text: &str) -> String {
    text.lines().last().unwrap_or(text).trim_start_matches("error: ").to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_sign_belongs_to_a_word() {
        let word = Regex::new(r"\w").unwrap();
        let all = '\u{80}'..=char::MAX;
        let wrong: Vec<char> = all.filter(|ch| is_sign(*ch) && word.is_match(&ch.to_string())).collect();
        assert_eq!(wrong, [] as [char; 0]);
    }

    #[test]
    fn only_boundaries_are_written_anew() {
        assert_eq!(in_ascii(r"\bkey\b").as_deref(), Some(r"(?-u:\b)key(?-u:\b)"));
        assert_eq!(in_ascii(r"a\Bb").as_deref(), Some(r"a(?-u:\B)b"));
        assert_eq!(in_ascii(r"\\b\w[\\b]"), None, "a backslash and a letter");
        assert_eq!(in_ascii(r"\b{start}x"), None);
    }

    /// A boundary beside a letter outside ASCII stands where Unicode has it, among frames as well.
    #[test]
    fn a_word_ends_where_it_ends_in_its_own_script() {
        let pin = Pattern::constant(r"(?i)\bpin\b");
        for (text, found) in [
            ("│ PIN: │", true),
            ("│ épin │", false),
            ("│ pinée ❯", false),
            ("épin │ pin ›", true),
            ("pin\u{301} │", false),
            ("pin\u{200d}x", false),
            ("ピンpin", false),
            ("❯pin…", true),
        ] {
            assert_eq!(pin.is_match(text), found, "{text:?}");
            assert_eq!(PatternSet::constant(&[r"(?i)\bpin\b"]).is_match(text), found, "{text:?}");
            assert_eq!(pin.is_match(text), Regex::new(pin.as_str()).unwrap().is_match(text), "{text:?}");
        }
    }

    #[test]
    fn a_fault_names_its_cause_and_not_the_form_that_is_compiled() {
        let fault = Pattern::new(r"\b(").unwrap_err();
        assert_eq!(first_line(&fault.to_string()), "unclosed group");
    }
}
