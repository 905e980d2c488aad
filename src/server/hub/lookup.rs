//! Looking things up by the names people use, and what is told of an agent with its open question.

use crate::core::agent::AgentInfo;
use crate::core::question::State;
use crate::server::lifecycle::agent::Agents;
use crate::server::question::ask::{Ask, Asks};
use crate::server::question::track::Tracks;
use crate::server::standing::no_agent;
use crate::session::message::{AgentKey, AskKey};
use crate::wire::message::Reply;

/// Exit code of the contract.
const NO_SUCH: u8 = 3;

pub fn by_name(agents: &Agents, name: &str) -> Option<AgentKey> {
    agents.iter().find(|(_, agent)| agent.spec.name == name).map(|(key, _)| key)
}

/// Every named agent, or none if one of the names is unknown. No names: all.
pub fn named(agents: &Agents, names: &[String]) -> Result<Vec<AgentKey>, Reply> {
    if names.is_empty() {
        return Ok(agents.keys().collect());
    }
    names.iter().map(|name| by_name(agents, name).ok_or_else(|| no_agent(name))).collect()
}

pub fn ask_by_id<'a>(asks: &'a Asks, id: &str) -> Result<(AskKey, &'a Ask), Reply> {
    // One that an earlier server told of keeps the name it had there, whatever its key.
    asks.iter()
        .find(|(_, ask)| ask.id == id)
        .ok_or_else(|| Reply::error(NO_SUCH, format!("there is no question '{id}'; see 'counsel questions'")))
}

/// An agent's name; of one that is gone, nothing.
pub fn name_of(agents: &Agents, key: AgentKey) -> String {
    agents.get(key).map_or_else(String::new, |agent| agent.spec.name.clone())
}

/// The open question of an agent: the one on its screen, else the oldest it has put in words.
pub fn open_question<'a>(asks: &'a Asks, tracks: &Tracks, key: AgentKey) -> Option<&'a Ask> {
    let on_screen = tracks.get(key).and_then(|track| track.open).and_then(|ask| asks.get(ask));
    let open = |ask: &&Ask| !ask.settled();
    on_screen.filter(open).or_else(|| in_words(asks, key))
}

/// The oldest question that an agent has put in words and nobody has answered.
pub fn in_words(asks: &Asks, key: AgentKey) -> Option<&Ask> {
    asks.values().find(|ask| ask.agent == key && ask.in_words() && !ask.settled())
}

pub fn agent_info(agents: &Agents, asks: &Asks, tracks: &Tracks, key: AgentKey) -> Option<AgentInfo> {
    let open = open_question(asks, tracks, key);
    let mut info =
        agents.get(key)?.info(open.map(|ask| ask.id.clone()), open.and_then(Ask::deadline_unix_ms));
    if let Some(ask) = open {
        let asked = ask.asked_unix_ms as f64 / 1000.0;
        // One question may follow another with no other state between: it waits since it was asked. What stands on its
        // screen it has asked for as long, whatever else it was taken for meanwhile, as by a server that has just begun.
        let waits = info.state == State::Asking && !ask.in_words();
        info.since = if waits { asked } else { info.since.max(asked) };
        // It waits for an answer, whatever its screen shows of that.
        if ask.in_words() && !matches!(info.state, State::Exited | State::Paused) {
            info.state = State::Asking;
        }
    }
    Some(info)
}
