//! What can be done with the question in the drawer, as its lower edge says it.

use unicode_width::UnicodeWidthStr;

use crate::core::keymap::{Action, Context};
use crate::core::question::Kind;
use crate::dashboard::answer_line::{takes_words, typing};
use crate::dashboard::digits::{by_letter, gives_at_once};
use crate::dashboard::highlight::proposal;
use crate::dashboard::state::{Drawer, State};
use crate::dashboard::whom_to_ask::with_another;
use crate::wire::message::{QuestionInfo, Status};

use super::asked_words::leaves_out;
use super::text::fit;

/// What can be done, the most important first, as many as fit.
pub fn foot(state: &State, question: Option<&QuestionInfo>, drawer: &Drawer, width: usize) -> String {
    let key = |action| state.keymap.key(Context::Questions, action);
    let mut keys: Vec<String> = Vec::new();
    let mut say = |action, words: &str| {
        if !key(action).is_empty() {
            keys.push(format!("{} {words}", key(action)));
        }
    };
    match question {
        None => say(Action::Give, "opens it"),
        Some(question) if typing(question, drawer) => {
            return fit(" enter gives this answer · esc leaves it ", width);
        }
        Some(question) if drawer.edit.is_some() => {
            let yours = if proposal(question).is_some() {
                "type yours, or enter gives it"
            } else {
                "type the answer"
            };
            keys = vec![yours.to_owned()];
        }
        Some(_) if drawer.others.is_some() => say(Action::Give, "asks"),
        Some(question) => keys = question_keys(state, question, drawer),
    }
    let leave = match (drawer.others.is_some(), drawer.edit.is_some()) {
        (true, _) => "leaves it",
        (false, true) => "other keys, twice closes",
        (false, false) => "closes",
    };
    let key = if drawer.edit.is_some() { "esc".to_owned() } else { key(Action::Close) };
    let leave = Some(key).filter(|key| !key.is_empty()).map(|key| format!("{key} {leave}"));
    // The way out is never what there is no room for.
    let kept = leave.as_ref().map_or(0, |leave| leave.width() + 3);
    let mut text = String::new();
    for key in keys {
        if text.width() + key.width() + 4 + kept > width {
            break;
        }
        text.push_str(if text.is_empty() { " " } else { " · " });
        text.push_str(&key);
    }
    if let Some(leave) = leave {
        text.push_str(if text.is_empty() { " " } else { " · " });
        text.push_str(&leave);
    }
    format!("{text} ")
}

fn question_keys(state: &State, question: &QuestionInfo, drawer: &Drawer) -> Vec<String> {
    let key = |action, words: &str| {
        let key = state.keymap.key(Context::Questions, action);
        (!key.is_empty()).then(|| format!("{key} {words}"))
    };
    if question.kind == Kind::Password {
        return vec!["typed in its pane, not here".to_owned()];
    }
    let proposed = question.status == Status::Proposed;
    let give = if proposed { "gives the highlighted" } else { "gives" };
    let asks = consultable(question.kind) && consultant(state, question);
    let all = [
        key(Action::Tick, "ticks").filter(|_| question.multi),
        key(Action::Give, give).filter(|_| gives(question, drawer)),
        digits(state, question).map(str::to_owned),
        key(Action::EditAnswer, "changes it").filter(|_| proposed),
        key(Action::Discard, "turns it down").filter(|_| proposed),
        key(Action::TakeOver, "takes over").filter(|_| with_another(question)),
        key(Action::Reject, "declines"),
        key(Action::NextQuestion, "next").filter(|_| state.questions.len() > 1),
        key(Action::OwnWords, "own words").filter(|_| takes_words(question)),
        key(Action::AskConsultant, "consults").filter(|_| asks && !with_another(question)),
        key(Action::AskAnother, "asks another").filter(|_| asks),
        key(Action::Decisions, "history"),
    ];
    all.into_iter().flatten().collect()
}

/// Whether Enter gives anything as it stands.
fn gives(question: &QuestionInfo, drawer: &Drawer) -> bool {
    match question.multi {
        true => !drawer.ticks.is_empty(),
        false => drawer.row.is_some() || question.options.is_empty(),
    }
}

/// What a digit does.
fn digits(state: &State, question: &QuestionInfo) -> Option<&'static str> {
    match (gives_at_once(question) && !leaves_out(state, question), question.multi) {
        _ if question.options.is_empty() => None,
        (false, _) => Some("digits highlight"),
        (true, true) => Some("digits tick"),
        (true, false) if by_letter(question) => Some("y or n gives at once"),
        (true, false) => Some("digits give at once"),
    }
}

/// Whether there is anybody to ask.
fn consultant(state: &State, question: &QuestionInfo) -> bool {
    state.agent(&question.agent).is_some_and(|agent| agent.info.consultant.is_some())
}

/// Whether a consultant may be asked about it.
fn consultable(kind: Kind) -> bool {
    match kind {
        Kind::Menu | Kind::Multi | Kind::Review | Kind::Text | Kind::YesNo => true,
        Kind::Permission | Kind::Plan | Kind::Trust | Kind::Login | Kind::Password | Kind::Dialog => false,
    }
}
