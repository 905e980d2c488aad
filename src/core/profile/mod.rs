//! Profiles: what is known of each agent program, read from TOML.
//!
//! The built-in ones are embedded; `add_toml` takes a person's own, which replace one of the same
//! name. Pure: the caller reads the files.

mod keys;
mod lazy;
mod line;
mod read;
mod schema;
mod subject;
mod title;

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

pub use super::pattern::Pattern;
pub use keys::{Axis, FreeText, Keys, Submit, Toggle};
pub use lazy::LazyProfile;
pub use line::{Choices, LineRule, SignState};
pub use read::ProfileError;
pub use schema::*;
pub use subject::{ActRule, SubjectRule};
pub use title::TitleRule;

use read::read;

/// The embedded profiles, each with the name of its file.
const BUILTIN: [(&str, &str); 12] = [
    ("aider.toml", include_str!("../../../profiles/aider.toml")),
    ("claude.toml", include_str!("../../../profiles/claude.toml")),
    ("cline.toml", include_str!("../../../profiles/cline.toml")),
    ("codex.toml", include_str!("../../../profiles/codex.toml")),
    ("copilot.toml", include_str!("../../../profiles/copilot.toml")),
    ("demo.toml", include_str!("../../../profiles/demo.toml")),
    ("gemini.toml", include_str!("../../../profiles/gemini.toml")),
    ("generic.toml", include_str!("../../../profiles/generic.toml")),
    ("kilo.toml", include_str!("../../../profiles/kilo.toml")),
    ("opencode.toml", include_str!("../../../profiles/opencode.toml")),
    ("pi.toml", include_str!("../../../profiles/pi.toml")),
    ("qwen.toml", include_str!("../../../profiles/qwen.toml")),
];

/// The profile of a program nobody described.
pub const GENERIC: &str = "generic";

/// Programs that only start another one: what counts stands behind them.
const WRAPPERS: [&str; 26] = [
    "node", "nodejs", "bun", "bunx", "npx", "pnpx", "npm", "pnpm", "yarn", "deno", "python", "python3", "uv",
    "uvx", "pipx", "bash", "sh", "zsh", "fish", "env", "sudo", "nice", "stdbuf", "exec", "time", "script",
];

/// All known profiles by name.
#[derive(Debug, Clone, Default)]
pub struct Profiles {
    by_name: BTreeMap<String, Arc<LazyProfile>>,
}

impl Profiles {
    /// The embedded profiles. The patterns of each are compiled once for the whole process, when it is first needed.
    pub fn builtin() -> Profiles {
        static DESCRIBED: OnceLock<Profiles> = OnceLock::new();
        let describe = |(file, text)| {
            let profile = LazyProfile::embedded(file, text);
            (profile.name.clone(), Arc::new(profile))
        };
        DESCRIBED.get_or_init(|| Profiles { by_name: BUILTIN.into_iter().map(describe).collect() }).clone()
    }

    /// Reads one profile; it replaces one of the same name. Returns its name.
    pub fn add_toml(&mut self, file_name: &str, text: &str) -> Result<String, ProfileError> {
        let profile: Profile = read(file_name, text)?;
        let name = profile.name.clone();
        self.by_name.insert(name.clone(), Arc::new(LazyProfile::from(profile)));
        Ok(name)
    }

    pub fn get(&self, name: &str) -> Option<Arc<LazyProfile>> {
        self.by_name.get(name).cloned()
    }

    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.by_name.keys().map(String::as_str)
    }

    /// The profile for a command line; the generic one if no other claims it.
    pub fn for_command(&self, argv: &[String]) -> Arc<LazyProfile> {
        let found = program(argv).and_then(|word| {
            self.by_name.values().find(|known| claim(&known.commands, &known.packages, word))
        });
        let found = found.or_else(|| self.by_name.get(GENERIC));
        Arc::clone(found.expect("the generic profile is always there"))
    }
}

impl Profile {
    /// Whether this is the name or the path of the program it describes.
    pub fn stands_for(&self, program: &str) -> bool {
        claim(&self.commands, &self.packages, program)
    }

    /// Whether, where a verdict has this reason, each letter is a command.
    pub fn letters_are_commands(&self, why: &str) -> bool {
        let Some(rule) = self.rule_of(why) else { return false };
        let (mut lines, mut signs) = (self.line.iter(), self.sign.iter());
        lines.any(|line| line.keys && line.name == rule) || signs.any(|sign| sign.keys && sign.name == rule)
    }

    /// Whether, where a verdict has this reason, something looks like a command at a shell's prompt.
    pub fn is_at_a_shell(&self, why: &str) -> bool {
        let rule = self.rule_of(why);
        rule.is_some_and(|rule| self.sign.iter().any(|sign| sign.shell && sign.name == rule))
    }

    fn rule_of<'a>(&self, why: &'a str) -> Option<&'a str> {
        why.strip_prefix(&self.name).and_then(|rest| rest.strip_prefix('/'))
    }
}

/// The word of a command line that names the program: the first that is neither a wrapper, nor an
/// option, nor an assignment.
fn program(argv: &[String]) -> Option<&str> {
    // A shell's `-c` takes a whole command line as one word.
    let mut words = argv.iter().flat_map(|word| word.split_whitespace());
    words.find(|word| {
        let assignment = word.contains('=') && !word.contains('/');
        let sub = matches!(*word, "run" | "x" | "dlx" | "tool" | "-m");
        !(word.starts_with('-') || assignment || sub || WRAPPERS.contains(&stem(word)))
    })
}

/// File name without folder, and without the extension of a script or an executable.
fn stem(word: &str) -> &str {
    let name = word.rsplit(['/', '\\']).next().unwrap_or(word);
    name.rsplit_once('.')
        .filter(|(_, ext)| matches!(*ext, "js" | "mjs" | "cjs" | "py" | "exe" | "sh"))
        .map_or(name, |(stem, _)| stem)
}

fn claim(commands: &[String], packages: &[String], word: &str) -> bool {
    // "claude@2.1.0" behind npx, "claude-2.1.55" as somebody's own file name.
    let name = stem(word);
    let bare = name.split('@').next().filter(|bare| !bare.is_empty()).unwrap_or(name);
    let versioned = |command: &String| {
        bare.strip_prefix(command.as_str()).is_some_and(|rest| {
            rest.strip_prefix('-').is_some_and(|rest| rest.starts_with(|ch: char| ch.is_ascii_digit()))
        })
    };
    commands.iter().any(|command| command == bare || versioned(command))
        || packages.iter().any(|package| word.contains(package.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(line: &str) -> String {
        let argv: Vec<String> = line.split(' ').map(str::to_owned).collect();
        Profiles::builtin().for_command(&argv).name.clone()
    }

    #[test]
    fn commands_find_their_profile() {
        for (line, name) in [
            ("claude", "claude"),
            ("/usr/local/bin/claude --permission-mode plan", "claude"),
            ("node /opt/x/node_modules/@anthropic-ai/claude-code/cli.js -c", "claude"),
            ("npx -y @anthropic-ai/claude-code@2.1.55", "claude"),
            ("env FOO=1 codex --no-alt-screen", "codex"),
            ("/opt/claude-2.1.222", "claude"),
            ("npx @google/gemini-cli", "gemini"),
            ("uvx aider --model x", "aider"),
            ("/bin/bash -i", "generic"),
            ("bash -lc claude", "claude"),
            ("claudette", "generic"),
            ("", "generic"),
        ] {
            assert_eq!(named(line), name, "{line}");
        }
    }

    #[test]
    fn every_embedded_profile_can_be_read() {
        let profiles = Profiles::builtin();
        for name in profiles.names() {
            assert_eq!(profiles.get(name).map(|profile| profile.name.clone()).as_deref(), Some(name));
        }
        assert_eq!(profiles.names().count(), BUILTIN.len());
    }

    #[test]
    fn a_mistake_is_told_with_its_place() {
        let text = "name = \"x\"\n\n[menu]\nmarker = \">\"\n";
        let error = Profiles::default().add_toml("x.toml", text).unwrap_err();
        assert_eq!((error.line, error.column), (4, 1), "{error}");
        assert!(error.to_string().starts_with("x.toml:4:1: key menu.marker: is not known here"), "{error}");
        let text = "name = \"x\"\n[[dialog]]\nname = \"a\"\nkind = \"menu\"\ntext = '('\n";
        let error = Profiles::default().add_toml("x.toml", text).unwrap_err();
        assert_eq!(error.line, 5, "{error}");
        assert!(error.to_string().contains("unclosed group"), "{error}");
    }
}
