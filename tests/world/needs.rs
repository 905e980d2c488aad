//! Tests that need what not every machine has: ignored with the reason where it is missing, failed where `CI=true` promises it.
#![allow(dead_code, reason = "each test uses its part of it")]

use std::process::Command;

use libtest_mimic::{Arguments, Completion, Failed, Trial};

/// A test: its name, why it cannot run here, and what it does.
pub type Test = (&'static str, fn() -> Option<String>, fn());

/// The `main` of a file of such tests.
pub fn run(tests: &[Test]) {
    let args = Arguments::from_args();
    let trials = tests.iter().map(|(name, missing, body)| trial(name, *missing, *body)).collect();
    libtest_mimic::run(&args, trials).exit();
}

fn trial(name: &str, missing: fn() -> Option<String>, body: fn()) -> Trial {
    Trial::ignorable_test(name, move || match missing() {
        Some(why) if std::env::var("CI").as_deref() == Ok("true") => Err(Failed::from(why)),
        Some(why) => Ok(Completion::ignored_with(why)),
        None => {
            body();
            Ok(Completion::Completed)
        }
    })
}

fn succeeds(program: &str, args: &[&str]) -> bool {
    Command::new(program).args(args).output().is_ok_and(|output| output.status.success())
}

pub fn nothing() -> Option<String> {
    None
}

pub fn tmux() -> Option<String> {
    (!succeeds("tmux", &["-V"])).then(|| "tmux is not installed".to_owned())
}

pub fn namespaces() -> Option<String> {
    let can = succeeds("unshare", &["-r", "--pid", "--fork", "--kill-child", "true"]);
    (!can).then(|| "'unshare' may make no namespaces here".to_owned())
}
