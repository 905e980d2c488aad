//! What the commands of the keymap do.
//!
//! Keys after the prefix and the palette end here. Pure.

use crate::core::keymap::Action;
use crate::core::layout::{Area, Kind};
use crate::core::question::State as AgentState;
use crate::core::terminal::keys::Input;
use crate::wire::message::Request;

use super::digit;
use super::drawer;
use super::effect::Effect;
use super::mode::Palette;
use super::mode::{Mode, Sure};
use super::new_agent;
use super::note::Until;
use super::open;
use super::pass::pass;
use super::scrolling;
use super::state::{Purpose, State};

/// How far a key moves a border: a quarter of the narrowest pane, and two lines.
const GROW_COLS: i16 = 4;
const GROW_ROWS: i16 = 2;
/// Agents with greater numbers are gone to by name.
const LARGEST_DIGIT: usize = 9;

pub fn act(state: &mut State, action: Action, out: &mut Vec<Effect>) {
    let just_hidden = state.just_hidden.take();
    match action {
        Action::Next => step(state, 1),
        Action::Previous => step(state, -1),
        Action::Left | Action::Right | Action::Up | Action::Down => toward(state, action),
        Action::Last => match state.recent.iter().rev().find(|name| state.agent(name).is_some()).cloned() {
            Some(name) => state.go_to(&name),
            None => state.say("you have been nowhere else yet"),
        },
        Action::Needed => needed(state),
        Action::Number(number) => digit::first(state, usize::from(number)),
        Action::Zoom => state.zoomed = !state.zoomed,
        Action::Layout => {
            let next = next_layout(state);
            choose_layout(state, next);
        }
        Action::Hide => hide(state, just_hidden),
        Action::SwapNext => swap(state, 1),
        Action::SwapPrevious => swap(state, -1),
        Action::Wider => grow(state, GROW_COLS, 0),
        Action::Narrower => grow(state, -GROW_COLS, 0),
        Action::Taller => grow(state, 0, GROW_ROWS),
        Action::Shorter => grow(state, 0, -GROW_ROWS),
        Action::NewAgent => {
            let mut form = state.draft.clone().unwrap_or_default();
            form.open_again();
            state.mode = Mode::Create(form);
        }
        Action::Stop | Action::Restart | Action::Pause | Action::Scrollback | Action::Consult => {
            if let Some(name) = focused_name(state) {
                act_on(state, action, &name, out);
            }
        }
        Action::ShutDown => state.mode = Mode::Sure(Sure::Down),
        Action::Questions => drawer::open(state),
        Action::Answer => drawer::answer(state),
        Action::Edit => drawer::edit(state),
        Action::Broadcast => state.switch_broadcast(),
        Action::Theme => {
            let name = state.look.step();
            state.say(format!("theme: {name}"));
        }
        Action::Log => open::log(state, out),
        Action::Help => open::help(state),
        Action::Palette => state.mode = Mode::Palette(Palette::default()),
        Action::Detach => out.push(Effect::Detach),
        Action::Suspend => out.push(Effect::Suspend),
        Action::Prefix => {
            state.mode = Mode::Panes;
            pass(state, Input::Key(state.keymap.prefix), out);
        }
        // The others belong to what is open, not behind the prefix.
        _ => {}
    }
}

/// Exchanges the focused pane with another one; where that changes nothing on the screen, says why.
fn swap(state: &mut State, by: isize) {
    if state.layout_now().is_some_and(|layout| layout.kind == Kind::MainAndStack) {
        return state.say("nothing to swap: in this layout the large pane is whoever has the focus");
    }
    let places = |state: &State| -> Vec<(usize, Area)> {
        state.panes().into_iter().map(|(agent, area)| (agent.number, area)).collect()
    };
    let before = places(state);
    state.swap(by);
    state.reshape();
    if places(state) == before {
        state.say(match state.members().len() {
            0 | 1 => "there is no other pane to swap with",
            _ => "swapped; this screen has room for one of the two",
        });
    }
}

/// Makes the focused pane wider or higher; where nothing stands beside it that way, says so.
fn grow(state: &mut State, cols: i16, rows: i16) {
    let before = state.shape.clone();
    state.grow(cols, rows);
    if state.shape == before {
        let why = if state.zoomed {
            "it is alone on the screen"
        } else if cols != 0 {
            "no pane beside it gives or takes columns"
        } else {
            "no pane above or below gives or takes rows"
        };
        state.say(why);
    }
}

/// To who needs the person; from there to the next one who does.
fn needed(state: &mut State) {
    let names: Vec<String> = state.needing_person().map(|question| question.agent.clone()).collect();
    let here = names.iter().position(|name| Some(name) == state.focus.as_ref());
    match names.get(here.map_or(0, |at| (at + 1) % names.len())) {
        Some(name) => state.go_to(name),
        None => state.say_until(Until::Needed, "nobody needs you"),
    }
}

/// Does something with one agent, wherever the focus is.
pub fn act_on(state: &mut State, action: Action, name: &str, out: &mut Vec<Effect>) {
    let Some(agent) = state.agent(name) else { return };
    let (agent_state, failed) = (agent.info.state, agent.failed());
    match action {
        Action::Stop => state.mode = Mode::Sure(Sure::Stop(name.to_owned())),
        Action::Restart if failed => match state.forms.get(name).cloned() {
            Some(form) => new_agent::start(state, form, true, out),
            None => {
                let name = name.to_owned();
                let id = state.promise(Purpose::StartAgain(name.clone()));
                out.push(Effect::StartAgain { id, name });
            }
        },
        Action::Restart if agent_state == AgentState::Exited => {
            // Whoever does that is in the middle of no line.
            state.held_keys.forget(name);
            request(state, out, "restart", name, |name| Request::Restart { name });
        }
        Action::Restart => state.mode = Mode::Sure(Sure::Restart(name.to_owned())),
        Action::Pause if agent_state == AgentState::Paused => {
            request(state, out, "resume", name, |name| Request::Resume { names: vec![name] });
        }
        Action::Pause => request(state, out, "pause", name, |name| Request::Pause { names: vec![name] }),
        Action::Zoom => {
            state.go_to(name);
            state.zoomed = true;
        }
        Action::Scrollback => {
            state.go_to(name);
            scrolling::open(state, out);
        }
        Action::Consult => consult(state, name, out),
        _ => {}
    }
}

fn request(
    state: &mut State,
    out: &mut Vec<Effect>,
    verb: &str,
    name: &str,
    request: impl FnOnce(String) -> Request,
) {
    let purpose = Purpose::Act(format!("{verb} {name}"));
    out.push(Effect::Send(state.request(request(name.to_owned()), Some(purpose))));
}

fn focused_name(state: &mut State) -> Option<String> {
    let name = state.focused().map(|agent| agent.info.name.clone());
    if name.is_none() {
        state.say("there is no agent yet");
    }
    name
}

/// The next layout that looks otherwise on this screen; where none does, the next one.
fn next_layout(state: &mut State) -> usize {
    let count = state.layouts.len().max(1);
    let others: Vec<usize> = (1..count).map(|by| (state.layout + by) % count).collect();
    let here = state.places_in(state.layout);
    let other = others.iter().copied().find(|at| state.zoomed || state.places_in(*at) != here);
    other.or(others.first().copied()).unwrap_or(0)
}

pub fn choose_layout(state: &mut State, at: usize) {
    state.layout = at;
    state.zoomed = false;
    state.shape = Default::default();
    let name = state.layouts.get(at).map(|layout| layout.name.clone());
    state.say(format!("layout: {}", name.unwrap_or_default()));
}

/// Takes the focused agent's pane away, or gives it one again; the one that was just hidden, where nothing was done since.
fn hide(state: &mut State, just_hidden: Option<String>) {
    if let Some(name) = just_hidden.filter(|name| state.agent(name).is_some() && state.hidden.remove(name)) {
        state.go_to(&name);
        return state.say(format!("{name} has a pane again"));
    }
    let Some(name) = focused_name(state) else { return };
    if state.hidden.remove(&name) {
        return state.say(format!("{name} has a pane again"));
    }
    if state.members().len() <= 1 {
        return state.say(last_pane(state));
    }
    state.hidden.insert(name.clone());
    let shown = |other: &String| state.agent(other).is_some() && !state.hidden.contains(other);
    let other = state.recent.iter().rev().find(|other| shown(other)).cloned();
    let other = other.or_else(|| state.members().first().map(|i| state.agents[*i].info.name.clone()));
    if let Some(other) = other {
        state.go_to(&other);
    }
    let (hide, back) = (state.chord(Action::Hide), way_back(state, &name));
    state.say(format!("{hide} shows it again (later {back}): {name} has no pane now, and goes on"));
    state.just_hidden = Some(name);
}

/// How a pane that was taken away is had again.
fn way_back(state: &State, name: &str) -> String {
    let hide = state.chord(Action::Hide);
    match state.agent(name).map(|agent| agent.number) {
        Some(number @ 1..=LARGEST_DIGIT) => {
            format!("{} {number}, then {hide}", state.keymap.prefix)
        }
        _ => format!("go to it, then {hide}"),
    }
}

/// Why it cannot be hidden, and who is.
fn last_pane(state: &State) -> String {
    match state.hidden.iter().find(|name| state.agent(name).is_some()) {
        Some(name) => format!("the last pane stays. {} shows {name}", way_back(state, name)),
        None => "the last pane stays".to_owned(),
    }
}

fn consult(state: &mut State, name: &str, out: &mut Vec<Effect>) {
    let Some(id) = state.question_of(name).map(|question| question.id.clone()) else {
        return state.say(format!("{name} asks nothing"));
    };
    let purpose = Purpose::Act(format!("consult about {name}'s question"));
    out.push(Effect::Send(state.request(Request::Consult { id, with: None }, Some(purpose))));
}

fn step(state: &mut State, by: isize) {
    let members = state.members();
    let count = members.len() as isize;
    let at = members.iter().position(|i| Some(&state.agents[*i].info.name) == state.focus.as_ref());
    if count > 0 {
        let next = at.map_or(0, |at| (at as isize + by).rem_euclid(count));
        let name = state.agents[members[next as usize]].info.name.clone();
        state.go_to(&name);
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
        Some(name) => state.go_to(&name),
        None if matches!(direction, Action::Left | Action::Up) => step(state, -1),
        None => step(state, 1),
    }
}
