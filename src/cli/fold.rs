//! Words folded to the width of the terminal that shows them, where they are read one entry after the other: a log, a
//! report. Nothing is left out: what a table cuts, these keep. Pure.

use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

/// Every line at most `width` columns wide. What goes on stands `indent` columns in, or as far in as its line began.
pub fn fold(text: &str, width: usize, indent: usize) -> String {
    let lines: Vec<String> = text.lines().map(|line| fold_line(line, width.max(1), indent)).collect();
    lines.join("\n")
}

fn fold_line(line: &str, width: usize, indent: usize) -> String {
    if line.width() <= width {
        return line.to_owned();
    }
    let own = line.len() - line.trim_start_matches(' ').len();
    // On a terminal of a few columns the words need them all.
    let margin = own.max(indent).min(width / 2);
    let (mut folded, mut used) = (" ".repeat(own.min(width / 2)), own.min(width / 2));
    for piece in line[own..].split_inclusive(' ') {
        let word = piece.trim_end_matches(' ');
        if used + word.width() > width && used > margin {
            folded.truncate(folded.trim_end_matches(' ').len());
            folded.push('\n');
            folded.push_str(&" ".repeat(margin));
            used = margin;
        }
        for letter in piece.graphemes(true) {
            // A word that no line has room for, a path for instance; blanks at the end are not shown.
            if used + letter.width() > width && letter != " " {
                folded.push('\n');
                folded.push_str(&" ".repeat(margin));
                used = margin;
            }
            if used + letter.width() <= width {
                folded.push_str(letter);
                used += letter.width();
            }
        }
    }
    folded
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_folded_at_blanks_and_set_in() {
        let text = "warn  size: it is narrow for panes  [make it wider]\nok";
        let folded = "warn  size: it is narrow\n      for panes  [make\n      it wider]\nok";
        assert_eq!(fold(text, 24, 6), folded);
        assert_eq!(fold("    a question and its answer", 16, 4), "    a question\n    and its\n    answer");
    }

    #[test]
    fn what_has_no_blank_is_broken_and_nothing_is_lost() {
        let path = "/a/folder/that/is/long";
        assert_eq!(fold(path, 10, 2), "/a/folder/\n  that/is/\n  long");
        assert_eq!(fold("漢字漢字", 5, 0), "漢字\n漢字");
        let text = "  a  line of words, and onemoreofmanyletters\n\n    another";
        let bare = |text: &str| text.split_whitespace().collect::<String>();
        for width in 1..60 {
            let folded = fold(text, width, 4);
            assert!(folded.lines().all(|line| line.width() <= width), "{width}: {folded}");
            assert_eq!(bare(&folded), bare(text), "{width}");
        }
    }
}
