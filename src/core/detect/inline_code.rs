//! Code that an interpreter was given on its command line: whether it may run or pass on what it reads.
//!
//! `interpreters.rs` asks. A script in a file is somebody's program and asks for itself; a line of code behind `-c` or `-e`
//! is in sight, so it is asked for only if each of its words is known for harmless. It never decides what a prompt asks for.

use std::sync::LazyLock;

use regex::Regex;

use crate::core::policy::shell::split;

/// Names in the code of a language that only ask, print, count, wait and keep. Any other may lead to a shell.
const HARMLESS: &str = "if elif else then fi do done end in not and or is true false null nil none undefined for while until \
    break continue pass return def lambda function async await const let var my our local new try except catch finally rescue \
    import from as with use strict warnings require \
    input output raw_input print printf println puts say echo write writeline flush read readline readlines readsync gets chomp strip rstrip \
    lstrip lower upper tolowercase touppercase trim split join format replace str int float len range repr list dict tuple bool \
    string number boolean tostring length substr index sprintf \
    sys time os io path stdin stdout stderr fileno sleep exit die getpass get getcwd cwd process env environ argv console log error \
    createinterface question prompt confirm ask close on once settimeout setinterval then \
    termios tty setraw setcbreak tcgetattr tcsetattr tcsadrain tcsanow \
    json dumps loads stringify parse eoferror keyboardinterrupt exception systemexit \
    writefilesync appendfilesync \
    click rich questionary inquirer style select checkbox text password confirm int choices default message name type";
/// Commands of a shell that run what they are given, or what they read.
const RUNNING: &str = "eval source . xargs parallel sudo doas su pkexec chroot ssh nc ncat socat script unbuffer at batch coproc";
/// Programs that run the rest of their words.
const WRAPPERS: &str = "exec command builtin env nohup time nice ionice timeout setsid stdbuf watch";

/// Names that lead to a shell whatever else they are made to stand for.
const NEVER: &str = "eval exec execfile execsync system popen spawn fork compile open globals locals getattr vars dir method \
    instance_eval class_eval send public_send kernel subprocess child_process importlib function vm";

/// Of a language: the letters of options that give code, those that make it read line after line, code or not, and those
/// that take the rest of their word.
fn letters_of(name: &str) -> (&'static str, &'static str, &'static str) {
    match name {
        "python" | "pypy" | "micropython" => ("c", "", "WXm"),
        "perl" => ("eE", "np", "MmIDxiFCVd"),
        "ruby" | "jruby" | "mruby" => ("e", "np", "rICKTxWiF"),
        "php" | "php-cli" => ("r", "RFBE", "dzcf"),
        "node" | "nodejs" | "bun" | "deno" => ("ep", "", "rC"),
        "lua" | "luajit" => ("e", "", "l"),
        "julia" => ("eE", "", "LJ"),
        _ => ("ec", "", ""),
    }
}

/// The command line of an interpreter.
pub struct CommandLine<'a> {
    /// Its name, without folder and version.
    pub name: &'a str,
    pub shell: bool,
    /// The words behind it, and of these the options before the script, each with its place.
    pub words: &'a [&'a str],
    pub options: &'a [(usize, &'a str)],
}

/// Whether the code on a command line, if there is any, may take lines for commands or for data. `interprets`: whether a
/// program of this name runs code.
pub fn takes_lines(line: &CommandLine, interprets: fn(&str) -> bool) -> bool {
    let &CommandLine { name, shell, words, options } = line;
    let (code, loops, ends) = if shell { ("c", "", "") } else { letters_of(name) };
    let has = |option: &str, wanted: &str| {
        let letters =
            option.strip_prefix('-').filter(|letters| !letters.starts_with('-')).unwrap_or_default();
        letters.chars().take_while(|letter| !ends.contains(*letter)).any(|letter| wanted.contains(letter))
    };
    if options.iter().any(|(_, option)| has(option, loops)) {
        return true;
    }
    let long = |option: &str| ["--eval", "--print", "--command", "-Command"].contains(&option);
    let gives =
        |(_, option): &&(usize, &str)| has(option, code) || long(option.split('=').next().unwrap_or(option));
    let Some((at, option)) = options.iter().find(gives) else { return false };
    let code = option.split_once('=').map(|(_, code)| code).or(words.get(at + 1).copied());
    code.is_none_or(|code| if shell { shell_runs(code, interprets) } else { language_runs(name, code) })
}

/// Whether a shell may run what this code reads. `read x; $x` does.
fn shell_runs(code: &str, interprets: fn(&str) -> bool) -> bool {
    let line = split(code);
    let runs = |words: &[String]| {
        // What stands before the program is assigned, or a word of the shell's grammar.
        let own = |word: &&String| !word.contains('=') && !GRAMMAR.contains(&word.as_str());
        let Some(program) = words.iter().find(own) else { return false };
        let name = program.rsplit('/').next().unwrap_or(program);
        let follows = |word: &String| word.starts_with('$') || interprets(word);
        lists(RUNNING, name) || follows(program) || (lists(WRAPPERS, name) && words.iter().any(follows))
    };
    line.opaque || line.commands.iter().any(|command| runs(&command.words))
}

const GRAMMAR: [&str; 13] =
    ["if", "then", "else", "elif", "fi", "while", "until", "do", "done", "!", "{", "}", "IFS"];

/// Whether code of a language may run what it reads: one of its names is not known for harmless.
fn language_runs(name: &str, code: &str) -> bool {
    let python = matches!(name, "python" | "pypy" | "micropython");
    // What these languages run within the quotes of a text, or put together of texts.
    if !python && (code.contains('`') || ["#{", "@{", "%x"].iter().any(|sign| code.contains(sign))) {
        return true;
    }
    let Some(bare) = without_texts(code) else { return true };
    let names: Vec<(usize, &str)> =
        NAME.find_iter(&bare).map(|found| (found.end(), found.as_str())).collect();
    let called = |end: usize| bare[end..].trim_start().starts_with('(');
    let given = |word: &str| {
        let own = |(end, _): &&(usize, &str)| {
            let rest = bare[*end..].trim_start();
            rest.starts_with('=') && !rest.starts_with("==")
        };
        let places = names.iter().filter(|(_, name)| *name == word);
        let member = |(end, name): &(usize, &str)| bare[..end - name.len()].ends_with('.');
        places.clone().any(|place| own(&place))
            && !places.clone().any(|place| called(place.0) || member(place))
            && !lists(NEVER, &word.to_lowercase())
    };
    let harmless = |(end, word): &(usize, &str)| {
        lists(HARMLESS, &word.to_lowercase())
            || (python && *word == "open")
            || (word.len() == 1 && !called(*end))
            || given(word)
    };
    let computed = !python && bare.contains('[');
    computed || !names.iter().all(harmless)
}

static NAME: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"[A-Za-z_]\w*").expect("the pattern is a constant that a test compiles"));

fn lists(names: &str, name: &str) -> bool {
    names.split_whitespace().any(|listed| listed == name)
}

/// Code without what stands in quotes; none where a quote does not end, or where a text holds code (`f"{…}"`).
fn without_texts(code: &str) -> Option<String> {
    let (mut bare, mut chars) = (String::new(), code.chars().peekable());
    while let Some(ch) = chars.next() {
        if ch != '\'' && ch != '"' {
            bare.push(ch);
            continue;
        }
        let before = bare.chars().next_back();
        if before.is_some_and(|before| "fF".contains(before)) {
            return None;
        }
        loop {
            match chars.next()? {
                '\\' => {
                    chars.next()?;
                }
                end if end == ch => break,
                _ => {}
            }
        }
        bare.push(' ');
    }
    Some(bare)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn runs(argv: &[&str]) -> bool {
        let (name, words) = (argv[0], &argv[1..]);
        let shell = ["sh", "bash"].contains(&name);
        let options = &crate::core::detect::interpreters::options(words, shell);
        takes_lines(
            &CommandLine { name, shell, words, options },
            crate::core::detect::interpreters::is_interpreter,
        )
    }

    /// `perl -ne system` ran the answer that was given to a prompt printed before.
    #[test]
    fn code_that_may_run_what_it_reads_is_told_from_code_that_asks() {
        for argv in [
            &["perl", "-ne", "system"][..],
            &["perl", "-lne", "print"],
            &["perl", "-e", "system <STDIN>"],
            &["perl", "-e", "print \"Project name: \"; $x = <STDIN>; `$x`"],
            &["perl", "-E", "say 'Project name:'; exec <STDIN>"],
            &["ruby", "-ne", "puts $_"],
            &["ruby", "-e", "print \"Project name: \"; system gets"],
            &["ruby", "-e", "x = gets; puts \"#{system x}\""],
            &["php", "-R", "system($argn);"],
            &["php", "-r", "system(readline('Project name: '));"],
            &["python", "-c", "import os; os.system(input('Project name: '))"],
            &["python", "-c", "eval(input('Project name: '))"],
            &["python", "-c", "import code; code.interact()"],
            &["python", "-c", "import subprocess, sys\nfor l in sys.stdin: subprocess.run(l, shell=True)"],
            &["python", "-c", "getattr(__import__('os'), 'sys' + 'tem')(input('Project name: '))"],
            &["python", "-c", "print(f'{eval(input())}')"],
            &["node", "-e", "require('child_process').execSync('id')"],
            &["node", "-e", "require('child_process')['ex' + 'ec'](x)"],
            &["node", "--eval=require('repl').start()"],
            &["bash", "-c", "read -p 'Project name: ' x; $x"],
            &["bash", "-c", "read -p 'Project name: ' x; eval \"$x\""],
            &["sh", "-c", "printf 'Project name: '; read x; sh -c \"$x\""],
            &["sh", "-c", "printf 'Project name: '; sh"],
            &["sh", "-c", "printf 'Project name: '; read x; exec $x"],
            &["bash", "-c", "printf 'Project name: '; read x && env $x"],
            &["sh", "-c", "printf 'Project name: '; . /dev/tty"],
            &["bash", "-c", "x='"],
            &["bash", "-o", "pipefail", "-c", "read -p 'Project name: ' x; $x"],
            &["python", "-c", "import os; system = 0; os.system(input('Project name: '))"],
            &["python", "-c", "print = eval = eval; print(input('Project name: '))"],
        ] {
            assert!(runs(argv), "{argv:?}");
        }
        for argv in [
            &["bash", "-c", "read -p 'Project name: ' x; echo \"got $x\" >> out; sleep 60"][..],
            &["sh", "-c", "printf 'Use TypeScript? [Y/n] '; read answer; echo $answer"],
            &["bash", "-ec", "IFS= read -r -p 'Title: ' title; printf '%s' \"$title\" > title; mkdir demo"],
            &["bash", "-c", "while read -p 'Port: ' p; do echo $p; done"],
            &["python", "-c", "input()"],
            &["python", "-c", "x = input('Project name: ')\nprint('got', x)"],
            &[
                "python",
                "-c",
                "import sys, time; sys.stdout.write('Port: '); sys.stdout.flush(); p = sys.stdin.readline(); time.sleep(9)",
            ],
            &["python", "-c", "import getpass; getpass.getpass('word? ')"],
            &[
                "node",
                "-e",
                "const r = require('readline').createInterface({input: process.stdin, output: process.stdout}); r.question('Port: ', x => { console.log(x); r.close() })",
            ],
            &["ruby", "-e", "print 'Title: '; title = gets; puts title"],
            &["perl", "-e", "print 'Title: '; $title = <STDIN>; print $title"],
            &["sh", "-c", "printf 'Use TypeScript? [y/N] '; read answer; echo \"told $answer\"; exec cat"],
            &["bash", "setup.sh"],
            &["python", "-m", "venv"],
            &["node", "cli.js", "-e", "x"],
        ] {
            assert!(!runs(argv), "{argv:?}");
        }
    }
}
