//! `counsel tmux` in a real tmux: its status line, its popup, its keys.
//!
//! Without tmux each test but those that need none is ignored, with the reason; with CI=true it fails.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

#[path = "world/needs.rs"]
mod needs;
mod world;

use world::tmux::Tmux;
use world::{World, counsel, finish};

/// A shell that does nothing of its own.
const SHELL: &[&str] = &["sh"];

/// Agents: one that asks a person, and two that do not.
fn team(world: &World) {
    world.ok(&["start", "calm", "--", "cat"]);
    let ask = "printf 'Overwrite the file? [y/N] '; read answer; echo got $answer; cat";
    world.ok(&["start", "asker", "--", "sh", "-c", ask]);
    world.ok(&["start", "still", "--", "cat"]);
    world.ok(&["pause", "still"]);
    world.ok(&["wait", "asker", "--for", "asking", "--timeout", "60"]);
}

/// A tmux with counsel's lines in its configuration, in a terminal.
fn tmux_with_keys(world: &World) -> (Tmux, Tmux) {
    let (mut outer, inner) = Tmux::nested(world, SHELL);
    let lines = world.write("keys.conf", &world.ok(&["tmux", "keys"]));
    inner.command(&["source-file", lines.to_str().unwrap()]);
    outer.until("the shell", |screen| screen.contains('$') || screen.contains('#'));
    (outer, inner)
}

/// tmux draws this corner around popups only; until it is gone, the popup gets the keys.
fn popup(screen: &str) -> bool {
    screen.contains('┘')
}

fn the_segment_counts_and_marks_what_needs_a_person() {
    let world = World::new();
    assert_eq!(world.ok(&["tmux", "status"]), "", "no server: nothing");
    assert!(std::fs::read_dir(world.path("run")).unwrap().next().is_none(), "and none is started");
    team(&world);
    assert_eq!(world.ok(&["tmux", "status", "--plain"]), "!1 for you 1 asking 1 paused\n");
    let colored = world.ok(&["tmux", "status"]);
    assert!(colored.starts_with("#[fg=red,bold]!1 for you#[default] "), "{colored}");
    assert!(!colored.contains("Overwrite"), "an agent's words never get there");
    world.ok(&["down", "--grace", "0"]);
    assert_eq!(world.ok(&["tmux", "status"]), "", "the server has ended: nothing again");
}

fn tmux_takes_the_lines_and_a_second_reading_changes_nothing() {
    let world = World::new();
    let tmux = Tmux::start(&world, "t", SHELL);
    let lines = world.write("keys.conf", &world.ok(&["tmux", "keys", "--popup", "C-y"]));
    let path = lines.to_str().unwrap();
    tmux.command(&["source-file", "-n", path]);
    let before = tmux.command(&["show-options", "-gv", "status-right"]);
    for _ in 0..2 {
        tmux.command(&["source-file", path]);
        let after = tmux.command(&["show-options", "-gv", "status-right"]);
        assert!(after.starts_with(before.trim_end()), "what was there stays: {after}");
        assert_eq!(after.matches("tmux status").count(), 1, "{after}");
    }
    assert_eq!(tmux.command(&["show-options", "-gv", "status-right-length"]), "80\n");
    let keys = tmux.command(&["list-keys", "-T", "prefix"]);
    let bound = |key: &str, does: &str| {
        keys.lines().any(|line| {
            let mut words = line.split_whitespace().skip_while(|word| *word != "prefix").skip(1);
            words.next() == Some(key) && words.next() == Some(does)
        })
    };
    assert!(bound("C-y", "display-popup") && bound("Q", "run-shell"), "{keys}");
}

fn the_status_line_tells_and_the_keys_open_the_dashboard_on_who_asks() {
    let world = World::new();
    team(&world);
    let (mut outer, _inner) = tmux_with_keys(&world);
    let last = |screen: &str| screen.trim_end().lines().last().unwrap_or_default().to_owned();
    outer.until("the segment", |screen| last(screen).contains("!1 for you 1 asking 1 paused"));
    // tmux has ctrl-b here, so ctrl-a is the dashboard's own.
    outer.keys(&["C-b", "A"]);
    outer.until("the dashboard", |screen| screen.contains("ctrl-a ? keys") && screen.contains("calm"));
    outer.keys(&["C-a", "d"]);
    outer.until("the end of the popup", |screen| !popup(screen));
    outer.keys(&["C-b", "Q"]);
    outer.until("the one who asks", |screen| screen.contains("Overwrite the file?"));
    // It has the focus: what is typed gets there, and settles it.
    let mut events = world.follow(&["events", "--json"]);
    // From its first line on it follows.
    events.next();
    outer.keys(&["n", "Enter"]);
    outer.until("its reply", |screen| screen.contains("got n"));
    events.until(|line| line.contains("\"withdrawn\""));
    outer.keys(&["C-a", "d"]);
    outer.until("the end of the popup", |screen| !popup(screen));
    outer.keys(&["C-b", "Q"]);
    outer.until("the message", |screen| last(screen).contains("counsel: nobody asks"));
}

fn the_key_goes_to_the_pane_that_shows_who_asks() {
    let world = World::new();
    team(&world);
    let (mut outer, inner) = tmux_with_keys(&world);
    let run = |name: &str| {
        let folder = |name: &str| world.path(name).display().to_string();
        let env = format!("COUNSEL_RUNTIME_DIR={} COUNSEL_STATE_DIR={}", folder("run"), folder("state"));
        format!("env {env} {} attach {name}", counsel().display())
    };
    inner.command(&["new-window", "-d", "-t", "main:7", &run("calm")]);
    inner.command(&["split-window", "-d", "-t", "main:7", &run("asker")]);
    let shown = |tmux: &Tmux| tmux.command(&["capture-pane", "-p", "-t", "main:7.1"]);
    let mut inner = inner;
    inner.until_it("the agent in its pane", shown, |screen| screen.contains("Overwrite the file?"));
    let place =
        |tmux: &Tmux| tmux.command(&["display-message", "-p", "-t", "main", "#{window_index}.#{pane_index}"]);
    assert_eq!(place(&inner), "0.0\n");
    outer.keys(&["C-b", "Q"]);
    inner.until_it("the pane's turn", place, |at| at == "7.1\n");
    outer.until("the pane", |screen| screen.contains("Overwrite the file?"));
}

fn the_popup_opens_from_a_pane_and_leaves_tmux_its_prefix() {
    let world = World::new();
    team(&world);
    let (mut outer, inner) = tmux_with_keys(&world);
    inner.command(&["set-option", "-g", "prefix", "C-a"]);
    let folder = |name: &str| world.path(name).display().to_string();
    let env = format!("COUNSEL_RUNTIME_DIR={} COUNSEL_STATE_DIR={}", folder("run"), folder("state"));
    let line = format!("clear; {env} {} tmux popup --focus calm; echo left $?", counsel().display());
    outer.keys(&[&line, "Enter"]);
    outer.until("the dashboard", |screen| screen.contains("ctrl-b ? keys") && screen.contains("still"));
    outer.keys(&["C-b", "d"]);
    outer.until("the shell again", |screen| screen.contains("left 0") && !popup(screen));
}

fn where_there_is_no_tmux_or_an_old_one_it_says_so() {
    let world = World::new();
    for verb in ["popup", "jump"] {
        world.refused(&["tmux", verb], 1, "TMUX is not set");
    }
    let injected = world.run(&["tmux", "keys", "--popup", "a; kill-server"]);
    assert_eq!((injected.code, injected.err.contains("name a key")), (2, true), "{injected:?}");
    world.script("tmux", "echo 3.1c");
    let path = format!("{}:/usr/bin:/bin", world.path("bin").display());
    let mut command = world.command();
    command.env("TMUX", "/tmp/x,1,0").env("PATH", path).args(["tmux", "popup"]);
    let done = finish(&mut command, b"");
    assert_eq!(
        (done.code, done.err.contains("this tmux is 3.1c, and popups came with 3.2")),
        (1, true),
        "{done:?}"
    );
}

fn main() {
    needs::run(&[
        (
            stringify!(the_segment_counts_and_marks_what_needs_a_person),
            needs::nothing,
            the_segment_counts_and_marks_what_needs_a_person,
        ),
        (
            stringify!(tmux_takes_the_lines_and_a_second_reading_changes_nothing),
            needs::tmux,
            tmux_takes_the_lines_and_a_second_reading_changes_nothing,
        ),
        (
            stringify!(the_status_line_tells_and_the_keys_open_the_dashboard_on_who_asks),
            needs::tmux,
            the_status_line_tells_and_the_keys_open_the_dashboard_on_who_asks,
        ),
        (
            stringify!(the_key_goes_to_the_pane_that_shows_who_asks),
            needs::tmux,
            the_key_goes_to_the_pane_that_shows_who_asks,
        ),
        (
            stringify!(the_popup_opens_from_a_pane_and_leaves_tmux_its_prefix),
            needs::tmux,
            the_popup_opens_from_a_pane_and_leaves_tmux_its_prefix,
        ),
        (
            stringify!(where_there_is_no_tmux_or_an_old_one_it_says_so),
            needs::nothing,
            where_there_is_no_tmux_or_an_old_one_it_says_so,
        ),
    ]);
}
