//! How often the screen of a terminal showed other words while its question was away.
//!
//! A redraw in pieces shows a part of the question for a moment, or nothing. A program that says something else meanwhile and
//! then asks in the same words asks again: the next file, another attempt. A session keeps one for its screen and shows it
//! every look; what it counts goes into the question's `Origin`, by which the two are told apart.

use crate::core::question::restless::at_rest;
use crate::core::question::{Kind, Question};
use crate::core::terminal::grid::Grid;

#[derive(Debug, Default)]
pub struct AskedAgain {
    /// What the lines of the screen said when the question stood there last; none where that is of another size.
    shown: Option<Vec<String>>,
    /// Other words have stood there since.
    others: bool,
    count: u64,
}

impl AskedAgain {
    /// A look at the screen, and what is asked there.
    pub fn looked(&mut self, question: Option<&Question>, grid: &Grid) {
        if question.is_some_and(|question| question.kind != Kind::Text) {
            self.count += u64::from(std::mem::take(&mut self.others));
            self.shown = Some(lines(grid));
            return;
        }
        if let Some(shown) = self.shown.as_ref().filter(|_| !self.others) {
            self.others = lines(grid).iter().any(|line| !shown.iter().any(|then| says_no_more(line, then)));
        }
    }

    /// Everything is drawn anew for another size, with lines that end elsewhere.
    pub fn resized(&mut self) {
        (self.shown, self.others) = (None, false);
    }

    /// How often it was so before the question that stands there now.
    pub fn count(&self) -> u64 {
        self.count
    }
}

/// The words of each line that has some, without what moves by itself: clocks, counts, spinners, marks.
fn lines(grid: &Grid) -> Vec<String> {
    let words =
        |line: &str| at_rest(line).chars().filter(|ch| ch.is_alphabetic()).collect::<String>().to_lowercase();
    grid.text().lines().map(words).filter(|line| !line.is_empty()).collect()
}

/// Whether a line shows a part of the one that stood there, or has come to show a tick (`[x]`) besides, or what was typed behind it.
fn says_no_more(line: &str, then: &str) -> bool {
    let ticked = line.char_indices().nth(1).is_some_and(|(at, _)| line.get(at..) == Some(then));
    then.contains(line) || line.starts_with(then) || ticked
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::question::Choice;
    use crate::core::terminal::grid::Size;
    use crate::core::terminal::query_replies::TerminalIdentity;
    use crate::core::terminal::screen::Screen;

    const MENU: &str = "\x1b[H\x1b[JWhich color? (9s)\r\n❯ [ ] red\r\n  [ ] green";

    /// How often it was asked again, where each of these was drawn: the menu, or what stood there instead.
    fn count(drawn: &[&str]) -> u64 {
        let mut screen = Screen::new(Size::new(40, 6), TerminalIdentity::default());
        let mut again = AskedAgain::default();
        let row = |label: &str| Choice { label: label.to_owned(), ..Choice::default() };
        let menu =
            Question { options: vec![row("red"), row("green")], ..Question::new(Kind::Menu, "Which color?") };
        for printed in drawn {
            screen.feed(printed.as_bytes());
            let asked = printed.contains("green").then_some(&menu);
            again.looked(asked, screen.grid());
        }
        again.count()
    }

    #[test]
    fn words_instead_of_a_question_make_the_next_one_another() {
        let others = "\x1b[H\x1b[Ja.txt keeps its color. Next: b.txt";
        assert_eq!(count(&[MENU, others, MENU]), 1);
        assert_eq!(count(&[MENU, others, "\x1b[H\x1b[J", MENU, MENU]), 1, "and gone again");
        assert_eq!(count(&[MENU, others, MENU, others, MENU]), 2);
    }

    #[test]
    fn a_part_of_a_question_makes_none() {
        for part in [
            "\x1b[H\x1b[J",
            "\x1b[H\x1b[JWhich co",
            "\x1b[H\x1b[JWhich color? (8s)",
            "\x1b[H\x1b[JWhich color? (8s)\r\n  [x] red",
            "\x1b[H\x1b[JWhich color? (7s) y",
            "\x1b[H\x1b[J12:00:01 ⠋ ────",
        ] {
            assert_eq!(count(&[MENU, part, MENU]), 0, "{part:?}");
        }
        assert_eq!(count(&["loading the colors", MENU]), 0, "nothing was asked before");
    }
}
