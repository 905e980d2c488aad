//! What a program that was run has printed, and how it ended, in words that may stand in a note.
//!
//! For `consult_io.rs` and `acp_io.rs`. It starts nothing and ends nothing.

use std::process::ExitStatus;

use tokio::io::{AsyncRead, AsyncReadExt};

use crate::core::log::redact::{clean, redact};

/// Kept of its complaints, of which the last line is told.
pub const KEPT_COMPLAINTS: usize = 4 * 1024;
/// Of that line, in characters.
const COMPLAINT_CHARS: usize = 200;
/// The code of a command that could not be started, as a shell reports it.
pub const NOT_FOUND: i32 = 127;
pub const NOT_STARTED: &str = "it could not be started; is its command there?";
/// As a shell reports a command ended by a signal: this and its number.
const BY_SIGNAL: i32 = 128;

/// How a program that failed ended.
pub fn ended(status: ExitStatus) -> Option<String> {
    match status.code() {
        Some(0) => None,
        Some(code) if code > BY_SIGNAL => Some(format!("it was ended by signal {}", code - BY_SIGNAL)),
        Some(code) => Some(format!("it failed with code {code}")),
        None => Some(format!("it failed ({status})")),
    }
}

/// Reads all of it and keeps the last bytes.
pub async fn the_end_of(mut stream: impl AsyncRead + Unpin, keep: usize) -> std::io::Result<Vec<u8>> {
    let mut kept = Vec::new();
    loop {
        if stream.read_buf(&mut kept).await? == 0 {
            kept.drain(..kept.len().saturating_sub(keep));
            return Ok(kept);
        }
        if kept.len() > 2 * keep {
            kept.drain(..kept.len() - keep);
        }
    }
}

/// The last line of its complaints, as it may stand in a log.
pub fn complaint(bytes: &[u8]) -> String {
    let text = redact(&clean(&String::from_utf8_lossy(bytes)));
    let line = text.lines().rev().map(str::trim).find(|line| !line.is_empty());
    line.map(|line| format!(": {}", line.chars().take(COMPLAINT_CHARS).collect::<String>()))
        .unwrap_or_default()
}
