//! What a stop could not end, as the server tells it and `stop` prints it.
//!
//! The keeper ends what runs below it. What a wrapper keeps for itself (a container's processes, the far
//! side of a connection) is not below it: that is told, never signalled.

use serde::{Deserialize, Serialize};

/// One agent that was stopped, and what is left of it.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Stopped {
    pub name: String,
    /// The exit code of one that had ended before: it only went off the list.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ended: Option<i32>,
    /// Its processes that did not go even by KILL.
    pub left: Vec<u32>,
    /// Processes that have its environment and run below somebody else: another program keeps them.
    pub kept: Vec<u32>,
    /// The program that ran it somewhere this machine's process table does not show.
    pub wrapper: Option<String>,
}

/// Programs whose own program runs below something else: a daemon, another machine.
const FAR: [&str; 14] = [
    "docker",
    "podman",
    "nerdctl",
    "lxc",
    "incus",
    "kubectl",
    "oc",
    "ssh",
    "mosh",
    "autossh",
    "machinectl",
    "systemd-run",
    "flatpak-spawn",
    "distrobox",
];

/// The first word of a wrapper or command that names such a program: the whole line counts, since one
/// wrapper may start another (`env A=b ssh box`).
pub fn far_wrapper(wrap: &[String], command: &[String]) -> Option<String> {
    let words = wrap.iter().chain(command.first());
    let mut names = words.map(|word| word.rsplit('/').next().unwrap_or(word));
    names.find(|name| FAR.contains(name)).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::far_wrapper;

    fn far(wrap: &str, command: &str) -> Option<String> {
        let words = |line: &str| line.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
        far_wrapper(&words(wrap), &words(command))
    }

    #[test]
    fn only_what_runs_elsewhere_is_far() {
        assert_eq!(far("/usr/bin/docker run -it image", "claude"), Some("docker".into()));
        assert_eq!(far("env A=b ssh -tt box", "claude"), Some("ssh".into()));
        assert_eq!(far("", "/usr/bin/ssh -tt box"), Some("ssh".into()));
        assert_eq!(far("unshare --pid --fork", "claude docker"), None);
        assert_eq!(far("", "claude ssh"), None);
    }
}
