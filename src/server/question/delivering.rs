//! An answer on its way into its dialog: which way it takes, and what came of it.
//!
//! What is typed, and whether, is decided by `core/deliver` in the session, on the screen as it stands; here the
//! order is given and the outcome drawn.

use crate::core::deliver::Proof;
use crate::core::detect::channels::Trust;
use crate::core::hook::Meant;
use crate::core::log::log_entry::Outcome;
use crate::core::log::redact::withheld;
use crate::core::policy::route::{Route, route};
use crate::core::question::normalize::normalize;
use crate::core::question::{Answer, Kind, Question};
use crate::server::hooks::state::{HookState, What, same_command};
use crate::server::hub::message::{Message, ToClients, ToHooks, ToQuestions, ToReplies};
use crate::server::lifecycle::agent::Agent;
use crate::session::Life;
use crate::session::message::{AgentKey, AskKey, DeliverOrder, DeliveryOutcome, Order, Refusal};
use crate::wire::message::Reply;

use super::ask::{Ask, Ordered};
use super::part::{OUT_OF_VIEW, exactly};
use super::phase::{AnsweredBy, Decision, End, HoldReason, Lane, Phase};
use super::told_file::{self, told_paths};
use super::{Questions, World};

/// Older versions call their hook up to 50 ms after they show the dialog, on a busy machine later. What a rule
/// has decided by then waits so long for it before keys are taken; the first key would come after 250 ms anyway.
const LATE_MS: u64 = 600;
/// Exit codes of the contract.
const FAILED: u8 = 1;
const REFUSED: u8 = 4;

/// What a hook that waits makes of an answer.
enum ByHook {
    /// None waits.
    None,
    Form {
        at: usize,
        meant: Meant,
    },
    Permit(bool),
    /// It tells of a command that is not the one a rule has decided about.
    OtherCommand,
    /// It cannot carry this one.
    Unfit,
}

impl Questions {
    /// The answer that was decided on goes the first way that is open.
    pub(super) fn deliver(&mut self, key: AskKey, world: World<'_>) {
        let Some(ask) = self.asks.get_mut(key) else { return };
        if !matches!(ask.phase, Phase::Delivering(..)) {
            return;
        }
        let agent_key = ask.agent;
        if self.awaits_log(key, world) {
            return;
        }
        let Some(ask) = self.asks.get_mut(key) else { return };
        if ask.in_words() {
            return self.hand_back(key, world);
        }
        let Some(agent) = world.agents.get(agent_key) else { return };
        if agent.stands_still() {
            ask.hold(HoldReason::Paused);
            return self.tell_question(key);
        }
        match by_hook(ask, key, agent, world.hooks.get(agent_key)) {
            ByHook::None => self.then(ToQuestions::DeliverByKeys(key)),
            ByHook::Form { at, meant } => {
                ask.hold(HoldReason::Form);
                self.hook(ToHooks::Means { agent: agent_key, at, meant: Some(meant) });
                self.tell_question(key);
                self.hook(ToHooks::NextOfForm(agent_key));
            }
            ByHook::Permit(allow) => self.hook(ToHooks::Permit { agent: agent_key, ask: key, allow }),
            ByHook::OtherCommand => {
                self.hook(ToHooks::Abstain(agent_key));
                let why = "the agent's hook tells of a command that the rule does not speak of";
                self.escalate(key, why.to_owned(), None, world);
            }
            ByHook::Unfit => {
                self.hook(ToHooks::Abstain(agent_key));
                self.then(ToQuestions::DeliverByKeys(key));
            }
        }
    }

    fn hook(&mut self, message: ToHooks) {
        self.out.push(Message::Hook(message));
    }

    pub(super) fn deliver_by_keys(&mut self, key: AskKey, world: World<'_>) {
        let missed = self.is_missed(key, world);
        let Some(ask) = self.asks.get_mut(key) else { return };
        let agent_key = ask.agent;
        let Some(agent) = world.agents.get(agent_key) else { return };
        let hook = world.hooks.get(agent_key);
        if let Some(until_ms) = hook.and_then(|hook| awaits_hook(ask, key, agent, hook, world.now.ms)) {
            ask.hold(HoldReason::HookLate { until_ms });
            return self.tell_question(key);
        }
        if told_file::ruled_otherwise(ask, agent, hook) {
            let why = "the agent's hook tells of a file that the rule does not speak of: its dialog names it from another folder";
            return self.escalate(key, why.to_owned(), None, world);
        }
        if missed {
            ask.hold(HoldReason::Unseen);
            return self.tell_question(key);
        }
        if hook.is_some_and(|hook| hook.tells_all) && ask.is_untold_menu() {
            let why = "the agent's hooks tell of no such question; something else may have drawn it";
            ask.trust = Trust::Low;
            return self.escalate(key, why.to_owned(), None, world);
        }
        if self.in_conflict(key, world) || self.ask_anew_if_cropped(key, world) {
            return;
        }
        let Some(ask) = self.asks.get_mut(key) else { return };
        let in_view = ask.decision().map(|decision| ask.in_view(&decision.answer));
        let Some(Some(answer)) = in_view else {
            return self.delivery_refused(key, &Refusal::Unfit(OUT_OF_VIEW.to_owned()), world);
        };
        let question = ask.shown().clone();
        let Phase::Delivering(decision, lane) = &mut ask.phase else { return };
        *lane = Lane::Keys;
        let order = DeliverOrder {
            ask: key,
            question,
            fingerprint: ask.fingerprint,
            answer,
            typed: agent.sight.typed,
            // A person's own answer has no deadline.
            until_ms: ask.deadline_ms.filter(|_| decision.by != AnsweredBy::Person),
            follows: decision.by == AnsweredBy::Person,
            told: hook.and_then(|hook| hook.told_apart(key)).cloned(),
        };
        (ask.ordered, ask.typed_at_order) = (Some(Ordered::default()), Some(agent.sight.typed));
        self.order(agent_key, Order::Deliver(Box::new(order)));
        self.tell_question(key);
    }

    /// The session tells how far an answer has come; `keys`: all that were sent for it.
    pub(super) fn delivery(
        &mut self,
        key: AgentKey,
        ask_key: AskKey,
        outcome: DeliveryOutcome,
        keys: Vec<String>,
        world: World<'_>,
    ) {
        let Some(ask) = self.asks.get_mut(ask_key).filter(|ask| !ask.settled()) else { return };
        let goes_on = matches!(outcome, DeliveryOutcome::Begun | DeliveryOutcome::Touched);
        let ordered = if goes_on { None } else { ask.ordered.take() };
        match (outcome, ordered.and_then(|ordered| ordered.leaving)) {
            (DeliveryOutcome::Begun, _) => {}
            (DeliveryOutcome::Touched, _) => self.hook(ToHooks::Abstain(key)),
            (DeliveryOutcome::Done(proof), _) => {
                self.typed_in(key, ask_key, keys, proof, world);
                // What stands there instead may have been taken for the same list, scrolled.
                self.then(ToQuestions::Compare(key));
            }
            (DeliveryOutcome::Failed(why), Some(end)) => {
                self.broken_off(ask_key, &why, End { keys, ..end }, world);
            }
            (_, Some(end)) => {
                let why = "the question went away while its answer was being typed";
                self.broken_off(ask_key, why, End { keys, ..end }, world);
            }
            (DeliveryOutcome::Withdrawn, None) => self.then(ToQuestions::Deliver(ask_key)),
            (DeliveryOutcome::Refused(refusal), None) => self.delivery_refused(ask_key, &refusal, world),
            (DeliveryOutcome::Failed(_), None)
                if keys.is_empty() && self.waits_for_redraw(ask_key, world) => {}
            (DeliveryOutcome::Failed(why), None) => {
                let Some(ask) = self.asks.get_mut(ask_key) else { return };
                // Whoever answers a question that has just gone is told the same, however far their answer had come.
                let on_screen = world.agent_of(ask).and_then(Agent::on_screen).map(Question::fingerprint);
                if keys.is_empty() && on_screen != Some(ask.fingerprint) {
                    let what = format!("{} is no longer the question on screen", ask.id);
                    self.out.push(Message::Reply(ToReplies::Answer {
                        ask: ask_key,
                        reply: Reply::error(REFUSED, what),
                    }));
                }
                // Until the question ends, no entry of the log tells of them.
                let typed = match keys.is_empty() {
                    true => String::new(),
                    false => withheld(&format!("; typed: {}", keys.join(" ")), &ask.secrets),
                };
                ask.typed_in_vain.extend(keys);
                self.escalate(ask_key, format!("the answer did not go in: {why}{typed}"), None, world);
            }
        }
    }

    /// The question has gone while its answer was being typed. Keys that went in without it may have gone anywhere:
    /// somebody has to look.
    fn broken_off(&mut self, key: AskKey, why: &str, end: End, world: World<'_>) {
        let Some(ask) = self.open(key) else { return };
        if end.keys.is_empty() || end.by.is_some() {
            return self.withdrawn(key, end, world);
        }
        let by = ask.decision().map(|decision| decision.by.clone());
        if world.agent_of(ask).is_none_or(Agent::gone) {
            let why = format!("its program ended while this answer was being typed: {}", end.keys.join(" "));
            return self.withdrawn(key, End { outcome: Outcome::Failed, note: Some(why), by, ..end }, world);
        }
        let why = format!("{why}: {}", end.keys.join(" "));
        let (agent, question) = (ask.agent_name.clone(), Some(ask.id.clone()));
        let text = withheld(&format!("{agent}: {why}"), &ask.secrets);
        self.tell(ToClients::Notify { agent, question, text });
        self.withdrawn(key, End { outcome: Outcome::Failed, note: Some(why), by, ..end }, world);
    }

    /// Nothing more is told of what was being typed: which keys went in is not known.
    pub(super) fn session_ended(&mut self, agent: AgentKey, world: World<'_>) {
        let typing = |ask: &Ask| ask.agent == agent && !ask.settled() && ask.ordered.is_some();
        let asks: Vec<AskKey> = self.asks.iter().filter(|(_, ask)| typing(ask)).map(|(ask, _)| ask).collect();
        for key in asks {
            let Some(ask) = self.open_mut(key) else { continue };
            let leaving = ask.ordered.take().and_then(|ordered| ordered.leaving);
            let by = ask.decision().map(|decision| decision.by.clone());
            let why = || "the agent's session failed while the answer was being typed".to_owned();
            let end = leaving.unwrap_or_else(|| End::new(Outcome::Failed, Some(why()), by));
            self.withdrawn(key, end, world);
        }
    }

    fn delivery_refused(&mut self, key: AskKey, refusal: &Refusal, world: World<'_>) {
        let code = match refusal {
            Refusal::NotOnScreen | Refusal::Typed | Refusal::Paused => REFUSED,
            Refusal::Busy | Refusal::Unfit(_) => FAILED,
        };
        let why = format!("could not type the answer: {refusal}");
        self.reply(ToReplies::Answer { ask: key, reply: Reply::error(code, why.clone()) });
        match (refusal, self.asks.get_mut(key)) {
            // It is typed once the agent goes on.
            (Refusal::Paused, Some(ask)) => ask.hold(HoldReason::Paused),
            _ => self.escalate(key, why, None, world),
        }
    }

    /// The keys have gone in. Where the agent reports what it records, that is waited for.
    fn typed_in(
        &mut self,
        key: AgentKey,
        ask_key: AskKey,
        keys: Vec<String>,
        proof: Proof,
        world: World<'_>,
    ) {
        let Some(ask) = self.asks.get(ask_key) else { return };
        let hook = world.hooks.get(key).filter(|hook| hook.alive);
        let (meant, reported) = match (hook, ask.decision()) {
            (Some(hook), Some(decision)) => hook.reports(&ask.question, &decision.answer),
            _ => (None, false),
        };
        if let Some((at, meant)) = meant {
            self.hook(ToHooks::Means { agent: key, at, meant });
        }
        if !reported {
            return self.then(ToQuestions::Answered { ask: ask_key, keys, proof });
        }
        // Its dialog is gone: what is on the screen from now on is another question.
        let track = self.track(key);
        track.open = track.open.filter(|open| *open != ask_key);
        self.hook(ToHooks::AwaitReport { agent: key, ask: ask_key, keys, proof });
    }

    pub(super) fn answered(&mut self, ask_key: AskKey, keys: Vec<String>, proof: Proof, world: World<'_>) {
        let Some(by) = self.open(ask_key).map(|ask| ask.decision().map(|decision| decision.by.clone()))
        else {
            return;
        };
        let note = by.as_ref().map(|by| format!("answered by {by}"));
        let end = End { keys, proof: Some(proof), ..End::new(Outcome::Answered, note, by) };
        self.close(ask_key, end, world);
    }

    /// The agent took something else for the answer: nothing can be mended, a person must know.
    pub(super) fn differs(
        &mut self,
        key: AskKey,
        keys: Vec<String>,
        proof: Proof,
        why: String,
        world: World<'_>,
    ) {
        let Some(ask) = self.open(key) else { return };
        let by = ask.decision().map(|decision| decision.by.clone());
        let (agent, question) = (ask.agent_name.clone(), Some(ask.id.clone()));
        let text = format!("{agent}: {why}");
        self.tell(ToClients::Notify { agent, question, text });
        let end = End { keys, proof: Some(proof), ..End::new(Outcome::Failed, Some(why), by) };
        self.close(key, end, world);
    }

    pub(super) fn given_to_hook(&mut self, asks: &[AskKey]) {
        for key in asks {
            if let Some(ask) = self.open_mut(*key) {
                ask.take_lane(Lane::Hook);
                self.answered_by_hook(*key);
            }
        }
    }

    pub(super) fn not_taken(&mut self, agent: AgentKey, ask: AskKey, why: String, world: World<'_>) {
        self.track(agent).open = Some(ask);
        self.escalate(ask, why, None, world);
    }

    pub(super) fn form_answered(&mut self, asks: &[AskKey]) {
        for key in asks {
            if let Some(ask) = self.open_mut(*key).filter(|ask| ask.phase.held(HoldReason::Form)) {
                ask.hold(HoldReason::FormAnswered);
            }
        }
    }
}

/// What the hook that waits makes of the answer that was decided on.
fn by_hook(ask: &Ask, key: AskKey, agent: &Agent, hook: Option<&HookState>) -> ByHook {
    let (Some(hook), Some(decision)) = (hook, ask.decision()) else { return ByHook::None };
    let Some(waiting) = &hook.waiting else { return ByHook::None };
    let free = agent.life == Life::Running && !agent.sight.typing && agent.sight.typed == waiting.typed;
    if !free {
        return ByHook::Unfit;
    }
    match &waiting.what {
        What::Command(command) if ruled_otherwise(ask, agent, decision, command) => ByHook::OtherCommand,
        What::Command(command) => allowed(ask, decision, command).map_or(ByHook::Unfit, ByHook::Permit),
        What::Form(_) => {
            let meant = |at| Some((at, hook.meaning(at, &ask.question, &decision.answer)?));
            let meant = hook.at(key).and_then(meant);
            meant.map_or(ByHook::Unfit, |(at, meant)| ByHook::Form { at, meant })
        }
    }
}

/// Until when the hook of a question that was decided as soon as it was seen is worth waiting for.
fn awaits_hook(ask: &Ask, key: AskKey, agent: &Agent, hook: &HookState, now_ms: u64) -> Option<u64> {
    let told = match ask.question.kind {
        Kind::Menu | Kind::Multi => hook.at(key).is_some(),
        Kind::Permission => !agent.policy.answers_commands() || !told_paths(ask, Some(hook)).is_empty(),
        _ => true,
    };
    let until = ask.asked_ms + LATE_MS;
    let awaited = hook.alive && ask.decided_by_rule() || hook.tells_all && ask.is_untold_menu();
    (awaited && !told && now_ms < until).then_some(until)
}

/// Whether a rule of the user's grants or refuses this very command, once.
fn allowed(ask: &Ask, decision: &Decision, command: &str) -> Option<bool> {
    let Answer::Rows(rows) = &decision.answer else { return None };
    let [row] = rows.as_slice() else { return None };
    let label = normalize(&ask.question.options.get(*row)?.label);
    let same = ask.decided_by_rule() && same_command(&ask.question, command);
    match label.as_str() {
        "Yes" if same => Some(true),
        "No" if same => Some(false),
        _ => None,
    }
}

/// Whether a rule has decided about the words on the screen, and decides otherwise about the very command that the hook
/// tells of: on a screen, line ends and blanks cannot be told apart, and somebody else may have drawn it.
fn ruled_otherwise(ask: &Ask, agent: &Agent, decision: &Decision, command: &str) -> bool {
    if !ask.decided_by_rule() || !same_command(&ask.question, command) {
        return false;
    }
    let by_rule = route(&exactly(&ask.question, command), &agent.asker(), &agent.policy);
    !matches!(by_rule, Route::Answer { answer, .. } if answer == decision.answer)
}
