//! The bottom line: what needs a person and how to answer it, else news, else where one is and what to press.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use ratatui::widgets::{Clear, Paragraph};
use unicode_width::UnicodeWidthStr;

use crate::core::keymap::{Action, Context};
use crate::core::question::{Kind, State as AgentState};
use crate::dashboard::agent::Agent;
use crate::dashboard::agents::agents;
use crate::dashboard::in_its_pane::only_there;
use crate::dashboard::look::Part;
use crate::dashboard::mode::Mode;
use crate::dashboard::note::{Note, Until};
use crate::dashboard::state::State;
use crate::wire::message::{QuestionInfo, Status};

use super::text::{fit, pad, wrap};
use super::words;

/// The status line itself and the edge of the drawer with its keys.
const OVER_DRAWER: usize = 2;

/// Between news and who needs the person: the blank before the news, and two between them and behind.
const BESIDE_COLS: usize = 3;
/// Less of an agent's name says nothing.
const LEAST_NAME_COLS: usize = 8;

/// What a newcomer needs, while there is nothing more urgent.
pub const HINTS: [(Action, &str); 5] = [
    (Action::Zoom, "zoom"),
    (Action::Scrollback, "scroll"),
    (Action::NewAgent, "new"),
    (Action::Detach, "leave"),
    (Action::Help, "keys"),
];

pub fn draw(frame: &mut Frame<'_>, area: Rect, state: &State) {
    if area.is_empty() {
        return;
    }
    let cols = usize::from(area.width);
    let line = if let Some(words) = without_server(state) {
        Line::styled(pad(&format!(" {words} "), cols), state.look.of(Part::Warning))
    } else if state.broadcast.on {
        broadcast(state, cols)
    } else {
        usual(state, cols)
    };
    frame.render_widget(Paragraph::new(line), area);
}

/// What is the matter with the server, if anything is.
fn without_server(state: &State) -> Option<String> {
    if state.ended {
        return Some("the server and agents have ended; this closes in a moment".into());
    }
    if !state.connected {
        let typed = match (state.held_keys.given_up(), state.held_keys.is_empty()) {
            (true, _) => "what you type goes nowhere",
            (false, true) => "the agents go on",
            (false, false) => "what you type waits",
        };
        return Some(format!("no connection to the server; trying again, {typed}"));
    }
    if let Some(since) = state.silent_since_ms {
        let secs = state.now_ms.saturating_sub(since) / 1_000;
        return Some(format!("no answer from the server for {secs} s; what you type waits"));
    }
    // One that is only begun to be seen has nothing to come back with.
    (state.syncing && !state.agents.is_empty())
        .then(|| "the server is coming back; this is how it was".into())
}

/// The line of the story, and the keys that hold it up.
pub fn story(frame: &mut Frame<'_>, area: Rect, state: &State) {
    let Some(story) = state.story.as_ref().filter(|_| !area.is_empty()) else { return };
    let cols = usize::from(area.width);
    let keys = format!("  {} ", story.keys());
    let words = wrap(story.line(), cols.saturating_sub(3));
    let mut lines = words.into_iter();
    let first = format!(" › {}", lines.next().unwrap_or_default());
    let second = format!("   {}", lines.next().unwrap_or_default());
    let room = cols.saturating_sub(keys.width());
    let (strong, quiet) = (state.look.of(Part::Strong), state.look.of(Part::Quiet));
    let lines = vec![
        Line::styled(pad(&first, cols), strong),
        Line::from(vec![Span::styled(pad(&second, room), strong), Span::styled(fit(&keys, cols), quiet)]),
    ];
    frame.render_widget(Paragraph::new(lines), area);
}

fn broadcast(state: &State, cols: usize) -> Line<'static> {
    let names = |of: &[&Agent]| of.iter().map(|a| a.info.name.clone()).collect::<Vec<String>>().join(", ");
    let (reached, asking) = state.reached();
    let to = match reached.len() {
        0 => "reaches nobody".to_owned(),
        count => format!("to {}", agents(count)),
    };
    let mut words = format!(" BROADCAST {to} · {} ends it", state.chord(Action::Broadcast));
    let mut also = Vec::new();
    if !asking.is_empty() {
        let ask = if asking.len() == 1 { "which asks" } else { "which ask" };
        also.push(format!(" · not to {}, {ask}", names(&asking)));
    }
    if !reached.is_empty() {
        also.push(format!(" · {}", names(&reached)));
    }
    for part in also {
        // How it ends is not cut for it; of the names the first ones say enough.
        let left = cols.saturating_sub(words.width());
        words.push_str(&if left < LEAST_NAME_COLS { String::new() } else { fit(&part, left) });
    }
    Line::styled(pad(&words, cols), state.look.of(Part::Warning))
}

/// The news there is, if it can be told.
fn news(state: &State) -> Option<&Note> {
    // One that stays is not in the way of who needs the person.
    let shown = |note: &&Note| {
        // While what is typed goes nowhere, nothing is more urgent to know.
        note.until == Until::Seen || state.next_needed().is_none() || note.until_ms > state.now_ms
    };
    let free = without_server(state).is_none() && !state.broadcast.on;
    state.note.as_ref().filter(|_| free).filter(shown)
}

/// Who needs the person, as it is told beside something else that has the line. Of what a drawer shows, that says so.
fn called(state: &State) -> Option<String> {
    let drawer = matches!(state.mode, Mode::Drawer(_));
    let question = state.next_needed().filter(|_| !drawer && without_server(state).is_none())?;
    Some(needs_head(state, question, usize::from(state.size.0)))
}

/// Whether news and who needs the person do not fit into one line: then that has it, and the news stands elsewhere.
fn apart(state: &State, note: &Note) -> bool {
    let beside =
        |needed: String| note.text.width() + BESIDE_COLS + needed.width() > usize::from(state.size.0);
    called(state).is_some_and(beside)
}

/// What the line has no room for: over what else is at the edge.
struct Over {
    lines: Vec<String>,
    /// The row at which these begin.
    row: u16,
    part: Part,
}

/// `drawer`: the row at which an open question begins.
fn over(state: &State, drawer: Option<u16>) -> Option<Over> {
    let (cols, rows) = (usize::from(state.size.0).saturating_sub(2), state.size.1);
    // Above the line, which says something else meanwhile, and above the story.
    let above_line = rows.saturating_sub(1 + state.regions().story.rows);
    let panes = state.mode == Mode::Panes;
    if state.broadcast.on {
        let needed = called(state)?.trim_start().to_owned();
        let row = if panes { above_line.saturating_sub(1) } else { 0 };
        return Some(Over { lines: vec![needed], row, part: Part::Needed });
    }
    let note = news(state)?;
    let (apart, read) = (apart(state, note), state.acted_ms.is_none_or(|acted| acted <= note.said_ms));
    // Once the person has gone on one line of it is enough.
    let long = read && note.text.width() > cols;
    if !apart && !long {
        return None;
    }
    let mut lines = wrap(&note.text, cols);
    // Where a box has its keys below, at the upper edge; but never over what somebody asks.
    let above = match state.mode {
        Mode::Panes => false,
        Mode::Drawer(_) => drawer.is_none_or(|top| lines.len() <= usize::from(top)),
        _ => true,
    };
    let most = match state.mode {
        _ if !read => 1,
        Mode::Drawer(_) if !above => OVER_DRAWER,
        _ => usize::from(rows / 2).max(1),
    };
    if lines.len() > most {
        let rest = lines.split_off(most - 1).join(" ");
        lines.push(fit(&rest, cols));
    }
    let end = if apart { above_line } else { rows };
    let row = if above { 0 } else { end.saturating_sub(lines.len() as u16) };
    Some(Over { lines, row, part: Part::Strong })
}

/// Whether something of it lies over other parts of the screen.
pub fn covers(state: &State) -> bool {
    over(state, None).is_some()
}

/// What the line has no room for.
pub fn draw_over(frame: &mut Frame<'_>, state: &State, drawer: Option<u16>) {
    let Some(Over { lines, row, part }) = over(state, drawer) else { return };
    let whole = frame.area();
    let place = Rect { y: whole.y + row, height: lines.len() as u16, ..whole }.intersection(whole);
    let cols = usize::from(whole.width);
    let style = state.look.of(part);
    let lines: Vec<Line<'_>> =
        lines.into_iter().map(|line| Line::styled(pad(&format!(" {line}"), cols), style)).collect();
    frame.render_widget(Clear, place);
    frame.render_widget(Paragraph::new(lines), place);
}

fn usual(state: &State, cols: usize) -> Line<'static> {
    // A list says it at its head.
    let pages = state.pages().filter(|_| state.regions().list.cols == 0);
    let page = pages.map(|(page, pages)| format!(" page {page} of {pages} ·")).unwrap_or_default();
    let help = format!(" {} keys ", state.chord(Action::Help));
    let room = cols.saturating_sub(help.width());
    let news = news(state).filter(|note| !apart(state, note));
    if let (Some(note), Some(needed)) = (news, called(state)) {
        let room = cols.saturating_sub(needed.width() + 1);
        return Line::from(vec![
            Span::styled(pad(&format!(" {}", note.text), room), state.look.of(Part::Strong)),
            Span::styled(pad(&needed, cols - room), state.look.of(Part::Needed)),
        ]);
    }
    let (words, part) = match (news, state.next_needed()) {
        (Some(note), _) => (format!(" {}", note.text), Part::Strong),
        (None, Some(question)) => (needs(state, question, (room, cols)), Part::Needed),
        (None, None) => match state.questions.first() {
            Some(question) => (goes_on(state, question), words::standing_part(question)),
            None => return idle(state, cols),
        },
    };
    // A cause is not cut off for the sake of a hint, nor what is asked.
    let beside = [format!("{page}{help}"), help, String::new()];
    let beside = beside.into_iter().find(|beside| words.width() + beside.width() <= cols).unwrap_or_default();
    let room = cols - beside.width();
    Line::from(vec![
        Span::styled(pad(&words, room), state.look.of(part)),
        Span::styled(beside, state.look.of(Part::Quiet)),
    ])
}

/// "api asks permission · ctrl-a a": who, what, how, and then as much of the words as fits beside the hint. `cols`:
/// there are so many without it.
fn needs(state: &State, question: &QuestionInfo, (room, cols): (usize, usize)) -> String {
    let head = needs_head(state, question, cols);
    let left = room.saturating_sub(head.width() + 3);
    if left < 12 { head } else { format!("{head} · {}", words::subject(state, question, left)) }
}

/// The same without the words: how many others ask gives way first, then the end of a long name, but not the key.
fn needs_head(state: &State, question: &QuestionInfo, cols: usize) -> String {
    let more = match state.needing_person().count() {
        1 => String::new(),
        n => format!(" (+{} more)", n - 1),
    };
    let what = match question.status {
        Status::Proposed => format!("asks · {}", words::standing(question)),
        _ => words::asks(question.kind).to_owned(),
    };
    let (here, key) = (state.focus.as_ref() == Some(&question.agent), state.chord(Action::Answer));
    let how = match question.kind {
        _ if !only_there(question) => key,
        Kind::Password if here => "type in its pane".to_owned(),
        Kind::Password => format!("{key} goes there to type it"),
        _ if here => "answer in its pane".to_owned(),
        _ => format!("{key} goes there to answer it"),
    };
    let rests = [format!(" {what}{more} · {how}"), format!(" {what} · {how}")];
    let whole = |rest: &&String| 1 + question.agent.width() + rest.width() <= cols;
    match rests.iter().find(whole) {
        Some(rest) => format!(" {}{rest}", question.agent),
        None => {
            let name = fit(&question.agent, cols.saturating_sub(1 + rests[1].width()).max(LEAST_NAME_COLS));
            format!(" {name}{}", rests[1])
        }
    }
}

/// "api asks · advisor is thinking · 31s".
fn goes_on(state: &State, question: &QuestionInfo) -> String {
    let mut words =
        format!(" {} {} · {}", question.agent, words::asks(question.kind), words::standing(question));
    if let Some(left) = words::countdown(state, question) {
        words.push_str(&format!(" · {}", left.words()));
    }
    match state.questions.len() {
        1 => words,
        n => format!("{words} (+{} more)", n - 1),
    }
}

/// What is there, and what one can do, as far as there is room.
fn idle(state: &State, cols: usize) -> Line<'static> {
    let prefix = state.keymap.prefix.to_string();
    let hint = |(action, words): &(Action, &str)| {
        let key = state.keymap.key(Context::Panes, *action);
        (!key.is_empty()).then(|| format!("{key} {words}"))
    };
    // Without an agent there is nothing to look at or through.
    let of_agents = |action| matches!(action, Action::Zoom | Action::Scrollback);
    let of_use = |(action, _): &&(Action, &str)| !state.agents.is_empty() || !of_agents(*action);
    let mut hints: Vec<String> = HINTS.iter().filter(of_use).filter_map(hint).collect();
    let (head, mut states, page) = counts(state);
    let told = |hints: &[String]| format!(" {prefix}: {} ", hints.join("  "));
    // The list, or the tabs, say as much of each agent.
    while !states.is_empty()
        && head.width() + states.concat().width() + page.width() + told(&hints).width() > cols
    {
        states.pop();
    }
    let counts = format!("{head}{}{page}", states.concat());
    // The last of them leads to all others.
    while hints.len() > 1 && counts.width() + told(&hints).width() > cols {
        hints.remove(0);
    }
    let told = told(&hints);
    let room = cols.saturating_sub(told.width());
    Line::from(vec![
        Span::styled(pad(&counts, room), state.look.of(Part::Quiet)),
        Span::styled(fit(&told, cols), state.look.of(Part::Quiet)),
    ])
}

/// Where one is and how many there are, how many are in which state, and which page is shown of how many.
fn counts(state: &State) -> (String, Vec<String>, String) {
    let layout = state.layouts.get(state.layout).map_or("", |layout| layout.name.as_str());
    let layout = if state.zoomed { "zoom" } else { layout };
    let head = format!(" {layout} · {}", agents(state.agents.len()));
    let states =
        [(AgentState::Working, "working"), (AgentState::Idle, "idle"), (AgentState::Paused, "paused")];
    let count = |(agent_state, name)| match state.count(agent_state) {
        0 => None,
        count => Some(format!(" · {count} {name}")),
    };
    let page = state.pages().map(|(page, pages)| format!(" · page {page} of {pages}"));
    (head, states.into_iter().filter_map(count).collect(), page.unwrap_or_default())
}
