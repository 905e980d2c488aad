//! What the commands of the keymap do.
//!
//! Keys after the prefix and the palette end here. Pure.

use crate::core::layout::Area;
use crate::core::question::State as AgentState;
use crate::wire::message::Request;

use super::drawer;
use super::edit::Edit;
use super::keymap::Action;
use super::scroll::Scroll;
use super::state::{Mode, Purpose, State, Sure};
use super::update::{Effect, pass};

pub fn act(state: &mut State, action: Action, out: &mut Vec<Effect>) {
    match action {
        Action::Next => step(state, 1),
        Action::Previous => step(state, -1),
        Action::Left | Action::Right | Action::Up | Action::Down => toward(state, action),
        Action::Number(number) => {
            let name = state.agents.get(usize::from(number) - 1).map(|agent| agent.info.name.clone());
            if let Some(name) = name {
                focus(state, &name);
            }
        }
        Action::Zoom => state.zoomed = !state.zoomed,
        Action::NextLayout => {
            state.layout = (state.layout + 1) % state.layouts.len().max(1);
            state.zoomed = false;
            state.shape = Default::default();
            let name = state.layouts.get(state.layout).map(|layout| layout.name.clone());
            state.say(format!("layout: {}", name.unwrap_or_default()));
        }
        Action::Create => state.mode = Mode::Create { edit: Edit::default() },
        Action::Stop => {
            if let Some(name) = focused_name(state) {
                state.mode = Mode::Sure(Sure::Stop(name));
            }
        }
        Action::Shutdown => state.mode = Mode::Sure(Sure::Down),
        Action::Restart => with_focused(state, out, "restart", |name| Request::Restart { name }),
        Action::Pause => {
            let paused = state.focused().is_some_and(|agent| agent.info.state == AgentState::Paused);
            if paused {
                with_focused(state, out, "resume", |name| Request::Resume { names: vec![name] });
            } else {
                with_focused(state, out, "pause", |name| Request::Pause { names: vec![name] });
            }
        }
        Action::Drawer => drawer::open(state, false),
        Action::Answer => drawer::open_for_answer(state),
        Action::Edit => drawer::open(state, true),
        Action::Consult => consult(state, out),
        Action::Scroll => scroll(state, out),
        Action::Broadcast => state.broadcast = !state.broadcast,
        Action::Help => state.mode = Mode::Help { top: 0 },
        Action::Palette => state.mode = Mode::Palette { edit: Edit::default(), selected: 0 },
        Action::Detach => out.push(Effect::Detach),
        Action::Prefix => {
            state.mode = Mode::Panes;
            pass(state, crate::core::terminal::keys::Input::Key(state.prefix), out);
        }
    }
}

fn focused_name(state: &mut State) -> Option<String> {
    let name = state.focused().map(|agent| agent.info.name.clone());
    if name.is_none() {
        state.say("there is no agent yet");
    }
    name
}

fn with_focused(
    state: &mut State,
    out: &mut Vec<Effect>,
    verb: &str,
    request: impl FnOnce(String) -> Request,
) {
    if let Some(name) = focused_name(state) {
        let purpose = Purpose::Act(format!("{verb} {name}"));
        out.push(Effect::Send(state.request(request(name), Some(purpose))));
    }
}

fn consult(state: &mut State, out: &mut Vec<Effect>) {
    let Some(name) = focused_name(state) else { return };
    let Some(id) = state.question_of(&name).map(|question| question.id.clone()) else {
        return state.say(format!("{name} asks nothing"));
    };
    let purpose = Purpose::Act(format!("consult about {name}'s question"));
    out.push(Effect::Send(state.request(Request::Consult { id, with: None }, Some(purpose))));
}

/// Puts an agent into focus; it has been looked at now.
pub fn focus(state: &mut State, name: &str) {
    state.focus = Some(name.to_owned());
    state.focus_chosen = true;
    if let Some(agent) = state.agent_mut(name) {
        agent.rang = false;
    }
    if matches!(&state.mode, Mode::Scroll(scroll) if scroll.name != name) {
        state.mode = Mode::Panes;
    }
}

fn step(state: &mut State, by: isize) {
    let members = state.members();
    let count = members.len() as isize;
    let at = members.iter().position(|i| Some(&state.agents[*i].info.name) == state.focus.as_ref());
    if count > 0 {
        let next = at.map_or(0, |at| (at as isize + by).rem_euclid(count));
        let name = state.agents[members[next as usize]].info.name.clone();
        focus(state, &name);
    }
}

/// To the nearest pane in that direction; without one, or zoomed, through the list.
fn toward(state: &mut State, direction: Action) {
    let panes = state.panes();
    let here = panes.iter().find(|(agent, _)| Some(&agent.info.name) == state.focus.as_ref());
    let distance = |from: Area, to: Area| {
        let middle = |area: Area| {
            let (x, y) = (area.x + area.cols / 2, area.y + area.rows / 2);
            // A cell is about twice as high as wide.
            (i32::from(x), 2 * i32::from(y))
        };
        let ((x, y), (to_x, to_y)) = (middle(from), middle(to));
        let ahead = match direction {
            Action::Left => to.x + to.cols <= from.x,
            Action::Right => to.x >= from.x + from.cols,
            Action::Up => to.y + to.rows <= from.y,
            _ => to.y >= from.y + from.rows,
        };
        ahead.then_some((to_x - x).abs() + (to_y - y).abs())
    };
    let nearest = here.and_then(|(_, from)| {
        let reach = panes.iter().filter_map(|(agent, to)| Some((distance(*from, *to)?, *agent)));
        reach.min_by_key(|(distance, _)| *distance).map(|(_, agent)| agent.info.name.clone())
    });
    match nearest {
        Some(name) => focus(state, &name),
        None if matches!(direction, Action::Left | Action::Up) => step(state, -1),
        None => step(state, 1),
    }
}

/// Opens the scrollback of the focused agent and asks how much history there is.
pub fn scroll(state: &mut State, out: &mut Vec<Effect>) {
    let Some(name) = focused_name(state) else { return };
    let height =
        state.panes().iter().find(|(agent, _)| agent.info.name == name).map_or(0, |(_, a)| a.inner().rows);
    let Some(agent) = state.agent(&name) else { return };
    state.mode = Mode::Scroll(Box::new(Scroll::new(&name, &agent.grid, usize::from(height))));
    // Nothing counted from beyond the end: the reply tells where the end is.
    let request = Request::History { name: name.clone(), from: u64::MAX, count: 0 };
    out.push(Effect::Send(state.request(request, Some(Purpose::History(name)))));
}
