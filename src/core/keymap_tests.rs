//! What is bound to what, and what cannot be.

use super::*;

fn prefix() -> KeyPress {
    KeyPress::ctrl('a')
}

fn own(context: Context, name: &str, keys: &[&str]) -> Overrides {
    let keys = keys.iter().map(|key| (*key).to_owned()).collect();
    Overrides::from([(context, BTreeMap::from([(name.to_owned(), keys)]))])
}

#[test]
fn every_key_of_the_table_does_what_the_table_says() {
    let map = Keymap::standard(prefix());
    for entry in ENTRIES {
        for key in entry.keys.split_whitespace() {
            let press = KeyPress::parse(key).unwrap();
            assert_eq!(map.action(entry.context, press), Some(entry.action), "{key}");
        }
        assert_eq!(map.keys(entry.context, entry.action), entry.keys);
        assert!(entry.help.chars().count() <= 28, "{} is too long for two columns", entry.help);
    }
    assert_eq!(map.action(Context::Panes, prefix()), Some(Action::Prefix));
    assert_eq!(map.action(Context::Panes, KeyPress::plain(Key::Char('%'))), None);
    assert_eq!(map.action(Context::Panes, KeyPress::ctrl('n')), None);
    assert_eq!(map.action(Context::Panes, KeyPress::plain(Key::Char('3'))), Some(Action::Number(3)));
}

#[test]
fn names_are_unique_in_their_table() {
    for context in Context::ALL {
        let mut names: Vec<&str> = entries(context).map(|entry| entry.name).collect();
        names.sort_unstable();
        let count = names.len();
        names.dedup();
        assert_eq!(names.len(), count, "{context:?}");
    }
}

#[test]
fn both_spellings_of_a_chord_are_that_chord() {
    let chord = KeyPress::parse("ctrl-\\").unwrap();
    assert!(same_key(KeyPress::ctrl('\\'), chord));
    assert!(same_key(KeyPress::ctrl('4'), chord));
    assert!(!same_key(KeyPress::plain(Key::Char('4')), chord));
    assert!(!same_key(KeyPress::plain(Key::Char('\\')), chord));
    let shifted = KeyPress { mods: Mods::SHIFT, ..KeyPress::plain(Key::Char('R')) };
    assert!(same_key(shifted, KeyPress::parse("R").unwrap()), "a kitty terminal says shift as well");
    let back = KeyPress::parse("shift-tab").unwrap();
    assert!(!same_key(back, KeyPress::plain(Key::Tab)));
}

#[test]
fn what_a_person_binds_counts_instead() {
    let map = Keymap::new(prefix(), &own(Context::Panes, "zoom", &["f11", "Z"])).unwrap();
    assert_eq!(map.action(Context::Panes, KeyPress::parse("f11").unwrap()), Some(Action::Zoom));
    assert_eq!(map.action(Context::Panes, KeyPress::parse("Z").unwrap()), Some(Action::Zoom));
    assert_eq!(map.action(Context::Panes, KeyPress::parse("z").unwrap()), None);
    assert_eq!(map.chord(Action::Zoom), "ctrl-a f11");
    let map = Keymap::new(prefix(), &own(Context::Panes, "zoom", &[])).unwrap();
    assert_eq!(map.keys(Context::Panes, Action::Zoom), "");
    assert_eq!(map.chord(Action::Zoom), "ctrl-a :", "it is in the palette");
}

#[test]
fn conflicts_are_told_where_they_were_written() {
    let told = |overrides: &Overrides| {
        let fault = Keymap::new(prefix(), overrides).unwrap_err();
        format!("{}.{}: {}", fault.context.table(), fault.name, fault.what)
    };
    let cases = [
        (own(Context::Panes, "zoom", &["n"]), "keys.zoom: 'n' is the key of 'next'"),
        (own(Context::Panes, "zoom", &["1"]), "keys.zoom: '1' cannot be bound: the digits choose an agent"),
        (own(Context::Panes, "zoom", &["ctrl-a"]), "keys.zoom: 'ctrl-a' cannot be bound: the prefix"),
        (own(Context::Panes, "zoom", &["esc"]), "keys.zoom: 'esc' cannot be bound"),
        (own(Context::Panes, "zoom", &["hyper-x"]), "keys.zoom: 'hyper-x' is not a key"),
        (own(Context::Panes, "zoon", &["z"]), "keys.zoon: there is no action 'zoon'; there are answer"),
        (own(Context::Questions, "give", &["3"]), "question_keys.give: '3' cannot be bound: the digits"),
        (own(Context::Questions, "give", &["q"]), "question_keys.give: 'q' is the key of 'close'"),
        (
            own(Context::Questions, "give", &["ctrl-a"]),
            "question_keys.give: 'ctrl-a' cannot be bound: it is the",
        ),
        (
            own(Context::Palette, "close", &["q"]),
            "palette_keys.close: 'q' cannot be bound: letters are typed",
        ),
        (own(Context::Palette, "down", &["up"]), "palette_keys.down: 'up' is the key of 'up'"),
        (own(Context::Form, "start", &["left"]), "form_keys.start: 'left' cannot be bound: it edits what"),
        (own(Context::Log, "open", &["space"]), "log_keys.open: 'space' cannot be bound: letters are typed"),
        (own(Context::Steps, "close", &["n"]), "step_keys.close: 'n' is the key of 'next'"),
        (own(Context::Confirm, "yes", &["esc"]), "confirm_keys.yes: 'esc' cannot be bound: esc never says"),
        (own(Context::Confirm, "no", &["n"]), "confirm_keys.no: there is no action 'no'; there are yes"),
    ];
    for (overrides, words) in cases {
        let told = told(&overrides);
        assert!(told.starts_with(words), "{told}");
    }
    let mut both = own(Context::Panes, "zoom", &["f2"]);
    both.get_mut(&Context::Panes).unwrap().insert("layout".into(), vec!["f2".into()]);
    assert_eq!(told(&both), "keys.layout: 'f2' is bound to 'zoom' as well; give one of them another key");
}

#[test]
fn a_prefix_leaves_the_keys_that_everybody_needs() {
    for text in ["ctrl-a", "ctrl-b", "`", "f12", "alt-x", "ctrl-space"] {
        assert!(prefix_chord(text).is_ok(), "{text}");
    }
    for text in ["enter", "esc", "tab", "backspace", "space", "1", "ctrl-m", "ctrl-i", "ctrl-["] {
        assert!(prefix_chord(text).is_err(), "{text}");
    }
}

/// A dashboard whose prefix was ctrl-ü had no way out on a terminal without the kitty keyboard.
#[test]
fn what_no_terminal_sends_is_neither_prefix_nor_the_way_out() {
    for text in ["ctrl-ü", "ctrl-1", "ctrl-,", "ctrl-shift-a", "ctrl-enter", "alt-ctrl-ü", "ctrl-shift-7"] {
        let (prefix, detach) = (prefix_chord(text), detach_chord(text));
        assert!(prefix.is_err_and(|why| why.contains(text) && why.contains("terminals")), "{text}");
        assert!(detach.is_err(), "{text}");
    }
    for text in [
        "ctrl-a",
        "ctrl-z",
        "ctrl-h",
        "ctrl-\\",
        "ctrl-]",
        "ctrl-^",
        "ctrl-_",
        "ctrl-/",
        "ctrl-@",
        "ctrl-4",
        "ctrl-space",
        "alt-x",
        "alt-X",
        "alt-ü",
        "alt-1",
        "ctrl-alt-x",
        "f1",
        "f12",
        "f20",
        "ctrl-f5",
        "shift-f3",
        "ctrl-up",
        "alt-left",
        "ctrl-home",
        "ctrl-delete",
        "alt-enter",
    ] {
        assert_eq!(detach_chord(text).err(), None, "{text}");
        assert_eq!(prefix_chord(text).err(), None, "{text}");
    }
    for text in ["ü", "`", "A", "shift-a", "~", "shift-tab", "up"] {
        assert_eq!(prefix_chord(text).err(), None, "{text}");
    }
}
