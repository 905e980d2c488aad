//! `counsel questions`: what the agents ask.

use std::process::ExitCode;

use crate::wire::message::QuestionInfo;
use crate::wire::{Reply, Request};

use super::failure::Failure;
use super::link::{Global, unexpected};

/// List the open questions
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Those that are settled as well
    #[arg(long)]
    all: bool,
    /// One JSON object per line
    #[arg(long)]
    json: bool,
}

pub fn run(args: &Args, global: &Global) -> Result<ExitCode, Failure> {
    let questions = match global.running()? {
        Some(mut server) => match server.ask(Request::Questions { all: args.all })? {
            Reply::Questions { questions } => questions,
            _ => return Err(unexpected()),
        },
        None => Vec::new(),
    };
    for question in &questions {
        if args.json {
            super::out::json(question)?;
        } else {
            super::out::line(&describe(question))?;
        }
    }
    if questions.is_empty() && !args.json {
        super::out::line("no open questions")?;
    }
    Ok(ExitCode::SUCCESS)
}

fn describe(question: &QuestionInfo) -> String {
    let QuestionInfo { id, agent, kind, prompt, status, route, .. } = question;
    let mut text = format!("{id}  {agent}  {}  {} ({route})\n    {prompt}", kind.name(), status.name());
    if let Some(subject) = &question.subject {
        text.push_str(&format!("\n    asked for: {subject}"));
    }
    for (row, label) in question.options.iter().enumerate() {
        let mark = if question.selected == Some(row) { '>' } else { ' ' };
        let tick = match question.choices.get(row).and_then(|choice| choice.checked) {
            Some(true) => "[x] ",
            Some(false) => "[ ] ",
            None => "",
        };
        let number = question.number(row).map_or_else(|| "-".to_owned(), |number| format!("{number}."));
        text.push_str(&format!("\n  {mark} {number} {tick}{label}"));
    }
    if let Some(note) = &question.note {
        text.push_str(&format!("\n    {note}"));
    }
    text
}
