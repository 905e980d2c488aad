//! A program that runs to completion: its output as it comes, until it ends, the time is up, or nobody wants more.
//!
//! `counsel exec` and the MCP tool of that name follow with it. A child that the program left behind and that prints on
//! is not waited for.

use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, Hasher};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use crate::wire::message::{ReadMode, ReadText};
use crate::wire::{Reply, Request};

use super::super::failure::Failure;
use super::super::link::{SERVERS, Server, unexpected};

/// The time a program has if nobody says otherwise, and at most.
pub const DEFAULT_SECS: f64 = 60.0;
pub const LONGEST_SECS: f64 = 300.0;
/// Lines kept of a program whose whole output is wanted: far more than anyone reads. What they take in bytes is bounded
/// where they are kept.
pub const WHOLE_OUTPUT: usize = 5_000_000;
/// Bytes kept of output that is given back whole: as much as a server keeps of it.
const WHOLE_BYTES: usize = 32 * 1024 * 1024;
/// One read waits at most this long; the deadline, and whoever reads, is looked at in between.
const READ_MS: u64 = 500;
/// What an ended program had printed is there within milliseconds; whoever still prints then is somebody else.
const LAST_WORDS: Duration = Duration::from_secs(1);

/// The exit code of the contract for an agent that is not there.
const NOT_THERE: u8 = 3;

/// How it ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ended {
    Exited(i32),
    TimedOut,
    ReaderGone,
}

/// The server that holds the program, and how the next one is found: a program outlives the server it was started by.
pub(crate) struct Holder<'a> {
    server: Server,
    connect: &'a dyn Fn() -> Result<Server, Failure>,
}

impl Holder<'_> {
    pub fn new(server: Server, connect: &dyn Fn() -> Result<Server, Failure>) -> Holder<'_> {
        Holder { server, connect }
    }

    /// Takes a program that has ended off the list, if nobody else has done so, or ends it.
    pub fn stop(&mut self, name: &str, grace_ms: u64) -> Result<(), Failure> {
        match self.ask(|| Request::Stop { names: vec![name.to_owned()], grace_ms }) {
            Err(failure) if failure.code == NOT_THERE => Ok(()),
            done => done.map(drop),
        }
    }

    /// It runs on, whatever becomes of this process.
    pub fn release(&mut self, name: &str) -> Result<(), Failure> {
        self.ask(|| Request::Release { name: name.to_owned() }).map(drop)
    }

    /// Asks what may be asked twice, and asks the next server where one dies over it.
    fn ask(&mut self, request: impl Fn() -> Request) -> Result<Reply, Failure> {
        for _ in 1..SERVERS {
            match self.server.ask(request()) {
                Err(failure) if failure.hung_up => self.server = self.next(failure)?,
                other => return other,
            }
        }
        self.server.ask(request())
    }

    /// # Errors
    /// There is none: the agents were ended together with the last one, or it cannot be started.
    fn next(&self, hung_up: Failure) -> Result<Server, Failure> {
        (self.connect)().map_err(|failure| if failure.code == NOT_THERE { failure } else { hung_up })
    }
}

/// Hands everything the program prints to `take`, which says whether more is wanted.
pub(crate) fn follow(
    holder: &mut Holder<'_>,
    name: &str,
    mode: ReadMode,
    until: Instant,
    take: &mut dyn FnMut(&ReadText) -> Result<bool, Failure>,
) -> Result<Ended, Failure> {
    let (mut cursor, mut end) = (0, End::default());
    loop {
        let left = until.saturating_duration_since(Instant::now());
        let wait_ms = u64::try_from(left.as_millis()).unwrap_or(u64::MAX).min(READ_MS);
        let request = || Request::Read {
            name: name.to_owned(),
            since: Some(cursor),
            tail: None,
            wait_ms,
            mode,
            seen: None,
        };
        let read = match holder.ask(request) {
            Ok(Reply::Text(read)) => read,
            Ok(_) => return Err(unexpected()),
            // It ran until now, and what it ended with went with it.
            Err(failure) if failure.code == NOT_THERE => {
                return Err("somebody ended it by 'counsel stop' or 'counsel down'; run it again".into());
            }
            Err(failure) => return Err(failure),
        };
        let news = read.cursor != cursor;
        cursor = read.cursor;
        if !take(&read)? {
            return Ok(Ended::ReaderGone);
        }
        let now = Instant::now();
        match read.exit_code {
            Some(code) if end.is_over(&read, news, now) => return Ok(Ended::Exited(code)),
            Some(_) => {}
            None if left.is_zero() => return Ok(Ended::TimedOut),
            None => {}
        }
    }
}

/// The end of a program's output, which what it left running may go on with for ever.
#[derive(Debug, Default)]
struct End {
    /// What had been printed when the program was seen to have ended is its own, however long it takes to be handed on.
    own: Option<u64>,
    /// Until when what comes behind that is taken for its last words.
    until: Option<Instant>,
}

impl End {
    /// Whether all is read of a program that has ended. `news`: this read has brought something.
    fn is_over(&mut self, read: &ReadText, news: bool, now: Instant) -> bool {
        let own = *self.own.get_or_insert(read.end);
        !news || (read.cursor >= own && *self.until.get_or_insert(now + LAST_WORDS) <= now)
    }
}

/// Adds what was just read to what is kept of it: the newest, within `WHOLE_BYTES`.
pub fn keep(kept: &mut ReadText, read: &ReadText) {
    kept.truncated |= read.truncated;
    kept.cursor = read.cursor;
    kept.text.push_str(&read.text);
    if kept.text.len() > WHOLE_BYTES {
        let mut from = kept.text.len() - WHOLE_BYTES / 2;
        while !kept.text.is_char_boundary(from) {
            from += 1;
        }
        kept.text.drain(..from);
        kept.truncated = true;
    }
}

/// A number of its own for a call: a name may be somebody else's by the time the call ends, the number is not.
pub fn call_number() -> u64 {
    RandomState::new().build_hasher().finish()
}

/// A name nobody has: calls run side by side, also within one process.
pub fn free_name(server: &mut Server) -> Result<String, Failure> {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let taken: Vec<String> = server.agents()?.into_iter().map(|agent| agent.name).collect();
    let pid = std::process::id();
    loop {
        let name = match COUNT.fetch_add(1, Ordering::Relaxed) {
            0 => format!("exec-{pid}"),
            count => format!("exec-{pid}-{count}"),
        };
        if !taken.contains(&name) {
            return Ok(name);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A child that a program left behind, and that printed faster than it was read, made `exec` endless.
    #[test]
    fn what_a_child_that_was_left_prints_is_not_waited_for() {
        let (mut end, began) = (End::default(), Instant::now());
        let read = |cursor, end| ReadText { cursor, end, exit_code: Some(3), ..ReadText::default() };
        assert!(!end.is_over(&read(10, 100), true, began), "its own words are still coming");
        let late = began + 10 * LAST_WORDS;
        assert!(!end.is_over(&read(60, 900), true, late), "however long that takes");
        assert!(!end.is_over(&read(100, 2_000), true, late), "what was under way comes behind them");
        assert!(!end.is_over(&read(3_000, 4_000), true, late + LAST_WORDS / 2));
        assert!(end.is_over(&read(5_000, 6_000), true, late + LAST_WORDS));
        assert!(End::default().is_over(&read(100, 100), false, began), "nothing more is to be heard");
    }

    /// A program that prints without end made whoever kept its output as large as all of it.
    #[test]
    fn the_newest_output_is_kept_within_bounds() {
        let mut kept = ReadText::default();
        for number in 0..20_u64 {
            let text = format!("é{}{number};", "x".repeat(4 * 1024 * 1024));
            keep(&mut kept, &ReadText { text, cursor: number, ..ReadText::default() });
            assert!(kept.text.len() <= WHOLE_BYTES, "{} bytes after {number}", kept.text.len());
        }
        assert!(kept.truncated && kept.cursor == 19 && kept.text.ends_with("x19;"));
    }
}
