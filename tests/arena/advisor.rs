//! The fake consultant in a pane: an agent that is told questions in its input line and says what it thinks, in
//! the same manners as the one that is a command. Shared by several askers; started when it is needed.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use counsel::core::consult::nonce::signed;
use counsel::core::terminal::grid::Size;
use counsel::core::terminal::keys::{Key, KeyPress};
use counsel::demo::draft::Draft;
use counsel::demo::draw::{self, Paragraph, Tone};
use counsel::demo::keys::{Token, Typed};
use counsel::demo::truth::{Did, shown};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use super::agent::{FOLDER, SPIN_MS, truth_of};
use super::consultant::{about, options, say, wanted_of};
use super::perform::{Performs, perform};
use super::script::{Manner, Wanted};
use super::truth::{Log, Record, now_us};

/// What it is called.
pub const PANE: &str = "pane";
/// One that never answers comes to itself after this long: it is one for many, and would hold all of them up.
const LOST_MS: u64 = 12_000;

enum Phase {
    Listening(Draft),
    /// What it will say, if anything; `dies` in the middle of it.
    Thinking {
        until_us: u64,
        says: String,
        dies: bool,
    },
}

struct Advisor {
    wanted: BTreeMap<String, Wanted>,
    phase: Phase,
    transcript: Vec<Paragraph>,
    log: Log,
}

/// Plays until its terminal is hung up.
pub fn play() {
    let folder = PathBuf::from(std::env::var_os(FOLDER).unwrap());
    perform(PANE, || Advisor::new(&folder));
}

impl Advisor {
    fn new(folder: &Path) -> Advisor {
        Advisor {
            wanted: serde_json::from_str(&std::fs::read_to_string(wanted_of(folder)).unwrap()).unwrap(),
            phase: Phase::Listening(Draft::default()),
            transcript: vec![Paragraph { mark: "▣ ", text: "consultant".into(), tone: Tone::Title }],
            log: Log::open(&truth_of(folder, PANE)),
        }
    }

    fn key(&mut self, typed: &Typed, alone: bool) -> Did {
        let Phase::Listening(draft) = &mut self.phase else { return Did::Stray };
        match typed {
            Typed::Key(press) if *press == KeyPress::plain(Key::Enter) => {
                if !alone {
                    // In one read with what stands before it, Enter is a line break.
                    return draft.take(&Typed::Paste("\n".into()));
                }
                let (text, note) = (draft.text().replace('\r', "\n"), draft.shown());
                if text.trim().is_empty() {
                    return Did::Stray;
                }
                self.transcript.push(Paragraph { mark: "> ", text: note, tone: Tone::Quiet });
                self.phase = self.thought(&text);
                Did::Sent
            }
            typed => draft.take(typed),
        }
    }

    fn thought(&self, asked: &str) -> Phase {
        let Some((_, wanted)) = about(asked, &self.wanted) else {
            let says = signed(r#"{"choice": 1}"#, asked);
            return Phase::Thinking { until_us: now_us(), says, dies: false };
        };
        let dies = wanted.manner == Manner::Dead;
        let (ms, says) = match wanted.manner {
            Manner::Never => (LOST_MS, "I have lost the thread.".into()),
            Manner::Dead => (wanted.delay_ms, String::new()),
            _ => (
                wanted.delay_ms,
                signed(
                    &say(wanted, &options(asked), asked.contains("Your last reply could not be used")),
                    asked,
                ),
            ),
        };
        // A model's words are drawn, whatever they are.
        let says = says.chars().filter(|ch| *ch == '\n' || !ch.is_control()).collect();
        Phase::Thinking { until_us: now_us() + 1_000 * ms, says, dies }
    }
}

impl Performs for Advisor {
    fn cursor(&self) -> bool {
        false
    }

    fn transcript(&self) -> &[Paragraph] {
        &self.transcript
    }

    fn live(&self, size: Size) -> Vec<String> {
        match &self.phase {
            Phase::Listening(draft) => draw::composer(&draft.shown(), "consultant", size),
            Phase::Thinking { .. } => {
                let now = now_us() / 1_000;
                draw::spinner((now / SPIN_MS) as usize, "Thinking", now / 1_000 % 100)
            }
        }
    }

    fn drawn(&mut self) {}

    fn wait_ms(&self) -> u64 {
        SPIN_MS
    }

    fn hear(&mut self, tokens: &[Token]) {
        for (at, token) in tokens.iter().enumerate() {
            let did = match token.typed {
                Typed::Reply(_) => Did::Reply,
                Typed::Focus => Did::Focus,
                _ => self.key(&token.typed, at == 0),
            };
            let bytes = shown(&token.bytes);
            self.log.write(&Record::Heard { us: now_us(), round: 0, page: PANE.into(), bytes, did });
        }
    }

    fn tick(&mut self) {
        let Phase::Thinking { until_us, says, dies } = &mut self.phase else { return };
        if now_us() < *until_us {
            return;
        }
        if *dies {
            let _ = kill(Pid::this(), Signal::SIGKILL);
        }
        if !says.is_empty() {
            let text = std::mem::take(says);
            self.transcript.push(Paragraph { mark: "◆ ", text, tone: Tone::Plain });
        }
        self.phase = Phase::Listening(Draft::default());
    }
}
