//! The questions drawer: look at what is asked, answer it, settle a proposed answer.
//!
//! `update.rs` gives it keys. What Enter gives is what is highlighted, and nothing else. A key counts for
//! the question shown and for no other: when that is settled meanwhile, the drawer empties instead of moving
//! on. Pure.

use crate::core::keymap::{Action, Context};
use crate::core::question::{Kind, Role};
use crate::core::terminal::keys::KeyPress;
use crate::wire::message::{GivenAnswer, QuestionInfo, Request, Status};

mod end;
pub mod lost_words;

use super::agents::takes_no_keys;
use super::answer_line::{self, Wish};
use super::digits::{Digits, gives_at_once};
use super::edit::Edit;
use super::effect::Effect;
use super::highlight::{Proposal, first_row, lines, proposal, ticked};
use super::in_its_pane;
use super::log_view::LogView;
use super::mode::{Drawer, Mode};
use super::note::Until;
use super::state::{Purpose, State};
use super::view::asked_words::leaves_out;
use super::view::asks;
use super::whom_to_ask::{self, with_another};

pub use end::{close_without_question, removed, settled};

/// As long as a person needs to see that another row is highlighted than the one they were about to give.
const MOVED_MS: u64 = 1_500;

/// Opens the list of all questions; a single one at once.
pub fn open(state: &mut State) {
    if let [only] = state.questions.as_slice() {
        return open_at(state, only.id.clone());
    }
    state.mode = Mode::Drawer(shown(state, None));
}

/// Opens this question. Where it is not the focused agent's, the person has to have seen whose it is before a letter
/// decides anything.
fn open_at(state: &mut State, id: String) {
    let asker = state.question(&id).map(|question| question.agent.clone());
    state.mode = Mode::Drawer(shown(state, Some(id)));
    let (Some(asker), Some(focus)) = (asker, state.focus.clone()) else { return };
    if asker != focus {
        state.hold();
        if state.question_of(&focus).is_none() {
            let told = format!("{focus} asks nothing; this is what {asker} asks");
            state.say_until(Until::Asks(focus), told);
        }
    }
}

/// Opens the question that the status line speaks of: what needs the person, the focused agent's first;
/// without one, whatever is asked.
pub fn answer(state: &mut State) {
    let of_focus = state.focus.as_deref().and_then(|name| state.question_of(name));
    let Some(next) = state.next_needed().or(of_focus).or(state.questions.first()).cloned() else {
        return state.say_until(Until::Asked, "nobody asks anything");
    };
    if !in_its_pane::only_there(&next) || state.agent(&next.agent).is_none() {
        return open_at(state, next.id);
    }
    let moves = state.focus.as_ref() != Some(&next.agent);
    in_its_pane::go(state, &next, asks(next.kind));
    if moves {
        state.hold();
    }
}

/// Opens a suggested answer to be changed.
pub fn edit(state: &mut State) {
    let suggested = |question: &&QuestionInfo| question.status == Status::Proposed;
    let of_focus = state.focus.as_deref().and_then(|name| state.question_of(name));
    let next = of_focus.filter(suggested).or_else(|| state.questions.iter().find(suggested));
    match next.map(|question| question.id.clone()) {
        Some(id) => {
            open_at(state, id);
            answer_line::open(state, true);
        }
        None => state.say("there is no suggested answer to change"),
    }
}

pub fn shown(state: &State, id: Option<String>) -> Drawer {
    let question = id.as_deref().and_then(|id| state.question(id));
    let row = match question {
        Some(question) => first_row(question),
        // In the list of all, on the one that needs the person.
        None => state
            .next_needed()
            .and_then(|needed| state.questions.iter().position(|q| q.id == needed.id))
            .or(Some(0)),
    };
    let (edit, former) = question.map(|question| answer_line::at_first(state, question)).unwrap_or_default();
    Drawer { ticks: question.map(ticked).unwrap_or_default(), row, id, edit, former, ..Drawer::default() }
}

/// An answer given here did not go in. Its question is opened again, unless the person is typing elsewhere.
pub fn refused(state: &mut State, id: &str, why: String) {
    let here = state.given.take().is_some_and(|given| given == id) && !state.typed_since;
    let free = state.mode == Mode::Panes || matches!(&state.mode, Mode::Drawer(open) if open.id.is_none());
    if here && free && state.question(id).is_some() {
        let mut drawer = shown(state, Some(id.to_owned()));
        // Nothing is typed twice.
        if let Some(words) = state.words.given.take() {
            (drawer.edit, drawer.former) = (Some(Edit::new(&words)), false);
        }
        state.mode = Mode::Drawer(drawer);
        state.hold();
    }
    let open = state.question(id).is_some();
    state.warn_until(if open { Until::Settled(id.to_owned()) } else { Until::Read }, why);
}

/// The question at this place is another than it was; the one that is shown keeps its highlight on what the
/// person saw there.
pub fn changed(state: &mut State, former: &QuestionInfo, at: usize) {
    let question = state.questions[at].clone();
    let Some(drawer) = state.mode.drawer_mut() else { return };
    if drawer.id.as_deref() != Some(&question.id) {
        return;
    }
    let before = (drawer.row, drawer.ticks.clone());
    if former.options != question.options {
        let row_of = |row: &usize| {
            let label = former.options.get(*row)?;
            question.options.iter().position(|other| other == label)
        };
        drawer.typed = None;
        drawer.row = drawer.row.as_ref().and_then(row_of);
        drawer.ticks = drawer.ticks.iter().filter_map(row_of).collect();
    }
    let news = (former.status, &former.answer) != (question.status, &question.answer);
    let suggested = news && !drawer.moved && !answer_line::typing(&question, drawer);
    if suggested {
        (drawer.row, drawer.ticks) = (first_row(&question), ticked(&question));
    }
    if before != (drawer.row, drawer.ticks.clone()) {
        state.hold();
        let seen_ms = if suggested { state.now_ms + MOVED_MS } else { 0 };
        state.keyboard.hold_until_ms = state.keyboard.hold_until_ms.max(seen_ms);
    }
}

pub fn key(state: &mut State, press: KeyPress, out: &mut Vec<Effect>) {
    let question = state.in_drawer().cloned();
    let Mode::Drawer(drawer) = &mut state.mode else { return };
    let (had_words, former) = (answer_line::has_words(drawer) && !drawer.former, drawer.former);
    let wish = answer_line::key(drawer, press, question.as_ref());
    let begins = !had_words && answer_line::has_words(drawer) && !drawer.former;
    if let Some(question) = question.as_ref().filter(|_| former && drawer.edit.is_some() && !drawer.former) {
        // From now on they are this one's.
        state.words.left.remove(&question.agent);
    }
    // Who begins to write an answer gives it: what a consultant says meanwhile would take it away under their fingers.
    if let Some(question) = question.as_ref().filter(|question| begins && with_another(question)) {
        out.extend(whom_to_ask::take_over(state, question).map(Effect::Send));
    }
    match (wish, &question) {
        (Wish::NotMine, _) => {}
        (Wish::Give(answer), Some(question)) => return give(state, question, answer, out),
        (Wish::GiveHighlighted, Some(question)) => return give_highlighted(state, question, out),
        (Wish::Empty, Some(question)) => return answer_line::say_empty(state, question),
        (Wish::Former, _) => return answer_line::say_former(state),
        (Wish::Nothing | Wish::Empty | Wish::Give(_) | Wish::GiveHighlighted, _) => return,
    }
    let Mode::Drawer(drawer) = &mut state.mode else { return };
    let typed = drawer.typed.take();
    let action = state.keymap.action(Context::Questions, press);
    // What is shown is the list of all only where no question was opened.
    if drawer.id.is_some() && question.is_none() && action != Some(Action::Close) {
        return;
    }
    if drawer.others.is_some() {
        return out.extend(whom_to_ask::choose(state, question, action).map(Effect::Send));
    }
    if lost_words::keep_from(state, question.as_ref(), (press, action)) {
        return;
    }
    match (action, question) {
        (Some(Action::Close), _) => state.mode = Mode::Panes,
        (Some(Action::NextQuestion), _) => turn(state, 1),
        (Some(Action::PreviousQuestion), _) => turn(state, -1),
        (Some(action), Some(question)) => question_key(state, &question, action, out),
        (None, Some(question)) => shown_key(state, &question, (press, typed), out),
        (Some(action), None) => list_key(state, action),
        (None, None) => {}
    }
}

/// A key over the list of all questions.
fn list_key(state: &mut State, action: Action) {
    let last = state.questions.len().saturating_sub(1);
    let Mode::Drawer(drawer) = &mut state.mode else { return };
    let row = drawer.row.unwrap_or(0).min(last);
    match action {
        Action::RowUp => drawer.row = Some(row.saturating_sub(1)),
        Action::RowDown => drawer.row = Some((row + 1).min(last)),
        Action::Give => show_question(state, row),
        _ => {}
    }
}

fn question_key(state: &mut State, question: &QuestionInfo, action: Action, out: &mut Vec<Effect>) {
    if in_its_pane::only_there(question) {
        return match action {
            Action::Give => in_its_pane::go(state, question, asks(question.kind)),
            _ => in_its_pane::refuse(state, question),
        };
    }
    let Mode::Drawer(drawer) = &mut state.mode else { return };
    let count = lines(question);
    match action {
        Action::RowUp if count > 0 => {
            let row = drawer.row.map_or(count - 1, |row| row.saturating_sub(1));
            highlight(drawer, row);
        }
        Action::RowDown if count > 0 => {
            let row = drawer.row.map_or(0, |row| (row + 1).min(count - 1));
            highlight(drawer, row);
        }
        Action::Tick if question.multi => {
            if let Some(row) = drawer.row {
                toggle(drawer, row);
            }
        }
        Action::Give => give_highlighted(state, question, out),
        Action::EditAnswer | Action::OwnWords => {
            let open = answer_line::wanted(state, question, action);
            if !open {
                lost_words::lose(state);
            }
        }
        Action::Discard => out.extend(whom_to_ask::turn_down(state, question).map(Effect::Send)),
        Action::Reject => give(state, question, GivenAnswer { reject: true, ..GivenAnswer::default() }, out),
        Action::AskConsultant => out.push(Effect::Send(whom_to_ask::consult(state, question, None))),
        Action::AskAnother => whom_to_ask::offer(state, question),
        Action::TakeOver => out.extend(whom_to_ask::take_over(state, question).map(Effect::Send)),
        Action::Decisions => {
            state.mode = Mode::Log(Box::new(LogView::leading_back(&question.agent, &question.id)));
            out.push(Effect::ReadLog);
        }
        _ => {}
    }
}

pub fn highlight(drawer: &mut Drawer, row: usize) {
    (drawer.row, drawer.moved, drawer.typed) = (Some(row), true, None);
}

/// A printed number chooses its row, and so does the letter of a yes or a no: at once where no number has a second
/// digit and every option is in view.
fn shown_key(
    state: &mut State,
    question: &QuestionInfo,
    (press, typed): (KeyPress, Option<u32>),
    out: &mut Vec<Effect>,
) {
    let at_once = gives_at_once(question) && !leaves_out(state, question);
    let Some(digits) = Digits::pressed(question, typed, press) else {
        return lost_words::means_nothing(state, question, press);
    };
    let Mode::Drawer(drawer) = &mut state.mode else { return };
    if !at_once {
        // A number that no option has leaves no highlight behind, which Enter would give.
        (drawer.row, drawer.moved, drawer.typed) = (digits.row, true, digits.begun);
        return;
    }
    let Some(row) = digits.row else { return };
    highlight(drawer, row);
    if question.multi { toggle(drawer, row) } else { give_highlighted(state, question, out) }
}

fn toggle(drawer: &mut Drawer, row: usize) {
    drawer.moved = true;
    match drawer.ticks.iter().position(|tick| *tick == row) {
        Some(at) => {
            drawer.ticks.remove(at);
        }
        None => drawer.ticks.push(row),
    }
    drawer.ticks.sort_unstable();
}

/// The other questions, one after another.
fn turn(state: &mut State, by: isize) {
    let Mode::Drawer(drawer) = &state.mode else { return };
    let count = state.questions.len() as isize;
    let at = drawer.id.as_deref().and_then(|id| state.questions.iter().position(|q| q.id == id));
    if count > 0 {
        let next = at.map_or(0, |at| (at as isize + by).rem_euclid(count)) as usize;
        show_question(state, next);
    }
}

/// Shows the question at this place of the list.
pub fn show_question(state: &mut State, at: usize) {
    if let Some(id) = state.questions.get(at).map(|question| question.id.clone()) {
        state.mode = Mode::Drawer(shown(state, Some(id)));
    }
}

/// Enter: exactly the highlighted row, or the ticked ones. Where that is what a consultant proposed, it is
/// confirmed, so that the log says whose answer it was.
fn give_highlighted(state: &mut State, question: &QuestionInfo, out: &mut Vec<Effect>) {
    let Mode::Drawer(drawer) = &state.mode else { return };
    let proposed = proposal(question);
    if question.multi {
        if drawer.ticks.is_empty() {
            let told = "nothing is ticked; space ticks the highlighted row";
            return state.say_until(Until::DrawerCloses, told);
        }
        if proposed == Some(Proposal::Rows(drawer.ticks.clone())) {
            return confirm(state, question, out);
        }
        let rows = drawer.ticks.clone();
        return choose(state, question, &rows, out);
    }
    let Some(row) = drawer.row else {
        return match (question.options.is_empty(), question.kind) {
            (true, Kind::Review) => {
                // Its only answer: what stands there is right.
                let options = vec!["1".into()];
                give(state, question, GivenAnswer { options, ..GivenAnswer::default() }, out);
            }
            (true, _) => answer_line::open(state, false),
            (false, _) => {
                let told = "nothing is highlighted; choose with up and down, or by number";
                state.say_until(Until::DrawerCloses, told);
            }
        };
    };
    match proposed {
        Some(Proposal::Row(at)) if at == row => confirm(state, question, out),
        Some(Proposal::Words { row: at, .. }) if at.unwrap_or(question.options.len()) == row => {
            confirm(state, question, out);
        }
        _ => choose(state, question, &[row], out),
    }
}

fn choose(state: &mut State, question: &QuestionInfo, rows: &[usize], out: &mut Vec<Effect>) {
    let free = rows.iter().any(|row| question.choices.get(*row).is_some_and(|c| c.role == Role::FreeText));
    if free {
        return answer_line::open(state, false);
    }
    let options = rows.iter().map(|row| question.row_name(*row)).collect();
    give(state, question, GivenAnswer { options, ..GivenAnswer::default() }, out);
}

fn give(state: &mut State, question: &QuestionInfo, answer: GivenAnswer, out: &mut Vec<Effect>) {
    answer_line::given(state, question, &answer);
    let request = Request::Answer { id: question.id.clone(), answer };
    sent(state, question, request, "answer", out);
}

fn confirm(state: &mut State, question: &QuestionInfo, out: &mut Vec<Effect>) {
    let answer = question.answer.clone();
    // What was typed for another question is none of this one's, should it be refused.
    state.words.given = None;
    let request = Request::Confirm { id: question.id.clone(), accept: true, answer };
    sent(state, question, request, "confirm the answer to", out);
}

/// One answer is on its way: the drawer takes none for this question any more.
fn sent(state: &mut State, question: &QuestionInfo, request: Request, verb: &str, out: &mut Vec<Effect>) {
    if !state.connected {
        return state.say("not sent: there is no connection to the server");
    }
    if let Some(why) = state.agent(&question.agent).and_then(|agent| takes_no_keys(state, agent)) {
        return state.say_until(Until::Works(question.agent.clone()), format!("not sent: {why}"));
    }
    let what = format!("{verb} {}'s question", question.agent);
    let purpose = Purpose::Answer { id: question.id.clone(), what };
    out.push(Effect::Send(state.request(request, Some(purpose))));
    (state.given, state.typed_since) = (Some(question.id.clone()), false);
    state.answer_given(question);
    // Whoever else asks is named at the edge: the person goes there when they want to.
    state.mode = Mode::Panes;
    state.hold();
}
