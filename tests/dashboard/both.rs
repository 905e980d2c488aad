//! Who needs the person is on the screen whatever else is told there, with the key that leads to it.

use counsel::core::question::{Kind, State as AgentState};
use counsel::dashboard::update::Event;
use counsel::wire::message::{Notice, QuestionInfo, Status};

use super::shown::{Desk, info, permission, question};
use super::views::{after, needed, plain, settled};

const NEWS: &str = "that esc came right after this was closed, and went nowhere";

/// Everything on the screen as one line of words.
fn words(desk: &Desk) -> String {
    let text = desk.text().replace(['┃', '│'], " ");
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// News stood for five seconds where it says who needs the person, and nothing else on a small screen did.
#[test]
fn news_hides_nobody_who_needs_the_person() {
    for (cols, rows) in [(40, 10), (60, 15), (80, 24), (120, 40), (200, 60)] {
        for keys in ["", "ctrl-a [", "ctrl-a :", "ctrl-a c", "ctrl-a l", "ctrl-a ?", "ctrl-a x"] {
            let mut desk = settled(after(needed(cols, rows), "ctrl-a 1"));
            desk.press(keys);
            for news in ["theme: dark", NEWS] {
                desk.state.say(news);
                let shown = words(&desk);
                let text = desk.text();
                assert!(shown.contains("web asks permission · ctrl-a a"), "{cols}x{rows} {keys}:\n{text}");
                assert!(shown.contains(news.get(..20).unwrap_or(news)), "{cols}x{rows} {keys}:\n{text}");
            }
        }
    }
}

/// The story's two lines stay what they are.
#[test]
fn news_lies_over_no_story() {
    let mut desk = settled(needed(80, 24));
    desk.state.story =
        Some(counsel::dashboard::story::Story::begin("Three agents begin.".into(), desk.now_ms));
    desk.event(Event::Tick);
    desk.state.say(NEWS);
    let text = desk.text();
    for told in
        ["Three agents begin.", "F8 pauses", "web asks permission · ctrl-a a", "that esc came right after"]
    {
        assert!(text.contains(told), "{told}:\n{text}");
    }
}

/// As long as what is typed went to all agents, nothing at the lower edge said that one waited for an answer.
#[test]
fn who_types_to_all_is_told_who_needs_them() {
    for (cols, rows) in [(40, 10), (60, 15), (80, 24), (120, 40), (200, 60)] {
        let desk = settled(after(needed(cols, rows), "ctrl-a 1 ctrl-a b"));
        let text = desk.text();
        assert!(text.contains("BROADCAST") && text.contains("ctrl-a b ends it"), "{cols}x{rows}:\n{text}");
        assert!(text.contains("web asks permission · ctrl-a a"), "{cols}x{rows}:\n{text}");
    }
}

/// "perm asks permission (+3 more) · ctrl-…" at 40 columns: how to get there was what was cut off.
#[test]
fn the_key_that_answers_is_never_cut_off() {
    for name in ["api", "an-agent-with-a-very-long-name-1"] {
        for (cols, rows) in [(40, 10), (60, 15), (80, 24)] {
            let mut desk = Desk::new(cols, rows);
            for name in [name, "web", "docs"] {
                desk.agent(info(name, AgentState::Asking, 9.0));
                desk.notice(Notice::Question(permission(name)));
            }
            let text = settled(desk).text();
            let last = text.lines().last().unwrap_or_default();
            assert!(last.contains("asks permission") && last.contains("ctrl-a a"), "{cols}x{rows}:\n{text}");
        }
    }
}

/// What it is about was the first to go where its options are long: "… 3 more lines of it", and not one of its words.
#[test]
fn something_of_what_is_asked_is_beside_its_options() {
    let label = |what: &str| {
        format!(
            "{what} every row of the table, and tell the owners of the sessions by mail about it right now, before they ask"
        )
    };
    let labels = [label("Keep"), label("Delete"), label("Move")];
    let labels = labels.each_ref().map(String::as_str);
    let prompt = "Which of these should the migration do with the table of sessions that were never closed?";
    for (cols, rows) in [(40, 10), (44, 11), (60, 12), (60, 15), (80, 24)] {
        let mut desk = Desk::new(cols, rows);
        desk.agent(info("api", AgentState::Asking, 9.0));
        desk.notice(Notice::Question(plain(Kind::Menu, prompt, &labels)));
        for keys in ["ctrl-a a", "down", "down", "down"] {
            desk.press(keys);
            let text = desk.text();
            assert!(words(&desk).contains("never closed?"), "{cols}x{rows} {keys}:\n{text}");
            let whole = ["Keep every", "Delete every", "Move every"];
            assert!(whole.iter().any(|label| text.contains(label)), "{cols}x{rows} {keys}:\n{text}");
            assert!(
                text.contains('…') || words(&desk).contains("Which of these"),
                "{cols}x{rows} {keys}:\n{text}"
            );
        }
        let text = desk.text();
        assert!(
            text.contains("3. Move every") && words(&desk).contains("before they ask"),
            "{cols}x{rows}:\n{text}"
        );
    }
}

/// The drawer of a yes or a no named neither key where it is narrow, and the way out of a cut question was cut itself.
#[test]
fn the_keys_of_a_yes_or_a_no_are_told_at_any_width() {
    for (cols, rows) in [(40, 10), (60, 15), (80, 24), (120, 40)] {
        let mut desk = Desk::new(cols, rows);
        for name in ["api", "web"] {
            desk.agent(info(name, AgentState::Asking, 9.0));
            let prompt = "Overwrite the file /etc/hosts which somebody else wrote? [y/N]";
            let asked = plain(Kind::Permission, prompt, &["y", "N"]);
            let note = permission(name).note;
            desk.notice(Notice::Question(QuestionInfo {
                id: format!("{name}-1"),
                agent: name.into(),
                note,
                ..asked
            }));
        }
        let text = after(desk, "ctrl-a a").text();
        assert!(text.contains("y, n ") && text.contains("give at once"), "{cols}x{rows}:\n{text}");
        assert!(text.contains("esc closes"), "{cols}x{rows}:\n{text}");
    }
}

/// Why a permission is the person's looked like what its last option means.
#[test]
fn a_cause_is_told_apart_from_the_options() {
    for (cols, rows) in [(40, 10), (80, 24), (120, 40)] {
        let text = after(needed(cols, rows), "ctrl-a a").text();
        assert!(text.contains(" yours: a permission"), "{cols}x{rows}:\n{text}");
    }
    // What is no cause of anything has no such word.
    let mut desk = Desk::team(80, 24);
    let note = Some("the second of two".to_owned());
    desk.notice(Notice::Question(QuestionInfo { note, ..question("api", Status::Consulting) }));
    let text = after(desk, "ctrl-a a").text();
    assert!(text.contains("the second of two") && !text.contains("yours:"), "{text}");
}

/// Nine agents ran, and the first that was drawn said that none did.
#[test]
fn nobody_is_said_to_be_missing_before_the_server_has_told() {
    let mut desk = Desk::new(80, 24);
    desk.event(Event::Found);
    let text = desk.text();
    assert!(!text.contains("No agent runs yet"), "{text}");
    let id = *desk.state.pending.keys().next_back().expect("it was asked");
    let reply = counsel::wire::message::Reply::Done;
    desk.event(Event::Server(Box::new(counsel::wire::message::ServerMessage::Reply { id, reply })));
    assert!(desk.text().contains("No agent runs yet"), "{}", desk.text());
}

/// From the hundredth agent on numbers and times left their columns.
#[test]
fn the_list_keeps_its_columns_with_a_hundred_agents() {
    for (cols, rows) in [(80, 24), (120, 40), (200, 60)] {
        let mut desk = Desk::new(cols, rows);
        (1..=120).for_each(|number| desk.agent(info(&format!("a{number}"), AgentState::Working, 60.0)));
        desk.press("ctrl-a p");
        let text = desk.text();
        let list = desk.state.regions().list.cols;
        let lines = text.lines().map(|line| line.chars().take(usize::from(list)).collect::<String>());
        let marks: Vec<usize> =
            lines.filter_map(|line| Some(line.split_once('●')?.0.chars().count())).collect();
        assert!(
            marks.len() > 5 && marks.iter().all(|at| *at == marks[0]),
            "{cols}x{rows}: {marks:?}\n{text}"
        );
    }
}
