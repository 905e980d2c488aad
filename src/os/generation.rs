//! The mark that everything an agent starts inherits, whatever it does to its name, its session, its parents
//! or its environment: its generation.
//!
//! The keeper lowers it in the agent's child, the server in what runs in an adopted pane (`pane_mark.rs`); server and
//! keepers compare it before they believe that somebody is a person. It is the hard limit on file locks
//! (`RLIMIT_LOCKS`): Linux has not looked at that limit since 2.4.25 (setrlimit(2)), every child inherits it through
//! fork and exec, and without CAP_SYS_RESOURCE it only ever sinks. So a daemon that an agent left behind, whose parents
//! are all gone, is still known from a person's process. Root can raise it: see docs/security.md.

use std::io;

/// The generation of the first agents where a person's processes have no limit at all. Large, so that a
/// counsel inside an agent inside a counsel … always finds a lower one; not the largest, which reads as none.
pub const FIRST: u64 = 1 << 40;

/// What an agent's generation is, below a server of this one. `None`: there is no lower one.
pub fn below(generation: u64) -> Option<u64> {
    if generation > FIRST { Some(FIRST) } else { generation.checked_sub(1) }
}

/// This process's own.
pub fn own() -> io::Result<u64> {
    of(0)
}

/// That of a process; 0 is this one.
///
/// # Errors
/// It has ended, or belongs to another user and this process is not root.
#[cfg(target_os = "linux")]
pub fn of(pid: u32) -> io::Result<u64> {
    let mut limit = nix::libc::rlimit64 { rlim_cur: 0, rlim_max: 0 };
    let pid = i32::try_from(pid).map_err(|_| io::ErrorKind::InvalidInput)?;
    // SAFETY: no new limit is given, and the old one is written into a value of the right type.
    let done =
        unsafe { nix::libc::prlimit64(pid, nix::libc::RLIMIT_LOCKS, std::ptr::null(), &raw mut limit) };
    if done == 0 { Ok(limit.rlim_max) } else { Err(io::Error::last_os_error()) }
}

/// Whether a process descends from an agent and this one does not.
pub fn is_younger_than_ours(pid: u32) -> bool {
    of(pid).is_ok_and(|its| own().is_ok_and(|own| its < own))
}

/// Systems without that limit have one generation only.
#[cfg(not(target_os = "linux"))]
pub fn of(_pid: u32) -> io::Result<u64> {
    Ok(u64::MAX)
}

/// Gives this process, and so all it will start, a generation. Makes async-signal-safe calls only.
///
/// # Errors
/// It is higher than the one it has.
#[cfg(target_os = "linux")]
pub fn lower_to(generation: u64) -> io::Result<()> {
    let limit = nix::libc::rlimit64 { rlim_cur: generation, rlim_max: generation };
    // SAFETY: the limit is a valid value on this stack for the length of the call.
    let done =
        unsafe { nix::libc::prlimit64(0, nix::libc::RLIMIT_LOCKS, &raw const limit, std::ptr::null_mut()) };
    if done == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

/// Gives another process of this user, and so all it will start from now on, a generation; one that is lower already it
/// keeps. Whether that changed it.
///
/// # Errors
/// It has ended, or belongs to another user and this process is not root.
#[cfg(target_os = "linux")]
pub fn lower(pid: u32, generation: u64) -> io::Result<bool> {
    if of(pid)? <= generation {
        return Ok(false);
    }
    let limit = nix::libc::rlimit64 { rlim_cur: generation, rlim_max: generation };
    let pid = i32::try_from(pid).map_err(|_| io::ErrorKind::InvalidInput)?;
    // SAFETY: the limit is a valid value on this stack for the length of the call.
    let done =
        unsafe { nix::libc::prlimit64(pid, nix::libc::RLIMIT_LOCKS, &raw const limit, std::ptr::null_mut()) };
    if done == 0 { Ok(true) } else { Err(io::Error::last_os_error()) }
}

#[cfg(not(target_os = "linux"))]
pub fn lower(_pid: u32, _generation: u64) -> io::Result<bool> {
    Ok(false)
}

/// Has a command and all it will start be of the next generation.
pub fn start_below(command: &mut std::process::Command) {
    use std::os::unix::process::CommandExt;
    let marked = move || {
        let generation = below(own()?).ok_or(io::ErrorKind::Unsupported)?;
        if lower_for_good(generation) { Ok(()) } else { Err(io::Error::last_os_error()) }
    };
    // SAFETY: async-signal-safe calls only.
    unsafe { command.pre_exec(marked) };
}

/// The same in a child that is about to execute an agent; `errno` says why not. Root loses the right to raise
/// it again, which containers do not give it either; whoever is root can still take it from somebody else.
#[cfg(target_os = "linux")]
pub fn lower_for_good(generation: u64) -> bool {
    /// `CAP_SYS_RESOURCE` of linux/capability.h.
    const SYS_RESOURCE: nix::libc::c_ulong = 24;
    // SAFETY: both calls only change this process's own rights and are async-signal-safe.
    unsafe {
        if nix::libc::geteuid() == 0 {
            // Refused only to one who does not have it.
            nix::libc::prctl(nix::libc::PR_CAPBSET_DROP, SYS_RESOURCE, 0, 0, 0);
        }
    }
    lower_to(generation).is_ok()
}

#[cfg(not(target_os = "linux"))]
pub fn lower_for_good(_generation: u64) -> bool {
    true
}

#[cfg(not(target_os = "linux"))]
pub fn lower_to(_generation: u64) -> io::Result<()> {
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_generation_is_below_the_last() {
        assert_eq!(below(u64::MAX), Some(FIRST));
        assert_eq!(below(FIRST), Some(FIRST - 1));
        assert_eq!(below(0), None);
    }

    /// Root may raise any limit, until it gave that up.
    #[cfg(target_os = "linux")]
    #[test]
    fn nobody_below_raises_it_again() {
        use std::os::unix::process::CommandExt;
        let lower = below(own().unwrap()).unwrap();
        let mut command = std::process::Command::new("prlimit");
        command.args(["--locks=unlimited", "grep", "^Max file locks", "/proc/self/limits"]);
        let marked = move || lower_for_good(lower).then_some(()).ok_or_else(io::Error::last_os_error);
        // SAFETY: async-signal-safe calls only.
        unsafe { command.pre_exec(marked) };
        let said = command.output().unwrap();
        assert!(!said.status.success(), "{}", String::from_utf8_lossy(&said.stdout));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_child_inherits_it_through_exec_and_a_new_session() {
        use std::os::unix::process::CommandExt;
        let own = own().unwrap();
        let lower = below(own).unwrap();
        let mut command = std::process::Command::new("setsid");
        command.args(["-f", "env", "-i", "/bin/sh", "-c", "grep '^Max file locks' /proc/self/limits"]);
        // SAFETY: one async-signal-safe call.
        unsafe { command.pre_exec(move || lower_to(lower)) };
        let said = command.output().unwrap();
        let said = String::from_utf8_lossy(&said.stdout).into_owned();
        assert_eq!(said.split_whitespace().nth(4), Some(lower.to_string().as_str()), "{said}");
        assert_eq!(of(std::process::id()).unwrap(), own);
    }
}
