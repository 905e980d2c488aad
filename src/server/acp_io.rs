//! Speaks with a consultant over the Agent Client Protocol: lines of JSON on its standard input and output.
//!
//! `consult_io.rs` starts the program, gives it here and ends it with everything it started. What is said is decided by
//! `core/consult/acp.rs`.

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::process::{Child, ChildStdin, ChildStdout};

use crate::core::consult::acp::{Conversation, Step};

use super::program_output::{KEPT_COMPLAINTS, NOT_FOUND, NOT_STARTED, complaint, ended, the_end_of};

/// The longest message of an agent, in bytes: one tells what a tool has read.
const LONGEST_MESSAGE: usize = 8 * 1024 * 1024;
/// Most that waits to be read by the agent, in bytes: it asks and asks, and does not read what it is told.
const MOST_UNREAD: usize = 1024 * 1024;

/// Asks it, and returns what it said or why that is nothing. `cwd`: the folder the question is about.
pub async fn converse(child: &mut Child, prompt: String, cwd: &str) -> Result<String, String> {
    let stdin = child.stdin.take().expect("stdin is piped");
    let stdout = child.stdout.take().expect("stdout is piped");
    let stderr = child.stderr.take().expect("stderr is piped");
    // The protocol wants an absolute one.
    let cwd = if cwd.starts_with('/') { cwd } else { "/" };
    let mut spoken = std::pin::pin!(speak(stdin, stdout, Conversation::begin(prompt, cwd.to_owned())));
    let mut told = std::pin::pin!(the_end_of(stderr, KEPT_COMPLAINTS));
    let (said, complaints) = tokio::select! {
        said = &mut spoken => (said?, None),
        all = &mut told => (spoken.await?, Some(all)),
    };
    if let Some(said) = said {
        return said;
    }
    let status = child.wait().await.map_err(|error| format!("it could not be waited for: {error}"))?;
    if status.code() == Some(NOT_FOUND) {
        return Err(NOT_STARTED.into());
    }
    let complaints = match complaints {
        Some(all) => all,
        None => told.await,
    };
    let how = ended(status).unwrap_or_else(|| "it ended".into());
    Err(format!("{how} before it had answered{}", complaint(&complaints.unwrap_or_default())))
}

/// `None`: it closed its output before the conversation was over.
async fn speak(
    mut stdin: ChildStdin,
    mut stdout: ChildStdout,
    (mut conversation, first): (Conversation, serde_json::Value),
) -> Result<Option<Result<String, String>>, String> {
    let mut unread = line(&first);
    let mut heard = Vec::new();
    let mut searched = 0;
    loop {
        // Neither side may wait for the other to read. What it has said already is heard before it is told more: it is
        // no answer to that.
        tokio::select! {
            biased;
            read = stdout.read_buf(&mut heard) => {
                if read.map_err(|error| format!("its answer could not be read: {error}"))? == 0 {
                    return Ok(None);
                }
            }
            written = stdin.write(&unread), if !unread.is_empty() => {
                match written {
                    Ok(count) => drop(unread.drain(..count)),
                    // It reads no more; what it says still counts.
                    Err(_) => unread.clear(),
                }
                if unread.is_empty() {
                    conversation.all_sent();
                }
            },
        }
        while let Some(end) = heard[searched..].iter().position(|byte| *byte == b'\n') {
            let message: Vec<u8> = heard.drain(..=searched + end).collect();
            searched = 0;
            for step in conversation.hear(&message) {
                match step {
                    Step::Send(message) => unread.extend(line(&message)),
                    Step::Over(said) => return Ok(Some(said)),
                }
            }
        }
        searched = heard.len();
        if heard.len() > LONGEST_MESSAGE {
            return Err(format!("it sent a message of more than {} MiB", LONGEST_MESSAGE >> 20));
        }
        if unread.len() > MOST_UNREAD + line(&first).len() {
            return Err("it does not read what it is told".into());
        }
    }
}

fn line(message: &serde_json::Value) -> Vec<u8> {
    format!("{message}\n").into_bytes()
}
