//! From a configured agent to what it is started with: command, folder and a filtered environment.
//!
//! The command line calls it before it asks the server to start anything.

use std::collections::BTreeMap;

use crate::core::agent::{self, AgentSpec, DefinedIn, Isolate};
use crate::core::policy::Policy;
use crate::core::terminal::query_replies::TerminalIdentity;
use crate::core::trust::digest;

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
        // What an agent is asked about is decided by the policy it was started with. What a person has agreed to, and who
        // stands by, follows from the rest.
        let policy = Policy { agreed: None, standby: Vec::new(), ..self.policy.clone() };
        let file = self.project.as_ref().map(|project| project.file.as_os_str().as_encoded_bytes());
        let whole = |agent: &Agent| {
            let project = file.filter(|_| !agent.own).map(|file| digest(file)[..FILE_DIGITS].to_owned());
            let mut spec = spec(agent, self.security.isolate);
            spec.definition = Some(definition(&spec, &policy));
            spec.defined_in = Some(project.map_or(DefinedIn::User, DefinedIn::Project));
            let own = std::mem::replace(&mut spec.env, clean.clone());
            spec.env.extend(own);
            spec
        };
        let mut specs: Vec<AgentSpec> = self.agents.iter().map(whole).collect();
        agent::number(&mut specs);
        specs
    }

    pub fn terminal_identity(&self) -> TerminalIdentity {
        let Probes { once, primary_attributes, foreground, background } = self.probes.clone();
        TerminalIdentity { primary_attributes, foreground, background, silent: false, once }
    }
}

/// Digits that tell one project's file from another's.
const FILE_DIGITS: usize = 16;

/// A name for what the configuration says of an agent. Other agents are told of it, and variables hold secrets: of their
/// values it has eight bits, which confirm no guess.
fn definition(spec: &AgentSpec, policy: &Policy) -> String {
    let named = |(name, _): (&String, &String)| (name.clone(), String::new());
    let told = AgentSpec { env: spec.env.iter().map(named).collect(), ..spec.clone() };
    let of =
        |bytes: serde_json::Result<Vec<u8>>| digest(&bytes.expect("manifests are written of it as well"));
    let (values, rest) = (of(serde_json::to_vec(&spec.env)), of(serde_json::to_vec(&(told, policy))));
    format!("{rest}{}", &values[..2])
}

/// As the configuration has it, with only the variables that are set there.
fn spec(agent: &Agent, least: Isolate) -> AgentSpec {
    let mut env = agent.file_env.clone();
    env.extend(agent.env.clone());
    AgentSpec {
        name: agent.name.clone(),
        command: agent.command.iter().chain(&agent.args).cloned().collect(),
        wrap: agent.wrap.clone(),
        cwd: agent.cwd.clone().unwrap_or_default(),
        env,
        umask: None,
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
        definition: None,
        defined_in: None,
        stdin: None,
        tied: None,
        call: None,
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
