//! The keeper, its agent and everything the agent starts: job control, hand-over, and the end.
#![allow(clippy::unwrap_used)]
#![cfg(target_os = "linux")]

mod keeper_bench;

use std::io::{Read, Write};
use std::os::unix::net::UnixStream;
use std::time::{Duration, Instant};

use counsel::core::agent::Tie;
use counsel::core::terminal::grid::Size;
use counsel::os::keeper_link::{self, Exit, FromKeeper, KeeperSpec, Run, ToKeeper};
use counsel::os::{proc, pty, tie};
use counsel::wire::encode;
use keeper_bench::{Agent, DEADLINE, exe, spec, wait_gone};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

fn pid(pid: u32) -> Pid {
    Pid::from_raw(i32::try_from(pid).unwrap())
}

/// The numbers a script printed as `name=number;`.
fn numbers(seen: &str, names: &[&str]) -> Vec<u32> {
    let number = |name: &&str| {
        let rest = seen.split(&format!("{name}=")).nth(1).unwrap_or_else(|| panic!("no {name} in {seen:?}"));
        rest.split(';').next().unwrap().parse().unwrap()
    };
    names.iter().map(number).collect()
}

fn stopped(pid: u32) -> bool {
    proc::look(pid).unwrap_or_else(|| panic!("process {pid} is gone")).is_stopped()
}

#[test]
fn the_agent_finds_a_terminal_of_the_right_size() {
    let mut agent =
        Agent::start("stty size; test -t 0 && test -t 1 && test -t 2 && echo all; cat </dev/tty; exit");
    let seen = agent.until("all\r\n");
    assert!(seen.starts_with("33 91\r\n"), "{seen:?}");
    agent.type_in("to the controlling one\n");
    agent.until_times("to the controlling one", 2);
    agent.leave();
}

#[test]
fn nothing_but_the_terminal_is_open_in_the_agent() {
    // Not closed on exec: what a careless starter of the server would leave open.
    let leak = nix::unistd::pipe().unwrap();
    let mut agent = Agent::start("exec cat");
    agent.type_in("x\n");
    agent.until_times("x\r\n", 2);
    let mut open: Vec<_> = std::fs::read_dir(format!("/proc/{}/fd", agent.ready.agent_pid))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .map(|path| (path.file_name().unwrap().to_owned(), std::fs::read_link(path).unwrap()))
        .collect();
    open.sort();
    let names: Vec<_> = open.iter().map(|(name, _)| name.to_str().unwrap()).collect();
    assert_eq!(names, ["0", "1", "2"], "{open:?}");
    assert!(open.iter().all(|(_, to)| to.starts_with("/dev/pts/")), "{open:?}");
    drop(leak);
    agent.leave();
}

#[test]
fn ctrl_c_is_for_the_agent_alone() {
    let script = "trap 'echo got-int; exit 7' INT; trap 'echo got-usr' USR1; echo ready
        while :; do sleep 1000 & wait; done";
    let mut agent = Agent::start(script);
    agent.until("ready");
    kill(pid(agent.ready.keeper_pid), Signal::SIGINT).unwrap();
    // Handled after the other signal, so that it would have shown by then.
    agent.tell(&ToKeeper::Signal { signal: "USR1".into() });
    assert!(!agent.until("got-usr").contains("got-int"));
    agent.type_in("\x03");
    agent.until("got-int");
    assert_eq!(agent.exit(), Exit { code: Some(7), signal: None });
    agent.leave();
}

#[test]
fn signals_are_default_and_unblocked_in_the_agent() {
    let mut agent = Agent::start("exec cat");
    agent.type_in("x\n");
    // Once from the terminal's echo, once from cat: the shell is gone by then.
    agent.until_times("x\r\n", 2);
    let status = std::fs::read_to_string(format!("/proc/{}/status", agent.ready.agent_pid)).unwrap();
    // 32 and 33 belong to the C library, which lets nobody set them.
    let reserved = 0b11 << 31;
    for name in ["SigBlk:", "SigIgn:", "SigCgt:"] {
        let mask = status.lines().find_map(|line| line.strip_prefix(name)).unwrap().trim();
        assert_eq!(u64::from_str_radix(mask, 16).unwrap() & !reserved, 0, "{name} {mask}");
    }
    agent.leave();
}

#[test]
fn a_resize_reaches_the_agent() {
    let mut agent = Agent::start("trap 'stty size' WINCH; echo ready; while :; do sleep 1000 & wait; done");
    agent.until("ready");
    pty::resize(&agent.link.master, Size::new(77, 22)).unwrap();
    agent.until("22 77");
    assert_eq!(pty::size_of(&agent.link.master).unwrap(), Size::new(77, 22));
    agent.leave();
}

#[test]
fn exit_codes_and_signals_are_kept() {
    let cases = [
        ("echo last words; exit 42", Exit { code: Some(42), signal: None }, 42),
        ("echo last words; kill -9 $$", Exit { code: None, signal: Some(9) }, 137),
        ("echo last words; kill -40 $$", Exit { code: None, signal: Some(40) }, 168),
    ];
    for (script, exit, shell) in cases {
        let mut agent = Agent::start(script);
        let told = match agent.link.hello.run {
            Run::Exited(exit) => exit,
            Run::Running | Run::Stopped | Run::Paused => agent.exit(),
        };
        assert_eq!((told, told.shell_code()), (exit, shell), "{script}");
        agent.until("last words\r\n");
        agent.leave();
    }
}

/// One of each kind of descendant; each says its number itself, once it is what it is to be.
const FAMILY: &str = r#"
    export TERMINAL=$(tty)
    sh -c 'echo "plain=$$;"; exec sleep 1000' &
    setsid sh -c 'echo "setsid=$$;"; exec sleep 1000' &
    sh -c 'trap "" TSTP TERM HUP; echo "deaf=$$;"; while :; do sleep 1000; done' &
    nohup sh -c 'echo "nohup=$$;" >$TERMINAL; exec sleep 1000' >/dev/null 2>&1 &
    (setsid sh -c 'sh -c "echo \"daemon=\$\$;\" >$TERMINAL; exec sleep 1000" & exit' >/dev/null 2>&1)
    echo "self=$$;"
    wait; wait; sleep 1000"#;
const MEMBERS: [&str; 6] = ["plain", "setsid", "deaf", "nohup", "daemon", "self"];

fn start_family() -> (Agent, Vec<u32>) {
    let mut agent = Agent::start(FAMILY);
    for name in MEMBERS {
        agent.until(&format!("{name}="));
    }
    // Each prints its number and then the semicolon in one write.
    let family = numbers(&agent.seen(), &MEMBERS);
    (agent, family)
}

#[test]
fn a_pause_stops_everything_and_a_resume_continues_it() {
    let (mut agent, family) = start_family();
    agent.tell(&ToKeeper::Pause);
    let Some(FromKeeper::Paused { forced, running }) = agent.event() else { panic!("no pause") };
    assert_eq!(running, Vec::<u32>::new());
    for (name, pid) in MEMBERS.iter().zip(&family) {
        assert!(stopped(*pid), "{name} runs on");
    }
    // In a process group of its own without a parent to watch it, the kernel discards the polite stop.
    for name in ["setsid", "deaf", "daemon"] {
        let pid = family[MEMBERS.iter().position(|m| *m == name).unwrap()];
        assert!(forced.contains(&pid), "{name} ({pid}) stopped by itself: {forced:?}");
    }
    assert!(!forced.contains(&agent.ready.agent_pid), "the agent itself stops when asked");
    assert!(proc::tree_resident_kib(agent.ready.keeper_pid) > 0);
    agent.tell(&ToKeeper::Resume);
    assert_eq!(agent.event(), Some(FromKeeper::Continued));
    for (name, pid) in MEMBERS.iter().zip(&family) {
        assert!(!stopped(*pid), "{name} still stands");
    }
    agent.leave();
}

#[test]
fn ctrl_z_is_told_and_undone() {
    let mut agent = Agent::start("echo ready; exec cat");
    agent.until("ready");
    agent.type_in("\x1a");
    assert_eq!(agent.event(), Some(FromKeeper::Stopped));
    assert!(stopped(agent.ready.agent_pid));
    agent.tell(&ToKeeper::Resume);
    assert_eq!(agent.event(), Some(FromKeeper::Continued));
    agent.type_in("awake\n");
    agent.until_times("awake", 2);
    // Somebody else's signals are told as well.
    for (signal, event) in [(Signal::SIGSTOP, FromKeeper::Stopped), (Signal::SIGCONT, FromKeeper::Continued)]
    {
        kill(pid(agent.ready.agent_pid), signal).unwrap();
        assert_eq!(agent.event(), Some(event));
    }
    agent.leave();
}

/// One in the agent's own group was woken by the signal that all of the group gets.
#[test]
fn what_stood_before_a_pause_stands_after_it() {
    for job in
        ["setsid sh -c 'echo \"job=$$;\"; exec sleep 1000'", "sh -c 'echo \"job=$$;\"; exec sleep 1000'"]
    {
        let mut agent = Agent::start(&format!("{job} & exec cat"));
        agent.until("job=");
        agent.until(";");
        let job = numbers(&agent.seen(), &["job"])[0];
        kill(pid(job), Signal::SIGSTOP).unwrap();
        // The kernel stops it a moment later, and tells only its parent.
        let until = Instant::now() + DEADLINE;
        while !stopped(job) {
            assert!(Instant::now() < until, "SIGSTOP did not stop it");
            std::thread::yield_now();
        }
        for _ in 0..2 {
            // The second one finds a paused tree and must not take that for how it was.
            agent.tell(&ToKeeper::Pause);
            assert!(matches!(agent.event(), Some(FromKeeper::Paused { .. })));
        }
        agent.tell(&ToKeeper::Resume);
        assert_eq!(agent.event(), Some(FromKeeper::Continued));
        assert!(!stopped(agent.ready.agent_pid) && stopped(job));
        agent.leave();
    }
}

#[test]
fn a_shell_with_job_control_keeps_its_job_in_front() {
    let folder = tempfile::tempdir().unwrap();
    let spec = spec(folder.path(), &["bash", "--norc", "--noprofile", "-i"]);
    let mut agent = Agent::start_with(folder, &spec);
    agent.type_in("echo rea''dy; cat\n");
    agent.until("ready\r\n");
    agent.type_in("one\n");
    agent.until_times("one\r\n", 2);
    agent.tell(&ToKeeper::Pause);
    assert!(matches!(agent.event(), Some(FromKeeper::Paused { .. })));
    agent.tell(&ToKeeper::Resume);
    assert_eq!(agent.event(), Some(FromKeeper::Continued));
    agent.type_in("two\n");
    let seen = agent.until_times("two\r\n", 2);
    assert!(!seen.contains("Stopped"), "the shell saw its job stop: {seen:?}");
    agent.leave();
}

#[test]
fn a_stop_leaves_nothing() {
    let (mut agent, family) = start_family();
    agent.tell(&ToKeeper::Stop { grace_ms: 300 });
    assert_eq!(agent.exit(), Exit { code: None, signal: Some(15) });
    let Some(FromKeeper::Swept { killed, left, .. }) = agent.event() else { panic!("no sweep") };
    assert_eq!(left, Vec::<u32>::new());
    assert!(killed.contains(&family[2]), "the deaf one needed KILL: {killed:?}");
    assert!(!killed.contains(&family[0]), "the plain one had its grace: {killed:?}");
    for (name, pid) in MEMBERS.iter().zip(&family) {
        assert_eq!(proc::look(*pid), None, "{name} is still there");
    }
    agent.leave();
}

/// A program that ignored TERM to finish a write was sent HUP as well, which a shell saves its history on and
/// everything else dies of: it was gone in an instant, its grace unused.
#[test]
fn who_ignores_the_request_to_end_has_the_whole_grace() {
    let mut agent = Agent::start(
        "(trap 'echo told; exit' TERM; echo ready; while :; do sleep 1000 & wait; done) &
        trap '' TERM; echo ready; read line; echo written >out",
    );
    agent.until_times("ready", 2);
    agent.tell(&ToKeeper::Stop { grace_ms: 60_000 });
    // Parents are told before their children.
    agent.until("told");
    agent.type_in("go on\n");
    assert_eq!(agent.exit(), Exit { code: Some(0), signal: None });
    let written = std::fs::read_to_string(agent.folder.path().join("out"));
    assert_eq!(written.ok().as_deref(), Some("written\n"));
    agent.leave();
}

/// An interactive shell ignores TERM, and would be killed without its history if it got no HUP.
#[test]
fn who_ignores_the_request_to_end_and_catches_a_hangup_is_sent_one() {
    let script = "trap '' TERM; trap 'exit 3' HUP; echo ready; while :; do sleep 1000 & wait; done";
    let mut agent = Agent::start(script);
    agent.until("ready");
    agent.tell(&ToKeeper::Stop { grace_ms: 60_000 });
    assert_eq!(agent.exit(), Exit { code: Some(3), signal: None });
    agent.leave();
}

#[test]
fn a_paused_tree_can_be_stopped() {
    let (mut agent, family) = start_family();
    agent.tell(&ToKeeper::Pause);
    assert!(matches!(agent.event(), Some(FromKeeper::Paused { .. })));
    agent.tell(&ToKeeper::Stop { grace_ms: 300 });
    assert_eq!(agent.exit(), Exit { code: None, signal: Some(15) });
    agent.leave();
    assert!(family.iter().all(|pid| proc::look(*pid).is_none()));
}

#[test]
fn a_keeper_that_is_told_to_end_takes_all_along() {
    for signal in [Signal::SIGTERM, Signal::SIGHUP] {
        let (mut agent, family) = start_family();
        kill(pid(agent.ready.keeper_pid), signal).unwrap();
        while agent.event().is_some() {}
        wait_gone(agent.ready.keeper_pid);
        assert!(family.iter().all(|pid| proc::look(*pid).is_none()), "after {signal}");
        assert!(!agent.socket.exists());
    }
}

#[test]
fn a_killed_keeper_leaves_no_agent_stopped() {
    let mut agent = Agent::start("echo ready; exec cat");
    agent.until("ready");
    agent.tell(&ToKeeper::Pause);
    assert!(matches!(agent.event(), Some(FromKeeper::Paused { .. })));
    kill(pid(agent.ready.keeper_pid), Signal::SIGKILL).unwrap();
    wait_gone(agent.ready.agent_pid);
    assert_eq!(keeper_link::list(agent.folder.path()), Vec::<std::path::PathBuf>::new());
    assert!(!agent.socket.exists(), "what a dead keeper left is removed");
}

#[test]
fn every_byte_reaches_exactly_one_server() {
    const LINES: usize = 30_000;
    // A thousand lines for each word from a server: no fewer than thirty take part.
    let script = format!(
        "stty -echo; echo ready; i=0; while [ $i -lt {LINES} ]; do echo \"$i\"; i=$((i+1))
         [ $((i % 1000)) = 0 ] && read x; done; echo end; read x"
    );
    let mut agent = Agent::start(&script);
    agent.until("ready");
    let mut changes = 0;
    while !agent.seen().ends_with("end\r\n") {
        // A little of the terminal, then gone: sometimes in the middle of the greeting.
        for _ in 0..changes % 7 {
            agent.read_some();
        }
        if changes % 3 == 0 {
            agent.hang_up();
            let mut half = UnixStream::connect(&agent.socket).unwrap();
            half.read_exact(&mut [0; 10]).unwrap();
        }
        agent.reconnect();
        agent.type_in("\n");
        assert_eq!(agent.link.hello.dropped, 0);
        changes += 1;
    }
    let lines: String = (0..LINES).map(|i| format!("{i}\r\n")).collect();
    assert!(
        agent.seen() == format!("ready\r\n{lines}end\r\n"),
        "after {changes} servers something is lost or double"
    );
    assert!(changes >= LINES / 1000, "only {changes} servers took part");
    agent.leave();
}

#[test]
fn an_agent_without_a_server_is_never_blocked_and_its_newest_output_stays() {
    let folder = tempfile::tempdir().unwrap();
    let mut spec =
        spec(folder.path(), &["sh", "-c", "head -c 3000000 /dev/zero | tr '\\0' x; echo end; exit 3"]);
    spec.ring_bytes = 100_000;
    let manifest = serde_json::json!({"policy": 1});
    keeper_link::spawn_keeper(exe(), &spec, &manifest).unwrap();
    assert_eq!(keeper_link::ask(&spec.socket).unwrap().manifest, manifest, "it is the keeper's to tell");
    assert!(!keeper_link::manifest_path(&spec.socket).exists(), "and lies nowhere else");
    // The end is an event only for a server: come, look, go, until the agent has ended.
    let until = Instant::now() + DEADLINE;
    let (mut all, mut tail) = (0, Vec::new());
    let exit = loop {
        let mut link = keeper_link::connect(&spec.socket).unwrap();
        assert!(link.ring.len() <= 100_000);
        all += link.ring.len() as u64 + link.hello.dropped;
        tail.extend_from_slice(&link.ring);
        if let Run::Exited(exit) = link.hello.run {
            link.stream.write_all(&encode(&ToKeeper::Leave)).unwrap();
            link.stream.read_to_end(&mut Vec::new()).unwrap();
            break exit;
        }
        assert!(Instant::now() < until, "the agent has not ended");
    };
    assert_eq!(exit, Exit { code: Some(3), signal: None });
    assert!(tail.ends_with(b"xend\r\n"), "{} bytes", tail.len());
    assert_eq!(all, 3_000_000 + 5);
    assert!(!spec.socket.exists() && !keeper_link::manifest_path(&spec.socket).exists());
}

/// An agent gave another one's socket a second name: whoever looked for keepers waited there, found none, and was told to end a
/// process that was the other's healthy keeper.
#[test]
fn a_second_name_of_a_keepers_socket_is_no_keeper() {
    let mut agent = Agent::start("echo ready; exec cat");
    let second = keeper_link::socket_of(agent.folder.path(), "second");
    std::fs::hard_link(&agent.socket, &second).unwrap();
    assert_eq!(keeper_link::list(agent.folder.path()), [agent.socket.clone()]);
    assert!(!second.exists() && agent.socket.exists());
    agent.leave();
}

/// `counsel exec -- cat FILE` printed nothing, or lacked the beginning: the server had got no processor for a moment when it had it
/// started, and the program was through with more than the ring holds.
#[test]
fn a_program_that_has_just_been_started_waits_for_its_server_to_read() {
    let folder = tempfile::tempdir().unwrap();
    let printed = folder.path().join("printed");
    let script = "head -c 200000 /dev/zero | tr '\\0' x; : > \"$0\"; echo end; read x";
    let mut spec = spec(folder.path(), &["sh", "-c", script, printed.to_str().unwrap()]);
    spec.ring_bytes = 1_000;
    let ready = keeper_link::spawn_keeper(exe(), &spec, &serde_json::json!({})).unwrap();
    // Where it was read at once, it was through within milliseconds. That it waits shows by nothing but the time.
    let until = Instant::now() + Duration::from_millis(500);
    while Instant::now() < until {
        assert!(!printed.exists(), "nobody has read it");
        std::thread::sleep(Duration::from_millis(5));
    }
    let mut agent = Agent::taken(folder, &spec, ready);
    assert_eq!(agent.link.hello.dropped, 0);
    agent.until("end");
    assert_eq!(agent.seen().matches('x').count(), 200_000);
    agent.leave();
}

#[test]
fn a_pause_outlives_the_server_that_ordered_it() {
    let mut agent = Agent::start("echo ready; exec cat");
    agent.until("ready");
    agent.tell(&ToKeeper::Pause);
    assert!(matches!(agent.event(), Some(FromKeeper::Paused { .. })));
    agent.reconnect();
    assert_eq!((agent.link.hello.run, agent.link.hello.size), (Run::Paused, Size::new(91, 33)));
    assert_eq!(keeper_link::list(agent.folder.path()), [agent.socket.clone()]);
    agent.tell(&ToKeeper::Resume);
    assert_eq!(agent.event(), Some(FromKeeper::Continued));
    agent.leave();
}

#[test]
fn what_cannot_be_started_is_told_precisely() {
    let folder = tempfile::tempdir().unwrap();
    let plain = folder.path().join("plain.txt");
    std::fs::write(&plain, "exit 5").unwrap();
    let broken = folder.path().join("broken");
    std::fs::write(&broken, "#!/no/such/interpreter\n").unwrap();
    std::fs::set_permissions(&broken, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let here = folder.path().display().to_string();
    let cases: [(&[&str], &str, &str); 6] = [
        (&["no-such-program"], &here, "no program 'no-such-program' in PATH"),
        (&["./absent"], &here, "absent: No such file"),
        (&["./plain.txt"], &here, "not an executable file"),
        (&["./broken"], &here, "broken: its interpreter /no/such/interpreter is missing"),
        (&["cat"], "/no/such/folder", "/no/such/folder"),
        (&[], &here, "no program is named"),
    ];
    for (argv, cwd, want) in cases {
        let mut spec = spec(folder.path(), argv);
        spec.cwd = cwd.to_string();
        let error = keeper_link::spawn_keeper(exe(), &spec, &serde_json::Value::Null).unwrap_err();
        assert!(error.contains(want), "{argv:?}: {error}");
        assert!(!spec.socket.exists() && !keeper_link::manifest_path(&spec.socket).exists());
    }
}

#[test]
fn a_script_without_an_interpreter_line_runs_in_the_shell() {
    let folder = tempfile::tempdir().unwrap();
    let script = folder.path().join("script");
    std::fs::write(&script, "echo \"$0 $1\"; exit 6\n").unwrap();
    std::fs::set_permissions(&script, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let mut spec = spec(folder.path(), &["script", "word"]);
    spec.env.insert("PATH".to_string(), folder.path().display().to_string());
    let mut agent = Agent::start_with(folder, &spec);
    agent.until("script word\r\n");
    agent.leave();
}

#[test]
fn one_name_is_one_agent() {
    let mut agent = Agent::start("echo ready; exec cat");
    let spec = spec(agent.folder.path(), &["cat"]);
    let error = keeper_link::spawn_keeper(exe(), &spec, &serde_json::Value::Null).unwrap_err();
    assert!(error.contains("still runs"), "{error}");
    agent.until("ready");
    agent.leave();
    keeper_link::spawn_keeper(exe(), &spec, &serde_json::Value::Null).unwrap();
    let link = keeper_link::connect(&spec.socket).unwrap();
    kill(pid(link.hello.keeper_pid), Signal::SIGTERM).unwrap();
    wait_gone(link.hello.keeper_pid);
}

/// The program as a script that starts it with little patience.
fn impatient(folder: &std::path::Path, seconds: &str) -> std::path::PathBuf {
    let path = folder.join("impatient");
    std::fs::write(&path, format!("#!/bin/sh\nexec {} keep {seconds}\n", exe().display())).unwrap();
    std::fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    path
}

#[test]
fn a_paused_agent_goes_on_when_no_server_returns() {
    let folder = tempfile::tempdir().unwrap();
    let spec = spec(folder.path(), &["sh", "-c", "echo ready; read x; echo \"got $x\"; read x"]);
    let mut agent = Agent::start_by(&impatient(folder.path(), "0.2"), folder, &spec);
    agent.until("ready");
    agent.tell(&ToKeeper::Pause);
    assert!(matches!(agent.event(), Some(FromKeeper::Paused { .. })));
    agent.type_in("something\n");
    assert!(stopped(agent.ready.agent_pid));
    // Nobody is on the line; the terminal, still open here, shows the agent come alive.
    agent.hang_up();
    let until = Instant::now() + DEADLINE;
    while stopped(agent.ready.agent_pid) {
        assert!(Instant::now() < until, "it stands still for ever");
        std::thread::yield_now();
    }
    agent.reconnect();
    assert_eq!(agent.link.hello.run, Run::Running);
    agent.until("got something");
    agent.leave();
}

#[test]
fn the_news_of_an_end_is_not_kept_for_ever() {
    let folder = tempfile::tempdir().unwrap();
    let mut spec = spec(folder.path(), &["sh", "-c", "nohup sleep 1000 >/dev/null 2>&1 & exit 3"]);
    spec.name = "b".to_string();
    let exe = impatient(folder.path(), "0.2");
    let ready = keeper_link::spawn_keeper(&exe, &spec, &serde_json::Value::Null).unwrap();
    wait_gone(ready.keeper_pid);
    assert_eq!(proc::look(ready.agent_pid), None);
    assert!(!spec.socket.exists() && !keeper_link::manifest_path(&spec.socket).exists());
}

#[test]
fn an_agent_nobody_can_find_is_found_again_or_ended() {
    let folder = tempfile::tempdir().unwrap();
    let inner = folder.path().join("sockets");
    std::fs::create_dir(&inner).unwrap();
    let mut spec = spec(folder.path(), &["cat"]);
    spec.socket = keeper_link::socket_of(&inner, "a");
    let exe = impatient(folder.path(), "0.2");
    let ready = keeper_link::spawn_keeper(&exe, &spec, &serde_json::Value::Null).unwrap();
    let comes_back = || {
        let until = Instant::now() + DEADLINE;
        while UnixStream::connect(&spec.socket).is_err() {
            assert!(Instant::now() < until, "the keeper did not come back");
            std::thread::yield_now();
        }
    };
    std::fs::remove_file(&spec.socket).unwrap();
    comes_back();
    // With its folder it was ended.
    std::fs::remove_dir_all(&inner).unwrap();
    comes_back();
    std::fs::remove_dir_all(&inner).unwrap();
    std::fs::write(&inner, "in the way").unwrap();
    wait_gone(ready.keeper_pid);
    assert_eq!(proc::look(ready.agent_pid), None);
}

#[test]
fn a_caller_that_does_not_take_over_is_dropped() {
    let mut agent = Agent::start("echo ready; read x; echo \"got $x\"; read x");
    agent.until("ready");
    agent.hang_up();
    let mut idle = UnixStream::connect(&agent.socket).unwrap();
    idle.set_read_timeout(Some(DEADLINE)).unwrap();
    // It gets its greeting, then the end of the line.
    idle.read_to_end(&mut Vec::new()).unwrap();
    agent.reconnect();
    agent.type_in("it\n");
    agent.until("got it");
    agent.leave();
}

#[test]
fn what_an_agent_leaves_running_goes_when_it_is_let_go() {
    let mut agent = Agent::start("setsid sh -c 'echo \"job=$$;\"; exec sleep 1000' & read x; exit 4");
    agent.until("job=");
    agent.until(";");
    let job = numbers(&agent.seen(), &["job"])[0];
    agent.type_in("\n");
    assert_eq!(agent.exit(), Exit { code: Some(4), signal: None });
    assert!(proc::look(job).is_some(), "until then it may go on");
    agent.tell(&ToKeeper::Leave);
    assert_eq!(agent.event(), Some(FromKeeper::Swept { killed: vec![], left: vec![], kept: vec![] }));
    assert_eq!(agent.event(), None);
    assert_eq!(proc::look(job), None);
}

/// Lines of processes that ignore TERM and each replace themselves by a new one for ever, with so many seconds in
/// between. Without their file none begins anew: a test that fails leaves nothing behind. A TERM that comes before one ignores it
/// would end it.
struct Hydra(std::path::PathBuf);

impl Hydra {
    fn start(lines: u32, pause: &str) -> (Hydra, Agent) {
        let mut agent = Agent::start(&format!(
            r#"
            printf '%s\n' 'trap "" TERM HUP' ': >"$0.ignores"' 'setsid sh "$0" &' 'sleep {pause}' >hydra
            for i in $(seq {lines}); do setsid sh "$PWD/hydra" & done
            until [ -e hydra.ignores ]; do sleep 0.01; done
            echo "$PWD;"; read x"#
        ));
        agent.until(";");
        let seen = agent.seen();
        let folder = seen.split(';').next().and_then(|folder| folder.lines().last()).unwrap();
        (Hydra(std::path::Path::new(folder).join("hydra")), agent)
    }
}

impl Drop for Hydra {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

#[test]
fn a_tree_that_grows_while_it_is_cut_is_cut_to_the_end() {
    for (lines, pause) in [(10, "0.01"), (4, "0")] {
        let (hydra, mut agent) = Hydra::start(lines, pause);
        agent.tell(&ToKeeper::Stop { grace_ms: 100 });
        agent.exit();
        let Some(FromKeeper::Swept { killed, left, .. }) = agent.event() else { panic!("no sweep") };
        assert_eq!(left, Vec::<u32>::new(), "{lines} lines: {} were killed", killed.len());
        assert!(!killed.is_empty());
        agent.leave();
        // Whoever was left would say so here for ever.
        let lives = |pid: &u32| proc::arguments(*pid).iter().any(|word| *word == *hydra.0.to_string_lossy());
        let left: Vec<u32> = proc::table().iter().map(|process| process.pid).filter(lives).collect();
        assert_eq!(left, Vec::<u32>::new());
    }
}

/// An agent that a shell with umask 077 started had that of the server: whoever had started it first.
#[test]
fn an_agent_has_the_umask_of_whoever_started_it() {
    for (umask, told) in [(Some(0o027), "0027"), (Some(0o077), "0077")] {
        let folder = tempfile::tempdir().unwrap();
        let spec = KeeperSpec { umask, ..spec(folder.path(), &["sh", "-c", "umask; exec cat"]) };
        let mut agent = Agent::start_with(folder, &spec);
        agent.until(told);
    }
}

/// The program of an `exec` went on where the server and whoever had it run were killed together.
#[test]
fn an_agent_ends_with_whoever_had_it_run_though_no_server_is_there() {
    let start = |script: &str| {
        let mut caller = std::process::Command::new("sleep").arg("1000").spawn().unwrap();
        let own = tie::to_this().unwrap();
        let started = proc::look(caller.id()).unwrap().started;
        let folder = tempfile::tempdir().unwrap();
        let tied = Some(Tie { pid: caller.id(), started, ..own });
        let spec = KeeperSpec { tied, ..spec(folder.path(), &["sh", "-c", script]) };
        let mut agent = Agent::start_with(folder, &spec);
        agent.until("up");
        let mut end = move || {
            caller.kill().unwrap();
            caller.wait().unwrap();
        };
        (agent, move || end())
    };
    let gone = |pid: u32| {
        let until = Instant::now() + DEADLINE;
        while proc::look(pid).is_some_and(|process| !process.is_dead()) {
            assert!(Instant::now() < until, "it runs on");
            std::thread::yield_now();
        }
    };
    let told = Some(FromKeeper::Signalled { sent: true });
    let (mut agent, mut caller_ends) = start("echo up; exec sleep 1000");
    let pid = agent.ready.agent_pid;
    caller_ends();
    agent.tell(&ToKeeper::Signal { signal: "WINCH".into() });
    assert_eq!(agent.event(), told, "while a server is there it is the server's to end");
    agent.hang_up();
    gone(pid);

    // Not at all, once its name has been told.
    let (mut agent, mut caller_ends) = start("echo up; exec cat");
    agent.tell(&ToKeeper::Untie);
    agent.tell(&ToKeeper::Signal { signal: "WINCH".into() });
    assert_eq!(agent.event(), told, "what came before it is done");
    caller_ends();
    agent.reconnect();
    agent.type_in("on\n");
    agent.until_times("on\r\n", 2);
    agent.leave();
}

#[test]
fn only_named_signals_are_sent() {
    let mut agent = Agent::start("trap 'echo got-hup' HUP; echo ready; while :; do sleep 1000 & wait; done");
    agent.until("ready");
    for signal in ["SEGV", "STOP", "9", "", "HUP"] {
        agent.tell(&ToKeeper::Signal { signal: signal.into() });
    }
    agent.until("got-hup");
    // Whoever wants one is told when it has been sent.
    for sent in [false, false, false, false, true] {
        assert_eq!(agent.event(), Some(FromKeeper::Signalled { sent }));
    }
    agent.tell(&ToKeeper::Signal { signal: "TSTP".into() });
    assert_eq!(agent.event(), Some(FromKeeper::Signalled { sent: true }));
    assert_eq!(agent.event(), Some(FromKeeper::Stopped));
    agent.tell(&ToKeeper::Signal { signal: "CONT".into() });
    assert_eq!(agent.event(), Some(FromKeeper::Continued));
    assert_eq!(agent.event(), Some(FromKeeper::Signalled { sent: true }));
    agent.tell(&ToKeeper::Signal { signal: "KILL".into() });
    assert_eq!(agent.event(), Some(FromKeeper::Signalled { sent: true }));
    assert_eq!(agent.exit(), Exit { code: None, signal: Some(9) });
    agent.leave();
}

/// A server of a later version may order what this keeper has no word for, and add to what it has.
#[test]
fn a_keeper_passes_over_what_it_does_not_know() {
    let mut agent = Agent::start("echo ready; exec cat");
    agent.until("ready");
    let mut order = |order: serde_json::Value| agent.link.stream.write_all(&encode(&order)).unwrap();
    order(serde_json::json!({ "hibernate": { "to": "disk" } }));
    order(serde_json::json!("dream"));
    order(serde_json::json!({ "signal": { "signal": "TSTP", "why": "of a later version" } }));
    assert_eq!(agent.event(), Some(FromKeeper::Signalled { sent: true }));
    assert_eq!(agent.event(), Some(FromKeeper::Stopped));
    agent.tell(&ToKeeper::Resume);
    assert_eq!(agent.event(), Some(FromKeeper::Continued));
    agent.leave();
}
