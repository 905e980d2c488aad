//! Compares verdicts with labels: how good detection is, in numbers.
//!
//! `cli/profile.rs` and the tests of detection call it with a recording's labels. What is not on
//! the screen is not asked for: rows scrolled out of view, and the cut top of a long prompt.

use serde::{Deserialize, Serialize};

use crate::core::question::{Question, State, Verdict};

/// The labels of one recording.
#[derive(Debug, Clone, Deserialize)]
pub struct Labels {
    #[serde(default)]
    pub agent: String,
    #[serde(default)]
    pub version: String,
    pub checkpoints: Vec<Checkpoint>,
}

/// What a screen shows at a time.
#[derive(Debug, Clone, Deserialize)]
pub struct Checkpoint {
    pub t: f64,
    pub state: State,
    #[serde(default)]
    pub question: Option<Asked>,
}

/// The question as labelled.
#[derive(Debug, Clone, Deserialize)]
pub struct Asked {
    pub kind: crate::core::question::Kind,
    pub prompt: String,
    #[serde(default)]
    pub options: Vec<String>,
    #[serde(default)]
    pub selected: Option<usize>,
    #[serde(default)]
    pub checked: Vec<Option<bool>>,
    /// Indices of the options on screen, if not all are.
    #[serde(default)]
    pub visible: Option<Vec<usize>>,
}

/// The score of some checkpoints.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct Score {
    pub checkpoints: usize,
    pub exact: usize,
    /// Checkpoints with a question, and those of them where one was found.
    pub asked: usize,
    pub found: usize,
    /// Questions reported where there is none.
    pub invented: usize,
}

impl Score {
    pub fn add(&mut self, checkpoint: &Checkpoint, verdict: &Verdict) -> Vec<String> {
        let misses = misses(checkpoint, verdict);
        self.checkpoints += 1;
        self.exact += usize::from(misses.is_empty());
        self.asked += usize::from(checkpoint.question.is_some());
        self.found += usize::from(checkpoint.question.is_some() && verdict.question.is_some());
        self.invented += usize::from(checkpoint.question.is_none() && verdict.question.is_some());
        misses
    }

    pub fn merge(&mut self, other: &Score) {
        self.checkpoints += other.checkpoints;
        self.exact += other.exact;
        self.asked += other.asked;
        self.found += other.found;
        self.invented += other.invented;
    }

    pub fn exactness(&self) -> f64 {
        share(self.exact, self.checkpoints)
    }

    pub fn recall(&self) -> f64 {
        share(self.found, self.asked)
    }

    pub fn precision(&self) -> f64 {
        share(self.found, self.found + self.invented)
    }
}

/// A share in percent; of nothing, all.
fn share(part: usize, whole: usize) -> f64 {
    if whole == 0 { 100.0 } else { part as f64 * 100.0 / whole as f64 }
}

/// What differs, in words; nothing if the verdict is exact.
pub fn misses(checkpoint: &Checkpoint, verdict: &Verdict) -> Vec<String> {
    let mut misses = Vec::new();
    if checkpoint.state != verdict.state {
        misses.push(format!("state {} for {}", verdict.state.name(), checkpoint.state.name()));
    }
    match (&checkpoint.question, &verdict.question) {
        (None, None) => {}
        (None, Some(found)) => misses.push(format!("invented {} {:?}", found.kind.name(), found.prompt)),
        (Some(asked), None) => misses.push(format!("missed {} {:?}", asked.kind.name(), asked.prompt)),
        (Some(asked), Some(found)) => compare(asked, found, &mut misses),
    }
    misses
}

fn compare(asked: &Asked, found: &Question, misses: &mut Vec<String>) {
    if asked.kind != found.kind {
        misses.push(format!("kind {} for {}", found.kind.name(), asked.kind.name()));
    }
    let cut = found.partial && !found.prompt.is_empty() && asked.prompt.ends_with(&found.prompt);
    if asked.prompt != found.prompt && !cut {
        misses.push(format!("prompt {:?} for {:?}", found.prompt, asked.prompt));
    }
    let visible: Vec<usize> = asked.visible.clone().unwrap_or_else(|| (0..asked.options.len()).collect());
    let options: Vec<&str> =
        visible.iter().filter_map(|&at| asked.options.get(at).map(String::as_str)).collect();
    if options != found.labels() {
        misses.push(format!("options {:?} for {options:?}", found.labels()));
    }
    let selected = asked.selected.and_then(|at| visible.iter().position(|&shown| shown == at));
    if selected != found.selected {
        misses.push(format!("selected {:?} for {selected:?}", found.selected));
    }
    let checked: Vec<Option<bool>> =
        visible.iter().filter_map(|&at| asked.checked.get(at).copied()).collect();
    if checked != found.checked() {
        misses.push(format!("checked {:?} for {checked:?}", found.checked()));
    }
}
