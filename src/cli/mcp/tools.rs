//! The tools: what each does with the server, and what it gives back. What each takes and gives stands in `tools.json`.
//!
//! Each is the verb of the same name, with arguments and results as JSON. They block; `server.rs` gives each
//! call a thread.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::config::{Config, Places};
use crate::core::agent::{AgentSpec, name_fault};
use crate::core::policy::typing::MESSAGE_BYTES;
use crate::core::terminal::grid::Size;
use crate::core::terminal::keys::{Input, KeyPress};
use crate::core::visible::visible;
use crate::os::tie;
use crate::wire::message::{ReadMode, ReadText};
use crate::wire::{Reply, Request};

use super::super::exec::follow::{self, Ended, Holder, follow};
use super::super::failure::{Failure, REFUSED, USAGE};
use super::super::link::{Global, Server, ask_on, type_on, unexpected};
use super::super::read::{self, Overflow};
use super::super::{as_json, begun, start, stop, trust};
use super::call::Call;
use super::escapes::unescaped;
use super::leave::{allowed, asked, starts};

/// One tool.
pub struct Tool {
    pub name: &'static str,
    /// What was attempted, for an error: it follows "could not".
    pub doing: &'static str,
    pub run: fn(&Global, &Call, Value) -> Result<Value, Failure>,
}

pub const ALL: &[Tool] = &[
    Tool { name: "pty_start", doing: "start it", run: pty_start },
    Tool { name: "pty_exec", doing: "run it", run: pty_exec },
    Tool { name: "pty_read", doing: "read it", run: pty_read },
    Tool { name: "pty_send", doing: "send", run: pty_send },
    Tool { name: "pty_list", doing: "list them", run: pty_list },
    Tool { name: "pty_stop", doing: "stop it", run: pty_stop },
    Tool { name: "ask_counsel", doing: "get an answer", run: ask_counsel },
];

/// What `tools/list` answers.
pub fn described() -> Value {
    serde_json::from_str(include_str!("tools.json")).expect("a test reads it")
}

fn arguments<T: DeserializeOwned>(value: Value) -> Result<T, Failure> {
    serde_json::from_value(value).map_err(|error| Failure::new(USAGE, format!("the arguments: {error}")))
}

/// A time within the bounds that the schema names; nothing is cut in silence.
fn seconds(name: &str, given: Option<f64>, usual: f64, most: f64) -> Result<f64, Failure> {
    match given.unwrap_or(usual) {
        secs if (0.0..=most).contains(&secs) => Ok(secs),
        secs => Err(Failure::new(USAGE, format!("{name} is 0 to {most}, not {secs}"))),
    }
}

fn config() -> Result<Config, Failure> {
    trust::policy(&Places::here(None)?)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Start {
    name: String,
    command: Vec<String>,
    #[serde(default)]
    args: Vec<String>,
    title: Option<String>,
    cwd: Option<PathBuf>,
    #[serde(default)]
    env: BTreeMap<String, String>,
    profile: Option<String>,
    prompt: Option<String>,
    size: Option<String>,
}

/// The size a program gets where nobody says another.
const SIZE: Size = Size { cols: 120, rows: 40 };

fn pty_start(global: &Global, call: &Call, given: Value) -> Result<Value, Failure> {
    let given: Start = arguments(given)?;
    let size = given.size.as_deref().map(str::parse::<Size>).transpose();
    let size = size.map_err(|why| Failure::new(USAGE, format!("size: {why}")))?;
    let mut env = start::environment();
    let what = starts(&given.env, given.prompt.as_deref());
    env.extend(given.env);
    let spec = AgentSpec {
        name: given.name.clone(),
        command: given.command.into_iter().chain(given.args).collect(),
        cwd: start::folder(given.cwd.as_deref())?,
        env,
        profile: given.profile,
        task: given.prompt.clone(),
        prompt: given.prompt,
        title: given.title,
        size: Some(size.unwrap_or(SIZE)),
        ..AgentSpec::default()
    };
    let mut server = call.server(global)?;
    let begun = begun::now(&spec.cwd);
    begin(&mut server, || call.server(global), spec, &what)?;
    begun::note(&given.name, begun.as_ref());
    let agent = server.agent(&given.name)?;
    Ok(json!({ "name": agent.name, "pid": agent.pid, "state": agent.state }))
}

/// `beside`: what is said of it beside its command and its folder.
fn begin(
    server: &mut Server,
    again: impl Fn() -> Result<Server, Failure>,
    spec: AgentSpec,
    beside: &str,
) -> Result<(), Failure> {
    if let Some(why) = name_fault(&spec.name) {
        return Err(Failure::new(USAGE, why));
    }
    if let Some(name) = spec.env.keys().find(|name| name.is_empty() || name.contains('=')) {
        let what = format!("'{name}' is no name of a variable; it may not be empty or hold '='");
        return Err(Failure::new(USAGE, what));
    }
    if spec.command.is_empty() {
        return Err(Failure::new(USAGE, "the command is empty; give a program and its arguments"));
    }
    let config = config()?;
    // A line break would be shown as a blank, and two commands as one.
    let what = format!("start {} in {}{beside}", shell_words::join(&spec.command), spec.cwd);
    let what = visible(&what).into_owned();
    allowed(server, again, (config.permissions.terminal_start, "terminal_start"), what)?;
    start::start(server, spec, &config)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Exec {
    command: Vec<String>,
    #[serde(default)]
    args: Vec<String>,
    timeout_secs: Option<f64>,
    name: Option<String>,
    title: Option<String>,
    cwd: Option<PathBuf>,
    #[serde(default)]
    env: BTreeMap<String, String>,
}

fn pty_exec(global: &Global, call: &Call, given: Value) -> Result<Value, Failure> {
    let given: Exec = arguments(given)?;
    let secs = seconds("timeout_secs", given.timeout_secs, follow::DEFAULT_SECS, follow::LONGEST_SECS)?;
    let number = Some(follow::call_number());
    let global = &Global { call: number, ..global.clone() };
    let mut server = call.server(global)?;
    let name = match given.name {
        Some(name) => name,
        None => follow::free_name(&mut server)?,
    };
    let mut env = start::environment();
    let what = starts(&given.env, None);
    env.extend(given.env);
    let spec = AgentSpec {
        name: name.clone(),
        command: given.command.into_iter().chain(given.args).collect(),
        cwd: start::folder(given.cwd.as_deref())?,
        env,
        profile: Some("generic".to_owned()),
        title: given.title,
        size: Some(SIZE),
        scrollback: Some(follow::WHOLE_OUTPUT),
        tied: tie::to_this(),
        call: number,
        ..AgentSpec::default()
    };
    let mut kept = ReadText::default();
    let mut take = |text: &ReadText| {
        follow::keep(&mut kept, text);
        Ok(true)
    };
    let begun = begin(&mut server, || call.server(global), spec, &what);
    let connect = || call.agent(global, &name);
    let mut holder = Holder::new(server, &connect);
    let ended = begun.and_then(|()| {
        // Its time begins once it runs, however long a person took to allow it.
        let until = Instant::now() + Duration::from_secs_f64(secs);
        follow(&mut holder, &name, ReadMode::Output, until, &mut take)
    });
    let stop = |grace_ms| Request::Stop { names: vec![name.clone()], grace_ms };
    if call.given_up() {
        // Nobody waits for it any more: it is ended, over a line of its own. It may not have been started yet.
        let _ = global.with_agent(&name).and_then(|mut server| server.tell(stop(stop::millis(GRACE_SECS))));
    }
    let exit_code = if let Ended::Exited(code) = ended? { Some(code) } else { None };
    let Overflow { text, file, unwritten } = read::overflow(&name, &kept);
    let whole = json!({
        "exit_code": exit_code, "timed_out": exit_code.is_none(), "name": name, "text": text,
        "truncated": kept.truncated || file.is_some() || unwritten.is_some(), "file": file,
    });
    match exit_code {
        Some(_) if unwritten.is_none() => holder.stop(&name, 0)?,
        // What no file took is read on from here, by its name.
        _ => holder.release(&name)?,
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

/// The longest a read may wait.
const MAX_WAIT_MS: u64 = 30_000;

fn pty_read(global: &Global, call: &Call, given: Value) -> Result<Value, Failure> {
    let Read { name, since, tail, wait_ms, mode } = arguments(given)?;
    if wait_ms > MAX_WAIT_MS {
        return Err(Failure::new(USAGE, format!("wait_ms is 0 to {MAX_WAIT_MS}, not {wait_ms}")));
    }
    let seen = Some(call.seen.of(&name, mode));
    let request = || Request::Read { name: name.clone(), since, tail, wait_ms, mode, seen };
    let Reply::Text(read) = ask_on(|| call.agent(global, &name), request)? else { return Err(unexpected()) };
    let read = read::whole(read, &name, mode, || call.agent(global, &name))?;
    call.seen.note(&name, mode, read.cursor);
    let Overflow { text, file, unwritten } = read::overflow(&name, &read);
    Ok(json!({
        "state": read.state, "cursor": read.cursor, "text": text, "file": file,
        "truncated": read.truncated || file.is_some() || unwritten.is_some(), "exit_code": read.exit_code,
    }))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Send {
    name: String,
    text: Option<String>,
    #[serde(default)]
    escapes: bool,
    #[serde(default)]
    paste: bool,
    #[serde(default)]
    enter: bool,
    #[serde(default)]
    keys: Vec<String>,
}

fn pty_send(global: &Global, call: &Call, given: Value) -> Result<Value, Failure> {
    let Send { name, text, escapes, paste, enter, keys } = arguments(given)?;
    let text = text.map(|text| if escapes { unescaped(&text) } else { Ok(text) }).transpose()?;
    // A paste of any length is a person's, of a file of theirs.
    if let Some(text) = text.as_ref().filter(|text| text.len() > MESSAGE_BYTES) {
        let bytes = text.len();
        return Err(Failure::new(
            REFUSED,
            format!("{bytes} bytes are too many; one call takes {MESSAGE_BYTES}"),
        ));
    }
    let text = text.filter(|text| !text.is_empty());
    let mut input: Vec<Input> =
        text.map(|text| if paste { Input::Paste(text) } else { Input::Text(text) }).into_iter().collect();
    for key in &keys {
        input.push(Input::Key(KeyPress::parse(key).map_err(|why| Failure::new(USAGE, why))?));
    }
    if input.is_empty() && !enter {
        return Err(Failure::new(USAGE, "there is nothing to send; give text, keys or enter"));
    }
    let request = Request::Send { name: name.clone(), input, enter };
    type_on(|| call.agent(global, &name), &name, &request)?;
    Ok(json!({ "sent": true }))
}

fn pty_list(global: &Global, call: &Call, _: Value) -> Result<Value, Failure> {
    let agents = match global.running()? {
        Some(server) => call.hold(server)?.agents()?,
        None => Vec::new(),
    };
    Ok(json!({ "agents": as_json::all_listed(&agents) }))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Stop {
    name: String,
    grace_secs: Option<f64>,
}

/// As `counsel stop`.
const GRACE_SECS: f64 = 2.0;
/// Longer no program is given to end, and no model waits.
const MAX_GRACE_SECS: f64 = 300.0;

fn pty_stop(global: &Global, call: &Call, given: Value) -> Result<Value, Failure> {
    let Stop { name, grace_secs } = arguments(given)?;
    let grace_ms = stop::millis(seconds("grace_secs", grace_secs, GRACE_SECS, MAX_GRACE_SECS)?);
    let permission = trust::settings(&Places::here(None)?)?.permissions.terminal_stop;
    let mut server = call.agent(global, &name)?;
    let again = || call.agent(global, &name);
    allowed(&mut server, again, (permission, "terminal_stop"), format!("stop the agent {name}"))?;
    server.tell(Request::Stop { names: vec![name], grace_ms })?;
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

/// A day; longer is a slip.
const MAX_ASK_SECS: f64 = 86_400.0;

fn ask_counsel(global: &Global, call: &Call, given: Value) -> Result<Value, Failure> {
    let Ask { question, options, context, wait_secs } = arguments(given)?;
    let wait_secs = wait_secs.map(|secs| seconds("wait_secs", Some(secs), 0.0, MAX_ASK_SECS)).transpose()?;
    let wait_ms = wait_secs.map(stop::millis);
    let mut server = call.server(global)?;
    let again = || call.server(global);
    match asked(&mut server, again, Request::AskCounsel { question, options, context, wait_ms })? {
        Reply::Asked { id, answer, by, reason } => Ok(
            json!({ "id": id, "answered": answer.is_some(), "answer": answer, "by": by, "reason": reason }),
        ),
        _ => Err(unexpected()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_tool_is_described_and_its_schemas_name_what_they_require() {
        let described = described();
        let names: Vec<&str> =
            described.as_array().unwrap().iter().map(|tool| tool["name"].as_str().unwrap()).collect();
        assert_eq!(names, ALL.iter().map(|tool| tool.name).collect::<Vec<_>>());
        for tool in described.as_array().unwrap() {
            for key in ["title", "description", "inputSchema", "outputSchema", "annotations"] {
                assert!(tool.get(key).is_some(), "{}: {key}", tool["name"]);
            }
            for schema in [&tool["inputSchema"], &tool["outputSchema"]] {
                assert_eq!(schema["type"], "object", "{}", tool["name"]);
                let properties = schema["properties"].as_object().unwrap();
                let required = schema.get("required").and_then(Value::as_array).cloned().unwrap_or_default();
                for name in required {
                    assert!(properties.contains_key(name.as_str().unwrap()), "{} {name}", tool["name"]);
                }
            }
        }
    }
}
