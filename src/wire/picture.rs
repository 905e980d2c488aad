//! The binary form of a picture: the payload of a `KIND_PICTURE` frame.
//!
//! `wire/frame.rs` calls it for `Notice::Picture`. A picture is most of what crosses the socket, many times
//! a second, and a key's echo waits for it: as JSON it costs ten times the bytes and the time. The decoder
//! takes any bytes: it never panics and never makes more cells than the largest screen has.
//!
//! Numbers are LEB128, a text is its length in bytes and UTF-8:
//! ```text
//! picture = agent:text cols rows cursor title:text modes:u16le kitty:u8 count row*
//! cursor  = row col flags:u8            bit 7: visible; below it the DECSCUSR shape
//! row     = index runs<<1|wrapped run*  indices rise
//! run     = head:u8 [more:u8] fg bg [attrs] [underline] [link] text
//!           colours: no byte, an index, or r g b, as head and more say
//! link    = number [id:text uri:text]   both texts where no run of the picture before had this number
//! ```

use std::sync::Arc;

use crate::core::terminal::grid::{Attrs, Color, Cursor, Link, Size, Style};
use crate::core::terminal::link;
use crate::core::terminal::modes::Modes;
use crate::core::terminal::picture::{Line, Picture, Run};

use super::binary::{Unread, number, text};
use super::frame::{KIND_PICTURE, Malformed, Message};
use super::message::{Notice, ServerMessage};

/// Head of a run: what follows it.
mod head {
    pub const FG: u8 = 1;
    pub const FG_RGB: u8 = 1 << 1;
    pub const BG: u8 = 1 << 2;
    pub const BG_RGB: u8 = 1 << 3;
    pub const ATTRS: u8 = 1 << 4;
    pub const WIDE: u8 = 1 << 5;
    pub const CLUSTER: u8 = 1 << 6;
    /// A second byte follows.
    pub const MORE: u8 = 1 << 7;
}

/// The second byte of a run's head.
mod more {
    pub const UNDERLINE: u8 = 1;
    pub const UNDERLINE_RGB: u8 = 1 << 1;
    pub const LINK: u8 = 1 << 2;
    /// No version has used them.
    pub const UNUSED: u8 = !0b111;
}

const CURSOR_VISIBLE: u8 = 1 << 7;

impl Message for ServerMessage {
    fn encode_binary(&self, payload: &mut Vec<u8>) -> Option<u8> {
        let ServerMessage::Notice(Notice::Picture { name, picture }) = self else { return None };
        encode(name, picture, payload);
        Some(KIND_PICTURE)
    }

    fn decode_binary(kind: u8, payload: &[u8]) -> Option<Result<ServerMessage, Malformed>> {
        (kind == KIND_PICTURE).then(|| {
            let (name, picture) = decode(payload)?;
            Ok(ServerMessage::Notice(Notice::Picture { name, picture }))
        })
    }
}

/// Appends the picture of an agent.
pub fn encode(agent: &str, picture: &Picture, out: &mut Vec<u8>) {
    text(agent, out);
    number(picture.size.cols.into(), out);
    number(picture.size.rows.into(), out);
    let cursor = picture.cursor;
    number(cursor.row.into(), out);
    number(cursor.col.into(), out);
    out.push(if cursor.visible { CURSOR_VISIBLE } else { 0 } | cursor.shape & !CURSOR_VISIBLE);
    text(&picture.title, out);
    out.extend_from_slice(&mode_bits(picture.modes).to_le_bytes());
    out.push(picture.modes.kitty);
    number(picture.rows.len(), out);
    let mut links = Vec::new();
    for (index, line) in &picture.rows {
        number((*index).into(), out);
        number(line.runs.len() << 1 | usize::from(line.wrapped), out);
        for run in &line.runs {
            encode_run(run, &mut links, out);
        }
    }
}

/// `links`: those of the runs before.
fn encode_run<'a>(run: &'a Run, links: &mut Vec<&'a Arc<Link>>, out: &mut Vec<u8>) {
    let Style { fg, bg, attrs, underline } = run.style;
    let second = [
        (!underline.is_default(), more::UNDERLINE),
        (matches!(underline, Color::Rgb(..)), more::UNDERLINE_RGB),
        (run.link.is_some(), more::LINK),
    ];
    let second = second.iter().filter(|(set, _)| *set).fold(0, |all, (_, bit)| all | bit);
    let bits = [
        (fg != Color::Default, head::FG),
        (matches!(fg, Color::Rgb(..)), head::FG_RGB),
        (bg != Color::Default, head::BG),
        (matches!(bg, Color::Rgb(..)), head::BG_RGB),
        (attrs != Attrs::default(), head::ATTRS),
        (run.width == 2, head::WIDE),
        (run.cluster, head::CLUSTER),
        (second != 0, head::MORE),
    ];
    out.push(bits.iter().filter(|(set, _)| *set).fold(0, |all, (_, bit)| all | bit));
    if second != 0 {
        out.push(second);
    }
    put_color(fg, out);
    put_color(bg, out);
    if attrs != Attrs::default() {
        number(attrs.0.into(), out);
    }
    put_color(underline, out);
    if let Some(link) = &run.link {
        let known = links.iter().rposition(|known| *known == link);
        number(known.unwrap_or(links.len()), out);
        if known.is_none() {
            text(&link.id, out);
            text(&link.uri, out);
            links.push(link);
        }
    }
    text(&run.text, out);
}

fn put_color(color: Color, out: &mut Vec<u8>) {
    match color {
        Color::Default => {}
        Color::Indexed(index) => out.push(index),
        Color::Rgb(r, g, b) => out.extend_from_slice(&[r, g, b]),
    }
}

/// The agent's name and its picture.
pub fn decode(payload: &[u8]) -> Result<(String, Picture), Malformed> {
    let mut rest = Unread(payload);
    let agent = rest.text()?.to_owned();
    let size = Size { cols: rest.small()?, rows: rest.small()? };
    if size != size.clamped() {
        return Err(Malformed("an impossible size"));
    }
    let (row, col, flags) = (rest.small()?, rest.small()?, rest.byte()?);
    let cursor = Cursor { row, col, visible: flags & CURSOR_VISIBLE != 0, shape: flags & !CURSOR_VISIBLE };
    let title = rest.text()?.to_owned();
    let bits = u16::from_le_bytes([rest.byte()?, rest.byte()?]);
    let modes = modes_of(bits, rest.byte()?);
    let count = rest.small()?;
    if count > size.rows {
        return Err(Malformed("more rows than it is high"));
    }
    let mut rows: Vec<(u16, Line)> = Vec::with_capacity(count.into());
    let mut rest = Rows(rest, Vec::new());
    for _ in 0..count {
        let index = rest.0.small()?;
        if index >= size.rows || rows.last().is_some_and(|(last, _)| *last >= index) {
            return Err(Malformed("rows out of order"));
        }
        rows.push((index, rest.line(size.cols)?));
    }
    rest.0.end()?;
    Ok((agent, Picture { size, rows, cursor, modes, title }))
}

/// The rows that are not read yet, and the links read so far.
struct Rows<'a>(Unread<'a>, Vec<Arc<Link>>);

impl Rows<'_> {
    fn line(&mut self, cols: u16) -> Result<Line, Malformed> {
        let counted = self.0.number()?;
        let (count, wrapped) = (counted >> 1, counted & 1 != 0);
        // Each run has a glyph at least, and each glyph a cell.
        if count > usize::from(cols) {
            return Err(Malformed("more in a row than it is wide"));
        }
        let (mut runs, mut glyphs) = (Vec::with_capacity(count), 0);
        for _ in 0..count {
            let run = self.run()?;
            glyphs += if run.cluster { 1 } else { run.text.chars().count() };
            if run.text.is_empty() || glyphs > usize::from(cols) {
                return Err(Malformed("more in a row than it is wide"));
            }
            runs.push(run);
        }
        Ok(Line { runs, wrapped })
    }

    fn run(&mut self) -> Result<Run, Malformed> {
        let bits = self.0.byte()?;
        let has = |bit| bits & bit != 0;
        let second = if has(head::MORE) { self.0.byte()? } else { 0 };
        let also = |bit| second & bit != 0;
        let unknown = also(more::UNUSED)
            || has(head::MORE) && second == 0
            || also(more::UNDERLINE_RGB) && !also(more::UNDERLINE);
        if unknown || has(head::FG_RGB) && !has(head::FG) || has(head::BG_RGB) && !has(head::BG) {
            return Err(Malformed("an unknown kind of run"));
        }
        let fg = self.color(has(head::FG), has(head::FG_RGB))?;
        let bg = self.color(has(head::BG), has(head::BG_RGB))?;
        let attrs = if has(head::ATTRS) { Attrs(self.0.small()?) } else { Attrs::default() };
        let underline = self.color(also(more::UNDERLINE), also(more::UNDERLINE_RGB))?;
        let link = if also(more::LINK) { Some(self.link()?) } else { None };
        let text = self.0.text()?.to_owned();
        let width = if has(head::WIDE) { 2 } else { 1 };
        let style = Style { fg, bg, attrs, underline };
        Ok(Run { text, style, width, cluster: has(head::CLUSTER), link })
    }

    fn link(&mut self) -> Result<Arc<Link>, Malformed> {
        let number = self.0.number()?;
        if number == self.1.len() {
            let (id, uri) = (self.0.text()?, self.0.text()?);
            let link = link::checked(id, uri).ok_or(Malformed("a link that is none"))?;
            self.1.push(Arc::new(link));
        }
        self.1.get(number).cloned().ok_or(Malformed("an unknown link"))
    }

    fn color(&mut self, any: bool, rgb: bool) -> Result<Color, Malformed> {
        Ok(match (any, rgb) {
            (false, _) => Color::Default,
            (true, false) => Color::Indexed(self.0.byte()?),
            (true, true) => Color::Rgb(self.0.byte()?, self.0.byte()?, self.0.byte()?),
        })
    }
}

/// Their places in the two bytes never change.
fn mode_bits(modes: Modes) -> u16 {
    let Modes {
        application_cursor,
        application_keypad,
        bracketed_paste,
        focus_events,
        mouse_click,
        mouse_drag,
        mouse_motion,
        mouse_sgr,
        alternate_scroll,
        alternate_screen,
        line_feed_new_line,
        kitty: _,
    } = modes;
    let in_order = [
        application_cursor,
        application_keypad,
        bracketed_paste,
        focus_events,
        mouse_click,
        mouse_drag,
        mouse_motion,
        mouse_sgr,
        alternate_scroll,
        alternate_screen,
        line_feed_new_line,
    ];
    in_order.iter().enumerate().fold(0, |bits, (place, on)| bits | u16::from(*on) << place)
}

fn modes_of(bits: u16, kitty: u8) -> Modes {
    let on = |place: u16| bits & 1 << place != 0;
    Modes {
        application_cursor: on(0),
        application_keypad: on(1),
        bracketed_paste: on(2),
        focus_events: on(3),
        mouse_click: on(4),
        mouse_drag: on(5),
        mouse_motion: on(6),
        mouse_sgr: on(7),
        alternate_scroll: on(8),
        alternate_screen: on(9),
        line_feed_new_line: on(10),
        kitty,
    }
}

#[cfg(test)]
#[path = "picture_tests.rs"]
mod tests;
