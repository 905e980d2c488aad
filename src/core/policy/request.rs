//! A request about a file or an address, in the words that a rule's `command` is matched against: `edit src/app.py`.
//!
//! `route.rs` asks before it takes the subject for a command line: a file may be called `ls`, or `git log`.

use std::borrow::Cow;
use std::sync::LazyLock;

use crate::core::pattern::Pattern;
use crate::core::question::Question;

/// Questions that name a file, whichever program asks them.
static NAMES_A_FILE: LazyLock<Pattern> = LazyLock::new(|| {
    Pattern::constant(
        r"^Do you want to (make this edit to|create|overwrite|write(?: to)?|edit|insert into|read|delete) (.+)\?$",
    )
});

/// The request as the dialog showed it; else by the question's own words, as the decision log keeps them.
pub fn of(q: &Question) -> Option<Cow<'_, str>> {
    if let Some(request) = q.origin.request.as_deref() {
        return Some(request.into());
    }
    let found = NAMES_A_FILE.captures(&q.prompt)?;
    let subject =
        q.subject.as_deref().filter(|subject| found.get(2).is_some_and(|file| file.as_str() == *subject))?;
    let act = match &found[1] {
        "make this edit to" | "insert into" => "edit",
        "overwrite" | "write to" => "write",
        act => act,
    };
    Some(format!("{act} {subject}").into())
}

/// The file that a request is to change, as its dialog names it.
pub fn changed(q: &Question) -> Option<String> {
    let request = of(q)?;
    let (act, path) = request.split_once(' ')?;
    (!["read", "fetch"].contains(&act)).then(|| path.to_owned())
}

/// Why nobody but a person lets one of the files below be changed.
pub(super) const STARTED: &str = "it changes what programs run by themselves";

/// Whether a file of this name, or of this folder, says what other programs run by themselves: git's hooks and settings, those of
/// agents, of shells and of editors.
pub fn is_run_by_itself(path: &str) -> bool {
    const FOLDERS: [&str; 7] = [".git", ".husky", ".claude", ".codex", ".gemini", ".opencode", ".vscode"];
    const FILES: [&str; 10] = [
        "counsel.toml",
        ".mcp.json",
        "opencode.json",
        "opencode.jsonc",
        ".envrc",
        ".bashrc",
        ".bash_profile",
        ".profile",
        ".zshrc",
        ".zshenv",
    ];
    let path = path.to_lowercase();
    let parts: Vec<&str> = path.split(['/', '\\']).filter(|part| !part.is_empty()).collect();
    let Some((name, folders)) = parts.split_last() else { return false };
    FILES.contains(name) || FOLDERS.contains(name) || folders.iter().any(|folder| FOLDERS.contains(folder))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::question::Kind;

    #[test]
    fn what_programs_run_by_themselves_is_known_by_its_path() {
        for path in [
            ".git/hooks/pre-commit",
            "src/../.git/config",
            "/p/.Git/config",
            ".git",
            ".claude/settings.local.json",
            "web/.husky/pre-push",
            ".envrc",
            "counsel.toml",
            "~/.bashrc",
        ] {
            assert!(is_run_by_itself(path), "{path}");
        }
        for path in [".gitignore", ".github/x.yml", "src/git/hooks.rs", "claude/x", "envrc", "profile", ""] {
            assert!(!is_run_by_itself(path), "{path}");
        }
    }

    #[test]
    fn what_is_read_or_fetched_is_not_changed() {
        let asked = |request: &str| {
            let mut q = Question::new(Kind::Permission, "Do you want to proceed?");
            q.origin.request = Some(request.to_owned());
            changed(&q)
        };
        assert_eq!(asked("edit src/a b.rs").as_deref(), Some("src/a b.rs"));
        assert_eq!(asked("create x").as_deref(), Some("x"));
        assert_eq!((asked("read x"), asked("fetch https://e/x"), asked("edit")), (None, None, None));
    }

    #[test]
    fn a_file_by_the_name_of_a_command_is_a_file() {
        let asked = |prompt: &str, subject: &str, request: Option<&str>| {
            let mut q = Question { subject: Some(subject.into()), ..Question::new(Kind::Permission, prompt) };
            q.origin.request = request.map(str::to_owned);
            of(&q).map(Cow::into_owned)
        };
        for (prompt, subject, told) in [
            ("Do you want to create ls?", "ls", Some("create ls")),
            ("Do you want to create git log?", "git log", Some("create git log")),
            ("Do you want to make this edit to app.py?", "app.py", Some("edit app.py")),
            ("Do you want to overwrite cat?", "cat", Some("write cat")),
            ("Do you want to proceed?", "ls", None),
            ("Do you want to create ls?", "touch x", None),
        ] {
            assert_eq!(asked(prompt, subject, None).as_deref(), told, "{prompt}");
        }
        let seen = asked("Do you want to create ls?", "ls", Some("create ../bin/ls"));
        assert_eq!(seen.as_deref(), Some("create ../bin/ls"));
    }
}
