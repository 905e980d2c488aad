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

const REQUEST: &str = "\x1b[?25l\x1b[2J\x1b[H\r\n  Would you like to run the following command?\r\n\r\n  $ rm -rf /srv/data\r\n\r\n\
                       › 1. Yes, proceed (y)\r\n  2. No, and tell Codex what to do differently (esc)\r\n\r\n  Press enter to confirm \
                       or esc to cancel\r\n";
const HARMLESS: &str = "\r\n  Question 1/1 (1 unanswered)\r\n  Which framework should I use?\r\n\r\n› 1. React   The one most people \
                        know\r\n  2. Vue     The smaller one\r\n  3. None of the above  Optionally, add details in notes (tab).\r\n\r\n  \
                        tab to add notes | enter to submit answer | esc to interrupt\r\n";

struct Shown {
    profile: std::sync::Arc<LazyProfile>,
    screen: Screen,
    overdrawn: Overdrawn,
}

impl Shown {
    fn new(profile: &str, size: Size) -> Shown {
        let profile = Profiles::builtin().get(profile).unwrap();
        Shown {
            profile,
            screen: Screen::new(size, TerminalIdentity::default()),
            overdrawn: Overdrawn::default(),
        }
    }

    fn feed(&mut self, bytes: &[u8]) {
        let mut taken = 0;
        while taken < bytes.len() {
            taken += self.overdrawn.feed(&self.profile, &mut self.screen, &bytes[taken..], Cost::STEP).0;
        }
    }

    fn question(&self) -> Option<Question> {
        let snapshot = snapshot(&self.screen, self.screen.grid(), self.screen.versions());
        classify(&self.profile, &snapshot, &mut LineCache::default(), &mut Trace::default()).question
    }

    fn hides(&self) -> bool {
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

/// A request that a rule grants, drawn below the one that its program waits with.
#[test]
fn a_request_above_another_request_is_seen() {
    let other = REQUEST.replace("rm -rf /srv/data", "git status");
    let below = other.trim_start_matches("\x1b[?25l\x1b[2J\x1b[H");
    let mut shown = codex();
    shown.feed(format!("{REQUEST}{below}").as_bytes());
    let question = shown.question().unwrap();
    assert_eq!(question.subject.as_deref(), Some("git status"));
    shown.overdrawn.looked_above(&shown.profile, &shown.screen, &question);
    assert!(shown.hides());
    // Nor does it help to draw the lower one once more by itself.
    let mut shown = codex();
    shown.feed(format!("{REQUEST}{below}{other}").as_bytes());
    assert!(shown.hides());
    let mut shown = codex();
    shown.feed(other.as_bytes());
    let question = shown.question().unwrap();
    shown.overdrawn.looked_above(&shown.profile, &shown.screen, &question);
    assert!(!shown.hides());
}

/// Rows that were drawn over those of a request: a rule's "Yes" went to what its program had in that place, and so did one
/// whose highlight was drawn elsewhere.
#[test]
fn a_request_whose_rows_were_drawn_over_is_another_one() {
    let request = REQUEST
        .replace("  2. No", "  2. Yes, and don't ask again for commands that start with `rm` (p)\r\n  3. No");
    let rows = "\x1b[6;1H\x1b[K› 1. No way\x1b[7;1H\x1b[K  2. Yes, proceed (y)\x1b[8;1H\x1b[K";
    let highlight = "\x1b[6;1H  \x1b[8;1H› ";
    for over in [rows, highlight] {
        let mut shown = codex();
        shown.feed(request.as_bytes());
        assert!(!shown.hides());
        shown.feed(over.as_bytes());
        assert_eq!(shown.question().unwrap().subject.as_deref(), Some("rm -rf /srv/data"), "{over:?}");
        assert!(shown.hides(), "{over:?}");
        let question = shown.question();
        shown.overdrawn.typed(&Input::Key(KeyPress::plain(Key::Down)), question.as_ref());
        assert_eq!(shown.hides(), over == rows, "an arrow has moved the highlight, and no row");
    }
}

/// A person's mouse went over the pane, or its wheel was turned to see more, and the question was a consultant's.
#[test]
fn a_mouse_that_is_only_moved_answers_nothing() {
    let mouse = |kind| Input::Mouse(Mouse { kind, button: None, row: 3, col: 3, mods: Mods::NONE });
    let mut shown = codex();
    shown.feed(format!("{REQUEST}\x1b[H\x1b[2J{HARMLESS}").as_bytes());
    for kind in
        [MouseKind::Move, MouseKind::Drag, MouseKind::WheelUp, MouseKind::WheelDown, MouseKind::Release]
    {
        shown.overdrawn.typed(&mouse(kind), None);
        assert!(shown.hides(), "{kind:?}");
    }
    shown.overdrawn.typed(&mouse(MouseKind::Press), None);
    assert!(!shown.hides());
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

/// Codex' own frames: a question drawn over a request, each of its rows in the place of one of the other. What else was drawn
/// just before, here a clock, is hit in the middle of the request's frame.
#[test]
fn a_frame_that_is_drawn_over_the_frame_of_a_request_hides_it() {
    let before = printed("codex-0.169.0-permescalate-120x40.cast", 0, 6_500);
    let request = printed("codex-0.169.0-permescalate-120x40.cast", 6_900, 7_350);
    let question = printed("codex-0.169.0-asklong-120x40.cast", 7_270, 7_300);
    let plain = |text: &str| text.replace("\x1b[?2026h", "").replace("\x1b[?2026l", "");
    for (before, request, question) in [
        (before.clone(), request.clone(), question.clone()),
        (before.clone(), plain(&request), question.clone()),
        (before.clone(), plain(&request), plain(&question)),
        (before.clone(), format!("\x1b[1;2r{request}\x1b[r"), format!("\x1b[27;1H\x1b[J{question}")),
        (
            before.clone(),
            format!("\x1b[?6h\x1b[1;2r{request}\x1b[?6l\x1b[r"),
            format!("\x1b[27;1H\x1b[J{question}"),
        ),
    ] {
        for most in [usize::MAX, 4096, 700, 64] {
            let mut shown = Shown::new("codex", Size::new(120, 40));
            let all = format!("{before}{request}{question}");
            all.as_bytes().chunks(most).for_each(|block| shown.feed(block));
            assert_eq!(shown.question().map(|question| question.kind), Some(Kind::Menu), "{most}");
            assert!(shown.hides(), "{most} {:?}", &request[..20]);
        }
    }
}

/// A background process had the letters of the request drawn as lines, and took that back before its question.
#[test]
fn a_request_that_nobody_could_read_hides_behind_whatever_stands() {
    let mut shown = codex();
    shown.feed(format!("\x1b(0{REQUEST}\x1b(B\x1b[H\x1b[2J{HARMLESS}").as_bytes());
    assert!(shown.hides());
    shown.overdrawn.typed(&Input::Key(KeyPress::plain(Key::Down)), None);
    assert!(shown.hides());
    shown.overdrawn.typed(&Input::Key(KeyPress::plain(Key::Enter)), None);
    assert!(!shown.hides());
    let mut shown = codex();
    shown.feed(format!("\x1b[H\x1b[2J{HARMLESS}").as_bytes());
    shown.overdrawn.disturbed();
    assert!(shown.hides() && shown.overdrawn.hides(None));
}

#[test]
fn nothing_hides_where_nobody_asked_or_the_request_itself_stands() {
    let mut shown = codex();
    shown.feed(format!("\x1b[H\x1b[2J{HARMLESS}").as_bytes());
    assert!(!shown.hides());
    let mut shown = codex();
    shown.feed(REQUEST.as_bytes());
    shown.feed(REQUEST.as_bytes());
    assert_eq!(shown.question().unwrap().kind, Kind::Permission);
    assert!(!shown.hides() && shown.overdrawn.hides(None));
}

#[test]
fn a_key_that_answers_ends_it_and_an_arrow_does_not() {
    let mut shown = codex();
    shown.feed(REQUEST.as_bytes());
    shown.feed(format!("\x1b[H\x1b[2J{HARMLESS}").as_bytes());
    shown.overdrawn.typed(&Input::Key(KeyPress::plain(Key::Down)), None);
    assert!(shown.hides(), "the request still waits");
    shown.overdrawn.typed(&Input::Key(KeyPress::plain(Key::Enter)), None);
    assert!(!shown.hides());
}

#[test]
fn what_a_hook_has_answered_is_over() {
    let mut shown = codex();
    shown.feed(REQUEST.as_bytes());
    let request = shown.question().unwrap();
    shown.feed(format!("\x1b[H\x1b[2J{HARMLESS}").as_bytes());
    shown.overdrawn.answered(&request);
    assert!(!shown.hides());
}

/// After a restart each program is made to draw, a column narrower and then as before: a request broken in another place was
/// taken for another one, and could not be answered.
#[test]
fn a_request_that_is_drawn_anew_at_another_width_is_the_one_it_was() {
    let mut shown = codex();
    let at = |cut: &str| REQUEST.replace("rm -rf /srv/data", cut).into_bytes();
    shown.feed(&at("rm -rf /srv/data\r\n    /srv/more"));
    shown.overdrawn.resized(shown.question().as_ref());
    shown.feed(&at("rm -rf\r\n    /srv/data /srv/more"));
    shown.overdrawn.resized(shown.question().as_ref());
    shown.feed(&at("rm -rf /srv/data\r\n    /srv/more"));
    shown.feed(&at("rm -rf /srv/data\r\n    /srv/more"));
    assert_eq!(shown.question().unwrap().kind, Kind::Permission);
    assert!(!shown.hides() && shown.overdrawn.hides(None));
}

/// Two commands, of which a rule approved the first, drawn over as one: the rule saw a single command, and its Enter ran both.
#[test]
fn a_request_whose_lines_are_joined_is_another_one() {
    let mut shown = codex();
    let at = |command: &str| REQUEST.replace("rm -rf /srv/data", command).into_bytes();
    shown.feed(&at("git log\r\n    rm -rf /srv/data"));
    shown.feed(&at("git log rm -rf /srv/data"));
    assert_eq!(shown.question().unwrap().subject.as_deref(), Some("git log rm -rf /srv/data"));
    assert!(shown.hides());
    // Nor does another size make it the one it was, once the program has drawn its own again.
    shown.overdrawn.resized(shown.question().as_ref());
    shown.feed(&at("git log\r\n    rm -rf /srv/data"));
    shown.feed(&at("git log rm -rf /srv/data"));
    assert!(shown.hides());
}

/// A recording with what was typed in it and what is known of it.
struct Recording {
    path: PathBuf,
    profile: String,
    cast: Asciicast,
    labels: serde_json::Value,
}

fn recordings() -> Vec<Recording> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/recordings");
    let files = |folder: PathBuf| std::fs::read_dir(folder).unwrap().map(|file| file.unwrap().path());
    let mut paths: Vec<PathBuf> = files(folder.clone())
        .chain(files(folder.join("kept")))
        .filter(|path| path.extension().is_some_and(|it| it == "json"))
        .collect();
    paths.sort();
    let read = |path: PathBuf| {
        let labels: serde_json::Value =
            serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
        let profile = labels["agent"].as_str()?.to_owned();
        Profiles::builtin().get(&profile).filter(|profile| !profile.any_program)?;
        let cast = Asciicast::parse(&std::fs::read_to_string(path.with_extension("cast")).unwrap()).unwrap();
        Some(Recording { path, profile, cast, labels })
    };
    paths.into_iter().filter_map(read).collect()
}

impl Recording {
    /// Plays it, and calls `at` at every checkpoint with its label's kind.
    fn play(&self, mut at: impl FnMut(&mut Shown, f64, &str)) {
        let mut shown = Shown::new(&self.profile, self.cast.size);
        let typed = |input: &serde_json::Value| Some((input[0].as_f64()?, input[1].as_str()?.to_owned()));
        let inputs: Vec<(f64, String)> =
            self.labels["inputs"].as_array().into_iter().flatten().filter_map(typed).collect();
        let mut checkpoints = self.labels["checkpoints"].as_array().unwrap().iter().peekable();
        let (mut typed, end) = (0, Event { at_ms: u64::MAX, what: What::Silent });
        for event in self.cast.events.iter().chain([&end]) {
            let seconds = event.at_ms as f64 / 1000.0;
            while let Some(label) = checkpoints.next_if(|label| label["t"].as_f64().unwrap() < seconds) {
                at(
                    &mut shown,
                    label["t"].as_f64().unwrap(),
                    label["question"]["kind"].as_str().unwrap_or(""),
                );
            }
            while let Some((_, keys)) = inputs.get(typed).filter(|(at, _)| *at <= seconds) {
                let arrow = keys.starts_with("\x1b[") || keys.starts_with("\x1bO");
                let input = match arrow {
                    true => Input::Key(KeyPress::plain(Key::Down)),
                    false => Input::Raw(keys.clone().into_bytes()),
                };
                let question = shown.question();
                shown.overdrawn.typed(&input, question.as_ref());
                typed += 1;
            }
            match &event.what {
                What::Output(text) => shown.feed(text.as_bytes()),
                What::Resize(size) => {
                    let question = shown.question();
                    shown.screen.resize(*size);
                    shown.overdrawn.resized(question.as_ref());
                }
                What::Silent => {}
            }
        }
    }
}

/// Each request that was recorded, of any program that is described, drawn over where it stands.
#[test]
fn every_request_has_one_of_the_words() {
    let mut requests = 0;
    for recording in recordings() {
        let mut over = false;
        recording.play(|shown, t, kind| {
            let asks = ["permission", "plan", "trust"].contains(&kind) && shown.question().is_some();
            if over || !asks {
                return;
            }
            let (request, path) = (shown.question(), recording.path.display());
            // What comes behind it is not the recording any more.
            over = true;
            requests += 1;
            shown.feed(b"\x1b[?2026l\x1b[H\x1b[2Jnothing");
            assert!(shown.overdrawn.hides(None), "{path} @{t}: {request:?}");
        });
    }
    assert!(requests > 60, "recordings are missing: {requests}");
}

/// Where every key that was typed is known, nothing is taken for hidden.
#[test]
fn what_was_answered_by_a_key_hides_behind_nothing() {
    let (mut checked, mut hidden) = (0, Vec::new());
    for recording in recordings() {
        if recording.labels["inputs"].as_array().is_none_or(|inputs| inputs.is_empty()) {
            continue;
        }
        recording.play(|shown, t, kind| {
            // Its model writes a request into the conversation, which stands above one that is none of its words.
            let quotes = recording.path.to_string_lossy().contains("-multisess-");
            checked += usize::from(!quotes);
            if let Some(question) = shown.question().filter(|_| !quotes) {
                shown.overdrawn.looked_above(&shown.profile, &shown.screen, &question);
            }
            if shown.hides() && !quotes {
                let stood: Vec<_> = shown
                    .overdrawn
                    .stood
                    .iter()
                    .map(|it| (&it.question.prompt, &it.question.subject, it.question.labels()))
                    .collect();
                let now = shown.question().and_then(|question| question.subject);
                hidden.push(format!("{} @{t} {kind}: {stood:?}, now {now:?}", recording.path.display()));
            }
        });
    }
    assert!(checked > 300 && hidden.is_empty(), "{checked}, {}:\n{}", hidden.len(), hidden.join("\n"));
}

proptest! {
    /// Following it, a piece at a time, changes nothing of what is drawn.
    #[test]
    fn what_is_followed_is_drawn_as_it_is(pieces in proptest::collection::vec(output(), 1..60), most in 1usize..80) {
        let bytes = pieces.concat();
        let (mut followed, mut plain) = (codex(), Screen::new(Size::new(80, 24), TerminalIdentity::default()));
        followed.feed(b"Yes");
        plain.feed(b"Yes");
        for block in bytes.chunks(most) {
            followed.feed(block);
            plain.feed(block);
        }
        prop_assert_eq!(followed.screen.drawn(), plain.drawn());
    }
}

/// Text, controls, sequences and their beginnings.
fn output() -> impl Strategy<Value = Vec<u8>> {
    let known = [
        "Yes",
        "No, ",
        "› 1. ",
        "日本",
        "e\u{301}",
        "\r\n",
        "\n",
        "\r",
        "\x08",
        "\t",
        "\x1b",
        "\x1b[",
        "\x1b[2J",
        "\x1b[K",
        "\x1b[1K",
        "\x1b[H",
        "\x1b[5;70H",
        "\x1b[3A",
        "\x1b[2S",
        "\x1b[L",
        "\x1bM",
        "\x1b[?2026h",
        "\x1b[?2026l",
        "\x1b[?1049h",
        "\x1b[?1049l",
        "\x1b[2;9r",
        "\x1b7",
        "\x1b8",
        "\x1b]0;t\x07",
        "\x1b]8;;x\x1b\\",
        "\x1b[20b",
    ];
    let text = proptest::collection::vec(any::<u8>(), 0..90);
    prop_oneof![proptest::sample::select(known.to_vec()).prop_map(|it| it.as_bytes().to_vec()), text]
}
