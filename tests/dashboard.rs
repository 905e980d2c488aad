//! What the dashboard looks like: notices and keys in, the screen as text out, compared with the pictures
//! in `tests/pictures`. `UPDATE=1` writes them anew.

use std::fs;
use std::num::NonZeroU16;
use std::path::PathBuf;

use counsel::core::agent::{AgentInfo, Duty, Host};
use counsel::core::layout::Layout;
use counsel::core::question::{Choice, Kind, Role, State as AgentState};
use counsel::core::terminal::grid::Size;
use counsel::core::terminal::keys::{Input, KeyPress};
use counsel::core::terminal::picture::{Picture, Shadow};
use counsel::core::terminal::query_replies::TerminalIdentity;
use counsel::core::terminal::screen::Screen;
use counsel::dashboard::state::State;
use counsel::dashboard::update::{Event, update};
use counsel::dashboard::view;
use counsel::wire::message::{Notice, QuestionInfo, ServerMessage, Status};
use ratatui::Terminal;
use ratatui::backend::{CrosstermBackend, TestBackend};
use ratatui::layout::Rect;
use ratatui::{TerminalOptions, Viewport};

/// A Saturday in November, so that ages and countdowns are always the same.
const NOW: f64 = 1_795_240_000.0;

fn info(name: &str, state: AgentState, age: f64) -> AgentInfo {
    AgentInfo {
        name: name.into(),
        state,
        since: NOW - age,
        question: None,
        profile: "claude".into(),
        host: Host::Pty,
        pid: Some(4711),
        cols: 80,
        rows: 24,
        exit_code: (state == AgentState::Exited).then_some(1),
        role: Duty::Worker,
        title: String::new(),
        isolate: Default::default(),
        memory_kib: (state == AgentState::Paused).then_some(300 * 1024),
        deadline_at: None,
        consultant: Some("advisor".into()),
        cwd: "/src".into(),
        place: None,
    }
}

fn question(agent: &str, status: Status) -> QuestionInfo {
    let labels = ["PostgreSQL", "SQLite", "Type something."];
    let choice = |label: &str| Choice {
        label: label.into(),
        description: if label == "SQLite" { "One file, no server to run".into() } else { String::new() },
        role: if label == "Type something." { Role::FreeText } else { Role::Choice },
        ..Choice::default()
    };
    QuestionInfo {
        id: format!("{agent}-1"),
        agent: agent.into(),
        kind: Kind::Menu,
        prompt: "Which database should I use for the session store?".into(),
        options: labels.iter().map(|label| (*label).to_owned()).collect(),
        selected: Some(0),
        multi: false,
        asked_at: NOW - 12.0,
        deadline_at: Some(NOW + 43.0),
        status,
        route: "advisor".into(),
        sources: vec!["screen".into()],
        trust: Default::default(),
        choices: labels.iter().map(|label| choice(label)).collect(),
        subject: None,
        note: None,
        answer: (status == Status::Proposed).then(|| "SQLite".to_owned()),
    }
}

/// The dashboard with a person before it.
struct Desk {
    state: State,
}

impl Desk {
    fn new(cols: u16, rows: u16) -> Desk {
        let state = State::new(KeyPress::ctrl('a'), Layout::built_in(), 0, "shop".into());
        let mut desk = Desk { state };
        desk.event(Event::Resize(cols, rows));
        desk
    }

    /// A team as one often has it, every state among them.
    fn team(cols: u16, rows: u16) -> Desk {
        let mut desk = Desk::new(cols, rows);
        desk.agent(info("api", AgentState::Asking, 12.0));
        desk.agent(info("web", AgentState::Working, 95.0));
        desk.agent(info("docs", AgentState::Paused, 4_000.0));
        desk.agent(AgentInfo { role: Duty::Consultant, ..info("advisor", AgentState::Idle, 3.0) });
        desk.shows("api", "Which database should I use?\r\n\r\n❯ 1. PostgreSQL\r\n  2. SQLite");
        desk.shows("web", "\x1b[32m● Reading src/cart.ts\x1b[0m\r\n  漢字 e\u{301} and ❤️ in one line");
        desk.notice(Notice::Question(question("api", Status::Consulting)));
        desk
    }

    fn event(&mut self, event: Event) {
        update(&mut self.state, event, (NOW * 1000.0) as u64);
    }

    fn notice(&mut self, notice: Notice) {
        self.event(Event::Server(Box::new(ServerMessage::Notice(notice))));
    }

    fn agent(&mut self, info: AgentInfo) {
        self.notice(Notice::Agent(info));
    }

    /// The agent prints this, in the room its pane has.
    fn shows(&mut self, name: &str, text: &str) {
        let pane = self.state.wanted_panes().into_iter().find(|pane| pane.name == name);
        let size = pane.and_then(|pane| pane.size).unwrap_or(Size::new(80, 24));
        let mut screen = Screen::new(size, TerminalIdentity::default());
        screen.feed(text.as_bytes());
        let rows = Picture::delta(&mut Shadow::default(), &screen).expect("a first picture");
        let (cursor, modes) = (screen.grid().cursor, screen.modes());
        let picture = Picture { size: screen.size(), rows, cursor, modes, title: String::new() };
        self.notice(Notice::Picture { name: name.into(), picture });
    }

    fn press(&mut self, keys: &str) {
        for word in keys.split(' ') {
            self.event(Event::Input(Input::Key(KeyPress::parse(word).expect("a key"))));
        }
    }

    fn text(&self) -> String {
        let (cols, rows) = self.state.size;
        let mut terminal = Terminal::new(TestBackend::new(cols, rows)).expect("a backend in memory");
        terminal.draw(|frame| view::draw(frame, &self.state)).expect("a backend in memory");
        let buffer = terminal.backend().buffer();
        let mut out = String::new();
        for y in 0..rows {
            let mut skip = 0;
            let mut line = String::new();
            for x in 0..cols {
                let symbol = buffer[(x, y)].symbol();
                if skip == 0 {
                    line.push_str(symbol);
                    skip = unicode_width::UnicodeWidthStr::width(symbol).max(1);
                }
                skip -= 1;
            }
            out.push_str(line.trim_end());
            out.push('\n');
        }
        out
    }

    fn is_like(&self, picture: &str) {
        let path =
            PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/pictures").join(format!("{picture}.txt"));
        let text = self.text();
        if std::env::var_os("UPDATE").is_some() {
            fs::write(&path, &text).expect("a writable checkout");
        }
        let wanted = fs::read_to_string(&path).unwrap_or_default();
        assert!(text == wanted, "{picture} looks different now:\n{text}\nit was:\n{wanted}");
    }
}

#[test]
fn the_first_screen_says_how_to_begin() {
    Desk::new(80, 24).is_like("welcome");
}

#[test]
fn a_team_at_work() {
    Desk::team(120, 30).is_like("team");
    Desk::team(80, 24).is_like("team-80x24");
}

#[test]
fn one_agent_zoomed() {
    let mut desk = Desk::team(100, 20);
    desk.press("ctrl-a n ctrl-a z");
    desk.is_like("zoomed");
}

#[test]
fn every_layout() {
    let mut desk = Desk::team(120, 24);
    for name in ["main-and-stack", "columns", "consult"] {
        desk.press("ctrl-a space");
        desk.is_like(name);
    }
}

#[test]
fn a_question_in_the_drawer() {
    let mut desk = Desk::team(100, 24);
    desk.press("ctrl-a a down");
    desk.is_like("question");
    desk.notice(Notice::Question(question("api", Status::Proposed)));
    desk.press("e x");
    desk.is_like("question-edited");
}

#[test]
fn a_person_is_needed() {
    let mut desk = Desk::team(100, 24);
    let note = Some("the advisor did not answer in time".into());
    desk.notice(Notice::Question(QuestionInfo { note, ..question("api", Status::Escalated) }));
    desk.is_like("needed");
    assert!(desk.state.outer_title().starts_with("(!) counsel: 1 question for you"));
}

#[test]
fn help_palette_and_a_new_agent() {
    let mut desk = Desk::team(100, 30);
    desk.press("ctrl-a ?");
    desk.is_like("help");
    desk.press("x ctrl-a : s t o p");
    desk.is_like("palette");
    desk.press("esc ctrl-a c c l a u d e");
    desk.is_like("create");
    desk.press("esc ctrl-a x");
    desk.is_like("sure");
}

#[test]
fn broadcasting_cannot_be_overlooked() {
    let mut desk = Desk::team(100, 24);
    desk.press("ctrl-a b");
    desk.is_like("broadcast");
}

#[test]
fn looking_back() {
    let mut desk = Desk::team(100, 24);
    desk.press("ctrl-a [ up v up");
    desk.is_like("scrollback");
}

#[test]
fn no_size_and_no_number_of_agents_is_too_much() {
    let openings =
        ["", "ctrl-a ?", "ctrl-a :", "ctrl-a c", "ctrl-a x", "ctrl-a q", "ctrl-a [", "ctrl-a z", "ctrl-a b"];
    for count in [0, 1, 9, 30] {
        for size in [(1, 1), (2, 2), (3, 9), (9, 3), (20, 5), (40, 12), (76, 1), (80, 24), (300, 100)] {
            for keys in openings {
                let mut desk = Desk::new(size.0, size.1);
                for i in 0..count {
                    desk.agent(info(&format!("agent-{i}"), AgentState::Working, 1.0));
                    desk.notice(Notice::Question(question(&format!("agent-{i}"), Status::Escalated)));
                }
                if count > 0 {
                    desk.shows("agent-0", &"漢字漢字 wide glyphs at every edge ❤️👍\r\n".repeat(40));
                }
                if !keys.is_empty() {
                    desk.press(keys);
                }
                for layout in 0..4 {
                    desk.state.layout = layout;
                    desk.event(Event::Tick);
                    assert_eq!(desk.text().lines().count(), usize::from(size.1), "{count} {size:?} {keys}");
                }
            }
        }
    }
}

#[test]
fn the_focused_agent_is_always_on_the_screen() {
    for (cols, rows) in [(20, 6), (80, 24), (160, 48)] {
        let mut desk = Desk::new(cols, rows);
        for i in 0..30 {
            desk.agent(info(&format!("agent-{i}"), AgentState::Working, 1.0));
        }
        for _ in 0..31 {
            desk.press("ctrl-a n");
            let focus = desk.state.focus.clone().unwrap();
            assert!(desk.state.panes().iter().any(|(agent, _)| agent.info.name == focus), "{focus}");
        }
    }
}

/// What really goes to the terminal, read by an emulator that is not ours.
#[test]
fn the_bytes_show_what_the_picture_shows() {
    let (cols, rows) = (110, 28);
    let mut judge = vt100::Parser::new(NonZeroU16::new(rows).unwrap(), NonZeroU16::new(cols).unwrap(), 0);
    let mut desk = Desk::team(cols, rows);
    let mut bytes: Vec<u8> = Vec::new();
    let options = TerminalOptions { viewport: Viewport::Fixed(Rect::new(0, 0, cols, rows)) };
    let mut terminal = Terminal::with_options(CrosstermBackend::new(&mut bytes), options).unwrap();
    for keys in ["", "ctrl-a z", "ctrl-a z", "ctrl-a a", "esc", "ctrl-a ?", "x", "ctrl-a ["] {
        if !keys.is_empty() {
            desk.press(keys);
        }
        terminal.draw(|frame| view::draw(frame, &desk.state)).unwrap();
    }
    drop(terminal);
    judge.process(&bytes);
    let shown: Vec<String> = judge.screen().rows(0, cols).map(|row| row.trim_end().to_owned()).collect();
    let wanted = desk.text();
    assert_eq!(shown.join("\n"), wanted.trim_end_matches('\n'));
}
