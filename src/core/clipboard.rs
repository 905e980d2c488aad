//! What becomes of an agent's wish to put something on the clipboard (OSC 52) of whoever looks at it.
//!
//! What lies there is pasted elsewhere without a look: into a shell, into a form. Dashboard and attach ask here. Pure.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Serialize};

use super::visible::visible;

/// `[security] clipboard`, the least strict first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Clipboard {
    Allow,
    /// A person says yes to each.
    #[default]
    Ask,
    Deny,
}

/// Larger than anything a person copies to paste it; most terminals take no more.
pub const MAX_BASE64: usize = 100_000;
/// Of the text so much is shown, in characters: a line of a status line.
const SHOWN: usize = 40;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Judged {
    Copy,
    Ask,
    /// And why.
    Refused(&'static str),
}

impl Clipboard {
    /// `data`: base64, as the agent sent it.
    pub fn judge(self, data: &str) -> Judged {
        match self {
            _ if data.len() > MAX_BASE64 => Judged::Refused("it is too long for one"),
            _ if STANDARD.decode(data).is_err() => Judged::Refused("it is no base64"),
            Clipboard::Allow => Judged::Copy,
            Clipboard::Ask => Judged::Ask,
            Clipboard::Deny => Judged::Refused("[security] clipboard = \"deny\""),
        }
    }
}

/// What an agent wants there, on one line: its beginning, and how long it is.
pub fn shown(data: &str) -> String {
    let bytes = STANDARD.decode(data).unwrap_or_default();
    let text = String::from_utf8_lossy(&bytes);
    let count = text.chars().count();
    let start: String = text.chars().take(SHOWN).collect();
    let more = if count > SHOWN { "…" } else { "" };
    format!("'{}{more}' ({count} characters)", visible(&start))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_too_long_or_no_base64_is_copied_at_no_setting() {
        let long = STANDARD.encode("x".repeat(MAX_BASE64));
        for clipboard in [Clipboard::Allow, Clipboard::Ask, Clipboard::Deny] {
            for data in [long.as_str(), "\x1b[31m", "not base64!"] {
                assert!(matches!(clipboard.judge(data), Judged::Refused(_)), "{clipboard:?}");
            }
        }
        let data = STANDARD.encode("ls");
        assert_eq!(
            [Clipboard::Allow, Clipboard::default()].map(|clipboard| clipboard.judge(&data)),
            [Judged::Copy, Judged::Ask]
        );
        assert!(matches!(Clipboard::Deny.judge(&data), Judged::Refused(_)));
    }

    #[test]
    fn what_is_shown_of_it_is_clean_and_short() {
        let data = STANDARD.encode("rm -rf ~\r\u{202e}x");
        assert_eq!(shown(&data), "'rm -rf ~\\u{d}\\u{202e}x' (11 characters)");
        assert!(shown(&STANDARD.encode("y".repeat(100))).contains("…' (100 characters)"));
    }
}
