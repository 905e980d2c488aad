//! The dashboard: a full-screen client of the server, showing all agents and their questions.
//!
//! The command line calls `run`. State, update and views are pure; this file is the loop around them. It
//! speaks to the server only in `wire` messages and must never decide anything about an agent.

mod actions;
pub mod agent;
pub mod agents;
mod announce;
mod answer_line;
mod answering;
pub mod canvas;
mod cells;
mod complete;
mod digit;
mod digits;
mod drawer;
mod edit;
pub mod effect;
mod escape;
mod focus;
pub mod form;
pub mod held_keys;
mod highlight;
mod in_its_pane;
pub mod link;
mod links;
pub mod log_view;
pub mod look;
pub mod made;
pub mod mode;
mod mouse;
mod new_agent;
mod news;
mod next_pane;
mod note;
mod notices;
mod open;
pub mod options;
mod outcome;
pub mod outer;
pub mod outer_size;
mod overlays;
mod palette;
mod panes;
mod pass;
mod paste;
mod perform;
mod redraw;
mod returning;
mod scroll;
mod scrolling;
mod search;
mod select;
mod selection;
mod signals;
mod silence;
pub mod state;
pub mod story;
mod suspend;
mod telling;
pub mod terminal;
pub mod update;
pub mod view;
mod whom_to_ask;
mod window;
pub mod woken;

use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use crate::core::policy::Notify;
use crate::core::terminal::features::Features;
use crate::core::terminal::picture::Picture;
use crate::os::job_control::Who;
use crate::os::poll::is_hung_up;
use crate::os::socket::{Connection, connect_and_greet};
use crate::wire::message::{Notice, ServerMessage};

use canvas::Canvas;
use link::Link;
pub use options::Options;
use options::Starting;
pub use outcome::Outcome;
use outer::Outer;
use redraw::{Damage, Glance, Redraw};
pub use signals::Ends;
use silence::Silence;
use state::State;
use story::{Story, Teller};
use update::{Event, update};
use woken::Woken;

/// A server that is being replaced is back within a moment.
const RETRY: Duration = Duration::from_millis(250);
/// After this long without a server there is nothing left to show.
const GIVE_UP: Duration = Duration::from_secs(20);
/// A server that has said it ends is not waited for longer than its successor would need.
const ENDED: Duration = Duration::from_secs(2);
/// Stopping everything takes the agents' grace and a little more.
const SHUTDOWN: Duration = Duration::from_secs(10);

/// Shows the dashboard until it is left. `socket` is where a lost server is looked for.
pub fn run(connection: Connection, socket: PathBuf, options: Options) -> Result<Outcome, String> {
    let link = Link::new(connection)?;
    // First: a signal that comes while the terminal is being asked what it can do must not leave it raw.
    let ends = Ends::new()?;
    let mut outer = outer::Events::new().map_err(failed)?;
    let guard = terminal::Guard::take(terminal::Mouse::Ours, &mut outer)?;
    let outcome = Loop::new(link, socket, options.on(outer.on_light()))?.run(outer, (&guard, &ends));
    drop(guard);
    outcome
}

struct Loop {
    state: State,
    starting: Box<dyn Starting>,
    socket: PathBuf,
    recover: fn(&Path) -> Option<Connection>,
    copy: fn(&str) -> io::Result<()>,
    worktree: options::Worktree,
    made: made::Unanswered,
    log: options::ReadLog,
    branch: fn(&str) -> Option<String>,
    /// When it was last looked what each agent's folder has checked out.
    branches_ms: u64,
    remember: fn(&str),
    notify: Notify,
    minute_of_day: fn() -> u16,
    teller: Option<Box<dyn Teller>>,
    link: Option<Link>,
    /// After this the server is no longer waited for.
    give_up_at: Option<Instant>,
    /// The server has said that it ends.
    ended: bool,
    /// Everything is being stopped from here.
    quitting: bool,
    /// The person goes to the shell that counsel was started from.
    suspending: bool,
    canvas: Canvas,
    terminal: File,
    /// What the outer terminal was last told.
    told: (String, Option<bool>),
    redraw: Redraw,
    silence: Silence,
    outcome: Option<Outcome>,
}

impl Loop {
    fn new(link: Link, socket: PathBuf, options: Options) -> Result<Loop, String> {
        let (cols, rows) = outer_size::outer_size().map_err(failed)?;
        let features = Features::of(|name| std::env::var(name).ok());
        let canvas = Canvas::new(cols, rows).map_err(failed)?.limited(features);
        let at = options.layouts.iter().position(|layout| layout.name == options.layout).unwrap_or(0);
        let mut state = State::new(options.keymap, options.layouts, at, options.project);
        state.awaited = options.focus;
        state.look = options.look;
        state.asker_to_front = options.asker_to_front;
        state.clipboard = options.clipboard;
        state.profiles = options.profiles;
        (state.consultants, state.configured) = (options.consultants, options.configured);
        state.first_screen.team = options.team;
        let told = (String::new(), None);
        state.now_ms = now_ms();
        if let Some(news) = options.news {
            state.warn(news);
        }
        state.story = options.story.as_ref().map(|(first, _)| Story::begin(first.clone(), state.now_ms));
        Ok(Loop {
            state,
            starting: options.starting,
            socket,
            recover: options.recover,
            copy: options.copy,
            worktree: options.worktree,
            made: made::Unanswered::default(),
            log: options.log,
            branch: options.branch,
            branches_ms: 0,
            remember: options.remember,
            notify: options.notify,
            minute_of_day: options.minute_of_day,
            teller: options.story.map(|(_, teller)| teller),
            link: Some(link),
            give_up_at: None,
            ended: false,
            quitting: false,
            suspending: false,
            canvas,
            terminal: terminal::unbuffered().map_err(failed)?,
            told,
            redraw: Redraw::default(),
            silence: Silence::default(),
            outcome: None,
        })
    }

    fn run(
        mut self,
        mut outer: outer::Events,
        (guard, ends): (&terminal::Guard, &Ends),
    ) -> Result<Outcome, String> {
        let (cols, rows) = outer_size::outer_size().map_err(failed)?;
        self.resized(cols, rows)?;
        self.state.watch_due_ms = None;
        self.silence.heard(now_ms());
        self.feed(Event::Found)?;
        loop {
            self.draw_if_due(&mut outer)?;
            if let Some(outcome) = self.outcome.clone() {
                // A terminal that is gone cannot be told.
                let _ = terminal::set_blocked(false).and_then(|()| terminal::set_title(""));
                if let Some(link) = self.link.take() {
                    link.finish();
                }
                return Ok(outcome);
            }
            if std::mem::take(&mut self.suspending) {
                self.stop(guard, ends, Who::OurJob)?;
            }
            let wait = self.wait();
            match woken::next(&mut outer, &mut self.link, ends, wait)? {
                Woken::Outer(event) => self.outer(event, &mut outer)?,
                Woken::Server(messages) => self.received(messages)?,
                // The terminal may be gone; the agents go on.
                Woken::Ended(_) => self.outcome = Some(Outcome::Interrupted),
                Woken::ToStop => self.stop(guard, ends, Who::Us)?,
                Woken::WentOn => self.go_on(guard)?,
                Woken::Time => self.tick()?,
            }
        }
    }

    /// Draws if something changed and the last frame is old enough. Keys that have come meanwhile go first.
    fn draw_if_due(&mut self, outer: &mut outer::Events) -> Result<(), String> {
        let now = now_ms();
        if self.redraw.due_ms(now).is_none_or(|due| due > now) {
            return Ok(());
        }
        while let Some(event) = outer.ready() {
            self.outer(event, outer)?;
        }
        if self.outcome.is_some() {
            return Ok(());
        }
        let frame = match self.redraw.take(now_ms()) {
            Damage::None => Ok(None),
            Damage::Rows(rows) => self.canvas.draw_rows(&self.state, &rows),
            Damage::All => {
                self.tell_outer()?;
                self.canvas.draw(&self.state)
            }
        };
        if let Some(bytes) = frame.map_err(failed)? {
            match self.terminal.write_all(&bytes) {
                // Closed, which may be met before the news of its end; the agents go on.
                Err(error) if is_hung_up(&error) => self.outcome = Some(Outcome::Interrupted),
                written => written.map_err(failed)?,
            }
            self.redraw.written(now_ms());
        }
        Ok(())
    }

    /// How long nothing is due.
    fn wait(&self) -> Duration {
        let now = now_ms();
        let due = self.redraw.tick_ms(&self.state).min(self.redraw.due_ms(now).unwrap_or(u64::MAX));
        let wait = Duration::from_millis(due.saturating_sub(now));
        let wait = if self.link.is_none() {
            wait.min(RETRY)
        } else {
            wait.min(Duration::from_millis(self.silence.due_ms().saturating_sub(now)))
        };
        self.give_up_at.map_or(wait, |at| wait.min(at.saturating_duration_since(Instant::now())))
    }

    /// `outer`: where it came from, with what was read together with it.
    fn outer(&mut self, event: Outer, outer: &mut outer::Events) -> Result<(), String> {
        self.redraw.typed(now_ms());
        match event {
            Outer::Input(input) => {
                // What only goes to an agent changes nothing until the agent shows it.
                let before = Glance::of(&self.state);
                let mut inputs = vec![input];
                inputs.extend(outer.take_inputs());
                self.apply(Event::Together(inputs))?;
                if before.is_none() || before != Glance::of(&self.state) {
                    self.redraw.changed();
                }
                Ok(())
            }
            Outer::Resize(cols, rows) => self.resized(cols, rows),
            Outer::Kitty => terminal::enhance().map_err(failed),
        }
    }

    fn received(&mut self, messages: VecDeque<ServerMessage>) -> Result<(), String> {
        if messages.is_empty() {
            self.made.clear();
            let lost = self.link.take().map(|mut link| link.lost_keys()).unwrap_or_default();
            if self.quitting {
                self.outcome = Some(self.quit());
            }
            self.give_up_at = Some(Instant::now() + if self.ended { ENDED } else { GIVE_UP });
            return self.feed(Event::Lost).and_then(|()| self.feed(Event::Unread(lost)));
        }
        self.silence.heard(now_ms());
        if self.state.silent_since_ms.is_some() {
            self.feed(Event::Silent(None))?;
        }
        for message in messages {
            self.ended |= matches!(message, ServerMessage::Notice(Notice::Bye));
            match message {
                ServerMessage::Notice(Notice::Picture { name, picture }) => self.pictured(name, picture)?,
                // That it answers is all there is to it.
                ServerMessage::Reply { id, .. } if self.silence.is_answer(id) => {}
                message => {
                    let message = self.settled(message);
                    let (line, changed) = (self.told(&message), Loop::changed(&message));
                    self.feed(Event::Server(Box::new(message)))?;
                    self.look_at_branches(changed.as_deref())?;
                    if let Some(line) = line {
                        self.feed(Event::Told(line))?;
                    }
                }
            }
        }
        Ok(())
    }

    /// Many a second: only what it brings is drawn.
    fn pictured(&mut self, name: String, picture: Picture) -> Result<(), String> {
        let size = |state: &State| state.agent(&name).map(|agent| agent.grid.size);
        let before = (Glance::of(&self.state), size(&self.state));
        let rows: Vec<u16> = picture.rows.iter().map(|(row, _)| *row).collect();
        let notice = Notice::Picture { name: name.clone(), picture };
        self.apply(Event::Server(Box::new(ServerMessage::Notice(notice))))?;
        if before.0.is_some() && before == (Glance::of(&self.state), size(&self.state)) {
            self.redraw.rows_changed(&name, rows);
        } else {
            self.redraw.changed();
        }
        Ok(())
    }

    fn tick(&mut self) -> Result<(), String> {
        let now = now_ms();
        if self.link.is_some() && self.give_up_at.is_none() && self.redraw.tick_ms(&self.state) > now {
            return self.listen(now);
        }
        if self.link.is_none() {
            // One that ended on purpose is not started again, only looked for.
            let found = if self.ended {
                connect_and_greet(&self.socket, None).ok()
            } else {
                (self.recover)(&self.socket)
            };
            if let Some(connection) = found {
                self.link = Some(Link::new(connection)?);
                self.silence.heard(now);
                (self.give_up_at, self.ended) = (None, false);
                return self.feed(Event::Found);
            }
        }
        if self.give_up_at.is_some_and(|at| at <= Instant::now()) {
            self.outcome = Some(if self.quitting { self.quit() } else { Outcome::ServerGone });
        }
        self.look_at_branches(None)?;
        self.feed(Event::Tick)
    }

    fn quit(&mut self) -> Outcome {
        Outcome::Quit(std::mem::take(&mut self.state.shut_down))
    }

    fn feed(&mut self, event: Event) -> Result<(), String> {
        self.redraw.changed();
        self.apply(event)
    }

    fn apply(&mut self, event: Event) -> Result<(), String> {
        let effects = update(&mut self.state, event, now_ms());
        for effect in effects {
            self.perform(effect)?;
        }
        Ok(())
    }
}

fn now_ms() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_millis() as u64)
}

fn failed(error: io::Error) -> String {
    format!("could not go on showing the dashboard: {error}")
}
