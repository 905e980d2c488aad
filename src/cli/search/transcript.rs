//! Transcripts that agent programs keep of their talks: JSON lines in files whose place the profile knows.

use std::io::BufReader;
use std::path::Path;

use serde_json::Value;

use super::hit::{Hit, Needle, Place};
use crate::core::agent::AgentInfo;
use crate::core::profile::LazyProfile;
use crate::os::regular_file;

/// Members that are marks and not words.
const MARKS: [&str; 10] = [
    "uuid",
    "parentUuid",
    "sessionId",
    "requestId",
    "id",
    "signature",
    "type",
    "timestamp",
    "cwd",
    "encrypted_content",
];

/// Whose transcript it is stands in one of its first lines.
const HEAD_LINES: usize = 5;
/// What a tool printed stands in one line, and pictures do.
const LINE_BYTES: usize = 64 * 1024 * 1024;

pub fn search(agent: &AgentInfo, profile: Option<&LazyProfile>, needle: &Needle, hits: &mut Vec<Hit>) {
    for pattern in profile.map(|profile| profile.transcripts.as_slice()).unwrap_or_default() {
        let own = pattern.contains(FOLDER);
        let Some(pattern) = filled(pattern, &agent.cwd, &|name| std::env::var(name).ok()) else { continue };
        let Ok(paths) = glob::glob(&pattern) else { continue };
        for path in paths.flatten().filter(|path| own || tells_folder(path, &agent.cwd)) {
            in_file(&agent.name, &path, needle, hits);
        }
    }
}

/// Stands for the agent's folder, every character of it that is no letter or digit turned into `-`.
const FOLDER: &str = "{cwd}";

/// A pattern with its variable, its home and its folder put in; `None` if a variable is not set.
fn filled(pattern: &str, cwd: &str, lookup: &dyn Fn(&str) -> Option<String>) -> Option<String> {
    let (head, rest) = pattern.split_once('/').unwrap_or((pattern, ""));
    let head = match (head, head.strip_prefix('$')) {
        ("~", _) => glob::Pattern::escape(&lookup("HOME")?),
        (_, Some(name)) => glob::Pattern::escape(&lookup(name).filter(|value| !value.is_empty())?),
        _ => head.to_owned(),
    };
    let folder = cwd.replace(|ch: char| !ch.is_ascii_alphanumeric(), "-");
    Some(format!("{head}/{rest}").replace(FOLDER, &folder))
}

/// Whether a transcript is of somebody who worked in this folder.
fn tells_folder(path: &Path, cwd: &str) -> bool {
    let mut values =
        lines(path).take(HEAD_LINES).filter_map(|line| serde_json::from_slice::<Value>(&line).ok());
    values.any(|value| names_folder(&value, cwd))
}

/// An agent writes these files: what is none, or has no end to its lines, holds nobody up.
fn lines(path: &Path) -> impl Iterator<Item = Vec<u8>> {
    let file = regular_file::open_named(path).ok().map(BufReader::new);
    file.into_iter().flat_map(|file| regular_file::lines(file, LINE_BYTES))
}

fn names_folder(value: &Value, cwd: &str) -> bool {
    let Value::Object(members) = value else { return false };
    let own = members.get("cwd").and_then(Value::as_str);
    own == Some(cwd) || members.values().any(|value| names_folder(value, cwd))
}

fn in_file(agent: &str, path: &Path, needle: &Needle, hits: &mut Vec<Hit>) {
    for (at, line) in lines(path).enumerate() {
        let Ok(value) = serde_json::from_slice::<Value>(&line) else { continue };
        let Some(text) = words(&value, needle) else { continue };
        let number = at as u64 + 1;
        hits.push(Hit {
            agent: agent.to_owned(),
            place: Place::Transcript,
            at: value.get("timestamp").and_then(Value::as_str).and_then(millis),
            line: Some(number),
            text: text.trim().to_owned(),
            jump: format!("sed -n {number}p {}", quoted(&path.to_string_lossy())),
        });
    }
}

/// The first line of any text in there that has the words.
fn words<'a>(value: &'a Value, needle: &Needle) -> Option<&'a str> {
    match value {
        Value::String(text) => needle.line_of(text),
        Value::Array(values) => values.iter().find_map(|value| words(value, needle)),
        Value::Object(members) => {
            let said = members.iter().filter(|(name, _)| !MARKS.contains(&name.as_str()));
            said.map(|(_, value)| value).find_map(|value| words(value, needle))
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => None,
    }
}

/// A time as programs write it, in Unix milliseconds.
fn millis(text: &str) -> Option<u64> {
    let time: jiff::Timestamp = text.parse().ok()?;
    u64::try_from(time.as_millisecond()).ok()
}

/// A path as a shell takes it.
fn quoted(path: &str) -> String {
    let plain = |ch: char| ch.is_ascii_alphanumeric() || "/._-+,:@".contains(ch);
    if path.chars().all(plain) { path.to_owned() } else { format!("'{}'", path.replace('\'', r"'\''")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_is_filled_from_home_variables_and_the_agents_folder() {
        let lookup = |name: &str| (name == "HOME").then(|| "/home/a[b]".to_owned());
        let filled = |pattern: &str| filled(pattern, "/home/me/src_x", &lookup);
        assert_eq!(filled("~/.p/{cwd}/*.jsonl").unwrap(), "/home/a[[]b[]]/.p/-home-me-src-x/*.jsonl");
        assert_eq!(filled("$NOT_SET/{cwd}/*.jsonl"), None);
    }

    #[test]
    fn words_are_found_at_any_depth_and_marks_are_none() {
        let value: Value = serde_json::from_str(
            r#"{"type":"user","uuid":"postgres","message":{"content":[{"text":"one\nuse Postgres\ntwo"}]}}"#,
        )
        .unwrap();
        assert_eq!(words(&value, &Needle::new("postgres")), Some("use Postgres"));
        assert_eq!(words(&value, &Needle::new("user")), None);
        assert_eq!(millis("2026-11-22T06:00:00.500Z"), Some(1_795_327_200_500));
        assert_eq!((quoted("/a b"), quoted("/a.b")), ("'/a b'".into(), "/a.b".into()));
    }

    #[test]
    fn a_transcript_names_its_folder_in_its_head() {
        let value: Value = serde_json::from_str(r#"{"payload":{"cwd":"/src/x"}}"#).unwrap();
        assert!(names_folder(&value, "/src/x") && !names_folder(&value, "/src"));
    }
}
