//! Words several views share: what somebody asks, who is at it, how long, how much longer.
//!
//! What a person reads first says who needs them and why; no name of the product's own inside is among it.

use unicode_width::UnicodeWidthStr;

use crate::core::agent::AgentInfo;
use crate::core::question::{Kind, State as AgentState};
use crate::dashboard::agent::Agent;
use crate::dashboard::look::Part;
use crate::dashboard::state::{State, needs_person};
use crate::dashboard::window::line_above;
use crate::wire::message::{QuestionInfo, Status};

use super::text::{fit, fit_end};

/// In columns: a sentence or two. What is longer begins with something else, and ends with what is asked.
const LONGEST: usize = 160;
/// With less time than this a countdown is shown as urgent.
const URGENT_SECS: u64 = 10;

/// How long, in the largest unit; below a minute it does not matter how long, and nothing is drawn again for
/// a second that has passed.
pub fn age(seconds: f64) -> String {
    let seconds = seconds.clamp(0.0, 1e12) as u64;
    match seconds {
        0..60 => "<1m".into(),
        60..3_600 => format!("{}m", seconds / 60),
        3_600..86_400 => format!("{}h", seconds / 3_600),
        _ => format!("{}d", seconds / 86_400),
    }
}

/// How long the agent has been in its state.
pub fn age_of(state: &State, agent: &Agent) -> String {
    age(now(state) - agent.info.since)
}

fn now(state: &State) -> f64 {
    state.now_ms as f64 / 1000.0
}

/// What is left until a question goes to a person, while somebody else is to answer it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Countdown {
    pub left: u64,
    /// From the asking to the deadline.
    pub of: u64,
}

impl Countdown {
    pub fn words(self) -> String {
        match self.left {
            0..100 => format!("{}s", self.left),
            left => format!("{}m", left / 60),
        }
    }

    /// As much of `cols` columns as there is time left.
    pub fn bar(self, cols: usize) -> String {
        let filled = (self.left as usize * cols).div_ceil(self.of.max(1) as usize).min(cols);
        format!("{}{}", "━".repeat(filled), "╌".repeat(cols - filled))
    }

    pub fn part(self) -> Part {
        if self.left < URGENT_SECS { Part::Urgent } else { Part::Consulting }
    }
}

pub fn countdown(state: &State, question: &QuestionInfo) -> Option<Countdown> {
    let deadline = question.deadline_at?;
    let running = match question.status {
        Status::Open | Status::Consulting | Status::Proposed | Status::Answering => true,
        Status::Escalated | Status::Answered | Status::Withdrawn => false,
    };
    let whole = |seconds: f64| seconds.ceil().clamp(0.0, 1e9) as u64;
    let (left, of) = (whole(deadline - now(state)), whole(deadline - question.asked_at));
    running.then_some(Countdown { left, of })
}

/// What sort of thing an agent wants, as a person would say it.
pub fn asks(kind: Kind) -> &'static str {
    match kind {
        Kind::Menu | Kind::Multi | Kind::Text => "asks",
        Kind::Review => "asks to confirm its answers",
        Kind::Permission => "asks permission",
        Kind::Plan => "asks to approve a plan",
        Kind::Trust => "asks to trust a folder",
        Kind::Login => "asks you to log in",
        Kind::YesNo => "asks yes or no",
        Kind::Password => "asks for a password",
        Kind::Dialog => "shows a dialog",
    }
}

/// What it is about, in at most so many columns: what a yes would do, else its words.
pub fn subject(state: &State, question: &QuestionInfo, cols: usize) -> String {
    let above = state.agent(&question.agent).and_then(|agent| line_above(&agent.grid, question));
    match question.subject.as_deref().or(above.as_deref()) {
        Some(subject) => fit(subject, cols),
        None => asked(&question.prompt, cols),
    }
}

/// The words of a question, in at most so many columns: of long ones their end, where it is asked.
pub fn asked(prompt: &str, cols: usize) -> String {
    if prompt.width() > LONGEST { fit_end(prompt, cols) } else { fit(prompt, cols) }
}

/// Where a question stands, in a few words.
pub fn standing(question: &QuestionInfo) -> String {
    let route = &question.route;
    match question.status {
        Status::Proposed => {
            let answer = question.answer.as_deref().unwrap_or_default();
            format!("{route} suggests {answer}")
        }
        _ if needs_person(question) => "needs you".into(),
        Status::Open => format!("goes to {route}"),
        Status::Consulting => format!("{route} is thinking"),
        Status::Answering => "is being answered".into(),
        Status::Answered => "answered".into(),
        Status::Withdrawn => "withdrawn".into(),
        Status::Escalated => "needs you".into(),
    }
}

/// Who is at it, where there is room for little more than a name.
pub fn whose(question: &QuestionInfo) -> String {
    match question.status {
        Status::Proposed => "suggestion".into(),
        _ if needs_person(question) => wants(question.kind).into(),
        Status::Answering => "answering".into(),
        _ => question.route.clone(),
    }
}

/// What it needs the person for, in a word or two.
fn wants(kind: Kind) -> &'static str {
    match kind {
        Kind::Menu | Kind::Multi | Kind::Text | Kind::Dialog => "needs you",
        Kind::Review => "to confirm",
        Kind::Permission => "permission",
        Kind::Plan => "a plan",
        Kind::Trust => "trust",
        Kind::Login => "log in",
        Kind::YesNo => "yes or no",
        Kind::Password => "password",
    }
}

/// The part of the look that goes with where a question stands.
pub fn standing_part(question: &QuestionInfo) -> Part {
    match question.status {
        Status::Proposed => Part::Suggested,
        _ if needs_person(question) => Part::Needed,
        Status::Open | Status::Consulting => Part::Consulting,
        Status::Answering | Status::Answered => Part::Done,
        Status::Escalated => Part::Needed,
        Status::Withdrawn => Part::Quiet,
    }
}

/// What an agent is doing, in one word.
pub fn doing(agent: &Agent) -> &'static str {
    match agent.info.state {
        _ if agent.failed() => "failed",
        AgentState::Asking => "asks",
        AgentState::Idle if agent.unseen => "done",
        AgentState::Exited => "ended",
        AgentState::Starting
        | AgentState::Working
        | AgentState::Idle
        | AgentState::Unknown
        | AgentState::Paused => agent.info.state_word(),
    }
}

/// The same, and for a program that has ended, how.
pub fn state_words(agent: &Agent) -> String {
    let AgentInfo { state, exit_code, memory_kib, .. } = &agent.info;
    match (state, exit_code, memory_kib) {
        _ if agent.failed() => "not started".into(),
        (AgentState::Exited, Some(0), _) => "ended".into(),
        (AgentState::Exited, Some(code), _) => format!("ended with {code}"),
        (AgentState::Paused, _, Some(kib)) => format!("paused, {} MiB", kib / 1024),
        _ => doing(agent).into(),
    }
}

/// Every state has a mark of its own, so that nothing is told by colour alone.
pub fn mark(agent: &Agent) -> &'static str {
    match agent.info.state {
        _ if agent.failed() => "✗",
        AgentState::Starting => "◌",
        AgentState::Working => "●",
        AgentState::Idle if agent.unseen => "◉",
        AgentState::Idle => "○",
        AgentState::Asking => "◆",
        AgentState::Exited if agent.info.exit_code == Some(0) => "✓",
        AgentState::Exited => "✗",
        AgentState::Unknown if agent.info.undescribed() => "▪",
        AgentState::Unknown => "?",
        AgentState::Paused => "‖",
    }
}

pub fn part(agent: &Agent) -> Part {
    match agent.info.state {
        _ if agent.failed() => Part::Failed,
        AgentState::Starting => Part::Quiet,
        AgentState::Working => Part::Working,
        AgentState::Idle if agent.unseen => Part::Done,
        AgentState::Idle => Part::Idle,
        AgentState::Asking => Part::Needed,
        AgentState::Exited if agent.info.exit_code == Some(0) => Part::Quiet,
        AgentState::Exited => Part::Failed,
        AgentState::Unknown if agent.info.undescribed() => Part::Idle,
        AgentState::Unknown => Part::Unknown,
        AgentState::Paused => Part::Paused,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_read_shortly() {
        for (seconds, text) in
            [(-5.0, "<1m"), (59.9, "<1m"), (60.0, "1m"), (7_300.0, "2h"), (90_000.0, "1d"), (f64::NAN, "<1m")]
        {
            assert_eq!(age(seconds), text);
        }
    }

    #[test]
    fn a_bar_is_as_long_as_the_time_left() {
        let bar = |left| Countdown { left, of: 55 }.bar(5);
        assert_eq!(bar(55), "━━━━━");
        assert_eq!(bar(30), "━━━╌╌");
        assert_eq!(bar(1), "━╌╌╌╌", "never empty before the time is up");
        assert_eq!(bar(0), "╌╌╌╌╌");
        assert_eq!(bar(900), "━━━━━");
        assert_eq!(Countdown { left: 9, of: 55 }.part(), Part::Urgent);
    }
}
