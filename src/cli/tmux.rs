//! `counsel tmux`: counsel seen from a tmux of the user's own: its status line, a popup, its keys.

mod status;

use std::process::ExitCode;

use super::failure::Failure;
use super::link::Global;

/// In the status line, in a popup and on the keys of your own tmux
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, clap::Subcommand)]
enum What {
    Status(status::Args),
}

impl Args {
    pub fn doing(&self) -> &'static str {
        match self.what {
            What::Status(_) => "tell the status",
        }
    }
}

pub fn run(args: &Args, global: &Global) -> Result<ExitCode, Failure> {
    match &args.what {
        What::Status(args) => status::run(args, global),
    }
}
