//! Each sequence as the emulator's parser hands it to the door, and what the door does before the emulator has it.
//!
//! Counts are clamped to the screen here, and what would change nothing goes no further.

use alacritty_terminal::term::TermMode;
use alacritty_terminal::vte::ansi::{
    Attr, CharsetIndex, ClearMode, CursorShape, CursorStyle, Handler, Hyperlink, LineClearMode, Mode,
    PrivateMode, StandardCharset, TabulationClearMode,
};

use crate::core::terminal::link;

use super::cells::{BLINK, RowEnd};
use super::door::{DELETE, Door, Fill};

impl Handler for Door<'_> {
    fn input(&mut self, c: char) {
        let before = self.tracked.last.replace(c);
        if c >= DELETE {
            self.input_wide(c, before);
        } else {
            if self.term.grid().cursor.input_needs_wrap {
                self.wraps(RowEnd::Wraps);
            }
            self.drawn();
            self.term.input(c);
        }
        if self.term.mode().contains(TermMode::INSERT) {
            // It shifted the rest of its row.
            self.spent += self.tracked.cols;
            self.extend_reach(self.tracked.cols);
        }
    }

    fn linefeed(&mut self) {
        self.feeds_line(RowEnd::Own);
        self.term.linefeed();
    }

    fn reverse_index(&mut self) {
        self.note_reach();
        if self.at().0 == self.tracked.region.start {
            self.scrolls(1);
            self.moves_down(self.tracked.region.clone(), 1);
            if !self.stays_blank() {
                self.drawn();
            }
        }
        self.term.reverse_index();
    }

    fn put_tab(&mut self, count: u16) {
        if self.term.grid().cursor.input_needs_wrap {
            self.wraps(RowEnd::Wraps);
        }
        self.spent += self.tracked.cols;
        self.drawn();
        self.term.put_tab(count);
    }

    fn move_forward_tabs(&mut self, count: u16) {
        self.note_reach();
        self.spent += self.tracked.cols;
        self.term.move_forward_tabs(count);
    }

    fn move_backward_tabs(&mut self, count: u16) {
        self.note_reach();
        // Where no stop is left of the cursor, each would search the whole row again.
        for _ in 0..count {
            let before = self.at().1;
            self.spent += before;
            self.term.move_backward_tabs(1);
            if self.at().1 == before {
                break;
            }
        }
    }

    fn scroll_up(&mut self, rows: usize) {
        let rows = rows.min(self.tracked.region.len());
        if self.stays_blank() {
            return self.leave_blank(rows);
        }
        self.scrolls(rows);
        self.note_reach();
        if self.keeps_rows() {
            self.leave(rows, RowEnd::Own);
        }
        self.moves_up(self.tracked.region.clone(), rows);
        self.drawn();
        if rows == self.tracked.rows {
            self.blanked();
        }
        self.term.scroll_up(rows);
    }

    fn scroll_down(&mut self, rows: usize) {
        if !self.stays_blank() {
            let rows = rows.min(self.tracked.region.len());
            self.scrolls(rows);
            self.drawn();
            self.moves_down(self.tracked.region.clone(), rows);
            self.term.scroll_down(rows);
        }
    }

    fn insert_blank_lines(&mut self, rows: usize) {
        if !self.stays_blank() {
            let rows = rows.min(self.tracked.rows);
            self.scrolls(rows);
            self.drawn();
            let (line, region) = (self.at().0, self.tracked.region.clone());
            if region.contains(&line) {
                self.moves_down(line..region.end, rows);
            }
            self.term.insert_blank_lines(rows);
        }
    }

    fn delete_lines(&mut self, rows: usize) {
        let (line, _) = self.at();
        let rows = rows.min(self.tracked.rows - line).min(self.tracked.region.len());
        // Deleted at the top of the screen, they scroll off it.
        let leave = line == 0 && self.tracked.region.start == 0;
        if self.stays_blank() {
            return self.leave_blank(if leave { rows } else { 0 });
        }
        self.scrolls(rows);
        self.note_reach();
        if leave && self.keeps_rows() {
            self.leave(rows, RowEnd::Own);
        }
        if self.tracked.region.contains(&line) {
            self.moves_up(line..self.tracked.region.end, rows);
        }
        self.drawn();
        self.term.delete_lines(rows);
    }

    fn insert_blank(&mut self, count: usize) {
        if !self.stays_blank() {
            self.spent += self.tracked.cols;
            self.drawn();
            self.extend_reach(self.tracked.cols);
            self.term.insert_blank(count);
        }
    }

    fn delete_chars(&mut self, count: usize) {
        if !self.stays_blank() {
            self.spent += self.tracked.cols;
            self.drawn();
            self.erases_in_row();
            self.term.delete_chars(count);
        }
    }

    fn erase_chars(&mut self, count: usize) {
        if !self.stays_blank() {
            self.spent += self.tracked.cols;
            self.drawn();
            self.erases_in_row();
            self.term.erase_chars(count);
        }
    }

    fn clear_line(&mut self, mode: LineClearMode) {
        if !self.stays_blank() {
            self.spent += self.tracked.cols;
            self.drawn();
            self.erases_in_row();
            self.term.clear_line(mode);
        }
    }

    fn clear_screen(&mut self, mode: ClearMode) {
        match mode {
            ClearMode::Saved => self.packer.forget(),
            _ if self.stays_blank() => {}
            ClearMode::All => self.clear_all(),
            ClearMode::Above | ClearMode::Below => {
                self.spent += self.cells();
                self.tracked.damage.add_all();
                self.erases_in_row();
                let (below, rows) = (self.at().0 + 1, self.tracked.rows);
                match mode {
                    ClearMode::Below => self.erases_rows(below..rows),
                    // The emulator leaves a row above the second one as it is.
                    _ if !self.erases_to_nothing() => self.erases_rows(0..below),
                    _ => {}
                }
                let all = matches!(mode, ClearMode::Below) && self.at() == (0, 0);
                self.term.clear_screen(mode);
                self.drawn();
                if all {
                    self.blanked();
                }
            }
        }
    }

    fn decaln(&mut self) {
        if self.tracked.fill != Fill::Aligned {
            self.spent += self.cells();
            self.tracked.aligned();
            self.term.decaln();
        }
    }

    fn reset_state(&mut self) {
        self.spent += if self.tracked.fill == Fill::Blank { self.tracked.rows } else { 2 * self.cells() };
        self.term.reset_state();
        self.tracked.reset();
    }

    fn set_scrolling_region(&mut self, top: usize, bottom: Option<usize>) {
        self.note_reach();
        self.reset_region(top, bottom);
        self.term.set_scrolling_region(top, bottom);
    }

    fn set_private_mode(&mut self, mode: PrivateMode) {
        self.switch(mode, true);
    }

    fn unset_private_mode(&mut self, mode: PrivateMode) {
        self.switch(mode, false);
    }

    fn terminal_attribute(&mut self, attr: Attr) {
        let template = &mut self.term.grid_mut().cursor.template;
        match attr {
            // The emulator leaves these out.
            Attr::BlinkSlow | Attr::BlinkFast => template.flags.insert(BLINK),
            Attr::CancelBlink => template.flags.remove(BLINK),
            Attr::UnderlineColor(_) => {
                self.term.terminal_attribute(attr);
                self.share_extra();
            }
            _ => self.term.terminal_attribute(attr),
        }
    }

    fn set_hyperlink(&mut self, hyperlink: Option<Hyperlink>) {
        let begun = hyperlink.and_then(|link| {
            let (id, uri) = (link.id.unwrap_or_default(), link.uri);
            link::checked(&id, &uri)?;
            let (room, cost) = self.tracked.extras.room_for_link(self.term, self.tracked.rows);
            self.spent += cost;
            // The emulator would name each piece of one without a name differently.
            room.then_some(Hyperlink { id: Some(id), uri })
        });
        self.term.set_hyperlink(begun);
        self.share_extra();
    }

    fn goto(&mut self, line: i32, col: usize) {
        self.note_reach();
        self.term.goto(line, col);
    }
    fn goto_line(&mut self, line: i32) {
        self.note_reach();
        self.term.goto_line(line);
    }
    fn goto_col(&mut self, col: usize) {
        self.note_reach();
        self.term.goto_col(col);
    }
    fn move_up(&mut self, rows: usize) {
        self.note_reach();
        self.term.move_up(rows);
    }
    fn move_down(&mut self, rows: usize) {
        self.note_reach();
        self.term.move_down(rows);
    }
    fn move_forward(&mut self, cols: usize) {
        self.note_reach();
        self.term.move_forward(cols);
    }
    fn move_backward(&mut self, cols: usize) {
        self.note_reach();
        self.term.move_backward(cols);
    }
    fn move_down_and_cr(&mut self, rows: usize) {
        self.note_reach();
        self.term.move_down_and_cr(rows);
    }
    fn move_up_and_cr(&mut self, rows: usize) {
        self.note_reach();
        self.term.move_up_and_cr(rows);
    }
    fn backspace(&mut self) {
        self.note_reach();
        self.term.backspace();
    }
    fn carriage_return(&mut self) {
        self.note_reach();
        self.term.carriage_return();
    }
    fn set_horizontal_tabstop(&mut self) {
        self.term.set_horizontal_tabstop();
    }
    fn clear_tabs(&mut self, mode: TabulationClearMode) {
        self.spent += self.tracked.cols;
        self.term.clear_tabs(mode);
    }
    fn save_cursor_position(&mut self) {
        self.term.save_cursor_position();
    }
    fn restore_cursor_position(&mut self) {
        self.note_reach();
        self.term.restore_cursor_position();
    }
    fn set_mode(&mut self, mode: Mode) {
        self.term.set_mode(mode);
    }
    fn unset_mode(&mut self, mode: Mode) {
        self.term.unset_mode(mode);
    }
    fn set_active_charset(&mut self, index: CharsetIndex) {
        self.tracked.charset = index;
        self.term.set_active_charset(index);
    }
    fn configure_charset(&mut self, index: CharsetIndex, charset: StandardCharset) {
        self.term.configure_charset(index, charset);
    }
    fn set_cursor_style(&mut self, style: Option<CursorStyle>) {
        self.term.set_cursor_style(style);
    }
    fn set_cursor_shape(&mut self, shape: CursorShape) {
        self.term.set_cursor_shape(shape);
    }
}
