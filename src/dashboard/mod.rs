//! The dashboard: a full-screen client of the server, showing all agents and their questions.
//!
//! The command line calls `run`. State, update and views are pure; this file is the loop around them. It
//! speaks to the server only in `wire` messages and must never decide anything about an agent.

mod actions;
mod announce;
mod drawer;
mod edit;
pub mod keymap;
pub mod line;
mod mouse;
pub mod outer;
mod overlays;
mod scroll;
pub mod state;
pub mod terminal;
pub mod update;
pub mod view;
mod window;

use std::collections::BTreeMap;
use std::io::{self, Stdout};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use crossterm::execute;
use crossterm::terminal::{BeginSynchronizedUpdate, EndSynchronizedUpdate};
use ratatui::Terminal;
use ratatui::backend::CrosstermBackend;
use tokio::signal::unix::{Signal, SignalKind, signal};

use crate::config::{Dashboard, agent_env};
use crate::core::agent::AgentSpec;
use crate::core::layout::Layout;
use crate::core::policy::Policy;
use crate::core::terminal::keys::KeyPress;
use crate::os::socket::{Connection, connect_and_greet};
use crate::wire::message::{Notice, Request, ServerMessage};

use line::Line;
use outer::Outer;
use state::{Purpose, State};
use update::{Effect, Event, update};

/// At most sixty screens a second; more cannot be seen.
const FRAME: Duration = Duration::from_millis(16);
/// Ages and countdowns are shown in seconds.
const TICK: Duration = Duration::from_secs(1);
/// A server that is being replaced is back within a moment.
const RETRY: Duration = Duration::from_millis(250);
/// After this long without a server there is nothing left to show.
const GIVE_UP: Duration = Duration::from_secs(20);
/// A server that has said it ends is not waited for longer than its successor would need.
const ENDED: Duration = Duration::from_secs(2);
/// Stopping everything takes the agents' grace and a little more.
const SHUTDOWN: Duration = Duration::from_secs(10);

/// How a person has set up the dashboard.
#[derive(Debug, Clone)]
pub struct Options {
    pub prefix: KeyPress,
    /// In the order in which they are stepped through.
    pub layouts: Vec<Layout>,
    /// Name of the first one shown.
    pub layout: String,
    /// Shown above the list of agents.
    pub project: String,
    /// What holds for agents started from here.
    pub policy: Policy,
    /// The agent that has the focus at first.
    pub focus: Option<String>,
    /// Puts base64 on the clipboard of the person in front of this screen.
    pub copy: fn(&str) -> io::Result<()>,
    /// Finds a server that has crashed again, or starts one in its place.
    pub recover: fn(&Path) -> Option<Connection>,
}

impl Options {
    /// From the configuration; without a prefix there it is ctrl-a. Who calls knows what tmux around us
    /// keeps for itself.
    pub fn new(config: &Dashboard, layouts: Vec<Layout>, layout: String) -> Result<Options, String> {
        let prefix = KeyPress::parse(config.prefix.as_deref().unwrap_or("ctrl-a"))?;
        if !layouts.iter().any(|known| known.name == layout) {
            let names: Vec<&str> = layouts.iter().map(|known| known.name.as_str()).collect();
            return Err(format!("there is no layout '{layout}'; there are {}", names.join(", ")));
        }
        let project = std::env::current_dir().ok();
        let project = project.and_then(|path| Some(path.file_name()?.to_string_lossy().into_owned()));
        Ok(Options {
            prefix,
            layouts,
            layout,
            project: project.unwrap_or_default(),
            policy: Policy::default(),
            focus: None,
            copy: terminal::set_clipboard,
            recover: |socket| connect_and_greet(socket, None).ok(),
        })
    }
}

/// How the dashboard was left.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    Detached,
    /// The server ended, and did not come back.
    ServerGone,
    /// The person stopped everything from here.
    Quit,
    /// A signal, or the end of the terminal.
    Interrupted,
}

/// Shows the dashboard until it is left. `socket` is where a lost server is looked for.
pub fn run(connection: Connection, socket: PathBuf, options: Options) -> Result<Outcome, String> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| format!("could not start the dashboard: {error}"))?;
    runtime.block_on(async {
        let line = Line::new(connection)?;
        // First: a signal that comes while the terminal is being asked what it can do must not leave it raw.
        let ends = Ends::new()?;
        let guard = terminal::Guard::take(terminal::Mouse::Ours)?;
        let outcome = Loop::new(line, socket, options)?.run(ends).await;
        drop(guard);
        outcome
    })
}

struct Loop {
    state: State,
    policy: Policy,
    socket: PathBuf,
    recover: fn(&Path) -> Option<Connection>,
    copy: fn(&str) -> io::Result<()>,
    line: Option<Line>,
    /// After this the server is no longer waited for.
    give_up_at: Option<Instant>,
    /// The server has said that it ends.
    ended: bool,
    /// Everything is being stopped from here.
    quitting: bool,
    screen: Terminal<CrosstermBackend<Stdout>>,
    /// What the outer terminal was last told.
    told: (String, Option<bool>),
    dirty: bool,
    drawn_at: Option<Instant>,
    outcome: Option<Outcome>,
}

impl Loop {
    fn new(line: Line, socket: PathBuf, options: Options) -> Result<Loop, String> {
        let screen = Terminal::new(CrosstermBackend::new(io::stdout())).map_err(failed)?;
        let at = options.layouts.iter().position(|layout| layout.name == options.layout).unwrap_or(0);
        let mut state = State::new(options.prefix, options.layouts, at, options.project);
        state.awaited = options.focus;
        let told = (String::new(), None);
        let policy = options.policy;
        Ok(Loop {
            state,
            policy,
            socket,
            recover: options.recover,
            copy: options.copy,
            line: Some(line),
            give_up_at: None,
            ended: false,
            quitting: false,
            screen,
            told,
            dirty: true,
            drawn_at: None,
            outcome: None,
        })
    }

    async fn run(mut self, mut ends: Ends) -> Result<Outcome, String> {
        let mut outer = outer::Events::new();
        let (cols, rows) = crossterm::terminal::size().map_err(failed)?;
        self.feed(Event::Resize(cols, rows))?;
        self.state.watch_due_ms = None;
        self.feed(Event::Found)?;
        loop {
            if let Some(outcome) = self.outcome {
                // A terminal that is gone cannot be told.
                let _ = terminal::set_blocked(false).and_then(|()| terminal::set_title(""));
                return Ok(outcome);
            }
            let wait = self.draw_or_wait()?;
            tokio::select! {
                event = outer.next() => match event {
                    Some(Ok(event)) => self.outer(event)?,
                    // The terminal is gone; the agents go on.
                    Some(Err(_)) | None => self.outcome = Some(Outcome::Interrupted),
                },
                message = receive(&mut self.line) => self.received(message)?,
                () = ends.any() => self.outcome = Some(Outcome::Interrupted),
                () = tokio::time::sleep(wait) => self.tick()?,
            }
        }
    }

    /// Draws if something changed and the last screen is old enough; says how long nothing else is due.
    fn draw_or_wait(&mut self) -> Result<Duration, String> {
        let age = self.drawn_at.map_or(FRAME, |at| at.elapsed());
        if self.dirty && age < FRAME {
            return Ok(FRAME - age);
        }
        if self.dirty {
            self.dirty = false;
            self.drawn_at = Some(Instant::now());
            let state = &self.state;
            execute!(io::stdout(), BeginSynchronizedUpdate).map_err(failed)?;
            self.screen.draw(|frame| view::draw(frame, state)).map_err(failed)?;
            execute!(io::stdout(), EndSynchronizedUpdate).map_err(failed)?;
            self.tell_outer()?;
        }
        let due = self.state.watch_due_ms.map(|due| Duration::from_millis(due.saturating_sub(now_ms())));
        let retry = if self.line.is_none() { RETRY } else { TICK };
        Ok(due.unwrap_or(TICK).min(retry))
    }

    fn tell_outer(&mut self) -> Result<(), String> {
        let title = self.state.outer_title();
        if self.told.0 != title {
            terminal::set_title(&title).map_err(failed)?;
            self.told.0 = title;
        }
        let blocked = self.state.needing_person().next().is_some();
        if self.told.1 != Some(blocked) {
            terminal::set_blocked(blocked).map_err(failed)?;
            self.told.1 = Some(blocked);
        }
        Ok(())
    }

    fn outer(&mut self, event: crossterm::event::Event) -> Result<(), String> {
        match outer::read(event) {
            Some(Outer::Input(input)) => self.feed(Event::Input(input)),
            Some(Outer::Resize(cols, rows)) => self.feed(Event::Resize(cols, rows)),
            None => Ok(()),
        }
    }

    fn received(&mut self, message: Option<ServerMessage>) -> Result<(), String> {
        let Some(mut message) = message else {
            self.line = None;
            if self.quitting {
                self.outcome = Some(Outcome::Quit);
            }
            self.give_up_at = Some(Instant::now() + if self.ended { ENDED } else { GIVE_UP });
            return self.feed(Event::Lost);
        };
        loop {
            self.ended |= matches!(message, ServerMessage::Notice(Notice::Bye));
            self.feed(Event::Server(Box::new(message)))?;
            match self.line.as_mut().and_then(Line::ready) {
                Some(next) => message = next,
                None => return Ok(()),
            }
        }
    }

    fn tick(&mut self) -> Result<(), String> {
        if self.line.is_none() {
            // One that ended on purpose is not started again, only looked for.
            let found = if self.ended {
                connect_and_greet(&self.socket, None).ok()
            } else {
                (self.recover)(&self.socket)
            };
            if let Some(connection) = found {
                self.line = Some(Line::new(connection)?);
                (self.give_up_at, self.ended) = (None, false);
                return self.feed(Event::Found);
            }
        }
        if self.give_up_at.is_some_and(|at| at <= Instant::now()) {
            self.outcome = Some(if self.quitting { Outcome::Quit } else { Outcome::ServerGone });
        }
        self.feed(Event::Tick)
    }

    fn feed(&mut self, event: Event) -> Result<(), String> {
        let effects = update(&mut self.state, event, now_ms());
        self.dirty = true;
        for effect in effects {
            self.perform(effect)?;
        }
        Ok(())
    }

    fn perform(&mut self, effect: Effect) -> Result<(), String> {
        match effect {
            Effect::Send(message) => {
                let sent = self.line.as_ref().is_some_and(|line| line.send(&message));
                if !sent && self.line.is_some() {
                    self.state.say("the server does not take any more; nothing was sent");
                }
            }
            Effect::Clipboard(data) => (self.copy)(&data).map_err(failed)?,
            Effect::Bell => terminal::ring().map_err(failed)?,
            Effect::Notify(text) => terminal::notify(&text).map_err(failed)?,
            Effect::Start { name, command } => {
                let purpose = Purpose::Act(format!("start {name}"));
                let request = Request::Start {
                    spec: Box::new(spec(name, command)?),
                    policy: Box::new(self.policy.clone()),
                };
                let message = self.state.request(request, Some(purpose));
                return self.perform(Effect::Send(message));
            }
            Effect::Detach => self.outcome = Some(Outcome::Detached),
            Effect::Quit => {
                self.quitting = true;
                self.give_up_at = Some(Instant::now() + SHUTDOWN);
            }
        }
        Ok(())
    }
}

/// The next message; never, while there is no connection.
async fn receive(line: &mut Option<Line>) -> Option<ServerMessage> {
    match line {
        Some(line) => line.next().await,
        None => std::future::pending().await,
    }
}

/// Signals that end us; the terminal is given back first.
#[derive(Debug)]
pub struct Ends([Signal; 4]);

impl Ends {
    pub fn new() -> Result<Ends, String> {
        let on = |kind| signal(kind).map_err(failed);
        let quit = on(SignalKind::quit())?;
        Ok(Ends([
            on(SignalKind::terminate())?,
            on(SignalKind::hangup())?,
            on(SignalKind::interrupt())?,
            quit,
        ]))
    }

    /// Returns when one of them has come.
    pub async fn any(&mut self) {
        let [terminate, hangup, interrupt, quit] = &mut self.0;
        tokio::select! {
            _ = terminate.recv() => {}
            _ = hangup.recv() => {}
            _ = interrupt.recv() => {}
            _ = quit.recv() => {}
        }
    }
}

fn spec(name: String, command: Vec<String>) -> Result<AgentSpec, String> {
    let cwd = std::env::current_dir().map_err(failed)?.to_string_lossy().into_owned();
    let text = |(key, value): (std::ffi::OsString, std::ffi::OsString)| {
        Some((key.into_string().ok()?, value.into_string().ok()?))
    };
    let env: BTreeMap<String, String> = std::env::vars_os().filter_map(text).collect();
    Ok(AgentSpec { name, command, cwd, env: agent_env(&env), ..AgentSpec::default() })
}

fn now_ms() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_millis() as u64)
}

fn failed(error: io::Error) -> String {
    format!("could not go on showing the dashboard: {error}")
}
