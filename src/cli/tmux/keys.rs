//! `counsel tmux keys`: lines for tmux.conf. Read once more, they change nothing a second time.

use std::process::ExitCode;

use super::super::failure::Failure;
use super::super::link::Global;
use super::super::out;
use super::invoke::{shell, unformatted, word};
use super::popup::SIZE;

/// Print lines for tmux.conf: the status line, a key for the popup, a key to the agent that asks
#[derive(Debug, clap::Args)]
pub struct Args {
    /// After tmux's prefix: the dashboard in a popup
    #[arg(long, value_name = "KEY", default_value = "A", value_parser = key)]
    popup: String,
    /// After tmux's prefix: to the agent that asks
    #[arg(long, value_name = "KEY", default_value = "Q", value_parser = key)]
    jump: String,
}

/// Keys of more than one letter, as tmux(1) names them.
const NAMED: [&str; 21] = [
    "BSpace", "BTab", "DC", "Delete", "Down", "End", "Enter", "Escape", "Home", "IC", "Insert", "Left",
    "NPage", "PPage", "PageDown", "PageUp", "PgDn", "PgUp", "Right", "Space", "Tab",
];
/// tmux knows `F1` to `F12`.
const LAST_FUNCTION_KEY: u8 = 12;

/// A key by tmux's name for it: `A`, `C-q`, `F5`, `M-Enter`.
fn key(text: &str) -> Result<String, String> {
    let mut bare = text;
    while let Some(rest) = ["C-", "M-", "S-"].iter().find_map(|modifier| bare.strip_prefix(modifier)) {
        bare = rest;
    }
    let function = bare.strip_prefix('F').and_then(|number| number.parse::<u8>().ok());
    let letter = bare.len() == 1 && bare.chars().all(|c| c.is_ascii_alphanumeric());
    let known = letter
        || NAMED.iter().any(|name| name.eq_ignore_ascii_case(bare))
        || function.is_some_and(|number| (1..=LAST_FUNCTION_KEY).contains(&number));
    match known {
        true => Ok(text.to_owned()),
        false => Err("name a key as tmux does: A, C-q, F5".to_owned()),
    }
}

pub fn run(args: &Args, global: &Global) -> Result<ExitCode, Failure> {
    let Args { popup, jump } = args;
    let segment = word(&format!(" #({})", unformatted(&shell(global, &["tmux", "status"])?)));
    let dashboard = word(&shell(global, &[])?);
    let to_asker = shell(global, &["tmux", "jump", "--client"])?;
    let to_asker = word(&format!("{} '#{{client_name}}'", to_asker.replace('#', "##")));
    out::line(&format!(
        "# counsel in tmux 3.2 or newer: counsel tmux keys >> ~/.tmux.conf, then tmux source ~/.tmux.conf
# Counts of agents at the right of the status line, and room and time for them.
if-shell -F '#{{?#{{m:*tmux status*,#{{status-right}}}},,1}}' {{
  set-option -ga status-right {segment}
}}
if-shell -F '#{{e|<:#{{status-right-length}},80}}' {{ set-option -g status-right-length 80 }}
if-shell -F '#{{e|>:#{{status-interval}},5}}' {{ set-option -g status-interval 5 }}
# prefix {popup}: the dashboard over your panes. prefix {jump}: to the agent that asks.
bind-key {popup} display-popup -E -w {SIZE} -h {SIZE} -d '#{{pane_current_path}}' {dashboard}
bind-key {jump} run-shell -b {to_asker}"
    ))?;
    Ok(ExitCode::SUCCESS)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `foo` was printed in a line that tmux refuses.
    #[test]
    fn a_key_is_one_that_tmux_knows() {
        for known in ["A", "C-q", "M-C-x", "F5", "F12", "M-Enter", "ppage", "0"] {
            assert_eq!(key(known).as_deref(), Ok(known));
        }
        for unknown in ["", "foo", "F13", "F0", "C-", "C-foo", "A;kill-server", "-", "é"] {
            assert!(key(unknown).is_err(), "{unknown}");
        }
    }
}
