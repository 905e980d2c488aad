//! The table of all bindings: what can be done where, by which name, with which keys unless a person has bound others.
//!
//! `keymap.rs` makes a keymap of it, help and palette list it. Data.

use crate::core::terminal::keys::Key;

use Context::{Confirm, Form, Log, Palette, Panes, Questions, Scrollback, Steps};

/// Where a key is pressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Context {
    /// After the prefix, wherever one is.
    Panes,
    /// In the questions drawer.
    Questions,
    /// In an agent's scrollback.
    Scrollback,
    /// In the palette.
    Palette,
    /// In the form for a new agent.
    Form,
    /// Over the list of decisions.
    Log,
    /// In one decision, step by step.
    Steps,
    /// Before something that cannot be undone.
    Confirm,
}

impl Context {
    pub const ALL: [Context; 8] = [
        Context::Panes,
        Context::Questions,
        Context::Scrollback,
        Context::Palette,
        Context::Form,
        Context::Log,
        Context::Steps,
        Context::Confirm,
    ];

    /// The table of the configuration that binds its keys, within `[dashboard]`.
    pub fn table(self) -> &'static str {
        match self {
            Context::Panes => "keys",
            Context::Questions => "question_keys",
            Context::Scrollback => "scrollback_keys",
            Context::Palette => "palette_keys",
            Context::Form => "form_keys",
            Context::Log => "log_keys",
            Context::Steps => "step_keys",
            Context::Confirm => "confirm_keys",
        }
    }

    /// What it is called, behind "in" and "keys in".
    pub fn place(self) -> &'static str {
        match self {
            Context::Panes => "the panes, after the prefix",
            Context::Questions => "the questions",
            Context::Scrollback => "the scrollback",
            Context::Palette => "the palette",
            Context::Form => "the form for a new agent",
            Context::Log => "the log",
            Context::Steps => "the steps of a decision",
            Context::Confirm => "the confirmation",
        }
    }

    /// Whether letters are typed there: none of them can do anything else.
    fn takes_text(self) -> bool {
        matches!(self, Context::Palette | Context::Form | Context::Log)
    }

    /// Keys that always mean the same here, and why.
    pub(super) fn reserved(self, key: Key) -> Option<&'static str> {
        match (self, key) {
            (Context::Panes, Key::Char('1'..='9')) => Some("the digits choose an agent"),
            (Context::Questions, Key::Char('0'..='9')) => Some("the digits choose an option"),
            // One key that says yes here and no there is one too many.
            (Context::Questions, Key::Char('y' | 'n')) => Some("y and n say yes and no"),
            (Context::Panes, Key::Esc) => Some("esc takes the prefix back"),
            (Context::Confirm, Key::Esc) => Some("esc never says yes"),
            (context, Key::Char(_)) if context.takes_text() => Some("letters are typed there"),
            (context, Key::Backspace | Key::Delete | Key::Left | Key::Right) if context.takes_text() => {
                Some("it edits what is typed there")
            }
            _ => None,
        }
    }
}

/// What a person can ask the dashboard to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Action {
    Next,
    Previous,
    Left,
    Right,
    Up,
    Down,
    Last,
    Needed,
    /// The agent with this number; its keys are the digits.
    Number(u8),
    Zoom,
    Layout,
    Hide,
    SwapNext,
    SwapPrevious,
    Wider,
    Narrower,
    Taller,
    Shorter,
    Questions,
    Answer,
    Edit,
    Consult,
    Scrollback,
    NewAgent,
    Stop,
    Restart,
    Pause,
    Broadcast,
    Theme,
    Log,
    Palette,
    Help,
    Detach,
    Suspend,
    ShutDown,
    /// The prefix again: it goes to the agent.
    Prefix,

    // In the drawer, the scrollback and what lies over the panes.
    RowUp,
    RowDown,
    PageUp,
    PageDown,
    HalfUp,
    HalfDown,
    Top,
    Bottom,
    Close,
    Search,
    NextMatch,
    PreviousMatch,

    Give,
    Tick,
    EditAnswer,
    OwnWords,
    Discard,
    Reject,
    AskConsultant,
    AskAnother,
    TakeOver,
    Decisions,
    NextQuestion,
    PreviousQuestion,

    ColumnLeft,
    ColumnRight,
    Select,
    SelectBlock,
    Copy,
    NextPrompt,
    PreviousPrompt,
    NextAsked,
    PreviousAsked,

    PreviousField,
    Complete,
    NextStep,
    PreviousStep,
    Yes,
}

/// One line of the help.
#[derive(Debug, Clone, Copy)]
pub struct Entry {
    pub context: Context,
    pub action: Action,
    /// As the configuration and the palette call it.
    pub name: &'static str,
    /// The keys it has unless others are configured, separated by blanks; empty: in the palette only.
    pub keys: &'static str,
    /// In a few words, short enough for two columns of a small screen.
    pub help: &'static str,
}

const fn entry(
    context: Context,
    action: Action,
    name: &'static str,
    keys: &'static str,
    help: &'static str,
) -> Entry {
    Entry { context, action, name, keys, help }
}

/// In the order in which the help shows them.
pub const ENTRIES: &[Entry] = &[
    entry(Panes, Action::Answer, "answer", "a", "answer who needs you"),
    entry(Panes, Action::Needed, "needed", "tab", "go to who needs you"),
    entry(Panes, Action::Questions, "questions", "q", "all open questions"),
    entry(Panes, Action::Edit, "edit", "e", "change a suggested answer"),
    entry(Panes, Action::Consult, "consult", "C", "ask the consultant now"),
    entry(Panes, Action::Zoom, "zoom", "z", "this agent alone, or all"),
    entry(Panes, Action::Scrollback, "scrollback", "[", "look back, search, copy"),
    entry(Panes, Action::NewAgent, "new-agent", "c", "start an agent"),
    entry(Panes, Action::Detach, "detach", "d", "leave; the agents go on"),
    entry(Panes, Action::Suspend, "suspend", "ctrl-z", "to the shell; fg comes back"),
    entry(Panes, Action::Next, "next", "n", "next agent"),
    entry(Panes, Action::Previous, "previous", "p", "previous agent"),
    entry(Panes, Action::Last, "last", ";", "back to where you were"),
    entry(Panes, Action::Left, "left", "left", "pane to the left"),
    entry(Panes, Action::Right, "right", "right", "pane to the right"),
    entry(Panes, Action::Up, "up", "up", "pane above"),
    entry(Panes, Action::Down, "down", "down", "pane below"),
    entry(Panes, Action::Layout, "layout", "space", "next layout"),
    entry(Panes, Action::Hide, "hide", "h", "hide this pane, or show it"),
    entry(Panes, Action::SwapNext, "swap-next", "}", "swap with the next pane"),
    entry(Panes, Action::SwapPrevious, "swap-previous", "{", "swap with the one before"),
    entry(Panes, Action::Wider, "wider", ">", "make this pane wider"),
    entry(Panes, Action::Narrower, "narrower", "<", "make it narrower"),
    entry(Panes, Action::Taller, "taller", "+", "make it taller"),
    entry(Panes, Action::Shorter, "shorter", "-", "make it shorter"),
    entry(Panes, Action::Pause, "pause", "P", "pause it, or let it go on"),
    entry(Panes, Action::Restart, "restart", "R", "start it again"),
    entry(Panes, Action::Stop, "stop", "x", "stop it; asks first"),
    entry(Panes, Action::Broadcast, "broadcast", "b", "type to every pane shown"),
    entry(Panes, Action::Log, "log", "l", "look through the decisions"),
    entry(Panes, Action::Palette, "palette", ":", "find any command or agent"),
    entry(Panes, Action::Help, "help", "?", "these keys"),
    entry(Panes, Action::Theme, "theme", "", "next theme"),
    entry(Panes, Action::ShutDown, "shut-down", "", "stop everything"),
    entry(Questions, Action::Give, "give", "enter", "give the highlighted answer"),
    entry(Questions, Action::RowUp, "up", "up k", "option above"),
    entry(Questions, Action::RowDown, "down", "down j", "option below"),
    entry(Questions, Action::Tick, "tick", "space", "tick or untick"),
    entry(Questions, Action::OwnWords, "own-words", "t", "answer in your own words"),
    entry(Questions, Action::EditAnswer, "edit", "e", "change the suggested answer"),
    entry(Questions, Action::Discard, "discard", "x", "turn the suggestion down"),
    entry(Questions, Action::Reject, "reject", "r", "decline, as Esc does"),
    entry(Questions, Action::AskConsultant, "consult", "c", "ask the consultant again"),
    entry(Questions, Action::AskAnother, "consult-other", "C", "ask another consultant"),
    entry(Questions, Action::TakeOver, "take-over", "o", "take it from its consultant"),
    entry(Questions, Action::Decisions, "decisions", "/", "what was decided before"),
    entry(Questions, Action::NextQuestion, "next", "tab right l", "next question"),
    entry(Questions, Action::PreviousQuestion, "previous", "shift-tab left h", "previous question"),
    entry(Questions, Action::Close, "close", "esc q", "close"),
    entry(Scrollback, Action::RowUp, "up", "up k", "line up"),
    entry(Scrollback, Action::RowDown, "down", "down j", "line down"),
    entry(Scrollback, Action::PageUp, "page-up", "pageup ctrl-b", "page up"),
    entry(Scrollback, Action::PageDown, "page-down", "pagedown ctrl-f", "page down"),
    entry(Scrollback, Action::HalfUp, "half-up", "ctrl-u", "half a page up"),
    entry(Scrollback, Action::HalfDown, "half-down", "ctrl-d", "half a page down"),
    entry(Scrollback, Action::Top, "top", "home g", "oldest line"),
    entry(Scrollback, Action::Bottom, "bottom", "end G", "newest line"),
    entry(Scrollback, Action::ColumnLeft, "left", "left h", "column left"),
    entry(Scrollback, Action::ColumnRight, "right", "right l", "column right"),
    entry(Scrollback, Action::Search, "search", "/", "search as you type"),
    entry(Scrollback, Action::NextMatch, "next-match", "n", "older match"),
    entry(Scrollback, Action::PreviousMatch, "previous-match", "N", "newer match"),
    entry(Scrollback, Action::PreviousPrompt, "previous-prompt", "p", "prompt above"),
    entry(Scrollback, Action::NextPrompt, "next-prompt", "P", "prompt below"),
    entry(Scrollback, Action::PreviousAsked, "previous-question", "a", "question above"),
    entry(Scrollback, Action::NextAsked, "next-question", "A", "question below"),
    entry(Scrollback, Action::Select, "select", "v", "select lines"),
    entry(Scrollback, Action::SelectBlock, "select-block", "V ctrl-v", "select a block"),
    entry(Scrollback, Action::Copy, "copy", "y", "copy what is selected"),
    entry(Scrollback, Action::Close, "close", "esc q", "leave"),
    entry(Palette, Action::Give, "do", "enter", "do it"),
    entry(Palette, Action::RowUp, "up", "up", "command above"),
    entry(Palette, Action::RowDown, "down", "down tab", "command below"),
    entry(Palette, Action::PageUp, "page-up", "pageup", "page up"),
    entry(Palette, Action::PageDown, "page-down", "pagedown", "page down"),
    entry(Palette, Action::Close, "close", "esc", "leave"),
    entry(Form, Action::Give, "start", "enter", "start it"),
    entry(Form, Action::Complete, "complete", "tab", "complete the word"),
    entry(Form, Action::RowUp, "up", "up", "line above"),
    entry(Form, Action::RowDown, "down", "down", "line below"),
    entry(Form, Action::PreviousField, "previous", "shift-tab", "line above, then the last"),
    entry(Form, Action::Close, "close", "esc", "leave; the words stay"),
    entry(Log, Action::Give, "open", "enter", "step through it"),
    entry(Log, Action::RowUp, "up", "up", "decision above"),
    entry(Log, Action::RowDown, "down", "down", "decision below"),
    entry(Log, Action::PageUp, "page-up", "pageup", "page up"),
    entry(Log, Action::PageDown, "page-down", "pagedown", "page down"),
    entry(Log, Action::Top, "top", "home", "newest decision"),
    entry(Log, Action::Bottom, "bottom", "end", "oldest decision"),
    entry(Log, Action::Close, "close", "esc", "show all, or leave"),
    entry(Steps, Action::NextStep, "next", "right enter tab n l space", "next step"),
    entry(Steps, Action::PreviousStep, "previous", "left p h", "step before"),
    entry(Steps, Action::RowUp, "up", "up k", "line up"),
    entry(Steps, Action::RowDown, "down", "down j", "line down"),
    entry(Steps, Action::PageUp, "page-up", "pageup", "page up"),
    entry(Steps, Action::PageDown, "page-down", "pagedown", "page down"),
    entry(Steps, Action::Close, "close", "esc q", "back to the list"),
    entry(Confirm, Action::Yes, "yes", "y", "do it; any other does not"),
];

/// The entries of one context.
pub fn entries(context: Context) -> impl Iterator<Item = &'static Entry> {
    ENTRIES.iter().filter(move |entry| entry.context == context)
}
