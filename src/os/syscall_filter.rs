//! What the kernel refuses to an agent's processes by the number of the call.
//!
//! `TIOCSTI` puts a byte into a terminal's input, and `TIOCLINUX` pastes on a console: a child in the background
//! could answer the dialog its parent shows, which is the agent answering itself. `TIOCSETD` gives a terminal another line
//! discipline, and what its program prints then is lost, a request for consent too: only what makes a network interface or
//! a device's line of a terminal needs it (`pppd`, `slattach`, `ldattach`, `hciattach`, `slcand`), mostly as root.
//! `prlimit64` takes another process's descriptors or its time on the processor away, and so ends keepers and servers
//! that no signal may reach. The keeper's child installs this filter before it executes the agent; it cannot be taken
//! off, and every other call passes.

#[cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]
mod filter {
    use nix::libc::{self, sock_filter, sock_fprog};

    /// `AUDIT_ARCH_*` of linux/audit.h, and the numbers of `ioctl` and `prlimit64` there: for this machine's programs and
    /// those of another word size. The 32-bit pointers of x32 are a bit in this machine's own numbers.
    #[cfg(target_arch = "x86_64")]
    const NATIVE: [u32; 3] = [0xc000_003e, 16, 302];
    #[cfg(target_arch = "x86_64")]
    const X32: [u32; 2] = [0x4000_0000 | 514, 0x4000_0000 | 302];
    #[cfg(target_arch = "x86_64")]
    const OTHER: [u32; 3] = [0x4000_0003, 54, 340];
    #[cfg(target_arch = "aarch64")]
    const NATIVE: [u32; 3] = [0xc000_00b7, 29, 261];
    #[cfg(target_arch = "aarch64")]
    const X32: [u32; 2] = [29, 261];
    #[cfg(target_arch = "aarch64")]
    const OTHER: [u32; 3] = [0x4000_0028, 54, 369];

    const TIOCSTI: u32 = 0x5412;
    const TIOCLINUX: u32 = 0x541c;
    const TIOCSETD: u32 = 0x5423;
    /// Offsets in `struct seccomp_data`: the number of the call, the architecture, the lower halves of the first and the
    /// second argument, both halves of the third. Of an ioctl's request and of a pid the kernel looks at no more than
    /// the lower half.
    const NUMBER: u32 = 0;
    const ARCHITECTURE: u32 = 4;
    const PID: u32 = 16;
    const REQUEST: u32 = 24;
    const NEW_LIMIT: [u32; 2] = [32, 36];
    /// `SECCOMP_RET_ALLOW`, and `SECCOMP_RET_ERRNO` with EPERM.
    const ALLOW: u32 = 0x7fff_0000;
    const REFUSE: u32 = 0x0005_0001;

    /// `BPF_LD | BPF_W | BPF_ABS`, `BPF_JMP | BPF_JEQ | BPF_K` and `BPF_RET | BPF_K`.
    const fn load(offset: u32) -> sock_filter {
        sock_filter { code: 0x20, jt: 0, jf: 0, k: offset }
    }
    const fn equal(value: u32, then: u8, otherwise: u8) -> sock_filter {
        sock_filter { code: 0x15, jt: then, jf: otherwise, k: value }
    }
    const fn end(value: u32) -> sock_filter {
        sock_filter { code: 0x06, jt: 0, jf: 0, k: value }
    }

    /// Jumps count from the instruction that follows.
    static PROGRAM: [sock_filter; 26] = [
        load(ARCHITECTURE),
        equal(NATIVE[0], 0, 6),
        load(NUMBER),
        equal(NATIVE[1], 9, 0),
        equal(X32[0], 8, 0),
        equal(NATIVE[2], 12, 0),
        equal(X32[1], 11, 0),
        end(ALLOW),
        equal(OTHER[0], 0, 8),
        load(NUMBER),
        equal(OTHER[1], 2, 0),
        equal(OTHER[2], 6, 0),
        end(ALLOW),
        // ioctl
        load(REQUEST),
        equal(TIOCSTI, 10, 0),
        equal(TIOCLINUX, 9, 0),
        equal(TIOCSETD, 8, 0),
        end(ALLOW),
        // prlimit64: its own limits are a process's own matter, and anybody's may be read.
        load(PID),
        equal(0, 4, 0),
        load(NEW_LIMIT[0]),
        equal(0, 0, 3),
        load(NEW_LIMIT[1]),
        equal(0, 0, 1),
        end(ALLOW),
        end(REFUSE),
    ];

    /// Installs it for this process and all it will start; needs `no_new_privs` or root. Makes
    /// async-signal-safe calls only.
    pub fn install() -> bool {
        let length = u16::try_from(PROGRAM.len()).unwrap_or_default();
        let program = sock_fprog { len: length, filter: PROGRAM.as_ptr().cast_mut() };
        // SAFETY: the kernel copies the program, which outlives the call, and writes nothing.
        unsafe { libc::prctl(libc::PR_SET_SECCOMP, libc::SECCOMP_MODE_FILTER, &raw const program) == 0 }
    }
}

#[cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]
pub use filter::install;

/// Other machines have no such call, or no filter of ours.
#[cfg(not(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64"))))]
pub fn install() -> bool {
    true
}
