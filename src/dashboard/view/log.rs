//! The decision log: a line for each question, or one question step by step.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};
use ratatui::widgets::Paragraph;
use unicode_width::UnicodeWidthStr;

use crate::core::keymap::{Action, Context};
use crate::dashboard::log_view::{Decision, LogView};
use crate::dashboard::look::Part;
use crate::dashboard::state::State;

use super::form::edit_line;
use super::framing::{framed, key_foot, middle};
use super::list::{Window, window};
use super::text::{fit, pad, wrap};
use super::words;

/// Longer lines are hard to read.
const BOX_COLS: u16 = 110;
const AGE_COLS: usize = 4;
const AGENT_COLS: usize = 12;

pub fn draw(frame: &mut Frame<'_>, area: Rect, state: &State, view: &LogView) {
    let place = middle(frame, area, BOX_COLS, area.height);
    let inside = (usize::from(place.width).saturating_sub(2), usize::from(place.height).saturating_sub(2));
    let (title, foot, lines) = match (view.step, view.chosen()) {
        (Some(at), Some(decision)) => {
            let title = format!(" {} · {} of {} ", decision.agent, at.0 + 1, decision.steps.len());
            (title, step_foot(state), step(state, decision, at, inside))
        }
        _ => (" decisions ".into(), list_foot(state, view), list(state, view, inside)),
    };
    frame.render_widget(Paragraph::new(lines).block(framed(state, &title, &foot, place.width)), place);
}

/// What can be done with the list. What is typed searches it, whatever else is bound.
fn list_foot(state: &State, view: &LogView) -> String {
    let open = (Action::Give, "steps through it");
    let close = |words| (Action::Close, words);
    let foot = |named: &[(Action, &str)]| key_foot(state, Context::Log, named);
    let searching = |before: String, after: String| match before.is_empty() {
        true => format!(" type to search ·{after}"),
        false => format!("{before}· type to search ·{after}"),
    };
    match (view.found().is_empty(), &view.decisions, view.search.text.is_empty()) {
        (false, _, true) => searching(foot(&[open]), foot(&[close("leaves")])),
        // With words it takes those back first.
        (false, _, false) => foot(&[open, close("shows all")]),
        // There is none to step through, but perhaps with other words.
        (true, Some(all), false) if !all.is_empty() => searching(String::new(), foot(&[close("shows all")])),
        (true, _, false) => foot(&[close("takes the words back")]),
        (true, ..) => foot(&[close("leaves")]),
    }
}

fn step_foot(state: &State) -> String {
    let key = |action| state.keymap.key(Context::Steps, action);
    let two = |one, other, words| format!("{} and {} {words}", key(one), key(other));
    let steps = two(Action::PreviousStep, Action::NextStep, "step");
    let scrolls = two(Action::RowUp, Action::RowDown, "scroll");
    format!(" {steps} · {scrolls} ·{}", key_foot(state, Context::Steps, &[(Action::Close, "back")]))
}

fn list(state: &State, view: &LogView, (cols, rows): (usize, usize)) -> Vec<Line<'static>> {
    let quiet = |words: String| Line::styled(fit(&format!(" {words}"), cols), state.look.of(Part::Quiet));
    let mut lines = vec![edit_line(state, &view.search, cols)];
    let found = view.found();
    match (&view.decisions, &view.fault) {
        (_, Some(fault)) => lines.push(quiet(fault.clone())),
        (None, None) => lines.push(quiet("the log is being read".into())),
        (Some(all), None) if all.is_empty() => lines.push(quiet("nothing was decided yet".into())),
        (Some(_), None) if found.is_empty() => lines.push(quiet("no decision has these words".into())),
        (Some(_), None) => {}
    }
    let room = rows.saturating_sub(lines.len());
    let Window { above, shown, below } = window(found.len(), room, view.row);
    lines.extend((above > 0).then(|| quiet(format!("↑ {above} more"))));
    let shown = found.into_iter().enumerate().take(shown.end).skip(shown.start);
    lines.extend(shown.map(|(at, decision)| decision_line(state, decision, at == view.row, cols)));
    lines.extend((below > 0).then(|| quiet(format!("↓ {below} more"))));
    lines
}

/// "3m  api  answered SQLite · consultant advisor · Which database …".
fn decision_line(state: &State, decision: &Decision, here: bool, cols: usize) -> Line<'static> {
    let age = words::age((state.now_ms.saturating_sub(decision.settled_ms)) as f64 / 1000.0);
    let head = format!(" {age:>AGE_COLS$} {} ", pad(&decision.agent, AGENT_COLS));
    let ended = match decision.answer.is_empty() {
        true => decision.outcome.clone(),
        false => format!("{} {}", decision.outcome, decision.answer),
    };
    let by = if decision.by.is_empty() { String::new() } else { format!("{} · ", decision.by) };
    let rest = format!("{ended} · {by}");
    let room = cols.saturating_sub(head.width());
    let prompt = words::asked(&decision.prompt, room.saturating_sub(rest.width()));
    let rest = pad(&format!("{rest}{prompt}"), room);
    let (first, second) = match here {
        true => (state.look.of(Part::Selected), state.look.of(Part::Selected)),
        false => (state.look.of(Part::Quiet), Style::new()),
    };
    Line::from(vec![Span::styled(head, first), Span::styled(rest, second)])
}

fn step(
    state: &State,
    decision: &Decision,
    (at, top): (usize, usize),
    (cols, rows): (usize, usize),
) -> Vec<Line<'static>> {
    let Some(step) = decision.steps.get(at) else { return Vec::new() };
    let strong = state.look.of(Part::Strong);
    let mut lines: Vec<Line<'_>> = wrap(&step.what, cols.saturating_sub(2))
        .into_iter()
        .map(|line| Line::styled(format!(" {line}"), strong))
        .collect();
    let after = step.at_ms.saturating_sub(decision.asked_ms) as f64 / 1000.0;
    lines.push(Line::styled(format!(" {after:.1} s after it was asked"), state.look.of(Part::Quiet)));
    lines.push(Line::default());
    let room = rows.saturating_sub(lines.len());
    lines
        .extend(step.text.lines().skip(top).take(room).map(|line| Line::raw(fit(&format!(" {line}"), cols))));
    lines
}
