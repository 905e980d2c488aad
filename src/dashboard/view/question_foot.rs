//! What can be done with the question in the drawer, as its lower edge says it.

use unicode_width::UnicodeWidthStr;

use crate::core::keymap::{Action, Context};
use crate::core::question::Kind;
use crate::dashboard::answer_line::{takes_words, typing};
use crate::dashboard::digits::{by_letter, gives_at_once};
use crate::dashboard::highlight::proposal;
use crate::dashboard::in_its_pane;
use crate::dashboard::mode::Drawer;
use crate::dashboard::state::State;
use crate::dashboard::whom_to_ask::with_another;
use crate::wire::message::{QuestionInfo, Status};

use super::asked_words::leaves_out;
use super::text::fit;

/// What can be done, the most important first: as many as fit, and the lines that the others need.
pub fn foot(
    state: &State,
    question: Option<&QuestionInfo>,
    drawer: &Drawer,
    width: usize,
) -> (String, Vec<String>) {
    let key = |action| state.keymap.key(Context::Questions, action);
    let leave = leave(drawer, key(Action::Close));
    // The way out is never what there is no room for.
    let kept = leave.as_ref().map_or(0, |leave| leave.width() + 3);
    let mut keys: Vec<String> = Vec::new();
    let mut say = |action, words: &str| {
        if !key(action).is_empty() {
            keys.push(format!("{} {words}", key(action)));
        }
    };
    match question {
        None => say(Action::Give, "opens it"),
        Some(question) if typing(question, drawer) => {
            return (fit(" enter gives this answer · esc leaves it ", width), Vec::new());
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
        Some(question) => keys = question_keys(state, question, drawer, width.saturating_sub(kept + 4)),
    }
    let (mut text, mut more) = (String::new(), Vec::<String>::new());
    for key in keys {
        // A shorter one behind it may still have room.
        if text.width() + key.width() + 4 + kept > width {
            match more.last_mut().filter(|line| line.width() + 3 + key.width() <= width) {
                Some(line) => line.push_str(&format!(" · {key}")),
                None => more.push(format!(" {key}")),
            }
            continue;
        }
        text.push_str(if text.is_empty() { " " } else { " · " });
        text.push_str(&key);
    }
    if let Some(leave) = leave {
        text.push_str(if text.is_empty() { " " } else { " · " });
        text.push_str(&leave);
    }
    (format!("{text} "), more)
}

/// The way out of it, if it has a key.
fn leave(drawer: &Drawer, close: String) -> Option<String> {
    let words = match (drawer.others.is_some(), drawer.edit.is_some()) {
        (true, _) => "leaves it",
        (false, true) => "other keys, twice closes",
        (false, false) => "closes",
    };
    let key = if drawer.edit.is_some() { "esc".to_owned() } else { close };
    Some(key).filter(|key| !key.is_empty()).map(|key| format!("{key} {words}"))
}

/// `room`: the columns there are beside the way out.
fn question_keys(state: &State, question: &QuestionInfo, drawer: &Drawer, room: usize) -> Vec<String> {
    let key = |action, words: &str| {
        let key = state.keymap.key(Context::Questions, action);
        (!key.is_empty()).then(|| format!("{key} {words}"))
    };
    if in_its_pane::only_there(question) {
        return key(Action::Give, in_its_pane::way(question)).into_iter().collect();
    }
    let proposed = question.status == Status::Proposed;
    let give = if proposed { "gives the highlighted" } else { "gives" };
    let asks = consultable(question.kind) && consultant(state, question);
    let all = [
        key(Action::Tick, "ticks").filter(|_| question.multi),
        key(Action::Give, give).filter(|_| gives(question, drawer)),
        key(Action::TakeOver, "takes over").filter(|_| with_another(question)),
        digits(state, question, room).map(str::to_owned),
        key(Action::EditAnswer, "changes it").filter(|_| proposed),
        key(Action::Discard, "turns it down").filter(|_| proposed),
        key(Action::Reject, "declines").filter(|_| declinable(question)),
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

/// What a digit does, and a letter where one is an answer.
fn digits(state: &State, question: &QuestionInfo, room: usize) -> Option<&'static str> {
    match (gives_at_once(question) && !leaves_out(state, question), question.multi) {
        _ if question.options.is_empty() => None,
        (false, _) => Some("digits highlight"),
        (true, true) => Some("digits tick"),
        (true, false) if by_letter(question) => {
            let forms = ["y, n and digits give at once", "y, n give at once"];
            forms.into_iter().find(|words| words.width() <= room).or(Some(forms[1]))
        }
        (true, false) => Some("digits give at once"),
    }
}

/// Whether anything declines it. Who asks by a hook or by a tool takes that for an answer; words at the end of a turn do
/// not, and in a line, where nothing is highlighted, only a "no" of its own does.
fn declinable(question: &QuestionInfo) -> bool {
    let told = |source: &str| question.sources.iter().any(|known| known == source);
    let no = |label: &String| ["n", "no"].iter().any(|no| label.eq_ignore_ascii_case(no));
    let on_screen =
        question.kind != Kind::Text && (question.selected.is_some() || question.options.iter().any(no));
    told("hook") || told("mcp") || on_screen
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
