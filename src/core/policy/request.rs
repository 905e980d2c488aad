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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::question::Kind;

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
