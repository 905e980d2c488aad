//! The screen as a function of the state: list, panes, status line, and what lies over them.
//!
//! The loop calls `draw` when something changed. Nothing here changes anything or asks for the time.

mod agents;
mod help;
mod lines;
mod palette;
mod pane;
mod questions;
mod status;
mod text;
mod theme;

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::widgets::Clear;

use crate::core::layout::Area;

use super::state::{Mode, State};

pub use agents::{LIST_HEAD, listed};

pub fn draw(frame: &mut Frame<'_>, state: &State) {
    let regions = state.regions();
    agents::draw(frame, rect(regions.list), state);
    if state.agents.is_empty() {
        help::welcome(frame, rect(regions.panes), state);
    }
    for (agent, area) in state.panes() {
        pane::draw(frame, rect(area), state, agent);
    }
    match &state.mode {
        Mode::Panes | Mode::Scroll(_) => {}
        Mode::Help { top } => help::draw(frame, rect(regions.panes), state, *top),
        Mode::Palette { edit, selected } => palette::draw(frame, rect(regions.panes), edit, *selected),
        Mode::Create { edit } => palette::create(frame, rect(regions.panes), edit),
        Mode::Sure(sure) => palette::sure(frame, rect(regions.panes), sure),
        Mode::Drawer(drawer) => questions::draw(frame, rect(regions.panes), state, drawer),
    }
    status::draw(frame, rect(regions.status), state);
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
