//! Where a question comes from: a line or a dialog, of a program that a profile describes or of any other.
//!
//! Detection fills it in, the guard and the router weigh it. It decides nothing by itself. Of what is here only the wait
//! that a question was asked for, where it stands and what it shows tell it from the same words asked again.

use serde::{Deserialize, Serialize};

use super::fingerprint::Fingerprint;
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
    /// Of a program that no profile describes, on the main screen: where it is asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stands: Option<Standing>,
    /// Of a program that no profile describes: it stands on the alternate screen.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub alternate: bool,
    /// The same: when its terminal got the size that it was drawn for, in milliseconds of the server's clock; none while it is
    /// drawn anew.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub drawn_ms: Option<u64>,
    /// Of a request for consent that a profile describes: what its dialog shows above the rows, without what moves by itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shows: Option<Shown>,
    /// How often other words had stood on its screen in place of a question before it (`core/detect/asked_again.rs`); none
    /// where nobody looked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub asked_again: Option<u64>,
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
    /// The read that waits was begun before these words were printed, for a question that stood there then.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub printed_over: bool,
    /// Words stand on its screen that nobody can see: concealed, or in the colour of their ground.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub concealed: bool,
    /// Its answer changes what the program may do, what it costs, or who is logged in.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub reserved: bool,
    /// Of a request that is about no command: what is done and to what, in the words that rules are matched against:
    /// `edit src/app.py`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub request: Option<String>,
    /// Of a request to run a command that seems to go on behind a backslash, or holds a here-document: a hook has told it, so that
    /// it is known where its lines end, and that no blank stands there unseen.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub exact: bool,
    /// Of a question in words that ends a turn: the whole message, as far as it is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub said: Option<String>,
    /// Of a request for consent: the command it is about is still to be drawn.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub undrawn: bool,
    /// Of a dialog that is known to end with a line of keys: that is out of view, and more of its rows may be; so may rows of one
    /// that is torn by wide glyphs.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub end_unseen: bool,
    /// Of a program that no profile describes: what marks the highlighted row may stand there for something else. No key takes
    /// the row before the mark was seen to follow an arrow.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub mark_doubtful: bool,
    /// The highlight is on a row that cannot be chosen.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub passing: Option<Passing>,
    /// Of a program that no profile describes: its rows seem to be ticked by a key, and no tick is drawn before one is set.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub ticks_hidden: bool,
    /// How one of its rows is chosen.
    #[serde(skip_serializing_if = "Widget::is_default")]
    pub widget: Widget,
}

/// Where the highlight of a list is while it passes over a row that cannot be chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Passing {
    /// The option below it, by its index; as many as there are, below the last one.
    pub before: usize,
    /// Its line, counted from that of the first option.
    pub line: i64,
}

/// Where a question stands, or the first of its rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Standing {
    /// The number of its line, scrolled off or not, counted from the agent's start.
    pub line: u64,
    /// The row of the screen.
    pub row: usize,
    /// The lines right above the question, the nearest first, without what moves by itself; as many as are in view.
    pub above: [Option<Fingerprint>; LINES_ABOVE],
    /// When its terminal got the size that this was seen at, in milliseconds of the server's clock: at another size programs
    /// draw anew, some a line further up or down.
    pub resized_ms: u64,
}

/// Lines above a question that tell what it is about: a heading, a name, a command.
pub const LINES_ABOVE: usize = 4;

impl Standing {
    /// Whether who asks in the same words here and there asks the same. Further down it is asked again, and below other words
    /// for something else; on a screen that was cleared and drawn anew it stands in its row below what was there.
    fn is_same(&self, now: &Standing) -> bool {
        below_the_same(&self.above, &now.above) && (self.line == now.line || self.row == now.row)
            || self.resized_ms != now.resized_ms
    }
}

/// What tells a question from the same words asked again to a server that did not see it itself: that server's clock and its
/// count of lines are others.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Circumstances {
    /// The read of a line that it was asked for.
    pub wait: Option<Wait>,
    /// It stands on the alternate screen.
    pub alternate: bool,
    /// The lines right above it.
    pub above: [Option<Fingerprint>; LINES_ABOVE],
}

impl Circumstances {
    pub fn of(origin: &Origin) -> Circumstances {
        let wait = origin.wait().filter(|wait| wait.blocking).cloned();
        let alternate = origin.alternate;
        Circumstances { wait, alternate, above: origin.stands.map(|stands| stands.above).unwrap_or_default() }
    }

    /// Whether nothing is known that tells them apart.
    pub fn are_same(&self, now: &Circumstances) -> bool {
        let waits = self.wait.as_ref().zip(now.wait.as_ref());
        let read = waits.is_none_or(|(then, now)| now.is_same(then) || now.has_said_nothing_since(then));
        read && self.alternate == now.alternate && below_the_same(&self.above, &now.above)
    }
}

/// Whether the lines above are the same, as far as both are known.
fn below_the_same(then: &[Option<Fingerprint>], now: &[Option<Fingerprint>]) -> bool {
    then.iter().zip(now).map_while(|(then, now)| then.zip(*now)).all(|(then, now)| then == now)
}

/// The words of a dialog.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Shown {
    pub words: Fingerprint,
    /// When its terminal got the size that they were drawn for.
    pub resized_ms: u64,
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

    /// Whether only an Enter hands over what is typed, however its reader waits for that: the terminal collects it, or the
    /// program does, and draws it. One that takes keys and leaves the drawing to the terminal (`read -n1`) has each letter.
    pub fn takes_lines(&self) -> bool {
        self.collected || self.unechoed && self.wait().is_some_and(|wait| wait.blocking)
    }

    /// Whether its reader has each letter as it is typed, as far as anybody was seen to read.
    pub fn takes_letters(&self) -> bool {
        self.unechoed || self.wait().is_some() && !self.collected
    }

    /// Whether it is asked where it was asked, and about what; where either is not known, or is of another size, nothing is
    /// known against it. Whoever asks again in the same words, because its time was over, has printed them further down, and
    /// the next change to a file of that name is shown in the same place.
    pub fn same_place(&self, now: &Origin) -> bool {
        let stands = self.stands.zip(now.stands).is_none_or(|(then, now)| then.is_same(&now));
        let shown = self.shows.zip(now.shows);
        // `dialog` draws on the main screen, and on the alternate one once it was stopped.
        let screen = self.alternate == now.alternate || self.drawn_ms != now.drawn_ms;
        let showing = self.asked_again.zip(now.asked_again).is_none_or(|(then, now)| then == now);
        screen
            && showing
            && stands
            && shown.is_none_or(|(then, now)| then.words == now.words || then.resized_ms != now.resized_ms)
    }

    /// Whether the read of a line that it was asked for waits still and it stands where it stood: only what is printed above it
    /// changes.
    pub fn only_above_changes(&self, now: &Origin) -> bool {
        let stays = |(then, now): (Standing, Standing)| then.line == now.line || then.row == now.row;
        let read = self.wait().zip(now.wait()).is_some_and(|(then, now)| then.blocking && now.is_same(then));
        read && self.stands.zip(now.stands).is_some_and(stays)
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
