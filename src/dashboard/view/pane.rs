//! One agent's pane: its title and border, its screen or its scrollback.
//!
//! The only file that knows tui-term. A program's text reaches the buffer as cells, never as bytes.

use ratatui::Frame;
use ratatui::buffer::Cell as BufferCell;
use ratatui::layout::Rect;
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, BorderType};
use tui_term::widget::{Cell as TermCell, Cursor, PseudoTerminal, Screen};
use unicode_width::UnicodeWidthStr;

use crate::core::layout::Area;
use crate::core::question::State as AgentState;
use crate::core::terminal::grid::{Attrs, Cell, Color as CellColor, Cursor as GridCursor, Grid, Row, Width};
use crate::dashboard::scroll::Scroll;
use crate::dashboard::state::{Agent, Mode, State};
use crate::dashboard::window;

use super::lines::{age, countdown, standing, state_words};
use super::text::fit;
use super::theme;

pub fn draw(frame: &mut Frame<'_>, area: Rect, state: &State, agent: &Agent) {
    let area = area.intersection(frame.area());
    if area.is_empty() {
        return;
    }
    let focused = state.focus.as_deref() == Some(&agent.info.name);
    let scroll = match &state.mode {
        Mode::Scroll(scroll) if scroll.name == agent.info.name => Some(scroll),
        _ => None,
    };
    let inner = frame_around(frame, area, state, agent, scroll.map(|scroll| &**scroll));
    if inner.is_empty() {
        return;
    }
    match scroll {
        Some(scroll) => scrolled(frame, inner, scroll),
        None => {
            let room = Area::new(inner.x, inner.y, inner.width, inner.height);
            let asked = state.question_of(&agent.info.name).map(|question| question.prompt.as_str());
            let (left, top) = window::origin(&agent.grid, room, focused, asked);
            let view = View::of(&agent.grid, (left, top));
            let cursor = Cursor::default().visibility(false);
            frame.render_widget(PseudoTerminal::new(&view).cursor(cursor), inner);
            mend_edge(frame, inner);
            if agent.info.state == AgentState::Exited {
                frame.buffer_mut().set_style(inner, theme::DIM);
            }
            let typing = focused && matches!(state.mode, Mode::Panes);
            let at = agent.grid.cursor;
            let (col, row) = (at.col.saturating_sub(left), at.row.saturating_sub(top));
            if typing && at.visible && col < inner.width && row < inner.height {
                frame.set_cursor_position((inner.x + col, inner.y + row));
            }
        }
    }
}

/// Border and title; gives the room inside.
fn frame_around(
    frame: &mut Frame<'_>,
    area: Rect,
    state: &State,
    agent: &Agent,
    scroll: Option<&Scroll>,
) -> Rect {
    let focused = state.focus.as_deref() == Some(&agent.info.name);
    let struck = state.broadcast && state.targets().contains(&agent.info.name);
    let (border, kind) = match (struck, focused) {
        (true, _) => (Style::new().fg(Color::Red), BorderType::Double),
        (false, true) => (theme::FOCUS, BorderType::Thick),
        (false, false) => (theme::DIM, BorderType::Rounded),
    };
    let room = usize::from(area.width).saturating_sub(2);
    let block = Block::bordered().border_type(kind).border_style(border);
    let block = block.title_top(title(state, agent, focused, room));
    let block = match scroll {
        Some(scroll) => block.title_bottom(Line::styled(fit(&scroll_words(scroll), room), theme::NEEDED)),
        None => match question_words(state, agent) {
            Some(words) => block.title_bottom(Line::styled(fit(&words, room), theme::NEEDED)),
            None => block,
        },
    };
    let inner = block.inner(area);
    frame.render_widget(block, area);
    inner
}

fn title(state: &State, agent: &Agent, focused: bool, room: usize) -> Line<'static> {
    let info = &agent.info;
    let style = theme::state_style(info);
    let name = fit(&info.name, room.saturating_sub(3));
    let words = state_words(info);
    let left = state.question_of(&info.name).and_then(|q| countdown(state, q));
    let full = format!("{words} {}", age(state, agent));
    // The shorter ones are for narrow panes: what runs out matters more than what has been.
    let choices = match left {
        Some(left) => [format!("{full} · {left} left"), format!("{words} · {left}"), left],
        None => [full, words, String::new()],
    };
    let left_over = room.saturating_sub(3 + name.width());
    let rest = choices.into_iter().map(|words| format!(" {words} ")).find(|w| w.width() <= left_over);
    let rest = rest.unwrap_or_default();
    Line::from(vec![
        Span::styled(format!(" {} ", theme::mark(info)), style),
        Span::styled(name, if focused { theme::FOCUS } else { theme::BOLD }),
        Span::styled(rest, style),
    ])
}

fn question_words(state: &State, agent: &Agent) -> Option<String> {
    let question = state.question_of(&agent.info.name)?;
    let hint = if state.needing_person().any(|q| q.id == question.id) {
        format!(" · {} a answers", state.prefix)
    } else {
        String::new()
    };
    Some(format!(" {} {}{hint} ", question.kind.name(), standing(question)))
}

fn scroll_words(scroll: &Scroll) -> String {
    if let Some(edit) = &scroll.search {
        let (before, after) = edit.parts();
        return format!(" /{before}▏{after} ");
    }
    let keys = if scroll.anchor.is_some() {
        "y copies, v ends"
    } else {
        "/ searches, v selects, y copies, q leaves"
    };
    format!(" line {} of {} · {keys} ", scroll.cursor + 1, scroll.lines.len())
}

fn scrolled(frame: &mut Frame<'_>, inner: Rect, scroll: &Scroll) {
    let height = usize::from(inner.height);
    // The window may have been sized for another height than there is now.
    let top = scroll.top.max((scroll.cursor + 1).saturating_sub(height)).min(scroll.cursor);
    let lines = scroll.lines.iter().skip(top).take(height);
    let rows: Vec<Row> = lines.map(|line| line.to_row(inner.width)).collect();
    let grid = Grid { size: (inner.width, inner.height), rows, cursor: GridCursor::default() };
    let view = View::of(&grid, (0, 0));
    frame.render_widget(PseudoTerminal::new(&view).cursor(Cursor::default().visibility(false)), inner);
    mend_edge(frame, inner);
    for (y, line) in (inner.y..inner.y + inner.height).zip(top..) {
        let row = Rect { y, height: 1, ..inner };
        if scroll.anchor.is_some() && scroll.selection().contains(&line) || line == scroll.cursor {
            frame.buffer_mut().set_style(row, theme::SELECTED);
        }
    }
}

/// A wide glyph whose right half would be over the border is left out.
fn mend_edge(frame: &mut Frame<'_>, inner: Rect) {
    let last = inner.x + inner.width - 1;
    for y in inner.y..inner.y + inner.height {
        if let Some(cell) = frame.buffer_mut().cell_mut((last, y)).filter(|cell| cell.symbol().width() > 1) {
            cell.set_symbol(" ");
        }
    }
}

/// A grid as tui-term wants to see it.
struct View<'a> {
    rows: &'a [Row],
    cells: Vec<Vec<Painted<'a>>>,
}

struct Painted<'a>(&'a Cell);

impl<'a> View<'a> {
    /// The part of the grid from this column and row on.
    fn of(grid: &'a Grid, (left, top): (u16, u16)) -> View<'a> {
        let rows = grid.rows.get(usize::from(top)..).unwrap_or_default();
        let cells = |row: &'a Row| row.cells.iter().skip(usize::from(left)).map(Painted).collect();
        View { rows, cells: rows.iter().map(cells).collect() }
    }
}

impl<'a> Screen for View<'a> {
    type C = Painted<'a>;

    fn cell(&self, row: u16, col: u16) -> Option<&Painted<'a>> {
        self.cells.get(usize::from(row))?.get(usize::from(col))
    }

    /// The terminal's own cursor is put where the focused agent's is; others show none.
    fn hide_cursor(&self) -> bool {
        true
    }

    fn cursor_position(&self) -> (u16, u16) {
        (self.rows.len() as u16, 0)
    }
}

impl TermCell for Painted<'_> {
    fn has_contents(&self) -> bool {
        self.0.ch != ' '
    }

    fn apply(&self, cell: &mut BufferCell) {
        let source = self.0;
        if source.width == Width::Spacer {
            cell.set_symbol(" ").set_style(style(source));
            return;
        }
        let mut glyph = String::new();
        source.push_to(&mut glyph);
        if glyph.chars().any(char::is_control) {
            glyph = " ".into();
        }
        cell.set_symbol(&glyph).set_style(style(source));
    }
}

fn style(cell: &Cell) -> Style {
    let color = |color: CellColor| match color {
        CellColor::Default => Color::Reset,
        CellColor::Indexed(index) => Color::Indexed(index),
        CellColor::Rgb(r, g, b) => Color::Rgb(r, g, b),
    };
    let pairs = [
        (Attrs::BOLD, Modifier::BOLD),
        (Attrs::DIM, Modifier::DIM),
        (Attrs::ITALIC, Modifier::ITALIC),
        (Attrs::UNDERLINE, Modifier::UNDERLINED),
        (Attrs::INVERSE, Modifier::REVERSED),
        (Attrs::HIDDEN, Modifier::HIDDEN),
        (Attrs::STRIKE, Modifier::CROSSED_OUT),
    ];
    let mut modifiers = Modifier::empty();
    for (bit, modifier) in pairs {
        modifiers.set(modifier, cell.style.attrs.has(bit));
    }
    Style::new().fg(color(cell.style.fg)).bg(color(cell.style.bg)).add_modifier(modifiers)
}
