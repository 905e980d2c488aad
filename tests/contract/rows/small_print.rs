//! What stands in half a sentence of the contract, and is relied on all the same.

use serde_json::{Value, json};

use crate::table::{Need, Row, program, row, run};

const ASKS: &str = "printf 'Use TypeScript? [y/N] '; read answer; echo \"told $answer\"; exec cat";

/// A row whose agent `a` asks, with an only rule of the user's own for what it asks.
fn ruled(line: &'static str, rule: &'static str) -> Row {
    row(line)
        .file("home/.config/counsel/config.toml", rule)
        .then(run("start a --consultant oracle -- sh -c").word(ASKS))
}

pub fn rows() -> Vec<Row> {
    vec![
        // Contract: Commands: pause, answer.
        row("a paused agent takes no answer, and its question waits")
            .agent("a", ASKS)
            .then(run("wait a --for asking --timeout 30"))
            .then(run("questions --json").save("/id", "id"))
            .then(run("pause a"))
            .then(run("answer {id} y").refused(4, "a is paused; run 'counsel resume a' first"))
            .then(run("resume a"))
            .then(run("answer {id} y --json").is("/did", "answered"))
            .then(run("read a --screen").says("told y").awaited()),
        // Contract: Commands: answer.
        row("an option is named by its number, or by its label to the letter")
            .agent("a", ASKS)
            .then(run("wait a --for asking --timeout 30"))
            .then(run("questions --json").is("/options", json!(["y", "n"])).is("/selected", Value::Null).save("/id", "id"))
            .then(run("answer {id} 3").refused(2, "could not answer {id}"))
            .then(run("answer {id} 0").refused(2, "could not answer {id}"))
            .then(run("answer {id} ye").refused(2, "could not answer {id}"))
            .then(run("answer {id} y n").refused(2, "could not answer {id}"))
            .then(run("answer {id} 2 --json").is("/options", json!(["2"])).is("/answer", "n"))
            .then(run("read a --screen").says("told n").awaited()),
        // Contract: Commands: answer.
        row("several options are ticked by several words")
            .then(run("start a --profile demo --env COUNSEL_DEMO_HURRY=1 -- {counsel} demo-agent docs"))
            .then(run("wait a --for asking --timeout 60"))
            .then(run("questions --json").is("/kind", "multi").is("/multi", true).save("/id", "id").save("/options/0", "first").is("/options/2", "Reference"))
            .then(run("answer {id} 1").word("Reference").word("--json").is("/did", "answered").is("/options", json!(["1", "Reference"])))
            .then(run("log --json").is("/kind", "multi").is("/by", "person").is("/outcome", "answered").says("{first}").says("Reference")),
        // Contract: Commands: search.
        row("search looks in several places at once")
            .agent("a", "seq 500; printf 'Keep the needle? [y/n] '; read answer; clear; echo needle again; exec cat")
            .then(run("wait a --for asking --timeout 30"))
            .then(run("questions --json").save("/id", "id"))
            .then(run("answer {id} y"))
            .then(run("read a --screen").says("needle again").awaited())
            .then(run("search needle --in screen,log --json").holds_lines(2).keys(&["agent", "in", "at", "line", "text", "jump"]).says("\"in\":\"screen\"").says("\"in\":\"log\""))
            .then(run("search needle --in screen,attic").refused(2, "possible values: screen, scrollback, log, transcript")),
        // Contract: Commands: ls; Conventions: tables.
        row("ls heads its columns with what they hold, and tells for how long")
            .agent("a", ASKS)
            .then(run("wait a --for asking --timeout 30"))
            .then(run("ls --json").save("/pid", "pid").save("/question", "id"))
            .then(program("sh", "-c").word("{counsel} ls | tr -s ' ' | cut -d ' ' -f 1-7").says("NAME STATE FOR QUESTION PROFILE HOST PID\n").says(" {id} generic pty {pid}\n"))
            .then(program("sh", "-c").word("{counsel} ls | sed -n 's/^a *asking *[0-9]*s .*/told/p'").out("told\n")),
        // Contract: Commands: stop.
        // Contract: Commands: stop.
        row("stop goes on under the next server, and who takes over does not miss what was stopped")
            .then(
                program("sh", "-c")
                    .word("{counsel} start a -- sh -c 'trap \"echo asked\" TERM; echo on; while :; do sleep 1; done'; until {counsel} read a | grep -q on; do sleep 0.05; done; {counsel} stop a --grace 3 & it=$!; until {counsel} read a 2> /dev/null | grep -q asked; do sleep 0.05; done; {counsel} server restart > /dev/null; echo $?; wait $it; echo $?")
                    .out("0\n0\n"),
            )
            .then(
                program("sh", "-c")
                    .word("{counsel} start a -- sh -c 'trap \"echo asked\" TERM; echo on; while :; do sleep 1; done'; until {counsel} read a | grep -q on; do sleep 0.05; done; {counsel} stop a --grace 3 & it=$!; until {counsel} read a 2> /dev/null | grep -q asked; do sleep 0.05; done; kill -9 $({counsel} server | sed 's/.*pid \\([0-9]*\\).*/\\1/'); wait $it; echo $?")
                    .out("0\n"),
            )
            .then(run("ls --json").out("")),
        // Contract: Commands: restart.
        row("restart is done by the next server where one dies over it, and once")
            .agent("a", "trap 'echo asked' TERM; echo on; while :; do sleep 1; done")
            .then(run("read a --screen").says("on").awaited())
            .then(run("ls --json").save("/pid", "pid"))
            .then(
                program("sh", "-c")
                    .word("{counsel} restart a --json > did & it=$!; until {counsel} read a 2> /dev/null | grep -q asked; do sleep 0.05; done; kill -9 $({counsel} server | sed 's/.*pid \\([0-9]*\\).*/\\1/'); wait $it; echo $?")
                    .out("0\n"),
            )
            .then(program("cat", "did").is("/did", "restarted").save("/pid", "next"))
            .then(run("ls --json").is("/exit_code", Value::Null).says("\"pid\":{next}").lacks("\"pid\":{pid},"))
            .then(run("read a --scrollback").says("asked")),
        row("stop waits two seconds for whoever does not heed TERM, and then ends it")
            .agent("a", "trap '' TERM; echo ready; while :; do sleep 0.1; done")
            .then(run("read a --screen").says("ready").awaited())
            .then(run("stop --help").says("[default: 2]"))
            .then(program("sh", "-c").word("began=$(date +%s%N); {counsel} stop a; test $(($(date +%s%N) - began)) -ge 1900000000"))
            .then(run("ls --json").out("")),
        // Contract: Commands: demo.
        row("the demonstration needs no network")
            .needs(Need::Namespaces)
            .then(program("unshare", "-rn {counsel} demo --headless").says("no other byte typed")),
        // Contract: Configuration.
        row("the user's own file lies below XDG_CONFIG_HOME")
            .file("work/own/counsel/config.toml", "[consult]\ndeadline_secs = 41\n")
            .file("home/.config/counsel/config.toml", "[consult]\ndeadline_secs = 42\n")
            .then(program("sh", "-c").word("XDG_CONFIG_HOME={work}/own {counsel} config show --json").is("/consult/deadline_secs", 41))
            .then(program("sh", "-c").word("unset XDG_CONFIG_HOME; {counsel} config show --json").is("/consult/deadline_secs", 42)),
        // Contract: Configuration.
        ruled("a rule leaves a question to a person, whoever is its agent's consultant",
            "[[consultant]]\nname = \"oracle\"\ncommand = [\"sh\", \"-c\", \"cat > told; echo '{\\\"choice\\\": 1}'\"]\n[[rule]]\nkind = \"yesno\"\nthen = \"human\"\n")
            .then(run("questions --json").is("/status", "escalated").is("/route", "human").awaited())
            .then(run("log --json").out("").no_file("{work}/told")),
        // Contract: Configuration.
        ruled("a rule ignores a question: nobody is called, nobody asked, nothing typed",
            "[[consultant]]\nname = \"oracle\"\ncommand = [\"sh\", \"-c\", \"cat > told; echo '{\\\"choice\\\": 1}'\"]\n[[rule]]\nkind = \"yesno\"\nthen = \"ignore\"\n")
            .then(run("wait a --for asking --timeout 30"))
            .then(run("questions --all --json").is("/status", "open").is("/route", "nobody").no_file("{work}/told"))
            .then(run("read a --screen").out("Use TypeScript? [y/N]\n")),
        // Contract: Configuration.
        ruled("the first rule that matches decides, and the built-in ones come last",
            "[[consultant]]\nname = \"oracle\"\ncommand = [\"sh\", \"-c\", \"cat > told; echo '{\\\"choice\\\": 1}'\"]\n[[rule]]\nkind = \"menu\"\nthen = \"human\"\n[[rule]]\nkind = \"yesno\"\nthen = \"consult\"\n[[rule]]\nkind = \"yesno\"\nthen = \"human\"\n")
            .then(run("read a --screen").says("told y").awaited())
            .then(run("log --json").is("/by", "consultant oracle").is("/rule", "2").awaited()),
        // Contract: Commands: questions.
        row("what a program reports of itself is a source of its question")
            .agent("a", "printf '\\033]7501;state=blocked:kind=question:msg=VXNlIFR5cGVTY3JpcHQ/\\007Use TypeScript? [y/N] '; read answer; exec cat")
            .then(run("wait a --for asking --timeout 30"))
            .then(run("questions --json").is("/kind", "yesno").holds("/sources", |sources| ["screen", "status"].iter().all(|source| sources.as_array().is_some_and(|all| all.iter().any(|one| one == source)))).awaited()),
        // Contract: Commands: questions.
        row("a question whose answer is being typed says so")
            .agent("a", "printf 'Overwrite it? [y/N] '; read answer; exec cat")
            .then(run("wait a --for asking --timeout 30"))
            .then(run("questions --json").save("/id", "id"))
            .then(program("sh", "-c").word("timeout 60 {counsel} events --json > all.txt & it=$!; until grep -qs '\"question\"' all.txt || grep -qs agent all.txt; do sleep 0.05; done; {counsel} answer {id} y; until grep -q '\"status\":\"answered\"' all.txt; do sleep 0.05; done; kill -INT $it; wait $it; grep -c '\"status\":\"answering\"' all.txt | xargs test 1 -le")),
        // Contract: Commands: record.
        row("a recording is an asciicast of version 2, with the size and the time it began")
            .then(run("start a --size 77x21 -- cat"))
            .then(run("record a new.cast"))
            .then(run("send a seen --enter"))
            .then(run("ls").file_has("{work}/new.cast", "seen").awaited())
            .then(run("record a"))
            .then(program("head", "-1 new.cast").is("/version", 2).is("/width", 77).is("/height", 21).holds("/timestamp", |at| at.as_u64().is_some_and(|at| at > 1_700_000_000)))
            .then(program("sh", "-c").word("sed -n 's/^\\[\\([0-9.]*\\),\\(\"[a-z]\"\\),.*/{\"at\":\\1,\"what\":\\2}/p' new.cast | tail -1").is("/what", "o").holds("/at", Value::is_f64)),
        // Contract: Commands: read.
        row("a tail of what is new")
            .agent("a", "echo first; read x; seq 1 9; exec cat")
            .then(run("read a --wait 20000 --json").says("first").save("/cursor", "cursor").awaited())
            .then(run("send a --enter"))
            .then(run("read a --screen").says("9").awaited())
            .then(run("read a --since {cursor} --tail 2").out("8\n9\n")),
        // Contract: Commands: wait.
        row("wait gives up after no time at all, and takes no state that is not built")
            .agent("a", "cat")
            .then(run("wait a --for exited --timeout 0").refused(124, "could not wait for a: the time is up"))
            .then(run("wait a --for limited").refused(2, "possible values: idle, asking, exited, working"))
            .then(run("wait a --for paused").code(2)),
        // Contract: Commands: start, explain.
        row("explain says what a first prompt waits for")
            .then(run("start a --prompt hello -- sh -c").word("echo few; exec sleep 1000"))
            .then(run("read a --screen").says("few").awaited())
            .then(run("explain a").says("first-prompt").says("once an idle screen is seen, or 200 bytes were printed").awaited()),
        // Contract: Files: an agent's environment.
        row("an agent's word is no one else's, and none of a person's is needed")
            .agent("a", "printenv COUNSEL_TOKEN > a.txt; exec cat")
            .agent("b", "printenv COUNSEL_TOKEN > b.txt; exec cat")
            .then(program("sh", "-c").word("test -s a.txt && test -s b.txt && ! cmp -s a.txt b.txt").awaited())
            .then(program("sh", "-c").word("COUNSEL_TOKEN=$(cat a.txt) COUNSEL_AGENT=a {counsel} send b x").refused(4, "could not")),
        // Contract: Files.
        row("two servers side by side know nothing of each other's agents")
            .then(run("--socket {work}/other.sock start there -- cat"))
            .then(run("start here -- cat"))
            .then(run("ls --json").is("/name", "here").holds_lines(1))
            .then(run("--socket {work}/other.sock ls --json").is("/name", "there").holds_lines(1))
            .then(run("--socket {work}/other.sock down --grace 0")),
    ]
}
