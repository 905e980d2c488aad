//! The form for a new agent: what to run, and where, as what, with whom.
//!
//! `overlays.rs` gives it keys, `view/form.rs` shows it, the loop starts what comes out of it. It comes back
//! when the start fails, so that nothing is typed twice. Pure.

use crate::core::agent::{PERSON, valid_name};
use crate::core::keymap::Action;
use crate::core::terminal::keys::KeyPress;

use super::edit::Edit;

/// One line of the form.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Field {
    Command,
    Name,
    Folder,
    Consultant,
    Profile,
    Worktree,
    Prompt,
}

impl Field {
    pub const ALL: [Field; 7] = [
        Field::Command,
        Field::Name,
        Field::Folder,
        Field::Consultant,
        Field::Profile,
        Field::Worktree,
        Field::Prompt,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Field::Command => "command",
            Field::Name => "name",
            Field::Folder => "folder",
            Field::Consultant => "consultant",
            Field::Profile => "profile",
            Field::Worktree => "worktree",
            Field::Prompt => "prompt",
        }
    }

    /// What an empty line means.
    pub fn hint(self) -> &'static str {
        match self {
            Field::Command => "program and arguments, quoted as in a shell",
            Field::Name => "after the program",
            Field::Folder => "this one",
            Field::Consultant => "nobody: its questions are yours",
            Field::Profile => "by the program",
            Field::Worktree => "none; a name makes a git worktree of its own",
            Field::Prompt => "none; typed once it is ready",
        }
    }
}

/// What to start, as it was typed.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct NewAgent {
    pub name: String,
    pub command: Vec<String>,
    pub folder: Option<String>,
    pub consultant: Option<String>,
    pub profile: Option<String>,
    pub worktree: Option<String>,
    pub prompt: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Form {
    edits: [Edit; Field::ALL.len()],
    at: usize,
    /// The name it got where none was typed.
    derived: Option<String>,
    /// What is wrong with what was typed.
    pub fault: Option<(Field, String)>,
    /// Ways to go on with the word under the cursor.
    pub offers: Vec<String>,
    /// When the person had it start something (Unix milliseconds); `None`: it was tried again from the list.
    pub sent_ms: Option<u64>,
    /// What it could not start before, as that is on the list.
    pub failed_as: Option<String>,
}

/// What a key asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Wish {
    Nothing,
    Leave,
    Start,
    /// The words that begin so, for this field.
    Complete(Field, String),
}

impl Form {
    /// One that starts this command line.
    pub fn of_command(text: &str) -> Form {
        let mut form = Form::default();
        form.edits[0] = Edit::new(text);
        form
    }

    /// One for an agent of which only the name is known, and why it was not started.
    pub fn of_failed(name: &str, cause: String) -> Form {
        let mut form = Form::default();
        form.go_to(Field::Name);
        *form.edit_here() = Edit::new(name);
        form.go_to(Field::Command);
        form.come_back(format!("{cause}; or type its command here"));
        form
    }

    pub fn at(&self) -> Field {
        Field::ALL[self.at]
    }

    pub fn edit(&self, field: Field) -> &Edit {
        &self.edits[Field::ALL.iter().position(|known| *known == field).unwrap_or(0)]
    }

    pub fn edit_here(&mut self) -> &mut Edit {
        &mut self.edits[self.at]
    }

    pub fn go_to(&mut self, field: Field) {
        self.at = Field::ALL.iter().position(|known| *known == field).unwrap_or(0);
        self.offers.clear();
    }

    fn text(&self, field: Field) -> Option<String> {
        let text = self.edit(field).text.trim();
        (!text.is_empty()).then(|| text.to_owned())
    }

    /// The name typed, else the one that was derived; empty before that.
    pub fn name(&self) -> String {
        self.text(Field::Name).or_else(|| self.derived.clone()).unwrap_or_default()
    }

    /// The name it is going to have: the one typed, else one after the program, once that is.
    pub fn name_to_be(&self, taken: impl Fn(&str) -> bool) -> Option<String> {
        self.text(Field::Name).or_else(|| Some(self.clone().agent(taken).ok()?.name))
    }

    /// Opens it once more with what it has, from the beginning: each line is an offer.
    pub fn open_again(&mut self) {
        self.go_to(Field::Command);
        (self.fault, self.derived, self.failed_as) = (None, None, None);
        self.edits.iter_mut().for_each(Edit::offer);
    }

    /// Comes back as it was left, with the reason why nothing was started.
    pub fn come_back(&mut self, cause: String) {
        self.edits.iter_mut().for_each(Edit::keep);
        (self.fault, self.failed_as) = (Some((self.at(), cause)), Some(self.name()));
    }

    /// `action`: what the key does here; without one it edits the line.
    pub fn key(&mut self, action: Option<Action>, press: KeyPress) -> Wish {
        let last = Field::ALL.len() - 1;
        match action {
            Some(Action::Close) => return Wish::Leave,
            Some(Action::Give) => return Wish::Start,
            Some(Action::RowUp) => self.at = self.at.saturating_sub(1),
            Some(Action::RowDown) => self.at = (self.at + 1).min(last),
            Some(Action::PreviousField) => self.at = self.at.checked_sub(1).unwrap_or(last),
            Some(Action::Complete) => {
                self.edit_here().keep();
                return Wish::Complete(self.at(), self.word().to_owned());
            }
            _ => {
                if self.edit_here().key(press) {
                    self.fault = None;
                }
            }
        }
        self.offers.clear();
        Wish::Nothing
    }

    /// The word under the cursor: what stands after the last blank that no quote protects.
    pub fn word(&self) -> &str {
        let before = self.edits[self.at].parts().0;
        if self.at() == Field::Consultant {
            // Several are asked one after the other.
            return before.rsplit(',').next().unwrap_or(before).trim_start();
        }
        if self.at() != Field::Command {
            return before;
        }
        let (mut start, mut quote, mut escaped) = (0, None, false);
        for (at, ch) in before.char_indices() {
            match (ch, quote) {
                _ if escaped => escaped = false,
                ('\\', None | Some('"')) => escaped = true,
                (ch, Some(open)) if ch == open => quote = None,
                ('"' | '\'', None) => quote = Some(ch),
                (' ', None) => start = at + 1,
                _ => {}
            }
        }
        &before[start..]
    }

    /// Whether the word is the program, not one of its arguments.
    pub fn first_word(&self) -> bool {
        self.edits[self.at].parts().0.trim_start().len() == self.word().len()
    }

    /// Goes on with what all of these words begin with; with only one of them, to its end.
    pub fn complete(&mut self, field: Field, word: &str, mut offers: Vec<String>) {
        if self.at() != field || self.word() != word {
            return;
        }
        offers.retain(|offer| offer.starts_with(word));
        let Some(first) = offers.first() else { return self.offers.clear() };
        let common = offers.iter().skip(1).fold(first.len(), |length, offer| {
            let same = first.char_indices().zip(offer.chars()).find(|((_, a), b)| a != b);
            same.map_or(length.min(offer.len()), |((at, _), _)| length.min(at))
        });
        let more = first[word.len()..common.max(word.len())].to_owned();
        let whole = offers.len() == 1 && !first.ends_with('/');
        self.edit_here().insert(&more);
        if whole && field == Field::Command {
            self.edit_here().insert(" ");
        }
        self.offers = if offers.len() > 1 { offers } else { Vec::new() };
    }

    /// What there is to start; `taken` says which names are in use.
    ///
    /// # Errors
    /// The field that cannot stay as it is, and why.
    pub fn agent(&mut self, taken: impl Fn(&str) -> bool) -> Result<NewAgent, (Field, String)> {
        let fault = |field, what: String| Err((field, what));
        let Some(line) = self.text(Field::Command) else {
            return fault(Field::Command, "type a command, for example: claude".into());
        };
        let Ok(command) = shell_words::split(&line) else {
            return fault(Field::Command, "a quote is not closed".into());
        };
        let Some(program) = command.first().filter(|program| !program.is_empty()) else {
            return fault(Field::Command, "it names no program".into());
        };
        let name = match self.text(Field::Name) {
            Some(name) if name == PERSON => {
                return fault(Field::Name, format!("'{name}' means the person; choose another name"));
            }
            Some(name) if !valid_name(&name) => {
                return fault(Field::Name, format!("'{name}' is no name; use a-z, 0-9, _ and -, at most 32"));
            }
            Some(name) if taken(&name) => {
                return fault(Field::Name, format!("there is an agent '{name}' already"));
            }
            Some(name) => name,
            None => derived(program, taken),
        };
        self.derived = Some(name.clone());
        Ok(NewAgent {
            name,
            command,
            folder: self.text(Field::Folder),
            consultant: self.text(Field::Consultant),
            profile: self.text(Field::Profile),
            worktree: self.text(Field::Worktree),
            prompt: self.text(Field::Prompt),
        })
    }
}

/// A free name after the program.
fn derived(program: &str, taken: impl Fn(&str) -> bool) -> String {
    let program = program.rsplit('/').next().unwrap_or_default().to_lowercase();
    let kept: String = program.chars().filter(char::is_ascii_alphanumeric).take(24).collect();
    let base = if kept.is_empty() { "agent".to_owned() } else { kept };
    let numbered = (2..).map(|n| format!("{base}-{n}"));
    std::iter::once(base.clone()).chain(numbered).find(|name| !taken(name)).unwrap_or(base)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_quoted_as_in_a_shell_and_nothing_is_expanded() {
        let command = |line: &str| Form::of_command(line).agent(|_| false).map(|agent| agent.command);
        let words = |words: &[&str]| Ok(words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>());
        assert_eq!(
            command("claude -p 'fix it' \"a b\" c\\ d"),
            words(&["claude", "-p", "fix it", "a b", "c d"])
        );
        assert_eq!(command("sh -c $HOME/*"), words(&["sh", "-c", "$HOME/*"]));
        assert_eq!(command("sh -c 'x"), Err((Field::Command, "a quote is not closed".into())));
        assert!(command("  ").is_err() && command("''").is_err());
    }

    #[test]
    fn a_name_comes_from_the_program() {
        let mut form = Form::of_command("/usr/bin/Claude --x");
        let agent = form.agent(|name| name == "claude").unwrap();
        assert_eq!((agent.name.as_str(), form.name().as_str()), ("claude-2", "claude-2"));
        // Of another program it is another one.
        *form.edit_here() = Edit::new("codex");
        assert_eq!(form.agent(|_| false).unwrap().name, "codex");
        form.go_to(Field::Name);
        *form.edit_here() = Edit::new("Bad Name");
        assert_eq!(form.agent(|_| false).unwrap_err().0, Field::Name);
    }

    #[test]
    fn completion_goes_as_far_as_all_agree() {
        let mut form = Form::of_command("cl");
        let offers = || vec!["claude".to_owned(), "clang".to_owned()];
        form.complete(Field::Command, "cl", offers());
        assert_eq!((form.edit(Field::Command).text.as_str(), form.offers.len()), ("cla", 2));
        form.complete(Field::Command, "cl", offers());
        assert_eq!(form.edit(Field::Command).text, "cla", "words for what was typed before");
        form.edit_here().insert("u");
        form.complete(Field::Command, "clau", offers());
        assert_eq!((form.edit(Field::Command).text.as_str(), form.offers.len()), ("claude ", 0));
        form.edit_here().insert("'a b/c");
        assert_eq!((form.word(), form.first_word()), ("'a b/c", false));
    }
}
