//! What asks beside a clock, a progress bar or a last line that names no key.

use crate::core::detect::line_cache::LineCache;
use crate::core::detect::snapshot::{Snapshot, Trace};
use crate::core::detect::witness::{Reader, Wait, Witness};
use crate::core::profile::Profiles;
use crate::core::question::{Kind, Needs, State, Verdict};
use crate::core::terminal::grid::Size;
use crate::core::terminal::query_replies::TerminalIdentity;
use crate::core::terminal::screen::Screen;

fn keys(reader: Reader) -> Witness {
    Witness { reader, canonical: false, echo: false }
}

fn waits() -> Witness {
    keys(Reader::Reading(Wait { program: "program".into(), ..Wait::default() }))
}

/// The verdict on what was printed, whose rows have stood for so long (milliseconds).
fn seen(printed: &str, witness: Option<&Witness>, still_ms: u64, ages: &[u64], written: &str) -> Verdict {
    let mut screen = Screen::new(Size::new(60, 12), TerminalIdentity::default());
    screen.feed(printed.replace('\n', "\r\n").as_bytes());
    let snapshot = Snapshot {
        grid: screen.grid(),
        versions: &[],
        title: "",
        status: None,
        modes: screen.modes(),
        alive: true,
        witness,
        asked: None,
        written,
        from_the_start: true,
        first_line: None,
        resized_ms: None,
        draft: "",
        wiped: false,
        untouched: false,
        still_ms,
        ages,
    };
    let profile = Profiles::builtin().get("generic").unwrap();
    super::super::classify(&profile, &snapshot, &mut LineCache::default(), &mut Trace::default())
}

fn prompt(verdict: &Verdict) -> Option<&str> {
    let question = verdict.question.as_ref()?;
    assert_eq!((verdict.state, question.kind), (State::Asking, Kind::Dialog));
    assert!(question.options.is_empty(), "nothing is offered: which key takes a row, nobody knows");
    Some(&question.prompt)
}

/// A menu of which the program draws a clock below, once a second.
const CLOCK: &str = "Remove the backup?\n> Yes\n  No\n\x1b7\x1b[10;1HSat Nov 28 09:29:26 2026\x1b8";
/// As long as its rows have stood: the clock is the tenth.
fn clock(rows_ms: u64) -> [u64; 12] {
    let mut ages = [rows_ms; 12];
    ages[9] = 300;
    ages
}

/// It was `unknown`, and nobody was called.
#[test]
fn a_menu_with_a_clock_below_it_calls_a_person() {
    let verdict = |ages: &[u64]| seen(CLOCK, Some(&waits()), 300, ages, "");
    assert_eq!(prompt(&verdict(&clock(10_000))), Some("Remove the backup?"));
    assert_eq!(prompt(&verdict(&clock(9_000))), None, "it may be about to go");
    assert_eq!(prompt(&verdict(&[])), None, "nobody knows how long it has stood");
}

/// Where a spinner turns, the screen is never quiet, and who reads was never looked for.
#[test]
fn who_reads_is_looked_for_on_a_screen_that_never_rests_only_where_something_may_ask() {
    let needs = |printed: &str, ages: &[u64]| seen(printed, None, 80, ages, "").needs;
    assert_eq!(needs(CLOCK, &clock(10_000)), Needs::WitnessNowAndThen);
    assert_eq!(needs(CLOCK, &clock(1_000)), Needs::WitnessOnceQuiet);
    assert_eq!(needs("Compiling one\nCompiling two\n", &[20_000; 12]), Needs::WitnessOnceQuiet);
}

/// "❯ one" reads like a command at a shell's prompt: it was `working`.
#[test]
fn a_last_line_that_names_no_key_hides_no_menu() {
    for foot in ["page 1", "(1/3)", "3 releases"] {
        let printed = format!("\x1b[?25lDelete which release?\n❯ one\n  two\n  three\n\n\n\n{foot}");
        let verdict = |witness: &Witness| seen(&printed, Some(witness), 10_000, &[], "");
        assert_eq!(prompt(&verdict(&waits())), Some("Delete which release?"), "{foot}");
        let line = Witness { canonical: true, echo: true, ..waits() };
        assert_eq!(prompt(&verdict(&line)), None, "{foot}: who reads a line has other rules");
    }
}

/// "❯ red" above a separator is no menu by its rows, and reads like a command at a shell's prompt: it was `working`.
#[test]
fn a_row_that_looks_like_a_command_asks_where_keys_are_read() {
    let printed = "\x1b[?25lWhich color?\n❯ red\n  ──────\n  blue\n";
    assert_eq!(prompt(&seen(printed, Some(&waits()), 500, &[], "")), Some("Which color?"));
    let busy = seen(printed, Some(&keys(Reader::Nobody)), 500, &[], "");
    assert_eq!((busy.state, prompt(&busy)), (State::Working, None));
}

/// The same list was a question from a file and nobody's from `python3 -c`, which may run what it reads.
#[test]
fn code_on_a_command_line_that_reads_keys_asks_and_a_console_does_not() {
    let reads = |given_code| {
        let wait = Wait { alone: true, asks_nothing: true, given_code, ..Wait::default() };
        seen("Which color?\n[x] red\n[ ] green\n", Some(&keys(Reader::Reading(wait))), 3_000, &[], "")
    };
    assert_eq!(reads(true).question.map(|question| question.kind), Some(Kind::Dialog));
    assert_eq!(reads(false).question, None);
}

/// A program that looks for a key and sleeps in between is never seen to read: it was `working`.
#[test]
fn a_menu_whose_program_looks_for_keys_now_and_then_calls_a_person_once_all_has_stood_still() {
    let menu = "\x1b[2J\x1b[HPick one:\n> red\n  green\n  blue\n";
    let verdict = |still_ms, written| seen(menu, Some(&keys(Reader::Nobody)), still_ms, &[], written);
    assert_eq!(prompt(&verdict(10_000, "Pick one:\n> red")), Some("Pick one:"));
    assert_eq!(prompt(&verdict(9_000, "Pick one:\n> red")), None);
    assert_eq!(prompt(&verdict(10_000, "")), None, "it was answered, and works");
}

#[test]
fn buttons_behind_words_that_ask_are_seen_beside_a_clock() {
    let printed = "Remove the backup?   <Yes>   <No>\n\n12:30:01";
    let ages = [60_000, 60_000, 100, 60_000, 60_000, 60_000, 60_000, 60_000, 60_000, 60_000, 60_000, 60_000];
    let verdict = seen(printed, Some(&waits()), 100, &ages, "");
    assert_eq!(prompt(&verdict), Some("Remove the backup?"));
}

#[test]
fn rows_that_nobody_asks_to_choose_from_are_none() {
    let log = "Changed files:\n> a.rs\n  b.rs\n  c.rs\n\n12:30:01 watching";
    assert_eq!(prompt(&seen(log, Some(&waits()), 20_000, &[], "")), None);
    let one = "Ready?\n> go\n\nwatching";
    assert_eq!(prompt(&seen(one, Some(&keys(Reader::Nobody)), 20_000, &[], one)), None, "one row is no menu");
}
