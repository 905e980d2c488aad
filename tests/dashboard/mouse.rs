//! The mouse as a terminal sends it, to the program itself: what a drag selects is on the terminal's clipboard.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use counsel::core::terminal::grid::Size;

use super::desk::{Terminal, World};

/// Where these words begin: column and row, from 1, as the mouse counts.
fn place(text: &str, words: &str) -> (usize, usize) {
    let found = text.lines().enumerate().find_map(|(row, line)| Some((line.split_once(words)?.0, row)));
    let (before, row) = found.unwrap_or_else(|| panic!("no {words:?} in:\n{text}"));
    (before.chars().count() + 1, row + 1)
}

fn drag(terminal: &mut Terminal, (from, row): (usize, usize), (to, last): (usize, usize)) {
    terminal.types(format!("\x1b[<0;{from};{row}M").as_bytes());
    terminal.types(format!("\x1b[<32;{to};{last}M\x1b[<0;{to};{last}m").as_bytes());
}

/// It was known from the parts alone: that the terminal's bytes select and that OSC 52 leaves was not.
#[test]
fn a_drag_puts_what_it_covers_on_the_terminals_clipboard() {
    let world = World::new();
    world.script("web", "printf 'first line\\nthe second line\\nready'; exec cat");
    let mut terminal = world.terminal(Size::new(100, 30), &[]);
    // The list has its last line sooner than the pane.
    terminal.until_text("the second line");
    let (col, row) = place(&terminal.text(), "first line");
    drag(&mut terminal, (col + 6, row), (col + 9, row + 1));
    let wanted = format!("\x1b]52;c;{}", STANDARD.encode("line\nthe second"));
    terminal.until_bytes(wanted.as_bytes());
    terminal.until_text("copied 2 lines");
    // A click selects nothing, and the agent has the keys as before.
    terminal.types(format!("\x1b[<0;{col};{row}M\x1b[<0;{col};{row}m").as_bytes());
    terminal.types(b"typed\r");
    terminal.until("what was typed, twice", |screen| screen.grid().text().matches("typed").count() == 2);
    terminal.types(b"\x01d");
    assert_eq!(terminal.ends().code(), Some(0));
}
