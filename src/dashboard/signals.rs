//! Signals that end a client which has the terminal. Dashboard and attach wait for them in their loops.

use tokio::signal::unix::{Signal, SignalKind, signal};

use crate::os::interrupt::{self, Deferred};

/// Signals that end us; the terminal is given back first. It is kept for as long as we have the terminal.
#[derive(Debug)]
pub struct Ends {
    signals: [Signal; 4],
    _deferred: Deferred,
}

impl Ends {
    pub fn new() -> Result<Ends, String> {
        let on = |kind| signal(kind).map_err(|error| format!("could not listen for signals: {error}"));
        let signals = [
            on(SignalKind::terminate())?,
            on(SignalKind::hangup())?,
            on(SignalKind::interrupt())?,
            on(SignalKind::quit())?,
        ];
        // Now that we listen: at no time does a signal go by unseen.
        Ok(Ends { signals, _deferred: interrupt::defer() })
    }

    /// Returns when one of them has come.
    pub async fn any(&mut self) {
        let [terminate, hangup, interrupt, quit] = &mut self.signals;
        tokio::select! {
            _ = terminate.recv() => {}
            _ = hangup.recv() => {}
            _ = interrupt.recv() => {}
            _ = quit.recv() => {}
        }
    }
}
