//! The Messages protocol as Claude Code speaks it: reads a request into `Asked`, writes a turn as its
//! events, and maps the model's tools to those the client offers.

use std::io;
use std::net::TcpStream;
use std::thread;

use serde_json::{Value, json};

use super::api::{Asked, ToolResult};
use super::http::{self, Events};
use super::model::{self, PLAN, Part, Tool, fresh_id, hang, pieces};

/// What the program puts between the person's words by itself.
const OWN_WORDS: &[&str] = &[
    "<system-reminder>",
    "<local-command",
    "<command-",
    "[Request interrupted",
    "<ide_",
    "Caveat: ",
    "Tool loaded.",
];

/// `None` unless it is the conversation itself: titles, suggestions and probes offer no tools or say so.
pub fn asked(body: &Value) -> Option<Asked> {
    if body["tools"].as_array().is_none_or(Vec::is_empty) {
        return None;
    }
    let mut asked = Asked::default();
    let mut names: Vec<(String, String)> = Vec::new();
    for message in body["messages"].as_array()? {
        for block in blocks(&message["content"]) {
            match (message["role"].as_str(), block["type"].as_str()) {
                (Some("assistant"), Some("tool_use")) => {
                    names.push((word(&block["id"]), word(&block["name"])))
                }
                (Some("user"), Some("text")) => {
                    let text = word(&block["text"]);
                    if !OWN_WORDS.iter().any(|own| text.trim_start().starts_with(own)) {
                        asked.texts.push(text);
                        asked.fresh.clear();
                    }
                }
                (Some("user"), Some("tool_result")) => {
                    let id = word(&block["tool_use_id"]);
                    let tool = names.iter().find(|(known, _)| *known == id).map(|(_, name)| name.clone());
                    let text: Vec<String> =
                        blocks(&block["content"]).iter().map(|part| word(&part["text"])).collect();
                    asked.fresh.push(text.join("\n"));
                    asked.results.push(ToolResult {
                        tool: tool.unwrap_or_default(),
                        text: text.join("\n"),
                        error: block["is_error"].as_bool().unwrap_or(false),
                    });
                }
                _ => {}
            }
        }
    }
    let suggestion = asked.texts.last().is_some_and(|text| text.contains("[SUGGESTION MODE"));
    (!suggestion).then_some(asked)
}

/// A content is a list of blocks, or one text.
fn blocks(content: &Value) -> Vec<Value> {
    match content {
        Value::Array(blocks) => blocks.clone(),
        Value::String(text) => vec![json!({"type": "text", "text": text})],
        _ => Vec::new(),
    }
}

fn word(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_string()
}

pub fn offers(body: &Value, tool: &str) -> bool {
    body["tools"].as_array().is_some_and(|tools| tools.iter().any(|offered| offered["name"] == tool))
}

/// Newer versions keep the plan in a file that must be written before it is shown, and load the tool that
/// shows it on demand: the steps of a `PLAN` turn, until the tool itself has returned.
pub fn plan_step(body: &Value, asked: &Asked) -> Option<Vec<Part>> {
    if !asked.texts.last()?.split_whitespace().any(|word| word == "PLAN") {
        return None;
    }
    let mut before = Vec::new();
    let file = plan_file(&body.to_string());
    if let Some(file) = file.as_ref().filter(|_| offers(body, "Write")) {
        before.push(call("Write", json!({"file_path": file, "content": PLAN})));
    }
    if !offers(body, "ExitPlanMode") && offers(body, "ToolSearch") {
        before.push(call("ToolSearch", json!({"query": "select:ExitPlanMode", "max_results": 1})));
    }
    let shown = asked.results.iter().any(|result| result.tool == "ExitPlanMode");
    match (asked.fresh.is_empty(), shown) {
        (_, true) => None,
        (true, false) if !before.is_empty() => Some(before),
        (_, false) => {
            let input = if file.is_some() { json!({}) } else { json!({"plan": PLAN}) };
            Some(vec![call("ExitPlanMode", input)])
        }
    }
}

/// The path of the plan's file, as the request's own instructions name it.
fn plan_file(body: &str) -> Option<String> {
    let folder = body.find("/.claude/plans/")?;
    let end = folder + body[folder..].find(".md")? + ".md".len();
    let start = body[..folder].rfind(|c: char| c.is_whitespace() || "\"'`(\\".contains(c))? + 1;
    // Instructions may also tell of the folder alone; a name has no blanks.
    Some(body[start..end].to_string()).filter(|path| !path.contains(char::is_whitespace))
}

pub fn call(name: &'static str, input: Value) -> Part {
    Part::Tool(Tool::Call(name, input))
}

/// A tool in the client's terms.
fn tool_use(tool: &Tool, cwd: &str) -> (&'static str, Value) {
    match tool {
        Tool::Ask(forms) => {
            let questions: Vec<Value> = forms.iter().map(model::Form::json).collect();
            ("AskUserQuestion", json!({"questions": questions}))
        }
        Tool::Bash(command) => ("Bash", json!({"command": command, "description": "Run the command"})),
        Tool::Edit { path, old, new } => {
            ("Edit", json!({"file_path": format!("{cwd}/{path}"), "old_string": old, "new_string": new}))
        }
        Tool::Plan(plan) => ("ExitPlanMode", json!({"plan": plan})),
        Tool::Call(name, input) => (name, input.clone()),
    }
}

pub fn reply(stream: &TcpStream, body: &Value, turn: &[Part], cwd: &str) -> io::Result<()> {
    let tools = turn.iter().any(|part| matches!(part, Part::Tool(_)));
    let stop = if tools { "tool_use" } else { "end_turn" };
    let usage = json!({"input_tokens": 100, "output_tokens": 20, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0});
    let message = json!({
        "id": fresh_id("msg"), "type": "message", "role": "assistant", "model": body["model"],
        "content": [], "stop_reason": null, "stop_sequence": null, "usage": usage,
    });
    if body["stream"] != true {
        return whole(stream, message, turn, stop, cwd);
    }
    let mut events = Events::begin(stream, true)?;
    events.send(&json!({"type": "message_start", "message": message}))?;
    for (index, part) in turn.iter().enumerate() {
        block(&mut events, index, part, cwd)?;
    }
    events.send(&json!({"type": "message_delta", "delta": {"stop_reason": stop, "stop_sequence": null}, "usage": {"output_tokens": 20}}))?;
    events.send(&json!({"type": "message_stop"}))
}

fn block(events: &mut Events<'_>, index: usize, part: &Part, cwd: &str) -> io::Result<()> {
    let opened =
        |block: Value| json!({"type": "content_block_start", "index": index, "content_block": block});
    let delta = |delta: Value| json!({"type": "content_block_delta", "index": index, "delta": delta});
    match part {
        Part::Tool(tool) => {
            let (name, input) = tool_use(tool, cwd);
            events.send(&opened(
                json!({"type": "tool_use", "id": fresh_id("toolu"), "name": name, "input": {}}),
            ))?;
            events.send(&delta(json!({"type": "input_json_delta", "partial_json": input.to_string()})))?;
        }
        Part::Hang => hang(),
        Part::Text(_) | Part::Words { .. } => {
            events.send(&opened(json!({"type": "text", "text": ""})))?;
            for (pause, piece) in pieces(part) {
                thread::sleep(pause);
                events.send(&delta(json!({"type": "text_delta", "text": piece})))?;
            }
        }
    }
    events.send(&json!({"type": "content_block_stop", "index": index}))
}

fn whole(stream: &TcpStream, mut message: Value, turn: &[Part], stop: &str, cwd: &str) -> io::Result<()> {
    let content: Vec<Value> = turn
        .iter()
        .map(|part| match part {
            Part::Tool(tool) => {
                let (name, input) = tool_use(tool, cwd);
                json!({"type": "tool_use", "id": fresh_id("toolu"), "name": name, "input": input})
            }
            Part::Hang => hang(),
            Part::Text(_) | Part::Words { .. } => json!({"type": "text", "text": model::text(part)}),
        })
        .collect();
    message["content"] = Value::Array(content);
    message["stop_reason"] = json!(stop);
    http::reply(stream, 200, &message)
}
