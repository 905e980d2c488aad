//! What takes long says how far it is, on a terminal and nowhere else, and leaves nothing of that behind.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]
#![cfg(target_os = "linux")]

mod desk;

use std::fmt::Write;

use counsel::core::terminal::grid::Size;
use desk::World;

/// Some thousand screens, each judged: more than the moment that needs no word.
fn long_recording(world: &World) {
    let mut cast = String::from("{\"version\": 2, \"width\": 80, \"height\": 24}\n");
    for event in 0..6_000 {
        let at = f64::from(event) / 5.0;
        writeln!(cast, "[{at:.1}, \"o\", \"Step {event}? [y/N] \\r\\n\"]").unwrap();
    }
    std::fs::write(world.path("work/long.cast"), cast).unwrap();
}

/// It stood still for as long as it took, and nothing said whether it did anything.
#[test]
fn a_replay_says_how_far_it_is() {
    let world = World::new();
    long_recording(&world);
    let mut terminal = world.terminal(Size::new(80, 24), &["replay", "long.cast"]);
    terminal.until_bytes(b"replaying: ");
    terminal.until_bytes(b" of 6000 events");
    assert!(terminal.ends().success());
    assert!(!terminal.text().contains("replaying"), "{}", terminal.text());
    let done = world.run(&["replay", "long.cast", "--at", "1"]);
    assert!(done.code == 0 && done.err.is_empty(), "what a program reads never holds it: {done:?}");
}

/// More decisions than are looked through within the moment that needs no word.
fn long_log(world: &World) {
    let mut log = String::new();
    for number in 0..200_000 {
        let entry = serde_json::json!({
            "id": format!("q{number}"), "agent": "api", "asked_at": 1_795_240_000_000_u64, "settled_at": 1_795_240_001_000_u64,
            "latency_ms": 1_000, "kind": "menu", "prompt": format!("Which of the {number} ways?"), "options": ["one", "two"],
            "by": "person", "rule": "built in", "channel": "keys", "outcome": "answered", "before": "words",
        });
        writeln!(log, "{entry}").unwrap();
    }
    std::fs::write(world.path("state/decisions.jsonl"), log).unwrap();
}

/// Of a long log it said nothing: that it was searched was only told before its first line was read.
#[test]
fn a_search_says_how_far_it_is() {
    let world = World::new();
    long_log(&world);
    let mut terminal = world.terminal(Size::new(80, 24), &["search", "the 199999 ways", "--in", "log"]);
    terminal.until_bytes(b"searching the log: ");
    terminal.until_bytes(b" decisions");
    assert!(terminal.ends().success());
    let text = terminal.text();
    assert!(text.contains("q199999") && !text.contains("searching"), "{text}");
    let done = world.run(&["search", "the 199999 ways", "--in", "log"]);
    assert!(done.code == 0 && done.err.is_empty(), "what a program reads never holds it: {done:?}");
}

/// On a narrow terminal the table had no column left for what was found.
#[test]
fn what_is_found_is_shown_on_a_narrow_terminal_too() {
    let world = World::new();
    world.script("api", "echo a needle in the hay; exec cat");
    world.read_until("api", "needle");
    let mut terminal = world.terminal(Size { cols: 40, rows: 24 }, &["search", "needle"]);
    terminal.until_text("a needle in the hay");
    assert!(terminal.ends().success());
    assert!(terminal.text().contains("counsel attach api"), "{}", terminal.text());
}
