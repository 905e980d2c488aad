//! A form known by its hook, of which the screen shows one page at a time.
//!
//! Tells the hub which of the form's questions a page is, so that none is taken for a new one, and ends all of
//! them with the form. It gives no answer.

use crate::core::deliver::same_dialog;
use crate::core::question::Question;
use crate::session::message::{AgentKey, AskKey};

use super::Hub;

impl Hub {
    /// Whether the screen shows nothing new to somebody who knows the form from its hook.
    pub(super) fn hook_covers(
        &mut self,
        key: AgentKey,
        open: Option<AskKey>,
        seen: Option<&Question>,
    ) -> bool {
        let Some(agent) = self.agents.get_mut(&key).filter(|agent| !agent.gone()) else { return false };
        let lane = agent.hook.waiting.is_some() || agent.hook.sent.is_some();
        let of_form = open.and_then(|open| agent.hook_at(open));
        let Some(seen) = seen else {
            // Known by its hook alone: that the screen does not show it is nothing new.
            let unseen = |ask: AskKey| self.asks.get(&ask).is_some_and(|ask| !ask.sources.contains("screen"));
            return lane && of_form.is_some() && open.is_some_and(unseen);
        };
        let shown = agent.hook.form.iter().position(|asked| asked.shown_by(seen).is_ok());
        if shown.is_some() && agent.hook.sent.is_some() {
            return true;
        }
        let Some(ask_key) = shown.and_then(|at| agent.hook.asks[at]) else { return false };
        let Some(ask) = self.asks.get_mut(&ask_key).filter(|ask| !ask.status.settled()) else { return false };
        if lane && of_form.is_some() {
            agent.missing_since = None;
            if !ask.sources.contains("screen") && ask.decided.is_none() {
                (ask.question, ask.fingerprint) = (seen.clone(), seen.fingerprint());
                ask.sources.insert("screen");
                self.tell_question(ask_key);
            }
            let same =
                |open: AskKey| self.asks.get(&open).is_some_and(|ask| same_dialog(&ask.question, seen));
            return !open.is_some_and(same);
        }
        if !lane && open != Some(ask_key) {
            // The next page of a form whose questions were told of, and maybe decided, before.
            agent.missing_since = None;
            self.hook_by_keys(key, ask_key);
            self.tell_question(ask_key);
            return true;
        }
        false
    }

    /// A question has gone by itself, and with it the rest of its form.
    pub(super) fn hook_withdrawn(&mut self, key: AgentKey, ask_key: AskKey) {
        let Some(agent) = self.agents.get_mut(&key) else { return };
        if agent.hook_at(ask_key).is_some() {
            self.hook_form_over(key);
        }
    }

    /// The form is over, however it ended: no question of it is open any more.
    pub(super) fn hook_form_over(&mut self, key: AgentKey) {
        let now = self.now;
        if let Some(confirm) = self.agents.get_mut(&key).and_then(|agent| agent.hook.confirm.as_mut()) {
            // What it waits for cannot come any more.
            confirm.until_ms = now.ms;
            self.hook_confirm(key);
        }
        let Some(agent) = self.agents.get_mut(&key) else { return };
        let asks = std::mem::take(&mut agent.hook.asks);
        agent.hook.forget_form();
        for ask in asks.into_iter().flatten() {
            self.withdraw(ask);
        }
        self.hook_abstains(key);
    }

    /// Whether a person may answer this question although another one is on the screen.
    pub(super) fn hook_open(&self, ask_key: AskKey) -> bool {
        let agent = self.asks.get(&ask_key).and_then(|ask| self.agents.get(&ask.agent));
        agent.is_some_and(|agent| agent.hook.waiting.is_some() && agent.hook_at(ask_key).is_some())
    }
}
