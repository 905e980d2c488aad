//! The scoreboard as a test: every labelled recording, judged at every checkpoint.
//!
//! The bar is what was reached; a change that sees less fails here and says where.

use std::path::Path;

use counsel::cli::profile::{Board, board};
use counsel::core::profile::Profiles;

fn judged(folder: &str) -> Board {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    board(&Profiles::builtin(), None, &dir, |_| true).expect("the recordings are in the repository")
}

/// What is not as labelled.
fn surprises(board: &Board) -> Vec<String> {
    board.misses.iter().map(|(name, t, what)| format!("{name} @{t}: {what}")).collect()
}

/// Labelled by whoever made them, without counsel.
#[test]
fn recordings_are_judged_as_labelled() {
    let board = judged("tests/recordings");
    assert!(surprises(&board).is_empty(), "not judged as labelled:\n{}", surprises(&board).join("\n"));
    assert_eq!(board.total.found, board.total.asked, "a question was missed");
    assert!(board.total.checkpoints > 1000, "recordings are missing: {}", board.total.checkpoints);
}

/// Verdicts that were read against the screens and kept: other versions, sizes and languages.
#[test]
fn verdicts_that_were_right_stay_right() {
    let board = judged("tests/recordings/kept");
    assert!(surprises(&board).is_empty(), "judged otherwise than before:\n{}", surprises(&board).join("\n"));
    assert!(board.total.checkpoints > 385, "recordings are missing: {}", board.total.checkpoints);
}
