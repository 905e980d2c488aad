//! Consultation: a question on its way to the one who is to answer it, and what comes back.

use crate::core::agent::{Duty, Isolate};
use crate::core::consult::chain::{Chain, turn_ms};
use crate::core::consult::nonce::nonce;
use crate::core::consult::{Briefing, ReplyTo, Said, prompt, read_reply};
use crate::core::log::log_entry::Turn as LoggedTurn;
use crate::core::log::redact::{known_secrets, withheld};
use crate::core::policy::Protocol;
use crate::core::question::Question;
use crate::server::effect::{ConsultRun, Effect};
use crate::server::hub::lookup::by_name;
use crate::server::hub::message::{Message, ToConsultants};
use crate::session::message::{AgentKey, AskKey, ConsultOrder, Now, Order};

use super::ask::Ask;
use super::phase::{AnsweredBy, Decision, HoldReason, Lane, Phase, Reserve, Turn};
use super::{Questions, World};

/// Kept of the deadline for typing the answer in: keys, looks and pauses take well under this.
const DELIVERY_MS: u64 = 3_000;
/// Less time than this is no turn: a program has hardly read the question.
const LEAST_TURN_MS: u64 = 1_000;
/// Why a question is a person's whose words would be taken out of what a consultant is told.
const SECRET_WORDS: &str = "its words hold what is a secret of its project's, and no consultant is told that";
/// Rows of the asking agent's screen that go along as an excerpt.
const EXCERPT_ROWS: usize = 30;

/// Milliseconds a consultant has left, so that the answer can still be typed in time.
fn time_left(ask: &Ask, now: Now) -> u64 {
    let until = ask.deadline_ms.unwrap_or(now.ms);
    until.saturating_sub(reserve_ms(ask)).saturating_sub(now.ms)
}

/// What is left behind a consultant's time: for typing the answer, or for the person who is called about a question in words.
/// Whoever waits for that for seconds only has most of them for a consultant.
fn reserve_ms(ask: &Ask) -> u64 {
    let all_ms = ask.deadline_ms.map_or(0, |at| at.saturating_sub(ask.asked_ms));
    if ask.in_words() { DELIVERY_MS.min(all_ms / 4) } else { DELIVERY_MS }
}

/// The same for the one whose turn it is.
fn turn_left(ask: &Ask, now: Now) -> u64 {
    let until = ask.turn().and_then(|turn| turn.until_ms).unwrap_or(now.ms);
    until.saturating_sub(now.ms).min(time_left(ask, now))
}

/// When something of this question is due. `paused`: its agent stands still, and its clock with it.
pub fn wake(ask: &Ask, paused: bool) -> Option<u64> {
    if ask.settled() {
        return None;
    }
    let late = match ask.phase {
        Phase::Delivering(_, Lane::Held(HoldReason::HookLate { until_ms })) => Some(until_ms),
        Phase::Delivering(_, Lane::Held(HoldReason::Disk)) => match ask.reserve {
            Reserve::Asked { until_ms } => Some(until_ms),
            Reserve::None | Reserve::Done => None,
        },
        _ => None,
    };
    // Whoever is typing the answer, or thinks about it, has heard of it.
    let remind = ask.remind_ms.filter(|_| ask.waits_for_person());
    let call = remind.into_iter().chain(ask.call_by_ms).chain(ask.words_until_ms).chain(late);
    if paused {
        return call.min();
    }
    // A delivery under way ends by its own limits.
    let deadline = ask.deadline_ms.filter(|_| !matches!(ask.phase, Phase::Delivering(..)));
    let deadline =
        deadline.map(|at| if ask.turn().is_some() { at.saturating_sub(reserve_ms(ask)) } else { at });
    let turn = ask.turn().and_then(|turn| turn.until_ms);
    deadline.into_iter().chain(turn).chain(call).min()
}

impl Questions {
    /// Takes the question along a chain of consultants, from its first.
    pub(super) fn consult(&mut self, key: AskKey, with: &Chain, world: World<'_>) {
        let Some(ask) = self.asks.get_mut(key).filter(|ask| !ask.settled()) else { return };
        let Some(agent) = world.agent_of(ask) else { return };
        let all = with.expanded(&agent.policy.consultants);
        let chain = all.into_iter().filter(|link| link.name != agent.spec.name).collect();
        let span_ms = time_left(ask, world.now);
        ask.enter(Phase::Consulting(Turn { chain, span_ms, until_ms: None, again: None, running: false }));
        self.next_consultant(key, "there is no consultant for it".to_owned(), world);
    }

    /// Has the files read that would go along, and the secrets found that must not. A question that is a person's
    /// is logged and called out, and so these are needed for every one.
    pub(super) fn read_context(&mut self, key: AskKey, world: World<'_>) {
        let Some(ask) = self.asks.get_mut(key) else { return };
        let Some(agent) = world.agent_of(ask) else { return };
        let env = agent.spec.env.iter().map(|(name, value)| (name.as_str(), value.as_str()));
        ask.secrets = known_secrets(env).collect();
        ask.context = None;
        let (cwd, consult) = (agent.spec.cwd.clone(), &agent.policy.consult);
        let (patterns, max_bytes) = (consult.context.clone(), consult.context_bytes);
        self.effect(Effect::ReadContext { ask: key, cwd, patterns, max_bytes });
    }

    /// The next of the chain has its turn, or a person; `why` the one before gave no answer.
    pub(super) fn next_consultant(&mut self, key: AskKey, why: String, world: World<'_>) {
        let now = world.now;
        self.turn_over(key, &why, now);
        let Some(ask) = self.asks.get_mut(key).filter(|ask| !ask.settled()) else { return };
        let Some(agent) = world.agent_of(ask) else { return };
        let left = time_left(ask, now);
        let Some(turn) = ask.turn_mut() else { return };
        let next = turn.chain.pop_front();
        let Some(link) = next.clone().filter(|_| left >= LEAST_TURN_MS) else {
            let short =
                next.map(|link| format!("{} s are too short a time to ask {}", left / 1000, link.name));
            let why = failures(ask).or(short).unwrap_or(why);
            return self.escalate(key, why, None, world);
        };
        if let Some(spent) = self.spent.budget_spent(&agent.policy.consult, now.unix_ms) {
            return self.escalate(key, spent, None, world);
        }
        self.spent.note_asked(now.unix_ms);
        turn.until_ms = Some(now.ms + turn_ms(&link, turn.span_ms, left, turn.chain.len()));
        turn.again = None;
        ask.turns.push(LoggedTurn { with: link.name, asked_at: now.unix_ms, ..LoggedTurn::default() });
        let read = ask.context.is_some();
        self.tell_question(key);
        if read {
            self.out.push(Message::Consultant(ToConsultants::Ask(key)));
        }
    }

    /// Whoever was being asked is asked no more: it leaves the queues, its command ends, and `why` is noted.
    pub(super) fn turn_over(&mut self, key: AskKey, why: &str, now: Now) {
        let Some(ask) = self.asks.get_mut(key) else { return };
        let Some(turn) = ask.turn_mut() else { return };
        turn.until_ms = None;
        let running = std::mem::take(&mut turn.running);
        if let Some(turn) = ask.turns.last_mut().filter(|turn| turn.ended.is_none()) {
            turn.ended = Some(why.to_owned());
            turn.took_ms = now.unix_ms.saturating_sub(turn.asked_at);
        }
        self.out.push(Message::Consultant(ToConsultants::Cancel(key)));
        if running {
            self.effect(Effect::CancelConsult { ask: key });
        }
    }

    /// Nobody needs to answer this any more.
    pub(super) fn cancel_consultation(&mut self, key: AskKey, now: Now) {
        self.turn_over(key, "no longer wanted", now);
    }

    pub(super) fn context_read(
        &mut self,
        key: AskKey,
        files: Vec<(String, String)>,
        secrets: Vec<String>,
        world: World<'_>,
    ) {
        let Some(ask) = self.asks.get_mut(key).filter(|ask| ask.context.is_none()) else { return };
        ask.context = Some(files);
        ask.secrets.extend(secrets);
        let (consulted, blank) = (ask.turn().is_some(), holds_secrets(&ask.question, &ask.secrets));
        self.notify_by_command(key, world);
        if consulted && blank {
            return self.escalate(key, SECRET_WORDS.to_owned(), None, world);
        }
        if consulted {
            self.out.push(Message::Consultant(ToConsultants::Ask(key)));
        }
    }

    pub(super) fn put_into(&mut self, key: AskKey, consultant: AgentKey, world: World<'_>) {
        let Some(text) = self.briefing(key, false, world) else { return };
        let Some(ask) = self.asks.get_mut(key) else { return };
        ask.prompt_sent = Some(text.clone());
        let (id, question) = (ask.id.clone(), ask.question.clone());
        let nonce = nonce(&self.nonce_key, &ask.id, ask.turn_number());
        let order = ConsultOrder { ask: key, id, nonce, question, text };
        self.order(consultant, Order::Consult(Box::new(order)));
    }

    pub(super) fn run(&mut self, key: AskKey, command: Vec<String>, protocol: Protocol, world: World<'_>) {
        // Who speaks ACP is a model; a plain command may be a script that reads JSON.
        let Some(prompt) = self.briefing(key, protocol == Protocol::Plain, world) else { return };
        let Some(ask) = self.asks.get_mut(key) else { return };
        let Some(agent) = world.agent_of(ask) else { return };
        ask.prompt_sent = Some(prompt.clone());
        if let Some(turn) = ask.turn_mut() {
            turn.running = true;
        }
        let (cwd, env) = match agent.spec.isolate {
            Isolate::None => (agent.spec.cwd.clone(), agent.spec.env.clone()),
            // What an isolated agent wrote there would be run outside.
            Isolate::Landlock | Isolate::Namespace | Isolate::Uid => Default::default(),
        };
        let agreed = ask.consultant().and_then(|name| agent.policy.agreed_for(name)).cloned();
        let run = ConsultRun { command, protocol, cwd, env, prompt, agreed };
        let turn = ask.turn_number();
        self.effect(Effect::Consult { ask: key, turn, run });
    }

    /// What its consultant is told; a command may be a program that reads JSON.
    fn briefing(&self, key: AskKey, as_json: bool, world: World<'_>) -> Option<String> {
        let ask = self.asks.get(key)?;
        let agent = world.agent_of(ask)?;
        let consult = &agent.policy.consult;
        let newest = self.decisions.iter().rev().take(consult.decisions);
        let decisions: Vec<String> = newest.map(|entry| entry.summary_for_consultant()).collect();
        let rows = ask.before.lines().count();
        let excerpt: Vec<&str> = ask.before.lines().skip(rows.saturating_sub(EXCERPT_ROWS)).collect();
        let excerpt = excerpt.join("\n");
        let briefing = Briefing {
            id: &ask.id,
            nonce: &nonce(&self.nonce_key, &ask.id, ask.turn_number()),
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
            told: ask.in_words() && ask.exact.is_some(),
            seconds_left: turn_left(ask, world.now) / 1000,
            again: ask.turn().and_then(|turn| turn.again.as_deref()),
            secrets: &ask.secrets,
            as_json,
        };
        Some(prompt(&briefing, consult.template.as_deref(), consult.prompt_bytes))
    }

    /// A command has ended; `turn` tells whether it is still the one that is asked.
    pub(super) fn command_said(
        &mut self,
        key: AskKey,
        turn: u32,
        said: Result<String, String>,
        world: World<'_>,
    ) {
        let Some(ask) = self.asks.get_mut(key).filter(|ask| ask.turn_number() == turn) else { return };
        let Some(name) = ask.consultant().map(str::to_owned) else { return };
        if let Some(turn) = ask.turn_mut() {
            turn.running = false;
        }
        match said {
            // Its output is a pipe that nobody else holds.
            Ok(text) => self.said(key, &text, false, world),
            Err(why) => self.next_consultant(key, format!("{name}: {why}"), world),
        }
    }

    /// The words of the consultant whose turn it is, wherever they came from.
    pub(super) fn said(&mut self, key: AskKey, text: &str, on_terminal: bool, world: World<'_>) {
        let Some(ask) = self.asks.get_mut(key) else { return };
        let Some(name) = ask.consultant().map(str::to_owned) else { return };
        if let Some(turn) = ask.turns.last_mut() {
            turn.reply = Some(text.to_owned());
        }
        let nonce = nonce(&self.nonce_key, &ask.id, ask.turn_number());
        let to = ReplyTo { question: &ask.question, id: &ask.id, nonce: &nonce, on_terminal };
        let read = read_reply(text, to);
        let Some(turn) = ask.turn_mut() else { return };
        match read {
            Ok(Said::Answer { answer, reason }) => {
                self.turn_over(key, "answered", world.now);
                self.decide(key, Decision { answer, by: AnsweredBy::Consultant(name), reason }, world);
            }
            // Whoever knows that a person must decide is not overruled by asking somebody else.
            Ok(Said::Escalate { why }) => {
                let why = format!("{name} passed it on: {why}");
                self.turn_over(key, &why, world.now);
                self.escalate(key, why, None, world);
            }
            // It is not asked again, nor is anybody else: whoever would have run something finds other words for it.
            Ok(Said::NoValue { why }) => {
                let why = format!("{name}'s answer is not typed: {why}");
                self.turn_over(key, &why, world.now);
                self.escalate(key, why, None, world);
            }
            Err(why) if turn.again.is_none() => {
                turn.again = Some(why);
                self.out.push(Message::Consultant(ToConsultants::Ask(key)));
            }
            Err(why) => self.next_consultant(key, format!("{name} gave no usable answer: {why}"), world),
        }
    }

    /// Whatever of this question is due by now.
    pub(super) fn due(&mut self, key: AskKey, world: World<'_>) {
        let now = world.now;
        let Some(ask) = self.asks.get_mut(key).filter(|ask| !ask.settled()) else { return };
        let agent = world.agent_of(ask);
        if ask.in_words() && self.words_due(key, world) {
            return;
        }
        let paused = agent.is_some_and(|agent| agent.paused());
        let Some(ask) = self.asks.get_mut(key).filter(|ask| wake(ask, paused).is_some_and(|at| now.ms >= at))
        else {
            return;
        };
        let called = ask.call_by_ms.is_some_and(|at| now.ms >= at);
        if called {
            self.notify_by_command(key, world);
        }
        let Some(ask) = self.asks.get_mut(key) else { return };
        if ask.waits_for_person() && ask.remind_ms.take_if(|at| now.ms >= *at).is_some() {
            let why = ask.note.clone().unwrap_or_else(|| "it still waits".to_owned());
            return self.notify_person(key, &why, world);
        }
        if called {
            return;
        }
        if matches!(ask.phase, Phase::Delivering(..)) {
            return self.deliver(key, world);
        }
        let waited = now.ms.saturating_sub(ask.asked_ms) / 1000;
        let why = match (ask.consultant(), ask.turns.last()) {
            (Some(name), Some(turn)) => {
                let took = now.unix_ms.saturating_sub(turn.asked_at) / 1000;
                let did = match kept_from(key, name, world) {
                    Some(why) => format!("could not be asked within {took} s: {why}"),
                    None => format!("did not answer within {took} s"),
                };
                let why = format!("{name} {did}");
                return self.next_consultant(key, why, world);
            }
            _ => format!("no answer within {waited} s"),
        };
        self.escalate(key, why, None, world);
    }
}

/// Why a consultant in a pane was not put this question; `None`: it was, or it is a command.
fn kept_from(ask: AskKey, name: &str, world: World<'_>) -> Option<&'static str> {
    let key = by_name(world.agents, name)?;
    let agent = world.agents.get(key)?;
    match world.backlogs.get(key).and_then(|backlog| backlog.current) {
        Some(current) if current == ask => None,
        Some(_) => Some("it was busy with another question"),
        None if agent.sight.draft => Some("somebody's draft stands in its input line"),
        None if agent.paused() => Some("it is paused"),
        None => Some("it was not ready for a question"),
    }
}

/// Whether its words or its rows cannot be told as they are: nobody decides on what they do not see.
fn holds_secrets(question: &Question, secrets: &[String]) -> bool {
    let rows = question.options.iter().flat_map(|row| [&row.label, &row.description]);
    let mut words = rows.chain([&question.prompt]).chain(&question.subject);
    words.any(|words| withheld(words, secrets) != *words)
}

/// Why none of those asked gave an answer.
fn failures(ask: &Ask) -> Option<String> {
    let mut ended: Vec<&str> = Vec::new();
    // Asked once more, it may end for the same reason.
    for why in ask.turns.iter().filter_map(|turn| turn.ended.as_deref()) {
        if !ended.contains(&why) {
            ended.push(why);
        }
    }
    (!ended.is_empty()).then(|| ended.join("; "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::question::{Choice, Kind};

    /// A cloned repository's `.env` named the words of its question as secrets: the consultant read "Which [secret removed]?" over
    /// rows of the same, and its number was typed.
    #[test]
    fn a_question_whose_words_would_be_taken_out_is_no_consultants() {
        let row = |label: &str| Choice { label: label.to_owned(), ..Choice::default() };
        let asked = Question {
            options: vec![row("PostgreSQL"), row("SQLite")],
            ..Question::new(Kind::Menu, "Which database?")
        };
        for (secret, holds) in [("PostgreSQL", true), ("database", true), ("hunter22", false)] {
            assert_eq!(holds_secrets(&asked, &[secret.to_owned()]), holds, "{secret}");
        }
        assert!(!holds_secrets(&asked, &[]));
    }
}
