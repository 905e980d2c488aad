//! The screen and its packed history against an emulator that keeps its history itself.

use alacritty_terminal::event::VoidListener;
use alacritty_terminal::term::cell::Flags;
use proptest::prelude::*;

use super::*;
use crate::core::terminal::grid::{Attrs, Cell, Row, Style, Width};
use crate::core::terminal::history::History;
use crate::core::terminal::query_replies::TerminalIdentity;
use crate::core::terminal::screen::Screen;

/// A line as its glyphs with their styles.
type Glyphs = Vec<(String, Style)>;

/// An emulator as it comes, with a history of its own.
struct Plain {
    term: Term<VoidListener>,
    processor: Processor<Unbuffered>,
    size: Size,
    /// Rows its history has at the moment.
    kept: usize,
    /// Rows that ever came into its history.
    rows: Vec<Row>,
}

impl Plain {
    fn new(size: Size) -> Plain {
        let config = Config { scrolling_history: 100_000, ..Config::default() };
        let term = Term::new(config, &EngineSize(size), VoidListener);
        Plain { term, processor: Processor::new(), size, kept: 0, rows: Vec::new() }
    }

    fn feed(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.processor.advance(&mut self.term, &[*byte]);
            self.note_new_rows();
        }
    }

    fn resize(&mut self, size: Size) {
        self.clear_history();
        self.term.resize(EngineSize(Size { rows: size.rows, ..self.size }));
        self.note_new_rows();
        self.clear_history();
        self.term.resize(EngineSize(size));
        if !self.term.mode().contains(TermMode::ALT_SCREEN) {
            self.take_free_rows(size);
        }
        self.note_new_rows();
        self.clear_history();
        self.size = size;
    }

    /// What a reflow moved out comes back, as far as there is nothing below what is left.
    fn take_free_rows(&mut self, size: Size) {
        let rows = i32::from(size.rows);
        let grid = self.term.grid_mut();
        let used = |line: &i32| *line <= grid.cursor.point.line.0 || !grid[Line(*line)].is_clear();
        let last = (0..rows).rev().find(used).unwrap_or(0);
        let back = usize::try_from(rows - 1 - last).unwrap().min(grid.history_size());
        // More rows take from the history, fewer give up those below.
        grid.resize(false, usize::from(size.rows) + back, usize::from(size.cols));
        grid.resize(false, usize::from(size.rows), usize::from(size.cols));
    }

    /// So that a resize takes nothing back from it.
    fn clear_history(&mut self) {
        self.term.grid_mut().clear_history();
        self.kept = 0;
    }

    /// Rows as they are when they enter its history: it may touch them there.
    fn note_new_rows(&mut self) {
        if self.term.mode().contains(TermMode::ALT_SCREEN) {
            return;
        }
        let grid = self.term.grid();
        for line in (1..=grid.history_size() - self.kept).rev() {
            let cells = &grid[Line(0) - line];
            let gap = cells.last().is_some_and(|cell| cell.flags.contains(Flags::LEADING_WIDE_CHAR_SPACER));
            let mut row = Row::default();
            convert_row(&cells[..], &mut row);
            if gap && row.wrapped {
                row.cells.pop();
            }
            self.rows.push(row);
        }
        self.kept = grid.history_size();
    }

    /// Its history as glyphs with their styles, one list for each line.
    fn lines(&self) -> Vec<Glyphs> {
        let (mut lines, mut line) = (Vec::new(), Vec::new());
        for row in &self.rows {
            // The colours of ink and of an underline do not show where neither is.
            let inkless =
                |style: Style| Style { fg: Default::default(), underline: Default::default(), ..style };
            let bare = |style: Style| inkless(style) == Style::default();
            let mut cells: Vec<_> = row.cells.iter().filter(|cell| cell.width != Width::Spacer).collect();
            while !row.wrapped
                && cells
                    .last()
                    .is_some_and(|cell| cell.ch == ' ' && cell.marks().is_empty() && bare(cell.style))
            {
                cells.pop();
            }
            for cell in cells {
                let mut glyph = String::new();
                cell.push_to(&mut glyph);
                line.push((glyph, steady(cell.style)));
            }
            if !row.wrapped {
                lines.push(std::mem::take(&mut line));
            }
        }
        if !line.is_empty() {
            lines.push(line);
        }
        lines
    }

    fn screen(&self) -> Vec<Row> {
        let lines = 0..usize::from(self.size.rows);
        let row = |line: usize| {
            let mut row = Row::default();
            convert_row(&self.term.grid()[line_number(line)][..], &mut row);
            row
        };
        lines.map(row).collect()
    }
}

/// Without what the emulator by itself does not know.
fn steady(style: Style) -> Style {
    Style { attrs: Attrs(style.attrs.0 & !Attrs::BLINK.0), ..style }
}

/// A history's lines in the same form.
fn glyphs(history: &History) -> Vec<Glyphs> {
    let mut lines = Vec::new();
    for line in history.lines(0, u64::MAX, 20_000) {
        let mut glyphs = Vec::new();
        for run in &line.runs {
            if run.cluster {
                glyphs.push((run.text.clone(), steady(run.style)));
            } else {
                glyphs.extend(run.text.chars().map(|ch| (ch.to_string(), steady(run.style))));
            }
        }
        lines.push(glyphs);
    }
    lines
}

/// Rows in the same form, which also tells which of them wrapped.
fn shown(rows: &[Row]) -> Vec<Glyphs> {
    let cell = |cell: &Cell| (format!("{}{}", cell.ch, cell.marks()), steady(cell.style));
    let end = |row: &Row| (if row.wrapped { "+" } else { "." }.to_owned(), Style::default());
    rows.iter().map(|row| row.cells.iter().map(cell).chain([end(row)]).collect()).collect()
}

/// The first line in which two histories differ.
fn difference(one: &[Glyphs], other: &[Glyphs]) -> Option<String> {
    let at = (0..one.len().max(other.len())).find(|at| one.get(*at) != other.get(*at))?;
    let text = |line: &Glyphs| line.iter().map(|glyph| glyph.0.as_str()).collect::<String>();
    let (texts, lines) = ([one, other].map(|lines| lines.get(at).map(text)), [one.get(at), other.get(at)]);
    Some(if texts[0] == texts[1] { format!("line {at}: {lines:?}") } else { format!("line {at}: {texts:?}") })
}

/// Anything that draws, moves, scrolls or erases.
fn any_piece() -> impl Strategy<Value = String> {
    let final_bytes = "@ABCDEFGHIJKLMPSTXZ`abdfmr";
    prop_oneof![
        4 => "[ -~]{0,12}",
        3 => "(\r?\n){1,3}",
        2 => prop::sample::select(vec!["漢字", "e\u{301}\u{302}", "❤", "👍", "\t", "漢\r\n", "\u{7f}", "\u{301}"]).prop_map(str::to_owned),
        3 => prop::sample::select(vec![
            "\x1b[?7l", "\x1b[?7h", "\x1b[4h", "\x1b[4l", "\x1bM", "\x1bD", "\x1bE", "\x1b#8", "\x1b[?6h", "\x1b[?6l",
            "\x1b[?1049h", "\x1b[?1049l", "\x1b[?3h", "\x1b7", "\x1b8", "\x1b[3g", "\x1bH", "\x1b[2J", "\x1b[J", "\x1b[H",
            "\x1b)0\x0eqx\x0f", "\x1b(0", "\x1b(B", "\x1b[58;5;3m", "\x1b]8;;http://x\x07", "\x1b[41m", "\x1b[m", "\x1b[44m\x1b[2J\x1b[m",
        ]).prop_map(str::to_owned),
        3 => (0u8..14, prop::sample::select(final_bytes.chars().collect::<Vec<_>>())).prop_map(|(n, c)| match (n, c) {
            (3, 'J') => String::new(),
            // Not more often than the smallest screen has cells.
            (_, 'b') => format!("\x1b[{}b", n % 3),
            _ => format!("\x1b[{n}{c}"),
        }),
        1 => (1u8..9, 1u8..14).prop_map(|(top, bottom)| format!("\x1b[{top};{bottom}r")),
        1 => (1u8..9, 1u8..14).prop_map(|(row, col)| format!("\x1b[{row};{col}H")),
        1 => (0u8..108).prop_map(|n| format!("\x1b[{n}m")),
    ]
}

fn any_piece_or_update() -> impl Strategy<Value = String> {
    // What the emulator by itself draws in other columns.
    let pictures = ["❤\u{fe0f}", "👍🏽", "1\u{fe0f}\u{20e3}", "🧑\u{200d}", "💻", "🏽"];
    let edges = ["\x1b[?2026h", "\x1b[?2026l", "\x1b[?2026l", "\x1bc"];
    let edges = prop::sample::select([&edges[..], &pictures].concat());
    prop_oneof![9 => any_piece(), 1 => edges.prop_map(str::to_owned)]
}

/// Output of a program that goes on line by line.
fn line_piece() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => "[ -~]{0,30}",
        2 => Just("\r\n".to_owned()),
        1 => "漢{1,12}",
        1 => Just("e\u{301}\t".to_owned()),
        1 => (30u8..38).prop_map(|n| format!("\x1b[{n}m")),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { ..ProptestConfig::default() })]

    /// Rows are packed before they leave, from what the emulator does not tell of its state. So whatever a
    /// program prints: what was packed is what an emulator with a history would have kept, and so is the screen.
    #[test]
    fn the_packed_history_is_the_emulators(
        pieces in prop::collection::vec(any_piece(), 0..80), cols in 2u16..14, rows in 2u16..9,
    ) {
        let size = Size::new(cols, rows);
        let (mut screen, mut plain, mut history) =
            (Screen::new(size, TerminalIdentity::default()), Plain::new(size), History::new(100_000));
        // An emulator with an empty history lets a blank row into it that no other would.
        let begin = "begin\r\n".repeat(9);
        for piece in std::iter::once(&begin).chain(&pieces) {
            history.push(&screen.feed(piece.as_bytes()).scrolled);
            plain.feed(piece.as_bytes());
        }
        prop_assert_eq!(difference(&shown(&screen.grid().rows), &shown(&plain.screen())), None);
        prop_assert_eq!(difference(&glyphs(&history), &plain.lines()), None);
    }

    /// The same where the screen changes its size meanwhile.
    #[test]
    fn no_line_is_lost_or_doubled_by_resizes(
        frames in prop::collection::vec((prop::collection::vec(line_piece(), 0..12), 2u16..30, 1u16..12), 1..8)
    ) {
        let size = Size::new(20, 6);
        let (mut screen, mut plain, mut history) =
            (Screen::new(size, TerminalIdentity::default()), Plain::new(size), History::new(100_000));
        for (pieces, cols, rows) in frames {
            let text = pieces.concat() + ".";
            history.push(&screen.feed(text.as_bytes()).scrolled);
            plain.feed(text.as_bytes());
            screen.resize(Size::new(cols, rows));
            plain.resize(Size::new(cols, rows));
        }
        history.push(&screen.feed(b".").scrolled);
        plain.feed(b".");
        prop_assert_eq!(difference(&shown(&screen.grid().rows), &shown(&plain.screen())), None);
        prop_assert_eq!(difference(&glyphs(&history), &plain.lines()), None);
    }

    /// The grid is brought up to date from what the door notes, and rows that only moved up are not looked at. So
    /// whatever a program prints, and whenever somebody looks: the grid is the one that a look at every row makes, and
    /// a row has the number it had only where it shows what it did.
    #[test]
    fn a_grid_that_is_brought_up_to_date_is_one_that_is_made_anew(
        pieces in prop::collection::vec((any_piece_or_update(), any::<bool>()), 0..80),
        cols in 2u16..14, rows in 1u16..9,
        sizes in prop::collection::vec((0usize..80, 2u16..14, 1u16..9), 0..3),
    ) {
        let mut screen = Screen::new(Size::new(cols, rows), TerminalIdentity::default());
        let mut former: Vec<(u64, Row)> = Vec::new();
        for (number, (piece, looked_at)) in pieces.iter().enumerate() {
            screen.feed(piece.as_bytes());
            for (_, cols, rows) in sizes.iter().filter(|(when, _, _)| *when == number) {
                screen.resize(Size::new(*cols, *rows));
            }
            if *looked_at {
                // Within a synchronized update the grid is the frame before it.
                if !screen.in_sync() {
                    prop_assert_eq!(screen.grid(), &screen.drawn());
                }
                let numbered = screen.versions().iter().copied().zip(screen.grid().rows.iter().cloned());
                let numbered: Vec<(u64, Row)> = numbered.collect();
                for (version, row) in &numbered {
                    let same = former.iter().find(|(earlier, _)| earlier == version);
                    prop_assert!(same.is_none_or(|(_, earlier)| earlier == row), "{} shows something else", version);
                    prop_assert_eq!(numbered.iter().filter(|(other, _)| other == version).count(), 1);
                }
                former = numbered;
            }
        }
    }
}

/// The emulator moves as many rows out as a narrower screen takes more, though there are free ones below: of "Delete /srv/data? [y/N]"
/// only "[y/N]" was left on a screen of which all else was blank.
#[test]
fn what_is_broken_into_more_rows_takes_the_free_ones_below_first() {
    for (from, rows, lead, left) in [
        ((220, 50), 20, "", ""),
        ((58, 20), 20, "", ""),
        ((58, 20), 20, "one\r\ntwo\r\n", "one\ntwo\n"),
        ((58, 4), 4, "one\r\ntwo\r\n", "one\ntwo\n"),
        ((58, 4), 4, "one\r\ntwo\r\nthree\r\n", "two\nthree\n"),
        ((58, 20), 3, "one\r\ntwo\r\n", "two\n"),
    ] {
        let mut screen = Screen::new(Size::new(from.0, from.1), TerminalIdentity::default());
        screen.feed(format!("{lead}Delete /srv/data and 3 other folders? [y/N] ").as_bytes());
        screen.resize(Size::new(38, rows));
        let shown = format!("{left}Delete /srv/data and 3 other folders?\n[y/N]");
        assert_eq!(screen.grid().text().trim_end(), shown, "{from:?} to {rows} rows, behind {lead:?}");
        let at = u16::try_from(shown.lines().count() - 1).unwrap();
        assert_eq!((screen.grid().cursor.row, screen.grid().cursor.col), (at, 6));
        screen.feed(b"y");
        assert!(screen.grid().text().trim_end().ends_with("[y/N] y"));
    }
}
