//! What is selected of a screen with the mouse: where it began, where the pointer is, the text between.
//!
//! `select.rs` makes one and moves it, `view/pane.rs` shows it. It knows nothing of the dashboard. Pure.

use crate::core::terminal::grid::{Cell, Grid};

#[derive(Debug, Clone, PartialEq)]
pub struct Selection {
    pub name: String,
    /// The screen as it was when the button went down.
    pub grid: Grid,
    /// Column and row of the screen that stood in the pane's upper left corner.
    pub corner: (u16, u16),
    /// Row and column where it began, and where the pointer is.
    pub from: (u16, u16),
    pub to: (u16, u16),
    /// A click alone selects nothing.
    pub moved: bool,
}

impl Selection {
    /// The columns of this row that are selected: the first, and the one past the last.
    pub fn columns(&self, row: u16) -> Option<(u16, u16)> {
        let (first, last) = (self.from.min(self.to), self.from.max(self.to));
        let inside = self.moved && (first.0..=last.0).contains(&row);
        let from = if row == first.0 { first.1 } else { 0 };
        let to = if row == last.0 { last.1 + 1 } else { self.grid.size.0 };
        inside.then_some((from, to))
    }

    /// The text, with lines that the program had wrapped in one.
    pub fn text(&self) -> String {
        let mut text = String::new();
        for (number, row) in (0..).zip(&self.grid.rows) {
            let Some((from, to)) = self.columns(number) else { continue };
            let cells = row.cells.iter().take(usize::from(to)).skip(usize::from(from));
            let mut part = String::new();
            cells.for_each(|cell: &Cell| cell.push_to(&mut part));
            match row.wrapped {
                true => text.push_str(&part),
                false => text.push_str(&format!("{}\n", part.trim_end())),
            }
        }
        text.trim_end_matches('\n').to_owned()
    }
}
