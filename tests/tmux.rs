//! Agents in a real tmux: the same as on a PTY of counsel's own, and what only tmux brings.
//!
//! Without tmux each test is ignored, with the reason; with CI=true it fails.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

#[path = "world/needs.rs"]
mod needs;
mod world;

use std::io::{Read, Write};
use std::os::fd::AsFd;
use std::process::{Command, Stdio};
use std::time::Instant;

use counsel::core::tmux::command::{paste, type_bytes};
use counsel::core::tmux::{PaneId, Parser, Said};
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use world::{DEADLINE, Done, World, finish};

/// A world whose tmux servers end with it.
struct Tmux {
    world: World,
}

impl Tmux {
    fn new() -> Tmux {
        Tmux { world: World::new() }
    }

    /// Runs tmux against the private server that holds the agents.
    fn private(&self, args: &[&str]) -> Done {
        let listed = self.world.json(&["ls", "--json"]);
        let place = listed[0]["place"].as_str().unwrap().to_owned();
        let words: Vec<&str> = place.split(' ').collect();
        assert_eq!((words[0], words[1]), ("tmux", "-L"), "{place}");
        finish(self.world.program("tmux").args(["-L", words[2]]).args(args), b"")
    }

    fn start(&self, name: &str, script: &str) {
        self.world.ok(&["start", name, "--host", "tmux", "--size", "80x24", "--", "sh", "-c", script]);
    }

    fn field(&self, name: &str, field: &str) -> serde_json::Value {
        let listed = self.world.json(&["ls", "--json"]);
        listed
            .iter()
            .find(|agent| agent["name"] == name)
            .map_or(serde_json::Value::Null, |a| a[field].clone())
    }

    /// Waits until the screen holds this. Each look waits for output.
    fn until(&self, name: &str, text: &str) -> String {
        self.until_in(&["read", name, "--screen"], text)
    }

    fn until_in(&self, args: &[&str], text: &str) -> String {
        let until = Instant::now() + DEADLINE;
        loop {
            let shown = self.world.ok(args);
            if shown.contains(text) {
                return shown;
            }
            assert!(Instant::now() < until, "no {text:?} on\n{shown}");
            // Nothing tells of a change that is no output; output ends the wait early.
            self.world.run(&["read", args[1], "--wait", "50"]);
        }
    }

    fn kill_server(&self) {
        let out = self.world.ok(&["server"]);
        let pid = out.split("pid ").nth(1).unwrap().trim_end_matches([')', '\n']);
        assert!(Command::new("kill").args(["-9", pid]).status().unwrap().success());
        let until = Instant::now() + DEADLINE;
        while std::fs::metadata(format!("/proc/{pid}/exe")).is_ok() {
            assert!(Instant::now() < until, "the server outlived SIGKILL");
            std::thread::yield_now();
        }
    }
}

fn an_agent_in_tmux_is_typed_into_read_resized_and_gone_with_its_code() {
    let tmux = Tmux::new();
    tmux.start("a", "echo ready; read line; echo \"got $line\"; stty size; read line; stty size; exit 7");
    tmux.until("a", "ready");
    assert_eq!(tmux.field("a", "host"), "tmux");
    tmux.world.ok(&["send", "a", "some words", "--enter"]);
    let shown = tmux.until("a", "24 80");
    assert!(shown.contains("got some words"), "{shown}");
    tmux.world.ok(&["resize", "a", "61x17"]);
    assert_eq!((tmux.field("a", "cols"), tmux.field("a", "rows")), (61.into(), 17.into()));
    tmux.world.ok(&["send", "a", "", "--enter"]);
    tmux.until("a", "17 61");
    tmux.world.ok(&["wait", "a", "--for", "exited"]);
    assert_eq!(tmux.field("a", "exit_code"), 7);
    tmux.world.ok(&["stop", "a"]);
    assert!(tmux.world.json(&["ls", "--json"]).is_empty());
}

fn a_killed_server_loses_nothing_of_an_agent_in_tmux() {
    let tmux = Tmux::new();
    let script = "seq 1 300; printf 'Overwrite the file? [y/N] '; read answer; echo \"said $answer\"; \
                  seq 301 600; read end";
    tmux.start("a", script);
    tmux.world.ok(&["wait", "a", "--for", "asking", "--timeout", "60"]);
    let question = tmux.world.json(&["questions", "--json"]).remove(0);
    tmux.kill_server();
    // The next command starts a server, which takes the agent back with all of it.
    tmux.world.ok(&["wait", "a", "--for", "asking", "--timeout", "60"]);
    let again = tmux.world.json(&["questions", "--json"]).remove(0);
    assert_eq!((&again["prompt"], &again["kind"]), (&question["prompt"], &question["kind"]));
    let numbers = |text: &str| -> Vec<u32> { text.lines().filter_map(|line| line.parse().ok()).collect() };
    let all = tmux.world.ok(&["read", "a", "--scrollback"]);
    assert_eq!(numbers(&all), (1..=300).collect::<Vec<_>>(), "{all}");
    tmux.world.ok(&["answer", again["id"].as_str().unwrap(), "n"]);
    tmux.until("a", "600");
    let all = tmux.world.ok(&["read", "a", "--scrollback"]);
    assert_eq!(numbers(&all), (1..=600).collect::<Vec<_>>(), "{all}");
    assert!(all.contains("said n"), "{all}");
}

fn cursors_go_on_under_the_next_server_and_what_nobody_read_is_told() {
    let tmux = Tmux::new();
    let script = "printf '\\nfirst\\n'; read go; echo second; read on; echo third; read end";
    tmux.start("a", script);
    tmux.until("a", "first");
    let read = |words: &[&str]| {
        let read = tmux.world.json(&[&["read", "a", "--json"], words].concat()).remove(0);
        (read["text"].as_str().unwrap().to_owned(), read["truncated"] == true, read["cursor"].to_string())
    };
    let (text, truncated, raw) = read(&["--raw"]);
    assert_eq!((&*text, truncated), ("\r\nfirst\r\n", false), "all of it, from the first byte on");
    let (_, _, lines) = read(&[]);
    tmux.kill_server();
    // All there was before, and that nobody read what was printed until the next server looked on.
    assert_eq!(read(&["--raw"]).0, "\r\nfirst\r\n");
    assert!(read(&["--raw"]).1);
    let (text, truncated, next) = read(&["--raw", "--since", &raw]);
    assert_eq!((&*text, truncated), ("", true));
    assert!(!read(&["--raw", "--since", &next]).1, "it is told once");
    tmux.world.ok(&["send", "a", "go", "--enter"]);
    tmux.until("a", "second");
    let (text, truncated, next) = read(&["--raw", "--since", &next]);
    assert_eq!((&*text, truncated), ("go\r\nsecond\r\n", false));
    assert_eq!(read(&["--since", &lines]).0.trim(), "go\nsecond");
    // Typed as soon as there is a server again: it waits until that has the pane.
    tmux.kill_server();
    tmux.world.ok(&["send", "a", "on", "--enter"]);
    tmux.until("a", "third");
    assert_eq!(read(&["--raw", "--since", &next]).0, "on\r\nthird\r\n");
    tmux.kill_server();
    tmux.world.ok(&["signal", "a", "WINCH"]);
    assert_eq!(read(&["--raw"]).0, "\r\nfirst\r\ngo\r\nsecond\r\non\r\nthird\r\n");
}

fn a_paused_agent_stands_still_and_one_that_is_stopped_leaves_nothing() {
    let tmux = Tmux::new();
    tmux.start("a", "setsid sleep 987654 & echo ready; while read line; do echo \"got $line\"; done");
    tmux.until("a", "ready");
    let state = |pid: &str| {
        let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        stat.rsplit(')').next().and_then(|rest| rest.trim().chars().next())
    };
    let pid = tmux.field("a", "pid").to_string();
    let below = String::from_utf8(Command::new("pgrep").args(["-P", &pid]).output().unwrap().stdout).unwrap();
    let below = below.trim().to_owned();
    tmux.world.ok(&["pause", "a"]);
    assert_eq!((state(&pid), state(&below)), (Some('T'), Some('T')));
    tmux.world.refused(&["send", "a", "x"], 4, "is paused");
    tmux.world.ok(&["resume", "a"]);
    tmux.world.ok(&["send", "a", "on", "--enter"]);
    tmux.until("a", "got on");
    let place = tmux.private(&["list-panes", "-a"]);
    assert_eq!((place.code, place.out.lines().count()), (0, 1), "{place:?}");
    let name = tmux.field("a", "place").as_str().unwrap().split(' ').nth(2).unwrap().to_owned();
    tmux.world.ok(&["stop", "a"]);
    assert!(state(&pid).is_none_or(|s| s == 'Z') && state(&below).is_none_or(|s| s == 'Z'));
    tmux.world.ok(&["down"]);
    let until = Instant::now() + DEADLINE;
    // The server has said goodbye and is about to take the last pane away; with it tmux ends.
    while finish(tmux.world.program("tmux").args(["-L", &name, "list-panes", "-a"]), b"").code == 0 {
        assert!(Instant::now() < until, "the pane outlived counsel");
    }
}

/// A control client of a tmux server of the test's own.
struct Control {
    name: String,
    child: std::process::Child,
    parser: Parser,
}

impl Control {
    fn new(name: &str, script: &str) -> Control {
        let name = format!("counsel-test-{name}-{}", std::process::id());
        let mut command = Command::new("tmux");
        command.args([
            "-L",
            &name,
            "-f",
            "/dev/null",
            "-C",
            "new-session",
            "-x",
            "80",
            "-y",
            "24",
            "sh",
            "-c",
        ]);
        command.arg(script).env_remove("TMUX").stdin(Stdio::piped()).stdout(Stdio::piped());
        Control { name, child: command.spawn().unwrap(), parser: Parser::default() }
    }

    fn say(&mut self, line: &str) {
        let stdin = self.child.stdin.as_mut().unwrap();
        writeln!(stdin, "{line}").and_then(|()| stdin.flush()).unwrap();
    }

    /// Reads output until there is so much of it.
    fn output(&mut self, count: usize) -> Vec<u8> {
        let (mut output, mut buffer) = (Vec::new(), [0; 4096]);
        while output.len() < count {
            let stdout = self.child.stdout.as_mut().unwrap();
            let mut ready = [PollFd::new(stdout.as_fd(), PollFlags::POLLIN)];
            let count = poll(&mut ready, PollTimeout::try_from(DEADLINE).unwrap()).unwrap();
            assert!(count > 0, "nothing came after {output:?}");
            let read = stdout.read(&mut buffer).unwrap();
            assert!(read > 0, "tmux left after {output:?}");
            for said in self.parser.push(&buffer[..read]) {
                if let Said::Output { bytes, .. } = said {
                    output.extend(bytes);
                }
            }
        }
        output
    }
}

impl Drop for Control {
    fn drop(&mut self) {
        let _ = Command::new("tmux").args(["-L", &self.name, "kill-server"]).env_remove("TMUX").output();
        let _ = self.child.wait();
    }
}

fn all_256_bytes_go_into_a_pane_and_come_out_as_they_are() {
    let mut control = Control::new("bytes", "stty raw -echo; printf R; exec cat");
    assert_eq!(control.output(1), b"R");
    let all: Vec<u8> = (0..=255).collect();
    for line in type_bytes(PaneId(0), &all) {
        control.say(&line.text);
    }
    assert_eq!(control.output(256), all);
    // tmux puts no brackets around it: the program has not asked for them. A zero byte would end the paste.
    let pasted: Vec<u8> = (1..=255).cycle().take(512).collect();
    for line in paste(PaneId(0), &pasted) {
        control.say(&line.text);
    }
    assert_eq!(control.output(512), pasted);
}

fn what_cannot_be_is_said_and_leaves_nothing() {
    let tmux = Tmux::new();
    let start = |name: &str, rest: &[&str]| {
        let args: Vec<&str> = ["start", name, "--host", "tmux"].iter().chain(rest).copied().collect();
        tmux.world.run(&args)
    };
    let done = start("a", &["--", "/no/such/program"]);
    assert_eq!(done.code, 1, "{done:?}");
    assert!(done.err.starts_with("counsel: could not start a: no program /no/such/program"), "{done:?}");
    assert!(tmux.world.json(&["ls", "--json"]).is_empty());
    // A server without tmux on its PATH.
    let other = World::new();
    let mut without = other.command();
    without.env("PATH", "/nowhere").args(["start", "b", "--host", "tmux", "--", "/bin/cat"]);
    let done = finish(&mut without, b"");
    assert_eq!(done.code, 1, "{done:?}");
    assert!(done.err.contains("tmux is not installed; install tmux 3.2"), "{done:?}");
}

/// A tmux of the user's own, with one pane.
struct Users {
    name: String,
    pane: String,
}

impl Users {
    fn new(name: &str, script: &str) -> Users {
        let name = format!("counsel-test-{name}-{}", std::process::id());
        let mut users = Users { name, pane: String::new() };
        let new = ["-f", "/dev/null", "new-session", "-d", "-P", "-F", "#{pane_id}", "-x", "90", "-y", "20"];
        users.pane = users.run(&[&new[..], &["sh", "-c", script]].concat()).trim().to_owned();
        users
    }

    fn run(&self, args: &[&str]) -> String {
        let done = finish(Command::new("tmux").args(["-L", &self.name]).args(args).env_remove("TMUX"), b"");
        assert_eq!(done.code, 0, "{args:?}: {done:?}");
        done.out
    }
}

impl Drop for Users {
    fn drop(&mut self) {
        let _ = Command::new("tmux").args(["-L", &self.name, "kill-server"]).env_remove("TMUX").output();
    }
}

/// Most panes hold a shell, and the agent is what was typed into it.
fn a_program_that_a_panes_shell_started_is_adopted() {
    let users = Users::new(
        "shell",
        "bash -ic 'sh -c \"echo ready; read line; echo got \\$line; read end\"; read more'",
    );
    let tmux = Tmux::new();
    let foreground = || users.run(&["display-message", "-p", "-t", &users.pane, "#{pane_current_command}"]);
    let until = Instant::now() + DEADLINE;
    while !users.run(&["capture-pane", "-p", "-t", &users.pane]).contains("ready") {
        assert!(Instant::now() < until, "{}", foreground());
    }
    tmux.world.ok(&["adopt", &users.pane, "-L", &users.name, "--name", "mine"]);
    tmux.until("mine", "ready");
    tmux.world.ok(&["server", "restart"]);
    tmux.world.ok(&["send", "mine", "this", "--enter"]);
    tmux.until("mine", "got this");
}

/// Whoever typed in another window typed into the agent from then on: attaching to a pane makes it the active one.
fn adopting_leaves_the_user_where_they_are() {
    let users = Users::new("stay", "echo ready; exec cat");
    let tmux = Tmux::new();
    let here = users.run(&["new-window", "-P", "-F", "#{pane_id}", "cat"]).trim().to_owned();
    let beside = users.run(&["split-window", "-d", "-P", "-F", "#{pane_id}", "cat"]).trim().to_owned();
    users.run(&["resize-pane", "-Z", "-t", &here]);
    let active =
        || users.run(&["display-message", "-p", "#{pane_id} #{window_zoomed_flag}"]).trim().to_owned();
    let stays = format!("{here} 1");
    assert_eq!(active(), stays);
    for (pane, name) in [(&users.pane, "window"), (&beside, "pane")] {
        tmux.world.ok(&["adopt", pane, "-L", &users.name, "--name", name]);
        assert_eq!(active(), stays, "{name}");
    }
    tmux.world.ok(&["server", "restart"]);
    tmux.until("window", "ready");
    assert_eq!(active(), stays, "after a restart");
}

fn a_pane_of_the_users_own_is_adopted_answered_and_released_untouched() {
    let script = "seq 1 100; printf 'Overwrite the file? [y/N] '; read a; echo \"said $a\"; \
                  printf 'Delete the folder? [y/N] '; read a; echo \"said $a\"; read end; exit 3";
    let users = Users::new("adopt", script);
    let tmux = Tmux::new();
    // What is there is there from the beginning: it may have printed everything long before.
    let adopted = tmux.world.ok(&["adopt", &users.pane, "-L", &users.name, "--name", "mine"]);
    assert!(adopted.starts_with(&format!("adopted {} as mine", users.pane)), "{adopted}");
    tmux.world.ok(&["wait", "mine", "--for", "asking", "--timeout", "60"]);
    let numbers: Vec<u32> = tmux
        .world
        .ok(&["read", "mine", "--scrollback"])
        .lines()
        .filter_map(|line| line.parse().ok())
        .collect();
    assert_eq!(numbers, (1..=100).collect::<Vec<_>>());
    let id = |tmux: &Tmux| tmux.world.json(&["questions", "--json"])[0]["id"].as_str().unwrap().to_owned();
    tmux.world.ok(&["answer", &id(&tmux), "n"]);
    tmux.until("mine", "said n");
    tmux.world.refused(&["pause", "mine"], 1, "a pane of your own tmux");
    tmux.world.refused(&["resize", "mine", "50x10"], 1, "a pane of your own tmux");
    tmux.world.refused(&["restart", "mine"], 1, "a pane of your own tmux");
    // What the pane is lay where the sockets do, which an agent at `landlock` writes where there is no XDG_RUNTIME_DIR.
    let files = std::fs::read_dir(tmux.world.path("run")).unwrap().flatten();
    let cards: Vec<_> =
        files.filter(|file| file.path().extension().is_some_and(|end| end == "json")).collect();
    assert!(cards.is_empty(), "{cards:?}");
    // A server that dies and returns has it back, with the question that stands there.
    tmux.kill_server();
    tmux.world.ok(&["wait", "mine", "--for", "asking", "--timeout", "60"]);
    tmux.world.ok(&["answer", &id(&tmux), "y"]);
    tmux.until("mine", "said y");
    tmux.world.ok(&["stop", "mine"]);
    assert!(tmux.world.json(&["ls", "--json"]).is_empty());
    let shown =
        users.run(&["display-message", "-p", "-t", &users.pane, "#{pane_dead} #{pane_width}x#{pane_height}"]);
    assert_eq!(shown.trim(), "0 90x20", "it goes on, as large as it was");
    assert!(users.run(&["capture-pane", "-p", "-t", &users.pane]).contains("said y"));
}

fn keys_wait_until_the_terminal_of_a_pane_hands_them_over_one_by_one() {
    let tmux = Tmux::new();
    // Drawn before the terminal is switched, as busy machines show it: a return typed then arrives as a line feed.
    let script = r#"$| = 1; print "\e[?25lDo you want to proceed?\n\xe2\x9d\xaf 1. Yes\n  2. No\n\nEnter to select\n";
        select(undef, undef, undef, 0.05) until -e "go";
        system("stty raw -echo"); sysread(STDIN, my $key, 1); printf("\e[2J\e[Hgot %02x", ord $key); sleep 1000"#;
    // One process from the dialog to the key: what another one would take is not typed.
    let agent = ["--host", "tmux", "--size", "80x24", "--profile", "claude", "--", "perl", "-e", script];
    tmux.world.ok(&[&["start", "menu"], &agent[..]].concat());
    tmux.world.ok(&["wait", "menu", "--for", "asking", "--timeout", "60"]);
    let question = tmux.world.json(&["questions", "--json"]).remove(0);
    let mut answer = tmux.world.follow(&["answer", question["id"].as_str().unwrap(), "Yes", "--json"]);
    // The first key comes 250 ms after the dialog where none has to wait.
    assert_eq!(tmux.world.run(&["wait", "menu", "--for", "exited", "--timeout", "2"]).code, 124);
    tmux.world.write("work/go", "");
    tmux.until("menu", "got 0d");
    assert_eq!(world::json(&answer.next())["did"], "answered");
}

fn an_adopted_pane_that_closes_is_an_agent_that_has_exited() {
    let users = Users::new("close", "echo here; read line");
    let tmux = Tmux::new();
    tmux.world.ok(&["adopt", &users.pane, "-L", &users.name, "--name", "mine"]);
    tmux.until("mine", "here");
    users.run(&["kill-server"]);
    tmux.world.ok(&["wait", "mine", "--for", "exited", "--timeout", "60"]);
    tmux.world.refused(&["adopt", "%0", "-L", &users.name], 1, "could not adopt the pane");
}

fn agents_end_with_their_tmux_server_and_can_be_started_again() {
    let tmux = Tmux::new();
    tmux.start("a", "echo ready; read line");
    tmux.until("a", "ready");
    assert_eq!(tmux.private(&["kill-server"]).code, 0);
    tmux.world.ok(&["wait", "a", "--for", "exited", "--timeout", "60"]);
    tmux.world.ok(&["stop", "a"]);
    tmux.start("a", "echo again; read line");
    tmux.until("a", "again");
}

/// One agent stopped the tmux server, and all in it stood still: `send` and `start` waited for ever, and after a restart of the server
/// the agents were on no list, while `down` said that none ran.
fn a_tmux_server_that_an_agent_stops_goes_on() {
    let tmux = Tmux::new();
    tmux.start("a", "echo ready; read line; echo got $line; exec cat");
    tmux.until("a", "ready");
    let pid = tmux.private(&["display-message", "-p", "#{pid}"]).out.trim().to_owned();
    let stop = || {
        assert!(Command::new("kill").args(["-STOP", &pid]).status().unwrap().success());
    };
    stop();
    tmux.world.ok(&["send", "a", "words", "--enter"]);
    tmux.until("a", "got words");
    stop();
    tmux.start("b", "echo here; exec cat");
    tmux.until("b", "here");
    stop();
    tmux.world.ok(&["server", "restart"]);
    let names: Vec<_> =
        tmux.world.json(&["ls", "--json"]).iter().map(|agent| agent["name"].clone()).collect();
    assert_eq!(names, ["a", "b"]);
    stop();
    assert!(tmux.world.ok(&["down"]).contains("stopped 2 agents"));
}

/// Does this at the end of a test, however that ends.
struct OnDrop<F: Fn()>(F);

impl<F: Fn()> Drop for OnDrop<F> {
    fn drop(&mut self) {
        (self.0)();
    }
}

/// Panes are numbered anew by each tmux server: the pane of the agent that had ended was closed by its number, and
/// whatever had that number by then went with it.
fn a_pane_of_a_later_tmux_server_is_not_taken_for_the_agents() {
    let tmux = Tmux::new();
    tmux.start("a", "echo ready; read line");
    tmux.until("a", "ready");
    let name = tmux.field("a", "place").as_str().unwrap().split(' ').nth(2).unwrap().to_owned();
    let ask = |args: &[&str]| finish(tmux.world.program("tmux").args(["-L", &name]).args(args), b"");
    // The second one is nobody's but this test's.
    let _ended = OnDrop(|| drop(ask(&["kill-server"])));
    let server = tmux.world.ok(&["server"]);
    let pid = server.split("pid ").nth(1).unwrap().trim_end_matches([')', '\n']).to_owned();
    let signal =
        |name: &str| assert!(Command::new("kill").args([name, &pid]).status().unwrap().success(), "{name}");
    // counsel hears that its tmux server has ended only when there is another.
    signal("-STOP");
    assert_eq!(ask(&["kill-server"]).code, 0);
    let until = Instant::now() + DEADLINE;
    while ask(&["-f", "/dev/null", "new-session", "-d", "-s", "mine", "echo a stranger; exec cat"]).code != 0
    {
        assert!(Instant::now() < until, "no second tmux server");
    }
    assert_eq!(
        ask(&["list-panes", "-a", "-F", "#{pane_id}"]).out,
        "%0\n",
        "the pane has the number of the agent's"
    );
    signal("-CONT");
    tmux.world.ok(&["wait", "a", "--for", "exited", "--timeout", "60"]);
    let shown = tmux.world.ok(&["read", "a", "--scrollback"]);
    assert!(!shown.contains("stranger"), "{shown}");
    tmux.world.ok(&["stop", "a"]);
    // By the time the next one runs, the pane of the first would be closed.
    tmux.start("a", "echo again; read line");
    tmux.until("a", "again");
    let panes = ask(&["list-panes", "-a", "-F", "#{session_name} #{pane_dead}"]).out;
    assert!(panes.contains("mine 0\n"), "{panes}");
}

/// Of a pane it was not known who reads it: status lines were taken for questions, and a hidden line for words.
fn who_reads_a_pane_decides_what_is_asked_and_typed() {
    let tmux = Tmux::new();
    let adviser = tmux.world.script("advise", "cat > /dev/null; echo '{\"text\": \"shop\"}'");
    let config = format!("[[consultant]]\nname = \"adviser\"\ncommand = [\"{}\"]\n", adviser.display());
    tmux.world.write("home/.config/counsel/config.toml", &config);
    let script = "printf 'Installing: numpy '; until [ -e go ]; do sleep 0.05; done; printf '\nProject name: '; \
                  read name; echo \"named $name\"; stty -echo; printf 'Say the word: '; read word; stty echo; \
                  echo \"said $word\"; read end";
    let agent =
        ["a", "--host", "tmux", "--size", "80x24", "--consultant", "adviser", "--", "sh", "-c", script];
    tmux.world.ok(&[&["start"], &agent[..]].concat());
    tmux.until("a", "numpy");
    tmux.world.ok(&["wait", "a", "--for", "working", "--timeout", "60"]);
    assert!(tmux.world.json(&["questions", "--all", "--json"]).is_empty(), "nobody reads");
    tmux.world.write("work/go", "");
    tmux.until("a", "named shop");
    // What is not echoed is a person's, whatever the words are. The question before it is open until its answer was seen
    // to be taken.
    let mut events = tmux.world.follow(&["events", "--json"]);
    let told = events.until(|line| line.contains("Say the word") && line.contains("escalated"));
    assert!(told.contains("\"password\""), "{told}");
    tmux.world.ok(&["send", "a", "xyzzy", "--enter"]);
    tmux.until("a", "said xyzzy");
}

fn who_reads_an_adopted_pane_is_seen_too() {
    let users = Users::new("reads", "stty -echo; printf 'Say the word: '; read word; stty echo; read end");
    let tmux = Tmux::new();
    tmux.world.ok(&["adopt", &users.pane, "-L", &users.name, "--name", "mine"]);
    tmux.world.ok(&["wait", "mine", "--for", "asking", "--timeout", "60"]);
    let question = tmux.world.json(&["questions", "--json"]).remove(0);
    assert_eq!(question["kind"], "password", "{question}");
}

/// What asks for a key to be typed, and says what came of it: once as it is, once it has no parent left and nothing of
/// its environment.
fn write_askers(tmux: &Tmux) -> (String, String) {
    let (counsel, out) =
        (world::counsel().display().to_string(), tmux.world.path("out").display().to_string());
    let set = format!(
        "export HOME={} COUNSEL_RUNTIME_DIR={} COUNSEL_STATE_DIR={}",
        tmux.world.path("home").display(),
        tmux.world.path("run").display(),
        tmux.world.path("state").display()
    );
    let ask = format!(
        "{set}\n{{ '{counsel}' send victim x 2>&1; echo \"ended $?\"; }} > {out}.$1.part; mv {out}.$1.part {out}.$1"
    );
    let ask = tmux.world.script("ask", &ask).display().to_string();
    // The one that it is started by ends at once.
    let orphan = tmux.world.script("orphan", &format!("setsid -f env -i PATH=\"$PATH\" {ask} \"$1\""));
    (ask, orphan.display().to_string())
}

impl Tmux {
    /// What an asker of that name was told.
    fn told(&self, name: &str) -> String {
        let (until, out) = (Instant::now() + DEADLINE, self.world.path(&format!("out.{name}")));
        loop {
            if let Ok(said) = std::fs::read_to_string(&out) {
                return said;
            }
            assert!(Instant::now() < until, "{name} said nothing");
            std::thread::yield_now();
        }
    }

    /// Waits until a process has the mark of agents' processes.
    fn until_marked(&self, pid: u32) {
        let (until, own) = (Instant::now() + DEADLINE, counsel::os::generation::own().unwrap());
        while counsel::os::generation::of(pid).unwrap() >= own {
            assert!(Instant::now() < until, "{pid} is not marked");
            std::thread::yield_now();
        }
    }
}

/// counsel did not start what runs in an adopted pane: a daemon of it, whose parents were gone, was a person.
fn what_an_adopted_program_leaves_behind_is_no_person() {
    let tmux = Tmux::new();
    let (ask, orphan) = write_askers(&tmux);
    tmux.world.ok(&["start", "victim", "--", "cat"]);
    let script =
        format!("echo ready; read line; {orphan} daemon; read line; {ask} child; {orphan} later; read end");
    let users = Users::new("behind", &script);
    tmux.world.ok(&["adopt", &users.pane, "-L", &users.name, "--name", "mine"]);
    tmux.world.ok(&["send", "mine", "", "--enter"]);
    let told = tmux.told("daemon");
    assert!(told.contains("descends from an agent") && told.ends_with("ended 4\n"), "{told}");
    tmux.world.ok(&["stop", "mine"]);
    // Released, it is what it was: nobody takes a mark off.
    users.run(&["send-keys", "-t", &users.pane, "Enter"]);
    for name in ["child", "later"] {
        assert!(tmux.told(name).ends_with("ended 4\n"), "{name}: {}", tmux.told(name));
    }
    assert_eq!(tmux.world.ok(&["read", "victim"]).trim(), "", "nobody typed");
}

/// The shell in which an agent was adopted is a person's again, and was one all the while for what it had started before.
fn a_panes_shell_is_a_persons_once_it_is_released() {
    let tmux = Tmux::new();
    let (ask, orphan) = write_askers(&tmux);
    tmux.world.ok(&["start", "victim", "--", "cat"]);
    let users = Users::new("again", "exec bash --norc --noprofile -i");
    let shell: u32 =
        users.run(&["display-message", "-p", "-t", &users.pane, "#{pane_pid}"]).trim().parse().unwrap();
    let typed = |line: &str| users.run(&["send-keys", "-t", &users.pane, line, "Enter"]);
    let child = || {
        let until = Instant::now() + DEADLINE;
        loop {
            let found = Command::new("pgrep").args(["-P", &shell.to_string()]).output().unwrap();
            if let Ok(pid) = String::from_utf8(found.stdout).unwrap().trim().parse::<u32>() {
                return pid;
            }
            assert!(Instant::now() < until, "the shell started nothing");
        }
    };
    let agent = |name: &str| format!("sh -c 'read a; {orphan} {name}; read b'");
    // The agent is what was typed into the shell …
    typed(&agent("first"));
    tmux.until_in_pane(&users, child());
    tmux.world.ok(&["adopt", &users.pane, "-L", &users.name, "--name", "mine"]);
    tmux.world.ok(&["send", "mine", "", "--enter"]);
    assert!(tmux.told("first").ends_with("ended 4\n"), "{}", tmux.told("first"));
    tmux.world.ok(&["stop", "mine"]);
    typed("");
    typed(&format!("{ask} person"));
    assert!(tmux.told("person").ends_with("ended 0\n"), "{}", tmux.told("person"));
    // … or is typed into one that has been adopted.
    tmux.world.ok(&["adopt", &users.pane, "-L", &users.name, "--name", "shell"]);
    typed(&agent("second"));
    tmux.until_marked(child());
    typed("");
    assert!(tmux.told("second").ends_with("ended 4\n"), "{}", tmux.told("second"));
    typed("");
    tmux.world.ok(&["stop", "shell"]);
    typed(&format!("{ask} again; {orphan} own"));
    for name in ["again", "own"] {
        assert!(tmux.told(name).ends_with("ended 0\n"), "{name}: {}", tmux.told(name));
    }
}

/// Only the first of several in a pane's foreground was taken for the agent, and another one for a person.
fn all_in_the_foreground_of_an_adopted_pane_are_the_agent() {
    let tmux = Tmux::new();
    let (ask, _) = write_askers(&tmux);
    tmux.world.ok(&["start", "victim", "--", "cat"]);
    let users = Users::new("front", "exec bash --norc --noprofile -i");
    let line = format!("cat | sh -c 'echo is there; read a; {ask} behind; read b'");
    users.run(&["send-keys", "-t", &users.pane, &line, "Enter"]);
    let until = Instant::now() + DEADLINE;
    while !users.run(&["capture-pane", "-p", "-t", &users.pane]).lines().any(|line| line == "is there") {
        assert!(Instant::now() < until, "it does not begin");
    }
    tmux.world.ok(&["adopt", &users.pane, "-L", &users.name, "--name", "mine"]);
    tmux.world.ok(&["send", "mine", "", "--enter"]);
    assert!(tmux.told("behind").ends_with("ended 4\n"), "{}", tmux.told("behind"));
}

impl Tmux {
    /// Waits until this process, whose parent is the pane's shell, has the pane's terminal.
    fn until_in_pane(&self, users: &Users, pid: u32) {
        let until = Instant::now() + DEADLINE;
        let first: u32 =
            users.run(&["display-message", "-p", "-t", &users.pane, "#{pane_pid}"]).trim().parse().unwrap();
        while counsel::os::pane_mark::foreground(first).unwrap().pid != pid {
            assert!(Instant::now() < until, "{pid} is not in the foreground");
        }
    }
}

fn main() {
    needs::run(&[
        (
            stringify!(what_an_adopted_program_leaves_behind_is_no_person),
            needs::tmux,
            what_an_adopted_program_leaves_behind_is_no_person,
        ),
        (
            stringify!(a_panes_shell_is_a_persons_once_it_is_released),
            needs::tmux,
            a_panes_shell_is_a_persons_once_it_is_released,
        ),
        (
            stringify!(all_in_the_foreground_of_an_adopted_pane_are_the_agent),
            needs::tmux,
            all_in_the_foreground_of_an_adopted_pane_are_the_agent,
        ),
        (
            stringify!(who_reads_a_pane_decides_what_is_asked_and_typed),
            needs::tmux,
            who_reads_a_pane_decides_what_is_asked_and_typed,
        ),
        (
            stringify!(who_reads_an_adopted_pane_is_seen_too),
            needs::tmux,
            who_reads_an_adopted_pane_is_seen_too,
        ),
        (
            stringify!(an_agent_in_tmux_is_typed_into_read_resized_and_gone_with_its_code),
            needs::tmux,
            an_agent_in_tmux_is_typed_into_read_resized_and_gone_with_its_code,
        ),
        (
            stringify!(a_tmux_server_that_an_agent_stops_goes_on),
            needs::tmux,
            a_tmux_server_that_an_agent_stops_goes_on,
        ),
        (
            stringify!(a_killed_server_loses_nothing_of_an_agent_in_tmux),
            needs::tmux,
            a_killed_server_loses_nothing_of_an_agent_in_tmux,
        ),
        (
            stringify!(cursors_go_on_under_the_next_server_and_what_nobody_read_is_told),
            needs::tmux,
            cursors_go_on_under_the_next_server_and_what_nobody_read_is_told,
        ),
        (
            stringify!(a_paused_agent_stands_still_and_one_that_is_stopped_leaves_nothing),
            needs::tmux,
            a_paused_agent_stands_still_and_one_that_is_stopped_leaves_nothing,
        ),
        (
            stringify!(all_256_bytes_go_into_a_pane_and_come_out_as_they_are),
            needs::tmux,
            all_256_bytes_go_into_a_pane_and_come_out_as_they_are,
        ),
        (
            stringify!(what_cannot_be_is_said_and_leaves_nothing),
            needs::tmux,
            what_cannot_be_is_said_and_leaves_nothing,
        ),
        (
            stringify!(a_program_that_a_panes_shell_started_is_adopted),
            needs::tmux,
            a_program_that_a_panes_shell_started_is_adopted,
        ),
        (
            stringify!(adopting_leaves_the_user_where_they_are),
            needs::tmux,
            adopting_leaves_the_user_where_they_are,
        ),
        (
            stringify!(a_pane_of_the_users_own_is_adopted_answered_and_released_untouched),
            needs::tmux,
            a_pane_of_the_users_own_is_adopted_answered_and_released_untouched,
        ),
        (
            stringify!(keys_wait_until_the_terminal_of_a_pane_hands_them_over_one_by_one),
            needs::tmux,
            keys_wait_until_the_terminal_of_a_pane_hands_them_over_one_by_one,
        ),
        (
            stringify!(an_adopted_pane_that_closes_is_an_agent_that_has_exited),
            needs::tmux,
            an_adopted_pane_that_closes_is_an_agent_that_has_exited,
        ),
        (
            stringify!(agents_end_with_their_tmux_server_and_can_be_started_again),
            needs::tmux,
            agents_end_with_their_tmux_server_and_can_be_started_again,
        ),
        (
            stringify!(a_pane_of_a_later_tmux_server_is_not_taken_for_the_agents),
            needs::tmux,
            a_pane_of_a_later_tmux_server_is_not_taken_for_the_agents,
        ),
    ]);
}
