//! Files opened as regular files and as nothing else, by all that keeps something on the disk.
//!
//! A FIFO in the place of a file holds up whoever opens it, a link to a device never ends, and an agent, or a cloned
//! repository, can put either there. Nothing here waits, and nothing is read beyond the size its caller names. It
//! removes nothing: what stands in the way is a person's to look at, and every error says so. Only what a server cannot
//! do without is had at any rate, by moving that aside.

use std::collections::BTreeMap;
use std::fs::{self, File, FileType, Metadata, OpenOptions};
use std::io::{self, BufRead, Read};
use std::os::unix::fs::{FileTypeExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use nix::libc;

use super::modes;

/// One of counsel's own files, opened as `options` say: of this user, at this very path, closed to others if it is made.
///
/// # Errors
/// The system's, or that it is no such file, with what to do about it.
pub fn open(path: &Path, options: &mut OpenOptions) -> io::Result<File> {
    let flags = libc::O_NOFOLLOW | libc::O_NONBLOCK | libc::O_CLOEXEC;
    options.mode(0o600).custom_flags(flags);
    let opened = options.open(path).or_else(|error| match error.kind() {
        io::ErrorKind::PermissionDenied if give_back(path) => options.open(path),
        _ => Err(error),
    });
    let file = opened.map_err(|error| {
        // The system's own words for a link or a FIFO without a reader name neither.
        let there = fs::symlink_metadata(path).ok();
        there.and_then(|there| irregular(&there, "remove it")).unwrap_or(error)
    })?;
    let there = file.metadata()?;
    match irregular(&there, "remove it").or_else(|| somebody_elses(&there)) {
        Some(error) => Err(error),
        None => Ok(file),
    }
}

/// Opens one of counsel's files, and the folder it lies in, to their user again. Whether either was closed.
pub fn give_back(path: &Path) -> bool {
    let folder = path.parent().is_some_and(modes::reopen);
    modes::reopen(path) || folder
}

/// The same of a file that no server starts without: what is no file at all is moved out of its way.
pub fn open_or_set_aside(path: &Path, options: &mut OpenOptions) -> io::Result<File> {
    set_aside(path, FileType::is_file)?;
    open(path, options)
}

/// Gives what stands here and is of another kind a name of its own beside this one, which is returned.
///
/// # Errors
/// The system's.
pub fn set_aside(path: &Path, wanted: impl Fn(&FileType) -> bool) -> io::Result<Option<PathBuf>> {
    let stands = |path: &Path| match fs::symlink_metadata(path) {
        Ok(there) => Ok(Some(there.file_type())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    };
    if stands(path)?.is_none_or(|kind| wanted(&kind)) {
        return Ok(None);
    }
    // One that can be foreseen could be taken, too.
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos();
    let mut aside = path.as_os_str().to_owned();
    aside.push(format!(".aside-{now}"));
    let aside = PathBuf::from(aside);
    fs::rename(path, &aside)?;
    // Another program may have done the same a moment before, and put the right one there.
    if stands(&aside)?.is_some_and(|kind| wanted(&kind)) && stands(path)?.is_none() {
        fs::rename(&aside, path)?;
        return Ok(None);
    }
    Ok(Some(aside))
}

/// The same as `open` for reading.
pub fn open_to_read(path: &Path) -> io::Result<File> {
    open(path, OpenOptions::new().read(true))
}

/// The whole of one of counsel's own files, which holds so many bytes at most.
pub fn read(path: &Path, max_bytes: u64) -> io::Result<Vec<u8>> {
    bounded(&open_to_read(path)?, max_bytes)
}

/// A file that a person, a project or a program names: links are followed, and it may be anybody's.
pub fn open_named(path: &Path) -> io::Result<File> {
    let flags = libc::O_NONBLOCK | libc::O_CLOEXEC | libc::O_NOCTTY;
    let file = OpenOptions::new().read(true).custom_flags(flags).open(path)?;
    match irregular(&file.metadata()?, "name another, or put a file there") {
        Some(error) => Err(error),
        None => Ok(file),
    }
}

/// What pipes held that were read already: they give it once, and whoever looks at a file may look twice.
static PIPES: Mutex<BTreeMap<PathBuf, Vec<u8>>> = Mutex::new(BTreeMap::new());

/// The whole of what a person names on the command line, which may be a pipe, as a shell makes one of `<(…)`.
pub fn read_given(path: &Path, max_bytes: u64) -> io::Result<Vec<u8>> {
    if !fs::metadata(path)?.file_type().is_fifo() {
        return bounded(&File::open(path)?, max_bytes);
    }
    let mut pipes = PIPES.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(held) = pipes.get(path) {
        return Ok(held.clone());
    }
    let held = bounded(&File::open(path)?, max_bytes)?;
    pipes.insert(path.to_owned(), held.clone());
    Ok(held)
}

/// The whole of one.
pub fn read_named(path: &Path, max_bytes: u64) -> io::Result<Vec<u8>> {
    bounded(&open_named(path)?, max_bytes)
}

/// The same as text.
pub fn read_named_text(path: &Path, max_bytes: u64) -> io::Result<String> {
    let bytes = read_named(path, max_bytes)?;
    String::from_utf8(bytes).map_err(|_| invalid("it is no UTF-8 text"))
}

fn bounded(file: &File, max_bytes: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    // Its length may be wrong by now.
    file.take(max_bytes.saturating_add(1)).read_to_end(&mut bytes)?;
    match bytes.len() as u64 > max_bytes {
        false => Ok(bytes),
        true => Err(invalid(&format!("it is larger than {max_bytes} bytes"))),
    }
}

/// The lines of a file without their ends. One of more than so many bytes, which nobody here wrote, is passed over.
pub fn lines(mut file: impl BufRead, max_bytes: usize) -> impl Iterator<Item = Vec<u8>> {
    let limit = max_bytes as u64 + 1;
    std::iter::from_fn(move || {
        let mut line = Vec::new();
        let read = file.by_ref().take(limit).read_until(b'\n', &mut line).ok()?;
        if line.last() == Some(&b'\n') {
            line.pop();
        } else if read as u64 == limit {
            line.clear();
            file.skip_until(b'\n').ok()?;
        }
        (read > 0).then_some(line)
    })
}

fn irregular(there: &Metadata, mend: &str) -> Option<io::Error> {
    let kind = there.file_type();
    (!kind.is_file()).then(|| invalid(&format!("it is {}, no regular file; {mend}", name(kind))))
}

fn name(kind: FileType) -> &'static str {
    match () {
        () if kind.is_symlink() => "a symbolic link",
        () if kind.is_dir() => "a folder",
        () if kind.is_fifo() => "a FIFO",
        () if kind.is_socket() => "a socket",
        () => "a device",
    }
}

fn somebody_elses(there: &Metadata) -> Option<io::Error> {
    let own = nix::unistd::geteuid().as_raw();
    let error = || invalid(&format!("it belongs to user {}, not to {own}; remove it", there.uid()));
    (there.uid() != own).then(error)
}

fn invalid(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, what)
}

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    /// Whatever stands there, nobody waits for it, and the error says what it is and what to do.
    #[test]
    fn what_is_no_regular_file_is_refused_at_once() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        nix::unistd::mkfifo(&at("pipe"), nix::sys::stat::Mode::S_IRWXU).unwrap();
        symlink("/dev/zero", at("zero")).unwrap();
        fs::write(at("real"), "text").unwrap();
        symlink(at("real"), at("link")).unwrap();
        fs::create_dir(at("folder")).unwrap();
        let _socket = std::os::unix::net::UnixListener::bind(at("socket")).unwrap();
        for (file, what) in [
            ("pipe", "a FIFO"),
            ("zero", "a symbolic link"),
            ("link", "a symbolic link"),
            ("folder", "a folder"),
            ("socket", "a socket"),
        ] {
            for error in [
                read(&at(file), 10).unwrap_err(),
                open(&at(file), OpenOptions::new().append(true).create(true)).unwrap_err(),
                open(&at(file), OpenOptions::new().read(true).append(true)).unwrap_err(),
            ] {
                assert_eq!(error.to_string(), format!("it is {what}, no regular file; remove it"), "{file}");
            }
        }
        assert_eq!(read_named(&at("link"), 4).unwrap(), b"text");
        for file in ["pipe", "zero", "folder"] {
            assert!(read_named(&at(file), 10).unwrap_err().to_string().contains("no regular file"), "{file}");
        }
    }

    /// A FIFO in the place of the server's log kept every server from starting, and the person out.
    #[test]
    fn what_stands_in_the_way_is_moved_aside_and_kept() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log");
        let open = || open_or_set_aside(&path, File::options().append(true).create(true));
        nix::unistd::mkfifo(&path, nix::sys::stat::Mode::S_IRWXU).unwrap();
        open().unwrap();
        fs::remove_file(&path).unwrap();
        fs::create_dir(&path).unwrap();
        fs::write(path.join("theirs"), "kept").unwrap();
        open().unwrap().write_all(b"line").unwrap();
        open().unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"line", "what is a file stays");
        let mut beside: Vec<FileType> = fs::read_dir(folder.path())
            .unwrap()
            .map(|entry| entry.unwrap())
            .filter(|entry| entry.file_name() != "log")
            .map(|entry| entry.file_type().unwrap())
            .collect();
        beside.sort_by_key(FileType::is_dir);
        assert!(matches!(beside[..], [pipe, folder] if pipe.is_fifo() && folder.is_dir()), "{beside:?}");
    }

    #[test]
    fn no_more_is_read_than_was_asked_for_and_a_new_file_is_its_users() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        let mut file = open(&path, OpenOptions::new().append(true).create(true)).unwrap();
        assert_eq!(file.metadata().unwrap().permissions().mode() & 0o777, 0o600);
        file.write_all(b"12345").unwrap();
        assert_eq!(read(&path, 5).unwrap(), b"12345");
        assert_eq!(read(&path, 4).unwrap_err().to_string(), "it is larger than 4 bytes");
        assert_eq!(read(&folder.path().join("none"), 4).unwrap_err().kind(), io::ErrorKind::NotFound);
    }

    #[test]
    fn a_line_without_an_end_takes_no_memory() {
        let text = [b"one\n\n".as_slice(), &[b'x'; 100], b"\nfour\nfive"].concat();
        let read: Vec<Vec<u8>> = lines(&text[..], 10).collect();
        assert_eq!(read, [b"one".as_slice(), b"", b"", b"four", b"five"]);
        assert_eq!(lines(&b"0123456789"[..], 10).count(), 1);
    }
}
