//! Detection: what a screen means, by the rules of a profile. Pure, one screen at a time.
//!
//! `core/detect/watch.rs` decides when to look and calls `classify`. No program's name and no colour number
//! occurs here: those are data, in `profiles/`.

pub mod asked_again;
pub mod channels;
pub mod front;
pub mod interpreters;
pub mod overdrawn;
pub mod page;
pub mod row_ages;
pub mod watch;
pub mod witness;

mod bare;
mod beside;
mod block;
mod buttons;
mod colour;
mod composer;
pub mod cut;
mod dialog;
mod emphasis;
mod field;
mod inline_code;
mod item;
mod key_prompt;
mod keyed;
mod label;
mod line_cache;
mod lines;
mod list;
mod lone;
mod menu;
mod menu_rows;
mod offered;
mod other_keys;
mod panel;
mod plain;
pub mod printed_over;
mod reading;
mod row;
mod snapshot;
mod subject;
mod talk;
mod typed_on;
mod undescribed;
mod unknown_boxes;
mod viewer;
mod words;
mod wrap_join;

use line_cache::LineCache;
use page::Page;
pub use snapshot::{Snapshot, Step, Trace};

use witness::Witness;

use crate::core::profile::{ComposerRule, Place, Presence, Profile, SignState};
use crate::core::question::{Composer, Kind, Needs, Question, State, Verdict};
use crate::core::terminal::grid::Grid;

/// Lines above the composer (or from the bottom) among which a status line stands.
const STATUS_LINES: usize = 12;

/// What the agent's last message says, for a consultant's reply.
pub fn last_message(profile: &Profile, grid: &Grid) -> Option<String> {
    let page = line_cache::page(grid);
    let field = composer::find(&page, &profile.composer);
    let below = field.map_or(page.lines.len(), |field| field.top);
    talk::last_message(&profile.reply, &page, below)
}

/// The verdict on a screen, and on who reads it.
pub fn classify(profile: &Profile, snapshot: &Snapshot, cache: &mut LineCache, trace: &mut Trace) -> Verdict {
    // Of a program that is described the dialogs are known: where one begins in the first line, it is cut.
    let goes_on_above = !(profile.any_program && snapshot.from_the_start);
    let (lines, look) = cache.lines(&snapshot.grid.rows, snapshot.versions);
    let first_line = snapshot.first_line.filter(|_| profile.any_program);
    let resized_ms = snapshot.resized_ms;
    let scrolled = !snapshot.from_the_start;
    let mut page = Page { goes_on_above, scrolled, first_line, resized_ms, ..Page::of(snapshot.grid, lines) };
    let bar = snapshot.witness.is_some_and(Witness::is_multiplexed).then(|| page.take_bar()).flatten();
    let mut verdict = on_screen(profile, snapshot, &page, trace);
    reading::weigh(profile, snapshot, &page, &mut verdict, trace);
    page.lines.extend(bar);
    cache.keep(look, page.lines);
    verdict
}

/// The verdict on the screen alone.
fn on_screen(profile: &Profile, snapshot: &Snapshot, page: &Page, trace: &mut Trace) -> Verdict {
    let verdict = |state, why: &str, question, composer| Verdict {
        state,
        why: format!("{}/{why}", profile.name),
        question,
        composer,
        needs: Needs::Nothing,
    };
    if !snapshot.alive {
        return verdict(State::Exited, "process", None, None);
    }
    if page.bottom().is_none() {
        trace.note("blank", true, || "nothing is on the screen".into());
        return verdict(State::Starting, "blank", None, None);
    }
    let below = page.cursor.0 > page.bottom().unwrap_or(0);
    if profile.exits_with_modes && page.cursor_visible && (below || !snapshot.modes.bracketed_paste) {
        trace.note("modes", true, || "the cursor is visible and free: the program has left".into());
        return verdict(State::Exited, "modes", None, None);
    }
    let field = composer::find(page, &profile.composer);
    trace.note("composer", field.is_some(), || match &field {
        Some(field) => {
            format!(
                "lines {}-{} ({:?}), draft {:?}",
                field.top + 1,
                field.bottom + 1,
                field.enclosure,
                field.draft
            )
        }
        None => "no input line".into(),
    });
    let composer = field.as_ref().map(|field| Composer { draft: field.draft.clone() });
    if let Some((why, question)) = asked_or_complained(profile, snapshot, page, field.as_ref(), trace) {
        return verdict(State::Asking, &why, Some(question), composer);
    }
    let below = field.as_ref().map_or(page.lines.len(), |field| field.top);
    let signed = sign(profile, snapshot, page, field.as_ref(), trace);
    // A title that still turns does not contradict a panel that names its keys; help does.
    let weak = signed.as_ref().is_none_or(|(_, state)| *state == State::Working);
    // What a program that nobody described has only printed waits for no key.
    let waits = !profile.any_program || snapshot.witness.is_some_and(Witness::waits_for_keys);
    if field.is_none()
        && weak
        && waits
        && let Some((why, question)) = bare::unworded(profile, page, trace)
    {
        return verdict(State::Asking, &why, Some(question), None);
    }
    if let Some((why, state)) = signed {
        let question = if state == State::Idle { plain(profile, page, below, trace) } else { None };
        return verdict(state, &why, question, composer);
    }
    if field.is_some() {
        let question = plain(profile, page, below, trace);
        return verdict(State::Idle, "composer", question, composer);
    }
    verdict(State::Unknown, "unrecognised", None, None)
}

/// The same with what a library says of the last answer, or without that.
fn asked_or_complained(
    profile: &Profile,
    snapshot: &Snapshot,
    page: &Page,
    field: Option<&composer::Field>,
    trace: &mut Trace,
) -> Option<(String, Question)> {
    asked(profile, snapshot, page, field, trace).or_else(|| {
        let bare = page.without_complaint().filter(|_| profile.any_program)?;
        asked(profile, snapshot, &bare, field, trace)
    })
}

/// The dialog or line prompt that waits for keys, if there is one.
fn asked(
    profile: &Profile,
    snapshot: &Snapshot,
    page: &Page,
    field: Option<&composer::Field>,
    trace: &mut Trace,
) -> Option<(String, Question)> {
    let rule = &profile.menu;
    if field.is_some() && !rule.with_composer {
        trace.note("menu", false, || "an input line is open: no dialog owns the keys".into());
        return None;
    }
    if let Some(found) = in_a_row(profile, page, trace) {
        return Some(found);
    }
    if let Some(found) = buttons::find(profile, page, trace) {
        return Some(found);
    }
    let line = if field.is_none() { lines::find(profile, snapshot, page) } else { None };
    // Who asks for numbers in a line of its own quotes the menus above it.
    if let Some(found) = line.as_ref().filter(|line| line.list && page.cursor_visible) {
        return waiting(found, trace);
    }
    let below = field.map_or(page.lines.len(), |field| field.top);
    // What was typed and what came of it, one below the other, is no menu.
    let said = |item: &item::Item| item.number.is_none() && talk::is_result(&profile.reply, page, item.row);
    let by_colour = || if rule.colour { colour::find(page, rule, below) } else { None };
    let menu = menu::find(page, rule, below).or_else(by_colour);
    if let Some(menu) = menu.filter(|menu| !menu.items.iter().any(said)) {
        let last = menu.items.last().map_or(0, |item| item.row);
        trace.note("menu", true, || {
            format!("{} rows, lines {}-{}", menu.items.len(), menu.first_row() + 1, last + 1)
        });
        // Some draw their rows anew at each key and leave the cursor below them, or behind the keys they name; what was
        // only printed waits for no key.
        let left_below =
            page.cursor.0 > last && (page.bottom() < Some(page.cursor.0) || names_keys(rule, page));
        let cursor_below = left_below && snapshot.witness.is_some_and(Witness::waits_for_keys);
        match block::of(page, rule, &menu, below, cursor_below) {
            Ok(block) => {
                let mut found = dialog::read(profile, page, &menu, &block);
                if talk::is_message(&profile.reply, &found.question.prompt) {
                    trace.note("alive", false, || "what stands above it was said in the transcript".into());
                    return None;
                }
                found.question.typing |= field.is_some();
                found.note(trace);
                return Some((found.rule, found.question));
            }
            Err(dead) => trace.note("alive", false, || dead.0.clone()),
        }
    } else {
        trace.note("menu", false, || "no marked row with neighbours".into());
    }
    if field.is_some() {
        return None;
    }
    let lone = lone::find(profile, snapshot, page, trace);
    lone.or_else(|| bare::worded(profile, page, trace)).or_else(|| waiting(line.as_ref()?, trace))
}

/// Whether the cursor rests in a line that names keys and prompts for nothing.
fn names_keys(rule: &crate::core::profile::MenuRule, page: &Page) -> bool {
    let text = page.text(page.cursor.0);
    rule.is_hint(text) && !text.ends_with([':', '?', '>', '›', '»', '$', '#', '%'])
}

/// The line in which an answer is waited for.
fn waiting(found: &lines::Found, trace: &mut Trace) -> Option<(String, Question)> {
    trace.note(&found.rule, true, || format!("line {} waits for input", found.row + 1));
    Some((found.rule.clone(), found.question.clone()?))
}

/// Options side by side in one line.
fn in_a_row(profile: &Profile, page: &Page, trace: &mut Trace) -> Option<(String, Question)> {
    let found = row::find(page, &profile.menu)?;
    let menu = menu::Menu {
        items: vec![item::Item {
            row: found.row,
            marker: None,
            number: None,
            head: page.lines[found.row].start,
            ticked: None,
            label: page.lines[found.row].start,
            label_byte: 0,
            unboxed: (page.lines[found.row].start, 0),
            unnumbered: (page.lines[found.row].start, 0),
            arrow: false,
        }],
        selected: Some(0),
        after: found.row + 1,
        ..menu::Menu::default()
    };
    let mut block = block::of(page, &profile.menu, &menu, page.lines.len(), false).ok()?;
    block.hints.push(found.row);
    let mut read = dialog::read(profile, page, &menu, &block);
    found.fill(&mut read.question);
    trace.note(&read.rule, true, || format!("options side by side in line {}", found.row + 1));
    Some((read.rule, read.question))
}

/// The first sign of the profile that stands where it should.
fn sign(
    profile: &Profile,
    snapshot: &Snapshot,
    page: &Page,
    field: Option<&composer::Field>,
    trace: &mut Trace,
) -> Option<(String, State)> {
    let line = if field.is_none() { lines::find(profile, snapshot, page) } else { None };
    if let Some((rule, state)) = line.and_then(|found| Some((found.rule, found.state?))) {
        trace.note(&rule, true, || "the line in which the cursor stands".into());
        return Some((rule, state_of(state)));
    }
    for sign in &profile.sign {
        let presence =
            sign.composer.is_none_or(|presence| (presence == Presence::Present) == field.is_some());
        let fired = presence && stands(sign.at, &sign.pattern, snapshot, page, &profile.composer, field);
        trace.note(&sign.name, fired, || format!("{:?} {}", sign.at, sign.pattern.as_str()));
        if fired {
            return Some((sign.name.clone(), state_of(sign.state)));
        }
    }
    // The program's own word: weak, but an open input line does not contradict it.
    let reported = snapshot.status.is_some_and(|status| status.state == "working") && field.is_some();
    trace.note("status", reported, || "the program reports that it works".into());
    reported.then(|| ("status".to_owned(), State::Working))
}

fn state_of(state: SignState) -> State {
    match state {
        SignState::Working => State::Working,
        SignState::Idle => State::Idle,
        SignState::Starting => State::Starting,
    }
}

fn stands(
    at: Place,
    pattern: &crate::core::profile::Pattern,
    snapshot: &Snapshot,
    page: &Page,
    rule: &ComposerRule,
    field: Option<&composer::Field>,
) -> bool {
    let lines = page.lines.len();
    let shown = |row: &usize| !page.lines[*row].blank() && page.lines[*row].rule.is_none();
    let matches = |row: usize| pattern.is_match(page.text(row));
    match at {
        Place::Title => pattern.is_match(snapshot.title),
        Place::Footer => field.is_some_and(|field| (field.bottom + 1..lines).filter(shown).any(matches)),
        Place::Status => {
            let below = field.map_or(lines, |field| field.top);
            // What an earlier frame said of itself is over.
            let former = field.and_then(|field| composer::left_behind(page, field, rule));
            let from = former.map_or(0, |bottom| bottom + 1);
            (from..below).rev().filter(shown).take(STATUS_LINES).any(matches)
        }
        Place::Last => (0..lines).rev().find(shown).is_some_and(matches),
        Place::Screen => (0..lines).any(matches),
    }
}

/// The plain question with which the agent ended its turn.
fn plain(profile: &Profile, page: &Page, below: usize, trace: &mut Trace) -> Option<Question> {
    let prompt = talk::question(&profile.reply, page, below);
    trace.note("text", prompt.is_some(), || {
        prompt.clone().unwrap_or_else(|| "the last message asks nothing".into())
    });
    let mut question = Question::new(Kind::Text, prompt?);
    question.origin.said = talk::last_message(&profile.reply, page, below);
    Some(question)
}

#[cfg(test)]
#[path = "detect_tests.rs"]
mod tests;

#[cfg(test)]
mod forged_tests;
