//! How a keeper that has just been started is taken: `start.rs` against one that refuses. Run by the test harness alone.

use std::io::{IoSlice, Read, Write};
use std::os::fd::AsRawFd;
use std::os::unix::net::{UnixListener, UnixStream};
use std::os::unix::process::ExitStatusExt;
use std::process::Command;

use nix::sys::socket::{ControlMessage, MsgFlags, UnixAddr, sendmsg};

use super::*;
use crate::os::keeper_link::{Hello, LINK_VERSION, MASTER_BYTE, ToKeeper};
use crate::wire::encode;

/// What a keeper does, with this end of the line in the terminal's place.
fn hand_over(mut stream: UnixStream) {
    let hello = Hello {
        version: LINK_VERSION,
        name: "a".to_owned(),
        agent_pid: 1,
        keeper_pid: std::process::id(),
        run: Run::Running,
        size: Size::FALLBACK,
        manifest: 2,
        ring: 4,
        dropped: 0,
        ended_unix_ms: None,
        tells_signals: true,
        disturbed: false,
    };
    stream.write_all(&[&encode(&hello)[..], b"{}said"].concat()).unwrap();
    stream.read_exact(&mut vec![0; encode(&ToKeeper::Take).len()]).unwrap();
    let (fds, byte) = ([stream.as_raw_fd()], [MASTER_BYTE]);
    let along = [ControlMessage::ScmRights(&fds)];
    sendmsg::<UnixAddr>(stream.as_raw_fd(), &[IoSlice::new(&byte)], &along, MsgFlags::empty(), None).unwrap();
}

/// A keeper that refused its server once had that server give the agent up.
#[test]
fn a_line_that_closes_while_an_agent_starts_is_tried_again() {
    let folder = tempfile::tempdir().unwrap();
    let socket = keeper_link::socket_of(folder.path(), "a");
    let listener = UnixListener::bind(&socket).unwrap();
    let keeper = std::thread::spawn(move || {
        drop(listener.accept().unwrap());
        hand_over(listener.accept().unwrap().0);
    });
    let mut other = Command::new("sleep").arg("1000").spawn().unwrap();
    let taken = take_over(&socket, &socket, other.id(), "");
    let spared = other.try_wait().unwrap().is_none();
    other.kill().unwrap();
    other.wait().unwrap();
    assert_eq!(taken.unwrap().0.ring, b"said");
    assert!(spared, "a keeper that was taken is left alone");
    keeper.join().unwrap();
}

/// It ran on with its agent: not listed, its name taken, and the next server's to find.
#[test]
fn a_keeper_that_cannot_be_taken_is_ended() {
    let folder = tempfile::tempdir().unwrap();
    let socket = keeper_link::socket_of(folder.path(), "a");
    let listener = UnixListener::bind(&socket).unwrap();
    std::thread::spawn(move || while listener.accept().is_ok() {});
    let mut keeper = Command::new("sleep").arg("1000").spawn().unwrap();
    assert!(take_over(&socket, &socket, keeper.id(), "").is_err());
    assert_eq!(keeper.wait().unwrap().signal(), Some(15));
}
