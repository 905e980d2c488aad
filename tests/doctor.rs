//! `counsel doctor`: each fault is found, named with its mend, and nothing is changed by looking.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod world;

use std::os::unix::fs::PermissionsExt;

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::Value;
use world::{World, finish, json};

/// The report with only this world's `bin` on the PATH, so that the machine's own agents do not show.
fn report(world: &World) -> (i32, Vec<Value>) {
    std::fs::create_dir_all(world.path("bin")).unwrap();
    let path = format!("{}:/usr/bin:/bin", world.path("bin").display());
    let done = finish(world.command().env("PATH", path).args(["doctor", "--json"]), b"");
    assert_eq!(done.err, "");
    let findings: Vec<Value> = done.out.lines().map(json).collect();
    for finding in &findings {
        let keys: Vec<&String> = finding.as_object().unwrap().keys().collect();
        assert_eq!(keys, ["level", "check", "what", "mend"]);
        assert_eq!(finding["level"] == "ok", finding["mend"].is_null(), "{finding}");
    }
    (done.code, findings)
}

/// The finding of this check that holds these words.
fn find<'a>(findings: &'a [Value], check: &str, words: &str) -> &'a Value {
    let of =
        |finding: &&Value| finding["check"] == check && finding["what"].as_str().unwrap().contains(words);
    let text: Vec<String> = findings.iter().map(Value::to_string).collect();
    findings.iter().find(of).unwrap_or_else(|| panic!("no {check} with {words:?}:\n{}", text.join("\n")))
}

#[test]
fn looking_changes_nothing_and_starts_nothing() {
    let world = World::new();
    for folder in ["run", "state"] {
        std::fs::remove_dir(world.path(folder)).unwrap();
    }
    let (code, findings) = report(&world);
    assert_eq!(code, 0, "{findings:?}");
    assert_eq!(find(&findings, "server", "none runs")["level"], "ok");
    find(&findings, "runtime folder", "made when it is needed");
    find(&findings, "terminal", "none here");
    assert!(!world.path("run").exists() && !world.path("state").exists());
}

#[test]
fn faults_are_told_with_their_place_and_mend() {
    let world = World::new();
    std::fs::set_permissions(world.path("run"), std::fs::Permissions::from_mode(0o777)).unwrap();
    std::fs::remove_dir(world.path("state")).unwrap();
    world.write("state", "a file");
    world.write("work/counsel.toml", "[[agent]]\nname = \"api\"\ncomand = [\"claude\"]\n");
    let (code, findings) = report(&world);
    assert_eq!(code, 1);
    let run = find(&findings, "runtime folder", "others can write");
    assert!(run["level"] == "fail" && run["what"].as_str().unwrap().contains("chmod 700"), "{run}");
    assert_eq!(find(&findings, "state folder", "is not a folder")["level"], "fail");
    let config = find(&findings, "config", "counsel.toml:3:1: key agent.comand");
    assert_eq!(config["level"], "fail");
    std::fs::set_permissions(world.path("run"), std::fs::Permissions::from_mode(0o700)).unwrap();
}

#[test]
fn versions_are_held_against_the_verified_ones() {
    let world = World::new();
    world.script("claude", "echo '2.1.329 (Claude Code)'");
    world.script("codex", "echo 'codex-cli 99.0.1'");
    world.script("opencode", "echo 0.0.1");
    world.script("gemini", "sleep 600");
    world.script("qwen", "echo broken >&2; exit 3");
    let (code, findings) = report(&world);
    assert_eq!(code, 0, "{findings:?}");
    assert_eq!(find(&findings, "agent", "claude 2.1.329")["level"], "ok");
    assert_eq!(find(&findings, "agent", "codex 99.0.1")["level"], "warn");
    find(&findings, "agent", "older than any verified");
    find(&findings, "agent", "it did not end within");
    find(&findings, "agent", "broken");
}

/// With `PATH=node_modules/.bin:$PATH` a cloned repository's own `claude` was run for its version, before anybody agreed to it.
#[test]
fn what_lies_in_a_folder_that_counts_from_here_is_not_run() {
    let world = World::new();
    world.write(
        "work/near/claude",
        &format!("#!/bin/sh\ntouch {}\necho 2.1.329\n", world.path("ran").display()),
    );
    std::fs::set_permissions(world.path("work/near/claude"), std::fs::Permissions::from_mode(0o755)).unwrap();
    let done = finish(world.command().env("PATH", "near:/usr/bin:/bin").args(["doctor", "--json"]), b"");
    assert!(!world.path("ran").exists() && !done.out.contains("2.1.329"), "{}", done.out);
}

#[test]
fn agents_of_the_configuration_need_their_programs() {
    let world = World::new();
    world.script("claude", "echo 2.1.329");
    let text = "[[agent]]\nname = \"api\"\ncommand = [\"claude\"]\n[[agent]]\nname = \"web\"\ncommand = [\"no-such\"]\n";
    world.write("work/counsel.toml", text);
    let (_, findings) = report(&world);
    find(&findings, "config", "counsel.toml, 2 agents");
    let missing = find(&findings, "config", "web: there is no program no-such");
    assert_eq!(missing["level"], "warn");
    assert!(!findings.iter().any(|finding| finding["what"].as_str().unwrap().starts_with("api:")));
}

#[test]
fn a_server_is_described_and_agents_without_one_are_named() {
    let world = World::new();
    world.ok(&["start", "lonely", "--", "cat"]);
    let (code, findings) = report(&world);
    assert_eq!(code, 0);
    let server = find(&findings, "server", concat!("counsel ", env!("CARGO_PKG_VERSION")));
    find(&findings, "agents", "1 agent known to the server");
    let words = server["what"].as_str().unwrap();
    let pid: i32 = words.split("pid ").nth(1).unwrap().split(')').next().unwrap().parse().unwrap();
    kill(Pid::from_raw(pid), Signal::SIGKILL).unwrap();
    let (code, findings) = report(&world);
    assert_eq!(code, 0);
    find(&findings, "server", "none runs");
    let waiting = find(&findings, "agents", "without a server: lonely");
    assert!(waiting["level"] == "warn" && waiting["mend"].as_str().unwrap().contains("counsel ls"));
    // It is as the mend says.
    assert!(world.ok(&["ls"]).contains("lonely"));
}

#[test]
fn people_get_lines() {
    let world = World::new();
    let done = world.run(&["doctor"]);
    for line in done.out.lines() {
        let level = line.split("  ").next().unwrap();
        assert!(["ok", "warn", "fail"].contains(&level), "{line}");
    }
    assert!(done.out.contains("\nok    runtime folder: "), "{}", done.out);
}
