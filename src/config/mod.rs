//! Configuration: files to types, with errors that name file, line, column and key.
//!
//! The command line loads it; server and dashboard get values, never files. Only `load.rs` and
//! `places.rs`, and `agreed_files.rs` and `on_disk.rs` for them, touch the disk, the second by git too.
//! Nothing here talks to a terminal or a socket.

mod agreed_files;
mod behind;
mod check;
mod effective;
mod error;
mod load;
mod merge;
mod not_permitted;
mod of_user;
mod on_disk;
mod places;
mod project;
mod security;
mod shape;
mod source;
mod spawn;
mod team_refs;
mod types;
mod user_files;

/// The keys of all files, for editors.
pub const SCHEMA: &str = include_str!("../../counsel.schema.json");

pub use effective::Config;
pub use error::ConfigError;
pub use load::{faults, files, load, load_own, load_untrusted, missing, refused};
pub use places::{PROJECT_FILE, Places, USER_FILE, no_current_folder};
pub use project::Project;
pub use security::{Locate, Located};
pub use spawn::agent_env;
pub use types::{Agent, Attach, Dashboard, File, Permission, Permissions, Probes, Record, Security, Server};
pub use user_files::{THEMES, layouts, profiles, themes};
