//! Checklists of which rows may be out of view.

use super::*;

/// A list of which some rows are in view.
struct List {
    ticks: Vec<bool>,
    at: usize,
    first: usize,
    room: usize,
    wraps: bool,
    sent: Option<Vec<usize>>,
    /// The highlight is not to be told any more once it has moved.
    blurs: bool,
}

impl List {
    fn new(rows: usize, room: usize, wraps: bool) -> List {
        List { ticks: vec![false; rows], at: 0, first: 0, room, wraps, sent: None, blurs: false }
    }

    fn press(&mut self, key: Key) {
        let last = self.ticks.len() - 1;
        match key {
            Key::Down if self.at == last && self.wraps => self.at = 0,
            Key::Down => self.at = (self.at + 1).min(last),
            Key::Up if self.at == 0 && self.wraps => self.at = last,
            Key::Up => self.at = self.at.saturating_sub(1),
            Key::Char(' ') => self.ticks[self.at] = !self.ticks[self.at],
            Key::Enter => self.sent = Some((0..=last).filter(|row| self.ticks[*row]).collect()),
            other => panic!("{other:?}"),
        }
        self.first = self.first.min(self.at).max((self.at + 1).saturating_sub(self.room));
    }

    fn shown(&self) -> Verdict {
        let rows: Vec<usize> = (self.first..self.ticks.len()).take(self.room).collect();
        let labels: Vec<String> = rows.iter().map(|row| format!("Option {row}")).collect();
        let mut question = multi("Which?", &labels.iter().map(String::as_str).collect::<Vec<_>>());
        question.selected = Some(self.at - self.first).filter(|_| !self.blurs || self.at == 0);
        for (row, choice) in rows.iter().zip(&mut question.options) {
            choice.checked = Some(self.ticks[*row]);
        }
        match self.sent {
            None => Verdict { state: State::Asking, question: Some(question), ..Verdict::default() },
            Some(_) => Verdict { state: State::Working, ..Verdict::default() },
        }
    }

    /// Ticks these of the rows in view, and says how that ended.
    fn answer(&mut self, rows: &[usize]) -> Step {
        let keys = Keys { multi_submit: Submit::Enter, find_ends: true, ..keys() };
        let asked = self.shown().question.unwrap();
        let mut delivery = Delivery::new(&asked, &Answer::Rows(rows.to_vec()), &keys, 0, 1_000).unwrap();
        let (mut now, mut changed_ms) = (1_000, 0);
        loop {
            let verdict = self.shown();
            let (stopped, input_blocked) = (false, false);
            let view = DeliveryContext {
                verdict: &verdict,
                judged_ms: changed_ms,
                changed_ms,
                text: String::new(),
                size: Size::FALLBACK,
                typed: 0,
                stopped,
                input_blocked,
            };
            match delivery.step(&view, now) {
                Step::Press(press) => (changed_ms, _) = (now, self.press(press.key)),
                Step::Wait { until_ms } => now = until_ms,
                end @ (Step::Done(_) | Step::Failed(_)) => return end,
                other => panic!("{other:?}"),
            }
        }
    }
}

fn keys_of(end: Step) -> Vec<String> {
    match end {
        Step::Done(proof) => proof.keys,
        other => panic!("{other:?}"),
    }
}

/// The boxes of inquirer, enquirer, questionary and dialoguer show a page of their rows without a word of the others: what was
/// ticked out of view was sent along with what was chosen.
#[test]
fn the_ticks_of_a_list_that_scrolls_without_a_sign_are_not_sent() {
    for wraps in [true, false] {
        for at in [0, 3, 6, 7, 39] {
            let mut list = List::new(40, 7, wraps);
            list.ticks[30] = true;
            (0..at).for_each(|_| list.press(Key::Down));
            let before = list.ticks.clone();
            let end = list.answer(&[0]);
            assert!(matches!(&end, Step::Failed(why) if why.contains("other rows of its list")), "{end:?}");
            assert_eq!((list.sent.is_some(), &list.ticks), (false, &before), "{wraps} {at}");
        }
    }
}

#[test]
fn a_list_that_turns_round_at_its_ends_is_whole() {
    let mut list = List::new(3, 7, true);
    list.ticks[1] = true;
    let keys = keys_of(list.answer(&[0]));
    assert_eq!(keys, ["up", "up", "up", "space", "down", "space", "enter"]);
    assert_eq!(list.sent, Some(vec![0]));
}

#[test]
fn a_list_that_stops_at_its_ends_is_whole() {
    for rows in [1, 2, 5] {
        let mut list = List::new(rows, 5, false);
        list.ticks[rows - 1] = true;
        let keys = keys_of(list.answer(&[rows - 1]));
        assert_eq!(list.sent, Some(vec![rows - 1]));
        assert_eq!(keys.iter().filter(|key| *key == "up").count(), 3, "{keys:?}");
    }
}

/// questionary keeps its default drawn as if it were highlighted: after one arrow two rows were, the arrow was taken for lost, and
/// two more went in.
#[test]
fn an_arrow_is_sent_again_only_where_the_highlight_is_seen_to_have_stayed() {
    let mut list = List { blurs: true, ..List::new(3, 7, true) };
    let end = list.answer(&[2]);
    assert!(matches!(&end, Step::Failed(why) if why.contains("jumps")), "{end:?}");
    assert_eq!(list.at, 2, "one arrow");
}
