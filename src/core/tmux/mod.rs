//! tmux's control mode: what it says, line by line, and how it is told what to do.
//!
//! `server/tmux_io.rs` feeds the bytes of a control client to a `Parser` and writes the lines made by
//! `command`; `restore` turns a captured pane into bytes for the emulator. Nothing here knows a process
//! or a socket. What an agent prints must never be taken for a word of tmux: it arrives escaped, on a line
//! that begins with `%output`.

pub mod command;
pub mod restore;

use std::path::PathBuf;

use crate::core::terminal::grid::Size;

/// The terminal of a pane.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PaneTty {
    pub path: PathBuf,
    /// The process the pane was started with, which leads the terminal's session.
    pub leader: u32,
    /// The program of it that was adopted, where that is not the one the pane was started with.
    pub program: Option<u32>,
}

/// A pane of one tmux server: `%5`. Never given twice while that server lives.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PaneId(pub u32);

impl std::fmt::Display for PaneId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "%{}", self.0)
    }
}

impl std::str::FromStr for PaneId {
    type Err = String;

    fn from_str(text: &str) -> Result<PaneId, String> {
        let number = text.strip_prefix('%').and_then(|digits| digits.parse().ok());
        number.map(PaneId).ok_or_else(|| format!("'{text}' is no pane of tmux"))
    }
}

/// The answer to one command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reply {
    pub number: u64,
    /// To a command of this client; tmux also reports what its hooks and the attaching itself did.
    pub ours: bool,
    pub ok: bool,
    pub lines: Vec<Vec<u8>>,
}

impl Reply {
    /// As one text, for an error message.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.lines.join(&b' ')).into_owned()
    }
}

/// One thing a control client is told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Said {
    Reply(Reply),
    /// Bytes a program wrote, as it wrote them.
    Output {
        pane: PaneId,
        bytes: Vec<u8>,
    },
    /// This client was too slow: what the pane prints from here on is withheld, until `continue`.
    Paused(PaneId),
    Continued(PaneId),
    /// The sizes of a window's panes may have changed.
    Layout {
        sizes: Vec<(PaneId, Size)>,
    },
    /// Somebody entered or left copy mode or the like.
    ModeChanged(PaneId),
    /// Panes, windows or sessions came, went or moved.
    Moved,
    /// A client was attached, or shows another session.
    ClientCame {
        client: String,
        session: String,
    },
    ClientLeft {
        client: String,
    },
    /// The client ends; why, if tmux says.
    Exit(String),
    /// Anything else.
    Other(String),
}

/// What an agent's keeper writes into its terminal once the agent has ended: all output before it is the
/// agent's. A sequence of ours that no terminal shows, after a byte that breaks off any the agent had begun.
pub const END_OF_OUTPUT: &[u8] = b"\x18\x1b]7799;counsel;end\x1b\\";

/// A line longer than this is no line of tmux's; it writes at most a few kilobytes of output at once.
const LONGEST_LINE: usize = 16 * 1024 * 1024;

/// Takes a control client's bytes apart. Split anywhere.
#[derive(Debug, Default)]
pub struct Parser {
    rest: Vec<u8>,
    /// Bytes of `rest` that hold no line end.
    searched: usize,
    block: Option<Block>,
}

/// A reply whose end has not come yet.
#[derive(Debug)]
struct Block {
    /// Time, number and flags: they come again, the same, on the line that ends it.
    guard: Vec<u8>,
    number: u64,
    ours: bool,
    lines: Vec<Vec<u8>>,
}

impl Parser {
    /// What these bytes complete, in order.
    pub fn push(&mut self, bytes: &[u8]) -> Vec<Said> {
        self.rest.extend_from_slice(bytes);
        let mut said = Vec::new();
        let mut from = 0;
        while let Some(length) = self.rest[self.searched.max(from)..].iter().position(|b| *b == b'\n') {
            let end = self.searched.max(from) + length;
            let mut line = &self.rest[from..end];
            if line.last() == Some(&b'\r') {
                line = &line[..line.len() - 1];
            }
            said.extend(take_line(&mut self.block, line));
            from = end + 1;
            self.searched = from;
        }
        self.rest.drain(..from);
        self.searched = self.rest.len();
        if self.rest.len() > LONGEST_LINE {
            self.rest.clear();
            self.searched = 0;
        }
        said
    }
}

fn take_line(block: &mut Option<Block>, line: &[u8]) -> Option<Said> {
    if let Some(open) = block {
        let end = line.strip_prefix(b"%end ").map(|guard| (guard, true));
        let end = end.or_else(|| line.strip_prefix(b"%error ").map(|guard| (guard, false)));
        let Some((_, ok)) = end.filter(|(guard, _)| *guard == open.guard) else {
            open.lines.push(line.to_vec());
            return None;
        };
        let Block { number, ours, lines, .. } = block.take()?;
        return Some(Said::Reply(Reply { number, ours, ok, lines }));
    }
    if let Some(guard) = line.strip_prefix(b"%begin ") {
        let text = String::from_utf8_lossy(guard).into_owned();
        let mut words = text.split(' ').skip(1);
        let number = words.next().and_then(|word| word.parse().ok()).unwrap_or(0);
        let ours = words.next().is_some_and(|flags| flags != "0");
        *block = Some(Block { guard: guard.to_vec(), number, ours, lines: Vec::new() });
        return None;
    }
    Some(notification(line))
}

fn notification(line: &[u8]) -> Said {
    output(line, b"%output ", false).or_else(|| output(line, b"%extended-output ", true)).unwrap_or_else(
        || {
            let line = String::from_utf8_lossy(line);
            let (word, rest) = line.split_once(' ').unwrap_or((&line, ""));
            word_said(word, rest).unwrap_or_else(|| Said::Other(line.clone().into_owned()))
        },
    )
}

/// `%output %0 bytes`, or `%extended-output %0 age … : bytes`.
fn output(line: &[u8], word: &[u8], extended: bool) -> Option<Said> {
    let rest = line.strip_prefix(word)?;
    let space = rest.iter().position(|b| *b == b' ')?;
    let pane = std::str::from_utf8(&rest[..space]).ok()?.parse().ok()?;
    let mut data = &rest[space + 1..];
    if extended {
        let colon = data.windows(2).position(|two| two == b": ").or_else(|| {
            // A field list that ends the line: no bytes at all.
            (data.last() == Some(&b':')).then(|| data.len() - 1)
        })?;
        data = data.get(colon + 2..).unwrap_or_default();
    }
    Some(Said::Output { pane, bytes: unescape(data) })
}

fn word_said(word: &str, rest: &str) -> Option<Said> {
    let first = rest.split(' ').next().unwrap_or_default();
    Some(match word {
        "%pause" => Said::Paused(first.parse().ok()?),
        "%continue" => Said::Continued(first.parse().ok()?),
        "%pane-mode-changed" => Said::ModeChanged(first.parse().ok()?),
        "%exit" => Said::Exit(rest.to_owned()),
        "%layout-change" => {
            // The visible layout is the one that counts while a pane is zoomed.
            let layouts: Vec<&str> = rest.split(' ').skip(1).take(2).collect();
            Said::Layout { sizes: sizes(layouts.last()?) }
        }
        "%window-close" | "%unlinked-window-close" | "%window-add" | "%unlinked-window-add" => Said::Moved,
        "%sessions-changed" | "%session-changed" | "%session-window-changed" => Said::Moved,
        "%window-pane-changed" => Said::Moved,
        "%client-session-changed" => {
            let session = rest.split(' ').nth(1)?;
            Said::ClientCame { client: first.to_owned(), session: session.to_owned() }
        }
        "%client-detached" => Said::ClientLeft { client: first.to_owned() },
        _ => return None,
    })
}

/// The panes of a layout: each leaf is `COLSxROWS,X,Y,ID`, a branch has `{` or `[` where the id would be.
fn sizes(layout: &str) -> Vec<(PaneId, Size)> {
    let mut found = Vec::new();
    let pieces = layout.split(['{', '}', '[', ']']);
    for piece in pieces {
        let fields: Vec<&str> = piece.split(',').filter(|field| !field.is_empty()).collect();
        for (at, field) in fields.iter().enumerate() {
            let Some((cols, rows)) = field.split_once('x') else { continue };
            let (Ok(cols), Ok(rows)) = (cols.parse(), rows.parse()) else { continue };
            let number = fields.get(at + 3).filter(|next| !next.contains('x'));
            if let Some(id) = number.and_then(|id| id.parse().ok()) {
                found.push((PaneId(id), Size::new(cols, rows)));
            }
        }
    }
    found
}

/// Undoes tmux's escaping: control characters and the backslash come as a backslash and three octal
/// digits. Whatever is no such escape stays as it is.
pub fn unescape(data: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(data.len());
    let mut at = 0;
    while at < data.len() {
        match octal(&data[at..]) {
            Some(byte) => {
                bytes.push(byte);
                at += 4;
            }
            None => {
                bytes.push(data[at]);
                at += 1;
            }
        }
    }
    bytes
}

fn octal(data: &[u8]) -> Option<u8> {
    let [b'\\', digits @ ..] = data else { return None };
    let digits = digits.get(..3)?;
    let value = digits.iter().try_fold(0u16, |value, digit| {
        (b'0'..=b'7').contains(digit).then(|| value * 8 + u16::from(digit - b'0'))
    });
    u8::try_from(value?).ok()
}

#[cfg(test)]
#[path = "tmux_tests.rs"]
mod tests;
