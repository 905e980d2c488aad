//! The terminal counsel would be shown in, and the tmux around or beside it.

use std::io::IsTerminal;
use std::process::Command;
use std::time::Duration;

use crate::os::run_command;

use super::super::tmux::around::Tmux;
use super::finding::{Finding, variable, version_in};

/// tmux answers within milliseconds; one that is stuck is not worth more of the user's time.
const TMUX_LIMIT: Duration = Duration::from_secs(2);
/// The least tmux that has popups and flow control for its control mode.
const TMUX_LEAST: [u32; 2] = [3, 2];
/// The size the dashboard is made for; it works below it, with less beside the panes.
const ROOMY: (u16, u16) = (80, 24);
/// tmux holds every Esc back for this many milliseconds at most before it is felt.
const ESCAPE_MS: u32 = 50;

pub fn terminal() -> Vec<Finding> {
    if !(std::io::stdin().is_terminal() && std::io::stdout().is_terminal()) {
        return vec![Finding::ok("terminal", "none here; dashboard and attach need one, all else does not")];
    }
    let mut findings = vec![kind()];
    match crossterm::terminal::size() {
        Ok((cols, rows)) if cols >= ROOMY.0 && rows >= ROOMY.1 => {
            findings.push(Finding::ok("size", format!("{cols}x{rows}")));
        }
        Ok((cols, rows)) if cols == 0 || rows == 0 => findings.push(Finding::warn(
            "size",
            format!(
                "the terminal says that it has {cols}x{rows}; it is drawn on as one of {}x{}",
                ROOMY.0, ROOMY.1
            ),
            format!("tell it how large it is, as in 'stty rows {} cols {}'", ROOMY.1, ROOMY.0),
        )),
        Ok((cols, rows)) => findings.push(Finding::warn(
            "size",
            format!("{cols}x{rows} is narrow for several panes"),
            format!("make it {}x{} or larger, or zoom with the prefix and z", ROOMY.0, ROOMY.1),
        )),
        Err(error) => findings.push(Finding::warn(
            "size",
            format!("the terminal does not tell its size: {error}"),
            "run 'stty size'",
        )),
    }
    findings.push(keyboard());
    findings
}

fn kind() -> Finding {
    let Some(term) = variable("TERM") else {
        return Finding::fail("terminal", "TERM is not set", "export TERM=xterm-256color");
    };
    if term == "dumb" || term == "unknown" {
        let what = format!("TERM={term} cannot place a cursor");
        return Finding::fail("terminal", what, "use a terminal, or export TERM=xterm-256color");
    }
    let true_color = variable("COLORTERM").is_some_and(|kind| kind == "truecolor" || kind == "24bit");
    if true_color || term.ends_with("-direct") {
        return Finding::ok("terminal", format!("{term}, 16 million colours"));
    }
    if term.contains("256color") {
        return Finding::ok("terminal", format!("{term}, 256 colours"));
    }
    Finding::warn(
        "terminal",
        format!("{term} promises 16 colours at most"),
        "export TERM=xterm-256color if the terminal can",
    )
}

fn keyboard() -> Finding {
    match crossterm::terminal::supports_keyboard_enhancement() {
        Ok(true) => Finding::ok("keyboard", "kitty protocol: ctrl-i and tab, shift-enter and enter differ"),
        Ok(false) => Finding::ok("keyboard", "no kitty protocol: ctrl-i is tab, shift-enter is enter"),
        Err(error) => Finding::warn(
            "keyboard",
            format!("the terminal does not answer queries: {error}"),
            "nothing breaks, but counsel starts 2 s later; another terminal would answer",
        ),
    }
}

pub fn locale() -> Vec<Finding> {
    // The order in which the C library asks.
    let found = ["LC_ALL", "LC_CTYPE", "LANG"].into_iter().find_map(|name| Some((name, variable(name)?)));
    let utf8 = |value: &str| {
        let value = value.to_ascii_lowercase();
        value.contains("utf-8") || value.contains("utf8")
    };
    vec![match found {
        Some((name, value)) if utf8(&value) => Finding::ok("locale", format!("{name}={value}")),
        Some((name, value)) => Finding::warn(
            "locale",
            format!("{name}={value} is not UTF-8: agents may draw boxes and letters as '?'"),
            format!("export {name}=C.UTF-8"),
        ),
        None => Finding::warn(
            "locale",
            "no LC_ALL, LC_CTYPE or LANG; agents get LANG=C.UTF-8",
            "export LANG=C.UTF-8",
        ),
    }]
}

pub fn tmux() -> Vec<Finding> {
    let said = match run_command::run(Command::new("tmux").arg("-V"), TMUX_LIMIT) {
        Ok(said) => said.out.trim().to_owned(),
        Err(run_command::Error::Missing) => {
            let what = "not installed; only host = \"tmux\", 'counsel adopt' and 'counsel tmux' need it";
            return vec![Finding::warn("tmux", what, "install tmux 3.2 or newer to use them")];
        }
        Err(silent) => {
            return vec![Finding::warn("tmux", format!("'tmux -V': {silent}"), "reinstall tmux")];
        }
    };
    let mut findings = Vec::new();
    match version_in(&said) {
        Some(version) if version.as_slice() < TMUX_LEAST.as_slice() => {
            let what = format!("{said} has no popups and no flow control");
            findings.push(Finding::warn("tmux", what, "install tmux 3.2 or newer"));
        }
        // A development version names no number; it is newer than what is needed.
        Some(_) | None => findings.push(Finding::ok("tmux", said)),
    }
    if variable("TMUX").is_some() {
        findings.push(around());
    }
    findings
}

/// What of the tmux this runs in decides how the dashboard feels.
fn around() -> Finding {
    let asked = Tmux::around().map(|tmux| {
        tmux.ask(&["display-message", "-p", "#{escape-time}\n#{focus-events}\n#{client_termfeatures}"])
    });
    let said = match asked {
        Some(Ok(said)) => said,
        Some(Err(failure)) => {
            let what = format!("the tmux of $TMUX does not answer: {failure}");
            return Finding::warn("inside tmux", what, "start a new shell in tmux");
        }
        None => return Finding::warn("inside tmux", "$TMUX names no socket", "start a new shell in tmux"),
    };
    let mut lines = said.lines();
    let mut next = || lines.next().unwrap_or_default().to_owned();
    let (escape, focus, features) = (next(), next(), next());
    let mut wrong = Vec::new();
    if escape.parse::<u32>().is_ok_and(|ms| ms > ESCAPE_MS) {
        wrong.push(("every Esc comes late", "set -s escape-time 10"));
    }
    if focus == "0" || focus == "off" {
        wrong.push(("agents do not learn of focus", "set -g focus-events on"));
    }
    // Without a client there is nobody whose terminal could lack anything.
    if !features.is_empty() && !features.split(',').any(|feature| feature == "RGB") {
        wrong.push(("colours are cut to 256", "set -as terminal-features ',*:RGB' if the terminal has more"));
    }
    if wrong.is_empty() {
        return Finding::ok("inside tmux", "colours, focus and Esc get through");
    }
    let what: Vec<&str> = wrong.iter().map(|(what, _)| *what).collect();
    let mend: Vec<&str> = wrong.iter().map(|(_, mend)| *mend).collect();
    Finding::warn("inside tmux", what.join("; "), format!("in tmux.conf: {}", mend.join("; ")))
}
