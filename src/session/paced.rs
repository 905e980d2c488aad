//! What a program may call for as often as it prints: told at once after quiet, and in a flood ten times a second, the latest.
//!
//! The session owns one for each kind. Whoever is told would otherwise be cut off as one that does not read: a block of output
//! holds a thousand bells.

/// Between two that are told: nobody hears two bells that are closer, or pastes in between.
const PAUSE_MS: u64 = 100;

#[derive(Debug)]
pub(super) struct Paced<T> {
    waiting: Option<T>,
    told_ms: Option<u64>,
}

impl<T> Default for Paced<T> {
    fn default() -> Paced<T> {
        Paced { waiting: None, told_ms: None }
    }
}

impl<T> Paced<T> {
    /// Takes the place of what waits.
    pub fn set(&mut self, value: T) {
        self.waiting = Some(value);
    }

    /// What is to be told now.
    pub fn take(&mut self, now_ms: u64) -> Option<T> {
        if self.wake()? > now_ms {
            return None;
        }
        self.told_ms = Some(now_ms);
        self.waiting.take()
    }

    /// When something is to be told.
    pub fn wake(&self) -> Option<u64> {
        self.waiting.as_ref().map(|_| self.told_ms.map_or(0, |told| told + PAUSE_MS))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_is_told_at_once_and_of_a_flood_the_latest() {
        let mut paced = Paced::default();
        assert_eq!((paced.wake(), paced.take(5)), (None, None));
        paced.set(1);
        assert_eq!(paced.take(5), Some(1));
        (2..9).for_each(|number| paced.set(number));
        assert_eq!((paced.take(6), paced.wake()), (None, Some(5 + PAUSE_MS)));
        assert_eq!(paced.take(5 + PAUSE_MS), Some(8));
        assert_eq!((paced.take(500), paced.wake()), (None, None));
    }
}
