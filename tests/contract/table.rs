//! The language of the table: a row is a line of the contract, its steps are commands and what must come of each.
//!
//! `rows/` writes rows, `main.rs` runs each as a test of its own in a world of its own. Words of a command are split as
//! a shell splits them; `{work}` stands for the folder the command runs in, `{name}` for what a step before has saved.

use std::collections::BTreeMap;
use std::io::Read;
use std::process::{Command, Stdio};
use std::time::Instant;

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::Value;

use crate::want::{Want, first};
use crate::world::{DEADLINE, Done, World, finish};

/// A line of the contract.
pub struct Row {
    pub line: &'static str,
    pub needs: Vec<Need>,
    pub steps: Vec<Step>,
    files: Vec<(&'static str, &'static str)>,
}

/// What not every machine has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Need {
    Tmux,
    Git,
    Bash,
    Jq,
    /// Networks of one's own without root.
    Namespaces,
}

impl Need {
    /// Why the row cannot be tried here.
    pub fn missing(self) -> Option<String> {
        let tried = match self {
            Need::Tmux => "tmux -V",
            Need::Git => "git --version",
            Need::Bash => "bash --version",
            Need::Jq => "jq --version",
            Need::Namespaces => "unshare -rn true",
        };
        let there = Command::new("sh").arg("-c").arg(tried).output();
        (!there.is_ok_and(|output| output.status.success())).then(|| format!("'{tried}' does not work here"))
    }
}

pub fn row(line: &'static str) -> Row {
    Row { line, needs: Vec::new(), steps: Vec::new(), files: Vec::new() }
}

impl Row {
    pub fn needs(mut self, need: Need) -> Row {
        self.needs.push(need);
        self
    }

    /// A file below the world's folder, for instance `work/counsel.toml`.
    pub fn file(mut self, path: &'static str, text: &'static str) -> Row {
        self.files.push((path, text));
        self
    }

    /// An agent that is a shell script.
    pub fn agent(self, name: &str, script: &str) -> Row {
        self.then(run(&format!("start {name} -- sh -c")).word(script))
    }

    pub fn then(mut self, step: Step) -> Row {
        self.steps.push(step);
        self
    }

    /// # Errors
    /// The step that did not come out as the contract says, and how it did come out.
    pub fn check(self) -> Result<(), String> {
        let world = World::new();
        for (path, text) in &self.files {
            world.write(path, text);
        }
        let mut saved = BTreeMap::from([("work".to_owned(), world.path("work").display().to_string())]);
        saved.insert("counsel".to_owned(), crate::world::counsel().display().to_string());
        let bin = crate::world::counsel().parent().map(|folder| folder.display().to_string());
        saved.insert("bin".to_owned(), bin.unwrap_or_default());
        for folder in ["state", "run", "home"] {
            saved.insert(folder.to_owned(), world.path(folder).display().to_string());
        }
        for step in self.steps {
            step.check(&world, &mut saved)?;
        }
        Ok(())
    }
}

/// One command and what must come of it.
#[derive(Clone)]
pub struct Step {
    /// The program; counsel unless another is named.
    program: Option<&'static str>,
    pub words: Vec<String>,
    input: String,
    env: Vec<(&'static str, &'static str)>,
    wants: Vec<Want>,
    save: Vec<(&'static str, &'static str)>,
    /// Ended by this signal once it takes signals, and once it has printed these words.
    signal: Option<(Signal, &'static str)>,
    /// Tried again until it comes out right: for what another process does in its own time.
    awaited: bool,
}

/// `counsel WORDS`; it must end with 0 unless another code is named.
pub fn run(words: &str) -> Step {
    Step {
        program: None,
        words: split(words),
        input: String::new(),
        env: Vec::new(),
        wants: Vec::new(),
        save: Vec::new(),
        signal: None,
        awaited: false,
    }
}

/// Another program than counsel.
pub fn program(program: &'static str, words: &str) -> Step {
    Step { program: Some(program), ..run(words) }
}

/// Words as a shell splits them, without any expansion.
fn split(text: &str) -> Vec<String> {
    let (mut words, mut word, mut quote) = (Vec::new(), None::<String>, None);
    for ch in text.chars() {
        match (quote, ch) {
            (Some(mark), ch) if ch == mark => quote = None,
            (None, '\'' | '"') => {
                quote = Some(ch);
                word.get_or_insert_default();
            }
            (None, ' ') => words.extend(word.take()),
            (_, ch) => word.get_or_insert_default().push(ch),
        }
    }
    words.extend(word);
    words
}

impl Step {
    pub fn is_counsel(&self) -> bool {
        self.program.is_none()
    }

    /// One more word, whatever is in it.
    pub fn word(mut self, word: &str) -> Step {
        self.words.push(word.to_owned());
        self
    }

    pub fn input(mut self, text: &str) -> Step {
        text.clone_into(&mut self.input);
        self
    }

    pub fn env(mut self, name: &'static str, value: &'static str) -> Step {
        self.env.push((name, value));
        self
    }

    fn want(mut self, want: Want) -> Step {
        self.wants.push(want);
        self
    }

    pub fn code(self, code: i32) -> Step {
        self.want(Want::Code(code))
    }

    pub fn out(self, text: &str) -> Step {
        self.want(Want::Out(text.to_owned()))
    }

    pub fn says(self, words: &str) -> Step {
        self.want(Want::OutHas(words.to_owned()))
    }

    pub fn lacks(self, words: &str) -> Step {
        self.want(Want::OutLacks(words.to_owned()))
    }

    pub fn complains(self, words: &str) -> Step {
        self.want(Want::ErrHas(words.to_owned()))
    }

    pub fn silent(self) -> Step {
        self.want(Want::Silent)
    }

    pub fn refused(self, code: i32, words: &str) -> Step {
        self.want(Want::Code(code)).want(Want::Refusal(words.to_owned()))
    }

    pub fn keys(self, keys: &[&'static str]) -> Step {
        self.want(Want::Keys(keys.to_vec()))
    }

    pub fn is(self, pointer: &'static str, value: impl Into<Value>) -> Step {
        self.want(Want::Is(pointer, value.into()))
    }

    pub fn holds(self, pointer: &'static str, rule: fn(&Value) -> bool) -> Step {
        self.want(Want::Holds(pointer, rule))
    }

    pub fn file_has(self, path: &str, words: &str) -> Step {
        self.want(Want::FileHas(path.to_owned(), words.to_owned()))
    }

    pub fn no_file(self, path: &str) -> Step {
        self.want(Want::NoFile(path.to_owned()))
    }

    pub fn holds_lines(self, count: usize) -> Step {
        self.want(Want::Lines(count))
    }

    /// Keeps a value of the first line for the steps that follow.
    pub fn save(mut self, pointer: &'static str, name: &'static str) -> Step {
        self.save.push((pointer, name));
        self
    }

    /// A signal comes in the middle, after these words (none: as soon as signals are taken); the contract has 130 for that.
    pub fn ended_by(mut self, signal: Signal, after: &'static str) -> Step {
        self.signal = Some((signal, after));
        self.code(130)
    }

    pub fn awaited(mut self) -> Step {
        self.awaited = true;
        self
    }

    fn check(&self, world: &World, saved: &mut BTreeMap<String, String>) -> Result<(), String> {
        let until = Instant::now() + DEADLINE;
        loop {
            let words: Vec<String> = self.words.iter().map(|word| filled(word, saved)).collect();
            let mut command = match self.program {
                Some(program) => world.program(program),
                None => world.command(),
            };
            command.args(&words).envs(self.env.iter().copied());
            let done = match self.signal {
                Some((signal, after)) => broken_off(&mut command, signal, after)?,
                None => finish(&mut command, filled(&self.input, saved).as_bytes()),
            };
            let wrong = self.wrong(&done, saved).map(|what| format!("{words:?}: {what}\n{done:#?}"));
            match wrong {
                None => return self.keep(&done, saved),
                Some(_) if self.awaited && Instant::now() < until => std::thread::yield_now(),
                Some(wrong) => return Err(wrong),
            }
        }
    }

    fn keep(&self, done: &Done, saved: &mut BTreeMap<String, String>) -> Result<(), String> {
        for (pointer, name) in &self.save {
            let value = first(done)?.pointer(pointer).cloned().ok_or(format!("no {pointer}: {done:?}"))?;
            let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            saved.insert((*name).to_owned(), text);
        }
        Ok(())
    }

    /// The first thing that is not as it must be.
    fn wrong(&self, done: &Done, saved: &BTreeMap<String, String>) -> Option<String> {
        let coded = self.wants.iter().any(|want| matches!(want, Want::Code(_)));
        let success = (!coded).then_some(Want::Code(0));
        self.wants.iter().chain(success.iter()).find_map(|want| want.wrong(done, saved).err())
    }
}

/// Runs a command until it has said these words and takes this signal, which ends it.
fn broken_off(command: &mut Command, signal: Signal, after: &str) -> Result<Done, String> {
    let until = Instant::now() + DEADLINE;
    let failed = |error: std::io::Error| error.to_string();
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().map_err(failed)?;
    let pid = child.id();
    let mut stdout = child.stdout.take().ok_or("no standard output")?;
    let (sender, pieces) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        let mut buffer = [0; 4096];
        while let Ok(count @ 1..) = stdout.read(&mut buffer) {
            drop(sender.send(buffer[..count].to_vec()));
        }
    });
    let mut out = Vec::new();
    while !String::from_utf8_lossy(&out).contains(after) {
        match pieces.recv_timeout(until.saturating_duration_since(Instant::now())) {
            Ok(piece) => out.extend(piece),
            Err(error) => return Err(format!("{after:?} did not come: {error}")),
        }
    }
    while !takes(pid, signal) {
        if Instant::now() > until || child.try_wait().map_err(failed)?.is_some() {
            return Err(format!("it never takes {signal}"));
        }
        std::thread::yield_now();
    }
    kill(Pid::from_raw(pid.cast_signed()), signal).map_err(|error| error.to_string())?;
    let (sender, ended) = std::sync::mpsc::channel();
    std::thread::spawn(move || sender.send(child.wait_with_output()));
    let ended =
        ended.recv_timeout(DEADLINE).map_err(|_| format!("{signal} did not end it"))?.map_err(failed)?;
    out.extend(pieces.iter().flatten());
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    Ok(Done { code: ended.status.code().unwrap_or(-1), out: text(&out), err: text(&ended.stderr) })
}

/// Whether a process has made arrangements for a signal: a handler, or a thread that waits for it.
fn takes(pid: u32, signal: Signal) -> bool {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    let masks = status.lines().filter_map(|line| {
        let mask = line.strip_prefix("SigCgt:").or_else(|| line.strip_prefix("SigBlk:"))?;
        u64::from_str_radix(mask.trim(), 16).ok()
    });
    masks.into_iter().any(|mask| mask & (1 << (signal as u32 - 1)) != 0)
}

pub fn filled(text: &str, saved: &BTreeMap<String, String>) -> String {
    saved.iter().fold(text.to_owned(), |text, (name, value)| text.replace(&format!("{{{name}}}"), value))
}
