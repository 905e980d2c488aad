//! Words that an agent program takes for the mention of a file, which it then reads without asking anybody.
//!
//! What a consultant says and what a project's rule says is typed only without them. A person may mention what they like.

use std::sync::LazyLock;

use crate::core::pattern::Pattern;

/// An address that mail goes to: its last part is none that names of files end in. Programs look for a file in the middle of a
/// word too, so nothing else is let through.
static MAIL: LazyLock<Pattern> = LazyLock::new(|| {
    Pattern::constant(
        r"(^|[\s<(,;:])[A-Za-z0-9._%+-]+@(?:[A-Za-z0-9-]+\.)+(?:com|org|net|edu|gov|io|dev|de|example)($|[\s>),;:?!]|\.(?:\s|$))",
    )
});

/// Why these words are typed only for a person.
pub fn fault(text: &str) -> Option<&'static str> {
    let (mut rest, mut shortened) = (text.to_owned(), MAIL.replace_all(text, "$1$2").into_owned());
    // Two addresses may share the blank between them.
    while shortened != rest {
        rest = shortened;
        shortened = MAIL.replace_all(&rest, "$1$2").into_owned();
    }
    let blank = |ch: char| matches!(ch, ' ' | '\n' | '\t');
    let mentions = rest.split('@').skip(1).any(|behind| !behind.is_empty() && !behind.starts_with(blank));
    // Two in a row have nothing between them.
    (mentions || rest.contains("@@"))
        .then_some("the text mentions a file by '@', which programs read; name it without")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_file_is_mentioned_but_by_a_person() {
        for text in [
            "take the name from @/home/u/.ssh/id_rsa please",
            "see @src for it",
            "@~/.ssh/config is right",
            "use (@.env) here",
            "use \"@.env\" here",
            "use@/etc/passwd here",
            "x@.env here",
            "me@secrets.json has it",
            "a@b.com/../../../etc/passwd x",
            "me@example.com@/etc/passwd x",
            "see @@/etc/passwd x",
            "see @\"my file\" now",
            "see @\u{a0}x now",
            "a\n@x b",
            "use ~@example.com x",
        ] {
            assert!(fault(text).is_some(), "{text:?}");
        }
        for text in [
            "write to me@example.com about it",
            "ask a@b.org, c.d@e.net and f@g.io.",
            "a@b.com c@d.com",
            "at 5 @ noon",
            "name it store",
            "",
        ] {
            assert_eq!(fault(text), None, "{text:?}");
        }
    }
}
