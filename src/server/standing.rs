//! What a client is let do, and where its requests go. Pure; asked by the client's task for what goes to a session,
//! and by the hub for everything else.

use crate::core::agent::valid_name;
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
    /// Something an agent started: it may look, and use the hook. Never answer, never type. `None`: which agent
    /// it belongs to is not known any more.
    Agent(Option<AgentKey>),
}

/// What an agent's own processes may ask for: look, and speak through the hook. Nothing that types,
/// answers, starts or stops.
pub fn permitted(standing: Standing, request: &Request) -> Result<(), Reply> {
    match standing {
        Standing::Person => Ok(()),
        Standing::Stranger => Err(Reply::error(FAILED, "the client did not say hello")),
        Standing::Agent(_) => match request {
            Request::Hello { .. } | Request::Ping | Request::List | Request::Questions { .. } => Ok(()),
            Request::Explain { .. } | Request::Wait { .. } | Request::Hook { .. } | Request::Subscribe => {
                Ok(())
            }
            Request::AskCounsel { .. } => Ok(()),
            _ => Err(Reply::error(REFUSED, "an agent may not do this; a person has to")),
        },
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
