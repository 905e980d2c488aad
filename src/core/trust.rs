//! A person's word that a project's file may do what it says: what exactly was agreed to, and whether a
//! file is still that.
//!
//! `config/` collects the parts, `os/trust_store.rs` keeps the agreements, `counsel trust` shows and asks.
//! The agreement is to contents, never to a name: one byte changed anywhere is another file.

use std::collections::BTreeMap;
use std::ops::Range;

use imara_diff::{Algorithm, Diff, InternedInput};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// Lines around a change that tell where it stands.
const CONTEXT_LINES: u32 = 1;
/// Lines of one difference that are shown; a file rewritten from end to end is read in an editor.
const SHOWN_LINES: usize = 200;

/// The SHA-256 of some bytes, in hexadecimal.
pub fn digest(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// A file that decides what a project's team does: its `counsel.toml` first, then whatever that names
/// within the project.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Part {
    /// As a person finds it: relative to the project's folder where it lies there.
    pub name: String,
    pub digest: String,
    /// Kept to show later what has changed; absent for programs and for what may hold secrets.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
}

impl Part {
    /// A part whose words may be shown.
    pub fn shown(name: impl Into<String>, text: &str) -> Part {
        Part { name: name.into(), digest: digest(text.as_bytes()), text: Some(text.to_owned()) }
    }

    /// A part of which only is told whether it changed.
    pub fn hidden(name: impl Into<String>, bytes: &[u8]) -> Part {
        Part { name: name.into(), digest: digest(bytes), text: None }
    }
}

/// What a person agreed to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Agreement {
    /// Unix milliseconds.
    pub given_at: u64,
    pub parts: Vec<Part>,
}

/// All agreements of a person, by the absolute path of the project's file, links followed.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Agreements {
    #[serde(default)]
    pub files: BTreeMap<String, Agreement>,
}

/// What the commands of a project may run where the server starts them: it looks each time.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Agreed {
    /// Where files are the project's.
    pub folders: Vec<String>,
    /// Of all files that its commands name.
    pub digests: Vec<String>,
    /// The consultants that the project's file describes.
    pub consultants: Vec<String>,
    /// Whether the command that calls a person is the project's.
    pub notify: bool,
}

/// How a file stands to what was agreed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Trust {
    Given,
    Changed,
    Never,
}

impl Agreements {
    pub fn of(&self, file: &str, parts: &[Part]) -> Trust {
        let same = |one: &Part, other: &Part| one.name == other.name && one.digest == other.digest;
        match self.files.get(file) {
            None => Trust::Never,
            Some(Agreement { parts: agreed, .. }) => {
                let equal = agreed.len() == parts.len() && agreed.iter().zip(parts).all(|(a, b)| same(a, b));
                if equal { Trust::Given } else { Trust::Changed }
            }
        }
    }
}

/// The first file besides the project's own that is another one, where that one is the same.
pub fn changed_beside(agreed: &[Part], now: &[Part]) -> Option<String> {
    let same = |part: &&Part| agreed.iter().any(|old| old.name == part.name && old.digest == part.digest);
    let (first, rest) = now.split_first()?;
    if !same(&first) {
        return None;
    }
    let gone = agreed.iter().find(|old| now.iter().all(|part| part.name != old.name));
    rest.iter().find(|part| !same(part)).or(gone).map(|part| part.name.clone())
}

/// What has changed since a person agreed, as lines to be shown: `-` was, `+` is.
pub fn difference(agreed: &[Part], now: &[Part]) -> Vec<String> {
    let find = |parts: &[Part], name: &str| parts.iter().find(|part| part.name == name).cloned();
    let mut lines = Vec::new();
    for part in now {
        match find(agreed, &part.name) {
            None => lines.push(format!("+ {}: is new", part.name)),
            Some(before) if before.digest == part.digest => {}
            Some(before) => match (&before.text, &part.text) {
                (Some(was), Some(is)) => {
                    lines.push(format!("{}:", part.name));
                    lines.extend(changed_lines(was, is));
                }
                _ => lines.push(format!("~ {}: has changed", part.name)),
            },
        }
    }
    let gone = agreed.iter().filter(|part| find(now, &part.name).is_none());
    lines.extend(gone.map(|part| format!("- {}: is not used any more", part.name)));
    lines
}

fn changed_lines(was: &str, is: &str) -> Vec<String> {
    let input = InternedInput::new(was, is);
    let hunks: Vec<_> = Diff::compute(Algorithm::Myers, &input).hunks().collect();
    let line = |sign: char, token| format!("{sign} {}", input.interner[token].trim_end_matches(['\n', '\r']));
    let mut lines = Vec::new();
    // The first line of the new text that is not yet shown.
    let mut next = 0;
    for (at, hunk) in hunks.iter().enumerate() {
        let (was, is) = (hunk.before.start as usize..hunk.before.end as usize, hunk.after.clone());
        let above = next.max(is.start.saturating_sub(CONTEXT_LINES));
        let end = hunks.get(at + 1).map_or(input.after.len() as u32, |hunk| hunk.after.start);
        next = end.min(is.end + CONTEXT_LINES);
        let new = |range: Range<u32>| input.after[range.start as usize..range.end as usize].iter();
        lines.extend(new(above..is.start).map(|token| line(' ', *token)));
        lines.extend(input.before[was].iter().map(|token| line('-', *token)));
        lines.extend(new(is.clone()).map(|token| line('+', *token)));
        lines.extend(new(is.end..next).map(|token| line(' ', *token)));
    }
    let rest = lines.len().saturating_sub(SHOWN_LINES);
    lines.truncate(SHOWN_LINES);
    if rest > 0 {
        lines.push(format!("… and {rest} lines more"));
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = "/p/counsel.toml";

    fn agreed(parts: &[Part]) -> Agreements {
        let agreement = Agreement { given_at: 1, parts: parts.to_vec() };
        Agreements { files: [(FILE.to_owned(), agreement)].into() }
    }

    #[test]
    fn a_digest_is_sha_256() {
        assert_eq!(digest(b"abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    }

    #[test]
    fn an_agreement_holds_for_exactly_its_contents() {
        let parts = [Part::shown("counsel.toml", "a\n"), Part::hidden("run.sh", b"x")];
        let all = agreed(&parts);
        assert_eq!(all.of(FILE, &parts), Trust::Given);
        assert_eq!(all.of("/q/counsel.toml", &parts), Trust::Never);
        for other in [
            vec![Part::shown("counsel.toml", "b\n"), parts[1].clone()],
            vec![parts[0].clone(), Part::hidden("run.sh", b"y")],
            vec![parts[0].clone(), Part::hidden("other.sh", b"x")],
            vec![parts[0].clone()],
            vec![parts[0].clone(), parts[1].clone(), parts[1].clone()],
            vec![],
        ] {
            assert_eq!(all.of(FILE, &other), Trust::Changed, "{other:?}");
        }
    }

    #[test]
    fn what_was_not_kept_is_compared_by_its_digest_alone() {
        let kept = Part::shown("counsel.toml", "a\n");
        let bare = Part { text: None, ..kept.clone() };
        assert_eq!(agreed(&[kept]).of(FILE, &[bare]), Trust::Given);
    }

    #[test]
    fn a_difference_names_lines_and_files() {
        let was = [
            Part::shown("counsel.toml", "one\ntwo\nthree\nfour\nfive\n"),
            Part::hidden("run.sh", b"x"),
            Part::hidden("old.sh", b"x"),
        ];
        let is = [
            Part::shown("counsel.toml", "one\ntwo\nTHREE\nfour\nfive\n"),
            Part::hidden("run.sh", b"y"),
            Part::hidden("new.sh", b"x"),
        ];
        let want = [
            "counsel.toml:",
            "  two",
            "- three",
            "+ THREE",
            "  four",
            "~ run.sh: has changed",
            "+ new.sh: is new",
            "- old.sh: is not used any more",
        ];
        assert_eq!(difference(&was, &is), want);
        assert_eq!(difference(&was, &was), [""; 0]);
    }

    #[test]
    fn a_line_between_two_changes_is_shown_once() {
        let changed = |was, is| difference(&[Part::shown("a", was)], &[Part::shown("a", is)]);
        assert_eq!(
            changed("0\n1\n2\n3\n4\n", "0\nx\n2\ny\n4\n"),
            ["a:", "  0", "- 1", "+ x", "  2", "- 3", "+ y", "  4"]
        );
        assert_eq!(changed("1\n2\n3\n4\n5\n6\n", "2\n3\n4\n5\n6\n7\r\n"), ["a:", "- 1", "  2", "  6", "+ 7"]);
        assert_eq!(changed("", "1"), ["a:", "+ 1"]);
    }

    #[test]
    fn a_file_rewritten_from_end_to_end_is_cut() {
        let lines = |word: &str| (0..500).map(|n| format!("{word} {n}\n")).collect::<String>();
        let (was, is) = (Part::shown("a", &lines("was")), Part::shown("a", &lines("is")));
        let shown = difference(&[was], &[is]);
        assert_eq!(shown.len(), SHOWN_LINES + 2);
        assert_eq!(shown.last().unwrap(), "… and 800 lines more");
    }
}
