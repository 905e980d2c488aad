//! Any file as a recording: it is read or refused, and one that is read can be played and judged.
#![no_main]

use counsel::core::profile::Profiles;
use counsel::core::recording::asciicast::Asciicast;
use counsel::core::recording::replay;
use libfuzzer_sys::fuzz_target;

/// Cells of the largest screen that is played here: larger ones only take longer.
const MAX_CELLS: u32 = 200 * 60;

fuzz_target!(|bytes: &[u8]| {
    let text = String::from_utf8_lossy(bytes);
    let Ok(cast) = Asciicast::parse(&text) else { return };
    let profile = Profiles::builtin().for_command(&cast.argv());
    if u32::from(cast.size.cols) * u32::from(cast.size.rows) > MAX_CELLS {
        return;
    }
    let changes = replay::changes(&cast, &profile, |_| {});
    assert!(changes.is_sorted_by_key(|(at, _)| *at), "the times of the changes go backwards");
    let times = [cast.duration_ms(), 0, cast.duration_ms() / 2, u64::MAX];
    assert_eq!(replay::verdicts_at(&cast, &profile, &times).len(), times.len());
    replay::explained_at(&cast, &profile, &times[..1]);
});
