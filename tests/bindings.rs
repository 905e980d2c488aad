//! Every binding of the dashboard: its key pressed, and what is then on the screen or on its way. A binding
//! without a line here fails the test.

mod shown;

use counsel::core::agent::{AgentInfo, Duty};
use counsel::core::keymap::{Action, Context, ENTRIES, Keymap, entries};
use counsel::core::question::State as AgentState;
use counsel::core::terminal::keys::KeyPress;
use counsel::dashboard::effect::Effect;
use counsel::dashboard::log_view::{Decision, Step};
use counsel::dashboard::update::Event;
use counsel::wire::message::{Notice, QuestionInfo, Status};
use shown::{Desk, info, permission, question, requests};

/// What a binding must lead to.
enum Then {
    /// Words that were not on the screen before.
    Shows(&'static str),
    /// Words that are no longer there.
    Hides(&'static str),
    /// A request that looks like this.
    Sends(&'static str),
    /// Something outside that looks like this.
    Does(&'static str),
    /// The first agent's pane is so many columns wider and rows higher.
    Grows(i32, i32),
    /// This key, pressed after it, shows words that were not there before.
    Leads(&'static str, &'static str),
}
use Then::{Does, Grows, Hides, Leads, Sends, Shows};

/// The binding, what is pressed before it, and what it does.
type Case = (Context, &'static str, &'static str, Then);

const CASES: &[Case] = &[
    (Context::Panes, "answer", "", Shows("┏ web asks permission")),
    (Context::Panes, "needed", "", Shows("▌2 ◆ web")),
    (Context::Panes, "questions", "", Shows("api asks · advisor is thinking ·")),
    (Context::Panes, "edit", "", Shows("> ")),
    (Context::Panes, "consult", "", Sends("Consult { id: \"api-1\", with: None }")),
    (Context::Panes, "zoom", "", Hides("2 ◆ web")),
    (Context::Panes, "scrollback", "", Shows("line 34 of 34")),
    (Context::Panes, "new-agent", "", Shows("new agent")),
    (Context::Panes, "detach", "", Does("Detach")),
    (Context::Panes, "suspend", "", Does("Suspend")),
    (Context::Panes, "next", "", Shows("▌2 ◆ web")),
    (Context::Panes, "previous", "", Shows("▌4 ●»advisor")),
    (Context::Panes, "last", "ctrl-a 3", Shows("▌1 ◆ api")),
    (Context::Panes, "left", "ctrl-a 2", Shows("▌1 ◆ api")),
    (Context::Panes, "right", "", Shows("▌2 ◆ web")),
    (Context::Panes, "up", "ctrl-a 3", Shows("▌1 ◆ api")),
    (Context::Panes, "down", "", Shows("▌3 ‖ docs")),
    (Context::Panes, "layout", "", Shows("layout: main-and-stack")),
    (Context::Panes, "hide", "", Shows("api has no pane now")),
    (Context::Panes, "swap-next", "", Shows("╮┏ ◆ 1 api")),
    (Context::Panes, "swap-previous", "ctrl-a 2", Shows("┓╭ ◆ 1 api")),
    (Context::Panes, "wider", "", Grows(4, 0)),
    (Context::Panes, "narrower", "", Grows(-4, 0)),
    (Context::Panes, "taller", "", Grows(0, 2)),
    (Context::Panes, "shorter", "", Grows(0, -2)),
    (Context::Panes, "pause", "", Sends("Pause { names: [\"api\"] }")),
    (Context::Panes, "restart", "", Shows("End it and start it again?")),
    (Context::Panes, "stop", "", Shows("Stop api and everything it started?")),
    (Context::Panes, "broadcast", "", Shows("BROADCAST reaches nobody")),
    (Context::Panes, "log", "", Shows("the log is being read")),
    (Context::Panes, "palette", "", Shows("find a command")),
    (Context::Panes, "help", "", Shows("everything else goes to the agent")),
    (Context::Panes, "theme", "", Shows("theme: dark")),
    (Context::Panes, "shut-down", "", Shows("Stop 4 agents and the server?")),
    (Context::Questions, "give", "ctrl-a a up up", Sends("Answer { id: \"web-2\"")),
    (Context::Questions, "up", "ctrl-a a down", Shows("› 1. Yes")),
    (Context::Questions, "down", "ctrl-a a", Shows("› 2. Yes, and don't ask again")),
    (Context::Questions, "tick", "ctrl-a a tab", Shows("1. [x] PostgreSQL")),
    (Context::Questions, "own-words", "ctrl-a a tab", Shows("enter gives this answer")),
    (Context::Questions, "edit", "ctrl-a 4 ctrl-a a", Shows("enter gives this answer")),
    (Context::Questions, "discard", "ctrl-a 4 ctrl-a a", Sends("Confirm { id: \"advisor-1\", accept: false")),
    (Context::Questions, "reject", "ctrl-a a", Sends("reject: true")),
    (Context::Questions, "consult", "ctrl-a a", Sends("Consult { id: \"web-2\", with: None }")),
    (Context::Questions, "consult-other", "ctrl-a a", Shows("whom to ask")),
    (Context::Questions, "take-over", "ctrl-a a tab", Sends("TakeOver { id: \"docs-1\" }")),
    (Context::Questions, "decisions", "ctrl-a a", Shows("the log is being read")),
    (Context::Questions, "next", "ctrl-a a", Shows("docs asks")),
    (Context::Questions, "previous", "ctrl-a a", Shows("· 1 of 4")),
    (Context::Questions, "close", "ctrl-a a", Hides("› 1. Yes")),
    (Context::Scrollback, "up", "ctrl-a [", Shows("line 33 of 34")),
    (Context::Scrollback, "down", "ctrl-a [ up up", Shows("line 33 of 34")),
    (Context::Scrollback, "page-up", "ctrl-a [", Shows("line 9 of 34")),
    (Context::Scrollback, "page-down", "ctrl-a [ g", Shows("line 26 of 34")),
    (Context::Scrollback, "half-up", "ctrl-a [", Shows("line 22 of 34")),
    (Context::Scrollback, "half-down", "ctrl-a [ g", Shows("line 13 of 34")),
    (Context::Scrollback, "top", "ctrl-a [", Shows("line 1 of 34")),
    (Context::Scrollback, "bottom", "ctrl-a [ g", Shows("line 34 of 34")),
    (Context::Scrollback, "left", "ctrl-a [ right right V", Does("y: 1")),
    (Context::Scrollback, "right", "ctrl-a [ g V", Does("y:li")),
    (Context::Scrollback, "search", "ctrl-a [", Shows(" /▏")),
    (Context::Scrollback, "next-match", "ctrl-a [ / l i n e enter", Shows("line 29 of 34")),
    (Context::Scrollback, "previous-match", "ctrl-a [ / l i n e enter n", Shows("line 30 of 34")),
    (Context::Scrollback, "previous-prompt", "ctrl-a [", Shows("line 9 of 34")),
    (Context::Scrollback, "next-prompt", "ctrl-a [ g", Shows("line 9 of 34")),
    (Context::Scrollback, "previous-question", "ctrl-a [", Shows("line 33 of 34")),
    (Context::Scrollback, "next-question", "ctrl-a [ g", Shows("line 20 of 34")),
    (Context::Scrollback, "select", "ctrl-a [", Shows("y copies")),
    (Context::Scrollback, "select-block", "ctrl-a [", Shows("y copies")),
    (Context::Scrollback, "copy", "ctrl-a [ g", Shows("copied 1 line")),
    (Context::Scrollback, "close", "ctrl-a [", Hides("line 34 of 34")),
    (Context::Palette, "do", "ctrl-a : z o o m", Hides("2 ◆ web")),
    (
        Context::Palette,
        "up",
        "ctrl-a : w e b down down",
        Leads("enter", "Stop web and everything it started?"),
    ),
    (Context::Palette, "down", "ctrl-a : w e b", Leads("enter", "Stop web and everything it started?")),
    (Context::Palette, "page-up", "ctrl-a : w e b down down", Leads("enter", "▌2 ◆ web")),
    (Context::Palette, "page-down", "ctrl-a :", Leads("enter", "▌2 ◆ web")),
    (Context::Palette, "close", "ctrl-a :", Hides("find a command")),
    (Context::Form, "start", "ctrl-a c c a t", Does("Start {")),
    (Context::Form, "complete", "ctrl-a c c a", Does("Complete {")),
    (Context::Form, "up", "ctrl-a c down down", Leads("x", "name        x")),
    (Context::Form, "down", "ctrl-a c", Leads("x", "name        x")),
    (Context::Form, "previous", "ctrl-a c", Leads("x", "prompt      x")),
    (Context::Form, "close", "ctrl-a c", Hides("new agent")),
    (Context::Log, "open", "", Shows("api · 1 of 2")),
    (Context::Log, "up", "down", Leads("enter", "api · 1 of 2")),
    (Context::Log, "down", "", Leads("enter", "web · 1 of 2")),
    (Context::Log, "page-up", "pagedown", Leads("enter", "api · 1 of 2")),
    (Context::Log, "page-down", "", Leads("enter", "docs · 1 of 2")),
    (Context::Log, "top", "down down", Leads("enter", "api · 1 of 2")),
    (Context::Log, "bottom", "", Leads("enter", "docs · 1 of 2")),
    (Context::Log, "close", "", Hides(" decisions ")),
    (Context::Steps, "next", "enter", Shows("2 of 2")),
    (Context::Steps, "previous", "enter right", Shows("1 of 2")),
    (Context::Steps, "up", "enter down", Shows("words 0")),
    (Context::Steps, "down", "enter", Hides("words 0")),
    (Context::Steps, "page-up", "enter pagedown", Shows("words 0")),
    (Context::Steps, "page-down", "enter", Hides("words 9")),
    (Context::Steps, "close", "enter", Hides("1 of 2")),
    (Context::Confirm, "yes", "ctrl-a x", Sends("Stop {")),
];

/// A team in which every binding has something to act on.
fn desk() -> Desk {
    let mut desk = Desk::new(160, 57);
    for name in ["api", "web"] {
        desk.agent(info(name, AgentState::Asking, 12.0));
    }
    desk.agent(info("docs", AgentState::Paused, 4_000.0));
    desk.agent(AgentInfo { role: Duty::Consultant, ..info("advisor", AgentState::Working, 3.0) });
    desk.shows("api", "I'll move the sessions.\r\n\r\nWhich database should I use?\r\n❯ 1. PostgreSQL");
    desk.notice(Notice::Question(question("api", Status::Consulting)));
    desk.notice(Notice::Question(permission("web")));
    let multi = QuestionInfo { multi: true, ..question("docs", Status::Consulting) };
    desk.notice(Notice::Question(multi));
    desk.notice(Notice::Question(question("advisor", Status::Proposed)));
    desk
}

fn history(desk: &mut Desk) {
    let mut lines: Vec<String> = (1..=30).map(|i| format!("line {i}")).collect();
    lines[8] = "❯ go on".into();
    lines[19] = "Which one?".into();
    desk.history(&lines.iter().map(String::as_str).collect::<Vec<&str>>());
}

/// The log as it was read: three decisions, each with two steps and more lines than a screen has.
fn decisions() -> Vec<Decision> {
    let text: String = (0..90).map(|line| format!("words {line}\n")).collect();
    let step = |what: &str| Step { what: what.into(), text: text.clone(), ..Step::default() };
    let decision = |agent: &str| Decision {
        agent: agent.into(),
        steps: vec![step("it asked"), step("it was answered")],
        ..Decision::default()
    };
    ["api", "web", "docs"].map(decision).to_vec()
}

/// Without the keys that lead to what it is about, the drawer is about the question that needs the person.
fn prepared(context: Context, before: &str) -> Desk {
    let mut desk = desk();
    if context == Context::Questions && before.starts_with("ctrl-a a") {
        desk.press("ctrl-a 2");
    }
    if matches!(context, Context::Log | Context::Steps) {
        desk.press("ctrl-a l");
        desk.event(Event::Log(Ok(decisions())));
    }
    // The history comes as soon as a scrollback is open.
    let (open, then) = before.split_once('[').map_or((before, ""), |(_, then)| ("ctrl-a [", then));
    desk.press(open);
    history(&mut desk);
    desk.press(then);
    desk
}

fn press_for(case: &Case) -> Vec<String> {
    let (context, name, ..) = case;
    let keymap = Keymap::standard(KeyPress::ctrl('a'));
    let entry = entries(*context).find(|entry| entry.name == *name).expect("it is in the table");
    let keys = keymap.keys(*context, entry.action);
    match (*context, keys.is_empty()) {
        (Context::Panes, true) => {
            let letters: Vec<String> = name.replace('-', "").chars().map(|ch| ch.to_string()).collect();
            vec![format!("ctrl-a : {} enter", letters.join(" "))]
        }
        (Context::Panes, false) => keys.split(' ').map(|key| format!("ctrl-a {key}")).collect(),
        (_, _) => keys.split(' ').map(str::to_owned).collect(),
    }
}

/// Whether it did; else how it looked before and after.
fn fault(case: &Case, keys: &str) -> Option<String> {
    let (context, name, before, then) = case;
    leads(prepared(*context, before), keys, then)
        .map(|fault| format!("{context:?} {name} ({keys}):\n{fault}"))
}

fn leads(mut desk: Desk, keys: &str, then: &Then) -> Option<String> {
    let former = desk.text();
    let place = desk.state.pane_of("api").expect("it is shown");
    let effects = desk.press(keys);
    history(&mut desk);
    let text = desk.text();
    let done = match then {
        Shows(words) => text.contains(words) && !former.contains(words),
        Hides(words) => former.contains(words) && !text.contains(words),
        Sends(words) => requests(&effects).into_iter().any(|request| format!("{request:?}").contains(words)),
        Does(words) => match words.split_once(':') {
            Some((key, copied)) => copies(&desk.press(key)) == copied,
            None => effects.iter().any(|effect| format!("{effect:?}").contains(words)),
        },
        Leads(key, words) => {
            desk.press(key);
            desk.text().contains(words) && !text.contains(words)
        }
        Grows(cols, rows) => {
            let grown = |now: u16, then: u16| i32::from(now) - i32::from(then);
            let now = desk.state.pane_of("api").expect("it is shown");
            (grown(now.cols, place.cols), grown(now.rows, place.rows)) == (*cols, *rows)
        }
    };
    (!done).then(|| format!("{former}\nthen:\n{text}\n{effects:?}"))
}

#[test]
fn every_binding_does_what_it_says() {
    let of = |case| press_for(case).into_iter().map(move |keys| (case, keys));
    let faults: Vec<String> =
        CASES.iter().flat_map(of).filter_map(|(case, keys)| fault(case, &keys)).collect();
    let names: Vec<&str> = faults.iter().filter_map(|fault| fault.lines().next()).collect();
    assert!(faults.is_empty(), "{names:#?}\n{}", faults[0]);
}

fn copies(effects: &[Effect]) -> String {
    use base64::Engine;
    let data = effects.iter().find_map(|effect| match effect {
        Effect::Clipboard(data) => Some(data),
        _ => None,
    });
    let bytes = base64::engine::general_purpose::STANDARD.decode(data.expect("something was copied"));
    String::from_utf8(bytes.expect("base64")).expect("text")
}

#[test]
fn every_binding_is_tested_here() {
    for entry in ENTRIES {
        let tested = CASES.iter().any(|(context, name, ..)| *context == entry.context && *name == entry.name);
        assert!(tested, "nothing tests {:?} {}", entry.context, entry.name);
    }
}

/// Keys that nobody can bind: what is pressed before them, they themselves, and what they do.
const FIXED: &[(&str, &str, Then)] = &[
    ("", "ctrl-a", Shows("ctrl-a and then")),
    ("ctrl-a", "esc", Hides("ctrl-a and then")),
    ("ctrl-a", "ctrl-a", Sends("Keys {")),
    ("", "ctrl-a 2", Shows("▌2 ◆ web")),
    ("ctrl-a x", "y", Sends("Stop {")),
    ("ctrl-a x", "n", Shows("nothing was stopped")),
    ("ctrl-a R", "y", Sends("Restart {")),
    ("ctrl-a R", "enter", Shows("api goes on as it was")),
    ("ctrl-a ?", "right", Shows(" 2 of ")),
    ("ctrl-a ? tab", "left", Shows(" 1 of ")),
    ("ctrl-a ?", "pagedown", Shows(" 2 of ")),
    ("ctrl-a ? down", "pageup", Shows(" 1 of ")),
    ("ctrl-a ?", "q", Hides("esc or q closes")),
    ("ctrl-a ?", "/", Shows("esc shows all again")),
    ("ctrl-a ? /", "z o o m", Hides("answer who needs you")),
    ("ctrl-a ? / z o o m", "esc", Shows("answer who needs you")),
    ("ctrl-a ? / z o o m", "enter", Hides("this agent alone")),
    ("ctrl-a :", "s c r o l l", Hides("answer who needs you")),
    ("ctrl-a : s c r o l l b", "enter", Shows("line 34 of 34")),
    ("ctrl-a : l a y o u t down", "enter", Shows("layout:")),
    ("ctrl-a : l a y o u t down down up", "enter", Shows("layout:")),
    ("ctrl-a :", "esc", Hides("find a command")),
    ("ctrl-a c", "c l a u d e", Shows("claude")),
    ("ctrl-a c c l a u", "tab", Does("Complete {")),
    ("ctrl-a c c l a u d e down", "n e w", Shows("name        new")),
    ("ctrl-a c c l a u d e down n e w", "up 2", Shows("claude2")),
    ("ctrl-a c c l a u d e down", "shift-tab 2", Shows("claude2")),
    ("ctrl-a c c l a u d e", "enter", Does("Start { id")),
    ("ctrl-a c", "enter", Shows("type a command, for example")),
    ("ctrl-a c", "esc", Hides("new agent")),
    ("ctrl-a l", "esc", Hides("the log is being read")),
    ("ctrl-a a C", "enter", Sends("with: Some(\"advisor\")")),
    ("ctrl-a a C", "esc", Hides("whom to ask")),
    ("ctrl-a a tab t", "n o", Shows("> no")),
    ("ctrl-a a tab t", "esc", Hides("enter gives this answer")),
    ("ctrl-a [ / l i n e", "enter", Shows("n N steps")),
    ("ctrl-a [ / l i n e", "esc", Hides("/line")),
];

#[test]
fn keys_that_nobody_can_bind_do_what_they_say() {
    let fault = |(before, keys, then): &(&str, &str, Then)| {
        let context = if before.starts_with("ctrl-a a") { Context::Questions } else { Context::Panes };
        leads(prepared(context, before), keys, then).map(|fault| format!("{before}, then {keys}:\n{fault}"))
    };
    let faults: Vec<String> = FIXED.iter().filter_map(fault).collect();
    let names: Vec<&str> = faults.iter().filter_map(|fault| fault.lines().next()).collect();
    assert!(faults.is_empty(), "{names:#?}\n{}", faults[0]);
}

#[test]
fn the_digits_choose_agents_and_options() {
    let mut desk = desk();
    desk.press("ctrl-a 3");
    assert!(desk.text().contains("▌3 ‖ docs"));
    let effects = desk.press("ctrl-a 2 ctrl-a a 3");
    assert!(format!("{:?}", requests(&effects)).contains("3. No"), "{effects:?}");
}

/// Sizes at which everything is to be found from the screen.
const SIZES: [(u16, u16); 5] = [(40, 10), (60, 15), (80, 24), (120, 40), (200, 60)];

/// All that is shown after the prefix, page after page.
fn which_key(desk: &mut Desk) -> String {
    desk.press("ctrl-a");
    let mut text = String::new();
    let pages = counsel::dashboard::view::which_key_pages(&desk.state);
    for page in 1..=pages {
        text.push_str(&desk.text());
        desk.press(if page < pages { "pagedown" } else { "" });
    }
    text
}

/// All pages of the help that is open.
fn help(desk: &mut Desk) -> String {
    let mut text = String::new();
    let (pages, _) = counsel::dashboard::view::help_pages(&desk.state);
    for _ in 0..pages {
        text.push_str(&desk.text());
        desk.press("right");
    }
    text
}

/// Help, palette and the keys after the prefix come from one table; each has to show all of it.
#[test]
fn help_palette_and_which_key_list_every_binding() {
    for (cols, rows) in SIZES {
        let mut desk = desk();
        desk.event(Event::Resize(cols, rows));
        let which_key = which_key(&mut desk);
        desk.press("esc ctrl-a ?");
        let help = help(&mut desk);
        desk.press("x ctrl-a :");
        let mut palette = String::new();
        for _ in 0..70 {
            palette.push_str(&desk.text());
            desk.press("down");
        }
        for (key, words) in [("1-9", "go to that"), ("ctrl-a", "type this"), ("1-9 y n", "choose that")] {
            let told = help.lines().any(|line| line.contains(&format!("{key} {words}")));
            assert!(told, "{cols}x{rows}: the help lacks {key}:\n{help}");
        }
        assert!(which_key.contains("1-9 agent") && which_key.contains("ctrl-a types it"), "{which_key}");
        for entry in ENTRIES {
            let shown = if cols < 80 { entry.help.split(' ').next().unwrap_or_default() } else { entry.help };
            assert!(help.contains(shown), "{cols}x{rows}: the help lacks {:?}:\n{help}", entry.help);
            if entry.context == Context::Panes {
                let name = entry.name.replace('-', " ");
                assert!(palette.contains(&name), "{cols}x{rows}: the palette lacks {name}:\n{palette}");
                let bound = !entry.keys.is_empty();
                assert!(
                    !bound || which_key.contains(&name),
                    "{cols}x{rows}: {name} is missing:\n{which_key}"
                );
            } else {
                let keys = format!("keys in {}", entry.context.place());
                let begins: String = keys.chars().take(20).collect();
                assert!(palette.contains(&begins), "{cols}x{rows}: the palette lacks {keys}:\n{palette}");
            }
        }
    }
}

/// Whoever is in the drawer, the palette or the log saw the keys that count behind the prefix, and none of those that count
/// there.
#[test]
fn what_is_open_has_its_keys_beside_those_behind_the_prefix() {
    let opened = |context, desk: &mut Desk| match context {
        Context::Questions => drop(desk.press("ctrl-a 2 ctrl-a a")),
        Context::Scrollback => {
            desk.press("ctrl-a [");
            history(desk);
        }
        Context::Palette => drop(desk.press("ctrl-a :")),
        Context::Form => drop(desk.press("ctrl-a c")),
        Context::Log | Context::Steps => {
            desk.press("ctrl-a l");
            desk.event(Event::Log(Ok(decisions())));
            desk.press(if context == Context::Steps { "enter" } else { "" });
        }
        Context::Panes | Context::Confirm => {}
    };
    let keymap = Keymap::standard(KeyPress::ctrl('a'));
    for (cols, rows) in SIZES {
        for context in Context::ALL {
            if matches!(context, Context::Panes | Context::Confirm) {
                continue;
            }
            let mut desk = desk();
            desk.event(Event::Resize(cols, rows));
            opened(context, &mut desk);
            let shown = which_key(&mut desk);
            let begins: String = format!("in {}", context.place()).chars().take(30).collect();
            assert!(shown.contains(&begins), "{cols}x{rows} {context:?}:\n{shown}");
            for entry in entries(context) {
                let line = format!("{} ", keymap.key(context, entry.action));
                let name = entry.name.replace('-', " ");
                // `shift-tab` stood right behind the name in the column before it.
                let apart = |text: &str| {
                    text.match_indices(&line).any(|(at, _)| !text[..at].ends_with(char::is_alphanumeric))
                };
                let told = shown.lines().any(|text| apart(text) && text.contains(&name));
                assert!(told, "{cols}x{rows} {context:?}: {line}{name} is missing:\n{shown}");
            }
            // And they still lead where they did.
            desk.press("?");
            let place = desk.text();
            assert!(place.contains(" closes"), "{cols}x{rows} {context:?}:\n{place}");
        }
        let mut desk = desk();
        desk.event(Event::Resize(cols, rows));
        desk.press("ctrl-a x");
        let text = desk.text();
        assert!(text.contains(" y "), "{cols}x{rows}:\n{text}");
    }
}

/// The help had up to 18 pages on the smallest screen, and no way through them but one by one.
#[test]
fn the_help_finds_a_key_by_a_few_letters() {
    for (cols, rows) in SIZES {
        let found = |typed: &str| {
            let mut desk = desk();
            desk.event(Event::Resize(cols, rows));
            desk.press("ctrl-a ? /");
            desk.types(typed);
            (counsel::dashboard::view::help_pages(&desk.state).0, desk.text())
        };
        let (pages, text) = found("block");
        assert_eq!(pages, 1, "{text}");
        assert!(text.contains("in the scrollback") && text.contains("V ctrl-v select a block"), "{text}");
        assert!(!text.contains("answer who"), "{text}");
        let (pages, text) = found("take over");
        assert_eq!(pages, 1, "{text}");
        assert!(text.contains("o take it"), "found by the name that the configuration has: {text}");
        let (_, text) = found("no such thing");
        assert!(text.contains("no key has these letters"), "{text}");
    }
}

/// The whole help of what follows the prefix is one page at 80x24.
#[test]
fn the_help_fits_a_small_screen() {
    let mut desk = Desk::team(80, 24);
    desk.press("ctrl-a ?");
    let text = desk.text();
    for entry in entries(Context::Panes).filter(|entry| entry.action != Action::Prefix) {
        assert!(text.contains(entry.help), "{}:\n{text}", entry.help);
    }
}
