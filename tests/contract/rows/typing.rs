//! What `send` takes, and what the program behind it is given.

use serde_json::json;

use crate::table::{Need, Row, program, row, run};

/// The keyboard's names in tmux's key-string.c, and some with the modifiers tmux has for it. Home and End are not among them,
/// which a pane of tmux's has as its own kind of terminal has them, nor the Enter of the number pad, a line feed there.
const TMUX_KEYS: &str = "F1 F2 F3 F4 F5 F6 F7 F8 F9 F10 F11 F12 IC Insert DC Delete NPage PageDown PgDn PPage PageUp \
    PgUp BTab Space BSpace Tab Enter Escape Up Down Left Right KP/ KP* KP- KP7 KP8 KP9 KP+ KP4 KP5 KP6 KP1 KP2 KP3 KP0 KP. C-Space C-a c-z M-x M-Enter C-M-a S-Up C-Left M-Right C-S-F5 ^c 0x41 npage";

/// Types each key into a pane of tmux's and into an agent of counsel's, and compares what the programs there were given.
const AS_TMUX_TYPES: &str = r#"
set -f
tmux -S tmux -f /dev/null new-session -d -x 80 -y 24 "stty raw -echo; : > tmux.ready; cat > tmux.keys"
{counsel} start a -- sh -c 'stty raw -echo; : > own.ready; cat > own.keys'
until test -e tmux.ready && test -e own.ready; do sleep 0.05; done
for key in $0; do
    tmux -S tmux send-keys -l "<$key>"; tmux -S tmux send-keys "$key"
    {counsel} send a "<$key>" --key "$key"
done
tmux -S tmux send-keys -l '<over>'; {counsel} send a '<over>'
until grep -q '<over>' tmux.keys && grep -q '<over>' own.keys; do sleep 0.05; done
tmux -S tmux kill-server
tr '<' '\n' < tmux.keys > tmux.lines; tr '<' '\n' < own.keys > own.lines
diff tmux.lines own.lines | cat -v
"#;

/// A hundred messages of 2,000 bytes at once, through the tools: a process for each would take longer than they are held up.
const FLOOD: &str = r#"
{
    n=0; while [ $n -lt 100 ]; do
        n=$((n+1))
        echo '{"jsonrpc":"2.0","id":'$n',"method":"tools/call","params":{"name":"pty_send","arguments":{"name":"a","text":"'$0'"}}}'
    done
    while test -d {work} && ! grep -qs 'more than 10240 bytes within a second' said.txt; do sleep 0.05; done
} | {counsel} mcp > said.txt
echo held
"#;

/// Ends an agent between a text and its Enter. On a busy machine the Enter may have been pressed by then.
const END_BEFORE_ENTER: &str = r#"
{counsel} send b zz --enter 2> said.txt & sender=$!
until {counsel} read b --screen | grep -q zz; do sleep 0.01; done
{counsel} $0
wait $sender; code=$?
test $code = 0 || cat said.txt
"#;

/// Types while one server after the other makes way; each message that is refused is shown.
const SEND_OVER_RESTARTS: &str = r#"
for n in 1 2 3 4; do {counsel} server restart > restarted.txt; done & restarts=$!
for n in 1 2 3 4 5 6 7 8 9 10 11 12; do {counsel} send b 'echo sent' --enter 2>&1; done
wait $restarts
"#;

pub fn rows() -> Vec<Row> {
    vec![
        // Contract: Commands: send, stop, restart.
        row("whoever waits for the Enter of send is told when the agent ends before it")
            .then(run("start b -- cat"))
            .then(program("sh", "-c").word(END_BEFORE_ENTER).word("stop b --grace 0 --json").says("stopped"))
            .then(run("start b -- cat"))
            .then(program("sh", "-c").word(END_BEFORE_ENTER).word("restart b --json").says("restarted")),
        // Contract: Commands: send, server.
        row("a server that makes way tells of the Enter it has pressed before it goes")
            .then(run("start b -- sh"))
            .then(run("wait b --for idle --timeout 30"))
            .then(program("sh", "-c").word(SEND_OVER_RESTARTS).out(""))
            .then(run("read b --tail 1000 --json").holds("/text", |text| {
                text.as_str().is_some_and(|text| text.lines().filter(|line| *line == "sent").count() == 12)
            }).awaited()),
        // Contract: Commands: send, pause.
        row("an Enter for an agent that was paused meanwhile is refused, and it is said where the text is")
            .then(run("start b -- cat"))
            .then(program("sh", "-c").word(END_BEFORE_ENTER).word("pause b --json").says("paused")),
        // Contract: Commands: send.
        row("send --key takes every key by its own name")
            .agent("a", "stty raw -echo; echo ready; cat > keys")
            .then(run("read a --screen").says("ready").awaited())
            .then(run("send a --key enter --key esc --key tab --key up --key down --key left --key right"))
            .then(run("send a --key space --key backspace --key ctrl-c --key ctrl-d --key ctrl-z --key f1 --json").is("/keys/5", "f1"))
            .then(run("send b --key Home --key End --key KPEnter --key [NUL]").refused(3, "there is no agent 'b'"))
            .then(program("od", "-An -c keys").says("\\r 033  \\t 033   [   A 033   [   B 033   [   D 033   [").awaited())
            .then(program("sh", "-c").word("tail -c 8 keys | od -An -tx1").out(" 20 7f 03 04 1a 1b 4f 50\n").awaited()),
        // Contract: Commands: send.
        row("send --key takes every key of a keyboard by tmux's name, and types what tmux types")
            .needs(Need::Tmux)
            .then(program("sh", "-ec").word(AS_TMUX_TYPES).word(TMUX_KEYS).out("")),
        // Contract: Commands: send.
        row("send --paste takes a file of any length, and a message like any other")
            .agent("a", "stty -echo; echo ready; cat > all.txt")
            .then(run("read a --screen").says("ready").awaited())
            .then(run("send a --paste").word(&"x".repeat(2049)).refused(4, "--paste - < FILE"))
            .then(run("send a --paste").word("\u{1b}]0;title\u{7}").refused(4, "an OSC sequence"))
            .then(run("send a --paste -").input("\u{1b}]52;c;aGk=\u{7}").refused(4, "an OSC sequence"))
            .then(run("send a --paste -").input(&"line\n".repeat(20_000)))
            .then(run("send a --key ctrl-d --key ctrl-d"))
            .then(run("wait a --for exited --timeout 60"))
            .then(program("wc", "-c all.txt").out("100000 all.txt\n")),
        // Contract: Commands: send.
        row("what programs type is held to ten kilobytes a second")
            .agent("a", "stty raw -echo; echo ready; cat > all.txt")
            .then(run("read a --screen").says("ready").awaited())
            .then(program("sh", "-c").word(FLOOD).word(&"x".repeat(2000)).out("held\n"))
            .then(program("sh", "-c").word("until test $(wc -c < all.txt) -ge 2000; do sleep 0.05; done; test $(wc -c < all.txt) -lt 200000")),
        // Contract: Commands: send.
        row("send --key takes several keys")
            .agent("a", "stty raw -echo; echo ready; cat > keys")
            .then(run("read a --screen").says("ready").awaited())
            .then(run("send a --key down enter --json").is("/keys", json!(["down", "enter"])))
            .then(run("send a hi --key up tab"))
            .then(program("od", "-An -c keys").says("033   [   B  \\r   h   i 033   [   A  \\t").awaited())
            .then(run("send a --key enter nokey").refused(2, "nokey")),
        // Contract: Commands: signal.
        row("signal takes the names of the contract, and KILL ends what nothing else does")
            .agent("a", "trap '' INT TERM HUP QUIT USR1 USR2 TSTP; echo ready; while :; do sleep 0.1; done")
            .then(run("read a --screen").says("ready").awaited())
            .then(run("signal a INT"))
            .then(run("signal a TERM"))
            .then(run("signal a HUP"))
            .then(run("signal a WINCH"))
            .then(run("signal a CONT"))
            .then(run("signal a TSTP"))
            .then(run("signal a QUIT"))
            .then(run("signal a USR1"))
            .then(run("signal a USR2"))
            .then(run("wait a --for exited --timeout 0.2").code(124))
            .then(run("start c -- sh -c").word("trap 'echo went on' CONT; echo ready; while :; do sleep 0.1; done"))
            .then(run("read c --screen").says("ready").awaited())
            .then(run("signal c CONT"))
            .then(run("read c --screen").says("went on").awaited())
            .then(run("signal a KILL"))
            .then(run("wait a --for exited --timeout 30 --json").is("/exit_code", 137))
            .then(run("signal a INT").refused(1, "has exited"))
            .then(run("signal a STOP").refused(2, "one of INT TERM HUP")),
    ]
}
