//! `counsel hook`: what an agent program runs as its hook. Hands what it is told to the server and prints the
//! answer, if counsel gives one.
//!
//! The agent waits for it, so it must never be noticed: no server, a wrong token, garbage, a server that hangs
//! all end it at once, in silence, with success, which the agent takes for "no opinion". It starts nothing.

use std::io::{Read, Write};
use std::path::Path;
use std::process::ExitCode;
use std::sync::mpsc::{self, Sender};
use std::thread;
use std::time::Duration;

use serde_json::Value;

use crate::core::hook::parse;
use crate::os::socket::greet_once;
use crate::wire::{Reply, Request};

/// A server that runs answers a greeting in about a millisecond; one that does not so soon hangs.
const GREETING_TIME: Duration = Duration::from_millis(1_000);
/// What needs no answer is handed over when the server says so, which it does at once.
const TELLING_TIME: Duration = Duration::from_millis(500);
/// A form has a few questions; a turn's last message may be long. What is larger than this is not relayed.
const PAYLOAD_BYTES: u64 = 4 * 1024 * 1024;

/// How far the talk with the server has come.
enum Step {
    Greeted,
    Answered(Option<Value>),
}

pub fn hook_main() -> ExitCode {
    if let Some(output) = relay() {
        let mut out = std::io::stdout().lock();
        // An agent that has gone needs no answer.
        let _ = writeln!(out, "{output}").and_then(|()| out.flush());
    }
    ExitCode::SUCCESS
}

/// What the server would have printed. `None`: nothing, for whatever reason.
fn relay() -> Option<Value> {
    let socket = std::env::var_os("COUNSEL_SOCKET")?;
    let token = std::env::var("COUNSEL_TOKEN").ok()?;
    let mut text = String::new();
    std::io::stdin().lock().take(PAYLOAD_BYTES).read_to_string(&mut text).ok()?;
    let payload: Value = serde_json::from_str(&text).ok()?;
    let event = payload.get("hook_event_name")?.as_str()?.to_owned();
    let waits = parse(&event, &payload)?.waits();
    let request = Request::Hook { event, payload };
    let (steps, seen) = mpsc::channel();
    // A thread of its own: a stuck server holds it up at any of its steps, and it ends with this process.
    thread::Builder::new().spawn(move || talk(Path::new(&socket), token, request, &steps)).ok()?;
    let Ok(Step::Greeted) = seen.recv_timeout(GREETING_TIME) else { return None };
    let answer = if waits { seen.recv().ok() } else { seen.recv_timeout(TELLING_TIME).ok() };
    match answer? {
        Step::Answered(output) => output,
        Step::Greeted => None,
    }
}

fn talk(socket: &Path, token: String, request: Request, steps: &Sender<Step>) {
    let Ok(mut server) = greet_once(socket, Some(token)) else { return };
    if steps.send(Step::Greeted).is_err() {
        return;
    }
    if let Ok(Reply::Hook { output }) = server.request(request) {
        let _ = steps.send(Step::Answered(output));
    }
}
