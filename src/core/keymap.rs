//! Which key does what in the dashboard: one table that keys, help, palette and the configuration share, so
//! that they cannot disagree.
//!
//! The dashboard asks it for every key, `config/check.rs` checks with it what a person has bound. Pure.

use std::collections::BTreeMap;

use crate::core::terminal::keys::{Key, KeyPress, Mods};

/// Where a key is pressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Context {
    /// After the prefix, wherever one is.
    Panes,
    /// In the questions drawer.
    Questions,
    /// In an agent's scrollback.
    Scrollback,
}

impl Context {
    pub const ALL: [Context; 3] = [Context::Panes, Context::Questions, Context::Scrollback];

    /// The table of the configuration that binds its keys, within `[dashboard]`.
    pub fn table(self) -> &'static str {
        match self {
            Context::Panes => "keys",
            Context::Questions => "question_keys",
            Context::Scrollback => "scrollback_keys",
        }
    }

    /// Keys that always mean the same here, and why.
    fn reserved(self, key: Key) -> Option<&'static str> {
        match (self, key) {
            (Context::Panes, Key::Char('1'..='9')) => Some("the digits choose an agent"),
            (Context::Questions, Key::Char('0'..='9')) => Some("the digits choose an option"),
            (Context::Panes, Key::Esc) => Some("esc takes the prefix back"),
            _ => None,
        }
    }
}

/// What a person can ask the dashboard to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Action {
    Next,
    Previous,
    Left,
    Right,
    Up,
    Down,
    Last,
    Needed,
    /// The agent with this number; its keys are the digits.
    Number(u8),
    Zoom,
    Layout,
    Hide,
    SwapNext,
    SwapPrevious,
    Wider,
    Narrower,
    Taller,
    Shorter,
    Questions,
    Answer,
    Edit,
    Consult,
    Scrollback,
    NewAgent,
    Stop,
    Restart,
    Pause,
    Broadcast,
    Theme,
    Log,
    Palette,
    Help,
    Detach,
    Suspend,
    ShutDown,
    /// The prefix again: it goes to the agent.
    Prefix,

    // In the drawer and the scrollback.
    RowUp,
    RowDown,
    PageUp,
    PageDown,
    HalfUp,
    HalfDown,
    Top,
    Bottom,
    Close,
    Search,
    NextMatch,
    PreviousMatch,

    Give,
    Tick,
    EditAnswer,
    OwnWords,
    Discard,
    Reject,
    AskConsultant,
    AskAnother,
    TakeOver,
    Decisions,
    NextQuestion,
    PreviousQuestion,

    ColumnLeft,
    ColumnRight,
    Select,
    SelectBlock,
    Copy,
    NextPrompt,
    PreviousPrompt,
    NextAsked,
    PreviousAsked,
}

/// One line of the help.
#[derive(Debug, Clone, Copy)]
pub struct Entry {
    pub context: Context,
    pub action: Action,
    /// As the configuration and the palette call it.
    pub name: &'static str,
    /// The keys it has unless others are configured, separated by blanks; empty: in the palette only.
    pub keys: &'static str,
    /// In a few words, short enough for two columns of a small screen.
    pub help: &'static str,
}

const fn panes(action: Action, name: &'static str, keys: &'static str, help: &'static str) -> Entry {
    Entry { context: Context::Panes, action, name, keys, help }
}

const fn asked(action: Action, name: &'static str, keys: &'static str, help: &'static str) -> Entry {
    Entry { context: Context::Questions, action, name, keys, help }
}

const fn scroll(action: Action, name: &'static str, keys: &'static str, help: &'static str) -> Entry {
    Entry { context: Context::Scrollback, action, name, keys, help }
}

/// In the order in which the help shows them.
pub const ENTRIES: &[Entry] = &[
    panes(Action::Answer, "answer", "a", "answer who needs you"),
    panes(Action::Needed, "needed", "tab", "go to who needs you"),
    panes(Action::Questions, "questions", "q", "all open questions"),
    panes(Action::Edit, "edit", "e", "change a suggested answer"),
    panes(Action::Consult, "consult", "C", "ask the consultant now"),
    panes(Action::Zoom, "zoom", "z", "this agent alone, or all"),
    panes(Action::Scrollback, "scrollback", "[", "look back, search, copy"),
    panes(Action::NewAgent, "new-agent", "c", "start an agent"),
    panes(Action::Detach, "detach", "d", "leave; the agents go on"),
    panes(Action::Suspend, "suspend", "ctrl-z", "to the shell; fg comes back"),
    panes(Action::Next, "next", "n", "next agent"),
    panes(Action::Previous, "previous", "p", "previous agent"),
    panes(Action::Last, "last", ";", "back to where you were"),
    panes(Action::Left, "left", "left", "pane to the left"),
    panes(Action::Right, "right", "right", "pane to the right"),
    panes(Action::Up, "up", "up", "pane above"),
    panes(Action::Down, "down", "down", "pane below"),
    panes(Action::Layout, "layout", "space", "next layout"),
    panes(Action::Hide, "hide", "h", "hide this pane, or show it"),
    panes(Action::SwapNext, "swap-next", "}", "swap with the next pane"),
    panes(Action::SwapPrevious, "swap-previous", "{", "swap with the one before"),
    panes(Action::Wider, "wider", ">", "make this pane wider"),
    panes(Action::Narrower, "narrower", "<", "make it narrower"),
    panes(Action::Taller, "taller", "+", "make it taller"),
    panes(Action::Shorter, "shorter", "-", "make it shorter"),
    panes(Action::Pause, "pause", "P", "pause it, or let it go on"),
    panes(Action::Restart, "restart", "R", "start it again"),
    panes(Action::Stop, "stop", "x", "stop it; asks first"),
    panes(Action::Broadcast, "broadcast", "b", "type to every pane shown"),
    panes(Action::Log, "log", "l", "look through the decisions"),
    panes(Action::Palette, "palette", ":", "find any command or agent"),
    panes(Action::Help, "help", "?", "these keys"),
    panes(Action::Theme, "theme", "", "next theme"),
    panes(Action::ShutDown, "shut-down", "", "stop everything"),
    asked(Action::Give, "give", "enter", "give the highlighted answer"),
    asked(Action::RowUp, "up", "up k", "option above"),
    asked(Action::RowDown, "down", "down j", "option below"),
    asked(Action::Tick, "tick", "space", "tick or untick"),
    asked(Action::OwnWords, "own-words", "t", "answer in your own words"),
    asked(Action::EditAnswer, "edit", "e", "change the suggested answer"),
    asked(Action::Discard, "discard", "x", "turn the suggestion down"),
    asked(Action::Reject, "reject", "r", "decline, as Esc does"),
    asked(Action::AskConsultant, "consult", "c", "ask the consultant again"),
    asked(Action::AskAnother, "consult-other", "C", "ask another consultant"),
    asked(Action::TakeOver, "take-over", "o", "take it from its consultant"),
    asked(Action::Decisions, "decisions", "/", "what was decided before"),
    asked(Action::NextQuestion, "next", "tab right l", "next question"),
    asked(Action::PreviousQuestion, "previous", "shift-tab left h", "previous question"),
    asked(Action::Close, "close", "esc q", "close"),
    scroll(Action::RowUp, "up", "up k", "line up"),
    scroll(Action::RowDown, "down", "down j", "line down"),
    scroll(Action::PageUp, "page-up", "pageup ctrl-b", "page up"),
    scroll(Action::PageDown, "page-down", "pagedown ctrl-f", "page down"),
    scroll(Action::HalfUp, "half-up", "ctrl-u", "half a page up"),
    scroll(Action::HalfDown, "half-down", "ctrl-d", "half a page down"),
    scroll(Action::Top, "top", "home g", "oldest line"),
    scroll(Action::Bottom, "bottom", "end G", "newest line"),
    scroll(Action::ColumnLeft, "left", "left h", "column left"),
    scroll(Action::ColumnRight, "right", "right l", "column right"),
    scroll(Action::Search, "search", "/", "search as you type"),
    scroll(Action::NextMatch, "next-match", "n", "older match"),
    scroll(Action::PreviousMatch, "previous-match", "N", "newer match"),
    scroll(Action::PreviousPrompt, "previous-prompt", "p", "prompt above"),
    scroll(Action::NextPrompt, "next-prompt", "P", "prompt below"),
    scroll(Action::PreviousAsked, "previous-question", "a", "question above"),
    scroll(Action::NextAsked, "next-question", "A", "question below"),
    scroll(Action::Select, "select", "v", "select lines"),
    scroll(Action::SelectBlock, "select-block", "V ctrl-v", "select a block"),
    scroll(Action::Copy, "copy", "y", "copy what is selected"),
    scroll(Action::Close, "close", "esc q", "leave"),
];

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

/// The entries of one context.
pub fn entries(context: Context) -> impl Iterator<Item = &'static Entry> {
    ENTRIES.iter().filter(move |entry| entry.context == context)
}

/// Whether a press is an Escape and then this chord: the two bytes are alt with its key where they come together, as a
/// terminal multiplexer that waits for the end of a sequence sends them.
pub fn behind_esc(press: KeyPress, chord: KeyPress) -> bool {
    let alone = KeyPress { mods: press.mods.without(Mods::ALT), ..press };
    press.mods.has(Mods::ALT) && !chord.mods.has(Mods::ALT) && same_key(alone, chord)
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
