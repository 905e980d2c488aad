//! Attacks by what lies in the place of a file or a socket: a FIFO nobody writes to, a link to what never ends, somebody
//! who listens and says nothing.

use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Child;

use nix::fcntl::{Flock, FlockArg};
use nix::sys::signal::{Signal, kill};
use nix::sys::stat::Mode;
use nix::unistd::{Pid, mkfifo};

use crate::keepers::{orphan, orphan_with};
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
    let journal = place.journal("warm");
    assert!(journal.exists(), "{}", journal.display());
    let adopted =
        place.path("state/adopted").join(run.to_string_lossy().trim_start_matches('/').replace('/', "%"));
    std::fs::create_dir_all(&adopted).unwrap();
    let files = [
        journal.with_extension("noted"),
        journal,
        adopted.join("adopt-pane.json"),
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

/// What no server starts without is had all the same, and what was put there is kept beside it. Each of these kept every
/// server from starting, and a person out, until they had found and removed it.
pub fn what_stands_in_a_servers_way_is_moved_aside() {
    let place = place_without_server();
    let folder: (&str, Put) = ("a folder", |path| std::fs::create_dir(path).unwrap());
    for (file, and_links) in [
        ("state/server.log", true),
        ("run/counsel.sock.lock", true),
        ("run/counsel.sock.start", true),
        ("run/counsel.sock", false),
        ("run/counsel.sock.new", false),
        ("run/agents/counsel.sock", false),
    ] {
        let path = place.path(file);
        // A link in a socket's place is replaced.
        let put = OBSTACLES.into_iter().filter(|(what, _)| and_links || *what == "a FIFO").chain([folder]);
        for (what, put) in put {
            clear(&path);
            put(&path);
            let there = place.path(file).symlink_metadata().unwrap().file_type();
            assert_eq!(place.names(), ["warm"], "{what} at {file}");
            assert!(
                place.path(file).symlink_metadata().is_ok_and(|now| now.file_type() != there)
                    || file.ends_with(".new")
            );
            kill_server(&place);
        }
        let aside = format!("{}.aside-", path.file_name().unwrap().to_str().unwrap());
        let kept = std::fs::read_dir(path.parent().unwrap()).unwrap().flatten();
        let kept = kept.filter(|entry| entry.file_name().to_string_lossy().starts_with(&aside)).count();
        // A socket's file is made anew whatever was there; only what cannot be taken away is moved.
        let want = if and_links {
            3
        } else if file.ends_with(".new") {
            1
        } else {
            2
        };
        assert_eq!(kept, want, "{file}");
    }
}

/// An agent that held the lock of servers kept every one from starting, and a person out, until they had ended it. One
/// that has ended left the lock to another process, which the system does not tell.
pub fn a_lock_that_an_agent_holds_keeps_no_server_from_starting() {
    let place = place_without_server();
    for file in ["run/counsel.sock.lock", "run/counsel.sock.start"] {
        for part in ["lock", "lock-and-leave"] {
            let (lock, out) = (place.path(file), place.path("lock.out"));
            clear(&out);
            let mut child = orphan_with(&place, part, &[("ATTACK_FILE", &lock)], &out);
            let holder = said(&out).parse().unwrap();
            if part == "lock-and-leave" {
                // Reaped, its pid is nobody's.
                child.wait().unwrap();
            }
            let found = place.run(&["ls", "--json"]);
            kill(Pid::from_raw(holder), Signal::SIGKILL).unwrap();
            let _ = child.wait();
            assert_eq!((found.code, place.names()), (0, vec!["warm".to_owned()]), "{part} {file}: {found:?}");
            // Two servers that each had a lock would each have the agents.
            place.refused(&["server", "--foreground"], 1, "another server already runs at");
            kill_server(&place);
        }
    }
}

/// An agent that listened in counsel's folder and deleted the sockets looked like agents that ran on behind them: no server
/// started, and `down` ended nobody if the agent was closed to others as keepers are.
pub fn sockets_that_an_agent_deleted_keep_no_server_from_starting() {
    let place = Place::at(Level::None);
    for part in ["mute", "mute-and-closed"] {
        let (socket, out) = (place.keeper("gone"), place.path("mute.out"));
        clear(&out);
        let mut child = orphan(&place, part, &socket, &out);
        assert_eq!(said(&out), "listening");
        clear(&socket);
        let listed = place.run(&["start", "mine", "--", "cat"]);
        place.ok(&["down", "--grace", "0"]);
        child.kill().unwrap();
        child.wait().unwrap();
        assert_eq!(listed.code, 0, "{part}: {listed:?}");
    }
}

/// The path of the people's socket led to that of another program, which a restart of the server then ended.
pub fn a_restart_ends_no_other_program_of_the_persons() {
    let place = place_without_server();
    let other = place.path("other.sock");
    let out = place.path("other.out");
    let mut command = std::process::Command::new(std::env::current_exe().unwrap());
    command.env("ATTACK_PART", "mute").env("ATTACK_SOCKET", &other).env("ATTACK_OUT", &out);
    let mut child = command.spawn().unwrap();
    assert_eq!(said(&out), "listening");
    std::fs::rename(&other, place.socket()).unwrap();
    place.ok(&["server", "restart"]);
    let ended = child.try_wait().unwrap();
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!((ended, place.names()), (None, vec!["warm".to_owned()]));
}

/// Whoever else holds it is named, and nobody waits for ever: not for the lock of what is trusted either.
pub fn who_holds_a_lock_is_named() {
    let place = place_without_server();
    let own = |file: &str| {
        let file = std::fs::File::options().create(true).truncate(false).write(true).open(place.path(file));
        Flock::lock(file.unwrap(), FlockArg::LockExclusive).unwrap()
    };
    let held = own("run/counsel.sock.start");
    let lock = place.path("run/counsel.sock.start").display().to_string();
    place.refused(&["ls"], 1, &format!("process {} holds the lock {lock}", std::process::id()));
    drop(held);
    assert_eq!(place.names(), ["warm"]);
    let _held = own("state/trust.json.lock");
    place.refused(&["trust", "--revoke"], 1, &format!("process {} holds it; end it", std::process::id()));
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

/// Who reads a line is told from copies of shells by the programs of that name in the folders of PATH, of which some are
/// an agent's to write. One that opened for ever stopped the session of whoever asked, and what it printed was lost.
pub fn a_program_that_never_opens_stops_no_session(level: Level) {
    let place = Place::at(level);
    let bin = place.path("bin");
    std::fs::create_dir_all(&bin).unwrap();
    mkfifo(&bin.join("bash"), Mode::S_IRWXU).unwrap();
    let path = format!("{}:{}", bin.display(), std::env::var("PATH").unwrap());
    let exe = std::env::current_exe().unwrap().display().to_string();
    let start = ["start", "asks", "--env", "ATTACK_PART=ask-a-line", "--", &exe];
    let done = crate::world::finish(place.command().env("PATH", path).args(start), b"");
    assert_eq!(done.code, 0, "{done:?}");
    place.ok(&["wait", "asks", "--for", "asking", "--timeout", "20"]);
    place.ok(&["send", "asks", "demo", "--enter"]);
    place.ok(&["wait", "asks", "--for", "exited", "--timeout", "20"]);
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

/// The pid of a process that listened and was gone told nothing, and whoever was not known for an agent was taken for the
/// person's server: it was told what the person typed.
pub fn a_listener_whose_process_is_gone_is_not_believed() {
    let place = place_without_server();
    let out = place.path("absent.out");
    let mut listened = orphan(&place, "absent", &place.socket(), &out);
    let holds = said(&out).parse().unwrap();
    // Reaped, its pid is nobody's.
    listened.wait().unwrap();
    place.refused(&["ls"], 1, "cannot be told from an agent; run 'counsel server restart'");
    place.refused(&["send", "warm", "secret"], 1, "cannot be told from an agent");
    place.ok(&["server", "restart"]);
    let found = place.names();
    kill(Pid::from_raw(holds), Signal::SIGKILL).unwrap();
    assert_eq!(found, ["warm"]);
}

/// An agent stopped the server, and filled its queue: no command of a person's ever ended.
pub fn a_server_that_was_stopped_goes_on() {
    let place = Place::at(Level::None);
    place.ok(&["start", "warm", "--", "cat"]);
    let pid = place.server_pid();
    let stop = || {
        kill(pid, Signal::SIGSTOP).unwrap();
        // The signal is on its way.
        while !counsel::os::proc::look(pid.as_raw().unsigned_abs()).unwrap().is_stopped() {
            std::thread::yield_now();
        }
    };
    stop();
    assert_eq!(place.names(), ["warm"]);
    stop();
    let out = place.path("fill.out");
    let mut child = orphan(&place, "fill", &place.socket(), &out);
    assert_eq!(said(&out), "full");
    let found = place.names();
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(found, ["warm"]);
    assert_eq!(place.server_pid(), pid);
    // One that is stopped again whenever it goes on holds nobody up either.
    let (text, out) = (pid.to_string(), place.path("stop.out"));
    let mut child = orphan_with(&place, "stop", &[("ATTACK_PID", Path::new(&text))], &out);
    assert_eq!(said(&out), "stopping");
    let done = place.run(&["ls"]);
    child.kill().unwrap();
    child.wait().unwrap();
    let named = done.err.contains(&format!("the server (pid {pid}) is stopped and does not go on"));
    assert!(done.code == 0 || done.code == 1 && named, "{done:?}");
    assert_eq!(place.names(), ["warm"]);
}
