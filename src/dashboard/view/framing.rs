//! The boxes that lie over the panes: their place, their frame, the keys named on their lower edge.
//!
//! The views call it. It knows nothing of what is in a box.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::Line;
use ratatui::widgets::{Block, BorderType, Clear};

use crate::core::keymap::{Action, Context};
use crate::core::layout::Area;
use crate::dashboard::look::Part;
use crate::dashboard::state::State;

use super::text::{fit, whole_parts};

pub fn rect(area: Area) -> Rect {
    Rect::new(area.x, area.y, area.cols, area.rows)
}

/// A box of at most this size in the middle, emptied; nothing outside `area` is touched.
pub fn middle(frame: &mut Frame<'_>, area: Rect, cols: u16, rows: u16) -> Rect {
    let (cols, rows) = (cols.min(area.width), rows.min(area.height));
    let place = Rect::new(area.x + (area.width - cols) / 2, area.y + (area.height - rows) / 2, cols, rows);
    frame.render_widget(Clear, place);
    place
}

/// What the keys of a box do, for its lower edge, the most important first; what has none is left out.
pub fn key_foot(state: &State, context: Context, named: &[(Action, &str)]) -> String {
    let key = |(action, words): &(Action, &str)| {
        let key = state.keymap.key(context, *action);
        (!key.is_empty()).then(|| format!("{key} {words}"))
    };
    let keys: Vec<String> = named.iter().filter_map(key).collect();
    if keys.is_empty() { String::new() } else { format!(" {} ", keys.join(" · ")) }
}

/// The frame of whatever lies over the panes.
pub fn framed(state: &State, title: &str, foot: &str, cols: u16) -> Block<'static> {
    let room = usize::from(cols).saturating_sub(2);
    let (strong, quiet) = (state.look.over(Part::Strong), state.look.over(Part::Quiet));
    Block::bordered()
        .border_type(BorderType::Rounded)
        .border_style(state.look.of(Part::Focus))
        .title_top(Line::styled(fit(title, room), strong))
        .title_bottom(Line::styled(whole_parts(foot, room), quiet))
}
