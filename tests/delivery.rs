//! Delivery against dialogs that fight back: scripted agents drawn on an emulator, seen by detection,
//! answered by delivery, over lines that delay, split and join what they carry, with a person who
//! types and windows that change size. The agents' own records say what was really committed.
#![allow(clippy::unwrap_used, reason = "a test may fail where its fixture does")]

use std::collections::VecDeque;
use std::sync::Arc;

use counsel::core::deliver::{Delivery, DeliveryContext, Step};
use counsel::core::detect::watch::{Snapshot, Watcher};
use counsel::core::profile::{LazyProfile, Profiles};
use counsel::core::question::{Answer, Question, Role as RowRole, Verdict};
use counsel::core::terminal::encode::encode;
use counsel::core::terminal::grid::Size;
use counsel::core::terminal::keys::{Input, Key, KeyPress};
use counsel::core::terminal::query_replies::TerminalIdentity;
use counsel::core::terminal::screen::Screen;
use counsel::demo::actor::Actor;
use counsel::demo::keys::Decoder;
use counsel::demo::script::{Asked, Role, Step as Scene};
use counsel::demo::truth::Given;
use counsel::demo::truth::Record;
use counsel::demo::widget::Page;

/// A small generator of our own: the schedule of a run must be told by one number.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        // SplitMix64.
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) % sides
    }

    fn one_in(&mut self, n: u64) -> bool {
        self.roll(n) == 0
    }
}

/// Bytes on their way, each with the time it arrives.
#[derive(Default)]
struct Line(VecDeque<(u64, Vec<u8>)>);

impl Line {
    /// Sent now, arrives up to `most` ms later and never before what was sent before it.
    fn send(&mut self, bytes: &[u8], now: u64, most: u64, dice: &mut Dice) {
        let before = self.0.back().map_or(0, |(at, _)| *at);
        self.0.push_back(((now + dice.roll(most + 1)).max(before), bytes.to_vec()));
    }

    /// Everything that has arrived, as one read.
    fn read(&mut self, now: u64) -> Vec<u8> {
        let mut read = Vec::new();
        while self.0.front().is_some_and(|(at, _)| *at <= now) {
            read.extend(self.0.pop_front().unwrap().1);
        }
        read
    }
}

/// What disturbs a run.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Trouble {
    None,
    /// A person types this key at some time.
    Person(Key),
    Resize,
}

/// What came of a run.
#[derive(Debug)]
struct Outcome {
    failed: Option<String>,
    given: Vec<Vec<Given>>,
    /// Bytes that were lost, meant nothing or cancelled.
    wrong: Vec<String>,
    commits: usize,
    log: Vec<String>,
}

struct Run {
    dice: Dice,
    now: u64,
    actor: Actor,
    decoder: Decoder,
    screen: Screen,
    size: Size,
    watcher: Watcher,
    profile: Arc<LazyProfile>,
    verdict: Verdict,
    judged: u64,
    changed: u64,
    typed: u64,
    up: Line,
    down: Line,
    latency: u64,
    resized: bool,
    records: Vec<Record>,
    log: Vec<String>,
}

impl Run {
    fn new(seed: u64, scenes: Vec<Scene>) -> Run {
        let mut dice = Dice(seed);
        let size = [Size::new(120, 40), Size::new(80, 24), Size::new(60, 14)][dice.roll(3) as usize];
        let latency = [2, 20, 90][dice.roll(3) as usize];
        Run {
            actor: Actor::playing(Role::Api, scenes, size, true),
            decoder: Decoder::default(),
            screen: Screen::new(size, TerminalIdentity::default()),
            watcher: Watcher::new(),
            profile: Profiles::builtin().get("demo").unwrap(),
            verdict: Verdict::default(),
            judged: 0,
            changed: 0,
            typed: 0,
            up: Line::default(),
            down: Line::default(),
            records: Vec::new(),
            log: Vec::new(),
            now: 0,
            resized: false,
            dice,
            size,
            latency,
        }
    }

    fn send(&mut self, input: &Input) {
        let bytes = encode(input, &self.screen.modes());
        let latency = self.latency;
        self.down.send(&bytes, self.now, latency, &mut self.dice);
        self.log.push(format!("{} {input:?}", self.now));
    }

    /// One millisecond; whether there is a new judgement.
    fn tick(&mut self) -> bool {
        self.now += 1;
        let now = self.now;
        let heard = self.down.read(now);
        let mut dirty = now == 1 || self.resized;
        self.resized = false;
        if !heard.is_empty() {
            dirty = true;
            let mut tokens = self.decoder.push(&heard);
            tokens.extend(self.decoder.flush());
            self.actor.hear(&tokens, now);
        }
        if self.actor.next_wake().is_some_and(|at| at <= now) {
            self.actor.tick(now);
            dirty = true;
        }
        if dirty && self.actor.over().is_none() {
            let frame = self.actor.frame(self.size);
            for chunk in frame.as_bytes().chunks(1 + self.dice.roll(4096) as usize) {
                let latency = self.latency;
                self.up.send(chunk, now, latency, &mut self.dice);
            }
        }
        self.records.extend(self.actor.take_records());
        let output = self.up.read(now);
        if !output.is_empty() {
            let replies = self.screen.feed(&output).replies;
            if !replies.is_empty() {
                let latency = self.latency;
                self.down.send(&replies, now, latency, &mut self.dice);
            }
            self.watcher.saw_output(now);
            self.changed = now;
        }
        if self.watcher.next_wake().is_none_or(|at| at > now) || self.screen.in_sync() {
            return false;
        }
        let look = Snapshot {
            grid: self.screen.grid(),
            versions: self.screen.versions(),
            title: self.screen.title(),
            status: None,
            modes: self.screen.modes(),
            alive: true,
            witness: None,
            asked: None,
            written: "",
            from_the_start: false,
            first_line: None,
            resized_ms: None,
            draft: "",
            wiped: false,
            untouched: false,
            still_ms: 0,
            ages: &[],
        };
        if let Some(verdict) = self.watcher.poll(&self.profile, &look, now) {
            self.verdict = verdict;
        }
        self.judged = now;
        true
    }
}

/// A page and what is to be answered to it.
#[derive(Clone)]
struct Wanted {
    page: Page,
    labels: Vec<String>,
    text: bool,
}

const WORDS: [&str; 8] = [
    "PostgreSQL",
    "SQLite",
    "Redis",
    "A longer label that says much more than the others do",
    "Ja",
    "日本語",
    "Yes",
    "No",
];

fn wanted(dice: &mut Dice, number: usize) -> Wanted {
    let count = 2 + dice.roll(5) as usize;
    let first = dice.roll(WORDS.len() as u64) as usize;
    let labels: Vec<&str> = (0..count).map(|at| WORDS[(first + at) % WORDS.len()]).collect();
    let rows: Vec<(&str, &str)> =
        labels.iter().map(|label| (*label, if dice.one_in(2) { "a few words on it" } else { "" })).collect();
    let prompt = format!("Which of these should I take as number {number}?");
    if dice.one_in(3) {
        let page = Page::multi("Several", &prompt, &rows);
        let labels = labels.iter().filter(|_| dice.one_in(2)).map(|label| label.to_string()).collect();
        return Wanted { page, labels, text: false };
    }
    let page = Page::menu("One", &prompt, &rows);
    if dice.one_in(3) {
        return Wanted {
            page: page.with_free_text(),
            labels: vec!["2 of my own, 3 words".into()],
            text: true,
        };
    }
    let chosen = labels[dice.roll(count as u64) as usize].to_string();
    let page = if dice.one_in(2) { page.with_free_text() } else { page };
    Wanted { page, labels: vec![chosen], text: false }
}

/// The answer to what is on the screen, as routing would have it.
fn answer(question: &Question, plan: &[Wanted]) -> Option<Answer> {
    if question.prompt.starts_with("Ready to submit") {
        return Some(Answer::Rows(vec![0]));
    }
    let wanted = plan.iter().find(|wanted| wanted.page.prompt == question.prompt)?;
    if wanted.text {
        return Some(Answer::Text(wanted.labels[0].clone()));
    }
    let rows = question
        .options
        .iter()
        .enumerate()
        .filter(|(_, row)| row.role == RowRole::Choice && wanted.labels.contains(&row.label));
    Some(Answer::Rows(rows.map(|(at, _)| at).collect()))
}

/// A run that lasts longer hangs.
const LONGEST_MS: u64 = 30_000;

/// Plays one run to its end.
fn play(seed: u64, trouble: Trouble) -> (Vec<Wanted>, Outcome) {
    let mut dice = Dice(seed ^ 0x5eed);
    let count = if dice.one_in(3) { 2 } else { 1 };
    let plan: Vec<Wanted> = (0..count).map(|number| wanted(&mut dice, number)).collect();
    let pages = plan.iter().map(|wanted| wanted.page.clone()).collect();
    let scenes =
        vec![Scene::Work("Reading", 300), Scene::Ask(Asked::Pages(pages)), Scene::Work("Writing", 300)];
    let mut run = Run::new(seed, scenes);
    let trouble_at = 350 + dice.roll(1_200);
    let mut last = None;
    let (mut delivery, mut wake, mut failed, mut stopped): (Option<Delivery>, u64, Option<String>, bool) =
        (None, 0, None, false);
    while run.now < LONGEST_MS && failed.is_none() && run.actor.over().is_none() {
        let fresh = run.tick();
        if run.now == trouble_at {
            match trouble {
                Trouble::None => {}
                Trouble::Person(key) => {
                    run.typed += 1;
                    run.send(&Input::Key(KeyPress::plain(key)));
                }
                Trouble::Resize => {
                    run.size = Size::new(run.size.cols - 7, run.size.rows - 1);
                    run.screen.resize(run.size);
                    run.resized = true;
                    run.watcher.saw_resize(run.now);
                    stopped = delivery.is_some();
                }
            }
        }
        if delivery.is_none()
            && let Some(question) = run.verdict.question.clone()
            && last != Some(question.fingerprint())
            && let Some(answer) = answer(&question, &plan)
        {
            stopped = false;
            last = Some(question.fingerprint());
            run.log.push(format!("{} asked {}", run.now, question.labels().join(" | ")));
            match Delivery::new(&question, &answer, &run.profile.keys, run.typed, run.now) {
                Ok(new) => delivery = Some(new),
                Err(why) => failed = Some(why),
            }
            wake = run.now;
        }
        let Some(moving) = &mut delivery else { continue };
        if !fresh && run.now < wake {
            continue;
        }
        let view = DeliveryContext {
            verdict: &run.verdict,
            judged_ms: run.judged,
            changed_ms: run.changed,
            text: String::new(),
            size: Size::FALLBACK,
            typed: run.typed,
            stopped,
            input_blocked: false,
        };
        wake = u64::MAX;
        match moving.step(&view, run.now) {
            Step::Press(press) => run.send(&Input::Key(press)),
            Step::Text(text) => run.send(&Input::Text(text)),
            Step::Paste(text) => run.send(&Input::Paste(text)),
            Step::Wait { until_ms } => wake = until_ms,
            Step::Done(proof) => {
                run.log.push(format!("{} done {proof:?}", run.now));
                delivery = None;
            }
            Step::Failed(why) => failed = Some(why),
        }
    }
    // What is still on its way arrives.
    for _ in 0..1_000 {
        run.tick();
    }
    let labels = run.verdict.question.as_ref().map(|question| question.labels().join(" | "));
    run.log.push(format!("{} {labels:?} on\n{}", run.now, run.screen.grid().text()));
    let outcome = outcome(run, failed);
    (plan, outcome)
}

fn outcome(run: Run, failed: Option<String>) -> Outcome {
    let (mut given, mut wrong, mut commits) = (Vec::new(), Vec::new(), 0);
    for record in run.records {
        match record {
            Record::Given { answers, .. } => {
                commits += 1;
                given.push(answers);
            }
            Record::Heard { ms, bytes, did } if did.wrong() => wrong.push(format!("{ms} {bytes} {did:?}")),
            Record::Heard { .. } | Record::Asked { .. } | Record::Message { .. } | Record::End { .. } => {}
        }
    }
    Outcome { failed, given, wrong, commits, log: run.log }
}

/// What no run may show, whatever happened in it.
fn never(plan: &[Wanted], outcome: &Outcome, context: &str) {
    assert!(outcome.commits <= 1, "{context}: committed more than once: {outcome:#?}");
    for given in outcome.given.iter().flatten() {
        let wanted = plan.iter().find(|wanted| wanted.page.prompt == given.prompt).unwrap();
        assert_eq!(given.answer, wanted.labels, "{context}: another answer was committed: {outcome:#?}");
    }
}

/// Runs of each kind; enough to meet every dialog, size and delay many times.
const RUNS: u64 = 150;

#[test]
fn without_trouble_every_answer_arrives() {
    for seed in 0..RUNS {
        let (plan, outcome) = play(seed, Trouble::None);
        let context = format!("seed {seed}");
        never(&plan, &outcome, &context);
        assert_eq!(outcome.failed, None, "{context}: {}", outcome.log.join("\n"));
        assert_eq!(outcome.commits, 1, "{context}: {}", outcome.log.join("\n"));
        assert!(outcome.wrong.is_empty(), "{context}: {outcome:#?}");
    }
}

#[test]
fn a_person_who_types_ends_the_delivery() {
    let mut ended = 0;
    for seed in 0..RUNS {
        for key in [Key::Down, Key::Up, Key::Char(' ')] {
            let (plan, outcome) = play(seed, Trouble::Person(key));
            never(&plan, &outcome, &format!("seed {seed}, {key:?}"));
            ended += u64::from(outcome.failed.is_some());
        }
    }
    assert!(ended > RUNS / 2, "the person came in the middle of only {ended} deliveries");
}

#[test]
fn a_resize_never_makes_it_another_answer() {
    for seed in 0..RUNS {
        let (plan, outcome) = play(seed, Trouble::Resize);
        never(&plan, &outcome, &format!("seed {seed}"));
    }
}
