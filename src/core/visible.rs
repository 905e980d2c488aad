//! What others wrote, as it may stand on a person's terminal: nothing acts, nothing hides, nothing turns the reading
//! direction.
//!
//! Tables, lists, errors, JSON and the summary of a project's file pass through here.

use std::borrow::Cow;
use std::fmt::Write;

use crate::core::question::normalize::invisible;

/// One line in which every control, bidi and invisible character is spelt out: `\u{1b}`. What joins or varies emoji stays.
pub fn visible(text: &str) -> Cow<'_, str> {
    let harmless = |ch: char| !ch.is_control() && !invisible(ch) && !matches!(ch, '\u{2028}' | '\u{2029}');
    if text.chars().all(harmless) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    let mut before = ' ';
    while let Some(ch) = chars.next() {
        let pictures = |ch: char| ch >= '\u{2190}' && harmless(ch);
        let part_of_picture = match ch {
            '\u{fe0f}' if chars.peek() == Some(&'\u{20e3}') => {
                before.is_ascii_digit() || matches!(before, '#' | '*')
            }
            '\u{fe0e}' | '\u{fe0f}' => pictures(before),
            '\u{200d}' => {
                (pictures(before) || before == '\u{fe0f}') && chars.peek().copied().is_some_and(pictures)
            }
            _ => false,
        };
        if harmless(ch) || part_of_picture {
            shown.push(ch);
        } else {
            // A string takes whatever is written into it.
            let _ = write!(shown, "\\u{{{:x}}}", u32::from(ch));
        }
        before = ch;
    }
    Cow::Owned(shown)
}

/// The same for several lines, each behind `indent` but the first.
pub fn visible_lines(text: &str, indent: &str) -> String {
    let lines: Vec<Cow<str>> = text.lines().map(visible).collect();
    lines.join(&format!("\n{indent}"))
}

/// JSON that says the same, with whatever acts or hides written as its escapes: `\u202e`.
pub fn visible_json(json: &str) -> Cow<'_, str> {
    // What is left to escape can only stand in its strings.
    let harmless = |ch: char| !invisible(ch) && !matches!(ch, '\u{7f}'..='\u{9f}' | '\u{2028}' | '\u{2029}');
    if json.chars().all(harmless) {
        return Cow::Borrowed(json);
    }
    let mut shown = String::with_capacity(json.len());
    for ch in json.chars() {
        if harmless(ch) {
            shown.push(ch);
            continue;
        }
        for unit in ch.encode_utf16(&mut [0; 2]) {
            // As above.
            let _ = write!(shown, "\\u{unit:04x}");
        }
    }
    Cow::Owned(shown)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A prompt read backwards, and words that only a model reads, stood as they were in `questions --json`.
    #[test]
    fn json_says_the_same_and_hides_nothing() {
        let value = serde_json::json!({ "prompt": "safe\u{202e}gpj\u{200b} \u{e0041}\u{9b}\u{2028} 漢 \\u" });
        let (text, mut seen) = (value.to_string(), String::new());
        let shown = visible_json(&text);
        assert_eq!(serde_json::from_str::<serde_json::Value>(&shown).unwrap(), value);
        seen.extend(shown.chars().filter(|ch| invisible(*ch) || ch.is_control() || *ch == '\u{2028}'));
        assert_eq!(seen, "");
        assert!(
            shown.contains("\\u202e") && shown.contains("\\udb40\\udc41") && shown.contains('漢'),
            "{shown}"
        );
    }

    #[test]
    fn what_acts_or_hides_is_spelt_out() {
        for (text, shown) in [
            ("plain 漢字 é", "plain 漢字 é"),
            ("\u{1b}[31mred\u{7}", "\\u{1b}[31mred\\u{7}"),
            ("a\tb\nc\r", "a\\u{9}b\\u{a}c\\u{d}"),
            ("safe\u{202e}gpj.exe", "safe\\u{202e}gpj.exe"),
            ("pay\u{200b}pal", "pay\\u{200b}pal"),
            ("a\u{fe0f}", "a\\u{fe0f}"),
            ("a\u{200d}b", "a\\u{200d}b"),
            ("1\u{fe0f}\u{20e3} 1\u{fe0f}", "1\u{fe0f}\u{20e3} 1\\u{fe0f}"),
            ("✔\u{fe0f} 👩\u{200d}💻 ❤\u{fe0f}\u{200d}🔥", "✔\u{fe0f} 👩\u{200d}💻 ❤\u{fe0f}\u{200d}🔥"),
            ("\u{e0041}\u{9b}", "\\u{e0041}\\u{9b}"),
            ("a\u{2028}b", "a\\u{2028}b"),
            ("a\u{1d173}\u{1bca0}b", "a\\u{1d173}\\u{1bca0}b"),
        ] {
            assert_eq!(visible(text), shown, "{text:?}");
        }
    }
}
