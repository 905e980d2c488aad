//! One task per agent in tmux: what its pane prints up to the session, keys and sizes down, and the line to
//! whoever parents it.
//!
//! Started by the executor; the session's task speaks to it as to a terminal. tmux holds the terminal and answers its queries;
//! this task looks on through a control client of its own. It must never change the size or the contents
//! of a pane that was adopted, and types nothing where a person is seen to type.

mod begin;
mod control_client;
mod input_queue;
mod line;
mod mark;
mod supervisor;
mod typing;

use std::io;
use std::time::Duration;

use tokio::sync::mpsc::{Receiver, Sender};
use tokio::time::Instant;

use crate::core::terminal::grid::Size;
use crate::core::terminal::modes::Modes;
use crate::core::tmux::restore::Capture;
use crate::core::tmux::{PaneTty, Reply, Said, command};
use crate::os::keeper_link::FromKeeper;
use crate::os::output_log::OutputLog;
use crate::os::tmux::Seat;

use crate::session::port::{FromTerminal, ToTerminal};

pub use begin::{Opened, adopt, find, open, private};
use control_client::{ControlClient, Heard, Purpose, hear};
use input_queue::InputQueue;
use mark::Mark;
use supervisor::Supervisor;

/// How long the last words of an ended agent may be under way without a word coming.
const LAST_WORDS: Duration = Duration::from_secs(2);
/// How often it is asked whether a person has typed, where persons look on: tmux tells it by the second.
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// Questions to tmux after which everything a program has printed is known: tmux may answer the first before
/// it has read the pane in the same turn of its loop, never the second.
const DRAIN_ROUNDS: u8 = 2;

/// Runs until the agent is forgotten or its keeper is gone. The pane of an agent that counsel started goes
/// with it, unless the server just leaves.
pub async fn run(
    opened: Opened,
    notes: OutputLog,
    inbox: Sender<FromTerminal>,
    commands: Receiver<ToTerminal>,
) -> End {
    let Opened { seat, line, control, supervisor, name } = opened;
    let (own, ours) = (seat.clone(), supervisor.is_keeper());
    let task = Task {
        name: name.clone(),
        inbox: inbox.clone(),
        line,
        seat,
        control: Some(control),
        supervisor,
        queue: InputQueue::default(),
        resizing: 0,
        look_at: Instant::now(),
        held: Vec::new(),
        last_words: None,
        mark: Mark::default(),
        notes,
    };
    let over = task.run(commands).await;
    if let Err(error) = &over {
        tracing::warn!(agent = name, %error, "the line to the keeper broke");
        let _ = inbox.send(FromTerminal::KeeperLost).await;
    }
    if ours && !matches!(over, Ok(End::Leaving)) {
        let _ = tokio::task::spawn_blocking(move || own.close()).await;
    }
    over.unwrap_or(End::Forgotten)
}

/// Why a task ends.
#[derive(Debug, PartialEq, Eq)]
pub enum End {
    /// The agent is off the list.
    Forgotten,
    /// The server goes, the agent stays.
    Leaving,
}

struct Task {
    name: String,
    inbox: Sender<FromTerminal>,
    seat: Seat,
    line: Option<PaneTty>,
    /// `None`: the pane is gone.
    control: Option<ControlClient>,
    supervisor: Supervisor,
    queue: InputQueue,
    /// Sizes that were ordered and not seen to be taken.
    resizing: u32,
    look_at: Instant,
    /// What the keeper said after the end of the agent, whose last words are still under way.
    held: Vec<FromKeeper>,
    last_words: Option<Instant>,
    mark: Mark,
    /// What was printed, for the next server, should this one be killed before its session has come to it.
    notes: OutputLog,
}

/// What woke the task.
enum Turn {
    Command(Option<ToTerminal>),
    Supervisor(io::Result<Vec<FromKeeper>>),
    Time,
    Heard(io::Result<()>),
}

impl Task {
    async fn run(mut self, mut commands: Receiver<ToTerminal>) -> io::Result<End> {
        loop {
            let wake = self.wake();
            let turn = {
                let Task { control, supervisor, inbox, .. } = &mut self;
                tokio::select! {
                    // Keys before floods.
                    biased;
                    command = commands.recv() => Turn::Command(command),
                    said = supervisor.news() => Turn::Supervisor(said),
                    () = tokio::time::sleep_until(wake.unwrap_or_else(Instant::now)), if wake.is_some() => Turn::Time,
                    heard = hear(control, inbox) => Turn::Heard(heard),
                }
            };
            match turn {
                Turn::Command(None) => return Ok(End::Leaving),
                Turn::Command(Some(ToTerminal::Forget)) => {
                    self.supervisor.leave().await?;
                    return Ok(End::Forgotten);
                }
                Turn::Command(Some(command)) => self.command(command).await?,
                Turn::Supervisor(Ok(said)) => self.supervisor_said(said).await,
                Turn::Supervisor(Err(error)) => {
                    // What it said of its agent's end is how that ended.
                    self.let_go().await;
                    return Err(error);
                }
                Turn::Time => self.time().await,
                Turn::Heard(Ok(())) => self.heard().await,
                Turn::Heard(Err(error)) => self.lost(&error.to_string()).await,
            }
        }
    }

    fn wake(&self) -> Option<Instant> {
        let look = (self.queue.people() && self.control.is_some()).then_some(self.look_at);
        [self.last_words, look, self.supervisor.looks_at()].into_iter().flatten().min()
    }

    async fn time(&mut self) {
        let now = Instant::now();
        if self.last_words.is_some_and(|until| now >= until) {
            self.let_go().await;
        }
        if now >= self.look_at {
            self.look_at = now + LOOK_EVERY;
            self.look_for_people();
        }
        self.supervisor.look(now);
    }

    async fn command(&mut self, command: ToTerminal) -> io::Result<()> {
        match command {
            ToTerminal::Write(bytes) => self.write(bytes).await,
            ToTerminal::Confirm => self.confirm().await,
            ToTerminal::Drain => self.drain(DRAIN_ROUNDS).await,
            ToTerminal::Resize(size) => self.resize(size),
            ToTerminal::Keeper(message) => {
                let said = self.supervisor.order(message).await?;
                self.supervisor_said(said).await;
            }
            ToTerminal::Forget => {}
        }
        Ok(())
    }

    /// Asks tmux something: what it has read of the pane by then comes before the answer.
    async fn drain(&mut self, rounds: u8) {
        match &mut self.control {
            Some(control) if rounds > 0 => control.send(&command::ask_clients(), Purpose::Drain(rounds - 1)),
            _ => self.tell(FromTerminal::Drained { canonical: line::is_canonical(self.line.as_ref()) }).await,
        }
    }

    fn resize(&mut self, size: Size) {
        // The window of an adopted pane is its user's.
        let Some(tmux) = self.control.as_mut().filter(|_| self.supervisor.is_keeper()) else { return };
        tmux.send(&command::resize(self.seat.pane, size), Purpose::Nothing);
        tmux.send(&command::ask_size(self.seat.pane), Purpose::Size);
        self.resizing += 1;
    }

    /// Passes on what the keeper says, the end of the agent only after its last words.
    async fn supervisor_said(&mut self, said: Vec<FromKeeper>) {
        for message in said {
            let end = matches!(message, FromKeeper::Exited(_)) && self.control.is_some() && !self.mark.seen();
            if end && self.supervisor.is_keeper() {
                self.last_words = Some(Instant::now() + LAST_WORDS);
            }
            if self.last_words.is_some() {
                self.held.push(message);
            } else {
                self.tell(FromTerminal::Keeper(message)).await;
            }
        }
    }

    async fn let_go(&mut self) {
        self.last_words = None;
        for message in std::mem::take(&mut self.held) {
            self.tell(FromTerminal::Keeper(message)).await;
        }
    }

    async fn tell(&self, event: FromTerminal) {
        // The server may be ending.
        let _ = self.inbox.send(event).await;
    }

    /// Everything that has been heard, in its order; output that came in pieces goes up as one.
    async fn heard(&mut self) {
        let mut output = Vec::new();
        while let Some(heard) = self.control.as_mut().and_then(ControlClient::take) {
            if let Heard::Said(Said::Output { pane, bytes }) = heard {
                if pane == self.seat.pane {
                    output.extend(bytes);
                }
                continue;
            }
            self.printed(std::mem::take(&mut output)).await;
            match heard {
                Heard::Answer(purpose, replies) => self.answered(purpose, replies).await,
                Heard::Said(said) => self.said(said).await,
            }
        }
        self.printed(output).await;
    }

    async fn printed(&mut self, bytes: Vec<u8>) {
        if bytes.is_empty() {
            return;
        }
        self.supervisor.printed();
        let (bytes, over) = self.mark.take(bytes);
        if self.last_words.is_some() {
            self.last_words = Some(Instant::now() + LAST_WORDS);
        }
        if !bytes.is_empty() {
            self.notes.add(&bytes);
            self.tell(FromTerminal::Output(bytes)).await;
        }
        if over && self.last_words.is_some() {
            self.let_go().await;
        }
    }

    async fn answered(&mut self, purpose: Purpose, replies: Vec<Reply>) {
        let last = replies.last();
        match purpose {
            Purpose::Nothing => {}
            Purpose::Typed => {
                let refused = last.is_some_and(|reply| !reply.ok || reply.lines == [command::REFUSED]);
                if self.queue.refused(refused) && !self.queue.awaits_confirmation() {
                    self.tell(FromTerminal::WriteRefused).await;
                }
            }
            Purpose::Confirm => {
                let taken = self.queue.confirmed();
                self.tell(FromTerminal::Confirmed { taken }).await;
            }
            Purpose::Size => {
                self.resizing = self.resizing.saturating_sub(1);
                let line = last.filter(|reply| reply.ok).and_then(|reply| reply.lines.first());
                let size = line.and_then(|line| Size::recorded(std::str::from_utf8(line).ok()?).ok());
                if let Some(size) = size {
                    self.sized(size).await;
                }
            }
            Purpose::Clients => {
                self.looked(last).await;
                self.type_all();
            }
            Purpose::Drain(rounds) => {
                self.looked(last).await;
                self.drain(rounds).await;
            }
            Purpose::Capture => match Capture::read(replies) {
                Ok(capture) => self.restored(&capture).await,
                Err(why) => self.lost(&why).await,
            },
        }
    }

    /// The pane has another size than the hub ordered last, or was given one by a person.
    async fn sized(&mut self, size: Size) {
        if self.resizing == 0 {
            self.tell(FromTerminal::Resized(size)).await;
        }
    }

    /// What the pane shows, after a time in which nothing was heard of it.
    async fn restored(&mut self, capture: &Capture) {
        self.sized(capture.state.size).await;
        self.notes.missed();
        self.tell(FromTerminal::Missed).await;
        for bytes in capture.bytes(Modes { bracketed_paste: true, ..Modes::default() }) {
            self.notes.add(&bytes);
            self.tell(FromTerminal::Output(bytes)).await;
        }
    }

    async fn said(&mut self, said: Said) {
        let pane = self.seat.pane;
        match said {
            Said::Paused(paused) if paused == pane => {
                if let Some(control) = &mut self.control {
                    control.send(&command::go_on(pane), Purpose::Capture);
                }
            }
            Said::Layout { sizes } => {
                if let Some((_, size)) = sizes.into_iter().find(|(shown, _)| *shown == pane) {
                    self.sized(size).await;
                }
            }
            Said::ClientCame { .. } | Said::ClientLeft { .. } => self.look_for_people(),
            Said::Exit(why) => self.lost(if why.is_empty() { "the session ended" } else { &why }).await,
            Said::Output { .. } | Said::Reply(_) | Said::Paused(_) | Said::Continued(_) => {}
            Said::ModeChanged(_) | Said::Moved | Said::Other(_) => {}
        }
    }

    /// The control client has ended. If the pane is still there, another takes over; else the agent's
    /// keeper, whose terminal is closed, ends it.
    async fn lost(&mut self, why: &str) {
        let draining = self.control.take().is_some_and(|control| control.is_draining());
        self.drop_unconfirmed().await;
        if draining {
            self.tell(FromTerminal::Drained { canonical: false }).await;
        }
        match begin::watch(&self.seat).await {
            Ok((control, capture)) => {
                self.control = Some(control);
                self.resizing = 0;
                self.restored(&capture).await;
            }
            Err(error) => {
                tracing::warn!(agent = self.name, why, error, "a pane is lost");
                self.let_go().await;
                let what = format!("{} lost its pane in tmux ({why}); it ends", self.name);
                self.tell(FromTerminal::Notify(what)).await;
                let said = self.supervisor.pane_lost();
                self.supervisor_said(said).await;
            }
        }
    }
}
