//! The hook lane: an answer given to a program that waits for its hook, instead of typed into its dialog.
//!
//! A hook is held from the moment it asks until the answer is decided, a person takes over, or it leaves. Then it
//! is let go without a word and the dialog, which was usable all the time, is answered by keys or by a person.
//! Of the two lanes one is taken for a question and never the other after it.

use serde_json::Value;

use crate::core::hook::{Meant, answers, permission};
use crate::core::question::normalize::normalize;
use crate::core::question::{Answer, Kind};
use crate::session::Life;
use crate::session::message::{AgentKey, AskKey, ClientKey, Order};
use crate::wire::message::{Reply, Status};

use super::Hub;
use super::agent::Agent;
use super::hook::same_command;
use super::hook_sent::{Sent, TAKEN_MS};

/// The screen shows a question half a second after its hook at the latest. One that it does not show by then is
/// known by its hook alone.
const ALONE_MS: u64 = 1_500;
/// Older versions call their hook up to 50 ms after they show the dialog, on a busy machine later. What a rule
/// has decided by then waits so long for it before keys are taken; the first key would come after 250 ms anyway.
const LATE_MS: u64 = 600;
/// The longest a hook is held. The program itself gives up after an hour, and must not be the first to.
const HOLD_MS: u64 = 55 * 60_000;
/// A program that waits for what its hook says.
#[derive(Debug)]
pub(super) struct Waiting {
    pub client: ClientKey,
    pub id: u64,
    pub what: What,
    pub since_ms: u64,
    /// `typed` of the agent when it began to wait.
    pub typed: u64,
}

#[derive(Debug)]
pub(super) enum What {
    /// A form, as the program handed it over.
    Form(Value),
    /// Leave to run this command.
    Command(String),
}

impl Agent {
    pub(super) fn hook_wake(&self) -> Option<u64> {
        let met = self.hook.asks.iter().any(Option::is_some);
        let until = |waiting: &Waiting| {
            let alone = match waiting.what {
                What::Form(_) => !met && self.ask.is_none(),
                What::Command(_) => true,
            };
            waiting.since_ms + if alone { ALONE_MS } else { HOLD_MS }
        };
        let waiting = self.hook.waiting.as_ref().map(until);
        let sent = self.hook.sent.as_ref().map(|sent| sent.since_ms + TAKEN_MS);
        [waiting, sent, self.hook.expected.map(|(_, until)| until), self.hook.confirm_wake()]
            .into_iter()
            .flatten()
            .min()
    }

    /// Another form of the same turn stands on the screen.
    pub(super) fn hook_busy(&self) -> bool {
        let open = self.hook.recorded.is_none() && self.hook_on_screen().is_some();
        self.hook.waiting.is_some() || self.hook.sent.is_some() || open
    }

    pub(super) fn hook_at(&self, ask: AskKey) -> Option<usize> {
        self.hook.asks.iter().position(|of| *of == Some(ask))
    }

    /// The question of the form that stands on the screen.
    pub(super) fn hook_on_screen(&self) -> Option<usize> {
        let screen = self.on_screen()?;
        self.hook.form.iter().position(|asked| asked.shown_by(screen).is_ok())
    }
}

impl Hub {
    /// Keeps a hook waiting for its answer; `false`: there is none to wait for.
    pub(super) fn hook_holds(&mut self, key: AgentKey, client: ClientKey, id: u64, what: What) -> bool {
        let now = self.now;
        let Some(agent) = self.agents.get_mut(&key) else { return false };
        let wanted = match &what {
            What::Form(_) => true,
            What::Command(_) => agent.policy.answers_commands(),
        };
        let busy = agent.hook.waiting.is_some() || agent.hook.sent.is_some();
        if !wanted || busy || agent.life != Life::Running {
            return false;
        }
        let (since_ms, typed) = (now.ms, agent.sight.typed);
        agent.hook.waiting = Some(Waiting { client, id, what, since_ms, typed });
        true
    }

    /// The question that a hook now waits for was on the screen before it: how far has it come?
    pub(super) fn hook_joins(&mut self, ask_key: AskKey) {
        let Some(ask) = self.asks.get(&ask_key) else { return };
        let (key, status, delivering) = (ask.agent, ask.status, ask.delivering);
        let Some(agent) = self.agents.get_mut(&key).filter(|agent| agent.hook.waiting.is_some()) else {
            return;
        };
        match status {
            Status::Answering => {
                let expected = agent.hook.expected.take().is_some_and(|(ask, _)| ask == ask_key);
                match (expected, delivering) {
                    // Decided, and no key sent: both lanes are open still.
                    (true, _) => self.deliver(ask_key),
                    // If no key was sent, the session gives it back, and the hook takes it.
                    (false, true) => self.order(key, Order::Withdraw { ask: ask_key, untouched: true }),
                    (false, false) => self.hook_abstains(key),
                }
            }
            Status::Open | Status::Consulting | Status::Proposed => self.hook_after_route(ask_key),
            Status::Escalated | Status::Answered | Status::Withdrawn => self.hook_abstains(key),
        }
    }

    /// Lets a hook go whose question is nobody's to answer by it.
    pub(super) fn hook_after_route(&mut self, ask_key: AskKey) {
        let Some(ask) = self.asks.get(&ask_key) else { return };
        let Some(agent) = self.agents.get(&ask.agent) else { return };
        let Some(waiting) = &agent.hook.waiting else { return };
        let command = matches!(waiting.what, What::Command(_)) && ask.question.kind == Kind::Permission;
        let left_alone = ask.left_alone && agent.hook_at(ask_key).is_some();
        if command || left_alone {
            self.hook_abstains(ask.agent);
        }
    }

    /// Gives the decided answer to the hook that waits for it. `false`: none does, and keys are the way.
    pub(super) fn deliver_by_hook(&mut self, ask_key: AskKey) -> bool {
        let Some(ask) = self.asks.get_mut(&ask_key) else { return false };
        let key = ask.agent;
        let Some(agent) = self.agents.get_mut(&key) else { return false };
        let (Some(waiting), Some(decided)) = (&agent.hook.waiting, &ask.decided) else { return false };
        let free = agent.life == Life::Running && !agent.sight.typing && agent.sight.typed == waiting.typed;
        let given = match &waiting.what {
            _ if !free => None,
            What::Command(command) => allowed(ask, command).map(|allow| (None, Some(allow))),
            What::Form(_) => {
                let at = agent.hook.asks.iter().position(|of| *of == Some(ask_key));
                let meant =
                    at.and_then(|at| Some((at, agent.hook.form[at].meant(&ask.question, &decided.answer)?)));
                meant.map(|meant| (Some(meant), None))
            }
        };
        match given {
            Some((Some((at, meant)), _)) => {
                agent.hook.meant[at] = Some(meant);
                (ask.status, ask.held) = (Status::Answering, true);
                let next = agent.hook.meant.iter().position(Option::is_none);
                self.tell_question(ask_key);
                match next {
                    Some(next) => self.hook_asks_next(key, next),
                    None => self.hook_gives_form(key),
                }
                true
            }
            Some((None, Some(allow))) => {
                self.hook_gives_leave(key, ask_key, allow);
                true
            }
            Some((None, None)) | None => {
                self.hook_abstains(key);
                false
            }
        }
    }

    /// Whether the hook of this question, decided as soon as it was seen, is worth waiting for.
    pub(super) fn hook_expects(&mut self, ask_key: AskKey) -> bool {
        let now = self.now;
        let Some(ask) = self.asks.get_mut(&ask_key) else { return false };
        let Some(agent) = self.agents.get_mut(&ask.agent).filter(|agent| agent.hook.alive) else {
            return false;
        };
        let by_rule = ask.decided.as_ref().is_some_and(|decided| decided.by.starts_with("rule "));
        let told = match ask.question.kind {
            Kind::Menu | Kind::Multi => agent.hook_at(ask_key).is_some(),
            Kind::Permission => !agent.policy.answers_commands(),
            _ => true,
        };
        let until = ask.asked_ms + LATE_MS;
        if !by_rule || told || now.ms >= until {
            return false;
        }
        agent.hook.expected = Some((ask_key, until));
        ask.status = Status::Answering;
        self.tell_question(ask_key);
        true
    }

    /// The next question of a form, of which the screen shows another one.
    fn hook_asks_next(&mut self, key: AgentKey, at: usize) {
        let Some(agent) = self.agents.get(&key) else { return };
        let of = agent.hook.form.len();
        let Some(question) = agent.hook.form.get(at).map(|asked| asked.question(at, of)) else { return };
        self.appeared(key, question, "hook");
    }

    fn hook_gives_form(&mut self, key: AgentKey) {
        let now = self.now;
        let Some(agent) = self.agents.get_mut(&key) else { return };
        let Some(waiting) = agent.hook.waiting.take() else { return };
        let What::Form(input) = &waiting.what else { return };
        let given: Vec<_> = agent
            .hook
            .form
            .iter()
            .zip(&agent.hook.meant)
            .filter_map(|(q, m)| Some((q, m.as_ref()?)))
            .collect();
        let output = answers(input, &given);
        let words =
            agent.hook.meant.iter().map(|meant| meant.as_ref().map_or_else(String::new, Meant::words));
        let asks: Vec<(AskKey, String)> =
            agent.hook.asks.iter().zip(words).filter_map(|(ask, words)| Some(((*ask)?, words))).collect();
        for (ask, _) in &asks {
            if let Some(ask) = self.asks.get_mut(ask) {
                (ask.held, ask.by_hook) = (false, true);
            }
        }
        agent.hook.sent = Some(Sent { asks, since_ms: now.ms, form: true });
        self.reply(waiting.client, waiting.id, Reply::Hook { output: Some(output) });
    }

    fn hook_gives_leave(&mut self, key: AgentKey, ask_key: AskKey, allow: bool) {
        let now = self.now;
        let (Some(agent), Some(ask)) = (self.agents.get_mut(&key), self.asks.get_mut(&ask_key)) else {
            return;
        };
        let Some(waiting) = agent.hook.waiting.take() else { return };
        (ask.status, ask.by_hook) = (Status::Answering, true);
        let words = if allow { "allow" } else { "deny" }.to_owned();
        agent.hook.sent = Some(Sent { asks: vec![(ask_key, words)], since_ms: now.ms, form: false });
        self.reply(waiting.client, waiting.id, Reply::Hook { output: Some(permission(allow)) });
        self.tell_question(ask_key);
    }

    /// No word from the hook: the dialog stays for a person, or for keys.
    pub(super) fn hook_abstains(&mut self, key: AgentKey) {
        let waiting = self.agents.get_mut(&key).and_then(|agent| agent.hook.waiting.take());
        if let Some(waiting) = waiting {
            self.reply(waiting.client, waiting.id, Reply::Hook { output: None });
            self.hook_lane_closed(key);
        }
    }

    /// The form was answered by somebody else while the hook waited.
    pub(super) fn hook_overtaken(&mut self, key: AgentKey) {
        let Some(agent) = self.agents.get(&key).filter(|agent| agent.hook.waiting.is_some()) else { return };
        for ask in agent.hook.asks.iter().flatten() {
            if let Some(ask) = self.asks.get_mut(ask) {
                ask.held = false;
            }
        }
        self.hook_abstains(key);
    }

    /// A hook that waited has gone before it had its answer.
    pub(super) fn hook_left(&mut self, client: ClientKey) {
        let waits =
            |agent: &Agent| agent.hook.waiting.as_ref().is_some_and(|waiting| waiting.client == client);
        let Some(key) = self.agents.iter().find(|(_, agent)| waits(agent)).map(|(key, _)| *key) else {
            return;
        };
        if let Some(agent) = self.agents.get_mut(&key) {
            agent.hook.waiting = None;
        }
        self.hook_lane_closed(key);
    }

    /// What was decided for the hook goes by keys now: the question on the screen at once, the others of its form
    /// when their pages come up. Unless a person has taken over.
    fn hook_lane_closed(&mut self, key: AgentKey) {
        let Some(agent) = self.agents.get_mut(&key) else { return };
        agent.hook.meant.iter_mut().for_each(|meant| *meant = None);
        let typed = agent.sight.typed;
        let shown = agent.hook_on_screen().and_then(|at| agent.hook.asks[at]);
        let held: Vec<AskKey> = agent.hook.asks.iter().flatten().copied().collect();
        for ask_key in held {
            let Some(ask) = self.asks.get_mut(&ask_key).filter(|ask| ask.held && !ask.status.settled())
            else {
                continue;
            };
            if ask.typed != typed {
                ask.held = false;
                self.escalate_quietly(ask_key, "a person typed into the pane".to_owned());
            } else if Some(ask_key) == shown {
                self.hook_by_keys(key, ask_key);
            }
        }
    }

    pub(super) fn hook_by_keys(&mut self, key: AgentKey, ask_key: AskKey) {
        let (Some(agent), Some(ask)) = (self.agents.get_mut(&key), self.asks.get_mut(&ask_key)) else {
            return;
        };
        agent.ask = Some(ask_key);
        if let Some(question) = agent.sight.verdict.question.clone() {
            ask.fingerprint = question.fingerprint();
            ask.question = question;
            ask.sources.insert("screen");
        }
        if std::mem::take(&mut ask.held) {
            self.deliver(ask_key);
        }
    }

    pub(super) fn tick_hook(&mut self, key: AgentKey) {
        let now = self.now;
        self.hook_confirm(key);
        self.hook_sent(key);
        let due = self
            .agents
            .get_mut(&key)
            .and_then(|agent| agent.hook.expected.take_if(|(_, until)| now.ms >= *until));
        if let Some((ask, _)) = due
            && self.asks.get(&ask).is_some_and(|ask| ask.status == Status::Answering)
        {
            self.deliver(ask);
        }
        let Some(agent) = self.agents.get_mut(&key) else { return };
        let Some(waiting) = &agent.hook.waiting else { return };
        let waited = now.ms.saturating_sub(waiting.since_ms);
        if agent.gone() {
            agent.hook.waiting = None;
            return;
        }
        let met = agent.hook.asks.iter().any(Option::is_some);
        let form = matches!(waiting.what, What::Form(_));
        if waited >= HOLD_MS || (!form && waited >= ALONE_MS) {
            self.hook_abstains(key);
        } else if form && !met && waited >= ALONE_MS && agent.ask.is_none() {
            self.hook_asks_next(key, 0);
        }
    }
}

/// Whether a rule of the user's grants or refuses this very command, once.
fn allowed(ask: &super::Ask, command: &str) -> Option<bool> {
    let decided = ask.decided.as_ref().filter(|decided| decided.by.starts_with("rule "))?;
    let Answer::Rows(rows) = &decided.answer else { return None };
    let [row] = rows.as_slice() else { return None };
    let label = normalize(&ask.question.options.get(*row)?.label);
    let same = same_command(&ask.question, command);
    match label.as_str() {
        "Yes" if same => Some(true),
        "No" if same => Some(false),
        _ => None,
    }
}
