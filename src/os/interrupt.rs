//! A signal that ends a command: exit code 130, and the terminal as it was before.
//!
//! The command line asks for it before a verb runs. Dashboard and attach wait for their signals beside everything else
//! once they have the terminal: they hold `Deferred` for so long. A server takes its signals itself, from the beginning; what is
//! set up here would be called before that and end it in the middle of its work.

use std::os::fd::AsFd;
use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicPtr, Ordering};

use nix::libc;
use nix::sys::signal::{SaFlags, SigAction, SigHandler, SigSet, Signal, sigaction};
use nix::sys::termios::{InputFlags, LocalFlags, OutputFlags, SetArg, Termios, tcgetattr, tcsetattr};

/// What the contract gives an interrupted command.
pub const INTERRUPTED: u8 = 130;
/// What ends a command: a person's keys, a terminal that closes, whoever wants it gone; and what else ends a process that
/// says nothing of it, timers and limits (signal(7)).
pub const ENDING: [Signal; 10] = [
    Signal::SIGINT,
    Signal::SIGTERM,
    Signal::SIGHUP,
    Signal::SIGQUIT,
    Signal::SIGUSR1,
    Signal::SIGUSR2,
    Signal::SIGALRM,
    Signal::SIGVTALRM,
    Signal::SIGPROF,
    Signal::SIGXCPU,
];

/// The terminal's settings before they were changed. A handler can reach nothing but a static.
static BEFORE: AtomicPtr<libc::termios> = AtomicPtr::new(ptr::null_mut());

/// Somebody waits for these signals and ends the process in their own way.
static DEFERRED: AtomicBool = AtomicBool::new(false);

/// From here on these signals end the process with 130. Those that somebody has it ignore, as `nohup` does, stay ignored.
pub fn end_with_130() {
    let end = SigAction::new(SigHandler::Handler(leave), SaFlags::empty(), SigSet::empty());
    for signal in ENDING.into_iter().filter(|signal| !ignored(*signal)) {
        // SAFETY: the handler calls async-signal-safe functions only. These signals can be taken.
        let _ = unsafe { sigaction(signal, &end) };
    }
}

extern "C" fn leave(_: libc::c_int) {
    if DEFERRED.load(Ordering::SeqCst) {
        return;
    }
    give_terminal_back();
    // SAFETY: `_exit` is async-signal-safe.
    unsafe { libc::_exit(i32::from(INTERRUPTED)) }
}

/// While this is held, these signals do not end the process. For a loop that listens for them already: handlers
/// that are set up after `end_with_130` are called as well, not instead.
#[derive(Debug)]
pub struct Deferred(());

/// Call it once somebody listens.
pub fn defer() -> Deferred {
    DEFERRED.store(true, Ordering::SeqCst);
    Deferred(())
}

impl Drop for Deferred {
    fn drop(&mut self) {
        DEFERRED.store(false, Ordering::SeqCst);
    }
}

/// The terminal on standard input has the settings again that it had before `TerminalMode`. Async-signal-safe.
pub fn give_terminal_back() {
    let before = BEFORE.swap(ptr::null_mut(), Ordering::SeqCst);
    if !before.is_null() {
        // SAFETY: `tcsetattr` is async-signal-safe, and what `before` points to is never freed. A terminal that is gone
        // needs no settings.
        unsafe { libc::tcsetattr(libc::STDIN_FILENO, libc::TCSANOW, before) };
    }
}

/// Waits on a thread of its own for one of these signals, and then does this, which is to end the process. Whoever ends a
/// command may send several in a row, to it and to its group: those that follow change nothing. Only for a process that has
/// no other thread yet: those started later inherit that they do not take these signals.
pub fn on_signal(act: impl FnOnce() + Send + 'static) -> std::io::Result<()> {
    let signals = block()?;
    let waits = move || {
        if signals.wait().is_ok() {
            act();
        }
    };
    std::thread::Builder::new().spawn(waits).map(drop)
}

/// Keeps these signals from this thread and those it starts, for one that waits for them. Programs that are started
/// from here on inherit that, and have to `unblock`. Those that somebody has us ignore stay ignored.
pub fn block() -> nix::Result<SigSet> {
    let signals = SigSet::from_iter(ENDING.into_iter().filter(|signal| !ignored(*signal)));
    signals.thread_block()?;
    Ok(signals)
}

/// Undoes a `block` of the program that has started this one; a signal that has come meanwhile is taken now.
pub fn unblock() -> nix::Result<()> {
    SigSet::from_iter(ENDING).thread_unblock()
}

/// Whether whoever started this process has it ignore the signal.
pub fn ignored(signal: Signal) -> bool {
    let mut now = std::mem::MaybeUninit::<libc::sigaction>::uninit();
    // SAFETY: nothing is changed; the kernel fills `now` if it returns 0.
    unsafe {
        libc::sigaction(signal as libc::c_int, ptr::null(), now.as_mut_ptr()) == 0
            && now.assume_init().sa_sigaction == libc::SIG_IGN
    }
}

/// The terminal on standard input with settings of our own; dropped, or ended by a signal, it has its former ones again.
#[derive(Debug)]
pub struct TerminalMode(());

impl TerminalMode {
    /// Each key comes by itself and as it was pressed, and those still mean a signal that do. `as_printed`: what is printed is not
    /// changed on its way either. `None`: there is no terminal.
    pub fn keys(as_printed: bool) -> Option<TerminalMode> {
        TerminalMode::set(|mode| {
            mode.local_flags.remove(LocalFlags::ECHO | LocalFlags::ICANON | LocalFlags::IEXTEN);
            let changed = InputFlags::ICRNL | InputFlags::INLCR | InputFlags::IGNCR | InputFlags::ISTRIP;
            mode.input_flags.remove(changed | InputFlags::IXON);
            if as_printed {
                mode.output_flags.remove(OutputFlags::OPOST);
            }
        })
    }

    /// Each key comes by itself, and none means a signal.
    pub fn key_by_key() -> Option<TerminalMode> {
        TerminalMode::set(|mode| {
            let lines = LocalFlags::ECHO | LocalFlags::ICANON | LocalFlags::ISIG | LocalFlags::IEXTEN;
            mode.local_flags.remove(lines);
        })
    }

    fn set(change: impl FnOnce(&mut Termios)) -> Option<TerminalMode> {
        let terminal = std::io::stdin();
        let before = tcgetattr(&terminal).ok()?;
        let mut mode = before.clone();
        change(&mut mode);
        // A few bytes, once for each time: a handler on another thread may be reading them.
        BEFORE.store(Box::leak(Box::new(before.into())), Ordering::SeqCst);
        tcsetattr(terminal.as_fd(), SetArg::TCSANOW, &mode).ok()?;
        Some(TerminalMode(()))
    }
}

impl Drop for TerminalMode {
    fn drop(&mut self) {
        give_terminal_back();
    }
}
