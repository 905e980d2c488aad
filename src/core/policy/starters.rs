//! Programs by what they do with the words behind them: run them, run them as somebody else, destroy a disk.
//!
//! `guard.rs` looks here for each command of a line. It decides nothing.

/// Programs that run the rest of their words, and words of the shell's that a command stands behind.
pub const WRAPPERS: [&str; 25] = [
    "env", "command", "exec", "builtin", "nohup", "time", "nice", "ionice", "timeout", "xargs", "setsid",
    "stdbuf", "watch", "then", "do", "else", "if", "elif", "while", "until", "!", "{", "coproc", "busybox",
    "toybox",
];
/// Programs that are given a line to run.
pub const SHELLS: [&str; 7] = ["sh", "bash", "zsh", "dash", "fish", "ksh", "eval"];
/// Programs by which another user acts.
pub const ADMINS: [&str; 7] = ["sudo", "doas", "su", "pkexec", "runas", "runuser", "chroot"];
/// Programs that run another one behind options and names of their own, which are not told apart here.
pub const STARTERS: [&str; 15] = [
    "flock",
    "setpriv",
    "prlimit",
    "unshare",
    "nsenter",
    "systemd-run",
    "strace",
    "ltrace",
    "gdb",
    "parallel",
    "script",
    "bwrap",
    "firejail",
    "proot",
    "trap",
];
/// Programs that can destroy a disk or stop the machine.
pub const DISKS: &str = "mkfs fdisk sfdisk parted wipefs shutdown reboot halt poweroff shred srm mkswap blkdiscard diskutil cryptsetup";
