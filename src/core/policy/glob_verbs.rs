//! Globs in the place of a program's verb: beside a file named `push`, the shell makes `git push` of `git pu[s]h`.
//!
//! `guard.rs` asks for each command. Pure; the list of programs is not complete.

use super::git;
use super::globs::is_glob;

/// Programs whose first word that is no option decides what they do.
const WITH_A_VERB: &str = "git cargo npm pnpm yarn bun terraform tofu pulumi systemctl apt apt-get brew pip pip3 poetry uv gem twine \
                           hg svn jj";
/// The same of those whose first two do.
const WITH_TWO: &str = "docker podman nerdctl kubectl helm gh glab aws gcloud az doctl heroku fly flyctl";

/// Whether a glob stands at or before the verb of such a program.
pub fn hides_a_verb(name: &str, args: &[String]) -> bool {
    let is = |list: &str| list.split_whitespace().any(|known| known == name);
    let verbs = match (is(WITH_A_VERB), is(WITH_TWO)) {
        (true, _) => 1,
        (_, true) => 2,
        _ => return false,
    };
    let words: Vec<&str> = std::iter::once(name).chain(args.iter().map(String::as_str)).collect();
    let bare = if name == "git" { git::without_options(&words) } else { words };
    // The word behind an option may be its value.
    let valued = usize::from(bare.get(1).is_some_and(|word| word.starts_with('-')));
    let mut left = verbs + valued;
    bare.iter().skip(1).any(|word| {
        let counts = left > 0;
        left = left.saturating_sub(usize::from(!word.starts_with('-')));
        counts && is_glob(word)
    })
}

#[cfg(test)]
mod tests {
    use crate::core::policy::guard::command;

    #[test]
    fn no_glob_stands_for_a_verb() {
        for line in [
            "git pu[s]h origin main",
            "git pus? origin",
            "git -C web p*",
            "git --no-pager pu[s]h",
            "npm publis?",
            "terraform appl*",
            "gh release cr[e]ate v1",
            "docker -H x pu[s]h y",
            "npm --prefix web publis?",
        ] {
            assert!(command(line).is_some(), "{line}");
        }
        for line in [
            "ls *.rs",
            "cat src/*.rs",
            "git add src/*",
            "git diff -- '*.c'",
            "rm build/*.o",
            "cargo test",
            "npm test",
        ] {
            assert_eq!(command(line), None, "{line}");
        }
    }
}
