//! How far a question has come: one value, from which everything that is told of it follows.
//!
//! Data and what follows from it; `server/question` moves it on.

use std::collections::VecDeque;
use std::fmt;

use crate::core::consult::chain::Link;
use crate::core::deliver::Proof;
use crate::core::log::log_entry::Outcome;
use crate::core::question::{Answer, Question};
use crate::server::remembered::{OpenQuestion, Suggestion};
use crate::wire::message::Status;

/// The life of a question.
#[derive(Debug, Clone)]
pub enum Phase {
    /// Just seen. Lasts no longer than the event that brought it.
    Routing,
    /// A rule says that nobody is to answer it.
    Ignored,
    /// A consultant has it; the last of the question's turns says which.
    Consulting(Turn),
    /// A consultant has answered, and a person has the last word.
    Proposed(Decision),
    /// An answer is decided on, and on its way.
    Delivering(Decision, Lane),
    /// A person is needed.
    Escalated {
        /// What had been decided on before, and did not go in.
        was: Option<Decision>,
    },
    Settled(Box<Settled>),
}

/// The end of a question.
#[derive(Debug, Clone)]
pub struct Settled {
    /// What it was before: shown until the end is on the disk, since a crash could make the end forgotten.
    pub before: Phase,
    pub answered: bool,
    /// Its entry is on the disk, or cannot be written and holds nobody up.
    pub logged: bool,
}

/// The consultants' time with a question.
#[derive(Debug, Clone)]
pub struct Turn {
    /// Consultants still to be asked, in order.
    pub chain: VecDeque<Link>,
    /// What all of them together had when the first was asked.
    pub span_ms: u64,
    /// When the time of the one who is asked is over; `None`: nobody is asked at the moment.
    pub until_ms: Option<u64>,
    /// The last reply could not be used, and why; it was asked once more.
    pub again: Option<String>,
    /// A command is running for it.
    pub running: bool,
}

/// The answer that was decided on, and by whom.
#[derive(Debug, Clone)]
pub struct Decision {
    pub answer: Answer,
    pub by: AnsweredBy,
    pub reason: Option<String>,
}

/// What a consultant had suggested for this question under the server before, if it is among what can be chosen.
pub fn suggested(open: &OpenQuestion, question: &Question) -> Option<Decision> {
    let Suggestion { by, answer, reason } = open.suggested.clone()?;
    let offered = match &answer {
        Answer::Rows(rows) => rows.iter().all(|row| *row < question.options.len()),
        Answer::Text(_) | Answer::Reject => true,
    };
    offered.then_some(Decision { answer, by: AnsweredBy::Consultant(by), reason })
}

/// Who decided on an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AnsweredBy {
    Person,
    /// Its place among the rules.
    Rule(String),
    /// Its name.
    Consultant(String),
}

impl fmt::Display for AnsweredBy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            AnsweredBy::Person => f.write_str("person"),
            AnsweredBy::Rule(rule) => write!(f, "rule {rule}"),
            AnsweredBy::Consultant(name) => write!(f, "consultant {name}"),
        }
    }
}

/// Which way an answer takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lane {
    /// None yet.
    Held(HoldReason),
    /// Typed into the dialog by the agent's session.
    Keys,
    /// Given to the program's hook; nothing is ever typed for it.
    Hook,
    /// Told to whoever put the question in words.
    Reply,
}

/// Why an answer that was decided on is not on its way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HoldReason {
    /// The agent stands still; it is typed once it goes on and shows the dialog again.
    Paused,
    /// Its dialog was not on the screen at the last look, which may have met it half drawn: it is typed once it is seen.
    Unseen,
    /// Another channel contradicts the screen; it is typed once they agree.
    Conflict,
    /// The disk has not said yet whether there is room for its entry in the log, and whether the file lies where its path says.
    Disk,
    /// Its hook may still speak, until then.
    HookLate { until_ms: u64 },
    /// The hook takes the answers to all questions of its form together.
    Form,
    /// Somebody else has answered the form: it goes with that.
    FormAnswered,
}

/// How far the log is ready for a question's entry.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Reserve {
    #[default]
    None,
    Asked {
        until_ms: u64,
    },
    Done,
}

/// How a question ended.
#[derive(Debug, Clone)]
pub struct End {
    pub outcome: Outcome,
    pub note: Option<String>,
    /// `None`: nobody.
    pub by: Option<AnsweredBy>,
    pub keys: Vec<String>,
    pub proof: Option<Proof>,
}

impl End {
    /// Nothing was typed, and nothing is shown.
    pub fn new(outcome: Outcome, note: Option<String>, by: Option<AnsweredBy>) -> End {
        End { outcome, note, by, keys: Vec::new(), proof: None }
    }
}

impl Phase {
    pub fn settled(&self) -> bool {
        matches!(self, Phase::Settled(_))
    }

    /// The answer that was decided on last, whatever became of it.
    pub fn decision(&self) -> Option<&Decision> {
        match self {
            Phase::Routing | Phase::Ignored | Phase::Consulting(_) => None,
            Phase::Proposed(decision) | Phase::Delivering(decision, _) => Some(decision),
            Phase::Escalated { was } => was.as_ref(),
            Phase::Settled(settled) => settled.before.decision(),
        }
    }

    pub fn lane(&self) -> Option<Lane> {
        match self {
            Phase::Delivering(_, lane) => Some(*lane),
            Phase::Settled(settled) => settled.before.lane(),
            Phase::Routing | Phase::Ignored | Phase::Consulting(_) => None,
            Phase::Proposed(_) | Phase::Escalated { .. } => None,
        }
    }

    pub fn held(&self, reason: HoldReason) -> bool {
        matches!(self, Phase::Delivering(_, Lane::Held(why)) if *why == reason)
    }

    /// What clients are told.
    pub fn status(&self) -> Status {
        match self {
            Phase::Routing | Phase::Ignored => Status::Open,
            Phase::Consulting(_) => Status::Consulting,
            Phase::Proposed(_) => Status::Proposed,
            Phase::Delivering(..) => Status::Answering,
            Phase::Escalated { .. } => Status::Escalated,
            Phase::Settled(settled) if !settled.logged => settled.before.status(),
            Phase::Settled(settled) if settled.answered => Status::Answered,
            Phase::Settled(_) => Status::Withdrawn,
        }
    }
}
