//! What hooks tell and can be told back, on payloads as Claude Code sends them.

use super::*;
use crate::core::question::{Answer, Kind, Question};

fn payload(event: &str, rest: Value) -> Value {
    let mut all = json!({"session_id": "s", "hook_event_name": event, "cwd": "/shop"});
    for (key, value) in rest.as_object().unwrap() {
        all[key] = value.clone();
    }
    all
}

fn input() -> Value {
    let option = |label: &str| json!({"label": label, "description": "d"});
    json!({"questions": [
        {"question": "Which queue?", "header": "Queue", "multiSelect": false,
            "options": [option("Kafka"), option("RabbitMQ")]},
        {"question": "Which checks?", "header": "Checks", "multiSelect": true,
            "options": [option("Unit"), option("Unit tests"), option("Load, at peak")]},
    ]})
}

fn asked() -> Vec<Asked> {
    form(&input()).unwrap()
}

#[test]
fn what_is_asked_is_read_exactly() {
    let told = payload("PermissionRequest", json!({"tool_name": "AskUserQuestion", "tool_input": input()}));
    let Some(Told::Asks { form, input: kept }) = parse("PermissionRequest", &told) else { panic!() };
    assert_eq!(kept, input());
    assert_eq!((form[0].prompt.as_str(), form[0].multi), ("Which queue?", false));
    assert_eq!(form[1].options[2].0, "Load, at peak");
    let shown = form[1].question(1, 2);
    assert_eq!((shown.kind, shown.tab, shown.options.len()), (Kind::Multi, Some((1, 2)), 4));
    assert_eq!(form[1].shown_by(&shown), Ok(()));
    let other = |tool: Value| parse("PermissionRequest", &payload("PermissionRequest", tool));
    let edit = json!({"tool_name": "Edit", "tool_input": {"file_path": "/a"}});
    assert_eq!(other(edit), Some(Told::File { path: "/a".into() }));
    for path in ["a", &format!("/{}", "x".repeat(MOST_PATH))] {
        let edit = json!({"tool_name": "Edit", "tool_input": {"file_path": path}});
        assert_eq!(other(edit), Some(Told::Dialog));
    }
    assert_eq!(other(json!({"tool_name": "mcp__db__wipe", "tool_input": {}})), Some(Told::Dialog));
}

/// A form of 300,000 options was compared with each frame of its agent's screen, and nobody was served for a minute.
#[test]
fn more_than_a_dialog_shows_is_told_as_a_dialog_and_nothing_of_it_is_kept() {
    let asks = |input: Value| {
        let rest = json!({"tool_name": "AskUserQuestion", "tool_input": input});
        parse("PermissionRequest", &payload("PermissionRequest", rest))
    };
    let question = |options: usize, label: &str| {
        let options: Vec<Value> = (0..options).map(|_| json!({"label": label, "description": ""})).collect();
        json!({"question": "Which?", "multiSelect": false, "options": options})
    };
    let form =
        |questions: usize, options: usize| json!({"questions": vec![question(options, "o"); questions]});
    assert!(matches!(asks(form(MOST_QUESTIONS, MOST_OPTIONS)), Some(Told::Asks { .. })));
    assert_eq!(asks(form(MOST_QUESTIONS + 1, 2)), Some(Told::Dialog));
    assert_eq!(asks(form(1, MOST_OPTIONS + 1)), Some(Told::Dialog));
    assert_eq!(asks(json!({"questions": [question(2, &"o".repeat(MOST_WORDS))]})), Some(Told::Dialog));
    let mut stuffed = form(1, 2);
    stuffed["more"] = json!(vec![0; MOST_WORDS + 1]);
    assert_eq!(asks(stuffed), Some(Told::Dialog), "it would be kept for the answer");
    let bash = |command: String| {
        let rest = json!({"tool_name": "Bash", "tool_input": {"command": command}});
        parse("PermissionRequest", &payload("PermissionRequest", rest))
    };
    assert!(matches!(bash("x".repeat(1_000)), Some(Told::Permission { .. })));
    assert_eq!(bash("x".repeat(MOST_WORDS + 1)), Some(Told::Dialog));
    let long = format!("{}é Which one?", "x".repeat(MOST_WORDS));
    let told = parse("Stop", &payload("Stop", json!({"last_assistant_message": long})));
    let Some(Told::Ended { message: Some(message) }) = told else { panic!() };
    assert!(message.len() <= MOST_WORDS && message.ends_with("é Which one?"));
}

#[test]
fn a_subagent_and_garbage_say_nothing() {
    let rest =
        json!({"tool_name": "AskUserQuestion", "tool_input": input(), "agent_id": "a1", "agent_type": "x"});
    assert_eq!(parse("PermissionRequest", &payload("PermissionRequest", rest)), None);
    for (event, payload) in [
        ("PermissionRequest", json!({"tool_name": "AskUserQuestion", "tool_input": {"questions": []}})),
        (
            "PermissionRequest",
            json!({"tool_name": "AskUserQuestion", "tool_input": {"questions": [{"options": 1}]}}),
        ),
        ("PermissionRequest", json!({"tool_input": {"file_path": "/a"}})),
        ("PermissionRequest", json!({"tool_name": "Bash", "tool_input": {"command": ["rm"]}})),
        ("PostToolUse", json!({"tool_name": "AskUserQuestion", "tool_input": {"answers": "x"}})),
        ("UserPromptSubmit", json!({"prompt": null})),
        ("Nonsense", json!(null)),
        ("Stop", json!({"agent_id": "a", "last_assistant_message": "x"})),
    ] {
        assert_eq!(parse(event, &payload), None, "{event} {payload}");
    }
}

#[test]
fn what_was_recorded_is_read_from_either_place() {
    let both = json!({"tool_name": "AskUserQuestion", "tool_input": {"answers": {"Q?": "typed"}},
        "tool_response": {"answers": {"Q?": ["A", "B"]}}});
    let answers = BTreeMap::from([("Q?".to_owned(), "A, B".to_owned())]);
    assert_eq!(parse("PostToolUse", &both), Some(Told::Recorded { answers }));
    let one = json!({"tool_name": "AskUserQuestion", "tool_input": {"answers": {"Q?": "typed"}}});
    let answers = BTreeMap::from([("Q?".to_owned(), "typed".to_owned())]);
    assert_eq!(parse("PostToolUse", &one), Some(Told::Recorded { answers }));
}

#[test]
fn a_screen_that_shows_something_else_is_told() {
    let queue = &asked()[0];
    let mut screen = queue.question(0, 2);
    screen.prompt = "Which\u{a0}que ue?".into();
    assert_eq!(queue.shown_by(&screen), Ok(()), "blanks are the terminal's");
    screen.options[1].label = "Redis".into();
    assert!(queue.shown_by(&screen).unwrap_err().contains("RabbitMQ"));
    let mut screen = queue.question(0, 2);
    screen.prompt = "Which other?".into();
    assert!(queue.shown_by(&screen).is_err());
    let mut screen = queue.question(0, 2);
    screen.options.remove(0);
    assert!(queue.shown_by(&screen).is_err(), "a row less");
    screen.partial = true;
    assert_eq!(queue.shown_by(&screen), Ok(()), "scrolled out of view");
    assert!(asked()[1].shown_by(&screen).is_err(), "another kind");
}

#[test]
fn a_label_cut_off_by_the_screen_is_still_the_label() {
    let mut queue = asked().remove(0);
    queue.options[0].0 = "Kafka with three brokers".into();
    let mut screen = queue.question(0, 1);
    screen.options[0].label = "Kafka with three brok".into();
    assert_eq!(queue.shown_by(&screen), Ok(()));
    let meant = queue.meant(&screen, &Answer::Rows(vec![0]));
    assert_eq!(meant, Some(Meant::Labels(vec!["Kafka with three brokers".into()])));
    screen.options[0].label = "Kaf".into();
    assert!(queue.shown_by(&screen).is_err(), "too little of it");
}

#[test]
fn an_answer_becomes_the_programs_own_words() {
    let [queue, checks] = &asked()[..] else { panic!() };
    let (first, second) = (queue.question(0, 2), checks.question(1, 2));
    let one = queue.meant(&first, &Answer::Rows(vec![1])).unwrap();
    let two = checks.meant(&second, &Answer::Rows(vec![1, 2])).unwrap();
    let output = answers(&input(), &[(queue, &one), (checks, &two)]);
    let decision = &output["hookSpecificOutput"]["decision"];
    assert_eq!(decision["behavior"], "allow");
    assert_eq!(decision["updatedInput"]["questions"], input()["questions"]);
    let given = json!({"Which queue?": "RabbitMQ", "Which checks?": "Unit tests, \"Load, at peak\""});
    assert_eq!(decision["updatedInput"]["answers"], given);
    for bad in [Answer::Reject, Answer::Rows(vec![2]), Answer::Rows(vec![]), Answer::Rows(vec![0, 1])] {
        assert_eq!(queue.meant(&first, &bad), None, "{bad:?}");
    }
    assert_eq!(checks.meant(&second, &Answer::Rows(vec![])), None);
    assert_eq!(queue.meant(&first, &Answer::Text("NATS".into())), Some(Meant::Text("NATS".into())));
    for allow in [true, false] {
        assert!(!permission(allow).to_string().contains("updatedPermissions"));
    }
}

#[test]
fn another_answer_than_was_meant_is_seen() {
    let labels = |all: &[&str]| Meant::Labels(all.iter().map(|label| (*label).to_owned()).collect());
    let meant = labels(&["Unit tests", "Unit", "Load, at peak"]);
    assert!(meant.is("Unit, Unit tests, Load, at peak"));
    for other in ["Unit tests, Load, at peak", "Unit, Unit tests, Load, at peak, Licence", "", "Kafka"] {
        assert!(!meant.is(other), "{other}");
    }
    assert!(!labels(&["Unit"]).is("Unit tests"));
    assert!(Meant::Text("keep it".into()).is("keep\u{a0}it"));
    assert!(!Meant::Text("keep it".into()).is("keep it not"));
}

#[test]
fn a_plain_question_stands_in_the_message_it_ends() {
    let message = "I ran **both** parsers.\n\nShould I delete the `old` [parser](http://x/y) now?";
    assert!(says(message, "Should I delete the old parser now?"));
    assert!(!says(message, "Should I delete the new parser now?"));
    assert!(!says("All is done.", "Should I?"));
}

fn argv(line: &str) -> Vec<String> {
    line.split(' ').map(str::to_owned).collect()
}

#[test]
fn a_version_is_given_no_hook_it_does_not_know() {
    let named = |version| -> Vec<String> {
        let Some(settings) = settings(version, "counsel hook", true) else { return Vec::new() };
        settings["hooks"].as_object().unwrap().keys().cloned().collect()
    };
    assert_eq!(named(Version(1, 0, 58)), Vec::<String>::new());
    assert_eq!(named(Version(2, 0, 33)), ["UserPromptSubmit", "Stop", "PostToolUse"]);
    assert!(named(Version(2, 0, 70)).contains(&"PermissionRequest".to_owned()));
    let of = |version| settings(version, "counsel hook", false).unwrap();
    assert_eq!(of(Version(2, 1, 329))["askUserQuestionTimeout"], "never");
    assert_eq!(of(Version(2, 1, 150)).get("askUserQuestionTimeout"), None);
    let told = of(Version(2, 1, 150));
    let matchers = [0, 1].map(|at| told["hooks"]["PermissionRequest"][at]["matcher"].clone());
    assert_eq!(matchers, ["AskUserQuestion", "^(?!(?:AskUserQuestion)$)"]);
}

#[test]
fn versions_are_found_in_what_programs_say() {
    assert_eq!(Version::read("2.1.329 (Claude Code)\n"), Some(Version(2, 1, 329)));
    assert_eq!(Version::read("claude-2.1.55"), Some(Version(2, 1, 55)));
    assert_eq!(Version::read("1.2.3.4 or 5.6"), None);
    assert_eq!(Version::read("cli.js"), None);
}

#[test]
fn the_users_settings_stay_as_they_are() {
    let ours = settings(Version(2, 1, 329), "counsel hook", false).unwrap();
    let theirs = json!({"model": "opus", "askUserQuestionTimeout": "5m",
        "hooks": {"Stop": [{"hooks": [{"type": "command", "command": "say done"}]}]}});
    let merged = merge(&theirs, &ours).unwrap();
    assert_eq!((&merged["model"], &merged["askUserQuestionTimeout"]), (&json!("opus"), &json!("5m")));
    assert_eq!(merged["hooks"]["Stop"][0], theirs["hooks"]["Stop"][0]);
    assert_eq!(merged["hooks"]["Stop"][1], ours["hooks"]["Stop"][0]);
    assert_eq!(merged["hooks"]["PostToolUse"], ours["hooks"]["PostToolUse"]);
    assert_eq!(merge(&json!([]), &ours), None);
    assert_eq!(merge(&json!({"hooks": 3}), &ours), None);
    assert_eq!(merge(&json!({"hooks": {"Stop": {}}}), &ours), None);
}

#[test]
fn settings_find_their_place_among_the_words() {
    assert_eq!(place(&argv("claude")), Place::Before(1));
    assert_eq!(place(&argv("/opt/claude --model x -- --settings y")), Place::Before(1));
    assert_eq!(place(&argv("node /x/claude-code/cli.js -c")), Place::Before(2));
    let theirs = "b.json".to_owned();
    assert_eq!(
        place(&argv("claude --settings a.json --settings b.json -c")),
        Place::Instead { at: 4, prefix: "", theirs }
    );
    let theirs = "{}".to_owned();
    assert_eq!(
        place(&argv("claude --settings={} -c")),
        Place::Instead { at: 1, prefix: "--settings=", theirs }
    );
    for line in ["claude -p hello", "claude --version", "claude --settings", "node"] {
        assert_eq!(place(&argv(line)), Place::Nowhere, "{line}");
    }
}

/// A screen on which the words of the first question and its first row are out of view.
fn lower_part(queue: &Asked) -> Question {
    let mut screen = queue.question(0, 1);
    (screen.partial, screen.prompt) = (true, String::new());
    screen.options.remove(0);
    screen
}

#[test]
fn a_part_in_view_is_told_whole_where_its_numbers_say_which_rows_they_are() {
    let mut queue = asked().remove(0);
    queue.options.push(("NATS".into(), "d".into()));
    let mut screen = lower_part(&queue);
    screen.selected = Some(1);
    assert_eq!(queue.shown_by(&screen), Ok(()));
    let whole = queue.whole(&screen).unwrap();
    assert_eq!(whole.prompt, "Which queue?");
    assert_eq!(whole.labels(), ["Kafka", "RabbitMQ", "NATS", "Type something."]);
    assert_eq!((whole.selected, whole.partial), (Some(2), false));
    assert_eq!(queue.meant(&whole, &Answer::Rows(vec![0])), Some(Meant::Labels(vec!["Kafka".into()])));
    assert_eq!([same_row(&whole, 0, &screen), same_row(&whole, 2, &screen)], [None, Some(1)]);
    screen.options[0].number = Some(1);
    screen.options[1].number = Some(2);
    assert!(queue.shown_by(&screen).is_err() && queue.whole(&screen).is_none(), "other rows");
    screen.options.iter_mut().for_each(|row| row.number = None);
    assert!(queue.shown_by(&screen).is_err(), "nothing says which rows they are");
    assert_eq!(queue.whole(&queue.question(0, 1)), None, "all of it is in view");
}

#[test]
fn a_row_of_a_part_means_the_label_of_its_number() {
    let checks = asked().remove(1);
    let mut screen = checks.question(1, 2);
    (screen.partial, screen.prompt) = (true, String::new());
    screen.options.remove(0);
    let meant = checks.meant(&screen, &Answer::Rows(vec![0]));
    assert_eq!(meant, Some(Meant::Labels(vec!["Unit tests".into()])));
    screen.options[1].checked = Some(true);
    let ticks: Vec<_> = checks.whole(&screen).unwrap().options.iter().map(|row| row.checked).collect();
    assert_eq!(ticks, [Some(false), Some(false), Some(true), Some(false)]);
}

/// What was chosen by keys was told as failed, and what a hook gave was taken for words of the person's own.
#[test]
fn labels_that_hold_commas_or_quotes_are_written_as_the_program_writes_them() {
    let labels = ["Redis, then Kafka", "SQLite", "say \"no\"", "a,b"].map(str::to_owned);
    let asked = |multi| Asked {
        prompt: "Which?".into(),
        multi,
        options: labels.iter().map(|label| (label.clone(), String::new())).collect(),
    };
    let all = Meant::Labels(labels.to_vec());
    let written = r#""Redis, then Kafka", SQLite, "say \"no\"", a,b"#;
    assert_eq!(all.written(&asked(true)), written);
    assert!(all.is(written) && all.is(&all.words()), "older versions quote nothing");
    assert!(!all.is(r#""Redis, then Kafka", SQLite"#));
    let one = Meant::Labels(labels[..1].to_vec());
    assert_eq!(one.written(&asked(false)), "Redis, then Kafka", "of one there is nothing to tell apart");
    assert_eq!(one.written(&asked(true)), r#""Redis, then Kafka""#);
}
