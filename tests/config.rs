//! Configuration files from a user's side: what loads, what is refused in which words, what a
//! project's file may not do.

#![allow(clippy::unwrap_used, reason = "a test may fail where its fixture does")]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use counsel::config::{Agent, Config, File, Located, Permission, Places, load};
use counsel::core::agent::{Duty, Host, Isolate};
use counsel::core::clipboard::Clipboard;
use counsel::core::consult::chain::Chain;
use counsel::core::policy::notify::Terminal;
use counsel::core::policy::{CommandConsultant, Mode, Rule, Then};
use counsel::core::question::Kind;
use counsel::core::terminal::grid::Size;

/// A home with the user's own file, and a project with its own.
struct Files {
    root: tempfile::TempDir,
}

impl Files {
    fn new(own: &str, project: &str) -> Files {
        let root = tempfile::tempdir().unwrap();
        fs::create_dir_all(root.path().join("project/deep/er")).unwrap();
        fs::create_dir_all(root.path().join("project/.git")).unwrap();
        fs::create_dir_all(root.path().join("config")).unwrap();
        for (name, text) in [("config/config.toml", own), ("project/counsel.toml", project)] {
            if !text.is_empty() {
                fs::write(root.path().join(name), text).unwrap();
            }
        }
        Files { root }
    }

    fn places(&self) -> Places {
        Places {
            file: None,
            cwd: self.root.path().join("project"),
            home: Some(self.root.path().to_path_buf()),
            config_dir: Some(self.root.path().join("config")),
            own_file: None,
        }
    }

    fn load(&self) -> Config {
        load(&self.places()).unwrap_or_else(|error| panic!("{error}"))
    }
}

/// The error a project's file of this text ends in.
fn error(text: &str) -> String {
    let files = Files::new("", text);
    load(&files.places()).map(|config| format!("no error: {config:?}")).unwrap_or_else(|e| e.to_string())
}

fn names(config: &Config) -> Vec<&str> {
    config.agents.iter().map(|agent| agent.name.as_str()).collect()
}

const EXAMPLE: &str = include_str!("../config.example.toml");

#[test]
fn the_example_holds_the_defaults() {
    let files = Files::new("", EXAMPLE);
    let config = files.load();
    assert_eq!(names(&config), ["api", "advisor"]);
    let default = Config::default();
    assert_eq!(config.policy.consult, default.policy.consult);
    assert_eq!(config.policy.notify, default.policy.notify);
    assert_eq!(
        (&config.dashboard, &config.probes, &config.security, &config.permissions, &config.server),
        (&default.dashboard, &default.probes, &default.security, &default.permissions, &default.server),
    );
    let written = Agent {
        name: "advisor".into(),
        command: vec!["claude".into(), "--permission-mode".into(), "plan".into()],
        role: Duty::Consultant,
        cwd: Some(files.places().cwd.display().to_string()),
        ..Agent::default()
    };
    assert_eq!(config.agents[1], written);
    assert_eq!(config.agents[0].restart, Agent::default().restart);
}

/// A file with a value for every key of every type.
fn full() -> File {
    let text = |text: &str| Some(text.to_string());
    let mut file = File::default();
    file.agent.push(Agent {
        env_file: text("x"),
        cwd: text("x"),
        profile: text("x"),
        consultant: Some(Chain::from("x")),
        prompt: text("x"),
        task: text("x"),
        size: Some(Size::new(1, 1)),
        idle_secs: Some(1),
        title: text("x"),
        worktree: text("x"),
        isolate: Some(Isolate::Landlock),
        user: Some("agents".into()),
        hooks: Some(true),
        ..Agent::default()
    });
    file.rule.push(Rule {
        agent: text("x"),
        kind: Some(Kind::Menu),
        prompt: text("x"),
        command: text("x"),
        option: text("x"),
        then: Then::Consult,
        answer: text("x"),
        with: Some(Chain::from("x")),
        from_project: false,
    });
    file.consultant.push(CommandConsultant {
        name: "x".into(),
        command: vec!["x".into()],
        acp: vec!["claude-agent-acp".into()],
        then: text("x"),
        secs: Some(1),
        share: Some(1),
    });
    file.consult.template = text("x");
    file.dashboard.prefix = text("x");
    file.notify.quiet_hours = "22:00-07:00".parse().ok();
    (file.dashboard.theme, file.dashboard.ascii) = (text("x"), Some(true));
    file
}

#[test]
fn the_example_names_every_key() {
    let value = toml::Value::try_from(full()).unwrap();
    let mut keys = 0;
    for (section, table) in value.as_table().unwrap() {
        let table = table.as_array().map_or(table, |items| &items[0]).as_table().unwrap();
        let header = [format!("[{section}]"), format!("[[{section}]]")];
        let in_section = |line: &&str| header.iter().any(|h| line.starts_with(h.as_str()));
        for key in table.keys() {
            keys += 1;
            let mut inside = false;
            let named = EXAMPLE.lines().any(|line| {
                inside = if line.starts_with('[') { in_section(&line) } else { inside };
                let line = line.trim_start_matches(['#', ' ']);
                inside && line.strip_prefix(key.as_str()).is_some_and(|rest| rest.starts_with(" = "))
            });
            assert!(named, "config.example.toml does not name {section}.{key}");
        }
    }
    assert!(keys > 50, "only {keys} keys were looked for");
}

/// Editors complete and check by it.
#[test]
fn the_schema_has_the_keys_and_the_defaults() {
    let schema: serde_json::Value = serde_json::from_str(counsel::config::SCHEMA).unwrap();
    let value = toml::Value::try_from(full()).unwrap();
    let sections: Vec<&String> = schema["properties"].as_object().unwrap().keys().collect();
    assert_eq!(sections.len(), value.as_table().unwrap().len(), "{sections:?}");
    let mut defaults = toml::Table::new();
    for (section, table) in value.as_table().unwrap() {
        let table = table.as_array().map_or(table, |items| &items[0]).as_table().unwrap();
        let described = &schema["properties"][section];
        let list = described.get("items");
        let properties = list.unwrap_or(described)["properties"].as_object().unwrap();
        let mut keys: Vec<&String> = properties.keys().collect();
        keys.sort();
        assert_eq!(keys, table.keys().collect::<Vec<_>>(), "[{section}]");
        let default = |(key, property): (&String, &serde_json::Value)| {
            Some((key.clone(), toml::Value::try_from(property.get("default")?).unwrap()))
        };
        if list.is_none() {
            defaults.insert(
                section.clone(),
                properties.iter().filter_map(default).collect::<toml::Table>().into(),
            );
        }
    }
    let read: File = toml::from_str(&toml::to_string(&defaults).unwrap()).unwrap();
    assert_eq!(read, File::default());
}

/// A cloned repository could have kept its own permissions from ringing.
#[test]
fn a_project_does_not_decide_how_a_person_is_rung() {
    let own = "[notify]\nterminal = \"osc9\"\n";
    let project =
        "[notify]\nbell = false\nterminal = \"none\"\nquiet_hours = \"00:00-23:59\"\nrepeat_secs = 9\n";
    let config = Files::new(own, project).load();
    let notify = &config.policy.notify;
    assert!(notify.bell && notify.quiet_hours.is_none());
    assert_eq!((notify.terminal, notify.repeat_secs), (Terminal::Osc9, 9));
    let keys: Vec<bool> =
        ["bell", "terminal", "quiet_hours"].map(|key| config.warnings.iter().any(|w| w.contains(key))).into();
    assert_eq!(keys, [true; 3], "{:?}", config.warnings);
    // It has them called sooner than they said, and not later, nor only once.
    for (project, secs) in [("9", 9), ("600", 60), ("0", 60)] {
        let own = "[notify]\nrepeat_secs = 60\n";
        let config = Files::new(own, &format!("[notify]\nrepeat_secs = {project}\n")).load();
        assert_eq!(config.policy.notify.repeat_secs, secs, "{project}");
    }
}

#[test]
fn errors_name_file_line_column_key_and_what_to_write() {
    let agent = "[[agent]]\nname = \"a\"\ncommand = [\"x\"]\n";
    let cases: &[(&str, &str)] = &[
        (
            "[consult]\ndeadline = 5\n",
            "counsel.toml:2:1: key consult.deadline: is not known here, did you mean deadline_secs",
        ),
        (
            "[server]\n[consult]\ndecisions = 1\ndecisions = 2\n",
            "counsel.toml:4:1: key consult.decisions: duplicate key",
        ),
        ("[[agent]]\nname = api\n", "counsel.toml:2:8: key agent.name: "),
        ("[dashboard]\nprefix = \"q\"\n", "counsel.toml:2:10: key dashboard.prefix: 'q' is the key of "),
        ("[consul]\n", "counsel.toml:1:2: key consul: is not known here, did you mean consult"),
        (
            "[[agent]]\nname = \"a\"\ncommand = \"claude\"\n",
            "counsel.toml:3:11: key agent.command: 'claude' does not fit here; write a list",
        ),
        (
            "[consult]\nconfirm = \"yes\"\n",
            "counsel.toml:2:11: key consult.confirm: 'yes' does not fit here; write true or false",
        ),
        ("[consult]\ndecisions = -1\n", "counsel.toml:2:13: key consult.decisions: "),
        (
            "[consult]\ndeadline_secs = 0\n",
            "counsel.toml:2:17: key consult.deadline_secs: 0 is out of range; write 5 to 86400 seconds",
        ),
        (
            "[consult]\ncontext = [\"a.md\", \"docs/[x.md\"]\n",
            "counsel.toml:2:11: key consult.context: 'docs/[x.md' is no pattern: ",
        ),
        (
            "[notify]\nquiet_hours = \"22-7\"\n",
            "counsel.toml:2:15: key notify.quiet_hours: '22-7' are no hours; write them as \"22:00-07:00\"",
        ),
        (
            "[notify]\ncommand = [\"\"]\n",
            "counsel.toml:2:11: key notify.command: names no program; write command =",
        ),
        (
            "[[rule]]\npromt = \"x\"\nthen = \"human\"\n",
            "counsel.toml:2:1: key rule.promt: is not known here, did you mean prompt; known: agent, kind, prompt, command, option, then, answer, with",
        ),
        ("[[agent]]\nname = \"Api\"\n", "counsel.toml:2:8: key agent.name: 'Api' is no name; write a to z"),
        ("[[agent]]\ncommand = [\"x\"]\n", "counsel.toml:1:1: key agent.name: is missing; write name ="),
        ("[[agent]]\nname = \"a\"\n", "counsel.toml:1:1: key agent.command: is missing; write command ="),
        (
            "[[consultant]]\nname = \"c\"\n",
            "counsel.toml:1:1: key consultant.command: is missing; write command =",
        ),
        (
            "[[consultant]]\nname = \"c\"\ncommand = [\"x\"]\nacp = [\"y\"]\n",
            "counsel.toml:4:7: key consultant.acp: stands beside command; ",
        ),
        (
            "[[agent]]\nname = \"a\"\ncommand = [\"x\"]\nrole = \"boss\"\n",
            "counsel.toml:4:8: key agent.role: 'boss' is not possible; write one of: worker, consultant",
        ),
        (
            "[[agent]]\nname = \"a\"\ncommand = [\"x\"]\nsize = \"80\"\n",
            "counsel.toml:4:8: key agent.size: '80' is not a size; write it as COLSxROWS",
        ),
        (
            "[[agent]]\nname = \"a\"\ncommand = [\"x\"]\nconsultant = \"a\"\n",
            "counsel.toml:4:14: key agent.consultant: an agent cannot answer itself",
        ),
        (
            "[[agent]]\nname = \"a\"\ncommand = [\"x\"]\nconsultant = \"b\"\n",
            "counsel.toml:4:14: key agent.consultant: there is no 'b'; write one of a",
        ),
        (
            "[[agent]]\nname = \"a\"\ncommand = [\"x\"]\nenv_file = \"none\"\n",
            "counsel.toml:4:12: key agent.env_file: ",
        ),
        ("[[rule]]\nkind = \"menu\"\n", "counsel.toml:1:1: key rule.then: is missing; write then ="),
        (
            "[[rule]]\nthen = \"answer\"\n",
            "counsel.toml:1:1: key rule.answer: is missing; then = \"answer\" needs",
        ),
        (
            "[[rule]]\nthen = \"answer\"\nanswer = \" \"\n",
            "counsel.toml:3:10: key rule.answer: is empty; write the label",
        ),
        (
            "[[rule]]\nthen = \"answer\"\nanswer = \"80\\n80\"\n",
            "counsel.toml:3:10: key rule.answer: cannot be given: the text has several lines",
        ),
        (
            "[[rule]]\nthen = \"human\"\nprompt = \"(\"\n",
            "counsel.toml:3:10: key rule.prompt: is no regular expression: unclosed group",
        ),
        (
            "[[rule]]\nthen = \"human\"\nanswer = \"x\"\n",
            "counsel.toml:3:10: key rule.answer: has no effect here; write then = \"answer\"",
        ),
        (
            "[[rule]]\nthen = \"human\"\nfrom_project = false\n",
            "counsel.toml:3:16: key rule.from_project: is not known here",
        ),
        (
            "[[rule]]\nthen = \"consult\"\nwith = \"nobody\"\n",
            "counsel.toml:3:8: key rule.with: there is no 'nobody', nor any other; add an [[agent]] or [[consultant]]",
        ),
        (
            "[dashboard]\ndetach = \"hyper-x\"\n",
            "counsel.toml:2:10: key dashboard.detach: 'hyper-x' is not a key",
        ),
        (
            "[dashboard]\ndetach = \"ctrl-m\"\n",
            "counsel.toml:2:10: key dashboard.detach: 'ctrl-m' comes from most terminals as Enter; take another key",
        ),
        (
            "[dashboard]\ndetach = \"esc\"\n",
            "counsel.toml:2:10: key dashboard.detach: 'esc' could be typed into no agent any more; take one with ctrl",
        ),
        (
            "[dashboard]\ndetach = \"a\"\n",
            "counsel.toml:2:10: key dashboard.detach: 'a' could be typed into no agent any more; take one with ctrl",
        ),
        (
            "[probes]\nforeground = \"red\"\n",
            "counsel.toml:2:14: key probes.foreground: 'red' is not a colour; write it as \"#rrggbb\"",
        ),
        (
            "[probes]\nprimary_attributes = \"x\"\n",
            "counsel.toml:2:22: key probes.primary_attributes: 'x' is no DA1",
        ),
        (
            "[security]\nallow_commands = [\"\"]\n",
            "counsel.toml:2:18: key security.allow_commands: holds an empty name",
        ),
        (
            "[permissions]\nterminal_start = \"never\"\n",
            "counsel.toml:2:18: key permissions.terminal_start: 'never' is not possible; write one of: allow, ask, deny",
        ),
        (
            "[[agent]]\nname = \"a\"\ncommand = [\"x\"]\nprompt = \"\"\n",
            "counsel.toml:4:10: key agent.prompt: the first prompt is empty",
        ),
        ("a = \n", "counsel.toml:1:"),
        ("[consult]\nconfirm = true\nconfirm = false\n", "counsel.toml:3:1: "),
    ];
    let many = "[[rule]]\nthen = \"human\"\n".repeat(201);
    let too_many = (
        many.as_str(),
        "counsel.toml:402:8: key rule.then: is one rule too many; a project's file has room for 200",
    );
    for (text, want) in cases.iter().chain([&too_many]) {
        let got = error(text);
        assert!(got.starts_with(want), "{text}\nwanted {want}\ngot    {got}");
        assert!(!got.contains('\n'), "more than one line: {got}");
    }
    let twice = error(&format!("{agent}{agent}"));
    assert_eq!(
        twice,
        "counsel.toml:5:8: key agent.name: 'a' is taken by the agent of line 2; give it another name"
    );
}

#[test]
fn a_circle_of_consultants_is_refused() {
    let agent = |name: &str, to: &str| {
        format!("[[agent]]\nname = \"{name}\"\ncommand = [\"x\"]\nconsultant = \"{to}\"\n")
    };
    let got = error(&[agent("a", "b"), agent("b", "c"), agent("c", "a")].concat());
    assert_eq!(
        got,
        "counsel.toml:4:14: key agent.consultant: a question would go round: a → b → c → a; one of them needs no consultant"
    );
    let commands = "[[consultant]]\nname=\"p\"\ncommand=[\"x\"]\nthen=\"q\"\n[[consultant]]\nname=\"q\"\ncommand=[\"x\"]\nthen=\"p\"\n";
    assert!(error(commands).contains("a question would go round: p → q → p"), "{}", error(commands));
}

#[test]
fn a_project_may_not_raise_what_the_user_restricts() {
    let files = Files::new(
        "[security]\nallow_commands = [\"claude\"]\ndeny_commands = [\"sudo\"]\n\
         [permissions]\nterminal_start = \"deny\"\n\
         [consult]\nconfirm = true\nmode = \"shadow\"\nmax_per_hour = 5\ndecisions = 6\n\
         [notify]\ncommand = [\"mine\"]\n",
        "[security]\nallow_commands = [\"*\"]\n\
         [permissions]\nterminal_start = \"allow\"\nterminal_stop = \"ask\"\n\
         [consult]\nconfirm = false\nmode = \"answer\"\nmax_per_hour = 500\ndecisions = 4\ncontext = [\"ROADMAP.md\", \"../secrets\", \"~/.ssh/id\"]\n\
         [notify]\ncommand = [\"theirs\"]\nrepeat_secs = 9\n",
    );
    let config = files.load();
    let locate = |word: &str, _: &str, _: Option<&str>| {
        let path = PathBuf::from(format!("/usr/bin/{word}"));
        Some(Located { path: path.clone(), resolved: path })
    };
    let permits = |word| config.security.permits(word, "/", None, &locate).is_ok();
    assert!(permits("claude") && !permits("bash") && !permits("sudo"));
    assert_eq!(config.permissions.terminal_start, Permission::Deny);
    assert_eq!(config.permissions.terminal_stop, Permission::Ask);
    let consult = &config.policy.consult;
    assert_eq!((consult.confirm, consult.mode, consult.max_per_hour), (true, Mode::Shadow, 5));
    assert_eq!((consult.decisions, consult.context.as_slice()), (4, &["ROADMAP.md".to_string()][..]));
    assert_eq!(
        (config.policy.notify.command.as_slice(), config.policy.notify.repeat_secs),
        (&["mine".to_string()][..], 9)
    );
    assert_eq!(config.warnings.len(), 2, "{:#?}", config.warnings);
}

#[test]
fn of_both_files_limits_the_stricter_holds() {
    let limits = |own: &str, project: &str| {
        let section =
            |keys: &str| if keys.is_empty() { String::new() } else { format!("[consult]\n{keys}\n") };
        let consult = Files::new(&section(own), &section(project)).load().policy.consult;
        (consult.repeat_limit, consult.asked_per_hour)
    };
    assert_eq!(limits("", ""), (3, 0));
    assert_eq!(limits("", "repeat_limit = 7"), (7, 0), "what the user does not restrict a project may set");
    assert_eq!(limits("repeat_limit = 2", "repeat_limit = 7"), (2, 0));
    assert_eq!(limits("repeat_limit = 5", "repeat_limit = 2"), (2, 0));
    // 0 is no limit, and so the laxest.
    assert_eq!(limits("repeat_limit = 4", "repeat_limit = 0"), (4, 0));
    assert_eq!(limits("repeat_limit = 0", "repeat_limit = 4"), (4, 0));
    assert_eq!(limits("repeat_limit = 0", "repeat_limit = 0"), (0, 0));
    assert_eq!(limits("repeat_limit = 6", ""), (6, 0));
    // A project could keep a question from its person for a day.
    let lower = |own: &str, project: &str| {
        let files = Files::new(&format!("[consult]\n{own}\n"), &format!("[consult]\n{project}\n"));
        let consult = files.load().policy.consult;
        (consult.deadline_secs, consult.context_bytes, consult.prompt_bytes)
    };
    let (few, many) = (
        "deadline_secs = 6\ncontext_bytes = 100\nprompt_bytes = 8192",
        "deadline_secs = 86400\ncontext_bytes = 90000\nprompt_bytes = 90000",
    );
    assert_eq!(lower(few, many), (6, 100, 8192));
    assert_eq!(lower(many, few), (6, 100, 8192));
    assert_eq!(lower("", many).0, 86_400, "what the user does not restrict");
    // A project's consultant was told what had been decided in other folders.
    let files = Files::new("[consult]\ndecisions = 0\n", "[consult]\ndecisions = 100\n");
    assert_eq!(files.load().policy.consult.decisions, 0);
    assert_eq!(limits("asked_per_hour = 9", "asked_per_hour = 0"), (3, 9));
    assert_eq!(limits("", "asked_per_hour = 9"), (3, 9));
}

/// A project that says `claude` is a plain program has its dialogs judged by rules it likes better.
/// What lies on the clipboard is pasted into shells: a project may keep its agents from it, and grant nothing.
#[test]
fn a_project_forbids_the_clipboard_and_never_allows_it() {
    let clipboard = |own: &str, project: &str| {
        let line = |word: &str| match word {
            "" => String::new(),
            word => format!("[security]\nclipboard = \"{word}\"\n"),
        };
        Files::new(&line(own), &line(project)).load().security.clipboard
    };
    for (own, project, wanted) in [
        ("", "", Clipboard::Ask),
        ("", "allow", Clipboard::Ask),
        ("allow", "", Clipboard::Allow),
        ("allow", "deny", Clipboard::Deny),
        ("deny", "allow", Clipboard::Deny),
    ] {
        assert_eq!(clipboard(own, project), wanted, "{own:?} {project:?}");
    }
    let listed = Files::new("", "[security]\nclipboard = \"allow\"\n").load().project.unwrap().summary;
    assert_eq!(listed, ["cannot set security.clipboard: only your own file does"]);
    let refused = "[[rule]]\nkind = \"permission\"\nthen = \"answer\"\nanswer = \"Yes\"\n[[rule]]\nkind = \"menu\"\nthen = \"human\"\n";
    let listed = Files::new("", refused).load().project.unwrap().summary;
    assert_eq!(listed, ["rule   kind \"menu\": leaves to you"], "only rules that are followed");
}

#[test]
fn a_project_does_not_say_which_program_another_is() {
    let agent = |command: &str, profile: &str| {
        format!("[[agent]]\nname = \"a\"\ncommand = {command}\nprofile = \"{profile}\"\n")
    };
    for (command, profile, kept) in [
        ("[\"claude\"]", "generic", None),
        ("[\"npx\", \"@anthropic-ai/claude-code\"]", "codex", None),
        ("[\"claude\"]", "claude", Some("claude")),
        ("[\"./my-own\"]", "claude", Some("claude")),
    ] {
        let config = Files::new("", &agent(command, profile)).load();
        assert_eq!(config.agents[0].profile.as_deref(), kept, "{command} {profile}");
        assert_eq!(config.warnings.len(), usize::from(kept.is_none()), "{:?}", config.warnings);
    }
    let own = Files::new(&agent("[\"claude\"]", "generic"), "").load();
    assert_eq!(own.agents[0].profile.as_deref(), Some("generic"), "what is the user's own, the user says");
}

#[test]
fn a_projects_rules_neither_answer_nor_silence_what_asks_for_a_yes() {
    for kind in ["permission", "plan", "dialog", "yesno"] {
        for then in ["then = \"ignore\"", "then = \"answer\"\nanswer = \"Yes\""] {
            let rule = format!("[[rule]]\nkind = \"{kind}\"\n{then}\n");
            let config = Files::new("", &rule).load();
            assert_eq!((config.policy.rules.len(), config.warnings.len()), (0, 1), "{rule}");
            assert_eq!(Files::new(&rule, "").load().policy.rules.len(), 1, "{rule}");
        }
    }
    let menu = Files::new("", "[[rule]]\nkind = \"menu\"\nthen = \"ignore\"\n").load();
    assert_eq!(menu.policy.rules.len(), 1);
}

#[test]
fn a_projects_rules_do_not_answer_permissions() {
    let rules = "[[rule]]\nkind = \"permission\"\nthen = \"answer\"\nanswer = \"Yes\"\n\
                 [[rule]]\nkind = \"plan\"\nthen = \"consult\"\n\
                 [[rule]]\nkind = \"trust\"\nthen = \"answer\"\nanswer = \"Yes\"\n\
                 [[rule]]\nkind = \"permission\"\nthen = \"human\"\n\
                 [[rule]]\nthen = \"consult\"\n";
    let config = Files::new("", rules).load();
    let kept: Vec<(Option<Kind>, Then, bool)> =
        config.policy.rules.iter().map(|r| (r.kind, r.then, r.from_project)).collect();
    assert_eq!(kept, [(Some(Kind::Permission), Then::Human, true), (None, Then::Consult, true)]);
    assert_eq!(config.warnings.len(), 3);
    assert!(config.warnings[0].starts_with("counsel.toml:2:8: key rule.kind: "), "{}", config.warnings[0]);

    let config = Files::new(rules, "[[rule]]\nthen = \"human\"\n").load();
    let kept: Vec<(Option<Kind>, bool)> =
        config.policy.rules.iter().map(|r| (r.kind, r.from_project)).collect();
    let want = [
        (Some(Kind::Permission), false),
        (Some(Kind::Plan), false),
        (Some(Kind::Permission), false),
        (None, false),
        (None, true),
    ];
    assert_eq!(kept, want, "the user's own rules hold, and come first");
    assert_eq!(config.warnings.len(), 1, "no rule answers trust: {:?}", config.warnings);
}

#[test]
fn the_nearest_file_up_to_the_git_root_counts() {
    let files = Files::new("", "[[agent]]\nname = \"a\"\ncommand = [\"x\"]\ncwd = \"sub/../b\"\n");
    let mut places = files.places();
    places.cwd = files.root.path().join("project/deep/er");
    let config = load(&places).unwrap();
    assert_eq!(config.agents[0].cwd.as_deref(), files.root.path().join("project/b").to_str());

    fs::create_dir(files.root.path().join("project/deep/.git")).unwrap();
    assert!(load(&places).unwrap().agents.is_empty(), "a file above the git root is another project's");

    places.file = Some("../../counsel.toml".into());
    assert_eq!(names(&load(&places).unwrap()), ["a"]);
    places.file = Some("none.toml".into());
    let error = load(&places).unwrap_err().to_string();
    assert!(error.starts_with("none.toml: cannot be read: "), "{error}");
}

#[test]
fn the_users_agents_join_where_a_project_names_them() {
    let own = "[[agent]]\nname = \"advisor\"\ncommand = [\"mine\"]\nrole = \"consultant\"\n\
               [[agent]]\nname = \"other\"\ncommand = [\"x\"]\nconsultant = \"oneshot\"\n\
               [[consultant]]\nname = \"oneshot\"\ncommand = [\"mine\"]\n";
    let config = Files::new(own, "").load();
    assert_eq!(names(&config), ["advisor", "other"]);
    let project = "[[agent]]\nname = \"api\"\ncommand = [\"x\"]\nconsultant = \"advisor\"\n\
                   [[consultant]]\nname = \"oneshot\"\ncommand = [\"theirs\"]\n";
    let config = Files::new(own, project).load();
    assert_eq!(names(&config), ["api", "advisor"]);
    assert_eq!(config.policy.consultants[0].command, ["mine"], "a project does not replace it");
    assert_eq!(config.files.len(), 2);
}

/// `config check` read the variables of an agent of the user's own from where it was called, and the server from `/`: it did not
/// start.
#[test]
fn the_variables_of_the_users_own_agents_lie_beside_their_file() {
    let own = "[[agent]]\nname = \"a\"\ncommand = [\"x\"]\nenv_file = \"vars.env\"\n";
    let files = Files::new(own, "");
    let mut places = files.places();
    fs::write(places.config_dir.as_ref().unwrap().join("vars.env"), "A=beside\n").unwrap();
    for cwd in [places.cwd.clone(), PathBuf::from("/")] {
        places.cwd = cwd;
        let specs = load(&places).unwrap().agent_specs(&BTreeMap::new());
        assert_eq!(specs[0].env.get("A").map(String::as_str), Some("beside"));
    }
}

#[test]
fn agents_get_paths_and_environment_ready_to_start() {
    let project = "[[agent]]\nname = \"a\"\ncommand = [\"~/bin/x\", \"-v\"]\nargs = [\"--all\"]\ncwd = \"~/src\"\n\
                   env = { B = \"inline\" }\nenv_file = \"vars.env\"\nsize = \"100x30\"\nhost = \"tmux\"\nwrap = [\"nice\"]\n";
    let files = Files::new("", project);
    fs::write(
        files.root.path().join("project/vars.env"),
        "# comment\nexport A=\"from file\"\nB=file\n\nC='x=y'\n",
    )
    .unwrap();
    let base: BTreeMap<String, String> =
        [("A", "base"), ("CLAUDECODE", "1"), ("PATH", "/bin")].map(|(k, v)| (k.into(), v.into())).into();
    let specs = files.load().agent_specs(&base);
    let [spec] = specs.as_slice() else { panic!("one agent, got {specs:?}") };
    let home = |path: &str| Path::new(files.root.path()).join(path).display().to_string();
    assert_eq!(spec.command, [home("bin/x"), "-v".into(), "--all".into()]);
    assert_eq!((spec.cwd.clone(), spec.size, spec.host), (home("src"), Some(Size::new(100, 30)), Host::Tmux));
    let env: Vec<(&str, &str)> = spec.env.iter().map(|(k, v)| (k.as_str(), v.as_str())).collect();
    let want = [
        ("A", "from file"),
        ("B", "inline"),
        ("C", "x=y"),
        ("COLORTERM", "truecolor"),
        ("LANG", "C.UTF-8"),
        ("PATH", "/bin"),
        ("TERM", "xterm-256color"),
    ];
    assert_eq!(env, want);
}

/// Runs `counsel config …` in a project with this file, on a machine that has a `claude`.
fn config_verb(project: &str, args: &[&str]) -> (i32, String, String) {
    let files = Files::new("", project);
    let bin = files.root.path().join("bin");
    fs::create_dir(&bin).unwrap();
    fs::copy("/bin/sh", bin.join("claude")).unwrap();
    let out = std::process::Command::new(env!("CARGO_BIN_EXE_counsel"))
        .arg("config")
        .args(args)
        .current_dir(files.places().cwd)
        .env("XDG_CONFIG_HOME", files.root.path())
        .env("PATH", bin)
        .output()
        .unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (out.status.code().unwrap(), text(out.stdout), text(out.stderr))
}

#[test]
fn the_config_verb_checks_shows_and_finds() {
    let (code, out, _) = config_verb(EXAMPLE, &["check"]);
    assert_eq!(code, 0);
    assert!(out.contains("counsel.toml: all right, 2 agents: api, advisor"), "{out}");
    assert!(out.starts_with("warning: counsel.toml:"), "the permission rule is a project's: {out}");

    let (code, out, err) = config_verb("[consult]\ndeadline = 5\n", &["check"]);
    assert_eq!((code, out.as_str()), (2, ""));
    assert!(
        err.starts_with(
            "counsel: could not check the configuration: counsel.toml:2:1: key consult.deadline: "
        ),
        "{err}"
    );
    assert_eq!(err.lines().count(), 1);

    // Every fault is told, those that only a start or the dashboard would meet too.
    let faulty = "[[agent]]\nname = \"A\"\ncommand = []\n[[agent]]\nname = \"b\"\ncommand = []\n[consult]\ndeadline_secs = 1\n";
    let (code, out, err) = config_verb(faulty, &["check"]);
    assert_eq!((code, out.lines().count(), err.lines().count()), (2, 3, 1), "{out}{err}");
    assert!(out.contains("fault: counsel.toml:2:") && out.contains("counsel.toml:6:"), "{out}");
    assert!(err.trim_end().ends_with("; and 2 more"), "{err}");
    let unusable =
        "[[agent]]\nname = \"a\"\ncommand = [\"claude\"]\nisolate = \"uid\"\nworktree = \"../x\"\n";
    let (code, out, _) = config_verb(unusable, &["check", "--json"]);
    for words in ["counsel.toml:4:", "wants user", "counsel.toml:5:", "cannot name a worktree"] {
        assert!(code == 2 && out.contains(words), "{words}: {out}");
    }
    let (code, out, _) = config_verb("[dashboard]\ntheme = \"mauve\"\n", &["check", "--json"]);
    assert!(
        code == 2 && out.contains("counsel.toml:2:9: key dashboard.theme: there is no theme 'mauve'"),
        "{out}"
    );

    let hooks = "[[agent]]\nname = \"a\"\ncommand = [\"claude\"]\nisolate = \"uid\"\nuser = \"nobody\"\nhooks = true\n";
    let (code, _, err) = config_verb(hooks, &["check"]);
    assert!(
        code == 2 && err.contains("counsel.toml:6:") && err.contains("does not reach counsel's socket"),
        "{err}"
    );

    let secret = "[[agent]]\nname = \"a\"\ncommand = [\"x\"]\nenv = { API_TOKEN = \"hush\", MODE = \"x\" }\n";
    let (code, out, _) = config_verb(secret, &["show"]);
    assert_eq!(code, 0);
    assert!(!out.contains("hush") && out.contains("deadline_secs = 55"), "{out}");
    let again: toml::Table = toml::from_str(&out).unwrap();
    assert_eq!(again["agent"][0]["env"]["MODE"].as_str(), Some("x"));

    assert_eq!(config_verb("", &["path"]).0, 1);
    assert_eq!(config_verb(secret, &["path"]).1, "counsel.toml\n");
}

#[test]
fn a_prompt_template_is_read_and_checked_with_the_file_that_names_it() {
    let template = "House rules.\n{{question}}\n{{options}}";
    let with = |path: &str, text: &str| {
        let files = Files::new("", &format!("[consult]\ntemplate = \"{path}\"\n"));
        fs::write(files.root.path().join("project/consult.md"), text).unwrap();
        fs::write(files.root.path().join("outside.md"), text).unwrap();
        load(&files.places()).map_err(|error| error.to_string())
    };
    assert_eq!(with("consult.md", template).unwrap().policy.consult.template.as_deref(), Some(template));
    let error = with("consult.md", "{{question}}").unwrap_err();
    assert!(error.starts_with("counsel.toml:2:12: key consult.template: "), "{error}");
    assert!(error.contains("write {{options}}"), "{error}");
    assert!(with("missing.md", template).unwrap_err().contains("cannot be read"));
    let outside = with("../outside.md", template).unwrap();
    assert_eq!((outside.policy.consult.template, outside.warnings.len()), (None, 1));
    // The user's own lies beside the user's own file, whatever folder counsel is called from.
    let files = Files::new("[consult]\ntemplate = \"consult.md\"\n", "");
    fs::write(files.root.path().join("config/consult.md"), template).unwrap();
    assert_eq!(files.load().policy.consult.template.as_deref(), Some(template));
}

#[test]
fn profiles_and_layouts_of_the_user_are_known_by_name() {
    let project = "[[agent]]\nname = \"a\"\ncommand = [\"mine\"]\nprofile = \"mine\"\n\n[dashboard]\nlayout = \"wide\"\n";
    let files = Files::new("", project);
    let fault = load(&files.places()).unwrap_err();
    assert_eq!((fault.line, fault.key.as_str()), (4, "agent.profile"), "{fault}");
    assert!(fault.what.starts_with("there is no profile 'mine'; there are aider, claude, "), "{fault}");

    let config = files.root.path().join("config");
    fs::create_dir_all(config.join("profiles")).unwrap();
    fs::write(config.join("profiles/mine.toml"), "name = \"mine\"\ncommands = [\"mine\"]\n").unwrap();
    let fault = load(&files.places()).unwrap_err();
    assert_eq!((fault.line, fault.key.as_str()), (7, "dashboard.layout"), "{fault}");

    fs::create_dir_all(config.join("layouts")).unwrap();
    fs::write(config.join("layouts/wide.toml"), "name = \"wide\"\nkind = \"columns\"\n").unwrap();
    let loaded = files.load();
    assert_eq!(loaded.agents[0].profile.as_deref(), Some("mine"));
    assert_eq!(loaded.dashboard.layout, "wide");
}

#[test]
fn a_broken_file_beside_the_configuration_is_named() {
    let files = Files::new("", "[dashboard]\nlayout = \"wide\"\n");
    let layouts = files.root.path().join("config/layouts");
    fs::create_dir_all(&layouts).unwrap();
    fs::write(layouts.join("wide.toml"), "name = \"wide\"\nkind = \"spiral\"\n").unwrap();
    let fault = load(&files.places()).unwrap_err().to_string();
    assert!(fault.contains("wide.toml") && fault.contains("spiral"), "{fault}");
}

/// A project's file that could bind keys could make Enter decline, and Escape consent.
#[test]
fn keys_are_bound_in_the_users_own_file_only() {
    let bound =
        "[dashboard]\nlayout = \"columns\"\n[dashboard.question_keys]\nreject = \"enter\"\ngive = \"r\"\n";
    let files = Files::new("", bound);
    let config = files.load();
    assert_eq!(config.dashboard.layout, "columns");
    assert!(config.dashboard.question_keys.is_empty());
    assert!(
        config.warnings.iter().any(|warning| warning.contains("dashboard.question_keys")),
        "{:?}",
        config.warnings
    );
    let files = Files::new(bound, "");
    assert_eq!(files.load().dashboard.question_keys.len(), 2);
    let files = Files::new("[dashboard.keys]\nzoom = \"n\"\n", "");
    let error = load(&files.places()).unwrap_err().to_string();
    assert!(error.contains(":2:8: key dashboard.keys.zoom: 'n' is the key of 'next'"), "{error}");
    // As in what lies over the panes.
    for (table, name) in [
        ("palette_keys", "close"),
        ("form_keys", "start"),
        ("log_keys", "open"),
        ("step_keys", "close"),
        ("confirm_keys", "yes"),
    ] {
        let bound = format!("[dashboard.{table}]\n{name} = \"f2\"\n");
        let config = Files::new("", &bound).load();
        assert!(config.dashboard.bound().values().all(|names| names.is_empty()), "{table}");
        assert!(config.warnings.iter().any(|warning| warning.contains(table)), "{:?}", config.warnings);
        let bound = Files::new(&bound, "").load().dashboard.bound();
        assert_eq!(bound.values().map(|names| names.len()).sum::<usize>(), 1, "{table}");
        let files = Files::new(&format!("[dashboard.{table}]\n{name} = \"ctrl-a\"\n"), "");
        let error = load(&files.places()).unwrap_err().to_string();
        assert!(
            error.contains(&format!("key dashboard.{table}.{name}: 'ctrl-a' cannot be bound")),
            "{error}"
        );
    }
}

/// It was started, and could neither read nor write its own folder.
#[test]
fn a_worktree_that_isolation_closes_is_refused() {
    let agent = "[[agent]]\nname = \"a\"\ncommand = [\"sh\"]\nworktree = \"fix\"\n";
    let said = error(&format!("{agent}isolate = \"landlock\"\n"));
    assert!(said.contains(":4:12: key agent.worktree: cannot be used with isolation"), "{said}");
    Files::new("", &format!("{agent}isolate = \"none\"\n")).load();
    Files::new("", agent).load();
}

/// `user = "nobody"` by itself was accepted, and the agent ran as the server's own user.
#[test]
fn a_user_without_the_isolation_that_makes_one_is_refused() {
    let agent = "[[agent]]\nname = \"a\"\ncommand = [\"sh\"]\nuser = \"nobody\"\n";
    let said = error(agent);
    assert!(said.contains(":4:8: key agent.user: has no effect here; write isolate = \"uid\""), "{said}");
    Files::new("", &format!("{agent}isolate = \"uid\"\n")).load();
    Files::new("[security]\nisolate = \"uid\"\n", agent).load();
}

/// An agent that closed the folder with `chmod 0` switched off what the user's own file forbids: it passed for a file that is not
/// there.
#[test]
fn a_folder_that_cannot_be_looked_into_is_no_missing_configuration() {
    let files = Files::new("", "");
    let folder = files.root.path().join("config");
    assert!(load(&files.places()).is_ok(), "without a file there is none");
    fs::remove_dir(&folder).unwrap();
    assert!(load(&files.places()).is_ok(), "nor without its folder");
    // Root may enter a closed folder; a link that leads to itself can be entered by nobody.
    std::os::unix::fs::symlink(&folder, &folder).unwrap();
    let error = load(&files.places()).map(|_| ()).unwrap_err().to_string();
    assert!(error.contains("config.toml") && error.contains("cannot be read"), "{error}");
}

/// A project's empty command took the user's own away, and nobody was told.
#[test]
fn a_project_does_not_take_the_users_notify_command_away() {
    for (project, warned) in [("command = []", 1), ("repeat_secs = 9", 0), ("command = [\"mine\"]", 0)] {
        let files = Files::new("[notify]\ncommand = [\"mine\"]\n", &format!("[notify]\n{project}\n"));
        let config = files.load();
        assert_eq!(config.policy.notify.command, ["mine"], "{project}");
        assert_eq!(config.warnings.len(), warned, "{project}: {:?}", config.warnings);
    }
}
