//! After the prefix: every key and what it does, in columns at the lower edge.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use ratatui::widgets::{Clear, Paragraph};
use unicode_width::UnicodeWidthStr;

use crate::core::keymap::{Action, Context, entries};
use crate::dashboard::look::Part;
use crate::dashboard::state::State;

use super::framing::framed;
use super::text::{fit, pad};

/// Narrower columns would cut the names.
const COL_COLS: usize = 19;
const KEY_COLS: usize = 5;

pub fn draw(frame: &mut Frame<'_>, state: &State) {
    let area = frame.area();
    let mut keys: Vec<(String, String)> = entries(Context::Panes)
        .map(|entry| (state.keymap.keys(Context::Panes, entry.action), entry.name.replace('-', " ")))
        .filter(|(keys, _)| !keys.is_empty())
        .collect();
    keys.push(("1-9".into(), "agent".into()));
    keys.push((state.keymap.prefix.to_string(), "types it".into()));
    let room = usize::from(area.width).saturating_sub(2);
    let columns = (room / COL_COLS).max(1);
    let rows = keys.len().div_ceil(columns).min(usize::from(area.height).saturating_sub(3));
    let line = |row: usize| {
        let cell = |column: usize| {
            let Some((key, name)) = keys.get(column * rows + row) else { return Vec::new() };
            let key = format!("{key:>KEY_COLS$}");
            let name = pad(&format!(" {name}"), (room / columns).saturating_sub(key.width()));
            vec![Span::styled(key, state.look.of(Part::Focus)), Span::raw(name)]
        };
        Line::from((0..columns).flat_map(cell).collect::<Vec<Span<'_>>>())
    };
    let lines: Vec<Line<'_>> = (0..rows).map(line).collect();
    let height = (rows as u16 + 2).min(area.height);
    let place = Rect { y: area.height - height, height, ..area };
    let palette = state.keymap.key(Context::Panes, Action::Palette);
    let foot = if palette.is_empty() {
        String::new()
    } else {
        format!(" {palette} finds every command · esc takes it back ")
    };
    let title = format!(" {} and then ", state.keymap.prefix);
    frame.render_widget(Clear, place);
    let block = framed(state, &fit(&title, room), &foot, place.width);
    frame.render_widget(Paragraph::new(lines).block(block), place);
}
