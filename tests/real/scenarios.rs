//! What a team of real agents goes through. Each scenario is judged by what reached the model, which is what
//! the agents took for typed, and by counsel's own log.

use std::time::Duration;

use serde_json::{Value, json};

use super::home::Program;
use super::model::{CACHE, CHECKS, DRAWN, PLAIN, Part, QUEUE, say};
use super::team::{Setup, Team};

/// The words Claude Code returns to the model for each answered question.
pub fn chosen(question: &str, answer: &str) -> String {
    format!("\"{question}\"=\"{answer}\"")
}

/// The log holds one entry, and it says so.
pub fn one_entry(team: &Team, kind: &str, outcome: &str) -> Value {
    let mut log = team.log(1);
    assert_eq!(log.len(), 1, "{log:#?}");
    let entry = log.remove(0);
    assert_eq!((entry["kind"].as_str(), entry["outcome"].as_str()), (Some(kind), Some(outcome)), "{entry:#}");
    entry
}

fn id(question: &Value) -> String {
    question["id"].as_str().expect("a question has an id").to_string()
}

/// The advisor's words, and the option they must lead to.
fn consulted(program: Program, advice: &str, option: &str) {
    let mut team = Team::ready(&Setup::new(program));
    team.advise(advice);
    team.tell("worker", "ASK1 please");
    let asked = team.until_results(1);
    assert_eq!(asked.results.len(), 1);
    assert!(asked.results[0].text.contains(&chosen(CACHE.question, option)), "{:?}", asked.results);
    for (other, _) in CACHE.options.iter().filter(|(label, _)| *label != option) {
        assert!(!asked.results[0].text.contains(other), "{:?}", asked.results);
    }
    let question = team.until_question("menu", "answered");
    assert_eq!(question["route"], "advisor");
    team.worker_was_told(&["ASK1 please"]);
    team.advisor_was_asked(1, CACHE.question);
    let entry = one_entry(&team, "menu", "answered");
    assert_eq!(entry["answer"], option);
    assert!(entry["by"].as_str().is_some_and(|by| by.contains("advisor")), "{entry:#}");
    assert_eq!(entry["channel"], "keys");
}

pub fn menu(program: Program) {
    consulted(program, r#"{"choice": 2}"#, "Local disk");
}

pub fn menu_by_label(program: Program) {
    consulted(
        program,
        "One of {Memcached, Local disk}? No: speed counts.\n\n{\"choice\": \"Process\u{a0} memory\", \"reason\": \"fastest\"}\n",
        "Process memory",
    );
}

pub fn form(program: Program) {
    let mut team = Team::ready(&Setup::new(program));
    team.advise(r#"{"choice": 2}"#);
    team.advise(r#"{"choices": [1, 3]}"#);
    team.advise(r#"{"choice": 1}"#);
    team.tell("worker", "ASK2 please");
    let asked = team.until_results(1);
    let text = &asked.results[0].text;
    assert!(text.contains(&chosen(QUEUE.question, "RabbitMQ")), "{text}");
    assert!(text.contains(&chosen(CHECKS.question, "Unit tests, Licence scan")), "{text}");
    assert!(!text.contains("Load test") && !text.contains("Kafka"), "{text}");
    team.until_question("review", "answered");
    team.worker_was_told(&["ASK2 please"]);
    let kinds: Vec<Value> = team.log(3).iter().map(|entry| entry["kind"].clone()).collect();
    assert_eq!(kinds, ["menu", "multi", "review"]);
}

/// The folder's dialog, where "No, exit" is highlighted and the first keys may be lost.
pub fn trust(program: Program) {
    trust_in(&Setup::new(program));
}

pub fn trust_in(setup: &Setup) {
    let setup = Setup { trusted: false, advisor: false, ..*setup };
    let mut team = Team::up(&setup);
    let question = team.until("trust dialog", |notice| {
        let told = &notice["question"];
        (told["kind"] == "trust").then(|| told.clone())
    });
    // At once: within a few milliseconds of the dialog being drawn.
    let yes = question["options"]
        .as_array()
        .and_then(|all| all.iter().filter_map(Value::as_str).find(|label| label.starts_with("Yes")));
    let yes = yes.expect("one row says yes").to_string();
    team.done(&["answer", &id(&question), &yes]);
    team.until_state("worker", "idle");
    assert_eq!(question["route"], "human");
    let entry = one_entry(&team, "trust", "answered");
    assert_eq!((&entry["by"], &entry["answer"]), (&json!("person"), &json!(yes)));
    // The agent is alive, and nothing of the answer was left in its prompt.
    team.tell("worker", "still there?");
    team.until_texts("worker", 1);
    team.worker_was_told(&["still there?"]);
}

fn with_permissions(program: Program) -> Setup {
    Setup { worker_args: &["--permission-mode", "default"], ..Setup::new(program) }
}

pub fn permission_denied(program: Program) {
    let mut team = Team::ready(&with_permissions(program));
    team.tell("worker", "BASH rm -rf build");
    let question = team.until_question("permission", "escalated");
    assert_eq!(question["route"], "human");
    assert_eq!(question["subject"], "rm -rf build");
    team.done(&["answer", &id(&question), "--reject"]);
    team.until_question("permission", "answered");
    assert!(team.home.project.join("build").exists(), "a denied command was run");
    team.worker_was_told(&["BASH rm -rf build"]);
    team.advisor_was_asked(0, "");
    one_entry(&team, "permission", "answered");
}

pub fn permission_granted(program: Program) {
    let mut team = Team::ready(&with_permissions(program));
    team.tell("worker", "BASH rm -rf build");
    let question = team.until_question("permission", "escalated");
    team.done(&["answer", &id(&question), "Yes"]);
    let asked = team.until_results(1);
    assert!(!asked.results[0].error, "{:?}", asked.results);
    assert!(!team.home.project.join("build").exists(), "a granted command was not run");
    team.until_question("permission", "answered");
    team.worker_was_told(&["BASH rm -rf build"]);
    team.advisor_was_asked(0, "");
    one_entry(&team, "permission", "answered");
}

/// No line of a command makes its request another question, and a rule about its first line permits none of the others.
pub fn drawing_command(program: Program) {
    let asks = match program {
        Program::Claude(_) => with_permissions(program),
        _ => Setup::new(program),
    };
    let mut team = Team::ready(&Setup { own: PERMITS_STATUS, ..asks });
    team.tell("worker", "DRAW it");
    let question = team.until_question("permission", "escalated");
    assert_eq!(question["route"], "human");
    let subject = question["subject"].as_str().unwrap_or_default();
    for line in DRAWN.lines() {
        assert!(subject.contains(line), "{line:?} is missing: {question:#}");
    }
    team.done(&["answer", &id(&question), "--reject"]);
    team.until_question("permission", "answered");
    assert!(team.home.project.join("build").exists(), "a denied command was run");
    team.advisor_was_asked(0, "");
}

const PERMITS_STATUS: &str = "[[rule]]
kind = \"permission\"
command = \"^git (status|diff|log)( |$|;)\"
then = \"answer\"
answer = \"Yes\"
";

/// Any program whose first row allows the command once, and no consultant.
pub fn first_row_grants(program: Program) {
    let mut team = Team::ready(&Setup { advisor: false, ..Setup::new(program) });
    team.tell("worker", "BASH rm -rf build");
    let question = team.until_question("permission", "escalated");
    assert!(team.home.project.join("build").exists(), "the command was run before it was granted");
    team.done(&["answer", &id(&question), "1"]);
    team.until_question("permission", "answered");
    team.until_results(1);
    assert!(!team.home.project.join("build").exists(), "a granted command was not run");
    team.worker_was_told(&["BASH rm -rf build"]);
    one_entry(&team, "permission", "answered");
}

pub fn plan(program: Program) {
    plan_in(&Setup::new(program));
}

pub fn plan_in(setup: &Setup) {
    let setup = Setup { worker_args: &["--permission-mode", "plan"], ..*setup };
    let mut team = Team::ready(&setup);
    team.tell("worker", "PLAN please");
    let question = team.until_question("plan", "escalated");
    assert_eq!(question["route"], "human");
    let manually = question["options"].as_array().and_then(|all| {
        all.iter().filter_map(Value::as_str).find(|label| label.contains("manually approve"))
    });
    let manually = manually.expect("a plan can be approved with edits asked for").to_string();
    team.done(&["answer", &id(&question), &manually]);
    team.until_question("plan", "answered");
    let asked = team.api.until(Duration::from_secs(20), |all| {
        super::api::newest(all, "worker")
            .filter(|asked| asked.results.iter().any(|result| result.tool == "ExitPlanMode"))
    });
    let asked = asked.expect("the model hears of the plan");
    let told = asked.results.iter().find(|result| result.tool == "ExitPlanMode").expect("just found");
    assert!(told.text.contains("approved"), "{told:?}");
    team.worker_was_told(&["PLAN please"]);
    team.advisor_was_asked(0, "");
}

pub fn text_question(program: Program) {
    let mut team = Team::ready(&Setup::new(program));
    team.advise(r#"{"text": "Keep it until the next release"}"#);
    team.tell("worker", "PLAIN please");
    team.until_texts("worker", 2);
    team.until_question("text", "answered");
    team.worker_was_told(&["PLAIN please", "Keep it until the next release"]);
    let last = PLAIN.lines().last().expect("it has lines");
    team.advisor_was_asked(1, last);
    one_entry(&team, "text", "answered");
}

pub fn nonsense(program: Program) {
    let mut team = Team::ready(&Setup::new(program));
    team.advise("I would rather not say.");
    team.advise(r#"{"choice": 17}"#);
    team.tell("worker", "ASK1 please");
    team.until_question("menu", "escalated");
    team.advisor_was_asked(2, "");
    assert!(team.api.conversation("worker").results.is_empty(), "something was answered");
    // A person still can.
    let question = team.until_question("menu", "escalated");
    team.done(&["answer", &id(&question), "3"]);
    let asked = team.until_results(1);
    assert!(asked.results[0].text.contains(&chosen(CACHE.question, "Process memory")), "{:?}", asked.results);
    team.until_question("menu", "answered");
    team.worker_was_told(&["ASK1 please"]);
}

pub fn silence(program: Program) {
    let mut team = Team::ready(&Setup { consult: "deadline_secs = 6", ..Setup::new(program) });
    team.advise_with(vec![Part::Hang]);
    team.tell("worker", "ASK1 please");
    let asked = team.until_question("menu", "consulting");
    let question = team.until_question("menu", "escalated");
    assert_eq!(asked["id"], question["id"]);
    assert!(team.api.conversation("worker").results.is_empty(), "something was answered");
    team.worker_was_told(&["ASK1 please"]);
}

/// A person answers in the pane while the advisor still thinks.
pub fn overtaken(program: Program) {
    overtaken_in(&Setup::new(program));
}

pub fn overtaken_in(setup: &Setup) {
    let mut team = Team::ready(setup);
    team.advise_with(vec![Part::Words { count: 16, every_ms: 250 }, say("\n\n{\"choice\": 1}")]);
    team.tell("worker", "ASK1 please");
    team.until_question("menu", "consulting");
    team.until_texts("advisor", 1);
    team.done(&["send", "worker", "3"]);
    let asked = team.until_results(1);
    assert!(asked.results[0].text.contains(&chosen(CACHE.question, "Process memory")), "{:?}", asked.results);
    team.until_question("menu", "withdrawn");
    // Its turn ends, and what it said then goes nowhere.
    let from = team.seen.len();
    team.until_after(from, "the advisor idle again", |notice| {
        let told = &notice["agent"];
        (told["name"] == "advisor" && told["state"] == "idle").then_some(())
    });
    team.worker_was_told(&["ASK1 please"]);
    assert_eq!(team.api.conversation("worker").results.len(), 1);
    one_entry(&team, "menu", "withdrawn");
}
