//! Which programs may be started: `[security]` held against the file a name really leads to.
//!
//! The command line asks before anything is started. A name proves nothing: it is looked up as the program
//! will be, links are followed, and the pattern is looked up the same way in the person's own PATH. It reads
//! no disk; the caller brings the way to look a program up.

use std::path::{Path, PathBuf};

use crate::core::agent::AgentSpec;
use crate::core::policy::Policy;

use super::behind::behind;
use super::types::Security;

/// Variables by which whoever sets them puts other code into a program: where it is looked for, what is
/// loaded into it.
const LOADERS: &[&str] = &[
    "PATH",
    "BASH_ENV",
    "ENV",
    "ZDOTDIR",
    "NODE_OPTIONS",
    "NODE_PATH",
    "PYTHONPATH",
    "PYTHONSTARTUP",
    "PYTHONHOME",
    "PERL5LIB",
    "PERL5OPT",
    "RUBYLIB",
    "RUBYOPT",
];
/// The same for whole families, of the dynamic linker.
const LOADER_PREFIXES: &[&str] = &["LD_", "DYLD_"];

/// Whether a variable decides which code runs.
pub fn is_loader(name: &str) -> bool {
    LOADERS.contains(&name) || LOADER_PREFIXES.iter().any(|prefix| name.starts_with(prefix))
}

/// A program's file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Located {
    /// As it would be executed.
    pub path: PathBuf,
    /// With every link followed.
    pub resolved: PathBuf,
}

/// How programs are looked up: the word, the folder it is started in, and the PATH; `None` is the person's own.
pub type Locate<'a> = &'a dyn Fn(&str, &str, Option<&str>) -> Option<Located>;

/// A program on its way to be started.
struct Program<'a> {
    word: &'a str,
    located: Option<Located>,
    locate: Locate<'a>,
}

impl Security {
    fn restricts(&self) -> bool {
        !self.allow_commands.is_empty() || !self.also_allow.is_empty()
    }

    /// Whether a program may be started; otherwise which list says no.
    pub fn permits(
        &self,
        word: &str,
        cwd: &str,
        path: Option<&str>,
        locate: Locate<'_>,
    ) -> Result<Option<Located>, String> {
        let program = Program { word, located: locate(word, cwd, path), locate };
        self.not_denied(&program)?;
        for list in [&self.allow_commands, &self.also_allow] {
            if !list.is_empty() && !list.iter().any(|pattern| program.is_allowed_by(pattern)) {
                return Err(format!("{} is not in [security] allow_commands", program.shown()));
            }
        }
        Ok(program.located)
    }

    fn not_denied(&self, program: &Program) -> Result<(), String> {
        match self.deny_commands.iter().find(|pattern| program.is_denied_by(pattern)) {
            None => Ok(()),
            Some(pattern) => {
                Err(format!("{} is denied by [security] deny_commands ({pattern})", program.shown()))
            }
        }
    }

    /// A whole command: what it is, and what it is seen to start.
    pub(super) fn permits_line(
        &self,
        command: &[String],
        cwd: &str,
        path: Option<&str>,
        locate: Locate<'_>,
    ) -> Result<Option<Located>, String> {
        let Some(word) = command.first() else { return Ok(None) };
        let located = self.permits(word, cwd, path, locate)?;
        if !self.deny_commands.is_empty() {
            for word in &behind(command, &|word| locate(word, cwd, path).is_some()).programs {
                self.not_denied(&Program { word, located: locate(word, cwd, path), locate })?;
            }
        }
        Ok(located)
    }

    /// What an agent may start that `deny_commands` does not see, in words.
    pub fn unseen(&self, spec: &AgentSpec, locate: Locate<'_>) -> Vec<String> {
        if self.deny_commands.is_empty() {
            return Vec::new();
        }
        let path = Some(spec.env.get("PATH").map_or("", String::as_str));
        behind(&spec.command, &|word| locate(word, &spec.cwd, path).is_some()).unseen
    }

    /// The same for everything an agent is started from, its command and what it is wrapped in, and for what
    /// is run on its behalf. Consultants and the command that calls a person are then named by their files:
    /// the server may have another PATH.
    pub fn permits_all(
        &self,
        spec: &AgentSpec,
        policy: &mut Policy,
        locate: Locate<'_>,
    ) -> Result<(), String> {
        let path = Some(spec.env.get("PATH").map_or("", String::as_str));
        for command in [&spec.wrap, &spec.command] {
            self.permits_line(command, &spec.cwd, path, locate)?;
        }
        for consultant in &mut policy.consultants {
            let located = self.permits_line(consultant.words(), &spec.cwd, path, locate);
            let located = located.map_err(|why| format!("consultant {}: {why}", consultant.name))?;
            let Some(word) = consultant.words_mut().first_mut() else { continue };
            self.pin(word, located);
        }
        let located = self.permits_line(&policy.notify.command, "/", None, locate);
        let located = located.map_err(|why| format!("[notify]: {why}"))?;
        if let Some(word) = policy.notify.command.first_mut() {
            self.pin(word, located);
        }
        for standby in &policy.standby {
            let path = Some(standby.env.get("PATH").map_or("", String::as_str));
            for command in [&standby.wrap, &standby.command] {
                self.permits_line(command, &standby.cwd, path, locate)?;
            }
        }
        Ok(())
    }

    fn pin(&self, word: &mut String, located: Option<Located>) {
        if let Some(path) = located.and_then(|located| located.path.to_str().map(str::to_owned))
            && self.restricts()
        {
            *word = path;
        }
    }
}

impl Program<'_> {
    fn shown(&self) -> String {
        match &self.located {
            Some(located) if located.resolved != Path::new(self.word) => {
                format!("'{}' ({})", self.word, located.resolved.display())
            }
            _ => format!("'{}'", self.word),
        }
    }

    /// Whether the pattern, looked up as the person's own shell would, is this very file.
    fn is_what(&self, name: &str) -> bool {
        let own = (self.locate)(name, "/", None);
        own.is_some_and(|own| self.located.as_ref().is_some_and(|this| this.resolved == own.resolved))
    }

    /// A pattern with a `/` is held against the file, one without names a program of the person's PATH. A name, also at
    /// the end of a path that is a link, allows what its file is by this name: many files are other programs by other
    /// names (busybox, rustup), and which are is not to be known. What names the file itself allows all of them.
    fn is_allowed_by(&self, pattern: &str) -> bool {
        let Some(located) = &self.located else {
            // Not on this machine: it is for the program it is wrapped in to find.
            return !self.word.contains('/') && glob(pattern, self.word);
        };
        let name = last(self.word);
        if pattern.contains('/') {
            let file = located.resolved.to_str().is_some_and(|file| glob(pattern, file));
            return file || (!pattern.contains('*') && last(pattern) == name && self.is_what(pattern));
        }
        glob(pattern, name) && self.is_what(name)
    }

    /// To be denied, any of a program's names will do.
    fn is_denied_by(&self, pattern: &str) -> bool {
        let mut names = vec![self.word];
        if let Some(located) = &self.located {
            names.extend([located.path.to_str(), located.resolved.to_str()].into_iter().flatten());
        }
        let matching = |name: &&str| glob(pattern, if pattern.contains('/') { name } else { last(name) });
        names.iter().any(matching) || (!pattern.contains('*') && self.is_what(pattern))
    }
}

fn last(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// `*` stands for any letters; everything else for itself.
fn glob(pattern: &str, text: &str) -> bool {
    let mut parts = pattern.split('*');
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = text.strip_prefix(first) else { return false };
    let Some(last) = parts.next_back() else { return rest.is_empty() };
    for part in parts {
        let Some(at) = rest.find(part) else { return false };
        rest = &rest[at + part.len()..];
    }
    rest.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::policy::CommandConsultant;

    /// `claude` and `rm` are links into packages, `codex` and `bash` are files; `/evil` has its own `claude`.
    fn locate(word: &str, cwd: &str, path: Option<&str>) -> Option<Located> {
        let found = match (word.contains('/'), path) {
            (true, _) if word.starts_with("./") => format!("{cwd}/{}", &word[2..]),
            (true, _) => word.to_owned(),
            (false, Some("/evil")) if word == "claude" => "/evil/claude".to_owned(),
            (false, _) => format!("/usr/bin/{word}"),
        };
        let resolved = match found.as_str() {
            "/usr/bin/claude" | "/home/me/c" => "/usr/lib/claude/cli.js",
            "/usr/bin/rm" | "/tmp/x" => "/usr/lib/coreutils/rm",
            known @ ("/usr/bin/codex" | "/usr/bin/bash" | "/evil/claude" | "/opt/a/agent" | "/p/claude") => {
                known
            }
            _ => return None,
        };
        Some(Located { path: found.clone().into(), resolved: resolved.into() })
    }

    fn security(allow: &[&str], deny: &[&str]) -> Security {
        let list = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect();
        Security { allow_commands: list(allow), deny_commands: list(deny), ..Security::default() }
    }

    fn permits(security: &Security, word: &str, path: Option<&str>) -> bool {
        security.permits(word, "/p", path, &locate).is_ok()
    }

    #[test]
    fn what_is_allowed_is_a_file_and_not_a_name() {
        let lists = security(&["claude", "cod*", "/opt/*/agent"], &[]);
        for word in ["claude", "/usr/bin/claude", "codex", "/opt/a/agent"] {
            assert!(permits(&lists, word, None), "{word}");
        }
        for word in ["bash", "/evil/claude", "./claude", "/usr/bin/nothing", "/tmp/codex", "/home/me/c"] {
            assert!(!permits(&lists, word, None), "{word}");
        }
        // Another PATH leads to another file.
        assert!(!permits(&lists, "claude", Some("/evil")));
        assert!(permits(&security(&[], &[]), "anything", None));
    }

    /// busybox, coreutils, rustup and their like are what the name says that they are started by: whoever was allowed `ls`
    /// was allowed `sh`.
    #[test]
    fn a_file_of_many_programs_is_the_one_that_is_named() {
        let locate = |word: &str, _: &str, _: Option<&str>| {
            let path = if word.contains('/') { word.to_owned() } else { format!("/bin/{word}") };
            let applets = ["/bin/ls", "/bin/sh", "/bin/busybox", "/p/ls", "/p/sh", "/p/x"];
            let resolved = match path.as_str() {
                "/bin/cargo" | "/bin/rustc" => "/home/me/rustup",
                applet if applets.contains(&applet) => "/bin/busybox",
                _ => return None,
            };
            Some(Located { path: path.into(), resolved: resolved.into() })
        };
        for (allowed, yes, no) in [
            ("ls", &["ls", "/bin/ls", "/p/ls"][..], &["sh", "/bin/sh", "/p/sh", "/p/x", "busybox"][..]),
            ("/bin/ls", &["ls", "/bin/ls", "/p/ls"], &["sh", "/bin/sh", "/p/sh", "busybox"]),
            ("l*", &["ls", "/p/ls"], &["sh", "busybox", "/p/x"]),
            ("cargo", &["cargo"], &["rustc"]),
            // By itself it is all of them.
            ("/bin/busybox", &["busybox", "ls", "sh"], &["cargo"]),
            ("busybox", &["busybox"], &["ls", "sh"]),
        ] {
            let lists = security(&[allowed], &[]);
            let may = |word: &&&str| lists.permits(word, "/", None, &locate).is_ok();
            assert_eq!(yes.iter().find(|word| !may(word)), None, "{allowed}");
            assert_eq!(no.iter().find(may), None, "{allowed}");
        }
    }

    /// What runs in a container is not on this machine, and whatever it is wrapped in is looked at as well.
    #[test]
    fn a_program_that_is_not_here_goes_by_its_name() {
        let lists = security(&["gemini"], &[]);
        assert!(permits(&lists, "gemini", None) && !permits(&lists, "/opt/gemini", None));
    }

    #[test]
    fn both_lists_must_allow_and_either_denies() {
        let both = Security { also_allow: vec!["claude".into()], ..security(&["c*"], &["/evil/*"]) };
        assert!(permits(&both, "claude", None) && !permits(&both, "codex", None));
        assert!(!permits(&both, "/evil/claude", None));
    }

    #[test]
    fn a_link_does_not_hide_what_is_denied() {
        let lists = security(&[], &["rm", "/usr/lib/claude/*"]);
        for word in ["rm", "/usr/bin/rm", "/tmp/x", "claude", "/home/me/c"] {
            assert!(!permits(&lists, word, None), "{word}");
        }
        assert!(permits(&lists, "codex", None));
        let said = lists.permits("/tmp/x", "/", None, &locate).unwrap_err();
        assert!(said.starts_with("'/tmp/x' (/usr/lib/coreutils/rm) is denied"), "{said}");
    }

    #[test]
    fn what_runs_on_behalf_of_an_agent_is_held_to_the_same_and_pinned() {
        let command = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
        let spec = AgentSpec {
            command: command(&["codex"]),
            cwd: "/p".into(),
            env: [("PATH".to_owned(), "/usr/bin".to_owned())].into(),
            ..AgentSpec::default()
        };
        let consultant = CommandConsultant {
            name: "one".into(),
            command: command(&["claude", "-p"]),
            ..CommandConsultant::default()
        };
        let mut policy = Policy { consultants: vec![consultant], ..Policy::default() };
        let open = security(&[], &[]);
        open.permits_all(&spec, &mut policy, &locate).unwrap();
        assert_eq!(policy.consultants[0].command[0], "claude");
        let lists = security(&["codex", "claude"], &[]);
        lists.permits_all(&spec, &mut policy, &locate).unwrap();
        assert_eq!(policy.consultants[0].command, command(&["/usr/bin/claude", "-p"]));
        policy.notify.command = command(&["bash", "ring.sh"]);
        let said = lists.permits_all(&spec, &mut policy, &locate).unwrap_err();
        assert!(said.starts_with("[notify]: 'bash' "), "{said}");
        policy.consultants[0].command = command(&["/evil/claude"]);
        let said = lists.permits_all(&spec, &mut policy, &locate).unwrap_err();
        assert!(said.starts_with("consultant one: "), "{said}");
    }
}
