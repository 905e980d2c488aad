//! Any bytes on a screen of any size, resized at any point, judged by every embedded profile.
//!
//! The first two bytes are columns and rows. A byte 0xff, which no UTF-8 text holds, judges and resizes
//! to the two bytes behind it; the rest is what the program prints.
#![no_main]

use counsel::core::detect::watch::{self, Snapshot};
use counsel::core::profile::Profiles;
use counsel::core::question::State;
use counsel::core::terminal::grid::Size;
use counsel::core::terminal::query_replies::TerminalIdentity;
use counsel::core::terminal::screen::Screen;
use libfuzzer_sys::fuzz_target;

/// Resizes in one input: each is judged by every profile.
const MAX_RESIZES: usize = 4;

fn classify_all(profiles: &Profiles, screen: &Screen) {
    for name in profiles.names() {
        let profile = profiles.get(name).expect("it is listed");
        let (grid, title, modes) = (screen.grid(), screen.title(), screen.modes());
        let snapshot = Snapshot { grid, versions: &[], title, status: None, modes, alive: true, witness: None, asked: None, written: "", from_the_start: false, first_line: None, resized_ms: None, draft: "", wiped: false, still_ms: 0, ages: &[] };
        let verdict = watch::classify(&profile, &snapshot);
        if let Some(question) = &verdict.question {
            assert!(
                matches!(verdict.state, State::Asking | State::Idle),
                "{:?} with a question",
                verdict.state
            );
            let rows = question.options.len();
            assert!(
                question.selected.is_none_or(|row| row < rows),
                "{name}: row {:?} of {rows}",
                question.selected
            );
            question.fingerprint();
        }
        watch::last_message(&profile, grid);
    }
}

fuzz_target!(|bytes: &[u8]| {
    let [cols, rows, rest @ ..] = bytes else { return };
    let profiles = Profiles::builtin();
    let mut screen = Screen::new(Size::new(u16::from(*cols), u16::from(*rows)), TerminalIdentity::default());
    let mut pieces = rest.split(|byte| *byte == 0xff);
    screen.feed(pieces.next().unwrap_or_default());
    for piece in pieces.take(MAX_RESIZES) {
        classify_all(&profiles, &screen);
        let [cols, rows, printed @ ..] = piece else { continue };
        screen.resize(Size::new(u16::from(*cols), u16::from(*rows)));
        screen.feed(printed);
    }
    classify_all(&profiles, &screen);
});
