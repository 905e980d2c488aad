//! What a command line starts beside its first word: behind `env`, `nice`, `timeout` and their like, and in the line that a
//! shell is given. For `deny_commands`, which would be no more than a name otherwise.
//!
//! It errs on the side of more programs, and says where it can see none.

use crate::core::policy::shell::split;

/// Programs that start the one named behind them, and words of the shell's that a command stands behind.
const WRAPPERS: [&str; 47] = [
    "env",
    "nice",
    "ionice",
    "chrt",
    "taskset",
    "nohup",
    "setsid",
    "stdbuf",
    "timeout",
    "time",
    "exec",
    "command",
    "builtin",
    "sudo",
    "doas",
    "xargs",
    "unbuffer",
    "watch",
    "busybox",
    "toybox",
    "unshare",
    "nsenter",
    "chroot",
    "flock",
    "setpriv",
    "prlimit",
    "runuser",
    "su",
    "script",
    "strace",
    "ltrace",
    "systemd-run",
    "parallel",
    "bwrap",
    "firejail",
    "find",
    "fd",
    "if",
    "elif",
    "then",
    "else",
    "while",
    "until",
    "do",
    "!",
    "{",
    "coproc",
];
const SHELLS: [&str; 8] = ["sh", "bash", "dash", "ash", "zsh", "ksh", "mksh", "fish"];
/// Programs that are given a program of their own language.
const INTERPRETERS: [&str; 8] = ["python", "python3", "perl", "ruby", "node", "lua", "php", "awk"];
/// Shells within shells that are followed; nobody writes more by hand.
const DEEPEST: usize = 8;

/// What a command line starts.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Behind {
    /// Programs, as they are named there; the first word is not among them.
    pub programs: Vec<String>,
    /// What runs programs that cannot be seen, in words.
    pub unseen: Vec<String>,
}

/// `is_program` says whether a word leads to a program: what stands between a wrapper and its program does not.
pub fn behind(command: &[String], is_program: &dyn Fn(&str) -> bool) -> Behind {
    let mut found = Behind::default();
    look(command, is_program, DEEPEST, &mut found);
    found
}

fn look(command: &[String], is_program: &dyn Fn(&str) -> bool, depth: usize, found: &mut Behind) {
    let Some((first, rest)) = command.split_first() else { return };
    let name = first.rsplit('/').next().unwrap_or(first);
    if depth == 0 {
        return found.unseen.push(format!("'{name}' within so many others"));
    }
    if WRAPPERS.contains(&name) {
        // An option, its value, an assignment, a time: whatever they are, they are no programs.
        let at = rest.iter().position(|word| {
            let known = WRAPPERS.contains(&word.as_str()) || SHELLS.contains(&word.as_str());
            !word.starts_with('-') && !word.contains('=') && (known || is_program(word))
        });
        // A whole line in one word: `env -S`, `script -c`, `su -c`.
        if rest.iter().take(at.unwrap_or(rest.len())).any(|word| word.contains(char::is_whitespace)) {
            found.unseen.push(format!("the line that '{name}' is given in one word"));
        }
        let Some(at) = at else { return };
        found.programs.push(rest[at].clone());
        look(&rest[at..], is_program, depth - 1, found);
    } else if SHELLS.contains(&name) {
        shell(name, rest, is_program, depth, found);
    } else if INTERPRETERS.contains(&name) && !rest.is_empty() {
        found.unseen.push(format!("the program that '{name}' is given"));
    }
}

/// `sh -c LINE`, also as `-lc`; without it a script.
fn shell(name: &str, rest: &[String], is_program: &dyn Fn(&str) -> bool, depth: usize, found: &mut Behind) {
    let flag = |word: &String| word.starts_with('-') && !word.starts_with("--") && word.contains('c');
    let Some(at) = rest.iter().position(flag) else {
        // One that is typed into runs what whoever types wants.
        if rest.iter().any(|word| !word.starts_with('-')) {
            found.unseen.push(format!("the script that '{name}' runs"));
        }
        return;
    };
    let Some(line) = rest[at + 1..].iter().find(|word| !word.starts_with('-')) else { return };
    let line = split(line);
    if line.opaque {
        found.unseen.push(format!("a part of the line that '{name}' runs"));
    }
    for command in &line.commands {
        let words = &command.words;
        let Some(at) = words.iter().position(|word| !is_assignment(word)) else { continue };
        match words[at].as_str() {
            // A redirection runs nothing.
            ">" | "<" => continue,
            word if word.contains('$') => found.unseen.push(format!("what '{word}' stands for")),
            "eval" | "." | "source" | "trap" => found.unseen.push(format!("what '{}' runs", words[at])),
            word => found.programs.push(word.to_owned()),
        }
        look(&words[at..], is_program, depth - 1, found);
    }
}

fn is_assignment(word: &str) -> bool {
    let name = word.split_once('=').map_or("", |(name, _)| name);
    !name.is_empty() && name.chars().all(|ch| ch.is_ascii_alphanumeric() || ch == '_')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(command: &[&str]) -> (Vec<String>, usize) {
        let command: Vec<String> = command.iter().map(|word| (*word).to_owned()).collect();
        let is_program = |word: &str| ["rm", "ls", "/bin/rm", "python3"].contains(&word);
        let found = behind(&command, &is_program);
        (found.programs, found.unseen.len())
    }

    #[test]
    fn programs_are_seen_behind_wrappers_and_in_a_shells_line() {
        for (command, programs, unseen) in [
            (&["ls", "rm"][..], &[][..], 0),
            (&["env", "-i", "A=rm", "-u", "X", "/bin/rm", "x"], &["/bin/rm"], 0),
            (&["nice", "-n", "10", "timeout", "-k", "1", "5", "rm", "ls"], &["timeout", "rm"], 0),
            (&["/usr/bin/env", "sh", "-c", "ls; A=1 rm x > rm"], &["sh", "ls", "rm"], 0),
            (&["bash", "-lc", "ls $(rm x) && sh -c 'rm y'"], &["rm", "ls", "sh", "rm"], 0),
            (&["sh", "-c", "\"$X\" y"], &[], 1),
            (&["sh", "-c", "eval x"], &[], 1),
            (&["sh", "-c", "cat <<E\nx\nE"], &["cat", "x", "E"], 1),
            (&["sh", "script"], &[], 1),
            (
                &["sh", "-c", "if rm x; then ls; else ! rm y; fi"],
                &["if", "rm", "then", "ls", "else", "!", "rm", "fi"],
                0,
            ),
            (&["sh", "-c", "for a in b; do rm $a; done"], &["for", "do", "rm", "done"], 0),
            (&["env", "-S", "rm x"], &[], 1),
            (&["find", ".", "-exec", "rm", "{}", ";"], &["rm"], 0),
            (&["flock", "lock", "rm", "x"], &["rm"], 0),
            (&["sh", "-c", "trap 'rm x' EXIT"], &[], 1),
            (&["sh"], &[], 0),
            (&["sh", "-i"], &[], 0),
            (&["nice", "python3", "-c", "import os"], &["python3"], 1),
        ] {
            let (got, missed) = seen(command);
            assert_eq!(
                (got.as_slice(), missed),
                (programs.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>().as_slice(), unseen),
                "{command:?}"
            );
        }
    }
}
