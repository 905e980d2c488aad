//! `counsel read`: what an agent has printed, or shows.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

use serde::Serialize;

use crate::core::question::State;
use crate::core::visible::visible;
use crate::os::paths;
use crate::wire::message::{ReadMode, ReadText};
use crate::wire::{Reply, Request};

use super::failure::Failure;
use super::link::{Global, Server, ask_on, unexpected};
use super::number;

/// Read an agent's output or screen
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The agent
    #[arg(add = super::complete::agents())]
    name: String,
    /// Only what is new since this cursor
    #[arg(long, value_name = "CURSOR", value_parser = number::whole, allow_negative_numbers = true)]
    since: Option<u64>,
    /// Only the last N lines
    #[arg(long, value_name = "N", value_parser = number::whole, allow_negative_numbers = true)]
    tail: Option<u64>,
    /// Wait up to this long for something new, in milliseconds: beyond CURSOR, else printed from now on
    #[arg(long, value_name = "MS", default_value_t = 0, value_parser = number::whole, allow_negative_numbers = true)]
    wait: u64,
    /// The screen as it stands
    #[arg(long, conflicts_with = "scrollback")]
    screen: bool,
    /// Everything kept
    #[arg(long)]
    scrollback: bool,
    /// With control sequences, as it was printed
    #[arg(long, conflicts_with = "screen")]
    raw: bool,
    /// One JSON object
    #[arg(long)]
    json: bool,
}

/// More than this goes to a file: what a program's context can take at once.
const INLINE_LINES: usize = 2_000;
const INLINE_BYTES: usize = 51_200;

#[derive(Serialize)]
struct Shown<'a> {
    state: State,
    cursor: u64,
    text: &'a str,
    truncated: bool,
    file: Option<PathBuf>,
}

pub fn run(args: &Args, global: &Global) -> Result<ExitCode, Failure> {
    // As it was printed, everything that is kept is what stands there without a cursor.
    let mode = match (args.screen, args.raw, args.scrollback) {
        (true, ..) => ReadMode::Screen,
        (_, true, _) => ReadMode::Raw,
        (_, _, true) => ReadMode::Scrollback,
        _ => ReadMode::Output,
    };
    let began = Instant::now();
    let request = || Request::Read {
        name: args.name.clone(),
        since: args.since,
        tail: args.tail,
        wait_ms: args.wait.saturating_sub(number::millis(began.elapsed())),
        mode,
        seen: None,
    };
    let Reply::Text(read) = ask_on(|| global.with_agent(&args.name), request)? else {
        return Err(unexpected());
    };
    let read = whole(read, &args.name, mode, || global.with_agent(&args.name))?;
    if args.json {
        let Overflow { text, file, .. } = overflow_or_all(&args.name, &read);
        let shown = Shown {
            state: read.state,
            cursor: read.cursor,
            text,
            truncated: read.truncated || file.is_some(),
            file,
        };
        super::out::json(&shown)?;
    } else {
        // Whoever asked for the last lines alone knows that there were others.
        if read.truncated && args.tail.is_none() {
            let name = &args.name;
            super::out::complain(&match mode {
                ReadMode::Raw => format!("some of what {name} has printed is not kept as it was printed"),
                _ => {
                    format!("older output of {name} is no longer kept; [server] scrollback_lines keeps more")
                }
            });
        }
        if !read.text.is_empty() {
            match mode {
                ReadMode::Raw => super::out::line(&read.text)?,
                // Its lines, as they are shown: nothing in them hides or turns around the others. A last one that is empty is
                // where the cursor stands.
                _ => {
                    let text = read.text.strip_suffix('\n').unwrap_or(&read.text);
                    super::out::line(&text.split('\n').map(visible).collect::<Vec<_>>().join("\n"))?;
                }
            }
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// With what did not go into the first reply, up to what was there when that came.
pub fn whole(
    mut read: ReadText,
    name: &str,
    mode: ReadMode,
    connect: impl FnOnce() -> Result<Server, Failure>,
) -> Result<ReadText, Failure> {
    if read.cursor < read.end {
        rest(&mut read, name, mode, &mut connect()?)?;
    }
    Ok(read)
}

/// The same over a connection that is there.
pub fn rest(read: &mut ReadText, name: &str, mode: ReadMode, server: &mut Server) -> Result<(), Failure> {
    let until = read.end;
    // The scrollback is the output from its beginning.
    let mode = if mode == ReadMode::Scrollback { ReadMode::Output } else { mode };
    while read.cursor < until {
        let (name, since) = (name.to_owned(), Some(read.cursor));
        let request = Request::Read { name, since, tail: None, wait_ms: 0, mode, seen: None };
        let Reply::Text(more) = server.ask(request)? else { return Err(unexpected()) };
        // The end of a character that is still to come.
        if more.cursor == read.cursor {
            break;
        }
        (read.cursor, read.state, read.exit_code) = (more.cursor, more.state, more.exit_code);
        read.text.push_str(&more.text);
        read.truncated |= more.truncated;
    }
    Ok(())
}

/// What is shown inline, and where the rest of it is.
#[derive(Debug)]
pub struct Overflow<'a> {
    pub text: &'a str,
    /// It has all of it, if that is not inline.
    pub file: Option<PathBuf>,
    /// Why there is no such file, though there is more.
    pub unwritten: Option<String>,
}

/// Puts what is too long to be shown inline into a file.
pub fn overflow<'a>(name: &str, read: &'a ReadText) -> Overflow<'a> {
    let text = read.text.as_str();
    if text.len() <= INLINE_BYTES && text.lines().count() <= INLINE_LINES {
        return Overflow { text, file: None, unwritten: None };
    }
    let line_end = text.match_indices('\n').nth(INLINE_LINES - 1).map_or(text.len(), |(at, _)| at);
    let mut end = line_end.min(INLINE_BYTES);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let text = &text[..end];
    match put_down(name, read) {
        Ok(path) => Overflow { text, file: Some(path), unwritten: None },
        Err(why) => Overflow { text, file: None, unwritten: Some(why) },
    }
}

fn put_down(name: &str, read: &ReadText) -> Result<PathBuf, String> {
    let folder = paths::state_dir()?.join("output");
    let path = folder.join(format!("{name}-{}.txt", read.cursor));
    let write = || -> std::io::Result<()> {
        paths::create_private(&folder)?;
        paths::write_private(&path, read.text.as_bytes())
    };
    write().map(|()| path.clone()).map_err(|error| format!("could not write {}: {error}", path.display()))
}

/// The same for whoever reads standard output: what no file takes is all there, and standard error says why.
pub fn overflow_or_all<'a>(name: &str, read: &'a ReadText) -> Overflow<'a> {
    let shown = overflow(name, read);
    let Some(why) = &shown.unwritten else { return shown };
    super::out::complain(&format!("{why}; all of it is in the text instead"));
    Overflow { text: &read.text, ..shown }
}
