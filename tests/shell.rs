//! The splitter of command lines, judged by the shells that run such lines: no program runs that it did not name.
//!
//! Lines are put together at random of what shells give a meaning to, run by `sh` and `bash` with nothing but stand-ins on
//! their PATH, which write down how they were called. Most lines are nonsense, as those of an attacker may be.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::collections::BTreeSet;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Stdio};

use counsel::core::policy::shell::split;

/// What lines are made of: programs, words, quotes, and everything that begins or ends a command.
const PIECES: [&str; 34] = [
    "p1",
    "p2",
    "p3",
    " p1 ",
    " p2 x ",
    " p3 'a b' ",
    "p1 \"c d\"",
    " $(p2 y) ",
    " `p3 z` ",
    "\"$(p1 in)\"",
    ";",
    " && ",
    " || ",
    " | ",
    " & ",
    "\n",
    "(",
    ")",
    " { ",
    "; } ",
    "\\\n",
    "\\;",
    "\\",
    "'",
    "\"",
    " #",
    "#",
    " > f ",
    "2>&1",
    " if p1; then p2; fi ",
    " while false; do p1; done ",
    " ! ",
    "A=1 ",
    "\t",
];
/// The first pieces are commands, those behind them stand between commands.
const COMMANDS: usize = 10;
const SEPARATORS: usize = 6;
/// Enough that each pair of pieces meets.
const LINES: u32 = 1_500;

/// Words before a command's own program that are the shell's.
const RESERVED: [&str; 12] =
    ["if", "then", "else", "elif", "fi", "while", "until", "do", "done", "!", "{", "}"];

/// A sequence that is the same in every run.
struct Dice(u64);

impl Dice {
    fn below(&mut self, limit: usize) -> usize {
        // Knuth's constants; the low bits of such a sequence are poor.
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % limit
    }
}

/// How the stand-ins were called when this shell ran the line.
fn ran(shell: &str, line: &str, folder: &Path, number: u32) -> BTreeSet<Vec<String>> {
    // What an earlier line left running writes into the log of that line.
    let log = folder.join(format!("log{number}"));
    let command = Command::new(shell)
        .args(["-c", line])
        .env_clear()
        .env("PATH", folder.join("bin"))
        .env("LOG", &log)
        .current_dir(folder.join("work"))
        .stdin(Stdio::null())
        .output();
    // Its output ends with the last of what it started.
    command.unwrap();
    let text = std::fs::read_to_string(&log).unwrap_or_default();
    // A call that is still being written down ends without its mark.
    let (whole, _) = text.rsplit_once("\u{1}").unwrap_or_default();
    let calls = whole.split('\u{1}').filter(|call| !call.is_empty());
    calls.map(|call| call.split('\0').map(str::to_owned).collect()).collect()
}

/// Whether the splitter has named a call.
fn named(line: &str, call: &[String]) -> bool {
    let seen = split(line);
    seen.opaque
        || seen.commands.iter().any(|command| {
            let own = command
                .words
                .iter()
                .skip_while(|word| RESERVED.contains(&word.as_str()) || word.contains('='));
            let own: Vec<&String> = own.collect();
            // What a substitution gives may be no word, or several; where the program stands nobody can know it.
            let open = own.iter().any(|word| word.contains("$()"));
            match own.first() {
                None => false,
                Some(program) if program.contains("$()") => true,
                Some(program) => **program == call[0] && (open || own.iter().copied().eq(call)),
            }
        })
}

#[test]
fn no_shell_runs_a_program_that_was_not_named() {
    let root = tempfile::tempdir().unwrap();
    std::fs::create_dir(root.path().join("bin")).unwrap();
    std::fs::create_dir(root.path().join("work")).unwrap();
    for name in ["p1", "p2", "p3"] {
        let path = root.path().join("bin").join(name);
        // One write for each call: they run side by side in a pipe.
        let script = "#!/bin/sh\nall=${0##*/}\nn='\\0'\nfor word; do all=$all$n$word; done\n\
                      printf \"$all\\001\" >> \"$LOG\"\n";
        std::fs::write(&path, script).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    }
    let shells: Vec<&str> =
        ["/bin/sh", "/bin/bash"].into_iter().filter(|shell| Path::new(shell).exists()).collect();
    let (mut dice, mut calls) = (Dice(2026), 0);
    for number in 0..LINES {
        let line: String = (0..2 + dice.below(7))
            .map(|at| match (number % 2, at % 2) {
                (0, _) => PIECES[dice.below(PIECES.len())],
                // Every other line is one that shells can read to its end.
                (_, 0) => PIECES[dice.below(COMMANDS)],
                _ => PIECES[COMMANDS + dice.below(SEPARATORS)],
            })
            .collect();
        for shell in &shells {
            for call in ran(shell, &line, root.path(), number) {
                calls += 1;
                assert!(named(&line, &call), "{shell} ran {call:?} of {line:?}: {:?}", split(&line));
            }
        }
    }
    assert!(calls > LINES, "lines that run nothing judge nothing: {calls}");
}
