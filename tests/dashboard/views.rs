//! The views that are compared with pictures, and how a person gets to each.

use counsel::core::agent::AgentInfo;
use counsel::core::question::{Kind, State as AgentState};
use counsel::core::terminal::keys::{Button, Input, Mods, Mouse, MouseKind};
use counsel::dashboard::form::Field;
use counsel::dashboard::log_view::{Decision, Step};
use counsel::dashboard::story::Story;
use counsel::dashboard::update::Event;
use counsel::wire::message::{Notice, QuestionInfo, Reply, ServerMessage, Status};

use super::shown::{self, Desk, info, permission, question};

/// A view: its name, and how to get there.
pub type View = (&'static str, fn(u16, u16) -> Desk);

pub const VIEWS: &[View] = &[
    ("welcome", Desk::new),
    ("team", Desk::team),
    ("zoomed", |cols, rows| after(Desk::team(cols, rows), "ctrl-a n ctrl-a z")),
    ("branches", |cols, rows| branches_shown(cols, rows)),
    ("main-and-stack", |cols, rows| layout(cols, rows, "main")),
    ("columns", |cols, rows| layout(cols, rows, "columns")),
    ("consult", |cols, rows| layout(cols, rows, "consult")),
    ("needed", |cols, rows| settled(needed(cols, rows))),
    ("permission", |cols, rows| after(needed(cols, rows), "ctrl-a a")),
    ("question", |cols, rows| after(Desk::team(cols, rows), "ctrl-a a down")),
    ("suggested", |cols, rows| after(suggested(cols, rows), "ctrl-a a")),
    ("suggested-long", |cols, rows| after(long_reason(cols, rows), "ctrl-a a")),
    ("suggested-not-taken", |cols, rows| after(suggested(cols, rows), "ctrl-a a up")),
    ("edited", |cols, rows| after(suggested(cols, rows), "ctrl-a e x")),
    ("long-list", |cols, rows| after(branches(cols, rows), "ctrl-a a 1 1")),
    ("long-labels", |cols, rows| after(long_labels(cols, rows), "ctrl-a a down")),
    ("password", |cols, rows| after(password(cols, rows), "ctrl-a q")),
    ("password-here", |cols, rows| settled(after(password(cols, rows), "ctrl-a a"))),
    ("part-of-a-list", |cols, rows| after(part(cols, rows), "ctrl-a a 2")),
    ("ticks", |cols, rows| after(ticks(cols, rows), "ctrl-a a down space")),
    ("whom-to-ask", |cols, rows| after(Desk::team(cols, rows), "ctrl-a a C")),
    ("questions", questions),
    ("which-key", |cols, rows| after(Desk::team(cols, rows), "ctrl-a")),
    ("help", |cols, rows| after(Desk::team(cols, rows), "ctrl-a ?")),
    ("help-questions", |cols, rows| after(Desk::team(cols, rows), "ctrl-a a ctrl-a ?")),
    ("palette", |cols, rows| after(Desk::team(cols, rows), "ctrl-a : w e b")),
    ("palette-nothing", |cols, rows| after(Desk::team(cols, rows), "ctrl-a : z z z")),
    ("palette-all", |cols, rows| after(Desk::team(cols, rows), "ctrl-a : down down")),
    ("crowd", |cols, rows| after(crowd(cols, rows), "ctrl-a 9")),
    ("help-scrollback", |cols, rows| after(scrollback(cols, rows), "ctrl-a ?")),
    ("log-empty", |cols, rows| log_of(cols, rows, Ok(Vec::new()))),
    ("log-unread", |cols, rows| log_of(cols, rows, Err("could not read the log: no such file".into()))),
    ("log", |cols, rows| decisions(cols, rows)),
    ("log-step", |cols, rows| after(decisions(cols, rows), "d a t a enter right")),
    ("form", |cols, rows| after(Desk::team(cols, rows), "ctrl-a c c l a u d e down down")),
    ("form-fault", |cols, rows| after(Desk::team(cols, rows), "ctrl-a c s h space ' x enter")),
    ("form-offers", |cols, rows| offers(cols, rows)),
    ("form-back", not_started),
    ("form-again", |cols, rows| after(not_started(cols, rows), "esc ctrl-a c")),
    ("selecting", |cols, rows| selecting(cols, rows)),
    ("sure", |cols, rows| after(Desk::team(cols, rows), "ctrl-a x")),
    ("sure-restart", |cols, rows| after(Desk::team(cols, rows), "ctrl-a R")),
    ("sure-down", |cols, rows| after(Desk::team(cols, rows), "ctrl-a : s h u t enter")),
    ("hidden", |cols, rows| settled(after(Desk::team(cols, rows), "ctrl-a 2 ctrl-a h"))),
    ("ended", |cols, rows| {
        let mut desk = Desk::team(cols, rows);
        desk.agent(info("web", AgentState::Exited, 30.0));
        after(desk, "ctrl-a 2")
    }),
    ("clipboard-offered", |cols, rows| {
        let mut desk = Desk::team(cols, rows);
        desk.notice(Notice::Clipboard { name: "api".into(), data: "bHMgLWw=".into() });
        desk
    }),
    ("story", |cols, rows| story(cols, rows)),
    ("story-paused", |cols, rows| after(story(cols, rows), "f8")),
    ("broadcast", |cols, rows| after(Desk::team(cols, rows), "ctrl-a b")),
    ("scrollback", |cols, rows| after(scrollback(cols, rows), "up v up")),
    ("scrollback-wide", |cols, rows| after(wide_scrollback(cols, rows), "right right")),
    ("block", |cols, rows| after(scrollback(cols, rows), "up V up right right")),
    ("search-stepped", |cols, rows| after(scrollback(cols, rows), "/ s e s s i o n enter n")),
    ("search-nothing", |cols, rows| after(scrollback(cols, rows), "/ z z z")),
    ("search", |cols, rows| after(scrollback(cols, rows), "/ s e s s i o n")),
    ("not-started", |cols, rows| after(not_started(cols, rows), "esc ctrl-a 5")),
    ("not-started-elsewhere", |cols, rows| after(not_started(cols, rows), "esc ctrl-a 1")),
    ("no-server", |cols, rows| {
        let mut desk = Desk::team(cols, rows);
        desk.event(Event::Lost);
        desk
    }),
    ("text", |cols, rows| after(in_words(cols, rows, Status::Escalated), "ctrl-a a")),
    ("text-typed", |cols, rows| after(in_words(cols, rows, Status::Escalated), "ctrl-a a x r t q")),
    ("text-suggested", |cols, rows| after(in_words(cols, rows, Status::Proposed), "ctrl-a a")),
    ("yes-or-no", |cols, rows| after(yes_or_no(cols, rows), "ctrl-a a")),
    ("server-hangs", |cols, rows| {
        let mut desk = Desk::team(cols, rows);
        desk.event(Event::Silent(Some(desk.now_ms - 3_000)));
        desk
    }),
    ("server-returns", |cols, rows| {
        let mut desk = Desk::team(cols, rows);
        desk.event(Event::Lost);
        desk.event(Event::Found);
        desk
    }),
    ("server-ended", |cols, rows| {
        let mut desk = Desk::team(cols, rows);
        let names: Vec<String> = desk.state.agents.iter().map(|agent| agent.info.name.clone()).collect();
        names.into_iter().for_each(|name| drop(desk.notice(Notice::Gone { name })));
        desk.notice(Notice::Bye);
        desk
    }),
    ("urgent", |cols, rows| {
        let mut desk = Desk::team(cols, rows);
        desk.now_ms += 36_000;
        desk.event(Event::Tick);
        desk
    }),
];

/// While some of what an agent shows is selected with the mouse.
pub fn selecting(cols: u16, rows: u16) -> Desk {
    let mut desk = Desk::team(cols, rows);
    let inner = desk.state.pane_of("api").expect("it is shown").inner();
    let (button, mods) = (Some(Button::Left), Mods::default());
    for (kind, row, col) in [(MouseKind::Press, 0, 11), (MouseKind::Drag, 2, 19)] {
        let event = Mouse { kind, button, row: inner.y + row, col: inner.x + col, mods };
        desk.event(Event::Input(Input::Mouse(event)));
    }
    desk
}

/// The demonstration, with what its teller says.
pub fn story(cols: u16, rows: u16) -> Desk {
    let mut desk = Desk::team(cols, rows);
    desk.state.story = Some(Story::begin("Three agents begin to work.".into(), desk.now_ms));
    desk
}

/// The log as it was read, or why it was not.
pub fn log_of(cols: u16, rows: u16, log: Result<Vec<Decision>, String>) -> Desk {
    let mut desk = after(Desk::team(cols, rows), "ctrl-a l");
    desk.event(Event::Log(log));
    desk
}

/// The form, once there are several ways to go on with a word.
pub fn offers(cols: u16, rows: u16) -> Desk {
    let mut desk = after(Desk::team(cols, rows), "ctrl-a c c l tab");
    let offers = ["clang", "claude", "clear"].map(str::to_owned).to_vec();
    desk.event(Event::Offers { field: Field::Command, word: "cl".into(), offers });
    desk
}

pub fn after(mut desk: Desk, keys: &str) -> Desk {
    desk.press(keys);
    desk
}

/// The team in the layout of this name.
pub fn layout(cols: u16, rows: u16, name: &str) -> Desk {
    let letters: Vec<String> = format!("layout{name}").chars().map(|letter| letter.to_string()).collect();
    after(Desk::team(cols, rows), &format!("ctrl-a : {} enter", letters.join(" ")))
}

/// Once the news at the lower edge has gone.
pub fn settled(mut desk: Desk) -> Desk {
    desk.now_ms += 10_000;
    desk.event(Event::Tick);
    desk
}

pub fn needed(cols: u16, rows: u16) -> Desk {
    let mut desk = Desk::team(cols, rows);
    let settled = QuestionInfo { answer: Some("SQLite".into()), ..question("api", Status::Answered) };
    desk.notice(Notice::Question(settled));
    desk.notice(Notice::Question(permission("web")));
    desk.agent(info("web", AgentState::Asking, 5.0));
    desk.agent(info("api", AgentState::Working, 5.0));
    desk
}

/// The team while *api* asks this.
pub fn asked(cols: u16, rows: u16, asks: QuestionInfo) -> Desk {
    let mut desk = Desk::team(cols, rows);
    desk.notice(Notice::Question(asks));
    desk
}

/// A question of *api*'s with nothing highlighted, for which nobody has to hurry.
pub fn plain(kind: Kind, prompt: &str, options: &[&str]) -> QuestionInfo {
    QuestionInfo {
        kind,
        prompt: prompt.into(),
        options: options.iter().map(|option| (*option).to_owned()).collect(),
        choices: Vec::new(),
        selected: None,
        deadline_at: None,
        ..question("api", Status::Escalated)
    }
}

pub fn suggested(cols: u16, rows: u16) -> Desk {
    asked(cols, rows, question("api", Status::Proposed))
}

/// With a reason that is longer than the drawer has lines for.
pub fn long_reason(cols: u16, rows: u16) -> Desk {
    let why = "The sessions are written by one process only, so that nothing has to be kept apart by a server; \
        a file is copied when the shop moves. PostgreSQL would be another thing to run, to back up and to update, \
        and Redis forgets what it holds when its machine is switched off, which the plan forbids. If a second \
        process comes to write, in the spring at the earliest, the table moves within an hour: nothing but the \
        session store knows where it is kept. That was tried in the other shop, where it took forty minutes. \
        Last, the tests run without anything beside them, which is why they are fast, and the two people who keep \
        the shop running know the format well.";
    asked(cols, rows, QuestionInfo { note: Some(why.into()), ..question("api", Status::Proposed) })
}

pub fn ticks(cols: u16, rows: u16) -> Desk {
    let features = plain(
        Kind::Multi,
        "Which features do you want to enable?",
        &["Audit log", "Remember me", "Rate limit"],
    );
    let base = question("api", Status::Proposed);
    let ticks = QuestionInfo {
        multi: true,
        answer: Some("Audit log, Rate limit".into()),
        selected: base.selected,
        deadline_at: base.deadline_at,
        status: base.status,
        note: base.note,
        ..features
    };
    asked(cols, rows, ticks)
}

pub fn branches(cols: u16, rows: u16) -> Desk {
    let names: Vec<String> = (1..=13).map(|number| format!("branch-{number}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    asked(cols, rows, plain(Kind::Menu, "Which branch?", &names))
}

/// Where agents work in repositories.
pub fn branches_shown(cols: u16, rows: u16) -> Desk {
    let mut desk = Desk::team(cols, rows);
    let known = [("api", "main"), ("web", "feature/a-branch-with-a-name-that-says-everything-about-it")];
    let known = known.map(|(name, branch)| (name.to_owned(), Some(branch.to_owned())));
    desk.event(Event::Branches(known.to_vec()));
    desk
}

/// Options that differ only far behind their beginning.
pub fn long_labels(cols: u16, rows: u16) -> Desk {
    let label = |what: &str| {
        format!(
            "Use the framework that the other three projects have, and {what} of its defaults as they are"
        )
    };
    let labels = [label("keep all"), label("delete all"), "Use none".to_owned()];
    let labels = labels.each_ref().map(String::as_str);
    asked(cols, rows, plain(Kind::Menu, "Which way shall it be done?", &labels))
}

/// What takes nothing but words.
pub fn in_words(cols: u16, rows: u16, status: Status) -> Desk {
    let base = question("api", status);
    let words = QuestionInfo {
        status,
        deadline_at: base.deadline_at,
        note: base.note,
        answer: (status == Status::Proposed).then(|| "sessions".to_owned()),
        ..plain(Kind::Text, "What should the new table be called?", &[])
    };
    asked(cols, rows, words)
}

pub fn yes_or_no(cols: u16, rows: u16) -> Desk {
    asked(cols, rows, plain(Kind::YesNo, "Overwrite shop.db? [y/N]", &["y", "N"]))
}

/// A list of which the agent's screen shows a part.
pub fn part(cols: u16, rows: u16) -> Desk {
    asked(cols, rows, QuestionInfo { partial: true, ..question("api", Status::Escalated) })
}

pub fn password(cols: u16, rows: u16) -> Desk {
    asked(cols, rows, plain(Kind::Password, "[sudo] password for ann:", &[]))
}

/// More agents than the list has lines for.
pub fn crowd(cols: u16, rows: u16) -> Desk {
    let mut desk = Desk::team(cols, rows);
    for number in 5..=40 {
        desk.agent(info(&format!("agent-{number}"), AgentState::Working, 60.0));
    }
    desk
}

pub fn questions(cols: u16, rows: u16) -> Desk {
    let mut desk = needed(cols, rows);
    desk.notice(Notice::Question(question("docs", Status::Consulting)));
    desk.notice(Notice::Question(QuestionInfo { id: "api-9".into(), ..permission("api") }));
    after(desk, "ctrl-a q r")
}

/// The log with two decisions.
pub fn decisions(cols: u16, rows: u16) -> Desk {
    let mut desk = after(Desk::team(cols, rows), "ctrl-a l");
    let step = |seconds: f64, what: &str, text: &str| Step {
        at_ms: ((shown::NOW - 300.0 + seconds) * 1000.0) as u64,
        what: what.into(),
        text: text.into(),
    };
    let decision = |agent: &str, prompt: &str, outcome: &str, answer: &str, by: &str| Decision {
        agent: agent.into(),
        asked_ms: ((shown::NOW - 300.0) * 1000.0) as u64,
        settled_ms: ((shown::NOW - 296.9) * 1000.0) as u64,
        prompt: prompt.into(),
        outcome: outcome.into(),
        answer: answer.into(),
        by: by.into(),
        steps: vec![
            step(0.0, "api asked: Which database? (menu)", "Which database?\n\n❯ 1. PostgreSQL\n  2. SQLite"),
            step(2.4, "advisor was asked: answered", "{\"choice\": 2, \"reason\": \"one writer\"}"),
            step(3.1, "typed: down enter", ""),
        ],
    };
    desk.event(Event::Log(Ok(vec![
        decision("web", "May I run sqlite3 shop.db < 001.sql?", "answered", "No", "person, keys"),
        decision("api", "Which database?", "answered", "SQLite", "consultant advisor, keys"),
        decision("docs", "Which tone for the guide?", "withdrawn", "", "nobody"),
    ])));
    desk
}

pub fn scrollback(cols: u16, rows: u16) -> Desk {
    let mut desk = Desk::team(cols, rows);
    desk.press("ctrl-a [");
    desk.history(&[
        "❯ move the sessions",
        "  Reading src/session.rs",
        "  Which database?",
        "  Session tests pass",
    ]);
    desk
}

/// Of an agent whose screen is wider than its pane.
pub fn wide_scrollback(cols: u16, rows: u16) -> Desk {
    let mut desk = Desk::team(cols, rows);
    let ruler: String = (0..23).map(|tens| format!("{:<10}", tens * 10)).collect();
    desk.shows_at("api", counsel::core::terminal::grid::Size::new(230, 30), &format!("{ruler}\r\nnarrow"));
    desk.press("ctrl-a [");
    desk.history(&["older"]);
    desk
}

pub fn not_started(cols: u16, rows: u16) -> Desk {
    let mut desk = Desk::team(cols, rows);
    desk.press("ctrl-a c");
    desk.types("nonsuch --model x");
    desk.press("enter");
    desk.agent(AgentInfo { exit_code: None, ..info("nonsuch", AgentState::Starting, 0.0) });
    let id = *desk.state.pending.keys().next_back().expect("it was asked for");
    let cause = "there is no program 'nonsuch' on the path of this terminal; name it with its folder";
    let reply = Reply::error(1, cause);
    desk.event(Event::Server(Box::new(ServerMessage::Reply { id, reply })));
    desk.notice(Notice::Gone { name: "nonsuch".into() });
    // As the server lists it then.
    desk.agent(AgentInfo {
        failed: Some(cause.into()),
        consultant: None,
        exit_code: None,
        ..info("nonsuch", AgentState::Exited, 0.0)
    });
    desk
}
