//! Consultants that are commands, from the question of a program on a terminal to the key it gets, and the
//! command that calls a person: with replies and ends of every kind.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod world;

use serde_json::Value;
use world::World;

/// Asks once, and ends with what it was told.
const ASKS: &str = "printf 'Use tabs? [y/n] '; read answer; echo \"told $answer\"";

/// A world where this script answers the questions of `asker`.
fn with_consultant(script: &str, more: &str) -> World {
    let world = World::new();
    let path = world.script("advise", script);
    let config = format!(
        "[consult]\ndeadline_secs = 20\n{more}\n[[consultant]]\nname = \"adviser\"\ncommand = [\"{}\"]\n",
        path.display()
    );
    world.write("home/.config/counsel/config.toml", &config);
    world
}

/// The asker's question, once it is settled or a person's.
fn ended(world: &World) -> Value {
    let mut events = world.follow(&["events", "--json"]);
    world.ok(&["start", "asker", "--consultant", "adviser", "--", "sh", "-c", ASKS]);
    loop {
        let notice = world::json(&events.next());
        let question = &notice["question"];
        if ["answered", "escalated"].iter().any(|status| question["status"] == *status) {
            return question.clone();
        }
    }
}

#[test]
fn a_program_reads_json_and_its_reply_is_the_end_of_what_it_prints() {
    let script = r#"json=$(sed -n 's/^| {/{/p')
case "$json" in *'"agent":"asker"'*'"kind":"yesno"'*'{"number":2,"label":"n"'*) ;; *) exit 9;; esac
head -c 3000000 /dev/zero | tr '\0' 'x'
echo '{"choice": 2, "reason": "it says so"}'"#;
    let world = with_consultant(script, "");
    let question = ended(&world);
    assert_eq!((&question["status"], &question["answer"]), (&"answered".into(), &"n".into()), "{question}");
    world.ok(&["wait", "asker", "--for", "exited", "--timeout", "20"]);
    assert!(world.ok(&["read", "asker"]).contains("told n"));
    let id = question["id"].as_str().unwrap();
    let shown = world.ok(&["log", id]);
    for words in ["n  (by consultant adviser, keys, ", "reason: it says so", "proof: "] {
        assert!(shown.contains(words), "{words}: {shown}");
    }
    world.refused(&["log", "q99"], 3, "could not show q99: it is not in the log");
    world.refused(&["answer", "q99", "n"], 3, "there is no question 'q99'");
}

#[test]
fn a_command_that_fails_has_answered_nothing_and_its_complaint_is_told() {
    let reply = r#"echo '{"choice": 1}'"#;
    for (end, note) in [
        (
            "echo 'wait'>&2; echo 'the key has expired' >&2; exit 7",
            "it failed with code 7: the key has expired",
        ),
        ("kill -9 $$", "it was ended by signal 9"),
    ] {
        let world = with_consultant(&format!("cat > /dev/null; {reply}; {end}"), "");
        let question = ended(&world);
        assert_eq!(question["status"], "escalated", "{question}");
        assert_eq!(question["note"], format!("adviser: {note}"), "{question}");
        world.refused(&["answer", question["id"].as_str().unwrap(), "maybe"], 2, "could not answer ");
    }
}

#[test]
fn whoever_is_attached_is_told_that_the_calling_command_fails() {
    let world = with_consultant("echo '{\"escalate\": \"costs money\"}'", "[notify]\ncommand = [\"false\"]");
    let mut events = world.follow(&["events", "--json"]);
    ended(&world);
    let told = events.until(|line| line.contains("the [notify] command did not call you"));
    assert!(told.contains("it failed with code 1"), "{told}");
}

/// The command that calls a person ran in the server's folder, which is the root of the file system: `./call-me` of a
/// project was never found.
#[test]
fn the_calling_command_runs_in_the_folder_of_the_agent_that_asks() {
    let world = with_consultant(
        "echo '{\"escalate\": \"costs money\"}'",
        "[notify]\ncommand = [\"sh\", \"-c\", \"pwd > called.new; mv called.new called\"]",
    );
    ended(&world);
    let until = std::time::Instant::now() + world::DEADLINE;
    let called = world.path("work/called");
    while !called.exists() {
        assert!(std::time::Instant::now() < until, "nobody was called in the agent's folder");
        std::thread::yield_now();
    }
    let folder = std::fs::canonicalize(world.path("work")).unwrap();
    assert_eq!(std::fs::read_to_string(called).unwrap().trim(), folder.to_str().unwrap());
}

/// As `with_consultant`, over the Agent Client Protocol.
fn with_acp(script: &str, more: &str) -> World {
    let world = with_consultant("exit 9", "");
    let path = world.script("agent", script);
    let config = format!(
        "[consult]\ndeadline_secs = 20\n[[consultant]]\nname = \"adviser\"\nacp = [\"{}\"]\n{more}\n",
        path.display()
    );
    world.write("home/.config/counsel/config.toml", &config);
    world
}

/// The beginning of a conversation, as an agent has it; `$prompt` is what it was asked.
const BEGINS: &str = r#"read -r line; case $line in *'"method":"initialize"'*) ;; *) exit 3;; esac
echo 'a line that is no message'; echo '{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1}}'
read -r line; case $line in *'"method":"session/new"'*'"cwd":"'"$PWD"'"'*) ;; *) exit 4;; esac
echo '{"jsonrpc":"2.0","id":1,"result":{"sessionId":"s"}}'
read -r prompt; case $prompt in *'"method":"session/prompt"'*'Use tabs?'*) ;; *) exit 5;; esac
say() { printf '{"method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"%s"}}}}\n' "$1"; }
"#;

#[test]
fn a_consultant_that_speaks_acp_is_asked_as_data_and_may_do_nothing() {
    let script = format!(
        r#"{BEGINS}
echo '{{"id":9,"method":"session/request_permission","params":{{"sessionId":"s","options":[{{"optionId":"a","kind":"allow_once"}},{{"optionId":"r","kind":"reject_once"}}]}}}}'
read -r line; case $line in *'"optionId":"r"'*) ;; *) exit 6;; esac
echo '{{"id":10,"method":"fs/read_text_file","params":{{"sessionId":"s","path":"/etc/passwd"}}}}'
read -r line; case $line in *'"error"'*) ;; *) exit 7;; esac
say 'I would not. {{\"cho'; say 'ice\": 2}}'
echo '{{"jsonrpc":"2.0","id":2,"result":{{"stopReason":"end_turn"}}}}'
exec sleep 1000"#
    );
    let world = with_acp(&script, "");
    let question = ended(&world);
    assert_eq!((&question["status"], &question["answer"]), (&"answered".into(), &"n".into()), "{question}");
    world.ok(&["wait", "asker", "--for", "exited", "--timeout", "20"]);
    assert!(world.ok(&["read", "asker"]).contains("told n"));
}

#[test]
fn an_acp_agent_that_gives_up_refuses_or_is_not_there_has_answered_nothing() {
    for (end, note) in [
        (
            "echo 'the key has expired' >&2; exit 7",
            "it failed with code 7 before it had answered: the key has expired",
        ),
        ("exit 0", "it ended before it had answered"),
        (
            "echo '{\"id\":2,\"error\":{\"code\":-32000,\"message\":\"Authentication required\"}}'; exec sleep 1000",
            "it wants a login; start it by hand once",
        ),
        (
            "say '{\\\"choice\\\": 1}'; echo '{\"id\":2,\"result\":{\"stopReason\":\"refusal\"}}'; exec sleep 1000",
            "it stopped before its end (refusal)",
        ),
    ] {
        let question = ended(&with_acp(&format!("{BEGINS}{end}"), ""));
        assert_eq!(question["status"], "escalated", "{question}");
        assert_eq!(question["note"], format!("adviser: {note}"), "{question}");
    }
}

#[test]
fn an_acp_agent_that_is_silent_ends_with_its_turn_and_with_all_it_started() {
    let script = format!("{BEGINS}sleep 1000 & echo $! > child.new; mv child.new child; exec sleep 1000");
    let world = with_acp(&script, "secs = 2");
    let question = ended(&world);
    assert_eq!(question["status"], "escalated", "{question}");
    // The hub and whoever runs it keep the same time, and either may be first to say so.
    assert!(
        question["note"].as_str().is_some_and(|note| note.ends_with("did not answer within 2 s")),
        "{question}"
    );
    let child = std::fs::read_to_string(world.path("work/child")).unwrap();
    let child = std::path::PathBuf::from(format!("/proc/{}", child.trim()));
    let until = std::time::Instant::now() + world::DEADLINE;
    while child.exists() {
        assert!(std::time::Instant::now() < until, "what it started goes on");
        std::thread::yield_now();
    }
}

/// The words were typed on the line below the question, taken for a question themselves, and never sent.
#[test]
fn an_answer_below_its_question_is_sent_once() {
    let world = World::new();
    let mut events = world.follow(&["events", "--json"]);
    let script = "echo 'Which name do you want?'; read -r answer; echo \"told $answer.\"";
    world.ok(&["start", "asker", "--", "sh", "-c", script]);
    let asked = events.until(|line| line.contains("\"escalated\""));
    let id = world::json(&asked)["question"]["id"].as_str().unwrap().to_owned();
    world.ok(&["answer", &id, "--text", "bobby"]);
    world.ok(&["wait", "asker", "--for", "exited", "--timeout", "20"]);
    assert!(world.ok(&["read", "asker"]).contains("told bobby."));
    assert!(world.ok(&["log", &id]).contains("bobby"));
}
