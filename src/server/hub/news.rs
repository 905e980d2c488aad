//! What a session tells, as messages to the machines that it concerns.
//!
//! `hub/mod.rs` asks for each piece of news. It decides nothing.

use super::message::{Message, ToClients, ToConsultants, ToHooks, ToQuestions, ToReplies};
use super::replies::Caller;
use crate::server::lifecycle::message::{Begun, ToLifecycle};
use crate::session::message::{AgentKey, News};

/// What the news of a session means to the machines.
pub(super) fn heard_of(agent: AgentKey, news: News) -> Vec<Message> {
    let one = match news {
        News::Looked(sight) => return seen(agent, ToLifecycle::See(agent, sight), None),
        News::Delivery { ask, outcome, keys, sight } => {
            let delivery = ToQuestions::Delivery { agent, ask, outcome, keys };
            return seen(agent, ToLifecycle::See(agent, sight), Some(delivery));
        }
        News::Typed { typed, person, held, behind, choice } => {
            let question = Message::Question(ToQuestions::Typed { agent, person, held, choice });
            let rest = [
                Message::Life(ToLifecycle::Typed { agent, typed }),
                Message::Consultant(ToConsultants::Used(agent)),
                Message::Hook(ToHooks::Abstain(agent)),
            ];
            return rest.into_iter().chain((!behind).then_some(question)).collect();
        }
        News::Started { pid, keeper, token, place, stopped } => {
            let begun = Box::new(Begun { pid, keeper, token, place, stopped });
            Message::Life(ToLifecycle::Started(agent, begun))
        }
        News::StartFailed { why } => Message::Life(ToLifecycle::StartFailed { agent, why }),
        News::NotPut { ask, why } => Message::Consultant(ToConsultants::NotPut { agent, ask, why }),
        News::Replied { ask, text } => Message::Consultant(ToConsultants::Replied { agent, ask, text }),
        News::Stopped { running } => Message::Life(ToLifecycle::Stopped { agent, running }),
        News::Continued => Message::Life(ToLifecycle::Continued(agent)),
        News::Exited { code } => Message::Life(ToLifecycle::Exited { agent, code }),
        News::Swept { left, kept } => Message::Life(ToLifecycle::Swept { agent, left, kept }),
        News::KeeperLost => Message::Life(ToLifecycle::KeeperLost(agent)),
        News::FirstPromptReady => Message::Life(ToLifecycle::FirstPromptReady(agent)),
        News::Bell => Message::Client(ToClients::Bell(agent)),
        News::Notify(text) => Message::Client(ToClients::NotifyOf { agent, text }),
        News::Wait { client, id, what, timeout_ms } => {
            Message::Reply(ToReplies::Wait { from: Caller { client, id }, agent, what, timeout_ms })
        }
        News::Reply { client, id, reply } => {
            Message::Reply(ToReplies::Told { to: Caller { client, id }, reply })
        }
        News::SessionEnded => return Message::session_ended(agent),
        News::Barrier => Message::Life(ToLifecycle::Barrier(agent)),
        News::Retired { history } => Message::Life(ToLifecycle::Retired(agent, history)),
    };
    vec![one]
}

/// An agent was seen; what became of an answer is drawn on that screen, before anything else is made of it.
fn seen(agent: AgentKey, see: ToLifecycle, delivery: Option<ToQuestions>) -> Vec<Message> {
    let first = std::iter::once(Message::Life(see));
    first.chain(delivery.map(Message::Question)).chain(Message::looked(agent)).collect()
}
