//! Plays the story against a server: starts the team, follows what happens, answers for the person, and
//! in the end lets the agents' own logs decide whether everything was right.
//!
//! `cli/demo.rs` runs it inside the world that `stage.rs` made.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use super::script::Role;
use super::stage;
use super::story;
use super::truth::{self, Record};
use crate::config::agent_env;
use crate::core::policy::Policy;
use crate::core::question::State;
use crate::os::daemon::ensure_server;
use crate::os::paths;
use crate::os::socket::Connection;
use crate::wire::message::{GivenAnswer, QuestionInfo, Status};
use crate::wire::{Notice, Reply, Request};

/// The whole story, played fast, takes about ten seconds; three times that is no story any more.
const DEADLINE: Duration = Duration::from_secs(30);
/// Agents get this long to end by themselves.
const GRACE_MS: u64 = 2_000;

/// Starts a server of this world and the team on it.
pub fn begin(root: &Path, hurried: bool) -> Result<Connection, String> {
    let socket = paths::socket_path(None)?;
    let log = paths::state_dir()?.join("server.log");
    let mut connection = ensure_server(&socket, &log).map_err(|e| e.to_string())?;
    expect_done(&mut connection, Request::Subscribe)?;
    let exe = std::env::current_exe().map_err(|e| format!("find this program: {e}"))?;
    let text = |path: &Path| path.display().to_string();
    let base: BTreeMap<String, String> = std::env::vars().collect();
    let (folder, logs) = (stage::shop(root), stage::logs(root));
    for spec in story::team(&text(&exe), &text(&folder), &text(&logs), &agent_env(&base), hurried) {
        let request = Request::Start { spec: Box::new(spec), policy: Box::new(Policy::default()) };
        expect_done(&mut connection, request)?;
    }
    Ok(connection)
}

/// Stops the team and the server.
pub fn end(mut connection: Connection) {
    let until = Some(Instant::now() + DEADLINE);
    // The answer to this request and the end of the connection race; either will do.
    let _ = connection.request_within(Request::Down { grace_ms: GRACE_MS }, until);
    while connection.next_notice(until).is_ok() {}
}

fn expect_done(connection: &mut Connection, request: Request) -> Result<(), String> {
    let reply =
        connection.request_within(request, Some(Instant::now() + DEADLINE)).map_err(|e| e.to_string())?;
    match reply {
        Reply::Error { message, .. } => Err(message),
        _ => Ok(()),
    }
}

/// The logs of all roles, by name.
pub fn read_logs(root: &Path) -> BTreeMap<&'static str, Vec<Record>> {
    let read = |role: Role| {
        let path = stage::logs(root).join(format!("{}.log", role.name()));
        Some((role.name(), truth::read(&fs::read_to_string(path).ok()?)))
    };
    Role::ALL.into_iter().filter_map(read).collect()
}

/// What there is to tell of the story without a terminal.
#[derive(Debug, Clone, Copy)]
pub enum Event<'a> {
    Happened { after: Duration, who: &'a str, what: &'a str },
    Wrong(&'a str),
    Over { advised: usize, decided: usize, after: Duration },
}

/// Takes what is told.
pub type Tell<'a> = &'a mut dyn FnMut(Event<'_>) -> Result<(), String>;

/// The story without a terminal, each event a line; whether everything was as it should be.
///
/// # Errors
/// It could not be played to its end, or told.
pub fn headless(root: &Path, tell: Tell<'_>) -> Result<bool, String> {
    let mut teller = Teller { start: Instant::now(), told: BTreeMap::new(), states: BTreeMap::new(), tell };
    let mut connection = begin(root, true)?;
    let played = play(&mut connection, &mut teller);
    end(connection);
    let faults = story::faults(&read_logs(root));
    for fault in &faults {
        (teller.tell)(Event::Wrong(fault))?;
    }
    let (advised, decided) = story::count();
    let after = teller.start.elapsed();
    played?;
    if faults.is_empty() {
        (teller.tell)(Event::Over { advised, decided, after })?;
    }
    Ok(faults.is_empty())
}

/// Follows the notices until every worker has ended.
fn play(connection: &mut Connection, teller: &mut Teller<'_>) -> Result<(), String> {
    let until = Some(teller.start + DEADLINE);
    let mut answered = Vec::new();
    loop {
        let notice =
            connection.next_notice(until).map_err(|e| format!("follow the story to its end: {e}"))?;
        teller.hear(&notice)?;
        if let Notice::Question(question) = &notice
            && matches!(question.status, Status::Open | Status::Escalated)
            && !answered.contains(&question.id)
            && let Some(answer) = story::persons_answer(&question.prompt)
        {
            answered.push(question.id.clone());
            teller.line(&question.agent, &format!("a person says: {answer}"))?;
            let answer = GivenAnswer { options: vec![answer.into()], ..GivenAnswer::default() };
            expect_done(connection, Request::Answer { id: question.id.clone(), answer })?;
        }
        if teller.over() {
            return Ok(());
        }
    }
}

/// Tells what is new.
struct Teller<'a> {
    start: Instant,
    /// The status last told of each question.
    told: BTreeMap<String, Status>,
    states: BTreeMap<String, State>,
    tell: Tell<'a>,
}

impl Teller<'_> {
    fn line(&mut self, who: &str, what: &str) -> Result<(), String> {
        (self.tell)(Event::Happened { after: self.start.elapsed(), who, what })
    }

    fn hear(&mut self, notice: &Notice) -> Result<(), String> {
        match notice {
            Notice::Agent(info) => {
                if self.states.insert(info.name.clone(), info.state) != Some(info.state) {
                    self.line(&info.name, info.state.name())?;
                }
            }
            Notice::Question(question) => {
                if self.told.insert(question.id.clone(), question.status) != Some(question.status) {
                    self.line(&question.agent, &words(question))?;
                }
            }
            Notice::Notification { agent, text, .. } => {
                self.line(agent, &format!("a person is needed: {text}"))?;
            }
            Notice::Gone { .. }
            | Notice::Picture { .. }
            | Notice::Bell { .. }
            | Notice::Clipboard { .. }
            | Notice::KeysRefused { .. }
            | Notice::LineCut { .. }
            | Notice::Bye
            | Notice::TypesNoMore => {}
        }
        Ok(())
    }

    /// Every worker has told its story.
    fn over(&self) -> bool {
        let workers = Role::ALL.into_iter().filter(|role| *role != Role::Advisor);
        workers.into_iter().all(|role| self.states.get(role.name()) == Some(&State::Exited))
    }
}

fn words(question: &QuestionInfo) -> String {
    let note = question.note.as_deref().unwrap_or_default();
    let answer = question.answer.as_deref().unwrap_or_default();
    match question.status {
        Status::Open => format!("asks ({}): {}", question.kind.name(), question.prompt),
        Status::Consulting => format!("asks {}: {}", question.route, question.prompt),
        Status::Proposed => format!("an answer waits for a person: {answer}"),
        Status::Answering => format!("is being answered: {answer}"),
        Status::Answered => format!("was answered: {answer} ({note})"),
        Status::Escalated => format!("asks a person: {} ({note})", question.prompt),
        Status::Withdrawn => format!("withdrew its question: {}", question.prompt),
    }
}

/// What is said on the terminal after the dashboard is left.
pub fn summary(root: &Path) -> String {
    let logs = read_logs(root);
    let dialogs = logs.values().flatten().filter(|record| matches!(record, Record::Given { .. })).count();
    let asked = logs.values().flatten().filter(|record| matches!(record, Record::Message { .. })).count();
    let counted = |count: usize, one: &str, more: &str| match count {
        1 => one.to_owned(),
        count => format!("{count} {more}"),
    };
    let (dialogs, asked) = (counted(dialogs, "1 dialog", "dialogs"), counted(asked, "once", "times"));
    format!("{dialogs} answered, the advisor was asked {asked}. Nothing of it is left behind.")
}
