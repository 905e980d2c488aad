//! The outside world, one resource per file: terminals, processes, sockets, folders, the daemon.
//!
//! Server, keeper and command line call these; the dashboard only those a terminal's client needs. Files here do not know each
//! other and decide nothing about agents or questions.

pub mod ancestry;
pub mod children;
pub mod daemon;
pub mod descriptors;
pub mod generation;
pub mod git;
pub mod input_pipe;
pub mod interrupt;
pub mod job_control;
pub mod keeper_link;
#[cfg_attr(not(target_os = "linux"), path = "landlock_absent.rs")]
pub mod landlock;
pub mod links;
pub mod local_time;
pub mod lock_holder;
pub mod modes;
pub mod named_files;
pub mod new_file;
pub mod output_log;
pub mod pane_mark;
pub mod paths;
pub mod peer;
pub mod poll;
pub mod proc;
pub mod program;
pub mod pty;
pub mod read_buffer;
pub mod regular_file;
pub mod reserve;
pub mod run_command;
pub mod socket;
pub mod stdin;
pub mod syscall_filter;
pub mod tie;
pub mod tmux;
pub mod tmux_start;
pub mod trust_store;
pub mod tty_witness;
pub mod unreachable;
