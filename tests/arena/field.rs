//! The field: a server of its own, the fake agents on it, the persons who watch and type, the accidents.
//!
//! It follows the server's notices as any client does and writes down what it saw and did, for the judge.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use counsel::config::agent_env;
use counsel::core::agent::AgentSpec;
use counsel::core::grid::Size;
use counsel::core::keys::{Input, Key, KeyPress};
use counsel::core::policy::{CommandConsultant, Consult, Policy, Rule};
use counsel::core::question::{Kind, State};
use counsel::os::daemon::ensure_server_of;
use counsel::os::proc;
use counsel::os::socket::{Connection, Error};
use counsel::wire::message::{GivenAnswer, QuestionInfo, ReadMode, Status};
use counsel::wire::{Notice, Reply, Request};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::json;
use tempfile::TempDir;

use super::agent::{self, script_of, truth_of};
use super::consultant::wanted_of;
use super::dice::Dice;
use super::script::{Script, Trouble, Wanted};
use super::truth::{Record, now_us};
use super::viewer::Viewer;

/// From the asking to the answer being in the dialog, in this run.
pub const DEADLINE_SECS: u64 = 8;
/// Any request to the server.
const REQUEST: Duration = Duration::from_secs(20);
/// A run in which nothing happens for this long hangs.
const STILL: Duration = Duration::from_secs(60);
/// Lines kept of agents whose every line is counted.
const SCROLLBACK: usize = 1_000_000;
/// An agent's usual size.
const SIZE: Size = Size { cols: 120, rows: 40 };

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
}

/// What befalls the machinery, how often at most.
#[derive(Debug, Clone, Copy)]
pub struct Accidents {
    pub servers: u64,
    pub keepers: u64,
    /// Viewers: dashboards and attached terminals, of which there is one each where this is not 0.
    pub viewers: u64,
    /// Between two of them.
    pub every_ms: u64,
    /// Agents print numbered lines this far apart, and go on until all that was to happen has happened.
    pub stream_ms: Option<u64>,
}

enum Heard {
    Notice(u64, Box<Notice>),
    /// A server answers, with this process id.
    Server(u64, u32),
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Act {
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
    script: Script,
    exe: PathBuf,
    socket: PathBuf,
    connection: Option<Connection>,
    heard: Receiver<Heard>,
    over: Arc<AtomicBool>,
    listener: Option<JoinHandle<()>>,
    acts: BinaryHeap<Reverse<(u64, Act)>>,
    dice: Dice,
    accidents: Accidents,
    viewers: Vec<Viewer>,
    pub seen: Seen,
    server: u32,
    agents: BTreeMap<String, AgentState>,
    last_us: u64,
}

#[derive(Debug, Default)]
struct AgentState {
    /// Records of its truth read so far.
    read: usize,
    shown: Option<(usize, String)>,
    /// Attempts of the person at the present dialog.
    tries: u32,
    pid: Option<u32>,
    ended: bool,
    exited: bool,
    troubled: Option<usize>,
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
            let text = serde_json::to_string(&life.rounds).unwrap();
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
        while !self.agents.values().all(|agent| agent.ended) {
            assert!(still.elapsed() < STILL, "nothing has happened for {STILL:?}: {}", self.picture());
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

    /// What stands where, for a run that hangs.
    pub fn picture(&mut self) -> String {
        let questions = self.request(Request::Questions { all: false });
        let mut text = format!("{questions:?}\n");
        let names: Vec<String> = self.agents.keys().cloned().collect();
        for name in names {
            let state = &self.agents[&name];
            if state.ended {
                continue;
            }
            text.push_str(&format!("{name}: {state:?}\n"));
            if let Some(Reply::Explained { text: explained, .. }) =
                self.request(Request::Explain { name: name.clone() })
            {
                text.push_str(&explained);
            }
            let life = self.script.agents.iter().find(|life| life.name == name).unwrap();
            let round = self.agents[&name].shown.as_ref().map(|(round, _)| *round);
            text.push_str(&format!("trouble: {:?}\n", round.map(|round| life.troubles[round])));
            let screen = Request::Read { name, since: None, tail: None, wait_ms: 0, mode: ReadMode::Screen };
            text.push_str(&format!("{:?}\n", self.request(screen)));
        }
        text
    }

    fn start_request(&self, name: &str) -> Request {
        let folder = self.folder.path();
        let me = std::env::current_exe().unwrap().display().to_string();
        let stand_in =
            |what: &str| vec![me.clone(), "--exact".into(), format!("stand_in_{what}"), "--nocapture".into()];
        let base: BTreeMap<String, String> = std::env::vars().collect();
        let mut env = agent_env(&base);
        env.insert(agent::FOLDER.into(), folder.display().to_string());
        env.insert(agent::NAME.into(), name.to_owned());
        if let Some(every) = self.accidents.stream_ms {
            env.insert(agent::STREAM.into(), every.to_string());
        }
        let spec = AgentSpec {
            name: name.to_owned(),
            command: stand_in("agent"),
            cwd: folder.display().to_string(),
            env,
            profile: Some("demo".into()),
            consultant: Some("advisor".into()),
            size: Some(SIZE),
            scrollback: self.accidents.stream_ms.map(|_| SCROLLBACK),
            ..AgentSpec::default()
        };
        let rule: Rule = given(json!({
            "kind": "permission", "command": "^make check a[0-9-]+x?$", "then": "answer", "answer": "Yes",
        }));
        let advisor: CommandConsultant = given(json!({"name": "advisor", "command": stand_in("consultant")}));
        let policy = Policy {
            // The limits on automatic answers have tests of their own.
            consult: Consult {
                deadline_secs: DEADLINE_SECS,
                max_per_hour: 100_000,
                repeat_limit: 0,
                ..Consult::default()
            },
            rules: vec![rule],
            consultants: vec![advisor],
            ..Policy::default()
        };
        Request::Start { spec: Box::new(spec), policy: Box::new(policy) }
    }

    /// `None`: the server died over it.
    pub fn request(&mut self, request: Request) -> Option<Reply> {
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
        let reply = self.connection.as_mut()?.request_within(request, Some(Instant::now() + REQUEST));
        if reply.is_err() {
            self.connection = None;
        }
        reply.ok()
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

    /// A person looks at a question at this time, unless they are about to already.
    fn turn_to(&mut self, us: u64, id: String, agent: &str) {
        let act = Act::Answer { id, agent: agent.to_owned() };
        if !self.acts.iter().any(|Reverse((_, other))| *other == act) {
            self.acts.push(Reverse((us, act)));
        }
    }

    /// A person types at about the time the answer is delivered.
    fn plan_typing(&mut self, us: u64, name: &str, prompt: &str) {
        let Some(state) = self.agents.get_mut(name) else { return };
        let Some((round, _)) = state.shown.clone() else { return };
        let life = self.script.agents.iter().find(|life| life.name == name).unwrap();
        let Some(Trouble::Typing { around_ms, keys }) = life.troubles.get(round) else { return };
        if state.troubled == Some(round) {
            return;
        }
        state.troubled = Some(round);
        let delay = self.script.wanted.get(prompt).map_or(0, |wanted| wanted.delay_ms);
        // The first key is due when the consultant has answered, and 250 ms after the drawing at the earliest.
        let due = us + 1_000 * delay.max(225);
        let at = due.saturating_add_signed(1_000 * around_ms + self.dice.roll(1_000) as i64);
        self.acts.push(Reverse((at, Act::Type { agent: name.to_owned(), round, keys: *keys })));
    }

    fn act(&mut self, act: Act) {
        match act {
            Act::Type { agent, round, keys } => {
                for _ in 0..keys {
                    let input = *self.dice.of(&[Key::Down, Key::Up, Key::Char('z'), Key::Tab]);
                    if self.agents[&agent].shown.as_ref().is_some_and(|(now, _)| *now == round) {
                        self.type_into(&agent, Input::Key(KeyPress::plain(input)));
                    }
                }
            }
            Act::ByHand { agent, round } => {
                if self.agents[&agent].shown.as_ref().is_some_and(|(now, _)| *now == round) {
                    let key = *self.dice.of(&[Key::Enter, Key::Esc, Key::Char('1'), Key::Char('2')]);
                    self.type_into(&agent, Input::Key(KeyPress::plain(key)));
                }
            }
            Act::Resize { agent, cols, rows } => {
                self.seen.resized.push((now_us(), agent.clone()));
                self.request(Request::Resize { name: agent, size: Size { cols, rows } });
            }
            Act::Answer { id, agent } => self.person_answers(&id, &agent),
            Act::Kill => {
                self.kill_one();
                self.plan_kill();
            }
            Act::Restart { agent } => self.restart(&agent),
        }
    }

    /// The next accident, if there is one more.
    fn plan_kill(&mut self) {
        let Accidents { servers, keepers, viewers, every_ms, .. } = self.accidents;
        if servers + keepers + viewers > 0 {
            let at = now_us() + 1_000 * self.dice.between(every_ms / 4, every_ms * 7 / 4);
            self.acts.push(Reverse((at, Act::Kill)));
        } else if self.accidents.stream_ms.is_some() {
            fs::write(self.folder.path().join(agent::ENOUGH), "").unwrap();
        }
    }

    /// Kills one of what is still to be killed.
    fn kill_one(&mut self) {
        let Accidents { servers, keepers, viewers, .. } = self.accidents;
        let which = self.dice.roll(servers + keepers + viewers);
        if which < servers {
            // The one killed before has to be followed by another first.
            if self.own(self.server) && self.seen.kills.last().is_none_or(|(_, up)| *up != 0) {
                self.accidents.servers -= 1;
                self.seen.kills.push((now_us(), 0));
                self.connection = None;
                let _ = kill(Pid::from_raw(self.server.cast_signed()), Signal::SIGKILL);
            }
        } else if which < servers + keepers {
            self.kill_keeper();
        } else {
            self.accidents.viewers -= 1;
            let at = self.dice.roll(self.viewers.len() as u64) as usize;
            self.viewers[at].kill_and_open();
            self.seen.viewers += 1;
        }
    }

    fn kill_keeper(&mut self) {
        let names: Vec<String> = self.agents.keys().cloned().collect();
        let name = self.dice.of(&names).clone();
        let keeper = self.agents[&name].pid.and_then(proc::look).map(|agent| agent.parent);
        // The agent may have ended just now, and its number be somebody else's.
        if let Some(keeper) = keeper.filter(|pid| self.own(*pid) && !self.agents[&name].exited) {
            self.accidents.keepers -= 1;
            // Where the server dies as well, nobody will tell of it.
            let act = Act::Restart { agent: name.clone() };
            self.acts.push(Reverse((now_us() + 3_000_000, act)));
            self.seen.lost.push((now_us(), name));
            let _ = kill(Pid::from_raw(keeper.cast_signed()), Signal::SIGKILL);
        }
    }

    /// Whether a process is a counsel of this run.
    fn own(&self, pid: u32) -> bool {
        let mine = format!("COUNSEL_RUNTIME_DIR={}/run\0", self.folder.path().display());
        let environ = fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
        environ.windows(mine.len()).any(|window| window == mine.as_bytes())
    }

    /// An agent that was lost begins again, unless it has already.
    fn restart(&mut self, name: &str) {
        if self.agents[name].ended {
            return;
        }
        let Some(Reply::Agents { agents }) = self.request(Request::List) else {
            let act = Act::Restart { agent: name.to_owned() };
            return self.acts.push(Reverse((now_us() + 1_000_000, act)));
        };
        match agents.iter().find(|info| info.name == name).map(|info| info.state) {
            Some(State::Exited) => drop(self.request(Request::Restart { name: name.to_owned() })),
            Some(_) => {}
            None => drop(self.request(self.start_request(name))),
        }
    }

    fn open_viewers(&mut self) {
        if self.accidents.viewers > 0 {
            let name = self.agents.keys().next().unwrap().clone();
            self.viewers = vec![
                Viewer::open(&self.exe, &[]),
                Viewer::open(&self.exe, &["attach", "--read-only", &name]),
            ];
        }
    }

    fn type_into(&mut self, agent: &str, input: Input) {
        let us = now_us();
        let request = if self.dice.one_in(2) {
            Request::Send { name: agent.to_owned(), input: vec![input.clone()], enter: false }
        } else {
            Request::Keys { name: agent.to_owned(), input: vec![input.clone()] }
        };
        // Without a reply it may or may not have arrived.
        if matches!(self.request(request), None | Some(Reply::Done)) {
            self.seen.typed.push(Typed { agent: agent.to_owned(), us, input });
        }
    }

    /// As told, twice at most; then by leaving the dialog, which every state of it takes.
    fn person_answers(&mut self, id: &str, name: &str) {
        let last = self.seen.told.iter().rev().find(|told| told.question.id == *id);
        // A new server gives the question a new number, and puts it to the person anew.
        let kill = self.seen.kills.last().map_or(0, |(us, _)| *us);
        let Some(question) = last.filter(|told| told.us > kill).map(|told| told.question.clone()) else {
            return;
        };
        if question.status != Status::Escalated || self.agents.get(name).is_none_or(|agent| agent.ended) {
            return;
        }
        let Some(state) = self.agents.get_mut(name) else { return };
        state.tries += 1;
        let tries = state.tries;
        let key = question.subject.as_ref().filter(|_| question.kind == Kind::Permission);
        let wanted = self.script.wanted.get(key.unwrap_or(&question.prompt)).cloned();
        let options = match (&wanted, question.kind) {
            (Some(Wanted { decided, .. }), _) => Some(decided.clone()),
            (None, Kind::Review) => Some(vec!["Submit answers".to_owned()]),
            (None, _) => None,
        };
        if tries <= 2
            && let Some(options) = options
        {
            let answer = GivenAnswer { options, ..GivenAnswer::default() };
            self.seen.answers.push(id.to_owned());
            if self.request(Request::Answer { id: id.to_owned(), answer }) == Some(Reply::Done) {
                return;
            }
        } else {
            self.type_into(name, Input::Key(KeyPress::plain(Key::Esc)));
        }
        // It may have failed, or hit nothing: the person looks again.
        self.turn_to(now_us() + 700_000, id.to_owned(), name);
    }

    /// Reads on in the agents' truths; whether there was anything new.
    fn follow_truth(&mut self) -> bool {
        if now_us() < self.last_us + 5_000 {
            return false;
        }
        self.last_us = now_us();
        let names: Vec<String> = self.agents.keys().cloned().collect();
        let mut any = false;
        for name in names {
            let text = fs::read_to_string(truth_of(self.folder.path(), &name)).unwrap_or_default();
            let whole = text.rfind('\n').map_or(0, |end| end + 1);
            let from = self.agents[&name].read;
            if whole <= from {
                continue;
            }
            any = true;
            self.agents.get_mut(&name).unwrap().read = whole;
            for line in text[from..whole].lines() {
                self.happened(&name, &serde_json::from_str(line).unwrap());
            }
        }
        any
    }

    fn happened(&mut self, name: &str, record: &Record) {
        let life = self.script.agents.iter().find(|life| life.name == name).unwrap();
        let trouble = match record {
            Record::Shown { round, .. } => life.troubles[*round],
            _ => Trouble::None,
        };
        let state = self.agents.get_mut(name).unwrap();
        let at = now_us();
        match record {
            Record::Shown { round, page, .. } => {
                let first = state.shown.as_ref().is_none_or(|(before, _)| before != round);
                state.shown = Some((*round, page.clone()));
                state.tries = 0;
                let agent = name.to_owned();
                match trouble {
                    Trouble::ByHand { after_ms } if first => {
                        let act = Act::ByHand { agent, round: *round };
                        self.acts.push(Reverse((at + 1_000 * after_ms, act)));
                    }
                    Trouble::Resize { after_ms, cols, rows, for_ms } if first => {
                        let begin = at + 1_000 * after_ms;
                        let there = Act::Resize { agent: agent.clone(), cols, rows };
                        let back = Act::Resize { agent, cols: SIZE.cols, rows: SIZE.rows };
                        self.acts.push(Reverse((begin, there)));
                        self.acts.push(Reverse((begin + 1_000 * for_ms, back)));
                    }
                    Trouble::None
                    | Trouble::Typing { .. }
                    | Trouble::ByHand { .. }
                    | Trouble::Resize { .. } => {}
                }
            }
            Record::Given { .. } | Record::Cancelled { .. } => state.shown = None,
            Record::End { .. } => state.ended = true,
            Record::Begun { .. } | Record::Heard { .. } | Record::Printed { .. } => {}
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
    pub fn decisions(&self) -> Vec<counsel::core::record::Entry> {
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

/// A value as a configuration would give it, with the defaults of whatever is not named.
fn given<T: serde::de::DeserializeOwned>(value: serde_json::Value) -> T {
    serde_json::from_value(value).unwrap()
}

/// The program in an environment of its own: whatever starts a server starts it there.
fn stand_in(folder: &Path) -> PathBuf {
    let counsel = std::env::var_os("COUNSEL_BIN")
        .map_or_else(|| PathBuf::from(env!("CARGO_BIN_EXE_counsel")), PathBuf::from);
    let path = folder.join("counsel");
    let at = folder.display();
    let script = format!(
        "#!/bin/sh\nexec env COUNSEL_RUNTIME_DIR={at}/run COUNSEL_STATE_DIR={at}/state XDG_CONFIG_HOME={at}/config {} \"$@\"\n",
        counsel.display()
    );
    fs::write(&path, script).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    path
}

/// Follows the server's notices; starts a server whenever there is none, as any client would.
fn listen(exe: &Path, socket: &Path, over: &AtomicBool, sender: &Sender<Heard>) {
    let log = socket.with_file_name("server.log");
    while !over.load(Ordering::SeqCst) {
        let Ok(mut connection) = ensure_server_of(exe, socket, &log) else { continue };
        if sender.send(Heard::Server(now_us(), connection.server_pid)).is_err() {
            return;
        }
        if connection.request_within(Request::Subscribe, Some(Instant::now() + REQUEST)).is_err() {
            continue;
        }
        loop {
            match connection.next_notice(Some(Instant::now() + Duration::from_millis(500))) {
                Ok(notice) => {
                    if sender.send(Heard::Notice(now_us(), Box::new(notice))).is_err() {
                        return;
                    }
                }
                Err(Error::TimedOut) if !over.load(Ordering::SeqCst) => {}
                Err(_) => break,
            }
        }
    }
}
