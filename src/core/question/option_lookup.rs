//! What a question offers: which number and which words mean which row.
//!
//! A person's answer and a consultant's are read by the same numbers that were shown to them. It never
//! guesses: what means no row, or more than one, is an error in words.

use crate::core::policy::guard;
use crate::core::question::normalize::{normalize, squeezed};
use crate::core::question::{Choice, Kind, Question, Role};

/// The number by which each row is chosen: the printed one where rows are numbered, else the position,
/// counted from 1. A row whose position is printed before another row has none.
pub fn numbers(q: &Question) -> Vec<Option<u32>> {
    numbers_of(&q.options)
}

pub fn numbers_of(rows: &[Choice]) -> Vec<Option<u32>> {
    let printed: Vec<u32> = rows.iter().filter_map(|choice| choice.number).collect();
    let number = |row: usize| {
        let position = u32::try_from(row + 1).ok();
        match rows[row].number {
            Some(number) => Some(number).filter(|n| printed.iter().filter(|p| *p == n).count() == 1),
            None => position.filter(|position| !printed.contains(position)),
        }
    };
    (0..rows.len()).map(number).collect()
}

pub fn by_number(q: &Question, number: u32) -> Option<usize> {
    numbers(q).iter().position(|known| *known == Some(number))
}

/// The one row with these words; `None` if there is none, an error if there are several.
pub fn by_label(q: &Question, label: &str) -> Result<Option<usize>, String> {
    let same = |form: fn(&str) -> String| -> Vec<usize> {
        let words = form(label);
        let rows = q.options.iter().enumerate();
        rows.filter(|(_, choice)| !words.is_empty() && form(&choice.label) == words)
            .map(|(row, _)| row)
            .collect()
    };
    // Only a line end can have broken a word, and nobody sees whether it did; a reply shows one that a terminal made as a
    // vertical tab.
    let broken = label.contains(['\n', '\u{b}']);
    let rows = same(if broken { squeezed } else { normalize });
    match rows.as_slice() {
        [] if q.origin.line => Ok(in_capitals(q, label)),
        [] => Ok(None),
        [row] => Ok(Some(*row)),
        _ => Err(format!("{} options read '{}'; give the number", rows.len(), normalize(label))),
    }
}

/// The one answer of a line that is these small letters with capitals: `y` where `Y` is typed. A capital that is said means no
/// small letter: it may be what another prompt had.
fn in_capitals(q: &Question, label: &str) -> Option<usize> {
    let words = normalize(label);
    let mut rows =
        (0..q.options.len()).filter(|row| normalize(&q.options[*row].label).to_lowercase() == words);
    rows.next().filter(|_| !words.is_empty() && rows.next().is_none())
}

/// The row that "2", "2. SQLite" or "SQLite" means. Number and words that mean two rows are an error; "#2" is the number,
/// unless a row is called that.
pub fn named(q: &Question, word: &str) -> Result<usize, String> {
    let label = by_label(q, word)?;
    let folded = normalize(word);
    let bare = folded.strip_prefix('#').unwrap_or(&folded);
    let digits: String = bare.chars().take_while(char::is_ascii_digit).collect();
    let rest = bare[digits.len()..].trim_start_matches(['.', ')', ':']).trim();
    if bare != folded && label.is_none() && bare != digits {
        return Err(format!("'{folded}' is not an option"));
    }
    let number = digits.parse::<u32>().ok().and_then(|number| by_number(q, number));
    let number = match (number, rest.is_empty()) {
        (Some(row), true) => Some(row),
        (Some(row), false) => Some(row).filter(|row| normalize(&q.options[*row].label) == rest),
        (None, _) => None,
    };
    match (label, number) {
        (Some(label), Some(number)) if label != number => {
            Err(twofold(q, &folded, "is the number of one option and the name of another", &digits))
        }
        (None, Some(row)) if folded == digits && begins_another(q, row, &digits) => Err(twofold(
            q,
            &folded,
            "is the number of one option and stands before the name of another",
            &digits,
        )),
        (Some(row), _) | (None, Some(row)) => Ok(row),
        (None, None) => Err(format!("'{folded}' is not an option")),
    }
}

/// Why a word is not taken, and how the number is said for certain: a row may be called what any other way of writing it is.
fn twofold(q: &Question, word: &str, what: &str, digits: &str) -> String {
    let forms = [format!("#{digits}"), format!("{digits}."), format!("{digits})")];
    let form = forms.iter().find(|form| by_label(q, form) == Ok(None));
    let mend = form.map_or("answer it in its pane".to_owned(), |form| format!("'{form}' is the number"));
    format!("'{word}' {what}; {mend}")
}

/// Whether another row than the one at this place shows the number, which is then no place: "1 Login", "(1) red".
fn begins_another(q: &Question, row: usize, digits: &str) -> bool {
    let begins = |choice: &Choice| {
        let label = choice.label.trim_start_matches(['(', '[']);
        let rest = label.strip_prefix(digits);
        choice.number.is_none() && rest.is_some_and(|rest| !rest.starts_with(char::is_alphanumeric))
    };
    q.options.iter().enumerate().any(|(at, choice)| at != row && begins(choice))
}

/// Whether a row can be an answer by itself: not one that takes words, leaves the question, or only
/// sends ticks.
pub fn choosable(q: &Question, row: usize) -> bool {
    let Some(choice) = q.options.get(row) else { return false };
    match choice.role {
        Role::Choice => !q.multi || choice.checked.is_some(),
        Role::Submit => !q.multi,
        Role::FreeText | Role::Aside => false,
    }
}

/// Whether a consultant may choose a row. It may allow a thing once, never for ever.
pub fn open_to_consultant(q: &Question, row: usize) -> bool {
    let approves = matches!(q.kind, Kind::Permission | Kind::Plan | Kind::Dialog);
    choosable(q, row) && !(approves && guard::widens(&q.options[row].label))
}

/// Whether Enter alone is an answer: in a line, of which whoever reads it makes what its prompt says.
pub fn takes_empty_line(q: &Question) -> bool {
    q.kind == Kind::Text && q.origin.line && q.options.is_empty()
}

/// Whether the question can be answered in words of one's own.
pub fn takes_text(q: &Question) -> bool {
    q.kind == Kind::Text || q.options.iter().any(|choice| choice.role == Role::FreeText)
}

/// A page of a form that shows the answers and has no rows: Enter confirms it.
pub fn bare_review(q: &Question) -> bool {
    q.kind == Kind::Review && q.options.is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn question(rows: &[(&str, Option<u32>, Role)]) -> Question {
        let row = |(label, number, role): &(&str, Option<u32>, Role)| Choice {
            label: (*label).into(),
            number: *number,
            role: *role,
            ..Choice::default()
        };
        Question {
            kind: Kind::Menu,
            prompt: "Which?".into(),
            options: rows.iter().map(row).collect(),
            selected: Some(0),
            multi: false,
            subject: None,
            partial: false,
            tab: None,
            typing: false,
            origin: Default::default(),
        }
    }

    /// Neither the number nor the words chose it: each was said to mean the other.
    #[test]
    fn a_number_that_is_a_label_too_is_said_with_a_mark() {
        let rows = question(&[
            ("Same", None, Role::Choice),
            ("Same", None, Role::Choice),
            ("2", None, Role::Choice),
        ]);
        assert!(named(&rows, "2").is_err_and(|why| why.ends_with("'#2' is the number")));
        assert_eq!([named(&rows, "#2"), named(&rows, "#3"), named(&rows, "3")], [Ok(1), Ok(2), Ok(2)]);
        assert!(named(&rows, "#4").is_err() && named(&rows, "#").is_err() && named(&rows, "Same").is_err());
        let marked = question(&[("#2", None, Role::Choice), ("b", None, Role::Choice)]);
        let twofold = named(&marked, "#2");
        assert!(
            twofold.is_err_and(|why| why.ends_with("'2.' is the number")),
            "said to be the number, it chose the row"
        );
        assert_eq!([named(&marked, "2."), named(&marked, "2")], [Ok(1), Ok(1)]);
        // whiptail's tags, or rows that count down: whoever says 1 may have read either.
        for labels in [["q Quit", "1 Login"], ["(2) green", "(1) blue"], ["3. red", "1. blue"]] {
            let rows = question(&labels.map(|label| (label, None, Role::Choice)));
            assert!(
                named(&rows, "1").is_err_and(|why| why.contains("before the name of another")),
                "{labels:?}"
            );
            assert_eq!((named(&rows, "#1"), named(&rows, labels[1])), (Ok(0), Ok(1)));
        }
        let counted = question(&[("1 Login", None, Role::Choice), ("2 Session", None, Role::Choice)]);
        assert_eq!([named(&counted, "1"), named(&counted, "2")], [Ok(0), Ok(1)]);
        let every = question(&[
            ("1", None, Role::Choice),
            ("#1", None, Role::Choice),
            ("1.", None, Role::Choice),
            ("b", None, Role::Choice),
        ]);
        assert_eq!([named(&every, "1"), named(&every, "1)"), named(&every, "#4")], [Ok(0), Ok(0), Ok(3)]);
        assert!(named(&every, "#1").is_err_and(|why| why.ends_with("'1)' is the number")));
    }

    #[test]
    fn a_printed_number_wins_over_the_position() {
        let scrolled = question(&[("c", Some(3), Role::Choice), ("d", Some(4), Role::Choice)]);
        assert_eq!(numbers(&scrolled), [Some(3), Some(4)]);
        assert_eq!(by_number(&scrolled, 1), None);
        assert_eq!(by_number(&scrolled, 3), Some(0));
        let mixed = question(&[("a", Some(1), Role::Choice), ("Submit", None, Role::Submit)]);
        assert_eq!(numbers(&mixed), [Some(1), Some(2)]);
        let taken = question(&[("a", Some(2), Role::Choice), ("b", None, Role::Choice)]);
        assert_eq!(numbers(&taken), [Some(2), None]);
        let twice = question(&[("a", Some(1), Role::Choice), ("b", Some(1), Role::Choice)]);
        assert_eq!(numbers(&twice), [None, None]);
    }

    #[test]
    fn words_mean_one_row_or_none() {
        let q = question(&[
            ("Yes", None, Role::Choice),
            ("Don’t", None, Role::Choice),
            ("Yes ", None, Role::Choice),
        ]);
        assert!(by_label(&q, "Yes").is_err());
        assert_eq!(by_label(&q, "Don't"), Ok(Some(1)));
        assert_eq!(by_label(&q, "no"), Ok(None));
        assert_eq!(by_label(&q, "  "), Ok(None));
    }

    #[test]
    fn small_letters_mean_the_capitals_that_a_line_wants_and_no_others() {
        let line = |labels: &[&str]| {
            let mut line =
                question(&labels.iter().map(|label| (*label, None, Role::Choice)).collect::<Vec<_>>());
            line.origin.line = true;
            line
        };
        assert_eq!([named(&line(&["Y", "N"]), "n"), named(&line(&["Yes", "No"]), "no")], [Ok(1), Ok(1)]);
        assert!(named(&line(&["y", "n"]), "N").is_err(), "what the line shows as a capital is typed small");
        assert_eq!(named(&line(&["y", "n", "a", "A"]), "A"), Ok(3));
        assert!(named(&question(&[("Yes", None, Role::Choice)]), "yes").is_err(), "a row is a name");
    }

    #[test]
    fn a_number_that_is_also_a_name_means_nothing() {
        let ports =
            question(&[("2", None, Role::Choice), ("1", None, Role::Choice), ("80", None, Role::Choice)]);
        assert!(named(&ports, "1").is_err());
        assert_eq!(named(&ports, "1. 2"), Ok(0));
        assert_eq!(named(&ports, "80"), Ok(2));
        assert_eq!(named(&ports, "3"), Ok(2));
        assert!(named(&ports, "4").is_err());
        assert!(named(&ports, "3. 2").is_err());
    }

    #[test]
    fn a_word_broken_by_the_terminal_is_still_the_word() {
        let q = question(&[("PostgreSQL", None, Role::Choice), ("SQLite", None, Role::Choice)]);
        assert_eq!(named(&q, "Postgre\n   SQL"), Ok(0));
        assert!(named(&q, "Postgre SQL").is_err());
    }
}
