//! Rows of a terminal, painted by tui-term.
//!
//! `view/pane.rs` paints a screen with it, `view/scrollback.rs` a history. The only file that knows tui-term. A program's
//! text reaches the buffer as cells, never as bytes.

use ratatui::buffer::{Buffer, Cell as BufferCell};
use ratatui::layout::Rect;
use ratatui::style::{Color, Style};
use ratatui::widgets::Widget;
use tui_term::widget::{Cell as TermCell, Cursor, PseudoTerminal, Screen};
use unicode_width::UnicodeWidthStr;

use crate::core::terminal::grid::{Cell, Color as CellColor, Row, Width};
use crate::dashboard::cells::{modifiers, within};
use crate::dashboard::links::{Links, is_mark};

/// These rows, each from this column on.
pub fn paint(buffer: &mut Buffer, area: Rect, rows: &[Row], left: u16, links: &Links) {
    let view = View::of(rows, left, links);
    PseudoTerminal::new(&view).cursor(Cursor::default().visibility(false)).render(area, buffer);
    mend_edge(buffer, area);
}

/// A wide glyph whose right half would be over the border is left out.
fn mend_edge(buffer: &mut Buffer, inner: Rect) {
    let last = inner.x + inner.width - 1;
    for y in inner.y..inner.y + inner.height {
        if let Some(cell) = buffer.cell_mut((last, y)).filter(|cell| cell.symbol().width() > 1) {
            cell.set_symbol(" ");
        }
    }
}

/// A grid as tui-term wants to see it.
struct View<'a> {
    rows: &'a [Row],
    cells: Vec<Vec<Painted<'a>>>,
}

struct Painted<'a>(&'a Cell, &'a Links);

impl<'a> View<'a> {
    /// The rows from this column on.
    fn of(rows: &'a [Row], left: u16, links: &'a Links) -> View<'a> {
        let painted = |cell| Painted(cell, links);
        let cells = |row: &'a Row| row.cells.iter().skip(usize::from(left)).map(painted).collect();
        View { rows, cells: rows.iter().map(cells).collect() }
    }
}

impl<'a> Screen for View<'a> {
    type C = Painted<'a>;

    fn cell(&self, row: u16, col: u16) -> Option<&Painted<'a>> {
        self.cells.get(usize::from(row))?.get(usize::from(col))
    }

    /// The terminal's own cursor is put where the focused agent's is; others show none.
    fn hide_cursor(&self) -> bool {
        true
    }

    fn cursor_position(&self) -> (u16, u16) {
        (self.rows.len() as u16, 0)
    }
}

impl TermCell for Painted<'_> {
    fn has_contents(&self) -> bool {
        self.0.ch != ' '
    }

    fn apply(&self, cell: &mut BufferCell) {
        let source = self.0;
        if source.width == Width::Spacer {
            cell.set_symbol(" ").set_style(style(source));
            return;
        }
        let Some(extra) = &source.extra else {
            cell.set_char(if source.ch.is_control() { ' ' } else { source.ch }).set_style(style(source));
            return;
        };
        let mut glyph = String::new();
        source.push_to(&mut glyph);
        if glyph.chars().any(|ch| ch.is_control() || is_mark(ch)) {
            glyph = " ".into();
        }
        let mut glyph = within(glyph, if source.width == Width::Two { 2 } else { 1 });
        glyph.extend(extra.link.as_ref().and_then(|link| self.1.mark(link)));
        cell.set_symbol(&glyph).set_style(style(source));
    }
}

fn style(cell: &Cell) -> Style {
    let color = |color: CellColor| match color {
        CellColor::Default => Color::Reset,
        CellColor::Indexed(index) => Color::Indexed(index),
        CellColor::Rgb(r, g, b) => Color::Rgb(r, g, b),
    };
    Style::new()
        .fg(color(cell.style.fg))
        .bg(color(cell.style.bg))
        .underline_color(color(cell.style.underline))
        .add_modifier(modifiers(cell.style.attrs))
}
