//! What the dashboard looks like: every view at four sizes in three themes, compared with the pictures in
//! `tests/pictures`. `UPDATE=1` writes them anew.

mod shown;

use counsel::core::agent::AgentInfo;
use counsel::core::question::{Kind, State as AgentState};
use counsel::dashboard::log_view::{Decision, Step};
use counsel::dashboard::state::Mode;
use counsel::dashboard::update::Event;
use counsel::wire::message::{Notice, QuestionInfo, Reply, ServerMessage, Status};
use shown::{Desk, info, permission, question, same};
use unicode_width::UnicodeWidthStr;

const SIZES: [(u16, u16); 4] = [(60, 15), (80, 24), (120, 40), (200, 60)];
const THEMES: [&str; 5] = ["sixteen", "dark", "light", "colour-blind", "mono"];

/// A view: its name, and how to get there.
type View = (&'static str, fn(u16, u16) -> Desk);

const VIEWS: &[View] = &[
    ("welcome", Desk::new),
    ("team", Desk::team),
    ("zoomed", |cols, rows| after(Desk::team(cols, rows), "ctrl-a n ctrl-a z")),
    ("main-and-stack", |cols, rows| after(Desk::team(cols, rows), "ctrl-a space")),
    ("columns", |cols, rows| after(Desk::team(cols, rows), "ctrl-a space ctrl-a space")),
    ("consult", |cols, rows| after(Desk::team(cols, rows), "ctrl-a space ctrl-a space ctrl-a space")),
    ("needed", |cols, rows| settled(needed(cols, rows))),
    ("permission", |cols, rows| after(needed(cols, rows), "ctrl-a a")),
    ("question", |cols, rows| after(Desk::team(cols, rows), "ctrl-a a down")),
    ("suggested", |cols, rows| after(suggested(cols, rows), "ctrl-a a")),
    ("suggested-not-taken", |cols, rows| after(suggested(cols, rows), "ctrl-a a up")),
    ("edited", |cols, rows| after(suggested(cols, rows), "ctrl-a e x")),
    ("long-list", |cols, rows| after(branches(cols, rows), "ctrl-a a 1 1")),
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
    ("log", |cols, rows| decisions(cols, rows)),
    ("log-step", |cols, rows| after(decisions(cols, rows), "d a t a enter right")),
    ("form", |cols, rows| after(Desk::team(cols, rows), "ctrl-a c c l a u d e down down")),
    ("form-fault", |cols, rows| after(Desk::team(cols, rows), "ctrl-a c s h space ' x enter")),
    ("sure", |cols, rows| after(Desk::team(cols, rows), "ctrl-a x")),
    ("sure-restart", |cols, rows| after(Desk::team(cols, rows), "ctrl-a R")),
    ("broadcast", |cols, rows| after(Desk::team(cols, rows), "ctrl-a b")),
    ("scrollback", |cols, rows| after(scrollback(cols, rows), "up v up")),
    ("search", |cols, rows| after(scrollback(cols, rows), "/ s e s s i o n")),
    ("not-started", not_started),
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

fn after(mut desk: Desk, keys: &str) -> Desk {
    desk.press(keys);
    desk
}

/// Once the news at the lower edge has gone.
fn settled(mut desk: Desk) -> Desk {
    desk.now_ms += 10_000;
    desk.event(Event::Tick);
    desk
}

fn needed(cols: u16, rows: u16) -> Desk {
    let mut desk = Desk::team(cols, rows);
    let settled = QuestionInfo { answer: Some("SQLite".into()), ..question("api", Status::Answered) };
    desk.notice(Notice::Question(settled));
    desk.notice(Notice::Question(permission("web")));
    desk.agent(info("web", AgentState::Asking, 5.0));
    desk.agent(info("api", AgentState::Working, 5.0));
    desk
}

fn suggested(cols: u16, rows: u16) -> Desk {
    let mut desk = Desk::team(cols, rows);
    desk.notice(Notice::Question(question("api", Status::Proposed)));
    desk
}

fn ticks(cols: u16, rows: u16) -> Desk {
    let mut desk = Desk::team(cols, rows);
    let options = ["Audit log", "Remember me", "Rate limit"].map(str::to_owned).to_vec();
    let ticks = QuestionInfo {
        kind: Kind::Multi,
        multi: true,
        prompt: "Which features do you want to enable?".into(),
        choices: Vec::new(),
        options,
        answer: Some("Audit log, Rate limit".into()),
        ..question("api", Status::Proposed)
    };
    desk.notice(Notice::Question(ticks));
    desk
}

fn branches(cols: u16, rows: u16) -> Desk {
    let mut desk = Desk::team(cols, rows);
    let list = QuestionInfo {
        prompt: "Which branch?".into(),
        options: (1..=13).map(|number| format!("branch-{number}")).collect(),
        choices: Vec::new(),
        selected: None,
        deadline_at: None,
        ..question("api", Status::Escalated)
    };
    desk.notice(Notice::Question(list));
    desk
}

/// What takes nothing but words.
fn in_words(cols: u16, rows: u16, status: Status) -> Desk {
    let mut desk = Desk::team(cols, rows);
    let asked = QuestionInfo {
        kind: Kind::Text,
        prompt: "What should the new table be called?".into(),
        options: Vec::new(),
        choices: Vec::new(),
        selected: None,
        answer: (status == Status::Proposed).then(|| "sessions".to_owned()),
        ..question("api", status)
    };
    desk.notice(Notice::Question(asked));
    desk
}

fn yes_or_no(cols: u16, rows: u16) -> Desk {
    let mut desk = Desk::team(cols, rows);
    let asked = QuestionInfo {
        kind: Kind::YesNo,
        prompt: "Overwrite shop.db? [y/N]".into(),
        options: ["y", "N"].map(str::to_owned).to_vec(),
        choices: Vec::new(),
        selected: None,
        deadline_at: None,
        ..question("api", Status::Escalated)
    };
    desk.notice(Notice::Question(asked));
    desk
}

/// A list of which the agent's screen shows a part.
fn part(cols: u16, rows: u16) -> Desk {
    let mut desk = Desk::team(cols, rows);
    let part = QuestionInfo { partial: true, ..question("api", Status::Escalated) };
    desk.notice(Notice::Question(part));
    desk
}

fn password(cols: u16, rows: u16) -> Desk {
    let mut desk = Desk::team(cols, rows);
    let asked = QuestionInfo {
        kind: Kind::Password,
        prompt: "[sudo] password for ann:".into(),
        options: Vec::new(),
        choices: Vec::new(),
        selected: None,
        deadline_at: None,
        ..question("api", Status::Escalated)
    };
    desk.notice(Notice::Question(asked));
    desk
}

fn questions(cols: u16, rows: u16) -> Desk {
    let mut desk = needed(cols, rows);
    desk.notice(Notice::Question(question("docs", Status::Consulting)));
    desk.notice(Notice::Question(QuestionInfo { id: "api-9".into(), ..permission("api") }));
    after(desk, "ctrl-a q r")
}

/// The log with two decisions.
fn decisions(cols: u16, rows: u16) -> Desk {
    let mut desk = after(Desk::team(cols, rows), "ctrl-a l");
    let step = |seconds: f64, what: &str, text: &str| Step {
        at_ms: ((shown::NOW - 300.0 + seconds) * 1000.0) as u64,
        what: what.into(),
        text: text.into(),
    };
    let decision = |agent: &str, prompt: &str, outcome: &str, answer: &str, by: &str| Decision {
        agent: agent.into(),
        asked_ms: ((shown::NOW - 300.0) * 1000.0) as u64,
        prompt: prompt.into(),
        outcome: outcome.into(),
        answer: answer.into(),
        by: by.into(),
        steps: vec![
            step(0.0, "api asked: Which database? (menu)", "Which database?\n\n❯ 1. PostgreSQL\n  2. SQLite"),
            step(2.4, "advisor was asked: answered", "{\"choice\": 2, \"reason\": \"one writer\"}"),
            step(3.1, "typed by keys: down enter", ""),
        ],
    };
    desk.event(Event::Log(Ok(vec![
        decision("web", "May I run sqlite3 shop.db < 001.sql?", "answered", "No", "person, keys"),
        decision("api", "Which database?", "answered", "SQLite", "consultant advisor, keys"),
        decision("docs", "Which tone for the guide?", "withdrawn", "", "nobody"),
    ])));
    desk
}

fn scrollback(cols: u16, rows: u16) -> Desk {
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

fn not_started(cols: u16, rows: u16) -> Desk {
    let mut desk = Desk::team(cols, rows);
    desk.press("ctrl-a c");
    desk.types("nonsuch --model x");
    desk.press("enter");
    desk.agent(AgentInfo { exit_code: None, ..info("nonsuch", AgentState::Starting, 0.0) });
    let id = *desk.state.pending.keys().next_back().expect("it was asked for");
    let reply = Reply::error(
        1,
        "there is no program 'nonsuch' on the path of this terminal; name it with its folder",
    );
    desk.event(Event::Server(Box::new(ServerMessage::Reply { id, reply })));
    desk.notice(Notice::Gone { name: "nonsuch".into() });
    after(desk, "ctrl-a 5")
}

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
            if !matches!(desk.state.mode, Mode::Panes) || desk.state.prefix_pending {
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
    // Whatever there is no room for, the way out is told.
    for (name, view) in VIEWS.iter().filter(|(name, _)| ["permission", "suggested", "ticks"].contains(name)) {
        for (cols, rows) in [(60, 15), (80, 24), (100, 30), (120, 40)] {
            assert!(view(cols, rows).text().contains("esc closes"), "{name} {cols}x{rows}");
        }
    }
    let password = after(password(120, 40), "ctrl-a q").text();
    assert!(password.contains("typed in its pane"), "{password}");
    assert!(!password.contains("own words") && !password.contains("declines"), "{password}");
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
