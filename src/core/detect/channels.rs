//! What the other channels say of the verdict on a screen: the program's status reports, its title.
//!
//! `core/detect/watch.rs` explains with it, the hub weighs with it what may be typed. It holds the signals of those
//! channels against the screen's verdict and never makes a question of them: what is not on the screen is not
//! answered, whoever tells of it.

use serde::{Deserialize, Serialize};

use crate::core::detect::Snapshot;
use crate::core::detect::witness::Witness;
use crate::core::profile::{Place, Profile, SignState};
use crate::core::question::{Kind, Needs, Question, State, Verdict};
use crate::core::terminal::program_status::ProgramStatus;

/// How a channel stands to what the screen shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Agreement {
    /// It tells of this very question.
    Agrees,
    /// It tells nothing that the screen could be held against.
    Silent,
    /// Both cannot be true, unless one is late.
    Contradicts,
}

/// What one channel signals.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Signal {
    pub channel: &'static str,
    #[serde(rename = "stand")]
    pub agreement: Agreement,
    pub detail: String,
}

/// How far a question is believed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Trust {
    /// A channel contradicts: a person looks at it before anything is typed.
    Low,
    /// The screen alone tells of it. Most programs have no other channel.
    #[default]
    Normal,
    /// Another channel tells of it too.
    High,
}

impl Trust {
    pub fn of(signals: &[Signal]) -> Trust {
        let stands = |agreement| signals.iter().any(|signal| signal.agreement == agreement);
        // A hook tells the very words of the question; what merely names a state is not held against that.
        let by_hook =
            signals.iter().any(|signal| signal.channel == "hook" && signal.agreement == Agreement::Agrees);
        match () {
            () if stands(Agreement::Contradicts) && !by_hook => Trust::Low,
            () if stands(Agreement::Agrees) => Trust::High,
            () => Trust::Normal,
        }
    }

    pub fn name(self) -> &'static str {
        match self {
            Trust::Low => "low",
            Trust::Normal => "normal",
            Trust::High => "high",
        }
    }
}

/// What report and title say of this verdict; one signal of each that says anything at all.
pub fn signals(profile: &Profile, snapshot: &Snapshot, verdict: &Verdict) -> Vec<Signal> {
    if matches!(verdict.state, State::Exited | State::Paused) {
        // The last word of a program that has gone is no news of whatever runs there now.
        return Vec::new();
    }
    let tty = snapshot.witness.filter(|_| verdict.needs != Needs::Nothing);
    let tty = tty.map(|witness| of_tty(witness, verdict));
    let status = snapshot.status.map(|status| of_status(status, verdict));
    let title = of_title(profile, snapshot.title, verdict);
    tty.into_iter().chain(status).chain(title).collect()
}

/// The first contradiction among what was heard.
pub fn contradiction(signals: &[Signal]) -> Option<&Signal> {
    signals.iter().find(|signal| signal.agreement == Agreement::Contradicts)
}

/// Who reads has been weighed with the verdict already, and nothing is left to contradict.
fn of_tty(witness: &Witness, verdict: &Verdict) -> Signal {
    let agrees = verdict.question.is_some() && witness.wait().is_some();
    let agreement = if agrees { Agreement::Agrees } else { Agreement::Silent };
    Signal { channel: "tty", agreement, detail: witness.to_string() }
}

fn of_status(status: &ProgramStatus, verdict: &Verdict) -> Signal {
    let kind = status.kind.as_deref();
    let said = match kind {
        Some(kind) => format!("reports {:?} ({kind})", status.state),
        None => format!("reports {:?}", status.state),
    };
    let signal =
        |agreement, rest: &str| Signal { channel: "status", agreement, detail: format!("{said}{rest}") };
    let asked = verdict.question.as_ref();
    match (status.state.as_str(), asked) {
        ("blocked", None) => signal(Agreement::Contradicts, ", but no question is seen on the screen"),
        ("blocked", Some(question)) => match blocked_by(kind, question.kind) {
            Agreement::Contradicts => {
                let name = question.kind.name();
                signal(Agreement::Contradicts, &format!(", but the screen shows a question of kind {name}"))
            }
            agreement => signal(agreement, ""),
        },
        ("working", Some(question)) if !unreported(question) => {
            signal(Agreement::Contradicts, ", but the screen shows a question")
        }
        // Whoever reports its state reports that it is held up. "idle" and "done" stay behind plans, which are offered when a
        // turn has ended, and behind questions in words, which end one.
        ("idle" | "done", Some(question)) if !unreported(question) && !ends_a_turn(question) => {
            signal(Agreement::Contradicts, ", but the screen shows a question")
        }
        _ => signal(Agreement::Silent, ""),
    }
}

/// Whether the kind a program reports can be the kind that the screen shows.
fn blocked_by(reported: Option<&str>, shown: Kind) -> Agreement {
    match (reported, shown) {
        // A question in words is no dialog: the program waits in one that is not seen.
        (_, Kind::Text) => Agreement::Contradicts,
        // Programs report plans and trust as permissions too. Taken for a mere choice, a permission would go to
        // a consultant.
        (Some("permission"), Kind::Menu | Kind::Multi | Kind::Review) => Agreement::Contradicts,
        (Some("question"), Kind::Permission) => Agreement::Contradicts,
        // Some name no kind; boxes of the program's own have none.
        (_, Kind::Dialog | Kind::Login | Kind::Password) => Agreement::Silent,
        _ => Agreement::Agrees,
    }
}

/// Dialogs that people open themselves, at any time, and those from before a program reports anything.
fn unreported(question: &Question) -> bool {
    matches!(question.kind, Kind::Dialog | Kind::Trust | Kind::Login | Kind::Password)
}

/// What is asked once a turn has ended.
fn ends_a_turn(question: &Question) -> bool {
    matches!(question.kind, Kind::Plan | Kind::Text)
}

fn of_title(profile: &Profile, title: &str, verdict: &Verdict) -> Option<Signal> {
    let signal = |agreement, detail: &str| {
        Some(Signal { channel: "title", agreement, detail: format!("{title:?}{detail}") })
    };
    if profile.title.asking.as_ref().is_some_and(|asking| asking.is_match(title)) {
        return match &verdict.question {
            Some(question) if question.kind != Kind::Text => signal(Agreement::Agrees, " asks"),
            Some(_) => signal(Agreement::Contradicts, " asks, but the screen shows no dialog"),
            None => signal(Agreement::Contradicts, " asks, but no question is seen on the screen"),
        };
    }
    let works = |at: Place, state: SignState| at == Place::Title && state == SignState::Working;
    let mut signs = profile.sign.iter().filter(|sign| works(sign.at, sign.state));
    if !signs.any(|sign| sign.pattern.is_match(title)) {
        return None;
    }
    match &verdict.question {
        Some(question) if !unreported(question) => {
            signal(Agreement::Contradicts, " tells of work, but the screen shows a question")
        }
        _ => signal(Agreement::Silent, " tells of work"),
    }
}

#[cfg(test)]
#[path = "channels_tests.rs"]
mod tests;
