//! What the parts cost, one at a time, in this process: the emulator, the query parser, detection, pictures,
//! painting, scrollback, and the look at a caller's ancestors.
//!
//! `cargo bench --bench speed`. The material is the recordings of real programs below `tests/recordings`.
//! A number is the best of several rounds: what disturbs a round only ever makes it slower. Measured with a
//! clock and nothing else, since a framework for statistics would be more code than what is measured.

#![allow(clippy::unwrap_used, reason = "a benchmark that cannot go on ends")]

use std::hint::black_box;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use counsel::core::detect::watch;
use counsel::core::profile::{LazyProfile, Profiles};
use counsel::core::recording::asciicast::{Asciicast, What};
use counsel::core::recording::replay::{self, Player};
use counsel::core::terminal::grid::Size;
use counsel::core::terminal::history::History;
use counsel::core::terminal::paint::Painter;
use counsel::core::terminal::picture::{Picture, Shadow};
use counsel::core::terminal::query_parser::QueryParser;
use counsel::core::terminal::query_replies::TerminalIdentity;
use counsel::core::terminal::screen::Screen;
use counsel::os::ancestry;
use counsel::wire;

/// Rounds of each measurement; the fastest counts.
const ROUNDS: usize = 5;
/// Screens of all recordings on which detection and painting are measured.
const SCREENS: usize = 600;
/// Looks at a chain of ancestors that are timed together: one takes less than a clock tells well.
const LOOKS: u32 = 100;
/// Agents that stream in the sum at the end.
const AGENTS: f64 = 20.0;

/// A recording, and the profile its command line asks for.
struct Tape {
    name: String,
    cast: Asciicast,
    profile: Arc<LazyProfile>,
}

/// One screen as it stood, and the one some events before it.
struct Scene<'a> {
    before: Shadow,
    player: Player<'a>,
    profile: Arc<LazyProfile>,
}

fn tapes() -> Vec<Tape> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/recordings");
    let mut paths: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.extension().is_some_and(|ext| ext == "cast"));
    paths.sort();
    let profiles = Profiles::builtin();
    let tape = |path: &std::path::PathBuf| {
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        let cast = Asciicast::parse(&std::fs::read_to_string(path).unwrap()).unwrap();
        // The recordings are named after their program.
        let program = name.split('-').next().unwrap_or_default().to_owned();
        Tape { name, cast, profile: profiles.for_command(&[program]) }
    };
    paths.iter().map(tape).collect()
}

fn output(cast: &Asciicast) -> impl Iterator<Item = &[u8]> {
    cast.events.iter().filter_map(|event| match &event.what {
        What::Output(text) => Some(text.as_bytes()),
        What::Resize(_) | What::Silent => None,
    })
}

/// The shortest of several rounds.
fn best(mut round: impl FnMut()) -> Duration {
    let timed = |round: &mut dyn FnMut()| {
        let start = Instant::now();
        round();
        start.elapsed()
    };
    (0..ROUNDS).map(|_| timed(&mut round)).min().unwrap()
}

fn throughput(what: &str, bytes: usize, time: Duration) {
    println!("{what:44} {:9.1} MB/s", bytes as f64 / 1e6 / time.as_secs_f64());
}

/// Median, 99th percentile and worst of single measurements.
fn spread(what: &str, mut times: Vec<Duration>) {
    times.sort();
    let at = |share: f64| times[((times.len() - 1) as f64 * share) as usize].as_secs_f64() * 1e6;
    println!("{what:44} {:9.1} us   p99 {:7.1}   max {:7.1}", at(0.5), at(0.99), at(1.0));
}

fn each<T>(scenes: &mut [T], mut run: impl FnMut(&mut T)) -> Vec<Duration> {
    let mut times = vec![Duration::MAX; scenes.len()];
    for _ in 0..ROUNDS {
        for (scene, best) in scenes.iter_mut().zip(&mut times) {
            let start = Instant::now();
            run(scene);
            *best = start.elapsed().min(*best);
        }
    }
    times
}

/// Screens spread evenly over all recordings.
fn scenes(tapes: &[Tape]) -> Vec<Scene<'_>> {
    let per_tape = (SCREENS / tapes.len()).max(1) as u64;
    let mut scenes = Vec::new();
    for tape in tapes {
        for part in 1..=per_tape {
            let at = tape.cast.duration_ms() * part / per_tape;
            let mut player = Player::new(&tape.cast);
            player.play_to(at.saturating_sub(100));
            let mut before = Shadow::default();
            drop(Picture::delta(&mut before, player.screen()));
            player.play_to(at);
            scenes.push(Scene { before, player, profile: tape.profile.clone() });
        }
    }
    scenes
}

fn feeding(tapes: &[Tape]) {
    let bytes: usize = tapes.iter().flat_map(|tape| output(&tape.cast)).map(<[u8]>::len).sum();
    let time = best(|| {
        for tape in tapes {
            let mut screen = Screen::new(tape.cast.size, TerminalIdentity::default());
            output(&tape.cast).for_each(|part| drop(black_box(screen.feed(part))));
        }
    });
    throughput("screen: what real programs print", bytes, time);
    let time = best(|| {
        for tape in tapes {
            let (mut parser, mut query_parser) = (vte::Parser::new(), QueryParser::new());
            for mut part in output(&tape.cast) {
                while !part.is_empty() {
                    part = &part[parser.advance_until_terminated(&mut query_parser, part)..];
                    query_parser.queue.clear();
                    (query_parser.boundary, query_parser.ended) = (None, false);
                }
            }
            black_box(query_parser);
        }
    });
    throughput("query parser: what real programs print", bytes, time);
    for (what, line) in [
        ("screen and history: coloured words", "\x1b[32mword\x1b[0m \x1b[1mmore\x1b[0m ".repeat(8) + "\r\n"),
        ("screen and history: plain lines of 100", "x".repeat(100) + "\r\n"),
        ("screen and history: y", "y\r\n".to_owned()),
    ] {
        let flood = line.repeat(4_000_000 / line.len());
        let time = best(|| {
            let mut screen = Screen::new(Size::new(120, 40), TerminalIdentity::default());
            let mut history = History::new(10_000);
            for part in flood.as_bytes().chunks(32 * 1024) {
                history.push(&screen.feed(part).scrolled);
            }
        });
        throughput(what, flood.len(), time);
    }
}

fn looking(scenes: &mut [Scene]) {
    let judged = each(scenes, |scene| {
        black_box(watch::classify(&scene.profile, &scene.player.snapshot()));
    });
    spread("detection: one verdict", judged);
}

fn showing(scenes: &mut [Scene]) {
    let delta = |before: &Shadow, screen: &Screen| {
        let mut shadow = before.clone();
        let rows = Picture::delta(&mut shadow, screen).unwrap_or_default();
        let (size, cursor, title) = (screen.size(), screen.grid().cursor, screen.title().to_owned());
        Picture { size, rows, cursor, modes: screen.modes(), title }
    };
    let times = each(scenes, |scene| drop(black_box(delta(&scene.before, scene.player.screen()))));
    spread("picture: what 100 ms changed", times);
    let times = each(scenes, |scene| drop(black_box(delta(&Shadow::default(), scene.player.screen()))));
    spread("picture: a whole screen", times);
    let mut pictures: Vec<Picture> =
        scenes.iter().map(|scene| delta(&Shadow::default(), scene.player.screen())).collect();
    let times = each(&mut pictures, |picture| {
        let mut payload = Vec::new();
        wire::picture::encode("agent", black_box(picture), &mut payload);
        drop(black_box(wire::picture::decode(&payload)));
    });
    spread("picture: a whole screen over the wire", times);
    let times = each(&mut pictures, |picture| {
        let mut painter = Painter::new(picture.size, false);
        painter.apply(picture);
        black_box(painter.frame());
    });
    spread("paint: a whole screen", times);
}

/// What detection takes of a core while agents stream: every look the watcher would have taken in the
/// busy part of a recording, by the time that part lasts.
fn streaming(tapes: &[Tape]) {
    let busy = tapes
        .iter()
        .filter(|tape| ["-stream-", "-slow-", "-think-"].iter().any(|word| tape.name.contains(word)));
    let (mut fed, mut both, mut lasted) = (Duration::ZERO, Duration::ZERO, 0);
    for tape in busy {
        lasted += tape.cast.duration_ms();
        fed += best(|| {
            let mut player = Player::new(&tape.cast);
            for event in &tape.cast.events {
                player.play_to(event.at_ms);
            }
        });
        both += best(|| drop(black_box(replay::changes(&tape.cast, &tape.profile, |_| {}))));
    }
    let share = |time: Duration| time.as_secs_f64() * 1e5 / lasted as f64;
    let detection = share(both.saturating_sub(fed));
    println!("{:44} {:9.3} % of one core", "detection: one streaming agent", detection);
    println!("{:44} {:9.3} % of one core", "detection: 20 streaming agents", detection * AGENTS);
    println!("{:44} {:9.3} % of one core", "emulation: 20 streaming agents", share(fed) * AGENTS);
}

fn main() {
    let tapes = tapes();
    println!("{} recordings; best of {ROUNDS} rounds", tapes.len());
    feeding(&tapes);
    let mut scenes = scenes(&tapes);
    looking(&mut scenes);
    showing(&mut scenes);
    streaming(&tapes);
    let look = best(|| (0..LOOKS).for_each(|_| drop(black_box(ancestry::own_verdict()))));
    println!(
        "{:44} {:9.3} ms",
        "ancestry: one look at a caller",
        look.as_secs_f64() * 1e3 / f64::from(LOOKS)
    );
}
