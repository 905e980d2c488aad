//! What people ask of a question: to be answered, confirmed, or sent to a consultant.

use crate::core::consult::chain::Chain;
use crate::core::deliver::{declinable, room_fault, text_fault};
use crate::core::policy::guard::veto;
use crate::core::policy::route::{GivenOptions, resolve};
use crate::core::question::option_lookup::by_label;
use crate::core::question::{Answer, Kind};
use crate::server::hub::lookup::{ask_by_id, by_name};
use crate::server::hub::message::{Message, ToHooks, ToQuestions, ToReplies};
use crate::server::hub::replies::{Caller, Owed};
use crate::server::lifecycle::agent::Agent;
use crate::session::message::AskKey;
use crate::wire::message::{GivenAnswer, NO_CONSULTANT, Reply};

use super::ask::{Ask, words};
use super::phase::{AnsweredBy, Decision, HoldReason, Lane, Phase};
use super::{Questions, World};

/// Exit codes of the contract.
const FAILED: u8 = 1;
const NO_SUCH: u8 = 3;
const REFUSED: u8 = 4;

impl Questions {
    pub(super) fn answer(&mut self, from: Caller, id: &str, given: &GivenAnswer, world: World<'_>) {
        let (key, answer) = match self.given_answer(id, given, world) {
            Ok(both) => both,
            Err(reply) => return self.respond(from, reply),
        };
        self.cancel_consultation(key, world.now);
        self.decide(key, Decision { answer, by: AnsweredBy::Person, reason: None }, world);
        self.then(ToQuestions::TellAnswerer { from, ask: key });
    }

    /// Whoever answered is told once the answer is given and in the log, or why it was not.
    pub(super) fn tell_answerer(&mut self, from: Caller, key: AskKey) {
        let reply = match self.asks.get(key).map(|ask| &ask.phase) {
            Some(Phase::Escalated { .. }) => {
                let note = self.asks.get(key).and_then(|ask| ask.note.clone());
                Reply::error(FAILED, note.unwrap_or_default())
            }
            // That may take as long as other questions and people do.
            Some(Phase::Delivering(_, Lane::Held(HoldReason::Form | HoldReason::FormAnswered))) => {
                Reply::Done
            }
            Some(Phase::Delivering(..)) => return self.reply(ToReplies::Owe(from, Owed::Answer(key))),
            Some(Phase::Settled(settled)) if !settled.logged => {
                return self.reply(ToReplies::Owe(from, Owed::Answer(key)));
            }
            _ => Reply::Done,
        };
        self.respond(from, reply);
    }

    /// A person's answer to a question that is open and on the screen.
    fn given_answer(
        &self,
        id: &str,
        given: &GivenAnswer,
        world: World<'_>,
    ) -> Result<(AskKey, Answer), Reply> {
        let (key, ask) = ask_by_id(&self.asks, id)?;
        let stale = || Reply::error(REFUSED, format!("{id} is no longer the question on screen"));
        if ask.settled() {
            return Err(stale());
        }
        let given =
            GivenOptions { options: &given.options, text: given.text.as_deref(), reject: given.reject };
        if ask.of_nobody() {
            let unfit = |why| Reply::error(2, format!("could not answer {id}: {why}"));
            return resolve(&given, &ask.question).map(|answer| (key, answer)).map_err(unfit);
        }
        let Some(agent) = world.agent_of(ask) else { return Err(stale()) };
        if agent.paused() {
            let name = &agent.spec.name;
            let why = format!("{name} is paused; run 'counsel resume {name}' first");
            return Err(Reply::error(REFUSED, why));
        }
        if matches!(ask.phase, Phase::Delivering(..)) {
            return Err(Reply::error(REFUSED, format!("{id} is being answered at this moment")));
        }
        let shown = agent.on_screen().map(|question| question.fingerprint()) == Some(ask.fingerprint);
        // A form's question may be answered while its hook waits, although another one is on the screen.
        let by_hook = world.hooks.get(ask.agent);
        let by_hook = by_hook.is_some_and(|hook| hook.waiting.is_some() && hook.at(key).is_some());
        if !shown && !by_hook && !ask.in_words() && !self.is_missed(key, world) {
            return Err(stale());
        }
        let scrolled = self.tracks.get(ask.agent).is_some_and(|track| track.scrolled == Some(key));
        if scrolled
            && given.options.iter().any(|option| !matches!(by_label(&ask.question, option), Ok(Some(_))))
        {
            let why =
                "other rows have come into view since it was asked, and have its numbers; give the label";
            return Err(Reply::error(REFUSED, format!("could not answer {id}: {why}")));
        }
        if let Some(why) = Questions::restless(ask) {
            return Err(Reply::error(REFUSED, format!("could not answer {id}: {why}")));
        }
        if ask.question.kind == Kind::Password && !given.reject {
            let why = "a secret is typed into the pane itself; see 'counsel attach'";
            return Err(Reply::error(REFUSED, format!("could not answer {id}: {why}")));
        }
        let answer = resolve(&given, &ask.question)
            .and_then(|answer| goes_in(answer, ask, agent, by_hook))
            .map_err(|why| Reply::error(2, format!("could not answer {id}: {why}")))?;
        Ok((key, answer))
    }

    pub(super) fn confirm(
        &mut self,
        from: Caller,
        id: &str,
        (accept, shown): (bool, Option<String>),
        world: World<'_>,
    ) {
        let key = match ask_by_id(&self.asks, id) {
            Ok((key, _)) => key,
            Err(reply) => return self.respond(from, reply),
        };
        let Some(ask) = self.asks.get_mut(key) else { return };
        let Phase::Proposed(decision) = &ask.phase else {
            let why = format!("no answer to {id} waits for confirmation");
            return self.respond(from, Reply::error(REFUSED, why));
        };
        let proposed = words(&decision.answer, &ask.question);
        if let Some(shown) = shown.filter(|shown| *shown != proposed) {
            let why = format!("the proposed answer to {id} is '{proposed}' now, not '{shown}'");
            return self.respond(from, Reply::error(REFUSED, why));
        }
        if !accept {
            self.escalate(key, "the proposed answer was turned down".to_owned(), None, world);
            return self.respond(from, Reply::Done);
        }
        // Their word settles it; whose proposal it was stays beside it.
        let decision = Decision { by: AnsweredBy::Person, ..decision.clone() };
        ask.enter(Phase::Delivering(decision, Lane::Keys));
        self.then(ToQuestions::Deliver(key));
        self.then(ToQuestions::TellAnswerer { from, ask: key });
    }

    pub(super) fn consult_now(&mut self, from: Caller, id: &str, with: Option<Chain>, world: World<'_>) {
        match self.may_consult(id, with, world) {
            Ok((key, with, seconds)) => {
                self.cancel_consultation(key, world.now);
                // Its time starts again.
                if let Some(ask) = self.asks.get_mut(key) {
                    ask.deadline_ms = Some(world.now.ms + seconds * 1000);
                }
                self.read_context(key, world);
                self.consult(key, &with, world);
                self.respond(from, Reply::Done);
            }
            Err(reply) => self.respond(from, reply),
        }
    }

    /// A person answers this one themselves: whoever thinks about it is asked no more, and what they say now is
    /// not typed. Who took it is there already: nobody is called.
    pub(super) fn take_over(&mut self, from: Caller, id: &str, world: World<'_>) {
        let key = match ask_by_id(&self.asks, id) {
            Ok((_, ask)) if ask.settled() || matches!(ask.phase, Phase::Delivering(..)) => {
                let why = format!("{id} is answered already, or at this moment");
                return self.respond(from, Reply::error(REFUSED, why));
            }
            Ok((key, ask)) if !matches!(ask.phase, Phase::Escalated { .. }) => key,
            Ok(_) => return self.respond(from, Reply::Done),
            Err(reply) => return self.respond(from, reply),
        };
        self.escalate_quietly(key, "a person took it over".to_owned(), world);
        if let Some(ask) = self.asks.get(key) {
            self.out.push(Message::Hook(ToHooks::Abstain(ask.agent)));
        }
        self.respond(from, Reply::Done);
    }

    /// The question, whom it may be taken to, and in how many seconds.
    fn may_consult(
        &self,
        id: &str,
        with: Option<Chain>,
        world: World<'_>,
    ) -> Result<(AskKey, Chain, u64), Reply> {
        let (key, ask) = ask_by_id(&self.asks, id)?;
        let over = || Reply::error(REFUSED, format!("{id} is no longer open"));
        if ask.settled() || matches!(ask.phase, Phase::Delivering(..)) {
            return Err(over());
        }
        if ask.question.kind.person_only() || !consultable(ask.question.kind) {
            let why = format!("a {} question is a person's to answer", ask.question.kind.name());
            return Err(Reply::error(REFUSED, why));
        }
        if let Some(why) = Questions::restless(ask) {
            return Err(Reply::error(REFUSED, format!("could not consult about {id}: {why}")));
        }
        if let Some(why) = veto(&ask.question) {
            return Err(Reply::error(REFUSED, format!("{why}: a person answers that")));
        }
        if ask.of_nobody() {
            let why = "a program that is no agent asks it, and has no consultant: a person answers that";
            return Err(Reply::error(REFUSED, why));
        }
        let agent = world.agent_of(ask).ok_or_else(over)?;
        let name = &agent.spec.name;
        let with = with
            .or_else(|| agent.spec.consultant.clone())
            .ok_or_else(|| Reply::error(FAILED, format!("{name} {NO_CONSULTANT}")))?;
        let known = |name: &str| {
            let policy = &agent.policy;
            by_name(world.agents, name).is_some()
                || policy.consultants.iter().any(|command| command.name == name)
                || policy.standby.iter().any(|spec| spec.name == name)
        };
        if let Some(name) = with.names().find(|name| !known(name)) {
            return Err(Reply::error(NO_SUCH, format!("there is no consultant '{name}'")));
        }
        if with.names().any(|with| with == name) {
            return Err(Reply::error(REFUSED, "an agent does not answer itself"));
        }
        Ok((key, with, agent.policy.consult.deadline_secs))
    }
}

/// The answer, unless it would be tried in vain: the failure would stand where it stood why a person is needed.
fn goes_in(answer: Answer, ask: &Ask, agent: &Agent, by_hook: bool) -> Result<Answer, String> {
    if ask.in_words() {
        return Ok(answer);
    }
    let fault = match &answer {
        Answer::Reject if !by_hook => declinable(&ask.question, &agent.profile.keys).err(),
        Answer::Text(text) => {
            let room = || room_fault(&ask.question, &answer, agent.sight.size).filter(|_| !by_hook);
            text_fault(text).or_else(room)
        }
        Answer::Reject | Answer::Rows(_) => None,
    };
    fault.map_or(Ok(answer), Err)
}

/// Questions that may go to a consultant at all, as far as a person asks for it.
fn consultable(kind: Kind) -> bool {
    match kind {
        Kind::Menu | Kind::Multi | Kind::Review | Kind::Text | Kind::YesNo => true,
        Kind::Permission | Kind::Plan | Kind::Trust | Kind::Login | Kind::Password | Kind::Dialog => false,
    }
}
