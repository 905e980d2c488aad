//! A real tmux as a terminal: keys go in, screens come out, and every wait is for tmux's own word.

use std::path::PathBuf;
use std::process::Command;
use std::sync::mpsc::RecvTimeoutError;
use std::time::Instant;

use super::{DEADLINE, Lines, World, finish};

/// A tmux server of this test's own, with one session of one size.
pub struct Tmux {
    socket: PathBuf,
    follow: Command,
    /// A control client, attached when something is waited for: tmux counts it as one that has the focus.
    events: Option<Lines>,
}

impl Tmux {
    /// A server whose one pane runs this, of 120x40.
    pub fn start(world: &World, name: &str, program: &[&str]) -> Tmux {
        let socket = world.path(name);
        let mut command = bare(world);
        command.args(["-S".as_ref(), socket.as_os_str()]).args(["-f", "/dev/null"]);
        command.args(["new-session", "-d", "-s", "main", "-x", "120", "-y", "40", "--"]).args(program);
        let done = finish(&mut command, b"");
        assert_eq!(done.code, 0, "{done:?}");
        let mut follow = bare(world);
        follow.args(["-S".as_ref(), socket.as_os_str()]);
        follow.args(["-C", "attach-session", "-f", "ignore-size", "-t", "main"]);
        Tmux { socket, follow, events: None }
    }

    /// Two servers: a person's own, and one that plays the terminal in which it is attached.
    pub fn nested(world: &World, program: &[&str]) -> (Tmux, Tmux) {
        let inner = Tmux::start(world, "inner", program);
        let path = inner.socket.to_string_lossy().into_owned();
        let outer = Tmux::start(world, "outer", &["env", "-u", "TMUX", "tmux", "-S", &path, "attach"]);
        outer.command(&["set-option", "-g", "status", "off"]);
        outer.command(&["set-option", "-g", "prefix", "None"]);
        (outer, inner)
    }

    /// What a tmux command prints.
    pub fn command(&self, args: &[&str]) -> String {
        let mut command = Command::new("tmux");
        command.arg("-S").arg(&self.socket).args(args).env_remove("TMUX");
        let done = finish(&mut command, b"");
        assert_eq!(done.code, 0, "{args:?}: {done:?}");
        done.out
    }

    /// Keys by tmux's names, into the active pane.
    pub fn keys(&self, keys: &[&str]) {
        self.command(&[["send-keys", "-t", "main", "--"].as_slice(), keys].concat());
    }

    /// These very bytes, as a terminal would send them.
    pub fn bytes(&self, bytes: &[u8]) {
        let hex: Vec<String> = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        let hex: Vec<&str> = hex.iter().map(String::as_str).collect();
        self.command(&[["send-keys", "-t", "main", "-H"].as_slice(), &hex].concat());
    }

    pub fn text(&self) -> String {
        self.command(&["capture-pane", "-p", "-t", "main"])
    }

    /// The screen with its colours.
    pub fn colored(&self) -> String {
        self.command(&["capture-pane", "-p", "-e", "-t", "main"])
    }

    /// Waits for the screen to be so, and returns it.
    pub fn until(&mut self, what: &str, so: impl Fn(&str) -> bool) -> String {
        self.until_it(what, Tmux::text, so)
    }

    /// Waits until what is looked at is so. Looked at again whenever tmux tells of anything.
    pub fn until_it(
        &mut self,
        what: &str,
        look: impl Fn(&Tmux) -> String,
        so: impl Fn(&str) -> bool,
    ) -> String {
        let until = Instant::now() + DEADLINE;
        loop {
            let seen = look(self);
            if so(&seen) {
                return seen;
            }
            let events = self.events.get_or_insert_with(|| Lines::of(&mut self.follow));
            match events.lines.recv_timeout(until.saturating_duration_since(Instant::now())) {
                // What has come meanwhile is one change.
                Ok(_) => while events.lines.try_recv().is_ok() {},
                Err(RecvTimeoutError::Timeout) => panic!("{what} did not come; there is:\n{seen}"),
                Err(RecvTimeoutError::Disconnected) => panic!("tmux has ended before {what}; last:\n{seen}"),
            }
        }
    }
}

impl Drop for Tmux {
    fn drop(&mut self) {
        let mut command = Command::new("tmux");
        let _ = finish(command.arg("-S").arg(&self.socket).arg("kill-server"), b"");
    }
}

/// tmux as a person starts it: nothing of counsel's in its environment.
fn bare(world: &World) -> Command {
    let mut command = world.program("tmux");
    command.env_remove("COUNSEL_RUNTIME_DIR").env_remove("COUNSEL_STATE_DIR");
    command.env("TERM", "xterm-256color").env("LANG", "C.UTF-8").env("PS1", "$ ");
    command
}
