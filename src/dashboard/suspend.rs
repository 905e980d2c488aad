//! Stopping the dashboard and going on with it, as a shell's job: the terminal is the shell's meanwhile.
//!
//! `mod.rs` calls it when a signal or the person asks for it. Agents and questions go on at the server.

use std::time::Instant;

use crate::core::keymap::Action;
use crate::os::job_control::Who;

use super::outer_size::outer_size;
use super::terminal::{self, Guard};
use super::{Ends, GIVE_UP, Loop, failed, now_ms};

impl Loop {
    /// Gives the terminal back and stops; goes on where a shell lets us.
    pub(super) fn stop(&mut self, guard: &Guard, ends: &Ends, who: Who) -> Result<(), String> {
        // A terminal that is gone cannot be told.
        let _ = terminal::set_blocked(false);
        let stopped = guard.stop(ends.job(), who)?;
        self.shown_anew()?;
        if !stopped {
            let leave = self.state.chord(Action::Detach);
            self.state.say(format!("there is no shell to go back to; {leave} leaves, and the agents go on"));
        }
        Ok(())
    }

    /// After a stop that we did not hear of before.
    pub(super) fn go_on(&mut self, guard: &Guard) -> Result<(), String> {
        guard.take_again()?;
        self.shown_anew()
    }

    /// Nothing of what was shown before is on the terminal, and no time went by for us.
    fn shown_anew(&mut self) -> Result<(), String> {
        let (cols, rows) = outer_size().map_err(failed)?;
        self.canvas.forget();
        self.told = (String::new(), None);
        self.silence.heard(now_ms());
        if self.link.is_none() {
            self.give_up_at = Some(Instant::now() + GIVE_UP);
        }
        self.resized(cols, rows)
    }
}
