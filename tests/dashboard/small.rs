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
