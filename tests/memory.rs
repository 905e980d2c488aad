//! What a program's output can make a terminal allocate, and what an agent's terminal holds. Counted in bytes by
//! an allocator that counts, never measured by what the system reports.

use allocation_counter::measure;
use counsel::core::terminal::cost::Cost;
use counsel::core::terminal::grid::Size;
use counsel::core::terminal::history::History;
use counsel::core::terminal::picture::{Picture, Shadow};
use counsel::core::terminal::query_replies::TerminalIdentity;
use counsel::core::terminal::screen::Screen;

const MIB: u64 = 1024 * 1024;
/// A block as it is read from a terminal at most.
const BLOCK: usize = 32 * 1024;
/// The emulator's parser reserves this much for synchronized updates and never touches it: no memory is taken.
const RESERVED: u64 = 2 * MIB;

fn screen(cols: u16, rows: u16) -> Screen {
    Screen::new(Size::new(cols, rows), TerminalIdentity::default())
}

/// A block of nothing but this.
fn block_of(sequence: &str) -> Vec<u8> {
    let times = BLOCK / sequence.len();
    sequence.repeat(times).into_bytes()
}

/// One block of `CSI 65535 S` took up to 1.7 GB, and one of REP more than 5: 32 bytes for each cell that scrolled
/// off, all of them at once.
#[test]
fn a_block_of_anything_takes_little_memory() {
    let fill = "\x1b#8";
    for sequence in [
        "\x1b[65535S",
        "\x1b#8\x1b[65535S",
        "\x1b#8\x1b[2J",
        "\x1b[H\x1b[65535M",
        "a\x1b[65535b",
        "\x1b[7m\n",
    ] {
        let block = block_of(sequence);
        let mut screen = screen(500, 200);
        screen.feed(fill.as_bytes());
        let mut history = History::new(10_000);
        let taken = measure(|| {
            let mut rest = &block[..];
            // As many steps as fill a history several times over: a debug build is slow.
            for _ in 0..100 {
                let (taken, fed) = screen.feed_some(rest, Cost::STEP);
                history.push(&fed.scrolled);
                rest = &rest[taken..];
            }
        });
        assert!(taken.bytes_max < 24 * MIB, "{sequence:?}: {} MiB", taken.bytes_max / MIB);
        assert!(history.held() as u64 <= 11 * MIB, "{sequence:?}: {} bytes", history.held());
    }
}

/// All at once, for a caller without a clock, the newest rows are kept.
#[test]
fn even_in_one_go_the_rows_that_scroll_off_are_bounded() {
    let block = "\x1b#8\x1b[999S".repeat(300);
    let mut screen = screen(500, 200);
    let taken = measure(|| drop(screen.feed(block.as_bytes())));
    assert!(taken.bytes_max < 24 * MIB, "{} MiB", taken.bytes_max / MIB);
}

/// A string that never ends was kept until it did, twice: 10 MB of it took 40.
#[test]
fn a_string_without_end_is_thrown_away() {
    for begin in ["\x1b]2;", "\x1b]52;c;", "\x1b]8;;", "\x1bP+q", "\x1b_G"] {
        let mut screen = screen(80, 24);
        let taken = measure(|| {
            screen.feed(begin.as_bytes());
            for _ in 0..320 {
                screen.feed(&[b'x'; BLOCK]);
            }
        });
        assert!(taken.bytes_max < 5 * MIB, "{begin:?}: {} MiB", taken.bytes_max / MIB);
        screen.feed(b"y\x07\x1b\\the end");
        assert_eq!(screen.grid().text(), "the end", "{begin:?}");
    }
}

/// What is not shown is not kept: a stack of titles, links, underlines in colour, modes by the thousand.
#[test]
fn nothing_piles_up_behind_the_screen() {
    let title = format!("\x1b]2;{}\x07", "t".repeat(4000)) + &"\x1b[22t".repeat(4000);
    let link = format!("\x1b]8;;http://{}\x07x", "l".repeat(100)).repeat(2000);
    let marks = "e".to_owned() + &"\u{301}".repeat(100_000);
    let modes: String = (0..=u16::MAX).map(|mode| format!("\x1b[?{mode}h\x1b[{mode}h")).collect();
    let kitty = "\x1b[>1u".repeat(10_000);
    let underlined = "\x1b[4;58;5;9mx".repeat(1920);
    for output in [title, link, marks, modes, kitty, underlined] {
        let mut screen = screen(80, 24);
        let taken = measure(|| drop(screen.feed(output.as_bytes())));
        let shown: String = output.chars().take(20).collect();
        // The grid, at most.
        assert!(taken.bytes_current < 100 * 1024, "{shown:?}: {} bytes stay", taken.bytes_current);
    }
}

/// Each link has an address of up to a kilobyte, and each cell may have another one.
#[test]
fn links_are_bounded() {
    let links: String =
        (0..20_000).map(|at| format!("\x1b]8;;http://{at}/{}\x07x", "l".repeat(900))).collect();
    let mut screen = screen(200, 100);
    let taken = measure(|| drop(screen.feed(links.as_bytes())));
    assert!((taken.bytes_current as u64) < MIB, "{} bytes stay", taken.bytes_current);
    assert!(screen.grid().rows[0].cells[0].link().is_some());
    assert!(screen.grid().rows[99].cells[0].link().is_none(), "the text is shown without");
    screen.feed(b"\x1b[2J\x1b[H\x1b]8;;http://new/\x07x");
    assert!(screen.grid().rows[0].cells[0].link().is_some(), "there is room again");
}

/// A line as agents print them: some words in colour, 80 columns of 120.
fn line(number: usize) -> String {
    let words = "the tests pass now, and the change is small: three files";
    format!("\x1b[2m{number:>6}\x1b[0m \x1b[32m+\x1b[0m {words} \x1b[1;36mlib.rs\x1b[0m\r\n")
}

/// An agent's screen at the usual size, ten thousand lines of history, and what one client is shown of it.
#[test]
fn a_terminal_with_ten_thousand_lines_fits_into_two_megabytes() {
    let mut kept = None;
    let taken = measure(|| {
        let (mut screen, mut history) = (screen(120, 40), History::new(10_000));
        for number in 0..12_000 {
            history.push(&screen.feed(line(number).as_bytes()).scrolled);
        }
        let mut shadow = Shadow::default();
        Picture::delta(&mut shadow, &screen);
        kept = Some((screen, history, shadow));
    });
    let (_, history, _) = kept.expect("measured");
    assert_eq!(history.end() - history.first(), 10_000);
    let taken = taken.bytes_current as u64 - RESERVED;
    println!("{taken} bytes, of them {} of history", history.held());
    assert!(taken < 2 * MIB, "{taken} bytes");
    assert!(history.held() < 1200 * 1024, "{} bytes of history", history.held());
}

/// What a history says it holds is what it holds.
#[test]
fn a_history_counts_its_bytes_honestly() {
    for long in [false, true] {
        let mut kept = None;
        let text = if long { "\x1b[31mx\x1b[32my".repeat(300) } else { "a short line".to_owned() };
        let taken = measure(|| {
            let (mut screen, mut history) = (screen(80, 24), History::bounded(2_000, 512 * 1024));
            for _ in 0..3_000 {
                history.push(&screen.feed(format!("{text}\r\n").as_bytes()).scrolled);
            }
            drop(screen);
            kept = Some(history);
        });
        let history = kept.expect("measured");
        assert!(history.held() <= 512 * 1024);
        let (told, taken) = (history.held() as i64, taken.bytes_current);
        // The list of the blocks itself is not counted.
        assert!((taken - told).abs() < 16 * 1024, "{told} bytes told, {taken} taken");
    }
}

/// After the emulator has grown a screen it keeps a thousand rows more, megabytes, for a history it has not.
#[test]
fn a_screen_that_grew_takes_no_more_than_one_made_that_large() {
    let size = Size::new(200, 60);
    let mut made = None;
    let fresh = measure(|| {
        let mut screen = screen(200, 60);
        screen.feed(b"text");
        made = Some(screen);
    });
    let mut grown = None;
    let after = measure(|| {
        let mut screen = screen(200, 10);
        screen.feed(b"text");
        screen.resize(size);
        screen.feed(b"text");
        screen.resize(Size::new(80, 24));
        screen.feed(b"\x1b[?1049h");
        screen.resize(size);
        screen.feed(b"text");
        grown = Some(screen);
    });
    let (fresh, after) = (fresh.bytes_current, after.bytes_current);
    assert!(after < fresh + 64 * 1024, "{after} bytes, {fresh} when made that large");
}
