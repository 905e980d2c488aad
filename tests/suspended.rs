//! Dashboard and attach as a shell's jobs: stopped they give the terminal back, and `fg` shows all of it again.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]
#![cfg(target_os = "linux")]

mod desk;

use std::process::Command;

use counsel::core::terminal::grid::Size;
use counsel::os::proc;
use desk::{Terminal, World};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

const SIZE: Size = Size { cols: 100, rows: 30 };
/// The prefix, and ctrl-z behind it.
const SUSPEND: &[u8] = b"\x01\x1a";

/// An agent that shows what it gets, and an interactive shell in which this has been begun.
fn shell(world: &World, counsel: &str) -> Terminal {
    world.script("api", "stty raw -echo; printf 'ready '; exec cat -v");
    let mut terminal = begun(world, counsel);
    terminal.until_text("ready");
    terminal
}

fn begun(world: &World, counsel: &str) -> Terminal {
    let mut command = Command::new("sh");
    command.arg("-i").current_dir(world.path("work")).env_clear();
    for (key, value) in world.command().get_envs() {
        command.env(key, value.unwrap());
    }
    command.env("PS1", "shell$ ");
    let mut terminal = Terminal::open(&mut command, SIZE);
    terminal.until_text("shell$");
    terminal.types(format!("{} {counsel}\r", env!("CARGO_BIN_EXE_counsel")).as_bytes());
    terminal
}

/// It has the terminal, and shows this.
fn taken(terminal: &mut Terminal, words: &str) {
    let shows = |screen: &counsel::core::terminal::screen::Screen| {
        screen.modes().alternate_screen && screen.grid().text().contains(words)
    };
    terminal.until(words, shows);
}

/// The shell has it, as it was before.
fn given_back(terminal: &mut Terminal, number: usize) {
    terminal.until("the shell", |screen| {
        !screen.modes().alternate_screen && screen.grid().text().trim_end().ends_with("shell$")
    });
    let modes = terminal.screen.modes();
    assert!(!modes.mouse_click && !modes.bracketed_paste && modes.kitty == 0, "{modes:?}");
    let line = format!("stty -a | tr ' ;' '\\n\\n' | grep -x icanon; echo seen-$(({number}+0))\r");
    terminal.types(line.as_bytes());
    terminal.until_text(&format!("\nseen-{number}"));
    assert!(terminal.text().contains("\nicanon"), "{}", terminal.text());
}

/// The counsel that the shell has started.
fn job(terminal: &Terminal) -> Pid {
    let below = proc::tree(terminal.child.id());
    let job = below.iter().find(|process| process.parent == terminal.child.id()).unwrap();
    Pid::from_raw(job.pid.cast_signed())
}

/// The picture stayed on the shell's screen, and nothing was drawn after `fg`: what was typed was shown by the line.
#[test]
fn a_dashboard_that_is_stopped_gives_the_terminal_back_and_goes_on_where_it_was() {
    let world = World::new();
    let mut terminal = shell(&world, "");
    terminal.types(SUSPEND);
    given_back(&mut terminal, 1);
    terminal.types(b"fg\r");
    taken(&mut terminal, "ready");
    terminal.types(b"x");
    taken(&mut terminal, "ready x");
    kill(job(&terminal), Signal::SIGTSTP).unwrap();
    given_back(&mut terminal, 2);
    terminal.types(b"fg\r");
    taken(&mut terminal, "ready x");
    assert!(terminal.screen.modes().mouse_click);
    // Nobody is told of this one: the shell writes into the picture.
    kill(job(&terminal), Signal::SIGSTOP).unwrap();
    terminal.until_text("shell$");
    // Not every shell gives such a terminal its lines back: this ends one in any case.
    terminal.types(b"fg\n");
    terminal.until("no word of the shell's", |screen| !screen.grid().text().contains("shell$"));
    terminal.types(b"y");
    taken(&mut terminal, "ready xy");
    terminal.types(b"\x01d");
    terminal.until_text("detached");
    terminal.types(b"exit\r");
    terminal.ends();
}

#[test]
fn an_attached_terminal_that_is_stopped_goes_on_where_it_was() {
    let world = World::new();
    let mut terminal = shell(&world, "attach api");
    kill(job(&terminal), Signal::SIGTSTP).unwrap();
    given_back(&mut terminal, 1);
    terminal.types(b"fg\r");
    terminal.until("the agent", |screen| {
        let text = screen.grid().text();
        text.contains("ready") && !text.contains("shell$")
    });
    terminal.types(b"x");
    terminal.until_text("ready x");
    terminal.types(b"\x1c");
    terminal.until_text("detached");
    terminal.types(b"exit\r");
    terminal.ends();
}

/// Started by no shell it would have stood still for ever.
#[test]
fn where_no_shell_would_let_it_go_on_it_does_not_stop() {
    let world = World::new();
    world.script("api", "stty raw -echo; printf 'ready '; exec cat -v");
    let mut terminal = world.terminal(SIZE, &[]);
    taken(&mut terminal, "ready");
    terminal.types(SUSPEND);
    taken(&mut terminal, "there is no shell to go back to; ctrl-a d leaves");
    terminal.types(b"x");
    taken(&mut terminal, "ready x");
    terminal.types(b"\x01d");
    assert!(terminal.ends().success());
}

/// After `fg` nothing stood there: the shell had written behind the question, and whoever went on saw no reason to type anything.
#[test]
fn a_question_at_which_one_stopped_is_asked_again() {
    let world = World::new();
    std::fs::write(world.path("work/counsel.toml"), "[[agent]]\nname = \"a\"\ncommand = [\"cat\"]\n")
        .unwrap();
    let mut terminal = begun(&world, "trust");
    terminal.until_text("Do you trust it? [y/N]");
    terminal.types(b"\x1a");
    given_back(&mut terminal, 1);
    terminal.types(b"fg\r");
    terminal.until("the question anew", |screen| {
        screen.grid().text().trim_end().ends_with("Do you trust it? [y/N]")
    });
    terminal.types(b"y\r");
    terminal.until("the shell", |screen| screen.grid().text().trim_end().ends_with("shell$"));
    assert!(world.ok(&["trust", "--list"]).contains("counsel.toml"), "{}", terminal.text());
    terminal.types(b"exit\r");
    terminal.ends();
}
