//! The file of the decision log: room for what is to be added, and one line more at its end.
//!
//! `file_io` calls it. What stands there is never written anew.

use std::fs::File;
use std::io::{self, Seek, SeekFrom, Write};
use std::path::Path;

use crate::os::regular_file;

/// Takes so much of the disk for what is to be added.
pub(super) fn make_room(path: &Path, bytes: u64) -> io::Result<()> {
    let file = open_log(path)?;
    let length = file.metadata()?.len();
    let (most, _) = nix::sys::resource::getrlimit(nix::sys::resource::Resource::RLIMIT_FSIZE)?;
    if most < length.saturating_add(bytes) {
        return Err(nix::errno::Errno::EFBIG.into());
    }
    #[cfg(target_os = "linux")]
    {
        use nix::errno::Errno;
        use nix::fcntl::{FallocateFlags, fallocate};
        let (length, bytes) = (length.cast_signed(), bytes.cast_signed());
        match fallocate(&file, FallocateFlags::FALLOC_FL_KEEP_SIZE, length, bytes) {
            // Not every file system can. What was written last is what is known there.
            Ok(()) | Err(Errno::EOPNOTSUPP | Errno::ENOSYS | Errno::EINVAL) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(())
}

fn open_log(path: &Path) -> io::Result<File> {
    let new = !path.exists();
    let file = regular_file::open(path, File::options().create(true).append(true).read(true))?;
    if let (true, Some(folder)) = (new, path.parent()) {
        // The file's name has to survive as well.
        File::open(folder)?.sync_all()?;
    }
    Ok(file)
}

/// One line, flushed to the disk before the next question is dealt with. Appending never rewrites what
/// is there; a torn line of an earlier crash is ended first.
pub(super) fn append(path: &Path, mut line: String) -> io::Result<()> {
    let mut file = open_log(path)?;
    if !ends_with_newline(&mut file)? {
        line.insert(0, '\n');
    }
    line.push('\n');
    let before = file.metadata()?.len();
    if let Err(error) = file.write_all(line.as_bytes()) {
        // The whole line comes again.
        drop(file.set_len(before));
        return Err(error);
    }
    // Some file systems have nothing to flush; the line is theirs all the same.
    drop(file.sync_data());
    Ok(())
}

fn ends_with_newline(file: &mut File) -> io::Result<bool> {
    use std::io::Read;
    if file.metadata()?.len() == 0 {
        return Ok(true);
    }
    file.seek(SeekFrom::End(-1))?;
    let mut last = [0];
    file.read_exact(&mut last)?;
    Ok(last == *b"\n")
}
