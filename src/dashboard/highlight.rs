//! Where the highlight of the drawer begins, and which rows an answer that is proposed names.
//!
//! `drawer.rs` and `view/questions.rs` ask it, so that what is marked is what Enter gives. A highlight is a
//! suggestion to press Enter: it never begins on something that cannot be taken back. Pure.

use crate::core::policy::guard::{destroys, refuses, veto, widens};
use crate::core::question::{Kind, Question, Role};
use crate::wire::message::{GivenAnswer, QuestionInfo, Status};

/// The answer that waits for a person's word.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Proposal {
    Row(usize),
    /// Ticks of a question that takes several.
    Rows(Vec<usize>),
    /// Words of one's own, and the row into which they are typed, if the question has one.
    Words {
        row: Option<usize>,
        text: String,
    },
}

/// What is proposed for this question now. Labels that stand twice name no row.
pub fn proposal(question: &QuestionInfo) -> Option<Proposal> {
    let answer = question.answer.as_deref().filter(|_| question.status == Status::Proposed)?;
    let row_of = |label: &str| {
        let mut rows = (0..question.options.len()).filter(|row| question.options[*row] == label);
        rows.next().filter(|_| rows.next().is_none())
    };
    if question.multi {
        let rows: Option<Vec<usize>> = answer.split(", ").map(row_of).collect();
        if let Some(mut rows) = rows {
            rows.sort_unstable();
            return Some(Proposal::Rows(rows));
        }
    } else if let Some(row) = row_of(answer) {
        return Some(Proposal::Row(row));
    }
    let free = |row: &usize| question.choices.get(*row).is_some_and(|c| c.role == Role::FreeText);
    let row = (0..question.options.len()).find(free);
    Some(Proposal::Words { row, text: answer.to_owned() })
}

/// The row on which the highlight begins: what is proposed, else what the program itself would take for
/// Enter. `None`: the person chooses before Enter means anything.
pub fn first_row(question: &QuestionInfo) -> Option<usize> {
    let proposed = match proposal(question) {
        Some(Proposal::Row(row)) => Some(row),
        Some(Proposal::Rows(rows)) => rows.first().copied(),
        // Without a row of its own it has the line below the options.
        Some(Proposal::Words { row, .. }) => Some(row.unwrap_or(question.options.len())),
        None => None,
    };
    let default = question.selected.filter(|row| *row < question.options.len());
    // A capital says nothing: what a prompt takes for Enter is typed small, and what is typed large may be anything.
    let row = proposed.or(default)?;
    (question.multi || !irreversible(question, row)).then_some(row)
}

/// The ticks to begin with: those proposed, else those the agent's own list has.
pub fn ticked(question: &QuestionInfo) -> Vec<usize> {
    if let Some(Proposal::Rows(rows)) = proposal(question) {
        return rows;
    }
    let checked = question.choices.iter().map(|choice| choice.checked == Some(true));
    checked.enumerate().filter_map(|(row, checked)| checked.then_some(row)).collect()
}

/// Lines the highlight goes over: the options, and proposed words without a row of their own.
pub fn lines(question: &QuestionInfo) -> usize {
    let words = matches!(proposal(question), Some(Proposal::Words { row: None, .. }));
    question.options.len() + usize::from(words)
}

/// Words that are exactly an option's label choose that option.
pub fn in_words(question: &QuestionInfo, text: String) -> GivenAnswer {
    if question.options.contains(&text) {
        return GivenAnswer { options: vec![text], ..GivenAnswer::default() };
    }
    // As several ticked labels are shown.
    let labels: Vec<String> = text.split(", ").map(str::to_owned).collect();
    if question.multi && labels.iter().all(|label| question.options.contains(label)) {
        return GivenAnswer { options: labels, ..GivenAnswer::default() };
    }
    GivenAnswer { text: Some(text), ..GivenAnswer::default() }
}

/// Whether choosing this row does what cannot be undone, or allows more than is asked for.
pub fn irreversible(question: &QuestionInfo, row: usize) -> bool {
    let Some(label) = question.options.get(row).filter(|label| !refuses(label)) else { return false };
    let consents = match question.kind {
        Kind::Permission | Kind::Plan | Kind::Dialog | Kind::YesNo => true,
        Kind::Trust | Kind::Login | Kind::Password => true,
        // These choose between ways.
        Kind::Menu | Kind::Multi | Kind::Review | Kind::Text => false,
    };
    destroys(label) || consents && (widens(label) || veto(&asked(question)).is_some())
}

fn asked(question: &QuestionInfo) -> Question {
    Question {
        kind: question.kind,
        prompt: question.prompt.clone(),
        options: question.choices.clone(),
        selected: question.selected,
        multi: question.multi,
        subject: question.subject.clone(),
        partial: question.partial,
        tab: None,
        typing: false,
        origin: Default::default(),
    }
}
