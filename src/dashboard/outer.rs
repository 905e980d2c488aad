//! What the outer terminal sends, as the product's own values.
//!
//! Dashboard and attach read crossterm events through it. No decisions: a chord is still a key here.

use crossterm::event::{
    Event, EventStream, KeyCode, KeyEvent, KeyEventKind, KeyModifiers, MouseButton, MouseEvent,
    MouseEventKind,
};
use futures_util::StreamExt;
use tokio::sync::mpsc::{self, Receiver};
use tokio::task::JoinHandle;

use crate::core::terminal::keys::{Action, Button, Input, Key, KeyPress, Mods, Mouse, MouseKind};

/// What happened at the outer terminal.
#[derive(Debug, Clone, PartialEq)]
pub enum Outer {
    Input(Input),
    Resize(u16, u16),
}

/// Events read but not yet taken: more than anybody types while one screen is drawn.
const EVENTS: usize = 256;

/// The events of the outer terminal, from a task of their own. Crossterm's stream spins on a lock and gives
/// its turn away several times whenever it is asked in vain: in a loop with other work that is with every
/// message, and each key waits for it.
#[derive(Debug)]
pub struct Events {
    events: Receiver<std::io::Result<Event>>,
    task: JoinHandle<()>,
}

impl Events {
    pub fn new() -> Events {
        let (sender, events) = mpsc::channel(EVENTS);
        let task = tokio::spawn(async move {
            let mut stream = EventStream::new();
            while let Some(event) = stream.next().await {
                if sender.send(event).await.is_err() {
                    return;
                }
            }
        });
        Events { events, task }
    }

    /// The next event; `None` once the terminal is gone.
    pub async fn next(&mut self) -> Option<std::io::Result<Event>> {
        self.events.recv().await
    }
}

impl Drop for Events {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Default for Events {
    fn default() -> Events {
        Events::new()
    }
}

/// `None` for what no agent can be sent: media keys, a lone modifier.
pub fn read(event: Event) -> Option<Outer> {
    Some(match event {
        Event::Key(event) => Outer::Input(Input::Key(key(event)?)),
        Event::Mouse(event) => Outer::Input(Input::Mouse(mouse(event)?)),
        Event::Paste(text) => Outer::Input(Input::Paste(text)),
        Event::FocusGained => Outer::Input(Input::Focus(true)),
        Event::FocusLost => Outer::Input(Input::Focus(false)),
        Event::Resize(cols, rows) => Outer::Resize(cols, rows),
    })
}

fn mods(from: KeyModifiers) -> Mods {
    let pairs = [
        (KeyModifiers::SHIFT, Mods::SHIFT),
        (KeyModifiers::ALT, Mods::ALT),
        (KeyModifiers::CONTROL, Mods::CTRL),
        (KeyModifiers::SUPER, Mods::SUPER),
    ];
    Mods(pairs.iter().filter(|(held, _)| from.contains(*held)).fold(0, |bits, (_, bit)| bits | bit.0))
}

fn key(event: KeyEvent) -> Option<KeyPress> {
    let mut mods = mods(event.modifiers);
    let key = match event.code {
        KeyCode::Char(ch) => Key::Char(ch),
        KeyCode::Enter => Key::Enter,
        KeyCode::Esc => Key::Esc,
        KeyCode::Tab => Key::Tab,
        KeyCode::BackTab => {
            mods.0 |= Mods::SHIFT.0;
            Key::Tab
        }
        KeyCode::Backspace => Key::Backspace,
        KeyCode::Up => Key::Up,
        KeyCode::Down => Key::Down,
        KeyCode::Left => Key::Left,
        KeyCode::Right => Key::Right,
        KeyCode::Home => Key::Home,
        KeyCode::End => Key::End,
        KeyCode::PageUp => Key::PageUp,
        KeyCode::PageDown => Key::PageDown,
        KeyCode::Insert => Key::Insert,
        KeyCode::Delete => Key::Delete,
        KeyCode::F(number) => Key::F(number),
        // crossterm's name for ctrl-space from a terminal without the kitty protocol.
        KeyCode::Null => {
            mods.0 |= Mods::CTRL.0;
            Key::Char(' ')
        }
        _ => return None,
    };
    let action = match event.kind {
        KeyEventKind::Press => Action::Press,
        KeyEventKind::Repeat => Action::Repeat,
        KeyEventKind::Release => Action::Release,
    };
    Some(KeyPress { key, mods, action })
}

fn mouse(event: MouseEvent) -> Option<Mouse> {
    let button = |button| match button {
        MouseButton::Left => Button::Left,
        MouseButton::Middle => Button::Middle,
        MouseButton::Right => Button::Right,
    };
    let (kind, button) = match event.kind {
        MouseEventKind::Down(b) => (MouseKind::Press, Some(button(b))),
        MouseEventKind::Up(b) => (MouseKind::Release, Some(button(b))),
        MouseEventKind::Drag(b) => (MouseKind::Drag, Some(button(b))),
        MouseEventKind::Moved => (MouseKind::Move, None),
        MouseEventKind::ScrollUp => (MouseKind::WheelUp, None),
        MouseEventKind::ScrollDown => (MouseKind::WheelDown, None),
        // No program among those we know takes a sideways wheel.
        MouseEventKind::ScrollLeft | MouseEventKind::ScrollRight => return None,
    };
    Some(Mouse { kind, button, row: event.row, col: event.column, mods: mods(event.modifiers) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_come_through_with_what_was_held() {
        let read = |code, held| {
            let Some(Outer::Input(Input::Key(press))) = read(Event::Key(KeyEvent::new(code, held))) else {
                panic!("{code:?} was lost")
            };
            press.to_string()
        };
        assert_eq!(read(KeyCode::Char('a'), KeyModifiers::CONTROL), "ctrl-a");
        assert_eq!(read(KeyCode::BackTab, KeyModifiers::SHIFT), "shift-tab");
        assert_eq!(read(KeyCode::Up, KeyModifiers::ALT | KeyModifiers::CONTROL), "ctrl-alt-up");
        assert_eq!(read(KeyCode::Null, KeyModifiers::NONE), "ctrl-space");
    }
}
