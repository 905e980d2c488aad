//! Programs that run to completion.

use nix::sys::signal::Signal;

use crate::table::{Row, program, row, run};

pub fn rows() -> Vec<Row> {
    vec![
        // Contract: Commands: exec.
        row("exec prints what the program prints, without control sequences, and ends with its code")
            .then(
                run("exec -- sh -c").word("test -t 1 && printf 'a\\033[31mb\\n'; exit 7").code(7).out("ab\n"),
            )
            .then(run("exec --raw -- printf").word("\\033[1mx").out("\u{1b}[1mx"))
            .then(run("exec -- /no/such/program").refused(1, "no program /no/such/program")),
        // Contract: Commands: exec.
        row("exec stops at its time, says what there is and the name, and leaves it running")
            .then(
                run("exec --timeout 0.5 --name slow -- sh -c")
                    .word("echo begun; exec sleep 1000")
                    .code(124)
                    .out("begun\n")
                    .complains("counsel: could not run sh to its end: still running after 0.5 s; it goes on as agent slow"),
            )
            .then(run("ls --json").is("/name", "slow"))
            .then(run("exec --timeout 301 -- true").refused(2, "--timeout is 0 to 300 seconds"))
            .then(run("exec --timeout=-1 -- true").code(2))
            .then(run("exec --help").says("[default: 60]")),
        // Contract: Commands: exec.
        row("exec does not take the name of an agent that has ended and is kept")
            .then(run("start build -- sh -c").word("echo last words; exit 3"))
            .then(run("wait build --for exited"))
            .then(run("exec --name build -- echo hi").refused(1, "'counsel stop build' takes it off the list"))
            .then(run("read build").out("last words\n"))
            .then(run("stop build"))
            .then(run("exec --name build -- echo hi").out("hi\n")),
        // Contract: Commands: exec.
        row("an agent that exec waits for is not started again")
            .then(
                program("sh", "-c")
                    .word("{counsel} exec --name k -- sh -c 'touch up; until test -e over; do sleep 0.1; done; exit 4' & until test -e up; do sleep 0.1; done; {counsel} restart k; echo restarted $?; touch over; wait $!; echo ended $?")
                    .out("restarted 1\nended 4\n"),
            ),
        // Contract: Commands: exec.
        row("exec passes standard input on, and its end")
            .then(run("exec -- cat").input("one\ntwo\n").out("one\ntwo\n"))
            .then(run("exec -- cat").input("no line feed").out("no line feed"))
            .then(run("exec -- wc -l").input("").out("0\n"))
            .then(
                program("sh", "-c")
                    .word("printf 'caf\\351\\n' | {counsel} exec -- od -An -tx1")
                    .out(" 63 61 66 e9 0a\n"),
            )
            .then(
                program("sh", "-c")
                    .word("printf 'caf\\303' | {counsel} exec -- od -An -tx1")
                    .out(" 63 61 66 c3\n"),
            ),
        // Contract: Commands: exec.
        row("exec hands on what it is given and what is printed as it is, however long the lines and whatever the bytes")
            .then(run("exec -- cat").input("a\tb \n\n dos\r\nlast").out("a\tb \n\n dos\r\nlast"))
            .then(run("exec -- wc -c").input(&"x".repeat(10_000)).out("10000\n"))
            .then(run("exec -- wc -c").input(&"x".repeat(9_000_000)).out("9000000\n"))
            .then(
                program("sh", "-c")
                    .word("printf 'a\\001\\003\\004\\r\\033]0;x\\007\\351\\n' | {counsel} exec -- od -An -tx1")
                    .out(" 61 01 03 04 0d 1b 5d 30 3b 78 07 e9 0a\n"),
            )
            .then(
                program("sh", "-c")
                    .word("seq 100000 > in; {counsel} exec -- sh -c 'tr 123 \"\\\\t\\\\351x\"' < in > out; tr 123 '\\t\\351x' < in | cmp - out"),
            )
            .then(program("sh", "-c").word("{counsel} exec --raw -- printf '\\033[1m\\351\\n' | od -An -tx1").out(" 1b 5b 31 6d e9 0d 0a\n"))
            .then(run("exec --json -- printf").word("caf\\303\\251\\t\\033[1mx").is("/text", "café\tx")),
        // Contract: Commands: exec.
        row("exec's program is on a terminal, whatever it is given to read")
            .then(run("exec -- sh -c").word("tty < /dev/tty > /dev/null && test -t 1 && test -t 2 && cat").input("data").out("data"))
            .then(program("sh", "-c").word("{counsel} exec -- sh -c 'test -t 0 && tty; cat' < /dev/null").says("/dev/pts/"))
            .then(program("sh", "-c").word("cd {home}; TMPDIR={work}/tmp; mkdir $TMPDIR; export TMPDIR; echo x | {counsel} exec -- cat; ls -A $TMPDIR").out("x\n")),
        // Contract: Commands: exec.
        row("exec --screen prints what a terminal shows in the end")
            .then(run("exec --screen -- printf").word("10%%\\r20%%\\r\\na\\tb").out("20%\na       b\n"))
            .then(run("exec -- printf").word("10%%\\r20%%\\r\\n").out("10%\r20%\r\n"))
            .then(run("exec --screen --raw -- true").code(2)),
        // Contract: Commands: exec.
        row("exec does not wait for a child that the program left behind").then(
            run("exec --timeout 20 -- sh -c")
                .word("(while :; do echo on; sleep 0.05; done) & echo mine; exit 3")
                .code(3)
                .says("mine"),
        )
        // What they print is always new: it comes faster than it is read.
        .then(
            run("exec --timeout 20 -- sh -c")
                .word("trap '' HUP; yes & yes & echo mine; sleep 0.2; exit 3")
                .code(3)
                .says("mine"),
        )
        // Whoever reads it is slow: there is always more by the time it asks again.
        .then(
            program("sh", "-c")
                .word("{ {counsel} exec --timeout 20 -- sh -c \"trap '' HUP; yes & echo mine; sleep 0.2; exit 3\"; echo $? > code.txt; } | while test $(head -c 65536 | wc -c) -gt 0; do sleep 0.05; done; cat code.txt")
                .out("3\n"),
        ),
        // Contract: Commands: exec.
        row("exec that is broken off ends its program, or keeps it and names it")
            .then(
                run("exec --name gone -- sh -c")
                    .word("echo begun; sleep 1000")
                    .ended_by(Signal::SIGINT, "begun")
                    .lacks("gone"),
            )
            .then(run("ls --json").out(""))
            .then(
                run("exec --name kept --keep -- sh -c")
                    .word("echo begun; sleep 1000")
                    .ended_by(Signal::SIGTERM, "begun")
                    .complains("it goes on as agent kept"),
            )
            .then(run("ls --json").is("/name", "kept")),
        // Contract: Commands: exec.
        row("exec that is killed ends its program, also where the server is killed with it")
            .then(
                program("sh", "-c")
                    .word("{counsel} exec --name it -- sh -c 'echo begun; sleep 1000' > out.txt & it=$!; until grep -qs begun out.txt; do sleep 0.05; done; kill -9 $it; {counsel} wait it --for exited --timeout 20 2> /dev/null; until test -z \"$({counsel} ls --json)\"; do sleep 0.05; done"),
            )
            .then(
                program("sh", "-c")
                    .word("{counsel} exec --name it -- sh -c 'echo begun; sleep 1000' > out.txt & it=$!; until grep -qs begun out.txt; do sleep 0.05; done; server=$({counsel} server | sed 's/.*pid \\([0-9]*\\).*/\\1/'); kill -9 $it $server; {counsel} server > server.txt; until test -z \"$({counsel} ls --json)\"; do sleep 0.05; done"),
            )
            .then(run("exec --timeout 0.5 --name told -- sleep 1000").code(124))
            .then(run("server restart").says("the server runs"))
            .then(run("wait told --for exited --timeout 1").code(124))
            .then(run("ls --json").is("/name", "told")),
        // Contract: Commands: exec.
        row("exec ends its program however many signals come")
            .then(
                program("sh", "-c")
                    .word("{counsel} exec --name twice -- sh -c 'trap \"\" TERM; echo begun; while :; do sleep 1; done' > out.txt & it=$!; until grep -qs begun out.txt; do sleep 0.05; done; kill -TERM $it; kill -HUP $it; kill -INT $it; wait $it; echo $?")
                    .out("130\n"),
            )
            .then(run("ls --json").out("")),
        // Contract: Commands: exec.
        row("exec goes on under the next server, whether the last one was killed or restarted")
            .then(
                program("sh", "-c")
                    .word("{counsel} exec --name it -- sh -c 'echo begun; until test -e go; do sleep 0.05; done; echo ended; exit 7' > out.txt & it=$!; until grep -qs begun out.txt; do sleep 0.05; done; kill -9 $({counsel} server | sed 's/.*pid \\([0-9]*\\).*/\\1/'); touch go; wait $it; echo $?; cat out.txt")
                    .out("7\nbegun\nended\n"),
            )
            .then(
                program("sh", "-c")
                    .word("rm go; {counsel} exec --name it -- sh -c 'echo begun; until test -e go; do sleep 0.05; done; echo ended; exit 7' > out.txt & it=$!; until grep -qs begun out.txt; do sleep 0.05; done; {counsel} server restart > restarted.txt; echo $?; touch go; wait $it; echo $?; cat out.txt")
                    .out("0\n7\nbegun\nended\n"),
            )
            .then(run("ls --json").out("")),
        // Contract: Commands: exec.
        row("exec whose program is ended with all the others has failed")
            .then(
                // With the code of the signal, or, where the list is gone before it can be asked, by saying so.
                program("sh", "-c")
                    .word("{counsel} exec --name it -- sh -c 'echo begun; sleep 1000' > out.txt & it=$!; until grep -qs begun out.txt; do sleep 0.05; done; {counsel} down > down.txt; wait $it; case $? in 143) ;; 1) ;; *) echo \"$?\" ;; esac")
                    .out(""),
            )
            .then(run("ls --json").out("")),
        // Contract: Commands: exec.
        row("exec whose reader has gone ends its program")
            .then(
                program("sh", "-c")
                    .word("{counsel} exec --name gone -- sh -c 'while :; do echo on; done' | head -1")
                    .out("on\n"),
            )
            .then(run("ls --json").out(""))
            .then(program("sh", "-c").word("{counsel} exec --name quiet -- sleep 1000 | true"))
            .then(run("ls --json").out("")),
        // Contract: Commands: exec.
        row("exec that cannot write ends its program")
            .then(
                program("sh", "-c")
                    .word("{counsel} exec --name full -- sh -c 'echo hi; sleep 1000' > /dev/full")
                    .refused(1, "could not write the output"),
            )
            .then(run("ls --json").out("")),
        // Contract: Commands: exec.
        row("exec prints one object with --json")
            .then(
                run("exec --json -- sh -c")
                    .word("echo out; exit 3")
                    .code(3)
                    .keys(&["name", "exit_code", "timed_out", "text", "truncated", "file"])
                    .is("/exit_code", 3)
                    .is("/timed_out", false)
                    .is("/text", "out\n"),
            )
            .then(
                run("exec --json --timeout 0.2 --name late -- sleep 100")
                    .code(124)
                    .is("/timed_out", true)
                    .is("/exit_code", serde_json::Value::Null)
                    .is("/name", "late"),
            ),
    ]
}
