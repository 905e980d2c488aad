//! Pictures of an agent as the bytes that bring the outer terminal from one to the next.
//!
//! `attach` feeds it. Every byte is made here from cells, so nothing an agent printed gets past it; rows
//! that did not change are not written again.

mod echo;

use std::collections::BTreeSet;
use std::fmt::Write;
use std::sync::Arc;

use crate::core::terminal::features::Features;
use crate::core::terminal::grid::{Cell, Cursor, Grid, Link, Row, Size, Style, Width};
use crate::core::terminal::keys::Input;
use crate::core::terminal::link;
use crate::core::terminal::modes::Modes;
use crate::core::terminal::part;
use crate::core::terminal::picture::Picture;
use crate::core::terminal::repaint::sgr;

use echo::{Outer, Span};

/// Kitty keyboard flags an agent may turn on in the outer terminal: releases, and all keys as escapes.
/// The first one, telling escape codes apart, is always on.
const MIRRORED_KITTY: u8 = 0b1010;

/// What the outer terminal shows now.
#[derive(Debug)]
pub struct Painter {
    outer: Size,
    grid: Grid,
    /// Column and row of the grid in the outer terminal's upper left corner.
    corner: (u16, u16),
    modes: Option<Modes>,
    title: String,
    /// The outer terminal speaks the kitty keyboard protocol.
    kitty: bool,
    features: Features,
    /// The links it was ever told of: each keeps its number.
    links: Vec<Arc<Link>>,
    /// A line over the last row.
    notice: Option<String>,
    /// What the outer terminal does not show yet.
    unpainted: Unpainted,
    /// Its cursor, where it is known to be seen.
    cursor: Option<Cursor>,
}

/// What the next frame has to write.
#[derive(Debug, Default)]
struct Unpainted {
    /// Sequences that switch modes.
    modes: String,
    rows: BTreeSet<usize>,
    /// Everything, on a cleared screen.
    all: bool,
    cursor: bool,
    /// All that has changed in the one row.
    span: Option<Span>,
}

impl Painter {
    pub fn new(outer: Size, kitty: bool) -> Painter {
        Painter {
            outer,
            grid: Grid::default(),
            corner: (0, 0),
            modes: None,
            title: String::new(),
            kitty,
            features: Features::default(),
            links: Vec::new(),
            notice: None,
            unpainted: Unpainted::default(),
            cursor: None,
        }
    }

    /// For an outer terminal that cannot show everything.
    pub fn limited(self, features: Features) -> Painter {
        Painter { features, ..self }
    }

    /// Another size of the outer terminal: all is drawn anew.
    pub fn resize(&mut self, outer: Size) {
        self.outer = outer;
        self.unpainted.all = true;
    }

    /// The outer terminal speaks the kitty keyboard protocol; what the agent asks for is mirrored anew.
    pub fn speaks_kitty(&mut self) {
        self.kitty = true;
        if let Some(modes) = self.modes.filter(|modes| modes.kitty & MIRRORED_KITTY != 0) {
            let _ = write!(self.unpainted.modes, "\x1b[={};1u", 1 | (modes.kitty & MIRRORED_KITTY));
        }
    }

    /// The outer terminal was somebody else's: it has none of the modes that the agent asked for, and shows nothing of it.
    pub fn begin_anew(&mut self) {
        self.cursor = None;
        if let Some(modes) = self.modes.take() {
            self.unpainted.modes = self.switch(modes);
        }
        self.unpainted.all = true;
    }

    /// The title that was asked for last.
    pub fn title(&self) -> &str {
        &self.title
    }

    /// Whether nothing was painted yet.
    pub fn is_blank(&self) -> bool {
        self.grid.rows.is_empty()
    }

    /// The input as the agent's screen has it; none for a mouse beside that, where it is smaller than the outer terminal.
    pub fn on_screen(&self, input: Input) -> Option<Input> {
        let Input::Mouse(mut mouse) = input else { return Some(input) };
        let (cols, rows) = self.grid.size;
        mouse.row = mouse.row.saturating_add(self.corner.1);
        mouse.col = mouse.col.saturating_add(self.corner.0);
        (mouse.row < rows && mouse.col < cols).then_some(Input::Mouse(mouse))
    }

    /// Puts a line over the last row, or takes it away.
    pub fn set_notice(&mut self, notice: Option<String>) {
        self.unpainted.all |= self.notice != notice;
        self.notice = notice;
    }

    /// The agent's title, if it differs from the one last asked for.
    pub fn take_title(&mut self, picture: &Picture) -> Option<String> {
        (self.title != picture.title).then(|| {
            self.title.clone_from(&picture.title);
            picture.title.clone()
        })
    }

    /// Takes a picture; the next frame shows it.
    pub fn apply(&mut self, picture: &Picture) {
        let (size, cursor) = (self.grid.size, self.grid.cursor);
        let before = self.one_row(picture);
        picture.apply(&mut self.grid);
        self.unpainted.span =
            before.and_then(|(row, before)| Span::of(row, &before, self.grid.rows.get(row)?));
        let modes = self.switch(picture.modes);
        self.unpainted.modes.push_str(&modes);
        self.unpainted.all |= self.grid.size != size;
        self.unpainted.cursor |= self.grid.cursor != cursor;
        self.unpainted.rows.extend(picture.rows.iter().map(|(row, _)| usize::from(*row)));
    }

    /// Whether there may be something to write.
    pub fn is_due(&self) -> bool {
        let Unpainted { modes, rows, all, cursor, .. } = &self.unpainted;
        *all || *cursor || !rows.is_empty() || !modes.is_empty()
    }

    /// What brings the outer terminal up to date, as one synchronized update; `None`: it is.
    pub fn frame(&mut self) -> Option<String> {
        if let Some(echo) = self.echo() {
            (self.unpainted, self.cursor) = (Unpainted::default(), self.outer_cursor());
            return Some(echo);
        }
        let Unpainted { modes, mut rows, mut all, cursor, .. } = std::mem::take(&mut self.unpainted);
        let corner = self.next_corner();
        all |= std::mem::replace(&mut self.corner, corner) != corner;
        if !all && !cursor && rows.is_empty() {
            return (!modes.is_empty()).then_some(modes);
        }
        let mut out = modes;
        out.push_str("\x1b[?2026h\x1b[?25l\x1b[m");
        if all {
            out.push_str("\x1b[2J");
            rows.extend(0..self.grid.rows.len());
        }
        let (left, top) = (usize::from(corner.0), usize::from(corner.1));
        let shown = top..top + usize::from(self.outer.rows);
        for number in rows.into_iter().filter(|number| shown.contains(number)) {
            if let Some(row) = self.grid.rows.get(number) {
                number_links(&mut self.links, row);
                self.row(number - top, row.cells.get(left..).unwrap_or_default(), &mut out);
            }
        }
        if let Some(notice) = &self.notice {
            let text: String = notice.chars().filter(|c| !c.is_control()).collect();
            let text: String = text.chars().take(usize::from(self.outer.cols)).collect();
            let _ = write!(out, "\x1b[{};1H\x1b[7m{text}\x1b[m\x1b[K", self.outer.rows);
        }
        let at = self.outer_cursor();
        if let Some(at) = at {
            let _ = write!(out, "\x1b[{} q\x1b[{};{}H", at.shape, at.row + 1, at.col + 1);
        }
        self.cursor = at.filter(|at| at.visible);
        out.push_str(if self.cursor.is_some() { "\x1b[?25h\x1b[?2026l" } else { "\x1b[?2026l" });
        Some(out)
    }

    /// The row that alone is changed by this picture, with nothing else to be painted.
    fn one_row(&self, picture: &Picture) -> Option<(usize, Row)> {
        let [(row, _)] = picture.rows[..] else { return None };
        let row = usize::from(row);
        if self.is_due() { None } else { Some((row, self.grid.rows.get(row)?.clone())) }
    }

    /// All there is to paint, if that is what a key has made.
    fn echo(&self) -> Option<String> {
        let Unpainted { modes, all: false, span: Some(span), .. } = &self.unpainted else { return None };
        let (size, corner, features) = (self.outer, self.corner, self.features);
        let (cursor, wanted) = (self.cursor?, self.outer_cursor()?);
        let alone = modes.is_empty() && self.notice.is_none() && corner == self.next_corner();
        if alone { span.echo(&Outer { size, corner, features, cursor, wanted }) } else { None }
    }

    /// The agent's cursor as the outer terminal has it; `None`: it is not in what is shown.
    fn outer_cursor(&self) -> Option<Cursor> {
        let at = self.grid.cursor;
        let (row, col) = (at.row.checked_sub(self.corner.1)?, at.col.checked_sub(self.corner.0)?);
        let inside = row < self.outer.rows && col < self.outer.cols;
        inside.then(|| Cursor { row, col, shape: at.shape.min(6), ..at })
    }

    fn next_corner(&self) -> (u16, u16) {
        part::corner(&self.grid, self.outer)
    }

    fn row(&self, number: usize, cells: &[Cell], out: &mut String) {
        let cols = usize::from(self.outer.cols);
        let _ = write!(out, "\x1b[{};1H", number + 1);
        let (mut style, mut sure, mut linked) = (Style::default(), true, None);
        // The rest of the line is erased, not written, so that the last column never wraps.
        let used = cells.iter().rposition(|cell| cell.ch != ' ' || cell.style != Style::default());
        let used =
            used.map_or(0, |last| last + if cells[last].width == Width::Two { 2 } else { 1 }).min(cols);
        for (col, cell) in cells.iter().enumerate().take(used) {
            // Half of a character that begins beyond the left edge is a blank.
            if cell.width == Width::Spacer && col > 0 {
                continue;
            }
            if !sure {
                let _ = write!(out, "\x1b[{}G", col + 1);
            }
            if cell.style != style {
                out.push_str(&sgr(self.features.style(cell.style)));
                style = cell.style;
            }
            let link = cell.link().filter(|_| self.features.links);
            if link != linked {
                out.push_str(&self.link(link));
                linked = link;
            }
            let cut = cell.width == Width::Two && col + 1 >= cols;
            if cut || cell.ch.is_control() || cell.width == Width::Spacer {
                out.push(' ');
            } else {
                if cell.width == Width::Two && !cell.marks().is_empty() {
                    // A terminal that gives a picture of several characters one column leaves what stood in the second.
                    let _ = write!(out, "  \x1b[{}G", col + 1);
                }
                cell.push_to(out);
            }
            // The outer terminal may think otherwise about the width of all but the plainest characters.
            sure = cell.ch.is_ascii() && cell.marks().is_empty();
        }
        if linked.is_some() {
            out.push_str(&self.link(None));
        }
        out.push_str("\x1b[m");
        if used < cols {
            let _ = write!(out, "\x1b[{}G\x1b[K", used + 1);
        }
    }

    fn link(&self, link: Option<&Arc<Link>>) -> String {
        let number = |link: &Arc<Link>| self.links.iter().position(|known| known == link).unwrap_or(0) as u16;
        link::sequence(link.map(|link| (&**link, number(link))))
    }

    /// Modes the outer terminal has to have so that the agent gets what it asked for.
    fn switch(&mut self, modes: Modes) -> String {
        let mut out = String::new();
        let before = self.modes.replace(modes);
        let wheel = |modes: Modes| modes.alternate_screen && modes.alternate_scroll && !modes.mouse_click;
        let pairs = [
            (before.map(|m| m.mouse_click), modes.mouse_click, "1000"),
            (before.map(|m| m.mouse_drag), modes.mouse_drag, "1002"),
            (before.map(|m| m.mouse_motion), modes.mouse_motion, "1003"),
            (before.map(|m| m.mouse_click), modes.mouse_click, "1006"),
            (before.map(wheel), wheel(modes), "1007"),
        ];
        // Off before on: turning one mouse mode off turns the others off in some terminals.
        for wanted in [false, true] {
            for (was, is, number) in pairs.iter().filter(|(was, is, _)| *was != Some(*is) && *is == wanted) {
                let _ = (was, write!(out, "\x1b[?{number}{}", if *is { 'h' } else { 'l' }));
            }
        }
        let mirrored = |modes: Modes| modes.kitty & MIRRORED_KITTY;
        if self.kitty && before.map_or(0, mirrored) != mirrored(modes) {
            let _ = write!(out, "\x1b[={};1u", 1 | mirrored(modes));
        }
        out
    }
}

/// Links of which the numbers are kept; after so many they begin anew, and old ones come to share a number.
const MOST_LINKS: usize = 4096;

/// Gives the links of a row their numbers.
fn number_links(links: &mut Vec<Arc<Link>>, row: &Row) {
    for link in row.cells.iter().filter_map(|cell| cell.link()) {
        if !links.contains(link) {
            if links.len() == MOST_LINKS {
                links.clear();
            }
            links.push(link.clone());
        }
    }
}

#[cfg(test)]
#[path = "paint_tests.rs"]
mod tests;
