//! The keys that hold a story up, and what each line of it does to the team.
//!
//! `update.rs` calls it. Pure.

use crate::core::agent::Duty;
use crate::core::question::State as AgentState;
use crate::core::terminal::keys::{Key, KeyPress, Mods};
use crate::wire::message::{ClientMessage, Request};

use super::agent::Agent;
use super::state::{Purpose, State};
use super::story::Pace;

/// Something was told; where the team goes by steps, this was one.
pub fn told(state: &mut State, line: String) {
    let Some(story) = state.story.as_mut() else { return };
    story.add(line);
    if story.pace == Pace::Step {
        story.pace = Pace::Paused;
    }
}

/// `true`: the key was the story's.
pub fn key(state: &mut State, press: KeyPress) -> bool {
    let Some(story) = state.story.as_mut().filter(|_| press.mods == Mods::default()) else { return false };
    story.pace = match (press.key, story.pace) {
        (Key::F(8), Pace::Paused) => Pace::Running,
        (Key::F(8), Pace::Running | Pace::Step) => Pace::Paused,
        (Key::F(9), _) => Pace::Step,
        _ => return false,
    };
    true
}

/// Tells the workers to stand still or to go on, where they do not as the person wants. Each has one such order at a
/// time: an agent that is told to go on before it stands still would stand still for good.
pub fn keep_pace(state: &mut State) -> Vec<ClientMessage> {
    let Some(story) = state.story.as_ref().filter(|_| state.connected) else { return Vec::new() };
    let wanted = story.pace == Pace::Paused;
    let ordered =
        |name: &String| state.pending.values().any(|why| matches!(why, Purpose::Pace(of) if of == name));
    // The consultant goes on: what it is told, or says, is not cut in two.
    let there = |agent: &&Agent| agent.info.role == Duty::Worker && agent.info.state != AgentState::Exited;
    let due = |agent: &&Agent| {
        let still = story.still.contains(&agent.info.name);
        still != wanted && !ordered(&agent.info.name) && !(wanted && stands_by_itself(state, agent))
    };
    let names: Vec<String> =
        state.agents.iter().filter(there).filter(due).map(|agent| agent.info.name.clone()).collect();
    names.into_iter().map(|name| order(state, name, wanted)).collect()
}

/// It asks, and does nothing else until its answer was typed, which a pause would cut short; or it only begins.
fn stands_by_itself(state: &State, agent: &Agent) -> bool {
    agent.info.state == AgentState::Starting || state.question_of(&agent.info.name).is_some()
}

fn order(state: &mut State, name: String, still: bool) -> ClientMessage {
    if let Some(story) = &mut state.story {
        match still {
            true => story.still.insert(name.clone()),
            false => story.still.remove(&name),
        };
    }
    let names = vec![name.clone()];
    let request = if still { Request::Pause { names } } else { Request::Resume { names } };
    state.request(request, Some(Purpose::Pace(name)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::agent::AgentInfo;
    use crate::core::keymap::Keymap;
    use crate::core::layout::Layout;
    use crate::core::terminal::keys::Input;
    use crate::dashboard::effect::Effect;
    use crate::dashboard::story::{READ_MS, Story};
    use crate::dashboard::update::{Event, update};
    use crate::wire::message::{Notice, Reply, ServerMessage, Status};

    fn state() -> State {
        let keymap = Keymap::standard(KeyPress::ctrl('a'));
        let mut state = State::new(keymap, Layout::built_in(), 0, "test".into());
        state.size = (80, 24);
        state.story = Some(Story::begin("once".into(), 0));
        agent(&mut state, AgentState::Working);
        state
    }

    fn agent(state: &mut State, now: AgentState) {
        let info = AgentInfo { state: now, ..AgentInfo::at_work("api") };
        update(state, Event::Server(Box::new(ServerMessage::Notice(Notice::Agent(Box::new(info))))), 0);
    }

    /// What the workers are told then.
    fn orders(state: &mut State, event: Event) -> Vec<Request> {
        let sent = |effect| match effect {
            Effect::Send(message) => Some(message.request),
            _ => None,
        };
        let all = update(state, event, 0).into_iter().filter_map(sent);
        all.filter(|request| matches!(request, Request::Pause { .. } | Request::Resume { .. })).collect()
    }

    fn press(state: &mut State, number: u8) -> Vec<Request> {
        orders(state, Event::Input(Input::Key(KeyPress::plain(Key::F(number)))))
    }

    fn notice(state: &mut State, notice: Notice) -> Vec<Request> {
        orders(state, Event::Server(Box::new(ServerMessage::Notice(notice))))
    }

    /// The server has done what it was told.
    fn done(state: &mut State) -> Vec<Request> {
        let told = state.pending.iter().find(|(_, purpose)| matches!(purpose, Purpose::Pace(_)));
        let id = *told.expect("an order").0;
        orders(state, Event::Server(Box::new(ServerMessage::Reply { id, reply: Reply::Done })))
    }

    fn paused() -> [Request; 1] {
        [Request::Pause { names: vec!["api".to_owned()] }]
    }

    fn resumed() -> [Request; 1] {
        [Request::Resume { names: vec!["api".to_owned()] }]
    }

    #[test]
    fn a_line_stays_until_it_was_read() {
        let mut state = state();
        told(&mut state, "one".into());
        told(&mut state, "two".into());
        let line = |state: &mut State, now_ms| {
            update(state, Event::Tick, now_ms);
            state.story.as_ref().unwrap().line().to_owned()
        };
        assert_eq!(line(&mut state, READ_MS - 1), "once");
        assert_eq!(state.story.as_ref().unwrap().due_ms(), Some(READ_MS));
        assert_eq!(line(&mut state, READ_MS), "one");
        assert_eq!(line(&mut state, 2 * READ_MS - 1), "one");
        for more in ["three", "four", "five", "six"] {
            told(&mut state, more.into());
        }
        assert_eq!(line(&mut state, 2 * READ_MS), "three", "what is over when it could be read is left out");
        for (readings, told) in [(3, "four"), (4, "five"), (9, "six")] {
            assert_eq!(line(&mut state, readings * READ_MS), told);
        }
        assert_eq!(line(&mut state, 99 * READ_MS), "six", "the last one stays");
    }

    #[test]
    fn the_team_stands_still_and_goes_on_by_steps() {
        let mut state = state();
        assert_eq!(press(&mut state, 8), paused());
        assert_eq!(done(&mut state), []);
        assert_eq!(press(&mut state, 9), resumed());
        assert_eq!(done(&mut state), []);
        assert_eq!(orders(&mut state, Event::Told("something".into())), paused(), "that was the step");
        assert_eq!(done(&mut state), []);
        assert_eq!(press(&mut state, 8), resumed());
        assert_eq!(done(&mut state), []);
        assert_eq!(orders(&mut state, Event::Told("something".into())), [], "it runs");
        state.story = None;
        assert!(!key(&mut state, KeyPress::plain(Key::F(8))), "without a story the key is the agent's");
    }

    /// The second order would have come before the first one was carried out, and found nobody to wake.
    #[test]
    fn who_pauses_and_goes_on_at_once_leaves_nobody_standing() {
        let mut state = state();
        assert_eq!(press(&mut state, 8), paused());
        assert_eq!(press(&mut state, 8), [], "once they stand still");
        assert_eq!(done(&mut state), resumed());
        assert_eq!(done(&mut state), []);
    }

    /// It went to a person: "the answer did not go in: the agent was paused".
    #[test]
    fn who_asks_is_answered_before_it_stands_still() {
        let mut state = state();
        let asked = |status: Status| {
            let question = serde_json::json!({
                "id": "q1", "agent": "api", "kind": "menu", "prompt": "Which?", "options": ["A"], "selected": 0,
                "multi": false, "asked_at": 0.0, "deadline_at": null, "status": status, "route": "advisor", "sources": [],
            });
            Notice::Question(serde_json::from_value(question).unwrap())
        };
        notice(&mut state, asked(Status::Consulting));
        assert_eq!(press(&mut state, 8), []);
        assert_eq!(notice(&mut state, asked(Status::Answering)), []);
        assert_eq!(notice(&mut state, asked(Status::Answered)), paused());
    }
}
