//! The questions drawer: who asks what, which answers there are, what is suggested and why, how long it may take.
//!
//! It lies over the asker's own pane, so that nothing is hidden of an agent it is not about.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, BorderType, Clear, Paragraph};
use unicode_width::UnicodeWidthStr;

use crate::dashboard::answer_line::typing;
use crate::dashboard::highlight::{Proposal, lines as highlighted_lines, proposal};
use crate::dashboard::look::Part;
use crate::dashboard::state::{Drawer, Mode, State, needs_person};
use crate::dashboard::window::line_above;
use crate::wire::message::{QuestionInfo, Status};

use super::asked_words::{Asked, asked};
use super::form::edit_line;
use super::question_foot::foot;
use super::text::{fit, wrap};
use super::words;

/// Lines of a reason or a cause at least, and where there is room for them.
const REASON_LINES: (usize, usize) = (3, 10);
/// With fewer lines than this there is no room to say that there are more.
const MIN_LINES: usize = 2;
/// Of a pane, besides the lines of the drawer: the drawer's border.
const LEFT_ROWS: usize = 2;
/// What stands below the options where the agent's screen does not show all of them.
const OUT_OF_VIEW: &str = "   … more of it is out of view in its pane";
/// Of a countdown in the title.
const BAR_COLS: usize = 8;

/// What is under the pointer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Hit {
    /// The line of an option.
    Row(usize),
    /// The line of a question in the list of all.
    Question(usize),
    /// Elsewhere in the drawer.
    Inside,
}

/// One line, and what a click on it means.
type Shown = (Line<'static>, Option<Hit>);

/// The drawer as it stands on the screen.
struct Layout {
    place: Rect,
    lines: Vec<Shown>,
}

fn layout(state: &State, drawer: &Drawer) -> Layout {
    let question = drawer.id.as_deref().and_then(|id| state.question(id));
    let panes = state.regions().panes;
    let own = question.and_then(|question| state.pane_of(&question.agent));
    let area = own.unwrap_or(panes);
    let cols = usize::from(area.cols).saturating_sub(2);
    // The keys for which the edge has no room, where that takes none from what is asked.
    let (_, more) = foot(state, question, drawer, cols);
    let (mut lines, at) = match question {
        Some(question) => about(state, question, drawer, (cols, usize::from(area.rows)), more.len()),
        None => (others(state, drawer, cols), drawer.row.unwrap_or(0)),
    };
    let left = usize::from(area.rows).saturating_sub(lines.len() + LEFT_ROWS);
    let quiet = |words: String| (Line::styled(fit(&words, cols), state.look.of(Part::Quiet)), None);
    lines.extend(more.into_iter().take(left).map(quiet));
    let height = (lines.len() as u16 + 2).min(area.rows);
    let place = Rect::new(area.x, area.y + area.rows - height, area.cols, height);
    let room = usize::from(height).saturating_sub(2);
    // The highlighted option stays in view.
    let skip = (at + 2).saturating_sub(room.saturating_sub(1).max(1)).min(lines.len().saturating_sub(room));
    cut(&mut lines, skip, room, state.look.of(Part::Quiet));
    Layout { place, lines }
}

/// As many lines as there is room for; where options or questions are left out, a line says how many.
fn cut(lines: &mut Vec<Shown>, skip: usize, room: usize, style: Style) {
    let choices = |lines: &[Shown]| lines.iter().filter(|(_, hit)| hit.is_some()).count();
    let more = |count: usize, mark: &str| (Line::styled(format!("   {mark} {count} more"), style), None);
    let mut below = lines.split_off((skip + room).min(lines.len()));
    let mut above: Vec<Shown> = lines.drain(..skip).collect();
    // The line that says so takes the place of one more.
    if choices(&below) > 0 && lines.len() > MIN_LINES {
        below.extend(lines.pop());
        lines.push(more(choices(&below), "↓"));
    }
    if choices(&above) > 0 && lines.len() > MIN_LINES {
        above.push(lines.remove(0));
        lines.insert(0, more(choices(&above), "↑"));
    }
}

/// How many rows of this agent's pane the drawer lies over, from below.
pub fn rows_over(state: &State, name: &str) -> u16 {
    match &state.mode {
        Mode::Drawer(drawer) if state.in_drawer().is_some_and(|question| question.agent == name) => {
            layout(state, drawer).place.height.saturating_sub(1)
        }
        _ => 0,
    }
}

/// The row at which the drawer begins.
pub fn top(state: &State) -> Option<u16> {
    match &state.mode {
        Mode::Drawer(drawer) => Some(layout(state, drawer).place.y),
        _ => None,
    }
}

/// What of the drawer is under this cell.
pub fn hit(state: &State, col: u16, row: u16) -> Option<Hit> {
    let Mode::Drawer(drawer) = &state.mode else { return None };
    let Layout { place, lines } = layout(state, drawer);
    let inside =
        (place.x..place.x + place.width).contains(&col) && (place.y..place.y + place.height).contains(&row);
    if !inside {
        return None;
    }
    let line = usize::from(row).checked_sub(usize::from(place.y) + 1);
    Some(line.and_then(|line| lines.get(line)?.1).unwrap_or(Hit::Inside))
}

pub fn draw(frame: &mut Frame<'_>, state: &State, drawer: &Drawer) {
    let question = drawer.id.as_deref().and_then(|id| state.question(id));
    let Layout { place, lines } = layout(state, drawer);
    let place = place.intersection(frame.area());
    let width = usize::from(place.width).saturating_sub(2);
    let border = state.look.of(Part::Needed);
    let block = Block::bordered().border_type(BorderType::Thick).border_style(border);
    let block = block.title_top(title(state, question, width));
    let block = block
        .title_bottom(Line::styled(foot(state, question, drawer, width).0, state.look.over(Part::Quiet)));
    frame.render_widget(Clear, place);
    let lines: Vec<Line<'_>> = lines.into_iter().map(|(line, _)| line).collect();
    frame.render_widget(Paragraph::new(lines).block(block), place);
}

fn title(state: &State, question: Option<&QuestionInfo>, width: usize) -> Line<'static> {
    let strong = state.look.over(Part::Strong);
    let Some(question) = question else { return Line::styled(fit(" questions ", width), strong) };
    let mut spans =
        vec![Span::styled(format!(" {} {} ", question.agent, words::asks(question.kind)), strong)];
    let standing = match question.status {
        // It is marked on its line.
        Status::Proposed => format!("· {} suggests ", question.route),
        _ if needs_person(question) => String::new(),
        _ => format!("· {} ", words::standing(question)),
    };
    spans.push(Span::styled(standing, state.look.over(words::standing_part(question))));
    if let Some(left) = words::countdown(state, question) {
        let style = state.look.over(left.part());
        spans.push(Span::styled(format!("· {} {} ", left.words(), left.bar(BAR_COLS)), style));
    }
    let place = state.questions.iter().position(|other| other.id == question.id);
    if let Some(at) = place.filter(|_| state.questions.len() > 1) {
        let text = format!("· {} of {} ", at + 1, state.questions.len());
        spans.push(Span::styled(text, state.look.over(Part::Quiet)));
    }
    let mut used = 0;
    spans.retain(|span| {
        used += span.content.width();
        used <= width
    });
    Line::from(spans)
}

/// One question, and the number of the line that has to be seen. Below it stand so many lines of keys.
fn about(
    state: &State,
    question: &QuestionInfo,
    drawer: &Drawer,
    (cols, rows): (usize, usize),
    keys: usize,
) -> (Vec<Shown>, usize) {
    let look = &state.look;
    let mut lines: Vec<Shown> = Vec::new();
    let plain = |text: String, style: Style| (Line::styled(text, style), None);
    let Asked { prompt, subject, before, behind } = asked(question, cols, rows);
    let left_out = |count: usize| left_out(count, cols).map(|text| plain(text, look.of(Part::Warning)));
    let above = state.agent(&question.agent).and_then(|agent| line_above(&agent.grid, question));
    lines.extend(above.map(|text| plain(fit(&format!(" {text}"), cols), look.of(Part::Strong))));
    lines.extend(left_out(before));
    lines.extend(prompt.into_iter().map(|text| plain(format!(" {text}"), look.of(Part::Strong))));
    lines.extend(subject.into_iter().map(|text| plain(format!("   {text}"), look.of(Part::Needed))));
    lines.extend(left_out(behind));
    if let Some((names, chosen)) = &drawer.others {
        let at = lines.len() + 1 + chosen;
        lines.extend(whom_to_ask(state, names, *chosen, cols));
        return (lines, at);
    }
    let mut at = 0;
    let suggested = proposal(question);
    // Beside the border, the options and a line to type in.
    let taken = lines.len() + highlighted_lines(question) + 3 + keys;
    let room = rows.saturating_sub(taken).clamp(REASON_LINES.0, REASON_LINES.1);
    let why = reason(question, cols, room).into_iter().map(|text| plain(text, look.of(Part::Quiet)));
    for row in 0..highlighted_lines(question) {
        let here = drawer.row == Some(row) && !typing(question, drawer);
        if here {
            at = lines.len();
        }
        let marked = suggested.as_ref().filter(|proposal| names_row(proposal, row, question));
        lines.push((option_line(state, question, drawer, (row, here), marked, cols), Some(Hit::Row(row))));
        if marked.is_some() && last_named(suggested.as_ref(), row, question) {
            lines.extend(why.clone());
        }
    }
    if question.partial {
        lines.push(plain(fit(OUT_OF_VIEW, cols), look.of(Part::Warning)));
    }
    if suggested.is_none() {
        if let Some(answer) = &question.answer {
            lines.push(plain(
                fit(&format!(" answer: {answer}"), cols),
                look.of(words::standing_part(question)),
            ));
        }
        lines.extend(why);
    }
    if let Some(edit) = &drawer.edit {
        let mut line = edit_line(state, edit, cols.saturating_sub(3));
        line.spans.insert(0, Span::styled(" > ", look.of(Part::Focus)));
        at = lines.len();
        lines.push((line, None));
    }
    (lines, at)
}

/// Says that there is no room for so many lines of the words.
fn left_out(count: usize, cols: usize) -> Option<String> {
    let words = || format!("   … {count} more lines of it: close this, zoom its pane");
    (count > 0).then(|| fit(&words(), cols))
}

/// Consultants to choose from.
fn whom_to_ask(state: &State, names: &[String], chosen: usize, cols: usize) -> Vec<Shown> {
    let line = |(i, name): (usize, &String)| {
        let (mark, part) = if i == chosen { ("›", Part::Focus) } else { (" ", Part::Idle) };
        (Line::styled(fit(&format!(" {mark} {name}"), cols), state.look.of(part)), None)
    };
    let head = (Line::styled(" whom to ask:", state.look.of(Part::Quiet)), None);
    std::iter::once(head).chain(names.iter().enumerate().map(line)).collect()
}

/// Why it is suggested, or why it is a person's, in at most so many lines.
fn reason(question: &QuestionInfo, cols: usize, room: usize) -> Vec<String> {
    let words = question.note.as_deref().unwrap_or_default();
    let cols = cols.saturating_sub(6);
    let mut lines = if words.is_empty() { Vec::new() } else { wrap(words, cols) };
    if lines.len() > room {
        // What is cut off is seen to be.
        let last = fit(&format!("{} {}", lines[room - 1], lines[room]), cols.saturating_sub(1));
        lines.truncate(room - 1);
        lines.push(if last.ends_with('…') { last } else { format!("{last}…") });
    }
    lines.into_iter().map(|line| format!("     {line}")).collect()
}

fn names_row(proposal: &Proposal, row: usize, question: &QuestionInfo) -> bool {
    match proposal {
        Proposal::Row(at) => *at == row,
        Proposal::Rows(rows) => rows.contains(&row),
        Proposal::Words { row: at, .. } => at.unwrap_or(question.options.len()) == row,
    }
}

fn last_named(proposal: Option<&Proposal>, row: usize, question: &QuestionInfo) -> bool {
    let later = |proposal: &Proposal| {
        (row + 1..highlighted_lines(question)).any(|row| names_row(proposal, row, question))
    };
    !proposal.is_some_and(later)
}

fn option_line(
    state: &State,
    question: &QuestionInfo,
    drawer: &Drawer,
    (row, here): (usize, bool),
    suggested: Option<&Proposal>,
    cols: usize,
) -> Line<'static> {
    let look = &state.look;
    let tick = match (question.multi, drawer.ticks.contains(&row)) {
        (false, _) => "",
        (true, true) => "[x] ",
        (true, false) => "[ ] ",
    };
    let mark = if here { "›" } else { " " };
    let label = match (question.options.get(row), suggested) {
        (Some(label), Some(Proposal::Words { text, .. })) => format!("{label} “{text}”"),
        (Some(label), _) => label.clone(),
        (None, Some(Proposal::Words { text, .. })) => format!("“{text}”"),
        (None, _) => String::new(),
    };
    let number = match question.options.get(row) {
        Some(_) => question.number(row).map_or_else(|| "- ".to_owned(), |number| format!("{number}. ")),
        None => String::new(),
    };
    let by = suggested.map(|_| format!(" ◂ {} suggests", question.route)).unwrap_or_default();
    let words = fit(&format!(" {mark} {number}{tick}{label}"), cols.saturating_sub(by.width()));
    let used = words.width() + by.width();
    let about = question.choices.get(row).map(|choice| choice.description.clone()).unwrap_or_default();
    let about = if about.is_empty() || cols < used + 6 {
        String::new()
    } else {
        format!("  {}", fit(&about, cols - used - 3))
    };
    Line::from(vec![
        Span::styled(words, if here { look.of(Part::Focus) } else { Style::new() }),
        Span::styled(by, look.of(Part::Suggested)),
        Span::styled(about, look.of(Part::Quiet)),
    ])
}

/// All open questions, a line each; those that need the person say so.
fn others(state: &State, drawer: &Drawer, cols: usize) -> Vec<Shown> {
    if state.questions.is_empty() {
        return vec![(Line::styled(" nobody asks anything", state.look.of(Part::Quiet)), None)];
    }
    let line = |(at, question): (usize, &QuestionInfo)| {
        let here = drawer.row == Some(at);
        let mark = if here { "›" } else { " " };
        let words =
            format!("{} {} · {}", question.agent, words::asks(question.kind), words::standing(question));
        let head = format!(" {mark} {words} · ");
        let subject = words::subject(state, question, cols.saturating_sub(head.width()));
        let words = fit(&format!("{head}{subject}"), cols);
        let part = if here { Part::Focus } else { words::standing_part(question) };
        (Line::styled(words, state.look.of(part)), Some(Hit::Question(at)))
    };
    state.questions.iter().enumerate().map(line).collect()
}
