//! `counsel tmux` in a real tmux: its status line, its popup, its keys.
//!
//! Without tmux each test prints `skipped: …` and passes; with CI=true it fails.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod world;

use world::World;

#[test]
fn the_segment_counts_and_marks_what_needs_a_person() {
    let world = World::new();
    assert_eq!(world.ok(&["tmux", "status"]), "", "no server: nothing");
    assert!(std::fs::read_dir(world.path("run")).unwrap().next().is_none(), "and none is started");
    world.ok(&["start", "still", "--", "cat"]);
    world.ok(&["pause", "still"]);
    let ask = "printf 'Overwrite the file? [y/N] '; read answer; sleep 600";
    world.ok(&["start", "asker", "--", "sh", "-c", ask]);
    world.ok(&["wait", "asker", "--for", "asking", "--timeout", "60"]);
    assert_eq!(world.ok(&["tmux", "status", "--plain"]), "!1 for you 1 asking 1 paused\n");
    let colored = world.ok(&["tmux", "status"]);
    assert!(colored.starts_with("#[fg=red,bold]!1 for you#[default] "), "{colored}");
    assert!(!world.ok(&["tmux", "status"]).contains("Overwrite"), "an agent's words never get there");
    world.ok(&["down", "--grace", "0"]);
    assert_eq!(world.ok(&["tmux", "status"]), "", "the server has ended: nothing again");
}
