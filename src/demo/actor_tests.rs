//! Scripted agents on a simulated terminal: what they show, what they hear, what they note.

use super::*;
use crate::core::probes::Personality;
use crate::core::screen::Screen;
use crate::demo::keys::Decoder;
use crate::demo::script::DECISIONS;

const SIZE: Size = Size { cols: 80, rows: 24 };

/// An actor, a terminal that answers it, and a clock.
struct Stage {
    actor: Actor,
    screen: Screen,
    decoder: Decoder,
    now_ms: u64,
    records: Vec<Record>,
}

impl Stage {
    fn new(role: Role, personality: Personality) -> Stage {
        let (actor, screen) = (Actor::new(role, SIZE, false), Screen::new(SIZE, personality));
        Stage { actor, screen, decoder: Decoder::default(), now_ms: 0, records: Vec::new() }
    }

    /// Shows what there is to show, and hands replies back.
    fn show(&mut self) {
        loop {
            let bytes = self.actor.frame(SIZE);
            let replies = self.screen.feed(bytes.as_bytes()).replies;
            self.records.extend(self.actor.take_records());
            if replies.is_empty() {
                return;
            }
            self.type_now(&replies);
        }
    }

    fn type_now(&mut self, bytes: &[u8]) {
        let mut tokens = self.decoder.push(bytes);
        tokens.extend(self.decoder.flush());
        self.actor.hear(&tokens, self.now_ms);
    }

    fn type_later(&mut self, bytes: &str) {
        self.now_ms += 500;
        self.type_now(bytes.as_bytes());
        self.show();
    }

    /// Plays until nothing happens by itself any more.
    fn settle(&mut self) -> String {
        self.show();
        while let Some(at) = self.actor.next_wake() {
            self.now_ms = at;
            self.actor.tick(at);
            self.show();
        }
        self.screen.grid().text()
    }

    fn wrong(&self) -> usize {
        self.records.iter().filter(|r| matches!(r, Record::Heard { did, .. } if did.wrong())).count()
    }
}

#[test]
fn a_worker_asks_is_answered_and_ends() {
    let mut stage = Stage::new(Role::Api, Personality::default());
    let text = stage.settle();
    assert!(text.contains("❯ 1. PostgreSQL"), "{text}");
    assert!(stage.screen.title().contains("api"));
    stage.type_later("\x1b[B");
    stage.type_later("\r");
    let text = stage.settle();
    assert!(text.contains("→ SQLite") && text.contains("Do you want to proceed?"), "{text}");
    stage.type_later("1");
    let text = stage.settle();
    assert!(text.contains("done: 2 questions answered") && text.contains("❯"), "{text}");
    assert_eq!(stage.wrong(), 0);
    assert!(matches!(stage.records.last(), Some(Record::End { .. })));
    let given: Vec<&Given> = stage
        .records
        .iter()
        .filter_map(|r| match r {
            Record::Given { answers, .. } => answers.first(),
            _ => None,
        })
        .collect();
    for given in given {
        let decision = DECISIONS.iter().find(|d| d.prompt == given.prompt).unwrap();
        assert_eq!(given.answer, decision.answer);
    }
}

#[test]
fn bytes_typed_while_it_works_are_noted() {
    let mut stage = Stage::new(Role::Api, Personality::default());
    stage.show();
    stage.type_later("2\r");
    assert_eq!(stage.wrong(), 2);
}

#[test]
fn a_terminal_that_answers_nothing_is_refused() {
    let silent = Personality { silent: true, ..Personality::default() };
    let mut stage = Stage::new(Role::Web, silent);
    let text = stage.settle();
    assert!(text.contains("this terminal does not answer: DA1, XTVERSION"), "{text}");
    assert_eq!(stage.actor.over(), Some(1));
}

#[test]
fn the_advisor_answers_a_pasted_question_with_one_object_at_the_end() {
    let mut stage = Stage::new(Role::Advisor, Personality::default());
    stage.settle();
    let question = "\x1b[200~Question:\rWhich database should I\ruse for the session store?\r1. x\x1b[201~";
    stage.type_later(question);
    assert!(stage.screen.grid().text().contains("❯ [Pasted text #1 +3 lines]"));
    stage.type_later("\r");
    let text = stage.settle();
    let last = text.lines().filter(|line| !line.trim().is_empty()).rev().nth(4).unwrap();
    assert!(last.contains("{\"choice\": 2"), "{text}");
    assert_eq!(stage.wrong(), 0);
    stage.type_later("hello");
    stage.type_later("\r");
    assert!(stage.settle().contains("I only know the questions"), "another question is not answered");
}

#[test]
fn a_resize_draws_everything_anew() {
    let mut stage = Stage::new(Role::Docs, Personality::default());
    stage.settle();
    let small = Size::new(40, 9);
    stage.screen.resize(small);
    let bytes = stage.actor.frame(small);
    stage.screen.feed(bytes.as_bytes());
    let text = stage.screen.grid().text();
    for label in ["1. [ ] Install", "2. [ ] Tour", "3. [ ] Reference", "4. [ ] FAQ", "Submit"] {
        assert_eq!(text.matches(label).count(), 1, "{label} in\n{text}");
    }
}
