//! `counsel answer`: a person's answer to a question.

use std::process::ExitCode;

use crate::wire::Request;
use crate::wire::message::GivenAnswer;

use super::failure::{Failure, USAGE};
use super::link::Global;

/// Answer a question
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The question, as 'counsel questions' names it
    id: String,
    /// Numbers or exact labels
    #[arg(value_name = "OPTION")]
    options: Vec<String>,
    /// In words
    #[arg(long, value_name = "TEXT")]
    text: Option<String>,
    /// Decline it
    #[arg(long, conflicts_with_all = ["options", "text"])]
    reject: bool,
}

pub fn run(args: &Args, global: &Global) -> Result<ExitCode, Failure> {
    if args.options.is_empty() && args.text.is_none() && !args.reject {
        return Err(Failure::new(USAGE, "say how: an OPTION, --text or --reject"));
    }
    let Some(mut server) = global.running()? else {
        return Err(Failure::new(3, format!("there is no question '{}': no server runs", args.id)));
    };
    let answer = GivenAnswer { options: args.options.clone(), text: args.text.clone(), reject: args.reject };
    let request = Request::Answer { id: args.id.clone(), answer };
    server.tell(request).map_err(|failure| failure.doing(&format!("answer {}", args.id)))?;
    Ok(ExitCode::SUCCESS)
}
