//! One line of the doctor's report, and what the checks read of programs' own words.
//!
//! Each check makes some, `doctor.rs` prints them.

use serde::Serialize;

/// How bad it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    Ok,
    Warn,
    Fail,
}

/// One line of the report.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Finding {
    pub level: Level,
    pub check: &'static str,
    pub what: String,
    pub mend: Option<String>,
}

impl Finding {
    pub fn ok(check: &'static str, what: impl Into<String>) -> Finding {
        Finding { level: Level::Ok, check, what: what.into(), mend: None }
    }

    pub fn warn(check: &'static str, what: impl Into<String>, mend: impl Into<String>) -> Finding {
        Finding { level: Level::Warn, check, what: what.into(), mend: Some(mend.into()) }
    }

    pub fn fail(check: &'static str, what: impl Into<String>, mend: impl Into<String>) -> Finding {
        Finding { level: Level::Fail, check, what: what.into(), mend: Some(mend.into()) }
    }

    pub fn line(&self) -> String {
        let level = match self.level {
            Level::Ok => "ok  ",
            Level::Warn => "warn",
            Level::Fail => "fail",
        };
        let mend = self.mend.as_ref().map(|mend| format!("  [{mend}]")).unwrap_or_default();
        format!("{level}  {}: {}{mend}", self.check, self.what)
    }
}

/// A variable that says something; an empty one says nothing.
pub fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

/// The first version number in a program's own words: `codex-cli 0.169.0` is 0.169.0.
pub fn version_in(words: &str) -> Option<Vec<u32>> {
    let numbers = |word: &str| -> Option<Vec<u32>> {
        let word = word.trim_start_matches(['v', '(', '@']).trim_end_matches(['.', ',', ')']);
        // What follows the numbers is a build or a letter: 3.3a, 1.0-beta.
        let end = word.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(word.len());
        let parts: Option<Vec<u32>> = word[..end].split('.').map(|part| part.parse().ok()).collect();
        parts.filter(|parts| parts.len() > 1)
    };
    words.split_whitespace().find_map(numbers)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_found_in_what_programs_say() {
        for (words, version) in [
            ("2.1.329 (Claude Code)", Some(vec![2, 1, 329])),
            ("codex-cli 0.169.0\n", Some(vec![0, 169, 0])),
            ("tmux 3.3a", Some(vec![3, 3])),
            ("GitHub Copilot CLI v1.0.102.", Some(vec![1, 0, 102])),
            ("tmux next-3.5", None),
            ("aider 2 things", None),
            ("", None),
        ] {
            assert_eq!(version_in(words), version, "{words}");
        }
    }

    #[test]
    fn a_line_has_level_matter_and_mend() {
        assert_eq!(Finding::ok("tmux", "3.3a").line(), "ok    tmux: 3.3a");
        assert_eq!(Finding::warn("tmux", "3.1", "install 3.2").line(), "warn  tmux: 3.1  [install 3.2]");
    }
}
