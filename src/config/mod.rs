//! Configuration: files to types, with errors that name file, line, column and key.
//!
//! The command line loads it; server and dashboard get values, never files. Only `load.rs` touches the
//! disk. Nothing here talks to a terminal, a socket or a process.

mod check;
mod error;
mod load;
mod merge;
mod project;
mod security;
mod source;
mod spawn;
mod team_refs;
mod types;
mod user_files;

pub use error::ConfigError;
pub use load::{PROJECT_FILE, Places, USER_FILE, load, load_untrusted};
pub use merge::Config;
pub use project::{Project, visible};
pub use security::Located;
pub use spawn::agent_env;
pub use types::{Agent, Attach, Dashboard, File, Permission, Permissions, Probes, Record, Security, Server};
pub use user_files::{layouts, profiles};
