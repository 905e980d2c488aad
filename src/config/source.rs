//! One file's text: read into its type, and able to say at which line and column a key stands.
//!
//! `load.rs` makes one for each file it read; `check.rs` and `merge.rs` ask it where a fault is.

use std::ops::Range;

use serde::de::DeserializeOwned;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::core::toml_fault::{self, Fault, Fitting, place};

use super::error::ConfigError;
use super::shape;
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
        // A text that is no TOML is told of by the reader.
        let misshapen = DeTable::parse(text).ok().and_then(|table| shape::fault(table.get_ref()));
        let file: Result<File, Fault> = misshapen.map_or_else(|| toml_fault::read(text), Err);
        let file = file.map_err(|Fault { at, key, what }| fault(name, text, at, key, what))?;
        let table = DeTable::parse(text).expect("it was read just now");
        let source = Source { name: name.into(), own, text: text.into(), file, template: None };
        for at in 0..source.file.rule.len() {
            let path = [Step::Key("rule"), Step::Index(at), Step::Key("from_project")];
            if lookup(&table, &path).len() == path.len() {
                return Err(source.error(&path, "is not known here; whose rule it is follows from the file"));
            }
        }
        Ok(source)
    }

    /// What of a file can be read, all that cannot, and where the tables begin (line, column) of which something was left out.
    pub fn parse_what_fits(
        name: &str,
        own: bool,
        text: &str,
    ) -> (Option<Source>, Vec<ConfigError>, Vec<(usize, usize)>) {
        let Fitting { read, faults, cut } = toml_fault::read_what_fits(text, shape::fault);
        let told = |Fault { at, key, what }| fault(name, text, at, key, what);
        let source =
            read.map(|file| Source { name: name.into(), own, text: text.into(), file, template: None });
        (source, faults.into_iter().map(told).collect(), cut.into_iter().map(|at| place(text, at)).collect())
    }

    /// Whether there is a value at the end of `path`.
    pub fn has(&self, path: &[Step<'_>]) -> bool {
        DeTable::parse(&self.text).is_ok_and(|table| lookup(&table, path).len() == path.len())
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
    ConfigError::of_text(name, text, Fault { at, key, what })
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

/// The files of one configuration.
#[derive(Debug, Default)]
pub struct Sources {
    pub own: Option<Source>,
    pub project: Option<Source>,
}

impl Sources {
    /// The strongest first.
    pub fn each(&self) -> impl Iterator<Item = &Source> {
        self.project.iter().chain(self.own.iter())
    }

    /// A table of both files, key by key.
    pub fn section<T: DeserializeOwned + Default>(&self, name: &str) -> T {
        let mut merged = toml::Table::new();
        for source in [&self.own, &self.project].into_iter().flatten() {
            let table: toml::Table = toml::from_str(&source.text).expect("it was parsed before");
            if let Some(toml::Value::Table(section)) = table.get(name) {
                merged.extend(section.clone());
            }
        }
        toml::Value::Table(merged).try_into().expect("both tables were read into this very type before")
    }

    /// Whether the user's own file gives this key.
    pub fn own_gives(&self, section: &str, key: &str) -> bool {
        let table = self.own.as_ref().and_then(|own| toml::from_str::<toml::Table>(&own.text).ok());
        table.as_ref().and_then(|t| t.get(section)).and_then(|s| s.get(key)).is_some()
    }
}
