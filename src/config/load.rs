//! Finds and reads the files: the only part of this folder that touches the disk or the environment.
//!
//! Called by the command line. It writes nothing.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use crate::core::agent::AgentSpec;
use crate::core::consult::check_template;
use crate::core::profile::GENERIC;
use crate::os::regular_file;

use super::agreed_files;
use super::check::{check, faults as faults_of};
use super::effective::Config;
use super::error::ConfigError;
use super::merge::{leaves, merge};
use super::not_permitted;
use super::on_disk;
use super::places::{FILE_BYTES, Places, USER_FILE};

use super::security::Locate;
use super::source::{Source, Sources, Step};
use super::user_files;

/// Reads everything. `Ok` with no file at all: the defaults. Whether a project's file may be followed is the
/// caller's to find out: `Config::project` has what a person must have agreed to.
pub fn load(places: &Places) -> Result<Config, ConfigError> {
    let mut sources = sources(places)?;
    names(&sources, places)?;
    let left_out = other_profiles(&mut sources, places)?;
    let mut config = merge(&sources)?;
    config.warnings.extend(left_out);
    agreed_files::add(
        &mut config,
        &sources,
        places.project_file().unwrap_or_default(),
        places.file.is_some(),
    );
    Ok(config)
}

/// The same without anything a project's file starts, answers, silences or sets: what it forbids holds
/// whoever wrote it.
pub fn load_untrusted(places: &Places) -> Result<Config, ConfigError> {
    let mut sources = sources(places)?;
    sources.project = sources.project.map(|source| source.restrictions());
    names(&sources, places)?;
    let left_out = sources.project.as_ref().and_then(|_| places.project_file());
    Ok(Config { left_out, ..merge(&sources)? })
}

/// The user's own file alone: where a project's file cannot be read, what it forbids is not known either.
pub fn load_own(places: &Places) -> Result<Config, ConfigError> {
    let sources = Sources { own: own_source(places)?, project: None };
    names(&sources, places)?;
    merge(&sources)
}

/// Folders, programs and users that the files name and this machine does not have.
///
/// # Errors
/// As `load`.
pub fn missing(
    places: &Places,
    worktree: &dyn Fn(&str) -> Result<(), String>,
    user: &dyn Fn(&str) -> bool,
) -> Result<Vec<ConfigError>, ConfigError> {
    Ok(on_disk::missing(&sources(places)?, worktree, user))
}

/// Commands that the files name and `[security]` refuses. `config` is what `load` made of them, `specs` its agents.
///
/// # Errors
/// As `load`.
pub fn refused(
    places: &Places,
    config: &Config,
    specs: &[AgentSpec],
    locate: Locate<'_>,
) -> Result<Vec<ConfigError>, ConfigError> {
    Ok(not_permitted::refused(&sources(places)?, config, specs, locate))
}

/// All that is wrong in the files by themselves, where `load` names the first of it.
pub fn faults(places: &Places) -> Vec<ConfigError> {
    let files = [(places.user_file(), true), (places.project_file(), false)];
    let files = files.into_iter().filter_map(|(path, own)| Some((path.filter(|path| is_there(path))?, own)));
    files.flat_map(|(path, own)| file_faults(&path, own, places)).collect()
}

fn file_faults(path: &Path, own: bool, places: &Places) -> Vec<ConfigError> {
    let (source, mut faults, cut) = match text_of(path, own, places) {
        Ok((name, text)) => Source::parse_what_fits(&name, own, &text),
        Err(error) => (None, vec![error], Vec::new()),
    };
    let Some(source) = source else { return faults };
    let unknown = unknown_names(&source, places).unwrap_or_else(|error| vec![error]);
    for fault in faults_of(&source).into_iter().chain(unknown) {
        // What does not fit was left out, and is not missing besides.
        let place = (fault.line, fault.column);
        if !cut.contains(&place) && !faults.iter().any(|told| (told.line, told.column) == place) {
            faults.push(fault);
        }
    }
    faults.sort_by_key(|fault| (fault.line, fault.column));
    faults
}

/// The files that are read, the strongest first, whatever is in them.
///
/// # Errors
/// The file that `-f` names is not there.
pub fn files(places: &Places) -> Result<Vec<String>, ConfigError> {
    let user_file = places.user_file();
    let own = user_file.clone().filter(|path| is_there(path));
    let project = places.project_file().filter(|path| user_file.as_ref() != Some(path));
    let name = |path: PathBuf| {
        let name = shown(&path, places);
        let there = fs::metadata(&path);
        there.map_err(|e| ConfigError::of_file(name.clone(), format!("cannot be read: {e}"))).map(|_| name)
    };
    project.into_iter().chain(own).map(name).collect()
}

/// Whether there is such a file, or one cannot know: with its folder closed to everybody, all that the user has forbidden in
/// there would be allowed.
fn is_there(path: &Path) -> bool {
    path.try_exists().unwrap_or(true)
}

fn own_source(places: &Places) -> Result<Option<Source>, ConfigError> {
    if let (Some(folder), None) = (&places.config_dir, &places.own_file) {
        // An isolated agent opens neither, and can close both.
        regular_file::give_back(&folder.join(USER_FILE));
    }
    let path = places.user_file().filter(|path| is_there(path));
    path.map(|path| read(&path, &places.cwd, true, places)).transpose()
}

fn sources(places: &Places) -> Result<Sources, ConfigError> {
    let (user_file, own) = (places.user_file(), own_source(places)?);
    let project = match places.project_file() {
        Some(path) if user_file.as_ref() == Some(&path) => None,
        Some(path) => {
            let folder = path.parent().unwrap_or(&places.cwd).to_path_buf();
            Some(read(&path, &folder, false, places)?)
        }
        None => None,
    };
    Ok(Sources { own, project })
}

/// Profiles, layouts and themes are named, not described: whether there is one of that name.
fn names(sources: &Sources, places: &Places) -> Result<(), ConfigError> {
    sources
        .each()
        .try_for_each(|source| unknown_names(source, places)?.into_iter().next().map_or(Ok(()), Err))
}

/// Names that nothing has.
fn unknown_names(source: &Source, places: &Places) -> Result<Vec<ConfigError>, ConfigError> {
    let mut unknown = Vec::new();
    let mut none = |path: &[Step<'_>], what: &str, name: &str, known: &[&str]| {
        let what = format!("there is no {what} '{name}'; there are {}", known.join(", "));
        unknown.push(source.error(path, what));
    };
    let named = source.file.agent.iter().enumerate();
    for (at, name) in named.filter_map(|(at, agent)| Some((at, agent.profile.as_deref()?))) {
        let profiles = user_files::profiles(places)?;
        if profiles.get(name).is_none() {
            let path = [Step::Key("agent"), Step::Index(at), Step::Key("profile")];
            none(&path, "profile", name, &profiles.names().collect::<Vec<_>>());
        }
    }
    let layout = &source.file.dashboard.layout;
    let layouts = user_files::layouts(places)?;
    let known: Vec<&str> = layouts.iter().map(|layout| layout.name.as_str()).collect();
    if !known.contains(&layout.as_str()) {
        none(&[Step::Key("dashboard"), Step::Key("layout")], "layout", layout, &known);
    }
    if let Some(theme) = &source.file.dashboard.theme {
        let (themes, nameless) = user_files::theme_names(places)?;
        let known: Vec<&str> = themes.iter().map(String::as_str).collect();
        if !known.contains(&theme.as_str()) {
            if let Some(fault) = nameless {
                return Err(fault);
            }
            none(&[Step::Key("dashboard"), Step::Key("theme")], "theme", theme, &known);
        }
    }
    Ok(unknown)
}

/// A project does not say that a program somebody described is another one: its dialogs would be judged by
/// rules it chose.
fn other_profiles(sources: &mut Sources, places: &Places) -> Result<Vec<String>, ConfigError> {
    let Some(project) = &mut sources.project else { return Ok(Vec::new()) };
    let profiles = user_files::profiles(places)?;
    let mut warnings = Vec::new();
    for at in 0..project.file.agent.len() {
        let agent = &project.file.agent[at];
        let words: Vec<String> = agent.command.iter().chain(&agent.args).cloned().collect();
        let known = profiles.for_command(&words).name.clone();
        if known != GENERIC && agent.profile.as_ref().is_some_and(|named| *named != known) {
            let path = [Step::Key("agent"), Step::Index(at), Step::Key("profile")];
            let what = format!("a project's file may not choose another profile than {known} here; left out");
            warnings.push(project.error(&path, what).to_string());
            project.file.agent[at].profile = None;
        }
    }
    Ok(warnings)
}

/// A file's name as it is shown: from here where it lies below.
fn shown(path: &Path, places: &Places) -> String {
    // Everything is below the root: where a server stands, a path is told whole.
    let name = path.strip_prefix(&places.cwd).ok().filter(|_| places.cwd.parent().is_some()).unwrap_or(path);
    // `-f .` is this folder.
    if name.as_os_str().is_empty() { Path::new(".") } else { name }.display().to_string()
}

fn parse(path: &Path, own: bool, places: &Places) -> Result<Source, ConfigError> {
    let (name, text) = text_of(path, own, places)?;
    Source::parse(&name, own, &text)
}

/// A file's name as it is shown, and what it says.
fn text_of(path: &Path, own: bool, places: &Places) -> Result<(String, String), ConfigError> {
    let name = shown(path, places);
    let given = if own { &places.own_file } else { &places.file };
    let bytes = match given.is_some() {
        true => regular_file::read_given(path, FILE_BYTES),
        false => regular_file::read_named(path, FILE_BYTES),
    };
    let bytes = bytes.map_err(|e| ConfigError::of_file(name.clone(), format!("cannot be read: {e}")))?;
    let text = text(&name, &bytes)?.to_owned();
    Ok((name, text))
}

/// What a file says, or where it stops being text.
fn text<'a>(name: &str, bytes: &'a [u8]) -> Result<&'a str, ConfigError> {
    std::str::from_utf8(bytes).map_err(|error| {
        let before = String::from_utf8_lossy(&bytes[..error.valid_up_to()]);
        let line = before.rsplit('\n').next().unwrap_or_default();
        ConfigError {
            line: before.matches('\n').count() + 1,
            column: line.chars().count() + 1,
            ..ConfigError::of_file(name, "this is no UTF-8 text; save the file as UTF-8")
        }
    })
}

/// One file, checked, with every path in it made absolute from `folder`.
fn read(path: &Path, folder: &Path, own: bool, places: &Places) -> Result<Source, ConfigError> {
    let mut source = parse(path, own, places)?;
    check(&source)?;
    // The user's own file holds everywhere, and so does what lies beside it: the server reads both from another folder.
    let beside = path.parent().unwrap_or(folder);
    for at in 0..source.file.agent.len() {
        settle(&mut source, at, (folder, beside), places)?;
    }
    // A project's file names a template below its own folder, or none: `merge` says so to the user.
    let template = source.file.consult.template.clone().filter(|path| own || !leaves(path));
    source.template =
        template.map(|path| read_template(&source, &places.absolute(&path, beside))).transpose()?;
    Ok(source)
}

/// A prompt template that can be used.
fn read_template(source: &Source, path: &Path) -> Result<String, ConfigError> {
    let fault = |what: String| {
        let blame = [Step::Key("consult"), Step::Key("template")];
        source.error(&blame, format!("{} {what}", path.display()))
    };
    let text = regular_file::read_named_text(path, FILE_BYTES)
        .map_err(|error| fault(format!("cannot be read: {error}")))?;
    check_template(&text).map_err(|why| fault(format!("cannot be used: {why}")))?;
    Ok(text)
}

fn settle(
    source: &mut Source,
    at: usize,
    (folder, beside): (&Path, &Path),
    places: &Places,
) -> Result<(), ConfigError> {
    let agent = &mut source.file.agent[at];
    let cwd = places.absolute(agent.cwd.as_deref().unwrap_or("."), folder);
    agent.cwd = Some(cwd.display().to_string());
    if agent.command[0].starts_with("~/") {
        agent.command[0] = places.absolute(&agent.command[0], folder).display().to_string();
    }
    let Some(env_file) = agent.env_file.clone() else { return Ok(()) };
    let path = places.absolute(&env_file, beside);
    let blame = [Step::Key("agent"), Step::Index(at), Step::Key("env_file")];
    let text = regular_file::read_named_text(&path, FILE_BYTES)
        .map_err(|e| source.error(&blame, format!("{} cannot be read: {e}", path.display())))?;
    let read = env_lines(&text)
        .map_err(|line| source.error(&blame, format!("{}:{line}: write KEY=VALUE", path.display())))?;
    source.file.agent[at].env_file = Some(path.display().to_string());
    source.file.agent[at].file_env = read;
    Ok(())
}

/// `KEY=VALUE` lines; `#` comments, an `export ` before and one pair of quotes around are understood.
fn env_lines(text: &str) -> Result<BTreeMap<String, String>, usize> {
    let mut read = BTreeMap::new();
    // Some editors begin a file with a mark, which would be a part of its first name.
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    for (at, line) in text.lines().enumerate() {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let line = line.strip_prefix("export ").unwrap_or(line);
        let (key, value) = line.split_once('=').ok_or(at + 1)?;
        let key = key.trim();
        if key.is_empty() || key.contains(char::is_whitespace) {
            return Err(at + 1);
        }
        let value = value.trim();
        let quoted = ['"', '\''].iter().find_map(|quote| value.strip_prefix(*quote)?.strip_suffix(*quote));
        read.insert(key.to_string(), quoted.unwrap_or(value).to_string());
    }
    Ok(read)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Its first variable had a name that nobody could see, and was missing in the agent.
    #[test]
    fn an_env_file_may_begin_with_a_mark_of_its_encoding() {
        let read = env_lines("\u{feff}API_KEY=one\r\nexport SECOND='two'\r\n").unwrap();
        let expected = [("API_KEY", "one"), ("SECOND", "two")];
        assert_eq!(read, expected.map(|(key, value)| (key.to_owned(), value.to_owned())).into());
    }
}
