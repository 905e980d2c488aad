//! A harmless question drawn over a request for consent, faster than anybody looks.

use std::path::{Path, PathBuf};

use proptest::prelude::*;

use super::*;
use crate::core::profile::{LazyProfile, Profiles};
use crate::core::question::Kind;
use crate::core::recording::asciicast::{Asciicast, Event, What};
use crate::core::terminal::grid::Size;
use crate::core::terminal::keys::{KeyPress, Mouse, MouseKind};
use crate::core::terminal::query_replies::TerminalIdentity;

#[path = "hidden_tests.rs"]
mod hidden;

const REQUEST: &str = "\x1b[?25l\x1b[2J\x1b[H\r\n  Would you like to run the following command?\r\n\r\n  $ rm -rf /srv/data\r\n\r\n\
                       › 1. Yes, proceed (y)\r\n  2. No, and tell Codex what to do differently (esc)\r\n\r\n  Press enter to confirm \
                       or esc to cancel\r\n";
const HARMLESS: &str = "\r\n  Question 1/1 (1 unanswered)\r\n  Which framework should I use?\r\n\r\n› 1. React   The one most people \
                        know\r\n  2. Vue     The smaller one\r\n  3. None of the above  Optionally, add details in notes (tab).\r\n\r\n  \
                        tab to add notes | enter to submit answer | esc to interrupt\r\n";

pub(super) struct Shown {
    profile: std::sync::Arc<LazyProfile>,
    pub(super) screen: Screen,
    pub(super) overdrawn: Overdrawn,
}

impl Shown {
    pub(super) fn new(profile: &str, size: Size) -> Shown {
        let profile = Profiles::builtin().get(profile).unwrap();
        Shown {
            profile,
            screen: Screen::new(size, TerminalIdentity::default()),
            overdrawn: Overdrawn::default(),
        }
    }

    pub(super) fn feed(&mut self, bytes: &[u8]) {
        let mut taken = 0;
        while taken < bytes.len() {
            taken += self.overdrawn.feed(&self.profile, &mut self.screen, &bytes[taken..], Cost::STEP).0;
        }
    }

    pub(super) fn question(&self) -> Option<Question> {
        let snapshot = snapshot(&self.screen, self.screen.grid(), self.screen.versions());
        classify(&self.profile, &snapshot, &mut LineCache::default(), &mut Trace::default()).question
    }

    pub(super) fn hides(&self) -> bool {
        self.overdrawn.hides(self.question().as_ref())
    }
}

fn codex() -> Shown {
    Shown::new("codex", Size::new(80, 24))
}

/// Fifteen milliseconds were enough: the question was answered, and its Enter ran the command.
#[test]
fn a_request_that_stood_for_no_time_is_seen() {
    let lines: Vec<&str> = HARMLESS.split("\r\n").collect();
    let row = |(at, line): (usize, &&str)| format!("\x1b[{};1H{line:<79}", at + 1);
    let by_rows: String = lines.iter().enumerate().map(row).collect();
    let typed_over: String = lines.iter().map(|line| format!("{line:<79}\r\n")).collect();
    for drawn in [
        format!("\x1b[?2026h\x1b[H\x1b[2J{HARMLESS}\x1b[?2026l"),
        format!("\x1b[H\x1b[2J{HARMLESS}"),
        format!("\x1b[H\x1b[J{HARMLESS}"),
        format!("\x1b[2J\x1b[H{HARMLESS}"),
        format!("\x1bc{HARMLESS}"),
        format!("\x1b[?1049h\x1b[H{HARMLESS}"),
        format!("\x1b[20A\r{typed_over}"),
        format!("{}\x1b[H{typed_over}", "\n".repeat(60)),
        format!("\x1b[99S\x1b[H{HARMLESS}"),
        format!("\x1b8{typed_over}"),
        format!("\x1b[9M\x1b[H\x1b[J{HARMLESS}"),
        by_rows,
    ] {
        for (begins, ends) in [("", ""), ("\x1b[?2026h", "\x1b[?2026l"), ("\x1b[?2026h", "")] {
            let request = format!("{begins}{REQUEST}{ends}");
            // In one block, in two, and in blocks of a few bytes.
            for most in [usize::MAX, request.len(), 7] {
                let mut shown = codex();
                let all = format!("{request}{drawn}\x1b[?2026l");
                all.as_bytes().chunks(most).for_each(|block| shown.feed(block));
                let question = shown.question();
                assert_eq!(question.map(|question| question.kind), Some(Kind::Menu), "{drawn:?}");
                assert!(shown.hides(), "{begins:?} {most}: {drawn:?}");
            }
        }
    }
}

/// Ways of a terminal to lose what stands on it, none of which is written as what it does.
#[test]
fn a_request_that_is_lost_in_an_odd_way_is_seen() {
    let lines: Vec<&str> = HARMLESS.split("\r\n").collect();
    let typed_over: String = lines.iter().map(|line| format!("{line:<79}\r\n")).collect();
    let over = format!("\x1b[H{typed_over}");
    let clean = format!("\x1b[H\x1b[2J{HARMLESS}");
    let wide = "\u{3000}".repeat(80);
    let mut lost = Vec::new();
    for drawn in [
        format!("\x1b[H \x1b[2000b{over}"),
        format!("\x1b[H\x1b[2b\x1b[2000b{over}"),
        format!("\x1b[24;1H{}{over}", "\x1b[\nm".repeat(30)),
        format!("\x1b[24;1H{}{over}", "\x1b[\x0bH\x1b[24;1H".repeat(30)),
        format!("\x1b[\x1bc{HARMLESS}"),
        format!("\x1b[24;1H{}{over}", "\x1b[\x1bD".repeat(30)),
        format!("\x1b(\x1b[2J{over}"),
        format!("\x1b[24;1H{}{over}", "\x1b(\n".repeat(30)),
        format!("\x1b[24;1H{}{over}", "\x1b)\x0c".repeat(30)),
        format!("\x1bPq\x1b[2J{over}"),
        format!("\x1bPq\u{9c}\x1b[2J{over}"),
        format!("\x1b]0;x\x18\x1b[2J{over}"),
        format!("\x1b_x\x1b[2J{over}"),
        format!("\x1b[H{wide}\x1b[3;1H{wide}\x1b[5;1H{wide}\x1b[7;1H{wide}\x1b[9;1H{wide}{over}"),
        format!("\x1b[1;80Hx \x1b[3;80Hx \x1b[5;80Hx \x1b[7;80Hx {over}"),
        format!("\x1b[4h\x1b[H{typed_over}\x1b[4l{clean}"),
        format!(
            "\x1b[4h{}\x1b[4l{over}",
            (1..10).map(|row| format!("\x1b[{row};1H{:80}", "")).collect::<String>()
        ),
        (1..10).map(|row| format!("\x1b[{row};1H\x1b[80X")).collect::<String>() + &over,
        (1..10).map(|row| format!("\x1b[{row};1H\x1b[80P")).collect::<String>() + &over,
        (1..10).map(|row| format!("\x1b[{row};1H\x1b[80@")).collect::<String>() + &over,
        (1..10).rev().map(|row| format!("\x1b[{row};1H\x1b[1K\x1b[{row};80H\x1b[1K")).collect::<String>()
            + &over,
        format!("\x1b[2;12r\x1b[12;1H{}\x1b[r{over}", "\n".repeat(12)),
        format!("\x1b[2;12r\x1b[2;1H{}\x1b[r{over}", "\x1bM".repeat(12)),
        format!("\x1b[H\x1b[20L{over}"),
        format!("\x1b[H\x1b[20M{over}"),
        format!("\x1b[20T{over}"),
        format!("\x1b[20S{over}"),
        format!("\x1b#8{clean}"),
        format!("\x1b[?47h{over}"),
        format!("\x1b[?1047h{over}"),
        format!("\x1b[?7;1049h{over}"),
        format!("\x1b[?1049h\x1b[?1049l{clean}"),
        format!("\x1b[!p{over}"),
        format!("\x1b[?3h{over}"),
        format!("\x1b[1;1;24;80${{{over}"),
        format!("\x1b7\x1b[H\x1b[9M\x1b8{over}"),
        format!("\x1b[3g\x1b[H{}{over}", "\t".repeat(300)),
    ] {
        for (begins, ends) in [("", ""), ("\x1b[?2026h", "\x1b[?2026l")] {
            for most in [usize::MAX, 7, 1] {
                let mut shown = codex();
                let all = format!("{begins}{REQUEST}{ends}{drawn}\x1b[?2026l");
                all.as_bytes().chunks(most).for_each(|block| shown.feed(block));
                let question = shown.question();
                let stands = question.as_ref().is_some_and(|question| question.kind.gives_consent());
                if !stands && !shown.hides() {
                    lost.push(format!("{begins:?} {most}: {:?}", drawn.chars().take(60).collect::<String>()));
                }
            }
        }
    }
    assert!(lost.is_empty(), "{}", lost.join("\n"));
}

/// A region of some rows that whoever meddles sets within a frame of its own: a program that writes row after row is never
/// seen whole.
#[test]
fn a_request_within_a_region_of_somebody_elses_frame_is_seen_or_told() {
    let claude = printed("claude-1.0.58-permbash-120x40.cast", 2_130, 2_140);
    let mut lost = Vec::new();
    for (name, request) in [("codex", REQUEST.replace("\x1b[2J\x1b[H", "")), ("claude", claude)] {
        let mut shown = Shown::new(name, Size::new(120, 40));
        shown.feed(format!("\x1b[?25l{request}\x1b[H\x1b[J{HARMLESS}").as_bytes());
        assert!(shown.hides(), "{name}");
        for rows in [2, 5, 6, 8, 12, 15, 16, 20] {
            for top in [1, 5] {
                let mut shown = Shown::new(name, Size::new(120, 40));
                let bottom = top + rows - 1;
                let begun = format!("\x1b[?25l\x1b[2J\x1b[?2026h\x1b[{top};{bottom}r\x1b[{bottom};1H");
                shown.feed(format!("{begun}{request}\x1b[r\x1b[H\x1b[J{HARMLESS}\x1b[?2026l").as_bytes());
                if !shown.hides() {
                    lost.push(format!("{name}: {rows} rows from {top}"));
                }
            }
        }
    }
    assert!(lost.is_empty(), "{}", lost.join("\n"));
}

/// Looks were used up by what somebody drew and destroyed just before the request, in the same block.
#[test]
fn what_was_drawn_before_a_request_takes_no_look_from_it() {
    let mut shown = codex();
    let noise = "zz\x1b[H\x1b[K".repeat(60);
    shown.feed(format!("{noise}{REQUEST}\x1b[H\x1b[2J{HARMLESS}").as_bytes());
    assert!(shown.hides());
}

/// The request as a program draws it that draws only cells that have changed: word after word, and no blanks.
fn by_cells(request: &str) -> String {
    let rows = request.trim_start_matches("\x1b[?25l\x1b[2J\x1b[H").split("\r\n").enumerate();
    let mut drawn = String::new();
    for (row, text) in rows {
        let mut col = 1;
        for word in text.split(' ') {
            if !word.is_empty() {
                drawn += &format!("\x1b[{};{col}H{word}", row + 1);
            }
            col += word.chars().count() + 1;
        }
    }
    drawn
}

/// A background process had drawn signs into every cell that the program took for blank: its request was no request.
#[test]
fn a_request_among_what_somebody_drew_before_is_seen() {
    let fill =
        |sign: &str| (1..=24).map(|row| format!("\x1b[{row};1H{}", sign.repeat(80))).collect::<String>();
    let over = format!("\x1b[H\x1b[2J{HARMLESS}");
    let beside: String = (1..=10).map(|row| format!("\x1b[{row};60Hxxxx")).collect();
    let below = format!("\x1b[12;1H{}", "x".repeat(80));
    let words: String = (12..=18).map(|row| format!("\x1b[{row};1HYes, the plan")).collect();
    let cells = by_cells(REQUEST);
    let mut lost = Vec::new();
    for (name, drawn) in [
        ("letters", format!("{}{cells}{over}", fill("x"))),
        ("dots", format!("{}{cells}{over}", fill("."))),
        ("a word", format!("{}{cells}{over}", fill("Yes,"))),
        ("kept", format!("{}\x1b[?2026h{cells}\x1b[?2026l{over}", fill("x"))),
        (
            "both",
            format!(
                "\x1b[?2026h{}\x1b[?2026l\x1b[?2026h{cells}\x1b[?2026l\x1b[?2026h{over}\x1b[?2026l",
                fill("x")
            ),
        ),
        ("one update", format!("\x1b[?2026h{}{cells}{over}\x1b[?2026l", fill("x"))),
        ("a place to type", format!("{}\x1b[14;1H\x1b[K› \x1b[15;1H\x1b[K{cells}{over}", fill("x"))),
        ("then more", format!("{}{cells}{beside}{over}", fill("x"))),
        ("beside", format!("{cells}{beside}{over}")),
        ("beside all of it", format!("{REQUEST}{beside}{over}")),
        ("words below", format!("{REQUEST}{words}\x1b[7;70Hx\x1b[8;70Hx{over}")),
        ("below", format!("{REQUEST}{below}\x1b[7;70Hx\x1b[8;70Hx{over}")),
    ] {
        for most in [usize::MAX, 1024, 64, 7] {
            let mut shown = codex();
            drawn.as_bytes().chunks(most).for_each(|block| shown.feed(block));
            assert_eq!(shown.question().map(|question| question.kind), Some(Kind::Menu), "{name}");
            if !shown.hides() {
                lost.push(format!("{name} in blocks of {most}"));
            }
        }
    }
    assert!(lost.is_empty(), "{}", lost.join("\n"));
}

/// A question drawn below a request, faster than anybody looks: its Enter granted what stands above it.
#[test]
fn a_request_above_a_question_is_seen() {
    let mut shown = codex();
    let mut settled = |drawn: &str| {
        shown.feed(drawn.as_bytes());
        let question = shown.question().unwrap();
        shown.overdrawn.looked_above(&shown.profile, &shown.screen, &question);
        (question.kind, shown.overdrawn.hides(Some(&question)))
    };
    assert_eq!(settled(&format!("\x1b[2J\x1b[H{HARMLESS}")), (Kind::Menu, false));
    assert_eq!(settled(&format!("{REQUEST}{HARMLESS}")), (Kind::Menu, true));
    let mut shown = codex();
    let between = "Yes, the plan\r\n".repeat(5);
    shown.feed(format!("{REQUEST}{between}{HARMLESS}").as_bytes());
    let question = shown.question().unwrap();
    shown.overdrawn.looked_above(&shown.profile, &shown.screen, &question);
    assert!(question.kind == Kind::Menu && shown.overdrawn.hides(Some(&question)));
}

/// Each letter placed or coloured by itself: none of the words was written in one piece, and the request was drawn over unseen.
#[test]
fn a_request_whose_letters_are_written_one_by_one_is_seen() {
    let request = REQUEST.trim_start_matches("\x1b[?25l\x1b[2J\x1b[H");
    let placed = |every: usize, first: usize| {
        let letters = request.split("\r\n").enumerate().flat_map(|(row, text)| {
            let letters =
                text.chars().enumerate().filter(|(col, letter)| *letter != ' ' && col % every == first);
            letters
                .map(move |(col, letter)| format!("\x1b[{};{}H{letter}", row + 1, col + 1))
                .collect::<Vec<_>>()
        });
        letters.collect::<String>()
    };
    let coloured: String =
        request.chars().map(|ch| if ch < ' ' { ch.to_string() } else { format!("{ch}\x1b[m") }).collect();
    let fill: String = (1..=24).map(|row| format!("\x1b[{row};1H{}", "x".repeat(80))).collect();
    let (over, flood) = (format!("\x1b[H\x1b[2J{HARMLESS}"), "x".repeat(5000));
    let noise = "zz\x1b[H\x1b[K".repeat(60);
    let mut lost = Vec::new();
    for (name, drawn) in [
        ("placed", format!("\x1b[2J{}{over}", placed(1, 0))),
        ("placed among others", format!("{fill}{}{over}", placed(1, 0))),
        ("coloured", format!("\x1b[2J\x1b[H{coloured}{over}")),
        ("in one update", format!("\x1b[?2026h\x1b[2J\x1b[H{coloured}{over}\x1b[?2026l")),
        ("in a flood", format!("{flood}\x1b[2J\x1b[H{coloured}{over}")),
        ("behind noise", format!("{noise}\x1b[2J\x1b[H{coloured}{over}")),
        // What stood there before had every other letter in the same place.
        ("every other", format!("\x1b[2J{}{}{over}", placed(2, 1), placed(2, 0))),
        ("every other behind noise", format!("{noise}\x1b[2J{}{}{over}", placed(2, 1), placed(2, 0))),
    ] {
        for most in [usize::MAX, 4095, 64, 7, 1] {
            let mut shown = codex();
            drawn.as_bytes().chunks(most).for_each(|block| shown.feed(block));
            assert_eq!(shown.question().map(|question| question.kind), Some(Kind::Menu), "{name}");
            if !shown.hides() {
                lost.push(format!("{name} in blocks of {most}"));
            }
        }
    }
    assert!(lost.is_empty(), "{}", lost.join("\n"));
}

/// A line that goes on in the last row scrolls the screen without a line feed.
#[test]
fn a_request_that_long_lines_scroll_out_is_seen() {
    let over = format!("\x1b[H\x1b[2J{HARMLESS}");
    let mut lost = Vec::new();
    for long in ["q".repeat(9000), "\u{3000}".repeat(3000), "q\u{301}".repeat(3000)] {
        for begin in ["\x1b[12;1H", "\x1b[24;1H", ""] {
            for most in [usize::MAX, 4095, 700, 7] {
                let mut shown = codex();
                let all = format!("{REQUEST}{begin}{long}{over}");
                all.as_bytes().chunks(most).for_each(|block| shown.feed(block));
                if !shown.hides() {
                    lost.push(format!("{:?} from {begin:?} in blocks of {most}", long.chars().next()));
                }
            }
        }
    }
    assert!(lost.is_empty(), "{}", lost.join("\n"));
}

/// A string that somebody else began took in the rows of the request: they were never drawn.
#[test]
fn a_request_that_a_string_takes_in_is_told() {
    let request = REQUEST.trim_start_matches("\x1b[?25l\x1b[2J\x1b[H");
    let mut lost = Vec::new();
    for begin in ["\x1b]0;", "\x1b]52;c;", "\x1bP", "\x1bPq", "\x1b_", "\x1b_\x07", "\x1b^", "\x1bX"] {
        for before in ["", &"x".repeat(5000)] {
            for most in [usize::MAX, 7, 1] {
                let mut shown = codex();
                let all = format!("{before}\x1b[2J\x1b[H{begin}{request}\x1b[H\x1b[2J{HARMLESS}");
                all.as_bytes().chunks(most).for_each(|block| shown.feed(block));
                if !shown.hides() {
                    lost.push(format!("{begin:?} behind {} in blocks of {most}", before.len()));
                }
            }
        }
        // Its two first bytes in two blocks, of which the first is one of a flood.
        let (mut shown, flood) = (codex(), "x".repeat(5000));
        shown.feed(format!("{flood}\x1b").as_bytes());
        shown.feed(format!("{}{request}\x1b[H\x1b[2J{HARMLESS}", &begin[1..]).as_bytes());
        if !shown.hides() {
            lost.push(format!("{begin:?} in two blocks"));
        }
    }
    assert!(lost.is_empty(), "{}", lost.join("\n"));
    let mut shown = codex();
    let lines = "AAAA\r\n".repeat(40);
    shown.feed(format!("\x1b]0;Yes, the plan\x07\x1b]52;c;{lines}\x07\x1bPq{lines}\x1b\\").as_bytes());
    shown.feed(format!("\x1b[H\x1b[2J{HARMLESS}").as_bytes());
    assert!(!shown.hides(), "a title, a copy and an image take nothing in");
}

/// What a recording printed until then, and within that time.
fn printed(name: &str, from_ms: u64, until_ms: u64) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/recordings").join(name);
    let cast = Asciicast::parse(&std::fs::read_to_string(path).unwrap()).unwrap();
    let within = |event: &&Event| (from_ms..until_ms).contains(&event.at_ms);
    let text = |event: &Event| match &event.what {
        What::Output(text) => text.clone(),
        What::Resize(_) | What::Silent => String::new(),
    };
    cast.events.iter().filter(within).map(text).collect()
}

/// Claude Code drew the box of a command once more when a rule had granted it through the hook, with the box of the next command
/// right behind it: a person's answer to that was refused for good.
#[test]
fn what_a_hook_granted_may_be_drawn_once_more() {
    let next = REQUEST.replace("rm -rf /srv/data", "touch notes");
    for (granted, hides) in [(true, false), (false, true)] {
        let mut shown = codex();
        shown.feed(REQUEST.as_bytes());
        shown.feed(REQUEST.as_bytes());
        let question = shown.question().unwrap();
        if granted {
            shown.overdrawn.answered(&question);
        }
        shown.feed(REQUEST.as_bytes());
        shown.feed(next.as_bytes());
        assert!(shown.question().is_some_and(|question| question.subject.as_deref() == Some("touch notes")));
        assert_eq!(shown.hides(), hides, "granted: {granted}");
    }
}

/// Gemini CLI leaves the box in which its folder was trusted above "restarting", and clears it two seconds later: the menu that
/// came next could not be answered.
#[test]
fn what_was_answered_asks_for_nothing_as_long_as_it_stands() {
    let mut shown = codex();
    shown.feed(REQUEST.as_bytes());
    let question = shown.question();
    shown.overdrawn.typed(&Input::Key(KeyPress::plain(Key::Enter)), question.as_ref());
    shown.feed(b"\r\n  Starting anew ...\r\n");
    shown.overdrawn.looked(None, shown.screen.grid());
    shown.feed(format!("\x1b[H\x1b[2J{HARMLESS}").as_bytes());
    assert!(!shown.hides());
    shown.overdrawn.looked(None, shown.screen.grid());
    shown.feed(format!("{REQUEST}\x1b[H\x1b[2J{HARMLESS}").as_bytes());
    assert!(shown.hides(), "it had gone, and was asked anew");
}

/// A box of Gemini CLI's around these lines of a command.
fn gemini_asks(lines: &[&str]) -> String {
    let row = |text: &str| format!("│ {text:<76} │\r\n");
    let command: String = lines.iter().map(|line| row(&format!("│ {line:<72} │"))).collect();
    let edge = |left: &str, right: &str| row(&format!("{left}{}{right}", "─".repeat(74)));
    let rows = ["● 1. Allow once", "  2. Allow for this session", "  3. No, suggest changes (esc)"];
    let rows: String = rows.map(row).concat();
    let (top, bottom) = (edge("╭", "╮"), edge("╰", "╯"));
    format!(
        "\x1b[?25l\x1b[H\x1b[2J╭{0}╮\r\n{1}{top}{command}{bottom}{2}{3}{rows}╰{0}╯\r\n",
        "─".repeat(78),
        row("? Shell  x"),
        row("Allow execution of [Shell]?"),
        row(""),
    )
}

/// What it drew first held a part of the command, and a person's answer to the whole was refused for good. Whoever draws over
/// such a request may show any command that ends like it: a rule and a consultant are kept from it.
#[test]
fn a_person_may_answer_a_command_whose_rest_has_come_into_view() {
    let whole = ["for i in 1 2 3; do", "  rm -rf build/$i", "done"];
    for (first, then, hides) in [
        (&["... 2 hidden (Ctrl+O) ...", "done"][..], &whole[..], false),
        (&["... 2 hidden (Ctrl+O) ...", "rm -rf /srv/data"], &whole, true),
        (&["... 7 hidden (Ctrl+O) ...", "a", "b"], &["... 8 hidden (Ctrl+O) ...", "b", "c"], false),
        (&["... 7 hidden (Ctrl+O) ...", "a", "b"], &["... 8 hidden (Ctrl+O) ...", "c", "d"], true),
        (&["rm -rf /srv/data", "done"], &whole, true),
    ] {
        let mut shown = Shown::new("gemini", Size::new(80, 24));
        shown.feed(gemini_asks(first).as_bytes());
        shown.feed(gemini_asks(then).as_bytes());
        let question = shown.question();
        assert!(question.is_some() && shown.hides(), "{first:?} then {then:?}: {question:?}");
        assert_eq!(shown.overdrawn.hides_from_person(question.as_ref()), hides, "{first:?} then {then:?}");
    }
}
