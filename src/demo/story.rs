//! The story: who is on the team, and what the agents' own logs must say when it is over.
//!
//! Pure. `drive.rs` plays it against a server and hands the logs back here.

use std::collections::BTreeMap;

use super::agent;
use super::script::{DECISIONS, Role, advice, advised, dialogs};
use super::truth::{Did, Given, Record};
use crate::core::agent::{AgentSpec, Duty, number};

/// The team, the advisor first so that it listens when the first question comes.
pub fn team(
    exe: &str,
    folder: &str,
    logs: &str,
    base: &BTreeMap<String, String>,
    hurried: bool,
) -> Vec<AgentSpec> {
    let mut env = base.clone();
    env.insert(agent::LOG.into(), logs.into());
    if hurried {
        env.insert(agent::HURRY.into(), "1".into());
    }
    let spec = |role: Role| {
        let advisor = role == Role::Advisor;
        AgentSpec {
            name: role.name().into(),
            command: vec![exe.into(), "demo-agent".into(), role.name().into()],
            cwd: folder.into(),
            env: env.clone(),
            profile: Some("demo".into()),
            consultant: (!advisor).then(|| Role::Advisor.name().into()),
            role: if advisor { Duty::Consultant } else { Duty::Worker },
            task: Some(role.task().into()),
            ..AgentSpec::default()
        }
    };
    let mut team = [Role::Advisor, Role::Api, Role::Web, Role::Docs].map(spec);
    number(&mut team);
    team.into()
}

/// How many questions the story has: those for the advisor and those for a person.
pub fn count() -> (usize, usize) {
    let all = Role::ALL.into_iter().flat_map(dialogs).flatten();
    (advised().len(), all.filter(|decision| decision.advice.is_none()).count())
}

/// The answer a person gives in the story.
pub fn persons_answer(prompt: &str) -> Option<&'static str> {
    let decision =
        DECISIONS.iter().find(|decision| decision.prompt == prompt && decision.advice.is_none())?;
    decision.answer.first().copied()
}

/// Everything in the agents' logs that is not as it should be.
pub fn faults(logs: &BTreeMap<&'static str, Vec<Record>>) -> Vec<String> {
    let mut faults = Vec::new();
    for role in Role::ALL {
        let Some(records) = logs.get(role.name()) else {
            faults.push(format!("{}: it left no log", role.name()));
            continue;
        };
        let mut note = |what: String| faults.push(format!("{}: {what}", role.name()));
        for record in records {
            if let Record::Heard { ms, bytes, did } = record
                && did.wrong()
            {
                note(format!("bytes nobody should have typed at {ms} ms: \"{bytes}\" ({did:?})"));
            }
        }
        if role == Role::Advisor {
            advisor_faults(records, &mut note);
        } else {
            worker_faults(role, records, &mut note);
        }
    }
    faults
}

fn worker_faults(role: Role, records: &[Record], note: &mut dyn FnMut(String)) {
    let given: Vec<&Vec<Given>> = records
        .iter()
        .filter_map(|record| match record {
            Record::Given { answers, .. } => Some(answers),
            Record::Heard { .. } | Record::Asked { .. } | Record::Message { .. } | Record::End { .. } => None,
        })
        .collect();
    let expected = dialogs(role);
    if given.len() != expected.len() {
        note(format!("{} dialogs were answered, not {}", given.len(), expected.len()));
    }
    for (answers, decisions) in given.into_iter().zip(&expected) {
        for (answer, decision) in answers.iter().zip(decisions) {
            if answer.prompt != decision.prompt || answer.answer != decision.answer {
                let want = decision.answer.join(", ");
                note(format!(
                    "'{}' was answered with '{}', not '{want}'",
                    answer.prompt,
                    answer.answer.join(", ")
                ));
            }
        }
    }
    // A dialog is ended by one key, and a page of a form is left by one.
    let count = |wanted: Did| heard(records).filter(|(_, did)| *did == wanted).count();
    let pages = expected.iter().filter(|dialog| dialog.len() > 1).map(Vec::len).sum::<usize>();
    if count(Did::Answered) != expected.len() || count(Did::Next) != pages {
        note("keys that commit were typed more or less than once for each page".into());
    }
    if !matches!(records.last(), Some(Record::End { .. })) {
        note("its story did not come to its end".into());
    }
}

fn advisor_faults(records: &[Record], note: &mut dyn FnMut(String)) {
    let mut asked = Vec::new();
    for record in records {
        let Record::Message { text, .. } = record else { continue };
        match advice(text).and_then(|advice| DECISIONS.iter().find(|d| d.advice == Some(advice))) {
            Some(decision) => asked.push(decision.prompt),
            None => {
                note(format!("a message with no question of the story in it: {}", text.replace('\r', " ")))
            }
        }
    }
    asked.sort_unstable();
    let expected = advised();
    if asked != expected {
        note(format!("it was asked {asked:?}, not {expected:?}"));
    }
    for (bytes, did) in heard(records) {
        if did == Did::Wrote && !bytes.starts_with("\\x1b[200~") {
            note(format!("text that was no paste: \"{bytes}\""));
        }
    }
}

fn heard(records: &[Record]) -> impl Iterator<Item = (&str, Did)> {
    records.iter().filter_map(|record| match record {
        Record::Heard { bytes, did, .. } => Some((bytes.as_str(), *did)),
        Record::Asked { .. } | Record::Given { .. } | Record::Message { .. } | Record::End { .. } => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::demo::script::Decision;

    fn heard(bytes: &str, did: Did) -> Record {
        Record::Heard { ms: 0, bytes: bytes.into(), did }
    }

    /// Logs of a story that went as it should.
    fn good() -> BTreeMap<&'static str, Vec<Record>> {
        let mut logs = BTreeMap::new();
        for role in [Role::Api, Role::Web, Role::Docs] {
            let mut records = vec![heard("\\x1b[?62;22c", Did::Reply)];
            for dialog in dialogs(role) {
                for _ in dialog.iter().filter(|_| dialog.len() > 1) {
                    records.push(heard("\\r", Did::Next));
                }
                records.push(heard("\\r", Did::Answered));
                let given = |decision: &&Decision| Given {
                    prompt: decision.prompt.into(),
                    answer: decision.answer.iter().map(|label| label.to_string()).collect(),
                };
                records.push(Record::Given { ms: 0, answers: dialog.iter().map(given).collect() });
            }
            records.push(Record::End { ms: 0 });
            logs.insert(role.name(), records);
        }
        let mut records = Vec::new();
        for prompt in advised() {
            records.push(heard("\\x1b[200~…\\x1b[201~", Did::Wrote));
            records.push(heard("\\r", Did::Sent));
            records.push(Record::Message { ms: 0, text: format!("Question: {prompt}") });
        }
        logs.insert("advisor", records);
        logs
    }

    #[test]
    fn a_story_as_it_should_be_has_no_fault() {
        assert_eq!(faults(&good()), Vec::<String>::new());
        assert_eq!(count(), (6, 1));
        assert_eq!(persons_answer("Do you want to proceed?"), Some("Yes"));
        assert_eq!(persons_answer("Which features do you want to enable?"), None);
    }

    #[test]
    fn every_deviation_is_a_fault() {
        type Change = fn(&mut BTreeMap<&'static str, Vec<Record>>);
        let changes: &[(&str, Change)] = &[
            ("no log", |logs| drop(logs.remove("web"))),
            ("nobody should have typed", |logs| {
                logs.get_mut("api").unwrap().insert(0, heard("y", Did::Stray))
            }),
            ("nobody should have typed", |logs| {
                logs.get_mut("docs").unwrap().insert(0, heard("2", Did::Lost))
            }),
            ("was answered with 'Redis', not 'SQLite'", |logs| {
                for record in logs.get_mut("api").unwrap() {
                    if let Record::Given { answers, .. } = record {
                        answers[0].answer = vec!["Redis".into()];
                        return;
                    }
                }
            }),
            ("more or less than once", |logs| {
                logs.get_mut("web").unwrap().insert(0, heard("\\r", Did::Answered))
            }),
            ("did not come to its end", |logs| drop(logs.get_mut("docs").unwrap().pop())),
            ("dialogs were answered", |logs| {
                logs.get_mut("docs").unwrap().retain(|r| !matches!(r, Record::Given { .. }))
            }),
            ("no question of the story", |logs| {
                logs.get_mut("advisor").unwrap().push(Record::Message { ms: 0, text: "hello".into() });
            }),
            ("it was asked", |logs| drop(logs.get_mut("advisor").unwrap().pop())),
            ("no paste", |logs| logs.get_mut("advisor").unwrap().push(heard("h", Did::Wrote))),
        ];
        for (what, change) in changes {
            let mut logs = good();
            change(&mut logs);
            let found = faults(&logs).join("\n");
            assert!(found.contains(what), "{what}: {found:?}");
        }
    }
}
