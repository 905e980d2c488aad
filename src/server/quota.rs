//! What the processes of one agent may take of the server: connections, requests, bytes.
//!
//! Asked by whoever accepts connections and by the client's task before it reads on. A person has no limit. Whoever
//! is over it waits, or is not let in; nobody else notices. Times are milliseconds of the server's own clock.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use crate::core::ancestry::{Identity, Verdict};

/// Hooks of tools that run side by side, each with a question open, are some ten.
const PER_AGENT: usize = 32;
/// All agents together have this part of the descriptors there are; who was refused and is told so, and who is
/// not known yet, a smaller one each. Most are there for a moment.
const AGENTS_PART: usize = 4;
const OTHERS_PART: usize = 16;
/// Requests an agent may make in a second, and at once. Its hooks make three for each tool it uses.
const PER_SECOND: i64 = 200;
const AT_ONCE: i64 = 400;
/// Bytes count as requests: one for so many. A hook tells of a whole file that was written.
const BYTES: usize = 16 * 1024;
/// A process whose agent connects more often than it may is not looked at for so long: to find out whose it is takes ten
/// times longer than to let it go, and those who wait behind it in the kernel's queue may be people.
const KEPT_OUT_MS: u64 = 1_000;
/// Processes kept out at once, at most. With more than that the first of a thousand is no longer the dear one.
const MOST_KEPT_OUT: usize = 1_024;
/// Buckets are kept in thousandths, so that a millisecond adds a whole number.
const ONE: i64 = 1000;

/// Whom a connection is counted to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Origin {
    Person,
    /// Below this keeper.
    Agent(Identity),
    Refused,
    /// Not a person, and not known yet which agent's.
    Pending,
}

impl Origin {
    pub fn of(verdict: &Verdict) -> Origin {
        match verdict {
            Verdict::Person(_) => Origin::Person,
            Verdict::Agent(keeper) => Origin::Agent(*keeper),
            Verdict::ByToken | Verdict::Refused(_) => Origin::Refused,
        }
    }
}

/// A bucket that fills with time. Below zero: so much was taken that is still to come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Bucket {
    level: i64,
    at_ms: u64,
}

impl Bucket {
    fn full(now_ms: u64) -> Bucket {
        Bucket { level: AT_ONCE * ONE, at_ms: now_ms }
    }

    /// Takes one, if there is one.
    fn take_one(&mut self, now_ms: u64) -> bool {
        self.fill(now_ms);
        let there = self.level >= ONE;
        self.level -= if there { ONE } else { 0 };
        there
    }

    fn is_full(&self) -> bool {
        self.level >= AT_ONCE * ONE
    }

    fn fill(&mut self, now_ms: u64) {
        let passed = i64::try_from(now_ms.saturating_sub(self.at_ms)).unwrap_or(i64::MAX);
        self.level = self.level.saturating_add(passed.saturating_mul(PER_SECOND)).min(AT_ONCE * ONE);
        self.at_ms = now_ms;
    }

    /// Takes so many, and says how long to wait before anything else is done.
    fn take(&mut self, count: i64, now_ms: u64) -> Duration {
        self.fill(now_ms);
        self.level = self.level.saturating_sub(count.saturating_mul(ONE));
        Duration::from_millis(self.level.min(0).unsigned_abs().div_ceil(PER_SECOND.unsigned_abs()))
    }
}

#[derive(Debug)]
struct Taken {
    seats: usize,
    bucket: Bucket,
}

#[derive(Debug)]
pub struct Quotas {
    agents: usize,
    others: usize,
    taken: Mutex<HashMap<Origin, Taken>>,
    /// Until when each of these processes is not looked at.
    kept_out: Mutex<HashMap<u32, u64>>,
}

/// A connection that is counted, until it is dropped.
#[derive(Debug)]
pub struct Seat {
    quotas: Arc<Quotas>,
    origin: Origin,
}

impl Quotas {
    /// `descriptors`: how many this process may have open.
    pub fn new(descriptors: usize) -> Arc<Quotas> {
        let part = |part: usize| (descriptors / part).max(1);
        let (agents, others) = (part(AGENTS_PART), part(OTHERS_PART));
        Arc::new(Quotas { agents, others, taken: Mutex::default(), kept_out: Mutex::default() })
    }

    /// Whether this process has just connected more often than its agent may. It says nothing of who it is, and whoever
    /// has its pid by then has to come again.
    pub fn keeps_out(&self, pid: u32, now_ms: u64) -> bool {
        let mut kept_out = self.kept_out.lock().unwrap_or_else(PoisonError::into_inner);
        let kept = kept_out.get(&pid).is_some_and(|until_ms| now_ms < *until_ms);
        if !kept {
            kept_out.remove(&pid);
        }
        kept
    }

    /// Counts a connection of this process. `false`: its agent has made more than it may, whether it holds them or not.
    pub fn may_come(&self, origin: Origin, pid: Option<u32>, now_ms: u64) -> bool {
        if origin == Origin::Person {
            return true;
        }
        let mut taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        let of_origin = taken.entry(origin).or_insert(Taken { seats: 0, bucket: Bucket::full(now_ms) });
        if of_origin.bucket.take_one(now_ms) {
            return true;
        }
        let mut kept_out = self.kept_out.lock().unwrap_or_else(PoisonError::into_inner);
        if kept_out.len() >= MOST_KEPT_OUT {
            kept_out.retain(|_, until_ms| now_ms < *until_ms);
        }
        if let Some(pid) = pid.filter(|_| kept_out.len() < MOST_KEPT_OUT) {
            kept_out.insert(pid, now_ms + KEPT_OUT_MS);
        }
        false
    }

    /// A place for one more connection; `None`: there is none.
    pub fn seat(self: &Arc<Self>, origin: Origin, now_ms: u64) -> Option<Seat> {
        let mut taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        taken.retain(|_, taken| {
            taken.bucket.fill(now_ms);
            taken.seats > 0 || !taken.bucket.is_full()
        });
        let agents: usize = taken
            .iter()
            .filter(|(origin, _)| matches!(origin, Origin::Agent(_)))
            .map(|(_, taken)| taken.seats)
            .sum();
        let most = match origin {
            Origin::Person => usize::MAX,
            Origin::Agent(_) if agents >= self.agents => 0,
            Origin::Agent(_) => PER_AGENT,
            Origin::Refused | Origin::Pending => self.others,
        };
        let of_origin = taken.entry(origin).or_insert(Taken { seats: 0, bucket: Bucket::full(now_ms) });
        if of_origin.seats >= most {
            return None;
        }
        of_origin.seats += 1;
        Some(Seat { quotas: Arc::clone(self), origin })
    }
}

impl Seat {
    pub fn is_persons(&self) -> bool {
        self.origin == Origin::Person
    }

    /// How long this connection has to wait after a request, or so many bytes.
    pub fn after_request(&self, now_ms: u64) -> Duration {
        self.take(1, now_ms)
    }

    pub fn after_bytes(&self, bytes: usize, now_ms: u64) -> Duration {
        self.take(i64::try_from(bytes / BYTES).unwrap_or(i64::MAX), now_ms)
    }

    fn take(&self, count: i64, now_ms: u64) -> Duration {
        if self.origin == Origin::Person || count == 0 {
            return Duration::ZERO;
        }
        let mut taken = self.quotas.taken.lock().unwrap_or_else(PoisonError::into_inner);
        let of_origin = taken.get_mut(&self.origin);
        of_origin.map_or(Duration::ZERO, |taken| taken.bucket.take(count, now_ms))
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        let mut taken = self.quotas.taken.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(taken) = taken.get_mut(&self.origin) {
            taken.seats = taken.seats.saturating_sub(1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn agent(pid: u32) -> Origin {
        Origin::Agent(Identity { pid, started: 1 })
    }

    #[test]
    fn an_agent_has_so_many_connections_and_takes_nobody_elses() {
        let quotas = Quotas::new(1024);
        let held: Vec<Seat> = (0..PER_AGENT).map(|_| quotas.seat(agent(1), 0).unwrap()).collect();
        assert!(quotas.seat(agent(1), 0).is_none());
        assert!(quotas.seat(agent(2), 0).is_some());
        assert!(quotas.seat(Origin::Person, 0).is_some());
        drop(held);
        assert!(quotas.seat(agent(1), 0).is_some());
    }

    #[test]
    fn all_agents_together_leave_descriptors_to_people() {
        let quotas = Quotas::new(1024);
        let held: Vec<Seat> = (0..1000).filter_map(|pid| quotas.seat(agent(pid % 100), 0)).collect();
        assert_eq!(held.len(), 256);
        assert!(quotas.seat(Origin::Person, 0).is_some());
    }

    /// Connections that are made and hung up without end were no agent's to pay for: whoever came behind them in the
    /// kernel's queue, a person too, waited for seconds.
    #[test]
    fn an_agent_that_comes_and_goes_without_end_is_kept_out() {
        let quotas = Quotas::new(1024);
        let comes = |pid, now| quotas.may_come(agent(1), Some(pid), now);
        let let_in = (0..10_000).filter(|_| comes(7, 0)).count();
        assert_eq!(let_in, AT_ONCE as usize);
        assert!(quotas.keeps_out(7, 0) && quotas.keeps_out(7, KEPT_OUT_MS - 1));
        assert!(!quotas.keeps_out(8, 0), "another process of it is looked at");
        assert!(!comes(8, 0) && quotas.keeps_out(8, 0), "and found to be its");
        assert!(quotas.may_come(agent(2), Some(9), 0) && quotas.may_come(Origin::Person, Some(10), 0));
        assert!(
            !quotas.keeps_out(7, KEPT_OUT_MS) && comes(7, KEPT_OUT_MS),
            "once it rests it comes in again"
        );
    }

    #[test]
    fn those_kept_out_take_no_more_than_their_room() {
        let quotas = Quotas::new(1024);
        assert_eq!((0..100_000).filter(|pid| quotas.may_come(agent(1), Some(*pid), 0)).count(), 400);
        assert_eq!(quotas.kept_out.lock().unwrap().len(), MOST_KEPT_OUT);
        assert!(!quotas.may_come(agent(1), Some(100_001), 0));
        assert_eq!((0..401).filter(|_| quotas.may_come(agent(2), Some(100_002), KEPT_OUT_MS)).count(), 400);
        assert!(quotas.keeps_out(100_002, KEPT_OUT_MS), "the room is anybody's again");
    }

    /// A new connection does not give what the last one has used up.
    #[test]
    fn an_agent_waits_for_its_requests_and_a_person_does_not() {
        let quotas = Quotas::new(1024);
        let spend =
            |seat: &Seat, count: i64, now| (0..count).map(|_| seat.after_request(now)).sum::<Duration>();
        let seat = quotas.seat(agent(1), 0).unwrap();
        assert_eq!(spend(&seat, AT_ONCE, 0), Duration::ZERO);
        drop(seat);
        let seat = quotas.seat(agent(1), 0).unwrap();
        assert_eq!(seat.after_request(0), Duration::from_millis(5));
        assert_eq!(seat.after_request(0), Duration::from_millis(10));
        assert_eq!(seat.after_request(1_000), Duration::ZERO);
        assert_eq!(seat.after_bytes(16 * 1024 * 1024, 1_000), Duration::from_millis(4135));
        let person = quotas.seat(Origin::Person, 0).unwrap();
        assert_eq!(spend(&person, 10_000, 0), Duration::ZERO);
    }
}
