//! A real agent program in a pane of the dashboard looks as on a bare terminal of that size: cell by cell with its
//! styles, while it asks, and after each of 50 resizes.

use std::process::Command;
use std::time::{Duration, Instant};

use counsel::core::terminal::grid::Size;

use super::api::Api;
use super::bare::{Bare, Pair, inner, sizes};
use super::home::{self, Home, Program};
use super::model::CACHE;
use super::team::{Setup, counsel};

/// Around the 120x40 of the agents of this lane.
const OUTER: Size = Size { cols: 122, rows: 43 };

/// The program in the dashboard, and the same with a home and a model of its own on a terminal.
struct Both {
    _homes: [Home; 2],
    _apis: [Api; 2],
    pair: Pair,
}

fn within(home: &Home, program: &str) -> Command {
    let mut command = Command::new(program);
    command.env_clear().envs(home.env()).env("COLORTERM", "truecolor").current_dir(&home.project);
    command
}

fn model(home: &Home) -> Api {
    Api::start(&home.project.display().to_string())
}

impl Both {
    fn start(program: Program) -> Both {
        Both::start_with(program, |_| {})
    }

    /// `settings`: what each home is to have besides.
    fn start_with(program: Program, settings: impl Fn(&Home)) -> Both {
        let homes = [Home::new(program, true), Home::new(program, true)];
        let apis = [model(&homes[0]), model(&homes[1])];
        let setup = Setup { advisor: false, ..Setup::new(program) };
        home::write(&homes[0].project.join("team.toml"), &setup.config(&homes[0], &apis[0]));
        let line = program.command();
        let mut command = within(&homes[1], &line[0]);
        command.args(&line[1..]).envs(program.env(&apis[1].url("worker"), &homes[1]));
        homes.iter().for_each(settings);
        // Zoomed before there is an agent: it has the one size from the beginning.
        let binary = counsel().display().to_string();
        let mut dashboard = Bare::start(within(&homes[0], &binary), OUTER);
        dashboard.shows("No agent runs yet");
        dashboard.types(b"\x01z");
        let up = within(&homes[0], &binary).args(["up", "-f", "team.toml"]).output().expect("counsel starts");
        assert!(up.status.success(), "{}", String::from_utf8_lossy(&up.stderr));
        let bare = Bare::start(command, inner(OUTER));
        Both { _homes: homes, _apis: apis, pair: Pair::new(dashboard, bare, OUTER) }
    }

    fn types(&mut self, keys: &str) {
        // A dialog drops keys for 140 ms after it is drawn, and says nothing when that is over.
        let until = Instant::now() + Duration::from_millis(300);
        while Instant::now() < until {
            self.pair.take(Duration::from_millis(5));
        }
        self.pair.types(keys);
    }

    /// At rest with a draft in the input line, once the prompt is there; `words` are drawn last.
    fn with_a_draft(&mut self, prompt: &str, words: &str) {
        self.pair.show(prompt);
        self.types("A draft that stands there: 漢字 and é.");
        self.pair.show("stands there");
        self.pair.alike("with a draft", words);
    }

    fn resized(&mut self, words: &str) {
        for (number, size) in sizes(Size::new(64, 30), Size::new(120, 34)).enumerate() {
            self.pair.resize(size);
            self.pair.alike(&format!("after resize {number}"), words);
        }
    }
}

pub fn claude(program: Program) {
    let mut both = Both::start(program);
    both.pair.show("❯");
    both.types("ASK1 please");
    both.pair.show("ASK1 please");
    both.types("\r");
    both.pair.show(CACHE.question);
    both.pair.alike("asking", CACHE.question);
    both.resized("Where should");
}

/// On the main screen it leaves rows of its former frames when its terminal changes, on a bare terminal as well, and which
/// depends on how many frames it drew meanwhile: what it draws last is compared, from the hint above its input line on.
pub fn gemini(program: Program) {
    let mut both = Both::start(program);
    both.with_a_draft("Type your message", "no sandbox");
    for (number, size) in sizes(Size::new(64, 30), Size::new(120, 34)).enumerate() {
        both.pair.resize(size);
        both.pair.drawn(&format!("the input line after resize {number}"), input_line_is_drawn);
        both.pair.frame_alike(&format!("after resize {number}"), "Shift+Tab to accept edits", FRAME_ROWS);
    }
}

/// The hint, the input line between its borders, and two rows of what is so.
const FRAME_ROWS: u16 = 6;

/// The borders above and below what is typed go from edge to edge, which those of a frame for another width do not.
fn input_line_is_drawn(rows: &[String]) -> bool {
    rows.windows(3).any(|rows| {
        let edge = |row: &str, with: char| row.chars().all(|glyph| glyph == with);
        rows[1].contains("> A draft") && edge(&rows[0], '▄') && edge(&rows[2], '▀')
    })
}

/// Where it draws on the whole screen it leaves nothing.
pub fn gemini_on_the_whole_screen(program: Program) {
    let mut both = Both::start_with(program, |home| {
        let path = home.home.join(".gemini/settings.json");
        let text = std::fs::read_to_string(&path).expect("it has settings");
        let mut settings: serde_json::Value = serde_json::from_str(&text).expect("settings are JSON");
        settings["ui"] = serde_json::json!({"useAlternateBuffer": true});
        home::write(&path, &settings.to_string());
    });
    both.with_a_draft("Type your message", "stands there");
    both.resized("A draft");
}

/// While it works and asks, a mark before its words changes its brightness with the time: it is compared at rest.
pub fn codex(program: Program) {
    let mut both = Both::start(program);
    both.with_a_draft("›", "stands there");
    both.resized("A draft");
}

/// While it asks, without what moves by itself.
pub fn codex_asking(program: Program) {
    let mut both = Both::start_with(program, |home| {
        let path = home.home.join(".codex-worker/config.toml");
        let text = std::fs::read_to_string(&path).expect("it has settings");
        home::write(&path, &format!("{text}[tui]\nanimations = false\n"));
    });
    both.pair.show("›");
    both.types("BASH rm -rf build");
    both.pair.show("BASH rm");
    both.types("\r");
    both.pair.show("Yes");
    both.pair.alike("asking", "Yes");
    both.resized("Yes");
}
