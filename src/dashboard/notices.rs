//! What the server says: notices it sends by itself, and replies to what was asked of it.
//!
//! `update.rs` gives it both. Pure.

use crate::core::clipboard::{self, Judged};
use crate::core::keymap::{Action, Context};
use crate::core::terminal::picture::{Line, Picture};
use crate::wire::message::{Notice, QuestionInfo, Reply, Request, Status};

use super::agents::Failed;
use super::drawer;
use super::form::Form;
use super::state::{Mode, Purpose, State, needs_person};
use super::update::{Effect, takes_no_keys};
use super::{returning, view};

pub fn noticed(state: &mut State, notice: Notice, out: &mut Vec<Effect>) {
    match notice {
        Notice::Agent(info) => {
            let name = info.name.clone();
            let new = state.agent_changed(info);
            if new && state.awaited.as_ref() == Some(&name) {
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
            state.warn(format!("could not type into {name}: {}", known.unwrap_or(message)));
            out.push(Effect::Bell);
        }
        Notice::Bye => {
            (state.connected, state.ended) = (false, true);
        }
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
            let palette = state.keymap.keys(Context::Panes, Action::Palette);
            state.say(format!("{name} wants {what} on your clipboard: {palette} copy"));
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
    if state.agent(agent).is_some() {
        state.causes.insert(agent.to_owned(), text.clone());
    }
    // Its words begin with the agent's name where it is about one.
    let text = if text.contains(agent) { text } else { format!("{agent}: {text}") };
    state.warn(text.clone());
    out.extend((!seen).then_some(Effect::Notify(text)));
}

fn gone(state: &mut State, name: &str) {
    // What was said of it a moment ago, as that it runs on unseen, is not covered by this.
    let cause = state.causes.get(name);
    let told =
        state.note.as_ref().zip(cause).is_some_and(|(note, cause)| note.text.ends_with(cause.as_str()));
    let removed = state.agent_gone(name);
    let never_ran = state.agent(name).is_some_and(|agent| agent.failed.is_some());
    if removed || never_ran {
        state.leave(name);
    }
    if removed {
        state.hidden.remove(name);
        if !told {
            state.say(format!("{name} has left the list"));
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
            state.questions.remove(at);
            drawer::settled(state, &question);
        }
        (Some(at), false) => {
            let former = std::mem::replace(&mut state.questions[at], question);
            drawer::changed(state, &former, at);
            not_taken(state, &former, at, out);
        }
        (None, true) => {}
        (None, false) => state.questions.push(question),
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
            state.warn(refusal(&format!("start {name}"), &cause));
            state.keep_failed(&name, Failed { cause, form: None });
            out.push(Effect::Bell);
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
            state.warn(refusal(&what, &message));
            out.push(Effect::Bell);
        }
        (Some(Purpose::Answer { id, what }), Reply::Error { message, .. }) => {
            drawer::refused(state, &id, refusal(&what, &message));
            out.push(Effect::Bell);
        }
        (Some(Purpose::Act(_)), Reply::Stopped { agents }) => state.stopped = agents,
        (Some(Purpose::Start(_)), _) => state.draft = None,
        (Some(Purpose::Synced), _) => {
            returning::synced(state);
        }
        (Some(Purpose::History(name)), Reply::History { from, first, lines, .. }) => {
            history(state, &name, (from, first), lines, out);
        }
        (Some(Purpose::History(_)), Reply::Error { message, .. }) => state.say(message),
        _ => {}
    }
}

/// One line in which the cause comes before what a narrow screen cuts off.
fn refusal(what: &str, message: &str) -> String {
    match message.starts_with("could not ") {
        true => message.to_owned(),
        false => format!("could not {what}: {message}"),
    }
}

/// It stays in the list with its cause; whoever waited for it is back where they were.
fn not_started(state: &mut State, form: Box<Form>, cause: String, out: &mut Vec<Effect>) {
    let name = form.name();
    if state.awaited.as_ref() == Some(&name) {
        state.awaited = None;
    }
    state.warn(refusal(&format!("start {name}"), &cause));
    state.start_failed(form, cause);
    state.leave(&name);
    out.push(Effect::Bell);
}

fn history(state: &mut State, name: &str, at: (u64, u64), lines: Vec<Line>, out: &mut Vec<Effect>) {
    let Mode::Scroll(scroll) = &mut state.mode else { return };
    if scroll.name != name {
        return;
    }
    if let Some((from, count)) = scroll.older(at.0, at.1, lines) {
        let request = Request::History { name: name.to_owned(), from, count };
        out.push(Effect::Send(state.request(request, Some(Purpose::History(name.to_owned())))));
    }
}
