//! What a keeper holds of its agent, for the server that comes after this one.
//!
//! Made where an agent is started, read where it is found again. Nothing an agent can write is part of it.

use serde::{Deserialize, Serialize};

use crate::core::agent::AgentSpec;
use crate::core::policy::Policy;

/// What a keeper holds for the server that comes after this one.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct KeeperManifest {
    pub spec: AgentSpec,
    pub policy: Policy,
    pub token: String,
    /// What the server before had the keeper hold: see `server/remembered.rs`.
    #[serde(default, skip_serializing_if = "serde_json::Value::is_null")]
    pub held: serde_json::Value,
}
