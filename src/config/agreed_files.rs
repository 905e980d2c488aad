//! What a person agrees to besides the words of a project's file: what is in the files that its commands run.
//!
//! `load.rs` calls it. It looks at the disk, asks git where a worktree lies, and changes nothing.

use std::fs;
use std::path::{Path, PathBuf};

use crate::core::trust::{Agreed, Part};
use crate::os::git::place::Place;
use crate::os::named_files::{self, Scope};

use super::effective::Config;
use super::project::{Project, summary};
use super::source::{Source, Sources};
use super::types::Agent;

/// A script whose words are kept to show later what changed in them; more is read in an editor.
const SHOWN_BYTES: usize = 64 * 1024;

/// The project's part of a configuration: what was to be agreed to, and what its commands may run from now on. Its agents'
/// folders are absolute by now. `named`: by a person, for this run.
pub fn add(config: &mut Config, sources: &Sources, path: PathBuf, named: bool) {
    let Some(source) = &sources.project else { return };
    let folder = path.parent().unwrap_or(Path::new("/")).to_path_buf();
    let works: Vec<Vec<PathBuf>> = source.file.agent.iter().map(works_in).collect();
    let folders = folders(&works, &folder);
    let scope = Scope::new(folders.iter().map(PathBuf::as_path), None);
    let mut parts = vec![Part::shown(file_name(&path), &source.text)];
    if let (Some(name), Some(text)) = (&source.file.consult.template, &source.template) {
        parts.push(Part::shown(name, text));
    }
    let in_worktrees = source.file.agent.iter().filter(|agent| agent.worktree.is_some());
    let in_worktrees = in_worktrees.map(|agent| agent.name.clone()).collect();
    let mut digests = Vec::new();
    for (path, secret) in files(source, &works, &folders, &scope) {
        let name = name_in(&folder, &path);
        if parts.iter().any(|part| part.name == name) {
            continue;
        }
        let part = part(name, &path, secret);
        if checked_out_from(&works, &path).is_some_and(|origin| is_listed(&parts, &origin, &folder, &part)) {
            continue;
        }
        digests.push(part.digest.clone());
        parts.push(part);
    }
    let mine =
        |name: &String| sources.own.iter().all(|own| own.file.consultant.iter().all(|c| c.name != *name));
    config.policy.agreed = Some(Agreed {
        folders: folders.iter().map(|folder| folder.display().to_string()).collect(),
        digests,
        consultants: source.file.consultant.iter().map(|c| c.name.clone()).filter(mine).collect(),
        notify: !source.file.notify.command.is_empty()
            && config.policy.notify.command == source.file.notify.command,
    });
    let file = fs::canonicalize(&path).unwrap_or(path);
    config.project = Some(Project { file, named, parts, in_worktrees, summary: summary(source) });
}

/// What a file is called in what is agreed to.
fn name_in(folder: &Path, path: &Path) -> String {
    path.strip_prefix(folder).unwrap_or(path).display().to_string()
}

fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
}

/// Where an agent works: its folder, and the same in its worktree if that is there. One that is still to be made is looked
/// at once it has been.
fn works_in(agent: &Agent) -> Vec<PathBuf> {
    let folder = PathBuf::from(agent.cwd.as_deref().unwrap_or("/"));
    let place = agent.worktree.as_deref().and_then(|name| Place::of(&folder, name).ok());
    let there = place.filter(|place| place.path.is_dir()).map(|place| place.folder());
    std::iter::once(folder).chain(there).collect()
}

/// The file of a project that one in an agent's worktree is a copy of, by its place.
fn checked_out_from(works: &[Vec<PathBuf>], path: &Path) -> Option<PathBuf> {
    works.iter().find_map(|places| match places.as_slice() {
        [folder, worktree] => path.strip_prefix(worktree).ok().map(|inner| folder.join(inner)),
        _ => None,
    })
}

/// Whether these words are agreed to already, in the folder that the worktree was made of: making one changes nothing.
fn is_listed(parts: &[Part], origin: &Path, folder: &Path, copy: &Part) -> bool {
    let name = name_in(folder, origin);
    parts.iter().any(|part| part.name == name && part.digest == copy.digest)
}

/// Where the project is, and where its agents work.
fn folders(works: &[Vec<PathBuf>], folder: &Path) -> Vec<PathBuf> {
    let mut folders = vec![folder.to_path_buf()];
    for cwd in works.iter().flatten() {
        if !folders.contains(cwd) {
            folders.push(cwd.clone());
        }
    }
    folders
}

/// The files that its commands name, and of each whether it may hold secrets. `works`: where each of its agents works.
fn files(
    source: &Source,
    works: &[Vec<PathBuf>],
    folders: &[PathBuf],
    scope: &Scope,
) -> Vec<(PathBuf, bool)> {
    let file = &source.file;
    let mut named: Vec<(PathBuf, bool)> = Vec::new();
    let mut add = |words: &[String], cwd: &Path, secret: bool| {
        named.extend(scope.of_command(words, cwd).into_iter().map(|path| (path, secret)));
    };
    for (agent, places) in file.agent.iter().zip(works) {
        let words: Vec<String> =
            agent.wrap.iter().chain(&agent.command).chain(&agent.args).cloned().collect();
        for cwd in places {
            add(&words, cwd, false);
            // The PATH that it brings along, read where the agent runs.
            for search in [&agent.env, &agent.file_env].into_iter().filter_map(|env| env.get("PATH")) {
                let theirs = scope.with_path(search);
                let programs = theirs.of_command(&words, cwd).into_iter().chain(theirs.of_path(cwd));
                let programs: Vec<String> =
                    programs.map(|path| path.to_string_lossy().into_owned()).collect();
                programs.iter().for_each(|path| add(std::slice::from_ref(path), cwd, false));
            }
            let values = agent.env.values().chain(agent.file_env.values());
            values.for_each(|value| add(std::slice::from_ref(value), cwd, true));
        }
        let beside = PathBuf::from(agent.cwd.as_deref().unwrap_or("/"));
        agent.env_file.iter().for_each(|path| add(std::slice::from_ref(path), &beside, true));
    }
    // They run where the agent works that asks.
    for words in file.consultant.iter().map(|one| one.words()).chain([&file.notify.command]) {
        folders.iter().for_each(|cwd| add(words, cwd, false));
    }
    named
}

fn part(name: String, path: &Path, secret: bool) -> Part {
    match named_files::read(path) {
        Ok(bytes) => match std::str::from_utf8(&bytes) {
            Ok(text) if !secret && bytes.len() <= SHOWN_BYTES => Part::shown(name, text),
            _ => Part::hidden(name, &bytes),
        },
        Err(error) => Part::hidden(format!("{name} (cannot be looked at: {error})"), b""),
    }
}
