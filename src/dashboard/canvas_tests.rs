//! Whatever is drawn in whatever pieces, the terminal shows the state. Another emulator judges.

use std::num::NonZeroU16;

use proptest::prelude::*;

use super::*;
use crate::core::agent::AgentInfo;
use crate::core::keymap::Keymap;
use crate::core::layout::Layout;
use crate::core::terminal::grid::{Attrs, Color, Size as ScreenSize, Style};
use crate::core::terminal::keys::{Input, KeyPress};
use crate::core::terminal::picture::{Picture, Shadow};
use crate::core::terminal::query_replies::TerminalIdentity;
use crate::core::terminal::screen::Screen;
use crate::dashboard::update::{Event, update};
use crate::wire::message::{Notice, ServerMessage};

const COLS: u16 = 100;
const ROWS: u16 = 16;

/// A dashboard with two agents, and the terminal it is on.
struct Desk {
    state: State,
    agents: Vec<(Screen, Shadow)>,
    canvas: Canvas,
    terminal: vt100::Parser,
}

fn terminal() -> vt100::Parser {
    let count = |count| NonZeroU16::new(count).unwrap();
    let mut terminal = vt100::Parser::new(count(ROWS), count(COLS), 0);
    terminal.process(b"\x1b[?25l");
    terminal
}

impl Desk {
    fn new() -> Desk {
        let mut state =
            State::new(Keymap::standard(KeyPress::ctrl('a')), Layout::built_in(), 0, "test".into());
        update(&mut state, Event::Resize(COLS, ROWS), 0);
        let screen =
            || (Screen::new(ScreenSize::new(30, 20), TerminalIdentity::default()), Shadow::default());
        let canvas = Canvas::new(COLS, ROWS).unwrap();
        let mut desk = Desk { state, agents: vec![screen(), screen()], canvas, terminal: terminal() };
        for name in ["0", "1"] {
            desk.event(Event::Server(Box::new(ServerMessage::Notice(Notice::Agent(Box::new(
                AgentInfo::at_work(name),
            ))))));
        }
        for agent in 0..2 {
            desk.prints(agent, b"");
        }
        desk.draw(None);
        desk
    }

    fn event(&mut self, event: Event) {
        update(&mut self.state, event, 0);
    }

    /// An agent prints; the rows that changed.
    fn prints(&mut self, agent: usize, bytes: &[u8]) -> Rows {
        let (screen, shadow) = &mut self.agents[agent];
        screen.feed(bytes);
        let rows = Picture::delta(shadow, screen).unwrap_or_default();
        let changed = rows.iter().map(|(row, _)| *row).collect();
        let (cursor, modes) = (screen.grid().cursor, screen.modes());
        let picture = Picture { size: screen.size(), rows, cursor, modes, title: String::new() };
        let name = agent.to_string();
        self.event(Event::Server(Box::new(ServerMessage::Notice(Notice::Picture {
            name: name.clone(),
            picture,
        }))));
        Rows::from([(name, changed)])
    }

    fn draw(&mut self, rows: Option<&Rows>) -> Option<String> {
        let frame = match rows {
            Some(rows) => self.canvas.draw_rows(&self.state, rows),
            None => self.canvas.draw(&self.state),
        };
        let frame = frame.unwrap()?;
        self.terminal.process(&frame);
        Some(String::from_utf8(frame).unwrap())
    }

    /// What a terminal shows that was drawn on once only.
    fn wanted(&self) -> vt100::Parser {
        let mut terminal = terminal();
        let frame = Canvas::new(COLS, ROWS).unwrap().draw(&self.state).unwrap();
        terminal.process(&frame.expect("an empty terminal shows nothing of it"));
        terminal
    }

    fn is_shown(&self) -> Result<(), TestCaseError> {
        let (shown, wanted) = (self.terminal.screen(), self.wanted());
        let wanted = wanted.screen();
        prop_assert_eq!(shown.contents(), wanted.contents());
        for (row, col) in (0..ROWS).flat_map(|row| (0..COLS).map(move |col| (row, col))) {
            prop_assert_eq!(look(shown, row, col), look(wanted, row, col), "{} {}", row, col);
        }
        prop_assert_eq!(shown.hide_cursor(), wanted.hide_cursor());
        if !wanted.hide_cursor() {
            prop_assert_eq!(shown.cursor_position(), wanted.cursor_position());
        }
        Ok(())
    }
}

/// A cell as a person sees it: a blank that was written is one that never was, and the colour of its ink is not seen.
fn look(screen: &vt100::Screen, row: u16, col: u16) -> impl PartialEq + std::fmt::Debug {
    let cell = screen.cell(row, col).unwrap();
    let glyph = if cell.has_contents() { cell.contents().to_owned() } else { " ".to_owned() };
    let modes = [cell.bold(), cell.dim(), cell.italic(), cell.underline(), cell.inverse()];
    let inked = glyph != " " || cell.underline() || cell.inverse();
    (glyph, cell.is_wide(), inked.then(|| cell.fgcolor()), cell.bgcolor(), modes)
}

#[test]
fn an_echo_writes_its_cells_and_nothing_else() {
    let mut desk = Desk::new();
    let rows = desk.prints(0, b"$ l");
    desk.draw(Some(&rows));
    let rows = desk.prints(0, b"s");
    let frame = desk.draw(Some(&rows)).unwrap();
    assert!(frame.starts_with("\x1b[?2026h") && frame.ends_with("\x1b[?2026l"), "{frame:?}");
    assert!(frame.contains('s') && !frame.contains("$ l") && frame.len() < 80, "{frame:?}");
    desk.is_shown().unwrap();
}

#[test]
fn without_a_change_there_is_no_frame_and_the_cursor_is_one() {
    let mut desk = Desk::new();
    assert_eq!(desk.draw(None), None);
    let rows = desk.prints(0, b"");
    assert_eq!(desk.draw(Some(&rows)), None);
    let rows = desk.prints(0, b"\x1b[3;5H");
    let frame = desk.draw(Some(&rows)).unwrap();
    assert!(frame.len() < 40 && frame.ends_with("\x1b[?25h\x1b[?2026l"), "{frame:?}");
    // The other agent's cursor is not shown.
    let rows = desk.prints(1, b"\x1b[3;5H");
    assert_eq!(desk.draw(Some(&rows)), None);
    desk.is_shown().unwrap();
}

/// Coloured and curly underlines, blinking, links: they were lost between an agent's screen and the person's.
#[test]
fn what_few_cells_have_reaches_the_terminal_that_can_show_it() {
    let printed = b"\x1b[4:3;58:2::1:2:3mcurly\x1b[m \x1b[5mblinks\x1b[m \
        \x1b]8;;https://example.org/a\x1b\\leads\x1b]8;;\x1b\\ \x1b[31mred\x1b[m";
    let shown = |features| {
        let mut desk = Desk::new();
        desk.canvas = Canvas::new(COLS, ROWS).unwrap().limited(features);
        desk.prints(0, printed);
        let mut outer = Screen::new(ScreenSize::new(COLS, ROWS), TerminalIdentity::default());
        outer.feed(desk.draw(None).unwrap().as_bytes());
        // Once more, row by row.
        let rows = desk.prints(0, b"\r\n\x1b]8;;https://example.org/b\x1b\\other\x1b]8;;\x1b\\");
        outer.feed(desk.draw(Some(&rows)).unwrap().as_bytes());
        outer
    };
    let find = |screen: &Screen, word: &str| {
        let rows = &screen.grid().rows;
        let (row, at) = rows.iter().find_map(|row| Some((row, row.full_text().find(word)?))).expect(word);
        let column = row.full_text()[..at].chars().count();
        let cells = &row.cells[column..column + word.len()];
        assert!(cells.iter().all(|cell| cell.style == cells[0].style && cell.link() == cells[0].link()));
        cells[0].clone()
    };
    let all = shown(Features::default());
    let curly = find(&all, "curly").style;
    assert_eq!(curly.attrs, Attrs(Attrs::UNDERLINE.0 | Attrs::CURLY.0));
    assert_eq!(curly.underline, Color::Rgb(1, 2, 3));
    assert_eq!(find(&all, "blinks").style.attrs, Attrs::BLINK);
    let leads = |word| find(&all, word).link().map(|link| link.uri.to_string());
    assert_eq!(leads("leads").as_deref(), Some("https://example.org/a"));
    assert_eq!(leads("other").as_deref(), Some("https://example.org/b"));
    assert_eq!(leads("red"), None);
    assert_eq!(find(&all, "red").style.fg, Color::Indexed(1));

    let plain = shown(Features { underlines: false, links: false });
    assert_eq!(find(&plain, "curly").style, Style { attrs: Attrs::UNDERLINE, ..Style::default() });
    assert_eq!(find(&plain, "leads").link(), None);
}

/// A program that never gave its cursor a shape has the one the person likes.
#[test]
fn the_cursor_has_the_shape_the_focused_agent_has_given_it() {
    let mut desk = Desk::new();
    let frame = |desk: &mut Desk, bytes: &[u8]| {
        let rows = desk.prints(0, bytes);
        desk.draw(Some(&rows)).unwrap()
    };
    assert!(!frame(&mut desk, b"x").contains(" q"));
    assert!(frame(&mut desk, b"\x1b[5 qx").contains("\x1b[5 q"));
    assert!(frame(&mut desk, b"\x1b[0 qx").contains("\x1b[0 q"));
}

#[test]
fn another_size_is_drawn_anew() {
    let mut desk = Desk::new();
    desk.event(Event::Resize(COLS - 10, ROWS));
    desk.canvas.resize(COLS - 10, ROWS);
    let rows = desk.prints(0, b"x");
    assert!(desk.draw(Some(&rows)).is_some_and(|frame| frame.contains("\x1b[2J")));
}

/// Which part of a screen a pane shows is written in its border, which no row of the screen is.
#[test]
fn the_part_a_pane_shows_stays_true_when_the_screen_alone_changes_its_size() {
    let mut desk = Desk::new();
    let rows = desk.prints(0, b"\x1b[?25lx");
    desk.draw(Some(&rows));
    assert!(desk.terminal.screen().contents().contains("of 20 · ctrl-a [ scrolls"));
    desk.agents[0].0.resize(ScreenSize::new(30, 22));
    let rows = desk.prints(0, b"");
    desk.draw(Some(&rows));
    assert!(desk.terminal.screen().contents().contains("of 22 · ctrl-a [ scrolls"));
    desk.is_shown().unwrap();
}

fn piece() -> impl Strategy<Value = String> {
    prop_oneof![
        "[ -~]{0,40}",
        // Glyphs on whose width both emulators agree.
        Just("漢字é漢\r\n".to_owned()),
        (0u8..110).prop_map(|n| format!("\x1b[{n}m")),
        (1u8..22, 1u8..32).prop_map(|(r, c)| format!("\x1b[{r};{c}H")),
        (0u8..4, prop::sample::select(vec!['J', 'K', 'P', 'L', 'M', 'X']))
            .prop_map(|(n, c)| format!("\x1b[{n}{c}")),
        prop::sample::select(vec!["\x1b[?25l", "\x1b[?25h", "\n", "\x1b[2J"]).prop_map(str::to_owned),
    ]
}

#[derive(Debug, Clone)]
enum Act {
    Prints(usize, String),
    Press(&'static str),
}

fn act() -> impl Strategy<Value = Act> {
    let pieces = prop::collection::vec(piece(), 0..8);
    let keys = vec!["ctrl-a n", "ctrl-a z", "ctrl-a ?", "esc", "ctrl-a space"];
    prop_oneof![
        6 => (0usize..2, pieces).prop_map(|(agent, pieces)| Act::Prints(agent, pieces.concat())),
        1 => prop::sample::select(keys).prop_map(Act::Press),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn rows_drawn_alone_show_what_all_of_it_would(acts in prop::collection::vec(act(), 1..20)) {
        let mut desk = Desk::new();
        for act in acts {
            match act {
                Act::Prints(agent, bytes) => {
                    let rows = desk.prints(agent, bytes.as_bytes());
                    desk.draw(Some(&rows));
                }
                Act::Press(keys) => {
                    for key in keys.split(' ') {
                        desk.event(Event::Input(Input::Key(KeyPress::parse(key).unwrap())));
                    }
                    desk.draw(None);
                }
            }
            desk.is_shown()?;
        }
    }
}
