//! Whoever looks on: which client gets which picture and when, and the size they agree on.
//!
//! A picture is the difference to what that client shows (its shadow), so joining, lag and a resize are one
//! operation. The first change after quiet, and what follows a key, goes at once; a flood is held to a steady
//! rate, and a client that does not read gets fewer pictures, never a backlog.

use std::collections::BTreeMap;

use crate::core::terminal::grid::Size;
use crate::core::terminal::modes::Modes;
use crate::core::terminal::picture::{Picture, Shadow};
use crate::core::terminal::sizing::{Sizing, agreed};
use crate::wire::Notice;
use crate::wire::message::ServerMessage;

use super::Session;
use super::message::{ClientKey, Output};

/// A flood is drawn 60 times a second: what screens show.
const FRAME_MS: u64 = 16;
/// Pictures that go without waiting after a pause: the echo of a key, and the line that scrolls behind it.
const BURST: u64 = 3;
/// What a program prints within this time of a key is its answer to it, and is shown at once.
const KEY_MS: u64 = 150;
/// Pictures a client may have unread. More would be a backlog of screens nobody will look at.
const MAX_IN_FLIGHT: u32 = 2;

/// One client that shows this agent.
#[derive(Debug)]
struct Viewer {
    shadow: Shadow,
    sent_extra: (Modes, String),
    dirty: bool,
    /// The token bucket: pictures are free while this is at most `BURST` frames ahead of now.
    paid_ms: u64,
    /// Pictures on their way to it.
    in_flight: u32,
    size: Option<Size>,
    /// When it last showed that it is used: a count of activity.
    active: u64,
}

/// All of them.
#[derive(Debug)]
pub(super) struct Viewers {
    sizing: Sizing,
    viewers: BTreeMap<ClientKey, Viewer>,
    /// Counts what viewers do, so that the latest of them is known.
    activity: u64,
    /// When somebody last pressed a key.
    key_ms: Option<u64>,
    now_ms: u64,
    /// Its size is that of before, for the sake of a dialog.
    holds_size: bool,
}

impl Viewers {
    pub(super) fn new(sizing: Sizing) -> Viewers {
        Viewers { sizing, viewers: BTreeMap::new(), activity: 0, key_ms: None, now_ms: 0, holds_size: false }
    }

    pub(super) fn mark_dirty(&mut self) {
        self.viewers.values_mut().for_each(|viewer| viewer.dirty = true);
    }

    pub(super) fn flushed(&mut self, client: ClientKey) {
        if let Some(viewer) = self.viewers.get_mut(&client) {
            viewer.in_flight = viewer.in_flight.saturating_sub(1);
        }
    }

    /// When this viewer may be sent the next picture.
    fn due(&self, viewer: &Viewer) -> u64 {
        match self.key_ms {
            Some(key) if self.now_ms < key + KEY_MS => 0,
            _ => (viewer.paid_ms + FRAME_MS).saturating_sub(BURST * FRAME_MS),
        }
    }

    pub(super) fn wake(&self) -> Option<u64> {
        let waiting = self.viewers.values().filter(|viewer| viewer.dirty && viewer.in_flight < MAX_IN_FLIGHT);
        waiting.map(|viewer| self.due(viewer)).min()
    }

    fn agreed(&self) -> Option<Size> {
        let votes = self.viewers.values().filter_map(|viewer| Some((viewer.active, viewer.size?)));
        agreed(self.sizing, votes)
    }

    /// A client types: with `Sizing::Latest` the agent takes its size. Whether that can change anything.
    pub(super) fn typed(&mut self, client: ClientKey, now_ms: u64) -> bool {
        (self.key_ms, self.now_ms) = (Some(now_ms), now_ms);
        let latest = self.viewers.iter().map(|(key, viewer)| (viewer.active, *key)).max();
        if latest.is_none_or(|(_, latest)| latest == client) {
            return false;
        }
        let Some(viewer) = self.viewers.get_mut(&client).filter(|viewer| viewer.size.is_some()) else {
            return false;
        };
        self.activity += 1;
        viewer.active = self.activity;
        true
    }
}

impl Session {
    pub(super) fn watch(&mut self, client: ClientKey, size: Option<Size>) {
        let viewers = &mut self.viewers;
        let viewer = viewers.viewers.entry(client).or_insert_with(|| Viewer {
            shadow: Shadow::default(),
            sent_extra: Default::default(),
            dirty: true,
            paid_ms: 0,
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
            viewer.paid_ms = viewer.paid_ms.max(now) + FRAME_MS;
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
