//! What an arena stands on: the program in an environment of its own, the agents' settings, the line on which the
//! server's notices come.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::Sender;
use std::time::{Duration, Instant};

use counsel::config::agent_env;
use counsel::core::agent::{AgentSpec, Duty, Start};
use counsel::core::policy::{CommandConsultant, Consult, Policy, Rule};
use counsel::core::terminal::grid::Size;
use counsel::os::daemon::ensure_server_of;
use counsel::os::socket::Error;
use counsel::wire::Request;
use serde_json::json;

use super::advisor::{self, PANE};
use super::agent;
use super::consultant;
use super::field::{Field, Heard, REQUEST};
use super::truth::now_us;

/// Lines kept of agents whose every line is counted.
const SCROLLBACK: usize = 1_000_000;
/// An agent's usual size.
pub const SIZE: Size = Size { cols: 120, rows: 40 };

impl Field {
    pub(super) fn start_request(&self, name: &str) -> Request {
        let folder = self.folder.path();
        let life = self.script.agents.iter().find(|life| life.name == name).unwrap();
        let me = std::env::current_exe().unwrap().display().to_string();
        let stand_in =
            |what: &str| vec![me.clone(), "--exact".into(), format!("stand_in_{what}"), "--nocapture".into()];
        let base: BTreeMap<String, String> = std::env::vars().collect();
        let mut env = agent_env(&base);
        env.insert(agent::FOLDER.into(), folder.display().to_string());
        env.insert(agent::NAME.into(), name.to_owned());
        if let Some(every) = self.accidents.stream_ms {
            env.insert(agent::STREAM.into(), every.to_string());
        }
        let spec = AgentSpec {
            name: name.to_owned(),
            command: stand_in("agent"),
            cwd: folder.display().to_string(),
            env,
            profile: Some(life.look.profile().into()),
            hooks: Some(false),
            consultant: Some(if life.pane { PANE } else { "advisor" }.into()),
            size: Some(SIZE),
            scrollback: self.accidents.stream_ms.map(|_| SCROLLBACK),
            ..AgentSpec::default()
        };
        let rule: Rule = given(json!({
            "kind": "permission", "command": "^make check a[0-9-]+x?$", "then": "answer", "answer": "Yes",
        }));
        let advisor: CommandConsultant = given(json!({"name": "advisor", "command": stand_in("consultant")}));
        let pane = AgentSpec {
            name: PANE.into(),
            profile: Some("demo".into()),
            consultant: None,
            role: Duty::Consultant,
            start: Start::Demand,
            env: BTreeMap::from_iter(
                spec.env.clone().into_iter().chain([(agent::NAME.to_owned(), PANE.to_owned())]),
            ),
            ..spec.clone()
        };
        let policy = Policy {
            standby: vec![pane],
            // The limits on automatic answers have tests of their own.
            consult: Consult {
                deadline_secs: self.script.deadline_secs,
                max_per_hour: 100_000,
                repeat_limit: 0,
                ..Consult::default()
            },
            rules: vec![rule],
            consultants: vec![advisor],
            ..Policy::default()
        };
        Request::Start { spec: Box::new(spec), policy: Box::new(policy) }
    }
}

/// In the process of a fake agent: plays it, and ends. Elsewhere it does nothing.
pub fn play_agent() {
    let started = std::env::var_os("COUNSEL_AGENT").is_some();
    match std::env::var(agent::NAME) {
        Ok(name) if started && name == PANE => advisor::play(),
        Ok(_) if started => agent::play(),
        Ok(_) | Err(_) => return,
    }
    std::process::exit(0);
}

/// The same for the consultant that is a command.
pub fn play_consultant() {
    if std::env::var_os(agent::FOLDER).is_some() {
        consultant::answer();
    }
}

/// A value as a configuration would give it, with the defaults of whatever is not named.
fn given<T: serde::de::DeserializeOwned>(value: serde_json::Value) -> T {
    serde_json::from_value(value).unwrap()
}

/// The program in an environment of its own: whatever starts a server starts it there.
pub fn stand_in(folder: &Path) -> PathBuf {
    let counsel = std::env::var_os("COUNSEL_BIN")
        .map_or_else(|| PathBuf::from(env!("CARGO_BIN_EXE_counsel")), PathBuf::from);
    let path = folder.join("counsel");
    let at = folder.display();
    let script = format!(
        "#!/bin/sh\nexec env COUNSEL_RUNTIME_DIR={at}/run COUNSEL_STATE_DIR={at}/state XDG_CONFIG_HOME={at}/config {} \"$@\"\n",
        counsel.display()
    );
    fs::write(&path, script).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    path
}

/// Follows the server's notices; starts a server whenever there is none, as any client would.
pub fn listen(exe: &Path, socket: &Path, over: &AtomicBool, sender: &Sender<Heard>) {
    let log = socket.with_file_name("server.log");
    while !over.load(Ordering::SeqCst) {
        let Ok(mut connection) = ensure_server_of(exe, socket, &log) else { continue };
        if sender.send(Heard::Server(now_us(), connection.server_pid)).is_err() {
            return;
        }
        if connection.request_within(Request::Subscribe, Some(Instant::now() + REQUEST)).is_err() {
            continue;
        }
        loop {
            match connection.next_notice(Some(Instant::now() + Duration::from_millis(500))) {
                Ok(notice) => {
                    if sender.send(Heard::Notice(now_us(), Box::new(notice))).is_err() {
                        return;
                    }
                }
                Err(Error::TimedOut) if !over.load(Ordering::SeqCst) => {}
                Err(_) => break,
            }
        }
    }
}
