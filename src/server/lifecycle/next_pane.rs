//! The size a new agent begins at: the one that it is shown at as soon as it is there.
//!
//! A program that draws once and does not look at its window again, as `whiptail` does, stays as it was drawn: begun at
//! any other size, it stood beyond its pane. Whoever shows agents says beforehand how large they would show another one.

use std::collections::BTreeMap;

use crate::core::agent::{AgentSpec, Duty};
use crate::core::terminal::grid::Size;
use crate::core::terminal::sizing::{Sizing, agreed};
use crate::session::message::ClientKey;
use crate::wire::message::NextPane;

/// What each client has said, and in which order.
#[derive(Debug, Default)]
pub struct NextPanes {
    told: BTreeMap<ClientKey, (u64, NextPane)>,
    count: u64,
}

impl NextPanes {
    /// `None`: the client has left.
    pub fn tell(&mut self, client: ClientKey, next: Option<NextPane>) {
        self.count += 1;
        match next {
            Some(next) => drop(self.told.insert(client, (self.count, next))),
            None => drop(self.told.remove(&client)),
        }
    }

    fn size(&self, sizing: Sizing, name: &str, role: Duty) -> Option<Size> {
        let of = |next: &NextPane| {
            let own = next.ended.iter().find(|pane| pane.name == name).and_then(|pane| pane.size);
            own.or(match role {
                Duty::Worker => next.worker,
                Duty::Consultant => next.consultant,
            })
        };
        agreed(sizing, self.told.values().filter_map(|(at, next)| Some((*at, of(next)?))))
    }

    /// What is started, at the size it begins at. A pane of the user's own tmux has its size already, and output that is
    /// kept as a whole is for who reads it, at their width.
    pub fn at_its_size(&self, sizing: Sizing, spec: AgentSpec) -> AgentSpec {
        if spec.pane.is_some() || spec.scrollback.is_some() {
            return spec;
        }
        let shown = self.size(sizing, &spec.name, spec.role);
        AgentSpec { size: shown.or(spec.size), ..spec }
    }
}
