//! The programs that sed and awk are given: what they write and run, beside what they print. With them, readers that write to a
//! second name.
//!
//! `guard.rs` asks for each command of a line. Pure. A script of sed's is read to its end: what is no known command is a
//! person's. The manuals: sed(1), gawk(1).

use std::sync::LazyLock;

use crate::core::pattern::Pattern;
use crate::core::policy::outside::leaves;

const UNFOLLOWED: &str = "what it runs cannot be followed";
const WRITES: &str = "it writes a file or runs a program of its own choice";

/// What awk runs by `system` or behind a bar, calls by a name it makes, reads besides, or writes (gawk(1)).
static AWK_RUNS: LazyLock<Pattern> =
    LazyLock::new(|| Pattern::constant(r#"\bsystem\s*\(|\|\s*&?\s*["g]|"\s*\||@\s*[A-Za-z_]|\$\{|\$\(\)"#));
/// The same without what is quoted.
static AWK_WRITES: LazyLock<Pattern> =
    LazyLock::new(|| Pattern::constant(r"\bprintf?\b[^;}\n]*>|\bprintf?\b(?:[^;}\n|]|\|\|)*\|(?:[^|]|$)"));
static AWK_STRING: LazyLock<Pattern> = LazyLock::new(|| Pattern::constant(r#""(?:[^"\\]|\\.)*""#));
static AWK_PRINTS: LazyLock<Pattern> = LazyLock::new(|| Pattern::constant(r#">+\s*"/dev/std(?:out|err)""#));
/// A program that a variable holds.
static HELD: LazyLock<Pattern> = LazyLock::new(|| Pattern::constant(r"^\$(?:\w*[A-Za-z_]\w*|\{.*)$"));
/// A variable in a script of sed's; `$` with one letter is its last line and a command.
static SED_MADE: LazyLock<Pattern> =
    LazyLock::new(|| Pattern::constant(r"(?:^|[^\\])\$(?:[({]|[A-Za-z_]\w)"));

/// Why nobody but a person approves a program of this name with these words.
pub fn harm(name: &str, args: &[String]) -> Option<&'static str> {
    match name {
        "sed" | "gsed" => sed(args),
        "awk" | "gawk" | "mawk" | "nawk" => awk(args).then_some(UNFOLLOWED),
        "uniq" => (files(args, "fsw") > 1).then_some(WRITES),
        _ => None,
    }
}

/// How many words are neither options nor the values of these letters.
fn files(args: &[String], valued: &str) -> usize {
    let mut skip = false;
    let mut count = 0;
    for word in args {
        let option = word.len() > 1 && word.starts_with('-') && !word.starts_with("--");
        count += usize::from(!skip && !word.starts_with('-'));
        skip = option && word.ends_with(|ch| valued.contains(ch));
    }
    count
}

fn awk(args: &[String]) -> bool {
    let mut words = args.iter();
    while let Some(word) = words.next() {
        match word.as_str() {
            "-F" | "-v" | "--assign" | "--field-separator" => _ = words.next(),
            "--" => return words.next().is_some_and(|program| awk_acts(program)),
            word if word.starts_with("-F")
                || word.starts_with("-v")
                || word.starts_with("--field")
                || word.starts_with("--assign") => {}
            "--csv" | "--posix" | "--version" | "--re-interval" | "-b" | "-P" | "-S" | "--sandbox" | "-V" => {
            }
            // Files of code, libraries, code of their own, and what writes: profiles, variables.
            word if word.starts_with('-') => return true,
            program => return awk_acts(program),
        }
    }
    false
}

fn awk_acts(program: &str) -> bool {
    let printing = AWK_PRINTS.replace_all(program, "");
    let bare = AWK_STRING.replace_all(&printing, "\"\"");
    AWK_RUNS.is_match(program) || AWK_WRITES.is_match(&bare) || HELD.is_match(program)
}

fn sed(args: &[String]) -> Option<&'static str> {
    let (mut scripts, mut inputs, mut in_place) = (Vec::new(), Vec::new(), false);
    let mut words = args.iter();
    while let Some(word) = words.next() {
        if let Some(long) = word.strip_prefix("--") {
            let (name, value) =
                long.split_once('=').map_or((long, None), |(name, value)| (name, Some(value)));
            in_place |= name.starts_with("in");
            if !name.is_empty() && "expression".starts_with(name) {
                scripts.push(value.unwrap_or_else(|| words.next().map_or("", String::as_str)));
            } else if name.starts_with("fi") || name == "f" {
                return Some(UNFOLLOWED);
            }
        } else if let Some(cluster) = word.strip_prefix('-').filter(|rest| !rest.is_empty()) {
            let end = cluster.find(['e', 'f', 'i', 'l']).unwrap_or(cluster.len());
            let (letter, rest) = (cluster[end..].chars().next(), cluster.get(end + 1..).unwrap_or(""));
            match letter {
                Some('f') => return Some(UNFOLLOWED),
                Some('e') if rest.is_empty() => scripts.push(words.next().map_or("", String::as_str)),
                Some('e') => scripts.push(rest),
                Some('i') => in_place = true,
                _ => {}
            }
        } else {
            inputs.push(word.as_str());
        }
    }
    if scripts.is_empty() && !inputs.is_empty() {
        scripts.push(inputs.remove(0));
    }
    if in_place && inputs.iter().any(|file| leaves(file)) {
        return Some("it changes files outside the folder");
    }
    let acts = |script: &&str| {
        HELD.is_match(script) && script.len() > 2 || SED_MADE.is_match(script) || Script::new(script).acts()
    };
    scripts.iter().any(acts).then_some(UNFOLLOWED)
}

/// A script of sed's, read from its beginning.
struct Script {
    chars: Vec<char>,
    at: usize,
}

impl Script {
    fn new(text: &str) -> Script {
        Script { chars: text.chars().collect(), at: 0 }
    }

    fn peek(&self) -> Option<char> {
        self.chars.get(self.at).copied()
    }

    fn skip(&mut self, of: impl Fn(char) -> bool) {
        while self.peek().is_some_and(&of) {
            self.at += 1;
        }
    }

    /// Whether it writes, runs something, or is not understood.
    fn acts(mut self) -> bool {
        loop {
            self.skip(|ch| ch.is_whitespace() || ch == ';' || ch == '}');
            if self.peek().is_none() {
                return false;
            }
            if self.addresses().and_then(|()| self.command()).is_none() {
                return true;
            }
        }
    }

    fn addresses(&mut self) -> Option<()> {
        loop {
            self.skip(|ch| ch.is_ascii_digit() || " \t$,~+!".contains(ch));
            let delimiter = match self.peek()? {
                '/' => '/',
                '\\' => {
                    self.at += 1;
                    self.peek()?
                }
                _ => return Some(()),
            };
            self.at += 1;
            self.section(delimiter, true)?;
            self.skip(|ch| ch == 'I' || ch == 'M');
        }
    }

    /// `None`: it writes, runs, or is no command.
    fn command(&mut self) -> Option<()> {
        let command = self.peek()?;
        self.at += 1;
        match command {
            '{' => return Some(()),
            '}' => {}
            '#' => self.skip(|ch| ch != '\n'),
            ':' | 'b' | 't' | 'T' => self.skip(|ch| ch != '\n' && ch != ';' && ch != '}'),
            'a' | 'i' | 'c' => self.text(),
            'r' | 'R' => self.skip(|ch| ch != '\n'),
            's' => {
                let delimiter = self.delimiter()?;
                self.section(delimiter, true)?;
                self.section(delimiter, false)?;
                self.skip(|ch| ch.is_ascii_digit() || "gpiIMm".contains(ch));
            }
            'y' => {
                let delimiter = self.delimiter()?;
                self.section(delimiter, false)?;
                self.section(delimiter, false)?;
            }
            'd' | 'D' | 'g' | 'G' | 'h' | 'H' | 'l' | 'n' | 'N' | 'p' | 'P' | 'q' | 'Q' | 'x' | 'z' | '='
            | 'F' => {
                self.skip(|ch| ch.is_ascii_digit() || ch == ' ');
            }
            _ => return None,
        }
        self.skip(|ch| ch == ' ' || ch == '\t');
        self.peek().is_none_or(|ch| "\n;}#".contains(ch)).then_some(())
    }

    fn delimiter(&mut self) -> Option<char> {
        let delimiter = self.peek().filter(|ch| *ch != '\\' && *ch != '\n')?;
        self.at += 1;
        Some(delimiter)
    }

    /// To the delimiter behind it. One within brackets ends it to some versions of sed's and not to others.
    fn section(&mut self, delimiter: char, pattern: bool) -> Option<()> {
        let mut brackets = false;
        loop {
            let ch = self.peek()?;
            self.at += 1;
            match ch {
                ch if ch == delimiter => return (!brackets).then_some(()),
                '\\' => self.at += 1,
                '[' if pattern && !brackets => {
                    brackets = true;
                    self.skip(|ch| ch == '^');
                    if self.peek() == Some(']') {
                        self.at += 1;
                    }
                }
                ']' => brackets = false,
                _ => {}
            }
        }
    }

    /// To the end of its line; a backslash joins the next one to it.
    fn text(&mut self) {
        while let Some(ch) = self.peek().filter(|ch| *ch != '\n') {
            self.at += if ch == '\\' { 2 } else { 1 };
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::core::policy::guard::command;

    #[test]
    fn what_sed_and_awk_write_or_run_needs_a_person() {
        for line in [
            "sed '1e rm -rf x' x",
            "sed -n 's/x/rm -rf x/e' x",
            "sed 's/x/y/w out' x",
            "sed 's,x,y,gw out' x",
            "sed -n '1w out' x",
            "sed '/x/W out' x",
            "sed -e p -e '$w out' x",
            "sed '1{p;w out\n}' x",
            "sed -f evil.sed x",
            "sed -nf evil.sed x",
            "sed --fil=evil.sed x",
            "sed --expr='1e ls' x",
            "sed \"$X\" x",
            "sed $X x",
            "sed \"s/x/${Y}/\" x",
            "sed 's/[/]w/x/w out/' x",
            "sed -i s/a/b/ ~/.bashrc",
            "awk '{print > \"out\"}' x",
            "awk '{print $1 >> \"out\"}' x",
            "awk '{printf \"%s\", $1 > f}' x",
            "awk '{print | \"sh\"}' x",
            "awk '{print | c}' x",
            "awk 'BEGIN{\"ls\" | getline x}'",
            "awk 'BEGIN{system(\"ls\")}'",
            "awk 'BEGIN{f=\"sys\" \"tem\"; @f(\"ls\")}'",
            "awk -l ./evil x",
            "awk -f evil.awk x",
            "awk -i evil '{print}' x",
            "awk -F: -f evil.awk x",
            "awk \"$X\" x",
            "awk \"$(cat x)\" x",
            "uniq x out",
            "uniq -c x ~/.bashrc",
            "tree -o out",
            "find . $X",
            "find \"$D\" -name x",
        ] {
            assert!(command(line).is_some(), "{line}");
        }
    }

    #[test]
    fn what_they_only_print_needs_none() {
        for line in [
            "sed -n '1,5p' x",
            "sed -e s/one/two/g x",
            "sed -i.bak -E 's/(a|b)+$/c/gI' x",
            "sed '/end/d' x",
            "sed -n '/^fn/,/^}/p' x",
            "sed '$d' x",
            "sed '$!N;s/\\n/ /;P;D' x",
            "sed 's|/usr|/opt|; s/[^a-z]//g' x",
            "sed '1i\\\nhead' x",
            "sed '2a one; w two' x",
            "sed '/a/{s/b/c/;p}' x",
            "sed 'y/abc/xyz/;10q' x",
            "sed -n '$=' x",
            "sed -n 's/v\\([0-9.]*\\)x/\\1/p' x",
            "awk '{print $1}' x",
            "awk -F: '{print $1 \":\" $NF}' x",
            "awk -F'\\t' -v n=2 'NR > n && $1 > 2 || $2 > 3 {print $2}' x",
            "awk '/foo|bar/ {n++} END {print n}' x",
            "awk '{if ($1 > 2) print \"a > b\"}' x",
            "awk '{print \"x\" > \"/dev/stderr\"}' x",
            "awk '$1 == \"a\"' x",
            "uniq -c x",
            "uniq -f 1 x",
            "sort x | uniq",
            "tree src",
            "find src -regex 'x.*rs$'",
            "file -f names",
        ] {
            assert_eq!(command(line), None, "{line}");
        }
    }
}
