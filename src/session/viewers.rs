//! Whoever looks on: which client gets which picture and when, and the size they agree on.
//!
//! A picture is the difference to what that client shows (its shadow), so joining, lag and a resize are one
//! operation. The first change after quiet, and what follows a key, goes at once; a flood is held to a steady
//! rate, and a client that does not read gets fewer pictures, never a backlog.

use std::collections::BTreeMap;

use crate::core::terminal::frame_limit::FrameLimit;
use crate::core::terminal::grid::Size;
use crate::core::terminal::modes::Modes;
use crate::core::terminal::picture::Shadow;
use crate::core::terminal::sizing::{Sizing, agreed};

use super::message::ClientKey;

/// Pictures a client may have unread. More would be a backlog of screens nobody will look at.
pub(super) const MAX_IN_FLIGHT: u32 = 2;

/// One client that shows this agent.
#[derive(Debug)]
pub(super) struct Viewer {
    pub shadow: Shadow,
    pub sent_extra: (Modes, String),
    pub dirty: bool,
    pub limit: FrameLimit,
    /// Pictures on their way to it.
    pub in_flight: u32,
    pub size: Option<Size>,
    /// When it last showed that it is used: a count of activity.
    pub active: u64,
}

/// All of them.
#[derive(Debug)]
pub(super) struct Viewers {
    pub sizing: Sizing,
    pub viewers: BTreeMap<ClientKey, Viewer>,
    /// Counts what viewers do, so that the latest of them is known.
    pub activity: u64,
    pub now_ms: u64,
    /// Its size is that of before, for the sake of a dialog.
    pub holds_size: bool,
}

impl Viewers {
    pub(super) fn new(sizing: Sizing) -> Viewers {
        Viewers { sizing, viewers: BTreeMap::new(), activity: 0, now_ms: 0, holds_size: false }
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
    pub(super) fn due(&self, viewer: &Viewer) -> u64 {
        viewer.limit.due_ms(self.now_ms)
    }

    pub(super) fn wake(&self) -> Option<u64> {
        let waiting = self.viewers.values().filter(|viewer| viewer.dirty && viewer.in_flight < MAX_IN_FLIGHT);
        waiting.map(|viewer| self.due(viewer)).min()
    }

    pub(super) fn agreed(&self) -> Option<Size> {
        let votes = self.viewers.values().filter_map(|viewer| Some((viewer.active, viewer.size?)));
        agreed(self.sizing, votes)
    }

    /// A client types: with `Sizing::Latest` the agent takes its size. Whether that can change anything.
    pub(super) fn typed(&mut self, client: ClientKey, now_ms: u64) -> bool {
        self.now_ms = now_ms;
        // Whoever types, everybody sees what comes of it.
        self.viewers.values_mut().for_each(|viewer| viewer.limit.typed(now_ms));
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
