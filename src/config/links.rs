//! Who is on the team, and who names whom: consultants that exist, and no circle among them.
//!
//! `merge.rs` calls it once the files are put together. It reads no file and decides about no question.

use crate::core::policy::Policy;

use super::error::ConfigError;
use super::merge::{Config, Sources};
use super::source::{Source, Step};
use super::types::Agent;

/// The project's agents, and those of the user's own file that they name; without a project's file,
/// the user's own.
pub fn team(sources: &Sources, policy: &Policy) -> Vec<Agent> {
    let own = sources.own.as_ref().map(|own| own.file.agent.as_slice()).unwrap_or_default();
    let Some(project) = &sources.project else { return own.to_vec() };
    let mut team = project.file.agent.clone();
    let mut wanted: Vec<&str> = team.iter().filter_map(|agent| agent.consultant.as_deref()).collect();
    wanted.extend(policy.rules.iter().filter(|rule| rule.from_project).filter_map(|r| r.with.as_deref()));
    wanted.extend(policy.consultants.iter().filter_map(|consultant| consultant.then.as_deref()));
    let mut wanted: Vec<String> = wanted.into_iter().map(str::to_string).collect();
    while let Some(name) = wanted.pop() {
        if team.iter().any(|agent| agent.name == name) {
            continue;
        }
        if let Some(agent) = own.iter().find(|agent| agent.name == name) {
            wanted.extend(agent.consultant.clone());
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
            link(source, &path, agent.consultant.as_deref(), &agent.name, config)?;
        }
        for (at, consultant) in source.file.consultant.iter().enumerate() {
            let path = [Step::Key("consultant"), Step::Index(at), Step::Key("then")];
            link(source, &path, consultant.then.as_deref(), &consultant.name, config)?;
        }
        // The user's own rules hold for every project, and so may name agents of another one.
        for (at, rule) in source.file.rule.iter().enumerate().filter(|_| !source.own) {
            let path = |key| [Step::Key("rule"), Step::Index(at), Step::Key(key)];
            exists(source, &path("with"), rule.with.as_deref(), config)?;
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
    let mut here = to;
    while let Some(name) = here {
        let circle = way.contains(&name);
        way.push(name);
        if circle {
            let what =
                format!("a question would go round: {}; one of them needs no consultant", way.join(" → "));
            return Err(source.error(path, what));
        }
        here = next(name, config);
    }
    Ok(())
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

fn is_agent(name: &str, config: &Config) -> bool {
    config.agents.iter().any(|agent| agent.name == name)
}

/// Whom `name` hands a question on to.
fn next<'a>(name: &str, config: &'a Config) -> Option<&'a str> {
    if let Some(agent) = config.agents.iter().find(|agent| agent.name == name) {
        return agent.consultant.as_deref();
    }
    config.policy.consultants.iter().find(|c| c.name == name).and_then(|c| c.then.as_deref())
}

fn nobody(name: &str, config: &Config) -> String {
    let mut known: Vec<&str> = config.agents.iter().map(|agent| agent.name.as_str()).collect();
    known.extend(config.policy.consultants.iter().map(|consultant| consultant.name.as_str()));
    format!("there is no '{name}'; write one of {}, or add an [[agent]] or [[consultant]]", known.join(", "))
}
