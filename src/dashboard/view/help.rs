//! The help over the panes, and the first screen of somebody who has no agent yet.

use ratatui::Frame;
use ratatui::layout::{Margin, Rect};
use ratatui::text::{Line, Span};
use ratatui::widgets::Paragraph;
use unicode_width::UnicodeWidthStr;

use crate::core::keymap::{Action, Context, Entry, entries};
use crate::dashboard::look::Part;
use crate::dashboard::mode::{Help, Mode};
use crate::dashboard::state::{State, Team};

use super::framing::{framed, middle, rect};
use super::text::{fit, pad};

/// Two columns of keys and a few words each.
const HELP_COLS: u16 = 80;
const KEY_COLS: usize = 10;
/// A narrower column cuts its words.
const MIN_COLUMN: usize = 34;
/// Where no key is found.
const NOTHING: &str = "no key has these letters";
/// What marks mean, below the keys.
const LEGEND: [&str; 12] = [
    "◌ starts",
    "● works",
    "○ idle",
    "◉ done",
    "◆ asks",
    "‖ paused",
    "✓ ✗ ended",
    "♪ rang",
    "▪ runs: no known agent",
    "» consultant",
    "- hidden",
    "? unknown: not understood",
];

/// What has pages of its own; the last of them are few, and have theirs together.
const CHAPTERS: [&[Context]; 4] = [
    &[Context::Panes],
    &[Context::Questions],
    &[Context::Scrollback],
    &[Context::Palette, Context::Form, Context::Log, Context::Steps, Context::Confirm],
];

/// Where an action is found that has no key.
fn without_key(context: Context) -> &'static str {
    if context == Context::Panes { "palette" } else { "" }
}

/// What the marks mean, in as many lines as it takes; no mark is parted from its meaning.
fn legend(cols: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for words in LEGEND {
        match lines.last_mut() {
            Some(line) if line.width() + 1 + words.width() <= cols => line.push_str(&format!(" {words}")),
            _ => lines.push(format!(" {words}")),
        }
    }
    lines
}

/// Columns inside the border.
fn inside(area: Rect) -> usize {
    usize::from(area.width.min(HELP_COLS)).saturating_sub(2)
}

/// Columns and lines of keys a page has, and whether the marks stand below them: where they would take most of a page they
/// have one of their own.
fn room(area: Rect) -> (usize, usize, bool) {
    let cols = inside(area);
    let (rows, marks) = (usize::from(area.height).saturating_sub(2), legend(cols).len() + 1);
    let below = rows >= 2 * marks;
    ((cols / MIN_COLUMN).max(1), rows.saturating_sub(if below { marks } else { 0 }).max(1), below)
}

/// Keys, and what they do; without any, where the next ones count.
type Keys = (String, &'static str);

/// All keys of a chapter.
fn chapter(state: &State, contexts: &[Context]) -> Vec<Keys> {
    let several = contexts.len() > 1;
    let of = |context: &Context| {
        let head = several.then(|| (String::new(), context.place()));
        head.into_iter().chain(keys(state, *context)).collect::<Vec<Keys>>()
    };
    contexts.iter().flat_map(of).collect()
}

/// What was typed finds a key by its name, its words or itself; those of one place stand below its name.
fn found(state: &State, typed: &str) -> Vec<Keys> {
    let typed = typed.to_lowercase();
    let of = |context: Context| {
        let names: Vec<&str> = entries(context).map(|entry| entry.name).collect();
        let has = |at: usize, (keys, words): &Keys| {
            let name = names.get(at).copied().unwrap_or_default();
            let text = format!("{keys} {name} {words}").to_lowercase();
            typed.split_whitespace().all(|word| text.contains(word))
        };
        let all = keys(state, context).into_iter().enumerate();
        let some: Vec<Keys> = all.filter(|(at, key)| has(*at, key)).map(|(_, key)| key).collect();
        let head = (!some.is_empty()).then(|| (String::new(), context.place()));
        head.into_iter().chain(some).collect::<Vec<Keys>>()
    };
    Context::ALL.into_iter().flat_map(of).collect()
}

/// All keys of a context.
fn keys(state: &State, context: Context) -> Vec<Keys> {
    let of = |entry: &Entry| {
        let keys = state.keymap.keys(context, entry.action);
        (if keys.is_empty() { without_key(context).to_owned() } else { keys }, entry.help)
    };
    let mut all: Vec<Keys> = entries(context).map(of).collect();
    if context == Context::Panes {
        // These are nobody's to bind.
        all.push(("1-9".to_owned(), "go to that agent"));
        all.push((state.keymap.prefix.to_string(), "type this key itself"));
    }
    if context == Context::Questions {
        all.push(("1-9 y n".to_owned(), "choose that answer"));
    }
    all
}

/// The pages that the help has on a screen of this size, as what each is about and its keys.
fn contents(state: &State, area: Rect) -> Vec<(&'static [Context], Vec<Keys>)> {
    let (columns, rows, marks_below) = room(area);
    let mut pages = Vec::new();
    if let Some(typed) = searched(state) {
        let all = found(state, typed);
        pages.extend(all.chunks(columns * rows).map(|some| (&Context::ALL[..], some.to_vec())));
        if pages.is_empty() {
            pages.push((&Context::ALL[..], vec![(String::new(), NOTHING)]));
        }
        return pages;
    }
    for contexts in CHAPTERS {
        let all = chapter(state, contexts);
        pages.extend(all.chunks(columns * rows).map(|some| (contexts, some.to_vec())));
    }
    if !marks_below {
        pages.push((CHAPTERS[0], Vec::new()));
    }
    pages
}

/// What is looked for in it.
fn searched(state: &State) -> Option<&str> {
    match &state.mode {
        Mode::Help(Help { find: Some(edit), .. }) => Some(&edit.text),
        _ => None,
    }
}

/// How many pages there are, and the first about each context.
pub fn pages(state: &State) -> (usize, Vec<(Context, usize)>) {
    let pages = contents(state, rect(state.regions().over));
    let about = |context: Context, keys: &[Keys]| keys.iter().any(|(_, words)| *words == context.place());
    let first = |context: Context| {
        let headed = pages.iter().position(|(_, keys)| about(context, keys));
        headed.or_else(|| pages.iter().position(|(known, _)| known.contains(&context)))
    };
    let starts = Context::ALL.into_iter().filter_map(|context| Some((context, first(context)?)));
    (pages.len(), starts.collect())
}

pub fn draw(frame: &mut Frame<'_>, area: Rect, state: &State, open: &Help) {
    let page = open.page;
    let pages = contents(state, area);
    let Some((contexts, entries)) = pages.get(page.min(pages.len().saturating_sub(1))) else { return };
    let (columns, _, marks_below) = room(area);
    let rows = entries.len().div_ceil(columns);
    let mut marks = if marks_below || entries.is_empty() { legend(inside(area)) } else { Vec::new() };
    if marks_below {
        marks.insert(0, String::new());
    }
    let place = middle(frame, area, HELP_COLS, (rows + 2 + marks.len()) as u16);
    let cols = usize::from(place.width).saturating_sub(2);
    let column = cols / columns;
    let cell = |at: usize| {
        let Some((keys, help)) = entries.get(at) else { return Vec::new() };
        // Of several keys those that fit.
        let keys = keys.split(' ').fold(String::new(), |shown, key| match shown.is_empty() {
            true => key.to_owned(),
            false if shown.width() + 1 + key.width() <= KEY_COLS => format!("{shown} {key}"),
            false => shown,
        });
        if keys.is_empty() && contexts.len() > 1 {
            let place = if *help == NOTHING { format!(" {help}") } else { format!(" in {help}") };
            return vec![Span::styled(pad(&place, column), state.look.of(Part::Strong))];
        }
        let keys = format!("{} ", fit(&keys, KEY_COLS));
        let words = pad(help, column.saturating_sub(KEY_COLS + 1));
        vec![
            Span::styled(format!("{keys:>width$}", width = KEY_COLS + 1), state.look.of(Part::Focus)),
            Span::raw(words),
        ]
    };
    let line =
        |row: usize| Line::from((0..columns).flat_map(|c| cell(c * rows + row)).collect::<Vec<Span<'_>>>());
    let mut lines: Vec<Line<'_>> = (0..rows).map(line).collect();
    lines.extend(marks.into_iter().map(|words| Line::styled(fit(&words, cols), state.look.of(Part::Quiet))));
    let title = match contexts {
        _ if let Some(edit) = &open.find => {
            let (before, after) = edit.parts();
            format!(" /{before}▏{after} ")
        }
        _ if entries.is_empty() => " what the marks mean ".to_owned(),
        [Context::Panes] => format!(" after {}, everything else goes to the agent ", state.keymap.prefix),
        [context] => format!(" in {} ", context.place()),
        _ => " in what lies over the panes ".to_owned(),
    };
    let rest = match &open.find {
        Some(_) => "esc shows all again",
        None => "arrows turn · / searches · esc or q closes",
    };
    let foot = format!(" {} of {} · {rest} ", page + 1, pages.len());
    frame.render_widget(Paragraph::new(lines).block(framed(state, &title, &foot, place.width)), place);
}

pub fn welcome(frame: &mut Frame<'_>, area: Rect, state: &State) {
    let chord = |action| state.chord(action);
    // Whoever was here before has had a number.
    let first = match state.first_screen.had_agents {
        false => "No agent runs yet. Three keys to begin with:".to_owned(),
        true => "All agents have ended. Three keys to go on with:".to_owned(),
    };
    let mut lines = vec![
        (String::new(), first),
        (String::new(), String::new()),
        (chord(Action::NewAgent), "starts an agent here".to_owned()),
        (chord(Action::Help), "shows all keys".to_owned()),
        (chord(Action::Detach), "leaves; agents go on".to_owned()),
        (String::new(), String::new()),
        (String::new(), "In a shell:".to_owned()),
    ];
    let in_shell: &[(&str, &str)] = match state.first_screen.team {
        Team::NoFile => &[("counsel init", "writes a counsel.toml to begin with")],
        Team::LeftOut => &[("counsel trust", "asks about the counsel.toml here")],
        Team::Nobody => {
            &[("counsel.toml", "names no agent yet; edit it, then"), ("counsel up", "starts whom it names")]
        }
        Team::Agents => &[("counsel up", "starts the configured agents")],
    };
    let demo = ("counsel demo", "shows how it works");
    lines.extend(in_shell.iter().chain([&demo]).map(|(key, words)| ((*key).to_owned(), (*words).to_owned())));
    let place = middle(frame, area.inner(Margin::new(1, 1)), 58, lines.len() as u16);
    let line = |(key, words): (String, String)| {
        let indent = if key.is_empty() { String::new() } else { format!("  {}", pad(&key, 14)) };
        Line::from(vec![Span::styled(indent, state.look.of(Part::Focus)), Span::raw(words)])
    };
    frame.render_widget(Paragraph::new(lines.into_iter().map(line).collect::<Vec<_>>()), place);
}
