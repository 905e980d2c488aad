//! Who reads a terminal, as the kernel tells it: the one channel that no program can print.
//!
//! `os/tty_witness.rs` makes these values from `/proc`; the detector drops a line prompt that nobody reads, the
//! router keeps one that may not be read for a person, delivery types only while the same read still waits.
//! Nothing here looks at anything: it holds what was seen, and says what it means.

use serde::{Deserialize, Serialize};

/// A terminal and the programs in its foreground, at one moment.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Witness {
    pub reader: Reader,
    /// Input is handed over line by line (`ICANON`). Programs that edit the line themselves switch it off.
    pub canonical: bool,
    /// The terminal shows what is typed (`ECHO`). Off together with `canonical` it hides a secret; off in raw mode
    /// it says nothing, since such programs draw the line themselves.
    pub echo: bool,
}

/// Who waits for input.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reader {
    /// A process of the foreground group sleeps until this terminal has input.
    Reading(Wait),
    /// A process has the terminal open and sleeps in a call whose descriptors cannot be seen.
    MayRead { program: String },
    /// All of the foreground group does something else: nobody waits for what is typed.
    Nobody,
    /// The system does not tell.
    Unknown(Blind),
}

/// Why nothing can be said.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Blind {
    /// Not Linux, a processor whose system calls have other numbers, or no `/proc`.
    Unsupported,
    /// The terminal has no foreground group: its session has ended.
    NoForeground,
    /// A process of the group belongs to somebody else, or runs with more rights than ours.
    Denied { program: String },
    /// The reader hands on what it reads: to another machine, a container, a terminal of its own.
    Relayed { program: String },
    /// This program has the terminal as well, in the background: who asks need not be who reads.
    Shared { program: String },
    /// This program waits for the terminal's input as well: what is typed goes to whichever came first.
    Contended { program: String },
    /// Nobody in the foreground reads, and this program was stopped in the background as it wanted to: what is typed does
    /// not get to it.
    Stopped { program: String },
    /// More processes than can be looked at in time.
    TooMany,
    /// This program waits, and what it is has not been found out yet: whoever looks again is told.
    Pending { program: String },
    /// The terminal belongs to another program: a tmux server.
    Elsewhere,
}

/// One wait for input. Two looks saw the same wait if `is_same` says so.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Wait {
    pub pid: u32,
    pub thread: u32,
    /// Clock ticks after boot at which the process began: with the pid, it names the process for ever.
    pub started: u64,
    /// The process's name, as `ps` shows it.
    pub program: String,
    /// The system call and where in the program it was made, hashed. Other reads of the same program may share it.
    pub place: u64,
    /// How often the thread has gone to sleep, where it blocks: that read sleeps once, and after any wake-up it is
    /// another one. 0 for an event loop, whose wake-ups tell nothing.
    pub sleeps: u64,
    /// A blocking read of a whole line. An event loop wakes for its timers too, and raw input for every key.
    pub blocking: bool,
    /// The thread sleeps in the read itself, of a line or of a key: it does nothing else meanwhile.
    #[serde(default)]
    pub in_read: bool,
    /// Bytes it has read and written so far, wherever, if it sleeps in the read of a line and its program has no other thread:
    /// as long as that stays, whatever is printed is somebody else's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub transferred: Option<u64>,
    /// Its program has no other thread, and waits for nothing but this terminal, however long that takes.
    #[serde(default)]
    pub alone: bool,
    /// Its program takes a line for a command or for data (`core/detect/interpreters.rs`): whoever asks there, it is not
    /// who reads.
    #[serde(default)]
    pub asks_nothing: bool,
    /// It runs code that stands on its command line, and is no console.
    #[serde(default)]
    pub given_code: bool,
    /// Whatever it is called, its program deletes, sends, stops or opens something.
    #[serde(default)]
    pub acts: bool,
}

impl Wait {
    /// Whether this is still that wait, and nothing was read since.
    pub fn is_same(&self, other: &Wait) -> bool {
        // Which of its threads waits in a loop of events, a runtime decides anew each time.
        let thread = |wait: &Wait| wait.blocking.then_some(wait.thread);
        let place = |wait: &Wait| (wait.pid, thread(wait), wait.started, wait.place, wait.blocking);
        // A process can become another program.
        let program = |wait: &Wait| (wait.program.clone(), wait.asks_nothing);
        place(self) == place(other)
            && program(self) == program(other)
            && (!self.blocking || self.sleeps == other.sleeps)
    }
}

impl Wait {
    /// Whether its program has asked for nothing since that other look: it is the same read, or has been begun anew after a
    /// signal, such as the end of a job tells by. Unlike with `is_same`, whatever was printed meanwhile is not its own.
    pub fn has_said_nothing_since(&self, then: &Wait) -> bool {
        let place = |wait: &Wait| (wait.pid, wait.thread, wait.started, wait.place, wait.blocking);
        let silent = self.transferred.is_some() && self.transferred == then.transferred;
        self.blocking && self.program == then.program && place(self) == place(then) && silent
    }
}

/// A wait that is interrupted: for a signal (a program's own clock) and for a stop the kernel takes the thread out of its
/// read, and begins the read anew. What reads before and after is the same wait, though its thread has slept more often.
#[derive(Debug, Clone, Default)]
pub struct Interrupted {
    seen: Option<Seen>,
}

/// The wait that was seen last.
#[derive(Debug, Clone)]
struct Seen {
    /// As the kernel tells of it.
    wait: Wait,
    /// The number of sleeps it goes by.
    counted: u64,
    /// The place it goes by.
    placed: u64,
    traffic: Traffic,
    /// Bytes of answers of which the echo has not been seen.
    unechoed: u64,
}

impl Seen {
    /// Whether nothing has been printed since but what a program that was typed nothing draws anew.
    fn is_silent(&self, now: Traffic) -> bool {
        let typed = |traffic: Traffic| (traffic.typed, traffic.answered);
        self.traffic.printed == now.printed || now.redraws && typed(self.traffic) == typed(now)
    }

    /// What of an answer's echo is still to come, if nothing has gone over the terminal since but the words of an answer
    /// and their echo: no line was taken, and nothing else was asked.
    fn unechoed(&self, now: Traffic) -> Option<u64> {
        let printed = now.printed.checked_sub(self.traffic.printed)?;
        let typed = now.answered.checked_sub(self.traffic.answered)?;
        let left = (self.unechoed + typed).checked_sub(printed)?;
        (now.typed == self.traffic.typed).then_some(left)
    }
}

/// How much went over a terminal: bytes its programs printed, how often something was typed, and bytes of answers that
/// were typed without a line end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Traffic {
    pub printed: u64,
    pub typed: u64,
    pub answered: u64,
    /// Its programs were told of another size a moment ago: what they print is what stood there, drawn anew.
    pub redraws: bool,
}

impl Interrupted {
    /// What was seen, with a read that was begun anew counted as the one before it: a read ends by itself only with
    /// something typed, and who asks something else prints it. So does a program that reads key by key: as long as it prints
    /// nothing, it waits in the same dialog, in whichever call. (Behind an Esc ncurses waits for the rest of a sequence, and
    /// `dialog` does behind a change of size.)
    pub fn rejoin(&mut self, mut witness: Witness, traffic: Traffic) -> Witness {
        let Reader::Reading(wait) = &mut witness.reader else { return witness };
        let seen = wait.clone();
        let place = |wait: &Wait| (wait.pid, wait.thread, wait.started, wait.place, wait.blocking);
        let by_key = |wait: &Wait| (!wait.blocking).then(|| (wait.pid, wait.started, wait.program.clone()));
        let before = self.seen.take();
        let silent = before.as_ref().filter(|before| before.is_silent(traffic));
        let same = silent.filter(|before| by_key(&seen).is_some_and(|now| by_key(&before.wait) == Some(now)));
        let placed = same.map_or(seen.place, |before| before.placed);
        let before = before.filter(|before| place(&before.wait) == place(&seen));
        let still = before.as_ref().and_then(|before| before.unechoed(traffic));
        if let Some(before) = before.filter(|before| before.wait.sleeps == seen.sleeps || still.is_some()) {
            wait.sleeps = before.counted;
        }
        wait.place = placed;
        let unechoed = still.unwrap_or(0);
        self.seen = Some(Seen { counted: wait.sleeps, placed, wait: seen, traffic, unechoed });
        witness
    }
}

impl Witness {
    /// Nothing is known of the reader, nor of the terminal's flags: nothing is taken for hidden.
    pub fn unknown(blind: Blind) -> Witness {
        Witness { reader: Reader::Unknown(blind), canonical: false, echo: false }
    }

    /// What is typed is hidden, whatever the words before it say.
    pub fn hides_input(&self) -> bool {
        self.canonical && !self.echo
    }

    /// Who reads is being found out.
    pub fn is_pending(&self) -> bool {
        matches!(self.reader, Reader::Unknown(Blind::Pending { .. }))
    }

    /// Somebody is seen to wait for keys, one by one.
    pub fn waits_for_keys(&self) -> bool {
        !self.canonical && matches!(self.reader, Reader::Reading(_) | Reader::MayRead { .. })
    }

    /// Several programs wait for keys: which of them has the next one, nobody can say.
    pub fn several_wait(&self) -> bool {
        let several = matches!(self.reader, Reader::Unknown(Blind::Contended { .. } | Blind::Shared { .. }));
        several && !self.canonical
    }

    /// Several programs share the terminal, below a bar that names them.
    pub fn is_multiplexed(&self) -> bool {
        matches!(&self.reader, Reader::Unknown(Blind::Relayed { program }) if program.starts_with("tmux"))
    }

    /// Whoever is seen to read takes lines for commands or for data.
    pub fn takes_commands(&self) -> bool {
        self.wait().is_some_and(|wait| wait.asks_nothing)
    }

    /// Whoever is seen to read is a console or a filter, and draws no question of its own.
    pub fn is_console(&self) -> bool {
        self.wait().is_some_and(|wait| wait.asks_nothing && !wait.given_code)
    }

    /// The wait, if somebody provably waits.
    pub fn wait(&self) -> Option<&Wait> {
        match &self.reader {
            Reader::Reading(wait) => Some(wait),
            Reader::MayRead { .. } | Reader::Nobody | Reader::Unknown(_) => None,
        }
    }
}

impl std::fmt::Display for Witness {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mode = match (self.canonical, self.echo) {
            (true, true) => "line by line",
            (true, false) => "line by line, hidden",
            (false, _) => "key by key",
        };
        match &self.reader {
            Reader::Reading(wait) => {
                let what = if wait.asks_nothing { ", for commands or data" } else { "" };
                write!(f, "{} ({}) reads {mode}{what}", wait.program, wait.pid)
            }
            Reader::MayRead { program } => {
                write!(f, "{program} may be reading {mode}: the system does not say")
            }
            Reader::Nobody => write!(f, "nobody reads"),
            Reader::Unknown(blind) => write!(f, "who reads is not known: {blind}"),
        }
    }
}

impl std::fmt::Display for Blind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Blind::Unsupported => write!(f, "this system does not tell"),
            Blind::NoForeground => write!(f, "the terminal has no foreground group"),
            Blind::Denied { program } => write!(f, "{program} may not be looked at"),
            Blind::Relayed { program } => write!(f, "{program} hands its input on to where nothing is seen"),
            Blind::Elsewhere => write!(f, "the terminal belongs to another program"),
            Blind::Shared { program } => write!(f, "{program} writes there too, in the background"),
            Blind::Contended { program } => write!(f, "{program} waits for the same input"),
            Blind::Stopped { program } => {
                write!(f, "{program} was stopped in the background as it wanted the terminal")
            }
            Blind::Pending { program } => write!(f, "what {program} is has not been found out yet"),
            Blind::TooMany => write!(f, "too many processes run in the foreground"),
        }
    }
}

#[cfg(test)]
#[path = "witness_tests.rs"]
mod tests;
