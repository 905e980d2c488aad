//! Scripted agents on a simulated terminal: what they show, what they hear, what they note.

use super::*;
use crate::core::terminal::query_replies::TerminalIdentity;
use crate::core::terminal::screen::Screen;
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
    fn new(role: Role, terminal_identity: TerminalIdentity) -> Stage {
        let (actor, screen) = (Actor::new(role, SIZE, false), Screen::new(SIZE, terminal_identity));
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
    let mut stage = Stage::new(Role::Api, TerminalIdentity::default());
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
    let mut stage = Stage::new(Role::Api, TerminalIdentity::default());
    stage.show();
    stage.type_later("2\r");
    assert_eq!(stage.wrong(), 2);
}

#[test]
fn a_terminal_that_answers_nothing_is_refused() {
    let silent = TerminalIdentity { silent: true, ..TerminalIdentity::default() };
    let mut stage = Stage::new(Role::Web, silent);
    let text = stage.settle();
    assert!(text.contains("this terminal does not answer: DA1, XTVERSION"), "{text}");
    assert_eq!(stage.actor.over(), Some(1));
}

#[test]
fn the_advisor_answers_a_pasted_question_with_one_object_at_the_end() {
    let mut stage = Stage::new(Role::Advisor, TerminalIdentity::default());
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
fn the_advisor_says_when_the_story_is_over() {
    let mut stage = Stage::new(Role::Advisor, TerminalIdentity::default());
    stage.settle();
    let last = advised().len() - 1;
    for (at, prompt) in advised().into_iter().enumerate() {
        stage.type_later(&format!("\x1b[200~{prompt}\x1b[201~"));
        stage.type_later("\r");
        let over = stage.settle().contains("that was the story: 6 questions");
        assert_eq!(over, at == last, "after question {at}");
    }
}

#[test]
fn a_resize_draws_everything_anew() {
    let mut stage = Stage::new(Role::Docs, TerminalIdentity::default());
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

fn profile() -> std::sync::Arc<crate::core::profile::LazyProfile> {
    use crate::core::profile::Profiles;
    Profiles::builtin().get("demo").expect("the profile is built in")
}

/// What detection makes of the stage's screen.
fn seen(stage: &Stage, screen: &Screen) -> crate::core::question::Verdict {
    use crate::core::detect::watch;
    let profile = profile();
    let snapshot = watch::Snapshot {
        grid: screen.grid(),
        versions: &[],
        title: screen.title(),
        status: None,
        modes: screen.modes(),
        alive: stage.actor.over().is_none(),
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
    };
    watch::classify(&profile, &snapshot)
}

/// The kind, words, labels and ticks of the page that is shown.
fn page_of(stage: &Stage) -> Option<(String, Vec<String>, Vec<Option<bool>>)> {
    let Phase::Asking(dialog) = &stage.actor.phase else { return None };
    let page = dialog.page();
    let ticks = |row: &crate::demo::widget::Row| match row.kind {
        crate::demo::widget::RowKind::Choice if page.multi => Some(row.ticked),
        _ => None,
    };
    Some((
        page.prompt.clone(),
        page.rows.iter().map(|row| row.label.clone()).collect(),
        page.rows.iter().map(ticks).collect(),
    ))
}

#[test]
fn every_dialog_is_seen_as_what_it_is_at_every_size() {
    let answers = [(Role::Api, "2 1"), (Role::Web, "1 1v2vv\r1"), (Role::Docs, "12vvvv\r 1")];
    let mut prompts = BTreeSet::new();
    for (cols, rows) in [(120, 40), (80, 24), (59, 16), (39, 11), (39, 9), (28, 20), (24, 20)] {
        let size = Size::new(cols, rows);
        for (role, keys) in answers {
            let mut stage = Stage::new(role, TerminalIdentity::default());
            stage.settle();
            for key in keys.chars() {
                let mut screen = Screen::new(size, TerminalIdentity::default());
                // Another size first, so that this one is drawn whole.
                stage.actor.frame(Size::new(size.cols, size.rows - 1));
                let bytes = stage.actor.frame(size);
                screen.feed(b"\x1b[?25l\x1b[?2004h");
                screen.feed(bytes.as_bytes());
                let verdict = seen(&stage, &screen);
                let text = screen.grid().text();
                if let Some((prompt, labels, ticks)) = page_of(&stage) {
                    let question =
                        verdict.question.unwrap_or_else(|| panic!("{size} {}\n{text}", verdict.why));
                    assert_eq!(question.prompt, prompt, "{size}\n{text}");
                    prompts.insert(prompt);
                    assert_eq!(question.labels(), labels, "{size}\n{text}");
                    let checked: Vec<Option<bool>> = question.options.iter().map(|o| o.checked).collect();
                    assert_eq!(checked, ticks, "{size}\n{text}");
                    let Phase::Asking(dialog) = &stage.actor.phase else { unreachable!() };
                    assert_eq!(question.selected, Some(dialog.page().highlight), "{size}\n{text}");
                    let asked = dialog.permission.as_ref().map(|p| p.subject.clone());
                    // Where a command is broken to fit, two lines are told.
                    let told = question.subject.map(|subject| subject.replace('\n', " "));
                    assert_eq!(told, asked, "{size}\n{text}");
                }
                stage.actor.frame(SIZE);
                match key {
                    ' ' => drop(stage.settle()),
                    'v' => stage.type_later("\x1b[B"),
                    key => stage.type_later(&key.to_string()),
                }
            }
        }
    }
    assert_eq!(prompts.len(), DECISIONS.len(), "every question of the story was looked at: {prompts:?}");
}

#[test]
fn working_listening_and_a_draft_are_told_apart() {
    use crate::core::question::State;
    let mut stage = Stage::new(Role::Advisor, TerminalIdentity::default());
    stage.settle();
    let state = |stage: &Stage| {
        let verdict = seen(stage, &stage.screen);
        (verdict.state, verdict.composer.map(|composer| composer.draft))
    };
    assert_eq!(state(&stage), (State::Idle, Some(String::new())));
    stage.type_later(&format!("\x1b[200~{}\x1b[201~", DECISIONS[0].prompt));
    assert_eq!(state(&stage), (State::Idle, Some(DECISIONS[0].prompt.to_string())));
    stage.type_later("\r");
    assert_eq!(state(&stage), (State::Working, None));
    stage.settle();
    assert_eq!(state(&stage), (State::Idle, Some(String::new())));
    let said = crate::core::detect::watch::last_message(&profile(), stage.screen.grid()).unwrap();
    let advice = DECISIONS[0].advice.unwrap();
    // A reader of a screen cannot tell a line end from a wrap.
    assert_eq!(said.replace('\n', " "), format!("{} {}", advice.why, advice.json));
}
