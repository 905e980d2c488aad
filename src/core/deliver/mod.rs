//! Delivery: the proof-carrying injection of one answer into one dialog, as a state machine.
//!
//! The hub makes a `Delivery`, calls `step` whenever the screen was judged anew and at the time of a
//! `Wait`, and performs exactly what is returned. One key, look, next key; a key that commits is sent
//! once, on a dialog seen to be the one that was asked, with the right row seen highlighted. Whatever
//! is not as expected ends the delivery: nothing more is sent, a person takes over.

mod after;
mod compose;
mod drive;
mod ends;
mod flight;
mod follow;
mod highlight;
mod line;
mod plan;
mod refused;
mod room;
mod sight;
mod surplus;

use serde::{Deserialize, Serialize};

use crate::core::hook::Asked;
use crate::core::profile::Keys;
use crate::core::question::{Answer, Fingerprint, Question, State, Verdict};
use crate::core::terminal::grid::Size;
use crate::core::terminal::keys::KeyPress;
use ends::Ends;
use flight::{Committed, Flight, Surplus};
use plan::Plan;

pub use plan::{as_typed, fits_a_line, prompt_fault, text_fault};
pub use room::room_fault;
pub use sight::{other_rows, part_of, same as same_dialog, scrolled};

/// Whether a question can be declined at all.
///
/// # Errors
/// Why not.
pub fn declinable(q: &Question, keys: &Keys) -> Result<(), String> {
    plan::decline(q, keys).map(drop)
}

/// How long the dialog may be off the screen before a key has committed: a redraw in several pieces.
const GRACE_MS: u64 = 400;
/// The longest a delivery takes: the longest menu is a few dozen keys.
const WHOLE_MS: u64 = 30_000;
/// When to look again while nothing is expected at a certain time.
const LOOK_MS: u64 = 50;

/// What the hub knows of the agent's screen at the moment of a step.
#[derive(Debug)]
pub struct DeliveryContext<'a> {
    pub verdict: &'a Verdict,
    /// When the verdict was made.
    pub judged_ms: u64,
    /// When the screen last changed. Later than `judged_ms`: the verdict is of an older screen, and no
    /// key is sent on it.
    pub changed_ms: u64,
    /// The screen's text.
    pub text: String,
    pub size: Size,
    /// Sequence number of what persons and other programs typed into the pane.
    pub typed: u64,
    /// Paused, exited, resized since: nothing may be sent.
    pub stopped: bool,
    /// The program does not take keys yet: one sent now would be lost, or become another.
    pub input_blocked: bool,
}

/// What the hub has to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step {
    /// One key, in a write of its own.
    Press(KeyPress),
    /// Typed as if by keyboard, without a line end.
    Text(String),
    /// Pasted: in brackets if the program has asked for them.
    Paste(String),
    /// Call again at this time, or as soon as the screen was judged anew.
    Wait { until_ms: u64 },
    /// The answer went in and its dialog is gone.
    Done(Proof),
    /// It did not go in, or that it did cannot be shown. The reason fits after "could not answer: ".
    Failed(String),
}

/// What was seen and sent: enough to show that the right answer went into the right dialog.
impl Step {
    /// Whether it reaches the agent.
    pub fn is_key(&self) -> bool {
        match self {
            Step::Press(_) | Step::Text(_) | Step::Paste(_) => true,
            Step::Wait { .. } | Step::Done(_) | Step::Failed(_) => false,
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Proof {
    /// The dialog that was answered; none for a prompt into an idle agent.
    #[serde(default, skip_serializing_if = "Option::is_none", with = "fingerprint_text")]
    pub before: Option<Fingerprint>,
    /// What was highlighted, ticked or drafted when the committing key was sent.
    pub seen: String,
    pub keys: Vec<String>,
    pub gone_after_ms: u64,
    /// What stood in its place: a state, or the next question's kind and words.
    pub after: String,
    /// The agent itself reported what it recorded, and it was what was meant.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub confirmed: Option<Box<Confirmed>>,
}

/// A fingerprint as it stands in the log: sixteen hexadecimal digits. As a number it is one that most readers of JSON round.
mod fingerprint_text {
    use serde::de::Error;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    use super::Fingerprint;

    pub fn serialize<S: Serializer>(before: &Option<Fingerprint>, to: S) -> Result<S::Ok, S::Error> {
        before.map(|Fingerprint(number)| format!("{number:016x}")).serialize(to)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Fingerprint>, D::Error> {
        /// As it is written, and as it was.
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Written {
            Text(String),
            Number(u64),
        }
        let number = |written| match written {
            Written::Text(text) => u64::from_str_radix(&text, 16).map_err(D::Error::custom),
            Written::Number(number) => Ok(number),
        };
        Option::<Written>::deserialize(from)?.map(number).transpose().map(|number| number.map(Fingerprint))
    }
}

/// An agent's own word that an answer was taken.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Confirmed {
    /// The channel it came by.
    pub confirmed_by: String,
    pub recorded: String,
}

/// One delivery.
#[derive(Debug, Clone)]
pub struct Delivery {
    /// The question as it was asked, with the rows that are in view of a list that scrolls; none for a prompt.
    question: Option<Question>,
    asked: Option<Fingerprint>,
    /// Whether it goes on in a list that scrolls.
    follows: bool,
    /// The question as the program's hook told it.
    told: Option<Asked>,
    plan: Plan,
    keys: Keys,
    typed: u64,
    began_ms: u64,
    /// No key after this time.
    until_ms: u64,
    sent: Vec<String>,
    last_key_ms: Option<u64>,
    /// The key whose effect has not been seen yet.
    flight: Option<Flight>,
    /// Arrows that may still come.
    surplus: Option<Surplus>,
    /// No key before this time: an effect of a repeated key may still come.
    quiet_until: u64,
    /// Since when the dialog has looked as it does.
    steady: Option<(Question, u64)>,
    /// Since when the dialog has not been on the screen.
    away_since: Option<u64>,
    /// Arrows sent.
    moves: usize,
    /// The highlight was seen to follow one.
    obeyed: bool,
    /// A tick was seen to change.
    ticked: bool,
    ends: Ends,
    /// The text is in, as seen on the screen.
    written: bool,
    /// Behind its first letter the rest of the text is in.
    whole: bool,
    /// Why the answer ends, while the letter that was typed of it is taken back.
    taken_back: Option<String>,
    /// The field for the text is open.
    opened: bool,
    /// How often the words of the question stood on the screen before the last key.
    words_shown: usize,
    committed: Option<Committed>,
    ended: Option<Step>,
}

impl Delivery {
    /// Checks that the answer is one the question takes, and how it would be typed.
    pub fn new(
        q: &Question,
        answer: &Answer,
        keys: &Keys,
        typed: u64,
        now_ms: u64,
    ) -> Result<Delivery, String> {
        let plan = plan::of(q, answer, keys, false)?;
        Ok(Delivery::with(Some(q.clone()), plan, keys, typed, now_ms))
    }

    /// The same for an answer of a person's, which goes on in a list that scrolls under its arrows.
    ///
    /// # Errors
    /// The question does not take it.
    pub fn of_person(
        q: &Question,
        answer: &Answer,
        keys: &Keys,
        typed: u64,
        now_ms: u64,
    ) -> Result<Delivery, String> {
        let plan = plan::of(q, answer, keys, true)?;
        Ok(Delivery::with(Some(q.clone()), plan, keys, typed, now_ms).following())
    }

    /// Types a prompt into an idle agent's empty input line.
    pub fn prompt(text: &str, keys: &Keys, typed: u64, now_ms: u64) -> Delivery {
        let plan = Plan::Compose { text: plan::sanitised(text, true), prompt: true };
        Delivery::with(None, plan, keys, typed, now_ms)
    }

    /// The same for the words that a person has an agent begin with: as they were given.
    pub fn first_prompt(text: &str, keys: &Keys, typed: u64, now_ms: u64) -> Delivery {
        let plan = Plan::Compose { text: plan::of_prompt(text), prompt: true };
        Delivery::with(None, plan, keys, typed, now_ms)
    }

    /// The same where the prompt stands in the input line already.
    pub fn pasted(text: &str, keys: &Keys, typed: u64, now_ms: u64) -> Delivery {
        let written = (true, true, Some(now_ms));
        let mut delivery = Delivery::prompt(text, keys, typed, now_ms);
        (delivery.written, delivery.opened, delivery.last_key_ms) = written;
        delivery
    }

    /// Whether a draft is this text, wholly or as far as the input line shows it.
    pub fn stands(draft: &str, text: &str) -> bool {
        sight::is_draft(draft, text)
    }

    fn with(question: Option<Question>, plan: Plan, keys: &Keys, typed: u64, now_ms: u64) -> Delivery {
        Delivery {
            asked: question.as_ref().map(Question::fingerprint),
            follows: false,
            told: None,
            question,
            plan,
            keys: keys.clone(),
            typed,
            began_ms: now_ms,
            until_ms: now_ms + WHOLE_MS,
            sent: Vec::new(),
            last_key_ms: None,
            flight: None,
            surplus: None,
            quiet_until: 0,
            steady: None,
            away_since: None,
            moves: 0,
            obeyed: false,
            ticked: false,
            ends: Ends::default(),
            written: false,
            whole: false,
            taken_back: None,
            opened: false,
            words_shown: 0,
            committed: None,
            ended: None,
        }
    }

    /// The committing key is sent by this time or not at all.
    pub fn until(mut self, ms: u64) -> Delivery {
        self.until_ms = self.until_ms.min(ms);
        self
    }

    /// What it answers; none for a prompt.
    pub fn question(&self) -> Option<&Question> {
        self.question.as_ref()
    }

    /// The keys sent so far, by name; texts in quotes.
    pub fn keys_sent(&self) -> &[String] {
        &self.sent
    }

    /// What to do now. After `Done` or `Failed` it says the same for ever.
    pub fn step(&mut self, view: &DeliveryContext, now_ms: u64) -> Step {
        if let Some(step) = &self.ended {
            return step.clone();
        }
        let step = match self.next(view, now_ms) {
            Step::Wait { until_ms } if self.committed.is_none() => {
                Step::Wait { until_ms: until_ms.min(self.until_ms + 1).max(now_ms + 1) }
            }
            step => step,
        };
        if matches!(step, Step::Done(_) | Step::Failed(_)) {
            self.ended = Some(step.clone());
        }
        step
    }

    fn next(&mut self, view: &DeliveryContext, now: u64) -> Step {
        if let Some(on) = &view.verdict.question {
            self.follow_part(on);
        }
        if let Some(committed) = self.committed.clone() {
            return self.confirm(&committed, view, now);
        }
        if view.verdict.state == State::Exited
            && let Some(step) = self.taken_at_once(view, now)
        {
            return step;
        }
        if let Some(why) = self.disturbed(view) {
            return Step::Failed(why.to_owned());
        }
        if now > self.until_ms {
            return Step::Failed("the time was over before the dialog was finished".to_owned());
        }
        if view.changed_ms > view.judged_ms || view.input_blocked {
            return wait(now, now + LOOK_MS);
        }
        match &self.plan {
            Plan::Compose { text, prompt } => {
                let (text, prompt) = (text.clone(), *prompt);
                self.compose(&text, prompt, view, now)
            }
            Plan::Choose { .. }
            | Plan::Tick { .. }
            | Plan::Write { .. }
            | Plan::Line { .. }
            | Plan::Accept { .. }
            | Plan::EmptyLine
            | Plan::Confirm
            | Plan::Decline { .. } => {
                self.count_words(view);
                self.dialog(view, now)
            }
        }
    }

    /// Whether some of it was typed into a line of the terminal's, and its Enter is still to come.
    pub fn lies_in_a_line(&self) -> bool {
        let begun = self.written || self.flight.is_some() || !self.sent.is_empty();
        // Who takes letters has them, whatever is done to the terminal afterwards.
        let letters = self.question.as_ref().is_some_and(|asked| asked.origin.takes_letters());
        matches!(self.plan, Plan::Line { .. }) && begun && self.committed.is_none() && !letters
    }

    /// Whether somebody has typed since it was begun.
    pub fn is_typed_into(&self, typed: u64) -> bool {
        self.typed != typed
    }

    /// Whether the key that sends it has gone.
    pub fn is_sent(&self) -> bool {
        self.committed.is_some()
    }

    /// What forbids any further key.
    fn disturbed(&self, view: &DeliveryContext) -> Option<&'static str> {
        if view.verdict.state == State::Exited {
            Some("the agent has exited")
        } else if view.stopped {
            Some("the agent was paused")
        } else if view.typed != self.typed {
            Some("somebody typed into the pane")
        } else {
            None
        }
    }
}

/// A wait that ends after now.
fn wait(now: u64, until: u64) -> Step {
    Step::Wait { until_ms: until.max(now + 1) }
}

#[cfg(test)]
#[path = "deliver_tests.rs"]
mod tests;
