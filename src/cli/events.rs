//! `counsel events`: state changes and questions, as they happen.

use std::collections::HashMap;
use std::process::ExitCode;

use crate::core::agent::AgentInfo;
use crate::core::question::State;
use crate::os::git;
use crate::wire::{Notice, Request};

use super::failure::Failure;
use super::link::{Global, SERVERS, Server, ended};
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
    let mut server = global.server_meant()?;
    server.tell(Request::Subscribe)?;
    let mut told = Told::default();
    loop {
        match server.connection.next_notice(None) {
            Ok(notice) => {
                told.tell(&notice, args.json)?;
                if notice == Notice::Bye {
                    return Ok(ExitCode::SUCCESS);
                }
            }
            // One that ends for good says goodbye; this one was restarted or died, and its agents go on.
            Err(error) if ended(&error) => {
                let (next, there) = next_server(global)?;
                server = next;
                told.lost(&there).iter().try_for_each(|gone| told.tell(gone, args.json))?;
            }
            Err(error) => return Err(error.into()),
        }
    }
}

/// The server after one that is gone, which tells everything anew, and its agents.
fn next_server(global: &Global) -> Result<(Server, Vec<AgentInfo>), Failure> {
    let follow = || {
        let mut server = global.server()?;
        server.tell(Request::Subscribe)?;
        let agents = server.agents()?;
        Ok((server, agents))
    };
    let mut asked = 1;
    loop {
        match follow() {
            Err(Failure { hung_up: true, .. }) if asked < SERVERS => asked += 1,
            followed => {
                return followed.map_err(|failure: Failure| {
                    let message = format!("the server is gone, and there is no other: {}", failure.message);
                    Failure { message, ..failure }
                });
            }
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
    fn tell(&mut self, notice: &Notice, as_json: bool) -> Result<(), Failure> {
        let text = if as_json { Some(self.as_json(notice)) } else { describe(notice) };
        match text.filter(|text| self.is_news(notice, text)) {
            Some(text) => out::line(&if as_json { visible_json(&text) } else { visible(&text) }),
            None => Ok(()),
        }
    }

    /// The agents that were told of and are not there any more.
    fn lost(&self, there: &[AgentInfo]) -> Vec<Notice> {
        let names = self.last.keys().filter_map(|about| about.strip_prefix("agent "));
        let lost = names.filter(|name| there.iter().all(|agent| agent.name != *name));
        lost.map(|name| Notice::Gone { name: name.to_owned() }).collect()
    }

    fn is_news(&mut self, notice: &Notice, text: &str) -> bool {
        let about = match notice {
            Notice::Agent(agent) => format!("agent {}", agent.name),
            Notice::Question(question) => format!("question {}", question.id),
            Notice::Gone { name } => {
                self.git.remove(name);
                return self.last.remove(&format!("agent {name}")).is_some();
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
        Notice::Picture { .. }
        | Notice::Clipboard { .. }
        | Notice::KeysRefused { .. }
        | Notice::LineCut { .. }
        | Notice::TypesNoMore => return None,
    })
}
