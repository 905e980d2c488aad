//! The connection to the server beside a terminal: frames in and out, nothing blocking.
//!
//! Dashboard and attach speak through it. A request is written in the turn it was made, since a key waits for
//! nothing; a server that does not read cannot hold up the screen.

use std::collections::VecDeque;
use std::io::{self, Read, Write};
use std::net::Shutdown;
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream;
use std::time::{Duration, Instant};

use crate::os::poll::{Ready, Want, wait};
use crate::os::socket::{Connection, is_all_read, without_waiting};
use crate::wire::message::{ClientMessage, Request, ServerMessage};
use crate::wire::{Decoder, encode};

/// Bytes a person has caused and the server has not yet taken: some large pastes, and far beyond what anybody
/// types while a healthy server reads.
const MAX_UNSENT: usize = 32 * 1024 * 1024;
/// A server that reads takes what is queued within milliseconds.
const FINISH: Duration = Duration::from_secs(1);
/// Room for one read: pictures of some full screens.
const READ_SIZE: usize = 64 * 1024;
/// Read in one turn at most: keys typed meanwhile must not wait for a server that talks without end.
const MAX_TURN: usize = 1024 * 1024;

#[derive(Debug)]
pub struct Link {
    stream: UnixStream,
    decoder: Decoder,
    waiting: VecDeque<ServerMessage>,
    unsent: VecDeque<u8>,
    /// Frames that the server may not have read: the keys in them, if any, and their length.
    unread: VecDeque<(Option<Request>, usize)>,
    /// Nothing more will come.
    over: bool,
    /// The server has left something unread.
    reset: bool,
}

/// Keys that were given to a connection which is over.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct LostKeys {
    /// It is not known whether the server has read these. They came before the others.
    pub doubtful: Vec<Request>,
    /// No server has.
    pub unread: Vec<Request>,
}

impl Link {
    /// Takes over a greeted connection.
    pub fn new(connection: Connection) -> Result<Link, String> {
        let (stream, decoder, notices) = connection.into_parts();
        let waiting = notices.into_iter().map(ServerMessage::Notice).collect();
        let link = Link::over(stream, decoder, waiting);
        link.map_err(|error| format!("could not use the connection: {error}"))
    }

    fn over(stream: UnixStream, decoder: Decoder, waiting: VecDeque<ServerMessage>) -> io::Result<Link> {
        stream.set_nonblocking(true)?;
        let (unsent, unread) = (VecDeque::new(), VecDeque::new());
        let mut link = Link { stream, decoder, waiting, unsent, unread, over: false, reset: false };
        link.decode();
        Ok(link)
    }

    /// Writes a request, or keeps what the server does not take at once; `false` if it has stopped reading.
    pub fn send(&mut self, message: &ClientMessage) -> bool {
        let frame = encode(message);
        if self.unsent.len() + frame.len() > MAX_UNSENT {
            return false;
        }
        if self.unsent.is_empty() && is_all_read(&self.stream).unwrap_or(true) {
            self.unread.clear();
        }
        let keys = matches!(message.request, Request::Keys { .. }).then(|| message.request.clone());
        self.unread.push_back((keys, frame.len()));
        let written = if self.unsent.is_empty() { self.write(&frame).unwrap_or(0) } else { 0 };
        self.unsent.extend(&frame[written..]);
        true
    }

    /// What it has to be asked for.
    pub fn fd(&self) -> (BorrowedFd<'_>, Want) {
        (self.stream.as_fd(), if self.unsent.is_empty() { Want::ToRead } else { Want::ToReadAndWrite })
    }

    /// Takes what `fd` has, and sends what it has room for.
    pub fn turn(&mut self, ready: Ready) {
        if ready.room {
            self.flush();
        }
        if ready.to_read {
            self.read();
            self.decode();
        }
    }

    /// There is something to `take`.
    pub fn has_news(&self) -> bool {
        !self.waiting.is_empty() || self.over
    }

    /// All messages that have come; none, where there is something to take: the connection is over.
    pub fn take(&mut self) -> VecDeque<ServerMessage> {
        std::mem::take(&mut self.waiting)
    }

    /// The keys that have not reached the server, now that the connection is over. A server that is killed has not read what
    /// came last, and the kernel says so; what was written before that it may have read.
    pub fn lost_keys(&mut self) -> LostKeys {
        let mut lost = LostKeys::default();
        // What is still here, and then the last frame that was written whole, if any was left unread.
        let (mut here, mut known) = (self.unsent.len(), usize::from(self.reset));
        for (keys, length) in std::mem::take(&mut self.unread).into_iter().rev() {
            if here > 0 {
                here = here.saturating_sub(length);
                lost.unread.extend(keys);
            } else if known > 0 {
                known = 0;
                lost.unread.extend(keys);
            } else if self.reset {
                lost.doubtful.extend(keys);
            }
        }
        lost.unread.reverse();
        lost.doubtful.reverse();
        lost
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

    /// Takes what has come, as far as one turn goes.
    fn read(&mut self) {
        let mut taken = 0;
        while taken < MAX_TURN {
            match without_waiting(self.stream.read(self.decoder.room(READ_SIZE))) {
                Ok(None) => return,
                Ok(Some(0)) => return self.over = true,
                Err(error) => {
                    self.reset = error.kind() == io::ErrorKind::ConnectionReset;
                    return self.over = true;
                }
                Ok(Some(count)) => {
                    self.decoder.received(count);
                    taken += count;
                    if count < READ_SIZE {
                        return;
                    }
                }
            }
        }
    }

    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        Ok(without_waiting(self.stream.write(bytes))?.unwrap_or(0))
    }

    fn flush(&mut self) {
        while !self.unsent.is_empty() {
            let (front, _) = self.unsent.as_slices();
            match without_waiting(self.stream.write(front)) {
                Ok(None | Some(0)) => return,
                Ok(Some(count)) => drop(self.unsent.drain(..count)),
                // Why it is over is told to whoever reads.
                Err(_) => return self.read(),
            }
        }
    }

    /// Sends off what is queued and waits until the server has read it, unless it takes none of it: the last keys
    /// before the chord that leaves were typed as well, and what comes from a process that has ended is nobody's.
    pub fn finish(mut self) {
        // A server that hangs is nobody's to wait for.
        let until = Instant::now() + FINISH;
        let mut ended = false;
        while !self.over {
            if self.unsent.is_empty() && !ended {
                // One that is gone has nothing to read. It hangs up behind the last request.
                drop(self.stream.shutdown(Shutdown::Write));
                ended = true;
            }
            let left = until.saturating_duration_since(Instant::now());
            let Ok([ready]) = wait([self.fd()], left) else { return };
            if left.is_zero() {
                return;
            }
            self.turn(ready);
            self.waiting.clear();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::terminal::keys::Input;
    use crate::wire::Notice;

    fn linked() -> (Link, UnixStream) {
        let (here, there) = UnixStream::pair().unwrap();
        (Link::over(here, Decoder::default(), VecDeque::new()).unwrap(), there)
    }

    /// What comes next, however long it takes.
    fn next(link: &mut Link) -> VecDeque<ServerMessage> {
        while !link.has_news() {
            let [ready] = wait([link.fd()], Duration::from_secs(60)).unwrap();
            assert_ne!(ready, Ready::default(), "nothing came");
            link.turn(ready);
        }
        link.take()
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
        let (mut link, mut there) = linked();
        assert!(link.send(&typed("x")));
        there.set_nonblocking(true).unwrap();
        let mut bytes = [0; 1024];
        let count = there.read(&mut bytes).unwrap();
        assert_eq!(bytes[..count], encode(&typed("x")));
    }

    #[test]
    fn what_comes_together_is_taken_together() {
        let (mut link, mut there) = linked();
        let both: Vec<u8> = [bell("a"), bell("b")].iter().flat_map(encode).collect();
        there.write_all(&both).unwrap();
        assert_eq!(next(&mut link), [bell("a"), bell("b")]);
        assert!(!link.has_news());
        drop(there);
        assert!(next(&mut link).is_empty());
    }

    #[test]
    fn a_server_that_does_not_read_for_a_while_gets_everything_in_order() {
        let (mut link, mut there) = linked();
        let sent: Vec<ClientMessage> =
            (0..40).map(|n| typed(&n.to_string().repeat(100_000 / (1 + n / 10)))).collect();
        assert!(sent.iter().all(|message| link.send(message)));
        assert!(!link.unsent.is_empty(), "a socket takes less than that");
        assert_eq!(link.fd().1, Want::ToReadAndWrite);
        let reads = std::thread::spawn(move || {
            let (mut decoder, mut got) = (Decoder::default(), Vec::new());
            while let Ok(count @ 1..) = there.read(decoder.room(65_536)) {
                decoder.received(count);
                while let Some(message) = decoder.take::<ClientMessage>().unwrap() {
                    got.push(message);
                }
            }
            got
        });
        link.finish();
        assert_eq!(reads.join().unwrap(), sent);
    }

    /// A key that was on its way when the server was killed was lost from the middle of a line, and the rest was run.
    #[test]
    fn what_a_server_has_not_read_is_known() {
        let lost = |link: &mut Link, there: UnixStream| {
            drop(there);
            while !link.has_news() {
                let [ready] = wait([link.fd()], Duration::from_secs(60)).unwrap();
                link.turn(ready);
            }
            link.lost_keys()
        };
        let keys = |text: &str| typed(text).request;
        // It was read.
        let (mut link, mut there) = linked();
        assert!(link.send(&typed("a")));
        assert!(there.read(&mut [0; 1024]).unwrap() > 0);
        assert!(link.send(&typed("b")));
        assert!(there.read(&mut [0; 1024]).unwrap() > 0);
        assert_eq!(lost(&mut link, there), LostKeys::default());
        // It was not, and all before it was.
        let (mut link, mut there) = linked();
        assert!(link.send(&typed("a")));
        assert!(there.read(&mut [0; 1024]).unwrap() > 0);
        assert!(link.send(&typed("b")));
        assert_eq!(lost(&mut link, there), LostKeys { doubtful: vec![], unread: vec![keys("b")] });
        // Of what came together only the last is sure.
        let (mut link, there) = linked();
        assert!(link.send(&typed("a")) && link.send(&typed("b")));
        assert_eq!(lost(&mut link, there), LostKeys { doubtful: vec![keys("a")], unread: vec![keys("b")] });
        // Nobody was there any more.
        let (mut link, there) = linked();
        drop(there);
        assert!(link.send(&typed("a")) && link.send(&typed("b")));
        while !link.has_news() {
            let [ready] = wait([link.fd()], Duration::from_secs(60)).unwrap();
            link.turn(ready);
        }
        assert_eq!(link.lost_keys(), LostKeys { doubtful: vec![], unread: vec![keys("a"), keys("b")] });
    }

    #[test]
    fn a_server_that_never_reads_is_told_apart() {
        let (mut link, _there) = linked();
        let paste = typed(&"x".repeat(1024 * 1024));
        let taken = (0..100).take_while(|_| link.send(&paste)).count();
        assert!((20..40).contains(&taken), "{taken}");
        assert!(link.unsent.len() <= MAX_UNSENT);
    }
}
