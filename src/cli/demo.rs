//! `counsel demo`: the dashboard over a scripted team, or the same story without a terminal.
//!
//! Starts a second copy of itself in a world of its own and clears up after it.

use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use nix::sys::signal::Signal;
use serde_json::{Value, json};

use crate::config::Dashboard;
use crate::core::keymap::Action;
use crate::core::layout::Layout;
use crate::core::visible::{visible, visible_json};
use crate::dashboard::story::Teller;
use crate::dashboard::{self, Options, Outcome};
use crate::demo::drive::{self, Event};
use crate::demo::stage;
use crate::demo::tell::{self, Keys, Tell};
use crate::os::interrupt::{self, INTERRUPTED};
use crate::os::paths;
use crate::os::socket::connect_and_greet;
use crate::wire::Notice;

use super::{number, out};

/// A scripted team that asks, is answered and goes on; no account, no network, nothing left behind
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Play the story without a terminal and print each event; 0 only if all was answered correctly
    #[arg(long)]
    headless: bool,
    /// Each event as one JSON object
    #[arg(long, requires = "headless")]
    json: bool,
    /// Folder of the world this copy plays in
    #[arg(long, hide = true)]
    inside: Option<PathBuf>,
}

pub fn run(args: &Args) -> Result<ExitCode, String> {
    let untaken = |errno: nix::errno::Errno| format!("signals cannot be taken: {}", errno.desc());
    if let Some(root) = &args.inside {
        // The first copy clears up behind this one; if it is killed, this one is told, and does what it still may.
        #[cfg(target_os = "linux")]
        nix::sys::prctl::set_pdeathsig(Signal::SIGTERM).map_err(untaken)?;
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
    if args.json {
        command.arg("--json");
    }
    let (code, left) = stage::run(command, &world, signals)?;
    for process in left.iter().filter(|_| code == 0) {
        out::line(&format!("wrong: still running after the end: {process}")).map_err(|f| f.message)?;
    }
    Ok(ExitCode::from(if left.is_empty() { code } else { code.max(1) }))
}

fn play(args: &Args, root: &Path) -> Result<ExitCode, String> {
    let untaken = |error: std::io::Error| format!("signals cannot be taken: {error}");
    if args.headless {
        let place = root.to_path_buf();
        interrupt::on_signal(move || {
            clear(&place);
            std::process::exit(i32::from(INTERRUPTED));
        })
        .map_err(untaken)?;
        let done = headless(root, args.json);
        // Its terminal may be gone, and that is seen here before it is told by a signal.
        clear(root);
        return done;
    }
    interrupt::unblock().map_err(|errno| untaken(errno.into()))?;
    if watched(root)? == Outcome::Interrupted {
        // Its terminal may be what has gone.
        return Ok(ExitCode::from(INTERRUPTED));
    }
    out::line(&drive::summary(root)).map_err(|failure| failure.message)?;
    Ok(ExitCode::SUCCESS)
}

/// What is left when a story is broken off, whether or not somebody is there who would do the same.
fn clear(root: &Path) {
    end_team();
    remove(root);
}

fn remove(root: &Path) {
    // What cannot be removed lies in the temporary folder.
    let _ = std::fs::remove_dir_all(root);
}

/// Stops the team and its server, over a connection of its own.
fn end_team() {
    let connection = paths::socket_path(None).map(|socket| connect_and_greet(&socket, None));
    if let Ok(Ok(connection)) = connection {
        drive::end(connection);
    }
}

/// The story told line by line. Once nobody reads it any more it ends, as if it had been interrupted.
fn headless(root: &Path, as_json: bool) -> Result<ExitCode, String> {
    let mut read = true;
    let mut tell = |event: Event<'_>| {
        let text = if as_json { told(event).to_string() } else { line(event) };
        let line = if as_json { visible_json(&text) } else { visible(&text) };
        read = out::write(format!("{line}\n").as_bytes()).map_err(|failure| failure.message)?;
        if read { Ok(()) } else { Err("nobody reads it".to_owned()) }
    };
    let right = drive::headless(root, &mut tell);
    match right {
        _ if !read => Ok(ExitCode::from(INTERRUPTED)),
        Ok(true) => Ok(ExitCode::SUCCESS),
        Ok(false) => Ok(ExitCode::FAILURE),
        Err(why) => Err(why),
    }
}

fn line(event: Event<'_>) -> String {
    match event {
        Event::Happened { after, who, what } => format!("{:6.2}s  {who:<8} {what}", after.as_secs_f64()),
        Event::Wrong(what) => format!("wrong: {what}"),
        Event::Over { advised, decided, after } => format!(
            "{advised} questions answered by the advisor, {decided} by a person, no other byte typed, in {:.1} s",
            after.as_secs_f64()
        ),
    }
}

fn told(event: Event<'_>) -> Value {
    match event {
        Event::Happened { after, who, what } => {
            json!({ "after_ms": number::millis(after), "agent": who, "what": what })
        }
        Event::Wrong(what) => json!({ "wrong": what }),
        Event::Over { advised, decided, after } => json!({
            "did": "played", "answered_by_advisor": advised, "answered_by_person": decided,
            "after_ms": number::millis(after),
        }),
    }
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
    let shown = dashboard::run(connection, socket, options);
    // A terminal that goes and a copy that is killed tell of it by a signal each: the second one is too late.
    let _clearing = interrupt::defer();
    // The dashboard has used up its connection.
    end_team();
    if matches!(shown, Err(_) | Ok(Outcome::Interrupted)) {
        remove(root);
    }
    shown
}
