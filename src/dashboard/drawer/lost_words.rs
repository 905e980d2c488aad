//! Words that somebody types in the drawer where none are taken: they go nowhere, and the Enter behind them would give what
//! happens to be highlighted.
//!
//! `drawer.rs`, `paste.rs` and `update.rs` tell of them; until a row is chosen anew, by an arrow or a number, nothing is given.
//! Pure.

use crate::core::keymap::{Action, Context};
use crate::core::terminal::keys::{Input, Key, KeyPress};
use crate::wire::message::QuestionInfo;

use crate::dashboard::answer_line;
use crate::dashboard::digits::Digits;
use crate::dashboard::in_its_pane;
use crate::dashboard::mode::Mode;
use crate::dashboard::note::Until;
use crate::dashboard::state::State;

/// Words went nowhere, or their beginning did.
pub fn lose(state: &mut State) {
    if let Mode::Drawer(drawer) = &mut state.mode {
        drawer.words_lost = drawer.id.is_some() && drawer.edit.is_none();
    }
}

/// Who types words where something is to be chosen is told how.
pub fn means_nothing(state: &mut State, question: &QuestionInfo, press: KeyPress) {
    if in_its_pane::only_there(question) {
        return in_its_pane::refuse(state, question);
    }
    let words = state.keymap.key(Context::Questions, Action::OwnWords);
    let more = if answer_line::takes_words(question) {
        format!(", {words} takes your own words")
    } else {
        String::new()
    };
    let told = format!("{press} does nothing here; the digits and enter choose{more}");
    state.say_until(Until::DrawerCloses, told);
    // Whoever types a word has not seen what its other letters would do here, nor what its Enter would.
    state.hold_on();
    if matches!(press.key, Key::Char(_)) {
        lose(state);
    }
}

/// The same of a key that came while keys are held back, where it is a letter that would choose nothing either.
pub fn held(state: &mut State, input: &Input) {
    let Input::Key(press) = input else { return };
    let chooses = |question: &QuestionInfo| Digits::pressed(question, None, *press).is_some();
    if is_letter(*press) && !state.in_drawer().is_some_and(chooses) {
        lose(state);
    }
}

/// Whether an Enter gives nothing, for words were typed before it. An arrow or a number chooses anew.
pub fn keep_from(
    state: &mut State,
    question: Option<&QuestionInfo>,
    (press, action): (KeyPress, Option<Action>),
) -> bool {
    let (Mode::Drawer(drawer), Some(question)) = (&mut state.mode, question) else { return false };
    if !drawer.words_lost {
        return false;
    }
    let arrow = matches!(action, Some(Action::RowUp | Action::RowDown)) && !is_letter(press);
    let number = action.is_none() && Digits::pressed(question, None, press).is_some();
    drawer.words_lost = !(arrow || number);
    if action != Some(Action::Give) {
        return false;
    }
    let told =
        "what was typed before went nowhere; choose with up and down or by number, then enter gives it";
    state.say_until(Until::DrawerCloses, told);
    true
}

fn is_letter(press: KeyPress) -> bool {
    matches!(press.key, Key::Char(ch) if ch.is_alphabetic())
}
