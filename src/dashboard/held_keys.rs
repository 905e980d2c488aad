//! What is typed while the server is away: it waits for the next one, as it would in a terminal.
//!
//! A key that is dropped takes its place in the line along, and the Enter behind the rest runs that: where some are lost, so
//! is what follows them, up to the end of the line. `update.rs` puts keys in, `notices.rs` has them sent once everything has
//! been told anew. Pure.

use std::collections::{BTreeSet, HashSet};

use crate::core::keymap::ends_line;
use crate::core::terminal::keys::{Action as Press, Input};

/// A server is back within a second or two. What was typed longer ago was typed for a screen of which nobody knows what has
/// become.
const LONGEST_MS: u64 = 10_000;
/// Far more keys than anybody types in that time. A paste is one.
const MOST: usize = 1_000;
/// The keys behind which a program takes what is typed for a beginning.
pub const BEGINS_ANEW: &str = "Enter, Esc or ctrl-c";

/// Keys for agents, in the order they were typed.
#[derive(Debug, Default, Clone, PartialEq)]
pub struct HeldKeys {
    keys: Vec<HeldKey>,
    since_ms: u64,
    /// Some were too many or too old: what comes behind them waits for nothing any more.
    given_up: bool,
    /// Agents that have not got the beginning of what is being typed to them: its end would be something else.
    cut: BTreeSet<String>,
    /// Those that were started again in the middle of a line. The server knows when, and leaves out the rest.
    left_out: BTreeSet<String>,
}

/// A key for an agent.
#[derive(Debug, Clone, PartialEq)]
pub struct HeldKey {
    pub agent: String,
    pub input: Input,
    /// The question that was open when this was typed.
    pub asked: Option<String>,
}

/// What comes of keys once there is a server.
#[derive(Debug, Default, PartialEq)]
pub struct Released {
    pub keys: Vec<(String, Input)>,
    /// Something was typed, and not all of it can be sent.
    pub lost: bool,
}

impl HeldKeys {
    /// Keeps a key for each of these agents, unless that goes on for too long.
    pub fn hold(&mut self, keys: Vec<HeldKey>, now_ms: u64) {
        for key in keys {
            if !self.given_up && self.drops(&key.agent, &key.input) {
                continue;
            }
            if self.keys.is_empty() {
                self.since_ms = now_ms;
            }
            self.keys.push(key);
        }
        let late = !self.keys.is_empty() && now_ms > self.since_ms + LONGEST_MS;
        self.given_up |= late || self.keys.len() > MOST;
        if self.given_up {
            let lost = std::mem::take(&mut self.keys);
            lost.iter().for_each(|key| self.lose(&key.agent, &key.input));
        }
    }

    /// Nothing was typed.
    pub fn is_empty(&self) -> bool {
        self.keys.is_empty() && !self.given_up
    }

    /// What is typed is not kept any more.
    pub fn given_up(&self) -> bool {
        self.given_up
    }

    /// What can still be taken as it was meant: all of an agent's keys, or none of them.
    pub fn release(&mut self, now_ms: u64, takes: impl Fn(&HeldKey) -> bool) -> Released {
        let late = now_ms > self.since_ms + LONGEST_MS;
        let keys = std::mem::take(&mut self.keys);
        let refused = keys.iter().filter(|key| late || !takes(key));
        let refused: HashSet<String> = refused.map(|key| key.agent.clone()).collect();
        let lost = std::mem::take(&mut self.given_up) || !refused.is_empty();
        let (gone, kept): (Vec<HeldKey>, Vec<HeldKey>) =
            keys.into_iter().partition(|key| refused.contains(&key.agent));
        gone.iter().for_each(|key| self.lose(&key.agent, &key.input));
        Released { keys: kept.into_iter().map(|key| (key.agent, key.input)).collect(), lost }
    }

    /// This key never reaches its agent: nor does what is typed behind it, up to where a line ends.
    pub fn lose(&mut self, agent: &str, input: &Input) {
        match input {
            Input::Key(press) if press.action == Press::Release => {}
            Input::Key(press) if ends_line(*press) => drop(self.cut.remove(agent)),
            Input::Key(_) | Input::Paste(_) | Input::Text(_) => drop(self.cut.insert(agent.to_owned())),
            Input::Mouse(_) | Input::Focus(_) | Input::Raw(_) => {}
        }
    }

    /// Whether this belongs to something whose beginning its agent has not got.
    pub fn drops(&mut self, agent: &str, input: &Input) -> bool {
        let typed = matches!(input, Input::Key(_) | Input::Paste(_) | Input::Text(_));
        let drops = typed && self.cut(agent);
        if drops {
            self.lose(agent, input);
        }
        drops
    }

    pub fn cut(&self, agent: &str) -> bool {
        self.cut.contains(agent)
    }

    /// The server leaves out what is typed to this agent, or has seen the end of that line.
    pub fn left_out(&mut self, agent: &str, over: bool) {
        match over {
            true => drop(self.left_out.remove(agent)),
            false => drop(self.left_out.insert(agent.to_owned())),
        }
    }

    /// The server is another one, which knows of no line: what is left out from now on is left out here.
    pub fn other_server(&mut self) {
        self.cut.append(&mut self.left_out);
    }

    /// Whether what is typed to it is left out, here or by the server.
    pub fn misses_beginning(&self, agent: &str) -> bool {
        self.cut(agent) || self.left_out.contains(agent)
    }

    /// What is typed to it next begins anew.
    pub fn forget(&mut self, agent: &str) {
        self.cut.remove(agent);
        self.left_out.remove(agent);
    }

    /// The same for all but these.
    pub fn keep(&mut self, known: impl Fn(&str) -> bool) {
        self.cut.retain(|agent| known(agent));
    }
}

/// What is said of an agent that has not got the beginning of a line; `over`: the line has ended.
pub fn line_cut(name: &str, over: bool) -> String {
    match over {
        true => format!("{name} has not got that line; it gets what you type now"),
        false => format!("not sent: {name} has not got the beginning of it; {BEGINS_ANEW} begins anew"),
    }
}
