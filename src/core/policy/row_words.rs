//! The words of rows and of sentences by which something is allowed, refused, ordered or thrown away.
//!
//! `guard.rs` looks for them. They decide nothing by themselves. The lists are of English words, and not complete.

use std::sync::LazyLock;

use crate::core::pattern::Pattern;

/// Rows that allow more than the one thing that is asked for.
pub static WIDER: LazyLock<Pattern> = LazyLock::new(|| {
    insensitive(
        r"\balways\b|don.?t ask|never ask|do not ask|\bauto[- ]?(?:accept|approve|mode|edit|run)|\bautomatic|\bbypass|\byolo\b|\b(?:this|the|entire|whole|current) (?:session|project|workspace|conversation)\b|\bsession\b|from now on|every ?time|\b(?:allow|accept|approve|trust) (?:all|any|every)|\ball (?:edits|commands|tools|files)|\btrust\b|\bpermanent|\bremember\b|\bfuture\b|\bto all\b|\bfor all\b|don.?t prompt|do not prompt|\bsave\b.*\bsettings?\b|\b(?:allow|white)[- ]?list|\bskip (?:all|any|every)|\bedits on\b|\b(?:turn|switch) off\b|\bdisabl|\buntil\b",
    )
});

pub static REFUSAL: LazyLock<Pattern> = LazyLock::new(|| {
    insensitive(
        r"^(?:no|n|nein|nope|deny|denied|decline|reject|refuse|cancel|abort|stop|skip|don.?t|do not|keep planning)\b",
    )
});

pub static CONSENT: LazyLock<Pattern> = LazyLock::new(|| {
    insensitive(
        r"^(?:yes|y|ja|oui|s[ií]|да|yeah|yep|sure|ok|okay|go ahead|do it|proceed|confirm|continue|approve|allow|accept|agree)\b",
    )
});

/// What a row says that throws something away.
pub static DESTRUCTION: LazyLock<Pattern> = LazyLock::new(|| {
    insensitive(
        r"\b(?:delete|drop|erase|wipe|destroy|overwrite|purge|discard|truncate|uninstall|revoke|force[- ]?push|hard reset|start over)\b",
    )
});

/// What a sentence says that gives something out of hand.
pub static PUBLICATION: LazyLock<Pattern> =
    LazyLock::new(|| insensitive(r"\b(?:publish|deploy|force[- ]?push|push)\b"));

/// How a row begins that orders something: among ways to do a thing it would be one of them, with its object another.
pub static ORDER: LazyLock<Pattern> = LazyLock::new(|| {
    insensitive(
        r"^(?:yes,? |just |now )?(?:force[- ]?push|delete|drop|erase|wipe|destroy|purge|truncate|overwrite|reset|discard|remove|publish|release|deploy|push|upload|send|pay|buy|purchase|transfer|revoke|rewrite)\b",
    )
});

/// What makes such an order one that cannot be taken back.
pub static SWEEPING: LazyLock<Pattern> = LazyLock::new(|| {
    insensitive(
        r"\b(?:all|every\w*|entire|whole|databases?|force\w*|history|main|master|origin|remote|npm|pypi|crates\.io|registry|backups?|permanent\w*)\b|--hard\b",
    )
});

/// A pattern that does not tell capitals from small letters.
pub fn insensitive(words: &str) -> Pattern {
    Pattern::constant(&format!("(?i){words}"))
}
