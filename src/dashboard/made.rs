//! What is made for an agent before it is asked for, and taken away again where it is refused.
//!
//! `perform.rs` makes it, through `options.rs`; the command line says how, for itself as well. Here it is known which request
//! it belongs to.

use std::collections::HashMap;
use std::fmt;

use crate::core::agent::{AgentInfo, AgentSpec};
use crate::core::policy::Policy;

/// A worktree that was made for an agent.
pub trait Made: fmt::Debug {
    /// Takes it away, unless one of these works there; says why the agent was refused, and what stays.
    fn refused(self: Box<Self>, agents: &[AgentInfo], why: String) -> String;
}

/// An agent that can be asked for.
#[derive(Debug)]
pub struct Ready {
    pub spec: AgentSpec,
    pub policy: Policy,
    pub made: Option<Box<dyn Made>>,
}

/// By the number of the request, each with its agent's name. What was asked of a server that has gone may be there, and stays.
pub type Unanswered = HashMap<u64, (String, Box<dyn Made>)>;
