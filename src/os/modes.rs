//! The modes of counsel's own folders, files and sockets, which are set back where somebody has changed them.
//!
//! Landlock holds no `chmod`: an isolated agent that may open none of them can still close them to their user, or open them
//! to others. Only what belongs to this user is touched, never what a link leads to, and nothing without saying so: the
//! command line prints what `told` holds, the server logs it.

use std::fs::{self, Metadata};
use std::io;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;
use std::sync::Mutex;

/// What of a file's mode its user needs, and of a folder's.
const FILE: u32 = 0o600;
const FOLDER: u32 = 0o700;
/// All that others can be given.
const OTHERS: u32 = 0o077;
/// A folder in which everybody removes only what is their own is nobody's alone.
const STICKY: u32 = 0o1000;
/// Names that nobody but counsel gives, in the folders of its sockets and of its state.
const OWN_NAMES: [&str; 4] = ["counsel.sock", "counsel.sock.lock", "decisions.jsonl", "journals"];

static SET_BACK: Mutex<Vec<String>> = Mutex::new(Vec::new());

/// What was set back since this was asked last, in words for a person.
pub fn told() -> Vec<String> {
    SET_BACK.lock().map(|mut told| std::mem::take(&mut *told)).unwrap_or_default()
}

/// Gives a folder, file or socket of counsel's back to its user, to whom it was closed. Whether it was, and is no more.
pub fn reopen(path: &Path) -> bool {
    let reopened = |there: &Metadata| {
        let needed = if there.is_dir() { FOLDER } else { FILE };
        (there.mode() & needed != needed).then_some(there.mode() & 0o777 | needed)
    };
    set_back(path, "was closed to you", reopened)
}

/// What is in a folder of counsel's, also where it was closed.
pub fn entries(folder: &Path) -> io::Result<fs::ReadDir> {
    fs::read_dir(folder).or_else(|error| match error.kind() {
        io::ErrorKind::PermissionDenied if reopen(folder) => fs::read_dir(folder),
        _ => Err(error),
    })
}

/// Closes a folder of counsel's to others again, to whom it was opened. Whether it was, and is no more.
///
/// # Errors
/// While it was open somebody else put something there.
pub fn close(folder: &Path) -> Result<bool, String> {
    if !holds_what_counsel_made(folder) {
        return Ok(false);
    }
    let closed = set_back(folder, "was open to others", |there| {
        (there.mode() & OTHERS != 0 && there.mode() & STICKY == 0).then_some(FOLDER)
    });
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let own = nix::unistd::geteuid().as_raw();
    let strange = entries
        .map(|entry| entry.path())
        .find(|path| fs::symlink_metadata(path).is_ok_and(|there| there.uid() != own));
    match strange.filter(|_| closed) {
        Some(path) => {
            Err(format!("somebody else put {} there while others could; remove it", path.display()))
        }
        None => Ok(closed),
    }
}

/// Whether it is a folder that counsel has taken for its own, and not one that its user has for other things too: those are
/// theirs to close.
fn holds_what_counsel_made(folder: &Path) -> bool {
    let home = std::env::var_os("HOME").is_some_and(|home| Path::new(&home).starts_with(folder));
    let own = nix::unistd::geteuid().as_raw();
    let made = |name: &str| fs::symlink_metadata(folder.join(name)).is_ok_and(|there| there.uid() == own);
    !home && OWN_NAMES.iter().any(|name| made(name))
}

/// Sets the mode of what stands at this very path, if it is this user's and `wanted` says another.
fn set_back(path: &Path, how: &str, wanted: impl Fn(&Metadata) -> Option<u32>) -> bool {
    let set = || -> io::Result<Option<(u32, u32)>> {
        let place = Place::of(path)?;
        let ours = place.there.uid() == nix::unistd::geteuid().as_raw() && !place.there.is_symlink();
        let Some(mode) = wanted(&place.there).filter(|_| ours) else { return Ok(None) };
        place.set(mode)?;
        Ok(Some((place.there.mode() & 0o777, mode)))
    };
    let Ok(Some((was, is))) = set() else { return false };
    let words = format!("{} {how} (mode {was:04o}); it is set back to {is:04o}", path.display());
    tracing::warn!("{words}");
    if let Ok(mut told) = SET_BACK.lock() {
        told.push(words);
    }
    true
}

/// What stands at a path: what is looked at is what is changed.
struct Place {
    #[cfg(target_os = "linux")]
    held: fs::File,
    #[cfg(not(target_os = "linux"))]
    path: std::path::PathBuf,
    there: Metadata,
}

impl Place {
    #[cfg(target_os = "linux")]
    fn of(path: &Path) -> io::Result<Place> {
        use std::os::unix::fs::OpenOptionsExt;
        // As a place alone: what has mode 0 opens in no other way.
        let flags = nix::libc::O_PATH | nix::libc::O_NOFOLLOW | nix::libc::O_CLOEXEC;
        let held = fs::OpenOptions::new().read(true).custom_flags(flags).open(path)?;
        Ok(Place { there: held.metadata()?, held })
    }

    #[cfg(target_os = "linux")]
    fn set(&self, mode: u32) -> io::Result<()> {
        use std::os::fd::AsRawFd;
        let place = format!("/proc/self/fd/{}", self.held.as_raw_fd());
        fs::set_permissions(place, fs::Permissions::from_mode(mode))
    }

    #[cfg(not(target_os = "linux"))]
    fn of(path: &Path) -> io::Result<Place> {
        Ok(Place { there: fs::symlink_metadata(path)?, path: path.to_path_buf() })
    }

    #[cfg(not(target_os = "linux"))]
    fn set(&self, mode: u32) -> io::Result<()> {
        fs::set_permissions(&self.path, fs::Permissions::from_mode(mode))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mode(path: &Path) -> u32 {
        fs::symlink_metadata(path).unwrap().mode() & 0o777
    }

    fn set(path: &Path, mode: u32) {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    }

    #[test]
    fn what_is_closed_to_its_user_is_opened_and_a_link_is_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let _socket = std::os::unix::net::UnixListener::bind(at("socket")).unwrap();
        fs::write(at("file"), "").unwrap();
        fs::create_dir(at("folder")).unwrap();
        std::os::unix::fs::symlink(at("file"), at("link")).unwrap();
        for (name, want) in [("socket", 0o600), ("file", 0o600), ("folder", 0o700)] {
            set(&at(name), 0);
            assert!(!reopen(&at("link")) && reopen(&at(name)), "{name}");
            assert_eq!(mode(&at(name)), want, "{name}");
            assert!(!reopen(&at(name)), "{name}: nothing is wrong with it");
        }
        assert!(!reopen(&at("nothing")));
        assert!(told().iter().any(|words| words.contains("file was closed to you (mode 0000)")));
    }

    #[test]
    fn only_a_folder_that_counsel_has_used_is_closed() {
        let folder = tempfile::tempdir().unwrap();
        for wide in [0o777, 0o755, 0o710] {
            set(folder.path(), wide);
            assert_eq!(close(folder.path()), Ok(false), "it holds nothing of counsel's");
            assert_eq!(mode(folder.path()), wide);
        }
        fs::write(folder.path().join("decisions.jsonl"), "").unwrap();
        assert_eq!((close(folder.path()), mode(folder.path())), (Ok(true), 0o700));
        fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o1777)).unwrap();
        assert_eq!((close(folder.path()), mode(folder.path())), (Ok(false), 0o777));
    }
}
