//! Starting the server: once, detached, and with its failure told. A stand-in plays the server.
#![allow(clippy::unwrap_used, reason = "a test may fail where its fixture does")]
#![cfg(target_os = "linux")]

use std::fs;
use std::io::{Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Barrier};
use std::thread;
use std::time::{Duration, Instant};

use counsel::os::{daemon, proc, socket};
use counsel::wire::{ClientMessage, Decoder, Reply, Request, ServerMessage, VERSION, encode};
use nix::sys::signal::SigSet;
use tempfile::TempDir;

/// Set by the script that stands for the program; names the socket.
const STAND_IN: &str = "COUNSEL_TEST_STAND_IN";
/// What a stand-in lives at most, should its test fail before ending it.
const LIFE: Duration = Duration::from_secs(60);

/// Not a test: the server the tests below start, when this program is executed by their script.
#[test]
fn stand_in_server() {
    let Some(path) = std::env::var_os(STAND_IN).map(PathBuf::from) else { return };
    let mut starts = fs::OpenOptions::new().append(true).create(true).open(beside(&path)).unwrap();
    writeln!(starts, "{}", std::process::id()).unwrap();
    let bound = match socket::bind(&path) {
        Ok(bound) => bound,
        Err(error) => return daemon::announce_ready(Some((daemon::FAILED, &error.to_string()))).unwrap(),
    };
    daemon::announce_ready(None).unwrap();
    thread::spawn(|| {
        thread::sleep(LIFE);
        std::process::exit(1);
    });
    let listener = bound.try_clone().unwrap();
    listener.set_nonblocking(false).unwrap();
    loop {
        let (stream, _) = listener.accept().unwrap();
        thread::spawn(move || serve(stream));
    }
}

fn serve(mut stream: std::os::unix::net::UnixStream) {
    let (mut decoder, mut buffer) = (Decoder::default(), [0; 1024]);
    while let Ok(n @ 1..) = stream.read(&mut buffer) {
        decoder.push(&buffer[..n]);
        while let Some(message) = decoder.take::<ClientMessage>().unwrap() {
            let pid = std::process::id();
            let reply = match message.request {
                Request::Hello { .. } => Reply::Hello { version: VERSION, server: "stand-in".into(), pid },
                _ => Reply::Done,
            };
            stream.write_all(&encode(&ServerMessage::Reply { id: message.id, reply })).unwrap();
        }
    }
}

/// Where stand-ins note that they were started.
fn beside(socket: &Path) -> PathBuf {
    socket.with_extension("starts")
}

struct Bench {
    _folder: TempDir,
    exe: PathBuf,
    socket: PathBuf,
    log: PathBuf,
}

/// A program that is this test, told by its environment to be the server.
fn bench(script: Option<&str>) -> Bench {
    let folder = tempfile::tempdir().unwrap();
    let exe = folder.path().join("counsel");
    let me = std::env::current_exe().unwrap();
    let server = format!(
        "#!/bin/sh\nexec env {STAND_IN}=\"$2\" {} --exact stand_in_server --nocapture\n",
        me.display()
    );
    fs::write(&exe, script.unwrap_or(&server)).unwrap();
    fs::set_permissions(&exe, fs::Permissions::from_mode(0o755)).unwrap();
    let (socket, log) = (folder.path().join("s"), folder.path().join("log"));
    Bench { _folder: folder, exe, socket, log }
}

fn kill(pid: u32) {
    let pid = nix::unistd::Pid::from_raw(i32::try_from(pid).unwrap());
    nix::sys::signal::kill(pid, nix::sys::signal::Signal::SIGKILL).unwrap();
}

#[test]
fn of_ten_clients_at_once_one_starts_the_server_and_all_reach_it() {
    let bench = Arc::new(bench(None));
    let barrier = Arc::new(Barrier::new(10));
    let clients: Vec<_> = (0..10)
        .map(|_| {
            let (bench, barrier) = (bench.clone(), barrier.clone());
            thread::spawn(move || {
                barrier.wait();
                daemon::ensure_server_of(&bench.exe, &bench.socket, &bench.log).map(|c| c.server_pid)
            })
        })
        .collect();
    let pids: Vec<u32> = clients.into_iter().map(|client| client.join().unwrap().unwrap()).collect();
    let starts = fs::read_to_string(beside(&bench.socket)).unwrap();
    assert!(pids.iter().all(|pid| *pid == pids[0]), "{pids:?}");
    assert_eq!(starts.trim(), pids[0].to_string());
    kill(pids[0]);
}

#[test]
fn the_server_is_detached_and_replaced_when_it_died() {
    let bench = bench(None);
    let first = daemon::ensure_server_of(&bench.exe, &bench.socket, &bench.log).unwrap();
    let (server, me) = (proc::look(first.server_pid).unwrap(), proc::look(std::process::id()).unwrap());
    assert_ne!(server.parent, me.pid, "it is nobody's child here");
    assert_ne!((server.session, server.group), (me.session, me.group));
    let of = |name: &str| fs::read_link(format!("/proc/{}/{name}", server.pid)).unwrap();
    assert_eq!(of("cwd"), Path::new("/"));
    assert_eq!((of("fd/0"), of("fd/1")), (PathBuf::from("/dev/null"), PathBuf::from("/dev/null")));
    assert_eq!(of("fd/2"), bench.log);
    kill(server.pid);
    // The kernel closes a dead server's socket in its own time; only then is it known to be dead.
    let until = Instant::now() + Duration::from_secs(10);
    while socket::connect(&bench.socket).is_ok() {
        assert!(Instant::now() < until, "the killed server still listens");
        thread::yield_now();
    }
    assert!(bench.socket.exists(), "a killed server leaves its socket");
    let second = daemon::ensure_server_of(&bench.exe, &bench.socket, &bench.log).unwrap();
    assert_ne!(second.server_pid, server.pid);
    kill(second.server_pid);
}

/// A client that waits for signals on a thread of its own has blocked them, as `counsel exec` does, and the server it
/// started was deaf to SIGTERM.
#[test]
fn a_server_takes_every_signal_whichever_its_starter_has_blocked() {
    let bench = bench(None);
    SigSet::all().thread_block().unwrap();
    let pid = daemon::ensure_server_of(&bench.exe, &bench.socket, &bench.log).unwrap().server_pid;
    let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    kill(pid);
    let blocked = status.lines().find_map(|line| line.strip_prefix("SigBlk:")).unwrap();
    assert_eq!(blocked.trim(), "0000000000000000");
}

/// A script's lock was held by the server that one of its commands had started, until that ended.
#[test]
fn a_server_has_no_descriptor_of_its_starter() {
    let bench = bench(None);
    let held = fs::File::create(bench.socket.with_file_name("lock")).unwrap();
    // As a shell has it that redirects to a number of its own.
    nix::fcntl::fcntl(&held, nix::fcntl::FcntlArg::F_SETFD(nix::fcntl::FdFlag::empty())).unwrap();
    let connection = daemon::ensure_server_of(&bench.exe, &bench.socket, &bench.log).unwrap();
    let fds = fs::read_dir(format!("/proc/{}/fd", connection.server_pid)).unwrap();
    let files: Vec<PathBuf> = fds.filter_map(|fd| fs::read_link(fd.unwrap().path()).ok()).collect();
    assert!(!files.is_empty() && !files.iter().any(|file| file.ends_with("lock")), "{files:?}");
    kill(connection.server_pid);
}

#[test]
fn a_server_that_cannot_start_says_why() {
    let failing = bench(Some("#!/bin/sh\necho 'the moon is in the wrong phase'; exit 1\n"));
    let error = daemon::ensure_server_of(&failing.exe, &failing.socket, &failing.log).unwrap_err();
    assert_eq!(error.to_string(), "the moon is in the wrong phase");
    let silent = bench(Some("#!/bin/sh\necho why >&2; exit 1\n"));
    let error = daemon::ensure_server_of(&silent.exe, &silent.socket, &silent.log).unwrap_err().to_string();
    assert!(error.contains(&*silent.log.to_string_lossy()), "{error}");
    assert_eq!(fs::read_to_string(&silent.log).unwrap(), "why\n");
    let absent = Path::new("/no/such/program");
    let error = daemon::ensure_server_of(absent, &silent.socket, &silent.log).unwrap_err().to_string();
    assert!(error.contains("/no/such/program"), "{error}");
}

/// Who starts a server and is interrupted before it connects leaves one that has nothing to do. It waited for a first
/// event before it looked at the time, for ever.
#[test]
fn a_server_that_nobody_comes_to_ends_by_itself() {
    let folder = tempfile::tempdir().unwrap();
    let config = folder.path().join(".config/counsel");
    fs::create_dir_all(&config).unwrap();
    fs::write(config.join("config.toml"), "[server]\nexit_when_empty_secs = 1\n").unwrap();
    let mut server = std::process::Command::new(env!("CARGO_BIN_EXE_counsel"))
        .args(["server", "--foreground"])
        .env_clear()
        .env("HOME", folder.path())
        .env("COUNSEL_RUNTIME_DIR", folder.path().join("run"))
        .env("COUNSEL_STATE_DIR", folder.path().join("state"))
        .current_dir(folder.path())
        .spawn()
        .unwrap();
    let pid = nix::unistd::Pid::from_raw(server.id().cast_signed());
    let (sender, ended) = std::sync::mpsc::channel();
    thread::spawn(move || sender.send(server.wait()));
    let ended = ended.recv_timeout(LIFE);
    if ended.is_err() {
        nix::sys::signal::kill(pid, nix::sys::signal::Signal::SIGKILL).unwrap();
    }
    assert!(ended.as_ref().is_ok_and(|ended| ended.as_ref().is_ok_and(|ended| ended.success())), "{ended:?}");
}
