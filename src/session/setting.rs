//! What a session's task is made from: its clock, the terminal that comes about, the ways out.
//!
//! Put together by the executor.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use tokio::sync::mpsc::{Receiver, Sender};
use tokio::task::JoinHandle;

use crate::core::tmux::PaneTty;

use super::mailbox::{Command, Mail};
use super::message::{AgentKey, News, Now, Output, Started};
use super::port::{FromTerminal, ToTerminal};
use super::pty::Pty;

/// The clock that the hub and all sessions share.
#[derive(Debug, Clone, Copy)]
pub struct Clock(Instant);

impl Clock {
    pub fn start() -> Clock {
        Clock(Instant::now())
    }

    pub fn now(self) -> Now {
        let unix = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let millis = |duration: Duration| u64::try_from(duration.as_millis()).unwrap_or(u64::MAX);
        Now { ms: millis(self.0.elapsed()), unix_ms: millis(unix) }
    }

    /// When this many milliseconds of `Now::ms` have come.
    pub fn at(self, ms: u64) -> Instant {
        self.0 + Duration::from_millis(ms)
    }
}

/// A terminal once it is there.
pub enum Terminal {
    Pty(Box<Pty>),
    /// Somebody else holds it.
    Remote {
        to: Sender<ToTerminal>,
        from: Receiver<FromTerminal>,
        /// To look at whoever reads it, if it is on this machine.
        tty: Option<PaneTty>,
        task: JoinHandle<()>,
    },
}

/// What brings an agent's terminal about.
pub type Starting = Pin<Box<dyn Future<Output = Result<(Started, Terminal), String>> + Send>>;

/// Takes what goes to files. `false`: there is no room now.
pub type Files = Arc<dyn Fn(AgentKey, Output) -> bool + Send + Sync>;

/// What a session's task is made from.
pub struct Setting {
    pub agent: AgentKey,
    pub clock: Clock,
    pub starting: Starting,
    pub commands: Receiver<Command>,
    pub mail: Receiver<Mail>,
    pub news: Sender<(AgentKey, News)>,
    pub files: Files,
}
