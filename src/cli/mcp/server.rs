//! The loop: lines in, each call on a thread of its own, answers out as they come.

use std::collections::HashMap;
use std::io::{self, BufRead, Write};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::super::link::Global;
use super::super::out;
use super::arguments;
use super::call::{Call, Seen};
use super::jsonrpc::{self, Message};
use super::tools;

/// A client that asked for it hears this often that a call still goes on.
const PROGRESS: Duration = Duration::from_secs(2);
/// Calls at once; each is a thread that mostly waits. A client that needs more has lost count.
const MAX_CALLS: usize = 128;

/// After the end of its input a client that still reads has this long for what it has asked: a script that pipes its calls in says no
/// more. One that closes us waits for our end, and wants no answer that takes longer.
const LAST_CALLS: Duration = Duration::from_secs(2);

/// Serves until the client closes its end.
pub fn serve(global: &Global) -> io::Result<()> {
    let (goes_on, ended) = mpsc::channel();
    let mut server = Serving {
        global: global.clone(),
        out: Out::default(),
        calls: Arc::default(),
        seen: Seen::default(),
        goes_on,
        ended,
    };
    for line in io::stdin().lock().split(b'\n') {
        // What is no text is no JSON either, and is answered like any line that is none.
        let line = line?;
        if !line.trim_ascii().is_empty() {
            server.take(jsonrpc::parse(&line));
        }
    }
    server.end();
    Ok(())
}

/// Standard output, a line at a time from many threads.
#[derive(Clone, Default)]
struct Out(Arc<Mutex<()>>);

impl Out {
    fn say(&self, message: &Value) {
        let _turn = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut out = io::stdout().lock();
        // A client that has gone closes its end of our input as well, which ends us.
        let _ = writeln!(out, "{message}").and_then(|()| out.flush());
    }
}

/// A call that goes on: what gives it up, and its thread.
struct Running {
    call: Call,
    thread: JoinHandle<()>,
}

struct Serving {
    global: Global,
    out: Out,
    /// By the id of their request.
    calls: Arc<Mutex<HashMap<String, Running>>>,
    seen: Seen,
    /// Each call has one of these until it has ended.
    goes_on: mpsc::Sender<()>,
    ended: mpsc::Receiver<()>,
}

impl Serving {
    fn take(&mut self, message: Message) {
        match message {
            Message::Request { id, method, params } => self.request(id, &method, params),
            Message::Notification { method, params } if method == "notifications/cancelled" => {
                let call = self.calls.lock().unwrap_or_else(PoisonError::into_inner);
                if let Some(running) = call.get(&params["requestId"].to_string()) {
                    running.call.give_up();
                }
            }
            Message::Notification { .. } | Message::Answer => {}
            Message::Bad(answer) => self.out.say(&answer),
        }
    }

    fn request(&mut self, id: Value, method: &str, params: Value) {
        let answer = match method {
            "initialize" => jsonrpc::result(&id, jsonrpc::initialized(&params)),
            "ping" => jsonrpc::result(&id, json!({})),
            "tools/list" => jsonrpc::result(&id, json!({ "tools": tools::described() })),
            "tools/call" => return self.call(id, params),
            other => jsonrpc::error(id, jsonrpc::NO_METHOD, &format!("there is no method '{other}'")),
        };
        self.out.say(&answer);
    }

    fn call(&mut self, id: Value, params: Value) {
        let name = params["name"].as_str().unwrap_or_default();
        let Some(tool) = tools::ALL.iter().find(|tool| tool.name == name) else {
            let names: Vec<&str> = tools::ALL.iter().map(|tool| tool.name).collect();
            let what = format!("there is no tool '{name}'; there are {}", names.join(", "));
            return self.out.say(&jsonrpc::error(id, jsonrpc::INVALID_PARAMS, &what));
        };
        let mut calls = self.calls.lock().unwrap_or_else(PoisonError::into_inner);
        if calls.len() >= MAX_CALLS {
            let why = format!("counsel: {MAX_CALLS} calls go on already; wait for one of them");
            return self.out.say(&jsonrpc::result(&id, jsonrpc::failed(&why)));
        }
        let given = params.get("arguments").cloned().unwrap_or_else(|| json!({}));
        let token = params["_meta"].get("progressToken").cloned();
        let (call, key) = (Call::new(self.seen.clone()), id.to_string());
        let (global, out, own) = (self.global.clone(), self.out.clone(), call.clone());
        let (done, mine) = (self.calls.clone(), key.clone());
        let (unanswered, goes_on) = (id.clone(), self.goes_on.clone());
        let work = move || {
            let _goes_on = goes_on;
            let ticker = token.map(|token| Ticker::start(out.clone(), token, tool.name));
            let ended =
                arguments::checked(tool.name, given).and_then(|given| (tool.run)(&global, &own, given));
            drop(ticker);
            let result = match ended {
                Ok(value) => jsonrpc::done(value),
                Err(failure) => jsonrpc::failed(&format!("counsel: {}", failure.doing(tool.doing).message)),
            };
            // One that was given up is answered by nobody.
            if !own.given_up() {
                out.say(&jsonrpc::result(&id, result));
            }
            done.lock().unwrap_or_else(PoisonError::into_inner).remove(&mine);
        };
        match thread::Builder::new().spawn(work) {
            Ok(thread) => drop(calls.insert(key, Running { call, thread })),
            Err(error) => {
                let why = format!("counsel: no thread can be had for it: {error}");
                self.out.say(&jsonrpc::result(&unanswered, jsonrpc::failed(&why)));
            }
        }
    }

    /// Gives up what goes on: the server withdraws what was asked, and programs that run to completion are ended.
    fn end(self) {
        drop(self.goes_on);
        if !out::reader_has_gone() {
            // Nothing is ever sent: it is over once the last call is, or the time.
            let _ = self.ended.recv_timeout(LAST_CALLS);
        }
        let calls = std::mem::take(&mut *self.calls.lock().unwrap_or_else(PoisonError::into_inner));
        calls.values().for_each(|running| running.call.give_up());
        for running in calls.into_values() {
            // A call that panicked has said so on standard error.
            let _ = running.thread.join();
        }
    }
}

/// Tells the client that a call goes on, until it is dropped.
struct Ticker {
    end: Option<mpsc::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Ticker {
    fn start(out: Out, token: Value, name: &'static str) -> Ticker {
        let (end, ended) = mpsc::channel();
        let began = Instant::now();
        let tick = move || {
            while ended.recv_timeout(PROGRESS) == Err(RecvTimeoutError::Timeout) {
                let seconds = began.elapsed().as_secs();
                out.say(&jsonrpc::progress(&token, seconds, &format!("{name}: {seconds} s")));
            }
        };
        // Without a thread the client hears of the call's end alone.
        Ticker { end: Some(end), thread: thread::Builder::new().spawn(tick).ok() }
    }
}

impl Drop for Ticker {
    /// After this nothing more is said of the call: its result must be the last.
    fn drop(&mut self) {
        drop(self.end.take());
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}
