//! `counsel answer`: a person's answer to a question. It ends once the answer is given and in the log.

use std::process::ExitCode;

use serde_json::json;

use crate::core::deliver::as_typed;
use crate::core::log::redact::clean;
use crate::wire::message::{GivenAnswer, QuestionInfo};
use crate::wire::{Reply, Request};

use super::failure::{Failure, USAGE};
use super::link::{Acting, Global, unexpected};
use super::{complete, out};

/// Answer an agent's question
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The question, as 'counsel questions' names it
    #[arg(add = complete::questions())]
    id: String,
    /// Options by number or by their exact label; #2 where an option reads 2
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

/// The questions of the next server.
fn again(global: &Global) -> Result<Reply, Failure> {
    match global.running()? {
        Some(mut server) => server.ask(Request::Questions { all: true }),
        None => Ok(Reply::Questions { questions: Vec::new() }),
    }
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
    if let Err(failure) = server.tell(request) {
        let Ok(Reply::Questions { questions }) = server.ask(Request::Questions { all: false }) else {
            return Err(failure.doing(&doing));
        };
        return Err(of_agent(&args.id, &questions).unwrap_or(failure).doing(&doing));
    }
    // The answer is in, whatever becomes of the server. The next one does not know a question that is over.
    let asked = server.ask(Request::Questions { all: true });
    let asked = asked.or_else(|failure| if failure.hung_up { again(global) } else { Err(failure) })?;
    let Reply::Questions { questions } = asked else { return Err(unexpected()) };
    let question = questions.into_iter().find(|question| question.id == args.id);
    let status = question.as_ref().map(|question| question.status);
    let kept = status.is_some_and(|status| !status.settled());
    let did = match (kept, args.reject) {
        (true, _) => "kept",
        (false, true) => "rejected",
        (false, false) => "answered",
    };
    // What went in, which for words need not be what was given.
    let given = question.and_then(|question| question.answer);
    let shown = json!({
        "id": args.id, "did": did, "options": args.options, "text": args.text, "status": status,
        "answer": given,
    });
    if let (Some(text), Some(typed)) = (args.text.as_deref(), &given)
        && text != typed
        && as_typed(&clean(text)) == *typed
    {
        out::complain_exactly(&otherwise(text, typed));
    }
    let words = format!("the answer to {} is kept, and goes in with those to the rest of its form", args.id);
    args.acting.did(&shown, kept.then_some(&words))?;
    Ok(ExitCode::SUCCESS)
}

/// What was typed in place of the words that were given, letter by letter.
fn otherwise(text: &str, typed: &str) -> String {
    let tabs = if text.contains('\t') { ", a tab is typed as blanks" } else { "" };
    format!("what shows nothing, and blanks around it, are no part of an answer{tabs}: '{typed}' was typed")
}

/// Somebody named the agent in place of its question.
fn of_agent(id: &str, open: &[QuestionInfo]) -> Option<Failure> {
    let named = |question: &&QuestionInfo| question.id == id;
    let asked = open.iter().find(|question| question.agent == id);
    let asked = asked.filter(|_| !open.iter().any(|question| named(&question)))?;
    Some(Failure::new(3, format!("there is no question '{id}'; the agent {id} asks {}", asked.id)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The report gathered blanks, and told of other words than were typed.
    #[test]
    fn what_was_typed_is_told_letter_by_letter() {
        assert!(otherwise("  a  b  ", "a  b").ends_with("of an answer: 'a  b' was typed"));
        assert!(otherwise("a\tb", "a    b").ends_with("a tab is typed as blanks: 'a    b' was typed"));
    }
}
