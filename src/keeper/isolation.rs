//! What keeps an agent from other agents, from counsel and from its user's files: `isolate`.
//!
//! The keeper prepares it, so that a mistake is told in words, and its child enters it just before it executes
//! the agent. What each level keeps and does not keep is written in docs/security.md.

use std::collections::BTreeSet;
use std::ffi::CString;
use std::fs;
use std::os::fd::OwnedFd;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

use nix::libc;
use nix::unistd::{User, geteuid, getgrouplist};

use crate::core::agent::Isolate;
use crate::os::keeper_link::KeeperSpec;
use crate::os::{landlock, links, paths, program, syscall_filter};

/// What the child enters.
#[derive(Debug)]
pub struct Prepared {
    /// The program and its arguments, behind whatever makes its namespaces.
    pub argv: Vec<String>,
    /// The namespaces are made by a program of the system, which must not be loaded with the agent's libraries.
    by_another: bool,
    no_new_privs: bool,
    landlock: Option<OwnedFd>,
    user: Option<Ids>,
    filtered: bool,
}

#[derive(Debug)]
struct Ids {
    uid: libc::uid_t,
    gid: libc::gid_t,
    groups: Vec<libc::gid_t>,
    name: String,
    home: String,
}

/// Everything that can fail, before the agent exists.
pub fn prepare(spec: &KeeperSpec) -> Result<Prepared, String> {
    let isolation = &spec.isolation;
    let root = geteuid().is_root();
    let level = isolation.level;
    let ruleset = match level {
        Isolate::Landlock => {
            let ruleset = landlock::prepare(&hidden(spec));
            Some(ruleset.map_err(|why| format!("isolate = \"landlock\": {why}"))?)
        }
        // The network is shared, and with it the sockets that have a name but no file. An old kernel keeps them open.
        Isolate::Namespace => landlock::scopes().ok(),
        Isolate::None | Isolate::Uid => None,
    };
    let user = if level == Isolate::Uid { Some(ids(isolation.user.as_deref())?) } else { None };
    let argv = if level == Isolate::Namespace { in_namespaces(spec)? } else { spec.argv.clone() };
    // Without it only root may install a filter, and with it sudo does not work.
    let no_new_privs = matches!(level, Isolate::Landlock | Isolate::Namespace);
    let by_another = level == Isolate::Namespace;
    Ok(Prepared { argv, by_another, no_new_privs, landlock: ruleset, user, filtered: no_new_privs || root })
}

fn ids(user: Option<&str>) -> Result<Ids, String> {
    let name = user.ok_or("isolate = \"uid\" wants user = \"NAME\" beside it")?;
    if !geteuid().is_root() {
        return Err(format!(
            "isolate = \"uid\" works for a server of root; start the agent by wrap = [\"sudo\", \"-u\", \"{name}\"]"
        ));
    }
    let user = User::from_name(name).map_err(|e| format!("the user {name}: {}", e.desc()))?;
    let user = user.ok_or_else(|| format!("there is no user '{name}'"))?;
    if user.uid.is_root() {
        return Err(format!("isolate = \"uid\" wants another user than root, and '{name}' is root"));
    }
    let word = CString::new(name).map_err(|_| "a user's name holds no zero byte".to_owned())?;
    let groups = getgrouplist(&word, user.gid).map_err(|e| format!("the groups of {name}: {}", e.desc()))?;
    let groups = groups.into_iter().map(libc::gid_t::from).collect();
    let home = user.dir.to_string_lossy().into_owned();
    Ok(Ids { uid: user.uid.as_raw(), gid: user.gid.as_raw(), groups, name: user.name, home })
}

/// What the agent has no business in, with what of the user's own the links in there lead to.
fn hidden(spec: &KeeperSpec) -> Vec<PathBuf> {
    let named = &spec.isolation.hide;
    let home = std::env::var_os("HOME").map(|home| links::resolved(Path::new(&home)));
    let below_home = |path: &Path| home.as_ref().is_some_and(|home| path != home && path.starts_with(home));
    let cwd = links::resolved(Path::new(&spec.cwd));
    let behind = named.iter().flat_map(|path| links::out_of(&links::resolved(path)));
    // The rest of the machine, and where the agent works, are its own to see wherever a link leads.
    let behind = behind.filter(|path| below_home(path) && !cwd.starts_with(path));
    named.iter().cloned().chain(behind).collect()
}

/// The same command below bubblewrap: own users, processes, devices and terminals, and nothing there of what would
/// start a program outside for whoever asks.
fn in_namespaces(spec: &KeeperSpec) -> Result<Vec<String>, String> {
    let bwrap = program::find("bwrap", program::DEFAULT_PATH, Path::new("/")).map_err(|_| {
        "isolate = \"namespace\" needs bubblewrap: install it, or write \"landlock\"".to_owned()
    })?;
    let mut argv = vec![bwrap.to_string_lossy().into_owned()];
    argv.extend(["--unshare-user", "--unshare-pid", "--unshare-ipc"].map(str::to_owned));
    argv.extend(["--cap-drop", "ALL", "--die-with-parent", "--bind", "/", "/"].map(str::to_owned));
    argv.extend(["--dev", "/dev", "--proc", "/proc"].map(str::to_owned));
    for path in settings() {
        argv.extend(["--ro-bind-try", path, path].map(str::to_owned));
    }
    let hidden: Vec<PathBuf> = hidden(spec).iter().map(|path| links::resolved(path)).collect();
    let (files, folders): (Vec<&PathBuf>, Vec<&PathBuf>) =
        hidden.iter().partition(|path| path.exists() && !path.is_dir());
    // One that is not there yet is made, or the agent could make it; those above it have to be there to be kept.
    for folder in &folders {
        paths::create_private(folder).map_err(|e| {
            format!("isolate = \"namespace\": the folder {} cannot be made: {e}", folder.display())
        })?;
    }
    let doors = doors();
    let word = |path: &&PathBuf| path.to_string_lossy().into_owned();
    for folder in above(doors.iter().chain(&hidden)) {
        let folder = folder.to_string_lossy().into_owned();
        argv.extend(["--bind".to_owned(), folder.clone(), folder]);
    }
    for folder in doors.iter().chain(folders.iter().copied()) {
        argv.extend(["--tmpfs".to_owned(), word(&folder)]);
    }
    if let Some(folder) = spec.isolation.show.as_ref().map(|path| links::resolved(path)) {
        argv.extend(["--ro-bind".to_owned(), word(&&folder), word(&&folder)]);
    }
    for file in files {
        argv.extend(["--ro-bind".to_owned(), "/dev/null".to_owned(), word(&file)]);
    }
    // What an agent writes there would be gone without a word.
    argv.extend(folders.iter().flat_map(|folder| ["--remount-ro".to_owned(), word(folder)]));
    for (name, value) in spec.env.iter().filter(|(name, _)| steers_the_loader(name)) {
        argv.extend(["--setenv".to_owned(), name.clone(), value.clone()]);
    }
    argv.extend(["--chdir".to_owned(), spec.cwd.clone(), "--".to_owned()]);
    argv.extend(spec.argv.iter().cloned());
    Ok(argv)
}

/// Where the kernel is set, for all of the machine: what a crash starts, what ends a whole control group. Its own user namespace
/// keeps root's agent from none of it, since root is the same user inside and out. bubblewrap covers some of these itself where the
/// folder can be written to, which `/proc/sys` never can. Others may write to none of `/proc`, and could make no `/proc` of their own
/// in a namespace below where a part of this one is covered, as agents' own sandboxes do.
fn settings() -> &'static [&'static str] {
    let all = &[
        "/sys",
        "/proc/sys",
        "/proc/sysrq-trigger",
        "/proc/irq",
        "/proc/bus",
        "/proc/fs",
        "/proc/acpi",
        "/proc/mtrr",
    ];
    if geteuid().is_root() { all } else { &all[..1] }
}

/// Whether a variable says which code a program is loaded with. bubblewrap itself is run outside of what it makes: a library that the
/// agent wrote would be too. These are the ones that the C library takes from no program with more rights than its caller.
fn steers_the_loader(name: &str) -> bool {
    const OTHERS: [&str; 9] = [
        "GCONV_PATH",
        "GETCONF_DIR",
        "GLIBC_TUNABLES",
        "HOSTALIASES",
        "LOCALDOMAIN",
        "LOCPATH",
        "MALLOC_TRACE",
        "NLSPATH",
        "RESOLV_HOST_CONF",
    ];
    name.starts_with("LD_") || OTHERS.contains(&name)
}

/// The folders above these, outermost first. Each becomes a mount point, which cannot be renamed: moved aside, it
/// would take along what covers these, and leave their place to whoever makes them anew.
fn above<'a>(covered: impl Iterator<Item = &'a PathBuf>) -> BTreeSet<&'a Path> {
    // The agent's own, made before: the machine's would come back over them.
    let own = |folder: &Path| folder.starts_with("/dev") || folder.starts_with("/proc");
    let above = covered.flat_map(|path| path.ancestors().skip(1));
    above.filter(|folder| folder.parent().is_some() && !own(folder)).collect()
}

/// Folders with sockets of programs that type or start something for any process of their user: tmux, screen, zellij,
/// Emacs, the session's bus and service manager, the display.
fn doors() -> Vec<PathBuf> {
    let uid = geteuid();
    let named = |name| std::env::var_os(name).map(PathBuf::from);
    let tmux = [Some(PathBuf::from("/tmp")), named("TMUX_TMPDIR")];
    let tmux = tmux.map(|folder| Some(folder?.join(format!("tmux-{uid}"))));
    for folder in tmux.iter().flatten() {
        // As tmux does before its first server: an agent that made it would be the server of the person's next tmux.
        // What the user may not make there, an agent may not either.
        let _ = fs::DirBuilder::new().mode(0o700).create(folder);
    }
    let [default, other] = tmux;
    // Where they lie without XDG_RUNTIME_DIR, as far as they are there. screen has its folder by name.
    let name = User::from_uid(uid).ok().flatten().map(|user| user.name).unwrap_or_default();
    let screen = ["/run/screen", "/var/run/screens", "/tmp/screens", "/tmp/uscreens"];
    let screen = screen.map(|folder| (!name.is_empty()).then(|| Path::new(folder).join(format!("S-{name}"))));
    let own =
        [format!("/tmp/zellij-{uid}"), format!("/tmp/emacs{uid}")].map(|path| Some(PathBuf::from(path)));
    let hidden = screen.into_iter().chain(own);
    let all = [
        default,
        other,
        named("SCREENDIR"),
        named("ZELLIJ_SOCKET_DIR"),
        named("XDG_RUNTIME_DIR"),
        Some(PathBuf::from(format!("/run/user/{uid}"))),
        Some(PathBuf::from("/tmp/.X11-unix")),
    ];
    let all = all.into_iter().chain(hidden).flatten().map(|folder| links::resolved(&folder));
    all.filter(|folder| folder.is_dir()).collect()
}

impl Prepared {
    /// Enters it for good. Makes async-signal-safe calls only; `errno` says why it could not.
    pub fn enter(&self) -> bool {
        if self.no_new_privs && !landlock::no_new_privs() {
            return false;
        }
        if self.filtered && !syscall_filter::install() {
            return false;
        }
        // SAFETY: each call changes this process alone; the list of groups was made before the fork.
        let taken = self.user.as_ref().is_none_or(|ids| unsafe {
            libc::setgroups(ids.groups.len() as _, ids.groups.as_ptr()) == 0
                && libc::setgid(ids.gid) == 0
                && libc::setuid(ids.uid) == 0
        });
        taken && self.landlock.as_ref().is_none_or(landlock::enter)
    }

    /// Whether this variable of the agent's environment is there from the beginning.
    pub fn begins_with(&self, name: &str) -> bool {
        !(self.by_another && steers_the_loader(name))
    }

    /// What the agent's environment has to say of its user.
    pub fn variables(&self) -> Vec<(&'static str, String)> {
        let Some(ids) = &self.user else { return Vec::new() };
        vec![("HOME", ids.home.clone()), ("USER", ids.name.clone()), ("LOGNAME", ids.name.clone())]
    }

    /// Who the terminal has to belong to, so that the agent can open it by its name.
    pub fn owner(&self) -> Option<u32> {
        self.user.as_ref().map(|ids| ids.uid)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A mount on the outer folder would cover one that was made inside it before.
    #[test]
    fn what_leads_to_what_is_covered_is_mounted_from_the_outside_in() {
        let covered = ["/home/me/.local/state/counsel", "/home/me/.config/counsel", "/dev/shm/run", "/run"];
        let covered = covered.map(PathBuf::from);
        let above: Vec<&str> = above(covered.iter()).into_iter().map(|path| path.to_str().unwrap()).collect();
        let want = ["/home", "/home/me", "/home/me/.config", "/home/me/.local", "/home/me/.local/state"];
        assert_eq!(above, want);
    }

    /// `LD_LIBRARY_PATH` of an agent was bubblewrap's too, which runs outside: a library the agent had written there was loaded
    /// before there was any namespace.
    #[test]
    fn what_makes_the_namespaces_is_not_loaded_with_the_agents_libraries() {
        let prepared = |by_another| Prepared {
            argv: Vec::new(),
            by_another,
            no_new_privs: true,
            landlock: None,
            user: None,
            filtered: true,
        };
        for name in ["LD_PRELOAD", "LD_LIBRARY_PATH", "LD_AUDIT", "GCONV_PATH", "GLIBC_TUNABLES"] {
            assert!(!prepared(true).begins_with(name) && prepared(false).begins_with(name), "{name}");
        }
        assert!(["PATH", "HOME", "COUNSEL_TOKEN"].iter().all(|name| prepared(true).begins_with(name)));
    }
}
