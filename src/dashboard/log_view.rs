//! The decision log in the dashboard: every question and how it ended, each stepped through to its proof.
//!
//! `overlays.rs` gives it keys, `view/log.rs` draws it; the command line reads the file. Pure.

use crate::core::keymap::Action;
use crate::core::terminal::keys::KeyPress;

use super::edit::Edit;

/// Lines a page key goes on by; less than a page on every screen that shows one.
const PAGE: usize = 10;

/// A question that was settled. All of it is fit for a terminal.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Decision {
    pub agent: String,
    /// Unix time.
    pub asked_ms: u64,
    /// When it ended: the order of the log.
    pub settled_ms: u64,
    pub prompt: String,
    /// How it ended.
    pub outcome: String,
    pub answer: String,
    /// Who decided, and how it was told: "consultant advisor, keys".
    pub by: String,
    pub steps: Vec<Step>,
}

/// One thing that is known of how it was decided.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Step {
    pub at_ms: u64,
    pub what: String,
    pub text: String,
}

/// The log as it is looked at.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LogView {
    /// The newest first; `None`: it is being read.
    pub decisions: Option<Vec<Decision>>,
    /// Why it cannot be read.
    pub fault: Option<String>,
    /// Narrows the list to what has these words.
    pub search: Edit,
    pub row: usize,
    /// The question from which it was opened.
    pub back: Option<String>,
    /// The step looked at, and its first line shown.
    pub step: Option<(usize, usize)>,
}

impl LogView {
    /// What was decided before for this agent; closed, it leads back to the question of this id.
    pub fn leading_back(agent: &str, id: &str) -> LogView {
        LogView { search: Edit::new(agent), back: Some(id.to_owned()), ..LogView::default() }
    }

    /// Those that have all words looked for.
    pub fn found(&self) -> Vec<&Decision> {
        let words: Vec<String> = self.search.text.split_whitespace().map(str::to_lowercase).collect();
        let has = |decision: &&Decision| {
            let Decision { agent, prompt, outcome, answer, by, .. } = *decision;
            let all = format!("{agent} {prompt} {outcome} {answer} {by}").to_lowercase();
            words.iter().all(|word| all.contains(word))
        };
        self.decisions.iter().flatten().filter(has).collect()
    }

    pub fn chosen(&self) -> Option<&Decision> {
        self.found().get(self.row).copied()
    }

    fn go(&mut self, by: isize) {
        let last = self.found().len().saturating_sub(1);
        self.row = self.row.saturating_add_signed(by).min(last);
    }

    fn go_to_step(&mut self, by: isize) {
        let last = self.chosen().map_or(0, |decision| decision.steps.len().saturating_sub(1));
        if let Some((at, _)) = self.step {
            self.step = Some((at.saturating_add_signed(by).min(last), 0));
        }
    }

    fn scroll(&mut self, by: isize) {
        let lines = |(at, _): (usize, usize)| Some(self.chosen()?.steps.get(at)?.text.lines().count());
        let last = self.step.and_then(lines).unwrap_or(0).saturating_sub(1);
        if let Some((_, top)) = &mut self.step {
            *top = top.saturating_add_signed(by).min(last);
        }
    }

    /// A key over it, and what it does there; `true`: it is to be closed.
    pub fn key(&mut self, action: Option<Action>, press: KeyPress) -> bool {
        if self.step.is_some() {
            self.step_key(action);
            return false;
        }
        match action {
            Some(Action::Close) if self.search.text.is_empty() => return true,
            Some(Action::Close) => (self.search, self.row) = (Edit::default(), 0),
            Some(Action::Give) if self.chosen().is_some() => self.step = Some((0, 0)),
            Some(Action::RowDown) => self.go(1),
            Some(Action::RowUp) => self.go(-1),
            Some(Action::PageDown) => self.go(PAGE as isize),
            Some(Action::PageUp) => self.go(-(PAGE as isize)),
            Some(Action::Top) => self.row = 0,
            Some(Action::Bottom) => self.go(isize::MAX),
            _ => {
                if self.search.key(press) {
                    self.row = 0;
                }
            }
        }
        false
    }

    fn step_key(&mut self, action: Option<Action>) {
        match action {
            Some(Action::Close) => self.step = None,
            Some(Action::NextStep) => self.go_to_step(1),
            Some(Action::PreviousStep) => self.go_to_step(-1),
            Some(Action::RowDown) => self.scroll(1),
            Some(Action::RowUp) => self.scroll(-1),
            Some(Action::PageDown) => self.scroll(PAGE as isize),
            Some(Action::PageUp) => self.scroll(-(PAGE as isize)),
            _ => {}
        }
    }

    pub fn wheel(&mut self, up: bool, lines: usize) {
        let by = if up { -(lines as isize) } else { lines as isize };
        if self.step.is_some() { self.scroll(by) } else { self.go(by) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::keymap::{Context, Keymap};

    fn decision(agent: &str, prompt: &str, steps: &[&str]) -> Decision {
        let steps = steps.iter().map(|what| Step { what: (*what).into(), ..Step::default() }).collect();
        Decision { agent: agent.into(), prompt: prompt.into(), steps, ..Decision::default() }
    }

    #[test]
    fn the_log_is_searched_and_stepped_through() {
        let steps = ["seen", "answer", "proof"];
        let all = vec![decision("api", "Which database?", &steps), decision("web", "Which colour?", &steps)];
        let mut view = LogView { decisions: Some(all), ..LogView::default() };
        let keymap = Keymap::standard(KeyPress::ctrl('a'));
        let mut press = |keys: &str| {
            for press in keys.split(' ').map(|word| KeyPress::parse(word).unwrap()) {
                let context = if view.step.is_some() { Context::Steps } else { Context::Log };
                if view.key(keymap.action(context, press), press) {
                    return None;
                }
            }
            let at = view.step.and_then(|(at, _)| Some(view.chosen()?.steps.get(at)?.what.clone()));
            Some((
                view.chosen().map(|decision| decision.agent.clone()).unwrap_or_default(),
                at.unwrap_or_default(),
            ))
        };
        let shown = |agent: &str, step: &str| Some((agent.to_owned(), step.to_owned()));
        assert_eq!(press("down"), shown("web", ""));
        assert_eq!(press("d a t a"), shown("api", ""), "typed words narrow the list");
        assert_eq!(press("enter"), shown("api", "seen"));
        assert_eq!(press("right right right"), shown("api", "proof"), "there is nothing behind the proof");
        assert_eq!(press("left"), shown("api", "answer"));
        assert_eq!(press("esc"), shown("api", ""));
        assert_eq!(press("esc down"), shown("web", ""), "without the words all are there again");
        assert_eq!(press("esc"), None);
    }
}
