//! The generateContent protocol as Gemini CLI speaks it.

use std::io;
use std::net::TcpStream;
use std::thread;

use serde_json::{Value, json};

use super::api::{Asked, ToolResult};
use super::http::{self, Events};
use super::model::{self, Part, Tool, fresh_id, hang, pieces};

/// What the program puts before the person's words by itself.
const OWN_WORDS: &[&str] = &["<", "This is the Gemini CLI"];

/// `None` unless it is the conversation itself: routing and checks want a schema or offer no tools.
pub fn asked(body: &Value) -> Option<Asked> {
    if body["tools"].as_array().is_none_or(Vec::is_empty) || schema(body).is_some() {
        return None;
    }
    let mut asked = Asked::default();
    for message in body["contents"].as_array()? {
        if message["role"] == "model" {
            continue;
        }
        for part in message["parts"].as_array().into_iter().flatten() {
            let returned = &part["functionResponse"];
            if returned.is_object() {
                let text = returned["response"].to_string();
                asked.fresh.push(text.clone());
                let tool = returned["name"].as_str().unwrap_or_default().to_string();
                asked.results.push(ToolResult { tool, text, error: false });
            } else if let Some(text) = part["text"].as_str().filter(|text| !text.trim().is_empty())
                && !OWN_WORDS.iter().any(|own| text.trim_start().starts_with(own))
            {
                asked.texts.push(text.to_string());
                asked.fresh.clear();
            }
        }
    }
    Some(asked)
}

fn schema(body: &Value) -> Option<&Value> {
    let config = &body["generationConfig"];
    [&config["responseJsonSchema"], &config["responseSchema"]].into_iter().find(|schema| schema.is_object())
}

/// The smallest value a schema allows, for the questions the program asks the model on its own account.
fn smallest(schema: &Value) -> Value {
    if let Some(first) = schema["enum"].as_array().and_then(|all| all.first()) {
        return first.clone();
    }
    match schema["type"].as_str().unwrap_or_default().to_ascii_lowercase().as_str() {
        "object" => {
            let fields = schema["properties"].as_object().into_iter().flatten();
            Value::Object(fields.map(|(name, field)| (name.clone(), smallest(field))).collect())
        }
        "array" => json!([]),
        "number" | "integer" => json!(1),
        "boolean" => json!(false),
        _ => json!("ok"),
    }
}

/// A tool in the client's terms.
fn tool_use(tool: &Tool, project: &str) -> (&'static str, Value) {
    match tool {
        Tool::Ask(forms) => {
            let question = |form: &model::Form| {
                let mut question = form.json();
                question["type"] = json!("choice");
                question
            };
            ("ask_user", json!({"questions": forms.iter().map(question).collect::<Vec<_>>()}))
        }
        Tool::Bash(command) => (
            "run_shell_command",
            json!({"command": command, "description": "Run the command", "is_background": false}),
        ),
        Tool::Edit { path, old, new } => (
            "replace",
            json!({"file_path": format!("{project}/{path}"), "instruction": "Make the sum safe", "old_string": old, "new_string": new}),
        ),
        Tool::Plan(plan) => ("exit_plan_mode", json!({"plan": plan})),
        Tool::Call(name, input) => (name, input.clone()),
    }
}

pub fn reply(
    stream: &TcpStream,
    path: &str,
    body: &Value,
    turn: Option<&[Part]>,
    project: &str,
) -> io::Result<()> {
    let own = [model::say(schema(body).map_or_else(|| "ok".into(), |schema| smallest(schema).to_string()))];
    let turn = turn.unwrap_or(&own);
    if !path.contains("streamGenerate") {
        let parts: Vec<Value> = turn.iter().map(|part| whole(part, project)).collect();
        return http::reply(stream, 200, &chunk(&Value::Array(parts), true));
    }
    let mut events = Events::begin(stream, false)?;
    for part in turn {
        match part {
            Part::Tool(_) | Part::Hang => events.send(&chunk(&json!([whole(part, project)]), false))?,
            Part::Text(_) | Part::Words { .. } => {
                for (pause, piece) in pieces(part) {
                    thread::sleep(pause);
                    events.send(&chunk(&json!([{"text": piece}]), false))?;
                }
            }
        }
    }
    events.send(&chunk(&json!([{"text": ""}]), true))
}

fn whole(part: &Part, project: &str) -> Value {
    match part {
        Part::Tool(tool) => {
            let (name, args) = tool_use(tool, project);
            json!({"functionCall": {"id": fresh_id("call"), "name": name, "args": args}})
        }
        Part::Hang => hang(),
        Part::Text(_) | Part::Words { .. } => json!({"text": model::text(part)}),
    }
}

fn chunk(parts: &Value, last: bool) -> Value {
    let mut candidate = json!({"content": {"role": "model", "parts": parts}, "index": 0});
    if last {
        candidate["finishReason"] = json!("STOP");
    }
    let usage = json!({"promptTokenCount": 100, "candidatesTokenCount": 20, "totalTokenCount": 120});
    json!({"candidates": [candidate], "usageMetadata": usage, "modelVersion": "gemini-2.5-pro"})
}
