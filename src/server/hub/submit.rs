//! The Enter of `send --enter`: pressed once the text is seen to stand in the input line, and again if the
//! program has swallowed it.
//!
//! `requests.rs` orders one, `life.rs` calls `press_due_submits` at every tick. It never sends a draft that
//! anybody has touched since, and never presses on a screen that is older than this moment.

use crate::core::agent::Host;
use crate::core::question::State;
use crate::core::terminal::keys::{Input, Key, KeyPress};
use crate::server::effect::{AgentKey, ClientKey, Now};
use crate::wire::message::Reply;

use super::Hub;
use super::agent::{Agent, Life, PendingSubmit};

/// A draft that still stands so long after Enter was not sent: programs redraw within 50 ms.
const ENTER_TAKES_MS: u64 = 1_000;
/// Enters for one draft, the first included.
const MAX_ENTERS: u8 = 3;
/// A program with an input line shows what it was given within this time, even while it starts on a busy
/// machine; an Enter that overtakes the text becomes part of it.
const DRAFT_SHOWS_MS: u64 = 5_000;
/// Programs swallow an Enter only while they start, Codex in its first 3 s; ten times that on a busy machine.
/// Later a draft that still stands was sent, and its program is slow to draw: another Enter would meet
/// whatever it draws next.
const STARTING_MS: u64 = 30_000;
/// A program that draws a screen and leaves its terminal collecting lines for this long has lost it: Claude Code
/// switches within a second, on a busy machine too.
const INPUT_BLOCKED_GIVEN_MS: u64 = 10_000;
/// Between two looks at an input line that is still empty.
const LOOK_MS: u64 = 50;

impl Agent {
    /// More than a line prompt.
    pub(super) fn draws_a_screen(&self) -> bool {
        self.highlights() || self.screen.modes().bracketed_paste
    }

    /// What it reads are keys, and its terminal is to hand them over one by one. Programs draw their first dialog a
    /// moment before they switch it, on a busy machine a long one.
    pub(super) fn reads_keys(&self) -> bool {
        // In tmux pastes are handed over in brackets whatever the program has asked for.
        let in_tmux = self.spec.host == Host::Tmux || self.spec.pane.is_some();
        self.highlights() || (self.screen.modes().bracketed_paste && !in_tmux)
    }

    fn highlights(&self) -> bool {
        self.verdict.question.as_ref().is_some_and(|question| question.selected.is_some())
    }
}

impl Hub {
    /// Orders the Enter that follows `input`; `client` is told when it is done.
    pub(super) fn order_submit(&mut self, key: AgentKey, client: ClientKey, id: u64, input: &[Input]) {
        let now = self.now;
        let Some(agent) = self.agents.get_mut(&key) else { return };
        let pause = if input.is_empty() { 0 } else { agent.profile.keys.submit_ms };
        let words = input.iter().any(|input| match input {
            Input::Text(text) | Input::Paste(text) => !text.trim().is_empty(),
            Input::Key(_) | Input::Mouse(_) | Input::Focus(_) => false,
        });
        let shows = words && draft(agent) == Some("");
        agent.submits.push(PendingSubmit {
            due_ms: now.ms + pause,
            ordered_ms: now.ms,
            typed: agent.typed,
            client,
            id,
            pressed: 0,
            draft: String::new(),
            shows_by: shows.then_some(now.ms + DRAFT_SHOWS_MS),
        });
    }

    /// Presses the Enters that are due, unless something else was typed in between. A program that is only
    /// being started may swallow one: it is pressed again while the same draft stands in an idle input line.
    pub(super) fn press_due_submits(&mut self, key: AgentKey) {
        let now = self.now;
        let Some(agent) = self.agents.get(&key) else { return };
        let ready = |enter: &PendingSubmit| now.ms >= enter.due_ms;
        if !agent.submits.iter().any(ready) || !self.up_to_date(key) {
            return;
        }
        let Some(agent) = self.agents.get_mut(&key) else { return };
        let due: Vec<_> = agent.submits.extract_if(.., |enter| ready(enter)).collect();
        for enter in due {
            let (client, id) = (enter.client, enter.id);
            if let Some(reply) = self.press_submit(key, enter) {
                self.reply(client, id, reply);
            }
        }
    }

    /// One Enter; what its client is told, or nothing while it is not over.
    fn press_submit(&mut self, key: AgentKey, mut enter: PendingSubmit) -> Option<Reply> {
        let now = self.now;
        let agent = self.agents.get_mut(&key)?;
        if now.ms < agent.input_blocked_until && agent.life == Life::Running {
            return input_blocked(agent, enter, now);
        }
        let draft = draft(agent).unwrap_or_default().to_owned();
        if enter.pressed == 0
            && let Some(by) = enter.shows_by
            && agent.life == Life::Running
            && agent.typed == enter.typed
        {
            if draft.is_empty() && now.ms < by {
                agent.submits.push(PendingSubmit { due_ms: now.ms + LOOK_MS, ..enter });
                return None;
            }
            // The pause that a text wants before its Enter counts from where it is taken in.
            let seen = now.ms.min(agent.changed_ms) + agent.profile.keys.submit_ms;
            enter.shows_by = None;
            if seen > now.ms {
                agent.submits.push(PendingSubmit { due_ms: seen, ..enter });
                return None;
            }
        }
        if enter.pressed > 0 && agent.watcher.next_wake().is_some() {
            // Something was printed that nobody has judged yet.
            agent.submits.push(PendingSubmit { due_ms: now.ms + LOOK_MS, ..enter });
            return None;
        }
        let starting = now.ms < agent.started_ms + STARTING_MS;
        let stands =
            starting && agent.verdict.state == State::Idle && !draft.is_empty() && draft == enter.draft;
        if enter.pressed > 0 && (agent.typed != enter.typed || !stands) {
            return Some(Reply::Done);
        }
        let name = &agent.spec.name;
        if agent.life != Life::Running {
            return Some(Reply::error(1, format!("{name} does not run any more; Enter was not pressed")));
        }
        if agent.typed != enter.typed {
            return Some(Reply::error(1, "something else was typed meanwhile; Enter was not pressed"));
        }
        if enter.pressed == MAX_ENTERS {
            let what = format!("{name} does not take Enter; the text is in its input line");
            return Some(Reply::error(1, what));
        }
        self.type_into(key, &[Input::Key(KeyPress::plain(Key::Enter))], false);
        if draft.is_empty() {
            return Some(Reply::Done);
        }
        let agent = self.agents.get_mut(&key)?;
        let (typed, pressed) = (agent.typed, enter.pressed + 1);
        agent.submits.push(PendingSubmit { due_ms: now.ms + ENTER_TAKES_MS, typed, pressed, draft, ..enter });
        None
    }
}

/// An Enter for a terminal that collects lines would be a line break in the draft: it waits, and is given up.
fn input_blocked(agent: &mut Agent, enter: PendingSubmit, now: Now) -> Option<Reply> {
    if now.ms < enter.ordered_ms + INPUT_BLOCKED_GIVEN_MS {
        agent.submits.push(PendingSubmit { due_ms: agent.input_blocked_until, ..enter });
        return None;
    }
    let name = &agent.spec.name;
    Some(Reply::error(1, format!("the terminal of {name} takes lines, not keys; Enter was not pressed")))
}

/// What stands in the agent's input line; `None` where none is seen.
fn draft(agent: &Agent) -> Option<&str> {
    agent.verdict.composer.as_ref().map(|composer| composer.draft.as_str())
}
