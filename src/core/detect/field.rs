//! What stands in a field that a program draws for words: those that somebody typed, or those that it offers.
//!
//! `detect/lines.rs` comes here for fields behind a prompt, `detect/bare.rs` for those below one. Faint words are offered,
//! bright ones typed; a cursor that is drawn as a block may stand upon either.

use super::page::{Line, faint};
use crate::core::terminal::grid::{Attrs, Style};

/// Marks between a prompt and its field, and a cursor behind the last letter.
const MARKS: &str = "›‣…█";

/// What a field holds.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Held {
    pub typed: Option<String>,
    pub offered: Option<String>,
}

/// The bold words of a line behind its mark, and what the field behind them holds. Its words may be bold as well, in a
/// colour that no word of the question has.
pub fn behind_bold(line: &Line) -> Option<(String, Held)> {
    let start = line.text.find(' ')? + 1;
    let is_bold = |(at, ch): &(usize, char)| *ch == ' ' || line.style_at(start + at).attrs.has(Attrs::BOLD);
    let words: String = line.text[start..].char_indices().take_while(is_bold).map(|(_, ch)| ch).collect();
    let words = words[..coloured(line, start, &words).unwrap_or(words.len())].trim_end();
    (!words.is_empty()).then(|| (words.to_owned(), held(line, start + words.len())))
}

/// Where the last words, all of one colour that none before them has, begin.
fn coloured(line: &Line, start: usize, words: &str) -> Option<usize> {
    let inked = || words.char_indices().filter(|(_, ch)| *ch != ' ');
    let colour = |at: usize| line.style_at(start + at).fg;
    let last = colour(inked().next_back()?.0);
    let (at, _) = inked().find(|(at, _)| colour(*at) == last)?;
    (inked().next()?.0 < at
        && inked().skip_while(|(before, _)| *before < at).all(|(at, _)| colour(at) == last))
    .then_some(at)
}

/// What the field holds that goes from this byte to the end of its line.
pub fn held(line: &Line, from: usize) -> Held {
    let shown = |wanted: &dyn Fn(usize, char) -> bool| {
        let chars = line.text[from..].char_indices().map(|(at, ch)| (from + at, ch));
        let seen =
            chars.filter(|(at, ch)| !MARKS.contains(*ch) && !line.style_at(*at).attrs.has(Attrs::HIDDEN));
        let text: String = seen.filter(|(at, ch)| wanted(*at, *ch)).map(|(_, ch)| ch).collect();
        Some(text.trim().to_owned()).filter(|text| !text.is_empty())
    };
    match shown(&|at, ch| ch == ' ' || !(faint(line.style_at(at)) || is_block(line, at, ch))) {
        typed @ Some(_) => Held { typed, offered: None },
        None => Held { typed: None, offered: shown(&|_, _| true).and_then(|all| bare(&all)) },
    }
}

/// Whether a cursor is drawn there, on the first letter of what is offered.
fn is_block(line: &Line, at: usize, ch: char) -> bool {
    let on_ground = |style: Style| style.attrs.has(Attrs::INVERSE) || style.bg != line.ground;
    on_ground(line.style_at(at)) && line.ink_at(at + ch.len_utf8()).is_some_and(faint)
}

/// A value without the brackets around it.
fn bare(offered: &str) -> Option<String> {
    let inside = |(open, close)| offered.strip_prefix(open)?.strip_suffix(close);
    let value = [('(', ')'), ('[', ']')].into_iter().find_map(inside).unwrap_or(offered).trim();
    (!value.is_empty()).then(|| value.to_owned())
}
