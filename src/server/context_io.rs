//! Files that go along with a question, and the secrets that must not.
//!
//! Run by the server's loop on a thread of its own for each question that is consulted about. A pattern
//! of a configuration is a path somebody wrote; what it leads to is looked at once it is open: a link out
//! of the agent's folder, a pipe, a device or a binary file is not told.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::Read;
use std::os::fd::AsRawFd;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::context_walk::{Allowance, Search};
use crate::core::log::variables;

/// Files one consultation may bring along.
const MAX_FILES: usize = 64;
/// Files looked at for one pattern, to find the newest.
const MAX_PATHS: usize = 5_000;
/// The most of one file, so that a single long one does not take the place of all others.
const FILE_BYTES: usize = 32 * 1024;
/// The most read of a `.env`: names and values, no program.
const ENV_BYTES: usize = 64 * 1024;

/// What was found.
#[derive(Debug, Default)]
pub struct Context {
    /// Name and text, the file changed last first.
    pub files: Vec<(String, String)>,
    /// Values from the `.env` files of the agent's folder.
    pub secrets: Vec<String>,
}

/// The files that match the patterns, as much of them as fits, and the folder's secrets.
pub fn read(cwd: &Path, patterns: &[String], max_bytes: usize) -> Context {
    let Ok(root) = cwd.canonicalize() else { return Context::default() };
    let searches: Vec<Search> = patterns.iter().filter_map(|pattern| Search::of(pattern, &root)).collect();
    let mut allowance = Allowance::begin();
    let mut found: BTreeMap<PathBuf, (SystemTime, &Path)> = BTreeMap::new();
    for search in &searches {
        for path in search.paths(&mut allowance).take(MAX_PATHS) {
            if let Some((changed, real, _)) = open(&path, &search.within) {
                found.entry(real).or_insert((changed, search.within.as_path()));
            }
        }
    }
    let mut found: Vec<_> = found.into_iter().collect();
    found.sort_by_key(|(_, (changed, _))| Reverse(*changed));
    let mut left = max_bytes;
    let mut files = Vec::new();
    let opened = found.iter().filter_map(|(path, (_, within))| open(path, within));
    let opened = opened.filter(|(_, path, file)| is_nowhere_else(file, path));
    for (_, path, file) in opened.take(MAX_FILES) {
        let Some(text) = text_of(file, left.min(FILE_BYTES)) else { continue };
        left -= text.len();
        let name = path.strip_prefix(&root).unwrap_or(&path).to_string_lossy().into_owned();
        files.push((name, if is_env(&path) { variables::names_only(&text) } else { text }));
        if left == 0 {
            break;
        }
    }
    Context { files, secrets: env_secrets(&root) }
}

/// A regular file that really lies in `root`, its own place, and when it was last changed. The place is
/// asked of the open file: a link may have been put there since it was looked at.
fn open(path: &Path, root: &Path) -> Option<(SystemTime, PathBuf, File)> {
    // Not to wait for the other end of a pipe.
    let flags = nix::libc::O_NONBLOCK | nix::libc::O_NOCTTY;
    let file = OpenOptions::new().read(true).custom_flags(flags).open(path).ok()?;
    let data = file.metadata().ok().filter(std::fs::Metadata::is_file)?;
    let link = PathBuf::from(format!("/proc/self/fd/{}", file.as_raw_fd()));
    let real = std::fs::read_link(link).or_else(|_| path.canonicalize()).ok()?;
    if !real.starts_with(root) {
        tracing::warn!(path = %path.display(), "a context file leads out of its folder and is not told");
        return None;
    }
    Some((data.modified().unwrap_or(std::time::UNIX_EPOCH), real, file))
}

/// Whether this is the file's only name. A hard link to a file elsewhere lies in the folder like any other, and
/// nothing tells where its other names are.
fn is_nowhere_else(file: &File, path: &Path) -> bool {
    let single = file.metadata().is_ok_and(|data| data.nlink() == 1);
    if !single {
        tracing::warn!(path = %path.display(), "a context file has another name (a hard link) and is not told; copy it");
    }
    single
}

/// The beginning of a text; nothing of what is no text. What the limit cuts goes to its last whole line, or word: half
/// a secret looks like none.
fn text_of(file: File, max_bytes: usize) -> Option<String> {
    let mut bytes = Vec::new();
    // One more, to know whether it was all.
    file.take(max_bytes as u64 + 1).read_to_end(&mut bytes).ok()?;
    if bytes.contains(&0) {
        return None;
    }
    let mut text = String::from_utf8_lossy(&bytes).into_owned();
    // Replacement characters are longer than what they replace.
    if bytes.len() > max_bytes || text.len() > max_bytes {
        text.truncate(text.floor_char_boundary(max_bytes));
        let whole = text.rfind('\n').or_else(|| text.rfind(char::is_whitespace));
        text.truncate(whole.map_or(0, |at| text.ceil_char_boundary(at + 1)));
    }
    Some(text)
}

fn is_env(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    name.starts_with(".env") || name.ends_with(".env")
}

/// The secrets of the `.env` files of a folder.
pub fn env_secrets(root: &Path) -> Vec<String> {
    let Ok(entries) = std::fs::read_dir(root) else { return Vec::new() };
    let files = entries.flatten().map(|entry| entry.path()).filter(|path| is_env(path));
    let texts = files.take(MAX_FILES).filter_map(|path| text_of(open(&path, root)?.2, ENV_BYTES));
    texts.flat_map(|text| variables::secrets(&text)).collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
    use super::*;
    use std::fs;
    use std::os::unix::fs::symlink;

    fn names(found: &Context) -> Vec<&str> {
        found.files.iter().map(|(name, _)| name.as_str()).collect()
    }

    fn patterns(patterns: &[&str]) -> Vec<String> {
        patterns.iter().map(|pattern| (*pattern).to_owned()).collect()
    }

    #[test]
    fn nothing_outside_the_folder_is_told() {
        let top = tempfile::tempdir().unwrap();
        let (cwd, out) = (top.path().join("a[1]"), top.path().join("out"));
        fs::create_dir_all(cwd.join("docs")).unwrap();
        fs::create_dir_all(&out).unwrap();
        fs::write(out.join("secret.md"), "secret").unwrap();
        fs::write(cwd.join("docs/real.md"), "real").unwrap();
        symlink(out.join("secret.md"), cwd.join("docs/file.md")).unwrap();
        symlink(&out, cwd.join("docs/folder")).unwrap();
        symlink(cwd.join("docs/real.md"), cwd.join("docs/within.md")).unwrap();
        nix::unistd::mkfifo(&cwd.join("docs/pipe.md"), nix::sys::stat::Mode::S_IRWXU).unwrap();
        fs::write(cwd.join("docs/binary.md"), [1, 0, 2]).unwrap();
        let all = patterns(&["docs/*.md", "docs/*/*.md", "../out/*.md", "**/*.md"]);
        assert_eq!(names(&read(&cwd, &all, 1000)), ["docs/real.md"]);
        let named = patterns(&[&format!("{}/*.md", out.display())]);
        let found = read(&cwd, &named, 1000);
        assert_eq!((found.files.len(), found.files[0].1.as_str()), (1, "secret"));
    }

    /// A hard link to a file elsewhere lay in the folder like any other file, and was told.
    #[test]
    fn a_file_that_has_another_name_is_not_told() {
        let top = tempfile::tempdir().unwrap();
        let (cwd, out) = (top.path().join("cwd"), top.path().join("out"));
        fs::create_dir(&cwd).unwrap();
        fs::create_dir(&out).unwrap();
        fs::write(out.join("id_rsa"), "secret").unwrap();
        fs::hard_link(out.join("id_rsa"), cwd.join("notes.md")).unwrap();
        fs::write(cwd.join("plan.md"), "plan").unwrap();
        assert_eq!(names(&read(&cwd, &patterns(&["*.md"]), 1000)), ["plan.md"]);
        // What must not be told is known all the same.
        fs::write(out.join("env"), "A_TOKEN=red-house-8\n").unwrap();
        fs::hard_link(out.join("env"), cwd.join(".env")).unwrap();
        assert_eq!(read(&cwd, &patterns(&["*"]), 1000).secrets, ["red-house-8"]);
    }

    /// A token whose end fell on the limit was no token any more, and its beginning was told.
    #[test]
    fn what_the_limit_cuts_ends_with_a_whole_line() {
        let top = tempfile::tempdir().unwrap();
        let token = format!("ghp_{}", "a1B2".repeat(9));
        fs::write(top.path().join("a.md"), format!("plan\nuse {token} there\n")).unwrap();
        for limit in 1..60 {
            let found = read(top.path(), &patterns(&["*.md"]), limit);
            let told = found.files.first().map_or("", |(_, text)| text.as_str());
            let whole = ["", "plan\n"].contains(&told) || told.contains(&token);
            assert!(whole && told.len() <= limit, "{limit}: {told:?}");
        }
        fs::write(top.path().join("a.md"), format!("use {token}")).unwrap();
        assert_eq!(read(top.path(), &patterns(&["*.md"]), 20).files[0].1, "use ");
        fs::write(top.path().join("a.md"), &token).unwrap();
        assert_eq!(read(top.path(), &patterns(&["*.md"]), 20).files[0].1, "");
    }

    #[test]
    fn env_files_are_read_as_their_readers_do() {
        let top = tempfile::tempdir().unwrap();
        for (line, secret) in [
            ("A_TOKEN = red-house-8", "red-house-8"),
            ("export\tA_TOKEN=red-house-8", "red-house-8"),
            ("declare -x A_TOKEN=\"red-house-8\"", "red-house-8"),
            ("A_TOKEN: red-house-8", "red-house-8"),
            ("A_TOKEN=red-house-8\t# old", "red-house-8"),
            ("A_TOKEN=`red-house-8`", "red-house-8"),
            ("A_TOKEN=\"red \\\"house\\\" 8\"", "red \\\"house\\\" 8"),
            ("A_TOKEN=red-house-8\r", "red-house-8"),
            ("DATABASE_URL=postgres://me:red-house@db/shop", "red-house"),
            ("DATABASE_URL='postgres://me:red@ho/use@db/shop'", "red@ho/use"),
        ] {
            fs::write(top.path().join(".env"), format!("{line}\n")).unwrap();
            assert_eq!(read(top.path(), &[], 1000).secrets, [secret], "{line}");
        }
        for line in ["# A_TOKEN=red-house-8", "see https://shop.example for A_TOKEN"] {
            fs::write(top.path().join(".env"), format!("{line}\n")).unwrap();
            assert!(read(top.path(), &[], 1000).secrets.is_empty(), "{line}");
        }
    }

    #[test]
    fn the_newest_comes_first_and_none_takes_all_the_room() {
        let top = tempfile::tempdir().unwrap();
        let old = SystemTime::now() - std::time::Duration::from_secs(1000);
        fs::write(top.path().join("old.md"), "x\n".repeat(50)).unwrap();
        File::open(top.path().join("old.md")).unwrap().set_modified(old).unwrap();
        fs::write(top.path().join("new.md"), "ü\n".repeat(FILE_BYTES)).unwrap();
        let found = read(top.path(), &patterns(&["*.md"]), 48 * 1024);
        assert_eq!(names(&found), ["new.md", "old.md"]);
        assert_eq!((found.files[0].1.len(), found.files[1].1.len()), (FILE_BYTES / 3 * 3, 100));
        let small = read(top.path(), &patterns(&["*.md"]), 52);
        assert_eq!((names(&small).len(), small.files[0].1.len()), (2, 51));
    }

    #[test]
    fn the_values_of_an_env_file_are_known_and_not_told() {
        let top = tempfile::tempdir().unwrap();
        let text = "# c\nexport SHOP_PAT=\"blue-house-9\" # \"old\"\nA_KEY=red-house-8  # c\nB_KEY='a #house'\nDEBUG=1\n";
        fs::write(top.path().join(".env.local"), text).unwrap();
        let found = read(top.path(), &patterns(&[".env*"]), 1000);
        assert_eq!(found.secrets, ["blue-house-9", "red-house-8", "a #house"]);
        let text = &found.files[0].1;
        assert!(text.contains("SHOP_PAT=") && !text.contains("blue") && !text.contains("=1"), "{text}");
    }
}
