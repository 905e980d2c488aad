//! Any text as a profile: it is read or refused with a place in the text, and one that is read can judge
//! a screen.
#![no_main]

use std::sync::OnceLock;

use counsel::core::detect::watch::{self, Snapshot};
use counsel::core::profile::Profiles;
use counsel::core::terminal::grid::Size;
use counsel::core::terminal::query_replies::TerminalIdentity;
use counsel::core::terminal::screen::Screen;
use libfuzzer_sys::fuzz_target;

/// A dialog with an input line, a list and a key hint: something for most rules to look at.
const DIALOG: &str = "\x1b[2J\x1b[H$ run\r\n1. a list\r\n2. in prose\r\n\
    ────────────────────────────────────────\r\n Do you want to proceed?\r\n\r\n \
    ❯ 1. Yes\r\n   2. [ ] No, and tell it why\r\n   3. Type something\r\n\r\n \
    Enter to select · Esc to cancel\r\n╭──────────╮\r\n│ > draft  │\r\n╰──────────╯\r\n  ? for shortcuts";

fn screens() -> &'static [Screen] {
    static SCREENS: OnceLock<Vec<Screen>> = OnceLock::new();
    SCREENS.get_or_init(|| {
        let shown = |text: &str| {
            let mut screen = Screen::new(Size::new(60, 20), TerminalIdentity::default());
            screen.feed(text.as_bytes());
            screen
        };
        let cut = DIALOG.split("╭").next().expect("a split has a first part");
        vec![shown(DIALOG), shown(cut), shown("apt\r\nDo you want to continue? [Y/n] ")]
    })
}

fuzz_target!(|text: &str| {
    let mut profiles = Profiles::default();
    match profiles.add_toml("x.toml", text) {
        Ok(name) => {
            let profile = profiles.get(&name).expect("what was added is there");
            for screen in screens() {
                let (grid, modes) = (screen.grid(), screen.modes());
                let snapshot = Snapshot { grid, versions: &[], title: "x", status: None, modes, alive: true, witness: None, asked: None, written: "", from_the_start: false, first_line: None, resized_ms: None, draft: "", wiped: false, still_ms: 0, ages: &[] };
                let verdict = watch::classify(&profile, &snapshot);
                assert_eq!(watch::explain(&profile, &snapshot).state, verdict.state);
                watch::last_message(&profile, grid);
            }
        }
        Err(error) => assert!(error.line >= 1 && error.column >= 1 && !error.cause.is_empty(), "{error:?}"),
    }
});
