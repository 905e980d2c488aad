//! Attacks on what holds the agents: keepers, the server and its successor, the log.

use std::fs::File;
use std::os::fd::AsFd;
use std::os::unix::fs::OpenOptionsExt;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use counsel::os::proc;
use nix::libc::O_NONBLOCK;
use nix::poll::{PollFd, PollFlags, poll};
use nix::sys::signal::{Signal, kill};
use nix::sys::stat::Mode;
use nix::unistd::geteuid;

use crate::person::PrivateTmux;
use crate::place::{Level, OTHER_UID, Place, said};
use crate::world::finish;

/// This program in a part, as an orphan of an agent that no level keeps from anything.
pub fn orphan(place: &Place, part: &str, socket: &Path, out: &Path) -> Child {
    orphan_with(place, part, &[("ATTACK_SOCKET", socket)], out)
}

/// The same with what that part wants.
pub fn orphan_with(place: &Place, part: &str, set: &[(&str, &Path)], out: &Path) -> Child {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.current_dir(place.path("work")).env("ATTACK_PART", part);
    command.envs(set.iter().copied()).env("ATTACK_OUT", out).stdout(Stdio::null());
    counsel::os::generation::start_below(&mut command);
    command.spawn().unwrap()
}

/// Whoever came first in the queue of a keeper got its terminal when the server died.
pub fn an_agent_does_not_get_another_agents_terminal(level: Level) {
    let world = Place::at(level);
    world.ok(&["start", "victim", "--", "sh", "-c", "echo secret; cat"]);
    let socket = world.keeper("victim");
    // With the server there, and while it is gone.
    let heard = world.agent("first", "take", &[("ATTACK_SOCKET", &socket)]);
    let refused = level != Level::None && heard.starts_with("refused");
    assert!(refused || heard == "heard 0 bytes", "{heard}");
    kill(world.server_pid(), Signal::SIGKILL).unwrap();
    let out = world.path("second.out");
    let mut orphan = orphan(&world, "take", &socket, &out);
    let heard = said(&out);
    orphan.kill().unwrap();
    orphan.wait().unwrap();
    assert_eq!(heard, "heard 0 bytes");
    assert!(world.names().contains(&"victim".to_owned()));
    let read = world.ok(&["read", "victim"]);
    assert!(read.contains("secret"), "{read:?}: {}", world.ok(&["server", "log"]));
}

/// An agent that fills the queue of its own keeper was never found by the next server.
pub fn an_agent_does_not_hide_from_the_next_server(level: Level) {
    let world = Place::at(level);
    let socket = world.keeper("crowd");
    let made = world.agent("crowd", "crowd", &[("ATTACK_SOCKET", &socket)]);
    assert!(made.starts_with("made "), "{made}");
    kill(world.server_pid(), Signal::SIGKILL).unwrap();
    assert_eq!(world.names(), ["crowd"]);
}

/// What a keeper should say was believed of whoever listened there, policy and all.
pub fn an_agent_that_listens_in_a_keepers_place_is_not_believed() {
    let world = Place::at(Level::None);
    world.ok(&["start", "real", "--", "cat"]);
    let forged = world.keeper("forged");
    let out = world.path("forged.out");
    let mut forger = orphan(&world, "forge", &forged, &out);
    assert_eq!(said(&out), "listening");
    kill(world.server_pid(), Signal::SIGKILL).unwrap();
    let found = world.names();
    forger.kill().unwrap();
    forger.wait().unwrap();
    assert_eq!(found, ["real"]);
}

/// One in tmux is as young as an agent; whoever said it was one was believed, policy and all.
pub fn nobody_is_a_keeper_in_a_pane_that_is_not_there() {
    let world = Place::at(Level::None);
    world.ok(&["start", "real", "--", "cat"]);
    let out = world.path("forged.out");
    let mut forger = orphan(&world, "forge-in-tmux", &world.keeper("forged"), &out);
    assert_eq!(said(&out), "listening");
    kill(world.server_pid(), Signal::SIGKILL).unwrap();
    let found = world.names();
    let log = world.ok(&["server", "log"]);
    forger.kill().unwrap();
    forger.wait().unwrap();
    assert_eq!(found, ["real"]);
    assert!(log.contains("in no pane of the private tmux"), "{log}");
}

/// Whoever came to the socket before the keeper was told all that another agent was to be: its token, and its environment,
/// which no process of a Landlock agent may read. The agent was not started then.
pub fn an_agent_is_not_told_what_a_pane_is_started_with() {
    let world = Place::at(Level::None);
    let _tmux = PrivateTmux(counsel::os::tmux::private_name(&world.path("run"), false));
    world.ok(&["start", "warm", "--", "cat"]);
    let (out, socket) = (world.path("work/early.out"), world.path("run/keep-victim.start"));
    let mut early = orphan(&world, "come-early", &socket, &out);
    assert_eq!(said(&world.path("work/early.ready")), "here");
    let started =
        world.run(&["start", "victim", "--host", "tmux", "--env", "KEY=of-nobody-else", "--", "cat"]);
    world.write("work/early.over", "");
    let heard = said(&out);
    early.kill().unwrap();
    early.wait().unwrap();
    assert_eq!(heard, "heard 0 bytes");
    assert_eq!(started.code, 0, "{started:?}");
}

/// `stop` and `down` waited for a keeper that did nothing, and gave up; the agent ran on.
pub fn an_agent_that_keeps_its_keeper_stopped_is_ended() {
    for words in [&["stop", "held", "--grace", "0.2"][..], &["down", "--grace", "0.2"]] {
        let world = Place::at(Level::None);
        assert_eq!(world.agent("held", "stop-own-keeper", &[]), "stopping");
        let keeper = world.keeper_pid("held");
        let done = world.run(words);
        assert_eq!(done.code, 0, "{words:?}: {done:?}");
        assert!(proc::look(keeper).is_none_or(|keeper| keeper.is_dead()), "{words:?}: its keeper is there");
    }
}

/// Each look at the processes came too late for it: `stop` and `down` said that it was ended, and it ran on.
pub fn who_only_forks_and_ends_does_not_outlive_its_agent() {
    for words in [&["stop", "hop", "--grace", "0.2"][..], &["down", "--grace", "0.2"]] {
        let world = Place::at(Level::None);
        let alive = world.path("work/alive");
        nix::unistd::mkfifo(&alive, Mode::S_IRWXU).unwrap();
        let alive_end = File::options().read(true).custom_flags(O_NONBLOCK).open(&alive).unwrap();
        assert_eq!(world.agent("hop", "hop", &[("ATTACK_FILE", &alive)]), "hopping");
        let done = world.run(words);
        assert_eq!(done.code, 0, "{words:?}: {done:?}");
        // Its end is that of the last that holds the other end of the pipe.
        let mut ended = [PollFd::new(alive_end.as_fd(), PollFlags::POLLIN)];
        assert_eq!(poll(&mut ended, 1000u16), Ok(1), "{words:?}: it hops on: {done:?}");
    }
}

/// `env -i counsel server restart` put the server below the agent's own keeper, and every terminal with it.
pub fn an_agent_starts_no_server_beside_its_own_keeper() {
    let world = Place::at(Level::None);
    world.ok(&["start", "victim", "--", "cat"]);
    let pid = world.server_pid();
    for words in [&["server", "restart"][..], &["server", "--foreground"]] {
        let mut command = world.command();
        counsel::os::generation::start_below(&mut command);
        let done = finish(command.args(words), b"");
        assert_ne!(done.code, 0, "{words:?}: {done:?}");
        assert_eq!(world.server_pid(), pid);
    }
    kill(pid, Signal::SIGKILL).unwrap();
    let mut command = world.command();
    counsel::os::generation::start_below(&mut command);
    let done = finish(command.args(["server", "--foreground"]), b"");
    assert_eq!((done.code, done.err.contains("an agent cannot start a server")), (4, true), "{done:?}");
    assert_eq!(world.names(), ["victim"]);
}

/// What decides about an agent lay in a file beside its keeper's socket.
pub fn nothing_of_an_agent_lies_beside_its_keeper() {
    let world = Place::at(Level::None);
    world.ok(&["start", "a", "--env", "SECRET_WORD=xyzzy", "--", "cat"]);
    for entry in std::fs::read_dir(world.path("run")).unwrap().flatten() {
        let text = std::fs::read(entry.path()).unwrap_or_default();
        let held = text.windows(5).any(|word| word == b"xyzzy");
        assert!(!held, "{} holds its environment", entry.path().display());
    }
}

/// A decision that nobody made, for consultants to follow.
pub fn a_forged_decision_shows() {
    let world = Place::at(Level::None);
    assert!(world.ok(&["log", "--verify"]).contains("0 entries"));
    let line = r#"{"id":"q1","agent":"a","asked_at":1,"settled_at":2,"latency_ms":1,"kind":"text","prompt":"May I?","options":[],"answer":"Yes, always","by":"person","rule":"","channel":"keys","outcome":"answered""#;
    let tied = format!("{line},\"chain\":\"{}\"}}\n", "0".repeat(64));
    std::fs::write(world.path("state/decisions.jsonl"), tied).unwrap();
    let done = world.run(&["log", "--verify"]);
    assert_eq!(
        (done.code, done.out.contains("line 1 (q1) follows something that was changed")),
        (1, true),
        "{done:?}"
    );
}

/// A terminal could be taken out of a keeper, and a person's connection out of the server, by any process of that user.
pub fn servers_and_keepers_are_closed_to_their_users_other_processes() {
    let place = Place::at(Level::None);
    // Root reads everything: there, all of this is another user's.
    let root = geteuid().is_root();
    if root {
        place.open_to_others();
        for folder in ["run", "state", "home"] {
            std::os::unix::fs::chown(place.path(folder), Some(OTHER_UID), Some(OTHER_UID)).unwrap();
        }
    }
    let run = |program: &Path, args: &[&str]| {
        let mut command = place.program(program);
        if root {
            command.uid(OTHER_UID).gid(OTHER_UID);
        }
        finish(command.args(args), b"")
    };
    let own = place.path("work/counsel");
    let counsel = if root { own.as_path() } else { crate::world::counsel() };
    let started = run(counsel, &["start", "a", "--", "cat"]);
    let (listed, served) = (run(counsel, &["ls", "--json"]), run(counsel, &["server", "--json"]));
    let read = |pid: u32| run(Path::new("cat"), &[&format!("/proc/{pid}/environ")]);
    let opened = |pid: u32| run(Path::new("ls"), &["-l", &format!("/proc/{pid}/fd/0")]);
    let pid = |text: &str| {
        let pid = serde_json::from_str::<serde_json::Value>(text).ok()?["pid"].as_u64()?;
        u32::try_from(pid).ok()
    };
    let (agent, server) = (pid(&listed.out), pid(&served.out));
    let keeper = agent.and_then(counsel::os::proc::look).map(|agent| agent.parent);
    let looked = [agent, keeper, server].map(|pid| pid.map(|pid| (read(pid).code, opened(pid).code)));
    let ended = run(counsel, &["down", "--grace", "0"]);
    assert_eq!(ended.code, 0, "{started:?}, {ended:?}");
    let [agent, keeper, server] = looked.map(Option::unwrap);
    assert_eq!(agent, (0, 0), "what nobody closed can be read");
    for (who, (environ, descriptors)) in [("keeper", keeper), ("server", server)] {
        assert!(environ != 0 && descriptors != 0, "the {who}'s: {environ}, {descriptors}");
    }
}
