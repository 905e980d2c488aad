//! Whether the `command` of a rule speaks of the command that is asked for.
//!
//! `route.rs` asks for each rule. Approving takes all of a line in every way in which it may have been meant; refusing takes any
//! part of it in any. Pure.

use std::cell::OnceCell;

use regex::Regex;
use regex_syntax::hir::{Class, ClassUnicode, ClassUnicodeRange, Hir, HirKind, Repetition};

use super::shell::split;
use super::{Rule, Then, guard, readings};
use crate::core::question::Question;

/// Whether a rule's `command` speaks of what is asked for. To approve, it must speak of every command of
/// a line, or of the whole line: `^git ` is no word about `git log; rm -rf ~`. To refuse, any part will do, in any way in which it
/// may be written.
pub fn covers(pattern: &str, rule: &Rule, q: &Question, readings: &OnceCell<Vec<String>>) -> bool {
    let (Ok(regex), Some(subject)) = (Regex::new(pattern), q.subject.as_deref()) else { return false };
    let refuses = match rule.then {
        Then::Human | Then::Ignore => true,
        Then::Answer => rule.answer.as_deref().is_some_and(guard::refuses),
        Then::Consult => false,
    };
    if refuses {
        return readings.get_or_init(|| readings::of(subject)).iter().any(|reading| regex.is_match(reading));
    }
    let ended = readings::ended(subject).filter(|_| !q.origin.exact);
    let covers = |subject: &str| covers_all(pattern, &regex, subject);
    (covers(subject) || covers(&readings::as_told(q))) && ended.is_none_or(|ended| covers(&ended))
}

fn covers_all(pattern: &str, regex: &Regex, subject: &str) -> bool {
    if !regex.is_match(subject) {
        return false;
    }
    let address = subject.contains("://") && !subject.contains(char::is_whitespace);
    let line = split(subject);
    if address || (line.commands.len() <= 1 && !line.opaque) {
        return true;
    }
    whole_line(pattern, subject).is_some_and(|whole| whole.is_match(subject))
        || (!line.opaque && line.commands.iter().all(|command| regex.is_match(&command.text())))
}

/// Signs that join two commands, end one, feed one from another or from a file, or make one of those a letter or no letter.
const JOINS: [char; 12] = [';', '&', '|', '`', '<', '>', '\n', '(', ')', '\'', '"', '\\'];
/// Characters that a class has at the most where each was written down.
const WRITTEN: usize = 8;

/// The pattern for a whole line, in which each sign that joins commands stands where the pattern has it: who ends one with `.*`
/// means the words of a command, and not another one behind it.
fn whole_line(pattern: &str, line: &str) -> Option<Regex> {
    let mut joins: Vec<char> = JOINS.to_vec();
    joins.extend(line.contains("$(").then_some('$'));
    let others = ClassUnicode::new(joins.iter().map(|sign| ClassUnicodeRange::new(*sign, *sign)));
    let whole = narrowed(&regex_syntax::parse(pattern).ok()?, &others);
    Regex::new(&format!(r"\A(?:{whole})\z")).ok()
}

/// The same pattern without these characters in any of its classes but the small ones.
fn narrowed(hir: &Hir, without: &ClassUnicode) -> Hir {
    match hir.kind() {
        HirKind::Class(Class::Unicode(class)) => {
            let size: usize = class.iter().map(ClassUnicodeRange::len).sum();
            let mut class = class.clone();
            if size > WRITTEN {
                class.difference(without);
            }
            Hir::class(Class::Unicode(class))
        }
        HirKind::Repetition(repetition) => {
            let sub = Box::new(narrowed(&repetition.sub, without));
            Hir::repetition(Repetition { sub, ..repetition.clone() })
        }
        HirKind::Capture(capture) => narrowed(&capture.sub, without),
        HirKind::Concat(parts) => Hir::concat(parts.iter().map(|part| narrowed(part, without)).collect()),
        HirKind::Alternation(parts) => {
            Hir::alternation(parts.iter().map(|part| narrowed(part, without)).collect())
        }
        // Bytes outside of UTF-8 are none of a text's.
        HirKind::Empty | HirKind::Literal(_) | HirKind::Look(_) | HirKind::Class(Class::Bytes(_)) => {
            hir.clone()
        }
    }
}
