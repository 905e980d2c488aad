//! What holds for the whole server, from its start.

use crate::core::consult::nonce::NonceKey;
use crate::core::terminal::query_replies::TerminalIdentity;
use crate::core::terminal::sizing::Sizing;

#[derive(Debug, Clone)]
pub struct Settings {
    /// The server ends this long after the last agent has gone and no client is connected.
    pub exit_when_empty_ms: u64,
    /// Logical lines of history kept for each agent.
    pub scrollback: usize,
    pub terminal_identity: TerminalIdentity,
    /// Whose size an agent gets that several look at.
    pub sizing: Sizing,
    /// Most bytes of the recording each agent gets by itself; `None`: it gets none.
    pub record_bytes: Option<u64>,
    pub pid: u32,
    /// What consultants prove their replies with is made of it.
    pub nonce_key: NonceKey,
}
