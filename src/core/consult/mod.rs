//! What a consultant is told, and what it may say.
//!
//! The server's hub makes a prompt for each consultation and reads the reply. The asking agent's words
//! are quoted as data; a reply is one JSON object and can only be an answer the question offers.

pub mod acp;
pub mod chain;
pub mod command;

mod brief;
mod briefing;
pub mod nonce;
mod object;
mod reply;
mod template;

pub use brief::prompt;
pub use briefing::Briefing;
pub use reply::{ReplyTo, Said, read_reply};
pub use template::check_template;

#[cfg(test)]
#[path = "consult_tests.rs"]
mod tests;
