//! A profile of which only the head is read before its program is met.
//!
//! `Profiles` hands these out. Compiling the patterns of one takes some 40 ms, most of what a server's start would take
//! otherwise, and most profiles never meet their program. Pure: where it is compiled is for its user to choose, since
//! whoever needs a pattern first waits for it.

use std::ops::Deref;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use serde::Deserialize;

use super::read::read;
use super::schema::Profile;

/// The head can be read at once; everything else compiles the patterns, once for the whole process.
#[derive(Debug)]
pub struct LazyProfile {
    pub name: String,
    pub commands: Vec<String>,
    pub packages: Vec<String>,
    pub verified: Vec<String>,
    pub hooks: bool,
    pub transcripts: Vec<String>,
    whole: OnceLock<Profile>,
    needed: AtomicBool,
    /// Where it is read from once it is needed; empty where that was done.
    file: &'static str,
    text: &'static str,
}

/// What a profile says of its program, without a pattern.
#[derive(Debug, Deserialize)]
struct Head {
    name: String,
    #[serde(default)]
    commands: Vec<String>,
    #[serde(default)]
    packages: Vec<String>,
    #[serde(default)]
    verified: Vec<String>,
    #[serde(default)]
    hooks: bool,
    #[serde(default)]
    transcripts: Vec<String>,
}

impl LazyProfile {
    /// One that is part of this program.
    pub(super) fn embedded(file: &'static str, text: &'static str) -> LazyProfile {
        let head: Head = toml::from_str(text).expect("the embedded profiles are read by a test");
        let Head { name, commands, packages, verified, hooks, transcripts } = head;
        let (whole, needed) = (OnceLock::new(), AtomicBool::new(false));
        LazyProfile { name, commands, packages, verified, hooks, transcripts, whole, needed, file, text }
    }

    /// Whether somebody has to `compile` it; that is said once.
    pub fn is_to_compile(&self) -> bool {
        !self.needed.swap(true, Ordering::Relaxed)
    }

    /// Compiles its patterns now, unless that was done.
    pub fn compile(&self) {
        let _: &Profile = self;
    }
}

impl Deref for LazyProfile {
    type Target = Profile;

    fn deref(&self) -> &Profile {
        let compiled = || read(self.file, self.text).expect("the embedded profiles are read by a test");
        self.whole.get_or_init(compiled)
    }
}

impl From<Profile> for LazyProfile {
    fn from(profile: Profile) -> LazyProfile {
        LazyProfile {
            name: profile.name.clone(),
            commands: profile.commands.clone(),
            packages: profile.packages.clone(),
            verified: profile.verified.clone(),
            hooks: profile.hooks,
            transcripts: profile.transcripts.clone(),
            whole: OnceLock::from(profile),
            needed: AtomicBool::new(true),
            file: "",
            text: "",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "name = \"x\"\ncommands = [\"x\"]\nhooks = true\n[[sign]]\nname = \"s\"\nstate = \"working\"\n\
                        at = \"screen\"\npattern = 'busy'\n";

    /// Every start of a server compiled what it never used, and a start of an agent held up all others meanwhile.
    #[test]
    fn its_program_is_known_before_a_pattern_is_compiled() {
        let profile = LazyProfile::embedded("x.toml", TEXT);
        assert_eq!(
            (profile.name.as_str(), &profile.commands[..], profile.hooks),
            ("x", &["x".to_owned()][..], true)
        );
        assert!(profile.is_to_compile() && !profile.is_to_compile());
        assert!(profile.whole.get().is_none());
        assert_eq!(profile.sign.len(), 1);
        assert!(profile.whole.get().is_some());
    }
}
