//! What a command read off a screen may have been: where one of its rows ends, a line of the command may end, or a program has
//! broken it, between two words or within one.
//!
//! `route.rs` asks for what a refusing rule may speak of, `guard.rs` for what may do harm. Nothing is approved by a joined reading
//! alone. Pure.

use std::borrow::Cow;

use super::git;
use super::shell::{Simple, quoted_texts, split};
use crate::core::question::Question;

/// Characters that are read from one row on: the words that make a command harmful, or name it, stand near its beginning.
const READ_ON: usize = 1_000;

/// Rows that are read on from, each: more than a screen shows beside a dialog. The work grows with their square.
pub const MOST_ROWS: usize = 40;

fn rows(subject: &str) -> Vec<&str> {
    subject.split('\n').map(str::trim).filter(|row| !row.is_empty()).collect()
}

/// Whether a command has more rows than are read on from.
pub fn is_too_long(subject: &str) -> bool {
    rows(subject).len() > MOST_ROWS
}

/// Whether a row ends in a backslash, which joins the next one to it.
pub fn seems_to_go_on(subject: &str) -> bool {
    subject.contains("\\\n")
}

/// Whether a command means something else where its rows end than a screen can show.
pub fn hangs_on_its_rows(command: &str) -> bool {
    seems_to_go_on(command) || command.contains("<<")
}

/// The command as it was told where a hook did: the texts in it are quoted words then.
pub(super) fn as_told(q: &Question) -> Cow<'_, str> {
    let subject = q.subject.as_deref().unwrap_or("");
    if q.origin.exact { quoted_texts(subject) } else { subject.into() }
}

/// What a command that was read off a screen may be where it seems to go on in the next row: nobody sees a blank behind the
/// backslash, with which the command ends there and another one begins.
pub fn ended(subject: &str) -> Option<String> {
    seems_to_go_on(subject).then(|| subject.replace("\\\n", "\\ \n"))
}

/// The rest from each row on, as if its rows belonged together; nothing where there is only one row. Of one that is too long only
/// the beginning is read.
pub fn joined(subject: &str) -> impl Iterator<Item = String> {
    let rows = rows(subject);
    let firsts = rows.len().saturating_sub(1).min(MOST_ROWS);
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

/// Every reading of a command and of its parts: as it is written, as the shell takes it, and git's without what stands between it
/// and its verb. A rule that refuses is matched against each.
pub fn of(subject: &str) -> Vec<String> {
    let mut found = vec![subject.to_owned()];
    found.extend(joined(subject).chain(ended(subject)));
    let parts: Vec<String> = found.iter().flat_map(|line| split(line).commands).flat_map(forms).collect();
    found.extend(parts);
    found.sort_unstable();
    found.dedup();
    found
}

fn forms(command: Simple) -> [String; 3] {
    let bare = bare(&command.words);
    [command.text(), bare.join(" "), git::without_options(&bare).join(" ")]
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
        // Each question is judged while all other agents' questions wait.
        assert_eq!((joined(&long).count(), is_too_long(&long)), (2 * MOST_ROWS, true));
        assert!(of(&"a\n".repeat(100_000)).len() < 10 * MOST_ROWS);
    }

    #[test]
    fn a_command_is_found_however_it_is_written() {
        let push = |line: &str| of(line).iter().any(|reading| reading.starts_with("git push"));
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
