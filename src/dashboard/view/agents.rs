//! The agents as a list beside the panes, or as a row of tabs where there is no room for one.
//!
//! Who needs the person comes first. Numbers are the agents' own: the digit after the prefix goes there.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::{Modifier, Style};
use ratatui::text::{Line, Span};
use ratatui::widgets::Paragraph;
use unicode_width::UnicodeWidthStr;

use crate::core::agent::Duty;
use crate::dashboard::agents::Agent;
use crate::dashboard::look::Part;
use crate::dashboard::state::{State, needs_person};

use super::text::{fit, pad};
use super::words;

/// Lines above the first agent.
const HEAD: usize = 2;
/// The state's name and the time get what the longest of them need; the name gets the rest.
const STATE_COLS: usize = 8;
const TIME_COLS: usize = 4;
/// From this width on the state has room beside the name.
const WIDE: usize = 26;
/// Of a countdown, where there is room for it.
const BAR_COLS: usize = 5;

/// A line of the list: the agent, or what it asks.
#[derive(Clone, Copy)]
enum Entry<'a> {
    Agent(&'a Agent),
    Question(&'a Agent),
}

/// The lines that fit, around the focused agent.
fn entries(state: &State) -> Vec<Entry<'_>> {
    let mut all = Vec::new();
    let mut focus = 0;
    for agent in state.listed() {
        if state.focus.as_deref() == Some(&agent.info.name) {
            focus = all.len();
        }
        all.push(Entry::Agent(agent));
        if state.question_of(&agent.info.name).is_some() {
            all.push(Entry::Question(agent));
        }
    }
    let room = usize::from(state.regions().list.rows).saturating_sub(HEAD);
    let start = (focus + 2).saturating_sub(room).min(all.len().saturating_sub(room));
    all.into_iter().skip(start).take(room).collect()
}

/// The agent at this place of the list or of the tabs.
pub fn agent_at(state: &State, col: u16, row: u16) -> Option<&Agent> {
    let regions = state.regions();
    if regions.list.contains(col, row) {
        let line = usize::from(row - regions.list.y).checked_sub(HEAD)?;
        let (Entry::Agent(agent) | Entry::Question(agent)) = *entries(state).get(line)?;
        return Some(agent);
    }
    if !regions.tabs.contains(col, row) {
        return None;
    }
    let tab = tabs_shown(state).into_iter().find(|(_, from, to, _)| (*from..*to).contains(&usize::from(col)));
    tab.map(|(agent, ..)| agent)
}

pub fn draw(frame: &mut Frame<'_>, area: Rect, state: &State) {
    if area.width == 0 || area.height == 0 {
        return;
    }
    let cols = usize::from(area.width).saturating_sub(1);
    let name = if state.project.is_empty() { String::new() } else { format!("  {}", state.project) };
    let head = Line::from(vec![
        Span::styled(" counsel", state.look.of(Part::Focus)),
        Span::styled(fit(&name, cols.saturating_sub(8)), state.look.of(Part::Quiet)),
    ]);
    let mut lines = vec![head, Line::default()];
    lines.extend(entries(state).into_iter().map(|entry| match entry {
        Entry::Agent(agent) => agent_line(state, agent, cols),
        Entry::Question(agent) => question_line(state, agent, cols),
    }));
    frame.render_widget(Paragraph::new(lines), area);
}

fn number_cols(state: &State) -> usize {
    if state.agents.iter().any(|agent| agent.number > 9) { 2 } else { 1 }
}

fn agent_line(state: &State, agent: &Agent, cols: usize) -> Line<'static> {
    let look = &state.look;
    let focused = state.focus.as_deref() == Some(&agent.info.name);
    let numbers = number_cols(state);
    let state_cols = if cols + 1 >= WIDE { STATE_COLS + 1 } else { 0 };
    let name_cols = cols.saturating_sub(5 + numbers + state_cols + TIME_COLS);
    let style = look.of(words::part(agent));
    let hidden = state.hidden.contains(&agent.info.name);
    let name_style = match (focused, hidden) {
        (true, _) => look.of(Part::Focus),
        (false, true) => look.of(Part::Quiet),
        (false, false) => Style::new(),
    };
    let flag = match (agent.rang, agent.info.role) {
        (true, _) => "♪",
        (false, Duty::Consultant) => "»",
        (false, Duty::Worker) if hidden => "-",
        (false, Duty::Worker) => " ",
    };
    let doing =
        if state_cols > 0 { format!(" {}", pad(words::doing(agent), STATE_COLS)) } else { String::new() };
    let age = words::age_of(state, agent);
    let dim = if state.out_of_date(&agent.info.name) { Modifier::DIM } else { Modifier::empty() };
    let line = Line::from(vec![
        Span::styled(if focused { "▌" } else { " " }, look.of(Part::Focus)),
        Span::styled(format!("{:>numbers$} ", agent.number), look.of(Part::Quiet)),
        Span::styled(words::mark(agent), style),
        Span::styled(flag, look.of(Part::Quiet)),
        Span::styled(pad(&agent.info.name, name_cols), name_style),
        Span::styled(doing, style),
        Span::styled(format!(" {age:>TIME_COLS$}"), look.of(Part::Quiet)),
    ]);
    line.patch_style(Style::new().add_modifier(dim))
}

fn question_line(state: &State, agent: &Agent, cols: usize) -> Line<'static> {
    let Some(question) = state.question_of(&agent.info.name) else { return Line::default() };
    let look = &state.look;
    let before = number_cols(state) + 2;
    let left = words::countdown(state, question);
    let time = left.map(|left| match cols + 1 >= WIDE {
        true => format!("{} {:>3}", left.bar(BAR_COLS), left.words()),
        false => left.words(),
    });
    let time = time.unwrap_or_default();
    let room = cols.saturating_sub(before + 2 + time.width() + 1);
    // Whose turn it is; where that is the person's, what for.
    let words = match needs_person(question) {
        _ if cols + 1 < WIDE => words::whose(question),
        true => question.prompt.clone(),
        false => words::standing(question),
    };
    let time_style = left.map_or(Style::new(), |left| look.of(left.part()));
    Line::from(vec![
        Span::styled(format!("{}└ ", " ".repeat(before)), look.of(Part::Frame)),
        Span::styled(pad(&words, room), look.of(words::standing_part(question))),
        Span::styled(format!(" {time}"), time_style),
    ])
}

/// The tabs that fit, the focused one among them: where each begins and ends, and its words.
fn tabs_shown(state: &State) -> Vec<(&Agent, usize, usize, String)> {
    let cols = usize::from(state.regions().tabs.cols);
    let all = state.listed();
    let words = |agent: &Agent| format!(" {} {}{} ", agent.number, words::mark(agent), agent.info.name);
    let width = |agent: &Agent| words(agent).width();
    let focus = all.iter().position(|agent| state.focus.as_deref() == Some(&agent.info.name)).unwrap_or(0);
    let mut start = 0;
    while start < focus && all[start..=focus].iter().map(|agent| width(agent)).sum::<usize>() > cols {
        start += 1;
    }
    let mut at = 0;
    let mut shown = Vec::new();
    for agent in all.into_iter().skip(start) {
        let text = fit(&words(agent), cols.saturating_sub(at));
        if text.is_empty() {
            break;
        }
        let end = at + text.width();
        shown.push((agent, at, end, text));
        at = end;
    }
    shown
}

pub fn tabs(frame: &mut Frame<'_>, area: Rect, state: &State) {
    if area.is_empty() {
        return;
    }
    let tab = |(agent, _, _, text): (&Agent, usize, usize, String)| {
        let focused = state.focus.as_deref() == Some(&agent.info.name);
        let style = state.look.of(if focused { Part::Selected } else { words::part(agent) });
        Span::styled(text, style)
    };
    let tabs: Vec<Span<'_>> = tabs_shown(state).into_iter().map(tab).collect();
    frame.render_widget(Paragraph::new(Line::from(tabs)), area);
}
