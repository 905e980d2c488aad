//! Verbs and options of git's that give work up, or run what the command names.
//!
//! `guard.rs` asks for each command of git's. Pure; the lists are not complete.

use crate::core::policy::outside::{leaves, whole};
use crate::core::policy::program_options::{self, has_option, may_become_an_option};
use crate::core::policy::request::STARTED;
use crate::core::policy::writers;

const UNFOLLOWED: &str = "what it runs cannot be followed";

/// Why nobody but a person approves git with these words.
pub fn harm(args: &[String]) -> Option<&'static str> {
    if lists_names(args) {
        return None;
    }
    // What follows two hyphens is no option.
    let options = args.iter().take_while(|word| *word != "--");
    let made = |word: &String| !word.contains(char::is_whitespace) && may_become_an_option(word);
    let names = |word: &String| word.contains('$') || word.contains('{');
    if options.into_iter().any(made) || args.iter().any(|word| made(word) && names(word)) {
        return Some(UNFOLLOWED);
    }
    let mut rest = args;
    while let [first, tail @ ..] = rest {
        match first.as_str() {
            "-C" | "--git-dir" | "--work-tree" | "--namespace" => rest = tail.get(1..).unwrap_or(&[]),
            // A setting may name a program that git then runs.
            "-c" | "--config-env" => return Some("it changes git's settings"),
            word if word.starts_with("--exec-path=") => return Some(UNFOLLOWED),
            word if word.starts_with('-') => rest = tail,
            _ => break,
        }
    }
    let (verb, args) = rest.split_first()?;
    if let Some(why) = program_options::acts(&format!("git {verb}"), args) {
        return Some(why);
    }
    if git_runs(verb, args) {
        return Some(UNFOLLOWED);
    }
    if ["mv", "apply", "am"].contains(&verb.as_str()) && writers::starts(verb, args).is_some() {
        return Some(STARTED);
    }
    let has = |names: &[&str]| args.iter().any(|word| names.contains(&word.as_str()));
    let short =
        |flag: char| args.iter().any(|w| w.starts_with('-') && !w.starts_with("--") && w.contains(flag));
    let forced = short('f') || args.iter().any(|word| word.starts_with("--force"));
    let gone = match verb.as_str() {
        "push" | "send-pack" => {
            forced
                || short('d')
                || has(&["--delete", "--mirror", "--prune"])
                || args.iter().any(|word| word.starts_with(['+', ':']))
        }
        "rm" => args.iter().any(|word| whole(word) || leaves(word)),
        "reset" => has(&["--hard", "--merge", "--keep"]),
        "clean" => !short('n') && !has(&["--dry-run"]),
        "checkout" | "switch" | "restore" => {
            forced || has(&["--", ".", "--discard-changes"]) || verb == "restore" && !has(&["--staged"])
        }
        "branch" | "tag" => short('D') || short('d') || forced || has(&["--delete"]),
        "stash" => has(&["drop", "clear"]),
        "reflog" => has(&["expire", "delete"]),
        "update-ref" | "filter-branch" | "filter-repo" | "gc" | "prune" | "replace" => true,
        "worktree" | "remote" | "submodule" => forced || has(&["remove", "rm", "set-url", "deinit"]),
        "config" => !has(&["--get", "--list", "-l", "--get-all", "--get-regexp"]),
        "commit" => has(&["--amend"]) && has(&["--no-verify"]),
        _ => git_gives_up(verb, args),
    };
    gone.then_some("it discards work or rewrites history")
}

/// `ls-files` does nothing else, whichever options it is given.
fn lists_names(args: &[String]) -> bool {
    args.first().is_some_and(|verb| verb == "ls-files")
}

/// Whether a verb of git's runs what its words say.
fn git_runs(verb: &str, args: &[String]) -> bool {
    let has = |names: &[&str]| args.iter().any(|word| names.contains(&word.as_str()));
    match verb {
        "bisect" => has(&["run"]),
        "submodule" => has(&["foreach"]),
        "rebase" => has_option(args, "x", &["--exec"]),
        "difftool" | "mergetool" => has_option(args, "xt", &["--extcmd", "--tool"]),
        "hook" => has(&["run"]),
        "for-each-repo" | "send-email" | "daemon" | "web--browse" | "instaweb" => true,
        // It makes settings, and a program may be named by one.
        "clone" => has_option(args, "cu", &["--config", "--upload-pack"]),
        _ => args.iter().any(|word| word.starts_with("ext::")),
    }
}

/// Whether a verb of git's gives up what is half done, or lays other files over those of the folder.
fn git_gives_up(verb: &str, args: &[String]) -> bool {
    let has = |names: &[&str]| args.iter().any(|word| names.contains(&word.as_str()));
    match verb {
        "merge" | "rebase" | "am" | "cherry-pick" | "revert" => has(&["--abort", "--quit", "--skip"]),
        "read-tree" => true,
        "checkout-index" => has_option(args, "f", &["--force"]),
        _ => false,
    }
}
