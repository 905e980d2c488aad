//! A tmux control client: lines out, replies and news in, each reply with what it answers.
//!
//! Owned by one agent's task. Reading and writing go on in the same turns, so that neither side can wait
//! for the other for ever.

use std::collections::VecDeque;
use std::io;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::sync::mpsc::Sender;

use crate::core::tmux::command::Line;
use crate::core::tmux::{Parser, Reply, Said};
use crate::os::tmux::Control;
use crate::session::port::FromTerminal;

/// Bytes taken from tmux at once.
const READ_BYTES: usize = 64 * 1024;

/// What a line was sent for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// Keys or a paste.
    Typed,
    /// Whether those were taken.
    Confirm,
    Size,
    /// Who else looks at the session.
    Clients,
    /// The same, and that everything printed before has been heard; so many rounds are left.
    Drain(u8),
    Capture,
    /// Only that it fails would be of interest, and it may.
    Nothing,
}

/// What tmux says, in its order.
#[derive(Debug)]
pub enum Heard {
    Answer(Purpose, Vec<Reply>),
    Said(Said),
}

#[derive(Debug)]
struct Awaited {
    purpose: Purpose,
    left: usize,
    replies: Vec<Reply>,
}

#[derive(Debug)]
pub struct ControlClient {
    control: Control,
    parser: Parser,
    awaited: VecDeque<Awaited>,
    heard: VecDeque<Heard>,
    out: Vec<u8>,
    buffer: Vec<u8>,
}

impl ControlClient {
    pub fn new(control: Control) -> ControlClient {
        ControlClient {
            control,
            parser: Parser::default(),
            awaited: VecDeque::new(),
            heard: VecDeque::new(),
            out: Vec::new(),
            buffer: vec![0; READ_BYTES],
        }
    }

    pub fn send(&mut self, line: &Line, purpose: Purpose) {
        self.out.extend_from_slice(line.text.as_bytes());
        self.out.push(b'\n');
        self.awaited.push_back(Awaited { purpose, left: line.replies, replies: Vec::new() });
    }

    /// Bytes tmux has not taken yet.
    pub fn unsent(&self) -> usize {
        self.out.len()
    }

    /// Whether a line for this purpose waits for its replies.
    pub fn awaits(&self, purpose: Purpose) -> bool {
        self.awaited.iter().any(|awaited| awaited.purpose == purpose)
    }

    /// Whether somebody waits for a drain.
    pub fn is_draining(&self) -> bool {
        self.awaited.iter().any(|awaited| matches!(awaited.purpose, Purpose::Drain(_)))
    }

    pub fn take(&mut self) -> Option<Heard> {
        self.heard.pop_front()
    }

    pub fn peek(&self) -> Option<&Heard> {
        self.heard.front()
    }

    /// Waits until there is something to `take`, and sends what waits to be sent meanwhile. An error: tmux
    /// has closed the line. Can be dropped and called again without loss.
    pub async fn listen(&mut self) -> io::Result<()> {
        while self.heard.is_empty() {
            let sending = !self.out.is_empty();
            tokio::select! {
                count = self.control.stdin.write(&self.out), if sending => {
                    self.out.drain(..count?);
                }
                count = self.control.stdout.read(&mut self.buffer) => match count? {
                    0 => return Err(io::ErrorKind::UnexpectedEof.into()),
                    count => self.hear(count),
                },
            }
        }
        Ok(())
    }

    fn hear(&mut self, count: usize) {
        for said in self.parser.push(&self.buffer[..count]) {
            let heard = match said {
                Said::Reply(reply) if !reply.ours => continue,
                Said::Reply(reply) => match answered(&mut self.awaited, reply) {
                    Some(heard) => heard,
                    None => continue,
                },
                said => Heard::Said(said),
            };
            self.heard.push_back(heard);
        }
    }
}

/// Adds a reply to the line it belongs to; tmux answers in order, and nothing of a line after a failure.
fn answered(awaited: &mut VecDeque<Awaited>, reply: Reply) -> Option<Heard> {
    let first = awaited.front_mut()?;
    first.left -= 1;
    let over = first.left == 0 || !reply.ok;
    first.replies.push(reply);
    if !over {
        return None;
    }
    let Awaited { purpose, replies, .. } = awaited.pop_front()?;
    Some(Heard::Answer(purpose, replies))
}

/// Waits until there is something to take, and for room in the hub's queue if it is output.
pub async fn hear(control: &mut Option<ControlClient>, inbox: &Sender<FromTerminal>) -> io::Result<()> {
    let Some(control) = control else { return std::future::pending().await };
    control.listen().await?;
    if matches!(control.peek(), Some(Heard::Said(Said::Output { .. }))) {
        // A flooding agent is held up by tmux, as soon as nobody reads here.
        drop(inbox.reserve().await);
    }
    Ok(())
}
