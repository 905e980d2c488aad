//! Which of git's commands asks: "Stage this hunk" is asked by one that only stages, and by one that commits.
//!
//! `os/tty_witness` comes here with the command line of whoever reads; `core/policy/route.rs` keeps what any other command
//! asks for a person.

/// Options before the command that take the next word.
const WITH_A_WORD: [&str; 8] = [
    "-C",
    "-c",
    "--git-dir",
    "--work-tree",
    "--namespace",
    "--config-env",
    "--super-prefix",
    "--attr-source",
];

/// Whether this is git with a command that does more than to stage what a person picks. An alias may be any.
pub fn acts(argv: &[&str]) -> bool {
    let Some((program, rest)) = argv.split_first() else { return false };
    if program.rsplit('/').next() != Some("git") {
        return false;
    }
    let mut words = rest.iter();
    while let Some(word) = words.next() {
        if WITH_A_WORD.contains(word) {
            words.next();
        } else if !word.starts_with('-') {
            return *word != "add" && *word != "stage";
        }
    }
    true
}

/// Git's command without the options before its verb; any other as it is.
pub fn without_options<'a>(words: &[&'a str]) -> Vec<&'a str> {
    let Some((&"git", rest)) = words.split_first() else { return words.to_vec() };
    let mut at = 0;
    while let Some(word) = rest.get(at).filter(|word| word.starts_with('-')) {
        at += if WITH_A_WORD.contains(word) { 2 } else { 1 };
    }
    let mut bare = vec!["git"];
    bare.extend(rest.get(at..).unwrap_or_default());
    bare
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_add_stages_and_nothing_else() {
        let acts = |line: &str| acts(&line.split(' ').collect::<Vec<_>>());
        for line in
            ["git add -p", "/usr/bin/git -C web add -p", "git -c core.pager=cat --no-pager stage -p", "bash"]
        {
            assert!(!acts(line), "{line}");
        }
        for line in
            ["git commit -p -m x", "git reset -p", "git ap", "git -C add commit -p", "git --version", "git"]
        {
            assert!(acts(line), "{line}");
        }
    }
}
