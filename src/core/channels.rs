//! What the other channels say of the verdict on a screen: the program's status reports, its title.
//!
//! `core/watch.rs` explains with it, the hub weighs with it what may be typed. It holds the words of those
//! channels against the screen's verdict and never makes a question of them: what is not on the screen is not
//! answered, whoever tells of it.

use serde::{Deserialize, Serialize};

use super::detect::Look;
use super::profile::{Place, Profile, SignState};
use super::question::{Kind, Question, State, Verdict};
use super::tee::ProgramStatus;

/// How a channel stands to what the screen shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Stand {
    /// It tells of this very question.
    Agrees,
    /// It tells nothing that the screen could be held against.
    Silent,
    /// Both cannot be true, unless one is late.
    Contradicts,
}

/// What one channel says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Word {
    pub channel: &'static str,
    pub stand: Stand,
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
    pub fn of(words: &[Word]) -> Trust {
        let stands = |stand| words.iter().any(|word| word.stand == stand);
        // A hook tells the very words of the question; what merely names a state is not held against that.
        let by_hook = words.iter().any(|word| word.channel == "hook" && word.stand == Stand::Agrees);
        match () {
            () if stands(Stand::Contradicts) && !by_hook => Trust::Low,
            () if stands(Stand::Agrees) => Trust::High,
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

/// What report and title say of this verdict; one word of each that says anything at all.
pub fn hear(profile: &Profile, look: &Look, verdict: &Verdict) -> Vec<Word> {
    if matches!(verdict.state, State::Exited | State::Paused) {
        // The last word of a program that has gone is no news of whatever runs there now.
        return Vec::new();
    }
    let status = look.status.map(|status| of_status(status, verdict));
    let title = of_title(profile, look.title, verdict);
    status.into_iter().chain(title).collect()
}

/// The first contradiction among what was heard.
pub fn contradiction(words: &[Word]) -> Option<&Word> {
    words.iter().find(|word| word.stand == Stand::Contradicts)
}

fn of_status(status: &ProgramStatus, verdict: &Verdict) -> Word {
    let kind = status.kind.as_deref();
    let said = match kind {
        Some(kind) => format!("reports {:?} ({kind})", status.state),
        None => format!("reports {:?}", status.state),
    };
    let word = |stand, rest: &str| Word { channel: "status", stand, detail: format!("{said}{rest}") };
    let asked = verdict.question.as_ref();
    match (status.state.as_str(), asked) {
        ("blocked", None) => word(Stand::Contradicts, ", but no question is seen on the screen"),
        ("blocked", Some(question)) => match blocked_by(kind, question.kind) {
            Stand::Contradicts => {
                let name = question.kind.name();
                word(Stand::Contradicts, &format!(", but the screen shows a question of kind {name}"))
            }
            stand => word(stand, ""),
        },
        ("working", Some(question)) if !unreported(question) => {
            word(Stand::Contradicts, ", but the screen shows a question")
        }
        // Not every dialog is reported: "idle" and "done" stay behind some that wait.
        _ => word(Stand::Silent, ""),
    }
}

/// Whether the kind a program reports can be the kind that the screen shows.
fn blocked_by(reported: Option<&str>, shown: Kind) -> Stand {
    match (reported, shown) {
        // A question in words is no dialog: the program waits in one that is not seen.
        (_, Kind::Text) => Stand::Contradicts,
        // Programs report plans and trust as permissions too. Taken for a mere choice, a permission would go to
        // a consultant.
        (Some("permission"), Kind::Menu | Kind::Multi | Kind::Review) => Stand::Contradicts,
        (Some("question"), Kind::Permission) => Stand::Contradicts,
        // Some name no kind; boxes of the program's own have none.
        (_, Kind::Dialog | Kind::Login | Kind::Password) => Stand::Silent,
        _ => Stand::Agrees,
    }
}

/// Dialogs that people open themselves, at any time, and those from before a program reports anything.
fn unreported(question: &Question) -> bool {
    matches!(question.kind, Kind::Dialog | Kind::Trust | Kind::Login | Kind::Password)
}

fn of_title(profile: &Profile, title: &str, verdict: &Verdict) -> Option<Word> {
    let word =
        |stand, detail: &str| Some(Word { channel: "title", stand, detail: format!("{title:?}{detail}") });
    if profile.title.asking.as_ref().is_some_and(|asking| asking.is_match(title)) {
        return match &verdict.question {
            Some(question) if question.kind != Kind::Text => word(Stand::Agrees, " asks"),
            Some(_) => word(Stand::Contradicts, " asks, but the screen shows no dialog"),
            None => word(Stand::Contradicts, " asks, but no question is seen on the screen"),
        };
    }
    let works = |at: Place, state: SignState| at == Place::Title && state == SignState::Working;
    let mut signs = profile.sign.iter().filter(|sign| works(sign.at, sign.state));
    if !signs.any(|sign| sign.pattern.is_match(title)) {
        return None;
    }
    match &verdict.question {
        Some(question) if !unreported(question) => {
            word(Stand::Contradicts, " tells of work, but the screen shows a question")
        }
        _ => word(Stand::Silent, " tells of work"),
    }
}

#[cfg(test)]
#[path = "channels_tests.rs"]
mod tests;
