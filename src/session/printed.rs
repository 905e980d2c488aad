//! What a program of any kind has written since it last took input, in words, however much of it there is.
//!
//! `observation.rs` brings it up to date before it judges a screen. Of what is long gone, the lines are kept that would
//! make a prompt a person's; nothing here judges a prompt itself.

use crate::core::policy::prompt::warns;
use crate::core::terminal::plain::Words;
use crate::core::terminal::tail::Tail;

/// Words of the newest output that are kept whole, in bytes: more than the largest screen that people read.
const RECENT: usize = 16 * 1024;
/// Of the lines before those, in bytes. One of them is enough for what they are kept for.
const WARNINGS: usize = 4 * 1024;
/// Lines that are judged between two looks at the screen, of which there are a dozen a second: far more than any program
/// prints for people, and few enough that one which floods does not keep a core busy with being read.
const JUDGED: usize = 4_000;
/// Stands for what was printed faster than it could be read. It has words that no prompt may have above it.
const UNREAD: &str = "what was printed here was not read by anybody";

/// The account of one span between two inputs.
#[derive(Default)]
pub(super) struct Printed {
    /// The place of the input before it, and the place up to which output is in it.
    since: u64,
    upto: u64,
    words: Words,
    warnings: String,
    /// Some of it was not read: nothing else can make a prompt more of a person's.
    lost: bool,
    /// The prompt that the input answered: libraries draw it once more, with the answer behind it.
    answered: String,
}

impl std::fmt::Debug for Printed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Printed")
            .field("since", &self.since)
            .field("upto", &self.upto)
            .finish_non_exhaustive()
    }
}

impl Printed {
    /// Takes in what was printed since. `asked`: the prompt on the screen, which an input in between has answered.
    pub(super) fn read(&mut self, output: &Tail, input: u64, asked: Option<&str>) {
        if input != self.since {
            let answered = asked.unwrap_or_default().to_owned();
            *self = Printed { since: input, upto: input, answered, ..Printed::default() };
        }
        let (bytes, lost, end) = output.bytes_since(self.upto, usize::MAX);
        let mut bytes = &bytes[..];
        if lost {
            self.lose();
            // Whatever else is among it, it is a person's: what stands nearest is enough.
            bytes = &bytes[bytes.len().saturating_sub(4 * RECENT)..];
        }
        self.upto = end;
        self.words.feed(bytes);
        if self.words.text().len() > 2 * RECENT {
            let old = self.words.shorten(RECENT);
            self.judge(&old);
        }
    }

    /// Keeps of these lines those that warn.
    fn judge(&mut self, old: &str) {
        let (mut judged, mut before) = (0, "");
        for line in old.lines() {
            if self.lost || self.warnings.len() >= WARNINGS {
                return;
            }
            if line == before {
                continue;
            }
            before = line;
            judged += 1;
            if judged > JUDGED {
                self.lose();
            } else if warns(line) {
                self.warn(line);
            }
        }
    }

    fn lose(&mut self) {
        self.lost = true;
        self.warn(UNREAD);
    }

    fn warn(&mut self, line: &str) {
        if self.warnings.len() < WARNINGS {
            self.warnings.push_str(line);
            self.warnings.push('\n');
        }
    }

    /// All that counts.
    pub(super) fn text(&self) -> String {
        let recent = self.words.text().lines().map(|line| unanswered(line, &self.answered));
        recent.fold(self.warnings.clone(), |text, line| text + line + "\n")
    }
}

/// Longest answer that is taken for one where its prompt is drawn again, in characters.
const LONGEST_ANSWER: usize = 60;

/// The line without the prompt that was answered and its answer.
fn unanswered<'a>(line: &'a str, prompt: &str) -> &'a str {
    match line.split_once(prompt) {
        Some((before, answer))
            if !prompt.is_empty() && answer.chars().count() <= LONGEST_ANSWER && !warns(answer) =>
        {
            before
        }
        _ => line,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn printed(output: &str) -> String {
        let (mut tail, mut account) = (Tail::new(256 * 1024), Printed::default());
        for piece in output.as_bytes().chunks(10_000) {
            tail.push(piece);
            account.read(&tail, 0, None);
        }
        account.text()
    }

    /// A warning that was more than 64 KB back did not count.
    #[test]
    fn a_warning_counts_however_long_ago_it_was_printed() {
        let lines: String = (0..40_000).map(|at| format!("line {at}\r\n")).collect();
        let text = printed(&format!("This deletes all your files.\r\n{lines}Use TypeScript? [Y/n] "));
        assert!(text.starts_with("This deletes all your files.\n"), "{}", &text[..80]);
        assert!(text.ends_with("line 39999\nUse TypeScript? [Y/n] \n") && text.len() < 64 * 1024);
        let text = printed(&lines);
        assert!(text.starts_with("line "), "what warns of nothing is forgotten: {}", &text[..80]);
    }

    /// One agent that flooded its terminal with short lines kept a core busy with judging each of them.
    #[test]
    fn a_flood_is_not_read_line_by_line() {
        let flood: String = (0..3 * JUDGED).map(|at| format!("line {at}\r\n")).collect();
        let mut tail = Tail::new(256 * 1024);
        let mut account = Printed::default();
        tail.push(flood.as_bytes());
        account.read(&tail, 0, None);
        assert!(account.text().starts_with(UNREAD));
        // The same line again and again is one.
        let (mut tail, mut account) = (Tail::new(256 * 1024), Printed::default());
        tail.push("y\r\n".repeat(10 * JUDGED).as_bytes());
        account.read(&tail, 0, None);
        assert!(account.text().starts_with("y\ny\n"));
    }

    #[test]
    fn what_was_lost_before_it_was_read_warns() {
        let mut tail = Tail::new(1000);
        let mut account = Printed::default();
        tail.push("line\r\n".repeat(1000).as_bytes());
        account.read(&tail, 0, None);
        assert!(account.text().starts_with(UNREAD) && warns(UNREAD));
    }

    #[test]
    fn a_prompt_drawn_again_with_its_answer_says_nothing_new() {
        let (mut tail, mut account) = (Tail::new(1000), Printed::default());
        tail.push(b"What is your project named? ");
        account.read(&tail, 0, None);
        tail.push("\r\u{1b}[K✔ What is your project named? frobnix\r\nUse TypeScript? ".as_bytes());
        account.read(&tail, 28, Some("What is your project named?"));
        assert_eq!(account.text().trim(), "✔ \nUse TypeScript?");
        tail.push(b"and more");
        account.read(&tail, 28, Some("Use TypeScript?"));
        assert_eq!(account.text().trim(), "✔ \nUse TypeScript? and more");
    }
}
