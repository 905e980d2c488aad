//! One question of a form, as a hook told it, beside what the screen shows of it and what an answer to it means.
//!
//! The screen may have wrapped it, cut its labels, or show a part of it. Nothing here decides who answers.

use crate::core::question::normalize::{normalize, squeezed};
use crate::core::question::{Answer, Choice, Kind, Question, Role};

/// A label that a narrow screen cut off still tells which one it is, with so many characters of it.
const TELLING: usize = 12;
/// The row of one's own words as the programs name it: it is theirs, so no hook tells of it.
const OWN_WORDS: &str = "Type something.";

/// One question of a form, as the program got it from its model: exact, nothing wrapped or cut.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Asked {
    pub prompt: String,
    pub multi: bool,
    /// Labels and descriptions.
    pub options: Vec<(String, String)>,
}

impl Asked {
    /// The question as a screen would show it at its best; `at` its place in a form of so many.
    pub fn question(&self, at: usize, of: usize) -> Question {
        let checked = self.multi.then_some(false);
        let row = |(index, (label, description)): (usize, &(String, String))| Choice {
            label: label.clone(),
            description: description.clone(),
            number: u32::try_from(index + 1).ok(),
            checked,
            ..Choice::default()
        };
        let mut options: Vec<Choice> = self.options.iter().enumerate().map(row).collect();
        options.push(Choice {
            label: OWN_WORDS.to_owned(),
            number: u32::try_from(self.options.len() + 1).ok(),
            checked,
            role: Role::FreeText,
            ..Choice::default()
        });
        Question {
            kind: if self.multi { Kind::Multi } else { Kind::Menu },
            prompt: self.prompt.clone(),
            options,
            selected: None,
            multi: self.multi,
            subject: None,
            partial: false,
            tab: (of > 1).then_some((at, of)),
            typing: false,
            origin: Default::default(),
        }
    }

    /// Whether the screen shows this question, as far as it shows it; otherwise what differs.
    pub fn shown_by(&self, screen: &Question) -> Result<(), String> {
        let kind = if self.multi { Kind::Multi } else { Kind::Menu };
        if screen.kind != kind {
            return Err(format!(
                "the screen shows a {}, the hook tells of a {}",
                screen.kind.name(),
                kind.name()
            ));
        }
        let (exact, seen) = (squeezed(&self.prompt), squeezed(&screen.prompt));
        if exact != seen && !(screen.partial && exact.contains(&seen)) {
            return Err(format!("the screen asks {:?}, the hook tells of {:?}", screen.prompt, self.prompt));
        }
        // Where the words are out of view, the rows must tell by themselves which question it is.
        let numbered = !seen.is_empty() || self.first_in_view(screen).is_some();
        let rows = screen.options.iter().filter(|choice| choice.role == Role::Choice);
        let seen: Vec<String> = rows.map(|choice| squeezed(&choice.label)).collect();
        let exact: Vec<String> = self.options.iter().map(|(label, _)| squeezed(label)).collect();
        let fits = |part: &[String]| part.iter().zip(&seen).all(|(exact, seen)| same_label(exact, seen));
        let shown = match screen.partial {
            true => seen.is_empty() || exact.windows(seen.len()).any(fits),
            false => exact.len() == seen.len() && fits(&exact),
        };
        (shown && numbered).then_some(()).ok_or_else(|| {
            let told: Vec<&str> = self.options.iter().map(|(label, _)| label.as_str()).collect();
            format!("the screen offers {:?}, the hook tells of {told:?}", screen.labels())
        })
    }

    /// Which of the options is the first in view, by the numbers before them.
    pub(super) fn first_in_view(&self, screen: &Question) -> Option<usize> {
        let rows: Vec<&Choice> = screen.options.iter().filter(|choice| choice.role == Role::Choice).collect();
        let first = usize::try_from(rows.first()?.number?).ok()?.checked_sub(1)?;
        let told = self.options.get(first..first + rows.len())?;
        let fits = |(at, (row, (label, _))): (usize, (&&Choice, &(String, String)))| {
            let number = row.number.and_then(|number| usize::try_from(number).ok());
            number == Some(first + at + 1) && same_label(&squeezed(label), &squeezed(&row.label))
        };
        rows.iter().zip(told).enumerate().all(fits).then_some(first)
    }

    /// What an answer to `question`, which is this one, means in the program's own words; `None` if it can
    /// only be given by keys.
    pub fn meant(&self, question: &Question, answer: &Answer) -> Option<Meant> {
        match answer {
            Answer::Reject => None,
            Answer::Text(text) => Some(Meant::Text(text.clone())).filter(|_| !text.trim().is_empty()),
            Answer::Rows(rows) => {
                let first = if question.partial { self.first_in_view(question)? } else { 0 };
                let label = |row: &usize| {
                    let before = question.options.get(..*row)?.iter();
                    let at = before.filter(|choice| choice.role == Role::Choice).count();
                    let choice = question.options.get(*row).filter(|choice| choice.role == Role::Choice)?;
                    let (label, _) = self.options.get(first + at)?;
                    squeezed(label).starts_with(&squeezed(&choice.label)).then(|| label.clone())
                };
                let labels = rows.iter().map(label).collect::<Option<Vec<_>>>()?;
                let count = labels.len();
                (count == 1 || (self.multi && count > 0)).then_some(Meant::Labels(labels))
            }
        }
    }
}

/// Whether a row says this label, both without blanks, as far as it shows it.
pub(super) fn same_label(exact: &str, seen: &str) -> bool {
    exact == seen || (seen.chars().count() >= TELLING && exact.starts_with(seen))
}

/// An answer as the program is to record it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Meant {
    Labels(Vec<String>),
    Text(String),
}

impl Meant {
    pub fn words(&self) -> String {
        match self {
            Meant::Labels(labels) => labels.join(", "),
            Meant::Text(text) => text.clone(),
        }
    }

    /// As the program writes it down itself: of several labels those that could be taken for two stand in quotes (Claude Code
    /// 2.1.332; older versions hand the words to their model as they are).
    pub(super) fn written(&self, asked: &Asked) -> String {
        match self {
            Meant::Labels(labels) if asked.multi => labels
                .iter()
                .map(|label| quoted(label).unwrap_or(label.clone()))
                .collect::<Vec<_>>()
                .join(", "),
            _ => self.words(),
        }
    }

    /// Whether what was recorded is this: every label once, in whatever order, and nothing else.
    pub fn is(&self, recorded: &str) -> bool {
        match self {
            Meant::Text(text) => normalize(text) == normalize(recorded),
            Meant::Labels(labels) => {
                let mut rest = normalize(recorded);
                let mut labels: Vec<String> = labels.iter().map(|label| normalize(label)).collect();
                // The longest first: one label may be part of another.
                labels.sort_by_key(|label| std::cmp::Reverse(label.len()));
                for label in labels {
                    let forms = quoted(&label).into_iter().chain([label]);
                    let Some((at, end)) =
                        forms.filter_map(|form| Some((rest.find(&form)?, form.len()))).next()
                    else {
                        return false;
                    };
                    rest.replace_range(at..at + end, "");
                }
                rest.chars().all(|ch| ch == ',' || ch == ' ')
            }
        }
    }
}

/// A label in quotes, if it needs them.
fn quoted(label: &str) -> Option<String> {
    let ambiguous = label.contains(", ") || label.contains('"');
    ambiguous.then(|| serde_json::Value::from(label).to_string())
}
