//! Landlock: what the kernel keeps from an agent without another user and without namespaces.
//!
//! The keeper prepares it before the fork and its child enters it. Signals go to nobody outside, nobody's
//! memory, descriptors or environment outside can be had, and counsel's own folders cannot be opened. There
//! is no rule that takes away, only rules that give: everything beside the hidden folders is given, so new
//! files cannot be made directly in a folder that leads to one of them. What the kernel is set by is given to be read.

use std::fs;
use std::os::fd::{AsRawFd, OwnedFd};
use std::path::PathBuf;

use landlock::{
    ABI, Access, AccessFs, CompatLevel, Compatible, PathBeneath, PathFd, Ruleset, RulesetAttr,
    RulesetCreatedAttr, RulesetError, Scope, path_beneath_rules,
};
use nix::libc;
use nix::unistd::geteuid;

use super::links;

/// The first with scopes for signals: Linux 6.12. Less would not keep an agent from its keeper.
const NEEDED: ABI = ABI::V6;

/// Where the kernel is set. Root may name there the program that the next crash starts, outside of everything, and for whoever
/// owns a control group there is a file that ends all in it. Of `/proc` others than root write to what is their processes' only.
const SETTINGS: [&str; 2] = ["/proc", "/sys"];

/// A ruleset that gives everything but these folders, which must be absolute, and the kernel's settings to be read.
///
/// # Errors
/// The kernel has no Landlock, or an older one.
pub fn prepare(hidden: &[PathBuf]) -> Result<OwnedFd, String> {
    let needed = |error: RulesetError| format!("Landlock of Linux 6.12 or newer is needed: {error}");
    // A link that leads to one stays where it lies: the folder it is in gives no right to take it away.
    let over = hidden.iter().flat_map(|path| links::on_the_way(path));
    let hidden: Vec<PathBuf> = hidden.iter().map(|path| links::resolved(path)).chain(over).collect();
    let settings = SETTINGS.map(PathBuf::from);
    let beside: Vec<PathBuf> = hidden.iter().chain(&settings).cloned().collect();
    let access = AccessFs::from_all(NEEDED);
    let root = PathFd::new("/").map_err(|error| format!("/ cannot be opened: {error}"))?;
    let ruleset = Ruleset::default()
        .set_compatibility(CompatLevel::HardRequirement)
        .handle_access(access)
        .and_then(|ruleset| ruleset.scope(Scope::from_all(NEEDED)))
        .and_then(Ruleset::create)
        .map_err(needed)?
        .set_compatibility(CompatLevel::BestEffort)
        // Names may be seen everywhere: a folder that cannot be listed breaks every shell.
        .add_rule(PathBeneath::new(root, AccessFs::ReadDir))
        .and_then(|ruleset| ruleset.add_rules(path_beneath_rules(given(&beside), access)))
        .and_then(|ruleset| ruleset.add_rules(path_beneath_rules(settings, AccessFs::from_read(NEEDED))))
        .and_then(|ruleset| ruleset.add_rules(path_beneath_rules(of_processes(), access)))
        .map_err(needed)?;
    Option::<OwnedFd>::from(ruleset).ok_or_else(|| "this kernel has no Landlock".to_owned())
}

/// A ruleset that leaves files alone: no signals to anybody outside, and none of their sockets without a file.
/// What enters it may still mount.
///
/// # Errors
/// The kernel has no Landlock, or an older one.
pub fn scopes() -> Result<OwnedFd, String> {
    let ruleset = Ruleset::default()
        .set_compatibility(CompatLevel::HardRequirement)
        .scope(Scope::from_all(NEEDED))
        .and_then(Ruleset::create)
        .map_err(|error| format!("Landlock of Linux 6.12 or newer is needed: {error}"))?;
    Option::<OwnedFd>::from(ruleset).ok_or_else(|| "this kernel has no Landlock".to_owned())
}

/// Gives up for good what set-user-id programs would give, without which only root may enter anything here or
/// install a filter. Makes async-signal-safe calls only.
pub fn no_new_privs() -> bool {
    // SAFETY: it changes this process's own rights alone.
    unsafe { libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 }
}

/// Enters it for good; needs `no_new_privs`. Makes async-signal-safe calls only.
pub fn enter(ruleset: &OwnedFd) -> bool {
    // SAFETY: a plain system call on a descriptor that is open.
    unsafe { libc::syscall(libc::SYS_landlock_restrict_self, ruleset.as_raw_fd(), 0) == 0 }
}

/// `/proc`, as others than root may have it: the files of their own processes, and none of the machine's.
fn of_processes() -> Option<&'static str> {
    (!geteuid().is_root()).then_some("/proc")
}

/// Everything that leads to none of these.
fn given(hidden: &[PathBuf]) -> Vec<PathBuf> {
    let mut given = Vec::new();
    let mut folders = vec![PathBuf::from("/")];
    while let Some(folder) = folders.pop() {
        if !hidden.iter().any(|path| path.starts_with(&folder)) {
            given.push(folder);
            continue;
        }
        let Ok(entries) = fs::read_dir(&folder) else { continue };
        for entry in entries.flatten() {
            let path = entry.path();
            // What a link leads to has a name of its own.
            let link = entry.file_type().is_ok_and(|kind| kind.is_symlink());
            if !link && !hidden.contains(&path) {
                folders.push(path);
            }
        }
    }
    given
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn everything_beside_what_is_hidden_is_given() {
        let root = fs::canonicalize(tempfile::tempdir().unwrap().keep()).unwrap();
        for folder in ["home/me/.config/counsel", "home/me/.config/other", "home/me/src"] {
            fs::create_dir_all(root.join(folder)).unwrap();
        }
        std::os::unix::fs::symlink(root.join("home"), root.join("home/me/src/up")).unwrap();
        std::os::unix::fs::symlink(root.join("home/me"), root.join("link")).unwrap();
        fs::write(root.join("home/me/file"), "").unwrap();
        let hidden = [root.join("home/me/.config/counsel"), root.join("home/me/.state/counsel")];
        let mut inside: Vec<PathBuf> = given(&hidden)
            .iter()
            .filter_map(|path| path.strip_prefix(&root).ok().map(Path::to_path_buf))
            .collect();
        inside.sort();
        assert_eq!(inside, ["home/me/.config/other", "home/me/file", "home/me/src"].map(PathBuf::from));
        assert_eq!(given(&[]), [PathBuf::from("/")]);
        fs::remove_dir_all(root).unwrap();
    }
}
