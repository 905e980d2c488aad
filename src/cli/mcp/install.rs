//! `counsel mcp --install`: has an agent program enter counsel's tools into its own settings, by its own command for that.
//!
//! Its settings are its own: counsel neither reads nor writes them.

use std::process::Command;
use std::time::Duration;

use serde_json::json;

use crate::os::{daemon, run_command};

use super::super::failure::Failure;
use super::super::link::Acting;

/// Programs on node take about a second to start, on a busy machine several.
const LIMIT: Duration = Duration::from_secs(30);

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Program {
    Claude,
    Codex,
    Gemini,
}

/// What enters the tools, for all of a person's projects.
fn command_line(program: Program, counsel: &str) -> Vec<String> {
    let words: &[&str] = match program {
        Program::Claude => &["claude", "mcp", "add", "--scope", "user", "counsel", "--", counsel, "mcp"],
        Program::Codex => &["codex", "mcp", "add", "counsel", "--", counsel, "mcp"],
        Program::Gemini => &["gemini", "mcp", "add", "--scope", "user", "counsel", counsel, "mcp"],
    };
    words.iter().map(|word| (*word).to_owned()).collect()
}

pub fn install(program: Program, acting: Acting) -> Result<(), Failure> {
    let counsel = daemon::exe_for_others()?.to_string_lossy().into_owned();
    let words = command_line(program, &counsel);
    let shown = words.join(" ");
    let failed = |why: String| Failure::from(format!("could not install the tools: '{shown}': {why}"));
    let output = run_command::run(Command::new(&words[0]).args(&words[1..]), LIMIT)
        .map_err(|error| failed(error.to_string()))?;
    if !output.status.success() {
        let said = if output.err.trim().is_empty() { output.out } else { output.err };
        return Err(failed(said.trim().to_owned()));
    }
    let words_for_people =
        format!("{} has counsel's tools now; undo it with '{0} mcp remove counsel'", words[0]);
    acting.did(&json!({ "did": "installed", "program": words[0], "command": words }), Some(&words_for_people))
}
