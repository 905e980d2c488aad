//! `counsel log`: every question and how it ended.

pub mod replay;
mod verify;
mod waiting;

use std::collections::BTreeMap;
use std::process::ExitCode;

use crate::config::{Places, load};
use crate::core::deliver::Proof;
use crate::core::log::log_entry::{Channel, Entry};
use crate::core::log::redact::clean;
use crate::os::{paths, regular_file};
use crate::server::file_io::{entries, log_path};

use super::complete;
use super::failure::Failure;
use super::link::Global;
use crate::core::visible::{visible, visible_json, visible_lines};

/// Show every question and how it ended
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Only this question
    #[arg(value_name = "ID")]
    id: Option<String>,
    /// Walk through how it was decided: what was seen, asked, said, typed and proved
    #[arg(long, requires = "id", conflicts_with_all = ["shadow", "score"])]
    replay: bool,
    /// Only answers that were noted and not given ([consult] mode = "shadow")
    #[arg(long)]
    shadow: bool,
    /// How often those agree with what the person chose, by agent and kind
    #[arg(long)]
    score: bool,
    /// Only what was asked since: seconds ago (90, 5m, 2h, 3d) or a Unix time (s or ms)
    #[arg(long, allow_hyphen_values = true, value_name = "T")]
    since: Option<String>,
    /// Only this agent's
    #[arg(long, value_name = "NAME", add = complete::agents())]
    agent: Option<String>,
    /// Check that nothing was changed, added or removed since it was written; 1 if something was
    #[arg(long, conflicts_with_all = ["id", "replay", "shadow", "score", "since", "agent"])]
    verify: bool,
    /// One JSON object per line
    #[arg(long)]
    json: bool,
}

/// What stands below the first line of an entry is set in.
const INDENT: usize = 4;

pub fn run(args: &Args, global: &Global) -> Result<ExitCode, Failure> {
    let shown = if args.verify { verify::run(args.json, global) } else { show(args, global) };
    waiting::tell(&log_path(&paths::state_dir()?), global);
    shown
}

fn show(args: &Args, global: &Global) -> Result<ExitCode, Failure> {
    let since_ms = args.since.as_deref().map(super::number::time).transpose()?.unwrap_or(0);
    let path = log_path(&paths::state_dir()?);
    let file = match regular_file::open_to_read(&path) {
        Ok(file) => file,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return nothing(args, global),
        Err(error) => return Err(Failure::new(1, format!("could not read {}: {error}", path.display()))),
    };
    let mut score = Score::default();
    let (mut last, mut known, mut agent_known) = (None, false, false);
    for (entry, line) in entries(file) {
        known |= args.id.as_ref() == Some(&entry.id);
        agent_known |= args.agent.as_ref() == Some(&entry.agent);
        let other = |wanted: &Option<String>, is: &str| wanted.as_ref().is_some_and(|wanted| wanted != is);
        if entry.asked_at < since_ms || other(&args.agent, &entry.agent) || other(&args.id, &entry.id) {
            continue;
        }
        if (args.shadow || args.score) && entry.shadow.is_none() {
            continue;
        }
        match (args.score, args.replay) {
            (true, _) => score.add(&entry),
            // An id is given anew when the log begins anew: the newest is meant.
            (_, true) => last = Some(entry),
            _ if args.json => super::out::line(&visible_json(&line))?,
            _ => super::out::prose(&describe(&entry), INDENT)?,
        }
    }
    if !agent_known {
        agent_exists(args, global)?;
    }
    match (&args.id, last) {
        (_, Some(entry)) => replay::walk(&entry, args.json),
        (Some(id), None) if !known => {
            let what = if args.replay { "replay" } else { "show" };
            Err(Failure::new(
                3,
                format!("could not {what} {id}: it is not in the log; 'counsel log' lists what is"),
            ))
        }
        _ if args.score => score.print(args.json).map(|()| ExitCode::SUCCESS),
        _ => Ok(ExitCode::SUCCESS),
    }
}

/// Nothing was ever logged.
fn nothing(args: &Args, global: &Global) -> Result<ExitCode, Failure> {
    match &args.id {
        Some(id) => Err(Failure::new(
            3,
            format!("could not show {id}: it is not in the log; 'counsel log' lists what is"),
        )),
        None => agent_exists(args, global).map(|()| ExitCode::SUCCESS),
    }
}

/// A name that is neither in the log nor anybody's is a slip of the keyboard.
fn agent_exists(args: &Args, global: &Global) -> Result<(), Failure> {
    let Some(name) = &args.agent else { return Ok(()) };
    let configured =
        load(&Places::here(None)?).is_ok_and(|config| config.agents.iter().any(|agent| agent.name == *name));
    if configured {
        return Ok(());
    }
    let running = global.running().ok().flatten().and_then(|mut server| server.agents().ok());
    match running.iter().flatten().any(|agent| agent.name == *name) {
        true => Ok(()),
        false => {
            Err(Failure::new(3, format!("there is no agent '{name}', and none of that name ever asked")))
        }
    }
}

/// Agreement of noted answers with what the person chose, by agent and kind.
#[derive(Default)]
struct Score(BTreeMap<(String, &'static str), [usize; 3]>);

impl Score {
    fn add(&mut self, entry: &Entry) {
        let Some(shadow) = &entry.shadow else { return };
        let counts = self.0.entry((entry.agent.clone(), entry.kind.name())).or_default();
        counts[match shadow.agrees {
            Some(true) => 0,
            Some(false) => 1,
            None => 2,
        }] += 1;
    }

    fn print(&self, json: bool) -> Result<(), Failure> {
        for ((agent, kind), [same, other, unseen]) in &self.0 {
            let share = (same * 100).checked_div(same + other);
            let share = share.map_or("-".to_owned(), |share| format!("{share} %"));
            super::out::line(&if json {
                serde_json::json!({"agent": agent, "kind": kind, "agrees": same, "differs": other, "unseen": unseen})
                    .to_string()
            } else {
                format!("{agent:<16} {kind:<10} {share:>5}  {same} agree, {other} differ, {unseen} not seen")
            })?;
        }
        Ok(())
    }
}

fn describe(entry: &Entry) -> String {
    let answer = entry.answer.as_deref().or(entry.chosen.as_deref()).unwrap_or("no answer");
    let seconds = entry.latency_ms as f64 / 1000.0;
    let head = format!("{}  {}  {}", super::out::clock(entry.settled_at), entry.id, entry.agent);
    let channel = match entry.channel {
        Channel::None => String::new(),
        channel => format!(", {}", channel.name()),
    };
    let mut text = format!(
        "{head}  {}  {}\n    {}\n    {}  (by {}{channel}, {seconds:.1} s)",
        entry.kind.name(),
        entry.outcome.name(),
        visible_lines(&entry.prompt, "    "),
        visible_lines(answer, "    "),
        visible(&entry.by),
    );
    let mut add = |line: String| text.push_str(&format!("\n    {}", clean(&line).replace('\n', " ")));
    for turn in entry.asked.iter().filter(|turn| turn.ended.as_deref() != Some("answered")) {
        let ended = turn.ended.as_deref().unwrap_or("no end was noted");
        // Most of them name who it was.
        let named = ended.starts_with(turn.with.as_str());
        add(if named { ended.to_owned() } else { format!("{}: {ended}", turn.with) });
    }
    if let Some(reason) = entry.reason.as_deref().filter(|reason| !reason.starts_with("answered by ")) {
        add(format!("reason: {reason}"));
    }
    if let Some(proof) = &entry.proof {
        add(describe_proof(proof));
    }
    if let Some(shadow) = &entry.shadow {
        let agrees = match shadow.agrees {
            Some(true) => "the person chose the same",
            Some(false) => "the person chose otherwise",
            None => "what the person chose was not seen",
        };
        add(format!("{} would have answered {}: {agrees}", shadow.by, shadow.answer));
    }
    text
}

fn describe_proof(proof: &Proof) -> String {
    let recorded = proof.confirmed.as_ref();
    let recorded = recorded.map(|own| format!(", recorded {:?} by its {}", own.recorded, own.confirmed_by));
    let keys = match proof.keys.is_empty() {
        true => String::new(),
        false => format!("{}, ", proof.keys.join(" ")),
    };
    let (seen, gone, after) = (&proof.seen, proof.gone_after_ms, &proof.after);
    format!("proof: {seen:?} seen, {keys}gone after {gone} ms, then {after}{}", recorded.unwrap_or_default())
}
