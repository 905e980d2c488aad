//! Consultation: a question on its way to the one who is to answer it, and what comes back.

use crate::core::consult::{Briefing, Said, prompt, read_reply};
use crate::core::deliver::Delivery;
use crate::core::policy::Mode;
use crate::core::question::State;
use crate::core::watch::last_message;
use crate::server::effect::{AgentKey, AskKey, ConsultRun, Effect};
use crate::wire::message::Status;

use super::Hub;
use super::agent::{Thinking, Typing};
use super::ask::{Ask, Decided, words};

/// Kept of the deadline for typing the answer in: keys, looks and pauses take well under this.
const DELIVERY_MS: u64 = 3_000;
/// Largest prompt typed into a consultant's pane.
const PROMPT_BYTES: usize = 96 * 1024;
/// A consultant that shows no work for this long after the question and then stands idle has said
/// what it will say.
const SILENT_MS: u64 = 3_000;
/// Rows of the asking agent's screen that go along as an excerpt.
const EXCERPT_ROWS: usize = 30;

impl Hub {
    /// Puts the question to `with`: an agent of that name, or a command.
    pub(super) fn consult(&mut self, key: AskKey, with: String) {
        let Some(ask) = self.asks.get_mut(&key).filter(|ask| !ask.status.settled()) else { return };
        if ask.asked.contains(&with) {
            return self.escalate(key, format!("{with} has been asked already"), String::new());
        }
        ask.asked.push(with.clone());
        ask.status = Status::Consulting;
        ask.route = with;
        let agent = &self.agents[&ask.agent];
        let (cwd, consult) = (agent.spec.cwd.clone(), &agent.policy.consult);
        if ask.context.is_some() || consult.context.is_empty() {
            ask.context.get_or_insert_default();
            self.dispatch(key);
        } else {
            let (patterns, max_bytes) = (consult.context.clone(), consult.context_bytes);
            self.out.push(Effect::ReadContext { ask: key, cwd, patterns, max_bytes });
        }
        self.tell_question(key);
    }

    pub(super) fn context_read(&mut self, key: AskKey, files: Vec<(String, String)>) {
        let Some(ask) = self.asks.get_mut(&key).filter(|ask| ask.status == Status::Consulting) else {
            return;
        };
        ask.context = Some(files);
        self.dispatch(key);
    }

    fn dispatch(&mut self, key: AskKey) {
        let ask = &self.asks[&key];
        let (with, asker) = (ask.route.clone(), ask.agent);
        if let Some(consultant) = self.by_name(&with).filter(|consultant| *consultant != asker) {
            let agent = self.agents.get_mut(&consultant).expect("by_name returns keys of the table");
            if agent.gone() {
                return self.escalate(key, format!("its consultant {with} is not running"), String::new());
            }
            agent.queue.push_back(key);
            return self.pump(consultant);
        }
        let agent = &self.agents[&asker];
        let command = agent.policy.consultants.iter().find(|consultant| consultant.name == with);
        let Some(command) = command.map(|consultant| consultant.command.clone()) else {
            return self.escalate(key, format!("there is no consultant {with}"), String::new());
        };
        let (cwd, env) = (agent.spec.cwd.clone(), agent.spec.env.clone());
        let stdin = self.briefing(key);
        let timeout_ms = self.time_left(key);
        if let Some(ask) = self.asks.get_mut(&key) {
            ask.prompt_sent = Some(stdin.clone());
            ask.running = true;
        }
        let run = ConsultRun { command, cwd, env, stdin, timeout_ms };
        self.out.push(Effect::Consult { ask: key, run });
    }

    /// Milliseconds a consultant has left, so that the answer can still be typed in time.
    fn time_left(&self, key: AskKey) -> u64 {
        let until = self.asks[&key].deadline_ms.unwrap_or(self.now.ms);
        until.saturating_sub(DELIVERY_MS).saturating_sub(self.now.ms)
    }

    fn briefing(&self, key: AskKey) -> String {
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
            duty: "worker",
            task: agent.spec.task.as_deref(),
            question: &ask.question,
            context: ask.context.as_deref().unwrap_or(&[]),
            decisions: &decisions,
            excerpt: &excerpt,
            seconds_left: self.time_left(key) / 1000,
            again: ask.again.as_deref(),
        };
        prompt(&briefing, consult.template.as_deref(), PROMPT_BYTES)
    }

    /// Gives a consultant in a pane its next question when it is free, and reads its reply when it
    /// has thought.
    pub(super) fn pump(&mut self, key: AgentKey) {
        let Some(agent) = self.agents.get(&key) else { return };
        if agent.thinking.is_some() {
            return self.read_pane(key);
        }
        let ready = agent.verdict.state == State::Idle
            && agent.state == State::Idle
            && agent.typing.is_none()
            && agent.verdict.composer.as_ref().is_some_and(|composer| composer.draft.is_empty());
        if !ready {
            return;
        }
        while let Some(ask) = self.agents.get_mut(&key).and_then(|agent| agent.queue.pop_front()) {
            if self.asks.get(&ask).is_some_and(|ask| ask.status == Status::Consulting) {
                return self.put_question(key, ask);
            }
        }
    }

    fn put_question(&mut self, key: AgentKey, ask_key: AskKey) {
        let now = self.now;
        let text = self.briefing(ask_key);
        if let Some(ask) = self.asks.get_mut(&ask_key) {
            ask.prompt_sent = Some(text.clone());
        }
        let agent = self.agents.get_mut(&key).expect("pump checked that the consultant is there");
        let delivery = Delivery::prompt(&text, &agent.profile.keys, agent.typed, now.ms);
        agent.typing = Some(Typing::Consultation(ask_key, Box::new(delivery)));
        self.drive_typing(key);
    }

    /// The question stands in the consultant's pane: from now on it thinks.
    pub(super) fn question_put(&mut self, key: AgentKey, ask: AskKey) {
        let now = self.now;
        let Some(agent) = self.agents.get_mut(&key) else { return };
        let before = last_message(&agent.profile, agent.screen.grid());
        let worked = agent.verdict.state == State::Working;
        agent.thinking = Some(Thinking { ask, submitted_ms: now.ms, worked, before });
    }

    fn read_pane(&mut self, key: AgentKey) {
        let now = self.now;
        let Some(agent) = self.agents.get_mut(&key) else { return };
        let Some(thinking) = agent.thinking.as_ref() else { return };
        if agent.verdict.state != State::Idle || agent.state != State::Idle {
            return;
        }
        let said = last_message(&agent.profile, agent.screen.grid());
        let fresh = thinking.worked || said != thinking.before;
        if !fresh && now.ms < thinking.submitted_ms + SILENT_MS {
            return;
        }
        let ask = thinking.ask;
        agent.thinking = None;
        let name = agent.spec.name.clone();
        if self.asks.get(&ask).is_some_and(|ask| ask.status == Status::Consulting) {
            self.said(ask, &name, said.as_deref().unwrap_or(""));
        }
        self.pump(key);
    }

    pub(super) fn command_said(&mut self, key: AskKey, said: Result<String, String>) {
        let Some(ask) = self.asks.get_mut(&key) else { return };
        ask.running = false;
        if ask.status != Status::Consulting {
            return;
        }
        let name = ask.route.clone();
        match said {
            Ok(text) => self.said(key, &name, &text),
            Err(why) => self.next_consultant(key, format!("{name}: {why}")),
        }
    }

    /// A consultant's words, wherever they came from.
    fn said(&mut self, key: AskKey, name: &str, text: &str) {
        let Some(ask) = self.asks.get_mut(&key) else { return };
        ask.reply = Some(text.to_owned());
        match read_reply(text, &ask.question, &ask.id) {
            Ok(Said::Answer { answer, reason }) => {
                self.decide(key, Decided { answer, by: format!("consultant {name}"), reason });
            }
            Ok(Said::Escalate { why }) => self.next_consultant(key, format!("{name} passed it on: {why}")),
            Err(why) if ask.again.is_none() => {
                ask.again = Some(why);
                self.dispatch(key);
            }
            Err(why) => self.next_consultant(key, format!("{name} gave no usable answer: {why}")),
        }
    }

    /// The next of the chain, or a person.
    fn next_consultant(&mut self, key: AskKey, why: String) {
        let ask = &self.asks[&key];
        let consultants = &self.agents[&ask.agent].policy.consultants;
        let next = consultants.iter().find(|c| c.name == ask.route).and_then(|c| c.then.clone());
        match next {
            Some(next) => {
                if let Some(ask) = self.asks.get_mut(&key) {
                    ask.again = None;
                }
                self.consult(key, next);
            }
            None => self.escalate(key, why, String::new()),
        }
    }

    /// An answer is decided on: it is typed, or put before a person, or only noted.
    pub(super) fn decide(&mut self, key: AskKey, decided: Decided) {
        let Some(ask) = self.asks.get_mut(&key).filter(|ask| !ask.status.settled()) else { return };
        let consult = &self.agents[&ask.agent].policy.consult;
        let by_person = decided.by == "person";
        if consult.mode == Mode::Shadow && !by_person {
            ask.shadow = Some(words(&decided.answer, &ask.question));
            let why = format!(
                "shadow mode: {} would have answered {:?}",
                decided.by,
                ask.shadow.as_deref().unwrap_or("")
            );
            return self.escalate(key, why, String::new());
        }
        let confirm = consult.confirm && decided.by.starts_with("consultant");
        ask.decided = Some(decided);
        if confirm {
            ask.status = Status::Proposed;
            self.tell_question(key);
            let ask = &self.asks[&key];
            let name = self.agents[&ask.agent].spec.name.clone();
            let id = ask.id.clone();
            self.alarm(&name, Some(id), &format!("{name}: an answer waits for your word"));
            return;
        }
        self.deliver(key);
    }

    /// A person sends the question off anew: its time starts again.
    pub(super) fn restart_clock(&mut self, key: AskKey, seconds: u64) {
        let now = self.now;
        if let Some(ask) = self.asks.get_mut(&key) {
            ask.deadline_ms = Some(now.ms + seconds * 1000);
            ask.deadline_unix_ms = Some(now.unix_ms + seconds * 1000);
            ask.asked.clear();
            ask.again = None;
            ask.decided = None;
        }
    }

    /// Nobody needs to answer this any more: it leaves every queue, and its command ends.
    pub(super) fn cancel_consultation(&mut self, key: AskKey) {
        for agent in self.agents.values_mut() {
            agent.queue.retain(|ask| *ask != key);
        }
        if let Some(ask) = self.asks.get_mut(&key).filter(|ask| ask.running) {
            ask.running = false;
            self.out.push(Effect::CancelConsult { ask: key });
        }
    }

    /// A consultant has gone: whoever waits for it is told.
    pub(super) fn consultant_left(&mut self, key: AgentKey) {
        let Some(agent) = self.agents.get_mut(&key) else { return };
        let mut waiting: Vec<AskKey> = agent.queue.drain(..).collect();
        waiting.extend(agent.thinking.take().map(|thinking| thinking.ask));
        if let Some(Typing::Consultation(ask, _)) = &agent.typing {
            waiting.push(*ask);
            agent.typing = None;
        }
        let name = agent.spec.name.clone();
        for ask in waiting {
            if self.asks.get(&ask).is_some_and(|ask| ask.status == Status::Consulting) {
                self.next_consultant(ask, format!("its consultant {name} has gone"));
            }
        }
    }

    pub(super) fn ask_wake(&self, ask: &Ask) -> Option<u64> {
        if ask.status.settled() {
            return None;
        }
        // A delivery under way ends by its own limits.
        let deadline = ask.deadline_ms.filter(|_| ask.status != Status::Answering);
        let deadline = deadline
            .map(|at| if ask.status == Status::Consulting { at.saturating_sub(DELIVERY_MS) } else { at });
        deadline.into_iter().chain(ask.remind_ms).min()
    }

    pub(super) fn tick_asks(&mut self) {
        let now = self.now;
        let due = |ask: &Ask, hub: &Hub| hub.ask_wake(ask).is_some_and(|at| now.ms >= at);
        let keys: Vec<AskKey> =
            self.asks.iter().filter(|(_, ask)| due(ask, self)).map(|(key, _)| *key).collect();
        for key in keys {
            let ask = self.asks.get_mut(&key).expect("the key was just found");
            if ask.remind_ms.is_some_and(|at| now.ms >= at) {
                ask.remind_ms = None;
                let (why, rule) = (ask.note.clone().unwrap_or_default(), ask.rule.clone());
                self.escalate(key, why, rule);
                continue;
            }
            let waited = now.ms.saturating_sub(ask.asked_ms) / 1000;
            let why = match ask.status {
                Status::Consulting => format!("{} did not answer within {waited} s", ask.route),
                _ => format!("no answer within {waited} s"),
            };
            self.escalate(key, why, String::new());
        }
    }
}
