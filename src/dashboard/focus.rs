//! Who has the keyboard. It moves when the person moves it; where something ends under their fingers it
//! returns to where it was, and what is typed in that moment goes nowhere.
//!
//! `update.rs` and `actions.rs` call it. Pure.

use crate::core::agent::Duty;
use crate::core::question::State as AgentState;
use crate::core::terminal::keys::{Action as Press, Input, Key, MouseKind};

use super::agent::Agent;
use super::agents::takes_no_keys;
use super::mode::Mode;
use super::note::Until;
use super::state::State;

/// As long as a person needs to see that something else is there now: an Escape meant for a shell that has
/// just ended once declined another agent's permission.
pub const HOLD_MS: u64 = 300;
/// A pause within a sentence is shorter.
const TYPING_MS: u64 = 5_000;
/// Who goes on typing has not seen it: what they type goes nowhere until they pause for this long.
pub const PAUSE_MS: u64 = 400;
/// Who has typed within this time is still there.
const PRESENT_MS: u64 = 60_000;
/// Nobody remembers further back.
const RECENT: usize = 32;

impl State {
    /// The person puts an agent into focus; it has been looked at now.
    pub fn focus_on(&mut self, name: &str) {
        if self.focus.as_deref() != Some(name)
            && let Some(former) = self.focus.take()
        {
            self.recent.retain(|known| *known != former && known != name);
            self.recent.push(former);
            if self.recent.len() > RECENT {
                self.recent.remove(0);
            }
        }
        self.focus = Some(name.to_owned());
        self.focus_chosen = true;
        self.seen();
        if matches!(&self.mode, Mode::Scroll(scroll) if scroll.name != name) {
            self.mode = Mode::Panes;
        }
    }

    /// The person goes to an agent. A question of another one that is open takes no more keys.
    pub fn go_to(&mut self, name: &str) {
        if matches!(self.mode, Mode::Drawer(_)) && self.in_drawer().is_none_or(|asked| asked.agent != name) {
            self.mode = Mode::Panes;
        }
        self.focus_on(name);
    }

    /// Who comes to need the person takes the focus, where they want that: not while they type, answer or look for
    /// something, and not while all there is only becomes known.
    pub fn to_front(&mut self, name: &str) {
        let typing = self.acted_ms.is_some_and(|at| self.now_ms.saturating_sub(at) < TYPING_MS);
        let free = self.mode == Mode::Panes && !self.prefix.pending && !self.broadcast.on && !self.syncing;
        if self.asker_to_front && free && !typing && self.focus.as_deref() != Some(name) {
            self.focus_on(name);
            self.hold();
        }
    }

    /// What the focused agent did is looked at.
    pub fn seen(&mut self) {
        let Some(name) = self.focus.clone().filter(|_| self.looking) else { return };
        if let Some(agent) = self.agent_mut(&name) {
            (agent.rang, agent.unseen) = (false, false);
        }
    }

    /// Whether the person looks at this agent: it has the focus, the terminal has theirs, and they have just done
    /// something. A terminal that nobody sits at keeps its focus for hours.
    pub fn looks_at(&self, name: &str) -> bool {
        let there = self.acted_ms.is_some_and(|at| self.now_ms.saturating_sub(at) < PRESENT_MS);
        there && self.looking && self.focus.as_deref() == Some(name)
    }

    /// Something else has the keyboard now, and not because the person wanted it.
    pub fn hold(&mut self) {
        self.keyboard.hold_until_ms = self.keyboard.hold_until_ms.max(self.now_ms + HOLD_MS);
        self.prefix.pending = false;
    }

    /// What the person was typing for has gone by itself. However slowly they type on, it was not meant for an agent.
    pub fn set_adrift(&mut self) {
        self.keyboard.adrift = true;
        self.hold();
    }

    /// Whether this was typed on by somebody who is adrift; Esc and a click on a pane end that, and so does whatever follows the
    /// prefix.
    pub fn is_lost(&mut self, input: &Input) -> bool {
        // Where nobody reads, nothing can go wrong.
        let reads = |agent: &Agent| takes_no_keys(self, agent).is_none();
        self.keyboard.adrift &= self.focused().is_some_and(reads);
        if !self.keyboard.adrift || self.mode != Mode::Panes || matches!(input, Input::Focus(_)) {
            return false;
        }
        match input {
            Input::Mouse(event) => {
                self.keyboard.adrift &= event.kind != MouseKind::Press;
                return false;
            }
            Input::Key(press) if press.action == Press::Release => return true,
            Input::Key(press) if press.key == Key::Esc => self.keyboard.adrift = false,
            _ => {}
        }
        let here = self.focus.clone().unwrap_or_default();
        match self.keyboard.adrift {
            true => self.say_until(Until::Seen, format!("{here}: what is typed goes nowhere until esc")),
            false => {
                self.say_until(Until::FocusLeaves(here.clone()), format!("{here}: it has the keyboard now"));
            }
        }
        true
    }

    /// Something typed went nowhere: what follows it belongs to it.
    pub fn hold_on(&mut self) {
        self.keyboard.hold_until_ms = self.now_ms + PAUSE_MS;
    }

    /// Whether what is typed now was meant for what was there before.
    pub fn holding(&self) -> bool {
        self.now_ms < self.keyboard.hold_until_ms
    }

    /// The focused agent is no more, or never came to be: back to where the person was.
    pub fn leave(&mut self, name: &str) {
        self.recent.retain(|known| known != name);
        let shown = match &self.mode {
            Mode::Scroll(scroll) => scroll.name == name,
            Mode::Sure(sure) => sure.name() == Some(name),
            _ => false,
        };
        if shown {
            self.mode = Mode::Panes;
            self.set_adrift();
        }
        if self.focus.as_deref() == Some(name) {
            // In the middle of a line, perhaps.
            self.keyboard.adrift |=
                self.keyboard.passed_ms.is_some_and(|at| self.now_ms.saturating_sub(at) < TYPING_MS);
            self.focus = None;
            self.fall_back();
        }
    }

    /// To the last agent the person was at, else to the first worker.
    pub fn fall_back(&mut self) {
        self.hold();
        while let Some(name) = self.recent.pop() {
            if self.agent(&name).is_some() {
                self.focus = Some(name);
                return self.seen();
            }
        }
        self.focus = self.first().map(|agent| agent.info.name.clone());
    }

    fn first(&self) -> Option<&Agent> {
        // One that never ran takes no keys.
        let shown = |agent: &&Agent| !self.hidden.contains(&agent.info.name) && !agent.failed();
        let worker = self.agents.iter().filter(shown).find(|agent| agent.info.role == Duty::Worker);
        worker.or(self.agents.first())
    }

    /// Puts the focus somewhere while nobody has: on the first worker.
    pub fn settle_focus(&mut self) {
        if self.syncing {
            return;
        }
        if self.focused().is_none() {
            let had = self.focus.take().is_some();
            if had {
                return self.fall_back();
            }
            self.focus = self.first().map(|agent| agent.info.name.clone());
            return;
        }
        // A consultant, or one that never ran, has it only for want of a worker.
        let works = |agent: &&Agent| agent.info.role == Duty::Worker && !agent.failed();
        let stands_in = self.focused().is_some_and(|agent| !works(&agent));
        let worker = self.first().filter(works);
        if let (false, true, Some(worker)) = (self.focus_chosen, stands_in, worker) {
            self.focus = Some(worker.info.name.clone());
            self.hold();
        }
    }

    /// Agents that typed keys go to.
    pub fn targets(&self) -> Vec<String> {
        let name = |agent: &Agent| agent.info.name.clone();
        if self.broadcast.on {
            return self.reached().0.into_iter().map(name).collect();
        }
        self.focused().filter(|agent| !agent.failed()).map(name).into_iter().collect()
    }

    /// What is typed goes to every pane shown, or to the focused one again.
    pub fn switch_broadcast(&mut self) {
        self.broadcast.on = !self.broadcast.on;
        self.broadcast.shown = self.names_shown();
    }

    /// A broadcast is to those that were shown when it began: on another page the rest of a line would go to others, who
    /// have not got its beginning.
    pub fn end_broadcast_elsewhere(&mut self) {
        let others = |name: &String| !self.broadcast.shown.contains(name);
        if self.broadcast.on && self.names_shown().iter().any(others) {
            self.broadcast.on = false;
            self.say("broadcast has ended: others are shown now");
        }
    }

    fn names_shown(&self) -> Vec<String> {
        self.panes().into_iter().map(|(agent, _)| agent.info.name.clone()).collect()
    }

    /// Of the workers shown: those that a broadcast reaches, and those it leaves out because they ask. A key
    /// typed to everybody is no answer.
    pub fn reached(&self) -> (Vec<&Agent>, Vec<&Agent>) {
        let takes = |agent: &&Agent| {
            agent.info.role == Duty::Worker
                && !matches!(agent.info.state, AgentState::Exited | AgentState::Paused)
        };
        let shown = self.panes().into_iter().map(|(agent, _)| agent).filter(takes);
        shown.partition(|agent| !agent.asks() && self.question_of(&agent.info.name).is_none())
    }
}
