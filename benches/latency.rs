//! How long after its last byte a question is known: the released program, 20 agents that stream, and one
//! that asks.
//!
//! `cargo bench --bench latency`. Prints the time from the write that completes a dialog to the `question`
//! event at a client, and what the server took of a core. The streaming agents play recordings of real
//! programs at their own pace; the dialogs are a recorded screen with other words. This binary is also what
//! runs inside the agents. `COUNSEL_BIN` names another counsel to measure.

#![allow(clippy::unwrap_used, reason = "a benchmark that cannot go on ends")]

use std::io::{Read, Write};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use counsel::core::detect::watch;
use counsel::core::profile::Profiles;
use counsel::core::question::{State, Verdict};
use counsel::core::recording::asciicast::{Asciicast, What};
use counsel::core::recording::replay::Player;
use counsel::core::terminal::repaint::repaint;
use counsel::os::socket::{Connection, connect_and_greet};
use counsel::wire::{Notice, Reply, Request};

/// Questions that are timed.
const QUESTIONS: usize = 300;
/// Agents that stream meanwhile.
const STREAMS: usize = 20;
/// What they play: each program at work, its name before the first dash.
const PLAYED: [&str; 8] = [
    "claude-2.1.150-slow-120x40",
    "codex-0.169.0-stream-120x40",
    "claude-1.0.58-stream-120x40",
    "gemini-0.61.0-think-120x40",
    "opencode-1.18.33-slow-120x40",
    "qwen-0.15.10-slow-120x40",
    "pi-0.73.1-slow-120x40",
    "copilot-1.0.102-think-120x40",
];
/// The recorded dialog.
const ASKED: &str = "claude-2.1.150-ask1-120x40";
/// Pauses of a recording are cut to this: a person was thinking, no agent streams that slowly.
const LONGEST_PAUSE: Duration = Duration::from_millis(200);
/// The server's processor time is measured for this long before the first question.
const MEASURED: Duration = Duration::from_secs(10);
/// No event may take longer.
const DEADLINE: Duration = Duration::from_secs(20);
/// Kernel clock ticks in `/proc/PID/stat`, a second.
const TICKS: f64 = 100.0;

fn recording(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/recordings/{name}.cast"))
}

fn cast(path: &Path) -> Asciicast {
    Asciicast::parse(&std::fs::read_to_string(path).unwrap()).unwrap()
}

fn unix_nanos() -> u64 {
    u64::try_from(SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_nanos()).unwrap()
}

/// Inside an agent: a recording over and over, from somewhere in its middle.
fn stream(path: &Path, start: usize) {
    let cast = cast(path);
    let mut out = std::io::stdout();
    let mut skip = start % cast.events.len();
    loop {
        let mut before = cast.events[skip].at_ms;
        for event in &cast.events[skip..] {
            let pause = Duration::from_millis(event.at_ms - before);
            std::thread::sleep(pause.min(LONGEST_PAUSE));
            before = event.at_ms;
            let What::Output(text) = &event.what else { continue };
            if out.write_all(text.as_bytes()).and_then(|()| out.flush()).is_err() {
                return;
            }
        }
        skip = 0;
    }
}

/// Inside an agent: writes each screen that comes, and says when that was done.
fn ask(socket: &Path) {
    let mut line = UnixStream::connect(socket).unwrap();
    let mut out = std::io::stdout();
    let mut length = [0; 4];
    while line.read_exact(&mut length).is_ok() {
        let mut screen = vec![0; u32::from_be_bytes(length) as usize];
        line.read_exact(&mut screen).unwrap();
        out.write_all(&screen).unwrap();
        out.flush().unwrap();
        line.write_all(&unix_nanos().to_be_bytes()).unwrap();
    }
}

/// The server under test, in folders of its own.
struct World {
    root: tempfile::TempDir,
}

impl World {
    fn counsel(&self, args: &[&str]) {
        let program = std::env::var("COUNSEL_BIN").unwrap_or(env!("CARGO_BIN_EXE_counsel").to_owned());
        let done = Command::new(program)
            .args(args)
            .current_dir(self.root.path())
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap())
            .env("HOME", self.root.path())
            .env("COUNSEL_RUNTIME_DIR", self.root.path().join("run"))
            .env("COUNSEL_STATE_DIR", self.root.path().join("state"))
            .output()
            .unwrap();
        assert!(done.status.success(), "{args:?}: {}", String::from_utf8_lossy(&done.stderr));
    }

    fn agent(&self, name: &str, profile: &str, args: &[&str]) {
        let me = std::env::current_exe().unwrap();
        let start = ["start", name, "--profile", profile, "--size", "120x40", "--", me.to_str().unwrap()];
        self.counsel(&[&start[..], args].concat());
    }

    fn connect(&self) -> Connection {
        connect_and_greet(&self.root.path().join("run/counsel.sock"), None).unwrap()
    }
}

impl Drop for World {
    fn drop(&mut self) {
        self.counsel(&["down", "--grace", "0"]);
    }
}

/// The screen with the recorded dialog, and the words of its question.
fn dialog() -> (String, String) {
    let cast = cast(&recording(ASKED));
    let profile = Profiles::builtin().get("claude").unwrap();
    let mut player = Player::new(&cast);
    for event in &cast.events {
        player.play_to(event.at_ms);
        let verdict: Verdict = watch::classify(&profile, &player.snapshot());
        if let Some(question) = verdict.question.filter(|question| question.options.len() > 1) {
            let screen = player.screen();
            let painted = String::from_utf8(repaint(screen.grid(), screen.modes())).unwrap();
            assert!(painted.contains(&question.prompt), "the prompt is in one line");
            return (painted, question.prompt);
        }
    }
    panic!("{ASKED} asks nothing");
}

/// The question with this prompt reaches the client; when.
fn asked(client: &mut Connection, prompt: &str) -> u64 {
    let until = Instant::now() + DEADLINE;
    loop {
        if let Notice::Question(question) = client.next_notice(Some(until)).unwrap()
            && question.prompt == prompt
        {
            return unix_nanos();
        }
    }
}

/// Processor time a process has taken, in seconds.
fn processor(pid: u32) -> f64 {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap();
    let fields: Vec<&str> = stat.rsplit(") ").next().unwrap().split(' ').collect();
    (fields[11].parse::<f64>().unwrap() + fields[12].parse::<f64>().unwrap()) / TICKS
}

fn resident(pid: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let line = status.lines().find(|line| line.starts_with("VmRSS:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

fn measure() {
    let world = World { root: tempfile::Builder::new().prefix("latency").tempdir().unwrap() };
    let socket = world.root.path().join("ask.sock");
    let listener = UnixListener::bind(&socket).unwrap();
    for number in 0..STREAMS {
        let name = PLAYED[number % PLAYED.len()];
        let profile = name.split('-').next().unwrap();
        let (path, start) = (recording(name), (number * 37).to_string());
        world.agent(&format!("s{number}"), profile, &["--stream", path.to_str().unwrap(), &start]);
    }
    world.agent("asker", "claude", &["--ask", socket.to_str().unwrap()]);
    let (mut asker, _) = listener.accept().unwrap();
    let mut client = world.connect();
    client.request(Request::Subscribe).unwrap();
    let (before, start) = (processor(client.server_pid), Instant::now());
    std::thread::sleep(MEASURED);
    let share = (processor(client.server_pid) - before) / start.elapsed().as_secs_f64();
    println!("{:44} {:9.2} % of one core", format!("server: {STREAMS} streaming agents"), share * 100.0);
    println!("{:44} {:9.1} MB", "server: resident memory", resident(client.server_pid) as f64 / 1024.0);
    let (painted, prompt) = dialog();
    let mut times = Vec::new();
    for number in 0..QUESTIONS {
        let words = format!("Is this number {number}?");
        let screen = format!("\x1b[?2026h{}\x1b[?2026l", painted.replace(&prompt, &words));
        asker.write_all(&u32::try_from(screen.len()).unwrap().to_be_bytes()).unwrap();
        asker.write_all(screen.as_bytes()).unwrap();
        let mut written = [0; 8];
        asker.read_exact(&mut written).unwrap();
        let seen = asked(&mut client, &words);
        times.push(seen.saturating_sub(u64::from_be_bytes(written)) as f64 / 1e6);
        // Another moment of the streams' beat each time.
        std::thread::sleep(Duration::from_millis(20 + number as u64 * 7 % 60));
    }
    // Agents that have ended stream nothing, and what was measured beside them is worth nothing.
    let Reply::Agents { agents } = world.connect().request(Request::List).unwrap() else {
        panic!("the server does not list its agents")
    };
    assert!(agents.iter().all(|agent| agent.state != State::Exited), "not every agent streamed: {agents:?}");
    times.sort_by(f64::total_cmp);
    let at = |share: f64| times[((times.len() - 1) as f64 * share) as usize];
    println!(
        "{:44} {:9.1} ms   p90 {:6.1}   p99 {:6.1}   max {:6.1}   (n = {QUESTIONS})",
        "question: last byte to event, p50",
        at(0.5),
        at(0.9),
        at(0.99),
        at(1.0)
    );
}

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = args.iter().map(String::as_str).collect();
    match words[..] {
        ["--stream", path, start] => stream(Path::new(path), start.parse().unwrap()),
        ["--ask", socket] => ask(Path::new(socket)),
        // `cargo bench` adds `--bench`.
        [] | ["--bench"] => measure(),
        _ => panic!("{words:?} means nothing here"),
    }
}
