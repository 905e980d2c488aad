//! Which key does what after the prefix chord, and what the command palette offers.
//!
//! One table for keys, help and palette, so that they cannot disagree. Pure.

use crate::core::terminal::keys::{Key, KeyPress, Mods};

/// What a person can ask the dashboard to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Action {
    Next,
    Previous,
    Left,
    Right,
    Up,
    Down,
    Number(u8),
    Zoom,
    NextLayout,
    Create,
    Stop,
    Restart,
    Pause,
    Drawer,
    Answer,
    Edit,
    Consult,
    Scroll,
    Broadcast,
    Help,
    Palette,
    Detach,
    Prefix,
    Shutdown,
}

/// One line of the help: the key as shown, what it does in a word or two, and in a sentence.
#[derive(Debug, Clone, Copy)]
pub struct Entry {
    pub key: &'static str,
    pub action: Action,
    pub short: &'static str,
    pub long: &'static str,
}

const fn entry(key: &'static str, action: Action, short: &'static str, long: &'static str) -> Entry {
    Entry { key, action, short, long }
}

/// In the order in which the help shows them. An empty key: in the palette only.
pub const ENTRIES: &[Entry] = &[
    entry("n", Action::Next, "next", "focus the next agent"),
    entry("p", Action::Previous, "previous", "focus the previous agent"),
    entry("left", Action::Left, "left", "focus the pane to the left; the other arrows likewise"),
    entry("z", Action::Zoom, "zoom", "show only the focused agent, or all again"),
    entry("space", Action::NextLayout, "layout", "arrange the panes in the next layout"),
    entry("q", Action::Drawer, "questions", "show all open questions"),
    entry("a", Action::Answer, "answer", "answer the focused agent's question, or the oldest one for you"),
    entry("e", Action::Edit, "edit answer", "change the proposed answer before it is given"),
    entry("[", Action::Scroll, "scrollback", "look back: / searches, v selects, y copies"),
    entry("P", Action::Pause, "pause", "pause the focused agent, or let it go on"),
    entry(
        "b",
        Action::Broadcast,
        "broadcast",
        "send what you type to every pane on the screen, or no longer",
    ),
    entry("c", Action::Create, "new agent", "start a new agent"),
    entry("x", Action::Stop, "stop", "stop the focused agent; asks first"),
    entry("R", Action::Restart, "restart", "start the focused agent again"),
    entry("C", Action::Consult, "consult", "ask the consultant about the focused agent's question now"),
    entry(":", Action::Palette, "commands", "find a command by its name"),
    entry("?", Action::Help, "help", "show the keys"),
    entry("d", Action::Detach, "detach", "leave the dashboard; the agents go on"),
    entry("", Action::Shutdown, "shut down", "stop all agents and the server; asks first"),
];

/// The action of a key pressed after the prefix. `None`: the key means nothing there.
pub fn action(press: KeyPress, prefix: KeyPress) -> Option<Action> {
    if same_key(press, prefix) {
        return Some(Action::Prefix);
    }
    if press.mods.has(Mods::CTRL) || press.mods.has(Mods::ALT) {
        return None;
    }
    match press.key {
        Key::Left => Some(Action::Left),
        Key::Right => Some(Action::Right),
        Key::Up => Some(Action::Up),
        Key::Down => Some(Action::Down),
        Key::Char(digit @ '1'..='9') => Some(Action::Number(digit as u8 - b'0')),
        Key::Char(' ') => Some(Action::NextLayout),
        Key::Char(ch) => {
            let mut text = [0; 4];
            let text = ch.encode_utf8(&mut text);
            ENTRIES.iter().find(|entry| entry.key == text).map(|entry| entry.action)
        }
        _ => None,
    }
}

/// Whether a press is this chord. Terminals without the kitty protocol tell ctrl with a letter from
/// ctrl-shift with it no better than ctrl-4 from ctrl-\.
pub fn same_key(press: KeyPress, chord: KeyPress) -> bool {
    let folded = |press: KeyPress| {
        let ctrl = press.mods.has(Mods::CTRL);
        let key = match press.key {
            Key::Char(ch) if ctrl => Key::Char(match ch.to_ascii_lowercase() {
                '4' => '\\',
                '5' => ']',
                '6' => '^',
                '7' | '/' => '_',
                '2' | '@' => ' ',
                other => other,
            }),
            other => other,
        };
        (key, ctrl, press.mods.has(Mods::ALT))
    };
    folded(press) == folded(chord)
}

/// Entries whose name or description has these words' letters, best first.
pub fn search(words: &str) -> Vec<&'static Entry> {
    let words: Vec<String> = words.split_whitespace().map(str::to_lowercase).collect();
    let rank = |entry: &&Entry| {
        let starts = words.first().is_some_and(|word| entry.short.starts_with(word.as_str()));
        let inside =
            |word: &String| entry.short.contains(word.as_str()) || entry.long.contains(word.as_str());
        words.iter().all(inside).then_some(u8::from(!starts))
    };
    let mut found: Vec<(u8, &Entry)> =
        ENTRIES.iter().filter_map(|entry| Some((rank(&entry)?, entry))).collect();
    found.sort_by_key(|(rank, _)| *rank);
    found.into_iter().map(|(_, entry)| entry).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_key_of_the_table_does_what_the_table_says() {
        let prefix = KeyPress::ctrl('a');
        for entry in ENTRIES.iter().filter(|entry| !entry.key.is_empty()) {
            let press = KeyPress::parse(entry.key).unwrap();
            assert_eq!(action(press, prefix), Some(entry.action), "{}", entry.key);
        }
        assert_eq!(action(prefix, prefix), Some(Action::Prefix));
        assert_eq!(action(KeyPress::plain(Key::Char('%')), prefix), None);
        assert_eq!(action(KeyPress::ctrl('n'), prefix), None);
    }

    #[test]
    fn both_spellings_of_a_chord_are_that_chord() {
        let chord = KeyPress::parse("ctrl-\\").unwrap();
        assert!(same_key(KeyPress::ctrl('\\'), chord));
        assert!(same_key(KeyPress::ctrl('4'), chord));
        assert!(!same_key(KeyPress::plain(Key::Char('4')), chord));
        assert!(!same_key(KeyPress::plain(Key::Char('\\')), chord));
    }

    #[test]
    fn the_palette_finds_by_name_first() {
        assert_eq!(search("lay")[0].action, Action::NextLayout);
        assert_eq!(search("stop agent")[0].action, Action::Stop);
        assert!(search("zzz").is_empty());
        assert_eq!(search("").len(), ENTRIES.len());
    }
}
