//! How a program's dialogs are answered: what delivery reads of a profile.
//!
//! Plain data with defaults that work for any arrow-key menu. It never decides anything.

use serde::{Deserialize, Serialize};

/// The direction in which a menu's rows follow each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Axis {
    #[default]
    Vertical,
    Horizontal,
}

/// The key that ticks a row of a multi-select.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Toggle {
    #[default]
    Space,
    Enter,
    Digit,
}

/// How an answer in one's own words is given to a menu.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FreeText {
    /// The program offers no such thing.
    #[default]
    None,
    /// Highlight the free-text row and type.
    TypeOnRow,
    /// Tab opens a field for notes.
    NotesTab,
    /// The digit of the free-text row opens it; merely highlighted it takes letters for keys.
    Digit,
}

/// What sends a set of ticks where no row does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Submit {
    /// Only a row; without one nothing is sent.
    #[default]
    Row,
    Enter,
    Tab,
}

/// The `[keys]` table.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Keys {
    /// Pause between a dialog's appearance and the first key: keys are lost for up to about 140 ms
    /// after some programs draw a dialog.
    pub first_key_ms: u64,
    /// Pause between two keys: programs that read both in one go act on the row before the move.
    pub gap_ms: u64,
    pub axis: Axis,
    pub toggle: Toggle,
    pub free_text: FreeText,
    pub multi_submit: Submit,
    /// Its lists scroll without a sign of it: before a key sends ticks, the highlight is moved past both ends.
    pub find_ends: bool,
    /// Pause between pasted text and the CR that sends it: within less, some programs take the CR
    /// for part of the paste.
    pub submit_ms: u64,
    /// The key that declines, by its name; none if the program has none.
    pub reject: Option<String>,
    /// A yes-or-no prompt wants Enter after the letter.
    pub yesno_enter: bool,
    /// The axis of permission prompts, where it differs.
    pub permission_axis: Option<Axis>,
}

impl Default for Keys {
    fn default() -> Keys {
        Keys {
            first_key_ms: 250,
            gap_ms: 60,
            axis: Axis::Vertical,
            toggle: Toggle::Space,
            free_text: FreeText::None,
            multi_submit: Submit::Row,
            find_ends: false,
            submit_ms: 250,
            reject: Some("esc".into()),
            yesno_enter: true,
            permission_axis: None,
        }
    }
}
