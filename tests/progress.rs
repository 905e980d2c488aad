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
