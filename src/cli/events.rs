//! `counsel events`: state changes and questions, as they happen.

use std::collections::HashMap;
use std::process::ExitCode;

use crate::core::question::State;
use crate::os::git;
use crate::wire::{Notice, Request};

use super::failure::Failure;
use super::link::{Global, ended};
use super::{as_json, out, worktree};
use crate::core::visible::{visible, visible_json};

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
    let mut told = Told::default();
    loop {
        let notice = match server.connection.next_notice(None) {
            Ok(notice) => notice,
            // One that ends says goodbye.
            Err(error) if ended(&error) => {
                return Err("the server died; run 'counsel events' again".into());
            }
            Err(error) => return Err(error.into()),
        };
        let text = match args.json {
            true => Some(told.as_json(&notice)),
            false => describe(&notice),
        };
        if let Some(text) = text.filter(|text| told.is_news(&notice, text)) {
            out::line(&if args.json { visible_json(&text) } else { visible(&text) })?;
        }
        if notice == Notice::Bye {
            return Ok(ExitCode::SUCCESS);
        }
    }
}

/// What was printed last of each agent and question: a record that says the same again is no event.
#[derive(Debug, Default)]
struct Told {
    last: HashMap<String, String>,
    git: HashMap<String, (State, Option<git::State>)>,
}

impl Told {
    fn is_news(&mut self, notice: &Notice, text: &str) -> bool {
        let about = match notice {
            Notice::Agent(agent) => format!("agent {}", agent.name),
            Notice::Question(question) => format!("question {}", question.id),
            Notice::Gone { name } => {
                self.git.remove(name);
                self.last.remove(&format!("agent {name}"));
                return true;
            }
            // Each of these happened once more.
            _ => return true,
        };
        self.last.insert(about, text.to_owned()).is_none_or(|last| last != text)
    }

    fn as_json(&mut self, notice: &Notice) -> String {
        let Notice::Agent(agent) = notice else { return as_json::notice(notice, None).to_string() };
        // A busy program changes its title many times a second; its files change while it works.
        if self.git.get(&agent.name).is_none_or(|(state, _)| *state != agent.state) {
            let states = worktree::states(std::slice::from_ref(agent));
            self.git.insert(agent.name.clone(), (agent.state, states.into_values().next()));
        }
        let state = self.git.get(&agent.name).and_then(|(_, state)| state.as_ref());
        as_json::notice(notice, state).to_string()
    }
}

fn describe(notice: &Notice) -> Option<String> {
    Some(match notice {
        Notice::Agent(agent) => format!("{}: {}", agent.name, agent.state_word()),
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
