//! Dialogs: a menu with the words above it and the keys named below it.
//!
//! Decides what kind it is, and which of its words are the question.

use super::block::Block;
use super::cut;
use super::emphasis;
use super::item::{self, Item};
use super::label;
use super::menu::{self, Menu};
use super::page::{Line, Page};
use super::plain;
use super::snapshot::Trace;
use super::subject;
use super::unknown_boxes;
use super::words::{self, Prompt};
use super::wrap_join;
use crate::core::profile::{DialogRule, FreeText, MenuRule, Pattern, Profile, PromptRule};
use crate::core::question::normalize::squeezed;
use crate::core::question::restless::at_rest;
use crate::core::question::{Choice, Fingerprint, Kind, Origin, Question, Role, Shown};
use crate::core::terminal::grid::{Attrs, Color};

/// A dialog and the rule that named it.
#[derive(Debug, Clone)]
pub struct Found {
    pub rule: String,
    pub question: Question,
    pub top: usize,
    /// Why a part of it may be out of view.
    pub cut: Option<&'static str>,
}

impl Found {
    pub fn note(&self, trace: &mut Trace) {
        trace.note(&self.rule, true, || format!("dialog from line {}", self.top + 1));
        if let Some(why) = self.cut {
            trace.note("in view", false, || why.into());
        }
    }
}

/// What stands above the rows of a request that a profile describes.
fn shows(profile: &Profile, page: &Page, block: &Block, kind: Kind, subject: Option<&str>) -> Option<Shown> {
    let consents = !profile.any_program && kind.gives_consent();
    if consents { shown(page, block, subject) } else { None }
}

/// Names the dialog and reads its question.
pub fn read(profile: &Profile, page: &Page, menu: &Menu, block: &Block) -> Found {
    let labels = label::choices(&profile.menu, page, menu, asks_as_form(profile, page, block));
    let approval = label::approves(&profile.menu, &labels);
    let rule = fitting(profile, page, menu, block, &labels, approval);
    let unnamed = if menu.boxes() { Kind::Multi } else { Kind::Menu };
    let kind = rule.map_or(if approval { Kind::Permission } else { unnamed }, |rule| rule.kind);
    // What no rule of a described program names is its own: updates, policies, credits.
    let reserved = rule.map_or(!profile.any_program, |rule| rule.reserved);
    let asked = asked(profile, rule, page, menu, block);
    // Above the words of a program that nobody described stands what it has printed: that is weighed elsewhere.
    let begins = asked.begin && profile.any_program;
    let prompt = if profile.any_program { without_ticked(&asked.text, &labels) } else { asked.text };
    let undrawn = rule.is_some_and(|rule| subject::is_undrawn(rule, page, block));
    let rule_of_subject = rule.filter(|_| !undrawn);
    let subject = rule_of_subject.and_then(|rule| subject::of(rule, &profile.menu, page, block, &prompt));
    let request = rule_of_subject.zip(subject.as_deref());
    let request = request.and_then(|(rule, told)| subject::request(rule, page, block, &prompt, told));
    let typing = menu.selected.is_some_and(|at| is_typed_into(profile, page, menu, &labels, at));
    let many = profile.any_program && asks_for_several(page, menu, block, &labels, &prompt);
    let unclear = if profile.any_program { unclear_rows(page, &profile.menu, menu, &labels) } else { None };
    let end_unseen = rule.is_some_and(|rule| is_end_unseen(rule, page, menu));
    let cut = unclear.or(undrawn.then_some("what it asks for is not drawn yet"));
    let cut = cut.or(end_unseen.then_some("the line of keys with which it ends is not in view"));
    let torn = cut::is_torn(page, block.top);
    let cut = cut.or(torn.then_some("its rows are wider here than its program counts"));
    let cut = cut.or_else(|| cut_at(profile, page, menu, block, (&prompt, begins), kind));
    let stands = page.standing(plain::first_line(page, &profile.menu, menu), &prompt);
    // A profile that says nothing of ticks does not know how its program is told that they are set.
    let unticked = !profile.any_program && menu.boxes() && rule.is_some_and(|rule| rule.boxes.is_none());
    let hidden = profile.any_program && rule.is_some_and(|rule| rule.boxes == Some(false));
    let ticks_hidden = (many || hidden) && matches!(kind, Kind::Menu | Kind::Dialog);
    let shows = shows(profile, page, block, kind, subject.as_deref());
    let question = Question {
        kind: if (many || unticked) && kind == Kind::Menu { Kind::Dialog } else { kind },
        prompt,
        options: labels,
        selected: menu.selected.filter(|_| unclear.is_none()),
        multi: menu.boxes() && kind == Kind::Multi,
        subject,
        partial: cut.is_some(),
        tab: block.header.and_then(|row| tabs(page.text(row))),
        typing,
        origin: Origin {
            reserved,
            undrawn,
            // What was torn hides rows as well as a pane that cuts them off.
            end_unseen: end_unseen || torn,
            request,
            stands,
            shows,
            ticks_hidden,
            passing: menu.passing.filter(|_| unclear.is_none()),
            mark_doubtful: profile.any_program && emphasis::is_doubtful(page, &profile.menu, menu),
            ..Origin::default()
        },
    };
    Found { rule: rule.map_or("menu", |rule| rule.name.as_str()).to_owned(), question, top: block.top, cut }
}

/// Whether the line with which such a dialog ends is not seen: a pane that is too low for it may show as many rows as there are, or
/// any number of them. The keys of an open field stand below that.
fn is_end_unseen(rule: &DialogRule, page: &Page, menu: &Menu) -> bool {
    let seen = |ends: &Pattern| (menu.after..page.lines.len()).any(|row| ends.is_match(page.text(row)));
    rule.ends.as_ref().is_some_and(|ends| !seen(ends))
}

/// Why it is not clear which rows a list of an undescribed program has, or which one is highlighted.
fn unclear_rows(page: &Page, rule: &MenuRule, menu: &Menu, labels: &[Choice]) -> Option<&'static str> {
    // Rows beside the rows are not read, and which of the two columns a key moves in is not known.
    let beside = || labels.iter().any(|choice| item::begins_like_a_row(&choice.description, rule));
    if beside() || is_disputed(page, menu) || menu::is_marked_twice(page, menu) {
        return Some("its rows can be read in two ways");
    }
    if goes_on_below(page, rule, menu) {
        return Some("what stands below it may be more of its rows");
    }
    // Nothing says what stands there.
    menu.last_lines(page).any(cut::at_the_edge).then_some("a row of it may go on beyond the edge")
}

/// Where a part of it may be out of view.
fn cut_at(
    profile: &Profile,
    page: &Page,
    menu: &Menu,
    block: &Block,
    (prompt, begins): (&str, bool),
    kind: Kind,
) -> Option<&'static str> {
    let told = |row: &usize| profile.menu.cut.iter().any(|pattern| pattern.is_match(page.text(*row)));
    let undescribed = profile.any_program && menu.boxes();
    let around = || block.hints.iter().copied().chain(block.top..block.rows).map(|row| page.text(row));
    let more = || unknown_boxes::tells_of_more(around().chain([prompt]), menu.items.len());
    // A command may begin with its harm, go on with blank lines, and end in what looks like a request of its own.
    let consents = kind.gives_consent() && !profile.any_program;
    let begins_above = consents && page.scrolled || block.header.is_none() && !page.lines[0].blank();
    let first = block.top == 0 && begins_above;
    [
        (menu.cut, "its list goes on beyond what is drawn"),
        (undescribed && more(), "its words tell of more rows"),
        (
            undescribed && unknown_boxes::goes_on_beside(page, &profile.menu, menu),
            "a row beside it is not understood",
        ),
        (prompt.is_empty(), "no words stand above its rows"),
        (block.hints.iter().any(told) || (block.top..block.rows).any(|row| told(&row)), "it says so"),
        (
            first && !begins && page.goes_on_above,
            "it begins in the first line, and more may stand above that",
        ),
    ]
    .into_iter()
    .find_map(|(cut, why)| cut.then_some(why))
}

/// Ticks that are not drawn before one is set: Enter may take the row, or none at all.
fn asks_for_several(page: &Page, menu: &Menu, block: &Block, labels: &[Choice], prompt: &str) -> bool {
    let bare = |item: &Item| item.number.is_none() && item.ticked.is_none();
    let marked = menu.items.iter().any(|item| item.marker.is_some());
    let library = (block.top..block.rows).any(|row| page.text(row).starts_with(['?', '◆', '[']));
    // Libraries that mark their questions draw the boxes of a checklist from its first sight; others draw a tick behind a label.
    let asks = menu.items.iter().all(bare) && !(marked && library) && words::asks_for_several(prompt);
    asks || !menu.boxes() && unknown_boxes::may_be_boxes(labels, words::asks_for_several(prompt))
}

/// Whether an agent asks its own questions there: by a header, or by the heading or the keys that a rule for forms names.
fn asks_as_form(profile: &Profile, page: &Page, block: &Block) -> bool {
    let heads = |pattern: &Pattern| block.heading.is_some_and(|row| pattern.is_match(page.text(row)));
    let of_rule = |rule: &DialogRule| {
        let headed = rule.form == Some(true) && rule.heading.as_ref().is_some_and(heads);
        headed || is_form_by_hint(rule, page, block)
    };
    block.header.is_some() || profile.dialog.iter().any(of_rule)
}

/// Whether the keys named below its rows are those of the program's forms: its header may be out of view.
fn is_form_by_hint(rule: &DialogRule, page: &Page, block: &Block) -> bool {
    let below = |pattern: &Pattern| block.hints.iter().any(|&row| pattern.is_match(page.text(row)));
    rule.form == Some(true) && rule.hint.as_ref().is_some_and(below)
}

/// The first rule that fits. What is a request for permission is none that a consultant answers.
fn fitting<'p>(
    profile: &'p Profile,
    page: &Page,
    menu: &Menu,
    block: &Block,
    labels: &[Choice],
    approval: bool,
) -> Option<&'p DialogRule> {
    let above = |pattern: &Pattern| (block.top..block.rows).any(|row| pattern.is_match(page.text(row)));
    let below = |pattern: &Pattern| block.hints.iter().any(|&row| pattern.is_match(page.text(row)));
    let named = |pattern: &Pattern| labels.iter().any(|label| pattern.is_match(&label.label));
    let headed = |pattern: &Pattern| block.heading.is_some_and(|row| pattern.is_match(page.text(row)));
    // A header further down may be a line of the command that is asked for.
    let is_form = |rule: &DialogRule| {
        let by_header = block.header.is_some()
            && (block.header == block.heading || rule.heading.as_ref().is_some_and(headed));
        by_header || is_form_by_hint(rule, page, block)
    };
    let fits = |rule: &&DialogRule| {
        let barred = rule.bare || (approval && rule.kind.is_consulted());
        !barred
            && rule.heading.as_ref().is_none_or(headed)
            && rule.boxes.is_none_or(|boxes| boxes == menu.boxes())
            && rule.form.is_none_or(|form| form == is_form(rule))
            && rule.text.as_ref().is_none_or(above)
            && rule.hint.as_ref().is_none_or(below)
            && rule.label.as_ref().is_none_or(named)
    };
    profile.dialog.iter().find(fits)
}

/// The words that ask, by the rule that fits.
fn asked(profile: &Profile, rule: Option<&DialogRule>, page: &Page, menu: &Menu, block: &Block) -> Prompt {
    let how = rule.map_or(PromptRule::Question, |rule| rule.prompt);
    let cut_out = rule.and_then(|rule| rule.prompt_line.as_ref()).and_then(|pattern| {
        let whole = |row: usize| wrap_join::whole(&profile.menu.breaks, &page.lines[row..block.rows]);
        let begins = (block.top..block.rows).rev().find(|&row| pattern.is_match(page.text(row)));
        begins.and_then(|row| pattern.capture(&whole(row)).map(str::to_owned))
    });
    // Above rows that begin in mid-list there are rows, not words.
    let lost = menu.items.first().is_some_and(|item| item.number > Some(1) && cut::runs_up(page, item));
    let opener = rule.and_then(|rule| rule.opens.as_ref());
    let opened =
        opener.and_then(|pattern| (block.top..block.rows).rfind(|&row| pattern.is_match(page.text(row))));
    let below = Block { top: opened.map_or(block.top, |row| row + 1), ..block.clone() };
    match cut_out {
        Some(text) => Prompt { text, begin: true },
        None if lost => Prompt::default(),
        None => words::prompt(&profile.menu, page, &below, how),
    }
}

/// The words without the rows that are ticked so far, where a library lists those behind its question.
fn without_ticked(prompt: &str, options: &[Choice]) -> String {
    let ticked = options.iter().filter(|choice| choice.checked == Some(true));
    let listed = ticked.map(|choice| choice.label.as_str()).collect::<Vec<_>>().join(", ");
    let bare = prompt.strip_suffix(&listed).map(str::trim_end).filter(|bare| bare.ends_with(['?', ':']));
    bare.filter(|_| !listed.is_empty()).unwrap_or(prompt).to_owned()
}

/// What the block shows above its rows: which change, which command. What moves by itself is no part of it, nor is where its
/// lines are broken: a program that is made to redraw does so for a column less first.
fn shown(page: &Page, block: &Block, subject: Option<&str>) -> Option<Shown> {
    let lines = (block.top..block.rows).map(|row| at_rest(page.text(row)));
    let mut lines = lines.filter(|line| line.contains(char::is_alphanumeric));
    let heading = squeezed(&lines.next().unwrap_or_default());
    let below = squeezed(&lines.collect::<String>());
    let repeats = subject.map(squeezed).filter(|subject| below.contains(subject.as_str()));
    let heading = repeats.map_or(heading.as_str(), |subject| without_subject(&heading, &subject));
    let words = Fingerprint::of(&format!("{heading}{below}"));
    Some(Shown { words, resized_ms: page.resized_ms? })
}

/// A heading without what it repeats of the words below it: as much as its row has room for.
fn without_subject<'a>(heading: &'a str, subject: &str) -> &'a str {
    let Some(cut) = heading.strip_suffix("...") else {
        return heading.strip_suffix(subject).unwrap_or(heading);
    };
    let begins = |at: &usize| subject.starts_with(&cut[*at..]);
    cut.char_indices().map(|(at, _)| at).find(begins).map_or(cut, |at| &cut[..at])
}

/// Whether a row stands out by its ground that is not the one with the mark: either may be what Enter chooses.
fn is_disputed(page: &Page, menu: &Menu) -> bool {
    let Some(selected) = menu.selected else { return false };
    let stands_out = |item: &Item| {
        let line = &page.lines[item.row];
        let ink = line.ink_at(item.label_byte);
        ink.is_some_and(|style| style.attrs.has(Attrs::INVERSE) || style.bg != Color::Default)
    };
    let out: Vec<usize> = (0..menu.items.len()).filter(|&at| stands_out(&menu.items[at])).collect();
    // A ground that all share tells nothing, and some draw what is ticked on one of its own.
    let ticked = |at: usize| menu.items[at].ticked == Some(true);
    out.len() < menu.items.len() && out.iter().any(|&at| at != selected && !ticked(at))
}

/// Whether a line stands below a list, where it seems to end, as its other rows do: one of them may show nothing.
fn goes_on_below(page: &Page, rule: &MenuRule, menu: &Menu) -> bool {
    let other = (0..menu.items.len()).rev().find(|&at| Some(at) != menu.selected);
    let Some(item) = other.map(|at| &menu.items[at]).filter(|item| item.number.is_none()) else {
        return false;
    };
    let ink = page.lines[item.row].ink_at(item.label_byte);
    let as_row = |line: &Line| {
        let drawn =
            line.rule.is_none() && line.start == item.label && line.frame == page.lines[item.row].frame;
        drawn && line.ink_at(0) == ink && !rule.is_hint(&line.text) && !is_counter(&line.text)
    };
    // Two lines of no words, or more, end any list.
    let below = page.lines[menu.after.min(page.lines.len())..].iter().take(2);
    below.take_while(|line| line.rule.is_none()).any(as_row)
}

/// Which row of how many: `1/3`.
fn is_counter(text: &str) -> bool {
    let number = |text: &str| text.trim().parse::<usize>().is_ok();
    text.split_once('/').is_some_and(|(at, of)| number(at) && number(of))
}

/// Whether the keyboard goes into the row that is highlighted: it is one for words, or the cursor stands in it.
fn is_typed_into(profile: &Profile, page: &Page, menu: &Menu, labels: &[Choice], at: usize) -> bool {
    labels.get(at).is_some_and(|label| takes_words(profile, label))
        || (profile.menu.caret && menu.items.get(at).is_some_and(|item| has_caret(page, item)))
}

/// Whether the keyboard goes into the text of a row that is highlighted. One that a digit opens takes letters for keys until then;
/// its field is drawn below it.
fn takes_words(profile: &Profile, row: &Choice) -> bool {
    let opened = profile.keys.free_text != FreeText::Digit || !row.description.is_empty();
    row.role == Role::FreeText && opened
}

/// Whether the cursor stands in a row's words: something is typed there.
fn has_caret(page: &Page, item: &Item) -> bool {
    let (row, column) = page.cursor;
    row == item.row && column >= item.label && column <= page.lines[row].end + 1
}

/// Which tab of a form is open cannot be told from text alone; how many there are, can.
fn tabs(text: &str) -> Option<(usize, usize)> {
    let glyph = |ch: char| matches!(ch, '☐' | '☒' | '☑' | '□' | '■' | '✓' | '✔' | '≡');
    let open = |ch: char| matches!(ch, '☐' | '□');
    let count = text.chars().filter(|ch| glyph(*ch)).count();
    let done = text.chars().filter(|ch| glyph(*ch)).take_while(|ch| !open(*ch)).count();
    (count > 1).then_some((done.min(count - 1), count))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Gemini CLI repeats the command in its heading, as far as the row has room: at each width it showed other words.
    #[test]
    fn a_heading_shows_no_more_than_the_command_it_repeats() {
        let command = squeezed("rm -rf build && echo one");
        for heading in ["? Shell rm -rf build && echo one", "? Shell rm -rf bu…", "? Shell r…", "? Shell …"]
        {
            assert_eq!(without_subject(&squeezed(heading), &command), "?Shell", "{heading}");
        }
        for heading in ["? Shell rm -rf /srv", "? Shell rm -rf /s…", "Bash command"] {
            let heading = squeezed(heading);
            assert!(heading.starts_with(without_subject(&heading, &command)));
            assert!(without_subject(&heading, &command).len() + 3 >= heading.len(), "{heading}");
        }
    }
}
