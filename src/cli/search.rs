//! `counsel search`: words on screens, in what has scrolled off, in the decision log, in agents' own transcripts.
//!
//! Each hit says whose it is, when it was where that is known, and the command that leads there. It reads, and starts nothing.

mod hit;
mod transcript;

use std::process::ExitCode;
use std::time::{SystemTime, UNIX_EPOCH};

use crate::config::{self, Places};
use crate::core::agent::AgentInfo;
use crate::core::log::log_entry::Entry;
use crate::core::terminal::cursor;
use crate::core::visible::visible;
use crate::os::{paths, regular_file};
use crate::server::file_io::{log_path, numbered};
use crate::wire::message::{ReadMode, ReadText};
use crate::wire::{Reply, Request};

use hit::{Hit, Needle, Place};

use super::failure::Failure;
use super::link::{Global, Server, unexpected};
use super::progress::Progress;
use super::read::rest;
use super::table::{Cell, Style, Table};
use super::{complete, out};

/// Find words on screens, in scrollbacks, in the log and in transcripts
///
/// Small letters find large ones too; a large letter in TEXT finds itself alone.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// What to look for
    text: String,
    /// Only this agent's
    #[arg(long, value_name = "NAME", add = complete::agents())]
    agent: Option<String>,
    /// Only there
    #[arg(long = "in", value_name = "PLACE", value_enum, value_delimiter = ',')]
    places: Vec<Place>,
    /// One JSON object for each hit
    #[arg(long)]
    json: bool,
}

const EVERYWHERE: [Place; 4] = [Place::Screen, Place::Scrollback, Place::Log, Place::Transcript];

pub fn run(args: &Args, global: &Global) -> Result<ExitCode, Failure> {
    if args.text.is_empty() {
        return Err(Failure::new(super::failure::USAGE, "the text is empty"));
    }
    let needle = Needle::new(&args.text);
    let places = if args.places.is_empty() { EVERYWHERE.to_vec() } else { args.places.clone() };
    let mut server = global.running()?;
    let agents = match &mut server {
        Some(server) => server.agents()?,
        None => Vec::new(),
    };
    let wanted = |name: &str| args.agent.as_deref().is_none_or(|wanted| wanted == name);
    let agents: Vec<AgentInfo> = agents.into_iter().filter(|agent| wanted(&agent.name)).collect();
    // Whether the log knows of the one that is looked for, though it may have gone.
    let mut in_log = false;
    let mut hits = Vec::new();
    let (mut progress, all) = (Progress::begin(), agents.len());
    for place in EVERYWHERE.into_iter().filter(|place| places.contains(place)) {
        match (place, &mut server) {
            (Place::Screen | Place::Scrollback, Some(server)) => {
                for (at, agent) in agents.iter().enumerate() {
                    progress.tell(&format!("searching {} of {all}: {}", at + 1, agent.name));
                    let mut found = terminal(server, agent, place, &needle)?;
                    if place == Place::Scrollback && places.contains(&Place::Screen) {
                        drop_shown(&mut found, &hits);
                    } else if place == Place::Scrollback {
                        // What the screen shows has not scrolled off, whether or not it was asked for.
                        drop_shown(&mut found, &terminal(server, agent, Place::Screen, &needle)?);
                    }
                    hits.extend(found);
                }
            }
            (Place::Screen | Place::Scrollback, None) => {}
            (Place::Log, _) => {
                in_log |= log(&needle, wanted, &mut hits, &mut progress)?;
            }
            (Place::Transcript, _) => {
                let profiles = config::profiles(&Places::here(None)?)?;
                for agent in &agents {
                    progress.tell(&format!("searching the transcripts of {}", agent.name));
                    let profile = profiles.get(&agent.profile);
                    transcript::search(agent, profile.as_deref(), &needle, &mut hits);
                }
            }
        }
    }
    if let Some(name) = args.agent.as_deref().filter(|_| agents.is_empty() && !in_log) {
        return Err(Failure::new(3, format!("there is no agent '{name}'; see 'counsel ls'")));
    }
    drop(progress);
    show(&hits, args.json)
}

/// What an agent shows, or has printed.
fn terminal(
    server: &mut Server,
    agent: &AgentInfo,
    place: Place,
    needle: &Needle,
) -> Result<Vec<Hit>, Failure> {
    let mode = if place == Place::Screen { ReadMode::Screen } else { ReadMode::Scrollback };
    let read =
        Request::Read { name: agent.name.clone(), since: None, tail: None, wait_ms: 0, mode, seen: None };
    let mut read = match server.ask(read) {
        Ok(Reply::Text(read)) => read,
        Ok(_) => return Err(unexpected()),
        // It has gone since it was listed.
        Err(failure) if failure.code == 3 => return Ok(Vec::new()),
        Err(failure) => return Err(failure),
    };
    rest(&mut read, &agent.name, mode, server)?;
    // The last one is where the cursor stands, though nothing may be in it.
    let lines: Vec<&str> = read.text.split('\n').collect();
    let mut hits = Vec::new();
    for (at, text) in lines.iter().enumerate().filter(|(_, text)| needle.is_in(text)) {
        let (line, jump) = match place {
            Place::Screen => (at as u64 + 1, format!("counsel attach {}", agent.name)),
            _ => printed(&read, &agent.name, lines.len() - at),
        };
        let text = text.trim().to_owned();
        // What is on a screen is there now; when a line was printed nobody notes.
        let time = (place == Place::Screen).then(now_ms);
        hits.push(Hit { agent: agent.name.clone(), place, at: time, line: Some(line), text, jump });
    }
    Ok(hits)
}

fn now_ms() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}

/// Takes out of what was found in an agent's whole output what its screen shows, and was found there. The screen is the
/// end of the output; a long line stands on several of its rows.
fn drop_shown(printed: &mut Vec<Hit>, hits: &[Hit]) {
    let Some(agent) = printed.first().map(|hit| hit.agent.clone()) else { return };
    let mut shown = std::collections::BTreeSet::new();
    // The line that the rows below stand on, and what of it stands above them.
    let (mut line, mut above) = (printed.len(), "");
    for row in hits.iter().rev().filter(|hit| hit.place == Place::Screen && hit.agent == agent) {
        if !above.contains(&row.text) {
            let Some(found) = printed[..line].iter().rposition(|hit| hit.text.contains(&row.text)) else {
                continue;
            };
            (line, above) = (found, &printed[found].text);
            shown.insert(found);
        }
        above = above.rfind(&row.text).map_or("", |at| &above[..at]);
    }
    let mut at = 0;
    printed.retain(|_| {
        at += 1;
        !shown.contains(&(at - 1))
    });
}

/// The number of a line that stands so many before the end, and how to read on from it.
fn printed(read: &ReadText, name: &str, before_end: usize) -> (u64, String) {
    let (line, cursor) = cursor::lines_back(read.cursor, before_end as u64 - 1);
    (line + 1, format!("counsel read {name} --since {cursor}"))
}

/// Whether there is anything of those that are wanted.
fn log(
    needle: &Needle,
    wanted: impl Fn(&str) -> bool,
    hits: &mut Vec<Hit>,
    progress: &mut Progress,
) -> Result<bool, Failure> {
    let path = log_path(&paths::state_dir()?);
    let file = match regular_file::open_to_read(&path) {
        Ok(file) => file,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(false),
        Err(error) => return Err(format!("{} cannot be read: {error}", path.display()).into()),
    };
    let mut known = false;
    for (entry, line) in numbered(file) {
        progress.tell(&format!("searching the log: {line} decisions"));
        if !wanted(&entry.agent) {
            continue;
        }
        known = true;
        if let Some(text) = said(&entry).find_map(|text| needle.line_of(text)) {
            hits.push(Hit {
                agent: entry.agent.clone(),
                place: Place::Log,
                at: Some(entry.asked_at),
                line: Some(line),
                text: text.trim().to_owned(),
                jump: format!("counsel log {}", entry.id),
            });
        }
    }
    Ok(known)
}

/// What was asked and answered, as it is shown by `counsel log`.
fn said(entry: &Entry) -> impl Iterator<Item = &str> {
    let given = [&entry.subject, &entry.answer, &entry.chosen, &entry.reason, &entry.reply];
    let given = given.into_iter().flatten().map(String::as_str);
    std::iter::once(entry.prompt.as_str()).chain(entry.options.iter().map(String::as_str)).chain(given)
}

fn show(hits: &[Hit], as_json: bool) -> Result<ExitCode, Failure> {
    if as_json {
        hits.iter().try_for_each(out::json)?;
        return Ok(ExitCode::SUCCESS);
    }
    if hits.is_empty() {
        return out::line("nothing found").map(|()| ExitCode::SUCCESS);
    }
    let mut table = Table::new(["AGENT", "TIME", "SHOWN BY", "TEXT"]);
    for hit in hits {
        table.row([
            Cell::new(&hit.agent, Style::Bold),
            hit.at.map_or("-".to_owned(), out::clock).into(),
            Cell::new(&hit.jump, Style::Blue),
            (&hit.text).into(),
        ]);
    }
    if table.has_room() {
        table.print()?;
    } else {
        // One below the other: a table would have no column left for what was found.
        hits.iter().try_for_each(|hit| {
            let time = hit.at.map(|at| format!("  {}", out::clock(at))).unwrap_or_default();
            let words = format!("{}{time}\n  {}\n  {}", hit.agent, visible(&hit.text), hit.jump);
            out::prose(&words, 2)
        })?;
    }
    Ok(ExitCode::SUCCESS)
}

#[cfg(test)]
mod tests {
    use super::{Hit, Needle, Place, drop_shown};

    #[test]
    fn what_the_screen_shows_is_found_once() {
        let hit = |place, text: &str| Hit {
            agent: "a".into(),
            place,
            at: None,
            line: None,
            text: text.into(),
            jump: String::new(),
        };
        let screen: Vec<Hit> =
            ["x", "end of a long", "line with x"].map(|text| hit(Place::Screen, text)).into();
        let lines = ["x", "long ago x", "x", "x", "end of a longline with x"];
        let mut printed: Vec<Hit> = lines.map(|text| hit(Place::Scrollback, text)).into();
        drop_shown(&mut printed, &screen);
        let left: Vec<&str> = printed.iter().map(|hit| hit.text.as_str()).collect();
        assert_eq!(left, ["x", "long ago x", "x"]);
    }

    #[test]
    fn small_letters_find_large_ones_and_not_the_other_way_round() {
        for (text, line, found) in [
            ("über", "ÜBER alles", true),
            ("Error", "error", false),
            ("Error", "an Error", true),
            ("x", "", false),
        ] {
            assert_eq!(Needle::new(text).is_in(line), found, "{text} in {line}");
        }
    }
}
