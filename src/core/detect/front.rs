//! Who would take the keys that are typed for an agent: its own program, or another one behind a screen that was drawn.
//!
//! The session asks before each key of an answer. A profile says what a screen means and nothing of who reads: a program
//! can draw an agent's dialog and hand its terminal to a shell. Pure; `os/tty_witness.rs` looks.

use super::interpreters::{self, Process};
use crate::core::profile::Profile;

/// Who takes keys at the moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Front {
    Agent,
    /// This program does.
    Other(String),
    /// Nobody waits for a key.
    Nobody,
    /// Somebody holds its programs: a debugger, a signal that stops them. What is typed waits for what they ask next.
    Held,
    /// The system does not tell.
    Unseen,
    /// What it is that waits has not been found out yet.
    Pending,
    /// The terminal makes something else of letters or of Return: a signal, an end of line or of file.
    Remapped,
}

/// Why no key is typed at the moment.
#[derive(Debug)]
pub enum NotNow {
    /// Ask again at this time, in milliseconds.
    Until(u64),
    /// It would go to nobody who may have it.
    Never(String),
}

/// What an agent was started as.
#[derive(Debug, Clone, Copy)]
pub struct Started<'a> {
    pub profile: &'a Profile,
    /// Empty for a pane that was running already.
    pub command: &'a [String],
}

impl Started<'_> {
    /// Whether this process is the agent: what was started, or what its profile stands for.
    pub fn is(&self, process: &Process) -> bool {
        if self.as_it_was(process) {
            return true;
        }
        if !process.files.is_empty() && interpreters::asks_nothing(process) {
            return false;
        }
        let Some((first, rest)) = process.argv.split_first() else { return false };
        let file = process.files.first().copied().unwrap_or(first);
        let shell = process.files.iter().any(|file| interpreters::is_shell(file));
        let script = interpreters::script(rest, shell);
        let known = |word: &str| self.profile.stands_for(word);
        if shell {
            // Whatever it calls itself, a shell is an agent only by the script it was started as.
            return script.is_some_and(|script| self.is_called(script));
        }
        if interpreters::is_interpreter(file) {
            return match process.retitled {
                true => known(first) || self.is_called(first),
                false => script.is_some_and(|script| known(script) || self.is_called(script)),
            };
        }
        [*first, file].into_iter().any(|word| known(word) || self.is_called(word)) || self.command.is_empty()
    }

    /// Word for word what was started, but for the folder. A name can be made up, so a shell is none that was not one.
    fn as_it_was(&self, process: &Process) -> bool {
        let Some((first, rest)) = process.argv.split_first() else { return false };
        let shell = process.files.iter().any(|file| interpreters::is_shell(file));
        let meant = self.command.first().is_some_and(|program| interpreters::is_shell(program));
        self.is_called(first) && rest == &self.command[1..] && (!shell || meant)
    }

    fn is_called(&self, word: &str) -> bool {
        let name = |word: &str| word.rsplit('/').next().unwrap_or(word).to_owned();
        self.command.first().is_some_and(|program| name(program) == name(word))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::profile::Profiles;

    fn is_agent(command: &str, line: &str, file: &str, retitled: bool) -> bool {
        let profile = Profiles::builtin().get("claude").unwrap();
        let command: Vec<String> =
            command.split(' ').filter(|word| !word.is_empty()).map(str::to_owned).collect();
        let argv: Vec<&str> = line.split(' ').collect();
        let files: Vec<&str> = file.split(' ').filter(|file| !file.is_empty()).collect();
        Started { profile: &profile, command: &command }.is(&Process { argv: &argv, files: &files, retitled })
    }

    /// A program drew Claude's screen and became a shell: an answer was run, and an Enter ran the last line of its history.
    #[test]
    fn a_shell_behind_a_drawn_screen_is_not_the_agent() {
        for (line, file) in [
            ("bash --norc -i", "bash"),
            ("claude", "bash"),
            ("/opt/claude", "dash"),
            ("bash -c read -e -p Continue?", "bash"),
            ("claude -c read", "bash"),
            ("bash -c claude", "bash"),
            ("/tmp/wizard", "wizard bash"),
            ("python3 -c input()", "python3.11"),
            ("perl -e getc", "perl"),
            ("vim notes", "vim.basic"),
            ("ssh host", "ssh"),
            ("cat", "cat"),
        ] {
            assert!(!is_agent("/opt/claude", line, file, false), "{line} {file}");
        }
    }

    #[test]
    fn the_agent_is_known_however_it_was_installed() {
        for (command, line, file, retitled) in [
            ("claude", "/usr/lib/node_modules/.bin/claude", "claude.exe", false),
            ("claude", "claude --settings x", "2.1.265", false),
            ("claude", "node /usr/bin/claude", "node", false),
            ("claude", "/usr/bin/node --max-old-space-size=9 /usr/bin/claude", "node", false),
            ("npx @anthropic-ai/claude-code", "node /x/@anthropic-ai/claude-code/cli.js", "node", false),
            ("claude", "claude", "node", true),
            ("/tmp/t/claude", "/usr/bin/python3 /tmp/t/claude", "python3.11", false),
            ("/tmp/t/claude", "/bin/sh /tmp/t/claude", "dash", false),
            ("python3 fake.py --fast", "python3 fake.py --fast", "python3.11", false),
            ("sh -c read", "sh -c read", "dash", false),
            ("/x/counsel demo-agent api", "/x/counsel demo-agent api", "counsel", false),
            ("claude", "claude", "", false),
            ("", "codex", "codex", false),
        ] {
            assert!(is_agent(command, line, file, retitled), "{command}: {line} {file}");
        }
    }
}
