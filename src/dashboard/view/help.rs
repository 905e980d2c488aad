//! The help over the panes, and the first screen of somebody who has no agent yet.

use ratatui::Frame;
use ratatui::layout::{Margin, Rect};
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, BorderType, Paragraph};

use crate::dashboard::keymap::ENTRIES;
use crate::dashboard::state::State;

use super::text::{fit, pad};
use super::{middle, theme};

/// Wide enough for the longest entry.
const HELP_COLS: u16 = 74;
const KEY_COLS: usize = 7;

pub fn draw(frame: &mut Frame<'_>, area: Rect, state: &State, top: u16) {
    let keys = ENTRIES.iter().filter(|entry| !entry.key.is_empty());
    let mut lines: Vec<Line> = keys
        .map(|entry| {
            Line::from(vec![
                Span::styled(format!("{:>KEY_COLS$}  ", entry.key), theme::FOCUS),
                Span::raw(fit(entry.long, usize::from(HELP_COLS) - KEY_COLS - 6)),
            ])
        })
        .collect();
    lines.extend([
        Line::from(vec![
            Span::styled(format!("{:>KEY_COLS$}  ", "1-9"), theme::FOCUS),
            Span::raw("focus the agent with that number in the list"),
        ]),
        Line::from(vec![
            Span::styled(format!("{:>KEY_COLS$}  ", "mouse"), theme::FOCUS),
            Span::raw("click focuses, wheel scrolls, dragging a border resizes"),
        ]),
        Line::default(),
        Line::raw("  ◌ starting  ● working  ○ idle  ◆ asking  ‖ paused  ✓ ✗ exited"),
    ]);
    let rows = lines.len() as u16 + 2;
    let place = middle(frame, area, HELP_COLS, rows);
    let title = format!(" after {}, everything else goes to the agent ", state.prefix);
    let block = Block::bordered().border_type(BorderType::Rounded).border_style(theme::FOCUS);
    let block = block.title_top(fit(&title, usize::from(place.width).saturating_sub(2)));
    let block = block.title_bottom(fit(" any key closes ", usize::from(place.width).saturating_sub(2)));
    let last = rows.saturating_sub(place.height);
    frame.render_widget(Paragraph::new(lines).scroll((top.min(last), 0)).block(block), place);
}

pub fn welcome(frame: &mut Frame<'_>, area: Rect, state: &State) {
    let prefix = state.prefix.to_string();
    let lines = [
        (String::new(), "no agent runs yet".to_owned()),
        (String::new(), String::new()),
        (format!("{prefix} c"), "starts one here".to_owned()),
        ("counsel up".to_owned(), "starts those of counsel.toml".to_owned()),
        ("counsel demo".to_owned(), "shows how it works".to_owned()),
        (format!("{prefix} ?"), "shows the keys".to_owned()),
        (format!("{prefix} d"), "leaves".to_owned()),
    ];
    let place = middle(frame, area.inner(Margin::new(1, 1)), 48, lines.len() as u16);
    let line = |(key, words): (String, String)| {
        Line::from(vec![Span::styled(pad(&key, 14), theme::FOCUS), Span::raw(words)])
    };
    frame.render_widget(Paragraph::new(lines.map(line).to_vec()), place);
}
