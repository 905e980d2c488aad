//! The agents as this client sees them: their numbers, who could not be started, what was not yet looked at.
//!
//! `update.rs` tells it of notices, the views list what it holds. Who is on the list, and by which number, is the
//! server's to say: it is the same in every dashboard. Pure.

use crate::core::agent::{AgentInfo, Duty};
use crate::core::keymap::Action;
use crate::core::question::State as AgentState;
use crate::core::terminal::grid::Grid;
use crate::core::terminal::modes::Modes;
use crate::wire::message::QuestionInfo;

use super::agent::Agent;
use super::state::{State, needs_person};

/// Who comes first in the list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Standing {
    /// The place of its question among all of them: as the lower edge and the list of questions have them.
    NeedsPerson(usize),
    Worker,
    Consultant,
}

impl State {
    /// An agent is new, or something of it has changed. `true`: it is new.
    pub fn agent_changed(&mut self, info: AgentInfo) -> bool {
        let watched = self.looking && self.focus.as_deref() == Some(&info.name);
        let (name, number) = (info.name.clone(), self.number_of(&info));
        self.agent_returned(&name);
        self.first_screen.had_agents = true;
        let Some(agent) = self.agent_mut(&name) else {
            let (grid, modes) = (Grid::default(), Modes::default());
            let at = self.agents.partition_point(|agent| agent.number < number);
            self.agents
                .insert(at, Agent { info, grid, modes, number, branch: None, rang: false, unseen: false });
            return true;
        };
        let busy = matches!(agent.info.state, AgentState::Working | AgentState::Asking);
        let over = matches!(info.state, AgentState::Idle | AgentState::Exited);
        // What a consultant says is read by who asked.
        let worker = info.role == Duty::Worker;
        agent.unseen = worker && !watched && over && (busy || agent.unseen);
        let moved = agent.number != number;
        (agent.info, agent.number) = (info, number);
        if moved {
            self.agents.sort_by_key(|agent| agent.number);
        }
        false
    }

    /// As the server says. Where an earlier one gives none, it is the lowest that is free.
    fn number_of(&self, info: &AgentInfo) -> usize {
        let free = |number: &usize| self.agents.iter().all(|agent| agent.number != *number);
        match usize::from(info.number) {
            0 => self.agent(&info.name).map(|agent| agent.number).or_else(|| (1..).find(free)).unwrap_or(1),
            number => number,
        }
    }

    /// What the folders of these agents have checked out.
    pub fn branches(&mut self, known: Vec<(String, Option<String>)>) {
        for (name, branch) in known {
            if let Some(agent) = self.agent_mut(&name) {
                agent.branch = branch;
            }
        }
    }

    /// The server knows it no more. `true`: it was here.
    pub fn agent_gone(&mut self, name: &str) -> bool {
        let there = self.agent(name).is_some();
        self.forget(name);
        there
    }

    pub fn forget(&mut self, name: &str) {
        self.held_keys.forget(name);
        self.agents.retain(|agent| agent.info.name != name);
    }

    fn standing(&self, agent: &Agent) -> Standing {
        let name = &agent.info.name;
        let needs = |question: &QuestionInfo| question.agent == *name && needs_person(question);
        if let Some(place) = self.questions.iter().position(needs) {
            return Standing::NeedsPerson(place);
        }
        match agent.info.role {
            Duty::Worker => Standing::Worker,
            Duty::Consultant => Standing::Consultant,
        }
    }

    /// As the list shows them: who needs the person, the longest first, then who works, then who answers, by number.
    pub fn listed(&self) -> Vec<&Agent> {
        let mut all: Vec<&Agent> = self.agents.iter().collect();
        all.sort_by_cached_key(|agent| (self.standing(agent), agent.number));
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
        if self.agents.is_empty() && self.syncing {
            return title;
        }
        let working = self.count(AgentState::Working);
        title.push_str(&format!(", {}, {working} working", agents(self.agents.len())));
        let asking = self.count(AgentState::Asking);
        if asking > 0 {
            title.push_str(&format!(", {asking} asking"));
        }
        title
    }
}

/// Why what is typed cannot reach it, and the key that changes that.
pub fn takes_no_keys(state: &State, agent: &Agent) -> Option<String> {
    let name = &agent.info.name;
    let again = || state.chord(Action::Restart);
    match agent.info.state {
        _ if state.returns(name) => Some("the server is coming back".into()),
        _ if agent.failed() => Some(format!("{name} was not started; {} tries again", again())),
        AgentState::Exited => Some(format!("{name} has ended; {} starts it again", again())),
        AgentState::Paused => Some(format!("{name} is paused; {} lets it go on", state.chord(Action::Pause))),
        _ => None,
    }
}

/// What shutting down ends, "2 agents and the server", and whom it lets go: panes of the user's own tmux.
pub fn shut_down(state: &State) -> (String, Vec<String>) {
    let runs = state.agents.iter().filter(|agent| agent.info.state != AgentState::Exited);
    let (let_go, own): (Vec<&Agent>, Vec<&Agent>) = runs.partition(|agent| agent.info.is_adopted());
    let ends = match (own.len(), let_go.is_empty()) {
        (0, false) => "the server".to_owned(),
        (count, _) => format!("{} and the server", agents(count)),
    };
    (ends, let_go.into_iter().map(|agent| agent.info.name.clone()).collect())
}

/// "1 agent", "2 agents".
pub fn agents(count: usize) -> String {
    format!("{count} {}", if count == 1 { "agent" } else { "agents" })
}
