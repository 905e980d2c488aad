//! The list of agents: mark, name, state, time in state, and what is asked.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};
use ratatui::widgets::Paragraph;

use crate::core::agent::Duty;
use crate::dashboard::state::{Agent, State};

use super::lines::{age, countdown};
use super::text::{fit, pad};
use super::theme;

/// Lines above the first agent.
pub const LIST_HEAD: usize = 2;
/// The state's name and the time get what the longest of them need; the name gets the rest.
const STATE_COLS: usize = 8;
const TIME_COLS: usize = 4;

/// A line of the list: the agent, or what it asks.
#[derive(Clone, Copy)]
enum Entry {
    Agent(usize),
    Question(usize),
}

/// The lines that fit, around the focused agent.
fn entries(state: &State) -> Vec<Entry> {
    let mut all = Vec::new();
    let mut focus = 0;
    for (i, agent) in state.agents.iter().enumerate() {
        if state.focus.as_deref() == Some(&agent.info.name) {
            focus = all.len();
        }
        all.push(Entry::Agent(i));
        if state.question_of(&agent.info.name).is_some() {
            all.push(Entry::Question(i));
        }
    }
    let room = usize::from(state.regions().list.rows).saturating_sub(LIST_HEAD);
    let start = (focus + 2).saturating_sub(room).min(all.len().saturating_sub(room));
    all.into_iter().skip(start).take(room).collect()
}

/// The agent on this line below the head.
pub fn listed(state: &State, line: usize) -> Option<&Agent> {
    let (Entry::Agent(i) | Entry::Question(i)) = *entries(state).get(line)?;
    state.agents.get(i)
}

pub fn draw(frame: &mut Frame<'_>, area: Rect, state: &State) {
    if area.width == 0 || area.height == 0 {
        return;
    }
    let cols = usize::from(area.width).saturating_sub(1);
    let name = if state.project.is_empty() { String::new() } else { format!("  {}", state.project) };
    let head = Line::from(vec![
        Span::styled(" counsel", theme::FOCUS),
        Span::styled(fit(&name, cols.saturating_sub(8)), theme::DIM),
    ]);
    let mut lines = vec![head, Line::default()];
    for entry in entries(state) {
        lines.push(match entry {
            Entry::Agent(i) => agent_line(state, &state.agents[i], cols),
            Entry::Question(i) => question_line(state, &state.agents[i], cols),
        });
    }
    frame.render_widget(Paragraph::new(lines), area);
}

fn agent_line(state: &State, agent: &Agent, cols: usize) -> Line<'static> {
    let focused = state.focus.as_deref() == Some(&agent.info.name);
    let name_cols = cols.saturating_sub(4 + STATE_COLS + 1 + TIME_COLS);
    let style = theme::state_style(&agent.info);
    let name_style = if focused { theme::FOCUS } else { Style::new() };
    let mark = match (agent.rang, agent.info.role) {
        (true, _) => "♪",
        (false, Duty::Consultant) => "»",
        (false, Duty::Worker) => " ",
    };
    Line::from(vec![
        Span::styled(if focused { "▌" } else { " " }, theme::FOCUS),
        Span::styled(theme::mark(&agent.info), style),
        Span::styled(mark, theme::DIM),
        Span::styled(pad(&agent.info.name, name_cols), name_style),
        Span::raw(" "),
        Span::styled(pad(agent.info.state.name(), STATE_COLS), style),
        Span::styled(format!("{:>TIME_COLS$}", age(state, agent)), theme::DIM),
    ])
}

fn question_line(state: &State, agent: &Agent, cols: usize) -> Line<'static> {
    let Some(question) = state.question_of(&agent.info.name) else { return Line::default() };
    let left = countdown(state, question).unwrap_or_default();
    let room = cols.saturating_sub(4 + left.len() + 1);
    Line::from(vec![
        Span::styled("   └ ", theme::DIM),
        Span::styled(pad(&question.prompt, room.saturating_sub(1)), theme::status_style(question.status)),
        Span::styled(format!(" {left}"), theme::NEEDED),
    ])
}
