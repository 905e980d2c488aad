//! Where counsel keeps what it has, and what an agent may and may not do.

use serde_json::Value;

use crate::table::{Need, Row, program, row, run};

pub fn rows() -> Vec<Row> {
    vec![
        // Contract: Conventions: names.
        row("a name is a small letter or digit and 31 more of letters, digits, lines")
            .then(run("start a_b-c0 -- cat"))
            .then(run("start 0abcdefghijklmnopqrstuvwxyz01234 -- cat"))
            .then(run("start 0abcdefghijklmnopqrstuvwxyz012345 -- cat").refused(2, "is not a name"))
            .then(run("start -- cat").code(2))
            .then(run("start _a -- cat").refused(2, "is not a name"))
            .then(run("start A -- cat").refused(2, "is not a name"))
            .then(run("start human -- cat").refused(2, "'human' means the person; choose another name"))
            .then(run("ls --json").holds_lines(2)),
        // Contract: Conventions: tables.
        row("a table fits the terminal, and what is cut says so")
            .then(run("start long --title").word("a title that no terminal of forty columns has any room for").word("--").word("cat"))
            .then(run("start t --size 70x10 -- sh -c").word("{counsel} ls; exec cat"))
            .then(run("read t --screen").says("…").lacks("forty columns").awaited())
            .then(run("ls").says("forty columns has any room for")),
        // Contract: Conventions: tables.
        row("what is told in words is folded where the terminal ends, and is whole in a pipe")
            .then(run("start a --size 200x10 -- sh -c").word("printf 'Shall all that was found in the old folder, and whatever else belongs to it, be moved to the new one? [y/N] '; read answer; exec cat"))
            .then(run("wait a --for asking --timeout 30"))
            .then(run("questions --json").save("/id", "id"))
            .then(run("questions").says("    Shall all that was found in the old folder, and whatever else belongs to it, be moved to the new one? [y/N]\n"))
            .then(program("script", "-qec").word("stty cols 60; {counsel} questions").word("/dev/null").says("    Shall all that was found in the old folder, and whatever\r\n    else belongs to it, be moved to the new one? [y/N]\r\n"))
            .then(run("answer {id} y"))
            .then(program("sh", "-c").word("for words in log doctor 'server log'; do {counsel} $words | wc -L | xargs test 60 -lt || echo \"$words fits anyhow\"; {counsel} start t --size 60x20 -- sh -c \"COUNSEL_STATE_DIR={state} {counsel} $words < /dev/null\"; {counsel} wait t --for exited; wide=$({counsel} read t --raw | wc -L); {counsel} stop t >/dev/null; test 30 -lt $wide && test $wide -le 60 || echo \"$words: $wide\"; done").out(""))
            .then(run("start t --size 60x20 -- sh -c").word("COUNSEL_STATE_DIR={state} {counsel} log"))
            .then(run("wait t --for exited"))
            .then(run("read t").says("\n    Shall all that was found in the old folder, and whatever\n    else belongs to it, be moved to the new one? [y/N]\n")),
        // Contract: Conventions: tables.
        row("colours are for terminals, and NO_COLOR says no")
            .agent("a", "cat")
            .then(run("exec --raw -- {counsel} ls").says("\u{1b}["))
            .then(run("exec --raw -- env NO_COLOR=1 {counsel} ls").lacks("\u{1b}[1m"))
            .then(program("sh", "-c").word("{counsel} exec --raw -- env NO_COLOR=1 {counsel} doctor; true").says("ok    ").lacks("\u{1b}["))
            .then(run("ls --color always").env("NO_COLOR", "1").says("\u{1b}[")),
        // Contract: Commands: start.
        row("start leaves its words as they are")
            .then(run("start a -- printf").word("<%s>").word("$HOME").word("*").word("a b").word("~"))
            .then(run("wait a --for exited"))
            .then(run("read a").out("<$HOME><*><a b><~>\n")),
        // Contract: Commands: stop.
        row("stop ends everything the agent ever started, also what has left its session")
            .agent("a", "setsid sleep 1000 & echo $! > far; (sleep 1000 & echo $! > near); trap '' TERM; echo ready; while :; do sleep 1; done")
            .then(run("read a --screen").says("ready").awaited())
            .then(run("stop a --grace 0.2 --json").is("/did", "stopped").is("/left", Value::Array(Vec::new())))
            .then(program("sh", "-c").word("! kill -0 $(cat far) && ! kill -0 $(cat near)")),
        // Contract: Files.
        row("sockets and state are the user's alone")
            .agent("a", "cat")
            .then(program("sh", "-c").word("stat -c %a {run}/counsel.sock {run}/keep-a.sock {run}/agents/counsel.sock | sort -u").out("600\n"))
            .then(program("sh", "-c").word("umask 0; {counsel} down --grace 0; rm -r {run} {state}; {counsel} start a -- cat; stat -c %a {run} {state} {run}/agents {state}/journals | sort -u; stat -c %a {run}/counsel.sock {state}/server.log | sort -u").says("700\n600\n")),
        // Contract: Files.
        row("sockets lie below XDG_RUNTIME_DIR, else below the temporary folder, and state below XDG_STATE_HOME")
            .then(program("sh", "-c").word("unset COUNSEL_RUNTIME_DIR COUNSEL_STATE_DIR; mkdir -m 700 xdg; export XDG_RUNTIME_DIR={work}/xdg XDG_STATE_HOME={work}/kept; {counsel} start a -- cat && test -S xdg/counsel/counsel.sock && test -f kept/counsel/server.log && stat -c %a xdg/counsel kept/counsel; {counsel} down --grace 0 > down.txt").out("700\n700\n"))
            .then(program("sh", "-c").word("unset COUNSEL_RUNTIME_DIR XDG_RUNTIME_DIR; mkdir tmp; export TMPDIR={work}/tmp; {counsel} start a -- cat && stat -c '%a %F' tmp/*; {counsel} down --grace 0 > down.txt").out("700 directory\n"))
            .then(run("ls --json").out("")),
        // Contract: Files.
        row("a folder that is named relative to where one stands is refused, and not passed over")
            .then(run("ls").env("COUNSEL_RUNTIME_DIR", "rel").refused(2, "COUNSEL_RUNTIME_DIR is 'rel'; name an absolute path"))
            .then(run("down").env("COUNSEL_STATE_DIR", "./rel").refused(2, "COUNSEL_STATE_DIR is './rel'; name an absolute path")),
        // Contract: Files: an agent's environment.
        row("an agent knows its name and its server, and has a word that lets it ask and list, and neither answer nor type")
            .agent("b", "printf 'Use TypeScript? [y/N] '; read answer; exec cat")
            .then(run("wait b --for asking --timeout 30"))
            .then(run("questions --json").save("/id", "id"))
            .then(run("start a -- sh -c").word("test -S $COUNSEL_SOCKET && test -n \"$COUNSEL_TOKEN\" && echo \"I am $COUNSEL_AGENT\"; {counsel} ls; {counsel} send b x; echo \"send $?\"; {counsel} answer {id} y; echo \"answer $?\"; {counsel} stop b; echo \"stop $?\"; {counsel} start c -- cat; echo \"start $?\"; exec cat"))
            .then(run("read a --scrollback").says("I am a\n").says("send 4").says("answer 4").says("stop 4").says("start ").awaited())
            .then(run("questions --json").is("/id", "{id}").is("/status", "escalated"))
            .then(run("ls --json").holds_lines(2)),
        // Contract: Files: an agent's environment.
        row("what an agent started without its word is refused, and not told that there are no agents")
            .then(run("start a -- sh -c").word("unset COUNSEL_TOKEN XDG_RUNTIME_DIR; export TMPDIR=$PWD; {counsel} send b x; echo \"send $?\"; {counsel} questions; echo \"questions $?\"; exec cat"))
            .then(run("read a --scrollback").says("COUNSEL_TOKEN, by which its server knows it").says("send 4").says("questions 4").awaited()),
        // Contract: Configuration.
        row("what a user's file restricts no project's raises")
            .file("home/.config/counsel/config.toml", "[security]\nallow_commands = [\"cat\"]\n[permissions]\nterminal_stop = \"deny\"\n")
            .file("work/mine.toml", "[security]\nallow_commands = [\"*\"]\n[permissions]\nterminal_stop = \"allow\"\n[[agent]]\nname = \"a\"\ncommand = [\"sleep\", \"1000\"]\n")
            .then(run("up -f mine.toml").code(4))
            .then(run("config show -f mine.toml --json").is("/permissions/terminal_stop", "deny")),
        // Contract: Configuration.
        row("what is denied to programs is not denied to the person")
            .file("home/.config/counsel/config.toml", "[permissions]\nterminal_start = \"deny\"\nterminal_stop = \"deny\"\n")
            .then(run("start b -- cat"))
            .then(run("stop b --json").is("/did", "stopped")),
        // Contract: Configuration.
        row("a project's file is found up to the root of its repository, and -f goes before it")
            .needs(Need::Git)
            .file("work/counsel.toml", "[[agent]]\nname = \"far\"\ncommand = [\"cat\"]\n")
            .file("work/in/there/x.toml", "[[agent]]\nname = \"named\"\ncommand = [\"cat\"]\n")
            .file("home/.config/counsel/config.toml", "[consult]\ndeadline_secs = 44\n")
            .then(program("git", "init -q"))
            .then(program("sh", "-c").word("cd in/there; {counsel} config show --json").is("/agent/0/name", "far").is("/consult/deadline_secs", 44))
            .then(program("sh", "-c").word("cd in/there; {counsel} config show --json -f x.toml").is("/agent/0/name", "named").is("/consult/deadline_secs", 44))
            .then(program("sh", "-c").word("cd in/there; {counsel} config path").says("counsel.toml\n").says("config.toml\n")),
        // Contract: Configuration.
        row("a project's file that sets what the server does is told that it does not")
            .file("home/.config/counsel/config.toml", "[server]\nscrollback_lines = 77\n")
            .file("work/counsel.toml", "[server]\nscrollback_lines = 99\n[record]\nauto = true\n[attach]\nsize = \"smallest\"\n")
            .then(run("config check").says("counsel.toml:2:20: key server.scrollback_lines: one server serves all projects").says("key record.auto").says("key attach.size"))
            .then(run("config show --json").is("/server/scrollback_lines", 77).is("/record/auto", false).is("/attach/size", "latest")),
        // Contract: Commands: ls.
        row("ls --json says what keeps an agent apart")
            .agent("a", "cat")
            .then(run("ls --json").is("/isolate", "none")),
    ]
}
