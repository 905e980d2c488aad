//! The folders and files counsel lives in: whose they are, whether there is room, whether they are right.

use std::os::unix::fs::MetadataExt;
use std::path::Path;

use crate::config::{Config, Places, load};
use crate::core::trust::Trust;
use crate::os::paths;

use super::super::link::Global;
use super::super::{out, trust};
use super::finding::Finding;
use super::programs;

/// Less than this is soon full of recordings; the log of one busy day is about as large.
const FREE_MIB: u64 = 64;

pub fn folders(global: &Global) -> Vec<Finding> {
    let runtime = match &global.named() {
        // Where that socket lies is the user's choice; only the folder beside it is counsel's own.
        Some(socket) => paths::keeper_place(socket),
        None => paths::runtime_place(),
    };
    let mut findings = vec![folder("runtime folder", &runtime, "COUNSEL_RUNTIME_DIR")];
    if let Err(why) =
        paths::socket_place(global.named().as_deref()).and_then(|path| paths::fits_socket(&path))
    {
        findings.push(Finding::fail("socket", why, "set COUNSEL_RUNTIME_DIR to a short path"));
    }
    findings.push(match paths::state_place() {
        Ok(state) => folder("state folder", &state, "COUNSEL_STATE_DIR"),
        Err(why) => Finding::fail("state folder", why, "set COUNSEL_STATE_DIR to a folder of yours"),
    });
    findings
}

fn folder(check: &'static str, dir: &Path, variable: &str) -> Finding {
    let shown = dir.display();
    let mode = match paths::inspect(dir) {
        Ok(mode) => mode,
        Err(why) => return Finding::fail(check, why, format!("or set {variable} to another one")),
    };
    // Until it is made, the folder it will stand in counts.
    let there = dir.ancestors().find(|above| above.is_dir()).unwrap_or(Path::new("/"));
    if let Err(error) = nix::unistd::access(there, nix::unistd::AccessFlags::W_OK) {
        let what = format!("{} cannot be written to: {}", there.display(), error.desc());
        let own = there.metadata().is_ok_and(|meta| meta.uid() == nix::unistd::geteuid().as_raw());
        let mend = match own {
            true => format!("chmod u+w {}, or set {variable} to another folder", there.display()),
            false => format!("set {variable} to a folder of yours"),
        };
        return Finding::fail(check, what, mend);
    }
    let free_mib = free_mib(there);
    if let Some(free_mib) = free_mib
        && free_mib < FREE_MIB
    {
        let what = format!("{shown}: only {free_mib} MiB free for the log and the recordings");
        return Finding::warn(check, what, format!("make room, or set {variable}"));
    }
    let room = free_mib.map(|mib| format!(", {mib} MiB free")).unwrap_or_default();
    match mode {
        Some(mode) => Finding::ok(check, format!("{shown}, yours, mode {mode:04o}{room}")),
        None => Finding::ok(check, format!("{shown}, made when it is needed{room}")),
    }
}

#[allow(clippy::useless_conversion, reason = "these numbers have 32 bits on some systems")]
fn free_mib(dir: &Path) -> Option<u64> {
    let fs = nix::sys::statvfs::statvfs(dir).ok()?;
    Some((u64::from(fs.blocks_available()) * u64::from(fs.fragment_size())) >> 20)
}

/// The configuration of this folder, and whether its agents' programs are there.
pub fn config(places: &Places) -> Vec<Finding> {
    let config: Config = match load(places) {
        Ok(config) => config,
        Err(error) => {
            return vec![Finding::fail("config", error.to_string(), "correct it; 'counsel config check'")];
        }
    };
    let files = match config.files.as_slice() {
        [] => "no file; the defaults hold".to_owned(),
        files => format!("{}, {}", files.join(", "), out::count(config.agents.len(), "agent")),
    };
    let mut findings = vec![Finding::ok("config", files)];
    match trust::standing(&config) {
        Ok(Trust::Given) => {}
        Ok(Trust::Changed | Trust::Never) => {
            let what = "the project's file is not trusted as it stands: only what it forbids is followed";
            findings.push(Finding::warn("config", what, "look at it with 'counsel trust'"));
        }
        Err(failure) => findings.push(Finding::fail("config", failure.message, "remove that file")),
    }
    for warning in &config.warnings {
        let mend = "move it to your own file, or leave it out";
        findings.push(Finding::warn("config", warning.clone(), mend));
    }
    let agents =
        config.agents.iter().map(|agent| (&agent.name, agent.wrap.first().or(agent.command.first())));
    let consultants = config.policy.consultants.iter().map(|one| (&one.name, one.words().first()));
    for (name, program) in agents.chain(consultants) {
        let Some(program) = program else { continue };
        if programs::find(program).is_none() {
            let what = format!("{name}: there is no program {program}");
            findings.push(Finding::warn("config", what, format!("install {program}, or write its path")));
        }
    }
    findings
}
