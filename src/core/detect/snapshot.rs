//! What a verdict rests on, and what is kept of how it was come to.
//!
//! A session makes the one, `counsel explain` shows the other; everything that looks at a screen is given both. Values.

use crate::core::question::Question;
use crate::core::terminal::grid::Grid;
use crate::core::terminal::modes::Modes;
use crate::core::terminal::program_status::ProgramStatus;

use super::witness::Witness;

/// Everything a verdict may rest on.
#[derive(Debug, Clone, Copy)]
pub struct Snapshot<'a> {
    pub grid: &'a Grid,
    /// The numbers of its rows, as `Screen::versions` gives them; empty where there are none.
    pub versions: &'a [u64],
    pub title: &'a str,
    /// The program's own last report, if it makes any: weak, the screen must show the dialog.
    pub status: Option<&'a ProgramStatus>,
    pub modes: Modes,
    pub alive: bool,
    /// Who reads the terminal, if that was looked at after the last output.
    pub witness: Option<&'a Witness>,
    /// The prompt in the line of the cursor that the screen before this one showed: with an answer behind it, it may
    /// look like nothing at all.
    pub asked: Option<&'a Question>,
    /// What the program wrote since it last took input, in words, whether or not it stands on the screen.
    pub written: &'a str,
    /// Nothing has left the top of its screen: above the first line there is nothing.
    pub from_the_start: bool,
    /// The line that its first row belongs to; none where lines are not counted, as on the alternate screen.
    pub first_line: Option<u64>,
    /// When it got its size; none while its program may still be drawing for that.
    pub resized_ms: Option<u64>,
    /// What was typed since the last line end, and may stand behind the cursor's prompt, or alone, as the terminal's echo.
    pub draft: &'a str,
    /// What was typed ahead was taken back, and the terminal wiped the end of the prompt away with it.
    pub wiped: bool,
    /// The line of the cursor was begun since the last key, and the terminal holds none: all that stands there was printed.
    pub untouched: bool,
    /// For how long nothing has been printed.
    pub still_ms: u64,
    /// For how long each row has shown what it shows, in milliseconds; empty where that is not known.
    pub ages: &'a [u64],
}

/// One thing that was looked for.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Step {
    pub rule: String,
    pub fired: bool,
    pub detail: String,
}

/// The steps of one verdict, in the order they were taken; recorded only when somebody asks why.
#[derive(Debug, Default)]
pub struct Trace {
    pub on: bool,
    pub steps: Vec<Step>,
}

impl Trace {
    pub(super) fn note(&mut self, rule: &str, fired: bool, detail: impl FnOnce() -> String) {
        if self.on {
            self.steps.push(Step { rule: rule.to_owned(), fired, detail: detail() });
        }
    }
}
