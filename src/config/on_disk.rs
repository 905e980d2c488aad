//! Whether the folders, programs and users that a configuration names are there: slips that would otherwise show when an agent is
//! started, or a person called.
//!
//! `counsel config check` asks. A configuration may be right for another machine, so nothing else does.

use std::ffi::OsString;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use crate::core::agent::Isolate;

use super::error::ConfigError;
use super::source::{Sources, Step};

/// What is missing, each with its place in the file.
///
/// `worktree`: whether a worktree can be called so; `user`: whether this machine has such a user.
pub fn missing(
    sources: &Sources,
    worktree: &dyn Fn(&str) -> Result<(), String>,
    user: &dyn Fn(&str) -> bool,
) -> Vec<ConfigError> {
    let mut faults = Vec::new();
    let least = sources.each().map(|source| source.file.security.isolate).max().unwrap_or_default();
    for source in sources.each() {
        let file = &source.file;
        for (at, agent) in file.agent.iter().enumerate() {
            let path = |key| [Step::Key("agent"), Step::Index(at), Step::Key(key)];
            let cwd = agent.cwd.as_deref().unwrap_or(".");
            if !Path::new(cwd).is_dir() {
                faults.push(source.error(&path("cwd"), format!("there is no folder {cwd}")));
            }
            if let Some(Err(why)) = agent.worktree.as_deref().map(worktree) {
                faults.push(source.error(&path("worktree"), why));
            }
            if agent.isolate.unwrap_or_default().max(least) == Isolate::Uid && agent.user.is_none() {
                let what = "isolate = \"uid\" wants user = \"NAME\" beside it: as whom it runs";
                faults.push(source.error(&path("isolate"), what));
            }
            if let Some(name) = agent.user.as_deref().filter(|name| !user(name)) {
                faults.push(source.error(&path("user"), format!("there is no user {name} on this machine")));
            }
            let search = agent.env.get("PATH").or(agent.file_env.get("PATH")).map(OsString::from);
            let (key, program) = match agent.wrap.first() {
                Some(program) => ("wrap", program),
                None => ("command", &agent.command[0]),
            };
            if find(program, Path::new(cwd), search).is_none() {
                faults.push(source.error(&path(key), no_program(program)));
            }
        }
        for (at, consultant) in file.consultant.iter().enumerate() {
            let path = [Step::Key("consultant"), Step::Index(at), Step::Key(consultant.key())];
            // Relative ones are found from the asking agent's folder.
            let program = &consultant.words()[0];
            if (!program.contains('/') || program.starts_with('/'))
                && find(program, Path::new("/"), None).is_none()
            {
                faults.push(source.error(&path, no_program(program)));
            }
        }
        if let Some(program) = file.notify.command.first()
            && find(program, Path::new("."), None).is_none()
        {
            let path = [Step::Key("notify"), Step::Key("command")];
            faults.push(source.error(&path, no_program(program)));
        }
    }
    faults
}

fn no_program(program: &str) -> String {
    format!("there is no program {program}; install it, or write its path")
}

/// Where a program would be started from: on this PATH, or else on that of this process; a path counts from `cwd`.
fn find(program: &str, cwd: &Path, search: Option<OsString>) -> Option<PathBuf> {
    let runs = |path: &PathBuf| {
        std::fs::metadata(path).is_ok_and(|meta| meta.is_file() && meta.permissions().mode() & 0o111 != 0)
    };
    if program.contains('/') {
        return Some(cwd.join(program)).filter(runs);
    }
    let search = search.or_else(|| std::env::var_os("PATH"))?;
    std::env::split_paths(&search).map(|folder| folder.join(program)).find(runs)
}
