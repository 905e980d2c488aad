//! The questions drawer: who asks what, which answers there are, where it stands.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, BorderType, Clear, Paragraph};

use crate::core::question::Kind;
use crate::dashboard::state::{Drawer, State};
use crate::wire::message::{QuestionInfo, Status};

use super::lines::{countdown, standing};
use super::palette::edit_line;
use super::text::{fit, wrap};
use super::theme;

/// Share of the height the drawer takes at most, so that the agent it is about stays in view.
const MAX_SHARE: u16 = 2;
/// Lines of the prompt shown; the agent's own screen has all of it.
const PROMPT_LINES: usize = 4;

pub fn draw(frame: &mut Frame<'_>, area: Rect, state: &State, drawer: &Drawer) {
    let cols = usize::from(area.width).saturating_sub(4);
    let question = drawer.id.as_deref().and_then(|id| state.question(id));
    let (mut lines, at) = match question {
        Some(question) => about(question, drawer, cols),
        None if state.questions.is_empty() => (vec![Line::styled("nobody asks anything", theme::DIM)], 0),
        None => (others(state, cols), 0),
    };
    let most = (area.height * MAX_SHARE / 3).max(area.height.min(12));
    let height = (lines.len() as u16 + 2).min(most);
    let place = Rect { y: area.y + area.height - height, height, ..area };
    let room = usize::from(height).saturating_sub(2);
    // The highlighted option stays in view.
    let skip = (at + 2).saturating_sub(room).min(lines.len().saturating_sub(room));
    lines.drain(..skip);
    let width = usize::from(place.width).saturating_sub(4);
    let block = Block::bordered().border_type(BorderType::Thick).border_style(theme::NEEDED);
    let block = block.title_top(fit(&title(state, question), width));
    let block = block.title_bottom(fit(&keys(question, drawer), width));
    frame.render_widget(Clear, place);
    frame.render_widget(Paragraph::new(lines).block(block), place);
}

fn title(state: &State, question: Option<&QuestionInfo>) -> String {
    let place = question.and_then(|q| state.questions.iter().position(|other| other.id == q.id));
    match (question, place) {
        (Some(question), Some(at)) => {
            let left = countdown(state, question).map(|left| format!(" · {left} left")).unwrap_or_default();
            let (at, all) = (at + 1, state.questions.len());
            let kind = question.kind.name();
            format!(" question {at} of {all} · {} · {kind} · {}{left} ", question.agent, standing(question))
        }
        _ => " questions ".into(),
    }
}

fn keys(question: Option<&QuestionInfo>, drawer: &Drawer) -> String {
    let Some(question) = question else { return " tab shows one, q closes ".into() };
    if drawer.edit.is_some() {
        return " Enter gives this answer, Esc leaves it ".into();
    }
    let mut keys = Vec::new();
    match (question.status, question.multi) {
        (Status::Proposed, _) => keys.push("Enter confirms, e edits, x discards"),
        (_, true) => keys.push("space ticks, Enter answers"),
        (_, false) if !question.options.is_empty() => keys.push("number or Enter answers"),
        (_, false) if question.kind == Kind::Review => keys.push("Enter submits these answers"),
        (_, false) => keys.push("Enter or t types an answer"),
    }
    if !question.options.is_empty() {
        keys.push("t own words");
    }
    keys.extend(["r rejects", "c consults", "tab next", "q closes"]);
    format!(" {} ", keys.join(", "))
}

/// One question, and the number of the line that has to be seen.
fn about(question: &QuestionInfo, drawer: &Drawer, cols: usize) -> (Vec<Line<'static>>, usize) {
    let mut lines: Vec<Line> = Vec::new();
    let prompt = wrap(&question.prompt, cols);
    lines.extend(
        prompt.into_iter().take(PROMPT_LINES).map(|text| Line::styled(format!(" {text}"), theme::BOLD)),
    );
    if let Some(subject) = &question.subject {
        lines.push(Line::styled(fit(&format!("   {subject}"), cols), theme::NEEDED));
    }
    let mut at = 0;
    for (i, option) in question.options.iter().enumerate() {
        let here = i == drawer.row && drawer.edit.is_none();
        if here {
            at = lines.len();
        }
        lines.push(option_line(question, drawer, (i, option), here, cols));
    }
    if let Some(answer) = &question.answer {
        lines.push(Line::default());
        let words =
            format!(" {}: {answer}", if question.status == Status::Proposed { "proposed" } else { "answer" });
        lines.push(Line::styled(fit(&words, cols), theme::status_style(question.status)));
    }
    if let Some(note) = &question.note {
        lines.push(Line::styled(fit(&format!(" {note}"), cols), theme::DIM));
    }
    if let Some(edit) = &drawer.edit {
        lines.push(Line::default());
        let mut line = edit_line(edit, cols.saturating_sub(3));
        line.spans.insert(0, Span::styled(" > ", theme::FOCUS));
        at = lines.len();
        lines.push(line);
    }
    (lines, at)
}

fn option_line(
    question: &QuestionInfo,
    drawer: &Drawer,
    (i, option): (usize, &String),
    here: bool,
    cols: usize,
) -> Line<'static> {
    let tick = match (question.multi, drawer.ticks.contains(&i)) {
        (false, _) => "",
        (true, true) => "[x] ",
        (true, false) => "[ ] ",
    };
    let mark = if here { "›" } else { " " };
    let number = question.number(i).map_or_else(|| "-".to_owned(), |number| format!("{number}."));
    let words = fit(&format!(" {mark} {number} {tick}{option}"), cols);
    let used = unicode_width::UnicodeWidthStr::width(words.as_str());
    let about = question.choices.get(i).map(|choice| choice.description.clone()).unwrap_or_default();
    let about =
        if about.is_empty() || cols < used + 6 { String::new() } else { fit(&about, cols - used - 3) };
    Line::from(vec![
        Span::styled(words, if here { theme::FOCUS } else { Default::default() }),
        Span::styled(if about.is_empty() { about } else { format!("  {about}") }, theme::DIM),
    ])
}

/// All open questions, a line each.
fn others(state: &State, cols: usize) -> Vec<Line<'static>> {
    let line = |question: &QuestionInfo| {
        let words = format!(" {} {}: {}", question.agent, standing(question), question.prompt);
        Line::styled(fit(&words, cols), theme::status_style(question.status))
    };
    state.questions.iter().map(line).collect()
}
