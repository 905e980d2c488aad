//! Delivery, case by case and by the thousand.

use super::*;
use crate::core::profile::{Axis, FreeText, Submit, Toggle};
use crate::core::question::{Choice, Composer, Kind, Origin, Role};
use crate::core::terminal::keys::Key;

#[path = "deliver_sim_tests.rs"]
mod sim;
use sim::{Commit, Dice, Outcome, Weather, World, idle, keys, menu, multi};

const MENU: [&str; 5] = ["PostgreSQL", "SQLite", "Redis", "Type something.", "Chat about this"];
const MULTI: [&str; 5] = ["Audit log", "Rate limit", "Webhooks", "Type something.", "Submit"];

fn delivery(world: &World, answer: &Answer) -> Delivery {
    Delivery::new(&world.pages[0], answer, &world.keys, 7, world.now).unwrap()
}

fn run(pages: Vec<Question>, answer: Answer, keys: Keys, weather: Weather, seed: u64) -> (World, Step) {
    let mut world = World::new(pages, keys, weather, seed);
    let mut delivery = delivery(&world, &answer);
    let end = world.run(&mut delivery);
    (world, end)
}

fn clean(pages: Vec<Question>, answer: Answer, keys: Keys) -> (World, Proof) {
    match run(pages, answer, keys, Weather::default(), 1) {
        (world, Step::Done(proof)) => (world, proof),
        (_, end) => panic!("{end:?}"),
    }
}

fn single(what: Outcome) -> Commit {
    Commit { page: 0, what, ours: true }
}

#[test]
fn a_row_is_chosen_by_arrows_and_one_enter() {
    for (row, label) in [(0, "PostgreSQL"), (2, "Redis"), (4, "Chat about this")] {
        let (world, proof) = clean(vec![menu("Which?", &MENU)], Answer::Rows(vec![row]), keys());
        assert_eq!(world.commits, [single(Outcome::Row(label.into()))]);
        assert_eq!((proof.keys.len(), proof.seen.as_str()), (row + 1, label));
        assert_eq!(proof.keys.last().map(String::as_str), Some("enter"));
        assert_eq!(proof.before, Some(menu("Which?", &MENU).fingerprint()));
        assert_eq!(proof.after, "idle");
    }
}

#[test]
fn nothing_is_committed_after_its_time() {
    let mut in_vain = 0;
    for limit in (0..1_500).step_by(50) {
        let mut world = World::new(vec![menu("Which?", &MENU)], keys(), Weather::default(), 1);
        let until = world.now + limit;
        let mut delivery = delivery(&world, &Answer::Rows(vec![2])).until(until);
        match world.run(&mut delivery) {
            Step::Done(_) => assert_eq!(world.commits.len(), 1),
            Step::Failed(why) => {
                assert!(why.contains("time was over") && world.commits.is_empty(), "{limit}: {why}");
                in_vain += 1;
            }
            step => panic!("{step:?}"),
        }
    }
    assert!((1..30).contains(&in_vain), "{in_vain} of 30 were cut off");
}

#[test]
fn a_program_that_does_not_take_keys_yet_gets_none() {
    // Claude Code draws its first dialog before it switches its terminal; a return that comes in between
    // reaches it as another key, and the dialog stands there for ever.
    let late = |ms| Weather { lines_until: Some(ms), ..Weather::default() };
    for (row, ms) in [(0, 10), (2, 700), (1, 4_000)] {
        let (world, end) = run(vec![menu("Trust it?", &MENU)], Answer::Rows(vec![row]), keys(), late(ms), 1);
        assert!(matches!(end, Step::Done(_)), "{end:?}");
        assert_eq!(world.commits, [single(Outcome::Row(MENU[row].into()))]);
    }
    // One that never switches is left to a person.
    let (world, end) = run(vec![menu("Trust it?", &MENU)], Answer::Rows(vec![0]), keys(), late(60_000), 1);
    assert!(matches!(&end, Step::Failed(why) if why.contains("time was over")), "{end:?}");
    assert!(world.commits.is_empty());
}

#[test]
fn upwards_and_sideways() {
    let mut question = menu("Which?", &MENU);
    question.selected = Some(4);
    let (_, proof) = clean(vec![question], Answer::Rows(vec![3 - 1]), keys());
    assert_eq!(proof.keys, ["up", "up", "enter"]);
    let mut question = menu("Run it?", &["Allow once", "Allow always", "Reject"]);
    question.kind = Kind::Permission;
    let sideways = Keys { permission_axis: Some(Axis::Horizontal), ..keys() };
    let (_, proof) = clean(vec![question], Answer::Rows(vec![2]), sideways);
    assert_eq!(proof.keys, ["right", "right", "enter"]);
}

#[test]
fn ticks_are_made_right_whatever_they_were() {
    let mut question = multi("Which features?", &MULTI);
    question.options[1].checked = Some(true);
    for toggle in [Toggle::Space, Toggle::Enter, Toggle::Digit] {
        let keys = Keys { toggle, ..keys() };
        let (world, proof) = clean(vec![question.clone()], Answer::Rows(vec![0, 2]), keys);
        let ticks = Outcome::Ticks(vec!["Audit log".into(), "Webhooks".into()]);
        assert_eq!(world.commits, [single(ticks)], "{toggle:?}");
        assert_eq!(proof.seen, "ticked: Audit log, Webhooks; Submit");
    }
    let (world, _) = clean(vec![question], Answer::Rows(vec![]), keys());
    assert_eq!(world.commits, [single(Outcome::Ticks(vec![]))]);
}

#[test]
fn ticks_are_submitted_by_the_programs_own_key() {
    for (multi_submit, last) in [(Submit::Enter, "enter"), (Submit::Tab, "tab")] {
        let keys = Keys { multi_submit, ..keys() };
        let (world, proof) = clean(vec![multi("Which?", &["A", "B"])], Answer::Rows(vec![1]), keys);
        assert_eq!(world.commits, [single(Outcome::Ticks(vec!["B".into()]))]);
        assert_eq!(proof.keys, ["down", "space", last]);
    }
}

#[test]
fn a_text_is_typed_on_its_row_and_seen() {
    let (world, proof) = clean(vec![menu("Which?", &MENU)], Answer::Text("2 of\nthem".into()), keys());
    assert_eq!(world.commits, [single(Outcome::Text("2 of them".into()))]);
    assert_eq!(proof.keys, ["down", "down", "down", "\"2 of them\"", "enter"]);
    let digit = Keys { free_text: FreeText::Digit, ..keys() };
    let (_, proof) = clean(vec![menu("Which?", &MENU)], Answer::Text("3 replicas".into()), digit);
    assert_eq!(proof.keys, ["4", "\"3 replicas\"", "enter"]);
}

#[test]
fn a_text_in_a_multi_select_goes_to_submit() {
    let (world, _) = clean(vec![multi("Which?", &MULTI)], Answer::Text("all of them".into()), keys());
    assert_eq!(world.commits, [single(Outcome::Ticks(vec!["all of them".into()]))]);
}

#[test]
fn declining_is_one_key() {
    let (world, proof) = clean(vec![menu("Which?", &MENU)], Answer::Reject, keys());
    assert_eq!(world.commits, [single(Outcome::Declined)]);
    assert_eq!(proof.keys, ["esc"]);
}

#[test]
fn the_next_page_of_a_form_is_proof_enough() {
    let pages = vec![menu("First?", &MENU), menu("Second?", &MENU)];
    let (world, proof) = clean(pages, Answer::Rows(vec![1]), keys());
    assert_eq!(world.commits, [single(Outcome::Row("SQLite".into()))]);
    assert_eq!(proof.after, "menu: Second?");
}

fn plain(prompt: &str) -> Question {
    Question { kind: Kind::Text, options: Vec::new(), selected: None, ..menu(prompt, &[]) }
}

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

fn yesno(labels: &[&str]) -> Question {
    Question { kind: Kind::YesNo, selected: None, ..menu("Delete it? [y/N]", labels) }
}

/// Steps a delivery with verdicts that follow from what it sent.
fn scripted(mut delivery: Delivery, mut verdict: impl FnMut(&[String]) -> Verdict) -> Step {
    let mut now = 20_000;
    for _ in 0..1_000 {
        let seen = verdict(delivery.keys_sent());
        let view = DeliveryContext {
            verdict: &seen,
            judged_ms: now,
            changed_ms: now - 1,
            typed: 7,
            stopped: false,
            input_blocked: false,
        };
        match delivery.step(&view, now) {
            Step::Wait { until_ms } => now = until_ms,
            Step::Press(_) | Step::Text(_) | Step::Paste(_) => now += 1,
            end @ (Step::Done(_) | Step::Failed(_)) => return end,
        }
    }
    panic!("no end");
}

#[test]
fn a_line_prompt_gets_its_word_and_enter_when_it_is_seen() {
    let question = yesno(&["y", "n"]);
    let asking = |typing: bool| Verdict {
        state: State::Asking,
        question: Some(Question { typing, ..question.clone() }),
        ..Verdict::default()
    };
    let delivery = || Delivery::new(&question, &Answer::Rows(vec![0]), &keys(), 7, 20_000).unwrap();
    let end = scripted(delivery(), |sent| match sent.len() {
        0 => asking(false),
        1 => asking(true),
        _ => idle(""),
    });
    assert!(matches!(&end, Step::Done(proof) if proof.keys == ["\"y\"", "enter"]), "{end:?}");
    // A prompt that takes the letter at once gets no Enter.
    let end = scripted(delivery(), |sent| if sent.is_empty() { asking(false) } else { idle("") });
    assert!(matches!(&end, Step::Done(proof) if proof.keys == ["\"y\""]), "{end:?}");
    // Unseen, it is not sent: Enter alone would be the default.
    let end = scripted(delivery(), |_| asking(false));
    assert!(matches!(&end, Step::Failed(_)), "{end:?}");
}

/// A program that draws a star for each letter got `yes` and Enter for `Number:`.
#[test]
fn what_the_prompt_does_not_show_is_not_sent() {
    let question = Question { kind: Kind::Text, options: Vec::new(), ..yesno(&[]) };
    let question = Question { origin: Origin { line: true, ..Origin::default() }, ..question };
    let showing = |typed: Option<&str>| Verdict {
        state: State::Asking,
        question: Some(Question {
            typing: typed.is_some(),
            origin: Origin { typed: typed.map(str::to_owned), ..question.origin.clone() },
            ..question.clone()
        }),
        ..Verdict::default()
    };
    for (shown, sent) in [("demo", true), ("demo  (enter goes on)", true), ("****", false), ("••••", false)]
    {
        let delivery = Delivery::new(&question, &Answer::Text("demo".into()), &keys(), 7, 20_000).unwrap();
        let end = scripted(delivery, |sent| match sent.len() {
            0 => showing(None),
            1 => showing(Some(shown)),
            _ => idle(""),
        });
        assert_eq!(
            matches!(&end, Step::Done(proof) if proof.keys == ["\"demo\"", "enter"]),
            sent,
            "{shown}: {end:?}"
        );
        assert!(
            sent || matches!(&end, Step::Failed(why) if why.contains("hidden field")),
            "{shown}: {end:?}"
        );
    }
}

/// All letters of an answer went into a field that drew stars for them, before it was seen.
#[test]
fn a_field_that_draws_for_itself_is_given_one_letter_before_the_rest() {
    let question = Question { kind: Kind::Text, options: Vec::new(), ..yesno(&[]) };
    for (mask, keys_sent) in [(None, vec!["\"d\"", "\"emo\"", "enter"]), (Some('*'), vec!["\"d\""])] {
        let screen = |typed: &str| {
            let shown: String = typed.chars().map(|ch| mask.unwrap_or(ch)).collect();
            let typed = (!shown.is_empty()).then_some(shown);
            let typing = typed.is_some();
            let origin = Origin { line: true, unechoed: true, offers: true, typed, ..Origin::default() };
            let question = Question { typing, origin, ..question.clone() };
            Verdict { state: State::Asking, question: Some(question), ..Verdict::default() }
        };
        let asked = screen("").question.unwrap();
        let delivery = Delivery::new(&asked, &Answer::Text("demo".into()), &keys(), 7, 20_000).unwrap();
        let mut seen = Vec::new();
        let end = scripted(delivery, |sent| {
            seen = sent.to_vec();
            match sent.len() {
                0 => screen(""),
                1 => screen("d"),
                2 => screen("demo"),
                _ => Verdict { state: State::Working, ..Verdict::default() },
            }
        });
        assert_eq!(seen, keys_sent, "{end:?}");
        assert_eq!(matches!(end, Step::Done(_)), mask.is_none(), "{end:?}");
    }
}

/// A prompt that was not known any more with its answer typed behind it counted as answered, and was logged so:
/// the words stood there unsent.
#[test]
fn words_behind_a_prompt_that_is_out_of_sight_are_no_answer() {
    let question = Question { kind: Kind::Text, options: Vec::new(), ..yesno(&[]) };
    let question = Question { origin: Origin { line: true, ..Origin::default() }, ..question };
    let asking = Verdict { state: State::Asking, question: Some(question.clone()), ..Verdict::default() };
    let unknown = Verdict { state: State::Unknown, ..Verdict::default() };
    let delivery = Delivery::new(&question, &Answer::Text("two words".into()), &keys(), 7, 20_000).unwrap();
    let end = scripted(delivery, |sent| if sent.is_empty() { asking.clone() } else { unknown.clone() });
    assert!(matches!(&end, Step::Failed(_)), "{end:?}");
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

/// Esc was typed behind `[y/N]` like any other key: the prompt read `^[` and took no answer any more.
#[test]
fn a_line_is_declined_by_its_no_and_never_by_esc() {
    let delivery =
        |answer| format!("{:?}", Delivery::new(&yesno(&["y", "n"]), &answer, &keys(), 0, 0).unwrap());
    assert_eq!(delivery(Answer::Reject), delivery(Answer::Rows(vec![1])));
    let list = yesno(&["PostgreSQL", "SQLite"]);
    let refused = Delivery::new(&list, &Answer::Reject, &keys(), 0, 0).unwrap_err();
    assert!(refused.contains("no key that declines"), "{refused}");
}

#[test]
fn answers_that_cannot_be_typed_are_refused_before_any_key() {
    let q = menu("Which?", &MENU);
    let refused =
        |q: &Question, answer: Answer, keys: &Keys| Delivery::new(q, &answer, keys, 0, 0).unwrap_err();
    assert_eq!(refused(&q, Answer::Rows(vec![9]), &keys()), "there is no row 10");
    assert!(refused(&q, Answer::Rows(vec![]), &keys()).contains("one row"));
    assert!(refused(&q, Answer::Rows(vec![0, 1]), &keys()).contains("one row"));
    assert!(refused(&q, Answer::Rows(vec![3]), &keys()).contains("text of one's own"));
    assert!(refused(&q, Answer::Text("\u{1b}\r\n".into()), &keys()).contains("empty"));
    assert!(refused(&q, Answer::Text("x".into()), &Keys::default()).contains("not known"));
    assert!(refused(&q, Answer::Text("x".repeat(5_000)), &keys()).contains("longer"));
    let nothing = Keys { reject: None, ..keys() };
    assert!(refused(&q, Answer::Reject, &nothing).contains("no key"));
    assert!(refused(&plain("?"), Answer::Reject, &keys()).contains("nothing to decline"));
    assert!(refused(&plain("?"), Answer::Rows(vec![0]), &keys()).contains("no row"));
    for command in ["/clear", "!rm -rf .", "#note", "@file", " \t/quit"] {
        assert!(refused(&plain("?"), Answer::Text(command.into()), &keys()).contains("command"), "{command}");
    }
    let mut blind = q.clone();
    blind.selected = None;
    assert!(refused(&blind, Answer::Rows(vec![0]), &keys()).contains("highlighted"));
    assert!(refused(&multi("?", &["A", "B"]), Answer::Rows(vec![0]), &keys()).contains("submits"));
    assert!(refused(&multi("?", &MULTI), Answer::Rows(vec![4]), &keys()).contains("ticked"));
    let password = Question { kind: Kind::Password, ..plain("Password:") };
    assert!(refused(&password, Answer::Text("hunter2".into()), &keys()).contains("person"));
    assert!(refused(&yesno(&["y", "n"]), Answer::Text("maybe".into()), &keys()).contains("options"));
}

#[test]
fn what_a_text_holds_can_never_be_a_key() {
    let text = "a\u{1b}[201~b\rc\u{7}d\u{202e}e\tf\u{9b}g";
    assert_eq!(plan::sanitised(text, false), "a[201~b cde fg");
    assert_eq!(plan::sanitised("one\r\ntwo\r", true), "one\ntwo");
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

#[test]
fn a_row_typed_into_is_still_the_same_dialog() {
    let asked = menu("Which?", &MENU);
    let mut now = asked.clone();
    now.options[3] = Choice { label: "my words".into(), role: Role::Choice, ..now.options[3].clone() };
    assert!(sight::same(&asked, &now));
    now.options[2].label = "Valkey".into();
    assert!(!sight::same(&asked, &now));
    let mut shorter = asked.clone();
    shorter.options.remove(3);
    assert_eq!(shorter.fingerprint(), asked.fingerprint());
    assert!(!sight::same(&asked, &shorter), "rows have moved up");
}

#[test]
fn the_first_key_waits_and_keys_keep_apart() {
    let mut world = World::new(vec![menu("Which?", &MENU)], keys(), Weather::default(), 1);
    let mut delivery = delivery(&world, &Answer::Rows(vec![1]));
    let verdict =
        Verdict { state: State::Asking, question: Some(world.pages[0].clone()), ..Verdict::default() };
    let view = |judged_ms, changed_ms| DeliveryContext {
        verdict: &verdict,
        judged_ms,
        changed_ms,
        typed: 7,
        stopped: false,
        input_blocked: false,
    };
    assert_eq!(delivery.step(&view(10_000, 10_000), 10_000), Step::Wait { until_ms: 10_250 });
    // The screen has changed since it was judged: nothing is sent on an old look.
    assert!(matches!(delivery.step(&view(10_000, 10_251), 10_251), Step::Wait { .. }));
    assert_eq!(delivery.step(&view(10_260, 10_251), 10_260), Step::Press(KeyPress::plain(Key::Down)));
    world.now = 10_261;
    assert!(matches!(delivery.step(&view(10_260, 10_251), 10_261), Step::Wait { .. }));
}

#[test]
fn whoever_types_or_stops_the_agent_ends_it() {
    let world = World::new(vec![menu("Which?", &MENU)], keys(), Weather::default(), 1);
    let verdict =
        Verdict { state: State::Asking, question: Some(world.pages[0].clone()), ..Verdict::default() };
    for (typed, stopped, why) in [(8, false, "somebody typed"), (7, true, "paused or resized")] {
        let mut delivery = delivery(&world, &Answer::Rows(vec![1]));
        let view = DeliveryContext {
            verdict: &verdict,
            judged_ms: 1,
            changed_ms: 1,
            typed,
            stopped,
            input_blocked: false,
        };
        let Step::Failed(reason) = delivery.step(&view, 20_000) else { panic!("not ended") };
        assert!(reason.contains(why), "{reason}");
        let calm = DeliveryContext { typed: 7, stopped: false, ..view };
        assert_eq!(delivery.step(&calm, 30_000), Step::Failed(reason), "an ended delivery stays ended");
    }
}

/// A dialog, an answer, and what the program records if it was typed rightly.
fn case(dice: &mut Dice) -> (Vec<Question>, Answer, Keys, Outcome) {
    let then = menu("And then?", &["Go on", "Stop", "Ask"]);
    let start = |mut q: Question, dice: &mut Dice| {
        q.selected = Some(dice.below(q.options.len() as u64) as usize);
        q.typing = q.options[q.selected.unwrap_or(0)].role == Role::FreeText;
        q
    };
    match dice.below(6) {
        0 | 1 => {
            let row = [0, 1, 2, 4][dice.below(4) as usize];
            let pages = vec![start(menu("Which?", &MENU), dice), then];
            (pages, Answer::Rows(vec![row]), keys(), Outcome::Row(MENU[row].into()))
        }
        2 => {
            let rows: Vec<usize> = (0..3).filter(|_| dice.one_in(2)).collect();
            let ticks = rows.iter().map(|row| MULTI[*row].to_owned()).collect();
            let toggle = [Toggle::Space, Toggle::Enter, Toggle::Digit][dice.below(3) as usize];
            let mut q = start(multi("Which features?", &MULTI), dice);
            q.options[1].checked = Some(dice.one_in(2));
            (vec![q, then], Answer::Rows(rows), Keys { toggle, ..keys() }, Outcome::Ticks(ticks))
        }
        3 => {
            let text = ["2", "use DuckDB, 3 files?", "jk q y n"][dice.below(3) as usize];
            let q = start(menu("Which?", &MENU), dice);
            (vec![q, then], Answer::Text(text.into()), keys(), Outcome::Text(text.into()))
        }
        4 => {
            let q = start(menu("Which?", &MENU), dice);
            (vec![q, then], Answer::Reject, keys(), Outcome::Declined)
        }
        _ => (vec![plain("Port?"), then], Answer::Text("80".into()), keys(), Outcome::Text("80".into())),
    }
}

fn weather(dice: &mut Dice) -> Weather {
    let sometimes = |dice: &mut Dice, n: u64, limit: u64| dice.one_in(n).then(|| dice.below(limit));
    Weather {
        lines_until: None,
        deaf_ms: if dice.one_in(2) { 140 } else { 0 },
        lost: [0, 0, 20, 6, 3][dice.below(5) as usize],
        late_ms: [0, 20, 120, 450, 900][dice.below(5) as usize],
        stale: dice.one_in(2),
        stall_ms: [0, 0, 50, 400, 900][dice.below(5) as usize],
        replaced_at: None,
        person_at: sometimes(dice, 3, 2_500),
        stopped_at: sometimes(dice, 8, 2_500),
        swallowed: u32::from(dice.one_in(10)),
    }
}

/// Runs one schedule; whether it was answered.
fn schedule(seed: u64) -> bool {
    let mut dice = Dice::new(seed);
    let (pages, answer, keys, wanted) = case(&mut dice);
    let mut weather = weather(&mut dice);
    if pages[0].kind != Kind::Text && dice.one_in(3) {
        // A program that reads its keys late may read one after it has put up another dialog: nobody
        // can see that in time. Real ones drop the first keys instead.
        (weather.replaced_at, weather.deaf_ms, weather.stall_ms) = (Some(dice.below(2_500)), 140, 0);
    }
    let (world, end) = run(pages, answer.clone(), keys, weather.clone(), seed);
    let ours = world.ours();
    assert!(ours.len() <= 1, "seed {seed}: two commits {ours:?} in {weather:?}");
    let replaced = world.commits.iter().position(|commit| commit.page == usize::MAX);
    for commit in &ours {
        let at = world.commits.iter().position(|other| other == *commit);
        assert!(replaced.is_none() || at < replaced, "seed {seed}: into a look-alike {:?}", world.commits);
        assert_eq!((commit.page, &commit.what), (0, &wanted), "seed {seed}: {answer:?} {end:?} {weather:?}");
    }
    let done = matches!(end, Step::Done(_));
    if done && weather.person_at.is_none() && replaced.is_none() {
        assert_eq!(ours.len(), 1, "seed {seed}: told as done, and it was not");
    }
    done
}

#[test]
fn no_schedule_makes_a_wrong_or_a_second_commit() {
    let answered = (0..20_000).filter(|seed| schedule(*seed)).count();
    assert!(answered > 5_000, "only {answered} of 20000 were answered at all");
}

#[test]
fn in_calm_weather_every_answer_goes_in() {
    for seed in 0..500 {
        let mut dice = Dice::new(seed);
        let (pages, answer, keys, wanted) = case(&mut dice);
        let weather = Weather { deaf_ms: 140, late_ms: 60, stale: true, ..Weather::default() };
        let (world, end) = run(pages, answer.clone(), keys, weather, seed);
        assert!(matches!(end, Step::Done(_)), "seed {seed}: {answer:?} {end:?}");
        assert_eq!(world.commits, [single(wanted)], "seed {seed}");
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
