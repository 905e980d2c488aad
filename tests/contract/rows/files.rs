//! Configuration, profiles, recordings, worktrees.

use serde_json::Value;

use crate::table::{Need, Row, program, row, run};

const TEAM: &str = "[[agent]]\nname = \"api\"\ncommand = [\"cat\"]\n";

const SAMPLE: &str = "[[agent]]\nname = \"api\"\ncommand = [\"claude\"]\ncwd = \"~/src/api\"\nconsultant = \"advisor\"\n\
    [[agent]]\nname = \"advisor\"\nrole = \"consultant\"\ncommand = [\"claude\", \"--permission-mode\", \"plan\"]\n\
    [consult]\ndeadline_secs = 55\ncontext = [\"ROADMAP.md\", \"docs/decisions.md\"]\ndecisions = 20\nconfirm = false\n\
    [[rule]]\nkind = \"menu\"\nthen = \"consult\"\n\
    [[rule]]\nkind = \"permission\"\ncommand = \"^(git (status|diff|log)|ls|cat) \"\nthen = \"answer\"\nanswer = \"Yes\"\n\
    [[consultant]]\nname = \"oneshot\"\ncommand = [\"claude\", \"-p\"]\n";

pub fn rows() -> Vec<Row> {
    vec![
        // Contract: Commands: config; Configuration.
        row("config check, show, path and schema")
            .file("work/counsel.toml", TEAM)
            .then(run("config check").says("counsel.toml: all right, 1 agent: api\n").says("is not trusted, and only what it forbids is followed"))
            .then(run("config check --json").keys(&["ok", "files", "agents", "warnings", "missing"]).is("/ok", true).is("/agents/0", "api"))
            .then(run("config path").out("counsel.toml\n"))
            .then(run("config path --json").is("/file", "counsel.toml"))
            .then(run("config show --json").is("/agent/0/name", "api").is("/consult/deadline_secs", 55).holds("/unfollowed", Value::is_string))
            .then(run("config show").says("name = \"api\"").says("deadline_secs = 55"))
            .then(run("config show --file counsel.toml").says("name = \"api\""))
            .then(run("config check -f .").refused(2, ": .: "))
            .then(run("config schema").says("\"$schema\"")),
        // Contract: Commands: config; Configuration.
        row("config show has the isolation that holds for each agent")
            .file("work/counsel.toml", "[security]\nisolate = \"landlock\"\n[[agent]]\nname = \"api\"\ncommand = [\"cat\"]\nisolate = \"none\"\n")
            .then(run("config show --json").is("/agent/0/isolate", "landlock")),
        // Contract: Commands: config; Configuration.
        row("config check tells of folders and programs that are not there, with their place")
            .file("work/folder.toml", "[[agent]]\nname = \"api\"\ncwd = \"nowhere\"\ncommand = [\"cat\"]\n")
            .file("work/program.toml", "[[agent]]\nname = \"api\"\ncommand = [\"cta\"]\n[[consultant]]\nname = \"o\"\ncommand = [\"orcale\"]\n")
            .then(run("config check -f folder.toml").refused(2, "folder.toml:3:7: key agent.cwd: there is no folder {work}/nowhere"))
            .then(run("config check -f program.toml").refused(2, "program.toml:3:11: key agent.command: there is no program cta"))
            .then(run("config check -f program.toml --json").code(2).is("/ok", false).is("/missing/1", "program.toml:6:11: key consultant.command: there is no program orcale; install it, or write its path")),
        // Contract: Commands: replay; Configuration.
        row("a profile is checked and scored")
            .file("work/mine.toml", "name = \"mine\"\ncommands = [\"mine\"]\n")
            .file("work/bad.toml", "nane = 1\n")
            .then(run("profile check mine.toml").code(0))
            .then(run("profile check mine.toml --json").is("/ok", true).is("/profile", "mine").is("/file", "mine.toml"))
            .then(run("profile check bad.toml").refused(2, "could not read the profile: bad.toml:1:1: key nane: is not known here, did you mean name"))
            .then(run("profile check bad.toml --json").code(2).is("/ok", false).holds("/fault", Value::is_string))
            .then(run("profile check mine.toml --against {home} --json").refused(1, "could not find recordings"))
            .then(run("profile score {home} --profile claude --misses --json").refused(1, "could not find recordings")),
        // Contract: Conventions: exit code 2; Configuration.
        row("a configuration with numbers that nobody can mean, or a rule that no rule can be, is told")
            .file("work/lines.toml", "[server]\nscrollback_lines = 99999999999\n")
            .file("work/secs.toml", "[notify]\nrepeat_secs = 9999999999\n")
            .file("work/bytes.toml", "[record]\nmax_bytes = 1\n")
            .file("work/minus.toml", "[consult]\ndecisions = -1\n")
            .file("work/size.toml", "[[agent]]\nname = \"a\"\ncommand = [\"cat\"]\nsize = \"9x5000\"\n")
            .file("home/.config/counsel/config.toml", "[[rule]]\nkind = \"password\"\nthen = \"ignore\"\n")
            .then(run("config check -f lines.toml").refused(2, "lines.toml:2:20: key server.scrollback_lines: 99999999999 is out of range; write 0 to 10000000 lines"))
            .then(run("config check -f secs.toml").refused(2, "key notify.repeat_secs: 9999999999 is out of range"))
            .then(run("config check -f bytes.toml").refused(2, "key record.max_bytes: 1 is out of range"))
            .then(run("config check -f minus.toml").refused(2, "minus.toml:2:13: key consult.decisions: '-1' does not fit here; write a whole number, not below 0"))
            .then(run("config check -f size.toml").refused(2, "size.toml:4:8: key agent.size: 9x5000 is out of range"))
            .then(run("config check").says("config.toml:2:8: key rule.kind: trust, login and password questions always go to a person; the rule is left out")),
        // Contract: counsel replay --json.
        row("replay tells each verdict once")
            .file("work/a.cast", "{\"version\":2,\"width\":80,\"height\":24,\"command\":\"sh\"}\n[0.1,\"o\",\"$ \"]\n[2.0,\"o\",\"x\"]\n[4.0,\"o\",\"y\"]\n[8.0,\"o\",\"\\r\\nz\\r\\n$ \"]\n[12.0,\"o\",\"\"]\n")
            .then(program("sh", "-c").word("{counsel} replay a.cast --json | sed 's/\"t\":[^,]*,//' | uniq -d").out("")),
        // Contract: counsel replay --json.
        row("replay judges a recording")
            .file("work/a.cast", "{\"version\":2,\"width\":80,\"height\":24,\"command\":\"sh\"}\n[0.1,\"o\",\"Overwrite it? [y/N] \"]\n[3.0,\"o\",\"\"]\n")
            .then(run("replay a.cast --at 2 --json").keys(&["t", "state", "why", "question"]).is("/t", 2.0).is("/state", "asking").is("/question/kind", "yesno"))
            .then(run("replay a.cast --profile generic").says("asking"))
            .then(run("replay a.cast --profile nothing").refused(2, "could not find profile 'nothing'"))
            .then(run("replay none.cast").refused(1, "could not read none.cast")),
        // Contract: counsel replay --json.
        row("replay --at tells of exactly these moments, a question as the contract has it")
            .then(run(&format!("replay {}/tests/recordings/claude-2.1.150-ask1-120x40.cast --json --at 4.387", env!("CARGO_MANIFEST_DIR"))).holds_lines(1)
                .is("/t", 4.387).is("/state", "asking").is("/why", "claude/menu").is("/question/kind", "menu")
                .is("/question/prompt", "Which database should I use for the session store?")
                .is("/question/options", serde_json::json!(["PostgreSQL", "SQLite", "Redis", "Type something.", "Chat about this"]))
                .is("/question/selected", 0).is("/question/multi", false).is("/question/checked", serde_json::json!([])))
            .then(run(&format!("replay {}/tests/recordings/claude-2.1.150-ask1-120x40.cast --json --profile claude --at 0,4.387,6.458", env!("CARGO_MANIFEST_DIR"))).holds_lines(3).is("/t", 0.0).is("/state", "starting")),
        // Contract: Configuration.
        row("the contract's own sample is a configuration")
            .file("home/.config/counsel/config.toml", SAMPLE)
            .then(run("config show --json").is("/agent/0/consultant", "advisor").is("/agent/1/role", "consultant").is("/consult/deadline_secs", 55).is("/consult/decisions", 20).is("/consult/confirm", false).is("/rule/0/then", "consult").is("/rule/1/answer", "Yes").is("/consultant/0/name", "oneshot")),
        // Contract: Commands: worktree.
        row("a worktree is made with its agent, listed, and removed")
            .needs(Need::Git)
            .then(program("git", "init -q -b main"))
            .then(program("git", "-c user.name=dev -c user.email=dev@example.com commit -q --allow-empty -m First"))
            .then(run("start a --worktree fix -- cat"))
            .then(run("worktree ls --json").keys(&["name", "branch", "dirty", "agents", "path"]).is("/name", "fix").is("/agents/0", "a"))
            .then(run("worktree ls").says("fix"))
            .then(run("worktree rm fix").refused(1, "a works in it"))
            .then(run("stop a"))
            .then(run("worktree rm nothing").refused(3, "there is no worktree 'nothing'"))
            .then(run("worktree rm fix --force --json").is("/did", "removed").is("/name", "fix")),
        // Contract: Commands: doctor.
        row("doctor looks and changes nothing")
            .then(run("doctor --json").keys(&["level", "check", "what", "mend"]).holds("/level", |level| ["ok", "warn", "fail"].iter().any(|word| level == word)))
            .then(run("doctor").says("ok    ")),
        // Contract: Commands: tmux.
        row("tmux's verbs say what they need")
            .then(run("tmux status").out(""))
            .then(run("tmux status --plain").out(""))
            .then(run("tmux keys --popup C-y --jump F9").says("bind-key C-y").says("bind-key F9"))
            .then(run("tmux popup --client c --focus a").refused(1, "TMUX is not set"))
            .then(run("tmux jump --client c").refused(1, "TMUX is not set")),
        // Contract: Commands: demo.
        row("demo --headless plays the story and checks every byte")
            .then(run("demo --headless").says("no other byte typed")),
    ]
}
