//! Nothing is done where it is not seen, and what cannot be done is said.

use counsel::core::question::State as AgentState;
use counsel::dashboard::mode::Mode;
use counsel::dashboard::update::Event;
use counsel::wire::message::{Reply, ServerMessage, Status};

use super::shown::{Desk, info, question};
use super::views::{after, scrollback};

/// `ctrl-a 3` over the log moved the focus behind it, and the next chord stopped another agent than one had looked at.
#[test]
fn a_chord_over_what_hides_the_panes_closes_it_first() {
    for open in ["ctrl-a l", "ctrl-a ?", "ctrl-a :", "ctrl-a c"] {
        for (chord, focus) in [("ctrl-a 3", "docs"), ("ctrl-a n", "web"), ("ctrl-a z", "api")] {
            let desk = after(after(Desk::team(80, 24), open), chord);
            assert_eq!(desk.state.mode, Mode::Panes, "{open}, {chord}");
            assert_eq!(desk.state.focus.as_deref(), Some(focus), "{open}, {chord}");
        }
    }
    // What was typed into the form is there when it is opened again.
    let desk = after(Desk::team(80, 24), "ctrl-a c c l a u d e ctrl-a n ctrl-a c");
    assert!(desk.text().contains("claude"), "{}", desk.text());
    // The help about where one is, is opened from there.
    let desk = after(scrollback(80, 24), "ctrl-a ?");
    assert!(matches!(desk.state.mode, Mode::Help(ref help) if help.page > 0));
}

/// `}` in main-and-stack, `>` where panes are stacked: the same screen, and no word.
#[test]
fn a_key_that_changes_nothing_says_why() {
    for keys in ["}", "{", ">", "<", "+", "-"] {
        for layout in 0..4 {
            for (cols, rows) in [(60, 15), (80, 24), (120, 40), (200, 60)] {
                let mut desk = Desk::team(cols, rows);
                desk.state.layout = layout;
                desk.press("ctrl-a 2");
                let before = desk.text();
                desk.press(&format!("ctrl-a {keys}"));
                assert_ne!(desk.text(), before, "{keys} in layout {layout} at {cols}x{rows}");
            }
        }
    }
    let mut desk = Desk::team(120, 40);
    desk.state.layout = 1;
    desk.press("ctrl-a 2 ctrl-a }");
    assert!(desk.text().contains("nothing to swap: in this layout the large pane is"), "{}", desk.text());
}

/// An id that stands nowhere on the screen, and a program that was to be started again but "nothing was stopped".
#[test]
fn what_did_not_happen_is_told_in_words_of_the_screen() {
    let desk = after(Desk::team(80, 24), "ctrl-a 2 ctrl-a R n");
    assert!(desk.text().contains("web goes on as it was"), "{}", desk.text());
    let mut desk = Desk::team(80, 24);
    desk.notice(counsel::wire::message::Notice::Question(question("api", Status::Escalated)));
    desk.press("ctrl-a a 2");
    let id = *desk.state.pending.keys().next_back().expect("it was answered");
    let reply = Reply::error(2, "could not answer api-1: the question takes no words of one's own");
    desk.event(Event::Server(Box::new(ServerMessage::Reply { id, reply })));
    let text = desk.text();
    assert!(text.contains("could not answer api's question: the question takes no words"), "{text}");
}

/// The line of the keys was cut in the middle of a word, the way out first.
#[test]
fn the_foot_of_a_scrollback_ends_with_the_way_out() {
    for (cols, rows) in [(40, 10), (60, 15), (80, 24), (120, 40)] {
        for (keys, way) in [
            ("", "esc leaves ━"),
            ("/ l i n e enter", "esc leaves ━"),
            ("/ s e s s i o n enter v", "y copies · esc ends ━"),
        ] {
            let text = after(scrollback(cols, rows), keys).text();
            assert!(
                text.contains(way) || text.contains(&way.replace('━', "┛")),
                "{cols}x{rows} {keys}:\n{text}"
            );
        }
        let long = after(scrollback(cols, rows), &format!("/ {}", "s e s s i o n s ".repeat(20)));
        assert!(long.text().contains('▏'), "{cols}x{rows}:\n{}", long.text());
    }
}

/// A letter behind a heart that asks to be an emoji was not drawn. This terminal joins no pictures: of each it shows the first
/// part, and the letters behind them stand where the agent put them.
#[test]
fn emoji_take_no_letter_away() {
    let mut desk = Desk::new(80, 24);
    desk.agent(info("api", AgentState::Working, 1.0));
    desk.shows("api", "a\u{2764}\u{fe0f}b \u{1f469}\u{200d}\u{1f4bb}c \u{1f3f3}\u{fe0f}\u{200d}\u{1f308}d");
    let text = desk.text();
    assert!(text.contains("a\u{2764}\u{fe0f}b \u{1f469}\u{200d}c \u{1f3f3}\u{fe0f}\u{200d}d"), "{text}");
}

/// After `counsel down` it offered to write a `counsel.toml`, and three keys to go on with, while it closed.
#[test]
fn what_closes_offers_nothing_to_go_on_with() {
    let mut desk = Desk::team(80, 24);
    for name in ["api", "web", "docs", "advisor"] {
        desk.notice(counsel::wire::message::Notice::Gone { name: name.into() });
    }
    assert!(desk.text().contains("Three keys to go on with"), "{}", desk.text());
    desk.notice(counsel::wire::message::Notice::Bye);
    assert!(!desk.text().contains("Three keys"), "{}", desk.text());
    assert!(desk.text().contains("this closes in a moment"), "{}", desk.text());
}
