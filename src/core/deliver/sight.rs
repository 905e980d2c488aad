//! What delivery sees: whether the dialog on the screen is the one that was asked, and whether a text
//! stands where it was typed.

use std::collections::HashSet;

use unicode_normalization::UnicodeNormalization;

use crate::core::question::{Choice, Kind, Question, Role, Verdict};

/// A piece of a draft this long, in characters, identifies a text of which the rest is out of view.
const TELLING: usize = 24;

/// Whether `now` is the dialog `asked`. What is typed into a free-text row changes its label, and with
/// it what detection takes the row for; every other word must be the same.
pub fn same(asked: &Question, now: &Question) -> bool {
    // The same words may be asked again, by the next read or by the same one further down.
    let again = !asked.origin.same_wait(&now.origin) || !asked.origin.same_place(&now.origin);
    if asked.options.len() != now.options.len() || again {
        return false;
    }
    let rows = asked.options.iter().zip(&now.options);
    let other = |(old, new): (&Choice, &Choice)| old.role == Role::FreeText || old.label != new.label;
    asked.fingerprint() == now.fingerprint()
        || (asked.kind == now.kind
            && asked.prompt == now.prompt
            && asked.subject == now.subject
            && rows.clone().any(other)
            && rows.clone().all(|(old, new)| same_row(old, new)))
}

/// Whether a row says what it said. A hint behind its label is told from that by its look: a row that loses the highlight
/// may become as faint as its hint. clack shows one in brackets while its row is highlighted or ticked, and else none.
fn same_row(old: &Choice, new: &Choice) -> bool {
    let hinted = |bare: &Choice, other: &Choice| {
        let hint = other
            .label
            .strip_prefix(&bare.label)
            .is_some_and(|rest| rest.starts_with(" (") && rest.ends_with(')'));
        hint && bare.checked.is_some() && bare.role == other.role
    };
    if hinted(old, new) || hinted(new, old) {
        return true;
    }
    let words = |row: &Choice| normalize(&format!("{} {}", row.label, row.description));
    old.role == Role::FreeText || old.label == new.label || (old.role == new.role && words(old) == words(new))
}

/// Whether `now` shows a part of the dialog `asked` and nothing else: a smaller pane pushes rows out of view.
/// No answer is given on such a sight; it only keeps the question from being asked all over again.
pub fn part_of(asked: &Question, now: &Question) -> bool {
    let rows = |question: &Question| question.options.iter().map(|row| row.label.clone()).collect::<Vec<_>>();
    let (all, seen) = (rows(asked), rows(now));
    asked.kind == now.kind
        && asked.multi == now.multi
        && asked.prompt.ends_with(&now.prompt)
        && (now.subject.is_none() || asked.subject == now.subject)
        && !seen.is_empty()
        && seen.len() <= all.len()
        && all.windows(seen.len()).any(|window| window == seen)
}

/// Whether `now` is the list `asked` with other rows in view: the same question over other rows. Pages are numbered in it.
pub fn other_rows(asked: &Question, now: &Question) -> bool {
    let words = |question: &Question| question.prompt.replace(|ch: char| ch.is_ascii_digit(), "");
    let rows =
        |question: &Question| matches!(question.kind, Kind::Menu | Kind::Multi) && !question.origin.line;
    rows(asked)
        && asked.kind == now.kind
        && asked.multi == now.multi
        && asked.subject == now.subject
        && asked.labels() != now.labels()
        && words(asked) == words(now)
}

/// Whether the rows in view of `now` follow those of `asked`, or go before them, and some are in both.
pub fn scrolled(asked: &Question, now: &Question) -> bool {
    let (old, new) = (asked.labels(), now.labels());
    other_rows(asked, now) && (later(&old, &new).is_some() || later(&new, &old).is_some())
}

/// By how many rows further down the list `asked` is seen in `now`; less than none: further up. Rows that say the same are
/// not told apart, and nothing is known of such a list.
pub(super) fn scrolled_by(asked: &Question, now: &Question) -> Option<isize> {
    let (old, new) = (asked.labels(), now.labels());
    let apart = |rows: &[&str]| rows.iter().collect::<HashSet<_>>().len() == rows.len();
    if !scrolled(asked, now) || !apart(&old) || !apart(&new) {
        return None;
    }
    let down = later(&old, &new).and_then(|by| isize::try_from(by).ok());
    down.or_else(|| later(&new, &old).and_then(|by| isize::try_from(by).ok()).map(|by| -by))
}

/// At which of the first rows the others begin.
fn later(first: &[&str], then: &[&str]) -> Option<usize> {
    (1..first.len()).find(|&by| then.get(..first.len() - by) == Some(&first[by..]))
}

/// Whether the text stands in the free-text row, beside it, or in the field that belongs to it.
pub(super) fn in_row(verdict: &Verdict, question: &Question, row: usize, text: &str) -> bool {
    let field = verdict.composer.as_ref().map(|composer| composer.draft.as_str());
    let choice = question.options.get(row);
    let label = choice.map(|choice| choice.label.as_str());
    let beside = choice.map(|choice| choice.description.as_str());
    let joined = choice.map(|choice| format!("{} {}", choice.label, choice.description));
    [field, label, beside, joined.as_deref()].into_iter().flatten().any(|shown| equal(shown, text))
}

/// Whether the draft is the text that was pasted, wholly or as far as the input line shows it.
pub(super) fn is_draft(draft: &str, text: &str) -> bool {
    let (draft, text) = (normalize(draft), normalize(text));
    if draft == text && !text.is_empty() {
        return true;
    }
    // Programs fold a long paste into a mark: the draft was empty before and nobody typed since.
    let folded = draft.starts_with("[pasted") && text.chars().count() > TELLING;
    folded || (draft.chars().count() >= TELLING && text.contains(draft.trim_matches('…')))
}

fn equal(shown: &str, text: &str) -> bool {
    let (shown, text) = (normalize(shown), normalize(text));
    // A narrow screen cuts a label off with an ellipsis.
    let cut = shown.strip_suffix('…').or_else(|| shown.strip_suffix("..."));
    let begins = cut.is_some_and(|cut| cut.chars().count() >= TELLING && text.starts_with(cut));
    shown == text || begins
}

/// Whether this text stands behind the prompt, as far as what stands there is known. Where the terminal shows what is
/// typed, nothing else may stand there: somebody else has printed that. Nor may nothing: a program has drawn its prompt anew,
/// and taken the answer for the one before.
pub(super) fn shows(question: &Question, text: &str) -> bool {
    let origin = &question.origin;
    let by_terminal = !origin.unechoed && origin.takes_lines();
    match (&origin.typed, by_terminal) {
        (Some(shown), true) => is_text(shown, text),
        (Some(shown), false) => begins(shown, text),
        (None, by_terminal) => question.typing || !by_terminal,
    }
}

/// Whether what stands behind a prompt is this text; a program may show a hint behind it.
fn begins(shown: &str, text: &str) -> bool {
    normalize(shown).starts_with(&normalize(text))
}

/// Whether it is this text and nothing more.
fn is_text(shown: &str, text: &str) -> bool {
    normalize(shown) == normalize(text)
}

/// A text as compared: wrapping, no-break blanks and composed characters make no difference.
fn normalize(text: &str) -> String {
    text.nfkc().filter(|ch| !ch.is_whitespace() && !ch.is_control()).flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::question::Choice;

    fn menu(prompt: &str, labels: &[&str]) -> Question {
        let choice = |label: &&str| Choice { label: (*label).to_owned(), ..Choice::default() };
        let options = labels.iter().map(choice).collect();
        Question { options, ..Question::new(Kind::Menu, prompt) }
    }

    #[test]
    fn rows_next_to_each_other_under_the_end_of_the_prompt_are_a_part() {
        let asked = menu("Which one? Choose", &["A", "B", "C"]);
        for (prompt, labels) in [("Which one? Choose", &["B", "C"][..]), ("Choose", &["A"]), ("", &["C"])] {
            assert!(part_of(&asked, &menu(prompt, labels)), "{prompt} {labels:?}");
        }
        for (prompt, labels) in
            [("Which two?", &["B"][..]), ("Choose", &["A", "C"]), ("Choose", &[]), ("", &["D"])]
        {
            assert!(!part_of(&asked, &menu(prompt, labels)), "{prompt} {labels:?}");
        }
        assert!(!part_of(&menu("Choose", &["A"]), &asked), "more than was asked is another question");
        let other = Question { kind: Kind::Permission, ..menu("", &["C"]) };
        assert!(!part_of(&asked, &other));
    }

    #[test]
    fn a_hint_that_cannot_be_told_from_its_label_makes_no_other_dialog() {
        let hinted = |label: &str, hint: &str| {
            let mut question = menu("Pick the tools", &[label, "Format"]);
            question.options[0].description = hint.to_owned();
            question
        };
        let asked = hinted("Lint", "(recommended)");
        assert!(same(&asked, &hinted("Lint (recommended)", "")));
        assert!(same(&hinted("Lint (recommended)", ""), &asked));
        for (label, hint) in [("Lint (recommended)", "(recommended)"), ("Lint (fast)", ""), ("Tests", "")] {
            assert!(!same(&asked, &hinted(label, hint)), "{label} {hint}");
        }
        let ticked = |label: &str| {
            let mut list = hinted(label, "");
            list.options.iter_mut().for_each(|row| row.checked = Some(false));
            list
        };
        assert!(same(&ticked("Lint"), &ticked("Lint (recommended)")), "shown once its row is ticked");
        assert!(!same(&ticked("Lint"), &ticked("Lint and more")));
        let mut aside = hinted("Lint (recommended)", "");
        aside.options[0].role = Role::Aside;
        assert!(!same(&asked, &aside));
    }

    #[test]
    fn a_list_has_scrolled_where_some_of_its_rows_are_still_there() {
        let asked = menu("Which one?", &["A", "B", "C"]);
        for labels in [&["B", "C", "D"][..], &["C", "D", "E"], &["Z", "A", "B"], &["B", "C"]] {
            assert!(scrolled(&asked, &menu("Which one?", labels)), "{labels:?}");
        }
        for labels in [&["D", "E", "F"][..], &["A", "C", "B"], &["A", "B", "C"]] {
            assert!(!scrolled(&asked, &menu("Which one?", labels)), "{labels:?}");
        }
        assert!(!scrolled(&asked, &menu("Which two?", &["B", "C", "D"])));
        let by = |labels: &[&str]| scrolled_by(&asked, &menu("Which one?", labels));
        assert_eq!(
            [by(&["B", "C", "D"]), by(&["Y", "Z", "A"]), by(&["A", "B", "C"])],
            [Some(1), Some(-2), None]
        );
        assert_eq!([by(&["D", "E", "F"]), by(&["C", "D", "D"])], [None, None], "rows that say the same");
        let page = |at: &str, labels: &[&str]| menu(&format!("Which one? [Page {at}/2]"), labels);
        assert!(other_rows(&page("1", &["A", "B"]), &page("2", &["C"])), "a page further");
    }
}
