//! The tables of a profile file, as types.
//!
//! One profile describes one agent program: which command it is, where its input line is, what its
//! menus look like, which words tell one kind of dialog from another, and which keys answer. The
//! engine in `core/detect` reads these; no program's name occurs there. `docs/profiles.md` explains
//! every key.

use serde::Deserialize;

use super::Pattern;
use super::keys::Keys;
use super::line::{LineRule, SignState};
use super::subject::SubjectRule;
use super::title::TitleRule;
use crate::core::question::Kind;

/// One program.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Profile {
    pub name: String,
    /// File names (without folder and extension) under which the program is started.
    #[serde(default)]
    pub commands: Vec<String>,
    /// Parts of a path or package name that give the program away behind `node`, `npx` and the like.
    #[serde(default)]
    pub packages: Vec<String>,
    /// Versions whose recordings these rules were checked against.
    #[serde(default)]
    pub verified: Vec<String>,
    /// The program switches bracketed paste on while it runs: a visible cursor with that mode off
    /// is the terminal after its end.
    #[serde(default)]
    pub exits_with_modes: bool,
    /// It stands for whatever program nobody described: all that one prints is weighed before it is answered.
    #[serde(default)]
    pub any_program: bool,
    /// It runs Claude Code's hooks, which counsel may give it by `--settings`.
    #[serde(default)]
    pub hooks: bool,
    /// Where it keeps transcripts, JSON lines: patterns that begin with `~` or a variable. `{cwd}` stands for the
    /// agent's folder, as the program writes it in a path.
    #[serde(default)]
    pub transcripts: Vec<String>,
    #[serde(default)]
    pub composer: ComposerRule,
    #[serde(default)]
    pub title: TitleRule,
    #[serde(default)]
    pub sign: Vec<Sign>,
    #[serde(default)]
    pub menu: MenuRule,
    #[serde(default)]
    pub dialog: Vec<DialogRule>,
    #[serde(default)]
    pub line: Vec<LineRule>,
    #[serde(default)]
    pub reply: ReplyRule,
    #[serde(default)]
    pub keys: Keys,
}

/// Where the program's own input line is.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ComposerRule {
    /// What the input line begins with; empty for one without a prompt.
    pub prompts: Vec<String>,
    pub frame: Vec<Enclosure>,
    /// Words in an empty input line that nobody typed.
    pub placeholders: Vec<Pattern>,
    /// Palette numbers of such words, beside dimmed ones.
    pub ghost: Vec<u8>,
    /// Most lines that show anything below the input line.
    pub footer: usize,
    /// The first line below it while a picker of any length is open there.
    pub picker: Option<Pattern>,
    /// The visible cursor stands in it whenever it takes input.
    pub has_cursor: bool,
    /// The line that names the mode, at the bottom inside the frame: not a draft.
    pub label: Option<Pattern>,
}

/// What encloses an input line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Enclosure {
    /// A rule above and one below.
    Rules,
    /// A box.
    Box,
    /// A background of its own.
    Fill,
    /// A bar at the left with a foot below.
    Bar,
    /// Nothing: the cursor stands in it.
    Open,
}

/// Something on the screen that tells the state without any dialog.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sign {
    pub name: String,
    pub state: SignState,
    pub at: Place,
    pub pattern: Pattern,
    /// It counts only while this is true of the composer: "present", "absent"; anything if left out.
    #[serde(default)]
    pub composer: Option<Presence>,
    /// Each letter is a command there: no first prompt is typed.
    #[serde(default)]
    pub keys: bool,
    /// It looks like a command at a shell's prompt: a menu may look so, too, and does where a program is seen to read keys.
    #[serde(default)]
    pub shell: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Presence {
    Present,
    Absent,
}

/// Where a sign stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Place {
    /// The window title.
    Title,
    /// Below the composer.
    Footer,
    /// Among the lowest lines above the composer, or of the screen if there is none.
    Status,
    /// The last line that shows anything.
    Last,
    /// Anywhere.
    Screen,
}

/// What the program's menus look like.
#[derive(Debug, Clone, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct MenuRule {
    /// Characters that mark the highlighted row.
    pub markers: String,
    /// Glyphs of a ticked and of an empty box, instead of the usual ones.
    pub ticked: String,
    pub empty: String,
    /// Glyphs of a box that is ticked where it is drawn brightly, and empty where it is faint.
    pub shaded: String,
    /// A box stands one blank behind the number of its row: what looks like one further right is a part of the label.
    pub tight_boxes: bool,
    /// The glyphs of the highlighted row and of every other one, in a menu behind a bar at its left.
    pub radio: String,
    /// One line may stand between the rows and the keys: it explains the highlighted row.
    pub described: bool,
    /// Rows may come without numbers.
    pub unnumbered: bool,
    /// The highlight may be only a colour.
    pub colour: bool,
    /// The line of buttons at the foot of a box whose rows and buttons are told by their ground alone.
    pub buttons: Option<Pattern>,
    /// The first of those buttons, where it takes the highlighted row and does nothing else.
    pub takes: Option<Pattern>,
    /// Options may stand side by side in one line which matches this.
    pub row: Option<Pattern>,
    /// Descriptions stand in a second column.
    pub columns: bool,
    /// Lines that name the keys, below a menu.
    pub hints: Vec<Pattern>,
    /// Other lines that may stand below a dialog.
    pub below: Vec<Pattern>,
    /// Lines below a menu that tell that not all of it is shown.
    pub cut: Vec<Pattern>,
    /// The line that names the keys of a menu, by which one is told whose highlighted row is scrolled
    /// out of view.
    pub headless: Option<Pattern>,
    /// Lines inside a dialog that are neither its words nor its rows.
    pub skip: Vec<Pattern>,
    /// Rows that cannot be chosen: the keys pass them over.
    pub disabled: Vec<Pattern>,
    /// The same may be told by their look, and headings and rules may stand among the rows.
    pub passes: bool,
    /// Labels that only a request for permission has: whatever else stands on the screen, it is a person's. Rows above
    /// such a line are no menu, but a part of what is asked for: its author chose its words.
    pub approves: Vec<Pattern>,
    /// What the program puts before the words of the highlighted free-text row.
    pub prefix: Option<Pattern>,
    /// Words the program adds at the end of a question.
    pub trim: Vec<Pattern>,
    /// Labels of rows into which one types.
    pub free_text: Vec<Pattern>,
    pub submit: Vec<Pattern>,
    pub aside: Vec<Pattern>,
    /// In a form, the last of the choices is the free-text row whatever its label.
    pub form_ends_in_free_text: bool,
    /// Characters behind which the program breaks a line in mid-word.
    pub breaks: String,
    /// Removed from the end of a label: the tick of the present value.
    pub current: String,
    /// An input line may stand below a menu: it takes the words of a free-text answer.
    pub with_composer: bool,
    /// The cursor, though hidden, stands where text is typed into a row.
    pub caret: bool,
    /// Dialog text starts at this column or right of it; what stands further left is above the dialog.
    pub indent: usize,
    /// Menus are accepted only where the cursor is hidden or stands in them.
    pub owns_cursor: bool,
}

impl Default for MenuRule {
    fn default() -> MenuRule {
        MenuRule {
            markers: "❯›▶➤→➜●>".into(),
            ticked: String::new(),
            shaded: String::new(),
            tight_boxes: false,
            empty: String::new(),
            radio: String::new(),
            described: false,
            unnumbered: true,
            colour: false,
            buttons: None,
            takes: None,
            row: None,
            columns: false,
            hints: Vec::new(),
            below: Vec::new(),
            cut: Vec::new(),
            headless: None,
            skip: Vec::new(),
            disabled: Vec::new(),
            passes: false,
            approves: Vec::new(),
            prefix: None,
            trim: Vec::new(),
            free_text: Vec::new(),
            submit: Vec::new(),
            aside: Vec::new(),
            form_ends_in_free_text: false,
            breaks: String::new(),
            current: String::new(),
            with_composer: false,
            caret: false,
            indent: 0,
            owns_cursor: false,
        }
    }
}

impl MenuRule {
    pub fn is_hint(&self, text: &str) -> bool {
        self.hints.iter().any(|pattern| pattern.is_match(text))
    }
}

/// One kind of dialog; the first rule that fits decides.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DialogRule {
    pub name: String,
    pub kind: Kind,
    /// A line of the dialog above its rows.
    #[serde(default)]
    pub text: Option<Pattern>,
    /// The first line of the dialog, whose beginning is in view: what a command or a file in it says stands below.
    #[serde(default)]
    pub heading: Option<Pattern>,
    /// One of the labels.
    #[serde(default)]
    pub label: Option<Pattern>,
    /// A line below the rows.
    #[serde(default)]
    pub hint: Option<Pattern>,
    /// The line of keys with which it ends, seen from its first words on: where none is in view, the end of it is not.
    #[serde(default)]
    pub ends: Option<Pattern>,
    /// Whether the rows have tick boxes.
    #[serde(default)]
    pub boxes: Option<bool>,
    /// Whether it begins with a line of tabs or a header with a box.
    #[serde(default)]
    pub form: Option<bool>,
    /// Its answer changes what the program may do, what it costs, or who is logged in: a person's, whatever its kind.
    #[serde(default)]
    pub reserved: bool,
    /// The line that opens the dialog: its words are looked for below the last one that matches.
    #[serde(default)]
    pub opens: Option<Pattern>,
    #[serde(default)]
    pub prompt: PromptRule,
    /// The words themselves, cut out of one line above the rows; the group if there is one.
    #[serde(default)]
    pub prompt_line: Option<Pattern>,
    #[serde(default)]
    pub subject: Option<SubjectRule>,
    /// A dialog without rows: the hint alone tells it. Needs `text` and `hint`.
    #[serde(default)]
    pub bare: bool,
    /// The one row between its words and its hint, if there is one, is a field for words.
    #[serde(default)]
    pub field: bool,
}

/// Which words of a dialog are its question.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PromptRule {
    /// The paragraph right above the rows; if none of it asks, the nearest one that does; else the heading.
    #[default]
    Question,
    /// The paragraph right above the rows, whatever it says.
    Adjacent,
    /// The first line of the dialog.
    Heading,
    /// All between the form's header and the rows.
    Form,
    /// All above the rows.
    Whole,
    /// All above the rows but the first paragraph, which is the title.
    Titled,
    /// All below the bold name of the field; without one, the paragraph right above the rows.
    Field,
}

/// How the program marks its own messages.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ReplyRule {
    /// What the first line of a message begins with.
    pub marks: Vec<String>,
    /// Column at which a message begins, where that tells it from other lines.
    pub indent: Option<usize>,
    /// Lines that begin a message of the person.
    pub person: Vec<Pattern>,
    /// Lines that end a message or are no part of one: tool calls, timings, notices.
    pub not: Vec<Pattern>,
    /// A line that tells a result: what stands right above it was a tool call, not a message.
    pub result: Option<Pattern>,
    /// A line that holds what the person answered: a message that ends with those words repeats them, and asks nothing.
    pub echoed: Option<Pattern>,
    /// Lines of code carry their numbers, which are no part of the message.
    pub numbered: bool,
    /// Plain questions at the end of a turn are looked for.
    pub asks: bool,
}
