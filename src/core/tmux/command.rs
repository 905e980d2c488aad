//! Lines for a control client: each is one or more commands of tmux, with exactly the bytes that are meant.
//!
//! Panes and sizes are numbers and bytes are hexadecimal or octal, so nothing an agent or a user wrote can
//! become a command. Each `Line` says how many replies tmux gives to it.

use std::fmt::Write;

use super::PaneId;
use crate::core::terminal::grid::Size;

/// A line for tmux and how many replies it gets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    pub text: String,
    pub replies: usize,
}

impl Line {
    fn one(text: String) -> Line {
        Line { text, replies: 1 }
    }
}

/// What a refused `type_bytes` prints.
pub const REFUSED: &[u8] = b"refused";
/// While one of these holds, typed bytes would not reach the program, or reach more than it: a person reads
/// in copy mode, or has turned input off, or types into several panes at once.
const TAKEN: &str = "#{?pane_in_mode,1,#{?pane_input_off,1,#{?pane_synchronized,1,#{pane_dead}}}}";
/// Bytes typed by one command; each becomes three characters.
pub const KEYS_AT_ONCE: usize = 512;
/// The buffer pastes go through.
const BUFFER: &str = "counsel";

/// Types these bytes, exactly, unless the pane does not take them.
pub fn type_bytes(pane: PaneId, bytes: &[u8]) -> Vec<Line> {
    bytes
        .chunks(KEYS_AT_ONCE)
        .map(|chunk| {
            let hex = chunk.iter().fold(String::new(), |mut text, byte| {
                let _ = write!(text, " {byte:02x}");
                text
            });
            unless_taken(pane, &format!("send-keys -t {pane} -H{hex}"))
        })
        .collect()
}

/// `if` has a reply of its own, and so has what it runs.
fn unless_taken(pane: PaneId, command: &str) -> Line {
    let text = format!("if-shell -F -t {pane} '{TAKEN}' 'display-message -p refused' '{command}'");
    Line { text, replies: 2 }
}

/// Pastes these bytes; tmux puts them into brackets if the program has asked for that, and not otherwise.
pub fn paste(pane: PaneId, bytes: &[u8]) -> Vec<Line> {
    let octal = bytes.iter().fold(String::new(), |mut text, byte| {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b' ' => text.push(char::from(*byte)),
            byte => drop(write!(text, "\\{byte:03o}")),
        }
        text
    });
    // The buffer is named for the pane: pastes into several panes must not meet in it.
    let buffer = format!("{BUFFER}-{}", pane.0);
    vec![
        Line::one(format!("set-buffer -b {buffer} -- \"{octal}\"")),
        unless_taken(pane, &format!("paste-buffer -d -p -r -b {buffer} -t {pane}")),
    ]
}

/// Gives the pane's window a size.
pub fn resize(pane: PaneId, size: Size) -> Line {
    Line::one(format!("resize-window -t {pane} -x {} -y {}", size.cols, size.rows))
}

/// Lets the window follow the clients that look at it.
pub fn follow_clients(pane: PaneId) -> Line {
    Line::one(format!("set-option -w -t {pane} window-size latest"))
}

/// Lets a paused pane go on, and captures it in the same moment.
pub fn go_on(pane: PaneId) -> Line {
    let Line { text, replies } = capture(pane);
    Line { text: format!("{text} ; refresh-client -A '{pane}:continue'"), replies: replies + 1 }
}

/// The pane's size, as `COLSxROWS`.
pub fn ask_size(pane: PaneId) -> Line {
    Line::one(format!("display-message -p -t {pane} '#{{pane_width}}x#{{pane_height}}'"))
}

/// Its reply comes behind those to all before it.
pub fn ask_nothing(pane: PaneId) -> Line {
    Line::one(format!("display-message -p -t {pane} ''"))
}

/// Every client of the server, with what `restore::clients` reads.
pub fn ask_clients() -> Line {
    Line::one("list-clients -F '#{client_control_mode} #{client_activity} #{pane_id} #{client_name}'".into())
}

/// Everything needed to draw the pane as it stands. tmux runs the commands of one line without looking at
/// any pane in between: output before the replies is in the picture, output after them is not.
pub fn capture(pane: PaneId) -> Line {
    let state = super::restore::STATE;
    let mut text = format!("display-message -p -t {pane} '{state}'");
    // What is shown, the main screen under an alternate one, a sequence the program has begun, the history.
    let parts = ["-peN", "-aqpeN", "-pPC", "-peJ -S - -E -1"];
    for flags in parts {
        let _ = write!(text, " ; capture-pane {flags} -t {pane}");
    }
    Line { text, replies: 1 + parts.len() }
}
