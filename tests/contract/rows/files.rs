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
        // Contract: Conventions: errors.
        row("what is written to a folder that is not there makes none, and says what to do")
            .agent("a", "read line")
            .then(run("man {work}/no/man").refused(1, "could not write the manual pages: there is no folder {work}/no; make it first"))
            .then(run("record a {work}/no/a.cast").refused(1, "there is no folder {work}/no; make it first"))
            .then(program("sh", "-c").word("ln -s /no/such/a.cast {work}/link.cast"))
            .then(run("record a {work}/link.cast --force").refused(1, "link.cast is a link to where there is no folder; name another"))
            .then(program("sh", "-c").word("ln -s none.cast {work}/there.cast"))
            .then(run("record a {work}/there.cast --force").refused(1, "there.cast is a link to {work}/none.cast, which is not there; name that, or another"))
            .then(run("man /proc/no").refused(1, "/proc/no cannot be made there; name another"))
            .then(program("sh", "-c").word("{counsel} bug-report > /dev/null && {counsel} bug-report").says("wrote counsel-report-"))
            .then(run("bug-report {work}/no/a.tar").refused(1, "there is no folder {work}/no; make it first").no_file("{work}/no"))
            .then(run("man {work}/man --json").is("/did", "written"))
            .then(run("diff a").refused(1, "changes are shown since a commit of a git repository")),
        // Contract: Conventions: errors; Commands: replay.
        row("a profile that is named with its folder is a file")
            .file("work/a.cast", "{\"version\":2,\"width\":80,\"height\":24}\n")
            .file("work/keep", "nane = 1\n")
            .then(run("replay a.cast --profile ./keep").refused(1, "./keep:1:1: key nane: is not known here")),
        // Contract: Files.
        row("a folder of the user's own that others look into is refused and left as it is")
            .file("work/own/notes.txt", "mine\n")
            .then(program("chmod", "755 own"))
            .then(program("sh", "-c").word("export COUNSEL_RUNTIME_DIR={work}/own; {counsel} start a -- cat; stat -c %a own").says("755"))
            .then(program("sh", "-c").word("export COUNSEL_RUNTIME_DIR={work}/own; {counsel} start a -- cat").code(1).complains("run `chmod 700 {work}/own`, or name another one")),
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
        // Contract: Conventions: errors; Commands: config; Configuration.
        row("a mistake in a profile of the user's own is told with its key by whatever meets it")
            .file("home/.config/counsel/profiles/bad.toml", "name = \"bad\"\ncommands = [\"bad\"]\n[reply]\nmarks = \"x\"\n")
            .then(run("config check").refused(2, "profiles/bad.toml:4:9: key reply.marks: "))
            .then(run("config check --json").code(2).is("/ok", false).holds("/missing/0", Value::is_string))
            .then(run("start b -- cat").refused(2, "profiles/bad.toml:4:9: key reply.marks: ")),
        // Contract: Files.
        row("folders that cannot be made are told with the variable that names others")
            .then(run("log").env("COUNSEL_STATE_DIR", "/proc/none").refused(1, "the folder /proc/none cannot be created").complains("; set COUNSEL_STATE_DIR to a folder of yours"))
            .then(run("start a -- cat").env("COUNSEL_RUNTIME_DIR", "/proc/none").refused(1, "; set COUNSEL_RUNTIME_DIR to a folder of yours")),
        // Contract: Commands: config; Configuration.
        row("a server that would end before its first agent comes is a mistake of the configuration")
            .file("home/.config/counsel/config.toml", "[server]\nexit_when_empty_secs = 0\n")
            .then(run("config check").refused(2, "config.toml:2:24: key server.exit_when_empty_secs: 0 is out of range; write 1 to "))
            .then(run("start a -- cat").refused(2, "key server.exit_when_empty_secs: 0 is out of range")),
        // Contract: Commands: config; Configuration.
        row("config check tells of what [security] will not let start, with its place")
            .file("work/denied.toml", "[security]\ndeny_commands = [\"cat\"]\n[[agent]]\nname = \"a\"\ncommand = [\"cat\"]\n[[agent]]\nname = \"b\"\ncommand = [\"env\", \"cat\"]\n")
            .file("work/allowed.toml", "[security]\nallow_commands = [\"cat\"]\n[[agent]]\nname = \"a\"\ncommand = [\"cat\"]\n[[consultant]]\nname = \"o\"\ncommand = [\"env\"]\n[notify]\ncommand = [\"true\"]\n")
            .then(run("up -f denied.toml").code(4))
            .then(run("config check -f denied.toml").code(2).complains("denied.toml:5:11: key agent.command: 'cat' (").complains("is denied by [security] deny_commands (cat), and is not started").says("fault: denied.toml:8:11: key agent.command: 'cat' ("))
            .then(run("config check -f denied.toml --json").code(2).is("/ok", false).holds("/missing/1", Value::is_string))
            .then(run("config check -f allowed.toml").code(2).complains("allowed.toml:8:11: key consultant.command: 'env' (").says("fault: allowed.toml:10:11: key notify.command: 'true' (")),
        // Contract: Conventions: exit codes; Configuration.
        row("a layout that makes no sense is told with its place")
            .file("home/.config/counsel/layouts/bad.toml", "name = \"x\"\nkind = \"spiral\"\n")
            .then(run("config check").refused(2, "layouts/bad.toml:2:8: key kind: "))
            .then(program("sh", "-c").word("printf 'name = \"x\"\nkind = \"grid\"\nmain = 99\n' > {home}/.config/counsel/layouts/bad.toml"))
            .then(run("config check").refused(2, "layouts/bad.toml:3:8: key main: 99 leaves a side without room; use 10 to 90")),
        // Contract: Conventions: exit codes; Configuration.
        row("a theme that makes no sense is told with its place, and not called one that there is none of")
            .file("home/.config/counsel/config.toml", "[dashboard]\ntheme = \"bad\"\n")
            .file("home/.config/counsel/themes/bad.toml", "name = \"bad\"\nframe = \n")
            .then(run("config check").refused(2, "themes/bad.toml:2:9: key frame: "))
            .then(program("sh", "-c").word("printf 'name = \"bad\"\nframe = \"mauve\"\n' > {home}/.config/counsel/themes/bad.toml"))
            .then(run("config check").refused(2, "themes/bad.toml:2:9: key frame: 'mauve' is no colour")),
        // Contract: Conventions: errors.
        row("what finds no room on the disk is not left half written")
            .then(program("sh", "-c").word("trap '' XFSZ; ulimit -f 0; exec {counsel} init").code(1).no_file("{work}/counsel.toml"))
            .then(program("sh", "-c").word("trap '' XFSZ; ulimit -f 0; exec {counsel} bug-report b.tar").code(1).no_file("{work}/b.tar"))
            .then(run("init").code(0)),
        // Contract: Conventions: errors; Files.
        row("a file that is no socket stays alone, and a path is shown as it is")
            .file("work/F", "mine")
            .then(run("--socket F start a -- cat").refused(1, "it exists and is no socket; remove it").no_file("{work}/F.d").no_file("{work}/F.lock").no_file("{work}/F.start"))
            .then(run("--socket F server --foreground").refused(1, "it exists and is no socket; remove it").no_file("{work}/F.d").no_file("{work}/F.lock"))
            .then(run("--socket F server restart").refused(1, "it exists and is no socket; remove it").no_file("{work}/F.d"))
            .then(program("sh", "-c").word("D=$(printf 'a\\nb'); mkdir \"$D\"; exec {counsel} trust --revoke \"$D\"").code(1).complains("a\\u{a}b/counsel.toml was not trusted")),
        // Contract: Conventions: errors; Commands: record, consult.
        row("what did not happen is not said to have happened")
            .file("work/zero.toml", "[[agent]]\nname = \"a\"\ncommand = [\"sh\\u0000\"]\n")
            .then(run("server restart --json").is("/did", "started"))
            .then(run("server restart --json").is("/did", "restarted"))
            .agent("a", "exec cat")
            .then(run("record a gone.cast"))
            .then(program("rm", "gone.cast"))
            .then(run("record a --json").refused(1, "gone.cast is not there any more: somebody has moved or removed it").out(""))
            .then(run("record a").code(0))
            .then(run("config check -f zero.toml").refused(2, "zero.toml:3:12: key agent.command: holds a zero byte").out("")),
        // Contract: Commands: config; Configuration.
        row("config check tells of folders and programs that are not there, with their place")
            .file("work/folder.toml", "[[agent]]\nname = \"api\"\ncwd = \"nowhere\"\ncommand = [\"cat\"]\n")
            .file("work/program.toml", "[[agent]]\nname = \"api\"\ncommand = [\"cta\"]\n[[consultant]]\nname = \"o\"\ncommand = [\"orcale\"]\n")
            .then(run("config check -f folder.toml").refused(2, "folder.toml:3:7: key agent.cwd: there is no folder {work}/nowhere"))
            .then(run("config check -f program.toml").code(2).complains("program.toml:3:11: key agent.command: there is no program cta").complains("; and 1 more\n").says("fault: program.toml:6:11: key consultant.command: there is no program orcale"))
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
        // Contract: Conventions: exit codes; Configuration.
        row("a configuration with numbers that nobody can mean, or a rule that no rule can be, is told")
            .file("work/lines.toml", "[server]\nscrollback_lines = 99999999999\n")
            .file("work/secs.toml", "[notify]\nrepeat_secs = 9999999999\n")
            .file("work/bytes.toml", "[record]\nmax_bytes = 1\n")
            .file("work/minus.toml", "[consult]\ndecisions = -1\n")
            .file("work/share.toml", "[[consultant]]\nname = \"x\"\ncommand = [\"true\"]\nshare = 101\n")
            .file("work/size.toml", "[[agent]]\nname = \"a\"\ncommand = [\"cat\"]\nsize = \"9x5000\"\n")
            .file("home/.config/counsel/config.toml", "[[rule]]\nkind = \"password\"\nthen = \"ignore\"\n")
            .file("work/huge.toml", "[consult]\ndeadline_secs = 99999999999999999999\n")
            .file("work/theme.toml", "[dashboard]\ntheme = \"zz\"\n")
            .then(run("config check -f huge.toml").refused(2, "huge.toml:2:17: key consult.deadline_secs: '99999999999999999999' does not fit here; write a whole number from 0 to"))
            .then(run("config check -f theme.toml").refused(2, "theme.toml:2:9: key dashboard.theme: there is no theme 'zz'; there are auto, sixteen"))
            .then(run("config check -f theme.toml --json").code(2).holds("/faults/0", Value::is_string))
            .then(run("config check -f lines.toml").refused(2, "lines.toml:2:20: key server.scrollback_lines: 99999999999 is out of range; write 0 to 10000000 lines"))
            .then(run("config check -f secs.toml").refused(2, "key notify.repeat_secs: 9999999999 is out of range"))
            .then(run("config check -f bytes.toml").refused(2, "key record.max_bytes: 1 is out of range"))
            .then(run("config check -f minus.toml").refused(2, "minus.toml:2:13: key consult.decisions: '-1' does not fit here; write a whole number, not below 0"))
            .then(run("config check -f share.toml").refused(2, "share.toml:4:9: key consultant.share: share 101 is out of range; write 1 to 100"))
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
            .then(run("tmux popup --client c --focus a --json").refused(1, "TMUX is not set"))
            .then(run("tmux jump --client c --json").refused(1, "TMUX is not set")),
        // Contract: Commands: demo.
        row("demo without a terminal says what to do")
            .then(run("demo").refused(1, "have to be a terminal; 'counsel demo --headless' plays the story without one"))
            .then(program("sh", "-c").word("{counsel} demo > out.txt").refused(1, "'counsel demo --headless'")),
        // Contract: Commands: demo.
        row("demo --headless plays the story and checks every byte")
            .then(run("demo --headless").says("no other byte typed"))
            .then(program("sh", "-c").word("ls -A {home} {run} {state} {work} | grep -v : | grep .").code(1)),
        // Contract: Configuration.
        row("a project's file does not say that a program is another one, nor answers or silences what asks for a yes")
            .then(program("sh", "-c").word("mkdir bin; cp /bin/true bin/claude"))
            .file("work/counsel.toml", "[[agent]]\nname = \"a\"\ncommand = [\"bin/claude\"]\nprofile = \"generic\"\n[[rule]]\nkind = \"permission\"\nthen = \"ignore\"\n[[rule]]\nkind = \"yesno\"\nthen = \"ignore\"\n")
            .then(run("config show --json").is("/agent/0/profile", Value::Null).holds("/rule", |rules| rules.as_array().is_none_or(Vec::is_empty)))
            .then(run("config check").says("may not choose another profile than claude")),
        // Contract: Conventions: exit codes.
        row("a configuration that is no text is told with its place")
            .then(program("sh", "-c").word("printf '[consult]\\ncontext = [\"caf\\351.md\"]\\n' > bad.toml"))
            .then(run("config check -f bad.toml").refused(2, "bad.toml:2:16: this is no UTF-8 text")),
        // Contract: Commands: config; Conventions: errors.
        row("config check tells all that is wrong, unknown keys and values of another kind as well")
            .file("work/bad.toml", "bar = 1\n[consult]\ndeadline_sec = 4\ndecisions = \"x\"\nprompt_bytes = 1\n[[agent]]\nname = \"Bad Name\"\ncommand = \"cat\"\n[[agent]]\nname = \"b\"\ncommand = [\"cat\"]\nprofile = \"none\"\n[[rule]]\nthen = \"nothing\"\nkind = \"menu\"\n")
            .then(run("config check -f bad.toml").code(2)
                .complains("counsel: could not check the configuration: bad.toml:1:1: key bar: is not known here")
                .complains("; and 7 more\n")
                .says("fault: bad.toml:1:1: key bar: ")
                .says("fault: bad.toml:3:1: key consult.deadline_sec: is not known here, did you mean deadline_secs")
                .says("fault: bad.toml:4:13: key consult.decisions: 'x' does not fit here")
                .says("fault: bad.toml:5:16: key consult.prompt_bytes: 1 is out of range")
                .says("fault: bad.toml:7:8: key agent.name: 'Bad Name' is no name")
                .says("fault: bad.toml:8:11: key agent.command: 'cat' does not fit here; write a list")
                .says("fault: bad.toml:12:11: key agent.profile: there is no profile 'none'")
                .says("fault: bad.toml:14:8: key rule.then: 'nothing' is not possible")
                .holds_lines(8))
            .then(run("config check -f bad.toml --json").code(2).is("/ok", false).holds("/faults", |faults| faults.as_array().is_some_and(|faults| faults.len() == 8)))
            .file("work/gone.toml", "[[agent]]\nname = \"a\"\ncommand = [\"/no/such\"]\n[[agent]]\nname = \"b\"\ncommand = [\"cat\"]\ncwd = \"/no/such\"\n")
            .then(run("config check -f gone.toml").code(2).complains("; and 1 more\n").says("fault: gone.toml:3:11: ").says("fault: gone.toml:7:7: ")),
        // Contract: Conventions: exit codes; Configuration.
        row("a section that is no table, or a table that is no list of them, is told with its place")
            .file("work/list.toml", "consult = []\n")
            .file("work/number.toml", "\nconsult = 5\n")
            .file("work/record.toml", "record = [true]\n")
            .file("work/tables.toml", "[[security]]\ndeny_commands = [\"cat\"]\n")
            .file("work/agents.toml", "agent = [[\"a\", [\"cat\"]]]\n")
            .then(run("config check -f list.toml").refused(2, "list.toml:1:11: key consult: a list does not fit here; write [consult], and its keys below"))
            .then(run("config check -f number.toml").refused(2, "number.toml:2:11: key consult: '5' does not fit here; write [consult], and its keys below"))
            .then(run("config check -f record.toml").refused(2, "record.toml:1:10: key record: a list"))
            .then(run("config check -f tables.toml").refused(2, "tables.toml:1:1: key security: a list does not fit here; write [security]"))
            .then(run("config check -f agents.toml").refused(2, "agents.toml:1:10: key agent: a list does not fit here; write [[agent]], and its keys below")),
        // Contract: Commands: config.
        row("config path says where the files are, also of those that cannot be followed")
            .file("work/counsel.toml", "comand = 1\n")
            .then(run("config check").code(2))
            .then(run("config path").out("counsel.toml\n"))
            .then(run("config path --json").is("/file", "counsel.toml"))
            .then(run("config path -f none.toml").refused(2, "none.toml: cannot be read")),
    ]
}
