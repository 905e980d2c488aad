//! The judge: lays the agents' truths beside counsel's log, its notices and what persons typed, and says
//! what went wrong. It believes nobody's word about themselves.

use std::collections::BTreeMap;
use std::path::Path;

use counsel::core::log::log_entry::{Entry, Outcome};
use counsel::core::terminal::encode::encode;
use counsel::core::terminal::modes::Modes;
use counsel::demo::truth::{Did, shown};
use counsel::wire::message::Status;

use super::advisor::PANE;
use super::agent::truth_of;
use super::consultant::consulted_of;
use super::field::Seen;
use super::heard::{HeardKey, SKEW_US, TYPED_US, together, write};
use super::score::{Overhead, Score};
use super::script::{Manner, Script, Trouble, Wanted};
use super::truth::{Consulted, Record, read};

/// A key that was on its way when another dialog was drawn in the place of its own.
const FLIGHT_US: u64 = 30_000;
/// The first key comes no sooner after the dialog was drawn.
const GUARD_US: u64 = 250_000;

/// One page, from being drawn to whatever ended it.
#[derive(Debug)]
struct Showing {
    agent: String,
    round: usize,
    page: String,
    shown_us: u64,
    end_us: u64,
    /// Drawn in the place of another dialog.
    twin: bool,
    keys: Vec<HeardKey>,
    end: Ending,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Ending {
    /// By a key.
    Key,
    /// Another dialog took its place, or its agent died.
    Other,
    /// It stood to the end.
    None,
}

/// Where everything of one run is found.
struct Case<'a> {
    script: &'a Script,
    seen: &'a Seen,
    log: &'a [Entry],
    consulted: Vec<Consulted>,
}

pub fn judge(folder: &Path, script: &Script, seen: &Seen, log: &[Entry]) -> Score {
    let case = Case { script, seen, log, consulted: read(&consulted_of(folder)) };
    let mut score = Score {
        agents: script.agents.len(),
        kills: seen.kills.len(),
        lost_agents: seen.lost.len(),
        ..Score::default()
    };
    for life in &script.agents {
        let records: Vec<Record> = read(&truth_of(folder, &life.name));
        let (mut showings, mut strays) = showings(&life.name, &records);
        case.attribute(&life.name, &mut showings, &mut strays);
        for key in strays.iter().filter(|key| !key.person) {
            score
                .wrong_bytes
                .push(format!("{}: {} while no dialog was up ({:?})", life.name, key.bytes, key.did));
        }
        case.given(&life.name, &records, &showings, &mut score);
        for showing in &showings {
            case.showing(showing, &mut score);
        }
    }
    case.deliveries(&mut score);
    for record in read::<Record>(&truth_of(folder, PANE)) {
        if let Record::Heard { bytes, did, .. } = record
            && did.wrong()
        {
            score.wrong_bytes.push(format!("the consultant's pane: {bytes} was {did:?}"));
        }
    }
    let by = format!("consultant {PANE}");
    score.by_pane = log.iter().filter(|entry| entry.by == by).count();
    score
}

/// The pages of an agent's life in order, and the keys that arrived while none was up.
fn showings(agent: &str, records: &[Record]) -> (Vec<Showing>, Vec<HeardKey>) {
    let (mut all, mut strays): (Vec<Showing>, Vec<HeardKey>) = (Vec::new(), Vec::new());
    let mut up = false;
    let close = |all: &mut Vec<Showing>, us: u64, end: Ending, up: &mut bool| {
        if let Some(last) = all.last_mut().filter(|_| *up) {
            (last.end_us, last.end) = (us, end);
        }
        *up = false;
    };
    for record in records {
        match record {
            Record::Begun { us } | Record::End { us } => close(&mut all, *us, Ending::Other, &mut up),
            Record::Shown { us, round, page } => {
                let turned = all.last().is_some_and(|last| {
                    last.keys.last().is_some_and(|key| key.did == Did::Next) && last.round == *round
                });
                let twin = up && !turned;
                let end = if turned { Ending::Key } else { Ending::Other };
                close(&mut all, *us, end, &mut up);
                all.push(Showing {
                    agent: agent.to_owned(),
                    round: *round,
                    page: page.clone(),
                    shown_us: *us,
                    end_us: u64::MAX,
                    twin,
                    keys: Vec::new(),
                    end: Ending::None,
                });
                up = true;
            }
            Record::Heard { did: Did::Reply | Did::Focus, .. } | Record::Printed { .. } => {}
            Record::Heard { us, page, bytes, did, .. } => {
                let key = HeardKey { us: *us, bytes: bytes.clone(), did: *did, person: false };
                match all.last_mut().filter(|_| up) {
                    Some(showing) if !page.is_empty() => showing.keys.push(key),
                    _ => strays.push(key),
                }
            }
            Record::Given { us, .. } | Record::Cancelled { us, .. } => {
                close(&mut all, *us, Ending::Key, &mut up);
            }
        }
    }
    (all, strays)
}

impl Case<'_> {
    /// Marks the keys that a person typed: first among those that did harm, then among the rest.
    fn attribute(&self, agent: &str, showings: &mut [Showing], strays: &mut [HeardKey]) {
        let mut typed: Vec<(u64, String)> = self
            .seen
            .typed
            .iter()
            .filter(|typed| typed.agent == agent)
            .map(|typed| (typed.us, shown(&encode(&typed.input, &Modes::default()))))
            .collect();
        together(
            &mut typed,
            showings.iter_mut().flat_map(|showing| showing.keys.iter_mut()).chain(strays.iter_mut()),
        );
        for harmful in [true, false] {
            let keys =
                showings.iter_mut().flat_map(|showing| showing.keys.iter_mut()).chain(strays.iter_mut());
            for key in keys.filter(|key| key.did.wrong() == harmful && !key.person) {
                let when = |us: u64| us.saturating_sub(SKEW_US) <= key.us && key.us <= us + TYPED_US;
                // The last one that can be it: the same key may have been pressed shortly before.
                let one = typed.iter().rposition(|(us, bytes)| *bytes == key.bytes && when(*us));
                // An Esc and the next key within one look are one token.
                let two = || {
                    typed.windows(2).rposition(|two| {
                        when(two[0].0) && when(two[1].0) && key.bytes == format!("{}{}", two[0].1, two[1].1)
                    })
                };
                if let Some(at) = one {
                    typed.remove(at);
                    key.person = true;
                } else if let Some(at) = two() {
                    typed.drain(at..at + 2);
                    key.person = true;
                }
            }
        }
    }

    /// One page: its keys, and whether it was settled in time.
    fn showing(&self, showing: &Showing, score: &mut Score) {
        score.questions += 1;
        let what = format!("{} round {} {:?}", showing.agent, showing.round, showing.page);
        let wanted = self.script.wanted.get(&showing.page);
        let (mut words, mut typed) = (String::new(), Vec::new());
        for key in showing.keys.iter().filter(|key| !key.person) {
            if in_flight(showing, key) {
                score.in_flight += 1;
            } else if key.did.wrong() {
                score.wrong_bytes.push(format!("{what}: {} was {:?}", key.bytes, key.did));
            } else if key.did == Did::Wrote && !write(&mut words, &key.bytes) {
                score.wrong_bytes.push(format!("{what}: a backspace where nothing of an answer stood"));
            } else if key.did == Did::Wrote {
                typed.push(words.clone());
            }
        }
        let advised = wanted.filter(|wanted| wanted.words || wanted.typed).map(|wanted| &wanted.advised[0]);
        let called = self.escalated_us(showing).is_some();
        let decided = wanted.filter(|wanted| wanted.typed && called).map(|wanted| &wanted.decided[0]);
        let told: Vec<&String> = advised.into_iter().chain(decided).collect();
        // At no time stands there what is the beginning of no answer.
        let own = |words: &&String| !told.iter().any(|told| told.starts_with(words.as_str()));
        if let Some(words) = typed.iter().find(own) {
            score.wrong_bytes.push(format!("{what}: {words:?} was typed"));
        }
        self.in_time(showing, &what, score);
        self.overhead(showing, score);
    }

    /// When a person was called to this page, if at all.
    fn escalated_us(&self, showing: &Showing) -> Option<u64> {
        let told =
            self.seen.told.iter().filter(|told| told.us >= showing.shown_us && told.us <= showing.end_us);
        let mut told = told.filter(|told| {
            let question = &told.question;
            let page =
                question.subject.as_ref().filter(|_| !self.script.wanted.contains_key(&question.prompt));
            question.agent == showing.agent && *page.unwrap_or(&question.prompt) == showing.page
        });
        told.find(|told| told.question.status == Status::Escalated).map(|told| told.us)
    }

    fn in_time(&self, showing: &Showing, what: &str, score: &mut Score) {
        let by_key = (showing.end == Ending::Key).then_some(showing.end_us);
        let escalated = self.escalated_us(showing);
        let settled = match (by_key, escalated) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        };
        let person = showing.keys.last().is_some_and(|key| key.person);
        match (escalated, showing.end, person) {
            (Some(_), _, _) => score.escalated += 1,
            (None, Ending::Key, true) => score.in_pane += 1,
            (None, Ending::Other, _) => score.went_away += 1,
            (None, Ending::Key | Ending::None, _) => {}
        }
        // A server that was killed, or a size at which nothing can be read, begins its time anew.
        let kills = self.seen.kills.iter().map(|(_, up)| *up);
        let sizes = self.seen.resized.iter().filter(|(_, agent)| *agent == showing.agent).map(|(us, _)| *us);
        let within = |us: &u64| *us > showing.shown_us && *us <= settled.unwrap_or(showing.end_us);
        let from = kills.chain(sizes).filter(within).max().unwrap_or(showing.shown_us);
        let until = from + self.script.deadline_secs * 1_000_000;
        match settled {
            Some(us) => {
                score.settled_us.push(us - from.min(us));
                if us > until {
                    score.late.push(format!("{what}: settled after {} ms", (us - from) / 1_000));
                }
            }
            None if showing.end_us > until => score.unanswered.push(what.to_owned()),
            None => {}
        }
    }

    /// From the drawing to the first key, where nothing but the consultant came in between.
    fn overhead(&self, showing: &Showing, score: &mut Score) {
        let calm = self.script.agents.iter().any(|life| {
            life.name == showing.agent
                && life.troubles[showing.round] == Trouble::None
                && life.rounds[showing.round].swap.is_none()
        });
        let Some(wanted) = self.script.wanted.get(&showing.page).filter(|wanted| wanted.manner.answers())
        else {
            return;
        };
        let near = |us: u64| us + 1_000_000 >= showing.shown_us && us <= showing.end_us;
        let killed = self.seen.kills.iter().any(|(us, up)| near(*us) || near(*up))
            || self.seen.lost.iter().any(|(us, _)| near(*us));
        // Then a person's time is in it as well.
        let called = self.seen.told.iter().any(|told| {
            told.question.agent == showing.agent
                && told.question.status == Status::Escalated
                && told.question.prompt == showing.page
        });
        let alone = calm && !killed && !called;
        let Some(first) = showing.keys.first().filter(|key| !key.person && alone) else { return };
        let runs: Vec<&Consulted> = self
            .consulted
            .iter()
            .filter(|run| {
                run.page == showing.page && run.began_us >= showing.shown_us && run.ended_us <= first.us
            })
            .collect();
        let expected = if wanted.manner == Manner::SecondTry { 2 } else { 1 };
        let Some(last) = runs.last().filter(|_| runs.len() == expected) else { return };
        let thought: u64 = runs.iter().map(|run| run.ended_us - run.began_us).sum();
        let overhead = (first.us - showing.shown_us).saturating_sub(thought);
        let guard = (showing.shown_us + GUARD_US).saturating_sub(last.ended_us);
        let begun = runs.first().map_or(0, |run| run.began_us - showing.shown_us);
        score.overhead.push(Overhead {
            whole: overhead,
            bare: overhead.saturating_sub(guard),
            parts: (begun, first.us - last.ended_us),
            page: format!("{} round {} {:?}", showing.agent, showing.round, showing.page),
        });
    }

    /// What the agents took for answers.
    fn given(&self, agent: &str, records: &[Record], showings: &[Showing], score: &mut Score) {
        for record in records {
            let Record::Given { us, round, answers } = record else { continue };
            for (page, labels) in answers {
                let Some(wanted) = self.script.wanted.get(page) else { continue };
                let by_hand = showings.iter().filter(|s| s.round == *round && s.shown_us <= *us).any(|s| {
                    s.keys.iter().any(|key| {
                        key.person && matches!(key.did, Did::Next | Did::Answered | Did::Ticked | Did::Wrote)
                    })
                });
                let asked_person = self.seen.told.iter().any(|told| {
                    told.question.agent == agent
                        && told.us <= *us
                        && told.question.status == Status::Escalated
                        && (told.question.prompt == *page || told.question.subject.as_ref() == Some(page))
                });
                // Enter was pressed on the dialog before and arrived at this one.
                let flew = showings.iter().any(|s| {
                    let last = s.keys.last().filter(|key| !key.person);
                    s.round == *round
                        && s.page == *page
                        && s.twin
                        && last.is_some_and(|key| in_flight(s, key))
                });
                let who = allowed(wanted, page, labels, asked_person);
                match who {
                    _ if by_hand || flew => {}
                    Some("consultant") => score.by_consultant += 1,
                    Some("rule") => score.by_rule += 1,
                    Some(_) => score.by_person += 1,
                    None => score.wrong_options.push(format!(
                        "{agent} round {round} {page:?}: {labels:?} instead of {:?} ({:?}) or {:?}",
                        wanted.advised, wanted.manner, wanted.decided
                    )),
                }
                self.reported(agent, *us, page, labels, score);
            }
        }
    }

    /// Whether the log tells of this answer what the agent took.
    fn reported(&self, agent: &str, us: u64, page: &str, labels: &[String], score: &mut Score) {
        let of_page = |entry: &&Entry| {
            entry.agent == agent
                && entry.outcome == Outcome::Answered
                && entry.settled_at <= us / 1_000 + self.script.deadline_secs * 1_000
                && (entry.prompt == page || entry.subject.as_deref() == Some(page))
        };
        // The last one counts: a person may have gone back to a page.
        if let Some(entry) = self.log.iter().rfind(of_page)
            && entry.answer.as_deref() != Some(labels.join(", ").as_str())
        {
            let told = &entry.answer;
            score.misreported.push(format!("{agent} {page:?}: the log says {told:?}, it took {labels:?}"));
        }
    }

    /// No question is delivered twice.
    fn deliveries(&self, score: &mut Score) {
        let mut times: BTreeMap<(u64, &str), (usize, Option<Status>)> = BTreeMap::new();
        // What a dead server said last may be read after its kill; the next one is heard first as it greets.
        let life_of = |us: u64| self.seen.kills.iter().filter(|(_, up)| *up != 0 && *up <= us).count() as u64;
        for told in &self.seen.told {
            let entry = times.entry((life_of(told.us), told.question.id.as_str())).or_default();
            let status = told.question.status;
            if status == Status::Answering && entry.1 != Some(Status::Answering) {
                entry.0 += 1;
            }
            entry.1 = Some(status);
        }
        for ((_, id), (count, _)) in times {
            let persons = self.seen.answers.iter().filter(|answer| *answer == id).count();
            if count > persons + 1 {
                score
                    .doubles
                    .push(format!("{id} was delivered {count} times, {persons} of them by a person"));
            }
        }
        let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
        for entry in self.log {
            *seen.entry(&entry.id).or_default() += 1;
        }
        let twice = seen.into_iter().filter(|(_, count)| *count > 1);
        score.doubles.extend(twice.map(|(id, count)| format!("{id} stands {count} times in the log")));
    }
}

/// Whether a key cannot have been sent in knowledge of the dialog it hit.
fn in_flight(showing: &Showing, key: &HeardKey) -> bool {
    showing.twin && key.us < showing.shown_us + FLIGHT_US
}

/// Whose answer this is, if anybody's.
fn allowed(wanted: &Wanted, page: &str, labels: &[String], asked_person: bool) -> Option<&'static str> {
    let rule = page.starts_with("make check ");
    match wanted.manner {
        Manner::None if rule && labels == wanted.advised => Some("rule"),
        manner if manner.answers() && labels == wanted.advised => Some("consultant"),
        _ if asked_person && labels == wanted.decided => Some("person"),
        _ => None,
    }
}
