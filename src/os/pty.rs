//! Pseudo-terminals: opening a pair, its window size, and reads and writes that never block.
//!
//! The keeper opens them, the server reads and writes the master it is handed. Nothing here may look at
//! the bytes: they pass unmodified. Masters are in packet mode: each read also says whether somebody has had the kernel throw
//! away what was printed, or hold it back.

use std::fs::File;
use std::io::{self, IoSliceMut};
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::sync::Arc;

use nix::errno::Errno;
use nix::fcntl::{FcntlArg, FdFlag, OFlag, fcntl};
use nix::pty::{OpenptyResult, Winsize, grantpt, openpty, posix_openpt, unlockpt};
use nix::sys::stat::Mode;
use nix::sys::termios::{InputFlags, LocalFlags, OutputFlags, SetArg, tcgetattr, tcsetattr};
use nix::sys::uio::readv;
use tokio::io::Interest;
use tokio::io::unix::AsyncFd;

use crate::core::terminal::grid::Size;
use crate::core::terminal::query_replies::CELL_PIXELS;

nix::ioctl_read_bad!(get_window_size, nix::libc::TIOCGWINSZ, Winsize);
nix::ioctl_write_ptr_bad!(set_window_size, nix::libc::TIOCSWINSZ, Winsize);
nix::ioctl_write_ptr_bad!(set_packet_mode, nix::libc::TIOCPKT, nix::libc::c_int);

/// What packet mode tells of input and output that nobody gets: it was thrown away (`tcflush`), or is held back (`tcflow`).
/// From `<asm-generic/ioctls.h>`; nix and libc do not have them.
const FLUSHREAD: u8 = 1;
const FLUSHWRITE: u8 = 2;
const STOP: u8 = 4;

/// Has each read of this master tell what its user cannot see otherwise.
pub fn use_packets(master: &impl AsFd) -> nix::Result<()> {
    // SAFETY: the descriptor is open and the number lives for the length of the call.
    unsafe { set_packet_mode(master.as_fd().as_raw_fd(), &1) }.map(drop)
}

/// Both ends of a new terminal, closed on exec; the master does not block.
#[derive(Debug)]
pub struct Pair {
    pub master: OwnedFd,
    pub slave: OwnedFd,
}

/// Opens a terminal that has its size before any program sees it: at 0x0 some draw nothing or crash.
pub fn open(size: Size) -> Result<Pair, String> {
    let window = window(size);
    let OpenptyResult { master, slave } = openpty(&window, None).or_else(|first| {
        // Some systems fail the one call with EBADF where the other works.
        open_by_name(&window)
            .map_err(|second| format!("no pseudo-terminal: {}; then {}", first.desc(), second.desc()))
    })?;
    prepare(&master, &slave)
        .map_err(|e| format!("the new pseudo-terminal cannot be set up: {}", e.desc()))?;
    Ok(Pair { master, slave })
}

fn open_by_name(window: &Winsize) -> nix::Result<OpenptyResult> {
    let master = posix_openpt(OFlag::O_RDWR | OFlag::O_NOCTTY)?;
    grantpt(&master)?;
    unlockpt(&master)?;
    #[cfg(target_os = "linux")]
    let name = nix::pty::ptsname_r(&master)?;
    #[cfg(not(target_os = "linux"))]
    // SAFETY: the name is copied before any other call that could overwrite its static buffer.
    let name = unsafe { nix::pty::ptsname(&master) }?;
    let slave = nix::fcntl::open(name.as_str(), OFlag::O_RDWR | OFlag::O_NOCTTY, Mode::empty())?;
    // SAFETY: `window` is a valid `Winsize` for the length of the call.
    unsafe { set_window_size(slave.as_raw_fd(), window) }?;
    Ok(OpenptyResult { master: master.into(), slave })
}

fn prepare(master: &OwnedFd, slave: &OwnedFd) -> nix::Result<()> {
    for fd in [master, slave] {
        fcntl(fd, FcntlArg::F_SETFD(FdFlag::FD_CLOEXEC))?;
    }
    let flags = OFlag::from_bits_retain(fcntl(master, FcntlArg::F_GETFL)?);
    fcntl(master, FcntlArg::F_SETFL(flags | OFlag::O_NONBLOCK))?;
    use_packets(master)?;
    // The line discipline then erases a whole character on backspace, not one byte of it.
    let mut line = tcgetattr(slave)?;
    line.input_flags |= InputFlags::IUTF8;
    tcsetattr(slave, SetArg::TCSANOW, &line)
}

fn window(size: Size) -> Winsize {
    let pixels = |cells: u16, each: u16| cells.saturating_mul(each);
    Winsize {
        ws_row: size.rows,
        ws_col: size.cols,
        ws_xpixel: pixels(size.cols, CELL_PIXELS.0),
        ws_ypixel: pixels(size.rows, CELL_PIXELS.1),
    }
}

/// Sets the size; the kernel sends SIGWINCH to the foreground group if it changed.
pub fn resize(master: &impl AsFd, size: Size) -> io::Result<()> {
    // SAFETY: the descriptor is open and the `Winsize` lives for the length of the call.
    unsafe { set_window_size(master.as_fd().as_raw_fd(), &window(size)) }?;
    Ok(())
}

/// The size of the terminal behind a descriptor of either end.
pub fn size_of(terminal: &impl AsFd) -> io::Result<Size> {
    let mut window = window(Size::new(0, 0));
    // SAFETY: the descriptor is open and `window` may be written.
    unsafe { get_window_size(terminal.as_fd().as_raw_fd(), &mut window) }?;
    Ok(Size::new(window.ws_col, window.ws_row))
}

/// The size of the terminal this process runs in, wherever one can be found, else the fall-back.
pub fn terminal_size() -> Size {
    let asked = |size: io::Result<Size>| size.ok().filter(|s| s.cols > 0 && s.rows > 0);
    let controlling = || File::open("/dev/tty").ok().and_then(|tty| asked(size_of(&tty)));
    asked(size_of(&io::stdout()))
        .or_else(|| asked(size_of(&io::stdin())))
        .or_else(controlling)
        .unwrap_or(Size::FALLBACK)
}

/// The master under the event loop's eyes, which is woken for what the program prints. For room it is woken by another
/// one, as long as it waits for that: it would be told of room each time the program reads a key.
pub fn watched(master: Arc<OwnedFd>, interest: Interest) -> io::Result<AsyncFd<Arc<OwnedFd>>> {
    // SAFETY: an `OwnedFd` is open and stays the same descriptor until whoever holds it, the `AsyncFd` as one, is dropped.
    unsafe { AsyncFd::register_with_interest(master, interest) }.map_err(io::Error::from)
}

/// Whether the terminal collects what is typed to lines, instead of handing keys to its program one by one. A key
/// typed then is echoed, waits for a line end, and a return reaches the program as another key.
pub fn is_canonical(terminal: &impl AsFd) -> bool {
    // A master shows the settings of its other end; where it has none left, nobody reads.
    tcgetattr(terminal).is_ok_and(|line| line.local_flags.contains(LocalFlags::ICANON))
}

/// Whether the terminal makes capitals of what is printed.
pub fn is_capitals(terminal: &impl AsFd) -> bool {
    tcgetattr(terminal).is_ok_and(|line| line.output_flags.contains(OutputFlags::OPOST | OutputFlags::OLCUC))
}

/// What one read of a master gave.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Output {
    Bytes(usize),
    /// Before this, output was thrown away or is held back (`kept`): nobody has read it. Or input was thrown away that was typed and
    /// not read yet (`flushed`).
    Told {
        kept: bool,
        flushed: bool,
    },
    /// Nothing now.
    Empty,
    /// Nobody has the other end open any more, and everything was read.
    End,
}

/// Reads what there is.
pub fn read(master: &impl AsFd, buffer: &mut [u8]) -> io::Result<Output> {
    let mut told = [0];
    loop {
        // A packet begins with what there is to tell; 0: nothing, bytes follow.
        return match readv(master, &mut [IoSliceMut::new(&mut told), IoSliceMut::new(buffer)]) {
            // The kernel says EIO where it means end of output.
            Ok(0) | Err(Errno::EIO) => Ok(Output::End),
            Ok(_) if told[0] & (FLUSHREAD | FLUSHWRITE | STOP) != 0 => Ok(Output::Told {
                kept: told[0] & (FLUSHWRITE | STOP) != 0,
                flushed: told[0] & FLUSHREAD != 0,
            }),
            // Flow control is another.
            Ok(_) if told[0] != 0 => continue,
            Ok(n) => Ok(Output::Bytes(n - 1)),
            Err(Errno::EAGAIN) => Ok(Output::Empty),
            Err(Errno::EINTR) => continue,
            Err(e) => Err(e.into()),
        };
    }
}

/// Writes what fits; 0 means the program does not read, and the caller waits for room.
pub fn write(master: &impl AsFd, bytes: &[u8]) -> io::Result<usize> {
    loop {
        return match nix::unistd::write(master, bytes) {
            Ok(n) => Ok(n),
            Err(Errno::EAGAIN) => Ok(0),
            Err(Errno::EINTR) => continue,
            Err(e) => Err(e.into()),
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_ways_of_opening_give_a_sized_terminal() {
        let size = Size::new(97, 31);
        let by_name = open_by_name(&window(size)).unwrap();
        let pair = open(size).unwrap();
        for end in [&by_name.master, &by_name.slave, &pair.master, &pair.slave] {
            assert_eq!(size_of(end).unwrap(), size);
        }
        resize(&pair.master, Size::new(40, 10)).unwrap();
        assert_eq!(size_of(&pair.slave).unwrap(), Size::new(40, 10));
    }

    #[test]
    fn reads_and_writes_do_not_wait_and_eio_is_the_end() {
        let pair = open(Size::FALLBACK).unwrap();
        let mut buffer = [0; 64];
        assert_eq!(read(&pair.master, &mut buffer).unwrap(), Output::Empty);
        nix::unistd::write(&pair.slave, b"last words").unwrap();
        drop(pair.slave);
        assert_eq!(read(&pair.master, &mut buffer).unwrap(), Output::Bytes(10));
        assert_eq!(&buffer[..10], b"last words");
        assert_eq!(read(&pair.master, &mut buffer).unwrap(), Output::End);
    }

    /// A background process throws away what an agent prints, or holds it back while the agent takes keys.
    #[test]
    fn output_that_is_kept_from_its_reader_is_told() {
        use nix::sys::termios::{FlowArg, FlushArg, tcflow, tcflush};
        let pair = open(Size::FALLBACK).unwrap();
        let mut buffer = [0; 64];
        let kept = Output::Told { kept: true, flushed: false };
        // What has come as far as the reader's end is not thrown away any more; that it was tried is told all the same.
        tcflush(&pair.slave, FlushArg::TCOFLUSH).unwrap();
        nix::unistd::write(&pair.slave, b"read").unwrap();
        assert_eq!(read(&pair.master, &mut buffer).unwrap(), kept);
        assert_eq!(read(&pair.master, &mut buffer).unwrap(), Output::Bytes(4));
        assert_eq!(&buffer[..4], b"read");
        tcflow(&pair.slave, FlowArg::TCOOFF).unwrap();
        assert_eq!(read(&pair.master, &mut buffer).unwrap(), kept);
        tcflow(&pair.slave, FlowArg::TCOON).unwrap();
        assert_eq!(read(&pair.master, &mut buffer).unwrap(), Output::Empty, "it goes on");
        tcflush(&pair.slave, FlushArg::TCIFLUSH).unwrap();
        let flushed = Output::Told { kept: false, flushed: true };
        assert_eq!(read(&pair.master, &mut buffer).unwrap(), flushed, "that was input");
        tcflush(&pair.slave, FlushArg::TCIOFLUSH).unwrap();
        let both = Output::Told { kept: true, flushed: true };
        assert_eq!(read(&pair.master, &mut buffer).unwrap(), both);
    }

    #[test]
    fn a_master_tells_when_its_program_takes_keys_one_by_one() {
        let pair = open(Size::FALLBACK).unwrap();
        assert!(is_canonical(&pair.master), "a new terminal collects lines");
        let mut line = tcgetattr(&pair.slave).unwrap();
        nix::sys::termios::cfmakeraw(&mut line);
        tcsetattr(&pair.slave, SetArg::TCSANOW, &line).unwrap();
        assert!(!is_canonical(&pair.master));
    }

    #[test]
    fn a_program_that_does_not_read_makes_the_writer_wait() {
        let pair = open(Size::FALLBACK).unwrap();
        let chunk = [b'x'; 4096];
        let mut rounds = 0;
        // Far more than the line discipline holds (4 KiB) and the buffer before it.
        while write(&pair.master, &chunk).unwrap() > 0 {
            rounds += 1;
            assert!(rounds < 4096, "16 MiB went into a terminal nobody reads");
        }
    }
}
