//! Whether the `command` of a rule speaks of the command that is asked for.
//!
//! `route.rs` asks for each rule. Approving takes all of a line in every way in which it may have been meant; refusing takes any
//! part of it in any. Pure.

use std::cell::OnceCell;
use std::sync::LazyLock;

use regex::Regex;

use super::shell::split;
use super::{Rule, Then, guard, readings};
use crate::core::pattern::Pattern;
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
    covers_all(pattern, &regex, subject) && ended.is_none_or(|ended| covers_all(pattern, &regex, &ended))
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
    let whole = || Regex::new(&format!(r"\A(?:{pattern})\z")).is_ok_and(|whole| whole.is_match(subject));
    (says_how_commands_go_together(pattern, subject) && whole())
        || (!line.opaque && line.commands.iter().all(|command| regex.is_match(&command.text())))
}

static NOT_THESE: LazyLock<Pattern> = LazyLock::new(|| Pattern::constant(r"\[\^[^\]]*\]"));

/// Whether a pattern writes down itself whatever joins the commands of this line: who ends one with `.*` means the words of a
/// command, and not another one behind it.
fn says_how_commands_go_together(pattern: &str, line: &str) -> bool {
    // What is not to stand there is written down as well.
    let pattern = NOT_THESE.replace_all(pattern, "");
    // In a pattern a bar and a dollar sign mean something else, but behind a backslash or in brackets.
    let literal =
        |sign: char| pattern.contains(&format!("\\{sign}")) || pattern.contains(&format!("[{sign}"));
    let count = |text: &str| pattern.matches(text).count();
    let written = |sign: char| match sign {
        '|' | '$' => {
            if literal(sign) {
                count(&format!("\\{sign}")) + count(&format!("[{sign}"))
            } else {
                0
            }
        }
        '\n' => ["\n", r"\n", r"\s"].iter().map(|end| count(end)).sum(),
        _ => count(&sign.to_string()),
    };
    let signs = [';', '&', '|', '`', '<', '>', '\n'].into_iter();
    // Each of them: a second one may join what the pattern says nothing of.
    let asked =
        signs.map(|sign| (sign, line.matches(sign).count())).chain([('$', line.matches("$(").count())]);
    asked.into_iter().all(|(sign, asked)| asked <= written(sign))
}
