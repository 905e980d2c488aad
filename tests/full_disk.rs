//! A disk without room: what cannot be written down is not answered automatically, and is again once there is room.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]
#![cfg(target_os = "linux")]

mod world;

use std::time::Instant;

use nix::libc;
use world::{DEADLINE, World};

/// Asks twice, each time after a line from its test, and says what it was answered.
const ASKER: &str = r#"
while read go; do
  printf 'Paint it green? [y/N] '
  read answer
  echo "answered=$answer"
done
"#;

const RULE: &str = "[[rule]]\nprompt = \"Paint it green\"\nthen = \"answer\"\nanswer = \"y\"\n";

/// Has the files of this process grow no further than this.
fn limit_files(pid: i32, bytes: u64) {
    let mut old = libc::rlimit64 { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: the old limits are written into a value of the right type, and the new ones read from one.
    unsafe {
        assert_eq!(libc::prlimit64(pid, libc::RLIMIT_FSIZE, std::ptr::null(), &raw mut old), 0);
        let new = libc::rlimit64 { rlim_cur: bytes, ..old };
        assert_eq!(libc::prlimit64(pid, libc::RLIMIT_FSIZE, &raw const new, std::ptr::null_mut()), 0);
    }
}

fn until_question(world: &World, id: &str, status: &str) -> serde_json::Value {
    let until = Instant::now() + DEADLINE;
    loop {
        let all = world.json(&["questions", "--all", "--json"]);
        if let Some(question) =
            all.iter().find(|question| question["id"] == id && question["status"] == status)
        {
            return question.clone();
        }
        assert!(Instant::now() < until, "{id} never got {status}: {all:?}");
    }
}

#[test]
fn nothing_is_answered_automatically_that_cannot_be_logged() {
    let world = World::new();
    world.write("home/.config/counsel/config.toml", RULE);
    world.ok(&["start", "a", "--", "sh", "-c", ASKER]);
    let server = world.json(&["server", "--json"])[0]["pid"].as_i64().unwrap();
    let server = i32::try_from(server).unwrap();
    world.ok(&["send", "a", "one", "--enter"]);
    until_question(&world, "q1", "answered");
    let length = std::fs::metadata(world.path("state/decisions.jsonl")).unwrap().len();
    // Room for a line or two, and not for what a decision may take.
    limit_files(server, length + 64 * 1024);
    world.ok(&["send", "a", "two", "--enter"]);
    let question = until_question(&world, "q2", "escalated");
    let note = question["note"].as_str().unwrap();
    assert!(note.contains("while the log cannot be written") && note.contains("decisions.jsonl"), "{note}");
    let answers = || world.ok(&["read", "a"]).matches("answered=").count();
    assert_eq!(answers(), 1, "it was answered all the same");
    // No room at all, for the server's own log neither: it goes on, and a person's answer is kept for the log.
    limit_files(server, 0);
    world.ok(&["answer", "q2", "1"]);
    limit_files(server, libc::RLIM_INFINITY);
    world.ok(&["send", "a", "three", "--enter"]);
    until_question(&world, "q3", "answered");
    let until = Instant::now() + DEADLINE;
    while answers() < 3 {
        assert!(Instant::now() < until, "{}", world.ok(&["read", "a"]));
    }
    let entries = world.json(&["log", "--json"]);
    let by: Vec<&str> = entries.iter().map(|entry| entry["by"].as_str().unwrap()).collect();
    assert!(by[0].starts_with("rule") && by[1] == "person" && by[2].starts_with("rule"), "{by:?}");
    assert!(world.ok(&["log", "--verify"]).contains("nothing was changed"));
}

/// A server that was restarted while the disk was full took what had been answered meanwhile with it: the agent's keeper forgot
/// an entry as soon as the disk had refused it.
#[test]
fn what_the_disk_refused_is_in_the_log_under_the_next_server() {
    let world = World::new();
    world.ok(&["start", "a", "--", "sh", "-c", ASKER]);
    let server = world.json(&["server", "--json"])[0]["pid"].as_i64().unwrap();
    world.ok(&["send", "a", "one", "--enter"]);
    until_question(&world, "q1", "escalated");
    limit_files(i32::try_from(server).unwrap(), 0);
    world.ok(&["answer", "q1", "1"]);
    until_question(&world, "q1", "answered");
    assert_eq!(world.json(&["log", "--json"]).len(), 0, "there is no room");
    // The next one is started from here, and has room.
    world.ok(&["server", "restart"]);
    let until = Instant::now() + DEADLINE;
    let entry = loop {
        if let [entry] = &world.json(&["log", "--json"])[..] {
            break entry.clone();
        }
        assert!(Instant::now() < until, "it was forgotten");
    };
    assert_eq!(
        (&entry["id"], &entry["by"], &entry["outcome"]),
        (&"q1".into(), &"person".into(), &"answered".into())
    );
    assert!(world.ok(&["log", "--verify"]).contains("nothing was changed"));
}

/// The newest entry is the one worth changing, and nothing follows it: "nothing was changed", also of a log that was gone.
#[test]
fn the_end_of_the_log_is_held_against_what_its_server_wrote() {
    let world = World::new();
    world.write("home/.config/counsel/config.toml", RULE);
    world.ok(&["start", "a", "--", "sh", "-c", ASKER]);
    for (line, id) in [("one", "q1"), ("two", "q2")] {
        world.ok(&["send", "a", line, "--enter"]);
        until_question(&world, id, "answered");
    }
    let verify = || world.run(&["log", "--verify"]);
    assert_eq!(verify().out.trim(), "2 entries are tied to what stands before; nothing was changed");
    let log = world.path("state/decisions.jsonl");
    let written = std::fs::read_to_string(&log).unwrap();
    let (first, last) = written.trim_end().split_once('\n').unwrap();
    for touched in
        [format!("{first}\n{}\n", last.replace("\"y\"", "\"n\"")), format!("{first}\n"), String::new()]
    {
        assert_ne!(touched, written);
        std::fs::write(&log, touched).unwrap();
        let done = verify();
        assert!(done.code == 1 && done.out.contains("the end is not what the server wrote last"), "{done:?}");
        assert!(!done.out.contains("nothing was changed"), "{done:?}");
        assert!(world.run(&["log", "--verify", "--json"]).out.contains("\"end\":\"differs\""));
    }
    std::fs::remove_file(&log).unwrap();
    assert_eq!(verify().code, 1, "a log that is gone was cut off whole");
    std::fs::write(&log, &written).unwrap();
    assert_eq!(world.json(&["log", "--verify", "--json"])[0]["end"], "holds");
    world.ok(&["down"]);
    let done = verify();
    assert!(done.code == 0 && done.out.contains("no server runs to say what was behind"), "{done:?}");
}

/// A long output whose file could not be written was printed nowhere, and its program's exit code became 1.
#[test]
fn what_no_file_takes_is_printed_and_the_exit_code_stays() {
    let world = World::new();
    world.ok(&["start", "a", "--", "cat"]);
    // Where the folder of such files is to be there is a file: it cannot be written, as on a disk without room.
    world.write("state/output", "");
    let lines = (1..=5000).map(|n| n.to_string()).collect::<Vec<_>>().join("\n");
    let script = "seq 1 5000; exit 7";
    let done = world.run(&["exec", "--json", "--", "sh", "-c", script]);
    let told: serde_json::Value = serde_json::from_str(&done.out).expect("it is printed all the same");
    assert_eq!((done.code, &told["exit_code"], &told["file"]), (7, &7.into(), &serde_json::Value::Null));
    assert_eq!((told["text"].as_str().unwrap().trim_end(), &told["truncated"]), (&*lines, &false.into()));
    assert!(
        done.err.contains("could not write") && done.err.contains("all of it is in the text"),
        "{done:?}"
    );

    world.ok(&["start", "b", "--", "sh", "-c", script]);
    world.ok(&["wait", "b", "--for", "exited", "--timeout", "30"]);
    let done = world.run(&["read", "b", "--json"]);
    let told: serde_json::Value = serde_json::from_str(&done.out).expect("it is printed all the same");
    assert_eq!((done.code, told["text"].as_str().unwrap().trim_end()), (0, &*lines));
}
