//! Answers that an agent's hook took along: whether the agent took them, and nothing else.
//!
//! No key is ever sent for a question that is here, whatever comes of it. What was recorded is compared with what
//! was meant; a difference, and silence, is a person's to know.

use crate::core::deliver::{Confirmed, Proof, same_dialog};
use crate::core::question::State;
use crate::session::message::{AgentKey, AskKey};

use super::Hub;

/// A program that was given its answer goes on within 150 ms; one that has not by then did not take it.
pub(super) const TAKEN_MS: u64 = 10_000;

/// Answers that a hook took along. Nothing is ever typed for these questions.
#[derive(Debug)]
pub(super) struct Sent {
    pub asks: Vec<(AskKey, String)>,
    pub since_ms: u64,
    pub form: bool,
}

impl Hub {
    /// Whether an answer to this question is on its way through the hook, so that it must not be withdrawn.
    pub(super) fn hook_keeps(&mut self, ask_key: AskKey) -> bool {
        let Some(key) = self.asks.get(&ask_key).map(|ask| ask.agent) else { return false };
        let Some(agent) = self.agents.get_mut(&key).filter(|agent| !agent.gone()) else { return false };
        let kept =
            agent.hook.sent.as_ref().is_some_and(|sent| sent.asks.iter().any(|(ask, _)| *ask == ask_key));
        if kept && agent.ask == Some(ask_key) {
            agent.ask = None;
        }
        kept
    }

    /// Whether what the hook took along has been taken.
    pub(super) fn hook_sent(&mut self, key: AgentKey) {
        let now = self.now;
        let Some(agent) = self.agents.get_mut(&key) else { return };
        let Some(sent) = agent.hook.sent.take() else { return };
        let late = now.ms >= sent.since_ms + TAKEN_MS || agent.gone();
        let shown = |ask: &AskKey| {
            let screen = agent.on_screen();
            screen.zip(self.asks.get(ask)).is_some_and(|(screen, ask)| same_dialog(&ask.question, screen))
        };
        let gone = match sent.form {
            true => agent.hook_on_screen().is_none(),
            false => {
                let settled =
                    matches!(agent.sight.verdict.state, State::Working | State::Idle | State::Asking);
                settled && !sent.asks.iter().any(|(ask, _)| shown(ask))
            }
        };
        let told = if sent.form { agent.hook.form_recorded() } else { gone.then(|| Ok(String::new())) };
        let (after, taken_ms) =
            (agent.sight.verdict.state.name().to_owned(), now.ms.saturating_sub(sent.since_ms));
        if !late && (told.is_none() || !gone) {
            agent.hook.sent = Some(sent);
            return;
        }
        let of_screen = agent.hook_on_screen().and_then(|at| agent.hook.asks[at]);
        agent.hook.forget_form();
        for (ask, words) in sent.asks {
            let mut proof = self.hook_proof(ask, &words, &after, taken_ms);
            match &told {
                Some(Ok(_)) => {
                    let confirmed = Confirmed { confirmed_by: "hook".to_owned(), recorded: words };
                    proof.confirmed = sent.form.then(|| Box::new(confirmed));
                    self.answered_well(key, ask, Vec::new(), proof);
                }
                Some(Err(why)) => self.hook_differs(key, ask, Vec::new(), proof, why.clone()),
                None => self.hook_not_taken(key, ask, proof, of_screen == Some(ask) || (!sent.form && !gone)),
            }
        }
    }

    /// An answer that the hook took along led to nothing. If its dialog is still there, a person answers it.
    fn hook_not_taken(&mut self, key: AgentKey, ask_key: AskKey, proof: Proof, on_screen: bool) {
        let why =
            format!("the answer was given to the agent's hook and not taken within {} s", TAKEN_MS / 1000);
        if !on_screen {
            return self.hook_differs(key, ask_key, Vec::new(), proof, why);
        }
        if let Some(agent) = self.agents.get_mut(&key) {
            agent.ask = Some(ask_key);
        }
        if let Some(ask) = self.asks.get_mut(&ask_key) {
            ask.by_hook = false;
        }
        self.escalate(ask_key, why, String::new());
    }

    fn hook_proof(&self, ask: AskKey, words: &str, after: &str, taken_ms: u64) -> Proof {
        Proof {
            before: self.asks.get(&ask).map(|ask| ask.fingerprint),
            seen: format!("given to its hook: {words}"),
            keys: Vec::new(),
            gone_after_ms: taken_ms,
            after: after.to_owned(),
            confirmed: None,
        }
    }
}
