//! The command line as it was typed: read, or refused in one line with its mend.
//!
//! clap explains a mistake over several lines; programs that read standard error, and people, get the same in one.

use std::io::{self, Write};
use std::process::ExitCode;

use clap::Parser;
use clap::error::ErrorKind;

use super::failure::{Failure, USAGE};
use super::verbs::Cli;

/// What was typed; else the code to end with, once it was said why.
pub fn parse() -> Result<Cli, ExitCode> {
    Cli::try_parse().map_err(|error| match error.kind() {
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
            super::out::complain(&explain(&error.render().to_string()).message);
            ExitCode::from(USAGE)
        }
    })
}

/// clap's paragraphs (the mistake, tips, the usage) as one line.
fn explain(rendered: &str) -> Failure {
    let mut paragraphs = rendered.split("\n\n").map(one_line);
    let mistake = paragraphs.next().unwrap_or_default();
    let mistake = mistake.trim_start_matches("error: ").replace(" were not provided: ", " are missing: ");
    let mistake = mistake.replace("the following required arguments are missing: ", "this is missing: ");
    let (mut tip, mut verb) = (String::new(), "counsel".to_owned());
    for paragraph in paragraphs {
        if let Some(text) = paragraph.strip_prefix("tip: ") {
            tip = format!("; {text}");
        } else if let Some(usage) = paragraph.strip_prefix("Usage: ") {
            let named = |word: &&str| word.starts_with(|ch: char| ch.is_ascii_lowercase());
            verb = usage.split(' ').take_while(named).collect::<Vec<_>>().join(" ");
        }
    }
    Failure::new(USAGE, format!("could not read the command line: {mistake}{tip}; see '{verb} --help'"))
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(words: &[&str]) -> String {
        let error = Cli::try_parse_from(std::iter::once("counsel").chain(words.iter().copied())).unwrap_err();
        explain(&error.render().to_string()).message
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
            (&["read"], "this is missing: <NAME>; see 'counsel read --help'"),
            (&["worktree", "rm"], "this is missing: <NAME>; see 'counsel worktree rm --help'"),
            (
                &["read", "a", "--tail", "x"],
                "invalid value 'x' for '--tail <N>': write a whole number, 0 to 18446744073709551615; see 'counsel --help'",
            ),
        ] {
            assert_eq!(said(words), format!("could not read the command line: {line}"), "{words:?}");
        }
    }
}
