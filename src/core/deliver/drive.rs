//! The keys of a dialog: which comes next, when, and what must be seen before it.
//!
//! Closed loop: every key has an effect that must be seen before the next key, and the next key is
//! decided on what is seen, not on what was sent.

use super::flight::{Effect, Flight, Gone, Surplus};
use super::plan::{By, Plan};
use super::surplus::{LATE, LATE_MS};
use super::{Delivery, DeliveryContext, GRACE_MS, Step, sight, wait};
use crate::core::profile::{Axis, FreeText, Toggle};
use crate::core::question::{Kind, Question, Role, State, Widget};
use crate::core::terminal::keys::{Key, KeyPress};

/// An arrow without effect is sent again after this long, if the highlight is provably where it was. Over a slow link one comes later
/// than 500 ms now and then.
const RESEND_MS: u64 = 1_000;
/// Why a list is not gone on with.
const OTHER_ROWS: &str = "other rows of its list came into view: it is longer than what is shown of it";
/// How often one arrow is sent.
const TRIES: u64 = 3;
/// Any other key without effect ends the delivery after this long.
pub(super) const EFFECT_MS: u64 = 2_000;
/// Arrows sent at most, for every row and beyond: a menu that jumps is not followed for ever.
pub(super) const SPARE_MOVES: usize = 6;
/// A trust dialog is drawn while its program still starts: a key that comes within 250 ms of it was seen to
/// leave Claude Code 2.0.70 with its line unread or its screen empty for good, on a busy machine.
const STARTING_MS: u64 = 1_000;
impl Delivery {
    /// A dialog that owns the keyboard.
    pub(super) fn dialog(&mut self, view: &DeliveryContext, now: u64) -> Step {
        let question = match self.ground(view, now) {
            Ok(question) => question.clone(),
            Err(step) => return step,
        };
        if let Some(mut flight) = self.flight.take() {
            if !self.landed(&flight, &question, view) {
                if let Some(step) = self.once_again(&mut flight, &question, now) {
                    self.flight = Some(flight);
                    return step;
                }
                flight.wants.follow(question.selected);
                return self.overdue(flight, &question, now);
            }
            match (&flight.wants, flight.press) {
                (Effect::Moved(_) | Effect::Entered, Some(press)) if flight.tries > 1 => {
                    self.surplus = Some(Surplus { press, count: flight.tries - 1 });
                }
                (Effect::Turned { .. }, _) if flight.tries > 1 => {
                    self.quiet_until = self.quiet_until.max(flight.last_ms + LATE_MS);
                }
                _ => {}
            }
            self.written |= matches!(flight.wants, Effect::Written | Effect::Echoed | Effect::Shown(_));
            self.whole |= matches!(flight.wants, Effect::Shown(_));
            self.opened |= flight.wants == Effect::Opened;
            self.obeyed |= matches!(flight.wants, Effect::Moved(_));
            self.ticked |= matches!(flight.wants, Effect::Ticked(..));
            if matches!(flight.wants, Effect::Turned { .. }) {
                self.ends.turned();
                self.moves = 0;
            }
        }
        let since = self.steady_since(&question, view, now);
        let ready = match self.last_key_ms {
            None if question.kind == Kind::Trust => since + self.keys.first_key_ms.max(STARTING_MS),
            None => since.max(self.began_ms.min(now)) + self.keys.first_key_ms,
            Some(last) => last + self.keys.gap_ms,
        };
        let ready = ready.max(self.quiet_until);
        if now < ready {
            return wait(now, ready);
        }
        if let Some(step) = self.account(&question, now) {
            return step;
        }
        self.act(&question, view, now)
    }

    /// The dialog, if it is on the screen; a short absence is a redraw.
    fn ground<'v>(&mut self, view: &'v DeliveryContext, now: u64) -> Result<&'v Question, Step> {
        let on = view.verdict.question.as_ref();
        if let Some(now) = on {
            self.follow(now);
        }
        let asked = self.question.as_ref().expect("only a prompt has no question");
        if let Some(question) = on.filter(|question| sight::same(asked, question)) {
            if self.away_since.take().is_some() {
                // Drawn anew: it may lose its first keys again.
                self.steady = None;
                self.quiet_until = self.quiet_until.max(now + self.keys.first_key_ms);
            }
            return Ok(question);
        }
        let scrolled = on.is_some_and(|other| sight::other_rows(asked, other));
        // A prompt that takes one letter takes it at once. Words wait for their Enter: nobody knows that they were taken.
        if let Some(step) = self.taken_at_once(view, now) {
            return Err(step);
        }
        let until = *self.away_since.get_or_insert(now) + self.grace_ms(view);
        if now < until {
            return Err(wait(now, until));
        }
        let instead = match on {
            Some(_) if scrolled => OTHER_ROWS.to_owned(),
            Some(other) => format!("another question is on the screen: {:?}", cut(&other.prompt)),
            None => format!("the question is no longer on the screen ({})", view.verdict.state.name()),
        };
        Err(Step::Failed(instead))
    }

    /// How long the dialog may be off the screen. Who was given a key is at work with it, on a busy machine for long.
    fn grace_ms(&self, view: &DeliveryContext) -> u64 {
        let awake = view.verdict.question.is_none() && view.verdict.state == State::Working;
        if awake && self.last_key_ms.is_some() { EFFECT_MS } else { GRACE_MS }
    }

    /// Since when the dialog has looked as it does now.
    fn steady_since(&mut self, question: &Question, view: &DeliveryContext, now: u64) -> u64 {
        match &self.steady {
            Some((seen, since)) if seen.looks_like(question) => *since,
            Some(_) => {
                self.steady = Some((question.clone(), now));
                now
            }
            None => {
                let since = view.changed_ms.min(now);
                self.steady = Some((question.clone(), since));
                since
            }
        }
    }

    fn landed(&self, flight: &Flight, question: &Question, view: &DeliveryContext) -> bool {
        match &flight.wants {
            Effect::Moved(from) => question.selected.is_some_and(|at| at != *from),
            Effect::Entered => question.selected.is_some(),
            Effect::Back { from, rows, up } => {
                question.selected == Some(Effect::next(*from, *rows, *up)) && question.options.len() == *rows
            }
            Effect::Turned { from, to } => from != to && question.selected == Some(*to),
            Effect::Ticked(row, tick) => question.options[*row].checked == Some(*tick),
            Effect::Opened => view.verdict.composer.is_some(),
            Effect::Echoed => question.typing,
            Effect::Emptied => !question.typing,
            Effect::Shown(text) => question.typing && sight::shows(question, text),
            Effect::Written => match &self.plan {
                Plan::Write { row, text, .. } => sight::in_row(view.verdict, question, *row, text),
                _ => false,
            },
        }
    }

    /// A key without effect: waited for, sent again, or given up.
    fn overdue(&mut self, mut flight: Flight, question: &Question, now: u64) -> Step {
        let still = match &flight.wants {
            // What marks another row would stay where it is, and the highlight goes on.
            Effect::Moved(_) if self.is_doubtful(question) => false,
            _ if question.selected.is_none() && flight.passing.is_some() => {
                question.origin.passing == flight.passing
            }
            Effect::Moved(from) | Effect::Turned { from, .. } => question.selected == Some(*from),
            _ => false,
        };
        let patience = if still { RESEND_MS } else { EFFECT_MS };
        let until = flight.last_ms + patience;
        if now < until {
            self.flight = Some(flight);
            return wait(now, until);
        }
        match (flight.press, flight.tries < TRIES) {
            (Some(press), true) if still => {
                flight.tries += 1;
                flight.last_ms = now;
                self.flight = Some(flight);
                self.last_key_ms = Some(now);
                self.sent.push(press.to_string());
                Step::Press(press)
            }
            (press, false) if still && matches!(flight.wants, Effect::Turned { .. }) => {
                if self.ends.stopped(press) {
                    // Should an arrow have been late and not in vain, the list moves before anything is sent.
                    self.quiet_until = self.quiet_until.max(now + LATE_MS);
                    self.moves = 0;
                }
                wait(now, now)
            }
            _ if matches!(flight.wants, Effect::Echoed | Effect::Shown(_)) && self.is_in_field() => {
                self.take_back("the answer does not appear behind the prompt", now)
            }
            _ => Step::Failed(match flight.wants {
                Effect::Moved(row) if self.is_doubtful(question) => format!(
                    "the mark of row {} does not follow an arrow, and may not be what is highlighted; answer in its pane",
                    row + 1
                ),
                Effect::Entered => "the highlight does not leave a row that cannot be chosen".into(),
                Effect::Moved(row) if still => format!("the highlight does not leave row {}", row + 1),
                Effect::Moved(row) => format!("the highlight of row {} is not to be seen any more", row + 1),
                Effect::Back { .. } => LATE.into(),
                Effect::Turned { .. } => "the highlight jumps at an end of the list".into(),
                Effect::Ticked(row, _) => format!("the tick of row {} does not change", row + 1),
                Effect::Opened => "the field for a text did not open".into(),
                Effect::Written => "the text does not appear in its row".into(),
                Effect::Echoed | Effect::Shown(_) => "the answer does not appear behind the prompt".into(),
                Effect::Emptied => self.taken_back.clone().unwrap_or_default(),
            }),
        }
    }

    /// The next key, on a dialog that is the right one and stands still.
    fn act(&mut self, question: &Question, view: &DeliveryContext, now: u64) -> Step {
        let plan = self.plan.clone();
        match plan {
            Plan::Choose { row } => {
                let label = question.options[row].label.clone();
                if let Some(step) = self.onto(question, row, now) {
                    return step;
                }
                let starred = question.options[row].checked == Some(true);
                if question.origin.widget == Widget::Radio && !starred {
                    return self.press(KeyPress::plain(Key::Char(' ')), Effect::Ticked(row, true), now);
                }
                self.commit_dialog(Key::Enter, label, now)
            }
            Plan::Tick { rows, submit } => self.tick(question, &rows, None, submit, now),
            Plan::Write { row, text, how, submit } => {
                if !self.written {
                    return self.write(question, row, &text, how, view, now);
                }
                if !sight::in_row(view.verdict, question, row, &text) {
                    return Step::Failed("the text in its row has changed".into());
                }
                let typed = self.last_key_ms.unwrap_or(now) + self.keys.submit_ms;
                if self.moves_after_text(submit) && now < typed {
                    return wait(now, typed);
                }
                match submit {
                    Some(submit) => self.tick(question, &[], Some(row), submit, now),
                    None if question.selected != Some(row) => {
                        Step::Failed("the highlight has left the row of the text".into())
                    }
                    None => self.commit_dialog(Key::Enter, text, now),
                }
            }
            Plan::Line { text, enter } => self.line(question, text, enter, view.size, now),
            Plan::Accept { offered } => self.accept(question, offered, now),
            Plan::EmptyLine => self.empty_line(question, now),
            Plan::Confirm => self.commit_dialog(Key::Enter, question.prompt.clone(), now),
            Plan::Decline { key } => {
                self.commit(key, format!("declined: {}", question.prompt), Gone::Dialog, now)
            }
            Plan::Compose { .. } => Step::Failed("a text has no dialog".into()),
        }
    }

    /// Whether the pause after a text is still to be kept: only the key right after it.
    fn moves_after_text(&self, submit: Option<By>) -> bool {
        submit.is_none() || self.sent.last().is_some_and(|key| key.starts_with('"'))
    }

    /// A step towards the row; none when the highlight is seen on it.
    pub(super) fn toward(&mut self, question: &Question, row: usize, now: u64) -> Option<Step> {
        let (wants, down) = match (question.selected, question.origin.passing) {
            (Some(from), _) if from == row => return None,
            (Some(from), _) => (Effect::Moved(from), from < row),
            (None, Some(passing)) => (Effect::Entered, passing.before <= row),
            (None, None) => return Some(Step::Failed("no row is highlighted".into())),
        };
        if self.moves >= 2 * question.options.len() + SPARE_MOVES {
            return Some(Step::Failed(format!("the highlight does not come to rest on row {}", row + 1)));
        }
        self.moves += 1;
        let own = match (question.origin.widget, question.kind) {
            (Widget::Buttons, _) => Some(Axis::Horizontal),
            (_, Kind::Permission) => self.keys.permission_axis,
            _ => None,
        };
        let key = match (own.unwrap_or(self.keys.axis), down) {
            (Axis::Vertical, true) => Key::Down,
            (Axis::Vertical, false) => Key::Up,
            (Axis::Horizontal, true) => Key::Right,
            (Axis::Horizontal, false) => Key::Left,
        };
        Some(self.press_at(question, KeyPress::plain(key), wants, now))
    }

    /// Makes the ticks right, one row after the other, then submits.
    fn tick(&mut self, q: &Question, rows: &[usize], typed: Option<usize>, submit: By, now: u64) -> Step {
        let step = if matches!(submit, By::Key(_)) { self.find_ends(q, now) } else { None };
        if let Some(step) = step {
            return step;
        }
        if let Some((row, tick)) = self.next_tick(q, rows, typed) {
            if q.options[row].role == Role::FreeText {
                return Step::Failed("a text somebody typed is ticked".into());
            }
            return self.toggle(q, row, tick, now);
        }
        let ticked = q.options.iter().filter(|choice| choice.checked == Some(true));
        let seen = format!("ticked: {}", ticked.map(|c| c.label.as_str()).collect::<Vec<_>>().join(", "));
        match submit {
            // Then the keyboard is on a button, and that is what the key would press.
            By::Key(_) if q.selected.is_none() && q.origin.passing.is_none() => {
                Step::Failed("no row is highlighted".into())
            }
            By::Key(key) => self.onto_a_tick(q, now).unwrap_or_else(|| self.commit_dialog(key, seen, now)),
            By::Row(row) => {
                let label = format!("{seen}; {}", q.options[row].label);
                self.onto(q, row, now).unwrap_or_else(|| self.commit_dialog(Key::Enter, label, now))
            }
        }
    }

    /// Changes one tick.
    fn toggle(&mut self, q: &Question, row: usize, tick: bool, now: u64) -> Step {
        let digit = q.options[row].number.and_then(|number| char::from_digit(number, 10));
        let key = match (self.keys.toggle, digit) {
            (Toggle::Space, _) => Key::Char(' '),
            (Toggle::Enter, _) => Key::Enter,
            (Toggle::Digit, Some(digit)) => Key::Char(digit),
            (Toggle::Digit, None) => return Step::Failed(format!("row {} has no digit", row + 1)),
        };
        // A digit toggles from anywhere but from within a text.
        let from_afar = self.keys.toggle == Toggle::Digit && !q.typing;
        if let Some(step) = if from_afar { None } else { self.onto(q, row, now) } {
            return step;
        }
        if q.typing && key != Key::Enter {
            return Step::Failed("the keyboard goes into a text, not to the ticks".into());
        }
        self.press(KeyPress::plain(key), Effect::Ticked(row, tick), now)
    }

    /// Brings the keyboard into the free-text row and types.
    fn write(
        &mut self,
        q: &Question,
        row: usize,
        text: &str,
        how: FreeText,
        view: &DeliveryContext,
        now: u64,
    ) -> Step {
        if q.selected != Some(row) && how == FreeText::Digit {
            let digit = q.options[row].number.and_then(|number| char::from_digit(number, 10));
            let Some((digit, from)) = digit.zip(q.selected).filter(|_| !q.typing) else {
                return Step::Failed("the row for a text has no digit".into());
            };
            self.opened = true;
            return self.press(KeyPress::plain(Key::Char(digit)), Effect::Moved(from), now);
        }
        if let Some(step) = self.onto(q, row, now) {
            return step;
        }
        if view.verdict.composer.as_ref().is_some_and(|field| !field.draft.is_empty()) {
            return Step::Failed("somebody's draft stands in the field for a text".into());
        }
        if q.options[row].written {
            // A server that was killed before its Enter has left them; any others are somebody's.
            if !sight::in_row(view.verdict, q, row, text) {
                return Step::Failed("somebody's words stand in the row for a text".into());
            }
            (self.written, self.last_key_ms) = (true, Some(now));
            return wait(now, now + self.keys.submit_ms);
        }
        match how {
            FreeText::NotesTab if !self.opened => {
                if view.verdict.composer.is_some() {
                    return Step::Failed("the field for a text is open already".into());
                }
                return self.press(KeyPress::plain(Key::Tab), Effect::Opened, now);
            }
            // Highlighted without its digit, the row would take letters for keys.
            FreeText::Digit if !self.opened => {
                return Step::Failed("the row for a text was highlighted already".into());
            }
            FreeText::NotesTab | FreeText::Digit | FreeText::TypeOnRow | FreeText::None => {}
        }
        self.fly(None, Effect::Written, format!("{text:?}"), now);
        Step::Text(text.to_owned())
    }

    pub(super) fn press(&mut self, press: KeyPress, wants: Effect, now: u64) -> Step {
        self.fly(Some(press), wants, press.to_string(), now);
        Step::Press(press)
    }

    pub(super) fn fly(&mut self, press: Option<KeyPress>, wants: Effect, name: String, now: u64) {
        self.flight = Some(Flight { first_ms: now, last_ms: now, tries: 1, press, wants, passing: None });
        self.last_key_ms = Some(now);
        self.sent.push(name);
    }
}

/// The beginning of a text, for a reason.
pub(super) fn cut(text: &str) -> String {
    text.chars().take(60).collect()
}
