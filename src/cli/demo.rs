//! `counsel demo`: the dashboard over a scripted team, or the same story without a terminal.
//!
//! Starts a second copy of itself in a world of its own and clears up after it.

use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use crate::config::Dashboard;
use crate::core::keymap::Action;
use crate::core::layout::Layout;
use crate::dashboard::story::Teller;
use crate::dashboard::{self, Options, Outcome};
use crate::demo::tell::{self, Keys, Tell};
use crate::demo::{drive, stage};
use crate::os::interrupt::{self, INTERRUPTED};
use crate::os::paths;
use crate::os::socket::connect_and_greet;
use crate::wire::Notice;

use super::out;

/// A scripted team that asks, is answered and goes on; no account, no network, nothing left behind
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Play the story without a terminal and print each event; 0 only if all was answered correctly
    #[arg(long)]
    headless: bool,
    /// Folder of the world this copy plays in
    #[arg(long, hide = true)]
    inside: Option<PathBuf>,
}

pub fn run(args: &Args) -> Result<ExitCode, String> {
    let untaken = |errno: nix::errno::Errno| format!("signals cannot be taken: {}", errno.desc());
    if let Some(root) = &args.inside {
        interrupt::unblock().map_err(untaken)?;
        return play(args, root);
    }
    let on_a_terminal = std::io::stdin().is_terminal() && std::io::stdout().is_terminal();
    if !args.headless && !on_a_terminal {
        let mend = "'counsel demo --headless' plays the story without one";
        return Err(format!("input and output have to be a terminal; {mend}"));
    }
    // Before there is anything to be left behind.
    let signals = interrupt::block().map_err(untaken)?;
    let world = stage::World::new()?;
    let exe = std::env::current_exe().map_err(|e| format!("find this program: {e}"))?;
    let mut command = Command::new(exe);
    command.arg("demo").arg("--inside").arg(world.root());
    if args.headless {
        command.arg("--headless");
    }
    let (code, left) = stage::run(command, &world, signals)?;
    for process in left.iter().filter(|_| code == 0) {
        out::line(&format!("wrong: still running after the end: {process}")).map_err(|f| f.message)?;
    }
    Ok(ExitCode::from(if left.is_empty() { code } else { code.max(1) }))
}

fn play(args: &Args, root: &Path) -> Result<ExitCode, String> {
    if args.headless {
        return Ok(if drive::headless(root)? { ExitCode::SUCCESS } else { ExitCode::FAILURE });
    }
    if watched(root)? == Outcome::Interrupted {
        // Its terminal may be what has gone.
        return Ok(ExitCode::from(INTERRUPTED));
    }
    out::line(&drive::summary(root)).map_err(|failure| failure.message)?;
    Ok(ExitCode::SUCCESS)
}

/// The story's words for the dashboard.
#[derive(Debug)]
struct Told(Tell);

impl Teller for Told {
    fn tell(&mut self, notice: &Notice, waiting: usize) -> Option<String> {
        self.0.tell(notice, waiting)
    }
}

/// The story in the dashboard, until the person leaves it.
fn watched(root: &Path) -> Result<Outcome, String> {
    let connection = drive::begin(root, false)?;
    let socket = paths::socket_path(None)?;
    let mut options = Options::new(
        &super::open::out_of_the_way(&Dashboard::default()),
        Layout::built_in(),
        "consult".into(),
        &[],
    )?;
    options.copy = super::tmux::clipboard::copy;
    options.log = super::log::replay::decisions;
    let chord = |action| options.keymap.chord(action);
    let (answer, log, detach) = (chord(Action::Answer), chord(Action::Log), chord(Action::Detach));
    let teller = Told(Tell::new(Keys { answer, log, detach }));
    options.story = Some((tell::FIRST.to_owned(), Box::new(teller)));
    let shown = dashboard::run(connection, socket.clone(), options);
    // The dashboard has used up its connection; the team is stopped over one of its own.
    if let Ok(connection) = connect_and_greet(&socket, None) {
        drive::end(connection);
    }
    shown
}
