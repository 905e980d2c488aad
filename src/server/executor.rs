//! Performs the hub's effects: the table of live sessions and clients, and the way to each.
//!
//! Owned by the server's loop. `perform` never waits; whatever takes time is a task that sends an event
//! when it is done.

mod closing;
pub mod kept;
pub mod manifest;
mod orders;
mod session_task;
pub mod start;
mod tmux;
pub mod token;

use std::collections::{HashMap, VecDeque};
use std::path::PathBuf;
use std::sync::Arc;

use tokio::sync::mpsc::{self, Sender};
use tokio::sync::{oneshot, watch};
use tokio::task::{JoinHandle, JoinSet};

use crate::core::ancestry::Identity;
use crate::core::policy::notify::QuietHours;
use crate::os::{keeper_link, links, local_time, output_log, paths, proc};
use crate::session::mailbox::{self, Command, Directory, Gate, Handle, Sink};
use crate::session::message::{AgentKey, AskKey, ClientKey, News, Order, Output};
use crate::session::setting::{Clock, Files, Setting, Starting};
use crate::session::task;
use crate::session::{Session, Setup};
use crate::wire::keeper::FromKeeper;

use orders::Orders;
use session_task::{after, spawn_telling};

use super::accept_io::{Arrival, Door};
use super::effect::{Effect, Event};
use super::peer::Peer;
use super::standing::Standing;
use super::tie_io::Ties;
use super::{client_io, consult_io, context_io, file_io, orphan_io};

/// Quiet hours are told by the minute.
const MINUTE_MS: u64 = 60_000;
/// Jobs that may wait for the disk. Full, journals are begun anew once there is room, and recordings have a gap.
const FILE_JOBS: usize = 4096;

struct AgentHandle {
    name: String,
    orders: Orders,
    task: JoinHandle<()>,
}

impl AgentHandle {
    /// It ended without having been told to: the agent runs on, and what is kept of it is for the next server.
    fn lost(&self) -> bool {
        self.orders.given_up() || self.task.is_finished()
    }
}

struct ClientHandle {
    sink: Sink,
    standing: watch::Sender<Option<Standing>>,
}

/// Where the server is reached, and where its keepers are.
#[derive(Debug)]
pub struct Sockets {
    pub people: PathBuf,
    /// `None`: agents come by the people's.
    pub agents: Option<PathBuf>,
    pub keepers: PathBuf,
}

impl Sockets {
    /// Whether the folder of the keepers is open to agents that Landlock isolates: it could be closed only by keeping them from
    /// making temporary files.
    fn is_open_to_isolated(&self) -> bool {
        self.keepers.starts_with(std::env::temp_dir())
    }
}

pub struct Executor {
    sockets: Sockets,
    log: PathBuf,
    clock: Clock,
    events: Sender<Event>,
    news: Sender<(AgentKey, News)>,
    agents: HashMap<AgentKey, AgentHandle>,
    directory: watch::Sender<Directory>,
    /// The end of the last task that served each name: it is started anew only when its former keeper has cleared
    /// its files away.
    leaving: HashMap<String, JoinHandle<()>>,
    clients: HashMap<ClientKey, ClientHandle>,
    gate: Gate,
    serving: JoinSet<()>,
    consults: HashMap<AskKey, oneshot::Sender<()>>,
    ties: Ties,
    files: Option<std::sync::mpsc::SyncSender<file_io::Job>>,
    /// Decisions the disk's thread had no room for.
    unwritten: VecDeque<file_io::Job>,
    writer: Option<std::thread::JoinHandle<()>>,
}

impl Executor {
    pub fn new(
        sockets: Sockets,
        log: PathBuf,
        clock: Clock,
        events: Sender<Event>,
        news: Sender<(AgentKey, News)>,
    ) -> Result<Executor, String> {
        if sockets.is_open_to_isolated() {
            // Where it cannot be made, on a full disk for instance, nothing can be noted either.
            let notes = file_io::journal_path(log.parent().unwrap_or(&log), &sockets.keepers);
            let _ = notes.parent().map(paths::create_private);
        }
        let (files, jobs) = std::sync::mpsc::sync_channel(FILE_JOBS);
        let (told, log_path) = (events.clone(), log.clone());
        let write = move || file_io::run(&log_path, jobs, |event| drop(told.blocking_send(event)));
        let writer = std::thread::Builder::new().spawn(write);
        let writer = writer.map_err(|error| format!("no thread can be had for its files: {error}"))?;
        Ok(Executor {
            sockets,
            log,
            clock,
            events,
            news,
            agents: HashMap::new(),
            directory: watch::Sender::new(Directory::default()),
            leaving: HashMap::new(),
            clients: HashMap::new(),
            gate: Gate::default(),
            serving: JoinSet::new(),
            consults: HashMap::new(),
            ties: Ties::default(),
            files: Some(files),
            unwritten: VecDeque::new(),
            writer: Some(writer),
        })
    }

    pub fn perform(&mut self, effect: Effect) {
        self.retry_appends();
        match effect {
            Effect::Spawn { agent, spec, policy, setup, hooks } => {
                let starting = self.starting(*spec, *policy, setup.size, hooks);
                self.run_session(agent, *setup, starting);
            }
            Effect::Order { agent, order } => self.order(agent, order),
            Effect::Forget { agent } => self.forget(agent),
            Effect::Admit { client, standing } => {
                if let Some(client) = self.clients.get(&client) {
                    client.standing.send_replace(Some(standing));
                }
            }
            Effect::Send { client, message } => {
                if let Some(client) = self.clients.get(&client) {
                    client.sink.send(*message);
                }
            }
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
                let (events, apart) = (self.events.clone(), consult_io::folder_apart(&self.log));
                tokio::spawn(async move {
                    let said = consult_io::consult(run, apart, cancelled).await;
                    let _ = events.send(Event::Consulted { ask, turn, said }).await;
                });
            }
            Effect::CancelConsult { ask } => drop(self.consults.remove(&ask)),
            Effect::LogHead { client, id } => self.append(file_io::Job::Head(client, id)),
            Effect::LookAtPath { ask, cwd, path } => self.spawn_blocking(move || {
                let link = links::below(cwd.as_ref(), path.as_ref());
                Event::PathLooked { ask, link: link.map(|link| link.display().to_string()) }
            }),
            Effect::ReserveLog { ask } => self.append(file_io::Job::Reserve(ask)),
            Effect::Append { ask, entry } => self.append(file_io::Job::Append(ask, entry)),
            Effect::AskWhetherQuiet { ask, quiet_hours } => drop(self.is_quiet(ask, Some(quiet_hours))),
            Effect::Notify { ask, quiet_hours, .. } if self.is_quiet(ask, quiet_hours) => {}
            Effect::Notify { command, json, cwd, agreed, .. } => {
                let folder = (cwd, consult_io::folder_apart(&self.log));
                let call = consult_io::Call { command, json, agreed: agreed.map(|agreed| *agreed) };
                drop(tokio::spawn(consult_io::notify(call, folder, self.events.clone())));
            }
            Effect::MeasureMemory { agent, pid } => {
                self.spawn_blocking(move || Event::Memory { agent, kib: proc::tree_resident_kib(pid) });
            }
            Effect::WatchTie { agent, tie } => self.ties.watch(agent, tie, self.events.clone()),
            // The server's loop has these done, which knows the keepers from whoever has their pids since.
            Effect::EndOrphans { .. } | Effect::EndKeeper { .. } | Effect::Exit => {}
        }
    }

    pub fn end_keeper(&self, keeper: Option<Identity>, token: String, overdue: bool) {
        let Some(keeper) = keeper else { return };
        let end = move || orphan_io::end_with_keeper(keeper, &token, overdue);
        drop(tokio::task::spawn_blocking(end));
    }

    pub fn end_orphans(&self, agent: AgentKey, keeper: Option<Identity>, token: String) {
        self.spawn_blocking(move || {
            let news = match orphan_io::end(keeper, &token) {
                FromKeeper::Swept { left, kept, .. } => News::Swept { left, kept },
                _ => News::Swept { left: Vec::new(), kept: Vec::new() },
            };
            Event::News { agent, news }
        });
    }

    /// Whether a person is to be left alone now: then the question calls them once these hours are over.
    fn is_quiet(&self, ask: AskKey, hours: Option<QuietHours>) -> bool {
        let minute = local_time::minute_of_day();
        let Some(hours) = hours.filter(|hours| hours.hold(minute)) else { return false };
        let left_ms = u64::from(hours.left(minute)) * MINUTE_MS;
        let events = self.events.clone();
        drop(tokio::spawn(async move { events.send(Event::Quiet { ask, left_ms }).await }));
        true
    }

    /// Work that waits for the system, on a thread that may.
    fn spawn_blocking(&self, work: impl FnOnce() -> Event + Send + 'static) {
        let events = self.events.clone();
        tokio::task::spawn_blocking(move || drop(events.blocking_send(work())));
    }

    fn order(&mut self, agent: AgentKey, order: Box<Order>) {
        if let Some(handle) = self.agents.get(&agent) {
            handle.orders.give(Command::Order(order));
        }
    }

    /// A decision is never dropped: while the disk takes nothing it is kept here.
    fn append(&mut self, job: file_io::Job) {
        self.unwritten.push_back(job);
        self.retry_appends();
    }

    fn retry_appends(&mut self) {
        let Some(files) = &self.files else { return };
        while let Some(job) = self.unwritten.pop_front() {
            if let Err(std::sync::mpsc::TrySendError::Full(job)) = files.try_send(job) {
                self.unwritten.push_front(job);
                return;
            }
        }
    }

    fn try_file(&self, job: file_io::Job) {
        if let Some(files) = &self.files {
            let _ = files.try_send(job);
        }
    }

    pub fn serve(&mut self, client: ClientKey, arrival: Arrival, door: Arc<Door>) {
        let (sink, source) = mailbox::sink();
        let (standing, decided) = watch::channel(None);
        let Arrival { stream, caller, seat, .. } = arrival;
        let io = client_io::Client {
            key: client,
            peer: Peer::new(caller, seat, door),
            sink: sink.clone(),
            standing: decided,
            directory: self.directory.subscribe(),
            events: self.events.clone(),
            gate: self.gate.clone(),
        };
        self.clients.insert(client, ClientHandle { sink, standing });
        while self.serving.try_join_next().is_some() {}
        self.serving.spawn(client_io::run(io, stream, source));
    }

    /// The client's task has ended.
    pub fn part(&mut self, client: ClientKey) {
        self.clients.remove(&client);
    }

    fn run_session(&mut self, agent: AgentKey, setup: Setup, starting: Starting) {
        let (name, call) = (setup.name.clone(), setup.call);
        let former = self.leaving.remove(&name);
        let (commands, taken) = mpsc::channel(mailbox::ORDERS);
        let (sender, mail) = mpsc::channel(mailbox::MAIL);
        let setting = Setting {
            agent,
            clock: self.clock,
            starting: after(former, starting),
            commands: taken,
            mail,
            news: self.news.clone(),
            files: self.files_of(&name),
        };
        // Beside the start of its program, which takes about as long: the session would wait for it at the first output.
        if setup.profile.is_to_compile() {
            let profile = Arc::clone(&setup.profile);
            drop(tokio::task::spawn_blocking(move || profile.compile()));
        }
        let session = Session::new(setup, self.clock.now());
        let task = spawn_telling(task::run(session, setting), agent, self.news.clone());
        let orders = Orders::new(commands, agent, name.clone(), task.abort_handle(), self.news.clone());
        self.agents.insert(agent, AgentHandle { name: name.clone(), orders, task });
        self.directory.send_modify(|directory| {
            Arc::make_mut(directory).insert(name, Handle { agent, call, mail: sender });
        });
    }

    /// Where the session of this name puts what goes to files.
    fn files_of(&self, name: &str) -> Files {
        let journal = self.journal_of(name);
        let folder = self.state_dir().join("recordings");
        let (name, files) = (name.to_owned(), self.files.clone());
        Arc::new(move |agent, output| {
            let job = match output {
                Output::Journal(parts) => file_io::Job::Journal { path: journal.clone(), parts },
                Output::Record { to, path, opening } => file_io::Job::Record { agent, to, path, opening },
                Output::RecordOn { path, opening } => file_io::Job::RecordOn { agent, path, opening },
                Output::RecordAlways { opening, max_bytes } => {
                    let (folder, name) = (folder.clone(), name.clone());
                    file_io::Job::RecordAlways { agent, folder, name, opening, max_bytes }
                }
                Output::Recorded(bytes) => file_io::Job::Output { agent, bytes },
                Output::RecordedSize(size) => file_io::Job::Resized { agent, size },
                _ => return true,
            };
            files.as_ref().is_some_and(|files| files.try_send(job).is_ok())
        })
    }

    fn journal_of(&self, name: &str) -> PathBuf {
        file_io::journal_path(&self.state_dir(), &keeper_link::socket_of(&self.sockets.keepers, name))
    }

    /// Beside this path `output_log` notes an agent's output, for the server that takes it back: beside the keeper's socket, or
    /// beside the journal where isolated agents can open the folder of the sockets.
    fn notes_of(&self, name: &str) -> PathBuf {
        let socket = keeper_link::socket_of(&self.sockets.keepers, name);
        if self.sockets.is_open_to_isolated() { self.journal_of(name) } else { socket }
    }

    fn state_dir(&self) -> PathBuf {
        self.log.parent().unwrap_or(&self.log).to_path_buf()
    }

    fn publish_without(&self, agent: AgentKey) {
        self.directory.send_if_modified(|directory| {
            let named = directory.iter().find(|(_, handle)| handle.agent == agent);
            let Some(name) = named.map(|(name, _)| name.clone()) else { return false };
            Arc::make_mut(directory).remove(&name);
            true
        });
    }

    fn forget(&mut self, agent: AgentKey) {
        self.try_file(file_io::Job::Close { agent });
        self.ties.forget(agent);
        let Some(handle) = self.agents.remove(&agent) else { return };
        self.publish_without(agent);
        if handle.lost() {
            return;
        }
        self.try_file(file_io::Job::Discard { path: self.journal_of(&handle.name) });
        handle.orders.give(Command::Forget);
        output_log::discard(&self.notes_of(&handle.name));
        self.leaving.insert(handle.name, handle.task);
    }
}
