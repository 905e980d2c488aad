//! The mouse: a click focuses, the wheel scrolls, a drag on a border resizes, the rest is the agent's that has the focus. A
//! drag over an agent that has not asked for the mouse selects.
//!
//! `update.rs` calls it. Pure.

use crate::core::layout::Area;
use crate::core::terminal::keys::{Button, Input, Mouse, MouseKind};
use crate::wire::message::Request;

use super::agent::Agent;
use super::effect::Effect;
use super::mode::Mode;
use super::select::Selecting;
use super::state::{Pressed, State};
use super::{drawer, highlight, overlays, scrolling, select, view, window};

/// Lines a notch of the wheel moves, as in most terminals.
const WHEEL_LINES: usize = 3;

pub fn mouse(state: &mut State, event: Mouse, out: &mut Vec<Effect>) {
    let area = state.regions().panes;
    if let Pressed::Border(border) = state.pressed {
        match event.kind {
            MouseKind::Drag => state.shape.drag(border, area, event.col, event.row),
            _ => state.pressed = Pressed::Nothing,
        }
        return;
    }
    match select::goes_on(state, event) {
        Selecting::Nothing => {}
        Selecting::GoesOn => return,
        Selecting::Selected(text) => return scrolling::copy(state, &text, out),
    }
    let wheel = matches!(event.kind, MouseKind::WheelUp | MouseKind::WheelDown);
    let pressed = event.kind == MouseKind::Press && event.button == Some(Button::Left);
    if let Some(hit) = view::drawer_hit(state, event.col, event.row) {
        return in_drawer(state, hit, event.kind, pressed);
    }
    match state.mode {
        Mode::Panes => {}
        _ if wheel => return overlays::wheel(state, event.kind == MouseKind::WheelUp, WHEEL_LINES, out),
        Mode::Scroll(_) | Mode::Drawer(_) if event.kind == MouseKind::Press => {}
        _ => return,
    }
    if pressed {
        if let Some(name) = view::agent_at(state, event.col, event.row).map(|agent| agent.info.name.clone()) {
            return state.go_to(&name);
        }
        // A title is a border, too: it is clicked to focus, and dragged. Where that arranges the panes anew, what is
        // under the pointer then is dragged.
        let titled =
            |(_, place): &(&Agent, Area)| place.contains(event.col, event.row) && place.y == event.row;
        if let Some(name) = state.panes().into_iter().find(titled).map(|(agent, _)| agent.info.name.clone()) {
            state.go_to(&name);
            state.reshape();
        }
        if let Some(border) = state.shape.border_at(area, event.col, event.row) {
            state.pressed = Pressed::Border(border);
            return;
        }
    }
    in_pane(state, event, out);
}

/// Over a pane: a press gives it the focus, and what its agent wants of the mouse is its own from then on.
fn in_pane(state: &mut State, event: Mouse, out: &mut Vec<Effect>) {
    let hit = |(_, place): &(&Agent, Area)| place.contains(event.col, event.row);
    let Some((name, place)) =
        state.panes().into_iter().find(hit).map(|(agent, place)| (agent.info.name.clone(), place))
    else {
        return;
    };
    // What was under the pointer when the button went down, before a new focus moves the window.
    let focused = state.focus.as_ref() == Some(&name);
    let asked = state.question_of(&name);
    let origin = state.agent(&name).map(|agent| window::origin(&agent.grid, place.inner(), focused, asked));
    if event.kind == MouseKind::Press {
        if let Mode::Scroll(scroll) = &mut state.mode {
            scroll.back = None;
        }
        state.go_to(&name);
        state.pressed = if focused { Pressed::Nothing } else { Pressed::Focus };
    }
    if state.mode == Mode::Panes {
        to_agent(state, &name, (place.inner(), origin.unwrap_or_default()), event, out);
    }
    if event.kind == MouseKind::Release {
        state.pressed = Pressed::Nothing;
    }
}

/// A click highlights; it takes Enter, or a second thought, to give an answer.
fn in_drawer(state: &mut State, hit: view::Hit, kind: MouseKind, pressed: bool) {
    let rows = state.in_drawer().map_or(0, highlight::lines);
    let Mode::Drawer(drawer) = &mut state.mode else { return };
    match (hit, kind) {
        (_, MouseKind::WheelUp) if rows > 0 => {
            let row = drawer.row.map_or(rows - 1, |row| row.saturating_sub(1));
            drawer::highlight(drawer, row);
        }
        (_, MouseKind::WheelDown) if rows > 0 => {
            let row = drawer.row.map_or(0, |row| (row + 1).min(rows - 1));
            drawer::highlight(drawer, row);
        }
        (view::Hit::Row(row), _) if pressed => drawer::highlight(drawer, row),
        (view::Hit::Question(at), _) if pressed && drawer.id.is_none() => drawer::show_question(state, at),
        _ => {}
    }
}

/// `at`: the room inside the pane, and the cell of the agent's screen in its upper left corner.
fn to_agent(state: &mut State, name: &str, at: (Area, (u16, u16)), event: Mouse, out: &mut Vec<Effect>) {
    let (inner, (left, top)) = at;
    let wheel = matches!(event.kind, MouseKind::WheelUp | MouseKind::WheelDown);
    let Some(modes) = state.agent(name).map(|agent| agent.modes) else { return };
    if state.is_answered(name) && event.kind == MouseKind::Press {
        return state.typed_behind_answer(name);
    }
    // As arrows, a wheel would move the highlight of what is asked.
    let arrows =
        wheel && modes.alternate_screen && modes.alternate_scroll && state.question_of(name).is_none();
    let takes = modes.mouse_click || arrows;
    if takes && inner.contains(event.col, event.row) {
        let local = Mouse { col: event.col - inner.x + left, row: event.row - inner.y + top, ..event };
        let wanted = match event.kind {
            // The click that gives a pane the focus is ours, to its end: the program would take it for an answer, and whoever
            // is asked for one would be told that a person has typed.
            MouseKind::Press | MouseKind::Drag | MouseKind::Release if state.pressed == Pressed::Focus => {
                false
            }
            MouseKind::Drag => modes.mouse_drag,
            MouseKind::Move => modes.mouse_motion,
            _ => true,
        };
        if wanted {
            let request = Request::Keys { name: name.to_owned(), input: vec![Input::Mouse(local)] };
            out.push(Effect::Send(state.request(request, None)));
        }
    } else if event.kind == MouseKind::WheelUp {
        let back = state.focus.clone().filter(|before| before != name);
        state.focus_on(name);
        scrolling::open(state, out);
        if let Mode::Scroll(scroll) = &mut state.mode {
            scroll.back = back;
        }
        scrolling::wheel(state, true, WHEEL_LINES, out);
    } else if (event.kind, event.button) == (MouseKind::Press, Some(Button::Left)) {
        select::begin(state, name, at, event);
    }
}
