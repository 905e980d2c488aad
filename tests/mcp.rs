//! `counsel mcp`: a scripted session of JSON-RPC on its stdin and stdout, as an agent program would speak it.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod world;

use std::process::Command;

use serde_json::{Value, json};
use world::{Lines, World};

/// One session, greeted.
struct Session {
    lines: Lines,
    last_id: u64,
}

impl Session {
    fn open(command: &mut Command) -> Session {
        let mut session = Session { lines: Lines::of(command.arg("mcp")), last_id: 0 };
        let client = json!({ "name": "test", "version": "1" });
        let hello = json!({ "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client });
        let answer = session.request("initialize", hello);
        assert_eq!(answer["result"]["serverInfo"]["name"], "counsel", "{answer}");
        assert_eq!(answer["result"]["protocolVersion"], "2025-06-18", "{answer}");
        assert!(answer["result"]["capabilities"]["tools"].is_object(), "{answer}");
        session.notify("notifications/initialized", json!({}));
        session
    }

    fn notify(&mut self, method: &str, params: Value) {
        self.lines.say(&json!({ "jsonrpc": "2.0", "method": method, "params": params }).to_string());
    }

    /// Sends; the answer is still to be waited for.
    fn send(&mut self, method: &str, params: Value) -> u64 {
        self.last_id += 1;
        let id = self.last_id;
        self.lines
            .say(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }).to_string());
        id
    }

    fn answer(&mut self, id: u64) -> Value {
        let line = self.lines.until(|line| world::json(line)["id"] == id);
        world::json(&line)
    }

    /// The answers to these, in whatever order they come.
    fn answers(&mut self, ids: &[u64]) -> Vec<Value> {
        let mut left = ids.to_vec();
        let mut answers = Vec::new();
        while !left.is_empty() {
            let answer = world::json(&self.lines.next());
            left.retain(|id| answer["id"] != *id);
            answers.push(answer);
        }
        answers
    }

    fn request(&mut self, method: &str, params: Value) -> Value {
        let id = self.send(method, params);
        self.answer(id)
    }

    /// What a tool gives back.
    fn call(&mut self, tool: &str, arguments: Value) -> Value {
        let answer = self.request("tools/call", json!({ "name": tool, "arguments": arguments }));
        assert_eq!(answer["result"]["isError"], false, "{tool}: {answer}");
        let text = answer["result"]["content"][0]["text"].as_str().unwrap();
        assert_eq!(world::json(text), answer["result"]["structuredContent"]);
        answer["result"]["structuredContent"].clone()
    }

    /// Why a tool did not do it.
    fn refused(&mut self, tool: &str, arguments: Value) -> String {
        let answer = self.request("tools/call", json!({ "name": tool, "arguments": arguments }));
        assert_eq!(answer["result"]["isError"], true, "{tool}: {answer}");
        answer["result"]["content"][0]["text"].as_str().unwrap().to_owned()
    }
}

/// A session of an agent's own process: with its token, and the socket it was given.
fn of_agent(world: &World, name: &str) -> Session {
    let agents = world.json(&["ls", "--json"]);
    let agent = agents.iter().find(|agent| agent["name"] == name).unwrap();
    let environ = std::fs::read(format!("/proc/{}/environ", agent["pid"])).unwrap();
    let environ = String::from_utf8(environ).unwrap();
    let own =
        environ.split('\0').filter_map(|pair| pair.split_once('=')).filter(|(k, _)| k.starts_with("COUNSEL"));
    let mut command = world.command();
    command.env_remove("COUNSEL_RUNTIME_DIR").envs(own);
    Session::open(&mut command)
}

/// A worker with a consultant that is a command.
fn team(world: &World, consultant: &str) {
    let text = format!(
        "[[agent]]\nname = \"api\"\ncommand = [\"cat\"]\nconsultant = \"oracle\"\n\
         [[consultant]]\nname = \"oracle\"\ncommand = [\"sh\", \"-c\", '''{consultant}''']\n"
    );
    world.write("work/counsel.toml", &text);
    world.ok(&["up", "-f", "counsel.toml"]);
}

#[test]
fn the_tools_do_what_the_verbs_do() {
    let world = World::new();
    let mut session = Session::open(&mut world.command());
    let listed = session.request("tools/list", json!({}));
    let names: Vec<&str> = listed["result"]["tools"]
        .as_array()
        .unwrap()
        .iter()
        .map(|tool| tool["name"].as_str().unwrap())
        .collect();
    let all = ["pty_start", "pty_exec", "pty_read", "pty_send", "pty_list", "pty_stop", "ask_counsel"];
    assert_eq!(names, all);
    for tool in listed["result"]["tools"].as_array().unwrap() {
        assert!(tool["annotations"]["readOnlyHint"].is_boolean(), "{tool}");
        assert_eq!(tool["outputSchema"]["type"], "object", "{tool}");
    }
    assert_eq!(session.call("pty_list", json!({})), json!({ "agents": [] }));
    let started = json!({
        "name": "echo", "command": ["sh", "-c"], "args": ["echo $WORD; cat"], "env": { "WORD": "ready" },
        "title": "the echo",
    });
    let started = session.call("pty_start", started);
    assert!(started["pid"].is_u64(), "{started}");
    let read = session.call("pty_read", json!({ "name": "echo", "since": 0, "wait_ms": 30_000 }));
    assert!(read["text"].as_str().unwrap().contains("ready"), "{read}");
    session.call("pty_send", json!({ "name": "echo", "text": "hello there", "enter": true }));
    let mut cursor = read["cursor"].clone();
    let mut text = String::new();
    while !text.contains("hello there") {
        let more = session.call("pty_read", json!({ "name": "echo", "since": cursor, "wait_ms": 30_000 }));
        assert_ne!(more["cursor"], cursor, "it did not come: {text:?}");
        cursor = more["cursor"].clone();
        text.push_str(more["text"].as_str().unwrap());
    }
    let agents = session.call("pty_list", json!({}));
    let agent = &agents["agents"][0];
    assert_eq!((&agent["name"], &agent["title"]), (&json!("echo"), &json!("the echo")));
    assert!(agent["since"].as_u64().is_some_and(|ms| ms > 1_700_000_000_000), "{agent}");
    assert_eq!(
        (agent.get("branch"), agent.get("dirty")),
        (Some(&Value::Null), Some(&Value::Null)),
        "{agent}"
    );
    let done = session.call("pty_exec", json!({ "command": ["sh", "-c", "echo out; exit 3"] }));
    assert_eq!((&done["exit_code"], &done["timed_out"]), (&json!(3), &json!(false)));
    assert_eq!(done["text"], "out\n");
    let late = session.call("pty_exec", json!({ "command": ["cat"], "timeout_secs": 0, "name": "late" }));
    assert_eq!(
        (&late["exit_code"], &late["timed_out"], &late["name"]),
        (&Value::Null, &json!(true), &json!("late"))
    );
    let (name, _) = (
        &late["name"],
        session.call("pty_send", json!({ "name": "late", "text": "x\\r\\x04", "escapes": true })),
    );
    assert_eq!(name, "late");
    // The escapes were keys: `cat` has had its line and its end.
    let mut read = json!({ "cursor": 0 });
    while read["exit_code"] != json!(0) {
        let since = json!({ "name": "late", "since": read["cursor"], "wait_ms": 20_000 });
        let more = session.call("pty_read", since);
        assert!(more["cursor"] != read["cursor"] || more["exit_code"].is_u64(), "it goes on: {more}");
        read = more;
    }
    let read = session.call("pty_read", json!({ "name": "late" }));
    assert_eq!(read["text"].as_str().unwrap().trim_end(), "x\nx", "{read}");
    for name in ["echo", "late"] {
        session.call("pty_stop", json!({ "name": name, "grace_secs": 0 }));
    }
    assert_eq!(session.call("pty_list", json!({})), json!({ "agents": [] }));
    assert_eq!(session.lines.end(), Some(0));
}

/// Two calls whose time was up got the same name for the programs they left running, and the second failed.
#[test]
fn calls_side_by_side_get_names_of_their_own() {
    let world = World::new();
    let mut session = Session::open(&mut world.command());
    let late = json!({ "name": "pty_exec", "arguments": { "command": ["cat"], "timeout_secs": 0.2 } });
    let calls: Vec<u64> = (0..8).map(|_| session.send("tools/call", late.clone())).collect();
    let mut answers = session.answers(&calls);
    // And one after another.
    answers.extend((0..4).map(|_| session.request("tools/call", late.clone())));
    let mut names: Vec<String> = answers
        .iter()
        .map(|answer| {
            assert_eq!(answer["result"]["structuredContent"]["timed_out"], true, "{answer}");
            answer["result"]["structuredContent"]["name"].as_str().unwrap().to_owned()
        })
        .collect();
    names.sort();
    names.dedup();
    assert_eq!(names.len(), 12, "{names:?}");
    assert_eq!(world.json(&["ls", "--json"]).len(), 12);
}

#[test]
fn a_call_tells_that_it_goes_on_and_ends_its_program_when_it_is_given_up() {
    let world = World::new();
    let mut session = Session::open(&mut world.command());
    let call = json!({
        "name": "pty_exec", "arguments": { "command": ["sleep", "1000"], "name": "long" },
        "_meta": { "progressToken": "mine" },
    });
    let id = session.send("tools/call", call);
    let told = session.lines.until(|line| line.contains("notifications/progress"));
    let told = world::json(&told);
    assert_eq!(told["params"]["progressToken"], "mine", "{told}");
    assert!(told["params"]["progress"].as_u64().is_some_and(|secs| secs > 0), "{told}");
    assert_eq!(world.json(&["ls", "--json"])[0]["name"], "long");
    session.notify("notifications/cancelled", json!({ "requestId": id }));
    // Ended and taken off the list, possibly before anybody could wait for it.
    world.until_gone("long");
    // What was given up is answered by nobody; the next answer is another's.
    let ping = session.request("ping", json!({}));
    assert_eq!(ping["result"], json!({}));
    // A client that hangs up has given up all of its calls.
    let call = json!({ "command": ["sleep", "1000"], "name": "other" });
    session.send("tools/call", json!({ "name": "pty_exec", "arguments": call }));
    world.until_listed("other");
    assert_eq!(session.lines.end(), Some(0));
    assert!(world.json(&["ls", "--json"]).iter().all(|agent| agent["name"] != "other"));
}

#[test]
fn what_is_no_message_is_refused_as_the_protocol_says() {
    let world = World::new();
    let mut session = Session::open(&mut world.command());
    session.lines.say("{");
    let answer = world::json(&session.lines.next());
    assert_eq!((&answer["error"]["code"], &answer["id"]), (&json!(-32700), &Value::Null));
    assert_eq!(session.request("resources/list", json!({}))["error"]["code"], -32601);
    let listed = session.request("tools/list", json!({}));
    for tool in listed["result"]["tools"].as_array().unwrap() {
        assert!(tool["annotations"]["readOnlyHint"].is_boolean(), "{tool}");
        assert_eq!(tool["outputSchema"]["type"], "object", "{tool}");
        assert!(tool["title"].is_string(), "{tool}");
    }
}

/// A byte that is no text ended the session, and the calls that were going on with it.
#[test]
fn a_line_that_is_no_text_is_refused_and_the_session_goes_on() {
    let world = World::new();
    let mut session = Session::open(&mut world.command());
    session.lines.say_bytes(b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\xff\"}\n");
    let answer = world::json(&session.lines.next());
    assert_eq!((&answer["error"]["code"], &answer["id"]), (&json!(-32700), &Value::Null));
    assert_eq!(session.request("ping", json!({}))["result"], json!({}));
}

/// The call failed, and its program ran on under a name that nobody was told.
#[test]
fn a_program_is_followed_to_its_end_under_the_next_server() {
    let world = World::new();
    let mut session = Session::open(&mut world.command());
    let script = "echo begun; until test -e go; do sleep 0.05; done; echo ended; exit 7";
    let call = json!({ "name": "pty_exec", "arguments": { "command": ["sh", "-c", script], "name": "it" } });
    let id = session.send("tools/call", call);
    world.until_listed("it");
    world.ok(&["server", "restart"]);
    world.write("work/go", "");
    let answer = session.answer(id);
    let done = &answer["result"]["structuredContent"];
    assert_eq!((&done["exit_code"], &done["text"]), (&json!(7), &json!("begun\nended\n")), "{answer}");
    assert!(world.json(&["ls", "--json"]).is_empty(), "it is off the list");
}

#[test]
fn the_tools_are_entered_by_the_programs_own_command() {
    let world = World::new();
    let counsel = world::counsel().display().to_string();
    for (program, words) in [
        ("claude", format!("mcp add --scope user counsel -- {counsel} mcp")),
        ("codex", format!("mcp add counsel -- {counsel} mcp")),
        ("gemini", format!("mcp add --scope user counsel {counsel} mcp")),
    ] {
        world.script(program, "echo \"$@\" > told");
        let mut command = world.command();
        command.env("PATH", format!("{}:/usr/bin:/bin", world.path("bin").display()));
        let done = world::finish(command.args(["mcp", "--install", program, "--json"]), b"");
        assert_eq!(done.code, 0, "{done:?}");
        assert_eq!(world::json(done.out.trim())["program"], program);
        assert_eq!(std::fs::read_to_string(world.path("work/told")).unwrap().trim(), words);
    }
    world.refused(&["mcp", "--install", "emacs"], 2, "possible values: claude, codex, gemini");
    world.script("claude", "echo 'MCP server counsel already exists' >&2; exit 1");
    let mut command = world.command();
    command.env("PATH", world.path("bin"));
    let done = world::finish(command.args(["mcp", "--install", "claude"]), b"");
    assert_eq!((done.code, done.err.contains("already exists")), (1, true), "{done:?}");
}

#[test]
fn what_cannot_be_done_is_said_to_the_model() {
    let world = World::new();
    world.write("home/.config/counsel/config.toml", "[permissions]\nterminal_start = \"deny\"\n");
    let mut session = Session::open(&mut world.command());
    let said = session.refused("pty_read", json!({ "name": "nobody" }));
    assert!(said.contains("could not read it: there is no agent 'nobody'"), "{said}");
    let said = session.refused("pty_start", json!({ "name": "a", "command": ["cat"] }));
    assert!(said.contains("terminal_start is \"deny\""), "{said}");
    let said = session.refused("pty_send", json!({ "name": "a", "txt": "x" }));
    assert!(said.contains("txt is not known here; it takes name, text"), "{said}");
    for (tool, arguments, words) in [
        (
            "pty_exec",
            json!({ "command": ["true"], "timeout_secs": 301 }),
            "timeout_secs is 0 to 300, not 301",
        ),
        ("pty_read", json!({ "name": "a", "wait_ms": 30_001 }), "wait_ms is 0 to 30000, not 30001"),
        ("pty_stop", json!({ "name": "a", "grace_secs": -1 }), "grace_secs is 0 to 300, not -1"),
        ("pty_send", json!({ "name": "a", "text": "\\q", "escapes": true }), "is no escape"),
        ("pty_start", json!({ "name": "B", "command": ["cat"] }), "is not a name"),
        ("pty_start", json!({ "name": "b", "command": ["cat"], "size": "1x1" }), "size: 1x1 is out of range"),
        (
            "pty_exec",
            json!({ "command": ["true"], "env": { "A=": "b" } }),
            "'A=' is no name of a variable; it may not be empty or hold '='",
        ),
        ("pty_read", json!({ "name": "a", "tail": -1 }), "tail is a whole number, not below 0, not -1"),
    ] {
        let said = session.refused(tool, arguments);
        assert!(said.contains(words), "{said}");
    }
    let unknown = session.request("tools/call", json!({ "name": "pty_fly", "arguments": {} }));
    assert_eq!(unknown["error"]["code"], -32602, "{unknown}");
}

#[test]
fn an_agent_asks_its_consultant_and_may_do_nothing_else() {
    let world = World::new();
    team(&world, "cat > prompt; echo '{\"choice\": 2, \"reason\": \"it is small\"}'");
    let mut session = of_agent(&world, "api");
    let question =
        json!({ "question": "Which store?", "options": ["PostgreSQL", "SQLite"], "context": "forty rows" });
    let answer = session.call("ask_counsel", question);
    assert_eq!((&answer["answer"], &answer["by"]), (&json!("SQLite"), &json!("consultant oracle")));
    assert_eq!(answer["reason"], "it is small");
    let prompt = std::fs::read_to_string(world.path("work/prompt")).unwrap();
    assert!(prompt.contains("Which store?") && prompt.contains("forty rows"), "{prompt}");
    let questions = world.json(&["questions", "--all", "--json"]);
    assert_eq!((&questions[0]["status"], &questions[0]["sources"]), (&json!("answered"), &json!(["mcp"])));
    for (tool, arguments) in [
        ("pty_send", json!({ "name": "api", "text": "y", "enter": true })),
        ("pty_start", json!({ "name": "more", "command": ["cat"] })),
        ("pty_exec", json!({ "command": ["true"] })),
        ("pty_stop", json!({ "name": "api" })),
        ("pty_read", json!({ "name": "api" })),
    ] {
        let said = session.refused(tool, arguments);
        assert!(said.contains("an agent may not do this"), "{tool}: {said}");
    }
    assert_eq!(session.call("pty_list", json!({}))["agents"][0]["name"], "api");
    let log = world.json(&["log", "--json"]);
    assert_eq!((log.len(), &log[0]["channel"], &log[0]["answer"]), (1, &json!("mcp"), &json!("SQLite")));
}

/// `ask` was taken for `deny`, and nobody was asked.
#[test]
fn what_permissions_ask_for_a_person_is_asked() {
    let world = World::new();
    world.write(
        "home/.config/counsel/config.toml",
        "[permissions]\nterminal_start = \"ask\"\nterminal_stop = \"ask\"\n[[rule]]\nthen = \"answer\"\nanswer = \"Yes\"\n",
    );
    world.ok(&["start", "first", "--", "cat"]);
    let mut events = world.follow(&["events", "--json"]);
    let mut session = Session::open(&mut world.command());
    let mut answered = |tool: &str, arguments: Value, words: &str, answer: &str| {
        let call = session.send("tools/call", json!({ "name": tool, "arguments": arguments }));
        let asked = world::json(&events.until(|line| line.contains(words) && line.contains("\"escalated\"")));
        let question = &asked["question"];
        assert_eq!((&question["kind"], &question["route"]), (&json!("permission"), &json!("human")));
        let id = question["id"].as_str().unwrap();
        world.refused(&["consult", id], 4, "a person's to answer");
        world.ok(&["answer", id, answer]);
        let log = world.json(&["log", "--json"]);
        let entry = log.iter().find(|entry| entry["id"] == id).unwrap();
        assert_eq!((&entry["by"], &entry["answer"]), (&json!("person"), &json!(answer)), "{entry}");
        session.answer(call)["result"].clone()
    };
    // Two commands were shown as one, and neither variables nor what is typed at once were.
    let more = json!({
        "name": "a", "command": ["sh", "-c", "echo ok\nrm -rf data"], "env": { "PATH": "./bin" }, "prompt": "go on",
    });
    let words = r"echo ok\\u{a}rm -rf data' in ";
    let done = answered("pty_start", more.clone(), words, "No");
    assert_eq!(done["isError"], true, "{done}");
    let done = answered("pty_start", more, "with PATH=./bin, typing 'go on' first?", "No");
    assert_eq!(done["isError"], true, "{done}");
    let cat = json!({ "name": "a", "command": ["cat"] });
    let done = answered("pty_start", cat.clone(), "May a program start cat in ", "No");
    assert_eq!(done["isError"], true, "{done}");
    assert!(done["content"][0]["text"].as_str().unwrap().contains("a person said no"), "{done}");
    let done = answered("pty_start", cat, "May a program start cat in ", "Yes");
    assert_eq!(done["isError"], false, "{done}");
    let done = answered("pty_stop", json!({ "name": "a" }), "May a program stop the agent a?", "Yes");
    assert_eq!(done["structuredContent"]["stopped"], true, "{done}");
    // Whoever gives the call up leaves no question.
    let call = session.send("tools/call", json!({ "name": "pty_stop", "arguments": { "name": "first" } }));
    events.until(|line| line.contains("stop the agent first") && line.contains("\"escalated\""));
    session.notify("notifications/cancelled", json!({ "requestId": call }));
    events.until(|line| line.contains("stop the agent first") && line.contains("\"withdrawn\""));
    assert_eq!(world.json(&["ls", "--json"])[0]["name"], "first");
}

/// It was refused ("no server runs", "nobody else has a consultant"), and a person's own Claude had nobody to ask.
#[test]
fn a_program_that_is_no_agent_asks_a_person() {
    let world = World::new();
    world.ok(&["start", "first", "--", "cat"]);
    let mut events = world.follow(&["events", "--json"]);
    let mut session = Session::open(&mut world.command());
    let asked =
        json!({ "question": "Keep the server?", "options": ["Stop it", "Keep it"], "wait_secs": 600 });
    let call = session.send("tools/call", json!({ "name": "ask_counsel", "arguments": asked }));
    let told = world::json(&events.until(|line| line.contains("Keep the server?")));
    let question = &told["question"];
    assert_eq!((&question["kind"], &question["status"]), (&json!("menu"), &json!("escalated")), "{question}");
    assert_eq!((&question["agent"], &question["route"]), (&json!("(mcp)"), &json!("human")), "{question}");
    let id = question["id"].as_str().unwrap();
    world.refused(&["consult", id], 4, "has no consultant");
    world.refused(&["answer", id, "Sell it"], 2, "could not answer");
    world.ok(&["answer", id, "Stop it"]);
    let answer = session.answer(call)["result"]["structuredContent"].clone();
    assert_eq!((&answer["answer"], &answer["by"]), (&json!("Stop it"), &json!("person")), "{answer}");
    let log = world.json(&["log", "--json"]);
    assert_eq!((&log[0]["channel"], &log[0]["answer"]), (&json!("mcp"), &json!("Stop it")), "{log:?}");
    // Words, and a time of its own that is up.
    let answer = session.call("ask_counsel", json!({ "question": "Which colour?", "wait_secs": 0 }));
    assert_eq!((&answer["answered"], &answer["by"]), (&json!(false), &json!("none")), "{answer}");
    // Whoever gives the call up leaves no question; more than a few at a time are none.
    let words = json!({ "question": "Which shape?", "wait_secs": 600 });
    let calls: Vec<u64> = (0..4)
        .map(|_| session.send("tools/call", json!({ "name": "ask_counsel", "arguments": words })))
        .collect();
    for _ in &calls {
        events.until(|line| line.contains("Which shape?") && line.contains("\"escalated\""));
    }
    let said = session.refused("ask_counsel", words);
    assert!(said.contains("4 questions of programs that are no agents wait"), "{said}");
    for call in &calls {
        session.notify("notifications/cancelled", json!({ "requestId": call }));
    }
    for _ in &calls {
        events.until(|line| line.contains("Which shape?") && line.contains("\"withdrawn\""));
    }
}

/// A restart of the server took the question along: it was in no log, the tool failed, and its number went to the next
/// question, which an answer meant for the first one then answered.
#[test]
fn a_question_in_words_is_put_again_to_the_next_server() {
    let world = World::new();
    world.ok(&["start", "first", "--", "cat"]);
    let mut session = Session::open(&mut world.command());
    let asked = json!({ "question": "Keep the data?", "options": ["yes", "no"], "wait_secs": 600 });
    let call = session.send("tools/call", json!({ "name": "ask_counsel", "arguments": asked }));
    let until = std::time::Instant::now() + world::DEADLINE;
    let other_than = |known: Option<&str>| loop {
        let open = world.json(&["questions", "--json"]);
        let id = open.iter().map(|question| question["id"].as_str().unwrap()).find(|id| Some(*id) != known);
        if let Some(id) = id {
            return id.to_owned();
        }
        assert!(std::time::Instant::now() < until, "nothing is asked: {open:?}");
    };
    let first = other_than(None);
    world.ok(&["server", "restart"]);
    let second = other_than(Some(&first));
    world.refused(&["answer", &first, "no"], 3, "no question");
    world.ok(&["answer", &second, "yes"]);
    let answer = session.answer(call)["result"]["structuredContent"].clone();
    assert_eq!((&answer["answer"], &answer["by"]), (&json!("yes"), &json!("person")), "{answer}");
    let log = world.json(&["log", "--json"]);
    let ends: Vec<_> = log.iter().map(|entry| (&entry["id"], &entry["outcome"], &entry["by"])).collect();
    let (first, second) = (json!(first), json!(second));
    let (withdrawn, answered) = (json!("withdrawn"), json!("answered"));
    assert_eq!(
        ends,
        [(&first, &withdrawn, &json!("none")), (&second, &answered, &json!("person"))],
        "{log:?}"
    );
}

#[test]
fn a_person_answers_and_a_call_that_is_given_up_leaves_no_question() {
    let world = World::new();
    team(&world, "cat >/dev/null; echo '{\"escalate\": \"not mine to say\"}'");
    let mut events = world.follow(&["events", "--json"]);
    let mut session = of_agent(&world, "api");
    let ask =
        |words: &str| json!({ "name": "ask_counsel", "arguments": { "question": words, "wait_secs": 600 } });
    let call = session.send("tools/call", ask("What shall it be called?"));
    let escalated = world::json(&events.until(|line| line.contains("\"escalated\"")));
    let id = escalated["question"]["id"].as_str().unwrap();
    world.ok(&["answer", id, "--text", "counsel"]);
    let answer = session.answer(call);
    assert_eq!(answer["result"]["structuredContent"]["answer"], "counsel", "{answer}");
    let call = session.send("tools/call", ask("And its colour?"));
    events.until(|line| line.contains("\"escalated\"") && line.contains("colour"));
    session.notify("notifications/cancelled", json!({ "requestId": call, "reason": "changed my mind" }));
    events.until(|line| line.contains("\"withdrawn\"") && line.contains("colour"));
    session.send("tools/call", ask("And its shape?"));
    events.until(|line| line.contains("\"escalated\"") && line.contains("shape"));
    assert_eq!(session.lines.end(), Some(0));
    events.until(|line| line.contains("\"withdrawn\"") && line.contains("shape"));
}

/// `echo '{…}' | counsel mcp` printed nothing: what had been asked was given up with the end of the input.
#[test]
fn calls_that_are_piped_in_are_answered_before_the_end() {
    let world = World::new();
    let call = |id: u64, tool: &str| {
        let params = json!({ "name": tool, "arguments": {} });
        json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params }).to_string()
    };
    let lines = format!("{}\n{}\n", call(1, "pty_list"), call(2, "pty_list"));
    let done = world::finish(world.command().arg("mcp"), lines.as_bytes());
    let ids = done.out.lines().map(|line| world::json(line)["id"].as_u64().unwrap());
    let mut ids: Vec<u64> = ids.collect();
    ids.sort_unstable();
    assert_eq!((ids, done.code), (vec![1, 2], 0), "{done:?}");
}
