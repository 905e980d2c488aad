//! What each scripted agent does, and what the scripted advisor answers.
//!
//! Plain data: `actor.rs` plays it, `story.rs` derives from it what must have been answered.

use super::widget::{Dialog, Page, Quirks};
use crate::core::consult::nonce::signed;

/// The roles there are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Role {
    Api,
    Web,
    Docs,
    Advisor,
}

impl Role {
    pub const ALL: [Role; 4] = [Role::Api, Role::Web, Role::Docs, Role::Advisor];

    pub fn name(self) -> &'static str {
        match self {
            Role::Api => "api",
            Role::Web => "web",
            Role::Docs => "docs",
            Role::Advisor => "advisor",
        }
    }

    pub fn named(name: &str) -> Option<Role> {
        Role::ALL.into_iter().find(|role| role.name() == name)
    }

    /// What it works on, as its consultant is told.
    pub fn task(self) -> &'static str {
        match self {
            Role::Api => "the session store of the web shop",
            Role::Web => "the login page of the web shop",
            Role::Docs => "the guide to sessions",
            Role::Advisor => "answering questions",
        }
    }
}

/// One thing a scripted agent does.
#[derive(Debug, Clone)]
pub enum Step {
    /// Says something at once.
    Say(&'static str),
    /// Works for so many milliseconds, a word on what at.
    Work(&'static str, u64),
    /// Says something word by word while it works.
    Stream(&'static str, &'static str),
    Ask(Asked),
}

/// A dialog to open.
#[derive(Debug, Clone)]
pub enum Asked {
    Pages(Vec<Page>),
    Permission { tool: &'static str, subject: &'static str },
}

impl Asked {
    pub fn open(&self, now_ms: u64) -> Dialog {
        match self {
            Asked::Pages(pages) => Dialog::new(pages.clone(), Quirks::FIELD, now_ms),
            Asked::Permission { tool, subject } => Dialog::permission(tool, subject, Quirks::FIELD, now_ms),
        }
    }
}

pub fn steps(role: Role) -> Vec<Step> {
    match role {
        Role::Api => api(),
        Role::Web => web(),
        Role::Docs => docs(),
        Role::Advisor => Vec::new(),
    }
}

fn api() -> Vec<Step> {
    let database = Page::menu(
        "Database",
        "Which database should I use for the session store?",
        &[
            ("PostgreSQL", "relational, already used by billing"),
            ("SQLite", "embedded, nothing to run"),
            ("Redis", "in memory, fastest"),
        ],
    );
    vec![
        Step::Say("I'll move the sessions out of the cookie."),
        Step::Work("Reading src/session.rs", 1_200),
        Step::Ask(Asked::Pages(vec![database])),
        Step::Stream(
            "Writing the store",
            "The store keeps one row for each session, with an expiry and an index on it.",
        ),
        Step::Ask(Asked::Permission { tool: "Shell", subject: "sqlite3 shop.db < 001.sql" }),
        Step::Work("Running the migration", 1_000),
    ]
}

fn web() -> Vec<Step> {
    let login = Page::menu(
        "Login",
        "Which login should the page offer first?",
        &[
            ("Passkey", "no password to lose"),
            ("Password", "known to everybody"),
            ("Magic link", "needs a mail server"),
        ],
    );
    let features = Page::multi(
        "Features",
        "Which features do you want to enable?",
        &[
            ("Audit log", "every login"),
            ("Remember me", "thirty days"),
            ("Rate limit", "five tries a minute"),
        ],
    );
    vec![
        Step::Say("Building the login page."),
        Step::Work("Reading web/login.html", 2_000),
        Step::Ask(Asked::Pages(vec![login, features])),
        Step::Stream(
            "Writing the form",
            "The form posts to /session and falls back to plain HTML without scripts.",
        ),
        Step::Work("Checking it in three browsers", 1_500),
    ]
}

fn docs() -> Vec<Step> {
    let pages = Page::multi(
        "Pages",
        "Which pages belong into the first release?",
        &[
            ("Install", "one command"),
            ("Tour", "what it looks like"),
            ("Reference", "every option"),
            ("FAQ", "nobody asked yet"),
        ],
    );
    let title =
        Page::menu("Title", "What should the guide be called?", &[("Handbook", ""), ("Getting started", "")]);
    vec![
        Step::Say("Writing the guide to sessions."),
        Step::Work("Reading docs/", 2_800),
        Step::Ask(Asked::Pages(vec![pages])),
        Step::Stream("Writing the pages", "Install first: readers who cannot start it read nothing else."),
        Step::Ask(Asked::Pages(vec![title.with_free_text()])),
        Step::Work("Checking the links", 800),
    ]
}

/// Who decides a question, and how.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Decision {
    pub prompt: &'static str,
    /// What the advisor says; `None`: a person decides.
    pub advice: Option<Advice>,
    /// What must then have been answered.
    pub answer: &'static [&'static str],
}

/// The advisor's words: reasoning, then the object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Advice {
    pub why: &'static str,
    pub json: &'static str,
}

/// Every question of the story.
pub const DECISIONS: &[Decision] = &[
    Decision {
        prompt: "Which database should I use for the session store?",
        advice: Some(Advice {
            why: "One process writes sessions here, and the roadmap wants no new server to run.",
            json: r#"{"choice": 2, "reason": "one writer, nothing to run"}"#,
        }),
        answer: &["SQLite"],
    },
    Decision { prompt: "Do you want to proceed?", advice: None, answer: &["Yes"] },
    Decision {
        prompt: "Which login should the page offer first?",
        advice: Some(Advice {
            why: "Passkeys are in every browser the shop supports.",
            json: r#"{"choice": 1, "reason": "supported everywhere we need"}"#,
        }),
        answer: &["Passkey"],
    },
    Decision {
        prompt: "Which features do you want to enable?",
        advice: Some(Advice {
            why: "The audit asks for a log, and guessing must be slow. Long sessions can wait.",
            json: r#"{"choices": [1, 3], "reason": "audit and guessing"}"#,
        }),
        answer: &["Audit log", "Rate limit"],
    },
    Decision {
        prompt: "Ready to submit your answers?",
        advice: Some(Advice {
            why: "These are the answers I gave.",
            json: r#"{"choice": 1, "reason": "as decided"}"#,
        }),
        answer: &["Submit answers"],
    },
    Decision {
        prompt: "Which pages belong into the first release?",
        advice: Some(Advice {
            why: "A reader must get it running and know what to expect.",
            json: r#"{"choices": [1, 2], "reason": "start and orientation"}"#,
        }),
        answer: &["Install", "Tour"],
    },
    Decision {
        prompt: "What should the guide be called?",
        advice: Some(Advice {
            why: "Neither says what the reader gets.",
            json: r#"{"text": "Sessions in one minute", "reason": "says what one gets"}"#,
        }),
        answer: &["Sessions in one minute"],
    },
];

/// What the story asks of one worker: the dialogs in order, each with its pages' decisions.
pub fn dialogs(role: Role) -> Vec<Vec<&'static Decision>> {
    let mut dialogs = Vec::new();
    for step in steps(role) {
        let Step::Ask(asked) = step else { continue };
        let pages = asked.open(0).pages;
        let decision = |prompt: &str| DECISIONS.iter().find(|decision| decision.prompt == prompt);
        dialogs.push(pages.iter().filter_map(|page| decision(&page.prompt)).collect());
    }
    dialogs
}

/// Questions the advisor is asked in the whole story, by their words; a form's review is one more.
pub fn advised() -> Vec<&'static str> {
    let review = DECISIONS.iter().find(|decision| decision.prompt.starts_with("Ready to submit"));
    let mut prompts = Vec::new();
    for dialog in Role::ALL.into_iter().flat_map(dialogs) {
        let form = dialog.len() > 1;
        let of_review = review.filter(|_| form);
        let decided = dialog.into_iter().chain(of_review).filter(|decision| decision.advice.is_some());
        prompts.extend(decided.map(|decision| decision.prompt));
    }
    prompts.sort_unstable();
    prompts
}

/// What the advisor says to a message: the advice on the question that stands in it.
pub fn advice(message: &str) -> Option<Advice> {
    // A terminal's line ends and wraps do not change what is asked.
    let words = message.split_whitespace().collect::<Vec<&str>>().join(" ");
    let found =
        DECISIONS.iter().filter_map(|decision| Some((words.find(decision.prompt)?, decision.advice?)));
    found.min_by_key(|(at, _)| *at).map(|(_, advice)| advice)
}

/// The same as it is said: with the nonce that the message tells.
pub fn reply(message: &str) -> Option<String> {
    advice(message).map(|Advice { why, json }| format!("{why}\n{}", signed(json, message)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_question_asked_has_its_decision() {
        for role in Role::ALL {
            for step in steps(role) {
                let Step::Ask(asked) = step else { continue };
                for page in asked.open(0).pages {
                    let decision = DECISIONS.iter().find(|d| d.prompt == page.prompt);
                    let decision = decision.unwrap_or_else(|| panic!("nobody decides {:?}", page.prompt));
                    for label in decision.answer {
                        let offered = page.rows.iter().any(|row| row.label == *label);
                        assert!(offered || page.prompt.contains("called"), "{label} is not offered");
                    }
                }
            }
        }
    }

    #[test]
    fn advice_is_what_the_protocol_takes() {
        for decision in DECISIONS {
            let Some(advice) = decision.advice else { continue };
            let value: serde_json::Value = serde_json::from_str(advice.json).unwrap();
            assert!(value.is_object());
            assert_eq!(super::advice(&format!("Question:\n> {}\r\nOptions", decision.prompt)), Some(advice));
        }
        assert_eq!(super::advice("hello"), None);
    }
}
