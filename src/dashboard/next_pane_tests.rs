//! The size that is told beforehand is the one that is asked for once the agent is there.

use super::*;
use crate::wire::message::{ClientMessage, NextPane};

fn told(person: &Person) -> NextPane {
    person.state.next_pane.clone().expect("it was told")
}

fn asked_for(person: &Person, name: &str) -> Option<Size> {
    person.state.watched.iter().find(|pane| pane.name == name).and_then(|pane| pane.size)
}

/// A program that draws once stood as it was begun, at 220x50, beyond a pane of 60 columns.
#[test]
fn an_agent_is_announced_at_the_size_it_is_shown_at() {
    for (cols, rows) in [(60, 15), (80, 24), (120, 40), (200, 60)] {
        for layout in 0..Layout::built_in().len() {
            let mut person = Person::at(cols, rows, &[]);
            person.state.layout = layout;
            person.event(Event::Tick, 1_000);
            for name in ["a", "b", "c", "d", "e"] {
                let role = if name == "c" { Duty::Consultant } else { Duty::Worker };
                let next = told(&person);
                person.notice(Notice::Agent(Box::new(AgentInfo { role, ..info(name) })));
                let size = if role == Duty::Worker { next.worker } else { next.consultant };
                let Some(shown) = asked_for(&person, name) else {
                    // On another page: at its size there.
                    let focus = person.state.focus.clone().expect("somebody has it");
                    person.state.go_to(name);
                    person.event(Event::Tick, 2_000);
                    assert_eq!(size, asked_for(&person, name), "{cols}x{rows}, layout {layout}, {name}");
                    person.state.go_to(&focus);
                    person.event(Event::Tick, 2_000);
                    continue;
                };
                assert_eq!(size, Some(shown), "{cols}x{rows}, layout {layout}, {name}");
            }
        }
    }
}

#[test]
fn what_has_ended_is_announced_at_its_own_place() {
    let mut person = Person::at(120, 40, &["api", "web"]);
    person.notice(Notice::Agent(Box::new(failed("docs", "no program"))));
    let next = told(&person);
    person.notice(Notice::Agent(Box::new(info("docs"))));
    let own = next.ended.iter().find(|pane| pane.name == "docs").and_then(|pane| pane.size);
    assert!(own.is_some());
    assert_eq!(own, asked_for(&person, "docs"));
}

/// The keyboard goes to what was asked for here, and in this layout with it the largest pane.
#[test]
fn one_that_is_started_here_is_announced_as_the_focused_one_before_its_start() {
    for (cols, rows) in [(60, 15), (80, 24), (120, 40), (200, 60)] {
        for layout in 0..Layout::built_in().len() {
            let mut person = Person::at(cols, rows, &["api", "web"]);
            person.state.layout = layout;
            person.event(Event::Tick, 1_000);
            person.press("ctrl-a c");
            person.event(Event::Input(Input::Paste("whiptail --msgbox x 8 40".into())), 3_000);
            let enter = Event::Input(Input::Key(KeyPress::parse("enter").unwrap()));
            let out = update(&mut person.state, enter, 3_500);
            let place = |of: fn(&Effect) -> bool| out.iter().position(of);
            let start = place(|effect| matches!(effect, Effect::Start { .. }));
            let announced = place(|effect| {
                matches!(effect, Effect::Send(ClientMessage { request: Request::NextPane(_), .. }))
            });
            assert!(start.is_some() && announced.is_none_or(|at| Some(at) < start), "{out:?}");
            let next = told(&person);
            person.event(
                Event::Server(Box::new(ServerMessage::Notice(Notice::Agent(Box::new(info("whiptail")))))),
                3_600,
            );
            assert_eq!(next.worker, asked_for(&person, "whiptail"), "{cols}x{rows}, layout {layout}");
        }
    }
}

/// Those that were started before the dashboard opened began as large as the whole terminal.
#[test]
fn a_team_that_is_there_from_the_beginning_has_the_sizes_it_is_shown_at() {
    let team = [("advisor", Duty::Consultant), ("a", Duty::Worker), ("b", Duty::Worker), ("c", Duty::Worker)];
    for (cols, rows) in [(39, 9), (60, 15), (80, 24), (120, 40), (200, 60)] {
        for layout in 0..Layout::built_in().len() {
            for focus in [None, Some("b")] {
                let keymap = Keymap::standard(KeyPress::ctrl('a'));
                let mut state = State::new(keymap, Layout::built_in(), layout, "test".into());
                (state.size, state.awaited) = ((cols, rows), focus.map(str::to_owned));
                let names = team.map(|(name, role)| (name.to_owned(), role));
                let sizes = state.sizes_of(&names);
                let mut person = Person::at(cols, rows, &[]);
                (person.state.layout, person.state.awaited) = (layout, focus.map(str::to_owned));
                for (at, (name, role)) in team.into_iter().enumerate() {
                    let number = at as u16 + 1;
                    person.notice(Notice::Agent(Box::new(AgentInfo { role, number, ..info(name) })));
                }
                person.event(Event::Tick, 2_000);
                for (name, _) in team {
                    let what = format!("{cols}x{rows}, layout {layout}, {name}");
                    let focus = person.state.focus.clone().expect("somebody has it");
                    if !person.state.watched.iter().any(|pane| pane.name == name) {
                        // On another page: at its size there.
                        person.state.go_to(name);
                        person.event(Event::Tick, 3_000);
                    }
                    assert_eq!(sizes.get(name).copied(), asked_for(&person, name), "{what}");
                    person.state.go_to(&focus);
                    person.event(Event::Tick, 3_000);
                }
            }
        }
    }
}
