//! What a program says of its own state: a Program Status Protocol report (OSC 7501).
//!
//! `query_parser.rs` finds the reports in the output. What they are worth is decided in `core/detect/channels.rs`.

use base64::Engine as _;

/// Longest OSC text that is kept (title, status message): more is a flood, not a report.
pub const MAX_TEXT: usize = 4096;

/// A Program Status Protocol report (OSC 7501).
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ProgramStatus {
    /// `idle working blocked done error clear`.
    pub state: String,
    pub app: String,
    /// `permission` or `question`, with `blocked`.
    pub kind: Option<String>,
    pub message: Option<String>,
}

impl ProgramStatus {
    /// Reads `state=…:app=…:kind=…:msg=…`; none without a state.
    pub fn read(data: &str) -> Option<ProgramStatus> {
        let mut status = ProgramStatus::default();
        for field in data.split(':') {
            match field.split_once('=') {
                Some(("state", value)) => status.state = printable(value),
                Some(("app", value)) => status.app = printable(value),
                Some(("kind", value)) => status.kind = Some(printable(value)),
                Some(("msg", value)) => {
                    let bytes = base64::engine::general_purpose::STANDARD.decode(value).ok();
                    status.message = bytes.map(|b| printable(&String::from_utf8_lossy(&b)));
                }
                _ => {}
            }
        }
        (!status.state.is_empty()).then_some(status)
    }
}

/// Text of an OSC with control characters removed and its length bounded.
pub fn printable(text: &str) -> String {
    text.chars().filter(|c| !c.is_control()).take(MAX_TEXT).collect()
}
