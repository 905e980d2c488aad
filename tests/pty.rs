//! Bytes through a terminal with a real program at its other end.
#![allow(clippy::unwrap_used)]
#![cfg(target_os = "linux")]

mod keeper_bench;

use std::os::fd::AsFd;
use std::process::{Command, Stdio};
use std::time::Instant;

use counsel::os::pty;
use keeper_bench::{Agent, DEADLINE};
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};

/// Writes all of it while reading whatever comes; neither waits for the other.
fn write_all(agent: &mut Agent, mut bytes: &[u8]) {
    let until = Instant::now() + DEADLINE;
    while !bytes.is_empty() {
        let left = until.saturating_duration_since(Instant::now());
        let both = PollFlags::POLLIN | PollFlags::POLLOUT;
        let mut fds = [PollFd::new(agent.link.master.as_fd(), both)];
        let ready = poll(&mut fds, PollTimeout::try_from(left).unwrap()).unwrap();
        assert!(ready > 0 && Instant::now() < until, "{} bytes were not taken in {DEADLINE:?}", bytes.len());
        let events = fds[0].revents().unwrap();
        if events.contains(PollFlags::POLLIN) {
            agent.read_some();
        }
        if events.contains(PollFlags::POLLOUT) {
            bytes = &bytes[pty::write(&agent.link.master, bytes).unwrap()..];
        }
    }
}

#[test]
fn a_large_paste_arrives_whole_in_a_program_that_floods() {
    let paste: Vec<u8> =
        (0..1024 * 1024_u32).map(|i| b' ' + (i.wrapping_mul(2_654_435_761) >> 25) as u8 % 94).collect();
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), &paste).unwrap();
    let sum = Command::new("cksum").stdin(Stdio::from(file.reopen().unwrap())).output().unwrap();
    let sum = String::from_utf8(sum.stdout).unwrap();
    // The flood waits for a first byte: it would push everything before it out of the keeper's ring.
    let script = "stty raw -echo; echo ready; head -c 1 >/dev/null; yes flood & flood=$!
        sum=$(head -c 1048576 | cksum); kill $flood; echo; echo \"sum: $sum\"; read x";
    let mut agent = Agent::start(script);
    agent.until("ready");
    write_all(&mut agent, b"!");
    // Each piece waits for the flood to have gone on, which otherwise may not get a processor before the end.
    for piece in paste.chunks(64 * 1024) {
        let flood = agent.seen().matches("flood").count();
        agent.until_times("flood", flood + 1);
        write_all(&mut agent, piece);
    }
    agent.until(&format!("sum: {}", sum.trim()));
    agent.leave();
}

#[test]
fn raw_bytes_pass_unmodified_both_ways() {
    let mut agent = Agent::start("stty raw -echo; echo ready; exec cat");
    agent.until("ready\n");
    let before = agent.output.len();
    let all: Vec<u8> = (0..=255).cycle().take(4096).collect();
    write_all(&mut agent, &all);
    let until = Instant::now() + DEADLINE;
    while agent.output.len() < before + all.len() {
        let left = PollTimeout::try_from(until.saturating_duration_since(Instant::now())).unwrap();
        let got = poll(&mut [PollFd::new(agent.link.master.as_fd(), PollFlags::POLLIN)], left).unwrap();
        assert!(got > 0, "only {} bytes came back", agent.output.len() - before);
        agent.read_some();
    }
    assert!(agent.output[before..] == all, "the bytes changed on the way");
    agent.leave();
}

#[test]
fn a_character_split_across_reads_is_only_bytes_here() {
    let mut agent = Agent::start("stty raw -echo; echo ready; exec cat");
    agent.until("ready\n");
    let text = "日本🎉é".as_bytes();
    for byte in text {
        write_all(&mut agent, &[*byte]);
    }
    agent.until("日本🎉é");
    agent.leave();
}

#[test]
fn backspace_erases_a_whole_character() {
    let mut agent = Agent::start("stty -echo; echo ready; read line; echo \"line=$line;\"; read x");
    agent.until("ready");
    agent.type_in("aé\x7fb\n");
    agent.until("line=ab;");
    agent.leave();
}
