//! Who answers a question: the rules, first match wins, and the built-in ones that come last.
//!
//! The server's hub calls it once for each question that appears, and to read a person's answer. It types
//! nothing and remembers nothing: limits over time are the hub's.

use std::cell::OnceCell;

use regex::Regex;

use crate::core::consult::chain::Chain;
use crate::core::detect::witness::{Blind, Reader};
use crate::core::policy::value::is_offer;
use crate::core::policy::{Policy, Rule, Then, above, covers::covers, guard, mention, request, yes_no};
use crate::core::question::option_lookup;
use crate::core::question::{Answer, Choice, Kind, Question, Role};

/// Longest text a person's answer may have, in characters: an answer, not a document.
const LONGEST_TEXT: usize = 4_000;

/// Who asks.
#[derive(Debug, Clone, Copy)]
pub struct Asker<'a> {
    pub name: &'a str,
    pub consultant: Option<&'a Chain>,
    pub is_consultant: bool,
}

/// What is to happen with a question, and the rule that says so: its position among all, from 1, or
/// `built-in`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Route {
    Consult { with: Chain, rule: String },
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

/// The first rule that matches decides; without one, the kind does.
pub fn route(q: &Question, asker: &Asker, policy: &Policy) -> Route {
    if q.kind.person_only() {
        return human(format!("a {} question is a person's", q.kind.name()), "built-in");
    }
    // There may be hundreds of rules, and the readings of a command are the same for all.
    let readings = OnceCell::new();
    for (index, rule) in policy.rules.iter().enumerate() {
        if permitted(rule, q) && matches(rule, q, asker, &readings) {
            return apply(rule, &(index + 1).to_string(), q, asker);
        }
    }
    match q.kind {
        Kind::Menu | Kind::Multi | Kind::Review | Kind::Text | Kind::YesNo => {
            consult(asker.consultant, q, asker, "built-in", false)
        }
        Kind::Permission | Kind::Plan | Kind::Dialog => {
            let usual = || format!("a {} question is a person's unless a rule says otherwise", q.kind.name());
            human(unclear_read(q).unwrap_or_else(usual), "built-in")
        }
        Kind::Trust | Kind::Login | Kind::Password => unreachable!("person_only kinds have left above"),
    }
}

fn human(why: impl Into<String>, rule: &str) -> Route {
    Route::Human { why: why.into(), rule: rule.to_owned() }
}

/// A project's file may send a question to a person, but neither get approvals through nor keep a person from
/// seeing what asks for a yes: whoever wrote the repository wrote that file.
fn permitted(rule: &Rule, q: &Question) -> bool {
    let approves = matches!(q.kind, Kind::Permission | Kind::Plan | Kind::Dialog);
    // A program that nobody described asks for a yes in rows and words of any kind.
    let guarded = || guard::veto(q).or_else(|| guard::misplaced(q)).is_some();
    let forbidden = match rule.then {
        Then::Answer | Then::Ignore => approves || q.kind == Kind::YesNo || guarded(),
        Then::Consult => approves,
        Then::Human => false,
    };
    !(rule.from_project && forbidden)
}

fn matches(rule: &Rule, q: &Question, asker: &Asker, readings: &OnceCell<Vec<String>>) -> bool {
    let found = |pattern: &Option<String>, text: &str| {
        // A pattern that is none matches nothing: the files' check has already said so.
        pattern.as_ref().is_none_or(|p| Regex::new(p).is_ok_and(|regex| regex.is_match(text)))
    };
    rule.agent.as_ref().is_none_or(|agent| agent == asker.name)
        && rule.kind.is_none_or(|kind| kind == q.kind)
        && found(&rule.prompt, &q.prompt)
        && rule.command.as_ref().is_none_or(|pattern| names(pattern, rule, q, readings))
        && (rule.option.is_none() || q.options.iter().any(|choice| found(&rule.option, &choice.label)))
}

/// Whether a rule's `command` speaks of the request: of its act and what that is done to, where it is about no command.
fn names(pattern: &str, rule: &Rule, q: &Question, readings: &OnceCell<Vec<String>>) -> bool {
    match request::of(q) {
        Some(request) => Regex::new(pattern).is_ok_and(|regex| regex.is_match(&request)),
        None => covers(pattern, rule, q, readings),
    }
}

fn apply(rule: &Rule, name: &str, q: &Question, asker: &Asker) -> Route {
    match rule.then {
        Then::Human => human(format!("rule {name} leaves it to a person"), name),
        Then::Ignore => Route::Ignore { rule: name.to_owned() },
        Then::Consult => {
            consult(rule.with.as_ref().or(asker.consultant), q, asker, name, rule.command.is_some())
        }
        Then::Answer => {
            let given = rule.answer.as_deref().filter(|_| rule.from_project && option_lookup::takes_text(q));
            match unread(q)
                .or_else(|| unseen(q))
                .or_else(|| given.and_then(mention::fault).map(str::to_owned))
                .map_or_else(|| by_rule(rule.answer.as_deref().unwrap_or_default(), q), Err)
            {
                Ok(answer) => Route::Answer { answer, rule: name.to_owned() },
                Err(why) => human(format!("rule {name} cannot answer it: {why}"), name),
            }
        }
    }
}

fn consult(with: Option<&Chain>, q: &Question, asker: &Asker, rule: &str, named: bool) -> Route {
    // Consultants that ask consultants may end up waiting for each other.
    if asker.is_consultant {
        return human("a consultant's own questions are a person's", rule);
    }
    let Some(with) = with else { return human("no consultant is set for this agent", rule) };
    let Some(with) = with.without(asker.name) else {
        return human("an agent does not answer itself", rule);
    };
    // Questions are not consent: a consultant permits only what the user's own rule names, and once.
    match q.kind {
        Kind::Plan => return human("a plan is approved by a person", rule),
        Kind::Permission if !named => {
            return human("no rule lets a consultant permit this very command", rule);
        }
        Kind::Permission => {}
        Kind::Menu | Kind::Multi | Kind::Review | Kind::YesNo | Kind::Text | Kind::Dialog => {}
        Kind::Trust | Kind::Login | Kind::Password => return human("only a person answers this", rule),
    }
    if let Some(why) = guard::veto(q).or_else(|| guard::misplaced(q)) {
        return human(why, rule);
    }
    if let Some(why) = unread(q).or_else(|| unseen(q)) {
        return human(why, rule);
    }
    // Its own question may have gone to a file, and another's stands above its read.
    if let Some(wait) = q.origin.wait().filter(|wait| wait.acts || above::acts(&wait.program)) {
        return human(format!("{} reads, and what it asks is a person's", wait.program), rule);
    }
    if yes_no::is_hunk(&q.prompt) && q.origin.wait().is_some_and(|wait| wait.program != "git") {
        return human("which command asks this is not known: it may commit what is picked", rule);
    }
    if may_hide(q) {
        return human("the program draws what is typed itself, and may hide it", rule);
    }
    match out_of_view(q) {
        Some(why) => human(why, rule),
        None => Route::Consult { with, rule: rule.to_owned() },
    }
}

/// Why nothing is typed for a prompt unless a person says so: nobody is seen to wait for it. Rows of a dialog can
/// be chosen all the same, since the highlight is seen to move; words in a line, and approvals, cannot be taken back.
fn unread(q: &Question) -> Option<String> {
    let approves = matches!(q.kind, Kind::Permission | Kind::Plan | Kind::YesNo);
    let any_program = q.origin.printed.is_some();
    if let Some(Reader::Reading(wait)) = q.origin.reader.as_ref() {
        if wait.asks_nothing {
            return Some(format!("{} reads, and takes lines for commands or data", wait.program));
        }
        // Such rows were only printed: no key moves a highlight among them.
        if wait.blocking && !q.origin.line {
            return Some(format!("{} reads a line and no keys", wait.program));
        }
    }
    // Who writes there as well draws the rows, or would take the keys.
    let others = matches!(
        q.origin.reader,
        Some(Reader::Unknown(
            Blind::Shared { .. } | Blind::Contended { .. } | Blind::TooMany | Blind::Pending { .. }
        ))
    );
    if !(q.origin.line || (any_program && (approves || others))) {
        return None;
    }
    match &q.origin.reader {
        Some(Reader::Reading(_)) => None,
        Some(Reader::MayRead { program }) => {
            Some(format!("whether {program} waits for an answer is not seen"))
        }
        Some(Reader::Nobody) => Some("nobody waits for an answer".into()),
        Some(Reader::Unknown(blind)) => Some(format!("who waits for an answer is not known: {blind}")),
        None => Some("nobody has looked who waits for an answer".into()),
    }
}

/// Why nobody can tell what an answer would do, though all of it is on the screen.
fn unseen(q: &Question) -> Option<String> {
    if let Some(why) = unclear_read(q) {
        return Some(why);
    }
    if q.origin.concealed {
        return Some(
            "words stand there that cannot be seen: concealed, or in the colour of their ground".into(),
        );
    }
    if q.origin.line && q.options.iter().any(|row| row.number == Some(0)) {
        return Some(
            "its rows are numbered from 0: the first row and the one with the number 1 are two".into(),
        );
    }
    q.origin.rows_unclear.then(|| "it does not say whether it asks for one of the rows above it".into())
}

/// Why it is not known what a line that is typed would answer.
fn unclear_read(q: &Question) -> Option<String> {
    let why = "more was printed while a line was read: what stands there now need not be what it is read for";
    q.origin.printed_over.then(|| why.to_owned())
}

/// Whether words would go where only the program decides if they are shown. Nothing tells such a field from one for a
/// secret before a key is sent, but a plain value that it offers and that Enter is known to take: for that nothing is
/// typed. Of the words of a person or of their rule one letter goes first (`deliver/line.rs`).
fn may_hide(q: &Question) -> bool {
    let any_program = q.origin.printed.is_some();
    let offers = q.origin.enter_takes && q.origin.offered.as_deref().is_some_and(is_offer);
    any_program && q.kind == Kind::Text && q.origin.line && q.origin.unechoed && !offers
}

/// Why an answer could not be verified although it was given: something of the question is not on the
/// screen.
fn out_of_view(q: &Question) -> Option<&'static str> {
    if !q.partial {
        return None;
    }
    match q.kind {
        Kind::Menu if q.origin.end_unseen => Some("its end is out of view, and options may stand there"),
        Kind::Menu if q.selected.is_some() && distinct(q) => None,
        Kind::Menu => Some("its options are partly out of view, and the highlight is not seen"),
        Kind::Multi | Kind::Review => Some("what would be submitted is partly out of view"),
        Kind::Permission | Kind::Plan | Kind::Dialog => Some("what is asked for is partly out of view"),
        Kind::Text | Kind::YesNo => Some("the question is partly out of view"),
        Kind::Trust | Kind::Login | Kind::Password => Some("only a person answers this"),
    }
}

fn distinct(q: &Question) -> bool {
    q.options.iter().all(|choice| matches!(option_lookup::by_label(q, &choice.label), Ok(Some(_))))
}

/// A rule's answer: the label it names, and never a number, which may mean another row tomorrow.
fn by_rule(given: &str, q: &Question) -> Result<Answer, String> {
    let row = match option_lookup::by_label(q, given)? {
        Some(row) => row,
        None if q.kind == Kind::Text => {
            let agrees = q.origin.printed.is_none() && !guard::refuses(given);
            return match guard::veto(q).filter(|_| agrees) {
                Some(why) => Err(why.into()),
                None => words(given, q),
            };
        }
        None => return Err(format!("no option reads '{given}'")),
    };
    if !option_lookup::choosable(q, row) {
        return Err(format!("'{given}' is no answer by itself"));
    }
    if guard::refuses(&q.options[row].label) {
        return Ok(Answer::Rows(vec![row]));
    }
    // Any program's prompt names what it asks for only in its words, which the rule has matched.
    if q.kind == Kind::Permission && q.subject.is_none() && q.origin.printed.is_none() {
        return Err("what is asked for is not on the screen".into());
    }
    if let Some(why) = guard::veto(q).or_else(|| out_of_view(q)) {
        return Err(why.into());
    }
    Ok(Answer::Rows(vec![row]))
}

/// What a person's words mean for this question, or why they mean nothing.
pub fn resolve(given: &GivenOptions, q: &Question) -> Result<Answer, String> {
    match (given.options, given.text, given.reject) {
        ([], None, true) => Ok(Answer::Reject),
        ([], Some(text), false) => words(text, q),
        ([], None, false) => Err("no answer was given; name an option, or use --text or --reject".into()),
        (options, None, false) => chosen(options, q),
        _ => Err("options, --text and --reject exclude each other".into()),
    }
}

/// What can be chosen, as a person names it.
fn offered(q: &Question) -> String {
    let rows = option_lookup::numbers(q).into_iter().zip(&q.options);
    let row = |(number, row): (Option<u32>, &Choice)| match number {
        Some(number) => format!("{number} ({})", row.label),
        None => format!("({})", row.label),
    };
    format!("there are {}", rows.map(row).collect::<Vec<_>>().join(", "))
}

fn chosen(options: &[String], q: &Question) -> Result<Answer, String> {
    if option_lookup::bare_review(q) && matches!(options, [only] if only == "1") {
        return Ok(Answer::Rows(Vec::new()));
    }
    if q.options.is_empty() {
        let text = option_lookup::takes_text(q) || q.kind == Kind::YesNo;
        let way = if text { "answer with --text" } else { "type into the pane itself, see 'counsel attach'" };
        return Err(format!("the question has no options; {way}"));
    }
    let mut rows = Vec::new();
    for word in options {
        let row = option_lookup::named(q, word).map_err(|why| format!("{why}; {}", offered(q)))?;
        match q.options[row].role {
            Role::FreeText => return Err(format!("'{word}' takes words of your own; give them with --text")),
            Role::Submit if q.multi => return Err(format!("'{word}' is pressed when the ticks are right")),
            Role::Choice if q.multi && q.options[row].checked.is_none() => {
                return Err(format!("'{word}' has no box to tick"));
            }
            Role::Choice | Role::Submit | Role::Aside => {}
        }
        rows.push(row);
    }
    rows.sort_unstable();
    rows.dedup();
    if !q.multi && rows.len() > 1 {
        return Err(format!("one option can be chosen, not {}", rows.len()));
    }
    Ok(Answer::Rows(rows))
}

/// Words of one's own. What could act as a key is taken out.
fn words(text: &str, q: &Question) -> Result<Answer, String> {
    let line = q.kind == Kind::YesNo && q.options.is_empty();
    if !(option_lookup::takes_text(q) || line) {
        // A prompt that waits for a letter takes one of its options, whichever way it is given.
        return match (q.kind, option_lookup::by_label(q, text)?) {
            (Kind::YesNo, Some(row)) => Ok(Answer::Rows(vec![row])),
            _ if q.partial => {
                Err("no row for words of one's own is in view; name an option, or make the pane larger"
                    .into())
            }
            (Kind::Password, _) => Err("a secret is typed into the pane itself; see 'counsel attach'".into()),
            _ if q.options.is_empty() => {
                Err("no words can be given for it; type into the pane itself, see 'counsel attach'".into())
            }
            _ => Err("the question takes no words of one's own; name an option".into()),
        };
    }
    let plain = crate::core::log::redact::clean(text);
    let plain = if q.kind == Kind::Text { plain } else { plain.replace('\n', " ") };
    let plain = plain.trim();
    if plain.is_empty() && !option_lookup::takes_empty_line(q) {
        let way = "only a prompt in a line takes Enter alone; give words, or press it in its pane, see 'counsel attach'";
        return Err(format!("the text is empty, and {way}"));
    }
    if plain.chars().count() > LONGEST_TEXT {
        return Err(format!("the text is longer than {LONGEST_TEXT} characters"));
    }
    Ok(Answer::Text(plain.to_owned()))
}

#[cfg(test)]
#[path = "route_tests.rs"]
mod tests;
