//! How an agent's terminal comes about: a keeper is started with it, or one of an earlier server is found.

use std::path::{Path, PathBuf};
use std::time::Duration;

use nix::sys::signal::Signal;
use tokio::task::JoinSet;
use tokio::time::{Instant, timeout_at};

use crate::core::agent::{AgentSpec, Host, Isolate};
use crate::core::policy::Policy;
use crate::core::terminal::grid::Size;
use crate::os::ancestry::identity;
use crate::os::keeper_link::{self, Isolation, KeeperSpec, Link, Listener, RING_BYTES, Run};
use crate::os::output_log::{self, OutputLog};
use crate::os::tmux::Tmux;
use crate::os::{daemon, paths, proc};
use crate::server::remembered::Remembered;
use crate::server::{file_io, hook_io, orphan_io, tmux_io};
use crate::session::Setup;
use crate::session::message::{AgentKey, Started};
use crate::session::pty::Pty;
use crate::session::setting::{Starting, Terminal};

use super::kept::Kept;
use super::manifest::KeeperManifest;
use super::{Executor, tmux, token};

/// A keeper answers in milliseconds, on a busy machine later: whoever started the server waits a little longer than this.
const PROVED_TIME: Duration = Duration::from_secs(4);
/// Whoever listens where a keeper should and may be an agent, has so long to answer before the server goes on.
const UNPROVED_TIME: Duration = Duration::from_secs(1);

/// An agent that was found running.
#[derive(Debug)]
pub struct Found {
    pub manifest: KeeperManifest,
    pub link: Link,
    pub kept: Kept,
}

impl Executor {
    /// Starts an agent, in a keeper of its own.
    pub(super) fn starting(
        &mut self,
        mut spec: AgentSpec,
        policy: Policy,
        size: Size,
        hooks: bool,
    ) -> Starting {
        let token = match token::fresh() {
            Ok(token) => token,
            Err(error) => {
                let why = format!("no random bytes for its token: {error}");
                return Box::pin(std::future::ready(Err(why)));
            }
        };
        let waits = spec.prompt.as_ref().map(|_| Remembered::before_it_began(self.clock.now().unix_ms));
        let manifest = KeeperManifest {
            spec: AgentSpec { stdin: None, ..spec.clone() },
            policy,
            token: token.clone(),
            held: serde_json::to_value(waits).expect("a state and numbers are JSON"),
        };
        let keeper = self.keeper_spec(&mut spec, &token, size);
        // A namesake that ended while no server was there may have left its own.
        let notes = self.notes_of(&spec.name);
        output_log::discard(&notes);
        self.try_file(file_io::Job::Discard { path: self.journal_of(&spec.name) });
        let (adopted, folder) = (spec.pane.is_some(), self.adopted_place());
        let tmux = (spec.host == Host::Tmux).then(|| tmux_io::private(&self.sockets.keepers));
        Box::pin(async move {
            if adopted {
                return tmux::adopt(folder, manifest, notes).await;
            }
            let (keeper, manifest) = hooked(hooks, keeper, manifest).await?;
            if let Some(tmux) = tmux {
                return tmux::open(tmux, keeper, manifest, &notes).await;
            }
            let size = keeper.size.clamped();
            let begun = tokio::task::spawn_blocking(move || begin(&keeper, &manifest, &notes)).await;
            let (mut link, output_log) = begun.unwrap_or_else(|error| Err(error.to_string()))?;
            // What it was given: its program may have given it another by now.
            link.hello.size = size;
            let (start, link) = take(link, token, false);
            let pty = Pty::new(link, output_log).map_err(|error| error.to_string())?;
            Ok((start, Terminal::Pty(Box::new(pty))))
        })
    }

    fn keeper_spec(&self, spec: &mut AgentSpec, token: &str, size: Size) -> KeeperSpec {
        let mut env = std::mem::take(&mut spec.env);
        env.insert("COUNSEL_AGENT".into(), spec.name.clone());
        let socket = self.sockets.agents.as_ref().unwrap_or(&self.sockets.people);
        env.insert("COUNSEL_SOCKET".into(), socket.to_string_lossy().into_owned());
        env.insert("COUNSEL_TOKEN".into(), token.to_owned());
        KeeperSpec {
            name: spec.name.clone(),
            argv: spec.wrap.iter().chain(&spec.command).cloned().collect(),
            cwd: spec.cwd.clone(),
            stdin: spec.stdin.take(),
            env,
            umask: spec.umask,
            size,
            socket: keeper_link::socket_of(&self.sockets.keepers, &spec.name),
            ring_bytes: RING_BYTES,
            isolation: Isolation {
                level: spec.isolate,
                hide: self.private_paths(spec.isolate),
                show: self.sockets.agents.as_ref().and_then(|path| path.parent()).map(Path::to_path_buf),
                user: spec.user.clone(),
            },
            tied: spec.tied,
        }
    }

    /// What no isolated agent has any business in: sockets and notes, the log and what is trusted, the user's rules.
    fn private_paths(&self, level: Isolate) -> Vec<PathBuf> {
        let open = level == Isolate::Landlock && self.sockets.is_open_to_isolated();
        let sockets = [&self.sockets.keepers, &self.sockets.people].map(PathBuf::clone);
        let state = self.log.parent().map(Path::to_path_buf);
        let sockets = sockets.into_iter().filter(|_| !open);
        sockets.chain(state).chain(paths::config_dir().ok()).collect()
    }

    /// Serves an agent whose keeper was found running.
    pub fn attach(&mut self, agent: AgentKey, setup: Setup, link: Link, token: String, kept: Kept) {
        let starting: Starting = Box::pin(async move {
            let (mut start, link) = take(link, token, true);
            let Kept { journal, rest, at, output_log } = kept;
            (start.journal, start.output_log, start.at) = (journal, rest, at);
            let pty = Pty::new(link, output_log).map_err(|error| error.to_string())?;
            Ok((start, Terminal::Pty(Box::new(pty))))
        });
        self.run_session(agent, setup, starting);
    }

    /// Asks all keepers of an earlier server at once.
    pub fn ask_keepers(&self) -> Keepers {
        let mut keepers = Keepers { asked: JoinSet::new(), proved: 0, begun: Instant::now() };
        for socket in keeper_link::list(&self.sockets.keepers) {
            let Some(name) = keeper_link::agent_of(&socket) else { continue };
            let (journal, notes) = (self.journal_of(name), self.notes_of(name));
            let proved = keeper_link::look(&socket) == Listener::Keeper;
            let tmux = tmux_io::private(&self.sockets.keepers);
            keepers.proved += usize::from(proved);
            keepers.asked.spawn_blocking(move || {
                let found = take_back(&socket, (&journal, &notes), &tmux).inspect_err(|error| {
                    tracing::warn!(socket = %socket.display(), error, "an agent could not be taken back");
                });
                (proved, found.ok())
            });
        }
        keepers
    }
}

/// The keepers that were asked. Who listens in the place of one and says nothing delays nobody: it is not waited for,
/// and taken back should it answer later.
#[derive(Debug)]
pub struct Keepers {
    asked: JoinSet<(bool, Option<Found>)>,
    begun: Instant,
    /// Of those that have not answered yet, those that are no agent's.
    proved: usize,
}

impl Keepers {
    /// When the server serves whoever comes, whatever has not answered by then.
    pub fn served_by(&self) -> Instant {
        self.begun + PROVED_TIME
    }

    /// Those that answer before the server serves anybody.
    pub async fn first(&mut self) -> Vec<Found> {
        let mut all = Vec::new();
        loop {
            let time = if self.proved > 0 { PROVED_TIME } else { UNPROVED_TIME };
            match timeout_at(self.begun + time, self.asked.join_next()).await {
                Ok(Some(Ok((proved, found)))) => {
                    self.proved -= usize::from(proved);
                    all.extend(found);
                }
                Ok(Some(Err(error))) => tracing::error!(%error, "an agent could not be taken back"),
                Ok(None) | Err(_) => return all,
            }
        }
    }

    /// The next of the others. Nothing is lost if it is dropped half way; `None`: there are no more.
    pub async fn next(&mut self) -> Option<Found> {
        loop {
            if let Ok((_, Some(found))) = self.asked.join_next().await? {
                return Some(found);
            }
        }
    }
}

fn take_back(socket: &Path, (journal, notes): (&Path, &Path), tmux: &Tmux) -> Result<Found, String> {
    let offer = keeper_link::ask(socket)?;
    let manifest: KeeperManifest =
        serde_json::from_value(offer.manifest.clone()).map_err(|error| error.to_string())?;
    // Its generation does not tell it from an agent.
    let in_pane = || tmux.panes().iter().any(|(_, pid, _)| *pid == offer.hello.keeper_pid);
    if manifest.spec.host == Host::Tmux && !in_pane() {
        return Err("it is in no pane of the private tmux".to_owned());
    }
    let kept = Kept::of(journal, notes, &offer.ring);
    Ok(Found { manifest, link: offer.take(socket)?, kept })
}

/// The keeper's orders with the agent's hooks in its command line, where its program takes them.
async fn hooked(
    hooks: bool,
    mut keeper: KeeperSpec,
    manifest: KeeperManifest,
) -> Result<(KeeperSpec, KeeperManifest), String> {
    let work = move || {
        match daemon::exe_for_others() {
            Ok(exe) if hooks => {
                keeper.argv = hook_io::with_hooks(&manifest.spec, &manifest.policy, &exe);
            }
            Err(why) if hooks => tracing::warn!(agent = keeper.name, why, "started without hooks"),
            _ => {}
        }
        (keeper, manifest)
    };
    tokio::task::spawn_blocking(work).await.map_err(|error| error.to_string())
}

fn begin(spec: &KeeperSpec, manifest: &KeeperManifest, notes: &Path) -> Result<(Link, OutputLog), String> {
    let exe = daemon::own_exe()?;
    let manifest = serde_json::to_value(manifest).map_err(|error| error.to_string())?;
    let begun = keeper_link::spawn_keeper(&exe, spec, &manifest);
    let token = spec.env.get("COUNSEL_TOKEN").map_or("", String::as_str);
    let taken = begun.and_then(|ready| take_over(&spec.socket, notes, ready.keeper_pid, token));
    taken.inspect_err(|_| {
        // An agent can have ended its keeper before that said a word, and nobody else knows of it.
        let left = orphan_io::end_bearing(token);
        if !left.is_empty() {
            tracing::warn!(agent = spec.name, ?left, "what a failed start has left could not be ended");
        }
    })
}

/// Takes a keeper that has just been started, at the second try if its line closes at the first. One that cannot be taken
/// is ended, and its agent with it: nobody knows of that agent, and its name would be taken.
fn take_over(socket: &Path, notes: &Path, keeper: u32, token: &str) -> Result<(Link, OutputLog), String> {
    let once = || {
        let offer = keeper_link::ask(socket)?;
        let output_log = OutputLog::begin(notes, 0, &[], &offer.ring);
        Ok((offer.take(socket)?, output_log))
    };
    once().or_else(|_| once()).inspect_err(|_| {
        // Its agent may keep it so, and then it hears nothing.
        if let Some(keeper) = identity(keeper) {
            orphan_io::end_with_keeper(keeper, token, false);
        }
        if let Some(keeper) = proc::look(keeper) {
            // One that has ended meanwhile is as wanted.
            let _ = proc::send(&keeper, Signal::SIGTERM);
        }
    })
}

fn take(mut link: Link, token: String, adopted: bool) -> (Started, Link) {
    let start = Started {
        pid: link.hello.agent_pid,
        keeper: link.hello.keeper_pid,
        token,
        backlog: std::mem::take(&mut link.ring),
        stopped: matches!(link.hello.run, Run::Stopped | Run::Paused),
        exited: if let Run::Exited(exit) = link.hello.run { Some(exit.shell_code()) } else { None },
        size: Some(link.hello.size),
        tells_signals: link.hello.tells_signals,
        adopted,
        ..Started::default()
    };
    (start, link)
}

#[cfg(test)]
#[path = "start_tests.rs"]
mod tests;
