//! The emulator: the only folder that names it.
//!
//! `screen.rs` alone drives it, through `door.rs`, which bounds what any sequence can cost and packs the rows
//! that scroll off. It keeps no history of its own: its grid is the screen and nothing else.

mod cells;
mod clusters;
mod colours;
mod damage;
mod door;
mod extras;
mod handler;
mod text;

use alacritty_terminal::event::VoidListener;
use alacritty_terminal::grid::{Dimensions, Grid as EngineGrid};
use alacritty_terminal::index::Line;
use alacritty_terminal::term::cell::Cell as EngineCell;
use alacritty_terminal::term::{Config, Osc52, Term, TermMode};
use alacritty_terminal::vte::ansi::{CursorShape, CursorStyle, Handler, Processor, Timeout};

use crate::core::terminal::cost::Cost;
use crate::core::terminal::grid::{Cursor, Grid, Row, Size};
use crate::core::terminal::scrolled::Packer;
use cells::{RowEnd, convert_row, line_number, pack_row};
pub use damage::Damage;
use door::{Door, Tracked};
use text::Next;

/// Rows a change of width may send to the emulator's history, from which they are packed: without bound, since
/// there are no more than the screen has cells.
const REFLOW_ROOM: usize = 1 << 24;

/// The emulator would hold back a synchronized update, up to 2 MiB of it, and carry it out in one go, whatever
/// that costs. So it never knows of one: the screen shows its last whole frame meanwhile.
#[derive(Debug, Default)]
struct Unbuffered;

impl Timeout for Unbuffered {
    fn set_timeout(&mut self, _: std::time::Duration) {}
    fn clear_timeout(&mut self) {}
    fn pending_timeout(&self) -> bool {
        false
    }
}

/// The control character that ends a sequence without carrying it out (CAN).
const CANCEL: u8 = 0x18;

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

/// What is done to a grid to make it show the screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Change {
    /// All rows moved up by so many, the topmost of them to the bottom.
    MovedUp(usize),
    /// This row shows something else.
    Row(usize),
}

/// What the screens were before they were resized.
pub struct Saved {
    shown: EngineGrid<EngineCell>,
    /// The main one, where the alternate one is shown.
    main: Option<EngineGrid<EngineCell>>,
}

/// The emulator failed on some bytes and was started afresh.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Failed;

pub struct Engine {
    size: Size,
    term: Term<VoidListener>,
    processor: Processor<Unbuffered>,
    tracked: Tracked,
}

impl Engine {
    /// `size` is one the emulator can be driven at.
    pub fn new(size: Size) -> Engine {
        let config = Config {
            // Rows are packed as they leave the screen. A history would make every row pass through a ring of
            // a thousand, megabytes of it.
            scrolling_history: 0,
            // The engine's own stack of these flags panics after 4,097 pushes; `QueryParser` keeps a bounded one.
            kitty_keyboard: false,
            osc52: Osc52::Disabled,
            // No program can ask for this one: it tells a cursor nobody has given a shape.
            default_cursor_style: CursorStyle { shape: CursorShape::HollowBlock, blinking: false },
            ..Config::default()
        };
        Engine {
            size,
            term: Term::new(config, &EngineSize(size), VoidListener),
            processor: Processor::new(),
            tracked: Tracked::new(size),
        }
    }

    /// Draws what these bytes say. Rows that leave the screen go to the packer.
    pub fn draw(&mut self, bytes: &[u8], packer: &mut Packer) -> Result<Cost, Failed> {
        self.run(packer, |processor, door| processor.advance(door, bytes))
    }

    /// Draws as many of these bytes as are text and sequences that only draw, and tells how many. They have to begin
    /// between two sequences, and the rest does.
    pub fn draw_text(&mut self, bytes: &[u8], packer: &mut Packer) -> (usize, Result<Cost, Failed>) {
        let mut at = 0;
        let cost = self.run(packer, |processor, door| {
            loop {
                at += match text::next(&bytes[at..]) {
                    Next::Letters(count) => {
                        door.letters(&bytes[at..at + count]);
                        count
                    }
                    Next::CarriageReturn => {
                        door.carriage_return();
                        1
                    }
                    Next::LineFeed => {
                        door.linefeed();
                        1
                    }
                    Next::Drawing(length) => {
                        let sequence = &bytes[at..at + length];
                        if !door.colours(sequence) {
                            processor.advance(door, sequence);
                        }
                        length
                    }
                    Next::Other => break,
                }
            }
        });
        // What it failed on is not tried again.
        (if cost.is_err() { bytes.len() } else { at }, cost)
    }

    /// As `draw`, where the bytes end with a REP: the character before it is repeated `count` times, at most as
    /// often as it fits on the screen.
    pub fn draw_repeated(&mut self, bytes: &[u8], count: u16, packer: &mut Packer) -> Result<Cost, Failed> {
        // The emulator would repeat it 65,535 times and tell nobody, so its last byte is kept from it.
        let begun = &bytes[..bytes.len().saturating_sub(1)];
        self.run(packer, |processor, door| {
            processor.advance(door, begun);
            processor.advance(door, &[CANCEL]);
            door.repeat(count);
        })
    }

    fn run(
        &mut self,
        packer: &mut Packer,
        work: impl FnOnce(&mut Processor<Unbuffered>, &mut Door<'_>),
    ) -> Result<Cost, Failed> {
        let Engine { term, processor, tracked, .. } = self;
        // Whatever the bytes are, they must not take down who reads them.
        let run = std::panic::AssertUnwindSafe(|| {
            let mut door = Door::new(term, tracked, packer);
            work(processor, &mut door);
            Cost(door.spent as u64)
        });
        std::panic::catch_unwind(run).map_err(|_| {
            *self = Engine::new(self.size);
            Failed
        })
    }

    /// Forgets the sequence it is in the middle of.
    pub fn abandon_sequence(&mut self) {
        self.processor = Processor::new();
    }

    fn is_alternate(&self) -> bool {
        self.term.mode().contains(TermMode::ALT_SCREEN)
    }

    /// What the screens are, for `restore`.
    pub fn save(&mut self) -> Saved {
        let mut main = None;
        if self.is_alternate() {
            self.on_main(|grid| main = Some(grid.clone()));
        }
        Saved { shown: self.term.grid().clone(), main }
    }

    /// Makes the screens what they were at the size they have.
    pub fn restore(&mut self, saved: Saved) {
        if let Some(main) = saved.main {
            self.on_main(|grid| *grid = main);
        }
        *self.term.grid_mut() = saved.shown;
        self.tracked.damage.add_all();
    }

    /// Gives the screen another size. Rows there is no room for go to the packer.
    pub fn resize(&mut self, size: Size, packer: &mut Packer) {
        let former = std::mem::replace(&mut self.size, size);
        if former.rows != size.rows {
            self.on_main(|grid| {
                let below = usize::try_from(grid.cursor.point.line.0 + 1).unwrap_or(0);
                for line in 0..below.saturating_sub(usize::from(size.rows)) {
                    let cells = &grid[line_number(line)][..];
                    pack_row(cells, cells.len(), RowEnd::Own, packer);
                }
            });
            self.term.resize(EngineSize(Size { rows: size.rows, ..former }));
        }
        if former.cols != size.cols {
            self.on_main(|grid| grid.update_history(REFLOW_ROOM));
            self.term.resize(EngineSize(size));
            self.on_main(|grid| {
                take_free_rows(grid, size);
                for line in (1..=grid.history_size()).rev() {
                    let cells = &grid[Line(0) - line][..];
                    pack_row(cells, cells.len(), RowEnd::Own, packer);
                }
                grid.clear_history();
                grid.update_history(0);
            });
        }
        if size.rows > former.rows {
            self.free_spare_rows();
        }
        self.tracked.resize(size);
    }

    /// Does something to the main screen, whichever is shown.
    fn on_main(&mut self, work: impl FnOnce(&mut EngineGrid<EngineCell>)) {
        if !self.is_alternate() {
            return work(self.term.grid_mut());
        }
        // The emulator gives out the shown screen alone, and blanks the alternate one when it is shown.
        let alternate = self.term.grid().clone();
        self.term.swap_alt();
        work(self.term.grid_mut());
        self.term.swap_alt();
        *self.term.grid_mut() = alternate;
    }

    /// The emulator makes a thousand rows where it needs one more. It would keep them, and scroll through them.
    fn free_spare_rows(&mut self) {
        self.on_main(|grid| grid.truncate());
        if self.is_alternate() {
            return self.term.grid_mut().truncate();
        }
        // The alternate screen is blanked whenever it is shown: there is nothing to lose on it.
        let saved = self.term.grid().saved_cursor.clone();
        self.term.swap_alt();
        self.term.grid_mut().truncate();
        self.term.swap_alt();
        self.term.grid_mut().saved_cursor = saved;
    }

    pub fn cursor(&self) -> Cursor {
        let point = self.term.grid().cursor.point;
        let style = self.term.cursor_style();
        let steady = u8::from(!style.blinking);
        let shape = match style.shape {
            CursorShape::HollowBlock if !style.blinking => 0,
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

    /// The last cell of the row is drawn, and the cursor stands on it still.
    pub fn wraps_next(&self) -> bool {
        self.term.grid().cursor.input_needs_wrap
    }

    /// Adds what has changed since this was last asked.
    pub fn add_damage(&mut self, damage: &mut Damage) {
        let rows = usize::from(self.size.rows);
        let mut here = std::mem::replace(&mut self.tracked.damage, Damage::none(rows));
        // Where the cursor stands is noted when it leaves.
        here.add(usize::from(self.cursor().row));
        damage.append(&here);
    }

    /// Brings a grid that showed the screen up to date, where all that differs is in `damage`, and tells what it does
    /// to it.
    pub fn show(&self, damage: &Damage, grid: &mut Grid, mut changed: impl FnMut(Change)) {
        let resized = grid.size != (self.size.cols, self.size.rows);
        if resized {
            *grid = Grid::blank(self.size);
        } else if damage.moved_up() > 0 {
            grid.rows.rotate_left(damage.moved_up());
            changed(Change::MovedUp(damage.moved_up()));
        }
        // A row that is drawn again as it was is no news: the most part of a program's redraw.
        let mut drawn = Row::default();
        for (number, row) in grid.rows.iter_mut().enumerate() {
            if resized || damage.has(number) {
                convert_row(&self.term.grid()[line_number(number)][..], &mut drawn);
                if resized || drawn != *row {
                    std::mem::swap(row, &mut drawn);
                    changed(Change::Row(number));
                }
            }
        }
        grid.cursor = self.cursor();
    }
}

/// Brings back the rows that a narrower screen took more and the emulator moved out, as far as there are free ones below
/// what is left: nothing leaves a screen on which there is room.
fn take_free_rows(grid: &mut EngineGrid<EngineCell>, size: Size) {
    let (rows, cols) = (usize::from(size.rows), usize::from(size.cols));
    let cursor = usize::try_from(grid.cursor.point.line.0).unwrap_or(0);
    let last = (cursor + 1..rows).rev().find(|line| !grid[line_number(*line)].is_clear()).unwrap_or(cursor);
    let back = rows.saturating_sub(last + 1).min(grid.history_size());
    if back > 0 {
        // A higher screen takes rows out of the history, a lower one gives up those below.
        grid.resize(false, rows + back, cols);
        grid.resize(false, rows, cols);
    }
}

#[cfg(test)]
#[path = "engine_tests.rs"]
mod tests;
