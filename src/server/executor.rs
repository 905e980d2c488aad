//! Performs the hub's effects: the table of live tasks, and the way to each.
//!
//! Owned by the server's loop. `perform` never waits; whatever takes time is a task that sends an event
//! when it is done.

mod tmux;
mod token;

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use tokio::net::UnixStream;
use tokio::sync::mpsc::{self, Sender, UnboundedSender};
use tokio::sync::oneshot;
use tokio::task::{JoinHandle, JoinSet};

use crate::core::agent::{AgentSpec, Host};
use crate::core::policy::Policy;
use crate::core::terminal::grid::Size;
use crate::os::keeper_link::{self, KeeperSpec, Link, RING_BYTES, Run};
use crate::os::{daemon, proc};
use crate::wire::ServerMessage;

use super::agent_io::{self, Command};
use super::effect::{AgentKey, AskKey, ClientKey, Effect, Event, Started};
use super::output_log::{self, OutputLog};
use super::{client_io, consult_io, context_io, file_io, hook_io, journal, orphan_io, tmux_io};

/// What a keeper holds for the server that comes after this one.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct KeeperManifest {
    pub spec: AgentSpec,
    pub policy: Policy,
    pub token: String,
}

struct AgentHandle {
    commands: UnboundedSender<Command>,
    task: JoinHandle<()>,
}

pub struct Executor {
    socket: PathBuf,
    keepers: PathBuf,
    log: PathBuf,
    output: Sender<Event>,
    events: Sender<Event>,
    agents: HashMap<AgentKey, AgentHandle>,
    /// The names of agents, and the end of the last task that served each: a name is started anew only
    /// when its former keeper has cleared its files away.
    names: HashMap<AgentKey, String>,
    leaving: HashMap<String, JoinHandle<()>>,
    clients: HashMap<ClientKey, Sender<ServerMessage>>,
    serving: JoinSet<()>,
    consults: HashMap<AskKey, oneshot::Sender<()>>,
    files: Option<std::sync::mpsc::Sender<file_io::Job>>,
    writer: Option<std::thread::JoinHandle<()>>,
}

impl Executor {
    pub fn new(
        socket: PathBuf,
        keepers: PathBuf,
        log: PathBuf,
        output: Sender<Event>,
        events: Sender<Event>,
    ) -> Executor {
        let (files, jobs) = std::sync::mpsc::channel();
        let (told, log_path) = (events.clone(), log.clone());
        let writer = std::thread::spawn(move || {
            file_io::run(&log_path, jobs, |event| drop(told.blocking_send(event)));
        });
        Executor {
            socket,
            keepers,
            log,
            output,
            events,
            agents: HashMap::new(),
            names: HashMap::new(),
            leaving: HashMap::new(),
            clients: HashMap::new(),
            serving: JoinSet::new(),
            consults: HashMap::new(),
            files: Some(files),
            writer: Some(writer),
        }
    }

    pub fn perform(&mut self, effect: Effect) {
        match effect {
            Effect::Spawn { agent, spec, policy, size, hooks } => {
                self.spawn(agent, *spec, *policy, size, hooks);
            }
            Effect::Write { agent, bytes } => self.command(agent, Command::Write(bytes)),
            Effect::Drain { agent } => self.command(agent, Command::Drain),
            Effect::Resize { agent, size } => self.command(agent, Command::Resize(size)),
            Effect::Keeper { agent, message } => self.command(agent, Command::Keeper(message)),
            Effect::Forget { agent } => self.forget(agent),
            Effect::Send { client, message } => self.send(client, *message),
            Effect::Part { client } => drop(self.clients.remove(&client)),
            Effect::ReadContext { ask, cwd, patterns, max_bytes } => {
                self.spawn_blocking(move || {
                    let found = context_io::read(cwd.as_ref(), &patterns, max_bytes);
                    let context_io::Context { files, secrets } = found;
                    Event::Context { ask, files, secrets }
                });
            }
            Effect::Consult { ask, turn, run } => {
                let (cancel, cancelled) = oneshot::channel();
                self.consults.insert(ask, cancel);
                let events = self.events.clone();
                tokio::spawn(async move {
                    let said = consult_io::consult(run, cancelled).await;
                    let _ = events.send(Event::Consulted { ask, turn, said }).await;
                });
            }
            Effect::CancelConsult { ask } => drop(self.consults.remove(&ask)),
            Effect::Append { ask, entry } => self.file(file_io::Job::Append(ask, entry)),
            Effect::Notify { command, json } => {
                drop(tokio::spawn(consult_io::notify(command, json, self.events.clone())));
            }
            Effect::Record { agent, path, size, seed } => {
                self.file(file_io::Job::Record { agent, path, size, seed });
            }
            Effect::RecordAlways { agent, name, size, seed, max_bytes } => {
                let folder = self.log.parent().unwrap_or(&self.log).join("recordings");
                self.file(file_io::Job::RecordAlways { agent, folder, name, size, seed, max_bytes });
            }
            Effect::Recorded { agent, bytes } => self.file(file_io::Job::Output { agent, bytes }),
            Effect::Journal { agent, parts } => {
                if let Some(path) = self.journal_of(agent) {
                    self.file(file_io::Job::Journal { path, parts });
                }
            }
            Effect::RecordedSize { agent, size } => self.file(file_io::Job::Resized { agent, size }),
            Effect::MeasureMemory { agent, pid } => {
                self.spawn_blocking(move || Event::Memory { agent, kib: proc::tree_resident_kib(pid) });
            }
            Effect::EndOrphans { agent, keeper, token } => {
                self.spawn_blocking(move || Event::Keeper { agent, message: orphan_io::end(keeper, &token) });
            }
            Effect::Exit => {}
        }
    }

    /// Work that waits for the system, on a thread that may.
    fn spawn_blocking(&self, work: impl FnOnce() -> Event + Send + 'static) {
        let events = self.events.clone();
        tokio::task::spawn_blocking(move || drop(events.blocking_send(work())));
    }

    fn command(&self, agent: AgentKey, command: Command) {
        if let Some(port) = self.agents.get(&agent) {
            // A task that has ended has told the hub so.
            let _ = port.commands.send(command);
        }
    }

    fn file(&self, job: file_io::Job) {
        if let Some(files) = &self.files {
            let _ = files.send(job);
        }
    }

    fn send(&mut self, client: ClientKey, message: ServerMessage) {
        let Some(sender) = self.clients.get(&client) else { return };
        if sender.try_send(message).is_err() {
            tracing::warn!(client = client.0, "dropped a client that does not read");
            self.clients.remove(&client);
        }
    }

    pub fn serve(&mut self, client: ClientKey, stream: UnixStream) {
        let (sender, messages) = mpsc::channel(client_io::MAX_MESSAGES);
        self.clients.retain(|_, sender| !sender.is_closed());
        self.clients.insert(client, sender);
        while self.serving.try_join_next().is_some() {}
        self.serving.spawn(client_io::run(client, stream, self.events.clone(), messages));
    }

    fn journal_of(&self, agent: AgentKey) -> Option<PathBuf> {
        let keeper = keeper_link::socket_of(&self.keepers, self.names.get(&agent)?);
        Some(file_io::journal_path(self.log.parent()?, &keeper))
    }

    fn forget(&mut self, agent: AgentKey) {
        self.file(file_io::Job::Close { agent });
        if let Some(path) = self.journal_of(agent) {
            self.file(file_io::Job::Discard { path });
        }
        let (Some(port), Some(name)) = (self.agents.remove(&agent), self.names.remove(&agent)) else {
            return;
        };
        let _ = port.commands.send(Command::Forget);
        output_log::discard(&keeper_link::socket_of(&self.keepers, &name));
        self.leaving.insert(name, port.task);
    }

    fn spawn(&mut self, agent: AgentKey, mut spec: AgentSpec, policy: Policy, size: Size, hooks: bool) {
        let token = match token::fresh() {
            Ok(token) => token,
            Err(error) => {
                let why = format!("no random bytes for its token: {error}");
                let events = self.events.clone();
                tokio::spawn(async move { events.send(Event::StartFailed { agent, why }).await });
                return;
            }
        };
        let manifest = KeeperManifest { spec: spec.clone(), policy, token: token.clone() };
        let keeper = self.keeper_spec(&mut spec, &token, size);
        let name = spec.name.clone();
        let (commands, receiver) = mpsc::unbounded_channel();
        let (output, events) = (self.output.clone(), self.events.clone());
        let former = self.leaving.remove(&spec.name);
        let (adopted, folder) = (spec.pane.is_some(), self.keepers.clone());
        let tmux = (spec.host == Host::Tmux).then(|| tmux_io::private(&self.keepers));
        let task = tokio::spawn(async move {
            if let Some(former) = former {
                let _ = former.await;
            }
            if adopted {
                let start = tmux::Start { agent, keeper, manifest, token };
                return tmux::adopt(folder, start, output, events, receiver).await;
            }
            let (keeper, manifest) = match hooked(hooks, keeper, manifest).await {
                Ok(both) => both,
                Err(why) => return drop(events.send(Event::StartFailed { agent, why }).await),
            };
            if let Some(tmux) = tmux {
                let start = tmux::Start { agent, keeper, manifest, token };
                return tmux::run(tmux, start, output, events, receiver).await;
            }
            let begun = tokio::task::spawn_blocking(move || begin(&keeper, &manifest)).await;
            let (link, output_log) = match begun.unwrap_or_else(|error| Err(error.to_string())) {
                Ok(both) => both,
                Err(why) => return drop(events.send(Event::StartFailed { agent, why }).await),
            };
            let (start, link) = take(link, token, false);
            let _ = events.send(Event::Started { agent, start }).await;
            agent_io::run(agent, link, output_log, output, receiver).await;
        });
        // A namesake that ended while no server was there may have left its own.
        output_log::discard(&keeper_link::socket_of(&self.keepers, &name));
        self.names.insert(agent, name);
        self.agents.insert(agent, AgentHandle { commands, task });
        if let Some(path) = self.journal_of(agent) {
            self.file(file_io::Job::Discard { path });
        }
    }

    fn keeper_spec(&self, spec: &mut AgentSpec, token: &str, size: Size) -> KeeperSpec {
        let mut env = std::mem::take(&mut spec.env);
        env.insert("COUNSEL_AGENT".into(), spec.name.clone());
        env.insert("COUNSEL_SOCKET".into(), self.socket.to_string_lossy().into_owned());
        env.insert("COUNSEL_TOKEN".into(), token.to_owned());
        KeeperSpec {
            name: spec.name.clone(),
            argv: spec.wrap.iter().chain(&spec.command).cloned().collect(),
            cwd: spec.cwd.clone(),
            env,
            size,
            socket: keeper_link::socket_of(&self.keepers, &spec.name),
            ring_bytes: RING_BYTES,
        }
    }

    /// Serves an agent whose keeper was found running.
    pub fn attach(&mut self, agent: AgentKey, link: Link, token: String, kept: Kept) -> Started {
        let name = link.hello.name.clone();
        let (mut start, link) = take(link, token, true);
        let Kept { journal, rest, at, output_log } = kept;
        (start.journal, start.output_log, start.at) = (journal, rest, at);
        let (commands, receiver) = mpsc::unbounded_channel();
        let task = tokio::spawn(agent_io::run(agent, link, output_log, self.output.clone(), receiver));
        self.names.insert(agent, name);
        self.agents.insert(agent, AgentHandle { commands, task });
        start
    }

    /// The keepers of an earlier server that still answer.
    pub async fn find_keepers(&self) -> Vec<Found> {
        let folder = self.keepers.clone();
        let state = self.log.parent().unwrap_or(&self.log).to_path_buf();
        let found = tokio::task::spawn_blocking(move || {
            let take_back = |socket: &PathBuf| -> Result<Found, String> {
                let manifest = keeper_link::read_manifest(socket)?;
                let manifest: KeeperManifest = serde_json::from_value(manifest).map_err(|e| e.to_string())?;
                let offer = keeper_link::ask(socket)?;
                let kept = Kept::of(&state, socket, &offer.ring);
                Ok(Found { manifest, link: offer.take(socket)?, kept })
            };
            let sockets = keeper_link::list(&folder);
            let taken = sockets.iter().map(|socket| (socket, take_back(socket)));
            let keep = taken.filter_map(|(socket, taken)| match taken {
                Ok(taken) => Some(taken),
                Err(error) => {
                    tracing::warn!(socket = %socket.display(), error, "an agent could not be taken back");
                    None
                }
            });
            keep.collect::<Vec<_>>()
        });
        found.await.unwrap_or_default()
    }

    /// Lets what must be finished finish: messages under way, the log, keepers that were told to leave.
    pub async fn close(&mut self) {
        self.clients.clear();
        // The answer to whoever ended the server may still be on its way.
        let served = async { while self.serving.join_next().await.is_some() {} };
        let _ = tokio::time::timeout(GOODBYE_TIME, served).await;
        for (_, port) in self.agents.drain() {
            port.task.abort();
        }
        let leaving: Vec<_> = self.leaving.drain().map(|(_, task)| task).collect();
        for task in leaving {
            let _ = tokio::time::timeout(LEAVE_TIME, task).await;
        }
        self.files = None;
        if let Some(writer) = self.writer.take() {
            let _ = tokio::task::spawn_blocking(move || writer.join()).await;
        }
    }
}

/// A client that was told everything has at most this long to read it and hang up.
const GOODBYE_TIME: std::time::Duration = std::time::Duration::from_secs(1);
/// A keeper that was told to leave has at most this long to sweep and go.
const LEAVE_TIME: std::time::Duration = std::time::Duration::from_secs(3);

/// The keeper's orders with the agent's hooks in its command line, where its program takes them.
async fn hooked(
    hooks: bool,
    mut keeper: KeeperSpec,
    manifest: KeeperManifest,
) -> Result<(KeeperSpec, KeeperManifest), String> {
    let work = move || {
        if hooks && let Ok(exe) = daemon::own_exe() {
            keeper.argv = hook_io::with_hooks(&manifest.spec, &manifest.policy, &exe);
        }
        (keeper, manifest)
    };
    tokio::task::spawn_blocking(work).await.map_err(|error| error.to_string())
}

/// An agent that was found running.
#[derive(Debug)]
pub struct Found {
    pub manifest: KeeperManifest,
    pub link: Link,
    pub kept: Kept,
}

/// What is left of what an earlier server knew of an agent.
#[derive(Debug)]
pub struct Kept {
    /// Without it the screen is rebuilt by the program's next redraw.
    journal: Vec<journal::Part>,
    /// What that server had read besides.
    rest: Vec<u8>,
    /// The place in the agent's output where `rest` ends.
    at: u64,
    output_log: OutputLog,
}

impl Kept {
    /// Notes what the keeper offers, which it forgets once that is taken.
    fn of(state_dir: &Path, keeper: &Path, ring: &[u8]) -> Kept {
        let (journal, end) = journal::read(&file_io::journal_path(state_dir, keeper));
        let rest = output_log::since(keeper, end, ring);
        let output_log = OutputLog::begin(keeper, end, &rest, ring);
        Kept { journal, at: end + rest.len() as u64, rest, output_log }
    }
}

fn begin(spec: &KeeperSpec, manifest: &KeeperManifest) -> Result<(Link, OutputLog), String> {
    let exe = daemon::own_exe()?;
    let manifest = serde_json::to_value(manifest).map_err(|error| error.to_string())?;
    keeper_link::spawn_keeper(&exe, spec, &manifest)?;
    let offer = keeper_link::ask(&spec.socket)?;
    let output_log = OutputLog::begin(&spec.socket, 0, &[], &offer.ring);
    Ok((offer.take(&spec.socket)?, output_log))
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
        adopted,
        ..Started::default()
    };
    (start, link)
}
