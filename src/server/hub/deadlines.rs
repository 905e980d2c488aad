//! When what is due: one heap for all agents and questions, so that nobody looks through them at every event.
//!
//! What was moved or taken back stays in the heap until it comes to its top, and is then passed over.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

#[derive(Debug)]
pub struct Deadlines<K> {
    heap: BinaryHeap<Reverse<(u64, K)>>,
    /// What holds; anything else in the heap is out of date.
    at: BTreeMap<K, u64>,
}

impl<K: Ord + Copy> Deadlines<K> {
    pub fn new() -> Deadlines<K> {
        Deadlines { heap: BinaryHeap::new(), at: BTreeMap::new() }
    }

    /// This is due then, and not when it was before; `None`: it is not due any more.
    pub fn set(&mut self, key: K, at: Option<u64>) {
        if self.at.get(&key).copied() == at {
            return;
        }
        match at {
            Some(ms) => {
                self.at.insert(key, ms);
                self.heap.push(Reverse((ms, key)));
            }
            None => {
                self.at.remove(&key);
            }
        }
        self.drop_stale();
    }

    /// The earliest of all.
    pub fn next(&self) -> Option<u64> {
        self.heap.peek().map(|Reverse((ms, _))| *ms)
    }

    /// What is due by now, each once, the earliest first. It must be set again to be due again.
    pub fn due(&mut self, now_ms: u64) -> Vec<K> {
        let mut due = Vec::new();
        while let Some(Reverse((ms, key))) = self.heap.peek().copied() {
            if ms > now_ms {
                break;
            }
            self.heap.pop();
            self.at.remove(&key);
            due.push(key);
            self.drop_stale();
        }
        due
    }

    /// The top of the heap always holds.
    fn drop_stale(&mut self) {
        while let Some(Reverse((ms, key))) = self.heap.peek() {
            if self.at.get(key) == Some(ms) {
                return;
            }
            self.heap.pop();
        }
    }
}

#[cfg(test)]
#[path = "deadlines_tests.rs"]
mod tests;
