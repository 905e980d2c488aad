//! A conversation over the Agent Client Protocol, as agents of every kind hold it.

use super::*;

/// A conversation that was asked its question, and what it said until then.
fn asked() -> Conversation {
    let (mut conversation, first) = Conversation::begin("Which one?".into(), "/p".into());
    assert_eq!((&first["id"], &first["method"]), (&json!(0), &json!("initialize")));
    assert_eq!(first["params"]["clientCapabilities"]["terminal"], false);
    let steps = hear(&mut conversation, json!({ "id": 0, "result": { "protocolVersion": 1 } }));
    let [Step::Send(session)] = &steps[..] else { panic!("{steps:?}") };
    assert_eq!(
        (&session["method"], &session["params"]),
        (&json!("session/new"), &json!({ "cwd": "/p", "mcpServers": [] }))
    );
    let steps = hear(&mut conversation, json!({ "id": 1, "result": { "sessionId": "s" } }));
    let [Step::Send(prompt)] = &steps[..] else { panic!("{steps:?}") };
    let text = json!([{ "type": "text", "text": "Which one?" }]);
    assert_eq!(
        (&prompt["method"], &prompt["params"]),
        (&json!("session/prompt"), &json!({ "sessionId": "s", "prompt": text }))
    );
    // Whatever it says before it was asked answers nothing.
    says(&mut conversation, None, "{\"choice\": 1}");
    conversation.all_sent();
    conversation
}

fn hear(conversation: &mut Conversation, message: Value) -> Vec<Step> {
    conversation.hear(message.to_string().as_bytes())
}

fn update(conversation: &mut Conversation, session: &str, update: Value) {
    let params = json!({ "sessionId": session, "update": update });
    assert_eq!(hear(conversation, json!({ "method": "session/update", "params": params })), []);
}

fn says(conversation: &mut Conversation, message: Option<&str>, text: &str) {
    let content = json!({ "type": "text", "text": text });
    update(
        conversation,
        "s",
        json!({ "sessionUpdate": "agent_message_chunk", "content": content, "messageId": message }),
    );
}

fn ends(conversation: &mut Conversation, reason: &str) -> Result<String, String> {
    let steps = hear(conversation, json!({ "id": 2, "result": { "stopReason": reason } }));
    let [Step::Over(said)] = &steps[..] else { panic!("{steps:?}") };
    said.clone()
}

#[test]
fn the_pieces_of_a_message_are_joined_and_messages_keep_apart() {
    let mut agent = asked();
    says(&mut agent, Some("1"), "Let me ");
    says(&mut agent, Some("1"), "look.");
    says(&mut agent, Some("2"), "{\"choice\":");
    says(&mut agent, Some("2"), " 2}");
    assert_eq!(ends(&mut agent, "end_turn"), Ok("Let me look.\n{\"choice\": 2}".into()));
}

#[test]
fn words_after_a_tool_begin_a_line_where_messages_have_no_names() {
    let mut agent = asked();
    says(&mut agent, None, "I read {\"choice\": 1");
    update(&mut agent, "s", json!({ "sessionUpdate": "tool_call", "toolCallId": "t" }));
    says(&mut agent, None, "}");
    assert_eq!(ends(&mut agent, "end_turn"), Ok("I read {\"choice\": 1\n}".into()));
}

#[test]
fn thoughts_other_sessions_and_what_is_no_message_are_no_words_of_its_reply() {
    let mut agent = asked();
    let chunk = |what: &str| json!({ "sessionUpdate": what, "content": { "type": "text", "text": "{\"choice\": 1}" } });
    update(&mut agent, "s", chunk("agent_thought_chunk"));
    update(&mut agent, "s", chunk("user_message_chunk"));
    update(&mut agent, "other", chunk("agent_message_chunk"));
    for line in [&b"Ripgrep is not available."[..], b"[1]", b"", b"\xff{", b"{\"id\":7,\"result\":{}}"] {
        assert_eq!(agent.hear(line), []);
    }
    assert_eq!(ends(&mut agent, "end_turn"), Ok(String::new()));
}

#[test]
fn it_is_given_no_permission_no_form_no_file_and_no_terminal() {
    let mut agent = asked();
    let mut answer = |method: &str, params: Value| {
        let steps = hear(&mut agent, json!({ "id": "x", "method": method, "params": params }));
        let [Step::Send(sent)] = &steps[..] else { panic!("{steps:?}") };
        assert_eq!(sent["id"], "x");
        sent.clone()
    };
    let option = |kind: &str| json!({ "optionId": format!("the {kind}"), "name": "?", "kind": kind });
    let all = ["allow_always", "allow_once", "reject_always", "reject_once"].map(option);
    let sent = answer("session/request_permission", json!({ "options": all }));
    let rejected = json!({ "outcome": "selected", "optionId": "the reject_once" });
    assert_eq!(sent["result"]["outcome"], rejected);
    // Nothing that would be remembered, and nothing that allows.
    for options in [json!(["allow_once", "reject_always"].map(option)), json!([]), Value::Null] {
        let sent = answer("session/request_permission", json!({ "options": options }));
        assert_eq!(sent["result"]["outcome"], json!({ "outcome": "cancelled" }));
    }
    assert_eq!(answer("elicitation/create", json!({}))["result"], json!({ "action": "decline" }));
    for method in ["fs/read_text_file", "fs/write_text_file", "terminal/create", "whatever"] {
        let sent = answer(method, json!({ "path": "/etc/passwd" }));
        assert_eq!((&sent["error"]["code"], sent.get("result")), (&json!(-32601), None));
    }
}

#[test]
fn whatever_is_no_finished_answer_is_none() {
    for reason in ["max_tokens", "max_turn_requests", "refusal", "cancelled"] {
        let mut agent = asked();
        says(&mut agent, None, "{\"choice\": 1}");
        assert_eq!(ends(&mut agent, reason), Err(format!("it stopped before its end ({reason})")));
    }
    let (mut agent, _) = Conversation::begin("?".into(), "/".into());
    let steps = hear(&mut agent, json!({ "id": 0, "result": { "protocolVersion": 2 } }));
    assert_eq!(steps, [Step::Over(Err("it speaks version 2 of ACP, counsel speaks 1".into()))]);
    let (mut agent, _) = Conversation::begin("?".into(), "/".into());
    hear(&mut agent, json!({ "id": 0, "result": { "protocolVersion": 1 } }));
    let steps = hear(&mut agent, json!({ "id": 1, "error": { "code": -32000, "message": "Auth" } }));
    assert_eq!(steps, [Step::Over(Err("it wants a login; start it by hand once".into()))]);
    let steps =
        hear(&mut asked(), json!({ "id": 2, "error": { "code": 1, "message": "over\n\u{1b}[2J load" } }));
    assert_eq!(steps, [Step::Over(Err("it refused the question: over [2J load".into()))]);
}

#[test]
fn of_a_long_speech_the_end_is_kept() {
    let mut agent = asked();
    for _ in 0..9 {
        says(&mut agent, None, &"ä".repeat(KEPT_TEXT / 4));
    }
    says(&mut agent, None, "{\"choice\": 1}");
    let said = ends(&mut agent, "end_turn").unwrap();
    assert!(said.len() <= 2 * KEPT_TEXT + 20 && said.ends_with("ä{\"choice\": 1}"));
}
