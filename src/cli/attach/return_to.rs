//! What `counsel attach` returns to after a break: a server in the place of one that is gone, and its terminal after a
//! shell had it.
//!
//! `attach.rs` calls it.

use std::path::Path;
use std::time::{Duration, Instant};

use crate::dashboard::link::Link;
use crate::dashboard::outer::Outer;
use crate::dashboard::outer_size::outer_size;
use crate::dashboard::{Ends, terminal};
use crate::os::job_control::Who;
use crate::os::socket::{self, Connection};
use crate::os::{daemon, paths};

use super::left::Left;
use super::{Viewer, text};

/// After this long without a server there is nothing left to show.
const GIVE_UP: Duration = Duration::from_secs(20);

impl Viewer {
    /// Looks for a server while there is none.
    pub(super) fn reconnect(&mut self) {
        match recover(&self.socket) {
            Ok(connection) => self.link = Link::new(connection).ok(),
            // A newer server has taken the agents over: this program cannot follow them.
            Err(error @ (socket::Error::Version { .. } | socket::Error::Refused { .. })) => {
                let why = format!("{error}; 'counsel attach {}' comes back", self.name);
                self.left = Some(Left::Failed(daemon::FAILED, why));
            }
            Err(_) => {}
        }
        if self.link.is_some() {
            self.lost_at = None;
            self.say_state();
            self.begin();
        } else if self.lost_at.is_some_and(|at| at.elapsed() > GIVE_UP) {
            self.left = Some(Left::Failed(daemon::FAILED, "the server is gone".into()));
        }
    }

    /// Somebody wants us to stop: the terminal is the shell's until we go on.
    pub(super) fn stop(&mut self, guard: &terminal::Guard, ends: &Ends) -> Result<(), String> {
        guard.stop(ends.job(), Who::Us)?;
        self.shown_anew()
    }

    /// We were stopped without a word, and go on.
    pub(super) fn go_on(&mut self, guard: &terminal::Guard) -> Result<(), String> {
        guard.take_again()?;
        self.shown_anew()
    }

    /// The terminal was somebody else's, and no time went by for us.
    fn shown_anew(&mut self) -> Result<(), String> {
        let (cols, rows) = outer_size().map_err(text)?;
        self.painter.begin_anew();
        terminal::set_title(self.painter.title()).map_err(text)?;
        self.lost_at = self.lost_at.map(|_| Instant::now());
        self.outer(Outer::Resize(cols, rows))
    }
}

/// A server in the place of the one that is gone.
fn recover(path: &Path) -> Result<Connection, socket::Error> {
    let log = paths::state_dir().map_err(socket::Error::Failed)?.join("server.log");
    daemon::ensure_server(path, &log)
}
