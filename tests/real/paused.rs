//! A worker that is stopped for a while in the middle of what it does, and goes on as if nothing had been.
//!
//! `COUNSEL_PAUSE_SECS` says for how long: no event tells that enough time has passed for a connection, a
//! timer or a dialog to be lost.

use std::time::{Duration, Instant};

use serde_json::Value;

use super::home::Program;
use super::model::{self, CACHE, Part, say};
use super::scenarios::chosen;
use super::team::{Setup, Team};

/// Words of a quarter of a second each: the pause falls into the middle of them.
const WORDS: u32 = 40;
/// Output comes several times a second while a turn is under way.
const SHOWN: Duration = Duration::from_secs(45);

/// A pause has no end that could be awaited; this is how long a person's may last, longer by choice.
fn for_a_while() {
    let secs = std::env::var("COUNSEL_PAUSE_SECS").ok().and_then(|secs| secs.parse().ok());
    std::thread::sleep(Duration::from_secs(secs.unwrap_or(4)));
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Looks whenever something was printed.
fn until_shown(team: &Team, words: &str) {
    let until = Instant::now() + SHOWN;
    loop {
        let shown = one_line(&team.done(&["read", "worker", "--screen", "--wait", "500"]));
        if shown.contains(words) {
            return;
        }
        assert!(Instant::now() < until, "{words:?} was not shown: {shown}");
    }
}

fn until_again(team: &mut Team, from: usize, state: &str) {
    team.until_after(from, &format!("worker {state}"), |notice| {
        let told = &notice["agent"];
        (told["name"] == "worker" && told["state"] == state).then_some(())
    });
}

fn pid(team: &Team) -> i32 {
    let listed = team.done(&["ls", "--json"]);
    let mut agents = listed.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let worker = agents.find(|agent| agent["name"] == "worker").expect("the worker is listed");
    worker["pid"].as_i64().and_then(|pid| i32::try_from(pid).ok()).expect("it runs")
}

/// What the kernel says the worker does, `T` for stopped.
fn stands_still(pid: i32) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).expect("the worker is there");
    stat.rsplit(") ").next().is_some_and(|rest| rest.starts_with('T'))
}

/// The turn comes to its end, with every word the model said.
pub fn stream(program: Program) {
    let mut team = Team::ready(&Setup { advisor: false, ..Setup::new(program) });
    let whole = one_line(&model::text(&Part::Words { count: WORDS, every_ms: 250 }));
    team.tell("worker", &format!("SLOW {WORDS}"));
    // The model has begun to speak, and needs ten seconds to come to its end.
    team.until_texts("worker", 1);
    team.done(&["pause", "worker"]);
    assert!(stands_still(pid(&team)));
    assert_eq!(team.run(&["send", "worker", "nothing", "--enter"]).status.code(), Some(4));
    let shown = team.done(&["read", "worker", "--screen"]);
    assert!(!one_line(&shown).contains(&whole), "it was stopped after its turn: {shown}");
    for_a_while();
    assert_eq!(team.done(&["read", "worker", "--screen"]), shown);
    let from = team.seen.len();
    team.done(&["resume", "worker"]);
    until_again(&mut team, from, "idle");
    until_shown(&team, &whole);
    team.tell("worker", "still there?");
    team.until_texts("worker", 2);
    team.worker_was_told(&[&format!("SLOW {WORDS}"), "still there?"]);
}

/// The advisor's answer comes while the worker stands still; it is typed afterwards.
pub fn question(program: Program) {
    // What passes while it stands still is not to be the end of the consultation.
    let consult = "deadline_secs = 600";
    let mut team = Team::ready(&Setup { consult, ..Setup::new(program) });
    team.advise_with(vec![Part::Words { count: 8, every_ms: 250 }, say("\n\n{\"choice\": 2}")]);
    team.tell("worker", "ASK1 please");
    let asked = team.until_question("menu", "consulting");
    team.done(&["pause", "worker"]);
    assert!(stands_still(pid(&team)));
    let id = asked["id"].as_str().expect("a question has an id");
    assert_eq!(team.run(&["answer", id, "1"]).status.code(), Some(4));
    for_a_while();
    assert!(team.api.conversation("worker").results.is_empty(), "it was answered while it stood still");
    team.done(&["resume", "worker"]);
    let asked = team.until_results(1);
    assert!(asked.results[0].text.contains(&chosen(CACHE.question, "Local disk")), "{:?}", asked.results);
    let question = team.until_question("menu", "answered");
    assert_eq!(question["id"], id);
    team.worker_was_told(&["ASK1 please"]);
    team.advisor_was_asked(1, CACHE.question);
}
