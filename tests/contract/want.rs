//! What a command must come to, and whether it has.
//!
//! `table.rs` has a step's wants and asks each of them.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::table::filled;
use crate::world::Done;

/// What a command must come to.
#[derive(Clone)]
pub enum Want {
    Code(i32),
    /// Standard output, whole.
    Out(String),
    OutHas(String),
    OutLacks(String),
    ErrHas(String),
    Silent,
    /// One line on standard error, as every error has it, with these words; nothing on standard output.
    Refusal(String),
    /// At least one line, each a JSON object with these keys.
    Keys(Vec<&'static str>),
    /// A value of the first line, by JSON pointer.
    Is(&'static str, Value),
    Holds(&'static str, fn(&Value) -> bool),
    FileHas(String, String),
    NoFile(String),
    Lines(usize),
}

/// The first line that was printed.
pub fn first(done: &Done) -> Result<Value, String> {
    let line = done.out.lines().next().ok_or("nothing was printed")?;
    serde_json::from_str(line).map_err(|error| format!("{line:?} is no JSON: {error}"))
}

fn that(holds: bool, what: impl FnOnce() -> String) -> Result<(), String> {
    if holds { Ok(()) } else { Err(what()) }
}

impl Want {
    /// # Errors
    /// What is not as it must be.
    pub fn wrong(&self, done: &Done, saved: &BTreeMap<String, String>) -> Result<(), String> {
        let Done { code, out, err } = done;
        match self {
            Want::Code(wanted) => that(code == wanted, || format!("it must end with {wanted}")),
            Want::Out(wanted) => {
                that(*out == filled(wanted, saved), || format!("it must print {wanted:?} and nothing else"))
            }
            Want::OutHas(words) => {
                that(out.contains(&filled(words, saved)), || format!("it must print {words:?}"))
            }
            Want::OutLacks(words) => {
                that(!out.contains(&filled(words, saved)), || format!("it must not print {words:?}"))
            }
            Want::ErrHas(words) => that(err.contains(&filled(words, saved)), || {
                format!("it must say {words:?} on standard error")
            }),
            Want::Silent => that(out.is_empty() && err.is_empty(), || "it must print nothing".into()),
            Want::Refusal(words) => {
                let line = err.starts_with("counsel: ") && err.trim_end().lines().count() == 1;
                that(line && out.is_empty(), || "an error is one line on standard error".into())?;
                // What was mistyped is told as it is; everything else says what could not be done.
                let told = *code == 2 || err.starts_with("counsel: could not ");
                that(told, || "an error says what could not be done".into())?;
                that(err.contains(&filled(words, saved)), || format!("the error must hold {words:?}"))
            }
            Want::Keys(keys) => {
                that(!out.is_empty(), || "an object must be printed".into())?;
                out.lines().try_for_each(|line| {
                    let value: Value = serde_json::from_str(line)
                        .map_err(|error| format!("{line:?} is no JSON: {error}"))?;
                    let missing = keys.iter().find(|key| value.get(**key).is_none());
                    missing.map_or(Ok(()), |key| Err(format!("the key {key:?} must be there")))
                })
            }
            Want::Is(pointer, wanted) => {
                let value = first(done)?;
                let wanted = match wanted {
                    Value::String(text) => Value::String(filled(text, saved)),
                    other => other.clone(),
                };
                that(value.pointer(pointer) == Some(&wanted), || format!("{pointer} must be {wanted}"))
            }
            Want::Holds(pointer, rule) => {
                let value = first(done)?;
                that(value.pointer(pointer).is_some_and(rule), || format!("{pointer} is not as it must be"))
            }
            Want::FileHas(path, words) => {
                let path = filled(path, saved);
                let text = std::fs::read_to_string(&path).map_err(|error| format!("{path}: {error}"))?;
                that(text.contains(&filled(words, saved)), || format!("{path} must hold {words:?}: {text:?}"))
            }
            Want::Lines(count) => {
                that(out.lines().count() == *count, || format!("it must print {count} lines"))
            }
            Want::NoFile(path) => {
                let path = filled(path, saved);
                that(!std::path::Path::new(&path).exists(), || format!("{path} must not be there"))
            }
        }
    }
}
