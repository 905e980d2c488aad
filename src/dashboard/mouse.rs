//! The mouse: a click focuses, the wheel scrolls, a drag on a border resizes, the rest is the agent's.
//!
//! `update.rs` calls it. Pure.

use crate::core::layout::Area;
use crate::core::terminal::keys::{Button, Input, Mouse, MouseKind};
use crate::wire::message::Request;

use super::state::{Agent, Mode, State};
use super::update::Effect;
use super::{actions, overlays, window};

/// Lines a notch of the wheel moves, as in most terminals.
const WHEEL_LINES: usize = 3;

pub fn mouse(state: &mut State, event: Mouse, out: &mut Vec<Effect>) {
    let area = state.regions().panes;
    if let Some(border) = state.drag {
        match event.kind {
            MouseKind::Drag => state.shape.drag(border, area, event.col, event.row),
            _ => state.drag = None,
        }
        return;
    }
    let wheel = matches!(event.kind, MouseKind::WheelUp | MouseKind::WheelDown);
    match state.mode {
        Mode::Panes => {}
        Mode::Scroll(_) if wheel => {
            return overlays::scroll_wheel(state, event.kind == MouseKind::WheelUp, WHEEL_LINES, out);
        }
        Mode::Scroll(_) | Mode::Drawer(_) if event.kind == MouseKind::Press => {}
        _ => return,
    }
    if event.kind == MouseKind::Press && event.button == Some(Button::Left) {
        if let Some(name) = listed_at(state, event) {
            return actions::focus(state, &name);
        }
        if let Some(border) = state.shape.border_at(area, event.col, event.row) {
            state.drag = Some(border);
            return;
        }
    }
    let hit = |(_, place): &(&Agent, Area)| place.contains(event.col, event.row);
    let Some((name, place)) =
        state.panes().into_iter().find(hit).map(|(agent, place)| (agent.info.name.clone(), place))
    else {
        return;
    };
    // What was under the pointer when the button went down, before a new focus moves the window.
    let focused = state.focus.as_ref() == Some(&name);
    let asked = state.question_of(&name).map(|question| question.prompt.as_str());
    let origin = state.agent(&name).map(|agent| window::origin(&agent.grid, place.inner(), focused, asked));
    if event.kind == MouseKind::Press {
        actions::focus(state, &name);
    }
    if state.mode == Mode::Panes {
        to_agent(state, &name, (place.inner(), origin.unwrap_or_default()), event, out);
    }
}

/// The agent in the list under the pointer.
fn listed_at(state: &State, event: Mouse) -> Option<String> {
    let list = state.regions().list;
    if !list.contains(event.col, event.row) {
        return None;
    }
    let line = usize::from(event.row).checked_sub(super::view::LIST_HEAD)?;
    super::view::listed(state, line).map(|agent| agent.info.name.clone())
}

/// `at`: the room inside the pane, and the cell of the agent's screen in its upper left corner.
fn to_agent(state: &mut State, name: &str, at: (Area, (u16, u16)), event: Mouse, out: &mut Vec<Effect>) {
    let (inner, (left, top)) = at;
    let wheel = matches!(event.kind, MouseKind::WheelUp | MouseKind::WheelDown);
    let Some(modes) = state.agent(name).map(|agent| agent.modes) else { return };
    let takes = modes.mouse_click || wheel && modes.alternate_screen && modes.alternate_scroll;
    if takes && inner.contains(event.col, event.row) {
        let local = Mouse { col: event.col - inner.x + left, row: event.row - inner.y + top, ..event };
        let wanted = match event.kind {
            MouseKind::Drag => modes.mouse_drag,
            MouseKind::Move => modes.mouse_motion,
            _ => true,
        };
        if wanted {
            let request = Request::Keys { name: name.to_owned(), input: vec![Input::Mouse(local)] };
            out.push(Effect::Send(state.request(request, None)));
        }
    } else if event.kind == MouseKind::WheelUp {
        actions::focus(state, name);
        actions::scroll(state, out);
        overlays::scroll_wheel(state, true, WHEEL_LINES, out);
    }
}
