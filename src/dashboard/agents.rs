//! The agents as this client sees them: their numbers, who failed to start, what was not yet looked at.
//!
//! `update.rs` tells it of notices, the views list what it holds. An agent's number is its own for as long
//! as the dashboard is open, so that a digit never comes to mean another one. Pure.

use crate::core::agent::{AgentInfo, Duty, Host};
use crate::core::question::State as AgentState;
use crate::core::terminal::grid::Grid;
use crate::core::terminal::modes::Modes;

use super::form::Form;
use super::state::{State, needs_person};

#[derive(Debug, Clone, PartialEq)]
pub struct Agent {
    pub info: AgentInfo,
    pub grid: Grid,
    pub modes: Modes,
    pub number: usize,
    /// It rang since it was last in focus.
    pub rang: bool,
    /// It has finished something since it was last looked at.
    pub unseen: bool,
    /// It could not be started: it is here to be seen and tried again, the server does not know it.
    pub failed: Option<Failed>,
}

/// Why an agent is not running, and what it was to be started from.
#[derive(Debug, Clone, PartialEq)]
pub struct Failed {
    pub cause: String,
    pub form: Option<Box<Form>>,
}

impl Agent {
    /// Whether it waits for an answer: what is typed into it would be one.
    pub fn asks(&self) -> bool {
        self.info.question.is_some() || self.info.state == AgentState::Asking
    }
}

/// Who comes first in the list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Standing {
    NeedsPerson,
    Worker,
    Consultant,
}

impl State {
    /// An agent is new, or something of it has changed. `true`: it is new.
    pub fn agent_changed(&mut self, info: AgentInfo) -> bool {
        let watched = self.looking && self.focus.as_deref() == Some(&info.name);
        let name = info.name.clone();
        self.agent_returned(&name);
        if let Some(agent) = self.agent_mut(&name) {
            let busy = matches!(agent.info.state, AgentState::Working | AgentState::Asking);
            let over = matches!(info.state, AgentState::Idle | AgentState::Exited);
            // What a consultant says is read by who asked.
            let worker = info.role == Duty::Worker;
            agent.unseen = worker && !watched && over && (busy || agent.unseen);
            agent.failed = None;
            agent.info = info;
            return false;
        }
        self.add(info, None);
        true
    }

    fn add(&mut self, info: AgentInfo, failed: Option<Failed>) {
        let number = self.number_for(&info.name);
        let (grid, modes) = (Grid::default(), Modes::default());
        let at = self.agents.partition_point(|agent| agent.number < number);
        self.agents.insert(at, Agent { info, grid, modes, number, rang: false, unseen: false, failed });
    }

    /// The number it had before, else the lowest that nobody has.
    fn number_for(&mut self, name: &str) -> usize {
        let taken = |number: usize| self.agents.iter().any(|agent| agent.number == number);
        let own = self.numbers.get(name).copied().filter(|number| !taken(*number));
        // While all are told of anew, those to come have theirs already.
        let kept = |number: usize| self.syncing && self.numbers.values().any(|known| *known == number);
        let free = |number: &usize| !taken(*number) && !kept(*number);
        let number = own.or_else(|| (1..).find(free)).unwrap_or(1);
        self.numbers.insert(name.to_owned(), number);
        number
    }

    /// All agents there are have been told of. Where none had a number before, the workers come first: a
    /// consultant is started before those who ask it.
    pub fn number_anew(&mut self) {
        self.agents.sort_by_key(|agent| (agent.info.role == Duty::Consultant, agent.number));
        for (at, agent) in self.agents.iter_mut().enumerate() {
            agent.number = at + 1;
        }
        let numbered = |agent: &Agent| (agent.info.name.clone(), agent.number);
        self.numbers = self.agents.iter().map(numbered).collect();
    }

    /// The server knows it no more. `true`: it is gone from here too.
    pub fn agent_gone(&mut self, name: &str) -> bool {
        let cause = self.causes.remove(name);
        let Some(agent) = self.agent(name) else { return false };
        if agent.failed.is_some() {
            return false;
        }
        // One that ends before it ran, with a word on why, could not be started.
        if let (AgentState::Starting, Some(cause)) = (agent.info.state, cause) {
            self.keep_failed(name, Failed { cause, form: None });
            return false;
        }
        self.forget(name);
        true
    }

    pub fn forget(&mut self, name: &str) {
        self.agents.retain(|agent| agent.info.name != name);
    }

    /// Keeps one that could not be started in its place.
    pub fn keep_failed(&mut self, name: &str, failed: Failed) {
        let now = self.now_ms as f64 / 1000.0;
        match self.agent_mut(name) {
            Some(agent) => {
                agent.info.state = AgentState::Exited;
                agent.info.since = now;
                let form = agent.failed.take().and_then(|known| known.form);
                agent.failed = Some(Failed { form: failed.form.or(form), ..failed });
            }
            None => self.add(nobody(name, now), Some(failed)),
        }
    }

    fn standing(&self, agent: &Agent) -> Standing {
        let name = &agent.info.name;
        if self.questions.iter().any(|question| question.agent == *name && needs_person(question)) {
            return Standing::NeedsPerson;
        }
        match agent.info.role {
            Duty::Worker => Standing::Worker,
            Duty::Consultant => Standing::Consultant,
        }
    }

    /// As the list shows them: who needs the person, then who works, then who answers; by number.
    pub fn listed(&self) -> Vec<&Agent> {
        let mut all: Vec<&Agent> = self.agents.iter().collect();
        all.sort_by_key(|agent| (self.standing(agent), agent.number));
        all
    }

    /// The agent with this number.
    pub fn numbered(&self, number: usize) -> Option<&Agent> {
        self.agents.iter().find(|agent| agent.number == number)
    }

    /// What the terminal's title says.
    pub fn outer_title(&self) -> String {
        let mut title = match self.needing_person().count() {
            0 => "counsel".to_owned(),
            1 => "(!) counsel: 1 question for you".to_owned(),
            n => format!("(!) counsel: {n} questions for you"),
        };
        let working = self.count(AgentState::Working);
        title.push_str(&format!(", {}, {working} working", agents(self.agents.len())));
        let asking = self.count(AgentState::Asking);
        if asking > 0 {
            title.push_str(&format!(", {asking} asking"));
        }
        title
    }
}

/// "1 agent", "2 agents".
pub fn agents(count: usize) -> String {
    format!("{count} {}", if count == 1 { "agent" } else { "agents" })
}

/// What is known of an agent that never was.
fn nobody(name: &str, since: f64) -> AgentInfo {
    AgentInfo {
        name: name.to_owned(),
        state: AgentState::Exited,
        since,
        question: None,
        profile: String::new(),
        host: Host::Pty,
        pid: None,
        cols: 0,
        rows: 0,
        exit_code: None,
        role: Duty::Worker,
        title: String::new(),
        isolate: Default::default(),
        memory_kib: None,
        deadline_at: None,
        consultant: None,
        cwd: String::new(),
        recording: None,
        place: None,
    }
}
