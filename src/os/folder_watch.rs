//! Tells that something in a folder was removed, or the folder itself.
//!
//! The tasks that accept connections wait for it: an agent can take a socket away. It tells of a change and not of which,
//! and must never be the only way to notice one: a folder further up may be moved, and watches may be used up.

use std::io;
use std::os::fd::{AsFd, AsRawFd, RawFd};
use std::path::Path;

use nix::sys::inotify::{AddWatchFlags, InitFlags, Inotify};
use tokio::io::Interest;
use tokio::io::unix::AsyncFd;

/// A folder that is watched, ready to be read once something in it was removed.
#[derive(Debug)]
pub struct FolderWatch(Inotify);

impl FolderWatch {
    /// # Errors
    /// The folder is not there, or this user has as many watches as the system allows.
    pub fn new(folder: &Path) -> io::Result<FolderWatch> {
        let watch = Inotify::init(InitFlags::IN_CLOEXEC | InitFlags::IN_NONBLOCK)?;
        let removals = AddWatchFlags::IN_DELETE | AddWatchFlags::IN_MOVED_FROM;
        let itself = AddWatchFlags::IN_DELETE_SELF | AddWatchFlags::IN_MOVE_SELF;
        watch.add_watch(folder, removals | itself | AddWatchFlags::IN_ONLYDIR)?;
        Ok(FolderWatch(watch))
    }

    /// To be waited for on the runtime.
    ///
    /// # Errors
    /// There is no room for one more descriptor to be waited for.
    pub fn register(self) -> io::Result<AsyncFd<FolderWatch>> {
        // SAFETY: the descriptor is the watch's own, which closes it when it is dropped, and is never another one.
        unsafe { AsyncFd::register_with_interest(self, Interest::READABLE) }.map_err(io::Error::from)
    }

    /// Takes what has been told so far.
    pub fn drain(&self) {
        while self.0.read_events().is_ok_and(|events| !events.is_empty()) {}
    }
}

impl AsRawFd for FolderWatch {
    fn as_raw_fd(&self) -> RawFd {
        self.0.as_fd().as_raw_fd()
    }
}

#[cfg(test)]
mod tests {
    use nix::poll::{PollFd, PollFlags, PollTimeout, poll};

    use super::*;

    fn told(watch: &FolderWatch) -> bool {
        let mut ready = [PollFd::new(watch.0.as_fd(), PollFlags::POLLIN)];
        poll(&mut ready, PollTimeout::ZERO) == Ok(1)
    }

    #[test]
    fn what_is_removed_or_moved_away_is_told_once() {
        let above = tempfile::tempdir().unwrap();
        let folder = above.path().join("run");
        std::fs::create_dir(&folder).unwrap();
        let watch = FolderWatch::new(&folder).unwrap();
        std::fs::write(folder.join("a"), "").unwrap();
        std::fs::write(folder.join("b"), "").unwrap();
        assert!(!told(&watch), "what is made is no matter");
        std::fs::remove_file(folder.join("a")).unwrap();
        assert!(told(&watch));
        watch.drain();
        assert!(!told(&watch));
        std::fs::rename(folder.join("b"), above.path().join("b")).unwrap();
        assert!(told(&watch));
        watch.drain();
        std::fs::rename(&folder, above.path().join("elsewhere")).unwrap();
        assert!(told(&watch));
    }

    #[test]
    fn a_folder_that_is_not_there_is_an_error() {
        let above = tempfile::tempdir().unwrap();
        assert!(FolderWatch::new(&above.path().join("none")).is_err());
    }
}
