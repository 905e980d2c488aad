//! What a program may type into an agent: so much, so fast, and nothing that could change a terminal.
//!
//! A session asks before it types what `send` or a tool brought. A person at the dashboard or in attach is not asked. A paste
//! may be long, for it is a person's file: `send` and the tools take no other.

use crate::core::terminal::keys::Input;

/// One message: more is a document, which is pasted.
pub const MESSAGE_BYTES: usize = 2 * 1024;
/// A second of typing. A program reads that at leisure; more is a flood that nobody can follow.
pub const SECOND_BYTES: u64 = 10 * 1024;

/// The largest paste.
pub const PASTE_BYTES: usize = 8 * 1024 * 1024;
/// What is put around one.
pub const BRACKETS: usize = "\x1b[200~\x1b[201~".len();

/// Why a message is not taken.
pub fn too_long(bytes: usize) -> String {
    format!(
        "{bytes} bytes are too many; one message holds {MESSAGE_BYTES}, a paste of a file (--paste - < FILE) 8 MiB"
    )
}

/// How much may be typed at the moment. It fills again with time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TypingLimit {
    left: u64,
    at_ms: u64,
}

impl TypingLimit {
    pub fn new(now_ms: u64) -> TypingLimit {
        TypingLimit { left: SECOND_BYTES, at_ms: now_ms }
    }

    /// Takes it off what may be typed.
    ///
    /// # Errors
    /// Why it must not be typed; then nothing of it is.
    pub fn take(&mut self, input: &[Input], now_ms: u64) -> Result<(), String> {
        let bytes: usize = input.iter().map(length).sum();
        if bytes > MESSAGE_BYTES {
            return Err(too_long(bytes));
        }
        if let Some(what) = input.iter().find_map(forbidden) {
            return Err(format!("it holds {what}, which could change the terminal of whoever shows it"));
        }
        let filled = self.left + (now_ms.saturating_sub(self.at_ms)).saturating_mul(SECOND_BYTES) / 1000;
        (self.left, self.at_ms) = (filled.min(SECOND_BYTES), now_ms);
        match self.left.checked_sub(bytes as u64) {
            Some(left) => {
                self.left = left;
                Ok(())
            }
            None => Err(format!("more than {SECOND_BYTES} bytes within a second; send it more slowly")),
        }
    }
}

fn length(input: &Input) -> usize {
    match input {
        Input::Text(text) => text.len(),
        Input::Raw(bytes) => bytes.len(),
        // A key is a few bytes; how many the program's modes decide.
        Input::Key(_) => 1,
        Input::Paste(_) | Input::Mouse(_) | Input::Focus(_) => 0,
    }
}

/// Strings that terminals act upon, as they are introduced: behind ESC, and as one character.
const STRINGS: [(u8, char, &str); 5] = [
    (b']', '\u{9d}', "an OSC sequence (title, clipboard)"),
    (b'P', '\u{90}', "a DCS sequence"),
    (b'_', '\u{9f}', "an APC sequence"),
    (b'^', '\u{9e}', "a PM sequence"),
    (b'X', '\u{98}', "an SOS sequence"),
];

const REMAPS: &str = "a sequence that changes what keys send";

/// What of it no program may type.
fn forbidden(input: &Input) -> Option<&'static str> {
    match input {
        // Without its brackets a paste is typing.
        Input::Text(text) | Input::Paste(text) => in_bytes(text.as_bytes()).or_else(|| {
            let single =
                |(_, single, what): &(u8, char, &'static str)| text.contains(*single).then_some(*what);
            STRINGS.iter().find_map(single)
        }),
        Input::Raw(bytes) => in_bytes(bytes),
        Input::Key(_) | Input::Mouse(_) | Input::Focus(_) => None,
    }
}

fn in_bytes(bytes: &[u8]) -> Option<&'static str> {
    bytes.iter().enumerate().filter(|(_, byte)| **byte == 0x1b).find_map(|(at, _)| {
        let rest = &bytes[at + 1..];
        let next = *rest.first()?;
        let string = STRINGS.iter().find(|(introducer, ..)| *introducer == next).map(|(.., what)| *what);
        string.or_else(|| (next == b'[' && remaps(&rest[1..])).then_some(REMAPS))
    })
}

/// The rest of a CSI sequence that gives keys another meaning: `p` with a string or a private mark (ANSI.SYS, DECPKFMR), `m`
/// and `u` behind `>`, `<` or `=` (modifyOtherKeys, the kitty keyboard).
fn remaps(rest: &[u8]) -> bool {
    let Some(end) = rest.iter().position(|byte| byte.is_ascii_alphabetic()) else { return false };
    let parameters = &rest[..end];
    match rest[end] {
        b'p' => parameters.iter().any(|byte| !byte.is_ascii_digit() && *byte != b'!'),
        b'm' | b'u' => matches!(parameters.first(), Some(b'>' | b'<' | b'=')),
        _ => parameters.contains(&b'"'),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::terminal::keys::KeyPress;

    fn text(text: &str) -> Vec<Input> {
        vec![Input::Text(text.into())]
    }

    #[test]
    fn what_changes_a_terminal_is_refused_and_keys_are_not() {
        for bad in [
            "\x1b]0;title\x07",
            "x\x1b]52;c;aGk=\x1b\\",
            "\x1bP1$r\x1b\\",
            "\x1b_G\x1b\\",
            "\u{9d}0;t\u{9c}",
            "\x1b[0;59;\"rm\"p",
            "\x1b[>4;2m",
            "\x1b[=5;1u",
        ] {
            assert!(TypingLimit::new(0).take(&text(bad), 0).is_err(), "{bad:?}");
            assert!(TypingLimit::new(0).take(&[Input::Paste(bad.into())], 0).is_err(), "{bad:?}");
            let raw = vec![Input::Raw(bad.as_bytes().to_vec())];
            assert_eq!(TypingLimit::new(0).take(&raw, 0).is_err(), !bad.starts_with('\u{9d}'), "{bad:?}");
        }
        for good in ["\x1b", "\x1b[A", "\x1b[1;5D", "\x1bOP", "\x1b[200~x\x1b[201~", "é漢", "\x1b[97;5u", ""]
        {
            assert_eq!(TypingLimit::new(0).take(&text(good), 0), Ok(()), "{good:?}");
        }
    }

    #[test]
    fn a_message_and_a_second_have_their_limits_and_a_paste_has_none() {
        let mut limit = TypingLimit::new(0);
        assert!(limit.take(&text(&"x".repeat(MESSAGE_BYTES + 1)), 0).is_err());
        for _ in 0..5 {
            assert_eq!(limit.take(&text(&"x".repeat(MESSAGE_BYTES)), 0), Ok(()));
        }
        assert!(limit.take(&[Input::Key(KeyPress::parse("a").unwrap())], 0).is_err());
        assert_eq!(limit.take(&[Input::Paste("x".repeat(1 << 20))], 0), Ok(()));
        assert!(limit.take(&text(&"x".repeat(2000)), 100).is_err(), "a tenth of a second fills a tenth");
        assert_eq!(limit.take(&text(&"x".repeat(2000)), 300), Ok(()));
    }
}
