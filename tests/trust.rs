//! A project's `counsel.toml` from the side of whoever cloned it: nothing of it counts before a person has
//! seen what it does, nor when it does something else.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]
#![cfg(target_os = "linux")]

mod desk;

use std::os::unix::fs::PermissionsExt;
use std::time::{Duration, Instant};

use counsel::core::terminal::grid::Size;
use desk::{Done, Terminal, World};

const SIZE: Size = Size { cols: 120, rows: 40 };

const TEAM: &str = "[[agent]]\nname = \"api\"\ncommand = [\"./agent.sh\"]\n";

/// A cloned repository with a team of one, whose program lies in it.
fn cloned() -> World {
    let world = World::new();
    program(&world, "work/agent.sh", "exec cat");
    file(&world, TEAM);
    world
}

fn file(world: &World, text: &str) {
    std::fs::write(world.path("work/counsel.toml"), text).unwrap();
}

fn program(world: &World, name: &str, text: &str) {
    std::fs::create_dir_all(world.path(name).parent().unwrap()).unwrap();
    std::fs::write(world.path(name), format!("#!/bin/sh\n{text}\n")).unwrap();
    std::fs::set_permissions(world.path(name), std::fs::Permissions::from_mode(0o755)).unwrap();
}

/// A person runs it on a terminal and types this when asked.
fn answered(world: &World, args: &[&str], answer: &str) -> (Option<i32>, String) {
    let mut terminal: Terminal = world.terminal(SIZE, args);
    terminal.until_text("Do you trust it? [y/N]");
    terminal.types(format!("{answer}\r").as_bytes());
    let status = terminal.ends();
    (status.code(), terminal.text())
}

/// Waits until a command says so.
fn until(world: &World, args: &[&str], words: &str) {
    let end = Instant::now() + desk::DEADLINE;
    loop {
        let said = world.ok(args);
        if said.contains(words) {
            return;
        }
        assert!(Instant::now() < end, "{args:?} never said {words:?}: {said}");
        std::thread::sleep(Duration::from_millis(100));
    }
}

fn refused(world: &World, args: &[&str], words: &str) {
    let done: Done = world.run(args);
    assert_eq!(done.code, 4, "{args:?}: {done:?}");
    assert!(
        done.err.starts_with("counsel: could not ") && done.err.trim_end().lines().count() == 1,
        "{done:?}"
    );
    assert!(done.err.contains(words), "{args:?}: {done:?}");
}

#[test]
fn without_a_terminal_a_file_nobody_agreed_to_is_refused() {
    let world = cloned();
    refused(&world, &["up"], "counsel.toml is not trusted; look at it on a terminal with 'counsel trust'");
    refused(&world, &[], "counsel.toml is not trusted");
    refused(&world, &["trust"], "counsel.toml is not trusted");
    assert_eq!(world.ok(&["ls", "--json"]), "");
    // Whoever names the file means it, this time.
    world.ok(&["up", "-f", "counsel.toml"]);
    world.agent("api");
    world.ok(&["down"]);
    refused(&world, &["up"], "is not trusted");
}

#[test]
fn a_person_sees_what_it_does_and_agrees_or_not() {
    let world = cloned();
    let (code, text) = answered(&world, &["up"], "n");
    assert_eq!(code, Some(4), "{text}");
    assert!(text.contains("starts api: ./agent.sh") && text.contains("with   agent.sh"), "{text}");
    assert_eq!(world.ok(&["ls", "--json"]), "");
    let (code, text) = answered(&world, &["trust"], "y");
    assert_eq!((code, text.contains("counsel.toml is trusted")), (Some(0), true), "{text}");
    world.ok(&["up"]);
    world.agent("api");
}

/// A `y` and Enter that were meant for another program trusted a file that nobody had seen yet.
#[test]
fn what_was_typed_before_the_question_is_no_answer() {
    let world = cloned();
    let counsel = world.command();
    let mut shell = std::process::Command::new("sh");
    shell.args(["-c", "read -r line; exec \"$0\" trust"]).arg(counsel.get_program());
    shell.env_clear().envs(counsel.get_envs().filter_map(|(name, value)| Some((name, value?))));
    shell.current_dir(counsel.get_current_dir().expect("it has one"));
    let mut terminal = Terminal::open(&mut shell, SIZE);
    terminal.types(b"for the shell\ry\r");
    terminal.until_text("Do you trust it? [y/N]");
    terminal.types(b"n\r");
    assert_eq!(terminal.ends().code(), Some(4), "{}", terminal.text());
}

/// A script that was rewritten while its question was being read ran at the yes, which had been given to other contents.
#[test]
fn what_changes_while_it_is_read_is_asked_about_again() {
    for args in [&["up"] as &[&str], &[], &["trust"]] {
        let world = cloned();
        let mut terminal = world.terminal(SIZE, args);
        terminal.until_text("Do you trust it? [y/N]");
        program(&world, "work/agent.sh", "touch ran; exec cat");
        terminal.types(b"y\r");
        terminal.until("asked again", |screen| {
            let text = screen.grid().text();
            text.contains("+ touch ran; exec cat") && text.matches("Do you trust it? [y/N]").count() == 2
        });
        assert_eq!(world.ok(&["ls", "--json"]), "", "{args:?}");
        terminal.types(b"n\r");
        match args {
            // The dashboard opens, without the team.
            [] => {
                terminal.until_text("none of this folder's agents were started");
                terminal.types(b"\x01d");
                assert!(terminal.ends().success());
            }
            _ => assert_eq!(terminal.ends().code(), Some(4), "{args:?}"),
        }
        assert!(!world.path("work/ran").exists(), "{args:?}");
        // The yes was to what was shown then, and to nothing else.
        program(&world, "work/agent.sh", "exec cat");
        world.ok(&["up"]);
        world.agent("api");
    }
}

/// The dashboard came up empty after a no, without a word that this folder's agents were left out.
#[test]
fn a_dashboard_behind_a_no_says_that_nothing_was_started() {
    let world = cloned();
    let mut terminal = world.terminal(SIZE, &[]);
    terminal.until_text("Do you trust it? [y/N]");
    terminal.types(b"n\r");
    terminal.until_text("none of this folder's agents were started");
    assert_eq!(world.ok(&["ls", "--json"]), "");
    terminal.types(b"\x01d");
    assert!(terminal.ends().success());
}

/// In a tmux popup what has left the screen at its top cannot be scrolled back to: a yes was asked for to what nobody could
/// see.
#[test]
fn what_does_not_fit_is_shown_by_pages_before_it_is_asked_about() {
    let small = Size { cols: 80, rows: 24 };
    let agent = |number: usize| format!("[[agent]]\nname = \"a{number}\"\ncommand = [\"cat\"]\n");
    let world = World::new();
    file(&world, &(1..=50).map(agent).collect::<String>());
    let mut terminal = world.terminal(small, &["trust"]);
    terminal.until_text("more lines");
    let mut seen = terminal.text();
    assert!(seen.contains("counsel.toml") && seen.contains("starts a1: "), "its top is shown: {seen}");
    for turns in 0.. {
        assert!(turns < 20, "{seen}");
        let before = terminal.text();
        if before.contains("Do you trust it? [y/N]") {
            break;
        }
        // What is typed ahead agrees to nothing, and a yes turns no page.
        terminal.types(if turns % 2 == 0 { b"\r\ry\r" } else { b" " });
        terminal.until("the next page", |screen| {
            let text = screen.grid().text();
            text != before && (text.contains("Do you trust it? [y/N]") || text.contains("more line"))
        });
        seen.push_str(&terminal.text());
    }
    for number in 1..=50 {
        assert!(seen.contains(&format!("starts a{number}: ")), "a{number}: {seen}");
    }
    assert!(world.ok(&["trust", "--list"]).contains("no project is trusted"));
    terminal.types(b"y\r");
    assert_eq!(terminal.ends().code(), Some(0), "{}", terminal.text());
    let mut terminal = world.terminal(small, &["trust", "--revoke"]);
    assert_eq!(terminal.ends().code(), Some(0));
    // Whoever does not want to see the rest has said no.
    let mut terminal = world.terminal(small, &["up"]);
    terminal.until_text("more lines");
    terminal.types(b"q");
    assert_eq!(terminal.ends().code(), Some(4), "{}", terminal.text());
    assert!(!terminal.text().contains("Do you trust it?"), "{}", terminal.text());
}

#[test]
fn an_opened_dashboard_starts_the_team_of_a_trusted_file() {
    let world = cloned();
    assert_eq!(answered(&world, &["trust"], "y").0, Some(0));
    let mut terminal = world.terminal(SIZE, &[]);
    until(&world, &["ls"], "api");
    terminal.types(b"\x01d");
    assert!(terminal.ends().success());
}

/// A program that draws once stood as large as the whole terminal, beyond its pane.
/// Agents of another folder ran: of the team that had just been agreed to nobody was started, and no line said so.
#[test]
fn an_opened_dashboard_starts_whoever_of_the_team_is_missing() {
    let world = World::new();
    let agent = |name: &str| format!("[[agent]]\nname = \"{name}\"\ncommand = [\"cat\"]\n");
    file(&world, &["api", "web", "docs"].map(agent).concat());
    for name in ["elsewhere", "web"] {
        world.ok(&["start", name, "--cwd", "/", "--", "cat"]);
    }
    let mut terminal = world.terminal(SIZE, &[]);
    terminal.until_text("Do you trust it? [y/N]");
    terminal.types(b"y\r");
    terminal.until_text("started api and docs");
    terminal.until_text("web runs in / already");
    until(&world, &["ls"], "api");
    terminal.types(b"\x01d");
    terminal.ends();
    let left = "[detached; 4 agents go on: `counsel` shows them, `counsel down` ends them]";
    assert!(terminal.text().contains(left), "{}", terminal.text());
    // Whoever has ended is not begun anew by a look.
    world.ok(&["stop", "docs"]);
    world.ok(&["send", "api", "--key", "ctrl-d"]);
    world.ok(&["wait", "api", "--for", "exited"]);
    let mut terminal = world.terminal(SIZE, &[]);
    terminal.until_text("started docs");
    assert_eq!(world.agent("api")["state"], "exited");
    terminal.types(b"\x01d");
    terminal.ends();
}

#[test]
fn the_team_of_an_opened_dashboard_begins_at_the_sizes_of_its_panes() {
    let world = World::new();
    program(&world, "work/agent.sh", "echo \"began at $(stty size)\"; exec cat");
    let agent = |name: &str| TEAM.replace("\"api\"", &format!("{name:?}"));
    file(&world, &format!("{}{}{}role = \"consultant\"\n", agent("api"), agent("web"), agent("advisor")));
    assert_eq!(answered(&world, &["trust"], "y").0, Some(0));
    let mut terminal = world.terminal(Size::new(160, 50), &[]);
    // Each is shown, and therefore has the size of its pane by now.
    terminal.until("all three", |screen| screen.grid().text().matches("began at").count() == 3);
    for line in world.ok(&["ls", "--json"]).lines() {
        let agent: serde_json::Value = serde_json::from_str(line).unwrap();
        let name = agent["name"].as_str().unwrap();
        let began = world.ok(&["read", name]);
        let size = format!("began at {} {}", agent["rows"], agent["cols"]);
        assert!(began.contains(&size), "{name} has {size}: {began}");
    }
    terminal.types(b"\x01d");
    assert!(terminal.ends().success());
}

#[test]
fn what_has_changed_is_another_file() {
    let world = cloned();
    assert_eq!(answered(&world, &["trust"], "y").0, Some(0));
    file(&world, &TEAM.replace("./agent.sh", "sh"));
    refused(&world, &["up"], "counsel.toml has changed since it was trusted");
    // A file that forbade something may have lost just that.
    refused(&world, &["start", "b", "--", "cat"], "has changed since it was trusted");
    // The mend named an option that `start` does not have.
    assert!(!world.run(&["start", "b", "--", "cat"]).err.contains("-f"));
    let (code, text) = answered(&world, &["trust"], "y");
    assert_eq!(code, Some(0), "{text}");
    for line in ["Changed since it was trusted:", "- command = [\"./agent.sh\"]", "+ command = [\"sh\"]"] {
        assert!(text.contains(line), "no {line:?}:\n{text}");
    }
    world.ok(&["up"]);
}

/// The file is the same to the byte; the program it starts came with the last `git pull`.
#[test]
fn a_program_of_the_project_belongs_to_what_was_agreed_to() {
    let world = cloned();
    assert_eq!(answered(&world, &["trust"], "y").0, Some(0));
    program(&world, "work/agent.sh", "exec something-else");
    refused(&world, &["up"], "has changed since it was trusted");
    let (_, text) = answered(&world, &["up"], "n");
    for line in ["agent.sh:", "- exec cat", "+ exec something-else"] {
        assert!(text.contains(line), "no {line:?}: {text}");
    }
}

fn git(world: &World, args: &[&str]) {
    let mut git = std::process::Command::new("git");
    git.current_dir(world.path("work")).args(["-c", "user.name=a", "-c", "user.email=a@b"]).args(args);
    assert!(git.env("HOME", world.path("home")).output().unwrap().status.success(), "{args:?}");
}

/// Makes a repository of the project.
fn committed(world: &World) {
    git(world, &["init", "-q"]);
    git(world, &["add", "."]);
    git(world, &["commit", "-qm", "first"]);
}

/// A person looked at the script in the project's folder; what the branch held was another one, and ran.
#[test]
fn what_an_agent_runs_in_its_worktree_belongs_to_it() {
    let world = cloned();
    file(&world, &format!("{TEAM}worktree = \"own\"\n"));
    committed(&world);
    program(&world, "work/agent.sh", "exec something-else");
    git(&world, &["commit", "-qam", "second"]);
    program(&world, "work/agent.sh", "exec cat");
    assert_eq!(answered(&world, &["trust"], "y").0, Some(0));
    refused(&world, &["up"], "agent.sh is not what was trusted");
    // It is there now, and what it holds is shown and asked about.
    let (code, text) = answered(&world, &["up"], "y");
    assert!(text.contains("own/agent.sh: is new"), "{text}");
    assert_eq!(code, Some(0), "{text}");
    world.ok(&["down"]);
    world.ok(&["up"]);
}

/// `up` made the worktree of an agent, and so a second copy of its script: the next `up` called that a change, and asked for
/// a yes to the words it had one for.
#[test]
fn a_worktree_that_holds_what_was_agreed_to_changes_nothing() {
    let world = cloned();
    file(&world, &format!("{TEAM}worktree = \"own\"\n"));
    committed(&world);
    assert_eq!(answered(&world, &["trust"], "y").0, Some(0));
    world.ok(&["up"]);
    world.ok(&["down"]);
    world.ok(&["up"]);
    let cwd = world.agent("api")["cwd"].as_str().unwrap().to_owned();
    assert!(cwd.ends_with("/own"), "{cwd}");
    world.ok(&["down"]);
    // What stands there by now is another matter.
    std::fs::write(format!("{cwd}/agent.sh"), "#!/bin/sh\nexec something-else\n").unwrap();
    refused(&world, &["up"], "own/agent.sh, which has changed since it was trusted");
}

/// Only files that a command named by themselves, below the project's own folder, belonged to what was agreed to: one
/// that PATH led to, one in a shell's line and one in the folder of an agent did not.
#[test]
fn whatever_a_command_runs_of_the_project_belongs_to_it() {
    let world = World::new();
    let search = format!("{}:{}", std::env::var("PATH").unwrap(), world.path("work/bin").display());
    program(&world, "elsewhere/real.sh", "exec cat");
    std::os::unix::fs::symlink(world.path("elsewhere"), world.path("work/link")).unwrap();
    for (command, beside, script) in [
        ("\"tool-of-the-project\"", "", "work/bin/tool-of-the-project"),
        ("\"sh\", \"-c\", \"cd scripts; exec ./agent.sh\"", "", "work/scripts/agent.sh"),
        ("\"env\", \"A=1\", \"./run.sh\"", "cwd = \"../beside\"\n", "beside/run.sh"),
        ("\"link/real.sh\"", "", "elsewhere/real.sh"),
    ] {
        program(&world, script, "exec cat");
        std::fs::create_dir_all(world.path("beside")).unwrap();
        file(&world, &format!("[[agent]]\nname = \"api\"\ncommand = [{command}]\n{beside}"));
        let agreed = |answer: &str| {
            let mut terminal = Terminal::open(world.command().args(["trust"]).env("PATH", &search), SIZE);
            terminal.until_text("Do you trust it? [y/N]");
            terminal.types(format!("{answer}\r").as_bytes());
            (terminal.ends().code(), terminal.text())
        };
        assert_eq!(agreed("y").0, Some(0), "{command}");
        program(&world, script, "exec something-else");
        let done = desk::finish(world.command().args(["up"]).env("PATH", &search));
        assert_eq!(done.code, 4, "{command}: {done:?}");
        let name = script.rsplit('/').next().unwrap();
        let said = done.err.contains(&format!("{name}, which has changed since it was trusted"));
        assert!(said, "{command}: {done:?}");
        assert_eq!(world.ok(&["trust", "--revoke"]).lines().count(), 1);
    }
}

/// A PATH that the project's file sets was read by what runs there and not by whoever agreed: a program put into its folder
/// afterwards ran in the place of the system's.
#[test]
fn a_program_put_into_the_projects_path_afterwards_is_asked_about() {
    let world = World::new();
    program(&world, "work/bin/tool", "exec cat");
    for command in ["\"tool\"", "\"ls\"", "\"sh\", \"-c\", \"ls; cat\""] {
        file(
            &world,
            &format!(
                "[[agent]]\nname = \"api\"\ncommand = [{command}]\nenv = {{ PATH = \"./bin:/usr/bin:/bin\" }}\n"
            ),
        );
        let (code, text) = answered(&world, &["trust"], "y");
        assert!(code == Some(0) && text.contains("with   bin/tool"), "{command}: {text}");
        program(&world, "work/bin/ls", "exec cat");
        refused(&world, &["up"], "bin/ls, which has changed since it was trusted");
        std::fs::remove_file(world.path("work/bin/ls")).unwrap();
        assert_eq!(world.ok(&["trust", "--revoke"]).lines().count(), 1);
    }
}

/// The same through the file of its environment: a shell read `BASH_ENV` there, and what that names was no part of the yes.
#[test]
fn a_script_that_an_environment_file_names_is_asked_about() {
    let world = World::new();
    program(&world, "work/rc.sh", "true");
    program(&world, "work/run.sh", "exec cat");
    std::fs::write(world.path("work/.env"), "BASH_ENV=./rc.sh\n").unwrap();
    file(&world, "[[agent]]\nname = \"api\"\ncommand = [\"bash\", \"run.sh\"]\nenv_file = \".env\"\n");
    let (code, text) = answered(&world, &["trust"], "y");
    assert!(code == Some(0) && text.contains("rc.sh"), "{text}");
    program(&world, "work/rc.sh", "touch ran");
    refused(&world, &["up"], "rc.sh, which has changed since it was trusted");
}

/// What a consultant and the call of a person run was looked at when the project's file was read, and never again: an agent
/// changed it and had it run, outside of what the agent is kept in.
#[test]
fn a_script_that_changed_since_is_not_run_for_a_question() {
    let world = World::new();
    let ran = |name: &str| format!("touch {}", world.path(name).display());
    program(&world, "work/ask.sh", &ran("asked"));
    program(&world, "work/ring.sh", &ran("rung"));
    program(
        &world,
        "work/agent.sh",
        "while [ ! -e go ]; do sleep 0.1; done; read -p 'What is the name? ' x; cat",
    );
    let rest = "consultant = \"theirs\"\n[[consultant]]\nname = \"theirs\"\ncommand = [\"./ask.sh\"]\n\
        [notify]\ncommand = [\"./ring.sh\"]\n";
    file(&world, &format!("{TEAM}{rest}"));
    assert_eq!(answered(&world, &["trust"], "y").0, Some(0));
    world.ok(&["up"]);
    program(&world, "work/ask.sh", &ran("evil"));
    program(&world, "work/ring.sh", &ran("evil"));
    std::fs::write(world.path("work/go"), "").unwrap();
    until(&world, &["questions", "--json"], "ask.sh is not what was trusted");
    until(&world, &["server", "log"], "ring.sh is not what was trusted");
    for name in ["asked", "rung", "evil"] {
        assert!(!world.path(name).exists(), "{name}");
    }
    // What the refusal names mends it: it had named `restart`, which starts an agent from what it was agreed to before.
    let told = world.ok(&["questions", "--json"]);
    assert!(told.contains("'counsel trust', then 'counsel stop NAME' and 'counsel up'"), "{told}");
    program(&world, "work/ask.sh", &ran("anew"));
    assert_eq!(answered(&world, &["trust"], "y").0, Some(0));
    world.ok(&["stop", "api"]);
    world.ok(&["up"]);
    let end = Instant::now() + desk::DEADLINE;
    while !world.path("anew").exists() {
        assert!(Instant::now() < end, "{}", world.ok(&["questions", "--json"]));
        std::thread::sleep(Duration::from_millis(100));
    }
}

/// `sh -c ". ./inc.sh"` and `make` read files that no command line names: what was shown seemed to be all there is.
#[test]
fn what_is_not_seen_is_said_before_the_yes() {
    let world = World::new();
    for command in ["\"sh\", \"-c\", \". ./inc.sh\"", "\"python3\", \"-m\", \"helper\"", "\"make\", \"-s\""] {
        file(&world, &format!("[[agent]]\nname = \"api\"\ncommand = [{command}]\n"));
        let (code, text) = answered(&world, &["trust"], "n");
        let said = "unseen what these commands read besides: modules, includes, Makefiles";
        assert!(code == Some(4) && text.contains(said), "{command}: {text}");
    }
    file(&world, "[[rule]]\nkind = \"menu\"\nthen = \"human\"\n");
    let (_, text) = answered(&world, &["trust"], "n");
    assert!(!text.contains("unseen"), "nothing is started: {text}");
}

/// The yes for a project that was moved stayed, for whoever made its folder again: "cannot be opened" was all that `--revoke` said.
#[test]
fn a_yes_for_a_folder_that_is_gone_is_taken_back() {
    let world = cloned();
    assert_eq!(answered(&world, &["trust"], "yes").0, Some(0));
    let (folder, moved) = (world.path("work"), world.path("moved"));
    std::fs::rename(&folder, &moved).unwrap();
    let revoke = || {
        let mut command = world.command();
        command.current_dir(&moved).arg("trust").arg(&folder).arg("--revoke").output().unwrap()
    };
    let done = revoke();
    let told = String::from_utf8_lossy(&done.stdout).contains("work/counsel.toml is not trusted any more");
    assert!(done.status.success() && told, "{done:?}");
    assert!(String::from_utf8_lossy(&revoke().stderr).contains("was not trusted"));
    // The world is taken down from there.
    std::fs::rename(&moved, &folder).unwrap();
}

/// A folder that was removed, or misspelled, took the yes of the project above it instead, and its own stayed.
#[test]
fn a_yes_is_taken_back_of_the_folder_that_is_named() {
    let world = cloned();
    std::fs::create_dir(world.path("work/pkg")).unwrap();
    std::fs::write(world.path("work/pkg/counsel.toml"), "").unwrap();
    for folder in [".", "pkg"] {
        assert_eq!(answered(&world, &["trust", folder], "yes").0, Some(0));
    }
    assert_eq!(world.run(&["trust", "nosuch", "--revoke"]).code, 1);
    std::fs::remove_file(world.path("work/pkg/counsel.toml")).unwrap();
    assert!(
        world.ok(&["trust", "pkg", "--revoke"]).contains("work/pkg/counsel.toml is not trusted any more")
    );
    assert!(world.ok(&["trust", "--list"]).contains("work/counsel.toml"));
}

#[test]
fn agreements_are_listed_and_taken_back() {
    let world = cloned();
    assert_eq!(world.ok(&["trust", "--list"]), "no project is trusted\n");
    assert_eq!(answered(&world, &["trust"], "yes").0, Some(0));
    let listed = || {
        let line = world.ok(&["trust", "--list", "--json"]);
        serde_json::from_str::<serde_json::Value>(&line).unwrap()
    };
    let (name, state) = (listed()["file"].as_str().unwrap().to_owned(), listed()["state"].clone());
    assert!(name.ends_with("work/counsel.toml") && state == "trusted", "{name} {state}");
    assert!(world.ok(&["trust", "--list"]).contains("trusted  20"));
    file(&world, "# emptied\n");
    assert_eq!(listed()["state"], "changed");
    std::fs::remove_file(world.path("work/counsel.toml")).unwrap();
    assert_eq!(listed()["state"], "gone");
    assert!(world.ok(&["trust", "--revoke"]).contains("is not trusted any more"));
    assert_eq!(world.run(&["trust", "--revoke"]).code, 1);
    let stored = std::fs::metadata(world.path("state/trust.json")).unwrap();
    assert_eq!(stored.permissions().mode() & 0o777, 0o600);
}

/// Who starts a program of their own in a cloned repository gets nothing of its file but what it forbids.
#[test]
fn a_file_nobody_agreed_to_neither_answers_nor_runs_anything() {
    let world = World::new();
    let trap = world.path("ran").display().to_string();
    let text = format!(
        "[[rule]]\nkind = \"text\"\nthen = \"consult\"\nwith = \"theirs\"\n\
         [[consultant]]\nname = \"theirs\"\ncommand = [\"touch\", \"{trap}\"]\n\
         [notify]\ncommand = [\"touch\", \"{trap}\"]\n[security]\ndeny_commands = [\"ls\"]\n"
    );
    file(&world, &text);
    let done = world.run(&["start", "a", "--", "sh", "-c", "read -p 'Shall I go on? (y/n) ' x; cat"]);
    assert_eq!(done.code, 0, "{done:?}");
    assert!(done.err.contains("counsel.toml is not trusted: only what it forbids is followed"), "{done:?}");
    world.ok(&["wait", "a", "--for", "asking", "--timeout", "60"]);
    let asked = world.ok(&["questions", "--json"]);
    assert!(asked.contains("\"escalated\""), "{asked}");
    assert!(!world.path("ran").exists(), "its command ran");
    assert_eq!(world.run(&["start", "b", "--", "ls"]).code, 4);
}

/// Whoever had cloned a file that cannot be read started nothing in its folder, and neither stopped an agent nor looked at
/// one there.
#[test]
fn a_broken_file_that_nobody_agreed_to_denies_nothing() {
    let world = World::new();
    for (name, text, place) in [
        ("a", "[[agent\n", "counsel.toml:1:"),
        ("b", "[security]\nallow_comands = [\"x\"]\n", "counsel.toml:2:1: key security.allow_comands: "),
        ("c", "[consult]\ntemplate = \"none\"\n", "counsel.toml:2:12: key consult.template: "),
    ] {
        file(&world, text);
        let done = world.run(&["start", name, "--", "cat"]);
        let told = done.err.starts_with(&format!("counsel: warning: {place}"));
        assert!(done.code == 0 && told && done.err.contains("nothing of it is followed"), "{done:?}");
        world.ok(&["stop", name, "--grace", "0"]);
        let done = world.run(&["up"]);
        assert!(done.code == 2 && done.err.contains(place), "{done:?}");
    }
    // What somebody agreed to may have forbidden something.
    file(&world, "[security]\ndeny_commands = [\"ls\"]\n");
    assert_eq!(answered(&world, &["trust"], "y").0, Some(0));
    file(&world, "[security\n");
    let done = world.run(&["start", "d", "--", "cat"]);
    let told = done.err.contains("counsel.toml:1:") && done.err.contains("'counsel trust --revoke'");
    assert!(done.code == 2 && told, "{done:?}");
    world.ok(&["trust", "--revoke"]);
    world.ok(&["start", "d", "--", "cat"]);
}

#[test]
fn an_agent_agrees_to_nothing() {
    let world = cloned();
    let mut command = world.command();
    let done = desk::finish(command.args(["trust"]).env("COUNSEL_TOKEN", "x"));
    assert_eq!((done.code, done.err.contains("a person has to do it")), (4, true), "{done:?}");
}

/// `claude` in the person's list is the person's `claude`, whatever a project has of that name and wherever it
/// says that programs lie.
#[test]
fn a_project_does_not_say_which_program_a_name_is() {
    let world = World::with_config("[security]\nallow_commands = [\"cat\"]\n");
    program(&world, "work/bin/cat", "touch ../ran; exec sleep 600");
    let bin = world.path("work/bin").display().to_string();
    for (command, env) in [
        ("./bin/cat", String::new()),
        (&format!("{bin}/cat"), String::new()),
        ("cat", format!("env = {{ PATH = \"{bin}\" }}\n")),
    ] {
        file(&world, &format!("[[agent]]\nname = \"api\"\ncommand = [\"{command}\"]\n{env}"));
        let done = world.run(&["up", "-f", "counsel.toml"]);
        if env.is_empty() {
            assert_eq!(
                (done.code, done.err.contains("is not in [security] allow_commands")),
                (4, true),
                "{done:?}"
            );
        } else {
            assert_eq!((done.code, done.err.contains("may not say which code runs")), (0, true), "{done:?}");
        }
        assert!(!world.path("ran").exists(), "{command}");
    }
    // A link of the allowed name to something else, and an allowed file by another name, which may be another program.
    std::os::unix::fs::symlink("/bin/sh", world.path("work/bin/echo")).unwrap();
    std::os::unix::fs::symlink("/bin/cat", world.path("work/bin/mine")).unwrap();
    assert_eq!(world.run(&["start", "b", "--", &format!("{bin}/echo")]).code, 4);
    assert_eq!(world.run(&["start", "c", "--", &format!("{bin}/mine")]).code, 4);
    world.ok(&["start", "d", "--", "/bin/cat"]);
}

#[test]
fn a_consultant_and_the_command_that_calls_are_held_to_the_same_list() {
    let world = World::with_config("[security]\nallow_commands = [\"cat\"]\n");
    for (what, text) in [
        (
            "consultant theirs: 'sh'",
            "[[consultant]]\nname = \"theirs\"\ncommand = [\"sh\", \"-c\", \"true\"]\n",
        ),
        ("[notify]: 'sh'", "[notify]\ncommand = [\"sh\", \"-c\", \"true\"]\n"),
    ] {
        file(&world, &format!("[[agent]]\nname = \"api\"\ncommand = [\"cat\"]\n{text}"));
        let done = world.run(&["up", "-f", "counsel.toml"]);
        assert_eq!((done.code, done.err.contains(what)), (4, true), "{done:?}");
    }
}

/// The name of a folder coloured the terminal that it was shown on. A program reads it as it is.
#[test]
fn the_path_of_a_file_is_shown_and_does_nothing() {
    let world = World::new();
    let file = "a\u{1b}[31mb.toml";
    std::fs::write(world.path("work").join(file), "").unwrap();
    let args = ["config", "--file", file, "path"];
    let mut terminal = world.terminal(SIZE, &args);
    assert!(terminal.ends().success());
    assert!(terminal.text().contains("a\\u{1b}[31mb.toml"), "{}", terminal.text());
    assert!(world.ok(&args).contains("a\u{1b}[31mb.toml\n"));
}
