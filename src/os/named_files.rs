//! Which files a command line runs that somebody else can change: its program, wherever PATH finds it, the scripts it
//! names, also behind `env`, `timeout` and `sh -c`, and what of a project it mentions at all (`mentioned.rs`).
//!
//! The configuration has a person agree to what is in them, and the server looks again before it runs such a command. It
//! reads and starts nothing else; what a script reads by itself it does not know.

use std::path::{Component, Path, PathBuf};
use std::{env, fs, io};

use nix::unistd::{AccessFlags, access};

use super::{links, program, regular_file};
use crate::core::policy::shell::split;
use crate::core::trust::{self, Agreed};

mod mentioned;

/// A program at most: its bytes are part of what is agreed to.
const PROGRAM_BYTES: u64 = 256 * 1024 * 1024;
/// Lines within lines, and scripts whose first line names a script; nobody writes more by hand.
const DEEPEST: usize = 8;
/// What a kernel reads of a script's first line (`BINPRM_BUF_SIZE`).
const FIRST_LINE: usize = 256;
const SHELLS: [&str; 9] = ["sh", "bash", "dash", "ash", "zsh", "ksh", "mksh", "fish", "busybox"];
/// They run the file that is named behind them, whatever its rights.
const INTERPRETERS: [&str; 14] = [
    "python", "python3", "perl", "ruby", "node", "nodejs", "bun", "deno", "tsx", "lua", "php", "awk", ".",
    "source",
];
/// What a folder or a name without its end stands for, to an interpreter.
const ENTRIES: [&str; 4] = ["__main__.py", "__init__.py", "index.js", "index.mjs"];
const ENDINGS: [&str; 8] = [".py", ".js", ".mjs", ".cjs", ".ts", ".rb", ".lua", ".pm"];
/// How a shell's line names the folder it runs in.
const HERE: [&str; 4] = ["$PWD/", "${PWD}/", "~+/", "!"];
/// What a shell puts names in the place of.
const PATTERN: [char; 4] = ['*', '?', '[', '{'];
/// Letters of options that a value is joined to: no more are written before it.
const LETTERS: usize = 4;
/// Folders that the options of one command lead to: nobody writes more, and each is looked through for every word.
const FOLDERS: usize = 8;
/// Only an administrator, or a package, puts programs there.
const OF_THE_SYSTEM: [&str; 8] = ["/usr", "/bin", "/sbin", "/lib", "/lib64", "/opt", "/nix", "/snap"];

/// Where files belong to a project.
#[derive(Debug, Clone)]
pub struct Scope {
    /// The project's folder and those its agents work in, links followed.
    folders: Vec<PathBuf>,
    home: Option<PathBuf>,
    search: String,
}

/// How a word stands in its line.
#[derive(Clone, Copy)]
struct Stand<'a> {
    cwd: &'a Path,
    /// Behind a program that runs the file it is given.
    interpreted: bool,
    /// In a shell's line, where a name is as often that of data.
    in_line: bool,
    depth: usize,
}

impl Scope {
    /// `search`: the PATH that a command is looked up in; without one this process's own.
    pub fn new<'a>(folders: impl IntoIterator<Item = &'a Path>, search: Option<&str>) -> Scope {
        let own = || env::var("PATH").unwrap_or_else(|_| program::DEFAULT_PATH.to_owned());
        let mut folders: Vec<PathBuf> = folders.into_iter().map(links::resolved).collect();
        folders.sort();
        folders.dedup();
        let home = env::var_os("HOME").map(|home| links::resolved(Path::new(&home)));
        Scope { folders, home, search: search.map_or_else(own, str::to_owned) }
    }

    /// Each file once, by an absolute path as it is named.
    pub fn of_command(&self, words: &[String], cwd: &Path) -> Vec<PathBuf> {
        let mut found = Vec::new();
        let stand = Stand { cwd, interpreted: false, in_line: false, depth: DEEPEST };
        self.look(words, stand, &mut found);
        self.mentioned(words, cwd).into_iter().for_each(|path| self.add(path, stand, &mut found));
        found
    }

    fn look(&self, words: &[String], stand: Stand<'_>, found: &mut Vec<PathBuf>) {
        if stand.depth == 0 {
            return;
        }
        let (mut shell, mut interpreted) = (false, stand.interpreted);
        // `env -C sub ./run.sh`, `make --directory=sub`: what stands behind is looked for there as well.
        let mut places = vec![stand.cwd.to_path_buf()];
        for (at, word) in words.iter().enumerate() {
            let before = at.checked_sub(1).map_or("", |before| words[before].as_str());
            let is_line =
                shell && before.starts_with('-') && !before.starts_with("--") && before.contains('c');
            for cwd in &places {
                let stand = Stand { cwd, interpreted, ..stand };
                if is_line {
                    self.look_at_line(word, stand, found);
                } else {
                    self.look_at_word(before, word, stand, found);
                }
            }
            if let Some(folder) = moved_to(before, word)
                && let Some(next) = places.last().map(|last| clean(&last.join(folder)))
                && !places.contains(&next)
                && places.len() <= FOLDERS
            {
                places.push(next);
            }
            let name = word.rsplit('/').next().unwrap_or(word);
            shell |= SHELLS.contains(&name);
            interpreted |= shell || INTERPRETERS.contains(&name) || name.starts_with("python3.");
        }
    }

    /// One word of a command, and what stands within it.
    fn look_at_word(&self, before: &str, word: &str, stand: Stand<'_>, found: &mut Vec<PathBuf>) {
        // A module is a file by another name.
        let module = if before == "-m" { Some(word.replace('.', "/")) } else { None };
        self.look_at(module.as_deref().unwrap_or(word), stand, found);
        parts(word).for_each(|part| self.look_at(part, stand, found));
        // `env -S "./run.sh x"`, `alias.x=!./run.sh x`: a line in a word.
        std::iter::once(word)
            .chain(parts(word))
            .filter(|part| part.contains(char::is_whitespace))
            .for_each(|line| self.look_at_line(line, stand, found));
    }

    fn look_at_line(&self, line: &str, stand: Stand<'_>, found: &mut Vec<PathBuf>) {
        let mut cwd = stand.cwd.to_path_buf();
        for command in &split(line).commands {
            match command.words.as_slice() {
                [word, ..] if word == ">" => {}
                [word, folder, ..] if word == "cd" || word == "pushd" => cwd.push(folder),
                words => {
                    let interpreted = words.first().is_some_and(|word| word == "<");
                    let depth = stand.depth - 1;
                    self.look(words, Stand { cwd: &cwd, interpreted, in_line: true, depth }, found);
                }
            }
        }
    }

    /// One word, as a file's name and as a program's.
    fn look_at(&self, word: &str, stand: Stand<'_>, found: &mut Vec<PathBuf>) {
        if word.is_empty() {
            return;
        }
        let word = HERE.iter().find_map(|here| word.strip_prefix(here)).unwrap_or(word);
        let path = match (word.strip_prefix("~/"), &self.home) {
            (Some(rest), Some(home)) => home.join(rest),
            _ => stand.cwd.join(word),
        };
        let path = clean(&path);
        if stand.in_line && word.contains(PATTERN) {
            return self.look_at_pattern(&path, stand, found);
        }
        if path.is_file() {
            let named = word.contains('/') && can_be_changed(&path);
            let runs = stand.interpreted || runs(&path);
            let inside = self.holds(&path) && (runs || !stand.in_line);
            if inside || (named && runs) {
                self.add(path, stand, found);
            }
        } else if stand.interpreted {
            let name = path.as_os_str().to_owned();
            let ended = ENDINGS.iter().map(|end| {
                let mut name = name.clone();
                name.push(end);
                PathBuf::from(name)
            });
            let all = ENTRIES.iter().map(|entry| path.join(entry)).chain(ended);
            all.filter(|path| path.is_file() && self.holds(path))
                .for_each(|path| self.add(path, stand, found));
        }
        // A person's own programs are theirs to change, unless they lie where the project does.
        if !word.contains('/')
            && let Ok(path) = program::find(word, &self.search, stand.cwd)
            && self.holds_program(&path)
        {
            self.add(clean(&path), stand, found);
        }
    }

    /// Each file that a shell may put there: all that begin as the pattern does.
    fn look_at_pattern(&self, path: &Path, stand: Stand<'_>, found: &mut Vec<PathBuf>) {
        let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else { return };
        let name = name.to_string_lossy();
        let begin = name.split(PATTERN).next().unwrap_or_default();
        let entries = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
        let mut files: Vec<PathBuf> = entries
            .filter(|path| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(begin)))
            .filter(|path| path.is_file() && self.holds(path) && (stand.interpreted || runs(path)))
            .collect();
        files.sort();
        files.into_iter().for_each(|path| self.add(path, stand, found));
    }

    /// The same look-up by another PATH, which a project's file sets.
    pub fn with_path(&self, search: &str) -> Scope {
        Scope { search: search.to_owned(), ..self.clone() }
    }

    /// Every program in those folders of PATH that are the project's: whatever is run by its name may be one of them.
    pub fn of_path(&self, cwd: &Path) -> Vec<PathBuf> {
        let mut found = Vec::new();
        for folder in self.search.split(':').map(|folder| clean(&cwd.join(folder))) {
            let entries = fs::read_dir(&folder).into_iter().flatten().flatten().map(|entry| entry.path());
            let mut programs: Vec<PathBuf> =
                entries.filter(|path| path.is_file() && runs(path) && self.holds_program(path)).collect();
            programs.sort();
            found.extend(programs);
        }
        found
    }

    fn add(&self, path: PathBuf, stand: Stand<'_>, found: &mut Vec<PathBuf>) {
        if found.contains(&path) {
            return;
        }
        let line = first_line(&path);
        found.push(path);
        // What its first line names runs it.
        let Some(line) = line.as_deref().and_then(|line| line.strip_prefix("#!")) else { return };
        let words: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
        let depth = stand.depth - 1;
        self.look(&words, Stand { interpreted: false, in_line: true, depth, ..stand }, found);
    }

    /// Whether a file, or what it is a link to, lies in one of the folders.
    fn holds(&self, path: &Path) -> bool {
        let inside = |path: &Path| self.folders.iter().any(|folder| path.starts_with(folder));
        let place = path.parent().map(links::resolved).zip(path.file_name()).map(|(at, name)| at.join(name));
        place.is_some_and(|place| inside(&place)) || inside(&links::resolved(path))
    }

    /// The same of one that PATH leads to: a home folder, or the whole disk, makes no program a project's.
    fn holds_program(&self, path: &Path) -> bool {
        let own = |folder: &&PathBuf| self.home.as_ref().is_none_or(|home| !home.starts_with(folder));
        let folders: Vec<PathBuf> = self.folders.iter().filter(own).cloned().collect();
        Scope { folders, ..self.clone() }.holds(path)
    }
}

/// What stands within a word: behind `=`, behind `!` there, and behind letters of options that it is joined to (`-qc./x`).
fn parts(word: &str) -> impl Iterator<Item = &str> {
    let value = word.split_once('=').map(|(_, value)| value.trim_start_matches('!'));
    let joined = word.starts_with('-') && !word.starts_with("--");
    let ends = word.char_indices().skip(2).take(if joined { LETTERS } else { 0 });
    value.into_iter().chain(ends.map(|(at, _)| &word[at..]))
}

/// The folder that an option has a program go to first.
fn moved_to<'a>(before: &str, word: &'a str) -> Option<&'a str> {
    let named = ["-C", "-D", "--chdir", "--directory"].contains(&before).then_some(word);
    let joined = ["--chdir=", "--directory=", "-C"].iter().find_map(|option| word.strip_prefix(option));
    named.or(joined).filter(|folder| !folder.is_empty())
}

/// What a file holds now.
///
/// # Errors
/// The system's; or it is no file, or larger than any program.
pub fn read(path: &Path) -> io::Result<Vec<u8>> {
    regular_file::read_named(path, PROGRAM_BYTES)
}

/// Whether a command still runs what a person agreed to.
///
/// # Errors
/// The file that it does not, and what to do.
pub fn check(words: &[String], cwd: &Path, search: Option<&str>, agreed: &Agreed) -> Result<(), String> {
    let scope = Scope::new(agreed.folders.iter().map(Path::new), search);
    for path in scope.of_command(words, cwd) {
        let same = read(&path).is_ok_and(|bytes| agreed.digests.contains(&trust::digest(&bytes)));
        if !same {
            return Err(format!(
                "{} is not what was trusted, so it was not run; look at it with 'counsel trust', then \
                 'counsel stop NAME' and 'counsel up' start its agent with that",
                path.display()
            ));
        }
    }
    Ok(())
}

/// `.` and `..` resolved in the text, as links do not matter to what is meant here.
fn clean(path: &Path) -> PathBuf {
    let mut clean = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => drop(clean.pop()),
            Component::CurDir => {}
            Component::Prefix(_) | Component::RootDir | Component::Normal(_) => clean.push(part),
        }
    }
    clean
}

/// By whoever runs as this user, the system's programs left aside.
fn can_be_changed(path: &Path) -> bool {
    let real = links::resolved(path);
    let writable = |path: &Path| access(path, AccessFlags::W_OK).is_ok();
    !OF_THE_SYSTEM.iter().any(|folder| real.starts_with(folder))
        && (writable(&real) || real.parent().is_some_and(writable))
}

fn runs(path: &Path) -> bool {
    access(path, AccessFlags::X_OK).is_ok() || first_line(path).is_some_and(|line| line.starts_with("#!"))
}

fn first_line(path: &Path) -> Option<String> {
    use io::Read;
    let mut head = Vec::with_capacity(FIRST_LINE);
    regular_file::open_named(path).ok()?.take(FIRST_LINE as u64).read_to_end(&mut head).ok()?;
    let line = head.split(|byte| *byte == b'\n').next().unwrap_or_default();
    Some(String::from_utf8_lossy(line).into_owned())
}

#[cfg(test)]
#[path = "named_files_tests.rs"]
mod tests;
