//! What stands on a fake agent's screen and wants an answer: a dialog, or words behind a prompt.
//!
//! Pure: typed keys in, effects out. `agent.rs` owns one while it asks.

use counsel::core::terminal::grid::Size;
use counsel::core::terminal::keys::{Key, KeyPress};
use counsel::demo::draft::Draft;
use counsel::demo::draw;
use counsel::demo::keys::Typed;
use counsel::demo::truth::Did;
use counsel::demo::truth::Given;
use counsel::demo::widget::{self, Dialog, Effect, Permission, Quirks};

use super::script::{Asked, Look, Page, Round};

pub enum Asking {
    /// A permission goes by what it is for.
    Dialog {
        dialog: Box<Dialog>,
        subject: Option<String>,
    },
    Prompt(Prompt),
}

/// Words are typed, Enter sends them.
pub struct Prompt {
    words: String,
    look: Look,
    draft: Draft,
    lost_ms: u64,
    drawn_ms: u64,
}

impl Asking {
    pub fn new(asked: &Asked, look: Look, round: &Round, now_ms: u64) -> Asking {
        let quirks = Quirks { lost_ms: round.traps.lost_ms, stale_batch: round.traps.stale_batch };
        let dialog = |dialog: Dialog, subject| Asking::Dialog { dialog: Box::new(dialog), subject };
        match asked {
            Asked::Permission { subject } => {
                dialog(Dialog::permission("Shell", subject, quirks, now_ms), Some(subject.clone()))
            }
            Asked::Approval { prompt, rows, body } => {
                let rows: Vec<(&str, &str)> = rows.iter().map(|row| (row.as_str(), "")).collect();
                let pages = vec![widget::Page::menu("", prompt, &rows)];
                let mut shown = Dialog::new(pages, quirks, now_ms);
                shown.permission = Some(Permission { tool: "One".into(), subject: body.clone() });
                dialog(shown, None)
            }
            Asked::Pages(pages) => {
                let pages = pages.iter().map(|asked| page(asked, look)).collect();
                dialog(Dialog::new(pages, quirks, now_ms), None)
            }
            Asked::Words { words } => Asking::Prompt(Prompt {
                words: words.clone(),
                look,
                draft: Draft::default(),
                lost_ms: quirks.lost_ms,
                drawn_ms: now_ms,
            }),
        }
    }

    /// What a page is known by.
    pub fn name(&self) -> String {
        match self {
            Asking::Dialog { dialog, subject } => subject.as_ref().unwrap_or(&dialog.page().prompt).clone(),
            Asking::Prompt(prompt) => prompt.words.clone(),
        }
    }

    /// What joins the transcript when it comes up.
    pub fn said(&self) -> Option<&str> {
        match self {
            Asking::Prompt(Prompt { words, look: Look::Claude, .. }) => Some(words),
            Asking::Prompt(_) | Asking::Dialog { .. } => None,
        }
    }

    pub fn live(&self, size: Size) -> Vec<String> {
        match self {
            Asking::Dialog { dialog, .. } => draw::dialog(dialog, size),
            Asking::Prompt(prompt) => prompt.live(size),
        }
    }

    /// What one read brought; one effect for each key, up to the one that ends it.
    pub fn take(&mut self, batch: &[Typed], now_ms: u64) -> Vec<Effect> {
        match self {
            Asking::Dialog { dialog, subject } => {
                let mut effects = dialog.take(batch, now_ms);
                if let (Some(Effect::Answered(given)), Some(subject)) = (effects.last_mut(), subject) {
                    given.iter_mut().for_each(|given| given.prompt.clone_from(subject));
                }
                effects
            }
            Asking::Prompt(prompt) => prompt.take(batch, now_ms),
        }
    }
}

impl Prompt {
    fn live(&self, size: Size) -> Vec<String> {
        let draft = self.draft.shown();
        match self.look {
            // With the cursor behind the last letter.
            Look::Shell => {
                let width = usize::from(size.cols).saturating_sub(1).max(1);
                draw::wrap(&format!("{} {draft}", self.words), width)
            }
            Look::Claude | Look::Demo => draw::composer(&draft, "? for shortcuts", size),
        }
    }

    fn take(&mut self, batch: &[Typed], now_ms: u64) -> Vec<Effect> {
        let mut effects = Vec::new();
        let enter = Typed::Key(KeyPress::plain(Key::Enter));
        for (at, typed) in batch.iter().enumerate() {
            let effect = if now_ms.saturating_sub(self.drawn_ms) < self.lost_ms {
                Effect::Lost
            } else if *typed == Typed::Key(KeyPress::plain(Key::Esc)) {
                Effect::Cancelled
            } else if *typed != enter {
                did(self.draft.take(typed))
            } else if at > 0 && self.look != Look::Shell {
                // In one read with what stands before it, Enter is a line break.
                did(self.draft.take(&Typed::Paste("\n".into())))
            } else if self.draft.text().trim().is_empty() {
                Effect::Stray
            } else {
                let answer = vec![self.draft.text()];
                Effect::Answered(vec![Given { prompt: self.words.clone(), answer }])
            };
            let over = matches!(effect, Effect::Answered(_) | Effect::Cancelled);
            effects.push(effect);
            if over {
                break;
            }
        }
        effects
    }
}

fn did(did: Did) -> Effect {
    if did == Did::Wrote { Effect::Wrote } else { Effect::Stray }
}

fn page(page: &Page, look: Look) -> widget::Page {
    let rows: Vec<(&str, &str)> =
        page.rows.iter().map(|(label, what)| (label.as_str(), what.as_str())).collect();
    match (page.multi, page.words) {
        // Claude Code has a row for one's own words on every page.
        (true, _) if look == Look::Claude => {
            let own = widget::Page::menu("", "", &[]).with_free_text().rows;
            let mut page = widget::Page::multi("Several", &page.prompt, &rows);
            let last = page.rows.len() - 1;
            page.rows.splice(last..last, own);
            page
        }
        (true, _) => widget::Page::multi("Several", &page.prompt, &rows),
        (false, true) => widget::Page::menu("One", &page.prompt, &rows).with_free_text(),
        (false, false) => widget::Page::menu("One", &page.prompt, &rows),
    }
}
