//! `counsel attach`: this terminal becomes one agent's, until the detach chord.
//!
//! The screen is painted from cells by `core/terminal/paint.rs`, keys go to the server as values. It must
//! never write a byte that an agent made, and always gives the terminal back.

mod left;
mod lines;
mod return_to;

use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, IsTerminal, Write};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use crate::config::Places;
use crate::core::clipboard::Clipboard;
use crate::core::keymap;
use crate::core::policy::Notify;
use crate::core::question::State;
use crate::core::terminal::features::Features;
use crate::core::terminal::grid::Size;
use crate::core::terminal::keys::{Input, KeyPress};
use crate::core::terminal::paint::Painter;
use crate::dashboard::held_keys::line_cut;
use crate::dashboard::link::Link;
use crate::dashboard::outer::{self, Outer};
use crate::dashboard::outer_size::outer_size;
use crate::dashboard::woken::{self, End, Woken};
use crate::dashboard::{Ends, terminal};
use crate::os::local_time;
use crate::os::poll::is_hung_up;
use crate::os::socket::Connection;
use crate::wire::message::{ClientMessage, Notice, Pane, Reply, Request, ServerMessage};

use super::failure::{Failure, REFUSED};
use super::link::Global;
use super::open::shows_a_screen;
use super::trust;
use left::Left;
use lines::{Hint, state_line};

/// A window that is being dragged changes its size many times a second; the agent redraws for each.
const RESIZE_PAUSE: Duration = Duration::from_millis(100);
/// A server that is being replaced is back within a moment.
const RETRY: Duration = Duration::from_millis(250);
/// Nothing is due: an event ends the wait.
const IDLE: Duration = Duration::from_secs(3_600);

/// Make this terminal one agent's; the detach chord leaves it
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The agent
    #[arg(add = super::complete::agents())]
    name: String,
    /// Look on: send no keys, and do not resize the agent
    #[arg(long)]
    read_only: bool,
    /// The chord that leaves, for example ctrl-]; without it `[dashboard] detach`: ctrl-\ unless you have set another
    #[arg(long, value_name = "KEY")]
    detach: Option<String>,
    /// Leave a paused agent paused
    #[arg(long)]
    no_resume: bool,
}

pub fn run(args: &Args, global: &Global) -> Result<ExitCode, Failure> {
    let failure = |failure: Failure| failure.doing(&format!("attach to {}", args.name));
    let config = trust::settings(&Places::here(None)?)?;
    let chord = args.detach.clone().unwrap_or(config.dashboard.detach);
    let chord = keymap::detach_chord(&chord).map_err(|error| Failure::new(super::failure::USAGE, error))?;
    let mut server = global.with_agent(&args.name)?;
    let agents = server.agents()?;
    let Some(agent) = agents.iter().find(|agent| agent.name == args.name) else {
        let why = format!("there is no agent '{}'; see 'counsel ls'", args.name);
        return Err(failure(Failure::new(3, why)));
    };
    if !io::stdin().is_terminal() || !io::stdout().is_terminal() {
        return Err(failure("input and output have to be a terminal; 'counsel read' prints a screen".into()));
    }
    shows_a_screen("'counsel read' prints what the agent shows").map_err(failure)?;
    if agent.state == State::Paused && config.attach.resume && !args.no_resume && !args.read_only {
        server.tell(Request::Resume { names: vec![args.name.clone()] }).map_err(failure)?;
    }
    let socket = global.socket_path()?;
    let calls = (config.policy.notify, config.security.clipboard);
    let left =
        follow(server.connection, socket, args, (chord, calls)).map_err(|error| failure(error.into()))?;
    left.told().map_err(failure)
}

/// Runs until it is left; says how.
fn follow(
    connection: Connection,
    socket: PathBuf,
    args: &Args,
    (chord, (notify, clipboard)): (KeyPress, (Notify, Clipboard)),
) -> Result<Left, String> {
    let link = Link::new(connection)?;
    // First: a signal that comes while the terminal is being asked what it can do must not leave it raw.
    let ends = Ends::new()?;
    let mut outer = outer::Events::new().map_err(text)?;
    let guard = terminal::Guard::take(terminal::Mouse::Mirrored, &mut outer)?;
    let (cols, rows) = outer_size().map_err(text)?;
    let size = Size::new(cols, rows);
    let features = Features::of(|name| std::env::var(name).ok());
    let viewer = Viewer {
        name: args.name.clone(),
        read_only: args.read_only,
        chord,
        socket,
        link: Some(link),
        lost_at: None,
        size,
        painter: Painter::new(size, guard.kitty).limited(features),
        terminal: terminal::unbuffered().map_err(text)?,
        watch_due: None,
        hint: Hint::begin(Instant::now(), args.read_only),
        left: None,
        kept: Vec::new(),
        shown: None,
        last_id: 0,
        notify,
        clipboard,
        looking: true,
    };
    let left = viewer.run(outer, (&guard, &ends));
    drop(guard);
    left
}

struct Viewer {
    name: String,
    read_only: bool,
    chord: KeyPress,
    socket: PathBuf,
    link: Option<Link>,
    lost_at: Option<Instant>,
    size: Size,
    painter: Painter,
    terminal: File,
    /// When the server is told of a new size.
    watch_due: Option<Instant>,
    hint: Hint,
    /// Set when it is over.
    left: Option<Left>,
    /// What the line over the last row says of the agent.
    shown: Option<String>,
    /// Keys nobody could be sent yet.
    kept: Vec<Input>,
    last_id: u64,
    notify: Notify,
    /// What the agent may put on the clipboard.
    clipboard: Clipboard,
    /// The terminal has the person's attention, as far as it says.
    looking: bool,
}

impl Viewer {
    fn run(
        mut self,
        mut outer: outer::Events,
        (guard, ends): (&terminal::Guard, &Ends),
    ) -> Result<Left, String> {
        self.begin();
        self.say_state();
        loop {
            self.show(&mut outer)?;
            if let Some(left) = self.left.take() {
                if let Some(link) = self.link.take() {
                    link.finish();
                }
                return Ok(left);
            }
            let due = self.watch_due.into_iter().chain(self.hint.due()).min();
            let due = due.map_or(IDLE, |due| due.saturating_duration_since(Instant::now()));
            let wait = if self.link.is_none() { due.min(RETRY) } else { due };
            match woken::next(&mut outer, &mut self.link, ends, wait)? {
                Woken::Outer(event) => self.outer(event)?,
                Woken::Server(messages) => self.received(messages)?,
                // A terminal that has gone hears no word of it; most often the signal that tells so comes first.
                Woken::Ended(End::TerminalGone | End::Signal) => self.left = Some(Left::BySignal),
                Woken::ToStop => self.stop(guard, ends)?,
                Woken::WentOn => self.go_on(guard)?,
                Woken::Time => self.tick(),
            }
        }
    }

    /// Writes what is not shown yet, as one frame. Keys that have come meanwhile go first.
    fn show(&mut self, outer: &mut outer::Events) -> Result<(), String> {
        if !self.painter.is_due() {
            return Ok(());
        }
        while let Some(event) = outer.ready() {
            self.outer(event)?;
        }
        let frame = self.painter.frame().unwrap_or_default();
        match self.terminal.write_all(frame.as_bytes()) {
            // A terminal that is closed takes no frame, which may be met before the news of its end.
            Err(error) if is_hung_up(&error) => self.left = Some(Left::BySignal),
            written => return written.map_err(text),
        }
        Ok(())
    }

    fn detached(&self) -> Left {
        Left::Over(format!("detached from {}", self.name))
    }

    fn send(&mut self, request: Request) {
        self.last_id += 1;
        let message = ClientMessage { id: self.last_id, request };
        let sent = self.link.as_mut().is_some_and(|link| link.send(&message));
        if !sent && self.link.is_some() {
            // A server that reads nothing any more is as good as gone.
            self.link = None;
            self.lost_at = Some(Instant::now());
        }
    }

    /// Keys typed while there is no connection wait for the next one, as they would in a terminal.
    fn send_keys(&mut self) {
        if self.link.is_some() && !self.kept.is_empty() {
            let input = std::mem::take(&mut self.kept);
            self.send(Request::Keys { name: self.name.clone(), input });
        }
    }

    fn begin(&mut self) {
        self.send(Request::Subscribe);
        self.watch();
        self.send_keys();
    }

    fn watch(&mut self) {
        self.watch_due = None;
        let size = (!self.read_only).then_some(self.size);
        self.send(Request::Watch { panes: vec![Pane { name: self.name.clone(), size }] });
    }

    fn outer(&mut self, event: Outer) -> Result<(), String> {
        if let Outer::Input(Input::Focus(gained)) = event {
            self.looking = gained;
        }
        match event {
            Outer::Input(Input::Key(press)) if keymap::same_key(press, self.chord) => {
                self.left = Some(self.detached());
            }
            // What follows the chord is for whoever has the terminal then.
            Outer::Input(input) if self.left.is_none() => {
                let Some(input) = self.painter.on_screen(input) else { return Ok(()) };
                let before = self.hint.due();
                self.hint.typed(&input, Instant::now());
                if self.hint.due() != before {
                    self.say_state();
                }
                if !self.read_only {
                    self.kept.push(input);
                    self.send_keys();
                }
            }
            Outer::Resize(cols, rows) => {
                self.size = Size::new(cols, rows);
                self.watch_due = Some(Instant::now() + RESIZE_PAUSE);
                self.painter.resize(self.size);
            }
            Outer::Kitty => {
                terminal::enhance().map_err(|error| format!("could not ask for the keys: {error}"))?;
                self.painter.speaks_kitty();
            }
            Outer::Input(_) => {}
        }
        Ok(())
    }

    fn received(&mut self, messages: VecDeque<ServerMessage>) -> Result<(), String> {
        if messages.is_empty() {
            let lost = self.link.take().map(|mut link| link.lost_keys()).unwrap_or_default();
            let inputs = |request| if let Request::Keys { input, .. } = request { input } else { Vec::new() };
            self.kept.splice(0..0, lost.unread.into_iter().flat_map(inputs));
            self.lost_at = Some(Instant::now());
            self.say("no connection to the server; trying again, the agent goes on");
        }
        for message in messages {
            match message {
                ServerMessage::Notice(notice) => self.noticed(notice)?,
                ServerMessage::Reply { reply: Reply::Error { code, message }, .. } => {
                    self.refused(code, message)
                }
                ServerMessage::Reply { .. } => {}
            }
        }
        Ok(())
    }

    /// Before the first picture a refusal is the end: nothing would ever be shown. Later it is a key that
    /// was not taken, which the next news of the agent wipes away.
    fn refused(&mut self, code: u8, message: String) {
        if self.painter.is_blank() {
            self.left = Some(Left::Failed(code, message));
        } else {
            self.say(&message);
        }
    }

    fn noticed(&mut self, notice: Notice) -> Result<(), String> {
        match notice {
            Notice::Picture { name, picture } if name == self.name => {
                if let Some(title) = self.painter.take_title(&picture) {
                    terminal::set_title(&title).map_err(text)?;
                }
                self.painter.apply(&picture);
                Ok(())
            }
            Notice::Agent(info) if info.name == self.name => {
                self.shown = state_line(&info, self.chord);
                self.say_state();
                Ok(())
            }
            Notice::Gone { name } if name == self.name => {
                self.left = Some(Left::Over(format!("{name} is gone")));
                Ok(())
            }
            Notice::Bell { name } if name == self.name && self.notify.bell => terminal::ring().map_err(text),
            // What stands on the screen one looks at needs no call.
            Notice::Notification { agent, .. } if agent == self.name && self.looking => Ok(()),
            Notice::Notification { text: why, .. } => {
                terminal::notify(&self.notify, local_time::minute_of_day(), &why).map_err(text)
            }
            Notice::Clipboard { name, data } if name == self.name => {
                let became = super::tmux::clipboard::wanted(self.clipboard, &data).map_err(text)?;
                self.say(&became);
                Ok(())
            }
            Notice::KeysRefused { name, message } if name == self.name => {
                self.refused(REFUSED, message);
                Ok(())
            }
            Notice::LineCut { name, over } if name == self.name => {
                self.say(&line_cut(&name, over));
                Ok(())
            }
            Notice::Bye => {
                self.left = Some(Left::Over("the server has ended".into()));
                Ok(())
            }
            Notice::Picture { .. }
            | Notice::Agent(_)
            | Notice::Gone { .. }
            | Notice::Bell { .. }
            | Notice::Clipboard { .. }
            | Notice::KeysRefused { .. }
            | Notice::LineCut { .. }
            | Notice::Question(_)
            | Notice::TypesNoMore => Ok(()),
        }
    }

    fn say(&mut self, words: &str) {
        self.hint.over();
        self.painter.set_notice(Some(format!(" {words} ")));
    }

    /// What else the line says, once that is over.
    fn say_state(&mut self) {
        if self.link.is_some() {
            let line = self.hint.line(&self.name, self.chord, self.shown.as_ref());
            self.painter.set_notice(line);
        }
    }

    fn tick(&mut self) {
        if self.hint.due().is_some_and(|due| due <= Instant::now()) {
            self.hint.over();
            self.say_state();
        }
        if self.link.is_none() {
            self.reconnect();
        }
        if self.watch_due.is_some_and(|due| due <= Instant::now()) {
            self.watch();
        }
    }
}

fn text(error: io::Error) -> String {
    error.to_string()
}
