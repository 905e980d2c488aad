//! What an agent is started from, and what is told of it: plain values for the wire and the config.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::core::consult::chain::Chain;
use crate::core::question::State;
use crate::core::terminal::grid::Size;

/// What an agent is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Duty {
    #[default]
    Worker,
    /// Answers other agents' questions.
    Consultant,
}

/// Where an agent's terminal lives.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Host {
    #[default]
    Pty,
    Tmux,
}

/// What happens when an agent's program ends by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Restart {
    #[default]
    Never,
    OnFailure,
    Always,
}

/// When an agent is started.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Start {
    /// With the others.
    #[default]
    Up,
    /// When it is first asked; it is stopped again when nobody asks it any more.
    Demand,
}

/// How long nobody may ask a consultant started on demand before it is stopped: starting one costs
/// seconds, keeping one some hundred megabytes.
pub const IDLE_SECS: u64 = 600;

/// A pane of a tmux that is not counsel's, with the program that runs there.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct PaneRef {
    /// The tmux server's socket.
    pub socket: String,
    /// The number behind the `%`.
    pub pane: u32,
    /// The process the pane was started with: the program itself, or the shell it was typed into. 0: an earlier version has
    /// written this, and took the program for it.
    #[serde(default)]
    pub first: u32,
    pub pid: u32,
    /// When that process was started, in the system's own measure: with the pid it names it for ever.
    pub started: u64,
}

/// What keeps an agent from other agents, from counsel and from its user's files; each level keeps more.
/// docs/security.md tells what.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Isolate {
    #[default]
    None,
    Landlock,
    Namespace,
    /// Another user of the machine.
    Uid,
}

impl Isolate {
    pub fn name(self) -> &'static str {
        match self {
            Isolate::None => "none",
            Isolate::Landlock => "landlock",
            Isolate::Namespace => "namespace",
            Isolate::Uid => "uid",
        }
    }

    /// Why an agent that is kept from so much cannot work in a worktree; `None`: it can, or whether it can is up to the rights of
    /// another user. Worktrees lie in counsel's state folder, which is closed to it.
    pub fn worktree_fault(self) -> Option<String> {
        let name = match self {
            Isolate::None | Isolate::Uid => return None,
            Isolate::Landlock | Isolate::Namespace => self.name(),
        };
        Some(format!(
            "cannot be used with isolation (here isolate = \"{name}\"), which closes the folder that worktrees lie in; leave one of them out"
        ))
    }
}

/// What an agent is kept from.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Isolation {
    pub level: Isolate,
    /// Folders it does not see, or cannot open.
    pub hide: Vec<std::path::PathBuf>,
    /// A folder in one of those that it sees all the same, and cannot change.
    pub show: Option<std::path::PathBuf>,
    /// As whom it runs, with `Isolate::Uid`.
    pub user: Option<String>,
}

/// Everything needed to start an agent. Paths are absolute; nothing is expanded later.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct AgentSpec {
    pub name: String,
    /// Program and arguments; no shell reads them.
    pub command: Vec<String>,
    /// A prefix that runs the command elsewhere: `["docker", "run", "-it", "image"]`.
    pub wrap: Vec<String>,
    pub cwd: String,
    /// The whole environment of the agent, already filtered; `COUNSEL_*` is added by the server.
    pub env: BTreeMap<String, String>,
    /// Which permissions its files do not get; `None`: as the server's do not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub umask: Option<u32>,
    pub profile: Option<String>,
    pub consultant: Option<Chain>,
    pub role: Duty,
    pub host: Host,
    /// Typed once the agent is ready.
    pub prompt: Option<String>,
    /// What it works on, told to its consultant.
    pub task: Option<String>,
    /// `None`: follows whoever watches.
    pub size: Option<Size>,
    pub title: Option<String>,
    /// Lines of history kept, instead of the server's own measure.
    pub scrollback: Option<usize>,
    pub restart: Restart,
    pub start: Start,
    /// Instead of `IDLE_SECS`; 0: never.
    pub idle_secs: Option<u64>,
    /// A git worktree of that name is to be `cwd`; whoever has the agent started sees to it.
    pub worktree: Option<String>,
    /// Whether the program is told to report to counsel through its hooks. `None`: if its profile knows how.
    pub hooks: Option<bool>,
    pub isolate: Isolate,
    /// With `isolate = "uid"`: as whom it runs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub user: Option<String>,
    /// The number by which it is to be known, where that is free.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub number: Option<u16>,
    /// Tells its definition in the configuration, and what decides about its questions there, from any other. `None`: it is in
    /// no configuration.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub definition: Option<String>,
    /// Which file that definition stands in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub defined_in: Option<DefinedIn>,
    /// A named pipe that is its standard input in its first life, in place of its terminal.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stdin: Option<std::path::PathBuf>,
    /// The process with which it ends, unless it is released.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tied: Option<Tie>,
    /// The number of the call that started it for its output (`Request::Only`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub call: Option<u64>,
    /// Adopted, not started: it runs there already, and is released instead of ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pane: Option<PaneRef>,
}

/// The file of the configuration that defines an agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DefinedIn {
    /// The user's own.
    User,
    /// A project's; the digest of its path tells it from any other project's.
    Project(String),
}

impl DefinedIn {
    /// Whether two agents are of different files. An agent that is in no configuration, or of an earlier release, does not tell.
    pub fn differ(one: Option<&DefinedIn>, other: Option<&DefinedIn>) -> bool {
        one.zip(other).is_some_and(|(one, other)| one != other)
    }
}

/// The process of whoever started an agent for itself alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tie {
    pub pid: u32,
    /// Clock ticks after boot; with the pid this names a process for ever.
    pub started: u64,
    /// Its pid namespace: in no other one does its pid mean it.
    pub space: u64,
}

/// Gives a team its numbers in its own order; whoever answers comes after those who ask.
pub fn number(team: &mut [AgentSpec]) {
    let mut order: Vec<&mut AgentSpec> = team.iter_mut().collect();
    order.sort_by_key(|spec| spec.role == Duty::Consultant);
    order.into_iter().zip(1..).for_each(|(spec, number)| spec.number = Some(number));
}

/// A name as the contract allows it: `[a-z0-9][a-z0-9_-]{0,31}`.
pub fn valid_name(name: &str) -> bool {
    let mut bytes = name.bytes();
    let first = bytes.next().is_some_and(|b| b.is_ascii_lowercase() || b.is_ascii_digit());
    first
        && name.len() <= 32
        && bytes.all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_' || b == b'-')
}

/// Who answers where a person does: the route of a question, and `consult --with`.
pub const PERSON: &str = "human";

/// Why nothing that runs or answers may have this name.
pub fn name_fault(name: &str) -> Option<String> {
    match name {
        PERSON => Some(format!("'{name}' means the person; choose another name")),
        _ if valid_name(name) => None,
        _ => Some(format!("'{name}' is not a name; use [a-z0-9][a-z0-9_-]{{0,31}}")),
    }
}

/// One agent as `ls --json` prints it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AgentInfo {
    pub name: String,
    pub state: State,
    /// Unix seconds since when it is in that state.
    pub since: f64,
    /// Id of its open question.
    pub question: Option<String>,
    pub profile: String,
    pub host: Host,
    pub pid: Option<u32>,
    pub cols: u16,
    pub rows: u16,
    pub exit_code: Option<i32>,
    pub role: Duty,
    pub title: String,
    #[serde(default)]
    pub isolate: Isolate,
    /// Resident memory of its whole tree in KiB, known while it is paused.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory_kib: Option<u64>,
    /// Unix seconds by which its open question is answered or escalated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deadline_at: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub consultant: Option<Chain>,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub cwd: String,
    /// The file that somebody has it recorded to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recording: Option<String>,
    /// The file of the recording that it gets by itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub auto_recording: Option<String>,
    /// It has ended, and is to be started again in its folder.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub starts_again: bool,
    /// Why its first prompt is not typed: what it waits for, for longer than a start takes, or what went wrong.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub untyped_prompt: Option<String>,
    /// What shows its terminal without counsel: a command for a shell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<String>,
    /// The number by which people know it: the digit that leads there. 0: an earlier server gives none.
    #[serde(default)]
    pub number: u16,
    /// Which definition of the configuration it was started by.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub definition: Option<String>,
    /// Which file that definition stands in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub defined_in: Option<DefinedIn>,
    /// Why it could not be started; it is listed to be seen, and tried again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failed: Option<String>,
}

/// The profile of programs that nobody has described.
const ANY_PROGRAM: &str = "generic";

impl AgentInfo {
    /// An agent of which nothing else is known.
    pub fn of(name: &str, state: State) -> AgentInfo {
        AgentInfo {
            name: name.to_owned(),
            state,
            since: 0.0,
            question: None,
            profile: String::new(),
            host: Host::Pty,
            pid: None,
            cols: 0,
            rows: 0,
            exit_code: None,
            role: Duty::Worker,
            title: String::new(),
            isolate: Isolate::None,
            memory_kib: None,
            deadline_at: None,
            consultant: None,
            cwd: String::new(),
            recording: None,
            auto_recording: None,
            starts_again: false,
            untyped_prompt: None,
            place: None,
            number: 0,
            definition: None,
            defined_in: None,
            failed: None,
        }
    }

    /// Whether there is a program that has not ended.
    pub fn runs(&self) -> bool {
        self.state != State::Exited && self.failed.is_none()
    }

    /// Whether it is a pane of the user's own tmux, which is let go and not ended.
    pub fn is_adopted(&self) -> bool {
        self.place.as_deref().is_some_and(|place| place.starts_with("tmux -S "))
    }

    /// Whether nobody has described its program: it runs, and more than that is not known of it.
    pub fn undescribed(&self) -> bool {
        self.profile == ANY_PROGRAM
    }

    /// Its state as the dashboard has it. What scripts read and wait for is `State::name`.
    pub fn state_word(&self) -> &'static str {
        match self.state {
            State::Unknown if self.undescribed() => "running",
            state => state.name(),
        }
    }

    /// One that works, for tests that care for little more than its name.
    #[cfg(test)]
    pub fn at_work(name: &str) -> AgentInfo {
        AgentInfo {
            profile: "plain".into(),
            cols: 80,
            rows: 24,
            cwd: "/".into(),
            ..AgentInfo::of(name, State::Working)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn consultants_have_the_last_numbers_of_a_team() {
        let spec = |name: &str, role| AgentSpec { name: name.into(), role, ..AgentSpec::default() };
        let mut team =
            [spec("advisor", Duty::Consultant), spec("api", Duty::Worker), spec("web", Duty::Worker)];
        number(&mut team);
        assert_eq!(team.map(|spec| spec.number), [Some(3), Some(1), Some(2)]);
    }

    #[test]
    fn names_are_what_the_contract_allows() {
        for good in ["a", "0", "api-2", "a_b", &"x".repeat(32)] {
            assert!(valid_name(good), "{good}");
        }
        for bad in ["", "-a", "_a", "A", "a b", "ä", "a/b", &"x".repeat(33)] {
            assert!(!valid_name(bad), "{bad}");
        }
        assert!(valid_name("human") && name_fault("human").unwrap().contains("choose another"));
    }

    #[test]
    fn isolation_closes_worktrees() {
        assert_eq!((Isolate::None.worktree_fault(), Isolate::Uid.worktree_fault()), (None, None));
        for isolate in [Isolate::Landlock, Isolate::Namespace] {
            let why = isolate.worktree_fault().unwrap();
            assert!(why.contains(isolate.name()) && why.contains("leave one of them out"), "{why}");
        }
    }
}
