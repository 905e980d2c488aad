//! Room in the log, before anything is answered automatically.
//!
//! An answer that cannot be written down is not given: where the disk is full, or the log no file, a person is called with
//! that reason. What a person answers themselves waits for nothing.

use crate::server::effect::Effect;
use crate::session::message::AskKey;

use super::phase::{AnsweredBy, HoldReason, Reserve};
use super::{Questions, World};

/// A disk that has not said by then whether there is room says nothing.
const RESERVE_MS: u64 = 10_000;

impl Questions {
    /// Whether the answer that was decided on has to wait for the log.
    pub(super) fn awaits_log(&mut self, key: AskKey, world: World<'_>) -> bool {
        let Some(ask) = self.asks.get_mut(key) else { return false };
        if ask.decision().is_none_or(|decision| decision.by == AnsweredBy::Person) {
            return false;
        }
        match ask.reserve {
            Reserve::Done => return false,
            Reserve::None => {
                ask.reserve = Reserve::Asked { until_ms: world.now.ms + RESERVE_MS };
                ask.hold(HoldReason::Log);
                self.effect(Effect::ReserveLog { ask: key });
                self.tell_question(key);
            }
            Reserve::Asked { until_ms } if world.now.ms >= until_ms => {
                self.unlogged(key, "the disk does not answer", world);
            }
            Reserve::Asked { .. } => {}
        }
        true
    }

    pub(super) fn log_reserved(&mut self, key: AskKey, done: Result<(), String>, world: World<'_>) {
        let Some(ask) = self.open_mut(key).filter(|ask| matches!(ask.reserve, Reserve::Asked { .. })) else {
            return;
        };
        match done {
            Ok(()) => {
                ask.reserve = Reserve::Done;
                self.deliver(key, world);
            }
            Err(why) => {
                ask.reserve = Reserve::None;
                if ask.phase.held(HoldReason::Log) {
                    self.unlogged(key, &why, world);
                }
            }
        }
    }

    fn unlogged(&mut self, key: AskKey, why: &str, world: World<'_>) {
        let why = format!("nothing is answered automatically while the log cannot be written: {why}");
        self.escalate(key, why, None, world);
    }
}
