//! Programs that a person's own counsel starts, and that want to be taken for that person.

use std::path::Path;

use crate::person::{WORDS, is_refused, world};
use crate::place::{Level, said};
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
