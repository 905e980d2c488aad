//! Becoming the agent: everything prepared before the fork, only async-signal-safe calls after it.
//!
//! The keeper calls `prepare`, then `spawn`. What the agent gets: the terminal on 0, 1 and 2 (or a pipe on 0) and
//! nothing else, a process group of its own in the foreground, default signals, its folder, its environment.

use std::ffi::{CString, OsStr};
use std::fs;
use std::io::Read;
use std::os::fd::{AsRawFd, OwnedFd, RawFd};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::ptr;

use nix::errno::Errno;
use nix::libc::{self, c_char, c_int};
use nix::unistd::{ForkResult, Pid, fork};

use super::isolation::{self, Prepared};
use crate::os::keeper_link::KeeperSpec;
use crate::os::{descriptors, generation, input_pipe, program};

/// Signals exist from 1 to here (64 on Linux, 31 elsewhere; a number too high is refused and harmless).
const LAST_SIGNAL: c_int = 64;

/// An agent ready to be executed.
#[derive(Debug)]
pub struct Program {
    path: CString,
    argv: Vec<CString>,
    /// For a script without `#!`: the shell, as `execvp` would do it.
    shell_argv: Vec<CString>,
    env: Vec<CString>,
    cwd: CString,
    cwd_shown: PathBuf,
    /// Its standard input, where that is not the terminal.
    stdin: Option<OwnedFd>,
    isolation: Prepared,
    /// Its umask, where that is not the keeper's.
    umask: Option<u32>,
    /// What marks it and all it will start as an agent's.
    generation: u64,
}

/// Finds the program and its folder, so that a mistake is told in words.
pub fn prepare(spec: &KeeperSpec) -> Result<Program, String> {
    let cwd = PathBuf::from(&spec.cwd);
    if !fs::metadata(&cwd).map_err(|e| format!("the folder {}: {e}", spec.cwd))?.is_dir() {
        return Err(format!("{} is not a folder", spec.cwd));
    }
    let stdin = spec.stdin.as_deref().map(input_pipe::open_to_read).transpose()?;
    let isolation = isolation::prepare(spec)?;
    let name = isolation.argv.first().filter(|name| !name.is_empty()).ok_or("no program is named")?;
    // The agent's own PATH counts, not the keeper's.
    let search = spec.env.get("PATH").map_or(program::DEFAULT_PATH, String::as_str);
    let path = program::find(name, search, &cwd)?;
    let path = text(path.as_os_str())?;
    let argv = isolation.argv.iter().map(|word| text(OsStr::new(word))).collect::<Result<Vec<_>, _>>()?;
    let shell_argv = [c"/bin/sh".to_owned(), path.clone()].into_iter().chain(argv[1..].iter().cloned());
    let mut variables = spec.env.clone();
    variables.extend(isolation.variables().into_iter().map(|(name, value)| (name.to_owned(), value)));
    variables.retain(|name, _| isolation.begins_with(name));
    let env = variables.iter().map(|(name, value)| text(OsStr::new(&format!("{name}={value}"))));
    let own = generation::own().map_err(|e| format!("the keeper's own limits: {e}"))?;
    let generation = generation::below(own).ok_or("no agent can be started so deep within agents")?;
    Ok(Program {
        isolation,
        stdin,
        umask: spec.umask.map(|mask| mask & 0o777),
        generation,
        shell_argv: shell_argv.collect(),
        env: env.collect::<Result<_, _>>()?,
        cwd: text(cwd.as_os_str())?,
        cwd_shown: cwd,
        path,
        argv,
    })
}

fn text(text: &OsStr) -> Result<CString, String> {
    CString::new(text.as_bytes()).map_err(|_| format!("{} holds a zero byte", text.to_string_lossy()))
}

/// Forks and executes; returns once the program runs, or says why it does not.
pub fn spawn(program: &Program, slave: &OwnedFd) -> Result<Pid, String> {
    let failed = |what: &str, e: Errno| format!("{what}: {}", e.desc());
    let (mut reader, writer) = std::io::pipe().map_err(|e| format!("no pipe to the agent: {e}"))?;
    if let Some(owner) = program.isolation.owner() {
        // Otherwise it could use the terminal it was given, and not open it.
        nix::unistd::fchown(slave, Some(nix::unistd::Uid::from_raw(owner)), None)
            .map_err(|e| failed("the agent's terminal", e))?;
    }
    let orders = Orders {
        argv: pointers(&program.argv),
        shell_argv: pointers(&program.shell_argv),
        env: pointers(&program.env),
        slave: slave.as_raw_fd(),
        stdin: program.stdin.as_ref().unwrap_or(slave).as_raw_fd(),
        report: writer.as_raw_fd(),
    };
    // SAFETY: this process has one thread, and the child makes async-signal-safe calls only.
    let agent = match unsafe { fork() }.map_err(|e| failed("no process for the agent", e))? {
        ForkResult::Child => become_agent(program, &orders),
        ForkResult::Parent { child } => child,
    };
    drop(writer);
    let mut report = Vec::new();
    // The pipe closes when the program runs. An unreadable report is as good as none: the exit follows.
    let _ = reader.read_to_end(&mut report);
    let Some((stage, errno)) = report.split_first().and_then(|(s, e)| Some((*s, e.try_into().ok()?))) else {
        return Ok(agent);
    };
    // The failed child has nothing left to do but be reaped.
    let _ = nix::sys::wait::waitpid(agent, None);
    let errno = Errno::from_raw(i32::from_ne_bytes(errno));
    let cause = errno.desc();
    Err(match Stage::ALL.into_iter().find(|known| *known as u8 == stage) {
        Some(Stage::Group) | None => format!("the agent's process group: {cause}"),
        Some(Stage::Terminal) => format!("the agent's terminal: {cause}"),
        Some(Stage::Generation) => format!("the agent's limits: {cause}"),
        Some(Stage::Isolation) => format!("what it is to be isolated by: {cause}"),
        Some(Stage::Folder) => format!("the folder {}: {cause}", program.cwd_shown.display()),
        Some(Stage::Exec) => {
            let path = program.path.to_string_lossy();
            let interpreter =
                (errno == Errno::ENOENT).then(|| program::interpreter(Path::new(&*path))).flatten();
            match interpreter.filter(|named| !program.cwd_shown.join(named).exists()) {
                Some(missing) => format!("{path}: its interpreter {missing} is missing: {cause}"),
                None => format!("{path}: {cause}"),
            }
        }
    })
}

/// Where a child failed on its way to the program; travels through the pipe with the errno.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
enum Stage {
    Group = 1,
    Terminal,
    Generation,
    Isolation,
    Folder,
    Exec,
}

impl Stage {
    const ALL: [Stage; 6] =
        [Stage::Group, Stage::Terminal, Stage::Generation, Stage::Isolation, Stage::Folder, Stage::Exec];
}

/// All the child needs, allocated before the fork.
struct Orders {
    argv: Vec<*const c_char>,
    shell_argv: Vec<*const c_char>,
    env: Vec<*const c_char>,
    slave: RawFd,
    stdin: RawFd,
    report: RawFd,
}

/// The array `execve` wants; it points into `words`, which must outlive it.
fn pointers(words: &[CString]) -> Vec<*const c_char> {
    words.iter().map(|word| word.as_ptr()).chain([ptr::null()]).collect()
}

fn become_agent(program: &Program, orders: &Orders) -> ! {
    let stage = attempt(program, orders);
    let errno = Errno::last_raw().to_ne_bytes();
    let report = [stage as u8, errno[0], errno[1], errno[2], errno[3]];
    // SAFETY: write and _exit are async-signal-safe; the buffer is on this stack.
    unsafe {
        libc::write(orders.report, report.as_ptr().cast(), report.len());
        libc::_exit(127)
    }
}

/// Returns only if something failed, with errno set.
fn attempt(program: &Program, orders: &Orders) -> Stage {
    // SAFETY: the calls below are async-signal-safe, and all pointers were made before the fork from
    // values that live until exec.
    unsafe {
        if libc::setpgid(0, 0) != 0 {
            return Stage::Group;
        }
        // SIGTTOU is still ignored here, as the keeper has it; from a background group it would stop us.
        if libc::tcsetpgrp(orders.slave, libc::getpid()) != 0 {
            return Stage::Terminal;
        }
        for (from, fd) in [(orders.stdin, 0), (orders.slave, 1), (orders.slave, 2)] {
            if libc::dup2(from, fd) < 0 {
                return Stage::Terminal;
            }
        }
        descriptors::close_on_exec();
        for signal in 1..=LAST_SIGNAL {
            libc::signal(signal, libc::SIG_DFL);
        }
        let mut none: libc::sigset_t = std::mem::zeroed();
        libc::sigemptyset(&raw mut none);
        libc::sigprocmask(libc::SIG_SETMASK, &raw const none, ptr::null_mut());
        if !generation::lower_for_good(program.generation) {
            return Stage::Generation;
        }
        if !program.isolation.enter() {
            return Stage::Isolation;
        }
        if let Some(mask) = program.umask {
            libc::umask(mask as libc::mode_t);
        }
        if libc::chdir(program.cwd.as_ptr()) != 0 {
            return Stage::Folder;
        }
        libc::execve(program.path.as_ptr(), orders.argv.as_ptr(), orders.env.as_ptr());
        if Errno::last() == Errno::ENOEXEC {
            libc::execve(c"/bin/sh".as_ptr(), orders.shell_argv.as_ptr(), orders.env.as_ptr());
        }
        Stage::Exec
    }
}
