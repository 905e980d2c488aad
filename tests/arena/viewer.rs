//! A person's terminal with a dashboard or an attached agent in it, to be killed and opened again.

use std::fs::File;
use std::io::Read;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;

/// A program on a terminal that somebody looks at.
pub struct Viewer {
    exe: PathBuf,
    args: Vec<String>,
    child: Child,
}

impl Viewer {
    pub fn open(exe: &Path, args: &[&str]) -> Viewer {
        let args = args.iter().map(|arg| (*arg).to_owned()).collect();
        let child = start(exe, &args);
        Viewer { exe: exe.to_owned(), args, child }
    }

    /// SIGKILL, and another one in its place.
    pub fn kill_and_open(&mut self) {
        self.end();
        self.child = start(&self.exe, &self.args);
    }

    fn end(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Drop for Viewer {
    fn drop(&mut self) {
        self.end();
    }
}

fn start(exe: &Path, args: &Vec<String>) -> Child {
    let size = nix::pty::Winsize { ws_row: 40, ws_col: 140, ws_xpixel: 0, ws_ypixel: 0 };
    let pty = nix::pty::openpty(Some(&size), None).unwrap();
    let slave = || Stdio::from(pty.slave.try_clone().unwrap());
    let mut command = Command::new(exe);
    command.args(args).stdin(slave()).stdout(slave()).stderr(slave());
    command.env("TERM", "xterm-256color").current_dir(exe.parent().unwrap());
    // SAFETY: both calls are async-signal-safe.
    unsafe {
        command.pre_exec(|| {
            nix::unistd::setsid()?;
            if nix::libc::ioctl(0, nix::libc::TIOCSCTTY, 0) < 0 {
                return Err(std::io::Error::last_os_error());
            }
            Ok(())
        });
    }
    let child = command.spawn().unwrap();
    let mut master = File::from(pty.master);
    // Somebody has to look, or the program waits for its terminal; it ends with the program.
    thread::spawn(move || {
        let mut buffer = [0; 16 * 1024];
        while matches!(master.read(&mut buffer), Ok(1..)) {}
    });
    child
}
