//! `counsel trust`: a person's word that a project's file may do what it says; and what the other verbs do
//! with a file that has no such word.
//!
//! Whoever clones a repository gets its `counsel.toml` with it, written by somebody else. Nothing of it is
//! followed before a person has seen it, and nothing of it once it is another file.

use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{SystemTime, UNIX_EPOCH};

use crate::config::{Config, PROJECT_FILE, Places, Project, load, load_own, load_untrusted};
use crate::core::trust::{Agreement, Agreements, Trust, changed_beside, difference};
use crate::core::visible::visible;
use crate::os::{paths, trust_store};

use super::failure::{Failure, REFUSED, USAGE};
use super::fold::fold;
use super::table::Table;
use super::{ask, link, out, pages};

/// Look at what a project's counsel.toml would do, and agree to it
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The project's folder
    #[arg(default_value = ".", value_name = "DIR")]
    dir: PathBuf,
    /// Show what was agreed to so far
    #[arg(long, conflicts_with = "revoke")]
    list: bool,
    /// Agree no longer
    #[arg(long)]
    revoke: bool,
    /// One JSON object per line
    #[arg(long)]
    json: bool,
}

pub fn run(args: &Args) -> Result<ExitCode, Failure> {
    if args.list {
        return list(args.json);
    }
    if link::within_agent() {
        return Err(Failure::new(REFUSED, "an agent cannot agree to anything; a person has to do it"));
    }
    Places::standing(Some(args.dir.clone()).filter(|dir| dir.is_absolute()))?;
    let dir = folder_meant(&args.dir)?;
    let cwd = match std::fs::canonicalize(&dir) {
        // Of a project that was moved or removed the yes stays, for whoever makes that folder again.
        Err(error) if args.revoke && error.kind() == io::ErrorKind::NotFound => std::path::absolute(&dir),
        found => found,
    };
    let cwd = cwd.map_err(|error| format!("{} cannot be opened: {error}", visible(&name(&dir))))?;
    let places = Places { cwd, ..Places::here(None)? };
    let (state_dir, config) = (paths::state_dir()?, load(&places));
    if args.revoke {
        return revoke(&places, &state_dir, args.json);
    }
    let config = config?;
    let given = standing(&config)? == Trust::Given;
    let config = agreed(config, || Ok(load(&places)?), &mut io::stdout(), "")?;
    let Some(project) = config.project else {
        return Err(format!("there is no counsel.toml in {}", visible(&name(&places.cwd))).into());
    };
    if given && !args.json {
        out::prose(&shown(&project, &trust_store::read(&state_dir)?), FURTHER_IN)?;
    }
    report(&project.file, true, args.json)
}

/// Who names the file itself means the folder it stands in.
fn folder_meant(named: &Path) -> Result<PathBuf, Failure> {
    if named.is_dir() {
        return Ok(named.to_path_buf());
    }
    if named.ends_with(PROJECT_FILE) {
        let folder = named.parent().filter(|folder| !folder.as_os_str().is_empty());
        return Ok(folder.unwrap_or(Path::new(".")).to_path_buf());
    }
    match named.exists() {
        true => {
            let what =
                format!("{} is no folder; name the one its {PROJECT_FILE} is in", visible(&name(named)));
            Err(Failure::new(USAGE, what))
        }
        false => Ok(named.to_path_buf()),
    }
}

fn report(file: &Path, trusted: bool, json: bool) -> Result<ExitCode, Failure> {
    if json {
        out::json(&serde_json::json!({"file": name(file), "trusted": trusted}))?;
    } else {
        let word = if trusted { "is trusted" } else { "is not trusted any more" };
        out::line(&format!("{} {word}", visible(&name(file))))?;
    }
    Ok(ExitCode::SUCCESS)
}

fn revoke(places: &Places, state_dir: &Path, json: bool) -> Result<ExitCode, Failure> {
    // Also that of a file that is gone, or can no longer be read: the folder that is named comes before one above it.
    let own = places.cwd.join(PROJECT_FILE);
    let named = trust_store::read(state_dir)?.files.contains_key(&name(&own)) || !places.cwd.is_dir();
    let file = if named { None } else { places.project_file() }.unwrap_or(own);
    let file = std::fs::canonicalize(&file).unwrap_or(file);
    let gone = trust_store::update(state_dir, |all| all.files.remove(&name(&file)))?;
    match gone {
        Some(_) => report(&file, false, json),
        None => Err(format!("{} was not trusted", visible(&name(&file))).into()),
    }
}

fn list(json: bool) -> Result<ExitCode, Failure> {
    let agreements = trust_store::read(&paths::state_dir()?)?;
    let mut table = Table::new(["STATE", "AGREED", "FILE"]);
    for (file, agreement) in &agreements.files {
        let state = state(file, &agreements)?;
        if json {
            let given_at = agreement.given_at;
            out::json(&serde_json::json!({"file": file, "given_at": given_at, "state": state}))?;
        }
        table.row([state.into(), out::clock(agreement.given_at).into(), file.into()]);
    }
    match (json, agreements.files.is_empty()) {
        (true, _) => {}
        (false, true) => out::line("no project is trusted")?,
        (false, false) => table.print()?,
    }
    Ok(ExitCode::SUCCESS)
}

/// What has become of a file that was agreed to.
fn state(file: &str, agreements: &Agreements) -> Result<&'static str, Failure> {
    let path = PathBuf::from(file);
    let cwd = path.parent().unwrap_or(&path).to_path_buf();
    if !path.is_file() {
        return Ok("gone");
    }
    let places = Places { file: Some(path), cwd, ..Places::here(None)? };
    let project = load(&places).ok().and_then(|config| config.project);
    let trust = project.map(|project| agreements.of(file, &project.parts));
    Ok(if trust == Some(Trust::Given) { "trusted" } else { "changed" })
}

/// The configuration of whoever starts a project's whole team. A file that is not trusted is shown and asked
/// about on a terminal, and refused without one.
pub fn team(places: &Places) -> Result<Config, Failure> {
    agreed(load(places)?, || Ok(load(places)?), &mut io::stderr(), BY_NAME)
}

/// The same for one who has other things to do than start the team: after a no the project's file counts
/// for nothing, and what is not done is said beside it.
pub fn team_or_none(places: &Places) -> Result<(Config, Option<String>), Failure> {
    match team(places) {
        Err(failure) if failure.code == REFUSED && asks() => {
            let left = format!("none of this folder's agents were started: {}", failure.message);
            Ok((load_untrusted(places)?, Some(left)))
        }
        done => done.map(|config| (config, None)),
    }
}

/// The configuration of whoever starts one program in a project's folder. A file nobody has agreed to is
/// left out, all but what it forbids; one that is no longer what was agreed to may have lost that as well.
pub fn policy(places: &Places) -> Result<Config, Failure> {
    let config = readable(places)?;
    if standing(&config)? == Trust::Never {
        return Ok(load_untrusted(places)?);
    }
    agreed(config, || readable(places), &mut io::stderr(), "")
}

/// The configuration of whoever starts nothing.
pub fn settings(places: &Places) -> Result<Config, Failure> {
    let config = readable(places)?;
    Ok(if untrusted(&config)?.is_some() { load_untrusted(places)? } else { config })
}

/// All files, without a project's that cannot be read and that nobody ever agreed to: whoever cloned it need not mend it.
fn readable(places: &Places) -> Result<Config, Failure> {
    let fault = match load(places) {
        Ok(config) => return Ok(config),
        Err(fault) => fault,
    };
    let project = places.project_file().filter(|_| places.file.is_none());
    // Without a project's file it is the user's own that is at fault; a layout or a theme of theirs may be in any case.
    let own_file =
        places.config_dir.as_ref().is_some_and(|folder| Path::new(&fault.file).starts_with(folder));
    let (Some(file), Ok(own), false) = (project, load_own(places), own_file) else {
        return Err(fault.into());
    };
    let known = std::fs::canonicalize(&file).unwrap_or_else(|_| file.clone());
    if trust_store::read(&paths::state_place()?)?.files.contains_key(&name(&known)) {
        let mend = "it was trusted: mend it, or 'counsel trust --revoke' has it left out";
        return Err(Failure::new(USAGE, format!("{fault}; {mend}")));
    }
    Ok(Config { left_out: Some(file), fault: Some(fault), ..own })
}

/// How a project's file stands.
pub fn standing(config: &Config) -> Result<Trust, Failure> {
    Ok(untrusted(config)?.map_or(Trust::Given, |pending| pending.trust))
}

/// A project's file without a person's word.
struct Pending<'a> {
    project: &'a Project,
    trust: Trust,
    agreements: Agreements,
    state_dir: PathBuf,
}

fn untrusted(config: &Config) -> Result<Option<Pending<'_>>, Failure> {
    let Some(project) = config.project.as_ref().filter(|project| !project.named) else { return Ok(None) };
    let state_dir = paths::state_place()?;
    let agreements = trust_store::read(&state_dir)?;
    match agreements.of(&name(&project.file), &project.parts) {
        Trust::Given => Ok(None),
        trust => Ok(Some(Pending { project, trust, agreements, state_dir })),
    }
}

/// The configuration that a person has agreed to, asked about if need be. A yes takes its time, and what was shown may be
/// something else by then (`git pull` in another pane, an agent at work in that folder): it is looked at again after each
/// yes, and what has changed meanwhile is shown and asked about anew.
fn agreed(
    mut config: Config,
    look: impl Fn() -> Result<Config, Failure>,
    out: &mut impl Write,
    otherwise: &str,
) -> Result<Config, Failure> {
    while let Some(pending) = untrusted(&config)? {
        pending.settle(out, otherwise)?;
        config = look()?;
    }
    Ok(config)
}

impl Pending<'_> {
    /// `otherwise`: what else may be done where nobody can be asked.
    fn settle(&self, out: &mut impl Write, otherwise: &str) -> Result<(), Failure> {
        // The folder may not be there yet.
        paths::state_dir()?;
        ask(self.project, &self.agreements, &self.state_dir, out, otherwise)
    }
}

/// Where a line of it goes on: further in than any entry begins.
const FURTHER_IN: usize = 13;

/// What starts the team of a file all the same: a person names it.
const BY_NAME: &str = ", or name it: 'counsel up -f FILE'";

/// Whether somebody sits there who can be asked.
fn asks() -> bool {
    io::stdin().is_terminal() && io::stderr().is_terminal() && !link::within_agent()
}

/// Shows what the file would do and has it agreed to, or fails.
fn ask(
    project: &Project,
    agreements: &Agreements,
    state_dir: &Path,
    out: &mut impl Write,
    otherwise: &str,
) -> Result<(), Failure> {
    let file = visible(&name(&project.file)).into_owned();
    let agreed = agreements.files.get(&name(&project.file));
    let state = match agreed.map(|agreed| changed_beside(&agreed.parts, &project.parts)) {
        None => "is not trusted".to_owned(),
        Some(None) => "has changed since it was trusted".to_owned(),
        Some(Some(part)) => format!("names {}, which has changed since it was trusted", visible(&part)),
    };
    let refusal = |mend: &str| Failure::new(REFUSED, format!("{file} {state}{mend}"));
    if !asks() {
        return Err(refusal(&format!("; look at it on a terminal with 'counsel trust'{otherwise}")));
    }
    // Nothing within a command may look like another entry.
    let cols = pages::size().map_or(usize::MAX, |(cols, _)| usize::from(cols));
    let shown = format!("{}\n", fold(&shown(project, agreements), cols, FURTHER_IN));
    if !pages::show(&shown, out).map_err(unshown)? {
        return Err(refusal(""));
    }
    let answer = ask::answer("Do you trust it? [y/N] ", out);
    let answer = answer.map_err(|error| format!("no answer can be read: {error}"))?;
    if !matches!(answer.as_str(), "y" | "Y" | "yes" | "Yes") {
        return Err(refusal(""));
    }
    let given_at = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_millis();
    let given_at = u64::try_from(given_at).unwrap_or(u64::MAX);
    // What was shown, not what may stand there by now.
    let agreement = Agreement { given_at, parts: project.parts.clone() };
    trust_store::update(state_dir, |all| all.files.insert(name(&project.file), agreement))?;
    Ok(())
}

/// What a file would do, and what has changed of it since it was agreed to.
fn shown(project: &Project, agreements: &Agreements) -> String {
    let file = name(&project.file);
    let mut lines = vec![visible(&file).into_owned()];
    lines.extend(project.summary.iter().map(|line| format!("  {line}")));
    let pulled: Vec<String> =
        project.parts.iter().skip(1).map(|part| visible(&part.name).into_owned()).collect();
    if !pulled.is_empty() {
        lines.push(format!("  with   {}", pulled.join(", ")));
    }
    let agreed = agreements.files.get(&file).map(|agreement| agreement.parts.as_slice());
    let changes = agreed.map(|agreed| difference(agreed, &project.parts)).unwrap_or_default();
    if !changes.is_empty() {
        lines.push("Changed since it was trusted:".to_owned());
    }
    lines.extend(changes.iter().map(|line| format!("  {}", visible(line))));
    lines.join("\n")
}

fn unshown(error: io::Error) -> Failure {
    Failure::new(1, format!("what it would do cannot be shown: {error}"))
}

/// The name an agreement is kept under.
fn name(file: &Path) -> String {
    file.to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_names_the_file_means_its_folder() {
        let folder = tempfile::tempdir().unwrap();
        let [file, other] = [PROJECT_FILE, "other.toml"].map(|name| folder.path().join(name));
        assert_eq!(folder_meant(folder.path()).unwrap(), folder.path());
        assert_eq!(folder_meant(&file).unwrap(), folder.path(), "it may be gone");
        std::fs::write(&file, "").unwrap();
        assert_eq!(folder_meant(&file).unwrap(), folder.path());
        assert_eq!(folder_meant(Path::new(PROJECT_FILE)).unwrap(), Path::new("."));
        std::fs::write(&other, "").unwrap();
        let refused = folder_meant(&other).unwrap_err();
        assert!(refused.message.contains("is no folder"), "{}", refused.message);
    }
}
