//! A recording that may be shown to others: the same pictures, without what looks like a secret.
//!
//! Output is cut anywhere, a secret with it, and between its letters may stand sequences that move the cursor. So what is
//! looked through are the screens: those of the recording are painted anew, each row that holds part of a secret with its
//! letters and digits crossed out. What was drawn within one moment becomes one picture, and only the last of them are kept.

use std::collections::{BTreeSet, VecDeque};
use std::fmt::Write;

use imara_diff::{Algorithm, Diff, InternedInput};
use serde_json::json;

use crate::core::log::redact::withheld;
use crate::core::terminal::grid::{Grid, Size};
use crate::core::terminal::repaint::repaint;
use crate::core::terminal::screen::Screen;

use super::asciicast::{Asciicast, What};

/// What changes within so many milliseconds is one picture: a tenth of a second is what people and the detector see.
const MOMENT_MS: u64 = 100;
/// Pictures that are kept: minutes of an agent at work, in a few megabytes.
const MOST_PICTURES: usize = 1_000;

/// The recording in asciicast v2. `secrets` are values that must not be in it whatever they look like.
pub fn redacted(cast: &Asciicast, secrets: &[String]) -> String {
    // Letter by letter a secret is none until it is long enough: what it became is known only at the end.
    let mut held = BTreeSet::new();
    play(cast, |_, screen| {
        let rows = screen.grid().rows.iter();
        let crossed = rows.zip(kept(screen.grid(), secrets)).filter(|(_, kept)| !kept);
        held.extend(crossed.map(|(row, _)| row.text()));
    });
    let mut pictures: VecDeque<(u64, Size, String)> = VecDeque::new();
    play(cast, |at_ms, screen| {
        let picture = picture(screen, secrets, &held);
        if pictures.back().is_none_or(|(_, size, last)| *size != screen.size() || *last != picture) {
            pictures.push_back((at_ms, screen.size(), picture));
        }
        if pictures.len() > MOST_PICTURES {
            pictures.pop_front();
        }
    });
    written(cast, pictures, secrets)
}

/// Plays it, and shows the screen at the end of every moment.
fn play(cast: &Asciicast, mut show: impl FnMut(u64, &Screen)) {
    let mut screen = Screen::new(cast.size, Default::default());
    let mut open_since = None;
    for (at, event) in cast.events.iter().enumerate() {
        match &event.what {
            What::Output(text) => drop(screen.feed(text.as_bytes())),
            What::Resize(size) => screen.resize(*size),
            What::Silent => {}
        }
        let since = *open_since.get_or_insert(event.at_ms);
        let next = cast.events.get(at + 1).map(|next| next.at_ms);
        if next.is_none_or(|next| next >= since + MOMENT_MS) {
            open_since = None;
            show(event.at_ms, &screen);
        }
    }
}

/// A screen with its secrets crossed out, and with them whatever grew into one of the rows in `held`.
fn picture(screen: &Screen, secrets: &[String], held: &BTreeSet<String>) -> String {
    let mut grid = screen.grid().clone();
    let kept = kept(&grid, secrets);
    for (row, kept) in grid.rows.iter_mut().zip(kept) {
        let text = row.text();
        let grows = || held.range(text.clone()..).next().is_some_and(|longer| longer.starts_with(&text));
        if kept && !grows() {
            continue;
        }
        for cell in row.cells.iter_mut().filter(|cell| cell.ch.is_alphanumeric()) {
            (cell.ch, cell.extra) = ('x', None);
        }
    }
    String::from_utf8_lossy(&repaint(&grid, screen.modes())).into_owned()
}

fn written(cast: &Asciicast, pictures: VecDeque<(u64, Size, String)>, secrets: &[String]) -> String {
    let mut size = pictures.front().map_or(cast.size, |(_, size, _)| *size);
    let command = cast.command.as_deref().map(|command| withheld(command, secrets));
    let mut text =
        json!({ "version": 2, "width": size.cols, "height": size.rows, "command": command }).to_string();
    text.push('\n');
    for (at_ms, new_size, picture) in pictures {
        let seconds = at_ms as f64 / 1000.0;
        if new_size != size {
            let _ = writeln!(text, "{}", json!([seconds, "r", new_size.to_string()]));
            size = new_size;
        }
        let _ = writeln!(text, "{}", json!([seconds, "o", picture]));
    }
    text
}

/// Which rows survive when secrets are taken out of the screen's text.
fn kept(grid: &Grid, secrets: &[String]) -> Vec<bool> {
    let rows: Vec<String> = grid.rows.iter().map(|row| format!("{}\n", row.text())).collect();
    let mut kept = kept_rows(&rows, &withheld(&rows.concat(), secrets));
    // Where a row goes on in the next one, so may a secret.
    let joined = grid.rows.iter().map(|row| if row.wrapped { row.full_text() } else { row.text() + "\n" });
    let joined: String = joined.collect();
    if withheld(&joined, secrets) != joined {
        // Which of the wrapped rows it is cannot be told from the text: all of them.
        for (at, kept) in kept.iter_mut().enumerate() {
            *kept &= !grid.rows[at].wrapped && (at == 0 || !grid.rows[at - 1].wrapped);
        }
    }
    kept
}

/// Which rows stand in the cleaned text as they were.
fn kept_rows(rows: &[String], clean: &str) -> Vec<bool> {
    let mut input = InternedInput::default();
    input.update_before(rows.iter().map(String::as_str));
    input.update_after(clean.split_inclusive('\n'));
    let diff = Diff::compute(Algorithm::Myers, &input);
    (0..).zip(rows).map(|(row, _)| !diff.is_removed(row)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TOKEN: &str = "ghp_Ab3dEf6hIj9lMn2pQr5t";

    fn cast(events: &[(f64, &str)]) -> Asciicast {
        let mut text = "{\"version\":2,\"width\":30,\"height\":6,\"command\":\"x\"}\n".to_owned();
        for (at, data) in events {
            let _ = writeln!(text, "{}", json!([at, "o", data]));
        }
        Asciicast::parse(&text).unwrap()
    }

    fn last_screen(text: &str) -> String {
        let cast = Asciicast::parse(text).unwrap();
        let mut screen = Screen::new(cast.size, Default::default());
        for event in &cast.events {
            if let What::Output(text) = &event.what {
                screen.feed(text.as_bytes());
            }
        }
        screen.grid().text()
    }

    #[test]
    fn a_secret_cut_by_events_colours_and_the_edge_is_crossed_out_and_the_rest_stays() {
        for events in [
            vec![(0.1, "Which token?\r\nuse "), (0.5, &TOKEN[..9]), (0.9, &TOKEN[9..])],
            vec![(0.1, "Which token?\r\nuse ghp_Ab3d\x1b[31mEf6hIj9lMn2pQr5t\x1b[0m")],
            vec![(0.1, "Which token?\r\nwith a long beginning use ghp_Ab3dEf6hIj9lMn2pQr5t")],
        ] {
            let text = redacted(&cast(&events), &[]);
            let screen = last_screen(&text);
            assert!(screen.contains("Which token?"), "{screen}");
            assert!(!screen.contains("pQr5t") && !text.contains("Ab3d"), "{text}");
        }
    }

    #[test]
    fn a_value_that_is_known_is_crossed_out_whatever_it_looks_like() {
        let text = redacted(&cast(&[(0.1, "the pass is blue-house-9\r\nok")]), &["blue-house-9".to_owned()]);
        assert!(last_screen(&text).contains("ok") && !text.contains("house"), "{text}");
    }

    #[test]
    fn what_was_drawn_within_a_moment_is_one_picture() {
        let text = redacted(&cast(&[(0.10, "a"), (0.12, "b"), (0.15, "c"), (1.0, "d"), (2.0, "")]), &[]);
        assert_eq!(text.lines().count(), 1 + 2, "{text}");
    }
}
