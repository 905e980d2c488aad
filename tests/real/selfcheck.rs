//! The lane's own proof: a real agent program on a bare terminal asks what the model says it asks, and the
//! model receives what was chosen by hand.

use std::process::Command;
use std::time::Duration;

use super::api::{self, Api, ToolResult};
use super::home::{Home, Program};
use super::model::{CACHE, UNDERSTOOD};
use super::terminal::Terminal;

const WITHIN: Duration = Duration::from_secs(30);

/// The program on a bare terminal, ready to be typed into.
fn start(program: Program) -> (Home, Api, Terminal) {
    let home = Home::new(program, true);
    let api = Api::start(&home.project.display().to_string());
    let line = program.command();
    let mut command = Command::new(&line[0]);
    command.args(&line[1..]);
    command
        .env_clear()
        .envs(home.env())
        .envs(program.env(&api.url("worker"), &home))
        .current_dir(&home.project);
    let terminal = Terminal::start(command);
    (home, api, terminal)
}

/// The conversation once a tool has returned, with nothing said but `text`.
fn returned(api: &Api, terminal: &Terminal, text: &str) -> ToolResult {
    let asked = api.until(WITHIN, |all| api::newest(all, "worker").filter(|asked| !asked.results.is_empty()));
    let asked = asked.unwrap_or_else(|| panic!("no tool returned\n{}\n{}", terminal.text(), api.report()));
    assert_eq!(asked.texts, [text]);
    assert_eq!(asked.results.len(), 1, "{:?}", asked.results);
    asked.results[0].clone()
}

pub fn claude(program: Program) {
    let (_home, api, mut terminal) = start(program);
    terminal.until("the prompt", |screen| screen.lines().any(|line| line.starts_with(['❯', '>'])));
    terminal.key("ASK1 please");
    // An Enter that is read together with the words is a part of a paste.
    terminal.shows("ASK1 please");
    terminal.key("\r");
    terminal.shows(CACHE.question);
    terminal.key("2");
    terminal.shows(UNDERSTOOD);
    let result = returned(&api, &terminal, "ASK1 please");
    assert!(result.text.contains("Local disk") && !result.text.contains("Memcached"), "{result:?}");
}

pub fn codex(program: Program) {
    let (home, api, mut terminal) = start(program);
    terminal.shows("›");
    terminal.key("BASH rm -rf build");
    terminal.shows("BASH rm");
    // An Enter that comes before the session is ready leaves the draft; the program does not say when it is.
    for _ in 0..5 {
        terminal.key("\r");
        if terminal.shows_within("Would you like to run", Duration::from_secs(2)) {
            break;
        }
    }
    terminal.shows("Would you like to run");
    terminal.key("y");
    terminal.shows(UNDERSTOOD);
    returned(&api, &terminal, "BASH rm -rf build");
    assert!(!home.project.join("build").exists(), "the command has not run");
}

pub fn gemini(program: Program) {
    let (_home, api, mut terminal) = start(program);
    terminal.shows("Type your message");
    terminal.key("ASK1 please");
    // An Enter that is read together with the words is a part of a paste.
    terminal.shows("ASK1 please");
    terminal.key("\r");
    terminal.shows(CACHE.question);
    terminal.key("2");
    terminal.shows(UNDERSTOOD);
    let result = returned(&api, &terminal, "ASK1 please");
    assert!(result.text.contains("Local disk") || result.text.contains('1'), "{result:?}");
}
