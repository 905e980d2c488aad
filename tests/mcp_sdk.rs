//! `counsel mcp` and the official client of the Model Context Protocol, which checks every message against its schemas.
//! `tests/real/install.sh` installs it; without it, or without node, the test is ignored, with the reason.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

#[path = "world/needs.rs"]
mod needs;
mod world;

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};
use world::{World, counsel, finish};

/// Where the client is installed.
fn sdk() -> PathBuf {
    // Whatever the folder is called that is built in.
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().unwrap();
    target.join("agents/mcp-sdk-1.32.2")
}

fn missing() -> Option<needs::Missing> {
    let missing = |why| needs::Missing { why, installable: true };
    if !Command::new("node").arg("--version").output().is_ok_and(|said| said.status.success()) {
        return Some(missing("node is not installed".into()));
    }
    let there = sdk().join("node_modules/@modelcontextprotocol/sdk").is_dir();
    (!there).then(|| missing(format!("{} is not there; tests/real/install.sh installs it", sdk().display())))
}

fn the_protocols_own_client_is_content() {
    let world = World::new();
    // Beside its modules: that is where node looks for them.
    let script = sdk().join("client.mjs");
    std::fs::write(&script, include_str!("mcp_sdk/client.mjs")).unwrap();
    let done = finish(world.program("node").arg(&script).arg(counsel()), b"");
    assert_eq!(done.code, 0, "{done:?}");
    let said: Vec<Value> = done.out.lines().map(world::json).collect();
    assert_eq!(said[0], json!({ "server": "counsel" }));
    assert_eq!(said[1]["described"], true, "{}", said[1]);
    assert_eq!(said[2], json!({ "read": true }));
    assert_eq!(said[3], json!({ "code": 3, "text": "over\n", "progressed": true }));
    assert_eq!(said[4]["refused"], true, "{}", said[4]);
    assert_eq!(said[5], json!({ "left": 0 }));
}

fn main() {
    needs::run(&[(
        stringify!(the_protocols_own_client_is_content),
        missing,
        the_protocols_own_client_is_content,
    )]);
}
