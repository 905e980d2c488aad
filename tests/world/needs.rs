//! Tests that need what not every machine has: ignored with the reason where it is missing, failed under `CI=true`
//! where an installation would mend it.
#![allow(dead_code, reason = "each test uses its part of it")]

use std::process::Command;

use libtest_mimic::{Arguments, Completion, Failed, Trial};

/// What a test needs and this machine has not.
pub struct Missing {
    pub why: String,
    /// A program that `.ci/run` installs: where it is missing all the same, the tests prove less than they say.
    pub installable: bool,
}

/// A test: its name, what is missing for it here, and what it does.
pub type Test = (&'static str, fn() -> Option<Missing>, fn());

/// The `main` of a file of such tests.
pub fn run(tests: &[Test]) {
    let args = Arguments::from_args();
    let trials = tests.iter().map(|(name, missing, body)| trial(name, *missing, *body)).collect();
    libtest_mimic::run(&args, trials).exit();
}

fn trial(name: &str, missing: fn() -> Option<Missing>, body: fn()) -> Trial {
    Trial::ignorable_test(name, move || match missing() {
        Some(missing) if missing.installable && std::env::var("CI").as_deref() == Ok("true") => {
            Err(Failed::from(missing.why))
        }
        Some(missing) => Ok(Completion::ignored_with(missing.why)),
        None => {
            body();
            Ok(Completion::Completed)
        }
    })
}

fn succeeds(program: &str, args: &[&str]) -> bool {
    Command::new(program).args(args).output().is_ok_and(|output| output.status.success())
}

fn unless(there: bool, installable: bool, why: &str) -> Option<Missing> {
    (!there).then(|| Missing { why: why.to_owned(), installable })
}

pub fn nothing() -> Option<Missing> {
    None
}

pub fn tmux() -> Option<Missing> {
    unless(succeeds("tmux", &["-V"]), true, "tmux is not installed")
}

pub fn namespaces() -> Option<Missing> {
    let can = succeeds("unshare", &["-r", "--pid", "--fork", "--kill-child", "true"]);
    unless(can, true, "'unshare' may make no namespaces here")
}

pub fn bubblewrap() -> Option<Missing> {
    let can = || succeeds("bwrap", &["--unshare-user", "--unshare-pid", "--bind", "/", "/", "true"]);
    unless(succeeds("bwrap", &["--version"]), true, "bubblewrap is not installed")
        .or_else(|| unless(can(), false, "bubblewrap may make no namespaces here"))
}

/// `sudo` that asks for no password.
pub fn sudo() -> Option<Missing> {
    unless(succeeds("sudo", &["-V"]), true, "sudo is not installed")
        .or_else(|| unless(succeeds("sudo", &["-n", "true"]), false, "sudo asks for a password here"))
}

pub fn script() -> Option<Missing> {
    unless(succeeds("script", &["-qec", "true", "/dev/null"]), true, "script is not installed")
}

pub fn root() -> Option<Missing> {
    unless(nix::unistd::geteuid().is_root(), false, "only a server of root starts agents as other users")
}

/// Linux 6.12 or newer, with Landlock in it.
#[cfg(target_os = "linux")]
pub fn landlock() -> Option<Missing> {
    counsel::os::landlock::prepare(&[]).err().map(|why| Missing { why, installable: false })
}

/// Programs by their names alone: not all of them say a version.
pub fn programs(names: &[&str]) -> Option<Missing> {
    let path = std::env::var("PATH").unwrap_or_default();
    let there = |name: &str| counsel::os::program::find(name, &path, std::path::Path::new("/")).is_ok();
    names.iter().find_map(|name| unless(there(name), true, &format!("{name} is not installed")))
}

/// A program that says its version.
pub fn program(name: &str) -> Option<Missing> {
    unless(succeeds(name, &["--version"]), true, &format!("{name} is not installed"))
}
