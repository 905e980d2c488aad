//! Programs by what they do with the words behind them: run them, run them as somebody else, destroy a disk.
//!
//! `guard.rs` looks here for each command of a line. It decides nothing.

/// Programs that run the rest of their words, and words of the shell's that a command stands behind.
pub const WRAPPERS: [&str; 35] = [
    "env",
    "command",
    "exec",
    "builtin",
    "nohup",
    "time",
    "nice",
    "ionice",
    "timeout",
    "xargs",
    "setsid",
    "stdbuf",
    "watch",
    "then",
    "do",
    "else",
    "if",
    "elif",
    "while",
    "until",
    "!",
    "{",
    "coproc",
    "busybox",
    "toybox",
    "linux32",
    "linux64",
    "setarch",
    "i386",
    "x86_64",
    "chrt",
    "taskset",
    "unbuffer",
    "noglob",
    "nocorrect",
];
/// Their options that take the next word.
pub const VALUED: [(&str, &str); 9] = [
    ("env", "-u -C"),
    ("exec", "-a"),
    ("ionice", "-c -n"),
    ("nice", "-n"),
    ("stdbuf", "-i -o -e"),
    ("time", "-o -f"),
    ("timeout", "-s -k"),
    ("watch", "-n"),
    ("xargs", "-a -I -d -E -L -n -P -s"),
];
/// Programs that are given a line to run.
pub const SHELLS: [&str; 7] = ["sh", "bash", "zsh", "dash", "fish", "ksh", "eval"];
/// Programs by which another user acts.
pub const ADMINS: [&str; 9] =
    ["sudo", "sudoedit", "doas", "su", "pkexec", "runas", "runuser", "run0", "chroot"];
/// Programs that run a script, or what they are fed.
pub const INTERPRETERS: [&str; 6] = ["python", "perl", "ruby", "node", "php", "deno"];
/// Programs that run another one behind options and names of their own, which are not told apart here.
pub const STARTERS: [&str; 16] = [
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
    "alias",
];
/// Programs that can destroy a disk or stop the machine.
pub const DISKS: &str = "mkfs fdisk sfdisk parted wipefs shutdown reboot halt poweroff shred srm mkswap blkdiscard diskutil cryptsetup";
