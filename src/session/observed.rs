//! What was seen of an agent's screen last, and what belongs to it.
//!
//! `observation.rs` looks and puts it down here; whoever types or tells reads it. It judges nothing.

use std::sync::Arc;

use crate::core::deliver::Delivery;
use crate::core::deliver::same_dialog;
use crate::core::detect::asked_again::AskedAgain;
use crate::core::detect::channels::Signal;
use crate::core::detect::cut::restore_labels;
use crate::core::detect::overdrawn::Overdrawn;
use crate::core::detect::printed_over;
use crate::core::detect::row_ages::RowAges;
use crate::core::detect::watch::Watcher;
use crate::core::detect::witness::{Interrupted, Witness};
use crate::core::question::user_choice::UserChoice;
use crate::core::question::{Fingerprint, Question, Verdict};
use crate::core::terminal::grid::Grid;
use crate::core::terminal::keys::Input;

use super::message::Now;
use super::printed::Printed;

/// The last verdict and what belongs to it.
#[derive(Debug)]
pub(super) struct Observation {
    pub watcher: Watcher,
    pub verdict: Arc<Verdict>,
    /// When the screen was last looked at.
    pub judged_ms: u64,
    /// When the screen last changed in a way the verdict shows.
    pub changed_ms: u64,
    pub signals: Vec<Signal>,
    pub text: Arc<str>,
    pub text_ms: u64,
    /// The words a consultant's last reply ended in, where they read like a question.
    pub replied: Option<Fingerprint>,
    /// What the person is seen to choose in the dialog on the screen.
    pub choice: UserChoice,
    /// Who read the terminal, unless something was printed since.
    pub witness: Option<Witness>,
    /// The read that was seen last, which a signal or a pause may have taken its program out of.
    pub interrupted: Interrupted,
    pub printed: Printed,
    /// For how long each row has shown what it shows; kept for programs that nobody described.
    pub ages: RowAges,
    /// How often other words stood there in place of a question.
    pub asked_again: AskedAgain,
    /// What has asked for consent since the last key, whether or not a look has seen it.
    pub overdrawn: Overdrawn,
    /// The prompt in the line of the cursor that was seen last, as long as its read may wait still: what is printed below it
    /// takes it from the screen, and not from whoever waits.
    pub asked: Option<Question>,
    /// What had been printed when it was looked at what stands above a question.
    pub above_at: u64,
}

impl Observation {
    /// `asked`: what a line was being read for under the server before.
    pub(super) fn new(asked: Option<Question>, now: Now) -> Observation {
        Observation {
            watcher: Watcher::with_witness(),
            verdict: Arc::default(),
            judged_ms: now.ms,
            changed_ms: now.ms,
            signals: Vec::new(),
            text: Arc::from(""),
            text_ms: 0,
            replied: None,
            choice: UserChoice::default(),
            witness: None,
            interrupted: Interrupted::default(),
            printed: Printed::default(),
            ages: RowAges::default(),
            asked_again: AskedAgain::default(),
            overdrawn: Overdrawn::default(),
            asked,
            above_at: 0,
        }
    }

    /// Its program has another size, and draws anew.
    pub(super) fn resized(&mut self, now_ms: u64) {
        self.watcher.saw_resize(now_ms);
        self.asked_again.resized();
        self.overdrawn.resized(self.verdict.question.as_ref());
    }

    /// Its program is made to draw anew, at another width for a moment.
    pub(super) fn redrawing(&mut self) {
        self.asked_again.resized();
        self.overdrawn.resized(self.verdict.question.as_ref());
    }

    /// Something is typed into what was seen last.
    pub(super) fn typed(&mut self, input: &Input) {
        self.overdrawn.typed(input, self.verdict.question.as_ref());
    }

    /// The screen was looked at: what is asked in a line there, or was, if its read waits on.
    pub(super) fn looked(&mut self) {
        let witness = self.witness.as_ref();
        // Where nobody was looked for, nothing is known against it.
        let waits = |asked: &Question| witness.is_none_or(|witness| printed_over::waits(asked, witness));
        let before = self.asked.take().filter(waits);
        self.asked = self.verdict.asked_in_a_line().cloned().or(before);
    }

    /// The verdict of a look, none where it is the one before, with what tells its question from the same words asked before.
    pub(super) fn told_apart(&mut self, mut verdict: Option<Verdict>, grid: &Grid) -> Option<Verdict> {
        let new = verdict.as_mut().and_then(|verdict| verdict.question.as_mut());
        if let (Some(before), Some(new)) = (&self.verdict.question, new) {
            restore_labels(before, new, grid);
        }
        let new = verdict.as_ref().unwrap_or(&self.verdict);
        self.asked_again.looked(new.question.as_ref().filter(|_| !self.watcher.is_held()), grid);
        let count = Some(self.asked_again.count());
        let same = |question: &Question| question.origin.asked_again == count;
        if verdict.is_none() && new.question.as_ref().is_none_or(same) {
            return None;
        }
        let mut verdict = verdict.unwrap_or_else(|| (*self.verdict).clone());
        if let Some(question) = &mut verdict.question {
            question.origin.asked_again = count;
        }
        Some(verdict)
    }

    /// Whether a request that stood on the screen may wait behind what this answers. A person is shown what they answer, and may
    /// answer for a request whose rest has come into view.
    pub(super) fn hides_from(&self, delivery: &Delivery) -> bool {
        let asked = delivery.question();
        // As it stands by now: arrows have moved its highlight, and words stand in a row of it.
        let now = self.verdict.question.as_ref();
        let now = now.filter(|now| asked.is_some_and(|asked| same_dialog(asked, now)));
        match delivery.is_persons() {
            true => self.overdrawn.hides_from_person(now.or(asked)),
            false => self.overdrawn.hides(now.or(asked)),
        }
    }

    /// A new verdict: whose dialog is it that a person's keys choose in?
    pub(super) fn follow(&mut self, verdict: Verdict, grid: &Grid) {
        let same = match (&self.verdict.question, &verdict.question) {
            (Some(before), Some(after)) => same_dialog(before, after),
            (None, Some(_)) => false,
            (_, None) => true,
        };
        if !same {
            self.choice = UserChoice::default();
        }
        self.overdrawn.looked(verdict.question.as_ref(), grid);
        self.verdict = Arc::new(verdict);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::question::Answer;
    use crate::core::terminal::grid::Size;
    use crate::core::terminal::keys::{Key, KeyPress};
    use crate::session::message::{Input as ToSession, Started};
    use crate::session::{Session, Setup};

    /// The plan of Claude Code 2.0.70, with the highlight on a row.
    fn plan(third: &str, highlighted: usize) -> Vec<u8> {
        let rows = ["Yes, and auto-accept edits", "Yes, and manually approve edits", third];
        let row = |(at, label): (usize, &&str)| {
            let mark = if at == highlighted { '❯' } else { ' ' };
            format!(" {mark} {}. {label}\r\n", at + 1)
        };
        let rows: String = rows.iter().enumerate().map(row).collect();
        let steps: String = (0..60).map(|at| format!(" {at}. Add table {at} of the plan\r\n")).collect();
        let head = format!("\x1b[?25l\x1b[2J\x1b[3J\x1b[H{steps}\r\n Would you like to proceed?\r\n\r\n");
        format!("\x1b[?2026h{head}{rows}\r\n ctrl-g to edit in Vim\r\n\x1b[?2026l").into_bytes()
    }

    /// The words stood in the third row of a tall plan, drawn anew with each key, and their Enter was refused: the highlight was
    /// held to stand where it did when the plan was asked about.
    #[test]
    fn an_answer_that_has_moved_the_highlight_hides_nothing() {
        let at = |ms| Now { ms, unix_ms: ms };
        let mut session = Session::new(Setup::plain("claude", Size::new(80, 24)), at(0));
        session.on(ToSession::Started(Box::<Started>::default()), at(0));
        let mut now_ms = 0;
        let mut show = |session: &mut Session, screen: Vec<u8>| {
            // Drawn twice, each is looked at before it is destroyed.
            for _ in 0..2 {
                now_ms += 100;
                session.feed(&screen, at(now_ms));
            }
            now_ms += 400;
            session.on(ToSession::Wake, at(now_ms));
        };
        const FREE: &str = "Type here to tell Claude what to change";
        show(&mut session, plan(FREE, 0));
        let asked = session.observation.verdict.question.clone().unwrap();
        let answer = Answer::Text("use a view".into());
        let delivery = Delivery::new(&asked, &answer, &session.profile.keys, 0, 0).unwrap().following();
        for highlighted in [1, 2] {
            session.observation.typed(&Input::Key(KeyPress::plain(Key::Down)));
            show(&mut session, plan(FREE, highlighted));
        }
        session.observation.typed(&Input::Text("use a view".into()));
        show(&mut session, plan("use a view", 2));
        assert!(!session.observation.hides_from(&delivery));
    }
}
