//! Who is at the other end of a connection, with real processes: people, and what an agent would do to look
//! like one.
//!
//! The processes are this very program in another part, named by the environment.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]
#![cfg(target_os = "linux")]

use std::io::{Read, Write};
use std::os::fd::AsRawFd;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use counsel::core::ancestry::{Identity, Known, Reason, Verdict};
use counsel::os::ancestry::{Caller, identity};
use counsel::os::generation;
use counsel::os::reserve::Reserve;
use nix::libc;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::signal::{SaFlags, SigAction, SigHandler, SigSet, Signal, kill, sigaction};
use nix::unistd::{ForkResult, Pid, fork, setsid};

/// Whatever takes longer hangs.
const DEADLINE: Duration = Duration::from_secs(30);

/// Measured: one look in some 100 000 was interrupted, where one signal comes after the other.
const LOOKS: usize = 1_000_000;

/// Plays a part of another test, in a process of its own; nothing by itself.
#[test]
fn part() {
    let Ok(part) = std::env::var("ANCESTRY_PART") else { return };
    let path = PathBuf::from(std::env::var_os("ANCESTRY_SOCKET").unwrap());
    match part.as_str() {
        "keeper" => keeper(),
        "person" => hold(UnixStream::connect(path).unwrap()),
        "nested" => nested(70, &path),
        "gone" => connected_by_a_child_that_is_gone(&path),
        "daemon" => daemon(&path),
        "exhausted" => exhausted(&path),
        other => panic!("{other}"),
    }
    std::process::exit(0);
}

fn command(part: &str, socket: &Path) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "part", "--nocapture"]).stdin(Stdio::null()).stdout(Stdio::null());
    command.env("ANCESTRY_PART", part).env("ANCESTRY_SOCKET", socket);
    command
}

/// Parents what the next part does, as an agent's keeper would.
fn keeper() {
    nix::sys::prctl::set_child_subreaper(true).unwrap();
    generation::lower_to(generation::below(generation::own().unwrap()).unwrap()).unwrap();
    let socket = PathBuf::from(std::env::var_os("ANCESTRY_SOCKET").unwrap());
    let mut agent = command(&std::env::var("ANCESTRY_AGENT").unwrap(), &socket).spawn().unwrap();
    agent.wait().unwrap();
    // What it left behind is this one's until it is killed.
    while nix::sys::wait::wait().is_ok() {}
}

/// Says that it is there and stays until the server hangs up.
fn hold(mut stream: UnixStream) {
    stream.write_all(b"x").unwrap();
    let _ = stream.read(&mut [0]);
}

/// More generations than anybody looks at, in a millisecond.
fn nested(depth: usize, path: &Path) {
    if depth == 0 {
        return hold(UnixStream::connect(path).unwrap());
    }
    // SAFETY: the other thread of the test harness only waits for this one.
    match unsafe { fork() }.unwrap() {
        ForkResult::Child => {
            nested(depth - 1, path);
            std::process::exit(0);
        }
        ForkResult::Parent { child } => drop(nix::sys::wait::waitpid(child, None)),
    }
}

/// The kernel remembers who connected, not who uses the connection.
fn connected_by_a_child_that_is_gone(path: &Path) {
    use nix::sys::socket::{AddressFamily, SockFlag, SockType, UnixAddr, connect, socket};
    let stream = socket(AddressFamily::Unix, SockType::Stream, SockFlag::empty(), None).unwrap();
    let address = UnixAddr::new(path).unwrap();
    // SAFETY: as above.
    match unsafe { fork() }.unwrap() {
        ForkResult::Child => {
            let done = connect(stream.as_raw_fd(), &address);
            // SAFETY: ends this process and nothing else.
            unsafe { libc::_exit(i32::from(done.is_err())) }
        }
        ForkResult::Parent { child } => drop(nix::sys::wait::waitpid(child, None).unwrap()),
    }
    hold(UnixStream::from(stream));
}

/// A session of its own, a parent that has ended, an empty environment in all but its part.
fn daemon(path: &Path) {
    // SAFETY: as above.
    if let ForkResult::Parent { .. } = unsafe { fork() }.unwrap() {
        return;
    }
    setsid().unwrap();
    // SAFETY: as above.
    if let ForkResult::Parent { .. } = unsafe { fork() }.unwrap() {
        return;
    }
    hold(UnixStream::connect(path).unwrap());
}

/// A server whose last descriptor is taken looks at whoever comes, and prints what it takes them for.
fn exhausted(path: &Path) {
    let listener = UnixListener::bind(path).unwrap();
    let reserve = Reserve::new();
    println!("listening");
    let mut taken = Vec::new();
    while let Ok(file) = std::fs::File::open("/dev/null") {
        taken.push(file);
    }
    let accepted = reserve.lend(|| listener.accept());
    let seen = accepted.map(|(stream, _)| match Caller::of(&stream, &reserve) {
        Ok(caller) => format!("{:?}", caller.verdict(&people(), &reserve)),
        Err(reason) => format!("{reason:?}"),
    });
    drop(taken);
    println!("{seen:?}");
}

/// A server that knows nobody.
fn people() -> Known {
    Known { generation: generation::own().unwrap(), ..Known::default() }
}

/// A part that is gone when the test is.
struct Part(Child);

impl Drop for Part {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

struct Server {
    folder: tempfile::TempDir,
    listener: UnixListener,
    reserve: Reserve,
}

impl Server {
    fn new() -> Server {
        let folder = tempfile::tempdir().unwrap();
        let listener = UnixListener::bind(folder.path().join("s")).unwrap();
        Server { folder, listener, reserve: Reserve::new() }
    }

    fn socket(&self) -> PathBuf {
        self.folder.path().join("s")
    }

    fn part(&self, part: &str) -> Part {
        Part(command(part, &self.socket()).spawn().unwrap())
    }

    /// What an agent below a keeper does.
    fn agent(&self, part: &str) -> (Part, Identity) {
        let child = command("keeper", &self.socket()).env("ANCESTRY_AGENT", part).spawn().unwrap();
        let keeper = identity(child.id()).unwrap();
        (Part(child), keeper)
    }

    fn accept(&self) -> UnixStream {
        let mut fds = [PollFd::new(std::os::fd::AsFd::as_fd(&self.listener), PollFlags::POLLIN)];
        assert_eq!(poll(&mut fds, PollTimeout::try_from(DEADLINE).unwrap()), Ok(1), "nobody came");
        let mut stream = self.listener.accept().unwrap().0;
        // Whatever it does before it connects is done.
        stream.read_exact(&mut [0]).unwrap();
        stream
    }

    fn verdict(&self, stream: &UnixStream, known: &Known) -> Verdict {
        match Caller::of(stream, &self.reserve) {
            Ok(caller) => caller.verdict(known, &self.reserve),
            Err(reason) => Verdict::Refused(reason),
        }
    }
}

fn with(keeper: Identity) -> Known {
    Known { keepers: vec![keeper], ..people() }
}

#[test]
fn a_person_is_one() {
    let server = Server::new();
    let person = server.part("person");
    let stream = server.accept();
    let id = identity(person.0.id()).unwrap();
    assert_eq!(server.verdict(&stream, &people()), Verdict::Person(id));
}

#[test]
fn an_agent_is_one_however_deep_it_nests() {
    let server = Server::new();
    for part in ["person", "nested"] {
        let (_agent, keeper) = server.agent(part);
        let stream = server.accept();
        assert_eq!(server.verdict(&stream, &with(keeper)), Verdict::Agent(keeper), "{part}");
        // In its first millisecond, when the server has not heard of its keeper yet.
        assert_eq!(server.verdict(&stream, &people()), Verdict::Refused(Reason::Orphan), "{part}");
    }
}

#[test]
fn who_connected_and_is_gone_is_nobody() {
    let server = Server::new();
    let (_agent, keeper) = server.agent("gone");
    let stream = server.accept();
    assert_eq!(server.verdict(&stream, &with(keeper)), Verdict::Refused(Reason::Dead));
}

#[test]
fn who_ends_later_is_nobody_from_then_on() {
    let server = Server::new();
    let mut person = server.part("person");
    let stream = server.accept();
    let caller = Caller::of(&stream, &server.reserve).unwrap();
    assert!(matches!(caller.verdict(&people(), &server.reserve), Verdict::Person(_)));
    person.0.kill().unwrap();
    // Before it is reaped, and after.
    let until = Instant::now() + DEADLINE;
    while caller.verdict(&people(), &server.reserve) != Verdict::Refused(Reason::Dead) {
        assert!(Instant::now() < until);
    }
    person.0.wait().unwrap();
    assert_eq!(caller.verdict(&people(), &server.reserve), Verdict::Refused(Reason::Dead));
}

#[test]
fn a_daemon_falls_to_its_keeper_and_stays_an_agents_when_that_is_killed() {
    let server = Server::new();
    let (mut agent, keeper) = server.agent("daemon");
    let stream = server.accept();
    let caller = Caller::of(&stream, &server.reserve).unwrap();
    // Its parent may be about to end; then it falls to the keeper.
    let until = Instant::now() + DEADLINE;
    while caller.verdict(&with(keeper), &server.reserve) != Verdict::Agent(keeper) {
        assert!(Instant::now() < until);
    }
    kill(Pid::from_raw(agent.0.id().cast_signed()), Signal::SIGKILL).unwrap();
    agent.0.wait().unwrap();
    let verdict = caller.verdict(&with(keeper), &server.reserve);
    assert_eq!(verdict, Verdict::Refused(Reason::Orphan));
    // The same for one who connects only now.
    assert_eq!(server.verdict(&stream, &people()), Verdict::Refused(Reason::Orphan));
}

#[test]
fn a_person_gets_through_when_the_last_descriptor_is_taken() {
    use std::io::{BufRead, BufReader};
    use std::os::unix::process::CommandExt;
    let folder = tempfile::tempdir().unwrap();
    let socket = folder.path().join("s");
    let mut command = command("exhausted", &socket);
    // SAFETY: one async-signal-safe call.
    unsafe {
        command.pre_exec(|| {
            let few = libc::rlimit { rlim_cur: 64, rlim_max: 64 };
            libc::setrlimit(libc::RLIMIT_NOFILE, &raw const few);
            Ok(())
        });
    }
    let mut server = Part(command.stdout(Stdio::piped()).spawn().unwrap());
    let mut lines = BufReader::new(server.0.stdout.take().unwrap()).lines();
    let mut until = |words: &str| loop {
        let line = lines.next().expect("it ended early").unwrap();
        if line.contains(words) {
            break line;
        }
    };
    until("listening");
    let person = UnixStream::connect(&socket).unwrap();
    let said = until("Ok(");
    assert!(said.contains("Person(") && said.contains(&format!("pid: {}", std::process::id())), "{said}");
    drop(person);
}

/// A look was given 50 ms by the clock: beside a build, people were refused as if somebody grew their chain.
#[test]
fn a_person_is_one_on_a_busy_machine_too() {
    let server = Server::new();
    let _person = server.part("person");
    let stream = server.accept();
    let caller = Caller::of(&stream, &server.reserve).unwrap();
    let known = people();
    let over = std::sync::atomic::AtomicBool::new(false);
    let busy = || {
        while !over.load(std::sync::atomic::Ordering::Relaxed) {
            std::hint::spin_loop();
        }
    };
    std::thread::scope(|scope| {
        (0..100).for_each(|_| drop(scope.spawn(busy)));
        let verdicts: Vec<Verdict> = (0..200).map(|_| caller.verdict(&known, &server.reserve)).collect();
        over.store(true, std::sync::atomic::Ordering::Relaxed);
        let refused = verdicts.iter().find(|verdict| !matches!(verdict, Verdict::Person(_)));
        assert_eq!(refused, None);
    });
}

/// SIGCHLD of an agent that ended at once came while its keeper looked whether the server that had just connected
/// still lived. The look was interrupted, the server taken for dead and refused, and the agent never found.
#[test]
fn a_signal_that_comes_during_a_look_ends_nobody() {
    extern "C" fn nothing(_: libc::c_int) {}
    let (stream, _other) = UnixStream::pair().unwrap();
    let caller = Caller::of(&stream, &Reserve::new()).unwrap();
    let handler = SigAction::new(SigHandler::Handler(nothing), SaFlags::SA_RESTART, SigSet::empty());
    // SAFETY: the handler does nothing.
    unsafe { sigaction(Signal::SIGWINCH, &handler) }.unwrap();
    // SAFETY: it always succeeds.
    let looking = unsafe { libc::pthread_self() };
    let looked = AtomicBool::new(false);
    let ended = std::thread::scope(|scope| {
        scope.spawn(|| {
            while !looked.load(Ordering::Relaxed) {
                // SAFETY: that thread waits for this one before it ends.
                unsafe { libc::pthread_kill(looking, libc::SIGWINCH) };
            }
        });
        let ended = (0..LOOKS).any(|_| caller.has_ended());
        looked.store(true, Ordering::Relaxed);
        ended
    });
    assert!(!ended, "this very process was taken for dead");
}
