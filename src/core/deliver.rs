//! The proof-carrying injection as a state machine.

use serde::{Deserialize, Serialize};

use super::keys::{Key, KeyPress};
use super::profile::Keys;
use super::question::{Answer, Fingerprint, Question, Role, State, Verdict};

#[derive(Debug)]
pub struct View<'a> {
    pub verdict: &'a Verdict,
    pub judged_ms: u64,
    pub changed_ms: u64,
    pub typed: u64,
    pub halted: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step {
    Press(KeyPress),
    Text(String),
    Paste(String),
    Wait { until_ms: u64 },
    Done(Proof),
    Failed(String),
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Proof {
    pub fingerprint: Fingerprint,
    pub keys: Vec<String>,
    pub gone_after_ms: u64,
}

#[derive(Debug)]
pub struct Delivery {
    print: Option<Fingerprint>,
    answer: Answer,
    keys: Keys,
    typed: u64,
    last_key: u64,
    sent: Vec<String>,
    committed: Option<u64>,
    pasted: bool,
    began: u64,
}

impl Delivery {
    pub fn new(
        q: &Question,
        answer: &Answer,
        keys: &Keys,
        typed: u64,
        now_ms: u64,
    ) -> Result<Delivery, String> {
        Ok(Delivery {
            print: Some(q.fingerprint()),
            answer: answer.clone(),
            keys: keys.clone(),
            typed,
            last_key: 0,
            sent: vec![],
            committed: None,
            pasted: false,
            began: now_ms,
        })
    }
    pub fn prompt(text: &str, keys: &Keys, typed: u64, now_ms: u64) -> Delivery {
        Delivery {
            print: None,
            answer: Answer::Text(text.to_owned()),
            keys: keys.clone(),
            typed,
            last_key: 0,
            sent: vec![],
            committed: None,
            pasted: false,
            began: now_ms,
        }
    }
    pub fn keys_sent(&self) -> &[String] {
        &self.sent
    }
    fn press(&mut self, key: Key, now: u64) -> Step {
        self.last_key = now;
        self.sent.push(KeyPress::plain(key).to_string());
        Step::Press(KeyPress::plain(key))
    }
    pub fn step(&mut self, view: &View, now: u64) -> Step {
        if view.typed != self.typed || view.halted {
            return Step::Failed("a person typed, or the agent was halted".into());
        }
        let on = view.verdict.question.as_ref();
        let text_like = self.print.is_none() || on.is_some_and(|q| q.options.is_empty());
        if let Some(at) = self.committed {
            let gone = match self.print {
                Some(print) => on.map(Question::fingerprint) != Some(print),
                None => {
                    view.verdict.composer.as_ref().is_none_or(|c| c.draft.is_empty())
                        || view.verdict.state == State::Working
                }
            };
            if gone && view.judged_ms > at {
                return Step::Done(Proof {
                    fingerprint: self.print.unwrap_or(Fingerprint(0)),
                    keys: self.sent.clone(),
                    gone_after_ms: now - at,
                });
            }
            return if now > at + 5000 {
                Step::Failed("the dialog did not go".into())
            } else {
                Step::Wait { until_ms: now + 100 }
            };
        }
        let ready =
            (view.changed_ms + self.keys.first_key_ms).max(self.last_key + self.keys.gap_ms).max(self.began);
        if now < ready {
            return Step::Wait { until_ms: ready };
        }
        if self.last_key > 0 && view.judged_ms <= self.last_key {
            return if now > self.last_key + 2000 {
                Step::Failed("no look after the key".into())
            } else {
                Step::Wait { until_ms: now + 50 }
            };
        }
        if let (true, Answer::Text(text)) = (text_like, self.answer.clone()) {
            if !self.pasted {
                self.pasted = true;
                self.last_key = now;
                self.sent.push("paste".into());
                return Step::Paste(text);
            }
            self.committed = Some(now);
            return self.press(Key::Enter, now);
        }
        match on.filter(|q| Some(q.fingerprint()) == self.print) {
            Some(q) => self.choose(q, now),
            None => Step::Failed("another question is on the screen".into()),
        }
    }

    fn choose(&mut self, q: &Question, now: u64) -> Step {
        match self.answer.clone() {
            Answer::Reject => {
                self.committed = Some(now);
                self.press(Key::Esc, now)
            }
            Answer::Text(text) => {
                let Some(row) = q.options.iter().position(|c| c.role == Role::FreeText) else {
                    return Step::Failed("no free-text row".into());
                };
                if q.selected != Some(row) {
                    return self.toward(q, row, now);
                }
                if !self.pasted {
                    self.pasted = true;
                    self.last_key = now;
                    self.sent.push("text".into());
                    return Step::Text(text);
                }
                self.committed = Some(now);
                self.press(Key::Enter, now)
            }
            Answer::Rows(rows) if q.multi => {
                let wrong = (0..q.options.len())
                    .find(|i| q.options[*i].checked.is_some_and(|c| c != rows.contains(i)));
                match wrong {
                    Some(row) if q.selected == Some(row) => self.press(Key::Char(' '), now),
                    Some(row) => self.toward(q, row, now),
                    None => {
                        let Some(row) = q.options.iter().position(|c| c.role == Role::Submit) else {
                            return Step::Failed("no submit row".into());
                        };
                        if q.selected == Some(row) {
                            self.committed = Some(now);
                            return self.press(Key::Enter, now);
                        }
                        self.toward(q, row, now)
                    }
                }
            }
            Answer::Rows(rows) => {
                let Some(row) = rows.first().copied() else { return Step::Failed("no row".into()) };
                if q.selected == Some(row) {
                    self.committed = Some(now);
                    return self.press(Key::Enter, now);
                }
                self.toward(q, row, now)
            }
        }
    }
    fn toward(&mut self, q: &Question, row: usize, now: u64) -> Step {
        match q.selected {
            Some(at) if at < row => self.press(Key::Down, now),
            Some(_) => self.press(Key::Up, now),
            None => Step::Failed("no highlight".into()),
        }
    }
}
