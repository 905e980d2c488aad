//! Consultants that are commands, and the command that calls a person.
//!
//! Started by the server's loop. A command ends when it is no longer wanted, with everything it started; the one that calls a
//! person has a time of its own.

use std::collections::BTreeMap;
use std::fs::DirBuilder;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use nix::sys::signal::Signal;
use tokio::io::AsyncWriteExt;
use tokio::process::{Child, Command};
use tokio::sync::mpsc::Sender;
use tokio::sync::oneshot;

use crate::core::policy::Protocol;
use crate::core::trust::Agreed;
use crate::os::{daemon, named_files, proc};

use super::acp_io;
use super::effect::{ConsultRun, Event};
use super::program_output::{KEPT_COMPLAINTS, NOT_FOUND, NOT_STARTED, complaint, ended, the_end_of};

/// Kept of what a command prints: the end, where its reply stands.
const KEPT_ANSWER: usize = 256 * 1024;
/// How long ending a whole tree may take before its tender is ended as well.
const TENDING_TIME: Duration = Duration::from_secs(6);
/// How long the command that calls a person may take.
const NOTIFY_TIME: Duration = Duration::from_secs(10);

/// The folder in which programs run for an agent that is isolated, beside the decision log: an agent that could write
/// where they run, or say in what environment, would run its own code outside.
pub fn folder_apart(log: &Path) -> PathBuf {
    log.with_file_name("apart")
}

/// The agent's folder as it is named here, or the one apart from it.
fn folder(cwd: &str, apart: &Path) -> Result<String, String> {
    if !cwd.is_empty() {
        return Ok(cwd.to_owned());
    }
    let made = DirBuilder::new().recursive(true).mode(0o700).create(apart);
    made.map_err(|error| format!("could not create {}: {error}", apart.display()))?;
    Ok(apart.to_string_lossy().into_owned())
}

/// Runs a command consultant. `cancel` fires (or is dropped) when its answer is no longer wanted, or its time is over: that
/// stands still with the agent that asks.
pub async fn consult(
    run: ConsultRun,
    apart: PathBuf,
    cancel: oneshot::Receiver<()>,
) -> Result<String, String> {
    let cwd = folder(&run.cwd, &apart)?;
    let env = (!run.cwd.is_empty()).then_some(&run.env);
    let search = env.and_then(|env| env.get("PATH")).cloned();
    check(&run.command, &cwd, search, run.agreed).await?;
    let mut child = spawn(&run.command, Some(&cwd), env)?;
    let said = tokio::select! {
        said = talk(&mut child, run.protocol, run.prompt, &cwd) => said,
        _ = cancel => Err("its answer is no longer wanted".to_owned()),
    };
    end_tree(&mut child).await;
    said
}

/// Whether a project's command still runs what a person agreed to. Other programs of theirs, agents too, may have changed it
/// since its file was read.
async fn check(
    command: &[String],
    cwd: &str,
    search: Option<String>,
    agreed: Option<Agreed>,
) -> Result<(), String> {
    let Some(agreed) = agreed else { return Ok(()) };
    let (command, cwd) = (command.to_vec(), PathBuf::from(cwd));
    let look = move || named_files::check(&command, &cwd, search.as_deref(), &agreed);
    let failed = |error| Err(format!("what it runs could not be looked at: {error}"));
    tokio::task::spawn_blocking(look).await.unwrap_or_else(failed)
}

async fn talk(child: &mut Child, protocol: Protocol, prompt: String, cwd: &str) -> Result<String, String> {
    match protocol {
        Protocol::Plain => converse(child, prompt.into_bytes()).await,
        Protocol::Acp => acp_io::converse(child, prompt, cwd).await,
    }
}

fn spawn(
    command: &[String],
    cwd: Option<&str>,
    env: Option<&BTreeMap<String, String>>,
) -> Result<Child, String> {
    let (program, args) = command.split_first().ok_or("its command is empty")?;
    // It is tended by a process of its own, which leaves nothing of it behind whatever happens to us.
    let mut command = Command::new(daemon::own_exe()?);
    command.arg("reaper").arg(program).args(args).process_group(0).kill_on_drop(true);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    if let Some(cwd) = cwd {
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
    let stderr = child.stderr.take().expect("stderr is piped");
    let put = async move {
        // A consultant that does not read its question may still answer.
        let _ = stdin.write_all(&question).await;
        drop(stdin);
    };
    // What is not read to its end would hold the command up.
    let (_, answer, complaints) =
        tokio::join!(put, the_end_of(stdout, KEPT_ANSWER), the_end_of(stderr, KEPT_COMPLAINTS));
    let answer = answer.map_err(|error| format!("its answer could not be read: {error}"))?;
    let status = child.wait().await.map_err(|error| format!("it could not be waited for: {error}"))?;
    if status.success() {
        return Ok(String::from_utf8_lossy(&answer).into_owned());
    }
    // Whoever dies may not have said its last word.
    match ended(status) {
        Some(how) if status.code() != Some(NOT_FOUND) || !answer.is_empty() => {
            Err(format!("{how}{}", complaint(&complaints.unwrap_or_default())))
        }
        _ => Err(NOT_STARTED.into()),
    }
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

/// How a person is called.
#[derive(Debug)]
pub struct Call {
    pub command: Vec<String>,
    /// The question, told on standard input.
    pub json: String,
    pub agreed: Option<Agreed>,
}

/// Calls a person. If that fails, whoever is there is told.
pub async fn notify(call: Call, (cwd, apart): (String, PathBuf), events: Sender<Event>) {
    let called = match folder(&cwd, &apart) {
        Ok(cwd) => run_notify_command(call, &cwd).await,
        Err(error) => Err(error),
    };
    if let Err(error) = called {
        tracing::warn!(%error, "the notify command failed");
        let what = format!("the [notify] command did not call you: {error}");
        let _ = events.send(Event::Trouble { what }).await;
    }
}

async fn run_notify_command(call: Call, cwd: &str) -> Result<(), String> {
    let Call { command, json, agreed } = call;
    check(&command, cwd, None, agreed).await?;
    // A folder that has gone keeps nobody from being called.
    let cwd = Some(cwd).filter(|cwd| std::path::Path::new(cwd).is_dir());
    let mut child = spawn(&command, cwd, None)?;
    let called = tokio::time::timeout(NOTIFY_TIME, converse(&mut child, json.into_bytes())).await;
    end_tree(&mut child).await;
    let seconds = NOTIFY_TIME.as_secs();
    called.unwrap_or_else(|_| Err(format!("it took longer than {seconds} s and was ended"))).map(|_| ())
}
