//! Gemini CLI and Claude Code as consultants over the Agent Client Protocol. Codex and Gemini CLI as consultants in a pane: what they were told to say is read off their screens, with
//! its wrapped lines, marks and fences, and typed word for word into the one that asked.

use super::api;
use super::home::{ACP_WORKER, Program};
use super::model::{PLAIN, Part, Tool, say};
use super::team::{Setup, Team};

/// Longer than two lines of a pane, with what a reader of screens may lose: a path longer than words are, quotes, a
/// brace, two blanks' worth of dashes.
const LONG: &str = "Keep the old parser until release 4.2 is out, then delete src/parsers/legacy/recursive_descent/grammar_tables_generated.rs \
     together with its tests – the importer {v1} still calls it once a night, and nobody but Møller knows the \
     'strict' mode well enough to say what would break";

/// What a consultant says, and the answer that is in it.
fn replies() -> Vec<(String, String)> {
    let reply = |text: &str| serde_json::json!({ "text": text });
    let long = serde_json::json!({"text": LONG, "reason": LONG});
    let pretty = serde_json::to_string_pretty(&long).expect("it is JSON");
    vec![
        (reply("Keep it").to_string(), "Keep it".into()),
        (long.to_string(), LONG.into()),
        (format!("Both work. I would wait:\n\n```json\n{pretty}\n```\n"), LONG.into()),
        (
            format!(
                "- One could answer {{\"text\": \"Delete it\"}}.\n- The importer needs it, though.\n\n{}\n",
                reply("Wait for the next release")
            ),
            "Wait for the next release".into(),
        ),
    ]
}

/// A question in words, answered by another session of the same program.
pub fn words(program: Program) {
    let mut team = Team::ready(&Setup { consult: "repeat_limit = 0", ..Setup::new(program) });

    for (nth, (said, meant)) in replies().into_iter().enumerate() {
        team.advise(&said);
        let from = team.seen.len();
        team.tell("worker", &format!("PLAIN round {nth}"));
        let question = team.until_after(from, "the question settled", |notice| {
            let told = &notice["question"];
            let over = ["answered", "escalated", "withdrawn"].iter().any(|status| told["status"] == *status);
            (told["agent"] == "worker" && over).then(|| told.clone())
        });
        if question["status"] != "answered" {
            // The log tells what was read.
            let id = question["id"].as_str().unwrap_or_default();
            team.done(&["answer", id, "--text", "Never mind"]);
            panic!("reply {nth}: {question:#}\n{:#?}", team.log(nth + 1).last().map(|entry| &entry["turns"]));
        }
        let asked = team.until_texts("worker", 2 * (nth + 1));
        assert_eq!(asked.texts.last(), Some(&meant), "reply {nth}");
    }
    team.advisor_was_asked(replies().len(), PLAIN.lines().last().expect("it has lines"));
    let told = api::newest(&team.api.exchanges(), "worker").map_or(0, |asked| asked.texts.len());
    assert_eq!(told, 2 * replies().len(), "texts typed into the worker");
}

/// Asked over the Agent Client Protocol, what a program says is taken as data, and what it would do first is refused.
pub fn acp(program: Program) {
    let mut team = Team::ready(&Setup { acp: Some(program), ..Setup::new(ACP_WORKER) });
    // The first words of a turn are no answer, the tool is refused, and then it answers.
    let first = say("First {\"text\": \"Delete it\"} came to mind. Let me tidy up.");
    team.advise_with(vec![first, Part::Tool(Tool::Bash("rm -rf build".into()))]);
    team.advise(&format!("I may not. So:\n\n{}", serde_json::json!({ "text": LONG })));
    team.tell("worker", "PLAIN please");
    let question = team.until_question("text", "answered");
    assert_eq!(question["route"], "advisor");
    let asked = team.until_texts("worker", 2);
    assert_eq!(asked.texts.last().map(String::as_str), Some(LONG));
    assert!(team.home.project.join("build/out.txt").exists(), "a consultant has deleted it");
    let told = team.api.conversation(api::ADVISOR);
    assert_eq!(told.results.len(), 1, "{told:#?}");
    assert!(
        told.texts.last().is_some_and(|text| text.contains("Should I delete the old parser now?")),
        "{told:#?}"
    );
}
