//! A world of its own for a test that drives the program from outside: folders, an environment, a server
//! that ends with it. Nothing sleeps; everything has a deadline.
#![allow(dead_code, reason = "each test uses its part of it")]

pub mod tmux;

use std::io::{BufRead, BufReader, Write};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Output, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::time::{Duration, Instant};

/// No command may take longer; a hanging one fails its test instead of the whole run.
pub const DEADLINE: Duration = Duration::from_secs(60);

/// A server's world: its folders, and the way to run commands in it.
pub struct World {
    root: tempfile::TempDir,
}

/// What a command came to.
#[derive(Debug)]
pub struct Done {
    pub code: i32,
    pub out: String,
    pub err: String,
}

impl World {
    pub fn new() -> World {
        World::within(&std::env::temp_dir())
    }

    /// The same below another folder than the temporary one.
    pub fn within(folder: &Path) -> World {
        // A short path: sockets lie in it.
        let root = tempfile::Builder::new().prefix("cw").tempdir_in(folder).unwrap();
        for folder in ["run", "state", "home", "work"] {
            std::fs::DirBuilder::new().mode(0o700).create(root.path().join(folder)).unwrap();
        }
        World { root }
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.root.path().join(name)
    }

    pub fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, text).unwrap();
        path
    }

    /// A program of this test, first on the PATH of every command that `with_bin` made.
    pub fn script(&self, name: &str, text: &str) -> PathBuf {
        use std::os::unix::fs::PermissionsExt;
        let path = self.write(&format!("bin/{name}"), &format!("#!/bin/sh\n{text}\n"));
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
        path
    }

    /// Any program with this world's environment and nothing else.
    pub fn program(&self, program: impl AsRef<std::ffi::OsStr>) -> Command {
        let mut command = Command::new(program);
        command.current_dir(self.path("work")).env_clear();
        command.env("PATH", std::env::var_os("PATH").unwrap()).env("HOME", self.path("home"));
        command.env("COUNSEL_RUNTIME_DIR", self.path("run")).env("COUNSEL_STATE_DIR", self.path("state"));
        command
    }

    pub fn command(&self) -> Command {
        self.program(counsel())
    }

    pub fn run(&self, args: &[&str]) -> Done {
        finish(self.command().args(args), b"")
    }

    pub fn ok(&self, args: &[&str]) -> String {
        let done = self.run(args);
        assert_eq!(done.code, 0, "{args:?}: {done:?}");
        done.out
    }

    /// Refused with this code and one line that begins as the contract says and holds `words`.
    pub fn refused(&self, args: &[&str], code: i32, words: &str) {
        let done = self.run(args);
        assert_eq!(done.code, code, "{args:?}: {done:?}");
        let line = done.err.starts_with("counsel: ") && done.err.trim_end().lines().count() == 1;
        assert!(line && done.err.contains(words), "{args:?}: {done:?}");
    }

    /// Every object that `args --json` prints.
    pub fn json(&self, args: &[&str]) -> Vec<serde_json::Value> {
        self.ok(args).lines().map(json).collect()
    }

    /// Waits until there is an agent of this name.
    pub fn until_listed(&self, name: &str) {
        let until = Instant::now() + DEADLINE;
        while self.json(&["ls", "--json"]).iter().all(|agent| agent["name"] != name) {
            assert!(Instant::now() < until, "no {name}");
        }
    }

    /// Waits until there is none.
    pub fn until_gone(&self, name: &str) {
        let until = Instant::now() + DEADLINE;
        while self.json(&["ls", "--json"]).iter().any(|agent| agent["name"] == name) {
            assert!(Instant::now() < until, "{name} is still there");
        }
    }

    /// A program whose lines come as they are printed.
    pub fn follow(&self, args: &[&str]) -> Lines {
        Lines::of(self.command().args(args))
    }
}

impl Drop for World {
    fn drop(&mut self) {
        let _ = finish(self.command().args(["down", "--grace", "0"]), b"");
    }
}

/// The program under test: the one built beside it, or another by `COUNSEL_UNDER_TEST`.
pub fn counsel() -> &'static Path {
    static OTHER: std::sync::OnceLock<Option<PathBuf>> = std::sync::OnceLock::new();
    let other = OTHER.get_or_init(|| std::env::var_os("COUNSEL_UNDER_TEST").map(PathBuf::from));
    other.as_deref().unwrap_or(Path::new(env!("CARGO_BIN_EXE_counsel")))
}

/// Runs to the end, or fails at the deadline.
pub fn finish(command: &mut Command, input: &[u8]) -> Done {
    let shown = format!("{command:?}");
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap_or_else(|error| panic!("{shown}: {error}"));
    let mut stdin = child.stdin.take().unwrap();
    let input = input.to_vec();
    std::thread::spawn(move || stdin.write_all(&input));
    let (sender, receiver) = mpsc::channel();
    std::thread::spawn(move || sender.send(child.wait_with_output()));
    let ended = receiver.recv_timeout(DEADLINE).unwrap_or_else(|_| panic!("{shown} took too long"));
    let Output { status, stdout, stderr } = ended.unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    Done { code: status.code().unwrap_or(-1), out: text(stdout), err: text(stderr) }
}

pub fn json(line: &str) -> serde_json::Value {
    serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"))
}

/// A running program, its lines read as they come; ended with this value.
pub struct Lines {
    child: Child,
    lines: Receiver<String>,
    seen: Vec<String>,
}

impl Lines {
    pub fn of(command: &mut Command) -> Lines {
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::inherit());
        let mut child = command.spawn().unwrap();
        let lines = read_lines(child.stdout.take().unwrap());
        Lines { child, lines, seen: Vec::new() }
    }

    pub fn say(&mut self, line: &str) {
        let stdin = self.child.stdin.as_mut().unwrap();
        writeln!(stdin, "{line}").and_then(|()| stdin.flush()).unwrap();
    }

    /// The same for what may be no text, as it is.
    pub fn say_bytes(&mut self, bytes: &[u8]) {
        let stdin = self.child.stdin.as_mut().unwrap();
        stdin.write_all(bytes).and_then(|()| stdin.flush()).unwrap();
    }

    /// The next line.
    pub fn next(&mut self) -> String {
        match self.lines.recv_timeout(DEADLINE) {
            Ok(line) => {
                self.seen.push(line.clone());
                line
            }
            Err(error) => panic!("no further line ({error}); so far:\n{}", self.seen.join("\n")),
        }
    }

    /// The first line from here on that is looked for.
    pub fn until(&mut self, wanted: impl Fn(&str) -> bool) -> String {
        loop {
            let line = self.next();
            if wanted(&line) {
                return line;
            }
        }
    }

    /// Its input ends; it does so too, with this code.
    pub fn end(mut self) -> Option<i32> {
        drop(self.child.stdin.take());
        let until = Instant::now() + DEADLINE;
        // Its output ends when it does.
        while self.lines.recv_timeout(until.saturating_duration_since(Instant::now())).is_ok() {}
        self.child.wait().unwrap().code()
    }
}

impl Drop for Lines {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn read_lines(stdout: ChildStdout) -> Receiver<String> {
    let (sender, receiver) = mpsc::channel();
    std::thread::spawn(move || {
        let (mut stdout, mut line) = (BufReader::new(stdout), Vec::new());
        // Not `lines`: a letter may be cut in two where tmux cuts a line.
        while stdout.read_until(b'\n', &mut line).is_ok_and(|count| count > 0) {
            let text = String::from_utf8_lossy(&line).trim_end_matches('\n').to_owned();
            line.clear();
            if sender.send(text).is_err() {
                return;
            }
        }
    });
    receiver
}
