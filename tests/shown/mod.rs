//! The dashboard in memory, with a person before it: notices and keys in, the screen out, as an emulator that
//! is not ours reads it from the bytes that go to the terminal.
#![allow(dead_code, reason = "each test file uses its part of it")]

use std::fs;
use std::num::NonZeroU16;
use std::path::PathBuf;

use counsel::core::agent::{AgentInfo, Duty};
use counsel::core::keymap::Keymap;
use counsel::core::layout::Layout;
use counsel::core::question::{Choice, Kind, Role, State as AgentState};
use counsel::core::terminal::grid::Size;
use counsel::core::terminal::keys::{Input, KeyPress};
use counsel::core::terminal::picture::{Line, Picture, Shadow};
use counsel::core::terminal::query_replies::TerminalIdentity;
use counsel::core::terminal::screen::Screen;
use counsel::dashboard::effect::Effect;
use counsel::dashboard::state::{Purpose, State};
use counsel::dashboard::update::{Event, update};
use counsel::dashboard::view;
use counsel::wire::message::{Notice, QuestionInfo, Reply, Request, ServerMessage, Status};
use ratatui::Terminal;
use ratatui::backend::CrosstermBackend;
use ratatui::layout::Rect;
use ratatui::{TerminalOptions, Viewport};

/// A Saturday in November, so that ages and countdowns are always the same.
pub const NOW: f64 = 1_795_240_000.0;
/// Long after whatever holds keys back for a moment.
const LATER_MS: u64 = 1_000;

pub fn info(name: &str, state: AgentState, age: f64) -> AgentInfo {
    AgentInfo {
        since: NOW - age,
        profile: "claude".into(),
        pid: Some(4711),
        cols: 80,
        rows: 24,
        exit_code: (state == AgentState::Exited).then_some(1),
        memory_kib: (state == AgentState::Paused).then_some(300 * 1024),
        consultant: Some("advisor".into()),
        cwd: "/src".into(),
        ..AgentInfo::of(name, state)
    }
}

pub fn question(agent: &str, status: Status) -> QuestionInfo {
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
        partial: false,
        note: (status == Status::Proposed).then(|| "one writer, and nothing to run beside it".to_owned()),
        answer: (status == Status::Proposed).then(|| "SQLite".to_owned()),
    }
}

/// One that a person has to decide.
pub fn permission(agent: &str) -> QuestionInfo {
    let options = ["Yes", "Yes, and don't ask again", "No"];
    QuestionInfo {
        id: format!("{agent}-2"),
        kind: Kind::Permission,
        prompt: "Do you want to proceed?".into(),
        subject: Some("sqlite3 shop.db < 001.sql".into()),
        options: options.map(str::to_owned).to_vec(),
        choices: options.map(|label| Choice { label: label.into(), ..Choice::default() }).to_vec(),
        route: "human".into(),
        note: Some("a permission is a person's, unless a rule of yours says otherwise".into()),
        ..question(agent, Status::Escalated)
    }
}

/// The dashboard with a person before it.
pub struct Desk {
    pub state: State,
    pub now_ms: u64,
}

impl Desk {
    pub fn new(cols: u16, rows: u16) -> Desk {
        let keymap = Keymap::standard(KeyPress::ctrl('a'));
        let state = State::new(keymap, Layout::built_in(), 0, "shop".into());
        let mut desk = Desk { state, now_ms: (NOW * 1000.0) as u64 };
        desk.event(Event::Resize(cols, rows));
        desk
    }

    /// A team as one often has it, every state among them.
    pub fn team(cols: u16, rows: u16) -> Desk {
        let mut desk = Desk::new(cols, rows);
        desk.agent(AgentInfo { title: "sessions to SQLite".into(), ..info("api", AgentState::Asking, 12.0) });
        desk.agent(info("web", AgentState::Working, 95.0));
        desk.agent(info("docs", AgentState::Paused, 4_000.0));
        desk.agent(AgentInfo { role: Duty::Consultant, ..info("advisor", AgentState::Working, 3.0) });
        for name in ["api", "web"] {
            desk.shows(name, &output(name));
        }
        desk.notice(Notice::Question(question("api", Status::Consulting)));
        desk
    }

    pub fn theme(mut self, name: &str) -> Desk {
        self.state.look.theme = self.state.look.named(name).expect("a built-in theme");
        self
    }

    pub fn event(&mut self, event: Event) -> Vec<Effect> {
        update(&mut self.state, event, self.now_ms)
    }

    pub fn notice(&mut self, notice: Notice) -> Vec<Effect> {
        self.event(Event::Server(Box::new(ServerMessage::Notice(notice))))
    }

    pub fn agent(&mut self, info: AgentInfo) {
        self.notice(Notice::Agent(Box::new(info)));
    }

    /// The agent prints this, in the room its pane has.
    pub fn shows(&mut self, name: &str, text: &str) {
        let pane = self.state.wanted_panes().into_iter().find(|pane| pane.name == name);
        self.shows_at(name, pane.and_then(|pane| pane.size).unwrap_or(Size::new(80, 24)), text);
    }

    /// The same on a screen of this size.
    pub fn shows_at(&mut self, name: &str, size: Size, text: &str) {
        let mut screen = Screen::new(size, TerminalIdentity::default());
        screen.feed(text.as_bytes());
        let rows = Picture::delta(&mut Shadow::default(), &screen).expect("a first picture");
        let (cursor, modes) = (screen.grid().cursor, screen.modes());
        let picture = Picture { size: screen.size(), rows, cursor, modes, title: String::new() };
        self.notice(Notice::Picture { name: name.into(), picture });
    }

    /// Presses keys one after another, each well after the last; what they caused.
    pub fn press(&mut self, keys: &str) -> Vec<Effect> {
        let mut effects = Vec::new();
        for word in keys.split_whitespace() {
            self.now_ms += LATER_MS;
            effects.extend(self.event(Event::Input(Input::Key(KeyPress::parse(word).expect("a key")))));
        }
        effects
    }

    /// Types text into whatever takes some.
    pub fn types(&mut self, text: &str) -> Vec<Effect> {
        self.event(Event::Input(Input::Paste(text.into())))
    }

    /// The server answers whatever history was asked for with these lines.
    pub fn history(&mut self, lines: &[&str]) {
        let history = |purpose: &Purpose| matches!(purpose, Purpose::History(_));
        while let Some(id) = self.state.pending.iter().find(|(_, p)| history(p)).map(|(id, _)| *id) {
            let mut screen = Screen::new(Size::new(80, lines.len() as u16), TerminalIdentity::default());
            screen.feed(lines.join("\r\n").as_bytes());
            let lines = screen.grid().rows.iter().map(Line::from).collect();
            let reply = Reply::History { from: 0, first: 0, end: 0, lines };
            self.event(Event::Server(Box::new(ServerMessage::Reply { id, reply })));
        }
    }

    pub fn screen(&self) -> vt100::Parser {
        let (cols, rows) = self.state.size;
        let (height, width) =
            (NonZeroU16::new(rows).expect("a size"), NonZeroU16::new(cols).expect("a size"));
        let mut judge = vt100::Parser::new(height, width, 0);
        let mut bytes: Vec<u8> = Vec::new();
        let options = TerminalOptions { viewport: Viewport::Fixed(Rect::new(0, 0, cols, rows)) };
        let mut terminal =
            Terminal::with_options(CrosstermBackend::new(&mut bytes), options).expect("memory");
        terminal.draw(|frame| view::draw(frame, &self.state)).expect("memory");
        drop(terminal);
        judge.process(&bytes);
        judge
    }

    pub fn text(&self) -> String {
        let judge = self.screen();
        let rows = judge.screen().rows(0, self.state.size.0);
        rows.map(|row| format!("{}\n", row.trim_end())).collect()
    }

    /// Every cell's style as a letter and how many side by side have it, with what the letters mean in each theme above:
    /// what differs between two cells in one theme has two letters.
    pub fn styles(&mut self, themes: &[&str]) -> String {
        let in_theme = |theme: &&str| {
            self.state.look.theme = self.state.look.named(theme).expect("a built-in theme");
            self.screen()
        };
        let judges: Vec<vt100::Parser> = themes.iter().map(in_theme).collect();
        let (cols, height) = self.state.size;
        let style = |judge: &vt100::Parser, x, y| {
            judge.screen().cell(y, x).map_or_else(|| "plain".to_owned(), style_words)
        };
        let mut known: Vec<Vec<String>> = vec![vec!["plain".into(); themes.len()]];
        let mut rows: Vec<String> = Vec::new();
        for y in 0..height {
            let mut runs: Vec<(usize, u16)> = Vec::new();
            for x in 0..cols {
                let styles: Vec<String> = judges.iter().map(|judge| style(judge, x, y)).collect();
                let at = known.iter().position(|other| *other == styles).unwrap_or_else(|| {
                    known.push(styles);
                    known.len() - 1
                });
                match runs.last_mut() {
                    Some((last, count)) if *last == at => *count += 1,
                    _ => runs.push((at, 1)),
                }
            }
            let runs: String = runs.iter().map(|(at, count)| format!("{}{count} ", letter(*at))).collect();
            rows.push(runs.trim_end().to_owned());
        }
        let alike = rows.chunk_by(|one, other| one == other);
        let map: String = alike.map(|rows| format!("{}x {}\n", rows.len(), rows[0])).collect();
        let means = |(at, styles): (usize, &Vec<String>)| format!("{} {}\n", letter(at), styles.join(" | "));
        let legend: String = known.iter().enumerate().skip(1).map(means).collect();
        format!("{legend}{map}")
    }

    pub fn is_like(&self, picture: &str) {
        same(picture, &self.text());
    }
}

fn letter(at: usize) -> char {
    let letters = ('a'..='z').chain('A'..='Z');
    std::iter::once('.').chain(letters).nth(at).expect("few styles")
}

fn style_words(cell: &vt100::Cell) -> String {
    let color = |color| match color {
        vt100::Color::Default => None,
        vt100::Color::Idx(index) => Some(format!("{index}")),
        vt100::Color::Rgb(r, g, b) => Some(format!("#{r:02x}{g:02x}{b:02x}")),
    };
    let mut words = Vec::new();
    words.extend(cell.bold().then(|| "bold".to_owned()));
    words.extend(cell.dim().then(|| "dim".to_owned()));
    words.extend(cell.underline().then(|| "underline".to_owned()));
    words.extend(cell.inverse().then(|| "reverse".to_owned()));
    words.extend(color(cell.fgcolor()));
    words.extend(color(cell.bgcolor()).map(|color| format!("on {color}")));
    if words.is_empty() { "plain".into() } else { words.join(" ") }
}

/// Compares with the picture in `tests/pictures`; `UPDATE=1` writes it anew.
pub fn same(picture: &str, text: &str) {
    let path =
        PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/pictures").join(format!("{picture}.txt"));
    if std::env::var_os("UPDATE").is_some() {
        fs::write(&path, text).expect("a writable checkout");
    }
    let wanted = fs::read_to_string(&path).unwrap_or_default();
    assert!(text == wanted, "{picture} looks different now:\n{text}\nit was:\n{wanted}");
}

pub fn output(name: &str) -> String {
    match name {
        "api" => "I'll move the sessions out of the cookie.\r\n\r\nWhich database should I use for the session store?\r\n\r\n❯ 1. PostgreSQL\r\n  2. SQLite".into(),
        _ => "\x1b[32m● Reading src/cart.ts\x1b[0m\r\n  漢字 e\u{301} and ❤️ in one line".into(),
    }
}

/// What was sent to the server.
pub fn requests(effects: &[Effect]) -> Vec<&Request> {
    let mut sent = Vec::new();
    for effect in effects {
        if let Effect::Send(message) = effect {
            sent.push(&message.request);
        }
    }
    sent
}
