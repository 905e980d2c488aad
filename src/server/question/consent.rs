//! Requests for consent that may still wait where something else is shown.
//!
//! Whoever has an agent's terminal open can draw a harmless question over a request for consent, and the program would
//! take the answer's Enter for a yes. What stands there is a person's until a key is typed. `appearance.rs` asks here;
//! nothing is ever approved here.

use crate::server::lifecycle::agent::Agent;
use crate::session::message::{AgentKey, AskKey, Order};

use super::ask::{Ask, Source};
use super::{Questions, ToQuestions, World};

/// Why a question that stands where consent was asked for is a person's. Whoever has the terminal open can draw over a
/// dialog, and be gone before anybody looks; the program still waits for the answer to its own.
pub(super) const DRAWN_OVER: &str =
    "a question for consent went away without a key, and may still wait behind this one";

impl Questions {
    /// Whether an agent asks for consent, or did until the question went away without a key. `typed`: how often something
    /// has been typed into it.
    pub fn consent_stands(&self, agent: AgentKey, typed: Option<u64>) -> bool {
        let gone = self.tracks.get(agent).and_then(|track| track.consent_gone);
        let asks = |ask: &Ask| ask.agent == agent && !ask.settled() && ask.question.kind.gives_consent();
        (gone.is_some() && gone == typed) || self.asks.values().any(asks)
    }

    /// It went away, and nobody has typed: it may still wait.
    pub(super) fn consent_went(&mut self, key: AskKey, world: World<'_>) {
        let Some(ask) = self.asks.get(key).filter(|ask| ask.question.kind.gives_consent()) else { return };
        let agent = world.agents.get(ask.agent);
        let untouched = agent.filter(|agent| agent.sight.typed == ask.typed && ask.ordered.is_none());
        if let Some(typed) = untouched.map(|agent| agent.sight.typed) {
            let key = ask.agent;
            self.track(key).consent_gone = Some(typed);
        }
    }

    /// While a question stands, something else may have asked for consent and been drawn over before it was looked at.
    pub(super) fn drawn_over(&mut self, key: AskKey, agent: &Agent) {
        let open = self.open(key).filter(|ask| !ask.is_persons() && ask.ordered.is_none());
        if agent.sight.drawn_over
            && open.is_some_and(|ask| !ask.question.origin.line && !ask.seen_on(Source::Hook))
        {
            self.then(ToQuestions::Escalate { ask: key, why: DRAWN_OVER.to_owned() });
        }
    }

    /// A request that was granted or refused through a hook goes away without a key, and waits no more.
    pub(super) fn answered_by_hook(&mut self, key: AskKey) {
        let Some(ask) = self.asks.get(key) else { return };
        let (agent, question) = (ask.agent, Box::new(ask.question.clone()));
        self.order(agent, Order::AnsweredByHook(question));
    }
}
