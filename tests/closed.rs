//! Every file and folder that counsel makes is its user's alone, whatever the umask says.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod world;

use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use world::{World, finish};

/// All that lies below, with its mode.
fn below(folder: &Path) -> Vec<(PathBuf, u32, bool)> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap().flatten() {
        let meta = std::fs::symlink_metadata(entry.path()).unwrap();
        found.push((entry.path(), meta.mode() & 0o777, meta.is_dir()));
        if meta.is_dir() {
            found.extend(below(&entry.path()));
        }
    }
    found
}

/// Journals, logs and notes lay open to every user where the umask closed nothing.
#[test]
fn whatever_the_umask_files_and_folders_are_their_users_alone() {
    let world = World::new();
    let own = "[record]\nauto = true\n";
    world.write("home/.config/counsel/config.toml", own);
    let team = "[[agent]]\nname = \"a\"\ncommand = [\"sh\", \"-c\", \"seq 4000; printf 'Proceed? [y/N] '; read answer; exec cat\"]\n";
    world.write("work/team.toml", team);
    let git = "git init -q . && git -c user.name=a -c user.email=a@b.example commit -q --allow-empty -m a";
    let open = |line: &str| {
        let done = finish(world.program("sh").args(["-c", &format!("umask 000; {line}")]), b"");
        assert_eq!(done.code, 0, "{line}: {done:?}");
        done.out
    };
    let counsel = |args: &str| open(&format!("exec '{}' {args}", world::counsel().display()));
    open(git);
    counsel("up -f team.toml");
    counsel("wait a --for asking --timeout 50");
    // All its lines stand before its question, and are more than go inline.
    let read = world::json(&counsel("read a --json"));
    let overflow = PathBuf::from(read["file"].as_str().unwrap_or_else(|| panic!("no file in {read}")));
    assert!(std::fs::read_to_string(&overflow).unwrap().contains("\n4000\n"));
    counsel("start b -- cat");
    counsel("record b out.cast");
    counsel("answer --json q1 y");
    counsel("stop b");
    let mut names = Vec::new();
    for top in ["run", "state"] {
        assert_eq!(std::fs::metadata(world.path(top)).unwrap().mode() & 0o777, 0o700, "{top}");
        for (path, mode, folder) in below(&world.path(top)) {
            let wanted = if folder { 0o700 } else { 0o600 };
            assert_eq!(mode, wanted, "{} is {mode:04o}", path.display());
            names.push(path.display().to_string());
        }
    }
    assert_eq!(std::fs::metadata(world.path("work/out.cast")).unwrap().mode() & 0o777, 0o600);
    // It has looked at what there is to look at.
    assert!(names.contains(&overflow.display().to_string()), "no {} in {names:#?}", overflow.display());
    for part in ["counsel.sock", "agents", "keep-a.sock", "server.log", "begun", "recordings"] {
        assert!(names.iter().any(|name| name.contains(part)), "no {part} in {names:#?}");
    }
}
