//! One question over the Agent Client Protocol, from counsel's side: <https://agentclientprotocol.com>, version 1.
//!
//! `server/acp_io.rs` gives it the lines the agent prints and writes the lines it returns. A consultant reads, it does
//! not act: counsel offers it no file and no terminal, refuses each permission it asks for and declines each form.

use serde_json::{Value, json};

/// The version of the protocol counsel speaks.
const VERSION: u64 = 1;
/// Kept of what the agent says, in bytes: the end, where its reply stands. As much as of a command's output.
const KEPT_TEXT: usize = 256 * 1024;
/// Of an agent's own words about what went wrong, in characters.
const COMPLAINT_CHARS: usize = 200;
/// JSON-RPC: there is no such method.
const NO_METHOD: i64 = -32601;
/// The protocol's own: a person must log in first.
const AUTH_REQUIRED: i64 = -32000;

/// What a line leads to.
#[derive(Debug, Clone, PartialEq)]
pub enum Step {
    /// To be written to the agent, as a line.
    Send(Value),
    /// All it said, or why it said nothing that counts. Nothing comes after it.
    Over(Result<String, String>),
}

/// What was asked last. Its number is the id of that request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    Initialize = 0,
    NewSession = 1,
    Prompt = 2,
}

#[derive(Debug)]
pub struct Conversation {
    stage: Stage,
    /// Absolute: the folder the session is about.
    cwd: String,
    prompt: String,
    session: String,
    /// The question has left: what was said before is about something else.
    sent: bool,
    text: String,
    /// The message its last words belong to, where it names them.
    message: Option<String>,
}

impl Conversation {
    /// The conversation and its first message.
    pub fn begin(prompt: String, cwd: String) -> (Conversation, Value) {
        let none = String::new();
        let (session, text) = (none.clone(), none);
        let begun =
            Conversation { stage: Stage::Initialize, cwd, prompt, session, sent: false, text, message: None };
        let params = json!({
            "protocolVersion": VERSION,
            "clientCapabilities": { "fs": { "readTextFile": false, "writeTextFile": false }, "terminal": false },
            "clientInfo": { "name": "counsel", "title": "counsel", "version": env!("CARGO_PKG_VERSION") },
        });
        let first = begun.request("initialize", params);
        (begun, first)
    }

    /// All it was told so far has been written to it.
    pub fn all_sent(&mut self) {
        self.sent = self.stage == Stage::Prompt;
    }

    /// What a line of the agent's leads to. What is no JSON object is none of the protocol's.
    pub fn hear(&mut self, line: &[u8]) -> Vec<Step> {
        let Ok(message @ Value::Object(_)) = serde_json::from_slice::<Value>(line) else { return Vec::new() };
        match (message["method"].as_str(), message.get("id")) {
            (Some(method), Some(id)) => vec![Step::Send(refusal(method, id, &message["params"]))],
            (Some("session/update"), None) => {
                self.update(&message["params"]);
                Vec::new()
            }
            (None, Some(id)) if *id == json!(self.stage as u8) => {
                let next = match message.get("error") {
                    Some(error) => Err(self.fault(error)),
                    None => self.replied(&message["result"]),
                };
                vec![next.unwrap_or_else(|why| Step::Over(Err(why)))]
            }
            _ => Vec::new(),
        }
    }

    fn request(&self, method: &str, params: Value) -> Value {
        json!({ "jsonrpc": "2.0", "id": self.stage as u8, "method": method, "params": params })
    }

    fn replied(&mut self, result: &Value) -> Result<Step, String> {
        match self.stage {
            Stage::Initialize => {
                let version = &result["protocolVersion"];
                if *version != json!(VERSION) {
                    return Err(format!("it speaks version {version} of ACP, counsel speaks {VERSION}"));
                }
                self.stage = Stage::NewSession;
                let params = json!({ "cwd": self.cwd, "mcpServers": [] });
                Ok(Step::Send(self.request("session/new", params)))
            }
            Stage::NewSession => {
                let session = result["sessionId"].as_str().ok_or("it gave its session no id")?;
                session.clone_into(&mut self.session);
                self.stage = Stage::Prompt;
                let prompt = json!([{ "type": "text", "text": self.prompt }]);
                Ok(Step::Send(
                    self.request("session/prompt", json!({ "sessionId": session, "prompt": prompt })),
                ))
            }
            Stage::Prompt => match result["stopReason"].as_str() {
                Some("end_turn") => Ok(Step::Over(Ok(std::mem::take(&mut self.text)))),
                // Cut off or refused: what is there so far is not what it meant to say.
                other => Err(format!("it stopped before its end ({})", brief(other.unwrap_or("no reason")))),
            },
        }
    }

    fn fault(&self, error: &Value) -> String {
        if error["code"] == json!(AUTH_REQUIRED) {
            return "it wants a login; start it by hand once".into();
        }
        let asked = match self.stage {
            Stage::Initialize => "to begin",
            Stage::NewSession => "a session",
            Stage::Prompt => "the question",
        };
        format!("it refused {asked}: {}", brief(error["message"].as_str().unwrap_or("no reason")))
    }

    /// Its words come in pieces; those of another message, or after a tool was used, begin a line of their own.
    fn update(&mut self, params: &Value) {
        let update = &params["update"];
        if params["sessionId"] != json!(self.session) || !self.sent {
            return;
        }
        if update["sessionUpdate"] != "agent_message_chunk" {
            if update["sessionUpdate"] == "tool_call" {
                self.new_line();
            }
            return;
        }
        let Some(words) = update["content"]["text"].as_str() else { return };
        let message = update["messageId"].as_str().map(str::to_owned);
        if message != self.message {
            self.new_line();
            self.message = message;
        }
        self.text.push_str(words);
        if self.text.len() > 2 * KEPT_TEXT {
            let from = self.text.ceil_char_boundary(self.text.len() - KEPT_TEXT);
            self.text.drain(..from);
        }
    }

    fn new_line(&mut self) {
        if !self.text.is_empty() && !self.text.ends_with('\n') {
            self.text.push('\n');
        }
    }
}

/// What counsel says to whatever the agent asks for.
fn refusal(method: &str, id: &Value, params: &Value) -> Value {
    let result = match method {
        // Never "always": that would be remembered.
        "session/request_permission" => {
            let options = params["options"].as_array().map_or(&[][..], Vec::as_slice);
            let outcome = match options.iter().find(|option| option["kind"] == "reject_once") {
                Some(option) => json!({ "outcome": "selected", "optionId": option["optionId"] }),
                None => json!({ "outcome": "cancelled" }),
            };
            json!({ "outcome": outcome })
        }
        "elicitation/create" => json!({ "action": "decline" }),
        _ => {
            let error =
                json!({ "code": NO_METHOD, "message": "counsel asks a question and offers nothing else" });
            return json!({ "jsonrpc": "2.0", "id": id, "error": error });
        }
    };
    json!({ "jsonrpc": "2.0", "id": id, "result": result })
}

/// Words of the agent's as they may stand in a note: one line, and short.
fn brief(words: &str) -> String {
    let line = words.split_whitespace().collect::<Vec<&str>>().join(" ");
    line.chars().filter(|ch| !ch.is_control()).take(COMPLAINT_CHARS).collect()
}

#[cfg(test)]
#[path = "acp_tests.rs"]
mod tests;
