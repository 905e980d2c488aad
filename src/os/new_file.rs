//! Files that a person gets and that are not there yet: whole, or not at all.
//!
//! The command line writes them. What a full disk left of one would be in the way of the next try.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

/// Anybody's to read and write, as far as the user's mask lets them.
pub const AS_USUAL: u32 = 0o666;
/// Its owner's.
pub const PRIVATE: u32 = 0o600;

/// Makes the file and has it written.
///
/// # Errors
/// It is there already, or could not be written; then it is gone again.
pub fn write(path: &Path, mode: u32, write: impl FnOnce(&mut File) -> io::Result<()>) -> io::Result<()> {
    let mut file = OpenOptions::new().write(true).create_new(true).mode(mode).open(path)?;
    // Some file systems tell only now that there was no room.
    let written = write(&mut file).and_then(|()| file.sync_all());
    if written.is_err() {
        // Why it could not be written says more than why it stays.
        let _ = fs::remove_file(path);
    }
    written
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    #[test]
    fn nothing_is_left_of_what_could_not_be_written() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("new");
        let full = |file: &mut File| {
            file.write_all(b"half of it")?;
            Err(io::ErrorKind::StorageFull.into())
        };
        assert_eq!(write(&path, PRIVATE, full).unwrap_err().kind(), io::ErrorKind::StorageFull);
        assert!(!path.exists());
        write(&path, PRIVATE, |file| file.write_all(b"all")).unwrap();
        // What is somebody's stays theirs.
        assert_eq!(write(&path, PRIVATE, full).unwrap_err().kind(), io::ErrorKind::AlreadyExists);
        assert_eq!(fs::read(&path).unwrap(), b"all");
    }
}
