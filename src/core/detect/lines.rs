//! Questions of line-oriented programs: the last line of the screen, with the cursor behind it.
//!
//! `[y/N]`, `Password:`, a numbered list with an input line below. Only the line in which the cursor
//! stands counts: what was printed and left is output.

use std::sync::LazyLock;

use regex::Regex;

use super::field::{self, Held};
use super::list::{self, List, MAX_LIST, Seen};
use super::offered;
use super::page::{Line, Page};
use super::snapshot::Snapshot;
use super::witness::{Reader, Witness};
use super::wrap_join;
use crate::core::policy::above;
use crate::core::profile::{Choices, LineRule, Pattern, Profile, SignState};
use crate::core::question::{Kind, Origin, Question};
use crate::core::terminal::grid::{Attrs, Color};

/// Lines a prompt above a list may take.
const MAX_PROMPT: usize = 16;

/// What the cursor's line is.
#[derive(Debug, Clone)]
pub struct Found {
    pub rule: String,
    pub state: Option<SignState>,
    pub question: Option<Question>,
    pub row: usize,
    /// The line asks for numbers of the rows above it.
    pub list: bool,
}

/// The rule that fits the line in which the cursor stands. Who waits for a command shows where it is typed: without a cursor,
/// what looks like a console's mark is a row of something else.
pub fn find(profile: &Profile, snapshot: &Snapshot, page: &Page) -> Option<Found> {
    found(profile, snapshot, page).filter(|found| found.state.is_none() || page.cursor_visible)
}

fn found(profile: &Profile, snapshot: &Snapshot, page: &Page) -> Option<Found> {
    let row = input_row(profile, page)?;
    let (first, text) = broken(page, row);
    let fits = |row: usize, text: &str, wanted: &dyn Fn(&&LineRule) -> bool| {
        profile.line.iter().filter(wanted).find_map(|rule| read(profile, rule, (snapshot, page), row, text))
    };
    // Behind a shell's own mark a person's command is drawn, whatever it reads like so far.
    let own = fits(first, &text, &|rule| rule.state.is_some()).filter(|_| edits_commands(snapshot));
    if own.is_some() {
        return own;
    }
    // What is told by its style, or by what stands behind it as if it were typed, comes last.
    let plain = |rule: &&LineRule| !rule.bold && rule.typed.is_none();
    let behind = |rule: &&LineRule| plain(rule) && (!rule.vague || read_by_line(snapshot));
    let vague = |rule: &&LineRule| plain(rule) && rule.vague;
    let still = |found: &Found| found.question.as_ref().is_some_and(|question| stands(question, snapshot));
    let printed = all_printed(snapshot, page);
    // With an answer behind it, a prompt that begins with a mark looks like a console's.
    let answered = || {
        let asks = |rule: &&LineRule| behind(rule) && rule.state.is_none();
        let stood = |prompt| fits(first, prompt, &asks).filter(still);
        prompts_in(&text).find_map(|cut| Some(typed(stood(cut.0)?, cut, snapshot, printed)))
    };
    let whole = match fits(first, &text, &plain) {
        Some(console) if console.state.is_some() => answered().or(Some(console)),
        whole => whole,
    };
    whole
        .or_else(|| unwrapped(page, row).and_then(|(first, whole)| fits(first, &whole, &plain)))
        .or_else(|| {
            prompts_in(&text)
                .find_map(|cut| Some(typed(fits(first, cut.0, &behind)?, cut, snapshot, printed)))
        })
        .or_else(|| fits(first, &text, &|rule| rule.bold))
        .or_else(|| fits(first, &text, &|rule| rule.typed.is_some() && rule.offered.is_some()))
        .or_else(|| {
            let vaguely = |prompt| fits(first, prompt, &vague).filter(still);
            prompts_in(&text).find_map(|cut| Some(typed(vaguely(cut.0)?, cut, snapshot, printed)))
        })
        .or_else(|| fits(first, &text, &|rule| rule.typed.is_some()))
}

/// Whether a shell, or a console, reads key by key: it edits a line of its own.
fn edits_commands(snapshot: &Snapshot) -> bool {
    snapshot.witness.is_some_and(|witness| !witness.canonical && witness.takes_commands())
}

/// Whether a program sleeps in the read of a line.
fn read_by_line(snapshot: &Snapshot) -> bool {
    snapshot.witness.is_some_and(|witness| witness.wait().is_some_and(|wait| wait.blocking))
}

/// Whether this is the prompt that was there before, and whoever read then reads still.
fn stands(question: &Question, snapshot: &Snapshot) -> bool {
    let same =
        |asked: &Question| match (&asked.origin.reader, snapshot.witness.map(|witness| &witness.reader)) {
            (Some(Reader::Reading(then)), Some(Reader::Reading(now))) => now.is_same(then),
            (then, now) => now.is_some() && then.as_ref() == now,
        };
    snapshot.asked.is_some_and(|asked| asked.prompt == question.prompt && same(asked))
}

/// The words right before the cursor, on the last line that shows any, and the first of its rows.
pub fn last_line(page: &Page) -> Option<(usize, String)> {
    let (row, column) = page.cursor;
    let line = page.lines.get(row)?;
    if line.blank() {
        let above = row.checked_sub(1).filter(|above| page.lines[*above].wrapped)?;
        return (page.bottom() == Some(above)).then(|| broken(page, above));
    }
    let last = page.bottom() == Some(row) && column > line.start && column >= line.end;
    last.then(|| broken(page, row))
}

/// The same where the program keeps a bar at the foot of the screen, apart from them and on a ground of its own.
pub fn above_a_foot(page: &Page) -> Option<(usize, String)> {
    let (row, column) = page.cursor;
    let (line, bottom) = (page.lines.get(row).filter(|line| !line.blank())?, page.bottom()?);
    let below = &page.lines[row + 1..];
    let bar =
        |line: &Line| line.inks(0).all(|style| style.attrs.has(Attrs::INVERSE) || style.bg != Color::Default);
    let foot = below.iter().skip_while(|line| line.blank());
    let apart = below.first().is_some_and(Line::blank) && bottom + 1 == page.lines.len();
    let footed = apart && foot.clone().count() <= FOOT && foot.clone().all(bar);
    (footed && column > line.start && column >= line.end).then(|| broken(page, row))
}

/// Rows of such a bar, at most.
const FOOT: usize = 2;

/// The last row with words above a cursor that stands at the beginning of a free line.
pub fn last_above(page: &Page) -> Option<usize> {
    let (row, column) = page.cursor;
    let last = page.bottom().filter(|last| *last < row && row - last <= FREE_LINES)?;
    (column == 0).then_some(last)
}

/// Free lines between a question and the cursor below it: what stands further up is output.
pub const FREE_LINES: usize = 3;

/// The words right above a row, if they offer rows with numbers.
pub fn offered_above(page: &Page, row: usize) -> Option<String> {
    let rows = block_above(page, row);
    above::offers_rows(&rows.join("\n")).then(|| rows.join(" "))
}

/// The lines right above a row, as one.
pub fn block(page: &Page, row: usize) -> String {
    block_above(page, row).join(" ")
}

/// What stands above the numbers of rows that are offered right above a row.
pub fn heading(page: &Page, row: usize) -> Option<String> {
    let rows = block_above(page, row);
    above::offers_rows(&rows.join("\n")).then(|| rows[0].to_owned())
}

/// The lines right above a row, down from the nearest empty one.
fn block_above(page: &Page, row: usize) -> Vec<&str> {
    let mut rows: Vec<&str> =
        (0..row).rev().map(|row| page.text(row)).take_while(|text| !text.is_empty()).collect();
    rows.reverse();
    rows
}

/// The line of the cursor with the rows above it that the terminal broke it into, and the first of them.
pub fn broken(page: &Page, row: usize) -> (usize, String) {
    let (mut first, mut text) = (row, page.text(row).to_owned());
    let glued = |above: &Line, line: &Line| {
        wrap_join::hard(above, line).or_else(|| wrap_join::broken_by_library(page.cols, above, line))
    };
    while let Some(above) = first.checked_sub(1)
        && let Some(glue) = glued(&page.lines[above], &page.lines[first])
    {
        text = format!("{}{glue}{text}", page.text(above));
        first = above;
    }
    (first, text)
}

/// The beginnings of a line that may be a prompt with an answer typed behind it, longest first, each with the rest.
fn prompts_in(text: &str) -> impl Iterator<Item = (&str, &str)> {
    let ends = |(at, _): &(usize, &str)| text[..*at].ends_with([':', '?', ']', ')', '>', '›']);
    // A colon in brackets ends no prompt that goes on behind it.
    let count = |part: &str, brackets: [char; 2]| part.matches(brackets).count();
    let whole = |(at, _): &(usize, &str)| count(&text[..*at], ['(', '[']) <= count(&text[..*at], [')', ']']);
    let cuts: Vec<usize> = text.match_indices(' ').filter(ends).filter(whole).map(|(at, _)| at).collect();
    cuts.into_iter().rev().map(|at| text.split_at(at))
}

/// What is left of the time for an answer, drawn behind the prompt: "(12)", "(9 s)".
static COUNTDOWN: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^\(\d{1,3}\s?(?:s|secs?|seconds?)?(?: left| remaining)?\)")
        .expect("the pattern is a constant")
});

/// What Enter would take, drawn behind the prompt: "|demo|", "[default 1]".
static DEFAULT: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^(?:\||\[default )([^|\]]+)[|\]](?:\s|$)").expect("the pattern is a constant")
});

/// Something is typed behind the prompt already, unless that is nothing but a cursor, drawn as a block, or words that were
/// `printed` like those before them: then they belong to the prompt.
fn typed(mut found: Found, (prompt, rest): (&str, &str), snapshot: &Snapshot, printed: bool) -> Found {
    let behind = without_signals(rest.trim().trim_end_matches('█'), snapshot);
    let rest = COUNTDOWN.find(behind).map_or(behind, |clock| behind[clock.end()..].trim_start());
    let default = DEFAULT.captures(rest).map(|default| default.extract::<1>());
    let offered = default.map(|(_, [value])| value.trim().to_owned());
    let rest = default.map_or(rest, |(whole, _)| rest[whole.len()..].trim_start());
    let Some(question) = found.question.as_mut() else { return found };
    if offered.is_some() {
        question.origin.offered = offered;
    }
    if rest.is_empty() {
        return found;
    }
    // What chooses one of some options, or is a secret, is told by the words up to there.
    if printed && question.kind == Kind::Text && question.options.is_empty() {
        question.prompt = format!("{} {behind}", prompt.trim());
    } else {
        question.typing = true;
        question.origin.typed = Some(rest.to_owned());
    }
    (question.origin.offered, question.origin.enter_takes) = (None, false);
    found
}

/// Whether all that stands before the cursor was printed: nobody has typed since its line was begun, the terminal shows what is
/// typed, and a program that is no console sleeps in the read of its line.
fn all_printed(snapshot: &Snapshot, page: &Page) -> bool {
    let shown = |witness: &Witness| witness.canonical && witness.echo && !witness.takes_commands();
    let read = read_by_line(snapshot) && snapshot.witness.is_some_and(shown);
    snapshot.untouched && snapshot.draft.is_empty() && read && last_line(page).is_some()
}

/// What is typed behind a prompt, without the echoes of keys by which the terminal has signalled its program: it threw away
/// what it held, and nobody has typed anything since.
pub fn without_signals<'t>(typed: &'t str, snapshot: &Snapshot) -> &'t str {
    let mut rest = typed;
    while let Some(behind) = ["^Z", "^C", "^\\"].iter().find_map(|echo| rest.strip_prefix(echo)) {
        rest = behind;
    }
    if rest.is_empty() && snapshot.draft.is_empty() { rest } else { typed }
}

/// The row in which the cursor waits: the last one, but for lines that name keys.
pub fn input_row(profile: &Profile, page: &Page) -> Option<usize> {
    let notice = |row: &usize| profile.menu.below.iter().any(|pattern| pattern.is_match(page.text(*row)));
    let hint = |row: &usize| page.lines[*row].blank() || profile.menu.is_hint(page.text(*row)) || notice(row);
    let mut row = page.cursor.0;
    // The blank behind a prompt that fills its row stands on the next one.
    while page.lines.get(row).is_some_and(Line::blank) && row > 0 && page.lines[row - 1].wrapped {
        row -= 1;
    }
    // A program that hides the cursor may park it below its last line.
    if !page.cursor_visible && page.lines.get(row).is_none_or(|line| line.blank()) {
        row = page.bottom()?;
    }
    let last = (row + 1..page.lines.len()).all(|row| hint(&row));
    page.lines.get(row).filter(|line| last && !line.blank()).map(|_| row)
}

/// A line together with those above that it goes on from.
fn unwrapped(page: &Page, row: usize) -> Option<(usize, String)> {
    let mut text = page.text(row).to_owned();
    let mut first = row;
    while first > 0
        && wrap_join::wraps(&page.lines[first - 1], &page.lines[first])
        && !page.lines[first - 1].blank()
    {
        first -= 1;
        let glue = wrap_join::hard(&page.lines[first], &page.lines[first + 1]).unwrap_or(" ");
        text = format!("{}{glue}{text}", page.text(first));
    }
    (first < row).then_some((first, text))
}

fn read(profile: &Profile, rule: &LineRule, seen: Seen, row: usize, text: &str) -> Option<Found> {
    let (text, page) = (text.trim_end(), seen.1);
    let span = rule.pattern.find(text)?;
    let (mut options, mut prompt) = (Vec::new(), None);
    let (mut top, mut kind) = (row, rule.kind);
    if rule.list {
        match list::above(profile, rule, seen, row, text)? {
            List::Rows(first, rows) => (top, options) = (first, rows),
            List::Unclear(first) => (top, kind) = (first, Kind::Dialog),
            List::Doubtful => kind = Kind::Text,
        }
    }
    let rows_unclear = rule.list && options.is_empty();
    if let Some(pattern) = &rule.above {
        (top.saturating_sub(MAX_LIST)..top).rev().find(|&row| pattern.is_match(page.text(row)))?;
    }
    if let Some(pattern) = &rule.opens {
        prompt = Some(opened(pattern, rule.prompt_above.as_ref(), page, top)?);
    } else if let Some(pattern) = &rule.prompt_above {
        let reach = if rule.list { MAX_PROMPT } else { MAX_LIST };
        prompt = Some(prompt_above(pattern, page, top, reach, rule.list)?);
    }
    options = match &rule.choices {
        Choices::None => options,
        Choices::Group => offered::split(rule.pattern.capture(text).unwrap_or_default()),
        Choices::Fixed(labels) => labels.iter().map(|label| offered::choice(label)).collect(),
    };
    if rule.list && !options.is_empty() {
        prompt = prompt.or_else(|| headed(page, top, text[..span.end].trim()));
    }
    let words = rule.prompt.as_ref().and_then(|pattern| pattern.capture(text)).unwrap_or(&text[..span.end]);
    let (words, Held { typed, offered }) = match rule.bold {
        true => field::behind_bold(&page.lines[row])?,
        false => (words.trim().to_owned(), held(rule, text)),
    };
    let prompt = prompt.unwrap_or(words);
    let stands = page.standing(row, &prompt);
    let question = Question {
        kind,
        prompt,
        options,
        selected: None,
        multi: rule.kind == Kind::Multi,
        subject: rule.subject.as_ref().and_then(|pattern| subject(pattern, page, top)),
        partial: false,
        tab: None,
        typing: typed.is_some(),
        origin: Origin {
            line: true,
            typed,
            enter_takes: rule.bold && offered.is_some(),
            offered,
            rows_unclear,
            stands,
            ..Origin::default()
        },
    };
    let question = rule.state.is_none().then_some(question);
    Some(Found { rule: rule.name.clone(), state: rule.state, question, row, list: rule.list })
}

/// What asks right above a list, with the line below it that takes a number: that alone says nothing of what is asked.
fn headed(page: &Page, top: usize, line: &str) -> Option<String> {
    let near = top.checked_sub(1)?;
    let row = if page.lines[near].blank() { near.checked_sub(1)? } else { near };
    let (_, head) = broken(page, row);
    head.ends_with(['?', ':']).then(|| format!("{head} {line}"))
}

/// What stands behind a prompt, by its rule's patterns.
fn held(rule: &LineRule, text: &str) -> Held {
    let captured = |pattern: &Option<Pattern>| pattern.as_ref()?.capture(text).map(str::to_owned);
    Held { typed: captured(&rule.typed), offered: captured(&rule.offered) }
}

/// The nearest run of lines above a list that match. Which of them explain a command and which are the command is not
/// seen: all of them are asked about.
fn subject(pattern: &Pattern, page: &Page, top: usize) -> Option<String> {
    let captured = |row: usize| pattern.capture(page.text(row));
    let last = (top.saturating_sub(MAX_LIST)..top).rev().find(|&row| captured(row).is_some())?;
    let first = (0..last).rev().take_while(|&row| captured(row).is_some()).last().unwrap_or(last);
    Some((first..=last).filter_map(captured).collect::<Vec<_>>().join("\n"))
}

/// The words between the nearest line above that matches and a list.
fn opened(opens: &Pattern, mark: Option<&Pattern>, page: &Page, top: usize) -> Option<String> {
    let opener = (top.saturating_sub(MAX_PROMPT)..top).rev().find(|&row| opens.is_match(page.text(row)))?;
    let bare = |text| mark.and_then(|mark: &Pattern| mark.capture(text)).unwrap_or(text).trim();
    let lines = (opener + 1..top).map(|row| bare(page.text(row))).filter(|text| !text.is_empty());
    let words = lines.collect::<Vec<_>>().join(" ");
    (!words.is_empty()).then_some(words)
}

/// The nearest line above that matches; with a list, the lines down to that list go on with it.
fn prompt_above(pattern: &Pattern, page: &Page, top: usize, reach: usize, whole: bool) -> Option<String> {
    let captured = |row: usize| pattern.capture(page.text(row)).map(|words| (row, words));
    let (mut first, words) = (top.saturating_sub(reach)..top).rev().find_map(captured)?;
    if !whole {
        return Some(words.to_owned());
    }
    // A line that holds what did not fit on the one above it begins there.
    while first > 0
        && !page.lines[first - 1].blank()
        && wrap_join::wraps(&page.lines[first - 1], &page.lines[first])
    {
        let joined = format!("{} {}", page.text(first - 1), page.text(first));
        if !pattern.is_match(&joined) {
            break;
        }
        first -= 1;
    }
    let bare = |row: usize| {
        if row == first { captured(row).map_or(page.text(row), |(_, words)| words) } else { page.text(row) }
    };
    let lines = (first..top).map(bare).filter(|text| !text.is_empty());
    Some(lines.collect::<Vec<_>>().join(" "))
}
