//! Whether the server still answers: after a while without a word it is asked for one, so that a server that hangs is
//! not taken for one that has nothing to tell.
//!
//! The loop keeps one for its connection. Pure: times are Unix milliseconds.

/// Without a word for so long the server is asked for one.
const QUIET_MS: u64 = 2_000;
/// A server that works answers within milliseconds, on a machine that is overloaded within a second; one that has just
/// taken its agents back within three of the connection, once it has seen their screens.
const PATIENCE_MS: u64 = 2_000;

/// What is to be done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Check {
    Nothing,
    Ask,
    /// Nothing has come since then.
    Silent(u64),
}

#[derive(Debug, Default)]
pub struct Silence {
    heard_ms: u64,
    /// When it was asked, until something comes.
    asked_ms: Option<u64>,
    /// The request by which it was last asked.
    id: Option<u64>,
    silent: bool,
}

impl Silence {
    /// Something came from it.
    pub fn heard(&mut self, now_ms: u64) {
        (self.heard_ms, self.asked_ms, self.silent) = (now_ms, None, false);
    }

    /// It was asked by the request of this number.
    pub fn asked(&mut self, id: u64, now_ms: u64) {
        (self.id, self.asked_ms) = (Some(id), Some(now_ms));
    }

    /// Whether this is the number of the request by which it was asked.
    pub fn is_answer(&self, id: u64) -> bool {
        self.id == Some(id)
    }

    /// When to look again; one that is silent is only waited for.
    pub fn due_ms(&self) -> u64 {
        match self.asked_ms {
            _ if self.silent => u64::MAX,
            Some(at) => at + PATIENCE_MS,
            None => self.heard_ms + QUIET_MS,
        }
    }

    pub fn check(&mut self, now_ms: u64) -> Check {
        match self.asked_ms {
            _ if now_ms < self.due_ms() => Check::Nothing,
            None => Check::Ask,
            // Not longer than it was listened for: this program may have stood still itself.
            Some(at) => {
                self.silent = true;
                Check::Silent(self.heard_ms.max(at.saturating_sub(QUIET_MS)))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A server that was stopped left a dashboard that looked as if nothing happened.
    #[test]
    fn a_server_that_hangs_is_noticed_after_four_seconds() {
        let mut silence = Silence::default();
        silence.heard(10_000);
        assert_eq!((silence.check(11_999), silence.due_ms()), (Check::Nothing, 12_000));
        assert_eq!(silence.check(12_000), Check::Ask);
        silence.asked(7, 12_000);
        assert!(silence.is_answer(7) && !silence.is_answer(8));
        assert_eq!((silence.check(13_999), silence.due_ms()), (Check::Nothing, 14_000));
        assert_eq!(silence.check(14_000), Check::Silent(10_000));
        silence.heard(15_000);
        assert_eq!(silence.check(15_000), Check::Nothing);
    }

    #[test]
    fn the_sleep_of_the_machine_is_not_the_servers() {
        let mut silence = Silence::default();
        silence.heard(10_000);
        assert_eq!(silence.check(9_000_000), Check::Ask);
        silence.asked(1, 9_000_000);
        assert_eq!(silence.check(9_002_000), Check::Silent(8_998_000));
    }
}
