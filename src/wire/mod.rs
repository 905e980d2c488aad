//! What crosses the socket between a server and its clients: frames, and the messages in them.
//!
//! Server, dashboard, command line, hook and MCP meet only here. Pure: bytes and values, no socket.

mod binary;
pub mod frame;
pub mod keeper;
mod key;
pub mod message;
pub mod picture;
mod question;
pub mod stopped;

pub use frame::{Begun, Decoder, Message, Taken, encode};
pub use message::{ClientMessage, Notice, Reply, Request, ServerMessage, VERSION};
