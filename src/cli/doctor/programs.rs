//! The agent programs on the PATH: which versions, and whether detection was measured on them.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

use crate::config::{Places, load_untrusted, profiles};
use crate::core::profile::LazyProfile;
use crate::os::run_command;

use super::super::start::locate;
use super::finding::{Finding, version_in};

/// Programs on node or Python take about a second to say their version, on a busy machine a few.
const VERSION_LIMIT: Duration = Duration::from_secs(5);

/// Every program a profile knows that can be started from here.
pub fn agents(places: &Places) -> Vec<Finding> {
    let profiles = match profiles(places) {
        Ok(profiles) => profiles,
        Err(failure) => {
            return vec![Finding::fail("profiles", failure.to_string(), "correct the file, or remove it")];
        }
    };
    let security = load_untrusted(places).map(|config| config.security).unwrap_or_default();
    let known = profiles.names().filter_map(|name| profiles.get(name));
    let known: Vec<Arc<LazyProfile>> = known.filter(|profile| !profile.verified.is_empty()).collect();
    // At once: together they take as long as the slowest.
    let asked: Vec<_> = known
        .iter()
        .flat_map(|profile| profile.commands.iter().map(move |command| (profile.clone(), command.clone())))
        .filter_map(|(profile, command)| Some((profile, find(&command)?, command)))
        .map(|(profile, path, command)| {
            let permitted = security.permits(&command, "/", None, &locate).map(drop);
            let unasked = format!("{command} could not be asked for its version");
            let ask = move || match permitted {
                Ok(()) => agent(&profile, &command, &path),
                Err(why) => Finding::ok("agent", format!("{why}; it was not asked for its version")),
            };
            std::thread::Builder::new().spawn(ask).map_err(|error| format!("{unasked}: {error}"))
        })
        .collect();
    let findings: Vec<Finding> = asked
        .into_iter()
        .filter_map(|asked| match asked {
            Ok(thread) => thread.join().ok(),
            Err(why) => Some(Finding::warn("agent", why, "see whose processes they are with 'ps'")),
        })
        .collect();
    if !findings.is_empty() {
        return findings;
    }
    let names: Vec<&str> = known.iter().filter_map(|p| Some(p.commands.first()?.as_str())).collect();
    let what = format!("none of {} is on the PATH", names.join(", "));
    vec![Finding::warn("agents", what, "install one, or add its folder to PATH; 'counsel demo' needs none")]
}

fn agent(profile: &LazyProfile, command: &str, path: &Path) -> Finding {
    let shown = path.display();
    let said = match run_command::run(Command::new(path).arg("--version"), VERSION_LIMIT) {
        Ok(said) if said.status.success() => said,
        Ok(said) => {
            let words = said.err.lines().next().unwrap_or_default().trim().to_owned();
            let what = format!("{command} ({shown}) does not tell its version ({}): {words}", said.status);
            return Finding::warn(
                "agent",
                what,
                format!("run '{command} --version'; reinstall it if it fails"),
            );
        }
        Err(silent) => {
            let what = format!("{command} ({shown}) does not tell its version: {silent}");
            return Finding::warn("agent", what, format!("run '{command} --version'"));
        }
    };
    let version = version_in(&said.out).or_else(|| version_in(&said.err));
    let Some(version) = version else {
        let what = format!("{command} ({shown}) says no version that can be read");
        return Finding::warn("agent", what, format!("run '{command} --version'; is it another program?"));
    };
    let number = version.iter().map(u32::to_string).collect::<Vec<_>>().join(".");
    let verified: Vec<Vec<u32>> = profile.verified.iter().filter_map(|text| version_in(text)).collect();
    let mend =
        format!("if a dialog goes unseen: 'counsel explain NAME', 'counsel record NAME FILE' ({command})");
    match (verified.iter().min(), verified.iter().max()) {
        _ if verified.contains(&version) => {
            Finding::ok("agent", format!("{command} {number} ({shown}), verified"))
        }
        (Some(_), Some(newest)) if version > *newest => {
            let newest = profile.verified.last().map(String::as_str).unwrap_or_default();
            let what = format!("{command} {number} ({shown}) is newer than any verified version ({newest})");
            Finding::warn("agent", what, mend)
        }
        (Some(oldest), Some(_)) if version < *oldest => {
            let oldest = profile.verified.first().map(String::as_str).unwrap_or_default();
            let what = format!("{command} {number} ({shown}) is older than any verified version ({oldest})");
            Finding::warn("agent", what, format!("update {command}; {mend}"))
        }
        _ => {
            let list = profile.verified.join(", ");
            Finding::ok("agent", format!("{command} {number} ({shown}), between verified versions ({list})"))
        }
    }
}

/// Where a program would be started from, as the shell finds it. A folder on the PATH that counts from where one is may be a
/// cloned repository's: what lies there is not run to ask for its version.
pub fn find(program: &str) -> Option<PathBuf> {
    let runs = |path: &PathBuf| {
        std::fs::metadata(path).is_ok_and(|meta| meta.is_file() && meta.permissions().mode() & 0o111 != 0)
    };
    if program.contains('/') {
        return Some(PathBuf::from(program)).filter(runs);
    }
    let path = std::env::var_os("PATH")?;
    let folders = std::env::split_paths(&path).filter(|folder| folder.is_absolute());
    folders.map(|folder| folder.join(program)).find(runs)
}
