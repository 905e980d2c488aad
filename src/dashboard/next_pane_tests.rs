//! The size that is told beforehand is the one that is asked for once the agent is there.

use super::*;
use crate::wire::message::NextPane;

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
                person.notice(Notice::Agent(AgentInfo { role, ..info(name) }));
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
    person.notice(Notice::Agent(failed("docs", "no program")));
    let next = told(&person);
    person.notice(Notice::Agent(info("docs")));
    let own = next.ended.iter().find(|pane| pane.name == "docs").and_then(|pane| pane.size);
    assert!(own.is_some());
    assert_eq!(own, asked_for(&person, "docs"));
}
