//! `counsel init`: a first `counsel.toml` for this folder, made of what is installed and lies here.
//!
//! It writes one new file, and never over another.

use std::io::{ErrorKind, Write};
use std::path::Path;
use std::process::ExitCode;

use serde_json::json;

use crate::config::{PROJECT_FILE, Places, no_current_folder, profiles};
use crate::os::new_file;

use super::failure::Failure;
use super::link::Acting;
use super::start::locate;

/// Write a commented counsel.toml for this folder, made of what is installed
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(flatten)]
    acting: Acting,
}

/// How each program advises without touching anything: the order is that of how well its dialogs are known.
const ADVISERS: [(&str, &str); 4] = [
    ("claude", r#"["claude", "--permission-mode", "plan"]"#),
    ("codex", r#"["codex", "--sandbox", "read-only"]"#),
    ("gemini", r#"["gemini"]"#),
    ("opencode", r#"["opencode", "--agent", "plan"]"#),
];

/// Files that tell a consultant what a project is about, as they are commonly named.
const CONTEXT: [&str; 7] = [
    "ROADMAP.md",
    "TODO.md",
    "AGENTS.md",
    "CLAUDE.md",
    "docs/architecture.md",
    "docs/decisions.md",
    "README.md",
];

/// So many go along: a consultant has to read them within seconds.
const MOST_CONTEXT: usize = 3;

/// What was found here.
#[derive(Debug, Default)]
struct Found {
    /// Agent programs, as they are called.
    programs: Vec<String>,
    context: Vec<&'static str>,
    git: bool,
    tmux: bool,
}

pub fn run(args: &Args) -> Result<ExitCode, Failure> {
    let places = Places::here(None)?;
    std::env::current_dir().map_err(|error| no_current_folder(&error))?;
    let path = places.cwd.join(PROJECT_FILE);
    let found = look(&places)?;
    let text = written(&found);
    let done = new_file::write(&path, new_file::AS_USUAL, |file| file.write_all(text.as_bytes()));
    done.map_err(|error| match error.kind() {
        ErrorKind::AlreadyExists => {
            format!("{} is there already; edit it, or remove it first", path.display())
        }
        _ => format!("{}: {error}", path.display()),
    })?;
    let words = match found.programs.as_slice() {
        [] => format!("wrote {PROJECT_FILE}; no agent program is installed, so its agents are examples"),
        programs => {
            format!("wrote {PROJECT_FILE} for {}; look at it, then: counsel up", programs.join(", "))
        }
    };
    let file = path.to_string_lossy();
    args.acting.did(&json!({ "did": "written", "file": file, "programs": found.programs }), Some(&words))?;
    Ok(ExitCode::SUCCESS)
}

fn look(places: &Places) -> Result<Found, Failure> {
    let there = |program: &str| locate(program, "/", None).is_some();
    let profiles = profiles(places)?;
    let known = profiles.names().filter_map(|name| profiles.get(name));
    let known: Vec<_> = known.filter(|profile| !profile.verified.is_empty()).collect();
    let commands = known.iter().filter_map(|profile| profile.commands.iter().find(|command| there(command)));
    let mut programs: Vec<String> = commands.cloned().collect();
    let rank = |name: &str| ADVISERS.iter().position(|(known, _)| *known == name).unwrap_or(ADVISERS.len());
    programs.sort_by_key(|name| rank(name));
    let here = |name: &&&str| places.cwd.join(name).is_file();
    Ok(Found {
        programs,
        context: CONTEXT.iter().filter(here).copied().take(MOST_CONTEXT).collect(),
        git: below_git(&places.cwd) && there("git"),
        tmux: there("tmux"),
    })
}

fn below_git(folder: &Path) -> bool {
    folder.ancestors().any(|above| above.join(".git").exists())
}

/// The file.
fn written(found: &Found) -> String {
    let mut text = String::from(
        "# The team of this folder. `counsel config check` reads this file, `counsel up` starts the team, `counsel` shows it.\n\
         # Before any of it is followed, counsel asks you once whether you trust it, and again when it has changed.\n\
         # `counsel config show` prints what it amounts to, `counsel config schema` is for your editor.\n\n",
    );
    let (first, others) = match found.programs.split_first() {
        Some((first, others)) => (first.as_str(), others),
        None => ("claude", [].as_slice()),
    };
    // Without an agent program the file is an example, all of it.
    let mark = if found.programs.is_empty() { "# " } else { "" };
    let adviser = ADVISERS.iter().find(|(name, _)| *name == first).map(|(_, command)| (*command).to_owned());
    let adviser = adviser.unwrap_or_else(|| format!("[\"{first}\"]"));
    let mut add = |line: &str| {
        let mark = if line.is_empty() || line.starts_with('#') { "" } else { mark };
        text.push_str(&format!("{mark}{line}\n"));
    };
    add("[[agent]]                        # one for each program that works here");
    add("name = \"worker\"                  # a-z 0-9 - _");
    add(&format!("command = [\"{first}\"]             # program and arguments; no shell reads them"));
    add("consultant = \"advisor\"           # who answers its questions");
    add("# task = \"the HTTP interface\"    # told to its consultant");
    add("# prompt = \"go on with TODO.md\"  # typed once it is ready");
    if found.git {
        add(
            "# worktree = \"fix-login\"         # works in a git worktree of its own, on a branch of that name",
        );
    }
    if found.tmux {
        add(
            "# host = \"tmux\"                  # its terminal is a pane that `tmux -L counsel attach` shows, too",
        );
    }
    for other in others {
        add("");
        add("# [[agent]]");
        add(&format!("# name = \"{other}\""));
        add(&format!("# command = [\"{other}\"]"));
        add("# consultant = \"advisor\"");
    }
    add("");
    add("[[agent]]");
    add("name = \"advisor\"");
    add("role = \"consultant\"");
    add(&format!("command = {adviser}"));
    add("");
    add("[consult]");
    let context: Vec<String> = found.context.iter().map(|name| format!("{name:?}")).collect();
    add(&format!("context = [{}]                     # files that are told along", context.join(", ")));
    add("# confirm = true                 # each answer waits for your Enter in the dashboard");
    add("");
    add(
        "# Permissions, plans, logins and dialogs come to you. Only your own file may let a command through:",
    );
    add(
        "# ~/.config/counsel/config.toml, [[rule]] with kind = \"permission\", command = \"^git status\", then = \"answer\", answer = \"Yes\"",
    );
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn agents(found: &Found) -> Vec<String> {
        let file: toml::Table = written(found).parse().unwrap();
        let agents = file.get("agent").and_then(|agents| agents.as_array()).cloned().unwrap_or_default();
        agents.iter().map(|agent| agent["name"].as_str().unwrap().to_owned()).collect()
    }

    #[test]
    fn whatever_is_found_the_file_can_be_read() {
        assert_eq!(agents(&Found::default()), Vec::<String>::new());
        let found = Found {
            programs: vec!["codex".into(), "aider".into()],
            context: vec!["ROADMAP.md"],
            git: true,
            tmux: true,
        };
        assert_eq!(agents(&found), ["worker", "advisor"]);
        assert!(written(&found).contains("\n# command = [\"aider\"]\n"));
        assert!(written(&found).contains("\ncontext = [\"ROADMAP.md\"]"));
    }
}
