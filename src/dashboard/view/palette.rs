//! The command palette, and "are you sure".

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};
use ratatui::widgets::Paragraph;
use unicode_width::UnicodeWidthStr;

use crate::core::keymap::{Action, Context};
use crate::core::question::State as AgentState;
use crate::dashboard::agents::shut_down;
use crate::dashboard::look::Part;
use crate::dashboard::mode::Palette;
use crate::dashboard::mode::Sure;
use crate::dashboard::palette::found;
use crate::dashboard::state::State;

use super::form::edit_line;
use super::framing::{framed, key_foot, middle};
use super::list::{Window, window};
use super::text::{fit, pad, wrap};

/// Wide enough for the longest command with its description.
const BOX_COLS: u16 = 66;
/// The list scrolls beyond this, so that the box does not hide all panes.
const BOX_ROWS: u16 = 16;
const NAME_COLS: usize = 24;
const KEY_COLS: usize = 6;

pub fn draw(frame: &mut Frame<'_>, area: Rect, state: &State, palette: &Palette) {
    let found = found(state, &palette.edit.text);
    let rows = BOX_ROWS.min(found.len().max(1) as u16 + 3);
    let place = middle(frame, area, BOX_COLS, rows);
    let cols = usize::from(place.width).saturating_sub(2);
    let room = usize::from(place.height).saturating_sub(3);
    let Window { above, shown, below } = window(found.len(), room, palette.selected);
    let mut lines = vec![edit_line(state, &palette.edit, cols)];
    if found.is_empty() {
        lines.push(Line::styled(" no command has these letters", state.look.of(Part::Quiet)));
    }
    let quiet = state.look.of(Part::Quiet);
    lines.extend((above > 0).then(|| Line::styled(format!(" ↑ {above} more"), quiet)));
    for (i, item) in found.iter().enumerate().take(shown.end).skip(shown.start) {
        let here = i == palette.selected;
        // A name that has nothing beside it has the whole line; one that is longer than most, what it needs.
        let beside = if item.key.is_empty() && item.help.is_empty() { 2 } else { KEY_COLS + 3 };
        let name_cols = item.name.width().max(NAME_COLS).min(cols.saturating_sub(beside));
        let name = format!(" {} ", pad(&item.name, name_cols));
        let rest = format!("{} {}", pad(&item.key, KEY_COLS), item.help);
        let rest = pad(&rest, cols.saturating_sub(name.width()));
        let (first, second) = match here {
            true => (state.look.of(Part::Selected), state.look.of(Part::Selected)),
            false => (Style::new(), state.look.of(Part::Quiet)),
        };
        lines.push(Line::from(vec![Span::styled(fit(&name, cols), first), Span::styled(rest, second)]));
    }
    lines.extend((below > 0).then(|| Line::styled(format!(" ↓ {below} more"), quiet)));
    let foot = key_foot(state, Context::Palette, &[(Action::Give, "does it"), (Action::Close, "leaves")]);
    let block = framed(state, " find a command ", &foot, place.width);
    frame.render_widget(Paragraph::new(lines).block(block), place);
}

pub fn sure(frame: &mut Frame<'_>, area: Rect, state: &State, sure: &Sure) {
    let (words, does) = asked(state, sure);
    let cols = usize::from(area.width.min(BOX_COLS)).saturating_sub(2);
    let strong = |line: String| Line::styled(format!(" {line}"), state.look.of(Part::Strong));
    let mut lines: Vec<Line<'_>> = wrap(&words, cols.saturating_sub(2)).into_iter().map(strong).collect();
    lines.push(Line::default());
    let yes = format!(" {}", state.keymap.key(Context::Confirm, Action::Yes));
    let does = format!("{does}, any other key does not");
    let mut keys = wrap(&does, cols.saturating_sub(3 + yes.width())).into_iter();
    lines.push(Line::from(vec![
        Span::styled(yes, state.look.of(Part::Urgent)),
        Span::raw(format!(" {}", keys.next().unwrap_or_default())),
    ]));
    lines.extend(keys.map(|line| Line::raw(format!("   {line}"))));
    let place = middle(frame, area, BOX_COLS, lines.len() as u16 + 2);
    frame.render_widget(Paragraph::new(lines).block(framed(state, " sure? ", "", place.width)), place);
}

/// What a person is asked, and what their yes does.
fn asked(state: &State, sure: &Sure) -> (String, &'static str) {
    match sure {
        Sure::Stop(name) => match state.agent(name) {
            Some(agent) if agent.failed() || agent.info.state == AgentState::Exited => {
                (format!(" {name} does not run. Take it off the list?"), "takes it off")
            }
            Some(agent) if agent.info.is_adopted() => {
                (format!(" Let go of {name}? Its pane of your tmux goes on."), "lets it go")
            }
            _ => (format!(" Stop {name} and everything it started?"), "stops it"),
        },
        Sure::Restart(name) => {
            let doing = state.agent(name).map_or("runs", |agent| match agent.info.state {
                AgentState::Working => "is working",
                AgentState::Asking => "asks something",
                _ => "runs",
            });
            (format!(" {name} {doing}. End it and start it again?"), "restarts it")
        }
        Sure::Down => {
            let (ends, let_go) = shut_down(state);
            let goes_on = match let_go.len() {
                0 => String::new(),
                1 => " 1 pane of your tmux goes on.".to_owned(),
                panes => format!(" {panes} panes of your tmux go on."),
            };
            (format!(" Stop {ends}?{goes_on}"), "stops everything")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::agent::AgentInfo;
    use crate::core::keymap::Keymap;
    use crate::core::layout::Layout;
    use crate::core::terminal::keys::KeyPress;
    use crate::dashboard::update::{Event, update};
    use crate::wire::ServerMessage;
    use crate::wire::message::Notice;

    /// A pane of the person's own tmux was counted among what would be stopped. It is let go, and goes on.
    #[test]
    fn a_pane_that_goes_on_is_not_called_stopped() {
        let mut state =
            State::new(Keymap::standard(KeyPress::ctrl('a')), Layout::built_in(), 0, "test".into());
        let mut come = |name: &str, place: Option<&str>| {
            let info = AgentInfo { place: place.map(str::to_owned), ..AgentInfo::at_work(name) };
            let notice = ServerMessage::Notice(Notice::Agent(Box::new(info)));
            update(&mut state, Event::Server(Box::new(notice)), 1_000);
            asked(&state, &Sure::Down).0
        };
        let adopted = Some("tmux -S /tmp/tmux-0/default attach -t %1");
        assert_eq!(come("mine", adopted), " Stop the server? 1 pane of your tmux goes on.");
        assert_eq!(come("api", None), " Stop 1 agent and the server? 1 pane of your tmux goes on.");
        assert_eq!(come("other", adopted), " Stop 1 agent and the server? 2 panes of your tmux go on.");
        let hosted = Some("tmux -L counsel attach -t web");
        assert_eq!(come("web", hosted), " Stop 2 agents and the server? 2 panes of your tmux go on.");
        assert_eq!(asked(&state, &Sure::Stop("mine".into())).1, "lets it go");
        assert_eq!(asked(&state, &Sure::Stop("web".into())).1, "stops it");
    }
}
