//! A question that stands in a consultant's input line and was never sent: the server was killed before its
//! Enter. As long as it stands there, the consultant can be asked nothing else.
//!
//! What counsel puts there is noted in the agent's journal first. The next server sends it if nobody has typed since
//! and the line shows it still; what comes back is nobody's answer. A draft that is not counsel's own is never sent.

use crate::core::agent::Host;
use crate::core::deliver::Delivery;
use crate::core::terminal::keys::Input;
use crate::server::effect::{AgentKey, AskKey, Effect, JournalPart};

use super::Hub;
use super::agent::Typing;

/// The question it was is no longer asked: questions are numbered from 1.
const NOBODYS: AskKey = AskKey(0);

impl Hub {
    /// Notes what is about to be pasted, before it is.
    pub(super) fn note_paste(&mut self, key: AgentKey, typing: &Typing, input: &Input) {
        if let (Typing::Consultation(..), Input::Paste(text)) = (typing, input) {
            self.note_draft(key, text.clone());
        }
    }

    /// The input line holds nothing of counsel's any more, or not only that.
    pub(super) fn forget_draft(&mut self, key: AgentKey) {
        if self.agents.get(&key).is_some_and(|agent| !agent.journal.draft.is_empty()) {
            self.note_draft(key, String::new());
        }
    }

    /// Whether a consultant can be asked nothing because of what stands in its input line.
    pub(super) fn held_up(&self, name: &str) -> bool {
        let consultant = self.by_name(name).map(|key| &self.agents[&key]);
        consultant.is_some_and(|agent| {
            let draft = agent.verdict.composer.as_ref().is_some_and(|composer| !composer.draft.is_empty());
            draft && agent.thinking.is_none() && agent.typing.is_none()
        })
    }

    fn note_draft(&mut self, key: AgentKey, text: String) {
        let Some(agent) = self.agents.get_mut(&key) else { return };
        agent.journal.bytes += text.len();
        agent.journal.draft.clone_from(&text);
        self.out.push(Effect::Journal { agent: key, parts: vec![JournalPart::Draft(text)] });
    }

    /// Sends what an earlier server left. To be called while the agent is idle and nothing is typed into it.
    pub(super) fn send_unsent_draft(&mut self, key: AgentKey) {
        let Some(agent) = self.agents.get_mut(&key) else { return };
        if agent.journal.draft.is_empty() {
            return;
        }
        let Some(composer) = &agent.verdict.composer else { return };
        // In a tmux of the user's own somebody may have typed while no server looked.
        let own = agent.spec.host != Host::Tmux && Delivery::stands(&composer.draft, &agent.journal.draft);
        if !own {
            return self.forget_draft(key);
        }
        let (text, now) = (agent.journal.draft.clone(), self.now.ms);
        let delivery = Delivery::pasted(&text, &agent.profile.keys, agent.typed, now);
        agent.typing = Some(Typing::Consultation(NOBODYS, Box::new(delivery)));
        self.drive_typing(key);
    }
}
