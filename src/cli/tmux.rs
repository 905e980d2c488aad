//! `counsel tmux`: counsel seen from a tmux of the user's own: its status line, a popup, its keys.

pub mod around;
pub mod clipboard;
mod invoke;
mod jump;
mod keys;
mod popup;
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
    Popup(popup::Args),
    Jump(jump::Args),
    Keys(keys::Args),
}

impl Args {
    pub fn doing(&self) -> &'static str {
        match self.what {
            What::Status(_) => "tell the status",
            What::Popup(_) => "open the popup",
            What::Jump(_) => "go to the agent that asks",
            What::Keys(_) => "print the lines for tmux.conf",
        }
    }
}

pub fn run(args: &Args, global: &Global) -> Result<ExitCode, Failure> {
    match &args.what {
        What::Status(args) => status::run(args, global),
        What::Popup(args) => popup::run(args, global),
        What::Jump(args) => jump::run(args, global),
        What::Keys(args) => keys::run(args, global),
    }
}
