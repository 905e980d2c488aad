//! What a project's file would do, in lines a person reads before saying yes.
//!
//! `agreed_files.rs` makes one `Project` of the file and of all it names; `counsel trust` shows it. It reads nothing
//! itself and leaves nothing out: what a file starts, restricts, answers and silences is all in it.

use std::path::PathBuf;

use crate::core::policy::{Rule, Then};
use crate::core::trust::Part;
use crate::core::visible::visible;

use super::of_user::{left_to_user, refusal};
use super::source::Source;
use super::types::{Agent, File};

/// A script is known where a command names it, and whatever a program finds by itself is not: a yes that seemed to
/// cover it would be a yes to something else after the next `git pull`.
const UNSEEN: &str =
    "unseen what these commands read besides: modules, includes, Makefiles; a change there asks you nothing";

/// A project's file with everything it pulls in, as it was when the configuration was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Project {
    /// Absolute, links followed: the name an agreement is kept under.
    pub file: PathBuf,
    /// Named by `-f`: a person's yes for this run.
    pub named: bool,
    pub parts: Vec<Part>,
    /// Its agents that have a git worktree each.
    pub in_worktrees: Vec<String>,
    /// What it would do.
    pub summary: Vec<String>,
}

/// A command as it would be typed; words with blanks or nothing in them are quoted.
fn command_line(words: &[String]) -> String {
    let word = |word: &String| {
        let plain = !word.is_empty() && !word.contains(|ch: char| ch.is_whitespace() || "\"'".contains(ch));
        if plain { word.clone() } else { format!("{word:?}") }
    };
    words.iter().map(word).collect::<Vec<_>>().join(" ")
}

/// What the file would do, one thing a line.
pub fn summary(source: &Source) -> Vec<String> {
    let file = &source.file;
    let mut lines = Vec::new();
    file.agent.iter().for_each(|agent| agent_lines(agent, &mut lines));
    for consultant in &file.consultant {
        lines.push(format!("runs   consultant {}: {}", consultant.name, command_line(consultant.words())));
    }
    if !file.notify.command.is_empty() {
        lines.push(format!("runs   to call you: {}", command_line(&file.notify.command)));
    }
    if !file.agent.is_empty() || !file.consultant.is_empty() || !file.notify.command.is_empty() {
        lines.push(UNSEEN.to_owned());
    }
    // Those that nobody follows are told as such elsewhere, with their lines.
    lines.extend(file.rule.iter().filter(|rule| refusal(rule, false).is_none()).map(rule_line));
    section_lines(source, file, &mut lines);
    if lines.is_empty() {
        lines.push("starts nothing and changes nothing".to_owned());
    }
    lines.iter().map(|line| visible(line).into_owned()).collect()
}

fn agent_lines(agent: &Agent, lines: &mut Vec<String>) {
    let words: Vec<String> = agent.wrap.iter().chain(&agent.command).chain(&agent.args).cloned().collect();
    lines.push(format!("starts {}: {}", agent.name, command_line(&words)));
    let mut add = |what: &str, value: String| lines.push(format!("         {what}: {value}"));
    if !agent.wrap.is_empty() {
        add("wrapped in", command_line(&agent.wrap));
    }
    if let Some(cwd) = &agent.cwd {
        add("in", cwd.clone());
    }
    for (name, value) in &agent.env {
        add("env", format!("{name}={value}"));
    }
    if let Some(file) = &agent.env_file {
        let names: Vec<&str> = agent.file_env.keys().map(String::as_str).collect();
        add("env_file", format!("{file} ({})", names.join(", ")));
    }
    if let Some(profile) = &agent.profile {
        add("profile", profile.clone());
    }
    if let Some(chain) = &agent.consultant {
        add("asks", chain.names().collect::<Vec<_>>().join(", "));
    }
    if let Some(prompt) = &agent.prompt {
        add("is told", prompt.clone());
    }
    if let Some(name) = &agent.worktree {
        add("git worktree", name.clone());
    }
    if let Some(isolate) = agent.isolate {
        add("isolate", isolate.name().to_owned());
    }
    if let Some(user) = &agent.user {
        add("user", user.clone());
    }
    if agent.hooks == Some(false) {
        add("hooks", "off".to_owned());
    }
}

fn rule_line(rule: &Rule) -> String {
    let kind = rule.kind.map(|kind| kind.name().to_owned());
    let conditions = [
        ("agent", rule.agent.clone()),
        ("kind", kind),
        ("prompt", rule.prompt.clone()),
        ("command", rule.command.clone()),
        ("option", rule.option.clone()),
    ];
    let given: Vec<String> =
        conditions.into_iter().filter_map(|(key, value)| Some(format!("{key} {:?}", value?))).collect();
    let when = if given.is_empty() { "every question".to_owned() } else { given.join(", ") };
    let then = match rule.then {
        Then::Consult => match &rule.with {
            Some(with) => format!("asks {}", with.names().collect::<Vec<_>>().join(", ")),
            None => "asks the consultant".to_owned(),
        },
        Then::Human => "leaves to you".to_owned(),
        Then::Answer => format!("answers {:?}", rule.answer.as_deref().unwrap_or_default()),
        Then::Ignore => "silences".to_owned(),
    };
    format!("rule   {when}: {then}")
}

/// The sections as they are written: whoever reads them knows their keys from the file.
fn section_lines(source: &Source, file: &File, lines: &mut Vec<String>) {
    let table: toml::Table = toml::from_str(&source.text).expect("it was parsed before");
    for (name, value) in &table {
        let toml::Value::Table(section) = value else { continue };
        for (key, value) in section {
            if (name.as_str(), key.as_str()) == ("notify", "command") {
                continue;
            }
            // A project may forbid it, and nothing else.
            let copies =
                (name.as_str(), key.as_str()) == ("security", "clipboard") && value.as_str() != Some("deny");
            match copies || left_to_user(name, key) {
                true => lines.push(format!("cannot set {name}.{key}: only your own file does")),
                false => lines.push(format!("sets   {name}.{key} = {value}")),
            }
        }
    }
    if let (Some(template), Some(_)) = (&file.consult.template, &source.template) {
        lines.push(format!("words  what consultants are told: {template}"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_a_file_does_is_said() {
        let text = "[[agent]]\nname = \"api\"\ncommand = [\"claude\"]\nargs = [\"-p\", \"a b\"]\nwrap = [\"nice\"]\n\
            env = { PATH = \"./bin\" }\nprofile = \"generic\"\nprompt = \"go\\nnow\"\nhooks = false\n\
            [[rule]]\nkind = \"menu\"\nprompt = \"x\"\nthen = \"ignore\"\n\
            [[rule]]\nthen = \"answer\"\nanswer = \"Yes\"\n\
            [[consultant]]\nname = \"one\"\ncommand = [\"sh\", \"x.sh\"]\n\
            [notify]\ncommand = [\"ring\"]\nrepeat_secs = 3\n[security]\ndeny_commands = [\"rm\"]\n";
        let source = Source::parse("counsel.toml", false, text).unwrap();
        let want = [
            "starts api: nice claude -p \"a b\"",
            "         wrapped in: nice",
            "         env: PATH=./bin",
            "         profile: generic",
            "         is told: go\\u{a}now",
            "         hooks: off",
            "runs   consultant one: sh x.sh",
            "runs   to call you: ring",
            UNSEEN,
            "rule   kind \"menu\", prompt \"x\": silences",
            "rule   every question: answers \"Yes\"",
            "sets   notify.repeat_secs = 3",
            "sets   security.deny_commands = [\"rm\"]",
        ];
        assert_eq!(summary(&source), want);
        let nothing = Source::parse("counsel.toml", false, "# nothing\n").unwrap();
        assert_eq!(summary(&nothing), ["starts nothing and changes nothing"]);
    }

    #[test]
    fn nothing_hides_in_what_is_shown() {
        assert_eq!(
            visible("a\u{1b}[2K\u{202e}b\u{200b}\u{e0041}"),
            "a\\u{1b}[2K\\u{202e}b\\u{200b}\\u{e0041}"
        );
        assert_eq!(visible("漢字 é\tx"), "漢字 é\\u{9}x");
    }
}
