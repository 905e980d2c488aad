//! Questions: from their appearing on a screen, or in words, to their end in the log.
//!
//! A machine of the hub. It owns every question and what is known of each agent's questions; it reads agents, hooks
//! and consultants' queues, and returns messages. It never calls another machine and never types.

mod appearance;
pub mod ask;
mod changes;
mod conflict;
mod consent;
pub mod consulting;
mod delivering;
mod disk;
mod entry;
mod gone;
mod joined;
mod leave;
mod left;
mod limits;
mod log_entry;
mod moving;
pub mod notify;
mod part;
pub mod phase;
mod reflow;
mod requests;
mod routing;
mod scrolling;
pub mod spent;
mod told_file;
pub mod track;
mod words;

use std::collections::{BTreeMap, HashSet, VecDeque};

use crate::core::consult::nonce::NonceKey;
use crate::core::detect::printed_over;
use crate::core::log::log_entry::Entry;
use crate::core::question::{Circumstances, Question};
use crate::server::consultant::backlog::Backlogs;
use crate::server::effect::Effect;
use crate::server::hooks::state::HookStates;
use crate::server::hub::message::{Message, ToClients, ToQuestions, ToReplies};
use crate::server::hub::table::Table;
use crate::server::lifecycle::agent::{Agent, Agents};
use crate::server::remembered::OpenQuestion;
use crate::session::message::{AgentKey, AskKey, Now, Order};

use ask::{Ask, Asks};
use spent::Spent;
use track::{MISSING_MS, MISSING_TYPED_MS, Track, Tracks};

/// Log entries kept in memory for consultants; `[consult] decisions` takes the newest of them.
const KEPT_DECISIONS: usize = 200;
/// Ended questions of an agent whose entries the keeper holds until they are on the disk. A disk that is slow must not make
/// what is held grow without end.
const HELD_ENTRIES: usize = 4;

/// What others own and this machine reads.
#[derive(Debug, Clone, Copy)]
pub struct World<'a> {
    pub now: Now,
    pub agents: &'a Agents,
    pub hooks: &'a HookStates,
    pub backlogs: &'a Backlogs,
}

impl<'a> World<'a> {
    fn agent_of(&self, ask: &Ask) -> Option<&'a Agent> {
        self.agents.get(ask.agent)
    }
}

#[derive(Debug)]
pub struct Questions {
    pub asks: Asks,
    pub tracks: Tracks,
    pub decisions: VecDeque<Entry>,
    /// What has ended and is not on the disk yet, by its agent.
    unwritten: BTreeMap<AskKey, (AgentKey, OpenQuestion)>,
    /// The names of the questions that are in the log since earlier servers.
    pub in_log: HashSet<String>,
    pub spent: Spent,
    next: u64,
    nonce_key: NonceKey,
    out: Vec<Message>,
}

impl Questions {
    /// `decisions`: the newest log entries of earlier servers, oldest first.
    pub fn new(decisions: Vec<Entry>, next: u64, nonce_key: NonceKey) -> Questions {
        let spent = Spent::of(&decisions);
        let in_log = decisions.iter().map(|entry| entry.id.clone()).collect();
        let mut decisions: VecDeque<Entry> = decisions.into_iter().filter(Entry::is_decision).collect();
        decisions.drain(..decisions.len().saturating_sub(KEPT_DECISIONS));
        Questions {
            asks: Table::new(),
            tracks: Table::new(),
            spent,
            decisions,
            unwritten: BTreeMap::new(),
            in_log,
            next,
            nonce_key,
            out: Vec::new(),
        }
    }

    /// Questions are numbered behind this one.
    pub fn go_on_behind(&mut self, number: u64) {
        self.next = self.next.max(number.saturating_add(1));
    }

    /// Whether a session was told to type an answer, and has not said what became of it.
    pub fn any_ordered(&self) -> bool {
        self.asks.values().any(|ask| ask.ordered.is_some())
    }

    /// What is open of this agent, and what has ended without being in the log yet, for the server that comes next.
    pub fn open_questions(&self, agent: AgentKey) -> Vec<OpenQuestion> {
        // Under the id of one whose words change somebody may have read others than the next server finds.
        let named = |ask: &&Ask| ask.changes.last_ms.is_none();
        let open = self.asks.values().filter(|ask| ask.agent == agent && !ask.settled()).filter(named);
        let ended = self.unwritten.values().filter(|(of, _)| *of == agent).map(|(_, ended)| ended.clone());
        let one = |ask: &Ask| OpenQuestion {
            id: ask.id.clone(),
            fingerprint: ask.fingerprint,
            circumstances: Circumstances::of(&ask.question.origin),
            read_for: printed_over::for_the_next_server(&ask.question).map(Box::new),
            asked_at: ask.asked_unix_ms,
            persons: match &ask.ordered {
                Some(_) => Some("an answer to it was being typed when the server ended".to_owned()),
                None => ask.is_persons().then(|| ask.note.clone().unwrap_or_default()),
            },
            // What the next server sees has other rows.
            suggested: ask.suggestion().filter(|_| ask.part.is_none()),
            called_unix_ms: ask.called_unix_ms,
            typing: ask.ordered.is_some(),
            unfinished: entry::unfinished(ask),
            ended: false,
        };
        ended.chain(open.map(one)).collect()
    }

    /// What the server before told of a question, if this is one and it was not settled.
    fn earlier(&self, agent: &Agent, question: &Question, now: Now) -> Option<OpenQuestion> {
        let open = agent.earlier_question(question, now)?;
        let known = self.asks.values().any(|ask| ask.id == open.id);
        (!known && !self.in_log.contains(&open.id)).then(|| open.clone())
    }

    /// Why the first question of an agent that was taken back is a person's: the server before was typing into another
    /// one, and what is read here may hold a part of that answer.
    fn left_by_the_server_before(&self, key: AgentKey, agent: &Agent, now: Now) -> Option<String> {
        let first = self.tracks.get(key).is_none_or(|track| !track.appeared);
        let open = agent.earlier_typing(now).filter(|_| first)?;
        Some(format!("the server before was typing an answer to {} when it ended", open.id))
    }

    pub fn on(&mut self, message: ToQuestions, world: World<'_>) -> Vec<Message> {
        match message {
            ToQuestions::Compare(agent) => self.compare(agent, world),
            ToQuestions::Reconcile(agent) => self.reconcile(agent, world),
            ToQuestions::DeliverKept(agent) => self.deliver_kept(agent, world),
            ToQuestions::Appeared { agent, question, source } => {
                self.appeared(agent, *question, source, world);
            }
            ToQuestions::Route(ask) => self.route(ask, world),
            ToQuestions::Withdraw(ask) => self.withdraw(ask, world),
            ToQuestions::Escalate { ask, why } => self.escalate(ask, why, None, world),
            ToQuestions::EscalateQuietly { ask, why } => self.escalate_quietly(ask, why, world),
            ToQuestions::ByKeys { agent, ask } => self.by_keys(agent, ask, world),
            ToQuestions::Typed { agent, person, held, choice } => {
                self.typed(agent, (person, held), choice, world);
            }
            ToQuestions::ClockStops(agent) => self.clock_stops(agent, world),
            ToQuestions::ClockRuns(agent) => self.clock_runs(agent, world),
            ToQuestions::AgentLeaves(agent) => self.agent_leaves(agent),
            ToQuestions::SessionEnded(agent) => self.session_ended(agent, world),
            ToQuestions::Forget(agent) => {
                self.tracks.remove(agent);
                self.unwritten.retain(|_, (of, _)| *of != agent);
            }
            ToQuestions::Due(ask) => self.due(ask, world),
            ToQuestions::AgentDue(agent) => self.agent_due(agent, world),
            ToQuestions::ServerEnds => self.server_ends(world),
            ToQuestions::Logged { ask, written } => self.logged(ask, written),
            ToQuestions::Quiet { ask, left_ms } => self.quiet(ask, left_ms, world),
            ToQuestions::PathLooked { ask, link } => self.path_looked(ask, link, world),
            ToQuestions::LogReserved { ask, done } => self.log_reserved(ask, done, world),
            other => self.on_answer(other, world),
        }
        std::mem::take(&mut self.out)
    }

    /// What consultants, sessions, hooks and people say to a question.
    fn on_answer(&mut self, message: ToQuestions, world: World<'_>) {
        match message {
            ToQuestions::NextConsultant { ask, why } => self.next_consultant(ask, why, world),
            ToQuestions::PutInto { ask, consultant } => self.put_into(ask, consultant, world),
            ToQuestions::Run { ask, command, protocol } => self.run(ask, command, protocol, world),
            ToQuestions::Said { ask, text } => self.said(ask, &text, true, world),
            ToQuestions::CommandSaid { ask, turn, said } => self.command_said(ask, turn, said, world),
            ToQuestions::ContextRead { ask, files, secrets } => self.context_read(ask, files, secrets, world),
            ToQuestions::Deliver(ask) => self.deliver(ask, world),
            ToQuestions::DeliverByKeys(ask) => self.deliver_by_keys(ask, world),
            ToQuestions::Delivery { agent, ask, outcome, keys } => {
                self.delivery(agent, ask, outcome, keys, world);
            }
            ToQuestions::Answered { ask, keys, proof } => self.answered(ask, keys, proof, world),
            ToQuestions::Differs { ask, keys, proof, why } => self.differs(ask, keys, proof, why, world),
            ToQuestions::HookSpoke(agent) => self.hook_spoke(agent, world),
            ToQuestions::GivenToHook(asks) => self.given_to_hook(&asks),
            ToQuestions::NotTaken { agent, ask, why } => self.not_taken(agent, ask, why, world),
            ToQuestions::FormAnswered(asks) => self.form_answered(&asks),
            ToQuestions::AskerLeft(ask) => self.asker_left(ask, world),
            ToQuestions::Answer { from, id, given } => self.answer(from, &id, &given, world),
            ToQuestions::Confirm { from, id, accept, answer } => {
                self.confirm(from, &id, (accept, answer), world);
            }
            ToQuestions::Consult { from, id, with } => self.consult_now(from, &id, with, world),
            ToQuestions::TakeOver { from, id } => self.take_over(from, &id, world),
            ToQuestions::AskedInWords { from, agent, words } => {
                self.asked_in_words(from, agent, words, world);
            }
            ToQuestions::AskedByAProgram { from, words } => self.asked_by_a_program(from, words, world),
            ToQuestions::AskedForLeave { from, what, wait_ms } => {
                self.asked_for_leave(from, &what, wait_ms, world);
            }
            ToQuestions::TellAnswerer { from, ask } => self.tell_answerer(from, ask),
            // The rest are taken by `on`.
            _ => {}
        }
    }

    fn tell(&mut self, message: ToClients) {
        self.out.push(Message::Client(message));
    }

    fn tell_question(&mut self, ask: AskKey) {
        self.tell(ToClients::TellQuestion(ask));
    }

    fn then(&mut self, message: ToQuestions) {
        self.out.push(Message::Question(message));
    }

    fn reply(&mut self, message: ToReplies) {
        self.out.push(Message::Reply(message));
    }

    fn effect(&mut self, effect: Effect) {
        self.out.push(Message::Effect(effect));
    }

    fn order(&mut self, agent: AgentKey, order: Order) {
        self.effect(Effect::Order { agent, order: Box::new(order) });
    }

    /// A question that is not settled.
    fn open_mut(&mut self, key: AskKey) -> Option<&mut Ask> {
        self.asks.get_mut(key).filter(|ask| !ask.settled())
    }

    fn open(&self, key: AskKey) -> Option<&Ask> {
        self.asks.get(key).filter(|ask| !ask.settled())
    }

    fn track(&mut self, agent: AgentKey) -> &mut Track {
        self.tracks.of(agent)
    }

    /// When the question of an agent that is off its screen counts as gone.
    pub fn missing_at(&self, key: AgentKey) -> Option<u64> {
        let track = self.tracks.get(key)?;
        let typed = track.open.and_then(|ask| self.open(ask)).is_some_and(|ask| ask.ordered.is_some());
        track.missing_since.map(|since| since + if typed { MISSING_TYPED_MS } else { MISSING_MS })
    }

    /// The question on the agent's screen, as far as it is open.
    fn open_of(&self, agent: AgentKey) -> Option<AskKey> {
        self.tracks.get(agent)?.open
    }
}
