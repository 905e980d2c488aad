//! Calling a person through the terminal they sit at: a notification where the terminal has one. The bell rings in any
//! case, elsewhere; in tmux it marks the window, and the status line is drawn at once.
//!
//! Dashboard and attach use it. The words come from the server as plain text; they are cleaned here once
//! more, since this is the one place where words about an agent reach the terminal outside a cell.

use std::process::{Command, Stdio};

use crate::core::log::redact::clean;
use crate::core::policy::Notify;
use crate::core::policy::notify::Terminal;

const BELL: u8 = 0x07;
/// As much as terminals show of one.
const LONGEST: usize = 200;

/// How a terminal takes a notification.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Way {
    /// iTerm2's, which several took over.
    Osc9,
    /// urxvt's: ghostty, WezTerm, foot.
    Osc777,
    /// kitty's.
    Osc99,
    /// The terminal is tmux, which marks the window at a bell.
    Tmux,
    /// The bell alone.
    None,
}

impl Way {
    /// By what the terminal says of itself in the environment.
    pub fn of(var: impl Fn(&str) -> Option<String>) -> Way {
        let program = var("TERM_PROGRAM").unwrap_or_default();
        let term = var("TERM").unwrap_or_default();
        if var("TMUX").is_some_and(|tmux| !tmux.is_empty()) {
            return Way::Tmux;
        }
        match program.as_str() {
            "iTerm.app" => return Way::Osc9,
            "ghostty" | "WezTerm" => return Way::Osc777,
            _ => {}
        }
        match term.as_str() {
            "xterm-kitty" => Way::Osc99,
            "xterm-ghostty" | "foot" | "foot-extra" => Way::Osc777,
            _ if var("KITTY_WINDOW_ID").is_some() => Way::Osc99,
            _ => Way::None,
        }
    }

    /// As a person has chosen, else as the terminal is known to take it.
    pub fn chosen(by: Terminal, var: impl Fn(&str) -> Option<String>) -> Way {
        match by {
            Terminal::Auto => Way::of(var),
            Terminal::Osc9 => Way::Osc9,
            Terminal::Osc777 => Way::Osc777,
            Terminal::Osc99 => Way::Osc99,
            Terminal::None => Way::None,
        }
    }

    /// What is written to the terminal.
    pub fn bytes(self, text: &str) -> Vec<u8> {
        let text = plain(text);
        match self {
            // A text that began with a number would be a command of ConEmu's.
            Way::Osc9 => format!("\x1b]9;counsel: {text}\x1b\\").into_bytes(),
            Way::Osc777 => format!("\x1b]777;notify;counsel;{}\x1b\\", text.replace(';', ",")).into_bytes(),
            Way::Osc99 => format!("\x1b]99;i=counsel:d=1:e=1;{}\x1b\\", base64(text.as_bytes())).into_bytes(),
            Way::Tmux | Way::None => Vec::new(),
        }
    }
}

/// What is written to call a person who wants to be called so, at this minute of the day.
pub fn call(notify: &Notify, way: Way, minute: u16, text: &str) -> Vec<u8> {
    if notify.quiet(minute) {
        return Vec::new();
    }
    let mut bytes = way.bytes(text);
    bytes.extend(notify.bell.then_some(BELL));
    bytes
}

/// One line without anything that acts on a terminal.
fn plain(text: &str) -> String {
    let line = clean(text).split_whitespace().collect::<Vec<&str>>().join(" ");
    line.chars().filter(|ch| !ch.is_control()).take(LONGEST).collect()
}

/// Has the tmux around us draw its status line now, where counsel's own segment counts who needs a person; nobody waits
/// for it. No message is shown there: for as long as it stood tmux would hold back every pane and every key.
pub fn refresh_tmux() {
    let told = Command::new("tmux")
        .args(["refresh-client", "-S"])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn();
    if let Ok(mut told) = told {
        // Without a thread it is left to whoever takes care of this program's children when that ends.
        let _ = std::thread::Builder::new().spawn(move || drop(told.wait()));
    }
}

fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let letter = |bits: u32| char::from(LETTERS[(bits & 63) as usize]);
    let mut out = String::new();
    for three in bytes.chunks(3) {
        let byte = |at: usize| u32::from(three.get(at).copied().unwrap_or(0));
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        let four = [letter(bits >> 18), letter(bits >> 12), letter(bits >> 6), letter(bits)];
        out.extend(four.iter().take(three.len() + 1));
        out.push_str(&"=".repeat(3 - three.len()));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn way(vars: &[(&str, &str)]) -> Way {
        Way::of(|name| vars.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned()))
    }

    #[test]
    fn each_terminal_is_told_in_its_own_way() {
        assert_eq!(way(&[("TERM_PROGRAM", "iTerm.app")]), Way::Osc9);
        assert_eq!(way(&[("TERM_PROGRAM", "ghostty"), ("TERM", "xterm-ghostty")]), Way::Osc777);
        assert_eq!(way(&[("TERM", "xterm-kitty")]), Way::Osc99);
        assert_eq!(way(&[("TERM", "xterm-256color"), ("KITTY_WINDOW_ID", "1")]), Way::Osc99);
        assert_eq!(way(&[("TERM", "xterm-256color")]), Way::None);
        assert_eq!(way(&[("TMUX", "/tmp/t,1,0"), ("TERM_PROGRAM", "tmux")]), Way::Tmux);
    }

    #[test]
    fn a_person_is_called_as_they_want_and_left_alone_in_their_quiet_hours() {
        let told = |notify: &Notify, minute| call(notify, Way::Osc9, minute, "api asks");
        assert_eq!(told(&Notify::default(), 0), b"\x1b]9;counsel: api asks\x1b\\\x07");
        let silent = Notify { bell: false, ..Notify::default() };
        assert_eq!(told(&silent, 0), b"\x1b]9;counsel: api asks\x1b\\");
        let asleep = Notify { quiet_hours: Some("22:00-07:00".parse().unwrap()), ..Notify::default() };
        assert_eq!((told(&asleep, 23 * 60).len(), told(&asleep, 12 * 60).is_empty()), (0, false));
        let kitty = |name: &str| (name == "TERM").then(|| "xterm-kitty".to_owned());
        assert_eq!(Way::chosen(Terminal::Auto, kitty), Way::Osc99);
        assert_eq!(Way::chosen(Terminal::Osc777, kitty), Way::Osc777);
        assert_eq!(Way::chosen(Terminal::None, kitty), Way::None);
    }

    #[test]
    fn words_cannot_leave_their_sequence() {
        let hostile = "api: \x1b]0;title\x07 \x1b\\ \x07 a;b\u{9c}\u{9b}31m\r\n\u{202e}c #(touch x)";
        for way in [Way::Osc9, Way::Osc777, Way::Osc99] {
            let bytes = way.bytes(hostile);
            let inside = &bytes[2..bytes.len() - 2];
            assert!(bytes.starts_with(b"\x1b]") && bytes.ends_with(b"\x1b\\"));
            assert!(inside.iter().all(|byte| *byte >= 0x20 && *byte != 0x7f), "{bytes:?}");
            assert!(!String::from_utf8(bytes).unwrap().contains(['\u{9b}', '\u{9c}', '\u{202e}']));
        }
        assert_eq!(Way::Osc777.bytes("a;b"), b"\x1b]777;notify;counsel;a,b\x1b\\");
        assert_eq!(Way::Osc9.bytes("4;3"), b"\x1b]9;counsel: 4;3\x1b\\");
        assert_eq!(Way::Osc99.bytes("hello"), b"\x1b]99;i=counsel:d=1:e=1;aGVsbG8=\x1b\\");
        assert!(Way::None.bytes("x").is_empty());
        assert!(Way::Osc9.bytes(&"x".repeat(5_000)).len() < 300);
    }
}
