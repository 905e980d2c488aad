//! The questions drawer: who asks what, which answers there are, what is suggested and why, how long it may take.
//!
//! It lies over the asker's own pane, so that nothing is hidden of an agent it is not about.

use std::ops::Range;

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, BorderType, Clear, Paragraph};
use unicode_width::UnicodeWidthStr;

use crate::dashboard::answer_line::typing;
use crate::dashboard::highlight::{Proposal, lines as highlighted_lines, proposal};
use crate::dashboard::look::Part;
use crate::dashboard::mode::{Drawer, Mode};
use crate::dashboard::state::{State, needs_person};
use crate::dashboard::window::line_above;
use crate::wire::message::{QuestionInfo, Status};

use super::asked_words::{Asked, REASON_LINES, asked, reason_cols};
use super::form::edit_line;
use super::option_rows::{self, names_row};
use super::question_foot::foot;
use super::text::{fit, wrap};
use super::words;

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

/// What there is to show.
#[derive(Default)]
struct Content {
    /// Lines of the words for which there is no room.
    before: usize,
    /// What is asked. It stays where it is while the highlight goes through the options.
    head: Vec<Shown>,
    /// The options, and what belongs to them.
    body: Vec<Shown>,
    /// Which of these lines have to be seen: the highlighted option, or the line that is typed.
    at: Range<usize>,
}

impl Content {
    /// As many lines as there is room for.
    fn into_lines(mut self, state: &State, room: usize, cols: usize) -> Vec<Shown> {
        // The highlighted option, and a line above and below it that says what is left out.
        let least = self.body.len().min(self.at.len() + 2);
        let lacks = |content: &Content| {
            let head = content.head.len() + usize::from(content.before > 0);
            head + least.min(room) > room && head + content.body.len() > room
        };
        // Something of what is asked stays, however long an option is.
        while self.head.len() > 1 && lacks(&self) {
            self.head.remove(0);
            self.before += 1;
        }
        let marked = self.before > 0 && lacks(&self);
        let mut lines: Vec<Shown> = Vec::new();
        match self.head.first_mut().filter(|_| marked) {
            // No room for a line that says so: a mark does.
            Some(first) => first.0 = cut_before(&first.0, cols),
            None => lines.extend(left_out(state, self.before, cols)),
        }
        lines.extend(self.head);
        let room = room.saturating_sub(lines.len());
        let last = self.body.len().saturating_sub(room);
        let goes_on =
            self.body.get(self.at.end..).is_some_and(|rest| rest.iter().any(|(_, hit)| hit.is_some()));
        let end = self.at.end + usize::from(goes_on);
        let skip = end.saturating_sub(room).min(self.at.start.saturating_sub(1)).min(last);
        let arrows = room >= self.at.len() + 2;
        cut(&mut self.body, (skip, room, arrows), state.look.of(Part::Quiet));
        lines.extend(self.body);
        lines
    }
}

fn layout(state: &State, drawer: &Drawer) -> Layout {
    let question = drawer.id.as_deref().and_then(|id| state.question(id));
    let panes = state.regions().panes;
    let own = question.and_then(|question| state.pane_of(&question.agent));
    let area = own.unwrap_or(panes);
    let cols = usize::from(area.cols).saturating_sub(2);
    // The keys for which the edge has no room, where that takes none from what is asked.
    let (_, more) = foot(state, question, drawer, cols);
    let content = match question {
        Some(question) => about(state, question, drawer, (cols, usize::from(area.rows)), more.len()),
        None => others(state, drawer, cols),
    };
    let most = usize::from(area.rows).saturating_sub(LEFT_ROWS);
    let mut lines = content.into_lines(state, most, cols);
    let left = most.saturating_sub(lines.len());
    let quiet = |words: String| (Line::styled(fit(&words, cols), state.look.of(Part::Quiet)), None);
    lines.extend(more.into_iter().take(left).map(quiet));
    let height = (lines.len() as u16 + 2).min(area.rows);
    let place = Rect::new(area.x, area.y + area.rows - height, area.cols, height);
    Layout { place, lines }
}

/// As many lines as there is room for; where options or questions are left out, a line says how many.
fn cut(lines: &mut Vec<Shown>, (skip, room, arrows): (usize, usize, bool), style: Style) {
    let choices = |lines: &[Shown]| {
        let mut hits: Vec<Hit> = lines.iter().filter_map(|(_, hit)| *hit).collect();
        hits.dedup();
        hits.len()
    };
    let more = |count: usize, mark: &str| (Line::styled(format!("   {mark} {count} more"), style), None);
    let mut below = lines.split_off((skip + room).min(lines.len()));
    let mut above: Vec<Shown> = lines.drain(..skip).collect();
    // The line that says so takes the place of one more.
    if choices(&below) > 0 && arrows {
        below.splice(0..0, lines.pop());
        lines.push(more(choices(&below), "↓"));
    }
    if choices(&above) > 0 && arrows {
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

/// One question. Below it stand so many lines of keys.
fn about(
    state: &State,
    question: &QuestionInfo,
    drawer: &Drawer,
    (cols, rows): (usize, usize),
    keys: usize,
) -> Content {
    let look = &state.look;
    let plain = |text: String, style: Style| (Line::styled(text, style), None);
    let Asked { prompt, subject, before, behind } = asked(question, cols, rows);
    let above = state.agent(&question.agent).and_then(|agent| line_above(&agent.grid, question));
    let mut head: Vec<Shown> = Vec::new();
    head.extend(above.map(|text| plain(fit(&format!(" {text}"), cols), look.of(Part::Strong))));
    head.extend(prompt.into_iter().map(|text| plain(format!(" {text}"), look.of(Part::Strong))));
    head.extend(subject.into_iter().map(|text| plain(format!("   {text}"), look.of(Part::Needed))));
    head.extend(left_out(state, behind, cols));
    if let Some((names, chosen)) = &drawer.others {
        let body = whom_to_ask(state, names, *chosen, cols);
        return Content { before, head, body, at: chosen + 1..chosen + 2 };
    }
    let (mut body, mut at): (Vec<Shown>, _) = (Vec::new(), 0..0);
    let suggested = proposal(question);
    // Beside the border, the options and a line to type in.
    let taken = head.len() + option_rows::count(question, cols) + 3 + keys;
    let room = rows.saturating_sub(taken).clamp(REASON_LINES.0, REASON_LINES.1);
    let why = if suggested.is_some() { reason(question, cols, room) } else { cause(question, cols, room) };
    let why = why.into_iter().map(|text| plain(text, look.of(Part::Quiet)));
    for row in 0..highlighted_lines(question) {
        let here = drawer.row == Some(row) && !typing(question, drawer);
        let first = body.len();
        let lines = option_rows::lines(state, question, drawer, (row, here), cols);
        body.extend(lines.into_iter().map(|line| (line, Some(Hit::Row(row)))));
        if here {
            at = first..body.len();
        }
        let marked = suggested.as_ref().is_some_and(|proposal| names_row(proposal, row, question));
        if marked && last_named(suggested.as_ref(), row, question) {
            body.extend(why.clone());
        }
    }
    if question.partial {
        body.push(plain(fit(OUT_OF_VIEW, cols), look.of(Part::Warning)));
    }
    if suggested.is_none() {
        if let Some(answer) = &question.answer {
            let words = fit(&format!(" answer: {answer}"), cols);
            body.push(plain(words, look.of(words::standing_part(question))));
        }
        body.extend(why);
    }
    if let Some(edit) = &drawer.edit {
        let mut line = edit_line(state, edit, cols.saturating_sub(3));
        line.spans.insert(0, Span::styled(" > ", look.of(Part::Focus)));
        at = body.len()..body.len() + 1;
        body.push((line, None));
    }
    Content { before, head, body, at }
}

/// Says that there is no room for so many lines of the words.
fn left_out(state: &State, count: usize, cols: usize) -> Option<Shown> {
    let words = || {
        let long = format!("   … {count} more lines of it: close this, zoom its pane");
        if long.width() <= cols {
            long
        } else {
            fit(&format!("   … {count} more lines: see its pane"), cols)
        }
    };
    (count > 0).then(|| (Line::styled(words(), state.look.of(Part::Warning)), None))
}

/// A line of words with a mark that it is not their beginning.
fn cut_before(line: &Line<'static>, cols: usize) -> Line<'static> {
    let words: String = line.spans.iter().map(|span| span.content.as_ref()).collect();
    Line::styled(fit(&format!(" …{}", words.trim_start()), cols), line.style)
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

/// Why it is suggested, below what is.
fn reason(question: &QuestionInfo, cols: usize, room: usize) -> Vec<String> {
    let lines = note_lines(question.note.as_deref().unwrap_or_default(), reason_cols(cols), room);
    lines.into_iter().map(|line| format!("     {line}")).collect()
}

/// Why it is the person's, or what else there is to say of it. It belongs to no option, and begins where none does.
fn cause(question: &QuestionInfo, cols: usize, room: usize) -> Vec<String> {
    let Some(note) = question.note.as_deref().filter(|note| !note.is_empty()) else { return Vec::new() };
    let words = if needs_person(question) { format!("yours: {note}") } else { note.to_owned() };
    let lines = note_lines(&words, cols.saturating_sub(2), room);
    lines.into_iter().map(|line| format!(" {line}")).collect()
}

/// At most so many lines of a note.
fn note_lines(words: &str, cols: usize, room: usize) -> Vec<String> {
    let mut lines = if words.is_empty() { Vec::new() } else { wrap(words, cols) };
    if lines.len() > room {
        // What is cut off is seen to be.
        let last = fit(&format!("{} {}", lines[room - 1], lines[room]), cols.saturating_sub(1));
        lines.truncate(room - 1);
        lines.push(if last.ends_with('…') { last } else { format!("{last}…") });
    }
    lines
}

fn last_named(proposal: Option<&Proposal>, row: usize, question: &QuestionInfo) -> bool {
    let later = |proposal: &Proposal| {
        (row + 1..highlighted_lines(question)).any(|row| names_row(proposal, row, question))
    };
    !proposal.is_some_and(later)
}

/// All open questions, a line each; those that need the person say so.
fn others(state: &State, drawer: &Drawer, cols: usize) -> Content {
    if state.questions.is_empty() {
        let nobody = (Line::styled(" nobody asks anything", state.look.of(Part::Quiet)), None);
        return Content { body: vec![nobody], ..Content::default() };
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
    let at = drawer.row.unwrap_or(0);
    let body = state.questions.iter().enumerate().map(line).collect();
    Content { body, at: at..at + 1, ..Content::default() }
}
