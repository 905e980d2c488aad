//! Who is at the other end of a connection, and the processes it comes from.
//!
//! The server makes a `Caller` of every connection it accepts, and asks it for a verdict then and whenever it
//! is about to type, answer, start or stop something. The rule is `core/ancestry.rs`; this file reads `/proc`
//! for it. It must never take an error for an answer: what cannot be read is said to be unreadable.

use std::fs::{self, File};
use std::io::{self, Read};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::fs::MetadataExt;
use std::sync::OnceLock;
use std::time::Duration;

use nix::libc;
use nix::time::{ClockId, clock_gettime};

use crate::core::ancestry::{Ancestor, Chain, End, Identity, Known, Reason, Verdict, judge};

use super::reserve::Reserve;
use super::{generation, peer, proc};

/// A person's chain is some ten processes and takes some 0.1 ms of the processor. Whoever makes one that takes this
/// much means to hold the server up. It is not the clock's time: on a busy machine that passes for everybody.
const LONGEST: Duration = Duration::from_millis(50);
/// A hook is a few processes below its keeper. Whoever is this near is known at once, in a tenth of a millisecond.
const NEAR: usize = 16;
/// A chain changes while it is read when some ancestor ends: then it is read again, so often.
const TRIES: usize = 3;
/// `stat` of a process is some 350 bytes; its name is bounded.
const STAT_BYTES: usize = 1024;

/// The process that connected, as it was then: not whoever uses the connection now, nor whoever has its pid.
#[derive(Debug)]
pub struct Caller {
    id: Identity,
    /// Its own, then; `None` where it is kept from us.
    generation: Option<u64>,
    /// Ready to be read once it has ended; absent on kernels that have none.
    handle: Option<OwnedFd>,
}

impl Caller {
    /// Who connected this stream.
    ///
    /// # Errors
    /// The reason to refuse it: nobody is known there any more, or it is another user.
    pub fn of(stream: &impl AsFd, reserve: &Reserve) -> Result<Caller, Reason> {
        let peer = peer::of(stream).map_err(|_| Reason::Unknown)?;
        if !peer.is_us() {
            return Err(Reason::OtherUser { uid: peer.uid });
        }
        let pid = peer.pid.ok_or(Reason::Unknown)?;
        let handle = match reserve.lend(|| peer::handle(stream)) {
            Ok(handle) => Some(handle),
            // A kernel before 6.5 names the pid alone: from here on it is this very process, if it lives.
            Err(error) if error.raw_os_error() == Some(libc::ENOPROTOOPT) => proc::handle(pid).ok(),
            Err(error) if peer::is_gone(&error) => return Err(Reason::Dead),
            Err(error) => return Err(unreadable(pid, &error)),
        };
        let process = match read(pid, reserve) {
            Ok(process) if !process.dead => process,
            Ok(_) => return Err(Reason::Dead),
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Err(Reason::Dead),
            Err(error) => return Err(unreadable(pid, &error)),
        };
        let caller = Caller { id: process.id, generation: process.generation, handle };
        // Only a process that lives now is the one whose start was just read.
        if caller.has_ended() { Err(Reason::Dead) } else { Ok(caller) }
    }

    pub fn id(&self) -> Identity {
        self.id
    }

    /// Whether it may be a person's process at all: an agent's are of a younger generation. One look is enough to
    /// know, however long its chain.
    pub fn may_be_person(&self, known: &Known) -> bool {
        self.generation.is_some_and(|generation| generation >= known.generation)
    }

    pub fn has_ended(&self) -> bool {
        self.handle.as_ref().is_some_and(|handle| proc::any_ended(std::slice::from_ref(handle)))
    }

    /// What it is at this moment.
    pub fn verdict(&self, known: &Known, reserve: &Reserve) -> Verdict {
        self.judged(known, reserve).0
    }

    /// The keeper it runs below, if that is near.
    pub fn nearby_keeper(&self, known: &Known, reserve: &Reserve) -> Option<Identity> {
        let until = processor_time().saturating_add(LONGEST);
        let chain = chain(self.id.pid, known, reserve, until, NEAR);
        let same = chain.links.first().is_some_and(|caller| caller.id == self.id);
        match judge(&chain, known) {
            Verdict::Agent(keeper) if same && !self.has_ended() => Some(keeper),
            _ => None,
        }
    }

    /// The same, with its ancestors held where they can be: until one of them ends, or others are known, it is what it
    /// was. Called for each request that acts and rests on none such.
    pub fn proof(&self, known: &Known, reserve: &Reserve) -> (Verdict, Option<Ancestors>) {
        let (verdict, chain) = self.judged(known, reserve);
        let ancestors = self.handle.is_some().then(|| Ancestors::hold(&chain, reserve)).flatten();
        (verdict, ancestors.filter(|_| !self.has_ended()))
    }

    fn judged(&self, known: &Known, reserve: &Reserve) -> (Verdict, Chain) {
        let until = processor_time().saturating_add(LONGEST);
        let nobody = || (Verdict::Refused(Reason::Dead), Chain { links: Vec::new(), end: End::Root });
        let mut judged = nobody();
        for _ in 0..TRIES {
            if self.has_ended() {
                return nobody();
            }
            let chain = chain(self.id.pid, known, reserve, until, usize::MAX);
            if chain.links.first().is_some_and(|caller| caller.id != self.id) {
                return nobody();
            }
            let verdict = judge(&chain, known);
            let moved = matches!(verdict, Verdict::Refused(Reason::Cut { .. } | Reason::Reused { .. }));
            judged = (verdict, chain);
            if !moved {
                break;
            }
        }
        // It may have ended and been replaced while its parents were read.
        if self.has_ended() { nobody() } else { judged }
    }
}

/// The processes above a caller. A process gets another parent only when its own ends (`PR_SET_CHILD_SUBREAPER` in
/// prctl(2)), so as long as all of them live the chain that was judged is the chain.
#[derive(Debug)]
pub struct Ancestors {
    handles: Vec<OwnedFd>,
}

impl Ancestors {
    /// `None` where one of them cannot be held, or is another by now.
    fn hold(chain: &Chain, reserve: &Reserve) -> Option<Ancestors> {
        let mut handles = Vec::new();
        for link in chain.links.iter().skip(1) {
            handles.push(proc::handle(link.id.pid).ok()?);
        }
        // A handle of a pid is one of the process that was read only if that is there still.
        let same = |link: &Ancestor| read(link.id.pid, reserve).is_ok_and(|now| now == *link);
        chain.links.iter().all(same).then_some(Ancestors { handles })
    }

    pub fn have_ended(&self) -> bool {
        proc::any_ended(&self.handles)
    }
}

fn unreadable(pid: u32, error: &io::Error) -> Reason {
    Reason::Unreadable { pid, cause: error.to_string() }
}

/// What this thread has had of a processor.
fn processor_time() -> Duration {
    // Where there is no such clock, nobody is read at all: a chain that cannot be bounded is not begun.
    clock_gettime(ClockId::CLOCK_THREAD_CPUTIME_ID).map_or(Duration::MAX, Duration::from)
}

/// A process and its ancestors as they are now, up to the nearest keeper, and to so many.
fn chain(pid: u32, known: &Known, reserve: &Reserve, until: Duration, most: usize) -> Chain {
    let mut links: Vec<Ancestor> = Vec::new();
    let mut next = pid;
    loop {
        if links.len() >= most || processor_time() >= until {
            return Chain { links, end: End::TooLong };
        }
        let link = match read(next, reserve) {
            Ok(link) => link,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Chain { links, end: End::Gone { pid: next } };
            }
            Err(error) => {
                let end = End::Unreadable { pid: next, cause: error.to_string() };
                return Chain { links, end };
            }
        };
        links.push(link);
        if known.keepers.contains(&link.id) {
            return Chain { links, end: End::Keeper };
        }
        if link.parent == 0 {
            return Chain { links, end: End::Root };
        }
        next = link.parent;
    }
}

/// One process. `NotFound`: it is gone.
fn read(pid: u32, reserve: &Reserve) -> io::Result<Ancestor> {
    let mut buffer = [0; STAT_BYTES];
    let path = format!("/proc/{pid}/stat");
    let opened = reserve.lend(|| File::open(&path));
    let length = match opened.and_then(|mut file| file.read(&mut buffer)) {
        Ok(length) => length,
        // It ended between the opening and the reading.
        Err(error) if error.raw_os_error() == Some(libc::ESRCH) => return Err(io::ErrorKind::NotFound.into()),
        Err(error) => return Err(error),
    };
    let damaged = || io::Error::new(io::ErrorKind::InvalidData, "its state is not as proc(5) says");
    let text = String::from_utf8_lossy(&buffer[..length]);
    let process = proc::parse_stat(&text).filter(|process| process.pid == pid).ok_or_else(damaged)?;
    Ok(Ancestor {
        id: Identity { pid, started: process.started },
        parent: process.parent,
        dead: process.is_dead(),
        generation: generation::of(pid).ok(),
        counsel: is_counsel(pid, &text),
    })
}

/// Whether a process runs this very program. Of one that is closed to us (`proc::close_to_others`), as people's counsels
/// are, the system tells no more than the name.
fn is_counsel(pid: u32, stat: &str) -> bool {
    static OWN: OnceLock<Option<(u64, u64)>> = OnceLock::new();
    static NAME: OnceLock<Option<String>> = OnceLock::new();
    let file = |path: &str| fs::metadata(path).map(|file| (file.dev(), file.ino()));
    let Some(own) = *OWN.get_or_init(|| file("/proc/self/exe").ok()) else { return false };
    match file(&format!("/proc/{pid}/exe")) {
        Ok(its) => its == own,
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
            let name = NAME.get_or_init(|| fs::read_to_string("/proc/self/comm").ok());
            let its = stat.split_once('(').and_then(|(_, rest)| rest.rsplit_once(')'));
            matches!((name, its), (Some(own), Some((its, _))) if its == own.trim_end())
        }
        Err(_) => false,
    }
}

/// What this process itself would be taken for where nothing is known but its own generation.
pub fn own_verdict() -> Verdict {
    let known = Known { generation: generation::own().unwrap_or(u64::MAX), ..Known::default() };
    let until = processor_time().saturating_add(LONGEST);
    judge(&chain(std::process::id(), &known, &Reserve::default(), until, usize::MAX), &known)
}

/// The identity of a process that runs; `None` if there is none of that pid.
pub fn identity(pid: u32) -> Option<Identity> {
    read(pid, &Reserve::default()).ok().filter(|process| !process.dead).map(|process| process.id)
}
