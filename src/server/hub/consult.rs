//! Consultation: a question on its way to the one who is to answer it, and what comes back.

use crate::core::agent::Duty;
use crate::core::consult::chain::{Chain, turn_ms};
use crate::core::consult::{Briefing, Said, prompt, read_reply};
use crate::core::log::log_entry::Turn;
use crate::core::log::redact::known_secrets;
use crate::core::policy::Mode;
use crate::server::effect::{ConsultRun, Effect};
use crate::session::message::{AgentKey, AskKey};
use crate::wire::message::Status;

use super::Hub;
use super::ask::{Ask, Decided, words};

/// Kept of the deadline for typing the answer in: keys, looks and pauses take well under this.
const DELIVERY_MS: u64 = 3_000;
/// Less time than this is no turn: a program has hardly read the question.
const LEAST_TURN_MS: u64 = 1_000;
/// Consultants that may wait for one another: a worker's, and that one's own.
const MAX_HOPS: usize = 2;
/// Rows of the asking agent's screen that go along as an excerpt.
const EXCERPT_ROWS: usize = 30;

impl Hub {
    /// Takes the question along a chain of consultants, from its first.
    pub(super) fn consult(&mut self, key: AskKey, with: &Chain) {
        let left = self.time_left(key);
        let Some(ask) = self.asks.get_mut(&key).filter(|ask| !ask.status.settled()) else { return };
        let agent = &self.agents[&ask.agent];
        let all = with.expanded(&agent.policy.consultants);
        ask.chain = all.into_iter().filter(|link| link.name != agent.spec.name).collect();
        ask.span_ms = left;
        self.next_consultant(key, "there is no consultant for it".to_owned());
    }

    /// Has the files read that would go along, and the secrets found that must not. A question that is a person's
    /// is logged and called out, and so these are needed for every one.
    pub(super) fn read_context(&mut self, key: AskKey) {
        let Some(ask) = self.asks.get_mut(&key) else { return };
        let Some(agent) = self.agents.get(&ask.agent) else { return };
        let env = agent.spec.env.iter().map(|(name, value)| (name.as_str(), value.as_str()));
        ask.secrets = known_secrets(env).collect();
        ask.context = None;
        let (cwd, consult) = (agent.spec.cwd.clone(), &agent.policy.consult);
        let (patterns, max_bytes) = (consult.context.clone(), consult.context_bytes);
        self.out.push(Effect::ReadContext { ask: key, cwd, patterns, max_bytes });
    }

    /// The next of the chain has its turn, or a person; `why` the one before gave no answer.
    pub(super) fn next_consultant(&mut self, key: AskKey, why: String) {
        self.turn_over(key, &why);
        let (now, left) = (self.now, self.time_left(key));
        let Some(ask) = self.asks.get_mut(&key).filter(|ask| !ask.status.settled()) else { return };
        let next = ask.chain.pop_front().filter(|_| left >= LEAST_TURN_MS);
        let Some(link) = next else {
            let why = ask.failures().unwrap_or(why);
            return self.escalate(key, why, String::new());
        };
        let policy = self.agents[&ask.agent].policy.clone();
        if let Some(spent) = self.budget_spent(&policy.consult) {
            return self.escalate(key, spent, String::new());
        }
        self.note_asked();
        let Some(ask) = self.asks.get_mut(&key) else { return };
        ask.turn_until_ms = Some(now.ms + turn_ms(&link, ask.span_ms, left, ask.chain.len()));
        ask.status = Status::Consulting;
        ask.again = None;
        ask.turn += 1;
        ask.turns.push(Turn { with: link.name.clone(), asked_at: now.unix_ms, ..Turn::default() });
        ask.route = link.name;
        ask.left_alone = false;
        self.tell_question(key);
        if self.asks.get(&key).is_some_and(|ask| ask.context.is_some()) {
            self.dispatch(key);
        }
    }

    /// Whoever was being asked is asked no more: it leaves the queues, its command ends, and `why` is noted.
    pub(super) fn turn_over(&mut self, key: AskKey, why: &str) {
        for agent in self.agents.values_mut() {
            agent.queue.retain(|ask| *ask != key);
        }
        let now = self.now;
        let Some(ask) = self.asks.get_mut(&key) else { return };
        ask.turn_until_ms = None;
        if let Some(turn) = ask.turns.last_mut().filter(|turn| turn.ended.is_none()) {
            turn.ended = Some(why.to_owned());
            turn.took_ms = now.unix_ms.saturating_sub(turn.asked_at);
        }
        if std::mem::take(&mut ask.running) {
            self.out.push(Effect::CancelConsult { ask: key });
        }
    }

    pub(super) fn context_read(&mut self, key: AskKey, files: Vec<(String, String)>, secrets: Vec<String>) {
        let Some(ask) = self.asks.get_mut(&key).filter(|ask| ask.context.is_none()) else { return };
        ask.context = Some(files);
        ask.secrets.extend(secrets);
        let consulted = ask.status == Status::Consulting;
        self.notify_by_command(key);
        if consulted {
            self.dispatch(key);
        }
    }

    pub(super) fn dispatch(&mut self, key: AskKey) {
        let ask = &self.asks[&key];
        let (with, asker) = (ask.route.clone(), ask.agent);
        if let Some(why) = self.circle(asker, &with) {
            return self.next_consultant(key, why);
        }
        let running = self.by_name(&with).filter(|consultant| !self.agents[consultant].gone());
        if let Some(consultant) = running.or_else(|| self.start_standby(asker, &with)) {
            let agent = self.agents.get_mut(&consultant).expect("it was just found or started");
            agent.queue.push_back(key);
            return self.pump(consultant);
        }
        let agent = &self.agents[&asker];
        let command = agent.policy.consultants.iter().find(|consultant| consultant.name == with);
        let Some(command) = command.map(|consultant| consultant.command.clone()) else {
            let why = if self.by_name(&with).is_some() { "is not running" } else { "is not known" };
            return self.next_consultant(key, format!("{with} {why}"));
        };
        let (cwd, env) = (agent.spec.cwd.clone(), agent.spec.env.clone());
        let stdin = self.briefing(key, true);
        let timeout_ms = self.turn_left(key);
        let Some(ask) = self.asks.get_mut(&key) else { return };
        ask.prompt_sent = Some(stdin.clone());
        ask.running = true;
        let run = ConsultRun { command, cwd, env, stdin, timeout_ms };
        self.out.push(Effect::Consult { ask: key, turn: ask.turn, run });
    }

    /// Why asking `with` would end in agents that wait for each other.
    pub(super) fn circle(&self, asker: AgentKey, with: &str) -> Option<String> {
        let mut here = asker;
        for _ in 0..MAX_HOPS {
            let before = self.waits_for(here)?;
            if self.agents[&before].spec.name == with {
                return Some(format!("{with} waits for this very answer"));
            }
            here = before;
        }
        Some(format!("the question came from a consultant of a consultant already; {with} was not asked"))
    }

    /// The agent whose question this one is thinking about.
    fn waits_for(&self, consultant: AgentKey) -> Option<AgentKey> {
        let agent = self.agents.get(&consultant)?;
        let ask = self.asks.get(&agent.consulted?)?;
        (ask.status == Status::Consulting && self.agents.contains_key(&ask.agent)).then_some(ask.agent)
    }

    /// Milliseconds a consultant has left, so that the answer can still be typed in time.
    fn time_left(&self, key: AskKey) -> u64 {
        let until = self.asks[&key].deadline_ms.unwrap_or(self.now.ms);
        until.saturating_sub(DELIVERY_MS).saturating_sub(self.now.ms)
    }

    /// The same for the one whose turn it is.
    fn turn_left(&self, key: AskKey) -> u64 {
        let until = self.asks[&key].turn_until_ms.unwrap_or(self.now.ms);
        until.saturating_sub(self.now.ms).min(self.time_left(key))
    }

    /// What its consultant is told; a command may be a program that reads JSON.
    pub(super) fn briefing(&self, key: AskKey, as_json: bool) -> String {
        let ask = &self.asks[&key];
        let agent = &self.agents[&ask.agent];
        let consult = &agent.policy.consult;
        let decisions: Vec<String> = self
            .decisions
            .iter()
            .rev()
            .take(consult.decisions)
            .map(|entry| entry.summary_for_consultant())
            .collect();
        let rows: Vec<&str> = ask.before.lines().collect();
        let excerpt = rows[rows.len().saturating_sub(EXCERPT_ROWS)..].join("\n");
        let briefing = Briefing {
            id: &ask.id,
            agent: &agent.spec.name,
            duty: match agent.spec.role {
                Duty::Worker => "worker",
                Duty::Consultant => "consultant",
            },
            task: agent.spec.task.as_deref(),
            question: &ask.question,
            context: ask.context.as_deref().unwrap_or(&[]),
            decisions: &decisions,
            excerpt: ask.exact.as_deref().unwrap_or(&excerpt),
            seconds_left: self.turn_left(key) / 1000,
            again: ask.again.as_deref(),
            secrets: &ask.secrets,
            as_json,
        };
        prompt(&briefing, consult.template.as_deref(), consult.prompt_bytes)
    }

    /// A command has ended; `turn` tells whether it is still the one that is asked.
    pub(super) fn command_said(&mut self, key: AskKey, turn: u32, said: Result<String, String>) {
        let Some(ask) = self.asks.get_mut(&key).filter(|ask| ask.turn == turn) else { return };
        ask.running = false;
        if ask.status != Status::Consulting {
            return;
        }
        match said {
            Ok(text) => self.said(key, &text),
            Err(why) => {
                let why = format!("{}: {why}", ask.route);
                self.next_consultant(key, why);
            }
        }
    }

    /// The words of the consultant whose turn it is, wherever they came from.
    pub(super) fn said(&mut self, key: AskKey, text: &str) {
        let Some(ask) = self.asks.get_mut(&key) else { return };
        let name = ask.route.clone();
        ask.reply = Some(text.to_owned());
        if let Some(turn) = ask.turns.last_mut() {
            turn.reply = Some(text.to_owned());
        }
        match read_reply(text, &ask.question, &ask.id) {
            Ok(Said::Answer { answer, reason }) => {
                self.turn_over(key, "answered");
                self.decide(key, Decided { answer, by: format!("consultant {name}"), reason });
            }
            // Whoever knows that a person must decide is not overruled by asking somebody else.
            Ok(Said::Escalate { why }) => {
                let why = format!("{name} passed it on: {why}");
                self.turn_over(key, &why);
                self.escalate(key, why, String::new());
            }
            Err(why) if ask.again.is_none() => {
                ask.again = Some(why);
                self.dispatch(key);
            }
            Err(why) => self.next_consultant(key, format!("{name} gave no usable answer: {why}")),
        }
    }

    /// An answer is decided on: it is typed, or put before a person, or only noted.
    pub(super) fn decide(&mut self, key: AskKey, decided: Decided) {
        let Some(ask) = self.asks.get_mut(&key).filter(|ask| !ask.status.settled()) else { return };
        let consult = &self.agents[&ask.agent].policy.consult;
        let by_person = decided.by == "person";
        if consult.mode == Mode::Shadow && !by_person {
            let said = words(&decided.answer, &ask.question);
            let why = format!("shadow mode: {} would have answered {said:?}", decided.by);
            ask.shadow = Some(decided);
            return self.escalate(key, why, String::new());
        }
        let confirm = consult.confirm && decided.by.starts_with("consultant");
        if confirm {
            ask.proposed = Some(decided.clone());
            ask.decided = Some(decided);
            ask.status = Status::Proposed;
            // It is a person's now: no deadline takes it from them.
            (ask.deadline_ms, ask.deadline_unix_ms) = (None, None);
            self.tell_question(key);
            return self.notify_person(key, "an answer waits for your word");
        }
        ask.decided = Some(decided);
        self.deliver(key);
    }

    /// A person sends the question off anew: its time starts again.
    pub(super) fn restart_clock(&mut self, key: AskKey, seconds: u64) {
        let now = self.now;
        if let Some(ask) = self.asks.get_mut(&key) {
            ask.deadline_ms = Some(now.ms + seconds * 1000);
            ask.deadline_unix_ms = Some(now.unix_ms + seconds * 1000);
            ask.chain.clear();
            ask.again = None;
            ask.decided = None;
        }
    }

    /// Nobody needs to answer this any more: it leaves every queue, and its command ends.
    pub(super) fn cancel_consultation(&mut self, key: AskKey) {
        self.turn_over(key, "no longer wanted");
    }

    pub(super) fn ask_wake(&self, ask: &Ask) -> Option<u64> {
        if ask.status.settled() {
            return None;
        }
        // Whoever is typing the answer, or thinks about it, has heard of it.
        let remind = ask.remind_ms.filter(|_| matches!(ask.status, Status::Escalated | Status::Proposed));
        let call = remind.into_iter().chain(ask.call_by_ms);
        if self.clock_stands(ask) {
            return call.min();
        }
        // A delivery under way ends by its own limits.
        let deadline = ask.deadline_ms.filter(|_| ask.status != Status::Answering);
        let deadline = deadline
            .map(|at| if ask.status == Status::Consulting { at.saturating_sub(DELIVERY_MS) } else { at });
        let turn = ask.turn_until_ms.filter(|_| ask.status == Status::Consulting);
        deadline.into_iter().chain(turn).chain(call).min()
    }

    pub(super) fn tick_asks(&mut self) {
        let now = self.now;
        let due = |ask: &Ask, hub: &Hub| hub.ask_wake(ask).is_some_and(|at| now.ms >= at);
        let keys: Vec<AskKey> =
            self.asks.iter().filter(|(_, ask)| due(ask, self)).map(|(key, _)| *key).collect();
        for key in keys {
            let ask = self.asks.get_mut(&key).expect("the key was just found");
            if ask.call_by_ms.is_some_and(|at| now.ms >= at) {
                self.notify_by_command(key);
                continue;
            }
            let open = matches!(ask.status, Status::Escalated | Status::Proposed);
            if open && ask.remind_ms.take_if(|at| now.ms >= *at).is_some() {
                let why = ask.note.clone().unwrap_or_else(|| "it still waits".to_owned());
                self.notify_person(key, &why);
                continue;
            }
            let waited = now.ms.saturating_sub(ask.asked_ms) / 1000;
            if ask.status == Status::Consulting {
                let turn = ask.turns.last().map_or(0, |turn| now.unix_ms.saturating_sub(turn.asked_at));
                let name = ask.route.clone();
                let held = self.held_up(&name);
                let note = if held { ": somebody's draft stands in its input line" } else { "" };
                let why = format!("{name} did not answer within {} s{note}", turn / 1000);
                self.next_consultant(key, why);
                continue;
            }
            let why = format!("no answer within {waited} s");
            self.escalate(key, why, String::new());
        }
    }
}
