//! What is wrong with a TOML file that somebody wrote by hand: at which byte, which key, and what to write instead.
//!
//! The configuration and the profiles are read by it. It reads no file itself.

use std::ops::Range;

use serde::de::DeserializeOwned;
use toml::Spanned;
use toml::de::{DeTable, DeValue, Deserializer};

/// The first fault of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// In bytes.
    pub at: usize,
    /// The key's path, `agent.consultant`; empty where no key is to blame.
    pub key: String,
    pub what: String,
}

/// Reads a whole text.
///
/// # Errors
/// It is no TOML, or has keys or values that `T` does not.
pub fn read<T: DeserializeOwned>(text: &str) -> Result<T, Fault> {
    let table = DeTable::parse(text).map_err(|error| {
        let at = error.span().map_or(0, |span| span.start);
        Fault { at, key: written_key(text, at), what: one_line(error.message()) }
    })?;
    toml::from_str(text).map_err(|error| misfit(&table, &error))
}

/// What the reader says of a table that does not fit its type.
fn misfit(table: &Spanned<DeTable<'_>>, error: &toml::de::Error) -> Fault {
    let at = error.span().map_or(0, |span| span.start);
    let (key, what) = reword(error.message(), path_at(table, at));
    Fault { at, key, what }
}

/// More than anybody mends at once; each costs another reading.
const MOST_FAULTS: usize = 50;

/// What of a text fits, and all that does not.
#[derive(Debug)]
pub struct Fitting<T> {
    pub read: Option<T>,
    pub faults: Vec<Fault>,
    /// Where the values begin that were left out, and the tables that held them: nobody can say what else those lack.
    pub cut: Vec<usize>,
}

/// Reads what fits. `misshapen`: what the reader would take, and must not.
pub fn read_what_fits<T: DeserializeOwned>(
    text: &str,
    misshapen: impl Fn(&DeTable<'_>) -> Option<Fault>,
) -> Fitting<T> {
    let mut fitting = Fitting { read: None, faults: Vec::new(), cut: Vec::new() };
    let Ok(mut table) = DeTable::parse(text) else {
        fitting.faults.extend(read::<T>(text).err());
        return fitting;
    };
    for _ in 0..MOST_FAULTS {
        let fault = match misshapen(table.get_ref()) {
            Some(fault) => fault,
            None => match T::deserialize(Deserializer::from(table.clone())) {
                Ok(read) => {
                    fitting.read = Some(read);
                    break;
                }
                Err(error) => misfit(&table, &error),
            },
        };
        let at = fault.at;
        if !fitting.cut.contains(&at) {
            fitting.faults.push(fault);
        }
        let root = table.span().start;
        match remove_at(table.get_mut(), root, at) {
            Some(left_out) => fitting.cut.extend(left_out),
            None => break,
        }
    }
    fitting
}

/// Takes out the innermost key that is at this byte, or whose value is; where the table begins that held it, and the value.
/// `begin`: where this table does.
fn remove_at(table: &mut DeTable<'_>, begin: usize, at: usize) -> Option<[usize; 2]> {
    let within = |value: &mut Spanned<DeValue<'_>>| remove_within(value, at);
    if let Some(of) = table.iter_mut().find_map(|(_, value)| within(value)) {
        return Some(of);
    }
    let key = table.iter().find(|(key, value)| key.span().contains(&at) || value.span().contains(&at));
    let key = key.map(|(key, _)| key.get_ref().to_string())?;
    table.remove(key.as_str()).map(|value| [begin, value.span().start])
}

fn remove_within(value: &mut Spanned<DeValue<'_>>, at: usize) -> Option<[usize; 2]> {
    let begin = value.span().start;
    match value.get_mut() {
        DeValue::Table(table) => remove_at(table, begin, at),
        DeValue::Array(items) => items.iter_mut().find_map(|item| remove_within(item, at)),
        _ => None,
    }
}

/// Where the value of a key of the whole text begins; its end where the key is not written.
pub fn value_at(text: &str, key: &str) -> usize {
    let table = DeTable::parse(text).ok();
    let value = table.as_ref().and_then(|table| table.get_ref().get(key));
    value.map_or(text.trim_end().len(), |value| value.span().start)
}

/// Line and column of a byte, both from 1.
pub fn place(text: &str, at: usize) -> (usize, usize) {
    let before = text.get(..at).unwrap_or(text);
    let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
    (before.matches('\n').count() + 1, column)
}

/// The key that byte `at` of a text that is no TOML belongs to, with the table it stands in: the one on its line, else the
/// last before it, else the table alone; empty where none is.
fn written_key(text: &str, at: usize) -> String {
    let begin = text.get(..at).and_then(|before| before.rfind('\n')).map_or(0, |end| end + 1);
    let line = text.get(begin..).and_then(|rest| rest.lines().next()).unwrap_or_default();
    if line.trim_start().starts_with('[') {
        return header(line).unwrap_or_default();
    }
    let mut before = text.get(..begin).unwrap_or_default().lines().rev();
    // Where a sign is missing, the first word is the key.
    let word = || line.split_whitespace().next().and_then(bare);
    let own = if line.contains('=') { assigned(line) } else { word() };
    let key = own.or_else(|| before.by_ref().take_while(|line| header(line).is_none()).find_map(assigned));
    let table = text.get(..begin).and_then(|before| before.lines().rev().find_map(header));
    table.into_iter().chain(key).collect::<Vec<_>>().join(".")
}

/// A key as it may be written, with its dots.
fn bare(text: &str) -> Option<String> {
    let key: String = text.chars().filter(|ch| !ch.is_whitespace()).collect();
    let fits = |ch: char| ch.is_ascii_alphanumeric() || "-_.\"'".contains(ch);
    let closed = ['"', '\''].iter().all(|quote| key.matches(*quote).count() % 2 == 0);
    (closed && !key.is_empty() && key.chars().all(fits)).then_some(key)
}

/// The key of a line `KEY = …`.
fn assigned(line: &str) -> Option<String> {
    bare(line.split_once('=')?.0)
}

/// The table of a line `[TABLE]`.
fn header(line: &str) -> Option<String> {
    let inside = line.trim().strip_prefix('[')?.split(']').next()?;
    bare(inside.trim_start_matches('['))
}

fn one_line(message: &str) -> String {
    message.lines().collect::<Vec<_>>().join("; ")
}

/// The keys that lead to the innermost key or value at byte `at`.
fn path_at(table: &Spanned<DeTable<'_>>, at: usize) -> Vec<String> {
    let mut best: Option<(usize, Vec<String>)> = None;
    visit_table(table.get_ref(), at, &mut Vec::new(), &mut best);
    best.map(|(_, path)| path).unwrap_or_default()
}

fn visit_table(
    table: &DeTable<'_>,
    at: usize,
    path: &mut Vec<String>,
    best: &mut Option<(usize, Vec<String>)>,
) {
    for (key, value) in table.iter() {
        path.push(key.get_ref().to_string());
        consider(key.span(), at, path, best);
        visit_value(value, at, path, best);
        path.pop();
    }
}

fn visit_value(
    value: &Spanned<DeValue<'_>>,
    at: usize,
    path: &mut Vec<String>,
    best: &mut Option<(usize, Vec<String>)>,
) {
    consider(value.span(), at, path, best);
    if let Some(table) = value.get_ref().as_table() {
        visit_table(table, at, path, best);
    }
    for item in value.get_ref().as_array().into_iter().flat_map(|array| array.iter()) {
        visit_value(item, at, path, best);
    }
}

fn consider(span: Range<usize>, at: usize, path: &[String], best: &mut Option<(usize, Vec<String>)>) {
    let smaller = best.as_ref().is_none_or(|(length, _)| span.len() <= *length);
    if span.contains(&at) && smaller {
        *best = Some((span.len(), path.to_vec()));
    }
}

/// The reader's message in the words of this product: which key, what of it, what to write.
fn reword(message: &str, mut path: Vec<String>) -> (String, String) {
    let ticked =
        |text: &str| -> Vec<String> { text.split('`').skip(1).step_by(2).map(str::to_string).collect() };
    if let Some(rest) = message.strip_prefix("unknown field ") {
        let names = ticked(rest);
        let (found, known) = names.split_first().expect("the reader names the field it does not know");
        // Said of a rule on its way to the server, never in a file.
        let known: Vec<String> = known.iter().filter(|name| *name != "from_project").cloned().collect();
        if path.last() != Some(found) {
            path.push(found.clone());
        }
        let near = nearest(found, &known).map(|name| format!(", did you mean {name}")).unwrap_or_default();
        return (path.join("."), format!("is not known here{near}; known: {}", known.join(", ")));
    }
    if let Some(rest) = message.strip_prefix("unknown variant ") {
        let names = ticked(rest);
        let (found, known) = names.split_first().expect("the reader names the value it does not know");
        return (path.join("."), format!("'{found}' is not possible; write one of: {}", known.join(", ")));
    }
    if let Some(rest) = message.strip_prefix("missing field ") {
        let name = ticked(rest).pop().unwrap_or_default();
        path.push(name.clone());
        return (path.join("."), format!("is missing; write {name} = …"));
    }
    (path.join("."), plainly(message))
}

/// The known name that begins like `found`, or differs in at most two letters (or a third of it).
fn nearest<'a>(found: &str, known: &'a [String]) -> Option<&'a String> {
    let far = 2.max(found.chars().count() / 3);
    let begins = known.iter().find(|name| name.starts_with(found) || found.starts_with(name.as_str()));
    begins.or_else(|| {
        known
            .iter()
            .map(|name| (distance(found, name), name))
            .filter(|(d, _)| *d <= far)
            .min()
            .map(|(_, n)| n)
    })
}

/// Levenshtein distance.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, ca) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, cb) in b.iter().enumerate() {
            let substituted = diagonal + usize::from(ca != *cb);
            diagonal = row[j + 1];
            row[j + 1] = substituted.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

/// A value of the wrong type, in words that need no knowledge of types.
fn plainly(message: &str) -> String {
    // Words of the parser's own, for a choice among words and for a choice among types.
    if message.contains("wanted string or table") {
        return "takes one word in quotes; 'counsel config schema' lists which".to_owned();
    }
    if message.contains("untagged enum") {
        return "does not fit here; write it in quotes, or a list: [\"…\", \"…\"]".to_owned();
    }
    let (found, wanted) = message.rsplit_once(", expected ").unwrap_or((message, ""));
    let beyond = found.contains("integer `") && !found.contains("`-");
    let mend = match wanted {
        "a sequence" => "write a list: [\"…\", \"…\"], or [[name]] for a table",
        "a string" => "write it in quotes",
        "a boolean" => "write true or false",
        "u64" | "usize" if beyond => "write a whole number from 0 to 9223372036854775807",
        "u32" if beyond => "write a whole number from 0 to 4294967295",
        "u16" if beyond => "write a whole number from 0 to 65535",
        "u8" if beyond => "write a whole number from 0 to 255",
        "u64" | "u32" | "usize" | "u16" | "u8" => "write a whole number, not below 0",
        "i64" | "i32" => "write a whole number",
        "f64" | "f32" => "write a number",
        "a map" => "write KEY = \"VALUE\" pairs",
        _ => return one_line(message),
    };
    let found = found.trim_start_matches("invalid type: ").trim_start_matches("invalid value: ");
    let ticked = found.split('`').nth(1);
    let quoted = || found.split_once('"').map(|(_, value)| value.trim_end_matches('"'));
    let value = ticked.or_else(quoted);
    let value = value
        .map_or_else(|| format!("a {found}"), |value| format!("'{value}'"))
        .replace("a sequence", "a list");
    format!("{value} does not fit here; {mend}")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What stands over several lines, and a line without its sign, named another key or none.
    #[test]
    fn a_text_that_is_no_toml_is_told_with_the_key_it_belongs_to() {
        for (text, key) in [
            ("[server\nx = 1\n", "server"),
            ("[consult]\ndeadline_secs = \n", "consult.deadline_secs"),
            ("[consult]\ndeadline_secs 5\n", "consult.deadline_secs"),
            ("[[agent]]\ncommand = [\"x\", \n  \"y\n]\n", "agent.command"),
            ("[consult]\ndecisions = 1\ncontext = \"\"\"\nabc\n", "consult.context"),
            ("[consult]\n= 5\n", "consult"),
            ("name = 1\n]\n", "name"),
            ("= 5\n", ""),
        ] {
            let fault = read::<toml::Table>(text).unwrap_err();
            assert_eq!(fault.key, key, "{text}");
        }
    }

    #[test]
    fn a_value_of_the_wrong_type_is_told_in_plain_words() {
        #[derive(Debug, serde::Deserialize)]
        #[serde(deny_unknown_fields)]
        #[allow(dead_code, reason = "only read")]
        struct File {
            #[serde(default)]
            number: u64,
            #[serde(default)]
            list: Vec<String>,
            #[serde(default)]
            yes: bool,
            #[serde(default)]
            word: Option<Word>,
            #[serde(default)]
            keys: Option<Keys>,
        }
        #[derive(Debug, serde::Deserialize)]
        #[serde(rename_all = "lowercase")]
        enum Word {
            Auto,
        }
        #[derive(Debug, serde::Deserialize)]
        #[serde(untagged)]
        #[allow(dead_code, reason = "only read")]
        enum Keys {
            One(String),
            Several(Vec<String>),
        }
        for (text, key, what) in [
            ("number = -1", "number", "'-1' does not fit here; write a whole number, not below 0"),
            (
                "number = 99999999999999999999",
                "number",
                "'99999999999999999999' does not fit here; write a whole number from 0 to 9223372036854775807",
            ),
            ("number = 1.5", "number", "'1.5' does not fit here; write a whole number, not below 0"),
            ("number = []", "number", "a list does not fit here; write a whole number, not below 0"),
            (
                "list = \"x\"",
                "list",
                "'x' does not fit here; write a list: [\"…\", \"…\"], or [[name]] for a table",
            ),
            ("yes = \"yes\"", "yes", "'yes' does not fit here; write true or false"),
            ("word = true", "word", "takes one word in quotes; 'counsel config schema' lists which"),
            ("keys = 1", "keys", "does not fit here; write it in quotes, or a list: [\"…\", \"…\"]"),
            (
                "nmber = 1",
                "nmber",
                "is not known here, did you mean number; known: number, list, yes, word, keys",
            ),
        ] {
            let fault = read::<File>(text).unwrap_err();
            assert_eq!((fault.key.as_str(), fault.what.as_str()), (key, what), "{text}");
        }
    }
}
