//! The part of a list that there is room for, and how much of it is left out above and below.
//!
//! Views with lists ask it. Pure.

use std::ops::Range;

/// With fewer lines than this there is no room to say that there are more.
const MIN_ROOM: usize = 4;

/// What is shown of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Window {
    /// Left out above; where there is any, a line says so.
    pub above: usize,
    pub shown: Range<usize>,
    /// The same below.
    pub below: usize,
}

/// The window of a list of so many lines, with this one in view. The lines that say what is left out take room too.
pub fn window(len: usize, room: usize, at: usize) -> Window {
    let shown = match room {
        _ if len <= room => 0..len,
        // As far as there is room, and nothing said.
        0..MIN_ROOM => {
            let from = (at + 1).saturating_sub(room).min(len - room);
            return Window { above: 0, shown: from..from + room, below: 0 };
        }
        _ if at + 1 < room => 0..room - 1,
        _ if at + room > len => len + 1 - room..len,
        _ => at + 3 - room..at + 1,
    };
    Window { above: shown.start, below: len - shown.end, shown }
}

/// What is shown of a list whose entries have several lines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Groups {
    pub shown: Range<usize>,
    /// Whether there is room to say what is left out.
    pub told: bool,
}

/// The entries of so many lines each that fit around this one, whole. The lines that say what is left out take room too.
pub fn groups(heights: &[usize], room: usize, at: usize) -> Groups {
    let told = room >= MIN_ROOM;
    let fits = |from: usize, to: usize| {
        let marks = usize::from(told && from > 0) + usize::from(told && to < heights.len());
        heights[from..to].iter().sum::<usize>() + marks <= room
    };
    let at = at.min(heights.len().saturating_sub(1));
    let from = (0..at).find(|from| fits(*from, at + 1)).unwrap_or(at);
    let to = (at + 1..=heights.len()).rev().find(|to| fits(from, *to)).unwrap_or(at + 1);
    Groups { shown: from..to.min(heights.len()), told }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_of_several_lines_are_shown_whole() {
        let shown = |heights: &[usize], room, at| groups(heights, room, at).shown;
        assert_eq!(shown(&[1, 2, 1, 2], 6, 0), 0..4);
        assert_eq!(shown(&[2, 2, 2, 2], 6, 0), 0..2);
        assert_eq!(shown(&[2, 2, 2, 2], 6, 3), 2..4);
        assert_eq!(shown(&[], 6, 0), 0..0);
        for room in 4..12 {
            let heights: Vec<usize> = (0..30).map(|at| 1 + at % 2).collect();
            for at in 0..heights.len() {
                let range = shown(&heights, room, at);
                let lines: usize = heights[range.clone()].iter().sum();
                let marks = usize::from(range.start > 0) + usize::from(range.end < heights.len());
                assert!(range.contains(&at) && lines + marks <= room, "{room} {at}: {range:?}");
            }
        }
    }

    /// A list ended where the box did, and nothing said that it went on.
    #[test]
    fn what_is_left_out_is_counted_and_the_line_one_is_at_is_shown() {
        let at = |len, room, at| {
            let Window { above, shown, below } = window(len, room, at);
            (above, shown, below)
        };
        assert_eq!(at(5, 5, 4), (0, 0..5, 0));
        assert_eq!(at(10, 5, 0), (0, 0..4, 6));
        assert_eq!(at(10, 5, 3), (0, 0..4, 6));
        assert_eq!(at(10, 5, 4), (2, 2..5, 5));
        assert_eq!(at(10, 5, 9), (6, 6..10, 0));
        assert_eq!(at(10, 2, 9), (0, 8..10, 0), "no room to say so");
        for (len, room) in [(7, 4), (9, 4), (30, 6), (100, 20)] {
            for line in 0..len {
                let Window { above, shown, below } = window(len, room, line);
                let marks = usize::from(above > 0) + usize::from(below > 0);
                assert!(shown.contains(&line), "{len} {room} {line}: {shown:?}");
                assert!(shown.len() + marks <= room, "{len} {room} {line}: {shown:?}");
                assert_eq!(above + shown.len() + below, len);
            }
        }
    }
}
