//! Where a line of words goes on in the next one, and what stood between them.
//!
//! Labels, prompts and messages are joined by it; it decides nothing about what they mean.

use unicode_width::UnicodeWidthChar;

use super::page::Line;

/// Columns that programs leave free at the right edge.
pub const MARGIN: usize = 2;

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
        text.push_str(between(breaks, (&pair[0], &pair[0].text), (&pair[1], &pair[1].text)));
        text.push_str(&pair[1].text);
    }
    text
}

/// What stood between two rows of one line that the terminal broke; none if they are two lines.
pub fn hard(line: &Line, next: &Line) -> Option<&'static str> {
    // A blank at the break is not among the words of either row. The last column may be too narrow for what comes next.
    let first = next.text.chars().next().and_then(UnicodeWidthChar::width).unwrap_or(1);
    let full = line.end + first > line.inner.1 && next.start == next.inner.0;
    line.wrapped.then_some(if full { "" } else { " " })
}

/// The same where a prompt library broke its line itself, at the edge of the screen: only its mark tells that the two are one.
pub fn broken_by_library(cols: usize, line: &Line, next: &Line) -> Option<&'static str> {
    let marked = line.text.starts_with("? ") && next.start == 0 && !next.text.starts_with(['?', '✔', '✖']);
    let word = next.text.split(' ').next().map_or(0, |word| word.chars().count());
    let full = line.end >= cols;
    (marked && (full || line.end + 1 + word > cols)).then_some(if full { "" } else { " " })
}

/// What stood between words of a line and those of the next one before they were wrapped: a blank, or nothing
/// where the script writes none or where the program breaks words.
pub fn between(
    breaks: &str,
    (line, before): (&Line, &str),
    (next_line, next): (&Line, &str),
) -> &'static str {
    if let Some(glue) = hard(line, next_line) {
        return glue;
    }
    let unspaced = |ch: char| matches!(u32::from(ch), 0x2e80..=0xa4cf | 0xf900..=0xfaff | 0xfe30..=0xfe4f | 0xff00..=0xffef);
    let hangul = |ch: char| matches!(u32::from(ch), 0xac00..=0xd7a3);
    let both = |script: &dyn Fn(char) -> bool| {
        before.chars().next_back().is_some_and(script) && next.chars().next().is_some_and(script)
    };
    let mut end = before.chars().rev();
    let broken = end.next().is_some_and(|ch| breaks.contains(ch)) && end.next().is_some_and(|ch| ch != ' ');
    // Who breaks words breaks Korean ones between any two letters, once no other fits.
    let full = !breaks.is_empty() && line.end + 2 + MARGIN > line.inner.1;
    if broken || both(&unspaced) || (full && both(&hangul)) { "" } else { " " }
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
        between(breaks, (&line(text, end), text), (&line(next, 0), next))
    }

    /// Words that a terminal of 58 columns broke right behind "going" read as another question than at 100.
    #[test]
    fn a_blank_at_the_edge_of_the_terminal_stays_a_blank() {
        let full = |text: &str, end: usize| {
            let mut full = line(text, end);
            full.wrapped = true;
            full
        };
        let joined = |one: &Line, other: &Line| between("", (one, &one.text), (other, &other.text));
        assert_eq!(joined(&full("that we are going", 59), &line("to build", 8)), " ");
        assert_eq!(joined(&full("for the very long winde", 60), &line("d new", 5)), "");
        let mut indented = line("to build", 9);
        indented.start = 1;
        assert_eq!(joined(&full("that we are going", 60), &indented), " ", "the blank begins the next row");
        assert_eq!(joined(&full("どの色", 59), &line("ですか", 6)), "", "half a glyph had no room");
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
