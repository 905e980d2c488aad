//! Status reports and titles of the recorded programs, held against their screens at every labelled time.
#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use std::path::{Path, PathBuf};

use counsel::core::detect::channels::{Agreement, Signal, Trust};
use counsel::core::detect::watch::Explanation;
use counsel::core::profile::Profiles;
use counsel::core::question::State;
use counsel::core::recording::asciicast::Asciicast;
use counsel::core::recording::replay::explained_at;
use counsel::core::recording::score::Labels;

/// Programs that report their state by OSC 7501 or by their title.
fn reports(name: &str) -> bool {
    ["codex", "gemini", "claude-2.1.329-pstatus"].iter().any(|known| name.starts_with(known))
}

/// Codex asks here and goes on with its work: only its title tells, and nothing of the question is on the screen. What
/// contradicts calls a person, as it must.
const ASKED_BESIDE_THE_WORK: &str = "codex-0.169.0-async-120x40";

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/recordings")
}

fn cast(name: &str) -> Asciicast {
    Asciicast::parse(&std::fs::read_to_string(folder().join(format!("{name}.cast"))).unwrap()).unwrap()
}

fn recordings() -> Vec<(String, Labels)> {
    let files = std::fs::read_dir(folder()).unwrap().map(|entry| entry.unwrap().path());
    let labelled = files.filter(|path| path.extension().is_some_and(|kind| kind == "json"));
    let mut all: Vec<(String, Labels)> = labelled
        .map(|path| {
            let labels = serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
            (path.file_stem().unwrap().to_string_lossy().into_owned(), labels)
        })
        .collect();
    all.sort_by(|(one, _), (other, _)| one.cmp(other));
    all
}

#[test]
fn no_channel_contradicts_a_screen_that_was_read_rightly() {
    let (mut high, mut heard, mut wrong) = (0, 0, Vec::new());
    for (name, t, seen) in screens().into_iter().filter(|(name, ..)| name != ASKED_BESIDE_THE_WORK) {
        heard += usize::from(!seen.channels.is_empty());
        high += usize::from(seen.trust == Trust::High && seen.state == State::Asking);
        for word in seen.channels.iter().filter(|word| word.agreement == Agreement::Contradicts) {
            wrong.push(format!("{name} @{t}: {} {}", word.channel, word.detail));
        }
    }
    assert!(wrong.is_empty(), "{} of {heard}:\n{}", wrong.len(), wrong.join("\n"));
    assert!(heard >= 111 && high >= 30, "{heard} heard, {high} of them agree with a dialog");
}

/// Every labelled screen of the recordings: name, time, what is seen.
fn screens() -> Vec<(String, f64, Explanation)> {
    let profiles = Profiles::builtin();
    let mut all = Vec::new();
    for (name, labels) in recordings() {
        let cast = cast(&name);
        let profile = profiles.for_command(&cast.argv());
        let times: Vec<u64> =
            labels.checkpoints.iter().map(|point| (point.t * 1000.0).round() as u64).collect();
        let seen = explained_at(&cast, &profile, &times);
        all.extend(labels.checkpoints.iter().zip(seen).map(|(point, seen)| (name.clone(), point.t, seen)));
    }
    all
}

/// What is reported may be ahead of the screen, for less time than it takes to doubt a question.
#[test]
fn contradictions_pass_within_a_second_and_a_half() {
    const STEP_MS: u64 = 100;
    const LONGEST_MS: u64 = 1_500;
    let profiles = Profiles::builtin();
    let mut longest = 0;
    let told = |name: &str| reports(name) && name != ASKED_BESIDE_THE_WORK;
    for (name, _) in recordings().iter().filter(|(name, _)| told(name)) {
        let cast = cast(name);
        let profile = profiles.for_command(&cast.argv());
        let end = cast.events.last().map_or(0, |event| event.at_ms);
        let times: Vec<u64> = (0..=end / STEP_MS).map(|step| step * STEP_MS).collect();
        let mut since = None;
        for (at, seen) in times.iter().zip(explained_at(&cast, &profile, &times)) {
            let doubted = seen.trust == Trust::Low;
            since = if doubted { since.or(Some(*at)) } else { None };
            let lasted = since.map_or(0, |since| at - since);
            assert!(lasted <= LONGEST_MS, "{name} @{at} ms: {seen}");
            longest = longest.max(lasted);
        }
    }
    println!("the longest contradiction: {longest} ms");
}

#[test]
fn the_title_tells_of_a_question_that_is_asked_beside_the_work_until_the_turn_ends() {
    let told: Vec<(f64, bool)> = screens()
        .into_iter()
        .filter(|(name, ..)| name == ASKED_BESIDE_THE_WORK)
        .map(|(_, t, seen)| {
            let title = |word: &Signal| word.channel == "title" && word.agreement == Agreement::Contradicts;
            (t, seen.channels.iter().any(title))
        })
        .collect();
    assert_eq!(told, [(9.4, true), (14.3, true), (25.2, false)]);
}
