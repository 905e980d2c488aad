//! Which hooks a version of Claude Code knows, and the settings that name them, joined to those the user gives.
//!
//! The server asks for them when it starts an agent. A version that does not know a hook may reject all of its
//! settings, so none is named that it was not seen to know. It reads no file and runs nothing.

use serde_json::{Map, Value, json};

/// Seconds Claude Code waits for the hook that may answer. The hub lets go of it long before.
const ANSWER_SECS: u64 = 3_600;
/// … and for the hooks that only tell: they end within milliseconds, and with a server that hangs after two
/// seconds.
const TELL_SECS: u64 = 5;

/// A version of the program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Version(pub u32, pub u32, pub u32);

/// The first version seen to take `--settings`.
const SETTINGS: Version = Version(2, 0, 33);
/// The first seen to ask its hooks before it shows a question.
const PERMISSION_REQUEST: Version = Version(2, 0, 70);
/// The first to have `askUserQuestionTimeout`: how long a question waits before the program goes on by itself.
const QUESTION_TIMEOUT: Version = Version(2, 1, 200);

impl Version {
    /// The first three numbers with dots between them: `2.1.329 (Claude Code)`, `claude-2.1.55`.
    pub fn read(text: &str) -> Option<Version> {
        let words = text.split(|ch: char| !ch.is_ascii_digit() && ch != '.');
        words.into_iter().find_map(|word| {
            let mut numbers = word.split('.').map(|number| number.parse::<u32>().ok());
            let version = Version(numbers.next()??, numbers.next()??, numbers.next()??);
            numbers.next().is_none().then_some(version)
        })
    }
}

/// The settings that make this version call `command`; `None` for one that takes none. `commands`: some rule may
/// answer what a command is asked permission for, so those questions are told of as well.
pub fn settings(version: Version, command: &str, commands: bool) -> Option<Value> {
    if version < SETTINGS {
        return None;
    }
    let hook = |secs: u64| json!([{"type": "command", "command": command, "timeout": secs}]);
    let mut hooks = Map::new();
    for event in ["UserPromptSubmit", "Stop"] {
        hooks.insert(event.to_owned(), json!([{"hooks": hook(TELL_SECS)}]));
    }
    hooks.insert("PostToolUse".to_owned(), json!([{"matcher": "AskUserQuestion", "hooks": hook(TELL_SECS)}]));
    if version >= PERMISSION_REQUEST {
        let answered = if commands { "AskUserQuestion|Bash" } else { "AskUserQuestion" };
        // What is not answered is told all the same: a menu that no hook told of was drawn by somebody else.
        let others = format!("^(?!(?:{answered})$)");
        let told = json!({"matcher": others, "hooks": hook(TELL_SECS)});
        let entries = json!([{"matcher": answered, "hooks": hook(ANSWER_SECS)}, told]);
        hooks.insert("PermissionRequest".to_owned(), entries);
    }
    let mut settings = json!({"hooks": hooks});
    if version >= QUESTION_TIMEOUT {
        settings["askUserQuestionTimeout"] = "never".into();
    }
    Some(settings)
}

/// The user's own settings with these added: theirs win, and of the hooks both run.
pub fn merge(theirs: &Value, ours: &Value) -> Option<Value> {
    let mut merged = theirs.as_object()?.clone();
    for (key, value) in ours.as_object()? {
        match (merged.get_mut(key), value) {
            (None, value) => drop(merged.insert(key.clone(), value.clone())),
            (Some(Value::Object(hooks)), Value::Object(more)) if key == "hooks" => add(hooks, more)?,
            (Some(_), _) if key == "hooks" => return None,
            (Some(_), _) => {}
        }
    }
    Some(Value::Object(merged))
}

fn add(hooks: &mut Map<String, Value>, more: &Map<String, Value>) -> Option<()> {
    for (event, entries) in more {
        let all = hooks.entry(event.clone()).or_insert_with(|| json!([]));
        all.as_array_mut()?.extend(entries.as_array()?.iter().cloned());
    }
    Some(())
}

/// Where settings go in a command line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Place {
    /// Two words, before the argument at this index.
    Before(usize),
    /// The user's own stand at this index: a file or the settings themselves. `prefix` stays before them.
    Instead { at: usize, prefix: &'static str, theirs: String },
    /// These are words to be printed and not a session, or the program is not seen.
    Nowhere,
}

/// Whether the program is a script behind its interpreter's name.
pub fn interpreted(argv: &[String]) -> bool {
    let name = argv.first().and_then(|word| word.rsplit('/').next());
    name.is_some_and(|name| matches!(name, "node" | "bun"))
}

/// Finds the program among the words, which a script's interpreter may stand before, and the user's settings.
pub fn place(argv: &[String]) -> Place {
    const FLAG: &str = "--settings";
    const FLAG_IS: &str = "--settings=";
    let program = usize::from(interpreted(argv));
    let Some(rest) = argv.get(program + 1..) else { return Place::Nowhere };
    let rest: Vec<&String> = rest.iter().take_while(|word| *word != "--").collect();
    if rest
        .iter()
        .any(|word| matches!(word.as_str(), "-p" | "--print" | "-v" | "--version" | "-h" | "--help"))
    {
        return Place::Nowhere;
    }
    // Of several the program takes the last.
    for (index, word) in rest.iter().enumerate().rev() {
        let at = program + 1 + index;
        if let Some(theirs) = word.strip_prefix(FLAG_IS) {
            return Place::Instead { at, prefix: FLAG_IS, theirs: theirs.to_owned() };
        }
        if word.as_str() == FLAG {
            let Some(theirs) = argv.get(at + 1) else { return Place::Nowhere };
            return Place::Instead { at: at + 1, prefix: "", theirs: theirs.clone() };
        }
    }
    Place::Before(program + 1)
}
