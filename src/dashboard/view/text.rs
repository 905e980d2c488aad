//! Text cut to a width, times as people read them.
//!
//! Widths are counted by grapheme, so that nothing is cut in half; control characters never come through.

use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

use crate::core::visible::visible;

/// At most `cols` columns of the text, with an ellipsis if something was cut.
pub fn fit(text: &str, cols: usize) -> String {
    let clean = clean(text);
    if clean.width() <= cols {
        return clean;
    }
    let mut out = String::new();
    let mut used = 1; // the ellipsis
    for grapheme in clean.graphemes(true) {
        if used + grapheme.width() > cols {
            break;
        }
        used += grapheme.width();
        out.push_str(grapheme);
    }
    if cols > 0 {
        out.push('…');
    }
    out
}

/// As many of the parts between its dots as there is room for: half a key's name helps nobody. The last is the way out, and
/// stays longest.
pub fn whole_parts(text: &str, cols: usize) -> String {
    let mut parts: Vec<&str> = text.trim().split(" · ").collect();
    let mut shown = text.to_owned();
    while clean(&shown).width() > cols && parts.len() > 1 {
        parts.remove(parts.len().saturating_sub(2));
        shown = format!(" {} ", parts.join(" · "));
    }
    fit(&shown, cols)
}

/// As `fit`, but of a text that is too long the end stays.
pub fn fit_end(text: &str, cols: usize) -> String {
    let clean = clean(text);
    if clean.width() <= cols {
        return clean;
    }
    let mut start = clean.len();
    let mut used = 1; // the ellipsis
    for (at, grapheme) in clean.grapheme_indices(true).rev() {
        used += grapheme.width();
        if used > cols {
            break;
        }
        start = at;
    }
    if cols > 0 { format!("…{}", &clean[start..]) } else { String::new() }
}

/// As `fit`, and filled with blanks to exactly that width.
pub fn pad(text: &str, cols: usize) -> String {
    let mut out = fit(text, cols);
    out.push_str(&" ".repeat(cols.saturating_sub(out.width())));
    out
}

fn clean(text: &str) -> String {
    // Also what turns the direction of writing, which would move what stands beside, and what joins or hides.
    let line: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    visible(&line).into_owned()
}

/// Words into lines of at most `cols` columns; a longer word, such as a path, goes on in the next line.
pub fn wrap(text: &str, cols: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in clean(text).split(' ').filter(|word| !word.is_empty()) {
        let line = lines.last_mut().expect("it begins with one line");
        if line.is_empty() {
            push_broken(&mut lines, word, cols);
        } else if line.width() + 1 + word.width() <= cols {
            line.push(' ');
            line.push_str(word);
        } else {
            lines.push(String::new());
            push_broken(&mut lines, word, cols);
        }
    }
    lines
}

/// Into the last line, which is empty, and as many more as it takes.
fn push_broken(lines: &mut Vec<String>, word: &str, cols: usize) {
    let word = if cols == 0 { "" } else { word };
    for grapheme in word.graphemes(true) {
        let line = lines.last_mut().expect("there is one to begin with");
        if line.width() + grapheme.width() <= cols || line.is_empty() {
            line.push_str(grapheme);
        } else {
            lines.push(grapheme.to_owned());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_cut_between_what_people_see_as_characters() {
        assert_eq!(fit("漢字漢字", 5), "漢字…");
        assert_eq!(fit("漢字漢字", 4), "漢…");
        assert_eq!(fit("e\u{301}e\u{301}e\u{301}", 2), "e\u{301}…");
        assert_eq!(fit("abc", 3), "abc");
        assert_eq!(fit("abc", 0), "");
        assert_eq!(fit("a\x1b[31mb\u{202e}c", 20), r"a [31mb\u{202e}c");
        assert_eq!(fit("a\u{200d}b\u{e0061}", 30), r"a\u{200d}b\u{e0061}");
        assert_eq!(pad("漢字漢字", 4), "漢… ");
        assert_eq!(wrap("one two  three", 7), ["one two", "three"]);
        assert_eq!(wrap("in /a/long/path x", 5), ["in", "/a/lo", "ng/pa", "th x"]);
        let foot = " enter starts it · tab completes · esc leaves ";
        assert_eq!(whole_parts(foot, 46), foot);
        assert_eq!(whole_parts(foot, 45), " enter starts it · esc leaves ");
        assert_eq!(whole_parts(foot, 29), " esc leaves ");
        assert_eq!(whole_parts(foot, 11), " esc leave…");
        assert_eq!(whole_parts("", 11), "");
        assert_eq!((fit_end("what is 漢字", 6), fit_end("abc", 3)), ("… 漢字".into(), "abc".into()));
    }
}
