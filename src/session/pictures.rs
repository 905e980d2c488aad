//! Pictures to whoever shows an agent, and the size they agree on.
//!
//! `Session` ends each step with them. Whose turn it is stands in `viewers.rs`.

use crate::core::terminal::frame_limit::FrameLimit;
use crate::core::terminal::grid::Size;
use crate::core::terminal::picture::{Picture, Shadow};
use crate::wire::Notice;
use crate::wire::message::ServerMessage;

use super::Session;
use super::message::{ClientKey, Output};
use super::viewers::{MAX_IN_FLIGHT, Viewer};

impl Session {
    pub(super) fn watch(&mut self, client: ClientKey, size: Option<Size>) {
        let viewers = &mut self.viewers;
        let viewer = viewers.viewers.entry(client).or_insert_with(|| Viewer {
            shadow: Shadow::default(),
            sent_extra: Default::default(),
            dirty: true,
            limit: FrameLimit::default(),
            in_flight: 0,
            size: None,
            active: 0,
        });
        if viewer.size != size {
            viewer.size = size;
            if size.is_some() {
                viewers.activity += 1;
                viewer.active = viewers.activity;
            }
            self.agree_on_size();
        }
    }

    pub(super) fn unwatch(&mut self, client: ClientKey) {
        if self.viewers.viewers.remove(&client).is_some() {
            self.agree_on_size();
        }
    }

    pub(super) fn agree_on_size(&mut self) {
        let Some(size) = self.viewers.agreed() else { return };
        self.viewers.holds_size = self.would_cut_a_dialog(size);
        if !self.viewers.holds_size {
            self.resize(size);
        }
    }

    /// The size that was held back for a dialog, once that has gone.
    pub(super) fn release_size(&mut self) {
        if self.viewers.holds_size {
            self.agree_on_size();
        }
    }

    /// Whether a dialog stands there that would not be whole at this size: a program that nobody described may draw it once
    /// and never again, as whiptail does. Whoever only looks at a question would take it away.
    fn would_cut_a_dialog(&self, size: Size) -> bool {
        let (now, size) = (self.terminal.screen.size(), size.clamped());
        let question = self.observation.verdict.question.as_ref();
        let drawn = self.profile.any_program && question.is_some_and(|question| !question.origin.line);
        drawn && (size.cols < now.cols || size.rows < now.rows)
    }

    /// To everybody who shows this agent.
    pub(super) fn tell_viewers(&mut self, notice: &Notice) {
        for client in self.viewers.viewers.keys() {
            let message = Box::new(ServerMessage::Notice(notice.clone()));
            self.out.push(Output::Send { client: *client, message });
        }
    }

    pub(super) fn send_pictures(&mut self) {
        let now = self.now.ms;
        self.viewers.now_ms = now;
        if !self.viewers.viewers.values().any(|viewer| viewer.dirty) {
            return;
        }
        let due: Vec<ClientKey> = self
            .viewers
            .viewers
            .iter()
            .filter(|(_, viewer)| {
                viewer.dirty && viewer.in_flight < MAX_IN_FLIGHT && self.viewers.due(viewer) <= now
            })
            .map(|(client, _)| *client)
            .collect();
        if due.is_empty() {
            return;
        }
        let screen = &self.terminal.screen;
        for client in due {
            let Some(viewer) = self.viewers.viewers.get_mut(&client) else { continue };
            viewer.dirty = false;
            if screen.in_sync() && !viewer.shadow.is_blank() {
                // Half a frame is not shown; the end of the update marks it dirty again.
                continue;
            }
            // Also for a look that finds nothing new: a program that prints the same over and over, as `yes` does, would
            // have its whole screen compared for each block it prints.
            viewer.limit.sent(now);
            let extra = (screen.modes(), screen.title());
            let delta = Picture::delta(&mut viewer.shadow, screen);
            if delta.is_none() && (viewer.sent_extra.0, viewer.sent_extra.1.as_str()) == extra {
                continue;
            }
            viewer.sent_extra = (extra.0, extra.1.to_owned());
            viewer.in_flight += 1;
            let picture = Picture {
                size: screen.size(),
                rows: delta.unwrap_or_default(),
                cursor: screen.grid().cursor,
                modes: extra.0,
                title: extra.1.to_owned(),
            };
            let notice = Notice::Picture { name: self.name.clone(), picture };
            let message = Box::new(ServerMessage::Notice(notice));
            self.out.push(Output::Send { client, message });
        }
    }
}

#[cfg(test)]
#[path = "size_tests.rs"]
mod size_tests;
