//! From a configured agent to what it is started with: command, folder and a filtered environment.
//!
//! The command line calls it before it asks the server to start anything.

use std::collections::BTreeMap;

use crate::core::agent::AgentSpec;
use crate::core::terminal::query_replies::TerminalIdentity;

use super::merge::Config;
use super::types::{Agent, Probes, Security};

/// Variables by prefix that say something about the terminal or the session counsel itself runs in,
/// which is not the agent's. An agent that inherits them believes it runs inside another agent, a
/// tmux or a terminal with features counsel does not offer.
const FOREIGN: &[&str] = &[
    "CLAUDE",
    "TMUX",
    "COUNSEL_",
    "TERM_PROGRAM",
    "TERM_SESSION_ID",
    "LC_TERMINAL",
    "ITERM_",
    "KITTY_",
    "GHOSTTY_",
    "WEZTERM_",
    "ALACRITTY_",
    "KONSOLE_",
    "VTE_",
    "WT_",
    "VSCODE_",
    "WINDOWID",
    "ZELLIJ",
    "STY",
    "LINES",
    "COLUMNS",
];

/// Variables of the prefixes above that are the user's own settings of the agent: its folder, account
/// and provider.
const SETTINGS: &[&str] = &[
    "CLAUDE_CONFIG_DIR",
    "CLAUDE_CODE_OAUTH_TOKEN",
    "CLAUDE_CODE_USE_BEDROCK",
    "CLAUDE_CODE_USE_VERTEX",
    "CLAUDE_CODE_USE_FOUNDRY",
];

/// The environment an agent starts from: `base` without what is not the agent's, plus its terminal.
pub fn agent_env(base: &BTreeMap<String, String>) -> BTreeMap<String, String> {
    let foreign =
        |name: &str| FOREIGN.iter().any(|prefix| name.starts_with(prefix)) && !SETTINGS.contains(&name);
    let kept = base.iter().filter(|(name, _)| !foreign(name));
    let mut env: BTreeMap<String, String> = kept.map(|(k, v)| (k.clone(), v.clone())).collect();
    env.insert("TERM".into(), "xterm-256color".into());
    env.insert("COLORTERM".into(), "truecolor".into());
    env.entry("LANG".into()).or_insert_with(|| "C.UTF-8".into());
    env
}

impl Config {
    /// Every agent, ready to be started. Later words win: `base`, `env_file`, `env`.
    pub fn agent_specs(&self, base: &BTreeMap<String, String>) -> Vec<AgentSpec> {
        let clean = agent_env(base);
        self.agents.iter().map(|agent| spec(agent, clean.clone())).collect()
    }

    pub fn terminal_identity(&self) -> TerminalIdentity {
        let Probes { once, primary_attributes, foreground, background } = self.probes.clone();
        TerminalIdentity { primary_attributes, foreground, background, silent: false, once }
    }
}

fn spec(agent: &Agent, mut env: BTreeMap<String, String>) -> AgentSpec {
    env.extend(agent.file_env.clone());
    env.extend(agent.env.clone());
    AgentSpec {
        name: agent.name.clone(),
        command: agent.command.iter().chain(&agent.args).cloned().collect(),
        wrap: agent.wrap.clone(),
        cwd: agent.cwd.clone().unwrap_or_default(),
        env,
        profile: agent.profile.clone(),
        consultant: agent.consultant.clone(),
        role: agent.role,
        host: agent.host,
        prompt: agent.prompt.clone(),
        task: agent.task.clone(),
        size: agent.size,
        title: agent.title.clone(),
        scrollback: None,
        restart: agent.restart,
        start: agent.start,
        idle_secs: agent.idle_secs,
        worktree: agent.worktree.clone(),
        hooks: agent.hooks,
        pane: None,
    }
}

impl Security {
    /// Whether a program may be started; otherwise which list says no.
    pub fn permits(&self, program: &str) -> Result<(), String> {
        if let Some(pattern) = self.deny_commands.iter().find(|pattern| names(pattern, program)) {
            return Err(format!("'{program}' is denied by [security] deny_commands ({pattern})"));
        }
        for list in [&self.allow_commands, &self.also_allow] {
            if !list.is_empty() && !list.iter().any(|pattern| names(pattern, program)) {
                return Err(format!("'{program}' is not in [security] allow_commands"));
            }
        }
        Ok(())
    }

    /// The same for everything an agent is started from: its command and what it is wrapped in.
    pub fn permits_spec(&self, agent: &AgentSpec) -> Result<(), String> {
        [agent.wrap.first(), agent.command.first()].into_iter().flatten().try_for_each(|p| self.permits(p))
    }
}

/// A pattern with a `/` is held against the program as written, one without against its last part.
fn names(pattern: &str, program: &str) -> bool {
    let last = program.rsplit('/').next().unwrap_or(program);
    glob(pattern, if pattern.contains('/') { program } else { last })
}

/// `*` stands for any letters; everything else for itself.
fn glob(pattern: &str, text: &str) -> bool {
    let mut parts = pattern.split('*');
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = text.strip_prefix(first) else { return false };
    let Some(last) = parts.next_back() else { return rest.is_empty() };
    for part in parts {
        let Some(at) = rest.find(part) else { return false };
        rest = &rest[at + part.len()..];
    }
    rest.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn map(pairs: &[(&str, &str)]) -> BTreeMap<String, String> {
        pairs.iter().map(|(k, v)| (k.to_string(), v.to_string())).collect()
    }

    #[test]
    fn an_agent_does_not_see_whose_terminal_counsel_runs_in() {
        let env = agent_env(&map(&[
            ("PATH", "/bin"),
            ("TERM", "dumb"),
            ("CLAUDECODE", "1"),
            ("CLAUDE_CODE_ENTRYPOINT", "cli"),
            ("CLAUDE_CONFIG_DIR", "/c"),
            ("TMUX", "/tmp/x,1,0"),
            ("TMUX_PANE", "%1"),
            ("TERM_PROGRAM", "kitty"),
            ("COUNSEL_TOKEN", "secret"),
        ]));
        let want = [
            ("CLAUDE_CONFIG_DIR", "/c"),
            ("COLORTERM", "truecolor"),
            ("LANG", "C.UTF-8"),
            ("PATH", "/bin"),
            ("TERM", "xterm-256color"),
        ];
        assert_eq!(env, map(&want));
        assert_eq!(agent_env(&map(&[("LANG", "de_DE.UTF-8")]))["LANG"], "de_DE.UTF-8");
    }

    #[test]
    fn both_allow_lists_and_the_deny_list_decide() {
        let list = |names: &[&str]| names.iter().map(|n| n.to_string()).collect();
        let security = Security {
            allow_commands: list(&["claude", "cod*x", "/opt/*/agent"]),
            also_allow: list(&["c*", "/opt/*"]),
            deny_commands: list(&["/tmp/*"]),
        };
        for good in ["claude", "/usr/bin/claude", "codex", "/opt/a/agent"] {
            assert_eq!(security.permits(good), Ok(()), "{good}");
        }
        for bad in ["bash", "/tmp/claude", "/opt/agent", "/opt/a/agents", "xclaude"] {
            assert!(security.permits(bad).is_err(), "{bad}");
        }
        assert_eq!(Security::default().permits("anything"), Ok(()));
    }
}
