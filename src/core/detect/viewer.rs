//! Programs that show what somebody else wrote: editors, pagers, browsers, monitors. What a file holds is no question of
//! theirs, however it looks.
//!
//! `detect/reading.rs` comes here with every question of a program that no profile describes. The kernel names those that
//! are known. Of any other only its terminal can be held against it: prompt libraries draw their rows in the open, behind
//! what was printed before, and whoever takes a screen of its own may show on it whatever it likes.

use super::page::Page;
use super::snapshot::{Snapshot, Trace};
use super::witness::{Reader, Witness};
use crate::core::profile::{LineRule, Profile, SignState};
use crate::core::question::{Kind, Question, State, Verdict, Widget};

/// Their names, as the kernel tells them.
const NAMES: &str = "vi vim nvim view rvim rview vimdiff ex nano pico emacs emacsclient joe jmacs jstar jpico rjoe micro helix \
    hx kak kakoune ne jed zile mg vis dte tilde mcedit mcview mcdiff mc ranger lf nnn vifm htop top btop atop glances iotop \
    ncdu tig lazygit gitui less more most man info pinfo bat batcat moar moor ov lnav multitail w3m lynx links links2 elinks \
    browsh mutt neomutt aerc newsboat tmux screen watch irssi weechat";

/// Whether whoever reads is known to show what others wrote.
pub fn is_one(witness: &Witness) -> bool {
    let program = match &witness.reader {
        Reader::Reading(wait) => &wait.program,
        Reader::MayRead { program } => program,
        Reader::Nobody | Reader::Unknown(_) => return false,
    };
    // `vim.basic` and `emacs-nox` are some of several that are called vim and emacs.
    let name = program.split(['.', '-']).next().unwrap_or(program);
    NAMES.split_whitespace().any(|known| known == name)
}

/// Takes for no question what such a program shows, and for a person's what one may show.
pub fn weigh(profile: &Profile, snapshot: &Snapshot, page: &Page, verdict: &mut Verdict, trace: &mut Trace) {
    let why = format!("{}/shown", profile.name);
    let Some(question) = &mut verdict.question else {
        let shows = matches!(verdict.state, State::Unknown | State::Working);
        if shows && snapshot.witness.is_some_and(is_one) {
            (verdict.state, verdict.why) = (State::Idle, why);
        }
        return;
    };
    if question.kind == Kind::Dialog || question.kind.person_only() {
        return;
    }
    if snapshot.witness.is_some_and(is_one) {
        // It asks for itself in its last line.
        let row = page.cursor.0;
        let own =
            question.origin.line && row + 1 == snapshot.grid.rows.len() && !is_prompt(profile, page, row);
        trace.note("shown", true, || "whoever reads shows what others wrote".into());
        if own || question.origin.widget != Widget::Rows {
            question.kind = Kind::Dialog;
        } else {
            verdict.question = None;
            (verdict.state, verdict.why) = (State::Idle, why);
        }
    } else if may_be_shown(snapshot, question) {
        trace.note("shown", true, || "on a screen of its own a program may show what others wrote".into());
        question.kind = Kind::Dialog;
    }
}

/// Whether the row is the prompt at which a pager waits for commands. Below a row that is full it looks like its end.
fn is_prompt(profile: &Profile, page: &Page, row: usize) -> bool {
    let idle = |rule: &&LineRule| matches!(rule.state, Some(SignState::Idle));
    profile.line.iter().filter(idle).any(|rule| rule.pattern.is_match(page.text(row).trim_end()))
}

/// Whether it stands on a screen of the program's own, neither in a box with buttons nor where a line is read.
fn may_be_shown(snapshot: &Snapshot, question: &Question) -> bool {
    let reads_lines = snapshot.witness.is_some_and(|witness| witness.canonical);
    snapshot.modes.alternate_screen && question.origin.widget == Widget::Rows && !reads_lines
}
