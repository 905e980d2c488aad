//! The command palette: every action, every agent, what can be done with each, every layout and theme.
//!
//! `overlays.rs` gives it keys, `view/palette.rs` shows it. Letters that appear in order are enough to find
//! a command, as in most editors. Pure.

use crate::core::clipboard;
use crate::core::keymap::{Action, Context, Entry, entries};

use super::state::State;

/// So many letters are meant for the beginning of a word.
const WORD: usize = 3;

/// What a line of the palette does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Command {
    Act(Action),
    /// Puts this agent into focus.
    Focus(String),
    /// Does this with an agent that need not have the focus.
    With(Action, String),
    Layout(usize),
    Theme(usize),
    /// Shows the keys that count there.
    Keys(Context),
    /// Puts what an agent offers on the clipboard.
    Copy,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Item {
    pub command: Command,
    pub name: String,
    pub key: String,
    pub help: String,
}

/// What is done with one agent, and how it is called before its name.
const WITH_AGENT: [(Action, &str); 5] = [
    (Action::Stop, "stop"),
    (Action::Restart, "restart"),
    (Action::Pause, "pause"),
    (Action::Zoom, "zoom"),
    (Action::Scrollback, "scrollback"),
];

/// Everything there is, in the order of an empty search.
pub fn items(state: &State) -> Vec<Item> {
    // What acts on the agent in focus says which that is.
    let help = |action: Action, help: &str| match &state.focus {
        Some(name) if WITH_AGENT.iter().any(|(known, _)| *known == action) => format!("{name}: {help}"),
        _ => help.to_owned(),
    };
    let mut items: Vec<Item> = entries(Context::Panes)
        .map(|entry| Item {
            command: Command::Act(entry.action),
            name: entry.name.replace('-', " "),
            key: state.keymap.keys(Context::Panes, entry.action),
            help: help(entry.action, entry.help),
        })
        .collect();
    if let Some((name, data)) = &state.offered {
        let offer = Item {
            command: Command::Copy,
            name: format!("copy what {name} offers"),
            key: String::new(),
            help: clipboard::shown(data),
        };
        items.insert(0, offer);
    }
    for agent in &state.agents {
        let name = &agent.info.name;
        let key = if agent.number <= 9 { agent.number.to_string() } else { String::new() };
        items.push(Item {
            command: Command::Focus(name.clone()),
            name: format!("go to {name}"),
            key,
            help: agent.info.title.clone(),
        });
    }
    for agent in &state.agents {
        let name = &agent.info.name;
        items.extend(WITH_AGENT.iter().map(|(action, verb)| Item {
            command: Command::With(*action, name.clone()),
            name: format!("{verb} {name}"),
            key: String::new(),
            help: String::new(),
        }));
    }
    items.extend(looks(state));
    let elsewhere = Context::ALL.into_iter().filter(|context| *context != Context::Panes);
    items.extend(elsewhere.map(|context| Item {
        command: Command::Keys(context),
        name: format!("keys in {}", context.place()),
        key: String::new(),
        help: keys_there(state, context),
    }));
    items
}

/// Every layout and theme.
fn looks(state: &State) -> Vec<Item> {
    let named = |verb: &str, name: &str, command| Item {
        command,
        name: format!("{verb} {name}"),
        key: String::new(),
        help: String::new(),
    };
    let layouts = state.layouts.iter().enumerate();
    let layouts = layouts.map(|(at, layout)| named("layout", &layout.name, Command::Layout(at)));
    let themes = state.look.themes.iter().enumerate();
    layouts.chain(themes.map(|(at, theme)| named("theme", &theme.name, Command::Theme(at)))).collect()
}

/// "enter do it, up command above": so that a key is found by what it does.
fn keys_there(state: &State, context: Context) -> String {
    let key = |entry: &Entry| {
        let key = state.keymap.key(context, entry.action);
        (!key.is_empty()).then(|| format!("{key} {}", entry.help))
    };
    entries(context).filter_map(key).collect::<Vec<String>>().join(", ")
}

/// How something is found, the best last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum How {
    /// Its description has these letters.
    Described,
    /// Its name has them, one here, one there.
    Letters,
    /// What was typed begins words of its description: before names that only happen to have the letters.
    DescribedSo,
    /// The same with its name.
    Named,
    /// An agent of exactly this name.
    Agent,
}

/// Those that the letters typed find, best first.
pub fn found(state: &State, typed: &str) -> Vec<Item> {
    if typed.trim().is_empty() {
        return items(state);
    }
    let mut found: Vec<((How, u32), Item)> =
        items(state).into_iter().filter_map(|item| Some((how(typed, &item)?, item))).collect();
    found.sort_by_key(|(how, _)| std::cmp::Reverse(*how));
    found.into_iter().map(|(_, item)| item).collect()
}

/// How well what was typed finds it, if it does.
fn how(typed: &str, item: &Item) -> Option<(How, u32)> {
    // To go there is what a name alone asks for: before whatever is done with that agent.
    let by_name = match &item.command {
        Command::Focus(name) if name.eq_ignore_ascii_case(typed.trim()) => return Some((How::Agent, 0)),
        Command::Focus(name) => score(typed, name).max(score(typed, &item.name)),
        _ => score(typed, &item.name),
    };
    let score = by_name.unwrap_or(0);
    // One or two letters are the first ones of several words.
    let word = typed.split_whitespace().next().is_some_and(|word| word.len() >= WORD);
    if begins_words(typed, &item.name) {
        return Some((How::Named, score));
    }
    if word && begins_words(typed, &item.help) {
        return Some((How::DescribedSo, score));
    }
    let described = || contains(typed, &item.help).then_some((How::Described, 0));
    by_name.map(|score| (How::Letters, score)).or_else(described)
}

/// Whether each word typed begins a word of this.
fn begins_words(typed: &str, text: &str) -> bool {
    let text = text.to_lowercase();
    let begins = |word: &str| {
        let word = word.to_lowercase();
        let starts = |at: usize| at == 0 || text[..at].ends_with([' ', '-', '_']);
        text.match_indices(&word).any(|(at, _)| starts(at))
    };
    typed.split_whitespace().all(begins)
}

fn contains(typed: &str, text: &str) -> bool {
    let text = text.to_lowercase();
    let mut words = typed.split_whitespace().peekable();
    words.peek().is_some() && words.all(|word| text.contains(&word.to_lowercase()))
}

/// How well the letters fit; `None` if they do not appear in this order. Letters that follow each other and
/// those that begin a word count more, so that `nl` finds "next layout" before "panel".
fn score(typed: &str, name: &str) -> Option<u32> {
    let mut score = 0;
    let mut chars = name.char_indices();
    let mut before: Option<usize> = None;
    for letter in typed.chars().filter(|letter| !letter.is_whitespace()) {
        let same = |ch: char| ch.to_lowercase().eq(letter.to_lowercase());
        let (at, _) = chars.find(|(_, ch)| same(*ch))?;
        let starts = at == 0 || name[..at].ends_with([' ', '-', '_']);
        let follows = before.is_some_and(|before| before == at);
        score += 1 + if starts { 4 } else { 0 } + if follows { 3 } else { 0 };
        before = Some(at + name[at..].chars().next().map_or(0, char::len_utf8));
    }
    // Of two that fit alike the shorter one.
    Some(score * 100 + 99 - u32::try_from(name.len().min(99)).unwrap_or(99))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn best<'a>(typed: &str, names: &[&'a str]) -> Vec<&'a str> {
        let mut found: Vec<(u32, &str)> =
            names.iter().filter_map(|name| Some((score(typed, name)?, *name))).collect();
        found.sort_by_key(|(score, _)| std::cmp::Reverse(*score));
        found.into_iter().map(|(_, name)| name).collect()
    }

    #[test]
    fn letters_in_order_find_a_command() {
        let names = ["stop", "stop web", "shut down", "go to web", "swap next", "zoom web"];
        assert_eq!(best("stop", &names)[0], "stop");
        assert_eq!(best("sw", &names)[0], "stop web", "both letters begin a word");
        assert_eq!(best("gw", &names), ["go to web"]);
        assert_eq!(best("WEB", &names).len(), 3);
        assert!(best("zzz", &names).is_empty());
        assert_eq!(best("", &names).len(), names.len());
    }

    /// `stop every` found three agents to stop before what is described so.
    #[test]
    fn what_begins_a_word_comes_before_letters_here_and_there() {
        use crate::core::agent::AgentInfo;
        use crate::core::keymap::Keymap;
        use crate::core::layout::Layout;
        use crate::core::terminal::keys::KeyPress;

        let keymap = Keymap::standard(KeyPress::ctrl('a'));
        let mut state = State::new(keymap, Layout::built_in(), 0, "test".into());
        for number in 1..=3 {
            state.agent_changed(AgentInfo::at_work(&format!("agent-with-a-very-long-name-no-{number}")));
        }
        let first = |typed| found(&state, typed).first().map(|item| item.name.clone()).unwrap_or_default();
        assert_eq!(first("stop every"), "shut down");
        assert_eq!(first("stop"), "stop");
        assert_eq!(first("stop agent no-2"), "stop agent-with-a-very-long-name-no-2");
        assert_eq!(first("agent no-3"), "go to agent-with-a-very-long-name-no-3");
        assert_eq!(first("shut"), "shut down");
    }

    /// `web` found `stop web` first, and Enter was a step from ending what was only to be looked at.
    #[test]
    fn a_name_goes_to_its_agent_before_it_does_anything_with_it() {
        use crate::core::agent::AgentInfo;
        use crate::core::keymap::Keymap;
        use crate::core::layout::Layout;
        use crate::core::terminal::keys::KeyPress;

        let keymap = Keymap::standard(KeyPress::ctrl('a'));
        let mut state = State::new(keymap, Layout::built_in(), 0, "test".into());
        state.agent_changed(AgentInfo::at_work("web"));
        let first = |typed| found(&state, typed).first().map(|item| item.name.clone());
        assert_eq!(first("web").as_deref(), Some("go to web"));
        assert_eq!(first("w e").as_deref(), Some("go to web"));
        assert_eq!(first("stop web").as_deref(), Some("stop web"));
        assert_eq!(first("stop").as_deref(), Some("stop"));
        // An agent may be called as anything is.
        for name in ["stop", "t", "next-theme"] {
            state.agent_changed(AgentInfo::at_work(name));
            assert_eq!(found(&state, name)[0].command, Command::Focus(name.into()));
        }
    }
}
