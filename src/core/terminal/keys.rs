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

    /// Reads a key as the command line and the configuration write it: `enter`, `f5`, `ctrl-c`,
    /// `shift-tab`, `ctrl-\`, `x`. Names as tmux spells them are taken too: `Enter`, `C-c`, `M-x`, `BTab`, `PPage`.
    pub fn parse(text: &str) -> Result<KeyPress, String> {
        let mut mods = Mods::NONE;
        let mut rest = text;
        loop {
            let bit = match rest.split_once('-') {
                Some(("ctrl" | "Ctrl" | "c" | "C", after)) if !after.is_empty() => (Mods::CTRL, after),
                Some(("alt" | "Alt" | "meta" | "M", after)) if !after.is_empty() => (Mods::ALT, after),
                Some(("shift" | "Shift" | "S", after)) if !after.is_empty() => (Mods::SHIFT, after),
                _ => break,
            };
            mods.0 |= bit.0.0;
            rest = bit.1;
        }
        if rest == "BTab" {
            mods.0 |= Mods::SHIFT.0;
            rest = "tab";
        }
        let key = named(rest).ok_or_else(|| {
            format!("'{text}' is not a key; examples: enter, esc, up, space, ctrl-c, shift-tab, f1, x")
        })?;
        Ok(KeyPress { key, mods, action: Action::Press })
    }
}

/// The last function key that terminals have bytes for, as xterm does.
const LAST_FUNCTION_KEY: u8 = 20;

fn named(name: &str) -> Option<Key> {
    let mut chars = name.chars();
    if let (Some(ch), None) = (chars.next(), chars.next()) {
        return Some(Key::Char(ch));
    }
    Some(match name.to_ascii_lowercase().as_str() {
        "enter" | "return" => Key::Enter,
        "esc" | "escape" => Key::Esc,
        "tab" => Key::Tab,
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
        lower => {
            let number = lower.strip_prefix('f')?.parse::<u8>().ok()?;
            return (1..=LAST_FUNCTION_KEY).contains(&number).then_some(Key::F(number));
        }
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
        assert_eq!(KeyPress::parse("X").unwrap().key, Key::Char('X'));
        for (tmux, own) in [
            ("Enter", "enter"),
            ("Escape", "esc"),
            ("C-c", "ctrl-c"),
            ("M-x", "alt-x"),
            ("C-M-Up", "ctrl-alt-up"),
            ("S-F5", "shift-f5"),
            ("F12", "f12"),
            ("BTab", "shift-tab"),
            ("BSpace", "backspace"),
            ("Space", "space"),
            ("PPage", "pageup"),
            ("PgDn", "pagedown"),
            ("NPage", "pagedown"),
            ("IC", "insert"),
            ("DC", "delete"),
            ("C-\\", "ctrl-\\"),
        ] {
            assert_eq!(KeyPress::parse(tmux).unwrap().to_string(), own);
        }
        for bad in ["", "f0", "f21", "f99", "ctrl-", "hyper-x", "enterx"] {
            assert!(KeyPress::parse(bad).is_err(), "{bad}");
        }
    }
}
