//! The bottom line: what needs a person, else news, else where one is and how to get help.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use ratatui::widgets::Paragraph;
use unicode_width::UnicodeWidthStr;

use crate::core::question::State as AgentState;
use crate::dashboard::keymap::ENTRIES;
use crate::dashboard::state::State;

use super::text::{fit, pad};
use super::theme;

pub fn draw(frame: &mut Frame<'_>, area: Rect, state: &State) {
    if area.is_empty() {
        return;
    }
    let cols = usize::from(area.width);
    let line = if state.prefix_pending {
        let keys = ENTRIES.iter().filter(|e| !e.key.is_empty()).map(|e| format!("{} {}", e.key, e.short));
        let keys: Vec<String> = keys.collect();
        Line::styled(pad(&format!(" {}: {}", state.prefix, keys.join("  ")), cols), theme::SELECTED)
    } else if !state.connected {
        let words = " no connection to the server; trying again, the agents go on ";
        Line::styled(pad(words, cols), theme::WARNING)
    } else if state.broadcast {
        let names = state.targets().join(", ");
        let words = format!(" BROADCAST: what you type goes to {names}; {} b ends it ", state.prefix);
        Line::styled(pad(&words, cols), theme::WARNING)
    } else {
        usual(state, cols)
    };
    frame.render_widget(Paragraph::new(line), area);
}

fn usual(state: &State, cols: usize) -> Line<'static> {
    let help = format!(" {} ? help ", state.prefix);
    let room = cols.saturating_sub(help.width());
    let (words, style) = match (&state.note, state.needing_person().next()) {
        (Some(note), _) => (format!(" {}", note.text), theme::BOLD),
        (None, Some(question)) => {
            let more = match state.needing_person().count() {
                1 => String::new(),
                n => format!(" (+{} more)", n - 1),
            };
            let key = format!("{} a", state.prefix);
            (format!(" ! {} needs you{more}: {}  {key} ", question.agent, question.prompt), theme::NEEDED)
        }
        (None, None) => (counts(state), theme::DIM),
    };
    Line::from(vec![
        Span::styled(pad(&fit(&words, room), room), style),
        Span::styled(fit(&help, cols), theme::DIM),
    ])
}

fn counts(state: &State) -> String {
    let layout = state.layouts.get(state.layout).map_or("", |layout| layout.name.as_str());
    let layout = if state.zoomed { "zoom" } else { layout };
    let states =
        [AgentState::Working, AgentState::Asking, AgentState::Idle, AgentState::Paused, AgentState::Exited];
    let mut words = format!(" {layout} · {} agents", state.agents.len());
    for agent_state in states {
        match state.count(agent_state) {
            0 => {}
            count => words.push_str(&format!(" · {count} {}", agent_state.name())),
        }
    }
    let shown = state.page().len();
    if shown < state.agents.len() {
        words.push_str(&format!(" · {shown} shown"));
    }
    words
}
