//! Which cells have been drawn since the screen was last looked at, and whether a piece of output destroys any of them.
//!
//! `Overdrawn` keeps one. A program that draws a frame touches no cell of it twice: a look is due where the next frame
//! begins, or where somebody else draws, and the frame is whole by then.

use crate::core::terminal::grid::Size;

use super::effect::Effect;

/// Of each row the column behind the last cell that was drawn; 0: none was.
#[derive(Debug, Default)]
pub(super) struct Drawn {
    ends: Vec<u16>,
    cols: u16,
}

impl Drawn {
    pub(super) fn resize(&mut self, size: Size) {
        self.ends.resize(usize::from(size.rows), 0);
        self.cols = size.cols;
    }

    pub(super) fn clear(&mut self) {
        self.ends.fill(0);
    }

    /// Nothing is known of these rows: they may just have been drawn.
    pub(super) fn all_above(&mut self, row: u16) {
        let above = usize::from(row).min(self.ends.len());
        self.ends[..above].fill(self.cols);
    }

    /// Cells from the cursor to the end of its row.
    pub(super) fn room(&self, (_, col): (u16, u16)) -> usize {
        usize::from(self.cols.saturating_sub(col))
    }

    fn end(&self, row: u16) -> u16 {
        self.ends.get(usize::from(row)).copied().unwrap_or(0)
    }

    fn any_below(&self, row: u16) -> bool {
        self.ends.iter().skip(usize::from(row) + 1).any(|end| *end > 0)
    }

    /// The cursor stands behind the last cell of the last row: the next character scrolls.
    fn may_scroll(&self, (row, col): (u16, u16)) -> bool {
        usize::from(row) + 1 >= self.ends.len() && col >= self.cols
    }

    /// Whether the effect destroys something that was drawn. `at`: the cursor before it.
    pub(super) fn is_hit(&self, effect: Effect, at: (u16, u16)) -> bool {
        let (row, col) = at;
        match effect {
            Effect::None => false,
            Effect::Text => self.end(row) > col || (self.may_scroll(at) && self.end(0) > 0),
            Effect::Rest => self.end(row) > col,
            Effect::Row => self.end(row) > 0,
            Effect::Below => self.end(row) > col || self.any_below(row),
            Effect::LineFeed => usize::from(row) + 1 >= self.ends.len() && self.end(0) > 0,
            Effect::All => self.ends.iter().any(|end| *end > 0),
        }
    }

    /// What was drawn, with the cursor before and after it.
    pub(super) fn note(&mut self, effect: Effect, before: (u16, u16), after: (u16, u16)) {
        let scrolled = matches!(effect, Effect::LineFeed) && before.0 == after.0;
        match effect {
            Effect::Text => {
                self.draw(before.0, if after.0 == before.0 { after.1 } else { self.cols });
                if after.0 != before.0 {
                    self.draw(after.0, after.1);
                }
            }
            // Within a region of the screen it is not known what went.
            Effect::LineFeed if scrolled && usize::from(before.0) + 1 < self.ends.len() => self.clear(),
            Effect::LineFeed if scrolled => {
                self.ends.rotate_left(1);
                self.ends.pop();
                self.ends.push(0);
            }
            _ => {}
        }
    }

    fn draw(&mut self, row: u16, end: u16) {
        if let Some(drawn) = self.ends.get_mut(usize::from(row)) {
            *drawn = (*drawn).max(end);
        }
    }
}
