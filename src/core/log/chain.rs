//! The chain through the decision log: every line carries the digest of all that stood before it.
//!
//! `server/file_io.rs` writes by it, `counsel log --verify` and whatever reads earlier decisions check by it. A
//! line that was changed, added or removed afterwards shows at the first genuine line that follows. What it
//! cannot show is written in docs/security.md: whoever writes the file while no server runs can write all of
//! it anew.

use serde::Deserialize;

use crate::core::trust::digest;

/// The key that is last in every line.
const KEY: &str = "chain";

/// What stands for all lines so far.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Head(String);

impl Default for Head {
    /// Of a log that holds nothing yet.
    fn default() -> Head {
        Head(digest(b""))
    }
}

impl Head {
    /// As it stands in the line that follows.
    pub fn text(&self) -> &str {
        &self.0
    }

    fn after(&self, line: &str) -> Head {
        Head(digest(format!("{}\n{line}", self.0).as_bytes()))
    }
}

/// An entry's line, a JSON object, tied to what stands before it; and what then stands for both.
pub fn tied(line: &str, head: &Head) -> (String, Head) {
    let object = line.strip_suffix('}').expect("an entry is a JSON object");
    let comma = if object.ends_with('{') { "" } else { "," };
    let line = format!("{object}{comma}\"{KEY}\":\"{}\"}}", head.0);
    let next = head.after(&line);
    (line, next)
}

/// How one line stands to those before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tie {
    /// Written before there was a chain.
    Old,
    Holds,
    /// Something before it was changed, added or removed.
    Broken,
    /// It is not tied, where others before it are, or is no entry at all: no server wrote it.
    Untied,
    /// Cut short by a crash.
    NoEntry,
}

/// What is read of a line here.
#[derive(Deserialize)]
struct Line {
    id: String,
    #[serde(default)]
    chain: Option<String>,
}

/// One place where the chain does not hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Break {
    /// From 1.
    pub line: usize,
    /// Of the entry there; empty where there is none.
    pub id: String,
    /// What stands there is not tied at all, where all since another one are.
    pub untied: bool,
}

/// Walks a log from its beginning, or from somewhere in it.
#[derive(Debug, Default)]
pub struct Verifier {
    head: Head,
    /// Nothing is known of what stands before the first line.
    inside: bool,
    line: usize,
    pub old: usize,
    pub tied: usize,
    pub no_entry: usize,
    pub breaks: Vec<Break>,
}

impl Verifier {
    /// For the end of a log whose beginning is not read.
    pub fn inside() -> Verifier {
        Verifier { inside: true, ..Verifier::default() }
    }

    /// What a server ties its next line to.
    pub fn head(&self) -> &Head {
        &self.head
    }

    /// Every line there is.
    pub fn take_all<S: AsRef<str>>(&mut self, lines: impl Iterator<Item = S>) {
        for line in lines {
            self.take(line.as_ref());
        }
    }

    pub fn take(&mut self, text: &str) -> Tie {
        self.line += 1;
        if text.is_empty() {
            return Tie::NoEntry;
        }
        let line = match serde_json::from_str::<Line>(text) {
            Ok(line) => line,
            Err(error) if is_torn(text, &error) => {
                self.no_entry += 1;
                return Tie::NoEntry;
            }
            Err(_) => {
                self.breaks.push(Break { line: self.line, id: String::new(), untied: true });
                return Tie::Untied;
            }
        };
        let tie = match &line.chain {
            None if self.tied == 0 => {
                self.old += 1;
                Tie::Old
            }
            None => Tie::Untied,
            Some(_) if self.inside && self.tied == 0 => Tie::Holds,
            Some(chain) if *chain == self.head.0 => Tie::Holds,
            Some(_) => Tie::Broken,
        };
        if matches!(tie, Tie::Broken | Tie::Untied) {
            self.breaks.push(Break { line: self.line, id: line.id, untied: tie == Tie::Untied });
        }
        match line.chain {
            // It stands for what was there when it was written, whatever stands there now.
            Some(chain) => {
                self.tied += 1;
                self.head = Head(chain).after(text);
            }
            // Not the server's: the next line of the server does not know it.
            None if tie == Tie::Untied => {}
            None => self.head = self.head.after(text),
        }
        tie
    }
}

/// Whether a crash leaves such a line: the beginning of an entry, or the room for one on a disk that had not got it yet.
fn is_torn(text: &str, error: &serde_json::Error) -> bool {
    (text.starts_with('{') && error.is_eof()) || text.bytes().all(|byte| byte == 0)
}

/// The lines that may be believed: those since the last break, and all if there is none.
pub fn believable<T>(lines: impl Iterator<Item = (T, Tie)>) -> Vec<T> {
    let mut kept = Vec::new();
    for (line, tie) in lines {
        match tie {
            Tie::NoEntry | Tie::Untied => continue,
            Tie::Broken => kept.clear(),
            Tie::Old | Tie::Holds => {}
        }
        kept.push(line);
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(id: &str) -> String {
        format!("{{\"id\":\"{id}\"}}")
    }

    /// A log of so many tied entries.
    fn log(count: usize) -> Vec<String> {
        let mut head = Head::default();
        let each = (1..=count).map(|n| {
            let (line, next) = tied(&entry(&format!("q{n}")), &head);
            head = next;
            line
        });
        each.collect()
    }

    fn broken_at(lines: &[String]) -> Vec<usize> {
        let mut verifier = Verifier::default();
        verifier.take_all(lines.iter());
        verifier.breaks.iter().map(|broken| broken.line).collect()
    }

    fn believed(lines: &[String]) -> Vec<String> {
        let mut verifier = Verifier::default();
        believable(lines.iter().map(|line| (line.clone(), verifier.take(line))))
    }

    #[test]
    fn what_a_server_wrote_holds() {
        let lines = log(5);
        assert_eq!(broken_at(&lines), [0; 0]);
        assert_eq!(believed(&lines), lines);
        assert!(lines[0].starts_with("{\"id\":\"q1\",\"chain\":\"e3b0c442"), "{}", lines[0]);
        assert_eq!(tied("{}", &Head::default()).0.matches(',').count(), 0);
    }

    #[test]
    fn a_change_shows_at_the_line_that_follows() {
        let mut changed = log(5);
        changed[2] = changed[2].replace("q3", "q9");
        assert_eq!(broken_at(&changed), [4]);
        assert_eq!(believed(&changed), changed[3..]);
        let mut removed = log(5);
        removed.remove(1);
        assert_eq!(broken_at(&removed), [2]);
        let mut swapped = log(5);
        swapped.swap(1, 2);
        assert_eq!(broken_at(&swapped), [2, 3, 4]);
        let mut beheaded = log(5);
        beheaded.remove(0);
        assert_eq!(broken_at(&beheaded), [1]);
    }

    /// An agent appends a decision that was never made, tied as a server would; the server, which remembers what
    /// it wrote last, goes on without it.
    #[test]
    fn a_line_added_behind_the_servers_back_is_not_believed() {
        let mut lines = log(3);
        let mut verifier = Verifier::default();
        verifier.take_all(lines.iter());
        let servers = verifier.head().clone();
        lines.push(tied(&entry("q4"), &servers).0.replace("q4", "qx"));
        let (next, _) = tied(&entry("q4"), &servers);
        lines.push(next.clone());
        assert_eq!(broken_at(&lines), [5]);
        assert_eq!(believed(&lines), [next]);
    }

    #[test]
    fn an_untied_line_among_tied_ones_is_named_and_costs_itself_alone() {
        let mut lines = log(3);
        lines.insert(2, entry("qx"));
        assert_eq!(broken_at(&lines), [3]);
        assert_eq!(believed(&lines), [&lines[0], &lines[1], &lines[3]].map(String::clone));
    }

    #[test]
    fn a_log_from_before_the_chain_is_sealed_by_its_first_tied_line() {
        let mut verifier = Verifier::default();
        let old = [entry("q1"), entry("q2")];
        old.iter().for_each(|line| assert_eq!(verifier.take(line), Tie::Old));
        let (first, _) = tied(&entry("q3"), verifier.head());
        assert_eq!(verifier.take(&first), Tie::Holds);
        assert_eq!((verifier.old, verifier.tied), (2, 1));
        let mut lines = vec![old[0].clone(), old[1].replace("q2", "q8"), first];
        assert_eq!(broken_at(&lines), [3]);
        lines.remove(1);
        assert_eq!(broken_at(&lines), [2]);
    }

    #[test]
    fn a_torn_line_is_no_entry_and_breaks_nothing() {
        let mut lines = log(4);
        lines.insert(2, lines[2][..lines[2].len() / 2].to_owned());
        let mut verifier = Verifier::default();
        verifier.take_all(lines.iter());
        assert_eq!((verifier.breaks.len(), verifier.no_entry, verifier.tied), (0, 1, 4));
    }

    /// Of a line of garbage it was said that nothing was changed.
    #[test]
    fn a_line_that_no_crash_leaves_was_added() {
        for added in ["garbage {\"id\":\"evil\"}", "{\"other\":1}", "{\"id\":\"q2\"} more", "x"] {
            for at in [1, 4] {
                let mut lines = log(4);
                lines.insert(at, added.to_owned());
                assert_eq!(broken_at(&lines), [at + 1], "{added}");
                lines.remove(at);
                let with = [&lines[..at], &[added.to_owned()], &lines[at..]].concat();
                assert_eq!(believed(&with), lines, "{added} costs itself alone");
            }
        }
        for torn in ["{\"id\":\"q2\",\"agent\":\"\u{fffd}", "{", "\0\0\0"] {
            let mut lines = log(4);
            lines.insert(2, torn.to_owned());
            assert_eq!(broken_at(&lines), [0; 0], "{torn:?}");
        }
    }

    #[test]
    fn the_end_of_a_log_is_checked_without_its_beginning() {
        let mut lines = log(6).split_off(3);
        let mut verifier = Verifier::inside();
        lines.iter().for_each(|line| assert_eq!(verifier.take(line), Tie::Holds));
        lines[1] = lines[1].replace("q5", "q9");
        let mut verifier = Verifier::inside();
        let ties: Vec<Tie> = lines.iter().map(|line| verifier.take(line)).collect();
        assert_eq!(ties, [Tie::Holds, Tie::Holds, Tie::Broken]);
    }
}
