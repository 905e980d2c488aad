//! `counsel exec`: runs a program to completion on a terminal and prints what it printed.
//!
//! Whatever ends this command early ends the program as well, unless it is to be kept: nothing runs on unnamed.

pub mod follow;
mod keys;
mod printer;
mod stdin;

use std::io::IsTerminal;
use std::process::ExitCode;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use serde_json::json;

use crate::config::Places;
use crate::core::agent::AgentSpec;
use crate::os::interrupt::{self, INTERRUPTED};
use crate::os::{pty, tie};
use crate::wire::Request;

use self::follow::{Ended, Holder, LONGEST_SECS, follow};
use self::printer::Printer;
use super::failure::{Failure, TIMED_OUT, USAGE};
use super::link::{Acting, Global};
use super::read::{self, Overflow};
use super::{number, out, start, trust};

/// Run a program to completion on a terminal, and print what it prints
///
/// On a terminal it is shown as the program's own terminal shows it, and each key goes to the program as it is pressed, but for those
/// that mean a signal (ctrl-c breaks it off); a program that draws a whole screen wants --raw. A file or a pipe gets it byte for byte,
/// without control sequences, and a file or a pipe on standard input is the program's standard input.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Seconds it may take, at most 300; then it runs on as an agent, its standard input at an end (exit code 124)
    #[arg(long, value_name = "SECS", default_value_t = follow::DEFAULT_SECS, value_parser = number::seconds, allow_negative_numbers = true)]
    timeout: f64,
    /// The agent's name, should it run on
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
    /// Keep control sequences
    #[arg(long)]
    raw: bool,
    /// As the program's terminal shows it, also for a file or a pipe: without what was drawn over, tabs as blanks
    #[arg(long, conflicts_with = "raw")]
    screen: bool,
    /// Interrupted, or when nobody reads its output any more, the program goes on as an agent
    #[arg(long)]
    keep: bool,
    #[command(flatten)]
    acting: Acting,
    /// The program and its arguments; no shell reads them
    #[arg(last = true, required = true, value_name = "CMD")]
    command: Vec<String>,
}

/// Time a program has to end by itself when this command is broken off, as with `counsel stop`.
const GRACE_MS: u64 = 2_000;
/// Longer than any start and stop takes: a server that stands still does not hold up whoever breaks this off for ever.
const LONGEST_STOP: Duration = Duration::from_secs(15);

pub fn run(args: &Args, global: &Global) -> Result<ExitCode, Failure> {
    let doing = format!("run {}", args.command[0]);
    let doing = |failure: Failure| failure.doing(&doing);
    if !(0.0..=LONGEST_SECS).contains(&args.timeout) {
        return Err(doing(Failure::new(
            USAGE,
            format!(
                "--timeout is 0 to {LONGEST_SECS} seconds; what takes longer is an agent: 'counsel start NAME -- CMD'"
            ),
        )));
    }
    let config = trust::policy(&Places::here(None)?)?;
    let call = Some(follow::call_number());
    let global = &Global { call, ..global.clone() };
    let until = Instant::now() + Duration::from_secs_f64(args.timeout);
    // Before anything runs: from here on the program is ended whenever this command is.
    let running = Arc::new(Mutex::new(None));
    let (broken_off, keep, whose) = (global.clone(), args.keep, running.clone());
    interrupt::on_signal(move || interrupted(&broken_off, &whose, keep))
        .map_err(|error| Failure::from(format!("signals cannot be taken: {error}")))?;
    let mut server = global.server()?;
    let name = match &args.name {
        Some(name) => name.clone(),
        None => follow::free_name(&mut server)?,
    };
    let spec = AgentSpec {
        name: name.clone(),
        command: args.command.clone(),
        cwd: start::folder(None)?,
        env: start::environment(),
        profile: Some("generic".to_owned()),
        size: Some(pty::terminal_size()),
        scrollback: Some(follow::WHOLE_OUTPUT),
        // Killed, this command can end nothing itself.
        tied: if args.keep { None } else { tie::to_this() },
        call,
        ..AgentSpec::default()
    };
    let input = {
        // Held until it runs: whoever breaks this off meanwhile finds it, or keeps it from being started.
        let mut running = running.lock().unwrap_or_else(PoisonError::into_inner);
        let input = stdin::Source::find().map_err(doing)?;
        let spec = AgentSpec { stdin: input.path(), ..spec };
        start::start(&mut server, spec, &config).map_err(doing)?;
        *running = Some(name.clone());
        input
    };
    let connect = || global.with_agent(&name);
    let mut holder = Holder::new(server, &connect);
    let done = see_through(args, global, &mut holder, &name, (input, until));
    // A signal that has ended the program says how this command ends, too: whoever took it holds this until then.
    let _ended_by_itself = running.lock().unwrap_or_else(PoisonError::into_inner);
    done.and_then(|(ended, printer)| finish(args, &mut holder, &name, ended, printer))
        .inspect_err(|_| not_left_behind(args, global, &name))
        .map_err(|failure| match failure.hung_up {
            true => doing("its server died, and no other can be had".into()),
            false => doing(failure),
        })
}

/// Passes input and output on, until it ends.
fn see_through(
    args: &Args,
    global: &Global,
    holder: &mut Holder<'_>,
    name: &str,
    (input, until): (stdin::Source, Instant),
) -> Result<(Ended, Printer), Failure> {
    let as_printed = args.raw && !args.acting.json && std::io::stdout().is_terminal();
    let terminal = input.pass_on(global, name, as_printed)?;
    let mut printer = Printer::new(args.raw, args.screen, args.acting.json);
    let ended = follow(holder, name, printer.mode(), until, &mut |text| printer.take(text))?;
    drop(terminal);
    Ok((ended, printer))
}

/// This command has failed, for instance to write the output: the program is ended as by an interruption.
fn not_left_behind(args: &Args, global: &Global, name: &str) {
    if args.keep {
        let release = Request::Release { name: name.to_owned() };
        if global.with_agent(name).and_then(|mut server| server.tell(release)).is_ok() {
            out::complain(&format!("it goes on as agent {name}"));
        }
        return;
    }
    // It may be gone already; what failed is told, not this. The server may be what failed: the next one ends it.
    let stop = Request::Stop { names: vec![name.to_owned()], grace_ms: GRACE_MS };
    let _ = global.with_agent(name).and_then(|mut server| server.tell(stop));
}

fn finish(
    args: &Args,
    holder: &mut Holder<'_>,
    name: &str,
    ended: Ended,
    mut printer: Printer,
) -> Result<ExitCode, Failure> {
    if ended != Ended::ReaderGone {
        printer.end()?;
    }
    let code = match ended {
        Ended::Exited(code) => {
            holder.stop(name, 0)?;
            u8::try_from(code).unwrap_or(u8::MAX)
        }
        Ended::TimedOut => {
            holder.release(name)?;
            let secs = args.timeout;
            let what = &args.command[0];
            out::complain(&format!(
                "could not run {what} to its end: still running after {secs} s; it goes on as agent {name}"
            ));
            TIMED_OUT
        }
        Ended::ReaderGone if args.keep => {
            out::complain(&format!("nobody reads its output any more; it goes on as agent {name}"));
            return Ok(ExitCode::from(INTERRUPTED));
        }
        Ended::ReaderGone => {
            holder.stop(name, GRACE_MS)?;
            return Ok(ExitCode::from(INTERRUPTED));
        }
    };
    if args.acting.json {
        let exit_code = if let Ended::Exited(code) = ended { Some(code) } else { None };
        let kept = printer.kept();
        let Overflow { text, file, .. } = read::overflow_or_all(name, &kept);
        out::json(&json!({
            "name": name, "exit_code": exit_code, "timed_out": exit_code.is_none(), "text": text,
            "truncated": kept.truncated || file.is_some(), "file": file,
        }))?;
    }
    Ok(ExitCode::from(code))
}

/// This command was interrupted: the program is ended with everything it started, over a line of its own. Further signals
/// wait for that.
fn interrupted(global: &Global, running: &Mutex<Option<String>>, keep: bool) {
    interrupt::give_terminal_back();
    // Without it a server that does not answer is waited for longer.
    let _ = std::thread::Builder::new().spawn(|| {
        std::thread::sleep(LONGEST_STOP);
        out::complain("the server does not answer, and the program may run on; see 'counsel ls'");
        std::process::exit(i32::from(INTERRUPTED));
    });
    let running = running.lock().unwrap_or_else(PoisonError::into_inner);
    match (&*running, keep) {
        (None, _) => {}
        (Some(name), true) => out::complain(&format!("interrupted; it goes on as agent {name}")),
        (Some(name), false) => {
            if let Ok(Some(mut server)) = global.running() {
                // It may not have been started yet, or have ended by itself.
                let _ = server.tell(Request::Stop { names: vec![name.clone()], grace_ms: GRACE_MS });
            }
        }
    }
    std::process::exit(i32::from(INTERRUPTED))
}
