//! Programs that a person's own counsel starts, and that want to be taken for that person.

use std::path::Path;

use crate::person::{WORDS, is_refused, world};
use crate::place::{Level, Place, said};
use crate::world::finish;

/// What a person's own counsel started, git and whatever an agent's repository has it run, was taken for that person: at
/// once, and as a daemon when that counsel had ended.
pub fn what_a_persons_counsel_starts_is_no_person() {
    let world = world(Level::None);
    let counsel = crate::world::counsel().display().to_string();
    let (once, late) = (world.path("once"), world.path("late"));
    let ask = |out: &Path| {
        let out = out.display();
        format!(
            "{{ '{counsel}' send victim {WORDS} 2>&1; echo \"ended $?\"; }} >{out}.part; mv {out}.part {out}"
        )
    };
    world.script("ask", &format!("while kill -0 \"$1\" 2>/dev/null; do sleep 0.01; done\n{}", ask(&late)));
    let git = format!("setsid -f ask $PPID >/dev/null 2>&1\n{}\nexit 1", ask(&once));
    world.script("git", &git);
    let path = format!("{}:{}", world.path("bin").display(), std::env::var("PATH").unwrap());
    let start = ["start", "other", "--worktree", "fix", "--", "cat"];
    let done = finish(world.command().env("PATH", path).args(start), b"");
    assert_eq!(done.code, 1, "{done:?}");
    for out in [once, late] {
        let said = said(&out);
        assert!(said.ends_with("ended 4\n"), "{said}");
    }
    is_refused(&world, "closed");
}

/// A program that is asked for its version was run by the server as whoever served it: an agent that may write it had a
/// daemon from there, and that daemon was a person.
pub fn what_is_asked_for_its_version_is_no_person() {
    let world = world(Level::None);
    let (asked, once) = (world.path("asked"), world.path("once"));
    let counsel = crate::world::counsel().display();
    world.script(
        "ask",
        &format!(
            "export COUNSEL_RUNTIME_DIR={} COUNSEL_STATE_DIR={}\n\
             {{ '{counsel}' send victim {WORDS} 2>&1; echo \"ended $?\"; }} >{out}.part; mv {out}.part {out}",
            world.path("run").display(),
            world.path("state").display(),
            out = once.display()
        ),
    );
    let claude = format!(
        "[ \"$1\" = --version ] || exec cat\nif mkdir {}; then setsid -f ask >/dev/null 2>&1; fi\necho '2.1.150 (Claude Code)'",
        asked.display()
    );
    world.script("claude", &claude);
    let path = format!("{}:{}", world.path("bin").display(), std::env::var("PATH").unwrap());
    for (what, args) in [("start", &["start", "other", "--", "claude"][..]), ("doctor", &["doctor"])] {
        let _ = (std::fs::remove_dir(&asked), std::fs::remove_file(&once));
        let done = finish(world.command().env("PATH", &path).args(args), b"");
        assert!(asked.exists(), "{what} asked for no version: {done:?}");
        let said = said(&once);
        assert!(said.ends_with("ended 4\n"), "{what}: {said}");
    }
    is_refused(&world, "closed");
}

/// An agent that starts a server of its own, in folders of its own, has a server below itself: whom it starts is nobody's
/// person, and a person who is led there is told whose it is.
pub fn an_agents_own_server_gains_it_nothing() {
    let place = Place::at(Level::None);
    place.ok(&["start", "victim", "--", "cat"]);
    let folder = place.path("own");
    std::fs::create_dir(&folder).unwrap();
    let out = place.path("own.out");
    let inner = format!(
        "'{}' send victim {WORDS} >{out}.new 2>&1; echo \"ended $?\" >>{out}.new; mv {out}.new {out}; cat",
        crate::world::counsel().display(),
        out = out.display()
    );
    let mut command = place.command();
    counsel::os::generation::start_below(&mut command);
    command.env("COUNSEL_RUNTIME_DIR", &folder).env("COUNSEL_STATE_DIR", &folder);
    // What it starts asks the person's server.
    let people = format!("COUNSEL_RUNTIME_DIR={}", place.path("run").display());
    command.args([
        "start",
        "mine",
        "--",
        "env",
        "-u",
        "COUNSEL_AGENT",
        "-u",
        "COUNSEL_TOKEN",
        "-u",
        "COUNSEL_SOCKET",
    ]);
    let done = finish(command.args([&people, "sh", "-c", &inner]), b"");
    assert_eq!(done.code, 0, "{done:?}");
    let said = said(&out);
    assert!(said.ends_with("ended 4\n"), "{said}");
    let own = folder.join("counsel.sock").display().to_string();
    place.refused(&["--socket", &own, "ls"], 1, "descends from an agent");
    let mut down = place.command();
    counsel::os::generation::start_below(&mut down);
    down.env("COUNSEL_RUNTIME_DIR", &folder).env("COUNSEL_STATE_DIR", &folder);
    assert_eq!(finish(down.args(["down", "--grace", "0"]), b"").code, 0);
}
