//! Life and death seen from outside: what is stopped is gone whole, what is paused never stays so by accident,
//! and neither a crash nor an upgrade of the server costs an agent, a line or a question.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]
#![cfg(target_os = "linux")]

mod desk;

use std::os::unix::fs::PermissionsExt;
use std::time::{Duration, Instant};

use counsel::core::recording::asciicast::Asciicast;
use counsel::core::terminal::grid::Size;
use counsel::os::proc;
use desk::{DEADLINE, Done, World, finish};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

/// The numbers a script printed as `name=number;`.
fn numbers(seen: &str, names: &[&str]) -> Vec<u32> {
    let number = |name: &&str| {
        let rest = seen.split(&format!("{name}=")).nth(1).unwrap_or_else(|| panic!("no {name} in {seen:?}"));
        rest.split(';').next().unwrap().parse().unwrap()
    };
    names.iter().map(number).collect()
}

/// The kernel tells nobody of processes that are not our children.
fn until(what: &str, mut seen: impl FnMut() -> bool) {
    let until = Instant::now() + DEADLINE;
    while !seen() {
        assert!(Instant::now() < until, "{what} did not come");
        std::thread::sleep(Duration::from_millis(20));
    }
}

fn stopped(pid: u32) -> bool {
    proc::look(pid).is_some_and(|process| process.is_stopped())
}

/// A tree of everything that likes to stay behind.
const TREE: &str = r#"trap '' HUP
nohup sleep 1000 >/dev/null 2>&1 & echo "nohup=$!;"
setsid sleep 1001 & 
sh -c 'setsid sh -c "sleep 1002 & echo double=\$!\;; exit" & exit'
sh -c 'trap "" TERM INT HUP; echo deaf=$$\;; while :; do sleep 1; done' &
echo "all=$$;"; wait"#;

/// It was ended first, and then could not be started: for a worktree that somebody had removed, an agent at work was lost.
#[test]
fn an_agent_whose_folder_is_gone_is_not_ended_for_a_restart() {
    let world = World::new();
    let folder = world.path("project");
    std::fs::create_dir(&folder).unwrap();
    world.ok(&["start", "a", "--cwd", folder.to_str().unwrap(), "--", "sh", "-c", "echo up; exec cat"]);
    world.ok(&["start", "b", "--", "sh", "-c", "echo up; exec cat"]);
    world.read_until("a", "up");
    std::fs::remove_dir(&folder).unwrap();
    let pids = || [&world.agent("a")["pid"], &world.agent("b")["pid"]].map(ToString::to_string);
    let before = pids();
    let done = world.run(&["restart", "b", "a"]);
    assert_eq!(done.code, 1, "{done:?}");
    let words = format!("could not restart a: its folder {} is not there", folder.display());
    assert!(done.err.contains(&words) && done.err.contains("'counsel stop a'"), "{done:?}");
    assert_eq!(pids(), before, "both go on as they were");
    std::fs::create_dir(&folder).unwrap();
    world.ok(&["restart", "a"]);
    assert_ne!(pids()[0], before[0]);
}

/// Of many that restarted one agent at once, some were told `"pid": null`: another one's restart had ended what theirs had begun.
#[test]
fn whoever_restarts_an_agent_is_told_which_process_runs() {
    let world = World::new();
    world.script("a", "exec sleep 1000");
    for round in 0..4 {
        // Some come while the life is begun that others have asked for.
        let restart = |at: u64| {
            std::thread::sleep(Duration::from_millis(at / 6 * 20));
            finish(world.command().args(["restart", "a", "--json"]))
        };
        let done: Vec<Done> = std::thread::scope(|scope| {
            let started: Vec<_> = (0..24).map(|at| scope.spawn(move || restart(at))).collect();
            started.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        for done in done {
            let told: serde_json::Value = serde_json::from_str(&done.out).unwrap();
            assert!(done.code == 0 && told["pid"].is_u64(), "round {round}: {done:?}");
        }
    }
}

#[test]
fn stop_leaves_nothing_of_a_tree_that_likes_to_stay() {
    let world = World::new();
    world.script("tree", TREE);
    let seen = world.read_until("tree", "all=")
        + &world.read_until("tree", "deaf=")
        + &world.read_until("tree", "double=");
    let pids = numbers(&seen, &["nohup", "double", "deaf", "all"]);
    let all: Vec<u32> = proc::tree(parent(pids[3])).iter().map(|process| process.pid).collect();
    assert!(all.len() >= 6 && pids.iter().all(|pid| all.contains(pid)), "{all:?} {pids:?}");
    let keeper = parent(pids[3]);
    world.ok(&["stop", "tree", "--grace", "1"]);
    for pid in all.into_iter().chain([keeper]) {
        until("the end", || proc::look(pid).is_none());
    }
    let server = world.server_pid();
    let open = std::fs::read_dir(format!("/proc/{server}/fd")).unwrap().flatten();
    let left: Vec<_> =
        open.filter_map(|fd| std::fs::read_link(fd.path()).ok()).filter(|to| to.ends_with("ptmx")).collect();
    assert!(left.is_empty(), "{left:?}");
}

fn parent(pid: u32) -> u32 {
    proc::look(pid).unwrap().parent
}

#[test]
fn how_an_agent_ended_is_kept_and_policies_start_it_again() {
    let world = World::new();
    world.script("code", "exit 7");
    world.script("signal", "kill -9 $$");
    for (name, code) in [("code", 7), ("signal", 137)] {
        world.ok(&["wait", name, "--for", "exited"]);
        assert_eq!(world.agent(name)["exit_code"], code);
    }
    let config = "[[agent]]\nname = \"on\"\ncommand = [\"sh\", \"-c\", \"echo x >> on; test $(wc -l < on) -ge 3\"]\n\
        restart = \"on-failure\"\n\
        [[agent]]\nname = \"always\"\ncommand = [\"sh\", \"-c\", \"echo x >> always\"]\nrestart = \"always\"\n\
        [[agent]]\nname = \"never\"\ncommand = [\"sh\", \"-c\", \"echo x >> never; exit 1\"]\n";
    std::fs::write(world.path("work/counsel.toml"), config).unwrap();
    world.ok(&["up", "-f", "counsel.toml"]);
    let starts =
        |name: &str| std::fs::read_to_string(world.path("work").join(name)).unwrap_or_default().len() / 2;
    until("three starts", || starts("on") == 3 && starts("always") >= 3);
    until("the end", || world.agent("on")["exit_code"] == 0);
    assert_eq!((starts("on"), starts("never")), (3, 1));
    world.ok(&["stop", "always"]);
    assert!(!world.ok(&["ls"]).contains("always"));
}

#[test]
fn a_flood_left_behind_does_not_hide_the_end() {
    let world = World::new();
    world.script("flood", "yes & echo begun; exit 5");
    world.ok(&["wait", "flood", "--for", "exited", "--timeout", "60"]);
    assert_eq!(world.agent("flood")["exit_code"], 5);
    world.ok(&["stop", "flood"]);
}

/// One that restores its terminal when stopped, one that will not be stopped politely, one that is stopped
/// already and stays so.
const PAUSED: &str = r#"stty -echo
(trap 'echo polite-stop' TSTP; sleep 1000) &
sh -c 'trap "" TSTP; echo deaf=$$\;; while :; do sleep 1; done' &
setsid sleep 1000 &
setsid sh -c 'echo own=$$\;; kill -STOP $$; sleep 1000' &
echo "all=$$;"; while read line; do echo "got $line"; done"#;

#[test]
fn a_paused_tree_stands_still_takes_nothing_and_goes_on() {
    let world = World::new();
    world.script("tree", PAUSED);
    let words = ["all=", "deaf=", "own="];
    let seen: String = words.iter().map(|word| world.read_until("tree", word)).collect();
    let pids = numbers(&seen, &["own", "all", "deaf"]);
    let keeper = parent(pids[1]);
    let tree = || proc::tree(keeper);
    until("its own stop", || stopped(pids[0]));
    world.ok(&["pause", "tree"]);
    assert!(tree().iter().all(|process| process.is_stopped()), "{:?}", tree());
    assert_eq!(world.agent("tree")["state"], "paused");
    until("memory", || world.agent("tree")["memory_kib"].as_u64().is_some_and(|kib| kib > 0));
    assert_eq!(world.run(&["send", "tree", "x", "--enter"]).code, 4);
    // Twice is once.
    world.ok(&["pause", "--all"]);
    world.ok(&["resume", "--all"]);
    assert!(stopped(pids[0]), "what stood still before stays so");
    assert!(!stopped(pids[1]) && !stopped(pids[2]));
    world.ok(&["send", "tree", "x", "--enter"]);
    world.read_until("tree", "got x");
}

/// The kernel begins a blocking read anew when its program goes on: that was taken for another question, which got
/// another number, and the answer that had been given meanwhile was thrown away.
#[test]
fn a_question_is_the_same_one_after_a_pause() {
    let world = World::new();
    world.script("asks", "printf 'Overwrite it? [y/N] '; read answer; echo \"got $answer\"; exec cat");
    let ids = |args: &[&str]| -> Vec<String> {
        let objects = world.ok(args);
        let id = |line| serde_json::from_str::<serde_json::Value>(line).unwrap()["id"].to_string();
        objects.lines().map(id).collect()
    };
    let open = || ids(&["questions", "--json"]);
    until("the question", || !open().is_empty());
    let asked = open();
    for _ in 0..3 {
        world.ok(&["pause", "asks"]);
        assert_eq!(open(), asked);
        world.ok(&["resume", "asks"]);
        // A verdict after it is one that was reached with the program running.
        until("a look", || world.agent("asks")["state"] == "asking");
        assert_eq!(open(), asked);
    }
    world.ok(&["answer", asked[0].trim_matches('"'), "n"]);
    world.read_until("asks", "got n");
    until("its entry", || !ids(&["log", "--json"]).is_empty());
    assert_eq!(ids(&["log", "--json"]), asked, "one entry, and no other question");
}

#[test]
fn nothing_is_left_stopped_when_counsel_goes_away() {
    let world = World::new();
    let start = |name: &str| {
        world.script(name, "echo \"all=$$;\"; exec cat");
        let pid = numbers(&world.read_until(name, "all="), &["all"])[0];
        world.ok(&["pause", name]);
        assert!(stopped(pid));
        pid
    };
    // The keeper is told to end.
    let pid = start("one");
    kill(Pid::from_raw(parent(pid).cast_signed()), Signal::SIGTERM).unwrap();
    until("the end", || proc::look(pid).is_none());
    // The keeper is killed: what it kept ends with its terminal.
    let pid = start("two");
    kill(Pid::from_raw(parent(pid).cast_signed()), Signal::SIGKILL).unwrap();
    until("the end", || !stopped(pid));
    // The server is killed: the next one knows the agent as paused, and lets it go on.
    let pid = start("three");
    kill(world.server_pid(), Signal::SIGKILL).unwrap();
    until("the server's end", || world.agent("three")["state"] == "paused");
    assert!(stopped(pid));
    world.ok(&["resume", "three"]);
    assert!(!stopped(pid));
    // Everything is stopped.
    let pid = start("four");
    world.ok(&["down", "--grace", "1"]);
    until("the end", || proc::look(pid).is_none());
}

#[test]
fn a_program_that_stops_itself_is_shown_as_paused() {
    let world = World::new();
    world.script("self", "echo ready; cat");
    world.read_until("self", "ready");
    world.ok(&["send", "self", "--key", "ctrl-z"]);
    until("paused", || world.agent("self")["state"] == "paused");
    world.ok(&["resume", "self"]);
    world.ok(&["send", "self", "more", "--enter"]);
    world.read_until("self", "more");
}

/// `kill -9` of the server left a second in which `ls` showed no question; then they had other numbers, and whoever
/// answered by the one on their screen could answer another agent.
#[test]
fn a_killed_servers_questions_are_the_next_ones_at_once() {
    let world = World::new();
    let asks = |name: &str, words: &str| {
        world.script(name, &format!("printf '{words} [y/N] '; read answer; echo \"got $answer\"; exec cat"));
        until("a question", || world.agent(name)["state"] == "asking");
    };
    // The first agent asks last: by the order of the agents it would be the first to ask a new server.
    world
        .script("a", "read go; printf 'Use TypeScript? [y/N] '; read answer; echo \"got $answer\"; exec cat");
    asks("b", "Use ESLint?");
    asks("c", "Use Tailwind?");
    world.ok(&["answer", "q1", "n"]);
    world.read_until("b", "got n");
    until("its end", || world.agent("b")["question"].is_null());
    world.ok(&["send", "a", "go", "--enter"]);
    until("a question", || world.agent("a")["state"] == "asking");
    let told = || {
        let line = |line: &str| serde_json::from_str::<serde_json::Value>(line).unwrap();
        let questions: Vec<_> = world.ok(&["questions", "--json"]).lines().map(line).collect();
        let agents: Vec<_> = world.ok(&["ls", "--json"]).lines().map(line).collect();
        let of = |from: &[serde_json::Value], keys: &[&str]| -> Vec<Vec<serde_json::Value>> {
            from.iter().map(|one| keys.iter().map(|key| one[*key].clone()).collect()).collect()
        };
        let mut questions = of(&questions, &["agent", "id", "asked_at"]);
        questions.sort_by_key(|question| question[0].to_string());
        let asking = |agent: &serde_json::Value| agent["name"] != "b";
        let agents: Vec<_> = agents.into_iter().filter(asking).collect();
        (questions, of(&agents, &["name", "state", "since", "question"]))
    };
    let before = told();
    assert_eq!(before.0.len(), 2, "{before:?}");
    for _ in 0..2 {
        kill(world.server_pid(), Signal::SIGKILL).unwrap();
        assert_eq!(told(), before);
    }
    let id = |agent: usize| before.0[agent][1].as_str().unwrap();
    world.ok(&["answer", id(1), "y"]);
    world.read_until("c", "got y");
    assert_eq!(world.agent("a")["state"], "asking");
}

#[test]
fn another_server_takes_over_and_nothing_is_lost() {
    let world = World::with_config("[record]\nauto = true\n");
    let script =
        "i=0; while [ $i -lt 400 ]; do i=$((i+1)); echo line $i.; done; echo Overwrite it? [y/N]; exec cat";
    world.script("lines", script);
    world.script("still", "echo all=$$\\;; exec cat");
    let pid = numbers(&world.read_until("still", "all="), &["all"])[0];
    world.ok(&["pause", "still"]);
    let before = world.read_until("lines", "[y/N]");
    assert_eq!(before.matches("line ").count(), 400, "{before}");
    let old = world.server_pid();
    let mut viewer = world.terminal(Size::new(140, 60), &["attach", "lines"]);
    viewer.until_text("[y/N]");
    let said = world.ok(&["server", "restart"]);
    assert!(said.starts_with("the server runs (pid "), "{said}");
    assert_ne!(world.server_pid(), old);
    assert_eq!((world.agent("still")["state"].as_str(), stopped(pid)), (Some("paused"), true));
    let all = world.ok(&["read", "lines", "--scrollback"]);
    for n in 1..=400 {
        assert!(all.contains(&format!("line {n}.")), "line {n} is lost");
    }
    viewer.types(b"back again\r");
    viewer.until_text("back again");
    world.read_until("lines", "back again");
    // Killed, and once more.
    kill(world.server_pid(), Signal::SIGKILL).unwrap();
    world.ok(&["send", "lines", "and again", "--enter"]);
    world.read_until("lines", "and again");
    // One recording of each server, each of which can be played.
    let folder = world.path("state/recordings");
    assert_eq!(std::fs::metadata(&folder).unwrap().permissions().mode() & 0o777, 0o700);
    let mut casts: Vec<_> = std::fs::read_dir(&folder).unwrap().flatten().map(|entry| entry.path()).collect();
    casts.retain(|path| path.file_name().unwrap().to_str().unwrap().starts_with("lines-"));
    assert_eq!(casts.len(), 3, "{casts:?}");
    for cast in casts {
        assert_eq!(std::fs::metadata(&cast).unwrap().permissions().mode() & 0o777, 0o600);
        until("a whole recording", || Asciicast::parse(&std::fs::read_to_string(&cast).unwrap()).is_ok());
    }
}

#[test]
fn a_recording_holds_what_came_after_it_was_begun() {
    let world = World::new();
    world.script("echo", "echo before; exec cat");
    world.read_until("echo", "before");
    world.ok(&["record", "echo", "echo.cast"]);
    world.ok(&["send", "echo", "recorded", "--enter"]);
    let path = world.path("work/echo.cast");
    until("the recording", || std::fs::read_to_string(&path).unwrap().contains("recorded"));
    assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    let said = world.ok(&["replay", "echo.cast", "--json"]);
    assert!(!said.is_empty());
}

/// A recording ended without a word where the server made way for the next one, or was killed.
#[test]
fn a_recording_goes_on_under_the_next_server() {
    use counsel::core::recording::asciicast::{Asciicast, What};
    let world = World::new();
    world.script("echo", "echo before; exec cat");
    world.read_until("echo", "before");
    world.ok(&["record", "echo", "echo.cast"]);
    let path = world.path("work/echo.cast");
    let holds = |word: &str| until(word, || std::fs::read_to_string(&path).unwrap().contains(word));
    world.ok(&["send", "echo", "first", "--enter"]);
    holds("first");
    world.ok(&["server", "restart"]);
    world.ok(&["send", "echo", "second", "--enter"]);
    holds("second");
    let json = |args: &[&str]| serde_json::from_str::<serde_json::Value>(&world.ok(args)).unwrap();
    let server = json(&["server", "--json"])["pid"].as_i64().unwrap();
    let server = nix::unistd::Pid::from_raw(i32::try_from(server).unwrap());
    nix::sys::signal::kill(server, nix::sys::signal::Signal::SIGKILL).unwrap();
    world.ok(&["send", "echo", "third", "--enter"]);
    holds("third");
    assert_eq!(json(&["ls", "--json"])["recording"], path.to_str().unwrap());
    world.ok(&["record", "echo"]);
    let cast = Asciicast::parse(&std::fs::read_to_string(&path).unwrap()).unwrap();
    assert!(cast.events.windows(2).all(|two| two[0].at_ms <= two[1].at_ms), "time goes on");
    let text: String = cast
        .events
        .iter()
        .filter_map(|event| if let What::Output(text) = &event.what { Some(text.as_str()) } else { None })
        .collect();
    let places: Vec<usize> =
        ["before", "first", "second", "third"].map(|word| text.find(word).unwrap()).into();
    assert!(places.is_sorted(), "{places:?}");
}

#[test]
fn a_server_of_another_version_is_told_of_with_the_mend() {
    use counsel::wire::message::{ClientMessage, Reply, ServerMessage};
    use counsel::wire::{Decoder, encode};
    use std::io::{Read, Write};
    let world = World::new();
    let socket = world.path("run/other.sock");
    let listener = std::os::unix::net::UnixListener::bind(&socket).unwrap();
    std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let (mut decoder, mut buffer) = (Decoder::default(), [0; 4096]);
        loop {
            let n = stream.read(&mut buffer).unwrap();
            decoder.push(&buffer[..n]);
            if let Some(ClientMessage { id, .. }) = decoder.take().unwrap() {
                let reply = Reply::Hello { version: 99, server: "counsel 9.9.9".into(), pid: 1 };
                stream.write_all(&encode(&ServerMessage::Reply { id, reply })).unwrap();
            }
        }
    });
    let done = world.run(&["--socket", socket.to_str().unwrap(), "ls"]);
    assert_eq!(done.code, 1, "{done:?}");
    assert!(done.err.contains("'counsel server restart'"), "{done:?}");
}

#[test]
fn a_smaller_window_costs_no_line() {
    let world = World::new();
    world.ok(&["start", "lines", "--size", "80x24", "--", "sh", "-c", "seq 1 20; echo ready; exec cat"]);
    world.read_until("lines", "ready");
    world.ok(&["resize", "lines", "80x8"]);
    world.ok(&["send", "lines", "goes on", "--enter"]);
    world.read_until("lines", "goes on");
    world.ok(&["resize", "lines", "80x30"]);
    let all = world.ok(&["read", "lines", "--scrollback"]);
    let numbers: Vec<u32> = all.lines().filter_map(|line| line.trim().parse().ok()).collect();
    assert_eq!(numbers, (1..=20).collect::<Vec<_>>());
}

/// A client of a later version, whose requests this server does not all know, gets its replies.
#[test]
fn a_request_nobody_knows_is_refused_and_the_line_stays() {
    use counsel::wire::message::{ClientMessage, Reply, Request, ServerMessage, VERSION};
    use counsel::wire::{Decoder, encode};
    use std::io::{Read, Write};
    let world = World::new();
    world.server_pid();
    let mut stream = std::os::unix::net::UnixStream::connect(world.path("run/counsel.sock")).unwrap();
    stream.set_read_timeout(Some(DEADLINE)).unwrap();
    let hello = Request::Hello { version: VERSION, token: None };
    stream.write_all(&encode(&ClientMessage { id: 1, request: hello })).unwrap();
    let later = serde_json::json!({ "id": 2, "request": { "teleport": { "name": "a" } }, "urgent": true });
    stream.write_all(&encode(&later)).unwrap();
    stream.write_all(&encode(&ClientMessage { id: 3, request: Request::Ping })).unwrap();
    let (mut decoder, mut buffer, mut replies) = (Decoder::default(), [0; 4096], Vec::new());
    while replies.len() < 3 {
        let n = stream.read(&mut buffer).unwrap();
        assert!(n > 0, "dropped after {replies:?}");
        decoder.push(&buffer[..n]);
        while let Some(ServerMessage::Reply { id, reply }) = decoder.take().unwrap() {
            replies.push((id, reply));
        }
    }
    let refused = |reply: &Reply| matches!(reply, Reply::Error { code: 1, message } if message.contains("server restart"));
    assert!(replies[1].0 == 2 && refused(&replies[1].1), "{replies:?}");
    assert_eq!(replies[2], (3, Reply::Done));
}

/// Whether a text was typed that a server was sent as it went was known to nobody: it was, and its sender heard nothing.
#[test]
fn what_a_server_has_not_answered_when_it_goes_it_has_not_typed() {
    use counsel::core::terminal::keys::Input;
    use counsel::wire::message::{ClientMessage, Notice, Request, ServerMessage, VERSION};
    use counsel::wire::{Decoder, encode};
    use std::io::{Read, Write};
    let world = World::new();
    world.script("a", "stty -echo; echo ready; exec cat > typed");
    world.read_until("a", "ready");
    let mut stream = std::os::unix::net::UnixStream::connect(world.path("run/counsel.sock")).unwrap();
    stream.set_read_timeout(Some(DEADLINE)).unwrap();
    let hello = Request::Hello { version: VERSION, token: None };
    stream.write_all(&encode(&ClientMessage { id: 1, request: hello })).unwrap();
    let mut restart = world.command();
    let mut restart =
        restart.args(["server", "restart"]).stdout(std::process::Stdio::null()).spawn().unwrap();
    let (mut decoder, mut buffer, mut told) = (Decoder::default(), [0; 4096], Vec::new());
    while let n @ 1.. = stream.read(&mut buffer).unwrap() {
        decoder.push(&buffer[..n]);
        while let Some(message) = decoder.take::<ServerMessage>().unwrap() {
            told.push(message);
        }
    }
    // It reads on for who hears of its end a moment later.
    let late = Request::Send { name: "a".into(), input: vec![Input::Text("late\r".into())], enter: false };
    stream.write_all(&encode(&ClientMessage { id: 2, request: late })).unwrap();
    drop(stream);
    assert!(restart.wait().unwrap().success());
    world.ok(&["send", "a", "next", "--enter"]);
    until("the next text", || std::fs::read_to_string(world.path("work/typed")).unwrap().ends_with("next\n"));
    assert_eq!(std::fs::read_to_string(world.path("work/typed")).unwrap(), "next\n");
    assert_eq!(told.last(), Some(&ServerMessage::Notice(Notice::TypesNoMore)), "{told:?}");
}

/// Every piece is read where the one before ended; together they are what was printed.
#[test]
fn many_lines_read_in_pieces_are_the_original() {
    let world = World::with_config("[server]\nscrollback_lines = 2000000\n");
    let count: usize =
        std::env::var("COUNSEL_TEST_LINES").ok().and_then(|n| n.parse().ok()).unwrap_or(20_000);
    world.script("lines", &format!("read go; seq 1 {count}; echo the end; exec cat"));
    world.ok(&["send", "lines", "go", "--enter"]);
    let (mut cursor, mut seen) = (0, String::new());
    let until = Instant::now() + DEADLINE + Duration::from_millis(count as u64 / 2);
    while !seen.contains("the end") {
        let args = ["read", "lines", "--json", "--since", &format!("{cursor}"), "--wait", "5000"];
        let done: serde_json::Value = serde_json::from_str(&world.ok(&args)).unwrap();
        match done["file"].as_str() {
            Some(file) => seen.push_str(&std::fs::read_to_string(file).unwrap()),
            None => seen.push_str(done["text"].as_str().unwrap()),
        }
        cursor = done["cursor"].as_u64().unwrap();
        assert!(Instant::now() < until, "only {} bytes came", seen.len());
    }
    let numbers: Vec<usize> = seen.lines().filter_map(|line| line.parse().ok()).collect();
    assert_eq!(numbers.len(), count);
    assert!(numbers.iter().enumerate().all(|(at, n)| at + 1 == *n));
}

/// A parent that ignores SIGCHLD hands that on. Nothing was started then, and the server that was begun so started nothing for
/// anybody else either.
#[test]
fn whoever_ignores_the_end_of_children_has_agents_like_anybody_else() {
    let world = World::new();
    let deaf = |args: &[&str]| {
        let counsel = world.command();
        let mut command = std::process::Command::new("sh");
        command.args(["-c", "trap '' CHLD; exec \"$@\"", "sh"]).arg(counsel.get_program()).args(args);
        command.current_dir(world.path("work")).env_clear();
        command.envs(counsel.get_envs().filter_map(|(name, value)| Some((name, value?))));
        let done = command.output().unwrap();
        (done.status.code(), String::from_utf8_lossy(&done.stdout).into_owned())
    };
    assert_eq!(deaf(&["start", "a", "--", "cat"]).0, Some(0));
    assert_eq!(deaf(&["exec", "--", "sh", "-c", "echo hi; exit 7"]), (Some(7), "hi\n".to_owned()));
    assert_eq!(deaf(&["server", "restart"]).0, Some(0));
    world.ok(&["start", "b", "--", "sh", "-c", "(exit 3); echo code=$?; exec cat"]);
    world.read_until("b", "code=3");
    assert_eq!(world.agent("a")["state"], "starting");
}

/// It said that nobody asked anything, while another agent waited.
#[test]
fn an_agent_is_told_that_the_questions_of_others_are_not_shown_to_it() {
    let world = World::new();
    world.script("asks", "printf 'What is your name? '; read name");
    world.ok(&["wait", "asks", "--for", "asking", "--timeout", "60"]);
    world.script("looks", &format!("{} questions; echo over; exec cat", env!("CARGO_BIN_EXE_counsel")));
    let seen = world.read_until("looks", "over");
    assert!(seen.contains("no open questions of this agent; those of others are not shown"), "{seen:?}");
    assert!(world.ok(&["questions"]).contains("What is your name?"));
}

/// Whoever answered right before a restart was told to try again, though the answer had gone in.
#[test]
fn an_answer_that_went_in_is_told_so_though_its_server_makes_way() {
    let world = World::new();
    world.script("asks", "printf 'Use TypeScript? [y/n] '; read answer; echo got $answer; exec cat");
    world.ok(&["wait", "asks", "--for", "asking", "--timeout", "60"]);
    let asked = || -> serde_json::Value {
        let all = world.ok(&["questions", "--all", "--json"]);
        serde_json::from_str(all.lines().next().expect("it asks")).unwrap()
    };
    let id = asked()["id"].as_str().unwrap().to_owned();
    let mut answer = world.command();
    answer.args(["answer", &id, "y"]).stdout(std::process::Stdio::null());
    let mut answer = answer.stderr(std::process::Stdio::null()).spawn().unwrap();
    until("the answer", || asked()["status"] != "escalated");
    world.ok(&["server", "restart"]);
    assert!(answer.wait().unwrap().success());
    world.read_until("asks", "got y");
}

/// Who came behind the first was told that the agents could not be stopped.
#[test]
fn several_that_stop_everything_at_once_have_all_stopped_it() {
    let world = World::new();
    for _ in 0..3 {
        for name in ["one", "two"] {
            world.ok(&["start", name, "--", "sleep", "600"]);
        }
        let down = || finish(world.command().arg("down"));
        let done: Vec<Done> = std::thread::scope(|scope| {
            let running: Vec<_> = (0..6).map(|_| scope.spawn(down)).collect();
            running.into_iter().map(|one| one.join().unwrap()).collect()
        });
        assert!(done.iter().all(|done| done.code == 0), "{done:?}");
        assert_eq!(world.run(&["ls", "--json"]).out, "");
    }
}
