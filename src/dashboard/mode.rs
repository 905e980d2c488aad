//! What has the keyboard, and what is known of it while it has.
//!
//! `state.rs` holds it, `update.rs` gives the keys of each mode to the file that knows them. Pure.

use crate::core::keymap::Context;

use super::edit::Edit;
use super::form::Form;
use super::log_view::LogView;
use super::scroll::Scroll;

/// What has the keyboard.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum Mode {
    /// The focused agent.
    #[default]
    Panes,
    Help(Help),
    Palette(Palette),
    Create(Box<Form>),
    Sure(Sure),
    Drawer(Drawer),
    Scroll(Box<Scroll>),
    Log(Box<LogView>),
}

impl Mode {
    /// Whose keys count there; none where everything goes to the agent, or what has a page of the help has them.
    pub fn context(&self) -> Option<Context> {
        match self {
            Mode::Drawer(_) => Some(Context::Questions),
            Mode::Scroll(_) => Some(Context::Scrollback),
            Mode::Palette(_) => Some(Context::Palette),
            Mode::Create(_) => Some(Context::Form),
            Mode::Log(view) if view.step.is_some() => Some(Context::Steps),
            Mode::Log(_) => Some(Context::Log),
            Mode::Sure(_) => Some(Context::Confirm),
            Mode::Panes | Mode::Help(_) => None,
        }
    }

    /// The same, or what it was opened over, where it is the help.
    fn below_help(&self) -> &Mode {
        match self {
            Mode::Help(Help { over: Some(over), .. }) => over,
            mode => mode,
        }
    }

    fn below_help_mut(&mut self) -> &mut Mode {
        match self {
            Mode::Help(Help { over: Some(over), .. }) => over,
            mode => mode,
        }
    }

    /// The drawer, also behind the help: what is told of its question counts for it.
    pub fn drawer(&self) -> Option<&Drawer> {
        if let Mode::Drawer(drawer) = self.below_help() { Some(drawer) } else { None }
    }

    pub fn drawer_mut(&mut self) -> Option<&mut Drawer> {
        if let Mode::Drawer(drawer) = self.below_help_mut() { Some(drawer) } else { None }
    }

    /// The log, also behind the help: it may be read while that is open.
    pub fn log_mut(&mut self) -> Option<&mut LogView> {
        if let Mode::Log(view) = self.below_help_mut() { Some(view) } else { None }
    }
}

/// A question before something that cannot be undone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Sure {
    Stop(String),
    /// Of one that runs.
    Restart(String),
    /// Stops every agent and the server.
    Down,
}

impl Sure {
    /// The agent it is about.
    pub fn name(&self) -> Option<&str> {
        match self {
            Sure::Stop(name) | Sure::Restart(name) => Some(name),
            Sure::Down => None,
        }
    }
}

/// The questions drawer.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Drawer {
    /// The question shown. By id, so that a key pressed for one never answers another.
    pub id: Option<String>,
    /// The highlighted option; one past the last is the line of proposed words. `None`: Enter gives nothing.
    pub row: Option<usize>,
    /// The person has moved the highlight: a proposal that comes later leaves it there.
    pub moved: bool,
    pub ticks: Vec<usize>,
    /// The first digit of a number that may have a second.
    pub typed: Option<u32>,
    /// The answer in words, while it is typed.
    pub edit: Option<Edit>,
    /// Words were typed that nothing here takes: nothing is given before a row is chosen anew.
    pub words_lost: bool,
    /// What stands there was written for another question, and nobody has gone on with it.
    pub former: bool,
    /// Consultants to choose from, and the highlighted one.
    pub others: Option<(Vec<String>, usize)>,
}

/// The help: `view/help.rs` says what is on its pages.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Help {
    pub page: usize,
    /// What is looked for, while it is typed.
    pub find: Option<Edit>,
    /// The scrollback it was opened over.
    pub scroll: Option<Box<Scroll>>,
    /// Whatever else it was opened over.
    pub over: Option<Box<Mode>>,
}

/// The command palette: `palette.rs` finds what the letters typed mean.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Palette {
    pub edit: Edit,
    pub selected: usize,
}
