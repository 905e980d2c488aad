//! Gives the demonstration a world of its own and takes it away again: folders, environment, processes.
//!
//! `cli/demo.rs` runs it around a second copy of the program, which plays the story. Whatever that copy
//! started, detached servers and keepers included, ends here: this process is their subreaper.

use std::fs::{self, DirBuilder};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::process::{self, Command};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread;
use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::sys::signal::{SigSet, Signal, kill};
use nix::sys::wait::{WaitStatus, waitpid};
use nix::unistd::Pid;

use super::agent;
use crate::os::proc;

/// How long servers, keepers and agents may take to end after the story.
const END_DEADLINE: Duration = Duration::from_secs(5);
/// How long what is left may take to end after SIGTERM, before SIGKILL.
const GRACE: Duration = Duration::from_secs(2);

/// Folders of one demonstration, removed when dropped.
#[derive(Debug)]
pub struct World {
    root: PathBuf,
}

impl World {
    pub fn new() -> Result<World, String> {
        let root = std::env::temp_dir().join(format!("counsel-demo-{}", process::id()));
        let world = World { root };
        for folder in ["", "run", "state", "config", "logs", "shop"] {
            let path = world.root.join(folder);
            // Not recursive: a folder that is there already is somebody else's.
            DirBuilder::new()
                .mode(0o700)
                .create(&path)
                .map_err(|e| format!("make the folder {}: {e}", path.display()))?;
        }
        Ok(world)
    }

    pub fn root(&self) -> &Path {
        &self.root
    }
}

impl Drop for World {
    fn drop(&mut self) {
        // Nothing of it is needed; what cannot be removed lies in the temporary folder.
        let _ = fs::remove_dir_all(&self.root);
    }
}

/// Where the agents' logs are, below the world's root.
pub fn logs(root: &Path) -> PathBuf {
    root.join("logs")
}

/// The folder the agents work in.
pub fn shop(root: &Path) -> PathBuf {
    root.join("shop")
}

enum Event {
    Ended(Pid, u8),
    NoneLeft,
    Signal,
}

/// Runs `command` in a world of its own; its exit code, and who was still there when the time was up. `signals` are
/// blocked here, and end the story, which has to unblock them.
pub fn run(mut command: Command, world: &World, signals: SigSet) -> Result<(u8, Vec<String>), String> {
    #[cfg(target_os = "linux")]
    nix::sys::prctl::set_child_subreaper(true).map_err(|e| format!("become the subreaper: {e}"))?;
    let root = world.root();
    command
        .env("COUNSEL_RUNTIME_DIR", root.join("run"))
        .env("COUNSEL_STATE_DIR", root.join("state"))
        .env("XDG_CONFIG_HOME", root.join("config"))
        .env_remove("COUNSEL_SOCKET")
        .env_remove("COUNSEL_TOKEN")
        .env_remove("COUNSEL_AGENT")
        .env_remove(agent::LOG)
        .env_remove(agent::HURRY)
        .current_dir(shop(root));
    let child = command.spawn().map_err(|e| format!("start the story: {e}"))?;
    let story = Pid::from_raw(i32::try_from(child.id()).map_err(|_| "the story has no process id")?);
    let (sender, events) = mpsc::channel();
    let watched = watch_signals(signals, sender.clone()).and_then(|()| watch_children(sender));
    watched.map_err(|e| format!("watch the story: {e}"))?;
    let code = wait_story(&events, story);
    // A story that was broken off leaves its server to be ended here; that is no fault of the server.
    let patience = if code == 0 { END_DEADLINE } else { Duration::ZERO };
    Ok((code, clear(&events, patience)))
}

fn watch_signals(signals: SigSet, sender: Sender<Event>) -> std::io::Result<()> {
    let watch = move || while signals.wait().is_ok() && sender.send(Event::Signal).is_ok() {};
    thread::Builder::new().spawn(watch).map(drop)
}

/// Reaps everything that is or becomes a child of this process, until nothing is left.
fn watch_children(sender: Sender<Event>) -> std::io::Result<()> {
    let watch = move || {
        loop {
            let event = match waitpid(None, None) {
                Ok(WaitStatus::Exited(pid, code)) => {
                    Event::Ended(pid, u8::try_from(code & 0xff).unwrap_or(1))
                }
                // As a shell reports it.
                Ok(WaitStatus::Signaled(pid, signal, _)) => Event::Ended(pid, 128 + signal as u8),
                Ok(_) | Err(Errno::EINTR) => continue,
                Err(_) => Event::NoneLeft,
            };
            let last = matches!(event, Event::NoneLeft);
            if sender.send(event).is_err() || last {
                return;
            }
        }
    };
    thread::Builder::new().spawn(watch).map(drop)
}

fn wait_story(events: &Receiver<Event>, story: Pid) -> u8 {
    loop {
        match events.recv() {
            Ok(Event::Ended(pid, code)) if pid == story => return code,
            Ok(Event::Ended(..)) => {}
            Ok(Event::Signal) => drop(kill(story, Signal::SIGTERM)),
            Ok(Event::NoneLeft) | Err(_) => return 1,
        }
    }
}

/// Waits for everything the story started; ends what does not end by itself and names it.
fn clear(events: &Receiver<Event>, patience: Duration) -> Vec<String> {
    if ended(events, patience) {
        return Vec::new();
    }
    let own = process::id();
    let left = proc::tree(own);
    let names =
        left.iter().map(|process| format!("{} ({})", command_line(process.pid), process.pid)).collect();
    // What was being started meanwhile is found by the next look.
    for signal in [Signal::SIGTERM, Signal::SIGKILL, Signal::SIGKILL] {
        for process in proc::tree(own) {
            let _ = proc::send(&process, signal);
        }
        if ended(events, GRACE) {
            break;
        }
    }
    names
}

fn ended(events: &Receiver<Event>, within: Duration) -> bool {
    let until = Instant::now() + within;
    loop {
        match events.recv_timeout(until.saturating_duration_since(Instant::now())) {
            Ok(Event::NoneLeft) | Err(RecvTimeoutError::Disconnected) => return true,
            Ok(Event::Ended(..) | Event::Signal) => {}
            Err(RecvTimeoutError::Timeout) => return false,
        }
    }
}

fn command_line(pid: u32) -> String {
    let bytes = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
    String::from_utf8_lossy(&bytes).replace('\0', " ").trim_end().to_string()
}
