//! Counsel's tools in the hands of a real Claude Code: entered by its own command, offered to its model, and judged by what
//! each call gave the model back. Once as a program of the user's own, which starts, reads, asks and stops; once as an agent,
//! which asks its consultant.

use std::net::TcpStream;
use std::process::Stdio;
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

use super::anthropic::{call, offers};
use super::api::Asked;
use super::home::Program;
use super::model::{Part, say};
use super::scenarios::one_entry;
use super::team::{Setup, Team};

/// The address of the Claude Code that is no agent.
pub const OUTSIDE: &str = "outside";

const START: &str = "mcp__counsel__pty_start";
const EXEC: &str = "mcp__counsel__pty_exec";
const READ: &str = "mcp__counsel__pty_read";
const STOP: &str = "mcp__counsel__pty_stop";
const LIST: &str = "mcp__counsel__pty_list";
const ASK: &str = "mcp__counsel__ask_counsel";

/// A dev server that says where it listens, and each request.
const SERVER: &str = "const server = require('http').createServer((request, reply) => { \
    console.log(request.method, request.url); reply.end('prices: 1 2 3'); }); \
    server.listen(0, '127.0.0.1', () => console.log('listening on ' + server.address().port + ';'));";
const FETCH: &str = "fetch(process.argv[1]).then(reply => reply.text()).then(text => console.log(text))";
const KEEP: &str = "Keep the dev server running?";
/// What its last turn says, once all tools have done their part.
const OVER: &str = "The prices are there, and the dev server is stopped.";
/// From the prompt to the end: a start-up, seven calls, and a person.
const WITHIN: Duration = Duration::from_secs(120);

/// What each call of a tool gave back, oldest first.
fn given(asked: &Asked, tool: &str) -> Vec<Value> {
    let of_it = asked.results.iter().filter(|result| result.tool == tool);
    // The program may add words of its own behind it.
    let first = |text: &str| serde_json::Deserializer::from_str(text).into_iter().next()?.ok();
    of_it.map(|result| first(&result.text).unwrap_or(Value::Null)).collect()
}

/// A call; versions that load the tools of servers on demand load these first.
fn loaded(body: &Value, asked: &Asked, tool: &'static str, input: Value) -> Vec<Part> {
    let all = format!("select:{}", [START, EXEC, READ, STOP, LIST, ASK].join(","));
    let search = !offers(body, tool) && offers(body, "ToolSearch") && asked.fresh.is_empty();
    vec![if search {
        call("ToolSearch", json!({ "query": all, "max_results": 6 }))
    } else {
        call(tool, input)
    }]
}

/// All that the dev server was seen to print.
fn printed(asked: &Asked) -> String {
    given(asked, READ).iter().filter_map(|read| read["text"].as_str()).collect()
}

fn port(asked: &Asked) -> Option<String> {
    let printed = printed(asked);
    let (port, _) = printed.split_once("listening on ")?.1.split_once(';')?;
    Some(port.to_owned())
}

/// The next turn of the model outside: what it has seen so far tells which.
pub fn turn(body: &Value, asked: &Asked) -> Vec<Part> {
    if let Some(failed) = asked.results.iter().find(|result| result.error) {
        return vec![say(format!("{} failed: {}", failed.tool, failed.text))];
    }
    let then = |tool, input| loaded(body, asked, tool, input);
    let read = || {
        let cursor = given(asked, READ).last().map_or(Value::Null, |read| read["cursor"].clone());
        then(READ, json!({ "name": "dev", "since": cursor, "wait_ms": 20_000 }))
    };
    if given(asked, START).is_empty() {
        return then(START, json!({ "name": "dev", "command": ["node", "-e", SERVER], "title": "prices" }));
    }
    let Some(port) = port(asked) else { return read() };
    if given(asked, EXEC).is_empty() {
        let url = format!("http://127.0.0.1:{port}/prices");
        return then(EXEC, json!({ "command": ["node", "-e", FETCH, url], "timeout_secs": 60 }));
    }
    if !printed(asked).contains("GET /prices") {
        return read();
    }
    match given(asked, ASK).last() {
        None => {
            return then(
                ASK,
                json!({ "question": KEEP, "options": ["Keep it", "Stop it"], "wait_secs": 100 }),
            );
        }
        Some(answer) if answer["answer"] != "Stop it" => return vec![say(format!("It goes on: {answer}"))],
        Some(_) => {}
    }
    if given(asked, STOP).is_empty() {
        return then(STOP, json!({ "name": "dev" }));
    }
    if given(asked, LIST).is_empty() {
        return then(LIST, json!({}));
    }
    vec![say(OVER)]
}

/// The turn of a worker that was told `COUNSEL`: it asks by the tool.
pub fn ask_step(body: &Value, asked: &Asked) -> Option<Vec<Part>> {
    let told = asked.texts.last()?.split_whitespace().any(|word| word == "COUNSEL");
    let open = told && given(asked, ASK).is_empty();
    let input =
        json!({ "question": "Which store?", "options": ["PostgreSQL", "SQLite"], "context": "forty rows" });
    open.then(|| loaded(body, asked, ASK, input))
}

/// It starts a dev server, reads it in steps, asks a person, and stops it.
pub fn dev_server(program: Program) {
    let mut team = Team::alone(program);
    team.install_tools(program);
    let mut claude = std::process::Command::new(program.path());
    claude.args(["-p", "Try the prices of the dev server", "--allowedTools", "mcp__counsel"]);
    claude.env_clear().envs(team.home.env()).envs(program.env(&team.api.url(OUTSIDE), &team.home));
    claude.current_dir(&team.home.project).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let claude = claude.spawn().expect("Claude Code starts");
    let (sender, ended) = mpsc::channel();
    thread::spawn(move || sender.send(claude.wait_with_output()));
    let asked = team.until("its question", |notice| {
        let told = &notice["question"];
        (told["prompt"] == KEEP && told["status"] == "escalated").then(|| told["id"].clone())
    });
    let dev: Value = serde_json::from_str(&team.done(&["ls", "--json"])).expect("one agent is listed");
    assert_eq!((&dev["name"], &dev["title"]), (&json!("dev"), &json!("prices")), "{dev}");
    team.done(&["answer", asked.as_str().expect("it has a name"), "Stop it"]);
    let output = ended.recv_timeout(WITHIN).expect("Claude Code ends").expect("its output can be read");
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(said.contains(OVER), "{said}\n{}", String::from_utf8_lossy(&output.stderr));
    let asked = team.api.conversation(OUTSIDE);
    assert!(given(&asked, READ).len() >= 2, "it was read at once: {:?}", asked.results);
    assert_eq!(given(&asked, EXEC)[0]["text"], "prices: 1 2 3\n", "{:?}", asked.results);
    assert_eq!(given(&asked, ASK)[0]["by"], "person", "{:?}", asked.results);
    assert_eq!(given(&asked, LIST)[0]["agents"], json!([]), "{:?}", asked.results);
    assert_eq!(team.done(&["ls", "--json"]), "");
    let port: u16 = port(&asked).and_then(|port| port.parse().ok()).expect("it has said its port");
    assert!(TcpStream::connect(("127.0.0.1", port)).is_err(), "the dev server still listens");
    let entry = team.log(1).remove(0);
    assert_eq!((&entry["by"], &entry["channel"]), (&json!("person"), &json!("mcp")), "{entry:#}");
}

/// An agent's question goes to its consultant, and the answer to its model; nothing is typed.
pub fn advice(program: Program) {
    let worker_args = &["--allowedTools", "mcp__counsel__ask_counsel"];
    let mut team = Team::ready(&Setup { worker_args, tools: true, ..Setup::new(program) });
    team.advise(r#"{"choice": 2, "reason": "it is small"}"#);
    team.tell("worker", "COUNSEL please");
    let question = team.until_question("menu", "answered");
    assert_eq!(
        (&question["route"], &question["sources"]),
        (&json!("advisor"), &json!(["mcp"])),
        "{question}"
    );
    let answered = team.until_given(ASK);
    assert_eq!((&answered["answer"], &answered["reason"]), (&json!("SQLite"), &json!("it is small")));
    team.worker_was_told(&["COUNSEL please"]);
    team.advisor_was_asked(1, "Which store?");
    assert_eq!(one_entry(&team, "menu", "answered")["channel"], "mcp");
}

impl Team {
    /// What this tool gave the worker's model back.
    fn until_given(&self, tool: &str) -> Value {
        let found = self.api.until(WITHIN, |all| {
            super::api::newest(all, "worker").and_then(|asked| given(&asked, tool).into_iter().next())
        });
        found.unwrap_or_else(|| panic!("{tool} gave the model nothing"))
    }
}
