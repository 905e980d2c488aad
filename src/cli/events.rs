//! `counsel events`: state changes and questions, as they happen.

use std::process::ExitCode;

use crate::wire::{Notice, Request};

use super::failure::Failure;
use super::link::{Global, ended};
use super::{as_json, out};
use crate::core::visible::visible;

/// Follow state changes and questions
#[derive(Debug, clap::Args)]
pub struct Args {
    /// One JSON object per line
    #[arg(long)]
    json: bool,
}

pub fn run(args: &Args, global: &Global) -> Result<ExitCode, Failure> {
    out::end_with_reader();
    let mut server = global.server()?;
    server.tell(Request::Subscribe)?;
    loop {
        let notice = match server.connection.next_notice(None) {
            Ok(notice) => notice,
            Err(error) if ended(&error) => return Ok(ExitCode::SUCCESS),
            Err(error) => return Err(error.into()),
        };
        if args.json {
            out::json(&as_json::notice(&notice))?;
        } else if let Some(line) = describe(&notice) {
            out::line(&visible(&line))?;
        }
        if notice == Notice::Bye {
            return Ok(ExitCode::SUCCESS);
        }
    }
}

fn describe(notice: &Notice) -> Option<String> {
    Some(match notice {
        Notice::Agent(agent) => format!("{}: {}", agent.name, agent.state.name()),
        Notice::Gone { name } => format!("{name}: gone"),
        Notice::Question(question) => {
            let answer = question.answer.as_deref().map(|answer| format!(" -> {answer}")).unwrap_or_default();
            let (id, agent, status) = (&question.id, &question.agent, question.status.name());
            format!("{agent}: {id} {status} ({}): {}{answer}", question.route, question.prompt)
        }
        Notice::Bell { name } => format!("{name}: bell"),
        Notice::Notification { text, .. } => format!("! {text}"),
        Notice::Bye => "the server ends".to_owned(),
        Notice::Picture { .. } | Notice::Clipboard { .. } | Notice::KeysRefused { .. } => return None,
    })
}
