//! A question that is drawn anew because its pane has another size: with its lines broken elsewhere, with a part of it out of
//! view, or with more of it in view than before.
//!
//! It stays the one it is, under the id that people were told, where both show the same words and rows and nobody has typed
//! there. `appearance.rs` asks here; what is typed is decided on the screen as it stands by then.

use crate::core::hook::follow;
use crate::core::question::Question;
use crate::core::question::normalize::{same_but_for_breaks, squeezed};
use crate::server::hub::message::ToQuestions;
use crate::server::lifecycle::agent::Agent;
use crate::session::message::AskKey;

use super::ask::Ask;
use super::phase::HoldReason;
use super::{Questions, World};

/// A program has drawn its dialog for another size by then, on a busy machine too.
const REDRAWN_MS: u64 = 2_000;
/// So many characters at the end of a question tell which one it is, where its rows are the same.
const TELLING: usize = 24;

/// How much of a question is in view.
enum View {
    /// All that is known of it, or more than was known before.
    Whole,
    Part,
}

impl Questions {
    /// Whether the screen shows the open question at another size. Nobody has typed there since it was seen, and nothing is being
    /// typed for it.
    pub(super) fn has_reflowed(&mut self, key: AskKey, seen: &Question, world: World<'_>) -> bool {
        let Some(ask) = self.open(key) else { return false };
        let Some(agent) = world.agent_of(ask).filter(|agent| is_untouched(ask, agent)) else { return false };
        let (judged_ms, resized_ms) = (agent.sight.judged_ms, agent.sight.resized_ms);
        let resized = resized_ms > ask.seen_ms || judged_ms <= resized_ms + REDRAWN_MS;
        let Some(view) = view_of(ask, seen).filter(|_| resized) else { return false };
        let Some(same) = shows_the_same(&ask.question, seen) else {
            // It is looked at once more as soon as that is known.
            return true;
        };
        let Some(ask) = self.asks.get_mut(key).filter(|_| same) else { return false };
        ask.fingerprint = seen.fingerprint();
        ask.seen_ms = judged_ms.max(ask.seen_ms);
        match view {
            View::Whole => (ask.question, ask.part) = (seen.clone(), None),
            View::Part => {
                follow(&mut ask.question, seen);
                ask.part = Some(Box::new(seen.clone()));
            }
        }
        self.tell_question(key);
        true
    }

    /// Whether its program may be drawing it for another size: what stands there meanwhile, or stands there no more, says nothing
    /// of it. Until that is over rows may be cut at the new edge and words be missing.
    pub(super) fn is_being_redrawn(&self, key: AskKey, agent: &Agent) -> bool {
        let drawing = agent.sight.drawing && !agent.gone();
        drawing && self.open(key).is_some_and(|ask| agent.sight.typed == ask.typed)
    }

    /// Whether an answer of which no key was typed did not go in because its dialog was drawn anew for another size: it waits until
    /// that has been looked at.
    pub(super) fn waits_for_redraw(&mut self, key: AskKey, world: World<'_>) -> bool {
        let Some(ask) = self.open(key) else { return false };
        let Some(agent) = world.agent_of(ask) else { return false };
        let (of, decided_on) = (ask.agent, ask.fingerprint);
        let drawing = self.is_being_redrawn(key, agent);
        // The dialog that the answer was decided on takes it no better the next time.
        let anew = |seen: &&Question| seen.fingerprint() != decided_on;
        let reflowed = |seen| self.has_reflowed(key, seen, world);
        if !drawing && !agent.on_screen().filter(anew).is_some_and(reflowed) {
            return false;
        }
        let Some(ask) = self.open_mut(key) else { return false };
        ask.hold(HoldReason::Unseen);
        self.then(ToQuestions::DeliverKept(of));
        self.tell_question(key);
        true
    }
}

/// Nobody has typed into its pane since it was seen, and nothing is being typed for it.
fn is_untouched(ask: &Ask, agent: &Agent) -> bool {
    agent.sight.typed == ask.typed && ask.ordered.is_none()
}

/// How much of the question is seen; none where it may be another one.
fn view_of(ask: &Ask, seen: &Question) -> Option<View> {
    let asked = &ask.question;
    let same_request = match (&asked.origin.request, &seen.origin.request) {
        (Some(then), Some(now)) => same_but_for_breaks(then, now),
        (then, now) => then == now,
    };
    let same_kind = asked.kind == seen.kind && asked.multi == seen.multi && same_request;
    if !same_kind || !asked.origin.same_wait(&seen.origin) || !asked.origin.same_place(&seen.origin) {
        return None;
    }
    let rows = |question: &Question| question.labels().into_iter().map(squeezed).collect::<Vec<_>>();
    let (all, in_view) = (rows(asked), rows(seen));
    let fewer = in_view.len() < all.len() && all.windows(in_view.len().max(1)).any(|some| some == in_view);
    if same_words(ask, seen) {
        return match all == in_view {
            true if seen.partial && !asked.partial => Some(View::Part),
            true => Some(View::Whole),
            _ if fewer && !asked.partial && (seen.partial || is_menu(seen)) => Some(View::Part),
            _ if is_open_menu(ask) && in_view.starts_with(&all) => Some(View::Whole),
            _ => None,
        };
    }
    if !is_open_menu(ask) {
        return None;
    }
    // A person who answers was shown all of its words.
    let (then, now) = (squeezed(&asked.prompt), squeezed(&seen.prompt));
    let ends = |words: &str, end: &str| end.chars().count() >= TELLING && words.ends_with(end);
    match (asked.partial, seen.partial) {
        (false, true) if (fewer || all == in_view) && ends(&then, &now) => Some(View::Part),
        (true, _) if in_view.starts_with(&all) && ends(&now, &then) => Some(View::Whole),
        _ => None,
    }
}

/// Of a list without rows nothing says that it is one.
fn is_menu(question: &Question) -> bool {
    !question.kind.gives_consent() && !question.options.is_empty()
}

/// A list that a person is to choose from, of which nothing was decided by the place of its rows.
fn is_open_menu(ask: &Ask) -> bool {
    is_menu(&ask.question) && ask.is_persons() && ask.is_undecided()
}

/// Whether both are in the same words, wherever their lines are broken. Of a list whose words are out of view nothing says which
/// one it is. A command is read by rules with its line ends: where those are others, nobody but a person may have decided.
fn same_words(ask: &Ask, seen: &Question) -> bool {
    let asked = &ask.question;
    let same_subject = match (&asked.subject, &seen.subject) {
        (Some(then), Some(now)) if then != now => {
            (ask.waits_for_person() || ask.decided_by_person()) && same_but_for_breaks(then, now)
        }
        (then, now) => then == now,
    };
    !seen.prompt.is_empty() && squeezed(&asked.prompt) == squeezed(&seen.prompt) && same_subject
}

/// Whether all that a request for consent shows above its rows is the same, the command and its reason; none while it is drawn
/// for another size.
fn shows_the_same(then: &Question, now: &Question) -> Option<bool> {
    match then.origin.shows {
        _ if !then.kind.gives_consent() => Some(true),
        Some(then) => now.origin.shows.map(|now| then.words == now.words),
        None => Some(false),
    }
}
