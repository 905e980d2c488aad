//! The tmux this process runs in, asked and told by its own command line.
//!
//! Popup, jump and the dashboard's prefix use it. It talks to the server named by `$TMUX` and no other.

use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use crate::os::run_command;

use super::super::failure::Failure;

/// tmux answers within milliseconds; one that is stuck would hold up whoever pressed a key.
const LIMIT: Duration = Duration::from_secs(2);

/// A tmux server, by its socket.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tmux {
    socket: PathBuf,
}

impl Tmux {
    /// The one around this process; `None` outside of any.
    pub fn around() -> Option<Tmux> {
        Tmux::named(&std::env::var("TMUX").ok()?)
    }

    /// The same for a verb that is of no use elsewhere.
    pub fn required() -> Result<Tmux, Failure> {
        Tmux::around().ok_or_else(|| {
            Failure::from("TMUX is not set: this is no tmux; run it in one, or plain 'counsel' here")
        })
    }

    /// `$TMUX` is `SOCKET,PID,SESSION`; the socket's path may hold commas itself.
    fn named(variable: &str) -> Option<Tmux> {
        let socket = variable.rsplitn(3, ',').nth(2)?;
        (!socket.is_empty()).then(|| Tmux { socket: socket.into() })
    }

    pub fn command(&self) -> Command {
        let mut command = Command::new("tmux");
        command.arg("-S").arg(&self.socket);
        command
    }

    /// What a tmux command prints.
    pub fn ask(&self, args: &[&str]) -> Result<String, Failure> {
        let said = run_command::run(self.command().args(args), LIMIT)
            .map_err(|silent| Failure::from(format!("tmux {}: {silent}", args[0])))?;
        if said.status.success() {
            return Ok(said.out);
        }
        Err(Failure::from(format!("tmux {}: {}", args[0], said.err.trim())))
    }

    /// Puts text into tmux's own buffer, and on the clipboard of the terminal tmux is shown in.
    pub fn copy(&self, text: &[u8]) -> Result<(), Failure> {
        let said =
            run_command::run_with(self.command().args(["load-buffer", "-w", "-"]), text.to_vec(), LIMIT)
                .map_err(|silent| Failure::from(format!("tmux load-buffer: {silent}")))?;
        if said.status.success() { Ok(()) } else { Err(Failure::from(said.err)) }
    }

    /// Fails for a server that has no popups. A development version names no number and is newer.
    pub fn has_popups(&self) -> Result<(), Failure> {
        let version = self.ask(&["display-message", "-p", "#{version}"])?;
        let version = version.trim();
        let (major, minor) = version.split_once('.').unwrap_or((version, ""));
        let minor = minor.trim_end_matches(|c: char| !c.is_ascii_digit());
        match (major.parse::<u32>(), minor.parse::<u32>()) {
            (Ok(major), Ok(minor)) if (major, minor) < (3, 2) => Err(Failure::from(format!(
                "this tmux is {version}, and popups came with 3.2; install a newer one, \
                 or run 'counsel' in a window of its own"
            ))),
            _ => Ok(()),
        }
    }

    /// The dashboard's prefix chord here: the first that tmux does not keep for itself.
    pub fn free_prefix(&self) -> Option<&'static str> {
        let taken = self.ask(&["display-message", "-p", "#{prefix} #{prefix2}"]).ok()?;
        let taken: Vec<&str> = taken.split_whitespace().collect();
        let chords = [("C-a", "ctrl-a"), ("C-b", "ctrl-b"), ("C-g", "ctrl-g")];
        chords.iter().find(|(tmux, _)| !taken.contains(tmux)).map(|(_, own)| *own)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_socket_is_what_stands_before_pid_and_session() {
        let of = |text| Tmux::named(text).map(|tmux| tmux.socket);
        assert_eq!(of("/tmp/tmux-0/default,123,0"), Some("/tmp/tmux-0/default".into()));
        assert_eq!(of("/tmp/a,b/s,123,4"), Some("/tmp/a,b/s".into()));
        assert_eq!(of(""), None);
        assert_eq!(of(",1,2"), None);
    }
}
