//! A request that its program drew once more for the width its terminal had before.
//!
//! Programs take another size in after a while, and some draw a whole frame before they do (Gemini CLI). The terminal breaks the
//! rows of that at its new edge, or the program cuts them there, and what is left of them reads as a request that nobody made.
//! `Overdrawn` asks here what it is to note; only after a resize is anything noted otherwise than it reads.

use crate::core::profile::Profile;
use crate::core::question::Question;
use crate::core::terminal::grid::{Grid, Row};
use crate::core::terminal::screen::Screen;

use super::request::Request;
use super::{MOST, Overdrawn, snapshot};

/// Columns that may be left free beside a row that is cut at the edge.
const EDGE: usize = 4;

impl Overdrawn {
    /// Its program is given another size while this stands there.
    pub(super) fn stood_at_former_width(&mut self, shown: Option<&Question>) {
        let new = |shown: &&Question| shown.kind.gives_consent() && !self.former.contains(shown);
        if let Some(shown) = shown.filter(new).cloned() {
            self.former.truncate(MOST - 1);
            self.former.insert(0, shown);
        }
    }

    /// Notes what asks for consent in this grid, as its program drew it.
    pub(super) fn note_drawn(
        &mut self,
        profile: &Profile,
        screen: &Screen,
        grid: &Grid,
        asks: Option<Question>,
    ) {
        let Some(question) = asks else { return };
        let request = Request { question, resizes: self.resizes };
        if self.former.is_empty() {
            return self.note(request);
        }
        let request = self.of_whole_rows(profile, screen, grid, &request).unwrap_or(request);
        let is_it = |former: &&Question| {
            is_cut_at_the_edge(&request, former, grid) || is_said_again(&request, former)
        };
        let former = self.former.iter().find(is_it);
        let former = former.map(|former| Request { question: former.clone(), resizes: self.resizes - 1 });
        self.note(former.unwrap_or(request));
    }

    /// The request in its rows as they were before the terminal broke them, where its words tell that it is the same.
    fn of_whole_rows(
        &mut self,
        profile: &Profile,
        screen: &Screen,
        grid: &Grid,
        request: &Request,
    ) -> Option<Request> {
        if !grid.rows.iter().any(|row| row.wrapped) {
            return None;
        }
        let asks = self.consent(profile, &snapshot(screen, &unbroken(grid), &[]));
        let question = asks.filter(|asks| request.is_excerpt_of(asks))?;
        Some(Request { question, resizes: self.resizes - 1 })
    }
}

/// Whether this is the former request with some of its rows cut at the edge of the screen, where a frame would be closed that
/// was drawn for it.
fn is_cut_at_the_edge(request: &Request, former: &Question, grid: &Grid) -> bool {
    let (Some(now), Some(then)) = (&request.question.subject, &former.subject) else { return false };
    let at_the_edge = |line: &str| {
        let ends = |row: &&Row| row.text().ends_with(line) && end(row) + EDGE >= usize::from(grid.cols());
        grid.rows.iter().any(|row| ends(&row))
    };
    let same_or_cut = |(now, then): (&str, &str)| now == then || then.starts_with(now) && at_the_edge(now);
    now != then
        && now.lines().count() == then.lines().count()
        && now.lines().zip(then.lines()).all(same_or_cut)
        && request.is_excerpt_of(former)
}

/// Whether the former request and nothing else stands there more than once: a frame that grew higher at a narrower edge is not
/// wiped away whole, and what is left of it stands above the next one.
fn is_said_again(request: &Request, former: &Question) -> bool {
    let now = &request.question;
    let (Some(words), Some(then)) = (&now.subject, &former.subject) else { return false };
    let bare = |text: &str| -> String {
        text.chars().filter(|ch| !ch.is_whitespace() && !('\u{2500}'..='\u{257f}').contains(ch)).collect()
    };
    let prompt = bare(&former.prompt);
    let then: Vec<String> = then.lines().map(bare).filter(|line| !line.is_empty()).collect();
    // The head of the frame: a mark, the tool that the question names, and the command's first line.
    let heads = |line: &str| {
        let tool = then.first().and_then(|first| line.strip_prefix('?')?.strip_suffix(first.as_str()));
        tool.is_some_and(|tool| !tool.is_empty() && prompt.contains(tool))
    };
    let known = |line: String| line.is_empty() || line == prompt || then.contains(&line) || heads(&line);
    let same_rows = now.kind == former.kind && bare(&now.prompt) == prompt && now.labels() == former.labels();
    same_rows && words.lines().map(bare).all(known)
}

/// Where the last of its words ends.
fn end(row: &Row) -> usize {
    row.cells.iter().rposition(|cell| cell.ch != ' ').map_or(0, |last| last + 1)
}

/// The rows without the breaks that the terminal made.
fn unbroken(grid: &Grid) -> Grid {
    let mut joined = Grid { rows: Vec::new(), ..grid.clone() };
    let mut goes_on = false;
    for (at, row) in grid.rows.iter().enumerate() {
        let before = joined.rows.last_mut().filter(|_| goes_on);
        let offset = before.as_ref().map_or(0, |before| before.cells.len());
        match before {
            Some(before) => before.cells.extend(row.cells.iter().cloned()),
            None => joined.rows.push(Row { wrapped: false, ..row.clone() }),
        }
        if usize::from(grid.cursor.row) == at {
            let (row, col) = (joined.rows.len() - 1, offset + usize::from(grid.cursor.col));
            joined.cursor.row = u16::try_from(row).unwrap_or(u16::MAX);
            joined.cursor.col = u16::try_from(col).unwrap_or(u16::MAX);
        }
        goes_on = row.wrapped;
    }
    let cols = joined.rows.iter().map(end).max().unwrap_or(0).max(1);
    for row in &mut joined.rows {
        row.cells.resize(cols, Default::default());
    }
    let count = |length: usize| u16::try_from(length).unwrap_or(u16::MAX);
    joined.size = (count(cols), count(joined.rows.len()));
    joined
}

#[cfg(test)]
mod tests {
    use super::super::overdrawn_tests::Shown;
    use crate::core::terminal::grid::Size;

    const COMMAND: &str = "rm -rf build && echo one two three four five six seven eight nine ten > out.txt";

    /// The box of Gemini CLI with this command in it, drawn for a terminal of so many columns.
    fn drawn(command: &str, cols: usize) -> String {
        let inner = cols - 8;
        let mut lines: Vec<String> = vec![String::new()];
        for word in command.split(' ') {
            match lines.last_mut() {
                Some(line) if !line.is_empty() && line.len() + 1 + word.len() <= inner => {
                    line.push(' ');
                    line.push_str(word);
                }
                Some(line) if line.is_empty() => line.push_str(word),
                _ => lines.push(word.to_owned()),
            }
        }
        let row = |text: &str| format!("│ {text:<width$} │\r\n", width = cols - 4);
        let rule = |ends: [char; 2], cols: usize| format!("{}{}{}", ends[0], "─".repeat(cols - 2), ends[1]);
        let heading: String = format!("? Shell {command}").chars().take(cols - 6).collect();
        let mut frame = format!("\x1b[?25l\x1b[H\x1b[2J{}\r\n", rule(['╭', '╮'], cols));
        frame += &row(&format!("{heading}…"));
        frame += &row(&rule(['╭', '╮'], cols - 4));
        lines.iter().for_each(|line| frame += &row(&format!("│ {line:<inner$} │")));
        frame += &row(&rule(['╰', '╯'], cols - 4));
        for text in [
            "Allow execution of [Shell]?",
            "",
            "● 1. Allow once",
            "  2. Allow for this session",
            "  3. No, suggest changes (esc)",
        ] {
            frame += &row(text);
        }
        frame + &rule(['╰', '╯'], cols)
    }

    /// The same with its rows cut at the edge, by its program.
    fn cut(drawn: &str, cols: usize) -> String {
        let rows = drawn.split("\r\n").map(|row| {
            let begin = row.find(['╭', '│', '╰']).unwrap_or(0);
            let (sequences, words) = row.split_at(begin);
            sequences.to_owned() + words.chars().take(cols - 2).collect::<String>().trim_end()
        });
        rows.collect::<Vec<_>>().join("\r\n")
    }

    /// A request at this size, once it was asked at another.
    fn resized(to: Size) -> Shown {
        let mut shown = Shown::new("gemini", Size::new(90, 30));
        shown.feed(drawn(COMMAND, 90).as_bytes());
        let asked = shown.question();
        assert!(asked.as_ref().is_some_and(|asked| asked.subject.is_some()), "{asked:?}");
        shown.screen.resize(to);
        shown.overdrawn.resized(asked.as_ref());
        shown
    }

    /// Gemini CLI draws a frame of the former width first, which was taken for a request that waits behind the real one: that
    /// could not be answered any more.
    #[test]
    fn a_frame_of_the_former_width_is_no_other_request() {
        for to in [Size::new(58, 30), Size::new(70, 24), Size::new(110, 40)] {
            let cols = usize::from(to.cols);
            for former in [drawn(COMMAND, 90), cut(&drawn(COMMAND, 90), cols)] {
                let mut shown = resized(to);
                shown.feed(former.as_bytes());
                shown.feed(drawn(COMMAND, cols).as_bytes());
                assert!(!shown.hides(), "{to:?} {:?}", shown.overdrawn);
            }
        }
    }

    #[test]
    fn another_request_after_a_resize_is_one() {
        let to = Size::new(58, 30);
        for other in
            ["rm -rf build", "rm -rf build && echo one two three four five six seven eight nine ten > /srv"]
        {
            for frame in [drawn(other, 58), drawn(other, 90)] {
                let mut shown = resized(to);
                shown.feed(frame.as_bytes());
                shown.feed(drawn(COMMAND, 58).as_bytes());
                assert!(shown.hides(), "{other}\n{frame}");
            }
        }
    }

    /// Gemini CLI 0.61.0 at 58x20, zoomed and back. The frame before is not wiped away whole where its rows became two each: what is
    /// left of it and the next frame read as one request, which could not be answered any more.
    #[test]
    fn what_is_left_above_of_the_frame_before_is_no_other_request() {
        let cast = include_str!("../../../../tests/redrawn/gemini-0.61.0-zoom-58x20.cast");
        for (command, hides) in [("rm -rf build/n01-x", false), ("rm -rf build/n02-x", true)] {
            let mut shown = Shown::new("gemini", Size::new(58, 20));
            for event in cast.lines().skip(1) {
                let (_, kind, data): (f64, String, String) = serde_json::from_str(event).unwrap();
                if kind == "r" {
                    let asked = shown.question();
                    shown.screen.resize(data.parse().unwrap());
                    shown.overdrawn.resized(asked.as_ref());
                    continue;
                }
                // The last frame asks for the command that was recorded, those before it for this one.
                let last = cast.trim_end().ends_with(event);
                let data = if last { data } else { data.replace("rm -rf build/n01-x", command) };
                shown.feed(data.as_bytes());
            }
            assert_eq!(shown.hides(), hides, "{command}\n{:?}", shown.overdrawn);
        }
    }
}
