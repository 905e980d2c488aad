//! From a configured agent to what it is started with: command, folder and a filtered environment.
//!
//! The command line calls it before it asks the server to start anything.

use std::collections::BTreeMap;

use crate::core::agent::{self, AgentSpec, Isolate};
use crate::core::terminal::query_replies::TerminalIdentity;

use super::effective::Config;
use super::types::{Agent, Probes};

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
        let spec = |agent| spec(agent, clean.clone(), self.security.isolate);
        let mut specs: Vec<AgentSpec> = self.agents.iter().map(spec).collect();
        agent::number(&mut specs);
        specs
    }

    pub fn terminal_identity(&self) -> TerminalIdentity {
        let Probes { once, primary_attributes, foreground, background } = self.probes.clone();
        TerminalIdentity { primary_attributes, foreground, background, silent: false, once }
    }
}

fn spec(agent: &Agent, mut env: BTreeMap<String, String>, least: Isolate) -> AgentSpec {
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
        isolate: agent.isolate.unwrap_or_default().max(least),
        user: agent.user.clone(),
        number: None,
        stdin: None,
        tied: None,
        pane: None,
    }
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
}
