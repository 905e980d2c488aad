//! What a hook that waits is told, and whether the agent took it.
//!
//! No key is ever sent for an answer that a hook took along, whatever comes of it. What was recorded is compared
//! with what was meant; a difference, and silence, is a person's to know.

use serde_json::Value;

use crate::core::deliver::{Confirmed, Proof, same_dialog};
use crate::core::hook::{Meant, answers, permission};
use crate::core::question::{Kind, State};
use crate::server::hub::message::{Message, ToClients, ToQuestions, ToReplies};
use crate::server::question::ask::Ask;
use crate::server::question::phase::{HoldReason, Phase};
use crate::session::message::{AgentKey, AskKey};

use super::state::{ALONE_MS, HOLD_MS, Sent, TAKEN_MS, What};
use super::{Hooks, World};

impl Hooks {
    fn answer(&mut self, agent: AgentKey, output: Option<Value>) {
        self.out.push(Message::Reply(ToReplies::Hook { agent, output }));
    }

    pub(super) fn give_form(&mut self, key: AgentKey, world: World<'_>) {
        let hook = self.states.of(key);
        let Some(waiting) = hook.waiting.take() else { return };
        let What::Form(input) = &waiting.what else { return };
        let given: Vec<_> =
            hook.form.iter().zip(&hook.meant).filter_map(|(q, m)| Some((q, m.as_ref()?))).collect();
        let output = answers(input, &given);
        let words = hook.meant.iter().map(|meant| meant.as_ref().map_or_else(String::new, Meant::words));
        let asks: Vec<(AskKey, String)> =
            hook.asks.iter().zip(words).filter_map(|(ask, words)| Some(((*ask)?, words))).collect();
        let keys = asks.iter().map(|(ask, _)| *ask).collect();
        hook.sent = Some(Sent { asks, since_ms: world.now.ms, form: true });
        self.question(ToQuestions::GivenToHook(keys));
        self.answer(key, Some(output));
    }

    pub(super) fn permit(&mut self, key: AgentKey, ask: AskKey, allow: bool, world: World<'_>) {
        let hook = self.states.of(key);
        if hook.waiting.take().is_none() {
            return;
        }
        let words = if allow { "allow" } else { "deny" }.to_owned();
        hook.sent = Some(Sent { asks: vec![(ask, words)], since_ms: world.now.ms, form: false });
        self.question(ToQuestions::GivenToHook(vec![ask]));
        self.answer(key, Some(permission(allow)));
        self.out.push(Message::Client(ToClients::TellQuestion(ask)));
    }

    /// No word from the hook: the dialog stays for a person, or for keys.
    pub(super) fn abstain(&mut self, key: AgentKey, world: World<'_>) {
        let waited = self.states.get_mut(key).and_then(|hook| hook.waiting.take());
        if waited.is_some() {
            self.answer(key, None);
            self.lane_closed(key, world);
        }
    }

    /// Lets a hook go whose question is nobody's to answer by it.
    pub(super) fn routed(&mut self, ask_key: AskKey, world: World<'_>) {
        let Some(ask) = world.asks.get(ask_key) else { return };
        let Some(hook) = self.states.get(ask.agent) else { return };
        let Some(waiting) = &hook.waiting else { return };
        if ask.phase.held(HoldReason::Disk) {
            // Decided, and given by the hook as soon as there is room for it in the log.
            return;
        }
        let command = matches!(waiting.what, What::Command(_)) && ask.question.kind == Kind::Permission;
        let left_alone = matches!(ask.phase, Phase::Ignored) && hook.at(ask_key).is_some();
        if command || left_alone {
            self.abstain(ask.agent, world);
        }
    }

    /// The form was answered by somebody else while the hook waited.
    pub(super) fn overtaken(&mut self, key: AgentKey) {
        let hook = self.states.of(key);
        if hook.waiting.take().is_none() {
            return;
        }
        let asks = hook.asks.iter().flatten().copied().collect();
        self.question(ToQuestions::FormAnswered(asks));
        self.answer(key, None);
        hook_forgets_answers(self, key);
    }

    /// What was decided for the hook goes by keys now: the question on the screen at once, the others of its form
    /// when their pages come up. Unless a person has taken over.
    pub(super) fn lane_closed(&mut self, key: AgentKey, world: World<'_>) {
        hook_forgets_answers(self, key);
        let Some(agent) = world.agents.get(key) else { return };
        let shown = self.on_screen(key, world);
        let asks: Vec<AskKey> = self.states.of(key).asks.iter().flatten().copied().collect();
        for ask_key in asks {
            let held = |ask: &&Ask| ask.phase.held(HoldReason::Form);
            let Some(ask) = world.asks.get(ask_key).filter(held) else { continue };
            if ask.typed != agent.sight.typed {
                let why = "a person typed into the pane".to_owned();
                self.question(ToQuestions::EscalateQuietly { ask: ask_key, why });
            } else if Some(ask_key) == shown {
                self.question(ToQuestions::ByKeys { agent: key, ask: ask_key });
            }
        }
    }

    /// Whether what the hook took along has been taken.
    fn check_sent(&mut self, key: AgentKey, world: World<'_>) {
        let shown_of_form = self.on_screen(key, world);
        let form_shown = self.form_shown(key, world);
        let agent = world.agents.get(key);
        let Some(hook) = self.states.get_mut(key).filter(|hook| hook.sent.is_some()) else { return };
        let Some(sent) = hook.sent.take() else { return };
        let late = world.now.ms >= sent.since_ms + TAKEN_MS || agent.is_none_or(|agent| agent.gone());
        let state = agent.map_or(State::Exited, |agent| agent.sight.verdict.state);
        let shown = |ask: &AskKey| {
            let screen = agent.and_then(|agent| agent.on_screen());
            screen.zip(world.asks.get(*ask)).is_some_and(|(screen, ask)| same_dialog(ask.shown(), screen))
        };
        let gone = match sent.form {
            true => !form_shown,
            false => {
                let judged = matches!(state, State::Working | State::Idle | State::Asking);
                judged && !sent.asks.iter().any(|(ask, _)| shown(ask))
            }
        };
        let told = if sent.form { hook.form_recorded() } else { gone.then(|| Ok(String::new())) };
        if !late && (told.is_none() || !gone) {
            hook.sent = Some(sent);
            return;
        }
        hook.forget_form();
        let taken_ms = world.now.ms.saturating_sub(sent.since_ms);
        for (ask, words) in sent.asks {
            let mut proof = Proof {
                before: world.asks.get(ask).map(|ask| ask.fingerprint),
                seen: format!("given to its hook: {words}"),
                keys: Vec::new(),
                gone_after_ms: taken_ms,
                after: state.name().to_owned(),
                confirmed: None,
            };
            let on_screen = shown_of_form == Some(ask) || (!sent.form && !gone);
            match &told {
                Some(Ok(_)) => {
                    let confirmed = Confirmed { confirmed_by: "hook".to_owned(), recorded: words };
                    proof.confirmed = sent.form.then(|| Box::new(confirmed));
                    self.question(ToQuestions::Answered { ask, keys: Vec::new(), proof });
                }
                Some(Err(why)) => {
                    let why = why.clone();
                    self.question(ToQuestions::Differs { ask, keys: Vec::new(), proof, why });
                }
                None => self.not_taken(key, ask, proof, on_screen),
            }
        }
    }

    /// An answer that the hook took along led to nothing. If its dialog is still there, a person answers it.
    fn not_taken(&mut self, agent: AgentKey, ask: AskKey, proof: Proof, on_screen: bool) {
        let why =
            format!("the answer was given to the agent's hook and not taken within {} s", TAKEN_MS / 1000);
        self.question(match on_screen {
            true => ToQuestions::NotTaken { agent, ask, why },
            false => ToQuestions::Differs { ask, keys: Vec::new(), proof, why },
        });
    }

    pub(super) fn form_shown(&self, key: AgentKey, world: World<'_>) -> bool {
        let screen = world.agents.get(key).and_then(|agent| agent.on_screen());
        let hook = self.states.get(key);
        screen.zip(hook).is_some_and(|(screen, hook)| hook.position(screen).is_some())
    }

    /// Whatever of an agent's hooks is due by now.
    pub(super) fn due(&mut self, key: AgentKey, world: World<'_>) {
        if !self.states.contains(key) {
            return;
        }
        self.confirm(key, world);
        self.check_sent(key, world);
        let Some(hook) = self.states.get(key) else { return };
        let Some(waiting) = &hook.waiting else { return };
        let waited = world.now.ms.saturating_sub(waiting.since_ms);
        let form = matches!(waiting.what, What::Form(_));
        let met = hook.met();
        if world.agents.get(key).is_none_or(|agent| agent.gone()) {
            self.states.of(key).waiting = None;
            return self.answer(key, None);
        }
        let open = world.tracks.get(key).is_some_and(|track| track.open.is_some());
        if waited >= HOLD_MS || (!form && waited >= ALONE_MS) {
            self.abstain(key, world);
        } else if form && !met && waited >= ALONE_MS && !open {
            self.asks(key, 0);
        }
    }

    /// The agent is taken off the list: nothing more is told, and nothing taken.
    pub(super) fn agent_leaves(&mut self, key: AgentKey, world: World<'_>) {
        let Some(hook) = self.states.get_mut(key) else { return };
        hook.waiting = None;
        if let Some(confirm) = &mut hook.confirm {
            confirm.until_ms = world.now.ms;
        }
        if let Some(sent) = &mut hook.sent {
            sent.since_ms = world.now.ms.saturating_sub(TAKEN_MS);
        }
        self.answer(key, None);
        self.confirm(key, world);
        self.check_sent(key, world);
    }
}

/// What was meant for the hook means nothing any more.
fn hook_forgets_answers(hooks: &mut Hooks, key: AgentKey) {
    hooks.states.of(key).meant.iter_mut().for_each(|meant| *meant = None);
}
