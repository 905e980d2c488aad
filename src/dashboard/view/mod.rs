//! The screen as a function of the state: list, panes, status line, and what lies over them.
//!
//! The loop calls `draw` when something changed. Nothing here changes anything or asks for the time.

mod agents;
mod ascii;
pub mod asked_words;
mod form;
mod framing;
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
use ratatui::text::Line;
use ratatui::widgets::Paragraph;

use super::look::Part;
use super::mode::Mode;
use super::panes::LEAST;
use super::state::State;

use framing::rect;

pub use agents::agent_at;
pub use help::pages as help_pages;
pub use questions::{Hit, hit as drawer_hit};
pub use which_key::pages as which_key_pages;
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
        Mode::Help(open) => help::draw(frame, over, state, open),
        Mode::Palette(palette) => palette::draw(frame, over, state, palette),
        Mode::Create(form) => form::draw(frame, over, state, form),
        Mode::Sure(sure) => palette::sure(frame, over, state, sure),
        Mode::Drawer(drawer) => questions::draw(frame, state, drawer),
        Mode::Log(view) => log::draw(frame, over, state, view),
    }
    status::story(frame, rect(regions.story), state);
    status::draw(frame, rect(regions.status), state);
    status::draw_over(frame, state, questions::top(state));
    if state.prefix.pending {
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
