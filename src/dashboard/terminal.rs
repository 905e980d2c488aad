//! The outer terminal while counsel has it: taken whole, given back as it was on every way out.
//!
//! Dashboard and attach hold a `Guard`. A panic gives it back before its message is printed.

use std::fs::File;
use std::io::{self, Write};
use std::os::fd::AsFd;
use std::sync::Once;
use std::sync::atomic::{AtomicBool, Ordering};

use crossterm::event::{
    DisableBracketedPaste, DisableFocusChange, DisableMouseCapture, EnableBracketedPaste, EnableFocusChange,
    EnableMouseCapture, KeyboardEnhancementFlags, PopKeyboardEnhancementFlags, PushKeyboardEnhancementFlags,
};
use crossterm::terminal::{EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode, enable_raw_mode};
use crossterm::{cursor, execute, style};

use crate::core::policy::Notify;

use crate::os::job_control::{JobControl, Who};

use super::announce::{self, Way};
use super::outer;

/// Taken now. Whoever gives it back first, guard or panic hook, does so alone.
static TAKEN: AtomicBool = AtomicBool::new(false);
static ENHANCED: AtomicBool = AtomicBool::new(false);
/// It speaks the kitty keyboard protocol, as it has said at some time.
static KITTY: AtomicBool = AtomicBool::new(false);
static HOOK: Once = Once::new();

/// Who reads the mouse.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mouse {
    /// We do, always.
    Ours,
    /// Modes come and go with what an agent asks for.
    Mirrored,
}

#[derive(Debug)]
pub struct Guard {
    /// The terminal speaks the kitty keyboard protocol.
    pub kitty: bool,
    mouse: Mouse,
}

impl Guard {
    /// `events`: where the terminal's answer comes.
    pub fn take(mouse: Mouse, events: &mut outer::Events) -> Result<Guard, String> {
        let failed = |error: io::Error| format!("could not take over the terminal: {error}");
        HOOK.call_once(|| {
            let usual = std::panic::take_hook();
            std::panic::set_hook(Box::new(move |info| {
                give_back();
                usual(info);
            }));
        });
        enable_raw_mode().map_err(failed)?;
        TAKEN.store(true, Ordering::SeqCst);
        let mut out = io::stdout();
        // Whoever shows an agent's own colours has no use for it.
        let background: &[u8] = if mouse == Mouse::Ours { outer::ASK_BACKGROUND } else { b"" };
        out.write_all(background).and_then(|()| out.write_all(outer::ASK_KITTY)).map_err(failed)?;
        out.flush().map_err(failed)?;
        let guard = Guard { kitty: events.speaks_kitty(), mouse };
        put_aside().and_then(|()| enter(mouse)).map_err(failed)?;
        if guard.kitty {
            enhance().map_err(failed)?;
        }
        Ok(guard)
    }

    /// Gives the terminal back, stops, and takes it again when we go on. `false`: no shell is there to let us go on, and
    /// nothing was stopped.
    pub fn stop(&self, job: &JobControl, who: Who) -> Result<bool, String> {
        give_back();
        let stopped = job.stop(who).map_err(|error| format!("could not stop: {error}"));
        self.take_again()?;
        stopped
    }

    /// Takes the terminal once more, from whoever had it while we were stopped.
    pub fn take_again(&self) -> Result<(), String> {
        let failed = |error: io::Error| format!("could not take the terminal again: {error}");
        // Whatever a shell has set meanwhile is what it is given back with.
        disable_raw_mode().and_then(|()| enable_raw_mode()).map_err(failed)?;
        if !TAKEN.swap(true, Ordering::SeqCst) {
            put_aside().map_err(failed)?;
        }
        enter(self.mouse).map_err(failed)?;
        if KITTY.load(Ordering::SeqCst) {
            enhance().map_err(failed)?;
        }
        Ok(())
    }
}

/// The title and the mode that turns the wheel into arrow keys are put aside.
fn put_aside() -> io::Result<()> {
    io::stdout().write_all(b"\x1b[22;0t\x1b[?1007s")
}

fn enter(mouse: Mouse) -> io::Result<()> {
    let mut out = io::stdout();
    execute!(out, EnterAlternateScreen, EnableBracketedPaste, EnableFocusChange, cursor::Hide)?;
    if mouse == Mouse::Ours {
        execute!(out, EnableMouseCapture)?;
    }
    Ok(())
}

/// Turns the kitty keyboard protocol on, in a terminal that speaks it; once.
pub fn enhance() -> io::Result<()> {
    KITTY.store(true, Ordering::SeqCst);
    if ENHANCED.swap(true, Ordering::SeqCst) {
        return Ok(());
    }
    // Only what tells ctrl-i from tab; releases would double every key for most agents.
    let flags = KeyboardEnhancementFlags::DISAMBIGUATE_ESCAPE_CODES;
    execute!(io::stdout(), PushKeyboardEnhancementFlags(flags))
}

impl Drop for Guard {
    fn drop(&mut self) {
        give_back();
    }
}

fn give_back() {
    if !TAKEN.swap(false, Ordering::SeqCst) {
        return;
    }
    let mut out = io::stdout();
    // A terminal that is gone cannot be told; each step stands alone so that one failure skips no other.
    if ENHANCED.swap(false, Ordering::SeqCst) {
        let _ = execute!(out, PopKeyboardEnhancementFlags);
    }
    let _ = execute!(out, DisableFocusChange, DisableBracketedPaste, DisableMouseCapture);
    let _ = execute!(out, cursor::SetCursorStyle::DefaultUserShape, style::ResetColor);
    let _ = out.write_all(b"\x1b[?1007r\x1b[23;0t");
    let _ = execute!(out, LeaveAlternateScreen, cursor::Show);
    let _ = disable_raw_mode();
}

/// The terminal once more, each write to which is one system call.
pub fn unbuffered() -> io::Result<File> {
    Ok(File::from(io::stdout().as_fd().try_clone_to_owned()?))
}

/// Sets the title. Our own words and agents' titles alike lose their control characters.
pub fn set_title(title: &str) -> io::Result<()> {
    let clean: String = title.chars().filter(|c| !c.is_control()).collect();
    execute!(io::stdout(), crossterm::terminal::SetTitle(clean))
}

/// Tells the terminal's owner whether a person is waited for (Program Status Protocol).
pub fn set_blocked(blocked: bool) -> io::Result<()> {
    let state = if blocked { "blocked" } else { "idle" };
    let mut out = io::stdout();
    write!(out, "\x1b]7501;state={state}:app=counsel\x1b\\")?;
    out.flush()
}

pub fn ring() -> io::Result<()> {
    let mut out = io::stdout();
    out.write_all(b"\x07")?;
    out.flush()
}

/// Calls a person as they want to be called at this minute of the day: rings, and says why in whichever way the
/// terminal has for it.
pub fn notify(notify: &Notify, minute: u16, text: &str) -> io::Result<()> {
    let way = Way::chosen(notify.terminal, |name| std::env::var(name).ok());
    if way == Way::Tmux {
        announce::refresh_tmux();
    }
    let mut out = io::stdout();
    out.write_all(&announce::call(notify, way, minute, text))?;
    out.flush()
}

/// Puts base64 on the outer terminal's clipboard; anything else could end the sequence early.
pub fn set_clipboard(data: &str) -> io::Result<()> {
    let base64 = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '/' | '=');
    if !data.chars().all(base64) {
        return Ok(());
    }
    let mut out = io::stdout();
    write!(out, "\x1b]52;c;{data}\x1b\\")?;
    out.flush()
}
