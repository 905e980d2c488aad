//! What the server says: notices it sends by itself, and replies to what was asked of it.
//!
//! `update.rs` gives it both. Pure.

use crate::core::agent::Duty;
use crate::core::clipboard::{self, Judged};
use crate::core::keymap::Action;
use crate::core::terminal::picture::{Line, Picture};
use crate::wire::message::{Notice, QuestionInfo, Reply, Request, Status};

use super::agent::Agent;
use super::agents::takes_no_keys;
use super::drawer;
use super::effect::Effect;
use super::form::Form;
use super::held_keys::{BEGINS_ANEW, HeldKey};
use super::mode::{Help, Mode};
use super::note::Until;
use super::state::{Purpose, State, needs_person};
use super::{pass, returning, view, whom_to_ask};

pub fn noticed(state: &mut State, notice: Notice, out: &mut Vec<Effect>) {
    match notice {
        Notice::Agent(info) => {
            let name = info.name.clone();
            // One that could not be started before is on the list already.
            let tried = info.failed.is_none() && state.agent(&name).is_some_and(Agent::failed);
            let new = state.agent_changed(*info);
            if (new || tried) && state.awaited.as_ref() == Some(&name) {
                state.awaited = None;
                state.focus_on(&name);
                if !state.syncing {
                    state.hold();
                }
            }
        }
        Notice::Gone { name } => gone(state, &name),
        Notice::Question(question) => question_changed(state, question, out),
        Notice::Picture { name, picture } => show(state, &name, &picture),
        Notice::Bell { name } => {
            let focused = state.looking && state.focus.as_deref() == Some(&name);
            if let Some(agent) = state.agent_mut(&name).filter(|_| !focused) {
                agent.rang = true;
            }
        }
        Notice::Clipboard { name, data } => {
            // Only what the person is working in may set the clipboard.
            if state.focus.as_deref() == Some(&name) {
                wants_copied(state, name, data, out);
            }
        }
        Notice::Notification { agent, question, text } => notified(state, &agent, question, text, out),
        Notice::KeysRefused { name, message } => {
            // The key that mends it, where there is one.
            let known = state.agent(&name).and_then(|agent| takes_no_keys(state, agent));
            let why = format!("could not type into {name}: {}", known.unwrap_or(message));
            state.warn_until(Until::Works(name), why);
            out.push(Effect::Bell);
        }
        Notice::LineCut { name, over } => pass::left_out(state, name, over),
        Notice::Bye => {
            (state.connected, state.ended) = (false, true);
        }
        // What is typed here has no reply that could be missing.
        Notice::TypesNoMore => {}
    }
}

/// Whatever becomes of it, the person is told: what lies on the clipboard is pasted without a look.
fn wants_copied(state: &mut State, name: String, data: String, out: &mut Vec<Effect>) {
    let what = clipboard::shown(&data);
    match state.clipboard.judge(&data) {
        Judged::Copy => {
            state.say(format!("{name} put {what} on your clipboard"));
            out.push(Effect::Clipboard(data));
        }
        // What is being said yes to stays what it is.
        Judged::Ask if matches!(state.mode, Mode::Palette(_)) => {}
        Judged::Ask => {
            let palette = state.chord(Action::Palette);
            state.say(format!("{name} wants {what} on your clipboard: {palette} copy gives it"));
            state.offered = Some((name, data));
        }
        Judged::Refused(why) => state.say(format!("{name} put nothing on your clipboard: {why}")),
    }
}

/// A person is needed, or something went wrong that they should know.
fn notified(state: &mut State, agent: &str, question: Option<String>, text: String, out: &mut Vec<Effect>) {
    let seen = state.looks_at(agent);
    if let Some(question) = question.and_then(|id| state.question(&id)) {
        // The status line says it already, for as long as it is so.
        let what = question.subject.as_deref().unwrap_or(&question.prompt);
        let text = format!("{agent} {}: {what}", view::asks(question.kind));
        return out.extend((!seen).then_some(Effect::Notify(text)));
    }
    // The form says it already.
    if matches!(&state.mode, Mode::Create(form) if form.failed_as.as_deref() == Some(agent)) {
        return;
    }
    // Most of them name the agent they are about; an agent may be called as any word begins.
    let in_name = |ch: char| ch.is_ascii_alphanumeric() || matches!(ch, '_' | '-');
    let named = agent.is_empty() || text.split(|ch| !in_name(ch)).any(|word| word == agent);
    let text = if named { text } else { format!("{agent}: {text}") };
    // What is said of one that does not run is over once it does.
    let until =
        if state.at_work(agent) || agent.is_empty() { Until::Read } else { Until::Works(agent.to_owned()) };
    state.warn_until(until, text.clone());
    out.extend((!seen).then_some(Effect::Notify(text)));
}

fn gone(state: &mut State, name: &str) {
    if !state.agent_gone(name) {
        return;
    }
    state.leave(name);
    state.hidden.remove(name);
    // What went wrong a moment ago, as that it could not be started or runs on unseen, is not covered by this.
    let stays = state.note.as_ref().is_some_and(|note| note.stays && note.until_ms > state.now_ms);
    let returns = matches!(&state.mode, Mode::Create(form) if form.failed_as.as_deref() == Some(name));
    if !stays && !returns {
        match state.keyboard.adrift && state.focus.is_some() {
            true => state.say_until(Until::Seen, format!("{name} has left the list; esc goes on")),
            false => state.say_until(Until::Works(name.to_owned()), format!("{name} has left the list")),
        }
    }
}

fn question_changed(state: &mut State, question: QuestionInfo, out: &mut Vec<Effect>) {
    state.question_returned(&question.id);
    let place = state.questions.iter().position(|known| known.id == question.id);
    let before = place.is_some_and(|at| needs_person(&state.questions[at]));
    if needs_person(&question) && !before {
        state.to_front(&question.agent);
    }
    match (place, question.status.settled()) {
        (Some(at), true) => {
            state.answer_over(&question.id);
            state.questions.remove(at);
            drawer::removed(state, at);
            drawer::settled(state, &question);
        }
        (Some(at), false) => {
            let former = std::mem::replace(&mut state.questions[at], question);
            drawer::changed(state, &former, at);
            not_taken(state, &former, at, out);
        }
        (None, true) => {}
        (None, false) => {
            state.asked_anew(&question);
            state.questions.push(question);
        }
    }
}

/// An answer that was given from here and did not go in goes back to the person, with the reason.
fn not_taken(state: &mut State, former: &QuestionInfo, at: usize, out: &mut Vec<Effect>) {
    let question = &state.questions[at];
    let back = former.status == Status::Answering && question.status != Status::Answering;
    if !back || state.given.as_ref() != Some(&question.id) {
        return;
    }
    let why = question.note.as_deref().unwrap_or("the answer did not go in");
    let (id, why) = (question.id.clone(), format!("{}: {why}", question.agent));
    state.answer_over(&id);
    drawer::refused(state, &id, why);
    out.push(Effect::Bell);
}

fn show(state: &mut State, name: &str, picture: &Picture) {
    if let Some(agent) = state.agent_mut(name) {
        picture.apply(&mut agent.grid);
        agent.modes = picture.modes;
    }
    if state.links.add(picture) {
        let State { agents, links, .. } = state;
        agents.iter().for_each(|agent| links.add_all(&agent.grid));
    }
}

/// The request of this number was to start an agent, and got nowhere.
pub fn start_refused(state: &mut State, id: u64, cause: String, out: &mut Vec<Effect>) {
    match state.pending.remove(&id) {
        Some(Purpose::Start(form)) => not_started(state, form, cause, out),
        Some(Purpose::StartAgain(name)) => {
            state.warn_until(Until::Works(name.clone()), refusal(&format!("start {name}"), &cause));
            list_failed(state, name, cause, out);
        }
        _ => {}
    }
}

pub fn replied(state: &mut State, id: u64, reply: Reply, out: &mut Vec<Effect>) {
    if let (Some(Purpose::Start(_) | Purpose::StartAgain(_)), Reply::Error { message, .. }) =
        (state.pending.get(&id), &reply)
    {
        return start_refused(state, id, message.clone(), out);
    }
    match (state.pending.remove(&id), reply) {
        (Some(Purpose::Act(what)), Reply::Error { message, .. }) => {
            let why = whom_to_ask::with_mend(state, refusal(&what, &message));
            state.warn(why);
            out.push(Effect::Bell);
        }
        (Some(Purpose::StartAsBefore(name)), Reply::Error { message, .. }) => {
            let why = refusal(&format!("start {name}"), &message);
            out.push(Effect::Bell);
            if state.mode != Mode::Panes {
                return state.warn(why);
            }
            state.mode = Mode::Create(Box::new(Form::of_failed(&name, why)));
            state.hold();
        }
        (Some(Purpose::Answer { id, what }), Reply::Error { message, .. }) => {
            state.answer_over(&id);
            // The number of a question is the command line's word for it.
            let why = message.strip_prefix(&format!("could not answer {id}: ")).unwrap_or(&message);
            drawer::refused(state, &id, refusal(&what, why));
            out.push(Effect::Bell);
        }
        (Some(Purpose::Answer { id, .. }), _) => state.answer_over(&id),
        (Some(Purpose::Act(_)), Reply::Stopped { agents }) => state.shut_down.stopped = agents,
        (Some(Purpose::Start(form)), _) => {
            state.draft = None;
            state.forms.remove(&form.name());
            out.extend(replaced(state, &form));
        }
        (Some(Purpose::Synced), _) => {
            out.extend(returning::synced(state).into_iter().map(Effect::Send));
            release_keys(state, out);
        }
        (Some(Purpose::History(name)), Reply::History { from, first, lines, .. }) => {
            history(state, &name, (from, first), lines, out);
        }
        (Some(Purpose::History(_)), Reply::Error { message, .. }) => state.say(message),
        _ => {}
    }
}

/// Sends what was typed while there was no server to whoever can still take it as it was meant.
fn release_keys(state: &mut State, out: &mut Vec<Effect>) {
    if state.held_keys.is_empty() {
        return;
    }
    let mut held = std::mem::take(&mut state.held_keys);
    let takes = |key: &HeldKey| {
        let asked = state.question_of(&key.agent).map(|question| &question.id);
        let agent = state.agent(&key.agent).filter(|_| !state.is_answered(&key.agent));
        asked == key.asked.as_ref() && agent.is_some_and(|agent| takes_no_keys(state, agent).is_none())
    };
    let released = held.release(state.now_ms, takes);
    held.keep(|name| state.agent(name).is_some());
    state.held_keys = held;
    if released.lost {
        let cut = state.focus.as_ref().is_some_and(|name| state.held_keys.cut(name));
        let anew = if cut { format!("; {BEGINS_ANEW} begins anew") } else { String::new() };
        state.warn(format!("not sent: what you typed while the server was away{anew}"));
    }
    for (name, input) in released.keys {
        out.push(Effect::Send(state.request(Request::Keys { name, input: vec![input] }, None)));
    }
}

/// One line in which the cause comes before what a narrow screen cuts off.
fn refusal(what: &str, message: &str) -> String {
    match message.starts_with("could not ") {
        true => message.to_owned(),
        false => format!("could not {what}: {message}"),
    }
}

/// It is on the list with its cause. Whoever waited for it is back where they were, before the form as they had filled
/// it in, unless they have gone on to something else.
fn not_started(state: &mut State, mut form: Box<Form>, cause: String, out: &mut Vec<Effect>) {
    let name = form.name();
    if state.awaited.as_ref() == Some(&name) {
        state.awaited = None;
    }
    out.extend(replaced(state, &form));
    let why = refusal(&format!("start {name}"), &cause);
    let waits = form.sent_ms.is_some_and(|sent| state.acted_ms.is_none_or(|acted| acted <= sent));
    state.draft = Some(form.clone());
    state.forms.insert(name.clone(), form.clone());
    // Where it is on the list the server says what becomes of it: one that was tried again stays, and who looks at it
    // goes on looking.
    if state.agent(&name).is_none() {
        state.leave(&name);
    }
    if waits && state.mode == Mode::Panes && !state.prefix.pending {
        form.come_back(why);
        state.mode = Mode::Create(form);
        state.note = state.note.take().filter(|note| note.until != Until::Works(name.clone()));
        state.hold();
    } else {
        state.warn_until(Until::Works(name.clone()), why);
    }
    list_failed(state, name, cause, out);
}

/// What the form could not start before goes from the list once it has come to something else. It never ran, and nobody
/// has to be told that it went.
fn replaced(state: &mut State, form: &Form) -> Option<Effect> {
    let former = form.failed_as.clone().filter(|former| *former != form.name());
    let former = former.filter(|former| state.agent(former).is_some_and(Agent::failed))?;
    state.forget(&former);
    state.leave(&former);
    Some(Effect::Send(state.request(Request::Stop { names: vec![former], grace_ms: 0 }, None)))
}

/// Has everybody see that it could not be started, and why.
fn list_failed(state: &mut State, name: String, cause: String, out: &mut Vec<Effect>) {
    let role = state.agent(&name).map_or(Duty::Worker, |agent| agent.info.role);
    let request = Request::NotStarted { name, role, cause, number: 0, since: None };
    out.push(Effect::Send(state.request(request, None)));
    out.push(Effect::Bell);
}

fn history(state: &mut State, name: &str, at: (u64, u64), lines: Vec<Line>, out: &mut Vec<Effect>) {
    let (Mode::Scroll(scroll) | Mode::Help(Help { scroll: Some(scroll), .. })) = &mut state.mode else {
        return;
    };
    if scroll.name != name {
        return;
    }
    if let Some((from, count)) = scroll.older(at.0, at.1, lines) {
        let request = Request::History { name: name.to_owned(), from, count };
        out.push(Effect::Send(state.request(request, Some(Purpose::History(name.to_owned())))));
    }
}
