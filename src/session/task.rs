//! The task that runs one session: its terminal, its mailboxes, its clock.
//!
//! Started by the executor. It reads, feeds, and performs what the session returns; it decides nothing. It waits
//! for nobody: news that the hub has no room for hold up the reading of this agent's own terminal, and nothing else.

use std::collections::{HashMap, VecDeque};
use std::time::{Duration, Instant};

use tokio::sync::mpsc::{Receiver, Sender};

use crate::os::pty;
use crate::wire::keeper::FromKeeper;
use crate::wire::message::ServerMessage;

mod awaited;
mod begin;
mod drain;
mod end;
mod journal;
mod mail;
mod open;
#[cfg(test)]
mod reply_tests;
#[cfg(test)]
mod turn_tests;
mod witness;

use super::Session;
use super::mailbox::{Command, Mail, Sink};
use super::message::{AgentKey, ClientKey, Input, News, Order, Output};
use super::port::{FromTerminal, ToTerminal};
use super::pty::Ready;
use super::setting::{Clock, Files, Setting, Starting, Terminal};
use awaited::{Turn, begun, sleep_until, terminal_ready};
use open::{Open, told};

/// News that wait for the hub before the terminal is read no more.
const NEWS_WAITING: usize = 64;
/// The same before clients are heard no more: what people type within seconds.
const NEWS_OF_CLIENTS: usize = 1024;
/// Blocks read for one drain: a terminal holds far less, unless its program floods, and a screen that floods is
/// not the one a key is meant for anyway.
const DRAIN_READS: usize = 8;
/// The same once the program has ended. What it wrote is in the terminal then; more comes only from a child it
/// left behind, which must not keep the news of the end from getting through.
const LAST_READS: usize = 32;
/// How long the drain waits that a turn has no more room for: every other session has had its turn by then.
const DRAIN_PAUSE: Duration = Duration::from_millis(10);
/// A program echoes a key within a millisecond or two, and the client draws it. The hub hears of the key then: what it does
/// about it would take the processor from whoever shows the echo.
const ECHO: Duration = Duration::from_millis(5);
/// Bytes that are fed before others have their turn. A key's echo is shorter: a session that yields after it wakes another
/// thread of the server, which runs for nothing before the client that is to draw the echo.
const YIELD: usize = 1024;
/// How long output may wait to go to the journal: it is in the output log already, which outlives this process.
const JOURNAL_DELAY: Duration = Duration::from_millis(50);

/// Runs until the agent is forgotten or the server ends. When it returns, the keeper's files are gone too, unless
/// the server just leaves.
pub async fn run(session: Session, setting: Setting) {
    let (task, commands, mail) = Task::new(session, setting);
    task.run(commands, mail).await;
}

struct Task {
    session: Session,
    agent: AgentKey,
    clock: Clock,
    starting: Option<Starting>,
    terminal: Option<Terminal>,
    news: Sender<(AgentKey, News)>,
    files: Files,
    /// News on their way to the hub.
    waiting: VecDeque<News>,
    /// A key was typed: until then its echo comes before the news of it.
    news_at: Option<Instant>,
    clients: HashMap<ClientKey, Sink>,
    /// Requests whose replies are still to come.
    asked: Open,
    /// Output that was read, and how much of it was fed.
    unfed: Vec<u8>,
    fed: usize,
    /// Output that is to go to the journal as one part.
    journal: Vec<u8>,
    journal_since: Option<Instant>,
    /// Parts of the journal were not taken: it is begun anew.
    journal_lost: bool,
    /// Bytes fed since others last had their turn.
    since_yield: usize,
    /// Drains in this turn, and when the next one comes if they were too many.
    drains: usize,
    drain_at: Option<Instant>,
    /// A barrier is asked for, and comes back once the terminal has taken everything.
    barrier_waits: bool,
}

impl Task {
    fn new(session: Session, setting: Setting) -> (Task, Receiver<Command>, Receiver<Mail>) {
        let Setting { agent, clock, starting, commands, mail, news, files } = setting;
        let task = Task {
            session,
            agent,
            clock,
            starting: Some(starting),
            terminal: None,
            news,
            files,
            waiting: VecDeque::new(),
            news_at: None,
            clients: HashMap::new(),
            asked: Open::default(),
            unfed: Vec::new(),
            fed: 0,
            journal: Vec::new(),
            journal_since: None,
            journal_lost: false,
            since_yield: 0,
            drains: 0,
            barrier_waits: false,
            drain_at: None,
        };
        (task, commands, mail)
    }

    async fn run(mut self, mut commands: Receiver<Command>, mut mail: Receiver<Mail>) {
        loop {
            let turn = self.next_turn(&mut commands, &mut mail).await;
            self.drains = 0;
            if turn.is_keys() {
                self.news_at.get_or_insert_with(|| Instant::now() + ECHO);
            }
            match turn {
                Turn::Command(None) => return self.stop(),
                Turn::Command(Some(Command::Forget)) => {
                    // Whoever still asked is told so at once, and not when its keeper has gone.
                    drop(mail);
                    return self.leave().await;
                }
                Turn::Feed => self.feed_turn(),
                turn => self.take(turn),
            }
        }
    }

    async fn next_turn(&mut self, commands: &mut Receiver<Command>, mail: &mut Receiver<Mail>) -> Turn {
        if self.since_yield >= YIELD {
            // However much this agent prints, others come in between: a terminal that always has more to read would keep
            // this thread, and with it perhaps the only one that hears of what comes, for a hundred blocks.
            self.since_yield = 0;
            tokio::task::yield_now().await;
        }
        self.news_at = self.news_at.filter(|at| Instant::now() < *at);
        let news_at = self.news_at.filter(|_| !self.waiting.is_empty());
        if news_at.is_none() {
            self.send_news();
        }
        let idle = self.fed == self.unfed.len();
        let journal_at = self.journal_since.map(|since| since + JOURNAL_DELAY);
        let wake = self.session.next_wake().map(|ms| self.clock.at(ms));
        let wake = wake.into_iter().chain(journal_at).chain(news_at).chain(self.drain_at).min();
        let reading = self.is_reading();
        let hearing = self.waiting.len() < NEWS_OF_CLIENTS;
        let Task { terminal, starting, news, waiting, agent, asked, .. } = self;
        tokio::select! {
            // People before floods.
            biased;
            command = commands.recv() => Turn::Command(command),
            Some(mail) = mail.recv(), if hearing => Turn::Mail(mail),
            started = begun(starting) => Turn::Started(started),
            turn = terminal_ready(terminal, reading) => turn,
            permit = news.reserve(), if news_at.is_none() && !waiting.is_empty() => {
                if let (Ok(permit), Some(first)) = (permit, waiting.pop_front()) {
                    let reply = told(&first);
                    permit.send((*agent, first));
                    asked.answered(reply);
                }
                Turn::NewsSent
            }
            () = std::future::ready(()), if !idle => Turn::Feed,
            () = sleep_until(wake) => Turn::Time,
        }
    }

    fn take(&mut self, turn: Turn) {
        match turn {
            // Another server could not type what this one has queued: it waits until the terminal has taken that.
            Turn::Command(Some(Command::Order(order)))
                if matches!(*order, Order::Barrier) && self.has_queued() =>
            {
                self.barrier_waits = true;
            }
            Turn::Command(Some(Command::Order(order))) => self.input(Input::Order(*order)),
            Turn::Mail(mail) => self.mail(mail),
            Turn::Started(started) => self.started(started),
            Turn::Pty(ready) => self.pty_ready(ready),
            Turn::Remote(Some(said)) => self.remote_said(said),
            Turn::Remote(None) => {
                self.terminal = None;
                self.input(Input::KeeperLost);
            }
            Turn::Time => {
                if self.journal_since.is_some_and(|since| Instant::now() >= since + JOURNAL_DELAY) {
                    self.flush_journal();
                }
                self.drain_late();
                self.input(Input::Wake);
            }
            // Taken by the loop itself, or done already.
            Turn::Command(None | Some(Command::Forget)) | Turn::Feed | Turn::NewsSent => {}
        }
    }

    /// Whether its program's output is wanted now.
    fn is_reading(&self) -> bool {
        let idle = self.fed == self.unfed.len();
        idle && self.waiting.len() < NEWS_WAITING && !self.session.waits_for_reader()
    }

    fn input(&mut self, input: Input) {
        if self.session.next_wake().is_some_and(|due| due <= self.clock.now().ms) {
            let outputs = self.read_what_waits();
            self.perform(outputs);
        }
        if let Some(Terminal::Pty(pty)) = &self.terminal {
            self.session.set_room(pty.room());
        }
        if let (Some(Terminal::Remote { tty: Some(tty), .. }), Input::Request { .. }) =
            (&self.terminal, &input)
        {
            self.session.set_instead(crate::os::tty_witness::instead(tty));
        }
        self.step(input);
    }

    /// Feeds as much of the output that was read as one turn may cost.
    fn feed_turn(&mut self) {
        let outputs = self.feed();
        self.perform(outputs);
    }

    fn feed(&mut self) -> Vec<Output> {
        let (taken, outputs) = self.session.feed(&self.unfed[self.fed..], self.clock.now());
        self.tell_where_a_reply_goes();
        self.fed += taken.max(1);
        self.since_yield += taken.max(1);
        if self.fed >= self.unfed.len() {
            self.unfed.clear();
            self.fed = 0;
        }
        outputs
    }

    fn perform(&mut self, outputs: Vec<Output>) {
        let mut queue = VecDeque::from(outputs);
        while let Some(output) = queue.pop_front() {
            match output {
                Output::Write(bytes) => {
                    if !self.write(bytes) {
                        queue.extend(self.session.on(Input::WriteRefused, self.clock.now()));
                    }
                }
                Output::Confirm => match &self.terminal {
                    Some(Terminal::Remote { to, .. }) if to.try_send(ToTerminal::Confirm).is_ok() => {}
                    _ => queue.extend(self.session.on(Input::Confirmed { taken: false }, self.clock.now())),
                },
                Output::Drain if !self.may_drain() => self.drain_at = Some(Instant::now() + DRAIN_PAUSE),
                Output::Drain => match &mut self.terminal {
                    Some(Terminal::Pty(_)) => queue.extend(self.drain(DRAIN_READS)),
                    Some(Terminal::Remote { to, .. }) => drop(to.try_send(ToTerminal::Drain)),
                    None => {
                        let drained = Input::Drained { canonical: false };
                        queue.extend(self.session.on(drained, self.clock.now()));
                    }
                },
                Output::LookAtReader => queue.extend(self.look_at_reader()),
                Output::Resize(size) => match &mut self.terminal {
                    Some(Terminal::Pty(pty)) => pty.resize(size),
                    Some(Terminal::Remote { to, .. }) => drop(to.try_send(ToTerminal::Resize(size))),
                    None => {}
                },
                Output::Keeper(message) => match &mut self.terminal {
                    Some(Terminal::Pty(pty)) => pty.order_keeper(&message),
                    Some(Terminal::Remote { to, .. }) => drop(to.try_send(ToTerminal::Keeper(message))),
                    None => {}
                },
                Output::News(news) => self.tell(news),
                Output::Reply { client, id, reply } => {
                    self.asked.answered(Some((client, id)));
                    self.send(client, ServerMessage::Reply { id, reply });
                }
                Output::Send { client, message } => self.send(client, *message),
                Output::Journal(parts) => self.journal(parts),
                Output::Record { to, .. } => {
                    if !(self.files)(self.agent, output) {
                        let done = Err("could not record: the disk does not keep up".to_owned());
                        let order = Order::Recorded { to, now: None, done };
                        queue.extend(self.session.on(Input::Order(order), self.clock.now()));
                    }
                }
                Output::Recorded(_)
                | Output::RecordOn { .. }
                | Output::RecordAlways { .. }
                | Output::RecordedSize(_) => {
                    let _ = (self.files)(self.agent, output);
                }
            }
        }
    }

    fn write(&mut self, bytes: Vec<u8>) -> bool {
        match &mut self.terminal {
            Some(Terminal::Pty(pty)) => pty.write(bytes),
            Some(Terminal::Remote { to, .. }) => to.try_send(ToTerminal::Write(bytes)).is_ok(),
            None => true,
        }
    }

    fn send(&mut self, client: ClientKey, message: ServerMessage) {
        if let Some(sink) = self.clients.get(&client) {
            sink.send(message);
        }
    }

    fn tell(&mut self, news: News) {
        self.waiting.push_back(news);
    }

    fn send_news(&mut self) {
        while let Some(news) = self.waiting.pop_front() {
            let reply = told(&news);
            if let Err(error) = self.news.try_send((self.agent, news)) {
                return self.waiting.push_front(error.into_inner().1);
            }
            self.asked.answered(reply);
        }
    }

    /// Somebody meddles with the terminal.
    fn heed_disturbance(&mut self) {
        let Some(Terminal::Pty(pty)) = &mut self.terminal else { return };
        for told in pty.take_told() {
            self.input(told);
        }
    }

    fn pty_ready(&mut self, ready: Ready) {
        self.heed_disturbance();
        match ready {
            Ready::Output(block) => {
                (self.unfed, self.fed) = (block, 0);
                if !self.unfed.is_empty() {
                    self.feed_turn();
                }
            }
            Ready::Keeper(messages) => {
                for message in messages {
                    if matches!(message, FromKeeper::Exited(_)) {
                        self.read_dry(LAST_READS);
                    }
                    self.input(Input::Keeper(message));
                }
            }
            Ready::KeeperLost => self.input(Input::KeeperLost),
            Ready::Nothing => {}
        }
        if self.barrier_waits && !self.has_queued() {
            self.barrier_waits = false;
            self.input(Input::Order(Order::Barrier));
        }
    }

    /// Whether something that was typed is still to be taken by its terminal.
    fn has_queued(&self) -> bool {
        matches!(&self.terminal, Some(Terminal::Pty(pty)) if !pty.has_taken_all())
    }

    fn remote_said(&mut self, said: FromTerminal) {
        match said {
            FromTerminal::Output(bytes) => {
                (self.unfed, self.fed) = (bytes, 0);
                self.feed_turn();
            }
            FromTerminal::Missed => self.input(Input::Missed),
            FromTerminal::Drained { canonical } => {
                let outputs = self.drained(canonical);
                self.perform(outputs);
            }
            FromTerminal::Keeper(message) => self.input(Input::Keeper(message)),
            FromTerminal::KeeperLost => self.input(Input::KeeperLost),
            FromTerminal::WriteRefused => self.input(Input::WriteRefused),
            FromTerminal::Confirmed { taken } => self.input(Input::Confirmed { taken }),
            FromTerminal::Resized(size) => self.input(Input::Resized(size)),
            FromTerminal::PersonTyped => self.input(Input::PersonTyped),
            FromTerminal::Notify(text) => self.tell(News::Notify(text)),
        }
    }
}
