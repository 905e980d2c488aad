//! The emulator of an agent and what it has handed out: history, raw output, and the sizes its program was told.
//!
//! `terminal.rs` feeds and resizes it. It knows nobody who looks on and nothing of a question.

use crate::core::terminal::grid::Size;
use crate::core::terminal::history::History;
use crate::core::terminal::program_status::ProgramStatus;
use crate::core::terminal::screen::Screen;
use crate::core::terminal::tail::Tail;

use super::message::Now;
use super::paced::Paced;

/// Raw output kept for `read --raw`: some screens full.
const RAW_BYTES: usize = 256 * 1024;
/// The same for a program whose whole output is wanted.
const RAW_BYTES_WHOLE: usize = 64 * 1024 * 1024;
/// How long a program is shown another size to make it draw: programs gather resizes for up to 100 ms.
pub(super) const REDRAW_MS: u64 = 150;
/// How far a program is with drawing everything anew. No key is sent meanwhile: what it was typed by an
/// earlier server may still be on its way to the screen.
#[derive(Debug, Clone, Copy)]
pub(super) enum Redraw {
    /// It has another size for a moment.
    Narrow { until_ms: u64 },
    /// It has its own size back and has not said a word since.
    Back { until_ms: u64 },
    /// It was resized and has not said a word since: what the emulator made of its screen is not believed.
    Resized { until_ms: u64 },
}

impl Redraw {
    pub(super) fn until_ms(self) -> u64 {
        let (Redraw::Narrow { until_ms } | Redraw::Back { until_ms } | Redraw::Resized { until_ms }) = self;
        until_ms
    }
}

/// The size a program is shown for a moment, to make it draw.
pub(super) fn narrower(size: Size) -> Size {
    Size::new(size.cols.saturating_sub(1).max(Size::MIN.cols), size.rows)
}

/// A size a program was told, and when it was given up.
#[derive(Debug)]
struct FormerSize {
    pub size: Size,
    pub left_ms: u64,
}

/// The emulator and what it has handed out.
#[derive(Debug)]
pub(super) struct Terminal {
    pub screen: Screen,
    pub history: History,
    pub raw: Tail,
    pub status: Option<ProgramStatus>,
    /// Bytes printed.
    pub printed: u64,
    pub output_ms: u64,
    /// When its size last changed.
    pub resized_ms: u64,
    /// When it was last ordered to have another, which it keeps.
    pub ordered_size_ms: Option<u64>,
    pub redraw: Option<Redraw>,
    /// Sizes its program may not have noticed that it lost.
    former: Vec<FormerSize>,
    /// One of them that it is to have again, once it has noticed.
    pub awaits_size: Option<Size>,
    pub sync_since: Option<u64>,
    /// Bytes that can be written into it before its program reads any.
    pub room: usize,
    /// The program that has the terminal in place of the one that was adopted.
    pub instead: Option<String>,
    /// The words of the title the hub was last told.
    pub told_title: String,
    /// They are others by now.
    pub title: Paced<()>,
    pub bell: Paced<()>,
    /// What its program last put on the clipboard.
    pub clipboard: Paced<String>,
}

impl Terminal {
    pub(super) fn new(screen: Screen, history: History, whole_output: bool, now: Now) -> Terminal {
        Terminal {
            screen,
            history,
            raw: Tail::new(if whole_output { RAW_BYTES_WHOLE } else { RAW_BYTES }),
            status: None,
            printed: 0,
            output_ms: now.ms,
            resized_ms: 0,
            ordered_size_ms: None,
            redraw: None,
            former: Vec::new(),
            awaits_size: None,
            sync_since: None,
            room: usize::MAX,
            instead: None,
            told_title: String::new(),
            title: Paced::default(),
            bell: Paced::default(),
            clipboard: Paced::default(),
        }
    }

    /// It is told another size than this one.
    pub(super) fn gives_up(&mut self, size: Size, now_ms: u64) {
        self.former.retain(|former| former.size != size && now_ms < former.left_ms + REDRAW_MS);
        self.former.push(FormerSize { size, left_ms: now_ms });
    }

    /// From when on its program sees that it has this size; `None`: that is not known yet.
    pub(super) fn noticed_from(&self, size: Size) -> Option<u64> {
        if let Some(Redraw::Narrow { .. }) = self.redraw {
            return None;
        }
        let former = self.former.iter().find(|former| former.size == size);
        Some(former.map_or(0, |former| former.left_ms + REDRAW_MS))
    }

    /// It is to have another size as soon as its program has noticed the one it has.
    pub(super) fn awaits_size(&self) -> bool {
        self.awaits_size.is_some()
    }

    /// Its title without the spinner in front of the words: titles change many times a second while an agent
    /// animates them, and only the words are news.
    pub(super) fn title_words(&self) -> &str {
        self.screen.title().trim_start_matches(|c: char| !c.is_alphanumeric())
    }
}
