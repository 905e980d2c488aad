//! The server: one per user. Owns every agent's screen, questions and routing.
//!
//! `run` takes the lock, binds the socket, takes back the agents of an earlier server, and then goes
//! round one loop: an event into the hub, the hub's effects out to the tasks. The hub decides, the
//! `*_io` files touch the world.

mod accept_io;
mod acp_io;
#[cfg_attr(not(test), deny(clippy::indexing_slicing))]
mod begun_lines;
mod client_io;
#[cfg_attr(not(test), deny(clippy::indexing_slicing))]
mod clients;
mod consult_io;
#[cfg_attr(not(test), deny(clippy::indexing_slicing))]
mod consultant;
pub mod context_io;
mod context_walk;
pub mod effect;
mod executor;
pub mod file_io;
mod frame_room;
mod hook_io;
#[cfg_attr(not(test), deny(clippy::indexing_slicing))]
mod hooks;
#[cfg_attr(not(test), deny(clippy::indexing_slicing))]
mod hub;
mod journal;
mod known;
#[cfg_attr(not(test), deny(clippy::indexing_slicing))]
mod lifecycle;
mod log_file;
mod orphan_io;
mod peer;
#[cfg_attr(not(test), deny(clippy::indexing_slicing))]
mod program_output;
mod question;
mod quota;
mod recording;
mod recordings;
mod remembered;
mod runtime;
mod standing;
mod tie_io;
mod tmux_io;

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::mpsc;
use tokio::task::JoinSet;

use crate::core::agent::Host;
use crate::core::log::log_entry::Entry;
use crate::core::profile::Profiles;
use crate::core::question::State;
use crate::core::terminal::query_replies::TerminalIdentity;
use crate::core::terminal::sizing::Sizing;
use crate::os::keeper_link::Run;
use crate::os::{daemon, paths, socket};

use crate::session::message::{AgentKey, ClientKey, News};
use crate::session::setting::Clock;
use accept_io::{Arrival, Door, Shared, Way};
use effect::Event;
use executor::manifest::KeeperManifest;
use executor::start::{Found, Keepers};
use executor::{Executor, Sockets};
use hub::{Hub, Settings};
use remembered::Remembered;

/// Requests served before sessions are heard: a client that sends without end delays nobody's question.
const EVENTS_IN_A_ROW: u32 = 16;
/// News that may wait for the hub, from all agents together. Full, each session holds up its own agent.
const NEWS_QUEUE: usize = 1024;
/// How long the agents' socket of a server that was killed may stay taken, and between two looks.
const SOCKET_TIME: Duration = Duration::from_secs(1);
const SOCKET_LOOK: Duration = Duration::from_millis(10);
/// Events of clients, keepers and commands that may wait.
const EVENT_QUEUE: usize = 1024;
/// Log entries read at start: the newest for consultants, and what was spent within the last day.
const DECISIONS: usize = 5_000;

/// What a server is started with.
#[derive(Debug)]
pub struct Options {
    pub socket: PathBuf,
    pub state_dir: PathBuf,
    pub terminal_identity: TerminalIdentity,
    pub sizing: Sizing,
    /// Most bytes of the recording each agent gets by itself; `None`: it gets none.
    pub record_bytes: Option<u64>,
    pub exit_when_empty_secs: u64,
    pub scrollback: usize,
    pub profiles: Profiles,
}

/// What ended a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// It was told to, or nothing needed it any more.
    Done,
    Signalled,
}

/// Runs the server until it is told to end or nothing needs it any more.
pub fn run(options: Options) -> Result<End, String> {
    let runtime = runtime::build()?;
    // On a thread of the runtime like everybody else: on one of its own, each of its news would cost a change of
    // threads just when a key's echo is awaited.
    let done = runtime.block_on(async { tokio::spawn(serve(options)).await });
    let done = done.unwrap_or_else(|error| Err(error.to_string()));
    // Blocking tasks (a keeper being started) are not waited for: keepers live on their own.
    runtime.shutdown_background();
    done
}

async fn serve(options: Options) -> Result<End, String> {
    let listener = match socket::bind(&options.socket) {
        Ok(listener) => listener,
        Err(error) => {
            let _ = daemon::announce_ready(Some((daemon::FAILED, &error.to_string())));
            return Err(error.to_string());
        }
    };
    tokio::spawn(runtime::keep_a_thread());
    let known = known::Table::new()?;
    let log = file_io::log_path(&options.state_dir);
    let decisions = file_io::newest(&log, DECISIONS);
    let next_ask = next_ask(&decisions);
    let settings = Settings {
        exit_when_empty_ms: options.exit_when_empty_secs.saturating_mul(1000),
        scrollback: options.scrollback,
        terminal_identity: options.terminal_identity,
        sizing: options.sizing,
        record_bytes: options.record_bytes,
        pid: std::process::id(),
        nonce_key: executor::token::random().map_err(|error| format!("there is nothing random: {error}"))?,
    };
    let keepers = paths::keeper_dir(&options.socket)?;
    let (news_sender, news) = mpsc::channel(NEWS_QUEUE);
    let (event_sender, events) = mpsc::channel(EVENT_QUEUE);
    let clock = Clock::start();
    let hub = Hub::new(settings, options.profiles, decisions, next_ask);
    let agents = agents_listener(&keepers);
    let sockets = Sockets {
        people: options.socket.clone(),
        agents: agents.as_ref().map(|listener| listener.path().to_path_buf()),
        keepers,
    };
    let executor = Executor::new(sockets, log, clock, event_sender, news_sender)?;
    let mut server = Server {
        keepers: executor.ask_keepers(),
        hub,
        executor,
        news,
        events,
        clock,
        door: Arc::new(Door::new(known.reader(), clock)),
        known,
        next_client: 1,
        woken_ms: None,
        in_a_row: 0,
        end: None,
        signalled: false,
    };
    server.adopt_all().await;
    daemon::announce_ready(None).map_err(|error| error.to_string())?;
    tracing::info!(socket = %options.socket.display(), "listening");
    let listener = Arc::new(Mutex::new(listener));
    let agents = agents.map(|agents| Arc::new(Mutex::new(agents)));
    let done = server.run(Arc::clone(&listener), agents.clone()).await;
    // The next server begins with the people's socket, and must find the agents' free.
    server.executor.close(&mut server.news, (agents, listener)).await;
    done
}

/// The number behind those of all questions in the log.
fn next_ask(decisions: &[Entry]) -> u64 {
    decisions.iter().filter_map(|entry| remembered::number(&entry.id)).max().unwrap_or(0) + 1
}

/// The socket in a folder of its own that agents are told of, so that the people's can be hidden from them. `None`:
/// it cannot be had, and they are told of the people's.
fn agents_listener(keepers: &Path) -> Option<socket::Listener> {
    let until = Instant::now() + SOCKET_TIME;
    let path = paths::agents_socket(keepers);
    loop {
        match path
            .as_ref()
            .map_err(String::clone)
            .and_then(|path| socket::bind(path).map_err(|error| error.to_string()))
        {
            Ok(listener) => return Some(listener),
            // A server that was killed lets go of its sockets one by one.
            Err(_) if path.is_ok() && Instant::now() < until => std::thread::sleep(SOCKET_LOOK),
            Err(error) => {
                tracing::warn!(%error, "agents have no socket of their own");
                return None;
            }
        }
    }
}

struct Server {
    hub: Hub,
    executor: Executor,
    news: mpsc::Receiver<(AgentKey, News)>,
    events: mpsc::Receiver<Event>,
    clock: Clock,
    door: Arc<Door>,
    known: known::Table,
    next_client: u64,
    /// Of an earlier server, as far as they have not answered.
    keepers: Keepers,
    /// When the hub was last woken for its own sake.
    woken_ms: Option<u64>,
    /// Events since sessions were last heard.
    in_a_row: u32,
    end: Option<End>,
    /// A signal has come that ends it.
    signalled: bool,
}

impl Server {
    async fn run(&mut self, people: Shared, agents: Option<Shared>) -> Result<End, String> {
        let (connections, mut joined) = mpsc::channel(accept_io::QUEUE);
        let mut accepting = JoinSet::new();
        for (listener, way) in [(Some(people), Way::People), (agents, Way::Agents)] {
            let Some(listener) = listener else { continue };
            accepting.spawn(accept_io::run(listener, way, connections.clone(), Arc::clone(&self.door)));
        }
        let failed = |error: std::io::Error| format!("signals could not be watched: {error}");
        let mut terminate = signal(SignalKind::terminate()).map_err(failed)?;
        let mut interrupt = signal(SignalKind::interrupt()).map_err(failed)?;
        let mut hangup = signal(SignalKind::hangup()).map_err(failed)?;
        // A file that may grow no more is an error to whoever writes it, and not the end of the server.
        let _watched = signal(SignalKind::from_raw(nix::libc::SIGXFSZ)).map_err(failed)?;
        // Nobody may ever come: from the start on it is empty.
        self.step(Event::Wake);
        let end = loop {
            if let Some(end) = self.end {
                break end;
            }
            // Once a millisecond at most: a hub that asked for more would keep output from being read.
            let earliest = self.woken_ms.map_or(0, |ms| ms + 1);
            let wake = self.hub.next_wake().map(|ms| self.clock.at(ms.max(earliest)));
            let event = tokio::select! {
                // People before floods: a key must not wait behind a megabyte of output.
                biased;
                _ = terminate.recv() => self.leave(),
                _ = interrupt.recv() => self.leave(),
                _ = hangup.recv() => continue,
                Some(event) = self.events.recv(), if self.in_a_row < EVENTS_IN_A_ROW => event,
                Some(arrival) = joined.recv(), if self.in_a_row < EVENTS_IN_A_ROW => {
                    self.welcome(arrival)
                }
                // Before the clock: what is due is looked at on what was seen last.
                Some((agent, news)) = self.news.recv() => Event::News { agent, news },
                // A keeper that was slow to answer.
                Some(found) = self.keepers.next() => {
                    self.adopt(Remembered::of(found.manifest.held.clone()), found);
                    continue;
                }
                // There were no news: clients have the next turns.
                () = std::future::ready(()), if self.in_a_row >= EVENTS_IN_A_ROW => {
                    self.in_a_row = 0;
                    continue;
                }
                () = sleep_until(wake) => Event::Wake,
            };
            self.in_a_row = if matches!(event, Event::News { .. }) { 0 } else { self.in_a_row + 1 };
            self.step(event);
        };
        // They hold the sockets open: a file that is removed before would look like one that somebody else deleted.
        accepting.shutdown().await;
        Ok(end)
    }

    fn leave(&mut self) -> Event {
        self.signalled = true;
        Event::Leave
    }

    fn step(&mut self, event: Event) {
        let left = if let Event::Left { client } = event { Some(client) } else { None };
        let now = self.clock.now();
        if matches!(event, Event::Wake) {
            self.woken_ms = Some(now.ms);
        }
        if let Event::News { agent, news } = &event {
            self.known.hear(*agent, news);
            if let News::Notify(text) = news {
                tracing::warn!("{text}");
            }
        }
        for effect in self.hub.step(event, now) {
            self.known.perform(&effect);
            if matches!(effect, effect::Effect::Exit) {
                self.end = Some(if self.signalled { End::Signalled } else { End::Done });
            }
            match effect {
                effect::Effect::EndOrphans { agent, keeper, token } => {
                    self.executor.end_orphans(agent, self.known.keeper(keeper), token);
                }
                effect::Effect::EndKeeper { keeper, token, overdue } => {
                    self.executor.end_keeper(self.known.keeper(keeper), token, overdue);
                }
                effect => self.executor.perform(effect),
            }
        }
        left.into_iter().for_each(|client| self.executor.part(client));
    }

    fn welcome(&mut self, arrival: Arrival) -> Event {
        let client = ClientKey(self.next_client);
        self.next_client += 1;
        let verdict = arrival.verdict.clone();
        self.executor.serve(client, arrival, Arc::clone(&self.door));
        Event::Joined { client, verdict }
    }

    /// Takes back the agents of an earlier server.
    async fn adopt_all(&mut self) {
        let found = self.keepers.first().await.into_iter();
        let mut found: Vec<(Option<Remembered>, Found)> =
            found.map(|found| (Remembered::of(found.manifest.held.clone()), found)).collect();
        // In the order they were in: people know them by it. Those of an older server by their names.
        found.sort_by_key(|(earlier, _)| earlier.as_ref().map_or(u64::MAX, |earlier| earlier.place));
        let adopted: HashSet<AgentKey> =
            found.into_iter().filter_map(|(earlier, found)| self.adopt(earlier, found)).collect();
        for manifest in self.executor.find_adopted() {
            let (spec, policy) = (manifest.spec.clone(), manifest.policy.clone());
            let (agent, setup) = self.hub.adopt(spec, policy, None, self.clock.now());
            self.executor.readopt(agent, setup, manifest);
        }
        self.hear_begun(adopted).await;
    }

    /// Nobody is served before the sessions of these have begun: what is asked first would find agents without a
    /// process, and whoever comes from one of them is known by it.
    async fn hear_begun(&mut self, mut waited_for: HashSet<AgentKey>) {
        let until = self.keepers.served_by();
        while !waited_for.is_empty() {
            let Ok(Some((agent, news))) = tokio::time::timeout_at(until, self.news.recv()).await else {
                tracing::warn!(agents = waited_for.len(), "not all that were taken back have begun");
                return;
            };
            if matches!(news, News::Started { .. } | News::StartFailed { .. } | News::SessionEnded) {
                waited_for.remove(&agent);
            }
            self.step(Event::News { agent, news });
        }
    }
}

impl Server {
    /// The agent's key, where its session begins by itself: in tmux another program has to answer first.
    fn adopt(
        &mut self,
        earlier: Option<Remembered>,
        Found { manifest, link, kept }: Found,
    ) -> Option<AgentKey> {
        let KeeperManifest { spec, policy, token, .. } = manifest;
        let host = spec.host;
        // Since when it has ended its keeper knows, which saw it.
        let earlier = match (link.hello.run, link.hello.ended_unix_ms) {
            (Run::Exited(_), Some(at)) => {
                Some(Remembered { state: State::Exited, since_unix_ms: at, ..earlier.unwrap_or_default() })
            }
            _ => earlier,
        };
        let (agent, setup) = self.hub.adopt(spec, policy, earlier, self.clock.now());
        match host {
            Host::Pty => {
                self.executor.attach(agent, setup, link, token, kept);
                Some(agent)
            }
            Host::Tmux => {
                self.executor.attach_in_tmux(agent, setup, (link, kept), token);
                None
            }
        }
    }
}

async fn sleep_until(wake: Option<Instant>) {
    match wake {
        Some(at) => tokio::time::sleep_until(at.into()).await,
        None => std::future::pending().await,
    }
}
