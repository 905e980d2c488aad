//! Keys, pastes and mouse events as the bytes a program expects, under the modes it switched on.
//!
//! The hub calls it at the last moment, beside the screen whose modes decide. Sources: xterm's
//! ctlseqs (legacy keys, modifiers, mouse) and the kitty keyboard protocol.

use crate::core::terminal::keys::{Action, Button, Input, Key, KeyPress, Mods, Mouse, MouseKind};
use crate::core::terminal::modes::Modes;

/// Kitty progressive enhancement flags.
const DISAMBIGUATE: u8 = 1;
const REPORT_EVENTS: u8 = 1 << 1;
const ALL_AS_ESCAPES: u8 = 1 << 3;
/// Lines a wheel notch scrolls on the alternate screen of a program without mouse support, as xterm.
const WHEEL_LINES: usize = 3;

/// The bytes for one input; empty if the program did not ask for such a thing.
pub fn encode(input: &Input, modes: &Modes) -> Vec<u8> {
    match input {
        Input::Key(press) => key(press, modes),
        Input::Text(text) => lines(text).into_bytes(),
        Input::Raw(bytes) => bytes.clone(),
        Input::Paste(text) => paste(text, modes),
        Input::Mouse(event) => mouse(event, modes),
        Input::Focus(gained) if modes.focus_events => if *gained { b"\x1b[I" } else { b"\x1b[O" }.to_vec(),
        Input::Focus(_) => Vec::new(),
    }
}

/// The same for a program in tmux, whose terminal type has sequences of its own for Home and End (terminfo `tmux`: `khome`,
/// `kend`).
pub fn encode_in_tmux(input: &Input, modes: &Modes) -> Vec<u8> {
    match input {
        Input::Key(KeyPress { key: key @ (Key::Home | Key::End), mods: Mods::NONE, action }) => {
            match (action, key) {
                (Action::Release, _) => Vec::new(),
                (_, Key::Home) => b"\x1b[1~".to_vec(),
                _ => b"\x1b[4~".to_vec(),
            }
        }
        input => encode(input, modes),
    }
}

/// Terminals send CR for every line end.
fn lines(text: &str) -> String {
    text.replace("\r\n", "\r").replace('\n', "\r")
}

/// A paste can hold anything; what could end the brackets early or act as a key is taken out.
fn paste(text: &str, modes: &Modes) -> Vec<u8> {
    let harmless = |ch: &char| !ch.is_control() || matches!(ch, '\n' | '\r' | '\t');
    let text = lines(&text.chars().filter(harmless).collect::<String>());
    if modes.bracketed_paste { format!("\x1b[200~{text}\x1b[201~").into_bytes() } else { text.into_bytes() }
}

fn key(press: &KeyPress, modes: &Modes) -> Vec<u8> {
    let kitty = modes.kitty & (DISAMBIGUATE | ALL_AS_ESCAPES) != 0;
    if press.action == Action::Release && (!kitty || modes.kitty & REPORT_EVENTS == 0) {
        return Vec::new();
    }
    if kitty && let Some(bytes) = kitty_key(press, modes) {
        return bytes;
    }
    if press.action == Action::Release { Vec::new() } else { legacy_key(press, modes) }
}

/// xterm's modifier parameter: 1 and the bits shift 1, alt 2, ctrl 4, super 8.
fn modifier(mods: Mods) -> u8 {
    let bit = |mods: Mods, bit: Mods, value: u8| if mods.has(bit) { value } else { 0 };
    1 + bit(mods, Mods::SHIFT, 1)
        + bit(mods, Mods::ALT, 2)
        + bit(mods, Mods::CTRL, 4)
        + bit(mods, Mods::SUPER, 8)
}

/// Keys that end in a letter, and their letter.
fn letter(key: Key) -> Option<char> {
    Some(match key {
        Key::Up => 'A',
        Key::Down => 'B',
        Key::Right => 'C',
        Key::Left => 'D',
        Key::Home => 'H',
        Key::End => 'F',
        Key::F(1) => 'P',
        Key::F(2) => 'Q',
        Key::F(3) => 'R',
        Key::F(4) => 'S',
        _ => return None,
    })
}

/// Keys that end in `~`, and their number.
fn number(key: Key) -> Option<u8> {
    Some(match key {
        Key::Insert => 2,
        Key::Delete => 3,
        Key::PageUp => 5,
        Key::PageDown => 6,
        Key::F(n @ 5..=5) => n + 10,
        Key::F(n @ 6..=10) => n + 11,
        Key::F(n @ 11..=14) => n + 12,
        Key::F(n @ 15..=16) => n + 13,
        Key::F(n @ 17..=20) => n + 14,
        _ => return None,
    })
}

fn legacy_key(press: &KeyPress, modes: &Modes) -> Vec<u8> {
    let mods = modifier(press.mods);
    if let Some(letter) = letter(press.key) {
        let function = matches!(press.key, Key::F(_));
        return match mods {
            1 if function || modes.application_cursor => format!("\x1bO{letter}"),
            1 => format!("\x1b[{letter}"),
            mods => format!("\x1b[1;{mods}{letter}"),
        }
        .into_bytes();
    }
    if let Some(number) = number(press.key) {
        return if mods == 1 { format!("\x1b[{number}~") } else { format!("\x1b[{number};{mods}~") }
            .into_bytes();
    }
    let mut bytes = Vec::new();
    if press.mods.has(Mods::ALT) {
        bytes.push(0x1b);
    }
    match press.key {
        Key::Enter => bytes.push(b'\r'),
        Key::Esc => bytes.push(0x1b),
        Key::Tab if press.mods.has(Mods::SHIFT) => bytes.extend(b"\x1b[Z"),
        Key::Tab => bytes.push(b'\t'),
        Key::Backspace if press.mods.has(Mods::CTRL) => bytes.push(0x08),
        Key::Backspace => bytes.push(0x7f),
        Key::Char(ch) => match control(ch).filter(|_| press.mods.has(Mods::CTRL)) {
            Some(byte) => bytes.push(byte),
            None => bytes.extend(ch.encode_utf8(&mut [0; 4]).bytes()),
        },
        _ => return Vec::new(),
    }
    bytes
}

/// The control character a key makes with ctrl held.
fn control(ch: char) -> Option<u8> {
    Some(match ch.to_ascii_lowercase() {
        ch @ 'a'..='z' => ch as u8 - b'a' + 1,
        '@' | ' ' | '2' => 0,
        '[' | '3' => 0x1b,
        '\\' | '4' => 0x1c,
        ']' | '5' => 0x1d,
        '^' | '6' => 0x1e,
        '_' | '/' | '7' => 0x1f,
        '?' | '8' => 0x7f,
        _ => return None,
    })
}

/// The key in the kitty protocol, where that differs from the legacy encoding under these flags.
fn kitty_key(press: &KeyPress, modes: &Modes) -> Option<Vec<u8>> {
    let all = modes.kitty & ALL_AS_ESCAPES != 0;
    // A capital letter is one with shift, whoever names it.
    let capital = matches!(press.key, Key::Char(ch) if ch.is_uppercase());
    let mods = modifier(if capital { Mods(press.mods.0 | Mods::SHIFT.0) } else { press.mods });
    let event = match press.action {
        Action::Press => 1,
        // Told only to who has asked for it; to others it is one more press.
        Action::Repeat if modes.kitty & REPORT_EVENTS != 0 => 2,
        Action::Repeat => 1,
        Action::Release => 3,
    };
    let tail = match (mods, event) {
        (1, 1) => String::new(),
        (mods, 1) => format!(";{mods}"),
        (mods, event) if modes.kitty & REPORT_EVENTS != 0 => format!(";{mods}:{event}"),
        (mods, _) => format!(";{mods}"),
    };
    if letter(press.key).is_some() && press.key != Key::F(3) || number(press.key).is_some() {
        // The same letters and numbers, always introduced by CSI, with the event in the modifier.
        let Some(letter) = letter(press.key) else {
            return Some(format!("\x1b[{}{tail}~", number(press.key)?).into_bytes());
        };
        let body = if tail.is_empty() { format!("\x1b[{letter}") } else { format!("\x1b[1{tail}{letter}") };
        let legacy = tail.is_empty() && (modes.application_cursor || matches!(press.key, Key::F(_)));
        return if legacy { None } else { Some(body.into_bytes()) };
    }
    let plain = press.mods.0 & !Mods::SHIFT.0 == 0;
    let code = match press.key {
        Key::Esc => 27,
        // Without modifiers these stay what they were, so that a shell remains usable after a crash.
        Key::Enter if all || mods != 1 => 13,
        Key::Tab if all || mods != 1 => 9,
        Key::Backspace if all || mods != 1 => 127,
        Key::Char(ch) if all || !plain => ch.to_lowercase().next().map_or(ch as u32, u32::from),
        Key::F(3) => return Some(format!("\x1b[13{tail}~").into_bytes()),
        _ => return (press.action == Action::Release).then(Vec::new),
    };
    Some(format!("\x1b[{code}{tail}u").into_bytes())
}

fn mouse(event: &Mouse, modes: &Modes) -> Vec<u8> {
    let wheel = matches!(event.kind, MouseKind::WheelUp | MouseKind::WheelDown);
    if !modes.mouse_click {
        if wheel && modes.alternate_screen && modes.alternate_scroll {
            let up = event.kind == MouseKind::WheelUp;
            let arrow = KeyPress::plain(if up { Key::Up } else { Key::Down });
            return legacy_key(&arrow, modes).repeat(WHEEL_LINES);
        }
        return Vec::new();
    }
    let wanted = match event.kind {
        MouseKind::Press | MouseKind::Release | MouseKind::WheelUp | MouseKind::WheelDown => true,
        MouseKind::Drag => modes.mouse_drag,
        MouseKind::Move => modes.mouse_motion,
    };
    if !wanted {
        return Vec::new();
    }
    let button = match event.button {
        Some(Button::Left) => 0,
        Some(Button::Middle) => 1,
        Some(Button::Right) => 2,
        None => 3,
    };
    let kind = match event.kind {
        MouseKind::Press | MouseKind::Release => button,
        MouseKind::Drag | MouseKind::Move => button + 32,
        MouseKind::WheelUp => 64,
        MouseKind::WheelDown => 65,
    };
    let held = event.mods;
    let bit = |bit: Mods, value: u16| if held.has(bit) { value } else { 0 };
    let code = kind + bit(Mods::SHIFT, 4) + bit(Mods::ALT, 8) + bit(Mods::CTRL, 16);
    let (col, row) = (event.col + 1, event.row + 1);
    if modes.mouse_sgr {
        let end = if event.kind == MouseKind::Release { 'm' } else { 'M' };
        return format!("\x1b[<{code};{col};{row}{end}").into_bytes();
    }
    // The old encoding has one byte per number, and no button for a release.
    let code = if event.kind == MouseKind::Release { 3 } else { code };
    let byte = |n: u16| u8::try_from(n + 32).ok();
    match (byte(code), byte(col), byte(row)) {
        (Some(code), Some(col), Some(row)) => vec![0x1b, b'[', b'M', code, col, row],
        _ => Vec::new(),
    }
}

#[cfg(test)]
#[path = "encode_tests.rs"]
mod tests;
