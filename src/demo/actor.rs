//! A scripted agent as a state machine: it probes its terminal, works, asks, listens, and writes down
//! everything it hears.
//!
//! Pure: tokens and clock values in, bytes for the terminal and records out. `agent.rs` gives it a
//! terminal, tests give it none.

use std::collections::{BTreeSet, VecDeque};

use super::draft::Draft;
use super::draw::{self, Painter, Paragraph, Tone};
use super::keys::{Probe, Token, Typed};
use super::script::{Role, Step, advised, reply, steps};
use super::truth::{Did, Given, Record, shown};
use super::widget::{Dialog, Effect};
use crate::core::terminal::grid::Size;
use crate::core::terminal::keys::{Key, KeyPress};

/// How long replies to the start-up queries may take; the field's programs give up sooner.
const PROBE_MS: u64 = 3_000;
/// A frame of the spinner.
const SPIN_MS: u64 = 120;
/// A word of streamed text.
const WORD_MS: u64 = 60;
/// How long the advisor thinks.
const THINK_MS: u64 = 900;
/// How long after its last answer the advisor says that the story is over: by then the answer was read.
const FAREWELL_MS: u64 = 4_000;
/// By how much a hurried story is faster; its questions and answers are the same.
const HURRY: u64 = 5;
/// By how much the others are slower, so that a person can read what happens.
const READABLE: u64 = 3;

/// What it is doing.
#[derive(Debug)]
enum Phase {
    Probing {
        missing: BTreeSet<Probe>,
        until_ms: u64,
    },
    Working {
        label: String,
        since_ms: u64,
        until_ms: u64,
        words: VecDeque<&'static str>,
        /// What it will say.
        next: Option<String>,
    },
    Asking(Box<Dialog>),
    Listening(Draft),
    /// Ends with this exit code.
    Over(u8),
}

#[derive(Debug)]
pub struct Actor {
    role: Role,
    hurried: bool,
    size: Size,
    now_ms: u64,
    phase: Phase,
    steps: VecDeque<Step>,
    transcript: Vec<Paragraph>,
    /// Paragraphs of the transcript that are on the terminal for good.
    printed: usize,
    painter: Painter,
    given: Vec<Given>,
    /// Bytes for the terminal beside the picture.
    control: String,
    records: Vec<Record>,
    status: &'static str,
    /// Answers the advisor has given.
    advised: usize,
    /// When the advisor says that the story is over.
    farewell_ms: Option<u64>,
}

impl Actor {
    /// Plays its role's part of the story.
    pub fn new(role: Role, size: Size, hurried: bool) -> Actor {
        Actor::playing(role, steps(role), size, hurried)
    }

    /// Plays these steps instead.
    pub fn playing(role: Role, steps: Vec<Step>, size: Size, hurried: bool) -> Actor {
        let queries: String = Probe::ALL.iter().map(|probe| probe.query()).collect();
        let title = format!("\x1b]0;demo · {}\x07", role.name());
        Actor {
            role,
            hurried,
            size,
            now_ms: 0,
            phase: Phase::Probing { missing: BTreeSet::from(Probe::ALL), until_ms: PROBE_MS },
            steps: steps.into(),
            transcript: vec![
                paragraph("▣ ", &format!("demo agent · {}", role.name()), Tone::Title),
                paragraph("  ", "scripted; it does nothing but talk", Tone::Quiet),
            ],
            printed: 0,
            painter: Painter::default(),
            given: Vec::new(),
            // Hidden cursor, bracketed paste and focus reports, as the field's programs have them.
            control: format!("\x1b[?25l\x1b[?2004h\x1b[?1004h{title}{queries}"),
            records: Vec::new(),
            status: "",
            advised: 0,
            farewell_ms: None,
        }
    }

    pub fn expect_only_what_any_terminal_answers(&mut self) {
        if let Phase::Probing { missing, .. } = &mut self.phase {
            missing.retain(|probe| matches!(probe, Probe::PrimaryAttributes | Probe::CursorPosition));
        }
    }

    /// Bytes that put the terminal back.
    pub const RESTORE: &'static str = "\x1b[?1004l\x1b[?2004l\x1b[?25h\r\n";

    /// The exit code, once it is over.
    pub fn over(&self) -> Option<u8> {
        match &self.phase {
            Phase::Over(code) => Some(*code),
            Phase::Probing { .. } | Phase::Working { .. } | Phase::Asking(_) | Phase::Listening(_) => None,
        }
    }

    pub fn take_records(&mut self) -> Vec<Record> {
        std::mem::take(&mut self.records)
    }

    /// When to call `tick` at the latest.
    pub fn next_wake(&self) -> Option<u64> {
        match &self.phase {
            Phase::Probing { until_ms, .. } => Some(*until_ms),
            Phase::Working { words, .. } if !words.is_empty() => Some(self.now_ms + WORD_MS),
            Phase::Working { until_ms, .. } => Some((*until_ms).min(self.now_ms + SPIN_MS)),
            Phase::Listening(_) => self.farewell_ms,
            Phase::Asking(_) | Phase::Over(_) => None,
        }
    }

    /// What one read brought.
    pub fn hear(&mut self, tokens: &[Token], now_ms: u64) {
        self.now_ms = now_ms;
        let mut at = 0;
        while at < tokens.len() {
            at += match &mut self.phase {
                Phase::Asking(_) => self.hear_dialog(&tokens[at..]),
                Phase::Probing { .. } | Phase::Working { .. } | Phase::Listening(_) | Phase::Over(_) => {
                    let did = self.hear_one(&tokens[at].typed);
                    self.record(&tokens[at].bytes, did);
                    1
                }
            };
        }
    }

    /// A dialog sees a whole read at once: its traps depend on that. Returns the tokens it took.
    fn hear_dialog(&mut self, tokens: &[Token]) -> usize {
        let Phase::Asking(dialog) = &mut self.phase else { return 0 };
        let silent = |typed: &Typed| matches!(typed, Typed::Reply(_) | Typed::Focus);
        if silent(&tokens[0].typed) {
            let did = self.hear_one(&tokens[0].typed);
            self.record(&tokens[0].bytes, did);
            return 1;
        }
        let batch: Vec<Typed> =
            tokens.iter().map(|token| token.typed.clone()).take_while(|typed| !silent(typed)).collect();
        let prompt = dialog.page().prompt.clone();
        let effects = dialog.take(&batch, self.now_ms);
        let next = (dialog.page().prompt != prompt).then(|| dialog.page().prompt.clone());
        for (token, effect) in tokens.iter().zip(&effects) {
            self.record(&token.bytes, effect.did());
        }
        if let Some(prompt) = next {
            self.records.push(Record::Asked { ms: self.now_ms, prompt });
        }
        match effects.last() {
            Some(Effect::Answered(answers)) => self.answered(answers.clone()),
            Some(Effect::Cancelled) => self.answered(Vec::new()),
            Some(_) | None => {}
        }
        effects.len()
    }

    fn answered(&mut self, answers: Vec<Given>) {
        for given in &answers {
            let text = format!("{} → {}", given.prompt, given.answer.join(", "));
            self.transcript.push(paragraph("✔ ", &text, Tone::Good));
        }
        if answers.is_empty() {
            self.transcript.push(paragraph("✘ ", "declined", Tone::Alarm));
        }
        self.records.push(Record::Given { ms: self.now_ms, answers: answers.clone() });
        self.given.extend(answers);
        self.go_on();
    }

    fn hear_one(&mut self, typed: &Typed) -> Did {
        match (&mut self.phase, typed) {
            (Phase::Probing { missing, .. }, Typed::Reply(probe)) => {
                missing.remove(probe);
                if missing.is_empty() {
                    self.painter.synchronized = true;
                    self.go_on();
                }
                Did::Reply
            }
            (_, Typed::Reply(_)) => Did::Reply,
            (_, Typed::Focus) => Did::Focus,
            (_, Typed::Key(press)) if *press == KeyPress::ctrl('c') => {
                self.phase = Phase::Over(130);
                Did::Stray
            }
            (Phase::Listening(_), Typed::Key(press)) if press.key == Key::Enter => self.send(),
            (Phase::Listening(draft), typed) => draft.take(typed),
            (Phase::Probing { .. } | Phase::Working { .. } | Phase::Asking(_) | Phase::Over(_), _) => {
                Did::Stray
            }
        }
    }

    /// Enter in the input line.
    fn send(&mut self) -> Did {
        let Phase::Listening(draft) = &mut self.phase else { return Did::Stray };
        let (text, shown) = (draft.text(), draft.shown());
        if text.trim().is_empty() {
            return Did::Stray;
        }
        self.transcript.push(paragraph("> ", &shown, Tone::Quiet));
        self.records.push(Record::Message { ms: self.now_ms, text: text.clone() });
        let next = reply(&text).filter(|_| self.role == Role::Advisor);
        if next.is_none() {
            self.transcript.push(paragraph("◆ ", "I only know the questions of this story.", Tone::Plain));
            self.phase = Phase::Listening(Draft::default());
        } else {
            self.work("Thinking", THINK_MS, "", next);
        }
        Did::Sent
    }

    fn work(&mut self, label: &str, ms: u64, words: &'static str, next: Option<String>) {
        let (since_ms, ms) = (self.now_ms, if self.hurried { ms / HURRY } else { ms * READABLE });
        let words: VecDeque<&str> = words.split(' ').filter(|word| !word.is_empty()).collect();
        if !words.is_empty() {
            self.transcript.push(paragraph("◆ ", "", Tone::Plain));
        }
        self.phase = Phase::Working { label: label.into(), since_ms, until_ms: since_ms + ms, words, next };
    }

    /// The next step of the script; listens when there is none.
    fn go_on(&mut self) {
        match self.steps.pop_front() {
            Some(Step::Say(text)) => {
                self.transcript.push(paragraph("◆ ", text, Tone::Plain));
                self.go_on();
            }
            Some(Step::Work(label, ms)) => self.work(label, ms, "", None),
            Some(Step::Stream(label, words)) => self.work(label, 0, words, None),
            Some(Step::Ask(asked)) => {
                let dialog = asked.open(self.now_ms);
                self.records.push(Record::Asked { ms: self.now_ms, prompt: dialog.page().prompt.clone() });
                self.phase = Phase::Asking(Box::new(dialog));
            }
            None => self.finish(),
        }
    }

    fn finish(&mut self) {
        self.phase = Phase::Listening(Draft::default());
        if self.role == Role::Advisor {
            return;
        }
        self.records.push(Record::End { ms: self.now_ms });
        let count = self.given.len();
        let text = format!("done: {count} {} answered", if count == 1 { "question" } else { "questions" });
        self.transcript.push(paragraph("✔ ", &text, Tone::Good));
        if self.hurried {
            self.phase = Phase::Over(0);
        }
    }

    /// Lets time pass.
    pub fn tick(&mut self, now_ms: u64) {
        self.now_ms = now_ms;
        match &mut self.phase {
            Phase::Probing { missing, until_ms } if now_ms >= *until_ms => {
                let names: Vec<&str> = missing.iter().map(|probe| probe.name()).collect();
                let text = format!("this terminal does not answer: {}", names.join(", "));
                self.transcript.push(paragraph("✘ ", &text, Tone::Alarm));
                self.phase = Phase::Over(1);
            }
            Phase::Working { words, .. } if !words.is_empty() => {
                let count = if self.hurried { HURRY as usize } else { 1 };
                let taken: Vec<&str> = words.drain(..count.min(words.len())).collect();
                if let Some(last) = self.transcript.last_mut() {
                    let blank = if last.text.is_empty() { "" } else { " " };
                    last.text.push_str(&format!("{blank}{}", taken.join(" ")));
                }
            }
            Phase::Working { until_ms, next, .. } if now_ms >= *until_ms => match next.take() {
                Some(reply) => {
                    self.transcript.push(paragraph("◆ ", &reply, Tone::Plain));
                    self.phase = Phase::Listening(Draft::default());
                    self.advised += 1;
                    let last = self.advised == advised().len() && !self.hurried;
                    self.farewell_ms = last.then_some(now_ms + FAREWELL_MS);
                }
                None => self.go_on(),
            },
            Phase::Listening(_) if self.farewell_ms.is_some_and(|at| now_ms >= at) => {
                self.farewell_ms = None;
                let text = format!(
                    "that was the story: {} questions answered here, the rest is yours",
                    self.advised
                );
                self.transcript.push(paragraph("✔ ", &text, Tone::Good));
            }
            Phase::Probing { .. }
            | Phase::Working { .. }
            | Phase::Asking(_)
            | Phase::Listening(_)
            | Phase::Over(_) => {}
        }
    }

    fn record(&mut self, bytes: &[u8], did: Did) {
        self.records.push(Record::Heard { ms: self.now_ms, bytes: shown(bytes), did });
    }

    /// The bytes that bring the terminal up to date.
    pub fn frame(&mut self, size: Size) -> String {
        let resized = size != self.size;
        self.size = size;
        let live = self.live();
        // Text that still grows stays in the live part.
        let growing = matches!(&self.phase, Phase::Working { words, .. } if !words.is_empty());
        let settled = self.transcript.len() - usize::from(growing);
        let lines =
            |from: &[Paragraph]| from.iter().flat_map(|p| p.lines(size.cols)).collect::<Vec<String>>();
        let mut live_lines = lines(&self.transcript[settled..]);
        live_lines.extend(live);
        let picture = if resized {
            self.painter.repaint(&lines(&self.transcript[..settled]), &live_lines, size)
        } else {
            let above = lines(&self.transcript[self.printed.min(settled)..settled]);
            self.painter.frame(&above, &live_lines, size)
        };
        self.printed = settled;
        let control = std::mem::take(&mut self.control);
        format!("{control}{}{picture}", self.report())
    }

    fn live(&self) -> Vec<String> {
        match &self.phase {
            Phase::Probing { .. } => vec!["· asking what terminal this is…".into()],
            Phase::Working { label, since_ms, .. } => {
                let spent = self.now_ms.saturating_sub(*since_ms);
                draw::spinner((spent / SPIN_MS) as usize, label, spent / 1_000)
            }
            Phase::Asking(dialog) => draw::dialog(dialog, self.size),
            Phase::Listening(draft) => draw::composer(&draft.shown(), "demo", self.size),
            Phase::Over(_) => Vec::new(),
        }
    }

    /// A Program Status report, when the state is another one than last reported.
    fn report(&mut self) -> String {
        let status = match &self.phase {
            Phase::Probing { .. } => "",
            Phase::Working { .. } => "state=working:app=demo",
            Phase::Asking(dialog) if dialog.permission.is_some() => "state=blocked:app=demo:kind=permission",
            Phase::Asking(_) => "state=blocked:app=demo:kind=question",
            Phase::Listening(_) => "state=idle:app=demo",
            Phase::Over(_) => "state=clear:app=demo",
        };
        if status == self.status {
            return String::new();
        }
        self.status = status;
        format!("\x1b]7501;{status}\x1b\\")
    }
}

fn paragraph(mark: &'static str, text: &str, tone: Tone) -> Paragraph {
    Paragraph { mark, text: text.into(), tone }
}

#[cfg(test)]
#[path = "actor_tests.rs"]
mod tests;
