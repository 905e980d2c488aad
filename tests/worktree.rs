//! Worktrees from outside: made with the agent, listed with it, kept when it stops, removed only when
//! nothing is lost by it.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod desk;

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use counsel::core::terminal::grid::Size;
use desk::Terminal;
use nix::sys::signal::Signal;
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

    /// Nothing was made for anybody.
    fn has_made_nothing(&self) {
        assert_eq!(self.ok(&["worktree", "ls", "--json"]), "");
        assert_eq!(self.git(&self.repo(), &["branch"]), "* main");
    }

    fn denies_rm(&self) {
        let folder = self.root.path().join(".config/counsel");
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("config.toml"), "[security]\ndeny_commands = [\"rm\"]\n").unwrap();
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

/// `up` made a worktree and a branch for an agent before it was refused, and for those who stand by, and left them.
#[test]
fn an_agent_of_a_team_that_is_refused_leaves_no_worktree_and_no_branch() {
    let world = World::new();
    world.denies_rm();
    let standby = "[[agent]]\nname = \"wise\"\nrole = \"consultant\"\nstart = \"demand\"\ncommand = [\"cat\"]\n\
                   worktree = \"wise\"\n";
    let team = |command: &str| {
        let agent = format!("[[agent]]\nname = \"a\"\ncommand = [{command}]\nworktree = \"feat/fix\"\n");
        std::fs::write(world.repo().join("team.toml"), format!("{standby}{agent}")).unwrap();
    };
    let up = &["up", "-f", "team.toml"];
    for (command, why) in [("\"rm\", \"x\"", "could not start a"), ("\"/no/such/program\"", "no program")] {
        team(command);
        let (code, told) = world.refused(&world.repo(), up);
        assert!(code != 0 && told.contains(why) && !told.contains("stays"), "{code} {told}");
        world.has_made_nothing();
    }
    team("\"cat\"");
    world.ok(up);
    for name in ["feat/fix", "wise"] {
        assert!(world.ok(&["worktree", "ls"]).contains(name), "{name}");
    }
    // What was there before stays.
    world.ok(&["stop", "a"]);
    team("\"/no/such/program\"");
    assert_ne!(world.refused(&world.repo(), up).0, 0);
    for name in ["feat/fix", "wise"] {
        assert!(world.ok(&["worktree", "ls"]).contains(name), "{name}");
    }
}

/// So did the dashboard, for an agent that was described there.
#[test]
fn an_agent_of_the_form_that_is_refused_leaves_no_worktree_and_no_branch() {
    let world = World::new();
    world.denies_rm();
    for (program, why) in [("/no/such/program", "no program"), ("rm x", "deny_commands")] {
        let mut command = world.command(env!("CARGO_BIN_EXE_counsel"), &world.repo());
        let mut outer = Terminal::open(command.env("TERM", "xterm-256color"), Size::new(100, 30));
        outer.until_text("ctrl-a");
        outer.types(b"\x01c");
        outer.until_text("a git worktree of its own");
        outer.types(program.as_bytes());
        outer.until_text(program);
        outer.types(&b"\x1b[B".repeat(5));
        outer.types(b"fix");
        outer.until_text("fix");
        outer.types(b"\r");
        outer.until_text(why);
        world.has_made_nothing();
        outer.signal(Signal::SIGTERM);
        outer.ends();
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

/// An agent that committed this in a worktree of its own, and is through.
fn committed(world: &World, name: &str, script: &str) {
    world.ok(&["start", name, "--worktree", name, "--", "sh", "-c", script]);
    world.ok(&["wait", name, "--for", "exited", "--timeout", "30"]);
}

fn standing(world: &World, name: &str) -> Value {
    serde_json::from_str(&world.ok(&["worktree", "done", name, "--json"])).unwrap()
}

/// Work that was picked, rebased or squashed into the other branch is merged there, though no commit of it is.
#[test]
fn what_was_merged_as_equal_patches_is_merged() {
    let world = World::new();
    let two = "echo two > b.txt; git add -A; git commit -qm Two; echo three > c.txt; git add -A; git commit -qm Three";
    for name in ["picked", "squashed", "open"] {
        committed(&world, name, two);
        assert_eq!(standing(&world, name)["merged"], "no", "{name}");
    }
    // Something else first: otherwise the picked commits would be the very same.
    world.git(&world.repo(), &["commit", "-q", "--allow-empty", "-m", "Between"]);
    world.git(&world.repo(), &["cherry-pick", "picked~1", "picked"]);
    let state = standing(&world, "picked");
    assert_eq!((&state["merged"], &state["commits"]), (&"equal".into(), &2.into()), "{state}");

    world.git(&world.repo(), &["reset", "-q", "--hard", "HEAD~2"]);
    assert_eq!(standing(&world, "picked")["merged"], "no");
    world.git(&world.repo(), &["merge", "-q", "--squash", "squashed"]);
    world.git(&world.repo(), &["commit", "-qm", "Both at once"]);
    assert_eq!(standing(&world, "squashed")["merged"], "equal");

    let pruned = world.ok(&["worktree", "prune", "--yes", "--json"]);
    let names: Vec<Value> = pruned.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()).collect();
    let names: Vec<&str> = names.iter().map(|gone| gone["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["open", "picked", "squashed"], "all three hold the same patches");
    assert_eq!(world.git(&world.repo(), &["log", "-1", "--format=%s", "open"]), "Three", "branches stay");
}

/// A merge that does not go through leaves both checkouts as they were, and says which files stand in its way.
#[test]
fn a_merge_in_conflict_is_taken_back() {
    let world = World::new();
    committed(&world, "fix", "echo theirs > web/page.txt; git commit -qam Theirs");
    std::fs::write(world.repo().join("web/page.txt"), "ours\n").unwrap();
    let (code, why) = world.refused(&world.repo(), &["worktree", "done", "fix", "--merge"]);
    assert_eq!((code, why.contains("has changes of its own; commit or stash them")), (1, true), "{why}");
    world.git(&world.repo(), &["commit", "-qam", "Ours"]);
    let (code, why) = world.refused(&world.repo(), &["worktree", "done", "fix", "--merge"]);
    assert_eq!(
        (code, why.contains("fix and main both change web/page.txt; nothing was merged")),
        (1, true),
        "{why}"
    );
    assert_eq!(world.git(&world.repo(), &["status", "--porcelain"]), "");
    assert_eq!(std::fs::read_to_string(world.repo().join("web/page.txt")).unwrap(), "ours\n");
    assert_eq!(standing(&world, "fix")["merged"], "no", "the worktree is there");
}

/// A commit on no branch would be lost with its worktree; one that no remote has is told.
#[test]
fn what_only_the_worktree_holds_is_not_removed() {
    let world = World::new();
    committed(&world, "loose", "git checkout -q --detach; echo two > b.txt; git add -A; git commit -qm Two");
    let (code, why) = world.refused(&world.repo(), &["worktree", "done", "loose", "--remove"]);
    assert_eq!((code, why.contains("no branch would keep its 1 commit")), (1, true), "{why}");
    let remote = world.root.path().join("remote.git");
    world.git(world.root.path(), &["init", "-q", "--bare", "remote.git"]);
    world.git(&world.repo(), &["remote", "add", "origin", remote.to_str().unwrap()]);
    world.git(&world.repo(), &["push", "-q", "origin", "main"]);
    assert_eq!(standing(&world, "loose")["unpushed"], 1);
    assert_eq!(world.ok(&["worktree", "prune", "--yes", "--json"]), "");
    world.ok(&["worktree", "done", "loose", "--remove", "--force"]);
}

/// `.env` and notes that git ignores went with the folder, and `rm` did not say a word.
#[test]
fn what_git_ignores_is_not_lost_unasked() {
    let world = World::new();
    let write = "printf '.env\\nnotes/\\ntarget/\\n' >> $(git rev-parse --git-common-dir)/info/exclude; mkdir notes target; \
                 echo 1 > .env; echo hours > notes/plan.md; echo o > target/a.o";
    committed(&world, "fix", write);
    let path = world.folder("fix");
    for args in [
        &["worktree", "rm", "fix"][..],
        &["worktree", "done", "fix", "--remove"],
        &["worktree", "done", "fix", "--merge"],
    ] {
        let (code, why) = world.refused(&world.repo(), args);
        assert_eq!(code, 1, "{args:?}: {why}");
        assert!(why.contains(".env and 1 more are ignored by git and nowhere else"), "{args:?}: {why}");
    }
    assert_eq!(world.ok(&["worktree", "prune", "--yes", "--json"]), "");
    assert!(path.join("notes/plan.md").exists() && path.join(".env").exists());
    std::fs::remove_file(path.join(".env")).unwrap();
    std::fs::remove_dir_all(path.join("notes")).unwrap();
    assert_eq!(world.ok(&["worktree", "rm", "fix"]), "the worktree fix is removed; its branch stays\n");
    assert!(!path.exists(), "what a build makes again is no reason to keep it");
    committed(&world, "other", "echo 1 > .env");
    world.ok(&["worktree", "rm", "other", "--force"]);
}

/// `rm` removed a worktree with commits that no branch held, and said that its branch stays.
#[test]
fn commits_on_no_branch_are_not_removed_without_a_word() {
    let world = World::new();
    // Named for their worktree: of the same second they would be the very same commits.
    let three = "for i in 1 2 3; do echo $i > c$i; git add -A; git commit -qm $COUNSEL_AGENT$i; done";
    let rebase = "GIT_SEQUENCE_EDITOR='sed -i 2s/pick/edit/' git rebase -q -i HEAD~3; echo amended > c2; git commit -qa --amend -m Two";
    committed(&world, "loose", &format!("git checkout -q --detach; {three}"));
    committed(&world, "halfway", &format!("{three}; {rebase}"));
    for (name, commits) in [("loose", "3 commits"), ("halfway", "1 commit")] {
        let path = world.folder(name);
        let (code, why) = world.refused(&world.repo(), &["worktree", "rm", name]);
        assert_eq!(code, 1, "{why}");
        assert!(why.contains(&format!("no branch would keep its {commits}")), "{why}");
        // One that holds them is enough.
        world.git(&path, &["branch", &format!("keep-{name}")]);
        let said = world.ok(&["worktree", "rm", name]);
        assert_eq!(said, format!("the worktree {name} is removed\n"), "it was on no branch");
    }
}

/// What git is told not to look at was lost with the folder: new files, and changed ones that it takes for unchanged.
#[test]
fn what_git_is_told_not_to_look_at_is_not_lost_unasked() {
    let world = World::new();
    committed(&world, "new", "echo precious > new.txt");
    world.git(&world.repo(), &["config", "status.showUntrackedFiles", "no"]);
    committed(
        &world,
        "skipped",
        "git update-index --skip-worktree web/page.txt; echo precious > web/page.txt",
    );
    committed(
        &world,
        "assumed",
        "git update-index --assume-unchanged web/page.txt; echo precious > web/page.txt",
    );
    committed(&world, "same", "git update-index --assume-unchanged web/page.txt");
    let pruned = world.ok(&["worktree", "prune", "--yes", "--json"]);
    let pruned: Vec<Value> = pruned.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(pruned.iter().map(|gone| gone["name"].clone()).collect::<Vec<_>>(), ["same"]);
    for name in ["new", "skipped", "assumed"] {
        for args in [&["worktree", "rm", name][..], &["worktree", "done", name, "--remove"]] {
            let (code, why) = world.refused(&world.repo(), args);
            assert_eq!(code, 1, "{args:?}: {why}");
        }
        assert!(world.folder(name).exists(), "{name}");
        world.ok(&["worktree", "rm", name, "--force"]);
    }
}

/// `--force` was the advice, and does not remove a locked one either.
#[test]
fn a_locked_worktree_names_its_lock() {
    let world = World::new();
    committed(&world, "kept", "true");
    let path = world.folder("kept");
    world.git(&world.repo(), &["worktree", "lock", "--reason", "on a stick", path.to_str().unwrap()]);
    for args in [
        &["worktree", "rm", "kept"][..],
        &["worktree", "rm", "kept", "--force"],
        &["worktree", "done", "kept", "--remove", "--force"],
        &["worktree", "done", "kept", "--merge"],
    ] {
        let (code, why) = world.refused(&world.repo(), args);
        let mend = format!("it is locked (on a stick); 'git worktree unlock {}' first", path.display());
        assert_eq!((code, why.ends_with(&mend)), (1, true), "{args:?}: {why}");
    }
    assert_eq!(world.ok(&["worktree", "prune", "--yes", "--json"]), "");
    world.git(&world.repo(), &["worktree", "unlock", path.to_str().unwrap()]);
    world.ok(&["worktree", "rm", "kept"]);
}

/// The path of a repository was cut at its line feed, and the worktree made of the repository beside it.
#[test]
fn a_line_feed_in_a_path_names_no_other_repository() {
    let world = World::new();
    let twin = world.root.path().join("shop\ntwo");
    std::fs::create_dir(&twin).unwrap();
    world.git(&twin, &["init", "-q", "-b", "main"]);
    world.git(&twin, &["commit", "-q", "--allow-empty", "-m", "Twin"]);
    let done = world.run(&twin, &["start", "twin", "--worktree", "twin", "--", "true"]);
    assert!(!world.git(&world.repo(), &["branch", "--list"]).contains("twin"), "{done:?}");
    if done.status.success() {
        assert_eq!(world.git(&world.folder("twin"), &["log", "--format=%s"]), "Twin");
    }
}

/// Somebody works in it: then it is neither merged nor removed, whatever its branch holds.
#[test]
fn a_worktree_in_use_is_left_alone() {
    let world = World::new();
    world.ok(&["start", "api", "--worktree", "fix", "--", "cat"]);
    for choice in ["--merge", "--remove"] {
        let (code, why) = world.refused(&world.repo(), &["worktree", "done", "fix", choice]);
        assert_eq!((code, why.contains("api works in it; counsel stop api")), (1, true), "{why}");
    }
    assert_eq!(world.ok(&["worktree", "prune", "--yes", "--json"]), "");
}

/// Under another `XDG_RUNTIME_DIR` (`cron`, `su`, `ssh`) no agent was seen, and the folders of all that ran were removed below them.
#[test]
fn a_worktree_that_another_servers_agent_works_in_is_left_alone() {
    let world = World::new();
    world.ok(&["start", "api", "--worktree", "fix", "--", "cat"]);
    let elsewhere = |args: &[&str]| {
        let mut command = world.command(env!("CARGO_BIN_EXE_counsel"), &world.repo());
        command.env("COUNSEL_RUNTIME_DIR", world.root.path().join("run2")).args(args).output().unwrap()
    };
    assert!(elsewhere(&["worktree", "prune", "--yes", "--json"]).stdout.is_empty());
    let why = elsewhere(&["worktree", "rm", "fix"]).stderr;
    assert!(String::from_utf8_lossy(&why).contains("of the agent api works in it"), "{why:?}");
    assert!(world.folder("api").is_dir());
}

/// An agent removed another one's worktree with what was committed nowhere, and merged into the person's checkout.
#[test]
fn an_agent_merges_and_removes_no_worktree() {
    let world = World::new();
    committed(&world, "fix", "echo two > b.txt; git add -A; git commit -qm Two");
    let counsel = env!("CARGO_BIN_EXE_counsel");
    for words in ["done fix --merge", "done fix --remove --force", "rm fix --force", "prune --yes"] {
        let state = world.root.path().join("state");
        let script =
            format!("COUNSEL_STATE_DIR={} {counsel} worktree {words}; echo code $?", state.display());
        world.ok(&["start", "other", "--", "sh", "-c", &script]);
        world.ok(&["wait", "other", "--for", "exited", "--timeout", "30"]);
        let said = world.ok(&["read", "other"]);
        // There is none to prune: the branch is not merged.
        let code = if words.starts_with("prune") { "code 0" } else { "code 4" };
        assert!(said.contains(code), "{words}: {said}");
        world.ok(&["stop", "other"]);
    }
    assert!(world.folder("fix").is_dir());
    assert_eq!(world.git(&world.repo(), &["log", "-1", "--format=%s"]), "First");
}

/// A file that git ignores, the only one of its kind, was overwritten by what an agent had committed under its name.
#[test]
fn a_merge_overwrites_nothing_that_git_does_not_keep() {
    let world = World::new();
    std::fs::write(world.repo().join(".gitignore"), ".env\nlogs\n").unwrap();
    world.git(&world.repo(), &["add", "-A"]);
    world.git(&world.repo(), &["commit", "-qm", "Second"]);
    committed(
        &world,
        "fix",
        "echo theirs > .env; mkdir logs; echo x > logs/x; git add -Af; git commit -qm Theirs",
    );
    std::fs::write(world.repo().join(".env"), "mine\n").unwrap();
    std::fs::write(world.repo().join("logs"), "mine\n").unwrap();
    // Neither where the branch is ahead, nor where it is merged.
    for ahead in [true, false] {
        let (code, why) = world.refused(&world.repo(), &["worktree", "done", "fix", "--merge"]);
        assert_eq!((code, why.contains(".env, logs/x, and")), (1, true), "{ahead}: {why}");
        world.git(&world.repo(), &["commit", "-q", "--allow-empty", "-m", "Between"]);
    }
    // A file that main has let go of, and the branch has never touched, is in nobody's way.
    world.git(&world.repo(), &["rm", "-q", "--cached", "web/page.txt"]);
    world.git(&world.repo(), &["commit", "-qm", "Let go"]);
    std::fs::write(world.repo().join(".git/info/exclude"), "web\n").unwrap();
    for name in [".env", "logs"] {
        assert_eq!(std::fs::read_to_string(world.repo().join(name)).unwrap(), "mine\n");
        std::fs::remove_file(world.repo().join(name)).unwrap();
    }
    world.ok(&["worktree", "done", "fix", "--merge"]);
    assert_eq!(std::fs::read_to_string(world.repo().join(".env")).unwrap(), "theirs\n");
    assert_eq!(std::fs::read_to_string(world.repo().join("web/page.txt")).unwrap(), "one\n");
}

/// One that git refuses to remove kept all behind it.
#[test]
fn what_git_refuses_to_remove_keeps_nothing_else() {
    let world = World::new();
    for name in ["a", "b"] {
        committed(&world, name, "true");
    }
    // As git keeps what a submodule has.
    let inner = world.git(&world.folder("a"), &["rev-parse", "--git-path", "modules"]);
    std::fs::create_dir_all(PathBuf::from(inner).join("sub")).unwrap();
    let (code, why) = world.refused(&world.repo(), &["worktree", "prune", "--yes"]);
    assert_eq!((code, why.contains("could not remove the worktree a")), (1, true), "{why}");
    let left = world.ok(&["worktree", "ls", "--json"]);
    assert!(left.contains("\"name\":\"a\"") && !left.contains("\"name\":\"b\""), "{left}");
}

/// A file changed within the second in which git had last looked, to as many bytes as before, was missing in `diff`:
/// it looks by a copy of the index, and by the copy's own, later time git took the file for looked at.
#[test]
fn a_change_in_the_second_of_the_last_commit_is_shown() {
    let world = World::new();
    world.ok(&["start", "api", "--worktree", "fix", "--", "cat"]);
    let folder = world.folder("api");
    let page = folder.join("web/page.txt");
    let second = std::time::SystemTime::now() - std::time::Duration::from_secs(3600);
    let at = |path: &Path| {
        std::fs::OpenOptions::new().append(true).open(path).unwrap().set_modified(second).unwrap();
    };
    // The time at which an inode changed cannot be set.
    world.git(&folder, &["config", "core.trustctime", "false"]);
    at(&page);
    world.git(&folder, &["update-index", "--refresh"]);
    std::fs::write(&page, "two\n").unwrap();
    at(&page);
    let index = world.git(&folder, &["rev-parse", "--path-format=absolute", "--git-path", "index"]);
    at(Path::new(&index));
    assert!(world.ok(&["diff", "api"]).contains("+two"), "it shows what changed");
}

/// An agent could name programs in its repository's settings, and git ran them when a person listed, compared, merged or
/// started: as children of the person's counsel they were people.
#[test]
fn no_program_that_an_agent_names_to_git_is_run_for_a_person() {
    let world = World::new();
    let ran = world.root.path().join("ran");
    let script = world.root.path().join("trap.sh");
    std::fs::write(&script, format!("#!/bin/sh\necho \"$1\" >>{}\ncat\n", ran.display())).unwrap();
    std::fs::set_permissions(&script, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let trap = script.display().to_string();
    world.ok(&["start", "api", "--worktree", "fix", "--", "cat"]);
    let folder = world.folder("api");
    std::fs::write(folder.join("new.txt"), "work\n").unwrap();
    world.git(&folder, &["add", "-A"]);
    world.git(&folder, &["commit", "-qm", "Work"]);
    for (name, value) in [
        ("filter.a=b.clean", format!("{trap} clean")),
        ("filter.a=b.smudge", format!("{trap} smudge")),
        ("filter.a=b.required", "true".to_owned()),
        ("filter.c.process", format!("{trap} process")),
        ("core.fsmonitor", trap.clone()),
    ] {
        world.git(&folder, &["config", name, &value]);
    }
    let hooks = world.repo().join(".git/hooks");
    std::fs::create_dir_all(&hooks).unwrap();
    for hook in
        ["post-checkout", "reference-transaction", "post-merge", "post-index-change", "pre-merge-commit"]
    {
        std::fs::copy(&script, hooks.join(hook)).unwrap();
    }
    let attributes = "page.txt filter=c\n*.txt filter=a=b\n";
    std::fs::write(world.repo().join(".git/info/attributes"), attributes).unwrap();
    std::fs::write(folder.join("web/page.txt"), "two\n").unwrap();
    assert_eq!(world.listed("api")["dirty"], true);
    assert!(world.ok(&["diff", "api"]).contains("two"), "it shows what changed");
    world.ok(&["start", "other", "--worktree", "second", "--", "cat"]);
    world.ok(&["worktree", "ls"]);
    std::fs::write(folder.join("web/page.txt"), "one\n").unwrap();
    world.ok(&["stop", "api"]);
    let (code, why) = world.refused(&world.repo(), &["worktree", "done", "fix", "--merge"]);
    assert!(code == 1 && why.contains("new.txt goes through the filter 'a=b'"), "{why}");
    assert!(!world.repo().join("new.txt").exists(), "its stored form would be no person's file");
    std::fs::remove_file(world.repo().join(".git/info/attributes")).unwrap();
    world.ok(&["worktree", "done", "fix", "--merge"]);
    assert_eq!(std::fs::read_to_string(&ran).unwrap_or_default(), "", "programs were run");
}

/// A program that tells when it is run.
fn trap(world: &World) -> (String, std::path::PathBuf) {
    let (ran, script) = (world.root.path().join("ran"), world.root.path().join("trap.sh"));
    std::fs::write(&script, format!("#!/bin/sh\necho \"$*\" >>{}\ncat\n", ran.display())).unwrap();
    std::fs::set_permissions(&script, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    (script.display().to_string(), ran)
}

/// git clears up after a merge, and asks a program that the repository names which objects to keep: an agent's program ran
/// for the person who merged.
#[test]
fn no_program_that_clears_up_after_a_merge_is_run_for_a_person() {
    let world = World::new();
    let (trap, ran) = trap(&world);
    world.ok(&["start", "api", "--worktree", "fix", "--", "cat"]);
    let folder = world.folder("api");
    for name in ["one.txt", "two.txt"] {
        std::fs::write(folder.join(name), "work\n").unwrap();
        world.git(&folder, &["add", "-A"]);
        world.git(&folder, &["commit", "-qm", "Work"]);
        world.git(&folder, &["repack", "-q"]);
    }
    // What nothing leads to, and is old: of that the program is asked.
    let lost = world.root.path().join("lost");
    std::fs::write(&lost, "lost\n").unwrap();
    let id = world.git(&folder, &["hash-object", "-w", &lost.display().to_string()]);
    let (begin, rest) = id.trim().split_at(2);
    let object = world.repo().join(".git/objects").join(begin).join(rest);
    std::fs::File::open(object).unwrap().set_modified(std::time::UNIX_EPOCH).unwrap();
    for (name, value) in [
        ("gc.recentObjectsHook", trap.as_str()),
        ("gc.auto", "1"),
        ("gc.autoPackLimit", "1"),
        ("gc.autoDetach", "false"),
        ("maintenance.autoDetach", "false"),
    ] {
        world.git(&folder, &["config", name, value]);
    }
    world.ok(&["stop", "api"]);
    world.ok(&["worktree", "done", "fix", "--merge"]);
    assert_eq!(std::fs::read_to_string(&ran).unwrap_or_default(), "", "a program was run");
}

/// An agent named the program that signs in the settings of its repository: a merge that is signed ran it for the person.
#[test]
fn what_signs_a_merge_is_named_by_the_person_alone() {
    let world = World::new();
    let (trap, ran) = trap(&world);
    let own = world.root.path().join("own-signer");
    let signed = world.root.path().join("signed");
    let script = format!(
        "#!/bin/sh\ncat >/dev/null\necho signed >>'{}'\necho '[GNUPG:] SIG_CREATED ' >&2\necho signature\n",
        signed.display()
    );
    std::fs::write(&own, script).unwrap();
    std::fs::set_permissions(&own, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    world.git(&world.repo(), &["config", "--global", "gpg.program", &own.display().to_string()]);
    world.git(&world.repo(), &["config", "--global", "commit.gpgSign", "true"]);
    world.ok(&["start", "api", "--worktree", "fix", "--", "cat"]);
    let folder = world.folder("api");
    std::fs::write(folder.join("theirs.txt"), "work\n").unwrap();
    std::fs::write(world.repo().join("ours.txt"), "work\n").unwrap();
    for place in [&folder, &world.repo()] {
        world.git(place, &["add", "-A"]);
        world.git(place, &["commit", "-qm", "Work"]);
    }
    std::fs::remove_file(&signed).unwrap();
    for name in ["gpg.program", "gpg.openpgp.program", "gpg.ssh.program", "gpg.ssh.defaultKeyCommand"] {
        world.git(&folder, &["config", name, &trap]);
    }
    world.ok(&["stop", "api"]);
    world.ok(&["worktree", "done", "fix", "--merge"]);
    assert_eq!(
        std::fs::read_to_string(&ran).unwrap_or_default(),
        "",
        "a program of the repository's was run"
    );
    assert_eq!(
        std::fs::read_to_string(&signed).unwrap_or_default(),
        "signed\n",
        "it is signed as theirs are"
    );
}

/// git looks into a submodule by a git of its own, to which nothing is said of what is switched off: an agent made one,
/// and a person's `counsel ls` ran its watcher of files, outside of whatever the agent was kept in.
#[test]
fn no_program_that_a_submodule_names_is_run_for_a_person() {
    let world = World::new();
    let (trap, ran) = trap(&world);
    world.ok(&["start", "api", "--worktree", "fix", "--", "cat"]);
    let folder = world.folder("api");
    let sub = folder.join("sub");
    world.git(&folder, &["init", "-q", "sub"]);
    std::fs::write(sub.join("file"), "one\n").unwrap();
    world.git(&sub, &["add", "-A"]);
    world.git(&sub, &["commit", "-qm", "One"]);
    world.git(&folder, &["add", "-A"]);
    world.git(&folder, &["commit", "-qm", "With a submodule"]);
    world.git(&sub, &["config", "core.fsmonitor", &trap]);
    world.git(&folder, &["config", "submodule.sub.ignore", "none"]);
    std::fs::write(sub.join("file"), "two\n").unwrap();
    std::fs::write(folder.join("new.txt"), "work\n").unwrap();
    assert_eq!(world.listed("api")["dirty"], true);
    assert!(world.ok(&["diff", "api"]).contains("work"), "what else is new is shown");
    world.ok(&["worktree", "ls"]);
    world.ok(&["stop", "api"]);
    world.run(&world.repo(), &["worktree", "done", "fix", "--merge"]);
    assert_eq!(std::fs::read_to_string(&ran).unwrap_or_default(), "", "programs were run");
}

/// git ends over a file that is a pipe now, and with it went everything else that had changed.
#[test]
fn a_file_that_an_agent_made_a_pipe_hides_no_other_change() {
    let world = World::new();
    world.ok(&["start", "api", "--worktree", "fix", "--", "cat"]);
    let folder = world.folder("api");
    std::fs::write(folder.join("new.txt"), "work\n").unwrap();
    std::fs::remove_file(folder.join("web/page.txt")).unwrap();
    for name in ["web/page.txt", "another [pipe]"] {
        nix::unistd::mkfifo(&folder.join(name), nix::sys::stat::Mode::S_IRWXU).unwrap();
    }
    let words = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    let done = world.run(&world.repo(), &["diff", "api"]);
    let (out, err) = (words(done.stdout), words(done.stderr));
    assert!(out.contains("+work"), "{err}");
    assert!(err.contains("web/page.txt is not shown: it is a pipe"), "{err}");
    let files = world.ok(&["diff", "api", "--json"]);
    assert!(files.contains("new.txt") && !files.contains("page.txt"), "{files}");
}

/// git fetches an object that is not there from where the settings say, by the program they say.
#[test]
fn an_object_that_an_agent_removed_is_fetched_from_nowhere() {
    let world = World::new();
    let (trap, ran) = trap(&world);
    world.ok(&["start", "api", "--worktree", "fix", "--", "cat"]);
    let folder = world.folder("api");
    for (name, value) in [
        ("core.repositoryFormatVersion", "1"),
        ("extensions.partialClone", "origin"),
        ("protocol.ext.allow", "always"),
        ("remote.origin.promisor", "true"),
        ("remote.origin.url", &format!("ext::{trap} fetch")),
    ] {
        world.git(&folder, &["config", name, value]);
    }
    let blob = world.git(&folder, &["rev-parse", "HEAD:web/page.txt"]);
    let (first, rest) = blob.trim().split_at(2);
    std::fs::remove_file(world.repo().join(".git/objects").join(first).join(rest)).unwrap();
    std::fs::write(folder.join("web/page.txt"), "two\n").unwrap();
    // What it would show is not there.
    world.run(&world.repo(), &["diff", "api"]);
    world.run(&world.repo(), &["ls"]);
    assert_eq!(std::fs::read_to_string(&ran).unwrap_or_default(), "", "programs were run");
}

/// Neither `done` nor `rm --force` removed it, and it stood on the list for ever.
#[test]
fn a_worktree_whose_repository_is_gone_can_be_removed() {
    let world = World::new();
    world.ok(&["start", "api", "--worktree", "fix", "--", "cat"]);
    let folder = world.folder("api");
    world.ok(&["stop", "api"]);
    std::fs::remove_dir_all(world.repo().join(".git")).unwrap();
    let (code, why) = world.refused(&world.repo(), &["worktree", "done", "fix"]);
    assert_eq!((code, why.contains("'counsel worktree rm fix --force' removes it")), (1, true), "{why}");
    let (code, _) = world.refused(&world.repo(), &["worktree", "rm", "fix"]);
    assert!(code == 1 && folder.exists(), "not without a word");
    world.ok(&["worktree", "rm", "fix", "--force"]);
    assert!(!folder.exists());
}

/// Of two that were called at once one said that the branch exists, or that an agent runs already, and ended with 1.
#[test]
fn two_that_start_one_team_at_once_both_find_it_running() {
    let world = World::new();
    let agent = |name: &str, more: &str| format!("[[agent]]\nname = \"{name}\"\ncommand = [\"cat\"]\n{more}");
    let names = ["t1", "t2", "t3", "t4"];
    let mut team: String = names.map(|name| agent(name, &format!("worktree = \"{name}\"\n"))).concat();
    team.push_str(&agent("plain", ""));
    let file = world.repo().join("team.toml");
    std::fs::write(&file, team).unwrap();
    let up = || {
        let mut command = world.command(env!("CARGO_BIN_EXE_counsel"), &world.repo());
        command.args(["up", "-f", file.to_str().unwrap(), "--json"]);
        command.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped()).spawn().unwrap()
    };
    let both = [up(), up()].map(|child| child.wait_with_output().unwrap());
    let mut did: Vec<String> = Vec::new();
    for done in &both {
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
        for line in String::from_utf8_lossy(&done.stdout).lines() {
            let told: Value = serde_json::from_str(line).unwrap();
            did.push(format!("{} {}", told["name"].as_str().unwrap(), told["did"].as_str().unwrap()));
        }
    }
    did.sort();
    let once =
        ["plain", "t1", "t2", "t3", "t4"].map(|name| [format!("{name} nothing"), format!("{name} started")]);
    assert_eq!(did, once.concat(), "each is started by one of them");
    for name in names {
        let folder = world.folder(name);
        assert!(folder.join("web/page.txt").is_file(), "{} is whole", folder.display());
        assert_eq!(world.git(&folder, &["status", "--porcelain"]), "");
    }
}
