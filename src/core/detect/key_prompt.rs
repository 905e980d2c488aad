//! A prompt behind which the cursor waits, of a program that takes keys or sleeps in a loop of events.
//!
//! Who reads a whole line waits for it, so that any words before the cursor ask (`detect/reading.rs`). A loop of events may
//! go on with its work beside the terminal, and a line of progress ends with the cursor behind it, too: here the words must
//! ask, in one of the ways people write that, or the program must be seen to do nothing but edit a line. What comes of it
//! calls a person and offers nothing to choose.

use std::sync::LazyLock;

use crate::core::pattern::{Pattern, PatternSet};

use super::lines;
use super::page::Page;
use super::snapshot::Snapshot;
use super::witness::{Reader, Witness};
use crate::core::profile::Profile;
use crate::core::question::{Kind, Origin, Question, Widget};

/// The prompt in the line of the cursor, or in the one right above it.
pub fn find(snapshot: &Snapshot, page: &Page, witness: &Witness) -> Option<Question> {
    // A screen of its own shows what somebody else wrote, as often as not.
    if !page.cursor_visible || snapshot.modes.alternate_screen {
        return None;
    }
    let edits = edits_a_line(snapshot, witness);
    let behind = || {
        let (row, text) = lines::last_line(page).or_else(|| lines::above_a_foot(page))?;
        let rows = || lines::offered_above(page, row).filter(|_| is_mark(&text));
        let before = || snapshot.asked.and_then(|before| going_on(before, witness, &text));
        let fits = ASKS.is_match(&text) || (edits && is_prompt(&text));
        before().or_else(|| fits.then(|| asked(text.clone()))).or_else(|| rows().map(asked))
    };
    let field = || field(page).filter(|_| edits).map(asked);
    // A loop that takes whole lines may be a server's, which says in passing what it could be told. A library that was
    // answered gives the terminal back to collect lines, and leaves it in the loop.
    let over = |text: &str| witness.canonical && text.starts_with(ANSWERED);
    let told = |text: &String| snapshot.still_ms >= POLLS_MS && !HELP.is_match(text) && !over(text);
    let below = || above(page, witness.canonical).filter(|text| !witness.canonical || told(text));
    let further = || further_above(page).filter(told);
    behind().or_else(field).or_else(|| below().or_else(further).map(asked))
}

/// The marks of prompt libraries, before a question that was answered.
pub const ANSWERED: [char; 5] = ['✔', '✓', '√', '✖', '◇'];

/// What a program that shows what others wrote asks for itself: in the last line of the screen, with the answers it takes.
pub fn in_the_last_line(page: &Page) -> Option<Question> {
    let (row, text) = lines::last_line(page).filter(|_| page.cursor_visible)?;
    let own = page.cursor.0 + 1 == page.lines.len() && row > 0;
    (own && CHOICES.is_match(&text)).then(|| asked(text))
}

/// A program that takes keys one by one and looks for them now and then, asleep in between, is never seen to read; nor is
/// one whose keys are read by a process elsewhere, as below `screen`. It asks where its words ask and all has stood still
/// for so long that it waits for something.
pub fn polled(
    profile: &Profile,
    snapshot: &Snapshot,
    page: &Page,
    seen: Option<&Question>,
) -> Option<Question> {
    let canonical = snapshot.witness.is_none_or(|witness| witness.canonical);
    if !profile.any_program || snapshot.still_ms < POLLS_MS {
        return None;
    }
    if canonical {
        return polled_line(snapshot, page);
    }
    // A box that is drawn by who was asked to by another program, as a signature's passphrase is.
    let boxed = seen.filter(|seen| seen.origin.widget != Widget::Rows);
    if let Some(boxed) = boxed {
        let origin = Origin { widget: boxed.origin.widget, ..Origin::default() };
        return Some(Question { origin, ..asked(boxed.prompt.clone()) });
    }
    let menu = seen.filter(|seen| !seen.options.is_empty()).map(|seen| asked(seen.prompt.clone()));
    let line = || match snapshot.modes.alternate_screen {
        true => {
            let (_, text) = lines::last_line(page).filter(|_| page.cursor_visible)?;
            (CHOICES.is_match(&text) || KEYED.is_match(&text)).then(|| asked(text))
        }
        false => find(snapshot, page, snapshot.witness?),
    };
    menu.or_else(line)
}

/// The same where lines are collected: who looks for one now and then sleeps in between, as whoever works does. It asks only with the
/// answers it takes right before the cursor, where nothing has been printed behind them for long, nor typed.
fn polled_line(snapshot: &Snapshot, page: &Page) -> Option<Question> {
    let still = snapshot.still_ms >= LINE_POLLS_MS && page.cursor_visible && !snapshot.modes.alternate_screen;
    let still = still && says(snapshot.written);
    let (_, text) = lines::last_line(page).filter(|_| still)?;
    CHOICES.is_match(&text).then(|| asked(text))
}

/// A program that has read its answer may work on in silence, with the cursor behind it still; mostly it ends the line first.
const LINE_POLLS_MS: u64 = 10_000;
/// Whoever works draws something in less: a spinner turns, a line is printed.
pub const POLLS_MS: u64 = 2_000;

fn asked(prompt: String) -> Question {
    Question { origin: Origin { line: true, ..Origin::default() }, ..Question::new(Kind::Dialog, prompt) }
}

/// The prompt that was there before, with what somebody has typed behind it since: those words are no part of it.
fn going_on(before: &Question, witness: &Witness, text: &str) -> Option<Question> {
    let then = before.origin.wait().filter(|_| before.kind == Kind::Dialog)?;
    let same = witness.wait().is_some_and(|wait| wait.is_same(then));
    let typed = text.strip_prefix(before.prompt.as_str()).filter(|_| same)?.trim();
    let mut question = asked(before.prompt.clone());
    question.typing = !typed.is_empty();
    question.origin.typed = question.typing.then(|| typed.to_owned());
    Some(question)
}

/// Whether the program does nothing but wait for what is typed: it takes pasted words, as editors of a line do, or its
/// thread sleeps in the very read of a key.
fn edits_a_line(snapshot: &Snapshot, witness: &Witness) -> bool {
    let in_read = matches!(&witness.reader, Reader::Reading(wait) if wait.in_read);
    !witness.canonical && (snapshot.modes.bracketed_paste || in_read)
}

/// The field of a library that hides all that is typed, and leaves the cursor at the edge: `? Words`.
fn field(page: &Page) -> Option<String> {
    let (row, column) = page.cursor;
    let text = lines::broken(page, row).1;
    let words = text.strip_prefix("? ")?.trim();
    (column == 0 && page.bottom() == Some(row) && says(words)).then(|| words.to_owned())
}

/// Words that are no mark of a console, and no news of some progress.
fn is_prompt(text: &str) -> bool {
    says(text) && !text.ends_with(['>', '›', '»', '❯', '➜', '$', '#', '%', 'λ']) && !NEWS.is_match(text)
}

/// Whether a text has a word in it, and not only marks or the edge of a box.
pub fn says(text: &str) -> bool {
    text.chars().filter(|ch| ch.is_alphabetic()).nth(1).is_some()
}

/// Whether words that have the cursor right behind them ask.
pub fn asks(text: &str) -> bool {
    ASKS.is_match(text)
}

/// Whether a sentence begins as one that wants something typed, or asks.
pub fn opens(text: &str) -> bool {
    OPENS.is_match(text)
}

/// Whether words tell of the one key that goes on.
pub fn presses(text: &str) -> bool {
    PRESS.is_match(text)
}

/// A sign behind which an answer goes and no words: `=>`, `?`.
fn is_mark(text: &str) -> bool {
    text.chars().count() <= LONGEST_MARK && !text.chars().any(char::is_alphanumeric)
}

const LONGEST_MARK: usize = 3;

/// What asks for a key, or for one of the rows below it, above the line of the cursor.
fn above(page: &Page, canonical: bool) -> Option<String> {
    let (row, column) = page.cursor;
    let last = row.checked_sub(1).filter(|last| column == 0 && page.bottom() == Some(*last))?;
    asking_above(page, last, canonical)
}

/// The same with free lines between, where all has stood still: a program that works prints into them.
fn further_above(page: &Page) -> Option<String> {
    let last = lines::last_above(page).filter(|last| last + 1 < page.cursor.0)?;
    asking_above(page, last, true)
}

fn asking_above(page: &Page, last: usize, canonical: bool) -> Option<String> {
    let row = last + 1;
    if let Some(heading) = lines::heading(page, row) {
        return OPENS.is_match(&heading).then_some(heading);
    }
    let text = lines::broken(page, last).1;
    if CHOICES.is_match(&text) || OPENS.is_match(&text) || PRESS.is_match(&text) {
        return Some(text);
    }
    // Rows without numbers below such words; where keys are read, the program draws them itself.
    let block = lines::block(page, row);
    (canonical && OPENS.is_match(&block)).then_some(block)
}

/// What tells of the one key that goes on.
static PRESS: LazyLock<Pattern> = LazyLock::new(|| Pattern::constant(PRESSED));
const PRESSED: &str = r"(?i)\b(?:press|hit|strike|type) [\[<(]?(?:enter|return|space|(?:any|a) key)\b.{0,12}\b(?:to|when)\b|^press (?:enter|return|any key)\W*$|\bctrl[-+]d\b.{0,24}\bto (?:finish|end|submit|save)\b";

/// What tells of help names what could be typed, and asks nothing.
static HELP: LazyLock<Pattern> = LazyLock::new(|| Pattern::constant(r"(?i)\bhelp\b|\brestart\b"));

/// The answers that are taken, named at the end of a line.
const CHOICE: [&str; 5] = [
    // "(yes|no)", "(是/否)"; a number of several, as "(1/5)", counts something.
    // The one that Enter takes may have brackets of its own: "([yes]/no)".
    r"[\[(<]\[?\pL{1,8}\]?(?:\s?[/|,]\s?\[?\pL{1,8}\]?)+[\])>][\s:?.>]*$",
    r"[\[(]\d{1,3}\s?(?:-|–|\.\.|to)\s?\d{1,3}[\])][\s:?.>]*$",
    // The one that Enter takes: "(yes):", "[N]".
    r"(?i)[\[(](?:y|n|j|q|yes|no|ja|nein|ok)[\])][\s:?.>]*$",
    r"(?i)(?:^|\s)(?:y|yes|j|ja|o|oui|s|s[ií])\s?[/|]\s?n(?:o|on|ein|ee)?[\s:?.>]*$",
    r"[✔✓]\s?/\s?[✘✗✕]",
];
static CHOICES: LazyLock<PatternSet> = LazyLock::new(|| PatternSet::constant(&CHOICE));

/// Keys with their letters in brackets: "[y]es [n]o", "(A)bort (R)etry".
static KEYED: LazyLock<Pattern> = LazyLock::new(|| Pattern::constant(LETTERED));
const LETTERED: &str = r"[\[(<]\w[\])>]\pL+.*[\[(<]\w[\])>]\pL+";

/// How a sentence begins that wants something typed, or asks.
const OPENING: [&str; 2] = [
    r"(?i)^\W*(?:please )?(?:type|enter|reply|answer|respond|choose|select|pick|confirm|input|paste|continue|proceed|really|overwrite|delete|remove)\b",
    r"(?i)^\W*(?:which|what|who|where|how many|do you|would you|shall|should|are you|may i|can i)\b",
];
static OPENS: LazyLock<PatternSet> = LazyLock::new(|| PatternSet::constant(&OPENING));

/// The ways in which words ask that have the cursor right behind them.
static ASKS: LazyLock<PatternSet> = LazyLock::new(|| {
    let words = [
        r"\pL.*[?:？：؟][\s.…)\]]*$",
        LETTERED,
        r#"(?i)[\[(<'"](?:enter|return|space|y)[\])>'"] to\b"#,
        r"(?i)\byour (?:\w+ )?(?:answer|choice|reply|move|response|selection|decision|turn)\b",
        // A secret by its name alone.
        r"(?i)^(?:\w+ )?(?:pin|password|passphrase|passcode)$",
        PRESSED,
        // Rows side by side.
        r"(?:^|\s)1[.):]\s?\S.*\s2[.):]\s?\S",
        // The same in other languages, by the words for typing, keys and confirming, or what makes a sentence a question.
        r"(?i)\b(?:tasten?|tecla|touche|tasto|toets|клавиш\w*|bestätige\w*|eingabe|eingeben|confirm(?:ar|er|ez|e)|introduzca|saisi\w*|inserire|введите|нажмите|подтвердите)\b",
        r"(?i)\b(?:enter|return|invio|intro|entr[ée]e|eingabetaste)\b.*\b(?:contin\w+|weiter|fort\w+|pro(?:se)?gu\w+|продолж\w+)",
        r"(?i)\bweiter mit\b",
        r"[か吗嗎까]\W*$|请|請|输入|入力|キー|按.{0,4}[键鍵]",
    ];
    PatternSet::constant(&[&CHOICE[..], &OPENING[..], &words[..]].concat())
});

/// Lines that tell what is done, or what is: "Installing", "Step: link", "… ".
static NEWS: LazyLock<PatternSet> = LazyLock::new(|| {
    PatternSet::constant(&[r"(?i)^\W*\pL+ing\b", r"(?:…|\.\.\.)$", r"\pL: \S", r"\d+\s?/\s?\d+"])
});
