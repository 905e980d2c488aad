//! What a witness changes in the verdict on a screen: nothing is asked unless somebody reads, and what is not
//! echoed is a secret.
//!
//! `detect/mod.rs` comes here with every verdict. Without a witness (a recording, a system that does not tell) the
//! screen's verdict stands, with nothing said of a reader; the router then keeps it for a person.

use std::sync::LazyLock;

use regex::Regex;

use super::page::Page;
use super::snapshot::{Snapshot, Trace};
use super::typed_on::{drafted, line, words_below};
use super::witness::{Blind, Reader, Wait, Witness};
use super::{beside, key_prompt, keyed, lines, other_keys, printed_over, typed_on, undescribed, viewer};
use crate::core::profile::Profile;
use crate::core::question::{Kind, Needs, Origin, Question, State, Verdict};

/// Holds the verdict on a screen against who reads it.
pub fn weigh(profile: &Profile, snapshot: &Snapshot, page: &Page, verdict: &mut Verdict, trace: &mut Trace) {
    verdict.needs = needs(profile, snapshot, verdict);
    if verdict.needs == Needs::Nothing {
        return;
    }
    if verdict.needs == Needs::WitnessOnceQuiet && snapshot.witness.is_none() {
        verdict.needs = beside::needs(profile, snapshot, page, verdict);
    }
    if let Some(witness) = snapshot.witness {
        trace.note("tty", true, || witness.to_string());
        match for_a_person(profile, snapshot, page, witness, verdict) {
            None if verdict.state == State::Starting && !reads_hidden(witness) => return,
            None => hear(profile, snapshot, page, witness, verdict),
            question => {
                (verdict.state, verdict.why, verdict.question) = (State::Asking, by_tty(profile), question);
            }
        }
        if let Some(question) =
            unread(profile, witness, verdict).then(|| keyed::asked(snapshot, page, witness)).flatten()
        {
            verdict.state = State::Asking;
            verdict.why = by_tty(profile);
            verdict.question = Some(question);
        }
        if profile.any_program
            && let Some(question) = beside::asked(profile, snapshot, page, witness, verdict)
        {
            (verdict.state, verdict.why, verdict.question) = (State::Asking, by_tty(profile), Some(question));
        }
        if profile.any_program {
            printed_over::weigh(&by_tty(profile), snapshot, witness, verdict);
        }
        if let Some(question) = &mut verdict.question {
            question.origin.reader = Some(witness.reader.clone());
            question.origin.unechoed = !witness.echo;
            question.origin.collected = witness.canonical;
        }
    }
    if let Some(question) = &mut verdict.question
        && question.origin.line
    {
        let at = || page.standing(lines::broken(page, page.cursor.0).0, &question.prompt);
        question.origin.stands = question.origin.stands.or_else(at);
    }
    if let Some(question) = verdict.question.as_mut().filter(|_| profile.any_program) {
        question.origin.alternate = snapshot.modes.alternate_screen;
        question.origin.drawn_ms = snapshot.resized_ms;
    }
    if profile.any_program {
        without_echo(profile, snapshot, page, verdict);
    }
    if let Some(question) = verdict.question.as_mut().filter(|_| profile.any_program) {
        undescribed::weigh(profile, snapshot, page, question);
        other_keys::weigh(page, question);
    }
    if profile.any_program {
        viewer::weigh(profile, snapshot, page, verdict, trace);
    }
}

fn needs(profile: &Profile, snapshot: &Snapshot, verdict: &Verdict) -> Needs {
    match (verdict.state, &verdict.question) {
        // A secret may be read before a word is printed.
        (State::Starting, _) if profile.any_program => Needs::WitnessOnceQuiet,
        (State::Exited | State::Starting | State::Paused, _) => Needs::Nothing,
        (_, Some(question)) if question.origin.line => Needs::Witness,
        _ if !profile.any_program => Needs::Nothing,
        (State::Idle | State::Asking, _) | (_, Some(_)) => Needs::Witness,
        // Whoever goes on printing keeps the screen from ever being quiet.
        (State::Working | State::Unknown, None) if snapshot.asked.is_some() => Needs::Witness,
        (State::Working | State::Unknown, None) => Needs::WitnessOnceQuiet,
    }
}

/// Words that somebody typed and the terminal shows are no prompt: an answer would be typed behind them, and end the
/// line under the hands of whoever wrote it.
fn without_echo(profile: &Profile, snapshot: &Snapshot, page: &Page, verdict: &mut Verdict) {
    let draft = snapshot.draft.trim();
    let Some(question) = verdict.question.as_ref().filter(|question| question.origin.line) else { return };
    let typing = question.typing;
    let Some(line) = line(page).filter(|_| !draft.is_empty()) else { return };
    let line = line.trim();
    let needs = verdict.needs;
    let instead = |state, question| Verdict { state, why: by_tty(profile), question, composer: None, needs };
    if draft.starts_with(line) {
        *verdict = instead(State::Unknown, None);
    } else if let Some(prompt) = line.strip_suffix(draft).filter(|_| !typing) {
        *verdict = instead(State::Asking, Some(drafted(prompt.trim().to_owned(), draft.to_owned())));
    }
}

/// Whether no rule knows what a program without a profile shows: none fires, or one that takes a row of a menu for a command at a
/// shell's prompt, while another program is seen to wait for keys.
fn unread(profile: &Profile, witness: &Witness, verdict: &Verdict) -> bool {
    let menu = || {
        let waits = witness.waits_for_keys() || witness.several_wait();
        profile.is_at_a_shell(&verdict.why) && waits
    };
    let open = verdict.state == State::Unknown || verdict.state == State::Working && menu();
    profile.any_program && verdict.question.is_none() && open
}

/// Why a verdict is what who reads makes of it.
fn by_tty(profile: &Profile) -> String {
    format!("{}/tty", profile.name)
}

/// What no answer can be typed for: nothing says what is read, or it does not get to whoever was stopped in the background,
/// whom a person brings to the foreground or ends.
fn for_a_person(
    profile: &Profile,
    snapshot: &Snapshot,
    page: &Page,
    witness: &Witness,
    verdict: &Verdict,
) -> Option<Question> {
    if profile.any_program && matches!(witness.reader, Reader::Unknown(Blind::Stopped { .. })) {
        let stands = verdict.question.as_ref().map(|question| question.prompt.clone());
        let words = stands.or_else(|| line(page)).or_else(|| above(page));
        return Some(asked(Kind::Dialog, words.unwrap_or_else(|| UNSAID.to_owned())));
    }
    let silent = verdict.state == State::Starting && !reads_hidden(witness);
    (silent && reads_unasked(snapshot, witness)).then(|| asked(Kind::Dialog, UNSAID.to_owned()))
}

fn hear(profile: &Profile, snapshot: &Snapshot, page: &Page, witness: &Witness, verdict: &mut Verdict) {
    let (needs, before) = (verdict.needs, snapshot.asked);
    let by_tty = |state, question| Verdict { state, why: by_tty(profile), question, composer: None, needs };
    let waited_for = verdict.question.is_some() || line(page).is_some();
    // What is typed below a question may look like any prompt, and is none as long as the same read waits.
    let goes_on =
        |before: &Question| verdict.question.as_ref().is_some_and(|now| now.prompt == before.prompt);
    let goes_on = before.filter(|before| profile.any_program && !goes_on(before));
    let draft = goes_on.and_then(|before| typed_on::draft(snapshot, page, before, witness));
    match &witness.reader {
        _ if draft.is_some() => *verdict = by_tty(State::Asking, draft),
        // Who is asked for a password may read it in a session of its own, as below `su -c`, where nobody sees it.
        Reader::Nobody if witness.hides_input() && asks_for_secret(verdict) => {}
        Reader::Nobody => {
            let polled = key_prompt::polled(profile, snapshot, page, verdict.question.as_ref());
            let state = if polled.is_some() { State::Asking } else { State::Working };
            *verdict = by_tty(state, polled);
        }
        Reader::Reading(_) | Reader::MayRead { .. } | Reader::Unknown(_)
            if witness.hides_input() && (waited_for || reads_hidden(witness)) =>
        {
            let prompt = match &verdict.question {
                Some(question) => question.prompt.clone(),
                None => line(page).or_else(|| above(page)).unwrap_or_else(|| NO_WORDS.to_owned()),
            };
            *verdict = by_tty(State::Asking, Some(asked(Kind::Password, prompt)));
        }
        // It hides nothing while it takes keys: those words are a command that somebody types.
        Reader::Reading(_) if witness.takes_commands() && !witness.canonical && asks_for_secret(verdict) => {
            *verdict = by_tty(State::Idle, None);
        }
        Reader::Reading(wait)
            if wait.blocking && matches!(verdict.state, State::Unknown | State::Working) =>
        {
            if let Some(question) = read_line(profile, snapshot, page, witness) {
                *verdict = by_tty(State::Asking, Some(question));
            }
        }
        Reader::Reading(wait)
            if !wait.asks_nothing && profile.any_program && verdict.state == State::Idle =>
        {
            if let Some(question) = asked_at_a_mark(snapshot, page, wait.blocking) {
                *verdict = by_tty(State::Asking, Some(question));
            } else if headed_above_a_mark(page).is_some()
                || asked_above_a_mark(page).is_some_and(|question| question.prompt.ends_with('?'))
            {
                verdict.needs = Needs::WitnessOnceQuiet;
            }
        }
        // Behind it nobody is seen to read; what stands there asks by its words.
        Reader::Unknown(Blind::Relayed { .. })
            if matches!(verdict.state, State::Unknown | State::Working) =>
        {
            if let Some(question) = key_prompt::polled(profile, snapshot, page, None) {
                *verdict = by_tty(State::Asking, Some(question));
            }
        }
        Reader::Reading(_) | Reader::MayRead { .. } | Reader::Unknown(_) => {}
    }
}

/// What a line is read for, where no rule knows the screen.
fn read_line(profile: &Profile, snapshot: &Snapshot, page: &Page, witness: &Witness) -> Option<Question> {
    let words = |prompt| asked(Kind::Text, prompt);
    let offered = || offered_above(page).or_else(|| headed_above(page)).filter(|_| !witness.takes_commands());
    asked_above_a_mark(page)
        .or_else(|| unasked_draft(page, witness))
        .or_else(|| line(page).or_else(|| told_above(page)).map(words))
        .or_else(offered)
        .or_else(|| amid(page).map(|words| asked(Kind::Dialog, words)))
        .or_else(|| unasked(snapshot, page, witness.wait()?).filter(|_| profile.any_program))
}

/// The last words of a program that reads a line without having asked for one. A server's console reads beside what it
/// does, in a thread of its own; whose first thread sleeps in the read does nothing before it has a line.
fn unasked(snapshot: &Snapshot, page: &Page, wait: &Wait) -> Option<Question> {
    let waits = wait.thread == wait.pid && !wait.asks_nothing && snapshot.still_ms >= key_prompt::POLLS_MS;
    let last = page.bottom().filter(|_| waits)?;
    Some(asked(Kind::Dialog, lines::broken(page, last).1))
}

/// Whether somebody is seen to sleep in the read of a line that the terminal does not show: that is a secret, with words or
/// without.
fn reads_hidden(witness: &Witness) -> bool {
    witness.hides_input() && witness.wait().is_some_and(|wait| wait.blocking)
}

/// Whether somebody waits who has printed nothing: for a line, perhaps with a time set, or for a key and nothing else.
/// A console has its mark still to print, and who draws does so first.
fn reads_unasked(snapshot: &Snapshot, witness: &Witness) -> bool {
    let still = snapshot.still_ms >= key_prompt::POLLS_MS;
    let waits = |wait: &Wait| wait.blocking || (still && (wait.alone || witness.canonical));
    witness.wait().is_some_and(|wait| !wait.asks_nothing && waits(wait))
}

fn asks_for_secret(verdict: &Verdict) -> bool {
    verdict.asked_in_a_line().is_some_and(|question| question.kind == Kind::Password)
}

/// A question in a line of which only its words are known.
fn asked(kind: Kind, prompt: String) -> Question {
    Question { origin: Origin { line: true, ..Origin::default() }, ..Question::new(kind, prompt) }
}

/// What was typed below a question that nobody saw without it: words right before the cursor, below a line that asks. They may be
/// a prompt of their own all the same, so that nothing may be typed behind them.
fn unasked_draft(page: &Page, witness: &Witness) -> Option<Question> {
    let (prompt, text) = words_below(page)?;
    let (row, column) = page.cursor;
    let behind = column == 0 || page.lines.get(row).is_some_and(|line| line.end == column);
    let own = asks(&text) || text.ends_with(PROMPT_ENDS);
    (witness.canonical && witness.echo && asks(&prompt) && behind && !own).then(|| drafted(prompt, text))
}

/// A line that asks, with a mark on the line below behind which the answer goes. By itself the mark is a console's; here
/// a program that is none sleeps in its read.
fn asked_above_a_mark(page: &Page) -> Option<Question> {
    let (prompt, text) = words_below(page)?;
    let (mark, typed) = behind_mark(&text);
    if mark.is_empty() || !prompt.ends_with(['?', ':']) {
        return None;
    }
    let mut question = match typed {
        "" => asked(Kind::Text, prompt),
        typed => drafted(prompt, typed.to_owned()),
    };
    question.origin.mark = Some(mark.to_owned());
    Some(question)
}

/// A yes or a no above a line with a mark, whatever that mark is: a console's own says nothing of what stands above it.
fn consent_above(page: &Page) -> Option<Question> {
    let (prompt, _) = words_below(page)?;
    YES_OR_NO.is_match(&prompt).then(|| asked(Kind::Dialog, prompt))
}

/// The two answers at the end of a line: `(yes/no)`, `[y/N]:`, `y/n?`.
static YES_OR_NO: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)\b(?:y|yes)\s?[/|]\s?(?:n|no)[\])]?\s?[?:]*$").expect("the pattern is a constant")
});

/// Rows with numbers right above a mark, behind which one of those is asked for. What they are about nobody can say.
fn offered_above_a_mark(page: &Page) -> Option<Question> {
    let (row, text) = lines::last_line(page)?;
    let (mark, typed) = behind_mark(&text);
    let words = lines::offered_above(page, row).filter(|_| !mark.is_empty() && typed.is_empty());
    words.map(|words| asked(Kind::Dialog, words))
}

/// What is asked at a mark, of a program that is no console.
fn asked_at_a_mark(snapshot: &Snapshot, page: &Page, blocking: bool) -> Option<Question> {
    // Above a mark, words may be what a console has said last; who reads a line asked with them.
    asked_above_a_mark(page)
        .filter(|_| blocking)
        .or_else(|| consent_above(page).filter(|_| blocking || snapshot.still_ms >= key_prompt::POLLS_MS))
        .or_else(|| offered_above_a_mark(page))
        .or_else(|| headed_above_a_mark(page).filter(|_| snapshot.still_ms >= key_prompt::POLLS_MS))
        .or_else(|| asked_behind_a_mark(snapshot, page))
}

/// Words that want something chosen or typed right above a mark, whether or not there are rows below them.
fn headed_above_a_mark(page: &Page) -> Option<Question> {
    let (row, text) = lines::last_line(page)?;
    let (mark, typed) = behind_mark(&text);
    let last = (row.saturating_sub(lines::FREE_LINES)..row).rev().find(|row| !page.lines[*row].blank())?;
    let block = lines::block(page, last + 1);
    let asks = !mark.is_empty() && typed.is_empty() && key_prompt::opens(&block);
    asks.then(|| asked(Kind::Dialog, block))
}

/// Words that ask behind a console's mark, of a program that is none. What somebody types there asks nothing.
fn asked_behind_a_mark(snapshot: &Snapshot, page: &Page) -> Option<Question> {
    let text = line(page)?;
    let (mark, words) = behind_mark(&text);
    let typed = snapshot.draft.trim();
    let own = typed.is_empty() || !words.ends_with(typed);
    (!mark.is_empty() && own && key_prompt::asks(words)).then(|| asked(Kind::Dialog, words.to_owned()))
}

/// The mark that a line begins with, for example `>`, and what stands behind it.
fn behind_mark(text: &str) -> (&str, &str) {
    let (mark, rest) = text.split_once(' ').unwrap_or((text, ""));
    let is_mark = mark.chars().count() <= LONGEST_MARK && MARK_ENDS.iter().any(|end| mark.ends_with(*end));
    if is_mark && !mark.chars().any(char::is_alphanumeric) { (mark, rest.trim()) } else { ("", text) }
}

/// Characters of a mark before an answer: `>`, `-->`, `»`.
const LONGEST_MARK: usize = 3;
const MARK_ENDS: [char; 7] = ['>', '›', '»', '❯', '$', '#', ':'];

/// A line that asks and leaves the cursor below it.
fn told_above(page: &Page) -> Option<String> {
    above(page).filter(|text| asks(text) || offers(text))
}

/// Numbered rows right above the cursor, of which one is asked for. What they are about nobody can say.
fn offered_above(page: &Page) -> Option<Question> {
    let words = lines::offered_above(page, lines::last_above(page)? + 1)?;
    Some(asked(Kind::Dialog, words))
}

/// Rows without numbers under a line that asks for one of them, or such a line below them.
fn headed_above(page: &Page) -> Option<Question> {
    let last = lines::last_above(page)?;
    let block = lines::block(page, last + 1);
    let words = if key_prompt::opens(&block) { block } else { lines::broken(page, last).1 };
    key_prompt::opens(&words).then(|| asked(Kind::Dialog, words))
}

/// The last words above a cursor that stands at the beginning of a free line.
fn above(page: &Page) -> Option<String> {
    lines::last_above(page).map(|row| lines::broken(page, row).1)
}

/// What a read of hidden input is called that no word announces.
const NO_WORDS: &str = "something is read that is not shown";

/// What is read is called so where nothing at all is on the screen.
const UNSAID: &str = "something is read, and nothing says what";

/// Whether a line ends with the answers it takes, in brackets: `[y/N]`, `(1-2)`, `(dev, prod)`.
fn offers(text: &str) -> bool {
    let inside = |open, close| text.strip_suffix(close)?.rsplit_once(open).map(|(_, inside)| inside);
    let Some(inside) = inside('[', ']').or_else(|| inside('(', ')')) else { return false };
    let answers: Vec<&str> = inside.split(['/', '|', ',']).map(str::trim).collect();
    let short = |answer: &&str| (1..=LONGEST_ANSWER).contains(&answer.chars().count());
    let is_number = |text: &str| !text.is_empty() && text.chars().all(|ch| ch.is_ascii_digit());
    let range = inside.split_once('-').is_some_and(|(from, to)| is_number(from) && is_number(to));
    range || answers.len() > 1 && answers.iter().all(|answer| short(answer) && !answer.contains(' '))
}

/// Characters of an answer that is named in brackets.
const LONGEST_ANSWER: usize = 12;

/// Words before the cursor where others stand behind it or below: what is asked there nobody can say, only that a line
/// is read.
fn amid(page: &Page) -> Option<String> {
    let (row, column) = page.cursor;
    let line = page.lines.get(row).filter(|line| !line.blank())?;
    (column > line.start).then(|| page.text(row).to_owned())
}

/// How a prompt may end, beside the signs that ask.
const PROMPT_ENDS: [char; 6] = [']', ')', '$', '#', '%', '›'];

/// Whether a line asks for something, by its words.
fn asks(text: &str) -> bool {
    let lower = text.to_lowercase();
    text.ends_with([':', '?', '>'])
        || ["press ", "hit ", "enter ", "type ", "paste "].iter().any(|word| lower.contains(word))
}
