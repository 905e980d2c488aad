//! `counsel completions`: completion scripts for shells. Each asks this program what can follow, so that names of agents
//! and of questions are completed too.

use std::process::ExitCode;

use clap_complete::env::Shells;

use super::failure::{Failure, USAGE};

/// Print a completion script, for example: source <(counsel completions bash)
#[derive(Debug, clap::Args)]
pub struct Args {
    #[arg(value_enum)]
    shell: clap_complete::Shell,
}

/// Set by the scripts when they ask what can follow.
pub const VARIABLE: &str = "COUNSEL_COMPLETE";

/// Bash inserts what a completion offers as it is, and a file's name can hold `$(...)`. With `filenames` it quotes what it
/// inserts; names of agents, options and the like hold nothing to be quoted, and may not end in a slash because a folder
/// has the same name. `read` keeps bash from expanding what is offered as a pattern.
const BASH: &str = r#"
_counsel_complete() {
    local word IFS=$'\013' safe='^[[:alnum:]_.,:=@%+/-]*$' offered=() candidate
    local words=("${COMP_WORDS[@]}")
    COMPREPLY=()
    # What was quoted when it was inserted is asked for by its name.
    IFS= read -d '' word < <(printf '%s\0' "$2")
    words[COMP_CWORD]="$word"
    IFS=$'\013' read -r -d '' -a offered < <(
        _CLAP_IFS="$IFS" \
        _CLAP_COMPLETE_INDEX="$COMP_CWORD" \
        _CLAP_COMPLETE_COMP_TYPE="$COMP_TYPE" \
        _CLAP_COMPLETE_SPACE=false \
        VARIABLE="bash" \
        "counsel" -- "${words[@]}"
    )
    for candidate in "${offered[@]}"; do
        # The folder one stands in is no file to be named.
        [[ $candidate == . ]] && continue
        # A bash that cannot quote it is offered nothing.
        [[ $candidate =~ $safe ]] || compopt -o filenames 2>/dev/null || continue
        COMPREPLY+=("$candidate")
    done
    if [[ ! "${COMPREPLY-}" =~ [=/:]$ ]]; then
        compopt +o nospace 2>/dev/null
    fi
}
if [[ "${BASH_VERSINFO[0]}" -eq 4 && "${BASH_VERSINFO[1]}" -ge 4 || "${BASH_VERSINFO[0]}" -gt 4 ]]; then
    complete -o nospace -o bashdefault -o nosort -F _counsel_complete counsel
else
    complete -o nospace -o bashdefault -F _counsel_complete counsel
fi
"#;

/// The script for bash.
fn bash() -> String {
    BASH.replace("VARIABLE", VARIABLE)
}

pub fn run(args: &Args) -> Result<ExitCode, Failure> {
    if args.shell == clap_complete::Shell::Bash {
        super::out::raw(bash().as_bytes())?;
        return Ok(ExitCode::SUCCESS);
    }
    let shells = Shells::builtins();
    let name = args.shell.to_string();
    let Some(shell) = shells.completer(&name) else {
        return Err(Failure::new(USAGE, format!("there are no completions for {name}")));
    };
    let mut script = Vec::new();
    shell
        .write_registration(VARIABLE, "counsel", "counsel", "counsel", &mut script)
        .map_err(|error| Failure::new(1, error.to_string()))?;
    super::out::raw(&script)?;
    Ok(ExitCode::SUCCESS)
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    /// What bash would be offered, and whether it quotes it, where the program offers these. `None`: there is no bash.
    fn offered(candidates: &str) -> Option<String> {
        let script = format!(
            "{}\ncounsel() {{ printf '%s' '{candidates}'; }}\ncompopt() {{ local IFS=' '; echo \"$*\"; }}\n\
             COMP_WORDS=(counsel up -f ''); COMP_CWORD=3\n\
             _counsel_complete counsel ''\nprintf '<%s>' \"${{COMPREPLY[@]}}\"",
            bash()
        );
        let Ok(output) = Command::new("bash").args(["--norc", "-c", &script]).output() else {
            assert!(std::env::var_os("CI").is_none(), "bash is missing");
            eprintln!("skipped: there is no bash");
            return None;
        };
        String::from_utf8(output.stdout).ok()
    }

    #[test]
    fn bash_quotes_what_a_file_is_called() {
        let Some(shown) = offered("team$(touch OWNED).toml") else { return };
        assert_eq!(shown, "-o filenames\n+o nospace\n<team$(touch OWNED).toml>");
        assert_eq!(offered("my file\u{b}a.toml").unwrap(), "-o filenames\n+o nospace\n<my file><a.toml>");
    }

    #[test]
    fn bash_takes_a_plain_name_as_it_is_and_nothing_for_a_pattern() {
        let Some(shown) = offered("--json\u{b}api-2") else { return };
        assert_eq!(shown, "+o nospace\n<--json><api-2>");
        assert_eq!(offered("*").unwrap(), "-o filenames\n+o nospace\n<*>");
        assert_eq!(offered("src/").unwrap(), "<src/>");
    }

    #[test]
    fn bash_is_not_offered_the_folder_one_stands_in() {
        let Some(shown) = offered(".\u{b}.config/") else { return };
        assert_eq!(shown, "<.config/>");
        assert_eq!(offered(".").unwrap(), "+o nospace\n<>");
    }
}
