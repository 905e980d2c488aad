//! `counsel diff`: what an agent has changed against where it began.

use std::io::IsTerminal;
use std::path::PathBuf;
use std::process::ExitCode;

use serde_json::json;

use crate::core::visible::visible;
use crate::os::git::changes::{self, Changed, Changes};
use crate::os::paths;

use super::begun::{self, Begun};
use super::failure::Failure;
use super::link::Global;
use super::table::{Cell, Style, Table};
use super::{complete, out};

/// Show what an agent has changed since it was started
///
/// Everything that is different in its repository from the commit it began at: committed or not, new files included. An
/// agent without a worktree of its own shares its folder, and its changes cannot be told from those of others there.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The agent; it may have been stopped
    #[arg(add = complete::agents())]
    name: String,
    /// Only the files, with lines added and removed
    #[arg(long)]
    stat: bool,
    /// The files as one JSON object
    #[arg(long)]
    json: bool,
}

pub fn run(args: &Args, global: &Global) -> Result<ExitCode, Failure> {
    let begun = began(args, global)?;
    let scratch = paths::state_dir()?.join(format!("diff-{}.index", std::process::id()));
    let changes = Changes::since(&begun.folder, &begun.commit, scratch)?;
    for path in changes.no_files() {
        out::complain(&format!("{path} is not shown: it is a pipe, a socket or a device now"));
    }
    if args.json || args.stat {
        return files(args, &begun, &changes.files()?);
    }
    let patch = changes.patch()?;
    // Another program gets the patch as it is; on a terminal nothing in a file may act.
    // Whoever asked for colours in a pipe sees them on a terminal in the end.
    match std::io::stdout().is_terminal() || out::colored() {
        true => patch.lines().try_for_each(|line| out::line(&painted(line)))?,
        false => out::raw(patch.as_bytes())?,
    }
    Ok(ExitCode::SUCCESS)
}

/// Where the agent began: as it was noted, else where its worktree's branch leaves the others.
fn began(args: &Args, global: &Global) -> Result<Begun, Failure> {
    let agents = match global.running()? {
        Some(mut server) => server.agents()?,
        None => Vec::new(),
    };
    let listed = agents.into_iter().find(|agent| agent.name == args.name);
    let (begun, name) = (begun::read(&args.name), &args.name);
    // One that was not started works nowhere; under an earlier start it may have changed something.
    if let (None, Some(why)) = (&begun, listed.as_ref().and_then(|agent| agent.failed.as_ref())) {
        let again = format!("'counsel up', or 'counsel start {name} -- COMMAND', tries again");
        return Err(format!("{name} has changed nothing, for it does not run: {why}; {again}").into());
    }
    let folder = listed.filter(|agent| agent.failed.is_none()).map(|agent| PathBuf::from(agent.cwd));
    match (begun, folder) {
        (Some(begun), None) => Ok(begun),
        (Some(begun), Some(folder)) if begun.folder == folder => Ok(begun),
        (_, Some(folder)) => match changes::fork_point(&folder) {
            Ok(commit) => Ok(Begun { folder, commit }),
            Err(why) => Err(format!(
                "where {} began is not known: {why}; changes are shown since a commit of a git repository",
                args.name
            )
            .into()),
        },
        (None, None) => Err(Failure::new(3, format!("there is no agent '{}'; see 'counsel ls'", args.name))),
    }
}

fn files(args: &Args, begun: &Begun, files: &[Changed]) -> Result<ExitCode, Failure> {
    if args.json {
        let all: Vec<_> = files
            .iter()
            .map(|file| json!({ "path": file.path, "added": file.added, "removed": file.removed }))
            .collect();
        out::json(&json!({
            "name": args.name, "since": begun.commit, "folder": begun.folder, "files": all,
        }))?;
        return Ok(ExitCode::SUCCESS);
    }
    if files.is_empty() {
        return out::line("nothing was changed").map(|()| ExitCode::SUCCESS);
    }
    let mut table = Table::new(["ADDED", "REMOVED", "FILE"]);
    let lines = |lines: Option<u64>| lines.map_or("binary".to_owned(), |lines| lines.to_string());
    for file in files {
        table.row([
            Cell::new(lines(file.added), Style::Green),
            Cell::new(lines(file.removed), Style::Red),
            (&file.path).into(),
        ]);
    }
    table.print()?;
    Ok(ExitCode::SUCCESS)
}

/// A line of a patch for a person's terminal.
fn painted(line: &str) -> String {
    let style = match line.as_bytes() {
        [b'+', b'+', b'+', ..] | [b'-', b'-', b'-', ..] => Style::Bold,
        [b'+', ..] => Style::Green,
        [b'-', ..] => Style::Red,
        [b'@', ..] => Style::Blue,
        [b' ', ..] => Style::Plain,
        _ => Style::Bold,
    };
    style.paint(&visible(&line.replace('\t', "    ")))
}
