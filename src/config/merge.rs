//! One `Config` from the user's own file and a project's: the project's keys win, except where they
//! would raise what the user's own file restricts. A cloned repository is not trusted.
//!
//! `load.rs` calls it with files that each passed `check.rs`. It reads no file.

use crate::core::clipboard::Clipboard;
use crate::core::policy::{Consult, Mode, Notify, Rule};

use super::effective::Config;
use super::error::ConfigError;
use super::of_user::{self, refusal};
use super::security::is_loader;
use super::source::{Source, Sources, Step};
use super::team_refs;
use super::types::{Dashboard, Permissions, Security};

pub fn merge(sources: &Sources) -> Result<Config, ConfigError> {
    let mut warnings = Vec::new();
    let own = sources.own.as_ref();
    let mut config = Config {
        dashboard: dashboard(sources, &mut warnings),
        attach: of_user::attach(own, sources.section("attach")),
        record: of_user::of_user(own, |own| own.record),
        probes: of_user::of_user(own, |own| own.probes.clone()),
        server: of_user::of_user(own, |own| own.server.clone()),
        security: security(sources),
        permissions: permissions(sources),
        files: sources.each().map(|source| source.name.clone()).collect(),
        ..Config::default()
    };
    config.warnings = warnings;
    config.warnings.extend(sources.project.iter().flat_map(of_user::warnings));
    config.policy.consult = consult(sources, &mut config.warnings);
    config.policy.notify = notify(sources, &mut config.warnings);
    config.policy.rules = rules(sources, &mut config.warnings);
    for source in [&sources.own, &sources.project].into_iter().flatten() {
        for consultant in &source.file.consultant {
            // A name the user's own rules may point at keeps the meaning the user gave it.
            if config.policy.consultants.iter().any(|known| known.name == consultant.name) {
                let taken = format!("your own [[consultant]] '{}' stays", consultant.name);
                config.warnings.push(format!("{}: key consultant: {taken}", source.name));
            } else {
                config.policy.consultants.push(consultant.clone());
            }
        }
    }
    config.agents = team_refs::team(sources, &config.policy);
    without_loaders(sources, &mut config);
    team_refs::check(sources, &config)?;
    Ok(config)
}

/// A project may choose a layout, but not what a key does: who binds the keys decides what is answered.
fn dashboard(sources: &Sources, warnings: &mut Vec<String>) -> Dashboard {
    let both: Dashboard = sources.section("dashboard");
    let own = sources.own.as_ref().map(|own| own.file.dashboard.clone()).unwrap_or_default();
    if let Some(project) = &sources.project {
        for (context, bound) in project.file.dashboard.bound() {
            if !bound.is_empty() {
                let path = [Step::Key("dashboard"), Step::Key(context.table())];
                let what = "a project's file binds no keys; put them into your own file";
                warnings.push(project.error(&path, what).to_string());
            }
        }
    }
    // Nor where what they type goes.
    let Dashboard { prefix, detach, layout, theme, ascii, .. } = both;
    Dashboard { prefix, detach, layout, theme, ascii, ..own }
}

/// Both files' lists must allow, either's list denies.
fn security(sources: &Sources) -> Security {
    let of = |source: &Option<Source>| source.as_ref().map(|s| s.file.security.clone()).unwrap_or_default();
    let (own, project) = (of(&sources.own), of(&sources.project));
    let isolate = own.isolate.max(project.isolate);
    // A project may forbid it.
    let forbidden = project.clipboard == Clipboard::Deny;
    let clipboard = if forbidden { Clipboard::Deny } else { own.clipboard };
    let mut deny_commands = own.deny_commands;
    deny_commands.extend(project.deny_commands);
    if project.allow_commands.is_empty() {
        let allow_commands = own.allow_commands;
        return Security { allow_commands, deny_commands, isolate, clipboard, also_allow: Vec::new() };
    }
    let (allow_commands, also_allow) = (project.allow_commands, own.allow_commands);
    Security { allow_commands, deny_commands, isolate, clipboard, also_allow }
}

/// The stricter of both.
fn permissions(sources: &Sources) -> Permissions {
    let mut both = Permissions::default();
    for source in sources.each() {
        let given = source.file.permissions;
        both.terminal_start = both.terminal_start.max(given.terminal_start);
        both.terminal_stop = both.terminal_stop.max(given.terminal_stop);
    }
    both
}

fn consult(sources: &Sources, warnings: &mut Vec<String>) -> Consult {
    let mut both: Consult = sources.section("consult");
    both.template = sources.each().find_map(|source| source.template.clone());
    if let Some(own) = sources.own.as_ref().map(|own| &own.file.consult) {
        both.confirm |= own.confirm;
        if own.mode == Mode::Shadow {
            both.mode = Mode::Shadow;
        }
        if sources.own_gives("consult", "max_per_hour") {
            both.max_per_hour = both.max_per_hour.min(own.max_per_hour);
        }
        for (both, own) in [
            (&mut both.max_per_hour_all, own.max_per_hour_all),
            (&mut both.asked_per_hour, own.asked_per_hour),
            (&mut both.asked_per_day, own.asked_per_day),
        ] {
            *both = stricter(*both, own);
        }
        if sources.own_gives("consult", "repeat_limit") {
            both.repeat_limit = stricter(both.repeat_limit, own.repeat_limit);
        }
        let given = |key| sources.own_gives("consult", key);
        for (given, both, own) in [
            (given("prompt_bytes"), &mut both.prompt_bytes, own.prompt_bytes),
            (given("context_bytes"), &mut both.context_bytes, own.context_bytes),
        ] {
            *both = if given { own.min(*both) } else { *both };
        }
        if given("deadline_secs") {
            both.deadline_secs = both.deadline_secs.min(own.deadline_secs);
        }
        // What was decided elsewhere may be nothing that a project's consultant is to know.
        if given("decisions") {
            both.decisions = both.decisions.min(own.decisions);
        }
    }
    if let Some(project) = &sources.project {
        let outside: Vec<&String> = project.file.consult.context.iter().filter(|p| leaves(p)).collect();
        if !outside.is_empty() {
            both.context.retain(|path| !outside.contains(&path));
            let what = "a project's file names only files below the agent's folder; the others are left out";
            warnings.push(project.error(&[Step::Key("consult"), Step::Key("context")], what).to_string());
        }
        if project.file.consult.template.as_ref().is_some_and(|path| leaves(path)) {
            both.template = sources.own.as_ref().and_then(|own| own.template.clone());
            let what = "a project's file names only a file below its own folder; it is left out";
            warnings.push(project.error(&[Step::Key("consult"), Step::Key("template")], what).to_string());
        }
    }
    both
}

/// Of two limits the lower one; 0 is no limit.
fn stricter(one: u32, other: u32) -> u32 {
    if one == 0 || other == 0 { one.max(other) } else { one.min(other) }
}

/// Whether a path may lead out of the folder it starts in.
pub(super) fn leaves(path: &str) -> bool {
    path.starts_with(['/', '~']) || path.split('/').any(|part| part == "..")
}

fn notify(sources: &Sources, warnings: &mut Vec<String>) -> Notify {
    let mut both: Notify = sources.section("notify");
    let own = sources.own.as_ref().map(|own| &own.file.notify.command).filter(|c| !c.is_empty());
    // Nor is it taken away by naming none.
    if let (Some(own), Some(project)) = (own, &sources.project)
        && both.command != *own
    {
        both.command.clone_from(own);
        let what = "your own file's command stays";
        warnings.push(project.error(&[Step::Key("notify"), Step::Key("command")], what).to_string());
    }
    // Whether and how a person is rung at their own desk is theirs alone.
    let of = |source: &Option<Source>| source.as_ref().map(|s| s.file.notify.clone()).unwrap_or_default();
    let (own, none) = (of(&sources.own), Notify::default());
    if let Some(project) = &sources.project {
        let given = &project.file.notify;
        let kept = [
            ("bell", given.bell != none.bell),
            ("terminal", given.terminal != none.terminal),
            ("title", given.title != none.title),
            ("quiet_hours", given.quiet_hours != none.quiet_hours),
        ];
        for (key, _) in kept.into_iter().filter(|(_, given)| *given) {
            let what = "a project's file does not decide how you are rung; put it into your own file";
            warnings.push(project.error(&[Step::Key("notify"), Step::Key(key)], what).to_string());
        }
    }
    // A project may have them called sooner than they wanted, and no later.
    let repeat_secs = match (sources.own_gives("notify", "repeat_secs"), own.repeat_secs, both.repeat_secs) {
        (true, own, project) if own > 0 && (project == 0 || project > own) => own,
        (_, _, both) => both,
    };
    Notify { command: both.command, repeat_secs, ..own }
}

/// The user's own rules come first, so that a project's cannot get in before them.
fn rules(sources: &Sources, warnings: &mut Vec<String>) -> Vec<Rule> {
    let mut all = Vec::new();
    for source in [&sources.own, &sources.project].into_iter().flatten() {
        for (at, rule) in source.file.rule.iter().enumerate() {
            let path = [Step::Key("rule"), Step::Index(at), Step::Key("kind")];
            match refusal(rule, source.own) {
                Some(what) => warnings.push(source.error(&path, what).to_string()),
                None => all.push(Rule { from_project: !source.own, ..rule.clone() }),
            }
        }
    }
    all
}

/// Where the person says which programs may run, a project does not say which file a name is, nor what is
/// loaded into it.
fn without_loaders(sources: &Sources, config: &mut Config) {
    let restricted = sources.own.as_ref().is_some_and(|own| !own.file.security.allow_commands.is_empty());
    let Some(project) = sources.project.as_ref().filter(|_| restricted) else { return };
    for (at, theirs) in project.file.agent.iter().enumerate() {
        let Some(agent) = config.agents.iter_mut().find(|agent| agent.name == theirs.name) else { continue };
        let before = agent.env.len() + agent.file_env.len();
        agent.env.retain(|name, _| !is_loader(name));
        agent.file_env.retain(|name, _| !is_loader(name));
        if agent.env.len() + agent.file_env.len() < before {
            let path = [Step::Key("agent"), Step::Index(at), Step::Key("env")];
            let what = "a project's file may not say which code runs (PATH, LD_PRELOAD …) where your own file has allow_commands; left out";
            config.warnings.push(project.error(&path, what).to_string());
        }
    }
}
