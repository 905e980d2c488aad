//! Symbolic links between a path as it is written and what it leads to.
//!
//! Who keeps a folder from an agent has to keep more than its name: what it really is, what links in it lead to, and the
//! links on the way, which an agent could have lead elsewhere. It only looks.

use std::collections::VecDeque;
use std::ffi::OsString;
use std::fs;
use std::path::{Component, Path, PathBuf};

/// As many as the kernel follows (`MAXSYMLINKS`).
const MOST: usize = 40;

/// A folder as the kernel knows it, also one that is not there yet.
pub fn resolved(path: &Path) -> PathBuf {
    let there = path.ancestors().find_map(|above| Some((above, fs::canonicalize(above).ok()?)));
    let Some((above, real)) = there else { return path.to_path_buf() };
    // Nothing joined to a file would make it a folder's name.
    match path.strip_prefix(above) {
        Ok(rest) if rest.as_os_str().is_empty() => real,
        Ok(rest) => real.join(rest),
        Err(_) => path.to_path_buf(),
    }
}

/// The links that an absolute path leads over, each by where it really lies.
pub fn on_the_way(path: &Path) -> Vec<PathBuf> {
    let (mut found, mut at) = (Vec::new(), PathBuf::from("/"));
    let mut rest = names(path);
    while let Some(name) = rest.pop_front() {
        if name == ".." {
            at.pop();
            continue;
        }
        let next = at.join(name);
        match fs::read_link(&next) {
            Ok(target) if found.len() < MOST => {
                found.push(next);
                if target.is_absolute() {
                    at = PathBuf::from("/");
                }
                let target = names(&target);
                target.into_iter().rev().for_each(|name| rest.push_front(name));
            }
            _ => at = next,
        }
    }
    found
}

/// The first link in a folder that a path leads over: one that is written for somebody who stands in the folder. How the folder
/// itself is come by is its owner's affair.
pub fn below(folder: &Path, path: &Path) -> Option<PathBuf> {
    let real = fs::canonicalize(folder).ok()?;
    let within = path.strip_prefix(folder).or_else(|_| path.strip_prefix(&real)).unwrap_or(path);
    on_the_way(&real.join(within)).into_iter().next()
}

fn names(path: &Path) -> VecDeque<OsString> {
    let name = |part: Component<'_>| match part {
        Component::Normal(name) => Some(name.to_owned()),
        Component::ParentDir => Some("..".into()),
        Component::RootDir | Component::CurDir | Component::Prefix(_) => None,
    };
    path.components().filter_map(name).collect()
}

/// What the links in a folder, and in its folders, lead to outside of it.
pub fn out_of(folder: &Path) -> Vec<PathBuf> {
    let (mut found, mut folders) = (Vec::new(), vec![folder.to_path_buf()]);
    while let Some(inner) = folders.pop() {
        for entry in fs::read_dir(inner).into_iter().flatten().flatten() {
            match entry.file_type() {
                Ok(kind) if kind.is_dir() => folders.push(entry.path()),
                Ok(kind) if kind.is_symlink() => found.extend(fs::canonicalize(entry.path()).ok()),
                _ => {}
            }
        }
    }
    found.retain(|target| !target.starts_with(folder));
    found
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn each_link_is_found_where_it_lies() {
        let folder = tempfile::tempdir().unwrap();
        let root = fs::canonicalize(folder.path()).unwrap();
        fs::create_dir_all(root.join("dots/config/counsel")).unwrap();
        fs::create_dir_all(root.join("home")).unwrap();
        symlink("../mine", root.join("home/.config")).unwrap();
        symlink(root.join("dots/config"), root.join("mine")).unwrap();
        symlink("../../file", root.join("dots/config/counsel/config.toml")).unwrap();
        symlink("nowhere", root.join("dots/config/counsel/dangling")).unwrap();
        fs::write(root.join("dots/file"), "").unwrap();
        let path = root.join("home/.config/counsel");
        assert_eq!(on_the_way(&path), [root.join("home/.config"), root.join("mine")]);
        assert_eq!(resolved(&path), root.join("dots/config/counsel"));
        assert_eq!(resolved(&path.join("new/one")), root.join("dots/config/counsel/new/one"));
        assert!(resolved(&root.join("home/../dots/file")).is_file(), "a file stays one");
        assert!(on_the_way(&root.join("dots/config")).is_empty());
        assert_eq!(out_of(&resolved(&path)), [root.join("dots/file")]);
        symlink("src", root.join("here")).unwrap();
        fs::create_dir_all(root.join("src")).unwrap();
        symlink("../dots", root.join("src/hk")).unwrap();
        let below = |folder: &str, path: &str| below(&root.join(folder), path.as_ref());
        assert_eq!(below("here", "hk/new/x"), Some(root.join("src/hk")));
        assert_eq!(below("here", "new/x"), None, "only the folder itself is come by over a link");
        let absolute = |path: &str| root.join(path).to_string_lossy().into_owned();
        assert_eq!(below("here", &absolute("here/x")), None);
        assert_eq!(below("here", &absolute("src/hk/x")), Some(root.join("src/hk")));
        assert_eq!(below("here", &absolute("home/.config/x")), Some(root.join("home/.config")));
        symlink("loop", root.join("loop")).unwrap();
        assert_eq!(on_the_way(&root.join("loop/x")).len(), MOST);
    }
}
