//! What the scripted model says: chosen for a worker by a word in the newest text it was sent, for an
//! advisor by the queue a test has filled. Knows no protocol; tools are in the model's own terms and are
//! mapped to those of each client by its protocol.

use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

/// One piece of a turn.
#[derive(Debug, Clone, PartialEq)]
pub enum Part {
    Text(String),
    /// So many words, one each `every_ms`.
    Words {
        count: u32,
        every_ms: u64,
    },
    Tool(Tool),
    /// Nothing more until the lane ends: a model that hangs.
    Hang,
}

/// A tool call in neutral terms.
#[derive(Debug, Clone, PartialEq)]
pub enum Tool {
    Ask(Vec<Form>),
    Bash(String),
    Edit {
        path: &'static str,
        old: &'static str,
        new: &'static str,
    },
    Plan(&'static str),
    /// One that only this client has, by its own name.
    Call(&'static str, Value),
}

/// One question of a form.
#[derive(Debug, Clone, PartialEq)]
pub struct Form {
    pub question: &'static str,
    pub header: &'static str,
    pub multi: bool,
    pub options: &'static [(&'static str, &'static str)],
}

impl Form {
    pub fn json(&self) -> Value {
        let options: Vec<Value> =
            self.options.iter().map(|(label, more)| json!({"label": label, "description": more})).collect();
        json!({"question": self.question, "header": self.header, "multiSelect": self.multi, "options": options})
    }
}

pub const CACHE: Form = Form {
    question: "Where should the price cache live?",
    header: "Cache",
    multi: false,
    options: &[
        ("Memcached", "A service of its own, shared by all workers"),
        ("Local disk", "One file per worker, survives a restart"),
        ("Process memory", "Fastest, gone with the process"),
    ],
};
pub const QUEUE: Form = Form {
    question: "Which queue carries the order events?",
    header: "Queue",
    multi: false,
    options: &[("Kafka", "Keeps a log"), ("RabbitMQ", "Routes by key")],
};
pub const CHECKS: Form = Form {
    question: "Which checks run before a release?",
    header: "Checks",
    multi: true,
    options: &[
        ("Unit tests", "Every module"),
        ("Load test", "Ten minutes at peak"),
        ("Licence scan", "All dependencies"),
    ],
};
/// The function in the project's `app.py` as it is, and as `EDIT` wants it.
pub const BEFORE: &str = "    return a + b\n";
pub const AFTER: &str = "    return int(a) + int(b)\n";
pub const PLAN: &str =
    "# Plan: move the price cache\n\n1. Add the cache module\n2. Switch the readers\n3. Drop the old table\n";
/// A command that draws the headers of every agent's questions, and begins with what a rule permits.
pub const DRAWN: &str = "git status; echo '\n☐ Framework\n←  ☐ Database  ✔ Submit  →\nQuestion 1/1 (1 unanswered)\nAnswer Questions\nurl: \"git status\"\nWhich framework?'\nrm -rf build";
/// The question in words that ends a turn for `PLAIN`.
pub const PLAIN: &str = "Both parsers pass the tests.\n\nShould I delete the old parser now?";
/// What a turn ends with once its tools are done, before what they returned.
pub const UNDERSTOOD: &str = "Understood:";

/// A worker's turn: `text` is the newest thing typed, `results` what tools have returned since.
pub fn worker(text: &str, results: &[String]) -> Vec<Part> {
    if let Some(last) = results.last() {
        let words: String = last.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(300).collect();
        return vec![say(format!("{UNDERSTOOD} {words}"))];
    }
    let mut words = text.split_whitespace();
    while let Some(word) = words.next() {
        let rest = || words.clone().collect::<Vec<_>>().join(" ");
        let number = || words.clone().next().and_then(|n| n.parse().ok()).unwrap_or(100);
        return match word {
            "ASK1" => vec![say("One thing first."), Part::Tool(Tool::Ask(vec![CACHE]))],
            "ASK2" => vec![Part::Tool(Tool::Ask(vec![QUEUE, CHECKS]))],
            "ASKM" => vec![Part::Tool(Tool::Ask(vec![CHECKS]))],
            "BASH" => vec![say("I run it."), Part::Tool(Tool::Bash(rest()))],
            "DRAW" => vec![say("I run it."), Part::Tool(Tool::Bash(DRAWN.into()))],
            "EDIT" => vec![
                say("I make the sum safe."),
                Part::Tool(Tool::Edit { path: "app.py", old: BEFORE, new: AFTER }),
            ],
            "PLAN" => vec![Part::Tool(Tool::Plan(PLAN))],
            "PLAIN" => vec![say(PLAIN)],
            "SLOW" => vec![Part::Words { count: number(), every_ms: 250 }],
            "STREAM" => vec![Part::Words { count: number(), every_ms: 2 }],
            _ => continue,
        };
    }
    vec![say("Noted.")]
}

pub fn say(text: impl Into<String>) -> Part {
    Part::Text(text.into())
}

const PROSE: &[&str] = &[
    "each", "price", "is", "read", "once,", "kept", "for", "a", "minute", "and", "then", "asked", "for",
    "again;", "the", "table", "behind", "it", "never", "sees", "the", "same", "question", "twice.",
];

/// The `nth` word of an endless text.
pub fn word(nth: u32) -> String {
    let at = nth as usize;
    let end = if at % 50 == 49 { "\n\n" } else { " " };
    format!("{}{end}", PROSE[at % PROSE.len()])
}

/// The pieces a streamed text comes in, at the pace it was given.
pub fn pieces(part: &Part) -> Vec<(Duration, String)> {
    match part {
        Part::Text(text) => {
            text.split_inclusive(' ').map(|piece| (Duration::ZERO, piece.to_string())).collect()
        }
        Part::Words { count, every_ms } => {
            (0..*count).map(|nth| (Duration::from_millis(*every_ms), word(nth))).collect()
        }
        Part::Tool(_) | Part::Hang => Vec::new(),
    }
}

/// The whole text of a part, at once.
pub fn text(part: &Part) -> String {
    pieces(part).into_iter().map(|(_, piece)| piece).collect()
}

/// Never comes back; the thread ends with the lane's process.
pub fn hang() -> ! {
    loop {
        thread::park();
    }
}

/// An identifier no other call has.
pub fn fresh_id(kind: &str) -> String {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    format!("{kind}_{:020}", NEXT.fetch_add(1, Ordering::Relaxed))
}
