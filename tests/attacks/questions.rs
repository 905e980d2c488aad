//! Attacks on a question that stands: forged hooks of the agent, and a server killed in the moment it answers.

use std::io::{Read, Write};
use std::os::fd::AsFd;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

use counsel::core::recording::asciicast::{Asciicast, What};
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::signal::Signal;
use nix::sys::termios::{SetArg, cfmakeraw, tcgetattr, tcsetattr};
use serde_json::{Value, json};

use crate::part::{path, signal_with};
use crate::place::{Level, Place, said};
use crate::world::{DEADLINE, counsel};

/// Claude Code as it asks one question.
const ASKS: &str = include_str!("../recordings/claude-2.1.329-ask1-120x40.cast");
/// From when on its dialog stands.
const STANDS_MS: u64 = 5_900;
/// How long one looks for the next byte before looking whether it is over.
const LOOK_MS: u16 = 20;

fn question() -> Value {
    let options = json!([{"label": "PostgreSQL"}, {"label": "SQLite"}, {"label": "Redis"}]);
    json!({"questions": [{"question": "Which database should I use for the session store?",
        "header": "Database", "multiSelect": false, "options": options}]})
}

/// What the agent's program would run as its hook, and so may any child of it.
fn hook(payload: &Value) -> std::process::Child {
    let mut command = Command::new(counsel());
    let mut child = command.arg("hook").stdin(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(payload.to_string().as_bytes()).unwrap();
    child
}

fn raw() {
    let mut line = tcgetattr(std::io::stdout()).unwrap();
    cfmakeraw(&mut line);
    tcsetattr(std::io::stdout(), SetArg::TCSANOW, &line).unwrap();
}

fn print(text: &str) {
    let mut out = std::io::stdout();
    out.write_all(text.as_bytes()).and_then(|()| out.flush()).unwrap();
}

fn until_there(file: &Path) {
    while !file.exists() {
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
}

/// Asks as Claude Code does, by hook and screen, and then says as its hook that all of that is over.
pub fn forge_hooks() -> String {
    raw();
    let mut asks = hook(&json!({"hook_event_name": "PermissionRequest", "tool_name": "AskUserQuestion",
        "tool_input": question()}));
    let cast = Asciicast::parse(ASKS).unwrap();
    for event in cast.events.iter().filter(|event| event.at_ms < STANDS_MS) {
        if let What::Output(text) = &event.what {
            print(text);
        }
    }
    until_there(&path("ATTACK_OUT").with_extension("go"));
    let answers = json!({"Which database should I use for the session store?": "Redis"});
    for forged in [
        json!({"hook_event_name": "Stop", "last_assistant_message": "Done."}),
        json!({"hook_event_name": "UserPromptSubmit", "prompt": "go on"}),
        json!({"hook_event_name": "PostToolUse", "tool_name": "AskUserQuestion", "tool_response": {"answers": answers}}),
        json!({"hook_event_name": "SessionStart", "source": "clear"}),
        json!({"hook_event_name": "Stop", "last_assistant_message": "Done."}),
    ] {
        hook(&forged).wait().unwrap();
    }
    // Its program would have been told by now, if it was to be.
    let _ = asks.kill();
    let _ = asks.wait();
    "forged".to_owned()
}

/// A question was withdrawn while it stood on the screen, and nobody was called any more.
pub fn a_forged_hook_ends_no_question_that_stands(level: Level) {
    let place = Place::at(level);
    let out = place.path("work/forger.out");
    let consultant = place.script("consultant", "cat > /dev/null; sleep 1000");
    let exe = std::env::current_exe().unwrap().display().to_string();
    let team = format!(
        "[consult]\ndeadline_secs = 5\n[[consultant]]\nname = \"oracle\"\ncommand = [{:?}]\n[[agent]]\nname = \"forger\"\n\
         profile = \"claude\"\ncommand = [{exe:?}]\nconsultant = \"oracle\"\nsize = \"120x40\"\n[agent.env]\n\
         ATTACK_PART = \"forge-hooks\"\nATTACK_OUT = {:?}\n",
        consultant.display().to_string(),
        out.display().to_string(),
    );
    place.write("work/team.toml", &team);
    let mut events = place.follow(&["events", "--json"]);
    place.ok(&["up", "-f", "team.toml"]);
    let told = events.until(|line| {
        let sources = crate::world::json(line)["question"]["sources"].to_string();
        sources.contains("hook") && sources.contains("screen")
    });
    assert!(told.contains("session store"), "{told}");
    place.write("work/forger.go", "");
    assert_eq!(said(&out), "forged");
    let ends = ["answered", "escalated", "withdrawn"];
    let end = events.until(|line| {
        crate::world::json(line)["question"]["status"].as_str().is_some_and(|status| ends.contains(&status))
    });
    assert_eq!(crate::world::json(&end)["question"]["status"], "escalated", "{level:?}: {end}");
}

/// Draws a menu, and kills the server as soon as its answer is committed. Says all that was ever typed.
pub fn kill_on_enter(and_goes: bool) -> String {
    raw();
    print(crate::screen::HARMLESS);
    let (mut typed, mut killed) = (Vec::new(), false);
    while !path("ATTACK_OUT").with_extension("stop").exists() {
        let stdin = std::io::stdin();
        let mut ready = [PollFd::new(stdin.as_fd(), PollFlags::POLLIN)];
        if poll(&mut ready, PollTimeout::from(LOOK_MS)) == Ok(0) {
            continue;
        }
        let mut bytes = [0; 64];
        let count = stdin.lock().read(&mut bytes).unwrap();
        typed.extend_from_slice(&bytes[..count]);
        if typed.contains(&b'\r') && !std::mem::replace(&mut killed, true) {
            let server = path("ATTACK_OUT").with_extension("server");
            let server = std::fs::read_to_string(server).unwrap().parse().unwrap();
            if and_goes {
                print("\x1b[H\x1b[2JOn it.\r\n");
                let after = std::env::var("ATTACK_AFTER_US").unwrap().parse().unwrap();
                let at = Instant::now() + std::time::Duration::from_micros(after);
                while Instant::now() < at {
                    std::hint::spin_loop();
                }
            }
            signal_with(server, Signal::SIGKILL);
        }
    }
    typed.escape_ascii().to_string()
}

/// A server that ends between an answer's Enter and the word of it: the next one types nothing again, and says what it knows.
pub fn a_server_that_is_killed_at_the_enter_types_none_again() {
    // Behind the last Enter the server looks, hands the entry to the disk, and has the keeper forget it.
    let moments = [0, 300, 1_000, 3_000, 10_000, 30_000].map(|after_us| ("goes", after_us));
    for (name, after_us) in std::iter::once(("stays", 0)).chain(moments) {
        let goes = name == "goes";
        let place = Place::at(Level::None);
        let (out, asked) = (place.path(&format!("work/{name}.out")), place.path("asked"));
        let script = format!("cat > /dev/null; echo asked >> {}; echo '{{\"choice\": 1}}'", asked.display());
        let consultant = place.script("consultant", &script);
        let exe = std::env::current_exe().unwrap().display().to_string();
        let team = format!(
            "[[consultant]]\nname = \"oracle\"\ncommand = [{:?}]\n[[agent]]\nname = {name:?}\nprofile = \"codex\"\n\
             command = [{exe:?}]\nconsultant = \"oracle\"\nsize = \"80x24\"\n[agent.env]\nATTACK_PART = \"kill-and-{name}\"\n\
             ATTACK_OUT = {:?}\nATTACK_AFTER_US = \"{after_us}\"\n",
            consultant.display().to_string(),
            out.display().to_string(),
        );
        place.ok(&["start", "warm", "--", "cat"]);
        place.write("work/team.toml", &team);
        let server = place.server_pid();
        place.write(&format!("work/{name}.server"), &server.to_string());
        place.ok(&["up", "-f", "team.toml"]);
        let until = Instant::now() + DEADLINE;
        while nix::sys::signal::kill(server, None).is_ok() && !is_dead(server.as_raw()) {
            assert!(Instant::now() < until, "{name}: the server was not killed");
            std::thread::yield_now();
        }
        // The next server has its agents back.
        place.until_listed(name);
        let known = || {
            if goes {
                let log = place.json(&["log", "--json"]);
                // Killed before it saw the dialog go, or between that and the disk.
                log.iter().any(|entry| entry["agent"] == name && entry["answer"] == "React")
            } else {
                let open = place.json(&["questions", "--json"]);
                open.iter().any(|question| question["agent"] == name && question["status"] == "escalated")
            }
        };
        while !known() {
            assert!(
                Instant::now() < until,
                "{name} after {after_us} us: {:?} {:?}",
                place.json(&["questions", "--json"]),
                place.json(&["log", "--json"])
            );
        }
        place.write(&format!("work/{name}.stop"), "");
        let typed = said(&out);
        assert_eq!(typed.matches("\\r").count(), 1, "{name}: {typed}");
        let log = place.json(&["log", "--json"]);
        let of_it = log.iter().filter(|entry| entry["agent"] == name).count();
        assert_eq!(of_it, usize::from(goes), "{name} after {after_us} us: {log:?}");
        assert_eq!(std::fs::read_to_string(&asked).unwrap(), "asked\n", "{name}: it is asked once");
    }
}

/// Killed, its parent may not have asked for its end yet.
fn is_dead(pid: i32) -> bool {
    counsel::os::proc::look(pid.unsigned_abs()).is_none_or(|process| process.is_dead())
}
