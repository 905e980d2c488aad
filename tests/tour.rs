//! The pictures of the documentation, drawn by the dashboard itself: `UPDATE=1 cargo test --test tour` writes them, and
//! without that the test fails where the dashboard looks otherwise by now.

mod shown;

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use counsel::core::agent::{AgentInfo, Duty};
use counsel::core::question::State as AgentState;
use counsel::dashboard::log_view::{Decision, Step};
use counsel::dashboard::update::Event;
use counsel::wire::message::{Notice, Status};
use shown::{Desk, NOW, info, permission, question};

/// A picture: where it is below `docs/`, what a screen reader says, and the screen.
type Picture = (&'static str, &'static str, fn() -> Desk);

const PICTURES: &[Picture] = &[
    ("dashboard.svg", "The counsel dashboard: agents, two of them asking, and their consultant", || {
        shop(132, 36)
    }),
    ("tour/1-welcome.svg", "The first screen: three keys to begin with", || Desk::new(80, 16).theme("dark")),
    ("tour/2-team.svg", "A team at work; the advisor thinks about a question", || {
        without_permission(100, 28)
    }),
    ("tour/3-needed.svg", "An agent asks permission; the lower edge says so", || shop(100, 28)),
    ("tour/4-permission.svg", "The drawer over the pane of the agent that asks", || {
        after(shop(100, 28), "ctrl-a a")
    }),
    ("tour/5-suggested.svg", "A suggested answer, marked on its row, with the reason", || {
        let mut desk = without_permission(100, 28);
        desk.notice(Notice::Question(question("api", Status::Proposed)));
        after(desk, "ctrl-a a")
    }),
    ("tour/6-scrollback.svg", "Searching the scrollback of one agent", || {
        let mut desk = after(without_permission(100, 28), "ctrl-a 2 ctrl-a z ctrl-a [");
        let lines: Vec<String> = (1..=60).map(line).collect();
        desk.history(&lines.iter().map(String::as_str).collect::<Vec<&str>>());
        after(desk, "/ c a r t")
    }),
    ("tour/7-new-agent.svg", "The form for a new agent", || {
        after(without_permission(100, 28), "ctrl-a c c l a u d e down t e s t s")
    }),
    ("tour/8-palette.svg", "The command palette finds agents and actions", || {
        after(without_permission(100, 28), "ctrl-a : w e b")
    }),
    ("tour/9-log.svg", "One decision, stepped through to its proof", || {
        let mut desk = after(without_permission(100, 16), "ctrl-a l");
        desk.event(Event::Log(Ok(vec![decision()])));
        after(desk, "enter right right")
    }),
];

fn after(mut desk: Desk, keys: &str) -> Desk {
    desk.press(keys);
    desk
}

/// The team of the shop, its consultant among them.
fn without_permission(cols: u16, rows: u16) -> Desk {
    let mut desk = Desk::new(cols, rows).theme("dark");
    desk.agent(AgentInfo { title: "sessions to SQLite".into(), ..info("api", AgentState::Asking, 12.0) });
    desk.agent(AgentInfo { title: "login page".into(), ..info("web", AgentState::Working, 95.0) });
    desk.agent(AgentInfo { title: "first guide".into(), ..info("docs", AgentState::Working, 240.0) });
    desk.agent(AgentInfo { role: Duty::Consultant, ..info("advisor", AgentState::Working, 3.0) });
    desk.notice(Notice::Question(question("api", Status::Consulting)));
    for (name, text) in [("api", API), ("web", WEB), ("docs", DOCS), ("advisor", ADVISOR)] {
        desk.shows(name, text);
    }
    desk
}

/// The same where somebody is needed.
fn shop(cols: u16, rows: u16) -> Desk {
    let mut desk = without_permission(cols, rows);
    desk.agent(AgentInfo { title: "login page".into(), ..info("web", AgentState::Asking, 5.0) });
    desk.shows("web", WEB_ASKS);
    desk.notice(Notice::Question(permission("web")));
    desk
}

const API: &str = "\x1b[35m▣\x1b[0m \x1b[1mI'll move the sessions out of the cookie.\x1b[0m\r\n\r\n\
    \x1b[32m●\x1b[0m Read src/session.rs (214 lines)\r\n\r\n\
    Which database should I use for the session store?\r\n\r\n\
    \x1b[36m❯ 1. PostgreSQL\x1b[0m\r\n  2. SQLite  \x1b[2mOne file, no server to run\x1b[0m\r\n  3. Type something.";
const WEB: &str = "\x1b[32m●\x1b[0m Building the login page\r\n\x1b[2m  + 31 lines\x1b[0m\r\n\r\n\x1b[33m✻\x1b[0m Writing src/login.ts";
const WEB_ASKS: &str = "\x1b[32m●\x1b[0m Building the login page\r\n\r\n\x1b[32m●\x1b[0m Shell(sqlite3 shop.db < 001.sql)\r\n\r\n\
    Do you want to proceed?\r\n\x1b[36m❯ 1. Yes\x1b[0m\r\n  2. Yes, and don't ask again\r\n  3. No";
const DOCS: &str = "\x1b[32m●\x1b[0m Writing docs/install.md\r\n\x1b[2m  + 48 lines\x1b[0m\r\n\r\n\x1b[33m✻\x1b[0m Checking the links (12 of 31)";
const ADVISOR: &str = "\x1b[2m> api asks: Which database should I use for the session store?\x1b[0m\r\n\r\n\
    \x1b[33m✻\x1b[0m One process writes sessions here, and the roadmap wants no new server to run…";

fn line(at: usize) -> String {
    match at % 12 {
        0 => format!("● Reading src/cart.ts ({at} lines)"),
        5 => "  + export function total(cart: Cart): Money {".into(),
        _ => format!("  {at:>3}  test {at} passed"),
    }
}

fn decision() -> Decision {
    let step = |seconds: f64, what: &str, text: &str| Step {
        at_ms: ((NOW - 300.0 + seconds) * 1000.0) as u64,
        what: what.into(),
        text: text.into(),
    };
    Decision {
        agent: "api".into(),
        asked_ms: ((NOW - 300.0) * 1000.0) as u64,
        settled_ms: ((NOW - 296.9) * 1000.0) as u64,
        prompt: "Which database should I use for the session store?".into(),
        outcome: "answered".into(),
        answer: "SQLite".into(),
        by: "consultant advisor, keys".into(),
        steps: vec![
            step(0.0, "asked", "Which database should I use for the session store?"),
            step(6.1, "advisor says", "{\"choice\": 2, \"reason\": \"one writer, nothing to run\"}"),
            step(
                6.4,
                "typed, and what the screen showed after each key",
                "down   ❯ 2. SQLite\nenter  the dialog is gone",
            ),
        ],
    }
}

/// The terminal's colours, as the pictures have them.
const FOREGROUND: &str = "#cdd6f4";
const BACKGROUND: &str = "#1e1e2e";
const SIXTEEN: [&str; 16] = [
    "#45475a", "#f38ba8", "#a6e3a1", "#f9e2af", "#89b4fa", "#cba6f7", "#94e2d5", "#bac2de", "#6c7086",
    "#f38ba8", "#a6e3a1", "#f9e2af", "#89b4fa", "#cba6f7", "#94e2d5", "#cdd6f4",
];
/// A cell, in the units of the picture: as large as a character of the font, so that borders join.
const CELL: (f32, f32) = (8.43, 16.5);
const MARGIN: f32 = 10.0;

fn color(color: vt100::Color, plain: &str) -> String {
    match color {
        vt100::Color::Default => plain.to_owned(),
        vt100::Color::Idx(index) => SIXTEEN.get(usize::from(index)).copied().unwrap_or(plain).to_owned(),
        vt100::Color::Rgb(r, g, b) => format!("#{r:02x}{g:02x}{b:02x}"),
    }
}

/// What cells next to each other must share to be one run of text.
#[derive(Clone, PartialEq)]
struct Style {
    ink: String,
    paper: String,
    bold: bool,
    dim: bool,
}

fn style(cell: &vt100::Cell) -> Style {
    let (mut ink, mut paper) = (color(cell.fgcolor(), FOREGROUND), color(cell.bgcolor(), BACKGROUND));
    if cell.inverse() {
        std::mem::swap(&mut ink, &mut paper);
    }
    Style { ink, paper, bold: cell.bold(), dim: cell.dim() }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// The screen as an emulator that is not ours shows it.
fn svg(desk: &Desk, title: &str) -> String {
    let judge = desk.screen();
    let (cols, rows) = desk.state.size;
    let (width, height) = (f32::from(cols) * CELL.0 + 2.0 * MARGIN, f32::from(rows) * CELL.1 + 2.0 * MARGIN);
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.0} {height:.0}\" \
         font-family=\"DejaVu Sans Mono,Menlo,Consolas,monospace\" font-size=\"14\"><title>{}</title>\n\
         <rect width=\"{width:.0}\" height=\"{height:.0}\" rx=\"8\" fill=\"{BACKGROUND}\"/>\n",
        escaped(title)
    );
    for row in 0..rows {
        let cells: Vec<(u16, String, Style)> = (0..cols)
            .filter_map(|col| judge.screen().cell(row, col).map(|cell| (col, cell)))
            .filter(|(_, cell)| !cell.is_wide_continuation())
            .map(|(col, cell)| {
                let text = if cell.has_contents() { cell.contents().to_owned() } else { " ".to_owned() };
                (col, text, style(cell))
            })
            .collect();
        for run in cells.chunk_by(|a, b| a.2 == b.2) {
            draw(&mut out, run, row, cols);
        }
    }
    out.push_str("</svg>\n");
    out
}

fn draw(out: &mut String, run: &[(u16, String, Style)], row: u16, cols: u16) {
    let (first, style) = (run[0].0, &run[0].2);
    let text: String = run.iter().map(|(_, text, _)| text.as_str()).collect();
    let last = run.last().map_or(first, |(col, ..)| *col);
    let count = f32::from((last + 1).min(cols) - first);
    let (x, y) = (MARGIN + f32::from(first) * CELL.0, MARGIN + f32::from(row) * CELL.1);
    if style.paper != BACKGROUND {
        let (width, height) = (count * CELL.0, CELL.1);
        let _ = writeln!(
            out,
            "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{height:.1}\" fill=\"{}\"/>",
            style.paper
        );
    }
    let shown = text.trim_end();
    if shown.trim().is_empty() {
        return;
    }
    let indent = shown.chars().take_while(|ch| *ch == ' ').count();
    let (x, shown) = (x + indent as f32 * CELL.0, shown.trim_start());
    let mut marks = String::new();
    if style.bold {
        marks.push_str(" font-weight=\"bold\"");
    }
    if style.dim {
        marks.push_str(" opacity=\"0.6\"");
    }
    let length = unicode_width::UnicodeWidthStr::width(shown) as f32 * CELL.0;
    let _ = writeln!(
        out,
        "<text x=\"{x:.1}\" y=\"{:.1}\" fill=\"{}\"{marks} textLength=\"{length:.1}\" xml:space=\"preserve\">{}</text>",
        y + 13.0,
        style.ink,
        escaped(shown)
    );
}

fn docs() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("docs")
}

#[test]
fn the_pictures_are_what_the_dashboard_draws() {
    for (path, title, desk) in PICTURES {
        let (path, drawn) = (docs().join(path), svg(&desk(), title));
        if std::env::var_os("UPDATE").is_some() {
            fs::write(&path, &drawn).expect("a writable checkout");
        }
        let kept = fs::read_to_string(&path).unwrap_or_default();
        assert!(kept == drawn, "{} is stale; UPDATE=1 cargo test --test tour draws it anew", path.display());
    }
}

#[test]
fn the_tour_shows_every_picture_and_no_other() {
    let tour = fs::read_to_string(docs().join("tour.md")).expect("the tour");
    let named: Vec<&str> = tour.split("](tour/").skip(1).filter_map(|rest| rest.split(')').next()).collect();
    let drawn: Vec<&str> = PICTURES.iter().filter_map(|(path, ..)| path.strip_prefix("tour/")).collect();
    assert_eq!(named, drawn);
    let mut there: Vec<String> = fs::read_dir(docs().join("tour"))
        .expect("the folder of the pictures")
        .map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned())
        .collect();
    there.sort();
    assert_eq!(there, drawn, "a picture that nothing draws would never be drawn anew");
}

/// The tour names keys; they are those that the dashboard has.
#[test]
fn the_keys_of_the_tour_are_the_dashboards() {
    use counsel::core::keymap::{Context, Keymap};
    use counsel::core::terminal::keys::KeyPress;
    let tour = fs::read_to_string(docs().join("tour.md")).expect("the tour");
    let keymap = Keymap::standard(KeyPress::ctrl('a'));
    let mut count = 0;
    for chord in tour.split("`ctrl-a ").skip(1).filter_map(|rest| rest.split('`').next()) {
        let press = KeyPress::parse(chord).unwrap_or_else(|why| panic!("{chord}: {why}"));
        assert!(keymap.action(Context::Panes, press).is_some(), "ctrl-a {chord} does nothing");
        count += 1;
    }
    assert!(count > 8, "only {count} keys were looked for");
}
