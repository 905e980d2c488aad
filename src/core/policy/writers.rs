//! Files that programs run by themselves, where a program that may write names one: a list of writers is never
//! complete, so all may but those that are known to read only.
//!
//! `guard.rs` asks for each command of a line. Pure.

use super::globs;
use super::request::{STARTED, is_run_by_itself};

/// Programs that only read what they are told, or do no more than to say it.
const READERS: &str = "cat bat ls tree eza exa grep egrep fgrep rg ag ack head tail less more diff cmp comm wc stat file fd du df \
    b2sum cksum md5sum sha1sum sha256sum sha512sum cut tr nl od hexdump strings realpath readlink dirname basename test [ [[ \
    echo printf cd pushd popd jq true false which type expand fold column paste tac rev sort sleep";
/// Names that are not hidden, which a glob may stand for.
const OPEN: [&str; 3] = ["counsel.toml", "opencode.json", "opencode.jsonc"];

/// Why nobody but a person approves a program of this name with these words.
pub(super) fn starts(name: &str, args: &[String]) -> Option<&'static str> {
    let reads = READERS.split_whitespace().any(|reader| reader == name) || name == "sed" && !in_place(args);
    if reads {
        return None;
    }
    let named = |word: &String| values(word).any(|value| is_run_by_itself(value) || may_be_run(value));
    args.iter().any(named).then_some(STARTED)
}

/// Whether sed changes the files it reads.
fn in_place(args: &[String]) -> bool {
    args.iter().any(|word| match word.strip_prefix("--") {
        Some(long) => !long.is_empty() && "in-place".starts_with(long.split('=').next().unwrap_or(long)),
        None => word.strip_prefix('-').is_some_and(|letters| letters.contains('i')),
    })
}

/// A word, what it sets an option to, and what stands behind the letter of one.
fn values(word: &str) -> impl Iterator<Item = &str> {
    let set = word.split_once('=').map(|(_, value)| value);
    let letter = word.strip_prefix('-').and_then(|rest| rest.get(1..)).filter(|_| !word.starts_with("--"));
    std::iter::once(word).chain(set).chain(letter)
}

fn may_be_run(path: &str) -> bool {
    path.split('/').any(|part| globs::is_glob(part) && OPEN.iter().any(|name| globs::may_be(part, name)))
}

#[cfg(test)]
mod tests {
    use crate::core::policy::guard::command;

    #[test]
    fn whatever_may_write_it_needs_a_person() {
        for line in [
            "cp -t.git/hooks pre-commit",
            "cp --target-directory=.git/hooks pre-commit",
            "patch .git/config evil.patch",
            "xxd -r x .git/hooks/pre-commit",
            "split -n 1 evil .git/hooks/",
            "sed -i s/a/b/ .git/conf[i]g",
            "sed -i s/a/b/ .git/config",
            "sed --in-pl=.bak s/a/b/ .envrc",
            "jinja2 x -o .claude/settings.json",
            "some-tool --out=.vscode/tasks.json",
            "mkdir -p .git/hooks",
            "touch .envrc",
            "mv x couns?l.toml",
            "mv x coun*",
            "cp x c[o]unsel.toml",
        ] {
            assert!(command(line).is_some(), "{line}");
        }
        for line in [
            "cat .git/config",
            "ls -la .claude",
            "grep -rn hooks .husky",
            "sed -n 1,20p .git/config",
            "diff counsel.toml x",
            "git add .claude/agents/x.md",
            "wc -l counsel.toml",
            "head -5 .git/HEAD",
            "cp -r src/git build",
            "cargo build --target-dir=target",
        ] {
            assert_eq!(command(line), None, "{line}");
        }
    }
}
