//! The arena: the real program with fake agents on real PTYs whose dialogs fight back, consultants that
//! fail in every way, people who type at the worst moment, and processes that are killed. The agents' own
//! records, laid beside counsel's log, decide whether every question was answered rightly, once, in time.
#![allow(clippy::unwrap_used, reason = "a test may fail where its fixture does")]
#![cfg(target_os = "linux")]

mod accidents;
mod advisor;
mod agent;
mod asking;
mod consultant;
mod dice;
mod field;
mod ground;
mod heard;
mod judge;
mod mix;
mod people;
mod perform;
mod score;
mod script;
mod terminal;
mod truth;
mod viewer;
mod witness;

use std::time::{SystemTime, UNIX_EPOCH};

use accidents::Accidents;
use counsel::core::policy::Consult;
use field::Field;
use judge::judge;
use mix::{Mix, script};
use score::{HEAD, Score};
use script::Look;

/// Half of a team draws and asks as Claude Code does, a quarter each as the demonstration and as a shell.
const LOOKS: &[Look] = &[Look::Claude, Look::Demo, Look::Claude, Look::Shell];
/// A usual run's deadline: an answer's 55 seconds made short.
const DEADLINE_SECS: u64 = 8;

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

/// The seed that was given, if any.
fn given() -> Option<u64> {
    std::env::var("ARENA_SEED").ok().and_then(|seed| seed.parse().ok())
}

fn run(seed: u64, mix: Mix, accidents: Accidents) -> Score {
    let mut field = Field::new(seed, script(seed, mix), accidents);
    field.play();
    field.end();
    let mut score = judge(field.folder.path(), field.script(), &field.seen, &field.decisions());
    println!("{}", score.row());
    score.slowest().iter().for_each(|slow| println!("  slow: {slow}"));
    if !score.faults().is_empty() || std::env::var_os("ARENA_KEEP").is_some() {
        field.folder.disable_cleanup(true);
        std::fs::write(field.folder.path().join("seen"), format!("{:#?}", field.seen)).unwrap();
        println!("the run is kept in {}", field.folder.path().display());
        score.faults().iter().for_each(|fault| println!("  {fault}"));
    }
    score
}

fn check(seed: u64, score: &Score) {
    let faults = score.faults();
    assert!(faults.is_empty(), "ARENA_SEED={seed}:\n{}", faults.join("\n"));
}

#[test]
fn six_agents_are_answered_while_servers_and_keepers_die() {
    let seed = given().unwrap_or(1);
    println!("ARENA_SEED={seed}\n{HEAD}");
    let mix = Mix {
        looks: LOOKS,
        agents: 6,
        rounds: 5,
        troubled: 2,
        deadline_secs: DEADLINE_SECS,
        slowest_ms: 5_600,
    };
    let score =
        run(seed, mix, Accidents { servers: 2, keepers: 1, viewers: 0, every_ms: 3_000, stream_ms: None });
    assert!(score.questions >= 20, "{}", score.row());
    check(seed, &score);
}

/// Two thousand questions; `ARENA_QUESTIONS` asks for another number, `ARENA_AGENTS` for one team alone;
/// `ARENA_KEEP` keeps what a run has left.
#[test]
#[ignore = "takes minutes: cargo test --test arena -- --ignored --nocapture full"]
fn full() {
    let new = || SystemTime::now().duration_since(UNIX_EPOCH).unwrap().subsec_nanos().into();
    let seed = given().unwrap_or_else(new);
    let wanted: usize = std::env::var("ARENA_QUESTIONS").ok().and_then(|n| n.parse().ok()).unwrap_or(2_000);
    println!("ARENA_SEED={seed}\n{HEAD}");
    let only: Option<usize> = std::env::var("ARENA_AGENTS").ok().and_then(|n| n.parse().ok());
    let mut total = Score::default();
    // The share of the questions, and how many agents ask them.
    let teams = [(5, 1), (15, 6), (40, 20), (40, 60)];
    for (share, agents) in teams.into_iter().filter(|(_, agents)| only.is_none_or(|only| only == *agents)) {
        // A round has one page and a third.
        let rounds = (wanted * share / 100 * 3 / 4).div_ceil(agents);
        let (deadline_secs, slowest_ms) = (DEADLINE_SECS, 8_100);
        let mix = Mix { looks: LOOKS, agents, rounds, troubled: 3, deadline_secs, slowest_ms };
        let accidents = Accidents {
            servers: rounds as u64 / 4 + 1,
            keepers: agents as u64 / 4,
            viewers: 0,
            every_ms: 4_000,
            stream_ms: None,
        };
        total += run(seed, mix, accidents);
    }
    println!("{}", total.row());
    check(seed, &total);
}

/// The deadline as it is delivered, and consultants that take up to a second more than it.
#[test]
#[ignore = "takes minutes: cargo test --test arena -- --ignored --nocapture unhurried"]
fn unhurried() {
    let seed = given().unwrap_or(1);
    println!("ARENA_SEED={seed}\n{HEAD}");
    let (deadline_secs, slowest_ms) = (Consult::default().deadline_secs, 56_000);
    let mix = Mix { looks: LOOKS, agents: 60, rounds: 3, troubled: 3, deadline_secs, slowest_ms };
    let accidents = Accidents { servers: 2, keepers: 2, viewers: 0, every_ms: 20_000, stream_ms: None };
    check(seed, &run(seed, mix, accidents));
}
