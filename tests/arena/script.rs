//! What happens in an arena, as values: which agents ask what, what each question's right answer is, how its
//! consultant behaves, and what comes in between.
//!
//! `mix.rs` makes them. Written to files before anything starts; the fake agents and consultants read them there.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// How an agent draws and asks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Look {
    /// As the scripted agents of the demonstration.
    Demo,
    /// With the words and forms that the profile of Claude Code goes by.
    Claude,
    /// Lines, with prompts at the cursor.
    Shell,
}

impl Look {
    pub fn profile(self) -> &'static str {
        match self {
            Look::Demo => "demo",
            Look::Claude => "claude",
            Look::Shell => "generic",
        }
    }
}

/// One page of a dialog.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Page {
    pub prompt: String,
    pub rows: Vec<(String, String)>,
    pub multi: bool,
    /// It has a row for words of one's own.
    pub words: bool,
}

/// What an agent asks with.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub enum Asked {
    /// Several pages: a form, with a review at its end.
    Pages(Vec<Page>),
    Permission {
        subject: String,
    },
    /// A plan or a folder's trust: the words, the rows, and a text above both.
    Approval {
        prompt: String,
        rows: Vec<String>,
        body: String,
    },
    /// To be answered behind a prompt or in the input line.
    Words {
        words: String,
    },
}

/// Traps of the dialog.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub struct Traps {
    pub lost_ms: u64,
    pub stale_batch: bool,
}

/// One question of an agent's life.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Round {
    pub work_ms: u64,
    pub asked: Asked,
    pub traps: Traps,
    /// After so long another dialog stands in its place that looks like it.
    pub swap: Option<(u64, Asked)>,
}

/// What is right for one page or permission, known by its words.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Wanted {
    /// Labels, or the one text.
    pub advised: Vec<String>,
    /// What the person answers if it comes to them.
    pub decided: Vec<String>,
    /// The advised answer is words of one's own.
    pub words: bool,
    /// The answer is a set of ticks.
    pub multi: bool,
    /// Every answer is typed behind the question, also the one of several that are offered.
    pub typed: bool,
    pub manner: Manner,
    pub delay_ms: u64,
}

/// How a consultant behaves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Manner {
    Number,
    Label,
    /// The label with typographic quotes, dashes and blanks.
    Curly,
    /// The object stands behind prose with other objects in it.
    Prose,
    /// Nonsense first; when asked again, the answer.
    SecondTry,
    /// The answer, and instructions to do something else.
    Talked,
    /// Only such instructions.
    Injected,
    /// A label that was not offered.
    WrongLabel,
    Empty,
    /// Killed in the middle of its answer.
    Dead,
    /// Never answers, and leaves children behind.
    Never,
    /// Nobody consults about it: a rule answers, or a person.
    None,
}

impl Manner {
    /// Whether the advised answer is to be had from it.
    pub fn answers(self) -> bool {
        match self {
            Manner::Number
            | Manner::Label
            | Manner::Curly
            | Manner::Prose
            | Manner::SecondTry
            | Manner::Talked => true,
            Manner::Injected
            | Manner::WrongLabel
            | Manner::Empty
            | Manner::Dead
            | Manner::Never
            | Manner::None => false,
        }
    }
}

/// What comes in between while a round is played.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Trouble {
    None,
    /// Keys that commit nothing, so long after the answer is due; negative: before.
    Typing {
        around_ms: i64,
        keys: u64,
    },
    /// The person answers in the pane, so long after the dialog was drawn.
    ByHand {
        after_ms: u64,
    },
    Resize {
        after_ms: u64,
        cols: u16,
        rows: u16,
        for_ms: u64,
    },
}

/// What an agent is told of all this.
#[derive(Debug, Serialize, Deserialize)]
pub struct Part {
    pub look: Look,
    pub rounds: Vec<Round>,
}

#[derive(Debug, Clone)]
pub struct Life {
    pub name: String,
    pub look: Look,
    /// It asks the consultant in the pane, not the one that is a command.
    pub pane: bool,
    pub rounds: Vec<Round>,
    pub troubles: Vec<Trouble>,
}

#[derive(Debug, Clone)]
pub struct Script {
    /// From the asking to the answer being in the dialog.
    pub deadline_secs: u64,
    pub agents: Vec<Life>,
    /// By page, or by what a permission is for.
    pub wanted: BTreeMap<String, Wanted>,
}
