//! A command consultant ends with everything it started, whatever that does to stay.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
#![cfg(target_os = "linux")]

use std::io::{BufRead, BufReader, Read};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

/// A child that has a session of its own, loses its parent, ignores TERM and starts others.
const CLINGING: &str = r#"(setsid sh -c 'trap "" TERM HUP INT; sleep 1001 & (setsid sleep 1002 &) ; echo up; wait' &)
setsid sh -c 'trap "" TERM; sleep 1003' & wait"#;

fn reap(mark: &str, script: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_counsel"));
    command.args(["reaper", "sh", "-c", script]).env("REAPER_TEST", mark).stdout(Stdio::piped());
    command
}

/// What runs with this mark in its environment, this test aside.
fn marked(mark: &str) -> Vec<String> {
    let wanted = format!("REAPER_TEST={mark}");
    let entries = std::fs::read_dir("/proc").unwrap().flatten();
    let of = |path: std::path::PathBuf| {
        let environ = std::fs::read(path.join("environ")).ok()?;
        let own = environ.split(|byte| *byte == 0).any(|pair| pair == wanted.as_bytes());
        let line = std::fs::read(path.join("cmdline")).ok()?;
        own.then(|| String::from_utf8_lossy(&line).replace('\0', " "))
    };
    entries.filter_map(|entry| of(entry.path())).collect()
}

/// The kernel tells nobody of processes that are not our children: one looks again.
fn until_none(mark: &str) {
    let until = Instant::now() + Duration::from_secs(20);
    while !marked(mark).is_empty() {
        assert!(Instant::now() < until, "still there: {:?}", marked(mark));
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// Waits for the script's "up" and for all three sleeps, which say nothing when they have been executed.
fn until_up(child: &mut Child, mark: &str) {
    let mut line = String::new();
    BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
    assert_eq!(line, "up\n");
    let until = Instant::now() + Duration::from_secs(20);
    while ["1001", "1002", "1003"].iter().any(|sleep| !marked(mark).iter().any(|line| line.contains(sleep))) {
        assert!(Instant::now() < until, "only {:?}", marked(mark));
        std::thread::sleep(Duration::from_millis(10));
    }
}

fn mark(name: &str) -> String {
    format!("{name}-{}", std::process::id())
}

#[test]
fn told_to_end_it_leaves_nothing_behind() {
    let mark = mark("term");
    let mut child = reap(&mark, CLINGING).spawn().unwrap();
    until_up(&mut child, &mark);
    kill(Pid::from_raw(child.id().cast_signed()), Signal::SIGTERM).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(128 + 15));
    until_none(&mark);
}

#[test]
fn when_the_command_ends_what_it_left_ends_too_and_its_words_and_code_are_passed_on() {
    let mark = mark("exit");
    let script = "(setsid sleep 1004 &) ; cat; echo said; exit 7";
    let mut child = reap(&mark, script).stdin(Stdio::null()).spawn().unwrap();
    let mut said = String::new();
    child.stdout.take().unwrap().read_to_string(&mut said).unwrap();
    assert_eq!((said.as_str(), child.wait().unwrap().code()), ("said\n", Some(7)));
    until_none(&mark);
    let missing = Command::new(env!("CARGO_BIN_EXE_counsel")).args(["reaper", "/no/such/program"]).status();
    assert_eq!(missing.unwrap().code(), Some(127));
}

/// A server that ran while counsel was replaced called `tend`, which the new program took for a word of a person's: its
/// command consultants answered nothing any more.
#[test]
fn a_server_from_before_the_program_was_replaced_has_it_by_its_earlier_name() {
    let mut command = Command::new(env!("CARGO_BIN_EXE_counsel"));
    assert_eq!(command.args(["tend", "sh", "-c", "exit 7"]).status().unwrap().code(), Some(7));
}

#[test]
fn when_its_parent_is_killed_all_of_it_ends() {
    let mark = mark("orphan");
    let mut parent = Command::new("sh");
    parent.args(["-c", r#""$0" reaper sh -c "$1" & wait"#, env!("CARGO_BIN_EXE_counsel"), CLINGING]);
    let mut parent = parent.env("REAPER_TEST", &mark).stdout(Stdio::piped()).spawn().unwrap();
    until_up(&mut parent, &mark);
    parent.kill().unwrap();
    parent.wait().unwrap();
    until_none(&mark);
}
