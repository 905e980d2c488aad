//! Where the files of the configuration are: the user's own, a project's, and the folders beside them.
//!
//! `load.rs` and `user_files.rs` read what is there. Nothing here is a key's meaning.

use std::path::{Component, Path, PathBuf};
use std::{env, fs, io};

use crate::os::regular_file;

use super::error::ConfigError;

/// The name of a project's file.
pub const PROJECT_FILE: &str = "counsel.toml";
/// A file of the configuration, or one that such a file names, at most: a thousand agents, written by hand. A stranger's is read
/// before anybody has agreed to it, and is to be read in no time.
pub const FILE_BYTES: u64 = 256 * 1024;
/// The name of the user's own file, in counsel's configuration folder.
pub const USER_FILE: &str = "config.toml";

/// Where to look.
#[derive(Debug, Clone, Default)]
pub struct Places {
    /// `-f FILE`.
    pub file: Option<PathBuf>,
    pub cwd: PathBuf,
    pub home: Option<PathBuf>,
    /// `$XDG_CONFIG_HOME/counsel`.
    pub config_dir: Option<PathBuf>,
    /// Tried in the place of the user's own file.
    pub own_file: Option<PathBuf>,
}

/// Why what is named relative to the current folder, or stands there, cannot be found.
pub fn no_current_folder(error: &io::Error) -> String {
    format!("the current folder cannot be found: {error}; cd to one that exists")
}

impl Places {
    /// The places of this process.
    pub fn here(file: Option<PathBuf>) -> Result<Places, String> {
        // Deleted, it holds no file of a project; what names its own place wants none.
        let placed = file.as_ref().is_none_or(|file| file.is_absolute());
        let cwd = match env::current_dir() {
            Err(error) if error.kind() == io::ErrorKind::NotFound && placed => PathBuf::new(),
            cwd => cwd.map_err(|error| no_current_folder(&error))?,
        };
        let absolute = |name: &str| env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
        let home = absolute("HOME");
        let base = absolute("XDG_CONFIG_HOME").or_else(|| home.as_ref().map(|home| home.join(".config")));
        Ok(Places { file, cwd, home, config_dir: base.map(|base| base.join("counsel")), own_file: None })
    }

    /// The same for who looks for a project's file here.
    ///
    /// # Errors
    /// This folder was deleted: whether it had one is not known.
    pub fn standing(file: Option<PathBuf>) -> Result<Places, String> {
        let places = Places::here(file)?;
        if places.cwd.as_os_str().is_empty() && places.file.is_none() {
            env::current_dir().map_err(|error| no_current_folder(&error))?;
        }
        Ok(places)
    }

    /// The user's own file, whether it exists or not.
    pub fn user_file(&self) -> Option<PathBuf> {
        let own = || self.config_dir.as_ref().map(|dir| dir.join(USER_FILE));
        self.own_file.clone().or_else(own)
    }

    /// The project's file: `-f`, else the nearest `counsel.toml` from here up to the git root.
    pub fn project_file(&self) -> Option<PathBuf> {
        if let Some(file) = &self.file {
            return Some(self.cwd.join(file));
        }
        for folder in self.cwd.ancestors() {
            let file = folder.join(PROJECT_FILE);
            // Whatever it is: what cannot be read as one is not taken for none.
            if fs::symlink_metadata(&file).is_ok() {
                return Some(file);
            }
            // Beyond the repository begin other people's folders; without one only here counts.
            if folder.join(".git").exists() {
                return None;
            }
            if !folder.ancestors().any(|above| above.join(".git").exists()) {
                return None;
            }
        }
        None
    }

    /// `~` and relative paths made absolute, `.` and `..` resolved in the text.
    pub fn absolute(&self, path: &str, folder: &Path) -> PathBuf {
        let home = self.home.as_deref();
        let path = match (path.strip_prefix("~/"), home) {
            (Some(rest), Some(home)) => home.join(rest),
            (None, Some(home)) if path == "~" => home.to_path_buf(),
            (Some(_) | None, Some(_) | None) => folder.join(path),
        };
        let mut clean = PathBuf::new();
        for part in path.components() {
            match part {
                Component::ParentDir => {
                    clean.pop();
                }
                Component::CurDir => {}
                Component::Prefix(_) | Component::RootDir | Component::Normal(_) => clean.push(part),
            }
        }
        clean
    }
}

/// The TOML files of one folder, by name. A folder that is not there holds none.
pub fn tables(places: &Places, folder: &str) -> Result<Vec<(String, String)>, ConfigError> {
    let Some(folder) = places.config_dir.as_ref().map(|dir| dir.join(folder)) else { return Ok(Vec::new()) };
    let Ok(entries) = fs::read_dir(&folder) else { return Ok(Vec::new()) };
    let mut files: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    files.retain(|file| file.extension().is_some_and(|end| end == "toml"));
    files.sort();
    let cannot = |file: &str, error| ConfigError::of_file(file, format!("cannot be read: {error}"));
    let read = |file: &PathBuf| {
        let name = file.display().to_string();
        let text = regular_file::read_named_text(file, FILE_BYTES).map_err(|error| cannot(&name, error))?;
        Ok((name, text))
    };
    files.iter().map(read).collect()
}
