//! Options by which programs that only read write a file, or run a program that the command names.
//!
//! `guard.rs` comes here with the words of a command that a rule would approve. Pure.

/// Long options of such programs. Most take the beginning of one for all of it.
const LONG: [(&str, &[&str]); 3] = [
    (
        "git",
        &["--output", "--ext-diff", "--upload-pack", "--receive-pack", "--exec", "--open-files-in-pager"],
    ),
    ("sort", &["--output", "--compress-program"]),
    ("rg", &["--pre", "--hostname-bin"]),
];
/// Their short ones, which may stand behind others in one word.
const SHORT: [(&str, char); 2] = [("sort", 'o'), ("git grep", 'O')];

/// Why a rule may not approve it: one of these words makes a reader write, or run something. `program`: with its first word,
/// where that names another one, as `git grep` does.
pub fn acts(program: &str, args: &[String]) -> Option<&'static str> {
    let family = program.split(' ').next().unwrap_or(program);
    let long = |word: &String| {
        let name = word.split('=').next().unwrap_or(word);
        let is = |option: &&str| name.len() > 2 && option.starts_with(name);
        LONG.iter().filter(|(of, _)| *of == family).any(|(_, options)| options.iter().any(is))
    };
    let short = |word: &String| {
        let cluster = word.strip_prefix('-').filter(|rest| !rest.starts_with('-'));
        let has =
            |letters: &str| SHORT.iter().any(|(of, letter)| *of == program && letters.contains(*letter));
        cluster.is_some_and(has)
    };
    let found = args.iter().any(|word| long(word) || short(word));
    found.then_some("it writes a file or runs a program of its own choice")
}

/// Whether the shell makes other words of this one, and perhaps an option: of variables and braces anything may come, of a
/// pattern the names of files, which may begin with a hyphen.
pub fn may_become_an_option(word: &str) -> bool {
    let pattern = |text: &str| text.contains(['*', '?', '[']);
    word.contains('$')
        || word.contains('{') && word.contains(',')
        || word.starts_with(['*', '?', '['])
        || word.starts_with('-') && pattern(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn beginnings_and_clusters_are_the_options_that_they_are() {
        let acts = |line: &str| {
            let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
            let (program, args) = match line.strip_prefix("git ") {
                Some(_) => (words[..2].join(" "), &words[2..]),
                None => (words[0].clone(), &words[1..]),
            };
            acts(&program, args).is_some()
        };
        for line in [
            "git grep -O./x foo",
            "git grep -nO foo",
            "git grep --open-files-in-page=./x foo",
            "git ls-remote --upload-pac=./x .",
            "git log --outp=x",
            "sort -o victim f",
            "sort -uo victim f",
            "sort --outpu=victim f",
            "sort -S1 --compress-program=./x f",
            "rg --pre ./x foo",
        ] {
            assert!(acts(line), "{line}");
        }
        for line in [
            "git log --oneline",
            "git diff -Oorder",
            "git grep -n foo",
            "git log -- f",
            "sort -u f",
            "sort --reverse f",
            "rg --pretty foo",
            "ls -lo",
        ] {
            assert!(!acts(line), "{line}");
        }
    }

    #[test]
    fn a_pattern_that_names_no_folder_may_become_an_option() {
        for word in ["*", "*.rs", "?x", "[a-]*", "--outp*", "{--output=x,HEAD}", "$X"] {
            assert!(may_become_an_option(word), "{word}");
        }
        for word in ["src/*.rs", "HEAD", "-p", "--stat", "./*"] {
            assert!(!may_become_an_option(word), "{word}");
        }
    }
}
