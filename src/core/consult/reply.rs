//! A consultant's reply: the last JSON object of what it said, if that is an answer the question offers.
//!
//! Prose, code fences and line breaks a terminal made are passed over. Whatever is not plainly one
//! answer is an error in words, which the consultant is told once. Nothing is guessed.

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::Value;

use crate::core::log::redact::{clean, redact};
use crate::core::policy::mention;
use crate::core::policy::value::plain_value;
use crate::core::question::normalize::invisible;
use crate::core::question::option_lookup;
use crate::core::question::{Answer, Kind, Question, Role};

/// The object stands at the end; what is before this is not read.
const TAIL_BYTES: usize = 64 * 1024;
/// Longest object. A reply is a number or a few sentences.
const OBJECT_BYTES: usize = 16 * 1024;
/// Braces tried as the beginning of an object; bounds the work on hostile input.
const TRIES: usize = 512;
/// Longest answer in words, in characters.
const TEXT_CHARS: usize = 2_000;
/// Longest reason kept for the log, in characters.
const REASON_CHARS: usize = 500;
/// Why a consultant's own words go into no field that a program draws: only the program decides whether it shows them.
const HIDES: &str =
    "the program draws what is typed itself, and may hide it: only the value it offers is taken";
/// At the start of an answer these make agent programs run a command, a shell, or open a menu.
const COMMANDS: [char; 9] = ['/', '!', '#', '@', '?', '&', '$', ':', '>'];
/// Words by which Claude Code, opencode and the shells of languages end when nothing else stands in their input line.
const ENDS: [&str; 5] = ["exit", "quit", "logout", "exit()", "quit()"];

/// Stands in a string where a terminal broke its line.
const SEAM: char = '\u{b}';
const SEAM_ESCAPED: &str = "\\u000b";

/// What a consultant said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Said {
    Answer {
        answer: Answer,
        reason: Option<String>,
    },
    Escalate {
        why: String,
    },
    /// Words that may not be typed at this prompt: a person answers it.
    NoValue {
        why: String,
    },
}

/// The question that is to be replied to.
#[derive(Debug, Clone, Copy)]
pub struct ReplyTo<'a> {
    pub question: &'a Question,
    pub id: &'a str,
    /// What was told with it (`nonce.rs`).
    pub nonce: &'a str,
    /// The reply is read where others may write: it must carry the nonce.
    pub on_terminal: bool,
}

/// What the reply says, or why it says nothing.
pub fn read_reply(text: &str, to: ReplyTo<'_>) -> Result<Said, String> {
    let ReplyTo { question: q, id, .. } = to;
    let pairs = last_object(text)?;
    let mut proved = !to.on_terminal;
    let mut says: Option<(&str, &Value)> = None;
    let mut reason = None;
    for (key, value) in &pairs.0 {
        // A terminal may have broken a key over two lines.
        match together(key).as_str() {
            "id" if value.as_str() == Some(id) => {}
            "id" => return Err(format!("it answers another question; this one is {id}")),
            // Broken over two lines as well.
            "nonce" if value.as_str().map(together).as_deref() == Some(to.nonce) => proved = true,
            "nonce" => return Err("its \"nonce\" is not the one that was told with this question".into()),
            "reason" => reason = Some(sentence(value.as_str().ok_or("\"reason\" is not a text")?)),
            name @ ("choice" | "choices" | "text" | "escalate") => {
                let name = ["choice", "choices", "text", "escalate"].into_iter().find(|known| *known == name);
                let name = name.expect("the arm matched one of these");
                if says.replace((name, value)).is_some() {
                    return Err(
                        "it gives more than one answer; give one of choice, choices, text, escalate".into()
                    );
                }
            }
            other => return Err(format!("it has a key {:?} that is not known", sentence(other))),
        }
    }
    if !proved {
        return Err("it does not carry the \"nonce\" that was told with this question".into());
    }
    let reason = reason.filter(|reason| !reason.is_empty());
    let answer = match says {
        None => return Err("it gives no answer; give one of choice, choices, text, escalate".into()),
        Some(("escalate", value)) => {
            let why = sentence(value.as_str().unwrap_or_default());
            let why = Some(why).filter(|why| !why.is_empty()).or(reason);
            return Ok(Said::Escalate { why: why.unwrap_or_else(|| "no reason was given".into()) });
        }
        Some(("text", value)) => {
            let text = words(value, q)?;
            // A program that nobody described may hand on what it reads to a shell.
            let offered = q.origin.offered.as_ref() == Some(&text);
            let judged = match q.origin.printed {
                Some(_) if !offered && q.origin.unechoed => Err(HIDES.into()),
                Some(_) if !offered => plain_value(&q.prompt, &text),
                _ => Ok(()),
            };
            if let Err(why) = judged {
                return Ok(Said::NoValue { why });
            }
            commands_nothing(&text)?;
            ends_nothing(&text, q.kind == Kind::Text && !offered)?;
            Answer::Text(text)
        }
        Some(("choices", value)) => rows(value.as_array().ok_or("\"choices\" is not a list")?, q)?,
        Some((_, value)) => rows(std::slice::from_ref(value), q)?,
    };
    Ok(Said::Answer { answer, reason })
}

/// Without blanks, and without what stands where a terminal broke its line.
fn together(text: &str) -> String {
    text.split_whitespace().collect()
}

fn rows(values: &[Value], q: &Question) -> Result<Answer, String> {
    if option_lookup::bare_review(q) && matches!(values, [one] if one.as_u64() == Some(1)) {
        return Ok(Answer::Rows(Vec::new()));
    }
    let mut rows = values.iter().map(|value| row(value, q)).collect::<Result<Vec<usize>, String>>()?;
    rows.sort_unstable();
    rows.dedup();
    match rows.len() {
        0 => Err("no option is chosen; escalate if none fits".into()),
        1 => Ok(Answer::Rows(rows)),
        _ if q.multi => Ok(Answer::Rows(rows)),
        several => Err(format!("{several} options are chosen where one can be")),
    }
}

fn row(value: &Value, q: &Question) -> Result<usize, String> {
    let row = match value {
        Value::Number(number) => {
            let number = number.as_u64().and_then(|number| u32::try_from(number).ok());
            let row = number.and_then(|number| option_lookup::by_number(q, number));
            row.ok_or_else(|| format!("{value} is not the number of an option"))?
        }
        Value::String(label) => option_lookup::named(q, label).map_err(|why| sentence(&why))?,
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => {
            return Err("an option is given by its number".into());
        }
    };
    if option_lookup::open_to_consultant(q, row) {
        return Ok(row);
    }
    match q.options[row].role {
        Role::FreeText => Err("that option takes words; reply with \"text\"".into()),
        Role::Submit | Role::Aside | Role::Choice => Err("that option was not offered".into()),
    }
}

fn words(value: &Value, q: &Question) -> Result<String, String> {
    if !option_lookup::takes_text(q) {
        return Err("the question takes no words of one's own; choose an option".into());
    }
    let text = value.as_str().ok_or("\"text\" is not a text")?;
    let shown = |ch: char| matches!(ch, '\n' | '\r' | '\t' | SEAM) || !ch.is_control();
    let exact = q.origin.printed.is_some();
    // What is typed is what was said, or nothing is.
    if !text.chars().all(|ch| shown(ch) && !(exact && invisible(ch))) {
        return Err("the text holds characters that no screen shows; leave them out".into());
    }
    if exact && text.contains(SEAM) {
        return Err("a line's end in the terminal has broken the text; put it first in the object".into());
    }
    let text = clean(&text.split(SEAM).map(str::trim).collect::<Vec<&str>>().join(" "));
    // A line end is a key; only a paste into an input line may hold one.
    let text =
        if q.kind == Kind::Text { text } else { text.split_whitespace().collect::<Vec<&str>>().join(" ") };
    let text = text.trim();
    if text.is_empty() {
        return Err("the text is empty".into());
    }
    if text.chars().count() > TEXT_CHARS {
        return Err(format!("the text is longer than {TEXT_CHARS} characters"));
    }
    Ok(text.to_owned())
}

/// What agent programs would take for something else than words.
fn commands_nothing(text: &str) -> Result<(), String> {
    if let Some(first) = text.chars().next().filter(|first| COMMANDS.contains(first)) {
        return Err(format!("the text begins with '{first}', which programs take for a command"));
    }
    if text.ends_with('\\') {
        return Err("the text ends with '\\', which programs take for a line to go on".into());
    }
    // While such a word is being written, Enter chooses from the list that it opens.
    if text.split_whitespace().next_back().is_some_and(|last| last.starts_with(['@', '/', '#'])) {
        return Err("the text ends with a name that opens a list; put a word after it".into());
    }
    mention::fault(text).map_or(Ok(()), |why| Err(why.to_owned()))
}

/// What ends a program whose input line it is `alone` in.
fn ends_nothing(text: &str, alone: bool) -> Result<(), String> {
    let word = text.trim_end_matches(['.', '!', ';']).to_lowercase();
    match alone && ENDS.contains(&word.as_str()) {
        true => Err(format!("the text is '{word}' alone, by which programs end; say it in a sentence")),
        false => Ok(()),
    }
}

/// One line for a log, a person, or the next prompt.
fn sentence(text: &str) -> String {
    let text = redact(&clean(text));
    let line = text.split_whitespace().collect::<Vec<&str>>().join(" ");
    line.chars().take(REASON_CHARS).collect()
}

/// An object's keys and values as they stand, twice the same key included.
struct Pairs(Vec<(String, Value)>);

impl<'de> Deserialize<'de> for Pairs {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Pairs, D::Error> {
        struct Each;
        impl<'de> Visitor<'de> for Each {
            type Value = Pairs;

            fn expecting(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Pairs, A::Error> {
                let mut pairs: Vec<(String, Value)> = Vec::new();
                while let Some((key, value)) = map.next_entry::<String, Value>()? {
                    if pairs.iter().any(|(known, _)| *known == key) {
                        return Err(serde::de::Error::custom("a key stands twice"));
                    }
                    pairs.push((key, value));
                }
                Ok(Pairs(pairs))
            }
        }
        deserializer.deserialize_map(Each)
    }
}

/// The last object of a text. One after it that cannot be read makes it unusable: it may be what was meant.
fn last_object(text: &str) -> Result<Pairs, String> {
    let text = &text[text.ceil_char_boundary(text.len().saturating_sub(TAIL_BYTES))..];
    let opens: Vec<usize> = text.match_indices('{').map(|(at, _)| at).collect();
    let mut last: Option<Result<Pairs, String>> = None;
    let mut end = 0;
    for at in opens.iter().copied().skip(opens.len().saturating_sub(TRIES)) {
        if at < end {
            continue;
        }
        let Some(length) = balanced(&text[at..]) else {
            // A brace in prose is passed over. A reply that is cut off is not, nor what stands in it.
            if meant(&text[at..]) {
                return Err("the JSON object is cut off".into());
            }
            continue;
        };
        let object = &text[at..at + length];
        match serde_json::from_str::<Pairs>(&unwrapped(object)) {
            Ok(pairs) => {
                last = Some(Ok(pairs));
                end = at + length;
            }
            Err(error) if meant(object) => {
                let what = error.to_string();
                // What programs make of a quote that was escaped is the commonest cause.
                let mend = "within a text write 'single' quotes";
                last = Some(Err(format!("the JSON object cannot be read: {}; {mend}", sentence(&what))));
                end = at + length;
            }
            Err(_) => {}
        }
    }
    let said_after = text[end..].chars().any(char::is_alphanumeric);
    match last {
        // Of several in a list nobody can say which one is meant.
        Some(Ok(_)) if text[end..].trim_start().starts_with([']', ',']) => {
            Err("the JSON object stands in a list; give one object and nothing around it".into())
        }
        // Whoever goes on talking may take it back.
        Some(Ok(_)) if said_after => Err("the JSON object is not the last thing in the reply".into()),
        last => last.unwrap_or_else(|| Err("there is no JSON object in the reply".into())),
    }
}

/// Whether a brace begins a reply, readable or not, and no remark or piece of code.
fn meant(text: &str) -> bool {
    // Longer than the longest key, wherever a terminal broke it.
    let inside: String = text.chars().skip(1).filter(|ch| !ch.is_whitespace()).take(16).collect();
    let key = inside.trim_start_matches(['{', '"', '\'', '“', '”', '‘', '’']);
    ["choice", "text", "escalate", "reason", "id\"", "nonce"].iter().any(|known| key.starts_with(known))
}

/// Bytes up to the brace that closes the first one; braces in strings do not count.
fn balanced(text: &str) -> Option<usize> {
    let (mut depth, mut string, mut escaped) = (0_usize, false, false);
    for (at, byte) in text.bytes().enumerate().take(OBJECT_BYTES) {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if string => escaped = true,
            b'"' => string = !string,
            b'{' if !string => depth += 1,
            b'}' if !string => {
                depth -= 1;
                if depth == 0 {
                    return Some(at + 1);
                }
            }
            _ => {}
        }
    }
    None
}

/// Line breaks within strings were made by a terminal's width: a line end that was meant is an escape.
fn unwrapped(object: &str) -> String {
    let (mut out, mut string, mut escaped) = (String::with_capacity(object.len()), false, false);
    for ch in object.chars() {
        match ch {
            '\r' if string => {}
            '\n' if string => out.push_str(SEAM_ESCAPED),
            ch if string && ch.is_control() => out.push(' '),
            '"' if !escaped => {
                string = !string;
                out.push(ch);
            }
            '\u{a0}' if !string => out.push(' '),
            ch => out.push(ch),
        }
        escaped = string && ch == '\\' && !escaped;
    }
    out
}
