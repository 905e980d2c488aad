//! Boxes with one line to type: the command palette, a new agent, and "are you sure".

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, BorderType, Paragraph};
use unicode_width::UnicodeWidthStr;

use crate::dashboard::edit::Edit;
use crate::dashboard::keymap;
use crate::dashboard::state::Sure;

use super::text::{fit, pad};
use super::{middle, theme};

/// Wide enough for the longest command with its description.
const BOX_COLS: u16 = 76;
/// The list scrolls beyond this, so that the box does not hide all panes.
const BOX_ROWS: u16 = 14;

/// The end of the line stays in view while it is typed.
pub fn edit_line(edit: &Edit, cols: usize) -> Line<'static> {
    let (before, after) = edit.parts();
    let mut start = 0;
    while before[start..].width() + 1 > cols && start < before.len() {
        start += before[start..].chars().next().map_or(1, char::len_utf8);
    }
    let room = cols.saturating_sub(before[start..].width() + 1);
    let first = after.chars().next().map_or(" ".to_owned(), String::from);
    let rest = after.get(first.len()..).unwrap_or_default();
    Line::from(vec![
        Span::raw(fit(&before[start..], cols)),
        Span::styled(first, theme::SELECTED),
        Span::raw(fit(rest, room)),
    ])
}

fn boxed(frame: &mut Frame<'_>, area: Rect, title: &str, lines: Vec<Line<'static>>) {
    let place = middle(frame, area, BOX_COLS, (lines.len() as u16 + 2).min(BOX_ROWS));
    let block = Block::bordered().border_type(BorderType::Rounded).border_style(theme::FOCUS);
    let block = block.title_top(fit(title, usize::from(place.width).saturating_sub(2)));
    frame.render_widget(Paragraph::new(lines).block(block), place);
}

pub fn draw(frame: &mut Frame<'_>, area: Rect, edit: &Edit, selected: usize) {
    let cols = usize::from(area.width.min(BOX_COLS)).saturating_sub(2);
    let found = keymap::search(&edit.text);
    let room = usize::from(area.height.min(BOX_ROWS)).saturating_sub(3);
    let start = (selected + 1).saturating_sub(room);
    let mut lines = vec![edit_line(edit, cols)];
    if found.is_empty() {
        lines.push(Line::styled("no command has these words", theme::DIM));
    }
    for (i, entry) in found.iter().enumerate().skip(start).take(room) {
        let words = format!(" {} {} {}", pad(entry.short, 12), pad(entry.key, 6), entry.long);
        lines.push(Line::styled(pad(&words, cols), if i == selected { theme::SELECTED } else { theme::DIM }));
    }
    boxed(frame, area, " commands ", lines);
}

pub fn create(frame: &mut Frame<'_>, area: Rect, edit: &Edit) {
    let cols = usize::from(area.width.min(BOX_COLS)).saturating_sub(2);
    let hint = "COMMAND ARG… or NAME: COMMAND ARG…   Enter starts it here, Esc leaves";
    let lines = vec![edit_line(edit, cols), Line::default(), Line::styled(fit(hint, cols), theme::DIM)];
    boxed(frame, area, " new agent ", lines);
}

pub fn sure(frame: &mut Frame<'_>, area: Rect, sure: &Sure) {
    let words = match sure {
        Sure::Stop(name) => format!(" Stop {name} and everything it started? "),
        Sure::Down => " Stop all agents and the server? ".to_owned(),
    };
    let lines = vec![
        Line::styled(words, theme::BOLD),
        Line::default(),
        Line::from(vec![Span::styled(" y", theme::FOCUS), Span::raw(" stops, any other key does not")]),
    ];
    boxed(frame, area, " sure? ", lines);
}
