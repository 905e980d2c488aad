//! Programs that take a line for a command or for data, and never for an answer: a shell at its own prompt, an
//! interpreter, a filter.
//!
//! `os/tty_witness/executable.rs` asks with the command line of whoever reads a terminal, and with the names its program
//! goes by. What stands above such a reader was printed by somebody else (a job that has ended, a thread, a file), and an
//! answer would be run or passed on. A program that somebody wrote to run what it reads, and that is none of these, cannot
//! be told from one that asks.

use super::inline_code::{self, CommandLine};

/// Shells. With a script, or a command after `-c`, what they read is what that script asks for.
const SHELLS: &str = "sh dash ash bash rbash zsh fish ksh ksh93 mksh pdksh lksh posh yash tcsh csh pwsh nu xonsh elvish osh ysh \
    sash rc es oil murex";
/// Interpreters of a language: the same of them.
const LANGUAGES: &str = "python pypy node nodejs ruby jruby perl lua luajit php php-cli R julia deno bun tclsh wish guile \
    ocaml erl scala racket qjs d8 mruby micropython clisp sbcl ecl scheme mit-scheme chibi-scheme chez csi gosh \
    escript groovy kotlin expect";
/// Consoles, relays and filters: whatever stands behind them, what they read is for them.
const ALWAYS: &str = "psql pgcli mysql mycli mariadb sqlite sqlite3 litecli redis-cli valkey-cli mongo mongosh cqlsh duckdb usql \
    clickhouse clickhouse-client sqlplus sqlcmd isql isql-fb influx ftp sftp lftp ncftp tnftp smbclient telnet nc ncat netcat \
    socat s_client openssl gdb lldb jdb pdb irb pry ipython bpython ptpython ghci ghc iex beam.smp jshell groovysh gnuplot octave \
    octave-cli maxima gp gforth swipl bc dc units at batch ed red ex m4 jq yq cat tac tee head tail sort uniq wc grep egrep \
    fgrep rg sed awk gawk mawk nawk cut tr rev nl paste fold fmt column comm join od xxd hexdump base64 cksum md5sum \
    sha256sum sha1sum sha512sum shasum b2sum sum factor split csplit gzip gunzip zcat bzip2 bunzip2 xz unxz zstd lz4 patch cpio \
    tsort expand unexpand fmt iconv uuencode uudecode ptx strings hd lpr \
    dd xargs parallel mail mailx write wall bluetoothctl wpa_cli nsupdate nslookup virsh virtualmin psftp";
/// Many programs in one file: the first word behind its name is the one that is run.
const MANY_IN_ONE: [&str; 2] = ["busybox", "toybox"];
/// How the names of programs begin that run the program they are given: the linker of the system, and emulators.
const LOADERS: [&str; 5] = ["ld-linux", "ld-musl", "ld.so", "ld64", "qemu-"];
/// Options of shells that take the next word: it is no script.
const SHELLS_WITH_A_WORD: [&str; 6] = ["--rcfile", "--init-file", "-O", "+O", "-o", "+o"];
/// The same of the languages.
const LANGUAGES_WITH_A_WORD: [&str; 6] = ["-W", "-X", "-r", "--require", "--import", "-I"];
/// Options that name what is to be run, in place of a script.
const RUNS: [&str; 8] = ["--eval", "--print", "--command", "-m", "--module", "--check", "--test", "--run"];
/// Modules of Python that are consoles.
const CONSOLE_MODULES: &str = "code pdb asyncio IPython ptpython bpython idlelib sqlite3 cmd konch ptipython";
/// Words by which a program is told to be a console: `manage.py shell`, `rails console`, `deno repl`.
const CONSOLE_WORDS: [&str; 7] = ["shell", "console", "repl", "dbshell", "shell_plus", "tinker", "dbconsole"];

/// Options of one letter that stand together, with their dash.
const LETTERS: usize = 4;

fn lists(names: &str, name: &str) -> bool {
    names.split_whitespace().any(|listed| listed == name)
}

/// A process that reads a terminal.
#[derive(Debug, Clone, Copy)]
pub struct Process<'a> {
    pub argv: &'a [&'a str],
    /// The name of the file it runs, and of the listed program that this file is a copy of.
    pub files: &'a [&'a str],
    /// It has written words of its own over its command line, as a script can.
    pub retitled: bool,
}

/// Whether a process asks nothing itself.
pub fn asks_nothing(process: &Process) -> bool {
    let rest = process.argv.get(1..).unwrap_or_default();
    // Called by another name it is still what its file is. A title says nothing of the script behind it, and which of many
    // programs in one file is run says the name alone.
    let speaks = |file: &&&str| {
        let name = name(file);
        let titled = process.retitled && lists(LANGUAGES, name);
        !(titled || MANY_IN_ONE.contains(&name))
    };
    let called = process.argv.first().into_iter().filter(|name| !name.is_empty());
    called.chain(process.files.iter().filter(speaks)).any(|program| takes_lines(program, rest))
        || rest.iter().any(|word| is_what_is_typed(word))
}

/// Whether a process is an interpreter that runs the code it was given on its command line, and ends with it: what that code
/// does with a line nobody knows, but where it reads keys it draws something of its own.
pub fn runs_given_code(process: &Process) -> bool {
    let rest = process.argv.get(1..).unwrap_or_default();
    let given = |program: &&str| {
        let name = name(program);
        let shell = lists(SHELLS, name);
        let options = options(rest, shell);
        let runs =
            is_given_a_command(&options, shell) && (shell || !stays(&options)) && !runs_a_console(rest);
        (shell || lists(LANGUAGES, name)) && runs
    };
    process.argv.first().is_some_and(given)
}

/// Whether a word names what is typed as a file to be read, or as data: `sh /dev/stdin`, `make -f -`, `git hash-object --stdin`.
fn is_what_is_typed(word: &str) -> bool {
    if word == "--stdin" || word.starts_with("--stdin-") {
        return true;
    }
    let of_a_process = || word.strip_prefix("/proc/").is_some_and(|rest| rest.contains("/fd/"));
    let devices = ["/dev/stdin", "/dev/fd/", "/dev/tty", "/dev/pts/"];
    word == "-" || devices.iter().any(|device| word.starts_with(device)) || of_a_process()
}

/// Whether its file holds many programs.
pub fn is_many_in_one(process: &Process) -> bool {
    process.files.iter().chain(process.argv.first()).any(|file| MANY_IN_ONE.contains(&name(file)))
}

/// Whether a file of this name is one of these programs.
pub fn is_listed(file: &str) -> bool {
    is_interpreter(file) || lists(ALWAYS, name(file))
}

/// Whether a program of this name is a shell, or one that may be.
pub(super) fn is_shell(program: &str) -> bool {
    let name = name(program);
    lists(SHELLS, name) || MANY_IN_ONE.contains(&name)
}

/// Whether a program of this name runs code.
pub(super) fn is_interpreter(program: &str) -> bool {
    let name = name(program);
    lists(SHELLS, name) || lists(LANGUAGES, name) || MANY_IN_ONE.contains(&name)
}

/// Whether a program with these words takes lines for commands or for data.
fn takes_lines(program: &str, rest: &[&str]) -> bool {
    let name = name(program);
    if lists(ALWAYS, name) || LOADERS.iter().any(|loader| name.starts_with(loader)) {
        return true;
    }
    if MANY_IN_ONE.contains(&name) {
        return rest.split_first().is_some_and(|(program, rest)| takes_lines(program, rest));
    }
    let shell = lists(SHELLS, name);
    if !shell && !lists(LANGUAGES, name) {
        return false;
    }
    let (script, options) = (operand(rest, shell), options(rest, shell));
    // Many a console is itself a script of such an interpreter.
    let console = script.is_some_and(|script| lists(ALWAYS, self::name(script)));
    let told = !shell && words_from(rest, script).any(|word| CONSOLE_WORDS.contains(&word));
    let given = is_given_a_command(&options, shell);
    let nothing = !given && script.is_none();
    // A shell ends with the command it was given, an interpreter goes on.
    let stays = (stays(&options) && !(shell && given)) || (shell && !given && reads_commands(&options));
    let line = CommandLine { name, shell, words: rest, options: &options };
    console
        || told
        || nothing
        || stays
        || runs_a_console(rest)
        || inline_code::takes_lines(&line, is_interpreter)
}

/// The name without its folder, the dash of a login shell, and a version.
fn name(program: &str) -> &str {
    let file = program.rsplit('/').next().unwrap_or(program).trim_start_matches('-');
    let file = file.strip_suffix("-dbg").unwrap_or(file);
    let bare = file.trim_end_matches(|ch: char| ch.is_ascii_digit() || ch == '.' || ch == '-');
    // The digit of `sqlite3` is a part of its name, and so would be any of the list.
    if bare.is_empty() || lists(ALWAYS, file) { file } else { bare }
}

/// The options before the script, with the places at which they stand.
pub(super) fn options<'a>(words: &[&'a str], shell: bool) -> Vec<(usize, &'a str)> {
    let with_a_word = if shell { &SHELLS_WITH_A_WORD } else { &LANGUAGES_WITH_A_WORD };
    let (mut found, mut at) = (Vec::new(), 0);
    while let Some(word) = words.get(at).filter(|word| word.starts_with(['-', '+']) && **word != "--") {
        // A dash alone is the terminal.
        if word.len() > 1 {
            found.push((at, *word));
        }
        at += if with_a_word.contains(word) { 2 } else { 1 };
    }
    found
}

/// The first word that is no option: the script.
fn operand<'a>(words: &[&'a str], shell: bool) -> Option<&'a str> {
    let last = options(words, shell).last().copied();
    let with_a_word = if shell { &SHELLS_WITH_A_WORD } else { &LANGUAGES_WITH_A_WORD };
    let behind = last.map_or(0, |(at, option)| if with_a_word.contains(&option) { at + 2 } else { at + 1 });
    words.get(behind..)?.iter().find(|word| !["-", "--"].contains(word)).copied()
}

/// The script that an interpreter runs, unless it was given code instead.
pub(super) fn script<'a>(words: &[&'a str], shell: bool) -> Option<&'a str> {
    let given = is_given_a_command(&options(words, shell), shell);
    if given { None } else { operand(words, shell) }
}

/// The script and the first word behind it.
fn words_from<'a>(words: &[&'a str], script: Option<&str>) -> impl Iterator<Item = &'a str> {
    let at = words.iter().position(|word| Some(*word) == script).unwrap_or(words.len());
    words[at..].iter().take(2).copied()
}

/// The letters of an option that may be several in one word.
fn letters(word: &str) -> Option<&str> {
    word.strip_prefix('-').filter(|letters| !letters.starts_with('-'))
}

/// Whether the options before a script give a command: `-c`, `-ec`, `-e`, `--eval`, `-m`.
fn is_given_a_command(options: &[(usize, &str)], shell: bool) -> bool {
    options.iter().any(|(_, word)| {
        let names = |letter: char| letters(word).is_some_and(|letters| letters.contains(letter));
        RUNS.iter().any(|option| word == option || word.starts_with(&format!("{option}=")))
            || names('c')
            || (!shell && (names('e') || names('p')))
    })
}

/// Whether a shell takes its commands from what it reads, whatever words it was given besides: `sh -s word`.
fn reads_commands(options: &[(usize, &str)]) -> bool {
    let has =
        |word: &str| letters(word).is_some_and(|letters| letters.len() < LETTERS && letters.contains('s'));
    options.iter().any(|(_, word)| has(word))
}

/// Whether an interpreter stays at its own prompt once its script has ended: nobody knows which of the two reads.
fn stays(options: &[(usize, &str)]) -> bool {
    // Of a longer word the rest is a value: `-Wignore`.
    let letters = |word: &str| word.len() <= LETTERS && word[1..].chars().all(char::is_alphabetic);
    options
        .iter()
        .any(|(_, word)| ["--interactive", "-NoExit"].contains(word) || (letters(word) && word.contains('i')))
}

/// Whether the module that is run is a console: `python3 -m code`.
fn runs_a_console(words: &[&str]) -> bool {
    let at = words.iter().position(|word| *word == "-m");
    at.and_then(|at| words.get(at + 1)).is_some_and(|module| lists(CONSOLE_MODULES, module))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asks(line: &str) -> bool {
        let argv = line.split(' ').collect::<Vec<_>>();
        !asks_nothing(&Process { argv: &argv, files: &[], retitled: false })
    }

    /// Programs that draw a menu of their own were nobody's question where they stood on a command line.
    #[test]
    fn what_runs_its_command_line_is_told_from_a_console() {
        let given = |line: &str| {
            let argv = line.split(' ').collect::<Vec<_>>();
            runs_given_code(&Process { argv: &argv, files: &[], retitled: false })
        };
        let code = [
            "python3 -c x",
            "/usr/bin/python3.11 -u -c x",
            "node -e x",
            "perl -e x",
            "bash -c x",
            "python3 -m menus",
        ];
        for line in code {
            assert!(given(line), "{line}");
        }
        for line in [
            "python3",
            "bash",
            "python3 -i -c x",
            "python3 -m code",
            "node",
            "psql -c x",
            "python3 x.py",
            "vim -c x",
        ] {
            assert!(!given(line), "{line}");
        }
    }

    /// A job that had ended, a thread and a file printed "Use TypeScript?", and the answer was run, or handed on.
    #[test]
    fn who_runs_or_hands_on_a_line_is_told_from_who_asks() {
        for line in [
            "bash",
            "-bash",
            "/bin/bash --norc --noprofile -i",
            "bash --rcfile /dev/null",
            "sh",
            "zsh -l",
            "python3",
            "/usr/bin/python3.12 -q",
            "python3 -X utf8 -",
            "python3 -i setup.py",
            "python3 -q -i -c print()",
            "node -i -e 1",
            "/usr/bin/python3 /usr/local/bin/ipython",
            "node",
            "node --require ./x.js",
            "psql -d shop",
            "sqlite3 shop.db",
            "cat note -",
            "/usr/bin/tee -a log",
            // What such a shell runs it reads.
            "sh -s",
            "bash -s word",
            "busybox sh",
            "busybox cat",
            "/lib64/ld-linux-x86-64.so.2 /bin/dash",
            "python3 -m code",
            "python3 -m pdb setup.py",
            "python3 manage.py shell",
            "ruby bin/rails console",
            "deno repl",
            "guile-3.0",
            "python3.11-dbg",
            "pwsh -NoExit setup.ps1",
            "socat STDIO EXEC:bash",
            // Words that name the terminal.
            "bash /dev/stdin",
            "bash --norc --noediting /dev/stdin",
            "sh /proc/self/fd/0",
            "make -f -",
            "git hash-object --stdin",
            "split -l 1",
            "gzip -f",
            "patch",
            "setup /dev/tty",
        ] {
            assert!(!asks(line), "{line}");
        }
        for line in [
            "bash setup.sh",
            "bash -c read",
            "bash -ec read",
            "sh ./configure --prefix=/usr",
            "python3 setup.py",
            "python3 -c input()",
            "python3 -m venv",
            "python3 -u setup.py -i",
            "python3 -Wignore setup.py",
            "bash -ic read",
            "node cli.js",
            "npm init",
            "busybox rm -i file",
            "python3 manage.py migrate",
            "node cli.js shell-quote",
            "rm -i file",
            "./install",
            "ssh host",
            "less file",
            "setup --name -x /proc/cpuinfo",
            "",
        ] {
            assert!(asks(line), "{line}");
        }
        assert!(!asks_nothing(&Process { argv: &[], files: &[], retitled: false }));
    }

    /// A copied shell was a program that asks, and so was one that was given another name.
    #[test]
    fn a_shell_by_another_name_is_a_shell() {
        let asks = |line: &str, files: &[&str], retitled: bool| {
            let argv = line.split(' ').collect::<Vec<_>>();
            !asks_nothing(&Process { argv: &argv, files, retitled })
        };
        assert!(!asks("./wizard", &["wizard", "dash"], false), "a copy");
        assert!(!asks("wizard", &["bash"], false), "exec -a wizard bash");
        assert!(!asks("./wizard -i", &["wizard", "python3.11"], false));
        assert!(!asks("", &["bash"], false), "a command line that was wiped");
        assert!(asks("./wizard", &["wizard"], false));
        assert!(asks("wizard setup.sh", &["bash"], false), "with a script it asks for that");
        assert!(asks("rm -i file", &["busybox"], false));
        // npm writes its name over the path of its script.
        assert!(asks("npm init", &["node"], true));
        assert!(!asks("wizard", &["bash"], true), "a script of a shell can do no such thing");
    }
}
