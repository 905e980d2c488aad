//! `counsel exec`: runs a program to completion on a PTY and prints what it printed.

use std::process::ExitCode;
use std::time::{Duration, Instant};

use crate::config::Places;
use crate::core::agent::AgentSpec;
use crate::os::pty;
use crate::wire::message::{ReadMode, ReadText};
use crate::wire::{Reply, Request};

use super::failure::{Failure, TIMED_OUT, USAGE};
use super::link::{Global, Server, unexpected};
use super::{start, trust};

/// Run a program to completion on a PTY
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Seconds it may take, at most 300; then it runs on as an agent (exit code 124)
    #[arg(long, value_name = "SECS", default_value_t = 60.0)]
    timeout: f64,
    /// The agent's name, should it run on
    #[arg(long)]
    name: Option<String>,
    /// Keep control sequences
    #[arg(long)]
    raw: bool,
    /// The program and its arguments
    #[arg(last = true, required = true, value_name = "CMD")]
    command: Vec<String>,
}

/// The longest `--timeout`.
const LONGEST_SECS: f64 = 300.0;
/// Lines kept of a program whose whole output is wanted: far more than anyone reads, and a bound all the same.
const WHOLE_OUTPUT: usize = 5_000_000;
/// One read waits at most this long; the deadline is looked at in between.
const READ_MS: u64 = 1_000;

pub fn run(args: &Args, global: &Global) -> Result<ExitCode, Failure> {
    if !(0.0..=LONGEST_SECS).contains(&args.timeout) {
        return Err(Failure::new(USAGE, "--timeout is 0 to 300 seconds"));
    }
    let config = trust::policy(&Places::here(None)?)?;
    let until = Instant::now() + Duration::from_secs_f64(args.timeout);
    let name = args.name.clone().unwrap_or_else(|| format!("exec-{}", std::process::id()));
    let mut server = global.server()?;
    let spec = AgentSpec {
        name: name.clone(),
        command: args.command.clone(),
        cwd: start::folder(None)?,
        env: start::environment(),
        profile: Some("generic".to_owned()),
        size: Some(pty::terminal_size()),
        scrollback: Some(WHOLE_OUTPUT),
        ..AgentSpec::default()
    };
    start::start(&mut server, spec, &config)
        .map_err(|failure| failure.doing(&format!("run {}", args.command[0])))?;
    let ended = follow(&mut server, &name, args.raw, until)?;
    let Some(code) = ended else {
        eprintln!("counsel: still running after {} s; it goes on as agent {name}", args.timeout);
        return Ok(ExitCode::from(TIMED_OUT));
    };
    server.tell(Request::Stop { names: vec![name], grace_ms: 0 })?;
    Ok(ExitCode::from(u8::try_from(code).unwrap_or(u8::MAX)))
}

/// Prints whatever comes until the program ends. `None`: the time was up first.
fn follow(server: &mut Server, name: &str, raw: bool, until: Instant) -> Result<Option<i32>, Failure> {
    let mode = if raw { ReadMode::Raw } else { ReadMode::Output };
    let (mut cursor, mut column) = (0, false);
    loop {
        let left = until.saturating_duration_since(Instant::now());
        let wait_ms = u64::try_from(left.as_millis()).unwrap_or(u64::MAX).min(READ_MS);
        let read = Request::Read { name: name.to_owned(), since: Some(cursor), tail: None, wait_ms, mode };
        let Reply::Text(ReadText { text, cursor: next, exit_code, truncated, .. }) = server.ask(read)? else {
            return Err(unexpected());
        };
        if truncated {
            eprintln!("counsel: the program printed more than is kept; some of its output is missing here");
        }
        let news = next != cursor;
        cursor = next;
        super::out::raw(text.as_bytes())?;
        if let Some(last) = text.chars().last() {
            column = last != '\n';
        }
        if let (Some(code), false) = (exit_code, news) {
            if column && !raw {
                super::out::line("")?;
            }
            return Ok(Some(code));
        }
        if left.is_zero() && exit_code.is_none() {
            return Ok(None);
        }
    }
}
