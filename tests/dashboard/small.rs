//! Small screens: what matters most is what is left to be seen.

use counsel::core::question::State as AgentState;
use counsel::core::terminal::grid::Size;
use counsel::dashboard::state::Team;
use counsel::dashboard::update::Event;
use counsel::wire::message::{Notice, QuestionInfo, Status};

use super::shown::{Desk, info, question};
use super::views::after;

/// At 40x10 the news lay over the name and the words of the question, and it could be answered all the same.
#[test]
fn news_lies_over_nothing_that_is_asked() {
    let long = "an-agent-with-a-very-long-name-1";
    for (cols, rows) in [(40, 10), (44, 11), (60, 12), (60, 15), (80, 24)] {
        let mut desk = Desk::new(cols, rows);
        desk.agent(info(long, AgentState::Idle, 9.0));
        desk.agent(info("typo", AgentState::Asking, 5.0));
        let words = "Overwrite the file?";
        let asked = QuestionInfo { prompt: words.into(), ..question("typo", Status::Escalated) };
        desk.notice(Notice::Question(asked));
        desk.event(Event::Tick);
        for keys in ["ctrl-a a", "f5", "0"] {
            desk.press(keys);
            let text = desk.text();
            assert!(desk.state.note.is_some(), "{cols}x{rows} {keys}:\n{text}");
            let title = text.lines().any(|line| line.contains('┏') && line.contains("typo asks "));
            assert!(title, "{cols}x{rows} {keys}:\n{text}");
            assert!(text.contains(words), "{cols}x{rows} {keys}:\n{text}");
            assert!(text.contains("1. PostgreSQL"), "{cols}x{rows} {keys}:\n{text}");
        }
    }
    // Where there is room it is told in full.
    let mut desk = Desk::new(60, 15);
    desk.agent(info(long, AgentState::Idle, 9.0));
    desk.agent(info("typo", AgentState::Asking, 5.0));
    desk.notice(Notice::Question(question("typo", Status::Escalated)));
    let text = after(desk, "ctrl-a a").text();
    let told: Vec<&str> = text.split_whitespace().collect();
    assert!(told.join(" ").contains("this is what typo asks"), "{text}");
}

/// A pane that was too small in both directions told of one of them only.
#[test]
fn a_pane_tells_in_both_directions_which_part_it_shows() {
    for (cols, rows, words) in [
        (120, 24, "rows 1–21 of 30, columns 1–118 of 200 · ctrl-a [ scrolls"),
        (60, 15, " of 30, columns 1–58 of 200"),
        (44, 15, " of 30, columns 1–42 of 200"),
    ] {
        let mut desk = Desk::new(cols, rows);
        desk.agent(info("api", AgentState::Idle, 9.0));
        desk.press("ctrl-a z");
        desk.shows_at("api", Size { cols: 200, rows: 30 }, "x");
        let text = desk.text();
        assert!(text.contains(words), "{cols}x{rows}:\n{text}");
    }
    // Beside the words of a question there is less room.
    for cols in 40..=80 {
        let mut desk = Desk::new(cols, 15);
        desk.agent(info("api", AgentState::Asking, 9.0));
        desk.notice(Notice::Question(question("api", Status::Escalated)));
        desk.press("ctrl-a z");
        desk.shows_at("api", Size { cols: 200, rows: 30 }, "x");
        let text = desk.text();
        let foot = text.lines().find(|line| line.contains('┗')).unwrap_or_default();
        let both = foot.contains("/30") || foot.contains("of 30");
        assert_eq!(both, foot.contains("/200") || foot.contains("of 200"), "{cols}: {foot}");
        assert!(both || foot.contains("…"), "{cols}: {foot}");
    }
}

/// The end of a long command stood in the form as if it were all of it.
#[test]
fn a_line_that_is_typed_is_marked_where_it_goes_on_at_the_left() {
    let mut desk = Desk::new(80, 24);
    desk.agent(info("api", AgentState::Idle, 9.0));
    desk.press("ctrl-a c");
    let command = format!("begin{} end", " word".repeat(30));
    desk.types(&command);
    let line = |desk: &Desk| desk.text().lines().find(|line| line.contains("command ")).unwrap().to_owned();
    let shown = line(&desk);
    assert!(!shown.contains("begin") && shown.contains("word end"), "{shown}");
    assert!(shown.split("command").nth(1).unwrap().trim_start().starts_with('…'), "{shown}");
    desk.press("home");
    let shown = line(&desk);
    assert!(shown.contains(" begin word") && shown.contains("…"), "{shown}");
    // Wide glyphs are not halved by the mark.
    desk.press("end ctrl-u");
    desk.types(&"漢字".repeat(40));
    let shown = line(&desk);
    assert!(shown.contains("…漢") || shown.contains("…字"), "{shown}");
}

/// At 40x10 the form did nothing and said nothing where a name or a command was none.
#[test]
fn the_form_says_what_is_wrong_on_the_smallest_screen() {
    for (cols, rows) in [(40, 10), (44, 11), (60, 12), (80, 24)] {
        for (keys, wrong) in [
            ("down A", "is no name"),
            ("up enter", "type a command"),
            ("down down down n o", "is no consultant"),
        ] {
            let mut desk = Desk::new(cols, rows);
            desk.agent(info("api", AgentState::Idle, 9.0));
            desk.press("ctrl-a c");
            if !keys.starts_with("up") {
                desk.types("bash --norc");
            }
            desk.press(keys);
            desk.press("enter");
            let text = desk.text();
            let told = text.replace(['│', '┃'], " ").split_whitespace().collect::<Vec<_>>().join(" ");
            assert!(told.contains(wrong), "{cols}x{rows} {keys}:\n{text}");
            let field = if keys.contains("down down") { "consultant" } else { "name" };
            assert!(keys.starts_with("up") || text.contains(field), "{cols}x{rows} {keys}:\n{text}");
        }
    }
}

/// A file was there, agreed to, and the first screen said how to write one.
#[test]
fn the_first_screen_says_what_can_be_done_with_the_file_there_is() {
    let of = |team: Team| {
        let mut desk = Desk::new(80, 24);
        desk.state.first_screen.team = team;
        desk.text()
    };
    for (team, says) in [
        (Team::NoFile, "counsel init  writes a counsel.toml to begin with"),
        (Team::Agents, "counsel up    starts the configured agents"),
        (Team::Nobody, "counsel.toml  names no agent yet; edit it, then"),
        (Team::LeftOut, "counsel trust asks about the counsel.toml here"),
    ] {
        let text = of(team);
        assert!(text.contains(says), "{text}");
        assert_eq!(text.contains("counsel init"), team == Team::NoFile, "{text}");
    }
}

const LONG: &str = "agent-with-a-very-long-name-no-";

/// Three times `stop agent-with-a-very-…` beside 35 empty columns, and "Stop … and everything it starte…".
#[test]
fn names_and_what_is_asked_about_them_are_whole() {
    for (cols, rows) in [(60, 15), (80, 24), (120, 40)] {
        let mut desk = Desk::new(cols, rows);
        (1..=3).for_each(|number| desk.agent(info(&format!("{LONG}{number}"), AgentState::Working, 9.0)));
        let text = after(desk, "ctrl-a : s t o p").text();
        for number in 1..=3 {
            assert!(text.contains(&format!("stop {LONG}{number}")), "{cols}x{rows}:\n{text}");
        }
    }
    for (cols, rows) in [(40, 10), (60, 15), (80, 24)] {
        for (keys, asked) in [("ctrl-a x", "everything it started?"), ("ctrl-a R", "start it again?")] {
            let mut desk = Desk::new(cols, rows);
            desk.agent(info(&format!("{LONG}1"), AgentState::Working, 9.0));
            let text = after(desk, keys).text();
            let inside = text.lines().filter_map(|line| line.split('│').nth(1));
            let words: Vec<&str> = inside.flat_map(str::split_whitespace).collect();
            let words = words.join(" ");
            assert!(words.contains(asked), "{cols}x{rows}:\n{text}");
            assert!(words.contains("any other key does not"), "{cols}x{rows}:\n{text}");
        }
    }
}

/// The columns of the list, line by line.
fn list(desk: &Desk) -> Vec<String> {
    let cols = usize::from(desk.state.regions().list.cols);
    desk.text().lines().map(|line| line.chars().take(cols).collect()).collect()
}

/// The second line of an agent stood above all others, and the line that counts was cut at its only word.
#[test]
fn the_two_lines_of_an_agent_are_left_out_together() {
    for (cols, rows) in [(80, 24), (80, 15), (120, 30)] {
        let mut desk = Desk::new(cols, rows);
        for number in 1..=28 {
            let name = format!("agent-{number}");
            desk.agent(info(&name, AgentState::Asking, 9.0));
            if number % 3 > 0 {
                desk.notice(Notice::Question(question(&name, Status::Escalated)));
            }
        }
        for _ in 0..28 {
            desk.press("ctrl-a n");
            let lines = list(&desk);
            let shown = lines.join("\n");
            for (at, line) in lines.iter().enumerate() {
                if line.contains('└') {
                    assert!(lines[at - 1].contains('◆'), "{cols}x{rows}:\n{shown}");
                }
                if line.contains(['↑', '↓']) {
                    assert!(!line.contains('…'), "{cols}x{rows}:\n{shown}");
                }
            }
            assert!(shown.contains(['↑', '↓']) && shown.contains('▌'), "{cols}x{rows}:\n{shown}");
            assert!(shown.contains(" need you"), "{cols}x{rows}:\n{shown}");
        }
    }
}

/// Names were cut to seven letters beside a word that the mark says too, and a suggestion looked as a question does.
#[test]
fn the_list_tells_names_and_suggestions_apart() {
    let mut desk = Desk::new(120, 40);
    for (name, status) in [("asks-fail", Status::Escalated), ("asks-slow", Status::Proposed)] {
        desk.agent(info(name, AgentState::Asking, 9.0));
        desk.notice(Notice::Question(question(name, status)));
    }
    let lines = list(&desk);
    let below = |name: &str| {
        let at = lines.iter().position(|line| line.contains(name)).unwrap_or_else(|| panic!("{lines:#?}"));
        lines[at + 1].clone()
    };
    assert!(below("asks-slow").contains("suggestion"), "{lines:#?}");
    assert!(below("asks-fail").contains("Which") && !below("asks-fail").contains("suggestion"), "{lines:#?}");
    for (cols, rows) in [(80, 24), (120, 40)] {
        let mut desk = Desk::new(cols, rows);
        (1..=9).for_each(|number| desk.agent(info(&format!("{LONG}{number}"), AgentState::Idle, 9.0)));
        let lines = list(&desk).join("\n");
        (1..=9).for_each(|number| assert!(lines.contains(&format!("no-{number} ")), "{lines}"));
    }
}
