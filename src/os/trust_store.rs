//! Where a person's agreements to project files are kept: one file in the state folder, closed to others.
//!
//! The command line reads and changes it. It must never be changed half: it is written aside and renamed,
//! by one program at a time. A file that cannot be read is an error, never an empty one.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;
use std::time::{Duration, Instant};

use nix::fcntl::Flock;

use super::{lock_holder, regular_file};
use crate::core::trust::Agreements;

/// The file in the state folder.
const NAME: &str = "trust.json";
/// Thousands of agreements: each keeps the text that was agreed to.
const MAX_BYTES: u64 = 256 * 1024 * 1024;

/// A change takes milliseconds. Who holds the lock for longer does not mean to give it back.
const LOCK_TIME: Duration = Duration::from_secs(5);

/// All agreements; none if none was ever given.
pub fn read(state_dir: &Path) -> Result<Agreements, String> {
    let path = state_dir.join(NAME);
    match regular_file::read(&path, MAX_BYTES) {
        Ok(text) => serde_json::from_slice(&text).map_err(|e| {
            format!("{} is damaged: {e}; remove it and agree again with 'counsel trust'", path.display())
        }),
        Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(Agreements::default()),
        Err(e) => Err(format!("{} cannot be read: {e}", path.display())),
    }
}

/// Changes them, whoever else does at the same time.
pub fn update<T>(state_dir: &Path, change: impl FnOnce(&mut Agreements) -> T) -> Result<T, String> {
    let _turn = lock(&state_dir.join(format!("{NAME}.lock")))?;
    let mut all = read(state_dir)?;
    let done = change(&mut all);
    let path = state_dir.join(NAME);
    write(&path, &all).map_err(|e| format!("{} cannot be written: {e}", path.display()))?;
    Ok(done)
}

fn private(path: &Path) -> io::Result<File> {
    regular_file::open(path, File::options().create(true).write(true).truncate(true))
}

fn lock(path: &Path) -> Result<Flock<File>, String> {
    let failed = |e: &dyn std::fmt::Display| format!("{} cannot be locked: {e}", path.display());
    let file = private(path).map_err(|e| failed(&e))?;
    lock_holder::wait_for(file, Instant::now() + LOCK_TIME).map_err(|error| {
        match (error, lock_holder::of(path)) {
            (Some(error), _) => failed(&error.desc()),
            (None, Some(pid)) => failed(&format!("process {pid} holds it; end it")),
            (None, None) => failed(&"somebody holds it"),
        }
    })
}

fn write(path: &Path, all: &Agreements) -> io::Result<()> {
    let aside = path.with_extension("json.new");
    // A file of an interrupted write may have been made with other rights.
    match fs::remove_file(&aside) {
        Err(e) if e.kind() != io::ErrorKind::NotFound => return Err(e),
        _ => {}
    }
    let mut file = private(&aside)?;
    file.write_all(&serde_json::to_vec_pretty(all).expect("agreements are plain JSON"))?;
    file.sync_all()?;
    fs::rename(&aside, path)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;
    use crate::core::trust::{Agreement, Part};

    #[test]
    fn an_agreement_is_kept_closed_to_others_and_found_again() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(read(folder.path()).unwrap(), Agreements::default());
        let agreement = Agreement { given_at: 5, parts: vec![Part::shown("counsel.toml", "x")] };
        let keep = agreement.clone();
        update(folder.path(), move |all| all.files.insert("/p/counsel.toml".into(), keep)).unwrap();
        assert_eq!(read(folder.path()).unwrap().files["/p/counsel.toml"], agreement);
        let mode = fs::metadata(folder.path().join(NAME)).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }

    #[test]
    fn a_damaged_file_is_an_error_and_stays() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join(NAME), "{").unwrap();
        let error = read(folder.path()).unwrap_err();
        assert!(error.contains("is damaged") && error.contains("counsel trust"), "{error}");
        assert!(update(folder.path(), |_| ()).is_err());
        assert_eq!(fs::read_to_string(folder.path().join(NAME)).unwrap(), "{");
    }
}
