//! Where counsel keeps its sockets, its state and its configuration, and that nobody else gets at them.
//!
//! Every start of the program asks here first. It creates folders and checks whose they are; it must
//! never repair a folder with anything in it that it did not create, for that folder may be the user's home or `/tmp` itself.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use super::{modes, regular_file, unreachable};

/// What `sun_path` holds on Linux (108) less the terminating zero. macOS has 104.
#[cfg(target_os = "linux")]
const SOCKET_PATH_MAX: usize = 107;
#[cfg(not(target_os = "linux"))]
const SOCKET_PATH_MAX: usize = 103;
/// `socket::bind` builds the socket under a name this much longer and renames it into place.
const SOCKET_SUFFIX: usize = ".new".len();

/// The server's socket in the runtime folder.
const SERVER_SOCKET: &str = "counsel.sock";

/// How an environment variable is looked up; a parameter so that tests need not change the process.
type Lookup<'a> = &'a dyn Fn(&str) -> Option<OsString>;

/// The folder of the sockets, created if need be, owned by this user, closed to all others.
pub fn runtime_dir() -> Result<PathBuf, String> {
    runtime_dir_in(&|name| std::env::var_os(name), &std::env::temp_dir())
}

/// The folder of the decision log, the recordings and the server's log; created and closed likewise.
pub fn state_dir() -> Result<PathBuf, String> {
    let dir = state_path(&|name| std::env::var_os(name))?;
    is_text(&dir, "COUNSEL_STATE_DIR")?;
    private_dir(&dir).map_err(|why| elsewhere(why, &dir, "COUNSEL_STATE_DIR"))?;
    Ok(dir)
}

/// The folder of the user's own configuration. It need not exist.
pub fn config_dir() -> Result<PathBuf, String> {
    let lookup: Lookup<'_> = &|name| std::env::var_os(name);
    match absolute(lookup, "XDG_CONFIG_HOME") {
        Some(base) => Ok(base.join("counsel")),
        None => Ok(home(lookup)?.join(".config/counsel")),
    }
}

/// The server's socket: the one the user named, else `counsel.sock` in the runtime folder.
pub fn socket_path(named: Option<&Path>) -> Result<PathBuf, String> {
    let path = match named {
        None => runtime_dir()?.join(SERVER_SOCKET),
        Some(path) => std::path::absolute(path)
            .map_err(|e| format!("the socket path {} cannot be made absolute: {e}", path.display()))?,
    };
    is_text(&path, "--socket or COUNSEL_RUNTIME_DIR")?;
    fits_socket(&path)?;
    Ok(path)
}

/// What counsel's processes tell each other is text, and they tell each other where things are.
fn is_text(path: &Path, by: &str) -> Result<(), String> {
    match path.to_str() {
        Some(_) => Ok(()),
        None => Err(format!("the path {} is no UTF-8 text; name another with {by}", path.display())),
    }
}

/// Where the server of this socket has its keepers: with the default socket, else in a folder of its own
/// beside it, so that two servers never take each other's agents.
pub fn keeper_dir(socket: &Path) -> Result<PathBuf, String> {
    let dir = keeper_place(socket);
    private_dir(&dir)?;
    Ok(dir)
}

/// The socket that agents are told of, in a folder that holds nothing else.
pub fn agents_socket(keepers: &Path) -> Result<PathBuf, String> {
    let folder = keepers.join("agents");
    let path = folder.join(SERVER_SOCKET);
    fits_socket(&path)?;
    private_dir(&folder)?;
    Ok(path)
}

/// `runtime_dir` for who only looks: nothing is created, nothing is checked.
pub fn runtime_place() -> PathBuf {
    runtime_place_in(&|name| std::env::var_os(name), &std::env::temp_dir())
}

/// `state_dir` for who only looks.
pub fn state_place() -> Result<PathBuf, String> {
    state_path(&|name| std::env::var_os(name))
}

/// `socket_path` for who only looks.
pub fn socket_place(named: Option<&Path>) -> Result<PathBuf, String> {
    match named {
        None => Ok(runtime_place().join(SERVER_SOCKET)),
        Some(_) => socket_path(named),
    }
}

/// Whether a socket lies where counsel itself chose to have it: what else is found there is nobody's file.
pub fn is_own_socket(path: &Path) -> bool {
    let runtime = runtime_place();
    path == runtime.join(SERVER_SOCKET) || path == runtime.join("agents").join(SERVER_SOCKET)
}

/// `keeper_dir` for who only looks.
pub fn keeper_place(socket: &Path) -> PathBuf {
    let runtime = runtime_place();
    if socket == runtime.join(SERVER_SOCKET) {
        return runtime;
    }
    let mut dir = socket.as_os_str().to_owned();
    dir.push(".d");
    PathBuf::from(dir)
}

/// Where a server keeps what the adopted panes are, which have no keeper to hold it: in the state folder, which no isolated
/// agent reaches wherever the sockets lie.
pub fn adopted_place(state: &Path, keepers: &Path) -> PathBuf {
    state.join("adopted").join(keepers.to_string_lossy().trim_start_matches('/').replace('/', "%"))
}

/// The mode of one of counsel's folders, which must be fit for use; `None` if it is not there yet.
pub fn inspect(dir: &Path) -> Result<Option<u32>, String> {
    match fs::symlink_metadata(dir) {
        Ok(meta) => {
            verify(dir, &meta, nix::unistd::geteuid().as_raw())?;
            Ok(Some(meta.mode() & 0o777))
        }
        Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(e) => Err(format!("the folder {} cannot be read: {e}", dir.display())),
    }
}

/// The system takes no socket path longer than about a hundred bytes, and says so badly.
pub fn fits_socket(path: &Path) -> Result<(), String> {
    let (length, most) = (path.as_os_str().len(), SOCKET_PATH_MAX - SOCKET_SUFFIX);
    if length <= most {
        return Ok(());
    }
    Err(format!(
        "the socket path {} is {length} bytes long and the system takes {most}; \
         name a shorter one with --socket or COUNSEL_RUNTIME_DIR",
        path.display()
    ))
}

fn runtime_dir_in(lookup: Lookup<'_>, temp: &Path) -> Result<PathBuf, String> {
    let dir = runtime_place_in(lookup, temp);
    private_dir(&dir).map_err(|why| elsewhere(why, &dir, "COUNSEL_RUNTIME_DIR"))?;
    Ok(dir)
}

fn runtime_place_in(lookup: Lookup<'_>, temp: &Path) -> PathBuf {
    if let Some(named) = absolute(lookup, "COUNSEL_RUNTIME_DIR") {
        return named;
    }
    let uid = nix::unistd::geteuid().as_raw();
    // After `su` the variable names another user's folder; then the temp folder serves.
    let ours = |base: &PathBuf| match fs::metadata(base) {
        Ok(meta) => meta.is_dir() && meta.uid() == uid,
        // One that is gone, as after a logout, is looked for where it was by those who still listen in there.
        Err(error) => {
            error.kind() == io::ErrorKind::NotFound && unreachable::listens_in(&base.join("counsel"))
        }
    };
    match absolute(lookup, "XDG_RUNTIME_DIR").filter(ours) {
        Some(base) => base.join("counsel"),
        None => temp.join(format!("counsel-{uid}")),
    }
}

/// A folder that is named relative to wherever somebody stands would be another one for the server.
///
/// # Errors
/// The variable and what it holds: passed over, commands would act on the user's own team.
pub fn named_folders_are_absolute() -> Result<(), String> {
    for name in ["COUNSEL_RUNTIME_DIR", "COUNSEL_STATE_DIR"] {
        let named = std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
        if let Some(folder) = named.filter(|folder| !folder.is_absolute()) {
            return Err(format!(
                "could not use its folders: {name} is '{}'; name an absolute path",
                folder.display()
            ));
        }
    }
    Ok(())
}

fn state_path(lookup: Lookup<'_>) -> Result<PathBuf, String> {
    if let Some(named) = absolute(lookup, "COUNSEL_STATE_DIR") {
        return Ok(named);
    }
    match absolute(lookup, "XDG_STATE_HOME") {
        Some(base) => Ok(base.join("counsel")),
        None => Ok(home(lookup)?.join(".local/state/counsel")),
    }
}

fn home(lookup: Lookup<'_>) -> Result<PathBuf, String> {
    absolute(lookup, "HOME")
        .ok_or_else(|| "HOME is not set to an absolute path; set it, or the XDG_* variables".to_string())
}

/// The basedir rules: an empty or relative value counts as unset.
fn absolute(lookup: Lookup<'_>, name: &str) -> Option<PathBuf> {
    lookup(name).map(PathBuf::from).filter(|path| path.is_absolute())
}

/// Makes sure `dir` is a real folder of this user that nobody else can enter.
pub fn private_dir(dir: &Path) -> Result<(), String> {
    let failed = |what: &str, e: io::Error| format!("the folder {} cannot be {what}: {e}", dir.display());
    // Those on the way as well, whatever the umask.
    fs::DirBuilder::new().recursive(true).mode(0o700).create(dir).or_else(|e| match e.kind() {
        io::ErrorKind::AlreadyExists => Ok(()),
        _ => Err(failed("created", e)),
    })?;
    // What somebody has changed of a folder of counsel's is set back; whose it is, is seen to there.
    modes::reopen(dir);
    modes::close(dir)?;
    // Not `metadata`: in a shared temp folder another user may have put a link of that name.
    let meta = fs::symlink_metadata(dir).map_err(|e| failed("read", e))?;
    verify(dir, &meta, nix::unistd::geteuid().as_raw())?;
    // Names and times in it are nobody else's. Empty as it is, it is given to counsel alone.
    if meta.mode() & 0o077 != 0 {
        fs::set_permissions(dir, fs::Permissions::from_mode(0o700)).map_err(|e| failed("closed", e))?;
    }
    Ok(())
}

/// Where a folder cannot be made, another place can be named; what is amiss with one that is there has its own mend.
fn elsewhere(why: String, dir: &Path, variable: &str) -> String {
    match dir.symlink_metadata() {
        Ok(_) => why,
        Err(_) if unreachable::listens_in(dir) => {
            format!(
                "{why}; it was deleted while agents ran: they are back once you make it anew, or log in again"
            )
        }
        Err(_) => format!("{why}; set {variable} to a folder of yours"),
    }
}

/// A folder of its user alone, with those on the way, inside one of counsel's own.
pub fn create_private(dir: &Path) -> io::Result<()> {
    fs::DirBuilder::new().recursive(true).mode(0o700).create(dir)
}

/// A file of its user alone, whatever the umask and whatever it was before; none is left where it cannot be written whole.
pub fn write_private(path: &Path, text: &[u8]) -> io::Result<()> {
    let mut file = regular_file::open(path, fs::File::options().create(true).write(true).truncate(true))?;
    file.set_permissions(fs::Permissions::from_mode(0o600))?;
    let written = io::Write::write_all(&mut file, text);
    if written.is_err() {
        // The reason for the failure is what counts.
        let _ = fs::remove_file(path);
    }
    written
}

fn verify(dir: &Path, meta: &fs::Metadata, uid: u32) -> Result<(), String> {
    let shown = dir.display();
    if meta.file_type().is_symlink() {
        return Err(format!("{shown} is a symbolic link; remove it, or name another folder"));
    }
    if !meta.is_dir() {
        return Err(format!("{shown} is not a folder; remove it, or name another one"));
    }
    if meta.uid() != uid {
        return Err(format!(
            "the folder {shown} belongs to user {}, not to {uid}; name another one",
            meta.uid()
        ));
    }
    // Who can write may have put a socket of their own there.
    let mode = meta.mode() & 0o777;
    if mode & 0o022 != 0 {
        return Err(format!(
            "others can write to the folder {shown} (mode {mode:04o}); run `chmod 700 {shown}`"
        ));
    }
    // What is in it is not counsel's alone: somebody else may count on getting at it.
    if mode & 0o077 != 0 && fs::read_dir(dir).is_ok_and(|mut entries| entries.next().is_some()) {
        return Err(format!(
            "others can look into the folder {shown} (mode {mode:04o}), which holds files already; run `chmod 700 {shown}`, or name another one"
        ));
    }
    Ok(())
}

#[cfg(test)]
#[path = "paths_tests.rs"]
mod tests;
