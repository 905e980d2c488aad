//! What becomes of an answer whose keys are under way, and who asks the same again.

use super::*;

use crate::wire::message::WaitFor;

/// An answer of one key that was taken at once, with the next prompt right behind it, was logged as given by nobody.
#[test]
fn a_key_that_was_taken_at_once_is_an_answer() {
    let mut stage = printing_with("1: Use colors? [Y/n] ", |reader| {
        reader.canonical = false;
        if let Reader::Reading(wait) = &mut reader.reader {
            (wait.blocking, wait.in_read) = (false, true);
        }
    });
    next_read(&mut stage);
    prints(&mut stage, "\r\n2: Use colors? [Y/n] ");
    let asks = stage.questions();
    assert_eq!(asks.last().map(|ask| ask.prompt.as_str()), Some("2: Use colors? [Y/n]"), "{asks:?}");
    let ask = stage.hub.questions.asks.iter().map(|(key, _)| key).last().expect("it asks");
    stage.step(Event::Consulted { ask, turn: 1, said: Ok(r#"{"choice": 1}"#.into()) });
    stage.pass(400);
    assert_eq!(stage.typed(), "y");
    next_read(&mut stage);
    prints(&mut stage, "y\r\n3: Use colors? [Y/n] ");
    let entry = stage.entries().pop().expect("it has ended");
    let told = (entry.outcome, entry.answer.as_deref(), entry.by.as_str());
    assert_eq!(told, (Outcome::Answered, Some("y"), "consultant oracle"), "{entry:?}");
    assert_eq!((entry.keys.as_slice(), stage.notifications()), (&["\"y\"".to_owned()][..], 0));
}

/// Another dialog stood there once the first key had gone in: that was logged as a question that went away, and nobody was
/// told that something had been typed.
#[test]
fn a_dialog_that_changes_under_the_keys_of_an_answer_calls_a_person() {
    let rule = "─".repeat(120);
    let other = format!(
        "\x1b[H\x1b[2J{rule}\r\n ☐ Data\r\n\r\nDelete the production database?\r\n\r\n  1. Keep it\r\n❯ 2. Yes\r\n  3. No\r\n\
         {rule}\r\n  4. Chat about this\r\n\r\nEnter to select · ↑/↓ to navigate · Esc to cancel"
    );
    for instead in [other, "\x1b[H\x1b[2Jworking on it\r\n".to_owned()] {
        let mut stage = Stage::with_oracle(Policy::default());
        stage.play_to(5.9);
        stage.say(r#"{"choice": 2}"#);
        stage.pass(400);
        assert_eq!((stage.typed().as_str(), stage.notifications()), ("\x1b[B", 0));
        stage.step(Event::Output { agent: stage.agent, bytes: instead.clone().into_bytes() });
        stage.pass(1_500);
        let entry = stage.entries().remove(0);
        let told = (entry.outcome, entry.answer.as_deref(), entry.by.as_str());
        assert_eq!(told, (Outcome::Failed, Some("SQLite"), "consultant oracle"), "{instead:?} {entry:?}");
        assert_eq!((entry.keys.as_slice(), entry.proof), (&["down".to_owned()][..], None));
        assert!(stage.notifications() >= 1, "{instead:?}");
        assert_eq!(stage.typed(), "\x1b[B");
    }
}

/// A dialog went out of sight under the first key of an answer, and came back: its consultant was asked again, and what it said
/// was typed into a dialog that had some keys of another answer already.
#[test]
fn a_dialog_that_comes_back_after_an_answer_was_given_up_is_a_persons() {
    let mut stage = Stage::with_oracle(Policy::default());
    stage.play_to(5.9);
    let dialog: Vec<u8> =
        stage.session(stage.agent).screen().grid().text().replace('\n', "\r\n").into_bytes();
    stage.say(r#"{"choice": 2}"#);
    stage.pass(400);
    assert_eq!(stage.typed(), "\x1b[B");
    stage.step(Event::Output { agent: stage.agent, bytes: b"\x1b[H\x1b[2Jworking on it\r\n".to_vec() });
    stage.pass(3_000);
    assert_eq!(stage.entries().len(), 1, "{:?}", stage.entries());
    stage.step(Event::Output { agent: stage.agent, bytes: [b"\x1b[H\x1b[2J".to_vec(), dialog].concat() });
    stage.pass(3_000);
    let again = stage.questions().pop().expect("it asks again");
    assert_eq!((again.id.as_str(), again.status), ("q2", Status::Escalated), "{again:?}");
    assert!(again.note.is_some_and(|note| note.contains("given up")));
    assert_eq!(stage.typed(), "\x1b[B");
}

/// The next server took the question for one that nobody had begun to answer, asked its consultant anew and typed again.
#[test]
fn what_one_server_had_begun_to_type_the_next_leaves_to_a_person() {
    let mut asked = Stage::with_oracle(Policy::default());
    asked.play_to(5.9);
    let open = asked.hub.questions.open_questions(AgentKey(1));
    assert!(open.iter().all(|open| open.persons.is_none()), "nothing is typed yet: {open:?}");
    asked.say(r#"{"choice": 2}"#);
    asked.pass(400);
    assert_eq!(asked.typed(), "\x1b[B");
    let open = asked.hub.questions.open_questions(AgentKey(1));
    assert!(open.iter().any(|open| open.persons.is_some()), "{open:?}");
}

/// The draft that one server had left behind a prompt was part of the words that the next one read.
#[test]
fn a_question_in_place_of_one_that_was_being_answered_is_a_persons_under_the_next_server() {
    let fingerprint = crate::core::question::Fingerprint(1);
    let persons = Some("the server before was typing an answer".to_owned());
    let mut one = crate::server::remembered::OpenQuestion {
        id: "q41".into(),
        fingerprint,
        circumstances: Default::default(),
        read_for: None,
        asked_at: 0,
        persons,
        suggested: None,
        called_unix_ms: None,
        typing: true,
        unfinished: None,
        ended: false,
    };
    for typing in [true, false] {
        one.typing = typing;
        let earlier = Remembered { state: State::Asking, open: vec![one.clone()], ..Remembered::default() };
        let mut stage = super::look::taken_back_at(Size::new(119, 40), Some(earlier));
        stage.pass(5_000);
        let question =
            stage.questions().into_iter().find(|question| question.agent == "old").expect("it asks");
        assert_eq!(question.note.is_some_and(|note| note.contains("q41")), typing);
    }
}

/// The time an answer took was counted from the start of the server that gave it.
#[test]
fn what_an_answer_took_is_counted_from_its_asking() {
    let mut asked = Stage::with_oracle(Policy::default());
    asked.play_to(5.9);
    let asked_at = asked.now.unix_ms - 188_000;
    let open = asked.hub.questions.open_questions(AgentKey(1));
    let open =
        open.into_iter().map(|one| crate::server::remembered::OpenQuestion { asked_at, ..one }).collect();
    let earlier = Remembered { state: State::Asking, open, ..Remembered::default() };
    let mut stage = super::look::taken_back_at(Size::new(119, 40), Some(earlier));
    stage.pass(5_000);
    let message = FromKeeper::Exited(Exit { code: Some(0), signal: None });
    stage.step(Event::Keeper { agent: stage.agent, message });
    stage.pass(1_000);
    let entry = stage.entries().pop().expect("it has ended");
    assert_eq!((entry.asked_at, entry.latency_ms), (asked_at, entry.settled_at - asked_at));
}

#[test]
fn a_clock_that_is_set_meanwhile_does_not_change_what_an_answer_took() {
    for jump_ms in [-3_600_000, 3_600_000] {
        let mut stage = Stage::with_oracle(Policy::default());
        stage.play_to(5.9);
        let asked_ms = stage.now.ms;
        stage.now.unix_ms = stage.now.unix_ms.saturating_add_signed(jump_ms);
        let message = FromKeeper::Exited(Exit { code: Some(0), signal: None });
        stage.step(Event::Keeper { agent: stage.agent, message });
        stage.pass(1_000);
        let entry = stage.entries().pop().expect("it has ended");
        assert!(entry.latency_ms <= stage.now.ms - asked_ms + 5_900, "{jump_ms}: {}", entry.latency_ms);
        assert!(entry.latency_ms >= 1, "{jump_ms}");
    }
}

/// `npm init` said what is wrong with the name it had taken, and asked again in the same words: the answer was said not to
/// have gone in, and nobody was asked the second time.
#[test]
fn the_same_words_asked_again_are_another_question() {
    let mut stage = printing("package name: (shop) ");
    let (ask, _) = stage.hub.questions.asks.iter().last().expect("it asks");
    stage.step(Event::Consulted { ask, turn: 1, said: Ok(r#"{"text": "Demo"}"#.into()) });
    stage.pass(400);
    prints(&mut stage, "Demo");
    assert_eq!(stage.typed(), "Demo\r");
    next_read(&mut stage);
    prints(&mut stage, "\r\nSorry, name can only contain URL-friendly characters.\r\npackage name: (shop) ");
    stage.pass(1_000);
    let entry = stage.entries().pop().expect("it has ended");
    assert_eq!((entry.outcome, entry.answer.as_deref()), (Outcome::Answered, Some("Demo")), "{entry:?}");
    let open = stage.questions().pop().expect("it asks again");
    // What the program complains of stands above it.
    assert_eq!((open.prompt.as_str(), open.status), ("package name: (shop)", Status::Escalated), "{open:?}");
    assert_ne!(open.id, entry.id);
}

/// whiptail draws nothing anew in a smaller pane, and its buttons were out of it: its question went away, though it waited.
#[test]
fn a_box_whose_buttons_are_out_of_view_is_asked_all_the_same() {
    use crate::core::terminal::grid::Size;
    let drawn = "\x1b[2J\x1b[12;20H┌────────────────────┐\x1b[13;20H│ It is all in here  │\x1b[14;20H│                    │\
                 \x1b[15;20H│   <Yes>     <No>   │\x1b[16;20H└────────────────────┘\x1b[?25l";
    let mut stage = printing("");
    let Reader::Reading(wait) = stage.reader.reader.clone() else { panic!("somebody reads") };
    let reader = Reader::Reading(Wait { blocking: false, ..wait });
    stage.reader = Witness { reader, canonical: false, echo: false };
    prints(&mut stage, drawn);
    let id = stage.questions().pop().expect("it asks").id;
    let size = Size::new(80, 14);
    stage.request(Request::Resize { name: "setup".into(), size });
    stage.step(Event::Output {
        agent: AgentKey(1),
        bytes: "\x1b[2J\x1b[12;20H┌────────────────────┐\x1b[13;20H│ It is all in here  │\x1b[14;20H│                    │"
            .into(),
    });
    stage.pass(5_000);
    let open: Vec<_> =
        stage.questions().into_iter().filter(|question| question.status != Status::Withdrawn).collect();
    assert_eq!(open.iter().map(|question| &question.id).collect::<Vec<_>>(), [&id], "{open:?}");
}

/// A menu that a narrower pane had cut at its right side was withdrawn and asked anew, and once more at its own size.
#[test]
fn a_box_that_a_narrower_pane_has_cut_is_the_question_it_was() {
    use crate::core::question::Kind;
    use crate::core::terminal::grid::Size;
    let drawn = |cols: usize, asks: &str| {
        let edge = |sides: [char; 2]| format!("{}{}{}", sides[0], "─".repeat(58), sides[1]);
        let row = |inner: &str| format!("│{inner:<58}│");
        let rows = [
            edge(['┌', '┐']),
            row(&format!(" {asks}")),
            row(""),
            row("   local Local disk"),
            row("   nas   The NAS"),
        ];
        let foot = [row(""), row("      <Ok>     <Cancel>"), edge(['└', '┘'])];
        let mut all = "\x1b[?25l\x1b[2J".to_owned();
        for (at, row) in rows.iter().chain(&foot).enumerate() {
            let shown: String = row.chars().take(cols - 10).collect();
            let shown = shown.trim_end().replace("local", "\x1b[41mlocal\x1b[47m");
            all += &format!("\x1b[{};11H\x1b[47m{shown}\x1b[m", at + 3);
        }
        all + "\x1b[6;15H"
    };
    for (then, same) in [("Where to?", true), ("What to delete?", false)] {
        let mut stage = printing("");
        let Reader::Reading(wait) = stage.reader.reader.clone() else { panic!("somebody reads") };
        let reader = Reader::Reading(Wait { blocking: false, ..wait });
        stage.reader = Witness { reader, canonical: false, echo: false };
        prints(&mut stage, &drawn(80, "Where to?"));
        let open = stage.questions().pop().expect("it asks");
        assert_eq!((open.kind, open.options.len()), (Kind::Menu, 2), "{open:?}");
        for (cols, asks) in [(58, then), (80, then)] {
            let size = Size::new(cols, 24);
            stage.request(Request::Resize { name: "setup".into(), size });
            let bytes = drawn(usize::from(cols), asks).into();
            stage.step(Event::Output { agent: AgentKey(1), bytes });
            stage.pass(5_000);
            let now = stage.questions().pop().expect("it asks");
            assert_eq!(now.id == open.id, same, "{cols} {asks}: {now:?}");
        }
    }
}

/// A consultant and the command that calls a person ran in the folder that an isolated agent writes, with its
/// environment: what it put there was run outside.
#[test]
fn for_an_isolated_agent_nothing_runs_in_its_folder() {
    for isolate in [crate::core::agent::Isolate::None, crate::core::agent::Isolate::Namespace] {
        let isolated = isolate != crate::core::agent::Isolate::None;
        let mut stage = Stage::with_oracle(Policy::default());
        stage.agent_mut(1).spec.isolate = isolate;
        stage.agent_mut(1).spec.cwd = "/home/dev/shop".into();
        stage.agent_mut(1).spec.env.insert("EVIL".into(), "1".into());
        stage.play_to(5.9);
        let run = |e: &Effect| if let Effect::Consult { run, .. } = e { Some(run.clone()) } else { None };
        let run = stage.done.iter().find_map(run).expect("the consultant is asked");
        assert_eq!((run.cwd.is_empty(), run.env.contains_key("EVIL")), (isolated, !isolated));
    }
}

/// An agent that showed another harmless question every half second started 26 consultants in 14 seconds.
#[test]
fn an_agent_that_asks_without_end_is_left_to_a_person() {
    let mut stage = printing("Use colors? [Y/n] ");
    for n in 0..40 {
        next_read(&mut stage);
        prints(&mut stage, &format!("\r\n{n}: Use colors? [Y/n] "));
    }
    let asked = stage.done.iter().filter(|effect| matches!(effect, Effect::Consult { .. })).count();
    assert!((10..=20).contains(&asked), "{asked} consultants within 20 s");
    let last = stage.questions().pop().expect("it asks");
    assert_eq!(last.status, Status::Escalated, "{last:?}");
    assert!(last.note.is_some_and(|note| note.contains("within a minute")));
}

/// Words below the prompt, with the cursor put back, made it one that nobody saw: the program waited for ever.
#[test]
fn a_line_that_is_read_amid_other_words_calls_a_person() {
    let below = "Use colors? [Y/n] \x1b7\r\n\r\n(y deletes the production database)\x1b8";
    let margin: String =
        "DELETE".chars().enumerate().map(|(n, c)| format!("\x1b[{};70H{c}", n + 3)).collect();
    for printed in [below.to_owned(), format!("{margin}\x1b[1;1HUse colors? [Y/n] ")] {
        let mut stage = printing(&printed);
        stage.pass(2_000);
        let asks = stage.questions();
        assert!(matches!(&asks[..], [ask] if ask.status == Status::Escalated), "{printed:?}: {asks:?}");
    }
}

/// The age of its first question was shown for each that followed at once: thirteen minutes for what was just asked.
#[test]
fn a_question_that_follows_another_is_as_old_as_itself() {
    let mut stage = printing("Use colors? [Y/n] ");
    stage.pass(60_000);
    prints(&mut stage, "y\r\nUse tabs? [Y/n] ");
    let asked = stage.questions().last().expect("it asks").asked_at;
    let Some(Reply::Agents { agents }) = stage.request(Request::List) else { panic!("the list") };
    assert_eq!(agents[0].state, State::Asking);
    assert_eq!(agents[0].since, asked);
}

/// While nobody waited for a key that was due, who would take it was looked at again and again within one turn: the session
/// took a whole core, and served nobody, until the program read on.
#[test]
fn a_key_that_nobody_waits_for_is_held_and_not_asked_about_without_end() {
    let mut stage = printing("? Choose a title: ");
    stage.front = Front::Agent;
    stage.say(r#"{"text": "demo"}"#);
    stage.pass(400);
    stage.front = Front::Nobody;
    prints(&mut stage, "demo");
    assert_eq!(stage.typed(), "demo", "nobody reads");
    stage.front = Front::Agent;
    stage.pass(100);
    assert_eq!(stage.typed(), "demo\r");
}

/// A debugger let go of a program whose time was over: the Enter went in at once, and chose in the next dialog.
#[test]
fn who_was_held_has_a_moment_to_ask_something_else() {
    let mut stage = printing("? Choose a title: ");
    stage.front = Front::Agent;
    stage.say(r#"{"text": "demo"}"#);
    stage.pass(400);
    stage.front = Front::Held;
    prints(&mut stage, "demo");
    stage.pass(2_000);
    assert_eq!(stage.typed(), "demo", "it stands still");
    stage.front = Front::Agent;
    stage.pass(800);
    assert_eq!(stage.typed(), "demo", "it has only just gone on");
    stage.pass(600);
    assert_eq!(stage.typed(), "demo\r");
}

/// Of letters that never reached the program, and of a question that its program took along, the log said that a person had
/// answered in the pane.
#[test]
fn only_what_was_submitted_is_an_answer_in_the_pane() {
    let name = || "setup".to_owned();
    let types = |stage: &mut Stage, keys: &[&str]| {
        let inputs = keys.iter().map(|key| match key.len() {
            2 => Input::Text((*key).to_owned()),
            _ => Input::Key(KeyPress::parse(key).expect("a key")),
        });
        stage.request(Request::Keys { name: name(), input: inputs.collect() });
    };
    let exits = |stage: &mut Stage| {
        let message = FromKeeper::Exited(Exit { code: None, signal: Some(15) });
        stage.step(Event::Keeper { agent: AgentKey(1), message });
    };
    let stop = || Request::Stop { names: vec![name()], grace_ms: 0 };
    let restart = || Request::Restart { name: name() };
    let ended = |stage: &Stage| {
        let entry = stage.entries().pop().expect("it has ended");
        (entry.outcome, entry.by, entry.reason.unwrap_or_default())
    };
    let withdrawn = |by: &str, why: &str| (Outcome::Withdrawn, by.to_owned(), why.to_owned());
    let unsent = "typed in the pane and not submitted; the question went with its program";
    for (keys, request) in [
        (&["zz"][..], stop()),
        (&["zz", "ctrl-u"], restart()),
        (&["zz", "backspace", "backspace"], stop()),
        (&["ctrl-z"], stop()),
    ] {
        let mut stage = printing("Overwrite the file? [y/N] ");
        types(&mut stage, keys);
        stage.pass(200);
        stage.request(request);
        exits(&mut stage);
        assert_eq!(ended(&stage), withdrawn("none", unsent), "{keys:?}");
    }
    // Nobody had it stopped: its own time was up.
    for with_it in [true, false] {
        let mut stage = printing("Overwrite the file? [y/N] ");
        types(&mut stage, &["zz"]);
        prints(&mut stage, "zz");
        stage.reader = Witness { reader: Reader::Nobody, ..stage.reader.clone() };
        if with_it {
            exits(&mut stage)
        } else {
            prints(&mut stage, "\r\nToo late.\r\n")
        }
        let gone = "typed in the pane and not submitted; the question went away";
        assert_eq!(ended(&stage), withdrawn("none", if with_it { unsent } else { gone }));
    }
    // What was sent is an answer, also where a stop comes upon it.
    for stopped in [false, true] {
        let mut stage = printing("Overwrite the file? [y/N] ");
        types(&mut stage, &["zz", "enter"]);
        stage.reader = Witness { reader: Reader::Nobody, ..stage.reader.clone() };
        stage.step(Event::Output { agent: AgentKey(1), bytes: b"zz\r\nDone.\r\n".to_vec() });
        stage.pass(if stopped { 200 } else { 1_000 });
        if stopped {
            stage.request(stop());
            exits(&mut stage);
        }
        assert_eq!(ended(&stage), withdrawn("person", "answered in the pane"), "{stopped}");
    }
    // A menu takes each key, and it stood there until the end.
    let mut stage = Stage::with_oracle(Policy::default());
    stage.play_to(5.9);
    let input = vec![Input::Key(KeyPress::parse("down").expect("a key"))];
    stage.request(Request::Keys { name: "worker".into(), input });
    stage.pass(200);
    stage.request(Request::Stop { names: vec!["worker".into()], grace_ms: 0 });
    exits(&mut stage);
    assert_eq!(ended(&stage), withdrawn("none", "typed in the pane; the question went with its program"));
}

/// Programs that look for an answer now and then, and sleep in between, were at their work: nobody was called.
#[test]
fn who_looks_for_an_answer_now_and_then_asks() {
    let nobody = |canonical| {
        move |reader: &mut Witness| {
            *reader = Witness { reader: Reader::Nobody, canonical, echo: canonical };
        }
    };
    for (text, canonical, asks) in [
        ("Overwrite existing file? (y/n): ", true, true),
        ("Overwrite existing file? (y/n): y", true, false),
        ("Overwrite existing file? (y/n): y\r\nworking", true, false),
        ("Compiling (12/40)", true, false),
        ("Proceed? [y/N] ", false, true),
        ("\x1b[?1049h\x1b[HDelete all snapshots?\r\n\r\n[Y]es   [N]o", false, true),
        ("\x1b[?1049h\x1b[HCPU 12%\r\n\r\n[Q]uit\r\nload 0.1", false, false),
    ] {
        let mut stage = printing_with(text, nobody(canonical));
        stage.pass(40_000);
        let asked = stage.questions();
        assert_eq!(asked.len(), usize::from(asks), "{text:?}: {asked:?}");
        assert!(asked.iter().all(|ask| ask.status == Status::Escalated), "{text:?}: {asked:?}");
        assert_eq!(stage.typed(), "", "{text:?}");
    }
}

/// A key that nobody shows has answered it: its program works on in silence.
#[test]
fn who_was_given_a_key_behind_its_prompt_does_not_ask_again() {
    let mut stage = printing_with("Overwrite existing file? (y/n): ", |_| {});
    assert_eq!(stage.questions().len(), 1);
    let input = vec![Input::Key(KeyPress::plain(Key::Char('y')))];
    stage.request(Request::Keys { name: "setup".into(), input });
    stage.reader = Witness { reader: Reader::Nobody, ..stage.reader.clone() };
    stage.pass(60_000);
    let open: Vec<_> = stage.questions().into_iter().filter(|ask| ask.status != Status::Withdrawn).collect();
    assert!(open.is_empty(), "{open:?}");
}

/// `wait --for exited` said that the code of a program was not known, where that ended by its answer.
#[test]
fn who_ends_by_its_answer_is_told_with_its_exit_code() {
    let mut stage = printing("Overwrite the file? [y/N] ");
    stage.request(Request::Wait { name: "setup".into(), what: WaitFor::Exited, timeout_ms: None });
    let answer = GivenAnswer { options: vec!["y".into()], ..GivenAnswer::default() };
    stage.request(Request::Answer { id: "q1".into(), answer });
    stage.pass(400);
    prints(&mut stage, "y");
    assert_eq!(stage.typed(), "y\r");
    let message = FromKeeper::Exited(Exit { code: Some(3), signal: None });
    stage.step(Event::Keeper { agent: AgentKey(1), message });
    stage.pass(1_000);
    let replies = stage.replies(PERSON, 7);
    let waited = |reply: &&Reply| matches!(reply, Reply::Waited { .. });
    let told = replies.iter().find(waited).expect("it has ended");
    assert_eq!(*told, Reply::Waited { state: State::Exited, exit_code: Some(3) });
    assert_eq!(stage.entries().last().map(|entry| entry.outcome), Some(Outcome::Answered));
}
