//! What a client is let do, and where its requests go. Pure; asked by the client's task for what goes to a session,
//! and by the hub for everything else.

use crate::core::agent::valid_name;
use crate::core::ancestry::{self, Identity, Reason, Verdict};
use crate::session::message::AgentKey;
use crate::wire::Request;
use crate::wire::message::Reply;

/// Exit codes of the contract.
const FAILED: u8 = 1;
const NO_SUCH: u8 = 3;
const REFUSED: u8 = 4;

/// What a client is let do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    /// It has not said hello yet.
    Stranger,
    /// A person's terminal or script.
    Person,
    /// Something an agent started: it may list, ask and report. Never answer, never type. `None`: which agent
    /// it belongs to is not known any more.
    Agent(Option<AgentKey>),
    /// Neither is proved.
    Refused,
}

/// Whether somebody who is no person must never have it done: what types, answers, starts, stops or ends. Who
/// asks for one of these is looked at again.
pub fn acts(request: &Request) -> bool {
    match request {
        Request::Start { .. }
        | Request::NotStarted { .. }
        | Request::Stop { .. }
        | Request::Down { .. }
        | Request::Replace
        | Request::Pause { .. }
        | Request::Resume { .. }
        | Request::Restart { .. }
        | Request::Release { .. }
        | Request::Resize { .. }
        | Request::Signal { .. }
        | Request::Send { .. }
        | Request::Keys { .. }
        | Request::Answer { .. }
        | Request::Confirm { .. }
        | Request::Consult { .. }
        | Request::TakeOver { .. }
        | Request::Record { .. } => true,
        Request::Hello { .. }
        | Request::Ping
        | Request::List
        | Request::LogHead
        | Request::Only { .. }
        | Request::Read { .. }
        | Request::Wait { .. }
        | Request::Watch { .. }
        | Request::NextPane(_)
        | Request::History { .. }
        | Request::Subscribe
        | Request::Questions { .. }
        | Request::Explain { .. }
        | Request::Hook { .. }
        | Request::AskCounsel { .. }
        | Request::AskLeave { .. }
        | Request::Foreign => false,
    }
}

/// What somebody is told who is no person, or is none any more.
pub fn refusal(reason: &Reason) -> Reply {
    Reply::error(REFUSED, format!("only a person may do this, and {reason}"))
}

/// What the ancestry and the token of a client come to together. `agent_of` names the agent of a keeper, `shown`
/// the one whose token it is, if it shows one.
pub fn of_client(
    verdict: &Verdict,
    agent_of: impl Fn(Identity) -> Option<AgentKey>,
    shown: Option<Option<AgentKey>>,
) -> Result<Standing, Reply> {
    match ancestry::standing(verdict, agent_of, shown) {
        ancestry::Standing::Person => Ok(Standing::Person),
        ancestry::Standing::Agent(agent) => Ok(Standing::Agent(Some(agent))),
        ancestry::Standing::Refused(reason) => Err(Reply::error(REFUSED, reason.to_string())),
    }
}

/// What an agent's own processes may ask for: who is there, what becomes of it itself, and to report by its hook.
/// Nothing that types, answers, starts or stops, and nothing of what others are asked. `named` is the agent that the
/// request names, if there is one of that name.
pub fn permitted(standing: Standing, request: &Request, named: Option<AgentKey>) -> Result<(), Reply> {
    let no = |why: &str| Err(Reply::error(REFUSED, why));
    match standing {
        Standing::Person => Ok(()),
        Standing::Stranger => Err(Reply::error(FAILED, "the client did not say hello")),
        Standing::Refused => no("it is not known that a person asks"),
        Standing::Agent(own) => match request {
            Request::Hello { .. } | Request::Ping | Request::List => Ok(()),
            // Of these it is told its own; see `hears_questions_of`.
            Request::Questions { .. } => Ok(()),
            Request::Hook { .. } | Request::AskCounsel { .. } => Ok(()),
            Request::Explain { .. } | Request::Wait { .. } if own.is_some() && own == named => Ok(()),
            Request::Explain { .. } | Request::Wait { .. } => no("an agent may ask this only about itself"),
            _ => no("an agent may not do this; a person has to"),
        },
    }
}

/// Whether it is told of this agent's questions.
pub fn hears_questions_of(standing: Standing, agent: AgentKey) -> bool {
    match standing {
        Standing::Person => true,
        Standing::Agent(own) => own == Some(agent),
        Standing::Stranger | Standing::Refused => false,
    }
}

/// The agent whose session takes this request; `None`: it is the hub's.
pub fn of_session(request: &Request) -> Option<&str> {
    match request {
        Request::Resize { name, .. }
        | Request::Send { name, .. }
        | Request::Keys { name, .. }
        | Request::Read { name, .. }
        | Request::Wait { name, .. }
        | Request::History { name, .. }
        | Request::Record { name, .. } => Some(name),
        _ => None,
    }
}

pub fn no_agent(name: &str) -> Reply {
    let hint = if valid_name(name) { "see 'counsel ls'" } else { "a name is [a-z0-9][a-z0-9_-]{0,31}" };
    Reply::error(NO_SUCH, format!("there is no agent '{name}'; {hint}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::message::WaitFor;

    const OWN: AgentKey = AgentKey(1);
    const OTHER: AgentKey = AgentKey(2);

    /// An agent could follow every question of all others, and be told what their screens hold.
    #[test]
    fn an_agent_lists_asks_and_reports_and_nothing_else() {
        let may = |request: Request, named| permitted(Standing::Agent(Some(OWN)), &request, named).is_ok();
        let explain = || Request::Explain { name: "a".to_owned() };
        let wait = || Request::Wait { name: "a".to_owned(), what: WaitFor::Exited, timeout_ms: None };
        assert!(may(Request::List, None));
        assert!(may(Request::Hook { event: "Stop".to_owned(), payload: serde_json::Value::Null }, None));
        assert!(may(explain(), Some(OWN)) && may(wait(), Some(OWN)));
        for named in [None, Some(OTHER)] {
            assert!(!may(explain(), named) && !may(wait(), named), "{named:?}");
        }
        assert!(!may(Request::Subscribe, None));
        assert!(!may(Request::Watch { panes: Vec::new() }, None));
        let nobodys = permitted(Standing::Agent(None), &explain(), None);
        assert!(matches!(nobodys, Err(Reply::Error { code: REFUSED, .. })), "{nobodys:?}");
        assert!(hears_questions_of(Standing::Agent(Some(OWN)), OWN));
        assert!(!hears_questions_of(Standing::Agent(Some(OWN)), OTHER));
        assert!(!hears_questions_of(Standing::Agent(None), OTHER));
    }
}
