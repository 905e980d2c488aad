//! Keys, pastes and mouse events as values.
//!
//! Clients send these values; the hub turns them into bytes at the last moment, beside the screen
//! whose modes decide the encoding (`core/terminal/encode.rs`). Nothing here knows an escape sequence.

use serde::{Deserialize, Serialize};

/// A key of the keyboard, apart from its modifiers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Key {
    Char(char),
    Enter,
    Esc,
    Tab,
    Backspace,
    Up,
    Down,
    Left,
    Right,
    Home,
    End,
    PageUp,
    PageDown,
    Insert,
    Delete,
    /// F1 is 1.
    F(u8),
}

/// Modifier bits. The values cross the socket: never renumber them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Mods(pub u8);

impl Mods {
    pub const NONE: Mods = Mods(0);
    pub const SHIFT: Mods = Mods(1);
    pub const ALT: Mods = Mods(1 << 1);
    pub const CTRL: Mods = Mods(1 << 2);
    pub const SUPER: Mods = Mods(1 << 3);

    pub fn has(self, bit: Mods) -> bool {
        self.0 & bit.0 != 0
    }

    pub fn without(self, bit: Mods) -> Mods {
        Mods(self.0 & !bit.0)
    }
}

/// Press, repeat or release; programs without the kitty protocol see no releases.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Action {
    #[default]
    Press,
    Repeat,
    Release,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct KeyPress {
    pub key: Key,
    #[serde(default)]
    pub mods: Mods,
    #[serde(default)]
    pub action: Action,
}

impl KeyPress {
    pub fn plain(key: Key) -> KeyPress {
        KeyPress { key, mods: Mods::NONE, action: Action::Press }
    }

    pub fn ctrl(ch: char) -> KeyPress {
        KeyPress { key: Key::Char(ch), mods: Mods::CTRL, action: Action::Press }
    }

    /// Reads a key as the command line and the configuration write it: `enter`, `f5`, `ctrl-c`, `shift-tab`, `ctrl-\`,
    /// `x`; and by all names that tmux's key-string.c has for keys of a keyboard, which it reads however they are
    /// capitalized: `Enter`, `C-c`, `^c`, `M-x`, `BTab`, `PPage`, `KPEnter`.
    ///
    /// # Errors
    /// It names no key.
    pub fn parse(text: &str) -> Result<KeyPress, String> {
        let (mut mods, mut rest) = (Mods::NONE, text);
        while let Some((mods_of, after)) = modified(rest) {
            mods.0 |= mods_of.0;
            rest = after;
        }
        let (key, own) = named(rest).ok_or_else(|| {
            format!("'{text}' is not a key; examples: enter, esc, up, space, ctrl-c, shift-tab, f1, x")
        })?;
        mods.0 |= own.0;
        // As whoever holds shift types it: where no protocol tells of shift, the letter does.
        let key = match key {
            Key::Char(ch) if mods.has(Mods::SHIFT) && !mods.has(Mods::CTRL) => {
                Key::Char(ch.to_ascii_uppercase())
            }
            key => key,
        };
        Ok(KeyPress { key, mods, action: Action::Press })
    }
}

/// The last function key that terminals have bytes for, as xterm does.
const LAST_FUNCTION_KEY: u8 = 20;

/// What tmux calls the control characters from NUL on; those that are keys of their own have the key's name.
const CONTROLS: [&str; 32] = [
    "[nul]", "[soh]", "[stx]", "[etx]", "[eot]", "[enq]", "[asc]", "[bel]", "[bs]", "tab", "[lf]", "[vt]",
    "[ff]", "enter", "[so]", "[si]", "[dle]", "[dc1]", "[dc2]", "[dc3]", "[dc4]", "[nak]", "[syn]", "[etb]",
    "[can]", "[em]", "[sub]", "escape", "[fs]", "[gs]", "[rs]", "[us]",
];

/// Prefixes and what they hold down.
const MODIFIERS: [(&str, Mods); 8] = [
    ("ctrl-", Mods::CTRL),
    ("c-", Mods::CTRL),
    ("^", Mods::CTRL),
    ("alt-", Mods::ALT),
    ("meta-", Mods::ALT),
    ("m-", Mods::ALT),
    ("shift-", Mods::SHIFT),
    ("s-", Mods::SHIFT),
];

/// The modifier a name begins with, and the rest of the name.
fn modified(name: &str) -> Option<(Mods, &str)> {
    MODIFIERS.iter().find_map(|(prefix, mods)| {
        let (head, rest) = name.split_at_checked(prefix.len())?;
        (head.eq_ignore_ascii_case(prefix) && !rest.is_empty()).then_some((*mods, rest))
    })
}

/// A key without its modifiers, and those that are in its name.
fn named(name: &str) -> Option<(Key, Mods)> {
    let mut chars = name.chars();
    if let (Some(ch), None) = (chars.next(), chars.next()) {
        return Some((Key::Char(ch), Mods::NONE));
    }
    let lower = name.to_ascii_lowercase();
    let key = match lower.as_str() {
        "enter" | "return" | "kpenter" => Key::Enter,
        "esc" | "escape" => Key::Esc,
        "tab" => Key::Tab,
        "btab" => return Some((Key::Tab, Mods::SHIFT)),
        "space" => Key::Char(' '),
        "backspace" | "bspace" => Key::Backspace,
        "up" => Key::Up,
        "down" => Key::Down,
        "left" => Key::Left,
        "right" => Key::Right,
        "home" => Key::Home,
        "end" => Key::End,
        "pageup" | "pgup" | "ppage" => Key::PageUp,
        "pagedown" | "pgdn" | "npage" => Key::PageDown,
        "insert" | "ic" => Key::Insert,
        "delete" | "dc" => Key::Delete,
        lower => return rarer(lower),
    };
    Some((key, Mods::NONE))
}

/// Function keys, those of the number pad, characters by their number, and control characters by their name.
fn rarer(lower: &str) -> Option<(Key, Mods)> {
    let pad = || {
        let ch = lower.strip_prefix("kp").filter(|ch| ch.len() == 1)?.chars().next()?;
        (ch.is_ascii_digit() || "/*-+.".contains(ch)).then_some((Key::Char(ch), Mods::NONE))
    };
    let function = || {
        let number = lower.strip_prefix('f')?.parse::<u8>().ok()?;
        (1..=LAST_FUNCTION_KEY).contains(&number).then_some((Key::F(number), Mods::NONE))
    };
    let by_number = || {
        let code = u32::from_str_radix(lower.strip_prefix("0x")?, 16).ok()?;
        let ch = char::from_u32(code)?;
        Some(control(code).unwrap_or((Key::Char(ch), Mods::NONE)))
    };
    let by_name = || control(u32::try_from(CONTROLS.iter().position(|name| *name == lower)?).ok()?);
    pad().or_else(function).or_else(by_number).or_else(by_name)
}

/// The key that types a control character.
fn control(code: u32) -> Option<(Key, Mods)> {
    Some(match code {
        0x09 => (Key::Tab, Mods::NONE),
        0x0d => (Key::Enter, Mods::NONE),
        0x1b => (Key::Esc, Mods::NONE),
        0x7f => (Key::Backspace, Mods::NONE),
        // Ctrl makes them of the letters and marks 64 further on.
        0..0x20 => (Key::Char(char::from_u32(code + 0x40)?.to_ascii_lowercase()), Mods::CTRL),
        _ => return None,
    })
}

impl std::fmt::Display for KeyPress {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for (bit, name) in [(Mods::CTRL, "ctrl-"), (Mods::ALT, "alt-"), (Mods::SHIFT, "shift-")] {
            if self.mods.has(bit) {
                f.write_str(name)?;
            }
        }
        match self.key {
            Key::Char(' ') => f.write_str("space"),
            Key::Char(ch) => write!(f, "{ch}"),
            Key::F(number) => write!(f, "f{number}"),
            other => f.write_str(&format!("{other:?}").to_lowercase()),
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MouseKind {
    Press,
    Release,
    Drag,
    Move,
    WheelUp,
    WheelDown,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Button {
    Left,
    Middle,
    Right,
}

/// A mouse event in the agent's own cells, 0-based.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Mouse {
    pub kind: MouseKind,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub button: Option<Button>,
    pub row: u16,
    pub col: u16,
    #[serde(default)]
    pub mods: Mods,
}

/// Something a person, a command or delivery puts into an agent's terminal.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Input {
    Key(KeyPress),
    /// Typed as if by keyboard, without paste brackets: a line feed is the Return key.
    Text(String),
    /// These bytes and no others.
    Raw(Vec<u8>),
    /// Bracketed if the program has switched mode 2004 on.
    Paste(String),
    Mouse(Mouse),
    Focus(bool),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_read_as_they_print() {
        for text in
            ["enter", "ctrl-c", "ctrl-\\", "shift-tab", "f12", "space", "x", "alt-up", "ctrl-alt-delete"]
        {
            assert_eq!(KeyPress::parse(text).unwrap().to_string(), text);
        }
        assert_eq!(KeyPress::parse("-").unwrap().key, Key::Char('-'));
        assert_eq!(KeyPress::parse("^").unwrap().key, Key::Char('^'));
        assert_eq!(KeyPress::parse("X").unwrap().key, Key::Char('X'));
        for bad in [
            "", "f0", "f21", "f99", "ctrl-", "hyper-x", "enterx", "kp", "kpx", "kp12", "0x", "0x110000",
            "é-x",
        ] {
            assert!(KeyPress::parse(bad).is_err(), "{bad}");
        }
    }

    /// KPEnter, BTab with a capital, `c-c`, `^c` and the rest of tmux's names were refused.
    #[test]
    fn tmux_s_names_are_read_however_they_are_capitalized() {
        for (tmux, own) in [
            ("Enter", "enter"),
            ("Escape", "esc"),
            ("C-c", "ctrl-c"),
            ("c-c", "ctrl-c"),
            ("^c", "ctrl-c"),
            ("^Space", "ctrl-space"),
            ("M-x", "alt-x"),
            ("C-M-Up", "ctrl-alt-up"),
            ("S-F5", "shift-f5"),
            ("S-a", "shift-A"),
            ("BTab", "shift-tab"),
            ("C--", "ctrl--"),
            ("BSpace", "backspace"),
            ("C-Space", "ctrl-space"),
            ("PPage", "pageup"),
            ("PgDn", "pagedown"),
            ("npage", "pagedown"),
            ("IC", "insert"),
            ("DC", "delete"),
            ("KPEnter", "enter"),
            ("KP7", "7"),
            ("KP/", "/"),
            ("KP.", "."),
            ("[NUL]", "ctrl-@"),
            ("[ETX]", "ctrl-c"),
            ("[US]", "ctrl-_"),
            ("0x41", "A"),
            ("0x1b", "esc"),
        ] {
            assert_eq!(KeyPress::parse(tmux).unwrap().to_string(), own, "{tmux}");
        }
    }
}
