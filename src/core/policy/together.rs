//! What the commands of one line do together that none of them does alone: one goes elsewhere and another deletes there, one
//! downloads and another runs it, one feeds a shell.
//!
//! `guard.rs` asks for each line. Pure.

use super::outside::leaves;
use super::shell::Simple;
use super::starters::{INTERPRETERS, SHELLS};

/// Programs by which a shell goes to another folder.
const GOES: [&str; 3] = ["cd", "chdir", "pushd"];
/// Programs that delete or move away what they are told, wherever the shell is.
const REMOVES: [&str; 10] =
    ["rm", "rmdir", "unlink", "trash", "del", "erase", "rimraf", "shred", "mv", "truncate"];
/// Programs that bring something from elsewhere.
const DOWNLOADS: [&str; 6] = ["curl", "wget", "fetch", "aria2c", "http", "iwr"];

/// Why a line with these commands is a person's.
/// `words`: why a path may not be approved by its words.
pub fn harm(commands: &[Simple], words: fn(&str) -> Option<&'static str>) -> Option<&'static str> {
    let (mut away, mut downloaded) = (false, false);
    let mut folder = String::new();
    for command in commands {
        // Behind a wrapper or a word of the shell's the program is not the first.
        let named = |names: &[&str]| command.words.iter().any(|word| names.contains(&base(word)));
        if away && named(&REMOVES) {
            return Some("it deletes outside the folder");
        }
        if downloaded && runs(command) {
            return Some("it runs what it downloads");
        }
        if is_fed(command) {
            return Some("what it runs cannot be followed");
        }
        let there = |word: &String| words(&format!("{folder}/{word}"));
        if let Some(why) = command.words.iter().skip(1).filter(|_| !folder.is_empty()).find_map(there) {
            return Some(why);
        }
        let at = command.words.iter().position(|word| GOES.contains(&base(word)));
        if let Some(to) = at.and_then(|at| command.words[at + 1..].iter().find(|word| !word.starts_with('-')))
        {
            folder = if to.starts_with(['/', '~']) || folder.is_empty() {
                to.clone()
            } else {
                format!("{folder}/{to}")
            };
        }
        away |= at.is_some_and(|at| goes_away(&command.words[at + 1..]));
        // git fetches what is looked at before it is run.
        downloaded |= named(&DOWNLOADS) && !named(&["git"]);
    }
    None
}

fn base(word: &str) -> &str {
    word.rsplit('/').next().unwrap_or(word)
}

/// Whether a shell that is told so leaves its folder; with no word it goes home.
fn goes_away(args: &[String]) -> bool {
    let to = args.iter().find(|word| !word.starts_with('-') || *word == "-");
    to.is_none_or(|to| to == "-" || leaves(to))
}

/// Whether a command runs a file that is there: by its path, or in a shell or an interpreter.
fn runs(command: &Simple) -> bool {
    let Some((first, args)) = command.words.split_first() else { return false };
    let script = || args.iter().any(|word| !word.starts_with('-'));
    first.contains('/') || (is_interpreter(first) && script()) || ["source", "."].contains(&first.as_str())
}

/// Whether a shell or an interpreter runs what it is fed: it is given neither a script nor a line.
fn is_fed(command: &Simple) -> bool {
    let Some((first, args)) = command.words.split_first() else { return false };
    // `-c` gives a line, `--version` asks for nothing to be run.
    let bare =
        |word: &String| word == "-" || (word.starts_with('-') && !word.starts_with("--") && word == "-s");
    let made = args.iter().any(|word| word.starts_with("$("));
    let sources = ["source", "."].contains(&first.as_str());
    (is_interpreter(first) && first != "eval" && (args.iter().all(bare) || made)) || (sources && made)
}

fn is_interpreter(word: &str) -> bool {
    let name = base(word).trim_end_matches(|ch: char| ch.is_ascii_digit() || ch == '.');
    SHELLS.contains(&name) || INTERPRETERS.contains(&name)
}
