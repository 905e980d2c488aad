//! Who is on the team, and who names whom: consultants that exist, and no circle among them.
//!
//! `merge.rs` calls it once the files are put together. It reads no file and decides about no question.

use crate::core::agent::Isolate;
use crate::core::consult::chain::Chain;
use crate::core::policy::Policy;

use super::effective::Config;
use super::error::ConfigError;
use super::source::{Source, Sources, Step};
use super::types::Agent;

/// The project's agents, and those of the user's own file that they name; without a project's file,
/// the user's own.
pub fn team(sources: &Sources, policy: &Policy) -> Vec<Agent> {
    let own = sources.own.as_ref().map(|own| own.file.agent.as_slice()).unwrap_or_default();
    let own: Vec<Agent> = own.iter().map(|agent| Agent { own: true, ..agent.clone() }).collect();
    let Some(project) = &sources.project else { return own };
    let mut team = project.file.agent.clone();
    let mut wanted: Vec<&str> = team.iter().flat_map(|agent| names(agent.consultant.as_ref())).collect();
    let projects = policy.rules.iter().filter(|rule| rule.from_project);
    wanted.extend(projects.flat_map(|rule| names(rule.with.as_ref())));
    wanted.extend(policy.consultants.iter().filter_map(|consultant| consultant.then.as_deref()));
    let mut wanted: Vec<String> = wanted.into_iter().map(str::to_string).collect();
    while let Some(name) = wanted.pop() {
        if team.iter().any(|agent| agent.name == name) {
            continue;
        }
        if let Some(agent) = own.iter().find(|agent| agent.name == name) {
            wanted.extend(names(agent.consultant.as_ref()).map(str::to_string));
            team.push(agent.clone());
        }
    }
    team
}

/// The first name that leads nowhere, or in a circle.
pub fn check(sources: &Sources, config: &Config) -> Result<(), ConfigError> {
    for source in sources.each() {
        for (at, agent) in source.file.agent.iter().enumerate() {
            let path = [Step::Key("agent"), Step::Index(at), Step::Key("consultant")];
            for name in names(agent.consultant.as_ref()) {
                link(source, &path, Some(name), &agent.name, config)?;
            }
            // The user's own agents that do not work in this project are none of its concern.
            if agent.worktree.is_some()
                && is_agent(&agent.name, config)
                && let Some(what) = isolate_of(agent, config).worktree_fault()
            {
                let path = [Step::Key("agent"), Step::Index(at), Step::Key("worktree")];
                return Err(source.error(&path, what));
            }
            // Who names a user believes that the agent is nobody else.
            if agent.user.is_some() && isolate_of(agent, config) != Isolate::Uid {
                let path = [Step::Key("agent"), Step::Index(at), Step::Key("user")];
                return Err(source.error(&path, "has no effect here; write isolate = \"uid\" beside it"));
            }
        }
        for (at, consultant) in source.file.consultant.iter().enumerate() {
            let path = [Step::Key("consultant"), Step::Index(at), Step::Key("then")];
            link(source, &path, consultant.then.as_deref(), &consultant.name, config)?;
        }
        // The user's own rules hold for every project, and so may name agents of another one.
        for (at, rule) in source.file.rule.iter().enumerate().filter(|_| !source.own) {
            let path = |key| [Step::Key("rule"), Step::Index(at), Step::Key(key)];
            for name in names(rule.with.as_ref()) {
                exists(source, &path("with"), Some(name), config)?;
            }
            if let Some(name) = rule.agent.as_deref().filter(|name| !is_agent(name, config)) {
                return Err(source.error(&path("agent"), nobody(name, config)));
            }
        }
    }
    Ok(())
}

fn link(
    source: &Source,
    path: &[Step<'_>],
    to: Option<&str>,
    from: &str,
    config: &Config,
) -> Result<(), ConfigError> {
    if source.own && sources_without(from, config) {
        return Ok(());
    }
    exists(source, path, to, config)?;
    let mut way = vec![from];
    if to.is_some_and(|name| goes_round(&mut way, name, config)) {
        let what = format!("a question would go round: {}; one of them needs no consultant", way.join(" → "));
        return Err(source.error(path, what));
    }
    Ok(())
}

/// Whether going on to `name` ever leads back; `way` is then the circle.
fn goes_round<'a>(way: &mut Vec<&'a str>, name: &'a str, config: &'a Config) -> bool {
    let circle = way.contains(&name);
    way.push(name);
    if circle || next(name, config).into_iter().any(|further| goes_round(way, further, config)) {
        return true;
    }
    way.pop();
    false
}

fn names(chain: Option<&Chain>) -> impl Iterator<Item = &str> {
    chain.into_iter().flat_map(Chain::names)
}

/// An entry of the user's own file that this team does not use: its names are checked where it is used.
fn sources_without(name: &str, config: &Config) -> bool {
    !is_agent(name, config) && !config.policy.consultants.iter().any(|c| c.name == name)
}

fn exists(
    source: &Source,
    path: &[Step<'_>],
    name: Option<&str>,
    config: &Config,
) -> Result<(), ConfigError> {
    match name {
        Some(name) if sources_without(name, config) => Err(source.error(path, nobody(name, config))),
        Some(_) | None => Ok(()),
    }
}

/// What an agent is kept from, whichever table says so.
fn isolate_of(agent: &Agent, config: &Config) -> Isolate {
    agent.isolate.unwrap_or_default().max(config.security.isolate)
}

fn is_agent(name: &str, config: &Config) -> bool {
    config.agents.iter().any(|agent| agent.name == name)
}

/// Whom `name` hands a question on to.
fn next<'a>(name: &str, config: &'a Config) -> Vec<&'a str> {
    if let Some(agent) = config.agents.iter().find(|agent| agent.name == name) {
        return names(agent.consultant.as_ref()).collect();
    }
    let command = config.policy.consultants.iter().find(|c| c.name == name);
    command.and_then(|c| c.then.as_deref()).into_iter().collect()
}

fn nobody(name: &str, config: &Config) -> String {
    let mut known: Vec<&str> = config.agents.iter().map(|agent| agent.name.as_str()).collect();
    known.extend(config.policy.consultants.iter().map(|consultant| consultant.name.as_str()));
    if known.is_empty() {
        return format!(
            "there is no '{name}', nor any other; add an [[agent]] or [[consultant]] of that name"
        );
    }
    format!("there is no '{name}'; write one of {}, or add an [[agent]] or [[consultant]]", known.join(", "))
}
