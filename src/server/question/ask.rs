//! An open question: what was asked, when and where it was seen, how far it has come.
//!
//! Data, and what is told of it; `server/question` alone changes it.

use std::collections::BTreeSet;

use crate::core::detect::channels::Trust;
use crate::core::log::log_entry::{Entry, Routed, Shadow, Turn as LoggedTurn};
use crate::core::question::normalize::normalize;
use crate::core::question::{Answer, Fingerprint, Kind, Question};
use crate::server::hub::table::Table;
use crate::server::remembered::Suggestion;
use crate::session::message::{AgentKey, AskKey};
use crate::wire::message::{QuestionInfo, Status};

use super::changes::Changes;
use super::phase::{AnsweredBy, Decision, End, HoldReason, Lane, Phase, Reserve, Turn};

/// Stands for the agent where a program asks that is none. No agent has this key: the first gets 1.
pub const NOBODY: AgentKey = AgentKey(0);

/// All questions that are open, and the last that were.
pub type Asks = Table<AskKey, Ask>;

/// Where a question was seen; in the order in which they are told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Source {
    Hook,
    /// Put in words, through `counsel mcp`.
    Mcp,
    Screen,
    /// The program's report or title.
    Status,
    /// The kernel: which program waits for what is typed.
    Tty,
}

impl Source {
    fn name(self) -> &'static str {
        match self {
            Source::Hook => "hook",
            Source::Mcp => "mcp",
            Source::Screen => "screen",
            Source::Status => "status",
            Source::Tty => "tty",
        }
    }
}

/// The session was told to type the answer, and has not said what became of it. It may outlast the phase it was
/// ordered in: a person who takes over does not make undone what was typed.
#[derive(Debug, Clone, Default)]
pub struct Ordered {
    /// The question is gone from the screen, and only what was typed for it is still to be told.
    pub leaving: Option<End>,
}

/// A question from its appearing to its end.
#[derive(Debug, Clone)]
pub struct Ask {
    pub id: String,
    pub agent: AgentKey,
    /// Its agent's name: the question is told of longer than the agent is there.
    pub agent_name: String,
    pub question: Question,
    /// What its screen shows of it, where that is a part and a hook told the whole.
    pub part: Option<Box<Question>>,
    /// Of what its screen shows.
    pub fingerprint: Fingerprint,
    pub phase: Phase,
    pub rule: String,
    /// Where the rules sent it.
    pub routed: Option<Routed>,
    /// Why a person is needed, or how it ended.
    pub note: Option<String>,
    pub sources: BTreeSet<Source>,
    pub trust: Trust,
    /// Which channel contradicts its screen, once that has lasted.
    pub conflict: Option<String>,
    /// When this server saw it first.
    pub asked_ms: u64,
    /// The time of day of that.
    pub seen_unix_ms: u64,
    /// When it was asked, which an earlier server may have seen.
    pub asked_unix_ms: u64,
    /// When a consultant's time is over; `None` once a person is to answer.
    pub deadline_ms: Option<u64>,
    /// Put in words: when whoever asked waits no longer.
    pub words_until_ms: Option<u64>,
    /// Context files, once read.
    pub context: Option<Vec<(String, String)>>,
    /// Values that must not be told.
    pub secrets: Vec<String>,
    /// Who was asked, in order; the last one's answer alone is taken.
    pub turns: Vec<LoggedTurn>,
    pub prompt_sent: Option<String>,
    /// The asking agent's screen when the question was seen.
    pub before: String,
    /// What `typed` of the agent was then, and when an answer was last ordered.
    pub typed: u64,
    pub typed_at_order: Option<u64>,
    pub remind_ms: Option<u64>,
    /// The command that calls a person waits for the secrets it must not tell, at most until then.
    pub call_by_ms: Option<u64>,
    /// When it was last run, by whichever server, in Unix milliseconds.
    pub called_unix_ms: Option<u64>,
    /// The server before has run it, and this one has not come to it yet.
    pub called_before: bool,
    /// The server before was giving an answer to it when it ended: what the log says of that where nobody knows more.
    pub left: Option<Box<Entry>>,
    /// What the agent said last, exactly, where its hook told; what one must know, where it put the question in words.
    pub exact: Option<String>,
    /// In shadow mode: what would have been answered.
    pub shadow: Option<Decision>,
    /// What a consultant proposed before a person decided.
    pub proposed: Option<Answer>,
    /// What was suggested under the server before, until it is put before a person again.
    pub suggested: Option<Decision>,
    /// What the person is seen to choose in the pane.
    pub choice: Option<Answer>,
    /// When somebody last typed into the pane.
    pub typed_ms: Option<u64>,
    /// When that was last something its program was given: a terminal that collects lines keeps them until they end.
    pub given_ms: Option<u64>,
    pub ordered: Option<Ordered>,
    /// When it was last on the screen.
    pub seen_ms: u64,
    /// Its words change by themselves, below which its rows stand: it is one question all the same, and a person's.
    pub moving: bool,
    pub changes: Changes,
    /// Keys of deliveries that did not come to their end.
    pub typed_in_vain: Vec<String>,
    /// Whether the log has room for its entry, once it is to be answered automatically.
    pub reserve: Reserve,
}

impl Ask {
    /// A question just seen, of which nothing is known but its words.
    pub fn new(id: String, (agent, agent_name): (AgentKey, &str), question: Question) -> Ask {
        Ask {
            id,
            agent,
            agent_name: agent_name.to_owned(),
            fingerprint: question.fingerprint(),
            question,
            part: None,
            phase: Phase::Routing,
            rule: String::new(),
            routed: None,
            note: None,
            sources: BTreeSet::new(),
            trust: Trust::default(),
            conflict: None,
            asked_ms: 0,
            seen_unix_ms: 0,
            asked_unix_ms: 0,
            deadline_ms: None,
            words_until_ms: None,
            context: None,
            secrets: Vec::new(),
            turns: Vec::new(),
            reserve: Reserve::None,
            prompt_sent: None,
            before: String::new(),
            typed: 0,
            typed_at_order: None,
            remind_ms: None,
            call_by_ms: None,
            called_unix_ms: None,
            called_before: false,
            left: None,
            exact: None,
            shadow: None,
            proposed: None,
            suggested: None,
            choice: None,
            typed_ms: None,
            given_ms: None,
            ordered: None,
            seen_ms: 0,
            moving: false,
            changes: Changes::default(),
            typed_in_vain: Vec::new(),
        }
    }

    pub fn settled(&self) -> bool {
        self.phase.settled()
    }

    pub fn seen_on(&self, source: Source) -> bool {
        self.sources.contains(&source)
    }

    /// It is answered by a reply instead of keys.
    pub fn in_words(&self) -> bool {
        self.words_until_ms.is_some()
    }

    /// A program that is no agent asks it; see `leave.rs`.
    pub fn of_nobody(&self) -> bool {
        self.agent == NOBODY
    }

    /// A person was called, or has the last word.
    pub fn waits_for_person(&self) -> bool {
        matches!(self.phase, Phase::Escalated { .. } | Phase::Proposed(_))
    }

    pub fn turn(&self) -> Option<&Turn> {
        if let Phase::Consulting(turn) = &self.phase { Some(turn) } else { None }
    }

    pub fn turn_mut(&mut self) -> Option<&mut Turn> {
        if let Phase::Consulting(turn) = &mut self.phase { Some(turn) } else { None }
    }

    /// Counts who was asked.
    pub fn turn_number(&self) -> u32 {
        u32::try_from(self.turns.len()).unwrap_or(u32::MAX)
    }

    /// The consultant whose turn it is.
    pub fn consultant(&self) -> Option<&str> {
        self.turn().and(self.turns.last()).map(|turn| turn.with.as_str())
    }

    pub fn decision(&self) -> Option<&Decision> {
        self.phase.decision()
    }

    pub fn decided_by_person(&self) -> bool {
        self.decision().is_some_and(|decision| decision.by == AnsweredBy::Person)
    }

    /// Whether only a person answers it from now on.
    pub fn is_persons(&self) -> bool {
        matches!(self.phase, Phase::Escalated { .. })
    }

    /// Whether it is a menu that no hook has told of, and that not a person answers.
    pub fn is_untold_menu(&self) -> bool {
        let menu = matches!(self.question.kind, Kind::Menu | Kind::Multi);
        menu && !self.seen_on(Source::Hook) && !self.decided_by_person()
    }

    pub fn decided_by_rule(&self) -> bool {
        matches!(self.decision(), Some(Decision { by: AnsweredBy::Rule(_), .. }))
    }

    /// What of it waits for a person's Enter, for the server that comes next.
    pub fn suggestion(&self) -> Option<Suggestion> {
        let decision = match &self.phase {
            Phase::Proposed(decision) => decision,
            // One that was left over, and has not come to be shown again yet.
            _ => self.suggested.as_ref()?,
        };
        let AnsweredBy::Consultant(by) = &decision.by else { return None };
        let Decision { answer, reason, .. } = decision.clone();
        Some(Suggestion { by: by.clone(), answer, reason })
    }

    /// Moves on; what was only proposed is remembered.
    pub fn enter(&mut self, phase: Phase) {
        if let Phase::Proposed(decision) = std::mem::replace(&mut self.phase, phase) {
            self.proposed = Some(decision.answer);
        }
    }

    /// The decided answer takes this way.
    pub fn take_lane(&mut self, lane: Lane) {
        if let Phase::Delivering(_, now) = &mut self.phase {
            *now = lane;
        }
    }

    pub fn hold(&mut self, reason: HoldReason) {
        self.take_lane(Lane::Held(reason));
    }

    /// The last words of a consultant.
    pub fn reply(&self) -> Option<&String> {
        self.turns.iter().rev().find_map(|turn| turn.reply.as_ref())
    }

    pub fn deadline_unix_ms(&self) -> Option<u64> {
        self.deadline_ms
            .or(self.words_until_ms)
            .map(|at| self.seen_unix_ms + at.saturating_sub(self.asked_ms))
    }

    /// The noted answer beside what the person chose: by a command of ours, or in the pane.
    pub fn shadow(&self, chosen: Option<&Answer>) -> Option<Shadow> {
        let noted = self.shadow.as_ref()?;
        let given = self.decision().filter(|_| self.decided_by_person());
        let chosen = given.map(|decision| &decision.answer).or(chosen);
        let agrees = chosen.map(|chosen| match (chosen, &noted.answer) {
            (Answer::Text(one), Answer::Text(other)) => normalize(one) == normalize(other),
            (one, other) => one == other,
        });
        Some(Shadow {
            answer: words(&noted.answer, &self.question),
            by: noted.by.to_string(),
            chose: chosen.map(|chosen| words(chosen, &self.question)),
            agrees,
        })
    }

    /// What a consultant proposed, now or before a person decided otherwise.
    pub fn proposed_words(&self) -> Option<String> {
        let before = if let Phase::Settled(settled) = &self.phase { &settled.before } else { &self.phase };
        let now = if let Phase::Proposed(decision) = before { Some(&decision.answer) } else { None };
        now.or(self.proposed.as_ref()).map(|answer| words(answer, &self.question))
    }

    /// Who answers, as clients are told: `human`, a consultant's name, `nobody`, `rule 1`, or nothing while that is not
    /// decided.
    fn route_of(&self, phase: &Phase) -> String {
        match phase {
            Phase::Routing => String::new(),
            Phase::Ignored => "nobody".to_owned(),
            Phase::Consulting(_) => self.turns.last().map(|turn| turn.with.clone()).unwrap_or_default(),
            Phase::Escalated { .. } => "human".to_owned(),
            Phase::Proposed(decision) | Phase::Delivering(decision, _) => match &decision.by {
                AnsweredBy::Person => "human".to_owned(),
                AnsweredBy::Rule(_) => decision.by.to_string(),
                AnsweredBy::Consultant(name) => name.clone(),
            },
            Phase::Settled(settled) => self.route_of(&settled.before),
        }
    }

    pub fn info(&self) -> QuestionInfo {
        let seconds = |ms: u64| ms as f64 / 1000.0;
        // What was only proposed is not what a person chose in its place.
        let stands = match &self.phase {
            Phase::Proposed(_) | Phase::Delivering(..) => true,
            Phase::Settled(settled) => settled.answered,
            Phase::Routing | Phase::Ignored | Phase::Consulting(_) | Phase::Escalated { .. } => false,
        };
        let given = self.decision().filter(|_| stands);
        QuestionInfo {
            id: self.id.clone(),
            agent: self.agent_name.clone(),
            kind: self.question.kind,
            prompt: self.question.prompt.clone(),
            options: self.question.options.iter().map(|choice| choice.label.clone()).collect(),
            selected: self.question.selected,
            multi: self.question.multi,
            asked_at: seconds(self.asked_unix_ms),
            deadline_at: self.deadline_unix_ms().filter(|_| !self.settled()).map(seconds),
            status: self.status(),
            route: self.route_of(&self.phase),
            sources: self.sources.iter().map(|source| source.name().to_owned()).collect(),
            trust: self.trust,
            choices: self.question.options.clone(),
            subject: self.question.subject.clone(),
            partial: self.question.partial,
            note: self.told(),
            answer: given.map(|decision| words(&decision.answer, &self.question)),
        }
    }

    /// What a person is told beside it: why an answer is proposed, else why it is theirs; and what the channels
    /// contradict each other in.
    fn told(&self) -> Option<String> {
        let proposed = match &self.phase {
            Phase::Proposed(decision) => decision.reason.as_ref(),
            _ => None,
        };
        let told: Vec<&str> = [proposed.or(self.note.as_ref()), self.conflict.as_ref()]
            .into_iter()
            .flatten()
            .map(String::as_str)
            .collect();
        (!told.is_empty()).then(|| told.join("; "))
    }

    pub fn status(&self) -> Status {
        self.phase.status()
    }
}

/// An answer in words: labels, or the text.
pub fn words(answer: &Answer, question: &Question) -> String {
    match answer {
        Answer::Rows(rows) => {
            let label = |row: &usize| question.options.get(*row).map(|choice| choice.label.as_str());
            rows.iter().filter_map(label).collect::<Vec<_>>().join(", ")
        }
        Answer::Text(text) => text.clone(),
        Answer::Reject => "(declined)".to_owned(),
    }
}
