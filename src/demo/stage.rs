//! Gives the demonstration a world of its own and takes it away again: folders, environment, processes.
//!
//! `cli/demo.rs` runs it in three copies of the program. The first is the one a person started: it passes signals on and
//! waits. The second is the guard, in a process group of its own, and a third plays the story. Whatever that one starts,
//! detached servers and keepers included, ends with the guard, which is their subreaper, however the first one ends: also
//! by SIGKILL, alone or with its whole process group, at any moment.

use std::fs::{self, DirBuilder};
use std::os::unix::fs::DirBuilderExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{self, Child, Command};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread;
use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::sys::signal::{SigSet, Signal, kill};
use nix::sys::wait::{WaitStatus, waitpid};
use nix::unistd::{Pid, getpgid, getppid};

use super::agent;
use crate::os::interrupt::INTERRUPTED;
use crate::os::proc;

/// How long servers, keepers and agents may take to end after the story, and the story once it is told to end.
const END_DEADLINE: Duration = Duration::from_secs(5);
/// Between two looks for what was being started while the rest was killed.
const AGAIN: Duration = Duration::from_millis(20);

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

/// Runs the guard and waits for it; its exit code. `signals` are blocked here, and passed on.
pub fn guarded(mut guard: Command, signals: SigSet) -> Result<u8, String> {
    let mut guard = guard.process_group(0).spawn().map_err(|e| format!("start its guard: {e}"))?;
    let pid = pid_of(&guard)?;
    let pass_on = move || while signals.wait().is_ok() && kill(pid, Signal::SIGTERM).is_ok() {};
    thread::Builder::new().spawn(pass_on).map_err(|e| format!("pass signals on: {e}"))?;
    let ended = guard.wait().map_err(|e| format!("wait for its guard: {e}"))?;
    Ok(ended.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(1))
}

/// The guard of the process `first` is told by SIGTERM when that one has ended; whose process group the story belongs to.
pub fn guard(first: Pid) -> Result<Pid, String> {
    #[cfg(target_os = "linux")]
    nix::sys::prctl::set_pdeathsig(Signal::SIGTERM).map_err(|e| format!("watch its first process: {e}"))?;
    // It may have ended before that, and nothing has been made yet.
    if getppid() != first {
        return Err("its first process has ended".to_owned());
    }
    getpgid(Some(first)).map_err(|e| format!("find its process group: {e}"))
}

/// Runs the story in a world of its own and in this process group, whose the terminal is; its exit code, and who was still
/// there when the time was up. `signals` are blocked here, and end the story, which has to unblock them.
pub fn run(
    mut story: Command,
    group: Pid,
    world: &World,
    signals: SigSet,
) -> Result<(u8, Vec<String>), String> {
    #[cfg(target_os = "linux")]
    nix::sys::prctl::set_child_subreaper(true).map_err(|e| format!("become the subreaper: {e}"))?;
    let root = world.root();
    story
        .process_group(group.as_raw())
        .env("COUNSEL_RUNTIME_DIR", root.join("run"))
        .env("COUNSEL_STATE_DIR", root.join("state"))
        .env("XDG_CONFIG_HOME", root.join("config"))
        .env_remove("COUNSEL_SOCKET")
        .env_remove("COUNSEL_TOKEN")
        .env_remove("COUNSEL_AGENT")
        .env_remove(agent::LOG)
        .env_remove(agent::HURRY)
        .current_dir(shop(root));
    let story = pid_of(&story.spawn().map_err(|e| format!("start the story: {e}"))?)?;
    let (sender, events) = mpsc::channel();
    let watched = watch_signals(signals, sender.clone()).and_then(|()| watch_children(sender));
    watched.map_err(|e| format!("watch the story: {e}"))?;
    let code = wait_story(&events, story);
    if code == 0 && ended(&events, END_DEADLINE) {
        return Ok((code, Vec::new()));
    }
    // A story that was broken off leaves its server to be ended here; that is no fault of the server.
    let left = if code == 0 { still_running() } else { Vec::new() };
    kill_all(&events);
    Ok((code, left))
}

fn pid_of(child: &Child) -> Result<Pid, String> {
    i32::try_from(child.id()).map(Pid::from_raw).map_err(|_| "it has no process id".to_owned())
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
    let mut until: Option<Instant> = None;
    loop {
        // It may stand still, writing what nobody reads any more.
        let left = until.map_or(Duration::MAX, |until| until.saturating_duration_since(Instant::now()));
        match events.recv_timeout(left) {
            Ok(Event::Ended(pid, code)) if pid == story => return code,
            Ok(Event::Ended(..)) => {}
            Ok(Event::Signal) => {
                until.get_or_insert_with(|| Instant::now() + END_DEADLINE);
                let _ = kill(story, Signal::SIGTERM);
            }
            Err(RecvTimeoutError::Timeout) => return INTERRUPTED,
            Ok(Event::NoneLeft) | Err(RecvTimeoutError::Disconnected) => return 1,
        }
    }
}

/// What did not end by itself.
fn still_running() -> Vec<String> {
    let left = proc::tree(process::id());
    left.iter().map(|process| format!("{} ({})", command_line(process.pid), process.pid)).collect()
}

/// Whatever still runs ends now: it is all scripted, and has nothing to keep.
fn kill_all(events: &Receiver<Event>) {
    let until = Instant::now() + END_DEADLINE;
    while !ended(events, Duration::ZERO) && Instant::now() < until {
        // A server that is only becoming a daemon has a new parent at this moment, and may be in no list: that none is there the kernel
        // says, to whom all come whose parent has ended.
        for process in proc::tree(process::id()) {
            // It may have ended meanwhile.
            let _ = proc::send(&process, Signal::SIGKILL);
        }
        if ended(events, AGAIN) {
            return;
        }
    }
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
