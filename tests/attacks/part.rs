//! What an agent does in an attack: this very program in another part, named by its environment.

use std::io::{Read, Write};
use std::os::fd::AsRawFd;
use std::os::unix::fs::symlink;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::time::Duration;

use counsel::wire::{ClientMessage, Decoder, Reply, Request, ServerMessage, VERSION, encode};
use nix::errno::Errno;
use nix::fcntl::{Flock, FlockArg};
use nix::libc;
use nix::sys::signal::{Signal, kill};
use nix::sys::socket::{AddressFamily, SockFlag, SockType, UnixAddr};
use nix::sys::stat::Mode;
use nix::unistd::{ForkResult, Pid, fork, mkfifo};

use crate::person;
use crate::world::{self, DEADLINE};

/// Plays an agent's part. What came of it goes into a file.
pub fn play(part: &str) {
    let said = match part {
        "ask" => person::ask_at(&path("ATTACK_SOCKET")),
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
        "come-and-go" => person::come_and_go(&path("ATTACK_SOCKET")),
        "hold" => person::hold_all(&path("ATTACK_SOCKET")),
        "restart" => person::by_the_program(&["server", "restart"]),
        "usurp" => {
            // A server that ends while it starts an agent ends that agent.
            until_started();
            signal_with(pid(), Signal::SIGKILL);
            person::by_the_program(&["start", "mine", "--", "cat"])
        }
        "ask-a-line" => {
            print!("Project name: ");
            std::io::stdout().flush().unwrap();
            std::io::stdin().read_line(&mut String::new()).unwrap();
            return;
        }
        drawn if drawn.starts_with("draw-") => crate::screen::draw(drawn.trim_start_matches("draw-")),
        "forge-hooks" => crate::questions::forge_hooks(),
        "kill-and-stays" => crate::questions::kill_on_enter(false),
        "kill-and-goes" => crate::questions::kill_on_enter(true),
        "look" => person::by_the_program(&["ls"]),
        "tmux-run" => person::through_tmux(false),
        "tmux-open" => person::through_tmux(true),
        "take" => take(&path("ATTACK_SOCKET")),
        "come-early" => come_early(&path("ATTACK_SOCKET")),
        "forge" => forge(&path("ATTACK_SOCKET"), "pty"),
        "forge-in-tmux" => forge(&path("ATTACK_SOCKET"), "tmux"),
        "mute" => mute(&path("ATTACK_SOCKET")),
        "mute-and-closed" => {
            counsel::os::proc::close_to_others().unwrap();
            mute(&path("ATTACK_SOCKET"))
        }
        "absent" => listen_and_leave(&path("ATTACK_SOCKET")),
        "crowd" => crowd(&path("ATTACK_SOCKET")),
        "fill" => fill(&path("ATTACK_SOCKET")),
        "knock" => knock(&path("ATTACK_SOCKET")),
        "look-often" => (0..20).map(|_| list()).collect(),
        "stop" => stop_again_and_again(pid()),
        "stop-own-keeper" => {
            until_started();
            stop_again_and_again(Pid::parent().as_raw())
        }
        "hop" => return hop(&path("ATTACK_FILE")),
        "lock" => lock(&path("ATTACK_FILE")),
        "lock-and-leave" => {
            lock(&path("ATTACK_FILE"));
            leave()
        }
        "type" => press_a_key(),
        "discipline" => change_discipline(),
        "kill" => signal_with(pid(), Signal::SIGCONT),
        "limit" => limit(pid()),
        "slow" => slow(pid()),
        "link" => result(std::fs::read_link(path("ATTACK_FILE"))),
        "dial" => {
            let port: u16 = std::env::var("ATTACK_PORT").unwrap().parse().unwrap();
            result(std::net::TcpStream::connect(("127.0.0.1", port)))
        }
        "set-user-id" => set_user_id(),
        "connect" => connect(&path("ATTACK_SOCKET")),
        "list" => list(),
        "read" => read(&path("ATTACK_FILE")),
        "write" => write(&path("ATTACK_FILE")),
        "plant" => plant(&path("ATTACK_FILE")),
        "listen" => listen(&path("ATTACK_SOCKET")),
        "relink" => relink(&path("ATTACK_FILE")),
        "aside" => move_aside(&path("ATTACK_FILE")),
        other => panic!("{other}"),
    };
    write_said(&said);
    stay()
}

/// Waits until this agent has been started. A file is all that an isolated one can be told by.
fn until_started() {
    while !path("ATTACK_OUT").with_extension("started").exists() {
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// As an agent does.
fn stay() -> ! {
    loop {
        std::thread::sleep(DEADLINE);
    }
}

pub fn write_said(said: &str) {
    write_whole(&path("ATTACK_OUT"), said);
}

/// Whoever waits for the file finds it with all that is in it.
pub fn write_whole(out: &Path, said: &str) {
    std::fs::write(out.with_extension("new"), said).unwrap();
    std::fs::rename(out.with_extension("new"), out).unwrap();
}

fn pid() -> i32 {
    std::env::var("ATTACK_PID").unwrap().parse().unwrap()
}

pub fn path(name: &str) -> PathBuf {
    PathBuf::from(std::env::var_os(name).unwrap())
}

/// Asks a keeper for its terminal, as a server would, until it answers or hangs up for good.
fn take(keeper: &Path) -> String {
    let mut stream = match UnixStream::connect(keeper) {
        Ok(stream) => stream,
        Err(error) => return format!("refused: {error}"),
    };
    let mut said = Vec::new();
    // Its hello, manifest and output, if there are any; the end otherwise.
    let _ = stream.set_read_timeout(Some(Duration::from_secs(5)));
    let mut buffer = [0; 4096];
    while let Ok(n @ 1..) = stream.read(&mut buffer) {
        said.extend_from_slice(&buffer[..n]);
    }
    format!("heard {} bytes", said.len())
}

/// Comes to a socket as soon as it is there, and again and again, until it is told something or its time is over.
fn come_early(socket: &Path) -> String {
    let out = path("ATTACK_OUT");
    write_whole(&out.with_extension("ready"), "here");
    let mut said = Vec::new();
    while said.is_empty() && !out.with_extension("over").exists() {
        let Ok(mut stream) = UnixStream::connect(socket) else { continue };
        let _ = stream.set_read_timeout(Some(Duration::from_secs(5)));
        // Hung up on, it comes again.
        let _ = stream.read_to_end(&mut said);
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
fn forge(socket: &Path, host: &str) -> String {
    let listener = match UnixListener::bind(socket) {
        Ok(listener) => listener,
        Err(error) => return format!("refused: {error}"),
    };
    let spec = serde_json::json!({"name": "forged", "host": host});
    let manifest = serde_json::json!({"spec": spec, "policy": {}, "token": "t"}).to_string();
    let pid = std::process::id();
    let hello = serde_json::json!({
        "version": 2, "name": "forged", "agent_pid": pid, "keeper_pid": pid, "run": "running",
        "size": {"cols": 80, "rows": 24}, "manifest": manifest.len(), "ring": 0, "dropped": 0
    });
    std::thread::spawn(move || {
        while let Ok((mut stream, _)) = listener.accept() {
            let hello = encode(&hello);
            // Whoever only looks is gone before it is told.
            let _ = stream.write_all(&hello).and_then(|()| stream.write_all(manifest.as_bytes()));
        }
    });
    "listening".to_owned()
}

/// Listens and never says a word.
fn mute(socket: &Path) -> String {
    std::mem::forget(UnixListener::bind(socket).unwrap());
    "listening".to_owned()
}

/// Listens in the server's place and is gone, with the socket in the hands of a process that did not begin to listen, and
/// that is told.
fn listen_and_leave(socket: &Path) -> String {
    let _ = std::fs::remove_file(socket);
    let listener = UnixListener::bind(socket).unwrap();
    let holds = leave();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            serve(stream.unwrap());
        }
    });
    holds
}

/// Says what a server would, so that a person types on.
fn serve(mut stream: UnixStream) {
    let (mut decoder, mut buffer) = (Decoder::default(), [0; 4096]);
    while let Ok(count @ 1..) = stream.read(&mut buffer) {
        decoder.push(&buffer[..count]);
        while let Ok(Some(ClientMessage { id, request })) = decoder.take::<ClientMessage>() {
            let reply = match request {
                Request::Hello { .. } => {
                    Reply::Hello { version: VERSION, pid: std::process::id(), server: "counsel".to_owned() }
                }
                Request::List => Reply::Agents { agents: Vec::new() },
                _ => Reply::Done,
            };
            let _ = stream.write_all(&encode(&ServerMessage::Reply { id, reply }));
        }
    }
}

/// As many connections as the queue of a server takes that was stopped.
fn fill(socket: &Path) -> String {
    let mut most = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: the limit is a valid value for the length of the calls.
    unsafe {
        libc::getrlimit(libc::RLIMIT_NOFILE, &raw mut most);
        most.rlim_cur = most.rlim_max;
        libc::setrlimit(libc::RLIMIT_NOFILE, &raw const most);
    }
    let address = UnixAddr::new(socket).unwrap();
    let flags = SockFlag::SOCK_NONBLOCK;
    loop {
        let stream = nix::sys::socket::socket(AddressFamily::Unix, SockType::Stream, flags, None).unwrap();
        match nix::sys::socket::connect(stream.as_raw_fd(), &address) {
            Ok(()) => std::mem::forget(stream),
            Err(Errno::EAGAIN) => return "full".to_owned(),
            Err(error) => return format!("refused: {error}"),
        }
    }
}

/// Comes again and again, and keeps what it gets: whoever is looked at longer than others has all the places for that.
fn knock(socket: &Path) -> String {
    let most = libc::rlimit { rlim_cur: 4096, rlim_max: 4096 };
    // SAFETY: the limit is a valid value for the length of the call.
    unsafe { libc::setrlimit(libc::RLIMIT_NOFILE, &raw const most) };
    let address = UnixAddr::new(socket).unwrap();
    let come = move || {
        let stream =
            nix::sys::socket::socket(AddressFamily::Unix, SockType::Stream, SockFlag::SOCK_NONBLOCK, None)
                .ok()?;
        nix::sys::socket::connect(stream.as_raw_fd(), &address).ok().map(|()| UnixStream::from(stream))
    };
    // Those that were let go come again. Nobody is told anything who says nothing.
    let waits = |stream: &mut UnixStream| {
        stream.read(&mut [0]).is_err_and(|error| error.kind() == std::io::ErrorKind::WouldBlock)
    };
    std::thread::spawn(move || {
        let mut held: Vec<UnixStream> = Vec::new();
        loop {
            held.retain_mut(waits);
            while held.len() < 400
                && let Some(stream) = come()
            {
                held.push(stream);
            }
            std::thread::sleep(Duration::from_millis(1));
        }
    });
    "knocking".to_owned()
}

/// Whatever lets it go on.
fn stop_again_and_again(pid: i32) -> String {
    std::thread::spawn(move || {
        while kill(Pid::from_raw(pid), Signal::SIGSTOP).is_ok() {
            std::thread::sleep(Duration::from_micros(100));
        }
    });
    "stopping".to_owned()
}

/// Is another process every two milliseconds, without a keeper, and holds a pipe open all the while. It ends by itself.
fn hop(alive: &Path) {
    let _held = std::fs::File::options().write(true).open(alive).unwrap();
    until_started();
    let (keeper, end) = (Pid::parent(), std::time::Instant::now() + Duration::from_secs(15));
    let mut said = false;
    nix::sys::prctl::set_pdeathsig(None).unwrap();
    let hops = || {
        // SAFETY: this process has no other thread.
        if let ForkResult::Parent { .. } = unsafe { fork() }.unwrap() {
            std::process::exit(0);
        }
    };
    hops();
    nix::unistd::setsid().unwrap();
    // A killed keeper's terminal hangs up.
    while std::time::Instant::now() < end {
        hops();
        if !said {
            // Afterwards it may have no time for it.
            write_said("hopping");
            kill(keeper, Signal::SIGKILL).unwrap();
            said = true;
        }
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// Holds a file's lock for good; says who does.
fn lock(file: &Path) -> String {
    let file = std::fs::File::options().create(true).truncate(false).write(true).open(file).unwrap();
    std::mem::forget(Flock::lock(file, FlockArg::LockExclusive).unwrap());
    std::process::id().to_string()
}

/// Ends, and leaves what it holds to a process that goes on once this one is gone; says which.
fn leave() -> String {
    let first = std::process::id();
    // SAFETY: this process has no other thread.
    match unsafe { fork() }.unwrap() {
        ForkResult::Parent { .. } => std::process::exit(0),
        ForkResult::Child => {}
    }
    while std::os::unix::process::parent_id() == first {
        std::thread::yield_now();
    }
    std::process::id().to_string()
}

/// Takes from a process what no signal may: here nothing but what it has is set. Its own limits stay its own to set.
fn limit(pid: i32) -> String {
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: the values live as long as the calls.
    let (own, other) = unsafe {
        libc::getrlimit(libc::RLIMIT_CPU, &raw mut limit);
        let own = libc::setrlimit(libc::RLIMIT_CPU, &raw const limit);
        (own, libc::prlimit(pid, libc::RLIMIT_CPU, &raw const limit, std::ptr::null_mut()))
    };
    assert_eq!(own, 0, "a program sets no limits of its own");
    if other == 0 { "set".to_owned() } else { format!("refused: {}", std::io::Error::last_os_error()) }
}

/// What a system call came to.
fn result<T: std::fmt::Debug>(done: std::io::Result<T>) -> String {
    done.map_or_else(|error| format!("refused: {error}"), |done| format!("done: {done:?}"))
}

/// The next one in who waits for a processor.
fn slow(pid: i32) -> String {
    // SAFETY: numbers alone are handed over.
    let done = unsafe { libc::setpriority(libc::PRIO_PROCESS, pid.unsigned_abs(), 1) };
    result(if done == 0 { Ok(()) } else { Err(std::io::Error::last_os_error()) })
}

/// Whether a program that is another user's to run as is run as that user.
fn set_user_id() -> String {
    // SAFETY: numbers alone are handed over.
    let set = unsafe { libc::prctl(libc::PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) };
    if set == 0 { "would be".to_owned() } else { "refused: no new privileges".to_owned() }
}

/// A byte into the input of its own terminal, where its parent's dialog waits for it.
fn press_a_key() -> String {
    let key = b'1';
    // SAFETY: the kernel reads one byte.
    let done = unsafe { libc::ioctl(0, libc::TIOCSTI, &raw const key) };
    if done == 0 { "pressed".to_owned() } else { format!("refused: {}", std::io::Error::last_os_error()) }
}

/// Another line discipline for its own terminal, and back: what its program prints meanwhile nobody sees.
fn change_discipline() -> String {
    /// `N_NULL` of linux/tty.h, which needs no right of its own, and `N_TTY`.
    const DISCIPLINES: [libc::c_int; 2] = [27, 0];
    for discipline in DISCIPLINES {
        // SAFETY: the kernel reads one number.
        let done = unsafe { libc::ioctl(0, libc::TIOCSETD, &raw const discipline) };
        if done != 0 {
            return format!("refused: {}", std::io::Error::last_os_error());
        }
    }
    "changed".to_owned()
}

pub fn signal_with(pid: i32, signal: Signal) -> String {
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

type Way<'a> = (&'static str, &'a dyn Fn(&Path) -> bool);

/// Puts whatever it can in the place of a file, and beside it.
fn plant(file: &Path) -> String {
    let own = path("ATTACK_OUT").with_extension("own");
    let ways: [Way<'_>; 8] = [
        ("removed", &|at| std::fs::remove_file(at).is_ok()),
        ("a FIFO", &|at| mkfifo(at, Mode::S_IRWXU).is_ok()),
        ("a symbolic link", &|at| symlink(&own, at).is_ok()),
        ("a hard link", &|at| std::fs::hard_link(&own, at).is_ok()),
        ("a file of its own", &|at| std::fs::rename(&own, at).is_ok()),
        ("a folder", &|at| std::fs::create_dir(at).is_ok()),
        ("a socket", &|at| UnixListener::bind(at).is_ok()),
        ("written", &|at| std::fs::write(at, "planted").is_ok()),
    ];
    let mut done = Vec::new();
    for at in [file.to_path_buf(), file.with_extension("planted")] {
        for (what, way) in &ways {
            std::fs::write(&own, "planted").unwrap();
            if way(&at) {
                done.push(*what);
            }
        }
    }
    if done.is_empty() { "refused".to_owned() } else { format!("{}: {}", file.display(), done.join(", ")) }
}

/// Waits where the person's next tmux would look for its server.
fn listen(socket: &Path) -> String {
    let _ = std::fs::create_dir_all(socket.parent().unwrap());
    match UnixListener::bind(socket) {
        Ok(listener) => {
            std::mem::forget(listener);
            "listening".to_owned()
        }
        Err(error) => format!("refused: {error}"),
    }
}

/// Has a link lead to what it made itself.
fn relink(link: &Path) -> String {
    let own = path("ATTACK_OUT").with_extension("own");
    std::fs::create_dir_all(&own).unwrap();
    let aside = link.with_extension("aside");
    let moved = std::fs::rename(link, &aside).or_else(|_| std::fs::remove_file(link));
    match moved.and_then(|()| symlink(&own, link)) {
        Ok(()) => "led elsewhere".to_owned(),
        Err(error) => format!("refused: {error}"),
    }
}

/// Moves a folder on the way to a file aside, and makes its own in that place.
fn move_aside(file: &Path) -> String {
    let out = path("ATTACK_OUT");
    let world = out.parent().and_then(Path::parent).unwrap();
    let folder = file.parent().unwrap();
    for above in folder.ancestors().take_while(|above| above.starts_with(world)) {
        let aside = above.with_extension("aside");
        if std::fs::rename(above, &aside).is_err() {
            continue;
        }
        if above == world {
            // What comes of it is told in there.
            std::fs::rename(&aside, above).unwrap();
        } else {
            std::fs::create_dir_all(folder).unwrap();
            std::fs::write(file, "planted").unwrap();
        }
        return format!("moved {}", above.display());
    }
    match std::fs::create_dir_all(folder).and_then(|()| std::fs::write(file, "planted")) {
        Ok(()) => "planted".to_owned(),
        Err(error) => format!("refused: {error}"),
    }
}
