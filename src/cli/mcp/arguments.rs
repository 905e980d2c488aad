//! What a tool is called with, held against the schema it publishes: a fault names its key, and what to write there.
//!
//! `tools.rs` reads what has passed. Models mend a call by these words.

use serde_json::{Map, Value};

use super::super::failure::{Failure, USAGE};
use super::tools::described;

/// What a tool is to read: without what was filled in as null, which is the same as left out.
///
/// # Errors
/// The first argument that is unknown, missing or of another type.
pub fn checked(tool: &str, given: Value) -> Result<Value, Failure> {
    let tools = described();
    let of_it = tools.as_array().and_then(|tools| tools.iter().find(|it| it["name"] == tool));
    let Some(schema) = of_it.map(|tool| &tool["inputSchema"]) else { return Ok(given) };
    let wrong = |what: String| Failure::new(USAGE, what);
    let Value::Object(mut given) = given else {
        return Err(wrong(format!("the arguments are {}; give an object", shown(&given))));
    };
    given.retain(|_, value| !value.is_null());
    let none = Map::new();
    let known = schema["properties"].as_object().unwrap_or(&none);
    for (key, value) in &given {
        let Some(property) = known.get(key) else {
            let names: Vec<&str> = known.keys().map(String::as_str).collect();
            let names = if names.is_empty() { "nothing".to_owned() } else { names.join(", ") };
            return Err(wrong(format!("{key} is not known here; it takes {names}")));
        };
        if let Some(wanted) = mismatch(property, value) {
            return Err(wrong(format!("{key} is {wanted}, not {}", shown(value))));
        }
    }
    match required(schema).find(|name| !given.contains_key(*name)) {
        Some(name) => Err(wrong(format!("{name} is missing"))),
        None => Ok(Value::Object(given)),
    }
}

fn required(schema: &Value) -> impl Iterator<Item = &str> {
    schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str)
}

/// What the schema wants instead of this value.
fn mismatch(property: &Value, value: &Value) -> Option<String> {
    if let Some(words) = property["enum"].as_array() {
        let words: Vec<&str> = words.iter().filter_map(Value::as_str).collect();
        let named = value.as_str().is_some_and(|value| words.contains(&value));
        return (!named).then(|| format!("one of {}", words.join(", ")));
    }
    let (fits, wanted) = match property["type"].as_str()? {
        "string" => (value.is_string(), "a string"),
        "boolean" => (value.is_boolean(), "true or false"),
        "number" => (value.is_number(), "a number"),
        "integer" => (value.is_u64(), "a whole number, not below 0"),
        "array" => (
            value.as_array().is_some_and(|items| items.iter().all(Value::is_string)),
            "a list of strings, for instance [\"npm\", \"test\"]",
        ),
        "object" => (
            value.as_object().is_some_and(|map| map.values().all(Value::is_string)),
            "an object with strings in it",
        ),
        _ => return None,
    };
    (!fits).then(|| wanted.to_owned())
}

/// A value as a sentence has it: not pages of it.
fn shown(value: &Value) -> String {
    let text = value.to_string();
    match text.chars().count() {
        0..=60 => text,
        _ => format!("{}…", text.chars().take(60).collect::<String>()),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_fault_names_its_key_and_what_to_write() {
        for (tool, given, words) in [
            (
                "pty_read",
                json!({ "name": "a", "since": "x" }),
                "since is a whole number, not below 0, not \"x\"",
            ),
            ("pty_read", json!({ "name": "a", "tail": -1 }), "tail is a whole number, not below 0, not -1"),
            ("pty_read", json!({ "name": "a", "mode": "all" }), "mode is one of output, screen"),
            ("pty_read", json!({}), "name is missing"),
            ("pty_start", json!({ "name": "a", "command": "npm test" }), "command is a list of strings"),
            (
                "pty_start",
                json!({ "name": "a", "comand": [] }),
                "comand is not known here; it takes name, command",
            ),
            ("pty_start", json!({ "name": "a", "command": ["x"], "env": { "A": 1 } }), "env is an object"),
            ("pty_exec", json!({ "command": ["x"], "timeout_secs": "60" }), "timeout_secs is a number"),
            ("pty_send", json!({ "name": "a", "enter": "yes" }), "enter is true or false, not \"yes\""),
            ("pty_list", json!([]), "the arguments are []; give an object"),
        ] {
            let refused = checked(tool, given.clone()).unwrap_err().message;
            assert!(refused.contains(words), "{tool} {given}: {refused}");
        }
        let given = json!({ "name": "a", "since": null, "mode": "screen" });
        assert_eq!(checked("pty_read", given).unwrap(), json!({ "name": "a", "mode": "screen" }));
        checked("pty_start", json!({ "name": "a", "command": ["x"], "env": { "A": "1" } })).unwrap();
    }
}
