//! From an answer to a way of typing it, or the reason why it cannot be typed.
//!
//! `Delivery::new` calls it once. It checks the answer against the question alone: the screen is
//! looked at later, before every key.

use crate::core::profile::{FreeText, Keys, Submit};
use crate::core::question::option_lookup::takes_empty_line;
use crate::core::question::{Answer, Choice, Kind, Question, Role, Widget};
use crate::core::terminal::keys::KeyPress;

/// Longest text typed, in characters: an answer, not a document.
const LONGEST_TEXT: usize = 4_000;
/// What a terminal that collects lines holds of one, in bytes and without its end: the rest of a longer one is thrown away
/// (`N_TTY_BUF_SIZE` of the kernel is 4,096; `MAX_CANON` of other systems is less, and they ring the bell).
const LINE_BYTES: usize = 4_095;
/// Longest prompt pasted: a question with its context.
const LONGEST_PROMPT: usize = 200_000;
/// At the start of a draft these make programs run something instead of reading it.
const COMMANDS: [char; 7] = ['/', '!', '#', '@', '?', '&', '$'];

/// How an answer is typed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Plan {
    /// Highlight the row, Enter.
    Choose { row: usize },
    /// Make the ticks equal to `rows`, then submit.
    Tick { rows: Vec<usize>, submit: By },
    /// Type into the free-text row, then Enter, or submit where rows are ticked.
    Write { row: usize, text: String, how: FreeText, submit: Option<By> },
    /// A word behind the prompt of a line-oriented program.
    Line { text: String, enter: bool },
    /// Enter behind a prompt, which takes the value that stands there.
    Accept { offered: String },
    /// Enter behind a prompt where nothing stands.
    EmptyLine,
    /// Paste into the agent's input line, Enter.
    Compose { text: String, prompt: bool },
    /// A page without rows: Enter.
    Confirm,
    /// The program's key for declining.
    Decline { key: KeyPress },
}

/// What sends a set of ticks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum By {
    Row(usize),
    Key(crate::core::terminal::keys::Key),
}

/// `person`: a person gave the answer, and means what it says.
pub(super) fn of(q: &Question, answer: &Answer, keys: &Keys, person: bool) -> Result<Plan, String> {
    if matches!(q.kind, Kind::Password) {
        return Err("a password is typed by a person, in the pane".into());
    }
    let plan = match answer {
        Answer::Reject => decline(q, keys),
        Answer::Rows(rows) => choose(q, rows, keys),
        Answer::Text(text) => write(q, text, keys, person),
    }?;
    if let Plan::Line { text, .. } | Plan::Compose { text, prompt: false } = &plan
        && (q.origin.line && q.origin.takes_letters() && !q.origin.unechoed)
        && text.chars().nth(1).is_some()
    {
        // The terminal shows a letter before its program has it: nothing tells when the next one is another question's.
        return Err("its program takes each letter by itself, and the next would go to what it asks then; answer in its pane".into());
    }
    Ok(plan)
}

pub(super) fn decline(q: &Question, keys: &Keys) -> Result<Plan, String> {
    if q.kind == Kind::Text {
        return Err("a plain question has nothing to decline; say no in words, with --text".into());
    }
    if (q.kind == Kind::YesNo || q.origin.line) && q.selected.is_none() {
        // There a key is typed behind the prompt like any other.
        let says_no = |word: &str| ["n", "no"].iter().any(|no| word.eq_ignore_ascii_case(no));
        // The key of "[N]ext" declines nothing.
        let no = |choice: &Choice| {
            says_no(&choice.label) && (choice.description.is_empty() || says_no(&choice.description))
        };
        let row = q.options.iter().position(no).ok_or(
            "what is asked in a line has no key that declines; say no in words, with --text, or in its pane",
        )?;
        return choose(q, &[row], keys);
    }
    let name = keys.reject.as_deref().ok_or("this program has no key that declines")?;
    Ok(Plan::Decline { key: KeyPress::parse(name)? })
}

fn choose(q: &Question, rows: &[usize], keys: &Keys) -> Result<Plan, String> {
    if let Some(row) = rows.iter().find(|row| **row >= q.options.len()) {
        return Err(format!("there is no row {}", row + 1));
    }
    if q.kind == Kind::Review && q.options.is_empty() {
        return Ok(Plan::Confirm);
    }
    if q.options.is_empty() {
        return Err("the question has no options to choose from".into());
    }
    if let Some(row) = rows.iter().find(|row| q.options[**row].role == Role::FreeText) {
        return Err(format!("row {} is for a text of one's own, and none was given", row + 1));
    }
    if has_hidden_ticks(q) {
        return Err(TICKS_HIDDEN.into());
    }
    if q.multi {
        let mut rows = rows.to_vec();
        rows.sort_unstable();
        rows.dedup();
        if let Some(row) = rows.iter().find(|row| q.options[**row].checked.is_none()) {
            return Err(format!("row {} cannot be ticked", row + 1));
        }
        if q.partial {
            return Err(TICKS_OUT_OF_VIEW.into());
        }
        let submit = submit(q, keys)?;
        if matches!(submit, By::Key(_)) && rows.is_empty() && is_undescribed(q) {
            return Err("none of its rows is to be ticked, and Enter may take the one that is highlighted; answer in its pane"
                .into());
        }
        if matches!(submit, By::Key(_)) && !ticks_are_proved(q, &rows) {
            return Err("its boxes stand as wanted, and nothing shows that they are ticks and not parts of the labels, one of \
                        which Enter would take; answer in its pane"
                .into());
        }
        return Ok(Plan::Tick { rows, submit });
    }
    let [row] = *rows else {
        return Err(format!("one row was to be chosen, not {}", rows.len()));
    };
    if (q.kind == Kind::YesNo || q.origin.line) && q.selected.is_none() {
        // A list above a line is answered by its numbers, a yes or no by the word.
        let number = q.options[row].number.filter(|_| q.kind != Kind::YesNo).map(|number| number.to_string());
        let text = number.unwrap_or_else(|| q.options[row].label.clone());
        return Ok(Plan::Line { text, enter: keys.yesno_enter });
    }
    if q.selected.is_none() && q.origin.passing.is_none() {
        return Err("no row is highlighted, so none can be seen to be the right one".into());
    }
    Ok(Plan::Choose { row })
}

const TICKS_OUT_OF_VIEW: &str = "rows of it are out of view, and what is ticked there would be sent along; make the pane \
    larger, or answer in it";
const TICKS_HIDDEN: &str =
    "several of its rows may be ticked, and Enter alone may send none of them; answer in its pane";

/// Whether rows may be ticked by a key that is not known, or of which no tick is seen.
fn has_hidden_ticks(q: &Question) -> bool {
    let boxes = || q.origin.widget == Widget::Rows && q.options.iter().any(|row| row.checked.is_some());
    q.origin.ticks_hidden || is_undescribed(q) && !q.multi && boxes()
}

/// Whether no profile describes the program: what its keys do besides is not known.
pub(super) fn is_undescribed(q: &Question) -> bool {
    q.origin.printed.is_some()
}

/// Whether the boxes of a program that no profile describes are ones to tick: it names the key that does so, or one is
/// ticked for this answer, and seen to be.
fn ticks_are_proved(q: &Question, rows: &[usize]) -> bool {
    let Some(printed) = q.origin.printed.as_ref().filter(|_| q.origin.widget == Widget::Rows) else {
        return true;
    };
    let stands = |(at, row): (usize, &Choice)| row.checked.is_none_or(|ticked| ticked == rows.contains(&at));
    let named = || ["space", "toggle"].iter().any(|word| printed.to_lowercase().contains(word));
    !q.options.iter().enumerate().all(stands) || named()
}

fn submit(q: &Question, keys: &Keys) -> Result<By, String> {
    if let Some(row) = q.options.iter().position(|choice| choice.role == Role::Submit) {
        return Ok(By::Row(row));
    }
    match keys.multi_submit {
        Submit::Row => Err("the row that submits the ticks is not on the screen".into()),
        Submit::Enter => Ok(By::Key(crate::core::terminal::keys::Key::Enter)),
        Submit::Tab => Ok(By::Key(crate::core::terminal::keys::Key::Tab)),
    }
}

/// Whether each line of a text gets to whoever reads lines of a terminal as it is.
///
/// # Errors
/// One is cut.
pub fn fits_a_line(text: &str) -> Result<(), String> {
    match text.lines().map(str::len).find(|bytes| *bytes > LINE_BYTES) {
        Some(bytes) => Err(format!(
            "a line of it has {bytes} bytes, and a terminal cuts what is longer than {LINE_BYTES}"
        )),
        None => Ok(()),
    }
}

fn write(q: &Question, text: &str, keys: &Keys, person: bool) -> Result<Plan, String> {
    let text = sanitised(text, false);
    if text.is_empty() && person && takes_empty_line(q) {
        return Ok(Plan::EmptyLine);
    }
    if text.is_empty() {
        return Err("the text is empty".into());
    }
    if text.chars().count() > LONGEST_TEXT {
        return Err(format!("the text is longer than {LONGEST_TEXT} characters"));
    }
    if q.origin.takes_lines() {
        fits_a_line(&text)?;
    }
    if q.kind == Kind::Text {
        // A line prompt of a program that is no agent takes a path as a path.
        let as_it_is = person && q.origin.line && is_undescribed(q);
        if let Some(first) = text.chars().next().filter(|ch| !as_it_is && COMMANDS.contains(ch)) {
            return Err(format!("the text begins with '{first}', which programs take for a command"));
        }
        // Elsewhere only the program knows what Enter would do.
        if q.origin.line && q.origin.enter_takes && q.origin.offered.as_ref() == Some(&text) {
            return Ok(Plan::Accept { offered: text });
        }
        return Ok(Plan::Compose { text, prompt: false });
    }
    if q.kind == Kind::YesNo {
        return Err("this prompt takes one of its options".into());
    }
    let row = q.options.iter().position(|choice| choice.role == Role::FreeText);
    let row = row.ok_or("the question offers no row for a text of one's own")?;
    if keys.free_text == FreeText::None {
        return Err("how this program takes a text of one's own is not known".into());
    }
    if q.selected.is_none() {
        return Err("no row is highlighted, so none can be seen to be the right one".into());
    }
    if q.multi && q.partial {
        return Err(TICKS_OUT_OF_VIEW.into());
    }
    let submit = if q.multi { Some(submit(q, keys)?) } else { None };
    Ok(Plan::Write { row, text, how: keys.free_text, submit })
}

/// Why a prompt that an agent is to begin with is not typed at all: nothing of it would be, or not all of it. `None`: it is.
pub fn prompt_fault(text: &str) -> Option<String> {
    let typed = of_prompt(text);
    if typed.trim().is_empty() {
        return Some("the first prompt is empty, and Enter alone may answer something; leave it out".into());
    }
    let kept = without_blank_ends(&with_line_feeds(text));
    let first = first_lost(&kept, &typed)?;
    Some(match kept.chars().nth(LONGEST_PROMPT) {
        Some(_) => format!("the first prompt is longer than {LONGEST_PROMPT} characters"),
        None => format!(
            "the first prompt holds {}, which cannot be typed as text; leave that character out",
            first.escape_unicode()
        ),
    })
}

/// Why words that a person gives for an answer are not typed: others would be. `None`: they are, less the blanks around them.
pub fn text_fault(text: &str) -> Option<String> {
    let kept = text.trim();
    Some(match first_lost(kept, &as_typed(kept))? {
        '\n' | '\r' => "the text has several lines, and a dialog takes one; write it in one".into(),
        ch => format!(
            "the text holds {}, which cannot be typed as text; leave that character out",
            ch.escape_unicode()
        ),
    })
}

/// The first character that is not typed as it is.
fn first_lost(given: &str, typed: &str) -> Option<char> {
    let typed = typed.chars().map(Some).chain(std::iter::repeat(None));
    given.chars().zip(typed).find_map(|(ch, typed)| (typed != Some(ch)).then_some(ch))
}

/// An answer in words as it is typed into a dialog: in one line, without anything that could act as a key.
pub fn as_typed(text: &str) -> String {
    sanitised(text, false)
}

/// The words that an agent begins with, as they are typed: tabs, line ends and indents as they were given.
pub(super) fn of_prompt(text: &str) -> String {
    let text = without_blank_ends(&with_line_feeds(text));
    let kept = text.chars().filter(|ch| matches!(ch, '\n' | '\t') || !acts(*ch));
    kept.take(LONGEST_PROMPT).collect()
}

fn with_line_feeds(text: &str) -> String {
    text.replace("\r\n", "\n").replace('\r', "\n")
}

/// Without the blank lines around it: an Enter before the words would answer something, and the one behind them is pressed anyway.
fn without_blank_ends(text: &str) -> String {
    let lines: Vec<&str> = text.split('\n').collect();
    let written = |line: &&str| !line.trim().is_empty();
    let first = lines.iter().position(written).unwrap_or(0);
    let end = lines.iter().rposition(written).map_or(first, |last| last + 1);
    lines[first..end].join("\n")
}

/// Whether a program may take it for a key, or it makes a text look like another one, as direction marks do.
fn acts(ch: char) -> bool {
    let turns = matches!(ch, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    turns || ch.is_control()
}

/// Text without anything that could act as a key. `lines`: line ends are kept, for a paste.
pub(super) fn sanitised(text: &str, lines: bool) -> String {
    let text = with_line_feeds(text);
    let kept = text.chars().filter_map(|ch| match ch {
        '\n' if lines => Some('\n'),
        '\n' | '\t' => Some(' '),
        ch => (!acts(ch)).then_some(ch),
    });
    let longest = if lines { LONGEST_PROMPT } else { usize::MAX };
    kept.take(longest).collect::<String>().trim().to_owned()
}
