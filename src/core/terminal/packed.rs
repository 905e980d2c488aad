//! Finished lines of text and style, packed into bytes: what scrollback consists of.
//!
//! `scrolled.rs` packs the rows that leave a screen, `history.rs` keeps them. A line costs its text, two bytes,
//! and about three for each change of style. Nothing here knows a row, a screen or a limit.

use std::collections::VecDeque;

use crate::core::terminal::grid::{Attrs, Color, Style};

/// Bytes of one block of lines. Memory is given back by the block, so a bound is kept to within one; larger
/// ones make fewer allocations, and this many lines are still skipped in microseconds.
const BLOCK: usize = 32 * 1024;

/// What a stretch of glyphs shares.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Span {
    /// Bytes of the line's text.
    pub bytes: u32,
    pub style: Style,
    pub wide: bool,
    /// One glyph: a base character with its marks.
    pub cluster: bool,
}

impl Span {
    fn joins(&self, other: &Span) -> bool {
        self.style == other.style && self.wide == other.wide && !self.cluster && !other.cluster
    }

    fn is_plain(&self) -> bool {
        self.style == Style::default() && !self.wide && !self.cluster
    }
}

// The first byte of a packed span: what it is, and which of its colours follow.
const WIDE: u8 = 1;
const CLUSTER: u8 = 1 << 1;
const ATTRS: u8 = 1 << 2;
const FG_SHIFT: u8 = 3;
const BG_SHIFT: u8 = 5;
const INDEXED: u8 = 1;
const RGB: u8 = 2;
const COLOR_BITS: u8 = 0b11;
/// The colour of its underline follows, and before it which kind of colour that is.
const UNDERLINE: u8 = 1 << 7;

fn put_number(out: &mut Vec<u8>, mut number: u32) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

fn take_number(bytes: &mut &[u8]) -> u32 {
    let (mut number, mut shift) = (0, 0);
    while let Some((first, rest)) = bytes.split_first() {
        *bytes = rest;
        number |= u32::from(first & 0x7f) << shift;
        if *first < 0x80 {
            break;
        }
        shift += 7;
    }
    number
}

fn take_byte(bytes: &mut &[u8]) -> u8 {
    bytes.split_off_first().copied().unwrap_or_default()
}

fn color_kind(color: Color) -> u8 {
    match color {
        Color::Default => 0,
        Color::Indexed(_) => INDEXED,
        Color::Rgb(..) => RGB,
    }
}

fn put_color(out: &mut Vec<u8>, color: Color) {
    match color {
        Color::Default => {}
        Color::Indexed(index) => out.push(index),
        Color::Rgb(r, g, b) => out.extend_from_slice(&[r, g, b]),
    }
}

fn take_color(bytes: &mut &[u8], kind: u8) -> Color {
    match kind & COLOR_BITS {
        INDEXED => Color::Indexed(take_byte(bytes)),
        RGB => Color::Rgb(take_byte(bytes), take_byte(bytes), take_byte(bytes)),
        _ => Color::Default,
    }
}

fn put_span(out: &mut Vec<u8>, span: &Span) {
    let Style { fg, bg, attrs, underline } = span.style;
    let flag = |on: bool, bit: u8| if on { bit } else { 0 };
    out.push(
        flag(span.wide, WIDE)
            | flag(span.cluster, CLUSTER)
            | flag(attrs != Attrs::default(), ATTRS)
            | color_kind(fg) << FG_SHIFT
            | color_kind(bg) << BG_SHIFT
            | flag(!underline.is_default(), UNDERLINE),
    );
    put_number(out, span.bytes);
    put_color(out, fg);
    put_color(out, bg);
    if attrs != Attrs::default() {
        put_number(out, u32::from(attrs.0));
    }
    if !underline.is_default() {
        out.push(color_kind(underline));
        put_color(out, underline);
    }
}

fn take_span(bytes: &mut &[u8]) -> Option<Span> {
    let kind = *bytes.split_off_first()?;
    let length = take_number(bytes);
    let fg = take_color(bytes, kind >> FG_SHIFT);
    let bg = take_color(bytes, kind >> BG_SHIFT);
    let attrs = if kind & ATTRS != 0 { Attrs(take_number(bytes) as u16) } else { Attrs::default() };
    let mut underline = Color::Default;
    if kind & UNDERLINE != 0 {
        let kind = take_byte(bytes);
        underline = take_color(bytes, kind);
    }
    let style = Style { fg, bg, attrs, underline };
    Some(Span { bytes: length, style, wide: kind & WIDE != 0, cluster: kind & CLUSTER != 0 })
}

/// A line as it is read: its text, and what its glyphs look like.
#[derive(Debug, Clone, Copy)]
pub struct Packed<'a> {
    pub text: &'a str,
    spans: &'a [u8],
    /// A span that is not packed yet, of a line that still grows.
    last: Span,
}

impl<'a> Packed<'a> {
    /// Every stretch of the text from its beginning to its end.
    pub fn spans(&self) -> impl Iterator<Item = Span> + use<'a> {
        let (mut packed, mut last, mut left) = (self.spans, Some(self.last), self.text.len());
        std::iter::from_fn(move || {
            let rest = |left| Span { bytes: left, ..Span::default() };
            let next = take_span(&mut packed)
                .or_else(|| last.take().filter(|span| span.bytes > 0))
                // What is plain up to the end is not written down.
                .or_else(|| u32::try_from(left).ok().filter(|left| *left > 0).map(rest))?;
            left = left.saturating_sub(next.bytes as usize);
            Some(next)
        })
    }
}

/// A line that is being put together.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OpenLine {
    /// UTF-8. As a String it would be asked for room at each letter.
    text: Vec<u8>,
    spans: Vec<u8>,
    /// The stretch at the end, which may still grow; empty before the first glyph.
    last: Span,
}

impl OpenLine {
    /// Glyphs of one column each, of one style, without marks.
    pub fn run(&mut self, style: Style, glyphs: impl Iterator<Item = char> + Clone) {
        let before = self.text.len();
        if glyphs.clone().all(|glyph| glyph.is_ascii()) {
            self.text.extend(glyphs.map(|letter| letter as u8));
        } else {
            glyphs.for_each(|glyph| self.put(glyph));
        }
        self.count(Span { bytes: (self.text.len() - before) as u32, style, ..Span::default() });
    }

    /// One glyph of any kind.
    pub fn glyph(&mut self, ch: char, marks: impl Iterator<Item = char>, style: Style, wide: bool) {
        let before = self.text.len();
        self.put(ch);
        let base = self.text.len();
        marks.for_each(|mark| self.put(mark));
        let cluster = self.text.len() > base;
        self.count(Span { bytes: (self.text.len() - before) as u32, style, wide, cluster });
    }

    /// What the rest of this line turned out to be.
    pub fn append(&mut self, rest: Packed<'_>) {
        self.text.extend_from_slice(rest.text.as_bytes());
        rest.spans().for_each(|span| self.count(span));
    }

    fn clear(&mut self) {
        self.text.clear();
        self.spans.clear();
        self.last = Span::default();
    }

    pub fn read(&self) -> Packed<'_> {
        let text = std::str::from_utf8(&self.text).expect("put together from characters");
        Packed { text, spans: &self.spans, last: self.last }
    }

    /// Bytes of text so far.
    pub fn len(&self) -> usize {
        self.text.len()
    }

    /// Bytes of memory it holds.
    pub fn held(&self) -> usize {
        self.text.capacity() + self.spans.capacity()
    }

    fn put(&mut self, ch: char) {
        self.text.extend_from_slice(ch.encode_utf8(&mut [0; 4]).as_bytes());
    }

    fn count(&mut self, span: Span) {
        if self.last.bytes > 0 && self.last.joins(&span) {
            self.last.bytes += span.bytes;
            return;
        }
        if self.last.bytes > 0 {
            put_span(&mut self.spans, &self.last);
        }
        self.last = span;
    }
}

/// Lines one after the other: for each the lengths of its text and of its spans, then both.
#[derive(Debug)]
struct Block {
    /// Number of its first line.
    first: u64,
    count: u32,
    bytes: Vec<u8>,
}

impl Block {
    /// The line that begins at a place, and the place behind it.
    fn read(&self, at: usize) -> Option<(Packed<'_>, usize)> {
        let mut rest = self.bytes.get(at..).filter(|rest| !rest.is_empty())?;
        let (text, spans) = (take_number(&mut rest) as usize, take_number(&mut rest) as usize);
        let (text, rest) = rest.split_at_checked(text)?;
        let (spans, rest) = rest.split_at_checked(spans)?;
        let text = std::str::from_utf8(text).expect("packed from characters");
        Some((Packed { text, spans, last: Span::default() }, self.bytes.len() - rest.len()))
    }

    /// Where its line with this number begins.
    fn place(&self, number: u64) -> usize {
        let mut rest = &self.bytes[..];
        for _ in self.first..number {
            let length = take_number(&mut rest) as usize + take_number(&mut rest) as usize;
            rest = rest.get(length..).unwrap_or_default();
        }
        self.bytes.len() - rest.len()
    }
}

/// Finished lines, numbered from 0 on, of which the oldest may be dropped.
#[derive(Debug, Default)]
pub struct Lines {
    blocks: VecDeque<Block>,
    first: u64,
    end: u64,
    /// Bytes of memory that the blocks hold.
    held: usize,
}

impl Lines {
    /// Number of the oldest line that is kept.
    pub fn first(&self) -> u64 {
        self.first
    }

    /// One past the newest line.
    pub fn end(&self) -> u64 {
        self.end
    }

    /// Bytes of memory they take.
    pub fn held(&self) -> usize {
        self.held
    }

    /// Takes a finished line, and leaves an empty one.
    pub fn push(&mut self, line: &mut OpenLine) {
        // What is plain up to the end of the line needs no span.
        if line.last.bytes > 0 && !line.last.is_plain() {
            put_span(&mut line.spans, &line.last);
        }
        // Two lengths of at most five bytes each.
        let bytes = self.room(1, 10 + line.text.len() + line.spans.len());
        put_number(bytes, line.text.len() as u32);
        put_number(bytes, line.spans.len() as u32);
        bytes.extend_from_slice(&line.text);
        bytes.extend_from_slice(&line.spans);
        line.clear();
    }

    /// Takes this many lines with nothing in them.
    pub fn push_empty(&mut self, count: usize) {
        for _ in 0..count {
            self.room(1, 2).extend_from_slice(&[0, 0]);
        }
    }

    /// Takes the lines of another from number `from` on.
    pub fn append(&mut self, other: &Lines, from: u64) {
        for block in &other.blocks {
            let from = from.max(block.first);
            let count = (block.first + u64::from(block.count)).saturating_sub(from);
            if count > 0 {
                let packed = &block.bytes[block.place(from)..];
                self.room(count as u32, packed.len()).extend_from_slice(packed);
            }
        }
    }

    /// Drops the oldest line, if there is one.
    pub fn pop(&mut self) -> bool {
        let Some(block) = self.blocks.front() else { return false };
        self.first += 1;
        if block.first + u64::from(block.count) == self.first {
            self.pop_block();
        }
        true
    }

    /// Drops the oldest block, unless it is the only one; whether it did.
    pub fn pop_oldest_block(&mut self) -> bool {
        let more = self.blocks.len() > 1;
        if more {
            self.pop_block();
        }
        more
    }

    fn pop_block(&mut self) {
        if let Some(block) = self.blocks.pop_front() {
            self.held -= block.bytes.capacity() + size_of::<Block>();
            self.first = block.first + u64::from(block.count);
        }
    }

    /// Drops all; the next line has this number.
    pub fn restart(&mut self, number: u64) {
        *self = Lines { first: number, end: number, ..Lines::default() };
    }

    /// The kept lines from number `from` on.
    pub fn from(&self, from: u64) -> impl Iterator<Item = Packed<'_>> {
        let from = from.max(self.first);
        let skip = self.blocks.partition_point(|block| block.first + u64::from(block.count) <= from);
        self.blocks.iter().skip(skip).flat_map(move |block| {
            let mut at = block.place(from.max(block.first));
            std::iter::from_fn(move || {
                let (line, next) = block.read(at)?;
                at = next;
                Some(line)
            })
        })
    }

    /// The block that takes `count` lines of together at most so many bytes.
    fn room(&mut self, count: u32, bytes: usize) -> &mut Vec<u8> {
        if self.blocks.back().is_none_or(|block| !block.bytes.is_empty() && block.bytes.len() + bytes > BLOCK)
        {
            self.blocks.push_back(Block { first: self.end, count: 0, bytes: Vec::new() });
            self.held += size_of::<Block>();
        }
        self.end += u64::from(count);
        let block = self.blocks.back_mut().expect("there is one, if only since now");
        block.count += count;
        let (before, needed) = (block.bytes.capacity(), block.bytes.len() + bytes);
        if needed > before {
            // A short history is small, and none is much larger than what is in it.
            let room = (before * 2).clamp(needed, needed.max(BLOCK));
            block.bytes.reserve_exact(room - block.bytes.len());
        }
        self.held += block.bytes.capacity() - before;
        &mut block.bytes
    }
}
