//! The words of a question in its drawer: as many lines as there is room for, and whether any are left out.
//!
//! `questions.rs` draws them, `drawer.rs` asks whether the person has all of them before their eyes: a digit gives no
//! answer to what is not shown whole.

use crate::dashboard::highlight::proposal;
use crate::dashboard::state::State;
use crate::dashboard::window::prompted_below;
use crate::wire::message::QuestionInfo;

use super::option_rows;
use super::text::wrap;

/// Lines of the words at least, however many options there are.
const LEAST_LINES: usize = 4;
/// Lines that the drawer needs besides words and options: its border, a reason, and what is out of view.
const OTHER_LINES: usize = 6;

/// Of the drawer's border, above and below.
const BORDER_LINES: usize = 2;

/// Lines of a reason or a cause at least, and where there is room for them.
pub const REASON_LINES: (usize, usize) = (3, 10);

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Asked {
    pub prompt: Vec<String>,
    /// What a yes would do.
    pub subject: Vec<String>,
    /// Lines of the prompt for which there is no room: its first ones, since what is asked stands beside the options.
    pub before: usize,
    /// Lines of the subject for which there is none.
    pub behind: usize,
}

impl Asked {
    /// Whether anything of it is left out.
    pub fn cut(&self) -> bool {
        self.before + self.behind > 0
    }
}

/// What is shown of a question in a drawer of at most this many rows.
pub fn asked(question: &QuestionInfo, cols: usize, rows: usize) -> Asked {
    let mut prompt = wrap(&question.prompt, cols.saturating_sub(2));
    let mut subject =
        question.subject.as_ref().map(|subject| wrap(subject, cols.saturating_sub(4))).unwrap_or_default();
    let room = rows.saturating_sub(option_rows::count(question, cols) + OTHER_LINES).max(LEAST_LINES);
    let all = prompt.len() + subject.len();
    // The line that says so takes the place of one.
    let kept = if all > room { room - 1 } else { all };
    subject.truncate(kept.saturating_sub(1).max(1));
    let before = prompt.len().saturating_sub(kept.saturating_sub(subject.len()));
    prompt.drain(..before);
    let behind = all - before - prompt.len() - subject.len();
    Asked { prompt, subject, before, behind }
}

/// Whether the drawer of this question leaves out some of its words, or an option.
pub fn leaves_out(state: &State, question: &QuestionInfo) -> bool {
    let area = state.pane_of(&question.agent).unwrap_or(state.regions().panes);
    let (cols, rows) = (usize::from(area.cols).saturating_sub(2), usize::from(area.rows));
    let asked = asked(question, cols, rows);
    let words = asked.prompt.len() + asked.subject.len() + usize::from(prompted_below(question));
    let options = option_rows::count(question, cols) + usize::from(question.partial);
    // Why something is suggested stands among the options.
    let why = question.note.as_ref().filter(|_| proposal(question).is_some());
    let why = why.map_or(0, |note| wrap(note, reason_cols(cols)).len().min(REASON_LINES.0));
    asked.cut() || words + options + why + BORDER_LINES > rows
}

/// The width of a reason, which is indented.
pub fn reason_cols(cols: usize) -> usize {
    cols.saturating_sub(6)
}

#[cfg(test)]
mod tests {
    use super::*;
    #[test]
    fn what_a_yes_would_do_is_not_cut_off_without_a_word() {
        let words = |count: usize| (0..count).map(|n| format!("word{n:03}")).collect::<Vec<_>>().join(" ");
        let question = |prompt: usize, subject: usize| -> QuestionInfo {
            serde_json::from_value(serde_json::json!({
                "id": "q1", "agent": "api", "kind": "permission", "prompt": words(prompt),
                "subject": (subject > 0).then(|| words(subject)), "options": ["y", "n"], "selected": null,
                "multi": false, "asked_at": 0.0, "deadline_at": null, "status": "escalated", "route": "human",
                "sources": [],
            }))
            .unwrap()
        };
        let shown = |prompt, subject, rows| {
            let asked = asked(&question(prompt, subject), 42, rows);
            (asked.prompt.len(), asked.subject.len(), asked.before + asked.behind)
        };
        assert_eq!(shown(25, 0, 24), (5, 0, 0), "there is room for all of it");
        assert_eq!(shown(50, 0, 14), (5, 0, 5));
        assert_eq!(shown(5, 8, 24), (1, 2, 0));
        assert_eq!(shown(50, 8, 14), (3, 2, 7), "the command is shown before the words about it");
        assert_eq!(shown(50, 50, 8), (1, 2, 20));
        // What is asked stands at the end, beside the options.
        let long = asked(&question(50, 0), 42, 14);
        assert!(long.before == 5 && long.prompt.last().is_some_and(|line| line.ends_with("word049")));
    }
}
