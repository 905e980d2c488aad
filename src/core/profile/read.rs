//! A profile from its TOML, or the place in the file where it is wrong.
//!
//! `mod.rs` reads a person's profiles here, `lazy.rs` the embedded ones. Pure: the caller reads the files.

use super::schema::Profile;
use crate::core::toml_fault::{self, Fault};

/// Why a profile cannot be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProfileError {
    pub file: String,
    pub line: usize,
    pub column: usize,
    /// The key's path; empty where no key is to blame.
    pub key: String,
    pub cause: String,
}

impl std::fmt::Display for ProfileError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let key = if self.key.is_empty() { String::new() } else { format!("key {}: ", self.key) };
        write!(f, "{}:{}:{}: {key}{}", self.file, self.line, self.column, self.cause)
    }
}

impl std::error::Error for ProfileError {}

/// # Errors
/// The file's name, line, column and key, and what is wrong there.
pub fn read(file_name: &str, text: &str) -> Result<Profile, ProfileError> {
    toml_fault::read(text).map_err(|Fault { at, key, what }| {
        let (line, column) = toml_fault::place(text, at);
        ProfileError { file: file_name.to_owned(), line, column, key, cause: what }
    })
}
