//! Comparing labels as a person would: Unicode forms, white space and punctuation look-alikes folded.
//!
//! Used wherever a label stands in for a number. Folding never makes two different words equal; it
//! only undoes what keyboards, fonts and language models do to punctuation.

use unicode_normalization::UnicodeNormalization;

/// The folded form. Two labels are the same answer exactly if their folded forms are equal.
pub fn fold(label: &str) -> String {
    let plain: String = label.nfkc().filter(|ch| !is_invisible(*ch)).map(punctuation).collect();
    plain.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Characters without a picture that change how text is laid out or joined, not what it says: zero
/// widths, joiners, direction marks and overrides, variation selectors.
pub fn is_invisible(ch: char) -> bool {
    matches!(ch,
        '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{2069}' | '\u{feff}' | '\u{fe00}'..='\u{fe0f}' | '\u{e0000}'..='\u{e007f}')
}

fn punctuation(ch: char) -> char {
    match ch {
        '\u{2018}' | '\u{2019}' | '\u{201a}' | '\u{201b}' | '\u{2032}' | '\u{b4}' | '`' => '\'',
        '\u{201c}' | '\u{201d}' | '\u{201e}' | '\u{201f}' | '\u{2033}' | '\u{ab}' | '\u{bb}' => '"',
        '\u{2010}'..='\u{2015}' | '\u{2212}' => '-',
        ch => ch,
    }
}

/// The one row whose label folds to the same; an error says why there is not exactly one.
pub fn only_match<'a>(label: &str, labels: impl Iterator<Item = &'a str>) -> Result<usize, String> {
    let wanted = fold(label);
    let same: Vec<usize> =
        labels.enumerate().filter(|(_, other)| fold(other) == wanted).map(|(at, _)| at).collect();
    match same.as_slice() {
        [] => Err(format!("'{label}' is not one of the options")),
        [one] => Ok(*one),
        _ => Err(format!("'{label}' stands for more than one option")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn look_alikes_are_the_same_label() {
        for (a, b) in [
            ("Yes, and don\u{2019}t ask again", "Yes, and don't ask again"),
            ("Expand \u{2014} then contract", "Expand - then contract"),
            ("Postgre\u{200b}SQL", "PostgreSQL"),
            ("  a \u{a0} b\n", "a b"),
            ("\u{ff21}", "A"),
            ("cafe\u{301}", "café"),
        ] {
            assert_eq!(fold(a), fold(b));
        }
    }

    #[test]
    fn different_words_stay_different() {
        for (a, b) in [("Yes", "yes"), ("No", "No."), ("A", "B"), ("a b", "ab")] {
            assert_ne!(fold(a), fold(b));
        }
    }

    #[test]
    fn a_label_must_mean_exactly_one_row() {
        assert_eq!(only_match("b", ["a", "b"].into_iter()), Ok(1));
        assert!(only_match("c", ["a", "b"].into_iter()).is_err());
        assert!(only_match("a", ["a", "a "].into_iter()).is_err());
    }
}
