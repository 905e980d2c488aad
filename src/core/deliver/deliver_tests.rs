//! Delivery into dialogs, case by case, and what its other tests share.

use super::*;
use crate::core::profile::{Axis, FreeText, Submit, Toggle};
use crate::core::question::{Choice, Composer, Kind, Origin, Role};
use crate::core::terminal::keys::Key;

#[path = "deliver_ends_tests.rs"]
mod ends;
#[path = "deliver_line_tests.rs"]
mod line;
#[path = "deliver_part_tests.rs"]
mod part;
#[path = "deliver_schedule_tests.rs"]
mod schedule;
#[path = "deliver_sim_tests.rs"]
mod sim;
#[path = "deliver_text_tests.rs"]
mod text;
use sim::{Commit, Dice, Outcome, Weather, World, idle, keys, menu, multi};

const MENU: [&str; 5] = ["PostgreSQL", "SQLite", "Redis", "Type something.", "Chat about this"];
const MULTI: [&str; 5] = ["Audit log", "Rate limit", "Webhooks", "Type something.", "Submit"];

fn delivery(world: &World, answer: &Answer) -> Delivery {
    Delivery::new(&world.asked(), answer, &world.keys, 7, world.now).unwrap()
}

fn run(pages: Vec<Question>, answer: Answer, keys: Keys, weather: Weather, seed: u64) -> (World, Step) {
    let mut world = World::new(pages, keys, weather, seed);
    let mut delivery = delivery(&world, &answer).following();
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

/// A program that reads keys on acts on a row and leaves its list where it was: the log had that the answer was not taken.
#[test]
fn of_a_list_that_stays_it_is_not_known_whether_its_row_was_taken() {
    let unknown = "not known";
    let stays = Weather { takes_ms: vec![9_000], ..Weather::default() };
    let (_, end) = run(vec![menu("Which?", &MENU)], Answer::Rows(vec![0]), keys(), stays, 1);
    assert!(matches!(&end, Step::Failed(why) if why.contains(unknown)), "{end:?}");

    let world = World::new(vec![menu("Which?", &MENU)], keys(), Weather::default(), 1);
    let mut chosen = delivery(&world, &Answer::Rows(vec![0]));
    (chosen.moves, chosen.words_shown) = (1, 1);
    let below = menu("Which? Saved.", &MENU);
    let verdict = Verdict { state: State::Asking, question: Some(below), ..Verdict::default() };
    let view = DeliveryContext {
        verdict: &verdict,
        judged_ms: 0,
        changed_ms: 0,
        text: format!("Which?\n{}\nSaved.", MENU.join("\n")),
        size: Size::FALLBACK,
        typed: 7,
        stopped: false,
        input_blocked: false,
    };
    assert_eq!(chosen.refusal(&view), None, "its last key was not sent");
    chosen.commit_dialog(Key::Enter, MENU[0].into(), 0);
    assert!(chosen.refusal(&view).is_some_and(|why| why.contains(unknown)), "{:?}", chosen.refusal(&view));
}

/// A menu with a mark before the row that is set, whose highlight is a colour: Enter took the highlighted row, and the log had
/// the marked one.
#[test]
fn a_mark_that_follows_no_arrow_is_not_taken_for_the_highlight() {
    let mut doubtful = menu("Which?", &MENU[..3]);
    doubtful.origin.mark_doubtful = true;
    for row in 0..3 {
        let painted = Weather { painted: Some(1), ..Weather::default() };
        let (world, end) = run(vec![doubtful.clone()], Answer::Rows(vec![row]), keys(), painted, 1);
        assert!(matches!(&end, Step::Failed(why) if why.contains("does not follow an arrow")), "{end:?}");
        assert_eq!(
            (world.commits, world.pages[0].selected),
            (Vec::new(), Some(usize::from(row != 0))),
            "one arrow"
        );
    }
    for (row, sent) in [(0, "down up enter"), (1, "down enter"), (2, "down down enter")] {
        let (world, proof) = clean(vec![doubtful.clone()], Answer::Rows(vec![row]), keys());
        assert_eq!(world.commits, [single(Outcome::Row(MENU[row].into()))]);
        assert_eq!(proof.keys.join(" "), sent, "it has followed one");
    }
    doubtful.selected = Some(2);
    let (_, proof) = clean(vec![doubtful.clone()], Answer::Rows(vec![2]), keys());
    assert_eq!(proof.keys.join(" "), "up down enter", "not beyond the last row in view");
    doubtful.options.truncate(1);
    doubtful.selected = Some(0);
    let (_, proof) = clean(vec![doubtful], Answer::Rows(vec![0]), keys());
    assert_eq!(proof.keys.join(" "), "enter", "there is no other");
}

/// In some libraries Enter ticks the highlighted row: the one that had been unticked last was sent with the others.
#[test]
fn ticks_of_a_program_that_nobody_described_are_sent_from_a_ticked_row() {
    let mut list = multi("Which? (space to select)", &MULTI[..3]);
    list.options[1].checked = Some(true);
    list.origin.printed = Some("Which? (space to select)".into());
    let keys = Keys { multi_submit: Submit::Enter, toggle: Toggle::Space, ..keys() };
    for rows in [vec![0], vec![2], vec![0, 2]] {
        let (world, _) = clean(vec![list.clone()], Answer::Rows(rows.clone()), keys.clone());
        let ticked = rows.iter().map(|row| MULTI[*row].to_owned()).collect();
        assert_eq!(world.commits, [single(Outcome::Ticks(ticked))]);
        assert!(rows.contains(&world.pages[0].selected.unwrap()), "{rows:?}");
    }
    let none = Delivery::new(&list, &Answer::Rows(Vec::new()), &keys, 7, 0);
    assert!(none.is_err_and(|why| why.contains("Enter may take the one that is highlighted")));
}

/// Rows of a menu that begin with "●" or "[x]" looked like a checklist. The key that ticks takes a row there: the one that was to be
/// unticked first, which nobody had chosen.
#[test]
fn the_first_tick_of_a_program_that_nobody_described_is_one_of_the_answer() {
    let mut list = multi("Which branch?", &MULTI[..3]);
    list.options[0].checked = Some(true);
    list.origin.printed = Some("Which branch?".into());
    let keys = Keys { multi_submit: Submit::Enter, toggle: Toggle::Space, ..keys() };
    for (before, rows, first) in [
        ([true, false, false], vec![2], "down down space up up space"),
        ([true, false, true], vec![2], "down down space up up space down down space"),
        ([true, true, false], vec![0], "space space down space"),
        ([false, true, false], vec![0, 1], "space"),
    ] {
        for (row, ticked) in list.options.iter_mut().zip(before) {
            row.checked = Some(ticked);
        }
        let (world, proof) = clean(vec![list.clone()], Answer::Rows(rows.clone()), keys.clone());
        let ticked = rows.iter().map(|row| MULTI[*row].to_owned()).collect();
        assert_eq!(world.commits, [single(Outcome::Ticks(ticked))], "{before:?}");
        assert!(proof.keys.join(" ").starts_with(first), "{before:?}: {:?}", proof.keys);
    }
}

/// Enter on a row of a checklist that draws no ticks sent nothing, and the log had the row.
#[test]
fn no_row_is_taken_of_a_list_whose_ticks_are_not_drawn() {
    let mut list = menu("Which colors?", &MENU[..3]);
    (list.kind, list.origin.ticks_hidden) = (Kind::Dialog, true);
    let refused = Delivery::new(&list, &Answer::Rows(vec![1]), &keys(), 7, 0);
    assert!(refused.is_err_and(|why| why.contains("may be ticked")));
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

/// Enter takes the row with the star, wherever the highlight is.
#[test]
fn a_radio_list_is_starred_before_enter_and_buttons_go_sideways() {
    use crate::core::question::Widget;
    let widget =
        |question: Question, widget| Question { origin: Origin { widget, ..Origin::default() }, ..question };
    let mut question = widget(menu("Pick a theme", &["Dark", "Light"]), Widget::Radio);
    question.options.iter_mut().for_each(|choice| choice.checked = Some(false));
    question.options[0].checked = Some(true);
    let (_, proof) = clean(vec![question.clone()], Answer::Rows(vec![0]), keys());
    assert_eq!(proof.keys, ["enter"], "the star is there");
    let (_, proof) = clean(vec![question], Answer::Rows(vec![1]), keys());
    assert_eq!(proof.keys, ["down", "space", "enter"]);
    let buttons = widget(menu("Use it?", &["Yes", "No"]), Widget::Buttons);
    let (_, proof) = clean(vec![buttons], Answer::Rows(vec![1]), keys());
    assert_eq!(proof.keys, ["right", "enter"]);
    // With the keyboard on a button, Enter would press that.
    let mut boxed = multi("Which features?", &["Audit log", "Rate limit"]);
    (boxed.selected, boxed.origin.widget) = (None, Widget::List);
    let by_key = Keys { multi_submit: Submit::Enter, ..keys() };
    let (world, end) = run(vec![boxed], Answer::Rows(vec![]), by_key, Weather::default(), 1);
    assert!(matches!(&end, Step::Failed(_)) && world.commits.is_empty(), "{end:?}");
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

fn yesno(labels: &[&str]) -> Question {
    Question { kind: Kind::YesNo, selected: None, ..menu("Delete it? [y/N]", labels) }
}

/// Steps a delivery with verdicts that follow from what it sent.
fn scripted(delivery: Delivery, verdict: impl FnMut(&[String]) -> Verdict) -> Step {
    looked_at_each(60_000, delivery, verdict)
}

/// The same with a look each so many milliseconds at the latest.
fn looked_at_each(
    pause_ms: u64,
    mut delivery: Delivery,
    mut verdict: impl FnMut(&[String]) -> Verdict,
) -> Step {
    let mut now = 20_000;
    for _ in 0..1_000 {
        let seen = verdict(delivery.keys_sent());
        let view = DeliveryContext {
            verdict: &seen,
            judged_ms: now,
            changed_ms: now - 1,
            text: String::new(),
            size: Size::FALLBACK,
            typed: 7,
            stopped: false,
            input_blocked: false,
        };
        match delivery.step(&view, now) {
            Step::Wait { until_ms } => now = until_ms.min(now + pause_ms),
            Step::Press(_) | Step::Text(_) | Step::Paste(_) => now += 1,
            end @ (Step::Done(_) | Step::Failed(_)) => return end,
        }
    }
    panic!("no end");
}

/// On a busy machine a dialog had moved its highlight and did not come to read again for half a second: the answer was given up
/// half typed.
#[test]
fn who_is_at_work_with_a_key_is_waited_for() {
    let asked = menu("Which?", &MENU);
    let moved = Question { selected: Some(1), ..asked.clone() };
    let shows = |question| Verdict { state: State::Asking, question: Some(question), ..Verdict::default() };
    let at_work = Verdict { state: State::Working, ..Verdict::default() };
    let unknown = Verdict { state: State::Unknown, ..Verdict::default() };
    for (away, looks, done) in [(&at_work, 3, true), (&at_work, 1_000, false), (&unknown, 3, false)] {
        let delivery = Delivery::new(&asked, &Answer::Rows(vec![1]), &keys(), 7, 20_000).unwrap();
        let mut left = looks;
        let end = looked_at_each(500, delivery, |sent| match sent.len() {
            0 => shows(asked.clone()),
            1 if left > 0 => {
                left -= 1;
                away.clone()
            }
            1 => shows(moved.clone()),
            _ => idle(""),
        });
        assert_eq!(matches!(&end, Step::Done(proof) if proof.keys == ["down", "enter"]), done, "{end:?}");
    }
}

/// Of a checklist with rows out of view what was ticked there was sent along; and boxes that were parts of the labels of a
/// select passed for ticks that stood as wanted, so that Enter took the highlighted row.
#[test]
fn a_checklist_is_submitted_only_where_its_ticks_are_known() {
    let mut q = multi("Which?", &["A", "B"]);
    let keys = Keys { multi_submit: Submit::Enter, ..keys() };
    let plan =
        |q: &Question, rows: &[usize]| Delivery::new(q, &Answer::Rows(rows.to_vec()), &keys, 0, 0).map(drop);
    assert_eq!(plan(&q, &[0]), Ok(()));
    let cut = Question { partial: true, ..q.clone() };
    assert!(plan(&cut, &[0]).unwrap_err().contains("out of view"));
    // A program that nobody described, with A ticked already.
    q.options[0].checked = Some(true);
    q.origin.printed = Some("Which?".to_owned());
    assert!(plan(&q, &[0]).unwrap_err().contains("nothing shows that they are ticks"));
    assert_eq!(plan(&q, &[1]), Ok(()), "that its boxes are ticks is seen on the way");
    q.origin.printed = Some("Which? (Press <space> to select)".to_owned());
    assert_eq!(plan(&q, &[0]), Ok(()));
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
        text: String::new(),
        size: Size::FALLBACK,
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
    for (typed, stopped, why) in [(8, false, "somebody typed"), (7, true, "paused")] {
        let mut delivery = delivery(&world, &Answer::Rows(vec![1]));
        let view = DeliveryContext {
            verdict: &verdict,
            judged_ms: 1,
            changed_ms: 1,
            text: String::new(),
            size: Size::FALLBACK,
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
