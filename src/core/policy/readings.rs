//! What a command read off a screen may have been: where one of its rows ends, a line of the command may end, or a program has
//! broken it, between two words or within one.
//!
//! `route.rs` asks for what a refusing rule may speak of, `guard.rs` for what may do harm. Nothing is approved by a joined reading
//! alone. Pure.

use super::git;
use super::shell::{Simple, split};

/// Characters that are read from one row on: a command that somebody reads before a yes is not longer, and what a screen may
/// hold would otherwise be read once for each of its rows.
const READ_ON: usize = 1_000;

/// The rest from each row on, as if its rows belonged together; nothing where there is only one row.
pub fn joined(subject: &str) -> impl Iterator<Item = String> {
    let rows: Vec<&str> = subject.split('\n').map(str::trim).filter(|row| !row.is_empty()).collect();
    let firsts = rows.len().saturating_sub(1);
    (0..firsts).flat_map(move |first| {
        let near = near(&rows[first..]);
        [near.join(" "), near.concat()]
    })
}

fn near<'r>(rows: &[&'r str]) -> Vec<&'r str> {
    let mut length = 0;
    let fits = |row: &&&str| {
        let fits = length < READ_ON;
        length += row.len();
        fits
    };
    rows.iter().take_while(fits).copied().collect()
}

/// Whether any reading of a command, or of a part of it, is what is looked for: as it is written, as the shell takes it, and git's
/// without what stands between it and its verb.
pub fn any(subject: &str, wanted: impl Fn(&str) -> bool) -> bool {
    let part = |command: &Simple| {
        let named = |words: Vec<&str>| wanted(&words.join(" "));
        wanted(&command.text())
            || named(bare(&command.words))
            || named(git::without_options(&bare(&command.words)))
    };
    let reads = |line: &str| wanted(line) || split(line).commands.iter().any(part);
    reads(subject) || joined(subject).any(|line| reads(&line))
}

/// The words of a command with its program named without its folder.
fn bare(words: &[String]) -> Vec<&str> {
    let mut bare: Vec<&str> = words.iter().map(String::as_str).collect();
    if let Some(program) = bare.first_mut() {
        *program = program.rsplit('/').next().unwrap_or(program);
    }
    bare
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_may_belong_together_from_each_of_them_on() {
        assert_eq!(joined("git status").count(), 0);
        let all: Vec<String> = joined("ls\n  git\npush").collect();
        assert_eq!(all, ["ls git push", "lsgitpush", "git push", "gitpush"]);
        let long = vec!["x".repeat(100); 200].join("\n");
        assert!(joined(&long).all(|line| line.len() <= READ_ON + 100 + 20));
    }

    #[test]
    fn a_command_is_found_however_it_is_written() {
        let push = |line: &str| any(line, |reading| reading.starts_with("git push"));
        for line in [
            "git push",
            "echo x && git\npush origin",
            "ls\ngit\npush",
            "gi\nt push",
            "git  push",
            "git\tpush",
            "git \"push\"",
            "git pu''sh",
            "git pu\\sh",
            "\"git\" push",
            "/usr/bin/git push",
            "git \\\npush",
            "git -C . push",
            "git --no-pager -c a=b push",
            "true; git push -f",
        ] {
            assert!(push(line), "{line:?}");
        }
        for line in ["git status", "git log --grep push", "echo git push", "git -C push status", "git"] {
            assert!(!push(line), "{line:?}");
        }
    }
}
