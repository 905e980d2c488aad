//! Questions of the decision log once more, under rules as they are now.
//!
//! `counsel rules test` asks here. An entry keeps what was asked and what became of it, not everything the router weighed: who
//! read the terminal, what was out of view. So the question is taken as one that was seen whole and waited for, and only what
//! the rules can change is compared: who is asked, and what a rule answers.

use crate::core::agent::Duty;
use crate::core::consult::chain::Chain;
use crate::core::log::log_entry::{Entry, Outcome, Routed};
use crate::core::policy::Policy;
use crate::core::policy::route::{Asker, Route, route};
use crate::core::question::{Answer, Choice, Kind, Question, Role};

/// A route in words.
pub fn describe(routed: &Routed) -> String {
    match routed {
        Routed::Consult(with) => format!("asks {}", with.join(", then ")),
        Routed::Human => "asks a person".to_owned(),
        Routed::Answer(answer) => format!("answers {answer}"),
        Routed::Ignore => "leaves it alone".to_owned(),
    }
}

/// A question whose way would be another one now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    pub was: Routed,
    pub now: Routed,
    /// The rule that says so now: its position, or `built-in`.
    pub rule: String,
    /// Why a person, where it is one's.
    pub why: Option<String>,
}

/// The agent that asked, as it is configured now.
#[derive(Debug, Clone, Copy)]
pub struct Configured<'a> {
    pub consultant: Option<&'a Chain>,
    pub role: Duty,
}

/// How the entry's question would go now, if that is another way than it went. `None` as well where it was never put to
/// the rules: an agent's program or a person was faster.
pub fn difference(entry: &Entry, agent: Option<Configured>, policy: &Policy) -> Option<Difference> {
    let was = went(entry)?;
    let question = question(entry);
    // An agent that is configured no more is taken to have whom it had.
    let had = Chain::from(had(entry).join(",").as_str());
    let consultant = match agent {
        Some(agent) => agent.consultant,
        None => Some(&had).filter(|chain| chain.names().next().is_some_and(|name| !name.is_empty())),
    };
    let is_consultant = agent.is_some_and(|agent| agent.role == Duty::Consultant);
    let asker = Asker { name: &entry.agent, consultant, is_consultant };
    let (now, rule, why) = match route(&question, &asker, policy) {
        Route::Consult { with, rule } => {
            (Routed::Consult(with.names().map(str::to_owned).collect()), rule, None)
        }
        Route::Human { why, rule } => (Routed::Human, rule, Some(why)),
        Route::Answer { answer, rule } => (Routed::Answer(words(&answer, &question)), rule, None),
        Route::Ignore { rule } => (Routed::Ignore, rule, None),
    };
    let same = match (&was, &now) {
        // The first of them answered, and nobody asked the others: whom it begins with counts.
        (Routed::Consult(was), Routed::Consult(now)) => now.starts_with(was),
        // One that went away in the pane went to a person, or to nobody: earlier versions did not tell these apart.
        (Routed::Human, Routed::Ignore) => entry.routed.is_none() && entry.outcome == Outcome::Withdrawn,
        (was, now) => was == now,
    };
    (!same).then_some(Difference { was, now, rule, why })
}

/// The way it went.
fn went(entry: &Entry) -> Option<Routed> {
    // Earlier versions noted less: from here on it is put together from what became of the question.
    if entry.routed.is_some() {
        return entry.routed.clone();
    }
    if entry.rule.is_empty() {
        return None;
    }
    let asked = asked(entry);
    if !asked.is_empty() {
        return Some(Routed::Consult(asked));
    }
    if entry.by == format!("rule {}", entry.rule) {
        return entry.answer.clone().map(Routed::Answer);
    }
    Some(Routed::Human)
}

/// Whom the rules sent it to; a consultant whom a person named for this one question is not its agent's.
fn had(entry: &Entry) -> Vec<String> {
    match &entry.routed {
        Some(Routed::Consult(names)) => names.clone(),
        Some(_) => Vec::new(),
        None => asked(entry),
    }
}

/// Who was asked, in order.
fn asked(entry: &Entry) -> Vec<String> {
    let mut names: Vec<String> = entry.asked.iter().map(|turn| turn.with.clone()).collect();
    names.dedup();
    names
}

fn question(entry: &Entry) -> Question {
    // The rows of several that may be chosen together have boxes; which of them were ticked changes no route.
    let checked = (entry.kind == Kind::Multi).then_some(false);
    let choice =
        |label: &String| Choice { label: label.clone(), role: Role::Choice, checked, ..Choice::default() };
    Question {
        kind: entry.kind,
        prompt: entry.prompt.clone(),
        options: entry.options.iter().map(choice).collect(),
        selected: Some(0).filter(|_| !entry.options.is_empty()),
        multi: entry.kind == Kind::Multi,
        subject: entry.subject.clone(),
        partial: false,
        tab: None,
        typing: false,
        origin: Default::default(),
    }
}

fn words(answer: &Answer, question: &Question) -> String {
    match answer {
        Answer::Rows(rows) => {
            let labels = rows.iter().filter_map(|row| question.options.get(*row));
            labels.map(|choice| choice.label.as_str()).collect::<Vec<_>>().join(", ")
        }
        Answer::Text(text) => text.clone(),
        Answer::Reject => "no".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::policy::{Rule, Then};

    fn entry(kind: Kind, rule: &str, by: &str, answer: Option<&str>) -> Entry {
        let line = serde_json::json!({
            "id": "q1", "agent": "api", "asked_at": 1, "settled_at": 2, "latency_ms": 1, "kind": kind,
            "prompt": "Run it?", "subject": "git status", "options": ["Yes", "No"], "by": by, "rule": rule,
            "channel": "keys", "outcome": if answer.is_some() { "answered" } else { "escalated" },
            "answer": answer,
        });
        serde_json::from_value(line).unwrap()
    }

    fn rule(then: Then, answer: Option<&str>) -> Rule {
        Rule {
            agent: None,
            kind: Some(Kind::Permission),
            prompt: None,
            command: Some("^git status$".into()),
            option: None,
            then,
            answer: answer.map(str::to_owned),
            with: None,
            from_project: false,
        }
    }

    fn under(rules: Vec<Rule>, entry: &Entry) -> Option<Difference> {
        difference(entry, None, &Policy { rules, ..Policy::default() })
    }

    #[test]
    fn only_what_the_rules_change_is_a_difference() {
        let asked_a_person = entry(Kind::Permission, "built-in", "person", None);
        assert_eq!(under(vec![], &asked_a_person), None);
        let now = under(vec![rule(Then::Answer, Some("Yes"))], &asked_a_person).unwrap();
        assert_eq!((now.was, now.now, now.rule), (Routed::Human, Routed::Answer("Yes".into()), "1".into()));
        let by_rule = entry(Kind::Permission, "1", "rule 1", Some("Yes"));
        assert_eq!(under(vec![rule(Then::Answer, Some("Yes"))], &by_rule), None);
        assert_eq!(
            under(vec![rule(Then::Answer, Some("No"))], &by_rule).unwrap().now,
            Routed::Answer("No".into())
        );
        assert_eq!(under(vec![], &by_rule).unwrap().now, Routed::Human);
        assert_eq!(under(vec![], &entry(Kind::Permission, "", "person", None)), None, "no rule was asked");
    }

    #[test]
    fn where_the_rules_sent_it_counts_and_not_what_a_limit_made_of_it() {
        let mut limited = entry(Kind::Menu, "built-in", "none", None);
        limited.routed = Some(Routed::Consult(vec!["oracle".into()]));
        let chain = Chain::from("oracle");
        let agent = Configured { consultant: Some(&chain), role: Duty::Worker };
        assert_eq!(difference(&limited, Some(agent), &Policy::default()), None);
    }

    #[test]
    fn an_agent_that_is_configured_no_more_has_whom_it_had() {
        let mut asked = entry(Kind::Menu, "built-in", "consultant oracle", Some("Yes"));
        asked.asked = serde_json::from_str(r#"[{"with":"oracle","asked_at":1,"took_ms":1}]"#).unwrap();
        assert_eq!(under(vec![], &asked), None);
        let alone = Configured { consultant: None, role: Duty::Worker };
        let now = difference(&asked, Some(alone), &Policy::default()).unwrap();
        assert_eq!((now.was, now.now), (Routed::Consult(vec!["oracle".into()]), Routed::Human));
    }

    #[test]
    fn a_consultant_whom_a_person_named_is_not_its_agents() {
        let mut by_hand = entry(Kind::Menu, "built-in", "consultant two", Some("Yes"));
        by_hand.routed = Some(Routed::Human);
        by_hand.asked = serde_json::from_str(r#"[{"with":"two","asked_at":1,"took_ms":1}]"#).unwrap();
        assert_eq!(under(vec![], &by_hand), None);
    }

    #[test]
    fn an_option_among_several_is_answered_by_a_rule_as_it_was() {
        let mut ticked = entry(Kind::Multi, "1", "rule 1", Some("Yes"));
        ticked.routed = Some(Routed::Answer("Yes".into()));
        let ticks = Rule { kind: Some(Kind::Multi), command: None, ..rule(Then::Answer, Some("Yes")) };
        assert_eq!(under(vec![ticks], &ticked), None);
    }
}
