//! Everything the dashboard knows: agents with their pictures, questions, focus, layout, what is open.
//!
//! `update.rs` changes it, `view/` draws it; both are pure, so every screen is a function of this value.
//! What has the keyboard is in `mode.rs`, an agent in `agent.rs`, where they are shown in `panes.rs`, who has the focus in
//! `focus.rs`.

use std::collections::{BTreeMap, BTreeSet};

use crate::core::clipboard::Clipboard;
use crate::core::keymap::{Action, Keymap};
use crate::core::layout::{Border, Layout, Shape};
use crate::core::question::State as AgentState;
use crate::wire::message::{ClientMessage, NextPane, Pane, QuestionInfo, Request, Status};

use super::agent::Agent;
use super::form::Form;
use super::held_keys::HeldKeys;
use super::links::Links;
use super::look::Look;
use super::mode::{Help, Mode};
use super::note::Note;
use super::outcome::ShutDown;
use super::scroll::Scroll;
use super::selection::Selection;
use super::story::Story;

/// Names of agents and ids of questions that the server of now has not told of yet.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Returning {
    pub agents: BTreeSet<String>,
    pub questions: BTreeSet<String>,
}

/// Answers in a person's own words.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct AnswerWords {
    /// Those of the question last answered from here.
    pub given: Option<String>,
    /// What was typed and not given yet, by the question.
    pub drafts: BTreeMap<String, Draft>,
    /// What was being typed when its question was over, by the agent: for the next one it asks.
    pub left: BTreeMap<String, String>,
}

/// An answer that is being written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Draft {
    /// Who asks.
    pub agent: String,
    pub words: String,
}

/// Whom the configuration of this folder would start, as far as one who sees nobody has to be told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Team {
    /// Nothing was written yet.
    #[default]
    NoFile,
    /// There is a file of this folder that is not followed.
    LeftOut,
    /// There is one, and it names nobody.
    Nobody,
    Agents,
}

/// What one is told who sees nobody.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct FirstScreen {
    /// There has been an agent.
    pub had_agents: bool,
    pub team: Team,
}

/// An answer on its way.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Given {
    pub question: String,
    pub given_ms: u64,
    /// Until then nothing is typed into its agent's pane.
    pub until_ms: u64,
    /// Nothing was heard of it yet.
    pub open: bool,
}

/// The first digit of an agent's number, and when it was typed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FirstDigit {
    pub digit: usize,
    pub typed_ms: u64,
    /// Who had the focus then, and who before: where one stays if nobody has the whole number.
    pub focus: Option<String>,
    pub recent: Vec<String>,
}

/// What a reply belongs to.
#[derive(Debug, Clone, PartialEq)]
pub enum Purpose {
    /// Only a refusal is of interest; the words say what was tried.
    Act(String),
    /// An answer to this question was given; where it is refused, the question is opened again.
    Answer {
        id: String,
        what: String,
    },
    /// An agent is to be started from this.
    Start(Box<Form>),
    /// One of the configuration.
    StartAgain(String),
    /// One that is only known to the server, if to it.
    StartAsBefore(String),
    History(String),
    /// Everything that was, is known once this is answered.
    Synced,
    /// This agent stands still or goes on, for whoever follows the story.
    Pace(String),
}

#[derive(Debug, Clone, PartialEq)]
pub struct State {
    /// By number.
    pub agents: Vec<Agent>,
    pub first_screen: FirstScreen,
    /// What those were to be started from that were described here and could not be.
    pub forms: BTreeMap<String, Box<Form>>,
    /// The links on the agents' screens.
    pub links: Links,
    /// Open questions in the order they were asked.
    pub questions: Vec<QuestionInfo>,
    pub focus: Option<String>,
    /// Who had it before, the latest last.
    pub recent: Vec<String>,
    /// The person has put it there; until then it is on the first worker.
    pub focus_chosen: bool,
    /// Gets the focus as soon as it is there: it was just started.
    pub awaited: Option<String>,
    /// The agents of a server just found are only being told of.
    pub syncing: bool,
    /// What it has not told of yet is shown as it was last known.
    pub returning: Returning,
    /// What was typed meanwhile.
    pub held_keys: HeldKeys,
    /// The server has been asked and has said nothing since.
    pub silent_since_ms: Option<u64>,
    /// The server has said that it ends: nothing of it goes on.
    pub ended: bool,
    pub keyboard: Keyboard,
    /// The outer terminal has the person's attention, as far as it says.
    pub looking: bool,
    /// Who was last ended from here, and who was let go with that.
    pub shut_down: ShutDown,
    /// What is told beside what happens.
    pub story: Option<Story>,
    /// Who comes to need the person takes the focus.
    pub asker_to_front: bool,
    /// When they last did something here.
    pub acted_ms: Option<u64>,
    pub layouts: Vec<Layout>,
    pub layout: usize,
    pub zoomed: bool,
    /// Agents without a pane, by the person's wish.
    pub hidden: BTreeSet<String>,
    /// The one that the last chord has hidden, if nothing was done since.
    pub just_hidden: Option<String>,
    /// Names in the order of their panes, where the person has swapped some.
    pub order: Vec<String>,
    /// The arrangement shown, with what was dragged.
    pub shape: Shape,
    pub size: (u16, u16),
    pub mode: Mode,
    pub keymap: Keymap,
    pub prefix: Prefix,
    /// Of an agent's number, where another may follow.
    pub first_digit: Option<FirstDigit>,
    /// An Escape before this is meant for what was just said or closed.
    pub esc_until_ms: u64,
    pub broadcast: Broadcast,
    pub note: Option<Note>,
    /// What agents may put on the clipboard, and what the last of them wants there: its name, and base64.
    pub clipboard: Clipboard,
    pub offered: Option<(String, String)>,
    pub connected: bool,
    pub project: String,
    pub look: Look,
    /// Unix time.
    pub now_ms: u64,
    pub pressed: Pressed,
    /// What is being selected with the mouse.
    pub selection: Option<Selection>,
    /// What the server was last told to show us, and when it is told the next time.
    pub watched: Vec<Pane>,
    pub watch_due_ms: Option<u64>,
    /// How large the server was last told that a new agent would be shown.
    pub next_pane: Option<NextPane>,
    pub pending: BTreeMap<u64, Purpose>,
    /// The last new agent that could not be started, as it was typed.
    pub draft: Option<Box<Form>>,
    /// The question last answered from here, and whether a key was typed for something else since.
    pub given: Option<String>,
    pub words: AnswerWords,
    pub typed_since: bool,
    /// Agents that were just answered from here.
    pub answering: BTreeMap<String, Given>,
    /// Names a new agent's profile may have.
    pub profiles: Vec<String>,
    /// Who of the configuration answers questions, and all its agents: each may be a new agent's consultant.
    pub consultants: Vec<String>,
    pub configured: Vec<String>,
    last_id: u64,
}

/// The prefix was typed, and its key is waited for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Prefix {
    pub pending: bool,
    /// Of the keys that are shown meanwhile, where they take several.
    pub page: usize,
    /// Until then a key that gives a pane another size wants no prefix.
    pub repeat_until_ms: u64,
}

/// What is typed goes to every pane shown.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Broadcast {
    pub on: bool,
    /// Whoever was shown when it began.
    pub shown: Vec<String>,
}

/// What the mouse's button does that is down.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Pressed {
    /// Nothing of ours, or none is.
    Nothing,
    Border(Border),
    /// It gave a pane the focus.
    Focus,
}

/// Whom what is typed is meant for.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Keyboard {
    /// What is typed before this was meant for something that is gone.
    pub hold_until_ms: u64,
    /// What the person typed for has gone by itself: keys go to no agent until they say that they have seen it.
    pub adrift: bool,
    /// When a key of theirs was last passed on to an agent.
    pub passed_ms: Option<u64>,
}

impl State {
    pub fn new(keymap: Keymap, layouts: Vec<Layout>, layout: usize, project: String) -> State {
        State {
            agents: Vec::new(),
            first_screen: FirstScreen::default(),
            forms: BTreeMap::new(),
            links: Links::default(),
            questions: Vec::new(),
            focus: None,
            recent: Vec::new(),
            focus_chosen: false,
            awaited: None,
            syncing: false,
            returning: Returning::default(),
            held_keys: HeldKeys::default(),
            silent_since_ms: None,
            ended: false,
            keyboard: Keyboard::default(),
            looking: true,
            asker_to_front: false,
            acted_ms: None,
            shut_down: ShutDown::default(),
            story: None,
            layouts,
            layout,
            zoomed: false,
            hidden: BTreeSet::new(),
            just_hidden: None,
            order: Vec::new(),
            shape: Shape::default(),
            size: (0, 0),
            mode: Mode::Panes,
            keymap,
            prefix: Prefix::default(),
            first_digit: None,
            esc_until_ms: 0,
            broadcast: Broadcast::default(),
            note: None,
            clipboard: Clipboard::default(),
            offered: None,
            connected: true,
            project,
            look: Look::default(),
            now_ms: 0,
            pressed: Pressed::Nothing,
            selection: None,
            watched: Vec::new(),
            watch_due_ms: None,
            next_pane: None,
            pending: BTreeMap::new(),
            draft: None,
            given: None,
            words: AnswerWords::default(),
            typed_since: false,
            answering: BTreeMap::new(),
            profiles: Vec::new(),
            consultants: Vec::new(),
            configured: Vec::new(),
            last_id: 0,
        }
    }

    pub fn agent(&self, name: &str) -> Option<&Agent> {
        self.agents.iter().find(|agent| agent.info.name == name)
    }

    pub fn agent_mut(&mut self, name: &str) -> Option<&mut Agent> {
        self.agents.iter_mut().find(|agent| agent.info.name == name)
    }

    pub fn focused(&self) -> Option<&Agent> {
        self.agent(self.focus.as_deref()?)
    }

    pub fn question(&self, id: &str) -> Option<&QuestionInfo> {
        self.questions.iter().find(|question| question.id == id)
    }

    pub fn question_of(&self, agent: &str) -> Option<&QuestionInfo> {
        self.questions.iter().find(|question| question.agent == agent)
    }

    /// The question the drawer is open on.
    pub fn in_drawer(&self) -> Option<&QuestionInfo> {
        match &self.mode {
            Mode::Drawer(drawer) => self.question(drawer.id.as_deref()?),
            _ => None,
        }
    }

    /// What is scrolled, also behind the help.
    pub fn scrolled(&self) -> Option<&Scroll> {
        match &self.mode {
            Mode::Scroll(scroll) | Mode::Help(Help { scroll: Some(scroll), .. }) => Some(scroll),
            _ => None,
        }
    }

    /// Questions that wait for the person in front of this screen.
    pub fn needing_person(&self) -> impl Iterator<Item = &QuestionInfo> {
        self.questions.iter().filter(|question| needs_person(question) && !self.just_answered(question))
    }

    /// The one to answer next: the focused agent's, else the oldest. The list begins with the oldest, too.
    pub fn next_needed(&self) -> Option<&QuestionInfo> {
        let of_focus = self.needing_person().find(|question| Some(&question.agent) == self.focus.as_ref());
        of_focus.or_else(|| self.needing_person().next())
    }

    pub fn count(&self, state: AgentState) -> usize {
        self.agents.iter().filter(|agent| agent.info.state == state && !agent.failed()).count()
    }

    /// A key with the prefix before it, as hints show it.
    pub fn chord(&self, action: Action) -> String {
        self.keymap.chord(action)
    }

    /// A request with its number; the reply finds its purpose by that.
    pub fn request(&mut self, request: Request, purpose: Option<Purpose>) -> ClientMessage {
        self.last_id += 1;
        if let Some(purpose) = purpose {
            self.pending.insert(self.last_id, purpose);
        }
        ClientMessage { id: self.last_id, request }
    }

    /// The number of a request that is made outside.
    pub fn promise(&mut self, purpose: Purpose) -> u64 {
        self.last_id += 1;
        self.pending.insert(self.last_id, purpose);
        self.last_id
    }
}

/// Whether it waits for the person in front of this screen.
pub fn needs_person(question: &QuestionInfo) -> bool {
    match question.status {
        Status::Escalated | Status::Proposed => true,
        Status::Open => question.route == "human",
        Status::Consulting | Status::Answering | Status::Answered | Status::Withdrawn => false,
    }
}
