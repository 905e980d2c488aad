//! Keys that a person has bound count in what lies over the panes, and what is said of them is said with those keys.

use std::collections::BTreeMap;

use counsel::core::keymap::{Context, Keymap, Overrides};
use counsel::core::terminal::keys::KeyPress;
use counsel::dashboard::log_view::Decision;
use counsel::dashboard::mode::Mode;
use counsel::dashboard::update::Event;

use super::shown::{Desk, requests};
use super::views::after;

/// The team, with keys that are bound otherwise.
fn desk(bound: &[(Context, &str, &str)]) -> Desk {
    let mut overrides = Overrides::new();
    for (context, name, keys) in bound {
        let keys = keys.split_whitespace().map(str::to_owned).collect();
        let names: &mut BTreeMap<_, _> = overrides.entry(*context).or_default();
        names.insert((*name).to_owned(), keys);
    }
    let mut desk = Desk::team(80, 24);
    desk.state.keymap = Keymap::new(KeyPress::ctrl('a'), &overrides).expect("no conflict");
    desk
}

#[test]
fn the_palette_follows_its_own_keys() {
    let bound = [
        (Context::Palette, "do", "ctrl-j"),
        (Context::Palette, "down", "ctrl-n"),
        (Context::Palette, "close", "ctrl-g"),
    ];
    let desk = after(desk(&bound), "ctrl-a : w e b");
    assert!(desk.text().contains("ctrl-j does it · ctrl-g leaves"), "{}", desk.text());
    let stop = after(desk, "down enter ctrl-n ctrl-j").text();
    assert!(stop.contains("Stop web and everything it started?"), "{stop}");
    assert_eq!(after(self::desk(&bound), "ctrl-a : ctrl-g").state.mode, Mode::Panes);
}

#[test]
fn the_form_follows_its_own_keys() {
    let bound = [(Context::Form, "start", "ctrl-s"), (Context::Form, "down", "down ctrl-n")];
    let mut desk = after(desk(&bound), "ctrl-a c c a t ctrl-n x");
    let text = desk.text();
    assert!(text.contains("name        x") && text.contains("ctrl-s starts it"), "{text}");
    assert_eq!(desk.press("enter"), [], "enter is bound to nothing");
    assert!(format!("{:?}", desk.press("ctrl-s")).contains("Start {"));
}

/// All but the lowest line, where time goes by.
fn above_the_edge(desk: &Desk) -> String {
    desk.text().trim_end().rsplit_once('\n').map(|(above, _)| above.to_owned()).unwrap_or_default()
}

#[test]
fn the_log_follows_its_own_keys() {
    let bound = [(Context::Log, "open", "ctrl-o"), (Context::Steps, "close", "backspace")];
    let mut desk = after(desk(&bound), "ctrl-a l");
    let decision = Decision { agent: "api".into(), steps: vec![Default::default()], ..Decision::default() };
    desk.event(Event::Log(Ok(vec![decision])));
    let list = above_the_edge(&desk);
    assert!(list.contains("ctrl-o steps through it · type to search · esc leaves"), "{list}");
    desk.press("ctrl-o");
    assert!(desk.text().contains("1 of 1") && desk.text().contains("backspace back"), "{}", desk.text());
    desk.press("backspace");
    assert_eq!(above_the_edge(&desk), list);
}

#[test]
fn only_the_bound_key_says_yes() {
    let bound = [(Context::Confirm, "yes", "Y")];
    let desk = after(desk(&bound), "ctrl-a x");
    assert!(desk.text().contains(" Y stops it, any other key does not"), "{}", desk.text());
    let stops = |key: &str| requests(&after(self::desk(&bound), "ctrl-a x").press(key)).len();
    assert_eq!((stops("y"), stops("Y")), (0, 1));
}

/// Help and palette list them as they are bound.
#[test]
fn every_key_is_in_the_help_and_found_in_the_palette() {
    for (cols, rows) in [(60, 15), (80, 24), (120, 40)] {
        let mut desk = desk(&[(Context::Form, "complete", "ctrl-t"), (Context::Confirm, "yes", "Y")]);
        desk.event(Event::Resize(cols, rows));
        desk.press("ctrl-a ?");
        let mut all = String::new();
        for _ in 0..20 {
            all.push_str(&desk.text());
            desk.press("right");
        }
        for words in ["ctrl-t complete the word", "Y do it; any other does not", "enter step through it"] {
            assert!(all.contains(words), "{cols}x{rows} {words}:\n{all}");
        }
    }
    // Opened over one of them, it begins there.
    let text = after(desk(&[]), "ctrl-a l ctrl-a ?").text();
    assert!(text.contains("in the log") && text.contains("enter step through it"), "{text}");
    let text = after(desk(&[]), "ctrl-a : c o m p l e t e").text();
    assert!(text.contains("keys in the form for a new agent"), "{text}");
    let text = after(desk(&[]), "ctrl-a : c o m p l e t e enter").text();
    assert!(text.contains("tab complete the word"), "{text}");
}

/// The help over the form threw away what had been typed into it.
#[test]
fn the_help_leaves_the_form_as_it_was() {
    let desk = after(desk(&[]), "ctrl-a c c l a u d e ctrl-a ? x ctrl-a c");
    assert!(desk.text().contains("claude"), "{}", desk.text());
}
