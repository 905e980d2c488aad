//! `counsel bug-report`: what somebody else needs to find a fault, in one archive of plain texts.
//!
//! Everything in it passes the same sieve as what a consultant is told; a person reads it before they send it. It sends
//! nothing itself.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{SystemTime, UNIX_EPOCH};

use serde_json::json;

use crate::config::{Places, load};
use crate::core::log::redact::{known_secrets, withheld};
use crate::core::recording::asciicast::{self, Asciicast};
use crate::core::recording::redacted::redacted;
use crate::core::visible::visible;
use crate::os::{new_file, paths, regular_file};
use crate::server::context_io::env_secrets;
use crate::wire::{Reply, Request};

use super::failure::{Failure, USAGE, unwritten};
use super::link::{Acting, Global, Server, unexpected};
use super::{as_json, complete, config, doctor};

/// Gather what a report of a fault needs into one archive, to be read before it is sent
///
/// Version, findings of the doctor, configuration, agents, the server's log, and with --agent why counsel thinks what it
/// thinks of that agent, and its recording. Secrets are taken out as far as they can be recognised. Nothing is sent.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The archive (tar); else counsel-report-TIME.tar here
    file: Option<PathBuf>,
    /// The agent it is about: its screen goes along, and the recording that runs, else its newest
    #[arg(long, value_name = "NAME", add = complete::agents())]
    agent: Option<String>,
    /// This recording goes along
    #[arg(long, value_name = "CAST")]
    recording: Option<PathBuf>,
    #[command(flatten)]
    acting: Acting,
}

/// The server begins its log anew long before it is so large.
const LOG_BYTES: u64 = 64 * 1024 * 1024;
/// Lines of the server's log that go along: days of a quiet server, and the hour of a fault on a busy one.
const LOG_LINES: usize = 2_000;

const README: &str = "\
What counsel knows that may help to find a fault. Read it before you send it: secrets were taken out as far as
they can be recognised, names, paths and words of yours were not.

  version.txt      the program, the system, the terminal
  doctor.txt       what counsel doctor says
  config.toml      what all configuration files amount to
  agents.jsonl     what counsel ls --json prints
  server.log       the end of the server's log
  explain.txt      why counsel thinks what it thinks of the agent's screen (with --agent)
  recording.cast   the agent's screen over time (with --agent or --recording); asciinema play shows it

Remove what you do not want to send. counsel itself sends nothing.
";

/// The texts so far, with what takes secrets out of them.
struct Report {
    files: Vec<(&'static str, String)>,
    secrets: Vec<String>,
    home: Option<String>,
}

impl Report {
    fn add(&mut self, name: &'static str, text: &str) {
        let text = withheld(text, &self.secrets);
        let text = match &self.home {
            Some(home) => text.replace(home.as_str(), "~"),
            None => text,
        };
        self.files.push((name, text));
    }
}

/// One that no other report has: two may be made within a second.
fn own_name(now: u64) -> PathBuf {
    let named = |more: String| PathBuf::from(format!("counsel-report-{now}{more}.tar"));
    let more = (2..).map(|count| format!("-{count}"));
    let mut names = std::iter::once(String::new()).chain(more).map(named);
    names.find(|path| !path.exists()).unwrap_or_else(|| named(String::new()))
}

pub fn run(args: &Args, global: &Global) -> Result<ExitCode, Failure> {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
    // A folder that was deleted takes no file.
    Places::standing(args.file.clone().filter(|file| file.is_absolute()))?;
    let path = args.file.clone().unwrap_or_else(|| own_name(now));
    let variables: Vec<(String, String)> = std::env::vars_os()
        .filter_map(|(k, v)| Some((k.into_string().ok()?, v.into_string().ok()?)))
        .collect();
    let pairs = variables.iter().map(|(name, value)| (name.as_str(), value.as_str()));
    let home = std::env::var("HOME").ok().filter(|home| home.len() > 1);
    let mut report = Report { files: Vec::new(), secrets: known_secrets(pairs).collect(), home };
    report.files.push(("README.txt", README.to_owned()));
    let (config, given) = configuration()?;
    // What an agent is given by a secret name may stand in its command line and on its screen as well.
    report.secrets.extend(given);
    let mut server = global.running()?;
    let agents = server.as_mut().map_or(Ok(Vec::new()), Server::agents)?;
    // So may what their folders' own files of variables hold.
    report.secrets.extend(agents.iter().flat_map(|agent| env_secrets(Path::new(&agent.cwd))));
    report.add("version.txt", &version());
    report.add("doctor.txt", &doctor::report(global)?);
    report.add("config.toml", &config);
    report.add("server.log", &server_log()?);
    let mut running = None;
    if let Some(server) = &mut server {
        let of_it = agents.iter().find(|agent| Some(&agent.name) == args.agent.as_ref());
        running = of_it.and_then(|agent| agent.recording.clone()).map(PathBuf::from);
        let lines: String = agents.iter().map(|agent| format!("{}\n", as_json::agent(agent))).collect();
        report.add("agents.jsonl", &lines);
        if let Some(name) = &args.agent {
            let Reply::Explained { text, .. } = server.ask(Request::Explain { name: name.clone() })? else {
                return Err(unexpected());
            };
            report.add("explain.txt", &text);
        }
    } else if let Some(name) = args.agent.as_ref().filter(|_| args.recording.is_none()) {
        return Err(Failure::new(3, format!("there is no agent '{name}': no server runs")));
    }
    let recording = recording(args, running)?;
    if let Some(path) = &recording {
        let cast = read(path)?;
        // Already without secrets, and its text is JSON that must stay whole.
        report.files.push(("recording.cast", redacted(&cast, &report.secrets)));
    }
    write(&path, &report.files, now)?;
    let names: Vec<&str> = report.files.iter().map(|(name, _)| *name).collect();
    // One that has ended may lie anywhere: whoever made it knows where.
    let none =
        if recording.is_none() && args.agent.is_some() { "; no recording: --recording FILE" } else { "" };
    let shown = path.to_string_lossy();
    let words = format!("wrote {}; read it before you send it: tar -xOf {0} | less{none}", visible(&shown));
    args.acting.did(&json!({ "did": "written", "file": shown, "holds": names }), Some(&words))?;
    Ok(ExitCode::SUCCESS)
}

/// The one that goes along. `running`: the agent's own, which is being made.
fn recording(args: &Args, running: Option<PathBuf>) -> Result<Option<PathBuf>, Failure> {
    match (&args.recording, &args.agent) {
        (Some(path), _) => Ok(Some(path.clone())),
        // The one that a person has made just now shows what they mean.
        (None, Some(name)) => running.map_or_else(|| newest_recording(name), |path| Ok(Some(path))),
        (None, None) => Ok(None),
    }
}

fn version() -> String {
    let mut text = format!("counsel {}\n", env!("CARGO_PKG_VERSION"));
    let _ = writeln!(text, "{} {}", std::env::consts::OS, std::env::consts::ARCH);
    for file in ["/proc/version", "/etc/os-release"] {
        // Not every system has them.
        text.push_str(&std::fs::read_to_string(file).unwrap_or_default());
    }
    for name in ["TERM", "TERM_PROGRAM", "COLORTERM", "LANG", "LC_ALL", "TMUX", "SSH_TTY"] {
        let _ = writeln!(text, "{name}={}", std::env::var(name).unwrap_or_default());
    }
    text
}

/// The configuration, and the secrets that it gives to agents.
fn configuration() -> Result<(String, Vec<String>), Failure> {
    let config = match load(&Places::here(None)?) {
        Ok(config) => config,
        Err(error) => return Ok((format!("# {error}\n"), Vec::new())),
    };
    let pairs = config.agents.iter().flat_map(|agent| &agent.env);
    let secrets = known_secrets(pairs.map(|(name, value)| (name.as_str(), value.as_str()))).collect();
    Ok((config::show(config)?, secrets))
}

fn server_log() -> Result<String, Failure> {
    let text = regular_file::read(&paths::state_dir()?.join("server.log"), LOG_BYTES).unwrap_or_default();
    let text = String::from_utf8_lossy(&text);
    let skipped = text.lines().count().saturating_sub(LOG_LINES);
    Ok(text.lines().skip(skipped).map(|line| format!("{}\n", visible(line))).collect())
}

/// The newest recording that was made of its own accord; none if none are made.
fn newest_recording(name: &str) -> Result<Option<PathBuf>, Failure> {
    let folder = paths::state_dir()?.join("recordings");
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let of_agent = |path: &PathBuf| {
        let file = path.file_name().and_then(|file| file.to_str()).unwrap_or_default();
        // What follows the name is a time.
        let rest = file.strip_prefix(name).and_then(|rest| rest.strip_suffix(".cast"));
        rest.is_some_and(|rest| rest.starts_with('-') && !rest.contains(|ch: char| ch.is_ascii_alphabetic()))
    };
    let own = entries.map(|entry| entry.path()).filter(of_agent);
    Ok(own.max_by_key(|path| path.metadata().and_then(|meta| meta.modified()).ok()))
}

fn read(path: &Path) -> Result<Asciicast, Failure> {
    let name = path.display();
    let bytes = regular_file::read_named(path, asciicast::FILE_BYTES)
        .map_err(|error| format!("{name} cannot be read: {error}"))?;
    Asciicast::parse(&String::from_utf8_lossy(&bytes))
        .map_err(|error| Failure::new(USAGE, format!("{name} cannot be read: {error}")))
}

fn write(path: &Path, files: &[(&str, String)], now: u64) -> Result<(), Failure> {
    // It is its owner's to read, and to hand on.
    let done = new_file::write(path, new_file::PRIVATE, |file| {
        let mut archive = tar::Builder::new(file);
        for (name, text) in files {
            let mut header = tar::Header::new_gnu();
            header.set_size(text.len() as u64);
            header.set_mode(0o600);
            header.set_mtime(now);
            archive.append_data(&mut header, format!("counsel-report/{name}"), text.as_bytes())?;
        }
        archive.finish()
    });
    done.map_err(|error| unwritten(path, &error))
}
