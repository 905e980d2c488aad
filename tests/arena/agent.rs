//! The fake agent: plays its rounds on the terminal it was started on and writes down the truth.
//!
//! Started again after its keeper was killed, it goes on behind the round it died in.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};

use counsel::core::terminal::grid::Size;
use counsel::demo::draft::Draft;
use counsel::demo::draw::{self, Paragraph, Tone};
use counsel::demo::keys::{Token, Typed};
use counsel::demo::truth::{Did, shown};
use counsel::demo::widget::Effect;

use super::asking::Asking;
use super::perform::{Performs, perform};
use super::script::{Look, Part, Round};
use super::truth::{Log, Record, now_us, read};

/// The folder of the run, and this agent's name in it.
pub const FOLDER: &str = "ARENA_FOLDER";
pub const NAME: &str = "ARENA_NAME";

/// Set: it prints numbered lines while it works, so many milliseconds apart, and plays until the file
/// `ENOUGH` is in the folder.
pub const STREAM: &str = "ARENA_STREAM";
pub const ENOUGH: &str = "enough";

/// A frame of the spinner; the terminal's size is looked at as often.
pub const SPIN_MS: u64 = 100;

pub fn script_of(folder: &Path, name: &str) -> PathBuf {
    folder.join(format!("{name}.script"))
}

pub fn truth_of(folder: &Path, name: &str) -> PathBuf {
    folder.join(format!("{name}.truth"))
}

enum Phase {
    Working { until_ms: u64 },
    Asking { asking: Asking, since_ms: u64, swapped: bool },
    Over(Draft),
}

struct Player {
    look: Look,
    rounds: VecDeque<(usize, Round)>,
    phase: Phase,
    log: Log,
    start_us: u64,
    transcript: Vec<Paragraph>,
    /// The page last written down as shown.
    told: Option<(usize, String)>,
    stream: Option<Stream>,
}

/// Numbered lines.
struct Stream {
    name: String,
    enough: PathBuf,
    every_ms: u64,
    next_ms: u64,
    printed: usize,
}

/// The line of this number.
pub fn line(name: &str, number: usize) -> String {
    format!("{name} prints {number:06}")
}

/// Plays until its terminal is hung up.
pub fn play() {
    let folder = PathBuf::from(std::env::var_os(FOLDER).unwrap());
    let name = std::env::var(NAME).unwrap();
    perform(&name, || Player::new(&folder, &name));
}

impl Player {
    fn new(folder: &Path, name: &str) -> Player {
        let script = std::fs::read_to_string(script_of(folder, name)).unwrap();
        let Part { look, rounds } = serde_json::from_str(&script).unwrap();
        let path = truth_of(folder, name);
        let done = read::<Record>(&path);
        let shown = done.iter().filter_map(|record| match record {
            Record::Shown { round, .. } => Some(round + 1),
            _ => None,
        });
        let first = shown.max().unwrap_or(0);
        let printed = done.iter().filter_map(|record| match record {
            Record::Printed { lines, .. } => Some(*lines),
            _ => None,
        });
        let stream = std::env::var(STREAM).ok().map(|every| Stream {
            name: name.to_owned(),
            enough: folder.join(ENOUGH),
            every_ms: every.parse().unwrap(),
            next_ms: 0,
            printed: printed.max().unwrap_or(0),
        });
        let mut log = Log::open(&path);
        log.write(&Record::Begun { us: now_us() });
        Player {
            look,
            rounds: rounds.into_iter().enumerate().skip(first).collect(),
            phase: Phase::Working { until_ms: 300 },
            log,
            start_us: now_us(),
            transcript: vec![Paragraph { mark: "▣ ", text: format!("agent {name}"), tone: Tone::Title }],
            told: None,
            stream,
        }
    }

    /// The lines that are due.
    fn print(&mut self, now: u64) {
        let Some(stream) = &mut self.stream else { return };
        if now < stream.next_ms {
            return;
        }
        stream.next_ms = now + stream.every_ms;
        stream.printed += 1;
        let text = line(&stream.name, stream.printed);
        self.transcript.push(Paragraph { mark: "", text, tone: Tone::Plain });
        if stream.enough.exists() {
            self.rounds.clear();
        }
    }

    /// Called once the frame is out.
    fn tell_printed(&mut self) {
        if let (Some(stream), Phase::Working { .. }) = (&self.stream, &self.phase) {
            self.log.write(&Record::Printed { us: now_us(), lines: stream.printed });
        }
    }

    fn now_ms(&self) -> u64 {
        (now_us() - self.start_us) / 1_000
    }

    fn round(&self) -> usize {
        self.rounds.front().map_or(usize::MAX, |(number, _)| *number)
    }

    /// Called once the frame is out.
    fn tell_shown(&mut self) {
        let Phase::Asking { asking, .. } = &self.phase else { return };
        let page = (self.round(), asking.name());
        if self.told.as_ref() != Some(&page) {
            self.told = Some(page.clone());
            let (round, page) = page;
            self.log.write(&Record::Shown { us: now_us(), round, page });
        }
    }

    fn ask(&mut self, asking: Asking, swapped: bool) {
        if let Some(words) = asking.said() {
            self.transcript.push(Paragraph { mark: "● ", text: words.to_owned(), tone: Tone::Plain });
        }
        self.phase = Phase::Asking { asking, since_ms: self.now_ms(), swapped };
    }

    /// Returns how many it took: a dialog that ends takes no more.
    fn hear_keys(&mut self, tokens: &[Token]) -> usize {
        let now = self.now_ms();
        let asking = match &mut self.phase {
            Phase::Asking { asking, .. } => asking,
            Phase::Over(draft) => {
                let did = draft.take(&tokens[0].typed);
                self.heard(&tokens[0], String::new(), did);
                return 1;
            }
            Phase::Working { .. } => {
                self.heard(&tokens[0], String::new(), Did::Stray);
                return 1;
            }
        };
        let page = asking.name();
        let keys: Vec<Typed> = tokens.iter().map(|token| token.typed.clone()).collect();
        let effects = asking.take(&keys, now);
        for (token, effect) in tokens.iter().zip(&effects) {
            self.heard(token, page.clone(), effect.did());
        }
        let round = self.round();
        match effects.last() {
            Some(Effect::Answered(given)) => {
                let answers =
                    given.iter().map(|given| (given.prompt.clone(), given.answer.clone())).collect();
                self.log.write(&Record::Given { us: now_us(), round, answers });
                self.echo(given[0].answer.first().map_or("", String::as_str));
                self.go_on("answered");
            }
            Some(Effect::Cancelled) => {
                self.log.write(&Record::Cancelled { us: now_us(), round });
                self.echo("never mind");
                self.go_on("declined");
            }
            Some(_) | None => {}
        }
        effects.len()
    }

    /// What was typed behind a prompt stays to be read.
    fn echo(&mut self, typed: &str) {
        let Phase::Asking { asking: Asking::Prompt(_), .. } = &self.phase else { return };
        self.transcript.push(Paragraph { mark: "> ", text: typed.to_owned(), tone: Tone::Plain });
    }

    fn heard(&mut self, token: &Token, page: String, did: Did) {
        let (round, bytes) = (self.round(), shown(&token.bytes));
        self.log.write(&Record::Heard { us: now_us(), round, page, bytes, did });
    }

    fn go_on(&mut self, word: &str) {
        let text = format!("round {} {word}", self.round());
        self.transcript.push(Paragraph { mark: "✔ ", text, tone: Tone::Good });
        let work = self.rounds.pop_front().map_or(0, |(_, round)| round.work_ms);
        self.phase = Phase::Working { until_ms: self.now_ms() + work };
    }
}

impl Performs for Player {
    /// A shell's is where one types; the others draw their own.
    fn cursor(&self) -> bool {
        self.look == Look::Shell
    }

    fn transcript(&self) -> &[Paragraph] {
        &self.transcript
    }

    fn live(&self, size: Size) -> Vec<String> {
        match &self.phase {
            Phase::Working { .. } => {
                let now = self.now_ms();
                match self.look {
                    Look::Demo | Look::Claude => {
                        draw::spinner((now / SPIN_MS) as usize, "Working", now / 1_000)
                    }
                    Look::Shell => vec![format!("  step {} of 99,999", now / SPIN_MS)],
                }
            }
            Phase::Asking { asking, .. } => asking.live(size),
            Phase::Over(_) if self.look == Look::Shell => vec!["$ ".into()],
            Phase::Over(draft) => draw::composer(&draft.shown(), "arena", size),
        }
    }

    fn drawn(&mut self) {
        self.tell_shown();
        self.tell_printed();
    }

    fn wait_ms(&self) -> u64 {
        match &self.phase {
            Phase::Working { until_ms } => {
                let line = self.stream.as_ref().map_or(u64::MAX, |stream| stream.next_ms);
                line.min(*until_ms).saturating_sub(self.now_ms()).clamp(1, SPIN_MS)
            }
            Phase::Asking { since_ms, swapped: false, .. } => match &self.rounds[0].1.swap {
                Some((after, _)) => (since_ms + after).saturating_sub(self.now_ms()).clamp(1, SPIN_MS),
                None => SPIN_MS,
            },
            Phase::Asking { .. } | Phase::Over(_) => SPIN_MS,
        }
    }

    /// A dialog sees it as a whole: its traps depend on that.
    fn hear(&mut self, tokens: &[Token]) {
        let mut at = 0;
        while at < tokens.len() {
            let silent = |typed: &Typed| matches!(typed, Typed::Reply(_) | Typed::Focus);
            let batch = tokens[at..].iter().take_while(|token| !silent(&token.typed)).count();
            if batch == 0 {
                let did = if tokens[at].typed == Typed::Focus { Did::Focus } else { Did::Reply };
                self.heard(&tokens[at], String::new(), did);
                at += 1;
                continue;
            }
            at += self.hear_keys(&tokens[at..at + batch]);
        }
    }

    fn tick(&mut self) {
        let now = self.now_ms();
        if matches!(self.phase, Phase::Working { .. }) {
            self.print(now);
        }
        match &self.phase {
            Phase::Working { until_ms } if now >= *until_ms => match self.rounds.front() {
                Some((_, round)) => self.ask(Asking::new(&round.asked, self.look, round, now), false),
                None => {
                    self.log.write(&Record::End { us: now_us() });
                    self.phase = Phase::Over(Draft::default());
                }
            },
            Phase::Asking { since_ms, swapped: false, .. } => {
                let Some((_, round)) = self.rounds.front() else { return };
                if let Some((after, twin)) = &round.swap
                    && now >= since_ms + after
                {
                    self.ask(Asking::new(twin, self.look, round, now), true);
                }
            }
            Phase::Working { .. } | Phase::Asking { .. } | Phase::Over(_) => {}
        }
    }
}
