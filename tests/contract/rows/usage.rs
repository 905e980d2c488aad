//! Errors, exit codes, help, colours: what holds for every verb.

use nix::sys::signal::Signal;
use serde_json::Value;

use crate::table::{Need, Row, program, row, run};

pub fn rows() -> Vec<Row> {
    vec![
        // Contract: Conventions: usage errors.
        row("an unknown verb is a usage error of one line, with its mend")
            .then(run("lss").refused(2, "a similar subcommand exists: 'ls'")),
        // Contract: Conventions: usage errors.
        row("an unknown option is a usage error of one line, with its mend")
            .then(run("ls --jsn").refused(2, "a similar argument exists: '--json'")),
        // Contract: Conventions: usage errors.
        row("a missing word is a usage error of one line, with its mend")
            .then(run("read").refused(2, "this is missing: <NAME>; see 'counsel read --help'")),
        // Contract: Conventions: usage errors.
        row("a missing subcommand is a usage error of one line, with those there are")
            .then(run("tmux").refused(2, "a subcommand is missing: status, popup, jump, keys; see 'counsel tmux --help'"))
            .then(run("worktree").refused(2, "a subcommand is missing: "))
            .then(run("config").refused(2, "a subcommand is missing: check, show, path, schema; see 'counsel config --help'"))
            .then(run("rules").refused(2, "a subcommand is missing: test; see"))
            .then(run("profile").refused(2, "a subcommand is missing: ")),
        // Contract: Conventions: usage errors.
        row("a value that is none of the possible ones is a usage error of one line")
            .then(run("wait a --for sleeping").refused(2, "possible values: idle, asking, exited, working"))
            .then(run("completions csh").refused(2, "possible values"))
            .then(run("resize a 80by24").refused(2, "COLSxROWS"))
            .then(run("--socket ls wait a --for sleeping").refused(2, "; see 'counsel wait --help'"))
            .then(run("signal a WHATEVER").refused(2, "one of INT TERM HUP"))
            .then(run("send a --key enterx").refused(2, "is not a key"))
            .then(run("send a --key F21").refused(2, "is not a key"))
            .then(run("start a --env NOVALUE -- cat").refused(2, "NAME=VALUE")),
        // Contract: Commands: --version.
        row("--version and --help end with 0")
            .then(run("--version").says("counsel "))
            .then(run("--help").says("Start an agent").says("List agents"))
            .then(run("start --help").says("no shell reads them")),
        // Contract: Conventions: names.
        row("names that are kept for later mean nothing yet")
            .then(run("machines").refused(2, "machines"))
            .then(run("serve --stdio").refused(2, "serve"))
            .then(run("autonomy").refused(2, "autonomy"))
            .then(run("service status").refused(2, "service"))
            .then(run("queue a").refused(2, "queue"))
            .then(run("send a x --when idle").refused(2, "--when"))
            .then(run("--machine m ls").refused(2, "--machine")),
        // Contract: Conventions: errors.
        row("an error that nobody can be told has its exit code all the same")
            .then(program("sh", "-c").word("{counsel} read nobody 2> /dev/full; echo $?").out("3\n"))
            .then(program("sh", "-c").word("{counsel} nosuchverb 2> /dev/full; echo $?").out("2\n")),
        // Contract: Conventions: errors.
        row("help that cannot be written is an error")
            .then(program("sh", "-c").word("{counsel} --help > /dev/full").refused(1, "could not write the output")),
        // Contract: Conventions: usage errors.
        row("numbers are not negative")
            .then(run("wait a --for idle --timeout -5").refused(2, "write a number of seconds, 0 or more"))
            .then(run("stop a --grace x").refused(2, "write a number of seconds, 0 or more"))
            .then(run("down --grace -5").refused(2, "write a number of seconds, 0 or more"))
            .then(run("exec --timeout -5 -- true").refused(2, "write a number of seconds, 0 or more"))
            .then(run("read a --tail -5").refused(2, "write a whole number, 0 to"))
            .then(run("read a --since 99999999999999999999").refused(2, "write a whole number, 0 to"))
            .then(run("log --since -5").refused(2, "is not a time")),
        // Contract: Conventions: exit codes.
        row("exit code 3: no such agent")
            .then(run("read nobody").refused(3, "there is no agent 'nobody'"))
            .then(run("wait nobody --for idle").refused(3, "there is no agent 'nobody'"))
            .then(run("stop nobody").refused(3, "there is no agent 'nobody'"))
            .agent("a", "cat")
            .then(run("read nobody").refused(3, "there is no agent 'nobody'"))
            .then(run("attach nobody").code(3)),
        // Contract: Conventions: exit codes.
        row("exit code 3: no such question")
            .then(run("answer q1 Yes").refused(3, "there is no question 'q1'"))
            .then(run("consult q1").refused(3, "there is no question 'q1'"))
            .then(run("log q1").refused(3, "it is not in the log"))
            .agent("a", "cat")
            .then(run("answer q1 Yes").refused(3, "there is no question 'q1'")),
        // Contract: Conventions: exit codes.
        row("exit code 2: a faulty configuration, with file, line, column and key")
            .file("work/counsel.toml", "[[agent]]\nname = \"a\"\ncomand = [\"x\"]\n")
            .then(run("up").refused(2, "counsel.toml:3:1: key agent.comand"))
            .then(run("config check").refused(2, "counsel.toml:3:1: key agent.comand"))
            // Nobody agreed to the file: it denies nobody a program of their own, and says so.
            .then(run("start b -- cat").complains("counsel.toml:3:1: key agent.comand")),
        // Contract: Conventions: exit codes.
        row("exit code 4: a program that the policy denies")
            .file("work/counsel.toml", "[security]\ndeny_commands = [\"cat\"]\n")
            .then(run("start a -- cat").refused(4, "deny_commands")),
        // Contract: Conventions: exit codes.
        row("what is denied is denied behind links, wrappers and in a shell's line, and what is not seen is said")
            .file("work/counsel.toml", "[security]\ndeny_commands = [\"cat\"]\n")
            .then(program("sh", "-c 'ln -s \"$(command -v cat)\" kitty'"))
            .then(run("start a -- ./kitty").refused(4, "deny_commands"))
            .then(run("start a -- env A=1 cat").refused(4, "'cat'"))
            .then(run("start a -- nice -n 5 timeout 9 cat").refused(4, "'cat'"))
            .then(run("start a -- sh -c 'true && cat x'").refused(4, "'cat'"))
            .then(run("start a -- sh -c '$X'").complains("deny_commands does not see what '$X' stands for"))
            .then(run("start b -- sh -c true").lacks("deny")),
        // Contract: Conventions: exit codes.
        row("exit code 130: interrupted, or ended by a signal")
            .agent("a", "cat")
            .then(run("wait a --for exited").ended_by(Signal::SIGINT, ""))
            .then(run("wait a --for exited").ended_by(Signal::SIGTERM, ""))
            .then(run("wait a --for exited").ended_by(Signal::SIGHUP, ""))
            .then(run("wait a --for exited").ended_by(Signal::SIGQUIT, ""))
            .then(run("events").ended_by(Signal::SIGINT, "a: ")),
        // Contract: Commands: events.
        row("events are one per line").agent("a", "cat").then(
            run("events --json")
                .ended_by(Signal::SIGTERM, "\n")
                .is("/agent/name", "a")
                .holds("/agent/since", Value::is_u64),
        ),
        // Contract: Commands: events.
        row("events print a question, how it stands, and its answer")
            .agent("a", "until test -e go; do sleep 0.1; done; printf 'Use TypeScript? [y/N] '; read answer; exec cat")
            .then(
                program("sh", "-c")
                    .word("timeout 60 {counsel} events > words.txt & one=$!; timeout 60 {counsel} events --json > all.txt & two=$!; until grep -q . words.txt && grep -q . all.txt; do sleep 0.05; done; touch go; until id=$(sed -n 's/^a: \\(q[0-9]*\\) escalated (human): Use TypeScript.*/\\1/p' words.txt | head -1) && test -n \"$id\"; do sleep 0.05; done; {counsel} answer $id y; until grep -q \"$id answered\" words.txt && grep -q '\"status\":\"answered\"' all.txt; do sleep 0.05; done; kill $one $two; grep \"^a: $id answered\" words.txt; grep '^{\"question\"' all.txt | head -1 > first.txt")
                    .says(": Use TypeScript? [y/N] -> y"),
            )
            .then(program("cat", "first.txt").keys(&["question"]).is("/question/agent", "a").is("/question/kind", "yesno").holds("/question/id", Value::is_string).holds("/question/options", |options| options.as_array().is_some_and(|options| options.len() == 2)).holds("/question/asked_at", |at| at.as_u64().is_some_and(|ms| ms > 1_700_000_000_000))),
        // Contract: Commands: events.
        row("events say nothing twice, and what ls --json says of an agent")
            .then(run("start a -- sh -c").word("echo on; exit 3"))
            .then(run("wait a --for exited"))
            .then(run("restart a"))
            .then(run("wait a --for exited"))
            .then(
                program("sh", "-c")
                    .word("timeout 30 {counsel} events --json > all.txt & stream=$!; until grep -q . all.txt; do sleep 0.05; done; for life in 1 2 3; do {counsel} restart a; {counsel} wait a --for exited > out.txt; done; {counsel} start last -- true; until grep -q last all.txt; do sleep 0.05; done; kill -INT $stream; wait $stream; grep '\"name\":\"a\"' all.txt | uniq -d")
                    .out(""),
            )
            .then(program("head", "-1 all.txt").keys(&["agent"]).is("/agent/branch", Value::Null).is("/agent/dirty", Value::Null)),
        // Contract: Commands: events.
        row("events go on with the next server when one is restarted or dies, and end with 0 when it is done")
            .agent("a", "cat")
            .then(program("sh", "-c").word("timeout 50 {counsel} events --json > all.txt & it=$!; until grep -qs '\"a\"' all.txt; do sleep 0.05; done; {counsel} server restart > restart.txt; {counsel} start b -- cat; until grep -q '\"b\"' all.txt || ! kill -0 $it; do sleep 0.05; done; kill -9 $({counsel} server | sed 's/.*pid \\([0-9]*\\).*/\\1/'); {counsel} start c -- cat; until grep -q '\"c\"' all.txt || ! kill -0 $it; do sleep 0.05; done; {counsel} down --grace 0 > down.txt; wait $it && grep -c bye all.txt").out("1\n")),
        // Contract: Commands: events.
        row("events tell that an agent is gone that went while no server ran")
            .agent("a", "cat")
            .agent("b", "cat")
            .then(run("ls --json").save("/pid", "pid"))
            .then(program("sh", "-c").word("timeout 50 {counsel} events > all.txt & it=$!; until grep -qs '^b:' all.txt; do sleep 0.05; done; keeper=$(ps -o ppid= -p {pid}); kill -9 $({counsel} server | sed 's/.*pid \\([0-9]*\\).*/\\1/') $keeper; until grep -q gone all.txt || ! kill -0 $it; do sleep 0.05; done; kill $it; wait $it; grep gone all.txt").out("a: gone\n")),
        // Contract: Commands: events; Conventions: errors.
        row("events end with 1 where their server is gone and there is no other")
            .agent("a", "cat")
            .then(program("sh", "-c").word("{counsel} events > all.txt & it=$!; until grep -qs '^a:' all.txt; do sleep 0.05; done; kill -STOP $it; server=$({counsel} server | sed 's/.*pid \\([0-9]*\\).*/\\1/'); kill -9 $server; tail --pid=$server -f /dev/null; mv {run} {run}.kept; touch {run}; kill -CONT $it; wait $it; code=$?; rm {run}; mv {run}.kept {run}; exit $code").refused(1, "could not follow the events: the server is gone, and there is no other: ")),
        // Contract: Commands: wait.
        row("wait goes on with the next server when one dies")
            .agent("a", "read x")
            .then(
                program("sh", "-c")
                    .word("{counsel} wait a --for exited & it=$!; until ls -l /proc/$it/fd | grep -q socket; do sleep 0.05; done; server=$({counsel} server | sed 's/.*pid \\([0-9]*\\).*/\\1/'); kill -9 $server; tail --pid=$server -f /dev/null; {counsel} send a x --enter; wait $it"),
            ),
        // Contract: Commands: events.
        row("events end when nobody reads them any more")
            .agent("a", "cat")
            .then(program("sh", "-c").word("{counsel} events | head -1").says("a: ")),
        // Contract: Commands: attach, counsel.
        row("attach needs a terminal")
            .agent("a", "cat")
            .then(run("attach nope").refused(3, "there is no agent 'nope'; see 'counsel ls'"))
            .then(run("attach a --read-only --detach ctrl-] --no-resume").refused(1, "have to be a terminal"))
            .then(run("attach a --detach nokey").refused(2, "is not a key"))
            .then(run("--focus a").refused(1, "have to be a terminal"))
            .then(run("").refused(1, "could not open the dashboard: input and output have to be a terminal")),
        // Contract: Commands: mcp.
        row("mcp speaks on standard input and ends with it")
            .then(run("mcp").out(""))
            .then(run("mcp").input("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n").is("/id", 1))
            .then(run("mcp").input("{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/list\"}\n").holds("/result/tools", |tools| {
                let names = ["pty_start", "pty_exec", "pty_read", "pty_send", "pty_list", "pty_stop", "ask_counsel"];
                tools.as_array().is_some_and(|tools| tools.iter().map(|tool| &tool["name"]).eq(names))
            }))
            .then(run("mcp --install emacs --json").refused(2, "possible values: claude, codex, gemini")),
        // Contract: Files.
        row("--socket picks a server, and one that is not there is said")
            .then(run("ls --socket /typo/x").refused(1, "no server runs at /typo/x"))
            .then(run("questions --socket /typo/x").refused(1, "no server runs at /typo/x"))
            .then(run("events --socket {work}/typo.sock").refused(1, "no server runs at"))
            .then(run("--socket {work}/typo.sock server restart").refused(1, "no server runs at").no_file("{work}/typo.sock").no_file("{work}/typo.sock.d"))
            .then(run("--socket {work}/other.sock start a --json -- cat").is("/did", "started"))
            .then(run("--socket {work}/other.sock ls --json").is("/name", "a"))
            .then(run("ls").says("no agents"))
            .then(run("--socket {work}/other.sock down"))
            .then(run("--socket {work}/other.sock down").out("no server runs at {work}/other.sock\n"))
            .then(run("--socket {work}/other.sock down --json").is("/did", "nothing"))
            .then(run("--socket {work}/other.sock stop --all").refused(1, "no server runs at")),
        // Contract: Conventions: tables.
        row("colours only where they are wanted")
            .agent("a", "cat")
            .then(run("ls").lacks("\u{1b}["))
            .then(run("ls --color always").says("\u{1b}["))
            .then(run("ls --color never").lacks("\u{1b}[")),
        // Contract: Conventions: tables.
        row("what an agent writes cannot act on the terminal that lists it")
            .then(run("start a --title").word("x\u{202e}y\u{1b}[31mz\u{200b}").word("--").word("cat"))
            .then(run("ls").says("x\\u{202e}y\\u{1b}[31mz\\u{200b}")),
        // Contract: Commands: completions.
        row("completions ask the program, so that agents are completed")
            .then(run("completions bash").says("COUNSEL_COMPLETE"))
            .then(run("completions zsh").says("COUNSEL_COMPLETE"))
            .then(run("completions fish").says("COUNSEL_COMPLETE"))
            .agent("api", "cat")
            .then(completing("counsel read ''", "2").says("api"))
            .then(completing("counsel wait api --for ''", "4").says("asking"))
            .then(completing("counsel signal api ''", "3").says("TERM"))
            .then(completing("counsel attach ''", "2").says("api"))
            .then(completing("counsel --focus ''", "2").says("api")),
        // Contract: Commands: completions.
        row("completions know the configuration, layouts, profiles and worktrees")
            .needs(Need::Git)
            .file("work/counsel.toml", "[[agent]]\nname = \"web\"\ncommand = [\"cat\"]\n")
            .then(completing("counsel up ''", "2").says("web"))
            .then(completing("counsel up --layout ''", "3").says("columns"))
            .then(completing("counsel replay x --profile ''", "4").says("claude"))
            .then(program("git", "init -q"))
            .then(program(
                "git",
                "-c user.name=dev -c user.email=dev@example.com commit -q --allow-empty -m First",
            ))
            .then(run("start a --worktree fix -- true"))
            .then(completing("counsel worktree done ''", "3").says("fix"))
            .then(completing("counsel worktree rm ''", "3").says("fix")),
    ]
}

fn completing(words: &'static str, at: &'static str) -> crate::table::Step {
    run(&format!("-- {words}")).env("COUNSEL_COMPLETE", "bash").env("_CLAP_COMPLETE_INDEX", at)
}
