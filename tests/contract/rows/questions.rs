//! Questions, answers, the log.

use serde_json::Value;

use crate::table::{Need, Row, program, row, run};

const ASKS: &str = "printf 'Use TypeScript? [y/N] '; read answer; echo \"told $answer\"; exec cat";

/// Asks by the tool, in the background, until there is a file `over` or the row is over.
const OF_A_PROGRAM: &str = r#"
exec > out.txt 2> error.txt
{
    echo '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"ask_counsel","arguments":{"question":"Tabs or blanks?","options":["tabs","blanks"],"wait_secs":300}}}'
    while test -d {work} && ! test -e over; do sleep 0.1; done
} | {counsel} mcp > said.txt &
until {counsel} questions | grep -q Tabs; do sleep 0.05; done
"#;

fn unix_ms(value: &Value) -> bool {
    value.as_u64().is_some_and(|ms| ms > 1_700_000_000_000)
}

pub fn rows() -> Vec<Row> {
    vec![
        // Contract: Commands: questions; Conventions: times.
        row("questions have the keys of the contract, and times in Unix milliseconds")
            .agent("a", ASKS)
            .then(run("wait a --for asking --timeout 30"))
            .then(
                run("questions --json")
                    .keys(&["id", "agent", "kind", "prompt", "options", "selected", "multi", "asked_at", "deadline_at", "status", "route", "sources"])
                    .is("/agent", "a")
                    .is("/kind", "yesno")
                    .is("/status", "escalated")
                    .is("/sources/0", "screen")
                    .holds("/asked_at", unix_ms),
            )
            .then(run("questions").says("Use TypeScript?"))
            .then(run("ls --json").holds("/question", Value::is_string)),
        // Contract: Commands: answer, log.
        row("an answer is given by label or number, and logged")
            .agent("a", ASKS)
            .then(run("wait a --for asking --timeout 30"))
            .then(run("questions --json").save("/id", "id"))
            .then(run("answer {id} maybe").refused(2, "could not answer {id}"))
            .then(run("answer {id}").refused(2, "say how"))
            .then(run("answer a y").refused(3, "there is no question 'a'; the agent a asks {id}"))
            .then(run("answer {id} y --reject").code(2))
            .then(run("answer {id} y --json").keys(&["id", "did", "options", "text", "status"]).is("/did", "answered"))
            .then(run("read a --screen").says("told y").awaited())
            .then(run("answer {id} n").refused(4, "is no longer the question on screen").awaited())
            .then(run("questions --all --json").is("/status", "answered").awaited())
            .then(run("questions").out("no open questions\n"))
            .then(run("log --json").keys(&["id", "agent", "asked_at", "settled_at", "latency_ms", "answer", "by", "channel", "outcome", "proof"]).is("/answer", "y").is("/by", "person").is("/channel", "keys").holds("/asked_at", unix_ms).holds("/settled_at", unix_ms).holds("/latency_ms", Value::is_u64))
            .then(run("log --agent a --since 1h").says("Use TypeScript?"))
            .then(run("log {id}").says("proof: "))
            .then(run("log {id} --replay --json").keys(&["id", "step", "at", "what", "text"]))
            .then(run("log --verify"))
            .then(run("log --shadow").out(""))
            .then(run("log --score --json").out(""))
            .then(run("log --since yesteryear").refused(2, "is not a time")),
        // Contract: Commands: log.
        row("log tells of an agent that nobody is")
            .then(run("log --agent nobody").refused(3, "there is no agent 'nobody'"))
            .then(run("log").out(""))
            .agent("a", "cat")
            .then(run("log --agent a").out(""))
            .then(run("log --agent nobody").refused(3, "there is no agent 'nobody'")),
        // Contract: Delivery, with proof.
        row("a prompt of one key is answered, and logged with what was typed")
            .needs(Need::Bash)
            .then(run("start a -- bash -c").word("read -n1 -p 'Overwrite it? [y/N] ' answer; echo; echo \"told $answer\"; exec cat"))
            .then(run("wait a --for asking --timeout 30"))
            .then(run("questions --json").save("/id", "id"))
            .then(run("answer {id} y"))
            .then(run("read a --screen").says("told y").awaited())
            .then(run("log --json").is("/outcome", "answered").is("/answer", "y").is("/keys/0", "\"y\"").awaited()),
        // Contract: Commands: questions.
        row("a question keeps the name of its agent when that is gone")
            .agent("a", ASKS)
            .then(run("wait a --for asking --timeout 30"))
            .then(run("stop a"))
            .then(run("questions --all --json").is("/agent", "a").is("/status", "withdrawn").awaited())
            .then(run("log --json").is("/outcome", "withdrawn").is("/by", "none").is("/answer", Value::Null).awaited()),
        // Contract: Configuration: built-in rules.
        row("a secret is nobody's to answer from here")
            .agent("a", "stty -echo; printf 'Password: '; read answer; exec cat")
            .then(run("wait a --for asking --timeout 30"))
            .then(run("questions --json").is("/kind", "password").save("/id", "id"))
            .then(run("answer {id} --text x").refused(4, "a secret is typed into the pane itself"))
            .then(run("consult {id}").refused(4, "a person's to answer")),
        // Contract: Commands: answer.
        row("an answer in words that is one of the options is that option")
            .agent("a", ASKS)
            .then(run("wait a --for asking --timeout 30"))
            .then(run("questions --json").save("/id", "id"))
            .then(run("answer {id} --text y --json").is("/did", "answered").is("/text", "y")),
        // Contract: Commands: answer.
        row("a prompt for yes or no is declined by a no")
            .agent("a", ASKS)
            .then(run("wait a --for asking --timeout 30"))
            .then(run("questions --json").save("/id", "id"))
            .then(run("answer {id} --reject --json").is("/did", "rejected").is("/status", "answered").is("/answer", "(declined)"))
            .then(run("log --json").is("/outcome", "answered").is("/answer", "(declined)").is("/by", "person"))
            .then(run("read a --screen").says("told n").awaited()),
        // Contract: Commands: answer.
        row("a question is declined")
            .then(program("sh", "-c").word(OF_A_PROGRAM))
            .then(run("questions --json").is("/status", "escalated").is("/kind", "menu").save("/id", "id"))
            .then(run("answer {id} --reject --json").is("/did", "rejected").is("/id", "{id}").is("/status", "answered").is("/answer", "(declined)"))
            .then(program("cat", "said.txt").says("declined").awaited())
            .then(run("log --json").is("/outcome", "answered").is("/answer", "(declined)").is("/by", "person").awaited())
            .then(program("touch", "over")),
        // Contract: Commands: consult.
        row("a consultant is asked on demand")
            .file("home/.config/counsel/config.toml", "[[consultant]]\nname = \"oracle\"\ncommand = [\"sh\", \"-c\", \"cat > /dev/null; echo '{\\\"choice\\\": 1}'\"]\n")
            .agent("a", ASKS)
            .then(run("wait a --for asking --timeout 30"))
            .then(run("questions --json").save("/id", "id"))
            .then(run("consult {id}").refused(1, "has no consultant"))
            .then(run("consult {id} --with nobody").refused(3, "there is no consultant 'nobody'"))
            .then(run("consult {id} --with oracle --json").is("/did", "consulted").is("/with", "oracle"))
            .then(run("read a --screen").says("told y").awaited())
            .then(run("log --json").is("/by", "consultant oracle").awaited()),
        // Contract: Commands: consult.
        row("who is asked on demand is named, also where the agent's own consultant is meant")
            .file("home/.config/counsel/config.toml", "[[rule]]\nkind = \"yesno\"\nthen = \"human\"\n[[consultant]]\nname = \"oracle\"\ncommand = [\"sh\", \"-c\", \"cat > /dev/null; echo '{\\\"choice\\\": 1}'\"]\n")
            .file("work/asks.sh", ASKS)
            .then(run("start a --consultant oracle -- sh asks.sh"))
            .then(run("wait a --for asking --timeout 30"))
            .then(run("questions --json").save("/id", "id"))
            .then(run("consult {id} --json").is("/did", "consulted").is("/with", "oracle")),
        // Contract: Commands: log.
        row("garbage in the log was added, and is not called unchanged")
            .agent("a", ASKS)
            .then(run("wait a --for asking --timeout 30"))
            .then(run("questions --json").save("/id", "id"))
            .then(run("answer {id} y"))
            .then(run("log --verify").says("nothing was changed"))
            .then(program("sh", "-c").word("echo 'garbage {\"id\":\"evil\"}' >> \"$COUNSEL_STATE_DIR/decisions.jsonl\""))
            .then(run("log --verify").code(1).says("line 2 was not written by a server\n").lacks("nothing was changed"))
            .then(run("log --verify --json").code(1).is("/breaks/0/line", 2).is("/breaks/0/untied", true)),
        // Contract: Commands: explain.
        row("explain says why")
            .agent("a", "cat")
            .then(run("explain a").says("generic/"))
            .then(run("explain a --json").keys(&["steps"])),
    ]
}
