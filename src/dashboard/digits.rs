//! What a number means that is typed over a list of options.
//!
//! `drawer.rs` asks it for each digit, `view/questions.rs` to say what digits do. It chooses a row and gives nothing.
//! Pure.

use crate::wire::message::QuestionInfo;

/// The largest number of one digit.
const LARGEST: u32 = 9;

/// Whether some options have numbers of two digits: then the first digit alone means nothing yet.
fn long_numbers(question: &QuestionInfo) -> bool {
    question.options.len() > LARGEST as usize || numbers(question).any(|(_, number)| number > LARGEST)
}

/// Whether a number gives its answer at once. Where some options are out of view its row may not be the one that
/// is meant: it is highlighted, and given by Enter.
pub fn gives_at_once(question: &QuestionInfo) -> bool {
    !question.partial && !long_numbers(question)
}

/// What has been typed so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Digits {
    /// The row that has this number.
    pub row: Option<usize>,
    /// The number, where another digit would make it that of another row.
    pub begun: Option<u32>,
}

impl Digits {
    /// `typed`: the digit before this one, where it may be the first of two.
    pub fn of(question: &QuestionInfo, typed: Option<u32>, digit: u32) -> Digits {
        let number = typed.unwrap_or(0) * 10 + digit;
        let row = numbers(question).find(|(_, known)| *known == number).map(|(row, _)| row);
        let begins = numbers(question).any(|(_, known)| known > LARGEST && known / 10 == number);
        Digits { row, begun: Some(number).filter(|_| begins) }
    }
}

/// Rows with the numbers printed before them.
fn numbers(question: &QuestionInfo) -> impl Iterator<Item = (usize, u32)> + '_ {
    (0..question.options.len()).filter_map(|row| Some((row, question.number(row)?)))
}
