//! Rows on their way from the top of a screen into its history, packed as they leave.
//!
//! The emulator's door (`engine/door.rs`) packs them cell by cell, `screen.rs` hands them out with what it was
//! fed, `history.rs` takes them. Bounded, however much scrolls off in one go.

use crate::core::terminal::grid::Style;
use crate::core::terminal::packed::{Lines, OpenLine, Packed};

/// A line larger than this is cut in two: a program may print for ever without a line feed.
pub const LONGEST: usize = 64 * 1024;
/// Bytes a stretch of one style counts for when a line's size is taken: about what it takes packed.
const RUN_BYTES: usize = 8;
/// Bytes of rows that are kept for whoever takes them; the oldest go first. More than a history of the usual
/// size keeps, and more than any step of `Screen::feed_some` makes.
const MOST: usize = 16 * 1024 * 1024;

/// Lines of which the newest may still grow.
#[derive(Debug, Default)]
pub struct Text {
    pub lines: Lines,
    growing: OpenLine,
    open: bool,
}

impl Text {
    /// Whether the newest line goes on in the row that comes next.
    pub fn open(&self) -> bool {
        self.open
    }

    pub fn first(&self) -> u64 {
        self.lines.first()
    }

    /// One past the newest line.
    pub fn end(&self) -> u64 {
        self.lines.end() + u64::from(self.open)
    }

    pub fn held(&self) -> usize {
        self.lines.held() + self.growing.held()
    }

    /// The kept lines from number `from` on.
    pub fn from(&self, from: u64) -> impl Iterator<Item = Packed<'_>> {
        let growing = Some(self.growing.read()).filter(|_| self.open && from < self.end());
        self.lines.from(from).chain(growing)
    }

    /// Drops all; the next line has this number.
    pub fn restart(&mut self, number: u64) {
        self.lines.restart(number);
        self.growing = OpenLine::default();
        self.open = false;
    }

    fn finish(&mut self) {
        if std::mem::take(&mut self.open) {
            self.lines.push(&mut self.growing);
        }
    }

    /// Takes what came after.
    pub fn join(&mut self, next: &Scrolled) {
        if next.is_empty() {
            return;
        }
        if !next.continues {
            self.finish();
        }
        let number = self.end() - u64::from(self.open);
        let mut from = next.text.first();
        if next.forgot || from > 0 {
            self.restart(number + from);
        } else if self.open
            && let Some(rest) = next.text.from(0).next()
        {
            self.growing.append(rest);
            if next.text.lines.end() == 0 {
                return;
            }
            self.finish();
            from = 1;
        }
        self.lines.append(&next.text.lines, from);
        if next.text.open {
            self.growing.clone_from(&next.text.growing);
            self.open = true;
        }
    }
}

/// Rows that left the top of the main screen, joined to lines where one wrapped into the next.
#[derive(Debug, Default)]
pub struct Scrolled {
    text: Text,
    /// The first line goes on with one whose beginning left before.
    continues: bool,
    /// All that had left before is to be forgotten.
    forgot: bool,
}

impl Scrolled {
    /// Whether there is nothing to take.
    pub fn is_empty(&self) -> bool {
        self.text.end() == 0 && !self.forgot
    }

    /// Whether the last line goes on in the row that comes next.
    pub fn open(&self) -> bool {
        self.text.open()
    }

    /// The lines as plain text.
    pub fn texts(&self) -> impl Iterator<Item = &str> {
        self.text.from(0).map(|line| line.text)
    }

    /// Takes what left after this.
    pub fn append(&mut self, next: Scrolled) {
        if next.is_empty() {
            return;
        }
        if self.is_empty() {
            *self = next;
        } else {
            self.forgot |= next.forgot;
            self.text.join(&next);
        }
    }
}

/// Where the line stands that the next row goes on with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct LineSize(Option<usize>);

/// Packs the rows that leave a screen.
#[derive(Debug, Default)]
pub struct Packer {
    out: Scrolled,
    /// How large the line is that goes on in the next row. Kept here and not taken from `out`, so that it
    /// does not matter to the lines how often they are taken.
    size: LineSize,
    /// Bytes of the line, and stretches of one style, since the row began.
    begun: (usize, usize),
    /// Rows that have left, ever, and how many had when the screen was cleared last.
    left: u64,
    cleared: Option<u64>,
}

impl Packer {
    /// Begins a row that leaves; `end_row` ends it.
    pub fn begin_row(&mut self) {
        self.begun = (self.out.text.growing.len(), 0);
    }

    /// Glyphs of one column each, of one style, without marks.
    pub fn run(&mut self, style: Style, glyphs: impl Iterator<Item = char> + Clone) {
        self.begun.1 += 1;
        self.out.text.growing.run(style, glyphs);
    }

    /// One glyph of any kind.
    pub fn glyph(&mut self, ch: char, marks: impl Iterator<Item = char>, style: Style, wide: bool) {
        self.begun.1 += 1;
        self.out.text.growing.glyph(ch, marks, style, wide);
    }

    /// The screen has been cleared, whatever of it has left.
    pub fn cleared(&mut self) {
        self.cleared = Some(self.left);
    }

    /// Whether the screen was cleared, and nothing has left it since.
    pub fn none_since_cleared(&self) -> bool {
        self.cleared == Some(self.left)
    }

    /// Ends a row; one that wrapped goes on in the next.
    pub fn end_row(&mut self, wrapped: bool) {
        self.left += 1;
        let text = &mut self.out.text;
        let row = text.growing.len() - self.begun.0 + RUN_BYTES * self.begun.1;
        let size = self.size.0.unwrap_or(0) + row;
        text.open = true;
        if wrapped && size < LONGEST {
            self.size = LineSize(Some(size));
            return;
        }
        self.size = LineSize(None);
        text.finish();
        self.bound();
    }

    /// This many rows with nothing in them leave.
    pub fn blank_rows(&mut self, count: usize) {
        self.left += count as u64;
        if count > 0 && self.size.0.is_some() {
            self.begin_row();
            self.end_row(false);
            self.out.text.lines.push_empty(count - 1);
        } else {
            self.out.text.lines.push_empty(count);
        }
        self.bound();
    }

    /// Whatever left before is to be forgotten.
    pub fn forget(&mut self) {
        // A line whose beginning left before is one of them.
        let lines = self.out.text.end().max(u64::from(self.out.continues));
        self.out.text.restart(lines);
        self.out.forgot = true;
        self.size = LineSize(None);
    }

    /// What has left since this was last asked for.
    pub fn take(&mut self) -> Scrolled {
        let next = Scrolled { continues: self.size.0.is_some(), ..Scrolled::default() };
        std::mem::replace(&mut self.out, next)
    }

    /// Takes rows that left before those it has.
    pub fn add_before(&mut self, mut rows: Scrolled) {
        if !rows.is_empty() {
            rows.append(std::mem::take(&mut self.out));
            self.out = rows;
        }
    }

    /// Takes rows that left after those it has.
    pub fn add(&mut self, rows: Scrolled) {
        self.out.append(rows);
    }

    /// Where the line stands that goes on in the next row.
    pub fn line(&self) -> LineSize {
        self.size
    }

    /// Goes back to where `line` stood: what left since then has come back.
    pub fn back_to(&mut self, line: LineSize) {
        self.size = line;
        self.out.continues = line.0.is_some();
    }

    fn bound(&mut self) {
        while self.out.text.lines.held() > MOST && self.out.text.lines.pop_oldest_block() {}
    }
}
