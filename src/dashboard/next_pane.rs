//! How large an agent would be shown that is started now, as the server is told before there is one: it begins at that
//! size, and what draws once and never again stands in its pane.
//!
//! `update.rs` asks it whenever the panes may have changed. Pure.

use std::collections::BTreeMap;

use crate::core::agent::{AgentInfo, Duty};
use crate::core::question::State as AgentState;
use crate::core::terminal::grid::Size;
use crate::wire::message::{NextPane, Pane};

use super::agent::Agent;
use super::state::State;
use super::window;

/// No agent has this name.
const NOBODY: &str = "";

impl State {
    pub fn next_pane(&mut self) -> NextPane {
        if self.cramped() {
            return NextPane::default();
        }
        let ended = |agent: &Agent| agent.info.state == AgentState::Exited;
        let places = self.panes().into_iter().filter(|(agent, _)| ended(agent));
        let ended =
            places.map(|(agent, area)| Pane { name: agent.info.name.clone(), size: window::screen_of(area) });
        let ended = ended.collect();
        NextPane { worker: self.pane_for(Duty::Worker), consultant: self.pane_for(Duty::Consultant), ended }
    }

    /// The screen one more agent would have, with the panes arranged as they are with it: where it has none among the
    /// others, as if one went to it.
    fn pane_for(&mut self, role: Duty) -> Option<Size> {
        let info = AgentInfo { role, ..AgentInfo::of(NOBODY, AgentState::Starting) };
        let number = self.agents.last().map_or(1, |agent| agent.number + 1);
        let (grid, modes) = Default::default();
        self.agents.push(Agent { info, grid, modes, number, branch: None, rang: false, unseen: false });
        let (shape, focus) = (self.shape.clone(), self.focus.clone());
        // One that was asked for from here takes the focus.
        let comes = if self.awaited.is_some() { None } else { self.place_of_nobody() };
        let area = comes.or_else(|| {
            self.focus = Some(NOBODY.to_owned());
            self.place_of_nobody()
        });
        (self.shape, self.focus) = (shape, focus);
        self.agents.pop();
        area
    }

    /// How large each of these would be shown that there are from the beginning, in this order; one on another page as it
    /// is there.
    pub fn sizes_of(mut self, agents: &[(String, Duty)]) -> BTreeMap<String, Size> {
        for (name, role) in agents {
            let mut info = AgentInfo { role: *role, ..AgentInfo::of(name, AgentState::Starting) };
            info.number = u16::try_from(self.agents.len() + 1).unwrap_or(u16::MAX);
            self.agent_changed(info);
        }
        if let Some(name) = self.awaited.take() {
            self.focus_on(&name);
        }
        self.arrange();
        let mut sizes = BTreeMap::new();
        if self.cramped() {
            return sizes;
        }
        for (name, _) in agents {
            let (shape, focus) = (self.shape.clone(), self.focus.clone());
            if self.pane_of(name).is_none() {
                self.focus = Some(name.clone());
                self.reshape();
            }
            sizes.extend(self.pane_of(name).and_then(window::screen_of).map(|size| (name.clone(), size)));
            (self.shape, self.focus) = (shape, focus);
        }
        sizes
    }

    fn place_of_nobody(&mut self) -> Option<Size> {
        self.reshape();
        self.pane_of(NOBODY).and_then(window::screen_of)
    }
}
