//! Descriptors that a process has from whoever started it: a program that is started in turn gets none but the three.
//!
//! A client calls it in the child that becomes the server, a keeper in the one that becomes an agent. Between fork and exec: it
//! makes async-signal-safe calls only.

use nix::libc::{self, c_int};

/// Descriptors marked one by one on kernels without `close_range`.
const DESCRIPTORS: c_int = 1024;

/// Marks every descriptor but standard input, output and error to go on exec.
pub fn close_on_exec() {
    // SAFETY: only flags of descriptors change; unknown numbers are refused by the kernel.
    unsafe {
        #[cfg(target_os = "linux")]
        if libc::syscall(libc::SYS_close_range, 3, libc::c_uint::MAX, libc::CLOSE_RANGE_CLOEXEC) == 0 {
            return;
        }
        for fd in 3..DESCRIPTORS {
            libc::fcntl(fd, libc::F_SETFD, libc::FD_CLOEXEC);
        }
    }
}
