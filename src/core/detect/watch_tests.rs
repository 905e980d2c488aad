//! When a screen is judged, and what is reported of it.

use super::*;
use crate::core::detect::overdrawn::Overdrawn;
use crate::core::detect::witness::{Wait, Witness};
use crate::core::profile::Profiles;
use crate::core::terminal::cost::Cost;
use crate::core::terminal::grid::Size;
use crate::core::terminal::query_replies::TerminalIdentity;
use crate::core::terminal::screen::Screen;

/// A program that prompts, seen through a watcher at chosen times.
struct Seen {
    profile: &'static str,
    screen: Screen,
    watcher: Watcher,
    still_ms: u64,
    ages: Vec<u64>,
}

impl Seen {
    fn new() -> Seen {
        Seen::of("generic", Size::new(40, 6))
    }

    fn of(profile: &'static str, size: Size) -> Seen {
        Seen {
            profile,
            screen: Screen::new(size, TerminalIdentity::default()),
            watcher: Watcher::new(),
            still_ms: 0,
            ages: Vec::new(),
        }
    }

    fn print(&mut self, text: &str, now_ms: u64) {
        self.screen.feed(text.as_bytes());
        self.watcher.saw_output(now_ms);
    }

    fn poll(&mut self, now_ms: u64) -> Option<State> {
        self.poll_with(now_ms, None)
    }

    fn poll_with(&mut self, now_ms: u64, witness: Option<&Witness>) -> Option<State> {
        self.shown(witness, |watcher, profile, snapshot| watcher.poll(profile, snapshot, now_ms))
            .map(|verdict| verdict.state)
    }

    /// Before a key is sent.
    fn look_now(&mut self, now_ms: u64, witness: &Witness) -> State {
        self.shown(Some(witness), |watcher, profile, snapshot| watcher.look_now(profile, snapshot, now_ms))
            .state
    }

    fn shown<R>(
        &mut self,
        witness: Option<&Witness>,
        look: impl FnOnce(&mut Watcher, &Profile, &Snapshot) -> R,
    ) -> R {
        let profile = Profiles::builtin().get(self.profile).unwrap();
        let before = self.watcher.last().cloned();
        let snapshot = Snapshot {
            grid: self.screen.grid(),
            versions: self.screen.versions(),
            title: "",
            status: None,
            modes: self.screen.modes(),
            alive: true,
            witness,
            asked: before.as_ref().and_then(Verdict::asked_in_a_line),
            written: "",
            from_the_start: false,
            first_line: None,
            resized_ms: None,
            draft: "",
            wiped: false,
            untouched: false,
            still_ms: self.still_ms,
            ages: &self.ages,
        };
        look(&mut self.watcher, &profile, &snapshot)
    }
}

#[test]
fn a_question_is_reported_once_and_soon_after_its_last_byte() {
    let mut seen = Seen::new();
    assert_eq!(seen.watcher.next_wake(), None);
    seen.print("Overwrite? ", 1000);
    seen.print("[y/N] ", 1010);
    let wake = seen.watcher.next_wake().unwrap();
    assert!(wake <= 1010 + 50, "woken at {wake}");
    assert_eq!(seen.poll(wake - 1), None, "too early");
    assert_eq!(seen.poll(wake), Some(State::Asking));
    assert_eq!(seen.watcher.next_wake(), None, "nothing new, nothing to do");
    seen.print("\x1b[m", 2000);
    assert_eq!(seen.poll(2100), None, "the same verdict is not news");
}

fn reading() -> Witness {
    let program = "program".to_owned();
    let wait = Wait {
        pid: 7,
        thread: 7,
        started: 1,
        program,
        place: 1,
        sleeps: 1,
        blocking: true,
        in_read: true,
        transferred: None,
        alone: true,
        asks_nothing: false,
        given_code: false,
        acts: false,
    };
    Witness { reader: Reader::Reading(wait), canonical: true, echo: true }
}

/// A word was typed behind a prompt, which was then unlike any until somebody asked who reads: the Enter
/// behind the word was never sent.
#[test]
fn a_prompt_with_a_word_behind_it_is_held_against_its_reader_at_once() {
    let mut seen = Seen { watcher: Watcher::with_witness(), ..Seen::new() };
    for (printed, now, typing) in [("Project name: ", 0, false), ("demo", 1000, true)] {
        seen.print(printed, now);
        assert_eq!(seen.poll(now + 100), None, "held back until it is known who reads");
        assert!(seen.watcher.wants_witness());
        assert_eq!(seen.poll_with(now + 100, Some(&reading())), Some(State::Asking));
        let question = seen.watcher.last().and_then(|verdict| verdict.question.clone()).unwrap();
        assert_eq!((question.typing, question.origin.typed.as_deref()), (typing, typing.then_some("demo")));
    }
    assert!(seen.watcher.next_wake().is_some(), "its read may end without a byte");
    let gone = Witness { reader: Reader::Nobody, ..reading() };
    let wake = seen.watcher.next_wake().unwrap();
    assert_eq!(seen.poll(wake), None);
    assert_eq!(seen.poll_with(wake, Some(&gone)), Some(State::Working));
}

/// A program that was stopped by ctrl-z asked on with `^Z` behind its prompt, and nobody could answer.
#[test]
fn the_echo_of_a_signal_is_nothing_that_was_typed() {
    for (printed, typed) in [("^Z", None), ("^Z^C^Z", None), ("^Zdemo", Some("^Zdemo")), ("^X", Some("^X"))] {
        for prompt in ["Project name: ", "Project name:"] {
            let mut seen = Seen { watcher: Watcher::with_witness(), ..Seen::new() };
            for (text, now) in [(prompt, 0), (printed, 1000)] {
                seen.print(text, now);
                seen.poll(now + 100);
                seen.poll_with(now + 100, Some(&reading()));
            }
            let question = seen
                .watcher
                .last()
                .and_then(|verdict| verdict.question.clone())
                .unwrap_or_else(|| panic!("{prompt}{printed}"));
            assert_eq!((question.typing, question.origin.typed.as_deref()), (typed.is_some(), typed));
            assert_eq!(question.prompt, prompt.trim_end());
        }
    }
}

/// The same of a program that reads key by key and draws what is typed itself: a line of progress looks alike, so
/// only the prompt that stood there a moment ago, and the same reader, make it one.
#[test]
fn a_word_behind_a_prompt_is_known_by_the_prompt_that_was_there() {
    let keys = Witness { canonical: false, echo: false, ..reading() };
    let keys = match keys.reader {
        Reader::Reading(wait) => Witness {
            reader: Reader::Reading(Wait { blocking: false, in_read: false, sleeps: 0, ..wait }),
            ..keys
        },
        _ => keys,
    };
    let mut seen = Seen { watcher: Watcher::with_witness(), ..Seen::new() };
    seen.print("New branch? ", 0);
    assert_eq!(seen.poll_with(100, Some(&keys)), Some(State::Asking));
    seen.print("two words", 1000);
    assert_eq!(seen.poll(1100), None);
    assert_eq!(seen.poll_with(1100, Some(&keys)), Some(State::Asking));
    assert!(seen.watcher.last().and_then(|verdict| verdict.question.as_ref()).unwrap().typing);
    let mut fresh = Seen { watcher: Watcher::with_witness(), ..Seen::new() };
    fresh.print("New branch? two words", 0);
    assert_ne!(fresh.poll_with(100, Some(&keys)), Some(State::Asking), "nobody saw it ask");
}

/// A program that lets its cursor blink is awake ten times a second: its dialog went and came back under another number
/// several times a minute, and a person was called each time.
#[test]
fn a_dialog_stays_while_the_loop_that_reads_its_keys_is_awake_for_a_moment() {
    let Reader::Reading(wait) = reading().reader else { return };
    let keys = Wait { blocking: false, sleeps: 0, ..wait };
    let keys = Witness { reader: Reader::Reading(keys), canonical: false, echo: false };
    let awake = Witness { reader: Reader::Nobody, ..keys.clone() };
    let mut seen = Seen { watcher: Watcher::with_witness(), ..Seen::new() };
    seen.print("Which framework?\r\nReact  Vue\x1b[?25l", 0);
    assert_eq!(seen.poll(100), Some(State::Unknown));
    let mut look = |witness: &Witness| {
        let wake = seen.watcher.next_wake().unwrap();
        assert_eq!(seen.poll(wake), None);
        seen.poll_with(wake, Some(witness))
    };
    assert_eq!(look(&keys), Some(State::Asking));
    for _ in 0..3 {
        assert_eq!((look(&awake), look(&keys)), (None, None));
    }
    for _ in 0..AWAKE_LOOKS {
        assert_eq!(look(&awake), None);
    }
    assert_eq!(look(&awake), Some(State::Working), "nobody reads any more");
}

/// Two seconds behind the last answer to a prompt library, whose loop goes on to poll the terminal, a person was called for the
/// question that had been answered.
#[test]
fn what_a_library_leaves_of_an_answered_question_asks_nothing() {
    let Reader::Reading(wait) = reading().reader else { return };
    let lines = Wait { blocking: false, in_read: false, ..wait };
    let lines = Witness { reader: Reader::Reading(lines), ..reading() };
    for (left, asks) in [
        ("\u{2714} Which framework should I use? \u{203a} React\r\n", false),
        ("\u{2502}\r\n\u{25c7}  Which framework should I use?\r\n\u{2502}  React\r\n", false),
        ("Which framework should I use?\r\n", true),
        ("\u{2714} Name of the project: ", true),
    ] {
        let mut seen = Seen { watcher: Watcher::with_witness(), still_ms: 8_000, ..Seen::new() };
        seen.print(left, 0);
        for now in [100, 2_100, 8_000] {
            seen.poll_with(now, Some(&lines));
        }
        let state = seen.watcher.last().map(|verdict| verdict.state);
        assert_eq!(state == Some(State::Asking), asks, "{left:?}: {state:?}");
    }
}

/// A menu was withdrawn and asked anew eight seconds after it was drawn, when its program's runtime cleared its
/// memory, and a person was called each time.
#[test]
fn a_menu_stays_while_its_program_is_awake_and_goes_with_what_is_printed() {
    let Reader::Reading(wait) = reading().reader else { return };
    let keys = Wait { blocking: false, sleeps: 0, ..wait };
    let keys = Witness { reader: Reader::Reading(keys), canonical: false, echo: false };
    let awake = Witness { reader: Reader::Nobody, ..keys.clone() };
    let mut seen = Seen { watcher: Watcher::with_witness(), ..Seen::new() };
    seen.still_ms = 8_000;
    seen.print("Which framework?\r\n\u{276f} React\r\n  Vue\x1b[?25l", 0);
    assert_eq!(seen.poll_with(100, Some(&keys)), Some(State::Asking));
    for now in [1_100, 1_150] {
        assert_eq!(seen.poll_with(now, Some(&awake)), None);
        assert_eq!(seen.watcher.last().and_then(|last| last.question.as_ref()).unwrap().kind, Kind::Menu);
    }
    assert_eq!(seen.poll_with(1_200, Some(&keys)), None);
    seen.still_ms = 0;
    seen.print("\x1b[2J\x1b[HInstalling\r\n", 2_000);
    assert_eq!(seen.poll_with(2_100, Some(&awake)), None);
    assert_eq!(seen.poll_with(2_150, Some(&awake)), Some(State::Working));
}

/// A loop of events that was awake as the first key was due was looked at again a second later: by then the answer had ended,
/// and a person was called.
#[test]
fn a_menu_whose_program_is_awake_before_a_key_is_looked_at_again_soon() {
    let Reader::Reading(wait) = reading().reader else { return };
    let keys = Wait { blocking: false, sleeps: 0, ..wait };
    let keys = Witness { reader: Reader::Reading(keys), canonical: false, echo: false };
    let awake = Witness { reader: Reader::Nobody, ..keys.clone() };
    let mut seen = Seen { watcher: Watcher::with_witness(), ..Seen::new() };
    seen.print("Which framework?\r\n\u{276f} React\r\n  Vue\x1b[?25l", 0);
    assert_eq!(seen.poll_with(100, Some(&keys)), Some(State::Asking));
    assert_eq!(seen.look_now(350, &awake), State::Working, "and no key is sent");
    let soon = seen.watcher.next_wake().unwrap();
    assert!(soon <= 350 + AWAKE_MS, "{soon}");
    assert_eq!(seen.poll_with(soon, Some(&keys)), Some(State::Asking));
}

/// Its cursor stood below the rows, and visible: the menu was drawn anew at a key, and counted as gone until the
/// program had been quiet for so long that the answer was given up, with another row highlighted than before.
#[test]
fn a_menu_drawn_anew_above_its_cursor_is_held_against_its_reader_at_once() {
    let Reader::Reading(wait) = reading().reader else { return };
    let keys = Wait { blocking: false, sleeps: 0, ..wait };
    let keys = Witness { reader: Reader::Reading(keys), canonical: false, echo: false };
    let mut seen = Seen { watcher: Watcher::with_witness(), ..Seen::new() };
    seen.print("Which database?\r\n\u{276f} PostgreSQL\r\n  SQLite\r\n  Redis\r\n", 0);
    assert_eq!(seen.poll(100), Some(State::Working));
    let silent = seen.watcher.next_wake().unwrap();
    assert_eq!(seen.poll(silent), None);
    assert_eq!(seen.poll_with(silent, Some(&keys)), Some(State::Asking));
    seen.print("\x1b[3A  PostgreSQL\r\n\u{276f} SQLite\r\n  Redis\r\n", 1000);
    assert_eq!(seen.poll(1100), None, "held back until it is known who reads");
    assert!(seen.watcher.wants_witness());
    assert_eq!(seen.poll_with(1100, Some(&keys)), Some(State::Asking));
    let question = seen.watcher.last().and_then(|verdict| verdict.question.as_ref()).unwrap();
    assert_eq!(question.selected, Some(1));
}

/// A monitor was idle and unknown by turns, once a second each, where an editor beside it was idle throughout.
#[test]
fn a_monitor_that_draws_anew_stays_idle() {
    let Reader::Reading(wait) = reading().reader else { return };
    let keys = Wait { blocking: false, sleeps: 0, program: "htop".into(), ..wait };
    let keys = Witness { reader: Reader::Reading(keys), canonical: false, echo: false };
    let mut seen = Seen { watcher: Watcher::with_witness(), ..Seen::new() };
    seen.print("\x1b[?1049h\x1b[?25l CPU 3.1\r\n 1 root 0.0\r\nF1Help", 0);
    assert_eq!(seen.poll(100), Some(State::Unknown));
    let silent = seen.watcher.next_wake().unwrap();
    assert_eq!(seen.poll(silent), None);
    assert_eq!(seen.poll_with(silent, Some(&keys)), Some(State::Idle));
    for second in 1..4 {
        let now = silent + second * 1_000;
        seen.print("\x1b[H CPU 4.2", now);
        assert_eq!(seen.poll(now + 100), None, "held back until it is known who reads");
        assert_eq!(seen.poll_with(now + 100, Some(&keys)), None, "and the same as before");
    }
    // What it starts on its terminal is no monitor.
    seen.print("\x1b[?1049lmake: all", 9_000);
    assert_eq!(seen.poll(9_100), None);
    let nobody = Witness { reader: Reader::Nobody, ..keys };
    assert_eq!(seen.poll_with(9_100, Some(&nobody)), Some(State::Working));
}

/// Whoever asked a file system that does not answer would otherwise have no verdict at all.
#[test]
fn what_reads_is_waited_for_and_not_for_ever() {
    let mut seen = Seen { watcher: Watcher::with_witness(), ..Seen::new() };
    seen.print("Project name: ", 0);
    assert_eq!(seen.poll(100), None);
    let mut now = 100;
    while seen.watcher.waits_for_witness(now) {
        assert!(seen.watcher.next_wake().is_some_and(|wake| wake > now), "it does not spin");
        now = seen.watcher.next_wake().unwrap();
    }
    assert!((100 + UNKNOWN_MS..).contains(&now), "{now}");
    assert!(!seen.watcher.waits_for_witness(now + 1), "nor a second time");
    seen.watcher.knows_witness();
    assert!(seen.watcher.waits_for_witness(now + 2));
}

/// A program that waits in `poll` with a timer was awake when it was looked at, and looked at again only after
/// two seconds: by then its question had been withdrawn, and was asked anew under another number.
#[test]
fn a_reader_that_was_awake_for_a_moment_is_looked_at_again_at_once() {
    let mut seen = Seen { watcher: Watcher::with_witness(), ..Seen::new() };
    seen.print("Project name: ", 0);
    assert_eq!(seen.poll_with(100, Some(&reading())), Some(State::Asking));
    let awake = Witness { reader: Reader::Nobody, ..reading() };
    let first = seen.watcher.next_wake().unwrap();
    assert_eq!(seen.poll_with(first, Some(&awake)), Some(State::Working));
    let mut looks = 0;
    while seen.watcher.next_wake().is_some_and(|wake| wake <= first + 400) {
        let wake = seen.watcher.next_wake().unwrap();
        assert_eq!(seen.poll_with(wake, Some(&awake)), None);
        looks += 1;
    }
    assert_eq!(looks, 4, "before the question counts as gone");
    let wake = seen.watcher.next_wake().unwrap();
    assert_eq!(seen.poll_with(wake, Some(&reading())), Some(State::Asking));
    assert_eq!(seen.watcher.next_wake(), Some(wake + STANDING_MS));
}

#[test]
fn a_screen_that_never_rests_is_read_all_the_same() {
    let mut seen = Seen::new();
    let mut read_at = None;
    for now in (0..300).step_by(10) {
        if seen.watcher.next_wake().is_some_and(|wake| wake <= now) {
            seen.poll(now);
            read_at = read_at.or(Some(now));
        }
        seen.print("\x1b[5;1H|\x1b[1;1HOverwrite? [y/N] ", now);
    }
    assert!(read_at.is_some_and(|at| at <= 50), "first read at {read_at:?}");
}

#[test]
fn the_rest_of_a_frame_is_waited_for() {
    let mut seen = Seen::new();
    seen.print("\x1b[?2026hOverwrite? [y/N] ", 0);
    seen.screen.end_sync();
    seen.watcher.saw_half_a_frame(1000);
    assert_eq!(seen.poll(1100), None, "half a frame is no screen");
    seen.print("n\r\ndone\r\n$ \x1b[?2026l", 1500);
    assert_eq!(seen.poll(2000), Some(State::Idle));
}

#[test]
fn a_resize_is_waited_out() {
    let mut seen = Seen::new();
    seen.print("Overwrite? [y/N] ", 0);
    assert_eq!(seen.poll(100), Some(State::Asking));
    seen.screen.resize(Size::new(10, 6));
    seen.watcher.saw_resize(200);
    assert_eq!(seen.poll(300), None, "what stands there is the old screen, re-wrapped");
    assert!(seen.watcher.next_wake().unwrap() >= 350);
}

/// A request of opencode's as it stands at 80 columns, with or without its command.
fn opencode_asks(command: &str) -> String {
    let bar = "\x1b[38;2;245;167;66m\x1b[48;2;20;20;20m┃\x1b[39m";
    let row = |line: u8, text: &str| format!("\x1b[{line};3H{bar}  {text}\x1b[K");
    let options = "\x1b[38;2;10;10;10m\x1b[48;2;245;167;66m Allow once \x1b[38;2;128;128;128m\x1b[48;2;30;30;30m  \
        Allow always   Reject  \x1b[38;2;238;238;238m⇆ \x1b[38;2;128;128;128mselect";
    let rows = [
        row(2, "\x1b[38;2;245;167;66m△\x1b[39m Permission required"),
        row(3, "  # Shell command"),
        row(4, ""),
        row(5, command),
        row(6, ""),
        row(7, options),
    ];
    format!("\x1b[?2026h{}\x1b[?2026l", rows.concat())
}

/// What was told of the frame without the command was withdrawn with the next, its rule did not match, and the request with the
/// command was a person's: 2 of 12.
#[test]
fn a_request_for_consent_is_told_once_it_is_drawn_whole() {
    let mut seen = Seen::of("opencode", Size::new(80, 12));
    let subject = |seen: &Seen| seen.watcher.last().and_then(|last| last.question.clone()?.subject);
    seen.print(&opencode_asks(""), 1_000);
    assert_eq!(seen.poll(1_030), None);
    seen.print(&opencode_asks("$ ls -la build"), 1_040);
    for now_ms in [1_070, 1_085, 1_230] {
        assert_eq!(seen.poll(now_ms), None, "at {now_ms}");
    }
    assert!(seen.watcher.unjudged(), "no key goes to what stood before");
    let due = seen.watcher.next_wake().unwrap();
    assert_eq!(due, 1_070 + DRAWN_MS);
    assert_eq!(seen.poll(due), Some(State::Asking));
    assert_eq!(subject(&seen).as_deref(), Some("ls -la build"));
}

/// The frame around the command stood for longer than that on a busy machine.
#[test]
fn a_request_whose_command_is_not_drawn_is_told_of_late_and_with_no_command() {
    let mut seen = Seen::of("opencode", Size::new(80, 12));
    seen.print(&opencode_asks(""), 1_000);
    assert_eq!(seen.poll(1_030), None);
    assert_eq!(seen.watcher.next_wake(), Some(1_030 + UNDRAWN_MS));
    assert_eq!(seen.poll(1_030 + UNDRAWN_MS), Some(State::Asking));
    let question = seen.watcher.last().and_then(|last| last.question.clone()).unwrap();
    assert!(question.partial && question.origin.undrawn && question.subject.is_none(), "{question:?}");
    seen.print(&opencode_asks("$ # a comment"), 8_000);
    seen.poll(8_030);
    assert_eq!(seen.poll(8_030 + DRAWN_MS), Some(State::Asking));
    let question = seen.watcher.last().and_then(|last| last.question.clone()).unwrap();
    assert_eq!((question.partial, question.subject.as_deref()), (false, Some("# a comment")));
}

/// The frame before the command counted for another request, which might wait behind this one.
#[test]
fn the_frame_around_a_command_hides_behind_no_command() {
    let profile = Profiles::builtin().get("opencode").unwrap();
    for (before, hides) in [("", false), ("$ rm -rf /srv/data", true)] {
        let mut screen = Screen::new(Size::new(80, 12), TerminalIdentity::default());
        let mut overdrawn = Overdrawn::default();
        for command in [before, "$ ls -la build"] {
            overdrawn.feed(&profile, &mut screen, opencode_asks(command).as_bytes(), Cost::UNBOUNDED);
        }
        let mut seen = Seen::of("opencode", Size::new(80, 12));
        seen.print(&opencode_asks("$ ls -la build"), 1_000);
        seen.poll(1_030);
        seen.poll(1_030 + DRAWN_MS);
        let shown = seen.watcher.last().and_then(|last| last.question.clone());
        assert_eq!((shown.is_some(), overdrawn.hides(shown.as_ref())), (true, hides), "behind {before:?}");
    }
}

#[test]
fn a_request_that_never_stands_is_told_all_the_same() {
    let mut seen = Seen::of("opencode", Size::new(80, 12));
    let mut told = None;
    for step in 0..30 {
        let now_ms = 1_000 + step * 100;
        seen.print(&opencode_asks(&format!("$ ls {step}")), now_ms);
        if seen.poll(now_ms + 30).is_some() {
            told = told.or(Some(now_ms));
        }
    }
    assert!(told.is_some_and(|at| at <= 1_000 + RESTLESS_MS + 100), "{told:?}");
}

/// A list of Gemini CLI's: the first row, one frame before the others.
fn gemini_asks(rows: &[&str]) -> String {
    let line = |text: &str| format!("│ {text:<56} │\x1b[K\r\n");
    let mut drawn = format!("\x1b[?25l\x1b[H╭{}╮\r\n", "─".repeat(58));
    for text in ["Answer Questions", "", "Which database?", ""].iter().chain(rows) {
        drawn += &line(text);
    }
    drawn += &line("");
    drawn += &line("Enter to select · ↑/↓ to navigate · Esc to cancel");
    drawn + &format!("╰{}╯\x1b[J", "─".repeat(58))
}

#[test]
fn a_list_is_told_once_all_of_its_rows_are_drawn() {
    let first: &[&str] = &["▲", "● 1. PostgreSQL", "▼"];
    let mut seen = Seen::of("gemini", Size::new(60, 20));
    let labels = |seen: &Seen| {
        let asked = seen.watcher.last().and_then(|last| last.question.clone());
        asked.map(|asked| asked.options.into_iter().map(|row| row.label).collect::<Vec<_>>())
    };
    seen.print(&gemini_asks(first), 1_000);
    assert_eq!(seen.poll(1_026), None, "one row of more is all that stands there");
    seen.print(&gemini_asks(&["● 1. PostgreSQL", "  2. SQLite", "  3. Enter a custom value"]), 1_029);
    assert_eq!(seen.poll(1_060), Some(State::Asking), "nothing is out of view");
    assert_eq!(labels(&seen).unwrap().len(), 3);
    let mut small = Seen::of("gemini", Size::new(60, 20));
    small.print(&gemini_asks(first), 1_000);
    assert_eq!([small.poll(1_030), small.poll(1_030 + DRAWN_MS)], [None, Some(State::Asking)]);
    small.print(&gemini_asks(&["▲", "● 2. SQLite", "▼"]), 2_000);
    assert_eq!(small.poll(2_030), Some(State::Asking), "a list that scrolls is told at once");
    assert_eq!(labels(&small).unwrap(), ["SQLite"]);
}
