//! The one way git is run: as a program that an agent may have prepared.
//!
//! Where counsel looks, an agent writes: it names hooks, filters and merge drivers there, and git would run them for the
//! person who only lists. They are switched off by name as far as they can be listed; and git, with whatever it starts
//! all the same, is marked as an agent's process (`os/generation.rs`), so that none of it is ever taken for a person.
//! Called by the files beside it; nothing else of counsel starts git.

use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::Duration;

use super::signing::{SIGNERS, own_signers};
use crate::os::{generation, run_command};

/// What reads settings and commits alone is over in milliseconds, on a slow disk in a second. A pipe that an agent laid where git
/// reads (`.git/HEAD`) would hold it, and whoever starts an agent, for ever.
const READS_WITHIN: Duration = Duration::from_secs(5);
/// What looks at each file takes a minute in the largest checkouts on a disk that has to be woken.
const LOOKS_WITHIN: Duration = Duration::from_secs(120);

/// What git would start by itself or leave out, whatever is configured.
const OFF: [(&str, &str); 7] = [
    ("core.hooksPath", "/dev/null"),
    ("core.fsmonitor", "false"),
    // It asks a program which objects to keep, and is not what was asked for.
    ("maintenance.auto", "false"),
    ("gc.auto", "0"),
    ("merge.verifySignatures", "false"),
    ("submodule.recurse", "false"),
    // New files are work as well, and are looked for before a folder is removed.
    ("status.showUntrackedFiles", "normal"),
];
/// Nothing counsel asks of git is elsewhere. An object that an agent has removed would be fetched by a program it names.
const NOWHERE: [(&str, &str); 2] = [("GIT_NO_LAZY_FETCH", "1"), ("GIT_ALLOW_PROTOCOL", "none")];
/// For whatever looks at files: git looks into a submodule by another git, which follows that one's own settings.
pub(super) const NOT_INTO_SUBMODULES: &str = "--ignore-submodules=dirty";
/// The settings that name a program by which git reads, writes or merges files.
const PROGRAMS: &str = r"^(filter\..*\.(clean|smudge|process|required)|merge\..*\.driver)$";

pub(super) fn git(dir: &Path, args: &[&str]) -> Result<String, String> {
    git_with(dir, args, &[])
}

/// The same with variables of git's.
pub(super) fn git_with(dir: &Path, args: &[&str], env: &[(&str, &str)]) -> Result<String, String> {
    let off = programs(dir)?;
    said(command(dir, &with_values(&off)).args(args).envs(env.iter().copied()), LOOKS_WITHIN)
}

/// The same where git makes or removes a checkout, which takes as long as it takes.
pub(super) fn git_makes(dir: &Path, args: &[&str]) -> Result<String, String> {
    let off = programs(dir)?;
    told(command(dir, &with_values(&off)).args(args).output())
}

/// The same where git makes a commit for the person, which their own program signs.
pub(super) fn git_commits(dir: &Path, args: &[&str]) -> Result<String, String> {
    let (off, signers) = (programs(dir)?, own_signers(&config_scopes(dir, SIGNERS)?));
    let mut settings = with_values(&off);
    settings.extend(signers.iter().map(|(name, value)| (name.as_str(), value.as_str())));
    told(command(dir, &settings).args(args).output())
}

/// The same where git is only asked for a commit: it reads no file of the checkout, and so starts nothing that
/// reads or merges one.
pub(super) fn git_names(dir: &Path, args: &[&str]) -> Result<String, String> {
    said(command(dir, &[]).args(args), READS_WITHIN)
}

/// The settings of such names that hold in a folder: whose each is, its name and its value, as git lists them.
fn config_scopes(dir: &Path, names: &str) -> Result<String, String> {
    config(dir, &["--show-scope", "--get-regexp", names])
}

/// The names of the settings by which a program is run.
pub(super) fn programs(dir: &Path) -> Result<Vec<String>, String> {
    let names = config(dir, &["--name-only", "--get-regexp", PROGRAMS])?;
    Ok(names.split_terminator('\0').map(str::to_owned).collect())
}

fn config(dir: &Path, args: &[&str]) -> Result<String, String> {
    let output = output(command(dir, &[]).args(["config", "--null"]).args(args), READS_WITHIN)?;
    match output.status.code() {
        Some(0) => Ok(text(&output.stdout)),
        // There is none.
        Some(1) => Ok(String::new()),
        _ => Err(words(&output)),
    }
}

fn with_values(names: &[String]) -> Vec<(&str, &str)> {
    names.iter().map(|name| (name.as_str(), value_off(name))).collect()
}

/// A merge driver of no words would leave one side's file and call it merged; one that fails leaves a conflict.
fn value_off(name: &str) -> &'static str {
    let merges = name.starts_with("merge.");
    if merges || name.ends_with(".required") { "false" } else { "" }
}

/// git in a folder, with these settings set over all others.
fn command(dir: &Path, settings: &[(&str, &str)]) -> Command {
    let mut command = Command::new("git");
    command.arg("-C").arg(dir).stdin(Stdio::null());
    // Inside a hook of git's these would point at another repository.
    for name in ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"] {
        command.env_remove(name);
    }
    // In the environment: what is given as -c ends its name at the first '=', which may be part of a filter's name.
    let before = std::env::var("GIT_CONFIG_COUNT").ok().and_then(|count| count.parse().ok()).unwrap_or(0);
    let settings = OFF.iter().chain(settings);
    command.env("GIT_CONFIG_COUNT", (before + settings.clone().count()).to_string());
    for (at, (name, value)) in (before..).zip(settings) {
        command.env(format!("GIT_CONFIG_KEY_{at}"), name).env(format!("GIT_CONFIG_VALUE_{at}"), value);
    }
    // Looking at a repository must not get in the way of an agent that commits in it at this moment.
    command.env("GIT_OPTIONAL_LOCKS", "0").env("LC_ALL", "C").envs(NOWHERE);
    generation::start_below(&mut command);
    command
}

fn output(command: &mut Command, limit: Duration) -> Result<Output, String> {
    run_command::run_whole(command, limit).map_err(|error| match error {
        run_command::Error::Missing => "git is not installed".to_owned(),
        run_command::Error::TooLong(limit) => format!(
            "git did not end within {} s; is there a pipe in place of one of its files, or no reply from the disk?",
            limit.as_secs()
        ),
        run_command::Error::Failed(error) => format!("git could not be run: {error}"),
    })
}

fn said(command: &mut Command, limit: Duration) -> Result<String, String> {
    let output = output(command, limit)?;
    if output.status.success() { Ok(text(&output.stdout)) } else { Err(words(&output)) }
}

/// The same of one that was given all the time it wanted.
fn told(output: std::io::Result<Output>) -> Result<String, String> {
    let output = output.map_err(|error| format!("git could not be run: {error}"))?;
    if output.status.success() { Ok(text(&output.stdout)) } else { Err(words(&output)) }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn words(output: &Output) -> String {
    reason(&text(&output.stderr))
}

/// git's own reason: its last word where it gives up; else what it calls an error, with the files that it lists below; else the
/// last line.
fn reason(said: &str) -> String {
    let fatal = said.lines().rev().find_map(|line| line.strip_prefix("fatal: "));
    // What follows an error says what could be done, and "Aborting".
    let error = || {
        let (_, error) = said.split_once("error: ")?;
        let mut lines = error.lines();
        let first = lines.next()?;
        let files: Vec<&str> = lines.map_while(|line| line.strip_prefix('\t')).collect();
        Some(if files.is_empty() { first.to_owned() } else { format!("{first} {}", files.join(", ")) })
    };
    let said = fatal.map(str::to_owned).or_else(error).or_else(|| said.lines().last().map(str::to_owned));
    // Where its sentence goes on in another line.
    said.unwrap_or("git failed and said nothing".into()).trim_end_matches(';').to_owned()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
    use super::*;

    /// A merge that a file of the checkout was in the way of failed with "Aborting".
    #[test]
    fn the_reason_of_git_names_the_files_it_is_about() {
        let merge = "error: The following untracked working tree files would be overwritten by merge:\n\ty\n\tz\n\
                     Please move or remove them before you merge.\nAborting\n";
        let files = "The following untracked working tree files would be overwritten by merge: y, z";
        assert_eq!(reason(merge), files);
        assert_eq!(reason("error: one\nfatal: two;\n"), "two");
        assert_eq!(reason("warning: a\nlast\n"), "last");
        assert_eq!(reason(""), "git failed and said nothing");
    }

    /// An agent had made `.git/HEAD` a pipe: `counsel start` in that folder did not come back, and left a git behind.
    #[test]
    fn a_pipe_in_a_repository_holds_nobody() {
        let top = tempfile::tempdir().unwrap();
        assert!(Command::new("git").args(["init", "--quiet"]).current_dir(&top).status().unwrap().success());
        std::fs::remove_file(top.path().join(".git/HEAD")).unwrap();
        nix::unistd::mkfifo(&top.path().join(".git/HEAD"), nix::sys::stat::Mode::S_IRWXU).unwrap();
        let why = git_names(top.path(), &["rev-parse", "--verify", "HEAD"]).unwrap_err();
        assert!(why.contains("did not end within 5 s"), "{why}");
    }
}
