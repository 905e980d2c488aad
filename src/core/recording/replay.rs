//! Plays a recording through the emulator and judges its screens as the server would.
//!
//! `cli/replay.rs`, `cli/profile.rs` and the tests of detection call it. It reads no file and keeps
//! no clock but the recording's own.

use crate::core::detect::watch::{self, Explanation, Snapshot, Watcher};
use crate::core::profile::Profile;
use crate::core::question::Verdict;
use crate::core::recording::asciicast::{Asciicast, What};
use crate::core::terminal::grid::Size;
use crate::core::terminal::program_status::ProgramStatus;
use crate::core::terminal::query_parser::Report;
use crate::core::terminal::query_replies::TerminalIdentity;
use crate::core::terminal::screen::{SYNC_LIMIT_MS, Screen};

/// A recording being played.
#[derive(Debug)]
pub struct Player<'a> {
    cast: &'a Asciicast,
    next: usize,
    screen: Screen,
    status: Option<ProgramStatus>,
    in_sync_since: Option<u64>,
}

impl<'a> Player<'a> {
    pub fn new(cast: &'a Asciicast) -> Player<'a> {
        let screen = Screen::new(cast.size, TerminalIdentity::default());
        Player { cast, next: 0, screen, status: None, in_sync_since: None }
    }

    pub fn screen(&self) -> &Screen {
        &self.screen
    }

    pub fn snapshot(&self) -> Snapshot<'_> {
        Snapshot {
            grid: self.screen.grid(),
            versions: self.screen.versions(),
            title: self.screen.title(),
            status: self.status.as_ref(),
            modes: self.screen.modes(),
            alive: true,
            witness: None,
            asked: None,
            written: "",
            from_the_start: false,
            first_line: None,
            resized_ms: None,
            draft: "",
            wiped: false,
            untouched: false,
            still_ms: 0,
            ages: &[],
        }
    }

    /// Plays every event up to and including `at_ms`.
    pub fn play_to(&mut self, at_ms: u64) {
        while self.cast.events.get(self.next).is_some_and(|event| event.at_ms <= at_ms) {
            self.step();
        }
        self.end_sync_before(at_ms);
    }

    /// Plays one event; what it was.
    fn step(&mut self) -> Option<Played> {
        let event = self.cast.events.get(self.next)?;
        self.next += 1;
        self.end_sync_before(event.at_ms);
        match &event.what {
            What::Output(text) => {
                self.feed(text.as_bytes(), event.at_ms);
                Some(Played::Output)
            }
            What::Resize(size) => {
                self.resize(*size);
                Some(Played::Resize)
            }
            What::Silent => Some(Played::Nothing),
        }
    }

    fn feed(&mut self, bytes: &[u8], at_ms: u64) {
        for report in self.screen.feed(bytes).reports {
            if let Report::Status(status) = report {
                self.status = Some(status);
            }
        }
        self.in_sync_since = if self.screen.in_sync() { self.in_sync_since.or(Some(at_ms)) } else { None };
    }

    fn resize(&mut self, size: Size) {
        self.screen.resize(size);
    }

    fn end_sync_before(&mut self, now_ms: u64) {
        if self.in_sync_since.is_some_and(|since| now_ms > since + SYNC_LIMIT_MS) {
            self.screen.end_sync();
            self.in_sync_since = None;
        }
    }
}

enum Played {
    Output,
    Resize,
    Nothing,
}

/// The verdict on the screen as it stands at each of these times.
pub fn verdicts_at(cast: &Asciicast, profile: &Profile, times_ms: &[u64]) -> Vec<Verdict> {
    at(cast, times_ms, |look| watch::classify(profile, look))
}

/// The explained verdict at each of these times.
pub fn explained_at(cast: &Asciicast, profile: &Profile, times_ms: &[u64]) -> Vec<Explanation> {
    at(cast, times_ms, |look| watch::explain(profile, look))
}

/// One result for each time, in the order asked for, whatever that order is.
fn at<T>(cast: &Asciicast, times_ms: &[u64], see: impl Fn(&Snapshot) -> T) -> Vec<T> {
    let mut order: Vec<usize> = (0..times_ms.len()).collect();
    order.sort_by_key(|&index| times_ms[index]);
    let mut player = Player::new(cast);
    let mut seen: Vec<(usize, T)> = Vec::with_capacity(times_ms.len());
    for index in order {
        player.play_to(times_ms[index]);
        seen.push((index, see(&player.snapshot())));
    }
    seen.sort_by_key(|(index, _)| *index);
    seen.into_iter().map(|(_, result)| result).collect()
}

/// Every change of the verdict, with its time, as the server's watcher would report it. `told` hears how many of the events
/// were played.
pub fn changes(cast: &Asciicast, profile: &Profile, mut told: impl FnMut(usize)) -> Vec<(u64, Verdict)> {
    let mut player = Player::new(cast);
    let mut watcher = Watcher::new();
    let mut changes = Vec::new();
    while let Some(at_ms) = cast.events.get(player.next).map(|event| event.at_ms) {
        told(player.next);
        poll(&mut watcher, &mut player, profile, at_ms, &mut changes);
        match player.step() {
            Some(Played::Output) if !player.screen.in_sync() => watcher.saw_output(at_ms),
            Some(Played::Resize) => watcher.saw_resize(at_ms),
            Some(Played::Output | Played::Nothing) | None => {}
        }
    }
    poll(&mut watcher, &mut player, profile, u64::MAX, &mut changes);
    changes
}

/// Judges at every wake-up that falls before `before_ms`.
fn poll(
    watcher: &mut Watcher,
    player: &mut Player,
    profile: &Profile,
    before_ms: u64,
    changes: &mut Vec<(u64, Verdict)>,
) {
    while let Some(wake) = watcher.next_wake().filter(|wake| *wake < before_ms) {
        if let Some(verdict) = watcher.poll(profile, &player.snapshot(), wake) {
            changes.push((wake, verdict));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::profile::Profiles;
    use crate::core::question::State;

    const CAST: &str = r#"{"version": 2, "width": 40, "height": 6}
[0.5, "o", "Overwrite? [y/N] "]
[2.0, "o", "y\r\n$ "]
"#;

    #[test]
    fn a_screen_is_judged_as_it_stands_at_each_time_in_the_order_asked() {
        let cast = Asciicast::parse(CAST).unwrap();
        let profile = Profiles::builtin().for_command(&cast.argv());
        let states: Vec<State> =
            verdicts_at(&cast, &profile, &[2000, 100, 500]).iter().map(|verdict| verdict.state).collect();
        assert_eq!(states, [State::Idle, State::Starting, State::Asking]);
    }

    #[test]
    fn changes_come_once_and_within_the_watchers_time() {
        let cast = Asciicast::parse(CAST).unwrap();
        let profile = Profiles::builtin().for_command(&cast.argv());
        let mut played = 0;
        let changes = changes(&cast, &profile, |_| played += 1);
        assert_eq!(played, cast.events.len());
        let states: Vec<State> = changes.iter().map(|(_, verdict)| verdict.state).collect();
        assert_eq!(states, [State::Asking, State::Idle]);
        assert!(changes[0].0 <= 550, "reported {} ms after the start", changes[0].0);
    }

    /// Four of ten rows were told as if they were all: opencode draws as many as the pane has room for, and nothing says that there
    /// are more.
    #[test]
    fn a_list_of_opencode_that_its_pane_cuts_is_told_as_cut() {
        let asked = |name: &str, at_ms| {
            let path = format!("{}/tests/recordings/{name}.cast", env!("CARGO_MANIFEST_DIR"));
            let cast = Asciicast::parse(&std::fs::read_to_string(path).unwrap()).unwrap();
            let profile = Profiles::builtin().for_command(&cast.argv());
            let question = verdicts_at(&cast, &profile, &[at_ms]).remove(0).question.unwrap();
            (question.options.len(), question.partial, question.origin.end_unseen)
        };
        let cut = "kept/opencode-1.3.2-asksdotsnine-72x18";
        assert_eq!(asked(cut, 40_574), (4, true, true));
        // Whether its last row is the last one, only the line below it would tell.
        assert_eq!(asked(cut, 30_762), (5, true, true));
        assert_eq!(asked("opencode-1.18.33-ask1-120x40", 24_916), (4, false, false));
    }

    #[test]
    fn an_unfinished_update_is_not_looked_at_until_it_lasts_too_long() {
        let text = "{\"version\": 2, \"width\": 40, \"height\": 6}\n\
                    [0.5, \"o\", \"\\u001b[?2026hOverwrite? [y/N] \"]\n[9.0, \"i\", \"\"]\n";
        let cast = Asciicast::parse(text).unwrap();
        let profile = Profiles::builtin().for_command(&[]);
        let verdicts = verdicts_at(&cast, &profile, &[550, 8000]);
        assert_eq!(verdicts[0].state, State::Starting);
        assert_eq!(verdicts[1].state, State::Asking);
    }
}
