//! What a frame of the dashboard costs: nine agents that stream at 200x60, and a hundred of which one is looked at.
//!
//! `cargo bench --bench frame`. A frame is what the dashboard does between two pictures on the terminal: it takes each
//! agent's picture off the wire, applies it, draws what changed and makes the bytes for the terminal. Nothing is left
//! out but the write itself. With `--check` it fails where the 99th percentile is over its bound.

#![allow(clippy::unwrap_used, reason = "a benchmark that cannot go on ends")]

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use counsel::core::agent::AgentInfo;
use counsel::core::keymap::Keymap;
use counsel::core::layout::Layout;
use counsel::core::question::State as AgentState;
use counsel::core::terminal::grid::Size;
use counsel::core::terminal::keys::{Input, KeyPress};
use counsel::core::terminal::picture::{Picture, Shadow};
use counsel::core::terminal::query_replies::TerminalIdentity;
use counsel::core::terminal::screen::Screen;
use counsel::dashboard::canvas::{Canvas, Rows};
use counsel::dashboard::state::State;
use counsel::dashboard::update::{Event, update};
use counsel::wire;
use counsel::wire::message::{Notice, ServerMessage};

/// A large screen, columns and rows: nine agents have room on it side by side.
const OUTER: (u16, u16) = (200, 60);
/// So many that thirty lie beyond the 99th percentile.
const FRAMES: usize = 3_000;
/// What a frame may take, so that sixty a second leave most of a core to the agents.
const BOUND: Duration = Duration::from_millis(4);

/// A dashboard, and the screens of the agents it shows.
struct Desk {
    state: State,
    canvas: Canvas,
    agents: Vec<(String, Screen, Shadow)>,
    now_ms: u64,
}

impl Desk {
    fn new(count: usize) -> Desk {
        let keymap = Keymap::standard(KeyPress::ctrl('a'));
        let mut state = State::new(keymap, Layout::built_in(), 0, "bench".into());
        let now_ms = 1_000_000;
        update(&mut state, Event::Resize(OUTER.0, OUTER.1), now_ms);
        for number in 0..count {
            let info = info(&format!("agent-{number}"));
            update(
                &mut state,
                Event::Server(Box::new(ServerMessage::Notice(Notice::Agent(Box::new(info))))),
                now_ms,
            );
        }
        let screen = |pane: counsel::wire::message::Pane| {
            let size = pane.size.unwrap_or(Size::FALLBACK);
            (pane.name, Screen::new(size, TerminalIdentity::default()), Shadow::default())
        };
        let agents = state.wanted_panes().into_iter().map(screen).collect();
        let canvas = Canvas::new(OUTER.0, OUTER.1).unwrap();
        let mut desk = Desk { state, canvas, agents, now_ms };
        desk.canvas.draw(&desk.state).unwrap();
        desk
    }

    /// Every agent prints this; what goes over the wire.
    fn print(&mut self, text: &str) -> Vec<Vec<u8>> {
        (0..self.agents.len()).flat_map(|at| self.print_one(at, text)).collect()
    }

    /// The same of one of them.
    fn print_one(&mut self, at: usize, text: &str) -> Option<Vec<u8>> {
        let (name, screen, shadow) = &mut self.agents[at];
        screen.feed(text.as_bytes());
        let rows = Picture::delta(shadow, screen)?;
        let (cursor, modes) = (screen.grid().cursor, screen.modes());
        let picture = Picture { size: screen.size(), rows, cursor, modes, title: String::new() };
        let mut payload = Vec::new();
        wire::picture::encode(name, &picture, &mut payload);
        Some(payload)
    }

    /// One frame; its bytes.
    fn frame(&mut self, payloads: &[Vec<u8>]) -> usize {
        let mut rows = Rows::new();
        for payload in payloads {
            let (name, picture) = wire::picture::decode(payload).unwrap();
            let changed: BTreeSet<u16> = picture.rows.iter().map(|(row, _)| *row).collect();
            rows.entry(name.clone()).or_default().extend(changed);
            let notice = Notice::Picture { name, picture };
            let event = Event::Server(Box::new(ServerMessage::Notice(notice)));
            update(&mut self.state, event, self.now_ms);
        }
        self.canvas.draw_rows(&self.state, &rows).unwrap().map_or(0, |frame| frame.len())
    }

    fn press(&mut self, key: &str) -> usize {
        let key = KeyPress::parse(key).unwrap();
        self.now_ms += 1_000;
        update(&mut self.state, Event::Input(Input::Key(key)), self.now_ms);
        self.canvas.draw(&self.state).unwrap().map_or(0, |frame| frame.len())
    }
}

/// An agent at work.
fn info(name: &str) -> AgentInfo {
    AgentInfo { since: 900.0, profile: "claude".into(), ..AgentInfo::of(name, AgentState::Working) }
}

/// Lines as agents print them, each different, with a style every few words.
fn lines(number: usize, count: usize) -> String {
    let line = |at: usize| {
        let number = number * count + at;
        format!(
            "\x1b[2m{number:>6}\x1b[0m \x1b[32m+\x1b[0m the tests of 漢字 pass \x1b[1;36mlib-{}.rs\x1b[0m and \x1b[38;2;9;{};7mmore\x1b[m\r\n",
            number % 97,
            number % 256,
        )
    };
    (0..count).map(line).collect()
}

/// Median, 99th percentile and worst; whether the second is within the bound.
fn report(what: &str, mut times: Vec<Duration>, bytes: usize) -> bool {
    times.sort();
    let at = |share: f64| times[((times.len() - 1) as f64 * share) as usize];
    let ms = |time: Duration| time.as_secs_f64() * 1e3;
    println!(
        "{what:52} p50 {:7.3} ms   p99 {:7.3} ms   max {:7.3} ms   {:6} bytes",
        ms(at(0.5)),
        ms(at(0.99)),
        ms(at(1.0)),
        bytes / times.len()
    );
    at(0.99) < BOUND
}

fn streaming(what: &str, count: usize, per_frame: usize) -> bool {
    let mut desk = Desk::new(count);
    let (mut times, mut bytes) = (Vec::with_capacity(FRAMES), 0);
    for number in 0..FRAMES {
        let payloads = desk.print(&lines(number, per_frame));
        let start = Instant::now();
        bytes += desk.frame(&payloads);
        times.push(start.elapsed());
    }
    report(what, times, bytes)
}

/// A key typed into the focused agent, and what the agent shows of it.
fn echoed(what: &str, count: usize) -> bool {
    let mut desk = Desk::new(count);
    let payloads = desk.print(&lines(0, 60));
    desk.frame(&payloads);
    let focus = desk.state.focus.clone().unwrap();
    let at = desk.agents.iter().position(|(name, ..)| *name == focus).unwrap();
    let (mut times, mut bytes) = (Vec::with_capacity(FRAMES), 0);
    for number in 0..FRAMES {
        let letter = ["a", "b", "c", "d", "e"][number % 5];
        let payloads: Vec<Vec<u8>> = desk.print_one(at, letter).into_iter().collect();
        let start = Instant::now();
        desk.now_ms += 100;
        let key = KeyPress::parse(letter).unwrap();
        update(&mut desk.state, Event::Input(Input::Key(key)), desk.now_ms);
        bytes += desk.frame(payloads.as_slice());
        times.push(start.elapsed());
    }
    report(what, times, bytes)
}

/// Everything drawn, as after a key of the dashboard's own.
fn whole(what: &str, count: usize, keys: &[&str]) -> bool {
    let mut desk = Desk::new(count);
    let payloads = desk.print(&lines(0, 60));
    desk.frame(&payloads);
    let (mut times, mut bytes) = (Vec::with_capacity(FRAMES), 0);
    for key in keys.iter().cycle().take(FRAMES) {
        let start = Instant::now();
        bytes += desk.press(key);
        times.push(start.elapsed());
    }
    report(what, times, bytes)
}

fn main() {
    let within = [
        streaming("nine agents stream, one line each a frame", 9, 1),
        streaming("nine agents stream, a screen each a frame", 9, 60),
        streaming("a hundred agents, those shown stream", 100, 60),
        echoed("a hundred agents, a key and its echo", 100),
        whole("nine agents, the focus moves", 9, &["ctrl-a", "n"]),
        whole("a hundred agents, the focus moves", 100, &["ctrl-a", "n"]),
        whole("a hundred agents, the palette finds one", 100, &["ctrl-a", ":", "9", "9", "esc"]),
    ];
    if std::env::args().any(|arg| arg == "--check") && within.contains(&false) {
        std::process::exit(1);
    }
}
