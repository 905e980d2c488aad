//! `counsel questions`: what the agents ask.

use std::process::ExitCode;

use crate::wire::message::{QuestionInfo, Status};
use crate::wire::{Reply, Request};

use super::failure::Failure;
use super::link::{self, Global, unexpected};
use super::table::Style;
use super::{as_json, out};
use crate::core::visible::{visible, visible_lines};

/// List open questions
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
            out::json(&as_json::question(question))?;
        } else {
            let (head, words) = describe(question);
            out::prose(&head, 4)?;
            out::prose(&words, 4)?;
        }
    }
    if questions.is_empty() && !args.json {
        let none = if args.all { "no questions" } else { "no open questions" };
        // The server tells an agent of its own alone.
        let of =
            if link::token().is_some() { " of this agent; those of others are not shown to one" } else { "" };
        out::line(&format!("{none}{of}"))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Its line, and below it what is asked and offered.
fn describe(question: &QuestionInfo) -> (String, String) {
    let QuestionInfo { id, agent, kind, prompt, status, route, .. } = question;
    let style = match status {
        Status::Escalated | Status::Proposed => Style::Yellow,
        Status::Open | Status::Consulting | Status::Answering => Style::Plain,
        Status::Answered | Status::Withdrawn => Style::Dim,
    };
    let (id, status) = (Style::Bold.paint(id), style.paint(status.name()));
    let head = format!("{id}  {agent}  {}  {status} ({route})", kind.name());
    let mut text = format!("    {}", visible_lines(prompt, "    "));
    if let Some(subject) = &question.subject {
        text.push_str(&format!("\n    asked for: {}", visible_lines(subject, "    ")));
    }
    for (row, label) in question.options.iter().enumerate() {
        let mark = if question.selected == Some(row) { '>' } else { ' ' };
        let tick = match question.choices.get(row).and_then(|choice| choice.checked) {
            Some(true) => "[x] ",
            Some(false) => "[ ] ",
            None => "",
        };
        let number = question.number(row).map_or_else(|| "-".to_owned(), |number| format!("{number}."));
        text.push_str(&format!("\n  {mark} {number} {tick}{}", visible(label)));
        // What the label alone may not tell: the rows of `dialog --menu` are named by their tags.
        if let Some(about) = question.choices.get(row).map(|choice| &choice.description)
            && !about.is_empty()
        {
            text.push_str(&format!("\n       {}", visible_lines(about, "       ")));
        }
    }
    if question.partial {
        text.push_str("\n    … (some of it is out of view in its pane)");
    }
    if let Some(answer) = question.answer.as_deref().filter(|_| question.status == Status::Proposed) {
        text.push_str(&format!("\n    suggested: {}", visible(answer)));
    }
    if let Some(note) = &question.note {
        text.push_str(&format!("\n    {}", visible(note)));
    }
    (head, text)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// Of `dialog --menu` only the tags were listed: `eu`, and not where that is.
    #[test]
    fn what_a_program_says_of_an_option_stands_below_it() {
        let question = json!({
            "id": "q1", "agent": "a", "kind": "menu", "prompt": "Pick a region", "options": ["eu", "Ask me later"],
            "selected": 0, "multi": false, "asked_at": 1.0, "deadline_at": null, "status": "escalated",
            "route": "human", "sources": ["screen"], "trust": "high", "partial": false,
            "choices": [{"label": "eu", "description": "Europe\nand beyond"}, {"label": "Ask me later"}],
        });
        let mut question: QuestionInfo = serde_json::from_value(question).unwrap();
        let (_, words) = describe(&question);
        assert_eq!(
            words,
            "    Pick a region\n  > 1. eu\n       Europe\n       and beyond\n    2. Ask me later"
        );
        // What the program has highlighted looked like what was suggested.
        (question.status, question.answer) = (Status::Proposed, Some("Ask me later".to_owned()));
        assert!(describe(&question).1.ends_with("2. Ask me later\n    suggested: Ask me later"));
    }
}
