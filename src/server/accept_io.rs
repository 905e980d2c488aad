//! Accepts connections, finds out who they are, and lets in as many of each agent's as it may have.
//!
//! Started by the server's loop. What takes a while, an agent's long chain of ancestors or a machine out of
//! descriptors, is nothing the loop may wait for, nor a person behind it.

use std::io;
use std::os::unix::net::UnixListener;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::net::UnixStream;
use tokio::sync::Semaphore;
use tokio::sync::mpsc::{OwnedPermit, Sender};
use tokio::time::MissedTickBehavior;

use crate::core::ancestry::{Identity, Reason, Verdict};
use crate::os::ancestry::Caller;
use crate::os::reserve::Reserve;
use crate::os::{peer, socket};
use crate::session::setting::Clock;

use super::frame_room::FrameRoom;
use super::known;
use super::quota::{Origin, Quotas, Seat};

/// Connections that may wait for the server's loop; the kernel holds further ones.
pub const QUEUE: usize = 64;
/// Out of descriptors: trying again at once would only spin.
const PAUSE: Duration = Duration::from_millis(100);
/// Chains of agents' processes read at once; others wait, and people do not wait for them.
const READERS: usize = 2;
/// How long a socket that somebody took away stays away. A look costs a system call.
const LOOK: Duration = Duration::from_secs(2);
/// An agent's first process may connect before the server has heard that its keeper is up.
const KEEPER_TIME: Duration = Duration::from_secs(1);

/// Somebody has come.
#[derive(Debug)]
pub struct Arrival {
    pub stream: UnixStream,
    /// Absent where nobody is known there: then the verdict says so.
    pub caller: Option<Caller>,
    pub verdict: Verdict,
    pub seat: Seat,
}

/// Which of the server's sockets somebody came by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Way {
    People,
    /// Who comes by this one is no person, whatever else it is.
    Agents,
}

impl Way {
    fn judge(self, verdict: Verdict) -> Verdict {
        match (self, verdict) {
            (Way::Agents, Verdict::Person(_)) => Verdict::ByToken,
            (_, verdict) => verdict,
        }
    }
}

/// What is needed to tell who comes.
#[derive(Debug)]
pub struct Door {
    pub known: known::Reader,
    pub reserve: Arc<Reserve>,
    pub quotas: Arc<Quotas>,
    pub clock: Clock,
    pub readers: Semaphore,
    pub frame_room: FrameRoom,
}

impl Door {
    pub fn new(known: known::Reader, clock: Clock) -> Door {
        let quotas = Quotas::new(descriptors());
        let readers = Semaphore::new(READERS);
        let (reserve, frame_room) = (Arc::new(Reserve::new()), FrameRoom::default());
        Door { known, reserve, quotas, clock, readers, frame_room }
    }

    fn seat(&self, origin: Origin, pid: Option<u32>) -> Option<Seat> {
        let now_ms = self.clock.now().ms;
        let may_come = self.quotas.may_come(origin, pid, now_ms);
        may_come.then(|| self.quotas.seat(origin, now_ms)).flatten()
    }

    /// Whether this connection is let go before anything is found out about it.
    fn keeps_out(&self, pid: Option<u32>) -> bool {
        pid.is_some_and(|pid| self.quotas.keeps_out(pid, self.clock.now().ms))
    }

    /// No descriptor was left for somebody who waits.
    fn accept_from_reserve(&self, listener: &UnixListener) -> io::Result<UnixStream> {
        let (stream, _) = self.reserve.lend(|| listener.accept())?;
        stream.set_nonblocking(true)?;
        UnixStream::from_std(stream)
    }

    /// Lets a person in at once, and everybody else in a while; sends nobody who may not come in.
    fn receive(
        self: &Arc<Self>,
        way: Way,
        stream: UnixStream,
        place: OwnedPermit<Arrival>,
        joined: &Sender<Arrival>,
    ) {
        let pid = peer::of(&stream).ok().and_then(|peer| peer.pid);
        if self.keeps_out(pid) {
            return;
        }
        let seen = match Caller::of(&stream, &self.reserve) {
            Err(_) if cfg!(not(target_os = "linux")) => Err(unproved(&stream)),
            Err(reason) => Err(Verdict::Refused(reason)),
            Ok(caller) => Ok(caller),
        };
        let caller = match seen {
            // A stranger to this user is let go without a word.
            Err(Verdict::Refused(Reason::OtherUser { .. })) => return,
            Err(verdict) => {
                let verdict = way.judge(verdict);
                let Some(seat) = self.seat(Origin::of(&verdict), pid) else { return };
                return drop(place.send(Arrival { stream, caller: None, verdict, seat }));
            }
            Ok(caller) => caller,
        };
        if caller.may_be_person(&self.known.borrow()) {
            let verdict = way.judge(caller.verdict(&self.known.borrow(), &self.reserve));
            let Some(seat) = self.seat(Origin::of(&verdict), pid) else { return };
            drop(place.send(Arrival { stream, caller: Some(caller), verdict, seat }));
        } else if !self.reserve.is_whole() {
            // What is left is a person's.
        } else if let Some(keeper) = caller.nearby_keeper(&self.known.borrow(), &self.reserve) {
            // An agent's orphans have no keeper and take no place of those who have.
            let Some((verdict, seat)) = self.admitted(Verdict::Agent(keeper), pid) else { return };
            drop(place.send(Arrival { stream, caller: Some(caller), verdict, seat }));
        } else if let Some(pending) = self.seat(Origin::Pending, pid) {
            let (door, joined) = (Arc::clone(self), joined.clone());
            tokio::spawn(async move {
                if let Some(arrival) = door.look_long(stream, caller, pending).await {
                    // The server's loop may have ended.
                    let _ = joined.send(arrival).await;
                }
            });
        }
    }

    /// One that is no person may have a chain as long as it likes, and nobody waits for it to be read.
    async fn look_long(
        self: Arc<Self>,
        stream: UnixStream,
        caller: Caller,
        pending: Seat,
    ) -> Option<Arrival> {
        let caller = Arc::new(caller);
        let mut known = self.known.clone();
        let until = tokio::time::Instant::now() + KEEPER_TIME;
        let verdict = loop {
            let verdict = self.read(Arc::clone(&caller), &mut known).await?;
            let early = matches!(verdict, Verdict::Refused(Reason::Orphan | Reason::BelowServer));
            if !early || tokio::time::timeout_at(until, known.changed()).await.is_err() {
                break verdict;
            }
        };
        drop(pending);
        let (verdict, seat) = self.admitted(verdict, Some(caller.id().pid))?;
        Some(Arrival { stream, caller: Arc::into_inner(caller), verdict, seat })
    }

    /// Whom an agent has as many of as it may is refused, as far as there is room to tell it.
    fn admitted(&self, verdict: Verdict, pid: Option<u32>) -> Option<(Verdict, Seat)> {
        match self.seat(Origin::of(&verdict), pid) {
            Some(seat) => Some((verdict, seat)),
            None => Some((Verdict::Refused(Reason::Crowded), self.seat(Origin::Refused, pid)?)),
        }
    }

    async fn read(self: &Arc<Self>, caller: Arc<Caller>, known: &mut known::Reader) -> Option<Verdict> {
        let _turn = self.readers.acquire().await.ok()?;
        let (known, reserve) = (known.borrow_and_update().clone(), Arc::clone(&self.reserve));
        tokio::task::spawn_blocking(move || caller.verdict(&known, &reserve)).await.ok()
    }
}

/// How many this process may have open.
fn descriptors() -> usize {
    use nix::sys::resource::{Resource, getrlimit};
    /// What systems give where nothing else is said.
    const USUAL: usize = 1024;
    getrlimit(Resource::RLIMIT_NOFILE).ok().and_then(|(soft, _)| usize::try_from(soft).ok()).unwrap_or(USUAL)
}

/// Where a process does not tell whose it is, whoever has no token is a person.
fn unproved(stream: &UnixStream) -> Verdict {
    match peer::of(stream) {
        Ok(peer) if peer.is_us() => {
            Verdict::Person(Identity { pid: peer.pid.unwrap_or_default(), started: 0 })
        }
        Ok(peer) => Verdict::Refused(Reason::OtherUser { uid: peer.uid }),
        Err(_) => Verdict::Refused(Reason::Unknown),
    }
}

/// A socket as those who accept from it and the server's loop, which lets go of it at the end, share it.
pub type Shared = Arc<Mutex<socket::Listener>>;

/// Runs until the server's loop has ended.
///
/// # Errors
/// The listener cannot be waited for.
pub async fn run(shared: Shared, way: Way, joined: Sender<Arrival>, door: Arc<Door>) -> io::Result<()> {
    let (mut listener, mut same) = both(&shared)?;
    let mut looks = tokio::time::interval(LOOK);
    looks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        let Ok(place) = joined.clone().reserve_owned().await else { return Ok(()) };
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted.map(|(stream, _)| stream),
            _ = looks.tick() => {
                if place_again(&shared) {
                    (listener, same) = both(&shared)?;
                }
                continue;
            }
        };
        let accepted = accepted.or_else(|_| door.accept_from_reserve(&same));
        match accepted {
            Ok(stream) => door.receive(way, stream, place, &joined),
            Err(error) => {
                tracing::warn!(%error, "a connection could not be accepted");
                tokio::time::sleep(PAUSE).await;
            }
        }
        if !door.reserve.is_whole() {
            door.reserve.refill();
        }
    }
}

/// The listener to be waited for; and once more, for the reserve is used by that one, for which the runtime has no way.
fn both(shared: &Shared) -> io::Result<(tokio::net::UnixListener, UnixListener)> {
    let listener = shared.lock().unwrap_or_else(PoisonError::into_inner);
    Ok((tokio::net::UnixListener::from_std(listener.try_clone()?)?, listener.try_clone()?))
}

/// An agent can remove or rename the socket, and would have locked the person out.
fn place_again(shared: &Shared) -> bool {
    let mut listener = shared.lock().unwrap_or_else(PoisonError::into_inner);
    if listener.is_in_place() {
        return false;
    }
    let placed = listener.place_again();
    match &placed {
        Ok(()) => {
            tracing::warn!(socket = %listener.path().display(), "somebody took the socket away; it is back")
        }
        Err(error) => tracing::warn!(%error, "the socket was taken away"),
    }
    placed.is_ok()
}
