//! One recording of an agent in asciicast v2, which never grows beyond its bound.
//!
//! `file_io` writes it. When it is full its older half goes: what that drew becomes the first event of what
//! stays, so that the file can be played at any time.

use std::fs::{File, OpenOptions};
use std::io::{self, BufRead, BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use nix::libc;

use crate::core::terminal::grid::Size;
use crate::core::terminal::query_replies::TerminalIdentity;
use crate::core::terminal::repaint::repaint;
use crate::core::terminal::screen::Screen;
use crate::os::regular_file;
use crate::session::message::Opening;

/// Lines the disk did not take are kept up to here; what comes after is marked as missing.
const WAITING_MAX: usize = 4 * 1024 * 1024;
/// The end of a recording in which its last whole line lies: one holds a block of output, of which JSON spells each byte with
/// six at most. A recording may be far larger than what a server should have in memory.
const END_BYTES: u64 = 1024 * 1024;
/// Recordings made by themselves that are kept; the oldest go.
pub(super) const KEPT_RECORDINGS: usize = 50;

#[derive(Debug)]
pub struct Recording {
    path: PathBuf,
    file: File,
    started: Instant,
    length: u64,
    max_bytes: u64,
    /// The beginning of a character whose end is still to come.
    partial: Vec<u8>,
    /// Whole lines the disk has not taken yet.
    waiting: Vec<u8>,
    /// Some output could not be kept.
    gap: bool,
}

fn create(path: &Path) -> io::Result<File> {
    // A FIFO without a reader would hold up whoever opens it, and with it all that is to be written.
    let mut options = OpenOptions::new();
    options.create(true).write(true).truncate(true).mode(0o600).custom_flags(libc::O_NONBLOCK);
    let file = options.open(path)?;
    match file.metadata()?.is_file() {
        true => Ok(file),
        false => Err(io::Error::new(io::ErrorKind::InvalidInput, "it is no file")),
    }
}

/// Whoever makes room in its folder leaves it. A file system without locks has it removed with the others.
fn hold(file: &File) {
    drop(file.try_lock_shared());
}

fn header(size: Size, timestamp: u64, command: &str) -> String {
    let header = serde_json::json!({
        "version": 2, "width": size.cols, "height": size.rows, "timestamp": timestamp, "command": command,
        "env": {"TERM": "xterm-256color"},
    });
    format!("{header}\n")
}

fn event(seconds: f64, kind: &str, data: &str) -> String {
    format!("{}\n", serde_json::json!([(seconds * 1000.0).round() / 1000.0, kind, data]))
}

impl Recording {
    /// Begins a recording, for its owner alone.
    pub fn begin(path: &Path, opening: &Opening, max_bytes: u64) -> io::Result<Recording> {
        let Opening { command, size, seed } = opening;
        let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
        let mut recording = Recording {
            path: path.to_path_buf(),
            file: create(path)?,
            started: Instant::now(),
            length: 0,
            max_bytes,
            partial: Vec::new(),
            waiting: header(*size, since.as_secs(), &shell_words::join(command)).into_bytes(),
            gap: false,
        };
        hold(&recording.file);
        recording.output(seed)?;
        recording.retry()?;
        Ok(recording)
    }

    /// Goes on behind what an earlier server has written, with the screen as it stands.
    ///
    /// # Errors
    /// The file is no recording any more, or cannot be written.
    pub fn go_on(path: &Path, opening: &Opening, max_bytes: u64) -> io::Result<Recording> {
        let mut file = regular_file::open(path, File::options().read(true).append(true))?;
        let invalid = || io::Error::new(io::ErrorKind::InvalidData, "it is no recording any more");
        let mut first = String::new();
        BufReader::new(&file).take(END_BYTES).read_line(&mut first)?;
        let head: serde_json::Value = serde_json::from_str(&first).map_err(|_| invalid())?;
        if head["version"] != 2 {
            return Err(invalid());
        }
        let from = file.metadata()?.len().saturating_sub(END_BYTES);
        let mut end = Vec::new();
        file.seek(SeekFrom::Start(from))?;
        file.read_to_end(&mut end)?;
        // Half a line of a server that was killed: players stop there.
        let whole = end.iter().rposition(|byte| *byte == b'\n').map(|at| at + 1).ok_or_else(invalid)?;
        let length = from + whole as u64;
        file.set_len(length)?;
        let lines = end[..whole].split(|byte| *byte == b'\n').rev();
        let events = lines.filter_map(|line| serde_json::from_slice::<serde_json::Value>(line).ok());
        let seconds = events.filter_map(|event| event[0].as_f64()).next().unwrap_or(0.0);
        let since = Duration::try_from_secs_f64(seconds).unwrap_or_default();
        let started = Instant::now().checked_sub(since).unwrap_or_else(Instant::now);
        let (path, partial, waiting) = (path.to_path_buf(), Vec::new(), Vec::new());
        let mut recording =
            Recording { path, file, started, length, max_bytes, partial, waiting, gap: false };
        hold(&recording.file);
        recording.resized(opening.size)?;
        recording.output(&opening.seed)?;
        Ok(recording)
    }

    pub fn path(&self) -> std::borrow::Cow<'_, str> {
        self.path.to_string_lossy()
    }

    /// Whether it goes to the file that is there.
    pub fn is_at(&self, path: &Path) -> bool {
        let place = |meta: std::fs::Metadata| (meta.dev(), meta.ino());
        let own = self.file.metadata().map(place);
        own.is_ok_and(|own| std::fs::metadata(path).is_ok_and(|there| place(there) == own))
    }

    pub fn output(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.partial.extend_from_slice(bytes);
        let whole = match std::str::from_utf8(&self.partial) {
            Ok(_) => self.partial.len(),
            // Only an unfinished character at the very end waits for the next output.
            Err(error) if error.error_len().is_none() => error.valid_up_to(),
            Err(_) => self.partial.len(),
        };
        let rest = self.partial.split_off(whole);
        let text = String::from_utf8_lossy(&std::mem::replace(&mut self.partial, rest)).into_owned();
        if text.is_empty() { Ok(()) } else { self.line("o", &text) }
    }

    pub fn resized(&mut self, size: Size) -> io::Result<()> {
        self.line("r", &size.to_string())
    }

    fn line(&mut self, kind: &str, data: &str) -> io::Result<()> {
        let seconds = self.started.elapsed().as_secs_f64();
        let line = event(seconds, kind, data);
        if self.waiting.len() + line.len() <= WAITING_MAX {
            self.waiting.extend(line.as_bytes());
        } else if !std::mem::replace(&mut self.gap, true) {
            self.waiting.extend(event(seconds, "m", "output is missing: the disk was full").as_bytes());
        }
        self.retry()
    }

    /// Writes what waits.
    pub fn retry(&mut self) -> io::Result<()> {
        if let Err(error) = self.file.write_all(&self.waiting) {
            // No half a line: players stop there. A device has no length to set.
            drop(self.file.set_len(self.length));
            drop(io::Seek::seek(&mut self.file, io::SeekFrom::Start(self.length)));
            return Err(error);
        }
        self.length += self.waiting.len() as u64;
        self.waiting.clear();
        self.gap = false;
        if self.length > self.max_bytes { self.halve() } else { Ok(()) }
    }

    /// Drops the older half, aside first: a crash leaves either the old file or the new one.
    fn halve(&mut self) -> io::Result<()> {
        let mut aside = self.path.clone().into_os_string();
        aside.push(".new");
        let aside = PathBuf::from(aside);
        let halved = newer_half(&self.path, &aside, self.length - self.max_bytes / 2).and_then(|()| {
            std::fs::rename(&aside, &self.path)?;
            OpenOptions::new().append(true).open(&self.path)
        });
        match halved {
            Ok(file) => {
                self.length = file.metadata()?.len();
                hold(&file);
                self.file = file;
                Ok(())
            }
            Err(error) => {
                drop(std::fs::remove_file(&aside));
                // No room for a second file: this one goes on, and is tried again after as much again.
                self.max_bytes = self.max_bytes.saturating_add(self.max_bytes);
                Err(error)
            }
        }
    }
}

/// A recording named by agent and time, after the oldest of the folder made room, but for those that go on.
pub fn begin_always(folder: &Path, name: &str, opening: &Opening, max_bytes: u64) -> io::Result<Recording> {
    std::fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    let mut kept: Vec<(std::time::SystemTime, PathBuf)> = std::fs::read_dir(folder)?
        .flatten()
        .filter(|entry| entry.path().extension().is_some_and(|end| end == "cast"))
        .filter_map(|entry| Some((entry.metadata().ok()?.modified().ok()?, entry.path())))
        .collect();
    kept.sort();
    for (_, old) in kept.iter().take((kept.len() + 1).saturating_sub(KEPT_RECORDINGS)) {
        if !is_written(old) {
            std::fs::remove_file(old)?;
        }
    }
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    Recording::begin(&folder.join(format!("{name}-{}.cast", since.as_millis())), opening, max_bytes)
}

/// Whether an agent is still recorded there.
fn is_written(path: &Path) -> bool {
    let held = |file: &File| matches!(file.try_lock(), Err(std::fs::TryLockError::WouldBlock));
    regular_file::open(path, File::options().read(true)).is_ok_and(|file| held(&file))
}

/// Copies a recording without its first `dropped` bytes of events, which become one.
fn newer_half(from: &Path, to: &Path, dropped: u64) -> io::Result<()> {
    let invalid = || io::Error::new(io::ErrorKind::InvalidData, "the recording is damaged");
    let mut lines = BufReader::new(File::open(from)?).lines();
    let first: serde_json::Value = serde_json::from_str(&lines.next().ok_or_else(invalid)??)?;
    let side = |key: &str| first[key].as_u64().and_then(|n| u16::try_from(n).ok()).unwrap_or(1);
    let mut screen = Screen::new(Size::new(side("width"), side("height")), TerminalIdentity::default());
    let (mut gone, mut at) = (0, 0.0);
    while gone < dropped {
        let Some(line) = lines.next() else { break };
        let line = line?;
        gone += line.len() as u64 + 1;
        let (seconds, kind, data): (f64, String, String) = serde_json::from_str(&line)?;
        at = seconds;
        match kind.as_str() {
            // Who asked long ago was answered long ago.
            "o" => drop(screen.feed(data.as_bytes())),
            "r" => screen.resize(Size::recorded(&data).map_err(|_| invalid())?),
            _ => {}
        }
    }
    let mut out = BufWriter::new(create(to)?);
    let timestamp = first["timestamp"].as_u64().unwrap_or(0);
    let header = header(screen.size(), timestamp, first["command"].as_str().unwrap_or_default());
    out.write_all(header.as_bytes())?;
    let seed = repaint(screen.grid(), screen.modes());
    out.write_all(event(at, "o", &String::from_utf8_lossy(&seed)).as_bytes())?;
    for line in lines {
        writeln!(out, "{}", line?)?;
    }
    out.into_inner().map_err(io::IntoInnerError::into_error)?.sync_data()
}

#[cfg(test)]
impl Recording {
    /// From now on it goes there, as to a disk without room, until what is returned is put back.
    pub fn goes_to(&mut self, file: File) -> File {
        std::mem::replace(&mut self.file, file)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::recording::asciicast::{Asciicast, What};
    use std::os::unix::fs::PermissionsExt;

    fn played(path: &Path) -> Screen {
        let cast = Asciicast::parse(&std::fs::read_to_string(path).unwrap()).unwrap();
        let mut screen = Screen::new(cast.size, TerminalIdentity::default());
        for event in cast.events {
            match event.what {
                What::Output(text) => drop(screen.feed(text.as_bytes())),
                What::Resize(size) => screen.resize(size),
                What::Silent => {}
            }
        }
        screen
    }

    fn opening(seed: &[u8]) -> Opening {
        let command = vec!["claude".into(), "say hi".into()];
        Opening { command, size: Size::new(40, 5), seed: seed.to_vec() }
    }

    /// A recording of Claude Code was judged as one of a program that nobody knows.
    fn tells_its_program(path: &Path) -> bool {
        let text = std::fs::read_to_string(path).unwrap();
        Asciicast::parse(&text).unwrap().argv() == ["claude", "say hi"]
    }

    #[test]
    fn the_newest_stays_and_plays_to_the_same_screen() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.cast");
        let mut recording = Recording::begin(&path, &opening(b"first\r\n"), 8_000).unwrap();
        assert!(tells_its_program(&path));
        let mut screen = Screen::new(Size::new(40, 5), TerminalIdentity::default());
        screen.feed(b"first\r\n");
        for n in 0..2_000 {
            let text = format!("\x1b[3{}mline {n} \u{6f22}\r\n", n % 8);
            // In two pieces, in the middle of a character.
            let (head, tail) = text.as_bytes().split_at(text.len() - 3);
            recording.output(head).unwrap();
            recording.output(tail).unwrap();
            screen.feed(text.as_bytes());
            if n == 700 {
                recording.resized(Size::new(30, 6)).unwrap();
                screen.resize(Size::new(30, 6));
            }
            assert!(std::fs::metadata(&path).unwrap().len() <= 8_200);
        }
        assert!(tells_its_program(&path), "also where its older half has gone");
        let played = played(&path);
        assert_eq!(played.grid().text(), screen.grid().text());
        assert_eq!(played.grid().rows[0].cells[0].style, screen.grid().rows[0].cells[0].style);
        assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        assert!(!folder.path().join("a.cast.new").exists());
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn on_a_full_disk_lines_wait_and_what_is_too_much_is_marked() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.cast");
        let mut recording = Recording::begin(&path, &opening(b""), 1 << 30).unwrap();
        let real = recording.goes_to(File::create("/dev/full").unwrap());
        assert!(recording.output(b"kept").is_err());
        for _ in 0..5 {
            assert!(recording.output(&[b'x'; 1024 * 1024]).is_err());
        }
        drop(recording.goes_to(real));
        recording.retry().unwrap();
        recording.output(b"later").unwrap();
        let text = std::fs::read_to_string(&path).unwrap();
        Asciicast::parse(&text).unwrap();
        assert!(text.contains("kept") && text.contains("later"), "{}", text.len());
        assert_eq!(text.matches("output is missing").count(), 1);
    }

    /// A server that was killed left half a line; and what is no recording any more is left as it is.
    #[test]
    fn a_recording_goes_on_behind_its_last_whole_line() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.cast");
        let mut recording = Recording::begin(&path, &opening(b""), 1 << 30).unwrap();
        // Longer than the end that is read of it.
        for _ in 0..40 {
            recording.output(&b"x".repeat(32 * 1024)).unwrap();
        }
        drop(recording);
        let mut file = OpenOptions::new().append(true).open(&path).unwrap();
        file.write_all(b"[9.5, \"o\", \"half").unwrap();
        let mut recording = Recording::go_on(&path, &opening(b"seed"), 1 << 30).unwrap();
        recording.output(b"\x1b[2J\x1b[Hbehind").unwrap();
        assert!(played(&path).grid().text().starts_with("behind"));
        for other in ["", "a letter\n", "{\"version\": 2"] {
            std::fs::write(&path, other).unwrap();
            assert!(Recording::go_on(&path, &opening(b""), 1 << 30).is_err(), "{other:?}");
            assert_eq!(std::fs::read_to_string(&path).unwrap(), other);
        }
    }
}
