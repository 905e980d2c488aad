//! Pictures: which client gets which agent's screen, and when.

use crate::core::terminal::picture::Picture;
use crate::server::effect::{AgentKey, ClientKey};
use crate::wire::Notice;

use super::Hub;

/// At most one picture of an agent per client in this time (60 a second); the first goes at once.
const FRAME_MS: u64 = 16;
/// Pictures a client may have unread. More would be a backlog of screens nobody will look at.
const MAX_IN_FLIGHT: u32 = 2;

impl Hub {
    pub(super) fn mark_dirty(&mut self, key: AgentKey) {
        for client in self.clients.values_mut() {
            if let Some(watched) = client.watched.get_mut(&key) {
                watched.dirty = true;
            }
        }
    }

    pub(super) fn flushed(&mut self, key: ClientKey) {
        if let Some(client) = self.clients.get_mut(&key) {
            client.in_flight = client.in_flight.saturating_sub(1);
        }
    }

    pub(super) fn picture_wake(&self) -> Option<u64> {
        let ready = self.clients.values().filter(|client| client.in_flight < MAX_IN_FLIGHT);
        ready.flat_map(|client| client.watched.values()).filter(|w| w.dirty).map(|w| w.due_ms).min()
    }

    pub(super) fn send_pictures(&mut self) {
        let now = self.now;
        let mut notices = Vec::new();
        for (client_key, client) in &mut self.clients {
            for (key, watched) in &mut client.watched {
                if !watched.dirty || watched.due_ms > now.ms || client.in_flight >= MAX_IN_FLIGHT {
                    continue;
                }
                let Some(agent) = self.agents.get(key) else {
                    watched.dirty = false;
                    continue;
                };
                if agent.screen.in_sync() && !watched.shadow.rows.is_empty() {
                    // Half a frame is not shown; the end of the update wakes us.
                    watched.dirty = false;
                    continue;
                }
                watched.dirty = false;
                watched.due_ms = now.ms + FRAME_MS;
                let extra = (agent.screen.modes(), agent.screen.title().to_owned());
                let delta = Picture::delta(&mut watched.shadow, agent.screen.grid());
                if delta.is_none() && watched.sent_extra == extra {
                    continue;
                }
                watched.sent_extra = extra.clone();
                let picture = Picture {
                    size: agent.screen.size(),
                    rows: delta.unwrap_or_default(),
                    cursor: agent.screen.grid().cursor,
                    modes: extra.0,
                    title: extra.1,
                };
                client.in_flight += 1;
                notices.push((*client_key, Notice::Picture { name: agent.spec.name.clone(), picture }));
            }
        }
        for (client, notice) in notices {
            self.notify(client, notice);
        }
    }
}
