//! The soak: agents that stream numbered lines and ask, while servers, dashboards, attached terminals and
//! keepers are killed with SIGKILL. Afterwards no agent is lost but those whose own keeper was killed, no
//! line is missing, and every question was answered once, and rightly.
#![allow(clippy::unwrap_used, reason = "a test may fail where its fixture does")]
#![cfg(target_os = "linux")]

#[path = "arena/accidents.rs"]
mod accidents;
#[path = "arena/advisor.rs"]
mod advisor;
#[path = "arena/agent.rs"]
mod agent;
#[path = "arena/asking.rs"]
mod asking;
#[path = "arena/consultant.rs"]
mod consultant;
#[path = "arena/dice.rs"]
mod dice;
#[path = "arena/field.rs"]
mod field;
#[path = "arena/ground.rs"]
mod ground;
#[path = "arena/heard.rs"]
mod heard;
#[path = "arena/judge.rs"]
mod judge;
#[path = "arena/mix.rs"]
mod mix;
#[path = "arena/people.rs"]
mod people;
#[path = "arena/perform.rs"]
mod perform;
#[path = "arena/score.rs"]
mod score;
#[path = "arena/script.rs"]
mod script;
#[path = "arena/terminal.rs"]
mod terminal;
#[path = "arena/truth.rs"]
mod truth;
#[path = "arena/viewer.rs"]
mod viewer;
#[path = "arena/witness.rs"]
mod witness;

use std::collections::BTreeSet;

use accidents::Accidents;
use counsel::wire::message::ReadMode;
use counsel::wire::{Reply, Request};
use field::Field;
use judge::judge;
use mix::{Mix, script};
use score::{HEAD, Score};
use script::Look;
use truth::Record;

/// Not a test: a fake agent, when counsel starts this program as one.
#[test]
fn stand_in_agent() {
    ground::play_agent();
}

/// Not a test: a fake consultant, when counsel asks this program.
#[test]
fn stand_in_consultant() {
    ground::play_consultant();
}

fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok().and_then(|value| value.parse().ok())
}

/// The numbered lines that are nowhere to be found.
fn missing(field: &mut Field, name: &str) -> Vec<String> {
    let records: Vec<Record> = truth::read(&agent::truth_of(field.folder.path(), name));
    let printed = records.iter().filter_map(|record| match record {
        Record::Printed { lines, .. } => Some(*lines),
        _ => None,
    });
    let last = printed.max().unwrap_or(0);
    let text = scrollback(field, name);
    let there: BTreeSet<&str> = text.lines().map(str::trim_end).collect();
    let lines = (1..=last).map(|number| agent::line(name, number));
    lines.filter(|line| !there.contains(line.as_str())).collect()
}

/// Everything an agent has printed, as the server tells it.
fn scrollback(field: &mut Field, name: &str) -> String {
    let (since, tail, mode) = (Some(0), None, ReadMode::Output);
    match field.request(Request::Read { name: name.to_owned(), since, tail, wait_ms: 0, mode, seen: None }) {
        Some(Reply::Text(read)) => read.text,
        other => panic!("could not read {name}: {other:?}"),
    }
}

fn soak(seed: u64, agents: usize, kills: u64) {
    println!("ARENA_SEED={seed}\n{HEAD}");
    let (looks, rounds, troubled) = (&[Look::Demo], 4_000, u64::MAX);
    let mix = Mix { looks, agents, rounds, troubled, deadline_secs: 8, slowest_ms: 1_500 };
    let keepers = (kills / 50).max(1);
    let servers = kills * 2 / 5;
    let accidents = Accidents {
        servers,
        keepers,
        viewers: kills - servers - keepers,
        every_ms: 600,
        stream_ms: Some(15),
    };
    let mut field = Field::new(seed, script(seed, mix), accidents);
    field.play();
    let lost: BTreeSet<String> = field.seen.lost.iter().map(|(_, name)| name.clone()).collect();
    let names: Vec<String> = field.script().agents.iter().map(|life| life.name.clone()).collect();
    let mut faults = Vec::new();
    for name in &names {
        let missing = missing(&mut field, name);
        // What a killed keeper's agent had printed before is in no screen any more.
        if !missing.is_empty() && !lost.contains(name) {
            faults.push(format!("{name}: {} lines are gone: {:?}", missing.len(), missing.first()));
        }
        let records: Vec<Record> = truth::read(&agent::truth_of(field.folder.path(), name));
        let lives = records.iter().filter(|record| matches!(record, Record::Begun { .. })).count();
        let killed = field.seen.lost.iter().filter(|(_, lost)| lost == name).count();
        if lives > killed + 1 {
            let exits: Vec<_> = field.seen.exits.iter().filter(|(_, exited, _)| exited == name).collect();
            faults.push(format!(
                "{name} lived {lives} lives, but its keeper was killed {killed} times; it ended: {exits:?}"
            ));
        }
    }
    field.end();
    let mut score = judge(field.folder.path(), field.script(), &field.seen, &field.decisions());
    println!("{}", score.row());
    score.slowest().iter().for_each(|slow| println!("  slow: {slow}"));
    println!(
        "{} servers, {} viewers, {} keepers killed",
        field.seen.kills.len(),
        field.seen.viewers,
        field.seen.lost.len()
    );
    faults.extend(Score::faults(&score));
    if !faults.is_empty() {
        field.folder.disable_cleanup(true);
        println!("the run is kept in {}", field.folder.path().display());
    }
    assert!(faults.is_empty(), "ARENA_SEED={seed}:\n{}", faults.join("\n"));
}

#[test]
fn twenty_kills_lose_no_line_and_no_question() {
    soak(number("ARENA_SEED").unwrap_or(1), 6, 20);
}

/// `SOAK_KILLS` asks for another number.
#[test]
#[ignore = "takes minutes: cargo test --test soak -- --ignored --nocapture full"]
fn full() {
    soak(number("ARENA_SEED").unwrap_or(1), 12, number("SOAK_KILLS").unwrap_or(200));
}
