//! Starting, listing, pausing, stopping.

use nix::sys::signal::Signal;
use serde_json::Value;

use crate::table::{Need, Row, program, row, run};

/// Milliseconds since the epoch, of this century.
fn unix_ms(value: &Value) -> bool {
    value.as_u64().is_some_and(|ms| ms > 1_700_000_000_000)
}

const TEAM: &str =
    "[[agent]]\nname = \"api\"\ncommand = [\"cat\"]\n[[agent]]\nname = \"web\"\ncommand = [\"cat\"]\n";

/// Stops the keeper of the agent whose process was saved.
const STAND_STILL: &str = "kill -STOP $(ps -o ppid= -p {pid})";

pub fn rows() -> Vec<Row> {
    vec![
        // Contract: Commands: start.
        row("start says nothing, and what it did with --json")
            .then(run("start a -- cat").silent())
            .then(run("start b --json -- cat").keys(&["name", "did", "pid", "state", "cwd"]).is("/did", "started")),
        // Contract: Commands: start.
        row("start takes folder, environment, profile, role, host, prompt, size and title")
            .then(run("start a --cwd {home} --env WORD=said --profile generic --role consultant --host pty --size 90x20 --title mine -- sh -c 'echo $WORD; pwd; cat'"))
            .then(run("ls --json").is("/cols", 90).is("/rows", 20).is("/title", "mine").is("/role", "consultant").is("/host", "pty").is("/cwd", "{home}"))
            .then(run("read a --scrollback --wait 2000").says("said").awaited()),
        // Contract: Commands: start.
        row("start names what cannot be")
            .then(run("start 'Bad Name' -- cat").refused(2, "is not a name"))
            .then(run("start empty -- ''").refused(2, "there is no program to start; name one"))
            .then(run("start a --cwd /no/such -- cat").refused(1, "could not start a: /no/such is not a folder"))
            .then(run("start a -- /no/such/program").refused(1, "could not start a: no program /no/such/program"))
            .then(run("start a --profile nothing -- cat").refused(2, "there is no profile 'nothing'"))
            .then(run("start a --env =x -- cat").refused(2, "write it as NAME=VALUE"))
            .then(run("start a --role boss -- cat").refused(2, "possible values: worker, consultant"))
            .then(run("start a --host moon -- cat").refused(2, "possible values: pty, tmux"))
            .then(run("start a -- cat"))
            .then(run("start a -- cat").refused(1, "runs already"))
            .then(run("start w3 --consultant w3 -- cat").refused(2, "an agent cannot answer itself; name another agent or a [[consultant]]")),
        // Contract: Commands: start.
        row("start tells of a consultant that nobody is")
            .then(run("start a --consultant nobody -- cat").refused(3, "there is no consultant 'nobody'"))
            .then(run("ls --json").out(""))
            .agent("advisor", "cat")
            .then(run("start a --consultant advisr -- cat").refused(3, "there are advisor"))
            .then(run("start a --consultant advisor -- cat")),
        // Contract: Commands: start.
        row("start takes a prompt")
            .then(run("start a --prompt hello -- sh -c").word("seq 1 300; exec cat"))
            .then(run("read a --screen").says("hello").awaited()),
        // Contract: Commands: ls; Conventions: times.
        row("ls has the keys of the contract, and times in Unix milliseconds")
            .agent("a", "cat")
            .then(
                run("ls --json")
                    .keys(&["name", "state", "since", "question", "profile", "host", "pid", "cols", "rows", "exit_code", "role", "title"])
                    .holds("/since", unix_ms)
                    .holds("/pid", Value::is_u64),
            ),
        // Contract: Commands: ls.
        row("ls shows how a program ended")
            .agent("a", "exit 7")
            .then(run("wait a --for exited"))
            .then(run("ls --json").is("/state", "exited").is("/exit_code", 7))
            .then(run("ls").says("exited (7)")),
        // Contract: Commands: ls; Conventions: times.
        row("an agent that has ended did so when it did, whatever became of the server since")
            .agent("a", "exit 7")
            .then(run("wait a --for exited"))
            .then(run("ls --json").save("/since", "since"))
            .then(program("sh", "-c").word("server=$({counsel} server --json | sed 's/.*\"pid\":\\([0-9]*\\).*/\\1/'); kill -9 $server; tail --pid=$server -f /dev/null"))
            .then(program("sh", "-c").word("test $({counsel} ls --json | sed 's/.*\"since\":\\([0-9]*\\).*/\\1/') -le {since}").awaited())
            .then(run("ls --json").is("/state", "exited").is("/exit_code", 7)),
        // Contract: Commands: ls, explain.
        row("what has printed anything and is not known is unknown, to ls as to explain")
            .agent("a", "echo bar; exec cat")
            .then(run("ls --json").is("/state", "unknown").awaited())
            .then(program("sh", "-c").word("{counsel} ls | sed -n 's/^a *\\([a-z]*\\) .*/\\1/p'").out("unknown\n"))
            .then(run("events").ended_by(Signal::SIGTERM, "a: unknown\n"))
            .then(run("explain a").says("unknown (generic/unrecognised)"))
            .agent("b", "exec sleep 1000")
            .then(run("explain b --json").is("/state", "starting")),
        // Contract: Commands: up, down.
        row("up starts the team, down stops it and the server")
            .file("work/team.toml", TEAM)
            .then(run("up -f team.toml").out("started api, web\n"))
            .then(run("up -f team.toml").out("all agents run already\n"))
            .then(run("up -f team.toml --json").holds_lines(2).keys(&["name", "did", "error", "changed"]).is("/did", "nothing").is("/name", "api"))
            .then(run("up -f team.toml --json web").holds_lines(1).is("/did", "nothing").is("/name", "web"))
            .then(run("ls").says("api").says("web"))
            .then(run("down --grace 0 --json").keys(&["did"]).is("/did", "stopped"))
            .then(run("down").out("no server runs\n"))
            .then(run("down --json").is("/did", "nothing"))
            .then(run("up -f team.toml --json").keys(&["name", "did", "error", "changed"]).is("/did", "started")),
        // Contract: Commands: up, down.
        row("up takes no agent of another project's for its own")
            .file("work/one/counsel.toml", TEAM)
            .file("work/two/counsel.toml", TEAM)
            .then(run("up -f one/counsel.toml web").out("started web\n"))
            .then(
                run("up -f two/counsel.toml")
                    .code(4)
                    .complains("could not start web: another project's agent of that name is there, in")
                    .complains("/one; give this one another name, or stop that one first; 1 of 2 agents started"),
            )
            .then(run("up -f two/counsel.toml web --json").code(4).is("/did", "failed").is("/name", "web"))
            .then(run("up -f one/counsel.toml web").out("all agents run already\n"))
            // One that has ended is not replaced either.
            .then(program("sh", "-c").word("kill -9 $({counsel} ls --json | sed -n 's/.*\"name\":\"web\".*\"pid\":\\([0-9]*\\).*/\\1/p')"))
            .then(run("wait web --for exited --timeout 20"))
            .then(run("up -f two/counsel.toml web").code(4).complains("another project's agent of that name"))
            .then(run("up -f one/counsel.toml web").out("started web\n"))
            // Whatever becomes of its folder, and though another project's agent works in the same one.
            .file("work/two/same.toml", "[[agent]]\nname = \"web\"\ncwd = \"../one\"\ncommand = [\"cat\"]\n")
            .then(run("up -f two/same.toml").code(4).complains("another project's agent of that name"))
            .then(program("sh", "-c").word("sed -i 's/name = \"web\"/&\\ncwd = \"..\"/' one/counsel.toml"))
            .then(run("up -f one/counsel.toml web").says("web runs as before")),
        // Contract: Commands: up, down.
        row("up tells who runs otherwise than the file says by now, and how that is taken up")
            .file("work/team.toml", TEAM)
            .then(run("up -f team.toml").out("started api, web\n"))
            .then(program("sh", "-c").word("sed -i 's/name = \"web\"/&\\nenv = { NEW = \"1\" }/' team.toml"))
            .then(run("up -f team.toml").out("all agents run already\nweb runs as before, not as the configuration has it now; 'counsel stop web', then 'counsel up -f team.toml web', takes that up\n"))
            .then(run("up -f team.toml --json web").is("/did", "nothing").is("/changed", true))
            .then(run("up -f team.toml --json api").is("/changed", false))
            .then(run("stop web"))
            .then(run("up -f team.toml web").out("started web\n"))
            .then(run("up -f team.toml").out("all agents run already\n"))
            .then(program("sh", "-c").word("printf '\n[[rule]]\nkind = \"menu\"\nthen = \"human\"\n' >> team.toml"))
            .then(run("server restart"))
            .then(run("up -f team.toml").says("api, web run as before").says("'counsel stop api web', then 'counsel up -f team.toml api web'")),
        // Contract: Commands: up, down.
        row("up takes a file, a layout and names")
            .file("work/other.toml", TEAM)
            .then(run("up -f other.toml --layout nothing").refused(2, "there is no layout 'nothing'"))
            .then(run("up --file other.toml --layout grid web").out("started web\n"))
            .then(run("up -f other.toml nobody").refused(3, "there is no agent 'nobody'"))
            .then(run("up").refused(2, "there are no agents to start")),
        // Contract: Commands: up, down.
        row("up tells which could not be started, and goes on with the others")
            .file("work/team.toml", "[[agent]]\nname = \"a\"\ncommand = [\"/no/such\"]\n[[agent]]\nname = \"b\"\ncommand = [\"cat\"]\n")
            .then(run("up -f team.toml").refused(1, "could not start a: no program /no/such"))
            .then(run("read a").refused(3, "a does not run: could not start a: no program /no/such"))
            .then(run("send a x").refused(3, "no program /no/such"))
            .then(run("signal a INT").refused(3, "no program /no/such"))
            .then(run("pause a").refused(3, "a does not run: could not start a: no program /no/such"))
            .then(run("resume b a").refused(3, "; 'counsel up', or 'counsel start a -- COMMAND', tries again"))
            .then(run("record a a.cast").refused(3, "a does not run: could not start a: ").no_file("{work}/a.cast"))
            .then(run("diff a").refused(1, "a has changed nothing, for it does not run: could not start a: "))
            .then(run("stop b"))
            .then(run("up -f team.toml").refused(1, "; 1 of 2 agents started"))
            .then(run("ls --json").is("/name", "b")),
        // Contract: Commands: trust; Configuration.
        row("a project's file is followed once a person has agreed to it; without a terminal that is 4")
            .file("work/counsel.toml", TEAM)
            .then(run("up").refused(4, "counsel.toml is not trusted; look at it on a terminal with 'counsel trust'"))
            .then(run("trust").code(4))
            .then(run("trust --list").out("no project is trusted\n"))
            .then(run("trust --list --json").out(""))
            .then(run("trust --revoke").refused(1, "was not trusted"))
            .then(run("trust /no/such").refused(1, "/no/such cannot be opened"))
            .then(run("start a -- cat").complains("only what it forbids is followed"))
            .then(run("up -f counsel.toml").out("started api, web\n")),
        // Contract: Commands: pause, resume.
        row("pause and resume are verified; a paused agent refuses send and answer with 4")
            .agent("a", "cat")
            .then(run("resume a --json").is("/did", "nothing"))
            .then(run("pause a").silent())
            .then(run("pause a --json").is("/did", "nothing").is("/state", "paused"))
            .then(run("ls --json").is("/state", "paused").holds("/memory_kib", Value::is_u64).awaited())
            .then(run("ls").says("paused, ").says(" MiB"))
            .then(run("send a x").refused(4, "a is paused"))
            .then(run("resume a").silent())
            .then(run("send a x"))
            .then(run("resume --all --json").is("/did", "nothing"))
            .then(run("pause --all --json").keys(&["name", "did", "state"]).is("/did", "paused"))
            .then(run("resume --all --json").is("/did", "resumed"))
            .then(run("pause").refused(2, "name the agents, or say --all"))
            .then(run("pause a --all").code(2)),
        // Contract: Commands: pause, resume.
        row("pause stops what takes no SIGTSTP, and resume lets all of it go on")
            .agent("a", "trap '' TSTP; (trap '' TSTP; while :; do sleep 0.1; done) & echo $! > child; echo ready; while :; do sleep 0.1; done")
            .then(run("read a --screen").says("ready").awaited())
            .then(run("ls --json").save("/pid", "pid"))
            .then(run("pause a --json").is("/did", "paused"))
            .then(program("sh", "-c").word("grep -h State: /proc/{pid}/status /proc/$(cat child)/status | sort -u").out("State:\tT (stopped)\n"))
            .then(run("resume a --json").is("/did", "resumed"))
            .then(program("sh", "-c").word("grep -h State: /proc/{pid}/status /proc/$(cat child)/status").lacks("T (stopped)")),
        // Contract: Commands: stop.
        row("stop ends everything; the names, or all")
            .agent("a", "sleep 1000 & exec sleep 1000")
            .agent("b", "cat")
            .then(run("stop").refused(2, "name the agents, or say --all"))
            .then(run("stop a --grace 0.1 --json").keys(&["name", "did", "left", "kept", "wrapper"]).is("/did", "stopped"))
            .then(run("stop --all"))
            .then(run("ls --json").out("")),
        // Contract: Commands: restart.
        row("restart begins again with the same name, and ends once the new life runs: what comes next is its own")
            .agent("a", "echo begun $$; exec cat")
            .agent("b", "exec cat")
            .then(run("read a --wait 20000 --json").save("/cursor", "cursor"))
            .then(run("ls --json").save("/pid", "pid"))
            .then(run("restart a --json").is("/did", "restarted").is("/name", "a").save("/pid", "next"))
            .then(run("ls --json").says("\"pid\":{next}").lacks("\"pid\":{pid}"))
            .then(run("read a --since {cursor}").refused(2, "belongs to an earlier life"))
            .then(run("send a typed --enter"))
            .then(run("wait a --for exited --timeout 0.2").code(124))
            .then(run("read a --screen").says("typed").awaited())
            .then(run("restart a nobody b").refused(3, "there is no agent 'nobody'"))
            .then(run("ls --json").says("\"pid\":{next}"))
            .then(run("restart a b --json").holds_lines(2).is("/name", "a").keys(&["name", "did", "pid"]))
            .then(run("restart nobody").refused(3, "there is no agent 'nobody'")),
        // Contract: Commands: restart.
        row("restart keeps what the life before had printed, the last screen as well")
            .agent("a", "echo first; seq 1 300; printf '\\033[?1049hdrawn'; touch done; exec cat")
            .then(program("sh", "-c").word("until test -e done; do sleep 0.05; done"))
            .then(run("read a --screen").says("drawn").awaited())
            .then(run("restart a"))
            .then(run("read a --scrollback").says("first\n1\n2\n").says("\n299\n300\n")),
        // Contract: Commands: restart.
        row("restart says that there is no new life, and why")
            .file("work/once", "#!/bin/sh\nexec cat\n")
            .then(program("chmod", "+x once"))
            .then(run("start a -- ./once"))
            .then(program("rm", "once"))
            .then(run("restart a").refused(1, "could not start a: "))
            .then(run("ls --json").is("/state", "exited").is("/name", "a")),
        // Contract: Commands: resize.
        row("resize changes the size")
            .agent("a", "cat")
            .then(run("resize a 100x30 --json").is("/did", "resized").is("/cols", 100).is("/rows", 30))
            .then(run("ls --json").is("/cols", 100).is("/rows", 30)),
        // Contract: Commands: start, resize.
        row("a size that no terminal can have is refused, not made another")
            .then(run("start a --size 1x1 -- cat").refused(2, "1x1 is out of range; write 2x1 to 1000x1000"))
            .then(run("start a --size 5000x5000 -- cat").refused(2, "5000x5000 is out of range"))
            .then(run("start a --size 70000x40 -- cat").refused(2, "70000x40 is out of range"))
            .agent("a", "cat")
            .then(run("resize a 1001x10").refused(2, "1001x10 is out of range; write 2x1 to 1000x1000"))
            .then(run("resize a 0x10").refused(2, "0x10 is out of range")),
        // Contract: Commands: signal.
        row("signal reaches the program in front")
            .agent("a", "trap 'echo heard; exit 5' USR1; echo ready; while :; do sleep 0.1; done")
            .then(run("read a --screen").says("ready").awaited())
            .then(run("signal a SIGUSR1 --json").is("/did", "signalled").is("/signal", "USR1"))
            .then(run("wait a --for exited --timeout 30"))
            .then(run("ls --json").is("/exit_code", 5)),
        // Contract: Commands: signal.
        row("signal ends once the signal is sent")
            .agent("a", "trap 'echo heard' USR1; echo ready; while :; do sleep 0.1; done")
            .then(run("read a --screen").says("ready").awaited())
            .then(run("ls --json").save("/pid", "pid"))
            // Of a program that stands still the system says what it has been sent and has not yet taken.
            .then(program("sh", "-c").word("kill -STOP {pid}"))
            .then(run("ls --json").is("/state", "paused").awaited())
            .then(program("sh", "-c").word(STAND_STILL))
            .then(run("signal a USR1"))
            .then(program("sh", "-c").word("test $((0x$(sed -n 's/^ShdPnd:.//p' /proc/{pid}/status) & 0x200)) -ne 0"))
            .then(run("signal a CONT"))
            .then(run("read a --screen").says("heard").awaited()),
        // Contract: Commands: signal.
        row("signal says that nobody is left to take it")
            .agent("a", "exit 0")
            .then(run("wait a --for exited"))
            .then(run("signal a INT").refused(1, "has exited")),
        // Contract: Commands: stop.
        row("stop ends agents also with a mistake in the configuration")
            .agent("a", "cat")
            .then(program("sh", "-c").word("mkdir -p {home}/.config/counsel && printf '[dashboard]\\nzoom = \"x\"\\n' > {home}/.config/counsel/config.toml"))
            .then(run("start b -- cat").refused(2, "zoom"))
            .then(run("stop a --json").is("/did", "stopped")),
        // Contract: Commands: wait.
        row("wait ends with 0, with 124 when the time is up, or with 3 when no such agent runs")
            .agent("a", "cat")
            .then(run("wait a --for exited --timeout 0.2").refused(124, "the time is up"))
            .then(run("stop a"))
            .agent("b", "exit 3")
            .then(run("wait b --for exited --json").keys(&["name", "state", "exit_code"]).is("/exit_code", 3))
            .then(run("wait b --for working").refused(3, "b has exited; run 'counsel restart b'"))
            .then(run("resize b 90x30").refused(1, "b has exited; run 'counsel restart b' first")),
        // Contract: Commands: wait.
        row("wait sees an agent at work, until it is at rest again")
            .agent("a", "n=0; while ! test -e over; do n=$(((n + 1) % 100)); printf '\\r%d %% done' $n; sleep 0.1; done; exec sh")
            .then(run("wait a --for working --timeout 60 --json").is("/state", "working").is("/name", "a"))
            .then(program("touch", "over"))
            .then(run("wait a --for idle --timeout 60 --json").is("/state", "idle")),
        // Contract: Commands: server.
        row("a server in the foreground serves until it is told to end, or a signal ends it and its agents go on")
            .then(program("sh", "-c").word("{counsel} server --foreground > out.txt 2> log.txt & it=$!; until test -S {run}/counsel.sock; do sleep 0.05; done; {counsel} start a -- cat; {counsel} server --foreground > out2.txt 2> second.txt; echo \"second $?\"; {counsel} down --grace 0 > down.txt; wait $it; echo \"first $?\"").out("second 1\nfirst 0\n"))
            .then(program("cat", "second.txt").says("counsel: could not run the server: ").holds_lines(1))
            .then(program("sh", "-c").word("{counsel} server --foreground > out.txt 2> log.txt & it=$!; until test -S {run}/counsel.sock; do sleep 0.05; done; {counsel} start a -- cat; kill -TERM $it; wait $it; echo $?").out("130\n"))
            .then(run("ls --json").is("/name", "a")),
        // Contract: Commands: pause, stop, server.
        row("a keeper that stands still holds up neither pause nor stop nor another server")
            .agent("a", "cat")
            .then(run("ls --json").save("/pid", "pid"))
            .then(program("sh", "-c").word(STAND_STILL))
            .then(run("pause a --json").is("/did", "paused"))
            .then(run("resume a"))
            .then(program("sh", "-c").word(STAND_STILL))
            .then(run("server restart --json").is("/did", "restarted"))
            .then(run("ls --json").is("/name", "a").holds("/pid", Value::is_u64).awaited())
            .then(program("sh", "-c").word(STAND_STILL))
            .then(run("stop a --json").is("/did", "stopped")),
        // Contract: Files.
        row("a server and its agents come back to a folder that was deleted")
            .agent("a", "cat")
            .then(run("ls --json").save("/pid", "pid"))
            .then(program("sh", "-c").word("rm -rf {run}"))
            .then(run("ls --json").is("/name", "a").says("\"pid\":{pid}"))
            .then(run("server restart --json").is("/did", "restarted"))
            .then(run("ls --json").is("/name", "a").says("\"pid\":{pid}")),
        // Contract: Files.
        row("what runs behind a folder that was deleted and does not come back is told, and ended by down")
            .agent("a", "cat")
            .then(run("ls --json").save("/pid", "pid"))
            .then(run("server --json").save("/pid", "server"))
            .then(program("sh", "-c").word(STAND_STILL))
            .then(program("sh", "-c").word("kill -9 {server}; rm -rf {run}/*"))
            .then(run("ls").refused(1, "was deleted while").complains("'counsel down' ends them"))
            .then(run("start b -- cat").refused(1, "was deleted while"))
            .then(run("down --grace 0"))
            .then(program("sh", "-c").word("! kill -0 {pid}").awaited()),
        // Contract: Commands: start.
        row("agents of a tmux server that is killed have not ended well")
            .needs(Need::Tmux)
            .then(run("start a --host tmux -- sleep 1000"))
            .then(run("start b --host tmux -- cat"))
            .then(run("ls --json").save("/place", "place"))
            .then(program("sh", "-c").word("place='{place}'; kill -9 $(${place%% attach*} display-message -p '#{pid}')"))
            .then(run("wait a --for exited --timeout 30"))
            .then(run("wait b --for exited --timeout 30"))
            // The terminal's end (129) or, sooner, the keeper's word (143) ends it.
            .then(run("ls --json").holds("/exit_code", |code| matches!(code.as_i64(), Some(129 | 143))))
            .then(run("stop a"))
            // A reader of the closed terminal gets an error and may end by itself (1) before that.
            .then(run("ls --json").holds("/exit_code", |code| matches!(code.as_i64(), Some(1 | 129 | 143)))),
        // Contract: Commands: server.
        row("the server says who it is")
            .then(run("server").says("the server runs (pid "))
            .then(run("server --json").keys(&["did", "pid", "version"]).is("/did", "running"))
            .then(run("server restart --json").is("/did", "restarted"))
            .then(run("server --foreground restart").code(2)),
        // Contract: Commands: adopt.
        row("a pane of one's own tmux is adopted and released")
            .needs(Need::Tmux)
            .then(program("tmux", "-S {work}/tmux -f /dev/null new-session -d -x 80 -y 24 cat"))
            .then(run("adopt %0 -S {work}/tmux --name mine --profile generic --json").is("/did", "adopted").is("/name", "mine").is("/pane", "%0"))
            .then(run("adopt %0 -S {work}/tmux --name again").refused(1, "is adopted already, as mine"))
            .then(run("ls --json").is("/host", "tmux").is("/name", "mine"))
            .then(run("stop mine --json").is("/did", "released"))
            .then(run("adopt %9 -S {work}/tmux").refused(1, "tmux has no pane '%9'"))
            .then(run("adopt 0:3.0 -S {work}/tmux").refused(1, "tmux has no pane '0:3.0'"))
            .then(run("adopt 0:.5 -S {work}/tmux").refused(1, "tmux has no pane '0:.5'"))
            .then(run("adopt nosuch -S {work}/tmux").refused(1, "tmux has no pane 'nosuch'"))
            .then(run("adopt -S {work}/tmux").word("").refused(1, "tmux has no pane ''"))
            .then(run("adopt : -S {work}/tmux").refused(1, "tmux has no pane ':'"))
            .then(run("adopt 0:0.0 -S {work}/tmux --name seat --json").is("/pane", "%0"))
            .then(run("stop seat"))
            .then(run("adopt %0 -S {work}/tmux --consultant nobody").refused(3, "there is no consultant 'nobody'"))
            .then(run("adopt %0 -L counsel-contract-none").code(1))
            .then(program("tmux", "-S {work}/tmux kill-server")),
        // Contract: Commands: adopt.
        row("the pane in which adopt itself runs is refused")
            .needs(Need::Tmux)
            .then(program("tmux", "-S {work}/tmux -f /dev/null new-session -d -x 80 -y 24 sh"))
            .then(program("tmux", "-S {work}/tmux send-keys -t %0 -l").word("{counsel} adopt %0 --name self 2> said.txt; echo $? > code.txt"))
            .then(program("tmux", "-S {work}/tmux send-keys -t %0 Enter"))
            .then(program("cat", "code.txt").out("1\n").awaited())
            .then(program("cat", "said.txt").says("%0 is where this command runs itself; adopt it from another pane or terminal"))
            .then(program("tmux", "-S {work}/tmux kill-server")),
    ]
}
