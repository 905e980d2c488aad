//! The whole guard from outside: programs on terminals of their own, a server, and a consultant that says yes to everything.
//!
//! `tests/prompts.rs` holds the lists against detection and routing. Here some of their rows are printed by a program that
//! then reads, and programs that would run what they read print a harmless prompt; each keeps what was typed into it.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

#[path = "world/mod.rs"]
mod world;

use std::collections::BTreeMap;
use std::path::Path;
use std::time::{Duration, Instant};

use world::World;

/// All programs are asked and answered within this time on a machine with ten times as much to do.
const PATIENCE: Duration = Duration::from_secs(300);
/// Every how many rows of a list one is printed by a program of its own: all of them would be six hundred terminals.
const PERSONS_STEP: usize = 13;
const HARMLESS_STEP: usize = 4;

/// Chooses the first row, and gives a number where words are wanted, which is a plain value of every kind; where the words
/// that are taken are spelled out, the first of them.
const YES: &str = r#"
question=$(sed -n 's/^| {/{/p')
word=$(printf '%s' "$question" | sed -n 's/.*"prompt":"[^"]*[(]\([a-z]*\)\/[^"]*".*/\1/p')
case $question in *'"options":[]'*) echo "{\"text\": \"${word:-8080}\"}" ;; *) echo '{"choice": 1}' ;; esac"#;
/// Prints a file, reads a line, keeps it.
const ASK: &str = "cat \"$1\"\nIFS= read -r answer\nprintf '%s' \"$answer\" > \"$2\"\nexec sleep 1000";

#[derive(serde::Deserialize)]
struct List {
    group: Vec<Group>,
}

#[derive(serde::Deserialize)]
struct Group {
    #[serde(default)]
    witness: Option<String>,
    prompts: Vec<String>,
}

/// The rows of a list that a program may print which reads a line.
fn rows(list: &str, step: usize) -> Vec<String> {
    let list: List = toml::from_str(list).unwrap();
    let groups = list.group.into_iter().filter(|group| group.witness.is_none());
    groups.flat_map(|group| group.prompts).step_by(step).collect()
}

/// A world whose consultant says yes.
fn yes_world() -> World {
    let world = World::new();
    let yes = world.write("yes.sh", YES);
    let config = format!(
        "[[consultant]]\nname = \"yes\"\ncommand = [\"sh\", {yes:?}]\n[consult]\ndeadline_secs = 290\n"
    );
    world.write("home/.config/counsel/config.toml", &config);
    world.write("ask.sh", ASK);
    world
}

/// The latest question of each agent: its status and what became of it.
fn questions(world: &World) -> BTreeMap<String, (String, serde_json::Value)> {
    let all = world.json(&["questions", "--all", "--json"]).into_iter();
    all.map(|question| {
        let word = |key: &str| question[key].as_str().unwrap().to_owned();
        (word("agent"), (word("status"), question.clone()))
    })
    .collect()
}

/// Waits until all of these agents have a question with this status.
fn until_all(world: &World, agents: &[String], status: &str) {
    let until = Instant::now() + PATIENCE;
    loop {
        let seen = questions(world);
        let missing: Vec<_> = agents
            .iter()
            .filter(|agent| seen.get(*agent).is_none_or(|(now, _)| now != status))
            .map(|agent| (agent, seen.get(agent)))
            .collect();
        if missing.is_empty() {
            return;
        }
        let answered = missing.iter().find(|(_, seen)| seen.is_some_and(|(now, _)| now == "answered"));
        assert!(answered.is_none(), "{answered:#?}");
        let log = || world.json(&["log", "--json"]);
        assert!(Instant::now() < until, "not {status}: {missing:#?}; {:#?}", log());
    }
}

/// Starts a program for each row that prints it and reads, and returns their names.
fn start_rows(world: &World, rows: &[String]) -> Vec<String> {
    let path = |name: &str| world.path(name).to_str().unwrap().to_owned();
    let start = |(at, printed): (usize, &String)| {
        let name = format!("r{at}");
        world.write(&format!("{name}.row"), printed);
        let (ask, row, out) = (path("ask.sh"), path(&format!("{name}.row")), path(&format!("{name}.out")));
        world.ok(&["start", &name, "--consultant", "yes", "--", "sh", &ask, &row, &out]);
        name
    };
    rows.iter().enumerate().map(start).collect()
}

fn typed(world: &World, name: &str) -> Option<String> {
    std::fs::read_to_string(world.path(&format!("{name}.out"))).ok()
}

#[test]
fn nothing_is_typed_for_what_is_a_persons() {
    let world = yes_world();
    let rows = rows(include_str!("prompts/persons.toml"), PERSONS_STEP);
    assert!(rows.len() >= 40, "{}", rows.len());
    let agents = start_rows(&world, &rows);
    until_all(&world, &agents, "escalated");
    for (agent, printed) in agents.iter().zip(&rows) {
        assert_eq!(typed(&world, agent), None, "{printed:?}");
    }
}

#[test]
fn what_is_harmless_is_answered() {
    let world = yes_world();
    let mut rows = rows(include_str!("prompts/harmless.toml"), HARMLESS_STEP);
    rows.push("What is your project named?\n> ".to_owned());
    assert!(rows.len() >= 20, "{}", rows.len());
    let agents = start_rows(&world, &rows);
    until_all(&world, &agents, "answered");
    let until = Instant::now() + PATIENCE;
    for (agent, printed) in agents.iter().zip(&rows) {
        // The file is written after the line was read, which is what ended the question.
        while typed(&world, agent).is_none_or(|typed| typed.is_empty()) {
            assert!(Instant::now() < until, "{printed:?}");
        }
        assert!(
            ["8080", "y", "yes", "1", "dark", "npm"].contains(&typed(&world, agent).unwrap().as_str()),
            "{printed:?}"
        );
    }
}

/// Each of these printed a harmless prompt and ran what it read: copies of shells, shells by other names, loops of code.
#[test]
fn nothing_is_typed_for_whoever_would_run_it() {
    let world = yes_world();
    let shell = std::fs::canonicalize("/bin/sh").unwrap();
    let copy = world.path("wizard");
    std::fs::copy(&shell, &copy).unwrap();
    let (copy, shell) = (copy.to_str().unwrap(), shell.to_str().unwrap());
    let after = |command: &str| format!("printf 'Project name: '; export PS1='' PS2=''; {command}");
    let interactive = [
        after(&format!("exec {copy}")),
        after("exec sh -s word"),
        after("exec bash --norc --noprofile"),
        after("(exec -a setup bash --norc --noprofile)"),
        after("exec perl -ne system"),
        after("exec perl -e 'system <STDIN>'"),
        after("exec python3 -c 'import os; os.system(input())'"),
        after("exec cat"),
        after("stty -echo; read -r name; echo \"$name\" > typed; exec sleep 1000"),
        "read -r -p 'Project name: ' name; $name > typed; exec sleep 1000".to_owned(),
        "read -r -p 'Use TypeScript? [Y/n] ' name; eval \"$name\" > typed; exec sleep 1000".to_owned(),
    ];
    let mut agents = Vec::new();
    for (at, command) in interactive.iter().enumerate() {
        let there = |program: &str| {
            ["/bin", "/usr/bin"].iter().any(|folder| Path::new(folder).join(program).exists())
        };
        let needed = ["perl", "python3", "bash"].into_iter().find(|program| command.contains(program));
        if needed.is_some_and(|program| !there(program)) {
            continue;
        }
        let name = format!("r{at}");
        let host = if there("bash") { "bash" } else { shell };
        world.ok(&["start", &name, "--consultant", "yes", "--", host, "-c", command]);
        agents.push((name, command));
    }
    let names: Vec<String> = agents.iter().map(|(name, _)| name.clone()).collect();
    until_all(&world, &names, "escalated");
    for (agent, command) in agents {
        let screen = world.ok(&["read", &agent, "--screen"]);
        assert!(!screen.contains("8080") && !screen.contains("not found"), "{command}: {screen}");
    }
    assert!(!world.path("work/typed").exists());
}

/// The boxes of whiptail and dialog were told and left to a person: nothing tells their rows but the ground they stand on.
/// The second of each is chosen, and what deletes is left alone.
#[test]
fn boxes_with_buttons_are_answered_row_by_row() {
    const SECOND: &str = r#"case $(sed -n 's/^| {/{/p') in *'"multi":true'*) echo '{"choices": [1, 3]}' ;; *) echo '{"choice": 2}' ;; esac"#;
    let rows = "15 60 4 1 PostgreSQL 2 SQLite 3 Redis";
    let ticks = "15 60 4 1 Linter off 2 Tests on 3 Docs off";
    let stars = "15 60 4 1 Dark on 2 Light off";
    let asked = [
        (format!("--menu 'Which database should I use?' {rows}"), Some("2 0")),
        (format!("--title Setup --menu 'Which database?' {rows}"), Some("2 0")),
        (format!("--separate-output --checklist 'Which features do you want?' {ticks}"), Some("1 3 0")),
        (format!("--radiolist 'Pick a theme' {stars}"), Some("2 0")),
        ("--yesno 'Use TypeScript?' 10 40".to_owned(), Some("1")),
        ("--yesno 'Delete all files in /srv?' 10 40".to_owned(), None),
        ("--menu 'Which of these should be deleted?' 15 60 4 1 Logs 2 Backups".to_owned(), None),
        ("--yes-button Delete --no-button Keep --yesno 'Use TypeScript?' 10 40".to_owned(), None),
        ("--passwordbox 'Project name' 10 40".to_owned(), None),
        ("--inputbox 'Project name' 10 40 demo".to_owned(), None),
    ];
    let world = yes_world();
    world.write("yes.sh", SECOND);
    let mut agents = Vec::new();
    for program in ["whiptail", "dialog"] {
        let there = ["/bin", "/usr/bin"].iter().any(|folder| Path::new(folder).join(program).exists());
        assert!(there || std::env::var_os("CI").is_none(), "{program} is not installed");
        for (at, (arguments, taken)) in asked.iter().enumerate().filter(|_| there) {
            let name = format!("{program}-{at}");
            let out = world.path(&format!("{name}.out"));
            let out = out.to_str().unwrap();
            let line = format!(
                "{program} {arguments} 2> {out}.part; echo \" $?\" >> {out}.part; mv {out}.part {out}; exec sleep 1000"
            );
            world.ok(&["start", &name, "--consultant", "yes", "--", "sh", "-c", &line]);
            agents.push((name, *taken));
        }
    }
    let with = |answered: bool| {
        let names = agents.iter().filter(|(_, taken)| taken.is_some() == answered);
        names.map(|(name, _)| name.clone()).collect::<Vec<_>>()
    };
    until_all(&world, &with(false), "escalated");
    until_all(&world, &with(true), "answered");
    let until = Instant::now() + PATIENCE;
    for (name, taken) in agents {
        let words = || typed(&world, &name).map(|text| text.split_whitespace().collect::<Vec<_>>().join(" "));
        // The file is written after the box has gone, which is what ended the question.
        while taken.is_some() && words().is_none() {
            assert!(Instant::now() < until, "{name}");
        }
        assert_eq!(words().as_deref(), taken, "{name}");
    }
}

/// A dialog that was declined stands for a second more, while its library waits for what may follow an Esc: it was taken for
/// another question, a consultant was asked, and what it answered was typed into a dialog that was about to go.
#[test]
fn a_dialog_that_was_declined_is_not_asked_again_while_it_goes() {
    const ONCE: &str = "cat >/dev/null; echo x >> \"$HOME/asked\"; [ $(wc -l < \"$HOME/asked\") = 1 ] && exec sleep 1000; echo '{\"choice\": 1}'";
    if !["/bin", "/usr/bin"].iter().any(|folder| Path::new(folder).join("dialog").exists()) {
        assert!(std::env::var_os("CI").is_none(), "dialog is not installed");
        return eprintln!("skipped: dialog is not installed");
    }
    let world = yes_world();
    world.write("yes.sh", ONCE);
    let (out, asked) = (world.path("out"), world.path("home/asked"));
    let line = format!(
        "dialog --menu 'Which colour?' 15 40 5 1 red 2 green 2>{0}.words; echo $? >{0}.part; mv {0}.part {0}; exec sleep 1000",
        out.display()
    );
    let lines = || std::fs::read_to_string(&asked).unwrap_or_default().lines().count();
    world.ok(&["start", "d", "--consultant", "yes", "--", "sh", "-c", &line]);
    let until = Instant::now() + PATIENCE;
    while lines() == 0 {
        assert!(Instant::now() < until, "nobody was asked: {:?}", questions(&world));
    }
    let id = questions(&world)["d"].1["id"].as_str().unwrap().to_owned();
    world.ok(&["answer", &id, "--reject"]);
    while !out.exists() {
        assert!(Instant::now() < until, "it did not end: {:?}", questions(&world));
    }
    assert_eq!(std::fs::read_to_string(&out).unwrap(), "255\n", "dialog was left by Esc");
    let log = loop {
        let log = world.json(&["log", "--json"]);
        if !log.is_empty() && world.json(&["questions", "--json"]).is_empty() {
            break log;
        }
        assert!(Instant::now() < until, "{log:#?}");
    };
    assert_eq!(log.len(), 1, "{log:#?}");
    assert_eq!((lines(), &log[0]["by"]), (1, &"person".into()), "{log:#?}");
}

/// A program's own clock takes it out of its read five times a second: each read was another question, and the consultant
/// was asked without end.
#[test]
fn a_clock_that_interrupts_a_read_makes_no_other_question() {
    const CLOCK: &str = "import signal, sys, time\nsignal.signal(signal.SIGALRM, lambda *_: None)\n\
                         signal.setitimer(signal.ITIMER_REAL, 0.2, 0.2)\nname = input('Project name: ')\n\
                         open(sys.argv[1], 'w').write(name)\nwhile True: time.sleep(1000)";
    let Some(python) =
        ["/usr/bin/python3", "/usr/local/bin/python3"].into_iter().find(|it| Path::new(it).exists())
    else {
        return;
    };
    let world = yes_world();
    world.write("yes.sh", &format!("sleep 3; {YES}"));
    let clock = world.write("clock.py", CLOCK);
    let out = world.path("clock.out");
    world.ok(&[
        "start",
        "clock",
        "--consultant",
        "yes",
        "--",
        python,
        clock.to_str().unwrap(),
        out.to_str().unwrap(),
    ]);
    until_all(&world, &["clock".to_owned()], "answered");
    let asked = world.json(&["questions", "--all", "--json"]);
    assert_eq!(asked.len(), 1, "{asked:#?}");
    let until = Instant::now() + PATIENCE;
    while typed(&world, "clock").is_none_or(|typed| typed != "8080") {
        assert!(Instant::now() < until, "{:?}", typed(&world, "clock"));
    }
}

/// A dialog of Claude's, as a program draws it that is none.
const DRAWN: &str = "\x1b[2J\x1b[H────────────────────────────────────────\r\n ☐ Database\r\n\r\nWhich database should I use?\r\n\r\n\
                     ❯ 1. PostgreSQL\r\n     A server\r\n  2. SQLite\r\n     A file\r\n  3. Type something.\r\n\
                     ────────────────────────────────────────\r\n  4. Chat about this\r\n\r\n\
                     Enter to select · ↑/↓ to navigate · Esc to cancel\r\n\x1b[?25l";

/// Behind a drawn dialog of a known agent stood a prompt of a shell's script, which took the Enter for its yes, and a shell,
/// which ran the last line of its history. A terminal whose Return was a signal got that.
#[test]
fn no_key_goes_to_another_program_behind_a_drawn_dialog() {
    let world = yes_world();
    if !Path::new("/bin/bash").exists() {
        return;
    }
    let drawn = world.write("drawn", DRAWN);
    let out = world.path("taken");
    let (drawn, taken) = (drawn.to_str().unwrap(), out.to_str().unwrap());
    let quiet = "> /dev/null 2>&1";
    let mut agents = Vec::new();
    for (at, behind) in [
        format!("exec bash -c 'read -e yes; echo \"[$yes]\" >> {taken}; exec sleep 1000' {quiet}"),
        format!("exec env HISTFILE={drawn}.history bash --norc --noprofile -i {quiet}"),
        format!(
            "stty raw -echo isig intr '^M'; trap 'echo int >> {taken}' INT; while :; do read -r yes; done"
        ),
    ]
    .iter()
    .enumerate()
    {
        let name = format!("r{at}");
        let script = format!("#!/bin/bash\ncase $1 in --version) exit 1 ;; esac\ncat {drawn}\n{behind}\n");
        let agent = world.write(&format!("{name}/claude"), &script);
        let run = std::os::unix::fs::PermissionsExt::from_mode(0o755);
        std::fs::set_permissions(&agent, run).unwrap();
        world.write("drawn.history", &format!("echo ran >> {taken}\n"));
        world.ok(&[
            "start",
            &name,
            "--profile",
            "claude",
            "--consultant",
            "yes",
            "--",
            agent.to_str().unwrap(),
        ]);
        agents.push(name);
    }
    until_all(&world, &agents, "escalated");
    assert!(!out.exists(), "{:?}", std::fs::read_to_string(&out));
}

/// `down` while an answer was being typed: the log had no word of that question, and its number was given to the next one.
#[test]
fn an_answer_under_way_when_everything_is_stopped_is_in_the_log() {
    let world = World::new();
    // Its highlight never moves: the answer is under way for seconds.
    let menu = r"printf 'Which tool do you want to use?\r\n\033[36m\342\235\257 Apple\033[0m\r\n  Pear\r\n  Plum\r\n'";
    let script =
        world.script("menu", &format!("stty raw -echo; {menu}; exec dd bs=1 of=/dev/null 2>/dev/null"));
    let mut events = world.follow(&["events", "--json"]);
    world.ok(&["start", "a", "--", script.to_str().unwrap()]);
    events.until(|line| line.contains("\"q1\"") && line.contains("\"escalated\""));
    let mut answer = world.command();
    answer.args(["answer", "q1", "3"]);
    let mut answering = answer.stderr(std::process::Stdio::null()).spawn().unwrap();
    events.until(|line| line.contains("\"q1\"") && line.contains("\"answering\""));
    world.ok(&["down"]);
    assert!(!answering.wait().unwrap().success());
    let log = world.json(&["log", "--json"]);
    let [entry] = log.as_slice() else { panic!("{log:?}") };
    assert_eq!(
        (&entry["id"], &entry["agent"], &entry["outcome"]),
        (&"q1".into(), &"a".into(), &"failed".into())
    );
}
