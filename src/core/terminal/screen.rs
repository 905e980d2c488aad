//! One agent's terminal: bytes in; a grid, replies and reports out.
//!
//! The only file that names the emulator. The hub feeds it, detection and the clients read its grid.
//! It never touches a file descriptor: replies are returned, and the caller writes them.

use std::collections::HashSet;
use std::mem::Discriminant;

use alacritty_terminal::event::VoidListener;
use alacritty_terminal::grid::{Dimensions, Grid as EngineGrid, GridCell};
use alacritty_terminal::index::Line;
use alacritty_terminal::term::cell::{Cell as EngineCell, Flags};
use alacritty_terminal::term::{Config, Osc52, Term, TermDamage, TermMode};
use alacritty_terminal::vte::ansi::{Color as EngineColor, CursorShape, NamedColor, Processor, Timeout};

use crate::core::terminal::grid::{Attrs, Cell, Color, Cursor, Grid, Row, Size, Style, Width};
use crate::core::terminal::modes::Modes;
use crate::core::terminal::query_parser::{Query, QueryParser, Report};
use crate::core::terminal::query_replies::{self, TerminalIdentity};

/// Bytes handed to the engine at once. Each may be a line feed. The engine keeps up to 1,000 unused rows
/// for its history to grow into; beyond, it gives rows back and allocates them again with every drain.
const CHUNK: usize = 960;
/// Lines the engine keeps before they are drained: line feeds, and some sequences that scroll several.
const ENGINE_HISTORY: usize = 8192;
/// Reply bytes one `feed` may produce; a stream of nothing but queries gets no more than this.
const MAX_REPLY: usize = 16 * 1024;

/// What came of feeding bytes.
#[derive(Debug, Default)]
pub struct Fed {
    /// To be written to the program at once.
    pub replies: Vec<u8>,
    pub reports: Vec<Report>,
    /// Rows that left the top of the main screen, oldest first, without the blanks at their end.
    pub scrolled: Vec<Row>,
    /// The emulator failed on these bytes and was started afresh; the program should redraw.
    pub reset: bool,
}

/// A synchronized update that lasts longer than this, in milliseconds, is shown as far as it has come, as
/// by a terminal. A second, as tmux has it: a program on a busy machine pauses within a frame for longer
/// than the 150 ms the engine would allow, and half a frame can look like a dialog.
pub const SYNC_LIMIT_MS: u64 = 1_000;

/// The engine's synchronized-update clock, without a clock: the caller ends an overdue update.
#[derive(Debug, Default)]
struct SyncFlag(bool);

impl Timeout for SyncFlag {
    fn set_timeout(&mut self, _: std::time::Duration) {
        self.0 = true;
    }
    fn clear_timeout(&mut self) {
        self.0 = false;
    }
    fn pending_timeout(&self) -> bool {
        self.0
    }
}

struct EngineSize(Size);

impl Dimensions for EngineSize {
    fn total_lines(&self) -> usize {
        self.screen_lines()
    }
    fn screen_lines(&self) -> usize {
        usize::from(self.0.rows)
    }
    fn columns(&self) -> usize {
        usize::from(self.0.cols)
    }
}

/// The screen before it was resized, while the program has not printed since.
struct Resized {
    size: Size,
    grid: EngineGrid<EngineCell>,
    /// Rows there was no room for. They have left the screen once the program goes on at the new size.
    pushed: Vec<Row>,
}

/// A terminal emulator with the responder that goes with it.
pub struct Screen {
    size: Size,
    terminal_identity: TerminalIdentity,
    term: Term<VoidListener>,
    processor: Processor<SyncFlag>,
    parser: vte::Parser,
    query_parser: QueryParser,
    title: String,
    grid: Grid,
    /// Kinds of queries that were answered, for an identity that answers each only once.
    answered: HashSet<Discriminant<Query>>,
    resized: Option<Resized>,
    /// The engine holds unused rows for its history to grow into.
    stretched: bool,
}

impl std::fmt::Debug for Screen {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Screen").field("size", &self.size).field("title", &self.title).finish_non_exhaustive()
    }
}

fn engine(size: Size) -> Term<VoidListener> {
    let config = Config {
        scrolling_history: ENGINE_HISTORY,
        // The engine's own stack of these flags panics after 4,097 pushes; `QueryParser` keeps a bounded one.
        kitty_keyboard: false,
        osc52: Osc52::Disabled,
        ..Config::default()
    };
    Term::new(config, &EngineSize(size), VoidListener)
}

impl Screen {
    pub fn new(size: Size, terminal_identity: TerminalIdentity) -> Screen {
        let size = size.clamped();
        Screen {
            size,
            terminal_identity,
            term: engine(size),
            processor: Processor::new(),
            parser: vte::Parser::new(),
            query_parser: QueryParser::new(),
            title: String::new(),
            grid: Grid::blank(size),
            answered: HashSet::new(),
            resized: None,
            stretched: false,
        }
    }

    /// Takes bytes the program wrote. Split anywhere: sequences and UTF-8 go on in the next call.
    pub fn feed(&mut self, bytes: &[u8]) -> Fed {
        let mut fed = Fed::default();
        if !bytes.is_empty()
            && let Some(resized) = self.resized.take()
        {
            fed.scrolled = resized.pushed;
        }
        for chunk in bytes.chunks(CHUNK) {
            let mut rest = chunk;
            while !rest.is_empty() {
                let taken = self.parser.advance_until_terminated(&mut self.query_parser, rest);
                self.drive(&rest[..taken], &mut fed);
                rest = &rest[taken..];
                self.answer(&mut fed);
            }
            self.drain(&mut fed);
        }
        self.refresh();
        for report in &fed.reports {
            if let Report::Title(title) = report {
                self.title.clone_from(title);
            }
        }
        fed
    }

    /// Ends a synchronized update that has lasted too long (the caller's clock decides).
    pub fn end_sync(&mut self) -> Vec<Row> {
        let mut fed = Fed::default();
        self.processor.stop_sync(&mut self.term);
        self.drain(&mut fed);
        self.refresh();
        fed.scrolled
    }

    /// Inside a synchronized update (mode 2026): the grid is the last whole frame.
    pub fn in_sync(&self) -> bool {
        self.processor.sync_timeout().0
    }

    /// Gives the screen another size. One that had this size before, and on which nothing was printed since,
    /// is what it was: a program that is resized there and back at once sees no change, and draws nothing.
    pub fn resize(&mut self, size: Size) {
        let (former, size) = (self.size, size.clamped());
        if former == size {
            return;
        }
        let first = || Resized { size: former, grid: self.term.grid().clone(), pushed: Vec::new() };
        let mut resized = self.resized.take().unwrap_or_else(first);
        self.size = size;
        self.term.resize(EngineSize(size));
        if resized.size == size {
            *self.term.grid_mut() = resized.grid;
        } else {
            let mut fed = Fed::default();
            self.drain(&mut fed);
            resized.pushed.append(&mut fed.scrolled);
            self.resized = Some(resized);
        }
        self.refresh();
    }

    /// Whether `rest` would free memory.
    pub fn stretched(&self) -> bool {
        self.stretched
    }

    /// The program has fallen silent: frees what is only kept for it to scroll quickly, some megabytes.
    pub fn rest(&mut self) {
        self.term.grid_mut().truncate();
        self.stretched = false;
    }

    pub fn size(&self) -> Size {
        self.size
    }

    pub fn grid(&self) -> &Grid {
        &self.grid
    }

    pub fn modes(&self) -> Modes {
        self.query_parser.modes()
    }

    pub fn title(&self) -> &str {
        &self.title
    }

    /// Runs the engine, which must not take the server down with it whatever the bytes are.
    fn drive(&mut self, bytes: &[u8], fed: &mut Fed) {
        let (processor, term) = (&mut self.processor, &mut self.term);
        let run = std::panic::AssertUnwindSafe(|| processor.advance(term, bytes));
        if std::panic::catch_unwind(run).is_err() {
            self.term = engine(self.size);
            self.processor = Processor::new();
            fed.reset = true;
        }
    }

    fn answer(&mut self, fed: &mut Fed) {
        fed.reports.append(&mut self.query_parser.reports);
        while let Some(query) = self.query_parser.queue.pop_front() {
            if self.terminal_identity.silent || fed.replies.len() > MAX_REPLY {
                continue;
            }
            if self.terminal_identity.once && !self.answered.insert(std::mem::discriminant(&query)) {
                continue;
            }
            let cursor = self.cursor();
            let reply =
                query_replies::reply(&query, &self.terminal_identity, self.size, cursor, &self.query_parser);
            fed.replies.extend_from_slice(reply.as_bytes());
        }
    }

    /// Moves what scrolled off into `fed`, so that the engine's own history is always empty.
    fn drain(&mut self, fed: &mut Fed) {
        let grid = self.term.grid_mut();
        let count = grid.history_size();
        if count == 0 {
            return;
        }
        for line in (1..=count).rev() {
            let line = Line(-i32::try_from(line).expect("the engine's history is far below i32::MAX"));
            let cells = &grid[line][..];
            // The blanks that fill the row up are most of a flood of short lines, and no part of history.
            let used = cells.iter().rposition(|cell| !cell.is_empty()).map_or(0, |last| last + 1);
            let mut row = Row::default();
            convert_row(&cells[..used], &mut row);
            fed.scrolled.push(row);
        }
        grid.clear_history();
        // `clear_history` alone keeps the allocation, which is wanted: the next burst reuses it.
        self.stretched = true;
    }

    fn cursor(&self) -> Cursor {
        let point = self.term.grid().cursor.point;
        let style = self.term.cursor_style();
        let steady = u8::from(!style.blinking);
        let shape = match style.shape {
            CursorShape::Block | CursorShape::HollowBlock | CursorShape::Hidden => 1 + steady,
            CursorShape::Underline => 3 + steady,
            CursorShape::Beam => 5 + steady,
        };
        Cursor {
            row: u16::try_from(point.line.0.max(0)).unwrap_or(0),
            col: u16::try_from(point.column.0).unwrap_or(0),
            visible: self.term.mode().contains(TermMode::SHOW_CURSOR),
            shape,
        }
    }

    /// Copies what the engine changed since the last call into the grid.
    fn refresh(&mut self) {
        let cursor = self.cursor();
        let resized = self.grid.size != (self.size.cols, self.size.rows);
        if resized {
            self.grid = Grid::blank(self.size);
        }
        let damaged: Vec<usize> = match self.term.damage() {
            TermDamage::Full => (0..usize::from(self.size.rows)).collect(),
            TermDamage::Partial(lines) => lines.map(|line| line.line).collect(),
        };
        self.term.reset_damage();
        let all = 0..usize::from(self.size.rows);
        let lines = if resized { all.collect() } else { damaged };
        for line in lines {
            let from = &self.term.grid()[Line(i32::try_from(line).expect("a screen row fits an i32"))][..];
            if let Some(row) = self.grid.rows.get_mut(line) {
                convert_row(from, row);
            }
        }
        self.grid.cursor = cursor;
    }
}

/// Makes `row` the same as these cells, in the memory it has.
fn convert_row(from: &[EngineCell], row: &mut Row) {
    row.wrapped = from.last().is_some_and(|cell| cell.flags.contains(Flags::WRAPLINE));
    row.cells.clear();
    row.cells.extend(from.iter().map(convert_cell));
    let cells = &mut row.cells;
    if cells.iter().all(|cell| cell.width == Width::One) {
        return;
    }
    // Half of a wide glyph, left by an erasure or a shift, is a blank to everyone who reads the grid.
    for at in 0..cells.len() {
        let whole = cells.get(at + 1).is_some_and(|next| next.width == Width::Spacer);
        let after_wide = at > 0 && cells[at - 1].width == Width::Two;
        match cells[at].width {
            Width::Two if !whole => cells[at] = Cell { style: cells[at].style, ..Cell::default() },
            Width::Spacer if !after_wide => cells[at].width = Width::One,
            Width::One | Width::Two | Width::Spacer => {}
        }
    }
}

fn convert_cell(cell: &EngineCell) -> Cell {
    let flags = cell.flags;
    let width = if flags.intersects(Flags::WIDE_CHAR_SPACER | Flags::LEADING_WIDE_CHAR_SPACER) {
        Width::Spacer
    } else if flags.contains(Flags::WIDE_CHAR) {
        Width::Two
    } else {
        Width::One
    };
    let attrs = Attrs::default()
        .with(Attrs::BOLD, flags.contains(Flags::BOLD))
        .with(Attrs::DIM, flags.contains(Flags::DIM))
        .with(Attrs::ITALIC, flags.contains(Flags::ITALIC))
        .with(Attrs::UNDERLINE, flags.intersects(Flags::ALL_UNDERLINES))
        .with(Attrs::INVERSE, flags.contains(Flags::INVERSE))
        .with(Attrs::HIDDEN, flags.contains(Flags::HIDDEN))
        .with(Attrs::STRIKE, flags.contains(Flags::STRIKEOUT));
    let marks = cell.zerowidth().filter(|marks| !marks.is_empty());
    Cell {
        ch: if cell.c.is_control() || width == Width::Spacer { ' ' } else { cell.c },
        marks: marks.map(|marks| marks.iter().collect::<String>().into_boxed_str()),
        style: Style { fg: convert_color(cell.fg), bg: convert_color(cell.bg), attrs },
        width,
    }
}

fn convert_color(color: EngineColor) -> Color {
    match color {
        EngineColor::Spec(rgb) => Color::Rgb(rgb.r, rgb.g, rgb.b),
        EngineColor::Indexed(index) => Color::Indexed(index),
        EngineColor::Named(named) => match named as usize {
            index @ 0..=15 => Color::Indexed(index as u8),
            _ => match named {
                NamedColor::DimBlack => Color::Indexed(0),
                NamedColor::DimRed => Color::Indexed(1),
                NamedColor::DimGreen => Color::Indexed(2),
                NamedColor::DimYellow => Color::Indexed(3),
                NamedColor::DimBlue => Color::Indexed(4),
                NamedColor::DimMagenta => Color::Indexed(5),
                NamedColor::DimCyan => Color::Indexed(6),
                NamedColor::DimWhite => Color::Indexed(7),
                _ => Color::Default,
            },
        },
    }
}

#[cfg(test)]
#[path = "screen_tests.rs"]
mod tests;
