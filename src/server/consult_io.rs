//! Consultants that are commands, and the command that calls a person.
//!
//! Started by the server's loop. A command ends at its deadline or when it is no longer wanted, with
//! everything it started.

use std::collections::BTreeMap;
use std::process::Stdio;
use std::time::Duration;

use nix::sys::signal::Signal;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::process::{Child, Command};
use tokio::sync::oneshot;

use crate::os::{daemon, proc};

use super::effect::ConsultRun;

/// Largest answer read from a command; a consultant's last object is never further in.
const MAX_ANSWER: u64 = 1024 * 1024;
/// The code of a command that could not be started, as a shell reports it.
const NOT_FOUND: i32 = 127;
/// How long ending a whole tree may take before its tender is ended as well.
const TENDING_TIME: Duration = Duration::from_secs(6);
/// How long the command that calls a person may take.
const NOTIFY_TIME: Duration = Duration::from_secs(10);

/// Runs a command consultant. `cancel` fires (or is dropped) when its answer is no longer wanted.
pub async fn consult(run: ConsultRun, cancel: oneshot::Receiver<()>) -> Result<String, String> {
    let timeout = Duration::from_millis(run.timeout_ms);
    let mut child = spawn(&run.command, Some(&run.cwd), Some(&run.env))?;
    let seconds = run.timeout_ms / 1000;
    let said = tokio::select! {
        said = converse(&mut child, run.stdin.into_bytes()) => said,
        () = tokio::time::sleep(timeout) => Err(format!("it did not answer within {seconds} s")),
        _ = cancel => Err("its answer is no longer wanted".to_owned()),
    };
    end_tree(&mut child).await;
    said
}

fn spawn(
    command: &[String],
    cwd: Option<&str>,
    env: Option<&BTreeMap<String, String>>,
) -> Result<Child, String> {
    let (program, args) = command.split_first().ok_or("its command is empty")?;
    // It is tended by a process of its own, which leaves nothing of it behind whatever happens to us.
    let mut command = Command::new(daemon::own_exe()?);
    command.arg("tend").arg(program).args(args).process_group(0).kill_on_drop(true);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    if let Some(cwd) = cwd.filter(|cwd| !cwd.is_empty()) {
        command.current_dir(cwd);
    }
    if let Some(env) = env {
        command.env_clear().envs(env);
    }
    command.spawn().map_err(|error| format!("{program} could not be started: {error}"))
}

async fn converse(child: &mut Child, question: Vec<u8>) -> Result<String, String> {
    let mut stdin = child.stdin.take().expect("stdin is piped");
    let stdout = child.stdout.take().expect("stdout is piped");
    let put = async move {
        // A consultant that does not read its question may still answer.
        let _ = stdin.write_all(&question).await;
        drop(stdin);
    };
    let mut answer = Vec::new();
    let mut limited = stdout.take(MAX_ANSWER);
    let (_, read) = tokio::join!(put, limited.read_to_end(&mut answer));
    read.map_err(|error| format!("its answer could not be read: {error}"))?;
    let status = child.wait().await.map_err(|error| format!("it could not be waited for: {error}"))?;
    if status.code() == Some(NOT_FOUND) && answer.is_empty() {
        return Err("it could not be started; is its command there?".into());
    }
    if !status.success() && answer.is_empty() {
        return Err(format!("it failed ({status})"));
    }
    Ok(String::from_utf8_lossy(&answer).into_owned())
}

/// Ends a command and whatever it started.
async fn end_tree(child: &mut Child) {
    // Still there only as long as it was not waited for, and so cannot be another.
    let Some(process) = child.id().and_then(proc::look) else { return };
    let _ = proc::send(&process, Signal::SIGTERM);
    if tokio::time::timeout(TENDING_TIME, child.wait()).await.is_err() {
        let _ = child.start_kill();
        let _ = child.wait().await;
    }
}

/// Calls a person: the question as JSON on standard input.
pub async fn notify(command: Vec<String>, json: String) {
    let mut child = match spawn(&command, None, None) {
        Ok(child) => child,
        Err(error) => return tracing::warn!(%error, "the notify command failed"),
    };
    match tokio::time::timeout(NOTIFY_TIME, converse(&mut child, json.into_bytes())).await {
        Ok(Ok(_)) => {}
        Ok(Err(error)) => tracing::warn!(%error, "the notify command failed"),
        Err(_) => tracing::warn!("the notify command took too long and was ended"),
    }
    end_tree(&mut child).await;
}
