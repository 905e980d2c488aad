//! Small screens: what matters most is what is left to be seen.

use counsel::core::question::State as AgentState;
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
