//! Everything the dashboard knows: agents with their pictures, questions, focus, layout, what is open.
//!
//! `update.rs` changes it, `view/` draws it; both are pure, so every screen is a function of this value.

use std::collections::BTreeMap;

use crate::core::agent::{AgentInfo, Duty};
use crate::core::layout::{Area, Border, Layout, Shape};
use crate::core::question::State as AgentState;
use crate::core::terminal::grid::{Grid, Size};
use crate::core::terminal::keys::KeyPress;
use crate::core::terminal::modes::Modes;
use crate::wire::message::{ClientMessage, Pane, QuestionInfo, Request, Status};

use super::edit::Edit;
use super::scroll::Scroll;
use super::window;

/// Narrower than this there is no room for a list beside the panes.
const MIN_COLS_FOR_LIST: u16 = 76;
/// The list shows a name, a state and a time; more width would be taken from the agents.
const LIST_COLS: (u16, u16) = (28, 34);

/// One agent as this client sees it.
#[derive(Debug, Clone, PartialEq)]
pub struct Agent {
    pub info: AgentInfo,
    pub grid: Grid,
    pub modes: Modes,
    /// It rang since it was last in focus.
    pub rang: bool,
}

/// A question before something that cannot be undone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Sure {
    Stop(String),
    /// Stops every agent and the server.
    Down,
}

/// The questions drawer.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Drawer {
    /// The question shown. By id, so that a key pressed for one never answers another.
    pub id: Option<String>,
    pub row: usize,
    pub ticks: Vec<usize>,
    /// The answer in words, while it is typed.
    pub edit: Option<Edit>,
}

/// What has the keyboard.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum Mode {
    /// The focused agent.
    #[default]
    Panes,
    Help {
        top: u16,
    },
    Palette {
        edit: Edit,
        selected: usize,
    },
    Create {
        edit: Edit,
    },
    Sure(Sure),
    Drawer(Drawer),
    Scroll(Box<Scroll>),
}

/// A line of news at the bottom.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Note {
    pub text: String,
    pub until_ms: u64,
}

/// What a reply belongs to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Purpose {
    /// Only a refusal is of interest; the words say what was tried.
    Act(String),
    History(String),
}

/// Where the parts of the screen are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Regions {
    pub list: Area,
    pub panes: Area,
    pub status: Area,
}

#[derive(Debug, Clone, PartialEq)]
pub struct State {
    pub agents: Vec<Agent>,
    /// Open questions in the order they were asked.
    pub questions: Vec<QuestionInfo>,
    pub focus: Option<String>,
    /// The person has put it there; until then it is on the first worker.
    pub focus_chosen: bool,
    /// Gets the focus as soon as it is there: just started, or here before the connection was lost.
    pub awaited: Option<String>,
    pub layouts: Vec<Layout>,
    pub layout: usize,
    pub zoomed: bool,
    /// The arrangement shown, with what was dragged.
    pub shape: Shape,
    pub size: (u16, u16),
    pub mode: Mode,
    pub prefix: KeyPress,
    pub prefix_pending: bool,
    pub broadcast: bool,
    pub note: Option<Note>,
    pub connected: bool,
    pub project: String,
    /// Unix time.
    pub now_ms: u64,
    pub drag: Option<Border>,
    /// What the server was last told to show us, and when it is told the next time.
    pub watched: Vec<Pane>,
    pub watch_due_ms: Option<u64>,
    pub pending: BTreeMap<u64, Purpose>,
    last_id: u64,
}

impl State {
    pub fn new(prefix: KeyPress, layouts: Vec<Layout>, layout: usize, project: String) -> State {
        State {
            agents: Vec::new(),
            questions: Vec::new(),
            focus: None,
            focus_chosen: false,
            awaited: None,
            layouts,
            layout,
            zoomed: false,
            shape: Shape::default(),
            size: (0, 0),
            mode: Mode::Panes,
            prefix,
            prefix_pending: false,
            broadcast: false,
            note: None,
            connected: true,
            project,
            now_ms: 0,
            drag: None,
            watched: Vec::new(),
            watch_due_ms: None,
            pending: BTreeMap::new(),
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

    /// Questions that wait for the person in front of this screen.
    pub fn needing_person(&self) -> impl Iterator<Item = &QuestionInfo> {
        self.questions.iter().filter(|question| match question.status {
            Status::Escalated | Status::Proposed => true,
            Status::Open => question.route == "human",
            Status::Consulting | Status::Answering | Status::Answered | Status::Withdrawn => false,
        })
    }

    pub fn count(&self, state: AgentState) -> usize {
        self.agents.iter().filter(|agent| agent.info.state == state).count()
    }

    /// What the terminal's title says.
    pub fn outer_title(&self) -> String {
        let needed = self.needing_person().count();
        let asking = self.count(AgentState::Asking);
        let mut title = match needed {
            0 => "counsel".to_owned(),
            1 => "(!) counsel: 1 question for you".to_owned(),
            n => format!("(!) counsel: {n} questions for you"),
        };
        title.push_str(&format!(
            ", {} agents, {} working",
            self.agents.len(),
            self.count(AgentState::Working)
        ));
        if asking > 0 {
            title.push_str(&format!(", {asking} asking"));
        }
        title
    }

    pub fn regions(&self) -> Regions {
        let (cols, rows) = self.size;
        let status_rows = u16::from(rows >= 2);
        let body = rows - status_rows;
        let wide = cols >= MIN_COLS_FOR_LIST && !self.zoomed;
        let list = if wide { (cols / 5).clamp(LIST_COLS.0, LIST_COLS.1) } else { 0 };
        Regions {
            list: Area::new(0, 0, list, body),
            panes: Area::new(list, 0, cols - list, body),
            status: Area::new(0, body, cols, status_rows),
        }
    }

    /// Agents that the layout shows, in its order.
    pub fn members(&self) -> Vec<usize> {
        let wanted = self.layouts.get(self.layout).map(|layout| layout.agents.as_slice()).unwrap_or_default();
        let index = |name: &String| self.agents.iter().position(|agent| agent.info.name == *name);
        let chosen: Vec<usize> = wanted.iter().filter_map(index).collect();
        if chosen.is_empty() { (0..self.agents.len()).collect() } else { chosen }
    }

    /// The agents on the screen now: the page of the layout that holds the focus.
    pub fn page(&self) -> Vec<usize> {
        let members = self.members();
        let focus = self.focus.as_deref();
        let at = members.iter().position(|i| Some(self.agents[*i].info.name.as_str()) == focus);
        if self.zoomed || at.is_none() && !members.is_empty() && focus.is_some() {
            let index = self.agents.iter().position(|agent| Some(agent.info.name.as_str()) == focus);
            return index.into_iter().collect();
        }
        let Some(layout) = self.layouts.get(self.layout) else { return Vec::new() };
        let capacity = Shape::capacity(layout.kind, self.regions().panes).max(1);
        let start = at.unwrap_or(0) / capacity * capacity;
        members.into_iter().skip(start).take(capacity).collect()
    }

    /// Brings the arrangement up to date; what was dragged stays while the panes stay.
    pub fn arrange(&mut self) {
        if self.focused().is_none() || !self.focus_chosen {
            let worker = self.agents.iter().find(|agent| agent.info.role == Duty::Worker);
            self.focus = worker.or(self.agents.first()).map(|agent| agent.info.name.clone());
        }
        let consultants: Vec<bool> =
            self.page().iter().map(|i| self.agents[*i].info.role == Duty::Consultant).collect();
        let Some(layout) = self.layouts.get(self.layout) else { return };
        let shape = Shape::of(layout, &consultants, self.regions().panes);
        if !shape.same_panes(&self.shape) {
            self.shape = shape;
        }
    }

    /// The panes on the screen: whose, and where.
    pub fn panes(&self) -> Vec<(&Agent, Area)> {
        let page = self.page();
        let area = self.regions().panes;
        let places = self.shape.areas(area);
        places.into_iter().filter_map(|(i, area)| Some((self.agents.get(*page.get(i)?)?, area))).collect()
    }

    /// What the server shall show us, with the room each has.
    pub fn wanted_panes(&self) -> Vec<Pane> {
        let pane = |(agent, area): (&Agent, Area)| {
            let inner = area.inner();
            let fits = inner.cols >= Size::MIN.cols && inner.rows >= Size::MIN.rows;
            Pane { name: agent.info.name.clone(), size: fits.then_some(window::size_for(inner)) }
        };
        self.panes().into_iter().map(pane).collect()
    }

    /// Agents that typed keys go to.
    pub fn targets(&self) -> Vec<String> {
        let name = |agent: &Agent| agent.info.name.clone();
        if !self.broadcast {
            return self.focused().map(name).into_iter().collect();
        }
        let takes = |agent: &&Agent| {
            agent.info.role == Duty::Worker
                && !matches!(agent.info.state, AgentState::Exited | AgentState::Paused)
        };
        self.panes().into_iter().map(|(agent, _)| agent).filter(takes).map(name).collect()
    }

    /// A request with its number; the reply finds its purpose by that.
    pub fn request(&mut self, request: Request, purpose: Option<Purpose>) -> ClientMessage {
        self.last_id += 1;
        if let Some(purpose) = purpose {
            self.pending.insert(self.last_id, purpose);
        }
        ClientMessage { id: self.last_id, request }
    }

    pub fn say(&mut self, text: impl Into<String>) {
        self.note = Some(Note { text: text.into(), until_ms: self.now_ms + NOTE_MS });
    }
}

/// Long enough to read a line.
const NOTE_MS: u64 = 5_000;
