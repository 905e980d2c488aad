//! Where a question comes from: a line or a dialog, of a program that a profile describes or of any other.
//!
//! Detection fills it in, the guard and the router weigh it. It decides nothing by itself, and no part of it
//! identifies a question.

use serde::{Deserialize, Serialize};

use crate::core::detect::witness::{Reader, Wait};

/// What is known of a question beside what it says. The default is a dialog of an agent program.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Origin {
    /// It stands in the line of the cursor and is answered by words and Enter: so does much that asks nothing.
    pub line: bool,
    /// Who reads the terminal; none where nobody looked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reader: Option<Reader>,
    /// Of a program that no profile describes: all it printed since it last took input, the question included.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub printed: Option<String>,
    /// What stands behind the prompt, as it is shown: what somebody typed, or a mask over it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub typed: Option<String>,
    /// The value that it offers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub offered: Option<String>,
    /// Enter alone takes that, as it does in the libraries that draw it apart from their question.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub enter_takes: bool,
    /// The terminal itself does not show what is typed: the program draws it, or hides it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub unechoed: bool,
    /// The terminal collects what is typed to lines: nobody has a letter of it before Enter.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub collected: bool,
    /// The mark on the line below the prompt, behind which the answer goes: `>`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mark: Option<String>,
    /// Rows with numbers stand above it, and it is not clear whether it asks for one of them, or for which.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub rows_unclear: bool,
    /// Words stand on its screen that nobody can see: concealed, or in the colour of their ground.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub concealed: bool,
    /// Its answer changes what the program may do, what it costs, or who is logged in.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub reserved: bool,
    /// How one of its rows is chosen.
    #[serde(skip_serializing_if = "Widget::is_default")]
    pub widget: Widget,
}

/// How a row is chosen, once it is highlighted and beside Enter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Widget {
    /// Enter takes the highlighted row.
    #[default]
    Rows,
    /// The same in a box with buttons.
    List,
    /// There, Enter takes the row with the star, which a blank sets.
    Radio,
    /// The buttons themselves, side by side.
    Buttons,
    /// None: words are typed into a field above the buttons.
    Field,
}

impl Widget {
    fn is_default(&self) -> bool {
        *self == Widget::default()
    }
}

impl Origin {
    pub fn is_default(&self) -> bool {
        *self == Origin::default()
    }

    /// The wait that an answer would end, if one was seen.
    pub fn wait(&self) -> Option<&Wait> {
        match &self.reader {
            Some(Reader::Reading(wait)) => Some(wait),
            Some(Reader::MayRead { .. } | Reader::Nobody | Reader::Unknown(_)) | None => None,
        }
    }

    /// Whether only an Enter hands over what is typed, however its reader waits for that.
    pub fn takes_lines(&self) -> bool {
        self.collected || self.wait().is_some_and(|wait| wait.blocking)
    }

    /// Whether the wait seen here is still the one that was seen `now`; where none was seen, nothing is known
    /// against it.
    pub fn same_wait(&self, now: &Origin) -> bool {
        match (self.wait(), now.wait()) {
            (Some(then), Some(now)) => now.is_same(then),
            (Some(_), None) => false,
            (None, _) => true,
        }
    }
}
