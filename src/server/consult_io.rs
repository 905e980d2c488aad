//! Consultants that are commands, context files, and the command that calls a person.
//!
//! Started by the server's loop. A command ends at its deadline or when it is no longer wanted, with
//! everything it started.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use nix::sys::signal::Signal;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::process::{Child, Command};
use tokio::sync::oneshot;

use crate::os::proc;

use super::effect::ConsultRun;

/// Largest answer read from a command; a consultant's last object is never further in.
const MAX_ANSWER: u64 = 1024 * 1024;
/// Files one consultation may bring along.
const MAX_FILES: usize = 64;
/// How long the command that calls a person may take.
const NOTIFY_TIME: Duration = Duration::from_secs(10);

/// Runs a command consultant. `cancel` fires (or is dropped) when its answer is no longer wanted.
pub async fn consult(run: ConsultRun, cancel: oneshot::Receiver<()>) -> Result<String, String> {
    let timeout = Duration::from_millis(run.timeout_ms);
    let mut child = spawn(&run.command, Some(&run.cwd), Some(&run.env))?;
    let pid = child.id();
    let seconds = run.timeout_ms / 1000;
    let said = tokio::select! {
        said = converse(&mut child, run.stdin.into_bytes()) => said,
        () = tokio::time::sleep(timeout) => Err(format!("it did not answer within {seconds} s")),
        _ = cancel => Err("its answer is no longer wanted".to_owned()),
    };
    end_tree(&mut child, pid).await;
    said
}

fn spawn(
    command: &[String],
    cwd: Option<&str>,
    env: Option<&BTreeMap<String, String>>,
) -> Result<Child, String> {
    let (program, args) = command.split_first().ok_or("its command is empty")?;
    let mut command = Command::new(program);
    command.args(args).process_group(0).kill_on_drop(true);
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
    if !status.success() && answer.is_empty() {
        return Err(format!("it failed ({status})"));
    }
    Ok(String::from_utf8_lossy(&answer).into_owned())
}

/// Ends a command and whatever it started.
async fn end_tree(child: &mut Child, pid: Option<u32>) {
    if let Some(pid) = pid {
        for process in proc::tree(pid) {
            let _ = proc::send(&process, Signal::SIGKILL);
        }
        if let Ok(group) = i32::try_from(pid) {
            let _ = nix::sys::signal::killpg(nix::unistd::Pid::from_raw(group), Signal::SIGKILL);
        }
    }
    let _ = child.start_kill();
    let _ = child.wait().await;
}

/// Calls a person: the question as JSON on standard input.
pub async fn notify(command: Vec<String>, json: String) {
    let done = async {
        let mut child = spawn(&command, None, None)?;
        converse(&mut child, json.into_bytes()).await
    };
    match tokio::time::timeout(NOTIFY_TIME, done).await {
        Ok(Ok(_)) => {}
        Ok(Err(error)) => tracing::warn!(%error, "the notify command failed"),
        Err(_) => tracing::warn!("the notify command took too long and was ended"),
    }
}

/// The context files that match the patterns, newest first, as much of them as fits.
pub fn context(cwd: &Path, patterns: &[String], max_bytes: usize) -> Vec<(String, String)> {
    let mut found: Vec<(std::time::SystemTime, PathBuf)> = Vec::new();
    for pattern in patterns {
        let absolute = cwd.join(pattern);
        let Ok(paths) = glob::glob(&absolute.to_string_lossy()) else { continue };
        for path in paths.flatten().filter(|path| path.is_file()) {
            let changed = path.metadata().and_then(|data| data.modified());
            found.push((changed.unwrap_or(std::time::UNIX_EPOCH), path));
        }
    }
    found.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
    found.dedup_by(|a, b| a.1 == b.1);
    let mut left = max_bytes;
    let mut files = Vec::new();
    for (_, path) in found.into_iter().take(MAX_FILES) {
        let Ok(text) = read_start(&path, left) else { continue };
        left -= text.len();
        let name = path.strip_prefix(cwd).unwrap_or(&path).to_string_lossy().into_owned();
        files.push((name, text));
        if left == 0 {
            break;
        }
    }
    files
}

fn read_start(path: &Path, max_bytes: usize) -> std::io::Result<String> {
    use std::io::Read;
    let mut bytes = Vec::new();
    std::fs::File::open(path)?.take(max_bytes as u64).read_to_end(&mut bytes)?;
    let mut text = String::from_utf8_lossy(&bytes).into_owned();
    while text.len() > max_bytes {
        text.pop();
    }
    Ok(text)
}
