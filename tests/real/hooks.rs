//! What goes through Claude Code's hooks: answers given without a key, answers confirmed, commands a rule
//! grants. Judged as the other scenarios are, by what reached the model, and by the log's word for the channel.

use std::io::Write;

use counsel::core::recording::asciicast::{Asciicast, What};
use counsel::core::terminal::grid::Size;
use counsel::core::terminal::query_replies::TerminalIdentity;
use counsel::core::terminal::repaint::repaint;
use counsel::core::terminal::screen::Screen;
use serde_json::Value;

use super::home::Program;
use super::model::{CACHE, CHECKS, PLAIN, QUEUE};
use super::scenarios::{chosen, overtaken_in};
use super::team::{Setup, Team};

fn hooked(program: Program) -> Setup {
    Setup { hooks: true, ..Setup::new(program) }
}

/// Every question was answered through the hook, no key was sent, and the agent recorded what was meant.
fn all_by_hook(team: &Team, kinds: &[&str]) {
    let log = team.log(kinds.len());
    let logged: Vec<&Value> = log.iter().map(|entry| &entry["kind"]).collect();
    assert_eq!(logged, kinds, "{log:#?}");
    for entry in &log {
        assert_eq!((&entry["channel"], &entry["outcome"]), (&"hook".into(), &"answered".into()), "{entry:#}");
        assert_eq!(entry["proof"]["confirmed_by"], "hook", "{entry:#}");
        assert_eq!(entry["keys"], Value::Array(Vec::new()), "{entry:#}");
    }
}

pub fn menu(program: Program) {
    let mut team = Team::ready(&hooked(program));
    team.advise(r#"{"choice": 2}"#);
    team.tell("worker", "ASK1 please");
    let asked = team.until_results(1);
    assert!(asked.results[0].text.contains(&chosen(CACHE.question, "Local disk")), "{:?}", asked.results);
    let question = team.until_question("menu", "answered");
    assert_eq!(question["sources"].as_array().map(|all| all.contains(&"hook".into())), Some(true));
    team.worker_was_told(&["ASK1 please"]);
    team.advisor_was_asked(1, CACHE.question);
    all_by_hook(&team, &["menu"]);
}

pub fn form(program: Program) {
    let mut team = Team::ready(&hooked(program));
    team.advise(r#"{"choice": 2}"#);
    team.advise(r#"{"choices": [1, 3]}"#);
    team.tell("worker", "ASK2 please");
    let asked = team.until_results(1);
    let text = &asked.results[0].text;
    assert!(text.contains(&chosen(QUEUE.question, "RabbitMQ")), "{text}");
    assert!(text.contains(&chosen(CHECKS.question, "Unit tests, Licence scan")), "{text}");
    team.until_question("multi", "answered");
    team.worker_was_told(&["ASK2 please"]);
    team.advisor_was_asked(2, "");
    all_by_hook(&team, &["menu", "multi"]);
}

pub fn ticks(program: Program) {
    let mut team = Team::ready(&hooked(program));
    team.advise(r#"{"choices": [2, 3]}"#);
    team.tell("worker", "ASKM please");
    let asked = team.until_results(1);
    let text = &asked.results[0].text;
    assert!(text.contains(&chosen(CHECKS.question, "Load test, Licence scan")), "{text}");
    team.until_question("multi", "answered");
    team.worker_was_told(&["ASKM please"]);
    all_by_hook(&team, &["multi"]);
}

pub fn words(program: Program) {
    let mut team = Team::ready(&hooked(program));
    team.advise(r#"{"text": "In Redis, we run it already"}"#);
    team.tell("worker", "ASK1 please");
    let asked = team.until_results(1);
    let text = &asked.results[0].text;
    assert!(text.contains(&chosen(CACHE.question, "In Redis, we run it already")), "{text}");
    team.until_question("menu", "answered");
    team.worker_was_told(&["ASK1 please"]);
    all_by_hook(&team, &["menu"]);
}

fn with_rule(program: Program, own: &'static str) -> Team {
    let worker_args = &["--permission-mode", "default"];
    let mut team = Team::ready(&Setup { worker_args, own, ..hooked(program) });
    team.tell("worker", "BASH rm -rf build");
    let question = team.until_question("permission", "answered");
    assert_eq!(question["sources"].as_array().map(|all| all.contains(&"hook".into())), Some(true));
    team.worker_was_told(&["BASH rm -rf build"]);
    let log = team.log(1);
    assert_eq!((&log[0]["channel"], &log[0]["by"]), (&"hook".into(), &"rule 1".into()), "{log:#?}");
    assert_eq!(log[0]["keys"], Value::Array(Vec::new()));
    team
}

pub fn granted(program: Program) {
    let own = "[[rule]]\nkind = \"permission\"\ncommand = \"^rm -rf build$\"\nthen = \"answer\"\nanswer = \"Yes\"\n";
    let team = with_rule(program, own);
    let asked = team.until_results(1);
    assert!(!asked.results[0].error, "{:?}", asked.results);
    assert!(!team.home.project.join("build").exists(), "a granted command was not run");
}

pub fn refused(program: Program) {
    let own = "[[rule]]\nkind = \"permission\"\ncommand = \"^rm \"\nthen = \"answer\"\nanswer = \"No\"\n";
    let team = with_rule(program, own);
    assert!(team.home.project.join("build").exists(), "a refused command was run");
}

pub fn overtaken(program: Program) {
    overtaken_in(&hooked(program));
}

/// A person's answer goes by keys, since the hook is let go as soon as a person is needed. What the agent
/// recorded is told by the hook all the same.
pub fn confirmed(program: Program) {
    let mut team = Team::ready(&Setup { advisor: false, ..hooked(program) });
    team.tell("worker", "ASK1 please");
    let question = team.until_question("menu", "escalated");
    team.done(&["answer", question["id"].as_str().expect("it has an id"), "Process memory"]);
    let asked = team.until_results(1);
    assert!(asked.results[0].text.contains(&chosen(CACHE.question, "Process memory")), "{:?}", asked.results);
    team.until_question("menu", "answered");
    let log = team.log(1);
    // The oldest version calls its hook after it has shown the dialog: an answer that is quicker goes by the hook.
    let late = program == Program::Claude("2.0.70");
    assert!(log[0]["channel"] == "keys" || late, "{log:#?}");
    assert_eq!(log[0]["proof"]["confirmed_by"], "hook", "{log:#?}");
    assert_eq!(log[0]["proof"]["recorded"], "Process memory", "{log:#?}");
    team.worker_was_told(&["ASK1 please"]);
}

/// The same for a form, which is recorded once its last page is confirmed.
pub fn form_confirmed(program: Program) {
    let mut team = Team::ready(&Setup { advisor: false, ..hooked(program) });
    team.tell("worker", "ASK2 please");
    for (kind, answer) in
        [("menu", &["Kafka"][..]), ("multi", &["Load test", "Licence scan"]), ("review", &["1"])]
    {
        let question = team.until_question(kind, "escalated");
        let id = question["id"].as_str().expect("it has an id").to_owned();
        let mut words = vec!["answer", &id];
        words.extend(answer);
        team.done(&words);
        team.until_question(kind, "answered");
    }
    let asked = team.until_results(1);
    assert!(asked.results[0].text.contains(&chosen(QUEUE.question, "Kafka")), "{:?}", asked.results);
    let log = team.log(3);
    let last = log.last().expect("three were waited for");
    assert_eq!((&last["kind"], &last["channel"]), (&"review".into(), &"keys".into()), "{last:#}");
    assert_eq!(last["proof"]["recorded"], "Kafka; Load test, Licence scan", "{last:#}");
}

pub fn text_question(program: Program) {
    let mut team = Team::ready(&hooked(program));
    team.advise(r#"{"text": "Keep it until the next release"}"#);
    team.tell("worker", "PLAIN please");
    team.until_texts("worker", 2);
    let question = team.until_question("text", "answered");
    assert_eq!(question["sources"].as_array().map(|all| all.contains(&"hook".into())), Some(true));
    team.advisor_was_asked(1, PLAIN.lines().next().expect("it has lines"));
    team.worker_was_told(&["PLAIN please", "Keep it until the next release"]);
    let log = team.log(1);
    assert_eq!((&log[0]["channel"], &log[0]["proof"]["confirmed_by"]), (&"keys".into(), &"hook".into()));
}

const OWN_SETTINGS: &[&str] = &[
    "--settings",
    r#"{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "touch \"$HOME/stopped\""}]}]}}"#,
];

/// A hook of the person's own, given on the command line, runs beside counsel's.
pub fn own_settings(program: Program) {
    let mut team = Team::ready(&Setup { worker_args: OWN_SETTINGS, ..hooked(program) });
    team.advise(r#"{"choice": 1}"#);
    team.tell("worker", "ASK1 please");
    team.until_results(1);
    team.until_question("menu", "answered");
    all_by_hook(&team, &["menu"]);
    let from = team.seen.len();
    if !team.home.home.join("stopped").exists() {
        team.until_after(from, "the worker idle again", |notice| {
            let told = &notice["agent"];
            (told["name"] == "worker" && told["state"] == "idle").then_some(())
        });
    }
    assert!(team.home.home.join("stopped").exists(), "the person's own hook did not run");
}

/// A menu of Claude Code's, as a background child of the agent could draw it over a dialog that asks leave: a consultant
/// that chose its first row would grant the command.
pub fn drawn_over(program: Program) {
    let worker_args = &["--permission-mode", "default"];
    let mut team = Team::ready(&Setup { worker_args, ..hooked(program) });
    team.advise(r#"{"choice": 1}"#);
    team.tell("worker", "BASH rm -rf build");
    team.until_question("permission", "escalated");
    let listed = team.done(&["ls", "--json"]);
    let mut agents = listed.lines().map(|line| serde_json::from_str::<Value>(line).expect("a line of JSON"));
    let worker = agents.find(|agent| agent["name"] == "worker").expect("it runs");
    let terminal = format!("/proc/{}/fd/0", worker["pid"]);
    let cast = include_str!("../recordings/claude-2.1.329-ask1-120x40.cast");
    let cast = Asciicast::parse(cast).expect("a recording");
    let mut screen = Screen::new(Size::new(120, 40), TerminalIdentity::default());
    for event in cast.events.iter().take_while(|event| event.at_ms <= 5_900) {
        if let What::Output(text) = &event.what {
            screen.feed(text.as_bytes());
        }
    }
    let mut terminal = std::fs::File::options().write(true).open(terminal).expect("its terminal");
    terminal.write_all(&repaint(screen.grid(), screen.modes())).expect("it is drawn");
    let question = team.until_question("menu", "escalated");
    assert_eq!(question["trust"], "low", "{question:#}");
    team.done(&["stop", "worker", "--grace", "0"]);
    assert!(
        team.home.project.join("build").exists(),
        "the command was granted by a menu drawn over its dialog"
    );
    let typed = |entry: &Value| entry["keys"].as_array().is_some_and(|keys| !keys.is_empty());
    assert!(!team.log(2).iter().any(typed), "{:#?}", team.log(2));
}
