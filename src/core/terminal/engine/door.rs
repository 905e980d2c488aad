//! The emulator's door: every sequence passes here on its way in.
//!
//! It keeps out what is never shown (titles, colours of the palette, queries: `query_parser.rs` has those),
//! bounds what may pile up in a cell, packs each row before it leaves the screen, and counts what the work costs.
//! It reads no bytes: the emulator's own parser calls it, sequence by sequence (`handler.rs`).

use std::ops::Range;

use alacritty_terminal::event::VoidListener;
use alacritty_terminal::grid::GridCell;
use alacritty_terminal::term::{Term, TermMode};
use alacritty_terminal::vte::ansi::{CharsetIndex, ClearMode, Handler, NamedPrivateMode, PrivateMode};
use unicode_width::UnicodeWidthChar;

use super::cells::{NO_COLOR, RowEnd, line_number, pack_row};
use super::damage::Damage;
use super::extras::Extras;
use crate::core::terminal::grid::Size;
use crate::core::terminal::scrolled::Packer;

/// Combining marks a cell takes; more are left out. The longest in use are the nine behind the first person of a couple.
pub const MARKS: usize = 12;
/// Every character below this one is one column wide; it is none at all.
pub const DELETE: char = '\u{7f}';

/// What is known of all cells of the shown screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fill {
    Unknown,
    /// Nothing was drawn since it was blanked, without a colour.
    Blank,
    /// Nothing was drawn since it was filled with the letter of the alignment test.
    Aligned,
}

/// What the emulator does not tell of its state, as far as the door needs it.
#[derive(Debug)]
pub struct Tracked {
    pub rows: usize,
    pub cols: usize,
    /// Rows that scroll.
    pub region: Range<usize>,
    /// The character REP repeats.
    pub last: Option<char>,
    /// Which of the four sets of characters is written in.
    pub charset: CharsetIndex,
    pub fill: Fill,
    /// Up to which column each row of the shown screen may have been drawn on. Most rows are short, and most of
    /// the work for one that leaves would be to look through its blanks.
    reach: Vec<u16>,
    /// The same for the main screen, while the alternate one is shown.
    main_reach: Option<Vec<u16>>,
    pub extras: Extras,
    /// What of the shown screen has changed.
    pub damage: Damage,
}

impl Tracked {
    pub fn new(size: Size) -> Tracked {
        let (rows, cols) = (usize::from(size.rows), usize::from(size.cols));
        let reach = vec![0; rows];
        let (region, fill, extras, damage) = (0..rows, Fill::Blank, Extras::default(), Damage::all());
        let charset = CharsetIndex::default();
        Tracked { rows, cols, region, last: None, charset, fill, reach, main_reach: None, extras, damage }
    }

    /// The screen has another size, and all its rows scroll again.
    pub fn resize(&mut self, size: Size) {
        let main_reach = self.main_reach.take().map(|_| vec![size.cols; usize::from(size.rows)]);
        let extras = std::mem::take(&mut self.extras);
        let (last, charset, fill) = (self.last, self.charset, Fill::Unknown);
        *self = Tracked { last, charset, fill, main_reach, extras, ..Tracked::new(size) };
        self.reach.fill(size.cols);
    }

    /// Every cell has the letter of the alignment test.
    pub fn aligned(&mut self) {
        self.fill = Fill::Aligned;
        self.reach.fill(self.cols as u16);
        self.damage.add_all();
    }

    /// Everything is as at the beginning.
    pub fn reset(&mut self) {
        self.region = 0..self.rows;
        self.charset = CharsetIndex::default();
        self.fill = Fill::Blank;
        self.reach.fill(0);
        self.main_reach = None;
        self.damage.add_all();
    }
}

pub struct Door<'a> {
    pub term: &'a mut Term<VoidListener>,
    pub tracked: &'a mut Tracked,
    pub packer: &'a mut Packer,
    /// Cells.
    pub spent: usize,
}

impl<'a> Door<'a> {
    pub fn new(
        term: &'a mut Term<VoidListener>,
        tracked: &'a mut Tracked,
        packer: &'a mut Packer,
    ) -> Door<'a> {
        Door { term, tracked, packer, spent: 0 }
    }

    /// REP: the last character again, at most as often as it fits on the screen.
    pub fn repeat(&mut self, count: u16) {
        let Some(last) = self.tracked.last else { return };
        let most = match last.width() {
            Some(0) => MARKS,
            // Each shifts the rest of its row: what a row does not hold has left it.
            _ if self.term.mode().contains(TermMode::INSERT) => self.tracked.cols,
            _ => self.cells(),
        };
        for _ in 0..usize::from(count.max(1)).min(most) {
            self.spent += 1;
            self.input(last);
        }
    }

    pub fn cells(&self) -> usize {
        self.tracked.rows * self.tracked.cols
    }

    pub fn at(&self) -> (usize, usize) {
        let point = self.term.grid().cursor.point;
        (usize::try_from(point.line.0).unwrap_or(0), point.column.0)
    }

    pub fn drawn(&mut self) {
        self.tracked.fill = Fill::Unknown;
    }

    /// What is erased now has no colour.
    pub fn erases_to_nothing(&self) -> bool {
        self.term.grid().cursor.template.bg == NO_COLOR
    }

    /// Erasing, scrolling or shifting would change nothing.
    pub fn stays_blank(&self) -> bool {
        self.tracked.fill == Fill::Blank && self.erases_to_nothing()
    }

    /// All cells are being erased.
    pub fn blanked(&mut self) {
        self.tracked.fill = if self.erases_to_nothing() { Fill::Blank } else { Fill::Unknown };
    }

    /// Rows that scroll off the top of the region go into the history.
    pub fn keeps_rows(&self) -> bool {
        self.tracked.region.start == 0 && self.shows_main()
    }

    /// Packs the top rows of the screen, which are about to leave it.
    pub fn leave(&mut self, rows: usize, end: RowEnd) {
        self.spent += rows * self.tracked.cols;
        for (row, reach) in self.tracked.reach.iter().enumerate().take(rows) {
            pack_row(&self.term.grid()[line_number(row)][..], usize::from(*reach), end, self.packer);
        }
    }

    /// The cursor is about to be moved: up to where it stands its row may have been drawn on.
    pub fn note_reach(&mut self) {
        let cursor = &self.term.grid().cursor;
        let reach = cursor.point.column.0 + usize::from(cursor.input_needs_wrap);
        self.extend_reach(reach);
        self.tracked.damage.add(self.at().0);
    }

    /// The row of the cursor may have been drawn on up to this column.
    pub fn extend_reach(&mut self, cols: usize) {
        let row = self.at().0;
        if let Some(reach) = self.tracked.reach.get_mut(row) {
            *reach = (*reach).max(cols as u16);
        }
    }

    /// Cells of the row of the cursor are being erased.
    pub fn erases_in_row(&mut self) {
        if !self.erases_to_nothing() {
            self.extend_reach(self.tracked.cols);
        }
    }

    /// These rows of the screen are being erased.
    pub fn erases_rows(&mut self, rows: Range<usize>) {
        let reach = if self.erases_to_nothing() { 0 } else { self.tracked.cols as u16 };
        self.tracked.damage.add_rows(rows.clone());
        if let Some(rows) = self.tracked.reach.get_mut(rows) {
            rows.fill(reach);
        }
    }

    /// These rows are moved up by `count`, or erased if that is all of them.
    pub fn moves_up(&mut self, rows: Range<usize>, count: usize) {
        self.note_reach();
        let count = count.min(rows.len());
        if let Some(reach) = self.tracked.reach.get_mut(rows.clone()) {
            reach.rotate_left(count);
        }
        if rows.len() == self.tracked.rows {
            self.tracked.damage.move_up(count);
        } else {
            self.tracked.damage.add_rows(rows.clone());
        }
        self.erases_rows(rows.end - count..rows.end);
    }

    /// These rows are moved down by `count`, or erased if that is all of them.
    pub fn moves_down(&mut self, rows: Range<usize>, count: usize) {
        self.note_reach();
        let count = count.min(rows.len());
        if let Some(reach) = self.tracked.reach.get_mut(rows.clone()) {
            reach.rotate_right(count);
        }
        self.tracked.damage.add_rows(rows.clone());
        self.erases_rows(rows.start..rows.start + count);
    }

    /// Blank rows leave a blank screen, which stays one.
    pub fn leave_blank(&mut self, rows: usize) {
        if self.keeps_rows() {
            self.spent += rows;
            self.packer.blank_rows(rows);
        }
    }

    /// A row's worth of blanks at either end of the region, and all rows between moved.
    pub fn scrolls(&mut self, rows: usize) {
        self.spent += self.tracked.rows + rows * self.tracked.cols;
    }

    /// A line feed is coming.
    pub fn feeds_line(&mut self, end: RowEnd) {
        self.note_reach();
        if self.at().0 + 1 != self.tracked.region.end {
            return;
        }
        self.scrolls(1);
        if self.keeps_rows() {
            if self.tracked.fill == Fill::Blank {
                self.packer.blank_rows(1);
            } else {
                // Only where the row that leaves is the cursor's own has it not been marked yet.
                self.leave(1, if self.tracked.region.end == 1 { end } else { RowEnd::Own });
            }
        }
        self.moves_up(self.tracked.region.clone(), 1);
        if !self.stays_blank() {
            self.drawn();
        }
    }

    /// What is printed next begins a new row.
    pub fn wraps(&mut self, end: RowEnd) {
        if self.term.mode().contains(TermMode::LINE_WRAP) {
            self.drawn();
            // Moved by tabs meanwhile, the cursor is not in the last column, where a row is marked.
            let marked = self.at().1 + 1 == self.tracked.cols;
            self.feeds_line(if marked { end } else { RowEnd::Own });
        }
    }

    /// What is written from now on has this in common with cells that were written before.
    pub fn share_extra(&mut self) {
        let template = &mut self.term.grid_mut().cursor.template;
        if let Some(extra) = template.extra.take() {
            template.extra = Some(self.tracked.extras.shared(extra));
        }
    }

    /// A character that may be of any width, behind the one that was drawn before.
    pub fn input_wide(&mut self, c: char, before: Option<char>) {
        let Some(width) = c.width() else { return };
        if width == 0 {
            if self.takes_mark() {
                self.drawn();
                // At the left edge it goes to a cell the cursor has not passed.
                self.extend_reach(1);
                self.term.input(c);
                self.widens_by(c);
            }
            return;
        }
        if self.joins(c, before) {
            return self.join(c);
        }
        if self.term.grid().cursor.input_needs_wrap {
            self.wraps(RowEnd::Wraps);
        } else if width == 2 && self.at().1 + 1 >= self.tracked.cols {
            self.wraps(RowEnd::WrapsEarly);
        }
        self.drawn();
        self.term.input(c);
    }

    /// Rows of the screen down to the last one that has anything on it.
    fn used_rows(&self) -> usize {
        let used = |row: &usize| self.term.grid()[line_number(*row)][..].iter().any(|cell| !cell.is_empty());
        (0..self.tracked.rows).rev().find(used).map_or(0, |last| last + 1)
    }

    pub fn clear_all(&mut self) {
        self.spent += 2 * self.cells();
        if self.shows_main() {
            let rows = self.used_rows();
            self.note_reach();
            self.leave(rows, RowEnd::Own);
        }
        self.term.grid_mut().reset_region(..);
        self.erases_rows(0..self.tracked.rows);
        self.blanked();
        // There is no history: this but marks the whole screen as changed.
        self.term.clear_screen(ClearMode::Saved);
    }

    pub fn reset_region(&mut self, top: usize, bottom: Option<usize>) {
        let rows = self.tracked.rows;
        let bottom = bottom.unwrap_or(rows);
        // One that has no rows is no region to the emulator.
        if top < bottom {
            self.tracked.region = (top - 1).min(rows)..bottom.min(rows);
        }
    }

    /// Switches a private mode, which may mean another screen.
    pub fn switch(&mut self, mode: PrivateMode, on: bool) {
        self.note_reach();
        if matches!(
            mode,
            PrivateMode::Named(
                NamedPrivateMode::ColumnMode | NamedPrivateMode::SwapScreenAndSetRestoreCursor
            )
        ) {
            self.tracked.damage.add_all();
        }
        let was_main = self.shows_main();
        if on {
            self.term.set_private_mode(mode);
        } else {
            self.term.unset_private_mode(mode);
        }
        match mode {
            PrivateMode::Named(NamedPrivateMode::ColumnMode) => {
                self.spent += self.cells();
                self.reset_region(1, None);
                self.erases_rows(0..self.tracked.rows);
                self.blanked();
            }
            PrivateMode::Named(NamedPrivateMode::SwapScreenAndSetRestoreCursor) => {
                self.spent += self.cells();
                self.drawn();
                match (was_main, self.shows_main()) {
                    (true, false) => {
                        let alternate = vec![self.tracked.cols as u16; self.tracked.rows];
                        self.tracked.main_reach = Some(std::mem::replace(&mut self.tracked.reach, alternate));
                    }
                    (false, true) => {
                        if let Some(main) = self.tracked.main_reach.take() {
                            self.tracked.reach = main;
                        }
                    }
                    _ => {}
                }
            }
            _ => {}
        }
    }

    fn shows_main(&self) -> bool {
        !self.term.mode().contains(TermMode::ALT_SCREEN)
    }
}
