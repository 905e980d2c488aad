//! An agent's life as its terminal sees it: started or taken back, stopped, going on, ended.
//!
//! What follows from it for questions, restarts and the list of agents is the hub's.

use crate::wire::keeper::{FromKeeper, ToKeeper};
use crate::wire::message::Reply;

use super::emulation::narrower;
use super::message::{ClientKey, News, Output, Started};
use super::{Life, Session};

/// What a process killed by SIGKILL reports: 128 + 9.
const KILLED: i32 = 137;

impl Session {
    pub(super) fn started(&mut self, start: Started) {
        let now = self.now;
        self.life = if start.stopped { Life::Paused } else { Life::Running };
        self.started_ms = now.ms;
        self.moved = true;
        self.begin_life(start.pid);
        self.tells_signals = start.tells_signals;
        if start.adopted {
            // Its first prompt was typed in an earlier life of this server.
            self.slot.first_prompt = None;
        }
        self.replay(&start.journal);
        self.log.place = start.at;
        // The terminal knows its size, unless a server that was killed while it made the program draw left it a
        // column narrower.
        let narrow = narrower(self.terminal.screen.size());
        if let Some(size) = start.size.filter(|size| start.journal.is_empty() || *size != narrow) {
            self.terminal.screen.resize(size);
        }
        self.tell(News::Started {
            pid: start.pid,
            keeper: start.keeper,
            token: start.token,
            place: start.place,
            stopped: start.stopped,
        });
        if !start.adopted {
            // An agent that was started again goes on counting its lines.
            let begin = self.journal_begin(Vec::new());
            self.out.push(Output::Journal(vec![begin]));
        }
        self.take_output_log(start.output_log);
        self.restore(&start.restored);
        self.record_always(start.adopted);
        // A program may read before it prints a word.
        self.observation.watcher.saw_output(now.ms);
        self.take_backlog(&start.backlog);
        // What was typed in between is not known: of what an earlier server has seen, only the screen is weighed.
        self.slot.typed_place = self.terminal.raw.end();
        if start.adopted && start.exited.is_none() && start.restored.is_empty() {
            self.redraw();
        }
        // What was ordered while there was no terminal has come to nobody.
        self.agree_on_size();
        if let Some(code) = start.exited {
            self.exited(code);
        }
    }

    /// Draws what an agent's terminal showed before this server looked at it.
    fn restore(&mut self, pieces: &[Vec<u8>]) {
        if pieces.is_empty() {
            return;
        }
        for piece in pieces {
            let scrolled = self.terminal.screen.feed(piece).scrolled;
            self.terminal.history.push(&scrolled);
            self.terminal.printed += piece.len() as u64;
        }
        // It is there to be judged at once, as after output.
        self.terminal.output_ms = self.now.ms;
        self.observation.watcher.saw_output(self.now.ms);
        self.viewers.mark_dirty();
    }

    pub(super) fn order_keeper(&mut self, message: ToKeeper) {
        self.pausing |= matches!(message, ToKeeper::Pause);
        self.out.push(Output::Keeper(message));
    }

    /// Whoever wants it is answered once it has been sent: what comes next from them finds it done.
    pub(super) fn signal(&mut self, to: (ClientKey, u64), signal: String) {
        self.out.push(Output::Keeper(ToKeeper::Signal { signal }));
        self.signalling.push_back(to);
        if !self.tells_signals {
            self.signalled(true);
        }
    }

    fn signalled(&mut self, sent: bool) {
        let Some((client, id)) = self.signalling.pop_front() else { return };
        let reply = match sent {
            true => Reply::Done,
            false => Reply::error(1, format!("{} has exited", self.name)),
        };
        self.reply_to(client, id, reply);
    }

    /// Whether its screen says nothing new: a program that is stopped reads nothing, and asks what it asked.
    pub(super) fn stands_still(&self) -> bool {
        self.pausing || self.life == Life::Paused
    }

    pub(super) fn keeper_says(&mut self, message: FromKeeper) {
        self.pausing &=
            !matches!(message, FromKeeper::Paused { .. } | FromKeeper::Continued | FromKeeper::Exited(_));
        match message {
            FromKeeper::Stopped => self.stopped(Vec::new()),
            FromKeeper::Paused { running, .. } => self.stopped(running),
            FromKeeper::Continued if !self.gone() => {
                self.life = Life::Running;
                // A program that goes on takes its terminal back and draws.
                self.observation.watcher.saw_output(self.now.ms);
                self.now_is();
                self.tell(News::Continued);
                // Stopped in the middle of drawing, it may go on where it was and leave an old line standing.
                if self.draws_a_screen() {
                    self.redraw();
                }
            }
            FromKeeper::Continued => {}
            FromKeeper::Signalled { sent } => self.signalled(sent),
            FromKeeper::Exited(exit) => self.exited(exit.shell_code()),
            FromKeeper::Swept { left, kept, .. } => self.tell(News::Swept { left, kept }),
        }
    }

    fn stopped(&mut self, running: Vec<u32>) {
        if !self.gone() {
            self.life = Life::Paused;
            self.now_is();
            self.tell(News::Stopped { running });
        }
    }

    /// Its state, ahead of the word that somebody waits for: whoever is told it asks the hub for the state at once.
    fn now_is(&mut self) {
        self.moved = true;
        self.refresh_state();
        self.tell_sight();
    }

    pub(super) fn keeper_lost(&mut self) {
        if !self.gone() {
            let name = &self.name;
            let text = format!("the keeper of {name} died, and its agent with it");
            self.tell(News::Notify(text));
            self.exited(KILLED);
        }
        while !self.signalling.is_empty() {
            self.signalled(false);
        }
        self.tell(News::KeeperLost);
    }

    fn exited(&mut self, code: i32) {
        if self.gone() {
            return;
        }
        self.life = Life::Exited(code);
        // An answer that is in has its end seen yet; what was put to a consultant goes to the next one.
        self.slot.program_ended();
        self.consultation_over();
        self.observation.watcher.saw_output(self.now.ms);
        self.classify();
        self.refresh_state();
        self.drive_typing();
        self.tell(News::Exited { code });
        self.end_submits();
    }
}
