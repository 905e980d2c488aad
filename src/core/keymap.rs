//! Which key does what in the dashboard: one table that keys, help, palette and the configuration share, so
//! that they cannot disagree.
//!
//! The dashboard asks it for every key, `config/check.rs` checks with it what a person has bound. Pure.

use std::collections::BTreeMap;

use crate::core::terminal::decode::{Decoded, InputDecoder};
use crate::core::terminal::encode::encode;
use crate::core::terminal::keys::{Input, Key, KeyPress, Mods};
use crate::core::terminal::modes::Modes;

mod entries;

pub use entries::{Action, Context, ENTRIES, Entry, entries};

/// Keys a person has given to actions, by table and by name.
pub type Overrides = BTreeMap<Context, BTreeMap<String, Vec<String>>>;

/// What is wrong with a key that a person has bound.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    pub context: Context,
    pub name: String,
    pub what: String,
}

/// Every binding in force.
#[derive(Debug, Clone, PartialEq)]
pub struct Keymap {
    pub prefix: KeyPress,
    bound: Vec<(Context, KeyPress, Action)>,
}

impl Keymap {
    pub fn standard(prefix: KeyPress) -> Keymap {
        let none = Overrides::new();
        Keymap::new(prefix, &none).expect("a test finds no conflict in the table")
    }

    /// The table, with what a person has bound instead.
    ///
    /// # Errors
    /// A name no action has, a text that is no key, a key that is taken or always means the same.
    pub fn new(prefix: KeyPress, overrides: &Overrides) -> Result<Keymap, Fault> {
        let mut map = Keymap { prefix, bound: Vec::new() };
        for (context, names) in overrides {
            for name in names.keys() {
                if !entries(*context).any(|entry| entry.name == name) {
                    let known: Vec<&str> = entries(*context).map(|entry| entry.name).collect();
                    let what = format!("there is no action '{name}'; there are {}", known.join(", "));
                    return Err(Fault { context: *context, name: name.clone(), what });
                }
            }
        }
        // What a person has bound comes first, so that a conflict is told at the key they wrote.
        let own = |entry: &&Entry| overrides.get(&entry.context).and_then(|names| names.get(entry.name));
        for entry in ENTRIES {
            for text in own(&entry).into_iter().flatten() {
                map.is_free_of_prefix(entry, text)?;
                map.bind(entry, text)?;
            }
        }
        for entry in ENTRIES.iter().filter(|entry| own(entry).is_none()) {
            for text in entry.keys.split_whitespace() {
                map.bind(entry, text).map_err(|fault| map.told_at_own(fault, entry, text, overrides))?;
            }
        }
        Ok(map)
    }

    /// A key that a person gives to something is no prefix: wherever one is, that begins a chord.
    fn is_free_of_prefix(&self, entry: &Entry, text: &str) -> Result<(), Fault> {
        let prefix = KeyPress::parse(text).is_ok_and(|press| same_key(press, self.prefix));
        if !prefix || entry.context == Context::Panes {
            return Ok(());
        }
        let what = format!("'{text}' cannot be bound: it is the prefix, and begins a chord here too");
        Err(Fault { context: entry.context, name: entry.name.to_owned(), what })
    }

    fn bind(&mut self, entry: &Entry, text: &str) -> Result<(), Fault> {
        let fault = |what| Err(Fault { context: entry.context, name: entry.name.to_owned(), what });
        let press = match KeyPress::parse(text) {
            Ok(press) => press,
            Err(what) => return fault(what),
        };
        let reserved = entry.context.reserved(press.key).filter(|_| press.mods == Mods::NONE);
        let again = "the prefix goes to the agent when it is pressed twice";
        let again = (entry.context == Context::Panes && same_key(press, self.prefix)).then_some(again);
        if let Some(why) = reserved.or(again) {
            return fault(format!("'{text}' cannot be bound: {why}"));
        }
        if let Some(taken) = self.action(entry.context, press) {
            if taken == entry.action {
                return Ok(());
            }
            let other = entries(entry.context).find(|other| other.action == taken);
            let other = other.map_or("", |other| other.name);
            return fault(format!("'{text}' is bound to '{other}' as well; give one of them another key"));
        }
        self.bound.push((entry.context, press, entry.action));
        Ok(())
    }

    /// A key of the table that a person has given to another action: the person's line is at fault.
    fn told_at_own(&self, fault: Fault, entry: &Entry, text: &str, overrides: &Overrides) -> Fault {
        let press = KeyPress::parse(text).ok();
        let taken = press.and_then(|press| self.action(entry.context, press));
        let own = entries(entry.context).find(|other| Some(other.action) == taken);
        let Some(own) =
            own.filter(|own| overrides.get(&entry.context).is_some_and(|names| names.contains_key(own.name)))
        else {
            return fault;
        };
        let what =
            format!("'{text}' is the key of '{0}'; give that another one too: {0} = \"…\"", entry.name);
        Fault { context: entry.context, name: own.name.to_owned(), what }
    }

    /// What a key does there. `None`: nothing.
    pub fn action(&self, context: Context, press: KeyPress) -> Option<Action> {
        if context == Context::Panes {
            if same_key(press, self.prefix) {
                return Some(Action::Prefix);
            }
            if let (Key::Char(digit @ '1'..='9'), Mods::NONE) = (press.key, press.mods) {
                return Some(Action::Number(digit as u8 - b'0'));
            }
        }
        let bound = self.bound.iter().find(|(at, key, _)| *at == context && same_key(press, *key));
        bound.map(|(_, _, action)| *action)
    }

    /// The keys of an action, as a person reads them; empty if it has none.
    pub fn keys(&self, context: Context, action: Action) -> String {
        let of = |(at, press, bound): &(Context, KeyPress, Action)| {
            (*at == context && *bound == action).then(|| press.to_string())
        };
        self.bound.iter().filter_map(of).collect::<Vec<String>>().join(" ")
    }

    /// The first of them.
    pub fn key(&self, context: Context, action: Action) -> String {
        self.keys(context, action).split(' ').next().unwrap_or_default().to_owned()
    }

    /// A key with the prefix before it, for hints; without one, where it is in the palette.
    pub fn chord(&self, action: Action) -> String {
        let key = self.key(Context::Panes, action);
        if key.is_empty() {
            format!("{} {}", self.prefix, self.key(Context::Panes, Action::Palette))
        } else {
            format!("{} {key}", self.prefix)
        }
    }
}

/// Whether a press is an Escape and then this chord: the two bytes are alt with its key where they come together, as a
/// terminal multiplexer that waits for the end of a sequence sends them.
pub fn behind_esc(press: KeyPress, chord: KeyPress) -> bool {
    let alone = KeyPress { mods: press.mods.without(Mods::ALT), ..press };
    press.mods.has(Mods::ALT) && !chord.mods.has(Mods::ALT) && same_key(alone, chord)
}

/// The chord that leaves `counsel attach`. It never reaches an agent, so that nothing is one that everybody types.
///
/// # Errors
/// Why it cannot be that.
pub fn detach_chord(text: &str) -> Result<KeyPress, String> {
    let chord = one_key(text)?;
    let held = chord.mods.has(Mods::CTRL) || chord.mods.has(Mods::ALT);
    if !held && !matches!(chord.key, Key::F(_)) {
        return Err(format!(
            "'{text}' could be typed into no agent any more; take one with ctrl or alt, or f1 to f20"
        ));
    }
    Ok(chord)
}

/// The chord that everything the dashboard does begins with. Pressed twice it is the agent's, so that a letter or a sign may be one.
///
/// # Errors
/// Why it cannot be that.
pub fn prefix_chord(text: &str) -> Result<KeyPress, String> {
    let chord = one_key(text)?;
    let needed =
        matches!(chord.key, Key::Enter | Key::Esc | Key::Tab | Key::Backspace | Key::Char('0'..='9' | ' '));
    match needed && chord.mods == Mods::NONE {
        true => {
            Err(format!("'{text}' is pressed too often to stand before every other key; take one with ctrl"))
        }
        false => Ok(chord),
    }
}

/// A chord that comes from terminals as no other key.
fn one_key(text: &str) -> Result<KeyPress, String> {
    let chord = KeyPress::parse(text)?;
    let another = match chord.key {
        Key::Char('m') => Some("Enter"),
        Key::Char('i') => Some("Tab"),
        Key::Char('[') => Some("Esc"),
        _ => None,
    };
    if let Some(another) = another.filter(|_| chord.mods.has(Mods::CTRL)) {
        return Err(format!("'{text}' comes from most terminals as {another}; take another key with ctrl"));
    }
    let [ctrl, shift] = [Mods::CTRL, Mods::SHIFT].map(|held| chord.mods.has(held));
    if let Key::Char(letter) = chord.key
        && (ctrl && shift)
    {
        return Err(format!(
            "'{text}' comes from most terminals as ctrl-{}; leave shift out",
            letter.to_ascii_lowercase()
        ));
    }
    if !comes_from_terminals(chord) {
        return Err(format!(
            "'{text}' is a key that most terminals do not send; take ctrl with a letter, alt with a letter, or f1 to f20"
        ));
    }
    Ok(chord)
}

/// Whether a terminal without the kitty protocol has bytes for this key that are no other key's.
fn comes_from_terminals(chord: KeyPress) -> bool {
    let (mut decoder, mut came) = (InputDecoder::default(), Vec::new());
    decoder.push(&encode(&Input::Key(chord), &Modes::default()), &mut came);
    decoder.flush(&mut came);
    matches!(came[..], [Decoded::Input(Input::Key(press))] if same_key(press, chord))
}

/// Whether a program takes what is typed after it for a beginning: it has taken a line, or thrown it away.
pub fn ends_line(press: KeyPress) -> bool {
    let plain = press.mods == Mods::NONE;
    matches!(press.key, Key::Enter | Key::Esc if plain) || same_key(press, KeyPress::ctrl('c'))
}

/// Whether a press is this chord. Terminals without the kitty protocol tell ctrl with a letter from
/// ctrl-shift with it no better than ctrl-4 from ctrl-\. A shifted character says so itself.
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
        let shifted = press.mods.has(Mods::SHIFT) && !matches!(key, Key::Char(_));
        (key, ctrl, press.mods.has(Mods::ALT), shifted)
    };
    folded(press) == folded(chord)
}

#[cfg(test)]
#[path = "keymap_tests.rs"]
mod tests;
