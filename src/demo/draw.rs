//! Paints a scripted agent inline, the way terminal agents do: a transcript that scrolls away, and
//! below it a live part that is erased and drawn again.
//!
//! Pure: values in, bytes for the terminal out. `actor.rs` calls it.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use super::widget::{Dialog, Page, RowKind};
use crate::core::terminal::grid::Size;

const BOLD: &str = "\x1b[1m";
const DIM: &str = "\x1b[2m";
const ACCENT: &str = "\x1b[36m";
const GOOD: &str = "\x1b[32m";
const PLAIN: &str = "\x1b[0m";

/// What a line is, which decides its colours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tone {
    Title,
    Plain,
    Quiet,
    Good,
    Alarm,
}

/// One paragraph of the transcript: what its first line begins with, its words, its colours.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Paragraph {
    pub mark: &'static str,
    pub text: String,
    pub tone: Tone,
}

impl Paragraph {
    /// As lines no wider than `cols`, the later ones under the first word.
    pub fn lines(&self, cols: u16) -> Vec<String> {
        let indent = self.mark.width();
        let width = usize::from(cols).saturating_sub(indent + 1).max(1);
        let sgr = match self.tone {
            Tone::Title => BOLD,
            Tone::Plain => "",
            Tone::Quiet => DIM,
            Tone::Good => GOOD,
            Tone::Alarm => "\x1b[31m",
        };
        let mut lines = Vec::new();
        for part in self.text.split('\n') {
            for line in wrap(part, width) {
                let before = if lines.is_empty() { self.mark.to_string() } else { " ".repeat(indent) };
                lines.push(format!("{before}{sgr}{line}{PLAIN}"));
            }
        }
        lines
    }
}

/// Breaks at blanks; a word wider than a line is cut.
pub fn wrap(text: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        let line = lines.last_mut().expect("there is always a line");
        if line.is_empty() || line.width() + 1 + word.width() <= width {
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(word);
        } else {
            lines.push(word.to_string());
        }
        while lines.last().is_some_and(|line| line.width() > width) {
            let long = lines.pop().expect("the loop's condition saw it");
            let at = cut(&long, width);
            lines.push(long[..at].to_string());
            lines.push(long[at..].to_string());
        }
    }
    lines
}

/// The byte at which `text` gets wider than `width`; at least one character stays.
fn cut(text: &str, width: usize) -> usize {
    let mut used = 0;
    for (at, ch) in text.char_indices() {
        used += ch.width().unwrap_or(0);
        if used > width && at > 0 {
            return at;
        }
    }
    text.len()
}

fn rule(cols: u16) -> String {
    format!("{DIM}{}{PLAIN}", "─".repeat(usize::from(cols)))
}

/// The input line between two rules.
pub fn composer(draft: &str, hint: &str, size: Size) -> Vec<String> {
    let width = usize::from(size.cols).saturating_sub(4).max(1);
    let mut lines = vec![rule(size.cols)];
    let draft = wrap(draft, width);
    let last = draft.len() - 1;
    for (at, line) in draft.iter().enumerate() {
        let before = if at == 0 { "❯ " } else { "  " };
        let cursor = if at == last { "\x1b[7m \x1b[27m" } else { "" };
        lines.push(format!("{before}{line}{cursor}"));
    }
    lines.push(rule(size.cols));
    lines.push(format!("{DIM}  {}{PLAIN}", &hint[..cut(hint, width)]));
    lines
}

/// The line that says the agent works.
pub fn spinner(frame: usize, label: &str, seconds: u64) -> Vec<String> {
    let glyph = ['·', '✢', '✳', '✻', '✳', '✢'][frame % 6];
    vec![String::new(), format!("{ACCENT}{glyph}{PLAIN} {label}… {DIM}({seconds}s){PLAIN}")]
}

/// How much of a dialog is shown; less where the terminal is low.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Room {
    Roomy,
    /// No blank lines, no descriptions.
    Tight,
    /// No hint and no header of a single question either.
    Bare,
}

/// A dialog, as roomy as `size` allows.
pub fn dialog(dialog: &Dialog, size: Size) -> Vec<String> {
    let mut lines = Vec::new();
    for room in [Room::Roomy, Room::Tight, Room::Bare] {
        lines = draw_dialog(dialog, size, room);
        if lines.len() <= usize::from(size.rows) {
            break;
        }
    }
    lines
}

fn draw_dialog(dialog: &Dialog, size: Size, room: Room) -> Vec<String> {
    let width = usize::from(size.cols).saturating_sub(2).max(1);
    let page = dialog.page();
    let mut lines = vec![rule(size.cols)];
    let gap = |lines: &mut Vec<String>| {
        if room == Room::Roomy {
            lines.push(String::new());
        }
    };
    if dialog.is_form() {
        lines.push(tabs(dialog, width));
    } else if let Some(permission) = &dialog.permission {
        lines.push(format!(" {BOLD}{} command{PLAIN}", permission.tool));
        let dashes = format!("{DIM}{}{PLAIN}", "╌".repeat(usize::from(size.cols)));
        lines.push(dashes.clone());
        lines.extend(wrap(&permission.subject, width).into_iter().map(|line| format!(" {line}")));
        lines.push(dashes);
    } else if room < Room::Bare {
        lines.push(format!(" {ACCENT}☐ {}{PLAIN}", page.header));
    }
    gap(&mut lines);
    if dialog.at == dialog.pages.len() {
        for given in dialog.given() {
            lines.push(format!(" {DIM}• {}{PLAIN}", given.prompt));
            lines.push(format!("   → {}", given.answer.join(", ")));
        }
        gap(&mut lines);
    }
    lines.extend(wrap(&page.prompt, width).into_iter().map(|line| format!("{BOLD}{line}{PLAIN}")));
    gap(&mut lines);
    lines.extend(rows(page, width, room));
    if room < Room::Bare {
        gap(&mut lines);
        let keys = match (dialog.is_form(), page.multi) {
            (true, _) => "Enter to select · Tab/arrows to navigate · Esc to cancel",
            (false, true) => "Space to tick · ↑/↓ to navigate · Esc to cancel",
            (false, false) => "Enter to select · ↑/↓ to navigate · Esc to cancel",
        };
        lines.push(format!("{DIM}{}{PLAIN}", &keys[..cut(keys, width)]));
    }
    lines
}

/// The pages of a form, in one line whatever the width: where there is little, only the page that is
/// shown has its name.
fn tabs(dialog: &Dialog, width: usize) -> String {
    let tab = |at: usize, mark: char, name: &str, short: bool| {
        let (on, name) = (at == dialog.at, if short && at != dialog.at { "" } else { name });
        let gap = if name.is_empty() { "" } else { " " };
        (format!("{mark}{gap}{name}"), if on { "\x1b[7m" } else { "" })
    };
    let line = |short: bool| {
        let mark = |page: &Page| if page.answer.is_some() { '☒' } else { '☐' };
        let pages =
            dialog.pages.iter().enumerate().map(|(at, page)| tab(at, mark(page), &page.header, short));
        pages.chain([tab(dialog.pages.len(), '✔', "Submit", short)]).collect::<Vec<_>>()
    };
    let wide = |tabs: &[(String, &str)]| tabs.iter().map(|(text, _)| text.width() + 2).sum::<usize>() + 4;
    let long = line(false);
    let tabs = if wide(&long) <= width { long } else { line(true) };
    let tabs: Vec<String> = tabs.into_iter().map(|(text, sgr)| format!("{sgr}{text}{PLAIN}")).collect();
    format!("←  {}  →", tabs.join("  "))
}

fn rows(page: &Page, width: usize, room: Room) -> Vec<String> {
    let mut lines = Vec::new();
    let mut number = 0;
    for (at, row) in page.rows.iter().enumerate() {
        let marked = at == page.highlight;
        let marker = if marked { '❯' } else { ' ' };
        let tick = match (page.multi, row.ticked) {
            (true, true) => "[✔] ",
            (true, false) => "[ ] ",
            (false, _) => "",
        };
        let label = match row.kind {
            RowKind::FreeText if !page.text.is_empty() => &page.text,
            RowKind::Choice | RowKind::FreeText | RowKind::Submit => &row.label,
        };
        let head = match row.kind {
            RowKind::Choice | RowKind::FreeText => {
                number += 1;
                format!("{marker} {number}. {tick}")
            }
            RowKind::Submit => format!("{marker}    "),
        };
        let sgr = if marked { ACCENT } else { "" };
        let indent = head.width();
        for (line, text) in wrap(label, width.saturating_sub(indent).max(1)).iter().enumerate() {
            let head = if line == 0 { head.clone() } else { " ".repeat(indent) };
            lines.push(format!("{sgr}{head}{text}{PLAIN}"));
        }
        if room == Room::Roomy && !row.description.is_empty() {
            lines.push(format!(
                "{DIM}     {}{PLAIN}",
                &row.description[..cut(&row.description, width.saturating_sub(5))]
            ));
        }
    }
    lines
}

/// Remembers the live part, to draw over it and only when it changes.
#[derive(Debug, Default)]
pub struct Painter {
    live: Vec<String>,
    /// The terminal has said that it knows synchronized updates.
    pub synchronized: bool,
}

impl Painter {
    /// `above` joins the transcript, `live` replaces the live part.
    pub fn frame(&mut self, above: &[String], live: &[String], size: Size) -> String {
        if above.is_empty() && cut_to(live, size) == self.live {
            return String::new();
        }
        let erase = match self.live.len() {
            0 => String::new(),
            1 => "\r\x1b[J".to_string(),
            lines => format!("\x1b[{}A\r\x1b[J", lines - 1),
        };
        self.draw(&erase, above, live, size)
    }

    /// Everything anew, after a resize.
    pub fn repaint(&mut self, transcript: &[String], live: &[String], size: Size) -> String {
        let room = usize::from(size.rows).saturating_sub(live.len());
        let tail = &transcript[transcript.len().saturating_sub(room)..];
        self.draw("\x1b[2J\x1b[H", tail, live, size)
    }

    fn draw(&mut self, erase: &str, above: &[String], live: &[String], size: Size) -> String {
        let live = cut_to(live, size);
        self.live = live.to_vec();
        let (begin, end) = if self.synchronized { ("\x1b[?2026h", "\x1b[?2026l") } else { ("", "") };
        let above: String = above.iter().map(|line| format!("{line}\r\n")).collect();
        format!("{begin}{erase}{above}{}{end}", live.join("\r\n"))
    }
}

/// The lines at the bottom that the terminal has room for.
fn cut_to(lines: &[String], size: Size) -> &[String] {
    &lines[lines.len().saturating_sub(usize::from(size.rows))..]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::terminal::query_replies::TerminalIdentity;
    use crate::core::terminal::screen::Screen;
    use crate::demo::widget::Quirks;

    fn shown(bytes: &str, size: Size) -> String {
        let mut screen = Screen::new(size, TerminalIdentity::default());
        screen.feed(bytes.as_bytes());
        screen.grid().text()
    }

    #[test]
    fn a_dialog_fits_where_there_is_little_room() {
        let rows =
            [("PostgreSQL", "already used by billing"), ("SQLite", "embedded"), ("Redis", "in memory")];
        let page = Page::menu("Database", "Which database should I use for the session store?", &rows);
        let dialog = Dialog::new(vec![page.with_free_text()], Quirks::FIELD, 0);
        for (cols, rows) in [(120, 40), (80, 24), (38, 9), (38, 7)] {
            let size = Size::new(cols, rows);
            let lines = super::dialog(&dialog, size);
            let text = shown(&Painter::default().frame(&[], &lines, size), size);
            for word in ["Which database", "❯ 1. PostgreSQL", "  4. Type something."] {
                assert!(text.contains(word), "{size}: no {word:?} in\n{text}");
            }
            assert_eq!(text.contains("already used"), rows > 20, "{size}\n{text}");
        }
    }

    /// An agent of the demo ended in a terminal of one column that was tall enough for all of its dialog.
    #[test]
    fn a_dialog_is_drawn_at_every_size() {
        let rows = [("日本語の答え", "a few words on it"), ("SQLite", "")];
        let page = |multi| {
            let page = Page::menu("Database", "Which 日本語 database should I use?", &rows).with_free_text();
            Page { multi, ..page }
        };
        let forms = [vec![page(false)], vec![page(true)], vec![page(false), page(true)]];
        for (form, cols, rows) in forms.iter().flat_map(|form| {
            (1..90).flat_map(move |cols| [1, 2, 5, 14, 50, 200].map(move |rows| (form, cols, rows)))
        }) {
            let size = Size::new(cols, rows);
            let lines = super::dialog(&Dialog::new(form.clone(), Quirks::FIELD, 0), size);
            Painter::default().repaint(&["above".to_owned()], &lines, size);
            composer("one\ntwo 日本語", "hint", size);
        }
    }

    #[test]
    fn the_live_part_is_drawn_over_and_the_transcript_stays() {
        let size = Size::new(20, 5);
        let mut painter = Painter::default();
        let lines = |names: &[&str]| names.iter().map(|name| name.to_string()).collect::<Vec<String>>();
        let mut bytes = painter.frame(&lines(&["one"]), &lines(&["a", "b"]), size);
        bytes.push_str(&painter.frame(&lines(&["two"]), &lines(&["c"]), size));
        bytes.push_str(&painter.frame(&[], &lines(&["d", "e"]), size));
        assert_eq!(painter.frame(&[], &lines(&["d", "e"]), size), "", "nothing new, nothing drawn");
        assert_eq!(shown(&bytes, size).trim_end(), "one\ntwo\nd\ne");
    }

    #[test]
    fn words_are_broken_at_blanks_and_long_ones_cut() {
        assert_eq!(wrap("to be or not", 5), ["to be", "or", "not"]);
        assert_eq!(wrap("a abcdefgh", 3), ["a", "abc", "def", "gh"]);
        assert_eq!(wrap("日本語", 4), ["日本", "語"]);
        assert_eq!(wrap("", 4), [""]);
    }
}
