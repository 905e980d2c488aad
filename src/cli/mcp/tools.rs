//! The tools: what each takes, what it does with the server, what it gives back.
//!
//! Each is the verb of the same name, with arguments and results as JSON. They block; `server.rs` gives each
//! call a thread.

use std::collections::BTreeMap;
use std::net::Shutdown;
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::config::{Config, Permission, Places};
use crate::core::agent::{AgentSpec, valid_name};
use crate::core::terminal::grid::Size;
use crate::core::terminal::keys::{Input, KeyPress};
use crate::wire::message::{ReadMode, ReadText};
use crate::wire::{Reply, Request};

use super::super::failure::{Failure, REFUSED, USAGE};
use super::super::link::{Global, Server, unexpected};
use super::super::{read, start, stop, trust};

/// One tool.
pub struct Tool {
    pub name: &'static str,
    pub what: &'static str,
    /// Its JSON schema.
    pub input: &'static str,
    /// What was attempted, for an error: it follows "could not".
    pub doing: &'static str,
    pub run: fn(&Global, &Line, Value) -> Result<Value, Failure>,
}

pub const ALL: &[Tool] = &[
    Tool {
        name: "pty_start",
        what: "Start a program on a terminal of its own, detached. It runs on until pty_stop.",
        input: r#"{"type":"object","required":["name","command"],"properties":{
            "name":{"type":"string","description":"a-z, 0-9, - and _; at most 32"},
            "command":{"type":"array","items":{"type":"string"},"description":"program and arguments; no shell reads them"},
            "cwd":{"type":"string"},"env":{"type":"object","additionalProperties":{"type":"string"}},
            "profile":{"type":"string","description":"which agent program it is, if its name does not tell"},
            "prompt":{"type":"string","description":"typed once it is ready"},
            "size":{"type":"string","description":"COLSxROWS, 120x40 by default"}}}"#,
        doing: "start it",
        run: pty_start,
    },
    Tool {
        name: "pty_exec",
        what: "Run a program to completion on a terminal; returns its output as text and its exit code.",
        input: r#"{"type":"object","required":["command"],"properties":{
            "command":{"type":"array","items":{"type":"string"}},
            "timeout_secs":{"type":"number","description":"60 by default, at most 300; then it runs on under its name"},
            "name":{"type":"string"},"cwd":{"type":"string"}}}"#,
        doing: "run it",
        run: pty_exec,
    },
    Tool {
        name: "pty_read",
        what: "What a program has printed since a cursor, or its screen as it stands.",
        input: r#"{"type":"object","required":["name"],"properties":{
            "name":{"type":"string"},"since":{"type":"integer","description":"the cursor of the last read"},
            "tail":{"type":"integer"},"wait_ms":{"type":"integer","description":"wait this long for something new"},
            "mode":{"enum":["output","screen","scrollback","raw"]}}}"#,
        doing: "read it",
        run: pty_read,
    },
    Tool {
        name: "pty_send",
        what: "Type into a program: text, then keys, then Enter if asked for.",
        input: r#"{"type":"object","required":["name"],"properties":{
            "name":{"type":"string"},"text":{"type":"string"},
            "paste":{"type":"boolean","description":"as one paste"},"enter":{"type":"boolean"},
            "keys":{"type":"array","items":{"type":"string"},"description":"enter esc tab up down ctrl-c f1"}}}"#,
        doing: "send",
        run: pty_send,
    },
    Tool {
        name: "pty_list",
        what: "The programs that run here, and what each is doing.",
        input: r#"{"type":"object","properties":{}}"#,
        doing: "list them",
        run: pty_list,
    },
    Tool {
        name: "pty_stop",
        what: "Stop a program and everything it ever started.",
        input: r#"{"type":"object","required":["name"],"properties":{
            "name":{"type":"string"},"grace_secs":{"type":"number"}}}"#,
        doing: "stop it",
        run: pty_stop,
    },
    Tool {
        name: "ask_counsel",
        what: "Ask a question that is not yours to decide. Your consultant, or else a person, answers it: one of \
            the options if you give some, else in words. If no answer comes in time it says so.",
        input: r#"{"type":"object","required":["question"],"properties":{
            "question":{"type":"string"},
            "options":{"type":"array","items":{"type":"string"},"description":"2 to 30, or none for an answer in words"},
            "context":{"type":"string","description":"what one must know to answer"},
            "wait_secs":{"type":"number","description":"55 by default; give minutes if only a person can answer"}}}"#,
        doing: "get an answer",
        run: ask_counsel,
    },
];

/// A call's connection, so that it can be cut from outside.
#[derive(Debug, Clone, Default)]
pub struct Line(Arc<Mutex<Option<UnixStream>>>);

impl Line {
    pub fn cut(&self) {
        if let Some(stream) = self.0.lock().ok().and_then(|mut line| line.take()) {
            // The call's own thread sees its end.
            let _ = stream.shutdown(Shutdown::Both);
        }
    }

    fn hold(&self, server: Server) -> Server {
        if let (Ok(mut line), Ok(stream)) = (self.0.lock(), server.connection.stream()) {
            *line = Some(stream);
        }
        server
    }
}

fn arguments<T: DeserializeOwned>(value: Value) -> Result<T, Failure> {
    serde_json::from_value(value).map_err(|error| Failure::new(USAGE, format!("the arguments: {error}")))
}

fn agent(global: &Global, line: &Line, name: &str) -> Result<Server, Failure> {
    Ok(line.hold(global.with_agent(name)?))
}

/// Nobody sits in front of an MCP server who could be asked.
fn allowed(permission: Permission, key: &str) -> Result<(), Failure> {
    let word = match permission {
        Permission::Allow => return Ok(()),
        Permission::Ask => "ask",
        Permission::Deny => "deny",
    };
    Err(Failure::new(REFUSED, format!("[permissions] {key} is \"{word}\"; a person has to do it")))
}

fn config() -> Result<Config, Failure> {
    trust::policy(&Places::here(None)?)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Start {
    name: String,
    command: Vec<String>,
    cwd: Option<PathBuf>,
    #[serde(default)]
    env: BTreeMap<String, String>,
    profile: Option<String>,
    prompt: Option<String>,
    size: Option<String>,
}

fn pty_start(global: &Global, line: &Line, given: Value) -> Result<Value, Failure> {
    let given: Start = arguments(given)?;
    let size = given.size.as_deref().map(str::parse::<Size>).transpose();
    let size = size.map_err(|why| Failure::new(USAGE, format!("size: {why}")))?;
    let mut env = start::environment();
    env.extend(given.env);
    let spec = AgentSpec {
        name: given.name.clone(),
        command: given.command,
        cwd: start::folder(given.cwd.as_deref())?,
        env,
        profile: given.profile,
        task: given.prompt.clone(),
        prompt: given.prompt,
        size: Some(size.unwrap_or(Size::new(120, 40))),
        ..AgentSpec::default()
    };
    begin(&mut line.hold(global.server()?), spec)?;
    Ok(json!({ "name": given.name }))
}

fn begin(server: &mut Server, spec: AgentSpec) -> Result<(), Failure> {
    if !valid_name(&spec.name) {
        return Err(Failure::new(
            USAGE,
            format!("'{}' is not a name; use [a-z0-9][a-z0-9_-]{{0,31}}", spec.name),
        ));
    }
    if spec.command.is_empty() {
        return Err(Failure::new(USAGE, "the command is empty; give a program and its arguments"));
    }
    let config = config()?;
    allowed(config.permissions.terminal_start, "terminal_start")?;
    start::start(server, spec, &config)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Exec {
    command: Vec<String>,
    timeout_secs: Option<f64>,
    name: Option<String>,
    cwd: Option<PathBuf>,
}

/// As `counsel exec`.
const EXEC_SECS: f64 = 60.0;
const EXEC_MOST_SECS: f64 = 300.0;
/// One read waits at most this long; the deadline is looked at in between.
const READ_MS: u128 = 1_000;
/// Lines kept of a program whose whole output is wanted.
const WHOLE_OUTPUT: usize = 5_000_000;

fn pty_exec(global: &Global, line: &Line, given: Value) -> Result<Value, Failure> {
    let given: Exec = arguments(given)?;
    let secs = given.timeout_secs.unwrap_or(EXEC_SECS).clamp(0.0, EXEC_MOST_SECS);
    let until = Instant::now() + Duration::from_secs_f64(secs);
    let mut server = line.hold(global.server()?);
    // Calls run side by side in this process: its id alone would not tell them apart.
    let name = given.name.unwrap_or_else(|| {
        let call = Arc::as_ptr(&line.0) as usize;
        format!("exec-{}-{call:x}", std::process::id())
    });
    let spec = AgentSpec {
        name: name.clone(),
        command: given.command,
        cwd: start::folder(given.cwd.as_deref())?,
        env: start::environment(),
        profile: Some("generic".to_owned()),
        size: Some(Size::new(120, 40)),
        scrollback: Some(WHOLE_OUTPUT),
        ..AgentSpec::default()
    };
    begin(&mut server, spec)?;
    let (mut text, mut cursor) = (String::new(), 0);
    let ended = loop {
        let left = until.saturating_duration_since(Instant::now());
        let wait_ms = left.as_millis().min(READ_MS) as u64;
        let (since, mode) = (Some(cursor), ReadMode::Output);
        let request = Request::Read { name: name.clone(), since, tail: None, wait_ms, mode };
        let Reply::Text(news) = server.ask(request)? else { return Err(unexpected()) };
        text.push_str(&news.text);
        match news.exit_code {
            Some(code) if news.cursor == cursor => break Some(code),
            None if left.is_zero() => break None,
            _ => cursor = news.cursor,
        }
    };
    let read = ReadText { text, cursor, exit_code: ended, ..ReadText::default() };
    let (shown, file) = read::overflow(&name, &read)?;
    let whole = json!({ "exit_code": ended, "timed_out": ended.is_none(), "name": name, "text": shown, "file": file });
    if ended.is_some() {
        server.tell(Request::Stop { names: vec![name], grace_ms: 0 })?;
    }
    Ok(whole)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Read {
    name: String,
    since: Option<u64>,
    tail: Option<u64>,
    #[serde(default)]
    wait_ms: u64,
    #[serde(default)]
    mode: ReadMode,
}

fn pty_read(global: &Global, line: &Line, given: Value) -> Result<Value, Failure> {
    let Read { name, since, tail, wait_ms, mode } = arguments(given)?;
    let mut server = agent(global, line, &name)?;
    let request = Request::Read { name: name.clone(), since, tail, wait_ms, mode };
    let Reply::Text(read) = server.ask(request)? else { return Err(unexpected()) };
    let (text, file) = read::overflow(&name, &read)?;
    Ok(json!({
        "state": read.state, "cursor": read.cursor, "text": text, "file": file,
        "truncated": read.truncated || file.is_some(), "exit_code": read.exit_code,
    }))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Send {
    name: String,
    text: Option<String>,
    #[serde(default)]
    paste: bool,
    #[serde(default)]
    enter: bool,
    #[serde(default)]
    keys: Vec<String>,
}

fn pty_send(global: &Global, line: &Line, given: Value) -> Result<Value, Failure> {
    let Send { name, text, paste, enter, keys } = arguments(given)?;
    let mut input: Vec<Input> =
        text.map(|text| if paste { Input::Paste(text) } else { Input::Text(text) }).into_iter().collect();
    for key in &keys {
        input.push(Input::Key(KeyPress::parse(key).map_err(|why| Failure::new(USAGE, why))?));
    }
    if input.is_empty() && !enter {
        return Err(Failure::new(USAGE, "nothing to send: give text, keys or enter"));
    }
    agent(global, line, &name)?.tell(Request::Send { name, input, enter })?;
    Ok(json!({ "sent": true }))
}

fn pty_list(global: &Global, line: &Line, _: Value) -> Result<Value, Failure> {
    let agents = match global.running()? {
        Some(server) => line.hold(server).agents()?,
        None => Vec::new(),
    };
    Ok(json!({ "agents": agents }))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Stop {
    name: String,
    grace_secs: Option<f64>,
}

/// As `counsel stop`.
const GRACE_SECS: f64 = 2.0;

fn pty_stop(global: &Global, line: &Line, given: Value) -> Result<Value, Failure> {
    let Stop { name, grace_secs } = arguments(given)?;
    allowed(config()?.permissions.terminal_stop, "terminal_stop")?;
    let grace_ms = stop::millis(grace_secs.unwrap_or(GRACE_SECS));
    agent(global, line, &name)?.tell(Request::Stop { names: vec![name], grace_ms })?;
    Ok(json!({ "stopped": true }))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Ask {
    question: String,
    #[serde(default)]
    options: Vec<String>,
    context: Option<String>,
    wait_secs: Option<f64>,
}

fn ask_counsel(global: &Global, line: &Line, given: Value) -> Result<Value, Failure> {
    let Ask { question, options, context, wait_secs } = arguments(given)?;
    let mut server = line.hold(global.running()?.ok_or_else(|| Failure::from("no server runs"))?);
    let wait_ms = wait_secs.map(stop::millis);
    match server.ask(Request::AskCounsel { question, options, context, wait_ms })? {
        Reply::Asked { id, answer, by, reason } => Ok(
            json!({ "id": id, "answered": answer.is_some(), "answer": answer, "by": by, "reason": reason }),
        ),
        _ => Err(unexpected()),
    }
}
