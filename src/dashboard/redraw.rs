//! When the screen is drawn anew: after what changed it, and when time alone changes what it says.
//!
//! The loop asks it. Pure: times are Unix milliseconds.

use std::collections::BTreeSet;

use crate::core::layout::Shape;
use crate::core::terminal::frame_limit::FrameLimit;

use super::canvas::Rows;
use super::mode::Mode;
use super::note::{Note, Until};
use super::selection::Selection;
use super::state::{Prefix, Pressed, State};

/// Ages and countdowns are shown in seconds.
const SECOND_MS: u64 = 1_000;
/// Without anybody typing the ages are brought up to date this often, and a screen at rest is not drawn.
const AT_REST_MS: u64 = 60_000;

/// What of the state a key or the mouse can change while the agents have the keyboard.
#[derive(Debug, PartialEq)]
pub struct Glance {
    focus: Option<String>,
    prefix: Prefix,
    note: Option<Note>,
    layout: usize,
    zoomed: bool,
    broadcast: bool,
    pressed: Pressed,
    selection: Option<Selection>,
    shape: Shape,
    looking: bool,
    theme: usize,
    /// Names, places and numbers of the agents are the person's to change in these ways.
    agents: usize,
    hidden: BTreeSet<String>,
    order: Vec<String>,
}

impl Glance {
    /// `None`: something of ours has the keyboard, and any key may change it.
    pub fn of(state: &State) -> Option<Glance> {
        (state.mode == Mode::Panes).then(|| Glance {
            focus: state.focus.clone(),
            prefix: state.prefix,
            note: state.note.clone(),
            layout: state.layout,
            zoomed: state.zoomed,
            broadcast: state.broadcast.on,
            pressed: state.pressed,
            selection: state.selection.clone(),
            shape: state.shape.clone(),
            looking: state.looking,
            theme: state.look.theme,
            agents: state.agents.len(),
            hidden: state.hidden.clone(),
            order: state.order.clone(),
        })
    }
}

/// What of the screen does not show the state.
#[derive(Debug, Default, PartialEq)]
pub enum Damage {
    #[default]
    None,
    /// These rows of agents' screens.
    Rows(Rows),
    All,
}

/// Whether the screen is to be drawn, and when.
#[derive(Debug, Default)]
pub struct Redraw {
    damage: Damage,
    limit: FrameLimit,
    typed_ms: Option<u64>,
    /// When everything was drawn last.
    drawn_ms: u64,
}

impl Redraw {
    /// The screen does not show the state any more.
    pub fn changed(&mut self) {
        self.damage = Damage::All;
    }

    /// These rows of an agent have changed, and nothing else.
    pub fn rows_changed(&mut self, name: &str, rows: impl IntoIterator<Item = u16>) {
        if self.damage == Damage::None {
            self.damage = Damage::Rows(Rows::new());
        }
        if let Damage::Rows(all) = &mut self.damage {
            all.entry(name.to_owned()).or_default().extend(rows);
        }
    }

    /// The person did something: the next frames are waited for.
    pub fn typed(&mut self, now_ms: u64) {
        self.limit.typed(now_ms);
        self.typed_ms = Some(now_ms);
    }

    /// When to draw: now, or at a moment to come; `None`: there is no reason to.
    pub fn due_ms(&self, now_ms: u64) -> Option<u64> {
        (self.damage != Damage::None).then(|| self.limit.due_ms(now_ms))
    }

    /// What is to be drawn now.
    pub fn take(&mut self, now_ms: u64) -> Damage {
        if self.damage == Damage::All {
            self.drawn_ms = now_ms;
        }
        std::mem::take(&mut self.damage)
    }

    /// That took a frame.
    pub fn written(&mut self, now_ms: u64) {
        self.limit.sent(now_ms);
    }

    /// When time alone will have changed what the screen says.
    pub fn tick_ms(&self, state: &State) -> u64 {
        let now = state.now_ms;
        let counting = |deadline: f64| deadline * 1_000.0 > now as f64;
        let counts = state.silent_since_ms.is_some()
            || state.questions.iter().filter_map(|question| question.deadline_at).any(counting);
        let typed = self.typed_ms.is_some_and(|typed| typed + AT_REST_MS > now);
        let clock = now.max(self.drawn_ms + if counts || typed { SECOND_MS } else { AT_REST_MS });
        // One that stays goes with a key.
        let passes = |note: &&Note| note.until_ms > now || !note.stays && note.until != Until::Seen;
        let passes = state.note.as_ref().filter(passes);
        let note = passes.map(|note| note.until_ms.max(now));
        let watch = state.watch_due_ms.map(|due| due.max(now));
        let story = state.story.as_ref().and_then(|story| Some(story.due_ms()?.max(now)));
        [note, watch, story].into_iter().flatten().fold(clock, u64::min)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::agent::AgentInfo;
    use crate::core::keymap::Keymap;
    use crate::core::layout::Layout;
    use crate::core::terminal::keys::{Input, KeyPress};
    use crate::dashboard::update::{Event, update};
    use crate::wire::message::{Notice, ServerMessage};

    const NOW: u64 = 1_000_000;

    fn agent(name: &str) -> ServerMessage {
        ServerMessage::Notice(Notice::Agent(Box::new(AgentInfo::at_work(name))))
    }

    fn state() -> State {
        let mut state =
            State::new(Keymap::standard(KeyPress::ctrl('a')), Layout::built_in(), 0, "test".into());
        update(&mut state, Event::Resize(120, 40), NOW);
        for name in ["api", "web"] {
            update(&mut state, Event::Server(Box::new(agent(name))), NOW);
        }
        // Its size has come to rest.
        update(&mut state, Event::Tick, NOW + 1_000);
        state
    }

    fn press(state: &mut State, key: &str) {
        update(state, Event::Input(Input::Key(KeyPress::parse(key).unwrap())), NOW + 1_000);
    }

    #[test]
    fn a_key_for_an_agent_changes_nothing_here_and_one_for_us_does() {
        let mut state = state();
        let before = Glance::of(&state);
        press(&mut state, "x");
        assert!(before.is_some() && Glance::of(&state) == before);
        press(&mut state, "ctrl-a");
        assert_ne!(Glance::of(&state), before, "the prefix is shown");
        press(&mut state, "n");
        assert_ne!(Glance::of(&state), before, "another agent has the focus");
        press(&mut state, "ctrl-a");
        press(&mut state, "?");
        assert_eq!(Glance::of(&state), None, "help has the keyboard");
    }

    #[test]
    fn the_next_page_of_the_keys_after_the_prefix_is_drawn() {
        let mut state = state();
        update(&mut state, Event::Resize(40, 10), NOW);
        press(&mut state, "ctrl-a");
        let before = Glance::of(&state);
        press(&mut state, "pagedown");
        assert!(state.prefix.pending && before.is_some());
        assert_ne!(Glance::of(&state), before);
    }

    #[test]
    fn a_screen_at_rest_is_drawn_once_a_minute() {
        let mut state = state();
        let mut redraw = Redraw::default();
        redraw.changed();
        assert_eq!(redraw.take(state.now_ms), Damage::All);
        assert_eq!(redraw.tick_ms(&state), state.now_ms + AT_REST_MS);
        assert_eq!(redraw.due_ms(state.now_ms), None);
        // Agents that print all the time do not put it off.
        redraw.rows_changed("api", [1]);
        redraw.take(state.now_ms + AT_REST_MS - 1);
        assert_eq!(redraw.tick_ms(&state), state.now_ms + AT_REST_MS);
        redraw.typed(state.now_ms);
        assert_eq!(redraw.tick_ms(&state), state.now_ms + SECOND_MS);
        redraw.typed(state.now_ms - AT_REST_MS);
        assert_eq!(redraw.tick_ms(&state), state.now_ms + AT_REST_MS);
        state.say("news");
        assert_eq!(redraw.tick_ms(&state), state.note.as_ref().unwrap().until_ms);
        // What waits for the person wakes nobody again and again.
        state.say_until(Until::Seen, "until esc");
        state.note.as_mut().expect("it was just said").until_ms = state.now_ms;
        assert_eq!(redraw.tick_ms(&state), state.now_ms + AT_REST_MS);
    }

    #[test]
    fn what_takes_no_frame_uses_none_up() {
        let mut redraw = Redraw::default();
        for _ in 0..100 {
            redraw.changed();
            assert_eq!(redraw.due_ms(NOW), Some(NOW));
            redraw.take(NOW);
        }
        for _ in 0..3 {
            redraw.changed();
            redraw.take(NOW);
            redraw.written(NOW);
        }
        redraw.changed();
        assert!(redraw.due_ms(NOW).is_some_and(|due| due > NOW));
        redraw.typed(NOW);
        assert_eq!(redraw.due_ms(NOW), Some(NOW));
    }
}
