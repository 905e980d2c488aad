//! What a model writes for keys that have no letter: `\x03` for ctrl-c.
//!
//! `tools.rs` reads what is to be typed by it.

use super::super::failure::{Failure, USAGE};

/// Text in which `\r`, `\n`, `\t`, `\e`, `\\` and `\x1b` stand for characters.
pub fn unescaped(text: &str) -> Result<String, Failure> {
    let mut plain = String::new();
    let mut chars = text.chars();
    while let Some(ch) = chars.next() {
        if ch != '\\' {
            plain.push(ch);
            continue;
        }
        plain.push(match chars.next() {
            Some('r') => '\r',
            Some('n') => '\n',
            Some('t') => '\t',
            Some('e') => '\u{1b}',
            Some('\\') => '\\',
            Some('x') => {
                let hex: String = chars.by_ref().take(2).collect();
                let code = u8::from_str_radix(&hex, 16).ok().filter(|code| hex.len() == 2 && *code < 0x80);
                let what =
                    || Failure::new(USAGE, format!("'\\x{hex}' is no character; write \\x00 to \\x7f"));
                char::from(code.ok_or_else(what)?)
            }
            other => {
                let shown = other.map(String::from).unwrap_or_default();
                let what = format!("'\\{shown}' is no escape; write \\r \\n \\t \\e \\\\ or \\x03");
                return Err(Failure::new(USAGE, what));
            }
        });
    }
    Ok(plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_stand_for_characters() {
        assert_eq!(unescaped(r"a\r\x03\e\\\t").unwrap(), "a\r\u{3}\u{1b}\\\t");
        for bad in [r"\q", r"\x8", r"\xff", r"\"] {
            assert!(unescaped(bad).is_err(), "{bad}");
        }
    }
}
