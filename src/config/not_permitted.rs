//! What a configuration starts that its own `[security]` refuses, or the user's: slips that would otherwise show when an agent is
//! started.
//!
//! `counsel config check` asks. It reads no disk; the caller brings the way to look a program up.

use std::collections::BTreeSet;

use crate::core::agent::AgentSpec;

use super::effective::Config;
use super::error::ConfigError;
use super::security::Locate;
use super::source::{Sources, Step};

/// Each command that may not run, with its place in the file. `specs`: the agents as they would be started.
pub fn refused(
    sources: &Sources,
    config: &Config,
    specs: &[AgentSpec],
    locate: Locate<'_>,
) -> Vec<ConfigError> {
    let permits = |command: &[String], cwd: &str, path: Option<&str>| {
        let permitted = config.security.permits_line(command, cwd, path, locate);
        permitted.err().map(|why| format!("{why}, and is not started; name another, or change that list"))
    };
    let (mut faults, mut seen) = (Vec::new(), BTreeSet::new());
    for source in sources.each() {
        let file = &source.file;
        for (at, agent) in file.agent.iter().enumerate() {
            // The stronger file's is the one that is started.
            let spec = specs.iter().find(|spec| spec.name == agent.name && seen.insert(&spec.name));
            let Some(spec) = spec else { continue };
            let path = Some(spec.env.get("PATH").map_or("", String::as_str));
            for (key, command) in [("wrap", &spec.wrap), ("command", &spec.command)] {
                if let Some(what) = permits(command, &spec.cwd, path) {
                    faults.push(source.error(&[Step::Key("agent"), Step::Index(at), Step::Key(key)], what));
                }
            }
        }
        for (at, consultant) in file.consultant.iter().enumerate() {
            let path = [Step::Key("consultant"), Step::Index(at), Step::Key(consultant.key())];
            if let Some(what) = permits(consultant.words(), "/", None) {
                faults.push(source.error(&path, what));
            }
        }
        if let Some(what) = permits(&file.notify.command, "/", None) {
            faults.push(source.error(&[Step::Key("notify"), Step::Key("command")], what));
        }
    }
    faults
}
