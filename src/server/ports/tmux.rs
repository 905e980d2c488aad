//! The tmux half of the ports: agents whose terminal a tmux server holds, started and found again.

use tokio::sync::mpsc::{self, Sender, UnboundedReceiver};

use super::{AgentPort, Card, Ports};
use crate::os::keeper_link::{self, KeeperSpec, Link};
use crate::os::tmux::Tmux;
use crate::server::agent_io::Command;
use crate::server::effect::{AgentKey, Event, Started};
use crate::server::{file_io, tmux_io};

/// What an agent in tmux is started with.
pub struct Start {
    pub agent: AgentKey,
    pub keeper: KeeperSpec,
    pub card: Card,
    pub token: String,
}

/// Starts an agent in a pane and serves it to its end.
pub async fn run(
    tmux: Tmux,
    start: Start,
    output: Sender<Event>,
    events: Sender<Event>,
    commands: UnboundedReceiver<Command>,
) {
    let Start { agent, keeper, card, token } = start;
    let opened = match serde_json::to_value(card) {
        Ok(card) => tmux_io::open(tmux, keeper, card, token).await,
        Err(error) => Err(error.to_string()),
    };
    match opened {
        Ok((start, opened)) => {
            let _ = events.send(Event::Started { agent, start }).await;
            tmux_io::run(agent, opened, output, commands).await;
        }
        Err(why) => drop(events.send(Event::StartFailed { agent, why }).await),
    }
}

impl Ports {
    /// Serves an agent whose keeper was found running in a pane of the private server.
    pub async fn attach_in_tmux(
        &mut self,
        agent: AgentKey,
        link: Link,
        token: String,
    ) -> Result<Started, String> {
        let name = link.hello.name.clone();
        let journal = file_io::journal_path(
            self.log.parent().unwrap_or(&self.log),
            &keeper_link::socket_of(&self.keepers, &name),
        );
        // Without it the modes that tmux does not tell are taken for unset.
        let journal = std::fs::read(journal).unwrap_or_default();
        let tmux = tmux_io::private(&self.keepers);
        let (start, opened) = tmux_io::find(tmux, link, token, &journal).await?;
        let (commands, receiver) = mpsc::unbounded_channel();
        let task = tokio::spawn(tmux_io::run(agent, opened, self.output.clone(), receiver));
        self.names.insert(agent, name);
        self.agents.insert(agent, AgentPort { commands, task });
        Ok(start)
    }
}
