//! The whole screen in ASCII, for a locale without UTF-8: such a terminal shows anything else as rubbish, an
//! agent's own output included.

use ratatui::buffer::Buffer;
use unicode_width::UnicodeWidthStr;

use crate::dashboard::links;

/// What stands in for what counsel itself draws. Marks that mean different things stay different.
const STAND_INS: [(&str, &str); 43] = [
    ("◌", "."),
    ("●", "*"),
    ("◉", "@"),
    ("○", "o"),
    ("▪", "%"),
    ("◆", "!"),
    ("✓", "v"),
    ("✗", "x"),
    ("‖", "="),
    ("♪", "~"),
    ("»", ">"),
    ("›", ">"),
    ("‹", "<"),
    ("❯", ">"),
    ("▌", ">"),
    ("▏", "|"),
    ("█", "#"),
    ("·", "-"),
    ("…", "~"),
    ("─", "-"),
    ("━", "="),
    ("═", "="),
    ("╌", "."),
    ("│", "|"),
    ("┃", "|"),
    ("║", "|"),
    ("╭", "+"),
    ("╮", "+"),
    ("╰", "+"),
    ("╯", "+"),
    ("┌", "+"),
    ("┐", "+"),
    ("└", "`"),
    ("┘", "+"),
    ("┏", "+"),
    ("┓", "+"),
    ("┗", "+"),
    ("┛", "+"),
    ("╔", "+"),
    ("╗", "+"),
    ("╚", "+"),
    ("╝", "+"),
    ("–", "-"),
];

pub fn translate(buffer: &mut Buffer) {
    for cell in &mut buffer.content {
        let (glyph, link) = links::split(cell.symbol());
        if glyph.is_ascii() {
            continue;
        }
        let known = STAND_INS.iter().find(|(from, _)| *from == glyph).map(|(_, to)| *to);
        let glyph = known.unwrap_or(if glyph.width() == 2 { "??" } else { "?" });
        let symbol: String = glyph.chars().chain(link.and_then(links::mark)).collect();
        cell.set_symbol(&symbol);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ratatui::layout::Rect;

    #[test]
    fn nothing_but_ascii_is_left_and_nothing_moves() {
        let mut buffer = Buffer::empty(Rect::new(0, 0, 12, 1));
        buffer.set_string(0, 0, "◆ api 漢é…", ratatui::style::Style::new());
        translate(&mut buffer);
        let text: String = buffer.content.iter().map(|cell| cell.symbol()).collect();
        assert!(text.is_ascii(), "{text}");
        assert!(text.starts_with("! api ??"), "{text}");
    }
}
