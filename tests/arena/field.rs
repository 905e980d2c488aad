//! The field: a server of its own, the fake agents on it, the persons who watch and type, the accidents.
//!
//! It follows the server's notices as any client does and writes down what it saw and did, for the judge.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use counsel::core::question::State;
use counsel::core::terminal::grid::Size;
use counsel::core::terminal::keys::Input;
use counsel::os::daemon::ensure_server_of;
use counsel::os::socket::{Connection, Error};
use counsel::wire::message::{QuestionInfo, Status};
use counsel::wire::{Notice, Reply, Request};
use tempfile::TempDir;

use super::accidents::Accidents;
use super::agent::script_of;
use super::consultant::wanted_of;
use super::dice::Dice;
use super::ground::{listen, stand_in};
use super::script::{Part, Script};
use super::truth::now_us;
use super::viewer::Viewer;

/// Any request to the server.
pub(super) const REQUEST: Duration = Duration::from_secs(20);
/// A run in which nothing happens for this long, and a deadline more, hangs.
const STILL: Duration = Duration::from_secs(60);

/// Something somebody typed into an agent.
#[derive(Debug, Clone)]
pub struct Typed {
    pub agent: String,
    pub us: u64,
    pub input: Input,
}

/// A question as the server told of it.
#[derive(Debug, Clone)]
pub struct Told {
    pub us: u64,
    pub question: QuestionInfo,
}

/// Everything the judge needs beside the files.
#[derive(Debug, Default)]
pub struct Seen {
    pub typed: Vec<Typed>,
    pub told: Vec<Told>,
    /// When servers were killed, and when the next one answered.
    pub kills: Vec<(u64, u64)>,
    /// Agents whose keeper was killed, and when.
    pub lost: Vec<(u64, String)>,
    /// Dashboards and attached terminals that were killed.
    pub viewers: usize,
    /// Questions a person answered by their number, once for each time.
    pub answers: Vec<String>,
    /// Sizes given, by agent.
    pub resized: Vec<(u64, String)>,
    /// Agents that ended, and with what.
    pub exits: Vec<(u64, String, Option<i32>)>,
}

pub(super) enum Heard {
    Notice(u64, Box<Notice>),
    /// A server answers, with this process id.
    Server(u64, u32),
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Act {
    Type {
        agent: String,
        round: usize,
        keys: u64,
    },
    ByHand {
        agent: String,
        round: usize,
    },
    Resize {
        agent: String,
        cols: u16,
        rows: u16,
    },
    /// The person turns to a question that was put to them.
    Answer {
        id: String,
        agent: String,
    },
    Kill,
    Restart {
        agent: String,
    },
}

pub struct Field {
    pub folder: TempDir,
    pub(super) script: Script,
    pub(super) exe: PathBuf,
    socket: PathBuf,
    pub(super) connection: Option<Connection>,
    heard: Receiver<Heard>,
    over: Arc<AtomicBool>,
    listener: Option<JoinHandle<()>>,
    pub(super) acts: BinaryHeap<Reverse<(u64, Act)>>,
    pub(super) dice: Dice,
    pub(super) accidents: Accidents,
    pub(super) viewers: Vec<Viewer>,
    pub seen: Seen,
    pub(super) server: u32,
    pub(super) agents: BTreeMap<String, AgentState>,
    pub(super) last_us: u64,
}

#[derive(Debug, Default)]
pub(super) struct AgentState {
    /// Records of its truth read so far.
    pub(super) read: usize,
    pub(super) shown: Option<(usize, String)>,
    /// Attempts of the person at the present dialog.
    pub(super) tries: u32,
    pub(super) pid: Option<u32>,
    pub(super) ended: bool,
    pub(super) exited: bool,
    pub(super) troubled: Option<usize>,
}

impl Field {
    pub fn new(seed: u64, script: Script, accidents: Accidents) -> Field {
        let folder = tempfile::tempdir().unwrap();
        let exe = stand_in(folder.path());
        for name in ["run", "state", "config"] {
            fs::create_dir(folder.path().join(name)).unwrap();
            fs::set_permissions(folder.path().join(name), fs::Permissions::from_mode(0o700)).unwrap();
        }
        fs::write(wanted_of(folder.path()), serde_json::to_string(&script.wanted).unwrap()).unwrap();
        for life in &script.agents {
            let part = Part { look: life.look, rounds: life.rounds.clone() };
            let text = serde_json::to_string(&part).unwrap();
            fs::write(script_of(folder.path(), &life.name), text).unwrap();
        }
        let socket = folder.path().join("run/counsel.sock");
        let over = Arc::new(AtomicBool::new(false));
        let (sender, heard) = mpsc::channel();
        let listener = {
            let (exe, socket, over) = (exe.clone(), socket.clone(), over.clone());
            thread::spawn(move || listen(&exe, &socket, &over, &sender))
        };
        let agents = script.agents.iter().map(|life| (life.name.clone(), AgentState::default())).collect();
        Field {
            folder,
            script,
            exe,
            socket,
            connection: None,
            heard,
            over,
            listener: Some(listener),
            acts: BinaryHeap::new(),
            dice: Dice::new(seed, "accidents"),
            accidents,
            viewers: Vec::new(),
            seen: Seen::default(),
            server: 0,
            agents,
            last_us: now_us(),
        }
    }

    /// Plays until every agent has come to its end.
    pub fn play(&mut self) {
        let names: Vec<String> = self.agents.keys().cloned().collect();
        for name in names {
            let request = self.start_request(&name);
            assert_eq!(self.request(request), Some(Reply::Done), "could not start {name}");
        }
        self.open_viewers();
        self.plan_kill();
        let mut still = Instant::now();
        let patience = STILL + Duration::from_secs(self.script.deadline_secs);
        while !self.agents.values().all(|agent| agent.ended) {
            assert!(still.elapsed() < patience, "nothing has happened for {patience:?}: {}", self.picture());
            let wait = self.acts.peek().map_or(20_000, |Reverse((at, _))| at.saturating_sub(now_us()));
            match self.heard.recv_timeout(Duration::from_micros(wait.clamp(100, 20_000))) {
                Ok(Heard::Notice(us, notice)) => self.notice(us, *notice),
                Ok(Heard::Server(us, pid)) => self.server_up(us, pid),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => panic!("the listener has ended"),
            }
            while self.acts.peek().is_some_and(|Reverse((at, _))| *at <= now_us()) {
                let Reverse((_, act)) = self.acts.pop().unwrap();
                if act == Act::Kill {
                    // Where servers hardly live long enough to answer, agents wait until that is over.
                    still = Instant::now();
                }
                self.act(act);
            }
            if self.follow_truth() {
                still = Instant::now();
            }
        }
    }

    /// `None`: the server died over it.
    pub fn request(&mut self, request: Request) -> Option<Reply> {
        self.connect();
        let reply = self.connection.as_mut()?.request_within(request, Some(Instant::now() + REQUEST));
        if reply.is_err() {
            self.connection = None;
        }
        reply.ok()
    }

    /// What has no reply.
    pub fn send(&mut self, request: Request) {
        self.connect();
        if self.connection.as_mut().is_some_and(|connection| connection.send(request).is_err()) {
            self.connection = None;
        }
    }

    fn connect(&mut self) {
        let log = self.folder.path().join("state/server.log");
        let until = Instant::now() + REQUEST;
        while self.connection.is_none() {
            match ensure_server_of(&self.exe, &self.socket, &log) {
                Ok(connection) => self.connection = Some(connection),
                // On a busy machine a server takes its time, and so a client tries again.
                Err(Error::TimedOut) if Instant::now() < until => {}
                Err(error) => panic!("no server: {error}"),
            }
        }
    }

    fn server_up(&mut self, us: u64, pid: u32) {
        self.server = pid;
        if let Some((_, up)) = self.seen.kills.last_mut().filter(|(_, up)| *up == 0) {
            *up = us;
        }
        // What was put to a person is put again, under another number.
        for agent in self.agents.values_mut() {
            agent.tries = 0;
        }
    }

    fn notice(&mut self, us: u64, notice: Notice) {
        match notice {
            Notice::Question(question) => self.question(us, question),
            Notice::Agent(info) => {
                let Some(agent) = self.agents.get_mut(&info.name) else { return };
                agent.pid = info.pid;
                let exited = info.state == State::Exited;
                if exited && !agent.exited {
                    self.seen.exits.push((us, info.name.clone(), info.exit_code));
                    let at = now_us() + 1_000 * self.dice.roll(500);
                    self.acts.push(Reverse((at, Act::Restart { agent: info.name.clone() })));
                }
                agent.exited = exited;
            }
            _ => {}
        }
    }

    fn question(&mut self, us: u64, question: QuestionInfo) {
        let id = question.id.clone();
        let agent = question.agent.clone();
        let known =
            self.seen.told.iter().rev().find(|told| told.question.id == id).map(|told| told.question.status);
        if question.status == Status::Escalated {
            let pause = self.dice.between(30, 600);
            self.turn_to(us + 1_000 * pause, id, &agent);
        }
        if question.status == Status::Consulting && known != Some(Status::Consulting) {
            self.plan_typing(us, &agent, &question.prompt);
        }
        self.seen.told.push(Told { us, question });
    }

    fn act(&mut self, act: Act) {
        match act {
            Act::Type { agent, round, keys } => self.types_at_random(&agent, round, keys),
            Act::ByHand { agent, round } => self.answers_by_hand(&agent, round),
            Act::Resize { agent, cols, rows } => {
                self.seen.resized.push((now_us(), agent.clone()));
                let size = Size { cols, rows };
                let resized = self.request(Request::Resize { name: agent.clone(), size });
                let other = |act: &Act| matches!(act, Act::Resize { agent: of, .. } if *of == agent);
                let last = !self.acts.iter().any(|Reverse((_, act))| other(act));
                if resized != Some(Reply::Done) && last && !self.agents[&agent].ended {
                    // The server died over it, or the agent is between two lives: a window keeps the size it was given last,
                    // and tells the next one.
                    self.acts.push(Reverse((now_us() + 50_000, Act::Resize { agent, cols, rows })));
                }
            }
            Act::Answer { id, agent } => self.person_answers(&id, &agent),
            Act::Kill => {
                self.kill_one();
                self.plan_kill();
            }
            Act::Restart { agent } => self.restart(&agent),
        }
    }

    /// Ends the server and everything on it.
    pub fn end(&mut self) {
        self.over.store(true, Ordering::SeqCst);
        self.viewers.clear();
        let _ = self.request(Request::Down { grace_ms: 500 });
        self.connection = None;
        if let Some(listener) = self.listener.take() {
            listener.join().unwrap();
        }
    }

    pub fn script(&self) -> &Script {
        &self.script
    }

    /// The decision log's lines.
    pub fn decisions(&self) -> Vec<counsel::core::log::log_entry::Entry> {
        super::truth::read(&self.folder.path().join("state/decisions.jsonl"))
    }
}

impl Drop for Field {
    fn drop(&mut self) {
        self.over.store(true, Ordering::SeqCst);
        if thread::panicking() {
            // A failed run is looked into.
            let path = self.folder.path().to_owned();
            self.folder.disable_cleanup(true);
            eprintln!("the run is kept in {}", path.display());
        }
        if self.listener.is_some() {
            let _ = self.request(Request::Down { grace_ms: 500 });
        }
    }
}
