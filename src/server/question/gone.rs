//! Questions that go without an answer of ours: how, as far as that is known, and the words for it in the log.
//!
//! `appearance.rs` asks when it withdraws one. Pure.

use crate::core::deliver::same_dialog;
use crate::core::log::log_entry::Outcome;
use crate::server::lifecycle::agent::Agent;
use crate::session::message::Now;

use super::ask::Ask;
use super::phase::{AnsweredBy, End};

/// A dialog goes within a fraction of a second of the key that answers it, and is missed `MISSING_MS` later. One that
/// was there for longer than a busy machine needs went by itself: its own time was up.
const BY_KEY_MS: u64 = 5_000;

/// How a question has gone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Gone {
    /// A key of a person's has answered it.
    ByKey,
    /// With its program, and something was typed there, which may have reached it.
    Typed,
    /// The same, and it has not.
    Unsent,
    /// Its program goes on, and what was typed has not reached it.
    UnsentItself,
    Itself,
}

impl Gone {
    /// `agent`: whose question it is, if that is there still.
    pub fn of(ask: &Ask, agent: Option<&Agent>, now: Now) -> Gone {
        // What was typed before an answer was ordered has not answered it.
        let typed = ask.typed_at_order.unwrap_or(ask.typed);
        let Some(agent) = agent.filter(|agent| agent.sight.typed != typed) else { return Gone::Itself };
        let ordered = agent.ending.stop_wanted || agent.ending.restart_wanted;
        let stood = agent.on_screen().is_some_and(|seen| same_dialog(ask.shown(), seen));
        let given = match (ask.typed_ms, ask.given_ms) {
            // Typed while another question of its agent's was the open one.
            (None, _) => true,
            (Some(_), at) => at.is_some_and(|at| now.ms <= at + BY_KEY_MS),
        };
        let unsent = ask.typed_ms.is_some() && ask.given_ms.is_none();
        match (unsent, agent.gone()) {
            (true, true) => Gone::Unsent,
            (true, false) => Gone::UnsentItself,
            // Whoever had the program ended, or its pane released, answered nothing by that.
            (false, true) if ordered && stood => Gone::Typed,
            (false, false) if ordered && stood => Gone::Itself,
            (false, _) if given => Gone::ByKey,
            (false, _) => Gone::Itself,
        }
    }

    fn words(self) -> &'static str {
        match self {
            Gone::ByKey => "answered in the pane",
            Gone::Typed => "typed in the pane; the question went with its program",
            Gone::Unsent => "typed in the pane and not submitted; the question went with its program",
            Gone::UnsentItself => "typed in the pane and not submitted; the question went away",
            Gone::Itself => "the question went away",
        }
    }
}

impl Ask {
    /// How it ends where its program was ended under an answer, and no session is there any more to say what it had typed.
    pub fn ended_under_answer(&self) -> End {
        let why = "its program was ended while this answer was being typed; which keys went in is not known";
        let by = self.decision().map(|decision| decision.by.clone());
        End::new(Outcome::Failed, Some(why.to_owned()), by)
    }

    /// How it ends where it has gone so.
    pub fn gone(&self, how: Gone) -> End {
        match self.decision().filter(|_| how != Gone::ByKey && !self.typed_in_vain.is_empty()) {
            // A person was called to what is typed there, and no key of theirs has answered it.
            Some(decision) => End::new(Outcome::Failed, self.note.clone(), Some(decision.by.clone())),
            None => {
                let by = (how == Gone::ByKey).then_some(AnsweredBy::Person);
                End::new(Outcome::Withdrawn, Some(how.words().to_owned()), by)
            }
        }
    }
}
