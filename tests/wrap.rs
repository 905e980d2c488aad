//! Agents behind a wrapping program: what pause, stop, resize and typing still do there, and which
//! environment arrives. The wrappers are such as every system has.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]
#![cfg(target_os = "linux")]

#[path = "world/needs.rs"]
mod needs;
mod world;

use std::time::{Duration, Instant};

use counsel::os::proc::{self, Process};
use world::{DEADLINE, World, finish};

/// Says what reaches it: lines, sizes, interrupts. A child of its own makes a tree of it.
const AGENT: &str = "trap 'echo winch' WINCH; trap 'echo interrupted' INT; sleep 600 & echo ready; \
    while :; do read -r line || continue; case $line in size) stty size;; quit) kill %1; exit 7;; *) echo got $line;; esac; done";

/// The agent `w`, wrapped; ready.
fn start(world: &World, wrap: &[&str]) -> Vec<Process> {
    let list = |words: &[&str]| serde_json::to_string(words).unwrap();
    let command = list(&["bash", "-c", AGENT, "agent"]);
    let text =
        format!("[[agent]]\nname = \"w\"\ncommand = {command}\nwrap = {}\nsize = \"100x30\"\n", list(wrap));
    world.write("work/counsel.toml", &text);
    world.ok(&["up", "-f", "counsel.toml"]);
    until(world, "ready");
    let agents = world.json(&["ls", "--json"]);
    let pid = u32::try_from(agents[0]["pid"].as_u64().unwrap()).unwrap();
    let keeper = proc::look(pid).unwrap().parent;
    let tree = proc::tree(keeper);
    assert!(tree.len() >= 2, "{tree:?}");
    tree
}

/// Waits until these words have been printed; returns all there is.
fn until(world: &World, words: &str) -> String {
    let end = Instant::now() + DEADLINE;
    let (mut text, mut cursor) = (String::new(), "0".to_owned());
    while !text.contains(words) {
        assert!(Instant::now() < end, "no {words:?} in {text:?}");
        let read = world.json(&["read", "w", "--json", "--since", &cursor, "--wait", "5000"]).remove(0);
        cursor = read["cursor"].to_string();
        text.push_str(read["text"].as_str().unwrap());
    }
    text
}

/// What it has printed by the line after a change of its size: bash runs a trap when its `read` is over.
fn resized(world: &World) -> String {
    world.ok(&["resize", "w", "80x24"]);
    world.ok(&["send", "w", "mark", "--enter"]);
    until(world, "got mark")
}

/// Whether it is still that very process, and not yet dead.
fn lives(process: &Process) -> bool {
    proc::look(process.pid).is_some_and(|now| now.started == process.started && !now.is_dead())
}

/// What holds behind every wrapper.
fn held_in_hand(world: &World, tree: &[Process]) {
    world.ok(&["send", "w", "hello", "--enter"]);
    until(world, "got hello");
    world.ok(&["resize", "w", "90x25"]);
    world.ok(&["send", "w", "size", "--enter"]);
    until(world, "25 90");
    world.ok(&["pause", "w"]);
    let stopped = |process: &&Process| proc::look(process.pid).is_some_and(|now| now.is_stopped());
    assert_eq!(tree.iter().filter(stopped).count(), tree.len(), "all of {tree:?} is stopped");
    world.refused(&["send", "w", "x"], 4, "is paused");
    world.ok(&["resume", "w"]);
    world.ok(&["send", "w", "again", "--enter"]);
    until(world, "got again");
    world.ok(&["stop", "w", "--grace", "0.2"]);
    let end = Instant::now() + DEADLINE;
    // A killed process is gone when the kernel has taken it down, of which it tells its parent only.
    while tree.iter().any(lives) {
        assert!(
            Instant::now() < end,
            "left behind: {:?}",
            tree.iter().filter(|p| lives(p)).collect::<Vec<_>>()
        );
        std::thread::sleep(Duration::from_millis(5));
    }
}

fn a_wrapper_that_execs_is_not_noticed() {
    let world = World::new();
    let tree = start(&world, &["env", "WRAPPED=1"]);
    assert!(resized(&world).contains("winch"));
    world.ok(&["send", "w", "--key", "ctrl-c"]);
    until(&world, "interrupted");
    held_in_hand(&world, &tree);
}

fn a_wrapper_that_stays_beside_its_program_passes_everything_on() {
    let world = World::new();
    let tree = start(&world, &["sh", "-c", "\"$@\"; exit $?", "wrapper"]);
    assert!(resized(&world).contains("winch"));
    held_in_hand(&world, &tree);
}

fn a_session_of_its_own_takes_signals_of_the_terminal_away_and_nothing_else() {
    let world = World::new();
    let tree = start(&world, &["setsid", "-w"]);
    assert!(
        !resized(&world).contains("winch"),
        "the terminal's signals go to setsid, which has another session"
    );
    held_in_hand(&world, &tree);
}

fn a_namespace_of_its_own_is_stopped_and_ended_from_outside() {
    let wrap = ["unshare", "-r", "--pid", "--fork", "--kill-child"];
    let world = World::new();
    let tree = start(&world, &wrap);
    assert!(resized(&world).contains("winch"));
    held_in_hand(&world, &tree);
}

fn the_exit_code_is_that_of_the_program_if_the_wrapper_hands_it_on() {
    for wrap in [["env", "A=1"], ["setsid", "-w"]] {
        let world = World::new();
        start(&world, &wrap);
        world.ok(&["send", "w", "quit", "--enter"]);
        world.ok(&["wait", "w", "--for", "exited", "--timeout", "60"]);
        assert_eq!(world.json(&["ls", "--json"])[0]["exit_code"], 7, "{wrap:?}");
    }
}

fn the_agent_is_known_by_its_own_command() {
    let world = World::new();
    world.script("claude", "echo 'Do you trust it?'; cat");
    let claude = world.path("bin/claude").display().to_string();
    world.write(
        "work/counsel.toml",
        &format!("[[agent]]\nname = \"w\"\ncommand = [\"{claude}\"]\nwrap = [\"nice\", \"-n\", \"1\"]\n"),
    );
    world.ok(&["up", "-f", "counsel.toml"]);
    assert_eq!(world.json(&["ls", "--json"])[0]["profile"], "claude");
}

fn the_environment_is_the_agents_own_and_no_one_elses() {
    let world = World::new();
    let out = world.path("env.txt");
    world.write("work/agent.env", "# of this agent\nFROM_FILE=one\nexport BOTH='file'\n");
    let text = format!(
        "[[agent]]\nname = \"w\"\ncommand = [\"sh\", \"-c\", \"env > {0}.new && mv {0}.new {0}; echo ready; cat\"]\n\
         wrap = [\"env\", \"WRAPPED=yes\"]\nenv_file = \"agent.env\"\nenv = {{ BOTH = \"config\", TERM = \"vt220\" }}\n",
        out.display()
    );
    world.write("work/counsel.toml", &text);
    let mut command = world.command();
    for (name, value) in [
        ("CLAUDECODE", "1"),
        ("CLAUDE_CODE_ENTRYPOINT", "cli"),
        ("TMUX", "/tmp/x,1,0"),
        ("TMUX_PANE", "%1"),
        ("TERM", "dumb"),
        ("TERM_PROGRAM", "other"),
        ("MY_OWN", "kept"),
    ] {
        command.env(name, value);
    }
    let done = finish(command.args(["up", "-f", "counsel.toml"]), b"");
    assert_eq!(done.code, 0, "{done:?}");
    until(&world, "ready");
    let env = std::fs::read_to_string(out).unwrap();
    let has = |line: &str| env.lines().any(|there| there == line);
    for line in [
        "FROM_FILE=one",
        "BOTH=config",
        "WRAPPED=yes",
        "MY_OWN=kept",
        "TERM=vt220",
        "COLORTERM=truecolor",
        "LANG=C.UTF-8",
        "COUNSEL_AGENT=w",
    ] {
        assert!(has(line), "no {line} in:\n{env}");
    }
    for prefix in ["CLAUDE", "TMUX", "TERM_PROGRAM", "COUNSEL_RUNTIME_DIR", "COUNSEL_STATE_DIR"] {
        assert!(!env.lines().any(|line| line.starts_with(prefix)), "{prefix} in:\n{env}");
    }
}

fn main() {
    needs::run(&[
        (
            stringify!(a_wrapper_that_execs_is_not_noticed),
            needs::nothing,
            a_wrapper_that_execs_is_not_noticed,
        ),
        (
            stringify!(a_wrapper_that_stays_beside_its_program_passes_everything_on),
            needs::nothing,
            a_wrapper_that_stays_beside_its_program_passes_everything_on,
        ),
        (
            stringify!(a_session_of_its_own_takes_signals_of_the_terminal_away_and_nothing_else),
            needs::nothing,
            a_session_of_its_own_takes_signals_of_the_terminal_away_and_nothing_else,
        ),
        (
            stringify!(a_namespace_of_its_own_is_stopped_and_ended_from_outside),
            needs::namespaces,
            a_namespace_of_its_own_is_stopped_and_ended_from_outside,
        ),
        (
            stringify!(the_exit_code_is_that_of_the_program_if_the_wrapper_hands_it_on),
            needs::nothing,
            the_exit_code_is_that_of_the_program_if_the_wrapper_hands_it_on,
        ),
        (
            stringify!(the_agent_is_known_by_its_own_command),
            needs::nothing,
            the_agent_is_known_by_its_own_command,
        ),
        (
            stringify!(the_environment_is_the_agents_own_and_no_one_elses),
            needs::nothing,
            the_environment_is_the_agents_own_and_no_one_elses,
        ),
    ]);
}
