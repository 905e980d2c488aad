//! tmux as a program: finding it, one-off commands, and control clients.
//!
//! `server/tmux_io.rs` keeps agents in a private tmux server through it, and `counsel adopt` reaches the
//! user's own. A private server reads no configuration and gets none of the user's secrets; the user's own
//! server is never given an option, a size or a variable.

use std::ffi::OsString;
use std::io;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::{generation, peer, socket};
use crate::core::terminal::grid::Size;
use crate::core::tmux::PaneId;

/// The first tmux whose control mode can hold back a flood (`pause-after`) and name a client's flags.
const OLDEST: (u32, u32) = (3, 2);
/// Lines tmux keeps of each pane: what an agent printed while no counsel server was there is read from it.
const HISTORY_LINES: u32 = 50_000;
/// A pane and the process it was started with.
const PANE: &str = "#{pane_id} #{pane_pid}";
/// Variables a private server, and what it starts, may inherit. Agents get their own environment.
const INHERITED: [&str; 10] =
    ["HOME", "LANG", "LC_ALL", "LC_CTYPE", "LOGNAME", "PATH", "SHELL", "TMPDIR", "TMUX_TMPDIR", "USER"];
/// Seconds this client may be behind before tmux withholds output from it. tmux itself would throw out a
/// client after five minutes.
const PAUSE_AFTER: u32 = 60;

/// A tmux server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tmux {
    socket: Socket,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Socket {
    /// Ours, by its name: `tmux -L NAME`.
    Private(String),
    /// The user's.
    Own(PathBuf),
    Named(String),
}

/// Where a pane is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Seat {
    pub tmux: Tmux,
    pub pane: PaneId,
    /// The process the pane was started with. A tmux server that follows one that has ended numbers its panes from
    /// zero again, and so only this tells whether a pane is still the one that was meant.
    pub first: u32,
}

/// The name of the private server: `counsel` for the usual runtime folder, so that people can guess it, one
/// of its own for every other.
pub fn private_name(keepers: &Path, usual: bool) -> String {
    if usual {
        return "counsel".to_owned();
    }
    // FNV-1a: the same name for the same folder whatever the compiler's own hash is.
    let hash = keepers.as_os_str().as_encoded_bytes().iter().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
    });
    format!("counsel-{:08x}", hash >> 32)
}

impl Tmux {
    pub fn private(name: String) -> Tmux {
        Tmux { socket: Socket::Private(name) }
    }

    /// A server of the user's, by its name.
    pub fn named(name: String) -> Tmux {
        Tmux { socket: Socket::Named(name) }
    }

    pub fn at(socket: PathBuf) -> Tmux {
        Tmux { socket: Socket::Own(socket) }
    }

    /// What a person types to see this session or pane.
    pub fn attach_line(&self, target: &str) -> String {
        match &self.socket {
            Socket::Private(name) | Socket::Named(name) => format!("tmux -L {name} attach -t {target}"),
            Socket::Own(path) => format!("tmux -S {} attach -t {target}", path.display()),
        }
    }

    fn command(&self) -> Command {
        let mut command = Command::new("tmux");
        // Names of sessions, titles and screens are UTF-8 whatever this process's locale is.
        command.arg("-u");
        match &self.socket {
            Socket::Private(name) => {
                let kept: Vec<(OsString, OsString)> = INHERITED
                    .iter()
                    .filter_map(|name| Some((name.into(), std::env::var_os(name)?)))
                    .collect();
                command.args(["-L", name, "-f", "/dev/null"]).env_clear().envs(kept);
                command.current_dir("/");
            }
            Socket::Own(path) => {
                command.arg("-S").arg(path);
            }
            Socket::Named(name) => {
                command.args(["-L", name]);
            }
        }
        // The server it may start is anybody's to give orders to: what it runs is nobody's word.
        generation::start_below(&mut command);
        // Within a tmux it would refuse to be attached to another.
        command.env_remove("TMUX").env_remove("TMUX_PANE").stdin(Stdio::null());
        command
    }

    /// Has a private server go on that an agent has stopped: whoever asks it something would wait for ever.
    fn wake(&self) {
        let Socket::Private(name) = &self.socket else { return };
        let folder = std::env::var_os("TMUX_TMPDIR").map_or_else(|| PathBuf::from("/tmp"), PathBuf::from);
        let path = folder.join(format!("tmux-{}", nix::unistd::geteuid())).join(name);
        // Where there is none yet, the command starts one.
        let peer = UnixStream::connect(path).and_then(|stream| peer::of(&stream));
        socket::wake(peer.ok().and_then(|peer| peer.pid));
    }

    /// Runs one command (or several, with `;` between them) and returns what it prints. Blocks.
    pub fn run<I, S>(&self, words: I) -> Result<String, String>
    where
        I: IntoIterator<Item = S>,
        S: AsRef<std::ffi::OsStr>,
    {
        self.wake();
        let output = self.command().args(words).output().map_err(missing)?;
        if output.status.success() {
            return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
        }
        let said = String::from_utf8_lossy(&output.stderr).trim().to_owned();
        Err(if said.is_empty() { format!("tmux failed ({})", output.status) } else { said })
    }

    /// Starts a program in a session of its own, and the private server with it if need be. Blocks.
    pub fn open(&self, session: &str, size: Size, program: &[OsString]) -> Result<Seat, String> {
        check_version()?;
        // A pane whose program has ended holds the name no longer.
        self.clear();
        let mut words: Vec<OsString> = Vec::new();
        let history = HISTORY_LINES.to_string();
        for (scope, option, value) in [
            // Whether a pane's end is kept to be seen is for counsel to say, which removes it.
            ("-g", "remain-on-exit", "on"),
            ("-g", "history-limit", &history),
            ("-g", "default-terminal", terminal()),
            // An agent's screen is all there is; its rows are those the agent draws.
            ("-g", "status", "off"),
            ("-s", "escape-time", "0"),
            ("-g", "allow-rename", "off"),
            ("-g", "automatic-rename", "off"),
        ] {
            words.extend(["set-option", scope, option, value, ";"].map(OsString::from));
        }
        let (cols, rows) = (size.cols.to_string(), size.rows.to_string());
        let open = ["new-session", "-d", "-P", "-F", PANE, "-s", session, "-n", session, "-c", "/"];
        words.extend(open.iter().chain(&["-x", &cols, "-y", &rows]).map(OsString::from));
        words.push("--".into());
        words.extend_from_slice(program);
        // From here on counsel sets its size, until a person attaches. Not by the option `window-size` for all
        // windows: tmux 3.3 crashes on that when it makes the next session.
        words.push(";".into());
        let target = format!("={session}:");
        words.extend(["resize-window", "-t", &target, "-x", &cols, "-y", &rows].map(OsString::from));
        let told = self.run(words)?;
        let read = || {
            let mut words = told.split_whitespace();
            Some(Seat {
                tmux: self.clone(),
                pane: words.next()?.parse().ok()?,
                first: words.next()?.parse().ok()?,
            })
        };
        read().ok_or_else(|| format!("tmux does not tell its new pane: {told:?}"))
    }

    /// Removes panes whose program has ended without anybody to see to it.
    pub fn clear(&self) {
        for (pane, _, dead) in self.panes() {
            if dead {
                // Gone by itself meanwhile is as wanted.
                let _ = self.run(["kill-pane", "-t", &pane.to_string()]);
            }
        }
    }

    /// Every pane with the process it was started with, and whether that has ended. None if no server runs.
    pub fn panes(&self) -> Vec<(PaneId, u32, bool)> {
        let asked = format!("{PANE} #{{pane_dead}}");
        let listed = self.run(["list-panes", "-a", "-F", &asked]);
        let read = |line: &str| {
            let mut words = line.split(' ');
            let (pane, pid) = (words.next()?.parse().ok()?, words.next()?.parse().ok()?);
            Some((pane, pid, words.next() == Some("1")))
        };
        listed.unwrap_or_default().lines().filter_map(read).collect()
    }

    /// The terminal of a pane, as a device, and the process the pane was started with.
    pub fn terminal(&self, pane: PaneId) -> Option<(PathBuf, u32)> {
        let asked = "#{pane_pid} #{pane_tty}";
        let told = self.run(["display-message", "-p", "-t", &pane.to_string(), asked]).ok()?;
        let (pid, path) = told.trim_end().split_once(' ')?;
        let path = Some(PathBuf::from(path)).filter(|path| path.starts_with("/dev"))?;
        Some((path, pid.parse().ok()?))
    }

    /// A control client of a session. Sizes are not its business: the session's windows stay as large as they are. Nor is what
    /// its people look at: whoever attaches to a pane makes it the active one, and their keys would go there.
    pub fn control(&self, session: &str) -> io::Result<Control> {
        let mut command = tokio::process::Command::from(self.command());
        // `-E`: the session's variables stay as they are.
        let flags = format!("ignore-size,pause-after={PAUSE_AFTER}");
        command.args(["-C", "attach-session", "-E", "-f", &flags, "-t", session]);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).kill_on_drop(true);
        let mut child = command.spawn()?;
        let stdin = child.stdin.take().expect("stdin is piped");
        let stdout = child.stdout.take().expect("stdout is piped");
        Ok(Control { stdin, stdout, _child: child })
    }
}

impl Seat {
    /// The session that shows this pane, by the name tmux gives it: `$1`. None: the pane is gone. Blocks.
    pub fn session(&self) -> Option<String> {
        let asked = "#{pane_pid} #{session_id}";
        let told = self.tmux.run(["display-message", "-p", "-t", &self.pane.to_string(), asked]).ok()?;
        let (first, session) = told.trim_end().split_once(' ')?;
        let is_it = first.parse() == Ok(self.first) && session.starts_with('$');
        is_it.then(|| session.to_owned())
    }

    /// Closes the pane. One that has its number by now is left alone, and one that is gone is as wanted. Blocks.
    pub fn close(&self) {
        let (pane, is_it) = (self.pane.to_string(), format!("#{{==:#{{pane_pid}},{}}}", self.first));
        let _ = self.tmux.run(["if-shell", "-F", "-t", &pane, &is_it, &format!("kill-pane -t {pane}")]);
    }
}

/// Where the manifest of an adopted pane lies: `keeper_link::read_manifest` reads it.
pub fn manifest_of(folder: &Path, name: &str) -> PathBuf {
    folder.join(format!("adopt-{name}.sock"))
}

/// The cards of all adopted panes.
pub fn manifests(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let named = entries.flatten().filter_map(|entry| entry.file_name().into_string().ok());
    let mut cards: Vec<PathBuf> = named
        .filter_map(|name| Some(manifest_of(folder, name.strip_prefix("adopt-")?.strip_suffix(".json")?)))
        .collect();
    cards.sort();
    cards
}

/// A control client. Dropped, it detaches.
#[derive(Debug)]
pub struct Control {
    pub stdin: tokio::process::ChildStdin,
    pub stdout: tokio::process::ChildStdout,
    _child: tokio::process::Child,
}

fn missing(error: io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => {
            "tmux is not installed; install tmux 3.2 or later, or leave out host = \"tmux\"".to_owned()
        }
        _ => format!("tmux cannot be started: {error}"),
    }
}

fn check_version() -> Result<(), String> {
    let mut command = Command::new("tmux");
    generation::start_below(&mut command);
    let output = command.arg("-V").output().map_err(missing)?;
    let said = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    match version(&said) {
        // A version that cannot be read is a build of one's own, and newer.
        Some(found) if found < OLDEST => {
            Err(format!("{said} is too old; install tmux {}.{} or later", OLDEST.0, OLDEST.1))
        }
        _ => Ok(()),
    }
}

/// `tmux 3.3a`, `tmux next-3.6`.
fn version(said: &str) -> Option<(u32, u32)> {
    let number = said.split(' ').nth(1)?.trim_start_matches("next-");
    let (major, minor) = number.split_once('.')?;
    let digits: String = minor.chars().take_while(char::is_ascii_digit).collect();
    Some((major.parse().ok()?, digits.parse().ok()?))
}

/// tmux's own entry of the terminal database; where that is old, the one of its ancestor.
fn terminal() -> &'static str {
    let known = ["/etc/terminfo", "/lib/terminfo", "/usr/lib/terminfo", "/usr/share/terminfo"];
    let there = |name: &str| {
        // Folders are named by the first letter, or by its code on some systems.
        let first = name.as_bytes()[0];
        known.iter().any(|folder| {
            let folder = Path::new(folder);
            folder.join(char::from(first).to_string()).join(name).exists()
                || folder.join(format!("{first:x}")).join(name).exists()
        })
    };
    if there("tmux-256color") { "tmux-256color" } else { "screen-256color" }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_read() {
        assert_eq!(version("tmux 3.3a"), Some((3, 3)));
        assert_eq!(version("tmux 2.9"), Some((2, 9)));
        assert_eq!(version("tmux next-3.6"), Some((3, 6)));
        assert_eq!(version("tmux master"), None);
        assert!(version("tmux 3.1c").unwrap() < OLDEST);
    }

    #[test]
    fn every_folder_but_the_usual_has_a_server_of_its_own() {
        let (one, other) = (Path::new("/run/a"), Path::new("/run/b"));
        assert_eq!(private_name(one, true), "counsel");
        assert_eq!(private_name(one, false), private_name(one, false));
        assert_ne!(private_name(one, false), private_name(other, false));
    }
}
