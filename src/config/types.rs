//! Every key a configuration file may hold, with its default.
//!
//! `source.rs` reads them, `check.rs` looks at what types cannot say, `merge.rs` makes one `Config` of
//! several files. The rules and limits of asking have their types in `core/policy/mod.rs`.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::core::agent::{Duty, Host, Isolate, Restart, Start};
use crate::core::clipboard::Clipboard;
use crate::core::consult::chain::Chain;
use crate::core::keymap::{Context, Overrides};
use crate::core::policy::{CommandConsultant, Consult, Notify, Rule};
use crate::core::terminal::grid::Size;
use crate::core::terminal::query_replies::{Rgb, TerminalIdentity};
use crate::core::terminal::sizing::Sizing;

/// One file, as written.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct File {
    pub agent: Vec<Agent>,
    pub consult: Consult,
    pub rule: Vec<Rule>,
    pub consultant: Vec<CommandConsultant>,
    pub dashboard: Dashboard,
    pub attach: Attach,
    pub record: Record,
    pub probes: Probes,
    pub notify: Notify,
    pub security: Security,
    pub permissions: Permissions,
    pub server: Server,
}

/// One `[[agent]]`.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Agent {
    pub name: String,
    /// Program and arguments; no shell reads them.
    pub command: Vec<String>,
    /// Added after `command`.
    pub args: Vec<String>,
    /// Relative to the file's folder; `~` is the home folder.
    pub cwd: Option<String>,
    pub env: BTreeMap<String, String>,
    /// `KEY=VALUE` lines, read when the configuration is.
    pub env_file: Option<String>,
    pub profile: Option<String>,
    /// Who answers its questions, in order.
    pub consultant: Option<Chain>,
    pub role: Duty,
    pub host: Host,
    pub prompt: Option<String>,
    pub task: Option<String>,
    #[serde(with = "size_text")]
    pub size: Option<Size>,
    pub title: Option<String>,
    pub restart: Restart,
    pub start: Start,
    /// For `start = "demand"`: seconds after which it is stopped when nobody asks; 0: never.
    pub idle_secs: Option<u64>,
    /// The git worktree, and its branch, that it works in.
    pub worktree: Option<String>,
    /// Put before the command: `["docker", "run", "-it", "image"]`.
    pub wrap: Vec<String>,
    /// `None`: the user's own `[security] isolate`, or none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub isolate: Option<Isolate>,
    /// With `isolate = "uid"`: as whom it runs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub user: Option<String>,
    /// Whether it reports through its hooks; `None`: if its profile knows how.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hooks: Option<bool>,
    /// It is the user's own, beside a project's file too.
    #[serde(skip)]
    pub own: bool,
    /// What `env_file` held; never shown.
    #[serde(skip)]
    pub file_env: BTreeMap<String, String>,
}

/// `[dashboard]`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Dashboard {
    /// `None`: `ctrl-a`, or `ctrl-b` inside a tmux that uses `ctrl-a` itself.
    pub prefix: Option<String>,
    /// Leaves `attach`.
    pub detach: String,
    pub layout: String,
    /// `None`: one for the terminal, as far as it tells of itself.
    pub theme: Option<String>,
    /// `None`: if the locale has no UTF-8.
    pub ascii: Option<bool>,
    /// Who comes to need the person takes the focus, unless they are typing.
    pub asker_to_front: bool,
    /// Keys after the prefix, by action; those of the drawer, of the scrollback, and of what lies over the panes.
    pub keys: Bindings,
    pub question_keys: Bindings,
    pub scrollback_keys: Bindings,
    pub palette_keys: Bindings,
    pub form_keys: Bindings,
    pub log_keys: Bindings,
    pub step_keys: Bindings,
    pub confirm_keys: Bindings,
}

impl Default for Dashboard {
    fn default() -> Dashboard {
        let none = Bindings::new;
        Dashboard {
            prefix: None,
            detach: "ctrl-\\".into(),
            layout: "grid".into(),
            theme: None,
            ascii: None,
            asker_to_front: false,
            keys: none(),
            question_keys: none(),
            scrollback_keys: none(),
            palette_keys: none(),
            form_keys: none(),
            log_keys: none(),
            step_keys: none(),
            confirm_keys: none(),
        }
    }
}

impl Dashboard {
    /// The keys a person has bound, by where they are pressed.
    pub fn bound(&self) -> Overrides {
        let of = |context| match context {
            Context::Panes => &self.keys,
            Context::Questions => &self.question_keys,
            Context::Scrollback => &self.scrollback_keys,
            Context::Palette => &self.palette_keys,
            Context::Form => &self.form_keys,
            Context::Log => &self.log_keys,
            Context::Steps => &self.step_keys,
            Context::Confirm => &self.confirm_keys,
        };
        let named = |(name, keys): (&String, &Keys)| (name.clone(), keys.all());
        Context::ALL.into_iter().map(|context| (context, of(context).iter().map(named).collect())).collect()
    }
}

/// Keys by the name of what they do.
pub type Bindings = BTreeMap<String, Keys>;

/// One key, or several; none at all takes the key away.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Keys {
    One(String),
    Several(Vec<String>),
}

impl Keys {
    fn all(&self) -> Vec<String> {
        match self {
            Keys::One(key) if key.is_empty() => Vec::new(),
            Keys::One(key) => vec![key.clone()],
            Keys::Several(keys) => keys.clone(),
        }
    }
}

/// `[attach]`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Attach {
    /// Whose size an agent gets that several look at. The server reads it from the user's own file.
    pub size: Sizing,
    /// A paused agent goes on when somebody attaches to it.
    pub resume: bool,
}

impl Default for Attach {
    fn default() -> Attach {
        Attach { size: Sizing::Latest, resume: true }
    }
}

/// `[record]`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Record {
    /// Each agent is recorded from its start. The server reads it from the user's own file.
    pub auto: bool,
    /// Most bytes one recording takes; the oldest output goes first.
    pub max_bytes: u64,
}

impl Default for Record {
    fn default() -> Record {
        // Hours of an agent at work; a disk holds hundreds of them.
        Record { auto: false, max_bytes: 16 * 1024 * 1024 }
    }
}

/// `[probes]`: what agents are told when they ask what terminal they run in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Probes {
    /// Answer each kind of query only the first time.
    pub once: bool,
    pub primary_attributes: String,
    /// `#rrggbb`.
    #[serde(with = "color_text")]
    pub foreground: Rgb,
    #[serde(with = "color_text")]
    pub background: Rgb,
}

impl Default for Probes {
    fn default() -> Probes {
        let TerminalIdentity { primary_attributes, foreground, background, silent: _, once } =
            TerminalIdentity::default();
        Probes { once, primary_attributes, foreground, background }
    }
}

/// `[security]`: programs that may be started. Globs over the program as written and over its last part.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Security {
    /// Empty: everything that is not denied.
    pub allow_commands: Vec<String>,
    pub deny_commands: Vec<String>,
    /// What every agent has at least.
    pub isolate: Isolate,
    /// Whether agents put anything on the clipboard of whoever looks at them.
    pub clipboard: Clipboard,
    /// The user's own `allow_commands` where a project gives some as well: both must allow.
    #[serde(skip)]
    pub also_allow: Vec<String>,
}

/// What a program outside the dashboard may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Permission {
    #[default]
    Allow,
    Ask,
    Deny,
}

/// `[permissions]`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Permissions {
    pub terminal_start: Permission,
    pub terminal_stop: Permission,
}

/// `[server]`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Server {
    /// Seconds without agent and client after which it ends.
    pub exit_when_empty_secs: u64,
    /// Lines of history kept for each agent.
    pub scrollback_lines: usize,
}

impl Default for Server {
    fn default() -> Server {
        // Long enough for a script to start one agent after another, short enough to leave nothing behind.
        // Ten thousand lines are 1 to 2 MB an agent.
        Server { exit_when_empty_secs: 30, scrollback_lines: 10_000 }
    }
}

/// `120x40` in the file, `Size` here.
mod size_text {
    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    use crate::core::terminal::grid::Size;

    pub fn serialize<S: Serializer>(size: &Option<Size>, to: S) -> Result<S::Ok, S::Error> {
        match size {
            Some(size) => to.collect_str(size),
            None => to.serialize_none(),
        }
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Size>, D::Error> {
        let text = String::deserialize(from)?;
        text.parse().map(Some).map_err(D::Error::custom)
    }
}

/// `#rrggbb` in the file, three bytes here.
mod color_text {
    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    use crate::core::terminal::query_replies::Rgb;

    pub fn serialize<S: Serializer>((r, g, b): &Rgb, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(&format_args!("#{r:02x}{g:02x}{b:02x}"))
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Rgb, D::Error> {
        let text = String::deserialize(from)?;
        let hex = text.strip_prefix('#').filter(|hex| hex.len() == 6);
        let number = hex
            .and_then(|hex| u32::from_str_radix(hex, 16).ok())
            .ok_or_else(|| D::Error::custom(format!("'{text}' is not a colour; write it as \"#rrggbb\"")))?;
        let [_, r, g, b] = number.to_be_bytes();
        Ok((r, g, b))
    }
}
