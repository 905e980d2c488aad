//! Listeners whose socket files were deleted: their programs run on, and no path leads to them any more.
//!
//! The command line looks here before it believes that nothing runs. Linux lists the sockets of all programs with the
//! path each was bound to; elsewhere nothing is found. It only looks.

use std::path::{Path, PathBuf};

/// Somebody who listens where nobody comes by.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unreachable {
    /// Where the socket was bound.
    pub path: PathBuf,
    /// `None`: another user's, or just ended.
    pub pid: Option<u32>,
}

/// All of them that were bound in this folder. `renamed`: a socket is bound under its name and this, and then renamed.
pub fn below(folder: &Path, renamed: &str) -> Vec<Unreachable> {
    let table = std::fs::read_to_string("/proc/net/unix").unwrap_or_default();
    let mut found: Vec<Unreachable> = table
        .lines()
        .filter_map(listener)
        .filter(|(_, path)| path.parent() == Some(folder) && !in_place(path, renamed))
        .map(|(inode, path)| Unreachable { path, pid: holder(&inode) })
        .collect();
    found.sort_by(|a, b| a.path.cmp(&b.path));
    found
}

/// Whether anybody listens who was bound in this folder.
pub fn listens_in(folder: &Path) -> bool {
    let table = std::fs::read_to_string("/proc/net/unix").unwrap_or_default();
    table.lines().filter_map(listener).any(|(_, path)| path.parent() == Some(folder))
}

/// Whether there is a file that may be this socket.
fn in_place(path: &Path, renamed: &str) -> bool {
    let text = path.to_string_lossy();
    path.exists() || text.strip_suffix(renamed).is_some_and(|final_path| Path::new(final_path).exists())
}

/// `Num: RefCount Protocol Flags Type St Inode Path`, as proc(5) has it; only sockets that accept connections.
fn listener(line: &str) -> Option<(String, PathBuf)> {
    const ACCEPTS: &str = "00010000";
    let mut rest = line;
    let mut fields = [""; 7];
    for field in &mut fields {
        rest = rest.trim_start();
        let end = rest.find(' ')?;
        (*field, rest) = rest.split_at(end);
    }
    let path = rest.strip_prefix(' ')?;
    (fields[3] == ACCEPTS && path.starts_with('/')).then(|| (fields[6].to_owned(), path.into()))
}

/// The process that has this socket open.
fn holder(inode: &str) -> Option<u32> {
    let wanted = format!("socket:[{inode}]");
    let holds = |pid: u32| {
        let open = std::fs::read_dir(format!("/proc/{pid}/fd")).into_iter().flatten().flatten();
        let mut to = open.filter_map(|fd| std::fs::read_link(fd.path()).ok());
        to.any(|to| to.as_os_str() == wanted.as_str())
    };
    let all = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    all.filter_map(|entry| entry.file_name().to_str()?.parse().ok()).find(|pid| holds(*pid))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::net::UnixListener;

    #[test]
    fn lines_of_listeners_are_read_with_blanks_in_their_paths() {
        let line = "0000000000000000: 00000002 00000000 00010000 0001 01 23456 /run/a b/counsel.sock.new";
        assert_eq!(listener(line), Some(("23456".into(), "/run/a b/counsel.sock.new".into())));
        for other in [
            "0000000000000000: 00000003 00000000 00000000 0001 03 23457 /run/counsel.sock.new",
            "0000000000000000: 00000002 00000000 00010000 0001 01 23458 @abstract",
            "0000000000000000: 00000002 00000000 00010000 0001 01 23459",
            "Num       RefCount Protocol Flags    Type St Inode Path",
            "",
        ] {
            assert_eq!(listener(other), None, "{other}");
        }
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn one_without_its_file_is_found_with_its_process() {
        let folder = tempfile::tempdir().unwrap();
        let [kept, deleted, renamed] = ["kept", "deleted", "name.new"].map(|name| folder.path().join(name));
        let _listeners = [&kept, &deleted, &renamed].map(|path| UnixListener::bind(path).unwrap());
        std::fs::rename(&renamed, folder.path().join("name")).unwrap();
        assert_eq!(below(folder.path(), ".new"), []);
        std::fs::remove_file(&deleted).unwrap();
        std::fs::remove_file(folder.path().join("name")).unwrap();
        let pid = Some(std::process::id());
        let found = [deleted, renamed].map(|path| Unreachable { path, pid });
        assert_eq!(below(folder.path(), ".new"), found);
        assert!(listens_in(folder.path()) && !listens_in(&folder.path().join("kept")));
    }
}
