//! The form for a new agent, and the one line of text that every box with something to type shows.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use ratatui::widgets::Paragraph;
use unicode_width::UnicodeWidthStr;

use crate::core::keymap::{Action, Context};
use crate::dashboard::edit::Edit;
use crate::dashboard::form::{Field, Form};
use crate::dashboard::look::Part;
use crate::dashboard::state::State;

use super::framing::{framed, key_foot, middle};
use super::text::{fit, fit_end, pad, wrap};

const BOX_COLS: u16 = 72;
/// As wide as the longest field's name and a gap.
const NAME_COLS: usize = 12;

/// The end of the line stays in view while it is typed, with a mark where there is more before it. What is offered is
/// marked as a whole.
pub fn edit_line(state: &State, edit: &Edit, cols: usize) -> Line<'static> {
    if edit.is_offered() {
        return Line::styled(fit(&edit.text, cols), state.look.of(Part::Selected));
    }
    let (before, after) = edit.parts();
    let shown = fit_end(before, cols.saturating_sub(1));
    let room = cols.saturating_sub(shown.width() + 1);
    let first = after.chars().next().map_or(" ".to_owned(), String::from);
    let rest = after.get(first.len()..).unwrap_or_default();
    Line::from(vec![
        Span::raw(shown),
        Span::styled(first, state.look.of(Part::Selected)),
        Span::raw(fit(rest, room)),
    ])
}

/// What stands below the fields: what is wrong, else how to go on with the word, else what the field is for.
fn below(form: &Form, cols: usize) -> Vec<(String, Part)> {
    match (&form.fault, form.offers.is_empty()) {
        (Some((_, what)), _) => {
            wrap(what, cols.saturating_sub(2)).into_iter().map(|line| (line, Part::Failed)).collect()
        }
        (None, false) => {
            let names: Vec<&str> = form
                .offers
                .iter()
                .map(|offer| offer.rsplit('/').find(|part| !part.is_empty()).unwrap_or(offer))
                .collect();
            vec![(fit(&names.join("  "), cols.saturating_sub(2)), Part::Consulting)]
        }
        (None, true) if form.edit(form.at()).is_offered() => {
            vec![("what you type takes its place; left and right go on with it".to_owned(), Part::Quiet)]
        }
        (None, true) => vec![(form.at().hint().to_owned(), Part::Quiet)],
    }
}

pub fn draw(frame: &mut Frame<'_>, area: Rect, state: &State, form: &Form) {
    let cols = usize::from(area.width.min(BOX_COLS)).saturating_sub(2);
    let room = cols.saturating_sub(NAME_COLS + 2);
    let mut lines: Vec<Line<'_>> = Field::ALL
        .into_iter()
        .map(|field| {
            let here = field == form.at();
            let edit = form.edit(field);
            let mut line = match (here, edit.text.is_empty()) {
                (true, _) => edit_line(state, edit, room),
                (false, true) => Line::styled(fit(field.hint(), room), state.look.of(Part::Quiet)),
                (false, false) => Line::raw(fit(&edit.text, room)),
            };
            let part = if here { Part::Focus } else { Part::Quiet };
            line.spans
                .insert(0, Span::styled(format!(" {}", pad(field.name(), NAME_COLS)), state.look.of(part)));
            line
        })
        .collect();
    let mut below: Vec<Line<'_>> = below(form, cols)
        .into_iter()
        .map(|(text, part)| Line::styled(format!(" {}", fit(&text, cols)), state.look.of(part)))
        .collect();
    // Where there is no room for all of it, what is wrong is what one has to see, and where.
    let room = usize::from(area.height).saturating_sub(2);
    let told = form.fault.is_some() || !form.offers.is_empty();
    let least = if told { room.saturating_sub(1) } else { room.saturating_sub(lines.len()) };
    below.truncate(least);
    let shown = lines.len().min(room - below.len());
    let at = Field::ALL.iter().position(|field| *field == form.at()).unwrap_or(0);
    let first = at.saturating_sub(shown / 2).min(lines.len() - shown);
    lines = lines.into_iter().skip(first).take(shown).collect();
    if shown + below.len() < room {
        lines.push(Line::default());
    }
    lines.extend(below);
    let place = middle(frame, area, BOX_COLS, lines.len() as u16 + 2);
    let does =
        key_foot(state, Context::Form, &[(Action::Give, "starts it"), (Action::Complete, "completes")]);
    let leaves = key_foot(state, Context::Form, &[(Action::Close, "leaves")]);
    let [up, down] = [Action::RowUp, Action::RowDown].map(|action| state.keymap.key(Context::Form, action));
    let choose = match up.is_empty() || down.is_empty() {
        true => String::new(),
        false => format!(" {up} and {down} choose "),
    };
    let parts = [does, choose, leaves].into_iter().filter(|part| !part.is_empty());
    let foot = parts.collect::<Vec<_>>().join("·");
    frame.render_widget(Paragraph::new(lines).block(framed(state, " new agent ", &foot, place.width)), place);
}
