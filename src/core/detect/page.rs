//! A screen as lines of text whose frames are set apart: what every rule of detection reads.
//!
//! Built once per look from the grid and the lines of the look before (`line_cache.rs`). It knows boxes, rules and bars, and the style of each
//! character; it never knows what a line means.

use crate::core::question::normalize::squeezed;
use crate::core::question::restless::at_rest;
use crate::core::question::{Fingerprint, Standing};
use crate::core::terminal::grid::{Attrs, Cell, Color, Grid, Row, Style, Width};

/// Characters that draw the side of a box or a bar along a block.
const SIDES: [char; 8] = ['│', '┃', '║', '▎', '▌', '╎', '┆', '|'];
/// Characters a horizontal rule is made of.
const RULES: [char; 13] = ['─', '━', '═', '▔', '▁', '╌', '┄', '┈', '╍', '┅', '▀', '▄', '―'];
/// Corners and joints that may stand in a rule.
const JOINTS: [char; 24] = [
    '╭', '╮', '╰', '╯', '┌', '┐', '└', '┘', '├', '┤', '┬', '┴', '┼', '╔', '╗', '╚', '╝', '╠', '╣', '╹', '╻',
    '┏', '┗', '┓',
];
/// A shorter run of rule characters is part of a text, a table or a drawing.
const MIN_RULE: usize = 5;

/// How a line is framed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Frame {
    /// The side at the left that was taken off the text.
    pub left: Option<char>,
    /// A matching side stood at the right end.
    pub closed: bool,
}

/// What a line of nothing but rule characters is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rule {
    /// The top of a box.
    Top,
    /// The bottom of a box.
    Bottom,
    /// A line across, light or heavy.
    Across,
    /// A dashed line: it sets apart content inside a dialog.
    Dashed,
}

/// One row of the screen without its frame.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Line {
    /// Inner text from its first to its last glyph; no-break blanks are blanks here.
    pub text: String,
    /// Column of the first glyph of `text`.
    pub start: usize,
    /// Column after the last glyph of `text`.
    pub end: usize,
    /// First column inside the frame, and the column after the last one inside it.
    pub inner: (usize, usize),
    pub frame: Frame,
    pub rule: Option<Rule>,
    /// The program wrote on past the right edge: the next row continues this one.
    pub wrapped: bool,
    /// Background of the first cell inside the frame: what the words stand on.
    pub ground: Color,
    /// Background of the row's first cell: blocks may be set apart by nothing else.
    pub fill: Color,
    /// Letters stand there that nobody can see.
    pub concealed: bool,
    /// Column and style of each character of `text`.
    glyphs: Vec<(u16, Style)>,
}

impl Line {
    pub fn blank(&self) -> bool {
        self.text.is_empty()
    }

    /// Style of the character at a byte offset of `text`.
    pub fn style_at(&self, byte: usize) -> Style {
        let index = self.text.get(..byte).map_or(0, |head| head.chars().count());
        self.glyphs.get(index).map_or_else(Style::default, |glyph| glyph.1)
    }

    /// Column of the character at a byte offset of `text`.
    pub fn column_at(&self, byte: usize) -> usize {
        let index = self.text.get(..byte).map_or(0, |head| head.chars().count());
        self.glyphs.get(index).map_or(self.end, |glyph| usize::from(glyph.0))
    }

    /// Style of the first visible character at or after a byte offset.
    pub fn ink_at(&self, byte: usize) -> Option<Style> {
        let skip = self.text.get(..byte)?.chars().count();
        self.text.chars().zip(&self.glyphs).skip(skip).find(|(ch, _)| *ch != ' ').map(|(_, glyph)| glyph.1)
    }

    /// Style of the last visible character before a byte offset.
    pub fn ink_before(&self, byte: usize) -> Option<Style> {
        let count = self.text.get(..byte)?.chars().count();
        let inked = self.text.chars().zip(&self.glyphs).take(count).filter(|(ch, _)| *ch != ' ');
        inked.last().map(|(_, glyph)| glyph.1)
    }

    /// Styles of the visible characters from a byte offset on.
    pub fn inks(&self, byte: usize) -> impl Iterator<Item = Style> + '_ {
        let skip = self.text.get(..byte).map_or(0, |head| head.chars().count());
        self.text.chars().zip(&self.glyphs).skip(skip).filter(|(ch, _)| *ch != ' ').map(|(_, glyph)| glyph.1)
    }

    /// Byte offset of the first character at or right of a column.
    pub fn byte_at_column(&self, column: usize) -> usize {
        let index = self.glyphs.partition_point(|glyph| usize::from(glyph.0) < column);
        self.text.char_indices().nth(index).map_or(self.text.len(), |(byte, _)| byte)
    }
}

/// A whole screen of lines.
#[derive(Debug, Clone, Default)]
pub struct Page {
    pub lines: Vec<Line>,
    pub cols: usize,
    pub cursor: (usize, usize),
    pub cursor_visible: bool,
    /// There may be more above its first line.
    pub goes_on_above: bool,
    /// Something has left its top since it was cleared.
    pub scrolled: bool,
    /// The number of its first line, where lines are counted.
    pub first_line: Option<u64>,
    /// When the screen got its size, once it is drawn for that.
    pub resized_ms: Option<u64>,
}

/// Lines from a field, or from rows with a field above them, up to the line that asks.
const FIELD_LINES: usize = 4;

/// Whether a line shows only what is typed below a question: a drawn cursor behind it, or a search; or nothing that is read.
fn is_field(text: &str) -> bool {
    let searches = |label: &str| ["search", "filter", "find"].contains(&label.to_lowercase().as_str());
    !text.contains(char::is_alphanumeric)
        || text.trim_end().strip_suffix('█').is_some_and(|typed| !typed.contains('█'))
        || text.trim().split_once(':').is_some_and(|(label, _)| searches(label))
}

/// What the library `prompts` (2.4, npm) writes behind the keys it names while its highlight is on a row that cannot be chosen.
const NOTICE: &str = "- This option is disabled";

fn without_notice(text: &str) -> &str {
    text.split_once(NOTICE).map_or(text, |(before, _)| before)
}

impl Page {
    /// A grid's rows, which read as these lines.
    pub fn of(grid: &Grid, lines: Vec<Line>) -> Page {
        Page {
            goes_on_above: true,
            scrolled: true,
            first_line: None,
            resized_ms: None,
            lines,
            cols: usize::from(grid.cols()),
            cursor: (usize::from(grid.cursor.row), usize::from(grid.cursor.col)),
            cursor_visible: grid.cursor.visible,
        }
    }

    /// Where a question with this prompt stands that begins in this row, or has its first row there.
    pub fn standing(&self, row: usize, prompt: &str) -> Option<Standing> {
        let (first, resized_ms) = (self.first_line?, self.resized_ms?);
        let lines = self.lines.iter().take(row).filter(|line| !line.wrapped).count();
        let own = |row: &usize| !self.text(*row).is_empty() && prompt.contains(self.text(*row));
        let head = |row: &usize| !prompt.is_empty() && self.text(*row).contains(prompt);
        // Above rows, or a field, stands the line that asks, and between the two what is typed or searched for, and nothing else: a
        // file's name there tells one question from the next. Above such a line, perhaps, stands the same with its answer.
        let rows = (0..row).rev().skip_while(own);
        let asks = rows.clone().take(FIELD_LINES).position(|row| head(&row));
        let fields = |count: &usize| rows.clone().take(*count).all(|row| is_field(self.text(row)));
        let asks = asks.filter(|_| !own(&row) && !head(&row)).filter(fields);
        let rows = rows.skip(asks.map_or(0, |at| at + 1));
        let told = rows
            .map(|row| squeezed(&at_rest(without_notice(self.text(row)))))
            .filter(|line| !line.is_empty());
        let mut told = told.map(|line| Fingerprint::of(&line));
        Some(Standing {
            line: first + lines as u64,
            row,
            above: std::array::from_fn(|_| told.next()),
            resized_ms,
        })
    }

    /// The last line that shows anything.
    pub fn bottom(&self) -> Option<usize> {
        self.lines.iter().rposition(|line| !line.blank() || line.rule.is_some())
    }

    /// Takes the bar off that a multiplexer keeps in the last row, on a ground of its own: it is none of its programs'.
    pub fn take_bar(&mut self) -> Option<Line> {
        let last = self.lines.last().filter(|line| !line.blank() && self.cursor.0 + 1 < self.lines.len())?;
        let apart = |style: Style| style.bg != Color::Default || style.attrs.has(Attrs::INVERSE);
        if last.inks(0).all(apart) { self.lines.pop() } else { None }
    }

    /// The page without what prompt_toolkit (Python) says of an answer that it does not take: a bar in the last row of the screen, far
    /// below the question.
    pub fn without_complaint(&self) -> Option<Page> {
        let (last, above) = self.lines.split_last()?;
        let apart = |style: Style| style.bg != Color::Default || style.attrs.has(Attrs::INVERSE);
        let bar = !last.blank() && last.inks(0).all(apart) && above.last()?.blank();
        let asks = above.iter().rev().find(|line| line.text.starts_with("? "))?;
        let library = asks.inks(0).next() != asks.inks(0).last() && self.cursor.0 + 1 < above.len();
        (bar && library).then(|| Page { lines: above.to_vec(), ..self.clone() })
    }

    pub fn text(&self, row: usize) -> &str {
        self.lines.get(row).map_or("", |line| line.text.as_str())
    }
}

/// Whether a style is that of secondary words: dimmed, or one of the greys.
pub fn faint(style: Style) -> bool {
    style.attrs.has(Attrs::DIM)
        || match style.fg {
            Color::Default => false,
            // Bright black, and the grey ramp of the 256-colour palette below its bright end.
            Color::Indexed(index) => {
                index == 8 || (236..=250).contains(&index) || index == 102 || index == 103
            }
            Color::Rgb(r, g, b) => {
                let (low, high) = (r.min(g).min(b), r.max(g).max(b));
                // Near-equal parts, neither black nor bright.
                high - low < 24 && (60..=175).contains(&high)
            }
        }
}

/// Parts of a colour that differ by less are one colour to the eye.
const APART: u8 = 24;

/// Whether letters of this style cannot be seen: concealed, or of the colour of their ground.
fn is_unseen(style: Style) -> bool {
    if style.attrs.has(Attrs::HIDDEN) {
        return true;
    }
    match (parts(style.fg), parts(style.bg)) {
        (Some(one), Some(other)) => one.iter().zip(other).all(|(one, other)| one.abs_diff(other) < APART),
        // The sixteen colours with names are the terminal's own, and the usual ground is black.
        (one, None) if style.bg.is_default() => {
            style.fg == Color::Indexed(0) || one.is_some_and(|one| one.iter().all(|part| *part < APART))
        }
        _ => !style.fg.is_default() && style.fg == style.bg,
    }
}

/// Red, green and blue of a colour that is the same in every terminal: of the palette its cube and its greys.
fn parts(color: Color) -> Option<[u8; 3]> {
    match color {
        Color::Default | Color::Indexed(0..16) => None,
        Color::Indexed(index @ 16..232) => {
            let level = |step: u8| if step == 0 { 0 } else { 55 + 40 * step };
            let at = index - 16;
            Some([level(at / 36), level(at / 6 % 6), level(at % 6)])
        }
        Color::Indexed(index) => Some([8 + 10 * (index - 232); 3]),
        Color::Rgb(red, green, blue) => Some([red, green, blue]),
    }
}

/// What a row reads up to a column.
pub fn line(row: &Row, limit: usize) -> Line {
    let (cells, wrapped) = (row.cells.get(..limit).unwrap_or(&row.cells), row.wrapped);
    let fill = cells.first().map_or(Color::Default, |cell| cell.style.bg);
    let (mut from, mut to) = (0, cells.len());
    // Half the rows of most screens.
    if cells.iter().all(is_blank) {
        return Line { start: to, end: to, inner: (0, to), wrapped, ground: fill, fill, ..Line::default() };
    }
    let mut frame = Frame::default();
    let mut inner = (0, cells.len());
    let rule = rule_of(cells, from, to);
    if rule.is_none() {
        // A box may hold a box: at most two levels are in use.
        for level in 0..2 {
            let Some((left, right)) = sides(cells, from, to) else { break };
            let side = cells[left].ch;
            if level == 0 {
                frame = Frame { left: Some(side), closed: right.is_some() };
            }
            from = left + 1;
            to = right.unwrap_or(to);
            inner = (from, to);
        }
        if frame.left.is_none() {
            to = without_scrollbar(cells, to);
            inner.1 = to;
        }
    }
    let first = (from..to).find(|&at| !is_blank(&cells[at])).unwrap_or(to);
    let last = (from..to).rfind(|&at| !is_blank(&cells[at])).map_or(first, |at| at + 1);
    let (mut text, mut glyphs) = (String::with_capacity(last - first), Vec::with_capacity(last - first));
    let mut marks = cells.len();
    for (column, cell) in cells.iter().enumerate().take(last).skip(first) {
        push(cell, column, &mut marks, &mut text, &mut glyphs);
    }
    let mut end = last;
    while end < to && cells.get(end).is_some_and(|cell| cell.width == Width::Spacer) {
        end += 1;
    }
    let rule = rule.or_else(|| rule_of(cells, from, to));
    let ground = cells.get(inner.0).map_or(Color::Default, |cell| cell.style.bg);
    let concealed = cells[first..last].iter().any(|cell| cell.ch.is_alphanumeric() && is_unseen(cell.style));
    Line { text, start: first, end, inner, frame, rule, wrapped, ground, fill, concealed, glyphs }
}

/// Adds a cell's glyph, with as many of its marks as the row has left: every rule reads the whole text, and no
/// writing has more marks in a row than letters.
fn push(cell: &Cell, column: usize, left: &mut usize, text: &mut String, glyphs: &mut Vec<(u16, Style)>) {
    if cell.width == Width::Spacer {
        return;
    }
    let place = (u16::try_from(column).unwrap_or(u16::MAX), cell.style);
    text.push(if cell.ch == '\u{a0}' { ' ' } else { cell.ch });
    glyphs.push(place);
    // The selector of the plain form of a sign is no letter.
    let marks = cell.marks().chars().filter(|mark| *mark != '\u{fe0e}');
    for mark in marks.take(*left) {
        *left -= 1;
        text.push(mark);
        glyphs.push(place);
    }
}

fn is_blank(cell: &Cell) -> bool {
    matches!(cell.ch, ' ' | '\u{a0}') && cell.marks().is_empty()
}

/// The sides that enclose `from..to`: a left one with a blank (or nothing) after it, and the
/// matching right one if there is one.
fn sides(cells: &[Cell], from: usize, to: usize) -> Option<(usize, Option<usize>)> {
    let left = (from..to).find(|&at| !is_blank(&cells[at]))?;
    let side = cells[left].ch;
    if !SIDES.contains(&side) {
        return None;
    }
    let last = (left + 1..to).rfind(|&at| !is_blank(&cells[at])).filter(|&at| cells[at].ch == side);
    // A letter may touch the left side where a narrow screen squeezed the padding out, but then the
    // box must be closed; an ASCII bar is a side only of a closed box.
    let padded = cells.get(left + 1).is_none_or(is_blank);
    match last {
        Some(right) => Some((left, Some(right))),
        None if padded && side != '|' => Some((left, None)),
        None => None,
    }
}

/// A bar alone in the last column, far from the text, is a scroll bar.
fn without_scrollbar(cells: &[Cell], to: usize) -> usize {
    let Some(last) = (0..to).rfind(|&at| !is_blank(&cells[at])) else { return to };
    let bar = matches!(cells[last].ch, '┃' | '█' | '▐' | '│') && last + 2 >= to;
    if bar && last > 0 && is_blank(&cells[last - 1]) { last } else { to }
}

fn rule_of(cells: &[Cell], from: usize, to: usize) -> Option<Rule> {
    let glyphs = cells.get(from..to)?;
    let first = glyphs.iter().find(|cell| !is_blank(cell))?.ch;
    if !RULES.contains(&first) && !JOINTS.contains(&first) {
        return None;
    }
    let (mut run, mut dashed, mut others) = (0, 0, 0);
    for cell in glyphs.iter().filter(|cell| !is_blank(cell)) {
        match cell.ch {
            '╌' | '┄' | '┈' | '╍' | '┅' => (run, dashed) = (run + 1, dashed + 1),
            ch if RULES.contains(&ch) => run += 1,
            ch if JOINTS.contains(&ch) => {}
            _ => others += 1,
        }
    }
    // A title may be set into a rule, and a scroll bar may stand beside it.
    if run < MIN_RULE || others * 2 > run {
        return None;
    }
    Some(match first {
        '╭' | '┌' | '╔' | '┏' | '╻' => Rule::Top,
        '╰' | '└' | '╚' | '┗' | '╹' => Rule::Bottom,
        _ if dashed * 2 > run => Rule::Dashed,
        _ => Rule::Across,
    })
}
