//! The one typing slot of an agent: an answer, a question to a consultant, the first prompt, the Enter of a `send`;
//! and what persons and programs type.
//!
//! What is typed, and whether, is decided by `core/deliver`; here its steps are performed on the screen they were
//! decided on, and the hub is told of their outcome. This is the one place from which counsel's own keys reach an
//! agent.

use crate::core::deliver::Step as DeliveryStep;
use crate::core::deliver::{Delivery, DeliveryContext, Proof};
use crate::core::detect::front::NotNow;
use crate::core::detect::witness::Reader;
use crate::core::question::Question;
use crate::core::terminal::encode::{encode, encode_in_tmux};
use crate::core::terminal::keys::{Action, Input as Keys, MouseKind};
use crate::core::terminal::modes::Modes;
use crate::wire::message::Reply;

use super::draft::words_before_the_cursor;
use super::message::{AskKey, DeliverOrder, DeliveryOutcome, News, Output, Refusal};
use super::typing_slot::{SyncState, Typing};
use super::unsent::Unsent;
use super::{Life, Session};

/// More steps at one look than any dialog has keys: a machine that never waits is broken.
const MAX_STEPS: usize = 64;
/// Between two looks at a terminal that collects lines under a program that draws a screen.
const BLOCKED_MS: u64 = 50;
/// Why nothing is typed where the terminal holds words for the same read already.
const TYPED_AHEAD: &str = "something was typed ahead of its prompt and would be read with the answer; \
    answer it in its pane, where ctrl-u takes that back first";
/// Why nothing is typed behind what is left of a prompt.
const WIPED: &str =
    "the end of its prompt was wiped away with what was typed ahead and taken back; answer it in its pane";
/// Why nothing is typed where a part of another answer may wait for the same Enter.
const LEFT: &str = "a part of an answer that was given up may wait in its line and would be read with this one; answer it in \
    its pane, where ctrl-u takes that back first";
/// Why nothing is typed behind the terminal's own reply to a query, which a person would not see there either.
const REPLIED: &str = "the terminal's reply to a query waits in its line and would be read with this answer; answer it in its \
    pane, where ctrl-u takes that back first";
/// Why no Enter is sent behind what was typed.
const FLUSHED: &str = "what was typed was thrown away before its Enter (its program, or one beside it, flushed the terminal's \
    input), and what stands there is only its echo";
/// Why nothing is typed where something else may take it for a yes.
const DRAWN_OVER: &str = "a request for consent was drawn over and may still wait for a key";
/// Exit codes of the contract.
const FAILED: u8 = 1;
const REFUSED: u8 = 4;

impl Session {
    pub(super) fn context(&self) -> DeliveryContext<'_> {
        let seen = &self.observation;
        DeliveryContext {
            verdict: &seen.verdict,
            judged_ms: seen.judged_ms,
            // Output that was not judged yet counts, and so do a resize that the program has still to
            // answer, a synchronized update that it has still to end, and a request that is being drawn: no key is sent on an
            // old look.
            changed_ms: match self.terminal.redraw {
                Some(_) => seen.judged_ms + 1,
                None if self.terminal.screen.in_sync() || seen.watcher.holds_back() => seen.judged_ms + 1,
                None => self.terminal.output_ms.max(seen.changed_ms).max(self.terminal.resized_ms),
            },
            text: self.terminal.screen.grid().text(),
            size: self.terminal.screen.size(),
            typed: self.slot.typed,
            stopped: self.not_running(),
            input_blocked: self.now.ms < self.slot.blocked_until,
        }
    }

    pub(super) fn typing_wake(&self) -> Option<u64> {
        // While the screen is being drained, nothing is due: the answer wakes the session.
        let submit = self.slot.submits.iter().map(|submit| submit.due_ms).min();
        let submit = submit.filter(|_| self.slot.sync == SyncState::Old);
        [self.slot.wake, submit].into_iter().flatten().min()
    }

    /// Begins to type an answer, if its question is the one on the screen.
    pub(super) fn deliver(&mut self, order: DeliverOrder) {
        let DeliverOrder { ask, question, fingerprint, answer, typed, until_ms, follows, told } = order;
        let on_screen = self.observation.verdict.question.as_ref().map(Question::fingerprint);
        let begun = if self.stands_still() {
            Err(Refusal::Paused)
        } else if on_screen != Some(fingerprint) {
            Err(Refusal::NotOnScreen)
        } else if self.slot.typing.is_some() || self.awaits_enter() {
            Err(Refusal::Busy)
        } else if self.slot.typed != typed {
            Err(Refusal::Typed)
        } else {
            let keys = &self.profile.keys;
            let begin = if follows { Delivery::of_person } else { Delivery::new };
            begin(&question, &answer, keys, typed, self.now.ms).map_err(Refusal::Unfit)
        };
        let outcome = match begun {
            Ok(delivery) => {
                let delivery = until_ms.into_iter().fold(delivery.told(told), Delivery::until);
                self.slot.typing = Some(Typing::Answer(ask, Box::new(delivery)));
                self.slot.unsent = Unsent::default();
                DeliveryOutcome::Begun
            }
            Err(refusal) => DeliveryOutcome::Refused(refusal),
        };
        self.moved = true;
        self.tell_delivery(ask, outcome, Vec::new());
        self.drive_typing();
    }

    /// Lets whatever is being typed into the agent take its next steps.
    pub(super) fn drive_typing(&mut self) {
        self.begin_first_prompt();
        for _ in 0..MAX_STEPS {
            let now = self.now;
            let Some(typing) = self.slot.typing.take() else { return };
            let mut next = typing.clone();
            let step = next.delivery().step(&self.context(), now.ms);
            if step.is_key() && now.ms < self.slot.held_until {
                (self.slot.wake, self.slot.typing) = (Some(self.slot.held_until), Some(typing));
                return;
            }
            if step.is_key() && !self.may_press(&typing) {
                // The same step is taken again, by the machine as it was, on what is there by then.
                self.slot.typing = Some(typing);
                return;
            }
            if step.is_key() && self.observation.hides_from(next.delivery()) {
                return self.typed_badly(typing, DRAWN_OVER.to_owned());
            }
            if let Some(why) = self.spoilt().filter(|_| step.is_key()) {
                return self.typed_badly(typing, why.to_owned());
            }
            match self.not_now().filter(|_| step.is_key()) {
                Some(NotNow::Until(ms)) => {
                    // Looked at before that, it would be looked at again within this very turn, and again.
                    self.slot.held_until = ms;
                    (self.slot.wake, self.slot.typing) = (Some(ms), Some(typing));
                    return;
                }
                Some(NotNow::Never(why)) => return self.typed_badly(typing, why),
                None => {}
            }
            let typing = next;
            self.slot.wake = None;
            let input = match step {
                DeliveryStep::Press(press) => Keys::Key(press),
                DeliveryStep::Text(text) => Keys::Text(text),
                DeliveryStep::Paste(text) => Keys::Paste(text),
                DeliveryStep::Wait { until_ms } => {
                    self.slot.wake = Some(until_ms.max(now.ms + 1));
                    self.slot.typing = Some(typing);
                    return;
                }
                DeliveryStep::Done(proof) => return self.typed_well(typing, proof),
                // It took its question along, and nobody needs to be called.
                DeliveryStep::Failed(_) if self.gone() && matches!(typing, Typing::Answer(..)) => {
                    self.slot.typing = Some(typing);
                    return;
                }
                DeliveryStep::Failed(why) => return self.typed_badly(typing, why),
            };
            if let (Typing::Consultation(..), Keys::Paste(text)) = (&typing, &input) {
                self.note_draft(text.clone());
            }
            self.slot.typing = Some(typing);
            self.write_input(&input);
        }
    }

    /// The line that an answer is typed into was thrown away, and its echo stands there all the same: the Enter would send an empty
    /// one. A program that takes each key has what it shows.
    pub(super) fn input_flushed(&mut self) {
        self.slot.draft.flushed();
        let lost = |typing: &mut Typing| typing.delivery().lies_in_a_line();
        if self.collects_lines() == Some(false) || !self.slot.typing.as_mut().is_some_and(lost) {
            return;
        }
        self.slot.wake = None;
        if let Some(typing) = self.slot.typing.take() {
            self.typed_badly(typing, FLUSHED.to_owned());
        }
    }

    /// What was typed of an answer that is given up waits in the terminal for whoever reads a line next.
    pub(super) fn leave_in_line(&mut self, typing: &mut Typing) {
        if typing.delivery().lies_in_a_line() && self.collects_lines() != Some(false) {
            self.slot.draft.leave();
        }
    }

    /// Whether the terminal keeps what is typed until its line ends, where that is known.
    pub(super) fn collects_lines(&self) -> Option<bool> {
        let witness = self.observation.witness.as_ref()?;
        let known = witness.canonical || !matches!(witness.reader, Reader::Unknown(_));
        known.then_some(witness.canonical)
    }

    /// How what is typed is to be encoded.
    pub(super) fn typing_modes(&self) -> Modes {
        let modes = self.terminal.screen.modes();
        if self.collects_lines() == Some(true) { modes.of_lines() } else { modes }
    }

    /// What a person typed before the prompt came up goes with the answer to whoever reads the line, and no screen shows that.
    /// Where it was taken back, the screen may not show the whole prompt any more.
    fn spoilt(&self) -> Option<&'static str> {
        let ahead = self.slot.draft.is_held() && self.collects_lines() == Some(true);
        let left = self.slot.draft.is_left().then_some(LEFT);
        let left = left.or(self.slot.draft.holds_reply().then_some(REPLIED));
        ahead.then_some(TYPED_AHEAD).or(left).or(self.slot.draft.is_wiped().then_some(WIPED))
    }

    /// A part of an answer or of a prompt goes to the program.
    fn write_input(&mut self, input: &Keys) {
        let bytes = encode(input, &self.typing_modes());
        self.observation.typed(input);
        if self.is_answering() {
            self.slot.unsent.follow(input);
        }
        if bytes.contains(&b'\r') || bytes.contains(&b'\n') {
            self.slot.typed_place = self.terminal.raw.end();
            self.slot.lines_typed += 1;
        } else {
            self.slot.text_typed += bytes.len() as u64;
        }
        self.write(bytes);
    }

    /// Whether the next key may go out as soon as it is due: nothing is read for one that must wait for somebody else.
    fn may_press(&mut self, typing: &Typing) -> bool {
        let released = !matches!(typing, Typing::FirstPrompt(..)) || self.first_prompt_is_released();
        released && self.up_to_date()
    }

    /// Whether everything the agent has printed is known; if not, it is read, and the next step comes right
    /// behind it.
    pub(super) fn up_to_date(&mut self) -> bool {
        match self.slot.sync {
            SyncState::Fresh => true,
            SyncState::Asked => false,
            SyncState::Old => {
                self.slot.sync = SyncState::Asked;
                self.slot.wake = None;
                self.out.push(Output::Drain);
                false
            }
        }
    }

    /// All output up to now has been fed: keys that were to be sent are, if they still make sense.
    pub(super) fn drained(&mut self, canonical: bool) {
        self.slot.draft.reply_went(canonical);
        self.slot.sync = SyncState::Fresh;
        self.slot.blocked_until = if canonical && self.reads_keys() { self.now.ms + BLOCKED_MS } else { 0 };
        self.press_submits();
        self.drive_typing();
        self.slot.sync = SyncState::Old;
    }

    pub(super) fn typed_well(&mut self, mut typing: Typing, proof: Proof) {
        self.moved = true;
        let keys = typing.delivery().keys_sent().to_vec();
        match typing {
            Typing::Answer(ask, _) => {
                self.tell_delivery(ask, DeliveryOutcome::Done(proof), keys);
            }
            Typing::Consultation(put, _) => {
                self.forget_draft();
                self.question_put(*put);
            }
            Typing::UnsentDraft(_) => {
                self.forget_draft();
                self.think_for_nobody();
            }
            Typing::FirstPrompt(..) => {}
        }
        self.release_sends();
    }

    fn typed_badly(&mut self, mut typing: Typing, why: String) {
        self.moved = true;
        self.leave_in_line(&mut typing);
        let keys = typing.delivery().keys_sent().to_vec();
        match typing {
            Typing::Answer(ask, _) => {
                self.tell_delivery(ask, DeliveryOutcome::Failed(why), keys);
            }
            Typing::Consultation(put, _) => {
                let why = Some(format!("could not put it to {}: {why}", self.name));
                self.tell(News::NotPut { ask: put.ask, why });
            }
            Typing::UnsentDraft(_) => {}
            Typing::FirstPrompt(text, delivery) => self.first_prompt_given_up(text, &delivery, &why),
        }
        self.refuse_sends();
    }

    pub(super) fn tell_delivery(&mut self, ask: AskKey, outcome: DeliveryOutcome, keys: Vec<String>) {
        let sight = self.sight();
        self.told = Some(sight.clone());
        self.tell(News::Delivery { ask, outcome, keys, sight: Box::new(sight) });
    }

    /// Keys of a person, or of a program on a person's behalf; refused where nobody would read them.
    pub(super) fn typed_by(&mut self, input: &[Keys], person: bool) -> Reply {
        let name = &self.name;
        match self.life {
            Life::Running => self.behind_another().filter(|_| !person).unwrap_or_else(|| {
                self.type_into(input, person);
                Reply::Done
            }),
            Life::Paused => {
                Reply::error(REFUSED, format!("{name} is paused; run 'counsel resume {name}' first"))
            }
            Life::Exited(_) => {
                Reply::error(FAILED, format!("{name} has exited; run 'counsel restart {name}' first"))
            }
            Life::Spawning => Reply::error(FAILED, format!("{name} is only being started; try again")),
        }
    }

    pub(super) fn type_into(&mut self, input: &[Keys], person: bool) {
        let modes = self.typing_modes();
        let encode = if self.is_in_tmux() { encode_in_tmux } else { encode };
        let bytes: Vec<u8> = input.iter().flat_map(|input| encode(input, &modes)).collect();
        if bytes.is_empty() {
            return;
        }
        let held = self.collects_lines() == Some(true) && !ends_line(&bytes);
        let disturbed = input.iter().any(disturbs);
        let taken_back = if disturbed { self.take_answer_back() } else { String::new() };
        if disturbed {
            self.take_rest_back(input);
        }
        if disturbed && !self.is_answering() {
            // What is left of an answer is the business of whoever types there.
            self.slot.unsent = Unsent::default();
        }
        // The key leaves before anything else is done about it.
        self.write(bytes);
        if self.collects_lines() == Some(true) {
            self.slot.draft.collected();
        }
        if disturbed {
            let line = words_before_the_cursor(self.terminal.screen.grid());
            self.slot.draft.begins(|| line.strip_suffix(&taken_back).unwrap_or(&line).to_owned());
        }
        if self.collects_lines() == Some(false) {
            self.slot.draft.taken();
        }
        for input in input {
            self.slot.draft.typed_at(input, || words_before_the_cursor(self.terminal.screen.grid()));
            self.observation.typed(input);
        }
        if disturbed {
            self.forget_draft();
            let seen = &mut self.observation;
            if let Some(question) = &seen.verdict.question {
                let composer = seen.verdict.composer.as_ref();
                input.iter().for_each(|input| seen.choice.follow(question, composer, input));
            }
            self.somebody_typed(person, held);
        }
    }

    /// A person always wins, wherever their keyboard is.
    pub(super) fn person_typed_elsewhere(&mut self) {
        self.somebody_typed(true, false);
    }

    /// What was on its way into this pane is not typed any more. `held`: none of what they typed has reached the program.
    fn somebody_typed(&mut self, person: bool, held: bool) {
        self.slot.typed += 1;
        self.slot.typed_ms = self.now.ms;
        self.slot.typed_place = self.terminal.raw.end();
        self.moved = true;
        self.drive_typing();
        let behind = matches!(&mut self.slot.typing, Some(Typing::Answer(_, answer)) if answer.is_sent());
        let choice = self.observation.choice.answer().cloned();
        self.tell(News::Typed { typed: self.slot.typed, person, held, behind, choice });
    }
}

/// Whether a terminal that collects lines hands over with this what it has: a line end, an end of file, or a signal that most
/// programs end by. One that is stopped goes on later, and asks what it asked.
fn ends_line(bytes: &[u8]) -> bool {
    const INTERRUPT: u8 = 0x03;
    const END_OF_FILE: u8 = 0x04;
    const QUIT: u8 = 0x1c;
    bytes.iter().any(|byte| [b'\r', b'\n', INTERRUPT, END_OF_FILE, QUIT].contains(byte))
}

/// Whether this input can change what a dialog would do with the next key.
fn disturbs(input: &Keys) -> bool {
    match input {
        Keys::Key(press) => press.action != Action::Release,
        Keys::Text(_) | Keys::Paste(_) | Keys::Raw(_) => true,
        Keys::Mouse(mouse) => mouse.kind == MouseKind::Press,
        Keys::Focus(_) => false,
    }
}
