//! Finding words in the lines of a scrollback, also where a line goes on in the next row.
//!
//! `scroll.rs` asks it with every letter of a search. Pure.

use unicode_width::UnicodeWidthChar;

use crate::core::terminal::picture::Line;

/// Part of a match within one row: the row, its first column, and the one past its last.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Piece {
    pub line: usize,
    pub from: u16,
    pub to: u16,
}

/// One place where the words stand; in several pieces where a row ends within them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Match {
    pub pieces: Vec<Piece>,
}

impl Match {
    pub fn line(&self) -> usize {
        self.pieces.first().map_or(0, |piece| piece.line)
    }
}

/// A character of a row, with the columns it takes. Marks take none.
struct Glyph {
    ch: char,
    line: usize,
    from: u16,
    to: u16,
}

/// Every place, oldest first. A capital letter in the words makes the search exact, as in most pagers.
pub fn matches(lines: &[Line], words: &str) -> Vec<Match> {
    let exact = words.chars().any(char::is_uppercase);
    let folded = |ch: char| if exact { ch } else { ch.to_lowercase().next().unwrap_or(ch) };
    let words: Vec<char> = words.chars().map(folded).collect();
    let mut found = Vec::new();
    if words.is_empty() {
        return found;
    }
    let mut at = 0;
    while at < lines.len() {
        let mut glyphs = Vec::new();
        loop {
            push_glyphs(&mut glyphs, &lines[at], at);
            at += 1;
            if at == lines.len() || !lines[at - 1].wrapped {
                break;
            }
        }
        let mut from = 0;
        while from + words.len() <= glyphs.len() {
            let here = &glyphs[from..from + words.len()];
            if here.iter().zip(&words).all(|(glyph, word)| folded(glyph.ch) == *word) {
                found.push(Match { pieces: pieces(here) });
                from += words.len();
            } else {
                from += 1;
            }
        }
    }
    found
}

fn push_glyphs(glyphs: &mut Vec<Glyph>, line: &Line, at: usize) {
    let mut col = 0;
    for run in &line.runs {
        for (i, ch) in run.text.chars().enumerate() {
            let mark = run.cluster && i > 0 || ch.width() == Some(0);
            let width = if mark { 0 } else { u16::from(run.width) };
            glyphs.push(Glyph { ch, line: at, from: col, to: col + width });
            col += width;
        }
    }
}

fn pieces(glyphs: &[Glyph]) -> Vec<Piece> {
    let mut pieces: Vec<Piece> = Vec::new();
    for glyph in glyphs {
        match pieces.last_mut() {
            Some(piece) if piece.line == glyph.line => piece.to = glyph.to,
            _ => pieces.push(Piece { line: glyph.line, from: glyph.from, to: glyph.to }),
        }
    }
    pieces
}

/// What stands in these columns of a row.
pub fn columns(line: &Line, from: u16, to: u16) -> String {
    let mut glyphs = Vec::new();
    push_glyphs(&mut glyphs, line, 0);
    let inside =
        |glyph: &&Glyph| glyph.from >= from && glyph.to <= to && (glyph.to > glyph.from || glyph.from > from);
    glyphs.iter().filter(inside).map(|glyph| glyph.ch).collect()
}

/// Whether a person has typed something here, as shells and agents show it.
pub fn is_prompt(text: &str) -> bool {
    let text = text.trim_start();
    ["❯ ", "› ", "> ", "$ ", "# ", "% "].iter().any(|mark| text.starts_with(mark))
        || text.split_once("$ ").is_some_and(|(before, _)| before.contains('@') && !before.contains(' '))
}

/// Whether something is asked here.
pub fn is_question(text: &str) -> bool {
    let text = text.trim_end_matches([' ', '│', '┃', '|']);
    text.ends_with('?') && text.len() > 3
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::terminal::picture::Run;

    fn line(text: &str, wrapped: bool) -> Line {
        let run = |text: &str, width, cluster| Run {
            text: text.into(),
            style: Default::default(),
            width,
            cluster,
            link: None,
        };
        let mut runs = Vec::new();
        for ch in text.chars() {
            runs.push(run(&ch.to_string(), if ch.width() == Some(2) { 2 } else { 1 }, false));
        }
        Line { runs, wrapped }
    }

    #[test]
    fn words_are_found_wherever_they_stand() {
        let lines = [line("one two one", false), line("漢字 tw", true), line("o and ONE", false)];
        let places = |words: &str| -> Vec<Vec<(usize, u16, u16)>> {
            let of = |found: &Match| found.pieces.iter().map(|p| (p.line, p.from, p.to)).collect();
            matches(&lines, words).iter().map(of).collect()
        };
        assert_eq!(places("one"), [vec![(0, 0, 3)], vec![(0, 8, 11)], vec![(2, 6, 9)]]);
        assert_eq!(places("ONE"), [vec![(2, 6, 9)]]);
        assert_eq!(places("two"), [vec![(0, 4, 7)], vec![(1, 5, 7), (2, 0, 1)]], "over the end of a row");
        assert_eq!(places("字"), [vec![(1, 2, 4)]]);
        assert!(places("").is_empty() && places("nowhere").is_empty());
    }

    #[test]
    fn columns_are_cut_where_a_person_sees_them() {
        assert_eq!(columns(&line("ab漢字cd", false), 1, 4), "b漢");
        assert_eq!(columns(&line("ab漢字cd", false), 3, 9), "字cd");
        assert_eq!(columns(&line("ab", false), 5, 9), "");
    }

    #[test]
    fn prompts_and_questions_are_known_by_their_look() {
        for text in ["❯ go on", "> go on", "  $ make", "me@box:~$ make"] {
            assert!(is_prompt(text), "{text}");
        }
        for text in ["│ Do you want to proceed?   │", "Which database should I use?"] {
            assert!(is_question(text), "{text}");
        }
        assert!(!is_prompt("costs $ 5") && !is_question("a ?b") && !is_question("?"));
    }
}
