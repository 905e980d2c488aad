//! What all files together say: the one `Config` that server and dashboard are started with.
//!
//! `merge.rs` makes it, `agreed_files.rs` adds what a person must have agreed to. It reads nothing and decides nothing.

use std::path::PathBuf;

use serde::{Serialize, Serializer};

use crate::core::policy::{CommandConsultant, Consult, Notify, Policy, Rule};

use super::error::ConfigError;
use super::project::Project;
use super::types::{Agent, Attach, Dashboard, Permissions, Probes, Record, Security, Server};

/// What all files together say.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct Config {
    #[serde(rename = "agent")]
    pub agents: Vec<Agent>,
    #[serde(flatten, serialize_with = "as_written")]
    pub policy: Policy,
    pub dashboard: Dashboard,
    pub attach: Attach,
    pub record: Record,
    pub probes: Probes,
    pub security: Security,
    pub permissions: Permissions,
    pub server: Server,
    /// The project's file among them, which a person must have agreed to.
    #[serde(skip)]
    pub project: Option<Project>,
    /// A project's file that is not followed.
    #[serde(skip)]
    pub left_out: Option<PathBuf>,
    /// Why that file cannot be read: then what it forbids is not followed either.
    #[serde(skip)]
    pub fault: Option<ConfigError>,
    /// The files it was made of, the strongest first.
    #[serde(skip)]
    pub files: Vec<String>,
    /// What was left out, and why; each one line.
    #[serde(skip)]
    pub warnings: Vec<String>,
}

/// The policy under the keys that a file has for it.
fn as_written<S: Serializer>(policy: &Policy, serializer: S) -> Result<S::Ok, S::Error> {
    #[derive(Serialize)]
    struct Written<'a> {
        consult: &'a Consult,
        rule: &'a [Rule],
        consultant: &'a [CommandConsultant],
        notify: &'a Notify,
    }
    let Policy { consult, rules, consultants, notify, .. } = policy;
    Written { consult, rule: rules, consultant: consultants, notify }.serialize(serializer)
}
