//! A command line taken apart into the commands it runs.
//!
//! `core/policy/guard.rs` and `core/policy/route.rs` ask what a permission would really run. It errs on the side of
//! more commands: what it cannot follow it calls opaque, and nothing opaque is approved by a pattern.

use std::borrow::Cow;
use std::ops::Range;

use super::here_document;

/// One command of a line.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Simple {
    /// Without quotes; a substitution stands as `$()`. A redirection is a command of its own: `>` and
    /// its target.
    pub words: Vec<String>,
}

impl Simple {
    pub fn text(&self) -> String {
        self.words.join(" ")
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Line {
    pub commands: Vec<Simple>,
    /// A quote without its end, a here-document, or nesting too deep to follow.
    pub opaque: bool,
}

/// Substitutions within substitutions that are followed; nobody writes more by hand.
const DEEPEST: usize = 8;

pub fn split(line: &str) -> Line {
    split_at(line, DEEPEST)
}

/// A command as it was told, with each text of `"$(cat <<'EOF' …)"` between its double quotes in place of that.
pub fn quoted_texts(line: &str) -> Cow<'_, str> {
    let mut reader = Reader::new(line, DEEPEST);
    reader.texts = Some(Vec::new());
    while reader.at < reader.chars.len() {
        reader.step();
    }
    let texts = reader.texts.unwrap_or_default();
    if texts.is_empty() {
        return line.into();
    }
    let mut quoted = String::new();
    let mut at = 0;
    for (place, text) in &texts {
        quoted.extend(&reader.chars[at..place.start]);
        for ch in text.chars() {
            quoted.extend(['\\', '"', '$', '`'].contains(&ch).then_some('\\'));
            quoted.push(ch);
        }
        at = place.end;
    }
    quoted.extend(&reader.chars[at..]);
    quoted.into()
}

fn split_at(line: &str, depth: usize) -> Line {
    let mut reader = Reader::new(line, depth);
    if depth == 0 {
        reader.line.opaque = true;
        return reader.line;
    }
    while reader.at < reader.chars.len() {
        reader.step();
    }
    reader.end_command();
    reader.line
}

struct Reader {
    chars: Vec<char>,
    at: usize,
    depth: usize,
    word: Option<String>,
    command: Simple,
    /// Places in the command behind braces that stand among its words.
    behind_braces: Vec<usize>,
    /// The next word is this redirection's target.
    redirect: Option<char>,
    /// Behind `${` that is not closed at once, and a bracket behind words, what looks like a comment may be none.
    comments: bool,
    /// Substitutions within double quotes that stand for a text, from the dollar sign on; none where nobody asks for them.
    texts: Option<Vec<(Range<usize>, String)>>,
    line: Line,
}

impl Reader {
    fn new(line: &str, depth: usize) -> Reader {
        Reader {
            chars: line.chars().collect(),
            at: 0,
            depth,
            word: None,
            command: Simple::default(),
            behind_braces: Vec::new(),
            redirect: None,
            comments: true,
            texts: None,
            line: Line::default(),
        }
    }

    fn peek(&self, ahead: usize) -> Option<char> {
        self.chars.get(self.at + ahead).copied()
    }

    fn push(&mut self, ch: char) {
        self.word.get_or_insert_default().push(ch);
    }

    fn step(&mut self) {
        let ch = self.chars[self.at];
        self.at += 1;
        self.comments &= !self.hides_comments(ch);
        match ch {
            '\\' => match self.peek(0) {
                Some('\n') => self.at += 1,
                Some(next) => {
                    self.push(next);
                    self.at += 1;
                }
                None => self.line.opaque = true,
            },
            '\'' => self.single(),
            '"' => self.double(),
            '`' => self.backticks(),
            '$' if self.peek(0) == Some('\'') => self.with_codes(),
            '$' | '<' | '>' if self.peek(0) == Some('(') => self.substitution(),
            '&' if self.peek(0) == Some('>') => {}
            '<' | '>' => self.redirection(ch),
            ';' | '&' | '|' | '\n' | '(' | ')' => self.end_command(),
            '{' | '}'
                if self.word.is_none() && self.peek(0).is_none_or(|c| c.is_whitespace() || c == ';') =>
            {
                self.brace(ch);
            }
            '#' if self.word.is_none() => self.comment(),
            ch if ch.is_whitespace() => self.end_word(),
            ch => self.push(ch),
        }
    }

    fn hides_comments(&self, ch: char) -> bool {
        let named = |rest: &[char]| {
            let name = rest.iter().take_while(|ch| ch.is_ascii_alphanumeric() || **ch == '_').count();
            rest.get(name) == Some(&'}')
        };
        match ch {
            '$' => self.peek(0) == Some('{') && !named(&self.chars[self.at + 1..]),
            '(' => self.word.is_some() || !self.command.words.is_empty(),
            _ => false,
        }
    }

    /// To the end of its line nothing of it is run, nor given to what is.
    fn comment(&mut self) {
        self.line.opaque |= !self.comments;
        let rest = &self.chars[self.at..];
        self.at += rest.iter().position(|ch| *ch == '\n').unwrap_or(rest.len());
    }

    /// At the beginning of a command a brace holds commands together. Behind other words it is a word like them, unless those
    /// are the shell's (`then {`, `function f {`): then a command begins behind it. Both are told.
    fn brace(&mut self, ch: char) {
        if self.command.words.is_empty() && self.redirect.is_none() {
            return self.end_command();
        }
        self.push(ch);
        self.end_word();
        self.behind_braces.push(self.command.words.len());
    }

    fn single(&mut self) {
        self.word.get_or_insert_default();
        loop {
            match self.peek(0) {
                None => return self.line.opaque = true,
                Some('\'') => return self.at += 1,
                Some(ch) => {
                    self.push(ch);
                    self.at += 1;
                }
            }
        }
    }

    /// `$'…'`, in which a backslash writes a character: where that is a quote, shells differ about where it ends.
    fn with_codes(&mut self) {
        self.push('$');
        self.at += 1;
        let rest = &self.chars[self.at..];
        let end = rest.iter().position(|ch| *ch == '\'').unwrap_or(rest.len());
        let backslashes = rest[..end].iter().rev().take_while(|ch| **ch == '\\').count();
        self.line.opaque |= backslashes % 2 == 1;
        self.single();
    }

    fn double(&mut self) {
        self.word.get_or_insert_default();
        loop {
            let Some(ch) = self.peek(0) else { return self.line.opaque = true };
            self.at += 1;
            self.comments &= ch != '$' || !self.hides_comments(ch);
            match ch {
                '"' => return,
                '\\' => {
                    if let Some(next) = self.peek(0) {
                        self.push(next);
                        self.at += 1;
                    }
                }
                '`' => self.backticks(),
                '$' if self.peek(0) == Some('(') => self.quoted_substitution(),
                ch => self.push(ch),
            }
        }
    }

    /// One that stands for a text which is written down is told as that.
    fn quoted_substitution(&mut self) {
        let from = self.at - 1;
        let text = self.texts.as_ref().and_then(|_| here_document::text(&self.chars[self.at..]));
        match (text, &mut self.texts) {
            (Some((text, length)), Some(texts)) => {
                self.at += length;
                texts.push((from..self.at, text));
            }
            _ => self.substitution(),
        }
    }

    fn backticks(&mut self) {
        let rest = &self.chars[self.at..];
        let Some(end) = rest.iter().position(|ch| *ch == '`') else { return self.line.opaque = true };
        let inner: String = rest[..end].iter().collect();
        self.at += end + 1;
        self.nest(&inner);
    }

    /// `$(…)`, `<(…)`, `>(…)`: the bracket that closes it, quotes apart.
    fn substitution(&mut self) {
        let from = self.at + 1;
        let (mut open, mut quote) = (0_usize, None);
        for at in self.at..self.chars.len() {
            match (self.chars[at], quote) {
                (ch, Some(mark)) if ch == mark => quote = None,
                (_, Some(_)) => {}
                (ch @ ('\'' | '"'), None) => quote = Some(ch),
                ('(', None) => open += 1,
                (')', None) => {
                    open -= 1;
                    if open == 0 {
                        let inner: String = self.chars[from..at].iter().collect();
                        self.at = at + 1;
                        return self.nest(&inner);
                    }
                }
                (_, None) => {}
            }
        }
        self.line.opaque = true;
        self.at = self.chars.len();
    }

    fn nest(&mut self, inner: &str) {
        let nested = split_at(inner, self.depth - 1);
        self.line.commands.extend(nested.commands);
        self.line.opaque |= nested.opaque;
        self.word.get_or_insert_default().push_str("$()");
    }

    fn redirection(&mut self, ch: char) {
        // The descriptor's number belongs to the arrow.
        if self.word.as_ref().is_some_and(|word| word.chars().all(|c| c.is_ascii_digit())) {
            self.word = None;
        }
        self.end_word();
        if ch == '<' && self.peek(0) == Some('<') {
            self.line.opaque = true;
        }
        while matches!(self.peek(0), Some('>' | '<' | '|')) {
            self.at += 1;
        }
        let ends = |ch: char| ch.is_whitespace() || ";&|<>()".contains(ch);
        if self.peek(0) == Some('&')
            && self.peek(1).is_some_and(|c| c.is_ascii_digit() || c == '-')
            && self.peek(2).is_none_or(ends)
        {
            self.at += 2;
            return;
        }
        if self.peek(0) == Some('&') {
            self.at += 1;
        }
        self.redirect = Some(ch);
    }

    fn end_word(&mut self) {
        let Some(word) = self.word.take() else { return };
        match self.redirect.take() {
            Some('>') if word == "/dev/null" => {}
            Some(arrow) => self.line.commands.push(Simple { words: vec![arrow.to_string(), word] }),
            None => self.command.words.push(word),
        }
    }

    fn end_command(&mut self) {
        self.end_word();
        if self.redirect.take().is_some() {
            self.line.opaque = true;
        }
        let command = std::mem::take(&mut self.command);
        for from in std::mem::take(&mut self.behind_braces) {
            let words = command.words[from..].to_vec();
            if !words.is_empty() {
                self.line.commands.push(Simple { words });
            }
        }
        if !command.words.is_empty() {
            self.line.commands.push(command);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(line: &str) -> Vec<String> {
        split(line).commands.iter().map(Simple::text).collect()
    }

    #[test]
    fn every_command_of_a_line_is_found() {
        for (line, commands) in [
            ("git status", &["git status"][..]),
            ("git status; rm -rf ~", &["git status", "rm -rf ~"]),
            ("a && b || c | d & e\nf", &["a", "b", "c", "d", "e", "f"]),
            ("echo 'a; b' \"c && d\"", &["echo a; b c && d"]),
            ("echo $(rm x) y", &["rm x", "echo $() y"]),
            ("echo \"$(rm \")\" x)\"", &["rm ) x", "echo $()"]),
            ("echo `rm x`", &["rm x", "echo $()"]),
            ("diff <(a) <(b c)", &["a", "b c", "diff $() $()"]),
            ("(a; b)", &["a", "b"]),
            ("{ a; b; }", &["a", "b"]),
            ("a { b c; }", &["b c", "a { b c"]),
            ("function f { a; }", &["a", "function f { a"]),
            ("a > x 2>&1", &["> x", "a"]),
            ("a 2>/dev/null >> ~/.bashrc", &["> ~/.bashrc", "a"]),
            ("a &> x", &["> x", "a"]),
            ("a < x", &["< x", "a"]),
            ("r\\m -rf x", &["rm -rf x"]),
            ("r''m x", &["rm x"]),
            ("a \\\n b", &["a b"]),
            ("deploy x #--dry-run\nb#c '' # 'd", &["deploy x", "b#c "]),
        ] {
            assert_eq!(texts(line), commands, "{line}");
            assert!(!split(line).opaque, "{line}");
        }
    }

    #[test]
    fn what_cannot_be_followed_is_opaque() {
        for line in ["echo 'a", "echo \"a", "echo $(a", "echo `a", "cat <<EOF\nx\nEOF", "a >", "a \\"] {
            assert!(split(line).opaque, "{line}");
        }
        let deep = "$(".repeat(20) + &")".repeat(20);
        assert!(split(&deep).opaque);
    }
}
