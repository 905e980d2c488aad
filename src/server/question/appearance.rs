//! Appearing and going: the question on the screen beside the one that is open.

use crate::core::deliver::{part_of, same_dialog};
use crate::core::hook::says;
use crate::core::question::{Kind, Question, State};
use crate::server::hooks::state::{What, same_command};
use crate::server::hub::message::{Message, ToClients, ToHooks, ToQuestions, ToReplies};
use crate::session::message::{AgentKey, AskKey, Order};

use super::ask::{Ask, Source};
use super::changes::Changes;
use super::consent::DRAWN_OVER;
use super::gone::Gone;
use super::moving::STOOD;
use super::phase::{End, HoldReason, Lane, suggested};
use super::{Questions, World};

/// Rows a dialog takes beside its options: its words, a blank, its keys, and one for the cursor.
const ROOM_ROWS: usize = 4;
/// Narrower than this no program's dialog was seen to be drawn whole.
const ROOM_COLS: u16 = 30;

/// Something owns the keyboard, and what it asks is not to be read.
fn rowless(question: &Question) -> bool {
    question.kind == Kind::Dialog && question.options.is_empty()
}

impl Questions {
    /// Compares the question on the screen with the one that is open.
    pub(super) fn compare(&mut self, key: AgentKey, world: World<'_>) {
        let Some(agent) = world.agents.get(key) else { return };
        self.listen(key, agent, world.now);
        self.log_left(key, agent, world);
        if agent.gone() {
            // What it asked in words ends with it, and no clock of it stands still any more.
            self.touch_of(key);
        }
        if agent.sight.redrawing && !agent.gone() {
            return;
        }
        let seen = agent.on_screen().filter(|_| !agent.gone());
        let open = self.open_of(key).filter(|ask| self.open(*ask).is_some());
        if self.covered(key, open, seen, world) {
            return;
        }
        let out = |ask, seen| self.hidden(ask, world) || self.is_half_drawn(ask, seen);
        let seen = seen.filter(|seen| open.is_none_or(|ask| !out(ask, seen)));
        let Some(ask_key) = open else {
            if let Some(question) = seen.cloned() {
                self.then(ToQuestions::Appeared {
                    agent: key,
                    question: Box::new(question),
                    source: Source::Screen,
                });
            }
            return;
        };
        let shown = self.open(ask_key).map(Ask::shown);
        let same = seen.zip(shown).is_some_and(|(seen, shown)| same_dialog(shown, seen));
        if !same && self.is_being_redrawn(ask_key, agent) {
            return;
        }
        let Some(seen) = seen else {
            self.track(key).missing_since.get_or_insert(world.now.ms);
            return self.missing(key, world);
        };
        let known =
            same || self.shows_more_or_less(ask_key, seen, world) || self.has_reflowed(ask_key, seen, world);
        if known || self.only_cropped(ask_key, seen, world) {
            self.track(key).missing_since = None;
            if same {
                self.still_there(ask_key, seen, agent.sight.judged_ms);
            }
            if known {
                self.drawn_over(ask_key, agent);
            }
            return;
        }
        if !self.keeps_moving(ask_key, seen, world) && !self.scrolls(ask_key, seen, world) {
            self.replace(key, ask_key, seen.clone());
        }
    }

    /// Another question stands where this one stood.
    pub(super) fn replace(&mut self, agent: AgentKey, old: AskKey, question: Question) {
        self.then(ToQuestions::Withdraw(old));
        self.then(ToQuestions::Appeared { agent, question: Box::new(question), source: Source::Screen });
    }

    /// Whether the screen shows nothing new to somebody who knows the form from its hook.
    fn covered(
        &mut self,
        key: AgentKey,
        open: Option<AskKey>,
        seen: Option<&Question>,
        world: World<'_>,
    ) -> bool {
        let Some(hook) = world.hooks.get(key) else { return false };
        if world.agents.get(key).is_none_or(|agent| agent.gone()) {
            return false;
        }
        let (lane, of_form) = (hook.in_lane(), open.is_some_and(|open| hook.at(open).is_some()));
        let Some(seen) = seen else {
            // Known by its hook alone: that the screen does not show it is nothing new.
            let unseen =
                open.and_then(|ask| self.asks.get(ask)).is_some_and(|ask| !ask.seen_on(Source::Screen));
            return lane && of_form && unseen;
        };
        let shown = hook.position(seen);
        if shown.is_some() && hook.sent.is_some() {
            return true;
        }
        let Some(ask_key) = shown.and_then(|at| hook.ask_at(at)) else { return false };
        if self.open(ask_key).is_none() {
            return false;
        }
        if lane && of_form {
            self.track(key).missing_since = None;
            let fresh = |ask: &&mut Ask| !ask.seen_on(Source::Screen) && ask.decision().is_none();
            if let Some(ask) = self.asks.get_mut(ask_key).filter(fresh) {
                ask.seen_as(seen, hook.told(ask_key));
                ask.sources.insert(Source::Screen);
                self.tell_question(ask_key);
            }
            let Some(open) = open else { return true };
            let same = self.asks.get(open).is_some_and(|ask| same_dialog(ask.shown(), seen));
            if !same {
                self.shows_more_or_less(open, seen, world);
            }
            return !same;
        }
        if !lane && open != Some(ask_key) {
            // The next page of a form whose questions were told of, and maybe decided, before.
            self.track(key).missing_since = None;
            self.then(ToQuestions::ByKeys { agent: key, ask: ask_key });
            self.tell_question(ask_key);
            return true;
        }
        false
    }

    /// A question of a form comes up as a page of its own, and goes by keys.
    pub(super) fn by_keys(&mut self, key: AgentKey, ask_key: AskKey, world: World<'_>) {
        let Some(agent) = world.agents.get(key) else { return };
        self.track(key).open = Some(ask_key);
        let Some(ask) = self.open_mut(ask_key) else { return };
        let told = world.hooks.get(key).and_then(|hook| hook.told(ask_key));
        // What was decided on has the rows that the hook told of.
        let whole = |seen: &Question| told.is_some_and(|told| told.whole(seen).is_some());
        let rows_stay = ask.can_be_whole();
        let clear = |seen: &&Question| rows_stay && (!seen.partial || whole(seen));
        if let Some(question) = agent.on_screen().filter(clear) {
            ask.seen_as(question, told);
            ask.sources.insert(Source::Screen);
        }
        if ask.phase.held(HoldReason::Form) {
            ask.take_lane(Lane::Keys);
            self.then(ToQuestions::Deliver(ask_key));
        }
    }

    /// The terminal became too small for the question, and what it shows now is nothing known: the question is
    /// not gone, there is no room for it. It stays open until its deadline calls a person.
    fn hidden(&self, key: AskKey, world: World<'_>) -> bool {
        let Some(ask) = self.asks.get(key) else { return false };
        let Some(agent) = world.agent_of(ask) else { return false };
        let sight = &agent.sight;
        let cramped = usize::from(sight.size.rows) < ask.question.options.len() + ROOM_ROWS
            || sight.size.cols < ROOM_COLS;
        let resized = sight.resized_ms > ask.seen_ms && sight.typed == ask.typed;
        // The last line of a dialog without its rows may be all there is room for, or a box without its buttons.
        let cropped = |seen: &Question| cramped || seen.partial && ask.question.prompt == seen.prompt;
        let unreadable = agent.on_screen().is_some_and(|seen| rowless(seen) && cropped(seen));
        let unknown = sight.verdict.state == State::Unknown && (cramped || rowless(&ask.question));
        resized && (unknown || unreadable) && !agent.gone()
    }

    /// Since the question was seen the pane became smaller, and a part of it is still to be seen: whoever
    /// is consulted goes on thinking. Before a key is sent the dialog must be whole again.
    fn only_cropped(&self, key: AskKey, seen: &Question, world: World<'_>) -> bool {
        let Some(ask) = self.asks.get(key) else { return false };
        let resized = world.agent_of(ask).is_some_and(|agent| agent.sight.resized_ms > ask.asked_ms);
        ask.turn().is_some() && resized && part_of(&ask.question, seen)
    }

    /// If only a part of the question is to be seen, that part is asked anew, since nothing else can be
    /// answered there. True if so.
    pub(super) fn ask_anew_if_cropped(&mut self, key: AskKey, world: World<'_>) -> bool {
        let Some(ask) = self.open(key) else { return false };
        let agent_key = ask.agent;
        let seen = world.agents.get(agent_key).and_then(|agent| agent.on_screen());
        let cropped = |seen: &&Question| {
            seen.fingerprint() != ask.fingerprint
                && !same_dialog(ask.shown(), seen)
                && part_of(ask.shown(), seen)
        };
        let Some(seen) = seen.filter(cropped).cloned() else { return false };
        self.replace(agent_key, key, seen);
        true
    }

    /// The question has not been on the screen for a while.
    pub(super) fn missing(&mut self, key: AgentKey, world: World<'_>) {
        let Some(at) = self.missing_at(key) else { return };
        let gone = world.agents.get(key).is_none_or(|agent| agent.gone());
        if world.now.ms < at && !gone {
            return;
        }
        let drawn_anew = |ask| world.agents.get(key).is_some_and(|agent| self.is_being_redrawn(ask, agent));
        let ask = self.open_of(key).filter(|ask| !self.hidden(*ask, world) && !drawn_anew(*ask));
        self.track(key).missing_since = None;
        if let Some(ask) = ask {
            self.then(ToQuestions::Withdraw(ask));
            if !gone {
                self.then(ToQuestions::Compare(key));
            }
        }
    }

    /// The question has gone without an answer of ours: a person answered in the pane, or the agent
    /// went on by itself.
    pub(super) fn withdraw(&mut self, key: AskKey, world: World<'_>) {
        let Some(ask) = self.open(key) else { return };
        let agent_key = ask.agent;
        let agent = world.agents.get(agent_key);
        let taken = world.hooks.get(agent_key).is_some_and(|hook| hook.took(key));
        if taken && agent.is_some_and(|agent| !agent.gone()) {
            // Its answer is on its way through the hook.
            let track = self.track(agent_key);
            track.open = track.open.filter(|open| *open != key);
            return;
        }
        let end = ask.gone(Gone::of(ask, agent, world.now));
        self.consent_went(key, world);
        let Some(ask) = self.open_mut(key) else { return };
        match &mut ask.ordered {
            // The session says which keys were sent, or that the answer is in after all.
            Some(ordered) if ordered.leaving.is_none() && agent.is_some() => {
                ordered.leaving = Some(end);
                self.order(agent_key, Order::Withdraw { ask: key, untouched: false });
            }
            Some(ordered) if ordered.leaving.is_some() => {}
            Some(_) => {
                let end = ask.ended_under_answer();
                self.withdrawn(key, end, world);
            }
            None => self.withdrawn(key, end, world),
        }
    }

    /// Nothing is typed for it any more, and it is gone.
    pub(super) fn withdrawn(&mut self, key: AskKey, end: End, world: World<'_>) {
        let Some(agent) = self.asks.get(key).map(|ask| ask.agent) else { return };
        self.cancel_consultation(key, world.now);
        self.close(key, end, world);
        self.out.push(Message::Hook(ToHooks::Withdrawn { agent, ask: key }));
    }

    pub(super) fn next_key(&mut self) -> AskKey {
        let key = AskKey(self.next);
        self.next += 1;
        key
    }

    /// A question is new; `source` is where it was seen first.
    pub(super) fn appeared(&mut self, key: AgentKey, question: Question, source: Source, world: World<'_>) {
        let Some(agent) = world.agents.get(key) else { return };
        let (now, ask_key) = (world.now, self.next_key());
        let earlier = self.earlier(agent, &question, now);
        let suggested = earlier.as_ref().and_then(|open| suggested(open, &question));
        let first = self.tracks.get(key).is_none_or(|track| !track.appeared);
        let left_consent = first && earlier.is_none() && agent.earlier_consent();
        let left = earlier.as_ref().and_then(|open| open.unfinished.clone());
        let called_unix_ms = earlier.as_ref().and_then(|open| open.called_unix_ms);
        let (id, asked_unix_ms, persons) = match earlier {
            Some(open) => (open.id, open.asked_at.min(now.unix_ms), open.persons),
            None => (format!("q{}", ask_key.0), now.unix_ms, self.left_by_the_server_before(key, agent, now)),
        };
        let track = self.track(key);
        let stood = track.stood_still.take() == Some(question.fingerprint());
        let persons = persons
            .or_else(|| track.given_up(question.fingerprint(), now.ms))
            .or_else(|| stood.then(|| STOOD.to_owned()));
        track.appeared = true;
        (track.open, track.missing_since) = (Some(ask_key), None);
        let typed = agent.sight.typed;
        track.consent_gone =
            track.consent_gone.filter(|then| *then == typed).or(left_consent.then_some(typed));
        // That a line is read by another read than before is seen, whatever is drawn.
        let drawn_over = (track.consent_gone.is_some() || agent.sight.drawn_over) && !question.origin.line;
        let deadline = agent.policy.consult.deadline_secs.saturating_mul(1000);
        let ask = Ask {
            sources: std::collections::BTreeSet::from([source]),
            asked_ms: now.ms,
            seen_ms: now.ms,
            seen_unix_ms: now.unix_ms,
            asked_unix_ms,
            deadline_ms: Some(now.ms + deadline),
            before: agent.sight.text.to_string(),
            typed: agent.sight.typed,
            suggested,
            called_unix_ms,
            called_before: called_unix_ms.is_some(),
            left,
            changes: Changes { stood, ..Changes::default() },
            ..Ask::new(id, (key, &agent.spec.name), question)
        };
        self.asks.insert(ask_key, ask);
        self.read_context(ask_key, world);
        self.corroborate(ask_key, world);
        match (self.meets_hook(ask_key, world), persons) {
            (Ok(false), None) if drawn_over => {
                self.then(ToQuestions::Escalate { ask: ask_key, why: DRAWN_OVER.to_owned() });
            }
            (Ok(_), None) => self.then(ToQuestions::Route(ask_key)),
            (Ok(_), Some(why)) | (Err(why), _) => self.then(ToQuestions::Escalate { ask: ask_key, why }),
        }
        self.out.push(Message::Hook(ToHooks::Routed(ask_key)));
        self.tell(ToClients::TellAgent(key));
        self.reply(ToReplies::Check(key));
    }

    /// Joins a question on the screen with what a hook told of it: whether one did, or in what they differ,
    /// which is a reason to leave it to a person.
    pub(super) fn meets_hook(&mut self, key: AskKey, world: World<'_>) -> Result<bool, String> {
        let Some(ask) = self.asks.get_mut(key) else { return Ok(false) };
        let Some(hook) = world.hooks.get(ask.agent) else { return Ok(false) };
        let told = match ask.question.kind {
            Kind::Menu | Kind::Multi => {
                let at = hook.shown(ask.shown())?;
                if let Some(at) = at {
                    ask.told_whole(hook.form.get(at));
                    let is_ask = ToHooks::IsAsk { agent: ask.agent, at, ask: key };
                    self.out.push(Message::Hook(is_ask));
                }
                at.is_some()
            }
            Kind::Permission => match hook.waiting.as_ref().map(|waiting| &waiting.what) {
                // Otherwise another command's dialog comes first.
                Some(What::Command(command)) if same_command(&ask.question, command) => {
                    ask.told_command(command);
                    true
                }
                Some(_) | None => false,
            },
            Kind::Text => match &hook.message {
                Some(message) if says(message, &ask.question.prompt) => {
                    ask.exact = Some(message.clone());
                    ask.question.origin.said = Some(message.clone());
                    true
                }
                Some(_) => return Err("the screen asks what is not in the agent's last message".to_owned()),
                None => false,
            },
            Kind::Review | Kind::Plan | Kind::Dialog | Kind::YesNo => false,
            Kind::Trust | Kind::Login | Kind::Password => false,
        };
        if told {
            ask.sources.insert(Source::Hook);
            self.corroborate(key, world);
        }
        Ok(told)
    }

    /// The agent is taken off the list, and its questions with it; whoever asked in words is told.
    pub(super) fn agent_leaves(&mut self, key: AgentKey) {
        let of_it = |ask: &Ask| ask.agent == key && !ask.settled() && !ask.in_words();
        let asks: Vec<AskKey> = self.asks.iter().filter(|(_, ask)| of_it(ask)).map(|(ask, _)| ask).collect();
        asks.into_iter().for_each(|ask| self.then(ToQuestions::Withdraw(ask)));
        let words = |ask: &Ask| ask.agent == key && !ask.settled() && ask.in_words();
        let asks: Vec<AskKey> = self.asks.iter().filter(|(_, ask)| words(ask)).map(|(ask, _)| ask).collect();
        asks.into_iter().for_each(|ask| self.asks.touch(ask));
    }
}
