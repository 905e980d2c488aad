//! What is selected with the mouse: pressed, dragged and let go within one pane, and then on the clipboard, as in tmux.
//!
//! `mouse.rs` begins and ends it where the agent has not asked for the mouse, `view/pane.rs` shows it. The screen it
//! was begun on holds still until then, while the agent goes on. Pure.

use crate::core::layout::Area;
use crate::core::terminal::keys::{Mouse, MouseKind};

use super::mode::Mode;
use super::selection::Selection;
use super::state::State;

/// What came of the mouse while something may be selected.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Selecting {
    Nothing,
    GoesOn,
    /// It is over: this is for the clipboard.
    Selected(String),
}

/// The button went down over this agent's screen. `at`: the room inside the pane, and the cell of the screen in its
/// upper left corner.
pub fn begin(state: &mut State, name: &str, (inner, corner): (Area, (u16, u16)), event: Mouse) {
    let Some(agent) = state.agent(name).filter(|_| inner.contains(event.col, event.row)) else { return };
    let at = (event.row - inner.y + corner.1, event.col - inner.x + corner.0);
    let grid = agent.grid.clone();
    state.selection = Some(Selection { name: name.to_owned(), grid, corner, from: at, to: at, moved: false });
}

/// The mouse, while something is being selected.
pub fn goes_on(state: &mut State, event: Mouse) -> Selecting {
    let inner = state.selection.as_ref().and_then(|selection| state.pane_of(&selection.name));
    let (Some(inner), Some(selection)) = (inner.map(Area::inner), &mut state.selection) else {
        return Selecting::Nothing;
    };
    match event.kind {
        MouseKind::Drag => {
            let row = event.row.clamp(inner.y, inner.y + inner.rows.max(1) - 1) - inner.y;
            let col = event.col.clamp(inner.x, inner.x + inner.cols.max(1) - 1) - inner.x;
            selection.to = (row + selection.corner.1, col + selection.corner.0);
            selection.moved |= selection.to != selection.from;
            Selecting::GoesOn
        }
        MouseKind::Release => {
            let text = state.selection.take().filter(|selection| selection.moved).map(|s| s.text());
            text.filter(|text| !text.is_empty()).map_or(Selecting::GoesOn, Selecting::Selected)
        }
        MouseKind::Press | MouseKind::Move | MouseKind::WheelUp | MouseKind::WheelDown => {
            state.selection = None;
            Selecting::Nothing
        }
    }
}

/// Gives it up where its pane is covered, gone, or of another size.
pub fn outlived(state: &mut State) {
    let stands = |selection: &Selection| {
        let agent = state.agent(&selection.name);
        state.mode == Mode::Panes
            && state.pane_of(&selection.name).is_some()
            && agent.is_some_and(|agent| agent.grid.size == selection.grid.size)
    };
    if state.selection.as_ref().is_some_and(|selection| !stands(selection)) {
        state.selection = None;
    }
}
