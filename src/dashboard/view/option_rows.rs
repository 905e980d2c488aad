//! The options of a question in its drawer, each with its whole label: two that differ in their last word must not look
//! alike where one of them is given by Enter.
//!
//! `questions.rs` draws them, `asked_words.rs` counts their lines. It decides nothing.

use ratatui::style::Style;
use ratatui::text::{Line, Span};
use unicode_width::UnicodeWidthStr;

use crate::dashboard::highlight::{Proposal, lines as highlighted_lines, proposal};
use crate::dashboard::look::Part;
use crate::dashboard::mode::Drawer;
use crate::dashboard::state::State;
use crate::wire::message::QuestionInfo;

use super::text::{fit, wrap};

/// The mark of the highlighted row, with a blank at each side.
const MARK_COLS: usize = 3;
/// A label has at least so many columns, whatever stands before it.
const LEAST_COLS: usize = 8;
/// Less of a description says nothing.
const LEAST_ABOUT_COLS: usize = 6;

/// What one row says, broken to a width.
struct Words {
    /// Its number and its tick.
    head: String,
    label: Vec<String>,
    /// Who suggests it.
    by: String,
}

impl Words {
    fn of(question: &QuestionInfo, row: usize, ticked: bool, cols: usize) -> Words {
        let suggested = proposal(question).filter(|proposal| names_row(proposal, row, question));
        let label = match (question.options.get(row), &suggested) {
            (Some(label), Some(Proposal::Words { text, .. })) => format!("{label} “{text}”"),
            (Some(label), _) => label.clone(),
            (None, Some(Proposal::Words { text, .. })) => format!("“{text}”"),
            (None, _) => String::new(),
        };
        let number = match question.options.get(row) {
            Some(_) => question.number(row).map_or_else(|| "- ".to_owned(), |number| format!("{number}. ")),
            None => String::new(),
        };
        let tick = match (question.multi, ticked) {
            (false, _) => "",
            (true, true) => "[x] ",
            (true, false) => "[ ] ",
        };
        let head = format!("{number}{tick}");
        let by = suggested.map(|_| format!("◂ {} suggests", question.route)).unwrap_or_default();
        let room = cols.saturating_sub(MARK_COLS + head.width());
        let mut label = wrap(&label, room.max(LEAST_COLS));
        let last = label.last().map_or(0, |line| line.width());
        if !by.is_empty() && last + 1 + by.width() > room {
            label.push(String::new());
        }
        Words { head, label, by }
    }
}

/// How many lines all rows of a question take.
pub fn count(question: &QuestionInfo, cols: usize) -> usize {
    (0..highlighted_lines(question)).map(|row| Words::of(question, row, false, cols).label.len()).sum()
}

/// The lines of one row; `here`: it is the highlighted one.
pub fn lines(
    state: &State,
    question: &QuestionInfo,
    drawer: &Drawer,
    (row, here): (usize, bool),
    cols: usize,
) -> Vec<Line<'static>> {
    let look = &state.look;
    let Words { head, label, by } = Words::of(question, row, drawer.ticks.contains(&row), cols);
    let style = if here { look.of(Part::Focus) } else { Style::new() };
    let (mark, indent) = (if here { "›" } else { " " }, " ".repeat(MARK_COLS + head.width()));
    let last = label.len().saturating_sub(1);
    let line = |(at, words): (usize, String)| {
        let begin = if at == 0 { format!(" {mark} {head}") } else { indent.clone() };
        let text = fit(&format!("{begin}{words}"), cols);
        let mut used = text.width();
        let mut spans = vec![Span::styled(text, style)];
        if at == last {
            let by = match by.is_empty() {
                true => String::new(),
                false => fit(&format!("{}{by}", if words.is_empty() { "" } else { " " }), cols - used),
            };
            used += by.width();
            spans.push(Span::styled(by, look.of(Part::Suggested)));
            spans.push(Span::styled(about(question, row, cols.saturating_sub(used)), look.of(Part::Quiet)));
        }
        Line::from(spans)
    };
    label.into_iter().enumerate().map(line).collect()
}

/// What the program says about an option, as far as there is room beside it.
fn about(question: &QuestionInfo, row: usize, room: usize) -> String {
    let about = question.choices.get(row).map(|choice| choice.description.as_str()).unwrap_or_default();
    if about.is_empty() || room < LEAST_ABOUT_COLS {
        return String::new();
    }
    format!("  {}", fit(about, room - 3))
}

pub fn names_row(proposal: &Proposal, row: usize, question: &QuestionInfo) -> bool {
    match proposal {
        Proposal::Row(at) => *at == row,
        Proposal::Rows(rows) => rows.contains(&row),
        Proposal::Words { row: at, .. } => at.unwrap_or(question.options.len()) == row,
    }
}
