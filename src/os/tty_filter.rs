//! Keeps an agent's processes from pressing keys in their own terminal.
//!
//! `TIOCSTI` puts a byte into a terminal's input, and `TIOCLINUX` pastes on a console: a child in the background
//! could answer the dialog its parent shows, which is the agent answering itself. The keeper's child installs
//! this filter before it executes the agent; it cannot be taken off, and every other call passes.

#[cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]
mod filter {
    use nix::libc::{self, sock_filter, sock_fprog};

    /// `AUDIT_ARCH_*` of linux/audit.h and the number of `ioctl` there, for this machine's programs, those of
    /// another word size, and the same once more with 32-bit pointers.
    #[cfg(target_arch = "x86_64")]
    const NATIVE: (u32, u32, u32) = (0xc000_003e, 16, 0x4000_0000 | 514);
    #[cfg(target_arch = "x86_64")]
    const OTHER: (u32, u32) = (0x4000_0003, 54);
    #[cfg(target_arch = "aarch64")]
    const NATIVE: (u32, u32, u32) = (0xc000_00b7, 29, 29);
    #[cfg(target_arch = "aarch64")]
    const OTHER: (u32, u32) = (0x4000_0028, 54);

    const TIOCSTI: u32 = 0x5412;
    const TIOCLINUX: u32 = 0x541c;
    /// Offsets in `struct seccomp_data`: the number of the call, the architecture, the lower half of the second
    /// argument. The kernel looks at no more of an ioctl's request than that half.
    const NUMBER: u32 = 0;
    const ARCHITECTURE: u32 = 4;
    const REQUEST: u32 = 24;
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
    static PROGRAM: [sock_filter; 14] = [
        load(ARCHITECTURE),
        equal(NATIVE.0, 0, 4),
        load(NUMBER),
        equal(NATIVE.1, 5, 0),
        equal(NATIVE.2, 4, 0),
        end(ALLOW),
        equal(OTHER.0, 0, 5),
        load(NUMBER),
        equal(OTHER.1, 0, 3),
        load(REQUEST),
        equal(TIOCSTI, 2, 0),
        equal(TIOCLINUX, 1, 0),
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
