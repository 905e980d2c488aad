//! An agent's life as its terminal sees it: started or taken back, stopped, going on, ended.
//!
//! What follows from it for questions, restarts and the list of agents is the hub's.

use crate::core::terminal::history::History;
use crate::core::terminal::scrolled::Scrolled;
use crate::wire::keeper::{FromKeeper, ToKeeper};
use crate::wire::message::Reply;

use super::emulation::narrower;
use super::message::{ClientKey, News, Output, Started};
use super::{Life, Session};

/// What a process killed by SIGKILL reports: 128 + 9.
const KILLED: i32 = 137;
/// Leaves nothing on a screen.
const RESET: &[u8] = b"\x1bc";

impl Session {
    pub(super) fn started(&mut self, start: Started) {
        let now = self.now;
        self.life = if start.stopped { Life::Paused } else { Life::Running };
        self.started_ms = now.ms;
        self.moved = true;
        // A server that gave lives no number, and a pane of the user's tmux, are told by the process.
        self.life_id.get_or_insert(u64::from(start.pid));
        self.tells_signals = start.tells_signals;
        self.replay(&start.journal);
        self.log.place = start.at;
        self.take_size(&start);
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
        if start.adopted && start.at > 0 {
            // A program that has printed under the server before and is silent since is not one that starts.
            self.terminal.printed += start.at;
            self.terminal.output_ms = now.ms;
        }
        if !start.restored.is_empty() {
            // What it printed while no server looked on was drawn by its terminal, and kept by nobody.
            self.missed();
            self.restore(&start.restored);
        }
        self.begin_recordings(start.adopted);
        // A program may read before it prints a word.
        self.observation.watcher.saw_output(now.ms);
        let begin = self.terminal.raw.end();
        self.slot.untouched = true;
        self.take_backlog(&start.backlog);
        // What was typed in between is not known: of what an earlier server has seen, only the screen is weighed. To one that
        // has just been started nothing was typed yet.
        self.slot.typed_place = if start.adopted { self.terminal.raw.end() } else { begin };
        self.slot.untouched &= !start.adopted;
        if start.adopted && start.exited.is_none() && start.restored.is_empty() {
            self.redraw();
        }
        // What was ordered while there was no terminal has come to nobody.
        self.agree_on_size();
        if let Some(code) = start.exited {
            self.exited(code);
        }
    }

    /// The terminal knows its size, unless a server that was killed while it made the program draw left it a column
    /// narrower.
    fn take_size(&mut self, start: &Started) {
        let narrow = narrower(self.terminal.screen.size());
        let exact = start.journal.is_empty() || !start.restored.is_empty();
        if let Some(size) = start.size.filter(|size| exact || *size != narrow) {
            self.terminal.screen.resize(size);
        }
    }

    /// Draws what an agent's terminal showed before this server looked at it.
    fn restore(&mut self, pieces: &[Vec<u8>]) {
        let known = (self.first_line_shown(), self.end_of_lines(), self.terminal.screen.grid().text());
        // What the screen holds already is in the pieces as well.
        drop(self.terminal.screen.feed(RESET));
        let mut scrolled = Vec::new();
        for piece in pieces {
            scrolled.push(self.terminal.screen.feed(piece).scrolled);
            self.terminal.printed += piece.len() as u64;
        }
        let first = self.first_line_restored(&scrolled, known);
        self.terminal.history.begin_at(first);
        scrolled.iter().for_each(|rows| self.terminal.history.push(rows));
        // It is there to be judged at once, as after output.
        self.terminal.output_ms = self.now.ms;
        self.observation.watcher.saw_output(self.now.ms);
        self.viewers.mark_dirty();
    }

    /// The number of the first of these lines, so that cursors of an earlier server go on where they were. A terminal keeps no
    /// more than so many: where it has fewer than were counted, and does not show what it showed, nobody can tell which
    /// those are, and all of them are new.
    fn first_line_restored(&self, scrolled: &[Scrolled], (shown, end, text): (u64, u64, String)) -> u64 {
        let mut kept = History::new(usize::MAX);
        scrolled.iter().for_each(|rows| kept.push(rows));
        let kept = kept.end() - u64::from(kept.open_line());
        match shown.checked_sub(kept) {
            None | Some(0) => 0,
            Some(before) if text == self.terminal.screen.grid().text() => before,
            Some(_) => end + 1,
        }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::terminal::grid::Size;
    use crate::session::Setup;
    use crate::session::message::{Input, JournalPart, Now};

    /// An agent in tmux under the next server: what the server before saw, and what tmux shows.
    fn taken_back(printed: &str, shown: &str) -> Session {
        let size = Size::new(20, 5);
        let mut session = Session::new(Setup::plain("generic", size), Now::default());
        let journal = vec![
            JournalPart::Begin { at: 0, line: 0, size, seed: Vec::new() },
            JournalPart::Output(printed.as_bytes().to_vec()),
        ];
        let at = printed.len() as u64;
        let restored = vec![shown.as_bytes().to_vec()];
        let start = Started { journal, at, restored, size: Some(size), adopted: true, ..Started::default() };
        session.on(Input::Started(Box::new(start)), Now::default());
        session
    }

    fn lines(from: u32, to: u32) -> String {
        (from..to).map(|line| format!("line {line}\r\n")).collect()
    }

    #[test]
    fn lines_that_a_terminal_shows_again_keep_their_numbers() {
        // As many as there were, and some that were printed since.
        assert_eq!(taken_back(&lines(0, 50), &lines(0, 50)).terminal.history.first(), 0);
        assert_eq!(taken_back(&lines(0, 50), &lines(0, 60)).terminal.history.first(), 0);
        // tmux has dropped the oldest.
        let session = taken_back(&lines(0, 50), &lines(20, 50));
        assert_eq!((session.terminal.history.first(), session.first_line_shown()), (20, 46));
        // How many it has dropped cannot be known.
        let session = taken_back(&lines(0, 50), &lines(20, 60));
        assert!(session.terminal.history.first() > 50);
    }

    #[test]
    fn output_that_nobody_read_counts_in_the_places_of_the_next_server() {
        let mut session = taken_back("first\r\n", "first\r\n");
        assert_eq!(session.terminal.raw.since(0, 100, false), ("first\r\n".into(), true, 8));
        let JournalPart::Begin { at, .. } = session.journal_anew() else { panic!("a journal begins") };
        assert_eq!(at, 8);
    }
}
