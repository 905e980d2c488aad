//! What `counsel exec` does with the output as it comes: shown as on a terminal, or byte for byte.

use std::io::IsTerminal;

use crate::core::terminal::stripped::Stripped;
use crate::wire::message::{ReadMode, ReadText};

use super::super::failure::Failure;
use super::super::out;
use super::follow;

#[derive(Debug)]
pub struct Printer {
    form: Form,
    json: bool,
    /// The last line was not ended.
    open_line: bool,
    /// With `--json`: all of it.
    kept: ReadText,
}

#[derive(Debug)]
enum Form {
    /// As the program's terminal shows it.
    Shown,
    /// As it was printed.
    Whole,
    /// The same without control sequences.
    Plain(Stripped),
}

impl Printer {
    /// `raw`: with control sequences; `screen`: as a terminal shows it, whoever reads; `json`: kept to the end.
    pub fn new(raw: bool, screen: bool, json: bool) -> Printer {
        let form = if raw {
            Form::Whole
        } else if screen || (!json && std::io::stdout().is_terminal()) {
            Form::Shown
        } else {
            Form::Plain(Stripped::default())
        };
        Printer { form, json, open_line: false, kept: ReadText::default() }
    }

    pub fn mode(&self) -> ReadMode {
        if matches!(self.form, Form::Shown) { ReadMode::Output } else { ReadMode::Bytes }
    }

    /// `false`: nobody reads any more.
    pub fn take(&mut self, read: &ReadText) -> Result<bool, Failure> {
        if read.truncated {
            self.kept.truncated = true;
            if !self.json {
                out::complain("the program printed more than is kept; some of its output is missing here");
            }
        }
        let mut bytes = Vec::new();
        match &mut self.form {
            Form::Shown => bytes.extend_from_slice(read.text.as_bytes()),
            Form::Whole => bytes.extend(printed(&read.text)),
            Form::Plain(stripped) => stripped.push(&printed(&read.text).collect::<Vec<u8>>(), &mut bytes),
        }
        self.kept.cursor = read.cursor;
        self.print(&bytes)
    }

    fn print(&mut self, bytes: &[u8]) -> Result<bool, Failure> {
        if let Some(last) = bytes.last() {
            self.open_line = *last != b'\n';
        }
        if self.json {
            // Each byte as the character of its number, until it is known where characters end.
            let text = bytes.iter().copied().map(char::from).collect();
            let cursor = self.kept.cursor;
            follow::keep(&mut self.kept, &ReadText { text, cursor, ..ReadText::default() });
            return Ok(!out::reader_has_gone());
        }
        Ok(out::write(bytes)? && !out::reader_has_gone())
    }

    /// It prints no more.
    pub fn end(&mut self) -> Result<(), Failure> {
        if let Form::Plain(stripped) = &mut self.form {
            let mut rest = Vec::new();
            stripped.end(&mut rest);
            self.print(&rest)?;
        }
        let shown = matches!(self.form, Form::Shown) && !self.json;
        if self.open_line && shown { out::line("") } else { Ok(()) }
    }

    /// All that was printed, as text.
    pub fn kept(&self) -> ReadText {
        let bytes: Vec<u8> = printed(&self.kept.text).collect();
        ReadText { text: String::from_utf8_lossy(&bytes).into_owned(), ..self.kept.clone() }
    }
}

/// Bytes that were sent each as the character of its number.
fn printed(text: &str) -> impl Iterator<Item = u8> {
    text.chars().map(|ch| u8::try_from(u32::from(ch)).unwrap_or(b'?'))
}
