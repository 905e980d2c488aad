//! Every kind of dialog of a real program, over and over in one session, each time with another answer:
//! the long run behind the claim that no wrong option is chosen. Not part of a plain `cargo test`:
//! `cargo test --test real -- --ignored rounds` runs it, `COUNSEL_ROUNDS` says how often (20 by default).
//!
//! A person answers, which is by keys; or, where the program has hooks, a consultant and rules do, which is
//! through them. At its end a run prints how many dialogs were answered by which channel.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::api;
use super::home::Program;
use super::model::{CACHE, CHECKS, Form, PLAIN, QUEUE};
use super::team::{Setup, Team};

/// For the whole run of one program: a round of all kinds takes up to 90 s on a busy machine.
pub const DEADLINE: Duration = Duration::from_secs(3 * 60 * 60);
/// From what was typed to the next dialog or the end of the turn.
const NEXT: Duration = Duration::from_secs(45);
/// The words given where a question takes any.
const WORDS: &str = "Neither: ask Møller, 2 days – \"soon\"";

fn times() -> usize {
    std::env::var("COUNSEL_ROUNDS").ok().and_then(|text| text.parse().ok()).unwrap_or(20)
}

/// A consultant that says what is written into a pipe, and rules for commands. The limits are those of a day's
/// work; a round asks the same again and again.
const BY_HOOK: &str = r#"
[consult]
repeat_limit = 0
max_per_hour = 100000
[[consultant]]
name = "oracle"
command = ["sh", "-c", "cat > /dev/null; cat \"$HOME/advice\""]
[[rule]]
kind = "menu"
then = "consult"
with = "oracle"
[[rule]]
kind = "multi"
then = "consult"
with = "oracle"
[[rule]]
kind = "review"
then = "consult"
with = "oracle"
[[rule]]
kind = "text"
then = "consult"
with = "oracle"
[[rule]]
kind = "permission"
command = "^touch granted-[0-9]+$"
then = "answer"
answer = "Yes"
"#;
/// Where a dialog has a row that only says no.
const REFUSED: &str = r#"
[[rule]]
kind = "permission"
command = "^touch denied-[0-9]+$"
then = "answer"
answer = "No"
"#;

/// What is to be chosen, and what the model must hear of it.
struct Round {
    team: Team,
    /// The pipe the consultant reads; a person answers where there is none.
    advice: Option<PathBuf>,
    /// A rule refuses commands.
    refuses: bool,
    told: Vec<String>,
    /// Notices before this one belong to earlier rounds.
    from: usize,
    results: usize,
    nth: usize,
}

impl Round {
    fn session(setup: &Setup) -> Round {
        Round {
            team: Team::ready(setup),
            advice: None,
            refuses: false,
            told: Vec::new(),
            from: 0,
            results: 0,
            nth: 0,
        }
    }

    /// One in which a consultant and rules answer.
    fn advised(setup: &Setup) -> Round {
        let mut round = Round::session(setup);
        let advice = round.team.home.home.join("advice");
        nix::unistd::mkfifo(&advice, nix::sys::stat::Mode::S_IRWXU).expect("a home takes a pipe");
        round.advice = Some(advice);
        round
    }

    /// Gives the worker a task and answers each dialog that comes of it; what its tools returned.
    fn play(&mut self, prompt: &str, answer: impl Fn(&Value) -> Vec<String>) -> String {
        self.from = self.team.seen.len();
        self.results = self.team.api.conversation("worker").results.len();
        self.told.push(prompt.to_owned());
        self.team.tell("worker", prompt);
        let mut known: Vec<String> = Vec::new();
        let started = Instant::now();
        let asks = if self.advice.is_some() { "consulting" } else { "escalated" };
        loop {
            assert!(started.elapsed() < 4 * NEXT, "{prompt}: it goes on and on");
            let (old, from) = (known.clone(), self.from);
            let question = self.team.until_after(from, &format!("{prompt}: a dialog or the end"), |notice| {
                let told = &notice["question"];
                let id = told["id"].as_str().unwrap_or_default().to_owned();
                let status = told["status"].as_str().unwrap_or_default();
                let new = told["agent"] == "worker" && !old.contains(&id);
                let idle = notice["agent"]["name"] == "worker" && notice["agent"]["state"] == "idle";
                (new && [asks, "escalated", "answered"].contains(&status) || (idle && !old.is_empty()))
                    .then(|| told.clone())
            });
            let Some(id) = question["id"].as_str().map(str::to_owned) else {
                let results = self.team.api.conversation("worker").results;
                if results.len() > self.results || known.iter().any(|id| self.settled(id, "text")) {
                    known.iter().for_each(|id| self.went_in(id));
                    return results[self.results..].iter().map(|result| result.text.clone()).collect();
                }
                self.from = self.idle_after(self.from);
                continue;
            };
            if question["status"] != "answered" {
                assert_eq!(question["status"], asks, "{prompt} round {}: {question:#}", self.nth);
                let words = answer(&question);
                if question["kind"] == "text" {
                    self.told.push(words[2].clone());
                }
                self.give(&question, &words);
            }
            known.push(id);
        }
    }

    /// Says the answer as whoever was asked.
    fn give(&mut self, question: &Value, words: &[String]) {
        if let Some(advice) = self.advice.clone() {
            let reply = reply(question, &words[1..]).to_string();
            // It waits for the consultant to open the other end; what nobody reads ends with the run.
            thread::spawn(move || fs::write(advice, reply));
            return;
        }
        let args: Vec<&str> = ["answer"].into_iter().chain(words.iter().map(String::as_str)).collect();
        self.team.done(&args);
        self.went_in(&id(question));
    }

    /// Waits until it is settled; it must have been answered.
    fn went_in(&mut self, id: &str) {
        let (nth, from) = (self.nth, self.from);
        let status = self.team.until_after(from, &format!("{id} settled"), |notice| {
            let told = &notice["question"];
            let status = told["status"].as_str().unwrap_or_default();
            let failed = told["note"].as_str().is_some_and(|note| note.contains("did not go in"));
            let settled = matches!(status, "answered" | "withdrawn") || status == "escalated" && failed;
            (told["id"] == id && settled).then(|| told.clone())
        });
        assert_eq!(status["status"], "answered", "round {nth}: {status:#}");
    }

    fn settled(&self, id: &str, kind: &str) -> bool {
        self.team.seen.iter().any(|notice| {
            let told = &notice["question"];
            told["id"] == id && told["kind"] == kind && told["status"] == "answered"
        })
    }

    /// The place after the first idle notice from `from` on.
    fn idle_after(&self, from: usize) -> usize {
        let idle = |notice: &Value| notice["agent"]["name"] == "worker" && notice["agent"]["state"] == "idle";
        from + self.team.seen[from..].iter().position(idle).map_or(0, |at| at + 1)
    }

    /// Nothing else was ever typed into it.
    fn end(self) {
        let told: Vec<&str> = self.told.iter().map(String::as_str).collect();
        self.team.worker_was_told(&told);
        self.tally();
    }

    /// How many dialogs of each kind were answered by which channel, and how many the agent itself confirmed.
    fn tally(&self) {
        let answered: BTreeMap<&str, &Value> = self
            .team
            .seen
            .iter()
            .filter(|notice| notice["question"]["status"] == "answered")
            .filter_map(|notice| Some((notice["question"]["id"].as_str()?, notice)))
            .collect();
        let mut counts: BTreeMap<String, usize> = BTreeMap::new();
        let log = self.team.log(answered.len());
        for entry in &log {
            assert_eq!(entry["outcome"], "answered", "{entry:#}");
            let of = |key: &str| entry[key].as_str().unwrap_or_default();
            *counts.entry(format!("{} by {}", of("kind"), of("channel"))).or_default() += 1;
            if entry["proof"]["confirmed_by"] == "hook" {
                *counts.entry(format!("{} confirmed by the agent", of("kind"))).or_default() += 1;
            }
            let hooked = self.advice.is_some() && ["menu", "multi"].contains(&of("kind"));
            assert!(!hooked || of("channel") == "hook", "it had a hook to go through: {entry:#}");
        }
        println!("{} dialogs, all answered: {counts:?}", log.len());
    }
}

fn id(question: &Value) -> String {
    question["id"].as_str().expect("a question has an id").to_owned()
}

fn asks(question: &Value, form: &Form) -> bool {
    question["prompt"].as_str().is_some_and(|prompt| prompt.contains(form.question))
}

/// The label of one row, and the command line that answers with it by number.
fn row(question: &Value, nth: usize) -> Vec<String> {
    vec![id(question), (nth + 1).to_string()]
}

/// The first row whose label begins so.
fn label(question: &Value, begin: &str) -> Vec<String> {
    let found = question["options"]
        .as_array()
        .and_then(|all| all.iter().filter_map(Value::as_str).find(|label| label.starts_with(begin)));
    let found = found.unwrap_or_else(|| panic!("no row begins with {begin:?}: {question:#}"));
    vec![id(question), found.to_owned()]
}

/// What a consultant says where a person would give these words.
fn reply(question: &Value, words: &[String]) -> Value {
    let number = |word: &String| word.parse::<u32>().map_or_else(|_| json!(word), |number| json!(number));
    match words {
        [flag, text] if flag == "--text" => json!({ "text": text }),
        rows if question["kind"] == "multi" => {
            json!({"choices": rows.iter().map(number).collect::<Vec<_>>()})
        }
        [row] => json!({ "choice": number(row) }),
        other => panic!("{other:?} is no answer to {question:#}"),
    }
}

/// The tool's words name exactly the options that were to be chosen.
fn names_only(text: &str, form: &Form, chosen: &[usize]) {
    for (at, (option, _)) in form.options.iter().enumerate() {
        assert_eq!(text.contains(option), chosen.contains(&at), "{option:?} of {chosen:?} in {text}");
    }
}

/// Single choice, several, a form with its review, words of one's own, words for words.
fn questions(round: &mut Round) {
    let nth = round.nth;
    let single = nth % CACHE.options.len();
    let text = round.play(&format!("ASK1 round {nth}"), |question| row(question, single));
    names_only(&text, &CACHE, &[single]);

    let several: Vec<usize> = (0..3).filter(|at| ((nth % 7) + 1) >> at & 1 == 1).collect();
    let rows = |question: &Value| -> Vec<String> {
        [id(question)].into_iter().chain(several.iter().map(|at| (at + 1).to_string())).collect()
    };
    let form = |question: &Value| match question["kind"].as_str() {
        Some("multi") => rows(question),
        Some("menu") => row(question, (nth + 1) % QUEUE.options.len()),
        Some("review") => label(question, "Submit"),
        other => panic!("{other:?} is no part of a form: {question:#}"),
    };
    let text = round.play(&format!("ASKM round {nth}"), form);
    names_only(&text, &CHECKS, &several);
    let text = round.play(&format!("ASK2 round {nth}"), form);
    names_only(&text, &CHECKS, &several);
    names_only(&text, &QUEUE, &[(nth + 1) % QUEUE.options.len()]);

    let text = round.play(&format!("ASK1 again {nth}"), |question| {
        assert!(asks(question, &CACHE), "{question:#}");
        vec![id(question), "--text".into(), WORDS.into()]
    });
    assert!(text.contains(WORDS), "{text}");
    round.play(&format!("PLAIN round {nth}"), |question| {
        assert!(question["prompt"].as_str().is_some_and(|p| PLAIN.ends_with(p.lines().last().unwrap_or(p))));
        vec![id(question), "--text".into(), format!("Keep it, round {nth}")]
    });
}

/// A command granted, a command denied, an edit granted.
fn permissions(round: &mut Round) {
    let nth = round.nth;
    let file = |name: &str| round.team.home.project.join(format!("{name}-{nth}"));
    let (granted, denied) = (file("granted"), file("denied"));
    let only = |question: &Value, begin: &str| {
        assert_eq!(question["kind"], "permission", "{question:#}");
        label(question, begin)
    };
    let granting = round.advice.is_some();
    round.play(&format!("BASH touch granted-{nth}"), |question| {
        assert!(!granting, "a rule was to grant it: {question:#}");
        only(question, "Yes")
    });
    assert!(granted.exists(), "round {nth}: a granted command was not run");
    let command = format!("BASH touch denied-{nth}");
    if round.advice.is_some() && round.refuses {
        let text = round.play(&command, |question| panic!("a rule was to refuse it: {question:#}"));
        assert!(!text.is_empty(), "round {nth}: the model was not told");
    } else {
        // Declined in its dialog, it ends the turn: what it returned reaches the model with the next text.
        round.deny(&command);
    }
    assert!(!denied.exists(), "round {nth}: a denied command was run");
}

impl Round {
    /// A permission that is declined: the turn ends without another word of the model.
    fn deny(&mut self, prompt: &str) {
        let from = self.team.seen.len();
        self.told.push(prompt.to_owned());
        self.team.tell("worker", prompt);
        let question = self.team.until_after(from, &format!("{prompt}: a permission"), |notice| {
            let told = &notice["question"];
            (told["kind"] == "permission" && told["status"] == "escalated").then(|| told.clone())
        });
        let id = id(&question);
        // The program may be seen idle before the answer is settled.
        let from = self.team.seen.len();
        self.team.done(&["answer", &id, "--reject"]);
        self.team.until_after(from, &format!("{prompt}: denied"), |notice| {
            let told = &notice["question"];
            (told["id"] == id.as_str() && told["status"] == "answered").then_some(())
        });
        self.team.until_after(from, &format!("{prompt}: idle again"), |notice| {
            (notice["agent"]["name"] == "worker" && notice["agent"]["state"] == "idle").then_some(())
        });
    }
}

/// All dialogs of Claude Code but those of its start and its plans, answered by a person with keys.
pub fn claude(program: Program) {
    let setup =
        Setup { worker_args: &["--permission-mode", "default"], advisor: false, ..Setup::new(program) };
    claude_session(Round::session(&setup));
}

/// The same with its hooks, answered by a consultant and rules.
pub fn claude_by_hook(program: Program) {
    // Its dialog has no row that only says no.
    let refuses = program != Program::Claude("2.0.70");
    let own = if refuses { format!("{BY_HOOK}{REFUSED}").leak() } else { BY_HOOK };
    let worker_args = &["--permission-mode", "default"];
    let setup = Setup { worker_args, advisor: false, hooks: true, own, ..Setup::new(program) };
    let mut round = Round::advised(&setup);
    round.refuses = refuses;
    claude_session(round);
}

fn claude_session(mut round: Round) {
    for nth in 0..times() {
        round.nth = nth;
        questions(&mut round);
        permissions(&mut round);
        println!("round {nth}: {} texts typed, all right", round.told.len());
    }
    round.end();
}

/// Trust and plans, each in a session of its own, with hooks as they are by default.
pub fn claude_starts(program: Program) {
    for nth in 0..times() {
        super::scenarios::trust_in(&Setup { hooks: true, ..Setup::new(program) });
        super::scenarios::plan_in(&Setup { hooks: true, ..Setup::new(program) });
        println!("start {nth}: all right");
    }
}

/// Commands of a program whose first row allows once.
pub fn commands(program: Program) {
    let mut round = Round::session(&Setup { advisor: false, ..Setup::new(program) });
    for nth in 0..times() {
        round.nth = nth;
        let file = round.team.home.project.join(format!("granted-{nth}"));
        round.play(&format!("BASH touch granted-{nth}"), |question| {
            assert!(!file.exists(), "round {nth}: it was run before it was granted");
            row(question, 0)
        });
        assert!(round.team.home.project.join(format!("granted-{nth}")).exists(), "round {nth}: not run");
        println!("round {nth}: all right");
    }
    round.end();
}

/// Codex drops keys for the first seconds after its composer is drawn, so it takes a whole turn first.
fn plan_mode(round: &mut Round) {
    let from = round.team.seen.len();
    round.told.push("hello".into());
    round.team.tell("worker", "hello");
    round.team.until_texts("worker", 1);
    round.team.until_after(from, "the end of the first turn", |notice| {
        (notice["agent"]["name"] == "worker" && notice["agent"]["state"] == "idle").then_some(())
    });
    round.team.done(&["send", "worker", "--key", "shift-tab"]);
    let deadline = Instant::now() + NEXT;
    let shows = |screen: &str| screen.trim_end().lines().rev().take(3).any(|line| line.contains("Plan mode"));
    while !shows(&round.team.done(&["read", "worker", "--screen"])) {
        assert!(Instant::now() < deadline, "it does not go into its plan mode");
        round.team.done(&["read", "worker", "--wait", "500"]);
    }
}

/// The questions of Codex, which it asks in its plan mode only, and of Gemini.
pub fn others(program: Program) {
    let mut round = Round::session(&Setup { advisor: false, ..Setup::new(program) });
    if program == Program::Codex {
        plan_mode(&mut round);
    }
    for nth in 0..times() {
        round.nth = nth;
        let single = nth % CACHE.options.len();
        let text = round.play(&format!("ASK1 round {nth}"), |question| row(question, single));
        names_only(&text, &CACHE, &[single]);
        form_of_two(&mut round, program);
        if program == Program::Gemini {
            own_words(&mut round);
        }
        println!("round {nth}: all right");
    }
    let said = api::newest(&round.team.api.exchanges(), "worker").map_or(0, |asked| asked.texts.len());
    assert_eq!(said, round.told.len(), "texts the model got");
    round.end();
}

/// A form of two questions; where a program knows no multiple choice, both are single.
fn form_of_two(round: &mut Round, program: Program) {
    let (first, second) = ((round.nth + 1) % QUEUE.options.len(), round.nth % CHECKS.options.len());
    let several: Vec<usize> = match program {
        Program::Codex => vec![second],
        _ => (0..3).filter(|at| *at != second).collect(),
    };
    let text = round.play(&format!("ASK2 round {}", round.nth), |question| match question["kind"].as_str() {
        Some("menu") if asks(question, &QUEUE) => row(question, first),
        Some("menu" | "multi") => {
            assert!(asks(question, &CHECKS), "{question:#}");
            [id(question)].into_iter().chain(several.iter().map(|at| (at + 1).to_string())).collect()
        }
        Some("review") => row(question, 0),
        other => panic!("{other:?} is no part of a form: {question:#}"),
    });
    names_only(&text, &QUEUE, &[first]);
    names_only(&text, &CHECKS, &several);
}

/// Words of one's own instead of an option, in a form of two.
fn own_words(round: &mut Round) {
    let text = round.play(&format!("ASK2 again {}", round.nth), |question| match question["kind"].as_str() {
        Some("menu") => vec![id(question), "--text".into(), WORDS.into()],
        Some("multi") => row(question, 1),
        _ => row(question, 0),
    });
    assert!(text.contains("Neither: ask Møller, 2 days"), "{text}");
    names_only(&text, &QUEUE, &[]);
    names_only(&text, &CHECKS, &[1]);
}
