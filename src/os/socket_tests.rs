//! One server per socket, and a client that neither mixes nor loses messages.

use std::sync::{Arc, Barrier};
use std::thread;

use super::*;

fn soon() -> Option<Instant> {
    Some(Instant::now() + Duration::from_secs(10))
}

#[test]
fn of_many_servers_starting_at_once_one_wins() {
    let temp = tempfile::tempdir().unwrap();
    let path = temp.path().join("s");
    drop(UnixListener::bind(&path).unwrap()); // What a killed server leaves.
    let barrier = Arc::new(Barrier::new(8));
    let starters: Vec<_> = (0..8)
        .map(|_| {
            let (path, barrier) = (path.clone(), barrier.clone());
            thread::spawn(move || {
                barrier.wait();
                let bound = bind(&path);
                barrier.wait(); // The winner holds on until all have tried.
                bound.map(drop)
            })
        })
        .collect();
    let results: Vec<_> = starters.into_iter().map(|starter| starter.join().unwrap()).collect();
    assert_eq!(results.iter().filter(|r| r.is_ok()).count(), 1, "{results:?}");
    assert!(results.iter().all(|r| matches!(r, Ok(()) | Err(Error::Taken(_)))), "{results:?}");
    assert!(!path.exists(), "a server that ends takes its socket along");
}

/// Killed on a busy machine, a server had closed its socket and not yet its lock: the next one ended with "another server
/// already runs", and so did the command that had started it.
#[test]
fn a_server_that_starts_waits_for_one_that_is_just_ending() {
    let temp = tempfile::tempdir().unwrap();
    let path = temp.path().join("s");
    let mut ending = bind(&path).unwrap();
    // As the kernel leaves it: the socket's file is there, and nobody listens.
    ending.listener = UnixListener::bind(temp.path().join("elsewhere")).unwrap();
    assert!(matches!(connect(&path), Err(Error::Absent(_))));
    let lock = identity(&beside(&path, ".lock")).unwrap().1;
    let starting = thread::spawn({
        let path = path.clone();
        move || bind(&path).map(|bound| bound.is_in_place())
    });
    let is_waited_for = || {
        let table = fs::read_to_string("/proc/locks").unwrap();
        table.lines().any(|line| line.contains("->") && line.contains(&format!(":{lock} ")))
    };
    while !is_waited_for() && !starting.is_finished() {
        thread::yield_now();
    }
    drop(ending);
    assert!(starting.join().unwrap().unwrap());
}

#[test]
fn the_socket_is_closed_to_others_and_knows_its_peer() {
    let temp = tempfile::tempdir().unwrap();
    let path = temp.path().join("s");
    let bound = bind(&path).unwrap();
    assert_eq!(fs::metadata(&path).unwrap().mode() & 0o777, 0o600);
    let client = connect(&path).unwrap();
    let (served, _) = bound.try_clone().unwrap().accept().unwrap();
    for end in [&client, &served] {
        let who = crate::os::peer::of(end).unwrap();
        assert!(who.is_us());
        assert!(who.pid.is_none() || who.pid == Some(std::process::id()));
    }
}

#[test]
fn a_file_that_is_no_socket_is_not_replaced() {
    let temp = tempfile::tempdir().unwrap();
    let path = temp.path().join("notes.txt");
    fs::write(&path, "mine").unwrap();
    assert!(bind(&path).unwrap_err().to_string().contains("no socket"));
    assert_eq!(fs::read_to_string(&path).unwrap(), "mine");
}

#[test]
fn nobody_listening_is_absent() {
    let temp = tempfile::tempdir().unwrap();
    let path = temp.path().join("s");
    assert!(matches!(connect(&path), Err(Error::Absent(_))));
    drop(UnixListener::bind(&path).unwrap());
    assert!(matches!(connect_and_greet(&path, None), Err(Error::Absent(_))));
}

/// A server that reads one message after the other and sends, for each, what `answer` says.
fn serve(path: &Path, answer: impl Fn(ClientMessage) -> Vec<ServerMessage> + Send + 'static) -> Listener {
    let bound = bind(path).unwrap();
    let listener = bound.try_clone().unwrap();
    listener.set_nonblocking(false).unwrap();
    thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let mut decoder = Decoder::default();
        let mut buffer = [0; 256];
        while let Ok(n @ 1..) = stream.read(&mut buffer) {
            decoder.push(&buffer[..n]);
            while let Some(message) = decoder.take::<ClientMessage>().unwrap() {
                let out: Vec<u8> = answer(message).iter().flat_map(encode).collect();
                stream.write_all(&out).unwrap();
            }
        }
    });
    bound
}

fn hello(version: u32, id: u64) -> ServerMessage {
    ServerMessage::Reply { id, reply: Reply::Hello { version, server: "x".into(), pid: 7 } }
}

#[test]
fn replies_and_notices_are_told_apart() {
    let temp = tempfile::tempdir().unwrap();
    let path = temp.path().join("s");
    let bell = |name: &str| ServerMessage::Notice(Notice::Bell { name: name.into() });
    let _bound = serve(&path, move |message| match message.request {
        Request::Hello { .. } => vec![hello(VERSION, message.id)],
        _ => vec![bell("a"), ServerMessage::Reply { id: message.id, reply: Reply::Done }, bell("b")],
    });
    let mut client = connect_and_greet(&path, None).unwrap();
    assert_eq!(client.server_pid, 7);
    assert_eq!(client.request_within(Request::Ping, soon()).unwrap(), Reply::Done);
    for name in ["a", "b"] {
        assert_eq!(client.next_notice(soon()).unwrap(), Notice::Bell { name: name.into() });
    }
    let short = Some(Instant::now() + Duration::from_millis(20));
    assert!(matches!(client.next_notice(short), Err(Error::TimedOut)));
}

#[test]
fn another_version_and_a_refusal_are_told() {
    let temp = tempfile::tempdir().unwrap();
    let old = temp.path().join("old");
    let _old = serve(&old, |message| vec![hello(VERSION + 1, message.id)]);
    let error = connect_and_greet(&old, None).unwrap_err();
    assert!(matches!(error, Error::Version { server } if server == VERSION + 1));
    assert!(error.to_string().contains("counsel server restart"));
    let closed = temp.path().join("closed");
    let refusal = |id| ServerMessage::Reply { id, reply: Reply::error(4, "not you") };
    let _closed = serve(&closed, move |message| vec![refusal(message.id)]);
    let error = connect_and_greet(&closed, None).unwrap_err();
    assert!(matches!(error, Error::Refused { code: 4, .. }), "{error}");
}

/// An agent that removed the socket locked the person out of a server that ran on.
#[test]
fn a_socket_taken_away_is_placed_again_unless_another_server_has_its_path() {
    let temp = tempfile::tempdir().unwrap();
    let path = temp.path().join("run/s");
    fs::create_dir(temp.path().join("run")).unwrap();
    let mut bound = bind(&path).unwrap();
    assert!(bound.is_in_place());
    fs::rename(&path, temp.path().join("elsewhere")).unwrap();
    assert!(!bound.is_in_place());
    bound.place_again().unwrap();
    assert!(bound.is_in_place());
    connect(&path).unwrap();
    assert!(matches!(bind(&path), Err(Error::Taken(_))), "its lock still holds");
    fs::rename(temp.path().join("run"), temp.path().join("gone")).unwrap();
    bound.place_again().unwrap();
    assert!(matches!(bind(&path), Err(Error::Taken(_))), "and does where it was made anew");
    fs::rename(temp.path().join("run"), temp.path().join("gone-too")).unwrap();
    fs::create_dir(temp.path().join("run")).unwrap();
    let other = bind(&path).unwrap();
    assert!(matches!(bound.place_again(), Err(Error::Taken(_))));
    drop(bound);
    assert!(other.is_in_place(), "what is another server's is not removed");
}

/// Of two `server restart` at once one failed: the other had removed the file.
#[test]
fn a_place_that_is_empty_already_is_vacated_as_well() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("counsel.sock");
    for _ in 0..2 {
        vacate(&path).unwrap();
        assert!(matches!(connect(&path), Err(Error::Absent(_))), "as a killed server leaves it");
        fs::remove_file(&path).unwrap();
    }
}
