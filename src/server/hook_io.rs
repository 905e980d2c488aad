//! Gives an agent its hooks when it is started: finds the program's version and writes the settings into its
//! command line.
//!
//! Called by the executor on a thread that may block. It never fails: whatever is not known for certain, the
//! program starts without hooks and counsel goes by its screen. It writes no file. An agent may have written the very
//! program: what runs here is no person, and nothing runs here of an agent that is isolated.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use serde_json::Value;

use crate::core::agent::{AgentSpec, Isolate};
use crate::core::hook::{Place, Version, interpreted, merge, place, settings};
use crate::core::policy::Policy;
use crate::os::{regular_file, run_command};

/// A program that does not tell its version within this time is started without hooks. It takes 0.1 to 0.5 s.
const VERSION_TIME: Duration = Duration::from_secs(3);
/// What the program's file is called.
const PROGRAM: &str = "claude";
/// What it says of itself behind its version.
const ITSELF: &str = "(Claude Code)";
/// What a package says of itself.
const PACKAGE_BYTES: u64 = 1024 * 1024;
/// The user's settings in a file: larger ones are not read by the program either.
const SETTINGS_BYTES: u64 = 2 * 1024 * 1024;

/// The agent's command with hooks, or as it is where it cannot have them.
pub fn with_hooks(spec: &AgentSpec, policy: &Policy, exe: &Path) -> Vec<String> {
    hooked(spec, policy, exe).unwrap_or_else(|| spec.command.clone())
}

fn hooked(spec: &AgentSpec, policy: &Policy, exe: &Path) -> Option<Vec<String>> {
    let mut argv = spec.command.clone();
    let place = place(&argv);
    if place == Place::Nowhere || !exe.is_absolute() || exe.starts_with("/proc") {
        return None;
    }
    let version = version(&argv, spec)?;
    let ours = settings(version, &format!("{} hook", quoted(exe.to_str()?)), policy.answers_commands())?;
    match place {
        Place::Before(at) => drop(argv.splice(at..at, ["--settings".to_owned(), ours.to_string()])),
        Place::Instead { at, prefix, theirs } => {
            let theirs = read_settings(&theirs, Path::new(&spec.cwd))?;
            argv[at] = format!("{prefix}{}", merge(&theirs, &ours)?);
        }
        Place::Nowhere => return None,
    }
    Some(argv)
}

/// The settings themselves, or the file that holds them.
fn read_settings(theirs: &str, cwd: &Path) -> Option<Value> {
    if theirs.trim_start().starts_with('{') {
        return serde_json::from_str(theirs).ok();
    }
    serde_json::from_slice(&regular_file::read_named(&cwd.join(theirs), SETTINGS_BYTES).ok()?).ok()
}

/// For the shell that runs a hook's command.
fn quoted(word: &str) -> String {
    format!("'{}'", word.replace('\'', r"'\''"))
}

/// The version, by the cheapest way there is: the package the program lies in, the name of its file, its own word. That
/// is had only of a program that may do here what it likes: one that is isolated would be outside, as whoever serves it.
fn version(argv: &[String], spec: &AgentSpec) -> Option<Version> {
    let (env, cwd) = (&spec.env, Path::new(&spec.cwd));
    let first = find(argv.first()?, env, cwd)?;
    let script = argv.get(1).filter(|_| interpreted(argv));
    let program = match script {
        Some(script) => cwd.join(script).canonicalize().ok()?,
        None => first.canonicalize().ok()?,
    };
    let in_package = program.ancestors().skip(1).take(3).find_map(packaged);
    // Any other program may do anything at all with words it does not know, or with none it looks at.
    let named = script.unwrap_or(argv.first()?);
    let named = Path::new(named).file_name()?.to_str()?.starts_with(PROGRAM);
    let free = spec.isolate == Isolate::None;
    let by_name = || Version::read(program.file_name()?.to_str()?);
    let told = || {
        let mut command = Command::new(&first);
        command.args(script).arg("--version").current_dir(cwd).env_clear().envs(env);
        tells(command)
    };
    in_package.or_else(|| if named { by_name().or_else(|| if free { told() } else { None }) } else { None })
}

fn packaged(folder: &Path) -> Option<Version> {
    let text = regular_file::read_named(&folder.join("package.json"), PACKAGE_BYTES).ok()?;
    let package: Value = serde_json::from_slice(&text).ok()?;
    let ours = package.get("name")?.as_str()?.contains("claude-code");
    Version::read(package.get("version")?.as_str()?).filter(|_| ours)
}

/// Where a program lies, as the agent's own environment finds it.
fn find(program: &str, env: &BTreeMap<String, String>, cwd: &Path) -> Option<PathBuf> {
    if program.contains('/') {
        return Some(cwd.join(program)).filter(|path| path.is_file());
    }
    let folders = env.get("PATH")?;
    std::env::split_paths(folders).map(|folder| cwd.join(folder).join(program)).find(|path| path.is_file())
}

fn tells(mut command: Command) -> Option<Version> {
    let said = run_command::run(&mut command, VERSION_TIME).ok()?;
    Version::read(&said.out).filter(|_| said.status.success() && said.out.contains(ITSELF))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn program(folder: &Path, script: &str) -> AgentSpec {
        use std::os::unix::fs::PermissionsExt;
        let path = folder.join("claude");
        std::fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
        let path_of = format!("{}:/usr/bin:/bin", folder.display());
        AgentSpec {
            name: "a".into(),
            command: vec!["claude".into(), "-c".into()],
            cwd: folder.display().to_string(),
            env: BTreeMap::from([("PATH".into(), path_of)]),
            ..AgentSpec::default()
        }
    }

    fn counsel() -> PathBuf {
        PathBuf::from("/opt/it's/counsel")
    }

    #[test]
    fn a_program_that_tells_its_version_gets_its_hooks() {
        let folder = tempfile::tempdir().unwrap();
        let spec = program(folder.path(), "echo '2.1.150 (Claude Code)'");
        let argv = with_hooks(&spec, &Policy::default(), &counsel());
        assert_eq!((argv.len(), argv[1].as_str(), argv[3].as_str()), (4, "--settings", "-c"));
        let settings: Value = serde_json::from_str(&argv[2]).unwrap();
        assert_eq!(settings["hooks"]["Stop"][0]["hooks"][0]["command"], r"'/opt/it'\''s/counsel' hook");
    }

    #[test]
    fn one_that_does_not_starts_as_it_is() {
        let folder = tempfile::tempdir().unwrap();
        let broken = "echo '2.1.150 (Claude Code)'; exit 1";
        for script in ["echo '1.0.58 (Claude Code)'", "echo unknown", "exit 3", "echo 2.1.150", broken] {
            let spec = program(folder.path(), script);
            assert_eq!(with_hooks(&spec, &Policy::default(), &counsel()), spec.command, "{script}");
        }
        let spec = program(folder.path(), "echo '2.1.150 (Claude Code)'");
        assert_eq!(with_hooks(&spec, &Policy::default(), Path::new("/proc/self/exe")), spec.command);
        let absent = AgentSpec { env: BTreeMap::new(), ..spec };
        assert_eq!(with_hooks(&absent, &Policy::default(), &counsel()), absent.command);
    }

    /// Who may write the program of an isolated agent would have it run outside: at `uid`, as root.
    #[test]
    fn the_program_of_an_isolated_agent_is_not_run() {
        let folder = tempfile::tempdir().unwrap();
        let mut spec = program(folder.path(), "touch ran; echo '2.1.150 (Claude Code)'");
        for isolate in [Isolate::Landlock, Isolate::Namespace, Isolate::Uid] {
            spec.isolate = isolate;
            assert_eq!(with_hooks(&spec, &Policy::default(), &counsel()), spec.command, "{isolate:?}");
            assert!(!folder.path().join("ran").exists(), "{isolate:?}");
        }
        // Its package and its file's name say the same.
        std::fs::rename(folder.path().join("claude"), folder.path().join("claude-2.1.150")).unwrap();
        std::os::unix::fs::symlink("claude-2.1.150", folder.path().join("claude")).unwrap();
        assert_eq!(with_hooks(&spec, &Policy::default(), &counsel()).len(), 4);
    }

    /// A FIFO beside the program, or in the settings' place, held its start up for ever.
    #[test]
    fn what_is_no_file_holds_nothing_up() {
        let folder = tempfile::tempdir().unwrap();
        let mut spec = program(folder.path(), "echo '2.1.150 (Claude Code)'");
        for name in ["package.json", "mine.json"] {
            nix::unistd::mkfifo(&folder.path().join(name), nix::sys::stat::Mode::S_IRWXU).unwrap();
        }
        assert_eq!(with_hooks(&spec, &Policy::default(), &counsel()).len(), 4);
        spec.command = vec!["claude".into(), "--settings".into(), "mine.json".into()];
        assert_eq!(with_hooks(&spec, &Policy::default(), &counsel()), spec.command);
    }

    /// One with the profile of Claude Code, but not it, was run for its version and did its work a second time.
    #[test]
    fn another_program_is_not_asked() {
        let folder = tempfile::tempdir().unwrap();
        let mut spec = program(folder.path(), "touch ran; echo '2.1.150 (Claude Code)'");
        std::fs::rename(folder.path().join("claude"), folder.path().join("mine")).unwrap();
        spec.command = vec!["./mine".into()];
        assert_eq!(with_hooks(&spec, &Policy::default(), &counsel()), spec.command);
        assert!(!folder.path().join("ran").exists());
    }

    #[test]
    fn the_package_beside_the_program_is_asked_first() {
        let folder = tempfile::tempdir().unwrap();
        let spec = program(folder.path(), "exit 3");
        let package = r#"{"name": "@anthropic-ai/claude-code", "version": "2.0.70"}"#;
        std::fs::write(folder.path().join("package.json"), package).unwrap();
        let argv = with_hooks(&spec, &Policy::default(), &counsel());
        assert!(argv[2].contains("PermissionRequest"), "{argv:?}");
    }

    #[test]
    fn the_users_own_settings_are_joined_wherever_they_stand() {
        let folder = tempfile::tempdir().unwrap();
        let mut spec = program(folder.path(), "echo '2.1.150 (Claude Code)'");
        std::fs::write(folder.path().join("mine.json"), r#"{"model": "opus"}"#).unwrap();
        for theirs in ["mine.json", r#"{"model": "opus"}"#] {
            spec.command = vec!["claude".into(), "--settings".into(), theirs.into()];
            let argv = with_hooks(&spec, &Policy::default(), &counsel());
            let settings: Value = serde_json::from_str(&argv[2]).unwrap();
            assert_eq!((argv.len(), &settings["model"]), (3, &Value::from("opus")));
            assert!(settings["hooks"]["Stop"].is_array());
        }
        for theirs in ["absent.json", "{broken"] {
            spec.command = vec!["claude".into(), "--settings".into(), theirs.into()];
            assert_eq!(with_hooks(&spec, &Policy::default(), &counsel()), spec.command);
        }
    }
}
