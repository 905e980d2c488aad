//! Which words of a command name something outside the folder an agent works in, or all that is in it.
//!
//! `guard.rs` and `together.rs` ask for each word. Pure; a path is looked at as it is written.

use super::globs;

/// Whether a path may lie outside the folder the agent works in.
pub(super) fn leaves(word: &str) -> bool {
    let path = word.trim_start_matches(|c: char| c == '-' || c.is_ascii_alphabetic() || c == '=');
    let outside = |word: &str| {
        word.starts_with(['/', '~', '$', '\\'])
            || word.split(['/', '\\']).any(|part| part == "..")
            || word.contains("$")
    };
    // Of `{a,/etc}` the shell makes two words.
    let made = word.contains('{') && word.split(['{', ',', '}']).any(outside);
    let drive = word.as_bytes().get(1) == Some(&b':');
    (outside(word) || made || drive || (word.contains('=') && outside(path)))
        && !matches!(word, "/dev/null" | "/dev/stdout" | "/dev/stderr")
}

/// Everything in the folder at once.
pub(super) fn whole(word: &str) -> bool {
    let word = word.trim_start_matches("./");
    matches!(word.trim_end_matches('/'), "" | "." | ".git")
        || word.starts_with(".git/")
        || word.split('/').filter(|part| !part.is_empty()).all(globs::is_all)
}

/// Why nobody but a person lets these be deleted.
pub(super) fn removal(args: &[String]) -> Option<&'static str> {
    let named: Vec<&String> = args.iter().filter(|word| !word.starts_with('-')).collect();
    if args.iter().any(|word| word == "--no-preserve-root") || named.iter().any(|word| leaves(word)) {
        return Some("it deletes outside the folder");
    }
    // `xargs rm`: what it deletes is not on the line.
    (named.is_empty() || named.iter().any(|word| whole(word)))
        .then_some("it deletes everything in the folder")
}

/// Whether a program that empties a folder of its own is told to take one outside for that.
pub(super) fn empties_outside(name: &str, args: &[String]) -> bool {
    let option = match name {
        "pytest" | "py.test" => "--basetemp",
        "cargo" if args.iter().any(|word| word == "clean") => "--target-dir",
        _ => return false,
    };
    let joined =
        |word: &String| word.strip_prefix(option).and_then(|rest| rest.strip_prefix('=')).is_some_and(leaves);
    args.windows(2).any(|two| two[0] == option && leaves(&two[1])) || args.iter().any(joined)
}

/// Whether an archive's files may come to lie outside, or go once they are in it: another folder, paths from the root, files removed.
pub(super) fn unpacks_outside(args: &[String]) -> bool {
    let folder = |option: &str| ["-C", "-d", "--directory"].contains(&option);
    let elsewhere = args.windows(2).any(|two| folder(&two[0]) && leaves(&two[1]));
    let joined = |word: &str| {
        ["-C", "-d", "--directory=", "-o"].iter().filter_map(|option| word.strip_prefix(option)).any(leaves)
    };
    let own = |word: &str| {
        let long = ["--absolute-names", "--absolute-paths", "--remove-files"];
        word == "-P" || word.len() > 4 && long.iter().any(|option| option.starts_with(word))
    };
    elsewhere || args.iter().any(|word| joined(word) || own(word))
}

#[cfg(test)]
mod tests {
    use crate::core::policy::guard::command;

    #[test]
    fn a_folder_that_is_emptied_lies_inside() {
        for line in [
            "pytest --basetemp=/root",
            "pytest -q --basetemp ..",
            "cargo clean --target-dir ~",
            "rm -rf .*",
            "rm -rf *",
        ] {
            assert!(command(line).is_some(), "{line}");
        }
        for line in [
            "pytest --basetemp=.tmp",
            "cargo clean --target-dir=target",
            "cargo build --target-dir ../t",
            "rm -rf build",
        ] {
            assert_eq!(command(line), None, "{line}");
        }
    }
}
