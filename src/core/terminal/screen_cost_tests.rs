//! What bytes can make a terminal do: bounded for each step, whatever they are, and nothing where nothing changes.
//! Work is counted in cells, see `cost.rs`; memory in `tests/memory.rs`.

use proptest::prelude::*;

use super::*;
use crate::core::terminal::history::History;

/// A large screen, of a hundred thousand cells.
const COLS: u16 = 500;
const ROWS: u16 = 200;
const CELLS: u64 = COLS as u64 * ROWS as u64;
/// A block as it is read from a terminal at most.
const BLOCK: usize = 32 * 1024;

fn screen(cols: u16, rows: u16) -> Screen {
    Screen::new(Size::new(cols, rows), TerminalIdentity::default())
}

fn block_of(sequence: &str) -> Vec<u8> {
    sequence.repeat(BLOCK / sequence.len()).into_bytes()
}

/// Each of them cost seconds in one block of 32 KB, during which nothing else was done.
const COSTLY: [&str; 22] = [
    "\x1b[65535S",
    "\x1b[41m\x1b[65535S\x1b[42m",
    "\x1b[65535T",
    "\x1b[H\x1b[65535L",
    "\x1b[H\x1b[65535M",
    "x\x1b[65535@",
    "\x1b[65535P",
    "\x1b[41m\x1b[65535X\x1b[42m",
    "a\x1b[65535b",
    "\x1b[4ha\x1b[65535b",
    "e\u{301}\x1b[65535b",
    "\x1b#8",
    "\x1b#8\x1b[2J",
    "\x1b#8\x1b[999S",
    "\x1b[41m\x1b[2J\x1b[42m\x1b[2J",
    "\x1b[41m\x1b[H\x1b[J\x1b[42m\x1b[J",
    "\x1b[?1049h\x1b[?1049l",
    "\x1b[?3h",
    "\x1bc",
    "\x1b[3g\x1b[999G\x1b[65535Z",
    "\x1b[?2026h\n\x1b[?2026l",
    "\x1b[41m\x1bM\x1b[42m\x1b[H\x1bM\n",
];

/// In so many cells a block is read to its end, unless its sequences touch the whole screen.
const ENOUGH: u64 = 5 * 1024 * 1024;

#[test]
fn no_step_costs_more_than_its_budget_and_a_sequence() {
    for sequence in COSTLY {
        let mut screen = screen(COLS, ROWS);
        screen.feed(b"\x1b#8\x1b[999;999H");
        let block = block_of(sequence);
        let mut rest = &block[..];
        for _ in 0..ENOUGH / Cost::STEP.0 {
            let (taken, fed) = screen.feed_some(rest, Cost::STEP);
            assert!(taken > 0 || rest.is_empty(), "{sequence:?} stands still");
            assert!(fed.cost.0 <= Cost::STEP.0 + 3 * CELLS, "{sequence:?} cost {:?} in one step", fed.cost);
            rest = &rest[taken..];
        }
        // What costs a screen full of cells is told to: no step takes a hundred of these.
        assert!(rest.is_empty() || rest.len() > BLOCK / 2, "{sequence:?}: {} bytes left", rest.len());
    }
}

/// The cheapest way to keep a terminal busy: to erase again what is erased.
#[test]
fn what_changes_nothing_costs_nothing() {
    let sequences = [
        "\x1b[2J",
        "\x1b[J",
        "\x1b[1J",
        "\x1b[K",
        "\x1b[65535T",
        "\x1b[65535L",
        "\x1b[65535P",
        "\x1b[65535@",
        "\x1b[65535X",
        "\x1b[9;9H\x1b[65535M",
    ];
    for sequence in sequences {
        let mut screen = screen(COLS, ROWS);
        screen.feed(b"\x1b#8\x1b[m\x1b[2J");
        let fed = screen.feed(&block_of(sequence));
        assert!(fed.cost.0 <= BLOCK as u64, "{sequence:?} cost {:?}", fed.cost);
        assert!(fed.scrolled.is_empty(), "{sequence:?} scrolled something off");
    }
    // Blank rows that scroll off are lines all the same, but cost next to nothing.
    let mut screen = screen(COLS, ROWS);
    let fed = screen.feed(&block_of("\x1b[65535S"));
    assert_eq!(fed.scrolled.texts().count(), BLOCK / 8 * usize::from(ROWS));
    assert!(fed.cost.0 <= 30 * BLOCK as u64, "{:?}", fed.cost);
    let fed = screen.feed(&block_of("\x1b#8"));
    assert!(fed.cost.0 <= BLOCK as u64 + CELLS, "filled again and again: {:?}", fed.cost);
}

#[test]
fn a_character_is_repeated_no_more_often_than_it_fits_on_the_screen() {
    let mut s = screen(10, 3);
    let mut history = History::new(100);
    history.push(&s.feed(b"ab\x1b[65535b").scrolled);
    assert_eq!(s.grid().text(), "bbbbbbbbbb\nbbbbbbbbbb\nbb");
    assert_eq!(history.text(0), ["abbbbbbbbb"]);
    let mut s = screen(10, 3);
    // Split anywhere, and with a count of none.
    for part in ["x", "\x1b", "[", "3", "b", "\x1b[b", "\x1b[0by\x1b[2b"] {
        s.feed(part.as_bytes());
    }
    assert_eq!(s.grid().text(), "xxxxxxyyy");
}

/// Six megabytes of marks on one cell slowed everybody who read that row for as long as it stood.
#[test]
fn a_cell_takes_twelve_marks() {
    let mut s = screen(20, 2);
    s.feed("e".as_bytes());
    for _ in 0..100 {
        s.feed("\u{301}\u{302}".as_bytes());
        // The cursor may be moved away and back.
        s.feed("\x1b[2;5H\x1b[1;2H".as_bytes());
    }
    let marks = s.grid().rows[0].text();
    assert_eq!(marks.chars().count(), 1 + 12);
    s.feed("\x1b[2;1H🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}!漢\u{301}".as_bytes());
    assert_eq!(s.grid().rows[1].text(), "🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}!漢\u{301}");
    let cost = s.feed(("e".to_owned() + &"\u{301}".repeat(10_000)).as_bytes()).cost;
    assert!(cost.0 < 40_000, "{cost:?}");
}

/// What is drawn, as the next test needs it: anything, in any order.
fn piece() -> impl Strategy<Value = String> {
    prop_oneof![
        "[ -~]{0,30}",
        "(漢|é|e\u{301}|👍){0,9}",
        Just("\r\n\n".to_owned()),
        (0u16..700, prop::sample::select("@ABCDEFGHIJKLMPSTXZbdfmr".chars().collect::<Vec<_>>()))
            .prop_map(|(n, c)| format!("\x1b[{n}{c}")),
        prop::sample::select(vec![
            "\x1b[?2026h",
            "\x1b[?2026l",
            "\x1b[?1049h",
            "\x1b[?1049l",
            "\x1b#8",
            "\x1bc",
            "\x1b[3J",
            "\x1b[6n",
            "\x1b[c",
            "\x1b]2;title\x07",
            "\x07",
            "\x1b[4h",
            "\x1b[?7l",
            "\x1b]52;c;eA==\x1b\\",
            "\x1b[41m",
            "\x1b[m",
            "\x1b(0q\x1b(B",
        ])
        .prop_map(str::to_owned),
    ]
}

/// All that came of feeding some bytes.
#[derive(Debug, Default, PartialEq)]
struct Came {
    replies: Vec<u8>,
    reports: Vec<Report>,
    history: Vec<String>,
    place: (u64, u64, bool),
}

fn feed_all(screen: &mut Screen, pieces: &[u8], sizes: &[usize], budgets: &[u64]) -> Came {
    let (mut came, mut history) = (Came::default(), History::new(1_000_000));
    let (mut rest, mut sizes, mut budgets) = (pieces, sizes.iter().cycle(), budgets.iter().cycle());
    while !rest.is_empty() {
        let given = &rest[..rest.len().min(*sizes.next().unwrap())];
        let (taken, fed) = screen.feed_some(given, Cost(*budgets.next().unwrap()));
        assert!(taken > 0);
        came.replies.extend(fed.replies);
        came.reports.extend(fed.reports);
        history.push(&fed.scrolled);
        rest = &rest[taken..];
    }
    history.push(&screen.end_sync());
    came.history = history.text(0);
    came.place = (history.first(), history.end(), history.open_line());
    came
}

proptest! {
    /// However the bytes are cut and whenever a step ends: what comes of them is the same.
    #[test]
    fn feeding_in_steps_is_feeding_in_one(
        pieces in prop::collection::vec(piece(), 0..40),
        sizes in prop::collection::vec(1usize..200, 1..20),
        budgets in prop::collection::vec(1u64..3000, 1..20),
        cols in 2u16..30, rows in 1u16..12,
    ) {
        let bytes = pieces.concat().into_bytes();
        let (mut whole, mut parts) = (screen(cols, rows), screen(cols, rows));
        let all = feed_all(&mut whole, &bytes, &[usize::MAX], &[u64::MAX]);
        let some = feed_all(&mut parts, &bytes, &sizes, &budgets);
        prop_assert_eq!(some, all);
        prop_assert_eq!(parts.grid(), whole.grid());
        prop_assert_eq!((parts.modes(), parts.title()), (whole.modes(), whole.title()));
    }
}
