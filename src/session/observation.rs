//! What is thought of an agent's screen: when it is looked at, the verdict, and what the hub is told of it.
//!
//! Detection itself is in `core/detect`; here it is called at the right moments, and its result is made into the
//! one `Sight` that the hub decides by.

use std::sync::Arc;

use crate::core::detect::channels::{self, Agreement, Signal};
use crate::core::detect::watch::{Explanation, explain};
use crate::core::detect::witness::{Traffic, Witness};
use crate::core::detect::{Snapshot, Step};
use crate::core::question::{Kind, Question, State, Verdict};
use crate::wire::message::Reply;

use super::draft::words_before_the_cursor;
use super::emulation::{Redraw, Terminal};
use super::message::{ClientKey, HookStep, News, Output, Sight};
use super::typing_slot::Slot;
use super::{Life, Session};

/// A program that draws no recognised prompt counts as ready after this much silence.
const READY_QUIET_MS: u64 = 800;
/// … provided it has printed at least this much.
const READY_BYTES: u64 = 200;
/// … or without any, after this long.
const STARTS_MS: u64 = 10_000;
/// A program answers what is typed, if only by an echo, within this time; before that the screen shows what was.
const REACTS_MS: u64 = 200;
/// The screen's text is sent along at least this often while it changes: it is what a consultant is shown of an
/// agent that asks in words.
const TEXT_MS: u64 = 1_000;
/// A program that draws in updates ends each within a fraction of this.
const UPDATES_MS: u64 = 1_000;
/// Programs draw anew for another size within a fraction of this, some in several steps.
pub(super) const DRAWN_ANEW_MS: u64 = 1_000;

/// What a look rests on beside the screen: words, and how long each row has stood.
struct Account {
    written: String,
    draft: String,
    ages: Vec<u64>,
}

impl Session {
    pub(super) fn disturbed(&mut self) {
        self.observation.overdrawn.disturbed();
        self.moved = true;
    }

    /// What its program wrote since it last took input, where that says what a yes would do.
    fn written(&mut self) -> String {
        if !self.profile.any_program {
            return String::new();
        }
        let seen = &mut self.observation;
        let asked = seen.verdict.question.as_ref().map(|question| question.prompt.as_str());
        seen.printed.read(&self.terminal.raw, self.slot.typed_place, asked);
        seen.printed.text()
    }

    /// What is typed and not yet ended with a line end.
    pub(super) fn typed_words(&self) -> String {
        self.slot.draft.text(|| words_before_the_cursor(self.terminal.screen.grid()))
    }

    /// Whether the line of the cursor was begun since the last key, and the terminal holds none. In a tmux others type as well.
    fn is_untouched(&self) -> bool {
        let Slot { draft, untouched, .. } = &self.slot;
        let spoilt = draft.is_held() || draft.is_left() || draft.holds_reply() || draft.is_wiped();
        *untouched && !spoilt && !draft.has_replied() && !self.is_in_tmux()
    }

    /// What a look rests on beside the screen.
    fn account(&mut self) -> Account {
        let (screen, now_ms) = (&self.terminal.screen, self.now.ms);
        let ages = match self.profile.any_program {
            true => self.observation.ages.of(screen.versions(), now_ms),
            false => Vec::new(),
        };
        Account { written: self.written(), draft: self.typed_words(), ages }
    }

    fn snapshot<'a>(&'a self, account: &'a Account) -> Snapshot<'a> {
        Snapshot {
            grid: self.terminal.screen.grid(),
            versions: self.terminal.screen.versions(),
            title: self.terminal.screen.title(),
            status: self.terminal.status.as_ref(),
            modes: self.terminal.screen.modes(),
            alive: !self.gone(),
            witness: self.observation.witness.as_ref(),
            asked: self.observation.asked.as_ref(),
            written: &account.written,
            from_the_start: self.has_shown_all(),
            first_line: self.first_row_line(),
            resized_ms: self.size_settled_ms(),
            draft: &account.draft,
            wiped: self.slot.draft.is_wiped(),
            untouched: self.is_untouched() && account.draft.is_empty(),
            still_ms: self.now.ms.saturating_sub(self.terminal.output_ms),
            ages: &account.ages,
        }
    }

    /// Its program has printed no more than its screen holds, or has cleared it since.
    fn has_shown_all(&self) -> bool {
        let terminal = &self.terminal;
        let scrolled = terminal.history.end() > 0 || terminal.screen.pushed_out().is_some();
        (!scrolled || terminal.screen.shows_all_since_cleared()) && !terminal.screen.modes().alternate_screen
    }

    /// Who reads the terminal is known now: what waits for that is judged, and so is a line before a key goes to it.
    pub(super) fn witnessed(&mut self, witness: Witness) {
        if self.stands_still() {
            return;
        }
        let watcher = &mut self.observation.watcher;
        if !witness.is_pending() {
            watcher.knows_witness();
        } else if watcher.wants_witness() && watcher.waits_for_witness(self.now.ms) {
            return;
        }
        let traffic = self.traffic();
        self.observation.witness = Some(self.observation.interrupted.rejoin(witness, traffic));
        if self.collects_lines() == Some(false) {
            self.slot.draft.taken();
        }
        if self.observation.watcher.wants_witness() || self.types_a_line() {
            self.classify();
        }
    }

    fn traffic(&self) -> Traffic {
        let typed = self.slot.typed + self.slot.lines_typed;
        let redraws = self.size_settled_ms().is_none();
        Traffic { printed: self.terminal.printed, typed, answered: self.slot.text_typed, redraws }
    }

    /// Whether an answer is being typed to a program that was seen to wait for a line.
    pub fn types_a_line(&self) -> bool {
        let asked = self.observation.verdict.question.as_ref();
        self.slot.typing.is_some() && asked.is_some_and(|question| question.origin.wait().is_some())
    }

    pub(super) fn classify_if_due(&mut self) {
        let now = self.now.ms;
        if self.looks_again_ms().into_iter().flatten().any(|at| now >= at) {
            self.observation.watcher.saw_output(now.saturating_sub(REACTS_MS));
        }
        let due = self.observation.watcher.next_wake().is_some_and(|at| now >= at);
        if due && now >= self.whole_frame_ms() && !self.stands_still() {
            // Who read when that was last looked at may have read since.
            self.observation.witness = None;
            self.classify();
        }
    }

    /// From when on the screen may be judged. Within a synchronized update that is its end, or its limit, which come as wakes of
    /// their own. One after the other, begun by whoever wants nothing to be seen, put it off by no more than a moment: each
    /// begins with the frame before it.
    fn whole_frame_ms(&self) -> u64 {
        if self.terminal.screen.in_sync() { self.observation.judged_ms + UPDATES_MS } else { 0 }
    }

    /// When its terminal got the size that its program has drawn for by now.
    fn size_settled_ms(&self) -> Option<u64> {
        let Terminal { resized_ms, redraw, .. } = self.terminal;
        let settled = resized_ms == 0 || self.now.ms >= resized_ms + DRAWN_ANEW_MS;
        (settled && redraw.is_none()).then_some(resized_ms)
    }

    /// When the screen is to be looked at whether or not it changes: what was typed may have changed nothing, and where a question
    /// stands is told once it is drawn for a new size.
    fn looks_again_ms(&self) -> [Option<u64>; 2] {
        let (typed_ms, resized_ms) = (self.slot.typed_ms, self.terminal.resized_ms);
        let after = |at: u64, by: u64| (at > 0 && self.observation.judged_ms < at + by).then_some(at + by);
        [after(typed_ms, REACTS_MS), after(resized_ms, DRAWN_ANEW_MS)]
    }

    /// What stands above a question is another request's, perhaps; nothing does that was not printed.
    fn look_above(&mut self) {
        let printed = self.terminal.printed;
        let seen = &mut self.observation;
        if let Some(question) = &seen.verdict.question
            && std::mem::replace(&mut seen.above_at, printed) != printed
        {
            seen.overdrawn.looked_above(&self.profile, &self.terminal.screen, question);
        }
    }

    /// Looks at the screen, which is settled.
    pub(super) fn classify(&mut self) {
        let now = self.now;
        let ended = self.gone() && self.observation.verdict.state != State::Exited;
        let fresh = self.observation.witness.is_some() && !self.observation.watcher.wants_witness();
        let at_once = fresh && self.types_a_line();
        if self.profile.any_program {
            self.observation.ages.look(self.terminal.screen.versions(), now.ms);
        }
        let account = self.account();
        // Apart, so that it can be told of all the rest.
        let mut watcher = std::mem::take(&mut self.observation.watcher);
        let snapshot = self.snapshot(&account);
        // The end of the program is no reason to wait for quiet, and a key is not to.
        let verdict = match ended || at_once {
            true => Some(watcher.look_now(&self.profile, &snapshot, now.ms)),
            false => watcher.poll(&self.profile, &snapshot, now.ms),
        };
        self.observation.watcher = watcher;
        if self.observation.watcher.wants_witness() {
            return self.out.push(Output::LookAtReader);
        }
        self.observation.judged_ms = now.ms;
        self.observation.choice.looked();
        let verdict = self.observation.told_apart(verdict, self.terminal.screen.grid());
        let changed = verdict.is_some();
        if let Some(verdict) = verdict {
            self.observation.changed_ms = now.ms;
            self.observation.follow(verdict, self.terminal.screen.grid());
            self.release_size();
        }
        self.observation.looked();
        self.look_above();
        let signals = match self.life {
            Life::Running => {
                channels::signals(&self.profile, &self.snapshot(&account), &self.observation.verdict)
            }
            Life::Spawning | Life::Paused | Life::Exited(_) => Vec::new(),
        };
        self.observation.signals = signals;
        if changed || now.ms >= self.observation.text_ms + TEXT_MS {
            self.observation.text_ms = now.ms;
            self.observation.text = self.terminal.screen.grid().text().into();
        }
        if let Some(thinking) = self.thinking.as_mut() {
            thinking.worked |= self.observation.verdict.state == State::Working;
        }
        self.moved = true;
    }

    /// The state that people are told.
    fn shown_state(&self) -> State {
        match self.life {
            Life::Exited(_) => State::Exited,
            Life::Paused => State::Paused,
            Life::Spawning => State::Starting,
            Life::Running => match self.judged_state() {
                State::Unknown if self.state == State::Starting && !self.quiet() && self.is_new() => {
                    State::Starting
                }
                judged => judged,
            },
        }
    }

    /// As the screen has it; that a program has left it is believed of a pane that is its user's own alone, where others run after it.
    /// Anywhere else the process is there: it has not drawn its screen yet, or something else prints before it.
    pub(super) fn judged_state(&self) -> State {
        match self.observation.verdict.state {
            State::Exited if !self.adopted_pane => State::Unknown,
            judged => judged,
        }
    }

    /// It has not run for long: one that goes on printing is at its work.
    fn is_new(&self) -> bool {
        self.now.ms < self.started_ms + STARTS_MS
    }

    pub(super) fn refresh_state(&mut self) {
        let state = self.shown_state();
        self.moved |= state != self.state;
        self.state = state;
    }

    /// It has printed something and fallen silent: whatever it is, it is not starting any more.
    pub(super) fn settled_down(&self) -> bool {
        self.terminal.printed >= READY_BYTES && self.quiet()
    }

    /// It has printed something, if only a prompt, and fallen silent.
    pub(super) fn quiet(&self) -> bool {
        self.terminal.printed > 0 && self.now.ms >= self.terminal.output_ms + READY_QUIET_MS
    }

    pub(super) fn observation_wake(&self) -> Option<u64> {
        let undecided = self.state == State::Starting && self.observation.verdict.state == State::Unknown;
        let waits = undecided || self.slot.first_prompt.is_some() || !self.unstarted.is_empty();
        let quiet_at = self.terminal.output_ms + READY_QUIET_MS;
        let settle = (waits && self.life == Life::Running && self.terminal.printed > 0).then_some(quiet_at);
        // What is already past was looked at and led to nothing.
        let settle = settle.filter(|at| *at > self.now.ms);
        // A program that stands still is not judged: going on, it is looked at anew.
        let look = self.observation.watcher.next_wake().filter(|_| !self.stands_still());
        let look = look.map(|at| at.max(self.whole_frame_ms()));
        // From then on the watcher knows of it, and may have to wait for a redraw or the end of a frame.
        let again = self.looks_again_ms().into_iter().flatten().filter(|at| *at > self.now.ms);
        settle.into_iter().chain(look).chain(again).min()
    }

    /// A consultant's words are no question of its own, however they end.
    fn reply(&self, question: &Question) -> bool {
        question.kind == Kind::Text
            && (self.thinking.is_some() || self.observation.replied == Some(question.fingerprint()))
    }

    pub(super) fn sight(&self) -> Sight {
        let seen = &self.observation;
        let verdict = match &seen.verdict.question {
            Some(question) if self.reply(question) => {
                Arc::new(Verdict { question: None, ..(*seen.verdict).clone() })
            }
            _ => Arc::clone(&seen.verdict),
        };
        let idle = seen.verdict.state == State::Idle && self.state == State::Idle;
        let draft = seen.verdict.composer.as_ref().map(|composer| composer.draft.as_str());
        let free = self.slot.typing.is_none() && self.thinking.is_none();
        let current = !seen.watcher.unjudged()
            && seen.judged_ms >= self.terminal.output_ms
            && (self.slot.typed_ms == 0 || seen.judged_ms >= self.slot.typed_ms + REACTS_MS);
        Sight {
            verdict,
            state: self.state,
            exit_code: if let Life::Exited(code) = self.life { Some(code) } else { None },
            text: Arc::clone(&seen.text),
            title: self.title.clone().unwrap_or_else(|| self.terminal.screen.title().trim_end().to_owned()),
            size: self.terminal.screen.size(),
            signals: seen.signals.clone(),
            typed: self.slot.typed,
            current,
            judged_ms: seen.judged_ms,
            resized_ms: self.terminal.resized_ms,
            recording: self.log.recorded.asked.clone(),
            auto_recording: self.log.recorded.auto.clone(),
            redrawing: matches!(self.terminal.redraw, Some(Redraw::Resized { .. })),
            drawing: self.is_drawing(),
            typing: self.slot.typing.is_some(),
            submitting: self.slot.answering || !self.is_sent() || !self.slot.sends.is_empty(),
            stands_still: self.stands_still(),
            ready: idle && free && self.slot.first_prompt.is_none() && draft == Some(""),
            untyped_prompt: self.untyped_prompt(),
            draft: free && draft.is_some_and(|draft| !draft.is_empty()),
            typed_line: self.slot.draft.for_the_next(|| words_before_the_cursor(self.terminal.screen.grid())),
            drawn_over: seen.overdrawn.hides(seen.verdict.question.as_ref()),
        }
    }

    /// Tells the hub what has changed for it.
    pub(super) fn tell_sight(&mut self) {
        if !std::mem::take(&mut self.moved) {
            return;
        }
        let sight = self.sight();
        if self.told.as_ref().is_none_or(|told| told.differs(&sight)) {
            self.told = Some(sight.clone());
            self.tell(News::Looked(Box::new(sight)));
        }
    }

    /// Why the screen is judged as it is, with what the agent's hooks have told.
    pub(super) fn explain(&mut self, client: ClientKey, id: u64, hook: Option<HookStep>) {
        let account = self.account();
        let mut explanation = explain(&self.profile, &self.snapshot(&account));
        if let Some(hook) = hook {
            explanation.add(hook_signal(&explanation, &hook));
            explanation.steps.push(hook.step);
        }
        if let Some(step) = self.first_prompt_step() {
            explanation.steps.push(step);
        }
        if self.life == Life::Paused {
            let judged = explanation.state.name();
            let detail = format!("the agent stands still, and its screen shows what was {judged}");
            explanation.steps.push(Step { rule: "paused".to_owned(), fired: true, detail });
            (explanation.state, explanation.why) = (State::Paused, "paused".to_owned());
        }
        let json = serde_json::to_value(&explanation).unwrap_or_default();
        let reply = Reply::Explained { text: explanation.to_string(), json };
        self.reply_to(client, id, reply);
    }
}

/// What the hooks have told, as one of the channels.
fn hook_signal(seen: &Explanation, hook: &HookStep) -> Signal {
    // The last page of a form, and boxes of the program's own, are not in what the hook tells.
    let told_of = |question: &Question| matches!(question.kind, Kind::Menu | Kind::Multi);
    let agreement = match &seen.question {
        _ if hook.step.fired => Agreement::Agrees,
        Some(question) if told_of(question) && hook.form => Agreement::Contradicts,
        _ => Agreement::Silent,
    };
    Signal { channel: "hook", agreement, detail: hook.step.detail.clone() }
}
