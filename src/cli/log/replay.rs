//! `counsel log ID --replay`: one decision from the screen that asked to the proof that it took.
//!
//! On a terminal a step at a time, else all at once. Whatever others wrote is cleaned before it is shown.

use std::io::{self, IsTerminal, Read};
use std::process::ExitCode;

use serde_json::json;

use crate::core::log::log_entry::{Channel, Entry};
use crate::core::log::redact::clean;
use crate::dashboard::log_view::{self as decided, Decision};
use crate::os::interrupt::TerminalMode;
use crate::os::paths;
use crate::server::file_io::{log_path, newest};

use super::super::failure::Failure;
use super::super::out;

/// How the log calls whoever answered where nobody did.
const NOBODY: &str = "none";
/// Decisions the dashboard shows; further back `counsel log` looks.
const SHOWN: usize = 500;

/// One step: its name in JSON, when it was (Unix milliseconds), what is said of it, and the text itself.
struct Step {
    name: &'static str,
    at: u64,
    what: String,
    text: String,
}

fn step(name: &'static str, at: u64, what: impl Into<String>, text: &str) -> Step {
    Step { name, at, what: clean(&what.into()), text: clean(text).trim_end().to_owned() }
}

/// The newest decisions, the newest first, as the dashboard shows them.
pub fn decisions() -> Result<Vec<Decision>, String> {
    let folder = paths::state_dir().map_err(|error| error.to_string())?;
    let decision = |entry: Entry| Decision {
        agent: clean(&entry.agent),
        asked_ms: entry.asked_at,
        settled_ms: entry.settled_at,
        prompt: clean(&entry.prompt).replace('\n', " "),
        outcome: entry.outcome.name().to_owned(),
        answer: clean(entry.answer.as_deref().or(entry.chosen.as_deref()).unwrap_or_default()),
        by: match entry.channel {
            Channel::None if entry.by == NOBODY => String::new(),
            Channel::None => clean(&entry.by),
            channel => format!("{}, {}", clean(&entry.by), channel.name()),
        },
        steps: steps(&entry)
            .into_iter()
            .map(|step| decided::Step { at_ms: step.at, what: step.what, text: step.text })
            .collect(),
    };
    Ok(newest(&log_path(&folder), SHOWN).into_iter().rev().map(decision).collect())
}

fn steps(entry: &Entry) -> Vec<Step> {
    let asked = format!("{} asked: {} ({})", entry.agent, entry.prompt, entry.kind.name());
    let mut steps = vec![step("seen", entry.asked_at, asked, &entry.before)];
    let options: Vec<String> =
        entry.options.iter().enumerate().map(|(at, label)| format!("{}. {label}", at + 1)).collect();
    // Where a rule answered, earlier versions noted it only as who did.
    let rule = if entry.rule.is_empty() { entry.by.strip_prefix("rule ").unwrap_or("") } else { &entry.rule };
    let decided =
        if rule.is_empty() { "no rule decided".to_owned() } else { format!("decided by rule {rule}") };
    steps.push(step("rule", entry.asked_at, decided, &options.join("\n")));
    if let Some(prompt) = &entry.prompt_sent {
        let at = entry.asked.last().map_or(entry.asked_at, |turn| turn.asked_at);
        steps.push(step("prompt", at, "the consultant was told", prompt));
    }
    for turn in &entry.asked {
        let ended = turn.ended.as_deref().unwrap_or("no end was noted");
        let what = format!("{} was asked: {ended}", turn.with);
        steps.push(step("reply", turn.asked_at + turn.took_ms, what, turn.reply.as_deref().unwrap_or("")));
    }
    if let Some(proposed) = &entry.proposed {
        steps.push(step("proposed", entry.settled_at, format!("proposed to a person: {proposed}"), ""));
    }
    let reason = entry.reason.as_deref().unwrap_or("");
    let decided = match entry.answer.as_deref().or(entry.chosen.as_deref()) {
        None if entry.by == NOBODY => "nobody answered".to_owned(),
        answer => format!("{}: {}", entry.by, answer.unwrap_or("no answer")),
    };
    steps.push(step("answer", entry.settled_at, decided, reason));
    if let Some(shadow) = &entry.shadow {
        let what = format!("{} would have answered {}", shadow.by, shadow.answer);
        steps.push(step("shadow", entry.settled_at, what, shadow.chose.as_deref().unwrap_or("")));
    }
    let told = match entry.channel {
        Channel::None => None,
        Channel::Keys => Some(format!("typed: {}", entry.keys.join(" "))),
        Channel::Hook => Some("told through the hook; no key was typed".to_owned()),
        Channel::Mcp => Some("told as the reply to its tool; no key was typed".to_owned()),
    };
    steps.extend(told.map(|told| step("keys", entry.settled_at, told, "")));
    let proof = serde_json::to_string_pretty(&entry.proof).unwrap_or_default();
    let after = format!("{} after {:.1} s", entry.outcome.name(), entry.latency_ms as f64 / 1000.0);
    steps.push(step("after", entry.settled_at, after, &entry.after));
    let what = if entry.proof.is_some() { "the proof" } else { "there is no proof: nothing was typed" };
    steps.push(step("proof", entry.settled_at, what, if entry.proof.is_some() { &proof } else { "" }));
    // Of several consultants the last one's prompt was noted, and the replies of all.
    steps.sort_by_key(|step| step.at);
    steps
}

pub fn walk(entry: &Entry, as_json: bool) -> Result<ExitCode, Failure> {
    let steps = steps(entry);
    if as_json {
        for step in &steps {
            let line = json!({"id": entry.id, "step": step.name, "at": step.at, "what": step.what, "text": step.text});
            out::line(&line.to_string())?;
        }
        return Ok(ExitCode::SUCCESS);
    }
    let pages: Vec<String> =
        steps.iter().enumerate().map(|(at, step)| page(entry, step, at + 1, steps.len())).collect();
    if io::stdin().is_terminal() && io::stdout().is_terminal() {
        return turn_pages(&pages);
    }
    pages.iter().try_for_each(|page| out::line(page))?;
    Ok(ExitCode::SUCCESS)
}

fn page(entry: &Entry, step: &Step, number: usize, of: usize) -> String {
    let seconds = step.at.saturating_sub(entry.asked_at) as f64 / 1000.0;
    let mut page = format!("── {} {number}/{of}  {seconds:.1} s  {}", entry.id, step.what);
    for line in step.text.lines() {
        page.push_str("\n   ");
        page.push_str(line);
    }
    page
}

/// What a key means here.
enum Turn {
    On,
    Back,
    Leave,
}

/// Enter and n go on, p goes back, q leaves.
fn turn_pages(pages: &[String]) -> Result<ExitCode, Failure> {
    let mut at = 0;
    while let Some(page) = pages.get(at) {
        out::line(page)?;
        out::raw("   Enter next · p back · q leave ".as_bytes())?;
        let turn = next_turn()?;
        // The line with the keys goes; what was shown stays.
        out::raw(b"\r\x1b[K")?;
        match turn {
            Turn::On => at += 1,
            Turn::Back => at = at.saturating_sub(1),
            Turn::Leave => break,
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Waits for a key that means something. Terminals send each key in one piece.
fn next_turn() -> Result<Turn, Failure> {
    let _mode = TerminalMode::key_by_key();
    let mut keys = [0; 16];
    loop {
        let read = io::stdin().lock().read(&mut keys);
        let count = read.map_err(|error| Failure::new(1, format!("could not show it: {error}")))?;
        match &keys[..count] {
            b"\r" | b"\n" | b"n" | b" " | b"\x1b[C" | b"\x1b[B" | b"\x1bOC" | b"\x1bOB" => {
                return Ok(Turn::On);
            }
            b"p" | b"\x1b[D" | b"\x1b[A" | b"\x1bOD" | b"\x1bOA" => return Ok(Turn::Back),
            // The end of the terminal, Esc, ctrl-c.
            b"" | b"q" | b"\x1b" | b"\x03" => return Ok(Turn::Leave),
            _ => {}
        }
    }
}
