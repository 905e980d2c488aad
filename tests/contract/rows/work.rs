//! What is begun, searched, compared and finished: a first configuration, manual pages, searches, changes, worktrees.

use nix::sys::signal::Signal;
use serde_json::Value;

use crate::table::{Need, Row, program, row, run};

/// Whoever commits in these worlds.
const GIT: &str = "[user]\nname = dev\nemail = dev@example.com\n[init]\ndefaultBranch = main\n";

/// A row in a repository with one commit.
fn repository(line: &'static str) -> Row {
    row(line)
        .needs(Need::Git)
        .file("home/.gitconfig", GIT)
        .file("work/page.txt", "one\n")
        .then(program("git", "init -q"))
        .then(program("git", "add -A"))
        .then(program("git", "commit -qm First"))
}

/// The same with a worktree `fix` whose agent is through.
fn with_worktree(line: &'static str, script: &'static str) -> Row {
    repository(line)
        .then(run("start a --worktree fix -- sh -c").word(script))
        .then(run("wait a --for exited --timeout 30"))
}

const COMMITS: &str = "echo two > page.txt; git commit -qam Second";

pub fn rows() -> Vec<Row> {
    vec![
        // Contract: Commands: init.
        row("init writes a configuration that can be read, and never over another")
            .then(run("init --json").is("/did", "written").keys(&["file", "programs"]))
            .then(run("config check").says("all right"))
            .then(run("init").refused(1, "counsel.toml is there already")),
        // Contract: Commands: man.
        row("man writes a page for each verb")
            .then(run("man {work}/pages --json").is("/did", "written").holds("/pages", |count| count.as_u64() > Some(30)))
            .then(run("man {work}/pages").says("pages in "))
            .then(run("--version").file_has("{work}/pages/counsel.1", "EXIT STATUS"))
            .then(run("--version").file_has("{work}/pages/counsel-worktree-done.1", "delete\\-branch"))
            .then(run("man").says("pages in ").file_has("{home}/.local/share/man/man1/counsel-start.1", "counsel")),
        // Contract: Commands: server log.
        row("server log shows what the server wrote")
            .then(run("server log").refused(1, "there is none yet"))
            .agent("a", "cat")
            .then(run("server log").says("INFO"))
            .then(run("server log --tail 1").holds_lines(1))
            .then(run("server log --tail=-1").refused(2, "write a whole number"))
            .then(run("server log --since 1h --json").keys(&["at", "level", "text"]).holds("/at", Value::is_u64).is("/level", "INFO"))
            .then(run("server log --since 4000000000").out(""))
            .then(run("server log --since never").refused(2, "is not a time"))
            .then(run("server log --follow").ended_by(Signal::SIGINT, "INFO")),
        // Contract: Commands: search.
        row("search finds words on screens and in scrollbacks, with the way there")
            .agent("a", "seq 500; echo Needle one; seq 100; echo last needle; cat")
            .then(run("read a --screen").says("last needle").awaited())
            .then(run("search needle --in screen --json").is("/agent", "a").is("/in", "screen").is("/text", "last needle").is("/jump", "counsel attach a").holds("/at", Value::is_u64).holds("/line", Value::is_u64))
            .then(run("search 'Needle one' --in screen --json").out(""))
            .then(run("search Needle --in scrollback --json").is("/text", "Needle one").is("/line", 501).save("/jump", "jump"))
            .then(program("sh", "-c").word("PATH={bin}:$PATH; {jump} | head -1").out("Needle one\n"))
            .then(run("search needle --json").holds_lines(2))
            .then(run("search needle --in scrollback --json").holds_lines(1).is("/text", "Needle one"))
            .then(run("search needle --agent nobody").refused(3, "there is no agent 'nobody'"))
            .then(run("search xyzzy").out("nothing found\n"))
            .then(run("search needle --in nowhere").refused(2, "possible values: screen, scrollback, log, transcript")),
        // Contract: Commands: search.
        row("search finds words in the decision log")
            .agent("a", "printf 'Use tabs? [y/n] '; read answer; echo \"told $answer\"; cat")
            .then(run("wait a --for asking --timeout 30"))
            .then(run("questions --json").save("/id", "id"))
            .then(run("answer {id} y"))
            .then(run("search 'use tabs' --in log --agent a --json").is("/in", "log").holds("/at", Value::is_u64).is("/line", 1).save("/jump", "jump").awaited())
            .then(program("sh", "-c").word("PATH={bin}:$PATH; {jump}").says("Use tabs?"))
            .then(run("stop a"))
            .then(run("search 'use tabs' --in log --agent a --json").is("/agent", "a"))
            .then(run("search xyzzy --in log --agent a").out("nothing found\n"))
            .then(run("search xyzzy --in log --agent nobody").refused(3, "there is no agent 'nobody'")),
        // Contract: Commands: search.
        row("search finds words in an agent's own transcript")
            .file("home/.codex/sessions/2026/11/22/rollout-1.jsonl", "{\"timestamp\":\"2026-11-22T06:00:00.500Z\",\"payload\":{\"cwd\":\"/elsewhere\"}}\n{\"payload\":{\"text\":\"other needle\"}}\n")
            .then(program("sh", "-c").word("mkdir -p {home}/.codex/sessions/1/1/1; printf '%s\\n' '{\"payload\":{\"cwd\":\"{work}\"}}' '{\"timestamp\":\"2026-11-22T06:00:00.500Z\",\"payload\":{\"text\":\"own needle\"}}' > {home}/.codex/sessions/1/1/1/rollout-2.jsonl"))
            .then(run("start a --profile codex -- cat"))
            .then(run("search needle --in transcript --json").holds_lines(1).is("/text", "own needle").is("/line", 2).is("/at", 1_795_327_200_500_u64)),
        // Contract: Commands: diff.
        with_worktree("diff shows what an agent changed, committed or not, and new files", "echo two > page.txt; git commit -qam Second; echo three >> page.txt; echo new > new.txt")
            .then(run("diff a").says("-one\n+two\n+three\n").says("+new\n"))
            .then(run("diff a --json").is("/files/0/path", "new.txt").is("/files/1/path", "page.txt").is("/files/1/added", 2).is("/files/1/removed", 1).keys(&["name", "since", "folder"]))
            .then(run("diff a --stat").says("page.txt"))
            .then(run("stop a"))
            .then(run("diff a --stat").says("page.txt"))
            .then(run("diff nobody").refused(3, "there is no agent 'nobody'")),
        // Contract: Commands: diff.
        row("diff says so where it is not known where an agent began")
            .needs(Need::Git)
            .agent("a", "cat")
            .then(run("diff a").refused(1, "where a began is not known"))
            .then(program("git", "init -q"))
            .then(run("diff a").refused(1, "where a began is not known: its repository has no commit yet; changes are shown since a commit")),
        // Contract: Commands: start, worktree.
        repository("a start that is refused leaves no worktree and no branch")
            .file("home/.config/counsel/config.toml", "[security]\ndeny_commands = [\"rm\"]\n")
            .then(run("start b -- cat"))
            .then(run("start a --worktree fix --consultant nobody -- cat").refused(3, "there is no consultant 'nobody'"))
            .then(run("start b --worktree fix -- cat").refused(1, "an agent 'b' runs already"))
            .then(run("start a --worktree fix -- rm x").refused(4, "could not start a"))
            .then(run("start a --worktree fix --profile nothing -- cat").refused(2, "there is no profile 'nothing'"))
            .then(run("start a --worktree fix -- /no/such/program").refused(1, "no program /no/such/program"))
            .then(run("worktree ls").says("no worktrees"))
            .then(program("git", "branch").out("* main\n")),
        // Contract: Commands: start, worktree.
        repository("a start that is refused leaves the worktree and the branch that were there")
            .then(program("git", "branch old"))
            .then(run("start a --worktree old --profile nothing -- cat").code(2))
            .then(program("git", "branch --list old").says("old"))
            .then(run("start a --worktree fix -- cat"))
            .then(run("start b --worktree fix --profile nothing -- cat").refused(2, "there is no profile 'nothing'"))
            .then(run("stop a"))
            .then(run("start b --worktree fix --profile nothing -- cat").code(2))
            .then(run("worktree ls --json").is("/name", "fix").holds_lines(1)),
        // Contract: Commands: worktree.
        with_worktree("worktree done says how a worktree stands, and does nothing unasked", COMMITS)
            .then(run("worktree done fix --json").is("/did", "nothing").is("/merged", "no").is("/commits", 1).is("/changed", 0).is("/into", "main").is("/branch", "fix").keys(&["unpushed", "ignored", "path"]))
            .then(run("worktree done fix").says("1 commit that main lacks").says("nothing was done"))
            .then(run("worktree done fix --keep --json").is("/did", "kept"))
            .then(run("worktree done fix --keep").says("everything stays as it is\n"))
            .then(run("worktree done fix --into nobranch").refused(1, "there is no branch 'nobranch'"))
            .then(run("worktree done nothing").refused(3, "there is no worktree 'nothing'"))
            .then(run("worktree ls --json").is("/name", "fix")),
        // Contract: Commands: worktree.
        with_worktree("worktree done tells programs that it merged", COMMITS)
            .then(run("worktree done fix --merge --delete-branch --json").is("/did", "merged").is("/merged", "yes")),
        // Contract: Commands: worktree.
        with_worktree("worktree done merges, and removes what is merged", COMMITS)
            .then(run("worktree done fix --merge --delete-branch").says("1 commit merged into main, and the worktree is removed, and so is the branch fix\n"))
            .then(run("--version").file_has("{work}/page.txt", "two"))
            .then(program("git", "branch").out("* main\n"))
            .then(run("worktree ls --json").out("")),
        // Contract: Commands: worktree.
        with_worktree("worktree done loses no change that is committed nowhere", "echo two > page.txt")
            .then(run("worktree done fix --merge").complains("1 change is committed nowhere").code(1))
            .then(run("worktree done fix --remove").complains("or say --force").code(1))
            .then(run("worktree prune --yes").says("no worktree is done with"))
            .then(run("worktree done fix --remove --force --json").is("/did", "removed").is("/changed", 1)),
        // Contract: Commands: worktree.
        with_worktree("worktree prune removes what is merged, asked or with --yes", "true")
            .then(run("worktree prune").says("nothing was removed; say --yes"))
            .then(run("worktree prune --json").is("/did", "nothing").is("/name", "fix"))
            .then(run("worktree prune --yes --json").is("/did", "removed").is("/merged", "yes"))
            .then(run("worktree prune --json").out("")),
        // Contract: Commands: bug-report.
        row("bug-report gathers what a fault needs, without secrets, and never over another file")
            .file("work/a.cast", "{\"version\":2,\"width\":60,\"height\":5,\"command\":\"sh\"}\n[0.1,\"o\",\"token ghp_Ab3dEf6hIj9lMn2pQr5t\\r\\nWhich one?\"]\n")
            .file("work/.env", "DB_PASSWORD=green-door-7\n")
            .agent("a", "echo shown with green-door-7; cat")
            .then(run("bug-report none.tar --agent a").says("| less; no recording: --recording FILE"))
            .then(run("bug-report r.tar --agent a --recording a.cast --json").env("API_TOKEN", "blue-house-9").is("/did", "written").is("/holds/0", "README.txt"))
            .then(program("tar", "-tf r.tar").says("counsel-report/version.txt").says("counsel-report/doctor.txt").says("counsel-report/server.log").says("counsel-report/explain.txt").says("counsel-report/recording.cast"))
            .then(program("tar", "-xOf r.tar").says("Which one?").says("counsel 0.").lacks("Ab3dEf6h").lacks("blue-house").lacks("green-door"))
            .then(run("record a running.cast"))
            .then(run("send a shown-in-the-running-one --enter"))
            .then(run("read a --screen").says("shown-in-the-running-one").awaited())
            .then(run("ls --json").is("/recording", "{work}/running.cast"))
            .then(run("bug-report running.tar --agent a"))
            .then(program("tar", "-xOf running.tar counsel-report/recording.cast").says("shown-in-the-running-one"))
            .then(run("record a"))
            .then(run("ls --json").lacks("running.cast"))
            .then(run("bug-report r.tar").refused(1, "r.tar"))
            .then(run("bug-report").says("read it before you send it"))
            .then(run("bug-report other.tar --agent nobody").refused(3, "there is no agent 'nobody'")),
        // Contract: Commands: rules.
        row("rules test replays the log over changed rules")
            .file("work/same.toml", "")
            .file("work/other.toml", "[[rule]]\nkind = \"yesno\"\nthen = \"answer\"\nanswer = \"n\"\n")
            .then(run("rules test").out("all the same for 0 questions\n"))
            .agent("a", "printf 'Use tabs? [y/n] '; read answer; echo \"told $answer\"; cat")
            .then(run("wait a --for asking --timeout 30"))
            .then(run("questions --json").save("/id", "id"))
            .then(run("answer {id} y"))
            .then(run("log {id}").awaited())
            .then(run("rules test same.toml").out("all the same for 1 question\n"))
            .then(run("rules test other.toml --json").code(1).is("/id", "{id}").is("/was", "asks a person").is("/now", "answers n").is("/rule", "1"))
            .then(run("rules test other.toml").code(1).says("answers n"))
            .then(program("cp", "other.toml counsel.toml"))
            .then(run("rules test counsel.toml").out("all the same for 1 question\n"))
            .then(run("rules test none.toml").refused(2, "none.toml")),
    ]
}
