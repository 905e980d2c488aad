//! Which program a process really runs, whatever it is called: by the file it was started from.
//!
//! Files are read by threads of their own, and who asks meanwhile is told that it is not known yet.
//! `linux.rs` asks for who reads a terminal. A shell under another name, by a link or as a copy, takes lines for commands all
//! the same. What such a program does with a line is for `core/detect/interpreters.rs` to say.

use std::collections::{HashMap, HashSet};
use std::ffi::CString;
use std::fs::{self, File};
use std::io::Read;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::thread;

use nix::libc;

use crate::core::detect::front::Started;
use crate::core::detect::interpreters::{self, Process};
use crate::core::policy::{above, git};
use crate::os::proc;

/// The beginning of a program in which no two builds are alike: its ELF header, where its segments lie, and its build ID.
/// What is hung on behind makes it no other program.
const HEAD: usize = 4096;
/// How a program begins that is no script.
const ELF: &[u8] = b"\x7fELF";
/// Files that were looked into and are remembered; a machine runs few programs that prompt.
const REMEMBERED: usize = 512;
/// Files that are looked into side by side: one on a file system that does not answer keeps its thread for good.
const AT_ONCE: usize = 16;
/// Where systems keep the programs that `interpreters` lists, besides the folders of PATH.
const FOLDERS: [&str; 4] = ["/bin", "/usr/bin", "/usr/local/bin", "/opt/homebrew/bin"];

/// A file as it was when it was looked into: device, inode, size, and when the kernel saw it changed. The time of its last
/// writing is whoever's who owns it to set back, and so says nothing.
type Key = (u64, u64, u64, i64, i64);

static COPIES: Mutex<Option<Copies>> = Mutex::new(None);

/// Files that were looked into, and those that a thread looks into now.
#[derive(Default)]
struct Copies {
    known: HashMap<Key, Option<String>>,
    asked: HashSet<Key>,
}

/// A process as its system describes it.
struct Described {
    argv: Vec<String>,
    /// The name of the file it runs, and of the listed program that this is a copy of. Empty where that may not be seen.
    files: Vec<String>,
    retitled: bool,
}

/// What is known of a process.
enum Look {
    /// It has ended.
    Gone,
    /// Its file has not been looked into yet: a thread does.
    Pending,
    Seen(Described),
}

impl Described {
    fn of(pid: u32) -> Look {
        let Ok(line) = proc::read(format!("/proc/{pid}/cmdline")) else { return Look::Gone };
        let link = format!("/proc/{pid}/exe");
        let argv: Vec<String> = line.trim_end_matches('\0').split('\0').map(str::to_owned).collect();
        // Whoever writes over its command line leaves noughts behind the new words.
        let retitled = line.ends_with("\0\0") && argv.len() == 1;
        let Ok(file) = fs::read_link(&link) else {
            return Look::Seen(Described { argv, files: Vec::new(), retitled });
        };
        // A file that was deleted is told so behind its name.
        let file = file.to_string_lossy();
        let file = file.strip_suffix(" (deleted)").unwrap_or(&file);
        let name = file.rsplit('/').next().unwrap_or(file);
        let copied = if is_listed(name) { Some(None) } else { copied_from(&link) };
        let Some(copied) = copied else { return Look::Pending };
        let files = std::iter::once(name.to_owned()).chain(copied).collect();
        Look::Seen(Described { argv, files, retitled })
    }

    fn is(&self, what: impl FnOnce(&Process) -> bool) -> bool {
        let argv: Vec<&str> = self.argv.iter().map(String::as_str).collect();
        let files: Vec<&str> = self.files.iter().map(String::as_str).collect();
        what(&Process { argv: &argv, files: &files, retitled: self.retitled })
    }
}

/// What the program of a process does with the line it reads.
pub(super) struct Takes {
    /// It takes it for a command or for data. One that may not be looked at may.
    pub asks_nothing: bool,
    /// It runs code that stands on its command line.
    pub given_code: bool,
    /// It deletes, sends, stops, opens or commits something, whatever it is called.
    pub acts: bool,
}

/// `None`: it is not known yet.
pub(super) fn takes(pid: u32) -> Option<Takes> {
    match Described::of(pid) {
        Look::Pending => None,
        Look::Gone => Some(Takes { asks_nothing: true, given_code: false, acts: false }),
        Look::Seen(process) => Some(Takes {
            asks_nothing: process.files.is_empty() || process.is(interpreters::asks_nothing),
            given_code: process.is(interpreters::runs_given_code),
            acts: acts(&process),
        }),
    }
}

fn acts(process: &Described) -> bool {
    let name = |word: &str| word.rsplit('/').next().unwrap_or(word).to_owned();
    // One file may hold many programs: the first word behind its name is the one that is run.
    let applet = process.argv.get(1).filter(|_| process.is(interpreters::is_many_in_one));
    let names = process.files.iter().chain(process.argv.first()).chain(applet);
    names.map(|word| name(word)).any(|word| above::acts(&word))
        || process.is(|process| git::acts(process.argv))
}

/// Whether a process is this agent. One that has ended is none, and one of which it is not known yet neither.
pub(super) fn is_agent(pid: u32, agent: &Started) -> bool {
    matches!(Described::of(pid), Look::Seen(process) if process.is(|process| agent.is(process)))
}

/// Whether something is known of the programs of this name.
fn is_listed(name: &str) -> bool {
    interpreters::is_listed(name) || above::acts(name)
}

/// The listed program that a file is a copy of, or another name of; `None` if that is not known yet. Whoever calls serves
/// an agent's terminal and may wait for no file system: an agent can mount one of its own, that never answers.
fn copied_from(link: &str) -> Option<Option<String>> {
    let key = key_at_hand(link)?;
    {
        let mut copies = COPIES.lock().unwrap_or_else(PoisonError::into_inner);
        let copies = copies.get_or_insert_default();
        if let Some(known) = copies.known.get(&key) {
            return Some(known.clone());
        }
        if copies.asked.len() >= AT_ONCE || !copies.asked.insert(key) {
            return None;
        }
    }
    let link = link.to_owned();
    let search = move || found(key, search(key, Path::new(&link)));
    if thread::Builder::new().name("programs".to_owned()).spawn(search).is_err() {
        found(key, None);
    }
    None
}

/// What came of a search; `None` if it came to nothing, and is begun again by whoever looks next.
fn found(key: Key, copied: Option<Option<String>>) {
    let mut copies = COPIES.lock().unwrap_or_else(PoisonError::into_inner);
    let copies = copies.get_or_insert_default();
    copies.asked.remove(&key);
    if let Some(copied) = copied {
        if copies.known.len() >= REMEMBERED {
            copies.known.clear();
        }
        copies.known.insert(key, copied);
    }
}

/// Reads the file, and those it may be a copy of. `None` where it is another one by now, or cannot be read.
fn search(key: Key, link: &Path) -> Option<Option<String>> {
    let (its, head) = look_into(link)?;
    if its != key {
        return None;
    }
    // A script is no copy of another because both begin alike.
    if !head.starts_with(ELF) {
        return Some(None);
    }
    let is_same = |path: &Path| {
        look_into(path).is_some_and(|(other, its)| (other.0, other.1) == (key.0, key.1) || its == head)
    };
    Some(listed().find(|(_, path)| is_same(path)).map(|(name, _)| name))
}

/// The file behind a link of `/proc` as the kernel has it at hand: no file system is asked for it.
fn key_at_hand(link: &str) -> Option<Key> {
    let link = CString::new(link).ok()?;
    let mut seen = std::mem::MaybeUninit::<libc::statx>::zeroed();
    // SAFETY: the path ends with a nought, and the kernel writes one value, for which there is room.
    let done = unsafe {
        libc::statx(
            libc::AT_FDCWD,
            link.as_ptr(),
            libc::AT_STATX_DONT_SYNC,
            libc::STATX_BASIC_STATS,
            seen.as_mut_ptr(),
        )
    };
    // SAFETY: noughts are a value of this type, and so is what the kernel wrote.
    let seen = unsafe { seen.assume_init() };
    let dev = libc::makedev(seen.stx_dev_major, seen.stx_dev_minor);
    let changed = seen.stx_ctime;
    (done == 0).then_some((dev, seen.stx_ino, seen.stx_size, changed.tv_sec, i64::from(changed.tv_nsec)))
}

fn look_into(path: &Path) -> Option<(Key, Vec<u8>)> {
    // A FIFO would be waited for until somebody writes to it.
    let file = File::options().read(true).custom_flags(libc::O_NONBLOCK).open(path).ok()?;
    let meta = file.metadata().ok().filter(fs::Metadata::is_file)?;
    let mut head = Vec::with_capacity(HEAD);
    file.take(HEAD as u64).read_to_end(&mut head).ok()?;
    let key = (meta.dev(), meta.ino(), meta.size(), meta.ctime(), meta.ctime_nsec());
    Some((key, head))
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

#[cfg(test)]
mod tests {
    use std::fs::FileTimes;

    use super::*;

    /// A program was looked into, written over in place by one of the same size, and dated back: it went on being taken for
    /// the one that had been there.
    #[test]
    fn a_file_that_was_written_over_and_dated_back_is_another() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("program");
        fs::write(&path, b"\x7fELF one").unwrap();
        let link = path.to_str().unwrap();
        let (key, written) = (key_at_hand(link).unwrap(), fs::metadata(&path).unwrap().modified().unwrap());
        assert_eq!(look_into(&path).unwrap().0, key, "both ask for the same");
        fs::write(&path, b"\x7fELF two").unwrap();
        let file = File::options().write(true).open(&path).unwrap();
        file.set_times(FileTimes::new().set_modified(written)).unwrap();
        assert_eq!(fs::metadata(&path).unwrap().modified().unwrap(), written);
        assert_ne!(key_at_hand(link).unwrap(), key);
    }
}
