//! The connection to the server inside an event loop: frames in and out, nothing blocking.
//!
//! Dashboard and attach read messages from it. A server that does not read cannot hold up the screen.

use std::collections::VecDeque;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::UnixStream;
use tokio::net::unix::{OwnedReadHalf, OwnedWriteHalf};
use tokio::sync::mpsc;

use crate::os::socket::Connection;
use crate::wire::message::{ClientMessage, ServerMessage};
use crate::wire::{Decoder, encode};

/// Messages a person has caused and the server has not yet read. Far beyond what anybody types while a
/// healthy server reads.
const MAX_UNSENT: usize = 1024;
/// A server that reads takes what is queued within milliseconds.
const FINISH: std::time::Duration = std::time::Duration::from_secs(1);
/// A picture of a full screen fits.
const READ_SIZE: usize = 64 * 1024;

#[derive(Debug)]
pub struct Line {
    reader: OwnedReadHalf,
    decoder: Decoder,
    waiting: VecDeque<ServerMessage>,
    outgoing: mpsc::Sender<Vec<u8>>,
    writer: tokio::task::JoinHandle<()>,
}

impl Line {
    /// Takes over a greeted connection; needs a running event loop.
    pub fn new(connection: Connection) -> Result<Line, String> {
        let (stream, decoder, notices) = connection.into_parts();
        let failed = |error: std::io::Error| format!("could not use the connection: {error}");
        stream.set_nonblocking(true).map_err(failed)?;
        let (reader, writer) = UnixStream::from_std(stream).map_err(failed)?.into_split();
        let (outgoing, queue) = mpsc::channel(MAX_UNSENT);
        let writer = tokio::spawn(write(writer, queue));
        let waiting = notices.into_iter().map(ServerMessage::Notice).collect();
        Ok(Line { reader, decoder, waiting, outgoing, writer })
    }

    /// The next message; `None` when the connection is over. Nothing is lost if it is dropped half way.
    pub async fn next(&mut self) -> Option<ServerMessage> {
        loop {
            if let Some(message) = self.waiting.pop_front() {
                return Some(message);
            }
            match self.decoder.take() {
                Ok(Some(message)) => return Some(message),
                Ok(None) => {}
                Err(_) => return None,
            }
            let mut buffer = vec![0; READ_SIZE];
            match self.reader.read(&mut buffer).await {
                Ok(0) | Err(_) => return None,
                Ok(n) => self.decoder.push(&buffer[..n]),
            }
        }
    }

    /// A message that is here already.
    pub fn ready(&mut self) -> Option<ServerMessage> {
        self.waiting.pop_front().or_else(|| self.decoder.take().ok().flatten())
    }

    /// Sends off what is queued, unless the server takes none of it: the last keys before the chord that
    /// leaves were typed as well.
    pub async fn finish(self) {
        drop(self.outgoing);
        // A server that hangs is nobody's to wait for.
        let _ = tokio::time::timeout(FINISH, self.writer).await;
    }

    /// Queues a request; `false` if the server has stopped reading.
    pub fn send(&self, message: &ClientMessage) -> bool {
        self.outgoing.try_send(encode(message)).is_ok()
    }
}

async fn write(mut writer: OwnedWriteHalf, mut queue: mpsc::Receiver<Vec<u8>>) {
    while let Some(frame) = queue.recv().await {
        if writer.write_all(&frame).await.is_err() {
            return;
        }
    }
}
