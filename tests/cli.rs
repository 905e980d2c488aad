//! The program from outside: exit codes, one clear line for every error, and what scripts build on.
//!
//! Each test has a server of its own in a folder of its own; nothing sleeps, everything has a deadline.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::io::Write;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::mpsc;
use std::time::Duration;

/// No command may take longer; a hanging one fails its test instead of the whole run.
const DEADLINE: Duration = Duration::from_secs(60);

/// A server's world: its folders, and the way to run commands in it.
struct World {
    root: tempfile::TempDir,
}

/// What a command came to.
#[derive(Debug)]
struct Done {
    code: i32,
    out: String,
    err: String,
}

impl World {
    fn new() -> World {
        let root = tempfile::Builder::new().prefix("cli").tempdir().unwrap();
        for folder in ["run", "state", "home", "work"] {
            std::fs::DirBuilder::new().mode(0o700).create(root.path().join(folder)).unwrap();
        }
        World { root }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.root.path().join(name)
    }

    fn command(&self) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_counsel"));
        command.current_dir(self.path("work")).env_clear();
        command.env("PATH", std::env::var_os("PATH").unwrap()).env("HOME", self.path("home"));
        command.env("COUNSEL_RUNTIME_DIR", self.path("run")).env("COUNSEL_STATE_DIR", self.path("state"));
        command
    }

    fn run(&self, args: &[&str]) -> Done {
        finish(self.command().args(args), b"")
    }

    fn ok(&self, args: &[&str]) -> String {
        let done = self.run(args);
        assert_eq!(done.code, 0, "{args:?}: {done:?}");
        done.out
    }

    /// Refused with this code and one line that begins as the contract says and holds `words`.
    fn refused(&self, args: &[&str], code: i32, words: &str) {
        let done = self.run(args);
        assert_eq!(done.code, code, "{args:?}: {done:?}");
        assert!(
            done.err.starts_with("counsel: ") && done.err.trim_end().lines().count() == 1,
            "{args:?}: {done:?}"
        );
        assert!(done.err.contains(words), "{args:?}: {done:?}");
    }

    fn config(&self, text: &str) {
        std::fs::write(self.path("work/counsel.toml"), text).unwrap();
    }

    fn server_pid(&self) -> i32 {
        let out = self.ok(&["server"]);
        out.split("pid ").nth(1).and_then(|rest| rest.trim_end_matches([')', '\n']).parse().ok()).unwrap()
    }
}

impl Drop for World {
    fn drop(&mut self) {
        let _ = finish(self.command().args(["down", "--grace", "0"]), b"");
    }
}

/// Runs to the end, or fails at the deadline.
fn finish(command: &mut Command, input: &[u8]) -> Done {
    let shown = format!("{command:?}");
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let input = input.to_vec();
    std::thread::spawn(move || stdin.write_all(&input));
    let (sender, receiver) = mpsc::channel();
    std::thread::spawn(move || sender.send(child.wait_with_output()));
    let Output { status, stdout, stderr } =
        receiver.recv_timeout(DEADLINE).unwrap_or_else(|_| panic!("{shown} took too long")).unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    Done { code: status.code().unwrap_or(-1), out: text(stdout), err: text(stderr) }
}

fn json(line: &str) -> serde_json::Value {
    serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"))
}

#[test]
fn every_refusal_is_one_line_with_its_code() {
    let world = World::new();
    world.refused(&["read", "nobody"], 3, "there is no agent 'nobody'");
    world.refused(&["answer", "q1", "Yes"], 3, "there is no question 'q1'");
    world.refused(&["start", "Bad Name", "--", "cat"], 2, "is not a name");
    world.refused(
        &["start", "a", "--", "/no/such/program"],
        1,
        "could not start a: no program /no/such/program",
    );
    world.refused(&["start", "a", "--cwd", "/no/such", "--", "cat"], 1, "is not a folder");
    world.ok(&["start", "a", "--", "cat"]);
    world.refused(&["start", "a", "--", "cat"], 1, "an agent 'a' runs already");
    world.refused(&["wait", "a", "--for", "exited", "--timeout", "0.2"], 124, "the time is up");
    world.refused(&["signal", "a", "WHATEVER"], 2, "is not a signal");
    world.refused(&["attach", "a"], 1, "could not attach to a");
    world.refused(&["send", "a"], 2, "nothing to send");
    world.ok(&["pause", "a"]);
    world.refused(&["send", "a", "x"], 4, "a is paused");
    world.ok(&["resume", "a"]);
    world.ok(&["send", "a", "x"]);
    assert_eq!(world.run(&["nonsense"]).code, 2);
}

#[test]
fn a_faulty_configuration_names_its_place() {
    let world = World::new();
    world.config("[[agent]]\nname = \"a\"\ncomand = [\"x\"]\n");
    world.refused(&["up"], 2, "counsel.toml:3:1: key agent.comand");
    world.config("[[rule]]\nkind = \"permission\"\ncommand = \"(\"\nthen = \"human\"\n");
    world.refused(&["up"], 2, "counsel.toml:3");
    world.config("[security]\ndeny_commands = [\"cat\"]\n");
    world.refused(&["start", "a", "--", "cat"], 4, "deny_commands");
}

#[test]
fn folders_that_cannot_be_used_are_named() {
    let world = World::new();
    std::fs::write(world.path("file"), "").unwrap();
    for variable in ["COUNSEL_STATE_DIR", "COUNSEL_RUNTIME_DIR"] {
        let done =
            finish(world.command().env(variable, world.path("file")).args(["start", "a", "--", "cat"]), b"");
        assert_eq!(done.code, 1, "{done:?}");
        assert!(done.err.contains("is not a folder"), "{done:?}");
    }
    // A socket that nobody listens on is no server.
    drop(std::os::unix::net::UnixListener::bind(world.path("run/counsel.sock")).unwrap());
    world.ok(&["start", "a", "--", "cat"]);
}

#[test]
fn ls_prints_what_the_contract_lists() {
    let world = World::new();
    world.ok(&["start", "a", "--size", "90x20", "--title", "mine", "--", "cat"]);
    let agent = json(&world.ok(&["ls", "--json"]));
    for key in [
        "name",
        "state",
        "since",
        "question",
        "profile",
        "host",
        "pid",
        "cols",
        "rows",
        "exit_code",
        "role",
        "title",
    ] {
        assert!(agent.get(key).is_some(), "{key} is missing in {agent}");
    }
    assert_eq!((agent["cols"].as_u64(), agent["rows"].as_u64()), (Some(90), Some(20)));
    assert_eq!((agent["host"].as_str(), agent["title"].as_str()), (Some("pty"), Some("mine")));
    assert!(Path::new(&format!("/proc/{}", agent["pid"])).exists());
}

#[test]
fn exec_is_the_program_it_runs() {
    let world = World::new();
    // What it is given by a pipe is the program's own input; all else of it is its terminal.
    let script = "test ! -t 0 && test -t 1 && test -t 2 && printf 'a\\033[31mb\\n'; exit 7";
    let done = world.run(&["exec", "--", "sh", "-c", script]);
    assert_eq!((done.code, done.out.as_str()), (7, "ab\n"), "{done:?}");
    let numbers = world.ok(&["exec", "--", "seq", "1", "30000"]);
    let expected: String = (1..=30_000).map(|n| format!("{n}\n")).collect();
    assert!(numbers == expected, "{} bytes of {}", numbers.len(), expected.len());
    assert_eq!(world.ok(&["exec", "--raw", "--", "printf", "\\033[1mx"]), "\u{1b}[1mx");
    let slow = world.run(&[
        "exec",
        "--timeout",
        "0.5",
        "--name",
        "slow",
        "--",
        "sh",
        "-c",
        "echo begun; exec sleep 1000",
    ]);
    assert_eq!((slow.code, slow.out.trim()), (124, "begun"), "{slow:?}");
    assert!(slow.err.contains("slow"), "{slow:?}");
    assert!(world.ok(&["ls"]).contains("slow"), "it runs on");
}

#[test]
fn reading_in_pieces_gives_the_whole() {
    let world = World::new();
    world.ok(&[
        "start",
        "a",
        "--",
        "sh",
        "-c",
        "read x; i=0; while [ $i -lt 3000 ]; do i=$((i+1)); echo $i; done; read x",
    ]);
    world.ok(&["send", "a", "--enter"]);
    let (mut cursor, mut text) = (0, String::new());
    while !text.ends_with("\n3000\n") && !text.ends_with("\n3000") {
        let since = cursor.to_string();
        let read = json(&world.ok(&["read", "a", "--since", &since, "--wait", "20000", "--json"]));
        cursor = read["cursor"].as_u64().unwrap();
        // More than fits inline lies in a file.
        match read["file"].as_str() {
            Some(file) => text.push_str(&std::fs::read_to_string(file).unwrap()),
            None => text.push_str(read["text"].as_str().unwrap()),
        }
        assert!(text.len() < 100_000, "{text}");
    }
    let numbers: Vec<u32> = text.split_whitespace().map(|word| word.parse().unwrap()).collect();
    assert_eq!(numbers, (1..=3000).collect::<Vec<u32>>());
}

#[test]
fn a_megabyte_pasted_into_a_flood_arrives_whole() {
    let world = World::new();
    let (copy, paste) = (world.path("copy"), "0123456789abcdef".repeat(65_536));
    let script = format!(
        "stty raw -echo; (while :; do echo flood; done) & head -c {} > '{}'; kill $!",
        paste.len(),
        copy.display()
    );
    world.ok(&["start", "a", "--", "sh", "-c", &script]);
    world.ok(&["read", "a", "--since", "0", "--wait", "10000"]);
    let sent = finish(world.command().args(["send", "a", "-", "--paste"]), paste.as_bytes());
    assert_eq!(sent.code, 0, "{sent:?}");
    world.ok(&["wait", "a", "--for", "exited", "--timeout", "50"]);
    assert!(std::fs::read_to_string(copy).unwrap() == paste);
}

#[test]
fn an_agent_survives_the_servers_death() {
    let world = World::new();
    world.ok(&["start", "a", "--", "sh", "-c", "echo before; read x; echo after $x; exec cat"]);
    world.ok(&["read", "a", "--since", "0", "--wait", "10000"]);
    let pid = json(&world.ok(&["ls", "--json"]))["pid"].clone();
    let server = world.server_pid();
    nix::sys::signal::kill(nix::unistd::Pid::from_raw(server), nix::sys::signal::Signal::SIGKILL).unwrap();
    // Until the kernel has taken the process away, a command may still reach it, and fails with it.
    let mut tail = Command::new("tail");
    finish(tail.args([&format!("--pid={server}"), "-f", "/dev/null"]), b"");
    let again = json(world.ok(&["ls", "--json"]).trim());
    assert_eq!(again["pid"], pid);
    assert_ne!(world.server_pid(), server);
    assert!(world.ok(&["read", "a", "--screen"]).contains("before"));
    world.ok(&["send", "a", "death", "--enter"]);
    let mut seen = String::new();
    let mut cursor = 0;
    while !seen.contains("after death") {
        let read =
            json(&world.ok(&["read", "a", "--since", &cursor.to_string(), "--wait", "20000", "--json"]));
        cursor = read["cursor"].as_u64().unwrap();
        seen.push_str(read["text"].as_str().unwrap());
    }
}

/// The next server served clients before the agents it had taken back had been heard of: whoever looked right behind the death
/// saw most of twenty without a process.
#[test]
fn the_first_look_at_the_next_server_shows_every_process() {
    const AGENTS: usize = 20;
    let world = World::new();
    for number in 0..AGENTS {
        world.ok(&["start", &format!("a{number}"), "--", "cat"]);
    }
    let pids = || {
        let listed = world.ok(&["ls", "--json"]);
        listed.lines().map(|line| json(line)["pid"].as_u64()).collect::<Option<Vec<_>>>()
    };
    let before = pids().expect("all of them run");
    assert_eq!(before.len(), AGENTS);
    let server = world.server_pid();
    nix::sys::signal::kill(nix::unistd::Pid::from_raw(server), nix::sys::signal::Signal::SIGKILL).unwrap();
    // Until the kernel has taken the process away, a command may still reach it, and fails with it.
    finish(Command::new("tail").args([&format!("--pid={server}"), "-f", "/dev/null"]), b"");
    assert_eq!(pids(), Some(before));
}

#[test]
fn down_leaves_nothing_running() {
    let world = World::new();
    world.ok(&[
        "start",
        "a",
        "--",
        "sh",
        "-c",
        "trap '' TERM; (setsid sleep 1000 &); nohup sleep 1000 >/dev/null & exec sleep 1000",
    ]);
    let agent = json(&world.ok(&["ls", "--json"]))["pid"].as_i64().unwrap();
    let server = world.server_pid();
    world.ok(&["down", "--grace", "0.2"]);
    // The server has said goodbye; its process ends right after.
    let mut tail = Command::new("tail");
    finish(tail.args([&format!("--pid={server}"), "-f", "/dev/null"]), b"");
    for pid in [agent, i64::from(server)] {
        let alive =
            std::fs::read_to_string(format!("/proc/{pid}/stat")).is_ok_and(|stat| !stat.contains(") Z "));
        assert!(!alive, "{pid} still runs");
    }
    let marked = std::fs::read_dir("/proc").unwrap().flatten().any(|entry| {
        let environ = std::fs::read(entry.path().join("environ")).unwrap_or_default();
        let mark = world.path("run").into_os_string().into_encoded_bytes();
        environ.windows(mark.len()).any(|window| window == mark)
    });
    assert!(!marked, "something of this world still runs");
    assert!(world.ok(&["ls"]).contains("no agents"));
}

#[test]
fn a_hook_that_reaches_nobody_says_nothing() {
    let world = World::new();
    let question = r#"{"hook_event_name": "PermissionRequest", "tool_name": "AskUserQuestion", "tool_input":
        {"questions": [{"question": "Which?", "multiSelect": false, "options": [{"label": "A"}, {"label": "B"}]}]}}"#;
    let hook = |socket: &Path, input: &str| {
        let mut command = world.command();
        command.arg("hook").env("COUNSEL_SOCKET", socket).env("COUNSEL_TOKEN", "guessed");
        let done = finish(&mut command, input.as_bytes());
        assert_eq!((done.code, done.out.as_str(), done.err.as_str()), (0, "", ""), "{input}");
    };
    let done = finish(world.command().arg("hook"), question.as_bytes());
    assert_eq!((done.code, done.out.as_str(), done.err.as_str()), (0, "", ""), "without a server named");
    hook(&world.path("run/absent.sock"), question);
    assert!(!world.path("run/absent.sock").exists(), "a hook starts no server");
    // One that takes connections and never speaks.
    let silent = world.path("run/silent.sock");
    let _listener = std::os::unix::net::UnixListener::bind(&silent).unwrap();
    hook(&silent, question);
    // One that runs, and does not know the token.
    world.server_pid();
    let socket = world.path("run/counsel.sock");
    assert!(socket.exists());
    let input = ["", "{", "[]", "{\"hook_event_name\": 3}", r#"{"hook_event_name": "Stop"}"#, question];
    for input in input {
        hook(&socket, input);
    }
}

/// From a folder that was deleted everything was refused, `doctor` as well, with no word of what to do.
#[test]
fn a_deleted_folder_is_in_nobodys_way_who_names_another() {
    let world = World::new();
    let there = world.path("work/team.toml");
    std::fs::write(&there, "[[agent]]\nname = \"b\"\ncwd = \"/\"\ncommand = [\"cat\"]\n").unwrap();
    let gone = world.path("work/gone");
    let from_there = |args: &[&str]| {
        let line = "cd \"$1\" && rmdir \"$1\" && shift && exec \"$@\"";
        std::fs::create_dir(&gone).unwrap();
        let mut command = Command::new("sh");
        command.args(["-c", line, "sh"]).arg(&gone).arg(env!("CARGO_BIN_EXE_counsel")).args(args).env_clear();
        command.envs(world.command().get_envs().filter_map(|(name, value)| Some((name, value?))));
        finish(&mut command, b"")
    };
    assert_eq!(from_there(&["start", "a", "--cwd", "/", "--", "cat"]).code, 0);
    assert_eq!(from_there(&["up", "-f", there.to_str().unwrap()]).code, 0);
    let doctor = from_there(&["doctor"]);
    assert!(doctor.out.contains("runtime folder"), "{doctor:?}");
    for args in [&["start", "c", "--", "cat"][..], &["up", "-f", "team.toml"], &["init"]] {
        let done = from_there(args);
        assert_eq!((done.code, done.out.as_str()), (1, ""), "{args:?}: {done:?}");
        assert!(done.err.ends_with("; cd to one that exists\n"), "{args:?}: {done:?}");
    }
    assert_eq!(world.ok(&["ls", "--json"]).lines().count(), 2);
}

/// The word to a client that waits for it was printed for whoever started a server by hand: `1 another server already runs`.
#[test]
fn a_server_that_another_runs_beside_says_so_once() {
    let world = World::new();
    world.ok(&["start", "a", "--", "cat"]);
    let done = world.run(&["server", "--foreground", "--json"]);
    assert_eq!((done.code, done.out.as_str(), done.err.lines().count()), (1, "", 1), "{done:?}");
    assert!(done.err.contains("'counsel server restart' puts one of this program in its place"), "{done:?}");
}

#[test]
fn stopping_what_has_ended_says_what_was_done() {
    let world = World::new();
    world.ok(&["start", "a", "--", "sh", "-c", "exit 3"]);
    world.ok(&["wait", "a", "--for", "exited"]);
    assert_eq!(world.ok(&["stop", "a"]), "a had ended (3), and is off the list\n");
    world.ok(&["start", "b", "--", "cat"]);
    assert_eq!(world.ok(&["stop", "b"]), "");
}
