//! What `counsel exec` does with the output as it comes: shown as on a terminal, or byte for byte.

use std::io::IsTerminal;

use unicode_width::UnicodeWidthStr;

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
    /// As the program's terminal shows it. The line that is not ended yet, where a terminal shows that: it may be drawn over.
    Shown(Option<String>),
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
            let line = !json && std::io::stdout().is_terminal();
            Form::Shown(line.then(String::new))
        } else {
            Form::Plain(Stripped::default())
        };
        Printer { form, json, open_line: false, kept: ReadText::default() }
    }

    pub fn mode(&self) -> ReadMode {
        if matches!(self.form, Form::Shown(_)) { ReadMode::Output } else { ReadMode::Bytes }
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
            Form::Shown(line) => {
                if let Some(line) = line {
                    bytes.extend(drawn_over(line, read, out::terminal_width()).into_bytes());
                }
                bytes.extend_from_slice(read.text.as_bytes());
            }
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
        let shown = matches!(self.form, Form::Shown(_)) && !self.json;
        if self.open_line && shown { out::line("") } else { Ok(()) }
    }

    /// All that was printed, as text.
    pub fn kept(&self) -> ReadText {
        let bytes: Vec<u8> = printed(&self.kept.text).collect();
        ReadText { text: String::from_utf8_lossy(&bytes).into_owned(), ..self.kept.clone() }
    }
}

/// What wipes from the terminal the part of a line that this read has anew; `line` is what stands there, and then what will.
fn drawn_over(line: &mut String, read: &ReadText, width: Option<usize>) -> String {
    let mut wiped = String::new();
    if read.anew {
        let above = line.width().saturating_sub(1) / width.unwrap_or(usize::MAX).max(1);
        wiped.push('\r');
        if above > 0 {
            wiped.push_str(&format!("\x1b[{above}A"));
        }
        wiped.push_str("\x1b[J");
        line.clear();
    }
    match read.text.rsplit_once('\n') {
        Some((_, last)) => last.clone_into(line),
        None => line.push_str(&read.text),
    }
    wiped
}

/// Bytes that were sent each as the character of its number.
fn printed(text: &str) -> impl Iterator<Item = u8> {
    text.chars().map(|ch| u8::try_from(u32::from(ch)).unwrap_or(b'?'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_that_is_read_anew_takes_the_place_of_its_part() {
        let mut line = String::new();
        let mut read = |text: &str, anew| {
            let text = text.to_owned();
            drawn_over(&mut line, &ReadText { text, anew, ..ReadText::default() }, Some(10))
        };
        assert_eq!(read("done\n$ ec", false), "");
        assert_eq!(read("ho 12345678", false), "");
        assert_eq!(read("$ echo", true), "\r\x1b[1A\x1b[J", "of two rows");
        assert_eq!(read("$ ech", true), "\r\x1b[J");
    }
}
