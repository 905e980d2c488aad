//! `counsel record`: an agent's output as asciicast v2.
//!
//! The server writes the file; whether it may is found out here first, for the server has nobody to tell. A request that
//! is refused touches no file.

use std::fs::{File, OpenOptions, Permissions};
use std::io;
use std::os::unix::fs::{FileTypeExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use nix::libc;
use serde_json::json;

use crate::core::question::State;
use crate::os::new_file::PRIVATE;
use crate::wire::Request;

use super::complete;
use super::failure::{Failure, unwritten};
use super::link::{Acting, Global};

/// Record an agent's output as asciicast v2 from now on
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The agent
    #[arg(add = complete::agents())]
    name: String,
    /// The file; without it a running recording ends
    file: Option<PathBuf>,
    /// Replace the file if there is one
    #[arg(long, requires = "file")]
    force: bool,
    #[command(flatten)]
    acting: Acting,
}

pub fn run(args: &Args, global: &Global) -> Result<ExitCode, Failure> {
    let mut server = global.with_agent(&args.name)?;
    let agent = server.agent(&args.name)?;
    let Some(file) = &args.file else {
        if let (None, Some(file)) = (&agent.recording, &agent.auto_recording) {
            return Err(goes_on(file));
        }
        server.tell(Request::Record { name: args.name.clone(), path: None })?;
        let (did, words) = match &agent.recording {
            Some(file) if !Path::new(file).exists() => {
                let why = format!("the recording has ended, and {file} is not there any more");
                return Err(format!("{why}: somebody has moved or removed it").into());
            }
            Some(_) => {
                ("recording ended", agent.auto_recording.as_deref().map(|file| still(&args.name, file)))
            }
            None => ("nothing", Some(format!("{} is not being recorded", args.name))),
        };
        let shown = json!({ "name": args.name, "did": did, "file": agent.recording });
        args.acting.did(&shown, words.as_deref())?;
        return Ok(ExitCode::SUCCESS);
    };
    if agent.failed.is_some() {
        // The server says why it does not run, and no file is touched.
        server.tell(Request::Record { name: args.name.clone(), path: None })?;
    } else if agent.state == State::Exited {
        let what = format!(
            "{} has exited, and prints no more; run 'counsel restart {}' first",
            args.name, args.name
        );
        return Err(what.into());
    }
    let here =
        std::env::current_dir().map_err(|error| format!("could not find the current folder: {error}"))?;
    let path = here.join(file);
    let shown = path.to_str().ok_or_else(|| super::start::no_text(&path))?.to_owned();
    let made = claim(&path, args.force)?;
    let asked = server.tell(Request::Record { name: args.name.clone(), path: Some(shown.clone()) });
    if asked.is_err() && made {
        // It is empty, and was made for this request alone.
        let _ = std::fs::remove_file(&path);
    }
    asked?;
    // One at a time: that the other ends here is said, for whoever made it may still count on it.
    let ended = agent.recording.filter(|file| *file != shown);
    let words = ended.as_ref().map(|file| format!("{} is no longer recorded to {file}", args.name));
    let did = json!({ "name": args.name, "did": "recording", "file": shown, "ended": ended });
    args.acting.did(&did, words.as_deref())?;
    Ok(ExitCode::SUCCESS)
}

/// That the recording an agent gets by itself goes on.
fn still(name: &str, file: &str) -> String {
    format!("{name} is still recorded to {file}, by `[record] auto`")
}

/// It is not one agent's to end: the next server would begin another.
fn goes_on(file: &str) -> Failure {
    let how = "'auto = false' in the [record] table of your own file and 'counsel server restart' end it, for all agents";
    Failure::new(1, format!("could not end the recording: it goes to {file} by `[record] auto`; {how}"))
}

/// Makes sure that a recording can be written there; true if the file is new. One that is there keeps what it holds.
fn claim(path: &Path, force: bool) -> Result<bool, Failure> {
    let cannot =
        |why: &dyn std::fmt::Display| Failure::from(format!("could not record to {}: {why}", path.display()));
    let new = OpenOptions::new().create_new(true).write(true).mode(PRIVATE).open(path);
    match new {
        Ok(_) => return Ok(true),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
        Err(error) => return Err(cannot(&unwritten(path, &error))),
    }
    if !force {
        return Err(cannot(&"the file exists; name another, or say --force"));
    }
    // A FIFO without a reader would hold up whoever opens it.
    let there = OpenOptions::new().write(true).custom_flags(libc::O_NONBLOCK).open(path);
    let kind = |file: File| {
        let kind = file.metadata()?.file_type();
        if kind.is_file() {
            // It is to hold whatever the agent shows.
            file.set_permissions(Permissions::from_mode(PRIVATE))?;
        }
        Ok(kind)
    };
    match there.and_then(kind) {
        Ok(kind) if kind.is_file() => Ok(false),
        Ok(kind) if kind.is_fifo() => Err(cannot(&"it is a pipe; a recording is a file")),
        Ok(_) => Err(cannot(&"it is no file")),
        Err(error) if error.raw_os_error() == Some(libc::ENXIO) => {
            Err(cannot(&"it is a pipe; a recording is a file"))
        }
        Err(error) => Err(cannot(&unwritten(path, &error))),
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::MetadataExt;

    use super::*;

    #[test]
    fn a_recording_that_goes_on_is_not_told_to_be_none() {
        let failure = goes_on("/state/recordings/api-1.cast");
        assert_eq!(failure.code, 1);
        let words = ["/state/recordings/api-1.cast", "auto = false", "counsel server restart"];
        assert!(words.iter().all(|word| failure.message.contains(word)), "{}", failure.message);
    }

    /// It held whatever the agent showed, and stayed everybody's to read.
    #[test]
    fn a_file_that_was_there_is_its_owners_alone_once_it_is_recorded_to() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.cast");
        std::fs::write(&path, "mine").unwrap();
        std::fs::set_permissions(&path, Permissions::from_mode(0o644)).unwrap();
        assert!(claim(&path, false).is_err());
        assert_eq!(path.metadata().unwrap().mode() & 0o777, 0o644, "it was not touched");
        assert!(!claim(&path, true).unwrap_or(true));
        assert_eq!(path.metadata().unwrap().mode() & 0o777, 0o600);
        assert_eq!(std::fs::read(&path).unwrap(), b"mine");
    }
}
