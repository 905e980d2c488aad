//! The scripted model behind the agent programs: listens on loopback, records every request, answers as
//! `model.rs` says. The first part of the path names the agent, so that two sessions of one program are
//! told apart by the address each was given.

use std::collections::VecDeque;
use std::io;
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::thread;
use std::time::{Duration, Instant};

use counsel::core::consult::nonce::signed;
use serde_json::{Value, json};

use super::http::{self, Call};
use super::model::{self, Part};
use super::{anthropic, gemini, responses, tools};

/// What a protocol made of one request of an agent's main conversation.
#[derive(Debug, Clone, Default)]
pub struct Asked {
    /// Every text the user side has sent so far, oldest first, without what the program adds by itself.
    pub texts: Vec<String>,
    /// What tools have returned so far in the whole conversation, oldest first.
    pub results: Vec<ToolResult>,
    /// What tools have returned since the newest text.
    pub fresh: Vec<String>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct ToolResult {
    /// The tool's name in the client's terms; empty if the conversation does not tell.
    pub tool: String,
    pub text: String,
    pub error: bool,
}

/// One recorded request.
#[derive(Debug, Clone)]
pub struct Exchange {
    pub agent: String,
    pub path: String,
    /// `None`: not the conversation itself (a title, a suggestion, a count of tokens, a probe).
    pub asked: Option<Asked>,
}

#[derive(Default)]
struct Shared {
    exchanges: Vec<Exchange>,
    advice: VecDeque<Vec<Part>>,
}

struct Board {
    shared: Mutex<Shared>,
    changed: Condvar,
}

impl Board {
    fn lock(&self) -> MutexGuard<'_, Shared> {
        self.shared.lock().expect("no thread panics while it holds the board")
    }
}

pub struct Api {
    pub port: u16,
    board: Arc<Board>,
}

/// The agent whose turns come from the queue instead of from words in the text.
pub const ADVISOR: &str = "advisor";

impl Api {
    /// `project` is where the paths of edits begin.
    pub fn start(project: &str) -> Api {
        let project: Arc<str> = project.into();
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("loopback is up");
        let port = listener.local_addr().expect("a bound listener has an address").port();
        let board = Arc::new(Board { shared: Mutex::default(), changed: Condvar::new() });
        let api = Api { port, board: Arc::clone(&board) };
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (board, project) = (Arc::clone(&board), Arc::clone(&project));
                // A client that goes away in the middle is its own affair.
                thread::spawn(move || drop(serve(&stream, &project, &board)));
            }
        });
        api
    }

    /// The address to give the agent of this name.
    pub fn url(&self, agent: &str) -> String {
        format!("http://127.0.0.1:{}/{agent}", self.port)
    }

    /// The advisor's next turn, after those already queued.
    pub fn advise(&self, turn: Vec<Part>) {
        self.board.lock().advice.push_back(turn);
    }

    /// Queued turns nobody has asked for yet.
    pub fn advice_left(&self) -> usize {
        self.board.lock().advice.len()
    }

    /// Blocks until `found` finds something in what was recorded.
    pub fn until<T>(&self, within: Duration, found: impl Fn(&[Exchange]) -> Option<T>) -> Option<T> {
        let deadline = Instant::now() + within;
        let mut shared = self.board.lock();
        loop {
            if let Some(found) = found(&shared.exchanges) {
                return Some(found);
            }
            let left = deadline.checked_duration_since(Instant::now())?;
            shared = self
                .board
                .changed
                .wait_timeout(shared, left)
                .expect("no thread panics while it holds the board")
                .0;
        }
    }

    pub fn exchanges(&self) -> Vec<Exchange> {
        self.board.lock().exchanges.clone()
    }

    /// Everything an agent's conversation holds now; empty if it has not said anything.
    pub fn conversation(&self, agent: &str) -> Asked {
        newest(&self.board.lock().exchanges, agent).unwrap_or_default()
    }

    /// What was sent to the API and how it was read, for the report of a failed test.
    pub fn report(&self) -> String {
        let mut lines: Vec<String> = Vec::new();
        for exchange in self.exchanges() {
            let told = exchange.asked.map(|asked| {
                let last = asked.texts.last().cloned().unwrap_or_default();
                format!("text {:?} results {:?}", last.chars().take(200).collect::<String>(), asked.results)
            });
            lines.push(format!("{} {} {}", exchange.agent, exchange.path, told.unwrap_or_default()));
        }
        lines.join("\n")
    }
}

/// The newest state of an agent's conversation.
pub fn newest(exchanges: &[Exchange], agent: &str) -> Option<Asked> {
    exchanges.iter().rev().filter(|e| e.agent == agent).find_map(|e| e.asked.clone())
}

fn serve(stream: &TcpStream, project: &str, board: &Board) -> io::Result<()> {
    let Some(call) = http::read(stream)? else { return Ok(()) };
    let full = call.path.trim_start_matches('/').to_string();
    let (agent, path) = full.split_once('/').unwrap_or((&full, ""));
    let reading = read(path, &call);
    let turn = reading.asked.as_ref().map(|asked| {
        if agent == tools::OUTSIDE {
            return tools::turn(&call.body, asked);
        }
        let step = anthropic::plan_step(&call.body, asked).or_else(|| tools::ask_step(&call.body, asked));
        let step = step.filter(|_| matches!(reading.protocol, Protocol::Messages));
        step.filter(|_| agent != ADVISOR).unwrap_or_else(|| next_turn(agent, asked, board))
    });
    {
        let mut shared = board.lock();
        shared.exchanges.push(Exchange {
            agent: agent.into(),
            path: path.into(),
            asked: reading.asked.clone(),
        });
        board.changed.notify_all();
    }
    let side = || vec![model::say("ok")];
    match reading.protocol {
        Protocol::Messages => anthropic::reply(stream, &call.body, &turn.unwrap_or_else(side), project),
        Protocol::Responses => responses::reply(stream, &call.body, &turn.unwrap_or_else(side), project),
        Protocol::Gemini => gemini::reply(stream, path, &call.body, turn.as_deref(), project),
        Protocol::Count => http::reply(stream, 200, &json!({"input_tokens": 100, "totalTokens": 100})),
        Protocol::None => http::reply(stream, 200, &json!({"data": [], "models": []})),
    }
}

enum Protocol {
    Messages,
    Responses,
    Gemini,
    Count,
    None,
}

struct Reading {
    protocol: Protocol,
    asked: Option<Asked>,
}

fn read(path: &str, call: &Call) -> Reading {
    let body: &Value = &call.body;
    let (protocol, asked) = if call.method != "POST" {
        (Protocol::None, None)
    } else if path.contains("count_tokens") || path.contains("countTokens") {
        (Protocol::Count, None)
    } else if path.starts_with("v1/messages") {
        (Protocol::Messages, anthropic::asked(body))
    } else if path.contains("responses") {
        (Protocol::Responses, responses::asked(body))
    } else if path.contains("enerateContent") {
        (Protocol::Gemini, gemini::asked(body))
    } else {
        (Protocol::None, None)
    };
    Reading { protocol, asked }
}

/// What the model says next in an agent's own conversation.
fn next_turn(agent: &str, asked: &Asked, board: &Board) -> Vec<Part> {
    if agent != ADVISOR {
        return model::worker(asked.texts.last().map_or("", String::as_str), &asked.fresh);
    }
    let turn = board.lock().advice.pop_front();
    let mut turn = turn.unwrap_or_else(|| vec![model::say("Nobody told me what to say to this.")]);
    // What a model repeats of the question it was told.
    if let (Some(Part::Text(reply)), Some(told)) = (turn.last_mut(), asked.texts.last()) {
        *reply = signed(reply, told);
    }
    turn
}
