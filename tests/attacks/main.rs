//! Attacks, each a program that succeeds where its guard is missing. An agent is this very program in another
//! part: same user, a shell at hand, and whatever it was told to do by what it read.
//!
//! docs/security.md names the test for each promise. Part of the attacks are told from the outside by
//! `tests/ancestry.rs` and `tests/trust.rs`.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]
#![cfg(target_os = "linux")]

#[path = "../world/mod.rs"]
mod world;

mod below;
mod person;

use std::io::{Read, Write};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use nix::libc;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use world::{DEADLINE, World, finish};

/// Plays an agent's part; nothing by itself. What came of it goes into a file.
#[test]
fn part() {
    let Ok(part) = std::env::var("ATTACK_PART") else { return };
    let said = match part.as_str() {
        "ask" => person::ask(UnixStream::connect(path("ATTACK_SOCKET")).unwrap()),
        "nested" => match person::nested(70, &path("ATTACK_SOCKET")) {
            Some(said) => said,
            None => stay(),
        },
        "gone" => person::ask(person::of_a_child_that_is_gone(&path("ATTACK_SOCKET"))),
        "stopped" => person::while_it_is_stopped(&path("ATTACK_SOCKET")),
        "leave" => {
            person::leave_a_daemon();
            stay()
        }
        // Nobody's to end any more, it ends by itself.
        "daemon" => return write_said(&person::daemon(&path("ATTACK_SOCKET"))),
        "hold" => person::hold_all(&path("ATTACK_SOCKET")),
        "restart" => person::by_the_program(&["server", "restart"]),
        "usurp" => {
            signal_with(std::env::var("ATTACK_PID").unwrap().parse().unwrap(), Signal::SIGKILL);
            person::by_the_program(&["start", "mine", "--", "cat"])
        }
        "look" => person::by_the_program(&["ls"]),
        "tmux-run" => person::through_tmux(false),
        "tmux-open" => person::through_tmux(true),
        "take" => take(&path("ATTACK_SOCKET")),
        "forge" => forge(&path("ATTACK_SOCKET")),
        "crowd" => crowd(&path("ATTACK_SOCKET")),
        "type" => press_a_key(),
        "kill" => signal(std::env::var("ATTACK_PID").unwrap().parse().unwrap()),
        "connect" => connect(&path("ATTACK_SOCKET")),
        "list" => list(),
        "read" => read(&path("ATTACK_FILE")),
        "write" => write(&path("ATTACK_FILE")),
        other => panic!("{other}"),
    };
    write_said(&said);
    stay()
}

/// As an agent does.
fn stay() -> ! {
    loop {
        std::thread::sleep(DEADLINE);
    }
}

fn write_said(said: &str) {
    let out = path("ATTACK_OUT");
    std::fs::write(out.with_extension("new"), said).unwrap();
    std::fs::rename(out.with_extension("new"), out).unwrap();
}

fn path(name: &str) -> PathBuf {
    PathBuf::from(std::env::var_os(name).unwrap())
}

/// Asks a keeper for its terminal, as a server would, until it answers or hangs up for good.
fn take(keeper: &Path) -> String {
    let mut stream = UnixStream::connect(keeper).unwrap();
    let mut said = Vec::new();
    // Its hello, manifest and output, if there are any; the end otherwise.
    let _ = stream.set_read_timeout(Some(Duration::from_secs(5)));
    let mut buffer = [0; 4096];
    while let Ok(n @ 1..) = stream.read(&mut buffer) {
        said.extend_from_slice(&buffer[..n]);
    }
    format!("heard {} bytes", said.len())
}

/// More connections than any queue holds, kept open.
fn crowd(keeper: &Path) -> String {
    let mut kept = Vec::new();
    for _ in 0..800 {
        kept.extend(UnixStream::connect(keeper).ok());
    }
    let count = kept.len();
    std::mem::forget(kept);
    format!("made {count} connections")
}

/// Listens where a keeper would, and says what one would say, its own pid included.
fn forge(socket: &Path) -> String {
    let listener = UnixListener::bind(socket).unwrap();
    let manifest = br#"{"spec":{"name":"forged"},"policy":{},"token":"t"}"#;
    let pid = std::process::id();
    let hello = serde_json::json!({
        "version": 2, "name": "forged", "agent_pid": pid, "keeper_pid": pid, "run": "running",
        "size": {"cols": 80, "rows": 24}, "manifest": manifest.len(), "ring": 0, "dropped": 0
    });
    std::thread::spawn(move || {
        while let Ok((mut stream, _)) = listener.accept() {
            let hello = counsel::wire::encode(&hello);
            // Whoever only looks is gone before it is told.
            let _ = stream.write_all(&hello).and_then(|()| stream.write_all(manifest));
        }
    });
    "listening".to_owned()
}

/// A byte into the input of its own terminal, where its parent's dialog waits for it.
fn press_a_key() -> String {
    let key = b'1';
    // SAFETY: the kernel reads one byte.
    let done = unsafe { libc::ioctl(0, libc::TIOCSTI, &raw const key) };
    if done == 0 { "pressed".to_owned() } else { format!("refused: {}", std::io::Error::last_os_error()) }
}

fn signal(pid: i32) -> String {
    signal_with(pid, Signal::SIGCONT)
}

fn signal_with(pid: i32, signal: Signal) -> String {
    match kill(Pid::from_raw(pid), signal) {
        Ok(()) => "signalled".to_owned(),
        Err(error) => format!("refused: {}", error.desc()),
    }
}

/// Reaches somebody who starts programs for whoever asks.
fn connect(socket: &Path) -> String {
    match UnixStream::connect(socket) {
        Ok(_) => "connected".to_owned(),
        Err(error) => format!("refused: {error}"),
    }
}

/// What an agent is let do: look.
fn list() -> String {
    let said = std::process::Command::new(world::counsel()).args(["ls", "--json"]).output();
    let said = said.unwrap();
    format!("{} {}", String::from_utf8_lossy(&said.stdout), String::from_utf8_lossy(&said.stderr))
}

fn read(file: &Path) -> String {
    match std::fs::read(file) {
        Ok(text) => format!("read {} bytes", text.len()),
        Err(error) => format!("refused: {error}"),
    }
}

fn write(file: &Path) -> String {
    match std::fs::OpenOptions::new().append(true).create(true).open(file) {
        Ok(_) => "opened".to_owned(),
        Err(error) => format!("refused: {error}"),
    }
}

/// Starts an agent that plays this part, and waits for what came of it.
fn agent(world: &World, name: &str, part: &str, set: &[(&str, &Path)]) -> String {
    let out = world.path(&format!("work/{name}.out"));
    let exe = std::env::current_exe().unwrap().display().to_string();
    let mut variables = vec![format!("ATTACK_PART={part}"), format!("ATTACK_OUT={}", out.display())];
    variables.extend(set.iter().map(|(name, path)| format!("{name}={}", path.display())));
    let mut args = vec!["start", name];
    for variable in &variables {
        args.extend(["--env", variable]);
    }
    args.extend(["--", &exe, "--exact", "part", "--nocapture"]);
    // An attacker may be quicker than the reply to whoever started it.
    world.run(&args);
    said(&out)
}

fn said(out: &Path) -> String {
    let until = Instant::now() + DEADLINE;
    loop {
        if let Ok(said) = std::fs::read_to_string(out) {
            return said;
        }
        assert!(Instant::now() < until, "it said nothing");
        std::thread::sleep(Duration::from_millis(10));
    }
}

fn keeper(world: &World, name: &str) -> PathBuf {
    world.path("run").join(format!("keep-{name}.sock"))
}

fn server_pid(world: &World) -> Pid {
    let out = world.ok(&["server"]);
    let digits: String =
        out.chars().skip_while(|ch| !ch.is_ascii_digit()).take_while(char::is_ascii_digit).collect();
    Pid::from_raw(digits.parse().unwrap())
}

fn names(world: &World) -> Vec<String> {
    world.json(&["ls", "--json"]).iter().map(|agent| agent["name"].as_str().unwrap().to_owned()).collect()
}

/// Whoever came first in the queue of a keeper got its terminal when the server died.
#[test]
fn an_agent_does_not_get_another_agents_terminal() {
    let world = World::new();
    world.ok(&["start", "victim", "--", "sh", "-c", "echo secret; cat"]);
    let socket = keeper(&world, "victim");
    // With the server there, and while it is gone.
    let heard = agent(&world, "first", "take", &[("ATTACK_SOCKET", &socket)]);
    assert_eq!(heard, "heard 0 bytes");
    kill(server_pid(&world), Signal::SIGKILL).unwrap();
    let out = world.path("second.out");
    let mut command = std::process::Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "part", "--nocapture"]).env("ATTACK_PART", "take");
    command.env("ATTACK_SOCKET", &socket).env("ATTACK_OUT", &out).stdout(std::process::Stdio::null());
    counsel::os::generation::start_below(&mut command);
    let mut orphan = command.spawn().unwrap();
    let heard = said(&out);
    orphan.kill().unwrap();
    orphan.wait().unwrap();
    assert_eq!(heard, "heard 0 bytes");
    assert!(names(&world).contains(&"victim".to_owned()));
    assert!(world.ok(&["read", "victim"]).contains("secret"));
}

/// An agent that fills the queue of its own keeper was never found by the next server.
#[test]
fn an_agent_does_not_hide_from_the_next_server() {
    let world = World::new();
    let socket = keeper(&world, "crowd");
    let made = agent(&world, "crowd", "crowd", &[("ATTACK_SOCKET", &socket)]);
    assert!(made.starts_with("made "), "{made}");
    kill(server_pid(&world), Signal::SIGKILL).unwrap();
    assert_eq!(names(&world), ["crowd"]);
}

/// What a keeper should say was believed of whoever listened there, policy and all.
#[test]
fn an_agent_that_listens_in_a_keepers_place_is_not_believed() {
    let world = World::new();
    world.ok(&["start", "real", "--", "cat"]);
    let forged = keeper(&world, "forged");
    let out = world.path("forged.out");
    let mut command = std::process::Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "part", "--nocapture"]).env("ATTACK_PART", "forge");
    command.env("ATTACK_SOCKET", &forged).env("ATTACK_OUT", &out).stdout(std::process::Stdio::null());
    counsel::os::generation::start_below(&mut command);
    let mut forger = command.spawn().unwrap();
    assert_eq!(said(&out), "listening");
    kill(server_pid(&world), Signal::SIGKILL).unwrap();
    let found = names(&world);
    forger.kill().unwrap();
    forger.wait().unwrap();
    assert_eq!(found, ["real"]);
}

/// `env -i counsel server restart` put the server below the agent's own keeper, and every terminal with it.
#[test]
fn an_agent_starts_no_server_beside_its_own_keeper() {
    let world = World::new();
    world.ok(&["start", "victim", "--", "cat"]);
    let pid = server_pid(&world);
    for words in [&["server", "restart"][..], &["server", "--foreground"]] {
        let mut command = world.command();
        counsel::os::generation::start_below(&mut command);
        let done = finish(command.args(words), b"");
        assert_ne!(done.code, 0, "{words:?}: {done:?}");
        assert_eq!(server_pid(&world), pid);
    }
    kill(pid, Signal::SIGKILL).unwrap();
    let mut command = world.command();
    counsel::os::generation::start_below(&mut command);
    let done = finish(command.args(["server", "--foreground"]), b"");
    assert_eq!((done.code, done.err.contains("an agent cannot start a server")), (4, true), "{done:?}");
    assert_eq!(names(&world), ["victim"]);
}

/// What decides about an agent lay in a file beside its keeper's socket.
#[test]
fn nothing_of_an_agent_lies_beside_its_keeper() {
    let world = World::new();
    world.ok(&["start", "a", "--env", "SECRET_WORD=xyzzy", "--", "cat"]);
    for entry in std::fs::read_dir(world.path("run")).unwrap().flatten() {
        let text = std::fs::read(entry.path()).unwrap_or_default();
        let held = text.windows(5).any(|word| word == b"xyzzy");
        assert!(!held, "{} holds its environment", entry.path().display());
    }
}

/// A decision that nobody made, for consultants to follow.
#[test]
fn a_forged_decision_shows() {
    let world = World::new();
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

/// A background child answered the dialog its parent showed. Only root's agents are kept from it at `none`.
#[test]
fn an_agent_presses_no_keys_in_its_own_terminal() {
    let world = World::new();
    if !nix::unistd::geteuid().is_root() {
        return;
    }
    let said = agent(&world, "typist", "type", &[]);
    assert!(said.starts_with("refused"), "{said}");
}

/// A world outside the temporary folder, in which every agent is isolated so.
fn isolated(level: &str) -> World {
    let world = World::within(Path::new(env!("CARGO_TARGET_TMPDIR")));
    world.write("home/.config/counsel/config.toml", &format!("[security]\nisolate = \"{level}\"\n"));
    world
}

fn keeper_pid(world: &World, name: &str) -> u32 {
    let listed = world.json(&["ls", "--json"]);
    let agent = listed.iter().find(|agent| agent["name"] == name).unwrap();
    let pid = u32::try_from(agent["pid"].as_u64().unwrap()).unwrap();
    counsel::os::proc::look(pid).unwrap().parent
}

/// What each level keeps from an agent, and what must go on working for it and for whoever watches it.
fn is_kept_from_everything(world: &World, level: &str) {
    world.ok(&["start", "warm", "--", "cat"]);
    let keeper = keeper_pid(world, "warm");
    let environ = PathBuf::from(format!("/proc/{keeper}/environ"));
    let (log, own) = (world.path("state/decisions.jsonl"), world.path("home/.config/counsel/config.toml"));
    std::fs::write(&log, "").unwrap();
    let pid = PathBuf::from(keeper.to_string());
    // Root's processes with CAP_PERFMON read all environments, and Landlock has no say in it.
    let landlocked_root = level == "landlock" && nix::unistd::geteuid().is_root();
    let secret = if landlocked_root { &log } else { &environ };
    for (name, part, set) in [
        ("a", "kill", ("ATTACK_PID", pid.as_path())),
        ("b", "read", ("ATTACK_FILE", secret.as_path())),
        ("c", "write", ("ATTACK_FILE", log.as_path())),
        ("d", "write", ("ATTACK_FILE", own.as_path())),
        ("e", "type", ("ATTACK_FILE", own.as_path())),
    ] {
        let said = agent(world, name, part, &[set]);
        assert!(said.starts_with("refused"), "{part}: {said}");
    }
    let listed = world.json(&["ls", "--json"]);
    assert!(listed.iter().all(|agent| agent["isolate"] == level), "{listed:?}");
    world.ok(&["pause", "warm"]);
    world.ok(&["resume", "warm"]);
    world.ok(&["send", "warm", "hello", "--enter"]);
    world.ok(&["stop", "--all"]);
}

#[test]
fn landlock_keeps_an_agent_from_its_keeper_and_from_counsels_files() {
    if counsel::os::landlock::prepare(&[]).is_err() {
        return;
    }
    let world = isolated("landlock");
    is_kept_from_everything(&world, "landlock");
    let listed = agent(&world, "looks", "list", &[]);
    assert!(listed.contains("\"looks\""), "{listed}");
}

/// A program found running by the user's tmux, the session's bus or the people's socket is outside at once.
#[test]
fn namespaces_keep_an_agent_from_whoever_starts_programs_too() {
    if counsel::os::program::find("bwrap", counsel::os::program::DEFAULT_PATH, Path::new("/")).is_err() {
        return;
    }
    let world = isolated("namespace");
    is_kept_from_everything(&world, "namespace");
    let people = world.path("run/counsel.sock");
    let said = agent(&world, "f", "connect", &[("ATTACK_SOCKET", &people)]);
    assert!(said.starts_with("refused"), "{said}");
    // As tmux has it, whatever its server is called.
    let folder = PathBuf::from(format!("/tmp/tmux-{}", nix::unistd::geteuid()));
    std::fs::create_dir_all(&folder).unwrap();
    let socket = tempfile::Builder::new().prefix("attack").tempdir_in(&folder).unwrap();
    let door = socket.path().join("default");
    let _listener = UnixListener::bind(&door).unwrap();
    let said = agent(&world, "g", "connect", &[("ATTACK_SOCKET", &door)]);
    assert!(said.starts_with("refused"), "{said}");
    // By a socket of its own an agent is heard all the same, and cannot put another in its place.
    let listed = agent(&world, "looks", "list", &[]);
    assert!(listed.contains("\"looks\""), "{listed}");
    let said = agent(&world, "h", "write", &[("ATTACK_FILE", &world.path("run/agents/mine.sock"))]);
    assert!(said.starts_with("refused"), "{said}");
    world.ok(&["stop", "--all"]);
}

/// A configuration that is not there yet is one that an agent could write.
#[test]
fn an_agent_makes_no_configuration_where_there_is_none() {
    for level in ["landlock", "namespace"] {
        let bwrap = counsel::os::program::find("bwrap", counsel::os::program::DEFAULT_PATH, Path::new("/"));
        let missing = match level {
            "landlock" => counsel::os::landlock::prepare(&[]).is_err(),
            _ => bwrap.is_err(),
        };
        if missing {
            continue;
        }
        let world = World::within(Path::new(env!("CARGO_TARGET_TMPDIR")));
        let project = format!(
            "[[agent]]\nname = \"a\"\ncommand = [\"sh\", \"-c\", \"mkdir -p ~/.config/counsel; echo '[security]' >~/.config/counsel/config.toml; touch ~/../work/tried; exec cat\"]\nisolate = \"{level}\"\n"
        );
        world.write("work/team.toml", &project);
        world.ok(&["up", "-f", "team.toml"]);
        said(&world.path("work/tried"));
        assert!(!world.path("home/.config/counsel/config.toml").exists(), "{level}");
        world.ok(&["stop", "--all"]);
    }
}

/// Another user's process is kept from everything by the kernel; the terminal it is given is its own.
#[test]
fn another_user_is_kept_from_counsel() {
    use std::os::unix::fs::PermissionsExt;
    if !nix::unistd::geteuid().is_root() {
        return;
    }
    let world = isolated("none");
    for folder in ["", "work"] {
        std::fs::set_permissions(world.path(folder), std::fs::Permissions::from_mode(0o777)).unwrap();
    }
    let program = world.path("work/part");
    std::fs::copy(std::env::current_exe().unwrap(), &program).unwrap();
    let log = world.path("state/decisions.jsonl");
    std::fs::write(&log, "").unwrap();
    let mut team = String::new();
    let victim = "[[agent]]\nname = \"warm\"\ncommand = [\"cat\"]\n";
    world.write("work/warm.toml", victim);
    world.ok(&["up", "-f", "warm.toml"]);
    let keeper = keeper_pid(&world, "warm");
    for (name, part, variable) in [
        ("a", "kill", format!("ATTACK_PID = \"{keeper}\"")),
        ("b", "read", format!("ATTACK_FILE = \"/proc/{keeper}/environ\"")),
        ("c", "write", format!("ATTACK_FILE = \"{}\"", log.display())),
        ("d", "connect", format!("ATTACK_SOCKET = \"{}\"", world.path("run/counsel.sock").display())),
        ("e", "type", String::new()),
    ] {
        let out = world.path(&format!("work/{name}.out"));
        let command = format!("[\"{}\", \"--exact\", \"part\", \"--nocapture\"]", program.display());
        team += &format!(
            "[[agent]]\nname = \"{name}\"\ncommand = {command}\nisolate = \"uid\"\nuser = \"nobody\"\n\
             [agent.env]\nATTACK_PART = \"{part}\"\nATTACK_OUT = \"{}\"\n{variable}\n",
            out.display()
        );
    }
    world.write("work/team.toml", &team);
    world.ok(&["up", "-f", "team.toml"]);
    for name in ["a", "b", "c", "d", "e"] {
        let said = said(&world.path(&format!("work/{name}.out")));
        assert!(said.starts_with("refused"), "{name}: {said}");
    }
    world.ok(&["stop", "--all"]);
}
