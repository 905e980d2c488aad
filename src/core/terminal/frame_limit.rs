//! How often a screen may be shown anew: at once where somebody waits for it, sixty times a second in a flood.
//!
//! A token bucket. Whoever sends or draws pictures keeps one for each viewer. The first changes after a pause
//! find it full, and whatever follows a key shortly is what its typist waits for. No clock in here: times are
//! milliseconds since any moment.

/// More cannot be seen.
const FRAMES_PER_SECOND: u64 = 60;
/// Frames that may follow each other at once after a pause: an echo, and the line a program redraws for it.
const BURST: u64 = 3;
/// A program that has not answered a key within this time is busy, and its typist no longer waits for an echo.
const AFTER_KEY_MS: u64 = 150;
/// The bucket is kept in thousandths of a frame, so that a millisecond adds a whole number.
const FRAME: u64 = 1000;

/// The bucket of one viewer.
#[derive(Debug, Clone, Copy)]
pub struct FrameLimit {
    level: u64,
    /// When the level was true.
    at_ms: u64,
    /// Frames pass freely before this.
    free_until_ms: u64,
}

impl Default for FrameLimit {
    fn default() -> FrameLimit {
        FrameLimit { level: BURST * FRAME, at_ms: 0, free_until_ms: 0 }
    }
}

impl FrameLimit {
    /// A key was typed: what follows is waited for.
    pub fn typed(&mut self, now_ms: u64) {
        self.free_until_ms = now_ms + AFTER_KEY_MS;
    }

    /// When a frame may go: now, or at a moment to come.
    pub fn due_ms(&self, now_ms: u64) -> u64 {
        let missing = FRAME.saturating_sub(self.level_at(now_ms));
        if now_ms < self.free_until_ms { now_ms } else { now_ms + missing.div_ceil(FRAMES_PER_SECOND) }
    }

    /// A frame went.
    pub fn sent(&mut self, now_ms: u64) {
        self.level = self.level_at(now_ms).saturating_sub(FRAME);
        self.at_ms = now_ms;
    }

    fn level_at(&self, now_ms: u64) -> u64 {
        let added = now_ms.saturating_sub(self.at_ms).saturating_mul(FRAMES_PER_SECOND);
        self.level.saturating_add(added).min(BURST * FRAME)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Frames shown from one moment to another while there is always one to show.
    fn flood(limit: &mut FrameLimit, from_ms: u64, to_ms: u64) -> usize {
        let (mut now, mut frames) = (from_ms, 0);
        loop {
            now = limit.due_ms(now);
            if now >= to_ms {
                return frames;
            }
            limit.sent(now);
            frames += 1;
            // Another picture comes a moment later.
            now += 1;
        }
    }

    #[test]
    fn the_first_frames_after_a_pause_go_at_once_and_a_flood_is_held_to_sixty_a_second() {
        let mut limit = FrameLimit::default();
        for now in [5, 6, 7] {
            assert_eq!(limit.due_ms(now), now);
            limit.sent(now);
        }
        assert!(limit.due_ms(8) > 15);
        assert!((59..=60).contains(&flood(&mut limit, 8, 1_008)));
        assert_eq!(limit.due_ms(2_000), 2_000);
    }

    #[test]
    fn what_follows_a_key_goes_at_once_in_a_flood_too() {
        let mut limit = FrameLimit::default();
        flood(&mut limit, 0, 999);
        limit.sent(limit.due_ms(999));
        assert!(limit.due_ms(1_000) > 1_000);
        limit.typed(1_000);
        assert_eq!(flood(&mut limit, 1_000, 1_150), 150);
        assert!(limit.due_ms(1_150) > 1_150);
    }

    proptest! {
        /// Whatever the rhythm, no second without a key sees more than sixty frames and what was saved up, and
        /// nothing waits longer than a frame.
        #[test]
        fn no_rhythm_gets_around_it(pauses in prop::collection::vec(0u64..40, 1..300)) {
            let (mut limit, mut now, mut shown) = (FrameLimit::default(), 0, Vec::new());
            for pause in pauses {
                now += pause;
                let due = limit.due_ms(now);
                prop_assert!(due >= now && due <= now + 17);
                now = due;
                limit.sent(now);
                shown.push(now);
                let within = shown.iter().filter(|at| **at + 1_000 > now).count();
                prop_assert!(within as u64 <= FRAMES_PER_SECOND + BURST, "{within} within a second");
            }
        }
    }
}
