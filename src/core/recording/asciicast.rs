//! Reading asciicast v2 recordings: the header, then one event a line.
//!
//! `core/recording/replay.rs` plays what is read here through an emulator. It takes text, not a path, and
//! never decides what a screen means.

use serde_json::Value;

use crate::core::terminal::grid::Size;

/// A recording, whole in memory.
#[derive(Debug, Clone, PartialEq)]
pub struct Asciicast {
    pub size: Size,
    /// The command line that was recorded, if the header tells.
    pub command: Option<String>,
    pub events: Vec<Event>,
}

/// One recorded event, `at_ms` after the start.
#[derive(Debug, Clone, PartialEq)]
pub struct Event {
    pub at_ms: u64,
    pub what: What,
}

#[derive(Debug, Clone, PartialEq)]
pub enum What {
    Output(String),
    Resize(Size),
    /// Typed keys, markers and whatever later versions add: they draw nothing.
    Silent,
}

/// Why a recording cannot be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AsciicastError {
    pub line: usize,
    pub cause: String,
}

impl std::fmt::Display for AsciicastError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "line {}: {}", self.line, self.cause)
    }
}

impl std::error::Error for AsciicastError {}

impl Asciicast {
    pub fn parse(text: &str) -> Result<Asciicast, AsciicastError> {
        let mut lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
        let (at, first) = lines
            .next()
            .ok_or(AsciicastError { line: 1, cause: "the file is empty; record one first".into() })?;
        let header: Value = serde_json::from_str(first).map_err(|error| AsciicastError {
            line: at + 1,
            cause: format!("the header is not JSON ({error})"),
        })?;
        let mut cast =
            Asciicast::from_header(&header).map_err(|cause| AsciicastError { line: at + 1, cause })?;
        let mut lines = lines.peekable();
        while let Some((at, line)) = lines.next() {
            match event(line) {
                // A clock that was set back while it recorded: the order of the lines counts.
                Ok(event) => {
                    let at_ms = event.at_ms.max(cast.duration_ms());
                    cast.events.push(Event { at_ms, ..event });
                }
                // A recorder that was killed leaves half a line at the end; what came before is good.
                Err(_) if lines.peek().is_none() => break,
                Err(cause) => return Err(AsciicastError { line: at + 1, cause }),
            }
        }
        Ok(cast)
    }

    fn from_header(header: &Value) -> Result<Asciicast, String> {
        match header.get("version").and_then(Value::as_u64) {
            Some(2) => {}
            Some(other) => {
                return Err(format!("asciicast version {other} is not read; convert it to version 2"));
            }
            None => return Err("no asciicast version; is this a recording?".into()),
        }
        let side = |key: &str| {
            let value = header.get(key).and_then(Value::as_u64).filter(|value| *value > 0);
            value.and_then(|value| u16::try_from(value).ok()).ok_or_else(|| format!("no usable '{key}'"))
        };
        let size = Size::new(side("width")?, side("height")?);
        let command = header.get("command").and_then(Value::as_str).map(str::to_owned);
        Ok(Asciicast { size, command, events: Vec::new() })
    }

    /// The recorded command line as words; none if the header does not tell.
    pub fn argv(&self) -> Vec<String> {
        self.command.as_deref().map(words).unwrap_or_default()
    }

    pub fn duration_ms(&self) -> u64 {
        self.events.last().map_or(0, |event| event.at_ms)
    }
}

/// A recording that somebody asked for is cut at half of that; what is larger is none, or a device that never ends.
pub const FILE_BYTES: u64 = 512 * 1024 * 1024;
/// No recording is that long (30,000 years); what is added to a time must not overflow.
const MAX_MS: f64 = 1e15;

/// Seconds as recorded to whole milliseconds, rounded: 5.042 must not become 5041.
pub fn millis(seconds: f64) -> u64 {
    (seconds.max(0.0) * 1000.0).round().min(MAX_MS) as u64
}

fn event(line: &str) -> Result<Event, String> {
    let value: Value = serde_json::from_str(line).map_err(|error| format!("not JSON ({error})"))?;
    let at = value.get(0).and_then(Value::as_f64).ok_or("no time")?;
    let code = value.get(1).and_then(Value::as_str).ok_or("no event code")?;
    let data = value.get(2).and_then(Value::as_str).unwrap_or_default();
    let what = match code {
        "o" => What::Output(data.to_owned()),
        "r" => What::Resize(Size::recorded(data)?),
        _ => What::Silent,
    };
    Ok(Event { at_ms: millis(at), what })
}

/// Splits a command line at blanks, with the quotes of a shell but none of its expansions.
fn words(line: &str) -> Vec<String> {
    let (mut words, mut word, mut quote, mut open) = (Vec::new(), String::new(), None, false);
    for ch in line.chars() {
        match (quote, ch) {
            (None, '\'' | '"') => (quote, open) = (Some(ch), true),
            (Some(mark), _) if mark == ch => quote = None,
            (None, _) if ch.is_whitespace() => {
                if open || !word.is_empty() {
                    words.push(std::mem::take(&mut word));
                }
                open = false;
            }
            _ => word.push(ch),
        }
    }
    if open || !word.is_empty() {
        words.push(word);
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEAD: &str = r#"{"version": 2, "width": 80, "height": 24, "command": "claude 'a b' -x"}"#;

    #[test]
    fn reads_header_and_events() {
        let text = format!("{HEAD}\n[0.5, \"o\", \"hi\"]\n[1.0015, \"i\", \"x\"]\n[2, \"r\", \"100x30\"]\n");
        let cast = Asciicast::parse(&text).unwrap();
        assert_eq!((cast.size, cast.duration_ms()), (Size::new(80, 24), 2000));
        assert_eq!(cast.argv(), ["claude", "a b", "-x"]);
        assert_eq!(cast.events[0], Event { at_ms: 500, what: What::Output("hi".into()) });
        assert_eq!(cast.events[1].what, What::Silent);
        assert_eq!(cast.events[2].what, What::Resize(Size::new(100, 30)));
    }

    #[test]
    fn half_a_line_at_the_end_is_forgiven_and_one_in_the_middle_is_not() {
        let torn = format!("{HEAD}\n[0.5, \"o\", \"hi\"]\n[0.6, \"o\", \"h");
        assert_eq!(Asciicast::parse(&torn).unwrap().events.len(), 1);
        let broken = format!("{HEAD}\n[0.5, \"o\n[0.6, \"o\", \"h\"]\n");
        assert_eq!(Asciicast::parse(&broken).unwrap_err().line, 2);
    }

    #[test]
    fn times_go_forward_and_end_somewhere() {
        let text = format!("{HEAD}\n[5, \"o\", \"a\"]\n[1, \"o\", \"b\"]\n[1e300, \"o\", \"c\"]\n");
        let times: Vec<u64> =
            Asciicast::parse(&text).unwrap().events.iter().map(|event| event.at_ms).collect();
        assert_eq!(times, [5000, 5000, 1_000_000_000_000_000]);
    }

    #[test]
    fn other_files_are_refused_with_the_reason() {
        for (text, word) in
            [("", "empty"), ("hello", "not JSON"), ("{}", "version"), (r#"{"version":3}"#, "3")]
        {
            let error = Asciicast::parse(text).unwrap_err().to_string();
            assert!(error.contains(word), "{error}");
        }
    }
}
