//! An agent's scrollback in its pane: lines, what is found, what is selected.

use ratatui::Frame;
use ratatui::layout::Rect;
use unicode_width::UnicodeWidthStr;

use crate::core::keymap::{Action, Context};
use crate::core::terminal::grid::Row;
use crate::dashboard::look::Part;
use crate::dashboard::scroll::Scroll;
use crate::dashboard::state::State;

use super::rows::paint;
use super::text::{fit, fit_end};

/// Of a foot with what was searched for: its line number and the way out.
const LEAST_COLS: usize = 40;
/// Less of what was searched for says nothing.
const MIN_QUERY_COLS: usize = 6;

/// The line at the foot of the pane: where one is, what was found, what can be done.
pub fn foot(state: &State, scroll: &Scroll, cols: usize) -> String {
    let found = match (scroll.matches.len(), scroll.match_number()) {
        (0, _) => "nothing".to_owned(),
        (count, Some(at)) => format!("{at} of {count}"),
        (count, None) => format!("{count} found"),
    };
    if let Some(edit) = &scroll.search {
        let (before, after) = edit.parts();
        let found = if edit.text.is_empty() { String::new() } else { format!(" · {found}") };
        // The end stays in view while it is typed.
        let words = fit_end(&format!("{before}▏{after}"), cols.saturating_sub(3 + found.width()));
        return format!(" /{words}{found} ");
    }
    let key = |action| state.keymap.key(Context::Scrollback, action);
    let mut words = vec![format!("line {} of {}", scroll.cursor + 1, scroll.lines.len())];
    let (shown, widest) = scroll.window_columns();
    if widest > shown {
        words.push(format!("columns {}–{} of {widest}", scroll.left + 1, scroll.left + shown));
    }
    if scroll.missing() > 0 {
        words.push(format!("{} to come", scroll.missing()));
    }
    if !scroll.query.is_empty() {
        let (older, newer) = (key(Action::NextMatch), key(Action::PreviousMatch));
        let room = cols.saturating_sub(LEAST_COLS + found.width()).max(MIN_QUERY_COLS);
        words.push(format!("{}: {found}", fit(&scroll.query, room)));
        words.push(format!("{older} {newer} steps"));
    }
    let ways = if scroll.anchor.is_some() {
        vec![format!("{} copies", key(Action::Copy)), format!("{} ends", key(Action::Close))]
    } else {
        words.push(format!("{} searches", key(Action::Search)));
        words.push(format!("{} selects", key(Action::Select)));
        vec![format!("{} leaves", key(Action::Close))]
    };
    // What leads on from here is never what there is no room for.
    let ways = ways.join(" · ");
    let mut text = String::new();
    for words in words {
        // A shorter one behind it may still have room.
        if text.width() + words.width() + ways.width() + 5 <= cols {
            text.push_str(&format!(" {words} ·"));
        }
    }
    format!("{text} {ways} ")
}

pub fn draw(frame: &mut Frame<'_>, inner: Rect, state: &State, scroll: &Scroll) {
    let height = usize::from(inner.height);
    // The window may have been sized for another height than there is now.
    let top = scroll.top.max((scroll.cursor + 1).saturating_sub(height)).min(scroll.cursor);
    let lines = scroll.lines.iter().skip(top).take(height);
    let left = scroll.left;
    let rows: Vec<Row> = lines.map(|line| line.to_row(left.saturating_add(inner.width))).collect();
    paint(frame.buffer_mut(), inner, &rows, left, &state.links);
    let mut mark = |line: usize, from: u16, to: u16, part: Part| {
        let Some(y) = line.checked_sub(top).filter(|y| *y < height) else { return };
        let column = |at: u16| at.saturating_sub(left).min(inner.width);
        let (from, to) = (column(from), column(to));
        let place =
            Rect { x: inner.x + from, y: inner.y + y as u16, width: to.saturating_sub(from), height: 1 };
        frame.buffer_mut().set_style(place, state.look.of(part));
    };
    for found in &scroll.matches {
        for piece in &found.pieces {
            mark(piece.line, piece.from, piece.to, Part::Match);
        }
    }
    match scroll.columns() {
        Some((from, to)) => scroll.selection().for_each(|line| mark(line, from, to, Part::Selected)),
        None => scroll
            .selection()
            .for_each(|line| mark(line, left, left.saturating_add(inner.width), Part::Selected)),
    }
    // What was found stays visible under the cursor.
    if scroll.anchor.is_none() {
        let here = scroll.matches.iter().flat_map(|found| &found.pieces).filter(|p| p.line == scroll.cursor);
        here.for_each(|piece| mark(piece.line, piece.from, piece.to, Part::Urgent));
    }
}
