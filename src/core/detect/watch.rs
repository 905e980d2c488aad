//! When to look at a screen, and what was seen: the quiet-time rule around detection.
//!
//! The hub feeds it the times of output and asks for a verdict when `next_wake` says so. Pure: time
//! comes in as milliseconds.

use serde::Serialize;

use crate::core::detect::channels::{Agreement, Signal, Trust, signals};
use crate::core::detect::line_cache::LineCache;
use crate::core::detect::witness::Reader;
use crate::core::detect::{self, Step, Trace};
use crate::core::profile::Profile;
use crate::core::question::{Fingerprint, Kind, Needs, Question, State, Verdict};

pub use crate::core::detect::{Snapshot, last_message};

/// After output, a screen is read once nothing came for this long: programs write a frame in
/// several chunks, a few milliseconds apart.
const QUIET_MS: u64 = 25;
/// A program that never pauses (a spinner, a blinking mark) is read at least this often: a question beside a spinner is
/// to be seen within 50 ms as well.
const LONGEST_MS: u64 = 45;
/// After a resize the program redraws; what stands until then is the old screen, re-wrapped.
const RESIZE_MS: u64 = 150;

/// A program that has just printed a prompt may not have come to its read yet, and one that prints and works on may
/// come to it much later: it is looked at again after this long, then after twice that each time.
const READER_MS: u64 = 25;
/// Where nothing is recognised, the kernel is asked once the program has printed nothing for this long.
const SILENT_MS: u64 = 400;
/// Where something always moves, the kernel is asked this often whether somebody waits for keys beside it: it takes
/// milliseconds.
const RESTLESS_LOOK_MS: u64 = 1_000;
/// While a prompt stands it is looked at this often whether its read is over: one that gives up prints nothing.
const STANDING_MS: u64 = 1_000;
/// A loop of events that is awake is asleep again by then, …
const AWAKE_MS: u64 = 50;
/// … or after so many such looks, where the screen stays as it is: seconds after the last key the runtime of a program
/// clears its memory, which takes some hundred milliseconds on a busy machine.
const AWAKE_LOOKS: u8 = 8;
/// Longest pause between two looks.
const RARELY_MS: u64 = 60_000;

/// Finding out what program reads takes some milliseconds, on a busy machine some ten.
const UNKNOWN_LOOK_MS: u64 = 10;
/// A file system that takes longer than this may never answer, and the question is a person's: most of the time there is
/// for an answer is left by then. Where builds take every core it took more than two seconds.
const UNKNOWN_MS: u64 = 10_000;

/// A request for consent, and a list of which a part is out of view, is told once it has stood unchanged for this long: opencode and
/// Gemini CLI may draw the frame around a command, whole and with its options, one frame before the command (40 ms apart, several
/// times that on a busy machine), and Gemini CLI the first row of a list one frame before the others.
const DRAWN_MS: u64 = 200;
/// One that never stands is told as it is.
const RESTLESS_MS: u64 = 1_000;
/// One whose command or change never comes is told without: Claude Code takes 0.3 s to draw a change, several times that on a busy
/// machine.
const UNDRAWN_MS: u64 = 5_000;

/// A program too busy to end its synchronized update is given this long for the rest of the frame.
const HALF_FRAME_MS: u64 = 1_000;

/// The verdict on one screen.
pub fn classify(profile: &Profile, snapshot: &Snapshot) -> Verdict {
    detect::classify(profile, snapshot, &mut LineCache::default(), &mut Trace::default())
}

/// Why a screen is judged as it is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Explanation {
    pub profile: String,
    pub state: State,
    pub why: String,
    pub steps: Vec<Step>,
    pub question: Option<crate::core::question::Question>,
    pub draft: Option<String>,
    /// What the program's other channels say of it.
    pub channels: Vec<Signal>,
    pub trust: Trust,
}

impl Explanation {
    /// One more channel is heard.
    pub fn add(&mut self, word: Signal) {
        self.channels.push(word);
        self.trust = Trust::of(&self.channels);
    }
}

/// The verdict with every step that led to it.
pub fn explain(profile: &Profile, snapshot: &Snapshot) -> Explanation {
    let mut trace = Trace { on: true, steps: Vec::new() };
    let verdict = detect::classify(profile, snapshot, &mut LineCache::default(), &mut trace);
    let channels = signals(profile, snapshot, &verdict);
    Explanation {
        trust: Trust::of(&channels),
        channels,
        profile: profile.name.clone(),
        state: verdict.state,
        why: verdict.why,
        steps: trace.steps,
        question: verdict.question,
        draft: verdict.composer.map(|composer| composer.draft),
    }
}

impl std::fmt::Display for Explanation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        writeln!(f, "{} ({})", self.state.name(), self.why)?;
        for step in &self.steps {
            writeln!(f, "  {} {}: {}", if step.fired { "+" } else { "-" }, step.rule, step.detail)?;
        }
        for Signal { channel, agreement, detail } in &self.channels {
            let mark = match agreement {
                Agreement::Agrees => "= agrees",
                Agreement::Silent => ". silent",
                Agreement::Contradicts => "! contradicts",
            };
            writeln!(f, "  {mark}: {channel} {detail}")?;
        }
        if self.question.is_some() || self.trust == Trust::Low {
            writeln!(f, "  trust: {}", self.trust.name())?;
        }
        if let Some(question) = &self.question {
            writeln!(f, "  {}: {}", question.kind.name(), question.prompt)?;
            for (row, choice) in question.options.iter().enumerate() {
                let mark = if question.selected == Some(row) { '>' } else { ' ' };
                let tick = match choice.checked {
                    Some(true) => "[x] ",
                    Some(false) => "[ ] ",
                    None => "",
                };
                writeln!(f, "  {mark} {}. {tick}{}", row + 1, choice.label)?;
            }
            if let Some(subject) = &question.subject {
                writeln!(f, "    asked for: {subject}")?;
            }
        }
        if let Some(draft) = self.draft.as_ref().filter(|draft| !draft.is_empty()) {
            writeln!(f, "  draft: {draft}")?;
        }
        Ok(())
    }
}

/// Decides when a screen has settled enough to be judged, and reports changes of the verdict. One watches one screen.
#[derive(Debug, Clone, Default)]
pub struct Watcher {
    /// Output not yet judged: when the first and the last of it came.
    pending: Option<(u64, u64)>,
    /// Not before this time: a resize is being answered.
    hold_until: u64,
    /// Since when it is being found out what reads.
    unknown_since: Option<u64>,
    last: Option<Verdict>,
    /// The screen's rows as they were read last.
    cache: LineCache,
    /// Whoever calls can ask the kernel who reads the terminal.
    witnessing: bool,
    /// The screen was judged, and its verdict waits for a witness.
    asks: bool,
    /// When to ask who reads, though nothing was printed, and after how long once more.
    again: Option<(u64, u64)>,
    /// When who reads was last asked for.
    witness_ms: u64,
    /// At so many looks in a row nobody read where a question had stood before.
    awake: u8,
    /// A request for consent, or a list, that is being drawn.
    drawn: Option<Drawn>,
}

/// A request for consent, or a part of a list, that was not there at the last verdict.
#[derive(Debug, Clone)]
struct Drawn {
    fingerprint: Fingerprint,
    /// Since when it looks like this, and since when there is one at all.
    since_ms: u64,
    first_ms: u64,
    /// When it is told if nothing more comes.
    until_ms: u64,
}

impl Watcher {
    /// For screens alone: recordings, and terminals of which nothing more can be known.
    pub fn new() -> Watcher {
        Watcher::default()
    }

    /// For a terminal whose readers can be seen. A verdict that rests on them is held back until `settle` is called
    /// with a witness, which is to be brought whenever `wants_witness`.
    pub fn with_witness() -> Watcher {
        Watcher { witnessing: true, ..Watcher::default() }
    }

    pub fn saw_output(&mut self, now_ms: u64) {
        let first = self.pending.map_or(now_ms, |(first, _)| first);
        self.pending = Some((first, now_ms));
        (self.asks, self.again) = (false, None);
    }

    /// Whether the last `settle` held its verdict back. Output that comes before the witness takes it back.
    pub fn wants_witness(&self) -> bool {
        self.asks
    }

    /// The witness that was brought does not know yet what reads: another is wanted in a moment. `false`: that has taken
    /// so long that this one counts.
    pub fn waits_for_witness(&mut self, now_ms: u64) -> bool {
        let since = *self.unknown_since.get_or_insert(now_ms);
        let waits = now_ms < since + UNKNOWN_MS;
        if waits {
            self.hold_until = self.hold_until.max(now_ms + UNKNOWN_LOOK_MS);
        }
        waits
    }

    /// What reads is known again.
    pub fn knows_witness(&mut self) {
        self.unknown_since = None;
    }

    /// The size changed: the next verdict waits until the program had time to redraw.
    pub fn saw_resize(&mut self, now_ms: u64) {
        self.hold_until = now_ms + RESIZE_MS;
        self.saw_output(now_ms);
    }

    /// A synchronized update was cut short: what stands there is part of two frames.
    pub fn saw_half_a_frame(&mut self, now_ms: u64) {
        self.hold_until = now_ms + HALF_FRAME_MS;
        self.saw_output(now_ms);
    }

    /// Whether something was printed, or is to be looked at as if it had been, that no verdict takes in yet. A look
    /// that only asks once more who reads is none of that.
    pub fn unjudged(&self) -> bool {
        self.pending.is_some() || self.drawn.is_some()
    }

    /// Whether the last look met something that may still be being drawn: the verdict reported last is of what stood before it.
    pub fn holds_back(&self) -> bool {
        self.drawn.is_some()
    }

    /// When to call `settle`; none while there is nothing new.
    pub fn next_wake(&self) -> Option<u64> {
        let pending = self.pending.map(|(first, last)| (last + QUIET_MS).min(first + LONGEST_MS));
        let drawn = self.drawn.as_ref().map(|drawn| drawn.until_ms);
        let again = self.again.map(|(at, _)| at);
        Some(pending.or(drawn).or(again)?.max(self.hold_until))
    }

    /// The verdict, when it is time for one and it differs from the one before.
    pub fn poll(&mut self, profile: &Profile, snapshot: &Snapshot, now_ms: u64) -> Option<Verdict> {
        if self.next_wake().is_none_or(|wake| now_ms < wake) {
            return None;
        }
        let verdict = self.classify(profile, snapshot);
        let quiet = self.pending.is_none();
        self.asks = self.witnessing
            && snapshot.witness.is_none()
            && match verdict.needs {
                Needs::Nothing => false,
                Needs::Witness => true,
                // What is typed behind a prompt can make it unlike any, and a menu drawn anew is one only as long as
                // somebody waits for keys.
                Needs::WitnessOnceQuiet => quiet || self.asked() || self.idle_by_reader(),
                Needs::WitnessNowAndThen => {
                    quiet || self.asked() || now_ms >= self.witness_ms + RESTLESS_LOOK_MS
                }
            };
        if self.asks {
            self.witness_ms = now_ms;
            return None;
        }
        if self.is_being_drawn(profile, &verdict, now_ms) {
            return None;
        }
        self.pending = None;
        if self.may_be_awake(snapshot, &verdict, quiet) {
            // What was printed since tells more than a look: it takes one more.
            self.awake = if quiet { self.awake + 1 } else { AWAKE_LOOKS };
            self.again = Some((now_ms + AWAKE_MS, AWAKE_MS));
            return None;
        }
        self.awake = 0;
        self.again = self.next_look(&verdict, now_ms);
        if self.last.as_ref() == Some(&verdict) {
            return None;
        }
        self.last = Some(verdict.clone());
        Some(verdict)
    }

    fn classify(&mut self, profile: &Profile, snapshot: &Snapshot) -> Verdict {
        detect::classify(profile, snapshot, &mut self.cache, &mut Trace::default())
    }

    /// Whether more of it may come: of a request for consent the command, which it is decided by, and of any other question the
    /// words and rows that are out of view so far. Only of programs that are known it is known what belongs to a dialog.
    fn is_being_drawn(&mut self, profile: &Profile, verdict: &Verdict, now_ms: u64) -> bool {
        let told = self.last.as_ref().and_then(|last| last.question.as_ref());
        // A list that scrolls shows other rows below the same words.
        let scrolls = |asked: &Question| {
            told.is_some_and(|told| told.kind == asked.kind && told.prompt == asked.prompt)
        };
        let grows = |asked: &&Question| match asked.kind {
            Kind::Permission | Kind::Plan => true,
            Kind::Menu | Kind::Multi => asked.partial && !scrolls(asked),
            _ => false,
        };
        let asked = verdict.question.as_ref().filter(grows).filter(|_| !profile.any_program);
        let told = told.map(Question::fingerprint);
        let Some(fingerprint) = asked.map(Question::fingerprint).filter(|new| told != Some(*new)) else {
            self.drawn = None;
            return false;
        };
        let now = Drawn { fingerprint, since_ms: now_ms, first_ms: now_ms, until_ms: now_ms };
        let drawn = self.drawn.get_or_insert(now);
        if drawn.fingerprint != fingerprint {
            (drawn.fingerprint, drawn.since_ms) = (fingerprint, now_ms);
        }
        drawn.until_ms = match asked.is_some_and(|asked| asked.origin.undrawn) {
            true => drawn.first_ms + UNDRAWN_MS,
            false => (drawn.since_ms + DRAWN_MS).min(drawn.first_ms + RESTLESS_MS),
        };
        let waits = now_ms < drawn.until_ms;
        if waits {
            (self.pending, self.again) = (None, None);
        } else {
            self.drawn = None;
        }
        waits
    }

    fn asked(&self) -> bool {
        self.last.as_ref().is_some_and(|verdict| verdict.question.is_some())
    }

    /// Whether only who reads made the last verdict idle: a monitor draws anew every second, and stays what it is.
    fn idle_by_reader(&self) -> bool {
        let by_reader = |last: &Verdict| last.state == State::Idle && last.needs == Needs::WitnessOnceQuiet;
        self.last.as_ref().is_some_and(by_reader)
    }

    /// Whether nobody reads only because a loop of events is about its own affairs, as one that lets its cursor blink is ten
    /// times a second: what stood there a moment ago goes with the second such look, or later where nothing was printed since.
    fn may_be_awake(&self, snapshot: &Snapshot, verdict: &Verdict, quiet: bool) -> bool {
        let nobody = snapshot.witness.is_some_and(|witness| witness.reader == Reader::Nobody);
        let stood = self.last.as_ref().and_then(|last| last.question.as_ref());
        let loops = |question: &Question| match question.origin.wait() {
            Some(wait) if wait.blocking => question.kind == Kind::Dialog && !question.origin.line,
            Some(_) => true,
            None => question.kind == Kind::Dialog,
        };
        let gone = || verdict.question.is_none() || quiet;
        nobody && stood.is_some_and(loops) && gone() && self.awake < AWAKE_LOOKS
    }

    /// When to ask again who reads: a verdict that rests on it may change without a byte.
    fn next_look(&self, verdict: &Verdict, now_ms: u64) -> Option<(u64, u64)> {
        // An event loop is awake now and then: where a prompt stood at the last look, its reader may be back soon.
        let stood = self.last.as_ref().is_some_and(|verdict| verdict.question.is_some());
        let before = self.again.filter(|_| !stood);
        let doubled = |first: u64| before.map_or(first, |(_, pause)| (pause * 2).min(RARELY_MS));
        let pause = match verdict.needs {
            _ if !self.witnessing => return None,
            Needs::Nothing => return None,
            Needs::Witness if verdict.state == State::Idle => return None,
            Needs::Witness if verdict.question.is_some() => STANDING_MS,
            Needs::Witness => doubled(READER_MS),
            Needs::WitnessOnceQuiet | Needs::WitnessNowAndThen => doubled(SILENT_MS),
        };
        Some((now_ms + pause, pause))
    }

    /// The verdict now, whatever the time: after the program's end, or before a key is sent. No key goes to a loop of events
    /// that is awake; whether it was only that is looked at soon.
    pub fn look_now(&mut self, profile: &Profile, snapshot: &Snapshot, now_ms: u64) -> Verdict {
        let verdict = self.classify(profile, snapshot);
        if self.may_be_awake(snapshot, &verdict, self.pending.is_none()) {
            self.again = Some((now_ms + AWAKE_MS, AWAKE_MS));
        }
        (self.asks, self.drawn) = (false, None);
        self.last = Some(verdict.clone());
        verdict
    }

    /// Whether the verdict reported last stands only because a loop of events may be awake: the last look met nobody who reads.
    pub fn is_held(&self) -> bool {
        self.awake > 0
    }

    /// The verdict reported last.
    pub fn last(&self) -> Option<&Verdict> {
        self.last.as_ref()
    }
}

#[cfg(test)]
#[path = "watch_tests.rs"]
mod tests;
