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

/// A key by tmux's name for it: `A`, `C-q`, `F5`, `M-Enter`.
fn key(text: &str) -> Result<String, String> {
    let named = |c: char| c.is_ascii_alphanumeric() || c == '-';
    if !text.is_empty() && text.chars().all(named) {
        return Ok(text.to_owned());
    }
    Err("name a key as tmux does: A, C-q, F5".to_owned())
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
