//! What `[permissions]` leaves to a person: the question that a tool waits for, and what it says.
//!
//! `tools.rs` asks before it starts or stops anything. Nothing here does either.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use crate::config::Permission;
use crate::wire::{Reply, Request};

use super::super::failure::{Failure, REFUSED};
use super::super::link::{Server, unexpected};

/// As long as the longest command of `pty_exec` takes: a person looks up, reads, decides.
const LEAVE_MS: u64 = 300_000;

/// Nobody sits in front of an MCP server: who is to be asked is, in the dashboard and by `counsel questions`.
pub fn allowed(
    server: &mut Server,
    again: impl Fn() -> Result<Server, Failure>,
    (permission, key): (Permission, &str),
    what: String,
) -> Result<(), Failure> {
    let refused = |why: &str| Err(Failure::new(REFUSED, format!("[permissions] {key} is {why}")));
    match permission {
        Permission::Allow => Ok(()),
        Permission::Deny => refused("\"deny\"; a person has to do it"),
        Permission::Ask => match asked(server, again, Request::AskLeave { what, wait_ms: LEAVE_MS })? {
            Reply::Asked { answer: Some(answer), .. } if answer == "Yes" => Ok(()),
            Reply::Asked { answer: Some(_), .. } => refused("\"ask\", and a person said no"),
            Reply::Asked { reason, .. } => {
                refused(&format!("\"ask\", and nobody allowed it: {}", reason.unwrap_or_default()))
            }
            _ => Err(unexpected()),
        },
    }
}

/// What was answered. A question that went with its server is put again to the next one: nobody has answered it. (Where the
/// answer was lost on its way, it is asked twice.)
pub fn asked(
    server: &mut Server,
    again: impl Fn() -> Result<Server, Failure>,
    request: Request,
) -> Result<Reply, Failure> {
    match server.ask(request.clone()) {
        Err(failure) if failure.hung_up => {
            *server = once_it_is_there(again)?;
            server.ask(request)
        }
        done => done,
    }
}

/// The next server, which an agent cannot start: one that makes way has its successor there in a second, and one that was
/// killed as soon as anybody wants to know something.
fn once_it_is_there(again: impl Fn() -> Result<Server, Failure>) -> Result<Server, Failure> {
    let until = Instant::now() + NEXT_SERVER;
    loop {
        match again() {
            Err(failure) if failure.absent && Instant::now() < until => std::thread::sleep(LOOK_AGAIN),
            there_or_not => return there_or_not,
        }
    }
}

/// Whoever works with agents wants to know something of them sooner.
const NEXT_SERVER: Duration = Duration::from_secs(60);
/// Nobody notices that.
const LOOK_AGAIN: Duration = Duration::from_millis(200);

/// What a person who is to allow a start sees of it beside its command: which variables it is given, and what is typed first.
pub fn starts(env: &BTreeMap<String, String>, prompt: Option<&str>) -> String {
    let with: Vec<String> =
        env.iter().map(|(name, value)| format!("{name}={}", shell_words::quote(value))).collect();
    let with = if with.is_empty() { String::new() } else { format!(" with {}", with.join(" ")) };
    let typed = prompt.map(|prompt| format!(", typing {} first", shell_words::quote(prompt)));
    with + &typed.unwrap_or_default()
}
