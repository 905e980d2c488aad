//! The screen as the outer terminal shows it, and the bytes that bring it up to date.
//!
//! The loop draws through it. All of it is drawn by the views; where only some rows of an agent have changed,
//! only those are drawn and compared, since a key's echo waits for it. A terminal is written whole frames, and
//! none where nothing changed.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};

use crossterm::cursor::{Hide, MoveTo, Show};
use crossterm::queue;
use crossterm::style::ResetColor;
use crossterm::terminal::{BeginSynchronizedUpdate, Clear, ClearType, EndSynchronizedUpdate};
use ratatui::Terminal;
use ratatui::backend::{Backend, ClearType as Region, WindowSize};
use ratatui::buffer::{Buffer, Cell};
use ratatui::layout::{Position, Rect, Size};

use crate::core::terminal::features::Features;

use super::cells::{Manner, write_row};
use super::mode::Mode;
use super::state::State;
use super::view;
use super::view::pane::{self, Place};

/// Rows of agents' screens, by the agent's name.
pub type Rows = BTreeMap<String, BTreeSet<u16>>;

#[derive(Debug)]
pub struct Canvas {
    views: Terminal<Views>,
    /// What the terminal shows.
    shown: Buffer,
    /// Where each agent's screen was drawn last; `None`: something lay over them.
    places: Option<BTreeMap<String, Place>>,
    /// Where the terminal shows its cursor; `None`: nowhere.
    cursor: Option<Position>,
    /// The shape it has (DECSCUSR).
    shape: u8,
    features: Features,
    /// Of the numbers that links have in what is shown.
    generation: u64,
}

impl Canvas {
    /// For a terminal of this size that shows nothing, and no cursor.
    pub fn new(cols: u16, rows: u16) -> io::Result<Canvas> {
        let views = Terminal::new(Views { size: Size::new(cols, rows), ..Views::default() })?;
        let shown = Buffer::empty(Rect::ZERO);
        let features = Features::default();
        Ok(Canvas { views, shown, places: None, cursor: None, shape: 0, features, generation: 0 })
    }

    /// For a terminal that cannot show everything.
    pub fn limited(self, features: Features) -> Canvas {
        Canvas { features, ..self }
    }

    /// The terminal's new size; the next drawing fills it.
    pub fn resize(&mut self, cols: u16, rows: u16) {
        self.views.backend_mut().size = Size::new(cols, rows);
    }

    /// The terminal was somebody else's: it shows nothing of ours, and no cursor.
    pub fn forget(&mut self) {
        (self.shown, self.cursor, self.shape) = (Buffer::empty(Rect::ZERO), None, 0);
    }

    /// What has to be written so that the terminal shows this state; `None`: it does.
    pub fn draw(&mut self, state: &State) -> io::Result<Option<Vec<u8>>> {
        let (mut cells, mut written) = (Vec::new(), Ok(()));
        if self.generation != state.links.generation {
            self.generation = state.links.generation;
            self.shown = Buffer::empty(Rect::ZERO);
        }
        let (shown, manner) = (&mut self.shown, Manner { features: self.features, links: &state.links });
        self.views.draw(|frame| {
            view::draw(frame, state);
            written = refill(shown, frame.buffer_mut(), &mut cells, manner);
        })?;
        written?;
        self.places = pane::places(state);
        let cursor = self.views.backend().cursor;
        self.frame(&cells, cursor, shape(state))
    }

    /// The same where only these rows of agents' screens have changed since the last drawing.
    pub fn draw_rows(&mut self, state: &State, rows: &Rows) -> io::Result<Option<Vec<u8>>> {
        let (Some(places), Some(before)) = (pane::places(state), &self.places) else {
            return self.draw(state);
        };
        let renumbered = self.generation != state.links.generation;
        if renumbered || rows.keys().any(|name| places.get(name) != before.get(name)) {
            return self.draw(state);
        }
        let (mut cells, mut cursor) = (Vec::new(), self.cursor);
        let manner = Manner { features: self.features, links: &state.links };
        for (name, rows) in rows {
            let (Some(place), Some(agent)) = (places.get(name), state.agent(name)) else { continue };
            for line in rows.iter().filter_map(|row| place.line_of(*row)) {
                let next = pane::screen_line(state, agent, place, line);
                update(&mut self.shown, &next, &mut cells, manner)?;
            }
            if state.focus.as_ref() == Some(name) {
                cursor = pane::cursor(state, agent, place);
            }
        }
        self.frame(&cells, cursor, shape(state))
    }

    fn frame(&mut self, cells: &[u8], cursor: Option<Position>, shape: u8) -> io::Result<Option<Vec<u8>>> {
        let before = std::mem::replace(&mut self.cursor, cursor);
        // Nobody sees the shape of one that is not shown.
        let reshaped = cursor.is_some() && shape != self.shape;
        if cells.is_empty() && before == cursor && !reshaped {
            return Ok(None);
        }
        let mut out = Vec::with_capacity(cells.len() + 64);
        queue!(out, BeginSynchronizedUpdate)?;
        // Terminals without synchronized updates would show it run about.
        if before.is_some() {
            queue!(out, Hide)?;
        }
        out.write_all(cells)?;
        if reshaped {
            write!(out, "\x1b[{shape} q")?;
            self.shape = shape;
        }
        if let Some(Position { x, y }) = cursor {
            queue!(out, MoveTo(x, y), Show)?;
        }
        queue!(out, EndSynchronizedUpdate)?;
        Ok(Some(out))
    }
}

/// The shape the focused agent has given its cursor, else the terminal's own.
fn shape(state: &State) -> u8 {
    match (&state.mode, state.focused()) {
        // Others are not defined.
        (Mode::Panes, Some(agent)) => Some(agent.grid.cursor.shape).filter(|shape| *shape <= 6).unwrap_or(0),
        _ => 0,
    }
}

/// The same on a terminal that may have another size now, and is cleared then.
fn refill(shown: &mut Buffer, next: &Buffer, out: &mut Vec<u8>, manner: Manner<'_>) -> io::Result<()> {
    if shown.area != next.area {
        *shown = Buffer::empty(next.area);
        queue!(out, ResetColor, Clear(ClearType::All))?;
    }
    update(shown, next, out, manner)
}

/// Writes what differs, and takes it over.
fn update(shown: &mut Buffer, next: &Buffer, out: &mut Vec<u8>, manner: Manner<'_>) -> io::Result<()> {
    let Rect { x, y, width, height } = next.area;
    for y in y..y + height {
        let (to, from) = (shown.index_of(x, y), next.index_of(x, y));
        let width = usize::from(width);
        let (before, now) = (&mut shown.content[to..to + width], &next.content[from..from + width]);
        if write_row(out, (x, y), before, now, manner)? {
            // The right half of a wide glyph is no change of its own: a row is taken over whole.
            before.clone_from_slice(now);
        }
    }
    Ok(())
}

/// What ratatui draws the views for: it keeps the cursor, and leaves the cells to the canvas.
#[derive(Debug, Default)]
struct Views {
    size: Size,
    cursor: Option<Position>,
    place: Position,
}

impl Backend for Views {
    type Error = io::Error;

    fn draw<'a, I: Iterator<Item = (u16, u16, &'a Cell)>>(&mut self, _cells: I) -> io::Result<()> {
        Ok(())
    }

    fn hide_cursor(&mut self) -> io::Result<()> {
        self.cursor = None;
        Ok(())
    }

    fn show_cursor(&mut self) -> io::Result<()> {
        self.cursor = Some(self.place);
        Ok(())
    }

    fn get_cursor_position(&mut self) -> io::Result<Position> {
        Ok(self.place)
    }

    fn set_cursor_position<P: Into<Position>>(&mut self, position: P) -> io::Result<()> {
        self.place = position.into();
        self.cursor = self.cursor.map(|_| self.place);
        Ok(())
    }

    fn clear(&mut self) -> io::Result<()> {
        Ok(())
    }

    fn clear_region(&mut self, _region: Region) -> io::Result<()> {
        Ok(())
    }

    fn size(&self) -> io::Result<Size> {
        Ok(self.size)
    }

    fn window_size(&mut self) -> io::Result<WindowSize> {
        Ok(WindowSize { columns_rows: self.size, pixels: Size::ZERO })
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
#[path = "canvas_tests.rs"]
mod tests;
