//! What an agent's hooks have told so far, and which of them wait for an answer.
//!
//! Data, and what can be read off it; `server/hooks` alone changes it.

use std::collections::{BTreeMap, VecDeque};

use serde_json::Value;

use crate::core::deliver::Proof;
use crate::core::hook::{Asked, Meant};
use crate::core::question::{Answer, Kind, Question};
use crate::server::hub::table::Table;
use crate::session::message::{AgentKey, AskKey};

pub type HookStates = Table<AgentKey, HookState>;

/// The screen shows a question half a second after its hook at the latest. One that it does not show by then is
/// known by its hook alone.
pub const ALONE_MS: u64 = 1_500;
/// The longest a hook is held. The program itself gives up after an hour, and must not be the first to.
pub const HOLD_MS: u64 = 55 * 60_000;
/// A program that was given its answer goes on within 150 ms; one that has not by then did not take it.
pub const TAKEN_MS: u64 = 10_000;

/// Files that are kept; an agent that is told to change more at once has them asked about one after the other.
pub const MOST_FILES: usize = 16;

#[derive(Debug, Default)]
pub struct HookState {
    /// Something has come: the program runs the hooks it was given.
    pub alive: bool,
    /// It tells of each dialog before it shows it: a menu of which it has told nothing is not its own.
    pub tells_all: bool,
    /// The form that is open, and what was typed in for each of its questions.
    pub form: Vec<Asked>,
    pub meant: Vec<Option<Meant>>,
    /// The question that was made of each of the form's.
    pub asks: Vec<Option<AskKey>>,
    /// What the agent says was answered: the form is over.
    pub recorded: Option<BTreeMap<String, String>>,
    /// The files of dialogs that were told of last, by their whole paths, and when: a program may tell of several calls at once.
    pub files: VecDeque<(u64, String)>,
    /// The last message of the turn that is over.
    pub message: Option<String>,
    /// What was submitted last, and when.
    pub prompted: Option<(u64, String)>,
    pub confirm: Option<Confirm>,
    pub waiting: Option<Waiting>,
    pub sent: Option<Sent>,
}

/// An answer that went in by keys; what the agent recorded is still to come.
#[derive(Debug)]
pub struct Confirm {
    pub ask: AskKey,
    pub keys: Vec<String>,
    pub proof: Proof,
    pub until_ms: u64,
}

/// A program that waits for what its hook says; who is to be told stands among the replies owed.
#[derive(Debug)]
pub struct Waiting {
    pub what: What,
    pub since_ms: u64,
    /// `typed` of the agent when it began to wait.
    pub typed: u64,
}

#[derive(Debug)]
pub enum What {
    /// A form, as the program handed it over.
    Form(Value),
    /// Leave to run this command.
    Command(String),
}

/// Answers that a hook took along. Nothing is ever typed for these questions.
#[derive(Debug)]
pub struct Sent {
    pub asks: Vec<(AskKey, String)>,
    pub since_ms: u64,
    pub form: bool,
}

impl HookState {
    pub fn forget_form(&mut self) {
        self.form.clear();
        self.meant.clear();
        self.asks.clear();
        self.recorded = None;
    }

    /// The question of the open form that the screen shows. `Ok(None)`: no hook has told of any.
    pub fn shown(&self, screen: &Question) -> Result<Option<usize>, String> {
        if self.form.is_empty() || self.recorded.is_some() {
            return Ok(None);
        }
        let differs = || self.form.iter().rev().find_map(|asked| asked.shown_by(screen).err());
        let unclear = || "which question of its form the screen shows is out of view".to_owned();
        self.position(screen).map(Some).ok_or_else(|| differs().unwrap_or_else(unclear))
    }

    /// Which of the form's questions this one is. Without its words, rows that two of them have are those of neither.
    pub fn position(&self, screen: &Question) -> Option<usize> {
        let fits = |(at, asked): (usize, &Asked)| asked.shown_by(screen).is_ok().then_some(at);
        let mut fitting = self.form.iter().enumerate().filter_map(fits);
        fitting.next().filter(|_| !screen.prompt.is_empty() || fitting.next().is_none())
    }

    /// What was told of an open question of the form.
    pub fn told(&self, ask: AskKey) -> Option<&Asked> {
        self.form.get(self.at(ask)?).filter(|_| self.recorded.is_none())
    }

    /// The same, where its rows tell it from the others of its form.
    pub fn told_apart(&self, ask: AskKey) -> Option<&Asked> {
        let told = self.told(ask)?;
        let alike = self.form.iter().filter(|other| other.options == told.options);
        (alike.count() == 1).then_some(told)
    }

    pub fn at(&self, ask: AskKey) -> Option<usize> {
        self.asks.iter().position(|of| *of == Some(ask))
    }

    pub fn ask_at(&self, at: usize) -> Option<AskKey> {
        self.asks.get(at).copied().flatten()
    }

    /// What this answer says to the form's question at that place.
    pub fn meaning(&self, at: usize, question: &Question, answer: &Answer) -> Option<Meant> {
        self.form.get(at)?.meant(question, answer)
    }

    pub fn mean(&mut self, at: usize, meant: Option<Meant>) {
        if let Some(place) = self.meant.get_mut(at) {
            *place = meant;
        }
    }

    /// One of its ways to be answered is taken: by waiting, or by an answer under way.
    pub fn in_lane(&self) -> bool {
        self.waiting.is_some() || self.sent.is_some()
    }

    /// Another form of the same turn stands on the screen.
    pub fn busy(&self, screen: Option<&Question>) -> bool {
        let open = self.recorded.is_none() && screen.is_some_and(|seen| self.position(seen).is_some());
        self.in_lane() || open
    }

    pub fn took(&self, ask: AskKey) -> bool {
        self.sent.as_ref().is_some_and(|sent| sent.asks.iter().any(|(of, _)| *of == ask))
    }

    /// The question of a form was seen, on the screen or because its hook waits alone.
    pub fn met(&self) -> bool {
        self.asks.iter().any(Option::is_some)
    }

    /// Whether what was recorded is what was meant; `None` while that cannot be told.
    pub fn form_recorded(&self) -> Option<Result<String, String>> {
        let recorded = self.recorded.as_ref()?;
        let mut all = Vec::new();
        for (asked, meant) in self.form.iter().zip(&self.meant) {
            let Some(meant) = meant else { continue };
            let got = recorded.get(&asked.prompt).map_or("", String::as_str);
            if !meant.is(got) {
                return Some(Err(differs(got, &meant.words())));
            }
            all.push(got.to_owned());
        }
        (!all.is_empty()).then(|| Ok(all.join("; ")))
    }

    /// Which of the form's questions this answer was for and what it meant, and whether the agent reports what it
    /// recorded of it.
    pub fn reports(&self, question: &Question, answer: &Answer) -> (Option<(usize, Option<Meant>)>, bool) {
        match (question.kind, answer) {
            (_, Answer::Reject) => (None, false),
            (Kind::Menu | Kind::Multi, answer) => {
                let at = self.position(question);
                let meant = at.map(|at| (at, self.meaning(at, question, answer)));
                // A form of several, and one with ticks, is recorded after its last page.
                let alone = self.form.len() == 1 && question.kind == Kind::Menu;
                let reported = alone && matches!(meant, Some((_, Some(_))));
                (meant, reported)
            }
            (Kind::Review, _) => (None, self.meant.iter().any(Option::is_some)),
            (Kind::Text, Answer::Text(_)) => (None, true),
            _ => (None, false),
        }
    }

    /// `open`: a question of this agent is on its screen.
    pub fn wake(&self, open: bool) -> Option<u64> {
        let until = |waiting: &Waiting| {
            let alone = match waiting.what {
                What::Form(_) => !self.met() && !open,
                What::Command(_) => true,
            };
            waiting.since_ms + if alone { ALONE_MS } else { HOLD_MS }
        };
        let waiting = self.waiting.as_ref().map(until);
        let sent = self.sent.as_ref().map(|sent| sent.since_ms + TAKEN_MS);
        [waiting, sent, self.confirm.as_ref().map(|confirm| confirm.until_ms)].into_iter().flatten().min()
    }
}

/// Whether the dialog asks for this command, wherever the terminal broke its lines.
pub fn same_command(question: &Question, command: &str) -> bool {
    // Nothing else is folded: a quote of another form quotes nothing to a shell.
    let unbroken = |words: &str| words.split_whitespace().collect::<String>();
    let shown = question.subject.as_deref().filter(|_| question.origin.request.is_none());
    shown.is_some_and(|subject| unbroken(subject) == unbroken(command))
}

pub fn differs(got: &str, meant: &str) -> String {
    format!("the agent recorded {got:?} where {meant:?} was meant")
}
