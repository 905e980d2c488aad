//! The Responses protocol as Codex speaks it.

use std::io;
use std::net::TcpStream;
use std::thread;

use serde_json::{Value, json};

use super::api::{Asked, ToolResult};
use super::http::Events;
use super::model::{self, Part, Tool, fresh_id, hang, pieces};

/// What the program puts before the person's words by itself: instructions and the environment.
const OWN_WORDS: &[&str] = &["<", "# AGENTS.md"];

/// `None` unless it is the conversation itself, which alone offers tools.
pub fn asked(body: &Value) -> Option<Asked> {
    if body["tools"].as_array().is_none_or(Vec::is_empty) {
        return None;
    }
    let mut asked = Asked::default();
    let mut names: Vec<(String, String)> = Vec::new();
    let word = |value: &Value| value.as_str().unwrap_or_default().to_string();
    for item in body["input"].as_array()? {
        match (item["type"].as_str(), item["role"].as_str()) {
            (Some("function_call" | "custom_tool_call"), _) => {
                names.push((word(&item["call_id"]), word(&item["name"])));
            }
            (Some("function_call_output" | "custom_tool_call_output"), _) => {
                let tool = names.iter().find(|(id, _)| item["call_id"] == id.as_str());
                let output = &item["output"];
                let text = output.as_str().map_or_else(|| output.to_string(), str::to_string);
                asked.fresh.push(text.clone());
                let tool = tool.map(|(_, name)| name.clone()).unwrap_or_default();
                asked.results.push(ToolResult { tool, text, error: false });
            }
            (Some("message") | None, Some("user")) => {
                for block in item["content"].as_array().into_iter().flatten() {
                    let text = word(&block["text"]);
                    if !OWN_WORDS.iter().any(|own| text.trim_start().starts_with(own)) {
                        asked.texts.push(text);
                        asked.fresh.clear();
                    }
                }
            }
            _ => {}
        }
    }
    Some(asked)
}

/// A tool in the client's terms.
fn tool_use(tool: &Tool, project: &str) -> (&'static str, Value) {
    match tool {
        Tool::Ask(forms) => {
            let question = |(nth, form): (usize, &model::Form)| {
                let mut question = form.json();
                question["id"] = json!(format!("q{}", nth + 1));
                question.as_object_mut().expect("a form is an object").remove("multiSelect");
                question
            };
            let questions: Vec<Value> = forms.iter().enumerate().map(question).collect();
            ("request_user_input", json!({"questions": questions}))
        }
        // Asking to leave the sandbox is what makes the program ask a person.
        Tool::Bash(command) => (
            "exec_command",
            json!({"cmd": command, "sandbox_permissions": "require_escalated", "justification": "May the command run?"}),
        ),
        Tool::Edit { path, old, new } => {
            let lines = |mark: char, text: &str| -> String {
                text.lines().map(|line| format!("{mark}{line}\n")).collect()
            };
            let (old, new) = (lines('-', old), lines('+', new));
            let patch =
                format!("*** Begin Patch\n*** Update File: {project}/{path}\n@@\n{old}{new}*** End Patch\n");
            ("exec_command", json!({"cmd": format!("apply_patch <<'EOF'\n{patch}EOF")}))
        }
        Tool::Plan(plan) => ("update_plan", json!({"plan": [{"step": plan, "status": "pending"}]})),
        Tool::Call(name, input) => (name, input.clone()),
    }
}

pub fn reply(stream: &TcpStream, body: &Value, turn: &[Part], project: &str) -> io::Result<()> {
    let response = json!({
        "id": fresh_id("resp"), "object": "response", "created_at": 0, "status": "in_progress",
        "model": body["model"], "output": [],
    });
    let mut events = Events::begin(stream, true)?;
    events.send(&json!({"type": "response.created", "response": response}))?;
    let mut output = Vec::new();
    for (index, part) in turn.iter().enumerate() {
        let item = match part {
            Part::Tool(tool) => {
                let (name, input) = tool_use(tool, project);
                json!({
                    "id": fresh_id("fc"), "type": "function_call", "call_id": fresh_id("call"),
                    "name": name, "arguments": input.to_string(), "status": "completed",
                })
            }
            Part::Hang => hang(),
            Part::Text(_) | Part::Words { .. } => message(&mut events, index, part)?,
        };
        events.send(&json!({"type": "response.output_item.done", "output_index": index, "item": item}))?;
        output.push(item);
    }
    let mut done = response;
    done["status"] = json!("completed");
    done["output"] = Value::Array(output);
    done["usage"] = json!({
        "input_tokens": 100, "input_tokens_details": {"cached_tokens": 0}, "output_tokens": 20,
        "output_tokens_details": {"reasoning_tokens": 0}, "total_tokens": 120,
    });
    events.send(&json!({"type": "response.completed", "response": done}))
}

/// Streams a text; the finished item.
fn message(events: &mut Events<'_>, index: usize, part: &Part) -> io::Result<Value> {
    let id = fresh_id("msg");
    let item = |status: &str, content: Value| json!({"id": id, "type": "message", "role": "assistant", "status": status, "content": content});
    let opened = item("in_progress", json!([]));
    events.send(&json!({"type": "response.output_item.added", "output_index": index, "item": opened}))?;
    for (pause, piece) in pieces(part) {
        thread::sleep(pause);
        events.send(&json!({
            "type": "response.output_text.delta", "output_index": index, "item_id": id, "content_index": 0,
            "delta": piece,
        }))?;
    }
    Ok(item("completed", json!([{"type": "output_text", "text": model::text(part), "annotations": []}])))
}
