//! Programs that only read, told to read what holds credentials without naming it: an environment, or all of a home.
//!
//! `guard.rs` asks for each command of a line; files that are named it knows by its own words. Pure.

use std::borrow::Cow;
use std::sync::LazyLock;

use crate::core::pattern::Pattern;

const CREDENTIALS: &str = "it touches credentials";

/// jq and its kin know the environment by `env`, `$ENV` and `strenv` (jq(1)).
static ENVIRONMENT: LazyLock<Pattern> = LazyLock::new(|| {
    Pattern::constant(r#"(?:^|[^.\w"/-])(?:str)?env(?:$|[^\w.":/-])|\$ENV\b|\$__prog_args\b"#)
});

/// Names under which projects show what their `.env` is made of, without its values.
static SAMPLES: LazyLock<Pattern> =
    LazyLock::new(|| Pattern::constant(r#"\.env(\.(?:example|sample|template|dist)(?:[\s'"`),:;]|$))"#));

/// The text with such names as names of other files.
pub fn without_samples(text: &str) -> Cow<'_, str> {
    SAMPLES.replace_all(text, "sample$1")
}

/// Why nobody but a person approves it.
pub fn harm(name: &str, args: &[String]) -> Option<&'static str> {
    let reads = match name {
        "jq" | "gojq" | "jaq" | "yq" => args.iter().any(|word| ENVIRONMENT.is_match(word)),
        "awk" | "gawk" | "mawk" | "nawk" => args.iter().any(|word| word.contains("ENVIRON")),
        "grep" | "egrep" | "fgrep" => is_recursive(args) && args.iter().any(|word| is_home(word)),
        "rg" | "ag" | "ack" => args.iter().any(|word| is_home(word)),
        _ => false,
    };
    reads.then_some(CREDENTIALS)
}

fn is_recursive(args: &[String]) -> bool {
    args.iter().any(|word| match word.strip_prefix("--") {
        Some(long) => {
            long.len() > 2 && ("recursive".starts_with(long) || "dereference-recursive".starts_with(long))
                || long.starts_with("dir")
        }
        None => word.strip_prefix('-').is_some_and(|letters| letters.contains(['r', 'R', 'd'])),
    })
}

/// Whether all files of a user, or of the machine, are among those of this folder.
fn is_home(word: &str) -> bool {
    let path = word.trim_end_matches(['/', '.', '*']);
    let home = |path: &str| path.starts_with('~') && !path.contains('/');
    let user = |path: &str| path.strip_prefix("/home/").is_some_and(|user| !user.contains('/'));
    let all = word.starts_with('/') && path.is_empty();
    all || home(path) || user(path) || ["/home", "/root", "/etc", "/proc", "$HOME", "${HOME}"].contains(&path)
}

#[cfg(test)]
mod tests {
    use crate::core::policy::guard::command;

    #[test]
    fn what_reads_credentials_needs_a_person() {
        for line in [
            "git show HEAD:.env",
            "git show HEAD~3:.env.production",
            "git show :.env",
            "git show HEAD:./.env",
            "git diff HEAD:.env",
            "git cat-file -p HEAD:.env",
            "git show HEAD:.ssh/id_rsa",
            "git show HEAD:config/master.key",
            "cat .en$(echo v)",
            "cat .en$X",
            "cat .e${x}",
            "cat .envrc",
            "cat ~/.gemini/oauth_creds.json",
            "cat ~/.config/rclone/rclone.conf",
            "cat ~/.config/hub",
            "cat ~/.local/share/keyrings/login.keyring",
            "cat ~/.mozilla/firefox/x/logins.json",
            "cat terraform.tfstate",
            "cat terraform.tfstate.backup",
            "cat ~/.claude.json",
            "grep -r . ~",
            "grep -rn x $HOME",
            "grep --recursive x /home/me/",
            "rg x ~/",
            "grep -R x /",
            "jq -n env",
            "jq -n '$ENV.TOKEN'",
            "jq -n 'env|keys'",
            "yq -n 'strenv(X)'",
            "awk 'BEGIN{for (k in ENVIRON) print k, ENVIRON[k]}'",
        ] {
            assert!(command(line).is_some(), "{line}");
        }
    }

    #[test]
    fn what_else_they_read_needs_none() {
        for line in [
            "git show HEAD:src/main.rs",
            "git show HEAD:README.md",
            "git diff main:Cargo.toml HEAD:Cargo.toml",
            "cat src/environment.rs",
            "cat .eslintrc.json",
            "grep '\\.rs$' x",
            "ls | grep .rs$",
            "grep -r x src",
            "grep -rn 'fn main' .",
            "grep x ~/notes.md",
            "rg x src tests",
            "jq . env.json",
            "jq '.scripts.test' package.json",
            "jq -r .name x.json",
            "cat dotenv.md",
        ] {
            assert_eq!(command(line), None, "{line}");
        }
    }
}
