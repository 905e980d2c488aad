//! Who answers a question: the rules, first match wins, and the built-in ones that come last.

use regex::Regex;

use super::policy::{Policy, Rule, Then};
use super::question::{Answer, Kind, Question};

/// Who asks.
#[derive(Debug, Clone, Copy)]
pub struct Asker<'a> {
    pub name: &'a str,
    pub consultant: Option<&'a str>,
    pub is_consultant: bool,
}

/// What is to happen with a question, and the rule that says so.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Route {
    Consult { with: String, rule: String },
    Human { why: String, rule: String },
    Answer { answer: Answer, rule: String },
    Ignore { rule: String },
}

/// An answer as a person gave it.
#[derive(Debug, Clone, Copy)]
pub struct GivenOptions<'a> {
    pub options: &'a [String],
    pub text: Option<&'a str>,
    pub reject: bool,
}

pub fn route(q: &Question, asker: &Asker, policy: &Policy) -> Route {
    if q.kind.person_only() {
        return Route::Human {
            why: format!("a {} question is a person's", q.kind.name()),
            rule: "built-in".into(),
        };
    }
    for (index, rule) in policy.rules.iter().enumerate() {
        if matches(rule, q, asker) {
            return apply(rule, index, q, asker);
        }
    }
    match (q.kind, asker.consultant) {
        (Kind::Menu | Kind::Multi | Kind::Review | Kind::Text | Kind::YesNo, Some(with))
            if with != asker.name =>
        {
            Route::Consult { with: with.to_owned(), rule: "built-in".into() }
        }
        (kind, _) => Route::Human { why: format!("a {} question", kind.name()), rule: "built-in".into() },
    }
}

fn matches(rule: &Rule, q: &Question, asker: &Asker) -> bool {
    let found = |pattern: &Option<String>, text: &str| {
        pattern.as_ref().is_none_or(|p| Regex::new(p).is_ok_and(|regex| regex.is_match(text)))
    };
    rule.agent.as_ref().is_none_or(|agent| agent == asker.name)
        && rule.kind.is_none_or(|kind| kind == q.kind)
        && found(&rule.prompt, &q.prompt)
        && found(&rule.command, q.subject.as_deref().unwrap_or(""))
        && (rule.option.is_none() || q.options.iter().any(|choice| found(&rule.option, &choice.label)))
}

fn apply(rule: &Rule, index: usize, q: &Question, asker: &Asker) -> Route {
    let name = format!("{}", index + 1);
    match rule.then {
        Then::Human => Route::Human { why: format!("rule {name}"), rule: name },
        Then::Ignore => Route::Ignore { rule: name },
        Then::Consult => match rule.with.as_deref().or(asker.consultant) {
            Some(with) if with != asker.name => Route::Consult { with: with.to_owned(), rule: name },
            _ => Route::Human { why: "no consultant".into(), rule: name },
        },
        Then::Answer => {
            let given = rule.answer.clone().unwrap_or_default();
            let options = [given];
            match resolve(&GivenOptions { options: &options, text: None, reject: false }, q) {
                Ok(answer) => Route::Answer { answer, rule: name },
                Err(why) => Route::Human { why, rule: name },
            }
        }
    }
}

pub fn resolve(given: &GivenOptions, q: &Question) -> Result<Answer, String> {
    if given.reject {
        return Ok(Answer::Reject);
    }
    if let Some(text) = given.text {
        return Ok(Answer::Text(text.to_owned()));
    }
    let row = |word: &String| {
        let number =
            word.parse::<usize>().ok().and_then(|n| n.checked_sub(1)).filter(|n| *n < q.options.len());
        number
            .or_else(|| q.options.iter().position(|choice| choice.label == *word))
            .ok_or_else(|| format!("'{word}' is not an option"))
    };
    given.options.iter().map(row).collect::<Result<Vec<_>, _>>().map(Answer::Rows)
}
