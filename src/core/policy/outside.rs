//! Which words of a command name something outside the folder an agent works in, or all that is in it.
//!
//! `guard.rs` and `together.rs` ask for each word. Pure; a path is looked at as it is written.

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
    matches!(word.trim_end_matches('/'), "" | "." | "*" | "**" | ".*" | "{*,.*}" | ".git")
        || word.starts_with(".git/")
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
