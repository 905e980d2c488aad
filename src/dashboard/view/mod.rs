//! The screen as a function of the state: list, panes, status line, and what lies over them.
//!
//! The loop calls `draw` when something changed. Nothing here changes anything or asks for the time.

mod agents;
mod ascii;
pub mod asked_words;
mod form;
mod help;
mod list;
mod log;
mod option_rows;
mod palette;
pub mod pane;
mod question_foot;
mod questions;
mod rows;
mod scrollback;
mod status;
mod text;
mod which_key;
mod words;

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::Line;
use ratatui::widgets::{Block, BorderType, Clear, Paragraph};

use crate::core::keymap::{Action, Context};
use crate::core::layout::Area;

use super::look::Part;
use super::panes::LEAST;
use super::state::{Mode, State};

pub use agents::agent_at;
pub use help::pages as help_pages;
pub use questions::{Hit, hit as drawer_hit};
pub use words::asks;

pub fn draw(frame: &mut Frame<'_>, state: &State) {
    if state.cramped() {
        cramped(frame, state);
    } else {
        whole(frame, state);
    }
    if state.look.ascii {
        ascii::translate(frame.buffer_mut());
    }
}

fn whole(frame: &mut Frame<'_>, state: &State) {
    let regions = state.regions();
    let panes = rect(regions.panes);
    agents::draw(frame, rect(regions.list), state);
    agents::tabs(frame, rect(regions.tabs), state);
    // While it closes there is nothing to go on with; nor is it known that nobody runs before the server has told.
    if state.agents.is_empty() && !state.ended && !state.syncing {
        help::welcome(frame, panes, state);
    }
    for (agent, area) in state.panes() {
        pane::draw(frame, rect(area), state, agent);
    }
    let over = rect(regions.over);
    match &state.mode {
        Mode::Panes | Mode::Scroll(_) => {}
        Mode::Help { page, .. } => help::draw(frame, over, state, *page),
        Mode::Palette(palette) => palette::draw(frame, over, state, palette),
        Mode::Create(form) => form::draw(frame, over, state, form),
        Mode::Sure(sure) => palette::sure(frame, over, state, sure),
        Mode::Drawer(drawer) => questions::draw(frame, state, drawer),
        Mode::Log(view) => log::draw(frame, over, state, view),
    }
    status::story(frame, rect(regions.story), state);
    status::draw(frame, rect(regions.status), state);
    status::draw_over(frame, state, questions::top(state));
    if state.prefix_pending {
        which_key::draw(frame, state);
    }
}

/// Too small for anything but a word; the one thing that cannot wait is said.
fn cramped(frame: &mut Frame<'_>, state: &State) {
    let (cols, rows) = LEAST;
    let mut lines = match state.next_needed() {
        Some(question) => vec![format!("{} {}", question.agent, words::asks(question.kind))],
        None => Vec::new(),
    };
    lines.push(format!("{}x{} is too small;", state.size.0, state.size.1));
    lines.push(format!("counsel needs {cols}x{rows}"));
    let lines: Vec<Line<'_>> = lines
        .into_iter()
        .map(|line| Line::styled(text::fit(&line, usize::from(state.size.0)), state.look.of(Part::Strong)))
        .collect();
    frame.render_widget(Paragraph::new(lines), frame.area());
}

fn rect(area: Area) -> Rect {
    Rect::new(area.x, area.y, area.cols, area.rows)
}

/// A box of at most this size in the middle, emptied; nothing outside `area` is touched.
fn middle(frame: &mut Frame<'_>, area: Rect, cols: u16, rows: u16) -> Rect {
    let (cols, rows) = (cols.min(area.width), rows.min(area.height));
    let place = Rect::new(area.x + (area.width - cols) / 2, area.y + (area.height - rows) / 2, cols, rows);
    frame.render_widget(Clear, place);
    place
}

/// What the keys of a box do, for its lower edge, the most important first; what has none is left out.
fn key_foot(state: &State, context: Context, named: &[(Action, &str)]) -> String {
    let key = |(action, words): &(Action, &str)| {
        let key = state.keymap.key(context, *action);
        (!key.is_empty()).then(|| format!("{key} {words}"))
    };
    let keys: Vec<String> = named.iter().filter_map(key).collect();
    if keys.is_empty() { String::new() } else { format!(" {} ", keys.join(" · ")) }
}

/// The frame of whatever lies over the panes.
fn framed(state: &State, title: &str, foot: &str, cols: u16) -> Block<'static> {
    let room = usize::from(cols).saturating_sub(2);
    let (strong, quiet) = (state.look.over(Part::Strong), state.look.over(Part::Quiet));
    Block::bordered()
        .border_type(BorderType::Rounded)
        .border_style(state.look.of(Part::Focus))
        .title_top(Line::styled(text::fit(title, room), strong))
        .title_bottom(Line::styled(text::whole_parts(foot, room), quiet))
}
