//! The dashboard inside a real tmux: colours, mouse, copying, focus, and what it leaves behind.
//!
//! The inner tmux is a person's own, attached in an outer one that plays the terminal, so keys and mouse
//! take the whole way. Without tmux each test is ignored, with the reason; with CI=true it fails.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

#[path = "world/needs.rs"]
mod needs;
mod world;

use world::tmux::Tmux;
use world::{World, counsel};

/// An agent that is a shell script.
fn agent(world: &World, name: &str, script: &str) {
    world.ok(&["start", name, "--", "sh", "-c", script]);
}

/// The dashboard in the person's tmux, options of which are set first. Its prefix is ctrl-a, as tmux has
/// ctrl-b.
fn dashboard(world: &World, options: &[&[&str]]) -> (Tmux, Tmux) {
    let (mut outer, inner) = Tmux::nested(world, &["sh"]);
    for option in options {
        inner.command(option);
    }
    outer.until("the shell", |screen| screen.contains(['$', '#']));
    let folder = |name: &str| world.path(name).display().to_string();
    let env = format!("COUNSEL_RUNTIME_DIR={} COUNSEL_STATE_DIR={}", folder("run"), folder("state"));
    outer.keys(&[&format!("clear; env {env} {}; echo left $?", counsel().display()), "Enter"]);
    outer.until("the dashboard", |screen| screen.contains("? keys"));
    (outer, inner)
}

/// Where these words stand: column and row, from 1, as the mouse counts.
fn place(screen: &str, words: &str) -> (usize, usize) {
    let found = screen.lines().enumerate().find_map(|(row, line)| Some((row, line.find(words)?, line)));
    let (row, at, line) = found.unwrap_or_else(|| panic!("no {words:?} in:\n{screen}"));
    (line[..at].chars().count() + 1, row + 1)
}

fn click(tmux: &Tmux, (column, row): (usize, usize)) {
    tmux.bytes(format!("\x1b[<0;{column};{row}M\x1b[<0;{column};{row}m").as_bytes());
}

fn colours_and_letters_get_through_and_nothing_is_left_behind() {
    let world = World::new();
    agent(
        &world,
        "painter",
        r"printf '\033[38;2;1;2;3mtrue\033[0m \033[48;5;208mindexed\033[0m \033[31mred\033[0m 漢字 é\n'; cat",
    );
    let (mut outer, inner) = dashboard(&world, &[]);
    outer.until("its words", |screen| screen.contains("true indexed red 漢字 é"));
    let colored = inner.colored();
    let line = colored.lines().find(|line| line.contains("indexed")).unwrap();
    for (color, word) in [("[38;2;1;2;3m", "true"), ("[48;5;208m", "indexed"), ("[31m", "red")] {
        let before = &line[..line.find(word).unwrap()];
        assert!(before.rsplit(' ').next().unwrap().contains(color), "{color:?} for {word} in {line:?}");
    }
    outer.keys(&["größer 漢"]);
    outer.until("what was typed", |screen| screen.contains("größer 漢"));
    outer.keys(&["C-a", "d"]);
    outer.until("the shell", |screen| screen.contains("left 0") && !screen.contains("painter"));
    let modes = "#{alternate_on}#{mouse_any_flag}#{mouse_sgr_flag}#{cursor_flag}#{keypad_flag}";
    assert_eq!(inner.command(&["display-message", "-p", "-t", "main", modes]), "00010\n");
}

fn the_mouse_focuses_and_scrolls_through_tmux() {
    let world = World::new();
    agent(&world, "first", "cat");
    agent(&world, "second", "seq -f 'line %g' 200; cat");
    let (mut outer, _inner) = dashboard(&world, &[&["set-option", "-g", "mouse", "on"]]);
    let screen = outer.until("both", |screen| screen.contains("line 200") && screen.contains("▌1 ◌ first"));
    let in_second = place(&screen, "line 200");
    click(&outer, in_second);
    outer.until("the focus", |screen| screen.contains("▌2 ◌ second") || screen.contains("▌2 ▪ second"));
    outer.keys(&["typed here", "Enter"]);
    let reply = |screen: &str| screen.matches("typed here").count() == 2;
    outer.until("the reply of the one clicked at", reply);
    let (column, row) = in_second;
    outer.bytes(format!("\x1b[<64;{column};{row}M").as_bytes());
    outer.until("the view of older lines", |screen| screen.contains("esc leaves"));
}

fn copying_reaches_tmux_as_it_is_configured_by_default() {
    let world = World::new();
    // "by the agent", once it has been given a line.
    let clip = r"echo ready to copy; read line; printf '\033]52;c;YnkgdGhlIGFnZW50\033\\'; echo done; cat";
    agent(&world, "copier", clip);
    let (mut outer, mut inner) = dashboard(&world, &[]);
    assert_eq!(inner.command(&["show-options", "-sv", "set-clipboard"]), "external\n");
    outer.until("the agent", |screen| screen.contains("ready to copy"));
    outer.keys(&["Enter"]);
    outer.until("the question whether it may", |screen| screen.contains("wants"));
    outer.keys(&["C-a", ":"]);
    outer.keys(&["c", "o", "p", "y", "Enter"]);
    let buffers = |tmux: &Tmux| tmux.command(&["list-buffers", "-F", "#{buffer_sample}"]);
    inner.until_it("the agent's text", buffers, |held| held.contains("by the agent"));
    // By the person: a line marked in the scrollback view.
    outer.keys(&["C-a", "["]);
    outer.keys(&["g", "v", "y"]);
    inner.until_it("the person's text", buffers, |held| held.contains("ready to copy"));
}

fn an_agent_learns_of_focus() {
    let world = World::new();
    agent(&world, "asks", r"printf '\033[?1004h'; echo listening; cat");
    let (mut outer, inner) = dashboard(&world, &[&["set-option", "-g", "focus-events", "on"]]);
    outer.until("the agent", |screen| screen.contains("listening"));
    // The terminal itself loses and gets it.
    outer.bytes(b"\x1b[O");
    outer.until("its loss", |screen| screen.contains("^[[O"));
    outer.bytes(b"\x1b[I");
    outer.until("its return", |screen| screen.contains("^[[O^[[I"));
    inner.command(&["new-window", "-t", "main:5", "sleep 600"]);
    inner.command(&["select-window", "-t", "main:0"]);
    outer.until("both again", |screen| screen.contains("^[[O^[[I^[[O^[[I"));
}

/// A message in tmux's status line holds back every pane and every key of its client for as long as it stands: eight
/// seconds at each call.
fn a_call_marks_the_window_and_holds_nothing_back() {
    let world = World::new();
    agent(&world, "asks", "read go; printf 'Go on? [y/n] '; read answer; echo \"got $answer\"; cat");
    let (_outer, mut inner) = dashboard(&world, &[]);
    inner.command(&["new-window", "-t", "main:5", "sleep 600"]);
    world.ok(&["send", "asks", "--enter"]);
    let bell = |tmux: &Tmux| tmux.command(&["list-windows", "-t", "main", "-F", "#{window_bell_flag}"]);
    inner.until_it("the bell of the window", bell, |flags| flags.contains('1'));
    let shown = inner.command(&["show-messages"]);
    assert!(!shown.contains("message: "), "{shown}");
}

fn the_doctor_looks_at_terminal_and_tmux() {
    let world = World::new();
    let (mut outer, inner) = Tmux::nested(&world, &["sh"]);
    inner.command(&["set-option", "-s", "escape-time", "500"]);
    inner.command(&["set-option", "-g", "focus-events", "on"]);
    outer.until("the shell", |screen| screen.contains(['$', '#']));
    let folder = |name: &str| world.path(name).display().to_string();
    let env = format!("COUNSEL_RUNTIME_DIR={} COUNSEL_STATE_DIR={}", folder("run"), folder("state"));
    let path = "PATH=/usr/bin:/bin";
    outer.keys(&[&format!("clear; env {env} {path} {} doctor; echo left $?", counsel().display()), "Enter"]);
    let screen = outer.until("the report", |screen| screen.contains("left 0"));
    let text = screen.replace('\n', "");
    for words in [
        "ok    terminal: ",
        "256 colours",
        "ok    size: 120x39",
        "ok    keyboard: no kitty protocol",
        "warn  inside tmux: every Esc comes late  [in tmux.conf: set -s escape-time 10]",
    ] {
        assert!(text.contains(words), "no {words:?} in:\n{screen}");
    }
}

fn main() {
    needs::run(&[
        (
            stringify!(colours_and_letters_get_through_and_nothing_is_left_behind),
            needs::tmux,
            colours_and_letters_get_through_and_nothing_is_left_behind,
        ),
        (
            stringify!(the_mouse_focuses_and_scrolls_through_tmux),
            needs::tmux,
            the_mouse_focuses_and_scrolls_through_tmux,
        ),
        (
            stringify!(copying_reaches_tmux_as_it_is_configured_by_default),
            needs::tmux,
            copying_reaches_tmux_as_it_is_configured_by_default,
        ),
        (stringify!(an_agent_learns_of_focus), needs::tmux, an_agent_learns_of_focus),
        (
            stringify!(a_call_marks_the_window_and_holds_nothing_back),
            needs::tmux,
            a_call_marks_the_window_and_holds_nothing_back,
        ),
        (
            stringify!(the_doctor_looks_at_terminal_and_tmux),
            needs::tmux,
            the_doctor_looks_at_terminal_and_tmux,
        ),
    ]);
}
