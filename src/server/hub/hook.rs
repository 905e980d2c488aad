//! Hooks: what an agent's program tells through them, joined with what its screen shows.
//!
//! `core/hook/mod.rs` reads what is told; here it is held against the open question and against the answer that
//! was given. It makes a question surer, or shows that something is wrong; a key is never sent because of it.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::core::deliver::{Confirmed, Proof};
use crate::core::detect::Step;
use crate::core::hook::{Asked, Meant, Told, parse, says};
use crate::core::log::log_entry::Outcome;
use crate::core::question::normalize::{normalize, squeezed};
use crate::core::question::{Answer, Kind, Question};
use crate::server::standing::Standing;
use crate::session::message::{AgentKey, AskKey, ClientKey, HookStep};
use crate::wire::message::{Reply, Status};

use super::Hub;
use super::hook_lane::{Waiting, What};
use super::hook_sent::Sent;
use super::question_lifecycle::End;

/// A hook and the screen tell of one question within half a second of each other, whichever is first. An older
/// question on the screen is another one, on its way out.
const TOGETHER_MS: u64 = 2_000;
/// How long after an answer was seen to take the agent has to report what it recorded: it does within 150 ms.
const CONFIRM_MS: u64 = 3_000;

/// What an agent's hooks have told so far.
#[derive(Debug, Default)]
pub(super) struct HookState {
    /// Something has come: the program runs the hooks it was given.
    pub alive: bool,
    /// The form that is open, and what was typed in for each of its questions.
    pub form: Vec<Asked>,
    pub meant: Vec<Option<Meant>>,
    /// What the agent says was answered: the form is over.
    pub recorded: Option<BTreeMap<String, String>>,
    /// The last message of the turn that is over.
    pub message: Option<String>,
    /// What was submitted last, and when.
    pub prompted: Option<(u64, String)>,
    pub confirm: Option<Confirm>,
    /// The question that was made of each of the form's.
    pub asks: Vec<Option<AskKey>>,
    pub waiting: Option<Waiting>,
    /// Decided before its hook has spoken, and until when that is waited for.
    pub expected: Option<(AskKey, u64)>,
    pub sent: Option<Sent>,
}

/// An answer that went in; what the agent recorded is still to come.
#[derive(Debug)]
pub(super) struct Confirm {
    ask: AskKey,
    keys: Vec<String>,
    proof: Proof,
    pub(super) until_ms: u64,
}

impl HookState {
    pub(super) fn forget_form(&mut self) {
        self.form.clear();
        self.meant.clear();
        self.asks.clear();
        self.recorded = None;
    }

    pub(super) fn confirm_wake(&self) -> Option<u64> {
        self.confirm.as_ref().map(|confirm| confirm.until_ms)
    }

    /// The question of the open form that the screen shows. `Ok(None)`: no hook has told of any.
    fn shown(&self, screen: &Question) -> Result<Option<usize>, String> {
        if self.form.is_empty() || self.recorded.is_some() {
            return Ok(None);
        }
        let mut why = String::new();
        for (at, asked) in self.form.iter().enumerate() {
            match asked.shown_by(screen) {
                Ok(()) => return Ok(Some(at)),
                Err(differs) => why = differs,
            }
        }
        Err(why)
    }

    /// Whether what was recorded is what was meant; `None` while that cannot be told.
    pub(super) fn form_recorded(&self) -> Option<Result<String, String>> {
        let recorded = self.recorded.as_ref()?;
        let mut all = Vec::new();
        for (asked, meant) in self.form.iter().zip(&self.meant) {
            let Some(meant) = meant else { continue };
            let got = recorded.get(&asked.prompt).map_or("", String::as_str);
            if !meant.is(got) {
                return Some(Err(differs(got, &meant.words())));
            }
            all.push(got.to_owned());
        }
        (!all.is_empty()).then(|| Ok(all.join("; ")))
    }
}

/// Whether the dialog asks for this command, wherever the terminal broke its lines.
pub(super) fn same_command(question: &Question, command: &str) -> bool {
    question.subject.as_deref().is_some_and(|subject| squeezed(subject) == squeezed(command))
}

fn differs(got: &str, meant: &str) -> String {
    format!("the agent recorded {got:?} where {meant:?} was meant")
}

impl Hub {
    /// An agent's hook speaks. `None`: it is answered later.
    pub(super) fn hook(&mut self, client: ClientKey, id: u64, event: &str, payload: &Value) -> Option<Reply> {
        let nothing = Some(Reply::Hook { output: None });
        let standing = self.clients.get(&client).map(|client| client.standing);
        let Some(Standing::Agent(Some(key))) = standing else { return nothing };
        let Some(told) = parse(event, payload) else { return nothing };
        let now = self.now;
        let Some(agent) = self.agents.get_mut(&key).filter(|agent| !agent.gone()) else { return nothing };
        agent.hook.alive = true;
        match told {
            Told::Permission { command } => {
                if self.hook_holds(key, client, id, What::Command(command)) {
                    self.hook_meets_open(key);
                    return None;
                }
            }
            Told::Prompted { text } => {
                agent.hook.message = None;
                agent.hook.prompted = Some((now.ms, text));
                self.hook_turned(key);
            }
            Told::Asks { form, input } => {
                if agent.hook_busy() {
                    // A second form behind the first: it is told of when it is on the screen.
                    return nothing;
                }
                self.hook_form_over(key);
                self.hook_form_begins(key, form);
                let held = self.hook_holds(key, client, id, What::Form(input));
                self.hook_meets_open(key);
                return if held { None } else { nothing };
            }
            Told::Recorded { answers } => {
                agent.hook.recorded = Some(answers);
                self.hook_overtaken(key);
            }
            Told::Ended { message } => {
                agent.hook.message = message;
                self.hook_turned(key);
                self.hook_meets_open(key);
            }
        }
        nothing
    }

    fn hook_form_begins(&mut self, key: AgentKey, form: Vec<Asked>) {
        let Some(agent) = self.agents.get_mut(&key) else { return };
        agent.hook.meant = vec![None; form.len()];
        agent.hook.asks = vec![None; form.len()];
        agent.hook.form = form;
    }

    /// A turn begins or is over: no form is open, save one whose answer is just being settled.
    fn hook_turned(&mut self, key: AgentKey) {
        let Some(agent) = self.agents.get(&key) else { return };
        if agent.hook.confirm.is_none() && agent.hook.sent.is_none() && !agent.sight.typing {
            self.hook_form_over(key);
        }
    }

    /// The hook speaks of a question that stands on the screen already.
    fn hook_meets_open(&mut self, key: AgentKey) {
        let now = self.now;
        let open = self.agents.get(&key).and_then(|agent| agent.ask);
        let Some(ask) = open.and_then(|ask| Some((ask, self.asks.get(&ask)?))) else { return };
        let (ask, fresh) = (ask.0, now.ms <= ask.1.asked_ms + TOGETHER_MS);
        if !fresh || self.asks[&ask].status.settled() {
            return;
        }
        match self.hook_meets(ask) {
            Ok(true) => {
                self.tell_question(ask);
                self.hook_joins(ask);
            }
            Ok(false) => {}
            Err(why) => self.escalate(ask, why, String::new()),
        }
    }

    /// Joins a question on the screen with what a hook told of it: whether one did, or in what they differ,
    /// which is a reason to leave it to a person.
    pub(super) fn hook_meets(&mut self, key: AskKey) -> Result<bool, String> {
        let Some(ask) = self.asks.get_mut(&key) else { return Ok(false) };
        let Some(agent) = self.agents.get_mut(&ask.agent) else { return Ok(false) };
        let told = match ask.question.kind {
            Kind::Menu | Kind::Multi => {
                let at = agent.hook.shown(&ask.question)?;
                if let Some(at) = at {
                    agent.hook.asks[at] = Some(key);
                }
                at.is_some()
            }
            Kind::Permission => match agent.hook.waiting.as_ref().map(|waiting| &waiting.what) {
                // Otherwise another command's dialog comes first.
                Some(What::Command(command)) if same_command(&ask.question, command) => {
                    ask.question.subject = Some(command.clone());
                    true
                }
                Some(_) | None => false,
            },
            Kind::Text => match &agent.hook.message {
                Some(message) if says(message, &ask.question.prompt) => {
                    ask.exact = Some(message.clone());
                    true
                }
                Some(_) => return Err("the screen asks what is not in the agent's last message".to_owned()),
                None => false,
            },
            Kind::Review | Kind::Plan | Kind::Dialog | Kind::YesNo => false,
            Kind::Trust | Kind::Login | Kind::Password => false,
        };
        if told {
            ask.sources.insert("hook");
            self.corroborate(key);
        }
        Ok(told)
    }

    /// An answer was seen to go in. Where the agent reports what it records, that is waited for: `None`.
    pub(super) fn hook_confirms(
        &mut self,
        key: AgentKey,
        ask_key: AskKey,
        keys: Vec<String>,
        proof: Proof,
    ) -> Option<(Vec<String>, Proof)> {
        let now = self.now;
        let (Some(ask), Some(agent)) = (self.asks.get(&ask_key), self.agents.get_mut(&key)) else {
            return Some((keys, proof));
        };
        let Some(decided) = ask.decided.as_ref().filter(|_| agent.hook.alive) else {
            return Some((keys, proof));
        };
        let form = &agent.hook.form;
        let reported = match (ask.question.kind, &decided.answer) {
            (_, Answer::Reject) => false,
            (Kind::Menu | Kind::Multi, answer) => {
                let at = form.iter().position(|asked| asked.shown_by(&ask.question).is_ok());
                let meant = at.and_then(|at| form[at].meant(&ask.question, answer));
                // A form of several, and one with ticks, is recorded after its last page.
                let alone = form.len() == 1 && ask.question.kind == Kind::Menu;
                if let Some(at) = at {
                    agent.hook.meant[at] = meant.clone();
                }
                alone && meant.is_some()
            }
            (Kind::Review, _) => agent.hook.meant.iter().any(Option::is_some),
            (Kind::Text, Answer::Text(_)) => true,
            _ => false,
        };
        if !reported {
            return Some((keys, proof));
        }
        if agent.ask == Some(ask_key) {
            // Its dialog is gone: what is on the screen from now on is another question.
            agent.ask = None;
        }
        agent.hook.confirm = Some(Confirm { ask: ask_key, keys, proof, until_ms: now.ms + CONFIRM_MS });
        self.hook_confirm(key);
        None
    }

    /// Settles the answer that waits for it, once the agent has reported or its time is over.
    pub(super) fn hook_confirm(&mut self, key: AgentKey) {
        let now = self.now;
        let Some(agent) = self.agents.get_mut(&key) else { return };
        let Some(confirm) = agent.hook.confirm.take() else { return };
        let Some(ask) = self.asks.get(&confirm.ask).filter(|ask| !ask.status.settled()) else { return };
        let decided = ask.decided.as_ref().map(|decided| &decided.answer);
        let told = match (ask.question.kind, decided) {
            (Kind::Text, Some(Answer::Text(text))) => {
                let prompted = agent.hook.prompted.as_ref().filter(|(at, _)| *at >= ask.asked_ms);
                prompted.map(|(_, got)| match normalize(got) == normalize(text) {
                    true => Ok(got.clone()),
                    false => Err(differs(got, text)),
                })
            }
            _ => agent.hook.form_recorded(),
        };
        let over = now.ms >= confirm.until_ms || agent.gone();
        if told.is_none() && !over {
            agent.hook.confirm = Some(confirm);
            return;
        }
        agent.hook.forget_form();
        let Confirm { ask, keys, mut proof, .. } = confirm;
        match told {
            None => self.answered_well(key, ask, keys, proof),
            Some(Ok(recorded)) => {
                proof.confirmed = Some(Box::new(Confirmed { confirmed_by: "hook".to_owned(), recorded }));
                self.answered_well(key, ask, keys, proof);
            }
            Some(Err(why)) => self.hook_differs(key, ask, keys, proof, why),
        }
    }

    /// The agent took something else for the answer: nothing can be mended, a person must know.
    pub(super) fn hook_differs(
        &mut self,
        key: AgentKey,
        ask_key: AskKey,
        keys: Vec<String>,
        proof: Proof,
        why: String,
    ) {
        let (Some(agent), Some(ask)) = (self.agents.get(&key), self.asks.get(&ask_key)) else { return };
        let (name, id) = (agent.spec.name.clone(), ask.id.clone());
        let by = ask.decided.as_ref().map_or_else(String::new, |decided| decided.by.clone());
        self.broadcast_notification(&name, Some(id), &format!("{name}: {why}"));
        let (status, outcome) = (Status::Withdrawn, Outcome::Failed);
        self.close_question(ask_key, End { status, outcome, note: Some(why), by, keys, proof: Some(proof) });
    }

    /// What the hooks have told, for `explain`.
    pub(super) fn hook_step(&self, key: AgentKey) -> Option<HookStep> {
        let agent = self.agents.get(&key).filter(|agent| agent.hook.alive)?;
        let of = agent.hook.form.len();
        let (fired, detail) = match agent.on_screen().map(|question| agent.hook.shown(question)) {
            Some(Ok(Some(at))) => (true, format!("tells of the question on the screen, {} of {of}", at + 1)),
            Some(Err(why)) => (false, why),
            Some(Ok(None)) | None if of == 0 => (false, "tells of no question".to_owned()),
            Some(Ok(None)) | None => (false, "tells of a question that is not on the screen".to_owned()),
        };
        Some(HookStep { step: Step { rule: "hook".to_owned(), fired, detail }, form: of > 0 })
    }
}
