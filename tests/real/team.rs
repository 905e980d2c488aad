//! A worker and its advisor under the released counsel, in a sandbox: starts them, types as a person would
//! from the command line, follows the events, and ends everything.

use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Child, Command, Output, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;

use super::api::{self, Api, Asked};
use super::home::{self, Home, Program};
use super::model::{Part, say};

/// From one event to the next. A start-up takes up to 3 s, an answer with its looks up to 2 s.
const DEADLINE: Duration = Duration::from_secs(45);
/// Any verb of the command line that does not wait by itself.
const VERB: Duration = Duration::from_secs(20);

/// What a scenario varies.
pub struct Setup {
    pub program: Program,
    pub trusted: bool,
    pub worker_args: &'static [&'static str],
    pub advisor: bool,
    /// The advisor is this program, spoken with over the Agent Client Protocol, and has no pane.
    pub acp: Option<Program>,
    /// Added to the configuration.
    pub consult: &'static str,
    /// The worker reports through hooks; otherwise counsel goes by its screen alone.
    pub hooks: bool,
    /// The person's own configuration.
    pub own: &'static str,
    /// The program has counsel's tools.
    pub tools: bool,
}

impl Setup {
    pub fn new(program: Program) -> Setup {
        let (consult, own) = ("", "");
        let acp = None;
        let (hooks, tools) = (false, false);
        Setup { program, trusted: true, worker_args: &[], advisor: true, acp, consult, hooks, own, tools }
    }

    /// The configuration, with the model's address in each agent's environment.
    pub fn config(&self, home: &Home, api: &Api) -> String {
        // Strings of JSON are strings of TOML as well.
        let quoted = |text: &str| Value::from(text).to_string();
        let mut text = String::new();
        for name in ["worker", "advisor"].iter().take(if self.in_a_pane() { 2 } else { 1 }) {
            let mut command = self.program.command();
            let (role, link) = match *name {
                "worker" => ("worker", if self.advisor { "consultant = \"advisor\"\n" } else { "" }),
                _ => ("consultant", ""),
            };
            if role == "worker" {
                command.extend(self.worker_args.iter().map(ToString::to_string));
            }
            let words: Vec<String> = command.iter().map(|word| quoted(word)).collect();
            let env = self.program.env(&api.url(name), home);
            let env: Vec<String> =
                env.iter().map(|(key, value)| format!("{key} = {}", quoted(value))).collect();
            text.push_str(&format!(
                "[[agent]]\nname = \"{name}\"\nrole = \"{role}\"\n{link}hooks = {}\ncommand = [{}]\nsize = \"120x40\"\nenv = {{ {} }}\n\n",
                self.hooks && role == "worker",
                words.join(", "),
                env.join(", "),
            ));
        }
        if let Some(program) = self.acp {
            // It has the worker's environment, but for the address that tells the two apart.
            let env = program.env(&api.url("advisor"), home).into_iter();
            let env = env.map(|(key, value)| format!("{key}={value}"));
            let words = ["env".to_owned()].into_iter().chain(env).chain(program.command());
            let words: Vec<String> = words.map(|word| quoted(&word)).collect();
            text.push_str(&format!("[[consultant]]\nname = \"advisor\"\nacp = [{}]\n\n", words.join(", ")));
        }
        format!("{text}[consult]\n{}\n", self.consult)
    }

    fn in_a_pane(&self) -> bool {
        self.advisor && self.acp.is_none()
    }
}

pub struct Team {
    pub home: Home,
    pub api: Api,
    follower: Option<Child>,
    lines: Option<Receiver<Value>>,
    /// Every notice so far.
    pub seen: Vec<Value>,
}

/// The program under test.
pub fn counsel() -> PathBuf {
    std::env::var_os("COUNSEL_BIN").map_or_else(|| env!("CARGO_BIN_EXE_counsel").into(), PathBuf::from)
}

impl Team {
    /// Starts the agents; they are not ready yet.
    pub fn up(setup: &Setup) -> Team {
        let home = Home::new(setup.program, setup.trusted);
        if let Some(advisor) = setup.acp {
            home.settings(advisor, setup.trusted);
        }
        let api = Api::start(&home.project.display().to_string());
        home::write(&home.project.join("counsel.toml"), &setup.config(&home, &api));
        home::write(&home.home.join(".config/counsel/config.toml"), setup.own);
        let mut team = Team { home, api, follower: None, lines: None, seen: Vec::new() };
        if setup.tools {
            team.install_tools(setup.program);
        }
        team.done(&["up", "-f", "counsel.toml"]);
        team.follow();
        team
    }

    /// A server without agents, in the home of this program.
    pub fn alone(program: Program) -> Team {
        let home = Home::new(program, true);
        let api = Api::start(&home.project.display().to_string());
        let mut team = Team { home, api, follower: None, lines: None, seen: Vec::new() };
        team.done(&["server"]);
        team.follow();
        team
    }

    /// Enters counsel's tools into Claude Code's settings, as a person does.
    pub fn install_tools(&self, program: Program) {
        let mut command = self.command(&["mcp", "--install", "claude"]);
        let path = self.home.env()["PATH"].clone();
        let own = program.path().parent().expect("a program lies in a folder").display().to_string();
        let done = command.env("PATH", format!("{own}:{path}")).output().expect("counsel starts");
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    }

    /// Starts the agents and waits until each takes a prompt.
    pub fn ready(setup: &Setup) -> Team {
        let mut team = Team::up(setup);
        team.until_state("worker", "idle");
        if setup.in_a_pane() {
            team.until_state("advisor", "idle");
        }
        team
    }

    fn follow(&mut self) {
        let mut command = self.command(&["events", "--json"]);
        let mut child = command.stdout(Stdio::piped()).spawn().expect("counsel starts");
        let out = BufReader::new(child.stdout.take().expect("it is piped"));
        let (sender, lines) = mpsc::channel();
        thread::spawn(move || {
            for line in out.lines().map_while(Result::ok) {
                let notice = serde_json::from_str(&line).unwrap_or(Value::String(line));
                if sender.send(notice).is_err() {
                    return;
                }
            }
        });
        (self.follower, self.lines) = (Some(child), Some(lines));
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(counsel());
        command.args(args).env_clear().envs(self.home.env()).current_dir(&self.home.project);
        command.stdin(Stdio::null());
        command
    }

    /// Runs one verb to its end.
    pub fn run(&self, args: &[&str]) -> Output {
        let mut command = self.command(args);
        let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("counsel starts");
        let (sender, done) = mpsc::channel();
        thread::spawn(move || sender.send(child.wait_with_output()));
        let output = done.recv_timeout(VERB).unwrap_or_else(|_| panic!("counsel {args:?} did not end"));
        output.expect("its output can be read")
    }

    /// Runs one verb that must succeed; what it printed.
    pub fn done(&self, args: &[&str]) -> String {
        let output = self.run(args);
        let complaint = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "counsel {args:?}: {} {complaint}", output.status);
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    /// Gives an agent a prompt as a person would from a shell.
    pub fn tell(&self, agent: &str, text: &str) {
        self.done(&["send", agent, text, "--paste", "--enter"]);
    }

    /// What the advisor says when it is asked next.
    pub fn advise(&self, text: &str) {
        self.api.advise(vec![say(text)]);
    }

    pub fn advise_with(&self, turn: Vec<Part>) {
        self.api.advise(turn);
    }

    /// Waits until a notice, one already seen included, is what is wanted.
    pub fn until<T>(&mut self, what: &str, wanted: impl Fn(&Value) -> Option<T>) -> T {
        self.until_after(0, what, wanted)
    }

    /// The same among the notices from the `from`th on.
    pub fn until_after<T>(&mut self, from: usize, what: &str, wanted: impl Fn(&Value) -> Option<T>) -> T {
        if let Some(found) = self.seen[from.min(self.seen.len())..].iter().find_map(&wanted) {
            return found;
        }
        let deadline = Instant::now() + DEADLINE;
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            let lines = self.lines.as_ref().expect("the events are followed");
            match lines.recv_timeout(left) {
                Ok(notice) => {
                    let found = wanted(&notice);
                    self.seen.push(notice);
                    if let Some(found) = found {
                        return found;
                    }
                }
                Err(RecvTimeoutError::Timeout) => panic!("{what}: not seen within {DEADLINE:?}"),
                Err(RecvTimeoutError::Disconnected) => panic!("{what}: not seen before the events ended"),
            }
        }
    }

    pub fn until_state(&mut self, agent: &str, state: &str) {
        self.until(&format!("{agent} {state}"), |notice| {
            let told = &notice["agent"];
            (told["name"] == agent && told["state"] == state).then_some(())
        });
    }

    /// The worker's first question of this kind that has come to this status.
    pub fn until_question(&mut self, kind: &str, status: &str) -> Value {
        self.until(&format!("{kind} {status}"), |notice| {
            let told = &notice["question"];
            (told["kind"] == kind && told["status"] == status && told["agent"] == "worker")
                .then(|| told.clone())
        })
    }

    /// The worker's conversation once so many tools have returned.
    pub fn until_results(&self, count: usize) -> Asked {
        let found = self
            .api
            .until(DEADLINE, |all| api::newest(all, "worker").filter(|asked| asked.results.len() >= count));
        found.unwrap_or_else(|| panic!("the model did not get {count} results"))
    }

    /// An agent's conversation once so many texts have reached the model.
    pub fn until_texts(&self, agent: &str, count: usize) -> Asked {
        let found = self
            .api
            .until(DEADLINE, |all| api::newest(all, agent).filter(|asked| asked.texts.len() >= count));
        found.unwrap_or_else(|| panic!("the model did not get {count} texts of {agent}"))
    }

    /// Nobody has typed anything but these into the worker, and these were all that was typed.
    pub fn worker_was_told(&self, texts: &[&str]) {
        assert_eq!(self.api.conversation("worker").texts, texts, "what was typed into the worker");
    }

    /// The advisor was asked so often, and got nothing but counsel's own prompts.
    pub fn advisor_was_asked(&self, times: usize, of: &str) {
        let texts = self.api.conversation(api::ADVISOR).texts;
        assert_eq!(texts.len(), times, "what was typed into the advisor: {texts:#?}");
        assert_eq!(self.api.advice_left(), 0, "the advisor was not asked for all it had to say");
        for text in texts {
            assert!(text.contains(of), "the advisor was asked something else than {of:?}: {text}");
        }
    }

    /// The decision log once it holds so many entries; it is written after the events have gone out.
    pub fn log(&self, entries: usize) -> Vec<Value> {
        let deadline = Instant::now() + VERB;
        loop {
            let text = self.done(&["log", "--json"]);
            if text.lines().count() >= entries || Instant::now() > deadline {
                return text
                    .lines()
                    .map(|line| serde_json::from_str(line).expect("the log is JSON"))
                    .collect();
            }
        }
    }

    /// Everything that helps to see why a scenario failed.
    fn report(&self) -> String {
        let mut report = String::new();
        for agent in ["worker", "advisor"] {
            let screen = self.run(&["read", agent, "--screen"]);
            report.push_str(&format!("--- {agent}\n{}", String::from_utf8_lossy(&screen.stdout)));
            let raw = self.run(&["read", agent, "--raw", "--tail", "100"]).stdout;
            let end = &raw[raw.len().saturating_sub(600)..];
            report.push_str(&format!("--- {agent} printed last: {:?}\n", String::from_utf8_lossy(end)));
        }
        for args in [&["explain", "worker"][..], &["questions", "--all"], &["log", "--json"]] {
            let told = String::from_utf8_lossy(&self.run(args).stdout).into_owned();
            report.push_str(&format!("--- {args:?}\n{told}"));
        }
        // The namespace holds nothing but this team.
        let mut ps = Command::new("ps");
        let processes = ps.args(["-eo", "pid,ppid,stat,wchan:24,time,args"]).output();
        let processes = processes.map(|ps| String::from_utf8_lossy(&ps.stdout).into_owned());
        report.push_str(&format!("--- processes\n{}", processes.unwrap_or_default()));
        // Whether each program reads keys or lines.
        let ways =
            "for t in $(ps -eo tty= | grep pts | sort -u); do echo $t; stty -a -F /dev/$t | tail -4; done";
        let terminals = Command::new("sh").args(["-c", ways]).output();
        let terminals = terminals.map(|told| String::from_utf8_lossy(&told.stdout).into_owned());
        report.push_str(&format!("--- terminals\n{}", terminals.unwrap_or_default()));
        let events: Vec<String> = self.seen.iter().map(brief).collect();
        format!("{report}--- events\n{}\n--- model\n{}", events.join("\n"), self.api.report())
    }
}

/// A notice in one line.
fn brief(notice: &Value) -> String {
    let (agent, question) = (&notice["agent"], &notice["question"]);
    if agent.is_object() {
        format!("{} is {}", agent["name"], agent["state"])
    } else if question.is_object() {
        let told =
            [&question["id"], &question["kind"], &question["status"], &question["prompt"], &question["note"]];
        format!("question {}", told.map(ToString::to_string).join(" "))
    } else {
        notice.to_string()
    }
}

impl Drop for Team {
    fn drop(&mut self) {
        if thread::panicking() {
            // The report runs verbs that may fail as the scenario did.
            let told = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| self.report()));
            println!("{}", told.unwrap_or_else(|_| "no report: counsel does not answer".into()));
            // What else runs ends with the namespace.
            return;
        }
        let down = self.run(&["down"]);
        assert!(down.status.success(), "counsel down: {}", String::from_utf8_lossy(&down.stderr));
        if let Some(mut follower) = self.follower.take() {
            let _ = follower.wait();
        }
    }
}
