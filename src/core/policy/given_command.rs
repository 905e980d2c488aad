//! Words by which a program that does other things runs a command, and words whose meaning only the shell finds.
//!
//! `guard.rs` asks for each command of a line. Pure.

/// What is run besides.
#[derive(Debug, PartialEq, Eq)]
pub enum Given<'a> {
    Nothing,
    /// These words are a command.
    Words(&'a [String]),
    /// A command stands in one of the words.
    Unseen,
}

/// What a program of this name makes of these words.
pub fn given_command<'a>(name: &str, args: &'a [String]) -> Given<'a> {
    let unseen = |found: bool| if found { Given::Unseen } else { Given::Nothing };
    match name {
        "tmux" => {
            let starts =
                ["new", "split", "send", "run", "respawn", "source", "if-shell", "pipe", "bind", "set-hook"];
            unseen(args.iter().any(|word| starts.iter().any(|start| word.starts_with(start))))
        }
        "screen" => unseen(args.iter().any(|word| !["-ls", "-list", "-v"].contains(&word.as_str()))),
        "vi" | "vim" | "nvim" | "ex" | "view" | "emacs" => {
            let runs = ["-c", "+", "--cmd", "-S", "-s", "-u", "--eval", "-f", "-l", "--batch", "--script"];
            unseen(args.iter().any(|word| runs.iter().any(|option| word.starts_with(option))))
        }
        "npm" | "pnpm" | "yarn" => match args.split_first() {
            Some((verb, rest)) if matches!(verb.as_str(), "exec" | "x" | "dlx") => behind_options(rest),
            _ => Given::Nothing,
        },
        "poetry" | "pipenv" | "uv" | "rye" | "pdm" | "hatch" => match args.split_first() {
            Some((verb, rest)) if verb == "run" => match rest.first() {
                // Their own options may take a word, or fetch what is run.
                Some(word) if word.starts_with('-') => Given::Unseen,
                _ => Given::Words(rest),
            },
            _ => Given::Nothing,
        },
        "npx" | "bunx" | "pnpx" => behind_options(args),
        _ => Given::Nothing,
    }
}

fn behind_options(args: &[String]) -> Given<'_> {
    let options = args.iter().take_while(|word| word.starts_with('-')).count();
    Given::Words(&args[options..])
}

/// Whether the shell may make a hidden file of this word, whose name stands nowhere.
pub fn hidden_pattern(word: &str) -> bool {
    // A `$` at the end is the end of a line to who looks for one.
    let named = |ch: char| ch.is_alphanumeric() || "_({".contains(ch);
    let made = |part: &str| part.split('$').skip(1).any(|rest| rest.starts_with(named));
    let pattern = |part: &str| part.starts_with('.') && (part.contains(['*', '?', '[', '{']) || made(part));
    // Behind a colon it is a file of a revision's; `:.*` is how patterns for text go on.
    let in_revision = |part: &str| !part.starts_with(".*") && pattern(part);
    word.split(['/', '=']).any(pattern) || word.split(':').skip(1).any(in_revision)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn given(line: &[&str]) -> Given<'static> {
        let args: Vec<String> = line[1..].iter().map(|word| (*word).to_owned()).collect();
        given_command(line[0], Vec::leak(args))
    }

    #[test]
    fn a_command_within_a_word_is_not_seen_and_one_of_words_is() {
        for line in [&["vim", "-c", "!id"][..], &["tmux", "new", "rm -rf ~"]] {
            assert_eq!(given(line), Given::Unseen, "{line:?}");
        }
        for line in [&["vim", "x"][..], &["npm", "test"]] {
            assert_eq!(given(line), Given::Nothing, "{line:?}");
        }
        let words = ["rm".to_owned(), "-rf".to_owned()];
        assert_eq!(given(&["npm", "exec", "--", "rm", "-rf"]), Given::Words(&words));
        assert_eq!(given(&["npx", "-y", "rm", "-rf"]), Given::Words(&words));
    }

    #[test]
    fn patterns_of_hidden_names_are_told_from_others() {
        for word in [".en?", "~/.s*/id*", ".{env,x}", "--file=.e*", "HEAD:.en[v]"] {
            assert!(hidden_pattern(word), "{word}");
        }
        for word in ["*.rs", "src/*.env.d", "./*.rs", "a.?", ".gitignore", "..", "../x*", "error:.*"] {
            assert!(!hidden_pattern(word), "{word}");
        }
    }
}
