//! Who answers a question: the user's rules, first match wins, then the built-in ones.
//!
//! Pure decisions; the hub carries them out. A rule can never lift what only a person may answer.

use regex::Regex;

use super::fold::only_match;
use super::guard::irreversible;
use super::policy::{Policy, Rule, Then};
use super::question::{Answer, Kind, Question, Role};
use super::redact;

/// The name of the rules that come last.
const BUILT_IN: &str = "built-in";

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

impl Route {
    fn human(why: impl Into<String>, rule: &str) -> Route {
        Route::Human { why: why.into(), rule: rule.to_owned() }
    }
}

/// An answer as a person or a rule gives it.
#[derive(Debug, Clone, Copy)]
pub struct GivenOptions<'a> {
    /// Numbers or labels.
    pub options: &'a [String],
    pub text: Option<&'a str>,
    pub reject: bool,
}

/// Decides who answers.
pub fn route(q: &Question, asker: &Asker, policy: &Policy) -> Route {
    if q.kind.person_only() {
        return Route::human(format!("a {} question is a person's", q.kind.name()), BUILT_IN);
    }
    let matching = policy.rules.iter().enumerate().find(|(_, rule)| matches(rule, q, asker));
    match matching {
        Some((index, rule)) => apply(rule, &format!("{}", index + 1), q, asker),
        None => built_in(q, asker),
    }
}

fn built_in(q: &Question, asker: &Asker) -> Route {
    match q.kind {
        Kind::Menu | Kind::Multi | Kind::Review | Kind::Text | Kind::YesNo => match asker.consultant {
            Some(with) => consult(with, BUILT_IN, q, asker),
            None => Route::human(format!("{} has no consultant", asker.name), BUILT_IN),
        },
        Kind::Permission | Kind::Plan | Kind::Dialog | Kind::Trust | Kind::Login | Kind::Password => {
            Route::human(format!("a {} question is a person's", q.kind.name()), BUILT_IN)
        }
    }
}

/// A consultant is asked, unless it would ask itself or cannot know all that is offered.
fn consult(with: &str, rule: &str, q: &Question, asker: &Asker) -> Route {
    if with == asker.name {
        return Route::human("nobody answers their own question", rule);
    }
    if asker.is_consultant {
        return Route::human("a consultant's own questions are a person's", rule);
    }
    if q.kind == Kind::Plan || q.kind == Kind::Permission {
        return Route::human("questions are not consent: a consultant may not permit or approve", rule);
    }
    if q.partial && q.options.is_empty() {
        return Route::human("its options are not on the screen", rule);
    }
    Route::Consult { with: with.to_owned(), rule: rule.to_owned() }
}

/// Whether every condition of the rule holds. A pattern that does not compile holds for nothing; the
/// configuration refuses it long before.
fn matches(rule: &Rule, q: &Question, asker: &Asker) -> bool {
    let found = |pattern: &Option<String>, text: Option<&str>| match (pattern, text) {
        (None, _) => true,
        (Some(_), None) => false,
        (Some(pattern), Some(text)) => Regex::new(pattern).is_ok_and(|regex| regex.is_match(text)),
    };
    rule.agent.as_deref().is_none_or(|agent| agent == asker.name)
        && rule.kind.is_none_or(|kind| kind == q.kind)
        && found(&rule.prompt, Some(&q.prompt))
        && found(&rule.command, q.subject.as_deref())
        && (rule.option.is_none() || q.options.iter().any(|choice| found(&rule.option, Some(&choice.label))))
}

fn apply(rule: &Rule, name: &str, q: &Question, asker: &Asker) -> Route {
    match rule.then {
        Then::Human => Route::human(format!("rule {name} sends it to a person"), name),
        Then::Ignore => Route::Ignore { rule: name.to_owned() },
        Then::Consult => match rule.with.as_deref().or(asker.consultant) {
            Some(with) => consult(with, name, q, asker),
            None => Route::human(format!("{} has no consultant", asker.name), name),
        },
        Then::Answer => answer(rule, name, q),
    }
}

fn answer(rule: &Rule, name: &str, q: &Question) -> Route {
    let consent = matches!(q.kind, Kind::Permission | Kind::Plan | Kind::Dialog);
    if consent && rule.from_project {
        return Route::human("a project's file may not give permissions", name);
    }
    if consent {
        // The whole dialog counts: a subject that was cut off may hide the worst of it.
        let text = format!("{}\n{}", q.prompt, q.subject.as_deref().unwrap_or(""));
        if let Some(why) = irreversible(&text) {
            return Route::human(format!("a guard: it {why}"), name);
        }
        if q.partial || (q.kind == Kind::Permission && q.subject.is_none()) {
            return Route::human("what it would permit is not all on the screen", name);
        }
    }
    let words = rule.answer.clone().unwrap_or_default();
    let takes_words = q.options.is_empty();
    let options = if takes_words { Vec::new() } else { vec![words.clone()] };
    let text = takes_words.then_some(words.as_str());
    match resolve(&GivenOptions { options: &options, text, reject: false }, q) {
        Ok(answer) => Route::Answer { answer, rule: name.to_owned() },
        Err(why) => Route::human(format!("rule {name} does not fit: {why}"), name),
    }
}

/// What a person's or a rule's words mean for this question. The error says why they mean nothing.
pub fn resolve(given: &GivenOptions, q: &Question) -> Result<Answer, String> {
    match (given.options, given.text, given.reject) {
        ([], None, true) => Ok(Answer::Reject),
        ([], Some(text), false) => words(text, q),
        (options, None, false) if !options.is_empty() => rows(options, q),
        ([], None, false) => Err("no answer was given".to_owned()),
        _ => Err("give options, or words, or decline; not several of them".to_owned()),
    }
}

fn words(text: &str, q: &Question) -> Result<Answer, String> {
    let text = redact::controls(text).trim().to_owned();
    let free_row = q.options.iter().any(|choice| choice.role == Role::FreeText);
    if text.is_empty() {
        Err("the answer is empty".to_owned())
    } else if free_row || q.options.is_empty() {
        Ok(Answer::Text(text))
    } else if q.kind == Kind::YesNo {
        rows(std::slice::from_ref(&text), q)
    } else {
        Err("this question takes one of its options, not words".to_owned())
    }
}

fn rows(options: &[String], q: &Question) -> Result<Answer, String> {
    let mut rows = options.iter().map(|word| row(word, q)).collect::<Result<Vec<_>, _>>()?;
    rows.sort_unstable();
    rows.dedup();
    if !q.multi && rows.len() > 1 {
        return Err("exactly one option can be chosen".to_owned());
    }
    if rows.iter().any(|row| q.options[*row].role == Role::FreeText) {
        return Err("give the words for that row with --text".to_owned());
    }
    Ok(Answer::Rows(rows))
}

/// A label, or a number: the one printed before the row where rows are numbered, else its position.
fn row(word: &str, q: &Question) -> Result<usize, String> {
    let labels = || q.options.iter().map(|choice| choice.label.as_str());
    if let Ok(row) = only_match(word, labels()) {
        return Ok(row);
    }
    let Ok(number) = word.parse::<u32>() else {
        return only_match(word, labels())
            .map_err(|why| format!("{why}; they are: {}", labels().collect::<Vec<_>>().join(" | ")));
    };
    let printed = q.options.iter().position(|choice| choice.number == Some(number));
    let position =
        usize::try_from(number).ok().and_then(|n| n.checked_sub(1)).filter(|row| *row < q.options.len());
    // A row without a number of its own (Submit) among numbered ones is named by its position.
    printed.or(position).ok_or_else(|| format!("there is no option {number}; there are {}", q.options.len()))
}

#[cfg(test)]
#[path = "route_tests.rs"]
mod tests;
