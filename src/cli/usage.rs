//! The command line as it was typed: read, or refused in one line with its mend.
//!
//! clap explains a mistake over several lines; programs that read standard error, and people, get the same in one.

use std::ffi::OsString;
use std::io::{self, Write};
use std::process::ExitCode;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Arg, Command, CommandFactory, Parser};

use super::failure::{Failure, USAGE};
use super::verbs::Cli;

/// What was typed; else the code to end with, once it was said why.
pub fn parse() -> Result<Cli, ExitCode> {
    let words: Vec<OsString> = std::env::args_os().collect();
    let read = Cli::try_parse_from(&words).or_else(|error| match help_of_help(&error, &words) {
        Some(words) => Cli::try_parse_from(words),
        None => Err(error),
    });
    read.map_err(|error| match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => {
            match error.print().and_then(|()| io::stdout().flush()) {
                Err(unwritten) if unwritten.kind() != io::ErrorKind::BrokenPipe => {
                    super::out::complain(&format!("could not write the output: {unwritten}"));
                    ExitCode::FAILURE
                }
                // A reader that has gone wants no more of it.
                Ok(()) | Err(_) => ExitCode::SUCCESS,
            }
        }
        _ => {
            super::out::complain(&explain(&error, &words[1.min(words.len())..]).message);
            ExitCode::from(USAGE)
        }
    })
}

/// What was meant by `help --help` and `help config -h`, which clap takes for the names of verbs.
fn help_of_help(error: &clap::Error, words: &[OsString]) -> Option<Vec<OsString>> {
    let asked = |word: &OsString| word == "--help" || word == "-h";
    let behind = words.iter().position(|word| word == "help")? + 1;
    let at = behind + words[behind..].iter().position(asked)?;
    let taken = error.get(ContextKind::InvalidSubcommand);
    let taken = matches!(taken, Some(ContextValue::String(word)) if words[at] == word.as_str());
    let mut meant = words.to_vec();
    match at == behind {
        true => meant[at] = "help".into(),
        false => drop(meant.remove(at)),
    }
    (taken && error.kind() == ErrorKind::InvalidSubcommand).then_some(meant)
}

/// The verb that was typed, as `--help` is asked of it, and its subcommands: of a value that does not fit clap does not
/// say whose it is.
fn verb(words: &[OsString]) -> (String, Vec<String>) {
    let mut command = Cli::command();
    command.build();
    let (mut at, mut path) = (&command, vec!["counsel"]);
    let mut words = words.iter();
    while let Some(word) = words.next().and_then(|word| word.to_str()).filter(|word| *word != "--") {
        if let Some(found) = at.find_subcommand(word) {
            // There is no help of the help.
            if found.get_name() == "help" {
                break;
            }
            path.push(found.get_name());
            at = found;
        } else if takes_next(at, word) {
            words.next();
        }
    }
    let below = at.get_subcommands().filter(|command| !command.is_hide_set() && command.get_name() != "help");
    (path.join(" "), below.map(|command| command.get_name().to_owned()).collect())
}

/// Whether the word behind this one is its value, and no verb.
fn takes_next(command: &Command, word: &str) -> bool {
    let named = |arg: &&Arg| match word.strip_prefix("--") {
        Some(long) => arg.get_long() == Some(long),
        None => word.len() == 2 && word.starts_with('-') && arg.get_short() == word.chars().nth(1),
    };
    command.get_arguments().find(named).is_some_and(|arg| arg.get_action().takes_values())
}

/// clap's paragraphs (the mistake, tips, the usage) as one line.
fn explain(error: &clap::Error, words: &[OsString]) -> Failure {
    let (verb, subcommands) = verb(words);
    let rendered = match error.kind() {
        // clap prints the help instead of saying what is missing.
        ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand | ErrorKind::MissingSubcommand => {
            format!("a subcommand is missing: {}", subcommands.join(", "))
        }
        _ => error.render().to_string(),
    };
    let mut paragraphs = rendered.split("\n\n").map(one_line);
    let mistake = paragraphs.next().unwrap_or_default();
    let mistake = mistake.trim_start_matches("error: ").replace(" were not provided: ", " are missing: ");
    let mistake = mistake.replace("the following required arguments are missing: ", "this is missing: ");
    // That a word may be passed on as a value helps where one is taken.
    let useful = |tip: &&str| !tip.trim().is_empty() && !tip.trim_start().starts_with("to pass '");
    let tips = paragraphs
        .find_map(|paragraph| paragraph.strip_prefix("tip: ").map(str::to_owned))
        .unwrap_or_default();
    let tip = tips.split(" tip: ").find(useful).map(|tip| format!("; {tip}"));
    let tip = tip
        .or_else(|| behind_dashes(error, &verb, words))
        .or_else(|| text_behind_dashes(error, &verb, words));
    let tip = tip.unwrap_or_default();
    Failure::new(USAGE, format!("could not read the command line: {mistake}{tip}; see '{verb} --help'"))
}

/// What whoever comes from docker or tmux writes: the program without its `--`.
fn behind_dashes(error: &clap::Error, verb: &str, words: &[OsString]) -> Option<String> {
    let starts = verb == "counsel start" || verb == "counsel exec";
    let a_word = matches!(error.get(ContextKind::InvalidArg), Some(ContextValue::String(word)) if !word.starts_with('-'));
    let without =
        error.kind() == ErrorKind::UnknownArgument && a_word && words.iter().all(|word| word != "--");
    let name = if verb == "counsel start" { " NAME" } else { "" };
    (starts && without).then(|| format!("; the program stands behind '--': {verb}{name} -- CMD ARG"))
}

/// What is typed begins like an option.
fn text_behind_dashes(error: &clap::Error, verb: &str, words: &[OsString]) -> Option<String> {
    let an_option = matches!(error.get(ContextKind::InvalidArg), Some(ContextValue::String(word)) if word.starts_with('-'));
    let misread = error.kind() == ErrorKind::UnknownArgument && an_option;
    let taken = verb == "counsel send" && misread && words.iter().all(|word| word != "--");
    taken.then(|| format!("; text that begins with '-' stands behind '--': {verb} NAME -- TEXT"))
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(words: &[&str]) -> String {
        let error = Cli::try_parse_from(std::iter::once("counsel").chain(words.iter().copied())).unwrap_err();
        let words: Vec<OsString> = words.iter().map(OsString::from).collect();
        explain(&error, &words).message
    }

    #[test]
    fn a_mistake_is_one_line_with_its_mend() {
        for (words, line) in [
            (
                &["lss"][..],
                "unrecognized subcommand 'lss'; a similar subcommand exists: 'ls'; see 'counsel --help'",
            ),
            (
                &["ls", "--jsn"],
                "unexpected argument '--jsn' found; a similar argument exists: '--json'; see 'counsel ls --help'",
            ),
            (
                &["send", "a", "-x"],
                "unexpected argument '-x' found; text that begins with '-' stands behind '--': counsel send NAME -- TEXT; see 'counsel send --help'",
            ),
            (&["read"], "this is missing: <NAME>; see 'counsel read --help'"),
            (&["worktree", "rm"], "this is missing: <NAME>; see 'counsel worktree rm --help'"),
            (
                &["read", "a", "--tail", "x"],
                "invalid value 'x' for '--tail <N>': write a whole number, 0 to 18446744073709551615; see 'counsel read --help'",
            ),
            (
                &["--socket", "ls", "--color=never", "wait", "stop", "--for", "sleeping"],
                "invalid value 'sleeping' for '--for <STATE>' [possible values: idle, asking, exited, working]; a similar value exists: 'asking'; see 'counsel wait --help'",
            ),
            (
                &["start", "x", "sh"],
                "unexpected argument 'sh' found; the program stands behind '--': counsel start NAME -- CMD ARG; see 'counsel start --help'",
            ),
            (
                &["exec", "ls", "-l"],
                "unexpected argument 'ls' found; the program stands behind '--': counsel exec -- CMD ARG; see 'counsel exec --help'",
            ),
            (&["read", "a", "-f"], "unexpected argument '-f' found; see 'counsel read --help'"),
            (
                &["ls", "--colour", "never"],
                "unexpected argument '--colour' found; a similar argument exists: '--color'; see 'counsel ls --help'",
            ),
            (&["config"], "a subcommand is missing: check, show, path, schema; see 'counsel config --help'"),
            (&["help", "lss"], "unrecognized subcommand 'lss'; see 'counsel --help'"),
            (&["config", "help", "--all"], "unrecognized subcommand '--all'; see 'counsel config --help'"),
            (&["config", "lok"], "unrecognized subcommand 'lok'; see 'counsel config --help'"),
        ] {
            assert_eq!(said(words), format!("could not read the command line: {line}"), "{words:?}");
        }
    }

    /// `counsel help --help` was a mistake, where other programs show the help of their help.
    #[test]
    fn help_is_shown_of_the_help() {
        for (typed, meant) in [
            (&["help", "--help"][..], Some(&["help", "help"][..])),
            (&["help", "-h"], Some(&["help", "help"])),
            (&["config", "help", "--help"], Some(&["config", "help", "help"])),
            (&["help", "config", "--help"], Some(&["help", "config"])),
            (&["help", "config", "check", "-h"], Some(&["help", "config", "check"])),
            (&["help", "lss"], None),
            (&["help", "lss", "--help"], None),
            (&["help", "config", "--json"], None),
        ] {
            let words = |typed: &[&str]| -> Vec<OsString> {
                std::iter::once("counsel").chain(typed.iter().copied()).map(OsString::from).collect()
            };
            let error = Cli::try_parse_from(words(typed)).unwrap_err();
            assert_eq!(help_of_help(&error, &words(typed)), meant.map(words), "{typed:?}");
            let shown = meant.map(|meant| Cli::try_parse_from(words(meant)).unwrap_err().kind());
            assert!(shown.is_none_or(|kind| kind == ErrorKind::DisplayHelp), "{typed:?}");
        }
    }
}
