//! The tmux half of the executor: agents whose terminal a tmux server holds, started and found again.

use std::path::{Path, PathBuf};

use tokio::sync::mpsc;

use crate::os::keeper_link::{self, KeeperSpec, Link};
use crate::os::output_log::OutputLog;
use crate::os::paths;
use crate::os::tmux::{self, Tmux};
use crate::server::tmux_io;
use crate::session::Setup;
use crate::session::message::{AgentKey, Started};
use crate::session::setting::{Starting, Terminal};

use super::Executor;
use super::kept::Kept;
use super::manifest::KeeperManifest;

/// Keys and orders that may wait for tmux: a person at full speed on a machine that stalls.
const TO_TMUX: usize = 1024;
/// Blocks of output that may wait for the session; beyond, tmux holds the agent up.
const FROM_TMUX: usize = 32;

/// Starts an agent in a pane.
pub async fn open(
    tmux: Tmux,
    keeper: KeeperSpec,
    manifest: KeeperManifest,
    notes: &Path,
) -> Result<(Started, Terminal), String> {
    let token = manifest.token.clone();
    let manifest = serde_json::to_value(manifest).map_err(|error| error.to_string())?;
    let notes = OutputLog::begin(notes, 0, &[], &[]);
    let (start, opened) = tmux_io::open(tmux, keeper, manifest, token).await?;
    Ok((start, served(opened, notes, None)))
}

/// Takes a pane of the user's own over.
pub async fn adopt(
    folder: PathBuf,
    manifest: KeeperManifest,
    notes: PathBuf,
) -> Result<(Started, Terminal), String> {
    let file = tmux::manifest_of(&folder, &manifest.spec.name);
    paths::create_private(&folder).map_err(|e| format!("{} cannot be created: {e}", folder.display()))?;
    let pane = manifest.spec.pane.as_ref().ok_or("no pane is named")?;
    let (name, token) = (manifest.spec.name.clone(), manifest.token.clone());
    let (start, opened) = tmux_io::adopt(name, pane, token).await?;
    let manifest = serde_json::to_value(&manifest).map_err(|error| error.to_string())?;
    keeper_link::write_manifest(&file, &manifest)?;
    let mut notes = OutputLog::begin(&notes, 0, &[], &[]);
    notes.missed();
    Ok((start, served(opened, notes, Some(file))))
}

/// A task that looks after the pane until it is released or its program has ended; the manifest that a later server
/// would take an adopted one back by goes with it.
fn served(opened: tmux_io::Opened, notes: OutputLog, manifest: Option<PathBuf>) -> Terminal {
    let (to, commands) = mpsc::channel(TO_TMUX);
    let (inbox, from) = mpsc::channel(FROM_TMUX);
    let tty = opened.line.clone();
    let task = tokio::spawn(async move {
        let end = tmux_io::run(opened, notes, inbox, commands).await;
        if let Some(manifest) = manifest.filter(|_| end == tmux_io::End::Forgotten) {
            keeper_link::remove_files(&manifest);
        }
    });
    Terminal::Remote { to, from, tty, task }
}

impl Executor {
    /// Where it is kept what the adopted panes are.
    pub fn adopted_place(&self) -> PathBuf {
        paths::adopted_place(&self.state_dir(), &self.sockets.keepers)
    }

    /// The adopted panes of an earlier server.
    pub fn find_adopted(&self) -> Vec<KeeperManifest> {
        let read = |file: &PathBuf| serde_json::from_value(keeper_link::read_manifest(file).ok()?).ok();
        tmux::manifests(&self.adopted_place()).iter().filter_map(read).collect()
    }

    /// Takes such a pane back; without its program there is nothing to take.
    pub fn readopt(&mut self, agent: AgentKey, setup: Setup, manifest: KeeperManifest) {
        let name = manifest.spec.name.clone();
        let file = tmux::manifest_of(&self.adopted_place(), &name);
        let (journal, notes) = (self.journal_of(&name), self.notes_of(&name));
        let starting: Starting = Box::pin(async move {
            let pane = manifest.spec.pane.ok_or("no pane is named")?;
            let adopted = tmux_io::adopt(name, &pane, manifest.token).await;
            let (start, opened) = adopted.inspect_err(|_| keeper_link::remove_files(&file))?;
            let (start, notes) = Kept::of(&journal, &notes, &[]).seen_by(start);
            Ok((start, served(opened, notes, Some(file))))
        });
        self.run_session(agent, setup, starting);
    }

    /// Serves an agent whose keeper was found running in a pane of the private server.
    pub fn attach_in_tmux(
        &mut self,
        agent: AgentKey,
        setup: Setup,
        (link, kept): (Link, Kept),
        token: String,
    ) {
        let tmux = tmux_io::private(&self.sockets.keepers);
        let starting: Starting = Box::pin(async move {
            // Without its journal the modes that tmux does not tell are taken for unset.
            let (start, opened) = tmux_io::find(tmux, link, token, &kept.journal).await?;
            let (start, notes) = kept.seen_by(start);
            // Its pane and its keeper are gone, or stay as they are: nothing of it is kept here.
            Ok((start, served(opened, notes, None)))
        });
        self.run_session(agent, setup, starting);
    }
}
