//! Options by which programs that only read write a file, or run a program that the command names.
//!
//! `guard.rs` comes here with the words of a command that a rule would approve. Pure.

/// Long options of such programs. Most take the beginning of one for all of it.
const LONG: [(&str, &[&str]); 17] = [
    (
        "git",
        // Hooks are copied out of a template.
        &[
            "--output",
            "--ext-diff",
            "--upload-pack",
            "--receive-pack",
            "--exec",
            "--open-files-in-pager",
            "--template",
        ],
    ),
    ("sort", &["--output", "--compress-program"]),
    ("rg", &["--pre", "--hostname-bin"]),
    ("tar", TAR),
    ("gtar", TAR),
    ("bsdtar", TAR),
    ("make", &["--eval"]),
    ("gmake", &["--eval"]),
    ("cargo", &["--config"]),
    ("npm", NPM),
    ("pnpm", NPM),
    ("yarn", NPM),
    ("man", &["--pager", "--html", "--config-file"]),
    ("less", &["--log-file", "--LOG-FILE", "--lesskey-file", "--lesskey-src", "--lesskey-content"]),
    ("bat", &["--pager"]),
    ("mypy", &["--python-executable"]),
    ("pylint", &["--init-hook"]),
];
const TAR: &[&str] = &[
    "--to-command",
    "--checkpoint-action",
    "--use-compress-program",
    "--rsh-command",
    "--rmt-command",
    "--info-script",
    "--new-volume-script",
];
const NPM: &[&str] = &[
    "--script-shell",
    "--node-options",
    "--userconfig",
    "--globalconfig",
    "--shell",
    "--git",
    "--editor",
    "--viewer",
    "--browser",
    "--init-module",
    "--registry",
];
/// Harmless ones that are the beginnings of others all the same.
const OWN: [&str; 3] = ["--checkpoint", "--global", "--user"];
/// Their short ones, which may stand behind others in one word, up to one of the last letters, which take the rest of it.
const SHORT: [(&str, &str, &str); 11] = [
    ("sort", "o", ""),
    ("git grep", "O", ""),
    ("tar", "IF", "fCbTXgLNKVH"),
    ("gtar", "IF", "fCbTXgLNKVH"),
    ("bsdtar", "I", "fCbTXs"),
    ("make", "E", "CfIjlOoW"),
    ("gmake", "E", "CfIjlOoW"),
    ("man", "PHC", "LmMsSeR"),
    ("less", "oOk", "pPtTxyz"),
    ("tree", "o", "LPI"),
    ("zip", "O", ""),
];

/// Why a rule may not approve it: one of these words makes a reader write, or run something. `program`: with its first word,
/// where that names another one, as `git grep` does.
pub fn acts(program: &str, args: &[String]) -> Option<&'static str> {
    let family = program.split(' ').next().unwrap_or(program);
    let long = |word: &String| {
        let name = word.split('=').next().unwrap_or(word);
        let is = |option: &&str| name.len() > 2 && option.starts_with(name) && !OWN.contains(&name);
        LONG.iter().filter(|(of, _)| *of == family).any(|(_, options)| options.iter().any(is))
    };
    let short = |word: &String| {
        let cluster = word.strip_prefix('-').filter(|rest| !rest.starts_with('-'));
        let (_, acting, valued) = SHORT.iter().find(|(of, ..)| *of == program)?;
        let end = cluster?.find(|ch| acting.contains(ch) || valued.contains(ch))?;
        cluster?[end..].starts_with(|ch| acting.contains(ch)).then_some(())
    };
    // What follows two hyphens is a file, or another program's.
    let options = args.iter().take_while(|word| *word != "--");
    let found =
        options.into_iter().any(|word| long(word) || short(word).is_some()) || in_words(program, args);
    found.then_some("it writes a file or runs a program of its own choice")
}

/// The same by words of other forms: letters with no hyphen, commands and variables.
fn in_words(program: &str, args: &[String]) -> bool {
    let any = |found: fn(&str) -> bool| args.iter().any(|word| found(word));
    match program {
        "tar" | "gtar" | "bsdtar" => {
            args.first().is_some_and(|word| !word.starts_with('-') && word.contains(['I', 'F']))
        }
        "make" | "gmake" => any(sets_what_make_runs) || brings(args, &["-f", "--file", "--makefile"]),
        "npm" | "pnpm" | "yarn" => brings(args, &["--prefix", "--dir", "--cwd", "-C"]),
        "less" | "more" => any(is_pager_command),
        "zip" => any(|word| {
            word.starts_with("--unz")
                || !word.starts_with("--") && word.starts_with('-') && word.contains("TT")
        }),
        "go" => {
            any(|word| word.contains("-extld"))
                || args.first().is_some_and(|verb| verb == "env") && any(|word| ["-w", "-u"].contains(&word))
        }
        _ => false,
    }
}

/// make evaluates what a variable is set to, and runs what stands behind `!=`.
fn sets_what_make_runs(word: &str) -> bool {
    let Some((name, value)) = word.split_once('=') else { return false };
    let name = name.trim_end_matches([':', '+', '?']);
    let runs = ["MAKEFLAGS", "GNUMAKEFLAGS", "MFLAGS", "MAKE", "MAKEFILES", "SHELL", ".SHELLFLAGS"];
    // What the shell has run by then stands as `$()`.
    let function = value.replace("$()", "").contains("$(") || value.contains("${");
    let tools = ["CC", "CXX", "CPP", "LD", "AR", "AS", "FC", "RM", "LEX", "YACC", "PYTHON", "NODE", "PERL"];
    let brought = tools.contains(&name) && value.contains(['/', ' ']);
    runs.contains(&name) || name.ends_with('!') || function || brought
}

/// Whether one of these options names a file of scripts, or a folder with one, that lies above the folder or in a temporary one.
fn brings(args: &[String], options: &[&str]) -> bool {
    let elsewhere = |path: &str| {
        path.starts_with(['~', '$']) || path.starts_with("/tmp") || path.split('/').any(|part| part == "..")
    };
    let joined = |word: &str| {
        let rest = options.iter().find_map(|option| word.strip_prefix(option))?;
        Some(rest.strip_prefix('=').unwrap_or(rest).to_owned())
    };
    args.windows(2).any(|two| options.contains(&two[0].as_str()) && elsewhere(&two[1]))
        || args.iter().filter_map(|word| joined(word)).any(|path| elsewhere(&path))
}

/// Whether a pager is told to do more than to go to a line, or to follow a file.
fn is_pager_command(word: &str) -> bool {
    let Some(command) = word.strip_prefix('+') else { return false };
    let line = command.trim_end_matches(['g', 'G', 'p', '%', 'F']);
    let found = command.strip_prefix('/');
    let plain = |text: &str| text.chars().all(|ch| ch.is_alphanumeric() || " _.-".contains(ch));
    !(line.chars().all(|ch| ch.is_ascii_digit()) || found.is_some_and(plain))
}

/// Whether one of these options stands there: a letter, also behind others in one word, or the beginning of a long one.
pub fn has_option(args: &[String], letters: &str, long: &[&str]) -> bool {
    args.iter().any(|word| match word.strip_prefix("--") {
        Some(rest) => !rest.is_empty() && long.iter().any(|option| word.starts_with(option)),
        None => word.strip_prefix('-').is_some_and(|rest| rest.contains(|ch| letters.contains(ch))),
    })
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
            "tar --checkpoint-act=exec=./x --checkpoint=1 -cf x .",
            "tar --to-com=./x -xf x",
            "tar -F ./x -ML1 -cf x .",
            "tar -cFx",
            "tar cI ./x -f y .",
            "tar --info-scr=./x -cf x .",
            "make --eva=x:;./x x",
            "make -E x",
            "make -kE x",
            "make X=$(shell",
            "make X!=./x",
            "make MAKEFLAGS=--eval=x",
            "make SHELL=./x",
            "make test CC=./x",
            "make -f ../x.mk",
            "make -f/tmp/x.mk test",
            "npm test --prefix ../x",
            "npm --prefix=/tmp/x test",
            "cargo test --config build.rustc-wrapper=./x",
            "npm run build --script-shell=./x",
            "npm run build --script-sh ./x",
            "npm run build --node-options=--require=./x.js",
            "npm test --userconfig ./x",
            "npm ci --registry=http://e",
            "man -P ./x ls",
            "man --pager=./x ls",
            "less +!./x x",
            "less +/x|y x",
            "less -Rox x",
            "zip -T -TT ./x a b",
            "zip --unzip-command=./x a b",
            "go build -ldflags -extld=./x",
            "go env -w CC=./x",
            "mypy --python-exec ./x",
            "pylint --init-hook=x src",
            "tree -o x",
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
            "tar -czf FILES.tgz src",
            "tar -cfFILES.tar src",
            "tar xf x.tar",
            "tar --checkpoint=100 -cf x.tar src",
            "tar --exclude=x -cf x.tar src",
            "make -CExamples -j4 X=1 test",
            "make test",
            "cargo run -- --config x.toml",
            "cargo test --all-targets",
            "npm install --global x",
            "npm run build -- --editor x",
            "npm test",
            "man -k ls",
            "man 3 printf",
            "less +F x",
            "less +100 x",
            "less -SR x",
            "zip -r x.zip src",
            "go build -ldflags -X=main.version=1",
            "go env GOPATH",
            "mypy --python-version 3.12 src",
            "tree -L 2",
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
