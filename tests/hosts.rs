//! One story, told on terminals of counsel's own and in tmux: the log says the same.
//!
//! Without tmux the test is ignored, with the reason; with CI=true it fails.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

#[path = "world/needs.rs"]
mod needs;
mod world;

use std::collections::BTreeSet;

use serde_json::{Value, json};
use world::{World, counsel};

/// What a program without a profile asks, for a person to answer in the pane.
const BY_HAND: &str = "Delete the old sessions? [y/N] ";

/// Workers with menus, ticks, a form, a text and a permission; who answers them; and one a person answers.
fn config(host: &str) -> String {
    let counsel = counsel().display();
    let agent = |name: &str, more: &str| {
        format!(
            "[[agent]]\nname = \"{name}\"\nhost = \"{host}\"\nprofile = \"demo\"\nsize = \"100x30\"\n\
             command = [\"{counsel}\", \"demo-agent\", \"{name}\"]\nenv = {{ COUNSEL_DEMO_HURRY = \"1\", COUNSEL_DEMO_ELSEWHERE = \"1\" }}\n{more}\n"
        )
    };
    let mut text = agent("advisor", "role = \"consultant\"");
    for name in ["api", "web", "docs"] {
        text.push_str(&agent(name, "consultant = \"advisor\""));
    }
    text.push_str(&format!(
        "[[agent]]\nname = \"person\"\nhost = \"{host}\"\nsize = \"100x30\"\n\
         command = [\"sh\", \"-c\", \"printf '{BY_HAND}'; read answer; test $answer = y\"]\n"
    ));
    text
}

/// Plays the person's part until every worker has ended; what the log says then, less times and ids.
fn told(host: &str) -> Vec<Value> {
    let world = World::new();
    world.write("work/counsel.toml", &config(host));
    world.ok(&["up", "-f", "counsel.toml"]);
    let mut events = world.follow(&["events", "--json"]);
    let mut running = BTreeSet::from(["api", "web", "docs", "person"]);
    let mut done: BTreeSet<String> = BTreeSet::new();
    while !running.is_empty() {
        let notice = world::json(&events.next());
        let (agent, question) = (&notice["agent"], &notice["question"]);
        if agent["state"] == "exited" {
            assert_eq!(agent["exit_code"], 0, "{host}: {agent}");
            running.remove(agent["name"].as_str().unwrap());
        }
        let for_a_person = question["status"] == "escalated" && question["route"] == "human";
        if for_a_person && done.insert(question["id"].to_string()) {
            let (id, name) = (question["id"].as_str().unwrap(), question["agent"].as_str().unwrap());
            if name == "person" {
                world.ok(&["send", name, "y", "--enter"]);
                continue;
            }
            assert_eq!((name, question["kind"].as_str()), ("api", Some("permission")), "{host}: {question}");
            world.ok(&["pause", name]);
            world.refused(&["answer", id, "Yes"], 4, "paused");
            world.ok(&["resume", name]);
            world.ok(&["answer", id, "Yes"]);
        }
    }
    let all = world.json(&["log", "--json"]);
    // The order among the agents is chance.
    let mut by_agent: Vec<Value> = Vec::new();
    for name in ["api", "web", "docs", "person"] {
        let own = all.iter().filter(|entry| entry["agent"] == name);
        by_agent.extend(own.map(|entry| {
            let same = [
                "agent", "kind", "prompt", "options", "subject", "answer", "by", "rule", "channel", "outcome",
            ];
            same.into_iter().map(|key| (key.to_owned(), entry[key].clone())).collect::<Value>()
        }));
    }
    assert_eq!(by_agent.len(), all.len());
    by_agent
}

fn the_log_does_not_tell_where_the_agents_ran() {
    let (pty, tmux) = (told("pty"), told("tmux"));
    let kinds: Vec<&str> = pty.iter().map(|entry| entry["kind"].as_str().unwrap()).collect();
    assert_eq!(
        kinds,
        ["menu", "permission", "menu", "multi", "review", "multi", "menu", "permission"],
        "{pty:#?}"
    );
    let outcomes: Vec<&Value> = pty.iter().map(|entry| &entry["outcome"]).collect();
    let expected: Vec<Value> = [[json!("answered")].as_slice(); 7].concat();
    assert_eq!(outcomes[..7], expected.iter().collect::<Vec<_>>(), "{pty:#?}");
    assert_eq!(outcomes[7], "withdrawn", "a person answered it in the pane");
    for (at, entry) in pty.iter().enumerate() {
        assert_eq!(Some(entry), tmux.get(at), "the log of the pty and that of tmux");
    }
    assert_eq!(pty.len(), tmux.len(), "{tmux:#?}");
}

fn main() {
    needs::run(&[(
        stringify!(the_log_does_not_tell_where_the_agents_ran),
        needs::tmux,
        the_log_does_not_tell_where_the_agents_ran,
    )]);
}
