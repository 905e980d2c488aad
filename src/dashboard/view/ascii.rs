//! The whole screen in ASCII, for a locale without UTF-8: such a terminal shows anything else as rubbish, an
//! agent's own output included.

use ratatui::buffer::Buffer;
use unicode_width::UnicodeWidthStr;

use crate::dashboard::links;

/// What stands in for what counsel itself draws. Marks that mean different things stay different.
const STAND_INS: [(&str, &str); 48] = [
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
    ("↑", "^"),
    ("↓", "v"),
    ("◂", "<"),
    ("“", "\""),
    ("”", "\""),
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
    use std::fs;
    use std::path::{Path, PathBuf};

    use super::*;
    use ratatui::layout::Rect;

    /// The arrows of the list had none: they were shown as `?`, which is the mark of an unknown state.
    #[test]
    fn every_symbol_that_is_drawn_has_a_stand_in() {
        let mut sources = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("src/core/keymap.rs")];
        let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("src/dashboard")];
        while let Some(folder) = folders.pop() {
            let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
            let (more, files): (Vec<PathBuf>, Vec<PathBuf>) = entries.partition(|path| path.is_dir());
            folders.extend(more);
            sources.extend(files.into_iter().filter(|path| !path.to_string_lossy().ends_with("_tests.rs")));
        }
        let mut symbols = 0;
        for path in &sources {
            let text = fs::read_to_string(path).unwrap();
            let code = text.split("#[cfg(test)]").next().unwrap_or_default().lines();
            for line in code.filter(|line| !line.trim_start().starts_with("//")) {
                for symbol in line.chars().filter(|ch| !ch.is_ascii()) {
                    let known = STAND_INS.iter().any(|(from, _)| from.chars().eq([symbol]));
                    assert!(known, "{symbol} in {}", path.display());
                    symbols += 1;
                }
            }
        }
        assert!(sources.len() > 50 && symbols > 50, "{} sources, {symbols} symbols", sources.len());
    }

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
