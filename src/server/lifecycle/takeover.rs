//! What passes from one server to the next: agents that are taken back, and what their keepers hold of them.
//!
//! Part of the machine of lives.

use crate::core::agent::AgentSpec;
use crate::core::policy::Policy;
use crate::server::hub::message::Message;
use crate::server::remembered::{OpenQuestion, Remembered, UNSEEN_MS};
use crate::session::message::{AgentKey, Now, Order};
use crate::session::{Life, Setup};
use crate::wire::keeper::ToKeeper;

use super::Lifecycle;

impl Lifecycle {
    /// The number of a life that begins. They go on from server to server, so that no life has the number of the one
    /// before it; the first server of all begins at its clock, for agents that nobody remembers.
    pub(super) fn next_life(&mut self) -> u64 {
        if self.lives == 0 {
            self.lives = self.now.unix_ms / 1000;
        }
        self.lives += 1;
        self.lives
    }

    /// An agent found running by a new server.
    pub fn adopt(
        &mut self,
        spec: AgentSpec,
        policy: Policy,
        earlier: Option<Remembered>,
        now: Now,
    ) -> (AgentKey, Setup, Vec<Message>) {
        self.now = now;
        let number = earlier.as_ref().map(|earlier| earlier.number);
        let released = earlier.as_ref().is_some_and(|earlier| earlier.released);
        let tied = spec.tied.filter(|_| !released);
        let life_id = earlier.as_ref().and_then(|earlier| earlier.life_id);
        // Before the clock would be asked: the lives that follow have the numbers behind this one.
        self.lives = self.lives.max(life_id.unwrap_or(0));
        let (key, mut setup) = self.admit(AgentSpec { number, tied, ..spec }, policy, None);
        setup.typed_line = earlier.as_ref().and_then(Remembered::line_at_start);
        setup.asked = earlier.as_ref().and_then(Remembered::read_for);
        setup.life_id = life_id;
        // What no server has held for typed was not.
        let prompt_due = earlier.as_ref().is_some_and(|earlier| earlier.prompt_due);
        setup.prompt = setup.prompt.filter(|_| prompt_due);
        setup.recording = earlier.as_ref().and_then(|earlier| earlier.recording.clone());
        if let Some(agent) = self.agents.get_mut(key) {
            agent.life_id = setup.life_id;
            agent.prompt_due = setup.prompt.is_some();
            agent.unseen_until_ms = Some(now.ms + UNSEEN_MS);
            agent.earlier = earlier;
            agent.counts_from_unix_ms = 0;
            if let Some(earlier) = agent.earlier.as_ref().filter(|_| agent.was_silent()) {
                agent.since_unix_ms = earlier.since_unix_ms.min(now.unix_ms);
            }
        }
        (key, setup, std::mem::take(&mut self.out))
    }

    /// Until when an agent of the server before may go unseen, if there is one that does.
    pub fn unseen_until(&self, now_ms: u64) -> Option<u64> {
        self.agents.values().filter_map(|agent| agent.unseen_until(now_ms)).max()
    }

    pub(super) fn remember(&mut self, key: AgentKey, open: Vec<OpenQuestion>, consent: bool) {
        let now_ms = self.now.ms;
        let Some(agent) = self.agents.get(key) else { return };
        // What the server before told is not overwritten by what is not known yet, and without a keeper nobody holds it.
        let begun = agent.life != Life::Spawning;
        if !begun || agent.gone() || agent.spec.pane.is_some() || agent.unseen_until(now_ms).is_some() {
            return;
        }
        let (state, since_unix_ms) = (agent.state(), agent.since_unix_ms);
        let (number, line) = (agent.number, agent.sight.typed_line.as_ref());
        let released = agent.spec.tied.is_none();
        let recording = agent.sight.recording.clone();
        let life_id = agent.life_id;
        let prompt_due = agent.prompt_due;
        let prompt_begun = agent.prompt_begun && agent.sight.typing;
        let line = Remembered { recording, life_id, prompt_due, prompt_begun, ..Remembered::of_line(line) };
        let now = Remembered { place: key.0, number, state, since_unix_ms, open, consent, released, ..line };
        if now == agent.remembered {
            return;
        }
        self.hold(key, now);
    }

    /// It is ready for its first prompt. Its keeper holds for typed what is typed behind that.
    pub(super) fn first_prompt_ready(&mut self, key: AgentKey) {
        let Some(agent) = self.agents.get_mut(key) else { return };
        (agent.prompt_due, agent.prompt_begun) = (false, true);
        let known = agent.remembered != Remembered::default();
        let held = agent.earlier.as_ref().filter(|_| !known).unwrap_or(&agent.remembered);
        let now = Remembered { prompt_due: false, prompt_begun: true, ..held.clone() };
        // Of a pane of the user's own nobody holds anything.
        if agent.spec.pane.is_none() {
            self.hold(key, now);
        }
        self.order(key, Order::FirstPrompt);
    }

    fn hold(&mut self, key: AgentKey, now: Remembered) {
        let note = serde_json::to_value(&now).expect("a state, numbers and names are JSON");
        if let Some(agent) = self.agents.get_mut(key) {
            agent.remembered = now;
        }
        self.keeper(key, ToKeeper::Hold { note });
    }
}
