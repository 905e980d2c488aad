//! The clipboard of the person in front of the screen, also through a tmux between them and us.
//!
//! Dashboard and attach copy with it, for the person and for agents that ask.

use std::io;

use base64::Engine;

use crate::core::clipboard::{Clipboard, Judged, shown};
use crate::dashboard::terminal;

use super::around::Tmux;

/// What becomes of an agent's wish where there is no place to say yes: what would be asked about is not copied.
pub fn wanted(clipboard: Clipboard, data: &str) -> io::Result<String> {
    let what = shown(data);
    Ok(match clipboard.judge(data) {
        Judged::Copy => {
            copy(data)?;
            format!("{what} is on your clipboard")
        }
        Judged::Ask => format!(
            "{what} is not on your clipboard: the dashboard asks, [security] clipboard = \"allow\" copies"
        ),
        Judged::Refused(why) => format!("nothing is on your clipboard: {why}"),
    })
}

/// Copies base64. In tmux by its own command: OSC 52 from a pane is dropped there unless `set-clipboard`
/// is `on`, which it is not by default.
pub fn copy(data: &str) -> io::Result<()> {
    let text = base64::engine::general_purpose::STANDARD.decode(data);
    match (Tmux::around(), text) {
        (Some(tmux), Ok(text)) if !text.is_empty() && tmux.copy(&text).is_ok() => Ok(()),
        // Without its program, or of an age without `-w`: then by the sequence after all.
        _ => terminal::set_clipboard(data),
    }
}
