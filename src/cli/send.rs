//! `counsel send`: types into an agent.

use std::io::Read;
use std::process::ExitCode;

use serde_json::json;

use crate::core::policy::typing::{MESSAGE_BYTES, PASTE_BYTES, too_long};
use crate::core::terminal::keys::{Input, KeyPress};
use crate::wire::Request;

use super::complete;
use super::failure::{Failure, REFUSED, USAGE};
use super::link::{Acting, Global, type_on};

/// Type into an agent
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The agent
    #[arg(add = complete::agents())]
    name: String,
    /// What to type, a line feed being the Return key; - reads standard input
    text: Option<String>,
    /// Press Enter at the end
    #[arg(long)]
    enter: bool,
    /// Paste the text instead of typing it; a file of up to 8 MiB: --paste - < FILE
    #[arg(long)]
    paste: bool,
    /// Send the bytes of the text exactly as they are
    #[arg(long, conflicts_with = "paste", requires = "text")]
    raw: bool,
    /// Press keys after the text: enter esc tab up down left right space backspace ctrl-c f1 …, or as tmux names it
    #[arg(long, value_name = "KEY", num_args = 1.., value_parser = KeyPress::parse, add = complete::words(&KEYS))]
    key: Vec<KeyPress>,
    #[command(flatten)]
    acting: Acting,
}

/// What a shell offers for `--key`.
const KEYS: [&str; 16] = [
    "enter",
    "esc",
    "tab",
    "shift-tab",
    "up",
    "down",
    "left",
    "right",
    "space",
    "backspace",
    "home",
    "end",
    "pageup",
    "pagedown",
    "ctrl-c",
    "ctrl-d",
];

pub fn run(args: &Args, global: &Global) -> Result<ExitCode, Failure> {
    let doing = format!("send to {}", args.name);
    let text = text(args).map_err(|failure| failure.doing(&doing))?.filter(|text| !text.is_empty());
    let bytes = text.as_ref().map_or(0, Vec::len);
    let mut input: Vec<Input> = text.map(|text| typed(text, args)).transpose()?.into_iter().collect();
    input.extend(args.key.iter().map(|key| Input::Key(*key)));
    if input.is_empty() && !args.enter {
        return Err(
            Failure::new(USAGE, "there is nothing to send; give TEXT, --key or --enter").doing(&doing)
        );
    }
    let request = Request::Send { name: args.name.clone(), input, enter: args.enter };
    type_on(|| global.with_agent(&args.name), &args.name, &request).map_err(|f| f.doing(&doing))?;
    let keys: Vec<String> = args.key.iter().map(KeyPress::to_string).collect();
    let did = json!({ "name": args.name, "did": "sent", "bytes": bytes, "keys": keys, "enter": args.enter });
    args.acting.did(&did, None)?;
    Ok(ExitCode::SUCCESS)
}

fn text(args: &Args) -> Result<Option<Vec<u8>>, Failure> {
    match args.text.as_deref() {
        Some("-") => {
            let mut bytes = Vec::new();
            let read = std::io::stdin().lock().read_to_end(&mut bytes);
            read.map_err(|error| Failure::new(1, format!("standard input cannot be read: {error}")))?;
            Ok(Some(bytes))
        }
        text => Ok(text.map(|text| text.as_bytes().to_vec())),
    }
}

fn typed(text: Vec<u8>, args: &Args) -> Result<Input, Failure> {
    let refused = |why| Err(Failure::new(REFUSED, why).doing(&format!("send to {}", args.name)));
    // A file may be long, pasted; words on the command line are a message, however they are put in.
    let is_file = args.paste && args.text.as_deref() == Some("-");
    if !is_file && text.len() > MESSAGE_BYTES {
        return refused(too_long(text.len()));
    }
    if args.raw {
        return Ok(Input::Raw(text));
    }
    let text = String::from_utf8(text).map_err(|_| {
        Failure::new(1, "could not send standard input: it is not UTF-8 text; --raw sends any bytes")
    })?;
    if args.paste && text.len() > PASTE_BYTES {
        let why = format!(
            "{} bytes are more than an agent takes at once, which is 8 MiB; paste them in parts",
            text.len()
        );
        return Err(Failure::new(1, why).doing(&format!("send to {}", args.name)));
    }
    Ok(if args.paste { Input::Paste(text) } else { Input::Text(text) })
}
