//! Signals that end a client which has the terminal. Dashboard and attach wait for them in their loops.

use tokio::signal::unix::{Signal, SignalKind, signal};

/// Signals that end us; the terminal is given back first.
#[derive(Debug)]
pub struct Ends([Signal; 4]);

impl Ends {
    pub fn new() -> Result<Ends, String> {
        let on = |kind| signal(kind).map_err(|error| format!("could not listen for signals: {error}"));
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
