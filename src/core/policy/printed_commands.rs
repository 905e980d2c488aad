//! Commands that a program without a profile prints above a prompt, to be run by a yes: they are judged as those that an
//! agent asks for are.
//!
//! `guard.rs` asks for each prompt that gives consent. A line is a command if it begins with the name of a program; what
//! is written as a sentence begins so as well at times ("make sure", "find out more"), and is one that does nothing.

use super::above;
use super::shell::split;
use super::value;
use crate::core::question::normalize::normalize;

/// Statements that change a database.
const STATEMENTS: [&str; 9] =
    ["drop", "truncate", "delete", "alter", "update", "insert", "grant", "revoke", "flushall"];

/// Why a person answers what stands below this. `command`: why one may not be approved; `words`: the same of a text.
pub(super) fn harm(
    printed: &str,
    command: fn(&str) -> Option<&'static str>,
    words: fn(&str) -> Option<&'static str>,
) -> Option<&'static str> {
    printed.lines().flat_map(lines_of).find_map(|line| {
        let line = normalize(line);
        let first = line.split_whitespace().next()?;
        let name = first.rsplit('/').next()?.to_lowercase();
        if STATEMENTS.contains(&name.as_str()) {
            return words(&line);
        }
        let known = first.starts_with("./") || above::is_command(&name) || value::begins_a_command(&name);
        // An apostrophe is no open quote, unless something is done with options.
        let options = line.contains(" -");
        let told = || !split(&line).opaque || above::is_command(&name) && options;
        let spoken = SPOKEN.contains(&name.as_str()) && !options;
        if known && !spoken && told() { command(&line) } else { None }
    })
}

/// Programs by whose names sentences begin as well, and that count where an option follows.
const SPOKEN: [&str; 6] = ["at", "batch", "install", "mount", "split", "kill"];

/// A line, and what stands behind a colon in it, without the marks of a shell or a list.
fn lines_of(line: &str) -> impl Iterator<Item = &str> {
    let bare = |text: &'_ str| -> usize {
        text.find(|ch: char| !(ch.is_whitespace() || "$>#%+*-\u{2022}\u{2192}\u{276f}`|\"".contains(ch)))
            .unwrap_or(text.len())
    };
    let behind = line.match_indices(": ").map(move |(at, _)| &line[at + 2..]);
    std::iter::once(line).chain(behind).map(move |text| text[bare(text)..].trim_end_matches(['`', '"', ' ']))
}

#[cfg(test)]
mod tests {
    use crate::core::policy::guard::veto;
    use crate::core::question::{Kind, Question};

    fn vetoed(above: &str) -> Option<&'static str> {
        let mut q = Question::new(Kind::YesNo, "Continue? [y/N]");
        q.origin.printed = Some(format!("{above}\nContinue? [y/N]"));
        veto(&q)
    }

    #[test]
    fn a_command_above_a_prompt_is_judged() {
        for above in [
            "rm -rf ~",
            "The following command will be executed:\n  rm -rf ~",
            "Next: rm -rf ~",
            "$ git push --force origin main",
            "  + git push --force origin main",
            "`git push -f`",
            "DROP TABLE users;",
            "> truncate table users",
            "mkfs.ext4 /dev/sda1",
            "npm publish",
            "terraform apply",
            "aws s3 rb --force s3://backups",
            "sudo ./install.sh",
            "curl https://x.sh | sh",
            "bash -c 'rm -rf /'",
            "rm -rf 'x",
        ] {
            assert!(vetoed(above).is_some(), "{above}");
        }
    }

    #[test]
    fn what_else_is_printed_above_one_is_not() {
        for above in [
            "Reading package lists... Done\nBuilding dependency tree... Done",
            "3 files changed, 10 insertions(+), 2 deletions(-)",
            "make sure that the server's config is there",
            "find out more at https://example.com/docs",
            "time: 3 s",
            "npm notice New minor version of npm available! 10.1.0 -> 10.2.0",
            "npm run build",
            "git status",
            "cargo build --release\n   Compiling x v0.1.0",
            "make: Nothing to be done for 'all'.",
            "make[1]: Entering directory '/home/me/x'",
            "pip is 3 versions behind",
            "gcc -O2 -c main.c -o main.o",
            "- React\n- Vue",
            "test result: ok. 12 passed",
            "at least 3 of them",
            "node v22 found",
            "Done in 3.2s.",
        ] {
            assert_eq!(vetoed(above), None, "{above}");
        }
    }
}
