//! Attacks of an agent that wants to be taken for a person: each has the victim's terminal typed into where it is.
//!
//! The attacker says hello without its token, from a process that looks like nobody's or like a person's.

use std::io::{Read, Write};
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use counsel::core::terminal::keys::Input;
use counsel::wire::{ClientMessage, Reply, Request, ServerMessage};
use counsel::wire::{Decoder, VERSION, encode};
use nix::libc;
use nix::sys::signal::{Signal, kill};
use nix::sys::socket::{AddressFamily, SockFlag, SockType, UnixAddr, connect, socket};
use nix::unistd::{ForkResult, Pid, fork};

use crate::part::{path, write_said, write_whole};
use crate::place::{Level, Place, said};
use crate::world::{DEADLINE, finish};

/// What an attacker types, and nobody else.
pub const WORDS: &str = "pwned";

/// Asks for the victim's terminal to be typed into, and tells what came of it.
pub fn ask(mut stream: UnixStream) -> String {
    let hello = Request::Hello { version: VERSION, token: None };
    let input = vec![Input::Text(WORDS.to_owned())];
    let send = Request::Send { name: "victim".to_owned(), input, enter: true };
    let frames: Vec<u8> = [hello, send]
        .into_iter()
        .zip(1..)
        .flat_map(|(request, id)| encode(&ClientMessage { id, request }))
        .collect();
    if stream.write_all(&frames).is_err() {
        return "closed".to_owned();
    }
    let _ = stream.set_read_timeout(Some(Duration::from_secs(20)));
    let (mut decoder, mut buffer) = (Decoder::default(), [0; 4096]);
    loop {
        while let Ok(Some(message)) = decoder.take::<ServerMessage>() {
            match message {
                // The hello of whoever is nobody is refused already.
                ServerMessage::Reply { reply: Reply::Error { code, message }, .. } => {
                    return format!("refused ({code}): {message}");
                }
                ServerMessage::Reply { id: 2, reply } => return format!("typed: {reply:?}"),
                _ => {}
            }
        }
        match stream.read(&mut buffer) {
            Ok(count @ 1..) => decoder.push(&buffer[..count]),
            _ => return "closed".to_owned(),
        }
    }
}

/// The same by a connection of its own.
pub fn ask_at(path: &Path) -> String {
    match UnixStream::connect(path) {
        Ok(stream) => ask(stream),
        Err(error) => format!("refused: {error}"),
    }
}

/// Seventy processes, one below the other.
pub fn nested(depth: usize, socket: &Path) -> Option<String> {
    if depth == 0 {
        return Some(ask_at(socket));
    }
    // SAFETY: the other thread of the test harness only waits for this one.
    match unsafe { fork() }.unwrap() {
        ForkResult::Child => {
            if let Some(said) = nested(depth - 1, socket) {
                write_said(&said);
            }
            // SAFETY: ends this process and nothing else.
            unsafe { libc::_exit(0) }
        }
        ForkResult::Parent { child } => drop(nix::sys::wait::waitpid(child, None)),
    }
    None
}

/// A connection that a process made which is gone and reaped.
pub fn of_a_child_that_is_gone(path: &Path) -> UnixStream {
    let stream = socket(AddressFamily::Unix, SockType::Stream, SockFlag::empty(), None).unwrap();
    let address = UnixAddr::new(path).unwrap();
    // SAFETY: as above.
    match unsafe { fork() }.unwrap() {
        ForkResult::Child => {
            let done = connect(stream.as_raw_fd(), &address);
            // SAFETY: as above.
            unsafe { libc::_exit(i32::from(done.is_err())) }
        }
        ForkResult::Parent { child } => drop(nix::sys::wait::waitpid(child, None).unwrap()),
    }
    UnixStream::from(stream)
}

/// The same while the server cannot look.
pub fn while_it_is_stopped(path: &Path) -> String {
    let server = Pid::from_raw(std::env::var("ATTACK_PID").unwrap().parse().unwrap());
    if let Err(error) = kill(server, Signal::SIGSTOP) {
        return format!("refused: {error}");
    }
    let stream = of_a_child_that_is_gone(path);
    kill(server, Signal::SIGCONT).unwrap();
    ask(stream)
}

/// Leaves a daemon behind that has no parent, no session and no environment of an agent.
pub fn leave_a_daemon() {
    let mut command = Command::new("setsid");
    command.arg("-f").arg(std::env::current_exe().unwrap());
    command.env_clear().env("ATTACK_PART", "daemon").env("ATTACK_PID", Pid::parent().to_string());
    for name in ["ATTACK_OUT", "ATTACK_SOCKET"] {
        command.env(name, path(name));
    }
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status().unwrap();
}

/// That daemon, once it has killed its own keeper.
pub fn daemon(socket: &Path) -> String {
    let keeper = Pid::from_raw(std::env::var("ATTACK_PID").unwrap().parse().unwrap());
    write_whole(&path("ATTACK_OUT").with_extension("pid"), &std::process::id().to_string());
    // The first process of a namespace is ended by nobody in it.
    let until = Instant::now() + Duration::from_secs(5);
    let killed = kill(keeper, Signal::SIGKILL).is_ok();
    while killed && kill(keeper, None).is_ok() && !ended(keeper) && Instant::now() < until {
        std::thread::sleep(Duration::from_millis(1));
    }
    ask_at(socket)
}

fn ended(pid: Pid) -> bool {
    let pid = pid.as_raw().unsigned_abs();
    counsel::os::proc::look(pid).is_none_or(|process| process.is_dead())
}

/// As many connections as it gets, kept; then one more from below it that says it is a person.
pub fn hold_all(path: &Path) -> String {
    let most = libc::rlimit { rlim_cur: 4096, rlim_max: 4096 };
    // SAFETY: the limit is a valid value for the length of the call.
    unsafe { libc::setrlimit(libc::RLIMIT_NOFILE, &raw const most) };
    let address = UnixAddr::new(path).unwrap();
    let mut held: Vec<OwnedFd> = Vec::new();
    let until = Instant::now() + Duration::from_secs(5);
    while held.len() < 2700 && Instant::now() < until {
        let flags = SockFlag::SOCK_NONBLOCK;
        let Ok(stream) = socket(AddressFamily::Unix, SockType::Stream, flags, None) else { break };
        match connect(stream.as_raw_fd(), &address) {
            Ok(()) => held.push(stream),
            // Its queue is full, and of room in a queue that one is not in nobody is told.
            Err(_) => std::thread::sleep(Duration::from_millis(1)),
        }
    }
    let said = UnixStream::connect(path).map_or_else(|_| "closed".to_owned(), ask);
    std::mem::forget(held);
    said
}

/// The program itself, from an environment that says nothing.
pub fn by_the_program(words: &[&str]) -> String {
    let mut command = Command::new(crate::world::counsel());
    command.env_clear().env("PATH", "/usr/bin:/bin");
    for name in ["COUNSEL_RUNTIME_DIR", "COUNSEL_STATE_DIR", "HOME"] {
        command.env(name, path(&format!("ATTACK_{name}")));
    }
    let done = finish(command.args(words), b"");
    let name = if done.code == 0 { "done" } else { "refused" };
    format!("{name} ({}): {} {}", done.code, done.out, done.err)
}

/// tmux starts programs for whoever asks, and they are tmux's children.
pub fn through_tmux(window: bool) -> String {
    let name = counsel::os::tmux::private_name(&path("ATTACK_COUNSEL_RUNTIME_DIR"), false);
    let out = path("ATTACK_OUT").with_extension("tmux");
    let set: Vec<String> = ["COUNSEL_RUNTIME_DIR", "COUNSEL_STATE_DIR", "HOME"]
        .iter()
        .map(|name| format!("{name}={}", path(&format!("ATTACK_{name}")).display()))
        .collect();
    let exe = crate::world::counsel().display();
    let line = format!(
        "env -i PATH=/usr/bin:/bin {} {exe} send victim {WORDS} --enter >{out} 2>&1; echo code $? >>{out}",
        set.join(" "),
        out = out.display()
    );
    let words: &[&str] = if window { &["new-session", "-d"] } else { &["run-shell"] };
    let tmux = Command::new("tmux").args(["-L", &name]).args(words).arg(&line).stdin(Stdio::null()).output();
    let told = String::from_utf8_lossy(&tmux.unwrap().stderr).into_owned();
    let until = Instant::now() + Duration::from_secs(20);
    loop {
        let text = std::fs::read_to_string(&out).unwrap_or_default();
        if let Some((before, code)) = text.rsplit_once("code ") {
            let name = if code.trim() == "0" { "done" } else { "refused" };
            return format!("{name} ({}): {before}", code.trim());
        }
        if Instant::now() > until {
            return format!("nothing came: {told}");
        }
        // A shell in another terminal writes it, bit by bit.
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// A world with somebody to type to.
pub fn world(level: Level) -> Place {
    let world = Place::at(level);
    world.ok(&["start", "victim", "--", "cat"]);
    world
}

pub fn is_refused(world: &Place, said: &str) {
    // Where it does not even get to whom it would ask, it is not told why.
    let refused = if world.level == Level::None { "refused (4)" } else { "refused" };
    assert!(said.starts_with(refused) || said == "closed", "{said}");
    // What is typed now comes behind whatever was typed before.
    world.ok(&["send", "victim", "honest", "--enter"]);
    let until = Instant::now() + DEADLINE;
    let shown = loop {
        let shown = world.ok(&["read", "victim"]);
        if shown.contains("honest") {
            break shown;
        }
        assert!(Instant::now() < until, "{shown}");
    };
    assert!(!shown.contains(WORDS), "{shown}");
}

pub fn seventy_nested_forks_make_no_person(level: Level) {
    let world = world(level);
    let said = world.agent("deep", "nested", &[("ATTACK_SOCKET", &world.socket())]);
    is_refused(&world, &said);
}

pub fn a_child_that_connected_and_is_gone_is_no_person(level: Level) {
    let world = world(level);
    let said = world.agent("gone", "gone", &[("ATTACK_SOCKET", &world.socket())]);
    is_refused(&world, &said);
}

pub fn a_server_that_was_stopped_meanwhile_takes_nobody_for_a_person(level: Level) {
    let world = world(level);
    let pid = world.server_pid().to_string();
    let set = [("ATTACK_SOCKET", world.socket()), ("ATTACK_PID", pid.into())];
    let said = world.agent("halts", "stopped", &[(set[0].0, &set[0].1), (set[1].0, &set[1].1)]);
    is_refused(&world, &said);
}

/// What connects before the server knows the agent's pid.
pub fn the_first_millisecond_makes_no_person(level: Level) {
    let world = world(level);
    for name in ["a", "b", "c", "d", "e"] {
        let said = world.agent(name, "ask", &[("ATTACK_SOCKET", &world.socket())]);
        is_refused(&world, &said);
    }
}

pub fn a_daemon_that_killed_its_keeper_is_no_person(level: Level) {
    let world = world(level);
    let socket = world.socket();
    let set = [("ATTACK_SOCKET", socket.as_path())];
    // Where the keeper can be killed, the server ends all that it left, at times before this one has asked. Elsewhere it lives, and
    // has a pid of its namespace.
    if level != Level::None {
        return is_refused(&world, &world.agent("parricide", "leave", &set));
    }
    match world.agent_until_its_end("parricide", "leave", &set) {
        Some(said) => is_refused(&world, &said),
        None => assert!(world.ok(&["log", "--json"]).is_empty(), "it has answered nothing"),
    }
}

/// 2,700 connections of one agent cost a person nothing, and make nobody unreadable.
pub fn connections_without_end_make_no_person_and_keep_none_out(level: Level) {
    let world = world(level);
    let ten_looks = || {
        let start = Instant::now();
        (0..10).for_each(|_| drop(world.ok(&["ls"])));
        start.elapsed()
    };
    let before = ten_looks();
    let said = world.agent("holds", "hold", &[("ATTACK_SOCKET", &world.socket())]);
    is_refused(&world, &said);
    let after = ten_looks();
    // The machine may have become busier meanwhile.
    assert!(after < before * 10 + DEADLINE / 4, "{before:?}, then {after:?}");
}

/// Connections of one agent that say what is nothing and are hung up at once: how many, within how many ms.
pub fn come_and_go(path: &Path) -> String {
    let begun = Instant::now();
    let comes =
        |_: &usize| UnixStream::connect(path).is_ok_and(|mut stream| stream.write_all(&[0xff; 64]).is_ok());
    let came = (0..COMINGS).filter(comes).count();
    format!("{came} {}", begun.elapsed().as_millis())
}

/// Many times what an agent may at once, and what a server took within four seconds when nobody counted them.
const COMINGS: usize = 16_000;

/// Held connections were counted, but those that came and went were each looked into, served and written of in the log:
/// with six threads of them no command of the person's was answered within five seconds.
pub fn connections_that_come_and_go_are_counted(level: Level) {
    let world = Place::at(level);
    let mut command = world.command();
    command.env("COUNSEL_LOG", "counsel::server::client_io=debug");
    let done = finish(command.args(["start", "victim", "--", "cat"]), b"");
    assert_eq!(done.code, 0, "{done:?}");
    let begun = Instant::now();
    let said = world.agent("churns", "come-and-go", &[("ATTACK_SOCKET", &world.socket())]);
    // Whoever comes behind them is heard when they have been.
    world.ok(&["ls"]);
    let ms = begun.elapsed().as_millis() as usize;
    let came: usize = said.split_once(' ').unwrap().0.parse().unwrap();
    // A kept out process is hung up on while it still writes.
    assert!(came > 400 || level != Level::None, "{said}");
    let log = std::fs::read_to_string(world.path("state/server.log")).unwrap();
    let served = log.matches("dropped a client").count();
    // 400 at once and 200 a second; and as many more are told that they are too many.
    let most = 2 * (400 + 200 * ms / 1000);
    assert!(served <= most, "{served} of {COMINGS} were served within {ms} ms, of at most {most}");
    world.ok(&["send", "victim", "honest", "--enter"]);
}

/// The same where the server has few descriptors: none is left to look at anybody.
pub fn descriptors_used_up_make_no_person_and_keep_none_out(level: Level) {
    let world = Place::at(level);
    // Enough for itself, the agents and the quarter that these may hold.
    start_with_descriptors(&world, 128);
    for name in ["one", "two", "three"] {
        let said = world.agent(name, "hold", &[("ATTACK_SOCKET", &world.socket())]);
        is_refused(&world, &said);
    }
}

/// Who has no keeper is looked at for a second, in case it comes before its keeper is known, and all agents had some
/// places for that together: the orphans of one took them all, and no hook of another's got through.
pub fn an_agents_orphans_keep_no_other_agent_out() {
    let world = Place::at(Level::None);
    start_with_descriptors(&world, 256);
    let out = world.path("knock.out");
    let mut orphan = crate::keepers::orphan(&world, "knock", &world.path("run/agents/counsel.sock"), &out);
    assert_eq!(said(&out), "knocking");
    let listed = world.agent("looks", "look-often", &[]);
    orphan.kill().unwrap();
    orphan.wait().unwrap();
    assert_eq!(listed.matches("\"name\":\"victim\"").count(), 20, "{listed}");
}

/// The victim, by a server that may have so many descriptors.
fn start_with_descriptors(world: &Place, count: u64) {
    use std::os::unix::process::CommandExt;
    let mut command = world.command();
    // SAFETY: one async-signal-safe call.
    unsafe {
        command.pre_exec(move || {
            let few = libc::rlimit { rlim_cur: count, rlim_max: 4096 };
            libc::setrlimit(libc::RLIMIT_NOFILE, &raw const few);
            Ok(())
        });
    }
    let done = finish(command.args(["start", "victim", "--", "cat"]), b"");
    assert_eq!(done.code, 0, "{done:?}");
}

fn places(world: &Place) -> [(&'static str, std::path::PathBuf); 3] {
    [
        ("ATTACK_COUNSEL_RUNTIME_DIR", world.path("run")),
        ("ATTACK_COUNSEL_STATE_DIR", world.path("state")),
        ("ATTACK_HOME", world.path("home")),
    ]
}

fn placed<'a>(places: &'a [(&'static str, std::path::PathBuf)]) -> Vec<(&'static str, &'a Path)> {
    places.iter().map(|(name, path)| (*name, path.as_path())).collect()
}

/// It put the server below the agent's own keeper, and all that it answered below the agent.
pub fn an_agent_restarts_no_server(level: Level) {
    let world = world(level);
    let (pid, places) = (world.server_pid(), places(&world));
    let said = world.agent("restarts", "restart", &placed(&places));
    assert!(said.starts_with("refused"), "{said}");
    assert_eq!(world.server_pid(), pid);
    is_refused(&world, "closed");
}

pub fn a_killed_server_is_not_an_agents_to_replace(level: Level) {
    let world = world(level);
    let places = places(&world);
    kill(world.server_pid(), Signal::SIGKILL).unwrap();
    // The next server is a person's; the agent then kills it and starts one of its own.
    let pid = world.server_pid().to_string();
    let mut set = placed(&places);
    set.push(("ATTACK_PID", Path::new(&pid)));
    let said = world.agent("usurper", "usurp", &set);
    assert!(said.starts_with("refused"), "{said}");
    is_refused(&world, "closed");
}

pub fn what_counsels_own_tmux_starts_is_no_person() {
    let world = Place::at(Level::None);
    let _tmux = PrivateTmux(counsel::os::tmux::private_name(&world.path("run"), false));
    world.ok(&["start", "victim", "--host", "tmux", "--", "cat"]);
    let places = places(&world);
    for (name, part) in [("runs", "tmux-run"), ("opens", "tmux-open")] {
        let said = world.agent(name, part, &placed(&places));
        is_refused(&world, &said);
    }
}

/// Of a world: it outlives its panes.
pub struct PrivateTmux(pub String);

impl Drop for PrivateTmux {
    fn drop(&mut self) {
        let _ = Command::new("tmux").args(["-L", &self.0, "kill-server"]).output();
    }
}

/// What is said from outside goes on: nobody here is an agent's, and the agent itself may look.
pub fn a_person_stays_one_and_an_agent_looks_on() {
    let world = world(Level::None);
    let places = places(&world);
    let looked = world.agent("looks", "look", &placed(&places));
    assert!(looked.starts_with("done"), "{looked}");
    // A person's orphan, as cron and a service manager start their programs.
    let out = world.path("work/orphan.out");
    let line = format!(
        "setsid -f sh -c '{} send victim hello --enter >{out}.new 2>&1; echo code $? >>{out}.new; mv {out}.new {out}'",
        crate::world::counsel().display(),
        out = out.display()
    );
    let done = finish(world.program("sh").args(["-c", &line]), b"");
    assert_eq!(done.code, 0, "{done:?}");
    let orphan = said(&out);
    assert!(orphan.contains("code 0"), "{orphan}");
    assert!(world.keeper_pid("victim") > 0);
}

/// A script of cron, with an empty environment, and a shell in a container that has the sockets: each has a person above
/// it, or nobody, and no agent.
pub fn a_persons_scripts_and_containers_are_the_persons() {
    let world = world(Level::None);
    let said = |before: &[&str]| {
        let mut command = world.program(before[0]);
        command.args(&before[1..]).arg(crate::world::counsel()).args(["send", "victim", "hello", "--enter"]);
        let done = finish(&mut command, b"");
        assert_eq!(done.code, 0, "{before:?}: {done:?}");
    };
    let [home, run, state] =
        [("HOME", "home"), ("COUNSEL_RUNTIME_DIR", "run"), ("COUNSEL_STATE_DIR", "state")]
            .map(|(name, folder)| format!("{name}={}", world.path(folder).display()));
    said(&["setsid", "--wait", "env", "-i", &home, &run, &state]);
    if crate::needs::namespaces().is_none() {
        said(&["unshare", "-r", "--pid", "--fork", "--kill-child"]);
        said(&["unshare", "-r", "--pid", "--fork", "--kill-child", "--mount", "--mount-proc"]);
    }
}

/// Who comes where only agents come is no person, even one who is.
pub fn the_agents_socket_makes_no_person() {
    let world = world(Level::None);
    let said = ask(UnixStream::connect(world.path("run/agents/counsel.sock")).unwrap());
    assert!(said.contains("the agents' socket"), "{said}");
    is_refused(&world, &said);
    // By it hooks and tools come; a token that is wrong is no better than none.
    let mut command = world.command();
    command.args(["--socket"]).arg(world.path("run/agents/counsel.sock")).env("COUNSEL_TOKEN", "guessed");
    let done = finish(command.arg("ls"), b"");
    assert_eq!(done.code, 4, "{done:?}");
}
