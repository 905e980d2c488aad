//! Hooks that come, wait, leave and contradict, and what becomes of the question on the screen.

use serde_json::{Value, json};

use super::*;
use crate::core::detect::channels::Trust;
use crate::core::log::log_entry::{Channel, Outcome};
use crate::core::recording::asciicast::Asciicast;
use crate::wire::message::GivenAnswer;

const HOOK: ClientKey = ClientKey(20);

/// A worker that plays `cast`, with a consultant, and a process of it that speaks for its hook.
fn stage(cast: &str) -> Stage {
    stage_with(cast, Policy::default())
}

fn stage_with(cast: &str, policy: Policy) -> Stage {
    let mut stage = Stage::with_oracle(policy);
    let path = format!("{}/tests/recordings/{cast}.cast", env!("CARGO_MANIFEST_DIR"));
    stage.cast = Asciicast::parse(&std::fs::read_to_string(path).unwrap()).unwrap();
    join(&mut stage, HOOK);
    stage
}

fn join(stage: &mut Stage, client: ClientKey) {
    stage.step(Event::Joined { client, pids: vec![900, 500] });
    let token = Some("secret".to_owned());
    stage.ask_as(client, Request::Hello { version: crate::wire::VERSION, token });
}

fn database() -> Value {
    let options = json!([{"label": "PostgreSQL"}, {"label": "SQLite"}, {"label": "Redis"}]);
    json!({"questions": [{"question": "Which database should I use for the session store?",
        "header": "Database", "multiSelect": false, "options": options}]})
}

fn form() -> Value {
    json!({"questions": [
        {"question": "Which auth method should we use?", "multiSelect": false,
            "options": [{"label": "OAuth"}, {"label": "JWT"}]},
        {"question": "Which features do you want to enable?", "multiSelect": true,
            "options": [{"label": "Audit log"}, {"label": "Rate limit"}, {"label": "Webhooks"}]},
    ]})
}

fn tell(stage: &mut Stage, event: &str, payload: Value) -> Option<Reply> {
    stage.ask_as(HOOK, Request::Hook { event: event.to_owned(), payload })
}

fn asks(stage: &mut Stage, input: &Value) {
    let payload = json!({"tool_name": "AskUserQuestion", "tool_input": input});
    assert_eq!(tell(stage, "PermissionRequest", payload), None, "it waits");
}

fn recorded(stage: &mut Stage, answers: Value) {
    let payload = json!({"tool_name": "AskUserQuestion", "tool_response": {"answers": answers}});
    assert_eq!(tell(stage, "PostToolUse", payload), Some(Reply::Hook { output: None }));
}

/// What the hook that waited was told: nothing yet, to print nothing, or this.
fn output(stage: &Stage) -> Option<Option<Value>> {
    stage.done.iter().find_map(|effect| match effect {
        Effect::Send { client: HOOK, message } => match &**message {
            ServerMessage::Reply { reply: Reply::Hook { output }, .. } => Some(output.clone()),
            _ => None,
        },
        _ => None,
    })
}

fn answers(stage: &Stage) -> Value {
    let output = output(stage).flatten().expect("the hook was answered");
    output["hookSpecificOutput"]["decision"]["updatedInput"]["answers"].clone()
}

fn say(stage: &mut Stage, ask: u64, words: &str) {
    let turn = stage.ask(ask).turn_number();
    stage.step(Event::Consulted { ask: AskKey(ask), turn, said: Ok(words.to_owned()) });
}

fn dialog_gone(stage: &mut Stage) {
    stage.step(Event::Output { agent: AgentKey(1), bytes: b"\x1b[2J\x1b[H".to_vec() });
    stage.pass(600);
}

#[test]
fn an_answer_goes_through_the_hook_that_waits_and_no_key_is_sent() {
    let mut stage = stage("claude-2.1.329-ask1-120x40");
    asks(&mut stage, &database());
    stage.play_to(5.9);
    assert_eq!(stage.questions()[0].sources, ["hook", "screen"]);
    assert_eq!(output(&stage), None);
    say(&mut stage, 1, r#"{"choice": 2}"#);
    assert_eq!(answers(&stage), json!({"Which database should I use for the session store?": "SQLite"}));
    assert_eq!(stage.questions()[0].status, Status::Answering);
    recorded(&mut stage, json!({"Which database should I use for the session store?": "SQLite"}));
    dialog_gone(&mut stage);
    let entry = stage.entries().remove(0);
    assert_eq!((entry.channel, entry.outcome), (Channel::Hook, Outcome::Answered));
    assert_eq!(entry.proof.unwrap().confirmed.unwrap().recorded, "SQLite");
    stage.pass(60_000);
    assert_eq!((stage.typed().as_str(), stage.notifications(), stage.entries().len()), ("", 0, 1));
}

#[test]
fn a_form_is_decided_question_by_question_and_answered_as_a_whole() {
    let mut stage = stage("claude-2.1.329-ask2-120x40");
    asks(&mut stage, &form());
    stage.play_to(5.1);
    say(&mut stage, 1, r#"{"choice": 2}"#);
    assert_eq!(output(&stage), None, "the second is not decided");
    let second = stage.questions()[1].clone();
    assert_eq!((second.prompt.as_str(), second.multi), ("Which features do you want to enable?", true));
    stage.pass(2_000);
    assert_eq!(stage.questions()[0].status, Status::Answering);
    say(&mut stage, 2, r#"{"choices": [1, 3]}"#);
    let given = json!({"Which auth method should we use?": "JWT",
        "Which features do you want to enable?": "Audit log, Webhooks"});
    assert_eq!(answers(&stage), given);
    recorded(&mut stage, given);
    dialog_gone(&mut stage);
    let channels: Vec<Channel> = stage.entries().iter().map(|entry| entry.channel).collect();
    assert_eq!(channels, [Channel::Hook, Channel::Hook]);
    assert_eq!((stage.typed().as_str(), stage.notifications()), ("", 0));
}

#[test]
fn a_person_at_the_pane_sends_the_hook_away() {
    let mut stage = stage("claude-2.1.329-ask2-120x40");
    asks(&mut stage, &form());
    stage.play_to(5.1);
    say(&mut stage, 1, r#"{"choice": 2}"#);
    let input = vec![Input::Key(KeyPress::plain(Key::Up))];
    stage.request(Request::Keys { name: "worker".into(), input });
    assert_eq!(output(&stage), Some(None));
    say(&mut stage, 2, r#"{"choices": [1]}"#);
    stage.pass(5_000);
    assert_eq!(stage.typed(), "\x1b[A", "only the person's key");
    let statuses: Vec<Status> = stage.questions().iter().map(|question| question.status).collect();
    assert_eq!(statuses, [Status::Escalated, Status::Escalated]);
}

#[test]
fn a_hook_that_leaves_before_the_answer_leaves_it_to_the_keys() {
    let mut stage = stage("claude-2.1.329-ask1-120x40");
    asks(&mut stage, &database());
    stage.play_to(5.9);
    stage.step(Event::Left { client: HOOK });
    say(&mut stage, 1, r#"{"choice": 2}"#);
    stage.pass(400);
    assert_eq!(stage.typed(), "\x1b[B");
}

#[test]
fn what_was_kept_for_the_hook_is_typed_page_by_page_once_it_has_left() {
    let mut stage = stage("claude-2.1.329-ask2-120x40");
    asks(&mut stage, &form());
    stage.play_to(5.1);
    say(&mut stage, 1, r#"{"choice": 1}"#);
    stage.step(Event::Left { client: HOOK });
    stage.pass(400);
    assert_eq!(stage.typed(), "\r", "the first page, on which the first row is highlighted");
    stage.play_to(7.2);
    let questions = stage.questions();
    assert_eq!((questions.len(), questions[0].status), (2, Status::Answered));
    assert_eq!((questions[1].status, questions[1].sources.len()), (Status::Consulting, 2));
    say(&mut stage, 2, r#"{"choices": [1]}"#);
    stage.pass(400);
    assert_ne!(stage.typed(), "\r", "the second goes on by keys");
}

#[test]
fn a_consultant_that_passes_it_on_frees_the_dialog() {
    let mut stage = stage("claude-2.1.329-ask1-120x40");
    asks(&mut stage, &database());
    stage.play_to(5.9);
    say(&mut stage, 1, r#"{"escalate": "too much at stake"}"#);
    assert_eq!((output(&stage), stage.questions()[0].status), (Some(None), Status::Escalated));
    let answer = GivenAnswer { options: vec!["PostgreSQL".into()], ..GivenAnswer::default() };
    stage.request(Request::Answer { id: "q1".into(), answer });
    stage.pass(1_000);
    assert_eq!(stage.typed(), "\r", "the person's answer goes by keys");
}

#[test]
fn a_hook_and_a_screen_that_differ_need_a_person() {
    let mut stage = stage("claude-2.1.329-ask1-120x40");
    let mut other = database();
    other["questions"][0]["options"][1]["label"] = "MySQL".into();
    asks(&mut stage, &other);
    stage.play_to(5.9);
    let question = stage.questions().remove(0);
    assert_eq!((question.status, output(&stage)), (Status::Escalated, Some(None)));
    assert!(question.note.unwrap().contains("MySQL"));
    stage.pass(60_000);
    assert_eq!((stage.typed().as_str(), stage.notifications()), ("", 1));
}

#[test]
fn another_answer_than_was_meant_calls_a_person() {
    let mut stage = stage("claude-2.1.329-ask1-120x40");
    asks(&mut stage, &database());
    stage.play_to(5.9);
    say(&mut stage, 1, r#"{"choice": 2}"#);
    recorded(&mut stage, json!({"Which database should I use for the session store?": "Redis"}));
    dialog_gone(&mut stage);
    let entry = stage.entries().remove(0);
    assert_eq!((entry.outcome, stage.notifications()), (Outcome::Failed, 1));
    assert!(entry.reason.is_some());
    assert_eq!(stage.typed(), "");
}

#[test]
fn an_answer_the_agent_does_not_take_is_never_typed() {
    let mut stage = stage("claude-2.1.329-ask1-120x40");
    asks(&mut stage, &database());
    stage.play_to(5.9);
    say(&mut stage, 1, r#"{"choice": 2}"#);
    stage.step(Event::Left { client: HOOK });
    stage.pass(60_000);
    assert_eq!((stage.questions()[0].status, stage.notifications()), (Status::Escalated, 1));
    assert_eq!((stage.typed().as_str(), stage.questions().len()), ("", 1));
}

#[test]
fn a_hook_alone_is_enough_to_see_a_question() {
    let mut stage = stage("claude-2.1.329-ask1-120x40");
    asks(&mut stage, &database());
    stage.pass(2_000);
    let question = stage.questions().remove(0);
    assert_eq!((question.sources, question.status), (vec!["hook".to_owned()], Status::Consulting));
    stage.play_to(5.9);
    let questions = stage.questions();
    assert_eq!((questions.len(), questions[0].sources.len()), (1, 2), "the same question");
    say(&mut stage, 1, r#"{"choice": 3}"#);
    assert_eq!(answers(&stage), json!({"Which database should I use for the session store?": "Redis"}));
    assert_eq!(stage.typed(), "");
}

#[test]
fn keys_are_confirmed_by_what_the_agent_recorded() {
    let mut stage = stage("claude-2.1.329-ask1-120x40");
    asks(&mut stage, &database());
    stage.play_to(5.9);
    stage.step(Event::Left { client: HOOK });
    say(&mut stage, 1, r#"{"choice": 2}"#);
    stage.pass(400);
    stage.play_to(8.0);
    stage.pass(1_000);
    assert_eq!(stage.typed(), "\x1b[B\r");
    stage.play_to(16.0);
    assert_eq!(stage.questions()[0].status, Status::Answering, "what was recorded is still to come");
    join(&mut stage, HOOK);
    recorded(&mut stage, json!({"Which database should I use for the session store?": "SQLite"}));
    let entry = stage.entries().remove(0);
    assert_eq!(
        (entry.channel, entry.proof.unwrap().confirmed.unwrap().confirmed_by.as_str()),
        (Channel::Keys, "hook")
    );
    assert_eq!(stage.notifications(), 0);
}

#[test]
fn what_a_rule_decides_at_once_waits_a_moment_for_the_hook() {
    let cast = "claude-2.1.329-ask1-120x40";
    let rule = r#"{"kind": "menu", "then": "answer", "answer": "SQLite"}"#;
    for late in [false, true] {
        let rules = vec![serde_json::from_str(rule).unwrap()];
        let mut stage = stage_with(cast, Policy { rules, ..Policy::default() });
        tell(&mut stage, "UserPromptSubmit", json!({"prompt": "go"}));
        stage.done.clear();
        stage.play_to(5.9);
        assert_eq!((stage.typed().as_str(), stage.questions()[0].status), ("", Status::Answering));
        if late {
            stage.pass(1_000);
            assert_eq!(stage.typed(), "\x1b[B");
            stage.done.clear();
        }
        let payload = json!({"tool_name": "AskUserQuestion", "tool_input": database()});
        tell(&mut stage, "PermissionRequest", payload);
        let answered = output(&stage).expect("it need not wait").is_some();
        assert_eq!(answered, !late, "keys or the hook, never both");
        stage.pass(200);
        assert_eq!(stage.typed(), "");
    }
}

/// Claude Code's box around this command.
fn box_around(command: &str) -> Vec<u8> {
    let line = "─".repeat(80);
    let head =
        format!("\x1b[?25l\x1b[H\x1b[2J● Running.\r\n\r\n{line}\r\n Bash command\r\n\r\n   {command}\r\n");
    let rows = " Do you want to proceed?\r\n ❯ 1. Yes\r\n   2. No\r\n\r\n Esc to cancel · Tab to amend";
    format!("{head}\r\n{rows}").into_bytes()
}

/// One command stood on the screen, where a child had drawn it, and the hook that waited ran two: line ends and quotes
/// counted for nothing where the two were compared.
#[test]
fn what_a_rule_decided_about_the_screen_is_given_to_no_other_command() {
    let rule = r#"{"kind": "permission", "command": "^git log( |$)", "then": "answer", "answer": "Yes"}"#;
    for (command, allowed) in [("git log -p", true), ("git log\n-p", false), ("git log ‐p", false)] {
        let rules = vec![serde_json::from_str(rule).unwrap()];
        let mut stage = Stage::with_oracle(Policy { rules, ..Policy::default() });
        join(&mut stage, HOOK);
        tell(&mut stage, "UserPromptSubmit", json!({"prompt": "go"}));
        stage.done.clear();
        stage.step(Event::Output { agent: AgentKey(1), bytes: box_around("git log -p") });
        stage.pass(300);
        let question = stage.questions().remove(0);
        assert_eq!(question.status, Status::Answering, "it waits for the hook: {question:?}");
        let payload = json!({"tool_name": "Bash", "tool_input": {"command": command}});
        tell(&mut stage, "PermissionRequest", payload);
        assert_eq!(output(&stage).is_some_and(|output| output.is_some()), allowed, "{command:?}");
        if command.contains('\n') {
            stage.pass(2_000);
            assert_eq!((stage.questions()[0].status, stage.typed().as_str()), (Status::Escalated, ""));
        }
    }
}

/// A child in the background drew a menu over the dialog that asked leave to edit a file: a consultant chose in the one,
/// and its key approved the other.
#[test]
fn a_menu_of_which_no_hook_told_is_a_persons() {
    let mut stage = stage("claude-2.1.329-ask1-120x40");
    let edit = json!({"tool_name": "Edit", "tool_input": {"file_path": "/a"}});
    assert_eq!(
        tell(&mut stage, "PermissionRequest", edit),
        Some(Reply::Hook { output: None }),
        "it is only told"
    );
    stage.play_to(5.9);
    say(&mut stage, 1, r#"{"choice": 2}"#);
    stage.pass(2_000);
    let question = stage.questions().remove(0);
    assert_eq!((question.status, question.trust), (Status::Escalated, Trust::Low), "{question:?}");
    assert_eq!((stage.typed().as_str(), stage.notifications()), ("", 1));
    // A person sees what stands there, and answers it.
    let answer = GivenAnswer { options: vec!["2".into()], ..GivenAnswer::default() };
    stage.request(Request::Answer { id: "q1".into(), answer });
    stage.pass(1_000);
    assert_ne!(stage.typed(), "");
}

/// A child of the agent can speak as its hook does: that a turn is over, or began, ends no question that the screen shows.
#[test]
fn a_hook_that_tells_of_another_turn_ends_no_question_that_stands() {
    let another = [
        ("Stop", json!({"last_assistant_message": "Done."})),
        ("UserPromptSubmit", json!({"prompt": "go on"})),
    ];
    for (event, payload) in another {
        let mut stage = stage("claude-2.1.329-ask1-120x40");
        asks(&mut stage, &database());
        stage.play_to(5.9);
        assert_eq!(tell(&mut stage, event, payload), Some(Reply::Hook { output: None }));
        stage.pass(10_000);
        let questions = stage.questions();
        let status = |question: &crate::wire::message::QuestionInfo| question.status;
        assert_eq!(questions.iter().map(status).collect::<Vec<_>>(), [Status::Consulting], "{event}");
        say(&mut stage, 1, r#"{"choice": 2}"#);
        assert_eq!(stage.questions()[0].status, Status::Answering);
        recorded(&mut stage, json!({"Which database should I use for the session store?": "SQLite"}));
        dialog_gone(&mut stage);
        assert_eq!(stage.entries().remove(0).channel, Channel::Hook);
        assert_eq!(stage.typed(), "");
    }
}

/// Nor does a forged record of an answer: whatever stays on the screen is answered or calls a person.
#[test]
fn a_record_of_an_answer_ends_no_question_that_stands() {
    let mut stage = stage("claude-2.1.329-ask1-120x40");
    asks(&mut stage, &database());
    stage.play_to(5.9);
    recorded(&mut stage, json!({"Which database should I use for the session store?": "Redis"}));
    stage.pass(60_000);
    assert_eq!(stage.questions().len(), 1);
    assert_eq!((stage.questions()[0].status, stage.notifications()), (Status::Escalated, 1));
}

#[test]
fn a_stranger_and_an_unknown_token_are_told_nothing() {
    let mut stage = stage("claude-2.1.329-ask1-120x40");
    let stranger = ClientKey(30);
    stage.step(Event::Joined { client: stranger, pids: vec![77] });
    let token = Some("guessed".to_owned());
    stage.ask_as(stranger, Request::Hello { version: crate::wire::VERSION, token });
    let payload = json!({"tool_name": "AskUserQuestion", "tool_input": database()});
    let reply = stage.ask_as(stranger, Request::Hook { event: "PermissionRequest".into(), payload });
    assert!(matches!(reply, Some(Reply::Error { code: 4, .. })), "{reply:?}");
    stage.play_to(5.9);
    assert_eq!(stage.questions()[0].sources, ["screen"]);
}

/// The screen showed the end of a message; what it asks for stood above that, in what the hook told.
#[test]
fn a_message_that_is_told_whole_takes_the_question_from_the_consultant() {
    let above = ["All of the tests pass.", "I will run git push --force origin main."];
    for (above, expected) in above.into_iter().zip([Status::Consulting, Status::Escalated]) {
        for told_first in [false, true] {
            let mut stage = stage("claude-2.1.150-plainlist-120x40");
            stage.play_to(if told_first { 2.0 } else { 3.885 });
            let told = |stage: &mut Stage| {
                let message = format!("{above} Which one do you want me to implement?");
                tell(stage, "Stop", json!({"last_assistant_message": message}));
            };
            if told_first {
                told(&mut stage);
                stage.play_to(3.885);
            } else {
                stage.pass(300);
                assert_eq!(stage.questions()[0].status, Status::Consulting);
                told(&mut stage);
            }
            stage.pass(300);
            let asked = stage.questions().remove(0);
            assert_eq!(asked.status, expected, "{above} {told_first} {:?}", asked.note);
        }
    }
}

fn order() -> Value {
    let options =
        json!([{"label": "Expand first"}, {"label": "Lock all tables"}, {"label": "Write to both"}]);
    json!({"questions": [{"question": "In which order?", "multiSelect": false, "options": options}]})
}

/// A dialog that is taller than its pane, from the given row on.
fn draws_from(stage: &mut Stage, first: usize, marked: usize) {
    const ROWS: [&str; 4] = ["Expand first", "Lock all tables", "Write to both", "Type something."];
    let mut drawn = "\x1b[?25l\x1b[?2004h\x1b[2J\x1b[H".to_owned();
    drawn += if first == 1 {
        "\x1b[36m☐\x1b[0m Order\r\n\r\nIn which order?\r\n\r\n"
    } else {
        "     what it does\r\n"
    };
    for (at, label) in ROWS.iter().enumerate().skip(first - 1) {
        let mark = if at + 1 == marked { '❯' } else { ' ' };
        drawn += &format!("{mark} {}. {label}\r\n     what it does\r\n", at + 1);
    }
    drawn += "\r\nEnter to select · ↑/↓ to navigate · Esc to cancel";
    stage.step(Event::Output { agent: AgentKey(1), bytes: drawn.into_bytes() });
    stage.pass(500);
}

#[test]
fn a_dialog_taller_than_its_pane_is_told_in_the_words_of_its_hook() {
    let mut stage = stage("claude-2.1.329-ask1-120x40");
    asks(&mut stage, &order());
    draws_from(&mut stage, 2, 1);
    let told = stage.questions().remove(0);
    assert_eq!(
        (told.prompt.as_str(), told.sources.clone()),
        ("In which order?", vec!["hook".into(), "screen".into()])
    );
    assert_eq!(told.options, ["Expand first", "Lock all tables", "Write to both", "Type something."]);
    assert_eq!((told.selected, told.partial, told.status), (None, false, Status::Consulting));
    say(&mut stage, 1, r#"{"choice": 1}"#);
    assert_eq!(answers(&stage), json!({"In which order?": "Expand first"}));
    assert_eq!(stage.typed(), "", "what is out of view is chosen through the hook");
}

#[test]
fn rows_out_of_view_are_not_chosen_by_keys() {
    let mut stage = stage("claude-2.1.329-ask1-120x40");
    asks(&mut stage, &order());
    draws_from(&mut stage, 2, 1);
    let input = vec![Input::Key(KeyPress::plain(Key::Down))];
    stage.request(Request::Keys { name: "worker".into(), input });
    assert_eq!(output(&stage), Some(None), "the hook is let go");
    draws_from(&mut stage, 2, 2);
    let told = stage.questions().remove(0);
    assert_eq!((told.id.as_str(), told.selected, told.options.len()), ("q1", Some(1), 4));
    let answer = |stage: &mut Stage, label: &str| {
        let answer = GivenAnswer { options: vec![label.to_owned()], ..GivenAnswer::default() };
        stage.request(Request::Answer { id: "q1".into(), answer });
        stage.pass(1_000);
    };
    let before = stage.typed();
    answer(&mut stage, "Expand first");
    assert_eq!(stage.typed(), before, "its row is not in view");
    draws_from(&mut stage, 1, 2);
    let told = stage.questions().remove(0);
    assert_eq!(
        (told.id.as_str(), told.status),
        ("q1", Status::Escalated),
        "a larger pane makes no other question"
    );
    draws_from(&mut stage, 2, 2);
    answer(&mut stage, "Lock all tables");
    assert_eq!(stage.typed(), format!("{before}\r"), "it is seen to be highlighted");
}

#[test]
fn rows_that_two_questions_of_a_form_have_are_those_of_neither_while_their_words_are_out_of_view() {
    let mut stage = stage("claude-2.1.329-ask1-120x40");
    let mut form = order();
    let mut second = form["questions"][0].clone();
    second["question"] = json!("In which order back?");
    form["questions"].as_array_mut().unwrap().push(second);
    asks(&mut stage, &form);
    draws_from(&mut stage, 2, 1);
    let told = stage.questions().remove(0);
    assert_eq!((told.status, told.prompt.as_str()), (Status::Escalated, ""));
    assert_eq!(told.note.as_deref(), Some("which question of its form the screen shows is out of view"));
    assert_eq!(stage.typed(), "");
}
