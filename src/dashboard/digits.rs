//! What a number means that is typed over a list of options, and the letter of a yes or a no.
//!
//! `drawer.rs` asks it for each digit, `view/questions.rs` to say what digits do. It chooses a row and gives nothing.
//! Pure.

use crate::core::question::Kind;
use crate::core::terminal::keys::{Key, KeyPress, Mods};
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

/// Whether `y` and `n` are answers here, as they are in the program itself.
pub fn by_letter(question: &QuestionInfo) -> bool {
    lettered(question, 'y').is_some() && lettered(question, 'n').is_some()
}

/// The one option that begins with this letter, where yes or no is asked for.
fn lettered(question: &QuestionInfo, letter: char) -> Option<usize> {
    if question.multi || question.kind != Kind::YesNo && question.options.len() != 2 {
        return None;
    }
    let begins =
        |row: &usize| question.options[*row].chars().next().is_some_and(|c| c.eq_ignore_ascii_case(&letter));
    let mut rows = (0..question.options.len()).filter(begins);
    rows.next().filter(|_| rows.next().is_none())
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
    /// `None`: the key is neither.
    pub fn pressed(question: &QuestionInfo, typed: Option<u32>, press: KeyPress) -> Option<Digits> {
        let Key::Char(ch) = press.key else { return None };
        match ch.to_ascii_lowercase() {
            digit @ '0'..='9' if press.mods == Mods::NONE => {
                Some(Digits::of(question, typed, u32::from(digit as u8 - b'0')))
            }
            letter @ ('y' | 'n')
                if by_letter(question) && !press.mods.has(Mods::CTRL) && !press.mods.has(Mods::ALT) =>
            {
                Some(Digits { row: lettered(question, letter), begun: None })
            }
            _ => None,
        }
    }

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
