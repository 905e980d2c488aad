//! Everything the dashboard knows: agents with their pictures, questions, focus, layout, what is open.
//!
//! `update.rs` changes it, `view/` draws it; both are pure, so every screen is a function of this value.
//! What the agents are is in `agents.rs`, where they are shown in `panes.rs`, who has the keyboard in `focus.rs`.

use std::collections::{BTreeMap, BTreeSet};

use crate::core::clipboard::Clipboard;
use crate::core::keymap::{Action, Keymap};
use crate::core::layout::{Border, Layout, Shape};
use crate::core::question::State as AgentState;
use crate::wire::message::{ClientMessage, Pane, QuestionInfo, Request, Status};
use crate::wire::stopped::Stopped;

use super::agents::{Agent, Failed};
use super::edit::Edit;
use super::form::Form;
use super::links::Links;
use super::log_view::LogView;
use super::look::Look;
use super::palette::Palette;
use super::scroll::Scroll;
use super::story::Story;

/// Names of agents and ids of questions that the server of now has not told of yet.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Returning {
    pub agents: BTreeSet<String>,
    pub questions: BTreeSet<String>,
}

/// A question before something that cannot be undone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Sure {
    Stop(String),
    /// Of one that runs.
    Restart(String),
    /// Stops every agent and the server.
    Down,
}

impl Sure {
    /// The agent it is about.
    pub fn name(&self) -> Option<&str> {
        match self {
            Sure::Stop(name) | Sure::Restart(name) => Some(name),
            Sure::Down => None,
        }
    }
}

/// The questions drawer.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Drawer {
    /// The question shown. By id, so that a key pressed for one never answers another.
    pub id: Option<String>,
    /// The highlighted option; one past the last is the line of proposed words. `None`: Enter gives nothing.
    pub row: Option<usize>,
    /// The person has moved the highlight: a proposal that comes later leaves it there.
    pub moved: bool,
    pub ticks: Vec<usize>,
    /// The first digit of a number that may have a second.
    pub typed: Option<u32>,
    /// The answer in words, while it is typed.
    pub edit: Option<Edit>,
    /// Consultants to choose from, and the highlighted one.
    pub others: Option<(Vec<String>, usize)>,
}

/// What has the keyboard.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum Mode {
    /// The focused agent.
    #[default]
    Panes,
    Help {
        page: usize,
    },
    Palette(Palette),
    Create(Box<Form>),
    Sure(Sure),
    Drawer(Drawer),
    Scroll(Box<Scroll>),
    Log(Box<LogView>),
}

/// A line of news at the bottom.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Note {
    pub text: String,
    pub until_ms: u64,
    /// Something did not happen that the person wanted: it stays until they press a key.
    pub stays: bool,
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
    /// The number of each agent that was ever seen: one that is started again keeps its own.
    pub numbers: BTreeMap<String, usize>,
    /// What was last said of an agent that is only being started.
    pub causes: BTreeMap<String, String>,
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
    /// The server has been asked and has said nothing since.
    pub silent_since_ms: Option<u64>,
    /// The server has said that it ends: nothing of it goes on.
    pub ended: bool,
    /// No agent had a number before.
    pub first_sync: bool,
    /// What is typed before this was meant for something that is gone.
    pub hold_until_ms: u64,
    /// The outer terminal has the person's attention, as far as it says.
    pub looking: bool,
    /// What was last ended from here.
    pub stopped: Vec<Stopped>,
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
    /// Names in the order of their panes, where the person has swapped some.
    pub order: Vec<String>,
    /// The arrangement shown, with what was dragged.
    pub shape: Shape,
    pub size: (u16, u16),
    pub mode: Mode,
    pub keymap: Keymap,
    pub prefix_pending: bool,
    pub broadcast: bool,
    pub note: Option<Note>,
    /// What agents may put on the clipboard, and what the last of them wants there: its name, and base64.
    pub clipboard: Clipboard,
    pub offered: Option<(String, String)>,
    pub connected: bool,
    pub project: String,
    pub look: Look,
    /// Unix time.
    pub now_ms: u64,
    pub drag: Option<Border>,
    /// What the server was last told to show us, and when it is told the next time.
    pub watched: Vec<Pane>,
    pub watch_due_ms: Option<u64>,
    pub pending: BTreeMap<u64, Purpose>,
    /// The last new agent that could not be started, as it was typed.
    pub draft: Option<Box<Form>>,
    /// The question last answered from here, and whether a key was typed for something else since.
    pub given: Option<String>,
    pub typed_since: bool,
    /// Names a new agent's profile may have.
    pub profiles: Vec<String>,
    last_id: u64,
}

impl State {
    pub fn new(keymap: Keymap, layouts: Vec<Layout>, layout: usize, project: String) -> State {
        State {
            agents: Vec::new(),
            numbers: BTreeMap::new(),
            causes: BTreeMap::new(),
            links: Links::default(),
            questions: Vec::new(),
            focus: None,
            recent: Vec::new(),
            focus_chosen: false,
            awaited: None,
            syncing: false,
            returning: Returning::default(),
            silent_since_ms: None,
            ended: false,
            first_sync: false,
            hold_until_ms: 0,
            looking: true,
            asker_to_front: false,
            acted_ms: None,
            stopped: Vec::new(),
            story: None,
            layouts,
            layout,
            zoomed: false,
            hidden: BTreeSet::new(),
            order: Vec::new(),
            shape: Shape::default(),
            size: (0, 0),
            mode: Mode::Panes,
            keymap,
            prefix_pending: false,
            broadcast: false,
            note: None,
            clipboard: Clipboard::default(),
            offered: None,
            connected: true,
            project,
            look: Look::default(),
            now_ms: 0,
            drag: None,
            watched: Vec::new(),
            watch_due_ms: None,
            pending: BTreeMap::new(),
            draft: None,
            given: None,
            typed_since: false,
            profiles: Vec::new(),
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

    /// Questions that wait for the person in front of this screen.
    pub fn needing_person(&self) -> impl Iterator<Item = &QuestionInfo> {
        self.questions.iter().filter(|question| needs_person(question))
    }

    /// The one to answer next: the focused agent's, else the oldest.
    pub fn next_needed(&self) -> Option<&QuestionInfo> {
        let of_focus = self.needing_person().find(|question| Some(&question.agent) == self.focus.as_ref());
        of_focus.or_else(|| self.needing_person().next())
    }

    pub fn count(&self, state: AgentState) -> usize {
        self.agents.iter().filter(|agent| agent.info.state == state && agent.failed.is_none()).count()
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

    pub fn say(&mut self, text: impl Into<String>) {
        self.note = Some(Note { text: text.into(), until_ms: self.now_ms + NOTE_MS, stays: false });
    }

    /// Says that something failed. Who looks elsewhere for a moment still finds it.
    pub fn warn(&mut self, text: impl Into<String>) {
        self.note = Some(Note { text: text.into(), until_ms: self.now_ms + NOTE_MS, stays: true });
    }

    /// Takes back a line that could be read; one that stays, only when the person presses a key.
    pub fn note_expires(&mut self, pressed: bool) {
        let read = |note: &Note| note.until_ms <= self.now_ms && (pressed || !note.stays);
        if self.note.as_ref().is_some_and(read) {
            self.note = None;
        }
    }

    /// An agent that was to be started from here, and why there is none.
    pub fn start_failed(&mut self, form: Box<Form>, cause: String) {
        let name = form.name();
        let failed = Failed { cause, form: Some(form.clone()) };
        self.draft = Some(form);
        self.keep_failed(&name, failed);
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

/// Long enough to read a line.
const NOTE_MS: u64 = 5_000;
