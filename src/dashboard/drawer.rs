//! The questions drawer: look at what is asked, answer it, settle a proposed answer.
//!
//! `update.rs` gives it keys. A key counts for the question shown and for no other: when that is settled
//! meanwhile, the drawer empties instead of moving on. Pure.

use crate::core::question::{Kind, Role};
use crate::core::terminal::keys::{Key, KeyPress};
use crate::wire::message::{GivenAnswer, QuestionInfo, Request, Status};

use super::edit::Edit;
use super::state::{Drawer, Mode, Purpose, State};
use super::update::Effect;

/// Opens on the focused agent's question, else on the oldest one for a person.
pub fn open(state: &mut State, edit: bool) {
    let of_focus = state.focus.as_deref().and_then(|name| state.question_of(name));
    let first = of_focus.or_else(|| state.needing_person().next()).or_else(|| state.questions.first());
    let id = first.map(|question| question.id.clone());
    if edit && id.is_none() {
        return state.say("there is no proposed answer to edit");
    }
    state.mode = Mode::Drawer(shown(state, id));
    if edit {
        start_edit(state, true);
    }
}

/// As `open`, but there has to be something to answer.
pub fn open_for_answer(state: &mut State) {
    if state.questions.is_empty() {
        return state.say("nobody asks anything");
    }
    open(state, false);
}

fn shown(state: &State, id: Option<String>) -> Drawer {
    let question = id.as_deref().and_then(|id| state.question(id));
    let row = question.and_then(|question| question.selected).unwrap_or(0);
    let ticked = |question: &QuestionInfo| -> Vec<usize> {
        let ticked = |(i, choice): (usize, &crate::core::question::Choice)| {
            (choice.checked == Some(true)).then_some(i)
        };
        question.choices.iter().enumerate().filter_map(ticked).collect()
    };
    Drawer { ticks: question.map(ticked).unwrap_or_default(), id, row, edit: None }
}

/// A question is over: if it was shown, say so and take no more keys for it.
pub fn settled(state: &mut State, question: &QuestionInfo) {
    let Mode::Drawer(drawer) = &mut state.mode else { return };
    if drawer.id.as_deref() == Some(&question.id) {
        *drawer = Drawer::default();
        let how = question.answer.as_deref().map(|answer| format!(": {answer}")).unwrap_or_default();
        state.say(format!("{}'s question is {}{how}", question.agent, question.status.name()));
    }
}

pub fn key(state: &mut State, press: KeyPress, out: &mut Vec<Effect>) {
    let Mode::Drawer(drawer) = &mut state.mode else { return };
    let question = drawer.id.as_deref().and_then(|id| state.questions.iter().find(|q| q.id == id)).cloned();
    if let Some(edit) = &mut drawer.edit {
        match (press.key, question) {
            (Key::Esc, _) => drawer.edit = None,
            (Key::Enter, Some(question)) => {
                let text = edit.text.trim().to_owned();
                if !text.is_empty() {
                    let answer = in_words(&question, text);
                    give(state, &question, answer, out);
                }
            }
            _ => {
                edit.key(press);
            }
        }
        return;
    }
    match press.key {
        Key::Esc | Key::Char('q') => state.mode = Mode::Panes,
        Key::Tab | Key::Right | Key::Char('l') => turn(state, 1),
        Key::Left | Key::Char('h') => turn(state, -1),
        _ => {
            if let Some(question) = question {
                question_key(state, &question, press, out);
            }
        }
    }
}

fn question_key(state: &mut State, question: &QuestionInfo, press: KeyPress, out: &mut Vec<Effect>) {
    let Mode::Drawer(drawer) = &mut state.mode else { return };
    let last = question.options.len().saturating_sub(1);
    match press.key {
        Key::Up | Key::Char('k') => drawer.row = drawer.row.saturating_sub(1),
        Key::Down | Key::Char('j') => drawer.row = (drawer.row + 1).min(last),
        Key::Char(' ') if question.multi => toggle(&mut drawer.ticks, drawer.row),
        Key::Char(digit @ '1'..='9') => {
            let number = u32::from(digit as u8 - b'0');
            let row = (0..question.options.len()).find(|row| question.number(*row) == Some(number));
            if let Some(row) = row {
                drawer.row = row;
                if question.multi { toggle(&mut drawer.ticks, row) } else { choose(state, question, out) }
            }
        }
        Key::Enter if question.status == Status::Proposed => confirm(state, question, true, out),
        Key::Enter => choose(state, question, out),
        Key::Char('e') => start_edit(state, true),
        Key::Char('t') => start_edit(state, false),
        Key::Char('x') if question.status == Status::Proposed => confirm(state, question, false, out),
        Key::Char('r') => {
            give(state, question, GivenAnswer { reject: true, ..GivenAnswer::default() }, out);
        }
        Key::Char('c') => {
            let request = Request::Consult { id: question.id.clone(), with: None };
            let purpose = Purpose::Act(format!("consult about {}'s question", question.agent));
            out.push(Effect::Send(state.request(request, Some(purpose))));
        }
        _ => {}
    }
}

fn toggle(ticks: &mut Vec<usize>, row: usize) {
    match ticks.iter().position(|tick| *tick == row) {
        Some(at) => {
            ticks.remove(at);
        }
        None => ticks.push(row),
    }
    ticks.sort_unstable();
}

/// The other questions, one after another.
fn turn(state: &mut State, by: isize) {
    let Mode::Drawer(drawer) = &state.mode else { return };
    let count = state.questions.len() as isize;
    let at = drawer.id.as_deref().and_then(|id| state.questions.iter().position(|q| q.id == id));
    if count > 0 {
        let next = at.map_or(0, |at| (at as isize + by).rem_euclid(count)) as usize;
        let id = state.questions[next].id.clone();
        state.mode = Mode::Drawer(shown(state, Some(id)));
    }
}

fn start_edit(state: &mut State, from_proposal: bool) {
    let Mode::Drawer(drawer) = &state.mode else { return };
    let question = drawer.id.as_deref().and_then(|id| state.question(id));
    let proposed = question.and_then(|q| q.answer.clone()).filter(|_| from_proposal).unwrap_or_default();
    let known = question.is_some();
    if let Mode::Drawer(drawer) = &mut state.mode {
        drawer.edit = known.then(|| Edit::new(&proposed));
    }
}

/// Gives the highlighted row, or the ticked ones.
fn choose(state: &mut State, question: &QuestionInfo, out: &mut Vec<Effect>) {
    let Mode::Drawer(drawer) = &state.mode else { return };
    if question.options.is_empty() && question.kind == Kind::Review {
        // Its only answer: what stands there is right.
        return give(
            state,
            question,
            GivenAnswer { options: vec!["1".into()], ..GivenAnswer::default() },
            out,
        );
    }
    if question.options.is_empty() {
        return start_edit(state, false);
    }
    let rows = if question.multi { drawer.ticks.clone() } else { vec![drawer.row] };
    let free = rows.iter().any(|row| question.choices.get(*row).is_some_and(|c| c.role == Role::FreeText));
    if free {
        return start_edit(state, false);
    }
    if rows.is_empty() {
        return state.say("nothing is ticked; space ticks the highlighted row");
    }
    let options = rows.iter().map(|row| question.row_name(*row)).collect();
    give(state, question, GivenAnswer { options, ..GivenAnswer::default() }, out);
}

/// Words that are exactly an option's label choose that option.
fn in_words(question: &QuestionInfo, text: String) -> GivenAnswer {
    if question.options.contains(&text) {
        return GivenAnswer { options: vec![text], ..GivenAnswer::default() };
    }
    // As several ticked labels are shown.
    let labels: Vec<String> = text.split(", ").map(str::to_owned).collect();
    if question.multi && labels.iter().all(|label| question.options.contains(label)) {
        return GivenAnswer { options: labels, ..GivenAnswer::default() };
    }
    GivenAnswer { text: Some(text), ..GivenAnswer::default() }
}

fn give(state: &mut State, question: &QuestionInfo, answer: GivenAnswer, out: &mut Vec<Effect>) {
    let request = Request::Answer { id: question.id.clone(), answer };
    sent(state, question, request, "answer", out);
}

fn confirm(state: &mut State, question: &QuestionInfo, accept: bool, out: &mut Vec<Effect>) {
    let request = Request::Confirm { id: question.id.clone(), accept };
    sent(
        state,
        question,
        request,
        if accept { "confirm the answer to" } else { "discard the answer to" },
        out,
    );
}

/// One answer is on its way: the drawer takes none for this question any more.
fn sent(state: &mut State, question: &QuestionInfo, request: Request, verb: &str, out: &mut Vec<Effect>) {
    if !state.connected {
        return state.say("not sent: there is no connection to the server");
    }
    let purpose = Purpose::Act(format!("{verb} {}'s question", question.agent));
    out.push(Effect::Send(state.request(request, Some(purpose))));
    let more = state.questions.len() > 1;
    state.mode = if more { Mode::Drawer(Drawer::default()) } else { Mode::Panes };
}
