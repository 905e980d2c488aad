//! The messages between a server and the keeper of an agent.
//!
//! The hub speaks them as values, `os/keeper_link.rs` and the keeper carry them. A keeper may be older
//! than the server that finds it: names and meanings never change.

use serde::{Deserialize, Serialize};

use super::frame::Message;
use crate::core::terminal::grid::Size;

/// How an agent ended: one of the two.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Exit {
    pub code: Option<i32>,
    pub signal: Option<i32>,
}

impl Exit {
    /// As a shell counts it: 128 and the signal.
    pub fn shell_code(self) -> i32 {
        self.code.unwrap_or_else(|| self.signal.map_or(1, |signal| 128 + signal))
    }
}

/// Under this key of the manifest the next server finds what `ToKeeper::Hold` said last.
pub const HELD: &str = "held";

/// From a server.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ToKeeper {
    /// The ring has arrived whole: from now on the server reads. `connect` sends it.
    Take,
    /// Stops the whole tree. Answered by `Paused`.
    Pause,
    /// Answered by `Continued`.
    Resume,
    /// TERM to the whole tree, KILL after the grace. Answered by `Exited` (if it still ran) and `Swept`.
    Stop { grace_ms: u64 },
    /// To the foreground process group: a name of `SIGNALS`. Answered by `Signalled`, if the keeper's hello says so.
    Signal { signal: String },
    /// What the next server is to be given besides the manifest. The keeper holds the last one, unread; those of
    /// earlier versions pass it over.
    Hold { note: serde_json::Value },
    /// Whoever had it run has been told its name: it does not end with them. Keepers of earlier versions, which end with nobody,
    /// pass it over.
    Untie,
    /// Goodbye. Once the agent has ended the keeper sweeps what it left running, removes its files,
    /// closes the line and ends.
    Leave,
}

/// To the server.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FromKeeper {
    /// The agent stopped without a `Pause`.
    Stopped,
    /// The agent runs again.
    Continued,
    /// Everything stands still. `forced` took SIGSTOP; `running` did not even stop then.
    Paused { forced: Vec<u32>, running: Vec<u32> },
    /// A `Signal` has been sent; or nobody was left to take it.
    Signalled { sent: bool },
    /// The agent has ended; whatever it wrote is in the terminal: read it empty.
    Exited(Exit),
    /// After `Stop`: nothing the agent started is left, except `left`. `killed` needed KILL. `kept` runs below
    /// somebody else with the agent's environment.
    Swept {
        killed: Vec<u32>,
        left: Vec<u32>,
        #[serde(default)]
        kept: Vec<u32>,
    },
}

impl Message for ToKeeper {}
impl Message for FromKeeper {}

/// The signals a `Signal` message may name.
pub const SIGNALS: [&str; 10] =
    ["INT", "TERM", "HUP", "WINCH", "CONT", "TSTP", "QUIT", "USR1", "USR2", "KILL"];

/// What the agent's own process does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Run {
    Running,
    /// It stopped itself (ctrl-z), or somebody's signal did.
    Stopped,
    /// `Pause` stopped it and everything below it.
    Paused,
    Exited(Exit),
}

/// First on the line. `manifest` bytes follow it, then `ring` bytes of output, then the master once `Take` was
/// sent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hello {
    pub version: u32,
    pub name: String,
    pub agent_pid: u32,
    pub keeper_pid: u32,
    pub run: Run,
    pub size: Size,
    /// The length of the server's manifest, in JSON.
    #[serde(default)]
    pub manifest: u64,
    pub ring: u64,
    /// Older output that no longer fitted the ring.
    pub dropped: u64,
    /// When the agent ended, in Unix milliseconds. Keepers of earlier versions do not say.
    #[serde(default)]
    pub ended_unix_ms: Option<u64>,
    /// It tells when a signal has been sent. Keepers of earlier versions do not.
    #[serde(default)]
    pub tells_signals: bool,
    /// Somebody threw output away or held it back while it read: something may have asked that nobody has seen.
    #[serde(default)]
    pub disturbed: bool,
}

impl Message for Hello {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::Decoder;

    fn frame(json: &str) -> Vec<u8> {
        let mut frame = u32::try_from(json.len() + 1).unwrap().to_be_bytes().to_vec();
        frame.push(0);
        frame.extend(json.as_bytes());
        frame
    }

    /// What the first keepers say, letter for letter: agents started by them outlive many servers.
    #[test]
    fn the_first_keepers_are_understood_and_so_are_later_ones() {
        let mut decoder = Decoder::default();
        for said in [
            r#""stopped""#,
            r#""continued""#,
            r#"{"paused":{"forced":[3],"running":[]}}"#,
            r#"{"dreamt":{"of":"a later version"}}"#,
            r#"{"exited":{"code":7,"signal":null,"core":true}}"#,
            r#"{"swept":{"killed":[4],"left":[5]}}"#,
            r#"{"signalled":{"sent":true}}"#,
        ] {
            decoder.push(&frame(said));
        }
        let mut heard = Vec::new();
        while let Some(message) = decoder.take::<FromKeeper>().unwrap() {
            heard.push(message);
        }
        let exit = Exit { code: Some(7), signal: None };
        assert_eq!(
            heard,
            [
                FromKeeper::Stopped,
                FromKeeper::Continued,
                FromKeeper::Paused { forced: vec![3], running: vec![] },
                FromKeeper::Exited(exit),
                FromKeeper::Swept { killed: vec![4], left: vec![5], kept: vec![] },
                FromKeeper::Signalled { sent: true },
            ]
        );
    }

    /// What the first keepers take, letter for letter.
    #[test]
    fn orders_are_worded_as_the_first_keepers_know_them() {
        let worded = |order: &ToKeeper| serde_json::to_string(order).unwrap();
        assert_eq!(worded(&ToKeeper::Take), r#""take""#);
        assert_eq!(worded(&ToKeeper::Pause), r#""pause""#);
        assert_eq!(worded(&ToKeeper::Resume), r#""resume""#);
        assert_eq!(worded(&ToKeeper::Leave), r#""leave""#);
        assert_eq!(worded(&ToKeeper::Stop { grace_ms: 9 }), r#"{"stop":{"grace_ms":9}}"#);
        assert_eq!(worded(&ToKeeper::Signal { signal: "HUP".into() }), r#"{"signal":{"signal":"HUP"}}"#);
    }
}
