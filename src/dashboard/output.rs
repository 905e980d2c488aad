//! What goes to the outer terminal: ratatui's drawing gathered to one frame, and each frame written at once.
//!
//! The loop draws through it. A terminal then shows whole frames, and a frame in which nothing changed is not
//! written at all.

use std::cell::RefCell;
use std::io::{self, Write};
use std::mem;
use std::rc::Rc;

use crossterm::cursor::{Hide, MoveTo, Show};
use crossterm::queue;
use crossterm::terminal::{BeginSynchronizedUpdate, Clear, EndSynchronizedUpdate};
use ratatui::backend::{Backend, ClearType, CrosstermBackend, WindowSize};
use ratatui::buffer::Cell;
use ratatui::layout::{Position, Size};

/// Where the drawing is gathered; ratatui does not hand its writer out again.
#[derive(Debug, Clone, Default)]
struct Gathered(Rc<RefCell<Vec<u8>>>);

impl Write for Gathered {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.borrow_mut().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The outer terminal as ratatui sees it.
#[derive(Debug)]
pub struct Output {
    cells: CrosstermBackend<Gathered>,
    gathered: Gathered,
    size: Size,
    /// Something was drawn or cleared since the last frame was taken.
    changed: bool,
    /// Where the cursor is to be shown, and where the terminal shows it; `None`: nowhere.
    cursor: Option<Position>,
    shown: Option<Position>,
    place: Position,
}

impl Output {
    /// The terminal shows no cursor now.
    pub fn new(cols: u16, rows: u16) -> Output {
        let gathered = Gathered::default();
        Output {
            cells: CrosstermBackend::new(gathered.clone()),
            gathered,
            size: Size::new(cols, rows),
            changed: false,
            cursor: None,
            shown: None,
            place: Position::ORIGIN,
        }
    }

    /// The terminal's new size; the next drawing is adapted to it.
    pub fn resize(&mut self, cols: u16, rows: u16) {
        self.size = Size::new(cols, rows);
    }

    /// What has to be written so that the terminal shows the last drawing; `None`: it does.
    pub fn frame(&mut self) -> Option<Vec<u8>> {
        let cells = mem::take(&mut *self.gathered.0.borrow_mut());
        if !mem::take(&mut self.changed) && self.cursor == self.shown {
            return None;
        }
        let mut out = Vec::with_capacity(cells.len() + 64);
        self.write(&mut out, &cells).expect("memory takes every byte");
        self.shown = self.cursor;
        Some(out)
    }

    fn write(&self, out: &mut Vec<u8>, cells: &[u8]) -> io::Result<()> {
        queue!(out, BeginSynchronizedUpdate)?;
        // Terminals without synchronized updates would show it run about.
        if self.shown.is_some() {
            queue!(out, Hide)?;
        }
        out.write_all(cells)?;
        if let Some(Position { x, y }) = self.cursor {
            queue!(out, MoveTo(x, y), Show)?;
        }
        queue!(out, EndSynchronizedUpdate)
    }
}

impl Backend for Output {
    type Error = io::Error;

    fn draw<'a, I>(&mut self, content: I) -> io::Result<()>
    where
        I: Iterator<Item = (u16, u16, &'a Cell)>,
    {
        let mut content = content.peekable();
        if content.peek().is_none() {
            return Ok(());
        }
        self.changed = true;
        self.cells.draw(content)
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
        self.changed = true;
        queue!(self.gathered, Clear(crossterm::terminal::ClearType::All))
    }

    fn clear_region(&mut self, region: ClearType) -> io::Result<()> {
        self.changed = true;
        self.cells.clear_region(region)
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
mod tests {
    use ratatui::Terminal;
    use ratatui::widgets::Paragraph;

    use super::*;

    fn frame(terminal: &mut Terminal<Output>, text: &str, cursor: Option<(u16, u16)>) -> Option<String> {
        let drawn = terminal.draw(|frame| {
            frame.render_widget(Paragraph::new(text), frame.area());
            if let Some(at) = cursor {
                frame.set_cursor_position(at);
            }
        });
        drawn.unwrap();
        terminal.backend_mut().frame().map(|bytes| String::from_utf8(bytes).unwrap())
    }

    #[test]
    fn a_frame_is_one_synchronized_update_and_without_a_change_there_is_none() {
        let mut terminal = Terminal::new(Output::new(20, 2)).unwrap();
        let first = frame(&mut terminal, "hello", None).unwrap();
        assert!(first.starts_with("\x1b[?2026h") && first.ends_with("\x1b[?2026l"), "{first:?}");
        assert!(first.contains("hello") && !first.contains("\x1b[?25"), "{first:?}");
        assert_eq!(frame(&mut terminal, "hello", None), None);
        assert!(frame(&mut terminal, "hello!", None).is_some_and(|bytes| !bytes.contains("hello")));
    }

    #[test]
    fn the_cursor_alone_is_a_change() {
        let mut terminal = Terminal::new(Output::new(20, 2)).unwrap();
        frame(&mut terminal, "hello", Some((3, 0)));
        assert_eq!(frame(&mut terminal, "hello", Some((3, 0))), None);
        let moved = frame(&mut terminal, "hello", Some((4, 0))).unwrap();
        assert_eq!(moved, "\x1b[?2026h\x1b[?25l\x1b[1;5H\x1b[?25h\x1b[?2026l");
        let hidden = frame(&mut terminal, "hello", None).unwrap();
        assert_eq!(hidden, "\x1b[?2026h\x1b[?25l\x1b[?2026l");
        assert_eq!(frame(&mut terminal, "hello", None), None);
    }

    #[test]
    fn another_size_is_drawn_anew() {
        let mut terminal = Terminal::new(Output::new(20, 2)).unwrap();
        frame(&mut terminal, "hello", None);
        terminal.backend_mut().resize(10, 3);
        let again = frame(&mut terminal, "hello", None).unwrap();
        assert!(again.contains("\x1b[2J") && again.contains("hello"), "{again:?}");
    }
}
