//! `counsel demo`: the dashboard over a scripted team, or the same story without a terminal.
//!
//! A second copy of the program makes a world of its own and clears up after a third one, which plays the story in it.

use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use nix::sys::signal::{SigSet, Signal};
use nix::unistd::Pid;
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

use super::failure::Failure;
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
    /// The process behind which this copy clears up
    #[arg(long, hide = true)]
    behind: Option<i32>,
}

pub fn run(args: &Args) -> Result<ExitCode, String> {
    if let Some(root) = &args.inside {
        return play(args, root);
    }
    let on_a_terminal = std::io::stdin().is_terminal() && std::io::stdout().is_terminal();
    if !args.headless && !on_a_terminal {
        let mend = "'counsel demo --headless' plays the story without one";
        return Err(format!("input and output have to be a terminal; {mend}"));
    }
    // Before there is anything to be left behind.
    let signals = interrupt::block().map_err(|errno| untaken(errno.into()))?;
    let Some(first) = args.behind else {
        let mut guard = copy(args)?;
        guard.arg("--behind").arg(std::process::id().to_string());
        return stage::guarded(guard, signals).map(ExitCode::from);
    };
    let group = stage::guard(Pid::from_raw(first))?;
    let world = stage::World::new()?;
    let mut story = copy(args)?;
    story.arg("--inside").arg(world.root());
    let (code, left) = stage::run(story, group, &world, signals)?;
    // Who is in the background may be kept from writing to the terminal. Nothing is started any more that would inherit this.
    let _ = SigSet::from(Signal::SIGTTOU).thread_block();
    for process in &left {
        let wrong = format!("still running after the end: {process}");
        told(Event::Wrong(&wrong), args.json).map_err(|failure| failure.message)?;
    }
    Ok(ExitCode::from(if left.is_empty() { code } else { code.max(1) }))
}

/// This program once more, for another part of the same.
fn copy(args: &Args) -> Result<Command, String> {
    let exe = std::env::current_exe().map_err(|e| format!("find this program: {e}"))?;
    let mut command = Command::new(exe);
    command.arg("demo").args(args.headless.then_some("--headless")).args(args.json.then_some("--json"));
    Ok(command)
}

/// The guard clears up, however this ends.
fn play(args: &Args, root: &Path) -> Result<ExitCode, String> {
    if args.headless {
        // At once, before what ends with it is told as if it were part of the story.
        interrupt::on_signal(|| std::process::exit(i32::from(INTERRUPTED))).map_err(untaken)?;
        return headless(root, args.json);
    }
    interrupt::unblock().map_err(|errno| untaken(errno.into()))?;
    if watched(root)? == Outcome::Interrupted {
        return Ok(ExitCode::from(INTERRUPTED));
    }
    out::line(&drive::summary(root)).map_err(|failure| failure.message)?;
    Ok(ExitCode::SUCCESS)
}

fn untaken(error: std::io::Error) -> String {
    format!("signals cannot be taken: {error}")
}

/// The story told line by line. Once nobody reads it any more it ends, as if it had been interrupted.
fn headless(root: &Path, as_json: bool) -> Result<ExitCode, String> {
    let mut read = true;
    let mut tell = |event: Event<'_>| {
        read = told(event, as_json).map_err(|failure| failure.message)?;
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

/// Whether somebody reads it.
fn told(event: Event<'_>, as_json: bool) -> Result<bool, Failure> {
    let text = if as_json { object(event).to_string() } else { line(event) };
    let line = if as_json { visible_json(&text) } else { visible(&text) };
    out::write(format!("{line}\n").as_bytes())
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

fn object(event: Event<'_>) -> Value {
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
    // The dashboard has used up its connection. Where it was interrupted, nobody waits for the agents' own ends.
    if shown.as_ref().is_ok_and(|outcome| *outcome != Outcome::Interrupted)
        && let Ok(connection) = connect_and_greet(&paths::socket_path(None)?, None)
    {
        drive::end(connection);
    }
    shown
}
