//! What wakes a client that has a terminal: a key, the server, a signal, a time.
//!
//! Dashboard and attach call `next` in their loops. It decides nothing but what comes first.

use std::collections::VecDeque;
use std::os::fd::AsFd;
use std::time::{Duration, Instant};

use crate::os::poll::{Ready, Want, wait};
use crate::wire::message::ServerMessage;

use super::link::Link;
use super::outer::{Events, Outer};
use super::signals::Ends;

/// Nothing is due for so long: whoever waits looks again then.
const LONGEST: Duration = Duration::from_secs(3_600);

#[derive(Debug)]
pub enum Woken {
    Outer(Outer),
    /// None of them: the connection is over.
    Server(VecDeque<ServerMessage>),
    /// A signal that ends us, or the end of the terminal.
    Ended(End),
    /// Somebody wants us to stop, as a shell's ctrl-z does.
    ToStop,
    /// We were stopped, and go on: the terminal was somebody else's meanwhile.
    WentOn,
    /// Nothing came for so long.
    Time,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    Signal,
    TerminalGone,
}

/// Waits for what comes next, for so long at most.
pub fn next(
    outer: &mut Events,
    link: &mut Option<Link>,
    ends: &Ends,
    limit: Duration,
) -> Result<Woken, String> {
    let until = Instant::now() + limit.min(LONGEST);
    loop {
        // A key before a flood.
        if let Some(event) = outer.take_next() {
            return Ok(Woken::Outer(event));
        }
        if outer.is_gone() {
            return Ok(Woken::Ended(End::TerminalGone));
        }
        if let Some(link) = link.as_mut().filter(|link| link.has_news()) {
            return Ok(Woken::Server(link.take()));
        }
        let now = Instant::now();
        let due = outer.due().map_or(until, |due| due.min(until));
        let [signal, stops, goes_on, keys, size, server] =
            look(outer, link.as_ref(), ends, due.saturating_duration_since(now))?;
        if signal.to_read && ends.came() {
            return Ok(Woken::Ended(End::Signal));
        }
        if stops.to_read && ends.job().is_to_stop() {
            return Ok(Woken::ToStop);
        }
        if goes_on.to_read && ends.job().went_on() {
            return Ok(Woken::WentOn);
        }
        if keys.to_read {
            outer.read();
        }
        if size.to_read {
            outer.resized();
        }
        outer.flush();
        if let Some(link) = link {
            link.turn(server);
        }
        let nothing = [keys, size, server].iter().all(|ready| *ready == Ready::default());
        if nothing && until <= Instant::now() {
            return Ok(Woken::Time);
        }
    }
}

fn look(outer: &Events, link: Option<&Link>, ends: &Ends, limit: Duration) -> Result<[Ready; 6], String> {
    let ((keys, size), (stops, goes_on)) = (outer.fds(), ends.job().fds());
    // Without a server nothing comes from one: the same descriptor twice costs nothing.
    let server = link.map_or((ends.as_fd(), Want::ToRead), Link::fd);
    let [signal, stops, goes_on, keys, size] =
        [ends.as_fd(), stops, goes_on, keys, size].map(|fd| (fd, Want::ToRead));
    wait([signal, stops, goes_on, keys, size, server], limit)
        .map_err(|error| format!("could not wait for the terminal: {error}"))
}
