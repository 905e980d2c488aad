//! Which program a process really runs, whatever it is called: by the file it was started from.
//!
//! `linux.rs` asks for who reads a terminal. A shell under another name, by a link or as a copy, takes lines for commands all
//! the same. What such a program does with a line is for `core/detect/interpreters.rs` to say.

use std::collections::HashMap;
use std::fs::{self, File};
use std::io::Read;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use crate::core::detect::front::Started;
use crate::core::detect::interpreters::{self, Process};
use crate::core::policy::above;
use crate::os::proc;

/// The beginning of a program in which no two builds are alike: its ELF header, where its segments lie, and its build ID.
/// What is hung on behind makes it no other program.
const HEAD: usize = 4096;
/// Files that were looked into and are remembered; a machine runs few programs that prompt.
const REMEMBERED: usize = 512;
/// Where systems keep the programs that `interpreters` lists, besides the folders of PATH.
const FOLDERS: [&str; 4] = ["/bin", "/usr/bin", "/usr/local/bin", "/opt/homebrew/bin"];

/// A file as it was when it was looked into: device, inode, size, and when it was changed.
type Key = (u64, u64, u64, i64, i64);

static COPIES: Mutex<Option<HashMap<Key, Option<String>>>> = Mutex::new(None);

/// A process as its system describes it.
struct Described {
    argv: Vec<String>,
    /// The name of the file it runs, and of the listed program that this is a copy of. Empty where that may not be seen.
    files: Vec<String>,
    retitled: bool,
}

impl Described {
    fn of(pid: u32) -> Option<Described> {
        let line = proc::read(format!("/proc/{pid}/cmdline")).ok()?;
        let link = format!("/proc/{pid}/exe");
        let argv: Vec<String> = line.trim_end_matches('\0').split('\0').map(str::to_owned).collect();
        // Whoever writes over its command line leaves noughts behind the new words.
        let retitled = line.ends_with("\0\0") && argv.len() == 1;
        let Ok(file) = fs::read_link(&link) else {
            return Some(Described { argv, files: Vec::new(), retitled });
        };
        // A file that was deleted is told so behind its name.
        let file = file.to_string_lossy();
        let file = file.strip_suffix(" (deleted)").unwrap_or(&file);
        let name = file.rsplit('/').next().unwrap_or(file);
        let copied = if is_listed(name) { None } else { copied_from(Path::new(&link)) };
        let files = std::iter::once(name.to_owned()).chain(copied).collect();
        Some(Described { argv, files, retitled })
    }

    fn is(&self, what: impl FnOnce(&Process) -> bool) -> bool {
        let argv: Vec<&str> = self.argv.iter().map(String::as_str).collect();
        let files: Vec<&str> = self.files.iter().map(String::as_str).collect();
        what(&Process { argv: &argv, files: &files, retitled: self.retitled })
    }
}

/// Whether a process takes a line for a command or for data. One that may not be looked at may.
pub(super) fn asks_nothing(pid: u32) -> bool {
    let described = Described::of(pid).filter(|process| !process.files.is_empty());
    described.is_none_or(|process| process.is(interpreters::asks_nothing))
}

/// Whether a process deletes, sends, stops or opens something, whatever it is called.
pub(super) fn acts(pid: u32) -> bool {
    let name = |word: &str| word.rsplit('/').next().unwrap_or(word).to_owned();
    Described::of(pid).is_some_and(|process| {
        // One file may hold many programs: the first word behind its name is the one that is run.
        let applet = process.argv.get(1).filter(|_| process.is(interpreters::is_many_in_one));
        let names = process.files.iter().chain(process.argv.first()).chain(applet);
        names.map(|word| name(word)).any(|word| above::acts(&word))
    })
}

/// Whether a process is this agent. One that has ended is none.
pub(super) fn is_agent(pid: u32, agent: &Started) -> bool {
    Described::of(pid).is_some_and(|process| process.is(|process| agent.is(process)))
}

/// Whether something is known of the programs of this name.
fn is_listed(name: &str) -> bool {
    interpreters::is_listed(name) || above::acts(name)
}

/// The listed program that a file is a copy of, or another name of.
fn copied_from(path: &Path) -> Option<String> {
    let (key, head) = look_into(path)?;
    let mut copies = COPIES.lock().unwrap_or_else(PoisonError::into_inner);
    let copies = copies.get_or_insert_default();
    if let Some(known) = copies.get(&key) {
        return known.clone();
    }
    let found = listed().find(|(_, path)| {
        look_into(path).is_some_and(|(other, its)| (other.0, other.1) == (key.0, key.1) || its == head)
    });
    if copies.len() >= REMEMBERED {
        copies.clear();
    }
    copies.entry(key).or_insert(found.map(|(name, _)| name)).clone()
}

fn look_into(path: &Path) -> Option<(Key, Vec<u8>)> {
    let file = File::open(path).ok()?;
    let meta = file.metadata().ok().filter(fs::Metadata::is_file)?;
    let mut head = Vec::with_capacity(HEAD);
    file.take(HEAD as u64).read_to_end(&mut head).ok()?;
    let key = (meta.dev(), meta.ino(), meta.size(), meta.mtime(), meta.mtime_nsec());
    // A script is no copy of another because both begin alike.
    head.starts_with(b"\x7fELF").then_some((key, head))
}

/// The listed programs of this machine.
fn listed() -> impl Iterator<Item = (String, PathBuf)> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders = FOLDERS.iter().map(PathBuf::from).chain(std::env::split_paths(&path).collect::<Vec<_>>());
    let entries =
        folders.filter_map(|folder| fs::read_dir(folder).ok()).flat_map(|entries| entries.flatten());
    entries.filter_map(|entry| {
        let name = entry.file_name().into_string().ok()?;
        is_listed(&name).then(|| (name, entry.path()))
    })
}
