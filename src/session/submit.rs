//! The Enter of `send --enter`: pressed once the text is seen to stand in the input line, and again if the
//! program has swallowed it.
//!
//! A request orders one, `press_submits` runs with every step. It never sends a draft that anybody has touched
//! since, and never presses on a screen that is older than this moment.

use crate::core::detect::front::Front;
use crate::core::question::State;
use crate::core::terminal::keys::{Input as Keys, Key, KeyPress};
use crate::wire::message::Reply;

use super::message::ClientKey;
use super::send::has_words;
use super::typing_slot::{DueSubmit, Sent};
use super::{Life, Session};

/// A draft that still stands so long after Enter was not sent: programs redraw within 50 ms.
const ENTER_TAKES_MS: u64 = 1_000;
/// Enters for one draft, the first included.
const MAX_ENTERS: u8 = 3;
/// A program with an input line shows what it was given within this time, even while it starts on a busy
/// machine; an Enter that overtakes the text becomes part of it.
const DRAFT_SHOWS_MS: u64 = 5_000;
/// Programs swallow an Enter only while they start, Codex in its first 3 s; ten times that on a busy machine.
/// Later a draft that still stands was sent, and its program is slow to draw: another Enter would meet
/// whatever it draws next.
const STARTING_MS: u64 = 30_000;
/// A program that draws a screen and leaves its terminal collecting lines for this long has lost it: Claude Code
/// switches within a second, on a busy machine too.
const BLOCKED_GIVEN_MS: u64 = 10_000;
/// Exit code of the contract: refused by policy.
const REFUSED: u8 = 4;
/// Between two looks at an input line that is still empty, and at a program that may have swallowed an Enter.
const LOOK_MS: u64 = 50;
/// Looks in a row at which such a program waits for keys and has printed nothing. One that took the Enter and is slow to
/// draw has work to do, or sleeps for a frame of its own at most: 16 ms, and a busy machine's delay.
const RESTS: u8 = 8;

impl Session {
    /// The Enter of what was just typed: it is pressed after a pause, as a write of its own.
    pub(super) fn order_submit(&mut self, client: ClientKey, id: u64, input: &[Keys]) {
        let now = self.now;
        let pause = if input.is_empty() { 0 } else { self.profile.keys.submit_ms };
        let words = input.iter().any(|input| match input {
            Keys::Text(text) | Keys::Paste(text) => !text.trim().is_empty(),
            Keys::Key(_) | Keys::Mouse(_) | Keys::Focus(_) | Keys::Raw(_) => false,
        });
        let shows = words && self.draft() == Some("");
        self.slot.submits.push(DueSubmit {
            due_ms: now.ms + pause,
            ordered_ms: now.ms,
            typed: self.slot.typed,
            client,
            id,
            pressed: 0,
            draft: String::new(),
            rests: 0,
            words: has_words(input),
            shows_by: shows.then_some(now.ms + DRAFT_SHOWS_MS),
        });
        self.moved = true;
    }

    /// Presses the Enters that are due, unless something else was typed in between. A program that is only
    /// being started may swallow one: it is pressed again while the same draft stands in an idle input line.
    pub(super) fn press_submits(&mut self) {
        let now = self.now;
        let ready = |submit: &DueSubmit| now.ms >= submit.due_ms;
        if !self.slot.submits.iter().any(ready) || !self.up_to_date() {
            return;
        }
        let due: Vec<_> = self.slot.submits.extract_if(.., |submit| ready(submit)).collect();
        for submit in due {
            let (client, id) = (submit.client, submit.id);
            if let Some(reply) = self.press_submit(submit) {
                let stands = matches!(reply, Reply::Error { .. });
                self.answer_submit(client, id, reply);
                if stands { self.refuse_sends() } else { self.release_sends() }
            }
            self.moved = true;
        }
    }

    /// The refusal of an Enter whose program does not run, or whose words a dialog would take for keys.
    fn refuse_submit(&self, submit: &DueSubmit) -> Option<Reply> {
        if self.life != Life::Running {
            return Some(self.not_pressed(submit.pressed));
        }
        let of_words = submit.pressed == 0 && submit.words;
        of_words.then(|| self.behind_a_dialog("Enter was not pressed"))?
    }

    /// One Enter; what its client is told, or nothing while it is not over.
    fn press_submit(&mut self, mut submit: DueSubmit) -> Option<Reply> {
        let now = self.now;
        if let Some(refusal) = self.refuse_submit(&submit) {
            return Some(refusal);
        }
        if now.ms < self.slot.blocked_until {
            return self.blocked(submit);
        }
        let draft = self.draft().unwrap_or_default().to_owned();
        if submit.pressed == 0
            && let Some(by) = submit.shows_by
            && self.slot.typed == submit.typed
        {
            if draft.is_empty() && now.ms < by {
                return self.look_again(submit, now.ms + LOOK_MS);
            }
            // The pause that a text wants before its Enter counts from where it is taken in.
            let seen = now.ms.min(self.observation.changed_ms) + self.profile.keys.submit_ms;
            submit.shows_by = None;
            if seen > now.ms {
                return self.look_again(submit, seen);
            }
        }
        if submit.pressed > 0 && self.observation.watcher.next_wake().is_some() {
            // Something was printed that nobody has judged yet.
            submit.rests = 0;
            return self.look_again(submit, now.ms + LOOK_MS);
        }
        let starting = now.ms < self.started_ms + STARTING_MS;
        let idle = self.observation.verdict.state == State::Idle;
        let stands = starting && idle && !draft.is_empty() && draft == submit.draft;
        if submit.pressed > 0 && (self.slot.typed != submit.typed || !stands) {
            return Some(Reply::Done);
        }
        if self.slot.typed != submit.typed {
            return Some(Reply::error(1, "something else was typed meanwhile; Enter was not pressed"));
        }
        if submit.pressed == MAX_ENTERS {
            let what = format!("{} does not take Enter; the text is in its input line", self.name);
            return Some(Reply::error(1, what));
        }
        if submit.pressed > 0 {
            submit.rests = if self.slot.front == Front::Agent { submit.rests + 1 } else { 0 };
            if submit.rests < RESTS {
                return self.look_again(submit, now.ms + LOOK_MS);
            }
        }
        let before = self.slot.draft.clone();
        self.type_into(&[Keys::Key(KeyPress::plain(Key::Enter))], false);
        if draft.is_empty() && self.is_in_tmux() {
            self.confirm(submit.client, submit.id, Sent::Enter, before);
            return None;
        }
        if draft.is_empty() {
            return Some(Reply::Done);
        }
        let (typed, pressed) = (self.slot.typed, submit.pressed + 1);
        self.look_again(DueSubmit { typed, pressed, draft, rests: 0, ..submit }, now.ms + ENTER_TAKES_MS)
    }

    /// Whoever waits for an Enter is told that none comes: the program has ended, or its session does.
    pub(super) fn end_submits(&mut self) {
        for DueSubmit { client, id, pressed, .. } in std::mem::take(&mut self.slot.submits) {
            let reply = self.not_pressed(pressed);
            self.answer_submit(client, id, reply);
            self.moved = true;
        }
        self.end_unconfirmed();
        self.refuse_sends();
    }

    /// A server that is to make way waits while a session submits: it must not be gone between the Enter and the word of it,
    /// or whoever sent it sends it again.
    pub(super) fn answer_submit(&mut self, client: ClientKey, id: u64, reply: Reply) {
        self.slot.answering = true;
        self.reply_to(client, id, reply);
        self.slot.answering = false;
    }

    /// What is told of a program that takes no Enter now; one that was pressed before was pressed.
    fn not_pressed(&self, pressed: u8) -> Reply {
        let name = &self.name;
        match self.life {
            _ if pressed > 0 => Reply::Done,
            Life::Paused => {
                let mend = format!("{name} is paused; run 'counsel resume {name}' first");
                Reply::error(
                    REFUSED,
                    format!("{mend}: the text is in its input line, and Enter was not pressed"),
                )
            }
            _ => Reply::error(1, format!("{name} does not run any more; Enter was not pressed")),
        }
    }

    fn look_again(&mut self, submit: DueSubmit, due_ms: u64) -> Option<Reply> {
        self.slot.submits.push(DueSubmit { due_ms, ..submit });
        None
    }

    /// An Enter for a terminal that collects lines would be a line break in the draft: it waits, and is given up.
    fn blocked(&mut self, submit: DueSubmit) -> Option<Reply> {
        if self.now.ms < submit.ordered_ms + BLOCKED_GIVEN_MS {
            let until = self.slot.blocked_until;
            return self.look_again(submit, until);
        }
        let name = &self.name;
        Some(Reply::error(1, format!("the terminal of {name} takes lines, not keys; Enter was not pressed")))
    }

    /// What stands in the agent's input line; `None` where none is seen.
    fn draft(&self) -> Option<&str> {
        self.observation.verdict.composer.as_ref().map(|composer| composer.draft.as_str())
    }
}
