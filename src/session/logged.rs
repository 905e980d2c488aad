//! How far an agent's journal goes, and which recordings its output goes to.
//!
//! `output_log.rs` counts here what it puts down.

/// Which recordings an agent's output goes to.
#[derive(Debug, Clone, Default)]
pub(super) struct Recorded {
    /// The file of one that somebody asked for.
    pub asked: Option<String>,
    /// The one that every agent gets.
    pub always: bool,
    /// Its file, once it is there.
    pub auto: Option<String>,
}

impl Recorded {
    pub(super) fn any(&self) -> bool {
        self.asked.is_some() || self.always
    }
}

/// How far an agent's journal goes.
#[derive(Debug, Default)]
pub(super) struct OutputLog {
    /// Bytes in it since it last began anew.
    pub bytes: usize,
    /// Bytes printed since the agent was started, whoever read them.
    pub place: u64,
    /// A question in the input line, put there by this server or an earlier one, and not sent.
    pub draft: String,
    pub recorded: Recorded,
}

impl OutputLog {
    /// `recording`: the file that the server before recorded to.
    pub(super) fn going_on(recording: Option<String>) -> OutputLog {
        let recorded = Recorded { asked: recording, ..Recorded::default() };
        OutputLog { recorded, ..OutputLog::default() }
    }
}
