//! The connection to the server inside an event loop: frames in and out, nothing blocking.
//!
//! Dashboard and attach speak through it. A request is written in the turn it was made, since a key waits for
//! nothing; a server that does not read cannot hold up the screen.

use std::collections::VecDeque;
use std::io;

use crate::os::socket::{Connection, Watched};
use crate::wire::message::{ClientMessage, ServerMessage};
use crate::wire::{Decoder, encode};

/// Bytes a person has caused and the server has not yet taken: some large pastes, and far beyond what anybody
/// types while a healthy server reads.
const MAX_UNSENT: usize = 32 * 1024 * 1024;
/// A server that reads takes what is queued within milliseconds.
const FINISH: std::time::Duration = std::time::Duration::from_secs(1);
/// Room for one read: pictures of some full screens.
const READ_SIZE: usize = 64 * 1024;
/// Read in one turn at most: keys typed meanwhile must not wait for a server that talks without end.
const MAX_TURN: usize = 1024 * 1024;

#[derive(Debug)]
pub struct Link {
    stream: Watched,
    decoder: Decoder,
    waiting: VecDeque<ServerMessage>,
    unsent: VecDeque<u8>,
    /// Nothing more will come.
    over: bool,
}

impl Link {
    /// Takes over a greeted connection; needs a running event loop.
    pub fn new(connection: Connection) -> Result<Link, String> {
        let (stream, decoder, notices) = connection.into_parts();
        let failed = |error: io::Error| format!("could not use the connection: {error}");
        let stream = Watched::new(stream).map_err(failed)?;
        let waiting = notices.into_iter().map(ServerMessage::Notice).collect();
        Ok(Link::over(stream, decoder, waiting))
    }

    fn over(stream: Watched, decoder: Decoder, waiting: VecDeque<ServerMessage>) -> Link {
        Link { stream, decoder, waiting, unsent: VecDeque::new(), over: false }
    }

    /// Writes a request, or keeps what the server does not take at once; `false` if it has stopped reading.
    pub fn send(&mut self, message: &ClientMessage) -> bool {
        let frame = encode(message);
        if self.unsent.len() + frame.len() > MAX_UNSENT {
            return false;
        }
        let written = if self.unsent.is_empty() { self.stream.write(&frame).unwrap_or(0) } else { 0 };
        self.unsent.extend(&frame[written..]);
        true
    }

    /// All messages that have come, waiting for the first; none: the connection is over. Nothing is lost if it
    /// is dropped half way.
    pub async fn receive(&mut self) -> VecDeque<ServerMessage> {
        loop {
            self.decode();
            if !self.waiting.is_empty() || self.over {
                return std::mem::take(&mut self.waiting);
            }
            let read = self.stream.read(self.decoder.room(READ_SIZE));
            if self.unsent.is_empty() {
                let count = read.await;
                self.came(count);
            } else {
                tokio::select! {
                    count = read => self.came(count),
                    room = self.stream.room() => match room {
                        Ok(()) => self.flush(),
                        Err(_) => self.over = true,
                    },
                }
            }
        }
    }

    fn decode(&mut self) {
        loop {
            match self.decoder.take() {
                Ok(Some(message)) => self.waiting.push_back(message),
                Ok(None) => return,
                Err(_) => {
                    self.over = true;
                    return;
                }
            }
        }
    }

    /// Takes what was read, and what more there is.
    fn came(&mut self, mut count: io::Result<usize>) {
        let mut taken = 0;
        loop {
            match count {
                Ok(0) | Err(_) => return self.over = true,
                Ok(count) => {
                    self.decoder.received(count);
                    taken += count;
                    if count < READ_SIZE || taken >= MAX_TURN {
                        return;
                    }
                }
            }
            count = match self.stream.read_now(self.decoder.room(READ_SIZE)) {
                Ok(None) => return,
                Ok(Some(count)) => Ok(count),
                Err(error) => Err(error),
            };
        }
    }

    fn flush(&mut self) {
        while !self.unsent.is_empty() {
            let (front, _) = self.unsent.as_slices();
            match self.stream.write(front) {
                Ok(0) => return,
                Ok(count) => drop(self.unsent.drain(..count)),
                Err(_) => return self.over = true,
            }
        }
    }

    /// Sends off what is queued and waits until the server has read it, unless it takes none of it: the last keys
    /// before the chord that leaves were typed as well, and what comes from a process that has ended is nobody's.
    pub async fn finish(mut self) {
        let all = async {
            while !self.unsent.is_empty() && !self.over && self.stream.room().await.is_ok() {
                self.flush();
            }
            self.stream.end_writing();
            // It hangs up behind the last request.
            while !self.over {
                let count = self.stream.read(self.decoder.room(READ_SIZE)).await;
                self.came(count);
                self.decode();
                self.waiting.clear();
            }
        };
        // A server that hangs is nobody's to wait for.
        let _ = tokio::time::timeout(FINISH, all).await;
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::UnixStream;

    use super::*;
    use crate::core::terminal::keys::Input;
    use crate::wire::{Notice, Request};

    fn within<T>(test: impl Future<Output = T>) -> T {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async { tokio::time::timeout(Duration::from_secs(60), test).await.unwrap() })
    }

    fn linked() -> (Link, UnixStream) {
        let (here, there) = std::os::unix::net::UnixStream::pair().unwrap();
        there.set_nonblocking(true).unwrap();
        let there = UnixStream::from_std(there).unwrap();
        (Link::over(Watched::new(here).unwrap(), Decoder::default(), VecDeque::new()), there)
    }

    fn typed(text: &str) -> ClientMessage {
        let request = Request::Keys { name: "api".into(), input: vec![Input::Text(text.into())] };
        ClientMessage { id: 0, request }
    }

    fn bell(name: &str) -> ServerMessage {
        ServerMessage::Notice(Notice::Bell { name: name.into() })
    }

    #[test]
    fn a_key_is_written_before_anything_else_is_done() {
        within(async {
            let (mut link, there) = linked();
            assert!(link.send(&typed("x")));
            there.readable().await.unwrap();
            let mut bytes = [0; 1024];
            let count = there.try_read(&mut bytes).unwrap();
            assert_eq!(bytes[..count], encode(&typed("x")));
        });
    }

    #[test]
    fn what_comes_together_is_taken_together() {
        within(async {
            let (mut link, mut there) = linked();
            let both: Vec<u8> = [bell("a"), bell("b")].iter().flat_map(encode).collect();
            there.write_all(&both).await.unwrap();
            assert_eq!(link.receive().await, [bell("a"), bell("b")]);
            drop(there);
            assert!(link.receive().await.is_empty());
        });
    }

    #[test]
    fn a_server_that_does_not_read_for_a_while_gets_everything_in_order() {
        within(async {
            let (mut link, mut there) = linked();
            let sent: Vec<ClientMessage> =
                (0..40).map(|n| typed(&n.to_string().repeat(100_000 / (1 + n / 10)))).collect();
            assert!(sent.iter().all(|message| link.send(message)));
            assert!(!link.unsent.is_empty(), "a socket takes less than that");
            let reads = tokio::spawn(async move {
                let (mut decoder, mut got) = (Decoder::default(), Vec::new());
                while let Ok(count @ 1..) = there.read(decoder.room(65_536)).await {
                    decoder.received(count);
                    while let Some(message) = decoder.take::<ClientMessage>().unwrap() {
                        got.push(message);
                    }
                }
                got
            });
            link.finish().await;
            assert_eq!(reads.await.unwrap(), sent);
        });
    }

    #[test]
    fn a_server_that_never_reads_is_told_apart() {
        within(async {
            let (mut link, _there) = linked();
            let paste = typed(&"x".repeat(1024 * 1024));
            let taken = (0..100).take_while(|_| link.send(&paste)).count();
            assert!((20..40).contains(&taken), "{taken}");
            assert!(link.unsent.len() <= MAX_UNSENT);
        });
    }
}
