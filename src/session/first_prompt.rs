//! The prompt an agent was configured to begin with: typed once, as soon as the agent is ready for it.
//!
//! `session/input.rs` asks each time it goes on typing.

use super::message::News;
use super::typing_slot::{Release, Typing};
use super::{Life, Session};
use crate::core::deliver::{Delivery, fits_a_line};
use crate::core::detect::Step;
use crate::core::question::{Needs, State};

/// Agent programs load for seconds, ten times that on a busy machine. A prompt that still waits then, and for no dialog and no
/// work, may wait for ever.
const OVERDUE_MS: u64 = 30_000;

/// Why a prompt with a tab is not typed into a program that reads keys and takes no paste.
const TAB: &str =
    "it has a tab, which a program that reads keys and takes no paste takes for a key; leave it out";

/// `lines`: whether its terminal collects lines, where that is known. `pastes`: whether its program takes what is pasted as that.
fn fits(text: &str, lines: Option<bool>, pastes: bool) -> Result<(), String> {
    match lines {
        Some(true) => fits_a_line(text),
        Some(false) if text.contains('\t') && !pastes => Err(TAB.to_owned()),
        _ => Ok(()),
    }
}

impl Session {
    /// Types the configured prompt once the agent is ready for it.
    pub(super) fn begin_first_prompt(&mut self) {
        if self.slot.first_prompt.is_none() || self.slot.typing.is_some() || self.life != Life::Running {
            return;
        }
        let verdict = &self.observation.verdict;
        let composed = verdict.composer.as_ref().is_some_and(|composer| composer.draft.is_empty());
        let ready = !self.is_begun_by_somebody()
            && match verdict.state {
                State::Idle => composed || self.quiet() && !self.may_be_misread(),
                // A program without a profile is ready when it has printed and fallen silent. One that takes the whole
                // screen and is not recognised would take the words for its keys.
                State::Unknown => self.settled_down() && !self.terminal.screen.modes().alternate_screen,
                State::Starting | State::Working | State::Asking | State::Exited | State::Paused => false,
            };
        if !ready {
            return;
        }
        let text = self.slot.first_prompt.take().expect("checked above");
        let fits = fits(&text, self.collects_lines(), self.typing_modes().bracketed_paste);
        if let Err(why) = fits {
            let text = format!("the first prompt of {} was not typed: {why}", self.name);
            return self.first_prompt_failed(format!("was not typed: {why}"), text);
        }
        let delivery = Delivery::first_prompt(&text, &self.profile.keys, self.slot.typed, self.now.ms);
        self.slot.typing = Some(Typing::FirstPrompt(text, Box::new(delivery)));
        self.moved = true;
    }

    /// Whether the words would go behind what somebody has typed and not sent.
    fn is_begun_by_somebody(&self) -> bool {
        let composer = self.observation.verdict.composer.as_ref();
        composer.is_some_and(|composer| !composer.draft.is_empty()) || !self.typed_words().trim().is_empty()
    }

    /// It was not typed to its end. Before its first key it waits again where somebody typed, or paused the agent.
    pub(super) fn first_prompt_given_up(&mut self, text: String, delivery: &Delivery, why: &str) {
        let interrupted = self.stands_still() || delivery.is_typed_into(self.slot.typed);
        if interrupted && delivery.keys_sent().is_empty() && !self.gone() {
            self.slot.first_prompt = Some(text);
            return;
        }
        let text = format!("could not type the first prompt of {}: {why}", self.name);
        self.first_prompt_failed(format!("could not be typed: {why}"), text);
    }

    /// Whoever is there is told, and whoever asks later.
    pub(super) fn first_prompt_failed(&mut self, why: String, text: String) {
        (self.slot.first_prompt_fault, self.slot.first_prompt_fault_typed) = (Some(why), self.slot.typed);
        self.tell(News::Notify(text));
    }

    /// Tells, once, that it waits for what may never come: nobody would look for the reason of what they see nothing of.
    pub(super) fn tell_overdue_prompt(&mut self) {
        if matches!(self.state, State::Working | State::Asking | State::Paused) {
            self.slot.first_prompt_since = self.now.ms;
        }
        if self.overdue_prompt_ms().is_some_and(|at| at <= self.now.ms)
            && let Some(waits) = self.first_prompt_waits()
        {
            self.slot.first_prompt_told = true;
            self.moved = true;
            let name = &self.name;
            let text = format!(
                "the first prompt of {name} is not typed yet: it {waits}; 'counsel attach {name}' shows why"
            );
            self.tell(News::Notify(text));
        }
    }

    /// When that is to be told.
    pub(super) fn overdue_prompt_ms(&self) -> Option<u64> {
        let waits = self.slot.first_prompt.is_some() && !self.slot.first_prompt_told;
        let nothing = matches!(self.state, State::Starting | State::Idle | State::Unknown);
        let since = self.started_ms.max(self.slot.first_prompt_since);
        (waits && nothing && self.life == Life::Running).then_some(since + OVERDUE_MS)
    }

    /// What people are told of it wherever they see the agent: nothing while it is merely to come.
    pub(super) fn untyped_prompt(&self) -> Option<String> {
        let unseen = self.slot.first_prompt_fault_typed == self.slot.typed;
        let fault = self.slot.first_prompt_fault.clone().filter(|_| unseen);
        let waits = self.first_prompt_waits().filter(|_| self.slot.first_prompt_told);
        fault.or_else(|| waits.map(str::to_owned))
    }

    /// Whether each letter is a command there, or what stands above a mark may be a question still.
    fn may_be_misread(&self) -> bool {
        let verdict = &self.observation.verdict;
        self.profile.letters_are_commands(&verdict.why) || verdict.needs == Needs::WitnessOnceQuiet
    }

    /// Whether its first byte may leave. If not, the hub is asked, once; its order wakes the session.
    pub(super) fn first_prompt_is_released(&mut self) -> bool {
        match self.slot.release {
            Release::Given => return true,
            Release::Asked => {}
            Release::ToAsk => {
                self.slot.release = Release::Asked;
                self.tell(News::FirstPromptReady);
            }
        }
        // What was due before would be due again and again.
        self.slot.wake = None;
        false
    }

    /// What the first prompt waits for, or what became of it, for `explain`.
    pub(super) fn first_prompt_step(&self) -> Option<Step> {
        if let Some(why) = &self.slot.first_prompt_fault {
            return Some(Step { rule: "first-prompt".to_owned(), fired: false, detail: why.clone() });
        }
        let detail = self.first_prompt_waits()?.to_owned();
        Some(Step { rule: "first-prompt".to_owned(), fired: false, detail })
    }

    fn first_prompt_waits(&self) -> Option<&'static str> {
        self.slot.first_prompt.as_ref()?;
        Some(match self.observation.verdict.state {
            _ if self.is_begun_by_somebody() => "is typed once the line is empty that somebody has begun",
            State::Idle if self.may_be_misread() => {
                "is not typed where each letter is a command, or below what may be a question"
            }
            State::Idle => "is typed once the agent has been quiet for 0.8 s",
            State::Unknown if self.terminal.screen.modes().alternate_screen => {
                "is typed once an idle screen is seen; this program has the whole screen, and is not recognised"
            }
            State::Unknown => {
                "is typed once an idle screen is seen, or 200 bytes were printed and nothing for 0.8 s"
            }
            _ => "is typed once the agent is idle",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// With the tab a program that reads keys would have completed a name, or gone to its next field.
    #[test]
    fn a_tab_is_typed_where_it_is_no_key() {
        let tab = "if x:\n\treturn";
        assert_eq!(fits(tab, Some(false), false), Err(TAB.to_owned()));
        for (text, lines, pastes) in [
            (tab, Some(false), true),
            (tab, Some(true), false),
            (tab, None, false),
            ("no tab", Some(false), false),
        ] {
            assert_eq!(fits(text, lines, pastes), Ok(()), "{text:?} {lines:?} {pastes}");
        }
        assert!(fits(&"x".repeat(5_000), Some(true), false).is_err());
    }
}
