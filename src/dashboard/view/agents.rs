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
use crate::core::keymap::{Action, Context};
use crate::dashboard::agent::Agent;
use crate::dashboard::look::Part;
use crate::dashboard::mode::Mode;
use crate::dashboard::state::{State, needs_person};
use crate::wire::message::Status;

use super::list::{Groups, groups};
use super::status::HINTS;
use super::text::{fit, fit_end, pad};
use super::words;

/// Lines above the first agent.
const HEAD: usize = 2;
/// The state's name and the time get what the longest of them need; the agent's name gets the rest.
const STATE_COLS: usize = 8;
const TIME_COLS: usize = 4;
/// From this width on the state has room beside the name.
const WIDE: usize = 26;
/// With fewer columns than this nothing of a question's words is shown beside whose turn it is.
const WORDS_ROOM: usize = 22;
/// Of a countdown, where there is room for it.
const BAR_COLS: usize = 5;
/// Of the mark for tabs that are left out: a blank, an arrow, a number, a blank.
const OMITTED_COLS: usize = 5;

/// A line of the list: the agent, or what it asks; or how many there is no room for, and how many of them need the
/// person.
#[derive(Clone, Copy)]
enum Entry<'a> {
    Agent(&'a Agent),
    Question(&'a Agent),
    More { mark: &'static str, count: usize, needed: usize },
}

/// The lines that fit, around the focused agent. What an agent asks stands below it or is left out with it.
fn entries(state: &State) -> Vec<Entry<'_>> {
    let listed = state.listed();
    let asks = |agent: &&Agent| state.question_of(&agent.info.name).is_some();
    let heights: Vec<usize> = listed.iter().map(|agent| 1 + usize::from(asks(agent))).collect();
    let focused = |agent: &&Agent| state.focus.as_deref() == Some(&agent.info.name);
    let focus = listed.iter().position(focused).unwrap_or(0);
    let room = usize::from(state.regions().list.rows).saturating_sub(HEAD);
    let Groups { shown, told } = groups(&heights, room, focus);
    let above = more(state, "↑", &listed[..shown.start]).filter(|_| told);
    let below = more(state, "↓", &listed[shown.end..]).filter(|_| told);
    let mut entries: Vec<Entry<'_>> = above.into_iter().collect();
    for agent in &listed[shown] {
        entries.push(Entry::Agent(agent));
        entries.extend(asks(agent).then_some(Entry::Question(agent)));
    }
    entries.extend(below);
    entries
}

/// The line for those that are left out.
fn more<'a>(state: &State, mark: &'static str, agents: &[&'a Agent]) -> Option<Entry<'a>> {
    let of = |agent: &&&Agent| state.needing_person().any(|question| question.agent == agent.info.name);
    let (count, needed) = (agents.len(), agents.iter().filter(of).count());
    (count > 0).then_some(Entry::More { mark, count, needed })
}

/// How many are left out, in as many words as there is room for.
fn more_words(mark: &str, count: usize, needed: usize, cols: usize) -> String {
    let needed = match needed {
        0 => String::new(),
        1 => ", 1 needs you".to_owned(),
        needed => format!(", {needed} need you"),
    };
    let long = format!("  {mark} {count} more{needed}");
    if long.width() <= cols { long } else { fit(&format!("  {mark} {count}{needed}"), cols) }
}

/// The agent at this place of the list or of the tabs.
pub fn agent_at(state: &State, col: u16, row: u16) -> Option<&Agent> {
    let regions = state.regions();
    if regions.list.contains(col, row) {
        let line = usize::from(row - regions.list.y).checked_sub(HEAD)?;
        return match *entries(state).get(line)? {
            Entry::Agent(agent) | Entry::Question(agent) => Some(agent),
            Entry::More { .. } => None,
        };
    }
    if !regions.tabs.contains(col, row) {
        return None;
    }
    let under = |(_, from, to, _): &Tab<'_>| (*from..*to).contains(&usize::from(col));
    Tabs::of(state).shown.into_iter().find(under).map(|(agent, ..)| agent)
}

pub fn draw(frame: &mut Frame<'_>, area: Rect, state: &State) {
    if area.width == 0 || area.height == 0 {
        return;
    }
    let cols = usize::from(area.width).saturating_sub(1);
    let name = if state.project.is_empty() { String::new() } else { format!("  {}", state.project) };
    let page = match state.pages() {
        Some((page, pages)) if cols + 1 >= WIDE => format!(" page {page}/{pages}"),
        Some((page, pages)) => format!(" {page}/{pages}"),
        None => String::new(),
    };
    let room = cols.saturating_sub(8 + page.width());
    let head = Line::from(vec![
        Span::styled(" counsel", state.look.of(Part::Focus)),
        Span::styled(pad(&name, room), state.look.of(Part::Quiet)),
        Span::styled(page, state.look.of(Part::Strong)),
    ]);
    let mut lines = vec![head, Line::default()];
    lines.extend(entries(state).into_iter().map(|entry| match entry {
        Entry::Agent(agent) => agent_line(state, agent, cols),
        Entry::Question(agent) => question_line(state, agent, cols),
        Entry::More { mark, count, needed } => {
            Line::styled(more_words(mark, count, needed, cols), state.look.of(Part::Quiet))
        }
    }));
    let free = usize::from(area.height).saturating_sub(lines.len());
    let hints = hints(state, cols);
    if hints.len() < free {
        lines.resize(lines.len() + free - hints.len(), Line::default());
        lines.extend(hints);
    }
    frame.render_widget(Paragraph::new(lines), area);
}

/// The first keys, while a question has the line where they are otherwise.
fn hints(state: &State, cols: usize) -> Vec<Line<'static>> {
    // A box would leave odd ones of them in view.
    let covered = state.prefix.pending || !matches!(state.mode, Mode::Panes | Mode::Drawer(_));
    if state.questions.is_empty() || covered {
        return Vec::new();
    }
    // The way to all keys stays in that line.
    let named = HINTS.iter().filter(|(action, _)| *action != Action::Help);
    let keys = named.map(|(action, words)| (state.keymap.key(Context::Panes, *action), *words));
    let lines: Vec<String> =
        keys.filter(|(key, _)| !key.is_empty()).map(|(key, words)| format!("   {key} {words}")).collect();
    let head = (!lines.is_empty()).then(|| format!(" {}, then", state.keymap.prefix));
    let quiet = |words: String| Line::styled(fit(&words, cols), state.look.of(Part::Quiet));
    head.into_iter().chain(lines).map(quiet).collect()
}

fn number_cols(state: &State) -> usize {
    let largest = state.agents.iter().map(|agent| agent.number).max().unwrap_or(0);
    largest.to_string().len()
}

/// What the state's name takes beside the agents' names: nothing, where these need the room. The mark says it, too.
fn state_cols(state: &State, cols: usize, room: usize) -> usize {
    let longest = state.agents.iter().map(|agent| agent.info.name.width()).max().unwrap_or(0);
    let fits = cols + 1 >= WIDE && longest <= room.saturating_sub(STATE_COLS + 1);
    if fits { STATE_COLS + 1 } else { 0 }
}

/// Its name; of one that is too long, the part that tells it from the others.
fn name(state: &State, agent: &Agent, cols: usize) -> String {
    let whole = &agent.info.name;
    let cut = fit(whole, cols);
    let alike = |other: &Agent| other.info.name != *whole && fit(&other.info.name, cols) == cut;
    if cut != *whole && state.agents.iter().any(alike) { fit_end(whole, cols) } else { cut }
}

fn agent_line(state: &State, agent: &Agent, cols: usize) -> Line<'static> {
    let look = &state.look;
    let focused = state.focus.as_deref() == Some(&agent.info.name);
    let numbers = number_cols(state);
    let room = cols.saturating_sub(5 + numbers + TIME_COLS);
    let state_cols = state_cols(state, cols, room);
    let name_cols = room.saturating_sub(state_cols);
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
        if state_cols > 0 { format!(" {}", pad(words::doing(agent), state_cols - 1)) } else { String::new() };
    let age = words::age_of(state, agent);
    let dim = if state.out_of_date(&agent.info.name) { Modifier::DIM } else { Modifier::empty() };
    let line = Line::from(vec![
        Span::styled(if focused { "▌" } else { " " }, look.of(Part::Focus)),
        Span::styled(format!("{:>numbers$} ", agent.number), look.of(Part::Quiet)),
        Span::styled(words::mark(agent), style),
        Span::styled(flag, look.of(Part::Quiet)),
        Span::styled(pad(&name(state, agent, name_cols), name_cols), name_style),
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
        true if question.status == Status::Proposed => {
            let (whose, words) = (words::whose(question), format!(" · {}", question.prompt));
            format!("{whose}{}", if room < WORDS_ROOM { "" } else { &words })
        }
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

/// A tab: whose, where it begins and ends, and its words.
type Tab<'a> = (&'a Agent, usize, usize, String);

/// The tabs that fit, the focused one among them, and the agents left out before and behind them.
struct Tabs<'a> {
    before: Vec<&'a Agent>,
    shown: Vec<Tab<'a>>,
    behind: Vec<&'a Agent>,
}

impl<'a> Tabs<'a> {
    fn of(state: &'a State) -> Tabs<'a> {
        let cols = usize::from(state.regions().tabs.cols);
        let all = state.listed();
        let words = |agent: &Agent| format!(" {} {}{} ", agent.number, words::mark(agent), agent.info.name);
        let width = |from: usize, to: usize| all[from..to].iter().map(|a| words(a).width()).sum::<usize>();
        let focused = |agent: &&Agent| state.focus.as_deref() == Some(&agent.info.name);
        let focus = all.iter().position(focused).unwrap_or(0).min(all.len().saturating_sub(1));
        let marks =
            |start: usize, end: usize| OMITTED_COLS * (usize::from(start > 0) + usize::from(end < all.len()));
        let fits = |start: usize, end: usize| width(start, end) + marks(start, end) <= cols;
        let start = (0..focus).find(|start| fits(*start, focus + 1)).unwrap_or(focus);
        let end = (focus + 1..=all.len()).rev().find(|end| fits(start, *end)).unwrap_or(focus + 1);
        let end = end.min(all.len());
        let mut at = if start > 0 { OMITTED_COLS } else { 0 };
        let mut shown = Vec::new();
        for agent in &all[start.min(end)..end] {
            let text = fit(&words(agent), cols.saturating_sub(at));
            shown.push((*agent, at, at + text.width(), text));
            at = shown.last().map_or(at, |(_, _, end, _)| *end);
        }
        Tabs { before: all[..start.min(end)].to_vec(), shown, behind: all[end..].to_vec() }
    }
}

/// How many tabs there is no room for, told as needed where one of them needs the person.
fn omitted(state: &State, agents: &[&Agent], text: String) -> Span<'static> {
    let needed = |agent: &&Agent| state.needing_person().any(|question| question.agent == agent.info.name);
    let part = if agents.iter().any(needed) { Part::Needed } else { Part::Quiet };
    Span::styled(pad(&text, if agents.is_empty() { 0 } else { OMITTED_COLS }), state.look.of(part))
}

pub fn tabs(frame: &mut Frame<'_>, area: Rect, state: &State) {
    if area.is_empty() {
        return;
    }
    let Tabs { before, shown, behind } = Tabs::of(state);
    let tab = |(agent, _, _, text): Tab<'_>| {
        let focused = state.focus.as_deref() == Some(&agent.info.name);
        let style = state.look.of(if focused { Part::Selected } else { words::part(agent) });
        Span::styled(text, style)
    };
    let mut spans = vec![omitted(state, &before, format!(" ‹{}", before.len()))];
    spans.extend(shown.into_iter().map(tab));
    spans.push(omitted(state, &behind, format!(" {}›", behind.len())));
    frame.render_widget(Paragraph::new(Line::from(spans)), area);
}
