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
        rule: Vec<Rule>,
        consultant: &'a [CommandConsultant],
        notify: &'a Notify,
    }
    let Policy { consult, rules, consultants, notify, .. } = policy;
    // Whose a rule is follows from the file; as a key of it that would be refused.
    let rule = rules.iter().map(|rule| Rule { from_project: false, ..rule.clone() }).collect();
    Written { consult, rule, consultant: consultants, notify }.serialize(serializer)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As a file it was refused: no file has that key.
    #[test]
    fn a_rule_is_shown_with_the_keys_that_a_file_has_for_it() {
        let rule = r#"{ "kind": "menu", "then": "human", "from_project": true }"#;
        let rules = vec![serde_json::from_str::<Rule>(rule).unwrap()];
        assert!(rules[0].from_project);
        let config = Config { policy: Policy { rules, ..Policy::default() }, ..Config::default() };
        let shown = serde_json::to_value(config).unwrap();
        assert_eq!((&shown["rule"][0]["kind"], shown["rule"][0].get("from_project")), (&"menu".into(), None));
    }
}
