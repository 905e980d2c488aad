//! Text for programs: `read`, `history`, and requests that wait for something to happen.
//!
//! A cursor names a place in an agent's output: the number of a logical line and a character in it.
//! Lines are numbered from the agent's start, those still on the main screen included, so a cursor
//! neither repeats nor skips whatever scrolls.

use crate::core::question::State;
use crate::server::effect::{AgentKey, ClientKey};
use crate::wire::message::{ReadMode, ReadText, Reply, WaitFor};

use super::Hub;
use super::agent::Agent;

/// Lines a first `read` without `--tail` returns.
const FIRST_TAIL: u64 = 200;
/// Longest a `read` may wait.
const MAX_WAIT_MS: u64 = 30_000;
/// A cursor holds the character within the line in this many low bits.
const CHAR_BITS: u32 = 20;

/// A `read --wait` that has nothing to say yet.
#[derive(Debug)]
pub(super) struct PendingRead {
    pub client: ClientKey,
    pub id: u64,
    pub agent: AgentKey,
    pub since: u64,
    pub mode: ReadMode,
    pub until_ms: u64,
}

/// A `wait`.
#[derive(Debug)]
pub(super) struct PendingWait {
    pub client: ClientKey,
    pub id: u64,
    pub agent: AgentKey,
    pub what: WaitFor,
    pub until_ms: Option<u64>,
}

/// A place in the output.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Place {
    line: u64,
    char: u64,
}

impl Place {
    fn of(cursor: u64) -> Place {
        Place { line: cursor >> CHAR_BITS, char: cursor & ((1 << CHAR_BITS) - 1) }
    }

    fn cursor(self) -> u64 {
        (self.line << CHAR_BITS) | self.char.min((1 << CHAR_BITS) - 1)
    }
}

/// The lines still on the main screen, the last of them being where the cursor stands.
fn screen_lines(agent: &Agent) -> Vec<String> {
    let grid = agent.screen.grid();
    let last_filled = grid.rows.iter().rposition(|row| !row.text().is_empty());
    let last = last_filled.unwrap_or(0).max(usize::from(grid.cursor.row));
    let mut lines: Vec<String> = Vec::new();
    let mut open = agent.history.open_line();
    for row in grid.rows.iter().take(last + 1) {
        let text = if row.wrapped { row.full_text() } else { row.text() };
        match (open, lines.last_mut()) {
            (true, Some(line)) => line.push_str(&text),
            // The first row goes on with a line whose beginning has scrolled off.
            (true, None) | (false, _) => lines.push(text),
        }
        open = row.wrapped;
    }
    lines
}

impl Agent {
    /// Everything from `since` on (`None`: nothing new), whether lines before it are lost, and the
    /// cursor behind it.
    fn output_since(&self, since: u64) -> (Option<String>, bool, u64) {
        let open = self.history.open_line();
        let (first, base) = (self.history.first(), self.history.end() - u64::from(open));
        let lost = Place::of(since).line < first;
        let from = if lost { Place { line: first, char: 0 } } else { Place::of(since) };
        let start = from.line.min(base);
        let mut lines = self.history.text(start);
        let prefix = if open { lines.pop().unwrap_or_default() } else { String::new() };
        let mut on_screen = screen_lines(self);
        if let Some(line) = on_screen.first_mut() {
            line.insert_str(0, &prefix);
        }
        lines.extend(on_screen);
        let beyond = usize::try_from(from.line - start).unwrap_or(usize::MAX);
        lines.drain(..beyond.min(lines.len()));
        let last_chars = lines.last().map_or(0, |line| line.chars().count() as u64);
        let end = Place { line: (from.line + lines.len() as u64).saturating_sub(1), char: last_chars };
        if lines.is_empty() || end <= from {
            return (None, lost, from.cursor());
        }
        if let Some(line) = lines.first_mut() {
            *line = line.chars().skip(usize::try_from(from.char).unwrap_or(usize::MAX)).collect();
        }
        (Some(lines.join("\n")), lost, end.cursor())
    }

    /// As `output_since`, in the form asked for.
    fn since(&self, mode: ReadMode, since: u64) -> (Option<String>, bool, u64) {
        match mode {
            ReadMode::Raw => {
                let (text, lost, cursor) = self.raw.since(since, self.gone());
                ((!text.is_empty()).then_some(text), lost, cursor)
            }
            ReadMode::Output | ReadMode::Screen | ReadMode::Scrollback => self.output_since(since),
        }
    }

    /// The cursor behind everything printed so far.
    fn output_end(&self) -> u64 {
        self.output_since(0).2
    }
}

impl Hub {
    pub(super) fn read(&mut self, client: ClientKey, id: u64, read: Read) {
        let Read { agent, since, tail, wait_ms, mode } = read;
        let now = self.now;
        let seen = &self.agents[&agent];
        match mode {
            ReadMode::Screen => {
                let text = seen.screen.grid().text();
                let cursor = seen.output_end();
                return self.reply_text(client, id, agent, text, cursor, false);
            }
            ReadMode::Scrollback => {
                let (text, lost, cursor) = seen.output_since(0);
                return self.reply_text(
                    client,
                    id,
                    agent,
                    tailed(text.unwrap_or_default(), tail),
                    cursor,
                    lost,
                );
            }
            ReadMode::Output | ReadMode::Raw => {}
        }
        let Some(since) = since else {
            let (text, lost, cursor) = seen.since(mode, 0);
            let text = tailed(text.unwrap_or_default(), Some(tail.unwrap_or(FIRST_TAIL)));
            return self.reply_text(client, id, agent, text, cursor, lost);
        };
        let (text, lost, cursor) = seen.since(mode, since);
        if text.is_none() && wait_ms > 0 && !seen.gone() {
            let until_ms = now.ms + wait_ms.min(MAX_WAIT_MS);
            self.reads.push(PendingRead { client, id, agent, since, mode, until_ms });
            return;
        }
        self.reply_text(client, id, agent, tailed(text.unwrap_or_default(), tail), cursor, lost);
    }

    fn reply_text(
        &mut self,
        client: ClientKey,
        id: u64,
        agent: AgentKey,
        text: String,
        cursor: u64,
        truncated: bool,
    ) {
        let info = self.agent_info(agent);
        let text = ReadText { state: info.state, cursor, text, truncated, exit_code: info.exit_code };
        self.reply(client, id, Reply::Text(text));
    }

    pub(super) fn tick_reads(&mut self) {
        let now = self.now;
        for read in std::mem::take(&mut self.reads) {
            let Some(agent) = self.agents.get(&read.agent) else {
                let (client, id) = (read.client, read.id);
                self.reply(client, id, Reply::error(3, "the agent has gone"));
                continue;
            };
            let (text, lost, cursor) = agent.since(read.mode, read.since);
            if text.is_none() && now.ms < read.until_ms && !agent.gone() {
                self.reads.push(read);
                continue;
            }
            self.reply_text(read.client, read.id, read.agent, text.unwrap_or_default(), cursor, lost);
        }
        let late = |wait: &PendingWait| wait.until_ms.is_some_and(|at| now.ms >= at);
        for wait in self.waits.extract_if(.., |wait| late(wait)).collect::<Vec<_>>() {
            self.reply(wait.client, wait.id, Reply::error(124, "the time is up"));
        }
    }

    pub(super) fn wait(&mut self, wait: PendingWait) {
        let agent = wait.agent;
        self.waits.push(wait);
        self.check_waits(agent);
    }

    /// Answers the waits that this agent's state fulfils, or can never fulfil any more.
    pub(super) fn check_waits(&mut self, key: AgentKey) {
        let Some(agent) = self.agents.get(&key) else { return };
        let (state, info) = (agent.state, self.agent_info(key));
        let asking = state == State::Asking || (info.question.is_some() && state == State::Idle);
        let met = |what: WaitFor| match what {
            WaitFor::Idle => state == State::Idle,
            WaitFor::Asking => asking,
            WaitFor::Working => state == State::Working,
            WaitFor::Exited => state == State::Exited,
        };
        let over = |wait: &mut PendingWait| wait.agent == key && (met(wait.what) || state == State::Exited);
        for wait in self.waits.extract_if(.., over).collect::<Vec<_>>() {
            let reply = if met(wait.what) {
                Reply::Waited { state, exit_code: info.exit_code }
            } else {
                Reply::error(1, format!("{} has exited", info.name))
            };
            self.reply(wait.client, wait.id, reply);
        }
    }

    pub(super) fn history(&mut self, client: ClientKey, id: u64, key: AgentKey, from: u64, count: u64) {
        let agent = &self.agents[&key];
        let (first, end) = (agent.history.first(), agent.history.end());
        let from = from.clamp(first, end);
        let lines = agent.history.lines(from, count, agent.screen.size().cols);
        self.reply(client, id, Reply::History { from, first, end, lines });
    }
}

/// A `read` as asked for.
#[derive(Debug)]
pub(super) struct Read {
    pub agent: AgentKey,
    pub since: Option<u64>,
    pub tail: Option<u64>,
    pub wait_ms: u64,
    pub mode: ReadMode,
}

fn tailed(text: String, tail: Option<u64>) -> String {
    let Some(tail) = tail.and_then(|tail| usize::try_from(tail).ok()) else { return text };
    let count = text.lines().count();
    if count <= tail { text } else { text.lines().skip(count - tail).collect::<Vec<_>>().join("\n") }
}
