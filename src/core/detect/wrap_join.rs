//! Where a line of words goes on in the next one, and what stood between them.
//!
//! Labels, prompts and messages are joined by it; it decides nothing about what they mean.

use super::page::Line;

/// Columns that programs leave free at the right edge.
const MARGIN: usize = 2;

/// Whether `next` holds words that did not fit on `line`.
pub fn wraps(line: &Line, next: &Line) -> bool {
    let text =
        next.text.trim_start_matches(|ch: char| !ch.is_alphanumeric() && ch != '/' && ch != '(' && ch != '~');
    let word = text.split(' ').next().map_or(0, |word| word.chars().count());
    // The padding inside a box or along the right edge takes up to two columns.
    line.wrapped || line.end + 1 + word + 2 > line.inner.1
}

/// The first of these rows with those it goes on in.
pub fn whole(breaks: &str, rows: &[Line]) -> String {
    let mut text = rows.first().map(|line| line.text.clone()).unwrap_or_default();
    for pair in rows.windows(2).take_while(|pair| !pair[1].blank() && wraps(&pair[0], &pair[1])) {
        text.push_str(between(breaks, &pair[0], &pair[0].text, &pair[1].text));
        text.push_str(&pair[1].text);
    }
    text
}

/// What stood between two rows of one line that the terminal broke; none if they are two lines.
pub fn hard(line: &Line, next: &Line) -> Option<&'static str> {
    // A blank at the break is not among the words of either row.
    let full = line.end >= line.inner.1 && next.start == next.inner.0;
    line.wrapped.then_some(if full { "" } else { " " })
}

/// The same where a prompt library broke its line itself, at the edge of the screen: only its mark tells that the two are one.
pub fn broken_by_library(cols: usize, line: &Line, next: &Line) -> Option<&'static str> {
    let marked = line.text.starts_with("? ") && next.start == 0 && !next.text.starts_with(['?', '✔', '✖']);
    let word = next.text.split(' ').next().map_or(0, |word| word.chars().count());
    let full = line.end >= cols;
    (marked && (full || line.end + 1 + word > cols)).then_some(if full { "" } else { " " })
}

/// What stood between words and those of the next line before they were wrapped: a blank, or nothing
/// where the script writes none or where the program breaks words.
pub fn between(breaks: &str, line: &Line, before: &str, next: &str) -> &'static str {
    let unspaced = |ch: char| matches!(u32::from(ch), 0x2e80..=0xa4cf | 0xf900..=0xfaff | 0xfe30..=0xfe4f | 0xff00..=0xffef);
    let hangul = |ch: char| matches!(u32::from(ch), 0xac00..=0xd7a3);
    let both = |script: &dyn Fn(char) -> bool| {
        before.chars().next_back().is_some_and(script) && next.chars().next().is_some_and(script)
    };
    let mut end = before.chars().rev();
    let broken = end.next().is_some_and(|ch| breaks.contains(ch)) && end.next().is_some_and(|ch| ch != ' ');
    // Who breaks words breaks Korean ones between any two letters, once no other fits.
    let full = !breaks.is_empty() && line.end + 2 + MARGIN > line.inner.1;
    if line.wrapped || broken || both(&unspaced) || (full && both(&hangul)) { "" } else { " " }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(text: &str, end: usize) -> Line {
        let mut line = Line::default();
        (line.text, line.end, line.inner) = (text.into(), end, (0, 60));
        line
    }

    fn joined(breaks: &str, text: &str, end: usize, next: &str) -> &'static str {
        between(breaks, &line(text, end), text, next)
    }

    #[test]
    fn words_are_joined_as_the_program_parted_them() {
        assert_eq!(joined("-/", "start with `rm -rf build/very-", 58, "long-name`"), "");
        assert_eq!(joined("-/", "and python3 -", 58, "commands"), " ");
        assert_eq!(joined("", "always allow access to build/", 58, "from this project"), " ");
        assert_eq!(joined("", "保存先として", 58, "使用しますか"), "");
    }

    #[test]
    fn korean_words_are_parted_by_who_breaks_words() {
        assert_eq!(joined("-/", "지금은 테", 57, "스트가"), "");
        assert_eq!(joined("-/", "지금은 테", 40, "스트가"), " ");
        assert_eq!(joined("", "지금은 테", 57, "스트가"), " ");
    }
}
