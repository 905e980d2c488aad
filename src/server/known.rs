//! The processes that make a caller an agent's: every keeper, and the programs in adopted panes.
//!
//! The server's loop keeps the table, so that it says what the hub knows; clients' tasks read it for each verdict.
//! Who descends from an agent that is on it no more is still known by its generation.

use std::collections::HashMap;
use std::sync::Arc;

use tokio::sync::watch;

use crate::core::ancestry::{Identity, Known};
use crate::os::ancestry::identity;
use crate::os::generation;
use crate::session::message::{AgentKey, News};

use super::effect::Effect;

/// What clients' tasks read.
pub type Reader = watch::Receiver<Arc<Known>>;

#[derive(Debug)]
pub struct Table {
    agents: HashMap<AgentKey, Vec<Identity>>,
    known: watch::Sender<Arc<Known>>,
}

impl Table {
    /// # Errors
    /// Without its own generation the server could tell nobody from an agent.
    pub fn new() -> Result<Table, String> {
        let generation =
            generation::own().map_err(|error| format!("its own limits cannot be read: {error}"))?;
        let known = Known { server: identity(std::process::id()), generation, ..Known::default() };
        Ok(Table { agents: HashMap::new(), known: watch::Sender::new(Arc::new(known)) })
    }

    pub fn reader(&self) -> Reader {
        self.known.subscribe()
    }

    /// Before the hub hears it: whoever is an agent's for the hub is one here.
    pub fn hear(&mut self, agent: AgentKey, news: &News) {
        let News::Started { pid, keeper, .. } = news else { return };
        // An adopted pane has no keeper.
        let processes = [*pid, *keeper].into_iter().filter(|pid| *pid != 0).filter_map(identity).collect();
        self.agents.insert(agent, processes);
        self.publish();
    }

    /// A keeper as it was when its agent began, unlike whoever may have its pid since.
    pub fn keeper(&self, pid: u32) -> Option<Identity> {
        self.agents.values().flatten().copied().find(|known| known.pid == pid)
    }

    pub fn perform(&mut self, effect: &Effect) {
        if let Effect::Forget { agent } = effect
            && self.agents.remove(agent).is_some()
        {
            self.publish();
        }
    }

    fn publish(&self) {
        let keepers = self.agents.values().flatten().copied().collect();
        self.known.send_modify(|known| {
            let known = Arc::make_mut(known);
            known.keepers = keepers;
        });
    }
}
