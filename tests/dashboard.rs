//! What the dashboard looks like: every view at four sizes in three themes, compared with the pictures in
//! `tests/pictures`. `UPDATE=1` writes them anew.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

#[path = "dashboard/both.rs"]
mod both;
#[path = "dashboard/bound.rs"]
mod bound;
mod desk;
#[path = "dashboard/mouse.rs"]
mod mouse;
mod shown;
#[path = "dashboard/small.rs"]
mod small;
#[path = "dashboard/unseen.rs"]
mod unseen;
#[path = "dashboard/views.rs"]
mod views;

use counsel::core::agent::AgentInfo;
use counsel::core::question::State as AgentState;
use counsel::dashboard::log_view::Decision;
use counsel::dashboard::mode::Mode;
use counsel::dashboard::story::Story;
use counsel::dashboard::update::Event;
use counsel::wire::message::{Notice, Status};
use shown::{Desk, info, permission, question, same};
use unicode_width::UnicodeWidthStr;
use views::*;

const SIZES: [(u16, u16); 4] = [(60, 15), (80, 24), (120, 40), (200, 60)];
const THEMES: [&str; 5] = ["sixteen", "dark", "light", "colour-blind", "mono"];

#[test]
fn every_view_at_every_size() {
    for (name, view) in VIEWS {
        for (cols, rows) in SIZES {
            view(cols, rows).is_like(&format!("{name}-{cols}x{rows}"));
        }
    }
}

/// A theme changes how things look, never what is there.
#[test]
fn every_view_in_every_theme() {
    for (name, view) in VIEWS {
        for (cols, rows) in SIZES {
            let plain = view(cols, rows).text();
            for theme in THEMES {
                assert_eq!(view(cols, rows).theme(theme).text(), plain, "{name} {cols}x{rows} {theme}");
            }
        }
    }
    for (name, view) in VIEWS {
        let mut styles = format!("themes: {}\n", THEMES.join(" | "));
        for (cols, rows) in SIZES {
            styles.push_str(&format!("\n{cols}x{rows}\n{}", view(cols, rows).styles(&THEMES)));
        }
        same(&format!("{name}-styles"), &styles);
    }
}

/// Whatever is open, the way out of it or to all keys is on the screen; the lowest line is not cut without a mark; and
/// no wide character tears a pane's border.
#[test]
fn every_view_is_whole() {
    for (name, view) in VIEWS {
        for (cols, rows) in SIZES {
            let desk = view(cols, rows);
            let (text, judge) = (desk.text(), desk.screen());
            let ways = [
                "esc",
                "ctrl-a",
                "any other key",
                "closes in a moment",
                "trying again",
                "coming back",
                "what you type waits",
            ];
            assert!(ways.iter().any(|way| text.contains(way)), "{name} {cols}x{rows}:\n{text}");
            let last = text.lines().last().unwrap_or_default();
            let whole = last.width() < usize::from(cols) || last.ends_with(['…', '╯']);
            assert!(whole, "{name} {cols}x{rows}: {last:?}");
            // News that is too long for its line lies over the lowest pane for a moment.
            let long = desk.state.note.as_ref().is_some_and(|note| note.text.width() + 2 > usize::from(cols));
            if !matches!(desk.state.mode, Mode::Panes) || desk.state.prefix.pending || long {
                continue;
            }
            for (agent, area) in desk.state.panes() {
                for (x, y) in
                    (area.y..area.y + area.rows).flat_map(|y| [(area.x, y), (area.x + area.cols - 1, y)])
                {
                    let cell = judge.screen().cell(y, x).map(vt100::Cell::contents).unwrap_or_default();
                    assert!(
                        "╭╮╰╯│┏┓┗┛┃╔╗╚╝║".contains(cell) && !cell.is_empty(),
                        "{name} {}: {cell:?} at {x},{y}",
                        agent.info.name
                    );
                }
            }
        }
    }
}

/// What Enter gives is seen in every theme, also in the one without colours.
#[test]
fn what_is_highlighted_stands_out_in_every_theme() {
    let highlighted = [("permission", "› 1. Yes", " 3. No"), ("suggested", "› 2. SQLite", " 1. PostgreSQL")];
    for (name, here, there) in highlighted {
        let (_, view) = VIEWS.iter().find(|(known, _)| *known == name).expect("a view");
        for theme in THEMES {
            let desk = view(120, 40).theme(theme);
            let judge = desk.screen();
            let of = |words: &str| {
                let rows: Vec<String> = judge.screen().rows(0, 120).collect();
                let (y, row) =
                    rows.iter().enumerate().find(|(_, row)| row.contains(words)).expect("it is shown");
                let x = row[..row.find(words).unwrap()].chars().count() + 4;
                let cell = judge.screen().cell(y as u16, x as u16).expect("a cell");
                (cell.fgcolor(), cell.bgcolor(), cell.bold(), cell.inverse(), cell.underline())
            };
            assert_ne!(of(here), of(there), "{name} in {theme}");
        }
    }
}

#[test]
fn the_terminals_title_says_who_is_needed() {
    assert!(needed(80, 24).state.outer_title().starts_with("(!) counsel: 1 question for you, 4 agents"));
    let mut one = Desk::new(80, 24);
    one.agent(info("api", AgentState::Idle, 1.0));
    assert_eq!(one.state.outer_title(), "counsel, 1 agent, 0 working");
}

/// At 80x24, without having read anything: who needs me and why, how to answer, zoom, scroll, add an agent
/// and leave.
#[test]
fn a_newcomer_finds_the_way_on_the_screen() {
    let text = settled(needed(80, 24)).text();
    assert!(text.contains("web asks permission · ctrl-a a"), "{text}");
    let mut calm = Desk::new(80, 24);
    calm.agent(info("api", AgentState::Working, 1.0));
    let text = calm.text();
    assert!(text.contains("ctrl-a: z zoom  [ scroll  c new  d leave  ? keys"), "{text}");
}

/// The foot of the drawer offered what could not be done there: Enter with nothing highlighted, a consultant where
/// none is set, words and a refusal for a password. It says what digits do, and how many options are out of view.
#[test]
fn the_drawer_offers_what_can_be_done() {
    let nothing_highlighted = after(branches(120, 40), "ctrl-a a").text();
    assert!(!nothing_highlighted.contains("enter gives"), "{nothing_highlighted}");
    let highlighted = after(branches(120, 40), "ctrl-a a 1 3").text();
    assert!(highlighted.contains("enter gives · digits highlight"), "{highlighted}");
    let small = after(branches(80, 24), "ctrl-a a 1").text();
    assert!(small.contains(" more") && small.contains("branch-1"), "{small}");
    let few = after(Desk::team(120, 40), "ctrl-a a").text();
    assert!(few.contains("digits give at once") && few.contains("o takes over"), "{few}");
    assert!(!few.contains("c consults"), "its consultant is at it: {few}");
    let mut escalated = Desk::team(140, 40);
    escalated.notice(Notice::Question(question("api", Status::Escalated)));
    let escalated = after(escalated, "ctrl-a a").text();
    assert!(escalated.contains("c consults") && !escalated.contains("takes over"), "{escalated}");
    let mut alone = Desk::team(140, 40);
    alone.agent(AgentInfo { consultant: None, ..info("api", AgentState::Asking, 1.0) });
    let alone = after(alone, "ctrl-a a").text();
    assert!(alone.contains("own words") && !alone.contains("c consults"), "{alone}");
    // What is asked in a line has no key that declines.
    assert!(!nothing_highlighted.contains("declines") && few.contains("r declines"), "{nothing_highlighted}");
    // Whatever there is no room for, the way out is told.
    for (name, view) in VIEWS.iter().filter(|(name, _)| ["permission", "suggested", "ticks"].contains(name)) {
        for (cols, rows) in [(60, 15), (80, 24), (100, 30), (120, 40)] {
            assert!(view(cols, rows).text().contains("esc closes"), "{name} {cols}x{rows}");
        }
    }
    let password = after(password(120, 40), "ctrl-a q").text();
    assert!(password.contains("enter goes to its pane"), "{password}");
    assert!(!password.contains("own words") && !password.contains("declines"), "{password}");
}

/// The story lay over the lower edge of the log, and with it over the keys that lead out of there.
#[test]
fn a_story_hides_no_way_out() {
    for (keys, way) in [("ctrl-a l", "esc"), ("ctrl-a ?", "esc or q closes"), ("ctrl-a :", "esc")] {
        let mut desk = Desk::team(80, 24);
        desk.state.story = Some(Story::begin("Three agents begin to work.".into(), desk.now_ms));
        desk.press(keys);
        desk.event(Event::Log(Ok(Vec::new())));
        let text = desk.text();
        assert!(text.contains(way) && text.contains("F8 pauses"), "{keys}:\n{text}");
    }
}

/// At 80x24 three of the four layouts are one, and the key for the next one seemed to do nothing.
#[test]
fn the_next_layout_looks_otherwise() {
    for (cols, rows) in SIZES {
        let mut desk = Desk::team(cols, rows);
        let places = |desk: &Desk| -> Vec<_> {
            desk.state.panes().into_iter().map(|(agent, area)| (agent.number, area)).collect()
        };
        let first = desk.state.places_in(0);
        let several = (1..4).any(|at| desk.state.places_in(at) != first);
        for step in 0..4 {
            let before = places(&desk);
            desk.press("ctrl-a space");
            assert_eq!(places(&desk) != before, several, "{cols}x{rows}, step {step}:\n{}", desk.text());
        }
    }
}

/// Who needed the person had no tab on a narrow screen, and nothing said that there were more.
#[test]
fn tabs_say_how_many_there_is_no_room_for() {
    let mut desk = crowd(60, 15);
    desk.notice(Notice::Question(permission("web")));
    desk.press("ctrl-a 9");
    let text = desk.text();
    let first = text.lines().next().unwrap();
    assert!(first.starts_with(" ‹") && first.contains("9 ●agent-9"), "{first}");
    assert!(first.trim_end().ends_with('›'), "{first}");
    let hidden =
        |from: &str| from.chars().filter(char::is_ascii_digit).collect::<String>().parse::<usize>().unwrap();
    let (before, behind) =
        (first.split_whitespace().next().unwrap(), first.split_whitespace().last().unwrap());
    let shown = desk.state.agents.len() - hidden(before) - hidden(behind);
    assert_eq!(first.matches("agent-").count(), shown, "{first}");
    // All of them, where there is room.
    assert!(!Desk::team(60, 15).text().contains(['‹', '›']));
}

/// `:` stood before three actions, two of which it does not do.
#[test]
fn the_help_gives_no_key_to_what_has_none() {
    let text = after(Desk::team(120, 40), "ctrl-a ?").text();
    assert!(text.contains("palette stop everything") && text.contains("palette next theme"), "{text}");
    assert_eq!(text.matches(" : ").count(), 1, "{text}");
}

/// Where the locale has no UTF-8 nothing but ASCII goes to the terminal, an agent's own text included.
#[test]
fn every_view_can_be_ascii() {
    for (name, view) in VIEWS {
        let mut desk = view(80, 24);
        desk.state.look.ascii = true;
        let text = desk.text();
        assert!(text.is_ascii(), "{name}:\n{text}");
        if *name == "team" {
            same("team-80x24-ascii", &text);
        }
    }
}

#[test]
fn too_small_a_terminal_is_told_so() {
    let mut desk = needed(39, 9);
    desk.is_like("cramped-39x9");
    assert!(desk.state.watched.is_empty(), "no agent is resized to that");
    desk.event(Event::Resize(40, 10));
    desk.now_ms += 1_000;
    desk.event(Event::Tick);
    assert!(!desk.state.watched.is_empty());
    desk.is_like("least-40x10");
}

#[test]
fn no_size_and_no_number_of_agents_is_too_much() {
    let openings = [
        "", "ctrl-a ?", "ctrl-a :", "ctrl-a c", "ctrl-a x", "ctrl-a q", "ctrl-a [", "ctrl-a z", "ctrl-a b",
        "ctrl-a",
    ];
    for count in [0, 1, 9, 30] {
        for size in [(1, 1), (2, 2), (3, 9), (9, 3), (40, 10), (60, 11), (76, 12), (80, 24), (300, 100)] {
            let mut base = Desk::new(size.0, size.1);
            for i in 0..count {
                base.agent(info(&format!("agent-{i}"), AgentState::Working, 1.0));
                base.notice(Notice::Question(question(&format!("agent-{i}"), Status::Escalated)));
            }
            if count > 0 {
                base.shows("agent-0", &"漢字漢字 wide glyphs at every edge ❤️👍\r\n".repeat(40));
            }
            for keys in openings {
                let mut desk = Desk { state: base.state.clone(), now_ms: base.now_ms };
                desk.press(keys);
                for layout in 0..4 {
                    desk.state.layout = layout;
                    desk.event(Event::Tick);
                    assert_eq!(desk.text().lines().count(), usize::from(size.1), "{count} {size:?} {keys}");
                }
            }
        }
    }
}

#[test]
fn the_focused_agent_is_always_on_the_screen() {
    for (cols, rows) in [(40, 10), (80, 24), (200, 60)] {
        for layout in 0..4 {
            let mut desk = Desk::new(cols, rows);
            desk.state.layout = layout;
            for i in 0..30 {
                desk.agent(info(&format!("agent-{i}"), AgentState::Working, 1.0));
            }
            for _ in 0..31 {
                desk.press("ctrl-a n");
                let focus = desk.state.focus.clone().unwrap();
                assert!(desk.state.panes().iter().any(|(agent, _)| agent.info.name == focus), "{focus}");
            }
        }
    }
}

/// The legend was cut where columns are few: "✗ end…"; and where lines are few it left room for two keys on each of 37 pages.
#[test]
fn the_help_tells_every_mark_on_a_small_screen() {
    // A screen of 15 lines has room for eight keys beside the marks, and there are more than a hundred.
    for (cols, rows, most) in [(60, 15, 15), (50, 15, 15), (40, 10, 18)] {
        let mut desk = after(Desk::team(cols, rows), "ctrl-a ?");
        let (pages, _) = counsel::dashboard::view::help_pages(&desk.state);
        assert!(pages <= most, "{cols}x{rows}: {pages} pages");
        let mut text = String::new();
        for _ in 0..pages {
            text.push_str(&desk.text());
            desk.press("right");
        }
        for words in [
            "◌ starts",
            "✓ ✗ ended",
            "▪ runs: no known agent",
            "? unknown: not understood",
            // Those beside a name.
            "♪ rang",
            "» consultant",
            "- hidden",
        ] {
            assert!(text.contains(words), "{cols}x{rows}, {words}:\n{text}");
        }
    }
}

/// Whose work one looks at is told by its branch, before the words that a program has put in its title.
#[test]
fn a_panes_border_has_the_branch_of_its_folder() {
    let text = branches_shown(120, 40).text();
    assert!(text.contains("asks <1m · main · sessions to SQLite"), "{text}");
    assert!(text.contains("working 1m · feature/a-branch-with-a-name-th… "), "{text}");
}

/// Whoever had one pane before their eyes was not told how to have all again.
#[test]
fn a_zoomed_pane_says_how_to_leave_it() {
    for (cols, rows) in SIZES {
        let text = after(Desk::team(cols, rows), "ctrl-a z").text();
        assert!(text.contains("ctrl-a z shows all"), "{cols}x{rows}:\n{text}");
        assert!(!Desk::team(cols, rows).text().contains("shows all"));
    }
}

/// While an agent asked, its question took the place of the first keys, which a newcomer needs then as before.
#[test]
fn the_first_keys_are_on_the_screen_while_somebody_asks() {
    for (cols, rows) in [(80, 24), (120, 40), (200, 60)] {
        let text = settled(needed(cols, rows)).text();
        for words in ["z zoom", "[ scroll", "c new", "d leave", "ctrl-a ? keys"] {
            assert!(text.contains(words), "{cols}x{rows}, {words}:\n{text}");
        }
    }
}

/// Of the keys of a question those that did not fit the drawer's edge were cut off there, too.
#[test]
fn the_drawer_names_all_its_keys_at_80x24() {
    let text = after(Desk::team(80, 24), "ctrl-a a").text();
    for words in ["o takes over", "t own words", "C asks another", "/ history"] {
        assert!(text.contains(words), "{words}:\n{text}");
    }
    for desk in [suggested(80, 24), long_reason(80, 24)] {
        let text = after(desk, "ctrl-a a").text();
        for words in ["e changes it", "x turns it down", "t own words", "C asks another", "/ history"] {
            assert!(text.contains(words), "{words}:\n{text}");
        }
    }
}

/// `stop` did not say whom: Enter ended whichever agent had the focus.
#[test]
fn the_palette_says_on_which_agent_a_command_acts() {
    let text = after(Desk::team(80, 24), "ctrl-a : s t o p").text();
    assert!(text.contains("api: stop it; asks first"), "{text}");
    let text = after(Desk::team(80, 24), "ctrl-a n ctrl-a : r e s t").text();
    assert!(text.contains("web: start it again"), "{text}");
}

/// A long question begins with what was printed before it; a row of the log showed that instead of what was asked.
#[test]
fn a_row_of_the_log_shows_what_was_asked() {
    let mut desk = after(Desk::team(120, 40), "ctrl-a l");
    let prompt = format!("{} Shall I go on with the guide?", "The tests pass and all is well. ".repeat(8));
    desk.event(Event::Log(Ok(vec![Decision { agent: "api".into(), prompt, ..Decision::default() }])));
    let text = desk.text();
    assert!(text.contains("Shall I go on with the guide?"), "{text}");
}

/// A person of `less` presses PageDown: it closed the help.
#[test]
fn page_keys_turn_the_pages_of_the_help() {
    let text = after(Desk::team(60, 15), "ctrl-a ? pagedown").text();
    assert!(text.contains(" 2 of "), "{text}");
    let text = after(Desk::team(60, 15), "ctrl-a ? pagedown pageup").text();
    assert!(text.contains(" 1 of "), "{text}");
}

/// With two states among the agents there was no room for the first of the keys, and the list said as much of them.
#[test]
fn the_first_keys_come_before_what_the_list_says() {
    let mut desk = Desk::new(80, 24);
    desk.agent(info("api", AgentState::Working, 1.0));
    desk.agent(info("web", AgentState::Idle, 1.0));
    desk.agent(info("docs", AgentState::Paused, 1.0));
    let text = desk.text();
    assert!(text.contains("ctrl-a: z zoom  [ scroll  c new  d leave  ? keys"), "{text}");
    assert!(text.contains("grid · 3 agents"), "{text}");
}

/// Without an agent there is nothing to zoom and nothing to scroll.
#[test]
fn an_empty_dashboard_offers_what_can_be_done_there() {
    let text = Desk::new(80, 24).text();
    assert!(!text.contains("z zoom") && !text.contains("[ scroll"), "{text}");
    assert!(text.contains("c new  d leave  ? keys"), "{text}");
}
