//! What stands in a prompt, and which replies are answers.

use super::*;
use crate::core::question::{Answer, Choice, Kind, Question, Role};

#[path = "words_tests.rs"]
mod words;

fn question(kind: Kind, rows: &[(&str, Role)]) -> Question {
    let multi = kind == Kind::Multi;
    let row = |(label, role): &(&str, Role)| Choice {
        label: (*label).into(),
        role: *role,
        checked: (multi && *role == Role::Choice).then_some(false),
        ..Choice::default()
    };
    Question {
        kind,
        prompt: "Which database should I use?".into(),
        options: rows.iter().map(row).collect(),
        selected: Some(0),
        multi,
        subject: None,
        partial: false,
        tab: None,
        typing: false,
        origin: Default::default(),
    }
}

fn menu() -> Question {
    let rows = [
        ("PostgreSQL", Role::Choice),
        ("SQLite", Role::Choice),
        ("Don’t know – ask", Role::Choice),
        ("Type something.", Role::FreeText),
        ("Chat about this", Role::Aside),
    ];
    question(Kind::Menu, &rows)
}

fn multi() -> Question {
    let rows = [
        ("Audit log", Role::Choice),
        ("Long sessions", Role::Choice),
        ("Rate limit", Role::Choice),
        ("Submit", Role::Submit),
        ("Chat about this", Role::Aside),
    ];
    question(Kind::Multi, &rows)
}

fn briefing(question: &Question) -> Briefing<'_> {
    Briefing {
        id: "q7",
        nonce: "5f0c1a2b",
        agent: "api",
        duty: "worker",
        task: Some("Add sessions"),
        question,
        context: &[],
        decisions: &[],
        excerpt: "",
        told: false,
        seconds_left: 48,
        again: None,
        secrets: &[],
        as_json: false,
    }
}

/// As a command replies, which need not carry the nonce.
fn to(question: &Question) -> ReplyTo<'_> {
    ReplyTo { question, id: "q7", nonce: "5f0c1a2b", on_terminal: false }
}

#[test]
fn one_second_is_not_many() {
    let database = menu();
    let text = prompt(&Briefing { seconds_left: 1, ..briefing(&database) }, None, 10_000);
    assert!(text.contains("You have 1 second. "), "{text}");
}

fn answer(text: &str, q: &Question) -> Result<Answer, String> {
    match read_reply(text, to(q))? {
        Said::Answer { answer, .. } => Ok(answer),
        Said::Escalate { why } => Err(format!("escalated: {why}")),
        Said::NoValue { why } => Err(format!("no value: {why}")),
    }
}

#[test]
fn a_reply_whose_quotes_lost_their_backslashes_is_explained_and_never_guessed() {
    let q = question(Kind::Text, &[]);
    assert!(prompt(&briefing(&q), None, 10_000).contains("write 'single' quotes, never double ones"));
    assert_eq!(answer(r#"{"text": "the \"blue\" one"}"#, &q), Ok(Answer::Text("the \"blue\" one".into())));
    for broken in [
        r#"{"text": "the "blue" one"}"#,
        r#"{"text": "a", "reason": "b", "c": "d" e"}"#,
        r#"{"text": "use "a", "reason": "b"}"#,
    ] {
        let why = answer(broken, &q).unwrap_err();
        assert!(
            why.contains("cannot be read") && why.contains("'single' quotes") || why.contains("cut off"),
            "{why}"
        );
    }
}

/// Of what an agent had said that one must know, the consultant was told the last thirty lines, as the end of its screen.
#[test]
fn what_an_agent_says_one_must_know_is_told_from_its_beginning() {
    let q = menu();
    let context: String = (0..400).map(|at| format!("{at}. a requirement\n")).collect();
    let context = format!("SQLite is forbidden.\n{context}");
    let b = Briefing { excerpt: &context, told: true, ..briefing(&q) };
    let text = prompt(&b, None, 98_304);
    assert!(
        text.contains("What it says one must know:\n| SQLite is forbidden.") && text.contains("| 399. a"),
        "{text}"
    );
    // The question itself has all the room that its agent has for it.
    let long = format!("{}the end", "word ".repeat(1_637));
    let q = Question { prompt: long, ..menu() };
    assert!(prompt(&briefing(&q), None, 98_304).contains("word the end\n"));
}

#[test]
fn a_prompt_tells_all_and_ends_with_the_form() {
    let q = Question { subject: Some("rm x".into()), ..menu() };
    let context = [("ROADMAP.md".to_owned(), "No new servers.".to_owned())];
    let decisions = ["api asked: Which cache? -> none".to_owned()];
    let b = Briefing {
        context: &context,
        decisions: &decisions,
        excerpt: "● Thinking about stores",
        again: Some("7 is not the number of an option"),
        ..briefing(&q)
    };
    let text = prompt(&b, None, 10_000);
    for line in [
        "| Which database should I use?",
        "| 1. PostgreSQL",
        "| 2. SQLite",
        "| Add sessions",
        "| ROADMAP.md",
        "| No new servers.",
        "| api asked: Which cache? -> none",
        "| ● Thinking about stores",
        "| rm x",
        "| 7 is not the number of an option",
        "{\"choice\": N, \"nonce\": \"5f0c1a2b\"} with the number of one option",
        "{\"text\": WORDS, \"nonce\": \"5f0c1a2b\"} with an answer in words, in quotes",
        "{\"escalate\": WHY, \"nonce\": \"5f0c1a2b\"} if a person must decide",
    ] {
        assert!(text.lines().any(|found| found == line), "{line}\n---\n{text}");
    }
    assert!(
        text.contains("48 seconds") && text.contains("Question q7") && text.contains("\"api\""),
        "{text}"
    );
    assert!(!text.contains("Chat about this") && !text.contains("Type something"), "{text}");
    let form = text.find("{\"choice\"").unwrap();
    assert!(!text[form..].contains("| "), "nothing quoted stands behind the form\n{text}");
    assert!(text.find("Which database").unwrap() < text.find("Which cache").unwrap());
}

#[test]
fn the_form_fits_the_question() {
    let text = prompt(&briefing(&multi()), None, 10_000);
    assert!(
        text.contains("{\"choices\": [N, N], \"nonce\": \"5f0c1a2b\"}") && !text.contains("{\"choice\":"),
        "{text}"
    );
    assert!(!text.contains("WORDS") && !text.contains("4. "), "{text}");
    let text = prompt(&briefing(&question(Kind::Text, &[])), None, 10_000);
    assert!(text.contains("WORDS") && !text.contains("N,"), "{text}");
    let mut numbered = menu();
    for (row, choice) in numbered.options.iter_mut().enumerate() {
        choice.number = u32::try_from(row + 4).ok();
    }
    let text = prompt(&briefing(&numbered), None, 10_000);
    assert!(text.contains("| 4. PostgreSQL\n| 5. SQLite"), "{text}");
    assert_eq!(answer("{\"choice\": 5}", &numbered), Ok(Answer::Rows(vec![1])));
    assert!(answer("{\"choice\": 1}", &numbered).is_err());
}

#[test]
fn a_consultant_allows_once_and_never_for_ever() {
    let rows =
        [("Yes", Role::Choice), ("Yes, and don’t ask again for git", Role::Choice), ("No", Role::Choice)];
    let q = Question { subject: Some("git fetch".into()), ..question(Kind::Permission, &rows) };
    let text = prompt(&briefing(&q), None, 10_000);
    assert!(text.contains("| 1. Yes\n| 3. No"), "{text}");
    assert_eq!(answer("{\"choice\": 3}", &q), Ok(Answer::Rows(vec![2])));
    assert!(answer("{\"choice\": 2}", &q).is_err());
    assert!(answer("{\"choice\": \"Yes, and don't ask again for git\"}", &q).is_err());
}

#[test]
fn what_is_too_long_is_cut_and_the_question_stays() {
    let q = menu();
    let context: Vec<(String, String)> =
        (0..40).map(|n| (format!("f{n}.md"), "wörter und mehr\n".repeat(500))).collect();
    let decisions: Vec<String> = (0..500).map(|n| format!("decision {n}")).collect();
    let excerpt = (0..2000).map(|n| format!("row {n}\n")).collect::<String>();
    let b = Briefing { context: &context, decisions: &decisions, excerpt: &excerpt, ..briefing(&q) };
    for max in [2_500, 4_000, 10_000, 50_000, 96 * 1024] {
        let text = prompt(&b, None, max);
        assert!(text.len() <= max, "{} > {max}", text.len());
        assert!(text.contains("| 2. SQLite") && text.contains("{\"escalate\": WHY, "), "{max}");
    }
    let text = prompt(&b, None, 50_000);
    assert!(text.contains("row 1999") && !text.contains("row 1\n"), "of a screen the end is worth most");
    assert!(text.contains("decision 0\n") && text.contains("f0.md"));
    let long = Question { prompt: "why ".repeat(20_000), subject: Some("x".repeat(90_000)), ..menu() };
    let text = prompt(&briefing(&long), None, 4_000);
    assert!(text.len() <= 4_000 && text.contains("| 2. SQLite"), "{}", text.len());
}

#[test]
fn a_template_is_the_persons_own_frame() {
    let q = menu();
    let own = "House rules: {{ agent }} wants\n{{question}}{{options}}Say it like {\"choice\": 1}.";
    assert_eq!(check_template(own), Ok(()));
    let text = prompt(&briefing(&q), Some(own), 10_000);
    assert!(
        text.contains(
            "House rules: api wants\n| Which database should I use?\nOptions (one of them):\n| 1. "
        ),
        "{text}"
    );
    assert!(text.trim_end().ends_with("may be added to it."), "the form is added: {text}");
    assert!(answer(&text, &q).is_err(), "an example in a template is no reply");
    assert!(check_template("{{question}}").is_err());
    assert!(check_template("{{question}} {{options}} {{nonsense}}").is_err());
    assert!(check_template("").is_err());
    let unusable = prompt(&briefing(&q), Some("/etc/template"), 10_000);
    assert_eq!(unusable, prompt(&briefing(&q), None, 10_000));
    let inserted = Question { prompt: "{{context}} {{id}}?".into(), ..menu() };
    let text = prompt(&briefing(&inserted), Some(own), 10_000);
    assert!(text.contains("| ｛｛context｝｝ ｛｛id｝｝?"), "what is filled in is not filled again: {text}");
}

#[test]
fn a_reply_is_read_wherever_it_stands() {
    let q = menu();
    for text in [
        "{\"choice\": 2}",
        "  {\"choice\":2}  ",
        "I think SQLite.\n\n{\"choice\": 2}",
        "```json\n{\"choice\": 2}\n```",
        "```\n{\n  \"choice\": 2,\n  \"reason\": \"small\"\n}\n```\n",
        "{\"choice\": 1}\nNo, wait:\n{\"choice\": 2}",
        "{\"choice\": 2, \"id\": \"q7\"}",
        "{\"reason\": \"a } b { c \\\" d\", \"choice\": 2}",
        "{\"choice\": \"SQLite\"}",
        "{\"choice\": \"2\"}",
        "{\"choice\": \"2. SQLite\"}",
        "{\"choice\": \" SQ\u{200b}Lite \"}",
        "{\"choices\": [2]}",
        "{\"choi\nce\": 2}",
        "{\"choice\": \"SQL\nite\"}",
        "{\"choice\":\u{a0}2}",
        "use {braces} well {\"choice\": 2}",
        "if x { y } else { z }\n{\"choice\": 2}",
        "{\"choice\": 2, \"reason\": \"one writer, no\n  server\"}",
        "{\"foo\": {\"choice\": 1}}\n{\"choice\": 2}",
        "\u{feff}{\"choice\": 2}",
        "{\"choice\": 2}\r\n",
        "\"{\" is a brace. {\"choice\": 2}",
    ] {
        assert_eq!(answer(text, &q), Ok(Answer::Rows(vec![1])), "{text}");
    }
    assert_eq!(answer("{\"choice\": \"Don't know - ask\"}", &q), Ok(Answer::Rows(vec![2])));
    assert_eq!(answer("{\"choices\": [3, 1, 3]}", &multi()), Ok(Answer::Rows(vec![0, 2])));
    assert_eq!(answer("{\"choices\": [\"Rate limit\", 1]}", &multi()), Ok(Answer::Rows(vec![0, 2])));
    assert_eq!(answer("{\"choice\": 2}", &multi()), Ok(Answer::Rows(vec![1])));
}

/// "Actually no, wait: a person should decide this one." came behind the object, and the answer was typed all the same.
#[test]
fn what_is_said_behind_the_object_may_take_it_back() {
    let q = menu();
    for text in ["{\"choice\": 2}\n\nThat is all.", "{\"choice\": 2} Actually no, wait."] {
        let why = answer(text, &q).unwrap_err();
        assert!(why.contains("not the last thing"), "{text}: {why}");
    }
    // The last one of a list was typed.
    for text in
        ["[{\"choice\": 2}, 3]", "[{\"choice\": 1}, {\"choice\": 2}]", "```json\n[\n{\"choice\": 2}\n]\n```"]
    {
        let why = answer(text, &q).unwrap_err();
        assert!(why.contains("stands in a list"), "{text}: {why}");
    }
    assert!(answer("{\"choice\": 2}\n```\n.\n---\n", &q).is_ok());
}

#[test]
fn what_is_not_plainly_one_answer_is_none() {
    let q = menu();
    for text in [
        "",
        "2",
        "SQLite",
        "[2]",
        "{}",
        "{\"choice\": N}",
        "{\"choice\": 0}",
        "{\"choice\": 6}",
        "{\"choice\": -1}",
        "{\"choice\": 2.5}",
        "{\"choice\": 1e9}",
        "{\"choice\": null}",
        "{\"choice\": true}",
        "{\"choice\": [2]}",
        "{\"choice\": {\"choice\": 2}}",
        "{\"choice\": \"MySQL\"}",
        "{\"choice\": \"sqlite\"}",
        "{\"choice\": \"\"}",
        "{\"choice\": 5}",
        "{\"choice\": \"Chat about this\"}",
        "{\"choice\": 4}",
        "{\"choice\": \"Type something.\"}",
        "{\"choices\": [1, 2]}",
        "{\"choices\": []}",
        "{\"choices\": 2}",
        "{\"choice\": 1, \"choice\": 2}",
        "{\"choice\": 1, \"text\": \"x\"}",
        "{\"choice\": 1, \"choices\": [1]}",
        "{\"choice\": 1, \"escalate\": \"x\"}",
        "{\"choice\": 1, \"key\": \"enter\"}",
        "{\"choice\": 2, \"id\": \"q8\"}",
        "{\"choice\": 2, \"id\": 7}",
        "{\"choice\": 2, \"reason\": 3}",
        "{\"text\": \"\"}",
        "{\"text\": 5}",
        "{\"text\": \"/exit\"}",
        "{\"text\": \"!rm -rf ~\"}",
        "{\"text\": \"#note\"}",
        "{\"text\": \" \\u001b[A/exit\"}",
        "{\"text\": \"see @src\"}",
        "{\"text\": \"go on \\\\\"}",
        "{\"answer\": 2}",
        "{\"choice\": 2",
        "{\"choice\": 1}\n{\"choice\": 2",
        "{\"choice\": 1}\n{\"choice\": 2,}",
        "{\"choice\": 1}\nI mean {choice: 2}",
        "{\"choice\": 1\n2}",
        "{\"choice\": 2} {\"note\": 1}",
        "{'choice': 2}",
        "{“choice”: 2}",
        "{\"text\": \"he said {\"choice\": 2}",
        "{\"choice\": 1,\nno: {\"choice\": 2}",
        "｛\"choice\": 2｝",
        "{\"choice\": \"3. SQLite\"}",
    ] {
        assert!(answer(text, &q).is_err(), "{text}");
    }
    for text in
        ["{\"choices\": [4]}", "{\"choices\": [\"Submit\"]}", "{\"choices\": [5]}", "{\"text\": \"x\"}"]
    {
        assert!(answer(text, &multi()).is_err(), "{text}");
    }
    let twice = question(Kind::Menu, &[("Yes", Role::Choice), ("Yes ", Role::Choice)]);
    assert!(answer("{\"choice\": \"Yes\"}", &twice).is_err());
    assert_eq!(answer("{\"choice\": 2}", &twice), Ok(Answer::Rows(vec![1])));
}
