//! A named pipe that a program gets as its standard input: made by whoever has the program started, opened by its keeper.
//!
//! It has a name only until the program runs. Nothing else than a pipe is ever opened here: whoever has an agent started
//! may see less of the files than its keeper does.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::fs::{DirBuilderExt, FileTypeExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use nix::fcntl::{FcntlArg, OFlag, fcntl};
use nix::libc;
use nix::sys::stat::Mode;
use nix::unistd::mkfifo;

/// The end that is written to, and the pipe's name, which goes with this value.
#[derive(Debug)]
pub struct InputPipe {
    folder: PathBuf,
    path: PathBuf,
    end: File,
}

impl InputPipe {
    /// In a folder of its own that nobody else can look into.
    pub fn new() -> io::Result<InputPipe> {
        let folder = std::path::absolute(std::env::temp_dir())?;
        let folder = folder.join(format!("counsel-input-{}", std::process::id()));
        DirBuilder::new().mode(0o700).create(&folder)?;
        let path = folder.join("stdin");
        // To read as well: it then opens without a reader, and stays open until there is one.
        let open = || {
            mkfifo(&path, Mode::S_IRUSR | Mode::S_IWUSR)?;
            OpenOptions::new().read(true).write(true).open(&path)
        };
        match open() {
            Ok(end) => Ok(InputPipe { folder, path, end }),
            Err(error) => {
                remove(&folder, &path);
                Err(error)
            }
        }
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What is to be written to, for a program that has opened its end.
    pub fn writer(&self) -> io::Result<File> {
        self.end.try_clone()
    }
}

impl Drop for InputPipe {
    fn drop(&mut self) {
        remove(&self.folder, &self.path);
    }
}

/// What is there no more is as wanted.
fn remove(folder: &Path, path: &Path) {
    let _ = fs::remove_file(path);
    let _ = fs::remove_dir(folder);
}

/// The end that a program reads.
///
/// # Errors
/// In words: it is no pipe, or cannot be opened.
pub fn open_to_read(path: &Path) -> Result<OwnedFd, String> {
    let failed = |error: io::Error| format!("its standard input {}: {error}", path.display());
    let is_pipe = |about: &fs::Metadata| about.file_type().is_fifo();
    if !is_pipe(&fs::symlink_metadata(path).map_err(failed)?) {
        return Err(format!("its standard input {} is no pipe", path.display()));
    }
    // Whose other end nobody has open is not waited for.
    let flags = libc::O_NONBLOCK | libc::O_NOFOLLOW | libc::O_NOCTTY;
    let file = OpenOptions::new().read(true).custom_flags(flags).open(path).map_err(failed)?;
    if !is_pipe(&file.metadata().map_err(failed)?) {
        return Err(format!("its standard input {} is no pipe", path.display()));
    }
    let flags = OFlag::from_bits_retain(fcntl(&file, FcntlArg::F_GETFL).map_err(|e| failed(e.into()))?);
    fcntl(&file, FcntlArg::F_SETFL(flags - OFlag::O_NONBLOCK)).map_err(|e| failed(e.into()))?;
    Ok(file.into())
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};

    use super::*;

    #[test]
    fn what_is_written_is_read_to_its_end_and_the_name_is_gone() {
        let pipe = InputPipe::new().unwrap();
        let mut reader = File::from(open_to_read(pipe.path()).unwrap());
        let (path, mut writer) = (pipe.path().to_path_buf(), pipe.writer().unwrap());
        drop(pipe);
        assert!(!path.exists() && !path.parent().unwrap().exists());
        writer.write_all(b"one\n").unwrap();
        drop(writer);
        let mut text = String::new();
        reader.read_to_string(&mut text).unwrap();
        assert_eq!(text, "one\n");
    }

    #[test]
    fn nothing_but_a_pipe_is_opened() {
        let file = tempfile::NamedTempFile::new().unwrap();
        assert!(open_to_read(file.path()).unwrap_err().contains("is no pipe"));
        let folder = tempfile::tempdir().unwrap();
        let (pipe, link) = (folder.path().join("pipe"), folder.path().join("link"));
        mkfifo(&pipe, Mode::S_IRUSR).unwrap();
        std::os::unix::fs::symlink(&pipe, &link).unwrap();
        assert!(open_to_read(&link).unwrap_err().contains("is no pipe"));
    }
}
