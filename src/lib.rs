//! counsel runs a team of coding agents in one terminal and gets their questions answered in time,
//! by the right party, with proof.

pub mod cli;
pub mod config;
pub mod core;
pub mod dashboard;
pub mod demo;
pub mod keeper;
pub mod os;
pub mod server;
pub mod wire;
