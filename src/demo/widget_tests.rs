//! The dialogs' behaviour, key by key.

use super::*;
use crate::demo::keys::Decoder;

const LATE: u64 = 1_000;

fn typed(bytes: &str) -> Vec<Typed> {
    let mut decoder = Decoder::default();
    let mut tokens = decoder.push(bytes.as_bytes());
    tokens.extend(decoder.flush());
    tokens.into_iter().map(|token| token.typed).collect()
}

/// Types one key per read, a second apart; the last effect.
fn play(dialog: &mut Dialog, bytes: &str) -> Effect {
    let mut last = Effect::Stray;
    for (at, key) in typed(bytes).into_iter().enumerate() {
        last = dialog.take(&[key], (at as u64 + 1) * LATE).pop().unwrap();
    }
    last
}

fn database() -> Page {
    Page::menu("Database", "Which database?", &[("PostgreSQL", ""), ("SQLite", ""), ("Redis", "")])
}

fn features() -> Page {
    Page::multi("Features", "Which features?", &[("Audit log", ""), ("Rate limit", ""), ("Webhooks", "")])
}

fn one(page: Page) -> Dialog {
    Dialog::new(vec![page], Quirks::FIELD, 0)
}

fn answered(prompt: &str, labels: &[&str]) -> Effect {
    let answer = labels.iter().map(|label| label.to_string()).collect();
    Effect::Answered(vec![Given { prompt: prompt.into(), answer }])
}

#[test]
fn a_menu_is_answered_by_arrows_or_a_digit() {
    assert_eq!(play(&mut one(database()), "\x1b[B\r"), answered("Which database?", &["SQLite"]));
    assert_eq!(play(&mut one(database()), "3"), answered("Which database?", &["Redis"]));
    assert_eq!(
        play(&mut one(database()), "\x1b[B\x1b[B\x1b[B\x1b[A\r"),
        answered("Which database?", &["SQLite"])
    );
    assert_eq!(play(&mut one(database()), "\x1b"), Effect::Cancelled);
    assert_eq!(play(&mut one(database()), "x"), Effect::Stray);
    assert_eq!(play(&mut one(database()), "\x1b[200~2\x1b[201~"), Effect::Stray, "a paste is no key");
}

#[test]
fn keys_right_after_drawing_are_lost() {
    let mut dialog = one(database());
    assert_eq!(dialog.take(&typed("\x1b[B"), 139), [Effect::Lost]);
    assert_eq!(dialog.take(&typed("\r"), 140), [answered("Which database?", &["PostgreSQL"])]);
}

#[test]
fn keys_of_one_read_act_on_the_old_highlight() {
    let mut dialog = one(database());
    assert_eq!(dialog.take(&typed("\x1b[B\r"), LATE)[1], answered("Which database?", &["PostgreSQL"]));
    let exact = Quirks { stale_batch: false, ..Quirks::FIELD };
    let mut dialog = Dialog::new(vec![database()], exact, 0);
    assert_eq!(dialog.take(&typed("\x1b[B\r"), LATE)[1], answered("Which database?", &["SQLite"]));
}

#[test]
fn ticks_are_sent_by_the_submit_row() {
    let mut dialog = one(features());
    assert_eq!(play(&mut dialog, "\r"), Effect::Ticked, "Enter ticks");
    let effect = play(&mut dialog, "\x1b[B\x1b[B \x1b[B\r");
    assert_eq!(effect, answered("Which features?", &["Audit log", "Webhooks"]));
    assert_eq!(play(&mut one(features()), "1 "), Effect::Ticked, "digits tick and leave the highlight");
    assert_eq!(play(&mut one(features()), "4"), Effect::Stray, "the submit row has no number");
    assert_eq!(play(&mut one(features()), "\x1b[B\x1b[B\x1b[B\r"), answered("Which features?", &[]));
}

#[test]
fn a_digit_on_the_free_text_row_is_text() {
    let page = || database().with_free_text();
    assert_eq!(play(&mut one(page()), "42\r"), answered("Which database?", &["2"]));
    assert_eq!(
        play(&mut one(page()), "4\x1b[200~a b\x1b[201~c\x7f\r"),
        answered("Which database?", &["a b"])
    );
    assert_eq!(play(&mut one(page()), "4\r"), Effect::Stray, "nothing typed, nothing sent");
}

#[test]
fn a_form_ends_in_a_review() {
    let mut form = Dialog::new(vec![database(), features()], Quirks::FIELD, 0);
    assert_eq!(form.take(&typed("2"), LATE), [Effect::Next]);
    assert_eq!(form.take(&typed(" "), LATE + 139), [Effect::Lost], "a new page is deaf as well");
    assert_eq!(form.take(&typed(" "), 2 * LATE), [Effect::Ticked]);
    for (at, key) in ["\x1b[B", "\x1b[B", "\x1b[B", "\r"].into_iter().enumerate() {
        form.take(&typed(key), (3 + at as u64) * LATE);
    }
    assert_eq!(form.page().prompt, "Ready to submit your answers?");
    assert_eq!(form.take(&typed("\x1b[Z"), 9 * LATE), [Effect::Next], "back");
    assert_eq!(form.page().header, "Features");
    form.take(&typed("\t"), 10 * LATE);
    let Some(Effect::Answered(given)) = form.take(&typed("\r"), 11 * LATE).pop() else {
        panic!("not answered")
    };
    let labels: Vec<&str> = given.iter().flat_map(|g| &g.answer).map(String::as_str).collect();
    assert_eq!(labels, ["SQLite", "Audit log"]);

    let mut form = Dialog::new(vec![database(), features()], Quirks::FIELD, 0);
    form.at = 2;
    assert_eq!(play(&mut form, "2"), Effect::Cancelled);
}
