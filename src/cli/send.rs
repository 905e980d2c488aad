//! `counsel send`: types into an agent.

use std::io::Read;
use std::process::ExitCode;

use crate::core::terminal::keys::{Input, KeyPress};
use crate::wire::Request;

use super::failure::{Failure, USAGE};
use super::link::Global;

/// Type into an agent
#[derive(Debug, clap::Args)]
pub struct Args {
    name: String,
    /// What to type; - reads standard input
    text: Option<String>,
    /// Press Enter at the end
    #[arg(long)]
    enter: bool,
    /// Paste instead of typing
    #[arg(long)]
    paste: bool,
    /// A key: enter esc tab up down left right space backspace ctrl-c f1 …
    #[arg(long, value_name = "KEY", value_parser = KeyPress::parse)]
    key: Vec<KeyPress>,
}

pub fn run(args: &Args, global: &Global) -> Result<ExitCode, Failure> {
    let mut input = Vec::new();
    if let Some(text) = text(args)? {
        input.push(if args.paste { Input::Paste(text) } else { Input::Text(text) });
    }
    input.extend(args.key.iter().map(|key| Input::Key(*key)));
    if input.is_empty() && !args.enter {
        return Err(Failure::new(USAGE, "nothing to send: give TEXT, --key or --enter"));
    }
    let mut server = global.with_agent(&args.name)?;
    let name = args.name.clone();
    let doing = format!("send to {name}");
    server.tell(Request::Send { name, input, enter: args.enter }).map_err(|f| f.doing(&doing))?;
    Ok(ExitCode::SUCCESS)
}

fn text(args: &Args) -> Result<Option<String>, Failure> {
    match args.text.as_deref() {
        Some("-") => {
            let mut bytes = Vec::new();
            let read = std::io::stdin().lock().read_to_end(&mut bytes);
            read.map_err(|error| Failure::new(1, format!("could not read standard input: {error}")))?;
            let text = String::from_utf8(bytes);
            text.map(Some).map_err(|_| Failure::new(1, "could not send standard input: it is not UTF-8 text"))
        }
        text => Ok(text.map(str::to_owned)),
    }
}
