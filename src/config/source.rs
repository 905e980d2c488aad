//! One file's text: read into its type, and able to say at which line and column a key stands.
//!
//! `load.rs` makes one for each file it read; `check.rs` and `merge.rs` ask it where a fault is.

use std::ops::Range;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::error::ConfigError;
use super::types::File;

/// A step from a value to one inside it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step<'a> {
    Key(&'a str),
    Index(usize),
}

/// A file that holds no fault that types can show.
#[derive(Debug)]
pub struct Source {
    /// As it is shown in errors.
    pub name: String,
    /// The user's own file, which a project's file may not overrule.
    pub own: bool,
    pub text: String,
    pub file: File,
    /// The text of the file that `consult.template` names.
    pub template: Option<String>,
}

impl Source {
    pub fn parse(name: &str, own: bool, text: &str) -> Result<Source, ConfigError> {
        let table = DeTable::parse(text).map_err(|error| {
            let at = error.span().map_or(0, |span| span.start);
            fault(name, text, at, written_key(text, at), first_line(error.message()))
        })?;
        let file: File = toml::from_str(text).map_err(|error| {
            let span = error.span().unwrap_or(0..0);
            let path = path_at(&table, span.start);
            let (key, what) = reword(error.message(), path);
            fault(name, text, span.start, key, what)
        })?;
        let source = Source { name: name.into(), own, text: text.into(), file, template: None };
        for at in 0..source.file.rule.len() {
            let path = [Step::Key("rule"), Step::Index(at), Step::Key("from_project")];
            if lookup(&table, &path).len() == path.len() {
                return Err(source.error(&path, "is not known here; whose rule it is follows from the file"));
            }
        }
        Ok(source)
    }

    /// The same file reduced to what it forbids.
    pub fn restrictions(self) -> Source {
        let mut table: toml::Table = toml::from_str(&self.text).expect("it was parsed before");
        table.retain(|section, _| section == "security" || section == "permissions");
        let file =
            File { security: self.file.security, permissions: self.file.permissions, ..File::default() };
        Source { text: table.to_string(), file, template: None, ..self }
    }

    /// A fault of the value at `path`, or of what holds it if that key is not written.
    pub fn error(&self, path: &[Step<'_>], what: impl Into<String>) -> ConfigError {
        let table = DeTable::parse(&self.text).expect("it was parsed when the source was made");
        let at = lookup(&table, path).last().map_or(0, |span| span.start);
        let keys: Vec<&str> = path
            .iter()
            .filter_map(|step| match step {
                Step::Key(key) => Some(*key),
                Step::Index(_) => None,
            })
            .collect();
        fault(&self.name, &self.text, at, keys.join("."), what.into())
    }
}

fn fault(name: &str, text: &str, at: usize, key: String, what: String) -> ConfigError {
    let before = text.get(..at).unwrap_or(text);
    let line = before.matches('\n').count() + 1;
    let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
    ConfigError { file: name.into(), line, column, key, what }
}

/// The key on the line of byte `at` of a text that is no TOML, with the table it stands in; empty where none is.
fn written_key(text: &str, at: usize) -> String {
    let bare = |text: &str| -> Option<String> {
        let key: String = text.chars().filter(|ch| !ch.is_whitespace()).collect();
        let fits = |ch: char| ch.is_ascii_alphanumeric() || "-_.\"'".contains(ch);
        (!key.is_empty() && key.chars().all(fits)).then_some(key)
    };
    let header = |line: &str| {
        let inside = line.trim().strip_prefix('[')?.split(']').next()?;
        bare(inside.trim_start_matches('['))
    };
    let begin = text.get(..at).and_then(|before| before.rfind('\n')).map_or(0, |end| end + 1);
    let line = text.get(begin..).and_then(|rest| rest.lines().next()).unwrap_or_default();
    if line.trim_start().starts_with('[') {
        return header(line).unwrap_or_default();
    }
    let Some(key) = line.split('=').next().and_then(bare) else { return String::new() };
    let table = text.get(..begin).and_then(|before| before.lines().rev().find_map(header));
    table.into_iter().chain([key]).collect::<Vec<_>>().join(".")
}

fn first_line(message: &str) -> String {
    message.lines().collect::<Vec<_>>().join("; ")
}

/// The spans of the values along `path`, as far as they are written.
fn lookup(table: &Spanned<DeTable<'_>>, path: &[Step<'_>]) -> Vec<Range<usize>> {
    let mut spans = Vec::new();
    let mut here: Option<&Spanned<DeValue<'_>>> = None;
    for step in path {
        let found = match (step, here) {
            (Step::Key(key), None) => table.get_ref().get(*key),
            (Step::Key(key), Some(value)) => value.get_ref().as_table().and_then(|table| table.get(*key)),
            (Step::Index(at), value) => {
                value.and_then(|value| value.get_ref().as_array()).and_then(|array| array.get(*at))
            }
        };
        let Some(value) = found else { break };
        spans.push(value.span());
        here = Some(value);
    }
    spans
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
    let mend = match message.rsplit_once("expected ").map(|(_, wanted)| wanted) {
        Some("a sequence") => "; write a list: [\"…\", \"…\"], or [[name]] for a table",
        Some("a string") => "; write it in quotes",
        Some("a boolean") => "; write true or false",
        Some("u64" | "u32" | "usize") => "; write a whole number, not below 0",
        Some("a map") => "; write KEY = \"VALUE\" pairs",
        _ => "",
    };
    (path.join("."), format!("{}{mend}", first_line(message)))
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
