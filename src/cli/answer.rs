//! `counsel answer`: a person's answer to a question.

use std::process::ExitCode;

use serde_json::json;

use crate::wire::message::GivenAnswer;
use crate::wire::{Reply, Request};

use super::complete;
use super::failure::{Failure, USAGE};
use super::link::{Acting, Global};

/// Answer an agent's question
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The question, as 'counsel questions' names it
    #[arg(add = complete::questions())]
    id: String,
    /// Options by number or by their exact label
    #[arg(value_name = "OPTION")]
    options: Vec<String>,
    /// An answer in words
    #[arg(long, value_name = "TEXT")]
    text: Option<String>,
    /// Decline it
    #[arg(long, conflicts_with_all = ["options", "text"])]
    reject: bool,
    #[command(flatten)]
    acting: Acting,
}

pub fn run(args: &Args, global: &Global) -> Result<ExitCode, Failure> {
    let doing = format!("answer {}", args.id);
    if args.options.is_empty() && args.text.is_none() && !args.reject {
        return Err(Failure::new(USAGE, "say how: an OPTION, --text or --reject").doing(&doing));
    }
    let Some(mut server) = global.running()? else {
        return Err(Failure::new(3, format!("there is no question '{}': no server runs", args.id)));
    };
    let answer = GivenAnswer { options: args.options.clone(), text: args.text.clone(), reject: args.reject };
    let request = Request::Answer { id: args.id.clone(), answer };
    server.tell(request).map_err(|failure| failure.doing(&doing))?;
    if args.acting.json {
        let status = match server.ask(Request::Questions { all: true })? {
            Reply::Questions { questions } => {
                questions.into_iter().find(|question| question.id == args.id).map(|question| question.status)
            }
            _ => None,
        };
        let did = json!({
            "id": args.id, "did": if args.reject { "rejected" } else { "answered" },
            "options": args.options, "text": args.text, "status": status,
        });
        args.acting.did(&did, None)?;
    }
    Ok(ExitCode::SUCCESS)
}
