//! What types cannot say about one file: names, patterns, keys, sizes, limits.
//!
//! `load.rs` calls it for each file, `merge.rs` afterwards checks what holds between files. It changes
//! nothing.

use regex::RegexBuilder;

use crate::core::agent::{self, Duty, Isolate, PERSON, Start};
use crate::core::consult::chain::Chain;
use crate::core::deliver::{prompt_fault, text_fault};
use crate::core::keymap::{self, Keymap};
use crate::core::policy::{Rule, Then};
use crate::core::terminal::keys::KeyPress;

use super::error::ConfigError;
use super::source::{Source, Step};
use super::types::Agent;

/// The longest a question may wait for its consultant. A day: beyond it somebody meant another unit.
const MAX_DEADLINE_SECS: u64 = 24 * 60 * 60;
/// An answer takes about a second of keys; less time than this can only fail.
const MIN_DEADLINE_SECS: u64 = 5;

/// What a pattern may take once it is built, as those of profiles: a repository's file must not cost seconds.
const PATTERN_BYTES: usize = 1 << 20;
/// Rules in a project's file: nobody has agreed to it yet when their patterns are built, and each may be made to take milliseconds.
const PROJECT_RULES: usize = 200;
/// A question with its options and the form of the reply takes about so much.
const MIN_PROMPT_BYTES: u64 = 8 * 1024;
/// More than any agent's input line takes in one piece.
const MAX_PROMPT_BYTES: u64 = 1024 * 1024;
/// More entries of the log than any prompt has room for.
const MAX_DECISIONS: u64 = 10_000;
/// A year, for what may as well be never.
const MAX_SECS: u64 = 366 * 24 * 60 * 60;
/// A screen and what it is drawn from; half of it goes at a time.
const MIN_RECORD_BYTES: u64 = 64 * 1024;
/// More than a disk holds of any agent.
const MAX_RECORD_BYTES: u64 = 1 << 40;
/// More lines than the bytes of any history hold.
const MAX_LINES: u64 = 10_000_000;

type Checked = Result<(), ConfigError>;

/// The first fault of a file.
pub fn check(source: &Source) -> Checked {
    // No further than to the first: what nobody agreed to may be made to take long.
    each_fault(source).next().map_or(Ok(()), Err)
}

/// What is wrong in a file: of each agent, rule and consultant the first, and all of the rest.
pub fn faults(source: &Source) -> Vec<ConfigError> {
    each_fault(source).collect()
}

fn each_fault(source: &Source) -> impl Iterator<Item = ConfigError> {
    let file = &source.file;
    let agents = file.agent.iter().enumerate().map(|(at, agent)| agent_faults(source, at, agent));
    let rules = file.rule.iter().enumerate().map(|(at, rule)| rule_fault(source, at, rule));
    let consultants = (0..file.consultant.len()).map(|at| consultant_fault(source, at));
    let rest: [fn(&Source) -> Checked; 4] = [context, notify_command, attributes, command_lists];
    let tables = agents.chain(rules).chain(consultants).filter_map(Result::err);
    let keys = [chords, bindings].into_iter().filter_map(|checked| checked(source).err());
    let rest = rest.into_iter().filter_map(|checked| checked(source).err());
    tables.chain(keys).chain(std::iter::once_with(|| ranges(source)).flatten()).chain(rest)
}

fn agent_faults(source: &Source, at: usize, agent: &Agent) -> Checked {
    let file = &source.file;
    agent_fault(source, at, agent)?;
    if let Some(first) = file.agent[..at].iter().position(|other| other.name == agent.name) {
        let line = source.error(&[Step::Key("agent"), Step::Index(first), Step::Key("name")], "").line;
        let what = format!("'{}' is taken by the agent of line {line}; give it another name", agent.name);
        return Err(source.error(&in_agent(at, "name"), what));
    }
    Ok(())
}

fn consultant_fault(source: &Source, at: usize) -> Checked {
    let file = &source.file;
    let consultant = &file.consultant[at];
    let path = |key| [Step::Key("consultant"), Step::Index(at), Step::Key(key)];
    name_fault(source, &path("name"), &consultant.name)?;
    if !consultant.command.is_empty() && !consultant.acp.is_empty() {
        let what = "stands beside command; a consultant is spoken with in one way, so leave one of them out";
        return Err(source.error(&path("acp"), what));
    }
    command_fault(source, &path(consultant.key()), consultant.words())?;
    if consultant.secs.is_some() && consultant.share.is_some() {
        return Err(source.error(&path("share"), BOTH_TIMES));
    }
    let key = if consultant.secs.is_some() { "secs" } else { "share" };
    time_fault(source, &path(key), consultant.secs, consultant.share)?;
    let taken = file.agent.iter().map(|a| &a.name).chain(file.consultant[..at].iter().map(|c| &c.name));
    if taken.into_iter().any(|name| *name == consultant.name) {
        let what = format!("'{}' is taken; give it another name", consultant.name);
        return Err(source.error(&path("name"), what));
    }
    Ok(())
}

fn in_agent(at: usize, key: &str) -> [Step<'_>; 3] {
    [Step::Key("agent"), Step::Index(at), Step::Key(key)]
}

fn name_fault(source: &Source, path: &[Step<'_>], name: &str) -> Checked {
    let what = match (name, agent::name_fault(name)) {
        (_, None) => return Ok(()),
        ("", _) => "is missing; write name = \"api\"".to_string(),
        (PERSON, Some(why)) => why,
        _ => format!(
            "'{name}' is no name; write a to z, 0 to 9, '-' and '_', at most 32, a letter or digit first"
        ),
    };
    Err(source.error(path, what))
}

fn command_fault(source: &Source, path: &[Step<'_>], command: &[String]) -> Checked {
    match command.first().map(|program| program.trim()) {
        None => Err(source.error(path, "is missing; write command = [\"claude\"]")),
        Some("") => Err(source.error(path, "names no program; write command = [\"claude\"]")),
        Some(_) => Ok(()),
    }
}

fn agent_fault(source: &Source, at: usize, agent: &Agent) -> Checked {
    name_fault(source, &in_agent(at, "name"), &agent.name)?;
    command_fault(source, &in_agent(at, "command"), &agent.command)?;
    if let Some(what) = agent.prompt.as_deref().and_then(prompt_fault) {
        return Err(source.error(&in_agent(at, "prompt"), what));
    }
    if let Some(chain) = &agent.consultant {
        if let Some(what) = chain.own_fault(&agent.name) {
            return Err(source.error(&in_agent(at, "consultant"), what));
        }
        chain_fault(source, &in_agent(at, "consultant"), chain)?;
    }
    if agent.start == Start::Demand && agent.role != Duty::Consultant {
        let what = "only a consultant is started on demand; write role = \"consultant\" as well";
        return Err(source.error(&in_agent(at, "start"), what));
    }
    if agent.idle_secs.is_some() && agent.start != Start::Demand {
        let what = "has no effect here; write start = \"demand\", or leave it out";
        return Err(source.error(&in_agent(at, "idle_secs"), what));
    }
    if agent.hooks == Some(true) && agent.isolate == Some(Isolate::Uid) {
        let what = "another user does not reach counsel's socket: leave it out, its screen tells, or write isolate = \"namespace\"";
        return Err(source.error(&in_agent(at, "hooks"), what));
    }
    for name in agent.env.keys() {
        if name.is_empty() || name.contains(['=', '\0']) {
            let what = format!("'{name}' is no name of a variable; it may not be empty or hold '='");
            return Err(source.error(&in_agent(at, "env"), what));
        }
    }
    Ok(())
}

fn chain_fault(source: &Source, path: &[Step<'_>], chain: &Chain) -> Checked {
    if let Some(what) = chain.twice_fault() {
        return Err(source.error(path, what));
    }
    for (at, link) in chain.links().iter().enumerate() {
        if link.secs.is_some() && link.share.is_some() {
            // One alone may be written as a table without a list.
            let listed = [path, &[Step::Index(at), Step::Key("share")]].concat();
            let alone = [path, &[Step::Key("share")]].concat();
            let place = if source.has(&listed) { listed } else { alone };
            return Err(source.error(&place, BOTH_TIMES));
        }
        time_fault(source, path, link.secs, link.share)?;
    }
    Ok(())
}

/// What a consultant's turn lasts is said in one way.
const BOTH_TIMES: &str = "stands beside secs; leave one of them out";

fn time_fault(source: &Source, path: &[Step<'_>], secs: Option<u64>, share: Option<u8>) -> Checked {
    if let Some(secs) = secs.filter(|secs| !(1..=MAX_DEADLINE_SECS).contains(secs)) {
        let what = format!("secs {secs} is out of range; write 1 to {MAX_DEADLINE_SECS} seconds");
        return Err(source.error(path, what));
    }
    if let Some(share) = share.filter(|share| !(1..=100).contains(share)) {
        let what = format!("share {share} is out of range; write 1 to 100, hundredths of the deadline");
        return Err(source.error(path, what));
    }
    Ok(())
}

fn rule_fault(source: &Source, at: usize, rule: &Rule) -> Checked {
    let path = |key| [Step::Key("rule"), Step::Index(at), Step::Key(key)];
    if at >= PROJECT_RULES && !source.own {
        let what = format!("is one rule too many; a project's file has room for {PROJECT_RULES}");
        return Err(source.error(&path("then"), what));
    }
    for (key, pattern) in [("prompt", &rule.prompt), ("command", &rule.command), ("option", &rule.option)] {
        let Some(pattern) = pattern else { continue };
        if let Err(error) = RegexBuilder::new(pattern).size_limit(PATTERN_BYTES).build() {
            let cause = error.to_string();
            let cause = cause.lines().last().unwrap_or_default().trim_start_matches("error: ").to_string();
            let what =
                format!("is no regular expression: {cause}; a literal . * + ? ( ) [ wants a \\ before it");
            return Err(source.error(&path(key), what));
        }
    }
    if let Some(chain) = &rule.with {
        chain_fault(source, &path("with"), chain)?;
    }
    match (rule.then, &rule.answer, &rule.with) {
        (Then::Answer, None, _) => Err(source.error(
            &path("answer"),
            "is missing; then = \"answer\" needs the label to choose or the words to give",
        )),
        (Then::Consult | Then::Human | Then::Ignore, Some(_), _) => {
            Err(source.error(&path("answer"), "has no effect here; write then = \"answer\", or leave it out"))
        }
        (Then::Answer | Then::Human | Then::Ignore, _, Some(_)) => {
            Err(source.error(&path("with"), "has no effect here; write then = \"consult\", or leave it out"))
        }
        (Then::Answer, Some(words), None) => match text_fault(words) {
            _ if words.trim().is_empty() => {
                Err(source.error(&path("answer"), "is empty; write the label to choose or the words to give"))
            }
            Some(why) => Err(source.error(&path("answer"), format!("cannot be given: {why}"))),
            None => Ok(()),
        },
        (Then::Consult, None, _) | (Then::Human | Then::Ignore, None, None) => Ok(()),
    }
}

/// Keys that a person has bound; those that are bound twice too.
fn bindings(source: &Source) -> Checked {
    let dashboard = &source.file.dashboard;
    let prefix = KeyPress::parse(dashboard.prefix.as_deref().unwrap_or("ctrl-a"));
    let Ok(prefix) = prefix else { return Ok(()) };
    let bound = dashboard.bound();
    Keymap::new(prefix, &bound).map(drop).map_err(|fault| {
        if !bound.get(&fault.context).is_some_and(|names| names.contains_key(&fault.name)) {
            // Nobody wrote that line: it is the prefix that takes the action's own key.
            let what = format!(
                "'{prefix}' is the key of '{}' already; write another prefix, or give '{}' another key",
                fault.name, fault.name
            );
            return source.error(&[Step::Key("dashboard"), Step::Key("prefix")], what);
        }
        let path = [Step::Key("dashboard"), Step::Key(fault.context.table()), Step::Key(&fault.name)];
        source.error(&path, fault.what)
    })
}

/// Numbers beyond these are slips: of a unit, or of a digit.
fn ranges(source: &Source) -> Vec<ConfigError> {
    let (file, mut faults) = (&source.file, Vec::new());
    let (consult, server) = (&file.consult, &file.server);
    let number = |value: usize| u64::try_from(value).unwrap_or(u64::MAX);
    for (section, key, value, (least, most), unit) in [
        (
            "consult",
            "deadline_secs",
            consult.deadline_secs,
            (MIN_DEADLINE_SECS, MAX_DEADLINE_SECS),
            "seconds",
        ),
        (
            "consult",
            "prompt_bytes",
            number(consult.prompt_bytes),
            (MIN_PROMPT_BYTES, MAX_PROMPT_BYTES),
            "bytes",
        ),
        ("consult", "context_bytes", number(consult.context_bytes), (0, MAX_PROMPT_BYTES), "bytes"),
        ("consult", "decisions", number(consult.decisions), (0, MAX_DECISIONS), "entries"),
        ("notify", "repeat_secs", file.notify.repeat_secs, (0, MAX_SECS), "seconds"),
        ("record", "max_bytes", file.record.max_bytes, (MIN_RECORD_BYTES, MAX_RECORD_BYTES), "bytes"),
        // With none it would end before its first agent has come.
        ("server", "exit_when_empty_secs", server.exit_when_empty_secs, (1, MAX_SECS), "seconds"),
        ("server", "scrollback_lines", number(server.scrollback_lines), (0, MAX_LINES), "lines"),
    ] {
        if !(least..=most).contains(&value) {
            let what = format!("{value} is out of range; write {least} to {most} {unit}");
            faults.push(source.error(&[Step::Key(section), Step::Key(key)], what));
        }
    }
    for (at, agent) in file.agent.iter().enumerate() {
        if let Some(secs) = agent.idle_secs.filter(|secs| *secs > MAX_SECS) {
            let what = format!("{secs} is out of range; write 0 to {MAX_SECS} seconds");
            faults.push(source.error(&in_agent(at, "idle_secs"), what));
        }
    }
    faults
}

fn chords(source: &Source) -> Checked {
    let dashboard = &source.file.dashboard;
    let prefix = dashboard.prefix.as_ref().map(|text| keymap::prefix_chord(text));
    for (key, chord) in [("prefix", prefix), ("detach", Some(keymap::detach_chord(&dashboard.detach)))] {
        if let Some(Err(what)) = chord {
            return Err(source.error(&[Step::Key("dashboard"), Step::Key(key)], what));
        }
    }
    Ok(())
}

fn context(source: &Source) -> Checked {
    let fault = |pattern: &String| Some((pattern.clone(), glob::Pattern::new(pattern).err()?));
    let Some((pattern, error)) = source.file.consult.context.iter().find_map(fault) else { return Ok(()) };
    let what = format!("'{pattern}' is no pattern: {}; a literal * ? [ wants [ ] around it", error.msg);
    Err(source.error(&[Step::Key("consult"), Step::Key("context")], what))
}

fn notify_command(source: &Source) -> Checked {
    if source.file.notify.command.first().is_none_or(|program| !program.trim().is_empty()) {
        return Ok(());
    }
    let what = "names no program; write command = [\"notify-send\", \"counsel\"]";
    Err(source.error(&[Step::Key("notify"), Step::Key("command")], what))
}

fn attributes(source: &Source) -> Checked {
    let attributes = &source.file.probes.primary_attributes;
    if !attributes.is_empty() && attributes.bytes().all(|b| b.is_ascii_digit() || b == b';') {
        return Ok(());
    }
    let what =
        format!("'{attributes}' is no DA1 parameter list; write digits and ';', for example \"62;22\"");
    Err(source.error(&[Step::Key("probes"), Step::Key("primary_attributes")], what))
}

fn command_lists(source: &Source) -> Checked {
    let security = &source.file.security;
    let lists = [("allow_commands", &security.allow_commands), ("deny_commands", &security.deny_commands)];
    for (key, list) in lists {
        if list.iter().any(|pattern| pattern.trim().is_empty()) {
            let what = "holds an empty name; write a program (\"claude\") or a pattern (\"/opt/agents/*\")";
            return Err(source.error(&[Step::Key("security"), Step::Key(key)], what));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_turn_lasts_seconds_or_a_share_and_not_both() {
        let told = |text: &str| {
            let source = Source::parse("counsel.toml", true, text).unwrap();
            check(&source).err().map(|error| error.to_string())
        };
        let agent =
            |chain: &str| format!("[[agent]]\nname = \"a\"\ncommand = [\"cat\"]\nconsultant = {chain}\n");
        for both in [
            agent("{ name = \"o\", secs = 5, share = 60 }"),
            agent("[\"p\", { name = \"o\", secs = 5, share = 60 }]"),
            "[[consultant]]\nname = \"o\"\ncommand = [\"cat\"]\nshare = 3\nsecs = 4\n".to_owned(),
        ] {
            let why = told(&both).unwrap();
            assert!(why.contains("share") && why.contains("beside secs"), "{why}");
            assert!(why.starts_with("counsel.toml:4:"), "{why}");
        }
        assert_eq!(told(&agent("[{ name = \"p\", secs = 5 }, { name = \"o\", share = 60 }]")), None);
        let why = told(&agent("[\"o\", \"o\"]")).unwrap();
        assert!(why.contains("names 'o' twice"), "{why}");
    }
}
