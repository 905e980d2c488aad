//! One agent's pane: its title and border, its screen.
//!
//! `view/mod.rs` draws the panes with it. What a pane shows is decided elsewhere: which part of a screen in `window.rs`,
//! which lines of a scrollback in `view/scrollback.rs`.

use std::collections::BTreeMap;
use std::ops::Range;

use ratatui::Frame;
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::style::{Modifier, Style};
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, BorderType, Paragraph};
use unicode_width::UnicodeWidthStr;

use crate::core::keymap::Action;
use crate::core::layout::Area;
use crate::core::question::{Kind, State as AgentState};
use crate::dashboard::agent::Agent;
use crate::dashboard::in_its_pane::only_there;
use crate::dashboard::look::Part;
use crate::dashboard::mode::Mode;
use crate::dashboard::state::{State, needs_person};
use crate::dashboard::window;

use super::framing::rect;
use super::rows::paint;
use super::text::{fit, wrap};
use super::{ascii, questions, scrollback, status, words};

/// Of a countdown in a title.
const BAR_COLS: usize = 6;
/// A title with room for mark, name and countdown.
const MIN_NAMED: usize = 24;
/// Less of a program's own title says nothing.
const MIN_TITLE: usize = 8;
/// Of a branch: whoever has long ones begins them alike, and the rest of the title wants to be seen too.
const MOST_BRANCH: usize = 32;

pub fn draw(frame: &mut Frame<'_>, area: Rect, state: &State, agent: &Agent) {
    let area = area.intersection(frame.area());
    if area.is_empty() {
        return;
    }
    let scroll = state.scrolled().filter(|scroll| scroll.name == agent.info.name);
    let cols = usize::from(area.width.saturating_sub(2));
    let foot = match scroll {
        Some(scroll) => {
            Some(Line::styled(scrollback::foot(state, scroll, cols), state.look.over(Part::Needed)))
        }
        None => question_words(state, agent),
    };
    let foot_width = foot.as_ref().map_or(0, Line::width) as u16;
    let inner = frame_around(frame, area, state, agent, foot);
    if inner.is_empty() {
        return;
    }
    if let Some(cause) = &agent.info.failed {
        return not_started(frame, inner, state, agent, cause);
    }
    if let Some(scroll) = scroll {
        return scrollback::draw(frame, inner, state, scroll);
    }
    let place = Place::of(inner, state, agent);
    let foot_cols = area.width.saturating_sub(2).saturating_sub(foot_width);
    if let Some(part) = part_shown(state, &place, foot_cols) {
        let x = area.right() - 1 - part.width() as u16;
        frame.buffer_mut().set_line(x, area.bottom() - 1, &part, foot_cols);
    }
    draw_screen(frame.buffer_mut(), &place, state, agent, 0..inner.height);
    if let Some(at) = cursor(state, agent, &place) {
        frame.set_cursor_position(at);
    }
}

/// Where in a pane an agent's screen is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    /// The room inside the border.
    pub inner: Rect,
    /// Column and row of the screen in its upper left corner.
    pub corner: (u16, u16),
    /// Columns and rows the whole screen has.
    pub whole: (u16, u16),
}

impl Place {
    fn of(inner: Rect, state: &State, agent: &Agent) -> Place {
        let focused = state.focus.as_deref() == Some(&agent.info.name);
        // What the drawer lies over is not looked for a place for the question.
        let over = questions::rows_over(state, &agent.info.name);
        let room = Area::new(inner.x, inner.y, inner.width, inner.height.saturating_sub(over).max(1));
        let asked = state.question_of(&agent.info.name);
        Place { inner, corner: window::origin(&agent.grid, room, focused, asked), whole: agent.grid.size }
    }

    /// The same before the pane is drawn; `None`: it shows no screen.
    pub fn within(area: Rect, state: &State, agent: &Agent) -> Option<Place> {
        let inner = Block::bordered().inner(area);
        (!inner.is_empty() && !agent.failed()).then(|| Place::of(inner, state, agent))
    }

    /// The line of the pane that shows this row of the screen.
    pub fn line_of(&self, row: u16) -> Option<u16> {
        row.checked_sub(self.corner.1).filter(|line| *line < self.inner.height)
    }
}

/// Where the screens of agents are; `None` while something may lie over them.
pub fn places(state: &State) -> Option<BTreeMap<String, Place>> {
    let covered = state.mode != Mode::Panes || state.prefix.pending || status::covers(state);
    if covered || state.cramped() || state.selection.is_some() {
        return None;
    }
    let place = |(agent, area): (&Agent, Area)| {
        Some((agent.info.name.clone(), Place::within(rect(area), state, agent)?))
    };
    Some(state.panes().into_iter().filter_map(place).collect())
}

/// One line of the pane, as the whole drawing would have it.
pub fn screen_line(state: &State, agent: &Agent, place: &Place, line: u16) -> Buffer {
    let mut buffer = Buffer::empty(Rect { y: place.inner.y + line, height: 1, ..place.inner });
    draw_screen(&mut buffer, place, state, agent, line..line + 1);
    if state.look.ascii {
        ascii::translate(&mut buffer);
    }
    buffer
}

/// Which part of the program's screen a pane shows that is too small for all of it, and how to see the rest; as much
/// of it as so many columns hold.
fn part_shown(state: &State, place: &Place, cols: u16) -> Option<Line<'static>> {
    let Place { inner, corner: (left, top), whole: (all_cols, all_rows) } = *place;
    let rows = (inner.height < all_rows).then(|| (top + 1, (top + inner.height).min(all_rows), all_rows));
    let columns = (inner.width < all_cols).then(|| (left + 1, (left + inner.width).min(all_cols), all_cols));
    if rows.is_none() && columns.is_none() {
        return None;
    }
    // Whoever is told of one direction takes the other to be whole: both, or a mark that says no more than that.
    let told = |names: [&str; 2], of: &str| {
        let part = |(name, (from, to, all)): (&str, (u16, u16, u16))| format!("{name}{from}–{to}{of}{all}");
        let parts = names.into_iter().zip([rows, columns]);
        let parts = parts.filter_map(|(name, shown)| Some(part((name, shown?))));
        parts.collect::<Vec<String>>().join(", ")
    };
    let part = told(["rows ", "columns "], " of ");
    let more = format!(" {part} · {} scrolls ", state.chord(Action::Scrollback));
    let short = [["rows ", "columns "], ["rows ", "cols "], ["r", "c"]].map(|names| told(names, "/"));
    let words = [more, format!(" {part} ")].into_iter().chain(short.map(|words| format!(" {words} ")));
    let mut words = words.chain([" … ".to_owned()]);
    let words = words.find(|words| words.width() <= usize::from(cols))?;
    Some(Line::styled(words, state.look.over(Part::Quiet)))
}

/// These lines of the pane.
fn draw_screen(buffer: &mut Buffer, place: &Place, state: &State, agent: &Agent, lines: Range<u16>) {
    let selection = state.selection.as_ref().filter(|known| known.moved && known.name == agent.info.name);
    let Place { inner, corner, .. } = *place;
    let (left, top) = selection.map_or(corner, |selection| selection.corner);
    let grid = selection.map_or(&agent.grid, |selection| &selection.grid);
    let area = Rect { y: inner.y + lines.start, height: lines.end - lines.start, ..inner };
    let rows = usize::from(top + lines.start)..usize::from(top + lines.end);
    let last = rows.end.min(grid.rows.len());
    paint(buffer, area, grid.rows.get(rows.start..last).unwrap_or_default(), left, &state.links);
    for (y, row) in (area.y..area.bottom()).zip(top + lines.start..) {
        if let Some((from, to)) = selection.and_then(|selection| selection.columns(row)) {
            let (from, to) = (from.max(left) - left, to.saturating_sub(left).min(inner.width));
            let place = Rect { x: inner.x + from, y, width: to.saturating_sub(from), height: 1 };
            buffer.set_style(place, state.look.of(Part::Selected));
        }
    }
    if agent.info.state == AgentState::Exited || state.out_of_date(&agent.info.name) {
        buffer.set_style(area, Style::new().add_modifier(Modifier::DIM));
    }
}

/// Where the terminal's own cursor goes, if this agent has it.
pub fn cursor(state: &State, agent: &Agent, place: &Place) -> Option<Position> {
    let typing = state.focus.as_deref() == Some(&agent.info.name) && matches!(state.mode, Mode::Panes);
    let (at, inner) = (agent.grid.cursor, place.inner);
    let (col, row) = (at.col.saturating_sub(place.corner.0), at.row.saturating_sub(place.corner.1));
    let seen = typing && at.visible && col < inner.width && row < inner.height;
    seen.then(|| Position::new(inner.x + col, inner.y + row))
}

/// Border and title; gives the room inside.
fn frame_around(
    frame: &mut Frame<'_>,
    area: Rect,
    state: &State,
    agent: &Agent,
    foot: Option<Line<'static>>,
) -> Rect {
    let focused = state.focus.as_deref() == Some(&agent.info.name);
    let struck = state.broadcast.on && state.targets().contains(&agent.info.name);
    // Broadcast has its colour and the focus its thickness: both are seen at once.
    let kind = match (struck, focused) {
        (_, true) => BorderType::Thick,
        (true, false) => BorderType::Double,
        (false, false) => BorderType::Rounded,
    };
    let border = match (struck, focused) {
        (true, _) => state.look.of(Part::Urgent),
        (false, true) => state.look.of(Part::Focus),
        (false, false) => state.look.of(Part::Frame),
    };
    let room = usize::from(area.width).saturating_sub(2);
    let block = Block::bordered().border_type(kind).border_style(border);
    let out = zoomed_words(state).filter(|words| words.width() + MIN_NAMED <= room);
    let room = room - out.as_ref().map_or(0, |words| words.width() + 1);
    let block = block.title_top(title(state, agent, focused, room));
    let block = match out {
        Some(words) => block.title_top(Line::styled(words, state.look.over(Part::Quiet)).right_aligned()),
        None => block,
    };
    let block = match foot {
        Some(foot) => block.title_bottom(foot),
        None => block,
    };
    let inner = block.inner(area);
    frame.render_widget(block, area);
    inner
}

/// How a person who sees one pane has all of them again.
fn zoomed_words(state: &State) -> Option<String> {
    let chord = state.chord(Action::Zoom);
    (state.zoomed && !chord.is_empty()).then(|| format!(" {chord} shows all "))
}

/// The name, and of the rest as much as fits, what matters most first.
fn title(state: &State, agent: &Agent, focused: bool, room: usize) -> Line<'static> {
    let look = &state.look;
    let style = look.over(words::part(agent));
    let name = fit(&format!("{} {}", agent.number, agent.info.name), room.saturating_sub(4));
    let mut left_over = room.saturating_sub(4 + name.width());
    let mut spans = vec![
        Span::styled(format!(" {} ", words::mark(agent)), style),
        Span::styled(name, look.over(if focused { Part::Focus } else { Part::Strong })),
    ];
    let mut push = |text: String, style: Style| {
        if text.width() <= left_over {
            left_over -= text.width();
            spans.push(Span::styled(text, style));
        }
    };
    let left = state.question_of(&agent.info.name).and_then(|question| words::countdown(state, question));
    if let Some(left) = left {
        push(format!(" {} {}", left.words(), left.bar(BAR_COLS)), look.over(left.part()));
    }
    push(format!(" {}", words::state_words(agent)), style);
    push(format!(" {}", words::age_of(state, agent)), look.over(Part::Quiet));
    if let Some(branch) = &agent.branch {
        push(format!(" · {}", fit(branch, MOST_BRANCH)), look.over(Part::Quiet));
    }
    let title = agent.info.title.trim();
    if !title.is_empty() && left_over > MIN_TITLE + 3 {
        let title = fit(title, left_over - 3);
        spans.push(Span::styled(format!(" · {title}"), look.over(Part::Quiet)));
    }
    spans.push(Span::raw(" "));
    Line::from(spans)
}

fn question_words(state: &State, agent: &Agent) -> Option<Line<'static>> {
    let question = state.question_of(&agent.info.name)?;
    let asks = words::asks(question.kind);
    let text = if needs_person(question) {
        // The key is the next one's; to another asker one goes first.
        let next = state.next_needed().is_some_and(|next| next.id == question.id);
        let there = || format!("{} {}", state.keymap.prefix, agent.number);
        let key = if next { state.chord(Action::Answer) } else { there() };
        match question.answer.as_deref() {
            Some(_) => format!(" {} · {key} ", words::standing(question)),
            None if only_there(question) && state.focus.as_ref() == Some(&agent.info.name) => {
                let verb = if question.kind == Kind::Password { "type" } else { "answer" };
                format!(" {asks} · {verb} it here ")
            }
            None if only_there(question) => format!(" {asks} · {key} goes here "),
            None if !next => format!(" {asks} · {key} goes here "),
            None => format!(" {asks} · {key} answers "),
        }
    } else {
        format!(" {asks} · {} ", words::standing(question))
    };
    Some(Line::styled(text, state.look.over(words::standing_part(question))))
}

/// Why it does not run, and what can be done about it: the keys act on the agent in focus.
fn not_started(frame: &mut Frame<'_>, inner: Rect, state: &State, agent: &Agent, cause: &str) {
    let cols = usize::from(inner.width).saturating_sub(2);
    let mut lines: Vec<Line<'_>> = vec![Line::default()];
    let cause = wrap(cause, cols).into_iter();
    lines.extend(cause.map(|line| Line::styled(format!(" {line}"), state.look.of(Part::Failed))));
    lines.push(Line::default());
    let mut push = |key: String, words: &'static str| {
        let key = Span::styled(format!(" {key} "), state.look.of(Part::Focus));
        lines.push(Line::from(vec![key, Span::raw(words)]));
    };
    if state.focus.as_ref() != Some(&agent.info.name) {
        push(format!("{} {}", state.keymap.prefix, agent.number), "goes here, and then");
    }
    push(state.chord(Action::Restart), "tries again");
    push(state.chord(Action::Stop), "takes it off the list");
    frame.render_widget(Paragraph::new(lines), inner);
}
