//! Words that the shell evaluates a second time: what they held was only text, and is a command then.
//!
//! `guard.rs` asks for each line and for each of its commands. Quotes do not help: `'a[$(x)]'` is run once its subscript is
//! looked at. The manuals: bash(1) under "Parameter Expansion", "ARITHMETIC EVALUATION" and "SHELL BUILTIN COMMANDS", zshexpn(1).

use std::sync::LazyLock;

use crate::core::pattern::Pattern;
use crate::core::policy::shell::Simple;

const UNFOLLOWED: &str = "what it runs cannot be followed";
const CREDENTIALS: &str = "it touches credentials";

/// Expansions of what a variable's value names, and arithmetic on anything but numbers: the value of a name in it is an
/// expression as well.
static EXPANDS: LazyLock<Pattern> = LazyLock::new(|| {
    let prompts = r"\$\{[^}]*@[A-Za-z]\s*\}|\$\{\s*[!(]|\$\{[^}]*\$\{\s*\(";
    let arithmetic = r"\$\(\([^)]*[A-Za-z_\[$`]|\$\[|(?:^|[;&|\n({]|\b(?:if|elif|while|until|then|do|else|for|time)\b|!)\s*\(\([^)]*[A-Za-z_\[$`]";
    let offsets = r"\$\{[\w@*]+:(?:[^-+=?}][^}]*)?[A-Za-z_\[$]";
    let subscripts = r#"\$\{#?\w+\[[^\]]*[A-Za-z_$`'"(\[]"#;
    // Letters that are spelled by their codes say nothing to who reads them.
    let codes = r"\$'(?:[^'\\]|\\[ntr'\\])*\\[^ntr'\\]";
    Pattern::constant(&[prompts, arithmetic, offsets, subscripts, codes].join("|"))
});

/// A subscript that holds a command as text; one that the shell has run stands as `$()`.
static HELD: LazyLock<Pattern> = LazyLock::new(|| Pattern::constant(r"\[[^\]]*(?:\$\([^)]|`)"));

/// Variables whose value is a command to somebody, or a file of commands.
const RUN: &str = "PS0 PS1 PS2 PS3 PS4 PROMPT PROMPT_COMMAND BASH_ENV ENV ZDOTDIR SHELL LD_PRELOAD LD_AUDIT LD_LIBRARY_PATH \
    DYLD_INSERT_LIBRARIES GIT_SSH GIT_SSH_COMMAND GIT_EXTERNAL_DIFF GIT_ASKPASS SSH_ASKPASS GIT_PROXY_COMMAND GIT_EXEC_PATH \
    GIT_CONFIG GIT_CONFIG_GLOBAL GIT_CONFIG_SYSTEM GIT_CONFIG_COUNT GIT_CONFIG_PARAMETERS GIT_TEMPLATE_DIR NODE_OPTIONS \
    PYTHONSTARTUP PYTHONHOME PERL5OPT PERL5DB RUBYOPT LESSOPEN LESSCLOSE RUSTC RUSTC_WRAPPER RUSTC_WORKSPACE_WRAPPER MAKEFLAGS \
    GNUMAKEFLAGS MAKEFILES TAR_OPTIONS RIPGREP_CONFIG_PATH CURL_HOME WGETRC JAVA_TOOL_OPTIONS _JAVA_OPTIONS JDK_JAVA_OPTIONS \
    GOFLAGS";
/// Of these what everybody sets them to is harmless.
const SHOWN: &str = "PAGER GIT_PAGER MANPAGER EDITOR VISUAL GIT_EDITOR GIT_SEQUENCE_EDITOR BROWSER";
const HARMLESS: [&str; 6] = ["", "cat", "less", "true", ":", "more"];

/// What `[[` compares as numbers, and so evaluates.
const COMPARES: [&str; 6] = ["-eq", "-ne", "-lt", "-le", "-gt", "-ge"];

/// Why nobody but a person approves a line with these commands.
pub fn harm(line: &str, commands: &[Simple]) -> Option<&'static str> {
    let texts = || commands.iter().map(Simple::text);
    let expands = EXPANDS.is_match(line) || texts().any(|text| EXPANDS.is_match(&text));
    // What stands between the brackets may be told as several commands.
    let tests = commands.iter().any(|command| command.words.iter().any(|word| word == "[["));
    let compares = tests && commands.iter().any(|command| !compares_numbers(&command.words, false));
    (expands || compares).then_some(UNFOLLOWED)
}

/// Whether this assignment says what another program runs.
pub fn assigns(word: &str) -> Option<&'static str> {
    let (name, value) = word.split_once('=')?;
    let name = name.trim_end_matches('+');
    let among = |names: &str| names.split_whitespace().any(|known| known == name);
    let runner =
        name.starts_with("CARGO_TARGET_") && (name.ends_with("_RUNNER") || name.ends_with("_LINKER"));
    let npm = name.to_ascii_lowercase().starts_with("npm_config_");
    let keyed = name.starts_with("GIT_CONFIG_KEY_") || name.starts_with("GIT_CONFIG_VALUE_");
    let shown = among(SHOWN) && !HARMLESS.contains(&value);
    (among(RUN) || runner || npm || keyed || shown || HELD.is_match(word)).then_some(UNFOLLOWED)
}

/// The same of a builtin of the shell's with these words.
pub fn builtin(name: &str, args: &[String]) -> Option<&'static str> {
    let letters = |letters: &str| {
        let cluster = |word: &String| {
            word.strip_prefix(['-', '+']).is_some_and(|rest| rest.contains(|ch| letters.contains(ch)))
        };
        args.iter().any(cluster)
    };
    let subscript = || args.iter().any(|word| word.contains('['));
    let held = || args.iter().any(|word| HELD.is_match(word));
    let runs = match name {
        "let" | "complete" | "compgen" | "compopt" | "bind" | "fc" | "zle" | "vared" | "sched"
        | "zmodload" => true,
        "declare" | "typeset" | "export" | "readonly" | "local" | "integer" | "float" => {
            if args.iter().all(|word| word.starts_with('-') && word.chars().all(|ch| "-pxgaAr".contains(ch)))
            {
                return Some(CREDENTIALS);
            }
            let named = |word: &String| word.split('=').next().is_some_and(|name| name.contains('['));
            let text = |word: &String| word.contains('`') || word.replace("$()", "").contains("$(");
            return args.iter().find_map(|word| assigns(word)).or_else(|| {
                let again = letters("niEF") || args.iter().any(|word| named(word) || text(word));
                (again || ["integer", "float"].contains(&name)).then_some(UNFOLLOWED)
            });
        }
        "set" if args.is_empty() => return Some(CREDENTIALS),
        "read" | "unset" | "getopts" => subscript(),
        "mapfile" | "readarray" => letters("C") || subscript(),
        "printf" | "print" => {
            args.first().is_some_and(|word| word.starts_with("-v"))
                || name == "print" && letters("PvzC")
                || held()
        }
        "test" | "[" | "[[" => {
            args.iter().any(|word| word == "-v" || word == "-R")
                || !compares_numbers(args, name != "[[")
                || held()
        }
        "wait" => letters("p"),
        "enable" => letters("f"),
        "hash" => letters("p"),
        "emulate" => letters("c"),
        "echo" => held(),
        _ => false,
    };
    runs.then_some(UNFOLLOWED)
}

/// Whether numbers alone are compared. `test` takes the value of a variable for a number or refuses it.
fn compares_numbers(words: &[String], variables: bool) -> bool {
    let counted = |word: &str| {
        let digits = word.strip_prefix('-').unwrap_or(word);
        !digits.is_empty() && digits.chars().all(|ch| ch.is_ascii_digit())
            || ["$#", "$?", "$$", "$!"].contains(&word)
            || word.starts_with("${#") && !word.contains('[')
            || variables && word.starts_with('$') && !word.contains('[')
    };
    let compared = words.windows(3).filter(|three| COMPARES.contains(&three[1].as_str()));
    compared.into_iter().all(|three| counted(&three[0]) && counted(&three[2]))
}

#[cfg(test)]
mod tests {
    use crate::core::policy::guard::command;

    #[test]
    fn what_the_shell_evaluates_again_needs_a_person() {
        for line in [
            "echo ${x:='$(./evil)'} ${x@P}",
            "echo \"${x@P}\"",
            "echo ${x[@]@P}",
            "echo ${x@E}",
            "echo ${!x}",
            "echo \"${(e)x}\"",
            "printf -v 'a[$(./evil)]' x",
            "printf -v x y",
            "test -v 'a[$(./evil)]'",
            "[ -v 'a[$(./evil)]' ]",
            "[[ -v 'a[$(./evil)]' ]]",
            "[[ -n x && y -eq z ]]",
            "[[ 'a[$(./evil)]' -eq 1 ]]",
            "[[ ( $x -eq 1 ) ]]",
            "[ 'a[$(./evil)]' -eq 1 ]",
            "test x -eq y",
            "let 'a[$(./evil)]=1'",
            "((x))",
            "if (( a[i] )); then ls; fi",
            "echo $((x))",
            "echo $((1 + a[x]))",
            "echo $[x]",
            "echo ${a[x]}",
            "echo ${a['$(./evil)']}",
            "echo ${s:x}",
            "declare -n r='a[$(./evil)]'",
            "declare -i x='a[$(./evil)]'",
            "typeset 'a[$(./evil)]=1'",
            "export 'a[$(./evil)]=1'",
            "readonly -a 'x=($(./evil))'",
            "read 'a[$(./evil)]'",
            "unset 'a[$(./evil)]'",
            "mapfile -C ./evil -c 1 x",
            "wait -p 'a[x]'",
            "trap ./evil EXIT",
            "complete -C ./evil x",
            "bind -x '\"a\":./evil'",
            "enable -f ./x.so y",
            "PS4='$(./evil)' bash -x run.sh",
            "PROMPT_COMMAND=./evil",
            "BASH_ENV=./evil bash run.sh",
            "ENV=./evil sh run.sh",
            "export BASH_ENV=./evil",
            "GIT_PAGER=./evil git log",
            "env LD_PRELOAD=./x.so ls",
            "noglob rm -rf ~",
            "cat $'\\x2eenv'",
            "export -p",
            "declare -x",
            "set",
        ] {
            assert!(command(line).is_some(), "{line}");
        }
    }

    #[test]
    fn what_it_evaluates_once_needs_none() {
        for line in [
            "echo $x ${x:-default} ${x%.rs} ${x/a/b} ${#x}",
            "echo ${x:0:3} ${x: -1} ${a[0]} ${a[@]} ${#a[@]}",
            "echo a@b.org git@{u}",
            "printf '%s\\n' a",
            "test -f x",
            "[ -n \"$x\" ]",
            "[ \"$x\" -eq 1 ]",
            "[ $# -gt 0 ]",
            "[[ $x == a* ]]",
            "[[ $x =~ ^[0-9]+$ ]]",
            "[[ $# -gt 1 ]]",
            "export X=1",
            "declare -r X=1",
            "read -r x",
            "unset X",
            "set -euo pipefail",
            "wait",
            "RUST_LOG=debug cargo test",
            "PYTHONPATH=src pytest",
            "GIT_PAGER=cat git log",
            "GIT_EDITOR=true git rebase --continue",
            "printf $'a\\nb'",
            "grep -E '((a|b))' x",
            "awk '{a[$1]++}' x",
        ] {
            assert_eq!(command(line), None, "{line}");
        }
    }
}
