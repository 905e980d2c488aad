//! Normalizing: when two labels are the same words.
//!
//! `core/question/option_lookup.rs` compares with it what somebody said with what a dialog offers. Letters
//! keep their case: "y" and "Y" may be two options. It never decides which option is meant.

use unicode_normalization::UnicodeNormalization;

/// Whether a character shows nothing and so cannot tell two labels apart: joiners, marks of direction,
/// soft hyphens, selectors of a glyph's variant, tags.
pub fn invisible(ch: char) -> bool {
    matches!(ch,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
        | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
        | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}' | '\u{fff9}'..='\u{fffb}'
        | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}')
}

/// One form for the same words: NFKC, straight quotes, plain dashes, single blanks, nothing invisible.
pub fn normalize(text: &str) -> String {
    let mut folded = String::with_capacity(text.len());
    for ch in text.chars().filter(|ch| !invisible(*ch)).nfkc() {
        match ch {
            // Tabs and line ends are control characters too, but part words.
            ch if ch.is_whitespace() => blank(&mut folded),
            ch if ch.is_control() || invisible(ch) => {}
            '‘' | '’' | '‚' | '‛' | '′' | 'ʼ' | '`' | '´' => folded.push('\''),
            '“' | '”' | '„' | '‟' | '″' | '«' | '»' => folded.push('"'),
            '‐' | '‑' | '‒' | '–' | '—' | '―' | '−' | '⁃' => folded.push('-'),
            ch => folded.push(ch),
        }
    }
    folded.truncate(folded.trim_end().len());
    folded
}

fn blank(folded: &mut String) {
    if !folded.is_empty() && !folded.ends_with(' ') {
        folded.push(' ');
    }
}

/// The normalized words without any blank: what stays equal when a terminal broke a word over two lines.
pub fn squeezed(text: &str) -> String {
    normalize(text).replace(' ', "")
}

/// Whether both are the same words with their lines broken elsewhere: where one of them goes on in a new line, the other may have
/// a blank or nothing. Any other blank is a part of the words.
pub fn same_but_for_breaks(one: &str, other: &str) -> bool {
    let gap = |text: &str| text.len() - text.trim_start().len();
    let (mut one, mut other) = (one.trim(), other.trim());
    loop {
        let (of_one, of_other) = (&one[..gap(one)], &other[..gap(other)]);
        let broken = of_one.contains('\n') || of_other.contains('\n');
        if !broken && of_one != of_other {
            return false;
        }
        let (mut words, mut others) = (one.trim_start().chars(), other.trim_start().chars());
        match (words.next(), others.next()) {
            (None, None) => return true,
            (Some(ch), Some(other)) if ch == other => {}
            _ => return false,
        }
        (one, other) = (words.as_str(), others.as_str());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_words_in_other_characters_fold_alike() {
        for (one, other) in [
            ("Don’t ask", "Don't ask"),
            ("“Yes”", "\"Yes\""),
            ("A – B", "A - B"),
            ("Type\u{a0}something…", "Type something..."),
            ("  a \t b\n c ", "a b c"),
            ("ﬁle", "file"),
            ("e\u{301}t\u{e9}", "\u{e9}te\u{301}"),
            ("Postgre\u{200b}SQL", "PostgreSQL"),
            ("\u{202e}abc\u{202c}", "abc"),
            ("ＳＱＬite", "SQLite"),
            ("✔\u{fe0f} done", "✔ done"),
            ("｛x｝", "{x}"),
        ] {
            assert_eq!(normalize(one), normalize(other), "{one:?} {other:?}");
            assert_eq!(normalize(&normalize(one)), normalize(one));
        }
    }

    #[test]
    fn other_words_stay_other_words() {
        for (one, other) in [("Yes", "yes"), ("Yes", "Yes."), ("a b", "ab"), ("1", "2"), ("а", "a")] {
            assert_ne!(normalize(one), normalize(other));
        }
    }

    #[test]
    fn a_line_may_be_broken_elsewhere_and_no_blank_be_lost() {
        let told = "rm -rf build && echo one two";
        for other in [
            told,
            "rm -rf build &&\necho one two",
            "rm -rf build && echo one\ntwo",
            "rm -rf bui\nld && ec\nho one two",
            "rm -rf\n  build && echo one two\n",
        ] {
            assert!(same_but_for_breaks(told, other) && same_but_for_breaks(other, told), "{other:?}");
        }
        assert!(same_but_for_breaks("rm -rf build\n&& echo one two", "rm -rf build && echo\none two"));
        for other in [
            "rm -rfbuild && echo one two",
            "rm -rf  build && echo one two",
            "rm -rf build && echo one",
            "rm -rf build /\n&& echo one two",
            "",
        ] {
            assert!(!same_but_for_breaks(told, other) && !same_but_for_breaks(other, told), "{other:?}");
        }
    }
}
