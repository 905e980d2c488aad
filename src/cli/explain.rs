//! `counsel explain`: why counsel thinks what it thinks of a live screen.

use std::process::ExitCode;

use crate::core::visible::visible_lines;
use crate::wire::{Reply, Request};

use super::failure::Failure;
use super::link::{Global, unexpected};

/// Say why counsel thinks what it thinks of an agent's screen
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The agent
    #[arg(add = super::complete::agents())]
    name: String,
    /// One JSON object
    #[arg(long)]
    json: bool,
}

pub fn run(args: &Args, global: &Global) -> Result<ExitCode, Failure> {
    let mut server = global.with_agent(&args.name)?;
    let Reply::Explained { text, json } = server.ask(Request::Explain { name: args.name.clone() })? else {
        return Err(unexpected());
    };
    if args.json {
        super::out::json(&json)?
    } else {
        super::out::line(&visible_lines(text.trim_end(), ""))?
    }
    Ok(ExitCode::SUCCESS)
}
