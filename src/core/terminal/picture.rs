//! A screen as it crosses the socket: only the rows that differ from what the client shows.
//!
//! A session keeps for every client that shows it a *shadow*, which rows that client shows now, and
//! `Picture::delta` turns the shadow into the present. Attach, reconnect, lag and resize are this
//! one operation, so a slow client gets fewer pictures and never a backlog.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::core::terminal::grid::{Cell, Cursor, Extra, Grid, Link, Row, Size, Style, Width};
use crate::core::terminal::modes::Modes;
use crate::core::terminal::screen::Screen;

/// Cells of one style and width next to each other.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Run {
    #[serde(rename = "t")]
    pub text: String,
    #[serde(rename = "s", default, skip_serializing_if = "is_plain")]
    pub style: Style,
    /// Columns of each glyph: 1 or 2.
    #[serde(rename = "w", default = "one", skip_serializing_if = "is_one")]
    pub width: u8,
    /// The whole text is one glyph: a base character with its combining marks.
    #[serde(rename = "c", default, skip_serializing_if = "std::ops::Not::not")]
    pub cluster: bool,
    /// Where it leads.
    #[serde(rename = "l", default, skip_serializing_if = "Option::is_none")]
    pub link: Option<Arc<Link>>,
}

fn is_plain(style: &Style) -> bool {
    *style == Style::default()
}

fn one() -> u8 {
    1
}

fn is_one(width: &u8) -> bool {
    *width == 1
}

/// One row of a picture.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Line {
    pub runs: Vec<Run>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub wrapped: bool,
}

/// What changed since the client's last picture.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Picture {
    pub size: Size,
    pub rows: Vec<(u16, Line)>,
    pub cursor: Cursor,
    pub modes: Modes,
    pub title: String,
}

/// What a client shows of one screen.
#[derive(Debug, Clone, Default)]
pub struct Shadow {
    size: (u16, u16),
    cursor: Cursor,
    /// The versions of the rows, see `Screen::versions`; none before the first picture.
    rows: Vec<u64>,
}

impl Shadow {
    pub fn is_blank(&self) -> bool {
        self.rows.is_empty()
    }
}

impl Picture {
    /// What turns `shadow`, which was always of this screen, into what the screen shows; the shadow is brought
    /// up to date. `None`: nothing to do.
    pub fn delta(shadow: &mut Shadow, screen: &Screen) -> Option<Vec<(u16, Line)>> {
        let (present, versions) = (screen.grid(), screen.versions());
        let fresh = shadow.is_blank() || shadow.size != present.size;
        let rows: Vec<(u16, Line)> = (0..)
            .zip(present.rows.iter().zip(versions))
            .filter(|(index, (_, version))| fresh || shadow.rows.get(usize::from(*index)) != Some(*version))
            .map(|(index, (row, _))| (index, Line::from(row)))
            .collect();
        let cursor_moved = shadow.cursor != present.cursor;
        (shadow.size, shadow.cursor) = (present.size, present.cursor);
        if !rows.is_empty() {
            shadow.rows.clear();
            shadow.rows.extend_from_slice(versions);
        }
        (fresh || cursor_moved || !rows.is_empty()).then_some(rows)
    }

    /// Brings a client's grid up to date. Rows and columns outside it are ignored.
    pub fn apply(&self, grid: &mut Grid) {
        let size = self.size.clamped();
        if grid.size != (size.cols, size.rows) {
            *grid = Grid::blank(size);
        }
        for (index, line) in &self.rows {
            if let Some(row) = grid.rows.get_mut(usize::from(*index)) {
                *row = line.to_row(size.cols);
            }
        }
        grid.cursor = self.cursor;
    }
}

impl From<&Row> for Line {
    fn from(row: &Row) -> Line {
        let mut runs: Vec<Run> = Vec::new();
        // Whoever makes a row of it fills that up: blanks behind a key's echo are not what it is to wait for.
        // Those at the end of a row that goes on in the next stand between two words.
        let last = row.cells.iter().rposition(|cell| !cell.is_blank());
        let used = if row.wrapped { row.cells.len() } else { last.map_or(0, |last| last + 1) };
        // The right half of a wide glyph is implied.
        for cell in row.cells[..used].iter().filter(|cell| cell.width != Width::Spacer) {
            let width = if cell.width == Width::Two { 2 } else { 1 };
            let cluster = !cell.marks().is_empty();
            match runs.last_mut() {
                Some(run)
                    if run.style == cell.style
                        && run.width == width
                        && !run.cluster
                        && !cluster
                        && run.link.as_ref() == cell.link() =>
                {
                    cell.push_to(&mut run.text);
                }
                _ => {
                    let mut text = String::new();
                    cell.push_to(&mut text);
                    runs.push(Run { text, style: cell.style, width, cluster, link: cell.link().cloned() });
                }
            }
        }
        Line { runs, wrapped: row.wrapped }
    }
}

impl Line {
    /// The row this line describes, as wide as the grid.
    pub fn to_row(&self, cols: u16) -> Row {
        let mut row = Row { cells: Vec::with_capacity(usize::from(cols)), wrapped: self.wrapped };
        for run in &self.runs {
            if run.cluster {
                let mut chars = run.text.chars();
                let (ch, marks) = (chars.next().unwrap_or(' '), chars.as_str());
                let extra = Extra { marks: marks.into(), link: run.link.clone() };
                push_glyph(&mut row, ch, (extra != Extra::default()).then(|| Arc::new(extra)), run);
            } else {
                let extra = run.link.clone().map(|link| Extra { marks: "".into(), link: Some(link) });
                let extra = extra.map(Arc::new);
                for ch in run.text.chars() {
                    push_glyph(&mut row, ch, extra.clone(), run);
                }
            }
        }
        row.cells.resize(usize::from(cols), Cell::default());
        row
    }

    pub fn text(&self) -> String {
        self.full_text().trim_end().to_owned()
    }

    /// The same with the blanks at its end: what a line that goes on in the next row consists of.
    pub fn full_text(&self) -> String {
        self.runs.iter().map(|run| run.text.as_str()).collect()
    }
}

fn push_glyph(row: &mut Row, ch: char, extra: Option<Arc<Extra>>, run: &Run) {
    let width = if run.width == 2 { Width::Two } else { Width::One };
    row.cells.push(Cell { ch, style: run.style, width, extra });
    if width == Width::Two {
        row.cells.push(Cell { style: run.style, width: Width::Spacer, ..Cell::default() });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::terminal::query_replies::TerminalIdentity;
    use proptest::prelude::*;

    fn picture(shadow: &mut Shadow, screen: &Screen) -> Option<Picture> {
        let rows = Picture::delta(shadow, screen)?;
        let grid = screen.grid();
        Some(Picture {
            size: screen.size(),
            rows,
            cursor: grid.cursor,
            modes: screen.modes(),
            title: String::new(),
        })
    }

    /// Output a terminal program might write: text, wide text, marks, styles, moves, erasures.
    fn piece() -> impl Strategy<Value = String> {
        prop_oneof![
            "[ -~]{0,12}",
            Just("漢字e\u{301}❤️👍\r\n".to_owned()),
            (0u8..110).prop_map(|n| format!("\x1b[{n}m")),
            (1u8..30, 1u8..30).prop_map(|(r, c)| format!("\x1b[{r};{c}H")),
            (0u8..4, prop::sample::select(vec!['J', 'K', 'P', '@', 'L', 'M', 'X']))
                .prop_map(|(n, c)| format!("\x1b[{n}{c}")),
            prop::sample::select(vec!["\x1b[?1049h", "\x1b[?1049l", "\x1b[?25l", "\x1b[3;8r", "\n"])
                .prop_map(str::to_owned),
        ]
    }

    proptest! {
        #[test]
        fn deltas_applied_one_after_another_are_the_screen(
            frames in prop::collection::vec((prop::collection::vec(piece(), 0..20), prop::option::of((1u16..40, 1u16..20))), 1..12)
        ) {
            let mut screen = Screen::new(Size::new(20, 8), TerminalIdentity::default());
            let (mut shadow, mut client) = (Shadow::default(), Grid::default());
            for (pieces, size) in frames {
                if let Some((cols, rows)) = size {
                    screen.resize(Size::new(cols, rows));
                }
                screen.feed(pieces.concat().as_bytes());
                if let Some(picture) = picture(&mut shadow, &screen) {
                    picture.apply(&mut client);
                }
                prop_assert_eq!(&client.rows, &screen.grid().rows);
                prop_assert_eq!(client.cursor, screen.grid().cursor);
            }
        }
    }

    /// Each key's echo carried the blanks behind it to the edge of the screen.
    #[test]
    fn a_line_ends_with_its_last_glyph() {
        let mut screen = Screen::new(Size::new(20, 2), TerminalIdentity::default());
        screen.feed("a  b 漢\r\n\x1b[41m \x1b[m".as_bytes());
        let line = |row: usize| Line::from(&screen.grid().rows[row]);
        let texts = |line: Line| line.runs.into_iter().map(|run| run.text).collect::<Vec<_>>();
        assert_eq!(texts(line(0)), ["a  b ", "漢"]);
        assert_eq!(texts(line(1)), [" "], "a coloured blank is seen");
    }

    #[test]
    fn an_unchanged_screen_makes_no_picture() {
        let mut screen = Screen::new(Size::new(20, 8), TerminalIdentity::default());
        let mut shadow = Shadow::default();
        screen.feed(b"hello");
        assert_eq!(picture(&mut shadow, &screen).map(|p| p.rows.len()), Some(8));
        assert_eq!(picture(&mut shadow, &screen), None);
        screen.feed(b"!");
        assert_eq!(picture(&mut shadow, &screen).map(|p| p.rows.len()), Some(1));
        screen.feed(b"\rhello!");
        assert_eq!(picture(&mut shadow, &screen), None, "drawn again as it was");
    }
}
