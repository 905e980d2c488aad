//! Delivery of words: into an input line, a field, a row of their own.

use super::*;

#[test]
fn a_plain_question_is_answered_in_the_composer() {
    let (world, proof) = clean(vec![plain("Which port?")], Answer::Text("8080".into()), keys());
    assert_eq!(world.commits, [single(Outcome::Text("8080".into()))]);
    assert_eq!(proof.keys, ["\"8080\"", "enter"]);
}

#[test]
fn words_that_were_sent_are_in_once_their_question_is_no_longer_the_last_word() {
    // Gemini empties its input line first: that moment's screen asks the same again.
    let asks = |draft: &str| Verdict { question: Some(plain("Which port?")), ..idle(draft) };
    for (frames, well) in [(0, true), (3, true), (usize::MAX, false)] {
        let answer = Answer::Text("8080".into());
        let delivery = Delivery::new(&plain("Which port?"), &answer, &keys(), 7, 20_000).unwrap();
        let mut after = 0;
        let end = scripted(delivery, |sent| match sent.len() {
            0 => asks(""),
            1 => asks("8080"),
            _ if after < frames => {
                after += 1;
                asks("")
            }
            _ => idle(""),
        });
        match end {
            Step::Done(proof) => assert_eq!((well, proof.after.as_str()), (true, "idle")),
            Step::Failed(why) => assert!(!well && why.contains("still there"), "{why}"),
            step => panic!("{step:?}"),
        }
    }
}

#[test]
fn a_swallowed_enter_is_repeated_for_a_prompt_at_most_twice() {
    for (swallowed, enters, done) in [(0, 1, true), (2, 3, true), (3, 3, false)] {
        let weather = Weather { swallowed, ..Weather::default() };
        let mut world = World::new(vec![], keys(), weather, 3);
        let mut delivery = Delivery::prompt("build it\nnow", &world.keys, 7, world.now);
        let end = world.run(&mut delivery);
        assert_eq!(matches!(end, Step::Done(_)), done, "{end:?}");
        assert_eq!(delivery.keys_sent().iter().filter(|key| *key == "enter").count(), enters);
        assert_eq!(world.commits.len(), usize::from(done));
    }
    // An answer's Enter is never repeated.
    let weather = Weather { swallowed: 1, ..Weather::default() };
    let (world, end) = run(vec![plain("Port?")], Answer::Text("80".into()), keys(), weather, 1);
    assert!(matches!(end, Step::Failed(_)) && world.commits.is_empty());
}

#[test]
fn somebodys_draft_is_never_touched() {
    let mut world = World::new(vec![plain("Which port?")], keys(), Weather::default(), 1);
    world.draft = "my own".into();
    let view = World::new(vec![], keys(), Weather::default(), 1);
    drop(view);
    let verdict = Verdict { question: Some(plain("Which port?")), ..idle("my own") };
    let mut delivery = delivery(&world, &Answer::Text("80".into()));
    let view = DeliveryContext {
        verdict: &verdict,
        judged_ms: 1,
        changed_ms: 1,
        text: String::new(),
        size: Size::FALLBACK,
        typed: 7,
        stopped: false,
        input_blocked: false,
    };
    assert_eq!(
        delivery.step(&view, 20_000),
        Step::Failed("somebody's draft stands in the input line".into())
    );
    assert!(delivery.keys_sent().is_empty());
}

#[test]
fn unknown_programs_get_their_prompt_without_a_look() {
    let verdict = Verdict { state: State::Unknown, why: "x/unrecognised".into(), ..Verdict::default() };
    let mut delivery = Delivery::prompt("make", &keys(), 0, 1_000);
    let mut steps = Vec::new();
    let mut now = 1_000;
    while now < 9_000 {
        let view = DeliveryContext {
            verdict: &verdict,
            judged_ms: 900,
            changed_ms: 900,
            text: String::new(),
            size: Size::FALLBACK,
            typed: 0,
            stopped: false,
            input_blocked: false,
        };
        match delivery.step(&view, now) {
            Step::Wait { until_ms } => now = until_ms,
            end @ (Step::Done(_) | Step::Failed(_)) => {
                steps.push(end);
                break;
            }
            step => steps.push(step),
        }
    }
    assert_eq!(steps[..2], [Step::Paste("make".into()), Step::Press(KeyPress::plain(Key::Enter))]);
    assert!(matches!(steps[2], Step::Done(_)));
}

#[test]
fn notes_are_typed_only_into_an_open_field() {
    let question = menu("Which?", &["A", "Type something."]);
    let keys = Keys { free_text: FreeText::NotesTab, ..keys() };
    let on = |selected: usize, draft: Option<&str>| Verdict {
        state: State::Asking,
        question: Some(Question { selected: Some(selected), typing: selected == 1, ..question.clone() }),
        composer: draft.map(|draft| Composer { draft: draft.into() }),
        ..Verdict::default()
    };
    let delivery = || Delivery::new(&question, &Answer::Text("use B".into()), &keys, 7, 20_000).unwrap();
    let end = scripted(delivery(), |sent| match sent.len() {
        0 => on(0, None),
        1 => on(1, None),
        2 => on(1, Some("")),
        3 => on(1, Some("use B")),
        _ => idle(""),
    });
    assert!(matches!(&end, Step::Done(p) if p.keys == ["down", "tab", "\"use B\"", "enter"]), "{end:?}");
    let end = scripted(delivery(), |sent| if sent.is_empty() { on(0, None) } else { on(1, None) });
    assert_eq!(end, Step::Failed("the field for a text did not open".into()));
}

/// A server was killed between a text and its Enter, and the next one typed the text a second time, behind it.
#[test]
fn words_that_stand_in_the_row_are_not_typed_over() {
    let asked = |words: &str| {
        let mut question = menu("Which?", &["A", words]);
        (question.options[1].role, question.options[1].written) = (Role::FreeText, true);
        question
    };
    let on = |selected: usize| Verdict {
        state: State::Asking,
        question: Some(Question { selected: Some(selected), typing: selected == 1, ..asked("use B") }),
        ..Verdict::default()
    };
    let end = |text: &str| {
        let answer = Answer::Text(text.into());
        let delivery = Delivery::new(&asked("use B"), &answer, &keys(), 7, 20_000).unwrap();
        scripted(delivery, |sent| if sent.len() < 2 { on(sent.len()) } else { idle("") })
    };
    let own = end("use B");
    assert!(matches!(&own, Step::Done(proof) if proof.keys == ["down", "enter"]), "{own:?}");
    for other in ["use C", "use B or C"] {
        assert_eq!(end(other), Step::Failed("somebody's words stand in the row for a text".into()));
    }
}

#[test]
fn a_draft_is_known_again_however_it_is_shown() {
    let long = "please look at the migration and say whether it is safe to run twice";
    for (draft, text, ours) in [
        ("one two", "one  two", true),
        ("one\ntwo", "one two", true),
        ("caf\u{e9}", "cafe\u{301}", true),
        ("[Pasted text #1 +12 lines]", long, true),
        ("migration and say whether it is safe", long, true),
        ("one", "one two", false),
        ("", "one", false),
        ("", "", false),
        ("one two three", "one two", false),
        ("[Pasted", "short", false),
    ] {
        assert_eq!(sight::is_draft(draft, text), ours, "{draft:?} for {text:?}");
    }
}

/// What real programs show after a text was typed into them, from recordings of them.
#[test]
fn a_text_typed_into_a_real_program_is_seen() {
    let profiles = crate::core::profile::Profiles::builtin();
    for (name, seconds, row, text) in [
        ("claude-2.1.329-asktype-120x40", 8.351, 3, "Use DuckDB, 2 files?"),
        ("gemini-0.61.0-asktype-120x40", 8.651, 2, "mTLS?"),
        ("copilot-1.0.102-asktype-120x40", 11.578, 3, "DuckDB?"),
        ("opencode-1.18.33-asktype-120x40", 24.939, 3, "DuckDB?"),
        ("codex-0.169.0-asknotes-120x40", 15.049, 3, "use DuckDB?"),
    ] {
        let path = format!("{}/tests/recordings/{name}.cast", env!("CARGO_MANIFEST_DIR"));
        let cast =
            crate::core::recording::asciicast::Asciicast::parse(&std::fs::read_to_string(path).unwrap())
                .unwrap();
        let profile = profiles.get(name.split('-').next().unwrap()).unwrap();
        let mut player = crate::core::recording::replay::Player::new(&cast);
        player.play_to((seconds * 1000.0) as u64);
        let verdict = crate::core::detect::watch::classify(&profile, &player.snapshot());
        let question = verdict.question.as_ref().unwrap();
        assert!(sight::in_row(&verdict, question, row, text), "{name}: {verdict:?}");
        assert!(!sight::in_row(&verdict, question, row, "something else"), "{name}");
    }
}

/// Codex: Tab opens the field for notes, which is not there before.
#[test]
fn a_real_field_for_notes_is_seen_to_open() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/recordings/codex-0.169.0-asknotes-120x40.cast");
    let cast =
        crate::core::recording::asciicast::Asciicast::parse(&std::fs::read_to_string(path).unwrap()).unwrap();
    let profile = crate::core::profile::Profiles::builtin().get("codex").unwrap();
    let mut player = crate::core::recording::replay::Player::new(&cast);
    for (at_ms, open) in [(9_900, false), (12_000, true)] {
        player.play_to(at_ms);
        let verdict = crate::core::detect::watch::classify(&profile, &player.snapshot());
        assert_eq!(verdict.composer.is_some(), open, "at {at_ms}: {verdict:?}");
        assert_eq!(verdict.question.and_then(|question| question.selected), Some(3));
    }
}

/// An empty prompt pressed Enter in whatever was there, and of one with control characters the rest was typed.
#[test]
fn a_first_prompt_is_typed_as_it_is_or_not_at_all() {
    let fault = |text: &str| prompt_fault(text).unwrap_or_default();
    for text in ["fix it", "  one\ttwo\r\nthree\n", "日本語 ✓"] {
        assert_eq!(fault(text), "", "{text:?}");
    }
    for text in ["", " \n\t", "\u{1b}\u{3}"] {
        assert!(fault(text).contains("is empty"), "{text:?}: {}", fault(text));
    }
    for (text, named) in [("keep a\u{8}\u{8}", "u{8}"), ("go\u{1b}[A", "u{1b}"), ("a\u{202e}b", "u{202e}")] {
        assert!(fault(text).contains(named), "{text:?}: {}", fault(text));
    }
    assert!(fault(&"x".repeat(200_001)).contains("longer than 200000"));
}

/// A tab was typed as one blank, and the indent of the first line left out: a piece of Python or of a Makefile was another one.
#[test]
fn a_first_prompt_keeps_its_tabs_and_its_indent() {
    for (given, typed) in [
        ("if x:\n\treturn 1", "if x:\n\treturn 1"),
        ("    indented\r\n\tmore ", "    indented\n\tmore "),
        ("\n  \n\tone\n\ntwo\n\n", "\tone\n\ntwo"),
    ] {
        let delivery = Delivery::first_prompt(given, &keys(), 0, 0);
        assert_eq!(delivery.plan, plan::Plan::Compose { text: typed.into(), prompt: true }, "{given:?}");
    }
}

/// Other words than a person or their rule had given were typed, with Enter, and only then told: "80 80" for two lines, "ab" for an
/// arrow between them.
#[test]
fn words_for_an_answer_are_typed_as_they_are_or_not_at_all() {
    for text in ["fix it", " with blanks around ", "日本語 ✓", "two lines at the end\r\n"] {
        assert_eq!(text_fault(text), None, "{text:?}");
    }
    for (text, named) in [
        ("80\n80", "several lines"),
        ("80\r\n80", "several lines"),
        ("a\u{1b}[Ab", "u{1b}"),
        ("a\tb", "u{9}"),
        ("x\u{7f}y", "u{7f}"),
        ("a\u{202e}b", "u{202e}"),
    ] {
        assert!(text_fault(text).is_some_and(|why| why.contains(named)), "{text:?}");
    }
}
