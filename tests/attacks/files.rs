//! Attacks by what lies in the place of a file or a socket: a FIFO nobody writes to, a link to what never ends, somebody
//! who listens and says nothing.

use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Child;

use nix::sys::signal::{Signal, kill};
use nix::sys::stat::Mode;
use nix::unistd::mkfifo;

use crate::keepers::orphan;
use crate::place::{Level, Place, said};

type Put = fn(&Path);

/// What an agent puts there.
const OBSTACLES: [(&str, Put); 2] = [
    ("a FIFO", |path| mkfifo(path, Mode::S_IRWXU).unwrap()),
    ("a symbolic link", |path| symlink("/dev/zero", path).unwrap()),
];

/// A place with an agent that has printed and a server that was killed.
fn place_without_server() -> Place {
    let place = Place::at(Level::None);
    place.ok(&["start", "warm", "--", "sh", "-c", "echo printed; cat"]);
    kill_server(&place);
    place
}

fn kill_server(place: &Place) {
    let pid = place.server_pid();
    kill(pid, Signal::SIGKILL).unwrap();
    while counsel::os::socket::connect(&place.socket()).is_ok() {
        std::thread::yield_now();
    }
}

fn clear(path: &Path) {
    if path.symlink_metadata().is_ok() {
        std::fs::remove_file(path).unwrap();
    }
}

/// A server that is started by the next command takes its agents back whatever lies there. Each of these hung for ever.
pub fn what_lies_in_a_files_place_holds_no_server_up() {
    let place = place_without_server();
    let run = place.path("run");
    let journal = place
        .path("state/journals")
        .join(place.keeper("warm").to_string_lossy().trim_start_matches('/').replace('/', "%"));
    assert!(journal.exists(), "{}", journal.display());
    let files = [
        journal,
        run.join("keep-warm.noted"),
        run.join("adopt-pane.json"),
        place.path("state/decisions.jsonl"),
    ];
    for file in &files {
        for (what, put) in OBSTACLES {
            clear(file);
            put(file);
            assert_eq!(place.names(), ["warm"], "{what} at {}", file.display());
            kill_server(&place);
        }
        clear(file);
    }
}

/// Where a server cannot do without the file, the error names it and what to do. Each of these hung for ever.
pub fn what_a_server_cannot_do_without_is_named() {
    let place = place_without_server();
    let run = place.path("run");
    for file in
        [place.path("state/server.log"), run.join("counsel.sock.lock"), run.join("counsel.sock.start")]
    {
        for (what, put) in OBSTACLES {
            clear(&file);
            put(&file);
            let mend = format!("{}", file.display());
            place.refused(&["ls"], 1, &mend);
            place.refused(&["ls"], 1, &format!("it is {what}, no regular file; remove it"));
        }
        clear(&file);
        assert_eq!(place.names(), ["warm"]);
        kill_server(&place);
    }
}

/// A person who reads the log waited for whoever never wrote to it, or read zeros until the memory was full.
pub fn who_reads_what_counsel_keeps_does_not_wait() {
    let place = Place::at(Level::None);
    let all: [(&str, &[&[&str]]); 3] = [
        ("state/decisions.jsonl", &[&["log"], &["log", "--verify"], &["search", "x"], &["rules", "test"]]),
        ("state/server.log", &[&["server", "log"]]),
        ("state/trust.json", &[&["trust", "--list"]]),
    ];
    for (file, commands) in all {
        for (what, put) in OBSTACLES {
            let path = place.path(file);
            clear(&path);
            put(&path);
            for command in commands {
                let done = place.run(command);
                let told = done.err.contains(file) && done.err.contains(&format!("it is {what}"));
                assert!(done.code == 1 && told, "{command:?}: {done:?}");
            }
        }
        clear(&place.path(file));
    }
}

/// A project that was cloned names links to what never ends.
pub fn a_cloned_file_that_never_ends_costs_an_error() {
    let place = Place::at(Level::None);
    let cloned = place.path("work/cloned");
    for text in [
        "[consult]\ntemplate = \"cloned\"\n",
        "[[agent]]\nname = \"a\"\ncommand = [\"cat\"]\nenv_file = \"cloned\"\n",
    ] {
        place.write("work/counsel.toml", text);
        for (what, put) in [OBSTACLES[0], ("a device", OBSTACLES[1].1)] {
            clear(&cloned);
            put(&cloned);
            for command in [&["config", "check"][..], &["trust"], &["up"]] {
                let done = place.run(command);
                let told = done.err.contains("cloned") && done.err.contains(&format!("it is {what}"));
                assert!(done.code == 2 && told, "{command:?}: {done:?}");
            }
        }
    }
}

/// A server asked one keeper after the other and each for five seconds, its starter waited for five in all: one agent
/// that listened and said nothing kept every server from starting.
pub fn whoever_listens_and_says_nothing_delays_nobody() {
    let place = place_without_server();
    let mute = (0..8).map(|n| {
        let (socket, out) = (place.keeper(&format!("a{n}")), place.path(&format!("mute{n}.out")));
        let child = orphan(&place, "mute", &socket, &out);
        assert_eq!(said(&out), "listening");
        child
    });
    let mute: Vec<Child> = mute.collect();
    let found = place.names();
    let restarted = place.run(&["server", "restart"]);
    let found_again = place.names();
    for mut child in mute {
        child.kill().unwrap();
        child.wait().unwrap();
    }
    assert_eq!(
        (found.as_slice(), found_again.as_slice()),
        (&["warm".to_owned()][..], &["warm".to_owned()][..])
    );
    assert_eq!(restarted.code, 0, "{restarted:?}");
}

/// A link in the place of the people's socket, to nothing, to a file, to an agent that listens.
pub fn a_link_in_the_sockets_place_is_replaced() {
    let place = place_without_server();
    let file = place.write("work/file", "text");
    for target in [place.path("nowhere"), file.clone()] {
        clear(&place.socket());
        symlink(&target, place.socket()).unwrap();
        assert_eq!(place.names(), ["warm"], "{}", target.display());
        kill_server(&place);
    }
    assert_eq!(std::fs::read_to_string(file).unwrap(), "text");
    let (door, out) = (place.path("work/door"), place.path("door.out"));
    let mut child = orphan(&place, "mute", &door, &out);
    assert_eq!(said(&out), "listening");
    clear(&place.socket());
    symlink(&door, place.socket()).unwrap();
    place.refused(&["ls"], 1, "run 'counsel server restart'");
    place.ok(&["server", "restart"]);
    assert_eq!(place.names(), ["warm"]);
    let _ = child.kill();
    child.wait().unwrap();
}
