//! Words that are spelled with the letters of two alphabets: to whoever reads them they are known words, and to a list of words
//! they are none.
//!
//! `guard.rs` asks before a consultant or a rule says yes. Pure.

use crate::core::question::Question;

const WHY: &str = "letters of two alphabets stand within one of its words, which may read as another";

/// Why a question is a person's by the letters of its words.
pub fn in_words_of(q: &Question) -> Option<&'static str> {
    let rows = q.options.iter().flat_map(|row| [row.label.as_str(), row.description.as_str()]);
    std::iter::once(q.prompt.as_str()).chain(rows).any(is_mixed).then_some(WHY)
}

/// Latin and Cyrillic letters look alike. A Greek letter beside Latin ones is a unit or a difference.
fn is_mixed(text: &str) -> bool {
    let cyrillic = |ch: char| matches!(ch, '\u{400}'..='\u{52f}');
    text.split(|ch: char| !ch.is_alphabetic())
        .any(|word| word.contains(cyrillic) && word.contains(|ch: char| ch.is_ascii_alphabetic()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_of_two_alphabets_is_told_from_two_words() {
        for mixed in ["D\u{435}lete all files", "r\u{43c}", "un\u{44a}lock"] {
            assert!(is_mixed(mixed), "{mixed}");
        }
        for plain in ["Delete", "Удалить файл README.md", "Δt", "5 µs", "kΩ", "naïve", "日本 x", ""]
        {
            assert!(!is_mixed(plain), "{plain}");
        }
    }
}
