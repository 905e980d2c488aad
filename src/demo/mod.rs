//! The demonstration: scripted agents on real PTYs that ask, are answered and go on, and the story
//! that checks what they were answered.
//!
//! `cli/demo.rs` starts it. The scripted agents are programs like any other to the rest of counsel:
//! nothing outside this folder knows of them.

pub mod actor;
pub mod agent;
pub mod draft;
pub mod draw;
pub mod drive;
pub mod keys;
pub mod script;
pub mod stage;
pub mod story;
pub mod tell;
pub mod truth;
pub mod widget;
