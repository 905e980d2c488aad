//! What an agent prints, is called and asks, shown by every verb that shows it: nothing in it acts on a terminal, turns
//! words around or hides among them.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]
#![cfg(target_os = "linux")]

mod world;

use std::time::Instant;

use world::{DEADLINE, World, finish};

/// Turned around, of no width, tags that models read and people do not see, a mark of the text's direction.
const WORDS: &str = "a\u{202e}b\u{200b}c\u{e0041}\u{e0042}d\u{2066}e\u{feff}f";

/// Titles itself, says a line, asks.
fn agent() -> String {
    format!(
        "printf '\\033]0;title {WORDS}\\007'; printf 'said {WORDS}\\033[31m red\\n'; printf 'Deploy {WORDS}? [y/N] '; read a; cat"
    )
}

/// What acts on a terminal or is not seen on one.
fn acts(ch: char) -> bool {
    (ch.is_control() && ch != '\n')
        || matches!(ch, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{e0000}'..='\u{e007f}')
}

fn is_clean(args: &[&str], text: &str) {
    if let Some(at) = text.find(acts) {
        let ch = text[at..].chars().next().unwrap();
        panic!("{args:?} shows {ch:?} in {text:?}");
    }
}

fn asked(world: &World) {
    let until = Instant::now() + DEADLINE;
    while world.json(&["questions", "--json"]).is_empty() {
        assert!(Instant::now() < until, "{}", world.ok(&["explain", "a"]));
    }
}

#[test]
fn no_verb_shows_what_acts_or_is_not_seen() {
    let world = World::new();
    let called = world.path("called");
    world.write(
        "home/.config/counsel/config.toml",
        &format!(
            "[notify]\ncommand = [\"sh\", \"-c\", \"cat >{c}.new; mv {c}.new {c}\"]\n",
            c = called.display()
        ),
    );
    for words in [&["init", "-q"][..], &["commit", "-q", "--allow-empty", "-m", "one"]] {
        let mut git = world.program("git");
        git.args(["-c", "user.name=a", "-c", "user.email=a@localhost"]);
        assert_eq!(finish(git.args(words), b"").code, 0);
    }
    let mut events = [world.follow(&["events"]), world.follow(&["events", "--json"])];
    world.ok(&["start", "a", "--", "sh", "-c", &agent()]);
    world.write(&format!("work/file {WORDS}"), WORDS);
    asked(&world);
    for (one, args) in events.iter_mut().zip([&["events"][..], &["events", "--json"]]) {
        is_clean(args, &one.until(|line| line.contains("Deploy")));
    }
    let until = Instant::now() + DEADLINE;
    while !called.exists() {
        assert!(Instant::now() < until, "nobody was called");
        std::thread::yield_now();
    }
    is_clean(&["notify"], &std::fs::read_to_string(&called).unwrap());
    world.ok(&["answer", "q1", "--reject"]);
    let shown: &[&[&str]] = &[
        &["ls"],
        &["ls", "--json"],
        &["questions", "--all"],
        &["questions", "--all", "--json"],
        &["explain", "a"],
        &["log"],
        &["log", "--json"],
        &["log", "q1", "--replay"],
        &["log", "q1", "--replay", "--json"],
        &["read", "a"],
        &["read", "a", "--tail", "5"],
        &["read", "a", "--screen"],
        &["read", "a", "--json"],
        &["search", "Deploy"],
        &["search", "Deploy", "--json"],
        &["search", "said"],
        &["diff", "a", "--stat"],
        &["diff", "a", "--json"],
        &["server", "log"],
        &["server", "log", "--json"],
    ];
    for args in shown {
        let done = world.run(args);
        assert_eq!(done.code, 0, "{args:?}: {done:?}");
        is_clean(args, &done.out);
        is_clean(args, &done.err);
    }
    for args in [&["log"][..], &["read", "a"]] {
        assert!(world.ok(args).contains("\\u{202e}"), "{args:?}: it is shown as what it is");
    }
}
