//! What an agent's `chmod` closes to a person or opens to others, which Landlock does not hold, is set back, and keeps nobody
//! from seeing and stopping the agents; nor does one that uses up all of its user's processes.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]
#![cfg(target_os = "linux")]

mod desk;

use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::Command;

use counsel::os::proc;
use desk::{Done, World, finish};

/// Whom a test that runs as root tries as an ordinary user, to whom modes apply: a number that no account has.
const ORDINARY: u32 = 61_068;

/// A team of two of an ordinary user's.
struct Team {
    world: World,
    program: PathBuf,
}

impl Team {
    fn new() -> Team {
        let world = World::with_config("[record]\nauto = false\n");
        let program = world.path("counsel");
        // By another process: one that another test starts would hold the file open for writing, and it could not be executed.
        let counsel = env!("CARGO_BIN_EXE_counsel");
        assert_eq!(finish(Command::new("cp").arg(counsel).arg(&program)).code, 0);
        if nix::unistd::geteuid().is_root() {
            let mut give = Command::new("chown");
            give.args(["-R", &format!("{ORDINARY}:{ORDINARY}")]).arg(world.root.path());
            assert_eq!(finish(&mut give).code, 0);
        }
        let team = Team { world, program };
        for name in ["one", "two"] {
            team.ok(&["start", name, "--", "sleep", "1000"]);
        }
        team
    }

    fn run(&self, args: &[&str]) -> Done {
        finish(&mut self.command(args))
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(&self.program);
        command.args(args).current_dir(self.world.path("work")).env_clear();
        command.envs(self.world.command().get_envs().filter_map(|(name, value)| Some((name, value?))));
        if nix::unistd::geteuid().is_root() {
            command.uid(ORDINARY).gid(ORDINARY);
        }
        command
    }

    fn ok(&self, args: &[&str]) -> Done {
        let done = self.run(args);
        assert_eq!(done.code, 0, "{args:?}: {done:?}");
        done
    }

    fn pids(&self) -> Vec<u32> {
        let listed = self.ok(&["ls", "--json"]).out;
        let pid = |line: &str| {
            let agent: serde_json::Value = serde_json::from_str(line).unwrap();
            u32::try_from(agent["pid"].as_u64().unwrap()).unwrap()
        };
        listed.lines().map(pid).collect()
    }

    fn chmod(&self, names: &[&str], mode: u32) {
        for name in names {
            std::fs::set_permissions(self.world.path(name), PermissionsExt::from_mode(mode)).unwrap();
        }
    }
}

/// Whoever asks, with a server that runs and one that has to be started, sees both agents and stops them.
#[test]
fn what_was_closed_to_a_person_keeps_nobody_from_the_agents() {
    const KEEPERS: &[&str] = &["run/keep-one.sock", "run/keep-two.sock"];
    let ways: [(&[&str], u32, bool); 10] = [
        (KEEPERS, 0, true),
        (&["run"], 0o777, false),
        (&["run"], 0, false),
        (&["run", "run/agents"], 0, true),
        (&["run/counsel.sock"], 0, false),
        (&["state"], 0, true),
        (&["state"], 0o777, true),
        (&["state/server.log", "state/journals"], 0, true),
        (&["home/.config/counsel/config.toml"], 0, true),
        (&["home/.config/counsel"], 0, true),
    ];
    for (names, mode, restart) in ways {
        let team = Team::new();
        let pids = team.pids();
        assert_eq!(pids.len(), 2);
        team.chmod(names, mode);
        let mut said = String::new();
        if restart {
            said += &team.ok(&["server", "restart"]).err;
        }
        let listed = team.ok(&["ls"]);
        assert!(listed.out.contains("one") && listed.out.contains("two"), "{names:?} {mode:o}: {listed:?}");
        said += &listed.err;
        said += &team.ok(&["stop", "one", "--grace", "0.2"]).err;
        said += &team.ok(&["down", "--grace", "0.2"]).err;
        let ended = |pid: &u32| proc::look(*pid).is_none_or(|process| process.is_dead());
        assert!(pids.iter().all(ended), "{names:?} {mode:o}: an agent runs on");
        // What the server sets back is in its log.
        said += &std::fs::read_to_string(team.world.path("state/server.log")).unwrap();
        let told =
            names.iter().all(|name| said.contains(&format!("{} was ", team.world.path(name).display())));
        assert!(told, "{names:?} {mode:o}: {said}");
    }
}

/// With a mistake in the configuration and no server, no agent could be stopped.
#[test]
fn a_broken_configuration_keeps_nobody_from_the_agents() {
    let team = Team::new();
    let pids = team.pids();
    std::fs::write(team.world.path("home/.config/counsel/config.toml"), "[record\n").unwrap();
    let server = team.ok(&["server"]).out;
    let pid: i32 = server.split("pid ").nth(1).unwrap().trim_end_matches([')', '\n']).parse().unwrap();
    let server = nix::unistd::Pid::from_raw(pid);
    nix::sys::signal::kill(server, nix::sys::signal::Signal::SIGKILL).unwrap();
    let listed = team.ok(&["ls"]).out;
    assert!(listed.contains("one") && listed.contains("two"), "{listed}");
    team.ok(&["stop", "one", "--grace", "0.2"]);
    team.ok(&["down", "--grace", "0.2"]);
    assert!(pids.iter().all(|pid| proc::look(*pid).is_none_or(|process| process.is_dead())));
}

/// A thread that could not be had was a panic: `ls` showed nobody which agent to stop.
#[test]
fn with_all_processes_used_up_each_verb_does_what_it_can_or_fails_in_one_line() {
    let team = Team::new();
    let pids = team.pids();
    let in_git = Command::new("git").args(["init", "-q"]).arg(team.world.path("work")).status();
    assert!(in_git.is_ok());
    let verbs: [(&[&str], Option<i32>); 10] = [
        (&["ls"], Some(0)),
        (&["ls", "--json"], Some(0)),
        (&["questions"], Some(0)),
        (&["read", "one"], Some(0)),
        (&["exec", "--", "id"], None),
        (&["diff", "one"], None),
        (&["doctor"], None),
        (&["server", "restart"], None),
        (&["stop", "one", "--grace", "0.2"], Some(0)),
        (&["down", "--grace", "0.2"], Some(0)),
    ];
    for (args, code) in verbs {
        let mut command = team.command(args);
        // One that is there already is the last.
        let full = || Ok(nix::sys::resource::setrlimit(nix::sys::resource::Resource::RLIMIT_NPROC, 1, 1)?);
        // SAFETY: one async-signal-safe call.
        unsafe { command.pre_exec(full) };
        let done = finish(&mut command);
        assert!(!done.err.contains("panicked") && done.code != 101, "{args:?}: {done:?}");
        assert!(code.is_none_or(|code| done.code == code), "{args:?}: {done:?}");
        assert!(done.code == 0 || done.err.trim_end().lines().count() <= 1, "{args:?}: {done:?}");
    }
    assert!(pids.iter().all(|pid| proc::look(*pid).is_none_or(|process| process.is_dead())));
}
