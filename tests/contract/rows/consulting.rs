//! Who answers by the built-in rules, and what a consultant is told and may say.

use crate::table::{Need, Row, program, row, run};

const ASKS: &str = "printf 'Use TypeScript? [y/N] '; read answer; echo \"told $answer\"; exec cat";
/// The user's own file with a consultant that keeps what it is told and says what stands in `reply`.
const ORACLE: &str = "[[consultant]]\nname = \"oracle\"\ncommand = [\"sh\", \"-c\", \"cat >> told; cat reply\"]\n\
    [consult]\ncontext = [\"ROADMAP.md\"]\n";

/// One that ticks the first and the third of several, and takes the second where it may take one.
const TICKS: &str = "[[consultant]]\nname = \"oracle\"\n\
    command = [\"sh\", \"-c\", \"if grep -q choices; then echo '{\\\"choices\\\": [1, 3]}'; else echo '{\\\"choice\\\": 2}'; fi\"]\n";

/// A row whose agent `a` asks a yes or no of that consultant.
fn consulted(line: &'static str, reply: &'static str) -> Row {
    row(line)
        .file("home/.config/counsel/config.toml", ORACLE)
        .file("work/reply", reply)
        .file("work/ROADMAP.md", "Types: yes, everywhere. token = ghp_Ab3dEf6hIj9lMn2pQr5tUv8xYz1aBc4dEf6h\n")
        .then(run("start a --consultant oracle -- sh -c").word(ASKS))
}

pub fn rows() -> Vec<Row> {
    vec![
        // Contract: Configuration: built-in rules.
        consulted("a question goes to the agent's consultant by itself, and is answered in its dialog", "{\"choice\": 1, \"reason\": \"the roadmap says so\"}\n")
            .then(run("read a --screen").says("told y").awaited())
            .then(run("log --json").is("/by", "consultant oracle").is("/answer", "y").is("/outcome", "answered").is("/reason", "the roadmap says so").awaited())
            // What a consultant is told: the question as data, numbers, name, context files, seconds left; no secrets.
            .then(program("cat", "told").says("Use TypeScript?").says("\"number\":1").says("\"agent\":\"a\"").says("Types: yes, everywhere").says("seconds").lacks("ghp_Ab3")),
        // Contract: Commands: questions.
        row("a question that somebody thinks about says so, and until when")
            .file("home/.config/counsel/config.toml", "[[consultant]]\nname = \"oracle\"\ncommand = [\"sh\", \"-c\", \"until test -e go; do sleep 0.1; done; echo '{\\\"choice\\\": 2}'\"]\n[consult]\ndeadline_secs = 300\n")
            .then(run("start a --consultant oracle -- sh -c").word(ASKS))
            .then(run("questions --json").is("/status", "consulting").is("/route", "oracle").holds("/deadline_at", |at| at.as_u64().is_some_and(|ms| ms > 1_700_000_000_000)).awaited())
            .then(run("log --json").out(""))
            .then(program("touch", "go"))
            .then(run("read a --screen").says("told n").awaited()),
        // Contract: What a consultant is told, and may say.
        row("a consultant is shown the screen, and nothing that acts on a terminal")
            .file("home/.config/counsel/config.toml", ORACLE)
            .file("work/reply", "{\"choice\": 1}\n")
            .then(run("start a --consultant oracle -- sh -c").word("printf 'found \\033[31mtwo\\033[0m \\342\\200\\256compilers\\n'; printf 'Use TypeScript? [y/N] '; read answer; echo \"told $answer\"; exec cat"))
            .then(run("read a --screen").says("told y").awaited())
            .then(program("sh", "-c").word("grep -c 'found two .*compilers' told; tr -d '\\n' < told | LC_ALL=C grep -c '[[:cntrl:]]'; grep -c \"$(printf '\\342\\200\\256')\" told; true").out("1\n0\n0\n")),
        // Contract: What a consultant is told, and may say.
        row("a consultant is told the agent's task and what was decided before")
            .file("home/.config/counsel/config.toml", ORACLE)
            .file("work/reply", "{\"choice\": 1}\n")
            .file("work/team.toml", "[[agent]]\nname = \"a\"\ntask = \"the HTTP interface\"\nconsultant = \"oracle\"\ncommand = [\"sh\", \"asks.sh\"]\n")
            .file("work/asks.sh", "printf 'Use TypeScript? [y/N] '; read answer; clear; printf 'Use tabs? [y/N] '; read answer; echo \"told $answer\"; exec cat\n")
            .then(run("up -f team.toml"))
            .then(run("read a --screen").says("told y").awaited())
            .then(program("cat", "told").says("\"task\":\"the HTTP interface\"").says("Use tabs?").says("decisions, the newest first:")),
        // Contract: Configuration: built-in rules.
        row("without a consultant a question is a person's, and so are permissions, plans, trust, logins, secrets")
            .agent("a", ASKS)
            .then(run("wait a --for asking --timeout 30"))
            .then(run("questions --json").is("/status", "escalated").is("/route", "human")),
        // Contract: Configuration: built-in rules.
        row("a rule of the user's own answers, and no rule answers a secret")
            .file("home/.config/counsel/config.toml", "[[rule]]\nkind = \"yesno\"\nthen = \"answer\"\nanswer = \"n\"\n[[rule]]\nthen = \"answer\"\nanswer = \"x\"\n")
            .agent("a", ASKS)
            .then(run("read a --screen").says("told n").awaited())
            .then(run("log --json").is("/by", "rule 1").is("/rule", "1").is("/answer", "n").save("/id", "id").awaited())
            .then(run("questions --all --json").is("/route", "rule 1"))
            .then(run("log {id} --replay").says("decided by rule 1"))
            .agent("b", "stty -echo; printf 'Password: '; read answer; exec cat")
            .then(run("wait b --for asking --timeout 30"))
            .then(run("questions --json").is("/kind", "password").is("/status", "escalated").is("/route", "human")),
        // Contract: Configuration: built-in rules.
        row("a project's rule answers no yes or no")
            .file("work/counsel.toml", "[[rule]]\nkind = \"yesno\"\nthen = \"answer\"\nanswer = \"y\"\n[[rule]]\nkind = \"permission\"\nthen = \"answer\"\nanswer = \"Yes\"\n")
            .then(run("config check").says("a project's file may neither answer nor silence what asks for a yes").says("a project's file may not answer permissions")),
        // Contract: What a consultant is told, and may say.
        consulted("a label that is one of the options, but for blanks, is an answer", "I think so.\n{\"choice\": \" y \"}\n")
            .then(run("read a --screen").says("told y").awaited()),
        // Contract: What a consultant is told, and may say.
        row("a consultant ticks several options by \"choices\"")
            .file("home/.config/counsel/config.toml", TICKS)
            .then(run("start a --consultant oracle --profile demo --env COUNSEL_DEMO_HURRY=1 -- {counsel} demo-agent docs"))
            .then(run("log --json").is("/by", "consultant oracle").is("/kind", "multi").is("/outcome", "answered").holds("/answer", |answer| answer.as_str().is_some_and(|answer| answer.contains("Install") && answer.contains("Reference") && !answer.contains("Tour"))).awaited()),
        // Contract: What a consultant is told, and may say.
        row("a consultant answers in words by \"text\"")
            .file("home/.config/counsel/config.toml", ORACLE)
            .file("work/reply", "{\"text\": \"northwind\"}\n")
            .then(run("start a --consultant oracle -- sh -c").word("printf 'What should the project be called? '; read answer; echo \"told $answer\"; exec cat"))
            .then(run("read a --screen").says("told northwind").awaited())
            .then(run("log --json").is("/by", "consultant oracle").is("/kind", "text").is("/answer", "northwind").is("/outcome", "answered").awaited()),
        // Contract: What a consultant is told, and may say.
        consulted("what was not offered is asked once more, and then a person's; nothing is typed", "{\"choice\": 9}\n")
            .then(run("questions --json").is("/status", "escalated").holds("/note", |note| note.as_str().is_some_and(|note| note.contains("oracle"))).awaited())
            .then(program("sh", "-c").word("grep -c 'Use TypeScript?' told | xargs test 2 -le"))
            .then(run("read a --screen").out("Use TypeScript? [y/N]\n")),
        // Contract: What a consultant is told, and may say.
        consulted("a consultant may leave it to a person, and say why", "{\"escalate\": \"it costs money\"}\n")
            .then(run("questions --json").is("/status", "escalated").holds("/note", |note| note.as_str().is_some_and(|note| note.contains("it costs money"))).awaited()),
        // Contract: Configuration.
        consulted("with confirm an answer waits for a person's word", "{\"choice\": 1}\n")
            .file("home/.config/counsel/config.toml", "[[consultant]]\nname = \"oracle\"\ncommand = [\"sh\", \"-c\", \"cat > told; cat reply\"]\n[consult]\nconfirm = true\n")
            .then(run("questions --json").is("/status", "proposed").is("/answer", "y").save("/id", "id").awaited())
            .then(run("answer {id} n --json").is("/did", "answered").is("/answer", "n"))
            .then(run("read a --screen").says("told n").awaited())
            .then(run("log --json").is("/by", "person").is("/proposed", "y")),
        // Contract: Delivery, with proof.
        row("answer ends once the answer is given and in the log")
            .agent("a", ASKS)
            .then(run("wait a --for asking --timeout 30"))
            .then(run("questions --json").save("/id", "id"))
            .then(run("answer {id} 1 --json").is("/did", "answered").is("/status", "answered").is("/answer", "y"))
            .then(run("log --json").is("/id", "{id}").is("/answer", "y").holds("/proof/before", |before| before.as_str().is_some_and(|text| text.len() == 16)).holds("/latency_ms", serde_json::Value::is_u64))
            .then(run("questions --json").out("")),
        // Contract: Delivery, with proof.
        row("an answer in words is told and logged as it was typed")
            .agent("a", "printf 'What is your name? '; read answer; echo \"told $answer\"; exec cat")
            .then(run("wait a --for asking --timeout 30"))
            .then(run("questions --json").is("/kind", "text").save("/id", "id"))
            .then(run("answer {id} --text").word("one\ntwo").refused(2, "the text has several lines, and a dialog takes one"))
            .then(run("answer {id} --json --text").word(" one two\u{200d}").is("/text", " one two\u{200d}").is("/answer", "one two").complains("'one two' was typed"))
            .then(run("read a --screen").says("told one two").awaited())
            .then(run("log --json").is("/answer", "one two").is("/keys/0", "\"one two\"")),
        // Contract: Commands: explain.
        row("explain says that an agent is paused")
            .agent("a", ASKS)
            .then(run("wait a --for asking --timeout 30"))
            .then(run("pause a"))
            .then(run("explain a").says("paused (paused)\n").says("+ paused: "))
            .then(run("explain a --json").is("/state", "paused"))
            .then(run("questions --json").save("/id", "id"))
            .then(run("answer {id} y").refused(4, "a is paused")),
        // Contract: Commands: mcp, ls, wait.
        row("a question that an agent puts in words is seen by ls and wait")
            .needs(Need::Bash)
            .then(run("start a -- bash -c").word("call='{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"ask_counsel\",\"arguments\":{\"question\":\"Tabs or blanks?\",\"options\":[\"tabs\",\"blanks\"],\"wait_secs\":300}}}'; { echo \"$call\"; until test -e over; do sleep 0.1; done; } | $0 mcp; exec cat").word("{counsel}"))
            .then(run("wait a --for asking --timeout 60"))
            .then(run("questions --json").is("/prompt", "Tabs or blanks?").is("/sources/0", "mcp").save("/id", "id"))
            .then(run("ls --json").is("/question", "{id}"))
            .then(run("answer {id} blanks --json").is("/did", "answered").is("/status", "answered"))
            .then(run("read a").says("blanks").awaited())
            .then(run("ls --json").is("/question", serde_json::Value::Null))
            .then(program("touch", "over")),
    ]
}
