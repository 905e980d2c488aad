//! Worktrees from outside: made with the agent, listed with it, kept when it stops, removed only when
//! nothing is lost by it.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

/// A home with a repository in it, and a server of its own.
struct World {
    root: tempfile::TempDir,
}

impl World {
    fn new() -> World {
        let world = World { root: tempfile::Builder::new().prefix("wt").tempdir().unwrap() };
        std::fs::create_dir_all(world.repo().join("web")).unwrap();
        std::fs::write(world.repo().join("web/page.txt"), "one\n").unwrap();
        world.git(&world.repo(), &["init", "-q", "-b", "main"]);
        world.git(&world.repo(), &["add", "-A"]);
        world.git(&world.repo(), &["commit", "-qm", "First"]);
        world
    }

    fn repo(&self) -> PathBuf {
        self.root.path().join("shop")
    }

    fn command(&self, program: &str, cwd: &Path) -> Command {
        let mut command = Command::new(program);
        command.current_dir(cwd).env_clear();
        command.env("PATH", std::env::var_os("PATH").unwrap()).env("HOME", self.root.path());
        for (name, folder) in [("COUNSEL_RUNTIME_DIR", "run"), ("COUNSEL_STATE_DIR", "state")] {
            command.env(name, self.root.path().join(folder));
        }
        for (name, value) in [("NAME", "dev"), ("EMAIL", "dev@example.com")] {
            command.env(format!("GIT_AUTHOR_{name}"), value).env(format!("GIT_COMMITTER_{name}"), value);
        }
        command
    }

    fn git(&self, cwd: &Path, args: &[&str]) -> String {
        let done = self.command("git", cwd).args(args).output().unwrap();
        assert!(done.status.success(), "git {args:?}: {}", String::from_utf8_lossy(&done.stderr));
        String::from_utf8_lossy(&done.stdout).trim().to_owned()
    }

    fn run(&self, cwd: &Path, args: &[&str]) -> Output {
        self.command(env!("CARGO_BIN_EXE_counsel"), cwd).args(args).output().unwrap()
    }

    fn ok(&self, args: &[&str]) -> String {
        let done = self.run(&self.repo(), args);
        assert!(done.status.success(), "{args:?}: {}", String::from_utf8_lossy(&done.stderr));
        String::from_utf8_lossy(&done.stdout).into_owned()
    }

    /// The exit code, and the one line that says why.
    fn refused(&self, cwd: &Path, args: &[&str]) -> (i32, String) {
        let done = self.run(cwd, args);
        (done.status.code().unwrap(), String::from_utf8_lossy(&done.stderr).trim().to_owned())
    }

    fn listed(&self, agent: &str) -> Value {
        let list = self.ok(&["ls", "--json"]);
        let all = list.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        all.into_iter().find(|listed| listed["name"] == agent).unwrap()
    }

    /// The folder an agent works in.
    fn folder(&self, agent: &str) -> PathBuf {
        PathBuf::from(self.listed(agent)["cwd"].as_str().unwrap())
    }
}

impl Drop for World {
    fn drop(&mut self) {
        let _ = self.run(self.root.path(), &["down"]);
    }
}

#[test]
fn an_agent_gets_a_worktree_and_a_branch_of_its_own() {
    let world = World::new();
    world.ok(&["start", "api", "--worktree", "feat/cache", "--cwd", "web", "--", "cat"]);
    let folder = world.folder("api");
    assert!(folder.ends_with("feat/cache/web"), "{}", folder.display());
    assert_eq!(std::fs::read_to_string(folder.join("page.txt")).unwrap(), "one\n");
    assert_eq!(world.git(&folder, &["branch", "--show-current"]), "feat/cache");
    assert_eq!(world.git(&world.repo(), &["branch", "--show-current"]), "main", "the user's checkout stays");
    assert_eq!(world.git(&world.repo(), &["status", "--porcelain"]), "", "and is not touched");
}

#[test]
fn what_is_changed_shows_and_is_kept_until_it_is_clean_or_forced() {
    let world = World::new();
    world.ok(&["start", "api", "--worktree", "fix", "--", "cat"]);
    world.ok(&["start", "plain", "--", "cat"]);
    let listed = world.listed("api");
    assert_eq!((&listed["branch"], &listed["dirty"]), (&"fix".into(), &false.into()), "{listed}");
    let folder = world.folder("api");
    std::fs::write(folder.join("new.txt"), "work\n").unwrap();
    assert_eq!(world.listed("api")["dirty"], true);
    assert_eq!(world.listed("plain")["branch"], "main");
    assert!(world.ok(&["ls"]).contains("fix*"), "{}", world.ok(&["ls"]));

    let (code, why) = world.refused(&world.repo(), &["worktree", "rm", "fix"]);
    assert_eq!((code, why.contains("api works in it; counsel stop api")), (1, true), "{why}");
    world.ok(&["stop", "api"]);
    assert!(folder.join("new.txt").exists(), "it is kept when its agent stops");
    let (code, why) = world.refused(&world.repo(), &["worktree", "rm", "fix"]);
    assert_eq!((code, why.contains("or say --force")), (1, true), "{why}");
    assert_eq!(why.lines().count(), 1, "{why}");

    let line = world.ok(&["worktree", "ls", "--json"]);
    let tree: Value = serde_json::from_str(&line).unwrap();
    assert_eq!((&tree["name"], &tree["dirty"]), (&"fix".into(), &true.into()), "{tree}");

    // Asked for again, it is the same one, with everything that was in it.
    world.ok(&["start", "again", "--worktree", "fix", "--", "cat"]);
    assert_eq!(world.folder("again"), folder);
    world.ok(&["stop", "again"]);

    world.git(&folder, &["add", "-A"]);
    world.git(&folder, &["commit", "-qm", "Work"]);
    world.ok(&["worktree", "rm", "fix"]);
    assert!(!folder.exists());
    assert_eq!(world.git(&world.repo(), &["log", "-1", "--format=%s", "fix"]), "Work", "the branch stays");
    world.ok(&["start", "back", "--worktree", "fix", "--", "cat"]);
    assert!(world.folder("back").join("new.txt").exists(), "and is checked out again");
    world.ok(&["stop", "back"]);
    std::fs::write(folder.join("lost.txt"), "").unwrap();
    world.ok(&["worktree", "rm", "fix", "--force"]);
    assert_eq!(world.ok(&["worktree", "ls", "--json"]), "");
}

#[test]
fn a_team_gets_its_worktrees_from_the_configuration() {
    let world = World::new();
    let agent =
        |name: &str| format!("[[agent]]\nname = \"{name}\"\ncommand = [\"cat\"]\nworktree = \"{name}\"\n");
    std::fs::write(world.repo().join("counsel.toml"), agent("a") + &agent("b")).unwrap();
    world.ok(&["up", "-f", "counsel.toml"]);
    for name in ["a", "b"] {
        assert_eq!(world.git(&world.folder(name), &["branch", "--show-current"]), name);
    }
}

#[test]
fn what_cannot_be_is_said_in_one_line() {
    let world = World::new();
    for (cwd, name, code, words) in [
        (world.root.path().to_path_buf(), "x", 1, "not a git repository"),
        (world.repo(), "../x", 2, "cannot name a worktree"),
        (world.repo(), "main", 1, "already"),
    ] {
        let (got, why) = world.refused(&cwd, &["start", "a", "--worktree", name, "--", "cat"]);
        assert!(why.starts_with("counsel: ") && why.lines().count() == 1, "{why}");
        assert_eq!((got, why.contains(words)), (code, true), "{why}");
    }
    let (code, why) = world.refused(&world.repo(), &["worktree", "rm", "nothing"]);
    assert_eq!(
        (code, why.as_str()),
        (3, "counsel: could not remove the worktree nothing: there is no worktree 'nothing'")
    );
}
