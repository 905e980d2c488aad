//! Reading and typing.

use serde_json::Value;

use crate::table::{Row, program, row, run};

pub fn rows() -> Vec<Row> {
    vec![
        // Contract: Commands: read.
        row("read gives text, screen, scrollback and bytes")
            .agent("a", "printf 'plain \\033[31mred\\033[0m\\n'; exec cat")
            .then(run("read a --screen").says("plain red").awaited())
            .then(run("read a").says("plain red"))
            .then(run("read a --scrollback").says("plain red"))
            .then(run("read a --raw").says("\u{1b}[31mred"))
            .then(run("read a --scrollback --raw").says("\u{1b}[31mred"))
            .then(run("read a --screen --raw").refused(2, "'--screen' cannot be used with '--raw'"))
            .then(run("read a --screen --scrollback").code(2)),
        // Contract: Commands: read.
        row("read in steps gives what is new since the cursor")
            .agent("a", "echo one; read x; echo two; read x")
            .then(
                run("read a --since 0 --wait 20000 --json")
                    .keys(&["state", "cursor", "text", "truncated", "file"])
                    .holds("/text", |text| text.as_str().is_some_and(|text| text.contains("one")))
                    .save("/cursor", "cursor")
                    .awaited(),
            )
            .then(run("read a --since {cursor} --json").is("/text", ""))
            .then(run("send a --enter"))
            .then(run("read a --since {cursor} --wait 20000").says("two").awaited()),
        // Contract: Commands: read.
        row("the first read gives all that is kept")
            .agent("a", "seq 1 900; exec cat")
            .then(run("read a --screen").says("900").awaited())
            .then(
                run("read a --json")
                    .is("/truncated", false)
                    .holds("/text", |text| text.as_str().is_some_and(|text| text.starts_with("1\n2\n"))),
            )
            .then(run("read a --tail 5").lacks("890")),
        // Contract: Commands: read.
        row("read says so where older lines are gone")
            .file("home/.config/counsel/config.toml", "[server]\nscrollback_lines = 10\n")
            .agent("a", "seq 1 900; exec cat")
            .then(run("read a --screen").says("900").awaited())
            .then(run("read a --scrollback").lacks("\n5\n").complains("counsel: older output of a is no longer kept"))
            .then(run("read a").complains("counsel: older output of a is no longer kept"))
            .then(run("read a --json").is("/truncated", true)),
        // Contract: Commands: read.
        row("read --tail gives the last lines of the screen too")
            .agent("a", "seq 1 9; exec cat")
            .then(run("read a --screen").says("9").awaited())
            .then(run("read a --screen --tail 2").out("8\n9\n")),
        // Contract: Commands: read.
        row("read --wait waits on a first read too")
            .agent("a", "echo early; read x; while :; do echo late; sleep 0.1; done")
            .then(run("read a").says("early").awaited())
            .then(
                program("sh", "-c")
                    .word("{counsel} read a --wait 60000 & it=$!; until ls -l /proc/$it/fd | grep -q socket; do sleep 0.05; done; {counsel} send a --enter; wait $it")
                    .says("late"),
            ),
        // Contract: Commands: read.
        row("a cursor that is too large, or of another life, is an error that names the current one")
            .agent("a", "echo one; exec cat")
            .then(run("read a --wait 20000 --json").save("/cursor", "cursor"))
            .then(run("read a --since 9999999999999 --wait 5000").refused(2, "{cursor}"))
            .then(run("restart a"))
            .then(run("read a --since {cursor}").refused(2, "belongs to an earlier life")),
        // Contract: Commands: read.
        row("cursors go on under the next server, those of --raw as well")
            .agent("a", "echo one; until test -e go; do sleep 0.05; done; printf 'two\\n'; until test -e on; do sleep 0.05; done; echo three; sleep 1000")
            .then(run("read a --json").says("one").save("/cursor", "lines").awaited())
            .then(run("read a --raw --json").says("one").save("/cursor", "raw"))
            .then(program("sh", "-c").word("kill -9 $({counsel} server | sed 's/.*pid \\([0-9]*\\).*/\\1/'); touch go"))
            .then(run("read a --wait 20000 --raw --since {raw} --json").is("/text", "two\r\n").is("/truncated", false).save("/cursor", "next"))
            .then(run("read a --since {lines} --json").holds("/text", |text| text.as_str().is_some_and(|text| text.trim() == "two")))
            .then(run("read a --raw --json").is("/text", "one\r\ntwo\r\n").is("/truncated", false))
            .then(program("touch", "on"))
            .then(run("read a --wait 20000 --raw --since {next} --json").is("/text", "three\r\n")),
        // Contract: Commands: read.
        row("a cursor of read --raw is none of read, nor the other way round")
            .agent("a", "echo one; exec cat")
            .then(run("read a --wait 20000 --json").save("/cursor", "lines"))
            .then(run("read a --raw --json").says("one").save("/cursor", "raw"))
            .then(run("read a --since {raw}").refused(2, "the cursor {raw} is one of 'read --raw'"))
            .then(run("read a --raw --since {lines}").refused(2, "the cursor {lines} is not one of 'read --raw'"))
            .then(run("read a --since {lines}"))
            .then(run("read a --raw --since {raw}")),
        // Contract: Commands: wait.
        row("send then wait --for idle waits for the command to end")
            .then(run("start a -- sh"))
            .then(run("wait a --for idle --timeout 30"))
            .then(run("send a").word("sleep 2; echo over").word("--enter"))
            .then(run("wait a --for idle --timeout 30"))
            .then(run("read a --screen").says("\nover\n")),
        // Contract: Commands: start.
        row("a first prompt is typed where the program prints little")
            .then(run("start a --prompt").word("echo typed $((1+1))").word("--").word("sh"))
            .then(run("read a --screen").says("typed 2").awaited()),
        // Contract: Commands: send.
        row("send types no more than 2 KB a message, and nothing that changes a terminal; a paste may be long")
            .agent("a", "stty -echo; echo ready; cat > all.txt")
            .then(run("read a --screen").says("ready").awaited())
            .then(run("send a").word(&"x".repeat(2049)).refused(4, "one message holds 2048"))
            .then(run("send a -").input(&"x".repeat(2049)).refused(4, "one message holds 2048"))
            .then(run("send a").word("\u{1b}]0;title\u{7}").refused(4, "an OSC sequence"))
            .then(run("send a --raw").word("\u{1b}]52;c;aGk=\u{7}").refused(4, "an OSC sequence"))
            .then(run("send a").word("\u{1b}P1$r\u{1b}\\").refused(4, "a DCS sequence"))
            .then(run("send a").word("\u{1b}[0;59;\"x\"p").refused(4, "changes what keys send"))
            .then(run("send a --paste -").input(&"line\n".repeat(2000)))
            .then(run("send a --key ctrl-d --key ctrl-d"))
            .then(run("wait a --for exited --timeout 30"))
            .then(program("wc", "-c all.txt").out("10000 all.txt\n")),
        // Contract: Commands: read.
        row("read takes a tail")
            .agent("a", "seq 1 50; exec cat")
            .then(run("read a --scrollback").says("50").awaited())
            .then(run("read a --scrollback --tail 2").lacks("48").says("50")),
        // Contract: Commands: read.
        row("more than 2,000 lines or 51,200 bytes lie in a file")
            .agent("a", "seq 1 5000; exec cat")
            .then(run("read a --screen").says("5000").awaited())
            .then(
                run("read a --scrollback --json")
                    .is("/truncated", true)
                    .holds("/file", Value::is_string)
                    .save("/file", "file"),
            )
            .then(run("ls").file_has("{file}", "\n4999\n5000")),
        // Contract: Commands: read, search.
        row("what is more than one message between programs takes is read and searched whole")
            .agent("a", "seq 1 300000; exec cat")
            .file("home/.config/counsel/config.toml", "[server]\nscrollback_lines = 1000000\n")
            .then(run("read a --screen").says("300000").awaited())
            .then(program("sh", "-c").word("seq 1 300000 > all.txt; {counsel} read a --scrollback > read.txt; grep . read.txt | cmp all.txt"))
            .then(run("read a --json").holds("/text", |text| text.as_str().is_some_and(|text| text.starts_with("1\n2\n"))).save("/cursor", "cursor").save("/file", "file"))
            .then(program("sh", "-c").word("grep . {file} | cmp all.txt"))
            .then(run("read a --since {cursor}").out(""))
            .then(run("search 299900 --in scrollback --json").is("/line", 299_900))
            .then(run("read a --scrollback --tail 3").says("299999\n300000")),
        // Contract: Commands: send.
        row("send types text, keys and Enter")
            .agent("a", "while read line; do echo \"got $line\"; done")
            .then(run("send a hello --enter").silent())
            .then(run("read a --screen").says("got hello").awaited())
            .then(
                run("send a there --key enter --json")
                    .keys(&["name", "did", "bytes", "keys", "enter"])
                    .is("/did", "sent")
                    .is("/bytes", 5),
            )
            .then(run("read a --screen").says("got there").awaited())
            .then(run("send a").refused(2, "there is nothing to send"))
            .then(run("send a").word("").refused(2, "there is nothing to send"))
            .then(run("send a --paste").word("").refused(2, "there is nothing to send"))
            .then(run("send a -").refused(2, "there is nothing to send"))
            .then(run("send a - --enter --json").is("/bytes", 0).is("/enter", true)),
        // Contract: Commands: send.
        row("keys have tmux's names too")
            .agent("a", "while read line; do echo \"got $line\"; done; echo over")
            .then(run("send a x --key Enter"))
            .then(run("read a --screen").says("got x").awaited())
            .then(run("send a --key C-d"))
            .then(run("wait a --for exited --timeout 30")),
        // Contract: Commands: send.
        row("send reads standard input, and a line feed is the Return key")
            .agent("a", "stty raw -echo; echo ready; head -c 3 | od -An -c")
            .then(run("read a --screen").says("ready").awaited())
            .then(run("send a -").input("x\ny"))
            .then(run("read a --screen").says("\\r").awaited()),
        // Contract: Commands: send.
        row("send --raw sends bytes exactly as they are")
            .agent("a", "stty raw -echo; echo ready; head -c 4 | od -An -tx1")
            .then(run("read a --screen").says("ready").awaited())
            .then(run("send a - --raw").input("\u{1b}\n\u{e9}"))
            .then(run("read a --screen").says("1b 0a c3 a9").awaited())
            .then(run("send a x --raw --paste").code(2)),
        // Contract: Commands: send.
        row("send --paste pastes")
            .agent("a", "printf '\\033[?2004h'; stty raw -echo; echo ready; head -c 13 | od -An -c")
            .then(run("read a --screen").says("ready").awaited())
            .then(run("send a x --paste"))
            .then(run("read a --screen").says("2   0   0   ~   x").awaited()),
        // Contract: Commands: record.
        row("no recording goes to a file that another one goes to")
            .agent("a", "exec cat")
            .agent("b", "exec cat")
            .then(run("record a one.cast"))
            .then(program("ln", "one.cast two.cast"))
            .then(run("record b one.cast --force").refused(1, "another recording goes there already; name another").file_has("{work}/one.cast", "\"version\":2"))
            .then(run("record b two.cast --force").refused(1, "another recording goes there already; name another"))
            .then(run("record a one.cast --force").code(0))
            .then(run("record b three.cast").code(0)),
        // Contract: Commands: record.
        row("record writes an asciicast, refuses a file that is there, and touches nothing when refused")
            .file("work/old.cast", "precious\n")
            .then(
                run("record nobody old.cast")
                    .refused(3, "there is no agent 'nobody'")
                    .file_has("{work}/old.cast", "precious"),
            )
            .then(run("record nobody new.cast").refused(3, "there is no agent").no_file("{work}/new.cast"))
            .agent("a", "exec cat")
            .then(run("record nobody new.cast").refused(3, "there is no agent").no_file("{work}/new.cast"))
            .then(
                run("record a old.cast")
                    .refused(1, "the file exists")
                    .file_has("{work}/old.cast", "precious"),
            )
            .then(
                run("record a /no/such/folder/x.cast")
                    .refused(1, "could not record to /no/such/folder/x.cast"),
            )
            .then(run("record a new.cast --json").is("/did", "recording").is("/file", "{work}/new.cast"))
            .then(run("send a recorded --enter"))
            .then(run("ls").file_has("{work}/new.cast", "recorded").awaited())
            .then(run("record a --json").is("/did", "recording ended").file_has("{work}/new.cast", "\"command\":\"sh -c "))
            .then(run("record a old.cast --force").silent())
            .then(run("ls").file_has("{work}/old.cast", "\"version\":2").awaited())
            .then(run("replay new.cast --json").keys(&["t", "state", "why", "question"])),
        // Contract: Commands: record.
        row("record has resizes, and begins when it is asked to")
            .agent("a", "echo before; exec cat")
            .then(run("read a --screen").says("before").awaited())
            .then(run("record a new.cast"))
            .then(run("resize a 90x30"))
            .then(run("ls").file_has("{work}/new.cast", "\"r\",\"90x30\"").awaited())
            .then(run("record a --json").is("/did", "recording ended"))
            .then(run("record a --json").is("/did", "nothing"))
            .then(run("record a").out("a is not being recorded\n")),
        // Contract: Commands: record.
        row("a second recording says that it ends the first")
            .agent("a", "exec cat")
            .then(run("record a one.cast --json").is("/ended", Value::Null))
            .then(run("record a two.cast").out("a is no longer recorded to {work}/one.cast\n"))
            .then(run("record a three.cast --json").is("/did", "recording").is("/ended", "{work}/two.cast"))
            .then(run("record a --json").is("/file", "{work}/three.cast")),
        // Contract: Commands: read.
        row("more than 51,200 bytes lie in a file, however few their lines")
            .agent("a", "for i in 1 2 3 4 5 6 7 8 9; do printf '%8000s' $i; done; echo over; exec cat")
            .then(run("read a --screen").says("over").awaited())
            .then(run("read a --json").is("/truncated", true).holds("/file", Value::is_string).holds("/text", |text| text.as_str().is_some_and(|text| text.len() <= 51_200)))
            .then(run("record nobody x.cast").code(3)),
        // Contract: Commands: record.
        row("record does not wait for the reader of a pipe")
            .agent("a", "exec cat")
            .then(crate::table::program("mkfifo", "pipe"))
            .then(run("record a pipe").refused(1, "the file exists"))
            .then(run("record a pipe --force").refused(1, "it is a pipe")),
        // Contract: Commands: record.
        row("record says that an agent prints no more")
            .agent("a", "exit 0")
            .then(run("wait a --for exited"))
            .then(run("record a new.cast").refused(1, "has exited").no_file("{work}/new.cast")),
    ]
}
