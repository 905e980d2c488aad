//! What an agent's keeper holds for the server that comes next, beside what the agent was started from: in what state
//! its people saw it, and by which numbers they know its questions.
//!
//! The machine of lives sends it; a server that takes the agent back begins with it. It says how things are called
//! and since when, and decides nothing: what the agent asks is read from its screen alone.

use serde::{Deserialize, Serialize};

use crate::core::log::log_entry::Entry;
use crate::core::question::{Answer, Circumstances, Fingerprint, Question, State};
use crate::session::message::TypedLine;

/// A program of the server before drew, or is made to, and is judged within this time; who asks meanwhile waits for
/// that. A machine that is busy is given ten times what an idle one needs.
pub const UNSEEN_MS: u64 = 3_000;
/// A question that comes up later than this is not the one that stood there when the server before died.
pub const SAME_QUESTION_MS: u64 = 60_000;

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Remembered {
    /// Where it stands among the others.
    #[serde(default)]
    pub place: u64,
    /// The number by which people know it; 0: an older server gave none.
    #[serde(default)]
    pub number: u16,
    pub state: State,
    /// Since when, in Unix milliseconds.
    pub since_unix_ms: u64,
    pub open: Vec<OpenQuestion>,
    /// It asks for consent, or did until the question went away without a key: what stands there may hide it.
    #[serde(default)]
    pub consent: bool,
    /// A line is being typed into it, behind these words: its echo is no question.
    #[serde(default)]
    pub typed_behind: Option<String>,
    /// What that echo takes at most; 0: no terminal holds it, or an older server told nothing of it.
    #[serde(default)]
    pub typed_columns: usize,
    /// The end of its prompt was wiped away with what was taken back.
    #[serde(default)]
    pub typed_wiped: bool,
    /// What nobody sees may wait in it: a part of an answer, the terminal's reply to a query.
    #[serde(default)]
    pub typed_left: bool,
    /// The file it is recorded to, as somebody asked for.
    #[serde(default)]
    pub recording: Option<String>,
    /// It ends with no other process, though it was started so.
    #[serde(default)]
    pub released: bool,
    /// Its first prompt has not been typed.
    #[serde(default)]
    pub prompt_due: bool,
    /// It was being typed.
    #[serde(default)]
    pub prompt_begun: bool,
    /// The number of this life. None: an older server gave none.
    #[serde(default)]
    pub life_id: Option<u64>,
}

/// A question that was not settled.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OpenQuestion {
    pub id: String,
    pub fingerprint: Fingerprint,
    /// What tells it from the same words asked by the next read, or about something else.
    #[serde(default)]
    pub circumstances: Circumstances,
    /// The question itself, if a line is read for it: whatever is printed there meanwhile, that read is not for.
    #[serde(default)]
    pub read_for: Option<Box<Question>>,
    /// In Unix milliseconds.
    pub asked_at: u64,
    /// Why a person has to answer it, if that was settled: a consultant that has passed it on, or from whom a person has
    /// taken it, is not asked again, and an answer that did not go in is not typed again.
    #[serde(default)]
    pub persons: Option<String>,
    /// What waits for a person's Enter: the consultant whose answer it is is not asked again.
    #[serde(default)]
    pub suggested: Option<Suggestion>,
    /// When the command that calls a person was last run for it, in Unix milliseconds.
    #[serde(default)]
    pub called_unix_ms: Option<u64>,
    /// An answer was being typed: what the next server reads there may hold a part of it.
    #[serde(default)]
    pub typing: bool,
    /// An answer was being given, by whichever way: what the log says of it if the question is gone under the next server.
    #[serde(default)]
    pub unfinished: Option<Box<Entry>>,
    /// It has come to its end, which `unfinished` tells and the log may not.
    #[serde(default)]
    pub ended: bool,
}

impl OpenQuestion {
    /// Whether this question is the one it was.
    pub fn is(&self, question: &Question) -> bool {
        let now = Circumstances::of(&question.origin);
        self.fingerprint == question.fingerprint() && self.circumstances.are_same(&now)
    }

    /// One that has ended, with what the log is to say of it.
    pub fn ended(entry: &Entry, fingerprint: Fingerprint) -> OpenQuestion {
        OpenQuestion {
            id: entry.id.clone(),
            fingerprint,
            circumstances: Circumstances::default(),
            read_for: None,
            asked_at: entry.asked_at,
            persons: None,
            suggested: None,
            called_unix_ms: None,
            typing: false,
            unfinished: Some(Box::new(entry.clone())),
            ended: true,
        }
    }
}

/// A consultant's answer that no person has taken yet.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Suggestion {
    /// The consultant.
    pub by: String,
    pub answer: Answer,
    pub reason: Option<String>,
}

impl Remembered {
    /// What a keeper gave back. Nothing where an older server, or a newer one, wrote it otherwise.
    pub fn of(held: serde_json::Value) -> Option<Remembered> {
        serde_json::from_value(held).ok()
    }

    /// What a keeper holds from the beginning: nothing but that the first prompt is still to be typed.
    pub fn before_it_began(since_unix_ms: u64) -> Remembered {
        Remembered { place: u64::MAX, since_unix_ms, prompt_due: true, ..Remembered::default() }
    }

    /// Nothing but the line that is being typed into it.
    pub fn of_line(line: Option<&TypedLine>) -> Remembered {
        let Some(line) = line else { return Remembered::default() };
        Remembered {
            typed_behind: Some(line.behind.clone()),
            typed_columns: line.columns,
            typed_wiped: line.wiped,
            typed_left: line.left,
            ..Remembered::default()
        }
    }

    /// The line that was being typed into it.
    pub fn typed_line(&self) -> Option<TypedLine> {
        let behind = self.typed_behind.clone()?;
        Some(TypedLine {
            behind,
            columns: self.typed_columns,
            wiped: self.typed_wiped,
            left: self.typed_left,
        })
    }

    /// The same for a server that takes the agent back. Where an answer was being typed, a part of it may wait in the line.
    pub fn line_at_start(&self) -> Option<TypedLine> {
        let typing = self.open.iter().any(|open| open.typing && !open.ended);
        let left = typing.then(|| TypedLine { behind: String::new(), columns: 0, wiped: false, left: true });
        self.typed_line().or(left)
    }

    /// What the line was being read for.
    pub fn read_for(&self) -> Option<Question> {
        self.open.iter().filter(|open| !open.ended).find_map(|open| open.read_for.as_deref().cloned())
    }

    pub fn question(&self, question: &Question) -> Option<&OpenQuestion> {
        self.open.iter().find(|open| !open.ended && open.is(question))
    }

    /// The highest number by which one of its questions goes.
    pub fn last_number(&self) -> u64 {
        self.open.iter().filter_map(|open| number(&open.id)).max().unwrap_or(0)
    }
}

/// The number in the name of a question. None where it is larger than any server gets to: such a name was forged, and
/// the numbers behind it would run out.
pub fn number(id: &str) -> Option<u64> {
    const LARGEST: u64 = 1 << 53;
    id.strip_prefix('q')?.parse().ok().filter(|number| *number < LARGEST)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::detect::witness::{Reader, Wait};
    use crate::core::question::{Kind, Standing};

    fn open(question: &Question) -> OpenQuestion {
        OpenQuestion {
            id: "q7".into(),
            fingerprint: question.fingerprint(),
            circumstances: Circumstances::of(&question.origin),
            read_for: None,
            asked_at: 5,
            persons: None,
            suggested: None,
            called_unix_ms: None,
            typing: false,
            unfinished: None,
            ended: false,
        }
    }

    #[test]
    fn a_forged_number_does_not_use_them_up() {
        assert_eq!((number("q7"), number("7"), number("q-1")), (Some(7), None, None));
        assert_eq!(number("q18446744073709551615"), None);
    }

    /// The answer to a question that had been asked for the read before was kept for the next one, in the same words.
    #[test]
    fn the_same_words_for_another_read_are_another_question() {
        let reads = |sleeps, transferred| {
            let wait =
                Wait { pid: 7, sleeps, transferred: Some(transferred), blocking: true, ..Wait::default() };
            let mut question = Question::new(Kind::YesNo, "Delete it?");
            question.origin.reader = Some(Reader::Reading(wait));
            question
        };
        let asked = reads(3, 100);
        let held = open(&asked);
        assert!(held.is(&asked) && held.is(&reads(4, 100)), "a signal took its program out of its read");
        assert!(!held.is(&reads(4, 120)));
        let mut below = asked.clone();
        let above = |line| [Some(Fingerprint(line)), None, None, None];
        let at = |line| Standing { line: 3, row: 3, above: above(line), resized_ms: 5 };
        below.origin.stands = Some(at(1));
        assert!(held.is(&below), "what stood above it then is not known");
        let held = open(&below);
        below.origin.stands = Some(at(2));
        assert!(!held.is(&below));
    }

    #[test]
    fn what_another_version_wrote_is_nothing() {
        assert_eq!(Remembered::of(serde_json::json!({"state": "dreaming"})), None);
        assert_eq!(Remembered::of(serde_json::Value::Null), None);
        let asked = Question::new(Kind::Text, "Which?");
        let one = open(&asked);
        let held = Remembered {
            prompt_begun: true,
            place: 2,
            number: 4,
            state: State::Asking,
            since_unix_ms: 4,
            consent: true,
            open: vec![one.clone()],
            typed_behind: Some("Name: ".into()),
            typed_columns: 2,
            typed_wiped: true,
            typed_left: true,
            released: true,
            prompt_due: true,
            life_id: Some(41),
            recording: Some("/a.cast".into()),
        };
        let back = Remembered::of(serde_json::to_value(&held).unwrap()).unwrap();
        assert_eq!((back.question(&asked), back.last_number()), (Some(&one), 7));
    }
}
