//! counsel runs a team of coding agents in one terminal and gets their questions answered in time,
//! by the right party, with proof.
//!
//! # Processes
//!
//! One binary, four roles. A *keeper* per agent holds its PTY and outlives every server. The *server*, one per
//! user, emulates each agent's terminal, detects its questions, routes them and types the answers. *Clients*
//! (the dashboard and every verb of the command line) speak to the server over one Unix socket. The *reaper*
//! (`counsel reaper`) runs a consultant that is a command and ends all it started.
//!
//! # Layers
//!
//! ```text
//! core  <-  wire    <-  os  <-  session <- server   <-  cli  <-  main
//! core  <-  config  <--------   keeper     dashboard, demo <-
//! ```
//!
//! An arrow points at what may be imported; `tests/layers.rs` keeps it so. Whatever decides anything is pure
//! and returns what to do as values; the tasks around it do it.
//!
//! # Modules
//!
//! - [`core`]: nouns and rules by subject: terminals, detection, questions, delivery, policy; no I/O, no clock
//! - [`wire`]: frames and messages between client and server, server and keeper
//! - [`config`]: configuration files to types, with errors that name file, line, column and key
//! - [`os`]: one outside resource a file: PTY, keeper link, socket, daemon, tmux, paths, `/proc`
//! - [`keeper`]: the process beside each agent, synchronous and small
//! - [`session`]: one agent's terminal as a pure machine, and the task that runs it: screen, typing, viewers
//! - [`server`]: the hub, a pure state machine of questions, consultants and lives, and what performs its effects
//! - [`dashboard`]: state, update, keymap and view, and the loop that runs them
//! - [`demo`]: scripted agents and the dialogs they draw, for `counsel demo` and the tests
//! - [`cli`]: one file per verb
//!
//! # Where to begin
//!
//! A question's way is `session/task.rs`, `session/observation.rs`, `core/detect/`,
//! `server/question/appearance.rs`, `core/policy/route.rs`, `core/consult/`, `core/deliver/`. A key's way
//! begins in `core/keymap.rs` and ends in `core/terminal/encode.rs`. `docs/architecture.md` walks both.

pub mod cli;
pub mod config;
pub mod core;
pub mod dashboard;
pub mod demo;
pub mod keeper;
pub mod os;
pub mod server;
pub mod session;
pub mod wire;
