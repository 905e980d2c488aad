//! The Model Context Protocol's messages: JSON-RPC 2.0, one object per line. Text to values and back, and which answers
//! the protocol itself has.
//!
//! `server.rs` moves the lines. Source: modelcontextprotocol.io/specification, revisions 2024-11-05 to 2025-11-25.

use serde_json::{Value, json};

/// The revisions whose messages are understood; they agree in all that a server of tools alone says.
const REVISIONS: [&str; 4] = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"];

/// What a model reads before it uses any of the tools.
const INSTRUCTIONS: &str = "counsel runs programs on terminals of their own and gets agents' questions answered. \
    Use ask_counsel when a decision is not yours to make: the answer comes from your consultant or a person.";

pub const PARSE_ERROR: i64 = -32_700;
pub const INVALID_REQUEST: i64 = -32_600;
pub const NO_METHOD: i64 = -32_601;
pub const INVALID_PARAMS: i64 = -32_602;

/// What a line is.
#[derive(Debug, PartialEq)]
pub enum Message {
    Request {
        id: Value,
        method: String,
        params: Value,
    },
    Notification {
        method: String,
        params: Value,
    },
    /// An answer to something; this server asks nothing.
    Answer,
    /// To be answered with this.
    Bad(Value),
}

pub fn parse(line: &[u8]) -> Message {
    let value: Value = match serde_json::from_slice(line) {
        Ok(value) => value,
        Err(cause) => return Message::Bad(error(Value::Null, PARSE_ERROR, &format!("not JSON: {cause}"))),
    };
    let id = value.get("id").filter(|id| id.is_string() || id.is_number()).cloned();
    let params = value.get("params").cloned().unwrap_or_else(|| json!({}));
    match (value.get("method").and_then(Value::as_str), id) {
        (Some(method), Some(id)) => Message::Request { id, method: method.to_owned(), params },
        (Some(method), None) => Message::Notification { method: method.to_owned(), params },
        (None, _) if value.get("result").is_some() || value.get("error").is_some() => Message::Answer,
        (None, id) => {
            Message::Bad(error(id.unwrap_or(Value::Null), INVALID_REQUEST, "a request has a method"))
        }
    }
}

pub fn result(id: &Value, result: Value) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "result": result })
}

pub fn error(id: Value, code: i64, message: &str) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "error": { "code": code, "message": message } })
}

/// The answer to the greeting: in the client's revision if it is known, else in the newest.
pub fn initialized(params: &Value) -> Value {
    let asked = params["protocolVersion"].as_str().unwrap_or_default();
    let revision = REVISIONS.iter().find(|known| **known == asked).unwrap_or(&REVISIONS[0]);
    json!({
        "protocolVersion": revision,
        "capabilities": { "tools": {} },
        "serverInfo": { "name": "counsel", "title": "counsel", "version": env!("CARGO_PKG_VERSION") },
        "instructions": INSTRUCTIONS,
    })
}

/// A tool's result: the same as text, for clients that know no structure.
pub fn done(value: Value) -> Value {
    let text = value.to_string();
    json!({
        "content": [{ "type": "text", "text": text }], "structuredContent": value, "isError": false,
    })
}

/// What could not be done, in words, so that the model can mend it.
pub fn failed(why: &str) -> Value {
    json!({ "content": [{ "type": "text", "text": why }], "isError": true })
}

/// That a call still goes on.
pub fn progress(token: &Value, seconds: u64, message: &str) -> Value {
    json!({
        "jsonrpc": "2.0", "method": "notifications/progress",
        "params": { "progressToken": token, "progress": seconds, "message": message },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_requests_notifications_answers_or_refused() {
        let request = Message::Request { id: json!("a"), method: "ping".into(), params: json!({}) };
        assert_eq!(parse(br#"{"jsonrpc":"2.0","id":"a","method":"ping"}"#), request);
        let notice = Message::Notification { method: "x".into(), params: json!({"a": 1}) };
        assert_eq!(parse(br#"{"method":"x","params":{"a":1}}"#), notice);
        assert_eq!(parse(br#"{"id":1,"result":{}}"#), Message::Answer);
        let no_text: &[u8] = b"{\"id\":1,\"method\":\"\xff\"}";
        for (line, code) in [
            (&b"{"[..], PARSE_ERROR),
            (no_text, PARSE_ERROR),
            (b"[]", INVALID_REQUEST),
            (br#"{"id":1}"#, INVALID_REQUEST),
        ] {
            let Message::Bad(answer) = parse(line) else { panic!("{line:?}") };
            assert_eq!(answer["error"]["code"], code, "{line:?}");
        }
    }

    #[test]
    fn the_clients_revision_is_spoken_where_it_is_known() {
        for (asked, spoken) in [("2025-06-18", "2025-06-18"), ("2199-01-01", REVISIONS[0])] {
            assert_eq!(initialized(&json!({ "protocolVersion": asked }))["protocolVersion"], spoken);
        }
    }
}
