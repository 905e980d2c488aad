//! After the prefix: every key and what it does, in columns at the lower edge; below them those that count without it,
//! where something is open.
//!
//! What has no room stands on further pages. The views and `update.rs` ask it.

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

/// The narrowest column: what stands in line with its neighbours is found sooner.
const COL_COLS: usize = 19;
const KEY_COLS: usize = 5;
/// The border, and a line of what it lies over.
const AROUND: u16 = 3;
/// A heading with fewer lines below it belongs on the next page.
const LEAST_BELOW: usize = 2;

/// A key and what it does.
type Keys = (String, String);

/// Of the keys of an action those that leave room for its name, at least one.
fn keys(state: &State, context: Context) -> Vec<Keys> {
    let short = |entry: &crate::core::keymap::Entry| {
        let name = entry.name.replace('-', " ");
        let all = state.keymap.keys(context, entry.action);
        let room = COL_COLS.saturating_sub(1 + name.width());
        let keys = all.split(' ').fold(String::new(), |shown, key| match shown.is_empty() {
            true => key.to_owned(),
            false if shown.width() + 1 + key.width() <= room => format!("{shown} {key}"),
            false => shown,
        });
        (!keys.is_empty()).then_some((keys, name))
    };
    entries(context).filter_map(short).collect()
}

/// What counts after the prefix, and what counts without it, below its heading.
fn blocks(state: &State) -> Vec<(Option<String>, Vec<Keys>)> {
    let mut after = keys(state, Context::Panes);
    after.push(("1-9".into(), "agent".into()));
    after.push((state.keymap.prefix.to_string(), "types it".into()));
    let mut blocks = vec![(None, after)];
    if let Some(context) = state.mode.context() {
        let heading = format!(" in {}, without {}: ", context.place(), state.keymap.prefix);
        let mut here = keys(state, context);
        if context == Context::Questions {
            here.push(("1-9".into(), "option".into()));
        }
        blocks.push((Some(heading), here));
    }
    blocks
}

/// The lines of each page.
fn contents(state: &State) -> Vec<Vec<Line<'static>>> {
    let (cols, rows) = state.size;
    let room = usize::from(cols).saturating_sub(2);
    let rows = usize::from(rows.saturating_sub(AROUND)).max(1);
    let mut pages: Vec<Vec<Line<'static>>> = vec![Vec::new()];
    for (heading, all) in blocks(state) {
        let mut rest = &all[..];
        let widest = all.iter().map(width).max();
        let mut columns = (room / widest.unwrap_or(0).max(COL_COLS)).max(1);
        if let Some(heading) = heading {
            let heading = Line::styled(fit(&heading, room), state.look.over(Part::Strong));
            match pages.last_mut().filter(|page| page.len() + LEAST_BELOW < rows) {
                Some(page) => page.push(heading),
                None => pages.push(vec![heading]),
            }
        }
        while !rest.is_empty() {
            if pages.last().is_none_or(|page| page.len() == rows) {
                pages.push(Vec::new());
            }
            let Some(page) = pages.last_mut() else { break };
            let (some, later) = loop {
                let (some, later) = rest.split_at(rest.len().min((rows - page.len()) * columns));
                if columns == 1 || !touch(some, some.len().div_ceil(columns), room / columns) {
                    break (some, later);
                }
                columns -= 1;
            };
            let height = some.len().div_ceil(columns);
            page.extend((0..height).map(|row| line(state, some, (row, height), room / columns)));
            rest = later;
        }
    }
    pages
}

/// Columns of a key and its name.
fn width((key, name): &Keys) -> usize {
    key.width().max(KEY_COLS) + 1 + name.width()
}

/// Whether a name ends where the key in the column beside it begins.
fn touch(keys: &[Keys], height: usize, cols: usize) -> bool {
    let begins = |(key, _): &Keys| key.width() >= KEY_COLS;
    keys.iter().enumerate().any(|(at, one)| width(one) >= cols && keys.get(at + height).is_some_and(begins))
}

/// One line of a block that goes down its columns.
fn line(state: &State, keys: &[Keys], (row, height): (usize, usize), cols: usize) -> Line<'static> {
    let cell = |(key, name): &Keys| {
        let key = format!("{key:>KEY_COLS$}");
        let name = pad(&format!(" {name}"), cols.saturating_sub(key.width()));
        [Span::styled(key, state.look.of(Part::Focus)), Span::raw(name)]
    };
    Line::from(keys.iter().skip(row).step_by(height).flat_map(cell).collect::<Vec<Span<'_>>>())
}

/// How many pages there are.
pub fn pages(state: &State) -> usize {
    contents(state).len()
}

pub fn draw(frame: &mut Frame<'_>, state: &State) {
    let area = frame.area();
    let room = usize::from(area.width).saturating_sub(2);
    let mut pages = contents(state);
    let count = pages.len();
    let lines = pages.swap_remove(state.prefix.page % count);
    let height = (lines.len() as u16 + 2).min(area.height);
    let place = Rect { y: area.height - height, height, ..area };
    let palette = state.keymap.key(Context::Panes, Action::Palette);
    let mut foot: Vec<String> = Vec::new();
    if count > 1 {
        foot.push(format!("{} of {count}, pagedown turns", state.prefix.page % count + 1));
    }
    if !palette.is_empty() {
        foot.push(format!("{palette} finds every command"));
        foot.push("esc takes it back".to_owned());
    }
    let foot = if foot.is_empty() { String::new() } else { format!(" {} ", foot.join(" · ")) };
    let title = format!(" {} and then ", state.keymap.prefix);
    frame.render_widget(Clear, place);
    let block = framed(state, &fit(&title, room), &foot, place.width);
    frame.render_widget(Paragraph::new(lines).block(block), place);
}
