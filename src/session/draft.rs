//! What persons and programs have typed into an agent and not ended with a line end.
//!
//! A terminal that collects lines shows it, and the program knows nothing of it yet: on the screen it looks like words that were
//! printed. `session/input.rs` tells it of keys, detection is given its text. Pure.

use super::sight::TypedLine;
use crate::core::terminal::grid::{Grid, Row};
use crate::core::terminal::keys::{Action, Input, Key, Mods};

/// More than any prompt's line holds.
const MOST: usize = 4096;

/// The columns of a tab, and of an arrow as a terminal shows one that nobody reads (`^[[A`).
const TAB_COLUMNS: usize = 8;
const KEY_COLUMNS: usize = 4;
/// The columns of a control character: `^[`.
const CONTROL_COLUMNS: usize = 2;

/// The beginning of a line.
#[derive(Debug, Default, Clone)]
pub(super) struct Draft {
    text: String,
    /// What stood before the cursor when it was begun.
    behind: Option<String>,
    /// It was begun under the server before: its words are only on the screen.
    unseen: bool,
    /// What its echo takes at most.
    columns: usize,
    /// Whoever reads takes each key as it comes.
    taken: bool,
    /// As it stood before letters of it were taken back, and the most columns it took.
    taken_from: String,
    most: usize,
    /// Columns before the cursor that were wiped though the echo stands elsewhere, and whether a prompt lost more than blanks.
    lost: usize,
    wiped: bool,
    /// A part of an answer of counsel's own waits in the line, whatever the screen shows.
    left: bool,
    reply: Reply,
    /// The last that was typed has the terminal signal its program, and throw away what it holds.
    signals: bool,
}

/// Where the terminal's reply to a query of the program's is. Whoever reads a line gets it as a part of that.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Reply {
    #[default]
    None,
    /// It is being given, and whether the terminal collects lines is not known yet.
    Given,
    InLine,
}

impl Draft {
    /// Begun under the server before.
    pub(super) fn of_the_server_before(line: Option<TypedLine>) -> Draft {
        let Some(TypedLine { behind, columns, wiped, left }) = line else { return Draft::default() };
        Draft { unseen: true, behind: Some(behind), columns, most: columns, wiped, left, ..Draft::default() }
    }

    /// What is typed, where this is the line up to the cursor.
    pub(super) fn text(&self, line: impl FnOnce() -> String) -> String {
        match &self.behind {
            Some(behind) if self.unseen => {
                let line = line();
                let text = line.strip_prefix(behind.trim_end()).unwrap_or_default().trim();
                // Behind no words any line would be its echo, and a prompt that was printed since no question.
                let prompt = behind.trim().is_empty() && text.chars().count() > self.columns;
                if prompt { String::new() } else { text.to_owned() }
            }
            _ => self.text.clone(),
        }
    }

    /// What the server that comes next is told of it, where this is the line up to the cursor; nothing if nothing is typed.
    pub(super) fn for_the_next(&self, line: impl FnOnce() -> String) -> Option<TypedLine> {
        // Of either the next one has to know only that nothing is to be typed there.
        let (wiped, left) = (self.wiped, self.left || self.holds_reply());
        if (wiped || left) && self.columns == 0 {
            return Some(TypedLine { behind: line(), columns: 0, wiped, left });
        }
        let mut behind = self.behind.clone()?;
        // It was typed ahead, and what stands there was printed since.
        if !self.unseen && behind.trim().is_empty() {
            let line = line();
            if line.trim() != self.text.trim() {
                behind = line;
            }
        }
        Some(TypedLine { behind, columns: if self.taken { 0 } else { self.columns }, wiped, left })
    }

    /// Whether the terminal holds it for whoever reads a line next: an answer would become the end of that line.
    pub(super) fn is_held(&self) -> bool {
        !self.taken && self.columns > 0
    }

    /// An answer is given up of which a part waits in the line.
    pub(super) fn leave(&mut self) {
        self.left = true;
    }

    pub(super) fn is_left(&self) -> bool {
        self.left
    }

    /// The terminal has thrown away what it held. What is typed behind the key that made it do so may be there.
    pub(super) fn flushed(&mut self) {
        if self.signals {
            self.give_up();
        }
    }

    /// The terminal has answered a query.
    pub(super) fn replied(&mut self) {
        if self.reply == Reply::None {
            self.reply = Reply::Given;
        }
    }

    pub(super) fn has_replied(&self) -> bool {
        self.reply == Reply::Given
    }

    /// Whether the terminal collects lines. One that does not hands over what waited in a line as well.
    pub(super) fn reply_went(&mut self, canonical: bool) {
        self.reply = match self.reply {
            Reply::Given if canonical => Reply::InLine,
            kept if canonical => kept,
            _ => Reply::None,
        };
    }

    /// No screen need show it: the terminal echoes it or not.
    pub(super) fn holds_reply(&self) -> bool {
        self.reply == Reply::InLine
    }

    /// Whether the prompt on the screen is not all of the one that was printed.
    pub(super) fn is_wiped(&self) -> bool {
        self.wiped
    }

    /// Who reads takes each key as it comes, what was typed before included, and draws what it makes of them.
    pub(super) fn taken(&mut self) {
        self.taken = self.behind.is_some();
        (self.lost, self.wiped, self.left, self.reply) = (0, false, false, Reply::None);
    }

    /// What its program prints begins another line: nothing has been wiped from that. What the server before has seen wiped is so until
    /// the line ends: what was printed then is printed here once more.
    pub(super) fn printed(&mut self, output: &[u8]) {
        if self.lost > 0 && output.contains(&b'\n') {
            (self.lost, self.wiped) = (0, false);
        }
    }

    /// Something is typed, where this is the line up to the cursor.
    pub(super) fn begins(&mut self, line: impl FnOnce() -> String) {
        if self.behind.is_none() {
            self.behind = Some(line());
        }
    }

    /// The terminal collects lines: what was taken key by key before is no part of this one.
    pub(super) fn collected(&mut self) {
        if self.taken {
            self.end();
        }
    }

    /// Something is typed where this is the line up to the cursor. For a letter that is taken back a terminal wipes the column before the
    /// cursor, wherever that letter stands: what was printed since loses its end.
    pub(super) fn typed_at(&mut self, input: &Input, line: impl FnOnce() -> String) {
        if !self.is_held() || !takes_back(input) {
            return self.typed(input);
        }
        if !self.taken_from.starts_with(&self.text) {
            self.taken_from.clone_from(&self.text);
        }
        let (line, before) = (line(), self.columns);
        let stands = self.stands(&line);
        self.typed(input);
        if !stands {
            self.lost += before.saturating_sub(self.columns);
            self.wiped |= self.lost > line.len() - line.trim_end().len();
        }
    }

    /// Whether its echo, as far as it has come, is what stands right before the cursor.
    fn stands(&self, line: &str) -> bool {
        let behind = self.behind.as_deref().unwrap_or_default();
        let Some(echo) = line.strip_prefix(behind).or_else(|| line.strip_prefix(behind.trim_end())) else {
            return false;
        };
        if !self.unseen && self.most == self.taken_from.chars().count() {
            return self.taken_from.starts_with(echo);
        }
        // How keys are shown is not told apart from a prompt that came up where nothing stood.
        let columns = echo.trim_end().chars().count();
        !behind.trim().is_empty() && columns <= self.most && (columns > 0 || !self.unseen)
    }

    fn typed(&mut self, input: &Input) {
        match input {
            Input::Key(press) if press.action == Action::Release => {}
            Input::Key(press) => match press.key {
                Key::Enter => self.end(),
                Key::Backspace => self.takes_back(),
                // An interrupt, an end of file and a line that is given up, as terminals have them.
                Key::Char('c' | 'd' | 'j' | 'm') if press.mods.has(Mods::CTRL) => self.end(),
                Key::Char('u') if press.mods.has(Mods::CTRL) => self.give_up(),
                Key::Char('w') if press.mods.has(Mods::CTRL) => self.without_last_word(),
                Key::Char(ch) if !press.mods.has(Mods::CTRL) => {
                    self.text.push(ch);
                    self.columns += 1;
                }
                Key::Tab => self.columns += TAB_COLUMNS,
                Key::Esc | Key::Char(_) => self.columns += CONTROL_COLUMNS,
                _ => self.columns += KEY_COLUMNS,
            },
            Input::Text(text) | Input::Paste(text) => self.words(text),
            Input::Raw(bytes) => self.words(&String::from_utf8_lossy(bytes)),
            Input::Mouse(_) | Input::Focus(_) => {}
        }
        self.signals = signals(input).unwrap_or(self.signals);
        self.most = self.most.max(self.columns);
        let over = self.text.len().saturating_sub(MOST);
        self.text.drain(..self.text.ceil_char_boundary(over));
    }

    /// The whole line is taken back. What that has wiped away stays so.
    fn give_up(&mut self) {
        *self = Draft { lost: self.lost, wiped: self.wiped, ..Draft::default() };
    }

    fn end(&mut self) {
        *self = Draft::default();
    }

    fn takes_back(&mut self) {
        let columns = if self.text.pop().is_some() || self.unseen { 1 } else { CONTROL_COLUMNS };
        self.columns = self.columns.saturating_sub(columns);
    }

    /// As terminals take the last word back: the blanks behind it, and it.
    fn without_last_word(&mut self) {
        let rest = self.text.trim_end().trim_end_matches(|ch: char| !ch.is_whitespace()).len();
        self.columns = self.columns.saturating_sub(self.text[rest..].chars().count());
        self.text.truncate(rest);
    }

    fn words(&mut self, text: &str) {
        let rest = match text.rfind(['\r', '\n']) {
            Some(end) => {
                self.end();
                &text[end + 1..]
            }
            None => text,
        };
        self.text.push_str(rest);
        let columns = |ch: char| match ch {
            '\t' => TAB_COLUMNS,
            ch if ch.is_control() => CONTROL_COLUMNS,
            _ => 1,
        };
        self.columns += rest.chars().map(columns).sum::<usize>();
    }
}

/// Whether a terminal that is set so signals its program for the last of this, and throws away what it holds. None: nothing is
/// typed by it.
fn signals(input: &Input) -> Option<bool> {
    const INTERRUPT: u8 = 0x03;
    const SUSPEND: u8 = 0x1a;
    const QUIT: u8 = 0x1c;
    match input {
        Input::Key(press) if press.action == Action::Release => None,
        Input::Key(press) => {
            Some(press.mods.has(Mods::CTRL) && matches!(press.key, Key::Char('c' | 'z' | '\\')))
        }
        Input::Raw(bytes) => bytes.last().map(|last| [INTERRUPT, SUSPEND, QUIT].contains(last)),
        Input::Text(_) | Input::Paste(_) => Some(false),
        Input::Mouse(_) | Input::Focus(_) => None,
    }
}

/// Whether terminals take letters back for it.
fn takes_back(input: &Input) -> bool {
    let Input::Key(press) = input else { return false };
    let by_key = match press.key {
        Key::Backspace => true,
        Key::Char(ch) => press.mods.has(Mods::CTRL) && matches!(ch, 'u' | 'w'),
        _ => false,
    };
    by_key && press.action != Action::Release
}

/// What stands in the cursor's row before it.
pub(super) fn words_before_the_cursor(grid: &Grid) -> String {
    let before = |row: &Row| {
        let mut words = String::with_capacity(row.cells.len());
        row.cells.iter().take(usize::from(grid.cursor.col)).for_each(|cell| cell.push_to(&mut words));
        words
    };
    grid.rows.get(usize::from(grid.cursor.row)).map(before).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::terminal::grid::Size;
    use crate::core::terminal::keys::KeyPress;
    use crate::core::terminal::query_replies::TerminalIdentity;
    use crate::core::terminal::screen::Screen;

    /// Columns were counted as characters: behind wide glyphs blanks that nobody typed were taken for words.
    #[test]
    fn what_stands_before_the_cursor_ends_at_its_column() {
        let mut screen = Screen::new(Size::new(20, 2), TerminalIdentity::default());
        screen.feed("a漢字e\u{301}: xy".as_bytes());
        assert_eq!(words_before_the_cursor(screen.grid()), "a漢字e\u{301}: xy");
        screen.feed(b"\x1b[D");
        assert_eq!(words_before_the_cursor(screen.grid()), "a漢字e\u{301}: x");
    }

    fn next(draft: &Draft, line: &str) -> Draft {
        Draft::of_the_server_before(draft.for_the_next(|| line.into()))
    }

    fn escape() -> Input {
        Input::Key(KeyPress::plain(Key::Esc))
    }

    /// Under the next server the echo of what was typed was a question of its program, and what was typed behind it was lost.
    #[test]
    fn what_was_typed_under_the_server_before_is_read_off_the_screen() {
        let mut draft = Draft::default();
        draft.begins(|| "Name: ".into());
        draft.typed(&Input::Text("my".into()));
        draft.begins(|| "Name: my".into());
        let told = draft.for_the_next(|| "Name: my".into()).expect("a line is begun");
        assert_eq!((draft.text(String::new).as_str(), told.behind.as_str()), ("my", "Name: "));
        let mut next = Draft::of_the_server_before(Some(told));
        assert_eq!(next.text(|| "Name: my na".into()), "my na");
        assert_eq!(next.text(|| "Port: 80".into()), "", "it is another line by now");
        next.typed(&Input::Text("me".into()));
        assert_eq!(next.text(|| "Name: my name".into()), "my name");
        next.typed(&Input::Key(KeyPress::plain(Key::Enter)));
        assert_eq!(next.text(|| "Name: my name".into()), "");
        assert_eq!(next.for_the_next(String::new), None);
        assert_eq!(Draft::of_the_server_before(None).text(|| "Name:".into()), "");
    }

    /// The terminal held nothing behind a ctrl-z, and what was typed there next passed for the end of a line.
    #[test]
    fn what_a_signal_threw_away_is_not_held() {
        let ctrl = |ch| Input::Key(KeyPress { mods: Mods::CTRL, ..KeyPress::plain(Key::Char(ch)) });
        let raw = |bytes: &[u8]| Input::Raw(bytes.to_vec());
        let word = || Input::Text("word".into());
        for (typed, held) in [
            (vec![word(), ctrl('z')], false),
            (vec![raw(b"word\x1a")], false),
            (vec![raw(b"\x1c")], false),
            (vec![ctrl('z'), word()], true),
            (vec![raw(b"\x1aword")], true),
            (vec![word()], true),
        ] {
            let mut draft = Draft::default();
            draft.begins(|| "Name: ".into());
            typed.iter().for_each(|input| draft.typed(input));
            assert!(draft.is_held(), "until the terminal says so");
            draft.flushed();
            assert_eq!((draft.is_held(), draft.text(String::new).is_empty()), (held, !held), "{typed:?}");
        }
    }

    /// Killed just before the first key of an answer, a server left a question that could never be answered: ctrl-u did not help
    /// against a prompt that was said to be wiped away, and was not.
    #[test]
    fn what_may_be_left_of_an_answer_is_taken_back_under_the_next_server_too() {
        let left = TypedLine { behind: String::new(), columns: 0, wiped: false, left: true };
        let mut draft = Draft::of_the_server_before(Some(left.clone()));
        assert!(draft.is_left() && !draft.is_wiped() && !draft.is_held());
        let next = draft.for_the_next(|| "Name: ".into()).expect("it may be there still");
        assert_eq!((next.wiped, next.left), (false, true));
        draft.typed(&Input::Key(KeyPress::ctrl('u')));
        assert!(!draft.is_left());
        assert_eq!(draft.for_the_next(|| "Name: ".into()), None);
    }

    /// Under the next server the prompt that came up behind what was typed ahead was taken for its echo: its question was gone,
    /// and nobody was called.
    #[test]
    fn a_prompt_is_no_echo_of_what_was_typed_ahead() {
        for (input, echo) in [(Input::Text("x".into()), "x"), (escape(), "^[")] {
            let mut draft = Draft::default();
            draft.begins(String::new);
            draft.typed(&input);
            // It came up under the next server, or stood there before.
            for line in [echo, "Continue? [Y/n] "] {
                let next = next(&draft, line);
                assert_eq!(next.text(|| "Continue? [Y/n] ".into()), "", "{echo}, {line}");
                assert!(next.is_held(), "whoever reads a line next gets it");
            }
        }
        let mut draft = Draft::default();
        draft.begins(String::new);
        draft.typed(&Input::Text("and then the tests".into()));
        assert_eq!(next(&draft, "Name: ").text(|| "Name: ".into()), "");
        assert_eq!(
            next(&draft, "and then the tests").text(|| "and then the tests".into()),
            "and then the tests"
        );
    }

    /// Its line is not known from the screen: the next server would type behind what is left of the prompt.
    #[test]
    fn a_prompt_that_was_wiped_away_in_part_is_so_under_the_next_server() {
        let key = |key| Input::Key(key);
        let line = || "Continue? [Y/n] ".to_owned();
        let typed = |inputs: &[Input]| {
            let mut draft = Draft::default();
            draft.begins(String::new);
            draft.typed(&Input::Text("xyz".into()));
            inputs.iter().for_each(|input| draft.typed_at(input, line));
            draft
        };
        let backspace = || key(KeyPress::plain(Key::Backspace));
        for (inputs, wiped) in [
            (vec![key(KeyPress::ctrl('u'))], true),
            (vec![backspace()], false),
            (vec![backspace(), backspace()], true),
            (vec![key(KeyPress::ctrl('w'))], true),
        ] {
            let mut draft = typed(&inputs);
            assert_eq!(draft.is_wiped(), wiped, "{inputs:?}");
            let mut next = next(&draft, "Continue? [Y/");
            assert_eq!((next.is_wiped(), next.is_held()), (wiped, draft.is_held()), "{inputs:?}");
            assert_eq!(next.text(|| "Continue? [Y/".into()), "");
            for (draft, enter) in [(&mut draft, false), (&mut next, true)] {
                draft.printed(b"\x08 \x08");
                assert_eq!(draft.is_wiped(), wiped, "{inputs:?}");
                match enter {
                    true => draft.typed_at(&key(KeyPress::plain(Key::Enter)), line),
                    false => draft.printed(b"done\r\n"),
                }
                assert!(!draft.is_wiped(), "{inputs:?}");
            }
        }
    }

    #[test]
    fn what_is_typed_ahead_is_held_until_it_is_taken_or_taken_back() {
        let key = |key| Input::Key(KeyPress::plain(key));
        let typed = |inputs: &[Input]| {
            let mut draft = Draft::default();
            draft.begins(String::new);
            inputs.iter().for_each(|input| draft.typed(input));
            draft
        };
        let text = || Input::Text("ab".into());
        for held in [vec![text()], vec![escape()], vec![key(Key::Up)], vec![text(), key(Key::Backspace)]] {
            assert!(typed(&held).is_held(), "{held:?}");
        }
        let control_u = Input::Key(KeyPress::ctrl('u'));
        for gone in [
            vec![text(), key(Key::Enter)],
            vec![text(), key(Key::Backspace), key(Key::Backspace)],
            vec![escape(), key(Key::Backspace)],
            vec![text(), control_u],
        ] {
            assert!(!typed(&gone).is_held(), "{gone:?}");
        }
        let mut taken = typed(&[text()]);
        taken.taken();
        assert!(!taken.is_held() && !next(&taken, "ab").is_held());
        // A key for a menu, and words for the line that is read after it.
        taken.collected();
        taken.begins(String::new);
        taken.typed(&text());
        assert!(taken.is_held() && taken.text(String::new) == "ab");
    }

    #[test]
    fn a_line_is_what_was_typed_since_the_last_one_ended() {
        let after = |inputs: &[Input]| {
            let mut draft = Draft::default();
            inputs.iter().for_each(|input| draft.typed(input));
            draft.text
        };
        let key = |key| Input::Key(KeyPress::plain(key));
        let text = |text: &str| Input::Text(text.into());
        assert_eq!(
            after(&[key(Key::Char('P')), key(Key::Char('x')), key(Key::Backspace), text("ort")]),
            "Port"
        );
        assert_eq!(after(&[text("Port"), key(Key::Enter), text("80")]), "80");
        assert_eq!(after(&[text("one\ntwo")]), "two");
        assert_eq!(after(&[text("one"), Input::Key(KeyPress::ctrl('u')), text("two")]), "two");
        assert_eq!(after(&[text("one"), key(Key::Up)]), "one");
        assert_eq!(after(&[text("one two  "), Input::Key(KeyPress::ctrl('w'))]), "one ");
        assert_eq!(after(&[text("one"), Input::Key(KeyPress::ctrl('w'))]), "");
        assert_eq!(after(&[text(&"日".repeat(9_000))]).len(), MOST - 1, "whole characters");
        assert_eq!(after(&[text(&"x".repeat(9_000))]).len(), MOST);
    }
}
