//! The line that attach puts over the last row of its terminal: how one leaves, or why the agent takes no keys.
//!
//! `attach.rs` shows it. The agent never learns of it, and no key is kept from the agent for its sake.

use std::time::{Duration, Instant};

use crate::core::agent::AgentInfo;
use crate::core::question::State;
use crate::core::terminal::keys::{Action, Input, Key, KeyPress};

/// Long enough to read how one leaves. Whoever types before that has no need of it.
const HINT: Duration = Duration::from_secs(3);
/// The letters that are a prefix together with ctrl: tmux's, and the one of screen and of the dashboard.
const PREFIXES: [char; 2] = ['b', 'a'];

/// How one leaves, while it is said: at the beginning, and to those who try it as they would in tmux.
#[derive(Debug)]
pub struct Hint {
    until: Option<Instant>,
    /// The last key was one that is a prefix elsewhere.
    prefixed: bool,
    /// No key of this terminal gets to the agent.
    read_only: bool,
}

impl Hint {
    pub fn begin(now: Instant, read_only: bool) -> Hint {
        Hint { until: Some(now + HINT), prefixed: false, read_only }
    }

    /// When it goes by itself.
    pub fn due(&self) -> Option<Instant> {
        self.until
    }

    /// Takes it back.
    pub fn over(&mut self) {
        self.until = None;
    }

    /// What was typed. Where the agent does not get it, the line says so.
    pub fn typed(&mut self, input: &Input, now: Instant) {
        let press = match input {
            Input::Key(press) if press.action != Action::Release => Some(*press),
            Input::Paste(_) | Input::Text(_) => None,
            Input::Key(_) | Input::Mouse(_) | Input::Focus(_) | Input::Raw(_) => return,
        };
        let leaves = self.prefixed && press == Some(KeyPress::plain(Key::Char('d')));
        self.prefixed = press.is_some_and(|press| PREFIXES.map(KeyPress::ctrl).contains(&press));
        self.until = (leaves || self.read_only).then(|| now + HINT);
    }

    /// The line: what the agent takes no keys for, else how one leaves.
    pub fn line(&self, name: &str, chord: KeyPress, state: Option<&String>) -> Option<String> {
        let how = if self.read_only { "looking on, without keys, at" } else { "attached to" };
        let hint = || self.until.map(|_| format!(" {how} {name} · {chord} detaches "));
        state.cloned().or_else(hint)
    }
}

/// The line under the screen of a program that takes no keys.
pub fn state_line(info: &AgentInfo, chord: KeyPress) -> Option<String> {
    let name = &info.name;
    let how = info.exit_code.map(|code| format!(" with code {code}")).unwrap_or_default();
    match info.state {
        State::Exited => Some(format!(" {name} has exited{how}; {chord} leaves ")),
        State::Paused => {
            Some(format!(" {name} is paused; 'counsel resume {name}' lets it go on; {chord} leaves "))
        }
        State::Starting | State::Working | State::Idle | State::Asking | State::Unknown => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(name: &str) -> Input {
        Input::Key(KeyPress::parse(name).unwrap())
    }

    #[test]
    fn how_one_leaves_is_said_until_something_is_typed() {
        let now = Instant::now();
        let chord = KeyPress::ctrl('\\');
        let mut hint = Hint::begin(now, false);
        let line = |hint: &Hint| hint.line("echo", chord, None);
        assert_eq!(line(&hint).as_deref(), Some(" attached to echo · ctrl-\\ detaches "));
        hint.typed(&Input::Focus(true), now);
        assert!(line(&hint).is_some(), "that is nothing typed");
        let paused = " echo is paused ".to_owned();
        assert_eq!(hint.line("echo", chord, Some(&paused)), Some(paused));
        hint.typed(&key("l"), now);
        assert_eq!((line(&hint), hint.due()), (None, None));
    }

    /// Whoever typed `ctrl-b d`, as in tmux, saw a `d` and nothing else.
    #[test]
    fn whoever_leaves_as_in_tmux_is_told_how_it_is_done_here() {
        let now = Instant::now();
        for prefix in ["ctrl-b", "ctrl-a"] {
            let mut hint = Hint::begin(now, false);
            let told = |hint: &mut Hint, keys: &[&str]| {
                keys.iter().for_each(|name| hint.typed(&key(name), now));
                hint.due().is_some()
            };
            assert!(!told(&mut hint, &[prefix]), "it is a key like any other");
            assert!(told(&mut hint, &["d"]));
            assert!(!told(&mut hint, &["d"]), "and goes with the next key");
            assert!(!told(&mut hint, &[prefix, "x", "d"]));
        }
    }

    #[test]
    fn who_only_looks_on_is_told_at_each_key() {
        let now = Instant::now();
        let mut hint = Hint::begin(now, true);
        hint.over();
        hint.typed(&key("x"), now);
        let line = hint.line("echo", KeyPress::ctrl('\\'), None);
        assert_eq!(line.as_deref(), Some(" looking on, without keys, at echo · ctrl-\\ detaches "));
    }
}
