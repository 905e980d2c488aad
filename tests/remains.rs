//! What is left of an agent once it is gone: nothing, or what is told; whatever its keeper came to.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]
#![cfg(target_os = "linux")]

mod desk;

use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use counsel::os::proc;
use desk::{DEADLINE, World, finish};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

/// The kernel tells nobody of processes that are not our children.
fn until(what: &str, mut seen: impl FnMut() -> bool) {
    let until = Instant::now() + DEADLINE;
    while !seen() {
        assert!(Instant::now() < until, "{what} did not come");
        std::thread::sleep(Duration::from_millis(20));
    }
}

fn number(world: &World, agent: &str, name: &str) -> u32 {
    let seen = world.read_until(agent, &format!("{name}="));
    let rest = seen.split(&format!("{name}=")).nth(1).unwrap();
    rest.split(';').next().unwrap().parse().unwrap()
}

fn kill_keeper(world: &World, agent: &str) {
    let pid = u32::try_from(world.agent(agent)["pid"].as_u64().unwrap()).unwrap();
    let keeper = proc::look(pid).unwrap().parent;
    kill(Pid::from_raw(keeper.cast_signed()), Signal::SIGKILL).unwrap();
}

/// Ends with the test.
struct Daemon(Child);

impl Drop for Daemon {
    fn drop(&mut self) {
        let _ = nix::sys::signal::killpg(Pid::from_raw(self.0.id().cast_signed()), Signal::SIGKILL);
        let _ = self.0.wait();
    }
}

/// A program called docker that hands its environment to a daemon, which runs something with it.
#[test]
fn what_another_program_keeps_is_told_and_not_ended() {
    let world = World::new();
    let (request, wrapper) = (world.path("request"), world.path("docker"));
    nix::unistd::mkfifo(&request, nix::sys::stat::Mode::S_IRWXU).unwrap();
    let script = "#!/bin/sh\necho $COUNSEL_TOKEN > ../request; exec \"$@\"\n";
    std::fs::write(&wrapper, script).unwrap();
    std::fs::set_permissions(&wrapper, PermissionsExt::from_mode(0o700)).unwrap();
    let mut daemon = Command::new("sh");
    daemon.args(["-c", "read token; COUNSEL_TOKEN=$token sleep 1000 & echo $! > kept; wait"]);
    daemon.current_dir(world.root.path()).stdout(Stdio::null());
    // Opened for both, so that neither side waits for the other.
    let fifo = std::fs::OpenOptions::new().read(true).write(true).open(&request).unwrap();
    std::os::unix::process::CommandExt::process_group(daemon.stdin(fifo), 0);
    let _daemon = Daemon(daemon.spawn().unwrap());
    world.ok(&["start", "far", "--", wrapper.to_str().unwrap(), "sh", "-c", "echo up; exec cat"]);
    let kept = || std::fs::read_to_string(world.path("kept")).ok()?.trim().parse::<u32>().ok();
    until("the program elsewhere", || kept().is_some());
    let kept = kept().unwrap();
    until("its own program", || proc::arguments(kept) == ["sleep", "1000"]);
    world.script("near", "echo up; exec cat");
    world.read_until("near", "up");
    let done = world.run(&["stop", "--all", "--json"]);
    assert_eq!(done.code, 0, "{done:?}");
    let mut said: Vec<serde_json::Value> =
        done.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    said.sort_by_key(|agent| agent["name"].to_string());
    let process = serde_json::json!([{ "pid": kept, "command": "sleep 1000" }]);
    let none = serde_json::json!([]);
    let far = serde_json::json!({ "name": "far", "did": "stopped", "left": none, "kept": process, "wrapper": "docker" });
    let near =
        serde_json::json!({ "name": "near", "did": "stopped", "left": none, "kept": none, "wrapper": null });
    assert_eq!(said, [far, near]);
    assert!(done.err.contains(&format!("far is stopped; another program keeps {kept} (sleep 1000)")));
    assert!(done.err.contains("what docker keeps elsewhere"), "{done:?}");
    assert!(proc::look(kept).is_some_and(|process| !process.is_dead()), "it is not ours to end");
}

/// Ignores the hangup its terminal's end sends, and has a child that left its session.
const DEAF: &str = r#"trap '' HUP TERM
setsid sh -c 'trap "" HUP TERM; echo "far=$$;"; while :; do sleep 1; done' &
echo "deaf=$$;"; while :; do sleep 1; done"#;

#[test]
fn an_agent_does_not_run_on_without_its_keeper() {
    let world = World::new();
    world.script("deaf", DEAF);
    let pids = [number(&world, "deaf", "deaf"), number(&world, "deaf", "far")];
    kill_keeper(&world, "deaf");
    for pid in pids {
        until("the end", || proc::look(pid).is_none_or(|process| process.is_dead()));
    }
    assert_eq!(world.agent("deaf")["exit_code"], 137);
    world.ok(&["stop", "deaf"]);
}

#[test]
fn a_stop_outlives_the_keeper_that_carries_it_out() {
    let world = World::new();
    world.script("deaf", DEAF);
    let pids = [number(&world, "deaf", "deaf"), number(&world, "deaf", "far")];
    let mut stop = world.command();
    let stop = stop.args(["stop", "deaf", "--grace", "600"]);
    let waiting = std::thread::scope(|scope| {
        let waiting = scope.spawn(|| finish(stop));
        // The order has arrived once the shell, which takes no TERM, is sent its HUP: both are ignored, so
        // the only trace is that the server waits. A second order, to another agent, is behind the first.
        world.script("other", "exec cat");
        world.ok(&["stop", "other"]);
        kill_keeper(&world, "deaf");
        waiting.join().unwrap()
    });
    assert_eq!(waiting.code, 0, "{waiting:?}");
    for pid in pids {
        assert!(proc::look(pid).is_none_or(|process| process.is_dead()));
    }
}

#[test]
fn an_agent_cannot_take_its_own_server_away() {
    let world = World::new();
    let counsel = env!("CARGO_BIN_EXE_counsel");
    world.script("inner", &format!("{counsel} server restart; echo \"code=$?;\"; exec cat"));
    let before = world.server_pid();
    assert_eq!(number(&world, "inner", "code"), 4);
    assert_eq!(world.server_pid(), before);
}

/// Whom a test that runs as root tries as an ordinary user: a number that no account has.
const ORDINARY: u32 = 61_067;

/// Root may look into every process, and so never saw this: an ordinary user's `down` failed for ever once the folder with the
/// sockets had been deleted, and agents and server ran on.
#[test]
fn an_ordinary_users_team_is_ended_without_its_runtime_folder() {
    let world = World::new();
    let program = world.path("counsel");
    // By another process: one that another test starts would hold the file open for writing, and it could not be executed.
    assert_eq!(finish(Command::new("cp").arg(env!("CARGO_BIN_EXE_counsel")).arg(&program)).code, 0);
    let is_root = nix::unistd::geteuid().is_root();
    if is_root {
        let mut give = Command::new("chown");
        give.args(["-R", &format!("{ORDINARY}:{ORDINARY}")]).arg(world.root.path());
        assert_eq!(finish(&mut give).code, 0);
    }
    let run = |args: &[&str]| {
        let mut command = Command::new(&program);
        command.args(args).current_dir(world.path("work")).env_clear();
        command.envs(world.command().get_envs().filter_map(|(name, value)| Some((name, value?))));
        if is_root {
            command.uid(ORDINARY).gid(ORDINARY);
        }
        finish(&mut command)
    };
    for name in ["one", "two"] {
        let started = run(&["start", name, "--", "sleep", "1000"]);
        assert_eq!(started.code, 0, "{started:?}");
    }
    let server = run(&["server"]).out;
    let pid = |text: &str| text.split("pid ").nth(1)?.trim_end_matches([')', '\n']).parse::<u32>().ok();
    let mut pids = vec![pid(&server).expect("the server tells its pid")];
    for line in run(&["ls", "--json"]).out.lines() {
        let agent: serde_json::Value = serde_json::from_str(line).unwrap();
        pids.push(u32::try_from(agent["pid"].as_u64().unwrap()).unwrap());
    }
    assert_eq!(pids.len(), 3);
    std::fs::remove_dir_all(world.path("run")).unwrap();
    let done = run(&["down", "--grace", "0.2"]);
    assert_eq!(done.code, 0, "{done:?}");
    for pid in pids {
        until("its end", || proc::look(pid).is_none_or(|process| process.is_dead()));
    }
}

/// An agent whose first act was to end its keeper ran on after a start that had failed: no list showed it, and `down` said that no
/// agent had run.
#[test]
fn an_agent_that_ends_its_keeper_at_once_leaves_nothing() {
    let world = World::new();
    let mark = format!("7781.{}", std::process::id());
    let script = format!("kill -9 $PPID; setsid sleep {mark} & exec sleep {mark}");
    for round in 0..5 {
        let name = format!("kk{round}");
        world.run(&["start", &name, "--", "sh", "-c", &script]);
    }
    world.ok(&["down", "--grace", "0.2"]);
    let running = || {
        let table = finish(Command::new("ps").args(["-eo", "args"])).out;
        table.lines().filter(|line| line.contains(&format!("sleep {mark}"))).count()
    };
    until("the end of all of them", || running() == 0);
}

/// The next server took the beginning of a line for what its program asks: its answer would have been typed behind it, and
/// what a person typed on was held to be for another question, and lost.
#[test]
fn a_line_that_is_being_typed_is_no_question_under_the_next_server() {
    let world = World::new();
    world.ok(&["start", "c", "--", "sh", "-c", "echo ready; cat"]);
    world.read_until("c", "ready");
    world.ok(&["send", "c", "What is the port"]);
    world.read_until("c", "What is the port");
    let explained = || world.ok(&["explain", "c"]);
    until("its reader", || explained().contains("reads line by line"));
    assert!(!explained().contains("text: What"), "{}", explained());
    kill(world.server_pid(), Signal::SIGKILL).unwrap();
    // A question of a program that reads a line is seen once it has been quiet, and nobody draws anything here.
    until("its reader", || explained().contains("reads line by line"));
    assert!(!explained().contains("text: What"), "{}", explained());
    world.ok(&["send", "c", " 80", "--enter"]);
    world.read_until("c", "What is the port 80");
    assert_eq!(world.ok(&["questions", "--all"]).trim(), "no questions");
}
