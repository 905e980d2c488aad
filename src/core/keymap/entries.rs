//! The table of all bindings: what can be done where, by which name, with which keys unless a person has bound others.
//!
//! `keymap.rs` makes a keymap of it, help and palette list it. Data.

use crate::core::terminal::keys::Key;

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

const fn panes(action: Action, name: &'static str, keys: &'static str, help: &'static str) -> Entry {
    Entry { context: Context::Panes, action, name, keys, help }
}

const fn asked(action: Action, name: &'static str, keys: &'static str, help: &'static str) -> Entry {
    Entry { context: Context::Questions, action, name, keys, help }
}

const fn scroll(action: Action, name: &'static str, keys: &'static str, help: &'static str) -> Entry {
    Entry { context: Context::Scrollback, action, name, keys, help }
}

const fn palette(action: Action, name: &'static str, keys: &'static str, help: &'static str) -> Entry {
    Entry { context: Context::Palette, action, name, keys, help }
}

const fn form(action: Action, name: &'static str, keys: &'static str, help: &'static str) -> Entry {
    Entry { context: Context::Form, action, name, keys, help }
}

const fn log(action: Action, name: &'static str, keys: &'static str, help: &'static str) -> Entry {
    Entry { context: Context::Log, action, name, keys, help }
}

const fn steps(action: Action, name: &'static str, keys: &'static str, help: &'static str) -> Entry {
    Entry { context: Context::Steps, action, name, keys, help }
}

/// In the order in which the help shows them.
pub const ENTRIES: &[Entry] = &[
    panes(Action::Answer, "answer", "a", "answer who needs you"),
    panes(Action::Needed, "needed", "tab", "go to who needs you"),
    panes(Action::Questions, "questions", "q", "all open questions"),
    panes(Action::Edit, "edit", "e", "change a suggested answer"),
    panes(Action::Consult, "consult", "C", "ask the consultant now"),
    panes(Action::Zoom, "zoom", "z", "this agent alone, or all"),
    panes(Action::Scrollback, "scrollback", "[", "look back, search, copy"),
    panes(Action::NewAgent, "new-agent", "c", "start an agent"),
    panes(Action::Detach, "detach", "d", "leave; the agents go on"),
    panes(Action::Suspend, "suspend", "ctrl-z", "to the shell; fg comes back"),
    panes(Action::Next, "next", "n", "next agent"),
    panes(Action::Previous, "previous", "p", "previous agent"),
    panes(Action::Last, "last", ";", "back to where you were"),
    panes(Action::Left, "left", "left", "pane to the left"),
    panes(Action::Right, "right", "right", "pane to the right"),
    panes(Action::Up, "up", "up", "pane above"),
    panes(Action::Down, "down", "down", "pane below"),
    panes(Action::Layout, "layout", "space", "next layout"),
    panes(Action::Hide, "hide", "h", "hide this pane, or show it"),
    panes(Action::SwapNext, "swap-next", "}", "swap with the next pane"),
    panes(Action::SwapPrevious, "swap-previous", "{", "swap with the one before"),
    panes(Action::Wider, "wider", ">", "make this pane wider"),
    panes(Action::Narrower, "narrower", "<", "make it narrower"),
    panes(Action::Taller, "taller", "+", "make it taller"),
    panes(Action::Shorter, "shorter", "-", "make it shorter"),
    panes(Action::Pause, "pause", "P", "pause it, or let it go on"),
    panes(Action::Restart, "restart", "R", "start it again"),
    panes(Action::Stop, "stop", "x", "stop it; asks first"),
    panes(Action::Broadcast, "broadcast", "b", "type to every pane shown"),
    panes(Action::Log, "log", "l", "look through the decisions"),
    panes(Action::Palette, "palette", ":", "find any command or agent"),
    panes(Action::Help, "help", "?", "these keys"),
    panes(Action::Theme, "theme", "", "next theme"),
    panes(Action::ShutDown, "shut-down", "", "stop everything"),
    asked(Action::Give, "give", "enter", "give the highlighted answer"),
    asked(Action::RowUp, "up", "up k", "option above"),
    asked(Action::RowDown, "down", "down j", "option below"),
    asked(Action::Tick, "tick", "space", "tick or untick"),
    asked(Action::OwnWords, "own-words", "t", "answer in your own words"),
    asked(Action::EditAnswer, "edit", "e", "change the suggested answer"),
    asked(Action::Discard, "discard", "x", "turn the suggestion down"),
    asked(Action::Reject, "reject", "r", "decline, as Esc does"),
    asked(Action::AskConsultant, "consult", "c", "ask the consultant again"),
    asked(Action::AskAnother, "consult-other", "C", "ask another consultant"),
    asked(Action::TakeOver, "take-over", "o", "take it from its consultant"),
    asked(Action::Decisions, "decisions", "/", "what was decided before"),
    asked(Action::NextQuestion, "next", "tab right l", "next question"),
    asked(Action::PreviousQuestion, "previous", "shift-tab left h", "previous question"),
    asked(Action::Close, "close", "esc q", "close"),
    scroll(Action::RowUp, "up", "up k", "line up"),
    scroll(Action::RowDown, "down", "down j", "line down"),
    scroll(Action::PageUp, "page-up", "pageup ctrl-b", "page up"),
    scroll(Action::PageDown, "page-down", "pagedown ctrl-f", "page down"),
    scroll(Action::HalfUp, "half-up", "ctrl-u", "half a page up"),
    scroll(Action::HalfDown, "half-down", "ctrl-d", "half a page down"),
    scroll(Action::Top, "top", "home g", "oldest line"),
    scroll(Action::Bottom, "bottom", "end G", "newest line"),
    scroll(Action::ColumnLeft, "left", "left h", "column left"),
    scroll(Action::ColumnRight, "right", "right l", "column right"),
    scroll(Action::Search, "search", "/", "search as you type"),
    scroll(Action::NextMatch, "next-match", "n", "older match"),
    scroll(Action::PreviousMatch, "previous-match", "N", "newer match"),
    scroll(Action::PreviousPrompt, "previous-prompt", "p", "prompt above"),
    scroll(Action::NextPrompt, "next-prompt", "P", "prompt below"),
    scroll(Action::PreviousAsked, "previous-question", "a", "question above"),
    scroll(Action::NextAsked, "next-question", "A", "question below"),
    scroll(Action::Select, "select", "v", "select lines"),
    scroll(Action::SelectBlock, "select-block", "V ctrl-v", "select a block"),
    scroll(Action::Copy, "copy", "y", "copy what is selected"),
    scroll(Action::Close, "close", "esc q", "leave"),
    palette(Action::Give, "do", "enter", "do it"),
    palette(Action::RowUp, "up", "up", "command above"),
    palette(Action::RowDown, "down", "down tab", "command below"),
    palette(Action::Close, "close", "esc", "leave"),
    form(Action::Give, "start", "enter", "start it"),
    form(Action::Complete, "complete", "tab", "complete the word"),
    form(Action::RowUp, "up", "up", "line above"),
    form(Action::RowDown, "down", "down", "line below"),
    form(Action::PreviousField, "previous", "shift-tab", "line above, then the last"),
    form(Action::Close, "close", "esc", "leave; the words stay"),
    log(Action::Give, "open", "enter", "step through it"),
    log(Action::RowUp, "up", "up", "decision above"),
    log(Action::RowDown, "down", "down", "decision below"),
    log(Action::PageUp, "page-up", "pageup", "page up"),
    log(Action::PageDown, "page-down", "pagedown", "page down"),
    log(Action::Top, "top", "home", "newest decision"),
    log(Action::Bottom, "bottom", "end", "oldest decision"),
    log(Action::Close, "close", "esc", "show all, or leave"),
    steps(Action::NextStep, "next", "right enter tab n l space", "next step"),
    steps(Action::PreviousStep, "previous", "left p h", "step before"),
    steps(Action::RowUp, "up", "up k", "line up"),
    steps(Action::RowDown, "down", "down j", "line down"),
    steps(Action::PageUp, "page-up", "pageup", "page up"),
    steps(Action::PageDown, "page-down", "pagedown", "page down"),
    steps(Action::Close, "close", "esc q", "back to the list"),
    Entry {
        context: Context::Confirm,
        action: Action::Yes,
        name: "yes",
        keys: "y",
        help: "do it; any other does not",
    },
];

/// The entries of one context.
pub fn entries(context: Context) -> impl Iterator<Item = &'static Entry> {
    ENTRIES.iter().filter(move |entry| entry.context == context)
}
