//! A real agent program in a pane of the dashboard looks as on a bare terminal of that size: cell by cell with its
//! styles, while it asks, and after each of 50 resizes.

use std::process::Command;
use std::time::{Duration, Instant};

use counsel::core::terminal::grid::Size;

use super::api::Api;
use super::bare::{Bare, DEADLINE, difference};
use super::home::{self, Home, Program};
use super::model::CACHE;
use super::team::{Setup, counsel};

const RESIZES: usize = 50;
/// The border of the one pane of a zoomed dashboard, and the row below it.
const AROUND: (u16, u16) = (2, 3);
/// Where the pane's screen begins.
const CORNER: (u16, u16) = (1, 1);
/// Around the 120x40 of the agents of this lane.
const OUTER: Size = Size { cols: 122, rows: 43 };

fn inner(outer: Size) -> Size {
    Size::new(outer.cols - AROUND.0, outer.rows - AROUND.1)
}

/// The program in the dashboard, and the same with a home and a model of its own on a terminal.
struct Pair {
    _homes: [Home; 2],
    _apis: [Api; 2],
    dashboard: Bare,
    bare: Bare,
    size: Size,
}

fn within(home: &Home, program: &str) -> Command {
    let mut command = Command::new(program);
    command.env_clear().envs(home.env()).env("COLORTERM", "truecolor").current_dir(&home.project);
    command
}

fn model(home: &Home) -> Api {
    Api::start(&home.project.display().to_string())
}

impl Pair {
    fn start(program: Program) -> Pair {
        let homes = [Home::new(program, true), Home::new(program, true)];
        let apis = [model(&homes[0]), model(&homes[1])];
        let setup = Setup { advisor: false, ..Setup::new(program) };
        home::write(&homes[0].project.join("team.toml"), &setup.config(&homes[0], &apis[0]));
        // Zoomed before there is an agent: it has the one size from the beginning.
        let binary = counsel().display().to_string();
        let mut dashboard = Bare::start(within(&homes[0], &binary), OUTER);
        dashboard.shows("No agent runs yet");
        dashboard.types(b"\x01z");
        let up = within(&homes[0], &binary).args(["up", "-f", "team.toml"]).output().expect("counsel starts");
        assert!(up.status.success(), "{}", String::from_utf8_lossy(&up.stderr));
        let line = program.command();
        let mut command = within(&homes[1], &line[0]);
        command.args(&line[1..]).envs(program.env(&apis[1].url("worker"), &homes[1]));
        let bare = Bare::start(command, inner(OUTER));
        Pair { _homes: homes, _apis: apis, dashboard, bare, size: inner(OUTER) }
    }

    /// Until both show this.
    fn show(&mut self, what: &str) {
        self.bare.shows(what);
        self.dashboard.shows(what);
    }

    fn types(&mut self, keys: &str) {
        // A dialog drops keys for 140 ms after it is drawn, and says nothing when that is over.
        let until = Instant::now() + Duration::from_millis(300);
        while Instant::now() < until {
            self.dashboard.take(Duration::from_millis(5));
            self.bare.take(Duration::from_millis(5));
        }
        self.dashboard.types(keys.as_bytes());
        self.bare.types(keys.as_bytes());
    }

    fn resize(&mut self, outer: Size) {
        self.size = inner(outer);
        self.bare.resize(self.size);
        self.dashboard.resize(outer);
    }

    /// Until both show these words, and the same everywhere.
    fn alike(&mut self, what: &str, words: &str) {
        let until = Instant::now() + DEADLINE;
        loop {
            let came = self.dashboard.take(Duration::from_millis(10));
            if self.bare.take(Duration::from_millis(10)) || came {
                continue;
            }
            let difference = difference(&self.dashboard, CORNER, &self.bare, self.size);
            if difference.is_none() && self.bare.text().contains(words) {
                return;
            }
            let (pane, bare) = (self.dashboard.text(), self.bare.text());
            let why = difference.unwrap_or_else(|| format!("no {words:?}"));
            assert!(Instant::now() < until, "{what} at {}: {why}\n{pane}\n--- bare:\n{bare}", self.size);
        }
    }

    fn resized(&mut self, words: &str) {
        let mut dice = 0x2545_f491_4f6c_dd1d_u64;
        let mut roll = |below: u16| {
            // xorshift: the same sizes every time.
            dice ^= dice << 13;
            dice ^= dice >> 7;
            dice ^= dice << 17;
            (dice % u64::from(below)) as u16
        };
        for number in 0..RESIZES {
            self.resize(Size::new(64 + roll(120), 30 + roll(34)));
            self.alike(&format!("after resize {number}"), words);
        }
    }
}

pub fn claude(program: Program) {
    let mut pair = Pair::start(program);
    pair.show("❯");
    pair.types("ASK1 please");
    pair.show("ASK1 please");
    pair.types("\r");
    pair.show(CACHE.question);
    pair.alike("asking", CACHE.question);
    pair.resized("Where should");
}

/// At one size: when its terminal changes it leaves rows of its former frames, on a bare terminal as well, and which
/// depends on how many frames it drew meanwhile.
pub fn gemini(program: Program) {
    let mut pair = Pair::start(program);
    pair.show("Type your message");
    pair.types("A draft that stands there: 漢字 and é.");
    pair.show("stands there");
    pair.alike("with a draft", "no sandbox");
}

/// While it works and asks, a mark before its words changes its brightness with the time: it is compared at rest.
pub fn codex(program: Program) {
    let mut pair = Pair::start(program);
    pair.show("›");
    pair.types("A draft that stands there: 漢字 and é.");
    pair.show("stands there");
    pair.alike("at first", "stands there");
    pair.resized("A draft");
}
