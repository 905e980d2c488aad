//! Files of a project that a command line mentions anywhere: within code for an interpreter, an option's value, JSON, a
//! shell's line. `named_files.rs` asks for them after what it understands.
//!
//! What a program makes of its words is not to be known, so this knows no program: whatever can be cut out of them and is
//! the name of a file of the project is one that the command may run. One too many costs a line that a person reads.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use super::{ENDINGS, ENTRIES, INTERPRETERS, LETTERS, SHELLS, Scope, clean};

/// What no name goes on behind, in any language: blanks are told apart below.
const CUTS: [char; 16] = ['\'', '"', '`', '(', ')', '[', ']', '{', '}', '<', '>', ';', '|', '&', '$', '\\'];
/// What may stand within a name, and between two.
const JOINTS: [char; 11] = ['=', ':', ',', '@', '!', '+', '%', '#', '~', '^', '*'];
/// Parts between joints that make one name together: more are tried only as a whole.
const JOINED: usize = 4;
/// Files that are looked for. A command that names more pieces and folders is written to hide one.
const MOST: usize = 50_000;
/// No path is longer (`PATH_MAX`).
const LONGEST: usize = 4096;
/// How the folder a command runs in is called in code; what is cut out behind it would be an absolute path.
const HERE: [&str; 5] = ["${PWD}", "$PWD", "$(pwd)", "`pwd`", "~+"];
/// Texts for people, which a prompt names and agents write: nothing runs them but an interpreter that is told to.
const DOCUMENTS: [&str; 4] = ["md", "markdown", "rst", "adoc"];
/// What these programs run is in files that nobody names.
const PLANS: [(&[&str], &[&str]); 6] = [
    (&["make", "gmake"], &["GNUmakefile", "makefile", "Makefile"]),
    (&["just"], &["justfile", "Justfile", ".justfile"]),
    (&["npm", "npx", "pnpm", "yarn", "bun"], &["package.json"]),
    (&["rake"], &["Rakefile"]),
    (&["task"], &["Taskfile.yml", "Taskfile.yaml"]),
    (&["cargo"], &["Cargo.toml", "build.rs", ".cargo/config.toml"]),
];

impl Scope {
    /// Each file of the project that some piece of these words may be the name of, in any folder that another one names.
    /// Where there are more of them than can be looked for, the project's folder is among them, which no digest agrees to.
    pub(super) fn mentioned(&self, words: &[String], cwd: &Path) -> Vec<PathBuf> {
        let mut pieces = Pieces::default();
        words.iter().for_each(|word| pieces.cut(word));
        let names: HashSet<&str> = pieces.all.iter().map(|piece| last(piece)).collect();
        let runs_text = SHELLS.iter().chain(&INTERPRETERS).any(|name| names.contains(name))
            || names.iter().any(|name| name.starts_with("python3."));
        let mut left = MOST;
        let folders = self.folders_of(&pieces.all, cwd, &mut left);
        let mut found = Vec::new();
        let plans = PLANS.iter().filter(|(programs, _)| programs.iter().any(|name| names.contains(name)));
        let plans = plans.flat_map(|(_, files)| *files).map(|file| (*file).to_owned());
        let named = pieces.all.iter().flat_map(|piece| names_of(piece, runs_text));
        for name in plans.chain(named) {
            for folder in &folders {
                let Some(rest) = left.checked_sub(1) else {
                    found.extend(self.folders.first().cloned());
                    return found;
                };
                left = rest;
                let path = clean(&self.place(folder, &name));
                if path.is_file() && self.holds(&path) && !found.contains(&path) {
                    found.push(path);
                }
            }
        }
        found
    }

    /// Where the command may go before it runs something: every folder of the project that it names, from each before it.
    fn folders_of(&self, pieces: &[String], cwd: &Path, left: &mut usize) -> Vec<PathBuf> {
        let mut folders = vec![clean(cwd)];
        let mut known = HashSet::from([clean(cwd)]);
        for piece in pieces {
            for at in 0..folders.len() {
                let Some(rest) = left.checked_sub(1) else { return folders };
                *left = rest;
                let folder = clean(&self.place(&folders[at], piece));
                if folder.is_dir() && self.holds(&folder) && known.insert(folder.clone()) {
                    folders.push(folder);
                }
            }
        }
        folders
    }

    fn place(&self, folder: &Path, name: &str) -> PathBuf {
        match (name.strip_prefix("~/"), &self.home) {
            (Some(rest), Some(home)) => home.join(rest),
            _ => folder.join(name),
        }
    }
}

/// What a piece may stand for.
fn names_of(piece: &str, runs_text: bool) -> Vec<String> {
    let document = piece.rsplit_once('.').is_some_and(|(_, end)| DOCUMENTS.contains(&end));
    if document && !runs_text {
        return Vec::new();
    }
    // Behind a variable a name begins with a slash.
    let within = piece.trim_start_matches('/');
    let mut names = vec![piece.to_owned()];
    if within != piece {
        names.push(within.to_owned());
    }
    let piece = within;
    // A module is a file by another name.
    let module = piece.replace("::", "/").replace('.', "/");
    let is_module = runs_text && module != piece && !piece.starts_with('.');
    let as_path = (runs_text || piece.contains('/')).then_some(piece);
    for name in as_path.into_iter().chain(is_module.then_some(module.as_str())) {
        names.extend(ENDINGS.iter().map(|end| format!("{name}{end}")));
        names.extend(ENTRIES.iter().map(|entry| format!("{name}/{entry}")));
    }
    names
}

/// All that can be cut out of some words, each once.
#[derive(Default)]
struct Pieces {
    all: Vec<String>,
    known: HashSet<String>,
}

impl Pieces {
    fn cut(&mut self, word: &str) {
        let word = HERE.iter().fold(word.to_owned(), |word, here| word.replace(here, "."));
        // In quotes a name holds blanks.
        ['\'', '"'].iter().for_each(|quote| word.split(*quote).for_each(|part| self.add(part)));
        self.add(&word);
        let mut begin = 0;
        for (at, ch) in word.char_indices().chain([(word.len(), ' ')]) {
            if ch.is_whitespace() || ch.is_control() || CUTS.contains(&ch) {
                let (before, part) = (&word[..begin], &word[begin..at]);
                if !is_written(before) {
                    self.cut_at_joints(part);
                }
                if before.ends_with('$') {
                    self.add(part.trim_start_matches(|ch: char| ch.is_alphanumeric() || ch == '_'));
                }
                begin = (at + ch.len_utf8()).min(word.len());
            }
        }
    }

    fn cut_at_joints(&mut self, part: &str) {
        self.add(part);
        let joints: Vec<usize> =
            part.char_indices().filter(|(_, ch)| JOINTS.contains(ch)).map(|(at, _)| at).collect();
        let begins: Vec<usize> = std::iter::once(0).chain(joints.iter().map(|at| at + 1)).collect();
        let ends: Vec<usize> = joints.iter().copied().chain([part.len()]).collect();
        for (nth, begin) in begins.iter().enumerate() {
            for end in ends.iter().skip(nth).take(JOINED) {
                self.add(&part[*begin..*end]);
            }
        }
        // `-fnotes.txt`
        if part.starts_with('-') && !part.starts_with("--") {
            part.char_indices().skip(2).take(LETTERS).for_each(|(at, _)| self.add(&part[at..]));
        }
    }

    fn add(&mut self, piece: &str) {
        if !piece.is_empty() && piece.len() <= LONGEST && self.known.insert(piece.to_owned()) {
            self.all.push(piece.to_owned());
        }
    }
}

/// Whether what follows this is a file that a shell writes (`> FILE`): it is another one each time. `=>` and `->` are no
/// such sign.
fn is_written(before: &str) -> bool {
    let sign = before.trim_end().trim_end_matches('&').strip_suffix('>');
    sign.is_some_and(|before| !before.ends_with(['=', '-']))
}

fn last(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}
