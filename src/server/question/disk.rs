//! What the disk says before anything is answered automatically: whether the log has room, and whether a file that is to be
//! changed lies where its path says.
//!
//! An answer that cannot be written down is not given: where the disk is full, or the log no file, a person is called with
//! that reason. So are they where a path leads over a link: a rule for `src/` is no word about what `src/x` leads to. What a
//! person answers themselves waits for nothing.

use crate::core::policy::{guard, request};
use crate::core::question::Answer;
use crate::server::effect::Effect;
use crate::session::message::AskKey;

use super::ask::Ask;
use super::phase::{AnsweredBy, HoldReason, Reserve};
use super::told_file::told_paths;
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
                ask.hold(HoldReason::Disk);
                let told = told_paths(ask, world.hooks.get(ask.agent)).first().map(|path| path.to_string());
                let path = changed(ask).map(|shown| told.unwrap_or(shown));
                let cwd = world.agents.get(ask.agent).map(|agent| agent.spec.cwd.clone());
                self.effect(match path.zip(cwd) {
                    Some((path, cwd)) => Effect::LookAtPath { ask: key, cwd, path },
                    None => Effect::ReserveLog { ask: key },
                });
                self.tell_question(key);
            }
            Reserve::Asked { until_ms } if world.now.ms >= until_ms => {
                self.unlogged(key, "the disk does not answer", world);
            }
            Reserve::Asked { .. } => {}
        }
        true
    }

    pub(super) fn path_looked(&mut self, key: AskKey, link: Option<String>, world: World<'_>) {
        let Some(ask) = self.open_mut(key).filter(|ask| matches!(ask.reserve, Reserve::Asked { .. })) else {
            return;
        };
        let Some(link) = link else { return self.effect(Effect::ReserveLog { ask: key }) };
        ask.reserve = Reserve::None;
        if ask.phase.held(HoldReason::Disk) {
            let why =
                format!("the path of its file leads over a link, {link}: a person says what it may change");
            self.escalate(key, why, None, world);
        }
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
                if ask.phase.held(HoldReason::Disk) {
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

/// The file that the answer which was decided on lets be changed.
fn changed(ask: &Ask) -> Option<String> {
    let question = &ask.question;
    let refuses = match &ask.decision()?.answer {
        Answer::Rows(rows) => {
            let refuses =
                |row: &usize| question.options.get(*row).is_some_and(|row| guard::refuses(&row.label));
            !rows.is_empty() && rows.iter().all(refuses)
        }
        Answer::Reject => true,
        Answer::Text(_) => false,
    };
    request::changed(question).filter(|_| !refuses)
}
