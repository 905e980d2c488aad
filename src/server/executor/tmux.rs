//! The tmux half of the executor: agents whose terminal a tmux server holds, started and found again.

use std::path::PathBuf;

use tokio::sync::mpsc::{self, Sender, UnboundedReceiver};

use super::{AgentHandle, Executor, KeeperManifest};
use crate::os::keeper_link::{self, KeeperSpec, Link};
use crate::os::tmux::{self, Tmux};
use crate::server::agent_io::Command;
use crate::server::effect::{AgentKey, Event, Started};
use crate::server::{file_io, journal, tmux_io};

/// What an agent in tmux is started with.
pub struct Start {
    pub agent: AgentKey,
    pub keeper: KeeperSpec,
    pub manifest: KeeperManifest,
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
    let Start { agent, keeper, manifest, token } = start;
    let opened = match serde_json::to_value(manifest) {
        Ok(manifest) => tmux_io::open(tmux, keeper, manifest, token).await,
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

/// Serves an adopted pane until it is released or its program has ended; the manifest that a later server would
/// take it back by goes with it.
pub async fn serve_adopted(
    agent: AgentKey,
    opened: tmux_io::Opened,
    manifest: PathBuf,
    output: Sender<Event>,
    commands: UnboundedReceiver<Command>,
) {
    if tmux_io::run(agent, opened, output, commands).await == tmux_io::End::Forgotten {
        keeper_link::remove_files(&manifest);
    }
}

/// Takes a pane of the user's own over.
pub async fn adopt(
    folder: PathBuf,
    start: Start,
    output: Sender<Event>,
    events: Sender<Event>,
    commands: UnboundedReceiver<Command>,
) {
    let Start { agent, manifest, token, .. } = start;
    let file = tmux::manifest_of(&folder, &manifest.spec.name);
    let begun = async {
        let pane = manifest.spec.pane.as_ref().ok_or("no pane is named")?;
        let (start, opened) = tmux_io::adopt(manifest.spec.name.clone(), pane, token).await?;
        let manifest = serde_json::to_value(&manifest).map_err(|error| error.to_string())?;
        keeper_link::write_manifest(&file, &manifest)?;
        Ok::<_, String>((start, opened))
    };
    match begun.await {
        Ok((start, opened)) => {
            let _ = events.send(Event::Started { agent, start }).await;
            serve_adopted(agent, opened, file, output, commands).await;
        }
        Err(why) => drop(events.send(Event::StartFailed { agent, why }).await),
    }
}

impl Executor {
    /// The adopted panes of an earlier server.
    pub fn find_adopted(&self) -> Vec<KeeperManifest> {
        let read = |file: &PathBuf| serde_json::from_value(keeper_link::read_manifest(file).ok()?).ok();
        tmux::manifests(&self.keepers).iter().filter_map(read).collect()
    }

    /// Takes such a pane back; without its program there is nothing to take.
    pub async fn readopt(&mut self, agent: AgentKey, manifest: KeeperManifest) -> Result<Started, String> {
        let name = manifest.spec.name.clone();
        let file = tmux::manifest_of(&self.keepers, &name);
        let pane = manifest.spec.pane.ok_or("no pane is named")?;
        let adopted = tmux_io::adopt(name.clone(), &pane, manifest.token).await;
        let (start, opened) = adopted.inspect_err(|_| keeper_link::remove_files(&file))?;
        let (commands, receiver) = mpsc::unbounded_channel();
        let task = tokio::spawn(serve_adopted(agent, opened, file, self.output.clone(), receiver));
        self.names.insert(agent, name);
        self.agents.insert(agent, AgentHandle { commands, task });
        Ok(start)
    }

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
        let (journal, _) = journal::read(&journal);
        let tmux = tmux_io::private(&self.keepers);
        let (start, opened) = tmux_io::find(tmux, link, token, &journal).await?;
        let (commands, receiver) = mpsc::unbounded_channel();
        let output = self.output.clone();
        let task = tokio::spawn(async move {
            // Its pane and its keeper are gone, or stay as they are: nothing of it is kept here.
            let _ = tmux_io::run(agent, opened, output, receiver).await;
        });
        self.names.insert(agent, name);
        self.agents.insert(agent, AgentHandle { commands, task });
        Ok(start)
    }
}
