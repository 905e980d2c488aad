//! Requests for consent that stood on the screen, for however short a time.
//!
//! A look comes once the output has paused. Whoever has the terminal open can draw a harmless question over a request in
//! less time than that, and the program would still take Enter for a yes. `session/terminal.rs` feeds a program that is
//! described through `Overdrawn`, which looks at the screen before anything on it is destroyed; `session/observation.rs`
//! asks it what has stood there. What nobody could have read counts as such a request. It decides nothing, and for most
//! output does nothing but search it for a few words.

use std::borrow::Cow;

use crate::core::profile::{LineRule, Profile};
use crate::core::question::{Question, Verdict};
use crate::core::terminal::cost::Cost;
use crate::core::terminal::grid::{Grid, Row};
use crate::core::terminal::keys::{Action, Input, Key, Mods, MouseKind};
use crate::core::terminal::screen::{Fed, Screen};

mod among;
mod drawn;
mod effect;
mod former;
mod layer;
mod request;
mod words;
mod written;

use drawn::Drawn;
use effect::{ESC, Effect};
use layer::Layer;
use request::{Request, asked_by_hook, stands_as};
use words::{WORDS, has_word};
use written::{Strings, spelled};

use super::line_cache::LineCache;
use super::{Snapshot, Trace, classify};

/// The longest of the words, less one: so much of it may stand at the end of a block.
const SPLIT: usize = 7;
/// Looks at what comes behind one of the words: a dialog ends so many rows below the last of them at most.
const LOOKS: u8 = 16;
/// What a look costs beside the cells it reads, so that a turn in which there are many of them ends early.
const LOOK_COST: u64 = Cost::STEP.0 / 16;
/// Bytes in which the rest of a sequence ends.
const PART: usize = 256;
/// A block of so many bytes may be one of a flood, and is followed only where one of the words is near.
const FLOOD: usize = 4_000;
/// Places the cursor is followed to behind a text: programs go back to their prompt in one or two steps, and whoever draws
/// over it comes later.
const MOVES: usize = 4;
/// Requests that are kept apart; one is enough for what they are kept for.
const MOST: usize = 4;

/// What has asked for consent since a key was last typed.
#[derive(Debug, Default)]
pub struct Overdrawn {
    stood: Vec<Request>,
    /// Something may have asked that nobody could read.
    unread: bool,
    /// What stood when a key was typed that answers: a program may draw it once more before it reads the key.
    answered: Vec<Request>,
    resizes: u32,
    /// What stood there when it was, since a key was last typed that answers.
    former: Vec<Question>,
    /// Since a key was last typed that answers, one was that may have moved a highlight.
    moved: bool,
    strings: Strings,
    /// Looks that are still to be taken.
    looks: u8,
    /// The end of the block before.
    end: Vec<u8>,
    /// The beginning of a sequence, at the end of the block before.
    part: Vec<u8>,
    drawn: Drawn,
    layer: Layer,
    /// Something was drawn since the synchronized update began.
    begun: bool,
    /// Where the cursor came to stand behind the last text.
    rested: Vec<(u16, u16)>,
    cache: LineCache,
}

impl Overdrawn {
    /// Feeds as many of these bytes as the budget allows, and looks at the screen before they destroy what they drew.
    pub fn feed(
        &mut self,
        profile: &Profile,
        screen: &mut Screen,
        bytes: &[u8],
        budget: Cost,
    ) -> (usize, Fed) {
        if profile.any_program || !self.follows(bytes, screen) {
            let (taken, fed) = screen.feed_some(bytes, budget);
            let begun = std::mem::take(&mut self.part);
            match begun.is_empty() {
                true => self.strings.pass(&bytes[..taken]),
                false => self.strings.pass(&[&begun, &bytes[..taken]].concat()),
            }
            self.unread |= self.strings.take_swallowed();
            // A request may be in it of which no two letters came together.
            self.drawn.all_above(screen.size().rows);
            self.layer.passed();
            // A sequence may begin with its last byte.
            self.part = bytes[..taken].last().copied().filter(|last| *last == ESC).into_iter().collect();
            self.begun = screen.in_sync();
            self.unread |= fed.garbled;
            return (taken, fed);
        }
        let (mut taken, mut all) = (0, Fed::default());
        // What is destroyed before the last of the words takes no look from what follows it.
        let words = WORDS.find_iter(bytes).last().map_or(0, |word| word.end());
        while taken < bytes.len() && all.cost < budget {
            let (before, in_sync) = (screen.cursor(), screen.in_sync());
            let (length, effect) = self.next_piece(&bytes[taken..], before);
            self.drawn.within(screen.has_region());
            if self.drawn.is_left(effect, before) {
                self.look(profile, screen, &mut all);
                let counts = taken >= words && self.drawn.is_hit(effect, before);
                self.looks = self.looks.saturating_sub(u8::from(counts));
                self.drawn.looked();
                self.layer.looked();
            }
            let end = taken + length;
            while taken < end {
                let (more, of_it) = screen.feed_some(&bytes[taken..end], Cost::UNBOUNDED);
                taken += more;
                join(&mut all, of_it);
            }
            self.drawn.note(effect, before, screen.cursor());
            self.layer.note(effect, before, screen.cursor(), screen.has_region());
            self.begun = screen.in_sync() && (self.begun || (in_sync && effect != Effect::None));
            if in_sync && !screen.in_sync() && self.drawn.take_unframed() {
                // A frame is whole here, whatever order it was drawn in.
                self.look(profile, screen, &mut all);
            }
            self.rests(effect, screen.cursor());
        }
        self.unread |= all.garbled | self.strings.take_swallowed();
        (taken, all)
    }

    /// How long the next piece is, and what it does; one that began in the block before goes on.
    fn next_piece(&mut self, bytes: &[u8], cursor: (u16, u16)) -> (usize, Effect) {
        if let Some(rest) = self.strings.rest(bytes) {
            return (rest, Effect::None);
        }
        let (room, begun) = (self.drawn.room(cursor), std::mem::take(&mut self.part));
        let (length, effect) = match begun.len() {
            0 => {
                let (length, effect) = effect::first(bytes, room);
                self.strings.note(&bytes[..length]);
                (length, effect)
            }
            known => {
                let all = [&begun, &bytes[..bytes.len().min(PART)]].concat();
                let (length, effect) = effect::first(&all, room);
                self.strings.note(&all[..length]);
                (length - known, effect)
            }
        };
        if effect == Effect::Part {
            self.part = [&begun, &bytes[..length]].concat();
        }
        (length, effect)
    }

    /// Whether what is drawn is to be followed: one of the words is in it, or was a moment ago.
    fn follows(&mut self, bytes: &[u8], screen: &Screen) -> bool {
        let letters = spelled(&self.part, bytes);
        let mut seam = std::mem::take(&mut self.end);
        seam.extend_from_slice(&letters[..letters.len().min(SPLIT)]);
        let found = WORDS.is_match(&seam) || WORDS.is_match(&letters) || WORDS.is_match(bytes);
        self.end = match letters.last_chunk::<SPLIT>() {
            Some(end) => end.to_vec(),
            None => seam.split_off(seam.len().saturating_sub(SPLIT)),
        };
        self.drawn.resize(screen.size());
        self.layer.resize(screen.size());
        if found && self.looks == 0 {
            // What stands above the words may have come in the block before.
            self.drawn.all_above(screen.cursor().0);
        }
        if found {
            self.looks = LOOKS;
        }
        self.looks > 0 || bytes.len() < FLOOD
    }

    fn look(&mut self, profile: &Profile, screen: &Screen, fed: &mut Fed) {
        if self.stood.len() >= MOST || (self.looks == 0 && !self.completes_a_word(screen, fed)) {
            return;
        }
        self.read(profile, screen, fed);
    }

    /// Whether one of the words came to stand since the last look, of which no two letters were written together: the others
    /// stood there before.
    fn completes_a_word(&self, screen: &Screen, fed: &mut Fed) -> bool {
        // Within a synchronized update the grid is the frame before it.
        if self.begun {
            return false;
        }
        let grid = screen.grid();
        self.drawn.recent_rows().any(|row| {
            fed.cost += Cost(u64::from(screen.size().cols));
            grid.rows.get(row).is_some_and(has_word)
        })
    }

    fn read(&mut self, profile: &Profile, screen: &Screen, fed: &mut Fed) {
        fed.cost += Cost(LOOK_COST);
        // Within a synchronized update the grid is the frame before it.
        let (grid, versions) = match self.begun {
            true => (Cow::Owned(screen.drawn()), &[][..]),
            false => (Cow::Borrowed(screen.grid()), screen.versions()),
        };
        let shown = self.verdict(profile, &snapshot(screen, &grid, versions)).question;
        let above = shown.as_ref().and_then(|shown| self.asks_above(profile, screen, &grid, shown));
        self.note_drawn(profile, screen, &grid, above);
        let mut asks = shown.filter(|question| question.kind.gives_consent());
        for (row, col) in std::mem::take(&mut self.rested) {
            // A line is read where the cursor rests in it, and whoever draws over it has moved the cursor by now.
            if asks.is_none() && is_line(profile, &grid, row) {
                let mut then = grid.clone().into_owned();
                (then.cursor.row, then.cursor.col) = (row, col);
                asks = self.consent(profile, &snapshot(screen, &then, versions));
            }
        }
        if asks.is_none() {
            asks = self.among_other_signs(profile, screen, &grid);
        }
        self.looked(asks.as_ref(), &grid);
        self.note_drawn(profile, screen, &grid, asks);
    }

    fn rests(&mut self, effect: Effect, cursor: (u16, u16)) {
        if effect == Effect::Text {
            self.rested.clear();
        }
        if self.rested.len() < MOVES && self.rested.last() != Some(&cursor) {
            self.rested.push(cursor);
        }
    }

    fn consent(&mut self, profile: &Profile, snapshot: &Snapshot) -> Option<Question> {
        self.verdict(profile, snapshot).question.filter(|question| question.kind.gives_consent())
    }

    fn verdict(&mut self, profile: &Profile, snapshot: &Snapshot) -> Verdict {
        classify(profile, snapshot, &mut self.cache, &mut Trace::default())
    }

    fn note(&mut self, request: Request) {
        let mut known = self.answered.iter_mut().chain(&mut self.stood);
        match known.find(|known| known.is(&request.question, request.resizes)) {
            Some(known) if known.resizes != request.resizes => *known = request,
            Some(_) => {}
            None => self.stood.push(request),
        }
    }

    /// Something was typed that may have answered what stood there: `shown`, at the last look. What only moves the
    /// highlight answers nothing.
    pub fn typed(&mut self, input: &Input, shown: Option<&Question>) {
        self.moved |= !matches!(input, Input::Focus(_));
        if !moves_highlight(input) {
            (self.moved, self.unread) = (false, false);
            self.former.clear();
            self.answered.append(&mut self.stood);
            let (shown, resizes) = (shown.filter(|shown| shown.kind.gives_consent()).cloned(), self.resizes);
            self.answered.extend(shown.map(|question| Request { question, resizes }));
            self.forget_old_answers();
            self.drawn.clear();
            self.layer.passed();
        }
    }

    /// The screen was looked at. Where nothing asks for consent, and what was answered has left the screen, it is gone, and
    /// would be asked anew. One request may lead to another, and be drawn once more between the two; and a program that leaves
    /// an answered one standing below other words asks for nothing there.
    pub fn looked(&mut self, shown: Option<&Question>, grid: &Grid) {
        if !self.answered.is_empty() && shown.is_none_or(|shown| !shown.kind.gives_consent()) {
            self.answered.retain(|answered| answered.stands_in(grid));
        }
    }

    /// The program is given another size, and draws what it shows anew, with other breaks: `shown`, at the last look, is no
    /// other request for that.
    pub fn resized(&mut self, shown: Option<&Question>) {
        self.stood.retain(|stood| !shown.is_some_and(|shown| stands_as(&stood.question, shown)));
        self.resizes += 1;
        self.stood_at_former_width(shown);
        self.drawn.clear();
        self.layer.passed();
    }

    /// Somebody did to the terminal what keeps a request from being read (`session/pty.rs` tells what).
    pub fn disturbed(&mut self) {
        self.unread = true;
    }

    /// What stood there has been answered in another way than by a key. Its program may draw it once more before it takes that
    /// in, with the next request right behind it.
    pub fn answered(&mut self, question: &Question) {
        let answered = self.stood.extract_if(.., |stood| asked_by_hook(question, &stood.question));
        self.answered.extend(answered);
        self.forget_old_answers();
    }

    fn forget_old_answers(&mut self) {
        let old = self.answered.len().saturating_sub(MOST);
        self.answered.drain(..old);
    }

    /// Whether something that is not this has asked for consent and may still wait behind it.
    pub fn hides(&self, shown: Option<&Question>) -> bool {
        self.hides_all_but(shown, |_, _| false)
    }

    /// The same of what a person answers, who reads all of it: not where it is what stood there with more of its words, or with
    /// others of them, in view. Gemini CLI draws a long command so while it makes room for it.
    pub fn hides_from_person(&self, shown: Option<&Question>) -> bool {
        self.hides_all_but(shown, Request::is_a_view_of)
    }

    fn hides_all_but(&self, shown: Option<&Question>, or: impl Fn(&Request, &Question) -> bool) -> bool {
        let is_it = |stood: &Request| {
            shown.is_some_and(|shown| {
                let is_it = stands_as(shown, &stood.question) || stood.is(shown, self.resizes);
                (is_it || or(stood, shown)) && (self.moved || !stood.highlights_another(shown))
            })
        };
        self.unread || !self.stood.iter().all(is_it)
    }
}

/// Whether a row may be a line in which consent is given.
fn is_line(profile: &Profile, grid: &Grid, row: u16) -> bool {
    let Some(text) = grid.rows.get(usize::from(row)).map(Row::text) else { return false };
    let gives = |rule: &LineRule| rule.kind.gives_consent();
    profile.line.iter().any(|rule| gives(rule) && rule.pattern.is_match(text.trim()))
}

/// Whether this answers nothing: a mouse that is only moved over a pane, or whose wheel is turned, is one that somebody
/// looks with.
fn moves_highlight(input: &Input) -> bool {
    let press = match input {
        Input::Key(press) => press,
        Input::Mouse(mouse) => return mouse.kind != MouseKind::Press,
        Input::Focus(_) => return true,
        Input::Text(_) | Input::Raw(_) | Input::Paste(_) => return false,
    };
    let moves = [Key::Up, Key::Down, Key::Left, Key::Right, Key::Home, Key::End, Key::PageUp, Key::PageDown];
    press.action == Action::Release || (press.mods == Mods::NONE && moves.contains(&press.key))
}

fn snapshot<'a>(screen: &'a Screen, grid: &'a Grid, versions: &'a [u64]) -> Snapshot<'a> {
    Snapshot {
        grid,
        versions,
        title: screen.title(),
        status: None,
        modes: screen.modes(),
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
    }
}

/// Adds what came of the next piece.
fn join(all: &mut Fed, next: Fed) {
    all.replies.extend(next.replies);
    all.reports.extend(next.reports);
    all.scrolled.append(next.scrolled);
    all.cost += next.cost;
    all.reset |= next.reset;
    all.garbled |= next.garbled;
}

#[cfg(test)]
mod overdrawn_tests;
